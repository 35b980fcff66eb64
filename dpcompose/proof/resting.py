"""What results rest on: the pages of a derivation, and of what proves or refutes a claim.

Pages that the program derives when it uses them are among these, and need no belief; of the others each is
primitive, or only believed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dpcompose.privacy.notions import Guarantee
from dpcompose.proof import computed, derivations
from dpcompose.proof.counterexamples import Counterexample
from dpcompose.proof.kernel import Line
from dpcompose.proof.lines.nested import AT_LEAST
from dpcompose.proof.registry import Theory
from dpcompose.proof.steps import Steps
from dpcompose.proof.witnesses import Event, Noisy, Violating


def of_lines(steps: Steps, lines: Iterable[Line]) -> set[str]:
    """The pages that lines rest on, and those that the derivations do which they have as evidence."""
    some = list(lines)
    found = set(steps.pages(some))
    for line in some:
        found |= _inside(line.evidence)
    return found


def _inside(evidence: Any) -> set[str]:
    """The pages of a derivation that is the evidence of a line, as the line has checked them."""
    if not derivations.is_read(evidence, [AT_LEAST]):
        return set()
    found = set(evidence["pages"])
    for line in evidence["lines"]:
        found |= _inside(line["evidence"])
    return found


def of_certificate(certificate: Mapping[str, Any], claimed: Guarantee, theory: Theory) -> set[str]:
    """The pages that what proves a claim rests on, beside those of the lines that it compares with."""
    if computed.COMPUTED in certificate:
        return _with_lemmas({certificate[computed.COMPUTED]["by"]}, claimed.notion, theory)
    if says_nothing(certificate):
        return _with_lemmas({theory.rule(claimed.notion).id}, claimed.notion, theory)
    return set()


def says_nothing(certificate: Mapping[str, Any]) -> bool:
    """Whether a claim is proved by what it says itself, and by no lines."""
    return any("says nothing" in one for one in certificate.values())


def of_counterexample(found: Counterexample, claimed: Guarantee, steps: Steps) -> set[str]:
    """The pages that a refutation rests on: witnesses, conversions of the claim, distances, noise."""
    theory, inputs = steps.theory, steps.inputs
    used = set(found.through)
    notions = [claimed.notion, *(theory.pages[id].head.to for id in found.through)]
    used |= {theory.rule(notion).id for notion in notions}
    if found.bits is not None:
        page = computed.page(theory, inputs.setting, claimed.notion, found.without)
        used |= {page.id} if page is not None else set()
    elif (page := theory.witness(notions[-1])) is not None:
        used.add(page.id)
    for row in found.rows:
        if isinstance(row, Violating):
            used.add(row.page)
        elif isinstance(row, Event) and (page := theory.closer(notions[-1], "steps")) is not None:
            used.add(page.id)
    if any(isinstance(row, Noisy) for row in found.rows):
        words = {one.noise.word for one in inputs.setting.mechanisms if one.noise is not None}
        used |= {page.id for word in words if (page := theory.noise(word)) is not None}
    by_parts = found.alone is not None or bool(found.without)
    if by_parts and (page := theory.processing("parts")) is not None:
        used.add(page.id)
    for i in range(1, len(inputs.setting.mechanisms) + 1):
        used |= set(inputs.metric(i).pages)
    return {id for notion in notions for id in _with_lemmas(used, notion, theory)}


def _with_lemmas(ids: set[str], notion: str, theory: Theory) -> set[str]:
    return ids | theory.lemmas(ids, notion)
