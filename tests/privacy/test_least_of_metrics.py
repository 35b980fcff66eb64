"""Guarantees in the least of several metrics on the common domain: each of them on what is read, by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpcompose.front.studies.study import Study
from dpcompose.privacy import problems
from dpcompose.search.guarantees import NoGuarantee


def study(metric: str, target: str, records: str = '"a", "b"', notion: str = "pure") -> Study:
    text = f"""format = 1
[databases]
kind = "multisets"
[target]
granularity = {target}
[[mechanisms]]
name = "M"
reads = {{ records = [{records}] }}
guarantee = {{ notion = "{notion}", metric = "{metric}", domain = "common" }}
"""
    return Study(problems.read_text(text).setting)


def bound(metric: str, target: str, records: str = '"a", "b"', notion: str = "pure") -> Fraction:
    (value,) = study(metric, target, records, notion).guarantee().values.values()
    return Fraction(str(value))


@pytest.mark.parametrize(("b", "u"), [(1, 1), (1, 3), (2, 3), (3, 2), (5, 2), (9, 1)])
def test_the_nearest_databases_of_each(b: int, u: int) -> None:
    """One read record for another one is a replacement, or two steps that remove and add; one that leaves
    what is read is a step of either kind, as others may come in its place."""
    metric = f"min({b}*d_bounded, {u}*d_unbounded)"
    assert bound(metric, '"bounded"') == min(b, 2 * u)
    assert bound(metric, '"unbounded"') == min(b, u)
    assert bound(metric, '"bounded"', '"a"') == bound(metric, '"unbounded"', '"a"') == min(b, u)
    assert bound(f"2*{metric}", '"bounded"') == 2 * min(b, 2 * u)
    assert bound(f"min({metric}, 7)", '"bounded"') == min(b, 2 * u, 7)


def test_in_zcdp_a_metric_is_squared() -> None:
    metric = "min(3*d_bounded, 2*d_unbounded)"
    assert bound(metric, '"bounded"', notion="zcdp") == bound(metric, '"bounded"') ** 2 == 9


def test_what_ways_of_both_kinds_lose_is_left_open() -> None:
    """Of {a, a} from {b, x} a replacement and a removal are 2*3 + 1*5 at most: what is proved is larger, and
    is not called optimal."""
    some = study("min(3*d_bounded, 5*d_unbounded)", '{ group = 3, of = "unbounded" }')
    assert not some.guarantee().optimal


def test_a_delta_beside_it_is_refused() -> None:
    text = """format = 1
[databases]
kind = "multisets"
[target]
granularity = "bounded"
[[mechanisms]]
name = "M"
reads = { records = ["a"] }
guarantee = { notion = "approximate", metric = "min(d_bounded, d_unbounded)", delta = "1/9", domain = "common" }
"""
    with pytest.raises((problems.ProblemError, NoGuarantee, ValueError), match="common domain"):
        Study(problems.read_text(text).setting).guarantee()
