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
    some = [one for one in _list(data.get("mechanisms")) if isinstance(one, Mapping)]
    dealt = (isinstance(one.get("reads"), Mapping) and "random-part" in one["reads"] for one in some)
    drawn = any("sampled" in one for one in some) or any(dealt)
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
    return {**data, "claims": [one for one in _list(data.get("claims")) if _in_metric(one) == in_metrics]}


def _guarantees(data: Mapping[str, Any]) -> list[Any]:
    """The guarantees of mechanisms, the claims, and the target."""
    some = [one for key in ("mechanisms", "claims") for one in _list(data.get(key))]
    tables = [one for one in some if isinstance(one, Mapping)]
    several = [guarantee for table in tables for guarantee in _list(table.get("satisfies"))]
    return [*some, *(table.get("guarantee") for table in tables), *several, data.get("target")]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _in_metric(value: Any) -> bool:
    return isinstance(value, Mapping) and "metric" in value
