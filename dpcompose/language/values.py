"""Values: formulas at a point, exact, with Fractions."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from fractions import Fraction

import sympy

from dpcompose.kernel.grammar import MOST_TERMS, FormulaError, natural
from dpcompose.kernel.writing import to_text
from dpcompose.language.exchange import of_sympy
from dpcompose.language.symbols import family_of
from dpcompose.language.worstcase import Over, Top
from dpcompose.language.writing import WRITABLE, as_top, check_writable

_MOST_BITS = 1_000_000


def evaluate(expression: sympy.Expr, point: Mapping[str, Fraction]) -> Fraction | None:
    """The exact value at a point, given by the parameters' names.

    None where the value is not rational or was not computed exactly.  Raises FormulaError
    where there is no real value, and ValueError for oo, which has no value to compute.

    >>> from dpcompose.language.symbols import symbol
    >>> x = symbol("x")
    >>> evaluate(sympy.sqrt(x) + x**2, {"x": Fraction(1, 4)})
    Fraction(9, 16)
    >>> print(evaluate(sympy.exp(x), {"x": Fraction(1)}))
    None
    >>> evaluate(1/(x - 1), {"x": Fraction(1)})
    Traceback (most recent call last):
    dpcompose.kernel.grammar.FormulaError: 1/(x - 1) has no real value at x = 1
    """
    if expression.has(sympy.oo, -sympy.oo):
        raise ValueError("oo has no value at a point")
    return _value(as_top(expression), point)


def _value(it: sympy.Expr, point: Mapping[str, Fraction]) -> Fraction | None:
    if it.is_Symbol:
        if it.name not in point:
            raise FormulaError(f"no value is given for {it.name}")
        return Fraction(point[it.name])
    if it.is_Rational:
        return Fraction(int(it.p), int(it.q))
    if it is sympy.E:
        return None
    if not isinstance(it, WRITABLE):
        check_writable(it)
    if isinstance(it, Over):
        return _over_at(it, point)
    # Every part is looked at even if one has no exact value: another may have no real value.
    values = [_value(part, point) for part in it.args]
    exact = [value for value in values if value is not None]
    if len(exact) < len(values):
        return None
    if it.is_Add:
        return sum(exact, Fraction(0))
    if it.is_Mul:
        return functools.reduce(lambda x, y: x * y, exact)
    if isinstance(it, Top):
        return sum(sorted(exact[1:], reverse=True)[: int(exact[0])], Fraction(0))
    if isinstance(it, sympy.exp):
        return Fraction(1) if exact[0] == 0 else None
    if isinstance(it, sympy.log):
        if exact[0] <= 0:
            raise _no_value(it, point)
        return Fraction(0) if exact[0] == 1 else None
    base, exponent = exact
    if (base == 0 and exponent < 0) or (base < 0 and exponent.denominator != 1):
        raise _no_value(it, point)
    return _exact_power(base, exponent)


def _over_at(it: Over, point: Mapping[str, Fraction]) -> Fraction | None:
    """The m largest members, written out for the number of members that the point says."""
    x = it.args[1]
    m, k = _value(it.args[0], point), _value(it.args[2], point)
    if k is None or m is None or k.denominator != 1 or not 1 <= k <= MOST_TERMS:
        return None
    families = [family for one in x.free_symbols if (family := family_of(one.name))]
    values = []
    for j in range(1, int(k) + 1):
        if missing := [family for family in families if f"{family}[{j}]" not in point]:
            raise FormulaError(f"no value is given for {missing[0]}[{j}]")
        values.append(
            _value(x, {**point, **{f"{family}[i]": point[f"{family}[{j}]"] for family in families}})
        )
    exact = [value for value in values if value is not None]
    return sum(sorted(exact, reverse=True)[: int(m)], Fraction(0)) if len(exact) == len(values) else None


def _exact_power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """base**exponent, or None where it is irrational or of a million bits."""
    if base in (0, 1) or exponent == 0:
        return Fraction(1) if exponent == 0 else base
    p, p_exact = sympy.integer_nthroot(abs(base.numerator), exponent.denominator)
    q, q_exact = sympy.integer_nthroot(base.denominator, exponent.denominator)
    if not (p_exact and q_exact):
        return None
    root = Fraction(int(p), int(q)) * (-1 if base < 0 else 1)
    bits = max(int(p).bit_length(), int(q).bit_length())
    return root**exponent.numerator if bits * abs(exponent.numerator) <= _MOST_BITS else None


def _no_value(it: sympy.Expr, point: Mapping[str, Fraction]) -> FormulaError:
    used = sorted((one.name for one in it.free_symbols), key=natural)
    where = ", ".join(f"{name} = {point[name]}" for name in used[:6]) + (", ..." if len(used) > 6 else "")
    return FormulaError(f"{to_text(of_sympy(it))} has no real value" + (f" at {where}" if where else ""))
