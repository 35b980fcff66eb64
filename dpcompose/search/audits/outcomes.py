"""Mechanisms as exact tables of probabilities, and normal noise on exact values, and what they lose.

Powers of e are those of e^(n ln 2), so that probabilities are rational; formulas of pages are enclosed in
rationals, and only what is above the enclosure exceeds them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import product
from math import lcm
from typing import Any, ClassVar, TypeAlias

from dpcompose.kernel.deciders.tables import promises
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.intervals import Interval, enclosure
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.substitution import changed
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.library.heads import ORDER
from dpcompose.search.audits.worlds import INFINITE, Reading

BITS = 64
"""With how many digits formulas of pages are enclosed."""

Values: TypeAlias = Mapping[str, Term]
"""The parameters of a guarantee."""

Key: TypeAlias = tuple[tuple[str, Any], ...]
"""The same, as a key."""

Row: TypeAlias = tuple[Fraction, ...]
"""The probabilities of the outcomes at one database; of normal noise the one value it is added to."""

ONE, HALF = Fraction(1), Fraction(1, 2)
LOG_2 = terms.log(terms.number(2))


def as_key(values: Values) -> Key:
    """The parameters of a guarantee, as a key."""
    return tuple(values.items())


@lru_cache(maxsize=10_000)
def enclosed(value: Term) -> Interval:
    """A constant between two rationals."""
    return enclosure(value, BITS)


@lru_cache(maxsize=10_000)
def power_of_e(value: Term) -> Interval:
    """e to a constant, between two rationals."""
    return enclosed(terms.exp(value))


def plain(value: Term) -> Term:
    """A constant without maxima: the sum of the largest entries."""
    return changed(value, _largest)


def _largest(term: Term) -> Term | None:
    if term.kind != "top":
        return None
    entries = sorted(term.parts, key=lambda part: enclosed(part).low, reverse=True)
    return reduce(lambda x, y: x + y, entries[: term.of[0]])


def by_events(P: Row, Q: Row, c: Fraction) -> Fraction:
    """The largest P(S) − c·Q(S), in whole multiples of one fraction."""
    d = lcm(*(p.denominator for p in (*P, *Q)))
    rows = ([p.numerator * (d // p.denominator) for p in row] for row in (P, Q))
    excess = (p * c.denominator - q * c.numerator for p, q in zip(*rows, strict=True))
    return Fraction(sum(x for x in excess if x > 0), d * c.denominator)


def together(rows: Sequence[Row]) -> Row:
    """The probabilities of all outcomes of independent mechanisms."""
    return tuple(reduce(lambda x, y: x * y, values, ONE) for values in product(*rows))


def loss_of(P: Row, Q: Row) -> str:
    """The logarithm of the largest p/q, as a formula."""
    if any(p and not q for p, q in zip(P, Q, strict=True)):
        return "oo"
    largest = max(p / q for p, q in zip(P, Q, strict=True) if q)
    return "0" if largest == 1 else f"log({largest})"


@frozen
class Events:
    """Guarantees that bound P(S) − e^epsilon·Q(S): by delta, or by 0 where the notion has none."""

    with_delta: bool
    tabular: ClassVar[bool] = True
    """Whether mechanisms are tables of probabilities."""

    def written(self, joint: bool) -> bool:
        """Whether a problem file with a counterexample is refuted: of joint tables the pure loss is known."""
        return not (joint and self.with_delta)

    def values(self, n: int) -> Values:
        """The parameters of a guarantee: of several, n = 1 is the least."""
        epsilon = {"epsilon": LOG_2 * terms.number(n)}
        return epsilon | ({"delta": terms.number(n) / terms.number(64)} if self.with_delta else {})

    def aimed(self, reading: Reading, given: Values, at: int) -> Iterator[tuple[Row, ...]]:
        """Mechanisms that tell one database from the others as well as a guarantee may allow: their rows."""
        c, delta = _limits(given)
        steps = [reading.near.steps(v, reading.values[at]) for v in reading.values]
        ratios = [Fraction(0) if r == INFINITE else HALF / c**r for r in steps]
        yield tuple((ONE - p, p) for p in ratios)
        if delta:
            events = [
                ONE if r == INFINITE else min(HALF, delta * sum((c**j for j in range(r)), Fraction(0)))
                for r in steps
            ]
            yield tuple((p, ONE - p) for p in events)

    def within(self, P: Row, Q: Row, given: Values) -> bool:
        """Whether two rows of a mechanism satisfy a guarantee, in this order."""
        c, delta = _limits(given)
        return by_events(P, Q, c) <= delta

    def lost(self, P: Sequence[Row], Q: Sequence[Row], claim: Values) -> str | None:
        """What independent mechanisms lose where that exceeds a claim, in this order; else None."""
        moved = sorted((p, q) for p, q in zip(P, Q, strict=True) if p != q)  # the others tell nothing
        return _of_independent(self, tuple(moved), as_key(claim))

    joint_within = within

    def joint_lost(self, P: Row, Q: Row, claim: Values) -> str | None:
        """The same of mechanisms that need not be independent: the probabilities of all their outcomes."""
        c = power_of_e(claim["epsilon"])
        excess = by_events(P, Q, c.high)
        if excess <= (enclosed(claim["delta"]).high if self.with_delta else 0):
            return None
        if not self.with_delta:
            return loss_of(P, Q)
        exact = str(excess) if c.low == c.high else f"at least {float(excess)}"
        return f"delta = {exact} at epsilon = {formulas.to_text(claim['epsilon'])}"


@lru_cache(maxsize=100_000)
def _of_independent(events: Events, rows: tuple[tuple[Row, Row], ...], claim: Key) -> str | None:
    """What mechanisms lose of which the rows at both databases are known."""
    P, Q = (together([row[n] for row in rows]) for n in (0, 1))
    return events.joint_lost(P, Q, dict(claim))


def _limits(given: Values) -> tuple[Fraction, Fraction]:
    """e^epsilon and delta of a guarantee, which are rational."""
    delta: Any = given["delta"].number if "delta" in given else Fraction(0)
    return power_of_e(given["epsilon"]).high, delta


ALPHA = terms.letter(ORDER)
SMALL = terms.number(1) / terms.number(100)
FAR = Fraction(1_000)
"""How far values are moved where a guarantee allows any distance."""


@frozen
class Shifts:
    """Guarantees that normal noise attains whose mean is moved: at most as far as the notion's witness says.

    parameter -- the one that bounds it; distance -- how far that is, a formula; root -- whether the parameter
    is the distance itself, and not its square; ordered -- whether it is so many times the order of a
    divergence; others -- further parameters, which such noise keeps.
    """

    parameter: str
    distance: str
    root: bool
    ordered: bool = False
    others: tuple[str, ...] = ()
    tabular: ClassVar[bool] = False

    def written(self, joint: bool) -> bool:
        """The same: nothing is known of joint tables; further parameters have other keys in files."""
        return not (joint or self.ordered or self.others)

    def values(self, n: int) -> Values:
        square = terms.number(n if self.root else n * n) * (ALPHA if self.ordered else terms.ONE)
        return {self.parameter: square, **dict.fromkeys(self.others, SMALL)}

    def _moved(self, given: Values) -> Interval:
        return enclosed(formulas.parse(self.distance, {**given, "r": terms.ONE, ORDER: ALPHA}))

    def aimed(self, reading: Reading, given: Values, at: int) -> Iterator[tuple[Row, ...]]:
        steps = [reading.near.steps(v, reading.values[at]) for v in reading.values]
        step = self._moved(given).low
        yield tuple((FAR if r == INFINITE else step * r,) for r in steps)

    def within(self, P: Row, Q: Row, given: Values) -> bool:
        return abs(P[0] - Q[0]) <= self._moved(given).low

    def lost(self, P: Sequence[Row], Q: Sequence[Row], claim: Values) -> str | None:
        """Independent normal noise: the squares of what the means move by add up."""
        square = sum(((p[0] - q[0]) ** 2 for p, q in zip(P, Q, strict=True)), Fraction(0))
        if square <= self._moved(claim).high ** 2:
            return None
        if square >= FAR**2:
            return "oo"
        lost = terms.sqrt(terms.number(square)) if self.root else terms.number(square)
        return formulas.to_text(lost * ALPHA if self.ordered else lost)

    def joint_within(self, P: Row, Q: Row, given: Values) -> bool:
        """Enough in every notion: equal rows."""
        return P == Q

    def joint_lost(self, P: Row, Q: Row, claim: Values) -> str | None:
        """More than any parameter allows: what can happen at one database only."""
        return "oo" if any(p and not q for p, q in zip(P, Q, strict=True)) else None


Outputs: TypeAlias = Events | Shifts
"""How mechanisms of a notion are made, and what they lose."""


def guarantees(outputs: Outputs, k: int) -> list[tuple[Values, ...]]:
    """Parameters that k mechanisms are given: all the same, and different ones."""
    some = ((1,) * k, (1, 2, 1)[:k])[: min(k, 2)]
    return [tuple(outputs.values(n) for n in numbers) for numbers in some]


def outputs_of(theory: Any, notion: str) -> Outputs | None:
    """How mechanisms of a notion are made; None where nothing is known that its parameters bound exactly."""
    rule = theory.rule(notion).head
    shown = [page.head for page in theory.of_kind("witness") if page.head.notion == notion]
    by = {one.by for one in shown}
    if by <= {"ratio", "event"} and by and notion in promises.CHECKED:
        return Events("delta" in rule.parameters)
    for one in shown:
        if one.by == "noise":
            others = tuple(key for key in rule.parameters if key != one.shows)
            return Shifts(one.shows, one.distance, bool(rule.squared), rule.ordered, others)
    return None


# joint tables of two mechanisms with two outcomes each


@lru_cache
def quarters() -> tuple[Row, ...]:
    """The probabilities of the outcomes 00, 01, 10, 11 that are multiples of 1/4."""
    every = product(range(5), repeat=4)
    return tuple(tuple(Fraction(n, 4) for n in numbers) for numbers in every if sum(numbers) == 4)


def first(row: Row) -> Row:
    """What the first mechanism does, by itself."""
    return (row[0] + row[1], row[2] + row[3])


def second(row: Row, given: int | None = None) -> Row | None:
    """What the second one does, by itself or given the first outcome; None where that does not happen."""
    if given is None:
        return (row[0] + row[2], row[1] + row[3])
    values = row[2 * given : 2 * given + 2]
    return (values[0] / sum(values), values[1] / sum(values)) if sum(values) else None
