"""Quotients of sums of powers of e, by hand: what cancels, what is equal, and between which numbers they lie."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpcompose.kernel.deciders.calculus import exponentials
from dpcompose.kernel.deciders.calculus.exponentials import (
    NotDecided,
    Quotient,
    Value,
    as_term,
    constant,
    divided,
    enclosed,
    exponential,
    letters,
    log_of,
    parts,
    power,
    quotient,
    same,
    value_at,
)
from dpcompose.kernel.expressions.domains import REAL
from dpcompose.kernel.expressions.terms import ONE, ZERO, exp, letter, log, number

F = Fraction
E, X = letter("e"), letter("x", REAL)
P, Q = power(E), power(X)
ONES = constant(1)
LOUD, QUIET = quotient(P, P + ONES), quotient(ONES, P + ONES)
"""e^e/(1 + e^e), and 1/(1 + e^e)."""


def test_what_cancels() -> None:
    assert quotient(P + P, P) == 2 and quotient(P.scaled(F(3)), P.scaled(F(6))) == F(1, 2)
    assert quotient((P + ONES).scaled(F(3)), (P + ONES).scaled(F(6))) == F(1, 2)
    assert quotient(P * P + P, P + ONES) == Quotient(P, ONES) == quotient(P * P * P + P * P, P * P + P)
    assert quotient(P * P.scaled(F(2)), P.scaled(F(4))) == Quotient(P.scaled(F(1, 2)), ONES)
    assert quotient(exponential([]), P + ONES) == 0 and quotient(constant(3), constant(4)) == F(3, 4)
    assert quotient(P * Q, Q) == Quotient(P, ONES) and isinstance(quotient(P + Q, P + ONES), Quotient)


def test_sums_and_products_of_quotients() -> None:
    third = F(1, 3)
    assert LOUD + QUIET == 1 and LOUD - LOUD == 0 and third + LOUD - third - LOUD == 0
    assert (
        same(LOUD - QUIET, quotient(P - ONES, P + ONES)) and same(1 - LOUD, QUIET) and same(-LOUD + 1, QUIET)
    )
    assert same(LOUD * QUIET, quotient(P, (P + ONES) * (P + ONES))) and same(3 * LOUD * third, LOUD)
    assert (
        LOUD**0 == 1
        and same(LOUD**2, LOUD * LOUD)
        and LOUD**-1 * LOUD == 1
        and same(LOUD**-2, divided(F(1), LOUD * LOUD))
    )
    assert divided(LOUD, LOUD) == 1 and same(divided(LOUD, QUIET), quotient(P, ONES))
    assert divided(F(1), F(4)) == F(1, 4) and same(divided(LOUD, F(2)), LOUD * F(1, 2))
    assert same(divided(quotient(P, Q + ONES), QUIET), quotient(P * (P + ONES), Q + ONES))
    assert not same(LOUD, QUIET) and not same(LOUD, F(1, 2)) and same(F(1, 2), F(2, 4))


@pytest.mark.parametrize(
    ("value", "low"),
    [
        (LOUD, "0.7310585786"),
        (QUIET, "0.2689414213"),
        (LOUD * LOUD, "0.5344466453"),
        (LOUD - QUIET, "0.4621171572"),
        (quotient(P * P - ONES, P * P + P), "0.6321205588"),
        (F(1, 3), "0.3333333333"),
    ],
)
def test_values_at_a_point(value: Value, low: str) -> None:
    """At e = 1, to ten digits."""
    there = value_at(value, {"e": F(1)})
    found = enclosed(there, 20)
    assert F(low) <= found.low <= found.high < F(low) + F(1, 10**10)
    assert not letters(there) and set(letters(value)) == (set() if isinstance(value, F) else {"e"})


def test_numbers_close_to_each_other_have_a_sign() -> None:
    """e^(1/10^30) − 1 is above 0 by 30 digits; what cancels is 0."""
    tiny = power(number(F(1, 10**30)))
    assert (tiny - ONES).sign() == 1 and (ONES - tiny).sign() == -1 and (tiny - tiny).sign() == 0
    assert enclosed(quotient(ONES, tiny - ONES), 20).low > 10**29
    assert (power(ONE) - constant(F(27182818284, 10**10))).sign() == 1
    assert (power(ONE) - constant(F(27182818285, 10**10))).sign() == -1
    with pytest.raises(NotDecided):
        exponentials.power_of_e(F(10**9), 20)


def test_written_as_terms() -> None:
    assert as_term(LOUD) == exp(E) / (exp(E) + 1) and as_term(F(2, 3)) == number(F(2, 3))
    assert log_of(F(3)) == log(number(3)) and log_of(quotient(P.scaled(F(3)), Q)) == E - X + log(number(3))
    assert log_of(quotient(P, constant(2))) == E - log(number(2)) and log_of(LOUD) == log(as_term(LOUD))
    assert parts(F(2)) == (constant(2), ONES) and P.single == (E, 1) and (P + ONES).single is None
    assert (P + ONES).rational is None and constant(5).rational == 5 and exponential([]).rational == 0
    assert power(E, F(0)) == exponential([]) and power(ZERO, F(2)) == constant(2)
    assert exponential([(E, F(1)), (ZERO, F(2)), (E, F(-1))]) == constant(2)
