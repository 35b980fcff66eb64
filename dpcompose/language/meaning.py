"""The meaning of formulas: tree to sympy, refusing constants that are too large or not real."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy
from lark import Token, Tree

from dpcompose.language.grammar import (
    MOST_EXPONENT,
    MOST_FACTORS,
    MOST_ROOT_DIGITS,
    MOST_SIZE,
    MOST_TERMS,
    MOST_UNDER_ROOTS,
    FormulaError,
    column_of,
    exponent_of,
    unknown_name,
)
from dpcompose.language.worstcase import Over, Top, largest, least
from dpcompose.language.writing import WRITABLE, absolute, as_top, digits_of


@functools.cache
def _intervals() -> Any:
    """Interval arithmetic with 400 bits: what is enclosed away from 0 has a certain sign."""
    from mpmath.ctx_iv import MPIntervalContext

    context = MPIntervalContext()
    context.prec = 400
    return context


def _settled(value: sympy.Expr) -> sympy.Expr:
    """The same product once sympy has nothing more to join: it can stop early at sqrt(sqrt(1/27))."""
    while value.is_Mul and (again := sympy.Mul(*value.args)) != value:
        value = again
    return value


class Meaning:
    """The meaning of one formula's nodes, refusing constants that are too large or not real.

    sympy evaluates constants as soon as it sees them (2**(10**9) never ends), so sizes are
    estimated first; and it leaves a real constant's sign to costly searches, so signs are
    read off enclosing intervals.
    """

    def __init__(
        self,
        text: str,
        symbols: Mapping[str, sympy.Expr],
        families: Mapping[str, Sequence[sympy.Expr]],
        index: str | None,
    ) -> None:
        self.text = text
        self.symbols = dict(symbols)
        self.families = families
        self.conditions: list[tuple[sympy.Expr, str]] = []
        self._bound = frozenset() if index is None else frozenset({index})
        self._under_roots = 0
        self._enclosures: dict[sympy.Expr, Any] = {}

    def of(self, node: Tree[Token]) -> sympy.Expr:
        """The meaning of a node.  Recursion is safe: `_check_shape` has bounded the depth."""
        meaning: Callable[[Tree[Token]], sympy.Expr] = getattr(self, f"_{node.data}")
        result = _settled(as_top(meaning(node)))
        self._check(result, node)
        return result

    def _refusal(self, message: str, node: Tree[Token] | Token) -> FormulaError:
        return FormulaError(message, self.text, column_of(node))

    def _below(self, node: Tree[Token]) -> list[Tree[Token]]:
        return [child for child in node.children if isinstance(child, Tree)]

    def _number(self, node: Tree[Token]) -> sympy.Expr:
        written = str(node.children[0])
        if (found := re.fullmatch(r"([0-9]+)([eE]([0-9]+))", written)) and found[2] in self.symbols:
            raise self._refusal(
                f"{written} could be a number or a product; "
                f"write {found[1]}*10**{found[3]} or {found[1]}*{found[2]}",
                node,
            )
        mantissa, _, exponent = written.lower().partition("e")
        value = Fraction(mantissa) * Fraction(10) ** exponent_of(exponent)
        return sympy.Rational(value.numerator, value.denominator)

    def _name(self, node: Tree[Token]) -> sympy.Expr:
        name = str(node.children[0])
        if name not in self.symbols:
            raise self._refusal(unknown_name(name, self.symbols), node)
        return self.symbols[name]

    def _group(self, node: Tree[Token]) -> sympy.Expr:
        return self.of(self._below(node)[0])

    def _signed(self, node: Tree[Token]) -> sympy.Expr:
        value = self.of(self._below(node)[0])
        return -value if node.children[0] == "-" else value

    def _power(self, node: Tree[Token]) -> sympy.Expr:
        base, exponent = self._below(node)
        return self._raised(self.of(base), self.of(exponent), node, base)

    def _sum(self, node: Tree[Token]) -> sympy.Expr:
        # sympy would add the rational coefficients of like terms whatever their size.
        collected: dict[sympy.Expr, sympy.Rational] = {}
        sign = 1
        for child in node.children:
            if isinstance(child, Token):
                sign = -1 if child == "-" else 1
                continue
            for term in sympy.Add.make_args(self.of(child)):
                number, rest = term.as_coeff_Mul()
                collected[rest] = self._bounded(collected.get(rest, 0) + sign * number, child)
        return sympy.Add(*(sympy.Mul(number, rest) for rest, number in collected.items()))

    def _product(self, node: Tree[Token]) -> sympy.Expr:
        number: sympy.Rational = sympy.Integer(1)
        factors: list[sympy.Expr] = []
        divide = False
        for child in node.children:
            if isinstance(child, Token):
                divide = child == "/"
                continue
            # In -(x + y)*z the sign is a factor, or sympy would multiply it into the sum.
            while child.data == "signed":
                number = -number if child.children[0] == "-" else number
                child = self._below(child)[0]
            value = self.of(child)
            if divide:
                if value == 0:
                    raise self._refusal("division by zero", child)
                value = self._raised(value, sympy.Integer(-1), child, child)
            for factor in sympy.Mul.make_args(value):
                if factor.is_Rational:
                    number = self._bounded(number * factor, child)
                else:
                    factors.append(factor)
        self._check_factors(len(factors), node)
        self._check_joined_powers(factors, node)
        return sympy.Mul(number, *factors)

    def _check_factors(self, count: int, node: Tree[Token]) -> None:
        if count > MOST_FACTORS:
            raise self._refusal(f"a product has at most {MOST_FACTORS} factors", node)

    def _check_joined_powers(self, factors: list[sympy.Expr], node: Tree[Token]) -> None:
        """sympy adds exponents of equal bases, and multiplies the numbers under equal roots."""
        exponents: dict[tuple[sympy.Expr, sympy.Expr], sympy.Rational] = {}
        under_roots = 0.0
        for factor in factors:
            base, exponent = factor.as_base_exp()
            if base.is_Rational:
                under_roots += digits_of(base)
            for term in sympy.Add.make_args(exponent):
                number, rest = term.as_coeff_Mul()
                total = exponents.get((base, rest), sympy.Integer(0)) + number
                exponents[base, rest] = self._bounded(total, node)
        if under_roots > MOST_ROOT_DIGITS:
            raise self._refusal(f"numbers under roots must stay below 10^{MOST_ROOT_DIGITS}", node)

    def _family(self, node: Tree[Token]) -> sympy.Expr:
        name, index = str(node.children[0]), self._below(node)[0]
        if index.data == "number" and f"{name}[{index.children[0]}]" in self.symbols:
            return self.symbols[f"{name}[{index.children[0]}]"]
        if f"{name}[i]" in self.symbols:
            if index.data == "name" and str(index.children[0]) in self._bound:
                return self.symbols[f"{name}[i]"]
            raise self._refusal(f"{name}[...] needs the index of a sum, max or top over it", node)
        if name not in self.families:
            near = [known[:-3] for known in self.symbols if known.endswith("[i]")]
            raise self._refusal(unknown_name(name, near).replace("name", "family", 1), node)
        number = self.of(index)
        if not (number.is_Integer and 1 <= number <= len(self.families[name])):
            raise self._refusal(f"{name} has the members 1 to {len(self.families[name])}, not {number}", node)
        return self.families[name][int(number) - 1]

    def _over(
        self, below: list[Tree[Token]], node: Tree[Token]
    ) -> list[sympy.Expr] | tuple[sympy.Expr, sympy.Expr] | None:
        """What `(x, i, first, last)` runs over; None where these are four plain values.

        A family known by its general member stays lazy, (x[i], k); one that is given member by
        member is written out.
        """
        if len(below) != 4 or below[1].data != "name" or str(below[1].children[0]) in self.symbols:
            return None
        index = str(below[1].children[0])
        first, last = self.of(below[2]), self.of(below[3])
        if not self.families:
            if first != 1:
                raise self._refusal("a family runs from 1", below[2])
            outside, self._bound = self._bound, frozenset({index})
            x = self.of(below[0])
            self._bound = outside
            if not (last.is_Symbol or (last.is_Integer and last >= 1)):
                raise self._refusal("a family runs to its number of members", below[3])
            return x, last
        if not (first.is_Integer and last.is_Integer and last - first < MOST_TERMS):
            raise self._refusal(f"a family runs over at most {MOST_TERMS} whole numbers", node)
        values = []
        for number in range(int(first), int(last) + 1):
            self.symbols[index] = sympy.Integer(number)
            values.append(self.of(below[0]))
        self.symbols.pop(index, None)
        return values

    def _call(self, node: Tree[Token]) -> sympy.Expr:
        name = str(node.children[0])
        below = self._below(node)
        if name == "top":
            return self._top(below, node)
        over = self._over(below, node)
        if name == "sum":
            if over is None:
                raise self._refusal("a sum is written sum(e[i], i, 1, k)", node)
            return sympy.Add(*over) if isinstance(over, list) else Over(over[1], *over)
        if isinstance(over, tuple):
            if name not in ("max", "min"):
                raise self._refusal(
                    f"{name} takes one value; a family has a max, a min, a sum and a top", node
                )
            return Over(1, *over) if name == "max" else -Over(1, -over[0], over[1])
        terms = [self.of(child) for child in below] if over is None else over
        if name in ("max", "min"):
            if not terms:
                raise self._refusal(f"{name} needs at least one value", node)
            return (largest if name == "max" else least)(*dict.fromkeys(terms))
        if len(terms) != 1:
            raise self._refusal(f"{name} takes one value, not {len(terms)}", node)
        if name == "abs":
            try:
                return absolute(terms[0])
            except FormulaError as error:
                raise self._refusal(error.message, node) from None
        if name == "sqrt":
            return self._raised(terms[0], sympy.Rational(1, 2), node, node)
        return self._exp(terms[0], node) if name == "exp" else self._log(terms[0], node)

    def _top(self, below: list[Tree[Token]], node: Tree[Token]) -> sympy.Expr:
        count = str(below[0].children[0]) if below and below[0].data == "number" else ""
        if not (count.isdigit() and len(count) <= 6):
            raise self._refusal(
                "top needs a whole number first, which says how many values are added",
                below[0] if below else node,
            )
        if len(below) < 2:
            raise self._refusal("top needs at least one value after the number", node)
        over = self._over(below[1:], node)
        if isinstance(over, tuple):
            return Over(sympy.Integer(count), *over)
        terms = [self.of(child) for child in below[1:]] if over is None else over
        return largest(*dict.fromkeys(terms)) if int(count) == 1 else Top(sympy.Integer(count), *terms)

    def _exp(self, value: sympy.Expr, node: Tree[Token]) -> sympy.Expr:
        size = digits = under_roots = 0.0
        for term in sympy.Add.make_args(value):
            enclosure = self._enclosure(term, node)
            if enclosure is not None:
                size += _upper(enclosure)
                number, rest = term.as_coeff_Mul()
                if isinstance(rest, sympy.log) and rest.args[0].is_Rational:  # exp(2*log(3)) = 3**2
                    digits += digits_of(rest.args[0]) * _upper(self._enclosure(number, node))
                    under_roots += 0 if number.is_Integer else digits_of(rest.args[0])
        if max(size / math.log(10), digits) > MOST_SIZE:
            raise self._refusal(f"constants must stay below 10^{MOST_SIZE}", node)
        if under_roots > MOST_ROOT_DIGITS:
            raise self._refusal(f"numbers under roots must stay below 10^{MOST_ROOT_DIGITS}", node)
        return sympy.exp(value)

    def _log(self, value: sympy.Expr, node: Tree[Token]) -> sympy.Expr:
        size = self._enclosure(value, node)
        if size is not None and not size > 0:
            what = "0" if value == 0 else "a negative number"
            raise self._refusal(f"log of {what} has no real value", node)
        if size is None:
            self.conditions.append((value, "> 0"))
        return sympy.log(value)

    def _raised(
        self, base: sympy.Expr, exponent: sympy.Expr, node: Tree[Token], at: Tree[Token]
    ) -> sympy.Expr:
        """base**exponent, refused where it is not real or would be too large."""
        below, above = self._enclosure(base, node), self._enclosure(exponent, node)
        if below is None and not (exponent.is_Integer and exponent >= 0):
            whole, positive = exponent.is_Integer, above is not None and above > 0
            self.conditions.append((base, "!= 0" if whole else ">= 0" if positive else "> 0"))
        elif above is None and not below > 0:
            self.conditions.append((base, "> 0"))
        if above is not None:
            if _upper(above) > MOST_EXPONENT:
                raise self._refusal(f"an exponent is at most {MOST_EXPONENT} in size", node)
            if below is not None and above < 0 and not (below > 0 or below < 0):
                raise self._refusal("0 to a negative power has no real value", at)
            if below is not None and below < 0 and not exponent.is_Integer:
                root = "the square root of" if exponent == sympy.Rational(1, 2) else "a broken power of"
                raise self._refusal(f"{root} a negative number has no real value", at)
            size = sum(self._size(factor, node) for factor in sympy.Mul.make_args(base))
            if size * _upper(above) > MOST_SIZE:
                raise self._refusal(f"constants must stay below 10^{MOST_SIZE}", node)
            if not exponent.is_Integer:
                self._under_roots += len(sympy.Mul.make_args(base))
                if self._under_roots > MOST_UNDER_ROOTS:
                    raise self._refusal(f"at most {MOST_UNDER_ROOTS} factors stand under roots", node)
                for factor in sympy.Mul.make_args(base):
                    if factor.is_Rational:
                        self._bounded(factor, node, MOST_ROOT_DIGITS)
        if base.is_Rational and base.p == 1 and not exponent.is_Rational:
            return sympy.Pow(base.q, -exponent)  # sympy would write (1/3)**k so only within products
        return sympy.Pow(base, exponent)

    def _size(self, factor: sympy.Expr, node: Tree[Token]) -> float:
        """About how many digits a constant factor has; 0 for one that is not constant."""
        base, exponent = factor.as_base_exp()
        if base.is_Rational and exponent.is_Rational:
            return digits_of(base) * _upper(self._enclosure(exponent, node))
        size = self._enclosure(factor, node)
        if size is None:
            return 0.0
        return _upper(_intervals().log(abs(size))) / math.log(10)

    def _bounded(
        self, number: sympy.Rational, node: Tree[Token], under_root: int | None = None
    ) -> sympy.Rational:
        if digits_of(number) > MOST_SIZE:
            raise self._refusal(f"constants must stay below 10^{MOST_SIZE}", node)
        if under_root is not None and digits_of(number) > under_root:
            raise self._refusal(f"numbers under roots must stay below 10^{under_root}", node)
        return number

    def _check(self, result: sympy.Expr, node: Tree[Token]) -> None:
        """What sympy made is real and within the limits."""
        size = self._enclosure(result, node)
        if size is not None and result.is_Add and not (size > 0 or size < 0):
            raise self._refusal("this constant is too close to 0 to tell its sign", node)
        self._check_factors(len(sympy.Mul.make_args(result)), node)
        for factor in sympy.Mul.make_args(result):
            base, exponent = factor.as_base_exp()
            if base.is_Rational:
                self._bounded(base, node, None if exponent.is_Integer else MOST_ROOT_DIGITS)
            most = MOST_EXPONENT if base is not sympy.E else MOST_SIZE * math.log(10)
            for term in sympy.Add.make_args(exponent):
                size = self._enclosure(term, node)
                if size is not None and _upper(size) > most:
                    raise self._refusal(f"an exponent is at most {MOST_EXPONENT} in size", node)

    def _enclosure(self, value: sympy.Expr, node: Tree[Token] | Token) -> Any:
        """An interval around a constant, or None for what has parameters.

        Refuses what is not real; each subexpression is looked at once in a formula.
        """
        if value not in self._enclosures:
            self._enclosures[value] = self._enclose(value, node)
        return self._enclosures[value]

    def _enclose(self, value: sympy.Expr, node: Tree[Token] | Token) -> Any:
        iv = _intervals()
        if value.is_Symbol:
            return None
        if value.is_Rational:
            return iv.mpf(int(value.p)) / iv.mpf(int(value.q))
        if value is sympy.E:
            return iv.exp(1)
        if value.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo, sympy.I):
            raise self._refusal("this has no real value", node)
        if not isinstance(value, WRITABLE):
            raise self._refusal(f"sympy makes {value.func.__name__} of this, which is no formula", node)
        parts = [self._enclosure(part, node) for part in value.args]
        if any(part is None for part in parts):
            return None
        if value.is_Add:
            return sum(parts)
        if value.is_Mul:
            return functools.reduce(lambda x, y: x * y, parts)
        if isinstance(value, sympy.exp):
            return iv.exp(parts[0])
        if isinstance(value, Top):
            count = int(value.args[0])
            low, high = (
                sorted(ends, reverse=True) for ends in zip(*((p.a, p.b) for p in parts[1:]), strict=True)
            )
            return iv.mpf([sum(low[:count]).a, sum(high[:count]).b])
        if value.is_Pow and value.exp.is_Integer:
            return parts[0] ** int(value.exp)
        if not parts[0] > 0:
            raise self._refusal("this has no real value, or is too close to it to tell", node)
        return iv.log(parts[0]) if isinstance(value, sympy.log) else iv.exp(parts[1] * iv.log(parts[0]))


def sign(constant: sympy.Expr) -> int | None:
    """The sign of a real constant, 1 or -1, from an enclosing interval.

    None where it has parameters, or lies too close to 0 to tell.

    >>> sign(1 - sympy.sqrt(2)), sign(sympy.log(2))
    (-1, 1)
    """
    size = Meaning("", {}, {}, None)._enclosure(constant, Token("NAME", ""))
    return None if size is None else 1 if size > 0 else -1 if size < 0 else None


def _upper(interval: Any) -> float:
    """A float at least as large as every |x| in the interval, up to rounding; inf if beyond."""
    return float(abs(interval).b)
