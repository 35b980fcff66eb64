"""What is stated in a formula of one distance says something of inputs one step apart, and so of chains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcompose.kernel import infinity
from dpcompose.kernel.composition import losses
from dpcompose.kernel.core.implied import for_steps
from dpcompose.kernel.core.settings import InMetric, Setting
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.terms import ONE, Term
from dpcompose.kernel.judgements import Loose, Optimal, Refuted, Satisfies
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.chains import STEPS
from dpcompose.kernel.rules.metrics import form
from dpcompose.kernel.rules.parameters import at_least, entry_of, narrower
from dpcompose.kernel.rules.premises import BadStep, Found, Premises


def single_steps(
    setting: Setting, theory: Theory, premises: Premises, *, values: Any, certificates: Any = None
) -> Found:
    """What holds where mechanisms are stated for single steps of their distances holds of these: at one step
    they have what their formulas say there.

    values -- by the numbers of the mechanisms the parameters at one step; certificates -- of what is refuted,
    or optimal, by the same numbers and the parameters: that at any number of steps a formula is at least what
    is made of these, so that all that is so stated is as here.
    """
    given = narrower(values, setting)
    if len(premises) != 1 or not given or premises[0].setting != for_steps(setting, given).hash:
        raise BadStep("the theorem is not about the mechanisms as stated for single steps")
    says, used = premises[0].says, Grounds()
    if not isinstance(says, Satisfies | Loose | Refuted | Optimal):
        raise BadStep("only what is said of a guarantee holds there and here")
    for i, stated in given.items():
        if dict(stated) != at_steps(setting, theory, i, ONE):
            raise BadStep(f"{setting.mechanisms[i - 1].name} has other parameters at one step")
        used |= Grounds(frozenset({form(theory, setting.mechanisms[i - 1].notion)}))
        if isinstance(says, Refuted | Optimal):
            used |= _check_implied(setting, theory, i, dict(stated), entry_of(certificates, str(i)))
    return says, used


def at_steps(setting: Setting, theory: Theory, i: int, n: Term) -> dict[str, Term]:
    """The parameters that M_i has at so many steps, by what it is stated in."""
    (loss,) = (losses.by_guarantee(i, setting, theory),)
    metric = in_one(setting, i)
    ((name, _),) = metric.distances
    far, *more = (substitution.substituted(value, {name: n}) for _, value in metric.formulas)
    besides = tuple((key, value) for (key, _), value in zip(metric.besides, more, strict=True))
    there = Type((), frozenset(), (), lost=((i, far, besides),))
    return dict(losses.at_type([loss], there, theory)[0].values)


def made_of(setting: Setting, theory: Theory, i: int, values: Mapping[str, Term]) -> dict[str, Term]:
    """What the notion of M_i makes of parameters for one step, for STEPS of them."""
    return losses.at_distance(theory.rule(setting.mechanisms[i - 1].notion), values, STEPS)


def in_one(setting: Setting, i: int) -> InMetric:
    """What M_i is stated in, one distance."""
    metric = setting.mechanisms[i - 1].metric
    if metric is None or len(metric.distances) != 1:
        raise BadStep(f"{setting.mechanisms[i - 1].name} is not stated in one distance")
    return metric


def _check_implied(
    setting: Setting, theory: Theory, i: int, values: Mapping[str, Term], shown: Any
) -> Grounds:
    """The deciders by which all that has these parameters for one step is as M_i is stated."""
    metric, name = in_one(setting, i), setting.mechanisms[i - 1].name
    if (
        metric.bounded
        or infinity.at(metric.formula, {metric.distances[0][0]: terms.INFINITY}) != terms.INFINITY
    ):
        raise BadStep(f"{name} is promised something where no steps lead from the one to the other")
    used, there, notion = (
        frozenset[str](),
        at_steps(setting, theory, i, STEPS),
        setting.mechanisms[i - 1].notion,
    )
    for key, lesser in made_of(setting, theory, i, values).items():
        used |= at_least(setting, theory, notion, key, there[key], lesser, entry_of(shown, key))
    return Grounds(deciders=used)
