"""Proofs that one formula in metrics is at least another for all databases, or points at which it is not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar

import sympy

from dpcompose.kernel.certificates import BadCertificate
from dpcompose.kernel.polynomials import NotAForm
from dpcompose.kernel.terms import Term
from dpcompose.proof.metrics.cells import NoForm
from dpcompose.proof.metrics.composition import Composition
from dpcompose.proof.metrics.letters import Case
from dpcompose.proof.metrics.norms import AS_ROOTS, IN_COORDINATES, LEVELS
from dpcompose.proof.metrics.pairs import Pairs, ShowsNothing
from dpcompose.proof.metrics.refutation import check_exceeds
from dpcompose.search import comparing
from dpcompose.search.metrics.points import Open, Point, Trials
from dpcompose.spaces.points import Declared, Euclid

Found = TypeVar("Found")


@dataclass(frozen=True, eq=False)
class Prover:
    """Proves comparisons of formulas in the letters of a composition's databases."""

    composition: Composition
    _known: dict[tuple[Term, Term, int | None, bool], comparing.Proof | comparing.Point | None] = field(
        default_factory=dict, repr=False
    )

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
        tried = set[frozenset[tuple[str, Fraction]]]()
        found, _ = _first(attempt, _fresh(self.trials.first(databases), tried))
        if found is not None:
            return found
        groups = self.composition.letters.groups(greater, lesser)
        seen = []
        for whole in (False, True) if len(groups) > 1 else (True,):
            proofs = []
            for factor, more, less in [(sympy.Integer(1), greater, lesser)] if whole else groups:
                shown = self._everywhere(more, less, databases)
                if isinstance(shown, Open):
                    seen.append((shown, factor))
                    break
                proofs.append(shown)
            else:
                return {"whole": whole, "groups": proofs}
        found, why = _first(attempt, _fresh(self.trials.near(seen, databases), tried))
        return found or seen[-1][0].reason or why or "neither a proof nor a point was found"

    def first(self, attempt: Callable[[Point], Found], points: Iterable[Point] | None = None) -> Found | None:
        """What an attempt makes of the first simple point at which it does not fail, if there is one."""
        found, _ = _first(attempt, self.trials.near([], "DE") if points is None else points)
        return found

    def prove(self, greater: sympy.Expr, lesser: sympy.Expr) -> dict[str, Any] | str:
        """A proof of greater ≥ lesser, formulas in letters, as it is saved; or why there is none."""
        nothing: Callable[[Point], dict[str, Any]] | None = None
        return self.settle(greater, lesser, nothing)

    def _everywhere(self, greater: sympy.Expr, lesser: sympy.Expr, databases: str) -> dict[str, Any] | Open:
        """A proof of greater ≥ lesser for each case, at the lowest level where there is one.

        None is looked for any more where the comparison fails at a simple point.
        """
        found: list[Open] = []
        roots = any(one.has(Euclid) or _has_roots(one) for one in (greater, lesser))
        for level in LEVELS:
            if level == AS_ROOTS and not roots:
                continue
            shown = self._at_level(greater, lesser, level)
            if isinstance(shown, dict):
                return shown
            if level == LEVELS[0] and (point := self._failing(greater, lesser, databases)) is not None:
                return Open(
                    None, {}, f"what is known to be lost at most is more than that {self.where(point)}"
                )
            if level in IN_COORDINATES:
                found.append(shown)
        return next((one for one in found if one.point), found[0])

    def _failing(self, greater: sympy.Expr, lesser: sympy.Expr, databases: str) -> Point | None:
        """A simple point at which lesser > greater; what is known by a bound alone is as large as that."""
        for point in self.trials.few(databases):
            with suppress(BadCertificate):
                full = self.pairs.complete(point) | {f"declared__{name}": None for name in self._declared}
                check_exceeds(*(self.pairs.value(side, full) for side in (lesser, greater)))
                return point
        return None

    @cached_property
    def pairs(self) -> Pairs:
        return Pairs(self.composition.setting, self.composition.letters)

    @property
    def _declared(self) -> list[str]:
        metrics = self.composition.setting.metrics.items()
        return [name for name, one in metrics if isinstance(one.distance, Declared)]

    def where(self, point: Point) -> str:
        """Where a point is, in words."""
        domains = self.composition.setting.domains
        some = ", ".join(f"{name} = {x}" for name, x in point.items() if name in domains)
        return f"at some databases{' where ' if some else ''}{some}"

    def _at_level(self, greater: sympy.Expr, lesser: sympy.Expr, level: int) -> dict[str, Any] | Open:
        proofs = []
        assumed = self.composition.setting.assume
        try:
            for case in self.composition.letters.cases(greater, lesser, level):
                found = self._compared(case, level)
                if not isinstance(found, comparing.Proof):
                    point = found.values if isinstance(found, comparing.Point) else {}
                    why = "" if point else comparing.reason(case.greater, case.lesser, assumed)
                    return Open(case, point, why)
                proofs.append(found.certificate)
        except (NotAForm, NoForm) as error:
            return Open(None, {}, str(error))
        return {"level": level, "cases": proofs}

    def _compared(self, case: Case, level: int) -> comparing.Proof | comparing.Point | None:
        """What is found of a case, looked for once where it is the same at several levels.

        Points are wanted where coordinates are written out; at other levels they are none of databases.
        """
        efforts = None if level in (IN_COORDINATES[0], AS_ROOTS) else 1
        to_prove = level not in IN_COORDINATES
        asked = case.greater, case.lesser
        for key in ((*asked, None, False), (*asked, efforts, to_prove)):
            if key in self._known:
                return self._known[key]
        assumed = self.composition.setting.assume
        found = comparing.compare(*asked, efforts=efforts, to_prove=to_prove, assumed=assumed)
        self._known[*asked, efforts, to_prove] = found
        return found


def _fresh(points: Iterable[Point], tried: set[frozenset[tuple[str, Fraction]]]) -> Iterator[Point]:
    """Those that were not tried yet."""
    for point in points:
        known = frozenset(point.items())
        if known not in tried:
            tried.add(known)
            yield point


def _has_roots(it: sympy.Expr) -> bool:
    """Whether roots of sums stand in a formula."""
    return any(one.base.is_Add and one.exp == sympy.S.Half for one in it.atoms(sympy.Pow))


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
