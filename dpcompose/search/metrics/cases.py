"""The cases that two databases of a setting in metrics fall into, and points in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import field
from functools import cached_property
from typing import Any

from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers import places
from dpcompose.kernel.covers.types import Type, Where
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.judgements import Covers
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.search.metrics.points import Point, Trials
from dpcompose.search.metrics.proving import Comparisons
from dpcompose.spaces.canonical.points import ByParts

ANYWHERE = Type((), frozenset(), (), where=Where((), ()))
"""Any two points."""


@frozen(eq=False)
class Cases:
    """A setting in metrics as the kernel reads it, the covers of its pairs, proofs and points in their cases.

    told -- the setting, and the core setting that it is.
    """

    told: Elaborated
    theory: Theory
    _known: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def setting(self) -> Setting:
        """The core setting."""
        return self.told.core

    @cached_property
    def prover(self) -> Prover:
        return Prover(self.setting, self.theory)

    @cached_property
    def comparisons(self) -> Comparisons:
        return Comparisons(self.setting)

    @cached_property
    def trials(self) -> Trials:
        return Trials(self.setting)

    def cover(self, names: Iterable[str], bounds: Sequence[Theorem] = ()) -> Theorem | None:
        """The cases in which distances of these names are formulas; None where they are not.

        bounds -- theorems that some are at most their bounds, by which these are told.
        """
        asked = tuple(sorted({*names} & {name for name, _ in self.setting.distances}))
        key = "cover", asked, bool(bounds)
        if key not in self._known:
            self._known[key] = None
            try:
                self._known[key] = self.prover.by("cover", *bounds, of=list(asked))
            except NoTheorem as error:
                self._known["why", asked] = error.why
        theorem: Theorem | None = self._known[key]
        return theorem

    def why_no_cover(self, names: Iterable[str]) -> str:
        """Why there is no cover of distances."""
        asked = tuple(sorted({*names} & {name for name, _ in self.setting.distances}))
        return str(self._known.get(("why", asked), ""))

    def are_there(self, type: Type, point: Point) -> bool:
        """Whether a point is one of two databases of a case."""
        with suppress(places.NotThere, ValueError, ArithmeticError):
            places.checked(self.setting, self.theory, type, point)
            return True
        return False

    def where(self, type: Type, point: Point, which: str = "DE") -> str:
        """Databases and parameters of a point in words."""
        told = self.told.parts.database
        every = {who: told(self.setting, self.theory, type, point, who) for who in which}
        some = [f"{who} = {ByParts.printed(database)}" for who, database in every.items()]
        some += [f"{name} = {point[name]}" for name, _ in sorted(self.setting.parameters) if name in point]
        return ", ".join(some)


def types_of(cover: Theorem) -> Sequence[Type]:
    """The cases of a cover."""
    assert isinstance(cover.says, Covers)
    return cover.says.cover.types
