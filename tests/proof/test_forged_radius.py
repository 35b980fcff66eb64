"""Forged derivations about places within a radius: what is lost at the radius bounds what grows up to it, and no more."""

from __future__ import annotations

from typing import Any

import pytest
import told
from in_metrics import forged

from dpcompose.kernel.core import reading
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem

CORE = {
    "parameters": {},
    "databases": {
        "kind": "product",
        "shown": "all numbers",
        "parts": {"": {"kind": "points", "coordinates": ["x"], "box": [[None, None]]}},
    },
    "target": {"single": "any two", "steps": 1},
    "mechanisms": [
        {
            "name": "M",
            "reads": [None],
            "domain": "own",
            "notion": "pure",
            "values": {"epsilon": "1"},
            "metric": {"formula": "d__L1", "besides": {}},
        }
    ],
    "adaptive": False,
    "distances": {
        "d__L1": {"formula": "abs(x__D - x__E)"},
        "d__beyond": {"formula": "d__L1", "within": "2"},
    },
}
"""Numbers, neighbours at distance 2 or less, and what is lost as a formula in the distance."""


def shown(core: Any, bound: str, certificate: Any) -> Theorem:
    """That so much bounds what is lost by neighbours."""
    prover = Prover(reading.read(core), told.THEORY)
    whole = prover.by("metric", prover.by("compose", prover.by("given", i=1)))
    claim = {"notion": "pure", "epsilon": f"d__beyond + {bound}"}
    cover = prover.by("cover", of=["d__beyond"])
    return prover.by("everywhere", whole, cover, claim=claim, certificates={"epsilon": [certificate]})


def lost(formula: str) -> Any:
    return forged(CORE, ["mechanisms", 0, "metric", "formula"], formula)


RADIUS = {"radius": None}


@pytest.mark.parametrize(("formula", "bound"), [("d__L1", "2"), ("min(3, 2*d__L1)", "3"), ("d__L1**2", "4")])
def test_what_grows_is_largest_at_the_radius(formula: str, bound: str) -> None:
    assert isinstance(shown(lost(formula), bound, RADIUS).says, Satisfies)


@pytest.mark.parametrize(
    ("formula", "bound"),
    [
        ("d__L1*(3 - d__L1)", "2"),  # 9/4 at 3/2
        ("max(0, d__L1*(3 - d__L1))", "2"),
        ("abs(d__L1 - 2)", "0"),  # 2 near 0
        ("d__L1*exp(2 - d__L1)", "2"),  # e at 1
        ("d__L1 + max(0, 1 - d__L1)*3", "2"),
    ],
)
def test_what_falls_before_the_radius_is_not_bounded_by_what_is_lost_there(formula: str, bound: str) -> None:
    with pytest.raises(NoTheorem, match="what is lost is not seen to grow with distances"):
        shown(lost(formula), bound, RADIUS)


def test_a_radius_of_which_there_is_none() -> None:
    """Where the databases may be at any distance, or there are several radii, nothing is known of one."""
    core = forged(CORE, ["distances", "d__farther"], {"formula": "d__L1", "within": "3"})
    prover = Prover(reading.read(core), told.THEORY)
    whole = prover.by("metric", prover.by("compose", prover.by("given", i=1)))
    for of, bound in (([], "2"), (["d__beyond", "d__farther"], "d__beyond + d__farther + 2")):
        cover = prover.by("cover", of=of)
        claim = {"notion": "pure", "epsilon": bound}
        count = len(cover.says.cover.types)  # type: ignore[attr-defined]
        with pytest.raises(NoTheorem, match=r"the databases are not within one distance|there are"):
            prover.by("everywhere", whole, cover, claim=claim, certificates={"epsilon": [RADIUS] * count})
