"""Problem files: TOML text to a setting with claims.

All mistakes come at once, each with its key path and, where it is known, its line.  Nothing in a
file is evaluated as Python.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.privacy import rereading
from dpcompose.privacy.format import checks
from dpcompose.privacy.format.checks import Mistake, Place
from dpcompose.privacy.format.lines import first_line, line_of, told
from dpcompose.privacy.format.schema import Notions, ProblemTable
from dpcompose.privacy.guarantees.notions import FILE_KEYS
from dpcompose.privacy.in_metrics import in_groups, is_in_metrics, may_be_for_neighbours
from dpcompose.privacy.readers.claims import Claim as Claim
from dpcompose.privacy.readers.mechanisms import Showing
from dpcompose.privacy.readers.studies import Study
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.families import check_ranges
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.spaces.additions import NOTHING, Additions

Result = TypeVar("Result")

LARGEST_FILE = 10_000_000
"""The most characters of a problem file."""
STANDARD_INPUT = "-"
"""What stands for the standard input among files."""


class ProblemError(ValueError):
    """A problem file is wrong; `mistakes` lists everything that was found."""

    def __init__(self, file: str, mistakes: Sequence[Mistake]) -> None:
        self.file = file
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(f"{file}: {line}" for line in self.told))

    @property
    def told(self) -> Sequence[str]:
        """The mistakes in words, each in a line, without the file."""
        return told(self.mistakes)


@frozen
class Problem:
    """A setting with claims about it, and the file it is from."""

    setting: Setting
    claims: tuple[Claim, ...]
    file: str = ""


# reading


def text_of(path: str | Path) -> str:
    """The text of a file, or of the standard input where it is "-".

    Raises ProblemError where it is none, OSError where it cannot be read.
    """
    try:
        read = sys.stdin.buffer.read() if path == STANDARD_INPUT else Path(path).read_bytes()
        return read.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ProblemError(str(path), [Mistake((), f"this is no UTF-8 text: {error.reason}")]) from None


def read_text(
    text: str, file: str = "problem", show: Showing | None = None, notions: Notions = FILE_KEYS
) -> Problem:
    """The problem in a TOML text.  Raises ProblemError with every mistake.

    show -- finds the guarantees of studies; left out, the file must say them, and nothing is found;
    notions -- the parameters of each notion that there are pages for.
    """

    def read(data: Mapping[str, Any]) -> Problem:
        return read_data(data, file, text, show, notions)

    return at_once(read, parsed(text, file), file, text, notions)


def at_once(
    read: Callable[[Mapping[str, Any]], Result],
    data: Mapping[str, Any],
    file: str,
    text: str,
    notions: Notions,
) -> Result:
    """What is read of data.  Raises ProblemError with every mistake, also those that others hide."""

    def mistakes(rest: Mapping[str, Any]) -> Sequence[Mistake]:
        try:
            read(rest)
        except ProblemError as error:
            return [replace(mistake, line=None) for mistake in error.mistakes]
        except ValueError:  # nothing is wrong with what was read
            return ()
        return ()

    try:
        return read(data)
    except RecursionError:
        raise ProblemError(file, [Mistake((), "this is nested too deeply")]) from None
    except ProblemError as error:
        first = [replace(mistake, line=None) for mistake in error.mistakes]
        every = rereading.every_mistake(first, data, mistakes, notions)
    raise ProblemError(file, sorted(_in_text(every, text), key=lambda one: one.line or 0))


def parsed(text: str, file: str = "problem") -> dict[str, Any]:
    """The data of a TOML text, or of one in JSON with the same keys.  Raises ProblemError."""
    if len(text) > LARGEST_FILE:
        message = f"{len(text):,} characters are more than the {LARGEST_FILE:,} that are read"
        raise ProblemError(file, [Mistake((), message)])
    try:
        if text.lstrip().startswith("{"):
            return _of_json(text)
        return tomllib.loads(text, parse_float=_bare_number)
    except json.JSONDecodeError as error:
        raise ProblemError(file, [Mistake((), f"this is no JSON: {error}")]) from None
    except tomllib.TOMLDecodeError as error:
        raise ProblemError(file, [Mistake((), f"this is no TOML: {error}")]) from None
    except (RecursionError, ValueError) as error:  # e.g. numbers of thousands of digits
        raise ProblemError(file, [Mistake((), f"this cannot be read: {first_line(error)}")]) from None


def _of_json(text: str) -> dict[str, Any]:
    """The data of a JSON text; numbers keep their digits, and no key stands twice."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        if len(table) < len(pairs):
            twice = next(key for n, (key, _) in enumerate(pairs) if key in dict(pairs[:n]))
            raise ValueError(f"the key {twice!r} stands twice")
        return table

    data: dict[str, Any] = json.loads(
        text, parse_float=_bare_number, parse_constant=_bare_number, object_pairs_hook=once
    )
    return data


