"""What budgets add up to, and what mechanisms of a counterexample return, as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import sympy

from dpcompose.front.drawings.frames import NO_MATPLOTLIB, Picture
from dpcompose.front.studies import numbers
from dpcompose.privacy.problems import Claim

if TYPE_CHECKING:
    from dpcompose.front.documents.verdict import Verdict
    from dpcompose.front.studies.study import Study


OUTCOMES = (("#56b4e9", "//"), ("#e69f00", ".."))
"""Colour and hatching of probabilities: at D, at D'."""
BARS = (("#56b4e9", "//"), ("#009e73", ""), ("#e69f00", ".."))
"""Colour and hatching of bars: the sum, the bound, the claims."""


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


def outcome_bars(verdict: Verdict) -> Picture:
    """What the mechanisms of a counterexample return: the probability of each outcome, at D and at D'.

    verdict -- a refuted one.  The outcomes with the ratios that add up to the loss are those of
    `counterexample.outputs`; a mechanism with noise has none to draw.  Raises ValueError where none has.

    >>> import dpcompose as dpc
    >>> study = dpc.compose(dpc.mechanism("M", dpc.pure("e")), on=dpc.multisets(), target="unbounded")
    >>> outcome_bars(study.check("e/2"))
    probability of the outcomes at D = {x} and D' = {}: M loses 1
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError(NO_MATPLOTLIB) from None
    found = verdict.counterexample
    outputs = [] if found is None else [one for one in found.outputs if one.at_D]
    if found is None or not outputs:
        raise ValueError(f"{verdict!r} has no mechanisms with single outcomes to draw")
    D, E = map(found.databases.printed, found.pair)
    figure = Figure(figsize=(1.5 + 2.5 * len(outputs), 3.2))
    for at, one in enumerate(outputs, start=1):
        axes = figure.add_subplot(1, len(outputs), at)
        for n, (where, shares) in enumerate(((f"D = {D}", one.at_D), (f"D' = {E}", one.at_E))):
            colour, hatch = OUTCOMES[n]
            places = [x + 0.4 * n - 0.2 for x in range(len(shares))]
            look: dict[str, Any] = {"color": colour, "hatch": hatch, "edgecolor": "black", "label": where}
            axes.bar(places, [float(p) for p in shares.values()], width=0.4, **look)
        axes.set_xticks(range(len(one.at_D)), list(one.at_D), parse_math=False)
        axes.set_title(f"{one.name} loses {one.loss}", fontsize=10, parse_math=False)
        axes.set_ylim(0, 1)
    for text in figure.axes[-1].legend(fontsize=9).get_texts():
        text.set_parse_math(False)
    figure.tight_layout()
    said = ", ".join(f"{one.name} loses {one.loss}" for one in outputs)
    return Picture(lambda: figure, f"probability of the outcomes at D = {D} and D' = {E}: {said}")
