"""Universes of which one of several is meant: by hand."""

from __future__ import annotations

from typing import Any

import core_records
import pytest
import told
from core_records import moves

from dpcompose.kernel import covers
from dpcompose.kernel.covers.types import Cover, NoCover

ATOMS = [["a"], ["c"], ["b inside"], ["b outside"], ["x", "y"]]
"""b is read with a and c, or is not; x and y are other records, which are not read."""
TO_C, BY_B = [[0, 1]], [[0, 2], [0, 3], [2, 1], [3, 1]]


def cover(
    edges: Any, stated: Any, reads: Any, domain: str = "common", steps: int = 1, **databases: Any
) -> Cover:
    base = {"kind": "policies", "atoms": ATOMS, "beside": [[4]] * 5, "copies": [[2, 3]]} | databases
    found = core_records.setting(
        {"single": edges, "steps": steps}, (reads, {"single": stated, "steps": 1}), **base
    )
    return covers.cover(core_records.on(found, domain), told.THEORY, every=True)


def test_a_way_leads_through_a_record_that_lies_in_one_place_or_another() -> None:
    """From a to c by way of b: two steps wherever b is, but where b is not read a way out of what is read."""
    assert moves(cover(TO_C, BY_B, [0, 1, 2])) == {"1:2"}
    assert moves(cover(TO_C, BY_B, [0, 1, 2], "own")) == {"1:oo"}  # b is outside
    assert moves(cover(TO_C, BY_B, [0, 2])) == {"1:2"}  # a goes, at once where b is not read
    assert moves(cover(TO_C, [[0, 2], [2, 1]], [0, 1])) == {"1:oo"}  # b may lie where it has no steps
    assert moves(cover(TO_C, BY_B, [0, 2], beside=[], copies=[])) == {"1:1"}  # were both there


def test_the_databases_hold_what_their_distance_depends_on() -> None:
    (found,) = cover(TO_C, BY_B, [0, 2]).types
    assert found.pair == (("a", "b inside"), ("b inside", "c"))
    (found,) = cover(TO_C, BY_B, [0, 2], size=["exactly", 1]).types
    assert found.pair == (("a",), ("c",))


def test_a_record_lies_in_one_place_only() -> None:
    """Two steps would move b from outside to inside: it is not in both."""
    both = [[0, 2], [0, 3], [2, 4], [3, 4]]
    assert all(
        len({"b inside", "b outside"} & {*D, *E}) < 2
        for D, E in (one.pair for one in cover(both, both, [2], steps=2).types)
    )


def test_what_is_there_for_sure_is_there() -> None:
    """Anyone may become x: who leaves what is read may do so at once."""
    everyone = [[0, 1], [0, 4], [1, 4]]
    assert moves(cover(TO_C, everyone, [0])) == {"1:1"}
    assert moves(cover([[0, 4]], [[0, 1], [1, 4]], [0], beside=[[], [], [], [], []])) == {"1:oo"}
    assert moves(cover([[0, 4]], [[0, 1], [1, 4]], [0], beside=[[1], [], [], [], []])) == {"1:1"}


def test_steps_through_others_are_told_where_all_say_the_same() -> None:
    """Two steps of the target lead from a to c by way of b; they are two of the same steps, wherever b is."""
    assert moves(cover(BY_B, BY_B, [0, 1, 2, 3], steps=2)) == {"1:2"}
    with pytest.raises(NoCover, match="it is not said how they lie"):
        cover([[0, 2], [2, 1]], [[0, 1], [0, 2], [2, 1]], [0], beside=[[]] * 5, steps=2)
    with pytest.raises(NoCover, match="in more than 300 ways; fewer of them would do"):
        others = [[f"{n}.{at}"] for n in range(9) for at in (1, 2)]
        places = [[5 + 2 * n, 6 + 2 * n] for n in range(9)]
        ways = [[2, at] for some in places for at in some]
        more = {"atoms": ATOMS + others, "copies": [[2, 3], *places], "beside": [[4]] * (5 + len(others))}
        cover(TO_C, BY_B + ways, [0, 2], **more)


ROWS = [[f"{row} in {place}"] for row in "abc" for place in (0, 1, 2)]
"""Three rows, each of them in part 1, in part 2, or in none."""
PLACES = [[3 * row + place for place in (0, 1, 2)] for row in range(3)]


def of_rows(target: Any, stated: Any, further: str = "alike") -> Cover:
    """a to c in steps of a guarantee on part 1, of which there may be further rows."""

    def joined(pairs: Any) -> Any:
        return [[x, y] for a, b in pairs for x in PLACES[a] for y in PLACES[b]]

    more = {"atoms": ROWS, "beside": [[]] * 9, "copies": PLACES, "further": further}
    return cover(joined(target), joined(stated), [1, 4, 7], **more)


def test_further_rows_lie_where_they_lengthen_ways_most() -> None:
    assert moves(of_rows([(0, 2)], [(0, 2)])) == {"1:1"}
    assert moves(of_rows([(0, 2)], [(0, 1), (1, 2)])) == {"1:2"}
    assert moves(of_rows([(0, 2)], [(0, 1)])) == {"1:oo"}
    found = of_rows([(0, 2)], [(0, 1), (1, 2)])
    assert found.convex == {1} and not found.infinite
    assert of_rows([(0, 2)], [(0, 1)]).infinite


def test_where_steps_lead_everywhere_what_comes_is_as_far_as_others_are() -> None:
    """No row is out of reach, so that nothing need move by oo: the next one outside may be two steps away."""
    more = {"atoms": ROWS, "beside": [[]] * 9, "copies": PLACES, "further": "alike"}
    ways = [[x, y] for a, b in [(0, 1), (1, 2)] for x in PLACES[a] for y in PLACES[b]]
    assert moves(cover([[None, one] for one in range(9)], ways, [1, 4, 7], **more)) == {"1:2"}
    with pytest.raises(NoCover, match="a in 0 and c in 1 are apart"):
        of_rows([(0, 2)], [(0, 1), (1, 2)], further="others")
