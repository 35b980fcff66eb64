"""How far integers at the databases of a finite class move between neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.moves.neighbours import Pair

if TYPE_CHECKING:
    from dpcompose.spaces.arrays.parts import PartEdge
    from dpcompose.spaces.arrays.passes import Vector


@frozen
class Profile:
    """How far integers at the databases move between neighbours: which vectors (r_1, …, r_k) there are.

    witnesses -- for each vector of |f_i(D) − f_i(E)| one pair of neighbours at which it is attained;
    edges -- how many neighbouring pairs were decided.
    """

    witnesses: Mapping[Vector, Pair]
    edges: int

    @property
    def vectors(self) -> tuple[Vector, ...]:
        """All vectors, in lexicographic order."""
        return tuple(sorted(self.witnesses))

    @property
    def maximal(self) -> tuple[Vector, ...]:
        """The vectors that no other one is at least as large as in every entry."""
        return tuple(
            v
            for v in self.vectors
            if not any(w != v and all(a <= b for a, b in zip(v, w, strict=True)) for w in self.vectors)
        )

    @property
    def sensitivities(self) -> tuple[int, ...]:
        """Δf_i for each i; () where there are no neighbours."""
        return tuple(map(max, zip(*self.vectors, strict=True)))

    @property
    def compatible(self) -> bool:
        """Whether at most one f_i changes between neighbours (GB before Thm. IV.6)."""
        return all(sum(1 for r in v if r) <= 1 for v in self.vectors)

    @property
    def commutes(self) -> bool:
        """Whether Σ_i |f_i(D) − f_i(E)| ≤ 1 for neighbours."""
        return all(sum(v) <= 1 for v in self.vectors)


class MadePairs(Mapping[tuple[int, ...], Pair]):
    """For each vector a pair of neighbours, which is made where it is asked for."""

    def __init__(self, of: Mapping[Vector, Any], made: Callable[[Any], Pair]) -> None:
        self.of, self.made = of, made

    def __getitem__(self, vector: Vector) -> Pair:
        return self.made(self.of[vector])

    def __iter__(self) -> Iterator[Vector]:
        return iter(self.of)

    def __len__(self) -> int:
        return len(self.of)

    def __repr__(self) -> str:
        return repr(dict(self))


def whole_pair(
    databases: DatabaseClass,
    adds: bool,
    parts: Sequence[frozenset[str]],
    edits: Sequence[tuple[int, PartEdge]],
) -> Pair:
    """Neighbours that differ by edits of parts; by an edit of records in no part where there are none."""
    n, exactly = databases.sizes.n or 0, databases.sizes.exactly
    unread = [record for record in databases.records if not any(record in part for part in parts)]
    still = [record for record in databases.records if not any(record in parts[i] for i, _ in edits)]
    D: list[str] = []
    E: list[str] = []
    for i, edit in edits:
        for side, counts in ((D, edit.before), (E, edit.after)):
            side += [a for a, times in zip(sorted(parts[i]), counts, strict=True) for _ in range(times)]
    if not edits:
        E.append(unread[-1])
    if len(D) < len(E) and (exactly or not adds):
        D.append(unread[0])
    fill = still[:1] * (n - len(D)) if exactly else []
    return tuple(sorted(D + fill)), tuple(sorted(E + fill))
