"""Binds the hypotheses of a page to a setting: letters to values, names to predicates."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import replace
from types import ModuleType
from typing import Any

from dpcompose.language.answers import NoAnswer
from dpcompose.language.said import Part, Words, filled, same
from dpcompose.proof.hypotheses.evidence import AT_LEAST, P_I, Evidence, K, P, fails, undecided
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.theory.registry import Hypothesis, Theory, predicates
from dpcompose.spaces.moves.built_in import BUILT_IN
from dpcompose.spaces.moves.granularities import Granularity


class UnknownPredicate(ValueError):
    """A page names a predicate or letter that there is none of; the message lists what there is."""


def check(inputs: Inputs, hypothesis: Hypothesis) -> Evidence:
    """What the predicate that the hypothesis names answers in the setting."""
    predicate = _predicate(inputs.theory, hypothesis)
    letters: dict[str, Any] = {
        "maps": tuple(mechanism.reads for mechanism in inputs.setting.mechanisms),
        "granularity": _granularity(inputs, hypothesis),
        "value": hypothesis.value,
        "bound": hypothesis.bound,
    }
    wanted = [name for name in inspect.signature(predicate.check).parameters if name != "inputs"]
    if missing := [name for name in wanted if letters[name] is None]:
        raise UnknownPredicate(f"{hypothesis.is_!r} needs a {missing[0]}")
    unfit = letters["granularity"].unfit(inputs.setting.databases)
    if unfit is not None and "granularity" in wanted:
        return fails(unfit)
    try:
        evidence: Evidence = predicate.check(inputs, **{name: letters[name] for name in wanted})
    except NoAnswer as error:
        return undecided(str(error))
    if predicate in inputs.theory.hypotheses.values():
        return replace(evidence, words=Words(evidence.words, f", says {hypothesis.is_!r} of one's own"))
    return evidence


def in_general(theory: Theory, hypothesis: Hypothesis) -> str:
    """The hypothesis in words, of any setting: G is the target, H what guarantees are stated for."""
    return _said(theory, hypothesis, hypothesis.granularity or "G")


def words(inputs: Inputs, hypothesis: Hypothesis) -> Words:
    """The hypothesis in words, with the letters filled in."""
    return _said(inputs.theory, hypothesis, str(_granularity(inputs, hypothesis)))


def _said(theory: Theory, hypothesis: Hypothesis, granularity: str) -> Words:
    value, bound = hypothesis.value or "", same(str(hypothesis.bound))
    letters: dict[str, Part] = {"p": P, "p_i": P_I, "value": K if value == K.text else value, "bound": bound}
    template = _predicate(theory, hypothesis).WORDS
    return filled(template, granularity=granularity, at_least=AT_LEAST, **letters)


def _granularity(inputs: Inputs, hypothesis: Hypothesis) -> Granularity:
    if hypothesis.granularity in (None, "G"):
        return inputs.setting.target
    if hypothesis.granularity == "H":
        stated = inputs.common_granularity()
        if stated is None:
            raise UnknownPredicate("H is the granularity of all guarantees, and here they differ in theirs")
        return stated
    if hypothesis.granularity not in BUILT_IN:
        raise UnknownPredicate(
            f"there is no granularity {hypothesis.granularity!r}; use G, H or {', '.join(BUILT_IN)}"
        )
    return BUILT_IN[hypothesis.granularity]


def _predicate(theory: Theory, hypothesis: Hypothesis) -> ModuleType:
    file = hypothesis.file
    if file in theory.hypotheses:
        return theory.hypotheses[file]
    if file not in predicates():
        known = ", ".join((*predicates(), *theory.hypotheses))
        raise UnknownPredicate(f"there is no predicate {hypothesis.is_!r}; there are: {known}")
    return importlib.import_module(f"dpcompose.proof.hypotheses.{file}")
