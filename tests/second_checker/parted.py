"""Policies beside any number of parts: the parts that a setting shows, and the edges of records in these.

A record lies in some of the parts, and nothing else is known of it; what a policy says of records in one part it
says of all of these.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

from second_checker import policies, sizes
from second_checker.outcomes import NotRead, demand
from second_checker.policies import Record, neighbours, relations, same_edges
from second_checker.records import allowed, lies, needed, shown, slots


def parted(problem: Any, core: Any) -> None:
    """Rejects a setting on policies and parts that is not the problem's."""
    problem = {"granularities": {}, **problem}
    base, own = problem["databases"], core["databases"]
    demand(base["kind"] == own["of"] == "multisets", "databases of another kind")
    demand(sizes.told(base.get("size", "any")) == sizes.shown(own), "databases of other sizes")
    if "records" in base or policies.attributes(problem):
        raise NotRead("setting", "records of a list, or attributes, beside parts")
    parts = shown(problem, core)
    copies = placed_copies(problem, core, parts)
    check_anonymous(problem, core, parts, {n for some in copies.values() for n in some})
    demand(all("codes" not in one for one in core["mechanisms"]), "records that are recoded")
    check_beside(problem, core, copies)
    called = {n: name for name, some in copies.items() for n in some}
    atoms: list[list[Record]] = [
        [(called[n], n)] if n in called else [(f"?{name}", 0) for name in atom]
        for n, atom in enumerate(own["atoms"])
    ]
    by_name = {name: among(core, policy, copies) for name, policy in problem["granularities"].items()}
    listed = [record for atom in atoms for record in atom]
    for said, relation in relations(problem, core):
        graph, steps = neighbours({"granularities": by_name}, said, listed)
        demand(steps == relation["steps"], "other neighbours")
        if isinstance(graph, str) or isinstance(relation["single"], str):
            demand(graph == relation["single"], "other neighbours")
        else:
            same_edges(apart(graph, called), without_copies(relation["single"], called), atoms)


def apart(graph: policies.Edges, called: dict[int, str]) -> policies.Edges:
    """The edges but for those between copies of one record, of which there is only one."""
    names = set(called.values())
    return {
        edge
        for edge in graph
        if len({x and x[0] for x in edge}) > 1 or not {x and x[0] for x in edge} <= names
    }


def without_copies(single: Any, called: dict[int, str]) -> list[Any]:
    """The edges of a setting but for those between copies of one record."""
    demand(all(one[0] != one[1] for one in single if {*one} <= {*called}), "an edge of a record with itself")
    return [one for one in single if len({called.get(n, n) for n in one}) > 1 or not {*one} <= {*called}]


def placed_copies(problem: Any, core: Any, parts: Any) -> dict[str, list[int]]:
    """The atoms of each record with a name: one for each way to lie in parts, and each read as the name and the parts
    are."""
    own, names = core["databases"], sorted(named(problem))
    told = [list(some) for some in own.get("copies", [])]
    every = [n for some in told for n in some]
    demand(len(every) == len(set(every)) and all(len(own["atoms"][n]) == 1 for n in every), "other copies")
    demand(len(told) == len(names), "copies of other records")
    found: dict[str, list[int]] = {}
    for name in names:
        some = [one for one in told if any(own["atoms"][n] == [name] for n in one)]
        demand(len(some) == 1, "copies of other records")
        lying = Counter(reads_of(core, n) for n in some[0])
        wanted = {lies_in(problem, parts, name, where) for where in ways(problem, core, parts, needed)}
        most = {lies_in(problem, parts, name, where) for where in ways(problem, core, parts, every_way)}
        demand(
            wanted <= set(lying) <= most and set(lying.values()) == {1}, "a copy is missing, or there twice"
        )
        found[name] = some[0]
    return found


