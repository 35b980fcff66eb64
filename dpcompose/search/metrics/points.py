"""Points at which a comparison of formulas in distances may fail: where it was seen to, then simple ones."""

from __future__ import annotations

import math
import random
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from itertools import chain, islice, product

from dpcompose.kernel.core import assumptions
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers.types import Near, Type, Where
from dpcompose.kernel.deciders.calculus import coordinates
from dpcompose.kernel.expressions import formulas, naming
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.grammar import FormulaError
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.points import Ends, Points, coordinate
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.rules.metrics import where_of
from dpcompose.search.comparisons import comparing, parameters
from dpcompose.search.metrics import slopes

Point = Mapping[str, Fraction]
Looks = Callable[[Type], Iterator[Point]]
"""The points at which a case is looked at."""

READ_EASILY = (100, 10**6)
"""Denominators of fractions that are read easily."""
BITS = 64
"""With how many bits it is looked how far apart databases are."""
MOST_SIMPLE = 200
"""How many simple points of the parameters are gone through."""
MOST_POINTS = 120
"""At how many points of a case a comparison that is not proved is looked at."""
FEW_POINTS = 90
"""At how many simple points a comparison is looked at before those that the solver found."""
MOST_FAILING = 30
"""At how many simple databases, for each of a few parameters, it is looked whether a comparison fails."""
FEW_SIZES = 3
"""With how many numbers of members of families it is looked first."""
MOST_FAR = 24
"""At how many points with parameters far from the usual ones it is looked."""
FEW_SMALL = 8
"""At how many databases a comparison is looked at for each small value of what a δ is made of."""
SMALL = (Fraction(1, 100), Fraction(1, 10**6))
"""Small values of a δ: a δ of 1 says nothing, and one that is nearly 1 little."""
AT_ONCE = 24
"""At how many points a comparison is looked at before it is tried to prove it."""
CLOSE = tuple(sign * Fraction(1, n) for n in (1000, 10**6) for sign in (1, -1))
"""How far apart points are that are close to each other."""
FEW_PARAMETERS = 4
"""At how many points of the parameters simple databases are tried."""


@frozen
class Open:
    """A comparison that was not proved: a point of its letters if one fails, and what coordinates are there,
    or why not; large -- parameters that should be large."""

    failing: comparing.Point | None
    of: Mapping[str, Term]
    reason: str
    large: frozenset[str] = frozenset()

    @property
    def point(self) -> Point:
        return self.failing.values if self.failing else {}


