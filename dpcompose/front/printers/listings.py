"""Theorem pages as lists, tables and JSON: which there are, what they conclude, and which fit a setting."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from dpcompose.front.documents.bound import Bound
from dpcompose.proof.theory.registry import Page, Theory
from dpcompose.search.citations.citations import Fit

KINDS = (
    "named",
    "substitution",
    "step",
    "noise",
    "lemma",
    "rule",
    "closer",
    "conversion",
    "computed",
    "procedure",
    "shape",
    "metric",
    "processing",
    "sampling",
    "fact",
    "witness",
    "violation",
)
"""The kinds of pages in the order in which they are listed."""


def fits(bound: Bound, some: Sequence[Fit] | None = None) -> str:
    """Of composition theorems whether each fits, and why not; those with one reason on one line."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for fit in sorted(bound.fits if some is None else some, key=lambda fit: (not fit.best, not fit.fits)):
        mark = "*" if fit.best else "+" if fit.fits else "-"
        reasons.setdefault((mark, fit.reason), []).append(fit.page.name(*bound.numbered))
    rows = (f"{mark} {', '.join(names)}: {reason}" for (mark, reason), names in reasons.items())
    return "\n".join(textwrap.fill(row, 78, subsequent_indent="    ") for row in rows)


def fits_data(bound: Bound, some: Sequence[Fit] | None = None) -> list[dict[str, Any]]:
    """The same as JSON."""
    show = bound.steps.inputs.setting.databases.show
    return [
        {"page": fit.page.id, "fits": fit.fits, "best": fit.best, "reason": fit.reason}
        | ({"witness": [show(D) for D in fit.pair]} if fit.pair else {})
        for fit in (bound.fits if some is None else some)
    ]


def theorem_list(theory: Theory) -> str:
    """All pages, by kind: id, item, title."""
    rows: list[str] = []
    for kind in KINDS:
        rows += map(theorem_row, theory.of_kind(kind))
    return "\n".join(rows)


def theorem_row(page: Page) -> str:
    """A page in a line: id, kind, item, title."""
    items = ", ".join(page.items)
    believed = " (only believed)" if page.is_believed else ""
    return f"{page.id:<26} {page.head.kind:<13} {items:<10} {page.title}{believed}"


def theorem_table(theory: Theory) -> str:
    """Property × notion: the item and the conclusion of every named theorem, a dash where none is stated."""
    width = max(len(notion) for notion in theory.notions)
    rows = []
    for page in _by_item(theory):
        rows.append(page.title)
        for notion in sorted(theory.notions, key=lambda step: (step != "pure", step)):
            item, concluded = _cell(theory, page, notion)
            head = f"  {notion:<{width}}  {item:<10}  "
            after, further = " " * len(head), " " * (len(head) + 2)
            lines = [
                textwrap.fill(step, 78, initial_indent=after if n else head, subsequent_indent=further)
                for n, step in enumerate(concluded)
            ]
            rows += lines or [head.rstrip()]
    return "\n".join(rows)


def table_data(theory: Theory) -> list[dict[str, Any]]:
    """The same as JSON: one object a property."""
    notions = theory.notions
    return [
        {
            "id": page.id,
            "title": page.title,
            "notions": {
                notion: {"item": page.head.items.get(notion), "conclusion": conclusion(theory, page, notion)}
                for notion in notions
                if _is_stated(page, notion)
            },
        }
        for page in _by_item(theory)
    ]


def _by_item(theory: Theory) -> list[Page]:
    return sorted(theory.of_kind("named"), key=lambda page: page.cite("pure").order)


def _is_stated(page: Page, notion: str) -> bool:
    return notion in {*page.head.items, *page.head.conclusion}


def conclusion(theory: Theory, page: Page, notion: str) -> dict[str, str] | None:
    """The concluded formulas by parameter; None where the conclusion is the best bound itself."""
    given = page.head.conclusion.get(notion)
    if isinstance(given, dict) or given is None:
        return dict(given) if given else None
    return {theory.rule(notion).head.parameters[0]: given}


def _cell(theory: Theory, page: Page, notion: str) -> tuple[str, list[str]]:
    """The item, and a line for each parameter; of a gap a dash and no line."""
    if not _is_stated(page, notion):
        return "-", []
    concluded = conclusion(theory, page, notion)
    lines = [f"{key} = {formula}" for key, formula in concluded.items()] if concluded else ["by the profile"]
    return page.head.items.get(notion, page.head.items.get("any", "unnumbered")), lines


def page_data(page: Page) -> dict[str, Any]:
    """A page as JSON."""
    return {"id": page.id, "title": page.title, **page.head.data()}
