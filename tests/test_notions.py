"""Approximate, zero-concentrated and Gaussian privacy: values by hand, the oracle, verdicts, notions of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import mpmath
import oracle
import pytest
import rechecks
import strategies
import strategies_ordered
import sympy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle import INFINITY
from shipped import PROBLEMS
from strategies import Point, Twin

import dpcompose as dpc
from dpcompose.front.loading import load
from dpcompose.front.study import Study
from dpcompose.kernel import formulas as terms
from dpcompose.kernel.certificates import BadCertificate
from dpcompose.kernel.check import Refused
from dpcompose.language import formulas
from dpcompose.language.worstcase import Over, Top
from dpcompose.privacy import problems, writing
from dpcompose.privacy.notions import Guarantee
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.proof import counterexamples, registry

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
DIGITS = 50
CLOSE = mpmath.mpf(10) ** -40
MAKE: dict[str, Callable[..., Guarantee]] = {
    "pure": dpc.pure,
    "approximate": dpc.approximate,
    "zcdp": dpc.zcdp,
    "gaussian": dpc.gaussian,
}
UNIT = {f"d{i}": "in (0,1)" for i in range(5)}


def many(examples: int) -> Callable[[Any], Any]:
    """So many random examples, each taking the time it takes."""
    return settings(max_examples=examples, deadline=None, suppress_health_check=SLOW)


def values(notion: str, i: int) -> tuple[str, ...]:
    """The parameters of the i-th mechanism: e1, d1; r1; m1."""
    return {
        "pure": (f"e{i}",),
        "approximate": (f"e{i}", f"d{i}"),
        "zcdp": (f"r{i}",),
        "gaussian": (f"m{i}",),
    }[notion]


def claim(notion: str, *texts: object) -> Guarantee:
    return MAKE[notion](*texts)


# ---------------------------------------------------------------- by hand


ABC = dpc.multisets({"a", "b", "c"})
PARTS = dpc.record_partition(ABC, ["a"], ["b"], ["c"])
HALVES = (dpc.positions(1, 2), dpc.positions(3, 4))
PAIRS = dpc.tuples(["x", "y"], "= 4")
Named = dict[str, tuple[str, tuple[str, ...], bool]]
BY_HAND: dict[str, tuple[Any, Any, Any, str | None, Any, Named]] = {
    "everything is read": (
        ABC,
        dpc.unbounded,
        dpc.unbounded,
        None,
        [dpc.everything] * 3,
        {
            "approximate": ("GB:VI.5", ("e1 + e2 + e3", "d1 + d2 + d3"), False),
            "zcdp": ("GB:VI.15", ("r1 + r2 + r3",), True),
            "gaussian": ("GB:VI.23", ("sqrt(m1**2 + m2**2 + m3**2)",), True),
        },
    ),
    "parts on their own domain": (
        ABC,
        dpc.unbounded,
        dpc.unbounded,
        "own",
        PARTS,
        {
            "approximate": ("GB:VI.6", ("max(e1, e2, e3)", "max(d1, d2, d3)"), True),
            "zcdp": ("GB:VI.16", ("max(r1, r2, r3)",), True),
            "gaussian": ("GB:VI.26", ("max(m1, m2, m3)",), True),
        },
    ),
    "parts on the common domain": (
        ABC,
        dpc.unbounded,
        dpc.unbounded,
        "common",
        PARTS,
        {
            "approximate": ("GB:A.13", ("max(e1, e2, e3)", "max(d1, d2, d3)"), True),
            "zcdp": ("GB:A.15", ("max(r1, r2, r3)",), True),
            "gaussian": ("GB:A.17", ("max(m1, m2, m3)",), True),
        },
    ),
    "halves of tuples": (
        PAIRS,
        dpc.bounded,
        dpc.bounded,
        "own",
        HALVES,
        {
            "approximate": ("GB:VI.6", ("max(e1, e2)", "max(d1, d2)"), True),
            "zcdp": ("GB:VI.16", ("max(r1, r2)",), True),
            "gaussian": ("GB:VI.26", ("max(m1, m2)",), True),
        },
    ),
    "a replacement moves two parts": (
        ABC,
        dpc.bounded,
        dpc.bounded,
        "common",
        PARTS,
        {
            "approximate": ("parallel-bounded", ("top(2, e1, e2, e3)", "top(2, d1, d2, d3)"), False),
            "zcdp": ("parallel-bounded", ("top(2, r1, r2, r3)",), True),
            "gaussian": ("GB:A.18", ("sqrt(top(2, m1**2, m2**2, m3**2))",), True),
        },
    ),
    "a replacement is two unbounded steps": (
        ABC,
        dpc.bounded,
        dpc.unbounded,
        None,
        [dpc.everything] * 2,
        {
            "approximate": ("comparison", ("2*e1 + 2*e2", "d1*(1 + exp(e1)) + d2*(1 + exp(e2))"), False),
            "zcdp": ("comparison", ("4*r1 + 4*r2",), True),
            "gaussian": ("comparison", ("2*sqrt(m1**2 + m2**2)",), True),
        },
    ),
    "parts under replacement, stated unbounded": (
        ABC,
        dpc.bounded,
        dpc.unbounded,
        "own",
        (dpc.restriction({"a", "b"}), dpc.restriction({"c"})),
        {
            "approximate": ("GB:VI.4", ("max(2*e1, e1 + e2)", "max(d1 + d1*exp(e1), d1 + d2)"), False),
            "zcdp": ("GB:VI.13", ("max(4*r1, r1 + r2)",), True),
            "gaussian": ("GB:VI.21", ("max(2*m1, sqrt(m1**2 + m2**2))",), True),
        },
    ),
    "a part of a replacement under unbounded": (
        ABC,
        dpc.unbounded,
        dpc.bounded,
        "common",
        [dpc.restriction({"a"})],
        {
            "approximate": ("GB:A.12", ("e1", "d1"), True),
            "zcdp": ("GB:A.14", ("r1",), True),
            "gaussian": ("", ("m1",), True),
        },
    ),
    "no bound": (
        ABC,
        dpc.bounded,
        dpc.bounded,
        "own",
        PARTS,
        {
            "approximate": ("GB:VI.4", ("oo", "oo"), True),
            "zcdp": ("GB:VI.13", ("oo",), True),
            "gaussian": ("GB:VI.21", ("oo",), True),
        },
    ),
}


def by_hand(case: str, notion: str) -> tuple[Study, str, tuple[str, ...], bool]:
    on, target, stated, domain, maps, expected = BY_HAND[case]
    mechanisms = [
        dpc.mechanism(f"M{i}", claim(notion, *values(notion, i)).about(stated), reads=f)
        if domain is None
        else dpc.mechanism(f"M{i}", MAKE[notion](*values(notion, i), stated, domain), reads=f)
        for i, f in enumerate(maps, start=1)
    ]
    domains = {name: "in (0,1)" for i in range(1, len(maps) + 1) for name in values(notion, i)[1:]}
    item, texts, optimal = expected[notion]
    return dpc.compose(*mechanisms, on=on, target=target, parameters=domains), item, texts, optimal


EVERY = [(case, notion) for case, row in BY_HAND.items() for notion in row[-1]]


@pytest.mark.parametrize(("case", "notion"), EVERY)
def test_by_hand(case: str, notion: str) -> None:
    study, item, texts, optimal = by_hand(case, notion)
    found = study.guarantee()
    assert found.optimal == optimal
    if item and case != "a part of a replacement under unbounded":
        assert found.theorem == item
    verdict = study.check(claim(notion, *texts))
    assert (verdict.verdict, verdict.loose) == ("proved", not optimal)
    pasted = study.check(claim(notion, *(formulas.to_text(value) for value in found.values.values())))
    assert (pasted.verdict, pasted.loose) == (verdict.verdict, verdict.loose)
    if "oo" not in texts:
        above = study.check(claim(notion, *(f"2*({text})" for text in texts)))
        assert above.verdict == "proved" and above.loose in (True, None)
        below = study.check(claim(notion, *(f"({text})/2" for text in texts)))
        assert below.verdict == "refuted" or (notion == "approximate" and "exp" in texts[-1])


@pytest.mark.parametrize(("case", "notion"), EVERY)
def test_saved_derivations_are_accepted(case: str, notion: str) -> None:
    study, _, texts, _ = by_hand(case, notion)
    claims = [study.claim(claim(notion, *texts))]
    if "oo" not in texts:
        claims += [
            study.claim(claim(notion, *(f"{c}*({text})" for text in texts))) for c in ("1/2", "2", "9/5")
        ]
    verdicts = [study.check(one) for one in claims]
    found = rechecks.rechecked(study, verdicts).checked
    assert found.guarantee is not None and found.guarantee.notion == notion
    symbols = found.setting.symbols
    stated = study.bound.guarantee.parameters
    assert found.guarantee.values == tuple((key, terms.parse(text, symbols)) for key, text in stated)
    assert found.optimal == study.bound.optimal


def test_parallel_composition_needs_compatible_parts() -> None:
    """GB Cor. A.13 and A.15 as printed leave it out: a replacement moves two parts of a partition."""
    for notion, item in (("approximate", "disjoint-common-domain"), ("zcdp", "disjoint-common-domain")):
        study, *_ = by_hand("a replacement moves two parts", notion)
        fit = next(fit for fit in study.theorems() if fit.page.id == item)
        assert not fit.fits and "compatible" in fit.reason
        largest = [
            f"max({', '.join(one)})" for one in zip(*(values(notion, i) for i in (1, 2, 3)), strict=True)
        ]
        verdict = study.check(claim(notion, *largest))
        assert verdict.verdict == "refuted"
        example = verdict.counterexample
        assert example is not None and example.pair == (("a",), ("b",))
        assert example.data()["actual"] == {"approximate": "3/4", "zcdp": "2"}[notion]
        assert example.data()["claimed"] == {"approximate": "1/2", "zcdp": "1"}[notion]


# ---------------------------------------------------------------- the oracle


def number(expression: sympy.Expr, point: Mapping[str, Any]) -> Any:
    """An expression's value to DIGITS digits, by itself."""
    if expression is sympy.oo:
        return mpmath.inf
    if expression is sympy.E:
        return mpmath.e
    if expression.is_Rational:
        return mpmath.mpf(int(expression.p)) / int(expression.q)
    if expression.is_Symbol:
        return (
            mpmath.mpf(Fraction(point[str(expression)]).numerator)
            / Fraction(point[str(expression)]).denominator
            if isinstance(point[str(expression)], Fraction | int)
            else point[str(expression)]
        )
    if expression is sympy.E:
        return +mpmath.e
    parts = [number(one, point) for one in expression.args]
    if expression.is_Add:
        return mpmath.fsum(parts)
    if expression.is_Mul:
        return mpmath.fprod(parts)
    if isinstance(expression, Top):
        return mpmath.fsum(sorted(parts[1:], reverse=True)[: int(expression.args[0])])
    if isinstance(expression, sympy.exp):
        return mpmath.exp(parts[0])
    if expression is sympy.E:
        return mpmath.e
    assert expression.is_Pow and not isinstance(expression, Over), expression
    return parts[0] ** parts[1]


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


