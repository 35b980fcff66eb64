"""How two databases of records, or of cells, may differ, in letters, and how far apart they are then.

Records that no distance tells apart are a class, and so are cells.  Where databases of other sizes are
infinitely far apart, both cases are looked at: that sizes are equal, and that one is larger.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import product

from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.core.settings import ANY_TWO, Mechanism, Relation, Setting
from dpcompose.kernel.covers.blocks import fewest_blocks
from dpcompose.kernel.covers.cells import Cells
from dpcompose.kernel.covers.cones import Vector, generators
from dpcompose.kernel.covers.covering import Metric
from dpcompose.kernel.covers.queries import query_in_rows, query_metric
from dpcompose.kernel.covers.records import Records
from dpcompose.kernel.covers.types import NoCover, Pair, smallest_pair
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.substitution import changed, seen_largest, substituted
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term, add, letter, number
from dpcompose.kernel.library.theory import Theory

COUNT = Domain.read("integer >= 0")
MOST_RECORDS = 1_000
"""The most records in which two databases differ that are written down, and the most cells."""
MOST_SETS = 4
"""The most sets of records of which D may have as many as E, more, or fewer: in 3^4 ways."""
MOST_CASES = 250
"""The most cases that two databases of records fall into by this."""

Case = tuple[tuple[Term, Term], ...]
"""For each class of records how many D has more, and E; of cells how many differ, twice."""
Change = tuple[Vector, Vector]
"""Of how many records of each class D has more, and E."""


@frozen
class Form:
    """How far apart what is read is: a formula in how many records only D has, and only E, where it differs.

    inside -- the classes that are read; whether -- the distance is the same for all that differ;
    same_size -- it is ∞ where D and E have not as many of these records.
    """

    pages: tuple[str, ...]
    inside: frozenset[int]
    at: Callable[[Term, Term], Term]
    whether: bool = False
    same_size: bool = False

    def of(self, case: Case) -> Term:
        """The distance in a case.  Raises NoCover where it is not one formula there."""
        removed, added = (add(case[n][side] for n in self.inside) for side in (0, 1))
        if removed == added == ZERO:
            return ZERO
        if self.whether and not is_counted(removed + added):
            raise NoCover("it is not seen whether what is read differs")
        if not self.same_size or removed == added:
            return self.at(removed, added)
        if not (is_counted(removed - added) or is_counted(added - removed)):
            raise NoCover("it is not seen whether as many records are read of both databases")
        return INFINITY


def is_counted(total: Term) -> bool:
    """Whether a number is seen to be at least 1."""
    return (total - ONE).nonnegative


def substituted_in(case: Case, values: Mapping[str, Term]) -> Case:
    """A case with other terms for some letters."""
    return tuple((substituted(term, values), substituted(other, values)) for term, other in case)


def with_one_more(case: Case, name: str) -> Case:
    """A case where a letter is at least 1: it then stands for what there is besides one."""
    domain = next(term.letters[name] for both in case for term in both if name in term.letters)
    rest = None if domain.greatest is None else domain.greatest - 1
    more = ONE if rest == 0 else ONE + letter(name, replace(domain, greatest=rest))
    return substituted_in(case, {name: more})


class Kind(ABC):
    """What is told apart of the databases of a kind."""

    def __init__(self, name: str, part: Databases, inputs: Mapping[str, Mechanism], theory: Theory) -> None:
        self.name, self.part, self.inputs, self.theory = name, part, inputs, theory
        for called, mechanism in inputs.items():
            in_steps = mechanism.stated is not None and mechanism.stated.times is None
            if (
                len(mechanism.reads) != 1
                or mechanism.metric is not None
                or not (in_steps or mechanism.noise is not None)
            ):
                raise NoCover(f"{called} is no number of steps, or of records, in what one map reads")

    @property
    @abstractmethod
    def every(self) -> range:
        """All atoms, or cells, by their numbers."""

    @abstractmethod
    def form(self, mechanism: Mechanism) -> Form:
        """How far what a mechanism reads is apart.  Raises NoPage."""

    @abstractmethod
    def cases(self, same_size: Collection[frozenset[int]]) -> list[Case]:
        """All pairs; for sets of classes told apart by whether D and E have as many of these."""

    @abstractmethod
    def databases(self, counts: Sequence[tuple[int, int]]) -> Pair:
        """Two databases that differ so.  Raises NoCover."""

    @cached_property
    def classes(self) -> tuple[tuple[int, ...], ...]:
        """The atoms, or cells, that no distance tells apart."""
        read = {mechanism.reads[0] for mechanism in self.inputs.values()}
        sets = [frozenset(numbers) for numbers in read if numbers is not None]
        found: dict[tuple[bool, ...], list[int]] = {}
        for one in self.every:
            found.setdefault(tuple(one in numbers for numbers in sets), []).append(one)
        return tuple(map(tuple, found.values()))

    def inside(self, mechanism: Mechanism) -> frozenset[int]:
        """The classes that a mechanism reads."""
        reads = mechanism.reads[0]
        return frozenset(n for n, numbers in enumerate(self.classes) if reads is None or numbers[0] in reads)

    def setting(self, mechanism: Mechanism) -> Setting:
        """Any two databases of the class, and one mechanism."""
        return Setting((), self.part, Relation(ANY_TWO), (mechanism,))

    def counting(self, mechanism: Mechanism, metric: Metric) -> Form:
        """How far a query's value moves, which is a number of records: one for another does not move it."""
        if metric.discrete or metric.at(1, 1) != ZERO:
            raise NoCover(f"{mechanism.name} asks for more than how many records there are")
        pages, at = query_in_rows(mechanism, self.theory)
        return Form(pages, self.inside(mechanism), at)


