"""What the command says of every shipped problem file and every page's example, as one text each.

A golden holds, for verify and for bound, the status, what is printed, and the object of --json.  The texts
are kept in tests/goldens/; `python tests/goldens/renew.py` writes them anew.  Whoever asks has the study with
its answers besides, and what is saved of it.
"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from shipped import EXAMPLE, SHIPPED

from dpcompose.front import cli
from dpcompose.front.studies import loading
from dpcompose.front.studies.results import Answer
from dpcompose.front.studies.study import Study
from dpcompose.proof.theory import registry

ROOT = Path(__file__).resolve().parents[1]
GOLDENS = ROOT / "tests" / "goldens"
WIDTH = 110


@dataclass(frozen=True)
class Frozen:
    """A problem whose results are kept: where its text stands, and where its golden does."""

    name: str
    source: Path

    @property
    def golden(self) -> Path:
        """The file of what the command says of it."""
        return GOLDENS / f"{self.name}.txt"

    @property
    def problem(self) -> str:
        """The problem file itself: a page holds one example."""
        text = self.source.read_text(encoding="utf-8")
        if self.source.suffix == ".toml":
            return text
        (example,) = EXAMPLE.findall(text)
        return str(example)

    @property
    def kept(self) -> Any:
        """The object of verify --json that the golden holds."""
        sections = self.golden.read_text(encoding="utf-8").split("=== ")
        shown = next(part for part in sections if part.startswith("verify --json: "))
        return json.loads(shown.partition("\n")[2].partition("--- stderr")[0])

    def said(self) -> str:
        """What the command says of it today; of the file by its name alone."""
        return self.asked().said

    def asked(self) -> Asked:
        """The same with the study, its answers, and what is saved.

        The file is read once for all commands, and each claim judged once: only what is printed differs.
        """
        reading = patch.object(loading, "load", once(loading.load))
        judging = patch.object(Study, "check", once(Study.check))
        with reading, judging, tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            file, saved = f"{self.source.stem}.toml", Path("saved.json")
            Path(file).write_text(self.problem, encoding="utf-8")
            printed = {" ".join(words): command(words, file) for words in COMMANDS}
            assert command(["verify", "--save-derivation", str(saved)], file) == printed["verify"]
            study, claims = loading.load(file, registry.standard())
            answers = tuple(study.check(claim) for claim in claims)
            text = saved.read_text(encoding="utf-8") if saved.exists() else ""
            return Asked(printed, text, study, answers)


@dataclass(frozen=True)
class Printed:
    """What one command prints, and its status."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Asked:
    """A problem that the command was asked about: what it printed, what it saved, the study and its answers."""

    printed: Mapping[str, Printed]
    saved: str
    study: Study
    answers: tuple[Answer, ...]

    @property
    def said(self) -> str:
        """What is printed, as a golden holds it."""
        return "".join(section(words, one) for words, one in self.printed.items())

    @property
    def verified(self) -> Any:
        """The object of verify --json."""
        return json.loads(self.printed["verify --json"].out)


def once(made: Callable[..., Any]) -> Callable[..., Any]:
    """A function that remembers what it made of texts, and of objects, which it keeps."""
    known: dict[tuple[Any, ...], Any] = {}

    def remembered(*given: Any) -> Any:
        key = tuple(one if isinstance(one, str) else id(one) for one in given)
        if key not in known:
            known[key] = made(*given), given
        return known[key][0]

    return remembered


BOUND = ["bound", "--proof", "--fits"]
COMMANDS: Sequence[Sequence[str]] = (["verify"], ["verify", "--json"], BOUND, ["bound", "--json"])


def frozen() -> Iterator[Frozen]:
    """All problems whose results are kept, in order."""
    for file in SHIPPED:
        yield Frozen(f"problems/{file.stem}", file)
    for file in sorted((ROOT / "theorems").glob("*/*.md")):
        yield Frozen(f"pages/{file.parent.name}/{file.stem}", file)


def pages() -> list[Frozen]:
    """Those of them that stand on pages."""
    return [one for one in frozen() if one.source not in SHIPPED]


def command(words: Sequence[str], file: str) -> Printed:
    """What one command prints of a file."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = cli.main([*words, file])
    return Printed(status, out.getvalue(), err.getvalue())


def section(words: str, said: Printed) -> str:
    """What one command prints, below a line with the command and its status."""
    printed = said.out
    if "--json" in words and printed:
        (line,) = printed.splitlines()
        printed = laid_out(json.loads(line)) + "\n"
    warned = f"--- stderr\n{said.err}" if said.err else ""
    return f"=== {words}: {said.status}\n{printed}{warned}"


def laid_out(data: Any, indent: int = 0, before: int = 0) -> str:
    """JSON with keys in order, in one line where it fits in `WIDTH` signs, else an entry a line.

    before -- how many signs stand in front of it in its line.
    """
    line = json.dumps(data, ensure_ascii=False, sort_keys=True)
    if len(line) + before + 1 <= WIDTH or not isinstance(data, dict | list) or not data:
        return line
    inside = " " * (indent + 1)
    if isinstance(data, dict):
        keys = [(f"{json.dumps(key, ensure_ascii=False)}: ", value) for key, value in sorted(data.items())]
        rows = [f"{key}{laid_out(value, indent + 1, len(inside + key))}" for key, value in keys]
    else:
        rows = [laid_out(value, indent + 1, len(inside)) for value in data]
    opened, closed = "{}" if isinstance(data, dict) else "[]"
    return f"{opened}\n" + ",\n".join(inside + row for row in rows) + f"\n{' ' * indent}{closed}"