def close(x: Any, y: Any) -> bool:
    return bool(x == y or abs(x - y) < CLOSE)


TWINS = st.one_of(
    strategies.listed(most_databases=5, most_mechanisms=3),
    strategies.multisets(),
    strategies_ordered.grouped_multisets(),
    strategies_ordered.ordered(),
)


@many(60)
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


@many(40)
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
        epsilon, delta = study.guarantee().values.values()
        assert close(number(epsilon, point), max(epsilons))
        assert close(number(delta, point | deltas), max(sums))
    vectors = oracle.profile_of(twin.at(point))
    moved = [[r for r in vector if r != 0] for vector in vectors]
    if max(sums) == mpmath.inf:
        assert study.bound.optimal
    elif any(len(some) > 1 or max(some, default=0) > 1 for some in moved):
        assert not study.bound.optimal
    verdict = study.check(claim("approximate", epsilon, delta))
    assert (
        verdict.verdict == "proved"
        and verdict.loose in ((False, None), (True, None))[study.bound.smaller_is_known]
    )


@many(40)
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


@many(40)
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


# ---------------------------------------------------------------- verdicts


def two(notion: str, target: Any = dpc.unbounded, *, domains: Mapping[str, str] | None = None) -> Study:
    """Two mechanisms on everything, with unbounded guarantees."""
    return dpc.compose(
        *(dpc.mechanism(f"M{i}", claim(notion, *values(notion, i)).about(dpc.unbounded)) for i in (1, 2)),
        on=dpc.multisets("ab"),
        target=target,
        parameters=domains or ({"d1": "in (0,1)", "d2": "in (0,1)"} if notion == "approximate" else None),
    )


