"""Closer values of families: members that differ have no letter outside of a worst case over all of them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from dpcompose.kernel.composition import closer
from dpcompose.kernel.core import reading
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.judgements import Lower, Satisfies
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem
from dpcompose.proof.theory import registry

THEORY = Theory(registry.standard().pages)


def prover(epsilon: str, delta: str, stated: list[list[int]], target: int = 1) -> Prover:
    """A family on the parts of a partition, of which a step of the target changes one record."""
    data: dict[str, Any] = {
        "parameters": {
            "e": "positive",
            "d": "in (0,1)",
            "e[i]": "positive",
            "d[i]": "in (0,1)",
            "k": "integer >= 2",
        },
        "databases": {
            "kind": "records",
            "of": "multisets",
            "shown": "multisets",
            "size": ["any", None],
            "atoms": [["a", "a'"], ["b", "b'"]],
        },
        "target": {"single": [[1, 0]], "steps": target},
        "mechanisms": [
            {
                "name": "M",
                "reads": [[0], [1]],
                "stated": {"single": stated, "steps": 1},
                "domain": "common",
                "notion": "approximate",
                "values": {"epsilon": epsilon, "delta": delta},
                "count": "k",
                "partition": "P",
            }
        ],
    }
    return Prover(reading.read(data), THEORY)


def composed(by: Prover) -> tuple[Theorem, Theorem, Theorem]:
    given = by.by("given", i=1)
    return given, by.by("compose", given), by.by("cover")


@pytest.mark.parametrize(
    ("epsilon", "delta", "alike"),
    [("e", "d", True), ("e[i]", "d[i]", False), ("e", "d[i]", False), ("e[i]", "d", False)],
)
@pytest.mark.parametrize("steps", [1, 2])
def test_members_that_differ_have_no_closer_value(epsilon: str, delta: str, alike: bool, steps: int) -> None:
    by = prover(epsilon, delta, [[1, 0]], steps)
    _, together, cover = composed(by)
    if not alike:
        with pytest.raises(NoTheorem, match="families of parameters"):
            by.by("closer", together, cover, key="delta")
        return
    said = by.by("closer", together, cover, key="delta").says
    assert isinstance(said, Satisfies)
    assert not any(terms.moves(name) for _, value in said.values for name in value.letters)


def test_one_member_that_moves_is_an_event_of_any_member() -> None:
    by = prover("e[i]", "d[i]", [[1, 0]])
    given, together, cover = composed(by)
    lower = by.by("attain", cover, given, notion="approximate", neighbours=[1], by=[1])
    assert isinstance(lower.says, Lower)
    assert formulas.to_text(lower.says.value) == "max(d[i], i, 1, k)"
    worst = by.by("worst", together, cover)
    assert by.by("optimal", worst, lower, key="delta").says


def test_events_of_members_that_differ_are_known_for_one_step_of_one_member_only() -> None:
    by = prover("e[i]", "d[i]", [[1, 0]], 2)
    given, _, cover = composed(by)
    for n in (1, 2):
        with pytest.raises(NoTheorem):
            by.by("attain", cover, given, notion="approximate", neighbours=[n], by=[1])


@pytest.mark.parametrize("delta", ["2*d[i]", "d[i] + 1"])
def test_an_event_has_a_probability(delta: str) -> None:
    by = prover("e[i]", delta, [[1, 0]])
    given, _, cover = composed(by)
    with pytest.raises(NoTheorem):
        by.by("attain", cover, given, notion="approximate", neighbours=[1], by=[1])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("min(x, 1)", True),
        ("min(2*x, 1/2)", True),
        ("min(x, 2)", False),
        ("min(u, x)", True),
        ("-max(-x, -2)", False),
        ("max(x, 1)", False),
        ("-max(x, y)", True),
        ("1 - u", True),
    ],
)
def test_what_is_seen_to_be_at_most_1_is(text: str, said: bool) -> None:
    symbols = {name: terms.letter(name) for name in "xy"} | {"u": terms.letter("u", Domain.read("in (0,1)"))}
    value = formulas.parse(text, symbols)
    assert closer.at_most(value, 1) is said
    points = [{"x": x, "y": Fraction(3), "u": Fraction(1, 3)} for x in (Fraction(1, 100), Fraction(50))]
    values = [formulas.evaluate(value, point) for point in points]
    assert not said or all(one is not None and one <= 1 for one in values)
