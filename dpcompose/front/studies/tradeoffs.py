"""Answers on claims that are trade-off functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dpcompose.front.studies.results import Answer
from dpcompose.kernel.judgements import Refuted
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.problems import Claim
from dpcompose.proof.theory.registry import Theory
from dpcompose.search.replayed import Proved


def answer(asked: Answer, proved: Proved, theory: Theory, check: Callable[[Claim], Answer]) -> Answer:
    """The verdict on a trade-off function; a refuted one with the counterexample of the line that is false.

    check -- the answer on a claim, such as that about the (ε, δ) of a line.
    """
    used = theory.relied_on(proved.rests_on.pages & theory.pages.keys())
    told = replace(asked, verdict=proved.word, outcome=proved, relies_on=used)
    first = next((premise.says for premise in proved.theorems[0].premises), None)
    if not isinstance(first, Refuted):
        return told
    false = Guarantee(first.notion, first.values)
    shown = check(Claim(false, false.text()))
    return replace(
        shown, claim=asked.claim, said=asked.said, written=asked.written, outcome=proved, relies_on=used
    )