GAUSSIAN = {
    "sqrt(m1**2 + m2**2)": ("proved", False),
    "m1 + m2": ("proved", True),
    "sqrt(2)*max(m1, m2)": ("proved", True),
    "max(sqrt(2)*m1, sqrt(2)*m2)": ("proved", True),
    "sqrt(max(m1, m2)**2 + m1**2 + m2**2)": ("proved", True),
    "sqrt(max(m1**2 + m2**2, 1))": ("proved", True),
    "max(1, sqrt(m1**2 + m2**2))": ("proved", True),
    "sqrt(2*m1**2 + 2*m2**2)/sqrt(2)": ("proved", False),
    "oo": ("proved", True),
    "max(m1, m2)": ("refuted", None),
    "7/5*max(m1, m2)": ("refuted", None),
    "(m1 + m2)/2": ("refuted", None),
    "2*sqrt(m1*m2)": ("refuted", None),
    "sqrt(m1) + sqrt(m2)": ("refuted", None),
    "m1 - m2": ("refuted", None),
    "m1 + m2 - 1": ("refuted", None),
    "-1": ("refuted", None),
    "0": ("refuted", None),
    "1/sqrt(m1)": ("refuted", None),
    "m1 + m2 - 2*sqrt(m1*m2)": ("refuted", None),
    "sqrt(m1**2 + m2**2) - 1": ("refuted", None),
    "sqrt(m1 - m2)": ("undecided", None),
}


@pytest.mark.parametrize("text", GAUSSIAN)
def test_gaussian_claims(text: str) -> None:
    verdict = two("gaussian").check(claim("gaussian", text))
    assert (verdict.verdict, verdict.loose) == GAUSSIAN[text], verdict.reason


def test_an_irrational_claim_is_shown_as_it_is_and_not_by_its_square() -> None:
    study = dpc.compose(
        dpc.mechanism("M", dpc.gaussian("e*sqrt(46)/3", dpc.unbounded)),
        on=dpc.multisets(),
        target=dpc.unbounded,
    )
    example = study.check(dpc.gaussian("e*sqrt(46)/3 - e/7")).counterexample
    assert example is not None
    assert (example.data()["claimed"], example.data()["actual"]) == ("sqrt(46)/3 - 1/7", "sqrt(46)/3")


