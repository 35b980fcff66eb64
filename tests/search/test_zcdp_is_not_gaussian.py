"""ρ-zCDP does not imply √(2ρ)-GDP: the page's formula is below what randomized response has, by mpmath, and above
√(2ρ); claims around it; what is lost alone is not added up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mpmath
import pytest

import dpcompose as dpc
from dpcompose.front.studies.loading import load
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.theorems import NoTheorem
from dpcompose.proof.theory import registry
from dpcompose.search.proofs import Proofs

U = dpc.unbounded


def said(rho: Any) -> Any:
    """The formula of the page at one step."""
    epsilon, c = max(rho, mpmath.sqrt(2 * rho)), mpmath.mpf(4) / 5
    return 2 * (mpmath.sqrt(c**2 + 2 * mpmath.log((1 + mpmath.exp(epsilon)) / 2)) - c)


def needed(rho: Any) -> Any:
    """The least μ for which randomized response with ε = max(ρ, √(2ρ)) is μ-GDP."""
    q = 1 / (1 + mpmath.exp(max(rho, mpmath.sqrt(2 * rho))))
    return 2 * mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * q)


def test_the_page() -> None:
    with mpmath.workdps(40):
        for n in range(-40, 25):
            rho = mpmath.mpf(10) ** (mpmath.mpf(n) / 16)
            epsilon = max(rho, mpmath.sqrt(2 * rho))
            assert epsilon * mpmath.tanh(epsilon / 2) <= rho
            assert mpmath.sqrt(2 * rho) < said(rho) <= needed(rho)
            for alpha in (mpmath.mpf("1.0001"), 2, 30):
                power = mpmath.cosh((alpha - mpmath.mpf(1) / 2) * epsilon) / mpmath.cosh(epsilon / 2)
                assert mpmath.log(power) / (alpha - 1) <= alpha * rho


def one(name: str, rho: str, granularity: Any = U, **more: Any) -> Any:
    return dpc.mechanism(name, satisfies=dpc.zcdp(rho, granularity), **more)


def study(*mechanisms: Any, target: Any = U) -> dpc.Study:
    return dpc.compose(*mechanisms, on=dpc.multisets("ab"), target=target)


CLAIMS = [
    (study(one("M", "r")), "sqrt(2*r)", "refuted"),
    (study(one("M", "r")), "6/5*sqrt(2*r)", "refuted"),
    *(
        (study(one("M", rho)), f"sqrt({mu2})", "refuted")
        for rho, mu2 in (("1/1000", "1/500"), ("2", "4"), ("500", "1000"))
    ),
    (study(one("M", "1")), "1.57", "refuted"),  # the formula has 1.57324..., the least mu is 1.5761
    (study(one("M", "1")), "1.574", "undecided"),
    (study(one("M", "r"), one("N", "s")), "sqrt(2*(r + s))", "refuted"),
    (study(one("M", "1"), one("N", "1")), "2", "undecided"),
    # what normal noise loses, at two steps twice as much, and without a limit more than any number
    (study(one("M", "1"), target=dpc.bounded), "2*sqrt(2)", "undecided"),
    (study(one("M", "1"), target=dpc.bounded), "2.82", "refuted"),
    (study(one("M", "1/2"), target=dpc.free_lunch), "1000", "refuted"),
    (study(one("M", "r", dpc.bounded), target=dpc.bounded), "sqrt(2*r)", "refuted"),
]


@pytest.mark.parametrize(("found", "mu", "verdict"), CLAIMS)
def test_claims(found: dpc.Study, mu: str, verdict: str) -> None:
    assert found.check(dpc.gaussian(mu)).verdict == verdict


FAMILY = """format = 1
parameters = { k = "integer >= 1" }
databases = { kind = "multisets" }
target = { granularity = "unbounded" }
[[mechanisms]]
name = "M"
index = "i"
count = "k"
guarantee = { notion = "zcdp", rho = "r[i]", granularity = "unbounded" }
[[claims]]
notion = "gaussian"
mu = "sqrt(2*sum(r[i], i, 1, k))"
[[claims]]
notion = "gaussian"
mu = "2*sqrt(2*sum(r[i], i, 1, k))"
"""


def test_families(tmp_path: Path) -> None:
    """One member loses more, and the others nothing; together more may be lost, of which nothing is known."""
    (tmp_path / "family.toml").write_text(FAMILY, "utf-8")
    found, claims = load(tmp_path / "family.toml")
    assert [found.check(one).verdict for one in claims] == ["refuted", "undecided"]


def test_what_is_lost_alone_is_not_added_up() -> None:
    """The kernel has no theorem about two of them together; about one of them it has."""
    found = Proofs(study(one("M", "1"), one("N", "1")).setting, Theory(registry.standard().pages)).shop
    premises = (found.cover, *found.stated)
    alone = found.prover.by("attain", *premises, notion="gaussian", neighbours=[1], by=[2])
    assert alone.says.value.letters == {}
    with pytest.raises(NoTheorem, match="not known to add up with others"):
        found.prover.by("attain", *premises, notion="gaussian", neighbours=[1], by=[1, 2])
