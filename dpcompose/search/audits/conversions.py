"""Two distributions that have one guarantee, and lose more than another one allows: what conversions state.

They are tables of which the least parameters are computed, Laplace noise of which only is told between which
multiples of ln 2 it lies, and normal noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from itertools import pairwise, product
from math import gcd
from typing import Any, ClassVar, TypeAlias

from dpcompose.kernel.deciders.calculus.exponentials import NotDecided
from dpcompose.kernel.deciders.curves import normal
from dpcompose.kernel.deciders.tables import promises
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.intervals import Interval, NoEnclosure
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.library.heads import ORDER
from dpcompose.search.audits.outcomes import (
    BITS,
    LOG_2,
    Row,
    Values,
    by_events,
    enclosed,
    plain,
    power_of_e,
)
from dpcompose.search.audits.searched import Counterexample, Looked
from dpcompose.search.audits.suppositions import ALL_KEPT, Kept, NoSearch, Supposition
from dpcompose.search.audits.worlds import Base, Reading, Relation, World

ORDERS = tuple(map(terms.number, (2, 3)))
"""At which orders divergences of tables are computed."""
EVERY_ORDER = (terms.letter(ORDER),)
"""Of a guarantee that is about all orders: the letter."""

Claims: TypeAlias = Mapping[Term, Values]
"""What is concluded, at each order at which something is."""


def _first(claims: Claims) -> Values:
    return next(iter(claims.values()))


# tables


def _ratio(P: Row, Q: Row, orders: Sequence[Term]) -> Iterator[Values]:
    if all((*P, *Q)):
        ratio = max(max(p / q, q / p) for p, q in zip(P, Q, strict=True))
        yield {"epsilon": terms.log(terms.number(ratio))}


def _events(P: Row, Q: Row, orders: Sequence[Term]) -> Iterator[Values]:
    for n in (0, 1, 2):
        delta = max(by_events(*rows, Fraction(2**n)) for rows in ((P, Q), (Q, P)))
        yield {"epsilon": terms.number(n) * LOG_2, "delta": terms.number(delta)}


def _moment(P: Row, Q: Row, order: Term) -> Fraction:
    """e^((a - 1)*D) for the divergence D of a whole order a, where no q is 0."""
    a = int(order.number or 0)
    return sum((p**a / q ** (a - 1) for p, q in zip(P, Q, strict=True)), Fraction(0))


def _truncated(P: Row, Q: Row, orders: Sequence[Term]) -> Iterator[Values]:
    """Up to order 2 the divergences are at most that of order 2, and so at most that many times the order."""
    if all((*P, *Q)):
        moment = terms.number(max(_moment(P, Q, ORDERS[0]), _moment(Q, P, ORDERS[0])))
        yield {"rho": terms.log(moment), "tau": terms.number(Fraction(1, 2))}


def _moments(P: Row, Q: Row, orders: Sequence[Term]) -> Iterator[Values]:
    if orders == EVERY_ORDER:
        yield from ({**one, ORDER: orders[0]} for one in _ratio(P, Q, orders))  # it bounds all of them
        return
    for a in orders if all((*P, *Q)) else ():
        moment = terms.log(terms.number(max(_moment(P, Q, a), _moment(Q, P, a))))
        yield {"epsilon": moment / (a - terms.ONE), ORDER: a}


def _more_at_orders(P: Row, Q: Row, claims: Claims) -> str | None:
    for a, claim in claims.items() if all(Q) else ():
        if (moment := _moment(P, Q, a)) > power_of_e((a - terms.ONE) * claim["epsilon"]).high:
            return f"e^((a - 1)*D) = {moment} at the order a = {formulas.to_text(a)}"
    return None


def _more_by(notion: str) -> Callable[[Row, Row, Claims], str | None]:
    """What breaks the promise of a notion whose tables are checked, with parameters that are rounded up."""

    def more(P: Row, Q: Row, claims: Claims) -> str | None:
        promised = {key: terms.number(enclosed(value).high) for key, value in _first(claims).items()}
        try:
            broken = promises.broken(notion, P, Q, promised)
        except NotDecided:
            return None
        if broken is None:
            return None
        if not broken.event:
            return broken.words
        p, q = (sum((row[n] for n in broken.event), Fraction(0)) for row in (P, Q))
        return f"an event of probability {p}, and {q} at D'"

    return more


@frozen
class Table:
    """The probabilities of the outcomes at D, and at D'; known -- guarantees of what they are told of."""

    rows: tuple[Row, Row]
    known: Mapping[str, Values] = field(default_factory=dict)

    KEPT: ClassVar[Mapping[str, Callable[[Row, Row, Sequence[Term]], Iterator[Values]]]] = {
        **{"pure": _ratio, "approximate": _events, "renyi": _moments, "tcdp": _truncated},
    }
    MORE: ClassVar[Mapping[str, Callable[[Row, Row, Claims], str | None]]] = {
        **{notion: _more_by(notion) for notion in promises.CHECKED},
        "renyi": _more_at_orders,
    }

    def kept(self, notion: str, orders: Sequence[Term]) -> Iterator[Values]:
        """Parameters of guarantees that both rows have, of D to D' and back: the least ones."""
        if notion in self.known:
            yield self.known[notion]
        elif notion in self.KEPT:
            yield from self.KEPT[notion](*self.rows, orders)

    def lost(self, notion: str, claims: Claims) -> str | None:
        """What is lost, where that exceeds a claim."""
        more = self.MORE.get(notion)
        return None if more is None else more(*self.rows, claims)