def test_claimed_values_are_shown_as_they_are() -> None:
    """Squares are compared, but what is claimed may be irrational, or negative."""
    study = two("gaussian")
    for text, claimed in (("-1/2", "-1/2"), ("max(m1, m2)", "1"), ("m1/sqrt(2) + m2/8", None)):
        example = study.check(claim("gaussian", text)).counterexample
        if claimed is not None:
            assert example is not None and example.data()["claimed"] == claimed
    example = study.check(claim("gaussian", "sqrt(m1**2 + m2**2/2)")).counterexample
    assert example is not None
    assert (example.data()["claimed"], example.data()["actual"]) == ("sqrt(6)/2", "sqrt(2)")


APPROXIMATE = {
    ("e1 + e2", "d1 + d2"): "proved",
    ("e1 + e2 + 1", "2*d1 + 2*d2"): "proved",
    ("oo", "oo"): "proved",
    ("e1", "oo"): "proved",
    ("0", "1"): "proved",
    ("e1", "1 + d1"): "proved",
    ("oo", "d1 + d2"): "proved",
    ("2*e1 + 2*e2", "d1"): "refuted",
    ("e1 + e2", "max(d1, d2)"): "refuted",
    ("oo", "d2"): "proved",
    ("oo", "0"): "proved",
    ("2*e1 + 2*e2", "d1 + d2 - d1*d2"): "proved",
    ("e1 + e2", "d1 + d2 - d1*d2"): "proved",
    (
        "e1",
        "2*d1 + 2*d2",
    ): "refuted by the curve",  # at e1 = 100, e2 = 1: two randomized responses need 0.4 there
    ("max(e1, e2)", "d1 + d2"): "refuted by the curve",
    ("0", "d1 + d2"): "refuted by the curve",
}


@pytest.mark.parametrize("texts", APPROXIMATE)
def test_approximate_claims(texts: tuple[str, str]) -> None:
    """A pair that lies beside the known one is refuted only where an event or the curve shows it."""
    verdict = two("approximate").check(claim("approximate", *texts))
    by_curve = verdict.counterexample is not None and verdict.counterexample.bits is not None
    assert verdict.verdict + (" by the curve" if by_curve else "") == APPROXIMATE[texts], verdict.reason
    if verdict.verdict == "refuted":
        example = verdict.counterexample
        assert example is not None and example.actual is not None
        if by_curve:
            assert example.actual > example.claimed
            return
        d1, d2 = example.point["d1"], example.point["d2"]
        assert example.actual == d1 + d2 - d1 * d2 > example.claimed
    if verdict.verdict == "undecided":
        assert verdict.reason.endswith(
            "can be smaller than in the best guarantee that is known; "
            "that refutes nothing, because other pairs may hold as well"
        )


def test_approximate_claims_over_two_steps() -> None:
    """δ + δe^ε is proved; an event reaches the least δ at distance 2, and what lies below is refuted."""
    study = dpc.compose(
        dpc.mechanism("M", dpc.approximate("e", "d", dpc.unbounded)),
        on=dpc.multisets("ab"),
        target=dpc.bounded,
        parameters={"d": "in (0,1)"},
    )
    expected = {
        ("2*e", "d + d*exp(e)"): "proved",
        ("3*e", "d + d*exp(e)"): "proved",
        ("2*e", "d"): "refuted",
        ("2*e", "3*d/2"): "refuted",
        ("2*e", "2*d"): "refuted",
        ("2*e", "d + d*exp(e/2)"): "refuted",
        ("e", "d + d*exp(e)"): "refuted",
    }
    for texts, verdict in expected.items():
        assert study.check(claim("approximate", *texts)).verdict == verdict, texts
    assert not study.bound.optimal


def test_guarantees_at_their_limits() -> None:
    on = dpc.multisets("ab")

    def single(*given: object, target: Any = dpc.unbounded, **domains: str) -> Study:
        stated = claim("approximate", *given).about(dpc.unbounded)
        return dpc.compose(dpc.mechanism("M", stated), on=on, target=target, parameters=domains)

    zero = single(0, "d", d="in (0,1)")  # δ(e^{rε} − 1)/(e^ε − 1) is rδ at ε = 0
    assert zero.guarantee().values == {"epsilon": 0, "delta": sympy.Symbol("d", positive=True)}
    steps = single(0, "d", target=dpc.bounded, d="in (0,1)")
    assert formulas.to_text(steps.guarantee().values["delta"]) == "2*d"
    assert steps.check(claim("approximate", 0, "2*d")).verdict == "proved"
    assert steps.check(claim("approximate", 0, "d")).verdict == "refuted"
    assert single("e", "d", d="in (0,1)").bound.optimal
    assert not single("e", "d").bound.optimal  # for d > 1 the least δ is 1
    assert not single("e", 2).bound.optimal
    assert single("e", 1).bound.optimal
    assert single("e", 2).check(claim("approximate", 0, 1)).verdict == "proved"
    assert single("e", 2).check(claim("approximate", "e", "1/2")).verdict == "refuted"
    for stating in (("oo", "1/100"), ("e", "oo")):
        assert dict(single(*stating).bound.guarantee.parameters) == {"epsilon": "oo", "delta": "oo"}
    for notion, name in (("zcdp", "rho"), ("gaussian", "mu")):
        stated = [claim(notion, x).about(dpc.unbounded) for x in ("oo", "x")]
        study = dpc.compose(
            *(dpc.mechanism(f"M{i}", g) for i, g in enumerate(stated)), on=on, target=dpc.unbounded
        )
        assert dict(study.bound.guarantee.parameters) == {name: "oo"} and study.bound.optimal
        assert study.check(claim(notion, "100*x")).verdict == "refuted"
        assert study.check(claim(notion, "oo")).loose is False


