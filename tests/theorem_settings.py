"""Small settings on which composition theorems are tried, and the pages of theorems/."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.privacy import problems
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Named, Theory
from dpcompose.spaces.inputs.maps import Map

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "theorems"
THEORY = registry.load(FOLDER)
PAGES = list(THEORY.pages.values())
Part = tuple[str | None, str, str, str]
"""What a mechanism reads ("ab": the records a, b; None: everything), ε, granularity, domain."""


def study(
    target: str, *parts: Part, records: str = "ab", size: str = "any", theory: Theory = THEORY
) -> Study:
    lines = [
        "format = 1",
        "[databases]",
        'kind = "multisets"',
        f'size = "{size}"',
        f"records = {list(records)}",
    ]
    lines += ["[target]", f'granularity = "{target}"']
    for i, (reads, epsilon, granularity, domain) in enumerate(parts, start=1):
        lines += ["[[mechanisms]]", f'name = "M{i}"']
        if reads is not None:
            lines.append(f"reads = {{ records = {list(reads)} }}")
        said = f'notion = "pure", epsilon = "{epsilon}", granularity = "{granularity}"'
        lines.append(f"guarantee = {{ {said}{f', domain = {domain!r}' if reads is not None else ''} }}")
    return Study(problems.read_text("\n".join(lines)).setting, theory)


U, B = "unbounded", "bounded"


def on_roads(*parts: tuple[Map, str], size: str = "any") -> Study:
    """What mechanisms read of people in a, b and c, who may move from a to b and from b to c."""
    roads = dpc.policy("roads", replace=[["a", "b"], ["b", "c"]])
    mechanisms = [
        dpc.mechanism(f"M{i}", dpc.pure(epsilon, roads, "common"), reads=f)
        for i, (f, epsilon) in enumerate(parts, start=1)
    ]
    return Study(dpc.compose(*mechanisms, on=dpc.multisets("abc", size), target=roads).setting, THEORY)


def stated_for(head: Named) -> set[str]:
    """The notions for which a theorem is stated."""
    return {*head.items, *head.conclusion, *head.notions}


NOTIONS = ("zcdp", "gaussian", "approximate")


def in_notion(given: Study, notion: str) -> Study:
    """The same setting with the same numbers, as ρ, μ, or ε beside δ = 1/10."""
    make: dict[str, Any] = {"zcdp": dpc.zcdp, "gaussian": dpc.gaussian, "approximate": dpc.approximate}
    mechanisms = []
    for one in given.setting.mechanisms:
        first, about = one.satisfies.values[0][1], (one.satisfies.granularity, one.satisfies.domain)
        more = ["1/10"] if notion == "approximate" else []
        mechanisms.append(dpc.mechanism(one.name, make[notion](first, *more, *about), reads=one.reads))
    return dpc.compose(*mechanisms, on=given.setting.databases, target=given.setting.target)
