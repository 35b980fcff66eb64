"""Norms over the fibres of a map that reads some coordinates: what is not read may be taken to be equal."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

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
    for whole, read in zip(_norms(used), _norms([name for name in used if name in over]), strict=True):
        if formula == whole:
            return read
    return None


def _norms(names: Sequence[str]) -> Iterator[Term]:
    """The norms L1, L2 and Linf of how far coordinates move."""
    moved = [coordinate(name, "D") - coordinate(name, "E") for name in names]
    sizes = [terms.largest(one, -one) for one in moved]
    yield terms.add(sizes)
    yield terms.sqrt(terms.add(one**2 for one in moved)) if len(moved) > 1 else terms.add(sizes)
    yield terms.largest(*sizes) if sizes else ZERO
