"""Metrics as formulas in the letters of two databases, and "d ≥ d′ everywhere" as comparisons of terms.

The letters are the coordinates of D and E, how many records of each kind differ, and one for every root of a
sum of squares (`norms`).  What is proved of all values of the letters holds for all databases:

* a coordinate in [l, u] is l + (u − l)·t with t in [0, 1];
* where a metric is 1 between any two different databases, both cases are looked at: equal and different;
* where it is ∞ between some databases of records, these cases are (`cells`);
* of a class that is gone through all distances that two of its databases have are looked at (`enumerated`).

Nothing is refuted by letters: see `composition`, where two databases are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product

import sympy

from dpcompose.kernel.forms import NotAForm
from dpcompose.kernel.terms import ONE, ZERO, Term
from dpcompose.language.symbols import NONNEGATIVE, REAL, UNIT_INTERVAL, Domain, symbol
from dpcompose.language.worstcase import least
from dpcompose.language.writing import as_top
from dpcompose.privacy.metrics.setting import MetricSetting
from dpcompose.proof.metrics.cells import COUNT, Alternative, Cells, NoForm
from dpcompose.proof.metrics.enumerated import Listing, exact
from dpcompose.proof.metrics.infinity import at_infinity
from dpcompose.proof.metrics.norms import IN_COORDINATES, Norms
from dpcompose.proof.registry import Theory
from dpcompose.spaces.points import (
    AnyTwo,
    Counted,
    Declared,
    Lost,
    Made,
    Points,
    Steps,
    Tabled,
    Values,
    letter,
)


@dataclass(frozen=True)
class Case:
    """One comparison of terms, which the comparison of metrics falls into.

    of -- what the coordinates are in terms of the letters of the terms; at -- the numbers of two databases of
    each part that is gone through.
    """

    greater: Term
    lesser: Term
    of: Mapping[sympy.Symbol, sympy.Expr]
    at: Mapping[str, Fraction]


@dataclass(frozen=True, eq=False)
class Letters:
    """The letters of pairs of databases of a setting, and metrics as formulas in them."""

    setting: MetricSetting
    theory: Theory
    _known: dict[tuple[sympy.Expr, str, str, bool], sympy.Expr] = field(default_factory=dict, repr=False)

    # metrics

    def of(self, metric: sympy.Expr, one: str = "D", two: str = "E", bounded: bool = False) -> sympy.Expr:
        """A formula in named metrics as one in the letters of two databases.

        bounded -- with the bounds that are declared: min(d, bound) in place of d.
        """
        asked = (metric, one, two, bounded)
        if asked not in self._known:
            named = self.setting.letters
            used = [name for name, one_of in named.items() if one_of in metric.free_symbols]
            values = {named[name]: self._named(name, one, two, bounded) for name in used}
            self._known[asked] = metric.xreplace(values)
        return self._known[asked]

    def _named(self, name: str, one: str, two: str, bounded: bool) -> sympy.Expr:
        metric = self.setting.metrics[name]
        if name in self._parts_of:
            value: sympy.Expr = self.listed(name)
        else:
            match metric.distance:
                case Made(formula):
                    value = self.of(formula, one, two, bounded)
                case Declared():
                    value = symbol(f"declared__{name}", NONNEGATIVE)
                case AnyTwo(of):
                    value = self.differ(of)
                case Steps(part=part) | Counted(part=part):
                    value = self.cells[part].of(name)
                case Tabled() | Lost():
                    raise NoForm(f"{name} is a table of a class that is not listed")
                case known:
                    value = known.between(one, two)
        if bounded and metric.at_most is not None:
            value = least(value, self.of(metric.at_most, one, two, bounded))
        return as_top(value)

    def differ(self, of: Values) -> sympy.Symbol:
        """The letter that is 1 where two databases differ in these values, else 0."""
        return symbol(f"differ__{of.name}", NONNEGATIVE)

    def listed(self, name: str) -> sympy.Symbol:
        """The letter of a metric on a class that is gone through."""
        return symbol(f"listed__{name}", NONNEGATIVE)

    @cached_property
    def differing(self) -> dict[sympy.Symbol, Values]:
        """These letters, of all metrics that are 1 between any two."""
        found = (
            metric.distance for name, metric in self.setting.metrics.items() if name not in self._parts_of
        )
        return {self.differ(one.of): one.of for one in found if isinstance(one, AnyTwo)}

    @cached_property
    def _parts_of(self) -> dict[str, str]:
        """The part that each metric is about which is on one that is gone through."""
        enumerated, found = {name for name, _ in self.setting.databases.enumerated}, {}
        for name, metric in self.setting.metrics.items():
            match metric.distance:
                case Steps(part=part) | Counted(part=part) | Tabled(part=part) | Lost(part=part) if (
                    part in enumerated
                ):
                    found[name] = part
                case AnyTwo(of) if len(of.parts) == 1 and of.parts[0] in enumerated:
                    found[name] = of.parts[0]
        return found

    @cached_property
    def listings(self) -> dict[str, Listing]:
        """The parts that are gone through, with the metrics on them."""
        metrics = self.setting.metrics
        return {
            part: Listing(
                of, {name: metrics[name] for name, it in self._parts_of.items() if it == part}, self.theory
            )
            for part, of in self.setting.databases.enumerated
        }

    @cached_property
    def cells(self) -> dict[str, Cells]:
        """The parts of records, with the metrics on them."""
        found = {}
        for part, of in self.setting.databases.records:
            some = {
                name: metric
                for name, metric in self.setting.metrics.items()
                if isinstance(metric.distance, Steps | Counted) and metric.distance.part == part
            }
            found[part] = Cells(part, of, some, self.theory)
        return found

    @property
    def pages(self) -> set[str]:
        """The pages that state the closed forms of the setting's metrics."""
        return set().union(
            *(one.pages for one in self.cells.values()), *(one.pages for one in self.listings.values())
        )

    # comparisons

    def cases(self, greater: sympy.Expr, lesser: sympy.Expr, level: int) -> Iterator[Case]:
        """Comparisons of terms that together say: greater ≥ lesser for all databases and parameters.

        level -- one of LEVELS, how much is used of norms and absolute values.
        Raises NotAForm where a formula is none of these letters.
        """
        seen = set()
        for alternative, at in self._alternatives(greater.free_symbols | lesser.free_symbols):
            of = self._coordinates(alternative.values)
            sides = [self._in(side, alternative) for side in (greater, lesser)]
            if tuple(sides) in seen or sides[0] is sympy.oo:
                continue
            seen.add(tuple(sides))
            if sides[1] is sympy.oo:
                yield Case(ZERO, ONE, {}, at)
                continue
            for ordered in self._orders(sides, of) if level == IN_COORDINATES[1] else (of,):
                norms = Norms(self.setting, self.domains, ordered, level)
                more, less = (
                    norms.term(side.xreplace(ordered), upper)
                    for side, upper in zip(sides, (False, True), strict=True)
                )
                yield Case(more, less, ordered, at)

    def _in(self, side: sympy.Expr, alternative: Alternative) -> sympy.Expr:
        """A formula in one of the cases, with the letters that are ∞."""
        put = {one: value for one, value in alternative.values.items() if one not in alternative.infinite}
        found = at_infinity(side, alternative.infinite, self.setting.domains, self.setting.assume)
        return found if found is sympy.oo else found.xreplace(put)

    def _alternatives(self, used: set[sympy.Symbol]) -> Iterator[tuple[Alternative, dict[str, Fraction]]]:
        """The cases that two databases fall into, with two databases of what is gone through."""
        asked = [one for one in self.differing if one in used]
        for differ in product((1, 0), repeat=len(asked)):
            parts = set[str]()
            first = Alternative()
            for one, value in zip(asked, differ, strict=True):
                first = first.and_(Alternative({one: sympy.Integer(value)}))
                if value == 0:
                    parts |= set(self.differing[one].parts)
                    first = first.and_(Alternative(self._equal(self.differing[one])))
            for some in product(*self._choices(used, parts)):
                found, at = first, dict[str, Fraction]()
                for alternative, there in some:
                    found, at = found.and_(alternative), {**at, **there}
                yield found, at

    def _choices(
        self, used: set[sympy.Symbol], equal: Set[str]
    ) -> Iterator[list[tuple[Alternative, dict[str, Fraction]]]]:
        """The cases of each part; equal -- those in which the databases agree."""
        for cells in self.cells.values():
            asked = [name for name in cells.metrics if cells.letter(name) in used]
            yield [(one, {}) for one in cells.alternatives(asked)]
        for part, listing in self.listings.items():
            if any(self.listed(name) in used for name in listing.metrics):
                yield list(self._of_listing(part, listing, part in equal))

    def _of_listing(
        self, part: str, listing: Listing, equal: bool
    ) -> Iterator[tuple[Alternative, dict[str, Fraction]]]:
        """All distances that two databases of a part have, and two that have them."""
        names = [self.listed(name) for name in listing.distances]
        for row, (i, j) in listing.rows.items():
            if equal and any(far != 0 for far in row):
                continue
            values = {one: exact(at) for one, at in zip(names, row, strict=True) if at is not None}
            infinite = frozenset(one for one, at in zip(names, row, strict=True) if at is None)
            numbers = zip(numbered(part), (i, j), strict=True)
            yield Alternative(values, infinite), {name: Fraction(n) for name, n in numbers}

    def groups(
        self, greater: sympy.Expr, lesser: sympy.Expr
    ) -> list[tuple[sympy.Expr, sympy.Expr, sympy.Expr]]:
        """Comparisons g ≥ l, each with a factor f ≥ 0 of parameters: greater = Σ f·g and lesser = Σ f·l.

        Together they say that greater ≥ lesser.  A single one, with the factor 1, where some factor is not
        seen to be ≥ 0.
        """
        sides: dict[sympy.Expr, list[sympy.Expr]] = {}
        for n, side in enumerate((greater, lesser)):
            for term in sympy.Add.make_args(sympy.expand_mul(side)):
                factors = [one for one in sympy.Mul.make_args(term) if not one.is_Number]
                own = [
                    one for one in factors if {str(x) for x in one.free_symbols} <= set(self.setting.domains)
                ]
                factor = sympy.Mul(*own)
                sums = sides.setdefault(factor, [sympy.Integer(0), sympy.Integer(0)])
                sums[n] += term / factor
        if not all(self.never_negative(factor) for factor in sides):
            return [(sympy.Integer(1), greater, lesser)]
        return [(factor, *sides[factor]) for factor in sorted(sides, key=sympy.default_sort_key)]

    def never_negative(self, factor: sympy.Expr) -> bool:
        """Whether a formula in the parameters is seen to be ≥ 0."""
        return self.setting.is_never_negative(factor)

    def _equal(self, values: Values) -> dict[sympy.Symbol, sympy.Expr]:
        """What the letters of E are where the parts are equal; of maps nothing follows for coordinates."""
        equal: dict[sympy.Symbol, sympy.Expr] = {}
        for name in values.parts:
            part = self.setting.databases[name]
            if isinstance(part, Points):
                equal |= {letter(one, "E"): letter(one, "D") for one in part.coordinates}
            elif name in self.cells:
                cells = self.cells[name]
                equal |= {one: sympy.Integer(0) for cell in cells.cells for one in cell.counts}
        return equal

    def _coordinates(self, equal: Mapping[sympy.Symbol, sympy.Expr]) -> dict[sympy.Symbol, sympy.Expr]:
        """Every coordinate that lies in an interval, in terms of a letter t in [0, 1] or from 0 on."""
        found = {}
        for _, part in self.setting.databases.points:
            for name, interval in zip(part.coordinates, part.box, strict=True):
                low, high = interval.least, interval.greatest
                if part.disc is not None:
                    low, high = -part.disc / 2, part.disc / 2
                for who in "DEF":
                    t = self.parameter_of(name, who)
                    if low is not None and high is not None:
                        found[letter(name, who)] = low + (high - low) * t
                    elif low is not None:
                        found[letter(name, who)] = low + t
                    elif high is not None:
                        found[letter(name, who)] = high - t
        return {one: value for one, value in found.items() if one not in equal}

    def _orders(
        self, sides: Sequence[sympy.Expr], of: Mapping[sympy.Symbol, sympy.Expr]
    ) -> Iterator[dict[sympy.Symbol, sympy.Expr]]:
        """The coordinates in all orders of D and E: the larger one is the smaller one and a letter g ≥ 0.

        Where both are l + (u − l)·t, that of the larger is t + (1 − t)·g with g in [0, 1].
        """
        used = {one for side in sides for one in side.free_symbols}
        both = [
            name
            for name in self.setting.databases.intervals
            if {letter(name, "D"), letter(name, "E")} <= used
        ]
        if len(both) > MOST_ORDERED:
            raise NotAForm(f"more than {MOST_ORDERED} coordinates are not looked at order by order")
        for larger in product("DE", repeat=len(both)):
            ordered = dict(of)
            for name, who in zip(both, larger, strict=True):
                smaller = letter(name, "E" if who == "D" else "D")
                g, t = self._gap(name), self.parameter_of(name, "E" if who == "D" else "D")
                low = of.get(smaller, smaller)
                width = sympy.diff(low, t) if low.has(t) else sympy.Integer(1)
                end = self.domains[g.name].greatest is not None
                ordered[letter(name, who)] = low + width * (1 - t) * g if end else low + g
            yield ordered

    def _gap(self, coordinate: str) -> sympy.Symbol:
        """The letter that says how much larger a coordinate is at one of D, E."""
        return symbol(f"{coordinate}__gap", NONNEGATIVE)

    def parameter_of(self, coordinate: str, who: str) -> sympy.Symbol:
        """The letter t that says where in its interval a coordinate lies."""
        return symbol(f"{coordinate}__{who}_t", NONNEGATIVE)

    @cached_property
    def domains(self) -> dict[str, Domain]:
        """The values of all letters but those of norms, and of the parameters."""
        made = dict(self.setting.domains)
        for _, part in self.setting.databases.points:
            for name, interval in zip(part.coordinates, part.box, strict=True):
                ends = [interval.least, interval.greatest] if part.disc is None else [part.disc, part.disc]
                made[self._gap(name).name] = NONNEGATIVE if None in ends else UNIT_INTERVAL
                for who in "DEF":
                    made[str(letter(name, who))] = REAL
                    made[str(self.parameter_of(name, who))] = (
                        UNIT_INTERVAL if None not in ends else NONNEGATIVE
                    )
        for cells in self.cells.values():
            made |= cells.domains
        for listed in self.listings:
            made |= dict.fromkeys(numbered(listed), COUNT)
        return made | {f"declared__{name}": NONNEGATIVE for name in self.setting.metrics}


def numbered(part: str) -> tuple[str, str]:
    """The letters of the numbers that two databases of a part that is gone through have in it.

    >>> numbered("")
    ('database__D', 'database__E')
    """
    name = part or "database"
    return f"{name}__D", f"{name}__E"


MOST_ORDERED = 3
"""The most coordinates that are looked at in all orders of D and E."""
