"""Two databases of a class from values of their letters, and formulas at them as exact constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy

from dpcompose.kernel import assumptions
from dpcompose.kernel.certificates import BadCertificate
from dpcompose.language import formulas
from dpcompose.language.meaning import sign
from dpcompose.language.symbols import symbol
from dpcompose.privacy.metrics.setting import MetricSetting
from dpcompose.proof.metrics.cells import Cells, NoForm
from dpcompose.proof.metrics.enumerated import exact
from dpcompose.proof.metrics.infinity import at_infinity
from dpcompose.proof.metrics.letters import Letters, numbered
from dpcompose.spaces.databases import Database
from dpcompose.spaces.points import Enumerated, Points, Values, letter
from dpcompose.spaces.tuples import Tuples

MOST_RECORDS = 1_000
"""The most records of a kind in which two databases of a counterexample differ."""
At = Mapping[str, Fraction | sympy.Expr | None]
"""Values of all letters, of distances also as expressions in the parameters; None: ∞."""


class ShowsNothing(BadCertificate):
    """A point that is none of the class, or at which a comparison holds: others may do."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of databases of a setting, as values of letters."""

    setting: MetricSetting
    letters: Letters

    def value(self, expression: sympy.Expr, point: At) -> sympy.Expr:
        """A formula at a point, which gives all letters and parameters: a real constant, or ∞."""
        there = [one for one in expression.free_symbols if one.name in point]
        infinite = frozenset(one for one in there if point[one.name] is None)
        try:
            found = at_infinity(expression, infinite, self.setting.domains, self.setting.assume)
        except NoForm as error:
            raise BadCertificate(str(error)) from None
        numbers = {one: exact(at) for one in there if (at := point[one.name]) is not None}
        value = found.xreplace(numbers)
        if value.free_symbols and any(not one.is_Rational for one in numbers.values()):
            value = value.xreplace(self._parameters(point))
        if value.has(sympy.I, sympy.zoo, sympy.nan):
            raise ShowsNothing(f"{formulas.to_text(expression)} has no real value there")
        if value.free_symbols:
            raise BadCertificate(f"{min(map(str, value.free_symbols))} has no value there")
        return value

    def _parameters(self, point: At) -> dict[sympy.Expr, sympy.Expr]:
        domains = self.setting.domains
        return {
            symbol(name, domain): exact(at) for name, domain in domains.items() if (at := point.get(name))
        }

    def values(self, metrics: Sequence[sympy.Expr], point: Mapping[str, Fraction]) -> list[sympy.Expr]:
        """The values of metrics at databases D, E of the class.  Raises BadCertificate for others."""
        full = self.complete(point)
        for who in "DE":
            self.shown(full, who)
        return [self.value(self.letters.of(one), full) for one in metrics]

    def complete(self, point: Mapping[str, Fraction]) -> dict[str, Fraction | sympy.Expr | None]:
        """The point with the letters that say which values differ, and how far databases are apart that are
        gone through, once it is one of the class.

        Raises BadCertificate where it is none: a coordinate outside, or counts that no records have.
        """
        setting, domains = self.setting, self.letters.domains
        for name, value in point.items():
            known = name in setting.domains or name in self._of_databases
            if not known or not domains[name].contains(value):
                raise BadCertificate(f"{name} = {value} is not allowed")
        given = {**self._of_databases, **point}
        for name in setting.databases.intervals:  # of a third database nothing may be said
            given[letter(name, "F").name] = point.get(letter(name, "F").name, given[letter(name, "D").name])
        if missing := sorted(set(setting.domains) - set(given)):
            raise BadCertificate(f"there is no value for {missing[0]}")
        try:
            assumptions.check_at(setting.assume, {name: given[name] for name in setting.domains})
        except assumptions.NotAssumed as error:
            raise ShowsNothing(str(error)) from None
        self._check_inside(given)
        full: dict[str, Fraction | sympy.Expr | None] = dict(given)
        for one, values in self.letters.differing.items():
            full[str(one)] = Fraction(int(self._differ(values, given)))
        for cells in self.letters.cells.values():
            full |= cells.at([name for name in cells.metrics if cells.is_split(name)], given)
        for part, listing in self.letters.listings.items():
            i, j = self._numbers(part, listing.part, given)
            full |= {str(self.letters.listed(name)): far(i, j) for name, far in listing.distances.items()}
        return full

    def elements(self, point: At) -> tuple[Database, Database]:
        """The two databases that are meant of a class that is gone through."""
        (listing,) = self.letters.listings.values()
        finite = {name: x for name, x in point.items() if isinstance(x, Fraction)}
        i, j = self._numbers("", listing.part, finite)
        return listing.part.elements[i], listing.part.elements[j]

    def _numbers(self, part: str, of: Enumerated, point: Mapping[str, Fraction]) -> tuple[int, int]:
        """Which two databases of a part that is gone through are meant."""
        i, j = (int(point[name]) for name in numbered(part))
        if max(i, j) >= len(of.elements):
            raise BadCertificate(
                f"there are {len(of.elements)} databases, and none has the number {max(i, j)}"
            )
        return i, j

    @cached_property
    def _of_databases(self) -> dict[str, Fraction]:
        """The letters of three databases, and 0 for what a point does not say."""
        coordinates = [str(letter(name, who)) for name in self.setting.databases.intervals for who in "DEF"]
        kinds = [cell for cells in self.letters.cells.values() for cell in cells.cells]
        counts = [str(one) for cell in kinds for one in cell.counts]
        listed = [name for part in self.letters.listings for name in numbered(part)]
        return dict.fromkeys([*coordinates, *counts, *listed], Fraction(0))

    @cached_property
    def _inside(self) -> list[sympy.Expr]:
        """What is ≥ 0 where the points belong to the class."""
        inside: list[sympy.Expr] = []
        for _, part in self.setting.databases.points:
            for who in "DEF":
                at = [letter(name, who) for name in part.coordinates]
                if part.disc is not None:
                    inside.append(part.disc**2 - 4 * sympy.Add(*(x**2 for x in at)))
                for x, interval in zip(at, part.box, strict=True):
                    inside += [] if interval.least is None else [x - interval.least]
                    inside += [] if interval.greatest is None else [interval.greatest - x]
        return inside

    def _check_inside(self, point: Mapping[str, Fraction]) -> None:
        for one in self._inside:
            value = self.value(one, point)
            if not (value.is_Rational and value >= 0) and sign(value) != 1:
                raise ShowsNothing("a point is not seen to be one of the class")

    def _differ(self, values: Values, point: Mapping[str, Fraction]) -> bool:
        """Whether D and E differ in these values, for sure."""
        if not values.parts:
            moved = zip(values.of("D"), values.of("E"), strict=True)
            changes = [self.value(x - y, point) for x, y in moved]
            if any(one != 0 and sign(one) is None for one in changes):
                raise BadCertificate(f"it is not known whether {values.name} differs there")
            return any(one != 0 for one in changes)
        return any(self._part_differs(name, point) for name in values.parts)

    def _part_differs(self, name: str, point: Mapping[str, Fraction]) -> bool:
        part = self.setting.databases[name]
        if isinstance(part, Points):
            return any(point[str(letter(x, "D"))] != point[str(letter(x, "E"))] for x in part.coordinates)
        if isinstance(part, Enumerated):
            i, j = self._numbers(name, part, point)
            return i != j
        return any(point[str(one)] for cell in self.letters.cells[name].cells for one in cell.counts)

    def shown(self, point: At, who: str) -> dict[str, Any]:
        """The database D or E of a point, by its parts: coordinates, records, or as its class shows it.

        Raises BadCertificate where no two databases of the class have these counts.
        """
        found: dict[str, Any] = {}
        finite = {name: value for name, value in point.items() if value is not None}
        for name, part in self.setting.databases.parts:
            if isinstance(part, Points):
                found |= {x: str(finite[str(letter(x, who))]) for x in part.coordinates}
            elif isinstance(part, Enumerated):
                number = self._numbers(name, part, finite)[who == "E"]
                shown = part.of.show(part.elements[number])
                found[name or ("records" if isinstance(shown, list) else "database")] = shown
            else:
                databases = of_records(self.letters.cells[name], finite)
                found[name or "records"] = list(databases[who == "E"])
        return found


