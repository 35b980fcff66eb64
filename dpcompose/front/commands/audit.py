"""dpcompose audit: theorem pages searched for counterexamples, as they stand and without each hypothesis."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from dpcompose.front.commands import running

if TYPE_CHECKING:
    from dpcompose.search.audits.audits import Answer
    from dpcompose.search.audits.searched import Looked


def add(commands: running.Commands) -> None:
    """Its options."""
    audit = running.command(
        commands,
        "audit",
        run,
        "search finite settings for one in which a theorem page fails, and say which hypotheses are needed",
        "Settings are gone through in order of size: databases, neighbours, maps, and exact tables of "
        "probabilities. Each supposition is left out in turn: it is needed, with the smallest counterexample "
        "found, or none was found, with how much was searched. Exit status: 0 no page is refuted; 1 one is; "
        "2 a page is wrong, or states nothing of finite settings. Example: dpcompose audit GB:IV.13.",
    )
    audit.add_argument(
        "pages", nargs="*", metavar="PAGE", help="ids or items of pages (default: all that can be audited)"
    )
    audit.add_argument("--most", type=int, metavar="N", help="settings of each kind (default: 15)")
    audit.add_argument(
        "--notion", action="append", default=[], metavar="NOTION", help="only in this notion (repeatable)"
    )
    audit.add_argument(
        "--save", metavar="DIR", help="write the counterexamples as problem files into a folder"
    )
    audit.add_argument("--table", action="store_true", help="print a table of what is needed, in Markdown")
    running.with_pages(audit)


def run(given: argparse.Namespace) -> int:
    from dpcompose.front.printers import audited
    from dpcompose.front.studies.library import Library
    from dpcompose.proof.theory.folders import PageError
    from dpcompose.search.audits.audits import MOST, READERS
    from dpcompose.search.audits.suppositions import NoSearch

    if not running.with_theory(given):
        return running.WRONG
    library, most = Library(given.theory), MOST if given.most is None else given.most
    every = [page.id for kind in READERS for page in given.theory.of_kind(kind)]
    answers: list[Answer] = []
    statuses, complete = [running.FINE], True
    for name in given.pages or every:
        try:
            audit = library[name].audit(most, given.notion, _progress(name))
        except (KeyError, NoSearch, PageError) as error:
            if given.pages:
                running.wrong(name, f"dpcompose: {error.args[0]}", given.json)
                statuses.append(running.WRONG)
            continue
        answers += audit.answers
        if given.json:
            for answer in audit.answers:
                print(json.dumps(audited.data(answer)), flush=True)
        elif not given.table:
            print(audit, flush=True)
        if given.save:
            audit.save(given.save)
        statuses.append(running.DIFFERS if audit.refuted else running.FINE)
        if not (complete := audit.complete):
            break
    if given.table:
        print("\n".join(audited.table(answers)), flush=True)
    if not complete:
        raise KeyboardInterrupt
    return min(statuses, key=running.WORST_FIRST.index)


WIDTH, EVERY = 78, 200


def _progress(name: str) -> Callable[[Looked], None] | None:
    """What tells how much was looked at, on a terminal."""

    def told(looked: Looked) -> None:
        if looked.settings % EVERY == 0:
            print(f"\r{f'{name}: {looked}'[:WIDTH]:<{WIDTH}}", end="\r", file=sys.stderr, flush=True)

    return told if sys.stderr.isatty() else None
