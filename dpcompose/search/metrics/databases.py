"""Databases of a case of a product at values of its letters, as results print them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpcompose.kernel.covers import places
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.expressions.points import coordinate
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.metrics import where_of
from dpcompose.privacy.elaboration import Elaborated


def shown(
    told: Elaborated, theory: Theory, type: Type, point: Mapping[str, Fraction], who: str
) -> dict[str, Any]:
    """One of the databases D, E, F at a point by its parts: coordinates, records, or as its class shows."""
    found: dict[str, Any] = {}
    where, n = where_of(type), int(who == "E")
    records, listed = dict(places.records(told.core, theory, where, point)), dict(where.listed)
    for name, part in told.setting.databases.parts:
        if part.points is not None:
            every = part.points.coordinates
            found |= {x: str(point.get(str(coordinate(x, who)), Fraction(0))) for x in every}
        elif name in listed:
            found |= told.parts.of_number(name, listed[name][n])
        elif name in records:
            found |= told.parts.records(name, records[name][n])
    return found
