"""What differences multisets, sets and tuples have room for, and of how many records what is read of them is.

Of a multiset an atom of one record stands for one that may be there many times, of a set an atom has all its
records, once each; of a tuple an atom is records at one place, where there is one.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from second_checker import sizes

Atoms = tuple[int, ...]


def room(base: Any, left: Atoms, right: Atoms) -> bool:
    """Whether some two databases differ by records of these atoms."""
    if not sizes.fits(base, len(left), len(right)):
        return False
    atoms = base["atoms"]
    if base["of"] == "sets":
        many = [len(atom) for atom in atoms]
        least, most = sizes.shown(base)
        if any(times > many[x] for x, times in Counter(left + right).items()):
            return False
        others = sum(many) - len(left) - len(right)
        common = [c for c in range(others + 1) if within(c + len(left), least, most)]
        return any(within(c + len(right), least, most) for c in common)
    if base["of"] == "tuples":
        here, there = ([base["places"][x] for x in side] for side in (left, right))
        if sorted(here) != sorted(there) or len(set(here)) < len(here):
            return False
    return not any(len(atoms[x]) == 1 for x in set(left) & set(right))


def within(n: int, least: int, most: int | None) -> bool:
    """Whether a size is allowed."""
    return n >= least and (most is None or n <= most)


def of_one_size(base: Any, own: frozenset[int]) -> bool:
    """Whether what is read of any database has the same number of records."""
    least, most = sizes.shown(base)
    if base["of"] != "sets":
        return least == most and len(own) == len(base["atoms"])
    inside = sum(len(base["atoms"][x]) for x in own)
    outside = sum(map(len, base["atoms"])) - inside
    found = {n - k for n in range(inside + outside + 1) if within(n, least, most) for k in range(outside + 1)}
    return len({n for n in found if 0 <= n <= inside}) <= 1