def test_exponentials_and_roots_as_parameters() -> None:
    for text, bound in (
        ("sqrt(a)", "sqrt(a + b**2)"),
        ("exp(a)", "sqrt(b**2 + exp(2*a))"),
        ("max(a, b)", None),
    ):
        study = dpc.compose(
            *(dpc.mechanism(f"M{i}", dpc.gaussian(x, dpc.unbounded)) for i, x in enumerate((text, "b"))),
            on=dpc.multisets("ab"),
            target=dpc.unbounded,
        )
        mu = study.guarantee().values["mu"]
        assert bound is None or formulas.to_text(mu) == bound
        for same in (formulas.to_text(mu), f"sqrt(({text})**2 + b**2)"):
            assert study.check(claim("gaussian", same)).loose is False, same
        assert study.check(claim("gaussian", f"{text} + b")).verdict == "proved"


def test_claims_that_say_nothing_are_proved() -> None:
    """oo in any parameter says nothing, whatever the others are; nothing refutes it."""
    study = two("approximate")
    for nothing in ((sympy.oo, 0), (0, sympy.oo), (0, 1)):
        verdict = study.check(claim("approximate", *nothing))
        assert (verdict.verdict, verdict.loose) == ("proved", None)
        assert rechecks.rechecked(study, [verdict]).verdicts == ("proved",)
    smaller = study.check(claim("approximate", 1000, 0))
    assert smaller.verdict == "refuted" and smaller.counterexample is not None
    with pytest.raises(BadCertificate, match="says nothing"):
        counterexamples.make(
            study.bound.steps.inputs,
            claim("approximate", sympy.oo, 0),
            smaller.counterexample.pair,
            smaller.counterexample.point,
        )


def test_wrong_parameters_are_named() -> None:
    x = sympy.Symbol("x", positive=True)
    wrong = Guarantee("gaussian", (("epsilon", x),))
    study = dpc.compose(
        dpc.mechanism("M", wrong.about(dpc.unbounded)), on=dpc.multisets("ab"), target=dpc.unbounded
    )
    with pytest.raises(InvalidSetting, match=r"^M: a guarantee of gaussian has mu, not epsilon$"):
        study.guarantee()
    verdict = two("gaussian").check(
        Guarantee("gaussian", (("mu", sympy.Integer(1)), ("nu", sympy.Integer(1))))
    )
    assert verdict.reason == "a guarantee of gaussian has mu, not mu, nu"
    assert two("zcdp").check(dpc.gaussian("1000*r1 + 1000*r2 + 9")).reason == (
        "no conversion pages lead from zcdp to gaussian"
    )


# ---------------------------------------------------------------- families


FAMILY = """
format = 1
title = "a family"
{parameters}
[databases]
kind = "multisets"
{partition}
[target]
granularity = "{target}"
[[mechanisms]]
name = "M"
{family}
reads = {reads}
guarantee = {{ notion = "{notion}", {given}, granularity = "{stated}", domain = "{domain}" }}
"""
MEMBERS = {
    "approximate": 'epsilon = "e[i]", delta = "d[i]"',
    "zcdp": 'rho = "rho[i]"',
    "gaussian": 'mu = "mu[i]"',
}
ALL, COMPATIBLE, REPLACED, OWN = range(4)
WHERE = {
    ALL: ("unbounded", "unbounded", "common", False),
    COMPATIBLE: ("unbounded", "unbounded", "common", True),
    REPLACED: ("bounded", "bounded", "common", True),
    OWN: ("bounded", "unbounded", "own", True),
}


def family(notion: str, where: int, k: str = "k", given: str = "", claims: str = "") -> Study:
    target, stated, domain, parts = WHERE[where]
    text = FAMILY.format(
        parameters='[parameters]\nk = "integer >= 2"' if k == "k" else "",
        partition=f'[partitions.P]\nkind = "record-wise"\nparts = "{k}"' if parts else "",
        target=target,
        family=f'index = "i"\ncount = "{k}"',
        reads='{ part = "i", of = "P" }' if parts else '"everything"',
        notion=notion,
        given=given or MEMBERS[notion],
        stated=stated,
        domain=domain,
    )
    return Study(problems.read_text(text + claims, "a family").setting)


