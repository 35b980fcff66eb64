"""What budgets add up to, and what mechanisms of a counterexample return, as bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dpcompose.front.drawings.frames import Picture
from dpcompose.front.drawings.marks import Box, Mark, Path, Place, Sheet, Words, signs, width_of
from dpcompose.front.numbers import numbers
from dpcompose.language import formulas
from dpcompose.privacy.problems import Claim
from dpcompose.proof.counterexamples import densities

if TYPE_CHECKING:
    import sympy

    from dpcompose.front.documents.verdict import Verdict
    from dpcompose.front.studies.study import Study


OUTCOMES = ("#56b4e9", "#ffffff")
"""Fills of probabilities: at D, at D'."""
BARS = ("#d9d9d9", "#737373", "#ffffff")
"""Fills of bars: the sum, the bound, the claims."""
LONG, THICK, ROW = 240, 18, 28
"""How long the longest bar is, how thick a bar, and how far apart they are."""


def budget_bars(study: Study, values: Mapping[Any, object], claims: Sequence[Claim] = ()) -> Picture:
    """Bars at given values of the parameters: what all mechanisms add up to, the bound, and claims.

    The first is what the notion's rule gives if every input moves by one step, as in sequential
    composition; it is no bound where inputs move further, and left out where guarantees are of other notions
    than the bound.  values -- numbers for all parameters.

    Raises WrongValue where a parameter has no value.

    study -- a composition for neighbours; claims -- those of a file.

    >>> import dpcompose as dpc
    >>> M, N = (dpc.mechanism(x, dpc.pure(f"e_{x}"), reads={x}, domain="common") for x in "ab")
    >>> study = dpc.compose(M, N, on=dpc.multisets({"a", "b"}), target="unbounded")
    >>> budget_bars(study, {"e_a": 1, "e_b": 2})
    bars of all added up epsilon = 3; the bound epsilon = 2
    """
    rows = _bars(study, values, claims)
    where = ", ".join(f"{name} = {value}" for name, value in values.items())
    head = [study.setting.title or repr(study), f"at {where}"]
    marks: list[Mark] = [Words(signs(line), (12, 18 * n + 18)) for n, line in enumerate(head)]
    left, y = 24 + max(width_of(words) for words, _, _ in rows), 48.0
    for key in study.judge.for_neighbours("bars of budgets").bound.values:
        marks += _rows(key, [(words, exact[key], BARS[kind]) for words, exact, kind in rows], (left, y))
        y += ROW * len(rows) + 34
    said = "; ".join(f"{words} {numbers.listed(exact)}" for words, exact, _ in rows)
    long = [width_of(numbers.shown(value)) for _, exact, _ in rows for value in exact.values()]
    wide = max(left + 1.15 * LONG + max(long) + 24, *(width_of(line) + 24 for line in head))
    return Picture(Sheet(wide, y, signs(head[0]), marks), f"bars of {said}")


def _rows(key: str, rows: Sequence[tuple[str, sympy.Expr, str]], place: Place) -> Iterator[Mark]:
    """One parameter: its bars beside their words and values; infinity is longer than all."""
    (left, top), bottom = place, place[1] + ROW * len(rows)
    lengths = [None if value.is_infinite else float(value) for _, value, _ in rows]
    longest = max([x for x in lengths if x is not None], default=0.0) or 1.0
    for n, ((words, value, fill), length) in enumerate(zip(rows, lengths, strict=True)):
        y, wide = top + ROW * n, LONG * (1.15 if length is None else length / longest)
        yield Words(words, (left - 8, y + 17), "end")
        yield Box(left, y + 4, wide, THICK, fill)
        yield Words("∞" if length is None else numbers.shown(value), (left + wide + 6, y + 17))
    yield Path([(left, top), (left, bottom)])
    yield Words(key, (left, bottom + 16))


def _bars(
    study: Study, values: Mapping[Any, object], claims: Sequence[Claim]
) -> list[tuple[str, dict[str, sympy.Expr], int]]:
    bound = study.judge.for_neighbours("bars of budgets").bound
    rows = [("the bound", numbers.at(bound, values), 1)]
    if {mechanism.satisfies.notion for mechanism in bound.setting.mechanisms} == {bound.guarantee.notion}:
        rows.insert(0, ("all added up", numbers.composed(bound, values), 0))
    for n, claim in enumerate(claims, start=1):
        if claim.guarantee.notion == bound.guarantee.notion:
            claimed = numbers.at(bound, values, dict(claim.guarantee.values))
            rows.append((f"claim {n} ({study.check(claim).verdict})", claimed, 2))
    for words, exact, _ in rows:
        for value in exact.values():
            if left := sorted(map(str, value.free_symbols)):
                raise numbers.WrongValue(f"{words}: no value is given for {', '.join(left)}")
    return rows


