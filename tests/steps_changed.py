"""What the kernel says of changed derivations: a letter for each change of an argument of a step, or of a core setting.

. is what is refused, n no setting, = what says the same, and a letter from A to Z stands for another conclusion.  They are
kept in tests/forged/steps.json and settings.json, by file and place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import changed
import derived
from changed import Change
from derived import THEORY
from in_letters import Table, letter

from dpcompose.kernel import check
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem

PARTS = 8
"""In so many parts changes are looked at."""
OWN = ("rule", "from", "derivation")
"""What of a step is no argument that is changed."""


Changes = Mapping[str, Sequence[tuple[Change, Callable[[], str]]]]
"""By place all changes, and how each ends."""
EVERY = (*derived.SHORT, *derived.IN_METRICS, *derived.OF_OTHER_SHAPES)
"""Files of whose core settings changes are looked at."""
FILES = [name for name in EVERY if name not in derived.TAKE_LONG]
"""Files of which a changed step is looked at in no time."""


def letters(every: Mapping[str, Changes]) -> Table:
    """How all changes end now."""
    return {
        name: {place: "".join(ended() for _, ended in some) for place, some in changes.items()}
        for name, changes in every.items()
    }


def concluded(prover: Prover, step: Any, premises: Sequence[Theorem]) -> Theorem | None:
    """The theorem of a step and premises; None: it is refused."""
    arguments = {key: value for key, value in step.items() if key not in OWN}
    try:
        return prover.by(step["rule"], *premises, **arguments)
    except (NoTheorem, TypeError, KeyError, IndexError, AttributeError, ArithmeticError):
        return None


def told(made: Theorem | None) -> str:
    """What a theorem says, with sets in order, and the pages and deciders that the step rests on."""
    if made is None:
        return ""
    says = re.sub(r"frozenset\(\{([^}]*)\}\)", lambda found: in_order(found[1]), str(made.says))
    return f"{says} {sorted(made.trusts.pages)} {sorted(made.trusts.deciders)}"


def in_order(members: str) -> str:
    return f"{{{', '.join(sorted(members.split(', ')))}}}"


# steps


@cache
def replayed(name: str) -> tuple[Prover, Sequence[tuple[dict[str, Any], Theorem]]]:
    """The steps of a file's derivation, each with what it says."""
    data = derived.good(name)
    setting = reading.read(data["core"])
    theorems = check.replay(data["derivation"], setting, THEORY)
    return Prover(setting, THEORY), list(zip(data["derivation"]["steps"], theorems, strict=True))


@cache
def steps_of(name: str) -> Changes:
    """The changes of the arguments of all steps of a file, by step, and how each ends."""
    prover, steps = replayed(name)

    def ended(change: Change, step: Mapping[str, Any], made: Theorem) -> Callable[[], str]:
        return lambda: letter(told(concluded(prover, change.of(step), made.premises)), told(made))

    return {
        f"{n} {step['rule']}": [
            (change, ended(change, step, made)) for change in changed.further(step) if change.at[0] not in OWN
        ]
        for n, (step, made) in enumerate(steps, start=1)
    }


# core settings


def whole(derivation: Any, setting: Setting) -> list[Theorem | None]:
    """What the steps of a derivation say of another setting: None of those that are refused, or rest on such."""
    prover, found = Prover(setting, THEORY), list[Theorem | None]()
    for step in derivation["steps"]:
        premises = [found[n - 1] for n in step.get("from", ())]
        if "derivation" in step:
            other = check.about(step["rule"], step, setting)
            premises = [None if other is None else whole(step["derivation"], other)[-1], *premises]
        there = [one for one in premises if one is not None]
        found.append(concluded(prover, step, there) if len(there) == len(premises) else None)
    return found


def said_of(derivation: Any, core: Any) -> str:
    """What the steps of a derivation say of a core setting; n where it is none."""
    try:
        setting = reading.read(core)
    except BadSetting:
        return "n"
    return "\n".join(map(told, whole(derivation, setting)))


@cache
def settings_of(name: str) -> Changes:
    """The changes of the core setting of a file, by place, and how each ends."""
    data = derived.good(name)
    core, derivation = data["core"], data["derivation"]
    before = said_of(derivation, core)

    def ended(change: Change) -> Callable[[], str]:
        def end() -> str:
            said = said_of(derivation, change.of(core))
            return said if said == "n" else letter(said, before)

        return end

    return {place: [(one, ended(one)) for one in some] for place, some in changed.by_place(core).items()}
