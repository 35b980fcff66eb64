"""A person's rows in a few of many parts: what a user sees, by hand."""

from __future__ import annotations

import pytest

from dpcompose.front.studies.study import Study
from dpcompose.privacy import problems
from dpcompose.search.guarantees import NoGuarantee

PERSON = "{ parts = 3, rows = 2 }"


def shops(k: int, target: str, stated: str = '"unbounded"', visits: str = '"visit %d"') -> str:
    """k shops, of which each publishes something of its own visits."""
    records = ", ".join(visits.replace("%d", str(i)) for i in range(1, k + 1))
    head = f'format = 1\n[databases]\nkind = "multisets"\nrecords = [{records}]\n[target]\ngranularity = {target}\n'
    guarantee = f'{{ notion = "pure", epsilon = "e%d", granularity = {stated}, domain = "own" }}'
    about = f'[[mechanisms]]\nname = "M%d"\nreads = {{ records = [{visits}] }}\nguarantee = {guarantee}\n'
    return head + "".join(about.replace("%d", str(i)) for i in range(1, k + 1))


def top(many: int, k: int, times: int) -> str:
    return f"top({many}, {', '.join(f'{times}*e{i}' for i in range(1, k + 1))})"


@pytest.mark.parametrize(
    ("target", "many", "times"),
    [
        (f"{{ contribution = {PERSON} }}", 3, 2),
        # other visits of the same shop there are none: who is replaced leaves three shops for three others
        ("{ contribution = { parts = 3, rows = 2, replaced = true } }", 6, 2),
        (f"{{ group = 4, of = {{ contribution = {PERSON} }} }}", 3, 8),
    ],
)
def test_the_largest_budgets_decide(target: str, many: int, times: int) -> None:
    """So many parts are touched, and any of them may be."""
    claims = "".join(
        f'[[claims]]\nnotion = "pure"\nepsilon = "{top(some, 200, times)}"\n' for some in (many, many - 1)
    )
    read = problems.read_text(shops(200, target) + claims)
    study = Study(read.setting)
    assert [study.check(one).verdict for one in read.claims] == ["proved", "refuted"]
    assert study.guarantee().optimal


def test_too_many_ways_are_refused_before_they_are_written_down() -> None:
    """Guarantees for other persons' rows are gone through, which 3 persons in 200 parts are too many for."""
    other = "{ contribution = { parts = 2, rows = 3 } }"
    text = shops(
        200, f"{{ group = 3, of = {{ contribution = {PERSON} }} }}", other, '"visit %d", "return to %d"'
    )
    with pytest.raises(NoGuarantee, match="too many ways to write down; fewer parts or persons"):
        Study(problems.read_text(text).setting).guarantee()
