"""Notebooks run without errors, and are committed with the outputs that they have when they run.

`python tests/test_notebooks.py` runs them and writes these outputs.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))
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
        "05-four-notions",
        "06-mixed-granularities-and-metrics",
        "07-verify-a-bound",
        "08-edges-nodes-users-and-windows",
        "09-what-clifton-taught",
        "10-filters",
        "11-differencing-and-tracing",
        "12-with-sympy-and-networkx",
        "13-five-notions-on-four-parts",
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
    assert prose.count("**Question.**") >= 3 and "## Exercises" in prose
    for cell in code(notebook):
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                assert output.data["text/plain"].startswith(PICTURES)


ANSWERS = {
    "01-parallel-composition": [
        "Max(f1 + f2, f1 + f3, f1 + f4, f2 + f3, f2 + f4, f3 + f4)",
        "e1 + e2",
        "e1 + e2",
        "Max(e1 + e2, e2 + e3)",
    ],
    "02-granularities": ["2", "5*e", "4*e", "'oo'"],
    "03-between-sequential-and-parallel": ["2*e", "4*e", "'top(2, north, south, east, west) + x'", "'1/4'"],
    "04-own-and-common-domain": [
        "e",
        "{0: 'x', 1: 'x', 2: 'y', 3: 'y', 4: 'z', 5: 'z'}",
        "{D: ['1/3', '2/3'] if D in ('nobody', 'second') else ['1/2', '1/2'] for D in ill.databases()}",
        "[(0, 2), (3, 5), (1, 2)]",
    ],
    "05-four-notions": ["'9*rho'", "'6*mu'", "'1.77'", "4"],
    "06-mixed-granularities-and-metrics": [
        "14 * e",
        "4 * e + 2 * x",
        "'16/7'",
        "{('a', 'b'): 1, ('b', 'c'): 1, ('a', 'c'): 2}",
        "e + 5 * x",
    ],
    "07-verify-a-bound": ["'4*e'", "'u/(20*e)'", "4", "'proved'"],
    "08-edges-nodes-users-and-windows": [
        "10 * e",
        "{'Ann': [1, 2], 'Bob': [3, 4], 'Cy': [5, 6]}",
        "'1/3'",
        "3 * e",
    ],
    "09-what-clifton-taught": ["5 * e", "12 / (100 * e)"],
    "10-filters": ["Fraction(1, 2)", '"1/3"'],
    "11-differencing-and-tracing": ["2500", '"2/25"'],
    "12-with-sympy-and-networkx": ["nx.complete_graph(rooms)", "(e1 + 4 * e2) * distance(x, y)"],
    "13-five-notions-on-four-parts": ["'261/400'", "'sqrt(3)/2'"],
}
"""The right answers to the exercises of the notebooks."""


@pytest.mark.slow
@COMMITTED
def test_right_answers_are_called_right_and_the_first_attempts_are_not(path: Path) -> None:
    notebook = read(path)
    exercises = [cell for cell in code(notebook) if re.search("^answer = ", cell.source, re.MULTILINE)]
    assert len(exercises) == len(ANSWERS[path.stem])
    assert not any(is_right(cell) for cell in exercises)
    for cell, answer in zip(exercises, ANSWERS[path.stem], strict=True):
        start = cell.source.index("answer = ")
        end = cell.source.index("\n\n", start)
        cell.source = f"{cell.source[:start]}answer = {answer}{cell.source[end:]}"
    run(notebook, path)
    assert [
        answer for cell, answer in zip(exercises, ANSWERS[path.stem], strict=True) if not is_right(cell)
    ] == []


def is_right(cell: Any) -> bool:
    """Whether what a cell shows last says that an answer is right: the best bound, where one is asked for."""
    said = cell.outputs[-1].data["text/plain"].strip("'")
    return bool(re.match("right|proved(?!, loose)", said))


if __name__ == "__main__":
    for each in NOTEBOOKS:
        write(each)
