"""Witness mechanisms: what attains a distance, exactly.  A page of kind witness says which for a notion.

Probabilities are made of rational multiples of powers of e (`deciders.exponentials`), so the loss of
an outcome is computed exactly where their ratio is a power of e.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from dpcompose.kernel.deciders.calculus import exponentials
from dpcompose.kernel.deciders.calculus.exponentials import Value
from dpcompose.kernel.deciders.curves.canonical import noise
from dpcompose.kernel.deciders.curves.curves import Part, Piece
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal
from dpcompose.kernel.deciders.curves.tradeoffs import Together
from dpcompose.kernel.deciders.tables import divergences, entries, promises
from dpcompose.kernel.expressions import formulas, substitution, terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.intervals import enclosure, sign
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language.decimals import decimal, rounded
from dpcompose.language.shown import Shown
from dpcompose.spaces.classes.databases import Database

if TYPE_CHECKING:
    from dpcompose.privacy.finite.tables import ProbabilityTable

Number: TypeAlias = Fraction | Term
"""A real number, exact: a fraction, or a constant term where it is irrational, such as log(3)."""
Outcome: TypeAlias = tuple[str, Value, Value]
"""An outcome with its probability at D and at E."""
ONE = Fraction(1)


def evaluate(term: Term, d: Fraction) -> Value:
    """A probability formula in d at a rational d, as in tables of probabilities.

    Raises ValueError for a formula that these do not have: a witness page states none.
    """
    return exponentials.value_at(entries.read(term), {"d": d})


class Row(Shown, ABC):
    """What one witness mechanism does at the two inputs of D and E; it is built at E's."""

    mechanism: int
    by_table: ClassVar[bool] = False
    """Whether the mechanism is given as a table of probabilities."""
    by_noise: ClassVar[bool] = False
    """Whether it is given by its noise."""
    one_sided: ClassVar[bool] = False
    """Whether it has an outcome at D that is impossible at E."""

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """The outcomes with their probabilities at D and at E, where the row is of single ones."""
        return ()

    def raised(self, p: Fraction) -> Row:
        """The same where an impossible outcome has at least a probability at D."""
        return self

    def times(self, order: Fraction) -> Row:
        """The same where so many times the square of a distance is lost; itself where it has none."""
        return self

    @property
    def alike(self) -> tuple[int, ...]:
        """The mechanisms that the row is about."""
        return (self.mechanism,)

    @property
    def known_alone(self) -> Number | None:
        """What it loses, where that is not known together with what others lose."""
        return None

    @abstractmethod
    def data(self) -> dict[str, Any]:
        """As JSON."""

    @abstractmethod
    def words(self) -> str:
        """In words, for results."""


@frozen
class Ratio(Row):
    """Two outcomes: P(M = 1) at D and at E; P(M = 0) is the rest."""

    mechanism: int
    at_D: Value
    at_E: Value

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        return ("1", self.at_D, self.at_E), ("0", ONE - self.at_D, ONE - self.at_E)

    def data(self) -> dict[str, Any]:
        return {"mechanism": self.mechanism, "at D": _data(self.at_D), "at E": _data(self.at_E)}

    def words(self) -> str:
        return f"with outcomes 1, 0 and P(1) = {_data(self.at_D)} at D, {_data(self.at_E)} at D'"


@frozen
class OnTable(Ratio):
    """One outcome of a mechanism that is given as a table of probabilities: P(M = outcome)."""

    by_table = True

    outcome: str

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        return ((self.outcome, self.at_D, self.at_E),)

    def data(self) -> dict[str, Any]:
        return super().data() | {"outcome": self.outcome}

    def words(self) -> str:
        return f"by its table, P({self.outcome}) = {_data(self.at_D)} at D, {_data(self.at_E)} at D'"


@frozen
class Noise(Row):
    """Normal noise of a variance around √(d²) at D and around 0 at E; d² = None: another outcome at D."""

    mechanism: int
    distance: Number | None
    variance: Fraction

    def times(self, order: Fraction) -> Noise:
        return (
            self
            if self.distance is None
            else replace(self, distance=number_of(terms.as_term(self.distance) * order))
        )

    def data(self) -> dict[str, Any]:
        at_D = "another outcome" if self.distance is None else root(self.distance)
        return {"mechanism": self.mechanism, "mean at D": at_D, "mean at E": "0"} | {
            "variance": str(self.variance)
        }

    def words(self) -> str:
        if self.distance is None:
            return "which has other outcomes at D than at D'"
        return f"as normal noise of variance {self.variance} around {root(self.distance)} at D, 0 at D'"


