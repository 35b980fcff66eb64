"""A guarantee in numbers, as people who ask about membership inference read it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpcompose.front.documents.bound import Bound
from dpcompose.front.numbers import numbers
from dpcompose.front.numbers.numbers import WrongValue
from dpcompose.kernel.deciders.curves import pieces
from dpcompose.kernel.deciders.curves.curves import Part
from dpcompose.kernel.deciders.curves.tails import Normal
from dpcompose.kernel.expressions.intervals import Interval
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY, ONE
from dpcompose.language import formulas
from dpcompose.language.decimals import decimal, rounded
from dpcompose.language.shown import Shown
from dpcompose.proof.readings import Reading

RATES = tuple(map(Fraction, ("1/1000", "1/100", "1/10", "1/2")))
"""The rates of false positives that are shown."""
DIGITS = 7
"""To how many digits numbers are shown, rounded up."""


@frozen(repr=False)
class Membership(Shown):
    """What a test reaches that must say from the output which of two neighbours the data were.

    reading -- its methods are `true_positives`, `trade_off`, `advantage`, `posterior`; each is an interval of
    fractions, of which the upper end is shown here.
    """

    reading: Reading

    def data(self) -> dict[str, Any]:
        """As JSON: upper ends."""
        reading = self.reading
        return {
            "true-positives": {str(rate): _most(reading.true_positives(rate)) for rate in RATES},
            "advantage": _most(reading.advantage),
            "posterior": _most(reading.posterior()),
        }

    def __str__(self) -> str:
        found = self.data()
        rates = ", ".join(f"{found['true-positives'][str(rate)]} at {decimal(rate)}" for rate in RATES)
        return (
            "a test that tells two neighbours apart has at most\n"
            f"  true positives at false ones: {rates}\n"
            f"  advantage (their difference): {found['advantage']}\n"
            f"  posterior (1/2 before):       {found['posterior']}"
        )

    def __repr__(self) -> str:
        return str(self)


def of(bound: Bound, values: Mapping[Any, object]) -> Membership:
    """The reading of a bound's guarantee at numbers for its parameters.  Raises WrongValue."""
    there = {key: formulas.term(value) for key, value in numbers.at(bound, values).items()}
    if left := sorted({name for value in there.values() for name in value.letters}):
        raise WrongValue(f"a membership test is read in numbers: give {', '.join(left)} a value (at)")
    if INFINITY in there.values():
        return Membership(Reading(None))
    notion = bound.guarantee.notion
    if (page := bound.steps.theory.computed("approximate", [(notion, "")])) is None:
        raise WrongValue(f"no page computes what a membership test reaches by {notion} privacy")
    try:
        part = pieces.piece(page.head.parts[notion], there, ONE)
    except ValueError as error:
        raise WrongValue(str(error)) from None
    assert part is None or isinstance(part, Part | Normal)  # what pages make of guarantees
    return Membership(Reading(part))


def _most(x: Interval) -> str:
    return decimal(rounded(x.high, DIGITS, up=True))
