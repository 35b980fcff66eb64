"""Derivations and core settings of which one place is changed: what is accepted is what may be chosen, and the second
checker, which shares nothing with the kernel, accepts it as well.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import changed
import derived
import pytest
import steps_changed
from changed import Change
from derived import IN_METRICS, OF, SHORT, TAKE_LONG, THEORY
from second_checker import verdicts as second
from second_checker.outcomes import NotRead, Rejected

from dpcompose.kernel import check
from dpcompose.kernel.check import Refused
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.judgements import Lower, Satisfies
from dpcompose.kernel.theorems import Prover, Theorem

PARTS = [pytest.param(n, marks=[pytest.mark.slow] if n else []) for n in range(8)]
"""The parts of all changes: a normal run takes the first one."""

CHOSEN = {
    "given": {"i"},
    "noise": {"i"},
    "table": {"i"},
    "attain": {"by", "neighbours"},
    "refute": {"claim", "point"},
    "loose": {"claim", "point"},
    "larger": {"claim", "point"},
    "cover": {"of"},
    "exceed": {"claim"},
    "curve": {"claim"},
    "below_curve": {"claim"},
    "vacuous": {"claim"},
    "by_rows": {"claim"},
    "against_rows": {"claim"},
    "change": {"chosen"},
    "convert": {"chosen"},
    "apart": {"chosen", "closer"},
}
"""What of the arguments of a rule may be another one, and is accepted with another conclusion: whoever makes a
derivation chooses it.  Whatever else is changed changes nothing, or is refused."""
OTHER_PREMISES = {
    *("compose", "worst", "convert", "change", "least", "optimal"),
    *("metric", "cover", "attain", "least_everywhere"),
}
"""The rules that say something else of other premises of the same kind."""
LONG = ("46-checked-on-tables.toml", "57-delta-beside-gaussian.toml")
"""Files of which the second checker takes long."""
EVERY = [
    pytest.param(name, marks=[pytest.mark.slow] if name in TAKE_LONG else []) for name in (*OF, *IN_METRICS)
]


# steps


@cache
def about(name: str) -> tuple[Setting, Any]:
    """The core setting of a file, and the steps of its derivation."""
    data = derived.good(name)
    return reading.read(data["core"]), data["derivation"]


def concluded(prover: Prover, step: Any, premises: tuple[Theorem, ...]) -> Any:
    """What a step says of premises; None: it is refused."""
    made = steps_changed.concluded(prover, step, premises)
    return None if made is None else made.says


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", EVERY)
def test_a_changed_step_says_the_same_or_what_may_be_chosen(name: str, part: int) -> None:
    """By its premises, which are as they were."""
    setting, derivation = about(name)
    prover = Prover(setting, THEORY)
    for n, made in enumerate(check.replay(derivation, setting, THEORY)):
        step = derivation["steps"][n]
        told = {key: value for key, value in step.items() if key not in ("rule", "from", "derivation")}
        for change in changed.share(changed.changes(told), part, len(PARTS)):
            says = concluded(prover, {"rule": step["rule"]} | change.of(told), made.premises)
            if says is not None and says != made.says:
                assert str(change.at[0]) in CHOSEN.get(step["rule"], ()), (n + 1, change, says)


@pytest.mark.parametrize("name", EVERY)
def test_other_premises_are_refused_or_say_the_same(name: str) -> None:
    """One that is left out or stands twice, the order, and another one of the same kind."""
    setting, derivation = about(name)
    prover, every = Prover(setting, THEORY), check.replay(derivation, setting, THEORY)
    for n, made in enumerate(every):
        step, own = derivation["steps"][n], made.premises
        for m, premise in enumerate(own):
            alike = [one for one in every[:n] if type(one.says) is type(premise.says) and one != premise]
            tried = [own[:m] + own[m + 1 :], own[: m + 1] + own[m:]]
            tried += [(*own[:m], one, *own[m + 1 :]) for one in alike[:4]]
            for premises in tried:
                says = concluded(prover, step, premises)
                if says is not None and says != made.says:
                    assert step["rule"] in OTHER_PREMISES, (n + 1, m, premises, says)


# claims


def at_the_boundary(rule: str, claim: Any, premises: tuple[Theorem, ...]) -> Any:
    """The claim that is no larger than what is known, and no smaller than what is lost; None: there is none."""
    for premise in premises:
        says = premise.says
        if rule == "refute" and isinstance(says, Lower) and says.notion == claim["notion"]:
            return claim | {says.key: formulas.to_text(says.value)}
        if rule in ("loose", "larger") and isinstance(says, Satisfies) and says.notion == claim["notion"]:
            return claim | {key: formulas.to_text(value) for key, value in says.values}
    return None


@pytest.mark.parametrize("name", EVERY)
def test_what_is_lost_refutes_no_claim_of_it_and_no_guarantee_is_smaller_than_itself(name: str) -> None:
    setting, derivation = about(name)
    prover = Prover(setting, THEORY)
    for n, made in enumerate(check.replay(derivation, setting, THEORY)):
        step = derivation["steps"][n]
        if step["rule"] in ("refute", "loose", "larger"):
            claim = at_the_boundary(step["rule"], step["claim"], made.premises)
            if claim is not None:
                assert concluded(prover, step | {"claim": claim}, made.premises) is None, (n + 1, claim)


# core settings


@cache
def judged(text: str) -> str:
    """What the second checker says of a derivation about a core setting: whether it accepts, rejects or does not read."""
    data, unread = json.loads(text), list[NotRead]()
    try:
        second.replayed(data["derivation"], data["core"], data["core"], second.THEOREMS, unread)
    except NotRead:
        return "not read"
    except (Rejected, KeyError, TypeError, ValueError, AttributeError, IndexError, ZeroDivisionError):
        return "refused"
    return "not read" if unread else "accepted"


def stamped(data: Any) -> Any:
    """A derivation about a changed core setting, which is written as the kernel writes it.  Raises BadSetting."""
    setting = reading.read(data["core"])
    derivation = data["derivation"] | {"setting": setting.hash}
    return {"core": setting.data(), "derivation": derivation}


def ends(change: Change, data: Any) -> tuple[str, str]:
    """How the kernel and the second checker judge a derivation about a setting that is changed."""
    try:
        made = stamped(data | {"core": change.of(data["core"])})
    except (BadSetting, TypeError, KeyError, IndexError, AttributeError, ArithmeticError):
        return "no setting", ""
    other = judged(json.dumps(made))
    try:
        derived.replayed(made)
    except (Refused, BadSetting):
        return "refused", other
    return "accepted", other


def is_shown_only(change: Change, core: Any) -> bool:
    """Whether it is what is shown of noise, whose guarantee is that of its page."""
    at = change.at
    if len(at) < 3 or at[0] != "mechanisms" or "noise" not in core["mechanisms"][at[1]]:
        return False
    return at[2] in ("notion", "values")


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", [name for name in SHORT if name not in LONG])
def test_of_a_changed_setting_the_kernel_accepts_no_more_than_the_second_checker(
    name: str, part: int
) -> None:
    """The old derivation does for it, or does not."""
    data = derived.good(name)
    if judged(json.dumps(data)) != "accepted":
        return
    core = data["core"]
    for change in changed.share([*changed.changes(core), *changed.additions(core)], part, len(PARTS)):
        if not is_shown_only(change, data["core"]):
            assert ends(change, data) != ("accepted", "refused"), change
