"""Small finite classes, and those of tables, by numbers: databases, values that are read, neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import permutations
from typing import Any

from dpcompose.kernel.covers.types import Type
from dpcompose.language import formulas
from dpcompose.privacy.elaboration.kinds import ANY, Kind, NoLemma, Pair, groups_pushed
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.arrays.sizes import IN_A_PROOF
from dpcompose.spaces.canonical.graphs import neighbouring_pairs, pairs_of_inputs
from dpcompose.spaces.canonical.named import Distance
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.inputs.maps import Map, check_again
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.policies import policy_of


class Listed(Kind):
    """The databases are numbered 0, 1, …, small ones first, and the values of each map as they come."""

    by_number = True

    @classmethod
    def of(cls, setting: Setting) -> Kind:
        databases = setting.databases
        if databases.count() is None:
            for mechanism in groups_pushed(setting):
                granularity = mechanism.satisfies.granularity
                raise NoLemma(
                    f"{mechanism.name} is stated on the common domain for {granularity}, and groups "
                    f"of steps are not pushed forward to what it reads of {databases}"
                    f"{_stuck(mechanism, databases)}; state it for single steps, or on the own domain, or "
                    "take a finite class"
                )
            raise NoLemma(
                f"{databases} are infinitely many, and no lemma says that finitely many pairs of "
                f"{setting.target} neighbours stand for all; a finite class would do"
            )
        for granularity in setting.granularities:
            if granularity.parameters:
                raise NoLemma(
                    f"{granularity} neighbours are for all numbers at once, and {databases} are listed; "
                    "numbers would do, or databases of any size"
                )
        for mechanism in setting.mechanisms:
            if mechanism.query is not None and mechanism.query.about_records:
                raise NoLemma(
                    f"{mechanism.name} asks for {mechanism.query.words}, and {databases} are listed"
                )
        return cls(setting)

    @cached_property
    def _databases(self) -> list[Database]:
        size = self.setting.databases.size
        return sorted(self.setting.databases.databases(), key=lambda D: (size(D), str(D)))

    @cached_property
    def _numbers(self) -> dict[Database, int]:
        return {D: n for n, D in enumerate(self._databases)}

    def databases(self) -> dict[str, Any]:
        return {"kind": "listed", "count": len(self._databases)}

    def relation(self, granularity: Granularity) -> dict[str, Any]:
        if granularity.any_two(self.setting.databases):
            return ANY
        single, steps = granularity.innermost()
        edges = neighbouring_pairs(self.setting.databases, single, IN_A_PROOF)
        return {"single": _pairs(edges, self._numbers), "steps": steps}

    def stated(self, mechanism: Mechanism, *others: Mechanism) -> dict[str, Any]:
        """On the own domain: the pairs that a map lists, the neighbours in the class of images, or for values
        of any other kind the images of neighbours, where a group of steps is one step."""
        f, whole = mechanism.reads, self.setting.databases
        granularity = mechanism.satisfies.about_granularity
        if mechanism.satisfies.domain != "own" or f.is_identity(whole):
            return self.relation(granularity)
        single, steps = granularity.innermost()
        listed = f.neighbours_for(single.name)
        if listed is None and granularity.any_two(whole):
            return ANY
        if listed is not None or not f.image(whole).is_listed:
            edges = pairs_of_inputs(whole, single, f, own=True, limits=IN_A_PROOF)
            return {"single": _pairs(edges, self._values(f)), "steps": steps}
        edges = pairs_of_inputs(whole, granularity, f, own=True, limits=IN_A_PROOF)
        return {"single": _pairs(edges, self._values(f)), "steps": 1}

    def _values(self, f: Map) -> dict[Database, int]:
        """The values of a map by number, in the order in which the databases have them."""
        values = dict.fromkeys(map(f, self._databases))
        return {x: n for n, x in enumerate(values)}

    def reads(self, f: Map) -> list[int] | None:
        if f.is_identity(self.setting.databases):
            return None
        values, images = self._values(f), list(map(f, self._databases))
        for D, value in zip(self._databases, images, strict=True):
            check_again(f.written("D"), D, value, f(D))
        return [values[image] for image in images]

    @property
    def elements(self) -> Sequence[Database]:
        return self._databases

    def listed(self, distance: Distance) -> dict[str, Any]:
        return distance.on_listed(self._databases, self.setting.databases.size, lambda D: D)

    def table(self, mechanism: Mechanism, inputs: bool) -> dict[str, Any]:
        table = mechanism.table
        assert table is not None
        on = list(self._values(mechanism.reads)) if inputs else self._databases
        return {
            "on": "inputs" if inputs else "databases",
            "outcomes": table.data()["outcomes"],
            "rows": [[formulas.to_text(table.probability(x, o)) for o in table.outcomes] for x in on],
        }

    def pair(self, of: Type) -> Pair:
        D, E = (self._databases[n] for n in of.pair if isinstance(n, int))
        size = self.setting.databases.size
        return max((D, E), (E, D), key=lambda pair: (size(pair[0]), str(pair[1])))


def _pairs(edges: Iterable[tuple[Database, Database]], numbers: Mapping[Database, int]) -> list[list[int]]:
    pairs = {(min(pair), max(pair)) for pair in ((numbers[x], numbers[y]) for x, y in edges)}
    return [list(pair) for pair in sorted(pairs)]


def _stuck(mechanism: Mechanism, databases: DatabaseClass) -> str:
    """Where groups of a policy are no groups of what is read, since a step starts at one of some records that
    are read as one, and at another one of these does not: what these are; else nothing."""
    f, granularity = mechanism.reads, mechanism.satisfies.granularity
    of = None if granularity is None else policy_of(granularity)
    if of is None or not f.recodes:
        return ""
    records = (*databases.records, *databases.spare)[:FEW]
    become = {None: None} | {x: f.code(x) for x in records}
    led = {x: {become[y]: y for y in become if of[0].joins(x, y, databases)} for x in records}
    for x, other in permutations(records, 2):
        for code, y in led[other].items() if become[x] == become[other] else ():
            if code != become[x] and code not in led[x]:
                return (
                    f": {x} is read as {other} is, from which a step leads to {y or 'nothing'}, and from {x} "
                    "none does to what is read so"
                )
    return ""


FEW = 200
"""Of how many records it is looked which are no groups of steps of what is read."""