def of_records(cells: Cells, point: Mapping[str, Fraction]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Two databases that differ in so many records of each kind.  Raises BadCertificate."""
    part = cells.part
    counts = [tuple(int(point[str(one)]) for one in cell.counts) for cell in cells.cells]
    if isinstance(part, Tuples):
        a, b = (part.records * 2)[:2] if part.records and not part.arbitrary else ("a", "b")
        changed = {i for cell, (n,) in zip(cells.cells, counts, strict=True) for i in cell.holds[:n]}
        if changed and a == b:
            raise BadCertificate("there is one record only, which no other one replaces")
        whole = range(1, (part.sizes.n or 0) + 1)
        return tuple(a for _ in whole), tuple(b if i in changed else a for i in whole)
    universe = cells.universe
    D: list[str] = []
    E: list[str] = []
    for cell, (removed, added) in zip(cells.cells, counts, strict=True):
        some = (cell.holds or universe.spare)[:2]
        if removed and added and len(some) < 2:
            raise BadCertificate(f"there is one record {some[0]} only, which no other one replaces")
        if removed + added > MOST_RECORDS:
            raise BadCertificate("the databases would have too many records")
        D += [some[0]] * removed
        E += [some[-1]] * added
    same = [*D, *E, *universe.records, *universe.spare][:1] * universe.sizes.filled(len(D), len(E))
    D, E = D + same, E + same
    pair: tuple[Database, Database] = (tuple(sorted(D)), tuple(sorted(E)))
    if pair[0] not in universe or pair[1] not in universe:
        raise BadCertificate("there are no databases of that size")
    return tuple(sorted(D)), tuple(sorted(E))
