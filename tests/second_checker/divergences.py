"""Two rows of probabilities, compared in the notions that are told by divergences, and by tests.

With ψ(α) = (α − 1)·D_α, which is convex and at most 0 at 1, D lies between two orders below the chord of ψ, over α − 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, lru_cache
from statistics import NormalDist
from typing import Any

from second_checker import enclosures, normals
from second_checker.algebra import Algebra
from second_checker.enclosures import INF, Interval
from second_checker.forms import Form, letters, made, rational
from second_checker.orders import ALPHA, Orders
from second_checker.outcomes import NotRead, demand

Row = list[Fraction]
DEPTH, LAST = 30, 2**20
ONE, ZERO = Fraction(1), Fraction(0)


def of_order(P: Row, Q: Row, alpha: Fraction) -> Interval:
    """The divergence of an order above 1."""
    return moment(tuple(sorted(ratios(P, Q).items())), alpha)


@lru_cache(maxsize=1024)
def moment(every: tuple[tuple[Any, Fraction], ...], alpha: Fraction) -> Interval:
    """The divergence of an order above 1, by the probabilities of all ratios."""
    total: Interval = (Fraction(0), Fraction(0))
    for ratio, p in every:
        if ratio == INF:
            return INF, INF
        power = enclosures.power((ratio, ratio), alpha - 1)
        total = enclosures.plus(total, enclosures.times((p, p), power))
    return enclosures.times(enclosures.logarithm(total), (1 / (alpha - 1), 1 / (alpha - 1)))


def ratios(P: Row, Q: Row) -> dict[Any, Fraction]:
    """How probable the outcomes of each ratio p/q are, at the first database."""
    found: dict[Any, Fraction] = {}
    for p, q in zip(P, Q, strict=True):
        if p:
            ratio = p / q if q else INF
            found[ratio] = found.get(ratio, Fraction(0)) + p
    return found


def largest(P: Row, Q: Row) -> Interval:
    """The logarithm of the largest ratio, which no divergence exceeds."""
    most = max(ratios(P, Q))
    return (INF, INF) if most == INF else enclosures.logarithm((most, most))


class Bound:
    """What a claim says of divergences: a formula in their order, for some orders."""

    def __init__(self, algebra: Algebra, claim: Any, values: dict[str, Form | None]) -> None:
        self.algebra, self.orders = algebra, Orders(ONE, INF, False, False)
        alpha = algebra.read(ALPHA) if ALPHA in algebra.domains or ALPHA in algebra.fixed else None
        first = values["epsilon" if claim["notion"] == "renyi" else "rho"]
        demand(first is not None, "a claim of oo")
        assert first is not None
        if claim["notion"] == "renyi":
            self.orders, self.form, self.times = Orders.read(claim["orders"]), first, False
        else:
            demand(alpha is None or bool(alpha), "an order that is none")
            self.form, self.times = first, True
        tau = rational(values["tau"]) if values.get("tau") is not None else Fraction(0)
        if tau is None or letters(self.form) - {ALPHA}:
            raise NotRead("table", "with parameters")
        if tau:
            demand(tau < 1, "no orders")
            self.orders = Orders(ONE, 1 / tau, False, False)

    def between(self, low: Fraction, high: Any) -> Interval:
        """What it says at least, and at most, of orders between two."""
        box = {"least": low} | ({} if high == INF else {"greatest": high})
        found = Algebra({ALPHA: box}).enclose(self.form, {ALPHA: low} if low == high else None)
        return enclosures.times(found, (low, high)) if self.times else found

    def above_chord(self, one: tuple[Fraction, Any], two: tuple[Fraction, Any]) -> bool:
        """Whether it is at least the chord of ψ over α − 1 between two orders with these divergences.

        A formula that is concave in α is at least its own chord; of others the least value is taken.
        """
        (a, x), (b, y) = one, two
        if y == INF:
            return False
        low, high = (self.between(e, e)[0] for e in (a, b)) if self.concave else [self.between(a, b)[0]] * 2
        if INF in (low, high) or -INF in (low, high):
            return low == high == INF
        steep = Fraction(high - low) / (b - a)
        rise = (Fraction(y) * (b - 1) - Fraction(x) * (a - 1)) / (b - a)

        def over(alpha: Fraction) -> Fraction:
            own = (alpha - 1) * (Fraction(low) + steep * (alpha - a))
            return own - Fraction(x) * (a - 1) - rise * (alpha - a)

        orders = [a, b]
        if steep > 0:  # where the difference is least
            flat = (rise - Fraction(low) + steep * (a + 1)) / (2 * steep)
            orders.append(min(max(flat, a), b))
        return all(over(alpha) >= 0 for alpha in orders)

    @property
    def concave(self) -> bool:
        """Whether the formula is seen to be concave: it is straight, but for minima of what is straight."""

        def straight(form: Form) -> bool:
            return all(
                not monomial
                or monomial == frozenset([(("letter", ALPHA), ONE)])
                or not letters(made([(monomial, factor)]))
                for monomial, factor in form
            )

        for monomial, factor in self.form:
            minimum = len(monomial) == 1 and factor < 0 and next(iter(monomial))[0][0] == "top"
            if minimum:
                ((a, p),) = monomial
                minimum = p == 1 and a[1] == 1 and all(straight(x) for x, _ in a[2])
            if not minimum and not straight(made([(monomial, factor)])):
                return False
        return not self.times or not letters(self.form)


def keep(P: Row, Q: Row, bound: Bound) -> bool:
    """Whether all divergences are seen to be at most a bound; refuses where it is not seen."""
    orders = bound.orders
    low, high = orders.low, orders.high
    if orders.only is not None:
        return decided(of_order(P, Q, low)[1], bound.between(low, low)[0], of_order(P, Q, low)[0], bound, low)
    if high == INF:
        most, end = largest(P, Q)[1], low + 1
        while most > bound.between(end, INF)[0]:
            if end > LAST:
                raise NotRead("table", "of which large orders are not seen")
            end *= 2
        high = end
    ends = {
        low: (ZERO, ZERO) if low == 1 else of_order(P, Q, low),
        Fraction(high): of_order(P, Q, Fraction(high)),
    }
    waiting = [(low, Fraction(high), 0)]
    while waiting:
        one, two, depth = waiting.pop()
        if ends[two][0] > bound.between(two, two)[1]:
            return False
        if bound.above_chord((one, ends[one][1]), (two, ends[two][1])):
            continue
        if depth > DEPTH:
            raise NotRead("table", "on which a claim lies")
        middle = (one + two) / 2
        ends[middle] = of_order(P, Q, middle)
        waiting += [(one, middle, depth + 1), (middle, two, depth + 1)]
    return True


def decided(high: Any, least: Any, low: Any, bound: Bound, alpha: Fraction) -> bool:
    """Whether a divergence is at most what is said of its order."""
    if high <= least:
        return True
    if low > bound.between(alpha, alpha)[1]:
        return False
    raise NotRead("table", "on which a claim lies")


def exceeds(P: Row, Q: Row, bound: Bound) -> bool:
    """Whether some divergence is seen to be above a bound: of some orders."""
    return any(of_order(P, Q, alpha)[0] > bound.between(alpha, alpha)[1] for alpha in some(bound.orders))


def some(orders: Orders) -> Iterator[Fraction]:
    """Some orders, close to 1 and large ones."""
    if orders.only is not None:
        yield orders.only
        return
    width = Fraction(64) if orders.high == INF else Fraction(orders.high) - orders.low
    for n in range(1, 160):
        yield orders.low + width * Fraction(n, 160) ** 2
    yield orders.low + width / 2**12


# -- tests -----------------------------------------------------------------------------------------------


def tests(P: Row, Q: Row, mu: Interval, seen: Callable[[Interval, Interval], bool]) -> list[bool]:
    """Of the events with the largest ratios: what is seen of P(S) and of Φ(t + μ), where Q(S) = Φ(t)."""
    ratios = sorted(zip(P, Q, strict=True), key=lambda one: one[0] / one[1] if one[1] else INF, reverse=True)
    p = q = Fraction(0)
    found = []
    for x, y in ratios:
        p, q = p + x, q + y
        if q == 0:
            found.append(seen((p, p), (Fraction(0), Fraction(0))))
        elif q < 1:
            low, high = quantile(q)
            above = normals.below(low + Fraction(mu[0]))[0], normals.below(high + Fraction(mu[1]))[1]
            found.append(seen((p, p), above))
    return found


@cache
def quantile(q: Fraction) -> tuple[Fraction, Fraction]:
    """Two numbers close to each other between which Φ takes a value: about where a float says, which is looked at."""
    near = Fraction(NormalDist().inv_cdf(min(max(float(q), 1e-300), 1 - 1e-16))).limit_denominator(2**32)
    for width in (Fraction(1, 2**28), Fraction(1, 2**12), Fraction(32)):
        low, high = near - width, near + width
        if normals.below(low)[1] <= q <= normals.below(high)[0]:
            return low, high
    raise NotRead("table", "with probabilities that are too small")
