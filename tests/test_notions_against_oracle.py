"""Approximate, zero-concentrated and Gaussian privacy: random settings against the oracle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import oracle
import strategies
import strategies_ordered
import sympy
from against_oracle import as_many as many
from hypothesis import given
from hypothesis import strategies as st
from in_notions import CLOSE, DIGITS, MAKE, claim, close, number
from oracle import INFINITY
from strategies import Point, Twin

import dpcompose as dpc
from dpcompose.front.studies.study import Study

# ---------------------------------------------------------------- the oracle


def restated(twin: Twin, notion: str, deltas: Mapping[int, str] | None = None) -> Study:
    """The same setting, its guarantees in another notion with the same parameters; δ in (0, 1) or as given."""
    mechanisms = []
    for i, one in enumerate(twin.study.setting.mechanisms, start=1):
        first = one.satisfies.values[0][1]
        rest = [(deltas or {}).get(i, f"d{i}")] if notion == "approximate" else []
        about = (one.satisfies.granularity, one.satisfies.domain)
        mechanisms.append(dpc.mechanism(one.name, MAKE[notion](first, *rest, *about), reads=one.reads))
    domains = {f"d{i}": "in (0,1)" for i in range(1, len(mechanisms) + 1)} if notion == "approximate" else {}
    if deltas:
        domains = {}
    setting = twin.study.setting
    return dpc.compose(*mechanisms, on=setting.databases, target=setting.target, parameters=domains)


def losses(twin: Twin, point: Point, one_loss: Callable[[int, Fraction, int], Any]) -> list[Any]:
    """For all target neighbours Σ_i one_loss(i, parameter, r_i), with ∞ where something is not bounded."""
    setting = twin.at(point)
    distances = [oracle.input_distance(setting, M) for M in setting.mechanisms]
    found = []
    for D, E in oracle.target_pairs(setting):
        total: Any = mpmath.mpf(0)
        for i, (M, distance) in enumerate(zip(setting.mechanisms, distances, strict=True), start=1):
            r = distance(D, E)
            if M.f(D) == M.f(E):
                continue
            if INFINITY in (r, M.epsilon):
                total = mpmath.inf
            elif total != mpmath.inf:
                total += one_loss(i, Fraction(M.epsilon), int(r))
        found.append(total)
    return found


def mp(x: Fraction) -> Any:
    return mpmath.mpf(x.numerator) / x.denominator


TWINS = st.one_of(
    strategies.listed(most_databases=5, most_mechanisms=3),
    strategies.multisets(),
    strategies_ordered.grouped_multisets(),
    strategies_ordered.ordered(),
)


@many(30)
@given(st.data())
def test_best_bounds(data: st.DataObject) -> None:
    """max Σ r_i²ρ_i and max √Σ r_i²μ_i², optimal; and what is claimed of them."""
    twin = data.draw(TWINS)
    point = data.draw(strategies.anywhere(twin))
    with mpmath.workdps(DIGITS):
        for notion, power in (("zcdp", 1), ("gaussian", 2)):
            study = restated(twin, notion)
            bound = study.bound
            (value,) = study.guarantee().values.values()
            expected = losses(twin, point, lambda i, x, r, power=power: mp(x**power * r**2))  # type: ignore[misc]
            assert bound.vacuous == (not expected)
            if not expected:
                continue
            assert bound.optimal
            assert close(number(value, point) ** power, max(expected)), (notion, value, point)
            verdict = study.check(claim(notion, value))
            assert (verdict.verdict, verdict.loose) == ("proved", False)


@many(20)
@given(st.data())
def test_approximate_bounds(data: st.DataObject) -> None:
    """The componentwise maximum of (Σ r_i·ε_i, Σ δ_i·Σ_{j<r_i} e^{jε_i})."""
    twin = data.draw(TWINS)
    point = data.draw(strategies.anywhere(twin))
    deltas = {f"d{i}": Fraction(1, 10 * i) for i in range(1, 6)}
    study = restated(twin, "approximate")
    with mpmath.workdps(DIGITS):
        epsilons = losses(twin, point, lambda i, x, r: mp(x * r))
        sums = losses(
            twin,
            point,
            lambda i, x, r: mp(deltas[f"d{i}"]) * mpmath.fsum(mpmath.exp(j * mp(x)) for j in range(r)),
        )
        assert study.bound.vacuous == (not sums)
        if not sums:
            return
        epsilon, delta = study.bound.summed.values.values()
        assert close(number(epsilon, point), max(epsilons))
        assert close(number(delta, point | deltas), max(sums))
    vectors = oracle.profile_of(twin.at(point))
    moved = [[r for r in vector if r != 0] for vector in vectors]
    if max(sums) == mpmath.inf:
        assert study.bound.optimal
    elif any(len(some) > 1 or max(some, default=0) > 1 for some in moved):
        assert not study.bound.summed.optimal
    verdict = study.check(claim("approximate", epsilon, delta))
    is_closer = study.bound.summed is not study.bound
    assert verdict.verdict == "proved" and verdict.loose in ((False, None), (True, None))[is_closer]


@many(20)
@given(st.data())
def test_gaussian_mechanisms_lose_no_more(data: st.DataObject) -> None:
    """N(μ_i·x_i(·), 1) with 1-Lipschitz x_i: the distance of the composed means is never above the bound."""
    twin = data.draw(strategies.listed(most_databases=5, most_mechanisms=3))
    point = data.draw(strategies.anywhere(twin))
    study = restated(twin, "gaussian")
    if study.bound.vacuous or study.guarantee().values["mu"] is sympy.oo:
        return
    setting = twin.at(point)
    distances = [oracle.input_distance(setting, M) for M in setting.mechanisms]
    anchors = [{D: data.draw(st.integers(-3, 3)) for D in setting.databases} for _ in setting.mechanisms]
    # McShane: the largest 1-Lipschitz function below the anchors
    places = [
        {D: min(a + distance(D, E) for E, a in at.items()) for D in setting.databases}
        for at, distance in zip(anchors, distances, strict=True)
    ]
    with mpmath.workdps(DIGITS):
        bound = number(study.guarantee().values["mu"], point)
        for D, E in oracle.target_pairs(setting):
            total = sum(
                (Fraction(M.epsilon) * (x[D] - x[E])) ** 2
                for M, x in zip(setting.mechanisms, places, strict=True)
                if M.epsilon != INFINITY
            )
            assert mpmath.sqrt(mp(Fraction(total))) <= bound + CLOSE
        reached = max(
            sum(
                (Fraction(M.epsilon) * r(D, E)) ** 2
                for M, r in zip(setting.mechanisms, distances, strict=True)
                if M.f(D) != M.f(E)
            )
            for D, E in oracle.target_pairs(setting)
        )
        assert study.bound.optimal and close(mpmath.sqrt(mp(Fraction(reached))), bound)


@many(20)
@given(st.data())
def test_tables_keep_their_approximate_guarantee(data: st.DataObject) -> None:
    """Random tables with three outcomes and e^ε rational: the δ they need together is at most the bound's."""
    twin = data.draw(strategies.listed(most_databases=4, most_mechanisms=2))
    setting = twin.at({name: Fraction(1) for name in twin.study.setting.domains})
    factor = data.draw(st.sampled_from([Fraction(2), Fraction(3, 2), Fraction(1)]))
    tables, deltas = [], {}
    for i, M in enumerate(setting.mechanisms, start=1):
        distance = oracle.input_distance(setting, M)
        weights = {M.f(D): [data.draw(st.integers(1, 4)) for _ in range(3)] for D in setting.databases}
        table = {x: [Fraction(w, sum(some)) for w in some] for x, some in weights.items()}
        # images that no database has lie between the others on an own domain: constant there, so use only steps
        need = Fraction(0)
        for D, E in product(setting.databases, repeat=2):
            r = distance(D, E)
            if r != INFINITY:
                p, q = table[M.f(D)], table[M.f(E)]
                steps = max(int(r), 1)
                beyond = sum(
                    (max(Fraction(0), a - factor * b) for a, b in zip(p, q, strict=True)), Fraction(0)
                )
                need = max(need, beyond if steps == 1 else Fraction(0))
        tables.append(table)
        deltas[i] = str(need)
    if any(M.domain == "own" for M in setting.mechanisms):
        return  # the table says nothing of images without a database
    epsilon = dpc.parameters("e")[0]
    mechanisms = [
        dpc.mechanism(
            one.name,
            dpc.approximate(epsilon, deltas[i], one.satisfies.granularity, one.satisfies.domain),
            reads=one.reads,
        )
        for i, one in enumerate(twin.study.setting.mechanisms, start=1)
    ]
    study = dpc.compose(*mechanisms, on=twin.study.setting.databases, target=twin.study.setting.target)
    if study.bound.vacuous:
        return
    with mpmath.workdps(DIGITS):
        at = {"e": mpmath.log(mp(factor))}
        bound_e, bound_d = (number(one, at) for one in study.guarantee().values.values())
        if mpmath.inf in (bound_e, bound_d):
            return
        for pair in oracle.target_pairs(setting):
            for D, E in (pair, pair[::-1]):
                need_mp = mpmath.mpf(0)
                rows = [
                    (table[M.f(D)], table[M.f(E)])
                    for M, table in zip(setting.mechanisms, tables, strict=True)
                ]
                for outcomes in product(range(3), repeat=len(rows)):
                    p = mpmath.fprod(mp(row[0][o]) for row, o in zip(rows, outcomes, strict=True))
                    q = mpmath.fprod(mp(row[1][o]) for row, o in zip(rows, outcomes, strict=True))
                    need_mp += max(mpmath.mpf(0), p - mpmath.exp(bound_e) * q)
                assert need_mp <= bound_d + CLOSE
