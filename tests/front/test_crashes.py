"""Files that once ended in a traceback, went on for minutes or took gigabytes; each with its like.

The files themselves lie in `crashes`.  Everything runs as a user runs it, in a process of its own with a
limit of memory, where memory or time was the trouble; else in this one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dpcompose.front import cli

CRASHES = Path(__file__).parent / "crashes"
MEMORY = 2 * 10**9
"""Bytes of address space that a process of a test may take."""
SECONDS = 60
"""After which a process of a test is ended: much longer than it needs on a busy machine."""


def verify(file: Path, capsys: pytest.CaptureFixture[str], command: str = "verify") -> tuple[int, str]:
    """The status, and all that is said."""
    status = cli.main([command, str(file)])
    said = capsys.readouterr()
    assert "internal error" not in said.err, said.err
    return status, said.out + said.err


def apart(file: Path, command: str = "verify") -> tuple[int, str]:
    """The same in a process of its own, with little memory."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))"
    run = f"import sys; from dpcompose.front.cli import main; sys.exit(main([{command!r}, {str(file)!r}]))"
    found = subprocess.run(
        [sys.executable, "-c", f"{limit}; {run}"],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        check=False,
    )
    said = found.stdout + found.stderr
    assert "internal error" not in said and "Traceback" not in said, said
    return found.returncode, said


def written(folder: Path, text: str) -> Path:
    path = folder / "problem.toml"
    path.write_text(text)
    return path


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


# classes without databases


EMPTY = "no set has 3 different records of the 2 in the universe"


def test_a_class_without_databases_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    status, said = verify(CRASHES / "d1_empty_class_crash.toml", capsys)
    assert status == 2 and EMPTY in said and 'size = "= 2" at most' in said


@pytest.mark.parametrize("reads", ["", 'reads = { records = [] }', 'reads = { records = ["a", "b"] }'])
@pytest.mark.parametrize("domain", ["own", "common"])
@pytest.mark.parametrize("target", ['"bounded"', '"free-lunch"', '{ group = 2, of = "unbounded" }'])
def test_it_is_refused_whatever_is_read_of_it(
    reads: str, domain: str, target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    guarantee = f'notion = "pure", epsilon = "e1", granularity = "bounded", domain = "{domain}"'
    databases = 'kind = "sets"\nrecords = ["a", "b"]\nsize = "= 3"'
    status, said = verify(
        written(tmp_path, problem(databases, target, guarantee=guarantee, reads=reads)), capsys
    )
    assert status == 2 and EMPTY in said


def test_compare_refuses_it_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--kind", "sets", "--records", "a,b", "--size", "= 3"]
    assert cli.main(["compare", "unbounded", "bounded", *arguments]) == 2
    assert EMPTY in capsys.readouterr().err


@pytest.mark.parametrize("size", ["= 2", "= 0"])
@pytest.mark.parametrize("domain", ["own", "common"])
@pytest.mark.parametrize("record", ["a", "b"])
def test_a_class_of_one_database_is_none_of_these(
    size: str, domain: str, record: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """There are no neighbours, and every claim holds."""
    guarantee = f'notion = "pure", epsilon = "e1", granularity = "bounded", domain = "{domain}"'
    databases = f'kind = "sets"\nrecords = ["a", "b"]\nsize = "{size}"'
    text = problem(
        databases,
        guarantee=guarantee,
        reads=f'reads = {{ records = ["{record}"] }}',
        claim='notion = "pure"\nepsilon = "0"',
    )
    status, said = verify(written(tmp_path, text), capsys)
    assert status == 0 and "PROVED" in said
