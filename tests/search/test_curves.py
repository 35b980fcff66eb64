"""Claims about numbers: decided by the least δ of a composition, over the worst of all neighbours."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from typing import Any

import oracle
import pytest
import rechecks
import strategies
import strategies_ordered
import sympy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle import INFINITY
from strategies import Twin
from tables import chain, excess

import dpcompose as dpc
from dpcompose.front.documents.verdict import Verdict
from dpcompose.front.studies.study import Study
from dpcompose.kernel.check import Refused
from dpcompose.kernel.deciders.curves.curves import Curve
from dpcompose.kernel.judgements import Loose
from dpcompose.kernel.theorems import NoTheorem

TINY = Fraction(1, 10**9)
BOTH = "the lower bound 0.4621171 and the upper bound 0.4621172"


def decided(study: Study, epsilon: object, delta: object) -> Verdict:
    """The verdict on a claim, once its saved derivation has been checked, and says the same."""
    verdict = study.check(dpc.approximate(epsilon, delta))
    rechecks.rechecked(study, [verdict])
    return verdict


def said(study: Study, epsilon: object, delta: object) -> tuple[str, bool | None]:
    verdict = decided(study, epsilon, delta)
    return verdict.verdict, verdict.loose


def pure(*epsilons: object, target: Any = dpc.unbounded, **more: Any) -> Study:
    """Mechanisms that are pure for add/remove neighbours, all on everything."""
    some = [
        dpc.mechanism(f"M{i}", dpc.pure(e, dpc.unbounded, "common")) for i, e in enumerate(epsilons, start=1)
    ]
    return dpc.compose(*some, on=dpc.multisets("ab"), target=target, **more)


def test_two_steps_are_not_one_of_twice_epsilon() -> None:
    """Where neighbours are two steps apart the curve ends at tanh(1/2) = 0.4621, that of (2ε) at 0.557."""
    study = pure(1, target=dpc.bounded)
    assert said(study, 1, "1/2") == said(study, 1, "0.4622") == ("proved", True)
    assert decided(study, 1, "0.4621").verdict == "refuted"
    assert decided(pure(2), 1, "1/2").verdict == "refuted"


def test_the_worst_of_several_vectors() -> None:
    """A replacement moves two parts by 1, or one by 2."""
    parts = dpc.record_partition(dpc.multisets("abcd"), ["a", "b"], ["c", "d"])
    some = [
        dpc.mechanism(f"M{i}", dpc.pure(e, dpc.unbounded, "own"), reads=part)
        for i, (e, part) in enumerate(zip((1, "1/2"), parts, strict=True), start=1)
    ]
    study = dpc.compose(*some, on=dpc.multisets("abcd"), target=dpc.bounded)
    assert said(study, 1, "0.4622") == ("proved", True)
    example = decided(study, 1, "0.462").counterexample
    assert example is not None and [row.data()["steps"] for row in example.rows] == [2]


def test_no_finite_loss_is_left() -> None:
    study = dpc.compose(
        *(dpc.mechanism(f"M{i}", dpc.approximate(1, "1/100", dpc.unbounded)) for i in (1, 2, 3)),
        on=dpc.multisets("ab"),
        target=dpc.unbounded,
    )
    assert said(study, 3, "1 - (99/100)**3") == ("proved", False)
    assert said(study, 3, "3/100") == said(study, 4, "1 - (99/100)**3") == ("proved", True)
    assert decided(study, 3, "1 - (99/100)**3 - 1/10**20").verdict == "refuted"
    assert decided(study, "3 - 1/10**9", "1 - (99/100)**3").verdict == "refuted"


def test_infinite_distances() -> None:
    study = dpc.compose(
        dpc.mechanism("M", dpc.pure(1, dpc.bounded, "own"), reads=dpc.restriction(["a"])),
        on=dpc.multisets("ab"),
        target=dpc.bounded,
    )
    assert said(study, 1, 1) == ("proved", True)
    assert said(study, 0, 1) == ("proved", False)
    verdict = decided(study, 10**3, "1 - 1/10**6")
    assert verdict.verdict == "refuted" and verdict.guarantee is not None
    assert verdict.guarantee["epsilon"] is sympy.oo


def test_the_least_guarantee_is_looked_for_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def guarantee(*given: object) -> None:
        asked.append(given)

    monkeypatch.setattr("dpcompose.search.least.guarantee", guarantee)
    study = dpc.compose(
        dpc.mechanism("M", dpc.approximate(1, "1/100")), on=dpc.multisets("a"), target="unbounded"
    )
    verdict = study.check(dpc.approximate("1/2", "1/100"))
    assert verdict.refuted and repr(verdict).startswith("refuted") and not asked
    assert verdict.guarantee is None and len(asked) == 1


def test_distances_without_a_limit() -> None:
    """Free-lunch neighbours are any number of steps apart: some pair of them refutes every δ < 1."""
    study = pure("1/10", target=dpc.free_lunch)
    assert decided(study, 3, "9/10").verdict == "refuted"
    assert decided(study, 3, 1).verdict == "proved"


def test_symbols_are_refuted_at_values_only() -> None:
    study = pure("e", "e")
    verdict = decided(study, "e", "e/100")
    assert verdict.verdict == "refuted" and verdict.counterexample is not None
    assert verdict.counterexample.point.keys() == {"e"}
    assert decided(study, "3*e", "1/100").verdict == "proved"  # by its parameters
    assert decided(study, "19/10*e", "99/100").verdict == "refuted"
    assert decided(study, "oo", "1/2").verdict == decided(study, 1, "oo").verdict == "proved"


def test_families_and_earlier_outputs() -> None:
    family = dpc.mechanism("M", dpc.pure("1/10", dpc.unbounded), count=100)
    for adaptive in (False, True):
        study = dpc.compose(family, on=dpc.multisets(), target=dpc.unbounded, adaptive=adaptive)
        assert said(study, 2, "0.0201401785") == ("proved", True)
        assert decided(study, 2, "0.0201401784").verdict == "refuted"


def test_a_negative_epsilon_is_a_claim_too() -> None:
    """P(S) ≤ P'(S)/2 + δ for S = everything needs δ ≥ 1/2, and for randomized response some more."""
    study = pure("log(3)")
    assert decided(study, "-log(2)", "1/2").verdict == "refuted"
    # 3/4 − 1/8, the other outcome having 1/4 < 3/8
    assert said(study, "-log(2)", "5/8 + 1/10**12") == ("proved", True)
    assert decided(study, "-log(2)", "5/8 - 1/10**12").verdict == "refuted"


