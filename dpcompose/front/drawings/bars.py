"""What budgets add up to, as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import sympy

from dpcompose.front.drawings.pictures import NO_MATPLOTLIB, Picture
from dpcompose.front.studies import numbers
from dpcompose.privacy.problems import Claim

if TYPE_CHECKING:
    from dpcompose.front.studies.study import Study


BARS = (("#56b4e9", "//"), ("#009e73", ""), ("#e69f00", ".."))
"""Colour and hatching of bars: the sum, the bound, the claims."""


def budget_bars(study: Study, values: Mapping[Any, object], claims: Sequence[Claim] = ()) -> Picture:
    """Bars at given values of the parameters: what all mechanisms add up to, the bound, and claims.

    The first is what the notion's rule gives if every input moves by one step, as in sequential
    composition; it is no bound where inputs move further, and left out where guarantees are of other notions
    than the bound.  values -- numbers for all parameters.

    Raises WrongValue where a parameter has no value.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(NO_MATPLOTLIB) from None
    rows = _bars(study, values, claims)
    keys = list(study.judge.for_neighbours("bars of budgets").bound.values)
    figure = Figure(figsize=(7.0, 0.8 + len(keys) * (0.7 + 0.4 * len(rows))))
    for at, key in enumerate(keys):
        axes = figure.add_subplot(len(keys), 1, at + 1)
        lengths = [None if row[1][key] is sympy.oo else float(sympy.N(row[1][key])) for row in rows]
        longest = max([x for x in lengths if x is not None], default=0.0) or 1.0
        for y, ((_, exact, kind), x) in enumerate(zip(rows, lengths, strict=True)):
            colour, hatch = BARS[kind]
            wide = 1.15 * longest if x is None else x
            axes.barh(-y, wide, color=colour, hatch=hatch, edgecolor="black", height=0.6)
            label = numbers.shown(exact[key])
            axes.annotate(
                label, (wide, -y), xytext=(4, 0), textcoords="offset points", va="center", parse_math=False
            )
        axes.set_yticks([-y for y in range(len(rows))], [words for words, _, _ in rows], parse_math=False)
        axes.set_xlim(0, 1.9 * longest)
        axes.set_xlabel(key)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    where = ", ".join(f"{name} = {value}" for name, value in values.items())
    figure.suptitle(f"{study.setting.title or repr(study)}\nat {where}", fontsize=10, parse_math=False)
    figure.tight_layout()
    said = "; ".join(f"{words} {numbers.listed(exact)}" for words, exact, _ in rows)
    return Picture(lambda: figure, f"bars of {said}")


def _bars(
    study: Study, values: Mapping[Any, object], claims: Sequence[Claim]
) -> list[tuple[str, dict[str, sympy.Expr], int]]:
    bound = study.judge.for_neighbours("bars of budgets").bound
    rows = [("the bound", numbers.at(bound, values), 1)]
    if {one.satisfies.notion for one in bound.setting.mechanisms} == {bound.guarantee.notion}:
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
