"""What the goldens say of settings about neighbours, beside the kernel's guarantees for the same settings."""

from __future__ import annotations

import json
import tempfile
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import frozen

from dpcompose.front.studies.loading import load
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.in_metrics import is_in_metrics
from dpcompose.privacy.settings import Setting
from dpcompose.proof.theory import registry
from dpcompose.search import guarantees
from dpcompose.search.guarantees import Guarantees

THEORY = registry.standard()


@dataclass(frozen=True)
class Golden:
    """A problem with what `bound` prints of it, as text and as JSON."""

    problem: frozen.Frozen
    text: str
    data: dict[str, Any]

    def __str__(self) -> str:
        return self.problem.name

    @property
    def derivation(self) -> list[str]:
        """The lines of the derivation, with those of studies, and what is believed without check."""
        rows = self.text.split("\n\n")
        return next(one for one in rows if "believed without check: " in one).split("\n")


@cache
def goldens() -> list[Golden]:
    """All that have a guarantee for neighbours, in order; of one guarantee of each mechanism."""
    found = []
    for one in frozen.frozen():
        if (
            is_in_metrics(tomllib.loads(one.problem))
            or "\nsatisfies = [" in one.problem
            or 'notion = "f-dp"' in one.problem
            or 'notion = "renyi"'
            in one.problem  # which is about orders that the kernel's setting is asked at
            or not one.golden.exists()
        ):
            continue
        sections = one.golden.read_text(encoding="utf-8").split("=== ")
        text = next(part for part in sections if part.startswith("bound --proof --fits: "))
        shown = next(part for part in sections if part.startswith("bound --json: "))
        data = json.loads(shown.partition("\n")[2].partition("--- stderr")[0] or "{}")
        if "fits" in data:
            found.append(Golden(one, text, data))
    return found


def setting_of(problem: str) -> Setting:
    """The setting that a problem file states."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "problem.toml"
        file.write_text(problem, encoding="utf-8")
        return load(file)[0].setting


def found(setting: Setting, notion: str) -> Guarantees:
    """The guarantees of a setting in a notion."""
    return guarantees.best(guarantees.workshop(Elaborated(setting).core, THEORY.in_kernel), notion)
