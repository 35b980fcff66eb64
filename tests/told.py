"""What the kernel says of the core of a setting, held against vectors of distances found on the setting itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from unittest import mock

import oracle
from strategies import Twin

from dpcompose.kernel import covers
from dpcompose.kernel.core import reading
from dpcompose.kernel.covers import types
from dpcompose.kernel.covers.types import Cover, Moves, Type, size
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.terms import INFINITY, Term
from dpcompose.kernel.library.theory import Theory
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.settings import Setting
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.theory import registry
from dpcompose.search.citations.citations import Citing
from dpcompose.spaces.canonical.metrics import Discrete, shown
from dpcompose.spaces.classes.databases import Database
from dpcompose.spaces.inputs.parts import Part

OLD = registry.standard()
THEORY = Theory(OLD.pages)


def cover_of(setting: Setting) -> tuple[Elaborated, Cover]:
    """The cover of a setting's core, which is read again from its data."""
    told = Elaborated(setting)
    data = told.core.data()
    again = reading.read(data)
    assert again == told.core and again.data() == data and again.hash == told.core.hash
    return told, covers.cover(again, THEORY)


@dataclass(frozen=True)
class Vectors:
    """How far neighbours of a setting, as it is stated, move the inputs of its mechanisms."""

    told: Elaborated
    citing: Citing

    @classmethod
    def of(cls, setting: Setting) -> Vectors:
        return cls(Elaborated(setting), Citing(setting, OLD))

    @property
    def inputs(self) -> Inputs:
        found: Inputs = self.citing.inputs
        return found

    def every(self) -> set[Moves]:
        """The moves of all neighbours that decide, also where others move everything further."""
        with mock.patch.object(types, "undominated_types", list):
            cover = covers.cover.__wrapped__(self.told.core, THEORY, True)
        return {self.at(self.told.pair(type)) for type in cover.types}

    @property
    def grows(self) -> bool:
        """Whether the pair, with every record taken more and more often, is one of neighbours."""
        databases = self.citing.setting.databases
        return self.citing.setting.target.any_two(databases) and databases.any_number

    def at(self, pair: Any) -> Moves:
        """How far two databases move the inputs, families in one entry each."""
        setting, distances = self.citing.setting, dict[int, list[Term]]()
        for i, r in self.inputs.distances(pair).items():
            limit = self.grows and not isinstance(self.inputs.metric(i).metric, Discrete)
            far = INFINITY if limit else formulas.parse(shown(r), self.told.core.symbols)
            distances.setdefault(self.citing._written[1][i - 1] if setting.families else i, []).append(far)
        found = []
        for i, some in sorted(distances.items()):
            mechanism = setting.mechanisms[i - 1]
            divided = isinstance(mechanism.reads, Part) and not self.grows
            if mechanism.count is None:
                found.append((i, ((1, some[0]),)))
            elif divided:
                times = Counter(some)
                order = sorted(times, key=size, reverse=True) if len(times) > 1 else list(times)
                found.append((i, tuple((times[r], r) for r in order)))
            else:
                found.append((i, ((0, some[0]),)))
        return tuple(found)


def at_most(lesser: Moves, greater: Moves) -> bool:
    """Whether distances that are numbers are at most others, and formulas equal to them."""
    few, many = map(_slots, (lesser, greater))
    return all(_is_at_most(r, many.get(key)) for key, r in few.items()) and all(
        r.kind == "oo" or r.number is not None or few.get(key) == r for key, r in many.items()
    )


def _slots(vector: Moves) -> dict[tuple[int, int], Term]:
    return {
        (i, n): r for i, some in vector for n, r in enumerate(r for many, r in some for _ in range(many or 1))
    }


def _is_at_most(r: Term, s: Term | None) -> bool:
    if s is None or r == s or s.kind == "oo":
        return s is not None
    return r.number is not None and s.number is not None and r.number <= s.number


def check_vectors(setting: Setting) -> Cover:
    """The types are among the vectors of neighbours and exceed all; their pairs are so far apart."""
    _, cover = cover_of(setting)
    vectors = Vectors.of(setting)
    every, now = vectors.every(), {one.moves for one in cover.types}
    assert now - {()} <= every, (now, every)
    assert all(any(at_most(one, other) for other in now) for one in every if one), (now, every)
    for type in cover.types:
        check_pair(vectors, type)
    return cover


def check_pair(vectors: Vectors, type: Type) -> None:
    """Two databases are neighbours, and move the inputs as the type says."""
    D, E = vectors.told.pair(type)
    setting = vectors.inputs.setting
    assert D in setting.databases and E in setting.databases, (D, E)
    assert are_neighbours(setting, D, E), (D, E)
    assert vectors.at((D, E)) == type.moves, (D, E)


def are_neighbours(setting: Setting, D: Database, E: Database) -> bool:
    """Whether D and E are neighbours of the target; by blocks where that is quicker."""
    shape = setting.databases.shape_of_both(D, E)
    blocks = None if shape is None else setting.target.blocks(shape)
    if shape is None or blocks is None:
        return setting.target.relates(D, E, setting.databases)
    return D != E and blocks.fewest(shape.differing(D, E)) <= blocks.most


def check_twin(twin: Twin) -> None:
    """The vectors are those of the setting itself and of the oracle, which knows no lemma."""
    cover = check_vectors(twin.study.setting)
    enumerated = oracle.profile_of(twin.at({name: Fraction(1) for name in twin.study.setting.domains}))
    assert as_sets(cover) == {
        frozenset((i, r) for i, r in enumerate(one, start=1) if r) for one in enumerated
    }


def as_sets(cover: Cover) -> set[frozenset[tuple[int, Any]]]:
    """For each type how far each input moves that does, as the oracle writes it."""
    found = set()
    for type in cover.types:
        moves = ((i, r) for i, ((many, r),) in type.moves if many == 1)
        found.add(frozenset((i, oracle.INFINITY if r.kind == "oo" else r.number) for i, r in moves))
    return found
