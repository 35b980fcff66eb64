"""Records that are numbers, or have attributes that are: a problem as one that lists as many as matter.

Which do is said in shapes/policies.md, "Numbers".
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, gcd, lcm, prod
from typing import Any

from second_checker.outcomes import NotRead, demand

Interval = tuple[Fraction | None, bool, Fraction | None, bool]
"""The least number and whether it belongs to it, and the greatest one."""
Change = tuple[frozenset[str], Fraction | None]
"""Attributes that change at once, and how far; None: to anything."""
MANY = 600
"""How many numbers, or points, are written out."""


def with_numbers(problem: Any) -> Any:
    """The same problem with lists of numbers, and of those that are read."""
    base = problem["databases"]
    if isinstance(base.get("records"), dict):
        base = {key: one for key, one in base.items() if key != "records"} | {
            "attributes": {"": base["records"]}
        }
    attributes = base.get("attributes", {})
    lines = {name: one for name, one in attributes.items() if isinstance(one, dict)}
    if not lines:
        return problem
    mechanisms = [{**one, "reads": as_where(one.get("reads", "everything"))} for one in problem["mechanisms"]]
    problem = {**problem, "databases": base, "mechanisms": mechanisms}
    of = Lines(problem, lines)
    values = {name: of.numbers(name) for name in lines}
    if prod(map(len, values.values())) > MANY:
        raise NotRead("setting", "many numbers")
    read = [{**one, "reads": of.chosen(one["reads"], values)} for one in mechanisms]
    texts = {name: [text(x) for x in some] for name, some in values.items()}
    return {**problem, "databases": {**base, "attributes": {**attributes, **texts}}, "mechanisms": read}


def as_where(reads: Any) -> Any:
    """What is read, as conditions on attributes."""
    if isinstance(reads, dict) and "between" in reads:
        return {"where": {"": {"between": reads["between"]}}}
    return reads


def text(x: Fraction) -> str:
    """A number as settings name it: a decimal with up to six digits, or a fraction."""
    digits = next((n for n in range(7) if x * 10**n == int(x * 10**n)), 0)
    if digits == 0:
        return str(x)
    sign, whole = "-" if x < 0 else "", str(int(abs(x) * 10**digits)).rjust(digits + 1, "0")
    return f"{sign}{whole[:-digits]}.{whole[-digits:]}"


def intervals(said: Any) -> list[Interval]:
    """The intervals of a file."""
    if said == "all":
        return [(None, False, None, False)]
    some = [said] if isinstance(said, str) else [str(one) for one in said]
    if len(some) == 2 and not any(one.strip()[0] in "[(" for one in some):
        some = [f"[{some[0]}, {some[1]}]"]
    found = []
    for one in map(str.strip, some):
        a, b = (None if end.strip().endswith("oo") else Fraction(end.strip()) for end in one[1:-1].split(","))
        found.append((a, one[0] == "[", b, one[-1] == "]"))
    return found


def inside(x: Fraction, one: Interval) -> bool:
    """Whether a number lies in an interval."""
    a, with_a, b, with_b = one
    return (a is None or a < x or (with_a and a == x)) and (b is None or x < b or (with_b and b == x))


class Lines:
    """The lines of a problem, and how far its neighbours and policies go on them."""

    def __init__(self, problem: Any, lines: Any) -> None:
        self.problem, self.lines = problem, lines
        self.whole = {name: "integers" in one for name, one in lines.items()}
        self.within = {name: intervals(*one.values()) for name, one in lines.items()}
        self.names = frozenset(problem["databases"]["attributes"])
        self.target, self.comes, self.steps = self.told(problem["target"]["granularity"])

    def told(self, said: Any) -> tuple[list[Change], bool, int]:
        """What one step may change, whether records may come or go by it, and how many steps are counted."""
        if isinstance(said, dict) and "group" in said:
            changes, comes, m = self.told(said["of"])
            return changes, comes, m * said["group"]
        if isinstance(said, dict) and "union" in said:
            both = [self.told(one) for one in said["union"]]
            return both[0][0] + both[1][0], both[0][1] or both[1][1], 1
        if said in ("bounded", "unbounded"):
            return ([(self.names, None)], False, 1) if said == "bounded" else ([], True, 1)
        if not isinstance(said, str) or said not in self.problem.get("granularities", {}):
            raise NotRead("setting", "numbers, and neighbours of another kind")
        policy = self.problem["granularities"][said]
        return self.replaced(policy.get("replace", [])), "add-remove" in policy, 1

    def replaced(self, said: Any) -> list[Change]:
        """What a policy lets change: on the integers by a whole number."""
        if said == "all":
            return [(self.names, None)]
        if not said:
            return []
        (word,) = (key for key in said if key in ("changes", "keeps", "one-of", "within-distance"))
        if word == "within-distance":
            own, far = frozenset(said.get("of", self.names)), Fraction(str(said[word]))
            lines = own & {*self.lines}
            whole = bool(lines) and all(self.whole[name] for name in lines)
            far = Fraction(floor(far)) if whole else far
            return [(own, far)] if far else []
        some = self.names if said[word] == "all" else frozenset(said[word])
        if word == "one-of":
            return [(frozenset({name}), None) for name in some]
        return [(some if word == "changes" else self.names - some, None)]

    def stated(self) -> Iterator[tuple[list[Change], bool, bool]]:
        """What each guarantee is about: changes, whether records come or go, whether it is contracted."""
        for one in self.problem["mechanisms"]:
            if "guarantee" in one:
                changes, comes, _ = self.told(one["guarantee"]["granularity"])
                common = one["guarantee"].get("domain") == "common" and one["reads"] != "everything"
                yield changes, comes, common

    def reach(self, name: str) -> Fraction | None:
        """How far neighbours are apart on a line; None: any distance."""
        far = [length for own, length in self.target if name in own]
        if None in far or (self.comes and self.steps > 1):
            return None
        return self.steps * max((one for one in far if one is not None), default=Fraction(0))

    def near(self, name: str) -> Fraction | None:
        """How far from ends paths matter that lead out of what is read; None: anywhere."""
        found = Fraction(0)
        for changes, comes, common in self.stated():
            far = [length for own, length in changes if name in own and length is not None]
            if not common or not far:
                continue
            there = {x for own, length in changes for x in own if length is None or x in self.lines}
            gaps = len(self.lines) > 1 and any(len(one) > 1 for one in self.within.values())
            if gaps or (self.comes and not comes) or any(not own <= there for own, _ in self.target):
                return None
            found = max(found, (sum(self.walked(one, changes) for one in self.names) - 1) * max(far))
        return found

    def walked(self, name: str, changes: list[Change]) -> int:
        """In how many steps one attribute changes as it does between neighbours."""
        far = [length for own, length in changes if name in own]
        reach = self.reach(name) if name in self.lines else None
        some = [one for one in far if one is not None]
        return 1 if None in far or not some or not reach else ceil(reach / max(some))

    def ends(self, name: str) -> list[Fraction]:
        """The ends of a line, and of what is read on it, in order."""
        found: set[Fraction] = set()
        for one in [*self.within[name], *self.read(name)]:
            a, with_a, b, with_b = one
            half, whole = Fraction(1, 2), self.whole[name]
            first = a if a is None or not whole else Fraction(ceil(a) if with_a else floor(a) + 1) - half
            last = b if b is None or not whole else Fraction(floor(b) if with_b else ceil(b) - 1) + half
            if whole and first is not None and last is not None and first >= last:
                continue  # no integer lies between
            found |= {end for end in (first, last) if end is not None}
        return sorted(found) or [Fraction(0)]

    def read(self, name: str) -> Iterator[Interval]:
        """The intervals of a line that mechanisms read."""
        for one in self.problem["mechanisms"]:
            if isinstance(one["reads"], dict):
                yield from self.condition(one["reads"].get("where", {}).get(name, []))

    def condition(self, some: Any) -> list[Interval]:
        """What is asked of a number."""
        if isinstance(some, dict):
            return intervals(some["between"])
        return [(Fraction(x), True, Fraction(x), True) for x in some]

    def numbers(self, name: str) -> list[Fraction]:
        """The numbers of a line that stand for all."""
        every = [length for changes, _, _ in [(self.target, 0, 0), *self.stated()] for own, length in changes
                 if name in own and length is not None]  # fmt: skip
        reach, near = (self.reach(name), self.near(name)) if every else (Fraction(0), Fraction(0))
        far = reach is None or near is None
        demand(not far or all(None not in one for one in self.within[name]), "a line without an end")
        ends = self.ends(name)
        some = [one for one in [*ends, *every] if one]
        below = lcm(*(one.denominator for one in some))
        unit = Fraction(gcd(*(int(one * below) for one in some)), below) if some else Fraction(1)
        spread = (near or 0) + (2 * self.steps - 1) * (reach or 0)
        step = Fraction(1)
        if self.whole[name]:
            spread = max(spread, Fraction(2 * self.steps - 1)) + Fraction(1, 2)
        else:
            spread, step = spread + unit, unit / (2 * self.steps + 2)
        whole = far or (every and len(self.within[name]) > 1)
        around = [(ends[0], ends[-1])] if whole else [(end, end) for end in ends]
        around += [(a, b) for a, b in pairwise(ends) if b - a <= 3 * spread]
        found = {
            k * step
            for a, b in around
            for k in range(ceil((a - spread) / step), floor((b + spread) / step) + 1)
        }
        return [x for x in sorted(found) if any(inside(x, one) for one in self.within[name])]

    def chosen(self, reads: Any, values: dict[str, list[Fraction]]) -> Any:
        """What is read, number by number."""
        if not isinstance(reads, dict) or "where" not in reads:
            return reads
        wanted = {}
        for name, some in reads["where"].items():
            here = self.condition(some) if name in self.lines else some
            wanted[name] = (
                [text(x) for x in values[name] if any(inside(x, one) for one in here)]
                if name in self.lines
                else here
            )
        return {"where": wanted}
