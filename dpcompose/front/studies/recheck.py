"""Rechecking a saved file: its derivation by the kernel alone, and its core setting against the problem.

The problem is elaborated again where the rest of dpcompose can be imported; what is about metrics is left to
the checker of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dpcompose.kernel import saved
from dpcompose.kernel.check import Allowed, Refused
from dpcompose.kernel.core.orders import reciprocal
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.saved import Checked
from dpcompose.privacy.in_metrics import BY_STEPS, with_claims

if TYPE_CHECKING:
    pass


@frozen
class Rechecked:
    """What a saved file shows, and whether its core setting is what its problem says; None: not compared."""

    checked: Checked
    elaborated: bool | None
    title: str

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The verdicts, one a claim."""
        return tuple(word for word, _ in self.checked.verdicts)

    @property
    def deciders(self) -> list[str]:
        """The deciders that are trusted by name."""
        return sorted(self.checked.rests_on.deciders)

    @property
    def pages(self) -> list[str]:
        """The ids of the pages that it rests on."""
        return sorted(self.checked.rests_on.pages)

    def guarantee(self, theory: Theory) -> str:
        """The guarantee in words."""
        satisfied = self.checked.guarantee
        if satisfied is None:
            return "no guarantee"
        shown = [
            reciprocal(value) if key == "tau" else value for key, value in satisfied.values
        ]  # as it is written
        values = ", ".join(map(formulas.to_text, shown))
        one = values.isidentifier() or values.isdigit() or values == "oo"
        bare = values if one and len(satisfied.values) == 1 else f"({values})"
        head, orders = theory.rule(satisfied.notion).head, self.checked.setting.orders
        where = f" for orders {orders}" if head.ordered and orders is not None else ""
        return f"{bare}-{head.called}{where}{'; optimal' if self.checked.optimal else ''}"


def recheck(
    data: Any, theory: Theory, allow: Allowed = None, names: Mapping[str, Any] = MappingProxyType({})
) -> Rechecked:
    """What a saved file shows.  Raises Refused with the place and the reason.

    names -- what its problem may name, as `problems.read_data` takes it.
    """
    checked = saved.check(data, theory, allow)
    same = _same_core(data, names)
    if same is False:
        raise Refused("the core setting is not what the problem says")
    title = data["problem"].get("title", "") if isinstance(data["problem"], dict) else ""
    return Rechecked(checked, same, str(title))


def _same_core(data: Mapping[str, Any], names: Mapping[str, Any]) -> bool | None:
    """Whether the problem, elaborated again, gives the core setting; None where that cannot be imported."""
    try:
        from dpcompose.privacy import problems
        from dpcompose.privacy.elaboration import Elaborated
    except ImportError:
        return None
    try:
        problem = problems.read_data(data["problem"], **names, pairs=False)
        core: Any = Elaborated(problem.setting).core.data()
        return bool(core == data["core"])
    except ImportError:
        return None
    except ValueError as error:
        raise Refused(f"the problem cannot be read: {error}") from None


def assumptions(rechecked: Rechecked) -> Iterable[str]:
    """What is assumed and not checked."""
    yield from rechecked.checked.assumed
    if len(rechecked.checked.setting.mechanisms) > 1:
        adaptive = rechecked.checked.setting.adaptive
        yield (
            "that guarantees hold for every earlier output"
            if adaptive
            else "that the mechanisms are independent"
        )
    yield from map(str, rechecked.checked.setting.assumed)
    for mechanism in rechecked.checked.setting.mechanisms:
        if mechanism.processed:
            yield f"that what is done to the output of {mechanism.name} reads nothing else"
        if mechanism.sampled is not None:
            yield f"that {mechanism.name} draws its sample for itself, as is said, and does not publish it"
        if mechanism.dealt:
            members = f"the members of {mechanism.name}"
            yield f"that records are dealt to {members} without looking at what they are"


