"""Chains of neighbours: a guarantee for the target's neighbours is one in the canonical metric of the target.

In a setting for neighbours the letter `TARGET` stands in claims about any two databases for the fewest steps
of the target that lead from the one to the other inside of the class, ∞ where there is no chain.  Where the
target is groups of so many single steps, `SINGLE` stands for the fewest of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from dpcompose.kernel import computed, infinity
from dpcompose.kernel.composition import given, losses, witnesses
from dpcompose.kernel.composition.losses import Values
from dpcompose.kernel.core import assumptions
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.deciders.calculus import values as has_values
from dpcompose.kernel.expressions import formulas, metrics, naming, substitution, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term
from dpcompose.kernel.judgements import Loose, MetricForm, Optimal, Refuted, Satisfies
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules import parameters
from dpcompose.kernel.rules.premises import BadStep, Found, Premises, claimed

TARGET, SINGLE = naming.of_distance("target"), naming.of_distance("single")
"""The names of the letters for the canonical metric of the target, and for that of its single steps where it
is groups of these: no parameter is called so."""
STEPS = terms.letter(TARGET, Domain.read("integer >= 1"))
"""How many steps there are between two databases that differ, where some lead from the one to the other."""


Known: TypeAlias = Satisfies | Refuted | Loose | Optimal
RANGES = Grounds(deciders=frozenset({"ranges"}))


def letters(setting: Setting) -> Mapping[str, Term]:
    """The letters of claims about any two databases: those of the setting, and in one for neighbours the
    canonical metrics of its target and of single steps."""
    own = () if setting.distances else (TARGET, SINGLE)
    return {**setting.symbols, **{name: metrics.letter(name) for name in own}}


def metric_form(
    setting: Setting, theory: Theory, premises: Premises, *, claim: Any, certificates: Any = None
) -> Found:
    """A claim in the canonical metric of the target is false where it is false for neighbours, which are at
    distance 1; it holds, is loose or optimal, where it says for r steps what its notion makes of one step.

    In the metric of single steps, by what is known of groups of s of them: D and E at most s steps apart.
    Where it is false for these, it is false, if it says no more of fewer steps.  Where s is any number, of
    which nothing else is known, it holds for as many steps as there are; equal databases lose nothing, and of
    those that no steps lead to the one from the other it says nothing.

    certificates -- where it says more for r steps than what is made of one, by parameter what shows that.
    """
    if len(premises) != 1 or not isinstance(premises[0].says, Known):
        raise BadStep("the only premise is to be about the composition for the target's neighbours")
    known, guarantee = premises[0].says, claimed(claim, setting, theory, letters(setting))
    by_groups = any(SINGLE in value.letters for _, value in guarantee.values)
    name, apart = (SINGLE, _steps_of(setting, guarantee)) if by_groups else (TARGET, ONE)
    there = tuple((key, substitution.substituted(x, {name: apart})) for key, x in guarantee.values)
    if certificates is not None:
        if by_groups or not isinstance(known, Satisfies) or known.notion != guarantee.notion:
            raise BadStep("the premise states no guarantee of the notion for one step")
        return MetricForm(guarantee), _beyond_chains(setting, theory, known, guarantee, certificates)
    if (known.notion, known.values) != (guarantee.notion, there):
        raise BadStep("for neighbours the claim says something else")
    if not any(metrics.is_moving(value) for _, value in guarantee.values):
        raise BadStep(f"the claim is no formula in {TARGET}")
    if isinstance(known, Refuted):
        _check_fewer(guarantee, apart, dict(known.point))
        return MetricForm(Refuted(known.notion, guarantee.values, known.point)), Grounds()
    _check_ends(guarantee, name, setting)
    if by_groups:
        used = _of_any_number(known, guarantee, apart, setting)
    else:
        used = _check_chains(guarantee, there, setting, theory)
    if isinstance(known, Loose):
        return MetricForm(Loose(known.notion, guarantee.values, known.point)), used
    if isinstance(known, Optimal):
        if not by_groups:
            _check_attained(setting, theory, known.notion)
        return MetricForm(Optimal(known.notion, guarantee.values, known.key)), used
    return MetricForm(guarantee), used


def _steps_of(setting: Setting, guarantee: Satisfies) -> Term:
    """Of how many single steps the target is groups: a number or a letter, of which a claim says nothing."""
    target = setting.target
    apart = terms.number(target.steps) if target.times is None else target.times
    if target.elsewhere or target.any_two:
        raise BadStep("the target is no groups of steps inside of the class")
    if any({TARGET, *apart.letters} & value.letters.keys() for _, value in guarantee.values):
        raise BadStep("the claim is about groups as well")
    return apart


def _of_any_number(known: Known, guarantee: Satisfies, apart: Term, setting: Setting) -> Grounds:
    """By what a claim holds, is loose or optimal for any number of steps.  Raises BadStep."""
    if setting.target.times is None:
        raise BadStep("of other numbers of steps nothing is known")
    _check_any_number(apart, setting)
    if isinstance(known, Loose) and (not setting.databases.of_atoms or setting.databases.size[1] is not None):
        raise BadStep("there may be no two databases so many steps apart")
    if isinstance(known, Optimal):
        value = dict(guarantee.values)[known.key]
        more, fewer = (substitution.substituted(value, {SINGLE: n}) for n in (apart, apart - 1))
        if not has_values.surely(substitution.expanded(more - fewer), True, setting.assumed):
            raise BadStep("fewer steps may be between databases that lose as much")
    return RANGES


MOST_STEPS = 1_000
"""For how many numbers of steps it is looked at whether a claim says more of fewer of them."""


def _check_fewer(guarantee: Satisfies, apart: Term, point: Mapping[str, Fraction]) -> None:
    """Raises BadStep where a claim may say more of fewer steps than of as many as there are at a point."""
    most = formulas.evaluate(apart, point)
    if most is None or most > MOST_STEPS:
        raise BadStep("there are too many numbers of steps")
    for _, value in guarantee.values:
        for fewer in range(1, int(most)):
            more, less = (substitution.substituted(value, {SINGLE: terms.number(x)}) for x in (most, fewer))
            if not computed.is_at_least(more, less, point):
                raise BadStep(f"the claim may say more of {fewer} steps")


def _check_any_number(steps: Term, setting: Setting) -> None:
    """Raises BadStep unless a letter stands for any number from 1, whatever else the setting says."""
    (name,) = steps.letters
    said = [term for mechanism in setting.mechanisms for term in given.letters(mechanism)]
    stated = [mechanism.stated for mechanism in setting.mechanisms if mechanism.stated is not None]
    said += [relation.times for relation in stated if relation.times is not None]
    said += [] if setting.databases.letter is None else [setting.databases.letter]
    used = set(assumptions.letters_of(setting.assumed)).union(*(term.letters for term in said))
    if name in used or steps.letters[name] != Domain.read("integer >= 1"):
        raise BadStep(f"{name} does not stand for any number of steps")


def _check_ends(guarantee: Satisfies, name: str, setting: Setting) -> None:
    """Raises BadStep unless a claim is at least 0 at equal databases, and oo where no steps lead from the one
    to the other."""
    for key, value in guarantee.values:
        if not has_values.surely(infinity.at(value, {name: ZERO}, setting.assumed), False, setting.assumed):
            raise BadStep(f"{key} of the claim is not seen to be at least 0 at equal databases")
        if infinity.at(value, {name: INFINITY}, setting.assumed) != INFINITY:
            raise BadStep(f"{key} of the claim is not oo where there is no chain of neighbours")


def _beyond_chains(
    setting: Setting, theory: Theory, known: Satisfies, guarantee: Satisfies, certificates: Any
) -> Grounds:
    """By what a claim is at least what its notion makes, for each number of steps, of what holds for one."""
    _check_ends(guarantee, TARGET, setting)
    used, notion = _pages_of_chains(guarantee.notion, theory), guarantee.notion
    deciders = used.deciders
    for key, value, less in at_any_number(theory, known, guarantee):
        shown = parameters.entry_of(certificates, key)
        deciders |= parameters.at_least(setting, theory, notion, key, value, less, shown)
    return Grounds(used.pages, deciders)


def at_any_number(theory: Theory, known: Satisfies, claim: Satisfies) -> list[tuple[str, Term, Term]]:
    """The parameters of a claim for STEPS steps, and what its notion makes of a guarantee for one."""
    there = losses.at_distance(theory.rule(claim.notion), dict(known.values), STEPS)
    return [(key, substitution.substituted(x, {TARGET: STEPS}), there[key]) for key, x in claim.values]


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


def _check_chains(guarantee: Satisfies, at_one: Values, setting: Setting, theory: Theory) -> Grounds:
    """The pages and deciders by which a guarantee for one step makes one for each number of steps.

    Raises BadStep unless the claim says just that, and nothing where there is no chain: then it is oo.
    """
    rule, used = theory.rule(guarantee.notion), _pages_of_chains(guarantee.notion, theory)
    for key, value in at_one:
        if value.kind == "oo" or not has_values.surely(value, False, setting.assumed):
            raise BadStep(f"{key} of the claim is not seen to be at least 0, and no oo, for neighbours")
    there = losses.at_distance(rule, dict(at_one), metrics.letter(TARGET))
    for key, value in guarantee.values:
        if substitution.expanded(value - there[key]) != ZERO:
            raise BadStep(f"{key} of the claim is not what the notion makes of chains of neighbours")
    return used


def _pages_of_chains(notion: str, theory: Theory) -> Grounds:
    """By what guarantees for one step are such for each number of steps."""
    page = theory.first(
        "metric",
        lambda candidate: (candidate.head.states, candidate.head.notion) == ("metric form", notion),
        f"no page states {notion} guarantees in canonical metrics",
    )
    return Grounds(frozenset({str(page.id), str(theory.rule(notion).id)}), frozenset({"ranges"}))
