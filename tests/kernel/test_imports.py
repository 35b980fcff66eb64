"""The kernel replays saved derivations by itself: with Python's standard library and the theorem pages.

The files are saved by all of dpcompose, and replayed in a process in which no other library, and no other
room of dpcompose, can be imported.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import rechecks

import dpcompose
from dpcompose.front.studies.loading import load
from dpcompose.proof.theory import registry

ROOT = Path(dpcompose.__file__).resolve().parents[1]
PROBLEMS = Path(__file__).resolve().parents[2] / "notebooks" / "problems"
TRUST = PROBLEMS.parent / "manual" / "trust.md"
SAVED = {
    "refuted": "01-bounded-parallel",
    "a family": "18-any-number-of-districts",
    "zCDP": "40-parts-zcdp",
    "listed databases": "46-checked-on-tables",
    "a curve of noise": "56-laplace-with-a-delta",
    "a study": "78-a-study-in-a-study",
}
FORGED = "forged"

ALONE = """
import importlib.abc, json, sys
from pathlib import Path

FOREIGN = {"sympy", "mpmath", "networkx", "z3", "numpy", "scipy", "pydantic", "lark", "matplotlib"}

class Wall(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top, _, rest = name.partition(".")
        if top in FOREIGN or (top == "dpcompose" and rest and rest.partition(".")[0] != "kernel"):
            raise ImportError(f"{name} is not for the kernel")

root, theorems, folder = sys.argv[1:]
sys.path.insert(0, root)
sys.meta_path.insert(0, Wall())

from dpcompose.kernel import saved
from dpcompose.kernel.library import pages
from dpcompose.kernel.library.theory import Theory

inside = str(Path(saved.__file__).parent)
run = set()

def trace(frame, event, _):
    # the lines of the kernel's functions
    if event == "call":
        code = frame.f_code
        return trace if code.co_filename.startswith(inside) and code.co_name != "<module>" else None
    if event == "line":
        run.add((frame.f_code.co_filename, frame.f_lineno))
    return trace

read = [pages.read(path) for path in sorted(Path(theorems).rglob("*.md"))]
theory = Theory({one.id: one for one in read if isinstance(one, pages.Page)})
found, lines = {}, {}
for file in sorted(Path(folder).glob("*.json")):
    run.clear()
    sys.settrace(trace)
    try:
        checked = saved.check(json.loads(file.read_text(encoding="utf-8")), theory)
        found[file.stem] = [list(one) for one in checked.verdicts]
    except saved.Refused as error:
        found[file.stem] = str(error)
    finally:
        sys.settrace(None)
    lines[file.stem] = len(run)
print(json.dumps({"found": found, "lines": lines, "modules": sorted(sys.modules), "file": saved.__file__}))
"""


def alone(folder: Path) -> Any:
    """What the kernel by itself finds of the saved files of a folder, and what it imports."""
    # -I and -S: no installed package, and none of the modules that these load at the start
    command = [sys.executable, "-I", "-S", "-c", ALONE, str(ROOT), str(registry.folder()), str(folder)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A folder of saved files, one of them forged; and the verdicts, with whether they are loose."""
    folder, verdicts = tmp_path_factory.mktemp("saved"), {}
    for name in SAVED.values():
        study, claims = load(PROBLEMS / f"{name}.toml")
        answers = [study.check(claim) for claim in claims]
        verdicts[name] = [[one.verdict, one.loose] for one in answers]
        (folder / f"{name}.json").write_text(json.dumps(rechecks.saved(study, answers)), encoding="utf-8")
    forged = json.loads((folder / f"{SAVED['refuted']}.json").read_text(encoding="utf-8"))
    proof = next(step for step in forged["derivation"]["steps"] if step["rule"] == "weaken")
    entry = next(one for one in forged["claims"] if one["verdict"] == "proved")
    for claim in (proof["claim"], entry["claim"], forged["problem"]["claims"][1]):
        assert claim["epsilon"] == "max(e1 + e2, e1 + e3, e2 + e3)"
        claim["epsilon"] = "max(e1, e2, e3)"
    (folder / f"{FORGED}.json").write_text(json.dumps(forged), encoding="utf-8")
    return folder, verdicts


def test_the_kernel_alone_gives_the_same_verdicts(expected: tuple[Path, dict[str, Any]]) -> None:
    folder, verdicts = expected
    said = alone(folder)
    refused = said["found"].pop(FORGED)
    assert said["found"] == verdicts
    assert {word for some in verdicts.values() for word, _ in some} >= {"proved", "refuted"}
    assert isinstance(refused, str) and refused.startswith("step ") and ": weaken: " in refused
    assert Path(said["file"]).is_relative_to(ROOT)


def test_a_derivation_runs_through_few_lines_of_the_kernel(expected: tuple[Path, dict[str, Any]]) -> None:
    """As many as the manual says, to the next hundred or so."""
    lines = alone(expected[0])["lines"]
    told = re.search(r"runs through: ([0-9,]+) to\s+([0-9,]+) in each", TRUST.read_text(encoding="utf-8"))
    assert told
    fewest, most = (int(one.replace(",", "")) for one in told.groups())
    many = [lines[name] for name in SAVED.values()]
    assert abs(min(many) - fewest) <= 100 and abs(max(many) - most) <= 100, many


def test_the_kernel_imports_the_standard_library_and_itself(expected: tuple[Path, dict[str, Any]]) -> None:
    loaded = alone(expected[0])["modules"]
    ours = [name for name in loaded if name.partition(".")[0] == "dpcompose"]
    assert "dpcompose.kernel.saved" in ours
    assert [
        name for name in ours if name != "dpcompose" and not f"{name}.".startswith("dpcompose.kernel.")
    ] == []
    known = {*sys.stdlib_module_names, "dpcompose", "__main__"}
    assert [name for name in loaded if name.partition(".")[0] not in known] == []


WITHOUT = """
import sys
for name in ("sympy", "mpmath", "networkx", "z3", "numpy"):
    sys.modules[name] = None
from dpcompose.front.cli import main
sys.exit(main(["recheck", *sys.argv[1:]]))
"""


@pytest.mark.parametrize("kind", ["refuted", "listed databases"])
def test_the_command_rechecks_without_what_it_cannot_import(
    kind: str, expected: tuple[Path, dict[str, Any]]
) -> None:
    """The core setting is made again from the problem with the standard library alone."""
    file = expected[0] / f"{SAVED[kind]}.json"
    run = subprocess.run([sys.executable, "-c", WITHOUT, str(file)], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "the core setting is taken as it was saved" not in run.stdout
