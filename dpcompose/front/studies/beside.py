"""The composition for neighbours that a problem file in metrics says beside."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from dpcompose.front.documents.bound import Bound
from dpcompose.front.printers import render
from dpcompose.front.studies.neighbours import ForNeighbours
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.privacy import problems
from dpcompose.privacy.in_metrics import with_claims
from dpcompose.privacy.problems import Claim
from dpcompose.privacy.readers.mechanisms import Showing
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.proof.registry import Theory
from dpcompose.search.proofs import NoGuarantee, NotElaborated
from dpcompose.spaces.classes.databases import TooLarge

NO_STUDY = (problems.ProblemError, InvalidSetting, NotElaborated, NoGuarantee, TooLarge)
"""What says that data for neighbours are none, or that the kernel has no setting for them."""


@frozen(eq=False)
class Beside:
    """What judges claims for the neighbours of a target, and the claims of a file that are such."""

    judge: ForNeighbours
    claims: tuple[Claim, ...]

    @cached_property
    def bound(self) -> Bound | None:
        """The best guarantee for neighbours, where a claim is for these; None where there is none."""
        with suppress(NoGuarantee, InvalidSetting, TooLarge):
            return self.judge.bound if self.claims else None
        return None

    @property
    def words(self) -> str:
        """The same in words."""
        return "" if self.bound is None else f"for neighbours {render.guarantee(self.bound)}"

    @property
    def derivation(self) -> str:
        """Its numbered steps."""
        return "" if self.bound is None else f"for neighbours:\n{render.derivation(self.bound.told)}\n"


def beside(data: Mapping[str, Any], theory: Theory, show: Showing | None = None) -> Beside | None:
    """The composition for neighbours that data in metrics say, by the kernel; None where it has none of it.

    show -- finds the guarantees of studies; left out, there is none where these are not stated.
    """
    said = with_claims(data, in_metrics=False)
    try:
        found = problems.read_data(said, show=show, notions=theory.parameters, own=theory.own, pairs=False)
        judge = ForNeighbours(found.setting, theory)
        covered = judge.proofs.choices is not None or bool(judge.proofs.shop)
    except NO_STUDY:
        return None
    return Beside(judge, found.claims) if covered else None
