"""Whether two distributions are as close as a guarantee promises: shown, broken by an event, or undecided.

P is the distribution at D, Q that at D'; both orders of a pair must be asked about.  The promise is
for all allowed values of the parameters, and one value at which it fails breaks it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from fractions import Fraction

from dpcompose.kernel.core.orders import Orders
from dpcompose.kernel.deciders.calculus import exponentials
from dpcompose.kernel.deciders.calculus.exponentials import NotDecided, Point, Value, divided
from dpcompose.kernel.deciders.calculus.signs import is_at_least
from dpcompose.kernel.deciders.curves import normal
from dpcompose.kernel.deciders.tables import divergences, entries
from dpcompose.kernel.deciders.tables.divergences import INFINITE, Event, Row
from dpcompose.kernel.deciders.tables.entries import NotExponential
from dpcompose.kernel.deciders.tables.orders import BOUNDS, Bound
from dpcompose.kernel.expressions import substitution
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.intervals import Interval, enclosure, log, sign
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term

WHOLE_ORDERS = (2, 3)
"""The Rényi orders at which zero-concentrated privacy is refuted where there are parameters: moments are
polynomials of growing degree."""

BITS = 192
"""With how many binary digits it is told how much a promise is broken."""

MOST_DIGITS = 70
"""To how many digits probabilities are compared with those of normal distributions."""

MOST_FACTORS = 1_000
"""Up to which power a ratio is raised so that it can be compared with whole powers."""

Values = Mapping[str, Term]


@frozen
class Broken:
    """What breaks a promise: an event by its outcomes, in words how, and values of the parameters.

    order -- of divergences the one that is too large; then there is no event.
    """

    event: Event
    words: str
    point: Point = field(default_factory=dict)
    order: Fraction | None = None


def broken(notion: str, P: Row, Q: Row, promised: Values, orders: Orders | None = None) -> Broken | None:
    """What breaks a notion's promise with these parameters; None where it is shown to be kept.

    orders -- of divergences those of which they are spoken.

    Raises NotDecided where neither is found, and for a notion of which nothing is known here.

    >>> from dpcompose.kernel.expressions import terms
    >>> P, Q = [Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 4), Fraction(3, 4)]
    >>> broken("pure", P, Q, {"epsilon": terms.log(terms.number(2))})
    >>> broken("pure", P, Q, {"epsilon": terms.number(Fraction(1, 2))}).event
    (0,)
    """
    if any(value.kind == "oo" for value in promised.values()):
        return None
    if notion in CHECKED:
        return CHECKED[notion](P, Q, promised)
    if notion not in BOUNDS:
        raise NotDecided(f"no table is checked for {notion} privacy; {', '.join({**CHECKED, **BOUNDS})} are")
    return _diverging(P, Q, BOUNDS[notion](promised, orders))


def _has_letters(P: Row, Q: Row, promised: Values) -> bool:
    return bool(exponentials.letters(*P, *Q) or any(value.letters for value in promised.values()))


def _diverging(P: Row, Q: Row, bound: Bound) -> Broken | None:
    """The order at which a bound on divergences is exceeded."""
    found = bound.broken(P, Q)
    if found is None:
        return None
    order, point = found
    limit = ", ".join(map(to_text, bound.at(order)))
    return Broken((), f"the Rényi divergence of order {order} is above {limit}", point, order)


def _powers(epsilon: Term) -> list[Value]:
    """e^ε; where ε is a maximum, that of each of its terms."""
    if epsilon.kind == "top" and epsilon.of[0] == 1:
        return [entries.power(part) for part in epsilon.parts]
    return [entries.power(epsilon)]


def _exceeds(value: Value, limits: Sequence[Value]) -> Point | None:
    """A point at which a value is above the largest of the limits; None where it never is."""
    points: list[Point] = []
    reason = ""
    for limit in limits:
        try:
            point = is_at_least(limit, value)
        except NotDecided as error:
            reason = str(error)
            continue
        if point is None:
            return None
        points.append(point)
    for point in points:
        full = {name: _allowed_value(domain) for name, domain in exponentials.letters(value, *limits).items()}
        full |= point
        here, *there = (exponentials.value_at(x, full) for x in (value, *limits))
        if all(is_at_least(limit, here) is not None for limit in there):
            return point if len(limits) == 1 else full
    raise NotDecided(reason or "it depends on the parameters which term of a maximum is the largest")


def _allowed_value(domain: Domain) -> Fraction:
    """An allowed value."""
    least = domain.least or Fraction(0)
    return next(x for x in (Fraction(1), least + 1, least + Fraction(1, 2), least) if domain.contains(x))


def _pure(P: Row, Q: Row, promised: Values) -> Broken | None:
    """P(o) ≤ e^ε·Q(o) for each outcome o."""
    powers = _powers(promised["epsilon"])
    words = f"which is more than exp({to_text(promised['epsilon'])}) times as much"
    return _first(
        ((o,), p, [t * q for t in powers], words) for o, (p, q) in enumerate(zip(P, Q, strict=True)) if p != 0
    )


def _approximate(P: Row, Q: Row, promised: Values) -> Broken | None:
    """P(S) ≤ e^ε·Q(S) + δ for the events S that may be worst."""
    epsilon, delta = promised["epsilon"], promised["delta"]
    powers = _powers(epsilon)
    try:
        more = entries.read(delta)
    except NotExponential as error:
        raise NotDecided(str(error)) from None
    words = f"which is more than exp({to_text(epsilon)}) times as much and {to_text(delta)} in addition"
    events = dict.fromkeys(
        event for event in ((), *(excess.event for t in powers for excess in divergences.excesses(P, Q, t)))
    )
    totals = ((S, divergences.total(P, S), divergences.total(Q, S)) for S in events)
    return _first((S, p, [t * q + more for t in powers], words) for S, p, q in totals)


def _first(
    inequalities: Iterator[tuple[Event, Value, Sequence[Value], str]],
) -> Broken | None:
    """The first of some inequalities value ≤ max(limits) that fails; all are looked at before giving up."""
    undecided: NotDecided | None = None
    for event, value, limits, words in inequalities:
        try:
            point = _exceeds(value, limits)
        except NotDecided as error:
            undecided = error
            continue
        if point is not None:
            return Broken(event, words, point)
    if undecided is not None:
        raise undecided
    return None


def _zcdp(P: Row, Q: Row, promised: Values) -> Broken | None:
    """D_α(P‖Q) ≤ ρ·α for all α > 1: shown from the largest ratio, or by divergences."""
    rho = promised["rho"]
    for ratio in (*divergences.ratios(P, Q), *divergences.ratios(Q, P)):
        if ratio.value is INFINITE:
            return Broken(ratio.event, "which is impossible at one of the two, and no rho allows that")
    if shows_all_zcdp(P, Q, rho):
        return None
    if not _has_letters(P, Q, promised):
        return _diverging(P, Q, BOUNDS["zcdp"](promised, None))
    for order in WHOLE_ORDERS:
        with suppress(NotDecided):
            found = divergences.moment(P, Q, order).value
            assert found is not INFINITE
            point = _exceeds(found, [entries.power(rho * order * (order - 1))])
            if point is not None:
                words = f"the Rényi divergence of order {order} is above {to_text(rho * order)}"
                return Broken((), words, point, Fraction(order))
    raise NotDecided("the pure loss does not show it, and none of the Rényi orders that are tried refutes it")


def shows_all_zcdp(P: Row, Q: Row, rho: Term) -> bool:
    """Whether the ratios of two rows show ρ-zCDP of these, and of all rows with no larger ratios."""
    ratios = [*divergences.ratios(P, Q), *divergences.ratios(Q, P)]
    return all(ratio.value is not INFINITE and _shows_zcdp(ratio.value, rho) for ratio in ratios)


def _shows_zcdp(ratio: Value | None, rho: Term) -> bool:
    """Whether a largest ratio e^ε shows ρ-zCDP.

    ε-DP implies ε·tanh(ε/2)-zCDP, with equality for randomized response, and ε·tanh(ε/2) ≤ ε²/2; it
    increases with ε ≥ 0, so ratios below 1 show nothing and need not.
    """
    assert ratio is not None
    try:
        if isinstance(ratio, Fraction):
            return _number_shows_zcdp(ratio, rho)
        single = ratio.n.single if ratio.d.single is not None else None
        if single is None or single[1] != 1:
            return False
        exponent, r = single[0], rho.number
        if (epsilon := exponent.number) is not None and r is not None:
            # ρ·(e^ε + 1) ≥ ε·(e^ε − 1)
            more, less = ratio + Fraction(1), ratio - Fraction(1)
            return epsilon < 0 or is_at_least(r * more, epsilon * less) is None
        if (-exponent).nonnegative:
            return True
        half = substitution.expanded(exponent * exponent / 2)
        return exponent.nonnegative and substitution.expanded(rho - half).nonnegative
    except NotDecided:
        return False


def _number_shows_zcdp(ratio: Fraction, rho: Term) -> bool:
    """The same for a rational ratio."""
    if ratio == 1:
        return rho.nonnegative
    if ratio < 1:
        return True
    # ρ ≥ log R·(R − 1)/(R + 1), and log R ≤ R − 1
    if rho.number is not None and rho.number >= (ratio - 1) ** 2 / (ratio + 1):
        return True
    # for R = n/d: e^(ρ·(n + d)·m/(n − d)) ≥ R^m; whole exponents, m = n − d, keep roots out
    gap = ratio.numerator - ratio.denominator
    m = gap if gap <= MOST_FACTORS else 1
    enough = entries.power(rho * Fraction((ratio.numerator + ratio.denominator) * m, gap))
    return is_at_least(enough, ratio**m) is None


def _gaussian(P: Row, Q: Row, promised: Values) -> Broken | None:
    """P(S) ≤ Φ(Φ⁻¹(Q(S)) + μ) for the events S with the largest P/Q, which decide it for all events.

    Between two of these events the trade-off function is linear, and that of N(0, 1) and N(μ, 1) convex.
    """
    mu = promised["mu"]
    words = f"and an event that is so likely under N(0, 1) is less likely under N({to_text(mu)}, 1)"
    undecided: NotDecided | None = None
    if not mu.nonnegative and (mu.letters or sign(mu) != 1):
        if mu.letters or sign(mu) != -1:
            raise NotDecided(f"{to_text(mu)} is not known to be at least 0")
        return Broken((), words)
    for event in divergences.nested_events(P, Q):
        p, q = divergences.total(P, event), divergences.total(Q, event)
        if is_at_least(q, p) is None:
            continue
        if q == 0 or p == 1:
            return Broken(event, words)
        if mu.letters or exponentials.letters(p, q):
            undecided = NotDecided("Gaussian privacy is decided for tables without parameters")
        else:
            above = _is_above_normal(p, q, mu)
            if above:
                return Broken(event, words)
            if above is None:
                undecided = NotDecided(f"mu is too close to the least one to tell by {MOST_DIGITS} digits")
    if undecided is not None:
        raise undecided
    return None


def _is_above_normal(p: Value, q: Value, mu: Term) -> bool | None:
    """Whether p > Φ(Φ⁻¹(q) + μ), for numbers in (0, 1); None where it is not known."""
    for digits in (15, 30, MOST_DIGITS):
        bits = digits * 10 // 3
        interval = normal.quantile(exponentials.enclosed(q, digits), bits)
        if interval is None:
            return None
        here = exponentials.enclosed(p, digits)
        limit = normal.distribution(interval + enclosure(mu, bits), bits)
        if here.low > limit.high:
            return True
        if here.high <= limit.low:
            return False
    return None


CHECKED: Mapping[str, Callable[[Row, Row, Values], Broken | None]] = {
    "pure": _pure,
    "approximate": _approximate,
    "zcdp": _zcdp,
    "gaussian": _gaussian,
}
"""By a notion's name, as on its rule page, how its promise is checked."""


