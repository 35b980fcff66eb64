"""What a formula means is remembered by the words in it: other words, or another meaning, decide nothing else."""

import pytest

from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.formulas import FormulaError, parse
from dpcompose.kernel.expressions.terms import letter, number

E, F = letter("e1"), letter("f")
MANY = {f"x{i}": letter(f"x{i}") for i in range(100)}


@pytest.mark.parametrize("beside", [{}, MANY])
def test_other_words_decide_nothing_and_own_words_do(beside):
    assert parse("2*e1", {"e1": E, **beside}) == 2 * E
    assert parse("2*e1", {"e1": F, **beside}) == 2 * F
    assert parse("2*e1", {**beside, "e1": number(3)}) == number(6)


def test_a_number_that_holds_a_word_is_asked_again_where_the_word_has_a_meaning():
    assert parse("2e1", {"f": F}) == number(20)
    with pytest.raises(FormulaError, match="could be a number or a product"):
        parse("2e1", {"e1": E, "f": F})


def test_what_is_wrong_is_told_with_all_that_is_known():
    with pytest.raises(FormulaError, match="did you mean 'x17'"):
        parse("e1 + y17", {"e1": E, "x17": F})


def test_conditions_are_remembered_with_the_term():
    for _ in range(2):
        assert formulas.conditions("log(f) + e1", {"e1": E, "f": F}) == ((F, "> 0"),)
