"""The profile of what persons contribute: bags of rows in at most L parts, at most m in each (shapes/contributions.md)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, product
from typing import Any

from second_checker.algebra import Algebra
from second_checker.facts import named, of_edits
from second_checker.forms import ZERO, Form, add, minus, number, rational
from second_checker.outcomes import NotRead, demand
from second_checker.pages import Library
from second_checker.pairs import simple
from second_checker.profiles import BOTH, B, U, edits
from second_checker.scaled import Far, Scaled, check_times, ranked

INF = float("inf")
Parts = frozenset[int]


class Bags:
    """A setting on contributions."""

    def __init__(self, core: Any, library: Library) -> None:
        self.core, self.library = core, library
        self.algebra = Algebra(core["parameters"])
        self.base, self.target = core["databases"], core["target"]["single"]
        demand(set(self.base) == {"kind", "shown", "parts", "outside"}, "contributions with other entries")
        wanted = {"parts", "rows", "replaced", "records"}
        demand(set(self.target) <= wanted and core["target"]["steps"] == 1, "a target with other entries")
        self.most, self.rows = (self.algebra.read(self.target[key]) for key in ("parts", "rows"))
        for form in (self.most, self.rows):
            demand(self.algebra.sign(minus(form, number(1))) >= 1, "numbers of parts and rows from 1")
        self.way = self.target["replaced"]
        demand(self.way in ("no", "bag", "rows"), "bags that are replaced in another way")

    def moved(self, one: Any, a: int, b: int) -> Far:
        """How far what is read moves where `a` of its parts lose m rows, and b gain as many."""
        if not a and not b:
            return ZERO
        lost, gained = (self.algebra.times(number(x), self.rows) for x in (a, b))
        if "noise" in one:
            return self.of_noise(one, lost, gained)
        single, whole = one["stated"]["single"], one["reads"] == [None]
        if single == "any two":
            return number(1)
        if isinstance(single, dict):
            self.demand_same(single)
            if single["replaced"] == "no":
                return number((a > 0) + (b > 0))
            level = a == b or (one["domain"] == "common" and not whole and bool(self.base["outside"]))
            return number(1) if single["replaced"] == "bag" or level else INF
        kind = edits(one["stated"])
        demand(kind in (U, B, BOTH), "edits that are none of the three")
        if kind == U:
            return add(lost, gained)
        if kind == B and (whole or one["domain"] == "own"):
            return lost if a == b else INF
        return lost if a >= b else gained

    def demand_same(self, single: Any) -> None:
        """Rejects bags of another size."""
        same = (
            self.algebra.read(single["parts"]) == self.most and self.algebra.read(single["rows"]) == self.rows
        )
        if not same or set(single) != {"parts", "rows", "replaced"}:
            raise NotRead("setting", "bags of another size")

    def of_noise(self, one: Any, lost: Form, gained: Form) -> Form:
        """How far the value of a query moves; of rows that come or go it is a multiple of their number."""
        noise = one["noise"]
        query, page = self.library.one(noise["query"]["page"]), self.library.one(noise["page"])
        if self.way != "no" or query.get("sized") or "only" in query or "n" in noise["query"]:
            raise NotRead("noise", "of rows that are replaced, or of sized queries")
        names = {key: self.algebra.read(text) for key, text in noise["query"]["values"].items()}
        text = query["moves"][page["norm"]]
        value, once = (
            simple(self.algebra, self.algebra.read(text, {**names, "removed": x, "added": gained}))
            for x in (lost, number(1))
        )
        demand(value == self.algebra.times(lost, once), "a query that is no multiple of the number of rows")
        return value

    # -- types -------------------------------------------------------------------------------------------

    def types(self) -> tuple[list[dict[int, Far]], dict[int, Form]]:
        """All types, and how many members of each family move."""
        families: dict[str, list[int]] = {}
        for i, one in enumerate(self.core["mechanisms"]):
            if "partition" in one:
                demand(one["reads"] == [[]], "a family of parts that are written out")
                families.setdefault(one["partition"], []).append(i)
        fixed: dict[int, Far] = {}
        many: dict[int, Form] = {}
        for own in families.values():
            count, pattern = self.of_family([self.core["mechanisms"][i] for i in own])
            for i in own:
                fixed[i], many[i] = self.moved(self.core["mechanisms"][i], *pattern), count
        found = []
        for lose, gain in self.choices():
            found.append(
                {
                    i: fixed[i] if i in fixed else self.of_reader(one, lose, gain)
                    for i, one in enumerate(self.core["mechanisms"])
                }
            )
        return found, many

    def of_family(self, own: list[Any]) -> tuple[Form, tuple[int, int]]:
        """How many members move, and how, where bags are the worst for all families on a partition."""
        if self.way == "no":
            return self.most, (1, 0)
        alone, together = ([self.moved(one, *pattern) for one in own] for pattern in ((1, 0), (1, 1)))
        if alone == together or INF in alone:
            return self.algebra.times(number(2), self.most), (1, 0)
        twice = [x if isinstance(x, float) else self.algebra.times(number(2), x) for x in alone]
        if twice == together and all(one["notion"] in ("pure", "zcdp", "gaussian") for one in own):
            return self.most, (1, 1)
        raise NotRead("setting", "families of which the worst bags are not seen")

    def choices(self) -> Iterator[tuple[Parts, Parts]]:
        """The parts that lose rows, and those that gain some."""
        parts = range(len(self.base["parts"]))
        if not parts:
            yield from [(frozenset(), frozenset())]
            return
        many = rational(self.most)
        if many is None:
            raise NotRead("setting", "a letter for how many of the parts that are written out")
        some = [frozenset(x) for x in chain(*(combinations(parts, n) for n in range(int(many) + 1)))]
        for lose, gain in product(some, some):
            if (self.way == "no" and gain) or not lose | gain:
                continue
            if self.way == "rows" and not self.base["outside"] and len(lose) != len(gain):
                continue
            if all(len(self.base["parts"][n]) > 1 for n in lose & gain):
                yield lose, gain

    def of_reader(self, one: Any, lose: Parts, gain: Parts) -> Far:
        """How far what a part or everything holds moves."""
        (reads,) = one["reads"]
        if reads is not None:
            demand(len(reads) == 1 and 0 <= reads[0] < len(self.base["parts"]), "one part is read")
            return self.moved(one, len(lose.intersection(reads)), len(gain.intersection(reads)))
        if "records" in self.target:
            return self.moved(one, 1, int(self.way != "no"))
        stated = one.get("stated", {}).get("single")
        if stated == "any two" or isinstance(stated, dict):
            ways = [(1, 0)] if self.way == "no" else [(1, 1)] if self.way == "rows" else [(1, 0), (1, 1)]
            values = [self.moved(one, *way) for way in ways]
            return (
                INF
                if INF in values
                else max((x for x in values if not isinstance(x, float)), key=lambda x: rational(x) or 0)
            )
        if not self.base["outside"]:
            return self.moved(one, len(lose), len(gain))
        if "noise" in one or any(
            self.algebra.sign(self.algebra.read(x)) != 2 for x in one["values"].values()
        ):
            raise NotRead("setting", "what moves without a limit, and may lose nothing")
        return INF


def lost(core: Any, library: Library) -> Scaled:
    """What mechanisms lose of persons."""
    bags, times = Bags(core, library), check_times(core)
    found, many = bags.types()
    if times is not None and bags.way != "no":
        raise NotRead("setting", "groups of bags that are replaced")
    return ranked(core, library, found, many, times)


def as_records(core: Any) -> Any:
    """The same multisets as records in the atoms that are told, where no neighbours are those of persons."""
    base = core["databases"]
    if any(isinstance(one.get("stated", {}).get("single"), dict) for one in core["mechanisms"]):
        raise NotRead("setting", "guarantees for persons, of single rows")
    atoms = [*base["parts"], *([base["outside"]] if base["outside"] else [])]
    return {
        **core,
        "databases": {"kind": "records", "of": "multisets", "size": ["any", None], "atoms": atoms},
    }


def demand_named(core: Any, library: Library) -> None:
    """Rejects a cover without the pages of its metrics."""
    base = {"size": ["any", None], "of": "multisets", "atoms": [None] * (len(core["databases"]["parts"]) + 2)}
    for one in core["mechanisms"]:
        if "noise" in one:
            continue
        single = one["stated"]["single"]
        if single == "any two":
            named(library, lambda table: table.get("edits") == "any two")
        elif isinstance(single, dict):
            named(library, lambda table: table.get("form") == "bags")
        else:
            of_edits(base, {**one, "reads": [None if r is None else [0] for r in one["reads"]]}, library)


# -- the problem file ------------------------------------------------------------------------------------


def agree(problem: Any, core: Any) -> None:
    """Rejects contributions that are not the problem's."""
    base, own, algebra = problem["databases"], core["databases"], Algebra(core["parameters"])
    if not own.keys().isdisjoint(("least", "size")):
        raise NotRead("setting", "contributions to databases of limited sizes")
    demand(base["kind"] == "multisets" and base.get("size", "any") == "any", "other databases")
    said = problem["target"]["granularity"]
    same(algebra, target(problem, *ungrouped(said, core["target"])), core["target"]["single"], core)
    reads = []
    for one, other in zip(problem["mechanisms"], core["mechanisms"], strict=True):
        if "noise" not in one:
            granularity = ungrouped(one["guarantee"]["granularity"], other["stated"])[0]
            stated(algebra, granularity, other["stated"], problem)
        where = one.get("reads", "everything")
        if where == "everything":
            demand(other["reads"] == [None], "everything is read")
        elif "part" in where:
            partition = problem["partitions"][where["of"]]
            right = (
                other["reads"] == [[]]
                and other.get("partition") == where["of"]
                and where["part"] == one["index"]
            )
            demand(right and str(partition["parts"]) == str(one["count"]), "another partition")
        else:
            demand(set(where) == {"records"} and "partition" not in other, "something else is read")
            (numbers,) = other["reads"]
            demand(len(numbers) == 1, "a part is read")
            reads.append((numbers[0], set(where["records"])))
    written_out(base.get("records"), own, reads)


