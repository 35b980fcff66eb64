"""The composition for neighbours that a problem file in metrics says beside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcompose.front.studies.neighbours import ForNeighbours
from dpcompose.privacy import problems
from dpcompose.privacy.in_metrics import with_claims
from dpcompose.privacy.problems import Claim
from dpcompose.privacy.readers.mechanisms import Showing
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.proof.theory.registry import Theory
from dpcompose.search.proofs import NoGuarantee, NotElaborated
from dpcompose.spaces.classes.databases import TooLarge

NO_STUDY = (problems.ProblemError, InvalidSetting, NotElaborated, NoGuarantee, TooLarge)
"""What says that data for neighbours are none, or that the kernel has no setting for them."""


def beside(
    data: Mapping[str, Any], theory: Theory, show: Showing | None = None
) -> tuple[ForNeighbours, tuple[Claim, ...]] | None:
    """What judges the composition for neighbours that data in metrics say, and their claims for these; None
    where the kernel has no setting for it.

    show -- finds the guarantees of studies; left out, there is none where these are not stated.
    """
    said = with_claims(data, in_metrics=False)
    try:
        problem = problems.read_data(said, show=show, notions=theory.parameters, own=theory.own, pairs=False)
        judge = ForNeighbours(problem.setting, theory)
        covered = judge.proofs.choices is not None or bool(judge.proofs.shop)
    except NO_STUDY:
        return None
    return (judge, problem.claims) if covered else None
