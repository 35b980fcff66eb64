"""Problems about privacy in a metric in Python: the same values as in problem files, with sympy in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeAlias

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language import formulas
from dpcompose.language.shown import Shown
from dpcompose.privacy.guarantees.notions import InMetric
from dpcompose.privacy.mechanisms.mechanism import Mechanism as Stating
from dpcompose.privacy.mechanisms.noises import Noise
from dpcompose.privacy.mechanisms.statements import Measured
from dpcompose.privacy.writing import (
    granularities_data,
    guarantee_data,
    maps_data,
    mechanism_data,
    name_of_table,
)
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.classes.listed import edges_of, is_graph
from dpcompose.spaces.given import neighbours
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    import sympy
    from networkx import Graph

    from dpcompose.privacy.mechanisms.statements import Tabled

Formula: TypeAlias = "str | int | sympy.Expr"


@frozen
class Data(Shown):
    """A part of a problem file about privacy in a metric: a class of databases, or a metric, as its table.

    about -- the granularities that it names.
    """

    table: Mapping[str, Any] = field(hash=False)
    about: tuple[Granularity, ...] = ()

    def __repr__(self) -> str:
        return ", ".join(f"{key} = {value}" for key, value in self.table.items())


Databases: TypeAlias = "Data | DatabaseClass"
Stated: TypeAlias = "Measured | Tabled | Stating"
"""A mechanism with its guarantee, in a metric or for neighbours, or with its table."""
Mechanism: TypeAlias = "str | int | sympy.Expr | Noise | tuple[str, Noise]"


def points(
    coordinates: str, box: Sequence[tuple[Formula, Formula]] | None = None, disc: Formula | None = None
) -> Data:
    """The points of ℝ^m, of a box, or of a disc around the origin.

    coordinates -- m names: "x y"; box -- an interval for each, "oo" and "-oo" for none; disc -- a diameter.

    What are no coordinates, or ends of a box, is refused by `metric_study`, with ProblemError.

    >>> points("x y", disc="w")
    kind = points, coordinates = ['x', 'y'], disc = w
    """
    table: dict[str, Any] = {"kind": "points", "coordinates": coordinates.replace(",", " ").split()}
    if box is not None:
        table["box"] = [[_text(end) for end in interval] for interval in box]
    if disc is not None:
        table["disc"] = _text(disc)
    return Data(table)


def product(**parts: Databases) -> Data:
    """The databases with one database of each part, independently of each other.

    parts -- classes by name.  Raises TypeError for what is no class.

    >>> from dpcompose.spaces.classes.multisets import multisets
    >>> product(S=multisets(), home=points("x y"))
    kind = product, parts = {'S': {'kind': 'multisets', 'size': 'any'}, 'home': {'kind': 'points', \
'coordinates': ['x', 'y']}}
    """
    return Data({"kind": "product", "parts": {name: _databases(part) for name, part in parts.items()}})


def norm(word: str, of: str | None = None) -> Data:
    """‖f(D) − f(E)‖, in the norm L1, L2 or Linf, of a part or map f; left out: of the points themselves.

    word -- which norm.  What is no metric is refused by `metric_study`, with ProblemError or InvalidSetting.

    >>> norm("L2", of="home")
    norm = L2, of = home
    """
    return Data({"norm": word} | _of(of))


def steps_between(granularity: Granularity | str, of: str | None = None, **reads: Sequence[Any]) -> Data:
    """The fewest steps between neighbours, of a part; records or positions -- those that are counted.

    What is no metric is refused by `metric_study`, with ProblemError or InvalidSetting.

    >>> from dpcompose.spaces.moves.built_in import unbounded
    >>> steps_between(unbounded, of="S", records=["a"])
    granularity = unbounded, of = S, reads = {'records': ['a']}
    """
    read = {"reads": {key: list(value) for key, value in reads.items()}} if reads else {}
    about = neighbours(granularity)
    return Data({"granularity": about.data()} | _of(of) | read, (about,))


def in_coordinates(first: str, second: str, formula: Formula, of: str | None = None) -> Data:
    """A metric as a formula in the coordinates of two points, whose names are given.

    first, second -- the names of the coordinates of the two points.  What is no metric is refused by
    `metric_study`, with ProblemError or InvalidSetting.

    >>> in_coordinates("a b", "p q", "abs(a - p) + abs(b - q)/2")
    letters = [['a', 'b'], ['p', 'q']], formula = abs(a - p) + abs(b - q)/2
    """
    letters = [names.replace(",", " ").split() for names in (first, second)]
    return Data({"letters": letters, "formula": _text(formula)} | _of(of))


def distances(
    table: Sequence[tuple[str, str, Formula]] | Mapping[tuple[str, str], Formula] | Graph,
    of: str | None = None,
) -> Data:
    """A metric on a listed class pair by pair; a pair that is left out is at distance oo.

    table -- pairs with their distances, in a list or a dictionary, or a networkx graph: lengths of shortest
    paths, edges being as long as their weights; of -- a map: then it is one on its values.

    What is no metric is refused by `metric_study`, with ProblemError or InvalidSetting.

    >>> distances([("a", "b", 2), ("b", "c", "1/2"), ("a", "c", "5/2")])
    table = [['a', 'b', '2'], ['b', 'c', '1/2'], ['a', 'c', '5/2']]
    >>> distances({("a", "b"): 2})
    table = [['a', 'b', '2']]
    >>> import networkx
    >>> distances(networkx.Graph([("a", "b", {"weight": 0.5}), ("b", "c")]))
    table = [['a', 'b', '1/2'], ['a', 'c', '3/2'], ['b', 'c', '1']]
    """
    if is_graph(table):
        table = _of_paths(table)
    if isinstance(table, Mapping):
        table = [(x, y, value) for (x, y), value in table.items()]
    return Data({"table": [[x, y, _text(value)] for x, y, value in table]} | _of(of))


def _of_paths(graph: Graph) -> list[tuple[str, str, Formula]]:
    """How long the shortest paths between nodes of a graph are."""
    import networkx

    def length(x: object, y: object, edge: Mapping[Any, Any]) -> sympy.Expr:
        every = edge.values() if graph.is_multigraph() else [edge]
        return min(formulas.expression(formulas.term(one.get("weight", 1))) for one in every)

    lengths, nodes = dict(networkx.all_pairs_dijkstra_path_length(graph, weight=length)), list(graph)
    for x, y in edges_of(graph) if graph.is_directed() else ():
        if lengths[x][y] != lengths[y][x]:
            raise ValueError(
                f"from {x!r} to {y!r} it is {lengths[x][y]}, and {lengths[y][x]} back: that is no metric"
            )
    every = ((x, y) for n, x in enumerate(nodes) for y in nodes[n + 1 :])
    return [(str(x), str(y), lengths[x][y]) for x, y in every if y in lengths[x]]


def at_most(bound: Formula, metric: Data | None = None) -> Data:
    """A metric with a bound in other metrics that is declared for it; without one: known by the bound alone.

    What is no metric is refused by `metric_study`, with ProblemError or InvalidSetting.

    >>> at_most("2*L1", norm("L1", of="f"))
    norm = L1, of = f, at-most = 2*L1
    """
    known = Data({}) if metric is None else metric
    return Data({**known.table, "at-most": _text(bound)}, known.about)


def within(radius: Formula, metric: Formula) -> Data:
    """As a target all pairs of databases within a distance: claims without a metric are numbers for these.

    radius -- a number or formula; metric -- a formula in the named ones.  What is none is refused by
    `metric_study`, with ProblemError.

    >>> within("r", "L2")
    metric = L2, within = r
    """
    return Data({"metric": _text(metric), "within": _text(radius)})


def problem_data(
    mechanisms: Mapping[str, Mechanism],
    stated: Sequence[Stated],
    on: Databases,
    target: Granularity | Data | Formula | None,
    metrics: Mapping[str, Data | Formula],
    maps: Mapping[str, Sequence[Formula]],
    parameters: Mapping[str, str],
    title: str,
    adaptive: bool,
) -> dict[str, Any]:
    """The data of the problem file that says the same.

    mechanisms -- by name a metric, or noise; stated -- more of them, with guarantees.
    """
    data: dict[str, Any] = {"format": 1, "title": title, "parameters": dict(parameters)}
    data["databases"] = _databases(on)
    data["maps"] = {name: {"values": [_text(one) for one in some]} for name, some in maps.items()}
    data["metrics"] = {
        name: dict(metric.table) if isinstance(metric, Data) else {"formula": _text(metric)}
        for name, metric in metrics.items()
    }
    data |= {"adaptive": True} if adaptive else {}
    every = (guarantee for one in stated for guarantee in one.every)
    used = [one.about_granularity for one in every if not isinstance(one, InMetric)]
    used += [target] if isinstance(target, Granularity) else []
    used += [d.of[1] for one in stated if isinstance(one, Measured) for d in one.functions]
    used += [about for metric in metrics.values() if isinstance(metric, Data) for about in metric.about]
    if own := granularities_data(used):
        data["granularities"] = own
    data["maps"] |= maps_data([one.reads for one in stated], used)
    tables = {name_of_table(one.name): one.table for one in stated if not isinstance(one, Measured)}
    data |= {"tables": {name: table.data() for name, table in tables.items() if table is not None}}
    if isinstance(target, Granularity):
        data["target"] = {"granularity": target.data()}
    elif target is not None:
        data["target"] = dict(target.table) if isinstance(target, Data) else {"metric": _text(target)}
    data["mechanisms"] = [{"name": name} | _mechanism(mechanism) for name, mechanism in mechanisms.items()]
    data["mechanisms"] += [_stated(one) for one in stated]
    return data


def _stated(given: Stated) -> dict[str, Any]:
    if isinstance(given, Stating):
        return mechanism_data(given)
    if isinstance(given, Measured):
        every = [
            guarantee.data() if isinstance(guarantee, InMetric) else guarantee_data(guarantee)
            for guarantee in given.every
        ]
        known: Any = {"guarantee": every[0]} if len(every) == 1 else {"satisfies": every}
    else:
        known = {"table": name_of_table(given.name)}
        known |= {"post-processing": given.processing} if given.processing else {}
    return {"name": given.name, "reads": given.reads.data(), **known}


def _mechanism(given: Mechanism) -> dict[str, Any]:
    if isinstance(given, Noise):
        return {"noise": {given.word: _text(given.parameter)}}
    if isinstance(given, tuple):
        reads, noise = given
        return {"reads": reads, "noise": {noise.word: _text(noise.parameter)}}
    return {"guarantee": {"notion": "pure", "metric": _text(given)}}


def _databases(given: Databases) -> dict[str, Any]:
    if not isinstance(given, Data | DatabaseClass):
        raise TypeError(
            f"on is a class of databases, and not {type(given).__name__}: points(...), product(...), "
            "multisets(...), or listed(G) with the nodes of a networkx graph and pairs(name, G) for its edges"
        )
    return dict(given.table) if isinstance(given, Data) else given.data()


def _of(of: str | None) -> dict[str, str]:
    return {} if of is None else {"of": of}


def _text(given: Formula) -> str:
    return given if isinstance(given, str) else formulas.to_text(formulas.from_python(given))
