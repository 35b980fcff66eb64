"""Claims below a guarantee whose parameters stand in denominators, under roots, in exponentials or logarithms.

Whatever the guarantee, 9/10 of it is refuted, it itself is proved and 11/10 of it is loose; the losses at the
point that is found are computed again by mpmath.
"""

from __future__ import annotations

from typing import Any

import mpmath
import pytest
from shares import every_third
from verdicts import found, stated

from dpcompose.front.documents.verdict import Verdict

N = {"n": "integer >= 1"}
UNIT = {"d": "in (0,1)"}
VALUES: list[tuple[str, dict[str, str]]] = [
    ("1/n", {}),
    ("1/n", N),
    ("w/n", {}),
    ("w**2/(3*n)", {}),
    ("1/sqrt(n)", {}),
    ("1/sqrt(2*n)", N),
    ("1/(s + t)", {}),
    ("sqrt(2)/(s + 1)", {}),
    ("1/(s + sqrt(2))", {}),
    ("sqrt(s + 2)", {}),
    ("n**(1/3)", {}),
    ("1/s + 1/t", {}),
    ("max(1/s, 1/t)", {}),
    ("1/max(s, t)", {}),
    ("1/(1 - d)", UNIT),
    ("d/(1 - d)", UNIT),
    ("exp(-s)", {}),
    ("1/(1 + exp(s))", {}),
    ("1/log(1 + s)", {}),
    ("log(1 + s)", {}),
    ("sqrt(log(2 + s))/t", {}),
]
PARAMETER = {"gaussian": "mu", "zcdp": "rho", "pure": "epsilon"}


@pytest.mark.parametrize(("notion", "given"), every_third(list(PARAMETER), VALUES))
def test_nine_tenths_of_a_value(notion: str, given: tuple[str, dict[str, str]]) -> None:
    value, domains = given
    key = PARAMETER[notion]
    claims = [{"notion": notion, key: f"{times}*({value})"} for times in ("9/10", "1", "11/10")]
    _, verdicts = found(stated([{"notion": notion, key: value}], claims, domains))
    assert [one.verdict for one in verdicts] == ["refuted", "proved", "proved"]
    assert verdicts[1].loose is not True and verdicts[2].loose is not False
    lost, claimed = _lost(verdicts[0], notion), _at(f"9/10*({value})", verdicts[0])
    assert lost > claimed
    assert abs(lost - claimed / 0.9) < 1e-6 * max(1, lost)


def _at(value: str, verdict: Verdict) -> Any:
    """The value of a formula at the point of a counterexample, by mpmath."""
    assert verdict.counterexample is not None
    point = {
        name: mpmath.mpf(x.numerator) / x.denominator for name, x in verdict.counterexample.point.items()
    }
    scope = {"sqrt": mpmath.sqrt, "log": mpmath.log, "exp": mpmath.exp, "max": max, "__builtins__": {}}
    return eval(value, scope, point)


def _lost(verdict: Verdict, notion: str) -> Any:
    """What the mechanism of a counterexample loses, from the numbers that are shown of it."""
    assert verdict.counterexample is not None
    (row,) = verdict.counterexample.rows
    data = row.data()
    scope = {"sqrt": mpmath.sqrt, "log": mpmath.log, "exp": mpmath.exp, "max": max, "__builtins__": {}}
    if row.outcomes:
        return mpmath.log(eval(data["at E"], scope) / eval(data["at D"], scope))
    mean, variance = eval(data["mean at D"], scope), eval(data["variance"], scope)
    return mean / mpmath.sqrt(variance) if notion == "gaussian" else mean**2 / (2 * variance)


FAMILIES = [
    ("gaussian", "1/s[i]", "sqrt(sum(1/s[i]**2, i, 1, k))", "max(1/s[i], i, 1, k)"),
    ("gaussian", "1/sqrt(s[i])", "sqrt(sum(1/s[i], i, 1, k))", "max(1/sqrt(s[i]), i, 1, k)"),
    ("zcdp", "1/(2*s[i]**2)", "sum(1/(2*s[i]**2), i, 1, k)", "max(1/(2*s[i]**2), i, 1, k)"),
    ("pure", "1/s[i]", "sum(1/s[i], i, 1, k)", "max(1/s[i], i, 1, k)"),
]


@pytest.mark.parametrize(("notion", "value", "total", "most"), FAMILIES)
def test_families(notion: str, value: str, total: str, most: str) -> None:
    key = PARAMETER[notion]
    claims = [{"notion": notion, key: one} for one in (total, f"9/10*{total}", most)]
    text = stated([{"notion": notion, key: value}], claims, {"k": "integer >= 1"}, index="i", count="k")
    _, verdicts = found(text)
    assert [one.verdict for one in verdicts] == ["proved", "refuted", "refuted"]


def test_scales_of_two_mechanisms() -> None:
    """μ = 1/σ of each: √(1/s² + 1/t²), and no value with one of both."""
    claims = [{"notion": "gaussian", "mu": mu} for mu in ("sqrt(1/s**2 + 1/t**2)", "max(1/s, 1/t)", "1/s")]
    _, verdicts = found(
        stated([{"notion": "gaussian", "mu": "1/s"}, {"notion": "gaussian", "mu": "1/t"}], claims)
    )
    assert [one.verdict for one in verdicts] == ["proved", "refuted", "refuted"]


def test_delta_in_a_denominator() -> None:
    given = {"notion": "approximate", "epsilon": "1/s", "delta": "1/sqrt(1 + n)"}
    claims = [{**given, "delta": f"{times}/sqrt(1 + n)"} for times in ("9/10", "1", "11/10")]
    _, verdicts = found(stated([given], claims))
    assert [one.verdict for one in verdicts] == ["refuted", "proved", "proved"]