def family_verdicts(
    notion: str, where: int, texts: list[tuple[str, ...]], k: str = "k"
) -> list[tuple[str, Any]]:
    """The verdicts, each of which a recheck confirms."""
    keys = {"approximate": ("epsilon", "delta"), "zcdp": ("rho",), "gaussian": ("mu",)}[notion]
    claims = "".join(
        f'[[claims]]\nnotion = "{notion}"\n'
        + "".join(f'{key} = "{text}"\n' for key, text in zip(keys, some, strict=True))
        for some in texts
    )
    target, stated, domain, parts = WHERE[where]
    text = FAMILY.format(
        parameters='[parameters]\nk = "integer >= 2"' if k == "k" else "",
        partition=f'[partitions.P]\nkind = "record-wise"\nparts = "{k}"' if parts else "",
        target=target,
        family=f'index = "i"\ncount = "{k}"',
        reads='{ part = "i", of = "P" }' if parts else '"everything"',
        notion=notion,
        given=MEMBERS[notion],
        stated=stated,
        domain=domain,
    )
    problem = problems.read_text(text + claims, "a family")
    study = Study(problem.setting)
    verdicts = [study.check(one) for one in problem.claims]
    rechecks.rechecked(study, verdicts)
    return [(one.verdict, one.loose) for one in verdicts]


SUM, MAX, TWO = "sum({}, i, 1, k)", "max({}, i, 1, k)", "top(2, {}, i, 1, k)"
OF_FAMILIES: list[tuple[str, int, str, dict[str, tuple[str, Any]]]] = [
    (
        "zcdp",
        ALL,
        SUM.format("rho[i]"),
        {
            SUM: ("proved", False),
            MAX: ("refuted", None),
            TWO: ("refuted", None),
            "k*" + MAX: ("proved", True),
        },
    ),
    (
        "zcdp",
        COMPATIBLE,
        MAX.format("rho[i]"),
        {SUM: ("proved", True), MAX: ("proved", False), TWO: ("proved", True)},
    ),
    (
        "zcdp",
        REPLACED,
        TWO.format("rho[i]"),
        {SUM: ("proved", True), MAX: ("refuted", None), TWO: ("proved", False)},
    ),
    (
        "zcdp",
        OWN,
        "4*" + MAX.format("rho[i]"),
        {"4*" + MAX: ("proved", False), "3*" + MAX: ("refuted", None), TWO: ("refuted", None)},
    ),
]
GAUSSIAN_FAMILIES: list[tuple[int, str, dict[str, tuple[str, Any]]]] = [
    (
        ALL,
        "sqrt(sum(mu[i]**2, i, 1, k))",
        {
            "sqrt(sum(mu[i]**2, i, 1, k))": ("proved", False),
            "sum(mu[i], i, 1, k)": ("proved", True),
            "sqrt(k)*max(mu[i], i, 1, k)": ("proved", True),
            "max(mu[i], i, 1, k)": ("refuted", None),
            "sqrt(top(2, mu[i]**2, i, 1, k))": ("refuted", None),
            "top(2, mu[i], i, 1, k)": ("refuted", None),
        },
    ),
    (
        COMPATIBLE,
        "max(mu[i], i, 1, k)",
        {
            "max(mu[i], i, 1, k)": ("proved", False),
            "sqrt(sum(mu[i]**2, i, 1, k))": ("proved", True),
            "top(2, mu[i], i, 1, k)": ("proved", True),
            "max(mu[i], i, 1, k)/2": ("refuted", None),
        },
    ),
    (
        REPLACED,
        "sqrt(top(2, mu[i]**2, i, 1, k))",
        {
            "sqrt(top(2, mu[i]**2, i, 1, k))": ("proved", False),
            "sqrt(2)*max(mu[i], i, 1, k)": ("proved", True),
            "2*max(mu[i], i, 1, k)": ("proved", True),
            "top(2, mu[i], i, 1, k)": ("proved", True),
            "sqrt(sum(mu[i]**2, i, 1, k))": ("proved", True),
            "max(mu[i], i, 1, k)": ("refuted", None),
            "sum(mu[i], i, 1, k)/2": ("refuted", None),
        },
    ),
    (
        OWN,
        "2*max(mu[i], i, 1, k)",
        {
            "2*max(mu[i], i, 1, k)": ("proved", False),
            "2*sum(mu[i], i, 1, k)": ("proved", True),
            "sqrt(2)*max(mu[i], i, 1, k)": ("refuted", None),
            "top(2, mu[i], i, 1, k)": ("refuted", None),
        },
    ),
]


@pytest.mark.parametrize(("notion", "where", "bound", "claims"), OF_FAMILIES)
def test_families_of_zcdp(notion: str, where: int, bound: str, claims: dict[str, tuple[str, Any]]) -> None:
    assert dict(family(notion, where).bound.guarantee.parameters) == {"rho": bound}
    texts = [(one.format("rho[i]"),) for one in claims]
    assert family_verdicts(notion, where, texts) == list(claims.values())