@frozen(eq=False)
class Trials:
    """Values of the letters of a setting's types and of its parameters at which comparisons are looked at."""

    setting: Setting

    @cached_property
    def parameters(self) -> Sequence[Point]:
        """Simple points of the parameters at which holds what is assumed."""
        some = parameters.points(dict(self.setting.parameters), self.setting.assumed)
        full = (parameters.completed(self.setting, values) for values in islice(some, MOST_SIMPLE))
        return list({_frozen(values): values for values in full}.values())

    @cached_property
    def usual(self) -> Sequence[Point]:
        """The usual point of the parameters, with a few numbers of members of families."""
        domains, mechanisms = dict(self.setting.parameters), self.setting.mechanisms
        counts = {
            name
            for mechanism in mechanisms
            if mechanism.count is not None
            for name in mechanism.count.letters
        }
        points = list[Point]()
        for first, more in product(
            islice(parameters.points(domains, self.setting.assumed), 1), range(FEW_SIZES)
        ):
            there = {name: x + more if name in counts else x for name, x in first.items()}
            if all(domains[name].contains(x) for name, x in there.items() if name in domains):
                points.append(parameters.completed(self.setting, there))
        return points

    @cached_property
    def far(self) -> Sequence[Point]:
        """Points at which parameters, or numbers of members, are much larger or smaller than usual."""
        domains, assumed = dict(self.setting.parameters), self.setting.assumed
        every = chain(
            islice(parameters.far_points(domains, assumed), MOST_FAR),
            islice(parameters.extreme_points(domains, assumed), MOST_FAR),
        )
        return [parameters.completed(self.setting, values) for values in every]

    def first(self, type: Type) -> Iterator[Point]:
        """A few simple databases at the usual point of the parameters."""
        for usual in dict.fromkeys(map(_frozen, self.usual)):
            yield from self.databases(type, dict(usual), FEW_POINTS)

    def small(self, epsilon: Term, delta: Term) -> list[Point]:
        """The usual point with small values of the parameters that only a δ is made of, as far as allowed."""
        metrics = [mechanism.metric for mechanism in self.setting.mechanisms if mechanism.metric is not None]
        others = {*epsilon.letters}.union(*(metric.formula.letters for metric in metrics))
        besides = {*delta.letters}.union(
            *(value.letters for metric in metrics for _, value in metric.besides)
        )
        domains = {name: domain for name, domain in self.setting.parameters if name in besides - others}
        points = list[Point]()
        for x, usual in product(SMALL if domains else (), self.usual[:1]):
            own = {one for one in usual if domains.keys() & {one, naming.general(naming.read(one).base)}}
            there = {**usual, **dict.fromkeys(own, x)}
            if all(domain.contains(x) for domain in domains.values()) and self._is_allowed(there):
                points.append(there)
        return points

    def _is_allowed(self, there: Point) -> bool:
        """Whether what is assumed holds at a point."""
        with suppress(assumptions.NotAssumed):
            assumptions.check_at(self.setting.assumed, there)
            return True
        return False

    def with_small(self, type: Type, epsilon: Term, delta: Term) -> Iterator[Point]:
        """A few simple databases at points with small values of what the δ of a claim, or of mechanisms, is
        made of."""
        for there in self.small(epsilon, delta):
            yield from islice(self.databases(type, there, FEW_POINTS), FEW_SMALL)

    def few(self, type: Type) -> Iterator[Point]:
        """A few simple databases at each of a few points of the parameters, then some more."""
        every = [
            islice(self.databases(type, there, FEW_POINTS), MOST_FAILING)
            for there in self.parameters[:FEW_PARAMETERS]
        ]
        yield from chain(*(islice(some, AT_ONCE // FEW_PARAMETERS) for some in every), *every)

    def near(self, type: Type, seen: Sequence[Open]) -> Iterator[Point]:
        """Points at which a comparison may fail, each once: those that were seen, then simple ones."""
        known = set[tuple[tuple[str, Fraction], ...]]()
        for point in self._near(type, seen):
            if (there := tuple(sorted(point.items()))) not in known:
                known.add(there)
                yield point

    def _near(self, type: Type, seen: Sequence[Open]) -> Iterator[Point]:
        """The same, some more than once."""
        for other in seen:
            above = [point for point in self.parameters if other.large and _is_above(point, other.large)]
            own = {naming.read(name).base for name, _ in self.setting.parameters}
            for usual in self.parameters[:1] if other.failing else ():  # where the point's were equal
                given = {name: x for name, x in other.point.items() if naming.read(name).base in own}
                known = parameters.completed(self.setting, {**usual, **given})
                yield from self.databases(type, known, FEW_POINTS)
            for there in above[:FEW_PARAMETERS]:
                yield from self.databases(type, there, FEW_POINTS)
            for there in [other.point, *above[:FEW_PARAMETERS]] if other.failing else ():
                yield from self._translated(type, other, {**other.point, **there})
        for there in self.parameters[:FEW_PARAMETERS]:
            yield from islice(self._close(type, there), MOST_POINTS)
        for there in self.far:
            yield from islice(self._close(type, there), MOST_POINTS)
            yield from islice(self.databases(type, there, FEW_POINTS), MOST_FAILING)
        for most in (FEW_POINTS, MOST_POINTS):
            for there in (*self.usual[1:], *self.parameters[:FEW_PARAMETERS]):
                yield from self.databases(type, there, most)

    def _translated(self, type: Type, other: Open, point: Point) -> Iterator[Point]:
        """A point of the letters of a case in coordinates."""
        usual = next(iter(self.parameters), {})
        own = {naming.read(name).base for name, _ in self.setting.parameters}
        given = {name: x for name, x in point.items() if naming.read(name).base in own}
        full = parameters.completed(self.setting, {**usual, **given})
        letters = letters_of(self.setting, where_of(type))
        inside = {**dict.fromkeys(letters, Fraction(0)), **full, **point}
        for name in letters:
            value = (
                formulas.evaluate(other.of[name], _filled(other.of[name], inside))
                if name in other.of
                else inside[name]
            )
            if value is None:
                return
            full[name] = value
        yield full

    @cached_property
    def _special(self) -> Mapping[str, Sequence[Term]]:
        return slopes.special(self.setting)

    def _close(self, type: Type, there: Point) -> Iterator[Point]:
        """Two points that differ in one coordinate by little, near where values may be steepest."""
        letters, box = letters_of(self.setting, where_of(type)), dict[str, list[Fraction]]()
        for name, ends in coordinates.intervals(self.setting.databases.points):
            some = [*(end for end in ends if end is not None), *self._special[name]]
            with suppress(ValueError, ArithmeticError):
                box[name] = [enclosure(formulas.at(x, there), BITS).low for x in some] or [Fraction(0)]
        corners = (dict(zip(box, some, strict=True)) for some in product(*box.values()))
        for D, name, step in product(corners, box, CLOSE):
            E = {**D, name: D[name] + step}
            if naming.at(name, "E") in letters:
                ends_of = {naming.at(x, who): v for who, at in (("D", D), ("E", E)) for x, v in at.items()}
                yield {**there, **{x: v for x, v in ends_of.items() if x in letters}}

    def databases(self, type: Type, there: Point, most: int) -> Iterator[Point]:
        """Simple databases of a case at a point of the parameters, so many; where they are to be near each
        other, E is moved towards D until it is."""
        inside = [near for near in where_of(type).near if near.inside]
        for point in self._databases(type, there, most):
            if not inside:
                yield point
            with suppress(ValueError, ArithmeticError):
                for near in inside:
                    yield from self._nearer(near, point)

    def _nearer(self, near: Near, point: Point) -> Iterator[Point]:
        """Two databases that are near, as they are or nearer: by a part that is read easily, then in full."""
        radius, far = (enclosure(formulas.at(x, point), BITS) for x in (near.radius, near.far))
        whole = min(radius.low / far.high, Fraction(1)) if far.high else Fraction(1)
        names = [x for part in self.setting.databases.points for x in part.coordinates]
        ends = [(naming.at(x, "D"), naming.at(x, "E")) for x in names]
        for part in dict.fromkeys((*(Fraction(int(n * whole), n) for n in READ_EASILY), whole)):
            yield {**point, **{E: point[D] + (point[E] - point[D]) * part for D, E in ends if E in point}}

    def _radii(self, where: Where, there: Point) -> Iterator[int]:
        """How many steps databases may be apart that are to be near each other."""
        for near in where.near:
            with suppress(ValueError, ArithmeticError):
                yield int(enclosure(formulas.at(near.radius, there), BITS).low)

    def _databases(self, type: Type, there: Point, most: int) -> Iterator[Point]:
        """The same anywhere: mixtures of a few values of each letter.  Where few are wanted, D has the first
        values, and the others small ones."""
        few, where = most <= FEW_POINTS, where_of(type)
        choices: list[list[Point]] = []
        try:
            places = [
                (place, ("D",) if name in where.same else ("D", "E"))
                for name, part in self.setting.databases.parts
                if isinstance(part, Points)
                for place in _places(part, there)
            ]
        except FormulaError:
            return
        for part, whose in places:
            for who in whose:
                at: list[Point] = [
                    {str(coordinate(x, who)): value for x, value in place.items()} for place in part
                ]
                choices.append(at[: 1 if who == "D" else 3 ** len(at[0])] if few else at)
        first = _of_first(where)
        for name, domain in letters_of(self.setting, where).items():
            if naming.read(name).database is None:
                least = domain.least or Fraction(0)
                some = dict.fromkeys((0, 1, 2, *self._radii(where, there)))
                numbers: list[Point] = [{name: least + n} for n in some if domain.contains(least + n)]
                choices.append(numbers[: 1 if name in first else 2] if few else numbers)
        if math.prod(map(len, choices)) <= most:
            for chosen in product(*choices):
                yield {**there, **dict(ChainMap(*map(dict, chosen)))}
            return
        mixed = random.Random(1)
        for _ in range(most):
            yield {**there, **dict(ChainMap(*(dict(mixed.choice(choice)) for choice in choices)))}


def in_two(points: Looks) -> tuple[Looks, Looks]:
    """Points that are looked at before a proof is tried, and those where none was found: what holds would be
    looked at in vain."""
    return (lambda type: islice(points(type), AT_ONCE)), lambda type: islice(points(type), AT_ONCE, None)


def _filled(term: Term, point: Point) -> dict[str, Fraction]:
    """A point with 0 for letters that it does not give."""
    return {name: point.get(name, Fraction(0)) for name in term.letters}


def letters_of(setting: Setting, where: Where) -> dict[str, Domain]:
    """The letters of two databases in a case, with their values."""
    points = [part for name, part in setting.databases.parts if isinstance(part, Points)]
    found = {name: letter.of[1] for part in points for name, letter in part.letters().items()}
    same = [part for name, part in setting.databases.parts if isinstance(part, Points) and name in where.same]
    gone = {naming.at(x, "E") for part in same for x in part.coordinates}
    counts = (term for _, some in where.counts for both in some for term in both)
    found |= {name: domain for count in counts for name, domain in count.letters.items()}
    return {name: domain for name, domain in found.items() if name not in gone}


def _frozen(point: Point) -> tuple[tuple[str, Fraction], ...]:
    return tuple(point.items())


def _of_first(where: Where) -> set[str]:
    """The letters of how many records D has more that are none of how many E has."""
    counts = [both for _, some in where.counts for both in some if both[0] != both[1]]
    D, E = ({name for both in counts for name in both[n].letters} for n in (0, 1))
    return D - E


def _is_above(point: Point, large: Iterable[str]) -> bool:
    """Whether some parameters, of families all members, are larger than all others at a point."""
    first = {naming.read(name).base for name in large}
    above = [value for name, value in point.items() if naming.read(name).base in first]
    others = [value for name, value in point.items() if naming.read(name).base not in first]
    return bool(above) and min(above) > max(others, default=Fraction(0))


def _places(part: Points, there: Point) -> Iterator[list[dict[str, Fraction]]]:
    """A few values of each coordinate, or of both coordinates of a disc.  Raises FormulaError."""
    if part.disc is not None:
        r = (formulas.evaluate(part.disc, there) or Fraction(0)) / 2
        yield [dict(zip(part.coordinates, (r * x, r * y), strict=True)) for x, y in IN_A_DISC]
        return
    for name, ends in zip(part.coordinates, part.box, strict=True):
        yield [{name: x} for x in _few(ends, there)]


def _few(ends: Ends, there: Point) -> list[Fraction]:
    """A few values in an interval, simple ones first: its ends, or its middle."""
    low, high = (None if x is None else formulas.evaluate(x, there) for x in ends)
    if low is not None and high is not None:
        return [low, high, (low + high) / 2, low + (high - low) / 4, low + (high - low) / 1000]
    if low is not None:
        return [low + value for value in SIZES]
    if high is not None:
        return [high - value for value in SIZES]
    return [*SIZES, Fraction(-2)]


def _turned(x: str, y: str) -> list[tuple[Fraction, Fraction]]:
    """A vector, turned by right angles."""
    a, b = Fraction(x), Fraction(y)
    return [(a, b), (-a, -b), (-b, a), (b, -a)]


IN_A_DISC = (
    (Fraction(0), Fraction(0)),
    *_turned("1", "0"),
    *_turned("20/29", "21/29"),
    *_turned("3/5", "4/5"),
    *_turned("1/1000", "0"),
)
"""Points of the disc of radius 1: its middle, and points of its rim and near the middle."""
SIZES = (Fraction(0), Fraction(1), Fraction(3), Fraction(1000), Fraction(10**9), Fraction(1, 1000))
"""How far into an interval without an end simple points lie."""
