"""Formulas: the text of a real number or of a function of parameters, as a term.

A formula is `sqrt(m1**2 + m2**2)`, `max(e1 + e2, e1 + e3)`, `top(2, e1, e2, e3)`, `1e-6`, or `oo`, which
stands alone.  What has no real value for any values of its letters is refused where it stands; what may
have none for some is asked for by `conditions`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction

from dpcompose.kernel.expressions import naming, rationals, substitution, terms
from dpcompose.kernel.expressions.grammar import (
    ABBREVIATIONS,
    MOST_TERMS,
    OVER_FAMILIES,
    WORD,
    FormulaError,
    Node,
    exponent_of,
    names,
    natural,
    read_tree,
    unknown_name,
)
from dpcompose.kernel.expressions.intervals import NoEnclosure, enclosure, sign
from dpcompose.kernel.expressions.terms import HALF, INFINITY, ONE, ZERO, Term, TermError, TooLarge, number
from dpcompose.kernel.expressions.writing import to_text

__all__ = ["FormulaError", "conditions", "evaluate", "names", "parse", "to_text"]

MOST_FACTORS = 500  # of one product
MOST_EXPONENT = 1_000  # of a power
MOST_ROOT_BITS = 665  # numbers under roots stay below 10^200
MOST_LOGARITHM = 2_303  # e to this power is about 10^1000
MOST_PARTS = 50_000  # of an expression within abs, which doubles it
MOST_REMEMBERED = 40  # letters that a formula of families may speak of to be remembered

Families = Mapping[str, Sequence[Term]]
Conditions = Sequence[tuple[Term, str]]
Meant = tuple[Term, Conditions]
NOTHING: Families = {}


def parse(
    text: str, symbols: Mapping[str, Term], families: Families = NOTHING, index: str | None = None
) -> Term:
    """The term that a formula means, where `symbols` says what its names mean.

    families -- what e[1], e[2], … mean, as {"e": [first, second, …]}; with it `sum(e[i], i, 1, k)`, and
    `max` and `top` of a family, are written out.  A family that `symbols` knows by its general member
    "e[i]" stays as it is: `terms.over`;
    index -- the letter i that e[i] may have outside of sums, in a family's own guarantee.

    Raises FormulaError, which points at the mistake.

    >>> from dpcompose.kernel.expressions.terms import letter
    >>> to_text(parse("2*max(e1, e2)/3 + 0.1", {"e1": letter("e1"), "e2": letter("e2")}))
    '2*max(e1, e2)/3 + 1/10'
    >>> parse("2*e11", {"e1": letter("e1")})
    Traceback (most recent call last):
    dpcompose.kernel.expressions.grammar.FormulaError: unknown name 'e11'; did you mean 'e1'?
      2*e11
        ^
    """
    return _meant(text, symbols, families, index)[0]


def conditions(text: str, symbols: Mapping[str, Term], index: str | None = None) -> Conditions:
    """What must hold for the formula to have a real value as it is written: (x, "> 0"), ">= 0" or "!= 0".

    What cancels is asked about too: log(x) - log(x) needs x > 0.

    >>> from dpcompose.kernel.expressions.terms import letter
    >>> conditions("log(x) - log(x) + x/x", {"x": letter("x")})
    ((x, '> 0'), (x, '> 0'), (x, '!= 0'))
    """
    return _meant(text, symbols, NOTHING, index)[1]


def _meant(text: str, symbols: Mapping[str, Term], families: Families, index: str | None) -> Meant:
    """The same and the term, remembered by what its words mean; what is wrong is told with all symbols."""
    plain = "[" not in text
    if not families and (plain or len(symbols) <= MOST_REMEMBERED):
        words = dict.fromkeys(WORD.findall(text)) if plain else symbols
        with suppress(FormulaError):
            return _remembered(text, tuple((word, symbols[word]) for word in words if word in symbols), index)
    return _read(text, symbols, families, index)


@functools.lru_cache(maxsize=4_096)
def _remembered(text: str, symbols: tuple[tuple[str, Term], ...], index: str | None) -> Meant:
    """Pages' formulas are asked for again and again, and so is what is made again."""
    return _read(text, dict(symbols), NOTHING, index)


