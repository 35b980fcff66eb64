"""Worst cases as sympy expressions that stay as written.

`sympy.Max` compares every pair of its arguments, which takes minutes at a few hundred
sums and cannot decide them anyway.  `Top` only sorts: it prints as mathematics, substitutes,
and becomes a number once its arguments are numbers.
"""

from __future__ import annotations

from typing import Any

import sympy

from dpcompose.language.symbols import family_of


class Top(sympy.Function):
    """top(m, x_1, …, x_n): the sum of the m largest of x_1, …, x_n; for m = 1 their maximum.

    m is an integer, 0 ≤ m; where m ≥ n all are added.

    >>> from sympy.abc import x, y
    >>> Top(1, x, y), Top(2, 1, 5, 3)
    (max(x, y), 8)
    >>> Top(1, x, x), Top(1, 2, x, 2)
    (x, max(2, x))
    """

    @classmethod
    def eval(cls, m: sympy.Expr, *terms: sympy.Expr) -> sympy.Expr | None:
        if not (m.is_Integer and m >= 0):
            raise ValueError(f"top needs a whole number of terms to add, not {m}")
        given = terms
        if m == 1:
            terms = tuple(dict.fromkeys(terms))
        if m == 0:
            return sympy.Integer(0)
        if len(terms) <= m:
            return sympy.Add(*terms)
        if all(term.is_Rational or term is sympy.oo for term in terms):
            return sympy.Add(*sorted(terms)[-int(m) :])
        ordered = tuple(sorted(terms, key=sympy.default_sort_key))
        return None if ordered == given else cls(m, *ordered)

    @property
    def terms(self) -> tuple[sympy.Expr, ...]:
        """What is compared: x_1, …, x_n."""
        return tuple(self.args[1:])

    def doit(self, **hints: Any) -> sympy.Expr:
        """The same with `sympy.Max`, over all m-subsets: fine for a few terms, slow for many."""
        from itertools import combinations

        terms = [term.doit(**hints) if hints.get("deep", True) else term for term in self.terms]
        return sympy.Max(*(sympy.Add(*combination) for combination in combinations(terms, int(self.args[0]))))

    def _eval_is_extended_real(self) -> bool | None:
        return True if all(term.is_extended_real for term in self.terms) else None

    def _eval_is_extended_nonnegative(self) -> bool | None:
        return True if all(term.is_extended_nonnegative for term in self.terms) else None

    def _sympystr(self, printer: Any) -> str:
        shown = ", ".join(printer._print(term) for term in self.terms)
        return f"max({shown})" if self.args[0] == 1 else f"top({self.args[0]}, {shown})"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        power = f"^{{{exp}}}" if exp is not None else ""
        if self.args[0] == 1 and len(self.terms) == 2 and self.terms[0] == -self.terms[1]:
            x = next((term for term in self.terms if not term.could_extract_minus_sign()), self.terms[0])
            return rf"\left\lvert {printer._print(x)} \right\rvert{power}"
        shown = ", ".join(printer._print(term) for term in self.terms)
        name = r"\max" if self.args[0] == 1 else rf"\operatorname{{top}}_{{{self.args[0]}}}"
        return rf"{name}{power}\left({shown}\right)"


def largest(*terms: sympy.Expr) -> sympy.Expr:
    """max(x_1, …, x_n), unevaluated unless all are numbers."""
    return Top(1, *terms)


def least(*terms: sympy.Expr) -> sympy.Expr:
    """min(x_1, …, x_n) = −max(−x_1, …, −x_n)."""
    return -Top(1, *(-term for term in terms))


class Over(sympy.Function):
    """top(m, x[i], i, 1, k): the sum of the m largest members of a family x[1], …, x[k].

    m = 1 is their maximum, m = k their sum; where m > k all are added.  x is written in terms of
    the general members e[i], and k is a whole number ≥ 1, often a symbol: nothing is written out.

    >>> from dpcompose.language.symbols import Domain, member, symbol
    >>> k = symbol("k", Domain.read("integer >= 2"))
    >>> Over(1, member("e"), k), Over(k, 2*member("e"), k), Over(2, member("e"), k)
    (max(e[i], i, 1, k), sum(2*e[i], i, 1, k), top(2, e[i], i, 1, k))
    """

    @classmethod
    def eval(cls, m: sympy.Expr, x: sympy.Expr, k: sympy.Expr) -> sympy.Expr | None:
        if not any(family_of(str(symbol)) for symbol in x.free_symbols):
            return x if m == 1 else k * x if m == k else x * least(m, k)
        return None

    def _sympystr(self, printer: Any) -> str:
        m, x, k = self.args
        rest = f"{printer._print(x)}, i, 1, {printer._print(k)})"
        return f"max({rest}" if m == 1 else f"sum({rest}" if m == k else f"top({m}, {rest}"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        m, x, k = self.args
        power = f"^{{{exp}}}" if exp is not None else ""
        inner = printer._print(x)
        if m == k:
            return rf"\left(\sum_{{i=1}}^{{{printer._print(k)}}} {inner}\right){power}"
        range_ = rf"1 \le i \le {printer._print(k)}"
        name = rf"\max_{{{range_}}}" if m == 1 else rf"\operatorname{{top}}_{{{m},\,{range_}}}"
        return rf"{name}{power} {inner}"

    def _eval_is_extended_real(self) -> bool | None:
        return True if self.args[1].is_extended_real else None

    def _eval_is_extended_nonnegative(self) -> bool | None:
        return True if self.args[1].is_extended_nonnegative else None