# how much a promise is broken


Measured = tuple[str, Interval, Interval | None]
"""What is compared, in words; what is promised of it; and what it is, None: ∞."""


def measured(notion: str, P: Row, Q: Row, promised: Values, broken: Broken) -> Measured | None:
    """What breaks a promise in numbers, for rows and parameters that are numbers; None where it is none."""
    p, q = (divergences.total(row, broken.event) for row in (P, Q))
    if broken.order is not None:
        return _measured_order(P, Q, broken.order, promised, notion)
    if not broken.event or notion not in MEASURED:
        return None
    return MEASURED[notion](p, q, promised)


def _measured_order(P: Row, Q: Row, order: Fraction, promised: Values, notion: str) -> Measured:
    bound = BOUNDS[notion](promised, Orders.read(str(order)))
    limits = [enclosure(part, BITS) for part in bound.at(order) if part.kind != "oo"]
    least = min(limits, key=lambda one: one.high)
    moment = divergences.moment_enclosure(P, Q, order, MOST_DIGITS)
    actual = None if moment is None else log(moment, BITS) * Interval.of(1 / (order - 1))
    return f"divergence of order {order}", least, actual


def _measured_ratio(p: Value, q: Value, promised: Values) -> Measured:
    ratio = None if q == 0 else exponentials.enclosed(divided(p, q), MOST_DIGITS)
    return "loss", enclosure(promised["epsilon"], BITS), None if ratio is None else log(ratio, BITS)


def _measured_excess(p: Value, q: Value, promised: Values) -> Measured:
    t = exponentials.enclosed(_powers(promised["epsilon"])[0], MOST_DIGITS)
    here, there = (exponentials.enclosed(one, MOST_DIGITS) for one in (p, q))
    return "delta", enclosure(promised["delta"], BITS), here - t * there


def _measured_event(p: Value, q: Value, promised: Values) -> Measured | None:
    interval = None if q == 0 else normal.quantile(exponentials.enclosed(q, MOST_DIGITS), BITS)
    if interval is None:
        return None
    limit = normal.distribution(interval + enclosure(promised["mu"], BITS), BITS)
    return "probability of an event", limit, exponentials.enclosed(p, MOST_DIGITS)


MEASURED: Mapping[str, Callable[[Value, Value, Values], Measured | None]] = {
    "pure": _measured_ratio,
    "approximate": _measured_excess,
    "gaussian": _measured_event,
}
"""By a notion's name what an event shows in numbers."""
