"""Whether a vector is a sum of others with factors ≥ 0, in exact numbers (the simplex method, by Bland's rule)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Row = Mapping[Any, Fraction]


def is_combination(wanted: Row, some: Sequence[Row]) -> bool:
    """Whether wanted = Σ c·v over some vectors v, with numbers c ≥ 0."""
    keys = sorted({key for row in (wanted, *some) for key in row}, key=repr)
    table = []
    for key in keys:
        way = -1 if wanted.get(key, 0) < 0 else 1
        table.append([way * row.get(key, ZERO) for row in (*some, wanted)])
    return _is_reached(table, len(some))


ZERO = Fraction(0)


def _is_reached(table: list[list[Fraction]], own: int) -> bool:
    """Whether the last column is reached without the units, with which the method begins."""
    basis = [own + n for n in range(len(table))]
    cost = [-sum((line[at] for line in table), ZERO) for at in range(own)]
    left = -sum((line[-1] for line in table), ZERO)
    while left < 0:
        entering = next((at for at in range(own) if cost[at] < 0), None)
        if entering is None:
            return False
        ratios = [
            (line[-1] / line[entering], basis[n], n) for n, line in enumerate(table) if line[entering] > 0
        ]
        if not ratios:
            return False
        _, _, leaving = min(ratios)
        pivot = table[leaving] = [x / table[leaving][entering] if x else x for x in table[leaving]]
        basis[leaving] = entering
        for n, line in enumerate(table):
            if n != leaving and line[entering]:
                c = line[entering]
                table[n] = [x - c * y if y else x for x, y in zip(line, pivot, strict=True)]
        c = cost[entering]
        cost = [x - c * y if y else x for x, y in zip(cost, pivot[:own], strict=True)]
        left -= c * pivot[-1]
    return True


__all__ = ["is_combination"]
