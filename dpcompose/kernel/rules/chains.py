"""Chains of neighbours: a guarantee for the target's neighbours is one in the canonical metric of the target.

In a setting for neighbours the letter `TARGET` stands in claims about any two databases for the fewest steps
of the target that lead from the one to the other inside of the class, ∞ where there is no chain.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcompose.kernel import infinity
from dpcompose.kernel.composition import losses, witnesses
from dpcompose.kernel.composition.losses import Values
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.deciders.calculus import values as has_values
from dpcompose.kernel.expressions import metrics, naming, substitution
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term
from dpcompose.kernel.judgements import Loose, MetricForm, Optimal, Refuted, Satisfies
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.premises import BadStep, Found, Premises, claimed

TARGET = naming.of_distance("target")
"""The name of the letter for the canonical metric of the target: no parameter is called so."""


def letters(setting: Setting) -> Mapping[str, Term]:
    """The letters of claims about any two databases: those of the setting, and in one for neighbours the
    canonical metric of its target."""
    return setting.symbols if setting.distances else {**setting.symbols, TARGET: metrics.letter(TARGET)}


def metric_form(setting: Setting, theory: Theory, premises: Premises, *, claim: Any) -> Found:
    """A claim in the canonical metric of the target is false where it is false for neighbours, which are at
    distance 1; it holds, is loose or optimal, where it says for r steps what its notion makes of one step."""
    if len(premises) != 1 or not isinstance(premises[0].says, Satisfies | Refuted | Loose | Optimal):
        raise BadStep("the only premise is to be about the composition for the target's neighbours")
    known, guarantee = premises[0].says, claimed(claim, setting, theory, letters(setting))
    at_one = tuple((key, _at_one(value)) for key, value in guarantee.values)
    if (known.notion, known.values) != (guarantee.notion, at_one):
        raise BadStep("for neighbours the claim says something else")
    if not any(metrics.is_moving(value) for _, value in guarantee.values):
        raise BadStep(f"the claim is no formula in {TARGET}")
    if isinstance(known, Refuted):
        return MetricForm(Refuted(known.notion, guarantee.values, known.point)), Grounds()
    used = _check_chains(guarantee, at_one, setting, theory)
    if isinstance(known, Loose):
        return MetricForm(Loose(known.notion, guarantee.values, known.point)), used
    if isinstance(known, Optimal):
        _check_attained(setting, theory, known.notion)
        return MetricForm(Optimal(known.notion, guarantee.values, known.key)), used
    return MetricForm(guarantee), used


def _check_attained(setting: Setting, theory: Theory, notion: str) -> None:
    """Raises BadStep unless each mechanism reads everything, and is stated for the target's neighbours, and
    witnesses attain all distances.

    The canonical metric of the target is a metric, and M_i private in it: at databases r steps apart
    witnesses of all M_i lose at once what their guarantees say of r steps, and so what is least for one step
    is for r.  Inputs that are parts may be nearer to each other than their databases.
    """
    if (page := witnesses.attained_in(theory, notion).head).steps or page.together:
        raise BadStep(f"what {notion} privacy allows is not seen to be lost at all distances")
    for mechanism in setting.mechanisms:
        steps = [mechanism]
        if mechanism.metric is not None:  # c times one distance
            steps = (
                [far for _, far in mechanism.metric.distances] if mechanism.metric.unit is not None else []
            )
            steps = [] if mechanism.metric.bounded or mechanism.metric.besides else steps
        alone = (mechanism.noise, mechanism.table, mechanism.study, mechanism.sampled, *mechanism.also) == (
            None,
        ) * 4
        parts = any({*far.reads} != {None} or far.codes or far.partition for far in steps)
        if not alone or parts or [far.stated for far in steps] != [setting.target]:
            raise BadStep(f"{mechanism.name} is not just stated for the target's neighbours, of everything")


def _at_one(value: Term) -> Term:
    """A formula in the canonical metric at neighbours."""
    return substitution.substituted(value, {TARGET: ONE})


def _check_chains(guarantee: Satisfies, at_one: Values, setting: Setting, theory: Theory) -> Grounds:
    """The pages and deciders by which a guarantee for one step makes one for each number of steps.

    Raises BadStep unless the claim says just that, and nothing where there is no chain: then it is oo.
    """
    page = theory.first(
        "metric",
        lambda one: (one.head.states, one.head.notion) == ("metric form", guarantee.notion),
        f"no page states {guarantee.notion} guarantees in canonical metrics",
    )
    rule = theory.rule(guarantee.notion)
    for key, value in at_one:
        if value.kind == "oo" or not has_values.surely(value, False, setting.assumed):
            raise BadStep(f"{key} of the claim is not seen to be at least 0, and no oo, for neighbours")
    there = losses.at_distance(rule, dict(at_one), metrics.letter(TARGET))
    for key, value in guarantee.values:
        if substitution.expanded(value - there[key]) != ZERO:
            raise BadStep(f"{key} of the claim is not what the notion makes of chains of neighbours")
        if infinity.at(value, {TARGET: INFINITY}, setting.assumed) != INFINITY:
            raise BadStep(f"{key} of the claim is not oo where there is no chain of neighbours")
    return Grounds(frozenset({str(page.id), str(rule.id)}), frozenset({"ranges"}))
