"""Large groups of edits by the corners of how many records go and come: by hand, and where that would be wrong."""

from __future__ import annotations

from typing import Any

import core_records
import pytest
import told
from core_records import ANY, B, U, moves

from dpcompose.kernel import covers
from dpcompose.kernel.covers.corners import Corners, corners
from dpcompose.kernel.covers.types import Cover, NoCover
from dpcompose.kernel.theorems import NoTheorem, Prover

BOTH = {"single": [[1, 0], [0, 1], [1, 1]], "steps": 1}


def setting(target: Any, *mechanisms: tuple[Any, Any], **databases: Any) -> Any:
    return core_records.setting(target, *mechanisms, **{"atoms": [["a", "a'"], ["b"]]} | databases)


def cover(*args: Any, **more: Any) -> Cover:
    return Corners(setting(*args, **more), told.THEORY).cover()


def group(relation: dict[str, Any], m: int) -> dict[str, Any]:
    return relation | {"steps": m}


def test_the_corners_of_points() -> None:
    assert corners([(1, 1), (2, 2), (3, 3)]) == [(0, 0), (3, 3)]
    # three steps of adding and removing, with room for two records
    some = [(a, b) for a in range(3) for b in range(3) if 0 < a + b <= 3]
    assert set(corners(some)) == {(0, 0), (2, 0), (0, 2), (2, 1), (1, 2)}


def test_all_that_go_are_of_one_kind_and_all_that_come() -> None:
    # b has one record: five of them cannot take the place of five others of its kind
    assert moves(cover(group(U, 5), ([0], U), ([1], U))) == {"1:5", "2:5"}
    assert moves(cover(group(B, 5), ([0], U), ([1], U))) == {"1:10", "1:5 2:5"}
    assert moves(cover(group(BOTH, 5), ([0], BOTH), ([1], B))) == {"1:5 2:oo"}
    # on at most three records five steps of adding and removing exchange three for two
    assert moves(cover(group(U, 5), ([0], U), ([1], U), size=["at most", 3])) == {"1:5", "1:3 2:2", "1:2 2:3"}
    assert moves(cover(group(B, 9), ([0], B), size=["exactly", 4])) == {"1:oo"}
    assert moves(cover(group(B, 9), ([0, 1], B), size=["exactly", 4])) == {"1:4"}


def test_pairs_are_databases_of_the_class() -> None:
    found = cover(group(B, 3), ([0], U), ([1], U), size=["exactly", 5])
    assert {tuple(map(len, one.pair)) for one in found.types} == {(5, 5)}
    assert all(sum((x in one.pair[0]) != (x in one.pair[1]) for x in ("a", "a'", "b")) for one in found.types)


def test_losses_have_to_be_convex_and_curves_need_every_type() -> None:
    found = cover(group(U, 5), ([0], U), ([1], U))
    assert found.convex == {1, 2}
    few = covers.FEW
    made = setting(
        group(B, 20),
        *(([n], U) for n in range(4)),
        atoms=[[f"{n}", f"{n}'"] for n in range(4)],
        size=["at most", 30],
    )
    prover = Prover(made, told.THEORY)
    types = prover.by("cover")
    assert types.says.cover.convex == {1, 2, 3, 4} and types.says.cover.gone_through < few  # type: ignore[union-attr]
    given = [prover.by("given", i=i) for i in range(1, 5)]
    with pytest.raises(NoTheorem, match="only where losses add up"):
        claim = {"notion": "approximate", "epsilon": "1", "delta": "1/2"}
        prover.by("curve", types, *given, claim=claim, bits=64)
    with pytest.raises(NoTheorem, match="too many ways to write down"):
        prover.by("cover", every=True)


def test_what_is_not_convex_in_what_changes_is_refused() -> None:
    for stated in (ANY, group(U, 2)):
        with pytest.raises(NoCover, match="M2 reads moves is not convex"):
            cover(group(U, 5), ([0], U), ([1], stated))
    with pytest.raises(NoCover, match="are known for multisets"):
        cover(group(U, 5), ([0], U), of="sequences")