def _read(text: str, symbols: Mapping[str, Term], families: Families, index: str | None) -> Meant:
    tree = read_tree(text, symbols)
    if (tree.kind, tree.text) == ("name", "oo"):
        return INFINITY, ()
    meaning = _Meaning(text, symbols, families, index)
    return meaning.of(tree), tuple(meaning.conditions)


class _Meaning:
    """The meaning of one formula's nodes, refusing constants that are too large or not real."""

    def __init__(self, text: str, symbols: Mapping[str, Term], families: Families, index: str | None) -> None:
        self.text, self.families, self.symbols = text, families, dict(symbols)
        self.conditions: list[tuple[Term, str]] = []
        self._bound = frozenset() if index is None else frozenset({index})

    def of(self, node: Node) -> Term:
        """The meaning of a node.  Recursion is safe: the depth of the tree is bounded."""
        try:
            result: Term = getattr(self, f"_{node.kind}")(node)
        except TermError as error:
            raise self._refusal(str(error), node) from None
        self._check_factors(result, node)
        if result.kind == "sum" and not result.letters and _sign(result) is None:
            raise self._refusal("this constant is too close to 0 to tell its sign", node)
        return result

    def _check_factors(self, result: Term, node: Node) -> None:
        """The limits of one product, once equal bases are joined."""
        if len(result.factors) > MOST_FACTORS:
            raise self._refusal(f"a product has at most {MOST_FACTORS} factors", node)
        for factor in result.factors:
            base, exponent = factor.base_and_exponent
            for term in exponent.summands if factor.kind == "power" else ():
                if term.kind == "number" and abs(term.of[0]) > MOST_EXPONENT:
                    raise self._refusal(f"an exponent is at most {MOST_EXPONENT} in size", node)
            if base.kind == "number" and factor.kind == "power" and _bits(base.of[0]) > MOST_ROOT_BITS:
                raise self._refusal("numbers under roots must stay below 10^200", node)

    def _refusal(self, message: str, node: Node) -> FormulaError:
        return FormulaError(message, self.text, node.column)

    def _number(self, node: Node) -> Term:
        written = node.text
        if written.isdecimal():
            return number(int(written))
        if (match := re.fullmatch(r"([0-9]+)([eE]([0-9]+))", written)) and match[2] in self.symbols:
            raise self._refusal(
                f"{written} could be a number or a product; "
                f"write {match[1]}*10**{match[3]} or {match[1]}*{match[2]}",
                node,
            )
        mantissa, _, exponent = written.lower().partition("e")
        return number(Fraction(mantissa) * Fraction(10) ** exponent_of(exponent))

    def _name(self, node: Node) -> Term:
        if node.text not in self.symbols:
            raise self._refusal(unknown_name(node.text, self.symbols), node)
        return self.symbols[node.text]

    def _group(self, node: Node) -> Term:
        return self.of(node.below[0])

    def _signed(self, node: Node) -> Term:
        value = self.of(node.below[0])
        return -value if node.text == "-" else value

    def _sum(self, node: Node) -> Term:
        parts = zip(node.text, map(self.of, node.below), strict=True)
        return terms.add(-part if before == "-" else part for before, part in parts)

    def _product(self, node: Node) -> Term:
        factors = []
        for before, child in zip(node.text, node.below, strict=True):
            # In -(x + y)*z the sign is a factor, and not multiplied into the sum.
            while child.kind == "signed":
                factors += [terms.MINUS_ONE] if child.text == "-" else []
                child = child.below[0]
            value = self.of(child)
            if before == "/":
                if value == ZERO:
                    raise self._refusal("division by zero", child)
                value = self._raised(value, terms.MINUS_ONE, child, child)
            factors.append(value)
        if sum(len(factor.factors) for factor in factors) > MOST_FACTORS:
            raise self._refusal(f"a product has at most {MOST_FACTORS} factors", node)
        return terms.multiply(factors)

    def _power(self, node: Node) -> Term:
        base, exponent = node.below
        return self._raised(self.of(base), self.of(exponent), node, base)

    def _raised(self, base: Term, exponent: Term, node: Node, at: Node) -> Term:
        """base**exponent, refused where it is not real or would be too large."""
        r = exponent.number
        whole = r is not None and r.denominator == 1
        base_sign, exponent_sign = _sign(base), _sign(exponent)
        if base.letters:
            if not (whole and r is not None and r >= 0):
                self.conditions.append((base, "!= 0" if whole else ">= 0" if exponent_sign == 1 else "> 0"))
        elif exponent.letters and base_sign != 1:
            self.conditions.append((base, "> 0"))
        if not exponent.letters:
            if _larger(exponent, MOST_EXPONENT):
                raise self._refusal(f"an exponent is at most {MOST_EXPONENT} in size", node)
            if not base.letters and exponent_sign == -1 and base_sign in (0, None):
                raise self._refusal("0 to a negative power has no real value", at)
            if not base.letters and base_sign == -1 and not whole:
                root = "the square root of" if r == HALF else "a broken power of"
                raise self._refusal(f"{root} a negative number has no real value", at)
            for factor in base.factors if not whole else ():
                if factor.kind == "number" and _bits(factor.of[0]) > MOST_ROOT_BITS:
                    raise self._refusal("numbers under roots must stay below 10^200", node)
        self._check_size(base, exponent, node)
        return terms.power(base, exponent)

    def _check_size(self, base: Term, exponent: Term, node: Node) -> None:
        """A constant power that is no rational number by itself stays below 10^1000 all the same."""
        if base.letters or exponent.letters or base.kind == "number" or base == ZERO or not _sign(base):
            return
        try:
            size = enclosure(terms.log(terms.largest(base, -base)) * exponent, 64)
        except NoEnclosure:
            return
        if max(abs(size.low), abs(size.high)) > MOST_LOGARITHM:
            raise self._refusal("constants must stay below 10^1000", node)

    def _family(self, node: Node) -> Term:
        name, index = node.text, node.below[0]
        if index.kind == "number" and (member := naming.member(name, index.text)) in self.symbols:
            return self.symbols[member]
        if (general := naming.general(name)) in self.symbols:
            if index.kind == "name" and index.text in self._bound:
                return self.symbols[general]
            raise self._refusal(f"{name}[...] needs the index of a sum, max or top over it", node)
        if name not in self.families:
            known = [said.base for said in map(naming.read, self.symbols) if said.is_general]
            raise self._refusal(unknown_name(name, known, "family"), node)
        at, members = self.of(index), self.families[name]
        if at.number is None or at.number.denominator != 1 or not 1 <= at.number <= len(members):
            raise self._refusal(f"{name} has the members 1 to {len(members)}, not {to_text(at)}", node)
        return members[int(at.number) - 1]

    def _over(self, below: Sequence[Node], node: Node) -> list[Term] | tuple[Term, Term] | None:
        """What `(x, i, first, last)` runs over; None where these are four plain values.

        A family known by its general member stays lazy, (x[i], k); one that is given member by
        member is written out.
        """
        if len(below) != 4 or below[1].kind != "name" or below[1].text in self.symbols:
            return None
        index = below[1].text
        first, last = self.of(below[2]), self.of(below[3])
        if not self.families:
            if first != ONE:
                raise self._refusal("a family runs from 1", below[2])
            outside, self._bound = self._bound, frozenset({index})
            x = self.of(below[0])
            self._bound = outside
            if not (last.kind == "letter" or (_whole(last) is not None and last.of[0] >= 1)):
                raise self._refusal("a family runs to its number of members", below[3])
            return x, last
        low, high = _whole(first), _whole(last)
        if high is None and node.text == "sum":  # of what may be alike
            self.symbols[index] = terms.letter(index)
            if index not in (x := self.of(below[0])).letters:
                del self.symbols[index]
                return [(last - first + 1) * x]
        if low is None or high is None or high - low >= MOST_TERMS:
            raise self._refusal(f"a family runs over at most {MOST_TERMS} whole numbers", node)
        values = []
        for one in range(low, high + 1):
            self.symbols[index] = number(one)
            values.append(self.of(below[0]))
        self.symbols.pop(index, None)
        return values

    def _call(self, node: Node) -> Term:
        name, below = node.text, node.below
        if name == "top":
            return self._top(below, node)
        over = self._over(below, node)
        if name in OVER_FAMILIES:
            if over is None:
                what = "sum" if name == "sum" else "product"
                raise self._refusal(f"a {what} is written {name}(e[i], i, 1, k)", node)
            return self._all(name, over, node)
        if isinstance(over, tuple):
            if name not in ("max", "min"):
                raise self._refusal(
                    f"{name} takes one value; a family has a max, a min, a sum and a top", node
                )
            return terms.over(1, *over) if name == "max" else -terms.over(1, -over[0], over[1])
        values = [self.of(child) for child in below] if over is None else over
        if name in ("max", "min"):
            if not values:
                raise self._refusal(f"{name} needs at least one value", node)
            return (terms.largest if name == "max" else terms.least)(*dict.fromkeys(values))
        if len(values) != 1:
            raise self._refusal(f"{name} takes one value, not {len(values)}", node)
        return self._function(name, values[0], node)

    def _all(self, name: str, over: list[Term] | tuple[Term, Term], node: Node) -> Term:
        """The sum, or the product, of all members of a family: Πx = exp(Σ ln x) where all x > 0."""
        if isinstance(over, list):
            return terms.add(over) if name == "sum" else terms.multiply(over)
        x, count = over
        if name == "sum":
            return terms.over(count, x, count)
        if not any(map(terms.moves, x.letters)):
            return self._raised(x, count, node, node)
        return terms.exp(terms.over(count, self._function("log", x, node), count))

    def _function(self, name: str, value: Term, node: Node) -> Term:
        """A function of one value."""
        if name in (*ABBREVIATIONS, "abs") and substitution.counted(value, MOST_PARTS) >= MOST_PARTS:
            raise self._refusal(f"{name} is nested too deeply", node)
        if name in ABBREVIATIONS:
            return self._written_out(ABBREVIATIONS[name], value, node)
        if name == "abs":
            return terms.largest(value, -value)
        if name == "sqrt":
            return self._raised(value, number(HALF), node, node)
        if name == "exp":
            if not value.letters and _larger(value, MOST_LOGARITHM):
                raise self._refusal("constants must stay below 10^1000", node)
            return terms.exp(value)
        if value.letters:
            self.conditions.append((value, "> 0"))
        elif (found := _sign(value)) is None:
            raise self._refusal("this constant is too close to 0 to tell its sign", node)
        elif found != 1:
            what = "a negative number" if found else "0"
            raise self._refusal(f"log of {what} has no real value", node)
        return terms.log(value)

    def _written_out(self, text: str, x: Term, node: Node) -> Term:
        """What a formula in x means, and when it does."""
        meaning = _Meaning(text, {"x": x}, NOTHING, None)
        try:
            term = meaning.of(read_tree(text))
        except FormulaError as error:
            raise self._refusal(error.message, node) from None
        self.conditions += meaning.conditions
        return term

    def _top(self, below: Sequence[Node], node: Node) -> Term:
        if len(below) < 2:
            raise self._refusal("top needs at least one value after the number", node)
        m = self._many(below[0])
        over = self._over(below[1:], node)
        if isinstance(over, tuple):
            return terms.over(m, *over)
        if (count := _whole(m)) is None:
            raise self._refusal("top of a list needs a whole number first", below[0])
        return terms.top(count, [self.of(child) for child in below[1:]] if over is None else over)

    def _many(self, node: Node) -> Term:
        """How many values are added: a whole number, or a parameter for one, or a multiple of one."""
        if node.kind == "number":
            if node.text.isdigit() and len(node.text) <= 6:
                return number(int(node.text))
        elif is_whole(term := self.of(node)) and (_whole(term) or 0) <= MOST_ADDED:
            return term
        raise self._refusal("top needs a whole number first, which says how many values are added", node)


