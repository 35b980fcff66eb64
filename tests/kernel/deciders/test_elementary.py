"""Elementary functions have the values, and the slopes, that mpmath finds: sums, products, powers, maxima at random."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from dpcompose.kernel.deciders.calculus import elementary, ranges, signs, steps, values
from dpcompose.kernel.deciders.calculus.elementary import Elementary, NotElementary, NoValue
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import Domain

F = Fraction
AT = {"x": F(5, 4), "z": F(3), "y": F(-3, 4)}
POINT = {name: Domain(value, greatest=value) for name, value in AT.items()}
X, Z, Y = elementary.parameter("x"), elementary.parameter("z"), elementary.parameter("y", nonnegative=False)
Value = Callable[[Any, Any, Any], Any]
"""What it is at x, z and y."""


def drawn(draw: random.Random, deep: int) -> tuple[Elementary, Value]:
    """A function in two ways: in its normal form, and as Python calculates it."""
    if deep == 0:
        c = F(draw.choice([1, 2, 3, -1, -2, 4]), draw.choice([1, 2, 3]))
        return draw.choice(
            [
                (X, lambda x, z, y: x),
                (Z, lambda x, z, y: z),
                (Y, lambda x, z, y: y),
                (elementary.constant(c), lambda x, z, y: mpmath.mpf(c.numerator) / c.denominator),
            ]
        )
    (f, p), (g, q) = drawn(draw, deep - 1), drawn(draw, deep - 1)
    r = draw.choice([F(2), F(3), F(-1), F(-2), F(1, 2), F(3, 2), F(-1, 2), F(1, 3), F(-2, 3)])
    match draw.randrange(9):
        case 0 | 1:
            return f + g, lambda x, z, y: p(x, z, y) + q(x, z, y)
        case 2:
            return f - g, lambda x, z, y: p(x, z, y) - q(x, z, y)
        case 3 | 4:
            return f * g, lambda x, z, y: p(x, z, y) * q(x, z, y)
        case 5:
            return elementary.power(f, r), lambda x, z, y: real(p(x, z, y), r)
        case 6:
            return elementary.exp(f), lambda x, z, y: mpmath.exp(p(x, z, y))
        case 7:
            return elementary.log(f), lambda x, z, y: mpmath.log(positive(p(x, z, y)))
        case _:
            one, other = f.scaled(F(2, 3)), g.scaled(F(4, 3))
            m = draw.choice([1, 2])
            every = elementary.largest(m, [one, other, f + f])

            def most(x: Any, z: Any, y: Any) -> Any:
                some = (p(x, z, y) * 2 / 3, q(x, z, y) * 4 / 3, p(x, z, y) * 2)
                return sum(sorted(some)[-m:])

            return every, most


def positive(x: Any) -> Any:
    if x <= 0:
        raise ValueError("no real value")
    return x


def real(x: Any, r: Fraction) -> Any:
    base = x if r.denominator == 1 and (r > 0 or x) else positive(x)
    return base ** int(r) if r.denominator == 1 else base ** (mpmath.mpf(r.numerator) / r.denominator)


def near(f: Elementary, value: Any) -> None:
    found = ranges.over(f, POINT, 160)
    assert found.low is not None and found.high is not None
    low, high = (mpmath.mpf(end.numerator) / end.denominator for end in (found.low, found.high))
    room = mpmath.mpf(10) ** -12 * max(1, abs(value))
    assert low - room <= value <= high + room and high - low <= room


@pytest.mark.parametrize("seed", range(4))
def test_values_and_slopes_at_a_point(seed: int) -> None:
    draw, tried, steep = random.Random(seed), 0, 0
    with mpmath.workdps(60):
        there = [mpmath.mpf(AT[name].numerator) / AT[name].denominator for name in "xzy"]
        for _ in range(60):
            try:
                f, value = drawn(draw, draw.randrange(1, 4))
                exact = value(*there)
            except (NotElementary, ValueError, ZeroDivisionError):
                continue
            if not f.terms or abs(exact) > 10**9 or ranges.undefined(f, POINT) is not None:
                continue
            tried += 1
            near(f, exact)
            common, rest = elementary.content(f)
            near(common * rest, exact)
            near(elementary.cancelled(f), exact)
            try:
                near(elementary.substituted(f, "x", Z - elementary.constant(F(7, 4))), exact)
                slope = elementary.derivative(f, "x")
            except NotElementary:
                continue
            h = mpmath.mpf(10) ** -22
            steep += 1
            near(slope, (value(there[0] + h, *there[1:]) - value(there[0] - h, *there[1:])) / (2 * h))
    assert tried > 15 and steep > 8


# normal forms, by hand


def test_roots_take_out_what_is_never_below_0() -> None:
    root = F(1, 2)
    assert elementary.power(X * X * Y * Y, root) == X * elementary.power(Y * Y, root)
    assert elementary.power(elementary.constant(F(8, 9)), root) == elementary.power(
        elementary.constant(2), root
    ).scaled(F(2, 3))
    for f in (elementary.constant(-2), X.scaled(F(-1)), Elementary()):
        with pytest.raises(NoValue):
            elementary.power(f, F(-1, 2))
    assert elementary.power(Elementary(), root) == Elementary() and elementary.power(X, F(0)).number == 1
    turned = elementary.power(elementary.constant(-1) - X, F(-3))
    assert turned == elementary.power(X + elementary.constant(1), F(-3)).scaled(F(-1))


@pytest.mark.parametrize("c", [0, -1, F(-1, 3)])
def test_numbers_that_have_no_logarithm(c: Fraction) -> None:
    with pytest.raises(NoValue):
        elementary.log(elementary.constant(c))


def test_the_logarithm_of_a_product_of_what_may_be_negative_stays_one() -> None:
    """ln(2·x·y) = ln 2 + ln x + ln y only where y is above 0; of −x·y the sign stays inside."""
    two, log = elementary.constant(2), elementary.log
    assert log(two * X * Y) == log(two) + log(X) + log(Y) and len(log(X * Y * Y).terms) == 2
    assert log(X.scaled(F(-2)) * Y) == log(two) + log(X) + log(Y.scaled(F(-1)))


def test_the_largest_of_members_with_a_common_factor() -> None:
    """max(2x/3, 4x·z/3) = 2x/3·max(1, 2z), and 0 of none; of as many as are added up it is their sum."""
    one, other = X.scaled(F(2, 3)), (X * Z).scaled(F(4, 3))
    inner = elementary.largest(1, [elementary.constant(1), Z.scaled(F(2))])
    assert elementary.largest(1, [one, other]) == X.scaled(F(2, 3)) * inner
    assert elementary.largest(2, [one, other]) == one + other == elementary.largest(3, [one, other])
    assert elementary.largest(1, [Elementary(), Elementary()]) == Elementary()
    assert elementary.largest(1, [Elementary(), Y]) not in (Elementary(), Y)
    assert elementary.largest(1, [X, X]) == X and elementary.largest(2, [X, X, X]) != X + X + X
    assert elementary.largest(1, [Y * X, Y * Z]) != Y * elementary.largest(1, [X, Z])


def test_even_powers_and_functions_have_a_sign() -> None:
    box = {"x": Domain(F(0)), "z": Domain(F(2)), "y": Domain()}
    root = elementary.power(Y * Y + X, F(1, 2))
    for f in (Y * Y, X * Y * Y + Z, elementary.exp(Y), root, elementary.power(Y, F(-2)), elementary.log(Z)):
        assert ranges.nonnegative_by_signs(f, box)
    for f in (
        Y,
        Y * Y * Y,
        X - Z,
        elementary.log(X),
        elementary.power(X + Y, F(-1)),
        elementary.power(Y, F(-3)),
    ):
        assert not ranges.nonnegative_by_signs(f, box)


def test_factors_that_are_divided_out() -> None:
    with pytest.raises(BadCertificate, match="no product"):
        steps.RULES["divided"][0](X, POINT, X + Z)
    assert elementary.divided_by_term(X * Z + X, X.terms[0][0]) == Z + elementary.constant(1)
    assert elementary.least_powers(X * X * Z + X * Y) == X.terms[0][0]


@pytest.mark.parametrize(
    ("domain", "scale", "exponent"),
    [
        (Domain(F(1), greatest=F(3)), 2, F(1)),
        (Domain(F(-1), greatest=F(2)), 1, F(3)),
        (Domain(greatest=F(5)), 2, F(5, 2)),
        (Domain(F(0), greatest=F(4), integer=True), 1, F(4)),
    ],
)
def test_the_largest_power_of_e(domain: Domain, scale: int, exponent: Fraction) -> None:
    """e^((p − least)/n) is at most that of the greatest p."""
    found = signs._highest(domain, scale)
    with mpmath.workdps(40):
        exact = mpmath.exp(mpmath.mpf(exponent.numerator) / exponent.denominator)
        assert found is not None and exact <= mpmath.mpf(found.numerator) / found.denominator < exact + 1e-12
    assert (
        signs._highest(Domain(F(0)), 1) is None and signs._highest(Domain(F(0), greatest=F(10**6)), 1) is None
    )


def test_of_very_many_letters_nothing_is_seen_but_signs() -> None:
    """Nine letters above 0 are together above 0, and not above 1."""
    many = [terms.letter(f"e{n}") for n in range(values.MOST_PARAMETERS + 1)]
    total = terms.add(many)
    assert values.surely(total) and values.surely(total + 1)
    for below in (total - 1, terms.exp(total) - 2, 1 - total, terms.exp(total) - 1 - 2 * total):
        assert not values.surely(below, False) and not values.surely(below)


@pytest.mark.parametrize(
    ("c", "of"),
    [(F(1, 2), {2: -1}), (F(1, 12), {2: -2, 3: -1}), (F(9, 10), {2: -1, 3: 2, 5: -1}), (F(7), {7: 1})],
)
def test_the_logarithm_of_a_multiple_is_that_of_primes(c: Fraction, of: dict[int, int]) -> None:
    """ln(c·x) = ln x + Σ n·ln p, and of what is constant without ln x."""
    x = elementary.parameter("x")
    primes = sum((elementary.log(elementary.constant(p)).scaled(F(n)) for p, n in of.items()), Elementary())
    assert elementary.log(x.scaled(c)) == elementary.log(x) + primes
    assert elementary.log(elementary.constant(c)) == primes


def test_what_a_worst_case_is_multiplied_by() -> None:
    """In x·y + x + y the factor of x is y + 1; in x², √x, ln x or e^x·x it is none."""
    x, y = elementary.parameter("x"), elementary.parameter("y")
    (letter,) = x.letters
    assert ranges.factor_of(x * y + x + y, letter) == y + elementary.constant(1)
    assert ranges.factor_of(x.scaled(F(3)) + y, letter) == elementary.constant(3)
    assert ranges.factor_of(y, letter) == Elementary()
    for f in (
        x * x,
        elementary.log(x + y),
        elementary.exp(x),
        x * elementary.exp(x),
        x + elementary.log(x) * y,
    ):
        with pytest.raises(NotElementary):
            ranges.factor_of(f, letter)
