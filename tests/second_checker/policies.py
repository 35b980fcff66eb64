"""Policies of a problem file, compared with a setting on atoms and the edges between them.

A policy is a graph on the records and nothing.  Records that each mechanism reads alike, and that have the same
edges to all others, are twins; a setting shows classes of twins, those with two records or more by two of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

from second_checker import recodings, sizes
from second_checker.outcomes import NotRead, demand
from second_checker.relations import relation

Record = tuple[str, int]
"""The name of a record, and which of those with this name it is: they differ in what queries look at."""
Edges = set[frozenset[Record | None]]
SEEN = ("count", "bit")
"""Queries that look at no attribute of records."""


def policies(problem: Any, core: Any) -> None:
    """Rejects a setting on policies that is not the problem's."""
    problem = {"granularities": {}, **problem}
    base, own = problem["databases"], core["databases"]
    demand(base["kind"] == own["of"] and own["of"] in ("multisets", "sets"), "databases of another kind")
    demand(sizes.told(base.get("size", "any")) == sizes.shown(own), "databases of other sizes")
    if problem.get("partitions"):
        raise NotRead("setting", "parts beside policies")
    atoms = shown(problem, core)
    if own["of"] == "sets":
        all_shown(problem, core, atoms)
    every = universe(problem, atoms)
    for at, atom in enumerate(atoms):
        found = tuple(r is None or at in r for one in core["mechanisms"] for r in one["reads"])
        demand(all(read(problem, record) == found for record in atom), "records with other memberships")
    codes = [recoded(problem, one, every) for one in problem["mechanisms"]]
    seen = [recodings.agree(one, some, atoms) for one, some in zip(core["mechanisms"], codes, strict=True)]
    of_images(problem, core, atoms, seen)
    graphs = []
    for said, relation_ in relations(problem, core, seen):
        graph, steps = neighbours(problem, said, every)
        demand(steps == relation_["steps"], "other neighbours")
        if isinstance(graph, str) or isinstance(relation_["single"], str):
            demand(graph == relation_["single"], "other neighbours")
            continue
        same_edges(graph, relation_["single"], atoms)
        graphs.append(graph)
    listed = {record for atom in atoms for record in atom}
    for record in every:
        if record not in listed:
            twin(problem, record, atoms, every, graphs, codes)


def relations(problem: Any, core: Any, seen: Any = None) -> Iterator[tuple[Any, Any]]:
    """The neighbours of the target and of each guarantee, as the problem and as the setting has them.

    seen -- for each mechanism what becomes one record; then a guarantee on the own domain is left out.
    """
    demand("granularity" in problem["target"], "a target without a granularity")
    yield problem["target"]["granularity"], core["target"]
    for n, (said, one) in enumerate(zip(problem["mechanisms"], core["mechanisms"], strict=True)):
        if "noise" not in one and not (seen and seen[n] and one["domain"] == "own"):
            yield said["guarantee"]["granularity"], one["stated"]


def of_images(problem: Any, core: Any, atoms: list[list[Record]], seen: Any) -> None:
    """Rejects other neighbours of what records become than those of guarantees on the own domain."""
    for said, one, codes in zip(problem["mechanisms"], core["mechanisms"], seen, strict=True):
        if not codes or one["domain"] != "own" or "noise" in one:
            continue
        own = (recodings.of(problem, said) or {}).get("granularities", problem["granularities"])
        image = recodings.of_image(codes, atoms)
        there = [record for atom in image for record in atom]
        graph, steps = neighbours({"granularities": own}, said["guarantee"]["granularity"], there)
        demand(steps == one["stated"]["steps"], "other neighbours")
        if isinstance(graph, str) or isinstance(one["stated"]["single"], str):
            demand(graph == one["stated"]["single"], "other neighbours")
        else:
            same_edges(graph, one["stated"]["single"], image)


def recoded(problem: Any, mechanism: Any, every: list[Record]) -> dict[Record, str]:
    """What records become that a mechanism reads, if they become others."""
    recoding = recodings.of(problem, mechanism)
    if recoding is None:
        return {}
    if attributes(problem):
        raise NotRead("setting", "records that are recoded beside queries that look at attributes")
    return recodings.merged(recoding, every)


# -- records ---------------------------------------------------------------------------------------------


def shown(problem: Any, core: Any) -> list[list[Record]]:
    """The records of each atom; a name that the problem has not is another record, or one with other values."""
    names = [name for atom in core["databases"]["atoms"] for name in atom]
    demand(len(names) == len(set(names)), "a record in two atoms")
    pool, arbitrary, many = named(problem), "records" not in problem["databases"], attributes(problem)
    atoms = []
    for atom in core["databases"]["atoms"]:
        own = [name for name in atom if name in pool]
        fresh = [name for name in atom if name not in pool]
        demand(bool(atom) and (arbitrary or not fresh or (many and bool(own))), "records that are not there")
        others = (
            [(own[0], n) for n, _ in enumerate(fresh, 1)] if own and many else [(f"?{x}", 0) for x in fresh]
        )
        atoms.append([(name, 0) for name in own] + others)
    return atoms


def universe(problem: Any, atoms: list[list[Record]]) -> list[Record]:
    """All records but for twins of these: of an arbitrary universe two more, of each name two if it has two."""
    every = {record for atom in atoms for record in atom} | {(name, 0) for name in named(problem)}
    if attributes(problem):
        every |= {(name, -1) for name, _ in every}
    if "records" not in problem["databases"]:
        every |= {("?", 0), ("?", -1)}
    return sorted(every)


