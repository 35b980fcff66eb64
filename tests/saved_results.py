"""What the command saves of shipped problems, once for all tests that run at the same time; and which of it the
second checker does not read."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path

import frozen
import pytest
from forged_results import classes, derivations

from dpcompose.front import cli

MADE = classes.MADE | derivations.MADE
SOURCES = {one.name: one for one in frozen.frozen()}


def folder(made: pytest.TempPathFactory) -> Path:
    """Where they are kept: one folder for all workers."""
    base = made.getbasetemp()
    found = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "saved-results"
    found.mkdir(exist_ok=True)
    return found


def keep(name: str, text: str, where: Path) -> None:
    """Keeps what is saved of a problem: whole, or not at all."""
    with tempfile.NamedTemporaryFile("w", dir=where, encoding="utf-8", delete=False) as file:
        file.write(text)
    Path(file.name).replace(_place(name, where))


@cache
def saved(name: str, where: Path) -> str:
    """What the command saves of a problem."""
    if not _place(name, where).exists():
        with tempfile.TemporaryDirectory(dir=where) as own:
            file, out = Path(own) / "problem.toml", Path(own) / "saved.json"
            file.write_text(MADE.get(name) or SOURCES[name].problem, encoding="utf-8")
            cli.main(["verify", str(file), "--save-derivation", str(out)])
            keep(name, out.read_text(encoding="utf-8"), where)
    return _place(name, where).read_text(encoding="utf-8")


def _place(name: str, where: Path) -> Path:
    return where / f"{name.replace('/', ' ')}.json"


REFUSED: dict[str, tuple[str, ...]] = {"problems/296-couples-in-squares": ("metrics",)}
"""The problems that it does not read, and why: names of `second_checker.verdicts.NOT_READ`."""
