"""The wheel, installed elsewhere: the command decides a file, and all theorem pages came along."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

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


def install(folder: Path) -> tuple[Path, Path]:
    """A new environment with nothing but the wheel and what it depends on, and an empty folder."""
    built, elsewhere, environment = folder / "built", folder / "elsewhere", folder / "environment"
    elsewhere.mkdir()
    run(
        *(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"),
        *("--wheel-dir", built, ROOT),
        cwd=elsewhere,
    )
    (wheel,) = built.glob("dpcompose-*.whl")
    venv.create(environment, with_pip=True)
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    run(programs / "python", "-m", "pip", "install", "-q", wheel, cwd=elsewhere)
    return programs, elsewhere


def test_the_wheel(tmp_path: Path) -> None:
    """One test for all checks: the environment takes long to make, and tests run in several processes."""
    programs, elsewhere = install(tmp_path)
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
    here = run(sys.executable, "-m", "dpcompose.front.cli", "theorems", "--json", cwd=ROOT)
    there = run(programs / "dpcompose", "theorems", "--json", cwd=elsewhere)
    assert there == here
    pages = [
        path
        for path in (ROOT / "theorems").rglob("*.md")
        if path.name not in ("README.md", "certificates.md")
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
        "try: d.draw(g)\nexcept ImportError as error: print(error)"
    )
    assert run(programs / "python", "-c", code, cwd=elsewhere).startswith("pictures need matplotlib")
