"""Counterexamples as values: two neighbours, parameter values, what is claimed there and what is lost."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from dpcompose.kernel.expressions import formulas, naming, terms
from dpcompose.kernel.expressions.intervals import Interval, NoEnclosure, enclosure
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language.decimals import SHOWN_DIGITS, beside, decimal, has_few_digits, rounded
from dpcompose.language.said import Formula, Item, Words, listed
from dpcompose.language.shown import Shown
from dpcompose.language.symbols import symbol
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.proof.counterexamples.outputs import Output
from dpcompose.proof.counterexamples.rows import Row

if TYPE_CHECKING:
    import sympy


Number: TypeAlias = Fraction | Term
"""A real number, exact: a fraction, or a constant term where it is irrational, such as log(3)."""


@frozen
class Alone:
    """One of several mechanisms that loses more than is claimed by itself; `by`: why this is enough."""

    mechanism: str
    loss: Term
    by: Item

    def data(self) -> dict[str, str]:
        return {"mechanism": self.mechanism, "loss": formulas.to_text(self.loss), "by": self.by}


Values = list[tuple[tuple[str, ...], Fraction]]


def together(point: Mapping[str, Fraction]) -> Values:
    """Names with values; members of a family one after the other that have the same value are named together,
    with dots, where they are more than MOST_ALIKE.

    >>> [names for names, _ in together({"k": Fraction(9)} | {f"e[{i}]": Fraction(1) for i in range(1, 10)})]
    [('e[1]', '...', 'e[9]'), ('k',)]
    """
    by_name = sorted(point, key=lambda name: ((said := naming.read(name)).base, said.index or 0))
    values: Values = []
    for _, run in groupby(by_name, lambda name: (naming.read(name).base, point[name])):
        alike = list(run)
        named = [(alike[0], "...", alike[-1])] if len(alike) > MOST_ALIKE else [(name,) for name in alike]
        values += [(names, point[names[0]]) for names in named]
    return values


class Printing(Protocol):
    """A class of databases, as far as counterexamples show these."""

    def show(self, D: Any, /) -> Any: ...
    def printed(self, D: Any, /) -> str: ...


@frozen(repr=False)
class Counterexample(Shown):
    """D ~ E and a point at which mechanisms that fit the assumptions lose more than is claimed.

    actual -- the exact loss at (D, E), None for ∞; claimed -- the claim's value there; of mechanisms that
    are given as tables they may be constant terms, such as log(3);
    databases -- the class of the pair;
    alone -- one of several mechanisms that loses too much by itself, if there is one (GB Prop. VII.2);
    through -- the conversion pages by which the claim implies what is violated: a claim in another notion;
    without -- mechanisms whose outputs are left out: what the others lose, all lose (GB Prop. VII.2), by the
    item `by_parts`; event -- whether what is lost is a δ that some event shows;
    neighbours -- whether the databases are neighbours, or any two;
    bits -- where the loss is a δ that is enclosed: with how many binary digits; then `actual` is what it
    is at least, and `most` what it is at most; epsilon -- at which ε, where the claim has none;
    at_least -- whether the true loss may be larger, as only divergences are known;
    moving -- the mechanisms of the rows, families written out;
    measure -- what is compared, in words, where that is neither a loss nor a δ.
    """

    pair: tuple[Any, Any]
    point: Mapping[str, Fraction]
    claimed: Number
    actual: Number | None
    rows: tuple[Row, ...]
    databases: Printing
    alone: Alone | None = None
    through: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    by_parts: Item = Item("")
    event: bool = False
    neighbours: bool = True
    bits: int | None = None
    epsilon: str = ""
    at_least: bool = False
    most: Fraction | None = None
    moving: tuple[Mechanism, ...] = ()
    measure: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """Whose rows these are."""
        return tuple(row.name for row in self.rows)

    @property
    def D(self) -> Any:
        """The first database of the pair."""
        return self.pair[0]

    @property
    def E(self) -> Any:
        """The second one, which is printed as D'."""
        return self.pair[1]

    def __repr__(self) -> str:
        D, E = map(self.databases.printed, self.pair)
        at = f", {self.at}" if self.point else ""
        return f"D = {D}, D' = {E}{at}, {self.lost()}"

    def data(self) -> dict[str, Any]:
        """As JSON, with the databases as the class shows them."""
        data: dict[str, Any] = {
            "databases": [self.databases.show(D) for D in self.pair],
            "parameters": {name: str(x) for name, x in sorted(self.point.items())},
            "claimed": self.shown(self.claimed),
            "actual": self.shown(self.actual),
            "mechanisms": [row.data() for row in self.rows],
        }
        if self.most is not None:
            data |= {"at-most": decimal(self.most), "bits": self.bits}
        data |= {"epsilon": self.epsilon} if self.epsilon else {}
        data |= {"parameter": "delta"} if self.event else {}
        data |= {"parameter": self.measure} if self.measure else {}
        data |= {"alone": self.alone.data()} if self.alone is not None else {}
        data |= {"without": list(self.without)} if self.without else {}
        return data | ({"through": list(self.through)} if self.through else {})

    def lost(self) -> Words:
        """What is claimed and what is lost, in words."""
        of = "delta " if self.what == "delta" else ""
        at_least = "at least " if self.is_at_least else ""
        claimed, actual = self.decimals
        there = f"at epsilon = {self.epsilon} " if self.epsilon else ""
        before = there, f"claimed {of}", self._formula(self.claimed), claimed
        return Words(*before, f", true {self.what} {at_least}", self._formula(self.actual), actual)

    def _formula(self, loss: Number | None) -> Formula:
        return Formula(self.shown(loss), lambda _: self.typeset(loss))

    @property
    def decimals(self) -> tuple[str, str]:
        """Decimals beside the claimed value, rounded up, and the true one, rounded down; they differ."""
        if self.actual is None or self._as_decimals:
            return "", ""
        claimed, actual = (terms.as_term(value) for value in (self.claimed, self.actual))
        digits = SHOWN_DIGITS
        while digits < MOST_SHOWN_DIGITS and not _differ(claimed, actual, digits):
            digits += 1
        return beside(claimed, True, digits), beside(actual, False, digits)

    @property
    def what(self) -> str:
        """What is compared: a loss, a δ, or what `measure` says."""
        if self.measure:
            return self.measure
        return "loss" if self.most is None and not self.event else "delta"

    @property
    def _as_decimals(self) -> bool:
        """Whether values are numbers that are shown as decimals: probabilities."""
        both = isinstance(self.claimed, Fraction) and isinstance(self.actual, Fraction)
        return self.most is not None or (self.event and both)

    @property
    def is_at_least(self) -> bool:
        """Whether the true loss may be larger than the one that is shown."""
        return self.at_least or bool(self.without) or self.event or self.most not in (None, self.actual)

    @property
    def reached(self) -> list[tuple[Words, Row]]:
        """Who loses how, in order; mechanisms one after the other that do the same are called together, where
        they are more than MOST_ALIKE."""
        reached: list[tuple[Words, Row]] = []
        for _, run in groupby(self.rows, Row.words):
            alike = list(run)
            if len(alike) > MOST_ALIKE:
                names = listed([row.name for row in alike], MOST_ALIKE)
                reached.append((Words("each of ", names, f" ({len(alike):,} of them)"), alike[0]))
            else:
                reached += [(Words(row.name), row) for row in alike]
        return reached

    @property
    def values(self) -> Values:
        """The values of parameters, as `together` names them."""
        return together(self.point)

    @property
    def at(self) -> Words:
        """The same in words."""
        return listed([_equal(*names, value=x) for names, x in self.values], None)

    @property
    def outputs(self) -> tuple[Output, ...]:
        """What each mechanism does at the two databases, as values to compute with."""
        return tuple(Output.of(row) for row in self.rows)

    @property
    def loss(self) -> sympy.Expr:
        """What is lost, as an expression: exact; oo where that has no limit."""
        import sympy

        return sympy.oo if self.actual is None else self.typeset(self.actual)

    @property
    def left_out(self) -> Words:
        """That the outputs of some mechanisms are left out, in words."""
        return Words("left out are the outputs of ", listed(self.without), ": what the others lose, all lose")

    def shown(self, loss: Number | None) -> str:
        """A loss, or a claimed value, as a formula."""
        if self._as_decimals and isinstance(loss, Fraction):
            return decimal(loss)
        return "oo" if loss is None else formulas.to_text(terms.as_term(loss))

    def typeset(self, loss: Number | None) -> sympy.Expr:
        """The same as an expression: a formula, or a decimal."""
        import sympy

        from dpcompose.language import formulas as expressions

        if loss is None:
            return sympy.oo
        if self._as_decimals and isinstance(loss, Fraction) and has_few_digits(loss):
            return sympy.Float(decimal(loss))
        return expressions.expression(terms.as_term(loss))


