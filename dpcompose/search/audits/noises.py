"""Noise around two values, told as exact tables: what it loses there, and what a noise page says of that.

Scales are multiples of 1/ln 2, for which probabilities are rational.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.search.audits.conversions import ORDERS, TWO, Normal, Table, told_apart
from dpcompose.search.audits.outcomes import LOG_2, Row, Values, enclosed, plain, power_of_e, together
from dpcompose.search.audits.searched import Counterexample, Looked
from dpcompose.search.audits.suppositions import ALL_KEPT, Kept, NoSearch, Supposition

ONE, HALF = terms.ONE, Fraction(1, 2)
UNIT = {"b": ONE / LOG_2}
"""The scale of noise that falls by half at every step."""
NORM, ENTRIES = "norm", "entries"


@frozen
class Around:
    """Noise around two values: its parameters, how far these are apart, and what is told of the outputs.

    without -- what of the page does not hold there: nothing, that its norm is the one in which they are r
    apart, or that the values are made of the numbers that it is about.
    """

    letters: Mapping[str, Term]
    r: Term
    outputs: Table | Normal
    without: str = ""


def _laplace(n: int) -> Iterator[Around]:
    near = told_apart(n)
    yield Around(UNIT, terms.number(n), near)
    both = Table((together([near.rows[0]] * 2), together([near.rows[1]] * 2)))
    yield Around(UNIT, terms.number(n) * terms.sqrt(terms.number(2)), both, NORM)


def _geometric(n: int) -> Iterator[Around]:
    """Whole numbers up to 0, one by one up to n, and from there on."""

    def row(around: int) -> Row:
        inside = [Fraction(1, 3 * 2 ** abs(y - around)) for y in range(1, n)]
        ends = [Fraction(2, 3 * 2**around), Fraction(2, 3 * 2 ** (n - around))]
        return (ends[0], *inside, ends[1])

    yield Around(UNIT, terms.number(n), Table((row(0), row(n))))
    apart = Table(((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))))
    yield Around(UNIT, terms.number(n - HALF), apart, ENTRIES)


def _normal(n: int) -> Iterator[Around]:
    for mu in (Fraction(n), Fraction(1, n)):
        yield Around({"s": ONE}, terms.number(mu), Normal(mu))


def _planar(n: int) -> Iterator[Around]:
    """A small disc around the point: at least as likely as with the least density there, at the other one at
    most as likely as with the largest; both bounds divided by its area."""
    small = terms.number(Fraction(1, 32))
    area = small * small / terms.number(2)
    least = power_of_e(terms.number(-1) * small).low * enclosed(area).low
    most = power_of_e(small - terms.number(n)).high * enclosed(area).high
    yield Around({"b": ONE}, terms.number(n), Table(((least, 1 - least), (most, 1 - most))))


def _answered(n: int) -> Iterator[Around]:
    p = Fraction(n + 1, n + 2)
    yield Around({"p": terms.number(p)}, ONE, Table(((p, 1 - p), (1 - p, p))))


def _chosen(n: int) -> Iterator[Around]:
    """Three candidates that are half as likely per step of their scores."""
    for D, E in product(product((-1, 0, n), repeat=2), repeat=2):
        rows = [[Fraction(2) ** x for x in (0, *scores)] for scores in (D, E)]
        P, Q = (tuple(x / sum(row) for x in row) for row in rows)
        moved = (0, *(x - y for x, y in zip(D, E, strict=True)))
        if len({*moved}) > 1:
            table = Table((P, Q))
            yield Around({"t": LOG_2}, terms.number(max(moved) - min(moved)), table)
            yield Around({"t": LOG_2}, terms.number(max(map(abs, moved))), table, NORM)


def _shown(n: int) -> Iterator[Around]:
    """Keys with a count of 1 at one database only, which are shown above n; and keys with 1 and 2."""
    for keys in (1, 2):
        p = Fraction(1, 2 ** (n + 1))
        letters = {key: terms.number(x) for key, x in {"L": keys, "m": 1, "tau": n + 1}.items()}
        hidden = (1 - p) ** keys
        yield Around(UNIT | letters, ONE, Table(((hidden, 1 - hidden), (Fraction(1), Fraction(0)))))
        yield Around(UNIT | letters, ONE, Table(tuple(together([row] * keys) for row in told_apart(1).rows)))  # type: ignore[arg-type]


KNOWN: Mapping[str, Callable[[int], Iterator[Around]]] = {
    "laplace": _laplace,
    "geometric": _geometric,
    "gaussian": _normal,
    "planar-laplace": _planar,
    "randomized-response": _answered,
    "exponential": _chosen,
    "laplace-with-threshold": _shown,
}
"""Noise of which outputs are known, by its word: of each size."""
WORDS = {
    NORM: "how far values are apart is measured in the norm {0.norm}",
    ENTRIES: "the entries of values are {0.entries}",
}


@frozen(eq=False)
class Noised:
    """A noise page in one notion: the parameters of values r apart, in the page's letters and r.

    left -- what of the page need not hold.
    """

    page: Any
    notion: str
    at: Callable[[Values], Values]
    left: str = ""
    suppositions: tuple[Supposition, ...] = ()
    kept: Kept = ALL_KEPT

    def written(self, joint: bool) -> bool:
        """Whether a counterexample is written as a problem file: what noise loses there, the page says."""
        return False

    def without(self, supposition: Supposition) -> Noised:
        return replace(self, left=supposition.key)

    def look(self, most: int, looked: Looked) -> Counterexample | None:
        """Two values at which it loses more than the page says."""
        for n in range(1, most // 3 + 1):
            for one in KNOWN[self.page.head.noise](n):
                if one.without not in ("", self.left):
                    continue
                looked.add(TWO)
                looked.mechanisms += 1
                claim = self.at({**one.letters, "r": one.r})
                lost = one.outputs.lost(self.notion, {ORDERS[0]: claim})
                if lost is not None:
                    rows = (one.outputs.rows,)
                    return Counterexample(self, TWO, (one.letters,), rows, False, (0, 1), claim, lost)
        return None


def noise(theory: Any, page: Any) -> list[Noised]:
    """A noise page in the notions in which it says what is lost."""
    head = page.head
    if head.noise not in KNOWN:
        raise NoSearch(f"{page.id} is no noise of which outputs are known; {', '.join(KNOWN)} are")
    keys = dict.fromkeys(one.without for one in KNOWN[head.noise](1) if one.without)
    suppositions = tuple(Supposition(key, WORDS[key].format(head)) for key in keys)

    def read(texts: Mapping[str, str], letters: Values) -> Values:
        return {key: plain(formulas.parse(text, letters, {"": []})) for key, text in texts.items()}

    def at(notion: str) -> Callable[[Values], Values]:
        rule = theory.rule(notion).head
        if notion in head.moved:
            return lambda letters: read(head.moved[notion], letters)
        further = {**rule.distance, **rule.at_steps}
        return lambda letters: read(further, {**read(head.guarantee[notion], letters), "r": letters["r"]})

    bounded = {one for one, said in head.guarantee.items() if "oo" not in said.values()}
    stated = [one for one in theory.notions if one in bounded or one in head.moved]
    return [Noised(page, one, at(one), suppositions=suppositions) for one in stated]
