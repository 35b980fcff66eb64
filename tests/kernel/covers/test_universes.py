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