@pytest.mark.parametrize(("where", "bound", "claims"), GAUSSIAN_FAMILIES)
def test_families_of_gaussian(where: int, bound: str, claims: dict[str, tuple[str, Any]]) -> None:
    assert dict(family("gaussian", where).bound.guarantee.parameters) == {"mu": bound}
    assert family_verdicts("gaussian", where, [(one,) for one in claims]) == list(claims.values())


@pytest.mark.parametrize(
    ("where", "shape", "others"),
    [
        (ALL, SUM, {MAX: "refuted", TWO: "refuted"}),
        (COMPATIBLE, MAX, {SUM: "proved", TWO: "proved"}),
        (REPLACED, TWO, {SUM: "proved", MAX: "refuted"}),
    ],
)
def test_families_of_approximate(where: int, shape: str, others: dict[str, str]) -> None:
    pair = {"epsilon": shape.format("e[i]"), "delta": shape.format("d[i]")}
    assert dict(family("approximate", where).bound.guarantee.parameters) == pair
    texts = [tuple(pair.values()), *((one.format("e[i]"), one.format("d[i]")) for one in others)]
    found = family_verdicts("approximate", where, texts)
    assert found[0] == ("proved", False if where == COMPATIBLE else None)
    assert [verdict for verdict, _ in found[1:]] == list(others.values())


def test_families_of_approximate_on_their_own_domain() -> None:
    """A replacement is two add/remove steps inside of a part; for records with identifiers it is one step."""
    given = family("approximate", OWN)
    bound = "2*max(e[i], i, 1, k)", "max(max(d[i] + d[i]*exp(e[i]), i, 1, k), top(2, d[i], i, 1, k))"
    assert tuple(dict(given.bound.guarantee.parameters).values()) == bound
    largest = "max(e[i], i, 1, k)", "max(d[i], i, 1, k)"
    assert family_verdicts("approximate", OWN, [largest]) == [("refuted", None)]
    fit = next(fit for fit in given.theorems() if fit.page.id == "commuting-metric")
    assert fit.reason == "it holds here, but it is not written out for a symbolic number of mechanisms"
    order_based = writing.to_data(given.setting, [])
    order_based["databases"]["kind"] = "tuples"
    order_based["partitions"]["P"]["kind"] = "order-based"
    order_based["mechanisms"][0]["guarantee"]["granularity"] = "bounded"
    order_based["claims"] = [
        {"notion": "approximate"} | dict(zip(("epsilon", "delta"), largest, strict=True))
    ]
    problem = problems.read_data(order_based)
    study = Study(problem.setting)
    assert (study.bound.theorem.id, study.bound.optimal) == ("disjoint-own-domain", True)
    assert study.check(problem.claims[0]).loose is False


@pytest.mark.parametrize("notion", MEMBERS)
@pytest.mark.parametrize("where", [ALL, COMPATIBLE, REPLACED])
def test_families_written_out(notion: str, where: int) -> None:
    """The bound for k, at k = 3, is that of three mechanisms written out."""
    written = family(notion, where, k="3")
    symbolic = family(notion, where).guarantee().values
    assert written.bound.theorem.id == family(notion, where).bound.theorem.id
    for key, value in written.guarantee().values.items():
        with mpmath.workdps(DIGITS):
            at = {f"{name}[{j}]": Fraction(j, 7) for name in ("e", "d", "rho", "mu") for j in (1, 2, 3)}
            assert close(of_three(symbolic[key], at), of_three(value, at))


def of_three(expression: sympy.Expr, point: Mapping[str, Fraction]) -> Any:
    """The value where every family has three members."""
    if isinstance(expression, Over):
        m, x, _ = expression.args
        members = [
            number(
                x.subs({one: sympy.Symbol(str(one).replace("[i]", f"[{j}]")) for one in x.free_symbols}),
                point,
            )
            for j in (1, 2, 3)
        ]
        return mpmath.fsum(sorted(members, reverse=True)[: int(m) if m.is_Integer else 3])
    if not expression.has(Over):
        return number(expression, point)
    parts = [of_three(one, point) for one in expression.args]
    if expression.is_Add:
        return mpmath.fsum(parts)
    if expression.is_Mul:
        return mpmath.fprod(parts)
    assert expression.is_Pow
    return parts[0] ** parts[1]


def test_families_with_equal_parameters() -> None:
    """Members alike: k·ρ, √k·μ, (k·ε, k·δ)."""
    for notion, stating, bound in (
        ("zcdp", 'rho = "r"', ["k*r"]),
        ("gaussian", 'mu = "m"', ["m*sqrt(k)"]),
        ("approximate", 'epsilon = "e", delta = "d"', ["e*k", "d*k"]),
    ):
        study = family(notion, ALL, given=stating)
        assert [value for _, value in study.bound.guarantee.parameters] == bound
        assert study.check(study.claim(claim(notion, *study.guarantee().values.values()))).verdict == "proved"


