"""Norms over the fibres of a map that reads some coordinates: what is not read may be taken to be equal."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dpcompose.kernel.expressions import naming, terms
from dpcompose.kernel.expressions.points import Points, coordinate
from dpcompose.kernel.expressions.terms import ZERO, Term


def closed(formula: Term, over: Collection[str], points: Sequence[Points]) -> Term | None:
    """The closure of a norm of coordinates over the fibres of the map that reads some of these: the same norm
    of those of its coordinates that are read.  None for what is no such norm.

    >>> u, v = (coordinate(x, "D") - coordinate(x, "E") for x in "uv")
    >>> plane = Points(("u", "v"), ((None, None), (None, None)))
    >>> closed(terms.sqrt(u**2 + v**2), ["u"], [plane]) == terms.largest(u, -u)
    True
    """
    every = [name for part in points for name in part.coordinates]
    used = [name for name in every if {naming.at(name, "D"), naming.at(name, "E")} & formula.letters.keys()]
    whole, read = (
        [coordinate(name, "D") - coordinate(name, "E") for name in names]
        for names in (used, [name for name in used if name in over])
    )
    return next((norm(read, word) for word in ("L1", "L2", "Linf") if formula == norm(whole, word)), None)


def norm(moved: Sequence[Term], word: str) -> Term | None:
    """‖v‖ of how far the entries of a vector move; None for a norm that is not known."""
    sizes = [terms.largest(term, -term) for term in moved]
    if word == "L2" and len(moved) > 1:
        return terms.sqrt(terms.add(term**2 for term in moved))
    if word in ("L1", "L2"):
        return terms.add(sizes)
    return None if word != "Linf" else terms.largest(*sizes) if sizes else ZERO
