"""Graphs of a problem file, compared with a setting on pairs of vertices, on steps, or on all graphs one by one."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from second_checker.cells import same_cells
from second_checker.outcomes import NotRead, demand
from second_checker.relations import as_set, relation, relations, same_relation

Graph = tuple[tuple[int, ...], tuple[tuple[int, int], ...]]


def graphs(problem: Any, core: Any) -> Any:
    """Rejects a setting on graphs that is not the problem's; large classes are gone through again."""
    vertices = str(problem["databases"].get("vertices", ""))
    if vertices == "any":
        return own_steps(problem, core)
    if vertices.startswith("<= "):
        return one_by_one(problem, core, int(vertices.removeprefix("<= ")))
    if vertices.isdigit():
        return on_pairs(problem, core, list(range(1, int(vertices) + 1)))
    demand(vertices == "", "another number of vertices")
    return on_any(problem, core)


# -- pairs of vertices -----------------------------------------------------------------------------------


def on_pairs(problem: Any, core: Any, vertices: list[Any]) -> None:
    """The cells of a graph on these vertices are its pairs of vertices, in order."""
    blocks(problem, core, vertices)
    same_cells(problem, core, lambda reads: kept(reads, list(combinations(vertices, 2)), vertices))


def blocks(problem: Any, core: Any, vertices: list[Any]) -> None:
    """Rejects neighbours that are not those of graphs on these vertices."""
    pairs = list(combinations(vertices, 2))
    own = core["databases"]
    demand(own["kind"] == "cells" and own["count"] == len(pairs), "another number of vertices")
    singles = {
        "edge": [[cell] for cell in range(len(pairs))],
        "node": [[cell for cell, pair in enumerate(pairs) if v in pair] for v in vertices],
        "free-lunch": "any two",
    }
    relations(problem, core, singles)


def kept(reads: Any, pairs: list[Any], vertices: list[Any]) -> list[int]:
    """The pairs at a vertex, or among some vertices."""
    if set(reads) == {"vertex"}:
        demand(reads["vertex"] in vertices, "there is no such vertex")
        return [cell for cell, pair in enumerate(pairs) if reads["vertex"] in pair]
    if set(reads) != {"vertices"}:
        raise NotRead("setting", "what is read of a graph is neither at a vertex nor among some")
    demand(set(reads["vertices"]) <= set(vertices), "there is no such vertex")
    return [cell for cell, pair in enumerate(pairs) if set(pair) <= set(reads["vertices"])]


def on_any(problem: Any, core: Any) -> None:
    """Any number of vertices: twice as many without a name as edges change (blocks.md, Graphs)."""
    target = core["target"]
    if relation(problem["target"]["granularity"], {"edge": "edge"})[0] != "edge":
        raise NotRead("setting", "graphs on any number of vertices whose nodes change")
    need = 2 * target["steps"]
    reads = [m.get("reads", "everything") for m in problem["mechanisms"]]
    own = [r for r in reads if r != "everything"]
    named = sorted({v for r in own for v in r.get("vertices", [r.get("vertex")]) if isinstance(v, int)})
    families = [r for r in own if not isinstance(r.get("vertex", 1), int)]
    if not families:
        without = range(1, size(core) - len(named) + 1)
        demand(len(without) >= need, "too few vertices without a name")
        return on_pairs(problem, core, [*named, *(max(named, default=0) + n for n in without)])
    if len(families) != len(own):
        raise NotRead("setting", "vertices with a name beside a mechanism for each vertex")
    return for_each_vertex(problem, core, need)


def size(core: Any) -> int:
    """How many vertices have as many pairs as the setting has cells."""
    n = 0
    while n * (n - 1) // 2 < core["databases"]["count"]:
        n += 1
    return n


def for_each_vertex(problem: Any, core: Any, need: int) -> None:
    """A mechanism for each vertex: so many members and so many other vertices show everything."""
    vertices = list(range(1, size(core) + 1))
    blocks(problem, core, vertices)
    pairs = list(combinations(vertices, 2))
    for said, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        reads = said.get("reads", "everything")
        if reads == "everything":
            demand(one["reads"] == [None] and "partition" not in one, "everything is read")
            continue
        demand(reads == {"vertex": said["index"]} and "partition" in one, "no family on the vertices")
        if str(said["count"]).isdigit():
            raise NotRead("setting", "a number of members on vertices")
        members = len(one["reads"])
        demand(members >= need and len(vertices) - members >= need, "too few members, or other vertices")
        right = [kept({"vertex": v}, pairs, vertices) for v in vertices[:members]]
        demand([sorted(part) for part in one["reads"]] == right, "other pairs are read")
    every = [m["count"] for m in problem["mechanisms"] if "count" in m]
    shown = {(one["partition"], len(one["reads"])) for one in core["mechanisms"] if "partition" in one}
    demand(len(set(every)) == len(shown) == 1, "families of several numbers of members")