def written_out(universe: Any, own: Any, reads: list[tuple[int, set[str]]]) -> None:
    """Rejects other parts: they are what mechanisms read, and have nothing in common."""
    parts = {n: records for n, records in reads}
    demand(all(parts[n] == records for n, records in reads), "a part that is read in two ways")
    demand(sorted(parts) == list(range(len(own["parts"]))), "parts that nobody reads")
    every = [x for records in parts.values() for x in records]
    demand(len(every) == len(set(every)), "parts that overlap")
    for n, names in enumerate(own["parts"]):
        demand(
            set(names) <= parts[n] and len(set(names)) == len(names) == min(2, len(parts[n])), "another part"
        )
    outside = own["outside"]
    if universe is None:
        demand(len(outside) == len(set(outside)) == 2 and not set(outside) & set(every), "rows outside")
    else:
        others = set(universe) - set(every)
        demand(set(every) <= set(universe), "rows that are not there")
        demand(
            set(outside) <= others and len(set(outside)) == len(outside) == min(2, len(others)),
            "rows outside",
        )


def ungrouped(said: Any, own: Any) -> tuple[Any, bool]:
    """A granularity without its number of steps, which is to be that of the setting."""
    if isinstance(said, dict) and "group" in said:
        demand(own.get("times") == said["group"], "groups of another number")
        return said["of"], True
    demand("times" not in own and own["steps"] == 1, "no groups")
    return said, False


