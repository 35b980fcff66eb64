"""Values that free parameters of conversions may have: terms of which it is seen that they lie between 0 and 1."""

from __future__ import annotations

import pytest

from dpcompose.kernel.composition.seen import lies_within
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.domains import POSITIVE, UNIT_INTERVAL, Domain
from dpcompose.kernel.expressions.terms import INFINITY, letter

LETTERS = {
    "d": letter("d", UNIT_INTERVAL),
    "f": letter("f", UNIT_INTERVAL),
    "e": letter("e", POSITIVE),
    "k": letter("k", Domain.read("integer >= 2")),
    "n": letter("n", Domain.read("integer >= 0")),
}
INSIDE = [
    "d",
    "d/2",
    "1 - d",
    "d*f",
    "d**2",
    "d/k",
    "d/(3*k)",
    "1/2",
    "1/(2*k)",
    "(d + f)/2",
    "sqrt(d)",
    "1 - d/2",
]
NOT_SEEN = [
    "1",
    "0",
    "2*d",
    "e",
    "d*e",
    "d/e",
    "d/n",
    "1/k",
    "k",
    "k*d",
    "d - f",
    "d + f",
    "-d",
    "1 + d",
    "d/d",
    "exp(e)",
]


@pytest.mark.parametrize("text", INSIDE)
def test_what_lies_between_0_and_1(text: str) -> None:
    assert lies_within(formulas.parse(text, LETTERS), UNIT_INTERVAL)


@pytest.mark.parametrize("text", NOT_SEEN)
def test_what_does_not_or_is_not_seen_to(text: str) -> None:
    assert not lies_within(formulas.parse(text, LETTERS), UNIT_INTERVAL)


def test_infinity_does_not() -> None:
    assert not lies_within(INFINITY, UNIT_INTERVAL)
