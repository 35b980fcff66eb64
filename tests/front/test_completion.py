"""What a shell completes, by the scripts that are printed for it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from dpcompose.front import cli


def printed(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert cli.main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = {
        "ve": "verify",
        "verify --l": "--latex",
        "init --kind s": "sets streams sequences",
        "explain w-": "w-event",
        "theorems parallel": "parallel-bounded",
        "completion ''": "bash zsh fish",
        "draw x.toml --curve ''": "delta trade-off",
        "verify some": "",
    }
    tried = "".join(f"COMP_WORDS=(dpcompose {line}); t\n" for line in lines)
    t = 't() { COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=(); _dpcompose; echo "${COMPREPLY[*]}"; }\n'
    script = tmp_path / "script"
    script.write_text(f"set -u\n{printed('bash', capsys)}{t}{tried}", encoding="utf-8")
    found = subprocess.run(["bash", str(script)], capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.splitlines() == list(lines.values())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_option_is_there(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    script = printed(shell, capsys)
    assert all(name in script for name in cli.COMMANDS)
    assert ("-l save-derivation -r" if shell == "fish" else "--save-derivation") in script


def test_fish_quotes_what_options_are_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert all(line.count("'") % 2 == 0 for line in printed("fish", capsys).replace("\\'", "").splitlines())
