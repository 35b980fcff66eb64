"""Mechanisms made of probabilities: finite tables, and what they promise, exactly.

A table has a row for each database (or input), by its key, and a column for each outcome; entries are
rationals, or quotients of sums of rational multiples of powers of e in parameters, such as e^ε/(1 + e^ε).

What is decided: that rows are probabilities; that rows are equal; pure and (ε, δ) guarantees of tables of
numbers, and Gaussian ones up to some digits.  With parameters it is decided where there is one and the
exponents are linear; with several it is shown from signs or refuted at simple points.  ρ-zCDP is shown from
the largest ratio and refuted at some Rényi orders.  All else is undecided, and says why.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import TypeAlias

from dpcompose.kernel.core.orders import Orders
from dpcompose.kernel.deciders.calculus import exponentials
from dpcompose.kernel.deciders.calculus.exponentials import NotDecided, Point, Value
from dpcompose.kernel.deciders.calculus.signs import is_at_least
from dpcompose.kernel.deciders.tables import divergences, entries, promises
from dpcompose.kernel.deciders.tables.divergences import INFINITE, Event
from dpcompose.kernel.deciders.tables.entries import NotExponential
from dpcompose.kernel.deciders.tables.promises import Broken, Values
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.intervals import Interval
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term

Key: TypeAlias = Hashable
Pair: TypeAlias = tuple[Key, Key]
LONGEST = 4_096
"""How many binary digits the common denominator of a table of numbers may have that is gone through fast."""


class WrongTable(ValueError):
    """The probabilities are none, or do not fit together; the message says in which row."""


@frozen
class Finding:
    """What a check on a table showed.

    verdict -- "proved" (for all allowed parameters), "refuted" (by the witness) or "undecided";
    words -- what the witness shows, or why it is undecided; reason -- the same without where;
    pair -- the two rows' keys, of which P is the distribution at the first;
    event, point -- refuted: the outcomes by their places, and values of the parameters.
    """

    verdict: str
    words: str = ""
    reason: str = ""
    pair: Pair | None = None
    event: Event = ()
    point: Point = field(default_factory=dict)


PROVED = Finding("proved")


@frozen
class Table:
    """M as its probabilities: rows[key][o] = P(M = o).  `Table.of` makes and checks it.

    >>> third = terms.number(Fraction(1, 3))
    >>> T = Table.of({"a": [third, 2 * third], "b": [1 - third, third]})
    >>> T.check("pure", [("a", "b", {"epsilon": terms.log(terms.number(2))})]).verdict
    'proved'
    >>> found = T.check("pure", [("a", "b", {"epsilon": terms.number(Fraction(1, 2))})])
    >>> found.verdict, found.pair, found.event
    ('refuted', ('a', 'b'), (1,))
    >>> T.loss("a", "b") == terms.log(terms.number(2))
    True
    """

    rows: Mapping[Key, tuple[Value, ...]]

    @staticmethod
    def of(rows: Mapping[Key, Sequence[Term]]) -> Table:
        """The table with these entries.  Raises WrongTable, which names the row."""
        lengths = {len(row) for row in rows.values()}
        if len(lengths) != 1 or 0 in lengths:
            raise WrongTable("a table has rows, all with as many probabilities, which are at least one")
        known: dict[Term, Value] = {}
        domains: dict[str, Domain] = {}
        return Table({key: _row(key, row, known, domains) for key, row in rows.items()})

    # what rows promise

    def check(
        self, notion: str, promised: Iterable[tuple[Key, Key, Values]], orders: Orders | None = None
    ) -> Finding:
        """Whether M keeps a notion's promise at all pairs of rows, in both orders, for all parameters.

        notion -- one of `promises.CHECKED` or `orders.BOUNDS`; promised -- pairs of keys, with what is
        promised of them, such as {"epsilon": …, "delta": …}: ∞ promises nothing; orders -- of divergences.
        """
        both = (one for D, E, values in promised for one in ((D, E, values), (E, D, values)))
        return self.check_in_order(notion, both, orders)

    def check_in_order(
        self, notion: str, promised: Iterable[tuple[Key, Key, Values]], orders: Orders | None = None
    ) -> Finding:
        """The same at pairs of rows in the order that they are given in."""
        undecided: Finding | None = None
        for values, pairs in self._by_promise(promised):
            for D, E in self._deciding(notion, values, pairs):
                try:
                    broken = promises.broken(notion, self.rows[D], self.rows[E], values, orders)
                except NotDecided as error:
                    words = f"{error}, at {D} and {E}"
                    undecided = undecided or Finding("undecided", words, str(error), (D, E))
                    continue
                if broken is not None:
                    return self._refuted(broken, D, E)
        return undecided or PROVED

    def _by_promise(self, promised: Iterable[tuple[Key, Key, Values]]) -> list[tuple[Values, list[Pair]]]:
        """For each promise the pairs that it is about; of pairs of equal rows one."""
        domains = exponentials.letters(*(p for row in self.rows.values() for p in row))
        groups: dict[tuple[tuple[str, Term], ...], dict[tuple[int, int], Pair]] = {}
        known: dict[int, tuple[Values, dict[tuple[int, int], Pair]]] = {}  # equal values are often one object
        numbered = self._numbered
        for D, E, values in promised:
            if id(values) not in known:
                for name, domain in (item for value in values.values() for item in value.letters.items()):
                    if domains.setdefault(name, domain) != domain:
                        said = f"{name} is {domain} in what is promised, and {domains[name]} before"
                        raise WrongTable(said)
                known[id(values)] = values, groups.setdefault(tuple(sorted(values.items())), {})
            known[id(values)][1].setdefault((numbered[D], numbered[E]), (D, E))
        return [(dict(values), list(group.values())) for values, group in groups.items()]

    @cached_property
    def _numbered(self) -> Mapping[Key, int]:
        """A number for each row; equal rows have one."""
        numbers: dict[tuple[Value, ...], int] = {}
        return {key: numbers.setdefault(row, len(numbers)) for key, row in self.rows.items()}

    def _deciding(self, notion: str, values: Values, pairs: list[Pair]) -> Sequence[Pair]:
        """Of pairs of rows of numbers those that decide a promise for all of them.

        That with the largest ratio decides pure privacy, and may show zCDP; those with the largest excess
        P(S) − e^ε·Q(S) decide (ε, δ)-privacy, which falls with e^ε: an irrational one is enclosed.
        """
        rows = self._whole
        if rows is None or len(pairs) <= 2 or notion not in ("pure", "approximate", "zcdp"):
            return pairs
        if notion != "approximate":
            ratios = [(_ratio(rows[D], rows[E]), (D, E)) for D, E in pairs]
            most = ratios[0]
            for ratio in ratios:
                if ratio[0][0] * most[0][1] > most[0][0] * ratio[0][1]:
                    most = ratio
            if notion == "pure":
                return [most[1]]
            D, E = most[1]
            if promises.shows_all_zcdp(self.rows[D], self.rows[E], values["rho"]):
                return [most[1]]
            return list(dict.fromkeys([most[1], *pairs]))
        try:
            power = entries.power(values["epsilon"])
            if exponentials.letters(power):
                return pairs
            t = exponentials.enclosed(power, 30)
        except NotDecided:
            return pairs
        at_least = max(_excess(rows[D], rows[E], t.high) for D, E in pairs) * t.low.denominator
        found = [pair for pair in pairs if self._may_have(pair, t, at_least)]
        return found[:1] if t.low == t.high else found

    def _may_have(self, pair: Pair, t: Interval, excess: int) -> bool:
        """Whether a pair may have so large an excess at a number in t, in units of both denominators."""
        assert self._whole is not None
        P, Q = (self._whole[key] for key in pair)
        return _excess(P, Q, t.low) * t.high.denominator >= excess

    @cached_property
    def _whole(self) -> Mapping[Key, tuple[int, ...]] | None:
        """Tables of numbers as whole numbers over one denominator; None where it is too long."""
        values = [p for row in self.rows.values() for p in row]
        if not all(isinstance(p, Fraction) for p in values):
            return None
        common = 1
        for denominator in {p.denominator for p in values if isinstance(p, Fraction)}:
            common = lcm(common, denominator)
            if common.bit_length() > LONGEST:
                return None
        return {
            key: tuple(int(p * common) for p in row if isinstance(p, Fraction))
            for key, row in self.rows.items()
        }

    def _refuted(self, broken: Broken, D: Key, E: Key) -> Finding:
        words = f"{broken.words}, at {D} and {E}"
        if broken.event:
            p, q = (
                to_text(exponentials.as_term(divergences.total(self.rows[key], broken.event)))
                for key in (D, E)
            )
            words = f"the event has probability {p} at {D}, {q} at {E}, {broken.words}"
        return Finding("refuted", words, broken.words, (D, E), broken.event, broken.point)

    def check_depends(self, fibre: Mapping[Key, Key]) -> Finding:
        """Whether M depends on f(D) only: rows of one value of f are equal (GB Def. IV.8).

        fibre -- D ↦ f(D), for every key.
        """
        first: dict[Key, Key] = {}
        for E, row in self.rows.items():
            D = first.setdefault(fibre[E], E)
            for o, (p, q) in enumerate(zip(self.rows[D], row, strict=True)):
                if not exponentials.same(p, q):
                    here, there = (to_text(exponentials.as_term(x)) for x in (p, q))
                    words = f"the event has probability {here} at {D}, {there} at {E}"
                    return Finding("refuted", words, pair=(D, E), event=(o,))
        return PROVED

    # what rows lose

    def loss(self, D: Key, E: Key) -> Term:
        """The pure loss: the logarithm of the largest P(o)/Q(o), which a row that adds up to 1 has."""
        ratios = divergences.ratios(self.rows[D], self.rows[E])
        values = [attained.value for attained, _ in divergences.largest((one, None) for one in ratios)]
        if INFINITE in values:
            return terms.INFINITY
        return terms.largest(*(exponentials.log_of(value) for value in values if value is not None))


def _ratio(P: Sequence[int], Q: Sequence[int]) -> tuple[int, int]:
    """The largest p/q, as p and q; q = 0: ∞."""
    most, over = 0, 1
    for p, q in zip(P, Q, strict=True):
        if p * over > most * q:
            if q == 0:
                return 1, 0
            most, over = p, q
    return most, over


def _excess(P: Sequence[int], Q: Sequence[int], t: Fraction) -> int:
    """Σ max(0, p − t·q), times the denominator of t."""
    a, b = t.numerator, t.denominator
    return sum(more for p, q in zip(P, Q, strict=True) if (more := b * p - a * q) > 0)


# rows


def _row(
    key: Key, row: Sequence[Term], known: dict[Term, Value], domains: dict[str, Domain]
) -> tuple[Value, ...]:
    """The values of a row that is checked: entries ≥ 0 for all parameters, which add up to 1."""
    values = []
    for entry in row:
        for name, domain in entry.letters.items():
            if domains.setdefault(name, domain) != domain:
                raise WrongTable(f"row {key}: {name} is {domain} here, and {domains[name]} before")
        if entry not in known:
            known[entry] = _probability(key, entry)
        values.append(known[entry])
    added = divergences.total(values, tuple(range(len(values))))
    if not exponentials.same(added, Fraction(1)):
        shown = to_text(exponentials.as_term(added))
        raise WrongTable(f"row {key}: the probabilities add up to {shown}, not 1")
    return tuple(values)


def _probability(key: Key, entry: Term) -> Value:
    """The value of an entry.  Raises WrongTable where it may be negative."""
    try:
        value = entries.read(entry)
        point = is_at_least(value, Fraction(0))
    except NotExponential as error:
        raise WrongTable(f"row {key}: {error}") from None
    except NotDecided as error:
        raise WrongTable(
            f"row {key}: nothing shows that {to_text(entry)} is never negative ({error})"
        ) from None
    if point is not None:
        where = f" at {', '.join(f'{name} = {x}' for name, x in sorted(point.items()))}" if point else ""
        raise WrongTable(f"row {key}: the probability {to_text(entry)} is negative{where}")
    return value