MOST_ADDED = 999_999  # values of a top


def _whole(term: Term) -> int | None:
    return int(term.of[0]) if term.kind == "number" and term.of[0].denominator == 1 else None


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


@functools.lru_cache(maxsize=4_096)
def _sign(term: Term) -> int | None:
    """The sign of a constant; None for what has letters, or is too close to 0 to tell."""
    return None if term.letters else sign(term)


def _larger(constant: Term, limit: int) -> bool:
    """Whether a constant is not seen to lie between -limit and limit."""
    try:
        interval = enclosure(constant, 64)
    except NoEnclosure:
        return True
    return max(abs(interval.low), abs(interval.high)) > limit


def evaluate(term: Term, point: Mapping[str, Fraction]) -> Fraction | None:
    """The exact value at a point, given by the parameters' names.

    None where the value is not rational or was not computed exactly.  Raises FormulaError where there is no
    real value, and ValueError for oo, which has no value to compute.

    >>> x = terms.letter("x")
    >>> evaluate(terms.sqrt(x) + x**2, {"x": Fraction(1, 4)})
    Fraction(9, 16)
    >>> print(evaluate(terms.exp(x), {"x": Fraction(1)}))
    None
    >>> evaluate(1 / (x - 1), {"x": Fraction(1)})
    Traceback (most recent call last):
    dpcompose.kernel.expressions.grammar.FormulaError: 1/(x - 1) has no real value at x = 1
    """
    try:
        return at(term, point).number
    except BeyondReach:
        return None


