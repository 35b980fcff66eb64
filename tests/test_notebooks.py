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
ABSOLUTE_PATH = re.compile(
    r"(?<![\w.:/<])/(?:home|root|tmp|usr|opt|var|work|Users|private|mnt)/|[A-Z]:\\\\?Users"
)


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
            said.append(output.data.get("text/html", output.data.get("text/plain", "")))
    return said


def test_there_are_notebooks() -> None:
    found = [path.stem for path in NOTEBOOKS]
    assert found[:3] == [
        "01-parallel-composition",
        "02-granularities",
        "03-between-sequential-and-parallel",
    ]


@COMMITTED
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
                assert output.data["text/plain"].startswith(("neighbourhood graph of", "bars of"))


if __name__ == "__main__":
    for each in NOTEBOOKS:
        write(each)