def _tables(most: int) -> Iterator[Table]:
    """All of two outcomes in multiples of 1/d up to this d, and of three up to a third of it."""
    for d in range(2, most + 2):
        for outcomes in (2, 3) if 3 * d <= most else (2,):
            every = [numbers for numbers in product(range(d + 1), repeat=outcomes) if sum(numbers) == d]
            for P, Q in product(every, repeat=2):
                if P != Q and gcd(*P, *Q) == 1:
                    yield Table((tuple(Fraction(p, d) for p in P), tuple(Fraction(q, d) for q in Q)))


def told_apart(n: int) -> Table:
    """Laplace noise of scale 1 around 0, and around n*ln 2: between which multiples of ln 2 it lies.

    In the other order it is the same, seen from the other end.
    """

    def row(around: int) -> Row:
        powers = [(k - around, Fraction(1, 2 ** (abs(k - around) + 1))) for k in range(n + 1)]
        below = [Fraction(0), *(p if k <= 0 else 1 - p for k, p in powers), Fraction(1)]
        return tuple(high - low for low, high in pairwise(below))

    return Table((row(0), row(n)), {"laplace": {"epsilon": terms.number(n) * LOG_2}})


def _rare(n: int) -> Table:
    """An event that is as rare as one likes, and at the other database much rarer."""
    return Table(tuple((Fraction(1, 8**m), 1 - Fraction(1, 8**m)) for m in (n, 2 * n)))  # type: ignore[arg-type]


# normal noise


@frozen
class Normal:
    """Normal noise with deviation 1, around 0 and around mu."""

    mu: Fraction

    @property
    def rows(self) -> tuple[Row, Row]:
        return (Fraction(0),), (self.mu,)

    def attained(self, a: Term) -> Mapping[str, Values]:
        """The least parameters of what it has, by notion; a -- the order."""
        mu, rho = terms.number(self.mu), terms.number(self.mu**2 / 2)
        return {
            "gaussian": {"mu": mu},
            "zcdp": {"rho": rho},
            "tcdp": {"rho": rho, "tau": terms.number(Fraction(1, 8))},
            "renyi": {"epsilon": a * rho, ORDER: a},
        }

    def kept(self, notion: str, orders: Sequence[Term]) -> Iterator[Values]:
        for a in orders:
            if (values := self.attained(a).get(notion)) is not None:
                yield values

    def lost(self, notion: str, claims: Claims) -> str | None:
        """What is lost, where that exceeds a claim."""
        for a, claimed in claims.items():
            attained = self.attained(a).get(notion, {})
            if "delta" in claimed:
                delta = self._delta(claimed["epsilon"])
                return f"delta >= {float(delta)}" if delta > enclosed(claimed["delta"]).high else None
            for key in [*attained][:1]:
                if enclosed(attained[key]).low > enclosed(claimed[key]).high:
                    return f"{key} = {formulas.to_text(attained[key])}"
        return None

    def _delta(self, epsilon: Term) -> Fraction:
        """What some event is more likely than e^epsilon times as much, from below."""
        at, middle = Interval.of(enclosed(epsilon).high), Interval.of(self.mu / 2)
        step, none = at * Interval.of(1 / self.mu), Interval.of(0)
        near, far = (normal.distribution(x - step, BITS) for x in (middle, none - middle))
        return (near - power_of_e(terms.number(at.high)) * far).low


# pages