def _equal(*names: str, value: Fraction) -> Words:
    """That parameters have a value; dots among their names stand for others."""

    def equation(_: str) -> sympy.Expr:
        import sympy

        return sympy.Eq(symbol(last), sympy.Rational(value.numerator, value.denominator), evaluate=False)

    *others, last = names
    shown = [name if name == "..." else Formula(name, symbol) for name in others]
    return listed([*shown, Formula(f"{last} = {value}", equation)])


MOST_ALIKE = 5
"""How many mechanisms that do the same are called one by one."""
MOST_SHOWN_DIGITS = 30
"""To how many digits a claimed and a true loss are shown at most, to tell them apart."""


def _differ(less: Term, more: Term, digits: int) -> bool:
    """Whether two numbers are told apart by so many digits, the smaller rounded up, the larger down."""
    try:
        low, high = enclosure(less, 4 * digits).high, enclosure(more, 4 * digits).low
    except NoEnclosure:
        return True
    return rounded(low, digits, up=True) < rounded(high, digits, up=False)


def told_apart(claimed: Interval, actual: Interval) -> tuple[Fraction, Fraction, Fraction]:
    """The claimed δ, and what the true one is at least and at most, to so many digits that they differ."""
    exact = claimed.low == claimed.high
    for digits in itertools.count(SHOWN_DIGITS):
        shown = claimed.high if exact else rounded(claimed.high, digits, up=True)
        least, most = (rounded(end, digits, up) for end, up in ((actual.low, False), (actual.high, True)))
        if least > shown:
            break
    return shown, least, min(most, Fraction(1))
