"""Granularities whose steps have no limit in those of another: no factor m holds, and it is said."""

from __future__ import annotations

from itertools import combinations

import pytest
import sympy

import dpcompose as dpc
from dpcompose.spaces.moves.granularities import Granularity

ALL = dpc.graphs()
NO_LIMIT = [
    (dpc.node, dpc.edge),
    (dpc.node, dpc.group(2, dpc.edge)),
    (dpc.group(2, dpc.node), dpc.edge),
    (dpc.union(dpc.edge, dpc.node), dpc.edge),
    (dpc.free_lunch, dpc.edge),
    (dpc.free_lunch, dpc.node),
    (dpc.free_lunch, dpc.group(2, dpc.node)),
    (dpc.free_lunch, dpc.union(dpc.edge, dpc.node)),
]


@pytest.mark.parametrize("step, of", NO_LIMIT, ids=str)
def test_no_factor_holds_on_graphs_of_any_size(step: Granularity, of: Granularity) -> None:
    found = dpc.sensitivity(dpc.everything, ALL, step, to=of)
    assert found.value is sympy.oo and f"moves by more and more {of} steps" in found.reason()


@pytest.mark.parametrize("n", [3, 4, 5])
def test_they_grow_by_enumeration(n: int) -> None:
    """A vertex has n - 1 edges, and all edges of a complete graph have an end among n - 1 vertices, not among
    n - 2."""
    pairs = list(combinations(range(n), 2))
    assert max(sum(v in pair for pair in pairs) for v in range(n)) == n - 1
    some = (each for size in range(n) for each in combinations(range(n), size))
    assert min(len(each) for each in some if all({*pair} & {*each} for pair in pairs)) == n - 1
    on = dpc.graphs(n)
    assert dpc.sensitivity(dpc.everything, on, dpc.node, to=dpc.edge).value == n - 1
    assert dpc.sensitivity(dpc.everything, on, dpc.free_lunch, to=dpc.node).value == n - 1


@pytest.mark.parametrize(
    "step, of, m",
    [
        (dpc.edge, dpc.node, 1),
        (dpc.group(2, dpc.edge), dpc.edge, 2),
        (dpc.group(2, dpc.edge), dpc.node, 2),
        (dpc.group(3, dpc.node), dpc.node, 3),
        (dpc.union(dpc.edge, dpc.node), dpc.node, 1),
    ],
    ids=str,
)
def test_a_factor_that_holds_is_found(step: Granularity, of: Granularity, m: int) -> None:
    assert dpc.sensitivity(dpc.everything, ALL, step, to=of).value == m


def test_sets_of_any_size() -> None:
    assert "d_unbounded <= m*d_free-lunch for no m" in repr(
        dpc.compare("unbounded", "free-lunch", dpc.sets())
    )


def test_it_is_said_both_ways() -> None:
    found = dpc.compare("edge", "node", ALL)
    assert str(found).splitlines()[:3] == [
        "on all graphs on any number of vertices",
        "d_edge <= m*d_node for no m: edge e-DP implies nothing for node neighbours  [GB:A.3]",
        "  D = {} and E = {1-2} are node neighbours, and in larger databases the database itself moves by more "
        "and more edge steps (as far apart as neighbours of this size can be)",
    ]
