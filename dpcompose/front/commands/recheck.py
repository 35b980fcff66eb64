"""dpcompose recheck: checks saved derivations again."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dpcompose.front.commands.running import (
    DIFFERS,
    FINE,
    WRONG,
    Commands,
    command,
    each,
    with_pages,
    with_theory,
    wrong,
)

if TYPE_CHECKING:
    from dpcompose.kernel.pages import Page
    from dpcompose.proof.metrics.checker import MetricChecked


def add(commands: Commands) -> None:
    """Its options."""
    recheck = command(
        commands,
        "recheck",
        run,
        "check saved derivations again, without search and solver",
        "Exit status: 0 everything was checked; 1 a derivation is refused, with the reason; 2 a file cannot "
        "be read; 4 an internal error, which says nothing of the derivation.",
    )
    recheck.add_argument(
        "files", nargs="+", metavar="FILE", help="a file that verify --save-derivation wrote"
    )
    with_pages(recheck)
    recheck.add_argument(
        "--allow",
        action="extend",
        nargs="+",
        metavar="PAGE",
        help="refuse what rests on other theorem pages than these (and on those that are derived); left out: "
        "all that ship are allowed, and of your own each is named",
    )


def run(given: argparse.Namespace) -> int:
    if not with_theory(given):
        return WRONG
    from dpcompose.kernel.fields import near

    for id in given.allow or []:
        if id not in given.theory.pages:
            print(
                f"dpcompose: there is no theorem page {id!r}{near(id, given.theory.pages)}", file=sys.stderr
            )
            return WRONG
    return each(given.files, lambda file: _recheck_file(file, given), given.json)


def _recheck_file(file: str, given: argparse.Namespace) -> int:
    from pathlib import Path

    from dpcompose.front.recheck import assumptions, recheck
    from dpcompose.kernel import formulas
    from dpcompose.kernel.saved import Refused
    from dpcompose.kernel.theory import Theory

    try:
        saved = json.loads(Path(file).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        wrong(file, f"{file}: this is no JSON: {error}", given.json)
        return WRONG
    try:
        if isinstance(saved, dict) and "metrics" in saved:  # which no other saved derivation has
            from dpcompose.proof.metrics import checker

            if checker.is_one(saved):
                return _rechecked(file, checker.check(saved, given.theory, given.allow), given)
        found = recheck(
            saved, Theory(given.theory.pages), given.allow, given.theory.parameters, given.theory.own
        )
    except Refused as error:
        if given.json:
            print(json.dumps({"file": file, "checked": False, "reason": str(error)}), flush=True)
        else:
            print(f"{file}: REFUSED\n  {error}", flush=True)
        return DIFFERS
    pages = [given.theory.pages[id] for id in found.pages]
    relied = [page for page in pages if page.head.status != "derived"]
    if given.json:
        data = {"file": file, "checked": True, "steps": found.checked.steps, "verdicts": list(found.verdicts)}
        said = found.checked.guarantee
        values = {} if said is None else {key: formulas.to_text(value) for key, value in said.values}
        data["guarantee"] = None if said is None else {"notion": said.notion} | values
        data |= {"optimal": found.checked.optimal, "deciders": found.deciders, "elaborated": found.elaborated}
        print(json.dumps(data | _relied(relied)), flush=True)
        return FINE
    print(f"{file}: {found.checked.steps} steps checked\n  {found.guarantee(Theory(given.theory.pages))}")
    believed = [", ".join(assumptions(found)) or "nothing"]
    if found.elaborated is None:
        believed.append("the core setting is taken as it was saved")
    print(_rows(found.verdicts, believed, found.deciders, relied), flush=True)
    return FINE


def _rows(
    verdicts: Sequence[str], believed: Sequence[str], deciders: Sequence[str], pages: Sequence[Page]
) -> str:
    """What a saved derivation shows, and rests on: rows of text."""
    rows = [f"  claim {n}: {verdict.upper()}" for n, verdict in enumerate(verdicts, start=1)]
    rows.append("  believed without check: " + "\n  ".join(believed))
    rows += [f"  deciders: {', '.join(deciders)}"] if deciders else []
    return "\n".join([*rows, _relied_on(pages)])


def _relied(pages: Sequence[Page]) -> dict[str, list[str]]:
    """The pages that a checked result rests on: primitive ones, and those that are only believed."""
    return {
        "primitives": [page.id for page in pages if not page.is_believed],
        "believed": [page.id for page in pages if page.is_believed],
    }


def _relied_on(pages: Sequence[Page]) -> str:
    """The same as text."""
    from dpcompose.proof import registry

    primitives = ", ".join(_relied(pages)["primitives"]) or "none"
    rows = [f"primitive pages: {primitives}", *registry.rests(pages)]
    return "\n".join(
        textwrap.fill(row, 78, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
        for row in rows
    )


def _rechecked(file: str, found: MetricChecked, given: argparse.Namespace) -> int:
    if given.json:
        data: dict[str, Any] = {"file": file, "checked": True, "verdicts": list(found.verdicts)}
        data["optimal"] = found.optimal
        data["guarantee"] = dict(found.guarantee)
        data["deciders"] = list(found.deciders)
        print(json.dumps(data | _relied(found.pages)), flush=True)
        return FINE
    said = found.guarantee
    called = "" if said["notion"] == "pure" else f"{said['notion']}-"
    beside = f", with delta {said['delta']}" if "delta" in said else ""
    best = "; optimal" if found.optimal else ""
    print(f"{file}: checked\n  {called}private in the metric {said['metric']}{beside}{best}")
    print(_rows(found.verdicts, ["; ".join(found.believed)], found.deciders, found.pages), flush=True)
    return FINE
