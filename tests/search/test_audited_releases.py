"""Audits of noise and query pages: planted false ones fall, and those that ship stand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from shares import every_second

from dpcompose.front.printers import audited
from dpcompose.kernel.expressions import formulas
from dpcompose.proof.theory import registry
from dpcompose.search.audits.audits import Answer, answers
from dpcompose.search.audits.noises import KNOWN
from dpcompose.search.audits.outcomes import enclosed
from dpcompose.search.audits.queries import KINDS
from dpcompose.search.audits.suppositions import NoSearch

THEORY = registry.standard()
FEW = 3
"""The smallest values do: the search of all is for the slow run, as `pages(*READERS)` in test_audits.py."""


def planted(id: str, **said: Any) -> Any:
    page = THEORY.pages[id]
    return replace(page, head=replace(page.head, **said))


def first(page: Any) -> Answer:
    """As it stands, in the first of its norms or notions."""
    return next(iter(answers(THEORY, page, FEW)))


MOVES = {
    "bit": {"L1": "min(1, removed + added)/2"},
    "count": {"L1": "max(removed, added) - 1"},
    "histogram": {"L2": "max(removed, added)"},
    "location": {"L1": "w*min(1, removed, added)"},
    "monotone-scores": {"range": "c*max(removed, added)"},
    "scores": {"range": "c*(removed + added)"},
    "sum": {"L1": "(u - l)*max(removed, added)/2"},
    "vector-sum": {"L2": "max(removed, added)*c"},
    "mean": {"L1": "max(removed*u - added*l, added*u - removed*l)/(n + 1)"},
    "variance": {"L1": "(u - l)**2*max(removed, added)*(n - max(removed, added))/n**2/2"},
}


@pytest.mark.parametrize("id", MOVES)
def test_planted_false_queries_fall(id: str) -> None:
    """How far the two values are apart is computed again from what is shown."""
    found = first(planted(id, moves=MOVES[id], at_least=None)).found
    assert found is not None and not found.rows
    (norm, claim), far = next(iter(found.claim.items())), found.lost.split(" = ")[1]
    assert norm in MOVES[id] and enclosed(formulas.parse(far, {})).low > enclosed(claim).high


def test_a_least_number_of_records_is_one_of_the_formulas() -> None:
    at_least = THEORY.pages["mean"].head.at_least
    less = replace(at_least, moves={key: f"({text})/2" for key, text in at_least.moves.items()})
    assert first(THEORY.pages["mean"]).found is None
    assert first(planted("mean", at_least=less)).found is not None


GUARANTEES = {
    "laplace": {"pure": {"epsilon": "9/10/b"}},
    "geometric": {"pure": {"epsilon": "9/10/b"}},
    "normal-noise": {"gaussian": {"mu": "9/10/s"}},
    "planar-laplace": {"pure": {"epsilon": "9/10/b"}},
    "randomized-response": {"pure": {"epsilon": "log(p/(1 - p))/2"}},
    "exponential": {"pure": {"epsilon": "t/2"}},
    "laplace-with-threshold": {
        "approximate": {"epsilon": "L*m/b", "delta": "9/10*(1 - (1 - exp((m - tau)/b)/2)**L)"}
    },
}


@pytest.mark.parametrize("id", GUARANTEES)
def test_planted_false_noises_fall(id: str) -> None:
    assert first(planted(id, guarantee=GUARANTEES[id], moved={})).found is not None


def test_what_the_value_moves_by_may_be_all_that_counts() -> None:
    assert first(planted("laplace", guarantee={}, moved={"zcdp": {"rho": "(r/b)**2/4"}})).found is not None


NEEDED = {
    "laplace": {"norm"},
    "geometric": {"entries"},
    "exponential": {"norm"},
    "sum": {"bounded"},
    "mean": {"bounded", "alike"},
    "variance": {"bounded", "alike"},
    "count": set[str](),
    "location": {"bounded"},
}


@pytest.mark.parametrize("id", every_second(list(NEEDED)))
def test_pages_stand_and_need_what_they_suppose(id: str) -> None:
    found = list(answers(THEORY, THEORY.pages[id], FEW))
    assert all(one.found is None for one in found if one.without is None)
    assert {one.without.key for one in found if one.found is not None and one.without} == NEEDED[id]
    for one in found:
        assert audited.lines(one) and audited.data(one)["page"] == id and audited.file_text(one) is None


def test_every_page_is_known_or_said_not_to_be() -> None:
    noises = {page.head.noise for page in THEORY.of_kind("noise")}
    assert noises == {*KNOWN, "above-threshold", "gaussian-with-threshold"}
    assert {page.id for page in THEORY.of_kind("query")} == {*KINDS, "keys", "questions"}
    with pytest.raises(NoSearch, match="keys is no query of which values are known; bit"):
        first(THEORY.pages["keys"])
    with pytest.raises(NoSearch, match="is no noise of which outputs are known; laplace"):
        first(planted("laplace", noise="other"))
