"""Formulas at their edges, by hand: ends of enclosures, squares and roots of maxima, signs, what has no value."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from dpcompose.kernel.composition.given import is_of_members
from dpcompose.kernel.core import assumptions
from dpcompose.kernel.deciders.calculus import coordinates, elementary, exponentials, ranges, ratios
from dpcompose.kernel.expressions import boxes, certificates, forms, formulas, intervals, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.forms import NotAForm
from dpcompose.kernel.expressions.grammar import FormulaError
from dpcompose.kernel.expressions.intervals import Interval, NoEnclosure, enclosure
from dpcompose.kernel.expressions.polynomials import Form
from dpcompose.kernel.expressions.terms import Term, letter, number, power, sqrt, top

F = Fraction
X, Y = letter("x"), letter("y")
FAMILY = {"e[i]": letter("e[i]"), "k": letter("k", Domain.read("integer >= 1"))}
MEMBER = letter("e[i]")
REAL = letter("r", Domain.read("real"))


@pytest.mark.parametrize("scale", [8, 9, 16, 40])
@pytest.mark.parametrize("z", [F(0), F(1, 2**8), F(1, 3), F(1, 5), F(-1, 7), F(3, 2**9), F(1, 2**60)])
def test_an_artanh_lies_between_its_ends(z: Fraction, scale: int) -> None:
    """The series, with 60 terms more than enough: z^121 is far below 2^-150."""
    series = sum((z ** (2 * j + 1) / (2 * j + 1) for j in range(60)), F(0))
    low, high = intervals._artanh(z, scale)
    assert low <= series <= high
    assert high - low <= F(scale + 4, 2**scale)


def test_the_logarithm_of_0_has_no_enclosure() -> None:
    for low in (0, -1):
        with pytest.raises(NoEnclosure):
            intervals.log(Interval(F(low), F(1)), 64)


def test_a_whole_number_is_enclosed_by_fractions() -> None:
    """An int over an int is a float."""
    assert all(type(end) is Fraction for end in (Interval.of(3).low, Interval.of(3).high))


@pytest.mark.parametrize(
    ("base", "n", "m"), [(2, 1, 3), (2, -1, 3), (5, 2, 3), (3, 3, 4), (7, 1, 2), (7, -3, 2)]
)
def test_roots_of_any_degree_are_enclosed(base: int, n: int, m: int) -> None:
    found = enclosure(power(number(base), number(F(n, m))), 64)
    assert found.low**m <= F(base) ** n <= found.high**m
    assert found.high - found.low < F(1, 2**50)


@pytest.mark.parametrize(
    ("square", "root"),
    [
        (top(1, [X**2, Y**2]), top(1, [X, Y])),
        (-top(1, [-(X**2), -(Y**2)]), terms.least(X, Y)),
        (-4 * top(1, [-(X**2), -(Y**2)]), 2 * terms.least(X, Y)),
    ],
)
def test_roots_of_maxima_and_minima(square: Term, root: Term) -> None:
    assert forms.root(square) == root


def test_the_root_of_a_sum_of_the_largest_is_not_taken_apart() -> None:
    """The square is x^2 + y^2 of all two: its root is no minimum, and no sum."""
    both = -top(2, [-(X**2), -(Y**2), -((X + Y) ** 2)])
    root, at = forms.root(both), {"x": F(3), "y": F(4)}
    assert root == sqrt(both) and formulas.evaluate(root, at) == 5


@pytest.mark.parametrize(
    ("term", "missing"),
    [
        (terms.over(1, MEMBER, number(F(1, 2))), "a whole number"),
        (terms.over(1, MEMBER, letter("k", Domain.read("integer >= 1"))), None),
        (terms.over(1, MEMBER, letter("k", Domain.read("integer >= 1")) / 2), "a whole number"),
        (terms.over(1, MEMBER, letter("k", Domain(F(1)))), "a whole number"),
        (terms.over(1, MEMBER, letter("k", Domain.read("integer >= 0"))), ">= 0"),
    ],
)
def test_families_have_a_whole_number_of_members(term: Term, missing: str | None) -> None:
    assert [said for _, said in forms.missing_values([term])] == ([] if missing is None else [missing])


@pytest.mark.parametrize("factor", [F(1, 2), F(2), F(-1, 2)])
def test_a_minimum_has_a_factor_below_0(factor: Fraction) -> None:
    """x/2·max(-x, -y) is never above 0; -x/2·max(-x, -y) is never below it."""
    worst = X * top(1, [-X, -Y]) * factor
    assert worst.nonnegative is (factor < 0)


def test_a_maximum_is_multiplied_by_no_letter() -> None:
    with pytest.raises(NotAForm):
        _ = forms.read(top(1, [REAL, Y])) * Form.letter(REAL)


@pytest.mark.parametrize("name", ["sqrt", "exp", "log", "abs"])
def test_a_function_takes_no_family(name: str) -> None:
    with pytest.raises(FormulaError, match="takes one value"):
        formulas.parse(f"{name}(e[i], i, 1, k)", FAMILY)


@pytest.mark.parametrize(
    "domain",
    [
        Domain(least=F(1), open_least=True, greatest=F(3)),
        Domain(greatest=F(3), open_greatest=True),
        Domain(least=F(2), greatest=F(5), integer=True),
        Domain(least=F(1, 2), open_least=True, greatest=F(3), open_greatest=True),
    ],
)
def test_ends_of_domains_are_written_as_open_as_they_are(domain: Domain) -> None:
    data: Any = certificates.domain_data(domain)
    if isinstance(data, dict):
        assert [data.get("open-least", False), data.get("open-greatest", False)] == [
            domain.open_least,
            domain.open_greatest,
        ]
    else:
        assert Domain.read(data) == domain


def test_an_open_end_is_assumed_where_only_the_closed_one_is_seen() -> None:
    """x >= 0 says nothing of x > 0, and 1 + x > 0 is seen."""
    c = letter("c", Domain.read("nonnegative"))
    above, from_0 = Domain(F(0), True), Domain(F(0))
    assert [one.sign for one in assumptions._in_domain(c, above)] == [">"]
    assert not [*assumptions._in_domain(c, from_0)] and not [*assumptions._in_domain(c + 1, above)]
    below = Domain(greatest=F(1), open_greatest=True)
    assert [one.sign for one in assumptions._in_domain(1 - c, below)] == ["<"]


def test_a_ratio_is_one_number_for_all_summands() -> None:
    assert ratios.ratio(2 * X + 2 * Y, X + Y) == 2
    assert ratios.ratio(2 * X + 3 * Y, X + Y) is None
    assert ratios.ratio(2 * X + 3 * REAL, X + Y) is None
    assert ratios.ratio(3 * terms.log(number(4)), terms.log(number(F(1, 2)))) == -6


def test_the_content_times_the_rest_is_all() -> None:
    x, y = elementary.parameter("x"), elementary.parameter("y")
    f = (x * x * y).scaled(F(4, 3)) + (x * y).scaled(F(2))
    common, rest = elementary.content(f)
    assert common * rest == f and common == (x * y).scaled(F(2, 3))
    assert rest == x.scaled(F(2)) + elementary.constant(3)


def test_0_is_the_empty_sum_of_powers_of_e() -> None:
    assert (
        exponentials.constant(0)
        == exponentials.Exponential()
        == exponentials.constant(2) - exponentials.constant(2)
    )


def test_the_larger_of_two_coordinates_is_the_smaller_and_a_part_of_what_is_left() -> None:
    """Both in [2, 10]: that at D is 2 + 8·(t + (1 − t)·g), that at E is 2 + 8·t."""
    ends = (number(2), number(10))
    for g, t, larger in ((F(1, 2), F(1, 4), F(7)), (F(0), F(1, 4), F(4)), (F(1), F(3, 4), F(10))):
        said = coordinates._ordered("x", ends, "D", "E")
        ((_, there),) = said.items()
        gap = coordinates._gap("x")
        at = {name: g if name == gap else t for name in there.letters}
        assert len(at) == 2 and formulas.evaluate(there, at) == larger


def test_a_formula_is_of_members_where_one_letter_moves() -> None:
    (moving,) = formulas.parse("sum(e[i], i, 1, k)", FAMILY).of[1].letters
    assert is_of_members(letter(moving)) and is_of_members(X + letter(moving)) and not is_of_members(X + Y)


@pytest.mark.parametrize("x", [F(3), F(1, 1000), F(10**40, 7), F(1), F(7, 5), F(2), F(2**70), F(1, 2**70)])
@pytest.mark.parametrize("bits", [4, 16, 80])
def test_closer_logarithms_lie_between_rough_ones(x: Fraction, bits: int) -> None:
    (low, high), (least, most) = intervals._log(x, bits), intervals._log(x, bits + 300)
    assert low <= least <= most <= high


def test_the_root_of_the_largest_member_only_is_taken_of_members() -> None:
    """√max(e[i]²) is max(e[i]); the root of the sum of two squares is no sum."""
    k = letter("k", Domain.read("integer >= 3"))
    assert forms.root(terms.over(1, MEMBER**2, k)) == terms.over(1, MEMBER, k)
    two = terms.over(2, MEMBER**2, k)
    assert forms.root(two) == sqrt(two) and forms.root(terms.over(k, MEMBER**2, k)).kind == "power"


def test_how_far_a_letter_is_from_an_end() -> None:
    """From −2 up to 3 it is 5."""
    assert boxes.shifted(Domain(F(-2), greatest=F(3), open_greatest=True), "least") == Domain(
        F(0), False, F(5), True
    )
    assert boxes.shifted(Domain(F(-2), greatest=F(3), open_greatest=True), "greatest") == Domain(
        F(0), True, F(5), False
    )
    assert boxes.shifted(Domain(F(1), greatest=F(3)), "least") == Domain(F(0), greatest=F(2))
    assert boxes.shifted(Domain(F(1)), "least") == Domain(F(0))


ENDS = [None, F(-3), F(-1, 2), F(0), F(1, 3), F(2)]


@pytest.mark.parametrize("r", [F(-3), F(-2), F(-1), F(1), F(2), F(3), F(4)])
def test_powers_of_ranges_hold_all_values(r: Fraction) -> None:
    """Between no ends those from −4 to 4 are taken; ends that are attained are not missed by far."""
    for low, high in ((x, y) for x in ENDS for y in ENDS if x is None or y is None or x <= y):
        found = ranges._power(ranges.Range(low, high), r, 64)
        inside = [
            F(n, 12)
            for n in range(-48, 49)
            if (low is None or n >= 12 * low) and (high is None or n <= 12 * high)
        ]
        for value in (x ** int(r) for x in inside if x or r > 0):
            assert (found.low is None or found.low <= value) and (found.high is None or value <= found.high)
        if r == 2 and low is not None and high is not None:
            assert found.high == max(low * low, high * high)
            assert found.low == (0 if low <= 0 <= high else min(low * low, high * high))
