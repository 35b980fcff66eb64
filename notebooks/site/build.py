"""The page on which dpcompose runs in a browser, as a folder that any server can hold.

    python notebooks/site/build.py public
    python -m http.server -d public

Builds the wheel, and takes the runtime, what typesets formulas, and what verify may need besides by npm and
pip, or from folders that are named: --pyodide and --mathjax are npm packages, unpacked; --wheels has sympy,
mpmath, networkx, and z3-solver for the runtime.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
MODULES = {"sympy": "sympy", "mpmath": "mpmath", "networkx": "networkx", "z3": "z3_solver", "numpy": "numpy"}
"""The modules that are fetched where they are first imported, by how their wheels begin."""

MATHJAX = "mathjax@3"
COMPILE = """
import { loadPyodide } from "./pyodide.mjs";
const python = await loadPyodide();
python.FS.mkdir("/wheels");
python.FS.mount(python.FS.filesystems.NODEFS, { root: process.argv[2] }, "/wheels");
python.runPython(`
import compileall, py_compile, warnings
warnings.simplefilter("ignore")
never = py_compile.PycInvalidationMode.UNCHECKED_HASH
compileall.compile_dir("/wheels", quiet=1, legacy=True, invalidation_mode=never)
`);
"""
"""Python of the runtime itself compiles: no other has its bytecode."""

PURE, FOR_THE_RUNTIME = ("sympy", "mpmath", "networkx"), ("z3-solver",)
PACKAGE = "the npm package, unpacked"
TOLD = {
    "z3": "Searches run without z3 on this page: a few claims stay undecided that the command decides.",
    "numpy": "Without numpy, classes of many listed databases are left to the command.",
}


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    return subprocess.run(list(map(str, command)), cwd=cwd, check=True, capture_output=True, text=True).stdout


def from_npm(name: str, given: Path | None, scratch: Path) -> Path:
    """The folder of an npm package, unpacked: the one that is given, or what npm gets."""
    if given is not None:
        return given
    packed = run("npm", "pack", "--silent", name, cwd=scratch).split()[-1]
    with tarfile.open(scratch / packed) as archive:
        archive.extractall(scratch / name, filter="data")
    return scratch / name / "package"


def own_wheel(scratch: Path) -> Path:
    """The wheel of this folder."""
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", scratch)
    return next(scratch.glob("dpcompose-*.whl"))


def lock(pyodide: Path) -> dict[str, Any]:
    """What a runtime says of itself, and of the packages that were made for it."""
    found: dict[str, Any] = json.loads((pyodide / RUNTIME[-1]).read_text(encoding="utf-8"))
    return found


def downloaded(pyodide: Path, folder: Path, pure: Iterable[str], compiled: Iterable[str]) -> Path:
    """A folder with the wheels of these packages; those of C only where there is one for the runtime."""
    about = lock(pyodide)["info"]
    version = "".join(about["python"].split(".")[:2])
    platform = f"pyemscripten_{about['abi_version']}_{about['arch']}"
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder)]
    pip += ["--only-binary=:all:", f"--platform={platform}", f"--python-version={version}"]
    run(*pip, *pure)
    for name in compiled:
        subprocess.run([*pip, name], check=False, capture_output=True)
    return folder


def other_wheels(given: Path | None, pyodide: Path, scratch: Path) -> dict[str, Path]:
    """By module the wheels that are not always needed."""
    given = given or downloaded(pyodide, scratch / "wheels", PURE, FOR_THE_RUNTIME)
    files = [*given.glob("*.whl"), *pyodide.glob("*.whl")]
    found = {
        module: [f for f in files if f.name.startswith(f"{start}-")] for module, start in MODULES.items()
    }
    return {module: some[0] for module, some in found.items() if some}


def compiled(wheels: Iterable[Path], pyodide: Path, scratch: Path) -> None:
    """Puts bytecode in place of sources, as compiling is most of what a first import takes; leaves tests out.

    Where there is no node to run the runtime, wheels stay as they are.
    """
    if shutil.which("node") is None:
        return
    unpacked, runtime = scratch / "unpacked", scratch / "runtime"
    for wheel in wheels:
        with ZipFile(wheel) as archive:
            archive.extractall(
                unpacked / wheel.name, [name for name in archive.namelist() if "/tests/" not in name]
            )
    shutil.copytree(pyodide, runtime)
    (runtime / "compile.mjs").write_text(COMPILE, encoding="utf-8")
    run("node", "compile.mjs", unpacked, cwd=runtime)
    for wheel in wheels:
        with ZipFile(wheel, "w", ZIP_DEFLATED) as archive:
            for file in sorted(filter(Path.is_file, (unpacked / wheel.name).rglob("*"))):
                if file.suffix != ".py" or not file.with_suffix(".pyc").exists():
                    archive.write(file, file.relative_to(unpacked / wheel.name))


def examples() -> dict[str, dict[str, str]]:
    """The problem files that ship: their titles and texts."""
    found = {}
    for path in sorted((ROOT / "notebooks" / "problems").glob("*.toml"), key=_number):
        text = path.read_text(encoding="utf-8")
        found[path.name] = {"title": str(tomllib.loads(text).get("title", path.stem)), "text": text}
    return found


def _number(path: Path) -> int:
    return int(re.match(r"\d+", path.name)[0])  # type: ignore[index]


def build(
    public: Path, pyodide: Path | None = None, wheels: Path | None = None, mathjax: Path | None = None
) -> None:
    """Writes the page into a folder."""
    public.mkdir(parents=True, exist_ok=True)
    for file in filter(Path.is_file, (HERE / "page").iterdir()):
        shutil.copy(file, public)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        shutil.copy(own_wheel(scratch), public / "dpcompose.whl")
        shutil.copy(from_npm(MATHJAX, mathjax, scratch) / "es5" / "tex-svg.js", public / "mathjax.js")
        source = from_npm("pyodide", pyodide, scratch)
        (public / "pyodide").mkdir(exist_ok=True)
        for file_name in RUNTIME:
            shutil.copy(source / file_name, public / "pyodide")
        found = other_wheels(wheels, source, scratch)
        fetched = [Path(shutil.copy(wheel, public)) for wheel in found.values()]
        compiled([public / "dpcompose.whl", *fetched], source, scratch)
    listed = {module: wheel.name for module, wheel in found.items()}
    (public / "wheels.json").write_text(json.dumps(listed), encoding="utf-8")
    without = " ".join(words for module, words in TOLD.items() if module not in found)
    page = {"examples": examples(), "without": without}
    (public / "examples.json").write_text(json.dumps(page), encoding="utf-8")


def command(about: str | None, build: Callable[..., None], **more: str) -> None:
    """Reads where to build, and from what; builds, and says what is there now."""
    options = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("public", type=Path, help="the folder, which is made")
    more |= {"pyodide": PACKAGE, "wheels": "a folder with the wheels of what is needed besides"}
    for name, words in more.items():
        options.add_argument(f"--{name}", type=Path, help=words)
    found = options.parse_args()
    build(found.public, **{name: getattr(found, name) for name in more})
    size = sum(file.stat().st_size for file in found.public.rglob("*") if file.is_file())
    print(f"{found.public}: {size / 1e6:.1f} MB; python -m http.server -d {found.public} shows it")


if __name__ == "__main__":
    command(__doc__, build, mathjax=PACKAGE)
