"""Covers of a person's rows in L of many parts that are read apart: any L of them are one type.

Where each mechanism reads one part, or everything, what moves in a part does not depend on which others are
touched.  So one type stands for all choices of parts: of L that lose rows; where bags are replaced, of 2L of
which half lose rows and half gain some, if a part that does both moves no further; or of L that do both, if
that is twice as far and losses are convex.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dpcompose.kernel.covers import room_for_rows
from dpcompose.kernel.covers.alike import is_plain
from dpcompose.kernel.covers.contributions import Contributions
from dpcompose.kernel.covers.types import Choice, Cover, Moves, NoCover, are_no_larger
from dpcompose.kernel.expressions.terms import ZERO, number

MANY = 24
"""How many parts there have to be for one type to stand for all choices."""


class Apart(Contributions):
    def cover_by_few(self) -> Cover | None:
        """The type of all choices of parts; None where mechanisms are told by more than how far what they
        read moves, where databases have a largest number of rows, and where it is not seen which choices are
        furthest."""
        setting, k = self.setting, len(self.setting.databases.atoms)
        if setting.target.steps > 1 or k < MANY or not all(map(is_plain, setting.mechanisms)):
            return None
        if room_for_rows.limited(setting):
            return None
        try:
            self.check_whole()
            parts = self.bag.parts.number
            if parts is None or (way := self.way) is None:
                return None
            if self.bag.replaced != "no" and 2 * parts > k:
                return None
            return self.chosen(self.read_apart, min(int(parts), k), way)
        except NoCover:
            return None

    @property
    def read_apart(self) -> list[list[int]]:
        """For each part the mechanisms that read it; each reads one part, or everything."""
        found: list[list[int]] = [[] for _ in self.setting.databases.atoms]
        for i, mechanism in enumerate(self.setting.mechanisms, start=1):
            (numbers,) = mechanism.reads
            for part in numbers or ():
                found[part].append(i)
        return found

    @property
    def way(self) -> tuple[int, int] | None:
        """Whether parts move their readers furthest that lose rows, or gain some, or that do both."""
        if self.bag.replaced == "no":
            return 1, 0
        if any(map(self.falls, self.inputs)):
            return None
        alone = {len(atom.records) < 2 for atom in self.setting.databases.atoms}
        ways = ((1, 0), (0, 1), (1, 1))
        once, back, both = ([self.far(i, a, b)[0] for i in self.inputs] for a, b in ways)
        if (True in alone and self.even) or once != back:
            return None
        if alone == {True} or are_no_larger(both, once):
            return 1, 0
        return (1, 1) if alone == {False} and both == [number(2) * r for r in once] else None

    def chosen(self, readers: Sequence[Sequence[int]], parts: int, way: tuple[int, int]) -> Cover:
        """The type of which some parts that are read are touched, and any others may be in their place.

        readers -- of each part; parts -- how many lose rows; way -- as `way` says.
        """
        both = way == (1, 1)
        order = sorted(range(len(readers)), key=lambda part: not readers[part])
        more = 0 if self.bag.replaced == "no" or both else parts
        left, right = frozenset(order[:parts]), frozenset(order[parts : parts + more])
        petals = tuple((part, self.petal(readers[part], way)) for part in order)
        choices = (Choice(parts + more, petals),)
        type = replace(self.of_pattern((left, left if both else right), {}), choices=choices)
        if self.reads_all:
            type = self.without_limit(type)
        convex = frozenset(i for some in readers for i in some) if both else frozenset[int]()
        page = self.theory.procedure(self.procedure)
        return Cover((type,), page, 1, tuple(self.pages.values()), convex)

    def petal(self, readers: Sequence[int], way: tuple[int, int]) -> Moves:
        """How far what is read of one part moves."""
        far = ((i, self.far(i, *way)[0]) for i in readers)
        return tuple((i, ((1, r),)) for i, r in far if r != ZERO)
