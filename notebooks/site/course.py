"""The course in JupyterLite, as a folder that any server can hold: notebooks that run in the browser.

    pip install -e '.[browser]' && python notebooks/site/course.py public/course
    python -m http.server -d public/course

The wheel runs under Pyodide, and all that the notebooks import is in the folder: nothing is fetched from
elsewhere, nor sent.  --pyodide and --wheels are folders as build.py takes them.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import nbformat
from build import FOR_THE_RUNTIME, ROOT, RUNTIME, command, downloaded, from_npm, lock, own_wheel

KERNEL = "@jupyterlite/pyodide-kernel-extension"
BROUGHT = ("piplite", "ipykernel", "pyodide-kernel")
"""What the kernel of JupyterLite brings with it."""

LISTED = ("micropip", "jedi", "ipython")
"""What it needs besides, in the versions that the runtime lists, with what they need."""

MORE = (
    "anywidget",
    "comm",
    "ipywidgets",
    "psygnal",
    "sympy",
    "mpmath",
    "networkx",
    "tqdm",
    "typing-extensions",
)
NEEDS = {
    "dpcompose": ("sympy", "mpmath", "networkx", "tqdm", "z3-solver", "numpy", "anywidget"),
    "anywidget": ("ipywidgets", "psygnal", "typing-extensions"),
    "ipywidgets": ("comm", "ipython"),
}
"""What is loaded before a package that the runtime does not list, as far as it is there."""

NOT_THE_COURSE = shutil.ignore_patterns("site", "manual", "__pycache__", ".*")
Packages = dict[str, dict[str, Any]]


def named(name: str) -> str:
    """A package as lists call it."""
    return name.lower().replace("_", "-")


def closure(packages: Packages, names: Iterable[str]) -> Packages:
    """Some packages of a list, and what they need."""
    found: Packages = {}
    for name in map(named, names):
        found |= {name: packages[name]} | closure(packages, packages[name]["depends"])
    return found


def entries(wheels: Iterable[Path], listed: Packages) -> Packages:
    """Wheels as a runtime lists them."""
    found: Packages = {}
    for wheel in wheels:
        name, version = wheel.name.split("-")[:2]
        modules = {file.partition("/")[0].removesuffix(".py") for file in ZipFile(wheel).namelist()}
        found[named(name)] = {
            "name": named(name),
            "version": version,
            "file_name": wheel.name,
            "install_dir": "site",
            "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
            "package_type": "package",
            "imports": sorted(filter(str.isidentifier, modules)),
            "unvendored_tests": False,
        }
    for name, package in found.items():
        needed = listed[name]["depends"] if name in listed else NEEDS.get(name, ())
        package["depends"] = [one for one in map(named, needed) if one in found]
    return found


def with_packages(target: Path, source: Path, wheels: Path | None, scratch: Path) -> None:
    """A runtime in a folder, with the wheels of all that is imported."""
    listed = closure(lock(source)["packages"], LISTED)
    if wheels is None:
        exact = [f"{name}=={package['version']}" for name, package in listed.items()]
        wheels = downloaded(source, scratch / "wheels", [*exact, *MORE], FOR_THE_RUNTIME)
    brought = Path(sys.prefix, "share", "jupyter", "labextensions", KERNEL, "static", "pypi")
    found = [*wheels.glob("*.whl"), own_wheel(scratch)]
    found += [wheel for name in BROUGHT for wheel in brought.glob(f"{name.replace('-', '_')}-*.whl")]
    packages = entries(found, listed)
    if missing := sorted({*map(named, (*BROUGHT, *listed, *MORE))} - packages.keys()):
        raise SystemExit(f"{wheels} has no wheel of {', '.join(missing)}: without --wheels pip gets them")
    target.mkdir(parents=True)
    for file in [*(source / name for name in RUNTIME), *found]:
        shutil.copy(file, target)
    about = lock(source) | {"packages": packages}
    (target / RUNTIME[-1]).write_text(json.dumps(about), encoding="utf-8")


def build(public: Path, pyodide: Path | None = None, wheels: Path | None = None) -> None:
    """Writes the course into a folder."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        lite = scratch / "lite"
        with_packages(lite / "static" / "pyodide", from_npm("pyodide", pyodide, scratch), wheels, scratch)
        contents = shutil.copytree(ROOT / "notebooks", scratch / "contents", ignore=NOT_THE_COURSE)
        for notebook in contents.glob("*.ipynb"):  # lines are joined as a server joins them
            notebook.write_text(json.dumps(nbformat.read(notebook, as_version=4)), encoding="utf-8")
        started = {"packages": [*BROUGHT, *LISTED, "comm"]}
        kernel = {f"{KERNEL}:kernel": {"disablePyPIFallback": True, "loadPyodideOptions": started}}
        shown = {"appName": "dpcompose", "exposeAppInBrowser": True, "litePluginSettings": kernel}
        built = {"contents": [str(contents)], "output_dir": str(public.resolve()), "apps": ["lab"]}
        built |= {"no_sourcemaps": True, "no_libarchive": True}
        page = {"jupyter-lite-schema-version": 0, "jupyter-config-data": shown}
        (lite / "jupyter-lite.json").write_text(json.dumps(page), encoding="utf-8")
        (lite / "jupyter_lite_config.json").write_text(
            json.dumps({"LiteBuildConfig": built}), encoding="utf-8"
        )
        subprocess.run([sys.executable, "-m", "jupyter", "lite", "build"], check=True, cwd=lite)


if __name__ == "__main__":
    command(__doc__, build)
