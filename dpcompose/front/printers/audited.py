"""Audits as text, as JSON, and as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from dpcompose.front import files
from dpcompose.kernel.expressions import formulas
from dpcompose.search.audits.audits import Answer
from dpcompose.search.audits.problems import problem
from dpcompose.search.audits.searched import Counterexample

FOLDER = "needed"
"""The folder beside the pages with the counterexamples that show what is needed."""


def file_name(answer: Answer) -> str:
    """What the problem file of a counterexample is called."""
    key = answer.without.key if answer.without is not None else "refuted"
    return f"{answer.statement.page.id}.{key}.{answer.statement.notion}.toml"


def file_text(answer: Answer) -> str | None:
    """The problem file of a counterexample; None where there is none."""
    if answer.found is None:
        return None
    left = f" without: {answer.without.words}" if answer.without is not None else " is false"
    data = problem(answer.found, f"{answer.statement.page.title}{left}")
    return None if data is None else files.toml(data)


def lines(answer: Answer) -> list[str]:
    """An answer as text."""
    without = f'without "{answer.without.words}": ' if answer.without is not None else ""
    if answer.found is None:
        return [f"  {without}no counterexample: {answer.looked}"]
    said = "needed" if answer.without is not None else "REFUTED"
    return [f"  {without}{said}", *(f"    {row}" for row in _shown(answer.found))]


def _shown(counterexample: Counterexample) -> Iterator[str]:
    """Databases, maps, tables, and what is lost."""
    world = counterexample.world
    near = ", ".join(f"{world.names[x]} - {world.names[y]}" for x, y in world.pairs if x < y)
    yield f"databases {', '.join(world.names)}; neighbours {near}"
    for n, (reading, given) in enumerate(zip(world.readings, counterexample.given, strict=False), start=1):
        table = ", ".join(
            f"{D} -> {reading.words[v]}" for D, v in zip(world.names, reading.values, strict=True)
        )
        reads = "everything" if reading.everything else table
        stated, words = (
            (reading.stated, world.names) if reading.inside is None else (reading.inside, reading.words)
        )
        pairs = ", ".join(f"{words[x]} - {words[y]}" for x, y in sorted(stated.pairs) if x < y) or "none"
        domain = "what it reads" if reading.inside is not None else "the databases"
        yield f"M{n} reads {reads}; {values(given)} for neighbours of {domain}: {pairs}"
    D, E = (world.names[x] for x in counterexample.pair)
    yield f"D = {D}, D' = {E}: concluded {values(counterexample.claim)}, lost {counterexample.lost}"
    for n, rows in enumerate(counterexample.rows, start=1):
        names = "the outcomes together" if counterexample.joint else f"M{n}"
        at = ("P = ({})" if len(rows[0]) > 1 else "normal noise around {}").format
        P, Q = (at(", ".join(map(str, rows[x]))) for x in counterexample.pair)
        yield f"{names}: {P} at D, {Q} at D'"


def values(given: Any) -> str:
    return ", ".join(f"{key} = {formulas.to_text(value)}" for key, value in given.items())


def data(answer: Answer) -> dict[str, Any]:
    """An answer as JSON."""
    statement, counterexample, looked = answer.statement, answer.found, answer.looked
    said: dict[str, Any] = {
        "page": statement.page.id,
        "notion": statement.notion,
        "without": answer.without.words if answer.without is not None else None,
        "settings": looked.settings,
        "mechanisms": looked.mechanisms,
    }
    if counterexample is not None:
        said["counterexample"] = {
            "databases": [counterexample.world.names[x] for x in counterexample.pair],
            "claimed": {key: formulas.to_text(value) for key, value in counterexample.claim.items()},
            "lost": counterexample.lost,
            "rows": [[list(map(str, rows[x])) for x in counterexample.pair] for rows in counterexample.rows],
        }
        if (text := file_text(answer)) is not None:
            said["problem"] = text
    return said


# the table of all pages


def table(answers: Iterable[Answer]) -> list[str]:
    """The rows of the table in theorems/README.md: one for each thing that is left out."""
    rows: dict[tuple[str, str], list[Answer]] = {}
    for answer in answers:
        path = answer.statement.page.path
        page = f"[{path.stem}]({path.parent.name}/{path.name})"
        rows.setdefault((page, answer.without.words if answer.without is not None else "nothing"), []).append(
            answer
        )
    return [
        "| theorem | without | |",
        "|---|---|---|",
        *(f"| {page} | {words} | {_cell(row)} |" for (page, words), row in rows.items()),
    ]


def _cell(answers: Sequence[Answer]) -> str:
    """What was found in all notions."""
    needed = [answer for answer in answers if answer.found is not None]
    shown = []
    for answer in needed:
        file, notion = file_name(answer), answer.statement.notion
        shown.append(notion if file_text(answer) is None else f"[{notion}]({FOLDER}/{file})")
    said = [f"needed: {', '.join(shown)}"] if shown else []
    if others := [answer for answer in answers if answer.found is None]:
        names = ", ".join(dict.fromkeys(other.statement.notion for other in others)) + ": " if needed else ""
        most = max((other.looked for other in others), key=lambda looked: looked.settings)
        said.append(f"{names}no counterexample in {most.sizes}")
    return "; ".join(said)
