"""A certificate that was checked once is the certificate of the same comparison only."""

import pytest

from dpcompose.kernel.comparison import BadCertificate, check_at_least
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.terms import letter

E, F = letter("e"), letter("f")
SHOWN = {"letters": {"e": "positive", "f": "positive"}, "difference": "f", "proof": {"rest": "f"}}


@pytest.mark.parametrize(
    ("greater", "lesser", "certificate"),
    [
        (E, E + F, SHOWN),
        (E + F, 2 * E, SHOWN),
        (E + letter("f", NONNEGATIVE), E, SHOWN),  # the letter has other values
        (E + F, E, {**SHOWN, "proof": {"rest": "e"}}),
        (E + F, E, {**SHOWN, "difference": "e"}),
        (E + F, E, {**SHOWN, "proof": {"rest": object()}}),
    ],
)
def test_nothing_else_is_taken_for_it(greater, lesser, certificate):
    for _ in range(2):
        assert check_at_least(E + F, E, SHOWN) == frozenset()
        with pytest.raises(BadCertificate):
            check_at_least(greater, lesser, certificate)


def test_a_certificate_that_is_changed_afterwards_is_checked_again():
    changing = {**SHOWN, "proof": {"rest": "f"}}
    check_at_least(E + F, E, changing)
    changing["proof"]["rest"] = "2*f"
    with pytest.raises(BadCertificate, match="what is left is not"):
        check_at_least(E + F, E, changing)
