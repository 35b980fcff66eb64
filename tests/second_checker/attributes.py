"""Records with attributes, and distances: a problem about them as one that lists records and edges.

All combinations of values are records.  Of values of an attribute that all mechanisms read alike, of which there may be
any number, two for each step of the target are enough: what neighbours differ in has no more, and all others may be
taken for one of these without a longer way anywhere (shapes/policies.md).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, count, product
from typing import Any

from second_checker.lines import with_numbers
from second_checker.outcomes import NotRead, demand

Records = dict[str, dict[str, str]]
"""The records, each with its values."""
MANY = 600
"""How many records are written out."""


def written_out(problem: Any) -> Any:
    """The same problem with records by name, and policies by groups of these."""
    problem = with_numbers(problem)
    base, policies = problem["databases"], problem.get("granularities", {})
    has = "attributes" in base
    if not has and all(isinstance(of(one), list | str) or "within" in of(one) for one in policies.values()):
        return problem
    known = combined(problem) if has else {name: {} for name in base.get("records", [])}
    plain = {key: value for key, value in base.items() if key != "attributes"}
    if known:
        plain["records"] = list(known)
    projected, mechanisms = projections(problem, known)
    problem = {**problem, "mechanisms": mechanisms, "maps": {**problem.get("maps", {}), **projected}}
    return {
        **problem,
        "databases": plain,
        "granularities": {name: {**one, **grouped(one, known)} for name, one in policies.items()},
        "mechanisms": [{**one, **chosen(one, known)} for one in problem["mechanisms"]],
    }


def of(policy: Any) -> Any:
    """What a policy says may take whose place."""
    return policy.get("replace", [])


def combined(problem: Any) -> Records:
    """The records that the attributes make."""
    given, sets = problem["databases"]["attributes"], problem["databases"]["kind"] == "sets"
    if sets and "any" in given.values():
        raise NotRead("setting", "sets of records with any values")
    values = {
        name: some if some != "any" else named(problem, name) + fresh(named(problem, name), steps(problem))
        for name, some in given.items()
    }
    values = {name: some if sets else few(problem, name, some) for name, some in values.items()}
    rows = list(product(*values.values()))
    if len(rows) > MANY:
        raise NotRead("setting", "many records with attributes")
    found = {written(row): dict(zip(given, row, strict=True)) for row in rows}
    demand(len(found) == len(rows), "records that are written alike")
    return found


def few(problem: Any, attribute: str, values: list[str]) -> list[str]:
    """As many values that are read alike as neighbours can have; all where records or distances are named."""
    for policy in problem.get("granularities", {}).values():
        told = of(policy)
        measured = "within-distance" in told and attribute in told.get("of", [attribute])
        if (
            measured
            or (isinstance(told, list) and told)
            or "within" in told
            or isinstance(policy.get("add-remove"), list)
        ):
            return values
    wanted = []
    for one in problem["mechanisms"]:
        reads = one.get("reads", "everything")
        if reads != "everything" and not {"where", "attributes"} & set(reads):
            return values
        if reads != "everything" and attribute in reads.get("where", ()):
            wanted.append(reads["where"][attribute])
    classes: dict[tuple[bool, ...], list[str]] = {}
    for value in values:
        classes.setdefault(tuple(value in some for some in wanted), []).append(value)
    kept = {value for some in classes.values() for value in some[: steps(problem)]}
    return [value for value in values if value in kept]


def named(problem: Any, attribute: str) -> list[str]:
    """The values of an attribute that mechanisms read."""
    found: dict[str, None] = {}
    for one in problem["mechanisms"]:
        reads = one.get("reads", "everything")
        if isinstance(reads, dict):
            found.update(dict.fromkeys(reads.get("where", {}).get(attribute, [])))
    return list(found)


def fresh(known: list[str], many: int) -> list[str]:
    """Some values that have no name: x, y, x', y', and so on."""
    names = (stem + "'" * n for n in count() for stem in "xy")
    return [name for name, _ in zip((one for one in names if one not in known), range(many), strict=False)]


def steps(problem: Any) -> int:
    """Two values for each step of the target."""
    said, m = problem["target"]["granularity"], 1
    while isinstance(said, dict) and "group" in said:
        said, m = said["of"], m * said["group"]
    return max(2, 2 * m)


def projections(problem: Any, known: Records) -> tuple[Any, Any]:
    """Attributes of all records that are read, as maps that recode each record."""
    maps, mechanisms = {}, []
    for n, one in enumerate(problem["mechanisms"]):
        reads = one.get("reads", "everything")
        kept = list(reads.get("attributes", [])) if isinstance(reads, dict) else []
        if kept and problem["databases"]["kind"] == "multisets":
            rows = {x: {name: value for name, value in of.items() if name in kept} for x, of in known.items()}
            codes = {x: written(row.values()) for x, row in rows.items()}
            there = {codes[x]: row for x, row in rows.items()}
            own = {name: {**p, **grouped(p, there)} for name, p in problem.get("granularities", {}).items()}
            maps[f"attributes of {n}"] = {"recode": codes, "granularities": own}
            one = {**one, "reads": {"map": f"attributes of {n}"}}
        mechanisms.append(one)
    return maps, mechanisms


def written(values: Any) -> str:
    """A record with some values."""
    row = list(values)
    return row[0] if len(row) == 1 else f"({', '.join(row)})"


def chosen(one: Any, known: Records) -> Any:
    """What a mechanism reads, record by record."""
    reads = one.get("reads", "everything")
    if reads == "everything" or "where" not in reads:
        return {}
    wanted = reads["where"]
    records = [x for x, of in known.items() if all(of[name] in some for name, some in wanted.items())]
    return {"reads": {"records": records}}


def grouped(policy: Any, known: Records) -> Any:
    """What may take whose place, group by group."""
    replace = policy.get("replace")
    if not isinstance(replace, dict) or "within" in replace:
        return {}
    if "within-distance" in replace:
        places = {x: placed(replace, known, x) for x in known}
        pairs = combinations(known, 2)
        return {"replace": [[x, y] for x, y in pairs if close(replace, places[x], places[y])]}
    (word,) = replace
    attributes = next(iter(known.values())).keys()
    some = attributes if replace[word] == "all" else replace[word]
    some = [one for one in some if one in attributes]  # what is read may have fewer
    moving = [[one] for one in some] if word == "one-of" else [some]
    if word == "keeps":
        moving = [[one for one in attributes if one not in some]]
    groups = []
    for own in moving:
        classes: dict[tuple[str, ...], list[str]] = {}
        for x, of in known.items():
            classes.setdefault(tuple(of[name] for name in attributes if name not in own), []).append(x)
        groups += [one for one in classes.values() if len(one) > 1]
    return {"replace": {"within": groups}}


def placed(replace: Any, known: Records, x: str) -> tuple[list[Fraction], list[str]]:
    """The coordinates of a record, and what else it has."""
    if not known[x]:
        return [Fraction(one.strip()) for one in x.strip("()").split(",")], []
    own = list(replace.get("of", known[x]))
    others = [value for name, value in known[x].items() if name not in own]
    return [Fraction(known[x][name].strip()) for name in own], others


def close(replace: Any, one: Any, other: Any) -> bool:
    """Whether two records are within the distance, and equal but for their coordinates."""
    if one[1] != other[1]:
        return False
    far = [abs(s - t) for s, t in zip(one[0], other[0], strict=True)]
    most = Fraction(str(replace["within-distance"]))
    measured = {"L1": sum, "max": max, "L2": lambda some: sum(x * x for x in some)}[replace["norm"]](far)
    return bool(measured <= (most * most if replace["norm"] == "L2" else most))
