"""The databases that a point of a derivation speaks of, in the cases that they fall into."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from second_checker import assumptions
from second_checker.algebra import Algebra
from second_checker.forms import Form, add, letters, rational, scale
from second_checker.in_metrics import There


def places(there: There, core: Any, point: dict[str, Fraction]) -> Iterator[dict[str, Fraction]]:
    """The letters of a case at a point of a derivation, if the databases meant there are in the case."""
    own = dict(point)
    for x in {name.removesuffix("__D").removesuffix("__E") for name in there.case.at}:
        at_d = own.get(f"{x}__D", Fraction(0))
        is_same = f"{x}__gap" not in there.case.domains
        at_e = own.get(f"{x}__E", at_d if is_same else Fraction(0))
        low, gap = min(at_d, at_e), abs(at_d - at_e)
        way = add(there.case.at[f"{x}__D"], scale(there.case.at[f"{x}__E"], -1))
        there_way = at_d - at_e
        own |= {f"{x}__low": low, f"{x}__gap": gap}
        if there.algebra.enclose(way, own)[0] != there_way:
            return
    for some in counted(there, core, own):
        whole = own | some
        forms = [*there.case.facts, *there.case.inside]
        known = {name for form in forms for name in letters(form)}
        if known <= set(whole) and all(holds(there.algebra, form, whole) for form in forms):
            yield whole


def holds(algebra: Algebra, form: Form, point: dict[str, Fraction]) -> bool:
    """Whether a formula is ≥ 0 at a point; roots of numbers that are none are found exactly."""
    low, high = algebra.enclose(form, point)
    if low >= 0 or high < 0:
        return bool(low >= 0)
    exact = rational(assumptions.at_point(algebra, form, point))
    return exact is not None and exact >= 0


def counted(there: There, core: Any, point: dict[str, Fraction]) -> Iterator[dict[str, Fraction]]:
    """How many records only D has, and only E: as the point says, or one more that goes, comes, or is replaced."""
    found: list[dict[str, Fraction]] = [{}]
    for name, every in there.case.counts.items():
        if name in there.case.same:
            continue
        own: dict[str, Fraction] = {}
        for n in range(len(every)):
            for side, word in (("D", "removed"), ("E", "added")):
                moved = [x for key, x in point.items() if is_moved(key, name or "records", n + 1, side)]
                own[f"{name}__only_{side}_{n}"] = sum(
                    moved, point.get(f"{name or 'records'}__{word}_{n + 1}", Fraction(0))
                )
        pairs = product(range(len(every)), range(len(every)))
        moved_too = [(f"{name}__only_D_{m}", f"{name}__only_E_{n}") for m, n in pairs]
        more = [*((key,) for key in own), *moved_too]
        ways = [own, *({**own, **{key: own[key] + 1 for key in keys}} for keys in more)]
        atoms = core["databases"]["parts"][name]["atoms"]
        fit = [
            way
            for way in ways
            if all(
                len(atom) > 1 or not way[f"{name}__only_D_{n}"] * way[f"{name}__only_E_{n}"]
                for n, atom in enumerate(atoms)
            )
        ]
        found = [{**one, **way} for one in found for way in fit]
    yield from found


def is_moved(key: str, part: str, n: int, side: str) -> bool:
    """Whether a letter says how many records of an atom are replaced."""
    words = key.split("__moved_")
    if len(words) != 2 or words[0] != part:
        return False
    one, other = words[1].split("_")
    return int(one if side == "D" else other) == n


__all__ = ["places"]
