"""The line on the sensitivity profile: the maximal vectors of input distances over all neighbours."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpcompose.language import orders
from dpcompose.proof import kernel
from dpcompose.proof.lines.distances import Distances
from dpcompose.proof.lines.stated import Sources, StepRefused
from dpcompose.proof.registry import Page
from dpcompose.spaces.maps import Part
from dpcompose.spaces.metrics import shown

INFINITE_FIRST = 10**9
"""Where oo stands among distances that are put in order."""


@dataclass(frozen=True, eq=False)
class Profiles(Distances):
    """How far the inputs of all mechanisms move together."""

    def _profile(self, page: Page, roles: Mapping[str, Any], sources: Sources) -> kernel.Profile:
        """The maximal vectors of input distances over all target neighbours."""
        covered = [i for line in sources for i in self._private(line).mechanisms]
        if sorted(covered) != list(range(1, len(self.setting.mechanisms) + 1)):
            raise StepRefused("every mechanism must be covered by exactly one of the lines used")
        found = self.inputs.neighbouring_pairs()
        if found.procedure != page.head.procedure:
            raise StepRefused(f"{page.id} does not fit: the pairs are found by {found.procedure}")
        vectors: dict[kernel.Vector, Any] = {}
        for pair in found.pairs:
            vector = tuple((i, shown(r)) for i, r in self.inputs.furthest(pair).items())
            vectors.setdefault(vector, pair)
        kept: dict[kernel.Vector, Any] = {}
        families = self.setting.families
        for vector in _maximal(list(vectors)):
            kept.setdefault(self._of_families(vector) if families else vector, vectors[vector])
        show = self.setting.databases.show
        return kernel.Profile(
            str(self.setting.target),
            str(self.setting.databases),
            tuple(kept),
            tuple((_frozen(show(D)), _frozen(show(E))) for D, E in kept.values()),
            found.covered,
        )

    def _of_families(self, vector: kernel.Vector) -> kernel.Vector:
        """A vector of the written-out setting as one of the stated one: families in one entry each."""
        moves: dict[int, list[str]] = {}
        for i, r in vector:
            moves.setdefault(self._origin[i - 1], []).append(r)
        entries = []
        for j, distances in sorted(moves.items()):
            mechanism = self.setting.mechanisms[j - 1]
            if mechanism.count is None:
                entries.append((j, distances[0]))
                continue
            if isinstance(mechanism.reads, Part) and not self.inputs.neighbouring_pairs().growing:
                times = Counter(distances)
                order = sorted(times, key=self._in_order if len(times) > 1 else str, reverse=True)
                entries.append((j, ", ".join(f"{times[r]} by {r}" for r in order)))
            else:
                entries.append((j, f"all by {distances[0]}"))
        return tuple(entries)

    def _in_order(self, distance: str) -> Fraction:
        """By what the different distances of a family's members are put in order."""
        r = None if distance == "oo" else self._amount(distance)
        if r is not None and not r.is_Rational:
            raise StepRefused(
                "members of a family that move by different amounts, such as "
                f"{distance}, are not supported; write the parts out"
            )
        return Fraction(INFINITE_FIRST) if r is None else Fraction(int(r.p), int(r.q))


def members(entry: str) -> list[tuple[int, str]]:
    """How many members move how far: "2 by 1, 1 by oo"; "1" for a single mechanism; 0 stands for all."""
    moves = []
    for some in re.split(r", (?=(?:all|[0-9]+) by )", entry):
        many, _, r = some.rpartition(" by ")
        moves.append((0 if many == "all" else int(many or 1), r))
    return moves


def _frozen(shown: str | list[str]) -> str | tuple[str, ...]:
    return shown if isinstance(shown, str) else tuple(shown)


def _maximal(vectors: list[kernel.Vector]) -> list[kernel.Vector]:
    """The vectors that no other one exceeds in every entry, in their order."""
    formulas_at = {i for vector in vectors for i, r in vector if r != "oo" and not r.isdigit()}
    moves = [
        {i: r if i in formulas_at else (1, 0) if r == "oo" else (0, int(r)) for i, r in vector}
        for vector in vectors
    ]
    # formulas are not compared with each other, nor with 0
    if formulas_at:
        for vector in moves:
            for i in formulas_at:
                vector.setdefault(i, "0")
    zero: Any = (0, 0)
    return [vectors[n] for n in orders.undominated(moves, zero, lambda i: i not in formulas_at)]
