"""Mechanisms: a map that is read, and the guarantee that the mechanism is assumed to satisfy."""

from __future__ import annotations

from dataclasses import dataclass

from dpcompose.privacy.notions import Guarantee
from dpcompose.spaces.maps import Map, everything


@dataclass(frozen=True)
class Mechanism:
    """A randomised function M∘f of the database, known by what it reads and what it satisfies.

    name -- for results and messages;
    reads -- the map f;
    satisfies -- the guarantee, with its granularity and (unless f is everything) its domain:
    "common": M is private as a map on the whole class, and depends on f(D) only;
    "own": M is private as a map on the images f(𝔻), for the canonical metric there.
    """

    name: str
    reads: Map
    satisfies: Guarantee

    def __post_init__(self) -> None:
        if self.satisfies.granularity is None:
            raise ValueError(f"{self.name}: say for which neighbours the guarantee is stated (granularity)")


def mechanism(name: str, satisfies: Guarantee, reads: Map = everything) -> Mechanism:
    """A mechanism; see `Mechanism`.

    >>> from dpcompose.privacy.notions import pure
    >>> from dpcompose.spaces.granularities import unbounded
    >>> mechanism("M", satisfies=pure("e", unbounded)).reads.written("D")
    'D'
    """
    return Mechanism(name, reads, satisfies)
