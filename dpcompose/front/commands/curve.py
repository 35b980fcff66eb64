"""dpcompose curve: δ at an ε, and ε at a δ, with ends that are certain."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from dpcompose.front.commands import running

if TYPE_CHECKING:
    from dpcompose.front.numbers.curve import Enclosure, PrivacyCurve

Points = list[tuple[str, str, str, "Enclosure"]]
"""What is asked for, at which value of which parameter, and the answer."""


def add(commands: running.Commands) -> None:
    """Its options."""
    curve = running.of_files(
        commands,
        "curve",
        _run,
        "print delta at an epsilon, or epsilon at a delta, between decimals that are certain",
        "Without --epsilon and --delta a small table. Above stands what holds for all mechanisms as the file "
        "states them, below what some of them reach. Example: dpcompose curve FILE --at e1=1/2 --delta 1e-6. "
        "Exit status: 0; 3 nothing computes it; 2 a file or value is wrong; 4 an internal error.",
    )
    curve.add_argument("--at", metavar="VALUES", help=running.AT_VALUES)
    curve.add_argument("--epsilon", metavar="E", help="the least delta at these epsilon: 1 or 1/2,1,2")
    curve.add_argument("--delta", metavar="D", help="the least epsilon at these delta: 1e-6 or 1e-5,1e-6")


def _run(file: str, given: argparse.Namespace) -> int:
    study, _ = running.load(file, given)
    values = running.values_of(given.at)
    points = _points(study.curve(values), given)
    if given.json:
        print(json.dumps({"file": file, "title": study.setting.title, **_data(values, points)}), flush=True)
        return running.FINE
    print(study.setting.title or file)
    if values:
        print(f"  at {', '.join(f'{name} = {value}' for name, value in values.items())}")
    for name, value, asked, enclosure in points:
        print(f"  {name} = {value}: {asked} {enclosure!r}", flush=True)
    return running.FINE


def _points(curve: PrivacyCurve, given: argparse.Namespace) -> Points:
    """The points that are asked for, or a table."""
    found = [
        *_asked("epsilon", given.epsilon, "delta", curve.delta),
        *_asked("delta", given.delta, "epsilon", curve.epsilon),
    ]
    return found or [("epsilon", x, "delta", known) for x, known in curve.table()]


def _asked(
    name: str, values: str | None, asked: str, known: Callable[[object], Enclosure]
) -> Iterator[tuple[str, str, str, Enclosure]]:
    for value in map(str.strip, values.split(",") if values else ()):
        yield name, value, asked, known(value)


def _data(values: dict[str, str], points: Points) -> dict[str, Any]:
    """As JSON: decimals, rounded outward."""
    rows = [{name: value, asked: enclosure.data()} for name, value, asked, enclosure in points]
    return {"at": values, "points": rows}
