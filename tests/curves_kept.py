"""What the kernel says of many curves and tables of probabilities, a letter for each; they are kept in tests/forged/curves.json.

The curves are of mechanisms drawn at random, and tables have random rows.  Whether what is said is true is asked elsewhere,
by hand and against enumeration: here that nothing else is said than before, neither closer nor less close.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Any

from in_letters import Asked, said

from dpcompose.kernel.core.orders import Orders
from dpcompose.kernel.deciders.calculus import roots
from dpcompose.kernel.deciders.curves import lattices, merging, normal, outcomes, pieces
from dpcompose.kernel.deciders.curves.curves import Curve, Part, Piece
from dpcompose.kernel.deciders.curves.equalities import is_least
from dpcompose.kernel.deciders.curves.keys import Appearing, Keyed
from dpcompose.kernel.deciders.curves.outcomes import Alike
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal
from dpcompose.kernel.deciders.curves.tradeoffs import Known, Together
from dpcompose.kernel.deciders.tables import divergences, promises
from dpcompose.kernel.deciders.tables.tables import Table
from dpcompose.kernel.expressions import formulas, intervals, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.intervals import Interval
from dpcompose.kernel.expressions.terms import ONE, Term

MANY = 48
"""How many curves and tables are drawn."""
PARTS = 4
"""In so many parts the curves are looked at."""
LETTERS = {"e": terms.letter("e"), "p": terms.letter("p", Domain.read("in (0,1)")), "n": terms.letter("n")}
BITS, POINTS = 40, 150


def number(text: str) -> Term:
    """A formula, mostly a number."""
    return formulas.parse(text, LETTERS)


EPSILONS = [number(text) for text in ("0", "1/2", "log(2)", "1", "log(3)", "2")]
DELTAS = [number(text) for text in ("0", "0", "1/100", "1/8")]


def pairs(draw: random.Random) -> tuple[tuple[Term, Term], ...]:
    """Some (ε, δ)."""
    return tuple((draw.choice(EPSILONS), draw.choice(DELTAS)) for _ in range(draw.randint(1, 3)))


def piece(draw: random.Random) -> Piece:
    """What is known of a mechanism or two."""
    epsilon, count = draw.choice(EPSILONS[1:]), draw.randint(1, 3)
    own = draw.choice([None, (1, 0), (1, 1), (0, 2)])
    some: list[Callable[[], Piece]] = [
        lambda: Part(epsilon, draw.choice(DELTAS), draw.randint(1, 3), count),
        lambda: Part(epsilon, draw.choice(DELTAS), 1, count),
        lambda: Normal(epsilon),
        lambda: Normal(draw.choice(DELTAS), epsilon / 10),
        lambda: Laplace(epsilon, count),
        lambda: Laplace(epsilon, count, middle=True),
        lambda: Together(pairs(draw), draw.randint(1, 2), count),
        lambda: Together(pairs(draw), 1, count, terms.number(Fraction(1, draw.randint(2, 5))), own),
        lambda: Together(pairs(draw), tail=Laplace(epsilon)),
        lambda: Known(tuple(zip(*(row(draw, 3) for _ in "PQ"), strict=True)), count),
        lambda: Appearing(epsilon, draw.randint(1, 3), draw.random() < 0.5, count),
        lambda: Keyed(epsilon, draw.randint(1, 2), draw.choice(EPSILONS[2:]), draw.random() < 0.5, 1),
    ]
    return draw.choice(some)()


def row(draw: random.Random, outcomes: int) -> tuple[Fraction, ...]:
    """Probabilities, of which one may be 0."""
    parts = [draw.randint(0 if n else 1, 5) for n in range(outcomes)]
    return tuple(Fraction(part, sum(parts)) for part in parts)


@cache
def curves() -> Sequence[Sequence[Piece]]:
    """Mechanisms that are composed."""
    draw = random.Random(5)
    return [[piece(draw) for _ in range(draw.choice((1, 1, 2, 3)))] for _ in range(MANY)]


def some_curves(n: int) -> Sequence[Sequence[Piece]]:
    """One part of them."""
    return curves()[n::PARTS]


@cache
def rows() -> Sequence[Sequence[tuple[Fraction, ...]]]:
    """The rows of tables, which are read at three databases."""
    draw = random.Random(6)
    return [[row(draw, n) for _ in "DEF"] for n in (draw.choice((2, 3)) for _ in range(MANY))]


@cache
def polynomials() -> Sequence[list[Fraction]]:
    """Polynomials, of which many have roots that are whole."""
    draw = random.Random(8)
    found = []
    for _ in range(MANY):
        one = [Fraction(draw.randint(-3, 3)) for _ in range(draw.randint(1, 4))] + [Fraction(1)]
        for root in (Fraction(draw.randint(0, 3)) for _ in range(draw.randint(0, 3))):
            one = [x - root * y for x, y in zip([Fraction(0), *one], [*one, Fraction(0)], strict=True)]
        found.append(one)
    return found


PARAMETERS = {
    "pure": ("epsilon",),
    "approximate": ("epsilon", "delta"),
    "zcdp": ("rho",),
    "gaussian": ("mu",),
    "renyi": ("epsilon",),
}
"""Notions that are promised of rows, and their parameters."""


def promised(notion: str) -> list[dict[str, Term]]:
    """What a notion may promise."""
    first = [{PARAMETERS[notion][0]: x} for x in EPSILONS]
    return [one | {"delta": DELTAS[-1]} for one in first] if notion == "approximate" else first


def kept(table: Sequence[Sequence[Fraction]], notion: str) -> list[str]:
    """Which promises two rows keep, and what is said of those that they break."""
    P, Q = table[:2]
    orders = Orders.read("2") if notion == "renyi" else None

    def judged(values: Mapping[str, Term]) -> Any:
        broken = promises.broken(notion, P, Q, values, orders)
        return None if broken is None else (broken, promises.measured(notion, P, Q, values, broken))

    return [said(partial(judged, values)) for values in promised(notion)]


def checked(table: Sequence[Sequence[Fraction]], notion: str) -> list[str]:
    """What is found of a table of which each two rows are promised something."""
    whole = Table.of({name: tuple(map(terms.number, row)) for name, row in zip("DEF", table, strict=True)})
    every = [("D", "E"), ("E", "F"), ("D", "F"), ("F", "F")]
    orders = Orders.read("(1, 4]") if notion == "renyi" else None
    pairs = [[(*both, values) for both in every] for values in promised(notion)]
    return [said(partial(whole.check, notion, one, orders)) for one in pairs]


def composed(some: Sequence[Piece], ask: Callable[[Curve, Term], Any], adaptive: bool = False) -> list[str]:
    """What is said of mechanisms together, at a few ε."""
    return [said(partial(ask, Curve.of(some, adaptive), x)) for x in (EPSILONS[0], EPSILONS[2], EPSILONS[5])]


def judged(some: Sequence[Piece], x: Term, y: Term) -> Any:
    """Whether mechanisms are seen to have δ at most, or more than, some number."""
    known = pieces.curve(some)
    ways = (pieces.is_proved, pieces.is_refuted, pieces.is_loose)
    return [way([known], x, y, BITS) for way in ways]


OF_CURVES: Mapping[str, Callable[[Sequence[Piece]], Any]] = {
    "above": lambda some: composed(some, lambda curve, x: curve.above(x, BITS, POINTS)),
    "below": lambda some: composed(some, lambda curve, x: curve.below(x, BITS, POINTS)),
    "above, adaptive": lambda some: composed(some, lambda curve, x: curve.above(x, BITS, POINTS), True),
    "verdicts": lambda some: [said(partial(judged, some[:1], EPSILONS[1], y)) for y in DELTAS],
    "known at once": pieces.at_once,
    "on samples": lambda some: [
        pieces.on_samples(some[0], rate, r, own)
        for rate in (None, terms.number(Fraction(1, 3)))
        for r in (ONE, terms.number(2))
        for own in (None, (1, 2))
    ],
}
"""What is asked of mechanisms that are composed."""
OF_ROWS: Mapping[str, Callable[[Sequence[Sequence[Fraction]]], Any]] = {
    "ratios": lambda rows: list(divergences.ratios(rows[0], rows[1])),
    "excesses": lambda rows: [
        list(divergences.excesses(rows[0], rows[1], t)) for t in (Fraction(1), Fraction(3, 2))
    ],
    "moments": lambda rows: [divergences.moment(rows[0], rows[1], order) for order in (2, 3)],
    "moments enclosed": lambda rows: divergences.moment_enclosure(rows[0], rows[1], Fraction(5, 2), 12),
    "nested events": lambda rows: divergences.nested_events(rows[0], rows[1]),
    **{f"promised, {notion}": partial(kept, notion=notion) for notion in PARAMETERS},
    **{f"in tables, {notion}": partial(checked, notion=notion) for notion in PARAMETERS},
}
"""What is asked of rows."""


def with_letters(n: int) -> list[Alike]:
    """Mechanisms with letters, of which a formula is written."""
    draw = random.Random(n)
    epsilons, counts = ("e", "2*e", "log(1/p)", "log(2)"), ("1", "2", "n")
    return [
        Alike(number(draw.choice(epsilons)), number(draw.choice(("0", "1 - p"))), number(draw.choice(counts)))
        for _ in range(draw.randint(1, 2))
    ]


def least(n: int) -> list[bool]:
    """Whether what is written out for numbers is seen to be the least δ, and what is more."""
    draw = random.Random(n)
    epsilon, delta, count = draw.choice(EPSILONS), draw.choice(DELTAS), draw.randint(1, 3)
    x = draw.choice(EPSILONS)
    exactly = outcomes.delta([Alike(epsilon, delta, terms.number(count))], x)
    curve = Curve.of([Part(epsilon, delta, 1, count)])
    return [is_least(curve, x, y) for y in (exactly, exactly + DELTAS[-1])]


def of_roots(coefficients: Sequence[Fraction]) -> Any:
    """What is known of the roots of a polynomial, and of those from 0 on, and below 2."""
    p = roots.polynomial(coefficients)
    odd = roots.with_odd_roots(p)
    ends = [(None, None), (Fraction(0), None), (Fraction(0), Fraction(2))]
    known = [p, roots.derivative(p), odd, [roots.never_negative(coefficients, *both) for both in ends]]
    apart = roots.without_roots_at(odd, Fraction(0), Fraction(2))
    chain = roots.Sturm(apart)
    enclosed = list(chain.enclosed(Fraction(0), Fraction(2), Fraction(1, 9)))
    return [*known, apart, chain.bound, [chain.count(*both) for both in ends[1:]], enclosed]


def of_numbers(coefficients: Sequence[Fraction]) -> Any:
    """Enclosures at numbers: of normal noise, and of masses that are put together."""
    x = Interval.of(Fraction(coefficients[0], 2))
    masses = [int(abs(c)) * 7 for c in coefficients]
    up, down = (lattices.Rounding(6, way) for way in (True, False))
    table = dict(enumerate(masses))
    half = Interval.of(Fraction(1, 2))
    return [
        *(of(x, bits) for of in (normal.distribution, intervals.exp) for bits in (20, 70)),
        *(said(partial(of, x.low, 40)) for of in (normal.density, normal.ratio, normal.root, normal.is_far)),
        *(said(partial(of, x, 40)) for of in (normal.quantile, intervals.log)),
        x.power(3, 30), x.rounded(1), x.at_least(half), x.at_most(half), said(x.inverse),
        *(said(partial(lattices.power, table, 3, way)) for way in (up, down)),
        *(said(partial(lattices.added, [table, table], way)) for way in (up, down)),
        *(said(partial(lattices.Window.of, table, way)) for way in (up, down)),
        *(said(partial(merging.fewer, tuple(masses * 4), half, 5, way)) for way in (up, down)),
    ]  # fmt: skip


OF_POLYNOMIALS: Mapping[str, Callable[[Sequence[Fraction]], Any]] = {"roots": of_roots, "numbers": of_numbers}
OF_LETTERS: Mapping[str, Callable[[int], Any]] = {
    "whether it is least": least,
    "the least delta": lambda n: [
        said(partial(outcomes.delta, with_letters(n), x)) for x in (terms.ZERO, number("e"), number("log(2)"))
    ],
}
EVERY: Asked = {
    **{
        f"{asked}, {n}": (of, partial(some_curves, n))
        for asked, of in OF_CURVES.items()
        for n in range(PARTS)
    },
    **{asked: (of, rows) for asked, of in OF_ROWS.items()},
    **{asked: (of, polynomials) for asked, of in OF_POLYNOMIALS.items()},
    **{asked: (of, lambda: range(MANY)) for asked, of in OF_LETTERS.items()},
}
"""What is asked, and of what."""
