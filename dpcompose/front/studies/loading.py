"""Problem files as studies."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpcompose.front.studies.judge import Judge
from dpcompose.front.studies.neighbours import beside
from dpcompose.front.studies.study import Study
from dpcompose.privacy import problems
from dpcompose.privacy.in_metrics import (
    has_neighbours,
    in_groups,
    is_for_neighbours,
    is_in_metrics,
    known_for_neighbours,
)
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.problems import Claim
from dpcompose.privacy.settings import Setting
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Theory
from dpcompose.spaces.inputs.maps import Map

if TYPE_CHECKING:
    import sympy


def show(
    name: str, setting: Setting, reads: Map, count: sympy.Expr | None = None, theory: Theory | None = None
) -> Mechanism:
    """A composition as a mechanism of another one, with its best guarantee: for reading problem files."""
    return Study(setting, theory or registry.standard()).as_mechanism(name, reads, count)


def _in_metrics(
    data: Mapping[str, Any], file: str, text: str, theory: Theory
) -> tuple[Study, tuple[Claim, ...]] | None:
    """The study of data with metrics, and its claims; None where it is to be told as one about neighbours.

    Where all claims are for neighbours it is a setting of the kernel's, if it can be.  What is none, and none
    in metrics either, is told what is wrong with it as such a setting.
    """
    if known_for_neighbours(data):
        return None
    for_neighbours = is_for_neighbours(data)
    if for_neighbours and (found := beside(data, theory, partial(show, theory=theory))) is not None:
        judge, claims = found
        return Study.by(Judge.by(judge)), claims
    near = has_neighbours(data)
    try:
        problem = problems.read_data(data, file, text, **theory.names, pairs=True, beside=near)
    except problems.ProblemError:
        if for_neighbours:
            return None
        raise
    return Study(problem.setting, theory), problem.claims


def load(path: str | Path, theory: Theory | None = None) -> tuple[Study, tuple[Claim, ...]]:
    """The study of a problem file, and its claims; see `composing.load`."""
    return load_text(problems.text_of(path), str(path), theory or registry.standard())


def load_text(text: str, file: str, theory: Theory) -> tuple[Study, tuple[Claim, ...]]:
    """The same of a text; file -- what messages call it."""

    def read(data: Mapping[str, Any]) -> tuple[Study, tuple[Claim, ...]]:
        return load_data(data, file, text, theory)

    return problems.at_once(read, problems.parsed(text, file), file, text, theory.parameters)


def load_data(
    data: Mapping[str, Any], file: str, text: str, theory: Theory
) -> tuple[Study, tuple[Claim, ...]]:
    """The same of data.  Raises ProblemError with the mistakes that are found first."""
    data = in_groups(data) if isinstance(data, Mapping) else data
    if is_in_metrics(data) and (found := _in_metrics(data, file, text, theory)) is not None:
        return found
    shown = partial(show, theory=theory)
    problem = problems.read_data(data, file, text, shown, **theory.names, pairs=False)
    return Study(problem.setting, theory), problem.claims
