"""Runs the conformance suite against the accountants that are installed, and prints a table with their versions.

python tests/conformance/run.py [--python OTHER/bin/python]... [--every]: those of this interpreter, or of others.
Exact: within a thousandth of the truth; loose: above it, by this factor; WRONG: below what is refuted with two
databases.  The standard library is enough.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import warnings
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from accountants import ACCOUNTANTS, Declined, EpsilonAt, version

SUITE = Path(__file__).with_name("suite.json")
ROOM = 1e-3
"""By how much an answer may exceed the truth to be called exact."""
ROUNDING = 1e-6
"""By how much floating-point numbers may be off."""


def judged(setting: dict[str, Any], found: Any) -> str:
    """What an answer is."""
    if isinstance(found, EpsilonAt):
        value, low = found.value, float(Fraction(setting["epsilon"]))
        return graded(value, low, low)
    answer = setting["answer"]
    return graded(float(found), float(Fraction(answer["low"])), float(Fraction(answer["high"])))


def graded(value: float, low: float, high: float) -> str:
    """An answer beside the ends of the truth."""
    if value != value:
        return "no number"
    if value < low * (1 - ROUNDING) - 1e-12:
        return f"WRONG {value:.6g}"
    if value <= high * (1 + ROOM) + 1e-9:
        return "exact"
    return f"loose x{value / high:.4g}" if high and value != float("inf") else "loose"


def answers(name: str, settings: list[dict[str, Any]]) -> list[str]:
    """What an accountant says of all settings."""
    found = []
    for setting in settings:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found.append(judged(setting, ACCOUNTANTS[name](setting)))
        except Declined as why:
            found.append(f"- {why}")
        except Exception as error:
            found.append(
                f"error {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:60]
            )
    return found


def here(settings: list[dict[str, Any]]) -> dict[str, list[str]]:
    """What the accountants of this interpreter say, by name and version."""
    return {f"{name} {at}": answers(name, settings) for name in ACCOUNTANTS if (at := version(name))}


def elsewhere(python: str) -> dict[str, list[str]]:
    """The same of another interpreter."""
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run([python, __file__, "--raw"], capture_output=True, text=True, env=clean)
    if done.returncode:
        raise SystemExit(f"{python}: {done.stderr}")
    found: dict[str, list[str]] = json.loads(done.stdout.splitlines()[-1])
    return found


def kind(answer: str) -> str:
    """The kind of an answer: exact, loose, WRONG, declined, error."""
    return {"-": "declined", "no": "error"}.get(answer.split()[0], answer.split()[0])


KINDS = ("exact", "loose", "WRONG", "declined", "error")


def table(settings: list[dict[str, Any]], found: dict[str, list[str]], every: bool) -> str:
    """The answers counted, and setting by setting what differs or, with every, all."""
    lines = [
        f"{len(settings)} settings",
        " | ".join(["accountant".ljust(22), *(f"{one:>8}" for one in KINDS)]),
    ]
    for name, said in found.items():
        counts = Counter(map(kind, said))
        lines.append(" | ".join([name.ljust(22), *(f"{counts[one]:>8}" for one in KINDS)]))
    lines.append("")
    for n, setting in enumerate(settings):
        said = {name: one[n] for name, one in found.items()}
        shown = (
            said
            if every
            else {name: one for name, one in said.items() if kind(one) in ("loose", "WRONG", "error")}
        )
        if shown:
            truth = setting["answer"].get("exact") or f"{float(Fraction(setting['answer']['high'])):.7g}"
            at = f" at epsilon {setting['epsilon']}" if "epsilon" in setting else ""
            lines.append(
                f"{setting['number']}. {setting['words']}, {setting['relation']}: {setting['asks']}{at} = {truth}"
            )
            lines += [f"     {name}: {one}" for name, one in shown.items()]
    return "\n".join(lines)


def main() -> int:
    """Prints the table; 1 where an accountant is wrong."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument(
        "--python", action="append", default=[], help="another interpreter, with its accountants"
    )
    given.add_argument("--every", action="store_true", help="every setting, also where all are exact")
    given.add_argument("--raw", action="store_true", help="the answers as JSON")
    said = given.parse_args()
    settings = json.loads(SUITE.read_text(encoding="utf-8"))
    found = {} if said.python else here(settings)
    for python in said.python:
        found |= elsewhere(python)
    print(json.dumps(found) if said.raw else table(settings, found, said.every))
    return int(not said.raw and any(kind(one) == "WRONG" for answers in found.values() for one in answers))


if __name__ == "__main__":
    sys.exit(main())
