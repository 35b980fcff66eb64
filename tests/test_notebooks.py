"""Notebooks run without errors, and are committed with the outputs that they have when they run.

`python tests/test_notebooks.py` runs them and writes these outputs.
"""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

COURSE = Path(__file__).resolve().parents[1] / "notebooks"
NOTEBOOKS = sorted(COURSE.glob("[0-9]*.ipynb"))
COMMITTED = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
RUN_ALWAYS = 1
"""How many notebooks are run in the normal tests; the others are marked slow: pytest -m slow runs them."""
ABSOLUTE_PATH = re.compile(
    r"(?<![\w.:/<])/(?:home|root|tmp|usr|opt|var|work|Users|private|mnt)/|[A-Z]:\\\\?Users"
)

PICTURES = ("neighbourhood graph of", "bars of", "delta at epsilon", "type II error at")


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def run(notebook: Any, path: Path) -> None:
    NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    for cell in code(notebook):
        cell.outputs = joined(cell.outputs)


def joined(outputs: list[Any]) -> list[Any]:
    """The outputs with what is printed in a row as one: how a kernel cuts it up depends on the time it takes."""
    found: list[Any] = []
    for output in outputs:
        if output.output_type == "stream" and found and found[-1].get("name") == output.name:
            found[-1].text += output.text
        else:
            found.append(output)
    return found


def write(path: Path) -> None:
    """Runs a notebook and writes it with its outputs, without what a run leaves besides."""
    notebook = read(path)
    run(notebook, path)
    notebook.metadata = {"kernelspec": notebook.metadata.kernelspec, "language_info": {"name": "python"}}
    for cell in notebook.cells:
        cell.metadata = {}
    nbformat.write(notebook, path)


def code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def texts(cell: Any) -> list[str]:
    """What a cell prints and shows, as text; pictures are left to the eye."""
    said = []
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stdout":
            said.append(output.text)
        elif output.output_type in ("execute_result", "display_data"):
            said += [value for kind, value in sorted(output.data.items()) if kind.startswith("text/")]
    return said


def test_there_are_notebooks() -> None:
    found = [path.stem for path in NOTEBOOKS]
    assert found == [
        "01-parallel-composition",
        "02-granularities",
        "03-between-sequential-and-parallel",
        "04-own-and-common-domain",
        "05-notions-of-privacy",
        "06-mixed-granularities-and-metrics",
        "07-verify-a-bound",
        "08-edges-nodes-users-and-windows",
        "09-many-questions",
        "10-with-sympy-and-networkx",
    ]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if n >= RUN_ALWAYS else [])
        for n, path in enumerate(NOTEBOOKS)
    ],
)
def test_a_notebook_runs_and_says_what_it_is_committed_with(path: Path) -> None:
    notebook = read(path)
    committed = [texts(cell) for cell in code(notebook)]
    run(notebook, path)
    assert [texts(cell) for cell in code(notebook)] == committed


