"""dpcompose init: a problem file for one's own setting, with comments, to go on from."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dpcompose.front.commands.running import FINE, WRONG, Commands, command
from dpcompose.kernel.expressions.keeping import frozen


@frozen
class Question:
    """What is asked about a setting.

    key -- its option; words -- the question; answers -- those that there are, none where any text is one;
    usual -- what is taken where nothing is answered.
    """

    key: str
    words: str
    usual: str
    answers: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def help(self) -> str:
        """The question as help of its option."""
        among = f": {', '.join(self.answers)}" if self.answers else ""
        return f"{self.words}{among} (default: {self.usual})"


KINDS = ("multisets", "sets", "tuples", "streams", "sequences", "tables", "graphs")
NOTIONS = ("pure", "approximate", "zcdp", "gaussian")
QUESTIONS = (
    Question("kind", "what a database is", "multisets", KINDS),
    Question("records", "the records there are, as a,b,c; any: whatever they are", "a,b,c"),
    Question("size", 'how many records a database has: any, "= 4" or "<= 4"', "any"),
    Question("neighbours", "which databases are neighbours", "unbounded", also=("neighbors", "target")),
    Question("parts", "what each mechanism reads, as a | b,c; all: everything", "a | b | c"),
    Question("notion", "the notion of privacy", "pure", NOTIONS),
)
USUAL = {
    "tuples": {"size": "= 4", "neighbours": "bounded", "parts": "1,2 | 3,4"},
    "streams": {"size": "= 4", "neighbours": "event", "parts": "1,2 | 3,4"},
    "sequences": {"neighbours": "insert-delete", "parts": "all"},
    "tables": {"neighbours": "attribute", "parts": "all"},
    "graphs": {"neighbours": "edge", "parts": "all", "size": "= 4"},
}
"""What is taken on some classes where nothing is answered."""
BY_POSITION = ("tuples", "streams")


def add(commands: Commands) -> None:
    """Its options."""
    init = command(
        commands,
        "init",
        run,
        "write a problem file for your own setting, with comments, to go on from",
        "What no option says is asked in a terminal, and else has its default. "
        'Example: dpcompose init ward.toml --neighbours bounded --parts "a | b,c".',
    )
    init.add_argument("file", nargs="?", metavar="FILE", help="where it is written; left out: printed")
    for question in QUESTIONS:
        names = [f"--{question.key}", *(f"--{other}" for other in question.also)]
        init.add_argument(*names, dest=question.key, help=question.help, choices=question.answers or None)


def run(given: argparse.Namespace) -> int:
    """Writes the file, or says what is wrong with the answers."""
    from dpcompose.front.studies import loading
    from dpcompose.privacy.problems import ProblemError
    from dpcompose.privacy.settings.invalid import InvalidSetting
    from dpcompose.proof.theory import registry

    ask = sys.stdin.isatty() and not any(getattr(given, question.key) for question in QUESTIONS)
    text = written(
        answers(
            {question.key: getattr(given, question.key) for question in QUESTIONS}, _asked if ask else None
        )
    )
    try:
        loading.load_text(text, given.file or "the new file", registry.standard())
    except (ProblemError, InvalidSetting) as error:
        print(f"dpcompose: these answers do not fit together\n{error}", file=sys.stderr)
        return WRONG
    if given.file is None:
        print(json.dumps({"text": text}) if given.json else text, end="")
        return FINE
    try:
        with open(given.file, "x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        print(f"{given.file}: {error.strerror}", file=sys.stderr)
        return WRONG
    said = f"{given.file} is written; `dpcompose verify {given.file}` decides its claims"
    print(json.dumps({"file": given.file}) if given.json else said)
    return FINE


def _asked(question: Question) -> str:
    """What a person answers in a terminal; "" for what is usual."""
    among = f" ({', '.join(question.answers)})" if question.answers else ""
    print(f"{question.words}{among} [{question.usual}]: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip()


def answers(given: Mapping[str, str | None], ask: Callable[[Question], str] | None = None) -> dict[str, str]:
    """An answer to each question: the given one, what `ask` returns, or what is usual on the class.

    >>> answers({"kind": "streams"})["neighbours"]
    'event'
    """
    found: dict[str, str] = {}
    for question in QUESTIONS:
        usual = USUAL.get(found.get("kind", ""), {}).get(question.key, question.usual)
        shown = Question(question.key, question.words, usual, question.answers)
        found[question.key] = given.get(question.key) or (ask(shown) if ask is not None else "") or usual
    if not given.get("parts") and found["parts"] == "a | b | c":  # of the records that there are
        records = _records(found["records"])
        found["parts"] = "all" if records is None else " | ".join(records)
    return found


COMMENTS = {
    "databases": """# title = "what is composed, in a line"