REPEATED = """
format = 1
title = "many alike"
[databases]
kind = "multisets"
[target]
granularity = "unbounded"
[[mechanisms]]
name = "M"
repeat = 50
guarantee = {{ notion = "{}", {}, granularity = "unbounded" }}
"""


def test_repeated() -> None:
    for notion, stating, bound in (
        ("zcdp", 'rho = "r"', ["50*r"]),
        ("gaussian", 'mu = "m"', ["5*m*sqrt(2)"]),
        ("approximate", 'epsilon = "e", delta = "d"', ["50*e", "50*d"]),
    ):
        study = Study(problems.read_text(REPEATED.format(notion, stating), "many").setting)
        assert [value for _, value in study.bound.guarantee.parameters] == bound


# ---------------------------------------------------------------- a notion of one's own


RULE = """# A made-up notion

```toml
id = "toy"
called = "toy"
kind = "rule"
items = {{ any = "nowhere" }}
status = "primitive"
notion = "toy"
parameters = ["nu"]

[distance]
nu = "r*nu"

[composition]
nu = "{}"
```

A text.
"""
WITNESS = """# A made-up witness

```toml
id = "toy-witness"
kind = "witness"
status = "primitive"
notion = "toy"
shows = "nu"
by = "ratio"
distance = "{}"
probability = "exp(-d)/2"
```

A text.
"""


def toy(nu: object, granularity: Any = None, domain: str | None = None) -> Guarantee:
    return Guarantee("toy", (("nu", formulas.from_python(nu)),), granularity, domain)


def toy_study(where: Path, composition: str, distance: str | None = None) -> Study:
    """Three parts with guarantees in the notion of two new pages."""
    folder = where / "theorems"
    folder.mkdir()
    (folder / "toy.md").write_text(RULE.format(composition), encoding="utf-8")
    if distance is not None:
        (folder / "toy-witness.md").write_text(WITNESS.format(distance), encoding="utf-8")
    parts = zip((1, 2), (dpc.restriction({"a", "b"}), dpc.restriction({"c"})), strict=True)
    composed = dpc.compose(
        *(dpc.mechanism(f"M{i}", toy(f"n{i}", dpc.unbounded, "own"), reads=f) for i, f in parts),
        on=ABC,
        target=dpc.bounded,
    )
    return Study(composed.setting, registry.load(registry.folder(), folder))


def test_a_notion_that_adds_up(tmp_path: Path) -> None:
    study = toy_study(tmp_path, "sum(nu[i], i, 1, k)", "nu*r")
    found = study.guarantee()
    assert repr(found) == (
        "bounded (max(2*n1, n1 + n2))-toy, by sensitivity-profile; optimal; rests on the pages toy, toy-witness, "
        "which are only believed (primitive are only pages that ship with dpcompose)"
    )
    assert study.check(toy("max(n1 + n2, 2*n1)")).loose is False
    verdict = study.check(toy("n1 + n2"))
    assert verdict.verdict == "refuted" and verdict.counterexample is not None
    assert verdict.counterexample.pair == (("a",), ("b",))
    assert str(found.derivation) and found._repr_html_()
    saved = rechecks.saved(study, [study.check(toy("n1 + n2"))])
    assert rechecks.check(saved, study.theory).verdicts == ("refuted",)
    with pytest.raises(Refused, match="there is no page 'toy'"):
        rechecks.check(saved, registry.standard())
    with pytest.raises(
        InvalidSetting, match=r"^problem files have no notion 'toy', so this cannot be saved$"
    ):
        Study(study.setting).to_toml()


def test_a_notion_that_is_a_maximum(tmp_path: Path) -> None:
    study = toy_study(tmp_path, "max(nu[i], i, 1, k)")
    assert repr(study.guarantee()) == (
        "bounded (max(n1, 2*n1, n2))-toy, by sensitivity-profile; rests on the page toy, "
        "which is only believed (primitive are only pages that ship with dpcompose)"
    )
    assert study.check(toy("max(n2, 2*n1)")).verdict == "proved"
    below = study.check(toy("max(n1, n2)"))
    assert (below.verdict, below.reason) == ("undecided", "no page has witnesses of toy privacy")


@pytest.mark.parametrize(
    ("composition", "distance"), [("max(nu[i], i, 1, k)", "nu*r"), ("sum(nu[i], i, 1, k)", "nu*r/2")]
)
def test_a_witness_that_does_not_attain_the_rule_makes_nothing_optimal(
    tmp_path: Path, composition: str, distance: str
) -> None:
    assert not toy_study(tmp_path, composition, distance).bound.optimal


def test_other_folders_do_not_know_it(tmp_path: Path) -> None:
    setting = toy_study(tmp_path, "sum(nu[i], i, 1, k)").setting
    with pytest.raises(ValueError, match=r"^the notion 'toy' is not supported yet; there are pages for: "):
        Study(setting).guarantee()


def test_problem_files_of_all_notions() -> None:
    for name in PROBLEMS:
        load(name)
