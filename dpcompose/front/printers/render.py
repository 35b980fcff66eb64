"""How results read as text: derivations, verdicts and counterexamples."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from dpcompose.front.documents.document import Best, Step, Told
from dpcompose.front.documents.verdict import Verdict
from dpcompose.language.decimals import beside
from dpcompose.language.said import plain
from dpcompose.proof.theory.registry import Page, rests

WIDTH = 78
MOST_DIGITS = 40
"""Fractions of more digits than these are printed with a decimal beside them."""


def guarantee(best: Best) -> str:
    """The best guarantee in a line, with what is cited for it, and how it stands."""
    return plain(best.said) + decimals(best) + cited(best)


def decimals(best: Best) -> str:
    """Beside numbers of many digits the decimals that these are rounded up to."""
    exact = (value for value in best.stated.values() if value.number is not None)
    return "".join(beside(value, up=True) for value in exact if len(str(value.number)) > MOST_DIGITS)


def cited(best: Best) -> str:
    """What is cited for a guarantee, how it stands, and the pages that it rests on."""
    believed = "".join(f"; {rest}" for rest in rests(best.relies_on))
    return f", by {' and '.join(best.items)}{best.standing}{believed}"


def paragraphs(pages: Sequence[Page], indent: str = "  ") -> list[str]:
    """A paragraph for each page that a result rests on, and for which nobody vouches."""
    return [_filled(row, indent, indent + "  ") for row in rests(pages)]


def _filled(row: str, indent: str, after: str, width: int = WIDTH) -> str:
    return textwrap.fill(row, width, initial_indent=indent, subsequent_indent=after)


# derivations


def derivation(told: Told) -> str:
    """The numbered steps, with those that they have as evidence, and what they believe without check."""
    return "\n".join([*_rows(told.steps), f"believed without check: {told.believed}"])


def _rows(steps: Sequence[Step]) -> Iterator[str]:
    """The steps of a derivation; those that step 2 has as evidence are 2.1, 2.2, ..."""
    if not steps:
        return
    numbers, indent = len(steps[-1].number), "   " * steps[0].before.count(".")
    for step in steps:
        head = f"{indent}{step.number:>{numbers}}. "
        below = " " * len(head)
        yield f"{_filled(plain(step.said), head, below)}\n{below}[{step.source}]"
        yield from _rows(step.below)


# verdicts


def verdict(n: int, found: Verdict) -> str:
    """A claim with its verdict, and for a refuted one what refutes it."""
    expected = "" if found.as_expected else f"  (expected: {found.claim.expect})"
    rows = [f"claim {n}: {found.written}", f"  {found.verdict.upper()}{found.standing}{expected}"]
    if found.reason:
        rows += [f"  {line}" for line in textwrap.wrap(f"because {found.reason}", WIDTH - 2)]
    rows += [f"  {found.least.by}"] if found.least.by else []
    rows += paragraphs(found.relies_on)
    rows += [f"  {row}" for row in counterexample(found)]
    return "\n".join(rows)


def counterexample(found: Verdict) -> Iterator[str]:
    """The two databases, the values, and the mechanisms that lose too much."""
    example = found.counterexample
    if example is None:
        return
    for letter, D in zip(("D ", "D'"), example.pair, strict=True):
        yield f"{letter} = {example.databases.printed(D)}"
    yield from map(plain, found.refutation())


def rows(best: Best, beside: Iterable[str] = (), indent: str = "") -> list[str]:
    """The best guarantee, those that stand beside it, and what they are about."""
    said = [guarantee(best), *beside, *about(best.scope, best.where)]
    return [f"{indent}{line}" for line in said] + paragraphs(best.relies_on, indent)


def about(scope: str, where: str) -> list[str]:
    """The databases, and what is assumed of parameters."""
    return [f"on {scope}", *([f"where {where}"] if where else [])]
