"""Guarantees that are a number times one canonical metric, where those for neighbours may stand (GB Prop. III.3)."""

from __future__ import annotations

from typing import Any

import pytest

from dpcompose.front.studies.study import Study
from dpcompose.privacy import problems


def bound(target: str, mechanism: dict[str, Any], **more: Any) -> str:
    one = {"name": "M", **mechanism}
    data = {
        "format": 1,
        "parameters": {"s": "in (0,1)", "k": "integer >= 1"},
        "databases": {"kind": "multisets"},
        "target": {"granularity": target},
        "mechanisms": [one],
        **more,
    }
    return str(Study(problems.read_data(data).setting).guarantee())


PARTS = {"partitions": {"P": {"kind": "record-wise", "parts": "k"}}}
FAMILY = {"index": "i", "count": "k", "reads": {"part": "i", "of": "P"}}


@pytest.mark.parametrize("target", ["unbounded", "bounded"])
@pytest.mark.parametrize(
    ("notion", "metric", "value"),
    [("pure", "e", {"epsilon": "e"}), ("zcdp", "e", {"rho": "e**2"}), ("gaussian", "2*e", {"mu": "2*e"})],
)
def test_a_sample_takes_a_metric_that_counts_steps(
    target: str, notion: str, metric: str, value: dict[str, str]
) -> None:
    drawn = {"sampled": {"poisson": "s"}}
    in_metric = drawn | {"guarantee": {"notion": notion, "metric": f"{metric}*d_unbounded"}}
    counted = drawn | {"guarantee": {"notion": notion, "granularity": "unbounded"} | value}
    assert bound(target, in_metric) == bound(target, counted)


@pytest.mark.parametrize("metric", ["a*d_unbounded + b*d_free_lunch", "min(a*d_unbounded, b)"])
def test_a_sample_of_other_metrics_asks_for_neighbours(metric: str) -> None:
    """They lose less at many steps than as many times what one step loses, as mechanisms for neighbours may."""
    with pytest.raises(problems.ProblemError, match="say what they are for neighbours"):
        bound("unbounded", {"sampled": {"poisson": "s"}, "guarantee": {"notion": "pure", "metric": metric}})


@pytest.mark.parametrize("target", ["unbounded", "bounded"])
def test_several_metrics_on_parts_are_several_guarantees(target: str) -> None:
    """By hand: a record of part i costs min(a_i, b_i) at most; one in place of another in two parts, or twice."""
    both = [("a[i]", "unbounded"), ("b[i]", "free-lunch")]
    names = {"unbounded": "d_unbounded", "free-lunch": "d_free_lunch"}
    metrics = [{"notion": "pure", "metric": f"{e}*{names[G]}", "domain": "own"} for e, G in both]
    counted = [{"notion": "pure", "epsilon": e, "granularity": G, "domain": "own"} for e, G in both]
    found = bound(target, FAMILY | {"satisfies": metrics}, **PARTS)
    assert found == bound(target, FAMILY | {"satisfies": counted}, **PARTS)
    assert found.startswith("unbounded (min(max(a[i], i, 1, k), max(b[i], i, 1, k)))-DP") == (
        target == "unbounded"
    )


def test_several_metrics_of_which_one_is_a_sum_need_claims_in_metrics() -> None:
    some = [
        {"notion": "pure", "metric": metric, "domain": "own"}
        for metric in ("a[i]*d_bounded", "b[i]*d_unbounded + a[i]*d_free_lunch")
    ]
    with pytest.raises(problems.ProblemError, match="need claims in metrics"):
        bound("bounded", FAMILY | {"satisfies": some}, **PARTS)


@pytest.mark.parametrize("drawn", [{"poisson": "s"}, {"fixed": ["1", "3"]}])
@pytest.mark.parametrize("counted", ["unbounded", "bounded"])
def test_a_metric_of_a_part_is_none_of_all_records(drawn: dict[str, Any], counted: str) -> None:
    """A mechanism that is private in the distance of the a-records tells nothing of the others: where b comes in
    place of a, e*dA is e or oo, and on a Poisson sample that is log(1 + s*(exp(e) - 1)) at most, as if a went."""
    metrics = {"dA": {"granularity": counted, "reads": {"records": ["a"]}}}
    databases = {"kind": "multisets", "records": ["a", "b"]} | ({"size": "= 3"} if "fixed" in drawn else {})
    mechanism = {"sampled": drawn, "guarantee": {"notion": "pure", "metric": "e*dA"}}
    with pytest.raises(problems.ProblemError, match="say what they are for neighbours"):
        bound("bounded", mechanism, databases=databases, metrics=metrics)
    several = {
        "satisfies": [{"notion": "pure", "metric": "e*dA"}, {"notion": "pure", "metric": "f*d_unbounded"}]
    }
    with pytest.raises(problems.ProblemError, match="need claims in metrics"):
        bound("bounded", several, databases=databases, metrics=metrics)
