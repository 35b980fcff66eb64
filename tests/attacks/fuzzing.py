"""Fuzzing: texts that are changed at random again and again, guided by what they make the program say.

python tests/attacks/fuzzing.py problems|formulas|pages|certificates [--runs N] [--seed N]: a change that makes it say
something of a form that it has not said before is kept, and changed further.  Nothing may end but with the program's
own errors: status 4, any other exception, and what takes longer than SECONDS are failures, and are printed.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import re
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from dpcompose.front import cli
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.grammar import FormulaError
from dpcompose.kernel.expressions.writing import to_text
from dpcompose.kernel.library import pages
from dpcompose.proof.theory import registry

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60
"""How long one text may take, on a busy machine."""
ODD = (
    *(
        "",
        "0",
        "1",
        "-1",
        "1/0",
        "oo",
        "-oo",
        "nan",
        "1e400",
        "1e-400",
        "10**1000",
        "9" * 61,
        "0.1",
        "true",
        "null",
    ),
    *(
        "e",
        "e[i]",
        "k",
        "i",
        "alpha",
        "sum(e[i], i, 1, k)",
        "max()",
        "log(0)",
        "sqrt(-1)",
        "exp(exp(9))",
        "((((",
    ),
    *('"', "'", "\\", "{", "}", "[", "]", "[[", "=", ",", "\n", "\t", "\x00", "é", "∞", "𝔻", "a" * 2000),
    *(
        '"bounded"',
        '"unbounded"',
        '"pure"',
        '"zcdp"',
        '"everything"',
        '"= 0"',
        '">= 1"',
        '"2..1"',
        "{ group = 0 }",
    ),
)
"""What is put in anywhere."""
TOKEN = re.compile(r"\"[^\"\n]*\"|[A-Za-z_][\w-]*|\d+(?:\.\d+)?|\s+|.", re.DOTALL)


class TooSlow(Exception):
    """A text takes too long."""


def _ring(number: int, frame: FrameType | None) -> None:
    raise TooSlow


@contextlib.contextmanager
def limited(seconds: int = SECONDS) -> Iterator[None]:
    """Ends what takes too long."""
    before = signal.signal(signal.SIGALRM, _ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def changed(text: str, others: Sequence[str], rng: random.Random) -> str:
    """A text with one to four changes: of a token, a line, or a piece of another text."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        text = rng.choice(CHANGES)(text, others, rng)
    return text[:200_000]


def _token(text: str, others: Sequence[str], rng: random.Random) -> str:
    """Another token in place of one: an odd one, or one of another text."""
    tokens = TOKEN.findall(text) or [""]
    new = rng.choice(ODD) if rng.random() < 0.5 else rng.choice(TOKEN.findall(rng.choice(others)) or [""])
    tokens[rng.randrange(len(tokens))] = new
    return "".join(tokens)


def _number(text: str, others: Sequence[str], rng: random.Random) -> str:
    """Another number in place of one."""
    places = list(re.finditer(r"\d+", text))
    if not places:
        return text
    at = rng.choice(places)
    new = rng.choice(("0", "1", "2", "3", "7", "30", "1000", "99999999", str(int(at[0][:50]) + 1)))
    return text[: at.start()] + new + text[at.end() :]


def _line(text: str, others: Sequence[str], rng: random.Random) -> str:
    """A line left out, doubled, moved, or taken from another text."""
    lines = text.split("\n")
    n = rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[n]
        case 1:
            lines.insert(n, lines[n])
        case 2:
            lines.insert(rng.randrange(len(lines)), lines.pop(n))
        case _:
            lines.insert(n, rng.choice(rng.choice(others).split("\n")))
    return "\n".join(lines)


def _characters(text: str, others: Sequence[str], rng: random.Random) -> str:
    """Some characters left out, or odd ones put in."""
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(("", *ODD)) + text[at + rng.choice((0, 1, 3)) :]


def _spliced(text: str, others: Sequence[str], rng: random.Random) -> str:
    """The beginning of one text and the end of another, cut between lines."""
    lines, more = text.split("\n"), rng.choice(others).split("\n")
    return "\n".join(lines[: rng.randrange(len(lines) + 1)] + more[rng.randrange(len(more) + 1) :])


CHANGES = (_token, _token, _number, _line, _line, _characters, _spliced)


@dataclass
class Told:
    """How often what was said, in the forms it has; and what failed."""

    runs: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    forms: set[str] = field(default_factory=set)
    failures: list[tuple[str, str]] = field(default_factory=list)

    def __str__(self) -> str:
        ends = ", ".join(f"{count} {kind}" for kind, count in self.kinds.most_common())
        return f"{self.runs} texts, {len(self.forms)} forms of what is said; {ends}; {len(self.failures)} failures"


def form(said: str) -> str:
    """What is said without names and numbers."""
    return re.sub(r"\"[^\"]*\"|'[^']*'|\d+|\b\w\b|\{[^}]*\}", "*", said)[:400]


