"""Proofs by slopes: where coordinates are cut, and which function of those of a maximum is the largest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations, product
from typing import Any

from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.deciders.calculus import coordinates, elementary, values
from dpcompose.kernel.deciders.calculus.elementary import NotElementary
from dpcompose.kernel.expressions import formulas, naming, substitution, terms
from dpcompose.kernel.expressions.forms import NotAForm
from dpcompose.kernel.expressions.metrics import is_constant
from dpcompose.kernel.expressions.points import Ends
from dpcompose.kernel.expressions.terms import ZERO, Term, TermError
from dpcompose.kernel.rules import slopes
from dpcompose.kernel.rules.slopes import Cell, Moved, Vectors
from dpcompose.search.comparisons import comparing

MOST_KINKS = 6
"""How many places are looked for at which two functions of a coordinate are equal."""


def proof(setting: Setting, greater: Term, lesser: Term) -> dict[str, Any] | None:
    """What shows a comparison of distances by slopes, as the kernel reads it; None where nothing is found."""
    places, assumed = setting.databases.points, setting.assumed
    with suppress(NotAForm, TermError):
        moved = slopes.read(greater, lesser, assumed)
        ends = dict(coordinates.intervals(places))
        kinked = {name: some for name in ends if (some := kinks(moved.values, name, ends[name], setting))}
        for cuts in ({}, kinked) if kinked else ({},):
            made = slopes.cells(places, cuts, moved, assumed)
            trees = [_tree(moved, cell, cell.vectors, setting) for cell in made]
            if None not in trees:
                written = {name: [formulas.to_text(x) for x in some] for name, some in cuts.items()}
                return {"slopes": {"cuts": written, "cells": trees}}
    return None


def _tree(moved: Moved, cell: Cell, vectors: Vectors, setting: Setting) -> dict[str, Any] | None:
    """What bounds the slopes in a cell; None where nothing is found."""
    top = slopes.worst_case(vectors)
    if top is None:
        shown = [
            _shown(more, less, setting) for more, less in slopes.cases(moved, cell, vectors, setting.assumed)
        ]
        return None if None in shown else {"cases": shown}
    for n, part in enumerate(top.parts):
        others = (other for m, other in enumerate(top.parts) if m != n)
        because = [_shown(part, other, setting, efforts=1) for other in others]
        if None not in because:
            then = _tree(moved, cell, slopes.replaced(vectors, top, part), setting)
            return None if then is None else {"largest": n, "because": because, "then": then}
    each = [_tree(moved, cell, slopes.replaced(vectors, top, part), setting) for part in top.parts]
    return None if None in each else {"each": each}


def _shown(more: Term, less: Term, setting: Setting, efforts: int | None = None) -> Any:
    found = comparing.compare(more, less, efforts=efforts, to_prove=True, assumed=setting.assumed)
    return found.certificate if isinstance(found, comparing.Proof) else None


def special(setting: Setting) -> dict[str, list[Term]]:
    """Where values that distances are made of may be steepest, by coordinate: at kinks, and where the second
    derivative is 0."""
    formulas_of = [distance.formula for _, distance in setting.distances if distance.formula is not None]
    sizes = [top for term in formulas_of for top in term.every("top")] + formulas_of
    some = list[Term]()
    for size in dict.fromkeys(sizes):
        with suppress(NotAForm):
            some += [v for _, vector in (slopes.vector(size, setting.assumed),) for v in vector]
    every = coordinates.intervals(setting.databases.points)
    return {
        name: [x for find in (kinks, steepest) for x in find(some, name, ends, setting)]
        for name, ends in every
    }


def kinks(some: Sequence[Term], name: str, ends: Ends, setting: Setting) -> list[Term]:
    """Where functions of a coordinate are equal of which values are maxima, inside of its interval."""
    here = naming.at(name, "D")
    equal = (
        solution
        for top in dict.fromkeys(top for v in some for top in v.every("top"))
        for one, other in combinations(_smooth(top), 2)
        if _is_of(one - other, here)
        for solution in _zeros(one - other, here)
    )
    return _inside(equal, ends, setting)


def steepest(some: Sequence[Term], name: str, ends: Ends, setting: Setting) -> list[Term]:
    """Where functions of a coordinate may be steepest inside of its interval: the second derivative is 0."""
    here = naming.at(name, "D")
    smooth = (v for v in some if _is_of(v, here) and not v.has("top"))
    second = (_derivative(_derivative(v, here), here) for v in smooth)
    return _inside((x for term in second if here in term.letters for x in _zeros(term, here)), ends, setting)


def _derivative(term: Term, letter: str) -> Term:
    """The derivative by a letter; 0 where it is not known."""
    with suppress(NotElementary, NotAForm):
        f, box = values.goal(term)
        return values.to_term(elementary.derivative(f, letter), box) if letter in box else ZERO
    return ZERO


def _is_of(term: Term, letter: str) -> bool:
    """Whether a term depends on one letter, besides parameters."""
    return [x for x in term.letters if not is_constant(terms.letter(x))] == [letter]


def _inside(some: Iterable[Term], ends: Ends, setting: Setting) -> list[Term]:
    """Those that are seen to lie inside of an interval, in order."""
    found = list[Term]()
    for x in dict.fromkeys(some):
        low, high = ends
        inside = (low is None or _surely(x - low, setting)) and (high is None or _surely(high - x, setting))
        known = all(_surely(x - y, setting) or _surely(y - x, setting) for y in found)
        if inside and known and len(found) < MOST_KINKS:
            found.append(x)
    return sorted(found, key=lambda x: sum(_surely(x - y, setting) for y in found))


def _smooth(term: Term) -> Iterator[Term]:
    """The functions that a maximum of maxima may be."""
    tops = [top for part in term.parts for top in part.every("top")]
    if not tops:
        yield from term.parts
    for chosen in product(*(top.parts for top in tops)) if 0 < len(tops) <= 2 else ():
        put: Mapping[Term, Term] = dict(zip(tops, chosen, strict=True))
        yield from (substitution.changed(part, put.get) for part in term.parts)


def _zeros(term: Term, letter: str) -> Iterator[Term]:
    """The real zeros of a function of a letter: where it is linear, else as far as sympy finds them."""
    slope = _derivative(term, letter)
    if slope != ZERO and letter not in slope.letters:
        with suppress(TermError):
            yield substitution.expanded(-substitution.substituted(term, {letter: ZERO}) / slope)
        return
    import sympy

    from dpcompose.language import exchange

    with suppress(Exception):
        f = exchange.to_sympy(term)
        (x,) = (symbol for symbol in f.free_symbols if symbol.name == letter)
        yield from (exchange.of_sympy(zero) for zero in sympy.solve(f, x) if zero.is_real)


def _surely(term: Term, setting: Setting) -> bool:
    return values.surely(term, True, setting.assumed)
