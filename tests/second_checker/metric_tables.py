"""Tables of probabilities, and studies of listed databases, in settings about any two databases.

What a study composes stands in its place, as mechanisms on what a map reads; a table loses what its rows do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from second_checker.algebra import Algebra
from second_checker.distances import Far, OfProblem, ratio
from second_checker.forms import ZERO, minus
from second_checker.outcomes import NotRead, Rejected, demand
from second_checker.pairs import Case


@dataclass(frozen=True)
class Within:
    """A study, and which of its databases each one of the whole becomes."""

    problem: Any
    chart: Mapping[str, str]


def flattened(problem: Any) -> Any:
    """The problem with the mechanisms of studies in place of these; `within` says of what databases they are."""
    mechanisms = []
    for said in problem["mechanisms"]:
        if "study" not in said:
            mechanisms.append(said)
            continue
        inner, base = problem["studies"][said["study"]], problem["databases"]
        demand(set(said) <= {"name", "reads", "study"}, "a study with other entries")
        if (
            base["kind"] != "listed"
            or inner["databases"]["kind"] != "listed"
            or {"studies", "adaptive"} & set(inner)
        ):
            raise NotRead("metrics", "studies of other databases, or in studies")
        reads = said.get("reads", "everything")
        every = base["elements"]
        chart = (
            dict(zip(every, every, strict=True))
            if reads == "everything"
            else problem["maps"][reads["map"]]["table"]
        )
        demand(set(chart.values()) == set(inner["databases"]["elements"]), "a study of other databases")
        of = Within(inner, chart)
        mechanisms += [
            {**one, "name": f"{said['name']}.{one['name']}", "within": of} for one in inner["mechanisms"]
        ]
    return {**problem, "mechanisms": mechanisms}


def elements(problem: Any) -> list[str]:
    """Listed databases in the order in which they have numbers."""
    return sorted(problem["databases"]["elements"])


def rows(said: Any, problem: Any) -> list[list[str]]:
    """The row of each database in the table of a mechanism."""
    of = said.get("within")
    told = (problem if of is None else of.problem)["tables"][said["table"]]["rows"]
    if said.get("reads", "everything") != "everything":
        raise NotRead("metrics", "tables of what is read")
    return [list(told[name if of is None else of.chart[name]]) for name in elements(problem)]


def agree(said: Any, one: Any, problem: Any, core: Any) -> None:
    """Rejects another table than that of the problem file."""
    demand(
        problem["databases"]["kind"] == "listed" and one["table"]["on"] == "databases",
        "a table of something else",
    )
    algebra, of = Algebra(core["parameters"]), said.get("within")
    tables = problem["tables"] if of is None else of.problem["tables"]
    own, told = one["table"]["rows"], rows(said, problem)
    demand(one["table"]["outcomes"] == tables[said["table"]]["outcomes"], "other outcomes")
    demand(
        len(own) == len(told) and all(len(x) == len(y) for x, y in zip(own, told, strict=True)), "other rows"
    )
    same = all(
        algebra.read(p) == algebra.read(q)
        for x, y in zip(own, told, strict=True)
        for p, q in zip(x, y, strict=True)
    )
    demand(same, "another probability")
    demand(one["notion"] == "pure" and one["values"] == {"epsilon": "1"}, "another guarantee of a table")
    distance = core["distances"].get(one["metric"]["formula"], {}).get("input", {})
    demand(
        distance.get("table") == one["table"] and not one["metric"]["besides"],
        "the distance of another table",
    )


def lost(said: Any, problem: Any, core: Any, algebra: Algebra, case: Case) -> Far:
    """What a table loses in a case; what is said of it is seen to be no less."""
    x, y = case.listed[""]
    told = rows(said, problem)
    r = ratio(algebra, told[x], told[y])
    if "guarantee" not in said:
        return r
    given = said["guarantee"]
    demand(given["notion"] == "pure" and set(given) == {"notion", "metric"}, "a table with another guarantee")
    most = metrics(said, problem, core, algebra, case).value(given["metric"])
    if most is not None and (r is None or algebra.sign(minus(most, r)) < 1):
        if r is None or algebra.range(minus(most, r))[1] < 0:
            raise Rejected("a table that has not its guarantee")
        raise NotRead("metrics", "a table that is not seen to have its guarantee")
    return r


def metrics(said: Any, problem: Any, core: Any, algebra: Algebra, case: Case) -> OfProblem:
    """The metrics of the problem file, or of the study that a mechanism is of."""
    of = said.get("within")
    if of is None:
        return OfProblem(algebra, case, problem, core)
    names = elements(of.problem)
    x, y = (names.index(of.chart[elements(problem)[n]]) for n in case.listed[""])
    there = Case(listed={"": (x, y)}, same=frozenset([""] if x == y else []))
    inside = {"databases": {"parts": {"": {"kind": "listed", "count": len(names)}}}, "distances": {}}
    return OfProblem(algebra, there, of.problem, inside)


def nearest(said: Any, problem: Any, core: Any, algebra: Algebra, case: Case) -> tuple[Far, Far]:
    """What is stated, and the δ beside it, at the nearest two databases with the same values of a map.

    What is stated of two databases holds of all others that are read as they are.  Where of some pair both are least,
    that is all that is known.
    """
    given, chart = said["guarantee"], problem["maps"][said["reads"]["map"]]["table"]
    names, (x, y) = elements(problem), case.listed[""]
    if chart[names[x]] == chart[names[y]]:
        return ZERO, ZERO
    found: list[tuple[Far, Far]] = []
    for a, one in enumerate(names):
        for b, other in enumerate(names):
            if (chart[one], chart[other]) == (chart[names[x]], chart[names[y]]):
                of = OfProblem(algebra, Case(listed={"": (a, b)}), problem, core)
                found.append((of.value(given["metric"]), of.value(given.get("delta", "0"))))

    def at_most(p: Far, q: Far) -> bool:
        return q is None or (p is not None and algebra.sign(minus(q, p)) >= 1)

    for pair in found:
        if all(at_most(pair[0], other[0]) and at_most(pair[1], other[1]) for other in found):
            return pair
    raise NotRead("metrics", "several databases with the same values, of which none are nearest")


__all__ = ["Within", "agree", "flattened", "lost", "metrics", "nearest"]
