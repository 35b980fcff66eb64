"""Of many summands that are never below 0 the squares add up to no more than the square of their sum."""

from __future__ import annotations

import pytest

import dpcompose as dpc
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import NONNEGATIVE, Domain
from dpcompose.kernel.rules.parameters import squares_of_summands

K = 20
M = [f"m{i}" for i in range(K)]


def test_squares_of_summands() -> None:
    x, y, z = (terms.letter(name, NONNEGATIVE) for name in "xyz")
    assert squares_of_summands(x + 2 * y) == x**2 + 4 * y**2
    for wrong in (x - y, x + terms.letter("z", Domain(None)), x + y - z):
        with pytest.raises(BadCertificate, match="a summand is not seen to be >= 0"):
            squares_of_summands(wrong)


@pytest.mark.parametrize(
    ("claimed", "verdict"),
    [
        (" + ".join(M), "proved"),
        (f"sqrt({' + '.join(f'{m}**2' for m in M)})", "proved"),
        (" + ".join(M[1:]), "refuted"),
        (" + ".join([*M[1:], "m0/2"]), "refuted"),
        (" + ".join(f"1/2*{m}" for m in M), "refuted"),
    ],
)
def test_sums_of_the_parameters_of_many_parts(claimed: str, verdict: str) -> None:
    """The bound is the root of the two largest squares."""
    parts = [
        dpc.mechanism(f"M{i}", reads={f"a{i}"}, satisfies=dpc.gaussian(m, dpc.bounded, domain="common"))
        for i, m in enumerate(M)
    ]
    study = dpc.compose(*parts, on=dpc.multisets([f"a{i}" for i in range(K)]), target=dpc.bounded)
    found = study.check(dpc.gaussian(claimed))
    assert found.verdict == verdict
