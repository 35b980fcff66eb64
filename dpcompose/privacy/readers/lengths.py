"""Metrics that problem files give pair by pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpcompose.kernel.expressions import formulas as kernel
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.privacy.format.checks import Mistakes, Place, near, shown
from dpcompose.privacy.guarantees.fibres import both_ways, broken
from dpcompose.spaces.canonical.compared import Tabled
from dpcompose.spaces.inputs.maps import Map

Lengths = dict[tuple[Any, Any], Fraction]
"""How far apart points are, each two once; those that are left out are at distance ∞."""


def tabled(
    table: Sequence[Sequence[str]],
    databases: Iterable[Any],
    of: Map,
    symbols: Mapping[str, Term],
    mistakes: Mistakes,
    path: Place,
    part: str = "",
) -> Tabled | None:
    """The metric of a table on the databases of a part, or on the values of a map of these; as `lengths`."""
    points = [*dict.fromkeys(map(of, databases))]
    read = lengths(table, points, symbols, mistakes, (*path, "table"))
    return None if read is None else Tabled(part, {frozenset(pair): far for pair, far in read.items()}, of)


def lengths(
    table: Sequence[Sequence[str]],
    points: Sequence[Any],
    symbols: Mapping[str, Term],
    mistakes: Mistakes,
    path: Place,
) -> Lengths | None:
    """The distances of a table; None where it is none, or no metric, which is told.

    points -- what they are between; symbols -- what names mean; path -- that of the table.

    >>> mistakes = Mistakes()
    >>> lengths([["a", "b", "2"], ["b", "c", "oo"]], "abc", {}, mistakes, ("table",))
    {('a', 'b'): Fraction(2, 1)}
    >>> lengths([["a", "b", "1"], ["b", "c", "1"]], "abc", {}, mistakes, ("table",))
    >>> print(*mistakes.all)
    table: this is no metric: from a to b it is 1, from b to c 1, but from a to c oo
    """
    read: dict[tuple[Any, Any], Fraction | None] = {}
    before = len(mistakes.all)
    for n, (x, y, text) in enumerate(table):
        try:
            value = kernel.parse(text, symbols)
        except formulas.FormulaError as error:
            mistakes.wrong((*path, n), error)
            continue
        if why := _unfit(x, y, text, value, points, read):
            mistakes.wrong((*path, n), why)
        read[x, y] = value.number
    values = {pair: far for pair, far in read.items() if far is not None and pair[0] != pair[1]}
    if len(mistakes.all) == before and (three := broken(values, points)) is not None:
        mistakes.wrong(path, _no_metric(values, *three))
    return values if len(mistakes.all) == before else None


def _unfit(
    x: Any, y: Any, text: str, value: Term, points: Sequence[Any], read: Mapping[tuple[Any, Any], object]
) -> str:
    """Why an entry of a table is no distance of two points; "" where it is one."""
    if missing := [point for point in (x, y) if point not in points]:
        return f"{shown(missing[0])} is no database of the class{near(missing[0], map(str, points))}"
    if value.kind != "oo" and (value.number is None or value.number < 0):
        return f"a distance is a number >= 0 or oo, not {text}; parameters stand before metrics"
    if x == y and value.number != 0:
        return f"the distance of {x} to itself is 0, not {text}"
    return f"the distance of {x} and {y} stands there twice" if {(x, y), (y, x)} & read.keys() else ""


def _no_metric(lengths: Lengths, x: Any, y: Any, z: Any) -> str:
    """That the triangle inequality fails at three points."""
    both = both_ways(lengths)
    return (
        f"this is no metric: from {x} to {y} it is {both[x, y]}, from {y} to {z} {both[y, z]}, "
        f"but from {x} to {z} {both.get((x, z), 'oo')}"
    )
