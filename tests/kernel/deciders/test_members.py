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
