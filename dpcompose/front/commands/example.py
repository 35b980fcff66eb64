"""dpcompose example: the problem files that are installed."""

from __future__ import annotations

import argparse
import json
import sys

from dpcompose.front.commands.running import FINE, WRONG, Commands, command


def add(commands: Commands) -> None:
    """Its options."""
    example = command(
        commands,
        "example",
        run,
        "list the problem files that are installed with dpcompose, or print one",
        "Example: dpcompose example 1 --save, and then dpcompose verify 01-bounded-parallel.toml.",
    )
    example.add_argument("number", nargs="?", metavar="N", help="the number of a file in the list")
    example.add_argument("--save", action="store_true", help="write it to this folder under its name")


def run(given: argparse.Namespace) -> int:
    from pathlib import Path

    from dpcompose.front import files

    if given.number is None:
        for number, title in files.to_choose_from():
            print(json.dumps({"number": number, "title": title}) if given.json else f"{number}  {title}")
        return FINE
    try:
        path = files.example(given.number)
    except KeyError:
        print(
            f"dpcompose: there is no example {given.number}; `dpcompose example` lists all", file=sys.stderr
        )
        return WRONG
    text = path.read_text(encoding="utf-8")
    if not given.save:
        print(json.dumps({"file": path.name, "text": text}) if given.json else text, end="")
        return FINE
    try:
        with Path(path.name).open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        print(f"{path.name}: {error.strerror}", file=sys.stderr)
        return WRONG
    print(json.dumps({"file": path.name}) if given.json else f"{path.name}: {files.title(path)}")
    return FINE
