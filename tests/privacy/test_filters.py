"""Interactions that a filter stops: they count as mechanisms with the guarantee of the total."""

from __future__ import annotations

import json
from typing import Any

import pytest
import rechecks
from golden_results import THEORY
from second_checker import verdicts

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.kernel import saved as kernel
from dpcompose.kernel.library.theory import Theory
from dpcompose.privacy import problems, writing
from dpcompose.privacy.elaboration import Elaborated

FILE = """
format = 1
[databases]
kind = "multisets"
records = ["a", "b"]
[target]
granularity = "unbounded"
[[mechanisms]]
name = "F"
reads = {{ records = ["a"] }}
{}
[[mechanisms]]
name = "M"
reads = {{ records = ["b"] }}
guarantee = {{ notion = "pure", epsilon = "e2", granularity = "unbounded", domain = "own" }}
"""
OWN = 'granularity = "unbounded", domain = "own" }'
FILTER = f'filter = {{ notion = "pure", epsilon = "e1", {OWN}'
PAGES = Theory(THEORY.pages)
TOTALS = {
    "pure": dpc.pure("e", dpc.unbounded),
    "approximate": dpc.approximate("e", "d", dpc.unbounded),
    "zcdp": dpc.zcdp("r", dpc.unbounded),
    "gaussian": dpc.gaussian("m", dpc.unbounded),
    "dependent": dpc.pure("e", dpc.unbounded, "common"),
    "family": dpc.pure("e[i]", dpc.unbounded),
}


def study(*mechanisms: Any) -> Study:
    return dpc.compose(*mechanisms, on=dpc.multisets("ab"), target=dpc.unbounded)


@pytest.mark.parametrize("kind", TOTALS)
def test_it_counts_as_a_mechanism_with_the_guarantee(kind: str) -> None:
    more: dict[str, Any] = {"count": 3} if kind == "family" else {}
    more |= {"reads": dpc.restriction(["a"])} if kind == "dependent" else {}
    plain = study(dpc.mechanism("F", TOTALS[kind], **more))
    stopped = study(dpc.mechanism("F", filter=TOTALS[kind], **more))
    assert stopped.guarantee().values == plain.guarantee().values
    assert stopped.guarantee().optimal == plain.guarantee().optimal
    pages = [{page.id for page in one.bound.relies_on} for one in (plain, stopped)]
    assert pages[1] - pages[0] == {"filters"}
    assert "F: what a filter stops has the guarantee of its total" in str(stopped.guarantee().derivation)
    assert "is an interaction that a filter stops at unbounded" in stopped.guarantee().assumptions[0]


def test_it_is_read_written_judged_and_checked_again() -> None:
    read = problems.read_text(FILE.format(FILTER))
    (F, _) = read.setting.mechanisms
    assert F.filtered and Elaborated(read.setting).core.mechanisms[0].filtered
    assert (
        repr(F)
        == "F reads D|{a} and is an interaction that a filter stops at unbounded pure (e1) on the own domain"
    )
    assert writing.to_data(read.setting)["mechanisms"][0]["filter"]["epsilon"] == "e1"
    again = problems.read_data(writing.to_data(read.setting)).setting
    assert again.mechanisms == read.setting.mechanisms
    made = Study(read.setting, THEORY)
    found = [made.check(dpc.pure("max(e1, e2)")), made.check(dpc.pure("(e1 + e2)/2"))]
    assert [one.verdict for one in found] == ["proved", "refuted"]
    data = json.loads(json.dumps(rechecks.saved(made, found)))
    assert rechecks.check(data, THEORY).verdicts == ("proved", "refuted")
    assert "filters" in kernel.check(data, PAGES).rests_on.pages
    assert verdicts.check(data).outcome == "ACCEPTED"


def test_a_page_about_it_is_needed() -> None:
    made = Study(problems.read_text(FILE.format(FILTER)).setting, THEORY)
    data = json.loads(json.dumps(rechecks.saved(made, [made.check(dpc.pure("max(e1, e2)"))])))
    del data["derivation"]["pages"]["filters"]
    with pytest.raises(kernel.Refused):
        kernel.check(data, PAGES)
    assert verdicts.check(data).outcome == "REJECTED"
    without = Theory({id: page for id, page in THEORY.pages.items() if id != "filters"})
    data = json.loads(json.dumps(rechecks.saved(made, [made.check(dpc.pure("max(e1, e2)"))])))
    with pytest.raises(kernel.Refused):
        kernel.check(data, without)


@pytest.mark.parametrize("key", ["guarantee", "filter"])
def test_what_is_no_filter_in_the_problem_is_none_in_the_core(key: str) -> None:
    made = Study(problems.read_text(FILE.format(FILTER.replace("filter", key, 1))).setting, THEORY)
    data = json.loads(json.dumps(rechecks.saved(made, [made.check(dpc.pure("max(e1, e2)"))])))
    (one,) = [x for x in ("guarantee", "filter") if x != key]
    given = data["problem"]["mechanisms"][0]
    given[one] = given.pop(key)
    assert verdicts.check(data).outcome == "REJECTED"
    with pytest.raises(Exception, match="not what the problem says"):
        rechecks.check(data, THEORY)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (f"{FILTER}\nguarantee = {{ notion = 'pure', epsilon = 'e1', {OWN}", "leave out guarantee"),
        (f'{FILTER}\nnoise = {{ laplace = "1" }}', "leave out noise"),
        ('filter = { notion = "pure", epsilon = "e1", granularity = "unbounded" }', "domain"),
        ('filter = { notion = "pure", granularity = "unbounded" }', "a pure guarantee needs epsilon"),
        ('filter = { notion = "pure", epsilon = "e1" }', "this key is missing"),
        ("filter = 1", "a table"),
    ],
)
def test_mistakes(given: str, said: str) -> None:
    with pytest.raises(problems.ProblemError) as raised:
        problems.read_text(FILE.format(given))
    assert any(said in str(one) and one.path[:2] == ("mechanisms", 0) for one in raised.value.mistakes)


@pytest.mark.parametrize("more", ["satisfies", "noise", "study"])
def test_mistakes_in_python(more: str) -> None:
    given: Any = {"satisfies": dpc.pure("e", dpc.unbounded), "noise": dpc.laplace("1"), "study": object()}[
        more
    ]
    with pytest.raises(TypeError, match="stopped by a filter, whose total it satisfies"):
        dpc.mechanism("F", **{more: given}, filter=dpc.pure("e", dpc.unbounded))
    with pytest.raises(TypeError, match="is stopped at a guarantee such as"):
        dpc.mechanism("F", filter="e")  # type: ignore[call-overload]
