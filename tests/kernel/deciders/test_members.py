"""Sums over members of families: what is not the same for each of them is not added up as if it were."""

from __future__ import annotations

import pytest

from dpcompose.kernel.deciders.families.members import summed
from dpcompose.kernel.expressions import forms, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.terms import Term, letter

K, E, F, X = letter("k", Domain.read("integer >= 2")), letter("e[i]"), letter("f[i]"), letter("x")
TOTAL, OTHER = terms.over(K, E, K), terms.over(K, F, K)


def test_what_is_summed_member_by_member() -> None:
    assert summed(forms.read(TOTAL - 2 * K * X), K, K) == forms.read(E - 2 * X)
    assert summed(forms.read(X * TOTAL + K), K, K) == forms.read(X * E + 1)


G = letter("g[i]")
TWO = terms.number(2)


def largest_two(member: Term) -> Term:
    return terms.over(2, member, K)


def test_of_the_largest_members_one_sum_may_be_subtracted() -> None:
    """T(e) + T(f) - T(g) is at least the sum of e + f - g over those members of which g is largest."""
    read = forms.read(largest_two(E) + X * largest_two(F) - largest_two(G))
    assert summed(read, K, TWO) == forms.read(E + X * F - G)


@pytest.mark.parametrize(
    "term",
    [
        largest_two(E) - largest_two(F) - largest_two(G),
        largest_two(E) - largest_two(F) - 2 * largest_two(G),
        largest_two(E) + 1,
        largest_two(E) + K * X - largest_two(F),
        letter("y", Domain.read("real")) * largest_two(E) + largest_two(F),
    ],
)
def test_of_the_largest_members_no_other_sums_are_compared(term: Term) -> None:
    """Those of two subtracted sums are not the same; a number has no members; what may be negative turns one round."""
    with pytest.raises(BadCertificate, match="what is no sum of largest members is compared by them"):
        summed(forms.read(term), K, TWO)


@pytest.mark.parametrize(
    "term", [largest_two(E) * largest_two(F), largest_two(E) ** 2, largest_two(E) * TOTAL]
)
def test_products_of_sums_of_largest_members_are_not_compared(term: Term) -> None:
    with pytest.raises(BadCertificate, match="a product of families is not summed over members"):
        summed(forms.read(term), K, TWO)


@pytest.mark.parametrize(
    ("term", "why"),
    [
        (TOTAL * OTHER, "a product of families is not summed over members"),
        (TOTAL**2, "a product of families is not summed over members"),
        (E * OTHER, "a member that stands beside a sum is another one than those in it"),
        (TOTAL - X, "what is not multiplied by the number of members is not summed over them"),
        (TOTAL - terms.sqrt(K), "what is not multiplied by the number of members is not summed over them"),
        (terms.top(1, [TOTAL, OTHER]) - K, "a worst case is not summed over members"),
    ],
)
def test_what_is_not(term: Term, why: str) -> None:
    with pytest.raises(BadCertificate, match=why):
        summed(forms.read(term), K, K)
