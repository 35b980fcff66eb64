"""Problem files as a user runs them: in a process of its own with a limit of memory, where memory or time was the
trouble, else in this one.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from dpcompose.front import cli

CRASHES = Path(__file__).parent / "crashes"
MEMORY = 2 * 10**9
"""Bytes of address space that a process of a test may take."""
END = "=== ended with"
"""The line behind what a process says of one file, with the status."""
SECONDS = 60
"""After which a process of a test is ended: much longer than it needs on a busy machine."""


def verify(file: Path, capsys: pytest.CaptureFixture[str], command: str = "verify") -> tuple[int, str]:
    """The status, and all that is said."""
    status = cli.main([command, str(file)])
    said = capsys.readouterr()
    assert "internal error" not in said.err, said.err
    return status, said.out + said.err


def apart(file: Path) -> tuple[int, str]:
    """The same in a process of its own, with little memory."""
    (found,) = each_apart(file)
    return found


def each_apart(*files: Path) -> list[tuple[int, str]]:
    """The same of files one after the other, in one process."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))"
    run = f"from dpcompose.front.cli import main\nfor one in {list(map(str, files))!r}:\n"
    run += f" status = main(['verify', one])\n print({END!r}, status)"
    found = subprocess.run(
        [sys.executable, "-c", f"{limit}\n{run}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"},
        check=False,
    )
    assert "internal error" not in found.stdout and "Traceback" not in found.stdout, found.stdout
    *said, rest = re.split(rf"^{END} (\d)\n", found.stdout, flags=re.MULTILINE)
    assert (found.returncode, rest, len(said)) == (0, "", 2 * len(files)), found.stdout
    return [(int(status), text) for text, status in zip(said[::2], said[1::2], strict=True)]


def written(folder: Path, text: str) -> Path:
    path = folder / "problem.toml"
    path.write_text(text)
    return path


def all_written(folder: Path, texts: Iterable[str]) -> list[Path]:
    """A file for each text."""
    files = []
    for n, text in enumerate(texts):
        files.append(folder / f"{n}.toml")
        files[-1].write_text(text)
    return files


def problem(
    databases: str,
    target: str = '"bounded"',
    claim: str = 'notion = "pure"\nepsilon = "e1"',
    guarantee: str = 'notion = "pure", epsilon = "e1", granularity = "bounded"',
    reads: str = "",
) -> str:
    """A problem file of one mechanism and one claim."""
    return (
        f"format = 1\n[databases]\n{databases}\n[target]\ngranularity = {target}\n"
        f'[[mechanisms]]\nname = "M"\n{reads}\nguarantee = {{ {guarantee} }}\n[[claims]]\n{claim}\n'
    )
