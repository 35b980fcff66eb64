"""Maps and granularities of one's own that say two things are refused, with what shows it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.spaces.inputs.maps import NotAMap
from dpcompose.spaces.moves.blocks import Blocks
from dpcompose.spaces.moves.contradictions import contradiction
from dpcompose.spaces.moves.granularities import Granularity

SMALL = dpc.multisets("ab", size="<= 3")


def study(reads: Any, on: Any = SMALL, granularity: Any = dpc.bounded, domain: Any = "own") -> dpc.Study:
    M = dpc.mechanism(
        "M", dpc.pure("e", granularity, None if reads is dpc.everything else domain), reads=reads
    )
    return dpc.compose(M, on=on, target=granularity)


# maps


def counting() -> Callable[[Any], int]:
    numbers = itertools.count()
    return lambda D: next(numbers)


def growing() -> Callable[[Any], tuple[Any, ...]]:
    seen: list[Any] = []
    return lambda D: (seen.append(D), tuple(seen))[1]


def turning() -> Callable[[Any], bool]:
    """Right once for each database, and wrong the second time."""
    met: set[Any] = set()
    return lambda D: D in met or bool(met.add(D))


def coin() -> Callable[[Any], int]:
    rng = random.Random(1)
    return lambda D: rng.choice([0, 1])


@pytest.mark.parametrize("domain", ["own", "common"])
@pytest.mark.parametrize("made", [counting, growing, turning, coin])
def test_functions_with_several_values(made: Any, domain: Any) -> None:
    found = study(dpc.function("r", made()), domain=domain)
    with pytest.raises(
        InvalidSetting, match=r"^r is no map: its value at \(.*\) is .*when it is asked again"
    ):
        found.guarantee()


def test_on_large_classes_and_by_itself() -> None:
    with pytest.raises(NotAMap, match="a map depends on the database and on nothing else"):
        dpc.finite(dpc.multisets("abc", "<= 20"), dpc.bounded).labels(dpc.function("r", counting()))
    with pytest.raises(NotAMap):
        dpc.function("r", coin()).image(SMALL)
    with pytest.raises(InvalidSetting, match="r is no map"):
        study(dpc.function("r", counting()), on=dpc.multisets("abc", "<= 20")).guarantee()


def test_functions_are_asked_twice_for_a_database() -> None:
    asked: list[Any] = []
    f = dpc.function("size", lambda D: asked.append(D) or len(D))
    assert str(study(f).guarantee()).startswith("bounded 0-DP") and len(asked) == 2 * 10
    assert f(("a", "b")) == 2 and f.image(SMALL).count() == 4 and len(asked) == 2 * 10


# granularities


class ByTwo(Granularity):
    """One record more or less, as edits say; of two databases it says up to two."""

    name = "by two"

    def are_neighbours(self, D: Any, E: Any) -> bool:
        return bool(D != E and abs(len(D) - len(E)) <= 2)

    def edits(self, databases: Any) -> Any:
        return dpc.unbounded.edits(databases)


class AnyOther(Granularity):
    """Edits say a replaced record, the relation any other database."""

    name = "any other"

    def are_neighbours(self, D: Any, E: Any) -> bool:
        return bool(D != E)

    def edits(self, databases: Any) -> Any:
        return dpc.bounded.edits(databases)


class OneCell(Granularity):
    """Blocks are single cells; the relation is that of two."""

    name = "one cell"
    most = 2

    def are_neighbours(self, D: Any, E: Any) -> bool:
        return len(D) == len(E) and 0 < sum(x != y for x, y in zip(D, E, strict=True)) <= self.most

    def blocks(self, shape: Any) -> Any:
        return Blocks(frozenset(frozenset({cell}) for cell in shape.cells or ()))


class Honest(OneCell):
    """One cell, in both ways."""

    name = "honest"
    most = 1


class OneEdge(Granularity):
    """Graphs, or sets, that differ in few of their elements."""

    name = "one edge"

    def are_neighbours(self, D: Any, E: Any) -> bool:
        return len({*D} ^ {*E}) == 1

    def blocks(self, shape: Any) -> Any:
        return None if shape.cells is None else Blocks(frozenset(frozenset({cell}) for cell in shape.cells))


class OneOrTwo(OneEdge):
    """Blocks are single edges; the relation is that of two."""

    name = "one or two"

    def are_neighbours(self, D: Any, E: Any) -> bool:
        return 0 < len({*D} ^ {*E}) <= 2


class OneLessOrMore(OneEdge):
    """The relation only."""

    name = "one less or more"

    def blocks(self, shape: Any) -> Any:
        return None


SETS = [dpc.sets("abcdefghijk"), dpc.sets("abcdefghij", "= 5")]
GRAPHS = [dpc.graphs(5), dpc.graphs(9), dpc.graphs()]
VARYING = [dpc.graphs("<= 9"), dpc.graphs("any")]


@pytest.mark.parametrize(
    ("own", "on"),
    [*((OneEdge(), on) for on in [*SETS, *GRAPHS]), *((OneLessOrMore(), on) for on in [*VARYING, *GRAPHS])],
)
def test_a_granularity_of_ones_own_is_looked_at_on_large_classes_of_graphs_and_sets(
    own: Granularity, on: Any
) -> None:
    study = dpc.compose(dpc.mechanism("M", dpc.pure("e", own)), on=on, target=own)
    assert study.setting.target == own


@pytest.mark.parametrize("on", [dpc.graphs(5), dpc.graphs(9), dpc.graphs(), dpc.sets("abcdefghijk")], ids=str)
def test_a_contradiction_is_found_on_graphs_and_sets(on: Any) -> None:
    with pytest.raises(ValueError, match="contradicts itself"):
        dpc.compose(dpc.mechanism("M", dpc.pure("e", dpc.free_lunch)), on=on, target=OneOrTwo())


CLASSES = [
    SMALL,
    dpc.multisets("ab"),
    dpc.multisets(),
    dpc.multisets("abcd", "<= 500"),
    dpc.multisets(size=">= 2"),
]


@pytest.mark.parametrize("on", CLASSES)
@pytest.mark.parametrize("granularity", [ByTwo(), dpc.group(2, ByTwo()), dpc.union(ByTwo(), dpc.bounded)])
def test_edits_that_lie(on: Any, granularity: Any) -> None:
    with pytest.raises(
        InvalidSetting, match=r"^the granularity by two contradicts itself: by edits .* are no neigh"
    ):
        study(dpc.everything, on, granularity)
    with pytest.raises(
        InvalidSetting, match=r"by are_neighbours they are$"
    ):  # also of one that is only stated
        M = dpc.mechanism("M", dpc.pure("e", granularity))
        dpc.compose(M, on=on, target=dpc.unbounded)


def test_the_pair_is_said() -> None:
    assert contradiction(AnyOther(), SMALL) == (
        "the granularity any other contradicts itself: by edits {} and {a} are no neighbours, by "
        "are_neighbours they are"
    )
    assert contradiction(AnyOther(), dpc.multisets("ab", "= 1")) == ""  # there it says the same
    assert "contradicts itself" in contradiction(AnyOther(), dpc.multisets("ab", "= 2"))


def test_blocks_that_lie() -> None:
    on = dpc.tuples("ab", "= 3")
    assert "by blocks (a, a, a) and (a, b, b) are no neighbours" in contradiction(OneCell(), on)
    assert contradiction(Honest(), on) == contradiction(Honest(), dpc.tuples("ab", "= 9")) == ""
    assert str(study(dpc.everything, on, Honest()).guarantee().epsilon) == "e"


@pytest.mark.parametrize("on", CLASSES)
def test_what_is_built_in_is_not_asked(on: Any) -> None:
    for one in (dpc.unbounded, dpc.bounded, dpc.group(2, dpc.bounded), dpc.union(dpc.unbounded, dpc.bounded)):
        assert contradiction(one, on) == ""