# -- vertices that come and go ---------------------------------------------------------------------------


def own_steps(problem: Any, core: Any) -> None:
    """Any vertices: only the steps of the target are looked at; so many vertices without edges are as far."""
    demand(core["databases"]["kind"] == "steps", "databases of another kind")
    relations(problem, core, {"node-removal": "step"})
    for said, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        demand(said.get("reads", "everything") == "everything", "less than everything is read")
        demand(one["reads"] == [None] and "partition" not in one, "less than everything is read")


def every_graph(n: int) -> list[Graph]:
    """All graphs on some of n vertices, by how many vertices and edges they have, then by their names."""
    found: list[Graph] = []
    for many in range(n + 1):
        for vertices in combinations(range(1, n + 1), many):
            pairs = list(combinations(vertices, 2))
            for edges in range(len(pairs) + 1):
                found += [(vertices, chosen) for chosen in combinations(pairs, edges)]
    return sorted(found, key=text)


def text(graph: Graph) -> Any:
    """How many vertices and edges, and their names."""
    vertices, edges = graph
    return len(vertices) + len(edges), [*map(str, vertices), *(f"{a}-{b}" for a, b in edges)]


def steps(every: list[Graph]) -> dict[str, list[tuple[int, int]]]:
    """Which graphs are a vertex with its edges, or an edge, apart."""
    at = {graph: i for i, graph in enumerate(every)}
    found: dict[str, list[tuple[int, int]]] = {"node-removal": [], "edge": []}
    for (vertices, edges), i in at.items():
        for v in vertices:
            left = tuple(u for u in vertices if u != v), tuple(pair for pair in edges if v not in pair)
            found["node-removal"].append(ordered(i, at[left]))
        for pair in edges:
            found["edge"].append(ordered(i, at[vertices, tuple(other for other in edges if other != pair)]))
    return found


def ordered(a: int, b: int) -> tuple[int, int]:
    """A pair of numbers, the smaller one first."""
    return min(a, b), max(a, b)


def one_by_one(problem: Any, core: Any, n: int) -> Any:
    """Some of n vertices: the setting with all graphs, which the one of the file has to say or to sum up."""
    if n > 5:
        raise NotRead("setting", "all graphs on many vertices")
    every = every_graph(n)
    singles = steps(every)
    own = core["databases"]
    demand(own["kind"] in ("listed", "arrays") and own["count"] == len(every), "another number of databases")
    told = told_anew(problem, core, every, singles)
    if own["kind"] == "arrays":
        relations(problem, core, {name: f"step of {name}" for name in singles})
        single, many = relation(problem["target"]["granularity"], singles)
        if many == 1:
            demand(own["gone through"] == len(as_set(single)), "another number of neighbours")
        return told
    same_relation(problem["target"]["granularity"], sorted_pairs(core["target"]), singles)
    for one, other in zip(core["mechanisms"], told["mechanisms"], strict=True):
        demand(one["reads"] == other["reads"], "another map")
        demand(
            as_set(sorted_pairs(one["stated"])["single"]) == as_set(other["stated"]["single"]),
            "other neighbours",
        )
        demand(one["stated"]["steps"] == other["stated"]["steps"], "other neighbours")
    return None


def sorted_pairs(own: Any) -> Any:
    """A relation whose pairs are written with the smaller number first."""
    if isinstance(own["single"], str):
        raise NotRead("setting", "any two graphs")
    return {**own, "single": [ordered(a, b) for a, b in own["single"]]}


def told_anew(problem: Any, core: Any, every: list[Graph], singles: Any) -> Any:
    """The setting with the databases one by one."""
    mechanisms = []
    for said, one in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        reads = said.get("reads", "everything")
        demand((reads == "everything") == (one["reads"] == [None]), "everything is read, or not")
        if reads != "everything" and (set(reads) != {"vertex"} or one["domain"] != "common"):
            raise NotRead("setting", "what is read of graphs whose vertices come and go")
        single, many = relation(said["guarantee"]["granularity"], singles)
        values = None if reads == "everything" else numbered(every, reads["vertex"])
        mechanisms.append({**one, "reads": [values], "stated": {"single": single, "steps": many}})
    single, many = relation(problem["target"]["granularity"], singles)
    databases = {"kind": "listed", "count": len(every)}
    return {
        **core,
        "databases": databases,
        "mechanisms": mechanisms,
        "target": {"single": single, "steps": many},
    }


def numbered(every: list[Graph], vertex: int) -> list[int]:
    """The edges at a vertex, numbered in the order in which they first occur."""
    seen: dict[Any, int] = {}
    return [seen.setdefault(tuple(e for e in edges if vertex in e), len(seen)) for _, edges in every]


__all__ = ["graphs"]
