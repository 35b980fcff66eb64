"""How much larger one metric can be than another: sensitivities of maps between metrics (GB Def. III.5).

Ratios at simple pairs, as formulas in the parameters, are what the sensitivity is at least; that their
largest is enough is proved like a claim, so the value is exact.  Pairs are along the coordinates, along
diagonals, along the rows of linear maps, and at the ends of intervals and of clipping.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import sympy

from dpcompose.language import exchange, formulas
from dpcompose.language.shown import Shown
from dpcompose.language.symbols import REAL, symbol
from dpcompose.language.worstcase import Top, largest
from dpcompose.language.writing import as_top
from dpcompose.proof.metrics.cells import NoForm
from dpcompose.search import comparing
from dpcompose.search.metrics.claims import Judge
from dpcompose.spaces.points import Euclid, Points, Values, letter

Point = dict[str, sympy.Expr]

MOST_PAIRS = 400
"""At how many pairs of points ratios are looked at."""
MOST_CORNERS = 40
"""How many points at ends of intervals are joined with each other."""
MOST_SIGNS = 6
"""Up to how many coordinates all diagonals are looked at."""


@dataclass(frozen=True, repr=False)
class MetricSensitivity(Shown):
    """The least Δ with moved ≤ Δ·over for all databases, as far as it is known.

    value -- exact, a formula in the parameters or oo, where `proved`; else what it is at least;
    pair -- two databases that attain it, coordinates by name, where that is the same for all parameters;
    certificate -- what shows that it is enough, as `certificates.check_everywhere` reads it.
    """

    value: sympy.Expr
    proved: bool
    pair: tuple[Mapping[str, str], Mapping[str, str]] | None
    certificate: Mapping[str, Any]
    reason: str = ""

    def __repr__(self) -> str:
        value = formulas.to_text(self.value)
        where = ""
        if self.pair is not None:
            ends = [", ".join(f"{name} = {x}" for name, x in one.items()) for one in self.pair]
            where = f", attained at ({ends[0]}) and ({ends[1]})"
        return f"{value}{where}" if self.proved else f"at least {value}{where}; {self.reason}"


def sensitivity(judge: Judge, moved: sympy.Expr, over: sympy.Expr) -> MetricSensitivity:
    """The least Δ with moved ≤ Δ·over, both formulas in the named metrics of a setting."""
    letters = judge.composition.letters
    if judge.composition.is_opaque(moved) or judge.composition.is_opaque(over):
        raise NoForm("of a metric that is known by a bound alone nothing is attained")
    upper, lower = letters.of(moved), letters.of(over)
    found: dict[sympy.Expr, tuple[Mapping[str, str], Mapping[str, str]] | None] = {}

    def look(D: Point, E: Point, differ: Mapping[sympy.Symbol, sympy.Expr]) -> sympy.Expr | None:
        values = dict(differ)
        for who, one in (("D", D), ("E", E)):
            values |= {letter(name, who): x for name, x in one.items()}
        for one, of in letters.differing.items():
            values[one] = sympy.Integer(int(_differ(judge, of, D, E, differ)))
        x, y = (_settled(judge, side.xreplace(values)) for side in (upper, lower))
        if x == 0 or x.has(Euclid) or y.has(Euclid):
            return None
        if y == 0:
            return sympy.oo if x.is_positive else None
        return _settled(judge, sympy.cancel(x / y) if not x.has(Top) and not y.has(Top) else x / y)

    counts = [one for cells in letters.cells.values() for cell in cells.cells for one in cell.counts]
    equal = dict.fromkeys(counts, sympy.Integer(0))
    some = [
        (D, E) for D, E in islice(_pairs(judge), MOST_PAIRS) if _is_inside(judge, D) and _is_inside(judge, E)
    ]
    for D, E in some:
        if (ratio := look(D, E, equal)) is not None:
            ends = [{name: formulas.to_text(value) for name, value in one.items()} for one in (D, E)]
            found.setdefault(ratio, (ends[0], ends[1]))
    for one in counts:  # one record more, or one position that differs
        D = some[0][0] if some else {}
        if (ratio := look(D, D, equal | {one: sympy.Integer(1)})) is not None:
            found.setdefault(ratio, None)
    if sympy.oo in found:
        return MetricSensitivity(sympy.oo, True, found[sympy.oo], {})
    value = _joined(judge, list(found))
    settled = judge.prover.prove(value * lower, upper)
    if isinstance(settled, str):
        return MetricSensitivity(value, False, found.get(value), {}, settled)
    return MetricSensitivity(value, True, found.get(value), settled)


def _joined(judge: Judge, ratios: list[sympy.Expr]) -> sympy.Expr:
    """The largest of ratios, of which those are kept that the others together do not exceed.

    Ratios with maxima or quotients of parameters are left out: others say the same, or the proof fails.
    """
    simple = [one for one in ratios if not one.has(Top) and _is_polynomial(one)]
    if not simple:
        return sympy.Integer(0)
    top = _largest(judge, simple)
    kept = list(top.terms) if isinstance(top, Top) else [top]
    domains = judge.setting.domains
    for one in list(kept):
        others = [other for other in kept if other != one]
        if others:
            more, less = (exchange.in_domains(x, domains) for x in (largest(*others), one))
            if isinstance(
                comparing.compare(more, less, to_prove=True, assumed=judge.setting.assume), comparing.Proof
            ):
                kept = others
    return largest(*kept)


def _is_polynomial(ratio: sympy.Expr) -> bool:
    return not any(one.exp < 0 and one.free_symbols for one in ratio.atoms(sympy.Pow))


def _pairs(judge: Judge) -> Iterator[tuple[Point, Point]]:
    """Pairs of points: from a corner along directions, then all corners, among them the ends of clipping."""
    setting = judge.setting
    intervals = setting.databases.intervals
    names = list(intervals)
    discs: dict[str, sympy.Expr] = {}
    for _, part in setting.databases.points:
        if part.disc is not None:
            discs |= dict.fromkeys(part.coordinates, part.disc)
    start, width = {}, {}
    for name, interval in intervals.items():
        low, high = interval.least, interval.greatest
        start[name] = low if low is not None else sympy.Integer(0) if high is None else high - 1
        width[name] = high - low if low is not None and high is not None else sympy.Integer(1)
    if discs:
        start |= {name: sympy.Integer(0) for name in discs}
        width |= {name: disc / 4 for name, disc in discs.items()}
    for direction in _directions(judge, names):
        back = any(step < 0 for step in direction.values())
        middle = {name: start[name] + (width[name] / 2 if back else 0) for name in names}
        moved = {name: middle[name] + direction.get(name, 0) * width[name] / 2 for name in names}
        yield middle, moved
    ends: dict[str, list[sympy.Expr]] = {}
    for name, interval in intervals.items():
        some = [one for one in (interval.least, interval.greatest) if one is not None]
        if name in discs:
            some = [sympy.Integer(0), discs[name] / 2, -discs[name] / 2]
        if interval.least is None or interval.greatest is None:
            some += [one for one in _constants(judge) if name not in discs]
        ends[name] = list(dict.fromkeys(some)) or [sympy.Integer(0), sympy.Integer(1)]
    corners = (dict(zip(names, x, strict=True)) for x in product(*ends.values()))
    inside = [one for one in islice(corners, MOST_PAIRS) if _is_inside(judge, one)][:MOST_CORNERS]
    yield from product(inside, repeat=2)


def _directions(judge: Judge, names: list[str]) -> Iterator[Point]:
    one = sympy.Integer(1)
    yield from ({name: one} for name in names)
    if len(names) <= MOST_SIGNS:
        for signs in product((1, -1), repeat=max(len(names) - 1, 0)):
            yield dict(zip(names, map(sympy.Integer, (1, *signs)), strict=True))
    for values in judge.setting.values.values():
        for entry in values.formulas or ():
            row = (
                {name: sympy.diff(entry, symbol(name, REAL)) for name in names} if not entry.has(Top) else {}
            )
            if row and all(x.is_Rational for x in row.values()) and any(row.values()):
                most = max(abs(x) for x in row.values())
                yield {name: x / most for name, x in row.items()}


def _constants(judge: Judge) -> list[sympy.Expr]:
    """The numbers and parameters that clipped values are compared with."""
    found: dict[sympy.Expr, None] = {sympy.Integer(0): None, sympy.Integer(1): None}
    for values in judge.setting.values.values():
        for entry in values.formulas or ():
            for top in sorted(entry.atoms(Top), key=str):
                for one in top.terms:
                    if all(str(x) in judge.setting.domains for x in one.free_symbols):
                        found |= {one: None, -one: None}
    return list(found)


def _is_inside(judge: Judge, point: Point) -> bool:
    """Whether a point belongs to the class for all values of the parameters, as far as signs show it."""
    inside: list[sympy.Expr] = []
    for _, part in judge.setting.databases.points:
        if part.disc is not None:
            inside.append(part.disc**2 - 4 * sympy.Add(*(point[x] ** 2 for x in part.coordinates)))
        for x, interval in zip(part.coordinates, part.box, strict=True):
            inside += [] if interval.least is None else [point[x] - interval.least]
            inside += [] if interval.greatest is None else [interval.greatest - point[x]]
    return all(_never_negative(judge, one) for one in inside)


def _differ(judge: Judge, of: Values, D: Point, E: Point, counts: Mapping[sympy.Symbol, sympy.Expr]) -> bool:
    """Whether two databases differ in some values, by their points and by how many records differ."""
    if of.parts:
        cells = judge.composition.letters.cells
        if any(
            counts[one] != 0
            for name in of.parts
            for cell in (cells[name].cells if name in cells else ())
            for one in cell.counts
        ):
            return True
        parts = [judge.setting.databases[name] for name in of.parts]
        return any(D[x] != E[x] for part in parts if isinstance(part, Points) for x in part.coordinates)
    at = [{symbol(name, REAL): x for name, x in one.items()} for one in (D, E)]
    entries = of.formulas or ()
    return any(sympy.expand(x.xreplace(at[0]) - x.xreplace(at[1])) != 0 for x in entries)


def _settled(judge: Judge, it: sympy.Expr) -> sympy.Expr:
    """A formula in the parameters, with maxima whose largest term is seen by its sign."""
    it = as_top(it)
    if it.is_Atom:
        return it
    parts = [_settled(judge, part) for part in it.args]
    if isinstance(it, Top) and it.args[0] == 1:
        return _largest(judge, parts[1:])
    if isinstance(it, Euclid):
        return sympy.sqrt(sympy.Add(*(part**2 for part in parts)))
    return it.func(*parts)


def _largest(judge: Judge, some: list[sympy.Expr]) -> sympy.Expr:
    """The largest of formulas, without those that another one is seen to be above."""
    kept: list[sympy.Expr] = []
    for one in dict.fromkeys(some):
        if not any(_never_negative(judge, other - one) for other in kept):
            kept = [other for other in kept if not _never_negative(judge, one - other)] + [one]
    return largest(*kept)


def _never_negative(judge: Judge, it: sympy.Expr) -> bool:
    return judge.setting.is_never_negative(as_top(sympy.expand(it)))
