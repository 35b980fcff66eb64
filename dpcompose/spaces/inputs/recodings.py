"""Recodings: maps that replace each record of a database by another one, as towns by their counties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.library.fields import near
from dpcompose.spaces.classes.databases import Database, DatabaseClass, Symbolic
from dpcompose.spaces.inputs.maps import Map, Signs


@frozen(repr=False)
class Recoding(Map):
    """D ↦ what the records of D become: a multiset, a set, or a tuple with these at the same positions.

    codes -- what some records become; others -- what all others become; None: they stay as they are;
    of -- whose databases, once `on` was told; else multisets.

    >>> recoding("towns", {"a1": "A", "a2": "A"})(("a1", "a2", "b"))
    ('A', 'A', 'b')
    """

    recodes = True

    name: str
    codes: tuple[tuple[str, str], ...]
    others: str | None = None
    of: DatabaseClass | None = field(default=None, compare=False, repr=False)

    @property
    def called(self) -> str:
        return self.name

    @cached_property
    def _by_record(self) -> Mapping[str, str]:
        return dict(self.codes)

    def code(self, record: str) -> str:
        """What a record becomes."""
        return self._by_record.get(record, record if self.others is None else self.others)

    def __call__(self, D: Database) -> Database:
        if not isinstance(D, tuple):
            if isinstance(D, Symbolic):
                return D.read_by(self)
            raise TypeError(f"{D!r} is no multiset, set or tuple of records")
        codes = map(self.code, D)
        return tuple(sorted(codes)) if self.of is None else self.of.gathered(codes)

    def on(self, databases: DatabaseClass) -> Map:
        return replace(self, of=databases)

    def image(self, databases: DatabaseClass) -> DatabaseClass:
        """Multisets or tuples, of the same sizes, of what records can become; sets of any size."""
        known = tuple(dict.fromkeys(self.code(x) for x in (*databases.records, *databases.spare)))
        if not databases.arbitrary or self.others is not None:
            return databases.recoded(known, arbitrary=False)
        return databases.recoded(tuple(x for x in known if x not in databases.spare), arbitrary=True)

    def shown(self, D: str, signs: Signs) -> str:
        return signs.applied(self.name, D)

    def is_identity(self, databases: DatabaseClass) -> bool:
        return (databases.unordered or databases.identified) and all(
            self.code(x) == x for x in (*databases.records, *databases.spare)
        )

    @property
    def names(self) -> frozenset[object]:
        codes = {code for _, code in self.codes} | ({self.others} if self.others is not None else set())
        return frozenset(self._by_record) | codes

    def unfit(self, databases: DatabaseClass) -> str | None:
        if (why := databases.not_recoded) is not None:
            return why
        if not databases.arbitrary:
            for record in self._by_record:
                if record not in databases.records:
                    there = near(record, databases.records)
                    return f"recodes {record!r}, which is no record of the class{there}"
        return None

    def data(self) -> str | dict[str, Any]:
        return {"map": self.name}

    def table(self) -> dict[str, Any]:
        return {"recode": dict(self.codes)} | ({} if self.others is None else {"others": self.others})


def recoding(name: str, codes: Mapping[str, str], others: str | None = None) -> Recoding:
    """The map that recodes each record of a database, as from towns to counties (a record-wise map).

    name -- what results call it; codes -- what records become; others -- what all others become; left out,
    they stay as they are.  On the own domain a guarantee is about databases of what records become; on the
    common domain what is read moves where the image of an edge does.

    `compose` raises InvalidSetting for records that the class has not.

    >>> import dpcompose as dpc
    >>> towns = dpc.multisets({"a1", "a2", "b1", "b2"})
    >>> counties = recoding("counties", {"a1": "A", "a2": "A", "b1": "B", "b2": "B"})
    >>> local = dpc.policy("local", replace=[["a1", "a2"], ["b1", "b2"]])
    >>> M = dpc.mechanism("M", dpc.pure("e", dpc.bounded, "own"), reads=counties)
    >>> dpc.compose(M, on=towns, target=local).guarantee().epsilon
    0
    """
    return Recoding(name, tuple(sorted((str(x), str(y)) for x, y in codes.items())), others)
