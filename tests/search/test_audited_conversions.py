"""Audits of conversion pages: planted false ones fall, by pairs that are looked at again in plain arithmetic."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pytest

from dpcompose.front.printers import audited
from dpcompose.front.studies.loading import load
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.proof.theory import registry
from dpcompose.search.audits.audits import MOST, Answer, answers
from dpcompose.search.audits.conversions import conversion
from dpcompose.search.audits.outcomes import enclosed
from dpcompose.search.audits.searched import Looked
from dpcompose.search.audits.suppositions import NoSearch

THEORY = registry.standard()
NORMAL = NormalDist()
HAIR = 1e-9


def of(values: Mapping[str, Any], a: float) -> dict[str, float]:
    """Parameters as numbers, at an order."""
    at = {"alpha": terms.number(int(a))}
    return {key: float(enclosed(formulas.parse(formulas.to_text(x), at)).high) for key, x in values.items()}


def excess(P: Sequence[float], Q: Sequence[float], epsilon: float) -> float:
    if len(P) == 1:
        mu = abs(P[0] - Q[0])
        return NORMAL.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * NORMAL.cdf(-mu / 2 - epsilon / mu)
    return sum(max(0.0, p - math.exp(epsilon) * q) for p, q in zip(P, Q, strict=True))


def divergence(P: Sequence[float], Q: Sequence[float], a: float) -> float:
    if len(P) == 1:
        return a * (P[0] - Q[0]) ** 2 / 2
    if any(p and not q for p, q in zip(P, Q, strict=True)):
        return math.inf
    return math.log(sum(p**a * q ** (1 - a) for p, q in zip(P, Q, strict=True) if p)) / (a - 1)


def apart(P: Sequence[float], Q: Sequence[float]) -> float:
    """The least mu, by the events that hold the outcomes of which p/q is largest."""
    if len(P) == 1:
        return abs(P[0] - Q[0])
    pairs = sorted(
        zip(P, Q, strict=True), key=lambda one: one[0] / one[1] if one[1] else math.inf, reverse=True
    )
    sums = [(sum(p for p, _ in pairs[:n]), sum(q for _, q in pairs[:n])) for n in range(1, len(pairs))]
    return max(NORMAL.inv_cdf(p) - NORMAL.inv_cdf(q) if q > 0 and p < 1 else math.inf for p, q in sums)


def loses_more(notion: str, P: Sequence[float], Q: Sequence[float], values: Mapping[str, Any]) -> bool:
    """Whether P loses more at Q than some parameters allow, but for what floats round."""
    here = of(values, 2)
    if notion in ("pure", "approximate"):
        return excess(P, Q, here["epsilon"]) > here.get("delta", 0) + HAIR
    if notion in ("zcdp", "tcdp"):
        orders = [a for a in (1.001, 1.01, 1.5, 2, 3, 4) if a * here.get("tau", 0) <= 1]
        return any(divergence(P, Q, a) > here["rho"] * a + HAIR for a in orders)
    if notion == "gaussian":
        return apart(P, Q) > here["mu"] + HAIR
    assert notion == "renyi"
    known = [int(here["alpha"])] if "alpha" in here else [2, 3]
    return any(divergence(P, Q, a) > of(values, a)["epsilon"] + HAIR for a in known)


def hold(answer: Answer) -> None:
    """Both distributions have the guarantee, and one loses more than is concluded."""
    found = answer.found
    assert found is not None
    P, Q = ([float(x) for x in row] for row in found.rows[0])
    assert len(P) == 1 or sum(P) == sum(Q) == 1
    if found.given_in != "laplace":  # what is told of Laplace noise is less than it is
        assert not loses_more(found.given_in, P, Q, found.given[0])
        assert not loses_more(found.given_in, Q, P, found.given[0])
    assert loses_more(answer.statement.notion, P, Q, found.claim)


def planted(id: str, **parameters: str) -> Any:
    page = THEORY.pages[id]
    return replace(page, head=replace(page.head, parameters=parameters))


PLANTED = [
    planted("approximate-to-pure", epsilon="epsilon/2"),
    planted("gaussian-to-approximate", epsilon="0", delta="mu/5"),
    planted("gaussian-to-renyi", epsilon="alpha*mu**2/3"),
    planted("gaussian-to-zcdp", rho="mu**2/4"),
    planted("laplace-to-pure", epsilon="epsilon*9/10"),
    planted("laplace-to-renyi", epsilon="epsilon**2/2"),
    planted("laplace-to-zcdp", rho="epsilon**2/4"),
    planted("pure-to-approximate", epsilon="epsilon/2", delta="0"),
    planted("pure-to-gaussian", mu="epsilon"),
    planted("pure-to-gaussian-root", mu="sqrt(2*epsilon)"),
    planted("pure-to-renyi", epsilon="epsilon**2/4*alpha"),
    planted("pure-to-renyi-least", epsilon="min(epsilon, alpha*epsilon**2/4)"),
    planted("pure-to-total-variation", epsilon="0", delta="tanh(epsilon/3)"),
    planted("pure-to-zcdp", rho="epsilon**2/4"),
    planted("pure-to-zcdp-square", rho="9*epsilon**2/20"),
    planted("renyi-to-approximate", epsilon="epsilon", delta="delta"),
    planted("renyi-to-pure", epsilon="epsilon/2"),
    planted("renyi-to-zcdp", rho="epsilon/alpha/2"),
    planted("tcdp-to-renyi", epsilon="alpha*rho/2"),
    planted("tcdp-to-approximate", epsilon="rho", delta="delta"),
    planted("tcdp-to-approximate-inside", epsilon="rho + sqrt(rho*log(1/delta))", delta="delta"),
    planted("zcdp-to-approximate", epsilon="rho + sqrt(rho*log(1/delta))", delta="delta"),
    planted("zcdp-to-renyi", epsilon="rho"),
    planted("zcdp-to-total-variation", epsilon="0", delta="sqrt(rho)/2"),
    planted("zcdp-to-tcdp", rho="rho/2", tau="0"),
]


@pytest.mark.parametrize("page", PLANTED, ids=lambda page: page.id)
def test_planted_false_conversions_fall(page: Any) -> None:
    answer = next(iter(answers(THEORY, page, MOST)))
    assert answer.without is None
    hold(answer)


NEEDED = {
    "approximate-to-pure": ["delta is 0"],
    "gaussian-to-approximate-textbook": [
        "mu is at most epsilon/sqrt(2*log(5/(4*delta)))",
        "epsilon is at most 1",
    ],
    "renyi-to-pure": ["the guarantee is about all large orders"],
    "renyi-to-zcdp": ["the guarantee is about all orders"],
    "tcdp-to-renyi": ["tau is at most 1/alpha"],
}


@pytest.mark.parametrize("id", NEEDED)
def test_what_a_conversion_supposes_is_needed(id: str, tmp_path: Path) -> None:
    (statement,) = conversion(THEORY, THEORY.pages[id])
    assert [one.words for one in statement.suppositions] == NEEDED[id]
    for without in statement.suppositions:
        found = statement.without(without).look(MOST, Looked())
        one = Answer(statement, without, found, Looked())
        hold(one)
        text = audited.file_text(one)
        assert (text is None) == statement.ordered
        if text is not None:
            path = tmp_path / audited.file_name(one)
            path.write_text(text, encoding="utf-8")
            study, (claim,) = load(path)
            assert study.check(claim).verdict == "refuted"


def test_what_is_no_statement_about_two_distributions_says_so() -> None:
    with pytest.raises(NoSearch, match="delta-apart says what has its guarantee, and not what that loses"):
        list(answers(THEORY, THEORY.pages["delta-apart"]))
