"""Claims that many mechanisms refute, and the fewest of these that are found to do it, by hand or enumeration."""

from math import comb, exp, log, sqrt

import pytest

import dpcompose as dpc

EQUAL = dpc.compose(dpc.mechanism("M", dpc.pure("e"), count="k"), on=dpc.multisets(), target=dpc.unbounded)
DIFFERENT = dpc.compose(
    dpc.mechanism("M", dpc.pure("e[i]"), count="k"), on=dpc.multisets(), target=dpc.unbounded
)


def of_many(k: int, epsilon: float) -> float:
    """δ(ε) of k mechanisms with the odds e, by enumeration."""
    p = exp(1) / (1 + exp(1))
    return sum(
        max(0.0, comb(k, j) * (p ** (k - j) * (1 - p) ** j - exp(epsilon) * p**j * (1 - p) ** (k - j)))
        for j in range(k + 1)
    )


ONE = 1 - 2 / (1 + exp(1))  # in zCDP
CLAIMS = [
    (EQUAL, dpc.pure("100*e*sqrt(k)"), lambda k: k > 100 * sqrt(k)),
    (EQUAL, dpc.pure("e*10**5*sqrt(k)"), lambda k: k > 10**5 * sqrt(k)),
    (EQUAL, dpc.pure("1000*e*log(k) + e"), lambda k: k > 1000 * log(k) + 1),
    (DIFFERENT, dpc.approximate("10*max(e[i], i, 1, k)", "1e-6"), lambda k: of_many(k, 10) > 1e-6),
]
SLOW = [
    (DIFFERENT, dpc.zcdp("20*max(e[i]**2, i, 1, k)"), lambda k: k * ONE > 20),
    (EQUAL, dpc.zcdp("1000*sqrt(k)*e**2"), lambda k: k * ONE > 1000 * sqrt(k)),
    (DIFFERENT, dpc.pure("30*sqrt(sum(e[i]**2, i, 1, k))"), lambda k: k > 30 * sqrt(k)),
    (DIFFERENT, dpc.pure("1000*max(e[i], i, 1, k)"), lambda k: k > 1000),
]
CLAIMS += [pytest.param(*one, marks=pytest.mark.slow) for one in SLOW]  # type: ignore[arg-type]


@pytest.mark.parametrize(("study", "claim", "exceeds"), CLAIMS)
def test_as_few_as_it_takes(study: dpc.Study, claim: object, exceeds: object) -> None:
    found = study.check(claim)
    assert found.verdict == "refuted" and found.counterexample is not None
    k = int(found.counterexample.point["k"])
    assert exceeds(k) and not exceeds(k - 1)
    members = [name for name in found.counterexample.point if name.startswith("e[")]
    assert len(members) == (0 if study is EQUAL else k)


def test_members_that_are_alike_are_named_together() -> None:
    found = DIFFERENT.check(dpc.pure("10*max(e[i], i, 1, k)"))
    assert found.counterexample is not None
    assert str(found.counterexample).startswith("D = {x}, D' = {}, e[1], ..., e[11] = 1, k = 11,")
    few = DIFFERENT.check(dpc.pure("max(e[i], i, 1, k)"))
    assert "e[1] = 1, e[2] = 1, k = 2" in str(few.counterexample)


@pytest.mark.parametrize("claim", ["10**5*sqrt(e)", "10**5*e**2", "1000*log(1 + e)", "e*(1 - exp(-1000*e))"])
def test_far_values_of_one_letter(claim: str) -> None:
    one = dpc.compose(dpc.mechanism("M", dpc.pure("e")), on=dpc.multisets(), target=dpc.unbounded)
    assert one.check(dpc.pure(claim)).verdict == "refuted"
