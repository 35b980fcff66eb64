"""(ε, δ) claims refuted by mechanisms with two outcomes, on listed databases.

Where P(M(x) = 1) = p(x), what is stated of M says of any two databases x, y that p(x) <= g(p(y)), with
g(a) = min(1, δ + e^ε·a, 1 - (1 - δ - a)/e^ε).  Let p(y) be a at one of them, and everywhere else the least
that chains of databases to y allow: such a mechanism is as stated, and none has a likelier outcome at any x.
So of one mechanism these decide all claims; of several the outcomes are counted together.  What is found here
in floating point is made again in fractions, with every e^ε and δ rounded down, and looked at by the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product
from typing import Any

from dpcompose.kernel.composition import instances
from dpcompose.kernel.core.settings import Mechanism, Setting
from dpcompose.kernel.covers.listed import related
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.metrics import at_most_there, where_of
from dpcompose.kernel.theorems import Prover, Theorem
from dpcompose.search.trying import tried, written

Point = Mapping[str, Fraction]
Edge = tuple[Fraction, Fraction]
"""e^ε and δ, rounded down."""
Edges = Mapping[tuple[int, int], Sequence[Edge]]
"""What is stated of two databases, in both orders."""
Line = tuple[float, float]
"""A + B·a, by A and B."""
Values = Callable[[int, int], Mapping[str, Term]]

MOST_DATABASES = 40
"""The most listed databases that are gone through."""
MOST_POINTS = 12
"""At how many points of the parameters it is looked."""
MOST_SOLVED = 2_000
"""How many databases, times points and mechanisms, are tried as that at which an outcome is least likely."""
MOST_TOGETHER = 10
"""The most mechanisms whose outcomes are counted together."""
MOST_PASSES = 3
"""How often several mechanisms are gone through, each with the likeliest outcome beside those of others."""
PLACES = (3, 6, None)
"""To how many decimals probabilities are rounded where that does; None: they are not."""
DIGITS = 6
LARGEST = 10**12
"""With how many decimals powers of e are told, and up to where."""
BITS, ALMOST = 96, 1 / 10**12


def refuted(
    prover: Prover, claim: Mapping[str, str], said: Satisfies, points: Iterable[Point]
) -> Theorem | None:
    """The theorem that a claim is false; None where none is found."""
    with suppress(ValueError):  # the databases are not listed, or too many
        events = Events(prover.setting, prover.theory, said)
        for n, point in enumerate(points):
            if n == MOST_POINTS or n * events.size > MOST_SOLVED:
                break
            for (x, y), tables in events.at(point):
                said_there: dict[str, Any] = {"point": written(point), "databases": [x, y], "tables": tables}
                if (made := tried(prover, "against_rows", claim=dict(claim), **said_there)) is not None:
                    return made
    return None


class Events:
    """Mechanisms with two outcomes that a setting allows, beside a claim (ε, δ), or ε alone.

    Raises ValueError where databases are not listed, or too many, or no mechanism is looked at.
    """

    def __init__(self, setting: Setting, theory: Theory, said: Satisfies) -> None:
        self.setting, self.theory, self.said = setting, theory, said
        listed = instances.of_neighbours(setting)
        self.count = listed.databases.count
        self.pairs = related(listed.target, self.count) if self.count <= MOST_DATABASES else []
        self.stated = {
            i: [
                instances.promised(mechanism.with_only(n), setting, theory)
                for n in range(len(mechanism.also) + 1)
            ]
            for i, mechanism in enumerate(setting.mechanisms, start=1)
            if is_any(mechanism)
        }
        known = {key for key, _ in said.values} <= {"epsilon", "delta"}
        if not self.pairs or not 1 <= len(self.stated) <= MOST_TOGETHER or not known:
            raise ValueError("no events are looked for here")

    @property
    def size(self) -> int:
        """How many databases are gone through at each point, mechanism by mechanism."""
        return self.count * len(self.stated)

    @cached_property
    def _claimed(self) -> Values:
        """What the claim says of two databases."""
        values = dict(self.said.values)
        if not self.setting.distances:
            return lambda x, y: values
        names = sorted({name for value in values.values() for name in value.letters})
        type = instances.at_pairs(self.setting, self.theory, names)
        return lambda x, y: {
            key: at_most_there(value, where_of(type(x, y)), self.setting) for key, value in values.items()
        }

    def at(self, point: Point) -> Iterator[tuple[tuple[int, int], dict[str, list[list[str]]]]]:
        """Two databases and tables that break the claim there at a point."""
        edges = {i: self._edges(stated, point) for i, stated in self.stated.items()}
        for y in range(self.count):
            near = [x for both in self.pairs if y in both for x in both if x != y]
            if not near:
                continue
            lines = {i: _lines(some, y, self.count) for i, some in edges.items()}
            for x in near:
                with suppress(ValueError):
                    yield from self._between(x, y, point, edges, {i: some[x] for i, some in lines.items()})

    def _between(
        self, x: int, y: int, point: Point, edges: Mapping[int, Edges], lines: Mapping[int, Sequence[Line]]
    ) -> Iterator[tuple[tuple[int, int], dict[str, list[list[str]]]]]:
        """Tables that break the claim at two databases."""
        claimed = {key: formulas.extended(value, point) for key, value in self._claimed(x, y).items()}
        if any(value.kind == "oo" for value in claimed.values()):
            return
        power, delta = float(_power(claimed["epsilon"])), float(_low(claimed.get("delta", terms.ZERO)))
        chosen, most = _likeliest(lines, power)
        if most <= delta:
            return
        for digits in PLACES:
            rows = {i: _solved(edges[i], y, a, self.count, digits) for i, a in chosen.items()}
            tables = {str(i): [[str(1 - p), str(p)] for p in row] for i, row in rows.items() if row}
            both = [(float(row[y]), float(row[x])) for row in rows.values() if row]
            if len(tables) == len(rows) and _excess(both, power) > delta:
                yield (x, y), tables

    def _edges(self, stated: Sequence[Values], point: Point) -> Edges:
        """What is stated of one mechanism at a point, without what says nothing."""
        edges: dict[tuple[int, int], list[Edge]] = {}
        for x, y in product(range(self.count), repeat=2):
            for values in (said(min(x, y), max(x, y)) for said in stated if x != y):
                there = {key: formulas.extended(value, point) for key, value in values.items()}
                if all(value.kind != "oo" for value in there.values()):
                    edge = _power(there["epsilon"]), _low(there.get("delta", terms.ZERO))
                    edges.setdefault((x, y), []).append(edge)
        return edges


def is_any(mechanism: Mechanism) -> bool:
    """Whether a mechanism may be any that is pure or (ε, δ)-private as it is said to be."""
    given = (mechanism.noise, mechanism.table, mechanism.study, mechanism.sampled, mechanism.count)
    every = (mechanism.notion, *(stated.notion for stated in mechanism.also))
    return given == (None,) * 5 and {*every} <= {"pure", "approximate"}


def _power(epsilon: Term) -> Fraction:
    """e^ε, rounded down."""
    most = enclosure(epsilon, BITS)
    if most.low > 27:  # e^27 is more than LARGEST powers tell
        return Fraction(LARGEST)
    return Fraction(int(enclosure(terms.exp(epsilon), BITS).low * 10**DIGITS), 10**DIGITS)


def _low(value: Term) -> Fraction:
    """A number, rounded down where it is irrational."""
    if value.number is not None:
        return value.number
    return Fraction(int(enclosure(value, BITS).low * LARGEST), LARGEST)


def _lines(edges: Edges, y: int, count: int) -> list[list[Line]]:
    """For each database the lines that p lies below where p(y) = a."""
    every: list[list[Line]] = [[(1, 0)] for _ in range(count)]
    every[y] = [(0, 1)]
    known = {pair: [(float(c), float(d)) for c, d in some] for pair, some in edges.items()}
    changed = {y}
    for _ in range(count):
        before, changed = changed, set()
        for (x, z), some in known.items():
            if z in before and x != y:
                made = [line for c, d in some for A, B in every[z] for line in _after(A, B, c, d)]
                kept = _lowest([*every[x], *made])
                if kept != every[x]:
                    every[x] = kept
                    changed.add(x)
        if not changed:
            break
    return every


def _after(A: float, B: float, c: float, d: float) -> Iterator[Line]:
    yield d + c * A, c * B
    yield 1 - (1 - d - A) / c, B / c


def _lowest(lines: Sequence[Line]) -> list[Line]:
    """The lines that are lowest somewhere in [0, 1], by falling slopes."""
    kept: list[Line] = []
    for line in sorted({*lines}, key=lambda line: (-line[1], line[0])):
        if kept and line[1] > kept[-1][1] - ALMOST and line[0] >= kept[-1][0] - ALMOST:
            continue
        while kept and _meet(kept[-1], line) <= (_meet(kept[-2], kept[-1]) if len(kept) > 1 else 0):
            kept.pop()
        if not kept or _meet(kept[-1], line) < 1:
            kept.append(line)
    return kept


def _meet(one: Line, other: Line) -> float:
    """Where two lines meet, the first of which is the steeper one."""
    return (other[0] - one[0]) / (one[1] - other[1]) if one[1] > other[1] else (0 if other[0] < one[0] else 2)


def _likeliest(lines: Mapping[int, Sequence[Line]], power: float) -> tuple[dict[int, float], float]:
    """How likely outcomes are to be at the second database, and by how much they exceed e^ε times that at the
    first: of one mechanism, or several, the others being left out."""
    options = {
        i: [(a, min(A + B * a for A, B in some)) for a in sorted(_corners(some))] for i, some in lines.items()
    }
    chosen: dict[int, tuple[float, float]] = {}
    most: float = 0
    for _ in range(MOST_PASSES if len(options) > 1 else 1):
        before = most
        for i, some in options.items():
            for option in some:
                excess = _excess([*({**chosen, i: option}.values())], power)
                if excess > most:
                    most, chosen[i] = excess, option
        if most == before:
            break
    return {i: a for i, (a, _) in chosen.items()}, most


def _corners(lines: Sequence[Line]) -> set[float]:
    """0, and where one line takes over from another."""
    meet = (_meet(one, other) for one, other in pairwise(lines))
    return {0, *(a for a in meet if 0 < a < 1)}


def _excess(both: Sequence[tuple[float, float]], power: float) -> float:
    """Σ max(0, P(o) − e^ε·Q(o)) of independent outcomes, 1 or 0, with these Q(1) and P(1)."""
    every: list[tuple[float, float]] = [(1, 1)]
    for q, p in both:
        every = [(P * x, Q * z) for P, Q in every for x, z in ((p, q), (1 - p, 1 - q))]
    return sum(max(0, P - power * Q) for P, Q in every)


def _solved(edges: Edges, y: int, a: float, count: int, digits: int | None) -> list[Fraction]:
    """The likeliest outcomes where p(y) is about a; rounded down, with what is left to that, and none where
    what is rounded is not as stated."""
    whole = 10 ** (9 if digits is None else digits)
    p = [Fraction(1)] * count
    p[y] = Fraction(int(a * whole), whole)
    less = Fraction(0 if digits is None else 1, whole)
    for _ in range(count):
        before = list(p)
        for (x, z), some in edges.items():
            for c, d in some if x != y else ():
                p[x] = min(p[x], _next(c, max(Fraction(0), d - c * less), p[z]))
        if p == before:
            break
    if digits is not None:
        p = [Fraction(int(value * whole), whole) for value in p]
    kept = all(p[x] <= _next(c, d, p[z]) for (x, z), some in edges.items() for c, d in some)
    return p if kept else []


def _next(c: Fraction, d: Fraction, a: Fraction) -> Fraction:
    """How likely an outcome can be where it has the probability a at another database."""
    return min(Fraction(1), d + c * a, 1 - (1 - d - a) / c)