def fuzz(
    seeds: Sequence[str], tried: Callable[[str], tuple[str, str]], runs: int, rng: random.Random
) -> Told:
    """Tries changed texts.

    tried -- what kind of end a text has, and what is said; raises AssertionError where it is none of the allowed.
    """
    told, kept = Told(), list(seeds)
    for _ in range(runs):
        text = changed(rng.choice(kept), seeds, rng)
        told.runs += 1
        try:
            with limited():
                kind, said = tried(text)
        except TooSlow:
            told.failures.append((f"takes longer than {SECONDS} seconds", text))
            continue
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            told.failures.append((f"{type(error).__name__}: {error}", text))
            continue
        told.kinds[kind] += 1
        if (new := form(said)) not in told.forms:
            told.forms.add(new)
            kept.append(text)
    return told


# what is fuzzed


def run_command(command: str, text: str, name: str) -> tuple[str, str]:
    """What the command says of a text in a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8", errors="replace")
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = cli.main([command, str(path)])
    said = (out.getvalue() + err.getvalue()).replace(folder, "")
    assert status in (0, 1, 2, 3) and "internal error" not in said, said[-400:]
    return f"status {status}", said


def problem(text: str) -> tuple[str, str]:
    return run_command("verify", text, "problem.toml")


def certificate(text: str) -> tuple[str, str]:
    return run_command("recheck", text, "saved.json")


@cache
def letters() -> dict[str, terms.Term]:
    """The names in the formulas of shipped files, and their families."""
    names = {name for text in of_problems() for name in re.findall(r"[A-Za-z_]\w*", text)}
    return {name: terms.letter(name) for name in {*names, *(f"{name}[i]" for name in names)}}


def formula(text: str) -> tuple[str, str]:
    """A formula that is read is written, and read again as the same."""
    try:
        found = formulas.parse(text, letters())
    except FormulaError as error:
        return "refused", str(error)
    again = formulas.parse(to_text(found), letters())
    assert again == found, f"{to_text(found)} is read as {to_text(again)}"
    return "read", found.kind


def page(text: str) -> tuple[str, str]:
    """A page in a folder of one's own, beside those that ship."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.md"
        path.write_text(text, encoding="utf-8", errors="replace")
        found = pages.read(path, ships=False)
        theory = registry.load(registry.folder(), Path(folder)) if isinstance(found, pages.Page) else None
    if isinstance(found, pages.WrongPage):
        return "wrong", "; ".join(map(str, found.mistakes))
    assert theory is not None and not any(
        one.head.status == "primitive" for one in theory.pages.values() if one.path == path
    )
    return "read", "; ".join(str(one) for wrong in theory.wrong for one in wrong.mistakes)


def problems() -> list[str]:
    """The shipped problem files that are small."""
    found = [
        path.read_text(encoding="utf-8") for path in sorted((ROOT / "notebooks" / "problems").glob("*.toml"))
    ]
    return [text for text in found if len(text) < 4000]


def of_problems() -> list[str]:
    """The formulas in shipped problem files."""
    return sorted({one for text in problems() for one in re.findall(r"= \"([^\"\n]+)\"", text)})


def of_theorems() -> list[str]:
    """The theorem pages, without their mathematics."""
    found = [
        path.read_text(encoding="utf-8")
        for path in sorted((ROOT / "theorems").rglob("*.md"))
        if path.parent.name != "theorems"
    ]
    return [re.sub(r"(```\n\n).*", r"\1", text, flags=re.DOTALL) for text in found]


def saved() -> list[str]:
    """Saved derivations of small files."""
    found = []
    for text in problems()[:12]:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "p.toml").write_text(text, encoding="utf-8")
            with contextlib.redirect_stdout(io.StringIO()):
                cli.main(
                    [
                        "verify",
                        str(Path(folder) / "p.toml"),
                        "--save-derivation",
                        str(Path(folder) / "s.json"),
                    ]
                )
            if (Path(folder) / "s.json").exists():
                found.append((Path(folder) / "s.json").read_text(encoding="utf-8"))
    return found


KINDS: dict[str, tuple[Callable[[], list[str]], Callable[[str], tuple[str, str]]]] = {
    "problems": (problems, problem),
    "formulas": (of_problems, formula),
    "pages": (of_theorems, page),
    "certificates": (saved, certificate),
}


def main() -> int:
    """Fuzzes one kind, and prints counts and failures."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("kind", choices=KINDS)
    given.add_argument("--runs", type=int, default=1000)
    given.add_argument("--seed", type=int, default=0)
    said = given.parse_args()
    seeds, tried = KINDS[said.kind]
    told = fuzz(seeds(), tried, said.runs, random.Random(said.seed))
    for why, text in told.failures:
        print(f"--- {why}\n{text}\n")
    print(f"{said.kind}: {told}")
    return int(bool(told.failures))


if __name__ == "__main__":
    sys.exit(main())