class BeyondReach(FormulaError):
    """A value is too large a number, or too close to 0, to be written down."""


def at(term: Term, point: Mapping[str, Fraction]) -> Term:
    """The term at a point: a number, or a constant; families are written out.

    Raises FormulaError where there is no real value there, or a letter has no value.
    """
    if term.kind == "oo":
        raise ValueError("oo has no value at a point")
    return _at(term, dict(point))


def extended(term: Term, point: Mapping[str, Fraction]) -> Term:
    """The same of a term that may be ∞, which it is at all points."""
    return term if term.kind == "oo" else at(term, point)


def _at(term: Term, point: Mapping[str, Fraction]) -> Term:
    kind, value = term.kind, rationals.value(term, point)
    if value is not None:
        return number(value)
    if kind == "letter":
        if term.of[0] not in point:
            raise FormulaError(f"no value is given for {term.of[0]}")
        return number(point[term.of[0]])
    if kind == "over":
        return _over_at(term, point)
    # Every part is looked at even if one is irrational: another may have no real value.
    parts = [_at(part, point) for part in term.parts]
    try:
        if (
            kind == "power"
            and parts[0].letters == {}
            and (_sign(parts[0]) or 0) < 0
            and _whole(parts[1]) is None
        ):
            raise TermError("a broken power of a negative number has no real value")
        if kind == "log" and _sign(parts[0]) != 1:
            raise TermError("the logarithm of what is not positive has no real value")
        return substitution.made_of(term, parts)
    except TooLarge:
        raise BeyondReach(f"{to_text(term)} is a number beyond 10^1000{_where(term, point)}") from None
    except TermError:
        raise FormulaError(f"{to_text(term)} has no real value{_where(term, point)}") from None


