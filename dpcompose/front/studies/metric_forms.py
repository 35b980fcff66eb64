"""Claims in one canonical metric, judged for the neighbours whose steps it counts: GB Prop. III.3.

The theorem of the kernel is about the composition for these neighbours, or for groups of any number of steps
of them, or of a few; its last step says the claim of any two databases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import Any

from dpcompose.front.documents.best_metric import in_metric
from dpcompose.front.studies.neighbours import NO_STUDY, ForNeighbours
from dpcompose.front.studies.results import Answer
from dpcompose.kernel import saved
from dpcompose.kernel.check import Allowed, Refused
from dpcompose.kernel.deciders.calculus.values import surely
from dpcompose.kernel.expressions import metrics, substitution
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.grammar import FormulaError
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.rules.chains import SINGLE, TARGET, at_any_number, letters
from dpcompose.kernel.rules.premises import claimed as read_claim
from dpcompose.kernel.saved import Checked
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.granular import Granular, granular
from dpcompose.privacy.guarantees.notions import POWERS
from dpcompose.privacy.problems import Claim
from dpcompose.proof.theory.registry import Theory
from dpcompose.search import replayed
from dpcompose.search.comparisons import parameters
from dpcompose.search.proofs import NoGuarantee
from dpcompose.search.replayed import Proved
from dpcompose.search.verdicts import Verdict
from dpcompose.spaces.moves.granularities import Granularity

FEW = (2, 3, 5, 9, 17, 33, 65)
"""The numbers of steps for which a claim is looked at one by one, where a letter for any shows nothing."""
Steps = int | str


@frozen
class Asked:
    """A claim in the canonical metric of a granularity: for its neighbours, and who judges it for these.

    steps -- 1, or for groups of how many steps of them: a number, or a letter for any; stated -- the claim in
    the letters of the core setting for neighbours.
    """

    granularity: Granularity
    steps: Steps
    judge: ForNeighbours
    claim: Claim
    stated: Mapping[str, str]

    @property
    def key(self) -> tuple[Granularity, Steps]:
        """Claims alike in it are judged in one setting."""
        return self.granularity, self.steps


@frozen
class Shown(Proved):
    """A verdict on such a claim by theorems about neighbours; verdict -- what is said without them."""

    asked: Asked = field(kw_only=True)

    @property
    def by_steps(self) -> Verdict:
        """The same about the setting for neighbours."""
        theorem, shown = (*self.theorems, None)[:2]
        return Verdict(self.asked.stated, self.word, theorem, self.loose, shown)


@frozen(eq=False)
class MetricForms:
    """Judges claims in canonical metrics; told, data -- the composition in metrics, or for neighbours, that
    they are about, and the same as a problem file says it."""

    told: Elaborated
    data: Mapping[str, Any]
    theory: Theory
    _judges: dict[tuple[Granularity, Steps], ForNeighbours] = field(default_factory=dict, repr=False)
    _refused: dict[tuple[Granularity, Steps], str] = field(default_factory=dict, repr=False)
    """Why there is no composition for some groups."""

    def asked(self, claim: Claim, steps: Steps = 1) -> Asked | None:
        """A claim for neighbours, or for groups of so many steps; None where it is no such claim, or there is
        no composition for these."""
        counted = granular(self.told.setting, claim.guarantee)
        if counted is None:
            return None
        try:
            data = counted.problem(self.data, steps)
            read = problems.read_data(data, **self.theory.names, pairs=False)
            key = counted.granularity, steps
            judge = self._judges.setdefault(key, ForNeighbours(read.setting, self.theory))
            if steps == 1 and read.setting.target != counted.granularity:
                return None
            if not self._is_alike(judge) or (steps != 1 and not self._is_of_steps(judge, counted, steps)):
                return None
            name = TARGET if steps == 1 else SINGLE
            stated = {
                key: to_text(self._in_steps(counted, value, name)) for key, value in counted.values.items()
            }
        except problems.ProblemError as error:
            self._refused[counted.granularity, steps] = "\n".join(error.told)
            return None
        except NO_STUDY as error:
            self._refused[counted.granularity, steps] = str(error)
            return None
        return Asked(counted.granularity, steps, judge, read.claims[0], {"notion": counted.notion, **stated})

    def _in_steps(self, counted: Granular, value: Any, name: str) -> Any:
        """A parameter of a claim in the canonical metric of the target of the core setting, or its steps."""
        if self.told.setting.at_all_pairs:
            letter, value = self.told.parts.mark(counted.metric), self.told.parts.term(value)
        else:
            letter = counted.metric
        return substitution.substituted(value, {letter: metrics.letter(name)})

    def _is_alike(self, judge: ForNeighbours) -> bool:
        """Whether parameters mean the same in both core settings, and as much is assumed of them."""
        here, there = self.told.core, judge.proofs.elaborated.core
        domains = dict(here.parameters)
        same = all(domains.get(name, domain) == domain for name, domain in there.parameters)
        return same and (here.assumed, here.adaptive) == (there.assumed, there.adaptive)

    def _is_of_steps(self, judge: ForNeighbours, counted: Granular, steps: Steps) -> bool:
        """Whether the target of a core setting is groups of so many steps, each one of the neighbours."""
        single = self._judges.get((counted.granularity, 1))
        if single is None or counted.granularity.innermost() != (counted.granularity, 1):
            return False
        target = judge.proofs.elaborated.core.target
        of = target.steps if target.times is None else str(target.times)
        neighbours = single.proofs.elaborated.core.target
        return of == steps and replace(target, steps=1, times=None) == neighbours and neighbours.steps == 1

    def _attempts(self, claim: Claim) -> Iterator[Asked]:
        """A claim for neighbours, for groups of any number of steps, and of a few."""
        if (first := self.asked(claim)) is None:
            return
        yield first
        for steps in (self._letter(claim), *FEW):
            if (asked := self.asked(claim, steps)) is not None:
                yield asked
            elif steps == FEW[0]:
                return

    def _letter(self, claim: Claim) -> str:
        """A letter for the number of steps: the name of the metric, where no mechanism is stated in such."""
        counted = granular(self.told.setting, claim.guarantee)
        plain = all(mechanism.satisfies.metric is None for mechanism in self.told.setting.mechanisms)
        return counted.metric if counted is not None and plain else "steps"

    def check(self, claim: Claim) -> Answer:
        """The verdict on a claim about a composition for neighbours."""
        undecided = Verdict(claim.text, "undecided", reason=claim.doubt)
        answer = None if claim.doubt else self.answer(claim, undecided)
        if answer is not None:
            return answer
        known = [asked.judge.check(asked.claim).reason for asked in self._attempts(claim)]
        words = "no more is known than for neighbours, of which it is true"
        why = next(filter(None, (*known, *self._refused.values())), words)
        shown = replayed.undecided(replace(undecided, reason=claim.doubt or why))
        said: Any = {"said": in_metric(claim.guarantee), "written": claim.written, "noun": "metric"}
        return Answer(claim, "undecided", reason=shown.verdict.reason, outcome=shown, **said)

    def answer(self, claim: Claim, undecided: Verdict, proved: bool = False) -> Answer | None:
        """The verdict on a claim that is proved or refuted for neighbours; None for every other one.

        proved -- whether it is known to hold: then it is only asked whether it is loose.
        """
        for asked in self._attempts(claim):
            answer = asked.judge.check(asked.claim)
            if isinstance(answer.outcome, Proved) and answer.verdict != "undecided":
                try:
                    if answer.verdict != "proved" or not self._negative(claim):
                        return self._answered(claim, asked, answer, _shown(asked, answer.outcome, undecided))
                except NoTheorem as error:
                    self._refused[asked.key] = error.why
            if asked.steps == 1 and (shown := self._beyond(claim, asked, undecided)) is not None:
                known = Answer(claim, "proved", bound=asked.judge.bound)
                return self._answered(claim, asked, known, shown)
            if proved:
                return None
        return None

    def _answered(self, claim: Claim, asked: Asked, answer: Answer, shown: Shown) -> Answer:
        """The verdict on a claim by one on the claim for neighbours."""
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
            outcome=shown,
        )

    def _beyond(self, claim: Claim, asked: Asked, undecided: Verdict) -> Shown | None:
        """A claim that is at least what the best guarantee for neighbours makes of chains of them."""
        proofs, theory = asked.judge.proofs, self.theory.in_kernel
        core = proofs.elaborated.core
        if self._negative(claim) or proofs.choices is not None:
            return None
        with suppress(NoGuarantee, NoTheorem, FormulaError):  # of 0 a rule of groups may make 0/0
            known = proofs.guarantee(claim.notion).main
            claimed = read_claim(dict(asked.stated), core, theory, letters(core))
            squared = theory.rule(claim.notion).head.squared
            shown = {
                key: parameters.at_least(more, less, key in squared, assumed=core.assumed)
                for key, more, less in at_any_number(theory, known.says, claimed)
                if "oo" not in (more.kind, less.kind)
            }
            theorem = proofs.about_itself(known.theorem)
            about = {"claim": dict(asked.stated), "certificates": shown}
            return _again(
                asked, "proved", [Prover(core, theory).by("metric_form", theorem, **about)], undecided
            )
        return None

    def _by(self, asked: Asked, verdict: str) -> str:
        """Why what is decided for neighbours is decided of a claim, in words."""
        if asked.steps != 1:
            most = "any number of" if isinstance(asked.steps, str) else f"at most {asked.steps}"
            return f"for databases {most} {asked.granularity} steps apart"
        if verdict == "refuted":
            return f"for {asked.granularity} neighbours, which are at distance 1"
        cited = self.theory.metric_form(asked.claim.notion).cite(asked.claim.notion)
        return f"for {asked.granularity} neighbours, and so along chains of them, by {cited}"

    def _negative(self, claim: Claim) -> bool:
        """Whether a claimed metric, of which a power stands, may be negative somewhere."""
        (_, power), counted = POWERS[claim.notion], granular(self.told.setting, claim.guarantee)
        if power == 1 or counted is None:
            return False
        in_steps = self._in_steps(counted, claim.guarantee.in_metric.formula, TARGET)
        return not (metrics.is_positive_part(in_steps) or surely(in_steps, False, self.told.core.assumed))

    # saved derivations

    def saved(self, verdicts: Iterable[Proved]) -> list[dict[str, Any]]:
        """What `checked` reads: for each granularity a derivation, and the claims that it is about."""
        alike: dict[tuple[Granularity, Steps], list[tuple[int, Shown]]] = {}
        for n, verdict in enumerate(verdicts, start=1):
            if isinstance(verdict, Shown):
                alike.setdefault(verdict.asked.key, []).append((n, verdict))
        return [
            {"about": [n for n, _ in numbered]}
            | ({} if steps == 1 else {"steps": steps})
            | _derived([shown for _, shown in numbered])
            for (_, steps), numbered in alike.items()
        ]

    def checked(
        self, data: Any, claims: Sequence[Claim], problem: Any, allow: Allowed
    ) -> Iterable[tuple[Sequence[int], Checked]]:
        """The numbers of claims in canonical metrics, from 1, and what is shown of them.  Raises Refused."""
        for entry in data if isinstance(data, list) else [None]:
            if not isinstance(entry, dict) or not _are_numbers(entry.get("about"), len(claims)):
                raise Refused("what is shown of claims in canonical metrics cannot be read")
            derived = {key: value for key, value in entry.items() if key not in ("about", "steps")}
            steps, stated = entry.get("steps", 1), [claims[n - 1] for n in entry["about"]]
            if not isinstance(steps, str) and (type(steps) is not int or steps < 1):
                raise Refused("what is shown of claims in canonical metrics cannot be read")
            if steps != 1:
                _ = [self.asked(claim) for claim in stated]
            asked = [self.asked(claim, steps) for claim in stated]
            for n, claim in zip(entry["about"], asked, strict=True):
                if claim is None or claim.judge.proofs.elaborated.core.data() != derived.get("core"):
                    raise Refused(f"claim {n} is about other neighbours, or none")
            if derived.get("stated") != [dict(claim.stated) for claim in asked if claim is not None]:
                raise Refused("claims in canonical metrics are not those of the problem")
            yield entry["about"], saved.check(derived | {"problem": problem}, self.theory.in_kernel, allow)


def _are_numbers(numbers: Any, most: int) -> bool:
    return isinstance(numbers, list) and all(type(n) is int and 1 <= n <= most for n in numbers)


def _shown(asked: Asked, proved: Proved, undecided: Verdict) -> Shown:
    """The theorems about any two databases, made again from their saved form.  Raises NoTheorem."""
    proofs, claim = asked.judge.proofs, dict(asked.stated)
    prover = Prover(proofs.elaborated.core, proofs.theory)
    made = [prover.by("metric_form", proofs.about_itself(proved.theorems[0]), claim=claim)]
    with suppress(NoTheorem):
        if proved.loose is not None:
            made.append(prover.by("metric_form", proofs.about_itself(proved.theorems[1]), claim=claim))
    return _again(asked, proved.word, made, undecided)


def _again(asked: Asked, word: str, made: Sequence[Theorem], undecided: Verdict) -> Shown:
    """Theorems about any two databases, made again from their saved form.  Raises Refused."""
    again = replayed.proved(replace(undecided, word=word), asked.judge.proofs.replayed(made))
    return Shown(again.word, again.loose, undecided, again.theorems, asked=asked)


def _derived(showns: Sequence[Shown]) -> dict[str, Any]:
    """The derivation of verdicts about the same neighbours, as `saved.check` reads it beside a problem."""
    proofs, verdicts = showns[0].asked.judge.proofs, [shown.by_steps for shown in showns]
    data = replayed.saved(proofs.elaborated.core, proofs.theory, verdicts)
    return data | {"stated": [dict(verdict.claim) for verdict in verdicts]}
