"""SARIF: what is refuted, undecided or not as expected, at the lines of the claims; the rest is no finding."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dpcompose.front import cli

ROOT = Path(__file__).resolve().parents[2]
HEAD = """\
format = 1
[databases]
kind = "multisets"
[target]
granularity = "bounded"
[[mechanisms]]
name = "M"
guarantee = { notion = "pure", epsilon = "e", granularity = "bounded" }
"""
CLAIMS = """\
[[claims]] # proved: line 9
notion = "pure"
epsilon = "e"
[[claims]] # refuted: line 12
notion = "pure"
epsilon = "e/2"
[[claims]] # refuted, as it expects
notion = "pure"
epsilon = "e/3"
expect = "refuted"
[[claims]] # not as it expects: line 19
notion = "pure"
epsilon = "e/4"
expect = "proved"
"""


def run(folder: Path, *files: str) -> tuple[int, dict[str, Any]]:
    out = folder / "out.sarif"
    status = cli.main(["verify", *files, "--sarif", str(out)])
    (found,) = json.loads(out.read_text(encoding="utf-8"))["runs"]
    return status, found


def test_findings_stand_at_their_claims(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text(HEAD + CLAIMS, encoding="utf-8")
    status, found = run(tmp_path, str(file))
    assert status == 1 and found["invocations"] == [{"executionSuccessful": True}]
    places = [one["locations"][0]["physicalLocation"] for one in found["results"]]
    assert [(one["ruleId"], one["level"]) for one in found["results"]] == [
        ("refuted", "error"),
        ("unexpected", "error"),
    ]
    assert [one["region"]["startLine"] for one in places] == [12, 19]
    assert {one["artifactLocation"]["uri"] for one in places} == {file.as_uri()}
    assert found["results"][0]["message"]["text"].startswith("claim 2: epsilon = e/2\n  REFUTED\n  D  = ")
    known = {rule["id"] for rule in found["tool"]["driver"]["rules"]}
    assert {one["ruleId"] for one in found["results"]} <= known


def test_a_file_that_is_wrong_makes_the_log_incomplete(tmp_path: Path) -> None:
    good, bad = tmp_path / "a.toml", tmp_path / "b.toml"
    good.write_text(HEAD, encoding="utf-8")
    bad.write_text("format = 2", encoding="utf-8")
    status, found = run(tmp_path, str(good), str(bad))
    assert (status, found["results"]) == (2, [])
    assert found["invocations"] == [{"executionSuccessful": False}]


def test_the_standard_input_has_no_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((HEAD + CLAIMS).encode())))
    status, found = run(tmp_path, "-")
    lines = [one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in found["results"]]
    assert (status, lines) == (1, [1, 1])


def test_where_it_cannot_be_written_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.toml"
    file.write_text(HEAD, encoding="utf-8")
    assert cli.main(["verify", str(file), "--sarif", str(tmp_path)]) == 2
    assert f"{tmp_path}: Is a directory" in capsys.readouterr().err


def test_a_file_is_named_as_seen_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "privacy" / "my claims.toml"
    file.parent.mkdir()
    file.write_text(HEAD + CLAIMS, encoding="utf-8")
    for name in (str(file), "privacy/my claims.toml"):
        _, found = run(tmp_path, name)
        uris = {
            one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in found["results"]
        }
        assert uris == {"privacy/my%20claims.toml"}


def test_the_hook_and_the_action_decide_the_files_of_a_folder(tmp_path: Path) -> None:
    """What the action runs is run here, in a shell; that pre-commit finds the hook is for pre-commit to say."""
    yaml = pytest.importorskip("yaml")
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["entry"] == "dpcompose verify" and re.search(hook["files"], "study/privacy/a.toml")
    assert not re.search(hook["files"], "notprivacy/a.toml")
    action = yaml.safe_load(
        (ROOT / ".github" / "actions" / "verify" / "action.yml").read_text(encoding="utf-8")
    )
    *_, step = action["runs"]["steps"]
    given = {f"${{{{ inputs.{name} }}}}": one["default"] for name, one in action["inputs"].items()}
    (tmp_path / "privacy").mkdir()
    for name in ("a", "b"):
        (tmp_path / "privacy" / f"{name}.toml").write_text(HEAD + CLAIMS, encoding="utf-8")
    env = os.environ | {key: given[value] for key, value in step["env"].items()}
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    done = subprocess.run(
        ["bash", "-c", step["run"]], cwd=tmp_path, env=env, capture_output=True, check=False
    )
    log = json.loads((tmp_path / "privacy.sarif").read_text(encoding="utf-8"))
    assert (done.returncode, len(log["runs"][0]["results"])) == (1, 4)
