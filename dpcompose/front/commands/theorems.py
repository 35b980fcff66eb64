"""dpcompose theorems: the theorem pages."""

from __future__ import annotations

import argparse
import json
import sys

from dpcompose.front.commands import running
from dpcompose.language.answers import NoAnswer


def add(commands: running.Commands) -> None:
    """Its options."""
    theorems = running.command(
        commands,
        "theorems",
        run,
        "list the theorem pages, print one, or find those with some words",
        "Items GB:... are those of Guerra-Balboa, Miranda-Pascual, Parra-Arnau, Strufe, Composition in "
        "Differential Privacy for General Granularity Notions (arXiv 2308.14649).",
    )
    running.with_pages(theorems)
    theorems.add_argument(
        "id",
        nargs="*",
        metavar="ID",
        help="a page's id, an item such as GB:IV.13, or words: then the pages with these are listed",
    )
    theorems.add_argument(
        "--table",
        action="store_true",
        help="print what every theorem concludes in every notion, and the gaps",
    )
    theorems.add_argument(
        "--for",
        dest="problem",
        metavar="FILE",
        help="say of every composition theorem whether it fits a problem file",
    )


def run(given: argparse.Namespace) -> int:
    given.id = " ".join(given.id) or None
    if not running.with_theory(given, warn=given.problem is not None):
        return running.WRONG
    if given.problem is not None:
        return running.over_files([given.problem], lambda file: _theorems_for(file, given), given.json)
    return _all_theorems(given) if given.id is None or given.table else _theorem(given)


def _all_theorems(given: argparse.Namespace) -> int:
    """Lists all pages, or what they conclude; status 2 where some are wrong, with every mistake."""
    from dpcompose.front.printers import listings

    theory = given.theory
    if given.table:
        rows = listings.table_data(theory)
        print("\n".join(map(json.dumps, rows)) if given.json else listings.theorem_table(theory))
    elif given.json:
        for page in theory.pages.values():
            print(json.dumps(listings.page_data(page)))
    else:
        print(listings.theorem_list(theory))
    for wrong in theory.wrong:
        print(wrong, file=sys.stderr)
        if given.json:
            print(json.dumps({"id": wrong.id, "error": str(wrong)}))
    return running.WRONG if theory.wrong else running.FINE


def _theorem(given: argparse.Namespace) -> int:
    """Prints one page, or those that have some words, or says what is wrong."""
    from dpcompose.front.printers import listings
    from dpcompose.front.studies.library import Library
    from dpcompose.proof.theory.folders import PageError

    theory = given.theory
    try:
        found = theory.meant(given.id)
    except PageError as error:
        print(error, file=sys.stderr)
        if given.json:
            print(json.dumps({"id": given.id, "error": str(error)}))
        return running.WRONG
    if found is not None:
        text = found.path.read_text(encoding="utf-8").strip()
        print(json.dumps(listings.page_data(found)) if given.json else text)
        if found.why_believed:
            print(f"dpcompose: {found.id} is only believed: {found.why_believed}", file=sys.stderr)
        return running.FINE
    if pages := [theorem.page for theorem in Library(theory).search(given.id)]:
        rows = [
            json.dumps(listings.page_data(page)) if given.json else listings.theorem_row(page)
            for page in pages
        ]
        print("\n".join(rows))
        return running.FINE
    hint = Library(theory).near(given.id) or "; `dpcompose theorems` lists all"
    print(f"dpcompose: there is no theorem page {given.id!r}{hint}", file=sys.stderr)
    return running.WRONG


def _theorems_for(file: str, given: argparse.Namespace) -> int:
    from dpcompose.front.printers import listings

    study, _ = running.load(file, given)
    try:
        bound = study.theorems().bound
    except NoAnswer as error:
        print(f"{file}: no guarantee: {error}", file=sys.stderr)
        return running.UNDECIDED
    fits, page = bound.fits, given.theory.meant(given.id or "")
    if given.id is not None:
        fits = tuple(fit for fit in fits if page is not None and fit.page.id == page.id)
        if not fits:
            print(f"dpcompose: {given.id!r} is no composition theorem", file=sys.stderr)
            return running.WRONG
    if given.json:
        print(json.dumps({"file": file, "fits": listings.fits_data(bound, fits)}), flush=True)
    else:
        print(f"{study.setting.title or file}\n{listings.fits(bound, fits)}", flush=True)
    return running.FINE