@frozen
class _Formula(Metric):
    """A metric with the formula that states it, and whether it is ∞ between different sizes."""

    formula: Term = ZERO
    same_size: bool = False


class _Formulas(Records):
    """What is read of records, with the formulas of closed forms."""

    def closed_form(self, relation: Relation, size: str) -> Metric:
        metric = super().closed_form(relation, size)
        if metric.discrete:
            return metric
        if relation.steps > 1:
            raise NoCover(
                f"groups of {relation.steps} steps are no formula in how many records differ; single steps "
                "of unbounded or bounded neighbours would do, or a class of few databases"
            )
        page, formula = self.form(relation, size)
        return _Formula(metric.pages, metric.at, formula=formula, same_size=page.head.same_size)


class OfRecords(Kind):
    """Multisets: how many records of each class come, go, or become others."""

    @property
    def every(self) -> range:
        return range(len(self.part.atoms))

    def form(self, mechanism: Mechanism) -> Form:
        metric = _Formulas(self.setting(mechanism), self.theory).metric(mechanism, mechanism.reads[0])
        if mechanism.noise is not None:
            return self.counting(mechanism, metric)
        inside = self.inside(mechanism)
        if not isinstance(metric, _Formula):
            far = metric.at(1, 0)
            return Form(metric.pages, inside, lambda removed, added: far, whether=True)
        formula = metric.formula

        def at(removed: Term, added: Term) -> Term:
            return changed(substituted(formula, {"removed": removed, "added": added}), seen_largest)

        return Form(metric.pages, inside, at, same_size=metric.same_size)

    def cases(self, same_size: Collection[frozenset[int]]) -> list[Case]:
        if self.part.size[1] == 0:
            return [((ZERO, ZERO),) * len(self.classes)]
        sets = self.distinct(same_size)
        if len(sets) > MOST_SETS:
            raise NoCover(
                "distances that are oo between different sizes are of at most "
                f"{MOST_SETS} sets of records in a comparison, not of {len(sets)}; a class of few databases "
                "would do"
            )
        cases: list[Case] = []
        for signs in product((0, 1, -1), repeat=len(sets)):
            cases += self.with_signs(sets, signs)
            if len(cases) > MOST_CASES:
                raise NoCover(
                    f"two databases fall into more than {MOST_CASES:,} cases by whether they have as many "
                    "records, where distances are oo between different sizes; fewer such distances would do, "
                    "or a class of few databases"
                )
        return cases

    @property
    def is_fixed(self) -> bool:
        """Whether all databases have the same size."""
        return self.part.size[0] == "exactly"

    def distinct(self, sets: Iterable[frozenset[int]]) -> list[frozenset[int]]:
        """Sets of which D may have more records than E, or fewer; of those that say the same, the first."""
        every = frozenset(range(len(self.classes)))
        kept: list[frozenset[int]] = []
        for numbers in sorted(sets, key=sorted):
            # of databases of one size as many records go as come, in all: so a set says what all others do
            other = every - numbers if self.is_fixed else numbers
            if numbers and other and numbers not in kept and other not in kept:
                kept.append(numbers)
        return kept

    def with_signs(self, sets: Sequence[frozenset[int]], signs: Sequence[int]) -> list[Case]:
        """The pairs where D has as many records of each set as E, or more, or fewer: signs 0, 1 and -1."""
        every = range(len(self.classes))
        if self.is_fixed:
            sets, signs = [*sets, frozenset(every)], [*signs, 0]
        columns = [tuple(side * (n in numbers) for numbers in sets) for side in (1, -1) for n in every]
        least, others = (self.changes(vectors) for vectors in generators(columns, signs))
        letters = [(change, letter(self.letter(change), COUNT)) for change in others]

        def total(first: Change, side: int, n: int) -> Term:
            each = (times * change[side][n] for change, times in letters if change[side][n])
            return add([number(first[side][n]), *each])

        return [tuple((total(first, 0, n), total(first, 1, n)) for n in every) for first in least]

    def changes(self, vectors: Iterable[Vector]) -> list[Change]:
        """Vectors as how many records of each class D has more, and E, where no record becomes itself."""
        c = len(self.classes)
        alone = [n for n in range(c) if len(self.records(n)) == 1]
        return [
            (vector[:c], vector[c:])
            for vector in vectors
            if not any(vector[n] and vector[c + n] for n in alone)
        ]

    def letter(self, change: Change) -> str:
        """The name of the letter for how often records change so: the classes of those that go, and come."""
        removed, added = ([str(n) for n, m in enumerate(side, start=1) for _ in range(m)] for side in change)
        if len(removed) == len(added) == 1:
            return f"{self.name}__moved_{removed[0]}_{added[0]}"
        words = (["removed", *removed], ["added", *added])
        return "__".join([self.name, *("_".join(word) for word in words if len(word) > 1)])

    def records(self, n: int) -> list[tuple[int, str]]:
        """The records of a class with their atoms, as far as they are named."""
        return [(atom, record) for atom in self.classes[n] for record in self.part.atoms[atom].records]

    def databases(self, counts: Sequence[tuple[int, int]]) -> Pair:
        left: list[int] = []
        right: list[int] = []
        for n, (removed, added) in enumerate(counts):
            (first, name), *others = self.records(n)
            if removed and added and not others:
                raise NoCover(f"there is one record {name} only, which no other one replaces")
            left += [first] * removed
            right += [others[0][0] if others else first] * added
        if not self.part.differ(len(left), len(right)):
            raise NoCover("there are no two databases that differ so, of the sizes that they have")
        if left or right:
            return smallest_pair(self.part, tuple(left), tuple(right))
        D, _ = smallest_pair(self.part, (0,) * min(1, self.part.shared(0, 0)), ())
        return D, D


