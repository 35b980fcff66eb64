"""Small things that proofs by calculus rest on, computed by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpcompose.kernel.covers.matchings import Costs
from dpcompose.kernel.deciders.calculus import calculus, elementary, ranges, values
from dpcompose.kernel.deciders.families import rays
from dpcompose.kernel.expressions import forms, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.formulas import parse
from dpcompose.kernel.expressions.terms import letter


@pytest.mark.parametrize(
    ("text", "at", "value"),
    [
        ("2**a", 3, 8),
        ("(1 + a)**a", 2, 9),
        ("a**(1/2)", 49, 7),
        ("a*sqrt(a)", 4, 8),
        ("sqrt(a)*a**(1/3)*a**(1/6)", 5, 5),
        ("a**3/sqrt(a)", 4, 32),
    ],
)
def test_a_power_is_exp_of_the_exponent_times_the_logarithm(text: str, at: int, value: int) -> None:
    f = values.of_term(parse(text, {"a": letter("a")}))
    found = ranges.over(elementary.substituted(f, "a", elementary.constant(at)), {}, 64)
    assert found.low is not None and found.high is not None and found.low <= value <= found.high
    assert found.high - found.low < Fraction(1, 10**9)


@pytest.mark.parametrize(("how", "ends"), [("root 2", (2, 3)), ("least", (0, 5)), ("greatest", (0, 5))])
def test_a_letter_between_ends_is_between_other_ends_after_a_change(how: str, ends: tuple[int, int]) -> None:
    """a in [4, 9] is the square of one in [2, 3]; a - 4 and 9 - a are in [0, 5]."""
    box = {"a": Domain(Fraction(4), greatest=Fraction(9))}
    goal = (elementary.parameter("a"), box)
    ((_, changed),) = calculus.reduce(goal, calculus.from_data(["change", "a", how], goal))
    least, greatest = changed["a"].least, changed["a"].greatest
    assert least is not None and greatest is not None
    assert ends[0] - Fraction(1, 10**9) < least <= ends[0] and ends[1] <= greatest < ends[1] + Fraction(
        1, 10**9
    )


@pytest.mark.parametrize(("power", "squares"), [(1, 0), (2, 1), (3, 1), (4, 2), (5, 2)])
def test_sums_of_squares_are_below_squares_of_sums(power: int, squares: int) -> None:
    """(Σ e_i)^3 is at least Σ e_i² times Σ e_i, and so on: of each pair of factors one sum of squares."""
    k, e = letter("k", Domain.read("integer >= 2")), letter("e[i]")
    total, square = terms.over(k, e, k), terms.over(k, e**2, k)
    found = rays._squares_inside(forms.read(total**power), forms.NOTHING)
    assert found == forms.read(square**squares * total ** (power - 2 * squares))


def test_records_of_one_atom_are_two_steps_apart_unless_they_are_neighbours() -> None:
    assert Costs([(0, 0), (0, 1)])(0, 0) == 1 and Costs([(0, 1)])(0, 0) == 2
    assert Costs([(1, 2)])(0, 0) is None and Costs([(0, 1), (1, 2)])(0, 2) == 2
