"""Checks a saved derivation: replays its steps by the rules, without any search.

A derivation is data about one core setting: the hash of the setting, the SHA-256 of every page that it rests
on, and a list of steps {"rule": …, "from": numbers of earlier steps, …arguments}.  A step about another
setting, that of a study, has the derivation of that inside.  Conclusions do not stand there: they are
computed.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from dpcompose.kernel.core.implied import for_steps, implying
from dpcompose.kernel.core.orders import Orders
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.parameters import narrower
from dpcompose.kernel.theorems import ABOUT_OTHERS, NoTheorem, Prover, Theorem

MOST_STEPS = 100_000
MOST_DEPTH = 100


class Refused(ValueError):
    """A saved derivation is wrong; the message says where and why."""


Allowed = Collection[str] | None
"""The ids of the only pages that may be used besides derived ones; None: all."""


def replay(saved: Any, setting: Setting, theory: Theory, allow: Allowed = None) -> list[Theorem]:
    """The theorems that the steps of a derivation make, in order.  Raises Refused."""
    return _replayed(saved, setting, theory, allow, 0)


def _replayed(saved: Any, setting: Setting, theory: Theory, allow: Allowed, depth: int) -> list[Theorem]:
    steps = _steps(saved, setting, theory, depth)
    prover, made = Prover(setting, theory), list[Theorem]()
    for n, step in enumerate(steps, start=1):
        if not isinstance(step, dict) or not isinstance(step.get("rule"), str):
            raise Refused(f"step {n} cannot be read")
        arguments = {
            name: value for name, value in step.items() if name not in ("rule", "from", "derivation")
        }
        try:
            premises = _premises(step, made, n)
            if "derivation" in step:
                premises = [_of_another(step, setting, theory, allow, depth), *premises]
            made.append(prover.by(step["rule"], *premises, **arguments))
        except (NoTheorem, Refused) as error:
            raise Refused(f"step {n}: {error}") from None
        except (TypeError, KeyError, IndexError, AttributeError, ArithmeticError, RecursionError) as error:
            raise Refused(f"step {n} cannot be read ({type(error).__name__})") from None
        _check_pages(made[-1], saved, theory, allow, n)
    return made


def _steps(saved: Any, setting: Setting, theory: Theory, depth: int) -> Sequence[Any]:
    """The steps of a derivation that is about the setting, by the pages in force."""
    if depth > MOST_DEPTH:
        raise Refused(f"studies lie in one another more than {MOST_DEPTH} deep")
    if not isinstance(saved, dict) or set(saved) != {"setting", "pages", "steps"}:
        raise Refused("a derivation has a setting, pages and steps")
    if saved["setting"] != setting.hash:
        raise Refused("the derivation is about another setting")
    pages = saved["pages"]
    if not isinstance(pages, dict):
        raise Refused("the pages of a derivation are a table of their hashes")
    for id, sha256 in pages.items():
        if id not in theory.pages:
            raise Refused(f"there is no page {id!r}")
        if theory.pages[id].sha256 != sha256:
            raise Refused(f"the page {id!r} is not the one that the derivation was made with")
    if not isinstance(saved["steps"], list) or not 1 <= len(saved["steps"]) <= MOST_STEPS:
        raise Refused(f"a derivation has 1 to {MOST_STEPS:,} steps")
    return saved["steps"]


def _premises(step: Mapping[str, Any], made: Sequence[Theorem], n: int) -> list[Theorem]:
    """The theorems that a step is from: earlier ones."""
    numbers = step.get("from", [])
    if not isinstance(numbers, list) or not all(
        type(number) is int and 1 <= number < n for number in numbers
    ):
        raise Refused("a step is from earlier steps, by their numbers")
    return [made[number - 1] for number in numbers]


def _of_another(
    step: Mapping[str, Any], setting: Setting, theory: Theory, allow: Allowed, depth: int
) -> Theorem:
    """The last theorem of the derivation inside of a step, which is about another setting."""
    inside = about(step["rule"], step, setting)
    if inside is None:
        raise Refused("there is no study that a derivation would be about")
    return _replayed(step["derivation"], inside, theory, allow, depth + 1)[-1]


def about(rule: str, arguments: Mapping[str, Any], setting: Setting) -> Setting | None:
    """The other setting that the first premise of a rule is about; None where there is none."""
    i, which = arguments.get("i"), arguments.get("which")
    try:
        if rule in ("one_by_one", "among"):
            return setting.flat if rule == "one_by_one" else setting.with_each()
        if rule == "at_orders":
            return setting.at_orders(Orders.read(arguments["orders"]))
        if (
            rule == "choose"
            and isinstance(which, list | tuple)
            and all(type(number) is int for number in which)
        ):
            return setting.choosing(which, narrower(arguments.get("values"), setting))
        if rule == "single_steps":
            return for_steps(setting, narrower(arguments.get("values"), setting))
        if type(i) is not int or not 1 <= i <= len(setting.mechanisms):
            return None
        if rule == "implies":
            values = arguments.get("values")
            given = None if values is None else narrower({str(i): values}, setting)[i]
            return implying(setting, i, arguments["n"], arguments["m"], given)
        return setting.mechanisms[i - 1].study if rule == "study" else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _check_pages(theorem: Theorem, saved: Mapping[str, Any], theory: Theory, allow: Allowed, n: int) -> None:
    """Every page that a step uses is listed with its hash, and is allowed."""
    for id in sorted(theorem.trusts.pages):
        if id not in saved["pages"]:
            raise Refused(f"step {n} uses the page {id!r}, which the derivation does not list")
        status = theory.pages[id].head.status
        if allow is not None and status != "derived" and id not in allow:
            raise Refused(f"step {n} uses the page {id!r}, which is {status} and not allowed")


def saved(theorem: Theorem, theory: Theory) -> dict[str, Any]:
    """The derivation of a theorem as data, which `replay` reads."""
    return all_saved([theorem], theory)


def _of_others(theorem: Theorem) -> Sequence[Theorem]:
    """The premises of a theorem that are about another setting."""
    return theorem.premises[:1] if theorem.rule in ABOUT_OTHERS else ()


def ordered(wanted: Sequence[Theorem]) -> tuple[list[Theorem], dict[int, int]]:
    """The theorems about one setting that some rest on, premises first, those that are made alike once; and
    for each object the number of its theorem, from 1."""
    theorems, places, made = list[Theorem](), dict[int, int](), dict[Any, int]()

    def put(theorem: Theorem) -> int:
        if id(theorem) not in places:
            others = len(_of_others(theorem))
            premises = tuple(
                id(premise) if n < others else put(premise) for n, premise in enumerate(theorem.premises)
            )
            step = theorem.rule, premises, json.dumps(dict(theorem.arguments), sort_keys=True)
            if step not in made:
                theorems.append(theorem)
                made[step] = len(theorems)
            places[id(theorem)] = made[step]
        return places[id(theorem)]

    for conclusion in wanted:
        put(conclusion)
    return theorems, places


def numbers(wanted: Sequence[Theorem]) -> list[int]:
    """The numbers of the steps by which some theorems are saved together."""
    _, places = ordered(wanted)
    return [places[id(theorem)] for theorem in wanted]


def all_saved(wanted: Sequence[Theorem], theory: Theory) -> dict[str, Any]:
    """The derivation of several theorems about one setting, each step once."""
    theorems, places = ordered(wanted)
    pages = {page for theorem in theorems for page in theorem.trusts.pages}
    steps = []
    for theorem in theorems:
        step: dict[str, Any] = {"rule": theorem.rule}
        others = _of_others(theorem)
        if others:
            step["derivation"] = saved(others[0], theory)
        if own := theorem.premises[len(others) :]:
            step["from"] = [places[id(premise)] for premise in own]
        steps.append(step | dict(theorem.arguments))
    return {
        "setting": wanted[0].setting,
        "pages": {page: theory.pages[page].sha256 for page in sorted(pages)},
        "steps": steps,
    }
