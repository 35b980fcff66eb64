"""Formulas of one distance that say less of chains of single steps than of all steps at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from in_metrics import THEORY, forged

import dpcompose as dpc
from dpcompose.front.studies import recheck
from dpcompose.kernel.check import Refused

BAGS = """format = 1
[databases]
kind = "multisets"
records = ["a", "b"]
[granularities.two]
group = 2
of = "unbounded"
[granularities.three]
group = 3
of = "unbounded"
[target]
granularity = "{target}"
"""


def stated(metric: str, notion: str = "pure", more: str = "") -> str:
    given = f'guarantee = {{ notion = "{notion}", metric = "{metric}"{more} }}'
    return f'[[mechanisms]]\nname = "M"\n{given}\n'


def claimed(notion: str, **values: str) -> str:
    return f'[[claims]]\nnotion = "{notion}"\n' + "".join(f'{key} = "{x}"\n' for key, x in values.items())


def verdicts(text: str) -> list[str]:
    study, read = dpc.loads(text)
    return [study.check(claim).verdict for claim in read]


@pytest.mark.parametrize(
    ("target", "metric", "right", "wrong"),
    [
        ("two", "e*d_unbounded**2", "2*e", "19/10*e"),
        ("three", "e*d_unbounded**2", "3*e", "29/10*e"),
        ("bounded", "e*d_unbounded**2", "2*e", "19/10*e"),
        ("bounded", "e*d_unbounded*max(1, d_unbounded)", "2*e", "19/10*e"),
        ("three", "e*d_unbounded + d_unbounded**3", "3*e + 3", "3*e + 29/10"),
    ],
)
def test_steps_one_by_one(target: str, metric: str, right: str, wrong: str) -> None:
    """The square says 4 and 9 of two and three steps, and single ones 2 and 3; no less, as 2 <= 4 and so on."""
    text = BAGS.format(target=target) + stated(metric)
    text += claimed("pure", epsilon=right) + claimed("pure", epsilon=wrong)
    assert verdicts(text) == ["proved", "refuted"]


def test_in_other_notions() -> None:
    """rho: (2·e)² and not (4·e)²; (e, 1/100) twice is (2e, 1/100 + exp(e)/100)."""
    text = BAGS.format(target="two") + stated("e*d_unbounded**2", "zcdp")
    some = [claimed("zcdp", rho="4*e**2"), claimed("zcdp", rho="39/10*e**2")]
    assert verdicts(text + "".join(some)) == ["proved", "refuted"]
    text = BAGS.format(target="two") + stated("m*d_unbounded**2", "gaussian")
    some = [claimed("gaussian", mu="2*m"), claimed("gaussian", mu="19/10*m")]
    assert verdicts(text + "".join(some)) == ["proved", "refuted"]
    more = ', delta = "d_unbounded**2/100"'
    text = BAGS.format(target="two") + stated("e*d_unbounded**2", "approximate", more)
    some = [
        claimed("approximate", epsilon="2*e", delta="1/100 + exp(e)/100"),
        claimed("approximate", epsilon="4*e", delta="4/100"),
    ]
    assert verdicts(text + "".join(some)) == ["proved", "proved"]


def test_what_all_steps_at_once_say_less_of() -> None:
    """min(e·d², 3) is 3 at two steps for e = 3: less than 2·3, so that single steps alone refute nothing."""
    text = BAGS.format(target="two") + stated("min(e*d_unbounded**2, 3)")
    some = [claimed("pure", epsilon=x) for x in ("3", "2*e", "19/10*e")]
    assert verdicts(text + "".join(some)) == ["proved", "proved", "undecided"]


def test_forged(tmp_path: Path) -> None:
    """Other values at one step, and a formula that is not seen to be at least what is made of them."""
    text = BAGS.format(target="two") + stated("e*d_unbounded**2")
    text += claimed("pure", epsilon="2*e") + claimed("pure", epsilon="19/10*e")
    study, read = dpc.loads(text)
    study.save(tmp_path / "saved.json", [study.check(claim) for claim in read])
    data: Any = json.loads((tmp_path / "saved.json").read_text(encoding="utf-8"))
    assert recheck.outcome(data, THEORY).verdicts == ("proved", "refuted")
    every = data["derivation"]["steps"]
    proved, *_, refuted = (n for n, step in enumerate(every) if step["rule"] == "single_steps")
    steps = ["derivation", "steps"]
    for place, value in [
        ([*steps, proved, "values", "1", "epsilon"], "e/2"),
        ([*steps, proved, "values"], {}),
        ([*steps, proved, "values"], {"2": {"epsilon": "e"}}),
        ([*steps, refuted, "values", "1", "epsilon"], "2*e"),
        ([*steps, refuted, "certificates"], {}),
        ([*steps, refuted, "certificates", "1"], {}),
        (["core", "mechanisms", 0, "metric", "formula"], "d__d_unbounded*e"),
        (["core", "mechanisms", 0, "metric", "formula"], "min(d__d_unbounded**2*e, 3)"),
    ]:
        with pytest.raises(Refused):
            recheck.outcome(forged(data, place, value), THEORY)
