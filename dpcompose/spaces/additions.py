"""What users add: granularities, classes, maps and queries as values in Python, and noises by their pages.

Whoever calls hands them over; a problem file only names them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any, TypeVar

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.library.releases import Noise
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.classes.listed import Listed
from dpcompose.spaces.classes.multisets import Multisets
from dpcompose.spaces.classes.sequences import Sequences
from dpcompose.spaces.classes.subsets import Sets
from dpcompose.spaces.classes.tuples import Streams, Tuples
from dpcompose.spaces.classes.vertices import Graphs
from dpcompose.spaces.inputs.attributed import Tables
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.inputs.queries import Query
from dpcompose.spaces.moves.built_in import BUILT_IN
from dpcompose.spaces.moves.granularities import Granularity

T = TypeVar("T")


class WrongAddition(ValueError):
    """What is added has no name, or that of something else, or is nothing that can be named."""


@frozen
class Additions:
    """What problem files may name besides what is built in and what they say themselves.

    granularities, maps -- by their names; classes -- by the word of `kind`; queries -- by the ids of their
    pages; noises -- the heads of pages of one's own, by the word for the noise.

    A granularity of one's own is a class with one method, on any finite class of databases:

    >>> import dpcompose as dpc
    >>> class NextTo(Granularity):
    ...     "Numbers that differ by 1."
    ...     name = "next to"
    ...     def are_neighbours(self, D, E):
    ...         return abs(D - E) == 1
    >>> sorted(Additions.of([NextTo()]).granularities)
    ['next to']
    >>> dpc.canonical_metric(dpc.listed(range(9)), NextTo())(2, 7)
    5
    """

    granularities: Mapping[str, Granularity] = field(default_factory=lambda: MappingProxyType({}))
    classes: Mapping[str, DatabaseClass] = field(default_factory=lambda: MappingProxyType({}))
    maps: Mapping[str, Map] = field(default_factory=lambda: MappingProxyType({}))
    queries: Mapping[str, Query] = field(default_factory=lambda: MappingProxyType({}))
    noises: Mapping[str, Noise] = field(default_factory=lambda: MappingProxyType({}))

    @staticmethod
    def of(values: Iterable[Any], noises: Mapping[str, Noise] = MappingProxyType({})) -> Additions:
        """These values by their names, and noises by their pages.

        Raises WrongAddition where one has no name, or that of another one.
        """
        some = list(values)
        for one in some:
            if not isinstance(one, Granularity | DatabaseClass | Map | Query):
                raise WrongAddition(f"{one!r} is no granularity, class of databases, map or query")
        return Additions(
            _by_name(((str(one), one) for one in some if isinstance(one, Granularity)), BUILT_IN),
            _by_name(((one.kind, one) for one in some if isinstance(one, DatabaseClass)), KINDS),
            _by_name((str(getattr(one, "name", "")), one) for one in some if isinstance(one, Map)),
            _by_name(((one.page, one) for one in some if isinstance(one, Query)), WORDS),
            noises,
        )


KINDS = [one.kind for one in (Multisets, Sets, Sequences, Tuples, Streams, Tables, Graphs, Listed)]
WORDS = ("count", "bit")
"""What problem files have already: kinds of classes, and queries that are a word."""


def _by_name(named: Iterable[tuple[str, T]], taken: Collection[str] = ()) -> Mapping[str, T]:
    found: dict[str, T] = {}
    for name, one in named:
        if not name:
            raise WrongAddition(f"{one!r} has no name by which a problem file could call it")
        if name in found or name in taken:
            raise WrongAddition(f"there are two of the name {name!r}; call yours by another one")
        found[name] = one
    return MappingProxyType(found)


NOTHING = Additions()
"""Nothing besides what is built in."""
