"""Calculus on boxes, by hand: between which ends letters lie after a step, and what a range of numbers becomes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from dpcompose.kernel.deciders.calculus import elementary, ranges, steps, values
from dpcompose.kernel.deciders.calculus.elementary import Box, Elementary, NotElementary
from dpcompose.kernel.deciders.calculus.ranges import Range
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import NONNEGATIVE, POSITIVE, REAL, UNIT_INTERVAL, Domain

F = Fraction
A, B = elementary.parameter("a"), elementary.parameter("b")
REAL_A = elementary.parameter("a", nonnegative=False)
ONE = elementary.constant(1)


def closed(low: str | None, high: str | None, whole: bool = False) -> Domain:
    return Domain(None if low is None else F(low), False, None if high is None else F(high), False, whole)


def between(low: str | None, high: str | None) -> Domain:
    return Domain(None if low is None else F(low), True, None if high is None else F(high), True)


def after(rule: str, f: Elementary, box: Box, *of: Any) -> list[tuple[Elementary, Box]]:
    return steps.RULES[rule][0](f, box, *of)


def scaled(f: Elementary, factor: int | Fraction) -> Elementary:
    return f.scaled(F(factor))


# where letters lie after a step


@pytest.mark.parametrize(
    ("domain", "c", "parts"),
    [
        (POSITIVE, "1", (between("0", "1"), between("1", None))),
        (closed("0", "3"), "2", (between("0", "2"), between("2", "3"))),
        (closed("0", None, True), "5/2", (closed("0", "2", True), closed("3", None, True))),
        (closed("0", "3", True), "0", (closed("0", "0", True), closed("1", "3", True))),
        (closed("0", "3", True), "2", (closed("0", "2", True), closed("3", "3", True))),
        (closed(None, "3", True), "-7/2", (closed(None, "-4", True), closed("-3", "3", True))),
    ],
)
def test_a_letter_below_a_number_and_above(domain: Domain, c: str, parts: tuple[Domain, Domain]) -> None:
    box = {"a": domain, "b": POSITIVE}
    f = elementary.parameter("a", domain.nonnegative) + B
    assert [inside for _, inside in after("split", f, box, "a", F(c))] == [box | {"a": one} for one in parts]


def test_above_0_a_real_letter_is_known_not_to_be_below_it() -> None:
    (below, _), (above, _) = after("split", REAL_A * B, {"a": REAL, "b": POSITIVE}, "a", F(0))
    assert below == REAL_A * B and above == A * B


@pytest.mark.parametrize(
    ("domain", "c"),
    [
        *((closed("0", "3"), c) for c in ("0", "3", "-1", "4")),
        *((closed("0", "3", True), c) for c in ("3", "7/2", "-1/2", "4")),
        (POSITIVE, "0"),
    ],
)
def test_a_letter_is_split_between_its_ends_only(domain: Domain, c: str) -> None:
    with pytest.raises(BadCertificate, match="no inner value"):
        after("split", A, {"a": domain}, "a", F(c))


@pytest.mark.parametrize(
    ("x", "y", "c", "most"),
    [
        (closed("1", "5"), closed("1/2", "3"), "2", ("4", "5/2")),  # 5 − 2·1/2, and 3 − 1/2·1
        (closed("0", "5"), closed("0", None), "1/3", ("5", None)),
        (POSITIVE, UNIT_INTERVAL, "4", (None, "1")),
    ],
)
def test_one_letter_beyond_a_multiple_of_another(
    x: Domain, y: Domain, c: str, most: tuple[str | None, str | None]
) -> None:
    box, n = {"a": x, "b": y, "c": POSITIVE}, F(c)
    (first, there), (second, here) = after("order", A - scaled(B, 3), box, "a", "b", n)
    assert first == scaled(B, n) + A - scaled(B, 3) and second == A - scaled(scaled(A, 1 / n) + B, 3)
    assert there == box | {"a": between("0", most[0])} and here == box | {"b": between("0", most[1])}


@pytest.mark.parametrize(
    ("x", "y", "c"),
    [
        (POSITIVE, POSITIVE, "0"),
        (POSITIVE, POSITIVE, "-1"),
        (REAL, POSITIVE, "1"),
        (POSITIVE, REAL, "1"),
        (closed("0", None, True), POSITIVE, "1"),
        (POSITIVE, closed("0", None, True), "1"),
    ],
)
def test_letters_that_have_no_order(x: Domain, y: Domain, c: str) -> None:
    with pytest.raises(BadCertificate, match="no two real parameters"):
        after("order", A, {"a": x, "b": y}, "a", "b", F(c))
    with pytest.raises(BadCertificate, match="no two real parameters"):
        after("order", A, {"a": POSITIVE, "b": POSITIVE}, "a", "a", F(1))


@pytest.mark.parametrize("end", ["least", "greatest"])
def test_a_slope_is_asked_between_the_ends(end: str) -> None:
    """a² from 1 to 3: 1 there, and 2a; or 9, and −2a."""
    (there, box), (slope, inside) = after("slope", A * A, {"a": closed("1", "3"), "b": POSITIVE}, "a", end)
    assert (there, box) == (elementary.constant(1 if end == "least" else 9), {"b": POSITIVE})
    assert slope == scaled(A, 2 if end == "least" else -2)
    assert inside == {"a": between("1", "3"), "b": POSITIVE}


@pytest.mark.parametrize(
    ("domain", "how", "there", "new"),
    [
        (closed("1", "4"), "least", A + ONE, between("0", "3")),
        (closed("1", None), "least", A + ONE, between("0", None)),
        (closed("1", "4"), "greatest", elementary.constant(4) - A, between("0", "3")),
        (closed("2", None, True), "least", A + ONE + ONE, closed("0", None, True)),
        (closed("2", "7", True), "greatest", elementary.constant(7) - A, closed("0", "5", True)),
        (closed("4", "9"), "root 2", A * A, between("2", "3")),
        (POSITIVE, "root 2", A * A, between("0", None)),
        (POSITIVE, "exp", elementary.exp(REAL_A), between(None, None)),
        (closed("1", None), "exp", elementary.exp(A), between("0", None)),
        (closed("0", "1"), "-exp", elementary.exp(scaled(A, -1)), between("0", None)),
        (closed("0", None), "log", elementary.log(A), between("1", None)),
        (closed(None, "0"), "log", elementary.log(A), between("0", "1")),
        (closed("0", None), "-log", scaled(elementary.log(A), -1), between("0", "1")),
        (closed(None, "0"), "-log", scaled(elementary.log(A), -1), between("1", None)),
    ],
)
def test_another_letter_for_one(domain: Domain, how: str, there: Elementary, new: Domain) -> None:
    f = elementary.parameter("a", domain.nonnegative)
    assert after("change", f, {"a": domain, "b": POSITIVE}, "a", how) == [(there, {"a": new, "b": POSITIVE})]


def test_cube_roots_are_rounded_outward() -> None:
    ((f, box),) = after("change", A, {"a": closed("8", "27")}, "a", "root 3")
    least, most = box["a"].least, box["a"].greatest
    assert f == A * A * A and least is not None and most is not None
    assert 2 - F(1, 2**60) < least <= 2 and 3 <= most < 3 + F(1, 2**60)


@pytest.mark.parametrize("how", ["exp", "-exp", "log", "-log"])
def test_ends_that_are_no_fractions_are_rounded_outward(how: str) -> None:
    """From 1/2 to 2, whose logarithms are ∓log(2), and from ∓log(2) on; between e^(1/2) and e^2."""
    ((_, box),) = after("change", A, {"a": closed("1/2", "2")}, "a", how)
    (found,) = box.values()
    assert found.least is not None and found.greatest is not None and found.open_least and found.open_greatest
    power = elementary.exp if "log" in how else elementary.log
    ends = [power(elementary.constant(F(x))) for x in ("1/2", "2")]
    ends = [scaled(one, -1) for one in reversed(ends)] if how == "-exp" else ends
    ends = [elementary.exp(elementary.constant(F(x))) for x in ("-2", "-1/2")] if how == "-log" else ends
    low, high = (ranges.over(one, {}, 256) for one in ends)
    assert low.low is not None and high.high is not None and low.high is not None and high.low is not None
    assert found.least <= low.high and high.low <= found.greatest
    assert low.low - found.least < F(1, 2**60) and found.greatest - high.high < F(1, 2**60)


@pytest.mark.parametrize(
    ("domain", "how"),
    [
        *((REAL, how) for how in ("least", "greatest", "root 2", "exp", "-exp")),
        *((closed("-1", None), how) for how in ("root 2", "exp", "-exp")),
        *((closed("0", None, True), how) for how in ("greatest", "log", "-log", "root 2", "exp", "-exp")),
        (POSITIVE, "greatest"),
        (POSITIVE, "root 1"),
    ],
)
def test_no_other_letter_for_one(domain: Domain, how: str) -> None:
    with pytest.raises(BadCertificate, match="cannot be changed like this"):
        after("change", A, {"a": domain}, "a", how)


def test_a_whole_number_is_one_of_all_numbers_between_its_ends() -> None:
    n, box = A, {"a": closed("1", "4", True), "b": POSITIVE}
    assert after("real", n * B, box, "a") == [(n * B, {"a": between("1", "4"), "b": POSITIVE})]
    three = box | {"a": closed("3", "3", True)}
    assert after("number", n * B, three, "a") == [(scaled(B, 3), {"b": POSITIVE})]
    for domain in (closed("3", "3", True), closed("1", "4")):
        with pytest.raises(BadCertificate, match="no whole number with several"):
            after("real", n, {"a": domain}, "a")
    for domain in (
        closed("3", "4", True),
        closed("3", "3"),
        closed(None, "3", True),
        closed("3", None, True),
    ):
        with pytest.raises(BadCertificate, match="may have several values"):
            after("number", n, {"a": domain}, "a")


# what a step leaves


def test_a_divisor_below_0_turns_the_sign() -> None:
    """By 1/(−1 − a), by −2b, and by its square, which is above 0."""
    box = {"a": POSITIVE, "b": POSITIVE}
    below = elementary.power(scaled(ONE + A, -1), F(-1))
    assert after("divided", B * below, box, below) == [(scaled(B, -1), box)]
    assert after("divided", B * below * below, box, below * below) == [(B, box)]
    assert after("divided", A * B, box, scaled(B, -2)) == [(scaled(A, F(1, 2)), box)]


def test_tangents_by_hand() -> None:
    """−log(a) ≥ 1 − log(3) − a/3, and e^(2a) ≥ e^(1/2)·(2a + 1/2): what they are multiplied by is 1."""
    box = {"a": POSITIVE}
    log, three = elementary.log(A), elementary.constant(3)
    (factor, _), (bound, _) = after("tangent", scaled(log, -1), box, log.letters[0], F(1), F(3))
    assert factor == ONE and bound == ONE - elementary.log(three) - scaled(A, F(1, 3))
    power = elementary.exp(scaled(A, 2))
    (factor, _), (bound, _) = after("tangent", power, box, elementary.exp(A).letters[0], F(2), F(1, 2))
    half = elementary.constant(F(1, 2))
    assert factor == ONE and bound == elementary.exp(half) * (scaled(A, 2) + half)
    for letter, r in ((log.letters[0], F(2)), (log.letters[0], F(0)), (A.letters[0], F(1))):
        with pytest.raises(BadCertificate, match="there are tangents"):
            after("tangent", log, box, letter, r, F(1))


def test_powers_from_the_second_on() -> None:
    box = {"a": POSITIVE, "b": POSITIVE}
    assert after("powers", A - B, box, F(3)) == [(A * A * A - B * B * B, box)]
    for n in (F(1), F(0), F(5, 2), F(-2), F(elementary.MOST_POWER + 1)):
        with pytest.raises(BadCertificate, match="the power is not allowed"):
            after("powers", A - B, box, n)
    for f in (REAL_A - B, B - REAL_A):
        with pytest.raises(BadCertificate, match="without its factor"):
            after("powers", f, box | {"a": REAL}, F(2))


def test_signs_of_factors_multiply_to_that_of_the_number() -> None:
    """−ab is (−a)·b and a·(−b), and with −1 before them neither; −ab³ has one sign of each, a² none."""
    box = {"a": POSITIVE, "b": POSITIVE}
    f = scaled(A * B, -1)
    assert after("factors", f, box, F(-1), ((A, 1, "-"), (B, 1, "+"))) == [(scaled(A, -1), box), (B, box)]
    assert after("factors", f * B * B, box, F(-1), ((A, 1, "+"), (B, 3, "-"))) == [
        (A, box),
        (scaled(B, -1), box),
    ]
    assert after("factors", A * A, box, F(1), ((A, 2, "-"),)) == []
    for c, factors in ((F(-1), ((A, 1, "-"), (B, 1, "-"))), (F(-1), ((A, 1, "+"), (B, 1, "+")))):
        with pytest.raises(BadCertificate, match="another product"):
            after("factors", f, box, c, factors)
    for n in (0, -1, steps.MOST_DEGREE + 1):
        with pytest.raises(BadCertificate, match="cannot be read"):
            after("factors", A, box, F(1), ((A, n, "+"),))


def test_a_number_is_no_polynomial() -> None:
    for f in (ONE, Elementary(), elementary.power(A, F(-1)), elementary.power(A, F(1, 2)), A * B):
        with pytest.raises(BadCertificate, match="no small polynomial"):
            after("roots", f, {"a": POSITIVE, "b": POSITIVE})
    with pytest.raises(BadCertificate, match="the factor is a number"):
        after("roots", A, {"a": closed("2", "2")})
    assert after("roots", A - ONE, {"a": closed("1", "2")}) == []
    for box in (closed("0", "2"), closed(None, "2")):
        with pytest.raises(BadCertificate, match="may be negative"):
            after("roots", A - ONE, {"a": box})


def test_a_square_is_of_a_power_that_is_there() -> None:
    box = {"a": POSITIVE, "b": REAL}
    letter = REAL_A.letters[0]
    for r, one in ((F(0), A.letters[0]), (F(1, 2), letter)):
        with pytest.raises(BadCertificate, match="no power of a letter"):
            after("square", A, box, one, r)
    root = elementary.power(A, F(1, 2))
    quadratic = A + scaled(root, 3) + elementary.constant(5)
    assert [f for f, _ in after("square", quadratic, box, A.letters[0], F(1, 2))] == [
        ONE,
        elementary.constant(5),
        elementary.constant(4 * 5 - 9),
    ]
    with pytest.raises(BadCertificate, match="other powers"):
        after("square", A * A * A, box, A.letters[0], F(1))


# ranges


def of(low: str | None, high: str | None) -> Range:
    return Range(None if low is None else F(low), None if high is None else F(high))


@pytest.mark.parametrize(
    ("x", "y", "product"),
    [
        (of("2", "3"), of("4", "5"), of("8", "15")),
        (of("-2", "3"), of("-4", "5"), of("-12", "15")),
        (of("0", None), of("0", None), of("0", None)),
        (of(None, "0"), of("0", None), of(None, "0")),
        (of(None, "0"), of(None, "0"), of("0", None)),
        (of("1", None), of("-2", "3"), of(None, None)),
        (of("2", "3"), of(None, "-1"), of(None, "-2")),
        (of("2", "3"), of("-1", None), of("-3", None)),
        (of("-3", "-2"), of("1", None), of(None, "-2")),
        (of("0", "0"), of(None, None), of("0", "0")),
        (of(None, None), of("0", "0"), of("0", "0")),
        (of("0", "5"), of(None, None), of(None, None)),
        (of("0", "5"), of("2", None), of("0", None)),
        (of("-5", "0"), of("2", None), of(None, "0")),
        (of("1", None), of(None, "-1"), of(None, "-1")),
        (of(None, "-1"), of(None, "-1"), of("1", None)),
    ],
)
def test_products_of_ranges(x: Range, y: Range, product: Range) -> None:
    assert x * y == product == y * x


@pytest.mark.parametrize(
    ("x", "r", "power"),
    [
        (of("-1", "4"), "1/2", of("0", "2")),
        (of("4", None), "1/2", of("2", None)),
        (of("4", "9"), "-1/2", of("1/3", "1/2")),
        (of("0", "4"), "-1/2", of("1/2", None)),
        (of("4", "9"), "3/2", of("8", "27")),
        (of(None, None), "2", of("0", None)),
        (of(None, "-2"), "2", of("4", None)),
        (of("-3", "2"), "2", of("0", "9")),
        (of("-3", "-2"), "-1", of("-1/2", "-1/3")),
        (of("-3", "-2"), "-2", of("1/9", "1/4")),
        (of(None, "-2"), "-1", of("-1/2", "0")),
        (of(None, "-2"), "-2", of("0", "1/4")),
        (of("-3", "0"), "-1", of(None, None)),
        (of("-3", "0"), "-2", of("0", None)),
        (of("-3", "2"), "-3", of(None, None)),
        (of("-3", None), "3", of("-27", None)),
        (of(None, "2"), "3", of(None, "8")),
        (of("2", None), "-1", of("0", "1/2")),
        (of("0", "2"), "-1", of("1/2", None)),
        (of("-7", "5"), "1", of("-7", "5")),
    ],
)
def test_powers_of_ranges(x: Range, r: str, power: Range) -> None:
    assert ranges._power(x, F(r), 64) == power


def test_powers_of_e_far_out() -> None:
    """Beyond e^2000 only that is known, below e^(−2000) only 0; of what has no end none."""
    most = ranges.exp(of("2000", "2000"), 32)
    assert ranges.exp(of("3000", None), 32) == Range(most.low, None) == ranges.exp(of("2000", "3000"), 32)
    least = ranges.exp(of("-2000", "-2000"), 32)
    assert least.low is not None and least.high is not None and 0 < least.low < least.high
    assert (
        ranges.exp(of("-3000", "-2001"), 32) == Range(F(0), least.high) == ranges.exp(of(None, "-9999"), 32)
    )
    assert ranges.exp(of("0", "0"), 32) == of("1", "1") and ranges.exp(of(None, None), 32) == of("0", None)


@pytest.mark.parametrize(
    ("x", "ends"),
    [
        (of("1", "1"), ("0", "0")),
        (of("0", "1"), (None, "0")),
        (of("-1", "0"), (None, None)),
        (of("1", None), ("0", None)),
    ],
)
def test_logarithms_of_ranges(x: Range, ends: tuple[str | None, str | None]) -> None:
    assert ranges.log(x, 32) == of(*ends)


SOME = {
    "a": closed("1", "2"),
    "b": closed("3", "5"),
    "c": closed("0", "7"),
    "x": closed("-1", "1"),
    "y": REAL,
}
LETTERS = {name: terms.letter(name, domain) for name, domain in SOME.items()}


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("top(2, a, b, c)", ("4", "12")),  # 3 + 1, and 7 + 5
        ("max(a, b, c)", ("3", "7")),
        ("max(x, -x)", ("0", "1")),  # at least the mean
        ("max(a, y)", ("1", None)),
        ("top(2, a, b, y)", ("4", None)),
        ("top(2, a, c, -a)", ("1", "9")),
        ("max(y, 3 - y)", ("3/2", None)),
        ("top(2, x, 1 - x, 2)", ("2", "4")),  # (1 + 2)·2/3
    ],
)
def test_ranges_of_the_largest(text: str, ends: tuple[str | None, str | None]) -> None:
    f = values.of_term(formulas.parse(text, LETTERS))
    assert ranges.over(f, SOME, 64) == of(*ends)


@pytest.mark.parametrize(
    ("text", "strictly", "weakly"),
    [
        ("exp(c) - 1", False, True),  # 0 at the end c = 0, which belongs to it
        ("exp(a) - 1", True, True),
        ("a - 1", False, True),
        ("2 - a", False, True),
        ("b - 2", True, True),
        ("x + 1", False, True),
        ("1 - x", False, True),
        ("1 - x**2", False, True),
        ("2 - x**2", True, True),
        ("a - 3/2", False, False),
        ("log(c)", False, False),
        ("log(1 + c)", False, True),
        ("1/c", False, False),
    ],
)
def test_what_holds_at_the_ends_too(text: str, strictly: bool, weakly: bool) -> None:
    f = values.of_term(formulas.parse(text, LETTERS))
    assert ranges.surely_everywhere(f, SOME) is strictly
    assert ranges.surely_everywhere(f, SOME, strictly=False) is weakly


def test_letters_from_their_least_values_on() -> None:
    """a from 1 to 2 is 1 + a with a from 0 to 1, as open as it was; b from 0 on stays."""
    box = {"a": Domain(F(1), True, F(2), False), "b": NONNEGATIVE, "n": closed("-2", "3", True)}
    n = elementary.parameter("n", nonnegative=False)
    f, moved = ranges.shifted(A * B + n, box)
    assert moved == {"a": Domain(F(0), True, F(1), False), "b": NONNEGATIVE, "n": closed("0", "5", True)}
    assert f == A * B + B + n - ONE - ONE or f == A * B + B + elementary.parameter("n") - ONE - ONE


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("1/(a - 1)", True),  # inside of its box a is above 1
        ("1/(a - 3/2)", False),
        ("1/x", False),
        ("x**2", True),
        ("sqrt(x)", False),
        ("sqrt(a - 1)", True),
        ("1/log(a)", True),
        ("1/log(c)", False),
        ("1/log(c + 1)", True),
        ("log(a)**(1/2)", True),
        ("1/(1 - b)", True),
        ("sqrt(1 - b)", False),
        ("1/max(a, y)", True),
        ("1/max(x, y)", False),
    ],
)
def test_what_has_a_value_inside_of_a_box(text: str, known: bool) -> None:
    try:
        f = values.of_term(formulas.parse(text, LETTERS))
    except (NotElementary, formulas.FormulaError):
        assert not known
        return
    assert (ranges.undefined(f, SOME) is None) is known
