"""Overlapping reads: bound names the record that comes or goes, or the pair, at which the bound is attained."""

from __future__ import annotations

import json
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from dpcompose.front import cli
from dpcompose.front.studies.study import Study
from dpcompose.privacy import problems

TRIANGLE = {"A": (["p", "q"], "1"), "B": (["q", "r"], "2"), "C": (["r", "p"], "3")}


def problem(
    granularity: str, mechanisms: dict[str, tuple[list[str], str]], domain: str = "common"
) -> dict[str, Any]:
    """Mechanisms that read some records, each with its epsilon."""
    return {
        "format": 1,
        "databases": {"kind": "multisets", "records": ["p", "q", "r", "s"]},
        "target": {"granularity": granularity},
        "mechanisms": [
            {
                "name": name,
                "reads": {"records": records},
                "guarantee": {
                    "notion": "pure",
                    "epsilon": epsilon,
                    "granularity": "unbounded" if domain == "own" else granularity,
                    "domain": domain,
                },
            }
            for name, (records, epsilon) in mechanisms.items()
        ],
    }  # fmt: skip


def said(given: dict[str, Any]) -> list[str]:
    """Where the bound is attained, in words."""
    return list(map(str, Study(problems.read_data(given).setting).bound.attained))


@pytest.mark.parametrize(
    ("granularity", "mechanisms", "domain", "words"),
    [
        ("unbounded", TRIANGLE, "common", ["5 at the record r, read by B, C"]),
        ("bounded", TRIANGLE, "common", ["6 at the records p in place of q, read by A, B, C"]),
        # on the own domain one record goes, by A and C, and another one comes, by B and C: 4 + 5
        ("bounded", TRIANGLE, "own", ["9 at the records p in place of r, read by A, B, C"]),
        ("unbounded", {**TRIANGLE, "C": (["r", "p"], "x")}, "common",
         ["3 at the record q, read by A, B", "x + 2 at the record r, read by B, C"]),
        # a partition, or one set in another with everything: nothing overlaps that has to be told
        ("unbounded", {"A": (["p"], "1"), "B": (["q", "r"], "2")}, "common", []),
    ],
)  # fmt: skip
def test_where_it_is_attained(granularity: str, mechanisms: Any, domain: str, words: list[str]) -> None:
    assert said(problem(granularity, mechanisms, domain)) == words


def test_the_command_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "triangle.toml"
    lines = ['format = 1', '[databases]', 'kind = "multisets"', '[target]', 'granularity = "unbounded"']  # fmt: skip
    for name, (records, epsilon) in TRIANGLE.items():
        lines += ["[[mechanisms]]", f'name = "{name}"', f"reads = {{ records = {json.dumps(records)} }}"]
        guarantee = f'notion = "pure", epsilon = "{epsilon}", granularity = "unbounded", domain = "common"'
        lines.append(f"guarantee = {{ {guarantee} }}")
    file.write_text("\n".join(lines), encoding="utf-8")
    cli.main(["bound", str(file)])
    assert "attained: 5 at the record r, read by B, C" in capsys.readouterr().out
    cli.main(["bound", "--json", str(file)])
    (found,) = json.loads(capsys.readouterr().out)["attained"]
    assert found == {"epsilon": "5", "records": ["r"], "databases": [["r"], []], "mechanisms": ["B", "C"]}


@pytest.mark.parametrize("granularity", ["unbounded", "bounded"])
def test_it_is_the_largest_of_all(granularity: str) -> None:
    """Against all records, or pairs of these: what reads them adds up."""
    for seed in range(25):
        rng = random.Random(seed)
        mechanisms = {
            f"M{i}": (rng.sample("pqrs", rng.randint(1, 3)), str(rng.randint(1, 9))) for i in range(4)
        }
        reads = [set(records) for records, _ in mechanisms.values()]
        found = Study(problems.read_data(problem(granularity, mechanisms)).setting).bound.attained
        if not any(a & b and a != b for a, b in combinations(reads, 2)):
            continue
        places = (
            [{x} for x in "pqrs"]
            if granularity == "unbounded"
            else [{x, y} for x, y in combinations("pqrs", 2)]
        )
        most = max(
            sum(int(e) for records, e in mechanisms.values() if place & set(records)) for place in places
        )
        (one,) = found
        assert dict(one.values) == {"epsilon": str(most)}
        place = {x for side in one.differing for x in side}
        assert sum(int(e) for records, e in mechanisms.values() if place & set(records)) == most