def is_whole(count: Term) -> bool:
    """Whether a term is seen to be a whole number ≥ 1: a number, a letter for one, or a multiple of that.

    >>> from dpcompose.kernel.expressions.domains import Domain
    >>> is_whole(2 * terms.letter("L", Domain.read("integer >= 1"))), is_whole(terms.letter("x"))
    (True, False)
    """
    factor, rest = count.split
    if factor.denominator != 1 or factor < 1:
        return False
    if rest.kind != "letter":
        return rest == ONE
    domain = rest.of[1]
    return bool(domain.integer and domain.least is not None and domain.least >= 1)


def _over_at(term: Term, point: Mapping[str, Fraction]) -> Term:
    """The m largest members, written out for the number of members that the point says."""
    count, x, k = _at(term.of[0], point), term.of[1], _at(term.of[2], point)
    members, m = _whole(k), _whole(count)
    if members is None or m is None or not 1 <= members <= MOST_TERMS:
        raise FormulaError(f"a family of {to_text(k)} members is not written out; at most {MOST_TERMS} are")
    families = [said.base for said in map(naming.read, x.letters) if said.is_general]
    values = []
    for j in range(1, members + 1):
        there = {naming.general(family): naming.member(family, j) for family in families}
        if missing := [one for one in there.values() if one not in point]:
            raise FormulaError(f"no value is given for {missing[0]}")
        values.append(_at(x, {**point, **{one: point[member] for one, member in there.items()}}))
    return terms.top(m, values)


def _where(term: Term, point: Mapping[str, Fraction]) -> str:
    """The values of the letters of a term at a point, in words."""
    used = sorted(term.letters, key=natural)
    where = ", ".join(f"{name} = {point[name]}" for name in used[:6] if name in point)
    where += ", ..." if len(used) > 6 else ""
    return f" at {where}" if where else ""