def outcome_bars(verdict: Verdict) -> Picture:
    """What the mechanisms of a counterexample return: the probability of each outcome, at D and at D'.

    verdict -- a refuted one.  The outcomes with the ratios that add up to the loss are those of
    `counterexample.outputs`; of noise both densities are drawn, in the first entry that differs.  Raises
    ValueError where there is neither.

    >>> import dpcompose as dpc
    >>> study = dpc.compose(dpc.mechanism("M", dpc.pure("e")), on=dpc.multisets(), target="unbounded")
    >>> outcome_bars(study.check("e/2"))
    probability of the outcomes at D = {x} and D' = {}: M loses 1
    """
    counterexample = verdict.counterexample
    outputs = (
        [] if counterexample is None else [one for one in counterexample.outputs if one.at_D or one.spread]
    )
    if counterexample is None or not outputs:
        raise ValueError(f"{verdict!r} has no mechanisms with single outcomes to draw")
    D, E = map(counterexample.databases.printed, counterexample.pair)
    marks, x = list[Mark](), 48.0
    for output in outputs:
        title = signs(f"{output.name} loses {output.loss}")
        columns = list(_columns(output.at_D, output.at_E, x) if output.at_D else _curves(output.spread, x))
        marks += [Words(title, (x, 18)), *columns]
        x += (
            max(
                width_of(title),
                *(width_of(outcome) + 8 for outcome in output.at_D),
                64 * len(output.at_D) or WIDE,
            )
            + 40
        )
    for share in (0, 0.5, 1):
        y = FLOOR - TALL * share
        marks.insert(0, Path([(40, y), (x, y)], "#bbbbbb"))
        marks.append(Words(f"{share:g}", (34, y + 4), "end"))
    for n, where in enumerate((f"D = {D}", f"D' = {E}")):
        marks += [Box(x, 34 + 24 * n, 16, 14, OUTCOMES[n]), Words(where, (x + 24, 46 + 24 * n))]
    said = ", ".join(f"{output.name} loses {output.loss}" for output in outputs)
    words = f"probability of the outcomes at D = {D} and D' = {E}: {said}"
    return Picture(Sheet(x + 48 + width_of(max(D, E, key=len) + "D' = "), FLOOR + 36, words, marks), words)


FLOOR, TALL = 210, 170
"""Where columns stand, and how high a probability of 1 is."""


WIDE, POINTS, FAR = 200, 100, 4
"""How wide two densities are drawn, at how many points, and how many scales beyond the values."""


def _curves(spread: Any, left: float) -> Iterator[Mark]:
    """The densities of noise at D, dashed at D', as high as the higher one is."""
    import sympy

    alone = spread.alone()
    x, z, scale = (float(formulas.expression(one)) for one in (*alone.at_D, *alone.at_E, alone.noise.term))
    first, last = min(x, z) - FAR * scale, max(x, z) + FAR * scale
    y = [first + (last - first) * n / POINTS for n in range(POINTS + 1)]
    both, shown = (alone.density(True), alone.density(False)), densities.letters()["y"]
    high = [[float(density.xreplace({shown: sympy.Float(one)})) for one in y] for density in both]
    top = max(map(max, high))
    for n, (values, look) in enumerate(zip(high, ({"width": 2.0}, {"dashes": (5, 3)}), strict=True)):
        places = [(left + WIDE * k / POINTS, FLOOR - TALL * value / top) for k, value in enumerate(values)]
        yield Path(places, ("#0072b2", "#000000")[n], **look)  # type: ignore[arg-type]
    for at, words in (
        (left, f"{first:.3g}"),
        (left + WIDE / 2, f"density, at most {top:.2g}"),
        (left + WIDE, f"{last:.3g}"),
    ):
        yield Words(words, (at, FLOOR + 18), "middle")


def _columns(at_D: Mapping[str, object], at_E: Mapping[str, object], left: float) -> Iterator[Mark]:
    """The outcomes of a mechanism, for each a column at D and one at D'."""
    for n, outcome in enumerate(at_D):
        x = left + 64 * n
        for side, shares in enumerate((at_D, at_E)):
            high = TALL * float(shares[outcome])  # type: ignore[arg-type]
            yield Box(x + 22 * side, FLOOR - high, 22, high, OUTCOMES[side])
        yield Words(outcome, (x + 22, FLOOR + 18), "middle")
