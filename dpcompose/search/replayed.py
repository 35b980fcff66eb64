"""Verdicts whose theorems were made again from their saved form, and files that save them.

Python hides no constructor, so no theorem is believed as an object: what is found is saved as data, read
back, and made again by the kernel's rules; what comes out then is what is said.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from dpcompose.kernel import check
from dpcompose.kernel.check import Refused
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.judgements import Judgement, Loose, MetricForm, OfOrders, Optimal, Refuted, Satisfies
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.saved import FORMAT
from dpcompose.kernel.theorems import Theorem
from dpcompose.search.verdicts import Verdict


@frozen
class Proved:
    """A claim's verdict after its theorems were made again.

    word -- "proved", "refuted" or "undecided"; loose -- as in `verdicts.Verdict`; verdict -- how it
    was found; theorems -- the ones made again: on the verdict, and on whether the claim is loose.
    """

    word: str
    loose: bool | None
    verdict: Verdict
    theorems: tuple[Theorem, ...] = ()

    @property
    def rests_on(self) -> Grounds:
        """The pages and deciders that the verdict rests on; what is loose as well may need more of them."""
        if self.theorems and self.theorems[0].rule == "trivial":
            return self.theorems[0].rests_on
        return Grounds.of(theorem.rests_on for theorem in self.theorems)

    @property
    def theorem(self) -> Theorem | None:
        """The theorem on the verdict, made again."""
        return self.theorems[0] if self.theorems else None


def undecided(verdict: Verdict) -> Proved:
    """A verdict that no theorem shows."""
    return Proved("undecided", None, verdict)


def again(setting: Setting, theory: Theory, theorems: Sequence[Theorem]) -> list[Theorem]:
    """Theorems about a setting, made again from their saved form."""
    data = json.loads(json.dumps(check.all_saved(theorems, theory)))
    made = check.replay(data, _read_back(setting), theory)
    return [made[n - 1] for n in check.numbers(theorems)]


@lru_cache(maxsize=8)
def _read_back(setting: Setting) -> Setting:
    """A setting read from its saved form: once, though all claims about it are made again."""
    return reading.read(json.loads(json.dumps(setting.data())))


def proved(verdict: Verdict, theorems: Sequence[Theorem]) -> Proved:
    """A verdict by its theorems, made again.  Raises Refused where they say something else."""
    said = theorems[0].says
    if verdict.word != word_of(said):
        raise Refused(f"the verdict {verdict.word} is not what the theorem says, made again: {said}")
    loose = None if len(theorems) < 2 else isinstance(of_claim(theorems[1].says), Loose)
    return Proved(verdict.word, loose, verdict, tuple(theorems))


def word_of(said: Judgement) -> str:
    """The verdict that a theorem on a claim gives."""
    said = of_claim(said)
    if isinstance(said, Satisfies | Optimal):
        return "proved"
    return "refuted" if isinstance(said, Refuted) else "undecided"


def of_claim(said: Judgement) -> Judgement:
    """What is said of a claim, for neighbours or for any two databases, and of whatever orders."""
    return said.of if isinstance(said, MetricForm | OfOrders) else said


def saved(
    setting: Setting,
    theory: Theory,
    verdicts: Sequence[Verdict],
    best: Theorem | None = None,
    optimal: Sequence[Theorem] = (),
    beside: Sequence[Theorem] = (),
) -> dict[str, Any]:
    """A derivation without its problem: the core setting, the steps, the guarantee, and a verdict a claim.

    best, optimal -- the guarantee, and that it is optimal; beside -- what else is shown.
    """
    some: list[Theorem] = []

    def number(theorem: Theorem) -> int:
        some.append(theorem)
        return len(some) - 1

    guarantee = {} if best is None else {"step": number(best)}
    for one in optimal:
        guarantee["optimal"] = number(one)
    some += beside
    claims = [_claim(verdict, number) for verdict in verdicts]
    steps = check.numbers(some)
    for entry in [guarantee, *claims]:
        entry |= {key: steps[entry[key]] for key in ("step", "optimal", "shown") if key in entry}
    derivation = check.all_saved(some, theory) if some else None
    data = {"format": FORMAT, "core": setting.data(), "derivation": derivation}
    return {**data, "guarantee": guarantee or None, "claims": claims}


def _claim(verdict: Verdict, number: Callable[[Theorem], int]) -> dict[str, Any]:
    """A verdict as it is saved: by the theorem that shows it, or the reason why there is none."""
    data: dict[str, Any] = {"claim": dict(verdict.claim), "verdict": verdict.word}
    if verdict.theorem is None:
        return data | {"reason": verdict.reason}
    data |= {"step": number(verdict.theorem), "loose": verdict.loose}
    return data | ({} if verdict.shown is None else {"shown": number(verdict.shown)})
