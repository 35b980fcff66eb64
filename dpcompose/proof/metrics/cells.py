"""Pairs of databases of records in letters: how many records of each kind differ.

Records that no metric tells apart are a kind, and so are positions of tuples.  Where databases of different
sizes are infinitely far apart, both cases are looked at: with equal sizes each record that goes is one that
comes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import sympy

from dpcompose.language import formulas
from dpcompose.language.symbols import NONNEGATIVE, Domain, symbol
from dpcompose.language.writing import absolute
from dpcompose.proof.hypotheses.input_metrics import InputMetric
from dpcompose.proof.hypotheses.inputs import NotDecidable
from dpcompose.proof.metrics.enumerated import canonical
from dpcompose.proof.registry import Theory
from dpcompose.spaces.metrics import ClosedForm, Discrete
from dpcompose.spaces.multisets import Multisets
from dpcompose.spaces.points import Counted, NamedMetric, Steps
from dpcompose.spaces.restrictions import Positions, Restriction
from dpcompose.spaces.tuples import Tuples

COUNT = Domain.read("integer >= 0")


class NoForm(ValueError):
    """A metric has no formula in letters here; the message says which and what would do."""


@dataclass(frozen=True)
class Cell:
    """Records, or positions, that the metrics on a part do not tell apart, and how many of them differ.

    counts -- letters: how many records D has more, and E; or how many positions differ;
    holds -- the records or positions, as far as they are named.
    """

    counts: tuple[sympy.Symbol, ...]
    holds: tuple[Any, ...]
    domain: Domain


class Split(Enum):
    """How a metric falls into cases: not; ∞ between different inputs, or sizes; or 1 if they differ."""

    NONE = "none"
    NEVER = "never finite"
    SIZES = "sizes"
    WHETHER = "whether"


@dataclass(frozen=True)
class Alternative:
    """One of the cases that two databases fall into.

    values -- what letters are in it; infinite -- those that are ∞.
    """

    values: Mapping[sympy.Symbol, sympy.Expr] = field(default_factory=dict)
    infinite: frozenset[sympy.Symbol] = frozenset()

    def and_(self, other: Alternative) -> Alternative:
        """Both at once."""
        return Alternative({**self.values, **other.values}, self.infinite | other.infinite)


@dataclass(frozen=True, eq=False)
class Cells:
    """The kinds of records of a part, and the metrics on it in their counts.

    name -- the part's; metrics -- those on it that count steps, or records, by their names.
    """

    name: str
    part: Multisets | Tuples
    metrics: Mapping[str, NamedMetric]
    theory: Theory

    # kinds of records

    @cached_property
    def universe(self) -> Multisets:
        """The class of multisets, with all records that metrics name."""
        part = self.part
        assert isinstance(part, Multisets)
        named = {record for f in self._reads for record in (f.records if isinstance(f, Restriction) else ())}
        return replace(part, records=tuple(sorted({*part.records, *named}))) if part.arbitrary else part

    @cached_property
    def _reads(self) -> list[Any]:
        return [
            one.distance.reads for one in self.metrics.values() if isinstance(one.distance, Steps | Counted)
        ]

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The kinds of records, or positions."""
        return tuple(self._cells())

    def _cells(self) -> Iterator[Cell]:
        part = self.part
        if isinstance(part, Tuples):
            if not part.sizes.exactly:
                raise NoForm(f'{part} of different lengths are infinitely far apart; size = "= n" would do')
            every: list[Any] = list(range(1, (part.sizes.n or 0) + 1))
        else:
            every = list(self.universe.records)
            if part.arbitrary:
                every.append(None)
        groups: dict[tuple[bool, ...], list[Any]] = {}
        for one in every:
            groups.setdefault(tuple(_inside(f, one) for f in self._reads), []).append(one)
        for n, some in enumerate(groups.values(), start=1):
            named = tuple(one for one in some if one is not None)
            if isinstance(part, Tuples):
                domain = replace(COUNT, greatest=Fraction(len(named)))
                yield Cell((symbol(f"{self.name}__changed_{n}", domain),), named, domain)
            else:
                letters = tuple(symbol(f"{self.name}__{way}_{n}", COUNT) for way in ("removed", "added"))
                yield Cell(letters, () if None in some else named, COUNT)

    @cached_property
    def domains(self) -> dict[str, Domain]:
        """The values of the counts, and of how many records of one kind become ones of another."""
        found = {str(one): cell.domain for cell in self.cells for one in cell.counts}
        if isinstance(self.part, Multisets):
            found |= dict.fromkeys((str(one) for row in self._moved for one in row), COUNT)
        return found

    @cached_property
    def _moved(self) -> list[list[sympy.Symbol]]:
        """How many records of a kind become ones of another kind, in letters."""
        several = range(1, len(self.cells) + 1)
        return [[symbol(f"{self.name}__moved_{i}_{j}", COUNT) for j in several] for i in several]

    def moved_by(self, one: sympy.Symbol) -> list[sympy.Symbol]:
        """In letters, the records among those that a count counts of which others take the place."""
        if not isinstance(self.part, Multisets):
            return []
        for n, cell in enumerate(self.cells):
            if one in cell.counts:
                row, column = self._moved[n], [other[n] for other in self._moved]
                return row if one == cell.counts[0] else column
        return []

    def _counted(self, f: Any) -> list[int]:
        """Which kinds a map reads."""
        return [n for n, cell in enumerate(self.cells) if _inside(f, cell.holds[0] if cell.holds else None)]

    # metrics

    def letter(self, name: str) -> sympy.Symbol:
        """What stands for a metric that is ∞ in some cases."""
        return symbol(f"steps__{name}", NONNEGATIVE)

    def of(self, name: str) -> sympy.Expr:
        """A metric as a formula in the counts, or the letter that stands for it."""
        distance = self.metrics[name].distance
        if isinstance(distance, Counted):
            some = [self.cells[n].counts for n in self._counted(distance.reads)]
            return absolute(sympy.Add(*(one[0] - one[1] for one in some if len(one) > 1)))
        assert isinstance(distance, Steps)
        if self._is_one(distance):
            return sympy.Integer(0)
        return self.letter(name) if self.is_split(name) else self._value(name)

    def _is_one(self, distance: Steps) -> bool:
        """Whether there is one possible input only."""
        image = distance.reads.image(self.part)
        return image.count() == 1 or (isinstance(image, Tuples) and image.sizes.n == 0)

    def _form(self, name: str) -> ClosedForm | Discrete:
        distance = self.metrics[name].distance
        assert isinstance(distance, Steps)
        found = self._stated(distance)
        metric = None if found is None else found.metric
        if not isinstance(metric, ClosedForm | Discrete) or (
            isinstance(metric, ClosedForm) and metric.at_once > 1
        ):
            image = distance.reads.image(self.part)
            raise NoForm(
                f"the {distance.granularity} distance on {image}, which {name} is, is no formula in how many "
                "records differ; unbounded or bounded neighbours would do, or a class of few databases"
            )
        return metric

    def _stated(self, distance: Steps) -> InputMetric | None:
        try:
            return canonical(self.part, distance.granularity, distance.reads, distance.domain, self.theory)
        except (NotDecidable, ValueError):
            return None

    def is_split(self, name: str) -> bool:
        """Whether a metric is no one formula: ∞ between some databases that differ, or 1 between all."""
        distance = self.metrics[name].distance
        if not isinstance(distance, Steps) or self._is_one(distance):
            return False
        return self._split(name) is not Split.NONE

    def _split(self, name: str) -> Split:
        form = self._form(name)
        if isinstance(form, Discrete):
            return Split.WHETHER
        return Split.NEVER if form.formula == "oo" else Split.SIZES if form.same_size else Split.NONE

    def _value(self, name: str) -> sympy.Expr:
        distance, form = self.metrics[name].distance, self._form(name)
        assert isinstance(distance, Steps) and isinstance(form, ClosedForm)
        inside = [self.cells[n].counts for n in self._counted(distance.reads)]
        names = ("changed",) if form.ordered else ("removed", "added")
        totals = {one: sympy.Add(*(counts[n] for counts in inside)) for n, one in enumerate(names)}
        return formulas.parse(form.formula, totals)

    @cached_property
    def pages(self) -> frozenset[str]:
        """The pages that state the metrics."""
        steps = [one.distance for one in self.metrics.values() if isinstance(one.distance, Steps)]
        found = [self._stated(one) for one in steps if not self._is_one(one)]
        return frozenset(page for one in found if one is not None for page in one.pages)

    # cases

    def alternatives(self, used: Sequence[str]) -> list[Alternative]:
        """The cases in which the metrics of these names are formulas, or ∞."""
        split: dict[tuple[Split, tuple[int, ...]], list[str]] = {}
        for name in used:
            if name in self.metrics and self.is_split(name):
                distance = self.metrics[name].distance
                assert isinstance(distance, Steps)
                key = (self._split(name), tuple(self._counted(distance.reads)))
                split.setdefault(key, []).append(name)
        sizes = [inside for how, inside in split if how is Split.SIZES]
        if len(sizes) > 1:
            raise NoForm(
                "metrics that are oo between different sizes are of one set of records in a comparison, not "
                f"of {len(sizes)}; a class of few databases would do"
            )
        every = [self._of_group(how, inside, names) for (how, inside), names in split.items()]
        return [_all(some) for some in product(*every)]

    def _of_group(self, how: Split, inside: Sequence[int], names: Sequence[str]) -> list[Alternative]:
        """Equal inputs, or sizes, and different ones."""
        letters = list(map(self.letter, names))
        infinite = Alternative({}, frozenset(letters))
        if how is not Split.SIZES:
            counts = [one for n in inside for one in self.cells[n].counts]
            zero = sympy.Integer(0)
            equal = Alternative(dict.fromkeys(counts, zero) | dict.fromkeys(letters, zero))
            if how is Split.NEVER:
                return [equal, infinite]
            one = dict.fromkeys(letters, sympy.Integer(1))
            return [equal, *(Alternative(one | {count: 1 + count}) for count in counts)]
        put: dict[sympy.Symbol, sympy.Expr] = {}
        for i in inside:
            removed, added = self.cells[i].counts
            put[removed] = sympy.Add(*(self._moved[i][j] for j in inside))
            put[added] = sympy.Add(*(self._moved[j][i] for j in inside))
        values = {self.letter(name): self._value(name).xreplace(put) for name in names}
        equal = Alternative(put | values)
        always = self.part.sizes.exactly and len(inside) == len(self.cells)
        return [equal] if always else [equal, infinite]

    def at(self, names: Sequence[str], point: Mapping[str, Fraction]) -> dict[str, Fraction | None]:
        """The values of the letters of metrics where the counts have these; None: ∞."""
        found: dict[str, Fraction | None] = {}
        for name in names:
            distance = self.metrics[name].distance
            assert isinstance(distance, Steps)
            inside = [self.cells[n].counts for n in self._counted(distance.reads)]
            totals = [sum((point[str(counts[n])] for counts in inside), Fraction(0)) for n in (0, -1)]
            form = self._form(name)
            far = int(any(totals)) if isinstance(form, Discrete) else form.of(*(int(one) for one in totals))
            assert isinstance(far, int)
            found[str(self.letter(name))] = None if far < 0 else Fraction(far)
        return found


def _all(some: Sequence[Alternative]) -> Alternative:
    found = Alternative()
    for one in some:
        found = found.and_(one)
    return found


def _inside(reads: Any, one: Any) -> bool:
    """Whether a map reads a record (None: one that is not named), or a position."""
    if isinstance(reads, Restriction):
        return one in reads.records
    return one in reads.positions if isinstance(reads, Positions) else True
