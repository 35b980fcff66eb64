"""Relations counted in a larger class as those of guarantees, on classes that are not gone through."""

from __future__ import annotations

from typing import Any

import pytest

import dpcompose as dpc

TWO, THREE, FIVE = (dpc.within_any_size(m, dpc.unbounded) for m in (2, 3, 5))


def study(stated: Any, on: Any, target: Any = dpc.bounded, *reads: Any) -> dpc.Study:
    some = [
        dpc.mechanism(f"M{i}", dpc.pure(f"e{i}", stated, "common" if reads else None), reads=f)
        for i, f in enumerate(reads or (dpc.everything,), start=1)
    ]
    return dpc.compose(*some, on=on, target=target)


@pytest.mark.parametrize(
    ("stated", "size", "target", "epsilon"),
    [
        (TWO, "= 5", dpc.bounded, "e1"),
        (THREE, "= 5", dpc.bounded, "e1"),
        (FIVE, "= 5", dpc.bounded, "e1"),
        (FIVE, "= 5", dpc.group(3, dpc.bounded), "2*e1"),  # of two replaced records, and one more
        (TWO, "= n", dpc.bounded, "e1"),
        (TWO, "any", dpc.unbounded, "e1"),
        (TWO, "<= 5", dpc.group(3, dpc.unbounded), "2*e1"),
        (TWO, ">= 3", dpc.bounded, "e1"),
        (dpc.within_any_size(2, dpc.bounded), "= 5", dpc.group(3, dpc.bounded), "2*e1"),
        (TWO, "= 5", TWO, "e1"),
    ],
)
def test_by_hand(stated: Any, size: str, target: Any, epsilon: str) -> None:
    found = study(stated, dpc.multisets(size=size), target)
    assert (str(found.guarantee().epsilon), found.guarantee().optimal) == (epsilon, True)
    wrong = found.check(dpc.pure(f"{epsilon}/2"))
    assert wrong.verdict == "refuted" and wrong.counterexample is not None


def test_one_step_joins_none_of_one_size() -> None:
    """Nothing is known of databases of five records from those of four or six."""
    found = study(dpc.within_any_size(1, dpc.unbounded), dpc.multisets("ab", "= 5"))
    assert str(found.guarantee().epsilon) == "oo"


@pytest.mark.parametrize("size", ["= 2", "= 3", "<= 2", "<= 3", "1..3", "2..3"])
@pytest.mark.parametrize("m", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", [dpc.multisets, dpc.sets])
def test_the_relation_is_the_same_on_the_class(size: str, m: int, kind: Any) -> None:
    """By enumeration of all pairs."""
    on = kind("abcd", size)
    for of in (dpc.unbounded, dpc.bounded):
        stated = dpc.within_any_size(m, of)
        inside = stated.inside(on)
        every = list(on.databases())
        assert all(stated.relates(D, E, on) == inside.relates(D, E, on) for D in every for E in every)


def test_on_the_common_domain() -> None:
    """Restrictions to a and to the rest, of five records: one that is replaced moves both."""
    a, rest = dpc.record_partition(dpc.multisets("abc", "= 5"), {"a"}, {"b", "c"})
    found = study(TWO, dpc.multisets("abc", "= 5"), dpc.bounded, a, rest)
    plain = study(dpc.bounded, dpc.multisets("abc", "= 5"), dpc.bounded, a, rest)
    assert found.guarantee().epsilon == plain.guarantee().epsilon and found.guarantee().optimal
