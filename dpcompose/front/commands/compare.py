"""dpcompose compare: how many steps of one granularity a step of another one is."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from dpcompose.front.commands.running import (
    FINE,
    UNDECIDED,
    WRONG,
    Commands,
    command,
    with_pages,
    with_theory,
)

if TYPE_CHECKING:
    from dpcompose.spaces.moves.granularities import Granularity


def add(commands: Commands) -> None:
    """Its options."""
    compare = command(
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
        help="unbounded (multisets, sets), bounded, event (streams), free-lunch, or bounded^3 for groups of "
        "up to 3 steps",
    )
    compare.add_argument(
        "--kind", default="multisets", help="the class: multisets (default), sets, tuples, streams"
    )
    compare.add_argument("--records", metavar="a,b,c", help="the record universe (default: an arbitrary one)")
    compare.add_argument(
        "--size", default="any", help='how many records a database has: any (default), "<= 4" or "= 4"'
    )
    with_pages(compare)


def run(given: argparse.Namespace) -> int:
    """Prints the factors of GB Prop. A.3 both ways; status 3 where no lemma decides the class."""
    from dpcompose.front.studies import as_json
    from dpcompose.kernel.library.pages import PageError
    from dpcompose.privacy.settings.invalid import InvalidSetting
    from dpcompose.proof.hypotheses.inputs import NotDecidable
    from dpcompose.proof.sensitivity import compare
    from dpcompose.spaces.classes.databases import DatabaseClass, TooLarge
    from dpcompose.spaces.classes.multisets import multisets
    from dpcompose.spaces.classes.subsets import sets
    from dpcompose.spaces.classes.tuples import streams, tuples
    from dpcompose.spaces.moves.granularities import NotSymmetric

    if not with_theory(given):
        return WRONG
    records = None if given.records is None else [one.strip() for one in given.records.split(",")]
    try:
        if records is not None and not all(records):
            raise ValueError("--records is a list such as a,b,c, without empty names")
        classes: dict[str, Callable[[Any, str], DatabaseClass]]
        classes = {"multisets": multisets, "sets": sets, "tuples": tuples, "streams": streams}
        own, kinds = given.theory.own, [*classes, *given.theory.own.classes]
        if given.kind not in kinds:
            raise ValueError(f"there is no kind {given.kind!r}; there are: {', '.join(kinds)}")
        on = own.classes.get(given.kind) or classes[given.kind](records, given.size)
        one, other = (_granularity(text, own.granularities) for text in given.granularities)
        found = compare(one, other, on, given.theory)
    except (NotDecidable, TooLarge) as error:
        return _cannot_compare(str(error), UNDECIDED, given.json)
    except (InvalidSetting, NotSymmetric, PageError, ValueError) as error:
        return _cannot_compare(str(error), WRONG, given.json)
    print(json.dumps(as_json.comparison_data(found)) if given.json else found, flush=True)
    return FINE


def _granularity(text: str, own: Mapping[str, Granularity]) -> Granularity:
    """A granularity by name, built in or of one's own; bounded^3 is a group of up to three steps.

    Raises ValueError.
    """
    from dpcompose.spaces.moves.built_in import BUILT_IN
    from dpcompose.spaces.moves.groups import group

    known = {**BUILT_IN, **own}
    name, caret, steps = text.partition("^")
    if name not in known:
        raise ValueError(f"there is no granularity {name!r}; there are: {', '.join(sorted(known))}")
    if not caret:
        return known[name]
    if not steps.isdigit():
        raise ValueError(f"a group is written {name}^3: {steps!r} is no number of steps")
    return group(int(steps), known[name])


def _cannot_compare(message: str, status: int, as_json: bool) -> int:
    print(f"dpcompose: {message}", file=sys.stderr)
    if as_json:
        print(json.dumps({"error": message}), flush=True)
    return status
