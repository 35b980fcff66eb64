"""What dpcompose says of a random setting, read in the numbers of the oracle and held against it."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attaining
import oracle
import sympy
from hypothesis import HealthCheck, settings
from language.letters import evaluate
from oracle import INFINITY
from strategies import Point, Twin

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.language import formulas

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
TIMES = int(os.environ.get("DPCOMPOSE_EXAMPLES", "1"))
"""How many times as many examples as in a normal run: DPCOMPOSE_EXAMPLES=20 is an attack of an hour."""


def as_many(examples: int) -> Callable[[Any], Any]:
    """So many random examples, each taking the time it takes."""
    return settings(max_examples=examples, deadline=None, suppress_health_check=SLOW)


def many(examples: int) -> Callable[[Any], Any]:
    """So many random examples for ten normal runs."""
    return as_many(max(6, examples // 10) * TIMES)


def value(expression: sympy.Expr, point: Point) -> oracle.Number:
    """A bound's value at a point, in the oracle's numbers."""
    if expression is sympy.oo:
        return INFINITY
    number = evaluate(expression, point)
    assert number is not None, expression
    return number


def bound_of(study: Study, point: Point) -> oracle.Number | None:
    """The bound at a point; None where every guarantee holds."""
    bound = study.bound
    if bound.vacuous:
        assert dict(bound.guarantee.texts) == {"epsilon": "0"}
        return None
    return value(study.guarantee().epsilon, point)


def vectors_of(study: Study) -> list[tuple[tuple[int, str], ...]]:
    """The vectors of the profile, with texts for how far inputs move."""
    return [tuple((int(i), r) for i, r in vector.items()) for vector in profile(study)["vectors"]]


def profile(study: Study) -> dict[str, Any]:
    """What the step on how far neighbours move the inputs says; nothing where there are no neighbours."""
    told = (step.values for step in study.bound.told.steps if "vectors" in step.values)
    return next(told, {"vectors": [], "pairs": []})


def profile_of(study: Study) -> dict[oracle.Vector, oracle.Pair]:
    """The profile's vectors, with the pairs that dpcompose gives for them."""
    k, databases = len(study.setting.mechanisms), study.setting.databases
    found: dict[oracle.Vector, oracle.Pair] = {}
    for vector, (D, E) in zip(vectors_of(study), profile(study)["pairs"], strict=True):
        entries = {i: INFINITY if r == "oo" else int(r) for i, r in vector}
        dense = tuple(entries.get(i, 0) for i in range(1, k + 1))
        assert dense not in found
        found[dense] = (databases.parse(D), databases.parse(E))
    return found


def assert_bound_and_profile(twin: Twin, point: Point, study: Study | None = None) -> None:
    """The bound, the profile and the pairs that attain it are the oracle's."""
    study = study or twin.study
    setting = twin.at(point)
    assert bound_of(study, point) == oracle.bound(setting)
    assert study.bound.vacuous == (not oracle.target_pairs(setting))
    assert study.bound.optimal
    found = profile_of(study)
    assert set(found) == set(oracle.profile_of(setting))
    distances = [oracle.input_distance(setting, mechanism) for mechanism in setting.mechanisms]
    for vector, (D, E) in found.items():
        assert setting.target(D, E)
        assert tuple(r(D, E) for r in distances) == vector


def assert_verdicts(twin: Twin) -> None:
    """The bound is proved and tight; a little less is refuted, with the loss that the oracle attains."""
    study = twin.study
    epsilon = study.guarantee().epsilon
    verdict = study.check(dpc.pure(epsilon))
    assert verdict.verdict == "proved"
    assert verdict.loose is (None if study.bound.vacuous else False)
    if study.bound.vacuous:
        assert study.check(dpc.pure(0)).verdict == "proved"
        return
    names = sorted(study.setting.domains)
    if epsilon is sympy.oo:
        claims = ["1000", *(f"9*{name}" for name in names)]
    else:
        bound = formulas.to_text(epsilon)
        claims = [f"{bound} - 1/7*{name}" for name in names] or [f"{bound} - 1/7"]
        claims += [f"6/7*({bound})"] if value(epsilon, ones(twin)) != 0 else []
        larger = study.check(dpc.pure(f"{bound} + 1/7"))
        assert (larger.verdict, larger.loose) == ("proved", True)
    for claim in claims:
        assert_refuted(twin, claim)


def ones(twin: Twin) -> dict[str, Fraction]:
    """Every parameter at 1."""
    return {name: Fraction(1) for name in twin.study.setting.domains}


def assert_refuted(twin: Twin, claim: str) -> None:
    """A counterexample to the claim, with the loss that mechanisms of the oracle have at its pair."""
    verdict = twin.study.check(dpc.pure(claim))
    assert verdict.verdict == "refuted", (claim, verdict)
    found = verdict.counterexample
    assert found is not None
    names = set(twin.study.setting.domains)
    assert set(found.point) == names and all(x > 0 for x in found.point.values())
    D, E = found.pair
    setting = twin.at(found.point)
    assert setting.target(D, E)
    claimed = value(formulas.parse(claim, twin.study.setting.symbols), found.point)
    actual = INFINITY if found.actual is None else found.actual
    assert found.claimed == claimed < actual
    assert actual == attaining.attained_loss(setting, D, E)
