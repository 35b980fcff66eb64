"""Mechanisms with several guarantees in metrics: of several notions, and with a δ(D, E) of their own."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from in_metrics import THEORY, claimed, saved, stated, study, verdicts
from shares import rows

import dpcompose as dpc
from dpcompose.front.printers import render
from dpcompose.front.studies.recheck import outcome
from dpcompose.kernel.check import Refused

PLANE = '[databases]\nkind = "points"\ncoordinates = ["x", "y"]\n'
NORMS = '[metrics.L1]\nnorm = "L1"\n[metrics.L2]\nnorm = "L2"\n'


def several(*guarantees: str, name: str = "M") -> str:
    return f'[[mechanisms]]\nname = "{name}"\nsatisfies = [{", ".join(guarantees)}]\n'


def one(notion: str, metric: str, **others: str) -> str:
    besides = "".join(f', {key} = "{x}"' for key, x in others.items())
    return f'{{ notion = "{notion}", metric = "{metric}"{besides} }}'


BOTH = several(one("pure", "e*L2"), one("zcdp", "e*L2"))


@pytest.mark.parametrize(
    ("mechanism", "claim", "verdict"),
    rows(
        [
            (BOTH, claimed("e*L2"), "proved"),
            (BOTH, claimed("e*L2/2"), "refuted"),  # (e L2)^2/2 <= (e L2)^2: the pure one implies the other
            (BOTH, claimed("e*L2/sqrt(2)", notion="zcdp"), "proved"),
            (BOTH, claimed("e*L2/10", notion="zcdp"), "refuted"),
            (several(one("pure", "e*L2"), one("zcdp", "e*L2/3")), claimed("e*L2/3", notion="zcdp"), "proved"),
            (several(one("pure", "e*L2"), one("zcdp", "e*L2/3")), claimed("e*L2/2"), "undecided"),
            (several(one("pure", "e*L2"), one("zcdp", "r*L2")), claimed("r*L2/9", notion="zcdp"), "refuted"),
            (several(one("pure", "e*L2"), one("zcdp", "r*L2")), claimed("min(e, r)*L2/2"), "refuted"),
            (several(one("pure", "e*L2"), one("gaussian", "m*L2")), claimed("min(e, m)*L2/9"), "refuted"),
            (several(one("pure", "e*L2"), one("gaussian", "m*L2")), claimed("(e + m)*L2"), "proved"),
            (
                several(one("pure", "e*L2"), one("approximate", "e*L2/2", delta="d*L2")),
                claimed("e*L2/2", notion="approximate", delta="d*L2"),
                "proved",
            ),
            (
                several(one("approximate", "L1", delta="d*L2"), one("approximate", "L2", delta="d*L1")),
                claimed("L2", notion="approximate", delta="d*L1"),
                "proved",
            ),
            (
                several(one("approximate", "L1", delta="d*L2"), one("approximate", "L2", delta="d*L1")),
                claimed("L2", notion="approximate", delta="d*L2/2"),
                "undecided",
            ),
        ]
    ),
)
def test_verdicts_by_hand(mechanism: str, claim: str, verdict: str) -> None:
    assert verdicts(PLANE + NORMS + mechanism + claim) == [verdict]


def test_beside_another_mechanism_and_in_a_family() -> None:
    given = PLANE + NORMS + BOTH + stated("f*L2", name="N")
    made, found = study(given + claimed("(e + f)*L2") + claimed("f*L2") + claimed("e*L2"))
    assert [answer.verdict for answer in found] == ["proved", "refuted", "refuted"]
    assert str(made.guarantee()) == "private in the metric L2*e + L2*f, by GB:IV.3; optimal"
    assert made.guarantee().assumptions[0] == (
        "M is private in the metric L2*e, and zcdp-private in the metric L2*e"
    )
    family = several(one("pure", "e[i]*L2"), one("gaussian", "m[i]*L2")).replace(
        "satisfies", 'index = "i"\ncount = "k"\nsatisfies'
    )
    text = PLANE + NORMS + '[parameters]\nk = "integer >= 2"\n' + family + claimed("sum(e[i], i, 1, k)*L2")
    assert verdicts(text + claimed("sqrt(sum(m[i]**2, i, 1, k))*L2", notion="gaussian")) == ["proved"] * 2


def test_what_refutes_is_a_part_of_a_guarantee() -> None:
    """75/94 of pure privacy is Gaussian with m: two outcomes; members of families have no parts."""
    both = several(one("pure", "e*L2"), one("gaussian", "m*L2"))
    _, (answer,) = study(PLANE + NORMS + both + claimed("min(e, m)*L2/9"))
    assert "with outcomes 1, 0 and P(1) = exp(-75/94)/2 at D, 1/2 at D'" in render.verdict(1, answer)
    family = several(one("pure", "e[i]*L2"), one("zcdp", "r[i]*L2")).replace(
        "satisfies", 'index = "i"\ncount = "2"\nsatisfies'
    )
    assert verdicts(PLANE + NORMS + family + claimed("sum(e[i], i, 1, 2)*L2/9")) == ["undecided"]


def test_in_python() -> None:
    every = [dpc.in_metric("e*L2"), dpc.in_metric("r*L2", "zcdp")]
    made = dpc.compose(dpc.mechanism("M", every), on=dpc.points("x y"), metrics={"L2": dpc.norm("L2")})
    assert made.check("e*L2") and made.check(dpc.in_metric("r*L2", "zcdp"))
    again, _ = dpc.loads(made.to_toml())
    assert again.check("e*L2")
    people = dpc.compose(
        dpc.mechanism("M", [dpc.in_metric("e*d_unbounded"), dpc.zcdp("r", dpc.bounded)]),
        on=dpc.multisets(),
        metrics={},
    )
    assert people.check("2*e*d_bounded") and people.check(dpc.in_metric("sqrt(r)*d_bounded", "zcdp"))


# forged derivations


@pytest.mark.parametrize("forged", ["which", "no implication", "another guarantee"])
def test_forged_derivations_are_refused(forged: str, tmp_path: Any) -> None:
    data = saved(PLANE + NORMS + BOTH + claimed("e*L2/2"), tmp_path)
    assert outcome(data, THEORY)
    for step in data["derivation"]["steps"]:
        if step["rule"] == "choose":
            step["which"] = [1] if forged == "which" else step["which"]
            if forged == "no implication":
                step.pop("from", None)
        if step["rule"] == "implies" and forged == "another guarantee":
            step["m"] = 0
    with pytest.raises(Refused):
        outcome(data, THEORY)


# against mechanisms with three outcomes


def worst(p: list[float], q: list[float]) -> dict[str, float]:
    """What two distributions lose: ε, ρ at many orders, and δ at ε = 1/2."""
    ratios = [max(math.log(a / b), math.log(b / a)) for a, b in zip(p, q, strict=True)]
    orders = [1 + 2 ** (n / 4) / 64 for n in range(48)]
    renyi = [
        math.log(sum(a**x * b ** (1 - x) for a, b in zip(u, v, strict=True))) / (x - 1) / x
        for x in orders
        for u, v in ((p, q), (q, p))
    ]
    over = [
        sum(max(0.0, a - math.exp(0.5) * b) for a, b in zip(u, v, strict=True)) for u, v in ((p, q), (q, p))
    ]
    return {"pure": max(ratios), "zcdp": max(renyi), "approximate": max(over)}


def attack(seed: int) -> int:
    """No mechanism that has all guarantees breaks what is proved; so many of those that were drawn have all."""
    drawn = random.Random(seed)
    e, r, d = drawn.choice([0.5, 1.0, 2.0]), drawn.choice([0.1, 0.3, 0.6]), drawn.choice([0.05, 0.1, 0.3])
    given = several(one("pure", f"{e}*d"), one("zcdp", f"{r}*d"), one("approximate", "0.5*d", delta=f"{d}*d"))
    listed = '[databases]\nkind = "listed"\nelements = ["a", "b"]\n[metrics.d]\ntable = [["a", "b", "1"]]\n'
    asked = [(notion, drawn.randint(1, 40) / 20) for notion in ("pure", "zcdp") for _ in range(3)]
    text = "".join(claimed(f"{x}*d", notion=notion) for notion, x in asked)
    found = verdicts(listed + given + text)
    fitting = 0
    for _ in range(200):
        p, q = ([drawn.random() ** 2 + 1e-3 for _ in range(3)] for _ in range(2))
        mixed = drawn.random()  # mostly near each other
        p = [x / sum(p) for x in p]
        q = [mixed * a + (1 - mixed) * b / sum(q) for a, b in zip(p, q, strict=True)]
        q = [x / sum(q) for x in q]
        lost = worst(p, q)
        if lost["pure"] > e or lost["zcdp"] > r * r or lost["approximate"] > d:
            continue
        fitting += 1
        for (notion, x), verdict in zip(asked, found, strict=True):
            value = lost[notion] if notion == "pure" else math.sqrt(max(lost[notion], 0))
            assert verdict != "proved" or value <= x + 1e-9, (seed, notion, x)
    for (notion, x), verdict in zip(asked, found, strict=True):
        if notion == "pure":
            assert verdict == "proved" if x >= e else verdict != "proved"
        if notion == "zcdp" and x >= min(r, e / math.sqrt(2)) + 1e-9:
            assert verdict == "proved"
        if notion == "zcdp" and verdict == "refuted":
            assert x < min(r, e / math.sqrt(2))
    return fitting


def test_no_mechanism_breaks_what_is_proved() -> None:
    assert attack(0) > 10


@pytest.mark.slow
def test_no_mechanism_breaks_what_is_proved_in_many_settings() -> None:
    assert sum(map(attack, range(1, 150))) > 3_000
