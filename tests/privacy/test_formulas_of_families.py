"""Families on parts and on overlapping inputs that are stated in formulas of several distances, by hand.

Where a record of a part takes another one's place it moves by 2 unbounded steps and by 1 bounded one; where it
leaves for another part, both parts move by 1 and by ∞.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dpcompose as dpc
from dpcompose.front.studies.recheck import outcome
from dpcompose.kernel.check import Refused
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.theorems import NoTheorem, Prover
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.proof.theory import registry

REPLACED = '{ contribution = { parts = "L", rows = "ROWS", replaced = true } }'


def text(
    metric: str, *claims: str, domain: str = "own", rows: str | None = None, notion: str = "pure"
) -> str:
    """A family under replacement of a record in at most L of k inputs; or of a person with rows in L parts."""
    key = {"pure": "epsilon", "zcdp": "rho"}[notion]
    inputs = 'kind = "record-wise"' if rows else 'kind = "overlapping"\nat-most = "L"'
    target = REPLACED.replace("ROWS", rows) if rows else '"bounded"'
    return (
        'format = 1\n[parameters]\nk = "integer >= 2"\nL = "integer >= 1"\n[databases]\nkind = "multisets"\n'
        f'[partitions.H]\nparts = "k"\n{inputs}\n[target]\ngranularity = {target}\n'
        '[[mechanisms]]\nname = "M"\nindex = "i"\ncount = "k"\nreads = { part = "i", of = "H" }\n'
        f'guarantee = {{ notion = "{notion}", metric = "{metric}", domain = "{domain}" }}\n'
    ) + "".join(f'[[claims]]\nnotion = "{notion}"\n{key} = "{one}"\n' for one in claims)


def verdicts(problem: str) -> list[str]:
    study, claims = dpc.loads(problem)
    return [study.check(claim).verdict for claim in claims]


STAYS, LEAVES = "2*top(L, e[i], i, 1, k)", "top(2*L, e[i], i, 1, k)"


@pytest.mark.parametrize("rows", [None, "1"])
@pytest.mark.parametrize(
    ("metric", "claim", "verdict"),
    [
        # min(2, 3) = 2 in L inputs, min(1, ∞) = 1 in 2L of them; it is e*d_unbounded, which is attained
        ("min(e[i]*d_unbounded, 3*e[i]*d_bounded)", STAYS, "proved"),
        ("min(e[i]*d_unbounded, 3*e[i]*d_bounded)", LEAVES, "undecided"),
        # min(2, 1) = 1 and min(1, ∞) = 1
        ("min(e[i]*d_unbounded, e[i]*d_bounded)", LEAVES, "proved"),
        # min(2, 3/2) and 1: some inputs may count once and others twice
        ("min(e[i]*d_unbounded, 3*e[i]*d_bounded/2)", STAYS, "undecided"),
        # 5 in 2L inputs, and no more than 1 in L of them
        ("min(5*e[i], e[i]*d_bounded)", "5*" + LEAVES, "proved"),
        ("min(5*e[i], e[i]*d_bounded)", "4*" + LEAVES, "refuted"),
        ("e[i]*d_unbounded + e[i]*d_bounded", "100*" + LEAVES, "refuted"),
    ],
)
def test_bounds_by_hand(rows: str | None, metric: str, claim: str, verdict: str) -> None:
    assert verdicts(text(metric, claim, rows=rows)) == [verdict]


BOTH = (
    'satisfies = [{ notion = "pure", epsilon = "e[i]", granularity = "unbounded", domain = "own" }, '
    '{ notion = "pure", epsilon = "3*e[i]", granularity = "bounded", domain = "own" }]\n'
)


def test_squares() -> None:
    metric = "min(e[i]*d_unbounded, 3*e[i]*d_bounded)"
    assert verdicts(text(metric, "4*top(L, e[i]**2, i, 1, k)", notion="zcdp")) == ["proved"]


def test_one_metric_is_a_guarantee_for_neighbours() -> None:
    """With a number for L too: a record moves those inputs by 2 that it stays in, and by 1 those it leaves."""
    numbered = text("e[i]*d_unbounded", STAYS, LEAVES).replace('at-most = "L"', 'at-most = "2"')
    assert verdicts(numbered.replace("top(L", "top(2").replace("2*L", "4")) == ["proved", "refuted"]


def test_fewer_rows_may_count_for_more() -> None:
    """Of two rows that go one comes: min(10*3, ∞) = 30, above min(10*4, 2) = 2 and min(10*2, ∞) = 20."""
    assert verdicts(text("min(10*e[i]*d_unbounded, e[i]*d_bounded)", "20*" + LEAVES, rows="2")) == [
        "undecided"
    ]
    assert verdicts(text("min(10*e[i]*d_unbounded, 20*e[i])", "20*" + LEAVES, rows="2")) == ["proved"]


def test_counts_of_persons_that_are_replaced() -> None:
    """m rows fewer in L parts, and m more in L others; where rows go and come, a count is as before."""
    stated = text("e[i]*d_unbounded", "m*" + LEAVES, "m*" + STAYS, rows="m")
    begin, end = stated.index("guarantee"), stated.index("[[claims]]")
    counted = stated[:begin] + 'query = "count"\nnoise = { laplace = "1/e[i]" }\n' + stated[end:]
    assert verdicts(counted.replace("[databases]", 'm = "integer >= 1"\n[databases]')) == ["proved", "proved"]
    less = counted.replace("m*" + STAYS, "3*m*top(L, e[i], i, 1, k)/2")
    assert verdicts(less.replace("[databases]", 'm = "integer >= 1"\n[databases]')) == ["proved", "refuted"]


def test_forged_derivations_are_refused(tmp_path: Path) -> None:
    """The smaller claim in place of the one that is proved."""
    study, claims = dpc.loads(text("min(e[i]*d_unbounded, 3*e[i]*d_bounded)", STAYS))
    study.save(tmp_path / "saved.json", [study.check(claim) for claim in claims])
    data = json.loads((tmp_path / "saved.json").read_text(encoding="utf-8"))
    assert outcome(data, registry.standard())
    forged = json.loads(json.dumps(data).replace(STAYS, LEAVES))
    assert forged != data
    with pytest.raises(Refused):
        outcome(forged, registry.standard())


@pytest.mark.parametrize("target", [None, '{ group = "r", of = "bounded" }'])
def test_several_guarantees_allow_what_formulas_allow(target: str | None) -> None:
    """A record that stays loses min(2*e, 3*e), whatever one that leaves does by each of the guarantees."""
    stated = text("e[i]*d_unbounded", LEAVES, STAYS)
    begin, end = stated.index("guarantee ="), stated.index("[[claims]]")
    several = stated[:begin] + BOTH + stated[end:]
    if target:
        several = several.replace('"bounded"\n', f"{target}\n", 1).replace(STAYS, f"r*{STAYS}")
        several = several.replace("[databases]", 'r = "integer >= 1"\n[databases]')
    assert verdicts(several) == ["undecided", "proved"]
    setting = Elaborated(dpc.loads(several)[0].setting).core
    theory = Theory(registry.standard().pages)
    cover = Prover(setting.with_each(), theory).by("cover")
    with pytest.raises(NoTheorem, match=r"where (what moves by oo is lost|losses add up)"):
        Prover(setting, theory).by("among", cover, notion="pure")
