"""Problem files as studies."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpcompose.front.beside import beside
from dpcompose.front.study import Study
from dpcompose.privacy import problems
from dpcompose.privacy.in_metrics import (
    has_neighbours,
    in_order,
    is_for_neighbours,
    is_in_metrics,
    with_claims,
)
from dpcompose.privacy.mechanisms import Mechanism
from dpcompose.privacy.problems import Claim
from dpcompose.privacy.settings import Setting
from dpcompose.proof import registry
from dpcompose.proof.registry import Theory
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
    decided = beside(data, theory, partial(show, theory=theory)) is not None
    return not decided and _has_metrics(data, theory)


def _has_metrics(data: Mapping[str, Any], theory: Theory) -> bool:
    """Whether data are a problem in metrics."""
    from dpcompose.privacy.metrics import reading

    try:
        return bool(reading.read_data(data, notions=theory.parameters))
    except problems.ProblemError:
        return False


def _of_both_kinds(data: Mapping[str, Any], theory: Theory) -> tuple[Study, tuple[Claim, ...]] | None:
    """The study of data in metrics, some of whose claims are for neighbours and of the kernel's setting."""
    from dpcompose.privacy.metrics import reading

    if not has_neighbours(data) or not with_claims(data, in_metrics=False)["claims"]:
        return None
    with suppress(problems.ProblemError):  # which is told of the whole
        alone = reading.read_data(with_claims(data, in_metrics=True), notions=theory.parameters)
        study = Study(replace(alone.setting, data=data), theory)
        if (found := study.judge.beside) is not None:
            return study, in_order(data, alone.claims, found.claims)
    return None


def load(path: str | Path, theory: Theory | None = None) -> tuple[Study, tuple[Claim, ...]]:
    """The study of a problem file, and its claims; see `composing.load`."""
    theory = theory or registry.standard()
    text = problems.text_of(path)
    data = problems.parsed(text, str(path))
    if _for_metrics(data, theory):
        from dpcompose.privacy.metrics import reading

        if (both := _of_both_kinds(data, theory)) is not None:
            return both
        in_metrics = reading.read_data(data, str(path), text, theory.parameters)
        return Study(in_metrics.setting, theory), in_metrics.claims
    about = str(path), text, partial(show, theory=theory), theory.parameters, theory.own
    problem = problems.read_data(data, *about)
    return Study(problem.setting, theory), problem.claims
