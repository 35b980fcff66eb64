"""What all commands share: their statuses, the files they run over, and the pages they use."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from dpcompose.language.answers import NoAnswer

if TYPE_CHECKING:
    from types import ModuleType

    from dpcompose.front.studies.results import Answer
    from dpcompose.front.studies.study import Study

FINE, DIFFERS, WRONG, UNDECIDED, INTERNAL = 0, 1, 2, 3, 4
WORST_FIRST = (WRONG, INTERNAL, DIFFERS, UNDECIDED, FINE)

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""The commands of a parser, to which each adds itself."""

AT_VALUES = "exact numbers for parameters: e1=1/2,e2=1; of a family e[i]: k=10,e=1/10, and e[3]=1 for one"
"""What the values of an option are, in words."""


def command(
    commands: Commands,
    name: str,
    run: Callable[[argparse.Namespace], int],
    words: str,
    more: str,
    as_json: bool = True,
) -> argparse.ArgumentParser:
    """A command by its name; words -- what it does; more -- what its help ends with."""
    made = commands.add_parser(name, help=words, description=words[0].upper() + words[1:] + ".", epilog=more)
    if as_json:
        made.add_argument("--json", action="store_true", help="print JSON, one object a line")
    made.set_defaults(run=run, parser=made, theorems=[], python=[])
    return made


def of_files(
    commands: Commands,
    name: str,
    run_file: Callable[[str, argparse.Namespace], int],
    words: str,
    more: str,
    many: bool = True,
    as_json: bool = True,
) -> argparse.ArgumentParser:
    """A command that runs over problem files, one or many, by the pages that are given."""

    def run(given: argparse.Namespace) -> int:
        if not with_theory(given):
            return WRONG
        return over_files(given.files, lambda file: run_file(file, given), getattr(given, "json", False))

    made = command(commands, name, run, words, more, as_json)
    made.add_argument("files", nargs="+" if many else 1, metavar="FILE", help="a problem file (TOML)")
    with_pages(made)
    return made


def with_pages(made: argparse.ArgumentParser) -> None:
    """The options that add pages, and what they may name, of one's own."""
    made.add_argument(
        "--theorems",
        action="append",
        default=[],
        metavar="DIR",
        help="also use the theorem pages of a folder of your own, which are only believed: results that "
        "rest on them say so (repeatable)",
    )
    made.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="FILE",
        help="run a Python file of your own: problem files may name the granularities, classes and maps of "
        "its list OWN, and theorem pages its hypothesis (repeatable)",
    )


def in_folders(files: Sequence[str]) -> list[str]:
    """The files that are given, and for a folder the problem files in it, in order of their names."""
    from pathlib import Path

    folders = {file: sorted(map(str, Path(file).glob("*.toml"))) for file in files if Path(file).is_dir()}
    return [file for name in files for file in folders.get(name) or [name]]


def over_files(files: Sequence[str], run: Callable[[str], int], as_json: bool) -> int:
    """Runs over all files; wrong ones, and errors of our own, do not keep the others from it.

    The worst status.
    """
    from dpcompose.front import internal
    from dpcompose.privacy.problems import ProblemError
    from dpcompose.proof.theory.folders import PageError

    statuses = []
    for file in files:
        try:
            statuses.append(run(file))
        except ProblemError as error:
            wrong(file, str(error), as_json)
            statuses.append(WRONG)
        except PageError as error:
            wrong(file, f"{file}: a theorem page that this needs is wrong:\n{error}", as_json)
            statuses.append(WRONG)
        except BrokenPipeError:
            raise
        except _said_wrongly() as error:
            message = f"{file}: {error.strerror if isinstance(error, OSError) else error}"
            wrong(file, message, as_json)
            statuses.append(WRONG)
        except NoAnswer as error:
            statuses.append(_unanswered(file, error, as_json))
        except Exception as error:  # also of memory: the next file may need less
            wrong(file, f"{file}: {internal.words(error)}", as_json)
            statuses.append(INTERNAL)
    return min(statuses, key=WORST_FIRST.index)


def _said_wrongly() -> tuple[type[Exception], ...]:
    """What refuses a setting, a file, and numbers that are given, if the command looked at any."""
    from dpcompose.privacy.settings.invalid import InvalidSetting

    numbers = sys.modules.get("dpcompose.front.numbers.numbers")
    return (InvalidSetting, OSError) if numbers is None else (InvalidSetting, OSError, numbers.WrongValue)


def wrong(file: str, message: str, as_json: bool) -> None:
    print(message, file=sys.stderr)
    if as_json:
        print(json.dumps({"file": file, "error": message}), flush=True)


def _unanswered(file: str, why: Exception, as_json: bool) -> int:
    """Says why there is no answer about a file; the status of what is undecided."""
    if as_json:
        print(json.dumps({"file": file, "undecided": str(why)}), flush=True)
    else:
        print(f"{file}: {why}", file=sys.stderr)
    return UNDECIDED


def load(file: str, given: argparse.Namespace) -> tuple[Study, Any]:
    from dpcompose.front.studies.loading import load

    return load(file, given.theory)


def checked(study: Study, claim: str) -> Answer:
    """The verdict on a claim that is given in words: a formula, or parameters by their names."""
    from dpcompose.front.numbers import numbers
    from dpcompose.kernel.expressions.grammar import FormulaError

    if "=" in claim:
        return study.check(**numbers.read_values(claim))
    try:
        made = study.claim(claim)
    except FormulaError as error:
        raise numbers.WrongValue(f"the claim is no formula: {error}") from None
    return study.check(made)


def with_theory(given: argparse.Namespace, warn: bool = True) -> bool:
    """Reads the theorem pages that a command uses, as given.theory; False where a folder has none.

    warn -- whether to say in a line that some are wrong: the command works without them, if it can.
    """
    from pathlib import Path

    from dpcompose.proof.theory import registry
    from dpcompose.proof.theory.folders import PageError

    try:
        more, own = list(map(Path, given.theorems)), list(map(_module, given.python))
        plain = not more and not own
        given.theory = registry.standard() if plain else registry.load(registry.folder(), *more, own=own)
    except (PageError, registry.WrongAddition, WrongModule) as error:
        print(f"dpcompose: {error}", file=sys.stderr)
        return False
    if (wrong := given.theory.wrong) and warn:
        names = ", ".join(one.file for one in wrong)
        warning = (
            "a theorem page is wrong and left out"
            if len(wrong) == 1
            else "theorem pages are wrong and left out"
        )
        print(f"dpcompose: warning: {warning}: {names}; `dpcompose theorems` says why", file=sys.stderr)
    return True


class WrongModule(ValueError):
    """A Python file of the user's that cannot be run."""


def _module(file: str) -> ModuleType:
    """A Python file that the user named, run.  Raises WrongModule."""
    from importlib.util import module_from_spec, spec_from_file_location
    from pathlib import Path

    spec = spec_from_file_location(f"dpcompose.own.{Path(file).stem}", file)
    if spec is None or spec.loader is None or not Path(file).is_file():
        raise WrongModule(f"{file}: there is no such Python file")
    module = sys.modules[spec.name] = module_from_spec(spec)  # where dataclasses look for it
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever it does
        raise WrongModule(f"{file}: {type(error).__name__}: {error}") from error
    return module


def values_of(text: str | None) -> dict[str, str]:
    """The numbers of --at and of the like.  Raises ValueError."""
    from dpcompose.front.numbers import numbers

    return numbers.read_values(text) if text else {}