def _pairs(most: int) -> Iterator[Table | Normal]:
    """Pairs of distributions that are not equal, those that are told most of first."""
    for n in range(1, most // 3 + 1):
        yield told_apart(n)
        yield _rare(n)
        yield Normal(Fraction(1, n))
        yield Normal(Fraction(n))
    yield from _tables(most)


BOTH = Relation("G", frozenset({(0, 1), (1, 0)}))
TWO = World(Base(("D", "D'")), BOTH, (Reading((0, 1), ("D", "D'"), BOTH, everything=True),))
"""Two databases, which are neighbours."""
FREE = tuple(map(Fraction, ("1/2", "1/8", "1/64", "1", "8")))
"""What is tried for parameters that may be chosen."""


@frozen(eq=False)
class Converted:
    """A conversion page: what it supposes of parameters, and of orders.

    only -- values that parameters must have; limits -- what they are at most; every_order -- whether the
    guarantee is about all orders; ordered -- whether either notion bounds divergences of orders.
    """

    page: Any
    notion: str
    only: Mapping[str, str]
    limits: Mapping[str, str]
    every_order: bool
    ordered: bool
    suppositions: tuple[Supposition, ...] = ()
    kept: Kept = ALL_KEPT

    def written(self, joint: bool) -> bool:
        """Whether a counterexample is written as a problem file."""
        return not self.ordered

    def without(self, supposition: Supposition) -> Converted:
        left: dict[str, Any] = {
            **{"only": {key: x for key, x in self.only.items() if key != supposition.premise}},
            **{"limits": {key: x for key, x in self.limits.items() if key != supposition.premise}},
        }
        return replace(self, **left, every_order=self.every_order and supposition.premise != ORDER)

    def look(self, most: int, looked: Looked) -> Counterexample | None:
        """Two distributions that have the guarantee, and not the one that is concluded."""
        for pair in _pairs(most):
            looked.add(TWO)
            for given in pair.kept(self.page.head.from_, EVERY_ORDER if self.every_order else ORDERS):
                for letters in self._letters(given):
                    claims = self._claims(letters)
                    looked.mechanisms += bool(claims)
                    if claims and (lost := pair.lost(self.notion, claims)) is not None:
                        rows, of = (pair.rows,), self.page.head.from_
                        claim = _first(claims)
                        return Counterexample(self, TWO, (given,), rows, False, (0, 1), claim, lost, of)
        return None

    def _letters(self, given: Values) -> Iterator[Values]:
        """The parameters, with all that may be chosen, where they have the values that they must."""
        free = {key: Domain.read(text) for key, text in self.page.head.free.items()}
        for chosen in product(*([x for x in FREE if domain.contains(x)] for domain in free.values())):
            letters = {**given, **dict(zip(free, map(terms.number, chosen), strict=True))}
            if all(given[key] == formulas.parse(text, {}) for key, text in self.only.items()):
                yield letters

    def _claims(self, letters: Values) -> Claims:
        """The page's formulas, at orders within the limits; {} where one is no known number."""

        def at(a: Term) -> Values:
            known = {ORDER: a, **letters}
            return {key: plain(formulas.parse(x, known)) for key, x in self.page.head.parameters.items()}

        def within(a: Term) -> bool:
            known = {ORDER: a, **letters}
            limits = ((key, formulas.parse(text, known)) for key, text in self.limits.items())
            return all(enclosed(letters[key]).high <= enclosed(limit).low for key, limit in limits)

        try:
            found = {a: at(a) for a in ORDERS if within(a)}
        except (formulas.FormulaError, NoEnclosure):
            return {}
        unknown = (x.letters or x.kind == "oo" for one in found.values() for x in one.values())
        return {} if any(unknown) else found


def conversion(theory: Any, page: Any) -> list[Converted]:
    """A conversion page in its notion: all that it supposes can be left out."""
    head = page.head
    if head.apart:
        raise NoSearch(f"{page.id} says what has its guarantee, and not what that loses")
    words = {key: f"{key} is {text}" for key, text in head.only.items()}
    words |= {key: f"{key} is at most {text}" for key, text in head.at_most.items()}
    words |= (
        {ORDER: f"the guarantee is about all {'large ' * (head.orders == 'large')}orders"}
        if head.orders
        else {}
    )
    suppositions = tuple(Supposition(key, word, premise=key) for key, word in words.items())
    ordered = any(theory.rule(notion).head.ordered for notion in (head.from_, head.to))
    return [Converted(page, head.to, head.only, head.at_most, head.orders is not None, ordered, suppositions)]
