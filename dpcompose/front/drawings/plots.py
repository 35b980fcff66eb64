"""Curves of privacy: the least δ at every ε and trade-off functions, of a bound and of what is claimed.

Nothing here decides anything: values are drawn as floating-point numbers, of curves that are enclosed
between rational ones, rounded to the side of less privacy.  Lines differ by their style, not only by colour.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from dpcompose.front.documents.verdict import Verdict
from dpcompose.front.drawings.charts import Axis, Chart, Trace
from dpcompose.front.drawings.frames import Picture
from dpcompose.front.numbers import numbers
from dpcompose.front.numbers.curve import NoCurve
from dpcompose.front.studies.specialised import specialised
from dpcompose.front.studies.study import Study
from dpcompose.kernel.deciders.curves.curves import Curve, Part
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.privacy.finite.tables import ProbabilityTable
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.problems import Claim
from dpcompose.search import least
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    import sympy

POINTS = 120
"""At how many ε and α a curve is drawn."""
SMALL_DELTA = 1e-2
"""Where a claimed δ above 0 is smaller, δ is drawn on a logarithmic scale."""
LEAST_DRAWN = 1e-12
"""The least δ that a logarithmic scale shows."""

STYLES: Sequence[tuple[str, Sequence[float], str]] = (
    ("#000000", (), ""),
    ("#0072b2", (9, 3), "■"),
    ("#d55e00", (2, 2), "▲"),
    ("#009e73", (9, 3, 2, 3), "◆"),
    ("#cc79a7", (5, 2, 2, 2, 2, 2), "▼"),
    ("#666666", (14, 4), "★"),
)
"""Colour, dashes and sign of the lines, one after the other."""

What = Study | Guarantee | ProbabilityTable
Claimed = Claim | Guarantee | Verdict
"""What is drawn as claimed; a verdict is not looked for again."""


@frozen
class Line:
    """One curve: what the legend calls it, δ as a function of ε ≥ 0, and what is marked on it.

    reach -- the ε from which on little happens; at -- the (ε, δ) that is claimed, if that is one point.
    """

    called: str
    delta: Callable[[Fraction], float]
    reach: float
    at: tuple[float, float] | None = None
    exactly: Callable[[float], float] | None = None
    """The trade-off function where it is known in closed form."""

    @cached_property
    def _grid(self) -> list[tuple[float, float]]:
        """Pairs (e^ε, δ(ε))."""
        steps = [Fraction(n, POINTS) * Fraction(self.reach) for n in range(POINTS + 1)]
        return [(_exp(float(epsilon)), self.delta(epsilon)) for epsilon in steps]

    def trade_off(self, alpha: float) -> float:
        """The least type II error at type I error α: by duality the largest of two lines for every ε."""
        if self.exactly is not None:
            return self.exactly(alpha)
        sides = (max(1 - d - t * alpha, (1 - d - alpha) / t) for t, d in self._grid)
        return max(0.0, *sides)


def privacy_curve(
    *what: What,
    claims: Iterable[Claimed] = (),
    at: Mapping[Any, object] | None = None,
    neighbours: Granularity | None = None,
) -> Picture:
    """δ(ε): the least δ with which what is given is (ε, δ)-DP, at every ε, beside what is claimed.

    what -- studies, guarantees, or tables of probabilities, whose neighbours are to be said; claims --
    guarantees, or verdicts on them, drawn each with a marker where it is (ε, δ); at -- numbers for all
    parameters.  Raises NoCurve for guarantees that have none, and WrongValue where a number is missing.

    >>> import dpcompose as dpc
    >>> two = dpc.compose(
    ...     dpc.mechanism("M1", dpc.pure(1, dpc.bounded)),
    ...     dpc.mechanism("M2", dpc.pure(1, dpc.bounded)),
    ...     on=dpc.multisets("ab"),
    ...     target=dpc.bounded,
    ... )
    >>> privacy_curve(two, claims=[dpc.approximate("3/2", "1/10")])
    delta at epsilon = 0, 1, 2: the bound 0.462, 0.338, 0; claim 1 (refuted) 0.672, 0.39, 0.1
    """
    lines = list(_lines(what, claims, at or {}, neighbours))
    chart = deltas(lines)
    step = max(1, math.floor(chart.x.high / 4))
    values = [Fraction(n * step) for n in range(3) if n * step <= chart.x.high]
    said = [f"{line.called} {', '.join(f'{line.delta(x):.3g}' for x in values)}" for line in lines]
    words = f"delta at epsilon = {', '.join(map(str, values))}: {'; '.join(said)}"
    return Picture(chart.sheet(words), words)


def deltas(lines: Sequence[Line]) -> Chart:
    """δ at every ε; on a logarithmic scale where a small one is claimed, at whose end δ = 0 stands."""
    reach = 1.1 * max(line.reach for line in lines)
    epsilons = [Fraction(n, POINTS) * Fraction(reach) for n in range(POINTS + 1)]
    logarithmic = any(line.at is not None and 0 < line.at[1] < SMALL_DELTA for line in lines)
    curves = [[(float(epsilon), line.delta(epsilon)) for epsilon in epsilons] for line in lines]
    least = min(y for ys in curves for _, y in ys if y >= LEAST_DRAWN) / 2 if logarithmic else 0.0
    marked = [line.at and (line.at[0], max(line.at[1], least)) for line in lines]
    axis = Axis("δ", least, 2, True) if logarithmic else Axis("δ", 0, max(y for ys in curves for _, y in ys))
    return Chart(
        Axis("ε", 0, float(reach)),
        axis,
        [
            Trace(line.called, points, colour, dashes, sign or "●" if at else "", at)
            for line, points, at, (colour, dashes, sign) in zip(
                lines, curves, marked, _styles(lines), strict=True
            )
        ],
    )


def trade_off_curve(
    *what: What,
    claims: Iterable[Claimed] = (),
    at: Mapping[Any, object] | None = None,
    neighbours: Granularity | None = None,
) -> Picture:
    """Trade-off functions: the least type II error of a test at every type I error α (GB Def. VI.17).

    A test sees the output and guesses which of two neighbours it came from; higher is more private, and
    1 − α is perfect privacy.  The arguments are those of `privacy_curve`.

    what -- studies, guarantees, or tables; claims -- further guarantees.  Raises TypeError for what has no
    curve, ValueError for parameters without a number.

    >>> import dpcompose as dpc
    >>> trade_off_curve(dpc.pure(1), dpc.gaussian(1))
    type II error at type I error 1/10, 1/4: pure (1) 0.728, 0.32; gaussian (1) 0.611, 0.372
    """
    lines = list(_lines(what, claims, at or {}, neighbours))
    said = [f"{line.called} {line.trade_off(0.1):.3g}, {line.trade_off(0.25):.3g}" for line in lines]
    words = f"type II error at type I error 1/10, 1/4: {'; '.join(said)}"
    return Picture(trade_offs(lines).sheet(words), words)


def trade_offs(lines: Sequence[Line]) -> Chart:
    """The least type II error at every type I error, above what perfect privacy has."""
    alphas = [n / POINTS for n in range(POINTS + 1)]
    curves = [Trace("perfect privacy", [(0, 1), (1, 0)], "#bbbbbb")]
    for line, (colour, dashes, sign) in zip(lines, _styles(lines), strict=True):
        points = [(alpha, line.trade_off(alpha)) for alpha in alphas]
        curves.append(Trace(line.called, points, colour, dashes, sign))
    return Chart(Axis("type I error", 0, 1), Axis("type II error", 0, 1), curves, wide=270)


def _styles(lines: Sequence[Line]) -> list[tuple[str, Sequence[float], str]]:
    return [STYLES[n % len(STYLES)] for n in range(len(lines))]


# what is drawn


def _lines(
    what: Sequence[What],
    claims: Iterable[Claimed],
    at: Mapping[Any, object],
    neighbours: Granularity | None,
) -> Iterable[Line]:
    if not what:
        raise TypeError("a study, guarantee or table is drawn")
    studies = [one for one in what if isinstance(one, Study)]
    for one in what:
        if isinstance(one, Study):
            yield from _of_study(one, at, len(studies) > 1)
        elif isinstance(one, ProbabilityTable):
            yield _of_table(one, neighbours)
        elif isinstance(one, Guarantee):
            yield _of_guarantee(one, str(one))
        else:
            raise TypeError(f"a study, guarantee or table has a curve, not {one!r}")
    for n, claim in enumerate(claims, start=1):
        verdict = ""
        if isinstance(claim, Verdict):
            verdict, claim = f" ({claim.verdict})", claim.claim
        elif len(studies) == 1:
            verdict = f" ({studies[0].check(claim).verdict})"
        stated = claim.guarantee if isinstance(claim, Claim) else claim
        if studies:
            values = numbers.at(studies[0].bound, at, dict(stated.values))
            stated = stated.with_values(tuple(values.items()))
        yield _of_guarantee(stated, f"claim {n}{verdict}")


def _exp(x: float) -> float:
    """e^x, and the largest power that is a number where that is none."""
    return math.exp(min(x, 700.0))


def _number(value: sympy.Expr) -> float:
    if value.free_symbols:
        missing = ", ".join(sorted(map(str, value.free_symbols)))
        raise numbers.WrongValue(f"a curve is drawn for numbers: no value is given for {missing}")
    return float(value)


def _of_guarantee(stated: Guarantee, called: str) -> Line:
    """The curve of all that a guarantee allows."""
    values = {key: _number(value) for key, value in stated.values}
    if math.inf in values.values():
        return Line(called, lambda _: 1.0, 0.0, None, lambda _: 0.0)
    if stated.notion == "gaussian":
        mu, normal = values["mu"], NormalDist()

        def delta(epsilon: Fraction) -> float:
            x = float(epsilon)
            if mu == 0:
                return 0.0
            return normal.cdf(mu / 2 - x / mu) - _exp(x) * normal.cdf(-mu / 2 - x / mu)

        def trade_off(alpha: float) -> float:
            return normal.cdf(normal.inv_cdf(1 - alpha) - mu) if 0 < alpha < 1 else 1.0 - alpha

        return Line(called, delta, _reach(dict(stated.values)), None, trade_off)
    if stated.notion not in ("pure", "approximate"):
        raise NoCurve(
            f"{called}: {stated.notion} privacy does not say how large delta is at each epsilon; pure, "
            "(epsilon, delta) and Gaussian guarantees do"
        )
    epsilon, least = values["epsilon"], values.get("delta", 0.0)
    part = Part(dict(stated.terms)["epsilon"], dict(stated.terms).get("delta", terms.ZERO))

    def exactly(alpha: float) -> float:
        t = _exp(epsilon)
        return max(0.0, 1 - least - t * alpha, (1 - least - alpha) / t)

    point = (epsilon, least) if stated.notion == "approximate" else (epsilon, 0.0)
    return Line(called, _above([Curve.of([part])]), epsilon, point, exactly)


def _above(curves: Sequence[Curve | None]) -> Callable[[Fraction], float]:
    """The largest δ of some curves, rounded up; 1 where there is none."""

    def delta(epsilon: Fraction) -> float:
        x = terms.number(epsilon)
        try:
            return max((1.0 if curve is None else float(curve.above(x)) for curve in curves), default=0.0)
        except ValueError as error:
            raise NoCurve(str(error)) from None

    return delta


def _of_study(study: Study, at: Mapping[Any, object], several: bool) -> Iterable[Line]:
    """The least δ where a page computes it, else the curve of the best guarantee."""
    bound = Study(specialised(study.judge.for_neighbours("a curve").bound, at), study.theory).bound
    called = f"{study.setting.title or 'study'}: " if several else ""
    curves = least.curves(bound.guarantees.shop, "approximate")
    values = dict(bound.values)
    if curves is None:
        said = Guarantee(bound.guarantee.notion, tuple(values.items()))
        yield _of_guarantee(said, f"{called}the bound")
        return
    yield Line(f"{called}the bound", _above(curves), _reach(values))


def _reach(values: Mapping[str, sympy.Expr]) -> float:
    """The ε up to which a curve is drawn: that of a guarantee, or where only a thousandth is left of δ."""
    if any(value.is_infinite for value in values.values()):
        return 0.0
    if "epsilon" in values:
        return _number(values["epsilon"])
    deviation = _number(values["mu"]) if "mu" in values else math.sqrt(2 * _number(values["rho"]))
    return deviation * (deviation / 2 + 3)


def _of_table(table: ProbabilityTable, neighbours: Granularity | None) -> Line:
    if neighbours is None:
        raise TypeError("say of which neighbours a table is drawn: neighbours=...")
    if table.domains:
        raise numbers.WrongValue(
            f"a curve is drawn for numbers: write table.at({{...}}) for {', '.join(table.domains)}"
        )
    loss = table.loss(neighbours).expression

    def delta(epsilon: Fraction) -> float:
        return float(table.delta(epsilon, neighbours).expression)

    return Line(repr(table), delta, 1.0 if loss.is_infinite else float(loss))
