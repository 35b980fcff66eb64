"""What tests of the command share: a folder with a file that `dpcompose init` writes, and what commands print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dpcompose.front import cli

WARD = ["--records", "minor,adult", "--parts", "minor | adult", "--neighbors", "bounded"]


@pytest.fixture
def ward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two mechanisms on disjoint parts in ward.toml, in the folder in which commands are run."""
    monkeypatch.chdir(tmp_path)
    assert cli.main(["init", "ward.toml", *WARD]) == 0


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Any:
    """What a command prints, on either stream, after its status."""
    capsys.readouterr()

    def run(*words: str) -> tuple[int, str]:
        status = cli.main(words)
        out, err = capsys.readouterr()
        return status, out + err

    return run
