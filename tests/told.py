"""What the kernel says of the core of a setting, held against the old profile: vectors, pairs and distances."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import oracle
from strategies import Twin

from dpcompose.kernel import covers, formulas, settings
from dpcompose.kernel.covers.types import Cover, Moves, Type
from dpcompose.kernel.terms import Term
from dpcompose.kernel.theory import Theory
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.settings import Setting
from dpcompose.proof import registry
from dpcompose.proof.lines.profiles import _maximal, members
from dpcompose.proof.steps import Steps
from dpcompose.spaces.databases import Database
from dpcompose.spaces.metrics import shown

OLD = registry.standard()
THEORY = Theory(OLD.pages)


def cover_of(setting: Setting) -> tuple[Elaborated, Cover]:
    """The cover of a setting's core, which is read again from its data."""
    told = Elaborated(setting)
    data = told.core.data()
    again = settings.read(data)
    assert again == told.core and again.data() == data and again.hash == told.core.hash
    return told, covers.cover(again, THEORY)


def moves(vector: Iterable[tuple[int, str]], told: Elaborated) -> Moves:
    """A vector of the old profile as moves."""
    symbols = told.core.symbols
    return tuple(
        (i, tuple((many, formulas.parse(r, symbols)) for many, r in _members(entry, told, i)))
        for i, entry in vector
    )


def _members(entry: str, told: Elaborated, i: int) -> list[tuple[int, str]]:
    return members(entry) if told.setting.mechanisms[i - 1].count is not None else [(1, entry)]


def old_moves(steps: Steps, told: Elaborated) -> set[Moves]:
    """The moves of the old profile."""
    found = steps.inputs.neighbouring_pairs()
    vectors = dict.fromkeys(
        tuple((i, shown(r)) for i, r in steps.inputs.furthest(pair).items()) for pair in found.pairs
    )
    families = steps.setting.families
    kept = (steps._of_families(one) if families else one for one in _maximal(list(vectors)))
    return {moves(one, told) for one in kept}


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


def check_like_before(setting: Setting) -> Cover:
    """The cover has the vectors of the old profile, and its pairs are neighbours that are so far apart."""
    told, cover = cover_of(setting)
    steps = Steps(setting, OLD)
    before, now = old_moves(steps, told), {one.moves for one in cover.types}
    if now - {()} != before - {()}:
        # numbers that are no whole numbers were not compared before
        assert now - {()} <= before, (now, before)
        assert all(any(at_most(one, other) for other in now) for one in before), (now, before)
    assert bool(now) == bool(before)
    for type in cover.types:
        check_pair(told, steps, type)
    return cover


def check_pair(told: Elaborated, steps: Steps, type: Type) -> None:
    """Two databases are neighbours, and move the inputs as the type says."""
    D, E = told.pair(type)
    setting = steps.inputs.setting
    assert D in setting.databases and E in setting.databases, (D, E)
    assert are_neighbours(setting, D, E), (D, E)
    far = tuple((i, shown(r)) for i, r in steps.inputs.furthest((D, E)).items())
    vector = steps._of_families(far) if steps.setting.families else far
    assert moves(vector, told) == type.moves, (D, E, vector, type.moves)


def are_neighbours(setting: Setting, D: Database, E: Database) -> bool:
    """Whether D and E are neighbours of the target; by blocks where that is quicker."""
    shape = setting.databases.shape_of_both(D, E)
    blocks = None if shape is None else setting.target.blocks(shape)
    if shape is None or blocks is None:
        return setting.target.relates(D, E, setting.databases)
    return D != E and blocks.fewest(shape.differing(D, E)) <= blocks.most


def check_twin(twin: Twin) -> None:
    """The vectors are those of the old profile and of the oracle's, which knows no lemma."""
    cover = check_like_before(twin.study.setting)
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
