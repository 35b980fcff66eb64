"""Canonical metrics: how many steps of a granularity lead from one database to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcompose.proof.hypotheses.input_metrics import in_closed_form
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Theory
from dpcompose.spaces import given
from dpcompose.spaces.canonical.metrics import StepsInSpace
from dpcompose.spaces.canonical.named import counted
from dpcompose.spaces.canonical.small import space
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.inputs.maps import everything
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    from networkx import Graph

    from dpcompose.spaces.canonical.distances import MetricFunction
    from dpcompose.spaces.given import Neighbours


def canonical_metric(
    databases: DatabaseClass | Graph,
    granularity: Neighbours | None = None,
    theory: Theory | None = None,
) -> MetricFunction:
    """d_G on 𝔻: the fewest steps between neighbours that lead from D to E inside the class (GB Prop. A.1).

    databases -- the class, or a networkx graph whose nodes are the databases; granularity -- the neighbours;
    left out: the edges of the graph, each of which is one step: of one with weights, ValueError.

    In closed form where a fact page states one, else by shortest paths on a finite class.
    Distances are whole numbers or oo; at database symbols they are expressions.

    theory -- the pages with closed forms; else those that ship.  Raises TooLarge where no page has one and
    the class is infinite or too large.

    >>> import dpcompose as dpc
    >>> d = canonical_metric(dpc.multisets({"a", "b"}), dpc.bounded)
    >>> D, E = dpc.databases("D E")
    >>> d(("a", "a"), ("b", "b")), d(("a",), ()), d(D, E)
    (2, oo, d_bounded(D, E))
    >>> import networkx
    >>> canonical_metric(networkx.path_graph(4))(0, 3)
    3
    """
    if any(map(given.has_weights, (databases, granularity))):
        raise ValueError(
            "a canonical metric counts steps between neighbours, and the edges of this graph have weights: "
            "dpcompose.distances(G) is the metric of its shortest paths; nx.Graph(G.edges) has none"
        )
    on, about = given.classes(databases), given.neighbours(databases if granularity is None else granularity)
    return _metric(on, counted(about), theory or registry.standard())


def _metric(databases: DatabaseClass, granularity: Granularity, theory: Theory) -> MetricFunction:
    """The same of values of ours."""
    from dpcompose.spaces.canonical.distances import MetricFunction

    stated = in_closed_form(theory, databases, granularity, everything, "own")
    metric = StepsInSpace(space(databases, granularity)) if stated is None else stated.metric
    return MetricFunction(str(granularity), metric, databases, same=(databases, granularity))
