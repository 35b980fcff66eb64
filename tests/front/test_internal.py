"""An error of our own ends one file, with status 4 and a line for a report, and no other."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from shipped import PROBLEMS

from dpcompose.front import cli
from dpcompose.front.numbers import budgets
from dpcompose.front.printers import listings
from dpcompose.front.studies import as_json, loading
from dpcompose.kernel import saved as saved_files
from dpcompose.language.formulas import FormulaError
from dpcompose.privacy import problems
from dpcompose.search import guarantees
from dpcompose.search.verdicts import Verdicts

FIRST, SECOND = str(PROBLEMS[0]), str(PROBLEMS[1])


ROOMS = [
    pytest.param(loading, "load", id="reading"),
    pytest.param(problems, "parsed", id="kinds of files"),
    pytest.param(problems, "read_data", id="privacy"),
    pytest.param(guarantees, "workshop", id="guarantees"),
    pytest.param(Verdicts, "on", id="verdicts"),
    pytest.param(as_json, "problem_data", id="front"),
]
ERRORS = [KeyError("no such line"), RecursionError("maximum depth"), MemoryError(), FormulaError("too large")]
OWN = re.compile(r": internal error, please report: (KeyError|RecursionError|MemoryError|FormulaError)")


def fails_once(monkeypatch: pytest.MonkeyPatch, room: object, name: str, error: BaseException) -> None:
    """The room raises for the first file and works for the others."""
    whole, left = getattr(room, name), [error]

    def run(*given: object, **named: object) -> object:
        if left:
            raise left.pop()
        return whole(*given, **named)

    monkeypatch.setattr(room, name, run)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(("room", "name"), ROOMS)
def test_the_other_files_are_done(
    room: object,
    name: str,
    error: Exception,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    fails_once(monkeypatch, room, name, error)
    status = cli.main(["verify", "--json", FIRST, SECOND])
    said = capsys.readouterr()
    first, second = map(json.loads, said.out.splitlines())
    if name == "read_data" and isinstance(error, RecursionError):
        assert "nested too deeply" in first["error"] and status == 2
        return
    assert status == 4
    assert first.keys() == {"file", "error"} and first["file"] == FIRST
    assert OWN.search(first["error"]) and first["error"] + "\n" == said.err
    assert second["file"] == SECOND and second["claims"]


def test_without_json_nothing_but_the_line_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fails_once(monkeypatch, loading, "load", ValueError("two\nlines"))
    assert cli.main(["verify", FIRST, SECOND]) == 4
    said = capsys.readouterr()
    assert said.err.startswith(f"{FIRST}: internal error, please report: ValueError: two lines")
    assert said.err.count("\n") == 1 and "Traceback" not in said.err
    assert "claim 1" in said.out


@pytest.mark.parametrize(
    ("arguments", "room", "name"),
    [
        (("bound", FIRST, SECOND), loading, "load"),
        (("budget", FIRST, "--total", "1"), budgets, "budget"),
        (("theorems", "--for", FIRST), listings, "fits"),
        (("draw", FIRST, "-o", "never.dot"), loading, "load"),
    ],
    ids=lambda one: one[0] if isinstance(one, tuple) else "",
)
def test_other_commands(
    arguments: tuple[str, ...],
    room: object,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    fails_once(monkeypatch, room, name, KeyError("x"))
    assert cli.main(arguments) == 4
    assert capsys.readouterr().err.startswith(f"{FIRST}: internal error, please report: KeyError: 'x'")


def test_recheck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    saved = str(tmp_path / "d.json")
    assert cli.main(["verify", FIRST, "--save-derivation", saved]) == 0
    capsys.readouterr()
    fails_once(monkeypatch, saved_files, "check", TypeError("unhashable"))
    assert cli.main(["recheck", "--json", saved, saved]) == 4
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert "internal error, please report: TypeError: unhashable" in first["error"]
    assert second["checked"]


def test_a_command_about_no_file(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    fails_once(monkeypatch, listings, "theorem_list", KeyError("page"))
    assert cli.main(["theorems"]) == 4
    assert capsys.readouterr().err.startswith("dpcompose: internal error, please report: KeyError: 'page'")


@pytest.mark.parametrize(
    ("error", "status"), [(KeyboardInterrupt(), 130), (BrokenPipeError(), 130)], ids=["interrupt", "pipe"]
)
def test_who_stops_it_is_no_error(
    error: BaseException, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fails_once(monkeypatch, loading, "load", error)
    monkeypatch.setattr("sys.stderr.close", lambda: None)
    assert cli.main(["verify", FIRST, SECOND]) == status
    assert "internal error" not in capsys.readouterr().err


def test_an_exit_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    fails_once(monkeypatch, loading, "load", SystemExit(7))
    with pytest.raises(SystemExit, match="7"):
        cli.main(["verify", FIRST])


def test_the_worst_status_of_several_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """2 before 4 before 1 before 3 before 0."""
    refuted = tmp_path / "refuted.toml"
    refuted.write_text(Path(FIRST).read_text().replace('expect = "refuted"\n', ""))
    assert cli.main(["verify", str(refuted)]) == 1
    fails_once(monkeypatch, loading, "load", KeyError())
    assert cli.main(["verify", SECOND, str(refuted)]) == 4
    fails_once(monkeypatch, loading, "load", KeyError())
    assert cli.main(["verify", SECOND, str(tmp_path / "missing.toml"), str(refuted)]) == 2


def test_the_place_is_named_without_folders_of_the_reader(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fails_once(monkeypatch, loading, "load", KeyError())
    cli.main(["verify", FIRST])
    assert re.search(r"\(dpcompose/[a-z_/]+\.py, line \d+\)$", capsys.readouterr().err.strip())