# The databases.  Leave `records` out for an arbitrary universe; `dpcompose explain databases`.
""",
    "target": """
# The neighbours that the guarantee of the whole is about; `dpcompose explain granularity`.
""",
    "mechanisms": """
# The mechanisms: what each reads, and the guarantee that it is assumed to have.
# Letters are positive parameters.  A query with noise may stand in place of a guarantee.
# `dpcompose explain reads`, `dpcompose explain domain`, `dpcompose explain query`.
""",
    "claims": """
# What you claim of the composition: proved, or refuted with two databases.  Put your own formula
# here: max, min, sqrt, exp, log, top(2, ...), and the letters above.
""",
}
"""What is said before the first table of each kind."""


def written(said: Mapping[str, str]) -> str:
    """The problem file of some answers, with comments.

    >>> print(written(answers({"parts": "a | b,c"})).splitlines()[0])
    format = 1
    """
    from dpcompose.front import files
    from dpcompose.privacy.guarantees.notions import FILE_KEYS

    parts, letters = [_list(part) for part in said["parts"].split("|")], FILE_KEYS[said["notion"]]
    data = {
        "format": 1,
        "databases": databases(said["kind"], _records(said["records"]), said["size"]),
        "target": {"granularity": said["neighbours"]},
        "mechanisms": [_mechanism(n, part, said, letters) for n, part in enumerate(parts, start=1)],
        "claims": [
            {"notion": said["notion"]} | {letter: _together(letter, len(parts)) for letter in letters}
        ],
    }
    return files.toml(data, COMMENTS)


def databases(kind: str, records: Sequence[str] | None, size: str) -> dict[str, Any]:
    """A class as problem files say it, of a kind; records -- None for any."""
    if kind == "graphs":
        exactly = size.removeprefix("=").strip()
        return {"kind": kind, "vertices": int(exactly) if exactly.isdigit() else size}
    if kind == "tables":
        return {"kind": kind, "size": size, "attributes": {"age": ["young", "old"], "ill": ["no", "yes"]}}
    return {"kind": kind, **({} if records is None else {"records": list(records)}), "size": size}


def _mechanism(
    n: int, part: Sequence[str], said: Mapping[str, str], letters: Sequence[str]
) -> dict[str, Any]:
    """One mechanism; letters -- the parameters of the notion."""
    by_position, everything = said["kind"] in BY_POSITION, list(part) == ["all"]
    read = {"positions": list(map(int, part))} if by_position and not everything else {"records": list(part)}
    guarantee = {"notion": said["notion"], **{letter: f"{letter[0]}{n}" for letter in letters}}
    guarantee |= {"granularity": said["neighbours"]} | ({} if everything else {"domain": "common"})
    return {"name": f"M{n}", "reads": "everything" if everything else read, "guarantee": guarantee}


def _together(letter: str, count: int) -> str:
    """The sum of a parameter of all mechanisms; of Gaussian privacy the root of the squares."""
    each = [f"{letter[0]}{n}" for n in range(1, count + 1)]
    return f"sqrt({' + '.join(f'{one}**2' for one in each)})" if letter == "mu" else " + ".join(each)


def _records(text: str) -> list[str] | None:
    """The records that are named; None for any."""
    return None if text.strip() == "any" else _list(text)


def _list(text: str) -> list[str]:
    return [one.strip() for one in text.split(",")]
