"""Derivations as they are saved: the lines, what they rest on, and their result, made again and compared.

A saved derivation is data about one setting.  `remade` makes every line again, with what makes the lines of
that setting (`dpcompose.proof.steps.Steps`), and compares it whole; it raises `Refused` with the place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from dpcompose.proof import kernel
from dpcompose.proof.kernel import Line
from dpcompose.proof.registry import Theory


class Refused(ValueError):
    """A saved derivation is wrong; the message says where and why."""


class Maker(Protocol):
    """What makes the lines of a setting: `dpcompose.proof.steps.Steps`."""

    @property
    def theory(self) -> Theory:
        """The pages in force."""

    def line(
        self, n: int, by: str, roles: Mapping[str, Any], sources: Sequence[Line] = (), evidence: Any = None
    ) -> Line:
        """Line n; raises a ValueError where the page does not give it."""

    def pages(self, lines: Sequence[Line]) -> dict[str, str]:
        """The SHA-256 of every page that lines rest on."""


Made = TypeVar("Made", bound=Maker)


@dataclass(frozen=True)
class Derived(Generic[Made]):
    """What checked lines show, and what made them."""

    steps: Made
    lines: list[Line]
    private: kernel.Private
    optimal: bool


DERIVATION = ("pages", "lines", "result")
"""What a derivation has; of guarantees that are converted also `conversions`, and perhaps `chosen`."""


def saved(
    lines: Sequence[Line],
    pages: Mapping[str, str],
    private: kernel.Private,
    optimal: bool,
    converted: Mapping[str, Sequence[str]],
    chosen: Mapping[str, Mapping[str, str]],
) -> dict[str, Any]:
    """A derivation as it is saved: its lines, what they rest on, and their result."""
    data: dict[str, Any] = {
        "pages": dict(pages),
        "lines": [line.data() for line in lines],
        "result": result(private, optimal),
    }
    data |= {"conversions": {one: list(path) for one, path in converted.items()}} if converted else {}
    return data | ({"chosen": {id: dict(values) for id, values in chosen.items()}} if chosen else {})


def is_read(saved: Any, further: Sequence[str] = ()) -> bool:
    """Whether data has the keys of a derivation, and no others but further ones."""
    return isinstance(saved, dict) and set(saved) - {"conversions", "chosen", *further} == set(DERIVATION)


def conversions(saved: Mapping[str, Any]) -> dict[str, list[str]]:
    """The pages by which guarantees are converted, by notion."""
    given = saved.get("conversions", {})
    if not (
        isinstance(given, dict)
        and all(isinstance(path, list) and path for path in given.values())
        and all(isinstance(id, str) for path in given.values() for id in path)
    ):
        raise Refused("the conversions cannot be read")
    return given


def chosen(saved: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The free parameters that are chosen for conversions, by page."""
    given = saved.get("chosen", {})
    if not (
        isinstance(given, dict)
        and all(isinstance(one, dict) for one in given.values())
        and all(isinstance(text, str) for one in given.values() for text in one.values())
    ):
        raise Refused("what is chosen for the conversions cannot be read")
    used = {id for path in conversions(saved).values() for id in path}
    if unused := sorted(set(given) - used):
        raise Refused(f"nothing is converted by {unused[0]}, for which something is chosen")
    return given


def remade(saved: Mapping[str, Any], steps: Made) -> Derived[Made]:
    """The result of a derivation whose lines are made again, on the pages in force."""
    _check_pages(saved, steps.theory)
    lines = _check_lines(saved["lines"], saved["pages"], steps)
    private, optimal = _result(lines)
    if saved["result"] != result(private, optimal):
        raise Refused(
            f"the result is not what the lines show: {_values(private)}{', optimal' if optimal else ''}"
        )
    if saved["pages"] != steps.pages(lines):
        other = sorted(set(saved["pages"]) ^ set(steps.pages(lines)))
        raise Refused(f"the file does not list the pages that its lines rest on: {other[0]!r}")
    return Derived(steps, lines, private, optimal)


def result(private: kernel.Private, optimal: bool) -> dict[str, Any]:
    """The result that a derivation's last lines show, as it is saved."""
    return {"notion": private.notion} | dict(private.parameters) | {"optimal": optimal}


def _check_pages(saved: Mapping[str, Any], theory: Theory) -> None:
    if not isinstance(saved["pages"], dict):
        raise Refused("the pages cannot be read")
    for id, sha256 in saved["pages"].items():
        if id not in theory.pages:
            raise Refused(f"there is no page {id!r}")
        if theory.pages[id].sha256 != sha256:
            raise Refused(f"the page {id!r} is not the one that the derivation was made with")


def _check_lines(saved: Any, pages: Mapping[str, str], steps: Maker) -> list[Line]:
    """Makes every line again from the setting and the lines before it, and compares it whole."""
    if not isinstance(saved, list):
        raise Refused("the lines cannot be read")
    lines: list[Line] = []
    for n, given in enumerate(saved, start=1):
        if not (
            isinstance(given, dict)
            and isinstance(given.get("roles"), dict)
            and isinstance(given.get("by"), str)
        ):
            raise Refused(f"line {n} cannot be read")
        used = given.get("from")
        if not (isinstance(used, list) and all(isinstance(m, int) and 1 <= m < n for m in used)):
            raise Refused(f"line {n} does not use earlier lines")
        if given["by"] in steps.theory.pages and given["by"] not in pages:
            raise Refused(f"line {n} is by the page {given['by']!r}, which the file does not list")
        try:
            line = steps.line(
                n, given["by"], given["roles"], [lines[m - 1] for m in used], given.get("evidence")
            )
        except ValueError as error:
            raise Refused(f"line {n}: {error}") from None
        if line.data() != given:
            raise Refused(f"line {n} is not what {given['by']} gives: {difference(given, line.data())}")
        lines.append(line)
    return lines


def difference(given: Any, made: Any, where: str = "") -> str:
    """The first place where a line differs from the one that is made again."""
    if isinstance(given, dict) and isinstance(made, dict):
        for key in sorted({*given, *made}, key=str):
            if key not in given or key not in made or given[key] != made[key]:
                return difference(given.get(key), made.get(key), f"{where}.{key}" if where else str(key))
    if isinstance(given, list) and isinstance(made, list) and len(given) != len(made):
        return f"{where} has {len(given)} entries, not {len(made)}"
    if isinstance(given, list) and isinstance(made, list):
        for n, (one, other) in enumerate(zip(given, made, strict=True), start=1):
            if one != other:
                return difference(one, other, f"{where}.{n}")
    return f"{where} is {_short(given)}, not {_short(made)}"


def _result(lines: list[Line]) -> tuple[kernel.Private, bool]:
    """The guarantee that the derivation ends with, and whether a line says that it is optimal."""
    last = lines[-1].judgement if lines else None
    if isinstance(last, kernel.Private):
        return last, False
    if isinstance(last, kernel.Optimal):
        guarantee = lines[lines[-1].uses[-1] - 1].judgement
        if isinstance(guarantee, kernel.Private):
            return guarantee, True
    raise Refused(f"the derivation stops at line {len(lines)}, which states no guarantee")


def _values(private: kernel.Private) -> str:
    return ", ".join(f"{key} = {value}" for key, value in private.parameters)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
