"""Proposition A.3 is cited in every notion where guarantees are for other neighbours than the target's."""

from __future__ import annotations

from typing import Any

import pytest

import dpcompose as dpc

STATED: list[Any] = [
    dpc.pure("s", dpc.unbounded),
    dpc.approximate("s", "q", dpc.unbounded),
    dpc.zcdp("s", dpc.unbounded),
    dpc.gaussian("s", dpc.unbounded),
]


@pytest.mark.parametrize("stated", STATED)
@pytest.mark.parametrize("adaptive", [False, True])
def test_other_neighbours(stated: Any, adaptive: bool) -> None:
    """Two steps that add or remove a record are one that replaces it."""
    M = dpc.mechanism("M", stated)
    found = dpc.compose(M, on=dpc.multisets(), target=dpc.bounded, adaptive=adaptive).guarantee()
    assert found.theorem == "GB:A.3"
    assert "Proposition A.3" in str(dpc.compose(M, on=dpc.multisets(), target=dpc.bounded).theorems())


@pytest.mark.parametrize("stated", STATED)
def test_the_same_neighbours(stated: Any) -> None:
    """What is stated for the target itself is composed, and not compared."""
    M = dpc.mechanism("M", stated)
    assert dpc.compose(M, on=dpc.multisets(), target=dpc.unbounded).guarantee().theorem != "GB:A.3"
