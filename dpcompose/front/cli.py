"""The command: dpcompose verify, bound, budget, curve, draw, theorems, audit, explain, recheck, …

Exit status of verify: 0 every claim proved, or as it expects; 1 some claim refuted, or not as
it expects; 3 some undecided; 2 a file is wrong; 4 an internal error, which says nothing of the
claims.  Of several files the worst of 2, 4, 1, 3, 0.
"""

from __future__ import annotations

import argparse
import atexit
import codecs
import gc
import re
import sys
from collections.abc import Collection, Sequence
from functools import cache
from importlib import import_module

import dpcompose
from dpcompose.front.commands.running import FINE, INTERNAL, Commands
from dpcompose.kernel.library.fields import near

COMMANDS = (
    "verify",
    "bound",
    "budget",
    "curve",
    "draw",
    "theorems",
    "audit",
    "explain",
    "recheck",
    "compare",
    "init",
    "example",
    "schema",
    "completion",
)
"""The commands, each in a file of its name; only the one that is asked for is read, but by OF_ALL."""
OF_ALL = ("completion",)
INTERRUPTED = 130
RARELY = 1_000_000
"""After how many new objects rubbish is looked for, and never at the end: most is let go of at once."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    gc.set_threshold(RARELY)
    atexit.register(gc.freeze)
    words = sys.argv[1:] if arguments is None else arguments
    if not words:
        _parser().print_help()
        return FINE
    every = words[0].startswith("-") or words[0] in OF_ALL
    if not every and words[0] not in COMMANDS:
        _parser().error(f"there is no command {words[0]!r}{near(words[0], COMMANDS)}")
    given, unread = _parser("" if every else words[0]).parse_known_args(words)
    if unread:
        given.parser.error(_unknown(unread[0], given.parser))
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


def _unknown(given: str, parser: argparse.ArgumentParser) -> str:
    """Why something that is given is not read: no such option, one of another command, one too many."""
    if not given.startswith("-"):
        return f"{given!r} is one too many; what has spaces in it is written in quotes"
    option = given.partition("=")[0]
    has = [command.prog for command in _of_commands() if option in OPTION.findall(command.format_usage())]
    other = f"; `{has[0]}` has it" if has else near(option, OPTION.findall(parser.format_help()))
    return f"there is no option {option}{other}"


OPTION = re.compile(r"--[a-z-]+")
"""How an option is written in a help."""
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
def _parser(only: str = "") -> argparse.ArgumentParser:
    """What reads the words of one command, or of all; made once, also where it is called many times."""
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
    for name in [only] if only else COMMANDS:
        import_module(f"dpcompose.front.commands.{name}").add(commands)
    parser.set_defaults(commands=commands)
    return parser


def _of_commands() -> Collection[argparse.ArgumentParser]:
    """The parsers of all commands."""
    commands: Commands = _parser().get_default("commands")
    return commands.choices.values()


if __name__ == "__main__":
    sys.exit(main())
