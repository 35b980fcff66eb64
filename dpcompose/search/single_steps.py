"""Mechanisms that are stated in formulas of one distance, by what these say of a single step.

A chain of single steps may say less than the formula does of all of them at once, as of the square of a
distance; and where it never says more, both say the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from dpcompose.kernel.core.implied import for_steps
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.terms import ONE
from dpcompose.kernel.judgements import Optimal, Refuted
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules import steps as rules
from dpcompose.kernel.rules.chains import STEPS
from dpcompose.kernel.rules.parameters import narrower
from dpcompose.kernel.theorems import Prover, Theorem
from dpcompose.search.comparisons import parameters
from dpcompose.search.trying import tried

Values = Mapping[str, Mapping[str, str]]
"""By the numbers of mechanisms their parameters at one step."""


def values_of(setting: Setting, theory: Theory) -> Values:
    """Those of the mechanisms that are stated in a formula of one distance which is no number times it."""
    values: dict[str, dict[str, str]] = {}
    for i, mechanism in enumerate(() if setting.distances else setting.mechanisms, start=1):
        if mechanism.metric is not None and mechanism.metric.unit is None:
            with suppress(ValueError):
                stated = rules.at_steps(setting, theory, i, ONE)
                values[str(i)] = {key: to_text(value) for key, value in stated.items()}
    return values


def setting_of(setting: Setting, values: Values) -> Setting | None:
    """The setting in which these are stated for single steps; None where they cannot be, or none are."""
    with suppress(ValueError):
        return for_steps(setting, narrower(values, setting)) if values else None
    return None


def about_all(prover: Prover, theorem: Theorem | None, values: Values) -> Theorem | None:
    """A theorem about mechanisms that are stated for single steps as one about the setting."""
    if theorem is None:
        return None
    more: dict[str, Any] = {"values": {i: dict(stated) for i, stated in values.items()}}
    if isinstance(theorem.says, Refuted | Optimal):
        more |= {"certificates": _implied(prover, values)}
    return tried(prover, "single_steps", theorem, **more)


def _implied(prover: Prover, values: Values) -> dict[str, dict[str, Any]]:
    """What shows that formulas are at least what is made of single steps."""
    setting, theory, found = prover.setting, prover.theory, dict[str, dict[str, Any]]()
    for i, stated in narrower(values, setting).items():
        there = rules.at_steps(setting, theory, i, STEPS)
        squared = theory.rule(setting.mechanisms[i - 1].notion).head.squared
        made = rules.made_of(setting, theory, i, dict(stated))
        shown = {
            key: parameters.at_least(there[key], lesser, key in squared, assumed=setting.assumed)
            for key, lesser in made.items()
            if there[key] != lesser
        }
        found[str(i)] = {key: certificate for key, certificate in shown.items() if certificate is not None}
    return found