def named(problem: Any) -> set[str]:
    """The records that have a name."""
    own = {name for one in problem["mechanisms"] for name in names_read(one)}
    for policy in problem["granularities"].values():
        own |= {name for group in groups(policy) for name in group} | set(comers(policy))
    recoding = [one for m in problem["mechanisms"] if (one := recodings.of(problem, m)) is not None]
    further = {name for one in recoding for name in recodings.names(one)}
    given = problem["databases"].get("records")
    if given is None:
        return own | further
    demand(own - further <= set(given), "records that are not there")
    return set(given)


def names_read(one: Any) -> list[str]:
    """The records that a mechanism names."""
    reads = one.get("reads", "everything")
    if reads == "everything" or "map" in reads:
        return []
    if "records" not in reads:
        raise NotRead("setting", "what is read is no records")
    return list(reads["records"])


def attributes(problem: Any) -> bool:
    """Whether queries, also of studies, look at attributes: a record comes with every value, so that its name is
    that of many."""
    composed = [problem, *problem.get("studies", {}).values()]
    return any(one.get("query", "count") not in SEEN for some in composed for one in some["mechanisms"])


def read(problem: Any, record: Record) -> tuple[bool, ...]:
    """Which mechanisms read a record."""
    reads = [one.get("reads", "everything") for one in problem["mechanisms"]]
    return tuple(x == "everything" or "map" in x or record[0] in x["records"] for x in reads)


# -- edges -----------------------------------------------------------------------------------------------


def groups(policy: Any) -> list[list[str]]:
    """The sets of records in which each may become each other, but for "all"."""
    replace = policy.get("replace", [])
    found = replace["within"] if isinstance(replace, dict) else [] if replace == "all" else replace
    return [list(group) for group in found]


def comers(policy: Any) -> list[str]:
    """The records that may come or go, but for "all"."""
    some = policy.get("add-remove", [])
    return [] if some == "all" else list(some)


def edges(policy: Any, every: list[Record]) -> list[tuple[Record | None, Record | None]]:
    """The edges of a policy between these records and nothing."""
    demand(set(policy) <= {"replace", "add-remove"} and bool(policy), "no policy")
    found: list[tuple[Record | None, Record | None]] = []
    named = {frozenset(pair) for group in groups(policy) for pair in combinations(set(group), 2)}
    for x, y in combinations(every, 2):
        if policy.get("replace") == "all" or frozenset((x[0], y[0])) in named:
            found.append((x, y))
    some = comers(policy)
    found += [(None, x) for x in every if policy.get("add-remove") == "all" or x[0] in some]
    return found


def neighbours(problem: Any, said: Any, every: list[Record]) -> tuple[Edges | str, int]:
    """The graph of a granularity, and how many of its steps are one."""
    singles: dict[str, Any] = {
        "unbounded": [(None, x) for x in every],
        "bounded": list(combinations(every, 2)),
        "free-lunch": "any two",
    }
    singles |= {name: edges(policy, every) for name, policy in problem["granularities"].items()}
    single, steps = relation(said, singles)
    return single if isinstance(single, str) else {frozenset(edge) for edge in single}, steps


def same_edges(graph: Edges, single: Any, atoms: list[list[Record]]) -> None:
    """Rejects where the atoms have other edges than their records."""
    places: list[int | None] = [None, *range(len(atoms))]
    drawn = {frozenset(edge) for edge in single}
    demand(all(len(edge) == 2 and any(x is not None for x in edge) for edge in single), "no edges")
    demand(all(type(x) is int or x is None for edge in drawn for x in edge), "no edges")
    demand(all(x in places for edge in drawn for x in edge), "edges of no atom")
    records: list[list[Any]] = [[None], *atoms]
    for (a, own), (b, other) in product(zip(places, records, strict=True), repeat=2):
        pairs = {frozenset((x, y)) for x in own for y in other if x != y}
        demand(bool(pairs) or frozenset((a, b)) not in drawn, "an edge of a record with itself")
        demand(all((pair in graph) == (frozenset((a, b)) in drawn) for pair in pairs), "other neighbours")


def all_shown(problem: Any, core: Any, atoms: list[list[Record]]) -> None:
    """Rejects sets of which not all records are shown; of an arbitrary universe enough to fill sets that differ."""
    if attributes(problem):
        raise NotRead("setting", "sets, and queries that look at attributes")
    listed = {record for atom in atoms for record in atom}
    demand({(name, 0) for name in named(problem)} <= listed, "a record of sets is not shown")
    if "records" not in problem["databases"]:
        filling = sizes.told(problem["databases"].get("size", "any"))[0]
        others = len(listed) - len(named(problem))
        demand(others >= filling + 2 * core["target"]["steps"], "too few records of sets are shown")


def twin(
    problem: Any,
    record: Record,
    atoms: Any,
    every: list[Record],
    graphs: list[Edges],
    codes: list[dict[Record, str]],
) -> None:
    """Rejects where a record that is not shown is not like those of an atom with two."""
    same = (
        atom
        for atom in atoms
        if read(problem, record) == read(problem, atom[0])
        and all(one.get(record) == one.get(atom[0]) for one in codes)
    )
    demand(any(twins(record, atom, every, graphs) for atom in same), "a record is not shown")


def twins(record: Record, atom: list[Record], every: list[Record], graphs: list[Edges]) -> bool:
    """Whether a record has the edges of an atom with two."""
    if len(atom) < 2:
        return False
    one, two = atom[:2]
    others = [x for x in (*every, None) if x not in (one, record)]
    return all(
        (frozenset((record, one)) in graph) == (frozenset((one, two)) in graph)
        and all((frozenset((record, x)) in graph) == (frozenset((one, x)) in graph) for x in others)
        for graph in graphs
    )
