"""Claims in one canonical metric, judged for the neighbours whose steps it counts: GB Prop. III.3.

The theorem of the kernel is about the composition for these neighbours; its last step says the claim of any
two databases.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import Any

from dpcompose.front.studies.beside import NO_STUDY
from dpcompose.front.studies.best_metric import in_metric
from dpcompose.front.studies.neighbours import ForNeighbours
from dpcompose.front.studies.results import Answer
from dpcompose.kernel import saved
from dpcompose.kernel.check import Allowed, Refused
from dpcompose.kernel.expressions import metrics, substitution
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.rules.chains import TARGET
from dpcompose.kernel.saved import Checked
from dpcompose.kernel.theorems import NoTheorem, Prover
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.granular import Granular, granular
from dpcompose.privacy.problems import Claim
from dpcompose.proof.theory.registry import Theory
from dpcompose.search import replayed
from dpcompose.search.replayed import Proved
from dpcompose.search.verdicts import Verdict
from dpcompose.spaces.moves.granularities import Granularity


@frozen
class Asked:
    """A claim in the canonical metric of a granularity: for its neighbours, and who judges it for these.

    stated -- the claim in the letters of the core setting for neighbours.
    """

    granularity: Granularity
    judge: ForNeighbours
    claim: Claim
    stated: Mapping[str, str]


@frozen
class Shown(Proved):
    """A verdict on such a claim by theorems about neighbours; found -- what is said without them."""

    asked: Asked = field(kw_only=True)

    @property
    def by_steps(self) -> Verdict:
        """The same about the setting for neighbours."""
        theorem, shown = (*self.theorems, None)[:2]
        return Verdict(self.asked.stated, self.word, theorem, self.loose, shown)


@frozen(eq=False)
class MetricForms:
    """Judges claims in canonical metrics; told -- the composition in metrics that they are about."""

    told: Elaborated
    theory: Theory
    _judges: dict[Granularity, ForNeighbours] = field(default_factory=dict, repr=False)

    def asked(self, claim: Claim) -> Asked | None:
        """A claim for neighbours; None where it is no such claim, or there is no composition for these."""
        found = granular(self.told.setting, claim.guarantee)
        if found is None:
            return None
        data = found.problem(self.told.setting.data)
        try:
            read = problems.read_data(data, notions=self.theory.parameters, own=self.theory.own, pairs=False)
            judge = self._judges.setdefault(found.granularity, ForNeighbours(read.setting, self.theory))
            if read.setting.target != found.granularity or not self._is_alike(judge):
                return None
            stated = {key: to_text(self._in_steps(found, key)) for key in found.values}
        except NO_STUDY:
            return None
        return Asked(found.granularity, judge, read.claims[0], {"notion": found.notion, **stated})

    def _in_steps(self, found: Granular, key: str) -> Any:
        """A parameter of a claim in the canonical metric of the target of the core setting."""
        letters = {self.told.parts.mark(found.metric): metrics.letter(TARGET)}
        return substitution.substituted(self.told.parts.term(found.values[key]), letters)

    def _is_alike(self, judge: ForNeighbours) -> bool:
        """Whether parameters mean the same in both core settings, and as much is assumed of them."""
        here, there = self.told.core, judge.proofs.elaborated.core
        domains = dict(here.parameters)
        same = all(domains.get(name, domain) == domain for name, domain in there.parameters)
        return same and (here.assumed, here.adaptive) == (there.assumed, there.adaptive)

    def answer(self, claim: Claim, undecided: Verdict) -> Answer | None:
        """The verdict on a claim that is proved or refuted for neighbours; None for every other one."""
        asked = self.asked(claim)
        answer = None if asked is None else asked.judge.check(asked.claim)
        if asked is None or answer is None or not isinstance(answer.found, Proved):
            return None
        if answer.verdict == "undecided" or (answer.verdict == "proved" and self._negative(claim)):
            return None
        try:
            shown = _shown(asked, answer.found, undecided)
        except NoTheorem:
            return None
        return replace(
            answer,
            claim=claim,
            loose=shown.loose,
            relies_on=self.theory.relied_on(shown.theorems[0].rests_on.pages),
            said=in_metric(claim.guarantee),
            written=claim.written,
            changes=tuple,  # which are for other neighbours, and the claim is about these
            find_least=lambda: replace(answer.least, by=self._by(asked, answer.verdict)),
            noun="metric",
            found=shown,
        )

    def _by(self, asked: Asked, verdict: str) -> str:
        """Why what is decided for neighbours is decided of a claim, in words."""
        if verdict == "refuted":
            return f"for {asked.granularity} neighbours, which are at distance 1"
        forms = (page for page in self.theory.of_kind("metric") if page.head.states == "metric form")
        cited = next(
            (form.cite(asked.claim.notion) for form in forms if form.head.notion == asked.claim.notion), ""
        )
        return f"for {asked.granularity} neighbours, and so along chains of them, by {cited}"

    def _negative(self, claim: Claim) -> bool:
        return bool(self.told.parts.negative(claim.guarantee))

    # saved derivations

    def saved(self, verdicts: Iterable[Proved]) -> list[dict[str, Any]]:
        """What `checked` reads: for each granularity a derivation, and the claims that it is about."""
        found: dict[Granularity, list[tuple[int, Shown]]] = {}
        for n, verdict in enumerate(verdicts, start=1):
            if isinstance(verdict, Shown):
                found.setdefault(verdict.asked.granularity, []).append((n, verdict))
        return [
            {"about": [n for n, _ in some]} | _derived([shown for _, shown in some])
            for some in found.values()
        ]

    def checked(
        self, data: Any, claims: Sequence[Claim], problem: Any, allow: Allowed
    ) -> Iterable[tuple[Sequence[int], Checked]]:
        """The numbers of claims in canonical metrics, from 1, and what is shown of them.  Raises Refused."""
        for one in data if isinstance(data, list) else [None]:
            if not isinstance(one, dict) or not _are_numbers(one.get("about"), len(claims)):
                raise Refused("what is shown of claims in canonical metrics cannot be read")
            derived = {key: value for key, value in one.items() if key != "about"}
            asked = [self.asked(claims[n - 1]) for n in one["about"]]
            for n, claim in zip(one["about"], asked, strict=True):
                if claim is None or claim.judge.proofs.elaborated.core.data() != derived.get("core"):
                    raise Refused(f"claim {n} is about other neighbours, or none")
            if derived.get("stated") != [dict(claim.stated) for claim in asked if claim is not None]:
                raise Refused("claims in canonical metrics are not those of the problem")
            yield one["about"], saved.check(derived | {"problem": problem}, self.theory.in_kernel, allow)


def _are_numbers(some: Any, most: int) -> bool:
    return isinstance(some, list) and all(type(n) is int and 1 <= n <= most for n in some)


def _shown(asked: Asked, proved: Proved, undecided: Verdict) -> Shown:
    """The theorems about any two databases, made again from their saved form.  Raises NoTheorem."""
    proofs, claim = asked.judge.proofs, dict(asked.stated)
    prover = Prover(proofs.elaborated.core, proofs.theory)
    made = [prover.by("metric_form", proofs.here(proved.theorems[0]), claim=claim)]
    with suppress(NoTheorem):
        if proved.loose is not None:
            made.append(prover.by("metric_form", proofs.here(proved.theorems[1]), claim=claim))
    again = replayed.proved(replace(undecided, word=proved.word), proofs.replayed(made))
    return Shown(again.word, again.loose, undecided, again.theorems, asked=asked)


def _derived(showns: Sequence[Shown]) -> dict[str, Any]:
    """The derivation of verdicts about the same neighbours, as `saved.check` reads it beside a problem."""
    proofs, verdicts = showns[0].asked.judge.proofs, [shown.by_steps for shown in showns]
    data = replayed.saved(proofs.elaborated.core, proofs.theory, verdicts)
    return data | {"stated": [dict(verdict.claim) for verdict in verdicts]}
