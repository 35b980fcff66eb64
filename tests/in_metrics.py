"""Studies of privacy in metrics from the text of problem files."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.kernel.core.reading import read as read_core
from dpcompose.privacy import problems
from dpcompose.proof.theory import registry

THEORY = registry.standard()
FOUR = """[databases]
kind = "listed"
elements = ["a", "b1", "b2", "c"]
[maps.f]
table = { a = "x", b1 = "y", b2 = "y", c = "z" }
"""
"""Four listed databases, two of which a map does not tell apart."""
METRIC = """[metrics.d]
table = [["a","b1","2"], ["b1","b2","1"], ["b2","c","3"], ["a","b2","3"], ["b1","c","4"], ["a","c","6"]]
"""
"""A metric on these whose least distance over the fibres is none."""
BROKEN = """[metrics.d]
table = [["a","b1","2"], ["b2","c","3"]]
"""
"""One with two finite distances, at which the same is so."""


def stated(metric: str, notion: str = "pure", name: str = "M", more: str = "", **others: str) -> str:
    """A mechanism of a problem file; more -- what else is said of it; others -- keys of its guarantee."""
    besides = "".join(f', {key} = "{x}"' for key, x in others.items())
    return f'[[mechanisms]]\nname = "{name}"\n{more}guarantee = {{ notion = "{notion}", metric = "{metric}"{besides} }}\n'


def claimed(*metrics: str, notion: str = "pure", **others: str) -> str:
    """Claims of a problem file; others -- their other keys."""
    besides = "".join(f'{key} = "{x}"\n' for key, x in others.items())
    return "".join(f'[[claims]]\nnotion = "{notion}"\nmetric = "{one}"\n{besides}' for one in metrics)


def claimed_for_neighbours(notion: str = "pure", **values: str) -> str:
    """A claim of a problem file by its parameters."""
    return f'[[claims]]\nnotion = "{notion}"\n' + "".join(f'{key} = "{x}"\n' for key, x in values.items())


def read_data(data: Any, file: str = "problem", text: str = "", **more: Any) -> problems.Problem:
    """A problem as one about all pairs of databases."""
    return problems.read_data(data, file, text, pairs=True, **more)


def study(text: str) -> tuple[Any, list[Any]]:
    """What a problem file without its first line states, and the verdicts on its claims."""
    text = "format = 1\n" + text
    problem = read_data(problems.parsed(text), "problem", text)
    made = Study(problem.setting, THEORY)
    return made, [made.check(one) for one in problem.claims]


def verdicts(text: str) -> list[str]:
    """The verdicts on the claims of a problem file."""
    return [one.verdict for one in study(text)[1]]


def saved(text: str, folder: Path) -> Any:
    """What is saved of a problem file and the verdicts on its claims."""
    made, found = study(text)
    made.save(folder / "saved.json", found)
    return json.loads((folder / "saved.json").read_text(encoding="utf-8"))


def steps(data: Any, rule: str) -> list[Any]:
    """The steps of a saved derivation by a rule."""
    return [one for one in data["derivation"]["steps"] if one["rule"] == rule]


def forged(data: Any, place: Sequence[Any], value: Any) -> Any:
    """The data with another value in one place."""
    made = copy.deepcopy(data)
    inside = made
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = value
    return made


def believed_again(data: Any) -> Any:
    """A saved file with another core setting, which its derivation says that it is about."""
    made = copy.deepcopy(data)
    made["derivation"]["setting"] = read_core(made["core"]).hash
    return made


def beside_neighbours() -> Study:
    """A guarantee in the metric of one granularity, and one for the neighbours of another, which is the target."""
    return dpc.compose(
        dpc.mechanism("M1", dpc.in_metric("e1*d_unbounded")),
        dpc.mechanism("M2", dpc.pure("e2", dpc.bounded)),
        on=dpc.multisets(),
        target=dpc.bounded,
        metrics={},
    )
