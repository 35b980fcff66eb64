"""Random policies, and what is said of a setting at points, whichever way its class is told."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pytest

from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.elaboration.listed import Listed
from dpcompose.privacy.elaboration.policies import Policies
from dpcompose.privacy.elaboration.records import Records

F = Fraction


def random_policy(rng: random.Random, records: list[str]) -> dict[str, Any]:
    """A policy with some edges: groups, single edges, all; some records that come or go, all, or none."""
    found: dict[str, Any] = {}
    kind = rng.random()
    if kind < 0.15:
        found["replace"] = "all"
    elif kind < 0.5 and len(records) > 2:
        mixed = rng.sample(records, len(records))
        cut = rng.randint(2, len(mixed))
        found["replace"] = {"within": [one for one in (mixed[:cut], mixed[cut:]) if len(one) > 1]}
    elif kind < 0.9:
        found["replace"] = [rng.sample(records, 2) for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.5 or not found:
        some = rng.sample(records, rng.randint(1, len(records)))
        found["add-remove"] = rng.choice(["all", some, some])
    return found


def value(term: Any, seed: int) -> Fraction | str:
    """A parameter at a point, or its text where that is irrational."""
    if term.kind == "oo":
        return "oo"
    rng = random.Random(seed)
    point = {name: F(rng.randint(1, 40), 97 if name[0] != "d" else 997) for name in sorted(term.letters)}
    exact = formulas.evaluate(term, point)
    return formulas.to_text(formulas.at(term, point)) if exact is None else exact


def said(problem: dict[str, Any]) -> tuple[list[Any], bool]:
    """The guarantee at points, and whether it is optimal."""
    study = Study(problems.read_data(problem).setting)
    found = study.proofs.guarantee(problem["mechanisms"][0]["guarantee"]["notion"]).main
    values = [value(term, seed) for _, term in found.says.values for seed in range(3)]
    return values, bool(found.optimal)


def agrees(problem: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> str:
    """How a setting is elaborated, once enumeration was seen to say the same of it; or why nothing was compared."""
    try:
        setting = problems.read_data(problem).setting
    except problems.ProblemError:
        return "no setting"
    kind = type(Elaborated(setting).kind)
    if kind is Listed:
        return "enumerated only"
    by_types = said(problem)
    with monkeypatch.context() as patch:
        for elaboration in (Records, Policies):
            patch.setattr(elaboration, "of", classmethod(lambda cls, setting: None))
        assert by_types == said(problem), problem
    return kind.__name__


def agreeing(some: Iterable[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often settings are elaborated in each way, once enumeration was seen to say the same of all."""
    return Counter(agrees(problem, monkeypatch) for problem in some)
