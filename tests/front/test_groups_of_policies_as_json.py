"""A group of a policy on a part, of which no closed form is known: what is cited does not depend on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.front.studies import as_json

TEXT = """format = 1
[databases]
kind = "multisets"
records = ["a", "b", "c"]
[granularities.pol]
replace = [["a", "b"]]
add-remove = ["c"]
[granularities.grp]
group = 2
of = "pol"
[target]
granularity = "pol"
[[mechanisms]]
name = "M1"
reads = {{ records = ["c"] }}
guarantee = {{ notion = "pure", epsilon = "1", granularity = "grp", domain = "common" }}
[[claims]]
notion = "pure"
epsilon = "{claim}"
"""


@pytest.mark.parametrize(("claim", "verdict"), [("1", "proved"), ("1/2", "refuted")])
def test_it_is_shown(claim: str, verdict: str, tmp_path: Path) -> None:
    (file := tmp_path / "problem.toml").write_text(TEXT.format(claim=claim), encoding="utf-8")
    study, claims = dpc.load(file)
    found = [study.check(one) for one in claims]
    data: dict[str, Any] = as_json.problem_data("f", study, study.judge.shown(found), found)
    assert [one["verdict"] for one in data["claims"]] == [verdict]
