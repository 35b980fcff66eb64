"""Which problem files are about privacy in metrics, and which about neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

IN_COORDINATES = ("points", "product")
"""The classes that only problems about metrics have."""


def is_in_metrics(data: Mapping[str, Any]) -> bool:
    """Whether the data of a problem file are about privacy in metrics."""
    databases = data.get("databases")
    kind = databases.get("kind") if isinstance(databases, Mapping) else None
    return "metrics" in data or kind in IN_COORDINATES or any(map(_in_metric, _guarantees(data)))


def is_for_neighbours(data: Mapping[str, Any]) -> bool:
    """Whether all claims of a problem file about privacy in metrics are about the neighbours of a target."""
    databases, target, claims = (data.get(key) for key in ("databases", "target", "claims"))
    points = isinstance(databases, Mapping) and databases.get("kind") in IN_COORDINATES
    neighbours = isinstance(target, Mapping) and "granularity" in target
    return neighbours and not points and bool(_list(claims)) and not any(map(_in_metric, _list(claims)))


def _guarantees(data: Mapping[str, Any]) -> list[Any]:
    """The guarantees of mechanisms, the claims, and the target."""
    some = [one for key in ("mechanisms", "claims") for one in _list(data.get(key))]
    return [*some, *(one.get("guarantee") for one in some if isinstance(one, Mapping)), data.get("target")]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _in_metric(value: Any) -> bool:
    return isinstance(value, Mapping) and "metric" in value