@frozen
class Event(Row):
    """Two outcomes, of which 1 is impossible at E: P(M = 1) at D."""

    one_sided = True

    mechanism: int
    at_D: Fraction

    def raised(self, p: Fraction) -> Event:
        return replace(self, at_D=max(self.at_D, p))

    def data(self) -> dict[str, Any]:
        return {"mechanism": self.mechanism, "at D": str(self.at_D), "at E": "0"}

    def words(self) -> str:
        return f"with outcomes 1, 0 and P(1) = {decimal(self.at_D)} at D, 0 at D'"


@frozen
class Noisy(Row):
    """A mechanism of the setting itself: the values of its query at D and E, its noise, and what it loses.

    loss -- that of the mechanism, as its page shows it to be attained; its square where squares add up;
    None for ∞.
    """

    mechanism: int
    at_D: str
    at_E: str
    noise: str
    loss: Number | None
    by_noise = True

    def data(self) -> dict[str, Any]:
        return {"mechanism": self.mechanism, "query at D": self.at_D, "query at E": self.at_E} | {
            "noise": self.noise
        }

    def words(self) -> str:
        return f"itself: {self.at_D} at D, {self.at_E} at D', with {self.noise}"


@frozen
class Violating(Row):
    """A mechanism with a guarantee of another notion; a page says what it is, and what it loses; None: ∞.

    alone -- the loss in words, where the page says it of one mechanism only; then `loss` is its square.
    """

    mechanism: int
    page: str
    what: str
    loss: Number | None
    alone: str = ""

    def data(self) -> dict[str, Any]:
        return {"mechanism": self.mechanism, "loss": self._shown(), "by": self.page}

    @property
    def known_alone(self) -> Number | None:
        return self.loss if self.alone else None

    def words(self) -> str:
        return f"as {self.what}, with the loss {self._shown()}, by {self.page}"

    def _shown(self) -> str:
        return self.alone or ("oo" if self.loss is None else formulas.to_text(terms.as_term(self.loss)))


@frozen
class Canonical(Row):
    """What loses most of all that satisfies a guarantee, for several mechanisms that are alike.

    numbers -- the mechanisms; part -- canonical noise of (ε, δ), which they satisfy, so many steps from where
    it is built, or normal noise, or in a metric Laplace noise; None: the inputs are infinitely far apart, or
    nothing is promised, and the mechanisms tell D from E.
    """

    mechanism: int
    numbers: tuple[int, ...]
    part: Piece | None

    @property
    def alike(self) -> tuple[int, ...]:
        return self.numbers

    def data(self) -> dict[str, Any]:
        if self.part is None:
            return {"mechanisms": list(self.alike), "steps": "oo"}
        if isinstance(self.part, Together):
            pairs = [[formulas.to_text(term) for term in pair] for pair in self.part.pairs]
            return {"mechanisms": list(self.alike), "steps": self.part.steps, "pairs": pairs} | {
                "outcomes": [list(one) for one in self._of_table(self.part)]
            }
        if not isinstance(self.part, Part):
            width = "scale" if isinstance(self.part, Laplace) else "variance"
            return {"mechanisms": list(self.alike), "mean at D": self._mean(self.part), "mean at E": "0"} | {
                width: "1"
            }
        epsilon, delta = map(formulas.to_text, (self.part.epsilon, self.part.delta))
        values = {"epsilon": epsilon, "delta": delta}
        values |= {"times": str(self.part.count)} if self.part.count > 1 else {}
        return {"mechanisms": list(self.alike), "steps": self.part.steps, **values} | {
            "outcomes": [list(outcome) for outcome in self._outcomes(self.part)]
        }

    def words(self) -> str:
        if self.part is None:
            return "which has other outcomes at D than at D'"
        counted = isinstance(self.part, Together | Part) and self.part.count > 1
        each = " each" if len(self.alike) > 1 or counted else ""
        if isinstance(self.part, Together) and self.part.tail is not None and not self.part.pairs:
            noise = replace(self, part=self.part.tail).words()
            return f"{noise}, on samples that have what differs with probability {self.part.rate}"
        if isinstance(self.part, Together):
            shown = "; ".join(f"ratio {x}: {at_D}, {at_E}" for x, at_D, at_E in self._of_table(self.part))
            return f"as what has all its guarantees and loses most{each}; about, at D and D', {shown}"
        if not isinstance(self.part, Part):
            kind = "Laplace noise of scale" if isinstance(self.part, Laplace) else "normal noise of variance"
            return f"as {kind} 1 around {self._mean(self.part)} at D, 0 at D'{each}"
        shown = "; ".join(f"loss {loss}: {at_D}, {at_E}" for loss, at_D, at_E in self._outcomes(self.part))
        epsilon, delta = map(formulas.to_text, (self.part.epsilon, self.part.delta))
        name = f"canonical noise of ({epsilon}, {delta}) at distance {self.part.steps}"
        return f"as {name}{each}; about, at D and D', {shown}"

    @staticmethod
    def _mean(part: Normal | Laplace) -> str:
        if isinstance(part, Laplace):
            return formulas.to_text(part.ratio)
        return formulas.to_text(terms.sqrt(part.square + 2 * part.rho))

    @staticmethod
    def _of_table(part: Together) -> list[tuple[str, str, str]]:
        """The ratios of the probabilities at D and at E, with about these; few of many."""
        table = part.table(64, False)
        rows = [
            (f"{float(x):.6g}", f"{float(p):.6g}", f"{float(p / x):.6g}") for x, p in table.masses.items()
        ]
        rows = [("oo", f"{float(table.infinite):.6g}", "0"), *rows] if table.infinite else rows
        return rows[:MOST_OUTCOMES]

    @staticmethod
    def _outcomes(part: Part) -> list[tuple[str, str, str]]:
        """The losses with about their probabilities at D and at E, for the reader; few of many."""
        table = noise(part.epsilon, part.delta, part.steps, 64)
        at_D = [float(mass.low) for mass in table.masses]
        rows = [
            (formulas.to_text((2 * u - part.steps) * part.epsilon), f"{p:.6g}", f"{q:.6g}")
            for u, (p, q) in enumerate(zip(at_D, reversed(at_D), strict=True))
            if p or q
        ]
        if table.infinite.high:
            rows += [("oo", f"{float(table.infinite.low):.6g}", "0")]
            rows = [("-oo", "0", rows[-1][1]), *rows]
        return rows if len(rows) <= MOST_OUTCOMES else [*rows[:1], *rows[1 - MOST_OUTCOMES :]]


