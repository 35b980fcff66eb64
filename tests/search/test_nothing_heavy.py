"""Problem files are read, decided and saved with Python's standard library alone, unless a file needs more.

In a process in which no other library can be imported: what is needed of the files of which this fails says
`NEEDS`, and why.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import dpcompose
from dpcompose.front import files
from dpcompose.privacy.in_metrics import is_in_metrics

ROOT = Path(dpcompose.__file__).resolve().parents[1]
NEEDS = dict.fromkeys(("120", "147", "152", "178", "196", "244"), "sympy")  # factors of polynomials
NEEDS["241"] = "z3"  # points that refute under relations between parameters
ALONE = """
import importlib.abc, json, sys

FOREIGN = {"sympy", "mpmath", "networkx", "z3", "numpy", "scipy", "pydantic", "lark", "matplotlib", "tqdm"}

class Wall(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in FOREIGN:
            raise ImportError(f"{name} is not for this file")

root, *files = sys.argv[1:]
sys.path.insert(0, root)
sys.meta_path.insert(0, Wall())

from contextlib import suppress

from dpcompose.kernel.library.theory import Theory
from dpcompose.privacy import problems
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.proof.theory import registry
from dpcompose.search import proofs

def about(setting, claim):
    # at the orders that a claim is about, where something is said of these
    with suppress(InvalidSetting):
        if claim.guarantee.curve is not None:
            return setting.at_orders(claim.guarantee.curve.orders)
    return setting

pages = registry.standard()
said = {}
for file in files:
    data = problems.parsed(problems.text_of(file), file)
    try:
        problem = problems.read_data(data, file, notions=pages.parameters)
        verdicts = []
        for claim in problem.claims:
            made = proofs.Proofs(about(problem.setting, claim), Theory(pages.pages))
            verdicts.append(made.verdict(claim.guarantee.text(), claim.doubt))
            json.dumps(proofs.saved(made, data, verdicts[-1:]))
    except ImportError as error:
        said[file] = str(error)
        continue
    said[file] = [one.word for one in verdicts]
loaded = {name.partition(".")[0] for name in sys.modules}
print(json.dumps({"said": said, "loaded": sorted(loaded)}))
"""


def alone(*some: Path) -> Any:
    """The verdicts on the claims of some files, and the libraries that were loaded."""
    command = [sys.executable, "-I", "-S", "-c", ALONE, str(ROOT), *map(str, some)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def shipped() -> dict[str, dict[str, Any]]:
    """The shipped files about neighbours by number; a study's guarantee is searched for, so without these."""
    read = {n: tomllib.loads(path.read_text(encoding="utf-8")) for n, path in files.examples().items()}
    return {n: data for n, data in read.items() if not is_in_metrics(data) and "studies" not in data}


@pytest.mark.parametrize("share", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_files_are_decided_with_the_standard_library(shipped: dict[str, dict[str, Any]], share: int) -> None:
    """In a normal run every fifth file, and those that need more."""
    paths = files.examples()
    shipped = {n: data for at, (n, data) in enumerate(shipped.items()) if at % share == 0 or n in NEEDS}
    found = alone(*(paths[n] for n in shipped))
    assert set(found["loaded"]) <= {*sys.stdlib_module_names, "dpcompose", "__main__"}
    for n, data in shipped.items():
        said = found["said"][str(paths[n])]
        if n in NEEDS:
            assert said == f"{NEEDS[n]} is not for this file", n
            continue
        expected = [claim.get("expect") for claim in data.get("claims", ())]
        assert len(said) == len(expected), (n, said)
        assert [one if one else said[i] for i, one in enumerate(expected)] == said, n


def test_formulas_of_sympy_come_in_and_go_out() -> None:
    """At the border: a guarantee says in Python what it was given, and is the same as its text."""
    import sympy

    e, f = dpcompose.parameters("e f")
    for given, text in (
        (sympy.Max(e, f) / 2, "max(e, f)/2"),
        (sympy.sqrt(e * f), "sqrt(e*f)"),
        (sympy.oo, "oo"),
    ):
        from_sympy, from_text = dpcompose.pure(given), dpcompose.pure(text)
        assert from_sympy == from_text and hash(from_sympy) == hash(from_text)
        assert from_sympy.terms == from_text.terms
        assert from_sympy.text() == {"notion": "pure", "epsilon": text}
        assert from_sympy["epsilon"] == from_text["epsilon"] == dict(from_text.values)["epsilon"]
    assert dpcompose.pure(e + f) != dpcompose.pure(e)
