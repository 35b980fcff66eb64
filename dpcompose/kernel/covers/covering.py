"""Coverings: the moves of single inputs gathered into types, for whatever class has said how far they move.

A class of databases says how far each input moves at some neighbours; what is here makes types of that, and
keeps those that no other one exceeds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

from dpcompose.kernel.core.settings import Mechanism, Setting
from dpcompose.kernel.covers.types import (
    LARGEST,
    Cover,
    Moves,
    NoCover,
    Pair,
    Type,
    is_within,
    size,
    smallest_pair,
    undominated_types,
)
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY, ZERO, Term
from dpcompose.kernel.library.theory import Theory

MOST_TOLD_APART = 200
"""How many neighbours that move the inputs alike are told apart; the others stand for each other."""
TOO_MANY = None
"""What all these others are told by."""

Reader = tuple[int, int]
"""A mechanism by its number, and which of the sets that it reads is meant, from 0."""


@frozen
class Metric:
    """How far an input moves, by counts of what differs, and the pages that state it.

    at -- from how many records are removed and added; discrete -- whether it only says whether they differ;
    entries -- of the value of a query, how far each entry moves that does; convex -- whether the distance is
    seen to be convex in how many records are removed and added, 0 for none.
    """

    pages: tuple[str, ...]
    at: Callable[[int, int], Term]
    discrete: bool = False
    entries: Callable[[int, int], tuple[Term, ...]] = lambda removed, added: ()
    convex: bool = False


class Covering(ABC):
    """What the kinds of classes have in common: moves of single inputs gathered into types."""

    procedure: ClassVar[str]
    """What the page calls the lemma by which the types cover everything."""
    by_formulas: ClassVar[bool] = False
    """Whether what moves are formulas in distances, of mechanisms that are stated in these."""

    def __init__(self, setting: Setting, theory: Theory, most: int = LARGEST) -> None:
        self.setting, self.theory, self.most = setting, theory, most

    @abstractmethod
    def cover(self) -> Cover:
        """The types of the target's neighbours.  Raises NoPage where no lemma covers them."""

    @property
    def enough_steps(self) -> Term | None:
        """How many steps of the target lead as far as any number of them does; None where none do."""
        return None

    def moves_of(self, pairs: Sequence[Pair | tuple[int, ...]]) -> Moves:
        """How far two databases move the inputs that have the records of some pairs, together."""
        sides: list[tuple[Any, ...]] = [*zip(*pairs, strict=True)]
        D, E = (Counter(x for one in side for x in one) for side in sides)
        atoms = {x: n for n, atom in enumerate(self.setting.databases.atoms) for x in atom.records}
        left, right = (tuple(sorted(atoms[x] for x in some.elements())) for some in (D - E, E - D))
        return self.moves_at(left, right)

    def moves_at(self, left: tuple[int, ...], right: tuple[int, ...]) -> Moves:
        """The same by the atoms of what only one has.  Raises NoCover where that is not told."""
        raise NoCover("how far any two databases are apart is not told")

    def fact(self, fits: Callable[[Any], bool], what: str) -> str:
        """The id of the fact page that fits.  Raises NoPage: no page states `what`."""
        return str(self.theory.first("fact", fits, f"no page states {what}").id)

    def any_two(self) -> str:
        """The page on the metric where any two databases are neighbours."""
        return self.fact(lambda page: page.head.edits == "any two", "the metric of any two neighbours")

    def grouped(self, pages: Sequence[str], steps: int) -> tuple[str, ...]:
        """The pages of a metric, with that of groups of several steps."""
        if steps == 1:
            return tuple(pages)
        groups = self.fact(lambda page: page.head.groups is not None, "the metric of groups of steps")
        return (*pages, groups)

    def readers(self) -> dict[Reader, tuple[int, ...] | None]:
        """What is read, by whom."""
        return {
            (i, part): numbers
            for i, mechanism in enumerate(self.setting.mechanisms, start=1)
            for part, numbers in enumerate(mechanism.reads)
        }

    @cached_property
    def readers_of(self) -> list[list[Reader]]:
        """For each atom who reads it."""
        found: list[list[Reader]] = [[] for _ in self.setting.databases.atoms]
        for reader, numbers in self.readers().items():
            for atom in range(len(found)) if numbers is None else numbers:
                found[atom].append(reader)
        return found

    def pages_of(self, metrics: Mapping[Reader, Metric]) -> list[tuple[str, ...]]:
        """For each mechanism the pages that state its metrics."""
        found: dict[int, dict[str, None]] = {i: {} for i, _ in metrics}
        for (i, _), metric in metrics.items():
            found[i] |= dict.fromkeys(metric.pages)
        return [tuple(some) for some in found.values()]

    def type(
        self,
        moved: Iterable[tuple[Reader, Term, tuple[Term, ...]]],
        pair: Pair | tuple[int, ...],
    ) -> Type:
        """The type of two neighbours that move what is read so far, and the entries of its query's value."""
        far: dict[int, dict[int, Term]] = {}
        entries: dict[int, set[tuple[Term, ...]]] = {}
        for (i, part), r, moving in moved:
            if r != ZERO:
                far.setdefault(i, {})[part] = r
                if self.setting.mechanisms[i - 1].noise is not None:
                    entries.setdefault(i, set()).add(moving)
        alike = tuple((i, some.pop()) for i, some in sorted(entries.items()) if len(some) == 1)
        return Type(self.gathered(far), frozenset(), pair, alike)

    def growing(self, moved: Iterable[tuple[Reader, Term, bool]]) -> Type:
        """Any two databases of any size: none, and every record N times; N grows.

        moved -- how far each reader's input moves for N = 1, and whether that is all.
        """
        far: dict[int, set[Term]] = {}
        unlimited = set()
        if any(is_about_least(mechanism, self.theory) for mechanism in self.setting.mechanisms):
            raise NoCover("what is asked of a number of records that is not known has a limit: not supported")
        for (i, _), r, discrete in moved:
            if not discrete and r.kind != "oo":
                if not r.positive:
                    name = self.setting.mechanisms[i - 1].name
                    raise NoCover(f"how far what {name} asks for moves may be 0, and else has no limit")
                unlimited.add(i)
                r = INFINITY
            far.setdefault(i, set()).add(r)
        if any(len(terms) > 1 for terms in far.values()):
            raise NoCover("members of a family that move by different amounts are not supported")
        counted = {i: 1 if self.setting.mechanisms[i - 1].count is None else 0 for i in far}
        moves = tuple((i, ((counted[i], r),)) for i, (r,) in sorted(far.items()))
        databases = self.setting.databases
        every = tuple(range(len(databases.atoms)))
        return Type(moves, frozenset(unlimited), smallest_pair(databases, (), every))

    def gathered(self, far: Mapping[int, Mapping[int, Term]]) -> Moves:
        """Moves by the mechanism: of a family how many members move how far, the furthest first."""
        self.check_together(far)
        moves: list[tuple[int, tuple[tuple[int, Term], ...]]] = []
        for i, of_parts in sorted(far.items()):
            mechanism, distances = self.setting.mechanisms[i - 1], list(of_parts.values())
            if mechanism.partition:
                times = Counter(distances)
                order = sorted(times, key=size, reverse=True) if len(times) > 1 else list(times)
                moves.append((i, tuple((times[r], r) for r in order)))
            else:
                moves.append((i, ((1 if mechanism.count is None else 0, distances[0]),)))
        return tuple(moves)

    def check_together(self, far: Mapping[int, Mapping[int, Term]]) -> None:
        """Of families on one partition a member that moves further in one moves no less far in another.

        A family of which a member moves by ∞ loses ∞ there, whatever the others do.
        """
        families: dict[str, list[Mapping[int, Term]]] = {}
        for i, of_parts in sorted(far.items()):
            partition = self.setting.mechanisms[i - 1].partition
            if partition and all(r.kind != "oo" for r in of_parts.values()):
                families.setdefault(partition, []).append(of_parts)
        for family in families.values():
            rows = {tuple(terms.get(part, ZERO) for terms in family) for part in set().union(*family)}
            if len(rows) > 1:
                ordered = pairwise(sorted(tuple(map(size, row)) for row in rows))
                if any(a > b for less, more in ordered for a, b in zip(less, more, strict=True)):
                    raise NoCover(
                        "several families on one partition of which other members move are not supported; "
                        "write the parts out"
                    )

    def own(self, counts: Mapping[Reader, tuple[int, int]]) -> tuple[tuple[int, tuple[int, int]], ...]:
        """How many records only one, and only the other one has of what is read, of groups on samples where
        the page says what is lost as one comes."""
        target = self.setting.target
        if target.any_two or target.steps == 1 or target.times is not None:
            return ()
        return tuple((i, some) for (i, _), some in sorted(counts.items()) if self._comes(i))

    def _comes(self, i: int) -> bool:
        """Whether M_i is one mechanism on samples of which a page says what is lost where a record comes."""
        mechanism = self.setting.mechanisms[i - 1]
        if mechanism.sampled is None or mechanism.count is not None:
            return False
        return 0 in self.theory.page(mechanism.sampled.page, "sampling").head.neighbours

    def by_size(self, pair: Pair | tuple[int, ...]) -> tuple[Any, ...]:
        """The order of neighbours that move the inputs alike, of which the first stands for all: by how many
        records they have; first where a page of samples says what is lost: as many come as go, or not."""
        sizes, replaced = [len(side) for side in pair if isinstance(side, tuple)], self.replaced_on_samples
        elsewhere = bool(replaced) and any(replaced) != (len({*sizes}) == 1)
        return elsewhere, sum(sizes), str(pair)

    @cached_property
    def replaced_on_samples(self) -> set[bool]:
        """Whether pages of samples say what is lost where as many come as go only, of each that is used."""
        pages = {some.sampled.page for some in self.setting.mechanisms if some.sampled is not None}
        return {0 not in self.theory.page(page, "sampling").head.neighbours for page in pages}

    def told_apart(self, type: Type) -> Hashable:
        """What tells two neighbours from others that move the inputs alike."""
        return ()

    def of_types(self, types: Iterable[Type], gone_through: int, metrics: Sequence[Sequence[str]]) -> Cover:
        """The cover by the types that no other one exceeds."""
        told: dict[Hashable, dict[tuple[Any, ...], Type]] = {}
        for type in types:
            apart: Hashable = (self.told_apart(type), type.own)
            if apart not in told and len(told) > MOST_TOLD_APART:
                apart, type = TOO_MANY, replace(type, own=())
            told.setdefault(apart, {}).setdefault((type.moves, type.unlimited, type.entries), type)
        every = [undominated_types(list(some.values())) for some in told.values()]
        every = [[type for type in some if not is_within(type, every)] for some in every]
        kept = [type for some in every for type in some if type.moves or len(every) == 1]
        page, pages = self.theory.procedure(self.procedure), tuple(tuple(metric) for metric in metrics)
        return Cover(tuple(kept), page, gone_through, pages, rows_apart=TOO_MANY not in told)


def first_of(ways: Iterable[Callable[[], Cover]]) -> Cover:
    """The cover of the first way that leads to one.  Raises NoCover, with the reasons of all."""
    why: dict[str, None] = {}
    for way in ways:
        try:
            return way()
        except NoCover as error:
            why[str(error)] = None
    raise NoCover("; ".join(why))


def is_about_least(mechanism: Mechanism, theory: Theory) -> bool:
    """Whether only the least number of the records is known that a mechanism's query is about."""
    if mechanism.noise is None or mechanism.noise.query is None:
        return False
    return mechanism.noise.query.n is None and theory.page(mechanism.noise.query.page, "query").head.sized
