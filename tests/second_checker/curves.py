"""The curve of independent pieces: δ at an ε, enclosed (certificates.md, Curves).

A piece with finitely many losses is a pair of distributions: each outcome has its loss, and its probabilities
p at one database and q at the other, q = p·e^(−loss).  What is infinitely large is lost.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

from second_checker import enclosures
from second_checker.enclosures import INF, End, Interval
from second_checker.normals import ONE, ZERO, clipped, concentrated, exact, less, normal
from second_checker.outcomes import NotRead

MOST = 200_000
GRID = 64
SMALL = Fraction(1, 2**120)


@dataclass(frozen=True)
class Outcome:
    """A loss, and how probable it is at the one database and at the other."""

    loss: Interval
    p: Interval
    q: Interval


@dataclass
class Pair:
    """Outcomes, and the probability that everything is lost."""

    outcomes: list[Outcome]
    lost: Interval


@dataclass
class Pieces:
    """All pieces of a type: canonical ones with how often they are there, and the others.

    `ways`: pairs and the square of normal noise that are there besides, in one of these ways.
    """

    canonical: dict[Any, tuple[Interval, Interval, int, int]] = field(default_factory=dict)
    ratios: list[Interval] = field(default_factory=list)
    more: list[Pair] = field(default_factory=list)
    ways: list[tuple[list[Pair], Interval]] = field(default_factory=list)
    square: Interval = ZERO
    rho: Interval = ZERO
    everything: bool = False

    def add(self, key: Any, epsilon: Interval, delta: Interval, steps: int, times: int) -> None:
        """Pieces by a guarantee in whole steps; those with one key are the same."""
        before = self.canonical[key][3] if key in self.canonical else 0
        self.canonical[key] = epsilon, delta, steps, before + times

    def each(self) -> list[Pieces]:
        """The pieces in each of the ways."""
        if not self.ways:
            return [self]
        return [
            replace(self, ways=[], more=[*self.more, *pairs], square=enclosures.plus(self.square, square))
            for pairs, square in self.ways
        ]

    @property
    def most(self) -> End:
        """What is lost at most with certainty: ∞ where more may be, however improbable that is."""
        every = self.canonical.values()
        if (
            self.everything
            or self.more
            or self.square[1]
            or self.rho[1]
            or any(delta != ZERO for _, delta, *_ in every)
        ):
            return INF
        losses = [Fraction(epsilon[1]) * steps * times for epsilon, _, steps, times in every]
        return sum([*losses, *(Fraction(high) for _, high in self.ratios)], Fraction(0))


class Curve:
    """The curve of some pieces, from above and from below.

    One Laplace noise alone is exact; beside others, its losses are moved to a grid, up and down.
    """

    def __init__(self, pieces: Pieces) -> None:
        self.pieces = pieces
        self.found: dict[Interval, Interval] = {}
        self.normal = bool(pieces.square[1] or pieces.rho[1])
        self.alone = len(pieces.ratios) == 1 and not self.normal
        if pieces.everything:
            self.pairs = [Pair([], ONE)]
        elif self.alone or not pieces.ratios:
            self.pairs = [together(pieces, pieces.more)]
        else:
            grids = [gridded(tuple(pieces.ratios), up) for up in (False, True)]
            self.pairs = [together(pieces, [*pieces.more, grid]) for grid in grids]

    def at(self, epsilon: Interval) -> Interval:
        """δ at ε: from above for all mechanisms with these pieces, from below for some."""
        if epsilon not in self.found:
            every = [self.enclosed(pair, epsilon) for pair in self.pairs]
            self.found[epsilon] = every[0][0], every[-1][1]
        return self.found[epsilon]

    def enclosed(self, pair: Pair, epsilon: Interval) -> Interval:
        """The mean over the outcomes of a pair."""
        total = pair.lost
        if self.normal or self.alone:
            for one in pair.outcomes:
                inner = self.inside(less(epsilon, one.loss))
                total = enclosures.plus(total, enclosures.times(one.p, inner))
            return clipped(total)
        factor = enclosures.exponential(epsilon)
        for one in pair.outcomes:
            low, high = less(one.p, enclosures.times(factor, one.q))
            if high > 0:
                total = enclosures.plus(total, (max(low, Fraction(0)), high))
        return clipped(total)

    def inside(self, x: Interval) -> Interval:
        """The curve at x of what has more than finitely many losses."""
        if self.alone:
            (a,) = self.pieces.ratios
            return laplace(a[0], x[1])[0], laplace(a[1], x[0])[1]
        square, rho = self.pieces.square, self.pieces.rho
        if rho[1] == 0:
            return normal(square, x)
        whole = square[0] + 2 * rho[0]
        low = normal((whole, whole), x)[0]
        return low, concentrated(Fraction(rho[1]) + Fraction(square[1]) / 2, Fraction(x[0]))


@lru_cache(maxsize=64)
def gridded(ratios: tuple[Interval, ...], up: bool) -> Pair:
    """Laplace noises with losses on one grid: at least (up) or at most what they lose (laplace-curve.md, 5 and 6)."""
    step = Fraction(max(high for _, high in ratios)) / GRID
    total = {0: ONE}
    for low, high in ratios:
        every = raised(step, -int(-high // step)) if up else lowered(step, int(low // step))
        found: dict[int, Interval] = {}
        for (i, x), (j, y) in product(total.items(), every.items()):
            found[i + j] = enclosures.plus(found.get(i + j, ZERO), enclosures.times(x, y))
        total = found
    outcomes = []
    for i, p in total.items():
        factor = enclosures.exponential(exact(-i * step))
        outcomes.append(Outcome(exact(i * step), p, enclosures.times(p, factor)))
    return Pair(outcomes, ZERO)


def raised(step: Fraction, n: int) -> dict[int, Interval]:
    """The losses in steps of the canonical noise of (step, 0) in n steps."""
    every, _ = steps_apart(exact(step), ZERO, n) if n else ([ONE], ZERO)
    return {2 * u - n: p for u, p in enumerate(every)}


def lowered(step: Fraction, n: int) -> dict[int, Interval]:
    """The losses in steps of Laplace noise whose outputs are rounded to steps."""
    if n == 0:
        return {0: ONE}
    q = enclosures.exponential(exact(-step))
    power = exact(Fraction(1, 2))
    found = {n: power}
    for k in range(n):
        found[n - 1 - 2 * k] = enclosures.times(power, less(ONE, q))
        power = enclosures.times(power, q)
    found[-n] = power
    return found


def laplace(a: End, x: End) -> Interval:
    """The curve of Laplace noise, with a for how far values lie apart."""
    if x >= a:
        return ZERO
    inner = x if x <= -a else (Fraction(x) - Fraction(a)) / 2
    return clipped(less(ONE, enclosures.exponential((inner, inner))))


def together(pieces: Pieces, more: list[Pair]) -> Pair:
    """All canonical pieces, and more pairs."""
    pairs = [times(*one) for one in pieces.canonical.values()] + more
    many = 1
    for pair in pairs:
        many *= len(pair.outcomes)
    if many > MOST:
        raise NotRead("curve", "of too many different losses")
    kept = ONE
    for pair in pairs:
        kept = enclosures.times(kept, less(ONE, pair.lost))
    if len(pairs) == 1:
        return pairs[0]
    return Pair(
        [joined(chosen) for chosen in product(*(p.outcomes for p in pairs))], clipped(less(ONE, kept))
    )


def joined(chosen: tuple[Outcome, ...]) -> Outcome:
    """Independent outcomes as one."""
    loss, p, q = ZERO, ONE, ONE
    for one in chosen:
        loss, p, q = enclosures.plus(loss, one.loss), enclosures.times(p, one.p), enclosures.times(q, one.q)
    return Outcome(loss, p, q)


@lru_cache(maxsize=8)
def times(epsilon: Interval, delta: Interval, steps: int, n: int) -> Pair:
    """So many canonical pieces that are alike; kept for the next curve of the same ones."""
    delta = clipped(delta)
    if steps == 1:
        return binomial(epsilon, delta, n)
    every, lost = steps_apart(epsilon, delta, steps)
    if n * steps > 2000:
        raise NotRead("curve", "of too many mechanisms that move by several steps")
    total = [ONE]
    for _ in range(n):
        total = convolved(total, every)
    kept = enclosures.power(less(ONE, lost), Fraction(n))
    outcomes = []
    for u, p in enumerate(total):
        whole = 2 * u - n * steps
        loss = enclosures.times(exact(whole), epsilon)
        factor = enclosures.exponential((-loss[1], -loss[0]))
        outcomes.append(Outcome(loss, p, enclosures.times(p, factor)))
    return Pair(outcomes, clipped(less(ONE, kept)))


def convolved(x: list[Interval], y: list[Interval]) -> list[Interval]:
    """The distribution of a sum."""
    total = [ZERO] * (len(x) + len(y) - 1)
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            total[i + j] = enclosures.plus(total[i + j], enclosures.times(a, b))
    return total


def steps_apart(epsilon: Interval, delta: Interval, r: int) -> tuple[list[Interval], Interval]:
    """p(0), …, p(r) of the losses (2u − r)·ε, and the probability of an infinite one."""
    up = enclosures.exponential(epsilon)
    down = enclosures.inverse(up)
    lost = ZERO
    for _ in range(r):
        straight = enclosures.plus(delta, enclosures.times(up, lost))
        other = less(ONE, enclosures.times(down, less(less(ONE, delta), lost)))
        lost = clipped((min(straight[0], other[0]), min(straight[1], other[1])))
    c = less(ONE, lost)
    b = [enclosures.times(less(ONE, delta), enclosures.inverse(enclosures.plus(ONE, up)))]
    for _ in range(r - 1):
        b.append(enclosures.times(down, less(b[-1], delta)))
    e = [ZERO]
    for u in range(r):
        low, high = b[r - 1 - u]
        e.append((min(c[0], max(low, Fraction(0))), min(c[1], max(high, Fraction(0)))))
    e.append(c)
    return [clipped(less(e[u + 1], e[u])) for u in range(r + 1)], lost


def binomial(epsilon: Interval, delta: Interval, n: int) -> Pair:
    """n pieces of one step: u of them lose ε and the others −ε.

    C(n, u)·e^(uε) is taken from its largest value outwards, as a multiple of that; what is left out at either
    end is less than a geometric series, and counts as lost from above.
    """
    up = enclosures.exponential(epsilon)
    down = enclosures.inverse(up)
    middle = int((n + 1) * Fraction(up[0]) / (1 + Fraction(up[0])))
    middle = min(max(middle, 0), n)
    weights, rest = outward(n, middle, up, down)
    low = sum((w[0] for w in weights.values()), Fraction(0))
    high = sum((w[1] for w in weights.values()), Fraction(0)) + rest
    kept = enclosures.power(less(ONE, delta), Fraction(n)) if n < 5000 else large_power(less(ONE, delta), n)
    share = enclosures.times(kept, enclosures.inverse((low, high)))
    outcomes = []
    factors = ratios(n, middle, epsilon, sorted(weights))
    for u, w in weights.items():
        p = between(w, share)
        loss = exact(2 * u - n)
        loss = enclosures.times(loss, epsilon)
        outcomes.append(Outcome(loss, p, between(p, factors[u])))
    left = enclosures.times((Fraction(0), rest), share)[1]
    lost = clipped(less(ONE, kept))
    return Pair(outcomes, clipped((lost[0], lost[1] + left)))


def large_power(x: Interval, n: int) -> Interval:
    """x^n for 0 ≤ x ≤ 1 and a large n, by squaring."""
    result = ONE
    while n:
        if n % 2:
            result = enclosures.times(result, x)
        x, n = enclosures.times(x, x), n // 2
    return result


def between(x: Interval, y: Interval) -> Interval:
    """x·y of intervals of numbers ≥ 0."""
    return enclosures.outward(x[0] * y[0], x[1] * y[1])


def outward(n: int, middle: int, up: Interval, down: Interval) -> tuple[dict[int, Interval], Fraction]:
    """C(n, u)·e^(uε) over its value in the middle, and what all that is left out is less than."""
    weights, rest = {middle: ONE}, Fraction(0)
    for way in (1, -1):
        u, w = middle, ONE
        while 0 <= u + way <= n:
            whole = Fraction(n - u, u + 1) if way > 0 else Fraction(u, n - u + 1)
            ratio = between(exact(whole), up if way > 0 else down)
            following = between(w, ratio)
            if following[1] < SMALL and ratio[1] < 1:
                rest += Fraction(following[1]) / (1 - Fraction(ratio[1]))
                break
            u, w = u + way, following
            weights[u] = w
    return weights, rest


def ratios(n: int, middle: int, epsilon: Interval, every: list[int]) -> dict[int, Interval]:
    """e^(−loss) for each number of pieces that lose ε."""
    loss = enclosures.times(exact(2 * middle - n), epsilon)
    twice = enclosures.times(exact(2), epsilon)
    found = {middle: enclosures.exponential((-loss[1], -loss[0]))}
    step = enclosures.exponential((-twice[1], -twice[0]))
    back = enclosures.exponential(twice)
    for u in range(middle + 1, every[-1] + 1):
        found[u] = between(found[u - 1], step)
    for u in range(middle - 1, every[0] - 1, -1):
        found[u] = between(found[u + 1], back)
    return found


__all__ = ["Curve", "Pieces"]
