"""What a user types first: --version, explain, init, -, several files, and granularities compared on any class."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from shipped import PROBLEMS

import dpcompose
from dpcompose.front import cli, files
from dpcompose.front.commands import init
from dpcompose.front.documents import glossary
from dpcompose.proof.theory import registry
from dpcompose.spaces.moves.built_in import BUILT_IN

FIRST = PROBLEMS[0]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.main(arguments)
    said = capsys.readouterr()
    return status, said.out, said.err


def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """A text on the standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_the_package_is_run_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dpcompose", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"dpcompose {dpcompose.__version__}\n"


def test_the_standard_input_is_a_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, FIRST.read_text(encoding="utf-8"))
    assert run(capsys, "verify", "-")[:2] == run(capsys, "verify", str(FIRST))[:2]
    typed(monkeypatch, "x")
    status, _, err = run(capsys, "verify", "-")
    assert status == 2 and err.startswith("-: file: this is no TOML")


def test_several_files_end_in_a_summary(capsys: pytest.CaptureFixture[str]) -> None:
    some = [str(one) for one in PROBLEMS[:2]]
    last = run(capsys, "verify", *some, "nowhere.toml")[1].splitlines()[-1]
    assert last == "3 files: 3 claims proved, 1 refuted; 1 file with no verdicts"
    assert not run(capsys, "verify", some[0])[1].endswith("files")


# words


@pytest.mark.parametrize("word", [*BUILT_IN, *registry.standard().notions, "domain", "reads", "GB:IV.13"])
def test_a_word_is_explained(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "explain", word)
    assert status == 0 and out.strip() and not err


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("add-remove", "Add or remove one record"),
        ("Replace_One", "Change one record"),
        ("tight", "no smaller guarantee holds"),
        ("GB:IV.13", "the two largest parameters add up"),
    ],
)
def test_words_of_others_are_known(word: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said in " ".join(run(capsys, "explain", word)[1].split())


def test_hypotheses_are_explained_by_their_nouns(capsys: pytest.CaptureFixture[str]) -> None:
    for noun, word in (
        ("compatibility", "compatible"),
        ("commutation", "commutes"),
        ("dependency", "depends"),
    ):
        assert run(capsys, "explain", noun) == run(capsys, "explain", word)


def test_the_class_of_a_comparison_is_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "compare", "bounded", "unbounded", "--on", "multisets")
    assert status == 2 and "there is no 'multisets'; a class is said by --kind" in err


def test_an_unknown_word_has_a_near_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "explain", "domian") == (
        2,
        "",
        "dpcompose: nothing is said of 'domian'; did you mean 'domain'?\n",
    )
    assert "canonical metric, " in run(capsys, "explain")[1]


def properties(schema: Any) -> set[str]:
    """The keys at the top of problem files."""
    return {key for name in ("ProblemTable",) for key in schema["$defs"][name]["properties"]}


def test_every_key_at_the_top_of_a_file_is_explained() -> None:
    known = set(glossary.words())
    others = {"format", "title", "granularities", "maps", "tables", "mechanisms", "studies"}
    assert properties(files.json_schema()) - others <= known
    assert {one.rstrip("s").replace("ie", "y") for one in others - {"format", "title", "maps"}} <= known


# a file to go on from


@pytest.mark.parametrize("kind", init.KINDS)
@pytest.mark.parametrize("notion", init.NOTIONS)
def test_a_new_file_is_verified(
    kind: str, notion: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "new.toml"
    status, out, _ = run(capsys, "init", str(file), "--kind", kind, "--notion", notion)
    assert status == 0 and "dpcompose verify" in out
    status, out, _ = run(capsys, "verify", str(file))
    assert status == 0 and "PROVED" in out


def test_any_records_are_no_record_of_that_name(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "init", "--records", "any")
    assert status == 0 and "records =" not in out and 'reads = "everything"' in out
    status, out, _ = run(capsys, "init", "--records", "any", "--parts", "a | b")
    assert (
        status == 0 and 'reads = { records = ["b"] }' in out and "records = [" not in out.split("[target]")[0]
    )


def test_a_new_file_overwrites_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file := tmp_path / "mine.toml").write_text("mine")
    status, _, err = run(capsys, "init", str(file), "--kind", "sets")
    assert status == 2 and "File exists" in err and file.read_text() == "mine"


def test_answers_that_do_not_fit_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "init", "--neighbours", "bounde")
    assert status == 2 and not out and "did you mean 'bounded'?" in err


def test_questions_are_asked_in_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = iter(["streams", "on,off", "= 3", "", "1 | 2,3", "zcdp"])
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{one}\n" for one in answered)))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    status, out, err = run(capsys, "init")
    assert status == 0 and 'records = ["on", "off"]' in out and 'granularity = "event"' in out
    assert "which databases are neighbours [event]" in err and "reads = { positions = [2, 3] }" in out


# comparisons


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["edge", "node", "--kind", "graphs", "--size", "= 5"], "d_edge <= 4*d_node"),
        (["insert-delete", "free-lunch", "--kind", "sequences"], "d_free-lunch <= d_insert-delete"),
        (["bounded", "unbounded", "--on", str(FIRST)], "d_unbounded <= 2*d_bounded"),
    ],
)
def test_granularities_on_any_class(given: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "compare", *given)
    assert status == 0 and said in out


def test_a_granularity_by_a_name_of_others(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean 'bounded'?" in run(capsys, "compare", "replace-one", "unbounded")[2]
    assert "did you mean 'unbounded', a record" in run(capsys, "compare", "record-level", "unbounded")[2]