MOST_OUTCOMES = 12
"""How many outcomes of canonical noise are listed."""


def canonical(part: Piece | None, alike: tuple[int, ...]) -> Canonical:
    """What loses most of all that is as a piece of a curve says, for mechanisms that are alike."""
    return Canonical(alike[0], alike, part)


def length(x: Term) -> Term:
    """|x| of a real constant.

    >>> formulas.to_text(length(terms.sqrt(terms.number(2)) - 2))
    '2 - sqrt(2)'
    """
    return -x if sign(x) == -1 else x


def root(square: Number) -> str:
    """√ of a number as a formula: 2, sqrt(2), 1/2*sqrt(3)."""
    return formulas.to_text(terms.sqrt(terms.as_term(square)))


def row(page: Any, mechanism: int, distance: Term | None, point: Mapping[str, Fraction]) -> Row:
    """The witness of a page that is built at E's input, `distance` (None: ∞) from D's, at a point.

    A distance that is irrational there is rounded down, except for noise: what is private at a smaller one is
    private at this one.  Raises ValueError where it has no value that is seen to be at least 0.
    """
    value = None if distance is None else _at(distance, point)
    if page.head.by == "noise":
        variance = formulas.parse(page.head.variance, {}).number
        assert variance is not None
        return Noise(mechanism, None if value is None else _squared(value), variance)
    if value is not None and not isinstance(value, Fraction):
        value = _rounded_down(value)
    probability = formulas.parse(page.head.probability, {"d": terms.letter("d", NONNEGATIVE)})
    if page.head.by == "event":
        p = Fraction(1) if value is None else formulas.evaluate(probability, {"d": value})
        assert p is not None
        return Event(mechanism, p)
    at_D = Fraction(0) if value is None else evaluate(probability, value)
    return Ratio(mechanism, at_D, evaluate(probability, Fraction(0)))


def _at(term: Term, point: Mapping[str, Fraction]) -> Number:
    """The value of a term at a point, a constant where it is irrational.

    Raises ValueError where it is irrational and not seen to be positive.
    """
    value = formulas.at(term, point)
    if value.number is None and sign(value) != 1:
        raise ValueError(f"{formulas.to_text(term)} is not seen to be positive there")
    return number_of(value)


def number_of(value: Term) -> Number:
    """A constant as a number: a fraction where it is one."""
    return value if value.number is None else value.number


def _squared(value: Number) -> Number:
    """The square of a number, a fraction where it is one."""
    return number_of(substitution.expanded(terms.as_term(value) ** 2))


def on_table(mechanism: int, table: ProbabilityTable, D: Database, E: Database) -> OnTable:
    """The outcome of a table without parameters that is the most likelier at E than at D."""
    at_D, at_E = table.rows[D], table.rows[E]
    (worst, _), *_ = divergences.largest((attained, None) for attained in divergences.ratios(at_E, at_D))
    (o,) = worst.event
    return OnTable(mechanism, at_D[o], at_E[o], str(table.outcomes[o]))


