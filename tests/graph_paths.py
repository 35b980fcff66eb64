"""Distances in a graph as networkx finds them, beside which others are held."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx

from dpcompose.spaces.canonical.metrics import INFINITE

Paths = Callable[[Any, Any], int]


def shortest_paths(graph: networkx.Graph) -> Paths:
    """The fewest edges between two nodes."""
    lengths = dict(networkx.all_pairs_shortest_path_length(graph))
    return lambda x, y: int(lengths[x].get(y, INFINITE))
