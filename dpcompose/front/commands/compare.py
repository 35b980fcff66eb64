"""dpcompose compare: how many steps of one granularity a step of another one is."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dpcompose.front.commands import init, running
from dpcompose.language.answers import NoAnswer

if TYPE_CHECKING:
    from dpcompose.spaces.classes.databases import DatabaseClass
    from dpcompose.spaces.moves.granularities import Granularity


ANY = "any"
"""The size where none is said."""


WINDOWS = "w-event"
"""The neighbours that are named with the width of a window."""


def add(commands: running.Commands) -> None:
    """Its options."""
    compare = running.command(
        commands,
        "compare",
        run,
        "compare two granularities: how many steps of one a step of the other is",
        "Both ways, with neighbours that attain it. Example: "
        'dpcompose compare bounded bounded^3 --kind tuples --size "= 5". '
        "Exit status: 0; 3 no lemma decides the class; 2 something is wrong. Neighbours of your own are "
        "compared in Python: dpcompose.compare(first, second, on).",
    )
    compare.add_argument(
        "granularities",
        nargs=2,
        metavar="GRANULARITY",
        help="unbounded (multisets), bounded, event (streams), edge and node (graphs), …, or bounded^3 for "
        "groups of up to 3 steps, w-event^3 (streams); `dpcompose explain granularity`",
    )
    compare.add_argument(
        "--kind",
        default="multisets",
        help=f"the class: {', '.join(init.KINDS)} (default: multisets), or that of a problem file: --on",
    )
    compare.add_argument("--records", metavar="a,b,c", help="the record universe (default: an arbitrary one)")
    compare.add_argument(
        "--size",
        default=ANY,
        help='how many records, or vertices, a database has: any (default), "<= 4" or "= 4"',
    )
    compare.add_argument("--on", metavar="FILE", help="the class, and the granularities, of a problem file")
    running.with_pages(compare)


def run(given: argparse.Namespace) -> int:
    """Prints the factors of GB Prop. A.3 both ways; status 3 where no lemma decides the class."""
    from dpcompose.front.studies import as_json
    from dpcompose.privacy.settings.invalid import InvalidSetting
    from dpcompose.proof.sensitivity import compare
    from dpcompose.proof.theory.folders import PageError
    from dpcompose.spaces.moves.built_in import misfit
    from dpcompose.spaces.moves.granularities import NotSymmetric

    if not running.with_theory(given):
        return running.WRONG
    try:
        on, own = _of_file(given) if given.on else (_class(given), given.theory.own.granularities)
        granularity, other = (_granularity(text, own) for text in given.granularities)
        if why := misfit(granularity, on) or misfit(other, on):
            raise ValueError(f"{why}; a file says so: --on FILE" if "users = " in why else why)
        comparison = compare(granularity, other, on, given.theory)
    except NoAnswer as error:
        finite = '; --size "= 4" says of which size' if given.size == ANY and not given.on else ""
        return _cannot_compare(f"{error}{finite}", running.UNDECIDED, given.json)
    except FileNotFoundError:
        return _cannot_compare(
            f"--on is a problem file, and there is no {given.on!r}; a class is said by --kind, "
            "such as --kind multisets",
            running.WRONG,
            given.json,
        )
    except (InvalidSetting, NotSymmetric, PageError, OSError, ValueError) as error:
        return _cannot_compare(str(error), running.WRONG, given.json)
    print(json.dumps(as_json.comparison_data(comparison)) if given.json else comparison, flush=True)
    return running.FINE


def _of_file(given: argparse.Namespace) -> tuple[DatabaseClass, Mapping[str, Granularity]]:
    """The class of a problem file, and the granularities that it is about, by name."""
    study = running.load(given.on, given)[0].for_neighbours()
    if study is None:
        raise ValueError(f"{given.on} is about no neighbours")
    setting: Any = study.setting
    some = {granularity.name: granularity for granularity in setting.granularities}
    return setting.databases, {**given.theory.own.granularities, **some}


def _class(given: argparse.Namespace) -> DatabaseClass:
    """The class that the options say, as problem files would.  Raises ValueError."""
    from dpcompose.privacy.format.checks import Mistakes
    from dpcompose.privacy.format.database_tables import DatabasesTable
    from dpcompose.privacy.readers.databases import databases_of

    records = None if given.records is None else [one.strip() for one in given.records.split(",")]
    if records is not None and not all(records):
        raise ValueError("--records is a list such as a,b,c, without empty names")
    if given.kind == "graphs" and records is not None:
        raise ValueError("graphs have vertices and no records: leave --records out")
    own: DatabaseClass | None = given.theory.own.classes.get(given.kind)
    if own is not None:
        return own
    mistakes = Mistakes()
    table = DatabasesTable.read(init.databases(given.kind, records, given.size), (), mistakes)
    made = None if table is None else databases_of(table, mistakes)
    if made is None:
        raise ValueError("; ".join(mistake.message for mistake in mistakes.all))
    return made


def _granularity(text: str, own: Mapping[str, Granularity]) -> Granularity:
    """A granularity by name, built in or of one's own; bounded^3 is a group of up to three steps, w-event^3
    a window of three.

    Raises ValueError.
    """
    from dpcompose.spaces import given
    from dpcompose.spaces.moves.changes import w_event
    from dpcompose.spaces.moves.groups import group

    name, caret, steps = text.partition("^")
    windows = name == WINDOWS and name not in own
    if (caret or windows) and not steps.isdigit():
        what = "a window" if windows else "a group"
        raise ValueError(f"{what} is written {name}^3: {steps!r} is no number of steps")
    if windows:
        return w_event(int(steps))
    known = own[name] if name in own else given.neighbours(name)
    return group(int(steps), known) if caret else known


def _cannot_compare(message: str, status: int, as_json: bool) -> int:
    print(f"dpcompose: {message}", file=sys.stderr)
    if as_json:
        print(json.dumps({"error": message}), flush=True)
    return status
