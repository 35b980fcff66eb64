"""Problem files as studies."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpcompose.front.study import Study
from dpcompose.privacy import problems
from dpcompose.privacy.in_metrics import is_for_neighbours, is_in_metrics
from dpcompose.privacy.mechanisms import Mechanism
from dpcompose.privacy.problems import Claim
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.proof import registry
from dpcompose.proof.registry import Theory
from dpcompose.search.proofs import NoGuarantee, NotElaborated
from dpcompose.spaces.databases import TooLarge
from dpcompose.spaces.maps import Map

if TYPE_CHECKING:
    import sympy


def show(
    name: str, setting: Setting, reads: Map, count: sympy.Expr | None = None, theory: Theory | None = None
) -> Mechanism:
    """A composition as a mechanism of another one, with its best guarantee: for reading problem files."""
    return Study(setting, theory or registry.standard()).as_mechanism(name, reads, count)


def _for_metrics(data: Mapping[str, Any], theory: Theory) -> bool:
    """Whether data of a problem file are about metrics, and not with claims for neighbours only.

    Those whose claims are, are settings of the kernel's, if they can be.  What is none, and none in metrics
    either, is told what is wrong with it as such a setting.
    """
    if not is_in_metrics(data) or not is_for_neighbours(data):
        return is_in_metrics(data)
    return not _is_decided(data, theory) and _has_metrics(data, theory)


def _is_decided(data: Mapping[str, Any], theory: Theory) -> bool:
    """Whether the kernel has a setting for data, and covers its neighbours."""
    try:
        found = problems.read_data(
            data, show=partial(show, theory=theory), notions=theory.parameters, own=theory.own
        )
        proofs = Study(found.setting, theory).proofs
        return proofs.choices is not None or bool(proofs.shop)
    except (problems.ProblemError, InvalidSetting, NotElaborated, NoGuarantee, TooLarge):
        return False


def _has_metrics(data: Mapping[str, Any], theory: Theory) -> bool:
    """Whether data are a problem in metrics."""
    from dpcompose.privacy.metrics import reading

    try:
        return bool(reading.read_data(data, notions=theory.parameters))
    except problems.ProblemError:
        return False


def load(path: str | Path, theory: Theory | None = None) -> tuple[Study, tuple[Claim, ...]]:
    """The study of a problem file, and its claims; see `composing.load`."""
    theory = theory or registry.standard()
    text = problems.text_of(path)
    data = problems.parsed(text, str(path))
    if _for_metrics(data, theory):
        from dpcompose.privacy.metrics import reading

        in_metrics = reading.read_data(data, str(path), text, theory.parameters)
        return Study(in_metrics.setting, theory), in_metrics.claims
    about = str(path), text, partial(show, theory=theory), theory.parameters, theory.own
    problem = problems.read_data(data, *about)
    return Study(problem.setting, theory), problem.claims
