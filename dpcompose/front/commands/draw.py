"""dpcompose draw: neighbours, budgets and curves as pictures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dpcompose.front.commands import running

if TYPE_CHECKING:
    from dpcompose.front.documents.verdict import Verdict
    from dpcompose.front.drawings.frames import DotPicture, Picture
    from dpcompose.front.studies.study import Study
    from dpcompose.privacy.problems import Claim


def add(commands: running.Commands) -> None:
    """Its options."""
    draw = running.of_files(
        commands,
        "draw",
        _run,
        "draw the neighbours of a problem file, what budgets add up to, and curves of privacy",
        "Databases are joined to their neighbours; marks and lines say what the mechanisms read. Of an "
        "infinite class a small part is drawn, and the picture says so. PNG and PDF "
        "need matplotlib: pip install 'dpcompose[notebook]'. Exit status: 0; 2 it cannot be drawn.",
        many=False,
        as_json=False,
    )
    draw.add_argument(
        "-o", dest="output", required=True, metavar="PICTURE", help="picture.svg, .png, .pdf, or graph.dot"
    )
    draw.add_argument("--size", metavar="SIZE", help='databases of which size: "<= 2" (default) or "= 3"')
    draw.add_argument(
        "--claim", help='highlight the counterexample to claim N of the file, or to another, "max(e1, e2)"'
    )
    draw.add_argument("--from", dest="start", metavar="a,b", help="shade by the distance from a database")
    draw.add_argument(
        "--budget",
        metavar="VALUES",
        help=f"draw bars instead: sum, bound and claims at {running.AT_VALUES}",
    )
    draw.add_argument(
        "--curve",
        choices=("delta", "trade-off"),
        help="draw curves instead: delta at every epsilon, or the trade-off of errors, of bound and claims",
    )
    draw.add_argument("--at", metavar="VALUES", help=f"with --curve: {running.AT_VALUES}")


def _run(file: str, given: argparse.Namespace) -> int:
    study, claims = running.load(file, given)
    try:
        picture = _picture(study, claims, given)
        picture.save(given.output)
    except (ValueError, ImportError) as error:
        print(f"{file}: {error}", file=sys.stderr)
        return running.WRONG
    print(f"{given.output}: {picture.alt}")
    return running.FINE


def _picture(study: Study, claims: Sequence[Claim], given: argparse.Namespace) -> Picture | DotPicture:
    """What is to be drawn.  Raises ValueError."""
    from dpcompose.front.drawings import bars, pictures, plots

    if given.budget:
        return bars.budget_bars(study, running.values_of(given.budget), claims)
    if given.curve:
        curve = plots.privacy_curve if given.curve == "delta" else plots.trade_off_curve
        return curve(study, claims=claims, at=running.values_of(given.at))
    highlight = None if given.claim is None else _refuted(study, claims, given.claim)
    start = None if given.start is None else tuple(filter(None, given.start.split(",")))
    drawn = pictures.dot_picture if given.output.endswith(".dot") else pictures.draw
    return drawn(study, highlight=highlight, size=given.size, distances_from=start)


def _refuted(study: Study, claims: Sequence[Claim], claim: str) -> Verdict:
    """The verdict on a claim, by its number or in words, with a counterexample.  Raises ValueError."""
    if claim.isdecimal() and not 1 <= int(claim) <= len(claims):
        raise ValueError(f"there is no claim {claim}; there are {len(claims)}")
    verdict = study.check(claims[int(claim) - 1]) if claim.isdecimal() else running.checked(study, claim)
    if verdict.counterexample is None:
        raise ValueError(f"claim {claim} is {verdict.verdict}: it has no counterexample")
    return verdict
