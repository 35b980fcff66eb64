"""dpcompose recheck: checks saved derivations again."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dpcompose.front.commands import running

if TYPE_CHECKING:
    from dpcompose.proof.theory.cited import Page


def add(commands: running.Commands) -> None:
    """Its options."""
    recheck = running.command(
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
    running.with_pages(recheck)
    recheck.add_argument(
        "--allow",
        action="extend",
        nargs="+",
        metavar="PAGE",
        help="refuse what rests on other theorem pages than these (and on those that are derived); left out: "
        "all that ship are allowed, and of your own each is named",
    )


def run(given: argparse.Namespace) -> int:
    if not running.with_theory(given):
        return running.WRONG
    from dpcompose.kernel.library.fields import near

    for id in given.allow or []:
        if id not in given.theory.pages:
            print(
                f"dpcompose: there is no theorem page {id!r}{near(id, given.theory.pages)}", file=sys.stderr
            )
            return running.WRONG
    return running.over_files(given.files, lambda file: _recheck_file(file, given), given.json)


def _recheck_file(file: str, given: argparse.Namespace) -> int:
    from pathlib import Path

    from dpcompose.front.studies.recheck import outcome
    from dpcompose.kernel.saved import Refused

    try:
        saved = json.loads(Path(file).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        running.wrong(file, f"{file}: this is no JSON: {error}", given.json)
        return running.WRONG
    try:
        found = outcome(saved, given.theory, given.allow)
    except Refused as error:
        if given.json:
            print(json.dumps({"file": file, "checked": False, "reason": str(error)}), flush=True)
        else:
            print(f"{file}: REFUSED\n  {error}", flush=True)
        return running.DIFFERS
    pages = [given.theory.pages[id] for id in found.pages]
    relied = [page for page in pages if page.head.status != "derived"]
    if given.json:
        data: dict[str, Any] = {"file": file, "checked": True, "verdicts": list(found.verdicts)}
        data["deciders"] = list(found.deciders)
        print(json.dumps({**data, **found.more, **_relied(relied)}), flush=True)
        return running.FINE
    rows = [f"{file}: {found.done}", f"  {found.said}"]
    rows += [f"  claim {n}: {verdict.upper()}" for n, verdict in enumerate(found.verdicts, start=1)]
    rows.append("  believed without check: " + "\n  ".join(found.believed))
    rows += [f"  deciders: {', '.join(found.deciders)}"] if found.deciders else []
    print("\n".join([*rows, _relied_on(relied)]), flush=True)
    return running.FINE


def _relied(pages: Sequence[Page]) -> dict[str, list[str]]:
    """The pages that a checked result rests on: primitive ones, and those that are only believed."""
    return {
        "primitives": [page.id for page in pages if not page.is_believed],
        "believed": [page.id for page in pages if page.is_believed],
    }


def _relied_on(pages: Sequence[Page]) -> str:
    """The same as text."""
    from dpcompose.proof.theory import registry

    primitives = ", ".join(_relied(pages)["primitives"]) or "none"
    rows = [f"primitive pages: {primitives}", *registry.rests(pages)]
    return "\n".join(
        textwrap.fill(row, 78, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
        for row in rows
    )
