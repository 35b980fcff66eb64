"""Families on inputs that overlap, a record in any number m of them at most: as rows of persons.

A record that lies in some of the inputs is told as a person with a row in each of these: the person
contributes one row in at most m parts of a partition.  Who reads everything sees records, and not their rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.terms import ONE
from dpcompose.privacy.elaboration.contributions import Contributions
from dpcompose.privacy.elaboration.kinds import NoLemma, Pair
from dpcompose.privacy.settings import Setting
from dpcompose.spaces.moves.contributions import Contribution


def of_any_number(setting: Setting) -> bool:
    """Whether some inputs overlap, and in how many of them a record lies at most is a letter."""
    return any(
        mechanism.reads.divided and mechanism.reads.most.number is None for mechanism in setting.mechanisms
    )


def refused(why: str) -> NoLemma:
    """What is not supported of a letter."""
    return NoLemma(f"a letter for the number of inputs that hold a record {why}; a number would do")


class Overlapping(Contributions):
    """Multisets of which every mechanism reads one of the inputs that overlap."""

    @classmethod
    def of(cls, setting: Setting) -> Overlapping | None:
        if not of_any_number(setting):
            return None
        why, databases, edits = "", setting.databases, setting.target.edits(setting.databases)
        maps = [mechanism.reads for mechanism in setting.mechanisms]
        if not all(f.divided or f.is_everything for f in maps):
            why = "is not supported beside mechanisms that read something else"
        elif not databases.twice:
            why = "needs multisets"
        elif edits is None or edits.single is None:
            why = "needs a target whose neighbours differ by a number of records"
        if why:
            raise refused(why)
        return cls(setting)

    @cached_property
    def target(self) -> Contribution:
        """What one record contributes."""
        most = next(mechanism.reads.most for mechanism in self.setting.divided)
        return Contribution(most, ONE, replaced=(1, 1) in self._single)

    @cached_property
    def _single(self) -> Sequence[tuple[int, ...]]:
        """How many records go and come in a single step of the target."""
        edits = self.setting.target.edits(self.universe)
        assert edits is not None and edits.single is not None
        return sorted(edits.single)

    def steps(self) -> dict[str, Any]:
        data = self.relation(self.target)
        whole = any(mechanism.reads.is_everything for mechanism in self.setting.mechanisms)
        if whole or self.universe.sizes.n is not None:
            data["single"] |= {"records": [list(numbers) for numbers in self._single]}
        edits = self.setting.target.edits(self.universe)
        most = {f.partition: f.most for f in (mechanism.reads for mechanism in self.setting.divided)}
        others = {name: parts for name, parts in most.items() if parts != self.target.parts}
        if others:
            data["single"] |= {"among": {name: formulas.to_text(parts) for name, parts in others.items()}}
        return data | {"steps": 1 if edits is None else edits.most}

    def pair(self, of: Type) -> Pair:
        D, E = of.pair
        return D, E