@COMMITTED
def test_a_notebook_is_committed_with_outputs_and_nothing_else(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    assert set(notebook.metadata) <= {"kernelspec", "language_info"}
    assert set(notebook.metadata.language_info) == {"name"}
    assert any(cell.outputs for cell in code(notebook))
    for n, cell in enumerate(code(notebook), start=1):
        assert cell.metadata == {}
        assert cell.execution_count == n, "run from the top"
        assert cell.source.strip()
        ends_with_value = re.match(r"[\w.]+(\(|$)", cell.source.strip().splitlines()[-1])
        assert cell.outputs or not ends_with_value, f"cell {n} shows nothing"
        for output in cell.outputs:
            assert output.output_type != "error"
            assert not (output.output_type == "stream" and output.name == "stderr")
    assert not ABSOLUTE_PATH.search(path.read_text(encoding="utf-8"))


@COMMITTED
def test_a_notebook_asks_and_its_pictures_have_words(path: Path) -> None:
    notebook = read(path)
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert prose.count("**Question ") >= 3 and "## Exercises" in prose
    for cell in code(notebook):
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                assert output.data["text/plain"].startswith(PICTURES)


def test_a_notebook_links_to_nothing_above_its_folder() -> None:
    """What a notebook server that is started here, or the course in a browser, could not open."""
    for path in (*NOTEBOOKS, COURSE / "solutions.ipynb"):
        prose = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
        linked = re.findall(r"\]\(([^)#]+)", prose)
        assert [
            to for to in linked if "://" not in to and (to.startswith("..") or not (COURSE / to).exists())
        ] == []


def exercises(notebook: Any) -> list[Any]:
    return [cell for cell in code(notebook) if re.search("^answer = ", cell.source, re.MULTILINE)]


def solutions() -> dict[str, list[str]]:
    """The folded cells of the solutions, for each notebook."""
    cells = [cell.source for cell in read(COURSE / "solutions.ipynb").cells]
    headings = [n for n, source in enumerate(cells) if source.startswith("## ")]
    return {
        re.findall(r"\((.*)\.ipynb\)", cells[start])[0]: cells[start + 1 : end]
        for start, end in zip(headings, [*headings[1:], len(cells)], strict=True)
    }


def answers(path: Path) -> list[str]:
    """The right answers to the exercises of a notebook, as the solutions write them."""
    return re.findall("^answer = (.*)$", "\n".join(solutions()[path.stem]), re.MULTILINE)


@COMMITTED
def test_every_question_and_every_exercise_has_a_folded_solution(path: Path) -> None:
    notebook = read(path)
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    questions = re.findall(r"\*\*(Question \d+)\.\*\*", prose)
    assert questions == [f"Question {n}" for n in range(1, len(questions) + 1)]
    asked = questions + [f"Exercise {n}" for n in range(1, len(exercises(notebook)) + 1)]
    solved = solutions()[path.stem]
    assert [re.findall(r"\A\*\*(.*?)\.\*\*", source)[0] for source in solved] == asked
    assert all(re.search("<details>.*[^>\\s].*</details>", source, re.DOTALL) for source in solved)
    assert len(answers(path)) == len(exercises(notebook))
    assert "<details>" not in prose and "(solutions.ipynb)" in prose


@pytest.mark.parametrize(
    ("verdict", "loose", "said"),
    [
        ("proved", False, "right"),
        ("proved", True, "not yet: that holds, but so does something smaller. Count."),
        ("refuted", None, "not yet: that does not always hold. Count."),
        ("undecided", None, "not yet. Count."),
    ],
)
def test_best_is_the_least_that_is_proved(
    verdict: str, loose: bool | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    best = runpy.run_path(str(COURSE / "exercises.py"))["best"]
    best(SimpleNamespace(verdict=verdict, loose=loose), "Count.")
    assert capsys.readouterr().out == said + "\n"


@COMMITTED
def test_an_exercise_gives_a_hint_and_not_its_answer(path: Path) -> None:
    notebook = read(path)
    for cell, answer in zip(exercises(notebook), answers(path), strict=True):
        assert [output.name for output in cell.outputs] == ["stdout"]
        assert re.match(r"not yet.* \w.*[.?]\n\Z", said := cell.outputs[0].text)
        assert answer.strip("'\"") not in said.removeprefix("not yet") or len(answer) < 3


@pytest.mark.slow
@COMMITTED
def test_right_answers_are_called_right_and_the_first_attempts_are_not(path: Path) -> None:
    notebook = read(path)
    asked, right = exercises(notebook), answers(path)
    assert not any(is_right(cell) for cell in asked)
    for cell, answer in zip(asked, right, strict=True):
        start = cell.source.index("answer = ")
        end = cell.source.index("\n\n", start)
        cell.source = f"{cell.source[:start]}answer = {answer}{cell.source[end:]}"
    run(notebook, path)
    assert [answer for cell, answer in zip(asked, right, strict=True) if not is_right(cell)] == []


def is_right(cell: Any) -> bool:
    """Whether a cell prints that its answer is right."""
    return bool(cell.outputs[-1].text == "right\n")


if __name__ == "__main__":
    for each in NOTEBOOKS:
        write(each)