class OfCells(Kind):
    """Databases of cells: how many of each class differ."""

    @property
    def every(self) -> range:
        return range(self.part.count)

    def form(self, mechanism: Mechanism) -> Form:
        inside = self.inside(mechanism)
        if mechanism.noise is not None:
            return self.counting(mechanism, query_metric(mechanism, self.theory))
        cells, stated = Cells(self.setting(mechanism), self.theory), mechanism.stated
        assert stated is not None
        pages, kept = cells.metric(mechanism).pages, cells.kept[1, 0]
        if stated.any_two or not kept:
            return Form(pages, inside, lambda changed, _: ONE, whether=True)
        blocks = cells.inside[1, 0]
        if not blocks:
            return Form(pages, inside, lambda changed, _: INFINITY, whether=True)
        if stated.steps == 1 and len(blocks) == len(kept) and all(len(block) == 1 for block in blocks):
            return Form(pages, inside, lambda changed, _: changed)
        most = fewest_blocks(cells.holding[1, 0], kept)
        if most is not None and most <= stated.steps:
            return Form(pages, inside, lambda changed, _: ONE, whether=True)
        raise NoCover(
            "steps of several cells, and groups of steps, are no formula in how many cells differ; single "
            "steps of one cell would do, or a class of few databases"
        )

    def cases(self, same_size: Collection[frozenset[int]]) -> list[Case]:
        each = (replace(COUNT, greatest=Fraction(len(numbers))) for numbers in self.classes)
        letters = [letter(f"{self.name}__changed_{n}", domain) for n, domain in enumerate(each, start=1)]
        return [tuple((term, term) for term in letters)]

    def databases(self, counts: Sequence[tuple[int, int]]) -> Pair:
        if self.part.count > MOST_RECORDS:
            raise NoCover(f"the databases would have more than {MOST_RECORDS:,} cells")
        differing: set[int] = set()
        for numbers, (here, there) in zip(self.classes, counts, strict=True):
            if here != there or here > len(numbers):
                raise NoCover(f"as many cells of a class differ in D as in E, here at most {len(numbers)}")
            differing |= {*numbers[:here]}
        return ("a",) * self.part.count, tuple("b" if n in differing else "a" for n in self.every)