def target(problem: Any, said: Any, grouped: bool) -> dict[str, Any]:
    """The bags of a target: of persons, or of records that lie in several parts."""
    partitions = list(problem.get("partitions", {}).values())
    if isinstance(said, dict) and set(said) == {"contribution"}:
        demand(all(one["kind"] == "record-wise" for one in partitions), "parts that overlap")
        return bag(said["contribution"])
    demand(said in ("unbounded", "bounded") and bool(partitions), "another target")
    demand(all(one["kind"] == "overlapping" for one in partitions), "parts that do not overlap")
    demand(len({str(one["at-most"]) for one in partitions}) == 1, "several numbers of parts")
    way = "no" if said == "unbounded" else "bag"
    return {"parts": partitions[0]["at-most"], "rows": "1", "replaced": way, "of records": said}


def bag(said: Any) -> dict[str, Any]:
    """The bags of a contribution."""
    demand(set(said) <= {"parts", "rows", "replaced"}, "a contribution with other entries")
    way = {False: "no", True: "bag", "rows": "rows"}[said.get("replaced", False)]
    return {"parts": said["parts"], "rows": said["rows"], "replaced": way}


def same(algebra: Algebra, said: dict[str, Any], own: Any, core: Any) -> None:
    """Rejects other bags."""
    demand(said["replaced"] == own["replaced"], "bags that are replaced in another way")
    demand(all(algebra.read(said[key]) == algebra.read(own[key]) for key in ("parts", "rows")), "other bags")
    wanted = {"unbounded": [[0, 1], [1, 0]], "bounded": [[1, 1]]}.get(said.get("of records", ""))
    demand("records" not in own or (wanted is not None and sorted(own["records"]) == wanted), "other records")
    whole = any(one["reads"] == [None] for one in core["mechanisms"])
    if wanted is not None and whole:
        demand("records" in own, "everything is read of records")


def stated(algebra: Algebra, said: Any, own: Any, problem: Any) -> None:
    """Rejects where a guarantee is stated for other neighbours."""
    if isinstance(said, dict) and set(said) == {"contribution"}:
        wanted, single = bag(said["contribution"]), own["single"]
        demand(isinstance(single, dict) and set(single) == set(wanted), "other neighbours")
        same(algebra, wanted, single, {"mechanisms": []})
        return
    plain = {"unbounded": U, "bounded": B}
    if said == "free-lunch":
        demand(own["single"] == "any two", "other neighbours")
        return
    if isinstance(said, dict) and "union" in said:
        demand(sorted(said["union"]) == ["bounded", "unbounded"], "other neighbours")
        demand(edits(own) == BOTH, "other neighbours")
        return
    demand(
        said in plain and isinstance(own["single"], list) and edits(own) == plain[said], "other neighbours"
    )


__all__ = ["agree", "demand_named", "lost"]
