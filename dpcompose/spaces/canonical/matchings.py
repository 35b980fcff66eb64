"""The canonical metric of a policy: the cheapest matching of the records of two databases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from dpcompose.kernel.core.settings import NOTHING, Edge
from dpcompose.kernel.covers.matchings import Costs, cheapest
from dpcompose.kernel.covers.seen import Seen
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.canonical.metrics import INFINITE, Distance, Metric
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.policies import Policy, edges


@frozen(eq=False)
class CheapestMatching(Metric):
    """The cheapest matching of what only x has with what only y has, by shortest paths in a policy.

    atoms -- the number of each record's atom; at_once -- m, for groups of m steps at once; others -- the atom
    of all other records, where there is no list of them.
    """

    atoms: Mapping[str, int]
    costs: Costs
    at_once: int = 1
    others: int | None = None

    @staticmethod
    def of(
        policy: Policy,
        at_once: int,
        databases: DatabaseClass,
        f: Map,
        own: bool,
    ) -> CheapestMatching:
        """The metric on what a restriction or recoding reads, on its own domain or on the common one.

        >>> from dpcompose.spaces.classes.multisets import multisets
        >>> from dpcompose.spaces.inputs.maps import everything
        >>> from dpcompose.spaces.moves.policies import policy
        >>> homes = multisets({"a1", "a2", "b"})
        >>> county = policy("county", replace=[["a1", "a2"]], add_remove=["a1"])
        >>> d = CheapestMatching.of(county, 1, homes, everything, own=True)
        >>> d(("a2",), ()), d(("b",), ()) == INFINITE
        (2, True)
        """
        whole = f.is_identity(databases)
        if f.recodes and not whole:
            if own:
                return _of_image(policy, at_once, databases, f)
            return _of_recoded(policy, at_once, databases, f)
        read = f.inside
        alike: dict[tuple[Any, bool], list[str]] = {}
        for record in (*databases.records, *databases.spare):
            alike.setdefault((policy.alike(record, databases), record in read), []).append(record)
        atoms = {record: n for n, records in enumerate(alike.values()) for record in records}
        usable = edges(policy, list(alike.values()), databases)
        if databases.sizes.exactly and (whole or not own):
            usable = [edge for edge in usable if NOTHING not in edge]
        if not whole:
            inside = frozenset(n for n, (key, _) in enumerate(alike.items()) if key[-1])
            kept = [edge for edge in usable if {*edge} <= {*inside, NOTHING}]
            usable = kept if own else sorted(Seen(inside).contracted(usable))
        others = atoms[databases.spare[-1]] if databases.spare else None
        return CheapestMatching(atoms, Costs(usable), at_once, others)

    def __call__(self, x: Database, y: Database) -> Distance:
        assert isinstance(x, tuple) and isinstance(y, tuple)
        left, right = Counter(x) - Counter(y), Counter(y) - Counter(x)
        gone, come = (tuple(sorted(map(self._atom, records.elements()))) for records in (left, right))
        cost = cheapest(self.costs, gone, come)
        return INFINITE if cost is None else -(-cost // self.at_once)

    def is_least(self, databases: DatabaseClass, f: Map) -> bool:
        return databases.any_number and not f.recodes

    def _atom(self, record: str) -> int:
        return self.atoms[record] if self.others is None else self.atoms.get(record, self.others)


def _within(joined: list[Edge], databases: DatabaseClass) -> list[Edge]:
    """The edges that lead from databases of a class to others: of one size none comes or goes."""
    return [edge for edge in joined if not (databases.sizes.exactly and NOTHING in edge)]


def _of_image(policy: Policy, at_once: int, databases: DatabaseClass, f: Map) -> CheapestMatching:
    """The metric of a policy on what records become."""
    image = f.image(databases)
    alike: dict[Any, list[str]] = {}
    for code in dict.fromkeys(map(f.code, (*databases.records, *databases.spare))):
        alike.setdefault(policy.alike(code, image), []).append(code)
    atoms = {code: n for n, codes in enumerate(alike.values()) for code in codes}
    usable = _within(edges(policy, list(alike.values()), image), image)
    return CheapestMatching(atoms, Costs(usable), at_once)


def _of_recoded(policy: Policy, at_once: int, databases: DatabaseClass, f: Map) -> CheapestMatching:
    """The metric of the images of a policy's edges on what records become."""
    every = (*databases.records, *databases.spare)
    many = Counter(map(f.code, every))
    alike: dict[Any, list[str]] = {}
    codes: dict[Any, str] = {}
    for record in every:
        code = f.code(record)
        recoded = code != record or many[code] > 1
        key = policy.alike(record, databases), code if recoded else None
        alike.setdefault(key, []).append(record)
        codes |= {key: code} if recoded else {}
    numbers = {key: n for n, key in enumerate(alike)}
    merged: dict[str, list[int]] = {}
    for key, code in codes.items():
        merged.setdefault(code, []).append(numbers[key])
    usable = _within(edges(policy, list(alike.values()), databases), databases)
    atoms = {record: numbers[key] for key, some in alike.items() if key not in codes for record in some}
    atoms |= {code: min(some) for code, some in merged.items()}
    seen = Seen(frozenset(numbers.values()), merged.values())
    return CheapestMatching(atoms, Costs(seen.contracted(usable)), at_once)
