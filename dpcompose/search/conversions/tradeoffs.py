"""Claims that are trade-off functions, by those about the (ε, δ) of their lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dpcompose.kernel.core import lines
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.library.theory import NoPage
from dpcompose.kernel.rules.premises import claimed
from dpcompose.kernel.theorems import Prover
from dpcompose.search.verdicts import Verdict

Claim = Mapping[str, str]


def lines_of(claim: Claim, prover: Prover) -> list[Claim] | None:
    """The claims about the lines of a trade-off function; None of a claim that is none.

    Raises ValueError where its lines are not told.
    """
    try:
        head = prover.theory.rule(claim["notion"]).head
    except NoPage:
        return None
    if not head.lines:
        return None
    ((_, function),) = claimed(dict(claim), prover.setting, prover.theory).values
    keys = prover.theory.rule(head.lines).head.parameters
    return [
        {"notion": head.lines} | {key: formulas.to_text(value) for key, value in zip(keys, pair, strict=True)}
        for pair in lines.pairs(function)
    ]


def judged(claim: Claim, claims: list[Claim], prover: Prover, judge: Callable[[Claim], Verdict]) -> Verdict:
    """The verdict on a trade-off function by those on its lines."""
    shown, why = [], ""
    for line in claims:
        verdict = judge(line)
        if verdict.word == "refuted" and verdict.theorem is not None:
            return Verdict(claim, "refuted", prover.by("by_lines", verdict.theorem, claim=dict(claim)))
        if verdict.theorem is None:
            said = ", ".join(f"{key} = {value}" for key, value in line.items() if key != "notion")
            why = why or f"of the line with {said}: {verdict.reason}"
        else:
            shown.append(verdict.theorem)
    if why:
        return Verdict(claim, "undecided", reason=why)
    return Verdict(claim, "proved", prover.by("by_lines", *shown, claim=dict(claim)))
