"""The command: dpcompose verify, bound, budget, curve, draw, theorems, explain, recheck, compare, init, …

Exit status of verify: 0 every claim proved, or as it expects; 1 some claim refuted, or not as
it expects; 3 some undecided; 2 a file is wrong; 4 an internal error, which says nothing of the
claims.  Of several files the worst of 2, 4, 1, 3, 0.
"""

from __future__ import annotations

import argparse
import codecs
import sys
from collections.abc import Sequence
from functools import cache

import dpcompose
from dpcompose.front.commands import (
    bound,
    budget,
    compare,
    curve,
    draw,
    example,
    explain,
    init,
    recheck,
    schema,
    theorems,
    verify,
)
from dpcompose.front.commands.running import INTERNAL

COMMANDS = (
    verify,
    bound,
    budget,
    curve,
    draw,
    theorems,
    explain,
    recheck,
    compare,
    init,
    example,
    schema,
)
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    given = _parser().parse_args(arguments)
    codecs.register_error("dpcompose", _in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a narrow terminal shows what it can
            stream.reconfigure(errors="dpcompose")
    try:
        status: int = given.run(given)
    except KeyboardInterrupt:
        print("dpcompose: interrupted; what is above is complete", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return INTERRUPTED
    except Exception as error:  # of a command that is about no file
        from dpcompose.front import internal

        print(f"dpcompose: {internal.words(error)}", file=sys.stderr)
        return INTERNAL
    return status


ASCII = {
    "…": "...",
    "∎": "QED",
    "∅": "{}",
    "–": "-",
    "’": "'",
    "ε": "epsilon",
    "δ": "delta",
    "≤": "<=",
    "∞": "oo",
}
"""What stands for signs that an encoding does not have; others are written as Python escapes."""


def _in_ascii(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    sign = error.object[error.start]
    return ASCII.get(sign) or sign.encode("ascii", "backslashreplace").decode("ascii"), error.start + 1


@cache
def _parser() -> argparse.ArgumentParser:
    """What reads the words of the command; made once, also where it is called many times."""
    parser = argparse.ArgumentParser(
        prog="dpcompose",
        description="Proves or refutes bounds on compositions of differentially private mechanisms, "
        "under any neighbour relation.",
        epilog="A problem file states a setting and claims about it; `dpcompose init` writes one for you, "
        "`dpcompose example` has some, and - is the standard input. "
        "`dpcompose COMMAND --help` says more of a command.",
    )
    parser.add_argument("--version", action="version", version=f"dpcompose {dpcompose.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for one in COMMANDS:
        one.add(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
