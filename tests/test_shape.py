"""The shape of the package and of its tests: a file is one idea, of at most 500 lines, a function one thought, of at most 50."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from test_architecture import PACKAGE, ROOMS, ROOT, nodes

LARGEST_FILE, LARGEST_FUNCTION = 500, 50


def larger_files() -> set[str]:
    return {
        str(path.relative_to(ROOT))
        for path in [*PACKAGE.rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
        if len(path.read_text(encoding="utf-8").splitlines()) > LARGEST_FILE
    }


def longer_functions() -> Iterator[str]:
    """Docstrings count: what needs a long explanation is several things."""
    for path in PACKAGE.rglob("*.py"):
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > LARGEST_FUNCTION:
                    yield f"{path.relative_to(PACKAGE)} {node.name}"


def test_no_file_is_large() -> None:
    assert not larger_files(), f"of more than {LARGEST_FILE} lines: which ideas are in it?"


def test_no_function_is_long() -> None:
    assert not [*longer_functions()], f"of more than {LARGEST_FUNCTION} lines: which thoughts are in it?"


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_its_tests(room: str) -> None:
    """tests/ mirrors the rooms: what is about one room only stands in its folder."""
    assert list((ROOT / "tests" / room).rglob("test_*.py")), room


def test_folders_of_tests_are_rooms_or_say_what_they_hold() -> None:
    others = {
        "attacks",
        "benchmarks",
        "claims",
        "conformance",
        "forged",
        "forged_results",
        "goldens",
        "second_checker",
        "__pycache__",
    }
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir()}
    assert folders - others == set(ROOMS)
