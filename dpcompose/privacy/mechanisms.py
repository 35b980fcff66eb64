"""Mechanisms: a map that is read, and the guarantee that the mechanism is assumed to satisfy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from dpcompose.privacy.notions import Guarantee
from dpcompose.spaces.maps import Map, everything


@dataclass(frozen=True)
class Mechanism:
    """A randomised function M∘f of the database, known by what it reads and what it satisfies.

    name -- for results and messages;
    reads -- the map f;
    satisfies -- the guarantee, with its granularity and (unless f is everything) its domain:
    "common": M is private as a map on the whole class, and depends on f(D) only;
    "own": M is private as a map on the images f(𝔻), for the canonical metric there;
    count -- for a family M[1], …, M[k] of mechanisms the number k, a whole number or a parameter.
    Then the guarantee is that of M[i], in terms of e[i], and each reads the same, or its part i.
    """

    name: str
    reads: Map
    satisfies: Guarantee
    count: sympy.Expr | None = None

    def __call__(self, D: object) -> Any:
        """M(f(D)) as an expression in a database symbol D: by it two databases with one input give the same.

        >>> import dpcompose as dpc
        >>> D, E = dpc.databases("D E")
        >>> M = mechanism("M", dpc.pure("e", dpc.bounded, "common"), reads=dpc.restriction(["a"]))
        >>> M(D), dpc.at(M(D), {D: ["a", "b"]}) == M(["a"])
        (M(D|{a}), True)
        """
        from dpcompose.spaces.expressions import Output, image_of

        return Output(self.name, image_of(self.reads, D))

    @property
    def many(self) -> bool:
        """Whether this is a family M[1], …, M[k]."""
        return self.count is not None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise TypeError(f"a mechanism's name is a text, not {self.name!r}")
        if not isinstance(self.reads, Map):
            raise TypeError(
                f"{self.name} reads a map such as dpcompose.restriction([...]) or dpcompose.everything, "
                f"not {self.reads!r}"
            )
        if not isinstance(self.satisfies, Guarantee):
            raise TypeError(
                f"{self.name} satisfies a guarantee such as dpcompose.pure(...), not {self.satisfies!r}"
            )
        if self.satisfies.granularity is None:
            raise ValueError(f"{self.name}: say for which neighbours the guarantee is stated (granularity)")


def mechanism(
    name: str, satisfies: Guarantee, reads: Map = everything, count: sympy.Expr | int | None = None
) -> Mechanism:
    """M∘f: a mechanism M with a guarantee, on what the map f reads; with a count a family M[1], …, M[k].

    name -- what results call it; satisfies -- its guarantee, for some neighbours, such as `pure`;
    reads -- the map f: `restriction`, `positions`, `function`, …; left out: it reads everything;
    count -- how many members a family has: a whole number from 1, or a parameter; e[i] may then be in
    its guarantee.

    >>> from dpcompose.privacy.notions import pure
    >>> from dpcompose.spaces.granularities import unbounded
    >>> mechanism("M", satisfies=pure("e", unbounded)).reads.written("D")
    'D'
    """
    return Mechanism(
        name,
        reads,
        satisfies,
        None if count is None else sympy.Integer(count) if isinstance(count, int) else count,
    )
