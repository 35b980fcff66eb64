"""Saved files: a problem, its core setting, a derivation, the guarantee, and a verdict for each claim.

`check` replays the derivation and reads off what its theorems say: a file in which a verdict, or the
guarantee, is not what its step concludes is refused.  The core setting is taken as it stands; whether it is
what the problem says is asked elsewhere, by elaborating the problem again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpcompose.kernel.check import Allowed, Refused, about, replay
from dpcompose.kernel.composition import axioms
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.lines import RATE
from dpcompose.kernel.core.orders import ALPHA, Orders, reciprocal
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.deciders.calculus.values import doubt
from dpcompose.kernel.expressions import formulas, naming
from dpcompose.kernel.expressions.grammar import FormulaError
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.judgements import (
    Bounded,
    IsMetric,
    Judgement,
    Loose,
    MetricForm,
    OfOrders,
    Optimal,
    Refuted,
    Satisfies,
)
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules import chains
from dpcompose.kernel.theorems import ABOUT_OTHERS, Theorem

FORMAT = 2
KEYS = {"format", "problem", "core", "derivation", "guarantee", "claims"}
Claim = tuple[str, Mapping[str, Term], str | None]
"""A notion, the values of its parameters, and of divergences the orders."""
MOST_DEPTH = 400
"""How deep lists and tables of a saved file may lie in one another."""


@frozen
class Checked:
    """What a saved file shows.

    guarantee -- the best one, None where none is derived; optimal -- whether a theorem says so;
    verdicts -- "proved", "refuted" or "undecided", one a claim, with whether it is loose;
    shown -- the distances that are shown to be metrics, and those that are at most their bounds;
    steps -- how many there are; assumed -- mechanisms whose loss is given; rests_on -- pages and deciders.
    """

    setting: Setting
    guarantee: Satisfies | None
    optimal: bool
    verdicts: tuple[tuple[str, bool | None], ...]
    steps: int
    assumed: tuple[str, ...]
    rests_on: Grounds
    shown: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())


def check(data: Any, theory: Theory, allow: Allowed = None) -> Checked:
    """What a saved file, parsed from JSON, shows by the pages in force.  Raises Refused."""
    if _too_deep(data):
        raise Refused("the file is nested too deeply")
    if not isinstance(data, dict) or set(data) - {"stated"} != KEYS or data["format"] != FORMAT:
        raise Refused(f"this is no saved derivation of format {FORMAT}")
    try:
        setting = reading.read(data["core"])
    except BadSetting as error:
        raise Refused(f"the core setting cannot be read: {error}") from None
    made = [] if data["derivation"] is None else replay(data["derivation"], setting, theory, allow)
    guarantee, optimal = _guarantee(data["guarantee"], made)
    letters = chains.letters(setting) if "stated" in data else setting.symbols
    stated = _stated(_in_core(data), data["claims"], setting, letters)
    verdicts = tuple(
        _verdict(n, entry, claim, made, None if setting.orders is None else str(setting.orders))
        for n, (entry, claim) in enumerate(zip(data["claims"], stated, strict=True), start=1)
    )
    rests_on = Grounds.of(theorem.rests_on for theorem in made)
    about = setting, guarantee, optimal, verdicts, len(made), assumed(made, setting), rests_on
    return Checked(*about, _of_distances(made, setting))


def _of_distances(made: Sequence[Theorem], setting: Setting) -> tuple[frozenset[str], frozenset[str]]:
    """The distances that are seen or shown to be metrics, and those that are at most their bounds."""
    proved = frozenset(theorem.says.name for theorem in made if isinstance(theorem.says, IsMetric))
    bounds = frozenset(theorem.says.name for theorem in made if isinstance(theorem.says, Bounded))
    return axioms.are_metrics(setting, proved), bounds


def _in_core(data: Mapping[str, Any]) -> Any:
    """The problem with its claims in the letters of the core setting, where it has others."""
    if "stated" not in data or not isinstance(data["problem"], dict):
        return data["problem"]
    return {**data["problem"], "claims": data["stated"], "parameters": {}}


def _too_deep(value: Any) -> bool:
    """Whether lists and tables lie in one another more than MOST_DEPTH deep."""
    layer = [value]
    for _ in range(MOST_DEPTH):
        inside = [
            node.values() if isinstance(node, dict) else node
            for node in layer
            if isinstance(node, dict | list)
        ]
        layer = [node for nodes in inside for node in nodes]
        if not layer:
            return False
    return True


def _says(number: Any, made: Sequence[Theorem], what: str) -> Judgement:
    """What the step of a number concludes."""
    if type(number) is not int or not 1 <= number <= len(made):
        raise Refused(f"{what} names no step of the derivation")
    return made[number - 1].says


def _guarantee(data: Any, made: Sequence[Theorem]) -> tuple[Satisfies | None, bool]:
    """The guarantee that the file names a step for, and whether a step says that it is optimal."""
    if data is None:
        return None, False
    if not isinstance(data, dict) or not {"step"} <= set(data) <= {"step", "optimal"}:
        raise Refused("the guarantee cannot be read")
    guarantee = _says(data["step"], made, "the guarantee")
    if not isinstance(guarantee, Satisfies):
        raise Refused(f"step {data['step']} states no guarantee")
    if "optimal" not in data:
        return guarantee, False
    best = _says(data["optimal"], made, "the guarantee")
    if not isinstance(best, Optimal) or (best.notion, best.values) != (guarantee.notion, guarantee.values):
        raise Refused(f"step {data['optimal']} does not say that the guarantee is optimal")
    return guarantee, True


def _stated(problem: Any, entries: Any, setting: Setting, known: Mapping[str, Term]) -> list[Claim]:
    """The claims of the problem, each of which has an entry of its own that repeats it.

    known -- the letters of claims.
    """
    if not isinstance(problem, dict):
        raise Refused("the problem cannot be read")
    letters = _letters(problem, known)
    stated = _claims(problem.get("claims"), letters, "of the problem")
    if not isinstance(entries, list) or len(entries) != len(stated):
        raise Refused(f"the problem has {len(stated)} claims, and the file does not have a verdict for each")
    for n, (entry, claim) in enumerate(zip(entries, stated, strict=True), start=1):
        said = entry.get("claim") if isinstance(entry, dict) else None
        if not isinstance(said, dict):
            raise Refused(f"claim {n} cannot be read")
        if _claims([said], letters, "beside the verdicts") != [claim]:
            raise Refused(f"claim {n} is not the one that the problem states")
        if (word := entry.get("verdict")) != "undecided" and (
            why := _doubt(problem["claims"][n - 1], letters, setting)
        ):
            raise Refused(f"claim {n} is not shown to be {word}: {why}")
    return stated


def _doubt(claim: Mapping[str, Any], letters: Mapping[str, Term], setting: Setting) -> str:
    """Why a claim, as it is written, may have no value; "" where it has one: what cancels needs one, too."""
    known = _with_order(claim, letters)
    texts = (str(text) for key, text in claim.items() if key not in NO_FORMULAS)
    return next((why for text in texts if (why := doubt(text, known, assumed=setting.assumed))), "")


NO_FORMULAS = ("notion", "expect", "orders")
"""Keys of claims that say no formulas."""


def _with_order(claim: Mapping[str, Any], letters: Mapping[str, Term]) -> Mapping[str, Term]:
    """The letters of a claim: of a trade-off function with that for a rate, of one about divergences with
    that for its orders."""
    if "tradeoff" in claim:
        return {**letters, ALPHA: RATE}
    return {**letters, ALPHA: Orders.read(str(claim["orders"])).order} if "orders" in claim else letters


def _letters(problem: Any, letters: Mapping[str, Term]) -> Mapping[str, Term]:
    """What the letters in the claims of the problem stand for: those of the core setting, and numbers."""
    known = dict(letters)
    try:
        for name, text in (problem.get("parameters") or {}).items():
            if name not in known and naming.general(name) not in known:
                known[name] = formulas.parse(str(text), {})
    except (FormulaError, AttributeError) as error:
        raise Refused(f"the parameters of the problem cannot be read: {error}") from None
    return known


def _claims(data: Any, letters: Mapping[str, Term], whose: str) -> list[Claim]:
    """Some claims as terms of the core setting."""
    try:
        return [_claim(claim, letters) for claim in data or []]
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise Refused(f"the claims {whose} cannot be read: {error}") from None


def _claim(data: Any, letters: Mapping[str, Term]) -> Claim:
    values = {key: str(text) for key, text in data.items() if key not in NO_FORMULAS}
    omega = values.pop("omega", None)  # as problem files write 1/tau
    known = _with_order(data, letters)
    orders = str(Orders.read(str(data["orders"]))) if "orders" in data else None
    read = {key: formulas.parse(text, known) for key, text in values.items()}
    read |= {} if omega is None else {"tau": reciprocal(formulas.parse(omega, known))}
    return data["notion"], read, orders


def _verdict(
    n: int, data: Any, claim: Claim, made: Sequence[Theorem], spoken: str | None
) -> tuple[str, bool | None]:
    """The verdict on a claim, once its step says it; "undecided" where the file names no step.

    spoken -- the orders of which the setting speaks.
    """
    if not isinstance(data, dict) or not isinstance(data.get("verdict"), str):
        raise Refused(f"claim {n} cannot be read")
    word = data["verdict"]
    if word == "undecided":
        if set(data) - {"claim", "verdict", "reason"}:
            raise Refused(f"claim {n} is undecided: nothing is said of it")
        return word, None
    if set(data) - {"claim", "verdict", "step", "loose", "shown"} or word not in ("proved", "refuted"):
        raise Refused(f"claim {n} cannot be read")
    said = _says(data.get("step"), made, f"claim {n}")
    _check_about(n, said, claim, Satisfies if word == "proved" else Refuted, word, spoken)
    loose, is_shown = data.get("loose"), "shown" in data
    if word == "refuted" and (is_shown or loose is not None):
        raise Refused(f"claim {n} is refuted: it is neither loose nor optimal")
    if not is_shown and loose is not None:
        raise Refused(f"nothing shows whether claim {n} is loose")
    if not is_shown:
        return word, None
    if type(loose) is not bool:
        raise Refused(f"claim {n} is loose or not: true or false")
    shown = _says(data["shown"], made, f"claim {n}")
    _check_about(n, shown, claim, Loose if loose else Optimal, "loose" if loose else "optimal", spoken)
    return word, loose


def _check_about(
    n: int, said: Judgement, claim: Claim, kind: type[Any], word: str, spoken: str | None
) -> None:
    """Raises Refused unless a conclusion is of a kind, and about the claim."""
    about = spoken if claim[2] is not None else None
    about = said.orders if isinstance(said, OfOrders) else about
    said = said.of if isinstance(said, MetricForm | OfOrders) else said
    if not isinstance(said, kind):
        raise Refused(f"claim {n} is not shown to be {word}: its step says something else")
    if claim[2] != about:
        raise Refused(f"claim {n} is not shown to be {word}: its step is about other orders")
    if (said.notion, dict(said.values)) != (claim[0], dict(claim[1])):
        raise Refused(f"claim {n} is not shown to be {word}: its step is about another claim")


def assumed(made: Sequence[Theorem], setting: Setting, within: str = "") -> tuple[str, ...]:
    """The mechanisms whose losses are given, and not derived: those of studies by their path."""
    supposed: dict[str, None] = {}
    for theorem in made:
        if theorem.rule in ("given", "noise"):
            supposed[within + setting.mechanisms[theorem.arguments["i"] - 1].name] = None
        for inner in theorem.premises[:1]:
            mechanism = None if theorem.rule != "study" else setting.mechanisms[theorem.arguments["i"] - 1]
            if (there := about(theorem.rule, theorem.arguments, setting)) is not None:
                name = within if mechanism is None else f"{within}{mechanism.name}."
                supposed |= dict.fromkeys(assumed(_all(inner), there, name))
    return tuple(supposed)


def _all(theorem: Theorem) -> list[Theorem]:
    """A theorem, and those about the same setting that it rests on."""
    theorems = [theorem]
    for premise in theorem.premises[1 if theorem.rule in ABOUT_OTHERS else 0 :]:
        theorems += _all(premise)
    return theorems


__all__ = ["FORMAT", "Checked", "Refused", "assumed", "check"]
