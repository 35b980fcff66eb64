"""What formulas are made of, and what they are made into, has the values that Python's mathematics finds: random
formulas at random points, and at the ends of what their letters may be.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction

import pytest
from drawn_formulas import AT, SYMBOLS, Point, drawn, points

from dpcompose.kernel.deciders.calculus import values
from dpcompose.kernel.deciders.calculus.elementary import NotElementary
from dpcompose.kernel.expressions import forms, formulas, intervals, logarithms, substitution, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.terms import Term


def near(term: Term, point: Point, value: float) -> bool:
    """Whether a term has a value at a point, by enclosures; also where too little is told to say."""
    try:
        found = formulas.at(term, point)
        between = intervals.enclosure(found, 100)
    except (intervals.NoEnclosure, formulas.FormulaError, terms.TooLarge):
        return True
    room = 1e-6 * max(1.0, abs(value))
    return between.low - Fraction(room) <= Fraction(value) <= between.high + Fraction(room)


def rewritten(text: str, term: Term) -> Iterator[tuple[str, Term]]:
    """What the kernel makes of a term, of which it says that it is equal."""
    yield "a term", term
    with suppress(formulas.FormulaError):  # some constants are too close to 0, some numbers too large
        yield "read", formulas.parse(text, SYMBOLS)
    yield "multiplied out", substitution.expanded(term)
    yield "logarithms of primes", logarithms.of_primes(term)
    yield "read again", formulas.parse(formulas.to_text(term), SYMBOLS)
    larger = substitution.seen_largest(term)
    if larger is not None:
        yield "the largest", larger
    with suppress(forms.NotAForm):
        yield "a form", forms.write(forms.read(term))
    with suppress(NotElementary, forms.NotAForm):
        f, box = values.goal(term)
        yield "an elementary function", values.to_term(f, box)


@pytest.mark.parametrize("seed", range(12))
def test_what_is_rewritten_has_the_same_values(seed: int) -> None:
    tried = 0
    for one in drawn(seed, 60):
        there = list(points(seed, one, 5))
        for how, other in rewritten(one.text, one.term) if there else ():
            for point, value in there:
                tried += 1
                assert near(other, point, value), (how, one.text, formulas.to_text(other), point, value)
    assert tried > 300


def known(term: Term) -> Iterator[tuple[str, bool, bool]]:
    """Who says that a term is never below 0, and whether never 0."""
    yield "its parts", term.nonnegative, term.positive
    with suppress(forms.NotAForm):
        sign = forms.term_sign(term)
        yield "its letters", sign >= 0, sign > 0
        form = forms.read(term)
        yield "its form", forms.is_nonnegative(form), forms.is_positive(form)
    yield "calculus", values.surely(term, False), values.surely(term, True)


@pytest.mark.parametrize("seed", range(12))
def test_no_sign_is_told_that_a_value_has_not(seed: int) -> None:
    """Wherever it has a value."""
    said = 0
    for one in drawn(100 + seed, 60):
        there = list(points(seed, one, 40))
        for who, nonnegative, positive in known(one.term) if there else ():
            said += nonnegative
            for point, value in there:
                below = value < -1e-9 or (positive and value == 0 and near(one.term, point, 0))
                if nonnegative and below:
                    exact = intervals.sign(formulas.at(one.term, point))
                    assert exact is None or exact > 0 or (exact == 0 and not positive), (
                        who,
                        one.text,
                        point,
                        value,
                    )
    assert said > 30


@pytest.mark.parametrize("seed", range(6))
def test_what_is_said_to_have_a_value_has_one(seed: int) -> None:
    """A formula without doubts has a real value at all points."""
    sure = 0
    for one in drawn(200 + seed, 120):
        if values.doubt(one.text, SYMBOLS):
            continue
        sure += 1
        draw = random.Random(one.text)
        for _ in range(25):
            point = {name: draw.choice(some) for name, some in AT.items()}
            try:
                one.value({name: float(x) for name, x in point.items()})
            except OverflowError:
                continue
            except (ValueError, ZeroDivisionError) as error:
                raise AssertionError((one.text, point)) from error
    assert sure > 20


@pytest.mark.parametrize("power", [terms.number(Fraction(1, 3)), terms.sqrt(terms.number(2))])
def test_a_broken_power_of_what_is_negative_has_no_value(power: Term) -> None:
    with pytest.raises(formulas.FormulaError, match="has no real value at x = -1"):
        formulas.at(terms.power(SYMBOLS["x"], power), {"x": Fraction(-1)})


def test_of_members_that_are_alike_there_are_enough() -> None:
    """The two largest of k ≥ 2 that are alike are twice one of them; of k ≥ 1 perhaps once."""
    x = terms.letter("x")
    many, few = (terms.letter("k", Domain.read(f"integer >= {n}")) for n in (2, 1))
    two, three = map(terms.number, (2, 3))
    assert terms.over(2, x, many) == 2 * x == terms.over(2, x, terms.number(5)) == terms.over(3, x, two)
    assert terms.over(2, x, few) == x * terms.least(two, few)
    assert terms.over(3, x, many) == x * terms.least(three, many)
