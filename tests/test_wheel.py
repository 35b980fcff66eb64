"""The wheel, installed elsewhere: the command decides a file, and all theorem pages came along.

A normal run links what the wheel depends on into a new environment; a slow one installs it as users do.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sysconfig
import venv
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from importlib import metadata
from io import StringIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.builders.wheel import WheelBuilder

from dpcompose.front import cli

ROOT = Path(__file__).resolve().parents[1]
PROBLEM = """\
format = 1
[databases]
kind = "multisets"
records = ["a", "b"]
[target]
granularity = "bounded"
[[mechanisms]]
name = "M1"
reads = { records = ["a"] }
guarantee = { notion = "pure", epsilon = "e1", granularity = "bounded", domain = "common" }
[[mechanisms]]
name = "M2"
reads = { records = ["b"] }
guarantee = { notion = "pure", epsilon = "e2", granularity = "bounded", domain = "common" }
[[claims]]
notion = "pure"
epsilon = "e1 + e2"
[[claims]]
notion = "pure"
epsilon = "max(e1, e2)"
"""


def run(*command: str | Path, cwd: Path, status: int = 0) -> str:
    """Runs a command in a folder, without what this interpreter's environment adds to its path."""
    clean = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(list(map(str, command)), cwd=cwd, env=clean, capture_output=True, text=True)
    assert done.returncode == status and "Traceback" not in done.stderr, done.stderr
    return done.stdout


def build(folder: Path) -> Path:
    """The wheel, as pip has it built."""
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    return Path(wheel)


def install(wheel: Path, environment: Path) -> Path:
    """The programs of a new environment with nothing but the wheel and what it depends on."""
    venv.create(environment, with_pip=True)
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    run(programs / "python", "-m", "pip", "install", "-q", wheel, cwd=environment)
    return programs


def needed(name: str) -> Iterator[metadata.Distribution]:
    """What a distribution depends on here, directly or not, without its extras, and itself."""
    with suppress(metadata.PackageNotFoundError):  # needed on other systems alone
        found = metadata.distribution(name)
        yield found
        for one in required(found):
            yield from needed(one)


def required(distribution: metadata.Distribution) -> list[str]:
    """The names of what a distribution says it depends on, without its extras."""
    lines = [line for line in distribution.requires or () if "extra ==" not in line]
    return [re.split(r"[^\w.-]", line)[0] for line in lines]


def link(wheel: Path, environment: Path) -> Path:
    """The same, with links to what is installed here of all that the wheel says it depends on."""
    venv.create(environment, with_pip=False)
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(environment)}))
    with ZipFile(wheel) as file:
        file.extractall(packages)
    (about,) = packages.glob("dpcompose-*.dist-info")
    itself = metadata.Distribution.at(about)
    for one in {found.name: found for name in required(itself) for found in needed(name)}.values():
        for top in {file.parts[0] for file in one.files or ()} - {"..", "__pycache__"}:
            (packages / top).symlink_to(one.locate_file(top))
    command = itself.entry_points["dpcompose"]
    code = f"import sys; from {command.module} import {command.attr}; sys.exit({command.attr}())"
    (programs / "dpcompose").write_text(f"#!{programs / 'python'}\n{code}\n")
    (programs / "dpcompose").chmod(0o755)
    return programs


@pytest.mark.parametrize("made", [link, pytest.param(install, marks=pytest.mark.slow)])
def test_the_wheel(made: Callable[[Path, Path], Path], tmp_path: Path) -> None:
    """One test for all checks: the environment takes long to make, and tests run in several processes."""
    (elsewhere := tmp_path / "elsewhere").mkdir()
    programs = made(build(tmp_path), tmp_path / "environment")
    check_the_installed_package_is_not_the_checkout(programs, elsewhere)
    check_the_installed_command_decides_a_file(programs, elsewhere)
    check_all_theorem_pages_are_in_the_wheel(programs, elsewhere)
    check_the_problem_files_are_in_the_wheel(programs, elsewhere)
    check_what_is_installed_needs_no_picture_library(programs, elsewhere)


def check_the_installed_package_is_not_the_checkout(programs: Path, elsewhere: Path) -> None:
    where = run(programs / "python", "-c", "import dpcompose; print(dpcompose.__file__)", cwd=elsewhere)
    assert not Path(where.strip()).is_relative_to(ROOT)
    assert Path(where.strip()).is_relative_to(programs.parent)


def check_the_installed_command_decides_a_file(programs: Path, elsewhere: Path) -> None:
    (elsewhere / "p.toml").write_text(PROBLEM)
    out = run(programs / "dpcompose", "verify", "--json", "p.toml", cwd=elsewhere, status=1)
    found = json.loads(out)
    assert found["guarantee"] == {"notion": "pure", "epsilon": "e1 + e2"}
    assert [claim["verdict"] for claim in found["claims"]] == ["proved", "refuted"]


def check_all_theorem_pages_are_in_the_wheel(programs: Path, elsewhere: Path) -> None:
    with redirect_stdout(StringIO()) as said:
        cli.main(["theorems", "--json"])
    here = said.getvalue()
    there = run(programs / "dpcompose", "theorems", "--json", cwd=elsewhere)
    assert there == here
    pages = [
        path
        for path in (ROOT / "theorems").rglob("*.md")
        if path.name not in ("README.md", "certificates.md", "glossary.md")
    ]
    assert len(there.splitlines()) == len(pages) > 10


def check_the_problem_files_are_in_the_wheel(programs: Path, elsewhere: Path) -> None:
    code = "import dpcompose, pathlib; print(pathlib.Path(dpcompose.__file__).parent / 'problems')"
    folder = Path(run(programs / "python", "-c", code, cwd=elsewhere).strip())
    here = ROOT / "notebooks" / "problems"
    assert {file.name: file.read_bytes() for file in folder.glob("*.toml")} == {
        file.name: file.read_bytes() for file in here.glob("*.toml")
    }
    run(programs / "dpcompose", "verify", *sorted(folder.glob("0[1-5]*.toml")), cwd=elsewhere)


def check_what_is_installed_needs_no_picture_library(programs: Path, elsewhere: Path) -> None:
    code = (
        "import dpcompose as d\n"
        "g = d.neighbourhood_graph(d.multisets('ab', size='<= 1'), d.unbounded)\n"
        "print(d.draw(g).svg[:4])\n"
        "try: d.draw(g).save('p.png')\nexcept ImportError as error: print(error)"
    )
    assert run(programs / "python", "-c", code, cwd=elsewhere).startswith("<svg\nPNG and PDF need matplotlib")
