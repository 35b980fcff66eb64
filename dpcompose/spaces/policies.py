"""Policies: which records may become which others, and which may come or go (Blowfish).

A policy is a graph on the records and "nothing".  Two databases are neighbours where one record of D is
another in E, along an edge; an edge to nothing lets a record come or go.  Bounded is the complete graph on
the records, unbounded the star at nothing; modifying a person within a county, or a label, lie in between.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

from dpcompose.kernel.settings import NOTHING, Edge
from dpcompose.spaces.databases import Database, DatabaseClass, Multisets, Tuples
from dpcompose.spaces.granularities import Granularity, Union
from dpcompose.spaces.subsets import Sets

EVERY = "all"


@dataclass(frozen=True, repr=False)
class Policy(Granularity):
    """Neighbours differ in one record, which becomes another one of the same group, or comes or goes.

    replace -- groups of records, any two of which may take each other's place; None: all records are one;
    add_remove -- the records that may come or go; None: all.

    >>> county = policy("county", replace=[["a1", "a2"], ["b1", "b2"]])
    >>> county.are_neighbours(("a1", "b1"), ("a2", "b1")), county.are_neighbours(("a1",), ("b1",))
    (True, False)
    """

    by_asking = False

    name: str
    replace: frozenset[frozenset[str]] | None
    add_remove: frozenset[str] | None

    def joins(self, x: str | None, y: str | None) -> bool:
        """Whether a record may become another one; None for nothing."""
        if x == y:
            return False
        if x is None or y is None:
            return self.add_remove is None or (x or y) in self.add_remove
        return self.replace is None or not self._groups_of(x).isdisjoint(self._groups_of(y))

    def _groups_of(self, x: str) -> frozenset[int]:
        """The numbers of the groups that a record is in."""
        return self._by_record.get(x, frozenset())

    @cached_property
    def _by_record(self) -> Mapping[str, frozenset[int]]:
        found: dict[str, set[int]] = {}
        for n, group in enumerate(self.replace or ()):
            for x in group:
                found.setdefault(x, set()).add(n)
        return {x: frozenset(some) for x, some in found.items()}

    def are_neighbours(self, D: Database, E: Database) -> bool:
        assert isinstance(D, tuple) and isinstance(E, tuple)
        gone, come = Counter(D) - Counter(E), Counter(E) - Counter(D)
        if max(gone.total(), come.total()) != 1:
            return False
        return self.joins(next(iter(gone), None), next(iter(come), None))

    def relates(self, D: Database, E: Database, databases: DatabaseClass) -> bool:
        if isinstance(databases, Tuples):
            return any(found == E for found in self.neighbours(D, databases))
        return D != E and self.are_neighbours(D, E)

    def neighbours(self, D: Database, databases: DatabaseClass) -> Iterator[Database]:
        """The neighbours of D, edge by edge."""
        assert isinstance(databases, Multisets | Sets | Tuples) and isinstance(D, tuple)
        universe = (*databases.records, *databases.spare)
        if isinstance(databases, Tuples):
            for at, x in enumerate(D):
                yield from ((*D[:at], y, *D[at + 1 :]) for y in universe if self.joins(x, y))
            return
        for x in [None, *sorted(set(D))]:
            rest = list(D)
            if x is not None:
                rest.remove(x)
            for y in [None, *universe]:
                left = rest if y is None else [*rest, y]
                fits = databases.sizes.allows(len(left)) and (y not in rest or databases.twice)
                if fits and self.joins(x, y):
                    yield tuple(sorted(left))

    @property
    def names(self) -> frozenset[str]:
        return frozenset[str]().union(*(self.replace or ()), self.add_remove or ())

    @property
    def built_in(self) -> bool:
        return True

    @property
    def reach(self) -> int | None:
        return 1

    def unfit(self, databases: DatabaseClass) -> str | None:
        if not isinstance(databases, Multisets | Sets | Tuples):
            return f"the policy {self.name} has no meaning on {databases.kind}: it is about records"
        if isinstance(databases, Tuples) and self.add_remove != frozenset():
            return f"the policy {self.name} lets records come or go, which those of tuples do not"
        return None

    def table(self) -> dict[str, Any]:
        """The policy as a problem file writes it down."""
        groups = None if self.replace is None else sorted(map(sorted, self.replace))
        found: dict[str, Any] = {}
        if groups is None:
            found["replace"] = EVERY
        elif groups:
            found["replace"] = {"within": groups}
        if self.add_remove is None:
            found["add-remove"] = EVERY
        elif self.add_remove:
            found["add-remove"] = sorted(self.add_remove)
        return found


def policy(
    name: str,
    replace: str | Iterable[Collection[str]] = (),
    add_remove: str | Iterable[str] = (),
) -> Policy:
    """The granularity in which a record becomes another one of its group, or comes or goes.

    name -- what results call it;
    replace -- groups of records, any two of which may take each other's place (a pair of records is an edge),
    or "all"; add_remove -- the records that may come or go, or "all".  On tuples records are replaced only.

    The canonical metric of multisets is the cheapest way to match what only D has with what only E has, by
    shortest paths in the policy.

    >>> import dpcompose as dpc
    >>> county = dpc.policy("county", replace=[["a1", "a2"], ["b1", "b2"]])
    >>> homes = dpc.multisets({"a1", "a2", "b1", "b2"})
    >>> halves = dpc.record_partition(homes, {"a1", "b1"}, {"a2", "b2"})
    >>> M = [dpc.mechanism(n, dpc.pure(n.lower(), county, "common"), reads=f) for n, f in zip("XY", halves)]
    >>> dpc.compose(*M, on=homes, target=county).guarantee().epsilon
    x + y
    """
    groups = None if replace == EVERY else frozenset(map(frozenset, _of(replace, "replace")))
    alone = None if add_remove == EVERY else frozenset(_of(add_remove, "add_remove"))
    if groups is not None and any(len(one) < 2 for one in groups):
        raise ValueError(f"{name}: a group of records that replace each other has two records at least")
    if groups == frozenset() and alone == frozenset():
        raise ValueError(f"{name}: no record is replaced, comes or goes, so there are no neighbours")
    return Policy(name, groups, alone)


def _of(given: Any, key: str) -> list[Any]:
    if isinstance(given, str):
        raise ValueError(f'{key} is "{EVERY}", or a list, not {given!r}')
    return list(given)


def policy_of(granularity: Granularity) -> tuple[Policy, int] | None:
    """The policy on multisets whose edges are a granularity's single steps, and how many steps it counts.

    None where there is none.

    >>> from dpcompose.spaces.granularities import bounded, unbounded, union
    >>> from dpcompose.spaces.groups import group
    >>> both, steps = policy_of(group(2, union(bounded, unbounded)))
    >>> both.joins("a", "b"), both.joins("a", None), steps
    (True, True, 2)
    """
    single, steps = granularity.innermost()
    if isinstance(single, Policy):
        return single, steps
    if isinstance(single, Union):
        both = policy_of(single.one), policy_of(single.other)
        if None in both or any(m > 1 for _, m in filter(None, both)):
            return None
        (one, _), (other, _) = filter(None, both)
        return _together(one, other), steps
    edits = single.edits(MULTISETS)
    if edits is None or edits.single is None or edits.most > 1 or single.is_counted_elsewhere:
        return None
    ways = edits.single
    groups = None if (1, 1) in ways else frozenset[frozenset[str]]()
    return Policy(str(single), groups, None if (1, 0) in ways else frozenset()), steps


def edges(policy: Policy, atoms: Sequence[Sequence[str]]) -> list[Edge]:
    """The policy on atoms, records that it does not tell apart: each by one record, or two if it has more.

    >>> edges(policy("p", replace=[["a", "b"]], add_remove=["c"]), [["a"], ["b"], ["c", "d"]])
    [(0, 1), (-1, 2)]
    """
    pairs = combinations_with_replacement(range(len(atoms)), 2)
    found = [(x, y) for x, y in pairs if policy.joins(atoms[x][0], atoms[y][-1])]
    return found + [(NOTHING, x) for x, some in enumerate(atoms) if policy.joins(some[0], None)]


def policies_in(granularity: Granularity) -> Iterator[Policy]:
    """The policies that a granularity is made of, by name."""
    single, _ = granularity.innermost()
    if isinstance(single, Policy):
        yield single
    if isinstance(single, Union):
        yield from policies_in(single.one)
        yield from policies_in(single.other)


MULTISETS = Multisets((), arbitrary=True)


def _together(one: Policy, other: Policy) -> Policy:
    """The policy with the edges of both."""
    groups, alone = None, None
    if one.replace is not None and other.replace is not None:
        groups = one.replace | other.replace
    if one.add_remove is not None and other.add_remove is not None:
        alone = one.add_remove | other.add_remove
    return Policy(f"{one} or {other}", groups, alone)
