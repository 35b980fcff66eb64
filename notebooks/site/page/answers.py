"""What the page shows of a problem file: what the command says of it, its derivation, its picture.

Runs under Pyodide, in a worker.  The verdict is the output of `dpcompose verify`, letter by letter.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

FILE = "problem.toml"


class OnImport:
    """Wheels that are fetched and unpacked where one of their modules is first imported.

    wheels -- the files by the names of modules; fetch -- the bytes of a file.
    """

    def __init__(self, wheels: Mapping[str, str], fetch: Callable[[str], bytes]) -> None:
        self.wheels, self.fetch = dict(wheels), fetch

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        wheel = self.wheels.pop(name, None)
        if wheel is None:
            return None
        from zipfile import ZipFile

        folder = Path(sys.path[-1]) / "fetched"
        ZipFile(io.BytesIO(self.fetch(wheel))).extractall(folder)
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
        return PathFinder.find_spec(name)


def fetch_on_import(wheels: Mapping[str, str]) -> None:
    """From now on modules of these wheels can be imported: a worker may wait for a file."""
    import js  # type: ignore[import-not-found]

    def fetch(file: str) -> bytes:
        request: Any = js.XMLHttpRequest.new()
        request.open("GET", file, False)
        request.responseType = "arraybuffer"
        request.send()
        return bytes(request.response.to_py())

    sys.meta_path.append(OnImport(wheels, fetch))


def verdict(text: str) -> str:
    """What `dpcompose verify` prints of a problem file, and what it complains about."""
    from dpcompose.front import cli

    Path(FILE).write_text(text, encoding="utf-8")
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        cli.main(["verify", FILE])
    if missing := re.search(r"No module named '(\w+)'", out.getvalue()):
        return f"this page has no {missing[1]}, which this problem needs; `dpcompose verify` decides it\n"
    return out.getvalue()


def derivation(text: str) -> str:
    """The lines of the derivation of the guarantee in HTML, with pages folded; in words why there is none."""
    shown = _quietly(lambda study, _: study.derivation()._repr_html_(), text)
    return shown if shown.startswith("<") else noted(shown)


def noted(words: str) -> str:
    """Words that stand in place of something."""
    import html

    return f'<p class="note">{html.escape(words)}</p>' if words else ""


def picture(text: str) -> str:
    """The neighbours as SVG, with the first counterexample; in words why there is no picture."""
    from dpcompose.front.drawings import pictures

    def drawn(study: Any, claims: Any) -> str:
        verdicts = (study.check(claim) for claim in claims)
        refuted = next((one for one in verdicts if one.counterexample is not None), None)
        try:
            return pictures.draw(study, highlight=refuted).svg
        except ValueError:  # the counterexample is not in the part that is drawn
            return pictures.draw(study).svg

    shown = _quietly(drawn, text)
    return shown if shown.startswith("<svg") else noted(shown)


def _quietly(told: Callable[[Any, Any], str], text: str) -> str:
    """What is told of a study; why not where there is nothing to tell, which the verdict says at length."""
    from dpcompose.front.studies.loading import load_text
    from dpcompose.privacy.problems import ProblemError
    from dpcompose.proof.theory import registry
    from dpcompose.search.guarantees import NoGuarantee
    from dpcompose.spaces.classes.databases import TooLarge

    try:
        return told(*load_text(text, FILE, registry.standard()))
    except ProblemError:
        return ""
    except (NoGuarantee, TooLarge, ValueError, ImportError) as error:
        return str(error)