@frozen(repr=False)
class Outcome:
    """What a saved file shows, as it is printed: in a line, the guarantee, verdicts, and what it rests on.

    more -- what is JSON besides; pages -- by their ids.
    """

    done: str
    said: str
    verdicts: tuple[str, ...]
    believed: Sequence[str]
    deciders: Sequence[str]
    pages: Sequence[str]
    more: Mapping[str, Any]

    def __repr__(self) -> str:
        claims = [f"claim {n} {word}" for n, word in enumerate(self.verdicts, start=1)]
        return "; ".join([f"{self.done}: {self.said}", *claims, f"believed: {'; '.join(self.believed)}"])


def outcome(saved_file: Any, theory: Any, allow: Allowed = None) -> Outcome:
    """What a saved file shows by the pages of a `registry.Theory`, whatever it is about.  Raises Refused."""
    if isinstance(saved_file, dict) and "stated" in saved_file:  # which no other saved derivation has
        if "neighbours" in saved_file:
            return _of_both_kinds(saved_file, theory, allow)
        return check_in_metrics(saved_file, theory, allow)
    if isinstance(saved_file, dict) and BY_STEPS in saved_file:
        return _with_metric_forms(saved_file, theory, allow)
    return _for_neighbours(saved_file, theory, allow)


def _with_metric_forms(saved_file: Mapping[str, Any], theory: Any, allow: Allowed) -> Outcome:
    """What a file about a composition for neighbours shows, of which some claims are in canonical metrics."""
    from dpcompose.front.studies.judge import Judge
    from dpcompose.privacy import problems

    problem = saved_file["problem"]
    alone = {key: value for key, value in saved_file.items() if key != BY_STEPS}
    outcome_for_neighbours = _for_neighbours(
        alone | {"problem": with_claims(problem, in_metrics=False)}, theory, allow
    )
    read = problems.read_data(with_claims(problem, in_metrics=True), **theory.names, pairs=False)
    if any(claim.guarantee.metric is None for claim in read.claims):
        raise Refused("a claim in a metric is one for neighbours")
    forms = Judge(read.setting, theory).metric_forms
    by_steps = list(forms.checked(saved_file[BY_STEPS], read.claims, problem, allow))
    words = {
        True: iter(_words(["undecided"] * len(read.claims), by_steps)),
        False: iter(outcome_for_neighbours.verdicts),
    }
    rests_on = Grounds.of(shown.rests_on for _, shown in by_steps)
    return replace(
        outcome_for_neighbours,
        verdicts=tuple(next(words["metric" in claim]) for claim in problem["claims"]),
        deciders=sorted({*outcome_for_neighbours.deciders, *rests_on.deciders}),
        pages=sorted({*outcome_for_neighbours.pages, *rests_on.pages}),
    )


def _of_both_kinds(saved_file: Mapping[str, Any], theory: Any, allow: Allowed) -> Outcome:
    """What a file in metrics shows whose claims for neighbours have a derivation of their own."""
    problem, beside = saved_file["problem"], saved_file["neighbours"]
    if not isinstance(beside, dict) or "problem" in beside:
        raise Refused("what is shown for neighbours cannot be read")
    alone = {key: value for key, value in saved_file.items() if key != "neighbours"}
    alone["problem"] = with_claims(problem, in_metrics=True)
    one = check_in_metrics(alone, theory, allow)
    two = _for_neighbours(beside | {"problem": with_claims(problem, in_metrics=False)}, theory, allow)
    words = {True: iter(one.verdicts), False: iter(two.verdicts)}
    return Outcome(
        f"checked, and for neighbours {two.done}",
        f"{one.said}\n  for neighbours {two.said}",
        tuple(next(words["metric" in claim]) for claim in problem["claims"]),
        [*one.believed, *(f"for neighbours {said}" for said in two.believed)],
        sorted({*one.deciders, *two.deciders}),
        sorted({*one.pages, *two.pages}),
        {**one.more, "neighbours": two.more},
    )


def _for_neighbours(saved_file: Any, theory: Any, allow: Allowed) -> Outcome:
    pages = theory.in_kernel
    rechecked = recheck(saved_file, pages, allow, theory.names)
    satisfied = rechecked.checked.guarantee
    values = {} if satisfied is None else {key: formulas.to_text(value) for key, value in satisfied.values}
    more: dict[str, Any] = {"steps": rechecked.checked.steps}
    more["guarantee"] = None if satisfied is None else {"notion": satisfied.notion} | values
    more |= {"optimal": rechecked.checked.optimal, "elaborated": rechecked.elaborated}
    believed = [", ".join(assumptions(rechecked)) or "nothing"]
    if rechecked.elaborated is None:
        believed.append("the core setting is taken as it was saved")
    done = f"{rechecked.checked.steps} steps checked"
    return Outcome(
        done,
        rechecked.guarantee(pages),
        rechecked.verdicts,
        believed,
        rechecked.deciders,
        rechecked.pages,
        more,
    )


