"""dpcompose explain: what a word of problem files and results means."""

from __future__ import annotations

import argparse
import json
import sys

from dpcompose.front.commands.running import FINE, WRONG, Commands, command, with_pages, with_theory


def add(commands: Commands) -> None:
    """Its options."""
    explain = command(
        commands,
        "explain",
        run,
        "say what a word means: a key of problem files, a granularity, a notion, a theorem",
        "Examples: dpcompose explain domain; dpcompose explain add-remove; dpcompose explain GB:IV.13. "
        "Without a word all are listed.",
    )
    explain.add_argument("words", nargs="*", metavar="WORD", help="a word, or a theorem page's id or item")
    with_pages(explain)


def run(given: argparse.Namespace) -> int:
    """Prints what is said of a word; status 2 where nothing is."""
    import textwrap

    from dpcompose.front.documents import glossary
    from dpcompose.front.studies.library import Library
    from dpcompose.proof.theory.folders import PageError
    from dpcompose.spaces.moves import built_in

    if not with_theory(given, warn=False):
        return WRONG
    if not (word := " ".join(given.words)):
        words = sorted({*glossary.words(), *built_in.BUILT_IN})
        shown = json.dumps(words) if given.json else textwrap.fill(", ".join(words), 78)
        print(shown)
        return FINE
    try:
        said = glossary.explained(word, given.theory)
    except (glossary.UnknownWord, PageError) as error:
        pages = len(Library(given.theory).search(word))
        there = f"\n`dpcompose theorems {word}` finds {pages}" if pages else ""
        print(f"dpcompose: {error}{there}", file=sys.stderr)
        return WRONG
    if given.json:
        print(json.dumps({"word": word, "text": said}))
    else:
        print("\n".join(textwrap.fill(line, 78) for line in said.splitlines()))
    return FINE
