"""Verdicts on claims in metrics, their theorems made again from their saved form; see `replayed`.

And why it is not known whether mechanisms lose what they are stated in: then nothing is refuted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from dpcompose.kernel.composition import axioms
from dpcompose.kernel.expressions import metrics
from dpcompose.kernel.rules.metrics import used_by
from dpcompose.kernel.theorems import Theorem
from dpcompose.language import formulas
from dpcompose.privacy.guarantees.notions import POWERS
from dpcompose.privacy.problems import Claim
from dpcompose.search import replayed
from dpcompose.search.metrics.verdicts import MetricVerdicts
from dpcompose.search.replayed import Proved, undecided
from dpcompose.search.verdicts import Verdict


def verdict(judge: MetricVerdicts, claim: Claim) -> Proved:
    """The verdict on a claim, once what shows it was made again from its saved form."""
    told = judge.told.parts
    try:
        said = told.claim(claim.guarantee)
    except (ValueError, ArithmeticError) as error:
        return undecided(Verdict(claim.text, "undecided", reason=str(error)))
    if claim.doubt:
        return undecided(Verdict(said, "undecided", reason=claim.doubt))
    found = judge.on(said)
    if found.word == "proved" and (doubt := told.negative(claim.guarantee)):
        return undecided(Verdict(said, "undecided", reason=doubt))
    if found.theorem is None:
        doubt = _doubt(judge, claim.notion)
        both = f"{doubt}; and it is not proved, since {found.reason}" if doubt and found.reason else ""
        return undecided(replace(found, reason=both or doubt or found.reason))
    return replayed.proved(found, replayed.again(judge.setting, judge.theory, found.theorems))


def saved(
    judge: MetricVerdicts, verdicts: Sequence[Verdict], best: Theorem | None, optimal: Theorem | None
) -> dict[str, Any]:
    """The derivation of a guarantee, of what metrics are, and of verdicts, without the problem."""
    shown = [] if optimal is None else [optimal]
    beside = judge.distances.theorems
    data = replayed.saved(judge.setting, judge.theory, verdicts, best, shown, beside)
    return data | {"stated": [dict(one.claim) for one in verdicts]}


def _doubt(judge: MetricVerdicts, notion: str) -> str:
    """Why some mechanism is not known to lose anything in a notion; "" where all are, or have several
    guarantees."""
    if any(mechanism.also for mechanism in judge.setting.mechanisms):
        return ""
    return next(_doubts(judge, notion), "")


def _doubts(judge: MetricVerdicts, notion: str) -> Iterator[str]:
    for i in range(1, len(judge.setting.mechanisms) + 1):
        if why := _unwitnessed(judge, i, notion):
            yield why
    for mechanism in judge.setting.mechanisms:
        for _, value in mechanism.metric.formulas if mechanism.metric is not None else ():
            if not metrics.is_positive_part(value):
                said = formulas.to_text(judge.told.parts.expression(value))
                yield f"it is not known that {said}, stated of {mechanism.name}, is never negative"


def _unwitnessed(judge: MetricVerdicts, i: int, notion: str) -> str:
    """Why M_i is not known to lose anything in a notion; "" where it is."""
    mechanism, stated = judge.setting.mechanisms[i - 1], judge.told.setting.mechanisms[i - 1]
    assert mechanism.metric is not None
    if mechanism.table is not None:
        table = f"what the table of {mechanism.name} loses in {notion} privacy is not looked at"
        return "" if notion == mechanism.notion else table
    named = dict(judge.setting.distances)
    used = used_by(mechanism.metric.formula, judge.setting)
    declared = [distance for name, distance in named.items() if name in used and distance.declared]
    if any(distance.at_most is None for distance in declared):
        return f"of the metric in which {mechanism.name} is private nothing is told at single databases"
    if declared:
        return f"of the metric in which {mechanism.name} is private a bound alone is known"
    if mechanism.noise is None:
        known = axioms.are_metrics(judge.setting, [name for name in named if judge.distances.known(name)])
        parts = {*metrics.in_letters(mechanism.metric.formula.letters)}
        if not mechanism.metric.attained() or not parts <= known:
            said = formulas.to_text(stated.satisfies.in_metric.formula)
            return (
                f"it is not known that {said}, in which {mechanism.name} is private, satisfies the triangle "
                "inequality, and so not whether so much can be lost"
            )
        if POWERS[mechanism.notion] == POWERS[notion]:
            return ""
    violation = any(
        (page.head.of, page.head.notion) == (mechanism.notion, notion)
        for page in judge.theory.of_kind("violation")
    )
    noise = None if mechanism.noise is None else judge.theory.page(mechanism.noise.page, "noise").head
    fine = violation if noise is None else noise.attained and notion in noise.guarantee
    return "" if fine else f"what {mechanism.name} loses at two databases in {notion} privacy is not known"