def check_in_metrics(saved_file: Any, theory: Any, allow: Allowed = None) -> Outcome:
    """Checks a saved file about privacy in a metric by the kernel, and that its core setting and claims are
    those of its problem.  Raises Refused."""
    from dpcompose.front.documents import sentences
    from dpcompose.front.documents.best_metric import BestMetric, steps_stated
    from dpcompose.front.studies.metric_forms import MetricForms
    from dpcompose.privacy.guarantees.notions import private_in_a_metric

    alone = {key: value for key, value in saved_file.items() if key != BY_STEPS}
    checked = saved.check(alone, theory.in_kernel, allow)
    problem, elaborated = _of_the_problem(saved_file, checked, theory)
    forms, given = MetricForms(elaborated, problem.setting.data, theory), saved_file.get(BY_STEPS, [])
    by_steps = list(forms.checked(given, problem.claims, saved_file["problem"], allow))
    words = _words([word for word, _ in checked.verdicts], by_steps)
    for n, (claim, word) in enumerate(zip(problem.claims, words, strict=True), start=1):
        negative = elaborated.parts.negative(claim.guarantee) if word == "proved" else ""
        if (doubt := claim.doubt or negative) and word != "undecided":
            raise Refused(f"claim {n} is not shown to be {word}: {doubt}")
    setting, mark = problem.setting, elaborated.parts.mark
    known = ([name for name in setting.metrics if mark(name) in some] for some in checked.shown)
    assumed = steps_stated(setting, theory, *known)
    rests_on = Grounds.of((checked.rests_on, *(shown.rests_on for _, shown in by_steps)))
    relied = theory.relied_on(sorted(rests_on.pages))
    best = BestMetric.of(elaborated, checked.guarantee)
    steps = checked.steps + sum(shown.steps for _, shown in by_steps)
    beside = f", with delta {best['delta']}" if "delta" in best else ""
    optimal = True if checked.optimal else None
    return Outcome(
        f"{steps} steps checked",
        f"{private_in_a_metric(best['notion'])} {best['metric']}{beside}{'; optimal' if optimal else ''}",
        tuple(words),
        ["; ".join(sentences.assumptions(assumed, setting, relied))],
        sorted(rests_on.deciders),
        sorted(rests_on.pages),
        {"steps": steps, "guarantee": dict(best), "optimal": optimal, "elaborated": True},
    )


def _of_the_problem(saved_file: Mapping[str, Any], checked: Checked, theory: Any) -> tuple[Any, Any]:
    """The problem of a saved file, and its setting, elaborated again.  Raises Refused where the core setting
    or the claims are others."""
    from dpcompose.privacy import problems
    from dpcompose.privacy.elaboration import Elaborated

    try:
        problem = problems.read_data(saved_file["problem"], **theory.names, pairs=True)
        elaborated = Elaborated(problem.setting)
        core, claims = elaborated.core, [elaborated.parts.claim(claim.guarantee) for claim in problem.claims]
    except ValueError as error:
        raise Refused(f"the setting cannot be read: {error}") from None
    if core.hash != checked.setting.hash:
        raise Refused("the core setting is not what the problem says")
    if len(claims) != len(checked.verdicts):
        raise Refused(f"the problem has {len(claims)} claims, and the file does not have a verdict for each")
    if claims != saved_file["stated"]:
        raise Refused("the claims are not those of the problem")
    return problem, elaborated


def _words(words: list[str], by_steps: Iterable[tuple[Sequence[int], Checked]]) -> list[str]:
    """The verdicts on claims in metrics, of those that are decided for neighbours these."""
    for numbers, shown in by_steps:
        for n, (word, _) in zip(numbers, shown.verdicts, strict=True):
            words[n - 1] = word
    return words
