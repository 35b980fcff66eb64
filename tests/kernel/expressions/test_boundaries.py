"""Terms, signs, boxes and intervals by hand, at the places where one more, or one less, would be another answer."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import pytest

from dpcompose.kernel.expressions import (
    boxes,
    divisors,
    forms,
    formulas,
    intervals,
    rationals,
    signs,
    substitution,
    terms,
)
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import NONNEGATIVE, REAL, UNIT_INTERVAL, Domain
from dpcompose.kernel.expressions.forms import Form
from dpcompose.kernel.expressions.intervals import Interval, NoEnclosure
from dpcompose.kernel.expressions.points import Points, coordinate
from dpcompose.kernel.expressions.terms import (
    HALF,
    INFINITY,
    MINUS_ONE,
    ONE,
    ZERO,
    Term,
    TermError,
    TooLarge,
    exp,
    largest,
    least,
    letter,
    log,
    number,
    over,
    power,
    sqrt,
    top,
)

F = Fraction
E, G, X, Y = letter("e"), letter("f"), letter("x", REAL), letter("y", REAL)
C = letter("c", NONNEGATIVE)
M, N = letter("m", Domain.read("integer >= 1")), letter("n", Domain.read("integer >= 0"))
MEMBER, K = letter("e[i]"), letter("k", Domain.read("integer >= 3"))


# numbers as products of powers


@pytest.mark.parametrize(
    ("value", "powers"),
    [
        ("1", ()),
        ("2", ((2, 1),)),
        ("4", ((2, 2),)),
        ("25", ((5, 2),)),
        ("35", ((5, 1), (7, 1))),
        ("8/27", ((2, 3), (3, -3))),
        ("1/36", ((2, -2), (3, -2))),
        ("994009", ((997, 2),)),
        ("1018081", ((1018081, 1),)),  # 1009²: no divisor up to 1000
    ],
)
def test_powers_of_small_primes(value: str, powers: tuple[tuple[int, int], ...]) -> None:
    assert divisors.powers(F(value)) == powers


@pytest.mark.parametrize(
    ("value", "r", "outside", "under"),
    [
        ("12", "1/2", "2", [("1/2", 3)]),
        ("12", "-1/2", "1/6", [("1/2", 3)]),
        ("12", "1/3", "1", [("1/3", 3), ("2/3", 2)]),
        ("72", "2/3", "12", [("1/3", 3)]),  # 2²·3^(4/3)
        ("1018081", "1/2", "1009", []),
        ("16/81", "3/4", "8/27", []),
        ("1", "1/2", "1", []),
    ],
)
def test_what_is_taken_out_of_a_root(value: str, r: str, outside: str, under: list[tuple[str, int]]) -> None:
    found, left = divisors.taken_out(F(value), F(r))
    assert found == F(outside) and left == [(F(exponent), base) for exponent, base in under]


def test_values_that_are_rational() -> None:
    at = {"x": F(2, 3), "y": F(0)}
    assert rationals.value(power(X, -3), at) == F(27, 8) and rationals.value(power(-X, -3), at) == F(-27, 8)
    assert rationals.value(power(Y, 3), at) == 0 and rationals.value(power(Y, -1), at) is None
    assert rationals.value(top(2, [X, Y, X + 1, -X]), at) == F(7, 3)
    assert rationals.value(X * Y + X, at) == F(2, 3) and rationals.value(E * X, at) is None
    assert rationals.value(X, {"x": 1}) is None  # type: ignore[dict-item]  # no Fraction
    assert rationals.value(power(Y + 1, E), at) is None and rationals.value(power(X, HALF), at) is None
    assert rationals.value(power(1 / Y, 2), at) is None


# what is seen of signs


@pytest.mark.parametrize(
    ("term", "nonnegative", "positive"),
    [
        (ZERO, True, False),
        (number(F(1, 9)), True, True),
        (MINUS_ONE, False, False),
        (E, True, True),
        (C, True, False),
        (X, False, False),
        (E + X**2, True, True),
        (C + X**2, True, False),
        (E + X, False, False),
        (E * C, True, False),
        (E * G, True, True),
        (-E, False, False),
        (X**2, True, False),
        (power(X, -2), True, False),
        (power(X, 3), False, False),
        (power(E, 3), True, True),
        (exp(E) - 1, True, True),
        (exp(C) - 1, True, False),
        (exp(E) - 1 - 2 * E, False, False),
        (exp(E) - 1 - 3 * X, False, False),
        (2 - exp(-E), True, True),
        (1 - exp(-C), True, False),
        (F(1, 2) - exp(-E), False, False),
        (exp(X) - 1, False, False),
        (exp(-X) + 1, True, True),
        (1 + log(1 + E), True, True),
        (log(1 + C), True, False),
        (log(C), False, False),
        (largest(C, X), True, False),
        (largest(X, Y), False, False),
        (least(E, G), True, True),
        (least(E, C), True, False),
        (least(E, X), False, False),
        (E * least(E, C), True, False),
        (X * least(E, C), False, False),
        (least(E, C) * -least(E, G), False, False),
        (top(2, [E, G, X]), True, True),
        (top(2, [C, E, X]), True, False),
        (top(2, [X, Y, E]), False, False),
        (-top(2, [-E, -C, -G]), True, False),
        (largest(X, -X), True, False),
        (largest(X, -X, Y), True, False),
        (over(1, MEMBER, K), True, True),
        (exp(X), True, True),
        (INFINITY, True, True),
    ],
)
def test_signs_that_are_seen(term: Term, nonnegative: bool, positive: bool) -> None:
    assert (term.nonnegative, term.positive) == (nonnegative, positive)


def test_switches() -> None:
    """max(−1, −x) is −1 or 0 for whole numbers x ≥ 0."""
    for x in (M - 1, N, 2 * M, largest(ZERO, M - 1), M * N):
        if x.nonnegative:
            assert signs.is_switch(largest(MINUS_ONE, -x))
    assert signs.is_switch(largest(MINUS_ONE, -N)) and signs.is_switch(largest(MINUS_ONE, -N, -2 * M))
    for other in (
        -N,
        largest(MINUS_ONE, -N / 2),
        largest(MINUS_ONE, -C),
        largest(number(-2), -N),
        largest(MINUS_ONE, N),
        largest(MINUS_ONE, -N, X),
        largest(MINUS_ONE, -power(N, HALF)),
        top(2, [MINUS_ONE, -N, -M]),
    ):
        assert not signs.is_switch(other)


# domains and boxes


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("in [0, 1]", Domain(F(0), greatest=F(1))),
        ("in (1/2, 3)", Domain(F(1, 2), True, F(3), True)),
        ("in (0,  1]", Domain(F(0), True, F(1))),
        ("in [2, oo)", Domain(F(2))),
        ("in (2, oo)", Domain(F(2), True)),
        ("integer >= -3", Domain(F(-3), integer=True)),
        ("in (0,1)", UNIT_INTERVAL),
    ],
)
def test_domains_in_words(text: str, domain: Domain) -> None:
    assert Domain.read(text) == domain == Domain.read(str(domain))


@pytest.mark.parametrize(
    "text", ["in [1, 1]", "in [2, 1]", "in [0, oo]", "integer > 1", "in (-1, 1)", "whole"]
)
def test_no_domains(text: str) -> None:
    with pytest.raises(ValueError, match="is no domain"):
        Domain.read(text)


def test_what_domains_contain() -> None:
    half_open, whole = Domain(F(0), True, F(1)), Domain(F(1), greatest=F(3), integer=True)
    assert [half_open.contains(F(x)) for x in ("0", "1/9", "1", "10/9")] == [False, True, True, False]
    assert [Domain(F(0), False, F(1), True).contains(F(x)) for x in (0, 1, -1)] == [True, False, False]
    assert [whole.contains(F(x)) for x in ("1", "3/2", "3", "4", "0")] == [True, False, True, False, False]
    assert REAL.contains(F(-99)) and not REAL.nonnegative and not REAL.positive
    for domain, seen in (
        (Domain(F(0)), (True, False)),
        (Domain(F(0), True), (True, True)),
        (Domain(F(1, 9)), (True, True)),
        (Domain(F(-1)), (False, False)),
    ):
        assert (domain.nonnegative, domain.positive) == seen
    assert [str(one) for one in (Domain(), Domain(greatest=F(1)), half_open)] == [
        "real",
        "in (-oo, 1]",
        "in (0, 1]",
    ]


def test_ends_of_letters() -> None:
    x, y = letter("x", Domain(F(1), True, F(5, 2))), letter("y", Domain(F(1, 2), greatest=F(3), integer=True))
    assert boxes.bound_form(x, "least") == forms.read(x - 1)
    assert boxes.bound_form(x, "greatest") == forms.read(F(5, 2) - x)
    assert boxes.distance(letter("t"), x.of[1], "least") == letter("t") + 1
    assert boxes.distance(letter("t"), x.of[1], "greatest") == F(5, 2) - letter("t")
    assert boxes.shifted(x.of[1], "least") == Domain(F(0), True, F(3, 2))
    assert boxes.shifted(x.of[1], "greatest") == Domain(F(0), False, F(3, 2), True)
    assert not boxes.shifted(y.of[1], "least").integer and boxes.shifted(y.of[1], "greatest").integer
    for domain, end in ((REAL, "least"), (NONNEGATIVE, "greatest"), (UNIT_INTERVAL, "middle")):
        with pytest.raises(BadCertificate, match="there is no"):
            boxes.shifted(domain, end)


U, V = letter("u", Domain(F(0), greatest=F(1))), letter("v", UNIT_INTERVAL)


@pytest.mark.parametrize("term", [1 - U + U**2, U * V + U**3 - V, C * U**2 - 2 * U + 3, U - U + 1 + V**2])
def test_coefficients_between_0_and_1(term: Term) -> None:
    """Σ b_jk·C(n, j)·u^j·(1 − u)^(n − j)·C(m, k)·v^k·(1 − v)^(m − k) is the polynomial again."""
    form = forms.read(term)
    degrees = [max((dict(t).get(x, 0) for t, _ in form.monomials), default=0) for x in (U, V)]
    parts = []
    for (j, k), b in zip(
        product(*(range(n + 1) for n in degrees)), boxes.coefficients(form, (U, V)), strict=True
    ):
        u = comb(degrees[0], j) * U**j * (1 - U) ** (degrees[0] - j)
        parts.append(forms.write(b) * u * comb(degrees[1], k) * V**k * (1 - V) ** (degrees[1] - k))
    assert forms.read(substitution.expanded(terms.add(parts))) == form


def test_coefficients_by_hand() -> None:
    assert [*boxes.coefficients(forms.read(1 - U + U**2), (U,))] == [
        Form.constant(1),
        Form.constant(HALF),
        Form.constant(1),
    ]
    assert [*boxes.coefficients(forms.read(C * U), (U,))] == [Form(), forms.read(C)]
    assert [*boxes.coefficients(forms.read(X), ())] == [forms.read(X)]
    wrong: Any
    for wrong in (None, E, letter("w", Domain(F(0), greatest=F(2))), U + 1):
        with pytest.raises(BadCertificate, match="no letter in"):
            [*boxes.coefficients(forms.read(U), (wrong,))]
    with pytest.raises(BadCertificate, match="no polynomial"):
        [*boxes.coefficients(forms.read(largest(U, E)), (U,))]


def test_points_between_their_ends() -> None:
    at = [coordinate(name, "E") for name in "xy"]
    box = Points(("x", "y"), ((ZERO, None), (MINUS_ONE, number(2))))
    assert box.inside("E") == [at[0], at[1] + 1, 2 - at[1]]
    disc = Points(("x", "y"), ((None, None), (None, None)), number(3))
    assert substitution.expanded(disc.inside("E")[0]) == 9 - 4 * at[0] ** 2 - 4 * at[1] ** 2
    assert set(box.letters("E")) == {"x__E", "y__E"} and len(box.letters()) == 4
    assert box.data()["box"] == [["0", None], ["-1", "2"]] and disc.data()["disc"] == "3"


# substitution


def test_sums_multiplied_out_by_hand() -> None:
    assert substitution.expanded((X + 1) * (X - 1)) == X**2 - 1
    assert substitution.expanded((X + 1) ** -1) == (X + 1) ** -1
    assert substitution.expanded(sqrt(X + 1)) == sqrt(X + 1)
    assert substitution.expanded(E * (X + 1) ** 2) == E * X**2 + 2 * E * X + E
    high = substitution.expanded((X + 1) ** 64)
    assert high.kind == "sum" and len(high.of) == 65
    assert substitution.expanded((X + 1) ** 65).kind == "power"
    assert substitution.counted(X + Y + 1, 99) == 4 and substitution.counted(X + Y + 1, 2) == 2


def test_maxima_without_what_is_never_the_largest() -> None:
    assert substitution.seen_largest(largest(E, E + 1, X)) == largest(E + 1, X)
    assert substitution.seen_largest(largest(E + 1, E)) == E + 1
    assert (
        substitution.seen_largest(largest(X, Y)) is None is substitution.seen_largest(top(2, [E, E + 1, X]))
    )
    assert substitution.seen_largest(E + 1) is None


# terms


def test_the_normal_form_by_hand() -> None:
    assert sqrt(number(2)) * sqrt(number(3)) == sqrt(number(6)) and sqrt(number(2)) * sqrt(
        number(8)
    ) == number(4)
    assert power(number(F(1, 2)), E) == power(number(2), -E) and power(ZERO, E) == ZERO
    assert power(E * X, 2) == E**2 * X**2 and power(E * X**2, HALF) == sqrt(E) * largest(X, -X)
    assert power(power(X, 2), HALF) == largest(X, -X) and power(power(X, 3), F(1, 3)).kind == "power"
    assert power(4 * E, HALF) == 2 * sqrt(E) and power(-4 * X, HALF) == 2 * power(-X, HALF)
    assert exp(2 * log(X)) == X**2 and exp(E + log(G)) == exp(E) * G and exp(ZERO) == ONE
    assert exp(log(E) * log(G)).kind == "exp" and log(number(F(1, 3))) == -log(number(3))
    assert log(exp(X)) == X and log(ONE) == ZERO and log(INFINITY) == INFINITY == exp(INFINITY)
    for bad in (
        lambda: log(ZERO),
        lambda: log(number(-2)),
        lambda: power(ZERO, -1),
        lambda: sqrt(number(-1)),
    ):
        with pytest.raises(TermError):
            bad()
    for bad in (lambda: E * INFINITY, lambda: power(E, INFINITY), lambda: power(INFINITY, E)):
        with pytest.raises(TermError, match="oo cannot stand"):
            bad()
    for bad in (
        lambda: number(10**1100),
        lambda: power(number(10), 5000),
        lambda: power(number(10), F(9999, 2)),
    ):
        with pytest.raises(TooLarge):
            bad()
    assert terms.add([E, INFINITY]) == INFINITY and terms.add([]) == ZERO and terms.multiply([]) == ONE
    assert 2 * (E + 3) == 2 * E + 6 and (2 * (E + 3)).kind == "sum" and 0 * E == ZERO
    assert (
        (2 * E) * (G / 2) == E * G and (2 * E * G) * (X / 2) == E * G * X and (2 * E) * (Y * 3) == 6 * E * Y
    )
    assert (E + 1) * (E + 1) ** -1 == ONE and exp(E) * exp(-E) == ONE and E * X * 0 == ZERO


@pytest.mark.parametrize(
    "term",
    [
        1 / (2 * (X + Y)),
        1 / (X + Y),
        F(3, 2) / (X + Y),
        1 / (2 * X),
        1 / (X * (Y + 1)),
        1 / (2 * X * (Y + 1)),
        F(2, 3) * X / (Y + 1),
        -F(2, 3) * X / (E * (Y + 1)) + F(5, 7),
        X / (3 * sqrt(E)) - 1 / E,
        power(2 * X + 2 * Y, -2) / 3,
        -X - 1,
        X * (Y - 1) - E * -3,
        exp(-X / 2) * (1 - Y) / 4,
        sqrt(X) * sqrt(Y),  # where both are below 0 this has no value, and √(x·y) has
        sqrt(X + 1) * sqrt(E) / sqrt(number(2)),
        sqrt(E) * sqrt(E + 1) / 3,
        largest(X, -Y) / 2 - least(X, number(3)),
    ],
)
def test_what_is_written_is_read_again(term: Term) -> None:
    letters = {"x": X, "y": Y, "e": E}
    assert formulas.parse(formulas.to_text(term), letters) == term


def test_the_sums_of_the_largest_by_hand() -> None:
    assert largest(number(1), number(5), E) == largest(number(5), E) and largest(E, E) == E
    assert largest(E, largest(G, X)) == largest(E, G, X) and top(0, [E]) == ZERO == top(2, [])
    assert largest(E, largest(X, -X)).of[1:] != largest(E, X, -X).of[1:]  # an absolute value stays one
    assert top(2, [E, G]) == E + G and top(3, [E, G]) == E + G and top(2, [E, E, G]).kind == "top"
    assert top(2, [number(n) for n in (4, 1, 3)]) == number(7) and top(1, [E, INFINITY]) == INFINITY
    assert least(number(3), number(2)) == number(2) and top(2, [number(1), number(5), E]).kind == "top"


def test_the_largest_members_by_hand() -> None:
    three, four = number(3), number(4)
    assert over(0, MEMBER, K) == ZERO and over(3, E, K) == 3 * E and over(4, E, K) == E * least(four, K)
    assert over(K, E, K) == K * E and over(M, E, K) == E * least(M, K) and over(1, E, M) == E
    assert over(3, E, three) == 3 * E and over(4, E, three) == 3 * E and over(2, INFINITY, K) == INFINITY
    assert (
        over(2, MEMBER, K).kind == "over"
        and terms.is_open(MEMBER + 1)
        and not terms.is_open(over(2, MEMBER, K))
    )
    assert terms.is_open(over(MEMBER, E * letter("f[i]"), K)) and not terms.is_open(E)


# intervals


def test_intervals_by_hand() -> None:
    one, wide = Interval(F(1), F(2)), Interval(F(-1), F(3))
    assert one * wide == Interval(F(-2), F(6)) == wide * one and wide * wide == Interval(F(-3), F(9))
    assert one * Interval.of(-2) == Interval(F(-4), F(-2)) and one * Interval.of(0) == Interval.of(0)
    assert one - wide == Interval(F(-2), F(3)) and one + wide == Interval(F(0), F(5))
    assert one.inverse() == Interval(F(1, 2), F(1)) and Interval(F(-2), F(-1)).inverse() == Interval(
        F(-1), F(-1, 2)
    )
    for bad in (wide, Interval(F(0), F(1)), Interval(F(-1), F(0))):
        with pytest.raises(NoEnclosure):
            bad.inverse()
    assert one.at_least(wide) == Interval(F(1), F(3)) and one.at_most(wide) == Interval(F(-1), F(2))
    assert one.end(True) == 2 and one.end(False) == 1
    assert Interval.of(F(1, 3)).rounded(3) == Interval.of(F(1, 3)) and Interval.of(3).power(
        0, 8
    ) == Interval.of(1)
    rounded = Interval.of(F(1000, 3001)).rounded(4)
    assert rounded.low < F(1000, 3001) < rounded.high and rounded.high - rounded.low <= F(1, 2**5)
    big = Interval.of(F(10**9 + 1)).rounded(4)
    assert big.low < 10**9 + 1 < big.high < big.low * F(17, 16)


@pytest.mark.parametrize("bits", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("x", ["0", "1/100", "1/2", "1", "5/2", "9", "-1/100", "-1", "-7/3", "-9"])
def test_powers_of_e_to_a_few_bits(x: str, bits: int) -> None:
    """A close enclosure lies within one to a few bits, which is not much wider than it is to be."""
    rough, close = (intervals.exp(Interval.of(F(x)), n) for n in (bits, 120))
    assert rough.low <= close.low and close.high <= rough.high
    assert rough.high - rough.low <= close.high * F(4, 2**bits)
    low, high = intervals._exp(F(x), bits)
    assert low <= close.low and close.high <= high and high - low <= high / 2 ** (bits + 8)


@pytest.mark.parametrize("bits", [1, 3, 6])
@pytest.mark.parametrize("x", ["1/100", "1/2", "3/4", "1", "2", "5", "100", "7/5"])
def test_logarithms_and_roots_to_a_few_bits(x: str, bits: int) -> None:
    for found, close in (
        (intervals.log(Interval.of(F(x)), bits), intervals.log(Interval.of(F(x)), 120)),
        (Interval.of(F(x)).root(bits), Interval.of(F(x)).root(120)),
    ):
        assert found.low <= close.low and close.high <= found.high
        assert found.high - found.low <= max(abs(close.high), F(1, 2)) * F(4, 2**bits)


def test_powers_of_e_far_out() -> None:
    most = intervals.MOST_LOGARITHM
    assert intervals.exp(Interval(F(-most - 1), F(-most - 1)), 8).low == 0
    assert 0 < intervals.exp(Interval.of(-most), 8).low <= intervals.exp(Interval.of(-most - 9), 8).high
    with pytest.raises(NoEnclosure, match="too large"):
        intervals.exp(Interval.of(most + 1), 8)


def test_signs_of_constants() -> None:
    two, three = sqrt(number(2)), sqrt(number(3))
    assert [intervals.sign(one) for one in (two - three, three - two, ZERO, number(-2), number(3))] == [
        -1,
        1,
        0,
        -1,
        1,
    ]
    assert intervals.sign(E) is None is intervals.sign(two + three - sqrt(5 + 2 * sqrt(number(6))))
    assert intervals.sign(largest(two, three) - three) == 0
    assert (
        intervals.largest_constant(largest(two, three, ONE)) == three
        and intervals.largest_constant(two) is None
    )
    assert intervals.largest_constant(top(2, [two, three, ONE])) is None
    assert intervals.largest_constant(largest(two, E)) is None
    assert intervals.enclosure(top(2, [two, three, number(9)]), 30).low > F(107, 10)


@pytest.mark.parametrize(
    ("term", "value"),
    [
        (power(number(2), number(F(3, 2))), "2.8284271"),
        (power(number(3), number(F(-2, 3))), "0.4807498"),
        (power(number(2), sqrt(number(2))), "2.6651441"),
        (exp(ONE) * exp(sqrt(number(2))), "11.180973"),
    ],
)
def test_constants_by_hand(term: Term, value: str) -> None:
    found = intervals.enclosure(term, 40)
    assert abs(found.low - F(value)) < F(1, 10**6) and 0 <= found.high - found.low < F(1, 2**35)
