"""Proofs that one formula in distances is at least another one in each case, or points at which it is not."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field, replace
from fractions import Fraction
from typing import Any

from dpcompose.kernel import computed
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.deciders.calculus import coordinates
from dpcompose.kernel.deciders.norms import norms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.forms import NotAForm
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import HALF, ZERO, Term
from dpcompose.kernel.rules.metrics import of_squares, square
from dpcompose.search.comparisons import comparing
from dpcompose.search.metrics import slopes
from dpcompose.search.metrics.points import Open


@frozen(eq=False)
class Comparisons:
    """Proves comparisons of formulas in the letters of two databases of a setting."""

    setting: Setting
    _known: dict[tuple[Term, Term, int | None, bool], comparing.Proof | comparing.Point | None] = field(
        default_factory=dict, repr=False
    )
    _cases: dict[tuple[Term, Term, bool], dict[str, Any] | Open | None] = field(
        default_factory=dict, repr=False
    )

    def in_case(self, greater: Term, lesser: Term, squared: bool = False) -> dict[str, Any] | Open | None:
        """A proof of greater ≥ lesser as the kernel reads it; None where it needs none; or what is open."""
        asked = greater, lesser, squared
        if asked not in self._cases:
            found = self._in_case(greater, lesser, squared)
            if isinstance(found, Open) and self.setting.databases.points:
                found = slopes.proof(self.setting, greater, lesser) or found
            self._cases[asked] = found
        return self._cases[asked]

    def _in_case(self, greater: Term, lesser: Term, squared: bool) -> dict[str, Any] | Open | None:
        if greater.kind == "oo" or greater == lesser:
            return None
        if lesser.kind == "oo":
            return Open(None, {}, "what is known to be lost at most is oo there")
        if squared:
            return self._of_squares(greater, lesser)
        greater, lesser = (
            norms.distributed(of_squares(term, self.setting.known)) for term in (greater, lesser)
        )
        names = {name for name, _ in self.setting.parameters}
        groups = norms.groups(greater, lesser, names, self.setting.assumed)
        seen: list[Open] = []
        for whole in (False, True) if len(groups) > 1 else (True,):
            proofs = []
            for factor, more, less in [(None, greater, lesser)] if whole else groups:
                shown = self._group(more, less)
                if isinstance(shown, Open):
                    large = frozenset() if factor is None else frozenset(factor.letters)
                    seen.append(replace(shown, large=large))
                    break
                proofs.append(shown)
            else:
                return {"whole": whole, "groups": proofs}
        last = next((one for one in reversed(seen) if one.failing), seen[-1])
        return replace(last, large=frozenset[str]().union(*(one.large for one in seen)))

    def _of_squares(self, greater: Term, lesser: Term) -> dict[str, Any] | Open | None:
        """A proof by the squares of both sides, or as it is."""
        found = self._by_squares(greater, lesser)
        if found is None or (isinstance(found, Open) and not found.failing):
            plain = self._in_case(greater, lesser, False)
            return plain if found is None or not isinstance(plain, Open) or plain.failing else found
        return found

    def _by_squares(self, greater: Term, lesser: Term) -> dict[str, Any] | Open | None:
        """A proof by the squares of both sides; None where they have none."""
        try:
            more, less = (square(term, self.setting.known) for term in (greater, lesser))
        except NotAForm:
            return None
        found: dict[str, Any] = {}
        if not greater.nonnegative:
            shown = self.in_case(greater, ZERO)
            if isinstance(shown, Open):
                return shown
            found = {"not negative": shown}
        shown = self.in_case(more, less)
        return shown if isinstance(shown, Open) else found | {"squares": shown}

    def _group(self, greater: Term, lesser: Term) -> dict[str, Any] | Open:
        """A proof of all cases, at the lowest level where there is one."""
        opens: list[Open] = []
        roots = any(_has_roots(term) for term in (greater, lesser))
        places = bool(self.setting.databases.points)
        for level in norms.LEVELS:
            if level in (norms.AS_ROOTS, norms.AS_WRITTEN) and not roots:
                continue
            if level in norms.IN_COORDINATES and not places:
                continue
            shown = self._at_level(greater, lesser, level)
            if isinstance(shown, dict):
                return shown
            opens.append(shown)
        return next((one for one in reversed(opens) if one.failing), opens[-1])

    def _at_level(self, greater: Term, lesser: Term, level: int) -> dict[str, Any] | Open:
        proofs, points = [], self.setting.databases.points
        try:
            cases = norms.cases(greater, lesser, points, level, self.setting.assumed)
            for n, (more, less) in enumerate(cases):
                found = self._compared(more, less, level)
                if not isinstance(found, comparing.Proof):
                    failing = found if found and found.seen else None
                    why = "" if failing else comparing.reason(more, less, self.setting.assumed)
                    return Open(failing, self._coordinates(greater, lesser, level, n), why)
                proofs.append(found.certificate)
        except NotAForm as error:
            return Open(None, {}, str(error))
        return {"level": level, "cases": proofs}

    def _coordinates(self, greater: Term, lesser: Term, level: int, n: int) -> Mapping[str, Term]:
        """What coordinates are in the letters of the n-th case, where it is one in coordinates."""
        points = self.setting.databases.points
        if level == norms.IN_COORDINATES[1]:
            return list(coordinates.orders(points, {*greater.letters, *lesser.letters}))[n]
        return coordinates.within(points)

    def _compared(self, more: Term, less: Term, level: int) -> comparing.Proof | comparing.Point | None:
        """What is found of a case, looked for once where it is the same at several levels.

        Points are wanted where coordinates are written out; at other levels they are none of databases.
        """
        places = bool(self.setting.databases.points)
        efforts = None if level == norms.IN_COORDINATES[0] or (places and level == norms.AS_ROOTS) else 1
        to_prove = places and level not in norms.IN_COORDINATES
        for key in ((more, less, None, False), (more, less, efforts, to_prove)):
            if key in self._known:
                return self._known[key]
        assumed = self.setting.assumed
        found = comparing.compare(more, less, efforts=efforts, to_prove=to_prove, assumed=assumed)
        self._known[more, less, efforts, to_prove] = found
        return found


def _has_roots(term: Term) -> bool:
    """Whether roots of sums stand in a formula."""
    if term.kind == "power" and term.parts[1].number == HALF and term.parts[0].kind == "sum":
        return True
    return any(map(_has_roots, term.parts))


def fails(greater: Term, lesser: Term, point: Mapping[str, Fraction]) -> bool:
    """Whether greater < lesser at a point, for sure."""
    if greater.kind == "oo":
        return False
    if lesser.kind == "oo":
        return True
    with suppress(BadCertificate, ValueError, ArithmeticError):
        return computed.is_more(lesser, greater, point)
    return False
