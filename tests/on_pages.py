"""What `dpcompose audit` finds, as lines on the page of a theorem."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from dpcompose.front.printers import audited
from dpcompose.search.audits.audits import Answer


def on_page(answers: Sequence[Answer]) -> list[str]:
    """What a page shows of its audit: the counterexamples of which there is a file, in one notion."""
    notions = [answer.statement.notion for answer in answers]
    notion = "pure" if "pure" in notions else notions[0]
    rows = []
    for answer in answers:
        if (
            answer.found is None
            or answer.without is None
            or answer.statement.notion != notion
            or not audited.file_text(answer)
        ):
            continue
        D, E = (answer.found.world.names[x] for x in answer.found.pair)
        words = (
            f"*{answer.without.words}*: at `{D}` and `{E}` `{answer.found.lost}` is lost, and "
            f"`{audited.values(answer.found.claim)}` concluded ([file](../{audited.FOLDER}/{audited.file_name(answer)}))."
        )
        rows += textwrap.wrap(words, 108, initial_indent="* ", subsequent_indent="  ", break_on_hyphens=False)
    return ["**Found by `dpcompose audit`**, without one of what is supposed:", "", *rows] if rows else []
