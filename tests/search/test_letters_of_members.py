"""Claims (ε, δ) in letters about families: members may have unlike guarantees, and the least δ of two that are alike
is no bound for these."""

from __future__ import annotations

import math
from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.kernel import written_out
from dpcompose.kernel.composition.losses import NoLoss

FILE = """
format = 1
parameters = {{ e = "{domain}" }}
databases = {{ kind = "multisets" }}
target = {{ granularity = "unbounded" }}
claims = [{{ notion = "approximate", epsilon = "{epsilon}", delta = "{delta}" }}]
"""
FAMILY = """
[[mechanisms]]
name = "{name}"
index = "i"
count = {count}
guarantee = {{ notion = "approximate", epsilon = "{epsilon}", delta = "{delta}", granularity = "unbounded" }}
"""


def lost(parts: list[tuple[float, float]], epsilon: float) -> float:
    """The least δ of (ε, δ) mechanisms, outcome by outcome."""
    P, Q = [1.0], [1.0]
    for e, d in parts:
        told = math.exp(e) / (1 + math.exp(e))
        P = [p * x for p in P for x in (d, (1 - d) * told, (1 - d) * (1 - told), 0)]
        Q = [q * x for q in Q for x in (0, (1 - d) * (1 - told), (1 - d) * told, d)]
    return sum(max(0.0, p - math.exp(epsilon) * q) for p, q in zip(P, Q, strict=True))


# of members that are alike the least delta is at most 0.75, at e[i] = 0; of one with 1 and one with 0 it is more
MIXED = [("2*e[i]", "(1 - e[i])/2", 2)]
UNLIKE = [
    (1.0, "0.76", MIXED, [(2, 0), (0, 0.5)]),
    (1.0, "0.77", MIXED, [(2, 0), (0, 0.5)]),
    (1.0, "0.77", [*MIXED, ("0", "0", 2)], [(2, 0), (0, 0.5)]),
    (1.0, "0.8", [("2*e[i]", "(1 - e[i])/2", 3)], [(2, 0), (2, 0), (0, 0.5)]),
    (1.5, "0.76", [("3*e[i]", "(1 - e[i])/2", 2)], [(3, 0), (0, 0.5)]),
]


@pytest.mark.parametrize(("epsilon", "delta", "families", "parts"), UNLIKE)
def test_members_that_are_not_alike(
    epsilon: float,
    delta: str,
    families: list[tuple[str, str, int]],
    parts: list[tuple[float, float]],
) -> None:
    """What is claimed is above the least δ of equal members, and below that of some others."""
    text = FILE.format(domain="in [0,1]", epsilon=epsilon, delta=delta)
    for n, (of, besides, count) in enumerate(families):
        text += FAMILY.format(name=f"M{n}", epsilon=of, delta=besides, count=count)
    study, claims = dpc.loads(text)
    assert lost(parts, epsilon) > float(delta)
    assert study.check(claims[0]).verdict != "proved"


def test_equal_members_have_the_formula() -> None:
    text = FILE.format(domain="positive", epsilon="0", delta="tanh(e/2)")
    study, claims = dpc.loads(text + FAMILY.format(name="M", epsilon="e", delta="0", count=2))
    assert study.check(claims[0]).verdict == "proved"


def test_the_kernel_writes_no_formula_for_members(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    written = written_out.delta

    def told(*given: Any) -> Any:
        try:
            return written(*given)
        except NoLoss as error:
            said.append(str(error))
            raise

    monkeypatch.setattr(written_out, "delta", told)
    text = FILE.format(domain="in [0,1]", epsilon="1", delta="0.76")
    study, claims = dpc.loads(text + FAMILY.format(name="M", epsilon="2*e[i]", delta="(1 - e[i])/2", count=2))
    study.check(claims[0])
    assert "the formula is for mechanisms that are alike, not for members of their own" in said
