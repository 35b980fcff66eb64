"""Granularities made of others of which one has any number of steps: refused, or with numbers for letters."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from problem_data import reading_records

import dpcompose as dpc
from dpcompose.privacy import problems

TWO = {"L": Fraction(2)}
ANY = {"group": "m", "of": "bounded"}


@pytest.mark.parametrize(
    ("granularity", "words"),
    [
        ({"union": ["unbounded", ANY]}, "and group of m bounded has any number"),
        ({"union": [ANY, "free-lunch"]}, "a group of their union, would do"),
        ({"union": ["unbounded", {"union": ["bounded", ANY]}]}, "has any number"),
        ({"steps": 2, "of": ANY, "within": "any size"}, "several already"),
    ],
)
def test_any_number_of_steps_is_refused(granularity: Any, words: str) -> None:
    """Read as single steps they had bounds that are m times too small."""
    data = reading_records(granularity, [None], ["bounded"], ["own"])
    with pytest.raises(problems.ProblemError, match=words):
        problems.read_data(data)
    data = reading_records("unbounded", [None], [granularity], ["own"])
    with pytest.raises(problems.ProblemError, match=words):
        problems.read_data(data)


def test_a_group_of_their_union_has_them() -> None:
    """m steps, each of which moves by 2 where a record is replaced."""
    either = dpc.group("m", dpc.union(dpc.bounded, dpc.unbounded))
    study = dpc.compose(dpc.mechanism("M", dpc.pure("e", dpc.unbounded)), on=dpc.multisets(), target=either)
    assert str(study.guarantee().epsilon) == "2*e*m"


def test_the_parts_have_the_values_of_a_point() -> None:
    person, two = dpc.contribution("L", 1), dpc.contribution(2, 1)
    assert dpc.union(person, dpc.unbounded).at(TWO) == dpc.union(two, dpc.unbounded)
    assert dpc.union(person, two).at(TWO) == two
    assert dpc.group(3, dpc.union(person, dpc.bounded)).at(TWO).parameters == {}


def test_between_two_databases_are_as_many_steps_as_a_letter_says() -> None:
    at_once = dpc.group("m", dpc.bounded)
    study = dpc.compose(dpc.mechanism("M", dpc.pure("e", at_once)), on=dpc.multisets("ab"), target=at_once)
    assert str(study.metric()) == "e*d_group of m bounded(D, E)"
    with pytest.raises(ValueError, match="lie between"):
        study.metric(["a", "a"], ["b", "b"])  # ⌈2/m⌉
    assert study.metric(["a", "a"], ["a", "a"]) == 0