def check_anonymous(problem: Any, core: Any, parts: Any, copies: set[int]) -> None:
    """Rejects where records without a name lie in other parts, or are fewer than two in each way to do so."""
    found: Counter[Any] = Counter()
    for n, atom in enumerate(core["databases"]["atoms"]):
        if n not in copies:
            found[reads_of(core, n)] += len(atom)
    wanted = {lies_in(problem, parts, None, where) for where in ways(problem, core, parts, needed)}
    most = {lies_in(problem, parts, None, where) for where in ways(problem, core, parts, every_way)}
    demand(wanted <= set(found) <= most and min(found.values()) >= 2, "a record is missing, or is not there")
    names = [x for atom in core["databases"]["atoms"] for x in atom]
    demand(len(names) == len(set(names)), "a record in two atoms")


def reads_of(core: Any, n: int) -> tuple[bool, ...]:
    """Which slots read an atom."""
    return tuple(r is None or n in r for one in core["mechanisms"] for r in one["reads"])


def lies_in(problem: Any, parts: Any, name: str | None, where: Any) -> tuple[bool, ...]:
    """Which slots read a record that lies in these parts."""
    return tuple(lies(slot, name, where) for slot in slots(problem, parts))


def every_way(problem: Any, core: Any, parts: Any) -> dict[str, set[frozenset[int]]]:
    """All choices of parts that a record may lie in."""
    return {name: allowed(problem, name, parts) for name in parts}


def ways(problem: Any, core: Any, parts: Any, choices: Any) -> list[dict[str, frozenset[int]]]:
    """All ways to lie in parts of each partition."""
    some = choices(problem, core, parts)
    return [
        dict(zip(sorted(parts), where, strict=True)) for where in product(*(some[x] for x in sorted(parts)))
    ]


def named(problem: Any) -> set[str]:
    """The records with a name, in policies or as what is read."""
    reads = [(one, one.get("reads", "everything")) for one in problem["mechanisms"]]
    others = [one for one, own in reads if own == "everything" or "part" not in own]
    by_name = {name: policy for name, policy in problem["granularities"].items() if not within(policy)}
    return policies.named({**problem, "mechanisms": others, "granularities": by_name})


def check_beside(problem: Any, core: Any, copies: dict[str, list[int]]) -> None:
    """Rejects a setting that does not say which records are there in any case, where it matters: those that lie in
    no part, and with each copy of a record with a name one without a name in the same parts; where all records lie in
    one part of one partition, and move within it, ways do not leave it."""
    own = core["databases"]
    families = [r for one in core["mechanisms"] if one.get("partition") for r in one["reads"]]
    called = {n for some in copies.values() for n in some}
    lying = [tuple(n in part for part in families) for n in range(len(own["atoms"]))]
    nowhere = {n for n, where in enumerate(lying) if not any(where) and n not in called}
    used = {one["partition"] for one in core["mechanisms"] if one.get("partition")}
    overlapping = any(problem["partitions"][name]["kind"] == "overlapping" for name in used)
    across = len(used) > 1 or overlapping
    moving = any(within(policy) for policy in problem["granularities"].values())
    demand(("beside" in own) == (bool(copies) or (across and moving)), "records that are there in any case")
    for n, some in enumerate(own.get("beside", [])):
        alike = {m for m, where in enumerate(lying) if where == lying[n] and m not in called}
        wanted = nowhere | (alike if n in called else set())
        demand({*some} == wanted, "other records that are there in any case")
    demand(len(own.get("beside", own["atoms"])) == len(own["atoms"]), "records that are there in any case")


def within(policy: Any) -> str:
    """The partition within whose parts records are replaced, if a policy names one."""
    replace = policy.get("replace")
    some = replace.get("within") if isinstance(replace, dict) else None
    return some if isinstance(some, str) else ""


def among(core: Any, policy: Any, copies: Any) -> Any:
    """A policy with the records of the parts that are shown in place of these."""
    if not (name := within(policy)):
        return policy
    demand(not policies.comers(policy), "records that come or go by name")
    if copies:
        raise NotRead("setting", "records with a name, and steps within parts")
    read = next((one["reads"] for one in core["mechanisms"] if one.get("partition") == name), None)
    if read is None:
        raise NotRead("setting", "parts that nobody reads")
    atoms = core["databases"]["atoms"]
    held = [[f"?{record}" for at in part for record in atoms[at]] for part in read]
    return {**policy, "replace": {"within": held}}
