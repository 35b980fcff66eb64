"""Distances of values by slopes: how fast values move along a segment bounds how far they do.

Let C be a product of intervals, D and E points of it, and v continuous on C, made of functions with
derivatives by maxima.  Along the segment from D to E, v moves as some of these functions do, those that are
the largest there, so |v(D) − v(E)| ≤ Σ_i |D_i − E_i|·s_i where s_i is at least |∂_i v| for all of them on all
of C; and of several values the lengths add up, or the roots of sums of squares.  Where C is cut into cells
along coordinates, the segment is one through each of some, so what holds in every cell holds in C.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from typing import Any

from dpcompose.kernel import comparison
from dpcompose.kernel.core.assumptions import Assumed
from dpcompose.kernel.deciders.calculus import coordinates, elementary, ranges, values
from dpcompose.kernel.deciders.norms import norms, squares
from dpcompose.kernel.expressions import formulas, naming, substitution, terms
from dpcompose.kernel.expressions.certificates import BadCertificate, listed, table, whole
from dpcompose.kernel.expressions.forms import NotAForm
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.metrics import is_constant
from dpcompose.kernel.expressions.points import Ends, Points, coordinate
from dpcompose.kernel.expressions.terms import HALF, ONE, ZERO, Term

MOST_CELLS = 64
"""Into how many cells a class is cut at most."""
Vectors = tuple[tuple[Term, tuple[Term, ...]], ...]
"""Numbers ≥ 0, each with the values of a point whose distance it is a factor of: of several in L2."""


@frozen
class Moved:
    """factor·N(D − E) ≥ Σ a·‖v(D) − v(E)‖₂, N being a norm, or the sum of the |D_i − E_i| with weights.

    weights -- by coordinate, of a sum; norm -- "" for that, else "largest" or "root"; vectors -- the a with
    v, in the coordinates of D.
    """

    weights: Mapping[str, Term]
    norm: str
    vectors: Vectors

    @property
    def values(self) -> list[Term]:
        """All values."""
        return [v for _, vector in self.vectors for v in vector]


def read(greater: Term, lesser: Term, assumed: Assumed) -> Moved:
    """What a comparison of distances says.  Raises NotAForm where it is no such one."""
    vectors = tuple(vector(summand, assumed) for summand in norms.distributed(lesser).summands)
    sums, others = dict[str, Term](), dict[tuple[str, tuple[str, ...]], Term]()
    for summand in norms.distributed(greater).summands:
        c, rest = _apart(summand, assumed)
        norm, names = _norm(rest)
        if norm:
            others[norm, names] = others.get((norm, names), ZERO) + c
        else:
            sums[names[0]] = sums.get(names[0], ZERO) + c
    if others:
        if sums or len(others) > 1:
            raise NotAForm("this is no single norm")
        (((norm, names), c),) = others.items()
        return Moved(dict.fromkeys(names, c), norm, vectors)
    return Moved(sums, "", vectors)


def _apart(summand: Term, assumed: Assumed) -> tuple[Term, Term]:
    """A factor that is ≥ 0 in the parameters, and what it stands before."""
    factor = terms.multiply([ONE, *(one for one in summand.factors if is_constant(one))])
    if not values.surely(factor, False, assumed):
        raise NotAForm("a factor is not seen to be at least 0")
    return factor, terms.multiply([ONE, *(one for one in summand.factors if not is_constant(one))])


def _norm(term: Term) -> tuple[str, tuple[str, ...]]:
    """The norm that a term is, and of which coordinates."""
    if (name := _step(squares.inside_of_size(term))) is not None:
        return "", (name,)
    if term.kind == "top" and term.of[0] == 1:
        flat = [x for part in term.parts for x in (part.parts if squares.inside_of_size(part) else (part,))]
        names = {_step(x) for x in flat}
        if None not in names and all(-x in flat for x in flat):
            return "largest", tuple(sorted(name for name in names if name))
    inside = squares.squares(term.parts[0]) if term.kind == "power" and term.parts[1].number == HALF else None
    steps = {_step(p): q for p, q in (inside or {}).items()}
    if inside and None not in steps and len(steps) == len(inside) and set(steps.values()) == {1}:
        return "root", tuple(sorted(name for name in steps if name))
    raise NotAForm("this is no norm of coordinates")


def _step(term: Term | None) -> str | None:
    """The coordinate of which a term is the difference, or that with the other sign."""
    for sign in (ONE, -ONE) if term is not None and not is_constant(term) else ():
        steps = coordinates.steps(sign * term)  # type: ignore[operator]
        if list(steps.values()) == [ONE]:
            return next(str(naming.read(name).coordinate) for step in steps for name in step.letters)
    return None


def vector(summand: Term, assumed: Assumed) -> tuple[Term, tuple[Term, ...]]:
    a, rest = _apart(summand, assumed)
    one = squares.inside_of_size(rest)
    if one is not None:
        return a, (_value(one),)
    if rest.kind == "power" and rest.parts[1].number == HALF:
        every = [one.base_and_exponent for one in rest.parts[0].summands]
        if all(exponent.number == 2 for _, exponent in every):
            return a, tuple(_value(base) for base, _ in every)
    raise NotAForm("this is no distance of values")


def _value(moved: Term) -> Term:
    """v where a term is v(D) − v(E)."""
    of_each: dict[str, list[Term]] = {"D": [], "E": []}
    for summand in moved.summands:
        whose = {naming.read(name).database for name in summand.letters} - {None, ""}
        if len(whose) != 1 or not whose <= {"D", "E"}:
            raise NotAForm("this is no difference of values at two points")
        of_each[str(whose.pop())].append(summand)
    at_d, at_e = (terms.add(of_each[who]) for who in "DE")
    if at_d + _renamed(at_e, "E", "D") != ZERO:
        raise NotAForm("this is no difference of values at two points")
    return at_d


def _renamed(term: Term, old: str, new: str) -> Term:
    """The same at another database."""
    names = {name: naming.read(name) for name in term.letters}
    put = {
        name: coordinate(str(said.coordinate), new) for name, said in names.items() if said.database == old
    }
    return substitution.substituted(term, put)


# cells


@frozen
class Cell:
    """A product of intervals, and the values of points of it in letters that say where they lie.

    widths -- for each coordinate how far its letter's 1 is.
    """

    widths: Mapping[str, Term]
    vectors: Vectors


def cells(
    places: Sequence[Points], cuts: Mapping[str, Sequence[Term]], moved: Moved, assumed: Assumed
) -> list[Cell]:
    """The cells into which coordinates are cut, at numbers in order.  Raises NotAForm."""
    every = {name: _pieces(ends, cuts.get(name, ()), assumed) for name, ends in coordinates.intervals(places)}
    known, made = {naming.at(name, "D") for name in every}, list[Cell]()
    if not all(is_constant(x) for some in cuts.values() for x in some):
        raise NotAForm("where it is cut is no formula in the parameters")
    if any(not is_constant(terms.letter(x)) and x not in known for v in moved.values for x in v.letters):
        raise NotAForm("a value of other letters than coordinates")
    for ends in product(*every.values()):
        box = dict(zip(every, ends, strict=True))
        put = {naming.at(name, "D"): coordinates.position(name, ends, "F") for name, ends in box.items()}
        widths = {
            name: high - low if low is not None and high is not None else ONE
            for name, (low, high) in box.items()
        }
        vectors = tuple(
            (a, tuple(substitution.substituted(v, put) for v in vector)) for a, vector in moved.vectors
        )
        made.append(Cell(widths, vectors))
        if len(made) > MOST_CELLS:
            raise NotAForm(f"more than {MOST_CELLS} cells are not looked at")
    return made


def _pieces(ends: Ends, cuts: Sequence[Term], assumed: Assumed) -> list[Ends]:
    points = [ends[0], *cuts, ends[1]]
    for low, high in pairwise(points):
        if low is not None and high is not None and cuts and not values.surely(high - low, False, assumed):
            raise NotAForm("where it is cut is not seen to be in order")
    return list(pairwise(points))


def worst_case(vectors: Vectors) -> Term | None:
    """A maximum in values, of which others are made, and which is made of none; None where there is none."""
    every = {top for _, vector in vectors for v in vector for top in v.every("top") if not is_constant(top)}
    inner = [top for top in every if not any(part.has("top") and not is_constant(part) for part in top.parts)]
    return min(inner, key=lambda top: top.key, default=None)


def replaced(vectors: Vectors, top: Term, piece: Term) -> Vectors:
    """Values with one of the terms that a maximum is of in its place."""

    def put(term: Term) -> Term | None:
        return piece if term == top else None

    return tuple((a, tuple(substitution.changed(v, put) for v in vector)) for a, vector in vectors)


def cases(moved: Moved, cell: Cell, vectors: Vectors, assumed: Assumed) -> list[tuple[Term, Term]]:
    """Comparisons that together bound the slopes of values, without maxima, in a cell.  Raises NotAForm."""
    slopes = {name: [(a, [_slope(v, name) for v in vector]) for a, vector in vectors] for name in cell.widths}
    if not moved.norm:
        each = ((name, terms.add(a * _length(some) for a, some in slopes[name])) for name in slopes)
        return [
            (moved.weights.get(name, ZERO) * cell.widths[name], much) for name, much in each if much != ZERO
        ]
    if not all(values.surely(width, True, assumed) for width in cell.widths.values()):
        raise NotAForm("an interval may be a point")
    if not all(name in moved.weights or not _moves(slopes[name]) for name in slopes):
        raise NotAForm("a coordinate that is not in the norm")
    factor = next(iter(moved.weights.values()))
    if moved.norm == "largest":
        return [
            (
                factor,
                terms.add(
                    a * _length(some) / cell.widths[name] for name in slopes for a, some in slopes[name]
                ),
            )
        ]
    rows = [
        (a, [x / cell.widths[name] for name in slopes for x in slopes[name][n][1]])
        for n, (a, _) in enumerate(vectors)
    ]
    if len(rows) == 1:
        ((a, row),) = rows
        return [(factor**2, a**2 * terms.add(x**2 for x in row))]
    return [(factor, terms.add(a * _length(row) for a, row in rows))]


def _moves(slopes: Sequence[tuple[Term, Sequence[Term]]]) -> bool:
    return any(x != ZERO for _, some in slopes for x in some)


def _length(some: Sequence[Term]) -> Term:
    """The length of a vector of slopes."""
    moving = [x for x in some if x != ZERO]
    if len(moving) == 1:
        return terms.largest(moving[0], -moving[0])
    return terms.sqrt(terms.add(x**2 for x in moving)) if moving else ZERO


def _slope(v: Term, name: str) -> Term:
    """The derivative of a value by the letter of a coordinate.  Raises NotAForm."""
    try:
        f, box = values.goal(v)
        letter = next((at for at in (naming.place(name, "F"), naming.at(name, "F")) if at in box), None)
        if (problem := ranges.undefined(f, box)) is not None:
            raise NotAForm(problem)
        return ZERO if letter is None else values.to_term(elementary.derivative(f, letter), box)
    except elementary.NotElementary as error:
        raise NotAForm(str(error)) from None


# checking


def check(
    greater: Term,
    lesser: Term,
    places: Sequence[Points],
    shown: Any,
    assumed: Assumed,
    symbols: Mapping[str, Term],
) -> frozenset[str]:
    """The deciders by which slopes in all cells show a comparison of distances.  Raises BadCertificate.

    shown -- where coordinates are cut, and for each cell a tree: {"largest": n, "because": proofs, "then":
    tree} where the n-th term of the first maximum is the largest, {"each": trees} for all of its terms, and
    {"cases": proofs} without maxima.
    """
    given = table(shown, {"cuts", "cells"})
    try:
        moved = read(greater, lesser, assumed)
        every = table(given["cuts"], (), [name for name, _ in coordinates.intervals(places)])
        cuts = {
            name: [formulas.parse(str(text), symbols) for text in listed(some)]
            for name, some in every.items()
        }
        made, used = cells(places, cuts, moved, assumed), frozenset[str]()
        for cell, tree in zip(made, listed(given["cells"], len(made)), strict=True):
            used |= _checked(moved, cell, cell.vectors, tree, assumed)
    except NotAForm as error:
        raise BadCertificate(str(error)) from None
    return used


def _checked(moved: Moved, cell: Cell, vectors: Vectors, tree: Any, assumed: Assumed) -> frozenset[str]:
    top, used = worst_case(vectors), frozenset[str]()
    if top is None:
        wanted = cases(moved, cell, vectors, assumed)
        proofs = listed(table(tree, {"cases"})["cases"], len(wanted))
        each = (
            comparison.check_at_least(*one, proof, assumed) for one, proof in zip(wanted, proofs, strict=True)
        )
        return used.union(*each)
    if top.of[0] != 1:
        raise BadCertificate("of several largest ones nothing is said")
    if "each" in table(tree, (), ("each", "largest", "because", "then")):
        trees = listed(tree["each"], len(top.parts))
        both = zip(top.parts, trees, strict=True)
        return used.union(
            *(_checked(moved, cell, replaced(vectors, top, x), one, assumed) for x, one in both)
        )
    given = table(tree, {"largest", "because", "then"})
    n = whole(given["largest"], len(top.parts) - 1)
    others = [part for m, part in enumerate(top.parts) if m != n]
    for other, proof in zip(others, listed(given["because"], len(others)), strict=True):
        used |= comparison.check_at_least(top.parts[n], other, proof, assumed)
    return used | _checked(moved, cell, replaced(vectors, top, top.parts[n]), given["then"], assumed)
