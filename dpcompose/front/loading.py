"""Problem files as studies."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from dpcompose.front.study import Study
from dpcompose.privacy import problems
from dpcompose.privacy.in_metrics import is_in_metrics
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


def load(path: str | Path, theory: Theory | None = None) -> tuple[Study, tuple[Claim, ...]]:
    """The study of a problem file, and its claims; see `composing.load`."""
    theory = theory or registry.standard()
    text = problems.text_of(path)
    data = problems.parsed(text, str(path))
    if is_in_metrics(data):
        from dpcompose.privacy.metrics import reading

        in_metrics = reading.read_data(data, str(path), text, theory.parameters)
        return Study(in_metrics.setting, theory), in_metrics.claims
    about = str(path), text, partial(show, theory=theory), theory.parameters, theory.own
    problem = problems.read_data(data, *about)
    return Study(problem.setting, theory), problem.claims
