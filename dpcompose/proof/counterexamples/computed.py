"""What a membership test can reach by a guarantee with numbers: by the curve that a page gives."""

from __future__ import annotations

from collections.abc import Mapping

from dpcompose.kernel.deciders.curves import pieces
from dpcompose.kernel.deciders.curves.curves import Part, Piece
from dpcompose.kernel.deciders.curves.tails import Normal
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.terms import INFINITY, Term, number
from dpcompose.proof.readings import Reading
from dpcompose.proof.theory.registry import Theory


def _piece(asked: Mapping[str, str], values: Mapping[str, Term], r: Term) -> Piece | None:
    """What a page's formulas ask of a guarantee with numbers at a distance."""
    try:
        return pieces.piece(asked, values, r)
    except ValueError as error:
        raise BadCertificate(str(error)) from None


def reading(theory: Theory, notion: str, values: Mapping[str, Term]) -> Reading:
    """A guarantee with numbers, such as {"epsilon": 1}, as what a membership test can reach.

    Raises BadCertificate where no page computes the (ε, δ) curve of its notion.
    """
    if INFINITY in values.values():
        return Reading(None)
    found = theory.computed("approximate", [(notion, "")])
    if found is None:
        raise BadCertificate(f"no page computes what a membership test reaches by {notion} privacy")
    part = _piece(found.head.parts[notion], values, number(1))
    assert part is None or isinstance(part, Part | Normal)  # what pages make of guarantees
    return Reading(part)
