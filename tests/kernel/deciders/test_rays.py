"""Families by rays, choices by their least sums, and polynomials divided: each computed by hand, or by going through all."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest

from dpcompose.kernel.deciders.calculus import roots, signs
from dpcompose.kernel.deciders.calculus.exponentials import (
    Exponential,
    NotDecided,
    constant,
    exponential,
    power,
)
from dpcompose.kernel.deciders.families import rays, rules
from dpcompose.kernel.deciders.families.rays import Largest, _Rays
from dpcompose.kernel.deciders.families.rules import Choices, Remainder
from dpcompose.kernel.expressions import forms, formulas, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import NONNEGATIVE, REAL, UNIT_INTERVAL, Domain
from dpcompose.kernel.expressions.forms import Form, NotAForm
from dpcompose.kernel.expressions.terms import Term, letter, number, over

F = Fraction
K, L = letter("k", Domain.read("integer >= 2")), letter("m", Domain.read("integer >= 1"))
E, G, X, Y = (
    letter("e[i]", NONNEGATIVE),
    letter("f[i]", NONNEGATIVE),
    letter("x", NONNEGATIVE),
    letter("y", REAL),
)


def named(*names: str) -> list[Term]:
    return [letter(f"r_{name}", NONNEGATIVE) for name in names]


# rays


def test_the_largest_members_of_rays() -> None:
    """Of one, two, three and all equal members the two largest are 1, 2, 2, 2; all are 1, 2, 3 and k ≥ 3."""
    some = _Rays(K, Largest(3), "r")
    a, b, c, every, more = named("1", "2", "3", "all", "all_more")
    assert some.letters == [1, 2, 3, "all"]
    assert some.value(number(2), False) == forms.read(a + 2 * b + 2 * c + 2 * every)
    assert some.value(number(1), False) == forms.read(a + b + c + every)
    assert some.value(None, False) == forms.read(a + 2 * b + 3 * c + 3 * every + more)
    d, e, f = named("1_more", "2_more", "3_more")
    assert some.value(number(1), True) == forms.read(2 * a + d + 2 * b + e + 3 * c + f + 3 * every + more)
    with pytest.raises(NotAForm, match="multiplied by the number"):
        some.value(None, True)
    five = _Rays(number(5), Largest(1), "r")
    assert five.value(number(1), True) == forms.read(5 * a + 5 * every)
    assert five.value(None, False) == forms.read(a + 5 * every)
    any_number = _Rays(letter("k"), Largest(1), "r")
    assert any_number.times_count(1) == forms.read(a + d) and any_number.size("all") == number(1)


def test_multiples_of_a_letter_have_rays_of_their_own() -> None:
    some = _Rays(K, Largest(2, (2 * L, 3 * L)), "r")
    a, b, two, three, every, more = named("1", "2", "times_1", "times_2", "all", "all_more")
    assert some.letters == [1, 2, "times_1", "times_2", "all"] and some.size("all") == 3 * L
    assert some.value(2 * L, False) == forms.read(a + 2 * b + 2 * L * two + 2 * L * three + 2 * L * every)
    assert some.value(number(2), False) == forms.read(a + 2 * b + 2 * two + 2 * three + 2 * every)
    assert some.value(None, False) == forms.read(
        a + 2 * b + 2 * L * two + 3 * L * three + 3 * L * every + more
    )


def test_numbers_of_largest_members_in_order() -> None:
    assert Largest(1).with_size(number(3)) == Largest(3) == Largest(3).with_size(number(2))
    assert Largest(1).with_size(3 * L).with_size(L).with_size(L) == Largest(1, (L, 3 * L))
    assert Largest(2).with_size(2 * L) == Largest(2, (2 * L,))
    for most, size in ((2, L), (3, 2 * L), (1, letter("z"))):
        with pytest.raises(NotAForm, match="which of two numbers"):
            Largest(most).with_size(size)
    with pytest.raises(NotAForm, match="which of two numbers"):
        Largest(1, (L,)).with_size(2 * K)
    assert [rays._at_most(number(m), 3).number for m in (2, 3, 4)] == [2, 3, 3]
    assert rays._at_most(L, 3) == L


def test_families_and_how_many_members_are_added_up() -> None:
    form = forms.read(over(2, E, K) + X * over(3, E, K) - over(K, G, K))
    assert rays.largest(form) == {(E, K): Largest(3), (G, K): Largest(1)}
    few = number(2)
    assert rays.largest(Form.letter(over(5, E, few)) if over(5, E, few).kind == "over" else Form()) in (
        {(E, few): Largest(2)},
        {},
    )
    below = Form.letter(terms.Term("over", (number(1), -E, K)))
    assert rays.largest(below) == {}
    with pytest.raises(NotAForm, match="that many"):
        rays.largest(forms.read(over(rays.LARGEST_TOP + 1, E, K)))


def test_what_is_assumed_of_families_is_said_of_their_rays() -> None:
    known = {(E, K): _Rays(K, Largest(2), "r")}
    a, b, every = named("1", "2", "all")
    two = forms.read(over(2, E, K) - X)
    assert rays._assumed(two, known, forms.NOTHING) == forms.read(a + 2 * b + 2 * every - X)
    for other in (over(3, E, K), over(1, G, K), over(2, E, K) ** 2, terms.largest(over(1, E, K), Y)):
        assert rays._assumed(forms.read(other), known, forms.NOTHING) == Form()


def test_families_stay_where_they_are_added() -> None:
    """α·e + β·f is taken apart where it is subtracted only."""
    both = E + 3 * G
    more, less = forms.read(over(2, both, K) + X), forms.read(X - over(2, both, K))
    assert rays._sums_above(more, forms.NOTHING) == {(both, K)} and not rays._sums_above(less, forms.NOTHING)
    assert rays._sums_above(forms.read(-Y * over(1, E, K)), forms.NOTHING) == {(E, K)}
    peak = forms.read(-terms.largest(over(1, E, K), X))
    assert not rays._sums_above(peak, forms.NOTHING)
    least = forms.read(-terms.largest(-over(1, E, K), -X))
    assert rays._sums_above(least, forms.NOTHING) == {(E, K)}
    apart = forms.read(X - over(2, E, K) - 3 * over(2, G, K))
    assert rays.prepared(less) == apart and rays.prepared(more) == more
    assert rays._summands(both) == {E: 1, G: 3}
    for none in (E, 2 * E, E - G, E + 1, E + X, E + G**2):
        assert rays._summands(none) == {}


# choices


def test_the_least_sums() -> None:
    """Of n numbers, 0 but for some, against going through all choices."""
    draw = random.Random(4)
    for _ in range(150):
        n = draw.randrange(1, 6)
        m, given = (
            draw.randrange(1, n + 1),
            [F(draw.randrange(-3, 4)) for _ in range(draw.randrange(0, n + 1))],
        )
        every = [*given, *[F(0)] * (n - len(given))]
        assert rules._sum_of_least(given, m, n) == min(map(sum, combinations(every, m)))


def test_an_affine_function_is_least_at_some_choice() -> None:
    """Two of three, and one of two inside of the first of them."""
    draw = random.Random(5)
    for _ in range(60):
        choices = Choices()
        a, b, c = choices.among(0, 2, 3)
        d, e = choices.among(a, 1, 2)
        f = {i: F(draw.randrange(-4, 5)) for i in (0, a, b, c, d, e) if draw.random() < 0.8}
        values = []
        for z in product((0, 1), repeat=3):
            for y in product((0, 1), repeat=2):
                if sum(z) == 2 and sum(y) == z[0]:
                    values.append(
                        f.get(0, F(0))
                        + sum(f.get(i, F(0)) * x for i, x in zip((a, b, c, d, e), (*z, *y), strict=True))
                    )
        assert choices.least(f) == min(values) and choices.never_negative(f) is (min(values) >= 0)


def peak_of(*of: Term, m: int = 1) -> Any:
    (found,) = forms.read(terms.top(m, of)).peaks
    return found[0]


def weighed(difference: Term, peak: Any, weights: list[tuple[Term, str]]) -> Remainder:
    left = Remainder(forms.read(difference))
    left.weigh(peak, [(forms.read(inner), {0: F(c)}) for inner, c in weights])
    left.check()
    return left


A, B, C = (letter(name, NONNEGATIVE) for name in "abc")


def test_weights_at_their_ends() -> None:
    """max(a, b) ≥ (a + b)/2, 2·max(a, b) ≥ a + b, and a; top(2, …) ≥ a + b; of what may be negative no less than all."""
    most, two = terms.largest(A, B), terms.top(2, [A, B, C])
    weighed(most - A / 2 - B / 2, peak_of(A, B), [(A, "1/2"), (B, "1/2")])
    weighed(2 * most - A - B, peak_of(A, B), [(A, "1"), (B, "1")])
    weighed(2 * most - 2 * A, peak_of(A, B), [(A, "2")])
    weighed(most, peak_of(A, B), [(A, "0")])
    weighed(most, peak_of(A, B), [])
    weighed(two - A - B, peak_of(A, B, C, m=2), [(A, "1"), (B, "1")])
    real = terms.largest(Y, A)
    weighed(real - A, peak_of(Y, A), [(A, "1")])
    for difference, peak, weights, message in (
        (most, peak_of(A, B), [(A, "1"), (B, "1/9")], "too large a sum"),
        (most, peak_of(A, B), [(A, "10/9")], "a weight is too large"),
        (most, peak_of(A, B), [(A, "-1/9")], "a weight is negative"),
        (two, peak_of(A, B, C, m=2), [(A, "2")], "a weight is too large"),
        (two, peak_of(A, B, C, m=2), [(A, "1"), (B, "1"), (C, "1/9")], "too large a sum"),
        (real, peak_of(Y, A), [(A, "8/9")], "too small a sum"),
        (most, peak_of(A, B), [(C, "0")], "do not fit"),
        (most, peak_of(A, B), [(A, "0"), (A, "0")], "do not fit"),
        (most - A - B / 9, peak_of(A, B), [(A, "1")], "not seen to be >= 0"),
    ):
        with pytest.raises(BadCertificate, match=message):
            weighed(difference, peak, weights)


def test_choices_of_what_is_subtracted_only() -> None:
    left = Remainder(forms.read(A + B - terms.largest(A, B)))
    members = [forms.read(A), forms.read(B)]
    for other in ([members[0]], [members[0], members[0]], [*members, members[0]]):
        with pytest.raises(BadCertificate, match="not what the worst case compares"):
            Remainder(forms.read(A + B - terms.largest(A, B))).choose(peak_of(A, B), 0, other)
    assert list(left.choose(peak_of(A, B), 0, members)) == [1, 2]
    left.check()
    for difference in (terms.largest(A, B), A + B):
        with pytest.raises(BadCertificate, match="not subtracted"):
            Remainder(forms.read(difference)).choose(peak_of(A, B), 0, members)
    for i in (-1, 1):
        with pytest.raises(BadCertificate, match="a choice that there is not"):
            Remainder(forms.read(A)).need({i: F(1)}, "")
    Remainder(forms.read(A)).need({0: F(0)}, "")


# polynomials


def divided(p: list[Fraction], q: list[Fraction]) -> list[Fraction]:
    """The remainder by long division."""
    rest = list(p)
    while len(rest) >= len(q):
        c = rest[-1] / q[-1]
        for j, d in enumerate(q):
            rest[len(rest) - len(q) + j] -= c * d
        rest.pop()
    while rest and not rest[-1]:
        rest.pop()
    return rest


def test_remainders_keep_their_sign() -> None:
    draw = random.Random(6)
    for _ in range(120):
        p, q = (
            [draw.randrange(-4, 5) for _ in range(draw.randrange(1, 6))] + [draw.choice([-3, -1, 1, 2])]
            for _ in "pq"
        )
        found, exact = roots.remainder(tuple(p), tuple(q)), divided([F(c) for c in p], [F(c) for c in q])
        assert len(found) == len(exact)
        assert len({F(x) / y for x, y in zip(found, exact, strict=True) if y}) <= 1
        assert all(x * y >= 0 and (x == 0) == (y == 0) for x, y in zip(found, exact, strict=True))


def test_polynomials_by_hand() -> None:
    assert roots.polynomial([F(1, 2), F(1, 3), F(0)]) == (3, 2) and roots.polynomial([F(0)]) == ()
    assert roots.common((-1, 0, 1), (1, 1)) == (1, 1) == roots.common((-1, 0, 1), (-1, -1))
    assert roots.quotient((-2, 0, 2), (1, 1)) == (-1, 1) and roots.quotient((2, -2), (-1, 1)) == (-1,)
    assert roots.with_odd_roots((0, 0, 0, 1)) == (0, 1) and roots.with_odd_roots((5,)) == (5,)
    assert roots.without_roots_at((0, 0, 1), F(0)) == (1,) and roots.without_roots_at(
        (-1, 1), F(2), None
    ) == (-1, 1)
    assert roots.value((1, -3, 2), F(3, 4)) < 0 == roots.value((1, -3, 2), F(1, 2))
    sturm = roots.Sturm((0, -1, 0, 1))
    assert [
        sturm.count(*ends)
        for ends in ((None, None), (F(-1), F(1)), (F(-2), F(-1)), (F(0), None), (None, F(0)))
    ] == [3, 2, 1, 1, 2]
    assert sturm.bound == 2 and roots.Sturm((7,)).bound == 1 and roots.Sturm((-6, 0, 2)).bound == 4
    ends = list(sturm.enclosed(F(-3, 2), None, F(1, 8)))
    assert len(ends) == 3 and all(
        a < x <= b and b - a <= F(1, 8) for (a, b), x in zip(ends, (-1, 0, 1), strict=True)
    )
    assert roots._middle(F(1), F(2)) == F(3, 2) and roots._middle(F(1), None) == 2
    assert roots._middle(None, F(1)) == 0 == roots._middle(None, None)


@pytest.mark.parametrize(
    ("f", "low", "high", "holds"),
    [
        ("0", None, None, True),
        ("-1", None, None, False),
        ("0 1", "0", None, True),
        ("0 1", "-1", None, False),
        ("0 -1", None, "0", True),
        ("-1 1", "1", "3", True),
        ("3 -1", "1", "3", True),
        ("3 -4 1", "1", "3", False),
        ("3 -4 1", "3", None, True),
        ("0 0 -1", "0", "1", False),
        ("1/4 -1 1", "0", "1", True),  # (x − 1/2)², whose root is the middle
        ("-1/4 1 -1", "0", "1", False),
        ("1 -2 1", "0", None, True),
        ("0 0 0 1", None, None, False),
        ("0 1 -2 1", "0", None, True),  # x·(x − 1)², which is looked at at 1 first
        ("0 -1 2 -1", "0", None, False),
    ],
)
def test_polynomials_between_ends(f: str, low: str | None, high: str | None, holds: bool) -> None:
    some = [F(c) for c in f.split()]
    assert (
        roots.never_negative(some, None if low is None else F(low), None if high is None else F(high))
        is holds
    )


# sums of powers of e

P, Q = letter("p", Domain(F(1))), letter("q", REAL)


def test_sums_of_powers_of_e_as_polynomials() -> None:
    """e^(p/2) − 2·e^(p/3 + q) + 3/e^q: at p = 1 + 6·log(t), q = log(s) it is, up to a power, that in t and s."""
    value = exponential([(P / 2, F(1)), (P / 3 + Q, F(-2)), (-Q, F(3))])
    of = signs._parameters(value)
    assert of == {P: Domain(F(1)), Q: REAL} and signs._scales(value)[P] == 6 and signs._scales(value)[Q] == 1
    polynomial = signs._polynomial(value, of)
    assert sorted(polynomial) == [(0, 0), (2, 2), (3, 1)]
    assert polynomial[0, 0] == constant(3) and polynomial[3, 1] == power(number(F(1, 2)))
    assert polynomial[2, 2] == power(number(F(1, 3)), F(-2))
    shifted = signs._shifted(polynomial, of.values())
    assert shifted is not None and sorted(shifted) == [
        (0, 0),
        (0, 1),
        (0, 2),
        (1, 1),
        (1, 2),
        (2, 1),
        (2, 2),
        (3, 1),
    ]
    assert shifted[2, 1] == power(number(F(1, 2)), F(3)) and shifted[1, 2] == power(number(F(1, 3)), F(-4))
    constants = signs._polynomial(exponential([(P / 2 + 3, F(1)), (number(1), F(1))]), {P: Domain(F(1))})
    assert constants == {(1,): power(number(F(7, 2))), (0,): power(number(1))}
    large = {(99, 99): constant(1)}
    assert signs._shifted(large, of.values()) is None


@pytest.mark.parametrize(
    ("some", "negative"),
    [
        ([(2 * P, 1), (P, -3), (number(0), 2)], False),  # (x − 1)(x − 2), x ≥ e
        ([(2 * P, 1), (P, -6), (number(0), 8)], True),  # (x − 2)(x − 4)
        ([(Q, 1), (number(0), 1)], False),
        ([(Q, 1), (number(0), -1)], True),
        ([(2 * Q, 1), (Q, -2), (number(0), 1)], False),
        ([(number(1), 1), (number(0), -3)], True),
        ([(number(1), 1), (number(0), -2)], False),
    ],
)
def test_signs_of_sums_of_powers_of_e(some: list[tuple[Term, int]], negative: bool) -> None:
    value = exponential([(L_, F(c)) for L_, c in some])
    found = signs.where_negative(value)
    assert (found is not None) is negative
    if found is not None:
        assert value.at(found).sign() < 0
        assert all(letter.contains(found[name]) for name, letter in value.letters.items())


def test_points_that_are_tried_are_allowed() -> None:
    domains = {"p": Domain(F(7, 2)), "q": UNIT_INTERVAL, "n": Domain(F(3), integer=True)}
    some = list(signs._points(domains))
    assert 9 < len(some) <= signs.MOST_POINTS
    assert all(domains[name].contains(x) for point in some for name, x in point.items())
    assert (
        Exponential().sign() == 0
        and constant(-2).sign() == -1
        and (power(number(1)) - constant(3)).sign() == -1
    )
    with pytest.raises(NotDecided, match="too large"):
        power(number(10**7)).enclosure()
    assert formulas.to_text(power(number(1), F(2)).term) == "2*exp(1)"
