"""Policies beside any number of parts: the parts that a setting shows, and the edges of records in these.

A record lies in some of the parts, and nothing else is known of it; what a policy says of records in one part it
says of all of these.
"""

from __future__ import annotations

from typing import Any

from second_checker import policies, sizes
from second_checker.outcomes import NotRead, demand
from second_checker.policies import Record, neighbours, relations, same_edges
from second_checker.records import allowed, found_memberships, memberships, needed, shown


def parted(problem: Any, core: Any) -> None:
    """Rejects a setting on policies and parts that is not the problem's."""
    problem = {"granularities": {}, **problem}
    base, own = problem["databases"], core["databases"]
    demand(base["kind"] == own["of"] == "multisets", "databases of another kind")
    demand(sizes.told(base.get("size", "any")) == sizes.shown(own), "databases of other sizes")
    by_name = {name: policy for name, policy in problem["granularities"].items() if not within(policy)}
    if "records" in base or policies.attributes(problem) or names(by_name, problem):
        raise NotRead("setting", "named records, or attributes, beside parts")
    parts = shown(problem, core)
    found = found_memberships(core)
    demand(not memberships(problem, parts, needed(problem, core, parts)) - found, "a record is missing")
    every = memberships(problem, parts, {name: allowed(problem, name, parts) for name in parts})
    demand(not found - every, "records that are not there")
    demand(all("codes" not in one for one in core["mechanisms"]), "records that are recoded")
    check_beside(problem, core)
    atoms: list[list[Record]] = [[(name, 0) for name in atom] for atom in own["atoms"]]
    placed = {name: among(core, policy) for name, policy in problem["granularities"].items()}
    listed = [record for atom in atoms for record in atom]
    for said, relation in relations(problem, core):
        graph, steps = neighbours({"granularities": placed}, said, listed)
        demand(steps == relation["steps"], "other neighbours")
        if isinstance(graph, str) or isinstance(relation["single"], str):
            demand(graph == relation["single"], "other neighbours")
        else:
            same_edges(graph, relation["single"], atoms)


def check_beside(problem: Any, core: Any) -> None:
    """Rejects a setting that does not say which records are there in any case, where it matters: those that lie in
    no part; where all records lie in one part of one partition, and move within it, ways do not leave it."""
    own = core["databases"]
    reads = [one["reads"] for one in core["mechanisms"] if one.get("partition")]
    nowhere = {n for n in range(len(own["atoms"])) if not any(n in part for parts in reads for part in parts)}
    used = {one["partition"] for one in core["mechanisms"] if one.get("partition")}
    overlapping = any(problem["partitions"][name]["kind"] == "overlapping" for name in used)
    across = len(used) > 1 or overlapping
    moving = any(within(policy) for policy in problem["granularities"].values())
    demand(("beside" in own) == (across and moving), "records that are there in any case")
    demand(
        all({*some} == nowhere for some in own.get("beside", [])), "other records that are there in any case"
    )


def within(policy: Any) -> str:
    """The partition within whose parts records are replaced, if a policy names one."""
    replace = policy.get("replace")
    some = replace.get("within") if isinstance(replace, dict) else None
    return some if isinstance(some, str) else ""


def names(granularities: Any, problem: Any) -> bool:
    """Whether records have names, in policies or as what is read."""
    of_policies = any(policies.groups(one) or policies.comers(one) for one in granularities.values())
    reads = [one.get("reads", "everything") for one in problem["mechanisms"]]
    return of_policies or any(one != "everything" and "part" not in one for one in reads)


def among(core: Any, policy: Any) -> Any:
    """A policy with the records of the parts that are shown in place of these."""
    if not (name := within(policy)):
        return policy
    demand(not policies.comers(policy), "records that come or go by name")
    read = next((one["reads"] for one in core["mechanisms"] if one.get("partition") == name), None)
    if read is None:
        raise NotRead("setting", "parts that nobody reads")
    atoms = core["databases"]["atoms"]
    held = [[record for at in part for record in atoms[at]] for part in read]
    return {**policy, "replace": {"within": held}}