def test_too_close_to_tell() -> None:
    """δ = tanh(1/2) is the curve, as formulas show and no digits do; that a little less is false is not told."""
    for more in ("", "+ 1/10**300"):
        assert decided(pure(1), 0, f"(exp(1) - 1)/(exp(1) + 1) {more}").verdict == "proved"
    verdict = decided(pure(1), 0, "(exp(1) - 1)/(exp(1) + 1) - 1/10**300")
    assert verdict.verdict == "undecided" and BOTH in verdict.reason


@pytest.mark.parametrize(("lie", "delta", "verdict"), [(0, "1/100", "proved"), (1, "99/100", "refuted")])
def test_what_is_saved_by_a_curve_that_lies_is_refused(
    monkeypatch: pytest.MonkeyPatch, lie: int, delta: str, verdict: str
) -> None:
    right = pure(1, 1).check(dpc.approximate(1, delta))  # the least delta is 0.3378
    assert right.verdict == {"proved": "refuted", "refuted": "proved"}[verdict]
    study = pure(1, 1)
    with monkeypatch.context() as patched:
        for end in ("above", "below"):
            patched.setattr(Curve, end, lambda *_, **__: Fraction(lie))
        wrong = study.check(dpc.approximate(1, delta))
        data = rechecks.saved(study, [wrong])
        assert wrong.verdict == verdict and rechecks.check(data, study.theory).verdicts == (verdict,)
    with pytest.raises(Refused, match="the computed delta is not seen to be"):
        rechecks.check(data, study.theory)


# against all neighbours of small settings, with rational e^ε


TWINS = st.one_of(
    strategies.listed(most_databases=5, most_mechanisms=3),
    strategies.multisets(),
    strategies_ordered.ordered(),
)
FACTORS = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3)]
DELTAS = [Fraction(0), Fraction(1, 50), Fraction(1, 3)]


def exact(twin: Twin, given_: list[tuple[Fraction, Fraction]], c: Fraction) -> Fraction | None:
    """The largest P(S) − c·Q(S) of chains of noise over all target neighbours; None where there are none."""
    setting = twin.at({name: Fraction(1) for name in twin.study.setting.domains})
    distances = [oracle.input_distance(setting, M) for M in setting.mechanisms]
    worst = None
    for D, E in oracle.target_pairs(setting):
        tables = []
        for M, distance, (x, delta) in zip(setting.mechanisms, distances, given_, strict=True):
            if M.f(D) == M.f(E):
                continue
            r = distance(D, E)
            rows = None if r == INFINITY else chain(x, delta, int(r))
            tables.append(
                [(Fraction(1), Fraction(0))] if rows is None else list(zip(rows[-1], rows[0], strict=True))
            )
        found = excess(tables, c)
        worst = found if worst is None else max(worst, found)
    return worst


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_against_all_neighbours(data: st.DataObject) -> None:
    twin = data.draw(TWINS)
    setting = twin.study.setting
    given_ = [
        (data.draw(st.sampled_from(FACTORS)), data.draw(st.sampled_from(DELTAS))) for _ in setting.mechanisms
    ]
    c = data.draw(st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(4)]))
    mechanisms = [
        dpc.mechanism(
            one.name,
            dpc.approximate(f"log({x})", d, one.satisfies.granularity, one.satisfies.domain),
            reads=one.reads,
        )
        for one, (x, d) in zip(setting.mechanisms, given_, strict=True)
    ]
    study = dpc.compose(*mechanisms, on=setting.databases, target=setting.target)
    worst = exact(twin, given_, c)
    if worst is None:
        assert study.bound.vacuous
        return
    for delta, wanted in (
        (worst + TINY, {"proved"}),
        (worst - TINY, {"refuted"}),
        (worst, {"proved", "undecided"}),
    ):
        assert study.check(dpc.approximate(f"log({c})", delta)).verdict in wanted


def test_a_hair_above_the_least_epsilon_is_not_said_to_be_the_least() -> None:
    """Where the curve is flat, an equal δ does not show that no smaller ε has it."""
    study = dpc.compose(
        dpc.mechanism("M", dpc.approximate("1/2", "1/10", dpc.unbounded)),
        on=dpc.multisets("ab"),
        target=dpc.unbounded,
    )
    claim, shop = dpc.approximate("1/2 + 5/10**7", "1/10"), study.proofs.shop
    premises, about = (shop.cover, *shop.stated), {"claim": claim.text(), "bits": 128}
    made = shop.prover.by("curve", *premises, **about)
    with suppress(NoTheorem):
        assert isinstance(shop.prover.by("curve_standing", made, *premises, **about).says, Loose)
    assert study.check(claim).loose is True  # by its parameters
