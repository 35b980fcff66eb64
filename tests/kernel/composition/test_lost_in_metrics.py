"""What is lost in metrics: no more than chains of databases allow, by enumeration; and what some mechanism has.

A mechanism that is private in a metric may have databases between two.  With n steps of loss 1 between D and E the
largest δ and the largest divergence are found here from the ratios of neighbouring probabilities alone: what is
largest is convex in these, so that vertices decide, and the fewest of them, by linear algebra in fractions.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import in_metrics
import pytest
from core_metrics import ANY, BOUNDED, THEORY, UNBOUNDED, core, distance, mechanism, verdict

from dpcompose.kernel import computed
from dpcompose.kernel.composition import losses
from dpcompose.kernel.core import reading
from dpcompose.kernel.deciders.curves import pieces
from dpcompose.kernel.deciders.curves.curves import Curve, Part
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.kernel.judgements import Lower
from dpcompose.kernel.library.theory import Theory
from dpcompose.search import guarantees, least
from dpcompose.search.guarantees import known_to_be_lost
from dpcompose.search.verdicts import Verdicts

E_BELOW, E_ABOVE = Fraction(2718281828, 10**9), Fraction(2718281829, 10**9)


def vertices(n: int, b: Fraction) -> Iterator[tuple[Fraction, ...]]:
    """P_0/P_1, …, P_n/P_1 at an outcome, where each ratio of neighbours in a chain of n steps is b or 1/b."""
    for first, *further in itertools.product((b, 1 / b), repeat=n):
        ratios = [first, Fraction(1)]
        for one in further:
            ratios.append(ratios[-1] * one)
        yield tuple(ratios)


def largest(n: int, b: Fraction, of: Callable[[Fraction, Fraction], Any]) -> Any:
    """The largest mean under P_1 of a convex function of P_0/P_1 and P_n/P_1, all of the mean 1."""
    points = list(vertices(n, b))
    best = None
    for chosen in itertools.combinations(points, n + 1):
        rows = [[Fraction(one[j]) for one in chosen] for j in range(n + 1)]
        weights = solved(rows)
        if weights is not None and min(weights) >= 0:
            mean = sum(w * of(one[0], one[-1]) for w, one in zip(weights, chosen, strict=True) if w)
            best = mean if best is None else max(best, mean)
    return best


def solved(rows: list[list[Fraction]]) -> list[Fraction] | None:
    """x with rows·x = (1, …, 1), by elimination; None where that is not one x."""
    n = len(rows)
    full = [[*row, Fraction(1)] for row in rows]
    for j in range(n):
        at = next((i for i in range(j, n) if full[i][j]), None)
        if at is None:
            return None
        full[j], full[at] = full[at], full[j]
        full[j] = [x / full[j][j] for x in full[j]]
        for i in range(n):
            if i != j and full[i][j]:
                full[i] = [x - full[i][j] * y for x, y in zip(full[i], full[j], strict=True)]
    return [row[-1] for row in full]


def least_delta(n: int, b: Fraction, c: Fraction) -> Fraction:
    found: Fraction = largest(n, b, lambda p, q: max(Fraction(0), p - c * q))
    return found


def divergence(n: int) -> float:
    """The largest Kullback–Leibler divergence over n steps, to nine digits."""
    found: float = largest(n, E_ABOVE, lambda p, q: float(p) * math.log(p / q))
    return found


def of_steps(n: int, formula: str = "d__u") -> Any:
    """One mechanism in a metric, and a target n add/remove steps apart."""
    return core(mechanism("M", formula), target={"single": [[0, 1], [1, 0]], "steps": n})


def below(setting: Any, epsilon: str, notion: str = "approximate") -> Fraction:
    """The δ that mechanisms are seen to have."""
    shop = guarantees.in_notion(guarantees.workshop(setting, THEORY), notion)
    found = least.delta_at(shop, notion, formulas.parse(epsilon, {}))
    assert found is not None and found.low is not None
    return found.low


@pytest.mark.parametrize(("n", "value"), [(1, "0.462"), (2, "1.264"), (3, "2.191")])
def test_by_hand_the_enumeration(n: int, value: str) -> None:
    """One step: tanh(1/2).  Two: 1.264 is less than randomized response of 2 has, 2*tanh(1) = 1.523."""
    assert abs(divergence(n) - float(value)) < 1e-2
    assert divergence(n) <= n * math.tanh(n / 2) + 1e-6


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("epsilon", ["0", "1/2", "1", "3/2", "2"])
def test_in_whole_steps_it_is_the_largest_of_all(n: int, epsilon: str) -> None:
    """c·d for a distance d in steps is c for each step: the canonical noise of n steps, and nothing loses more."""
    low, high = (
        Fraction(math.exp(float(Fraction(epsilon)))) * (1 + way * Fraction(1, 10**9)) for way in (-1, 1)
    )
    most, fewest = least_delta(n, E_ABOVE, low), least_delta(n, E_BELOW, high)
    assert fewest - Fraction(1, 10**7) <= below(of_steps(n), epsilon) <= most


@pytest.mark.parametrize("formula", ["min(d__u, 9)", "max(d__u, d__a)", "d__u/2 + d__u/2 + min(d__a, 0)"])
@pytest.mark.parametrize("n", [2, 3])
def test_what_has_no_unit_has_laplace_noise(formula: str, n: int) -> None:
    """1 − exp((ε − n)/2), which the enumeration is above."""
    for epsilon in ("0", "1/2", "1", "2"):
        x = float(Fraction(epsilon))
        low = below(of_steps(n, formula), epsilon)
        assert abs(low - max(0.0, 1 - math.exp((x - n) / 2))) < 1e-9
        assert low <= least_delta(n, E_ABOVE, Fraction(math.exp(x)) * (1 - Fraction(1, 10**9)))


@pytest.mark.parametrize("formula", ["d__u", "min(d__u, 9)", "max(d__u, d__a)"])
@pytest.mark.parametrize("n", [2, 3])
def test_no_divergence_beyond_that_of_a_chain(formula: str, n: int) -> None:
    setting = of_steps(n, formula)
    shop = guarantees.in_notion(guarantees.workshop(setting, THEORY), "zcdp")
    lower = known_to_be_lost(shop, "zcdp")
    assert lower is not None and isinstance(lower.says, Lower)
    eta = n / 2 if formula != "d__u" else max(1, n / 2)
    value = eta * math.tanh(eta / 2)
    assert abs(float(enclosure(lower.says.value, 64).low) - value) < 1e-9
    assert value <= divergence(n)


def test_claims_above_what_a_chain_allows_are_not_refuted() -> None:
    """1.4 and 0.7 are what randomized response at 2 would refute: there is a database between."""
    setting = core(mechanism("M", "d__u"))
    for rho, word in (("1.4", "undecided"), ("1.265", "undecided"), ("0.4", "refuted")):
        assert verdict(setting, notion="zcdp", rho=rho) == word
    for delta, word in (
        ("0.762", "proved"),
        ("0.7", "undecided"),
        ("0.6322", "undecided"),
        ("0.632", "refuted"),
    ):
        assert verdict(setting, notion="approximate", epsilon="0", delta=delta) == word


def test_where_nothing_is_between_nothing_is_given_away() -> None:
    """2·d_a is 0 or 2: randomized response of 2 is private, tanh(1) = 0.7616 of its δ and 2·tanh(1) of its divergence."""
    setting = core(mechanism("M", "2*d__a"))
    assert verdict(setting, notion="approximate", epsilon="0", delta="0.7615") == "refuted"
    assert verdict(setting, notion="zcdp", rho="1.523") == "refuted"
    assert verdict(setting, notion="zcdp", rho="1.524") == "proved"


def test_units() -> None:
    units = {
        "d__u": "1",
        "(e + f)*d__u": "e + f",
        "e*d__u/3": "e/3",
        "sqrt(d__u**2)": "1",
        "2*d__u - d__u": "1",
        "min(e*d__u, w)": None,
        "d__u + d__b": None,
        "d__u**2": None,
        "sqrt(d__u)": None,
        "max(d__u, d__b)": None,
    }
    for text, unit in units.items():
        metric = core(mechanism("M", text)).mechanisms[0].metric
        found = None if metric.unit is None else formulas.to_text(metric.unit)
        assert found == unit, text


def test_distances_in_a_table_are_no_steps() -> None:
    """0 to 2 by way of 1 is 1/2 + 1/2 of d: known of no number of steps, but a table with two outcomes, 0.462..."""
    pairs = {"single": [[0, 1], [1, 2]], "steps": 1, "lengths": ["1/2", "1/2"]}
    given = mechanism("M", "2*d__u")
    data = core(given).data() | {"target": {"single": [[0, 2]], "steps": 1}}
    given["metric"]["distances"] = {"d__u": distance(pairs)}
    data["databases"] = {"kind": "listed", "shown": "three", "count": 3}
    setting = reading.read(data | {"mechanisms": [given]})
    assert setting.mechanisms[0].metric.unit is None
    for delta in ("0.393", "0.462"):
        assert verdict(setting, notion="approximate", epsilon="1", delta=delta) == "refuted"
    assert least_delta(2, E_ABOVE, E_BELOW) < Fraction("0.463")
    assert verdict(setting, notion="approximate", epsilon="1", delta="0.463") == "undecided"


def test_several_together() -> None:
    """Two in one metric over two steps: four steps of canonical noise are less than that of two mechanisms."""
    setting = core(mechanism("M", "d__u"), mechanism("N", "min(d__u, 9)"), mechanism("O", "d__b", "gaussian"))
    two = Curve.of([Part(terms.ONE, terms.ZERO, steps=2, count=2)])
    only = core(mechanism("M", "d__u"), mechanism("N", "d__u"))
    assert abs(below(only, "1") - two.below(terms.ONE)) < Fraction(1, 10**9)
    assert below(setting, "1") > below(core(mechanism("M", "d__u"), mechanism("N", "min(d__u, 9)")), "1")
    assert below(core(mechanism("M", "d__u"), mechanism("N", "min(d__u, 9)")), "1") < two.above(terms.ONE)


@pytest.mark.parametrize(("notion", "mu"), [("gaussian", 2.0), ("zcdp", math.sqrt(8))])
@pytest.mark.parametrize("formula", ["d__u", "min(d__u, 9)"])
def test_normal_noise_is_what_it_was(notion: str, mu: float, formula: str) -> None:
    """Normal noise around 2 and 0 is private in the metric: the δ of mu = 2, and of rho = 4."""
    at = NormalDist().cdf
    low = below(core(mechanism("M", formula, notion)), "1")
    assert abs(low - (at(mu / 2 - 1 / mu) - math.e * at(-mu / 2 - 1 / mu))) < 1e-9


def test_nothing_is_said_to_be_least_that_need_not_be_attained() -> None:
    """δ = 0 at ε = 2 is what the curve has, and the least there is; the curve alone does not say so of a metric."""
    shop = guarantees.in_notion(guarantees.workshop(core(mechanism("M", "d__u")), THEORY), "approximate")
    claim = {"notion": "approximate", "epsilon": "0", "delta": "0.7615942"}
    assert Verdicts(shop).on(claim).loose is True
    least_known = (("epsilon", terms.number(2)), ("delta", terms.ZERO))
    some = [one.says for one in shop.stated]
    with pytest.raises(ValueError, match="not known whether a smaller one holds"):
        computed.Curves.of_all("approximate", some, shop.setting, THEORY).standing(
            least_known, shop.types, 128
        )


def test_an_event_in_a_metric_has_no_probability() -> None:
    """A δ among the values grows along chains: by (exp(r) - 1)/(exp(1) - 1) it would be 0.93, and only 0.816 can be."""
    given = mechanism("M", "min(d__u, 9)", "approximate")
    given["values"] = {"epsilon": "1", "delta": "1/4"}
    setting = core(given)
    claim = {"notion": "approximate", "epsilon": "9", "delta": "0.82"}
    assert verdict(setting, **claim) != "refuted"
    given["metric"]["formula"] = "d__u"
    assert verdict(core(given), **claim) != "refuted"


def test_pages_without_an_entry_refute_nothing() -> None:
    nothing = {"violation": None, "computed": {}}
    pages = {
        id: replace(page, head=replace(page.head, in_a_metric=nothing[page.head.kind]))
        if page.head.kind in nothing
        else page
        for id, page in THEORY.pages.items()
    }
    shop = guarantees.workshop(core(mechanism("M", "min(d__u, 9)")), Theory(pages))
    for claim in (
        {"notion": "approximate", "epsilon": "0", "delta": "1/10"},
        {"notion": "zcdp", "rho": "1/10"},
    ):
        assert Verdicts(guarantees.in_notion(shop, claim["notion"])).on(claim).word == "undecided"


def test_steps_of_types() -> None:
    """e·d_u is two steps of e for a replacement; min(e·d_u, w) is one guarantee at the two databases."""
    setting = core(mechanism("M", "e*d__u"), mechanism("N", "min(e*d__u, w)"), mechanism("O", "d__u", "zcdp"))
    shop = guarantees.workshop(setting, THEORY)
    stated = [guarantees.loss_of(one) for one in shop.stated]
    (type,) = shop.types.types
    alone, apart = losses.in_steps(stated, type, setting, THEORY)
    assert dict(apart.moves) == {
        1: ((1, terms.number(2)),),
        2: ((1, terms.ONE),),
        3: ((1, terms.number(2)),),
    }
    assert [i for i, _, _ in apart.lost] == [2]
    assert [formulas.to_text(one.values[0][1]) for one in alone] == ["e", "1", "1"]


@pytest.mark.slow
def test_random_metrics_lose_no_more_than_chains(seed: int = 5) -> None:
    """In path metrics of the class what is lost is at most the canonical noise of all their steps."""
    rng = random.Random(seed)
    for _ in range(60):
        made, parts = [], []
        target = rng.choice([UNBOUNDED, BOUNDED, ANY | {"single": [[0, 1], [1, 0]], "steps": 3}])
        steps = {1: 1, 3: 3}[target["steps"]] * (2 if target == BOUNDED else 1)
        for n in range(rng.randint(1, 3)):
            c = Fraction(rng.randint(1, 6), 4)
            cut = rng.random() < 0.5
            made.append(mechanism(f"M{n}", f"min({c}*d__u, 50)" if cut else f"{c}*d__u"))
            parts.append(Part(terms.number(c), terms.ZERO, steps=steps))
        setting, curve = core(*made, target=target), Curve.of(parts)
        for epsilon in ("0", "1", "5/2"):
            assert below(setting, epsilon) <= pieces.above([curve], formulas.parse(epsilon, {}), 128)


CLAIMS_IN_METRICS = """
[databases]
kind = "multisets"
[[mechanisms]]
name = "M"
guarantee = { notion = "pure", metric = "d_unbounded" }
"""


def test_claims_in_metrics_are_refuted_by_no_more() -> None:
    """n steps are a divergence of at most 0.4622·n² and a δ of at most 0.35·n at n/2: no such claim is refuted."""
    assert all(divergence(n) <= 0.4622 * n**2 for n in (1, 2, 3))
    zcdp = '[[claims]]\nnotion = "zcdp"\nmetric = "{}*d_unbounded"\n'
    approximate = '[[claims]]\nnotion = "approximate"\nmetric = "d_unbounded/2"\ndelta = "{}*d_unbounded"\n'
    wide = [zcdp.format("17/25"), approximate.format("7/20")]  # (17/25)**2 = 0.4624
    small = [zcdp.format("1/3"), approximate.format("1/10")]
    b = Fraction(math.exp(0.5)) * (1 - Fraction(1, 10**9))
    assert all(least_delta(n, E_ABOVE, b**n) <= Fraction(7, 20) * n for n in (1, 2, 3))
    assert "refuted" not in in_metrics.verdicts(CLAIMS_IN_METRICS + "".join(wide))
    assert in_metrics.verdicts(CLAIMS_IN_METRICS + "".join(small)) == ["refuted"] * 2
