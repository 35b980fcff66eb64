"""Verdicts on claims in metrics whose theorems were made again from their saved form; see `replayed`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dpcompose.kernel.theorems import Theorem
from dpcompose.privacy.problems import Claim
from dpcompose.search import replayed
from dpcompose.search.metrics import doubts
from dpcompose.search.metrics.claims import Judge
from dpcompose.search.replayed import Proved, undecided
from dpcompose.search.verdicts import Verdict


def verdict(judge: Judge, claim: Claim) -> Proved:
    """The verdict on a claim, once what shows it was made again from its saved form."""
    told = judge.told.parts
    try:
        said = told.claim(claim.guarantee)
    except (ValueError, ArithmeticError) as error:
        return undecided(Verdict(claim.text, "undecided", reason=str(error)))
    if claim.doubt:
        return undecided(Verdict(said, "undecided", reason=claim.doubt))
    found = judge.judge(said)
    if found.word == "proved" and (doubt := told.negative(claim.guarantee)):
        return undecided(Verdict(said, "undecided", reason=doubt))
    if found.theorem is None:
        doubt = doubts.doubt(judge, claim.notion)
        both = f"{doubt}; and it is not proved, since {found.reason}" if doubt and found.reason else ""
        return undecided(replace(found, reason=both or doubt or found.reason))
    return replayed.proved(found, replayed.again(judge.setting, judge.theory, found.theorems))


def saved(
    judge: Judge, verdicts: Sequence[Verdict], best: Theorem | None, optimal: Theorem | None
) -> dict[str, Any]:
    """The derivation of a guarantee, of what metrics are, and of verdicts, without the problem."""
    shown = [] if optimal is None else [optimal]
    beside = judge.distances.theorems
    data = replayed.saved(judge.setting, judge.theory, verdicts, best, shown, beside)
    return data | {"stated": [dict(one.claim) for one in verdicts]}
