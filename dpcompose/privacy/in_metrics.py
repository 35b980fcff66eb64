"""Which problem files are about privacy in metrics, and which about neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import floor
from typing import Any

from dpcompose.kernel.expressions.domains import Domain
from dpcompose.privacy.format.metric_tables import canonical_names
from dpcompose.spaces.moves.groups import LARGEST_GROUP

IN_COORDINATES = ("points", "product")
"""The classes that only problems about metrics have."""
BY_STEPS = "metric forms"
"""Below what key a saved file has the derivations about claims in canonical metrics."""


def in_groups(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same data, where databases within a distance m in the canonical metric of G are neighbours: m steps
    of G lead from the one to the other, so these are groups of m.

    >>> in_groups({"target": {"metric": "d_bounded", "within": "5/2"}})["target"]
    {'granularity': {'group': 2, 'of': 'bounded'}}
    """
    target = data.get("target")
    if not isinstance(target, Mapping) or set(target) != {"metric", "within"} or _in_coordinates(data):
        return data
    named = data.get("granularities")
    known: Mapping[str, Any] = canonical_names(named if isinstance(named, Mapping) else ())
    steps, metric = _counted(target["within"], data.get("parameters")), str(target["metric"]).strip()
    if steps is None or metric not in known:
        return data
    return {**data, "target": {"granularity": {"group": steps, "of": known[metric]}}}


def _counted(radius: Any, parameters: Any) -> int | str | None:
    """How many steps are within a distance, a number or a parameter; None where that is not known."""
    name = str(radius).strip()
    value = str(parameters.get(name, name) if isinstance(parameters, Mapping) else name)
    try:
        if value != name and not value[:1].isdigit():
            domain = Domain.read(value)
            return name if domain.integer and domain.positive else None
        steps = floor(Fraction(value))
    except (ValueError, ZeroDivisionError):
        return None
    return steps if 1 <= steps <= LARGEST_GROUP else None


def is_in_metrics(data: Mapping[str, Any]) -> bool:
    """Whether the data of a problem file are about privacy in metrics."""
    return "metrics" in data or _in_coordinates(data) or any(map(_in_metric, _guarantees(data)))


def is_for_neighbours(data: Mapping[str, Any]) -> bool:
    """Whether a problem file about privacy in metrics has claims, all about the neighbours of a target."""
    return bool(_list(data.get("claims"))) and may_be_for_neighbours(data)


def may_be_for_neighbours(data: Mapping[str, Any]) -> bool:
    """Whether a problem file about privacy in metrics has a target with neighbours, and no other claims."""
    alone = has_neighbours(data) and not any(map(_in_metric, _list(data.get("claims"))))
    return alone or known_for_neighbours(data)


def known_for_neighbours(data: Mapping[str, Any]) -> bool:
    """Whether a file has parts, samples or deals of records: they are known for neighbours alone, and so it
    is read as one about these."""
    tables = [mechanism for mechanism in _list(data.get("mechanisms")) if isinstance(mechanism, Mapping)]
    dealt = (
        isinstance(mechanism.get("reads"), Mapping) and "random-part" in mechanism["reads"]
        for mechanism in tables
    )
    drawn = any("sampled" in mechanism for mechanism in tables) or any(dealt)
    return (drawn or bool(data.get("partitions"))) and not _in_coordinates(data)


def has_neighbours(data: Mapping[str, Any]) -> bool:
    """Whether the target of a problem file about privacy in metrics has neighbours, on a class of records."""
    target = data.get("target")
    return isinstance(target, Mapping) and "granularity" in target and not _in_coordinates(data)


def _in_coordinates(data: Mapping[str, Any]) -> bool:
    databases = data.get("databases")
    return isinstance(databases, Mapping) and databases.get("kind") in IN_COORDINATES


def with_claims(data: Mapping[str, Any], in_metrics: bool) -> dict[str, Any]:
    """The data of a problem file with its claims in metrics only, or with those for neighbours only."""
    return {
        **data,
        "claims": [claim for claim in _list(data.get("claims")) if _in_metric(claim) == in_metrics],
    }


def _guarantees(data: Mapping[str, Any]) -> list[Any]:
    """The guarantees of mechanisms, the claims, and the target."""
    entries = [entry for key in ("mechanisms", "claims") for entry in _list(data.get(key))]
    tables = [entry for entry in entries if isinstance(entry, Mapping)]
    several = [guarantee for table in tables for guarantee in _list(table.get("satisfies"))]
    return [*entries, *(table.get("guarantee") for table in tables), *several, data.get("target")]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _in_metric(value: Any) -> bool:
    return isinstance(value, Mapping) and "metric" in value
