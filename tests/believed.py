"""Pages of one's own, which are only believed, and what the command says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpcompose.front import cli


def page(head: str, title: str = "A page of my own") -> str:
    return f"# {title}\n\n```toml\n{head.strip()}\n```\n\nA text.\n"


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    status = cli.main([str(one) for one in arguments])
    said = capsys.readouterr()
    return status, said.out, said.err
