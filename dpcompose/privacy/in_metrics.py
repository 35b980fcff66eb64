"""Which problem files are about privacy in metrics, and which about neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

IN_COORDINATES = ("points", "product")
"""The classes that only problems about metrics have."""
BY_STEPS = "metric forms"
"""Below what key a saved file has the derivations about claims in canonical metrics."""


def is_in_metrics(data: Mapping[str, Any]) -> bool:
    """Whether the data of a problem file are about privacy in metrics."""
    databases = data.get("databases")
    kind = databases.get("kind") if isinstance(databases, Mapping) else None
    return "metrics" in data or kind in IN_COORDINATES or any(map(_in_metric, _guarantees(data)))


def is_for_neighbours(data: Mapping[str, Any]) -> bool:
    """Whether a problem file about privacy in metrics has claims, all about the neighbours of a target."""
    return bool(_list(data.get("claims"))) and may_be_for_neighbours(data)


def may_be_for_neighbours(data: Mapping[str, Any]) -> bool:
    """Whether a problem file about privacy in metrics has a target with neighbours, and no other claims.

    One with parts of records, which neighbours change, is always read so.
    """
    if data.get("partitions"):
        return True
    return has_neighbours(data) and not any(map(_in_metric, _list(data.get("claims"))))


def has_neighbours(data: Mapping[str, Any]) -> bool:
    """Whether the target of a problem file about privacy in metrics has neighbours, on a class of records."""
    databases, target = data.get("databases"), data.get("target")
    points = isinstance(databases, Mapping) and databases.get("kind") in IN_COORDINATES
    return isinstance(target, Mapping) and "granularity" in target and not points


def with_claims(data: Mapping[str, Any], in_metrics: bool) -> dict[str, Any]:
    """The data of a problem file with its claims in metrics only, or with those for neighbours only."""
    return {**data, "claims": [one for one in _list(data.get("claims")) if _in_metric(one) == in_metrics]}


def _guarantees(data: Mapping[str, Any]) -> list[Any]:
    """The guarantees of mechanisms, the claims, and the target."""
    some = [one for key in ("mechanisms", "claims") for one in _list(data.get(key))]
    tables = [one for one in some if isinstance(one, Mapping)]
    several = [guarantee for one in tables for guarantee in _list(one.get("satisfies"))]
    return [*some, *(one.get("guarantee") for one in tables), *several, data.get("target")]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _in_metric(value: Any) -> bool:
    return isinstance(value, Mapping) and "metric" in value
