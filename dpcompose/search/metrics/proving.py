"""Proofs that one formula in metrics is at least another for all databases, or points at which it is not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import sympy

from dpcompose.kernel.certificates import BadCertificate
from dpcompose.kernel.polynomials import NotAForm
from dpcompose.proof.metrics.cells import NoForm
from dpcompose.proof.metrics.composition import Composition
from dpcompose.proof.metrics.norms import IN_COORDINATES, LEVELS
from dpcompose.proof.metrics.pairs import ShowsNothing
from dpcompose.search import comparing
from dpcompose.search.metrics.points import Open, Point, Trials

Found = TypeVar("Found")


@dataclass(frozen=True, eq=False)
class Prover:
    """Proves comparisons of formulas in the letters of a composition's databases."""

    composition: Composition

    @cached_property
    def trials(self) -> Trials:
        return Trials(self.composition)

    def settle(
        self,
        greater: sympy.Expr,
        lesser: sympy.Expr,
        attempt: Callable[[Point], Found] | None,
        databases: str = "DE",
    ) -> dict[str, Any] | Found | str:
        """A proof of greater ≥ lesser as it is saved, or what an attempt makes of a point, or why neither.

        attempt -- what is wanted of a point where the comparison fails; raises BadCertificate elsewhere;
        None: no point would do.
        First a few simple points; then a proof of each group, as `Letters.groups` has them, or of the whole;
        then more points.
        """
        found, _ = _first(attempt, self.trials.first(databases))
        if found is not None:
            return found
        groups = self.composition.letters.groups(greater, lesser)
        seen = []
        for whole in (False, True) if len(groups) > 1 else (True,):
            proofs = []
            for factor, more, less in [(sympy.Integer(1), greater, lesser)] if whole else groups:
                shown = self._everywhere(more, less)
                if isinstance(shown, Open):
                    seen.append((shown, factor))
                    break
                proofs.append(shown)
            else:
                return {"whole": whole, "groups": proofs}
        found, why = _first(attempt, self.trials.near(seen, databases))
        return found or seen[-1][0].reason or why or "neither a proof nor a point was found"

    def first(self, attempt: Callable[[Point], Found]) -> Found | None:
        """What an attempt makes of the first simple point at which it does not fail, if there is one."""
        found, _ = _first(attempt, self.trials.near([], "DE"))
        return found

    def prove(self, greater: sympy.Expr, lesser: sympy.Expr) -> dict[str, Any] | str:
        """A proof of greater ≥ lesser, formulas in letters, as it is saved; or why there is none."""
        nothing: Callable[[Point], dict[str, Any]] | None = None
        return self.settle(greater, lesser, nothing)

    def _everywhere(self, greater: sympy.Expr, lesser: sympy.Expr) -> dict[str, Any] | Open:
        """A proof of greater ≥ lesser for each case, at the lowest level where there is one."""
        found: list[Open] = []
        for level in LEVELS:
            shown = self._at_level(greater, lesser, level)
            if isinstance(shown, dict):
                return shown
            if level in IN_COORDINATES:
                found.append(shown)
        return next((one for one in found if one.point), found[0])

    def _at_level(self, greater: sympy.Expr, lesser: sympy.Expr, level: int) -> dict[str, Any] | Open:
        proofs = []
        efforts = None if level == IN_COORDINATES[0] else 1
        assumed = self.composition.setting.assume
        try:
            for case in self.composition.letters.cases(greater, lesser, level):
                found = comparing.compare(case.greater, case.lesser, efforts=efforts, assumed=assumed)
                if not isinstance(found, comparing.Proof):
                    point = found.values if isinstance(found, comparing.Point) else {}
                    why = "" if point else comparing.reason(case.greater, case.lesser, assumed)
                    return Open(case, point, why)
                proofs.append(found.certificate)
        except (NotAForm, NoForm) as error:
            return Open(None, {}, str(error))
        return {"level": level, "cases": proofs}


def _first(
    attempt: Callable[[Point], Found] | None, points: Iterable[Point]
) -> tuple[Found, str] | tuple[None, str]:
    """What an attempt makes of the first point at which it does not fail, or why there is none, if known."""
    why = ""
    for point in points if attempt is not None else ():
        assert attempt is not None
        try:
            return attempt(point), ""
        except ShowsNothing:
            continue
        except BadCertificate as error:
            why = str(error)
    return None, why