def _bare_number(text: str) -> str:
    """A number that is written bare keeps its digits; inf and nan are none."""
    if text.lstrip("+-").lower() in ("inf", "nan", "infinity"):
        raise ValueError(f'{text} is no number here; infinity is the formula "oo"')
    return text


def read_data(
    data: Mapping[str, Any],
    file: str = "problem",
    text: str = "",
    show: Showing | None = None,
    notions: Notions = FILE_KEYS,
    own: Additions = NOTHING,
    pairs: bool | None = None,
    beside: bool = False,
) -> Problem:
    """The problem in already parsed data, as a saved derivation holds it.  Raises ProblemError.

    pairs -- whether it is read as one about all pairs, or about neighbours; left out: as it says itself;
    beside -- whether claims for neighbours are left as these; else they are in the metric of the target.
    """
    data = in_groups(data) if isinstance(data, Mapping) else data
    if pairs is None:
        pairs = isinstance(data, Mapping) and is_in_metrics(data) and not may_be_for_neighbours(data)
    refuse(unset(data), file)
    data = _with_notions(data)
    mistakes = checks.Mistakes(notions, own)
    try:
        given = ProblemTable.read(data, (), mistakes)
    except RecursionError:
        raise ProblemError(file, [Mistake((), "this is nested too deeply")]) from None
    refuse(mistakes.all, file, text)
    study = Study(given, mistakes, notions, show, [claim.notion for claim in given.claims], pairs=pairs)
    setting = study.setting(data if pairs else None)
    claims = _claims(study, setting, given, beside)
    refuse(mistakes.all, file, text)
    assert setting is not None
    return Problem(setting, claims, file)


def _with_notions(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The data with a notion in each claim that names none: that of the mechanisms, where all have one."""
    claims, mechanisms = data.get("claims"), data.get("mechanisms")
    if not isinstance(claims, list) or not isinstance(mechanisms, list):
        return data
    stated = [entry.get("guarantee") if isinstance(entry, Mapping) else None for entry in mechanisms]
    named = [entry.get("notion") if isinstance(entry, Mapping) else None for entry in stated]
    if not named or not isinstance(named[0], str) or named.count(named[0]) < len(named):
        return data
    return {**data, "claims": [{"notion": named[0], **x} if isinstance(x, Mapping) else x for x in claims]}


def refuse(mistakes: Sequence[Mistake], file: str, text: str = "") -> None:
    """Raises ProblemError where there are mistakes, with their lines in the text."""
    if mistakes:
        raise ProblemError(file, _in_text(mistakes, text))


def _in_text(mistakes: Sequence[Mistake], text: str) -> list[Mistake]:
    return [replace(mistake, line=line_of(text, mistake.path)) for mistake in mistakes]


def _claims(study: Study, setting: Setting | None, given: ProblemTable, beside: bool) -> tuple[Claim, ...]:
    """The claims about a composition; what is wrong in them is told."""
    if study.distances is None:
        return ()
    read = (study.claims.claim(i, table, beside) for i, table in enumerate(given.claims))
    claims = {i: one for i, one in enumerate(read) if one is not None}
    for i, claim in claims.items():
        if setting is None:
            break
        for key, value in claim.guarantee.every_term:
            try:
                check_ranges(setting, value)
            except InvalidSetting as error:
                study.mistakes.wrong(("claims", i, key), error)
    return tuple(claims.values())


def unset(data: object) -> list[Mistake]:
    """Where null stands in data, which a problem file cannot say: a key without a value is left out.

    >>> print(*unset({"mechanisms": [{"noise": {"gaussian": None}}]}))
    mechanisms.1.noise.gaussian: null is no value; leave the key out
    """
    mistakes: list[Mistake] = []
    waiting: list[tuple[Place, object]] = [((), data)]
    while waiting:
        path, value = waiting.pop()
        if value is None:
            mistakes.append(Mistake(path, "null is no value; leave the key out"))
        elif isinstance(value, Mapping):
            waiting.extend(((*path, str(key)), inner) for key, inner in value.items())
        elif isinstance(value, list):
            waiting.extend(((*path, n), inner) for n, inner in enumerate(value))
    return sorted(mistakes, key=lambda one: tuple(map(str, one.path)))
