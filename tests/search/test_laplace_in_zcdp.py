"""Laplace noise in zCDP: Rényi divergences by mpmath are at most what the page says, which their limit is; sums over
entries, groups of records that move them in several ways, families; what is said of a distance is no rule's."""

from __future__ import annotations

import random
from typing import Any

import mpmath
import pytest

import dpcompose as dpc
from dpcompose.kernel.composition.losses import Loss
from dpcompose.kernel.covers.types import Type, undominated_types
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.theorems import NoTheorem
from dpcompose.proof.theory import registry
from dpcompose.search.proofs import Proofs

U, B = dpc.unbounded, dpc.bounded
THEORY = Theory(registry.standard().pages)


def kappa(a: Any) -> Any:
    return a + mpmath.exp(-a) - 1


def renyi(a: Any, alpha: Any) -> Any:
    """D_α of Laplace noise of scale 1 around 0 and a, by integration."""
    density = lambda y, x: mpmath.exp(-abs(y - x)) / 2  # noqa: E731
    inside = mpmath.quad(lambda y: density(y, 0) ** alpha * density(y, a) ** (1 - alpha), [-60, 0, a, a + 60])
    return mpmath.log(inside) / (alpha - 1)


@pytest.mark.parametrize("a", ["0.05", "0.5", "1", "4"])
def test_no_order_exceeds_the_page(a: str) -> None:
    at = mpmath.mpf(a)
    for alpha in map(mpmath.mpf, ("1.001", "1.5", "2", "10")):
        assert renyi(at, alpha) <= alpha * kappa(at) + mpmath.mpf("1e-9")
    assert abs(renyi(at, mpmath.mpf("1.0001")) - kappa(at)) < mpmath.mpf("1e-3") * kappa(at)


def test_entries_that_move_together_lose_no_more_than_one() -> None:
    """What histograms move by, records in any bins, is never above what the entries of the query's page have."""
    rng = random.Random(2)
    for _ in range(300):
        removed, added, bins = rng.randint(0, 4), rng.randint(0, 4), rng.randint(2, 5)
        moved = [0] * bins
        for n in range(removed + added):
            moved[rng.randrange(bins)] += 1 if n < removed else -1
        e = mpmath.mpf(rng.choice(["0.1", "1", "5"]))
        lost = sum(kappa(abs(x) * e) for x in moved)
        assert lost <= kappa(removed * e) + kappa(added * e) <= kappa((removed + added) * e)


def histogram(scale: str = "1/e", name: str = "H") -> Any:
    return dpc.mechanism(name, query=dpc.histogram(4), noise=dpc.laplace(scale))


def count(scale: str, name: str = "C") -> Any:
    return dpc.mechanism(name, query=dpc.count, noise=dpc.laplace(scale))


def study(*mechanisms: Any, target: Any = U, size: str = "any") -> dpc.Study:
    return dpc.compose(*mechanisms, on=dpc.multisets("ab", size=size), target=target)


K2, K3 = "2*e + exp(-2*e) - 1", "3*e + exp(-3*e) - 1"
CLAIMS = [
    (study(count("1")), "exp(-1)", "proved"),
    (study(count("1")), "0.3678", "refuted"),
    (study(count("2")), "0.1066", "proved"),  # 1/2 + e^(-1/2) - 1 = .10653
    (study(count("2")), "0.0920", "refuted"),  # a quarter of exp(-1): not what the rule says of half a step
    (study(count("1/e"), target=dpc.group(2, U)), K2, "proved"),
    (study(count("1/e"), target=dpc.group(2, U)), f"99/100*({K2})", "refuted"),
    (study(count("1"), count("1/2", "D")), "exp(-1) + 1 + exp(-2)", "proved"),
    (study(histogram(), target=B), "2*(e + exp(-e) - 1)", "proved"),
    (study(histogram(), target=B), f"99/100*({K2})", "refuted"),
    (study(histogram(), target=dpc.group(2, B)), f"2*({K2})", "proved"),
]


@pytest.mark.parametrize(("found", "rho", "verdict"), CLAIMS)
def test_claims(found: dpc.Study, rho: str, verdict: str) -> None:
    assert found.check(dpc.zcdp(rho)).verdict == verdict


def moving(*entries: int) -> Type:
    """Neighbours that move the entries of the first mechanism's query so far."""
    far = tuple(terms.number(one) for one in entries)
    return Type(((1, ((1, terms.number(sum(entries))),)),), frozenset(), (), ((1, far),))


def test_types_whose_entries_move_further_are_kept() -> None:
    """Three of one bin are less than two of two bins in all, and lose more where there is much noise."""
    assert kappa(mpmath.mpf("0.3")) > 2 * kappa(mpmath.mpf("0.2")) and kappa(3) < 2 * kappa(2)
    for some in ([moving(3), moving(2, 2)], [moving(2, 2), moving(3), moving(1, 1), moving(2)]):
        assert set(undominated_types(some)) == {moving(3), moving(2, 2)}
    assert undominated_types([moving(3), moving(2), moving(3, 1), moving(1, 2)]) == [moving(3, 1)]


def test_it_is_optimal() -> None:
    for one, target in ((count("1/e"), U), (histogram(), B)):
        found = study(one, target=target).guarantee("zcdp")
        assert found.optimal and "exp" in str(found)


def test_the_rule_says_nothing_of_distances() -> None:
    """The kernel takes the formula at the distance, before conversions; a curve by guarantees has no use of it."""
    shop = Proofs(study(count("b")).setting, THEORY).shop_in("zcdp")
    (theorem,) = shop.stated
    loss = theorem.says.loss  # type: ignore[union-attr]
    half = terms.number(1) / 2
    assert formulas.to_text(loss.at(half, THEORY)["rho"]) == "1/(2*b) + exp(-1/(2*b)) - 1"
    assert isinstance(loss, Loss) and loss.moved
    with pytest.raises(NoTheorem):
        claim = {"notion": "approximate", "epsilon": "1", "delta": "1e-9"}
        shop.prover.by("curve", shop.cover, theorem, claim=claim, bits=64)