DIGITS, BITS = 12, 128
"""To how many significant digits an irrational probability is rounded down, and with how many bits it is
enclosed."""


def after_steps(following: Sequence[str], stated: Mapping[str, Term], key: str, r: int) -> Fraction:
    """The probability of an event r ≥ 1 steps away from where it is impossible, as a closer page gives it.

    following -- the formulas of the page, in a: the least of them is the largest probability one step on;
    stated -- the guarantee's parameters, real constants, among them `key`, the probability after one step.
    What is irrational is rounded down, which keeps the guarantee: one step on, any probability from a up to
    the largest one may be taken.

    >>> stated = {"epsilon": terms.number(1), "delta": terms.number(Fraction(1, 4))}
    >>> after_steps(["delta + exp(epsilon)*a", "1"], stated, "delta", 2)
    Fraction(464785228557, 500000000000)
    """
    reached = min(Fraction(1), _rounded_down(stated[key]))
    for _ in range(r - 1):
        values = [formulas.parse(one, {**stated, "a": terms.number(reached)}) for one in following]
        reached = max(reached, min(map(_rounded_down, values)))
    return reached


def _rounded_down(value: Term) -> Fraction:
    """A rational number that is at most a real constant, and itself where that is rational."""
    if value.number is not None:
        return value.number
    low = rounded(enclosure(value, BITS).low, DIGITS, up=False)
    if sign(value - low) != 1:
        raise ValueError("a probability is not seen to be above what it is rounded down to")
    return low


def loss(rows: Sequence[Row], times: Sequence[int] = ()) -> Number | None:
    """What independent witness mechanisms lose together, of one kind; None for ∞.

    times -- for each row how many mechanisms it counts for; one, where nothing is said.
    Ratio: ln(P(1, …, 1 | E) / P(1, …, 1 | D)), or that of other outcomes of tables.  Noise: Σ d²; its
    page says for which variance that is a parameter, or its square.  Event: the probability at D that
    some outcome is 1, which never happens at E.  Noisy: what the mechanism of the setting loses.  Violating:
    what its page says.
    Raises ValueError where a ratio is no power of e.
    """
    total, none = Fraction(0), Fraction(1)
    irrational = terms.ZERO
    for one, many in zip(rows, times or [1] * len(rows), strict=True):
        if isinstance(one, Event):
            none *= (1 - one.at_D) ** many
        elif isinstance(one, Ratio):
            if one.at_D == 0:
                return None
            total += many * _exponent(exponentials.divided(one.at_E, one.at_D))
        elif isinstance(one, Noise | Noisy | Violating):
            lost = one.distance if isinstance(one, Noise) else one.loss
            if lost is None:
                return None
            if isinstance(lost, Fraction):
                total += many * lost
            else:
                irrational += many * lost
    if irrational != terms.ZERO:
        return number_of(irrational + total)
    return total if none == 1 else 1 - none


def above(x: Number | None, y: Number | None) -> bool:
    """Whether x > y for sure, None being ∞."""
    if x is None or y is None:
        return x is None and y is not None
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x > y
    return sign(terms.as_term(x) - terms.as_term(y)) == 1


def ratio(rows: Sequence[Row]) -> Value | None:
    """P(o_1, …, o_k | E) / P(o_1, …, o_k | D) of the outcomes of independent rows; None for ∞.

    Of noise it is e to the loss, which its densities have somewhere.  Raises ValueError for other rows.
    """
    total: Value = Fraction(1)
    for one in rows:
        if isinstance(one, Noisy | Violating):
            if one.loss is None:
                return None
            total = total * promises.power(terms.as_term(one.loss))
        elif not isinstance(one, Ratio):
            raise ValueError("the loss is not by the ratio of an outcome")
        elif one.at_D == 0:
            return None
        else:
            total = total * exponentials.divided(one.at_E, one.at_D)
    return total


def _exponent(ratio: Value) -> Fraction:
    """q where the ratio is e^q."""
    n, d = exponentials.parts(ratio)
    if d.rational == 1 and n.single is not None and n.single[1] == 1:
        q = n.single[0].number
        if q is not None:
            return q
    raise ValueError("the ratio of the probabilities is no power of e")


def _data(value: Value) -> str:
    """As a formula: 1/2*exp(-3)."""
    n, d = exponentials.parts(value)
    if d.rational != 1:
        return formulas.to_text(exponentials.as_term(value))
    some = sorted(((L.number, c) for L, c in n.terms), key=lambda one: (one[0] != 0, one[0]))
    return " + ".join(f"{c}" if q == 0 else f"{c}*exp({q})" for q, c in some) or "0"
