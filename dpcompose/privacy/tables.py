"""Mechanisms made of probabilities: finite tables, and what they lose, exactly.

A table has a row for each database (or input) and a column for each outcome; its entries are
rationals, or quotients of sums of rational multiples of powers of e in parameters, such as
e^ε/(1 + e^ε), and each row adds up to 1.  What a mechanism only promises can be checked on its
table: that it is private, and that it depends on what it reads only.

>>> from dpcompose.privacy.notions import pure
>>> from dpcompose.spaces.granularities import pairs
>>> line = pairs("next", [("a", "b"), ("b", "c")])
>>> T = probability_table({"a": ["1/2", "1/2"], "b": ["1/4", "3/4"], "c": ["1/8", "7/8"]}, "yes no".split())
>>> T.loss(line)
log(2), at D = a, D' = b and the outcome yes
>>> T.check(pure("log(3/2)", line))
refuted: P(yes) = 1/2 at D = a, 1/4 at D' = b, which is more than exp(log(3/2)) times as much
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dpcompose.kernel import terms
from dpcompose.kernel.deciders import divergences, entries, exponentials
from dpcompose.kernel.deciders.divergences import INFINITE, Attained, Piece
from dpcompose.kernel.deciders.entries import NotExponential
from dpcompose.kernel.deciders.exponentials import NotDecided, Point, Value
from dpcompose.kernel.deciders.promises import METRIC_FORMS, Broken, broken, power
from dpcompose.kernel.deciders.signs import is_at_least
from dpcompose.kernel.terms import INFINITY, Term
from dpcompose.language import formulas
from dpcompose.language.shown import Shown
from dpcompose.language.symbols import Domain, domain_of
from dpcompose.privacy import nearest
from dpcompose.privacy.nearest import NEAREST
from dpcompose.privacy.notions import Guarantee
from dpcompose.spaces.databases import Database, DatabaseClass
from dpcompose.spaces.finite import finite
from dpcompose.spaces.granularities import Granularity
from dpcompose.spaces.graphs import is_large, neighbourhood_graph
from dpcompose.spaces.listed import Listed
from dpcompose.spaces.maps import Map

if TYPE_CHECKING:
    import sympy
    from networkx import Graph

Outcome = Hashable
Pair = tuple[Database, Database]


class WrongTable(ValueError):
    """The probabilities are none, or do not fit together; the message says in which row."""


@dataclass(frozen=True, repr=False)
class Worst(Shown):
    """What is largest over pairs of databases: the maximum of `values`, each with its pair and event.

    values -- exact; more than one only where it depends on the parameters which is larger; None is ∞;
    pairs, events -- the database pair (D, D') of each, and the outcomes: P is the distribution at D;
    term -- the quantity: log of the largest ratio for pure losses.
    """

    values: tuple[Value | None, ...]
    pairs: tuple[Pair, ...]
    events: tuple[tuple[Outcome, ...], ...]
    term: Term
    databases: DatabaseClass

    @property
    def expression(self) -> sympy.Expr:
        """The quantity as a sympy expression."""
        return formulas.expression(self.term)

    @property
    def pair(self) -> Pair:
        """The pair of the first value."""
        return self.pairs[0]

    @property
    def event(self) -> tuple[Outcome, ...]:
        """The outcomes of the first value."""
        return self.events[0]

    def __repr__(self) -> str:
        shown = formulas.to_text(self.term)
        if not self.pairs:
            return f"{shown}, there being no neighbours"
        D, E = map(self.databases.printed, self.pair)
        return f"{shown}, at D = {D}, D' = {E}{_at(self.event)}"

    def _line(self) -> Sequence[str | sympy.Expr]:
        return [self.expression, repr(self).removeprefix(formulas.to_text(self.term))]


def _at(event: Sequence[Outcome]) -> str:
    if not event:
        return ""
    if len(event) == 1:
        return f" and the outcome {_name(event[0])}"
    return f" and the outcomes {', '.join(map(_name, event))}"


def _name(outcome: Outcome) -> str:
    """An outcome in results; tuples of outcomes in parentheses."""
    return f"({', '.join(map(_name, outcome))})" if isinstance(outcome, tuple) else str(outcome)


@dataclass(frozen=True, repr=False)
class Finding(Shown):
    """What a check on a table showed.

    verdict -- "proved" (for all allowed parameters), "refuted" (by the witness) or "undecided";
    words -- what was gone through, what the witness shows, or why it is undecided;
    pair, event, point -- refuted: the two databases, the outcomes and the values of the parameters.
    """

    verdict: str
    words: str
    pair: Pair | None = None
    event: tuple[Outcome, ...] = ()
    point: Point = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether it was proved."""
        return self.verdict == "proved"

    def __repr__(self) -> str:
        return f"{self.verdict}: {self.words}"


@dataclass(frozen=True, repr=False, eq=False)
class ProbabilityTable:
    """M as its probabilities: rows[D][o] = P(M(D) = outcomes[o]).  `probability_table` makes and checks it.

    databases -- the class: one row for each of its databases;
    domains -- the values that the parameters of the entries may take.
    """

    databases: DatabaseClass
    outcomes: tuple[Outcome, ...]
    rows: Mapping[Database, tuple[Value, ...]]
    domains: Mapping[str, Domain] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.outcomes or len(set(self.outcomes)) < len(self.outcomes):
            raise WrongTable("the outcomes of a table are at least one, each listed once")
        every = list(self.databases.databases())
        for D in every:
            if D not in self.rows:
                raise WrongTable(f"there is no row for the database {self._shown(D)}")
        for D, row in self.rows.items():
            if D not in self.databases:
                raise WrongTable(f"there is a row for {D!r}, which is no database of {self.databases}")
            self._check_row(D, row)
        object.__setattr__(self, "rows", MappingProxyType({D: tuple(self.rows[D]) for D in every}))

    def _check_row(self, D: Database, row: Sequence[Value]) -> None:
        if len(row) != len(self.outcomes):
            raise WrongTable(
                f"row {self._shown(D)} has {len(row)} probabilities for {len(self.outcomes)} outcomes"
            )
        for o, p in enumerate(row):
            try:
                point = is_at_least(p, Fraction(0))
            except NotDecided as error:
                raise WrongTable(
                    f"row {self._shown(D)}: nothing shows that P({_name(self.outcomes[o])}) = "
                    f"{self._text(p)} is never negative ({error})"
                ) from None
            if point is not None:
                raise WrongTable(
                    f"row {self._shown(D)}: P({_name(self.outcomes[o])}) = {self._text(p)} is "
                    f"negative{_where(point)}"
                )
        added = divergences.total(row, tuple(range(len(row))))
        if not exponentials.same(added, Fraction(1)):
            raise WrongTable(f"row {self._shown(D)}: the probabilities add up to {self._text(added)}, not 1")

    # what it is made of

    @cached_property
    def rational(self) -> bool:
        """Whether all probabilities are rational numbers."""
        return all(isinstance(p, Fraction) for row in self.rows.values() for p in row)

    def __getitem__(self, at: tuple[Database, Outcome]) -> sympy.Expr:
        """P(M(D) = o) as a sympy expression: table[D, o]."""
        return formulas.expression(self.probability(*at))

    def probability(self, D: Database, outcome: Outcome) -> Term:
        """The same as a term."""
        return exponentials.as_term(self.rows[D][self.outcomes.index(outcome)])

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ProbabilityTable)
            and self.outcomes == other.outcomes
            and set(self.rows) == set(other.rows)
            and all(_equal(row, other.rows[D]) for D, row in self.rows.items())
        )

    def __hash__(self) -> int:
        return hash((self.outcomes, frozenset(self.rows)))

    def _shown(self, D: Database) -> str:
        return self.databases.printed(D) if D in self.databases else repr(D)

    def _text(self, value: Value) -> str:
        return formulas.to_text(exponentials.as_term(value))

    def __repr__(self) -> str:
        return f"table of {len(self.rows)} databases and {len(self.outcomes)} outcomes"

    def _repr_html_(self) -> str:
        from dpcompose.language.latex import formula_html, text_html

        head = "".join(f"<th>{text_html(_name(outcome))}</th>" for outcome in self.outcomes)
        rows = ""
        for D, row in self.rows.items():
            cells = "".join(f"<td>{formula_html(self._expression(p))}</td>" for p in row)
            rows += f"<tr><th>{text_html(self._shown(D))}</th>{cells}</tr>"
        return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table>"

    def _repr_latex_(self) -> str:
        from dpcompose.language.latex import latex
        from dpcompose.language.writing import text_latex

        head = " & ".join(["", *(rf"\text{{{text_latex(_name(outcome))}}}" for outcome in self.outcomes)])
        rows = [
            " & ".join(
                [rf"\text{{{text_latex(self._shown(D))}}}", *(latex(self._expression(p)) for p in row)]
            )
            for D, row in self.rows.items()
        ]
        body = r" \\ ".join([head + r" \\ \hline " + rows[0], *rows[1:]])
        return rf"$\begin{{array}}{{l|{'c' * len(self.outcomes)}}} {body} \end{{array}}$"

    @staticmethod
    def _expression(p: Value) -> sympy.Expr:
        return formulas.expression(exponentials.as_term(p))

    def data(self) -> dict[str, Any]:
        """As a problem file writes it: outcomes, and for each database its probabilities as formulas."""
        return {
            "outcomes": [_name(outcome) for outcome in self.outcomes],
            "rows": {self._shown(D): [self._text(p) for p in row] for D, row in self.rows.items()},
        }

    # tables made of tables

    def at(self, point: Mapping[Any, object]) -> ProbabilityTable:
        """The table with numbers in place of its parameters: at({"e": "1/2"}).

        >>> T = randomized_response_table("e").at({"e": 0})
        >>> T[0, 1]
        1/2
        """
        numbers: dict[str, Fraction] = {}
        for name, value in ((str(name), formulas.term(value)) for name, value in point.items()):
            if name not in self.domains:
                raise ValueError(f"{name} is no parameter; there are {', '.join(self.domains)}")
            if value.number is None:
                raise ValueError(f"{name} = {formulas.to_text(value)} is no rational number")
            numbers[name] = value.number
        if missing := [name for name in self.domains if name not in numbers]:
            raise ValueError(f"no value is given for {missing[0]}")
        return self._with(
            self.outcomes,
            {D: [exponentials.value_at(p, numbers) for p in row] for D, row in self.rows.items()},
            {},
        )

    def after(
        self, g: Mapping[Outcome, Outcome] | Callable[[Outcome], Outcome] | ProbabilityTable
    ) -> ProbabilityTable:
        """g∘M: g maps outcomes to outcomes, or is a table whose inputs are the outcomes (GB Prop. VII.1).

        Its coins are independent of those of M.
        """
        if isinstance(g, ProbabilityTable):
            second = g.rows
            outcomes: tuple[Outcome, ...] = g.outcomes
            domains: Mapping[str, Domain] = _joined(self.domains, g.domains)
        else:
            image = [g[outcome] if isinstance(g, Mapping) else g(outcome) for outcome in self.outcomes]
            outcomes = tuple(dict.fromkeys(image))
            one = {z: tuple(Fraction(int(z == w)) for w in outcomes) for z in outcomes}
            second = {outcome: one[z] for outcome, z in zip(self.outcomes, image, strict=True)}
            domains = self.domains
        if missing := [outcome for outcome in self.outcomes if outcome not in second]:
            raise WrongTable(f"what is made of the outcome {_name(missing[0])} is not said")
        rows = {}
        for D, row in self.rows.items():
            found: list[Value] = [Fraction(0)] * len(outcomes)
            for p, outcome in zip(row, self.outcomes, strict=True):
                for n, q in enumerate(second[outcome]):
                    found[n] = found[n] + p * q if q != 0 else found[n]
            rows[D] = found
        return self._with(outcomes, rows, domains)

    def then(self, second: ProbabilityTable | Mapping[Outcome, ProbabilityTable]) -> ProbabilityTable:
        """(M_1, M_2) with outcomes (y, z), where M_2 may be chosen by the outcome y of M_1 (GB Def. V.1).

        second -- a table on the same databases, or one for each outcome; its coins are independent.

        >>> from dpcompose.spaces.granularities import free_lunch
        >>> T = randomized_response_table("e")
        >>> flipped = T.after({0: 1, 1: 0})
        >>> T.then({0: T, 1: flipped}).loss(free_lunch)
        2*e, at D = 0, D' = 1 and the outcome (0, 0)
        """
        chosen = {y: second[y] if isinstance(second, Mapping) else second for y in self.outcomes}
        domains = self.domains
        for one in chosen.values():
            if set(one.rows) != set(self.rows):
                raise WrongTable("tables are composed on the same databases")
            domains = _joined(domains, one.domains)
        outcomes = tuple((y, z) for y in self.outcomes for z in chosen[y].outcomes)
        rows = {
            D: [p * q for p, y in zip(row, self.outcomes, strict=True) for q in chosen[y].rows[D]]
            for D, row in self.rows.items()
        }
        return self._with(outcomes, rows, domains)

    def reading(self, f: Map, on: DatabaseClass) -> ProbabilityTable:
        """M∘f on a class: the rows are inputs, and D gets the row of f(D).

        >>> from dpcompose.spaces.listed import listed
        >>> from dpcompose.spaces.maps import table
        >>> parity = table("parity", {n: n % 2 for n in range(4)})
        >>> randomized_response_table("e").reading(parity, listed(range(4)))[3, 1]
        exp(e)/(exp(e) + 1)
        """
        rows = {}
        for D in on.databases():
            if f(D) not in self.rows:
                raise WrongTable(f"there is no row for {f(D)!r}, the input from {on.printed(D)}")
            rows[D] = self.rows[f(D)]
        return ProbabilityTable(on, self.outcomes, rows, self.domains)

    def written(self, names: Mapping[Database, str]) -> ProbabilityTable:
        """The same with names as databases, and with outcomes as the texts that results show."""
        rows: dict[Database, tuple[Value, ...]] = {names[D]: row for D, row in self.rows.items()}
        return ProbabilityTable(Listed(tuple(rows)), tuple(map(_name, self.outcomes)), rows, self.domains)

    def marginal(self, *which: int) -> ProbabilityTable:
        """Of a joint table, whose outcomes are tuples, the distribution of some entries; counted from 1."""
        if not all(isinstance(o, tuple) and max(which) <= len(o) for o in self.outcomes) or min(which) < 1:
            raise WrongTable(f"the outcomes are no tuples with the entries {', '.join(map(str, which))}")
        if len(which) == 1:
            return self.after(lambda o: o[which[0] - 1])  # type: ignore[index]
        return self.after(lambda o: tuple(o[i - 1] for i in which))  # type: ignore[index]

    def check_independent(self) -> Finding:
        """Whether the entries of the outcomes of a joint table are independent, for every database."""
        lengths = {len(o) if isinstance(o, tuple) else 0 for o in self.outcomes}
        if len(lengths) > 1 or lengths == {0}:
            raise WrongTable("independence is about tables whose outcomes are tuples of one length")
        k = lengths.pop()
        alone = [self.marginal(i) for i in range(1, k + 1)]
        place = {outcome: n for n, outcome in enumerate(self.outcomes)}
        for D, row in self.rows.items():
            for outcome in product(*(one.outcomes for one in alone)):
                p = row[place[outcome]] if outcome in place else Fraction(0)
                apart: Value = Fraction(1)
                for one, y in zip(alone, outcome, strict=True):
                    apart = apart * one.rows[D][one.outcomes.index(y)]
                if not exponentials.same(p, apart):
                    return Finding(
                        "refuted",
                        f"at {self._shown(D)} the outcome {_name(outcome)} has probability {self._text(p)}; "
                        f"of independent ones it would be {self._text(apart)}",
                        (D, D),
                        (outcome,),
                    )
        return Finding("proved", f"all outcomes of {len(self.rows)} databases")

    def _with(
        self,
        outcomes: Sequence[Outcome],
        rows: Mapping[Database, Sequence[Value]],
        domains: Mapping[str, Domain],
    ) -> ProbabilityTable:
        """Another table on the same databases."""
        return ProbabilityTable(
            self.databases, tuple(outcomes), {D: tuple(row) for D, row in rows.items()}, domains
        )

    # what it loses

    @cached_property
    def _order(self) -> list[Database]:
        return list(self.rows)

    def _pairs(self, granularity: Granularity, graph: Graph | None = None) -> list[tuple[int, int]]:
        """The neighbours, in both orders, by the places of their rows."""
        place = {D: n for n, D in enumerate(self._order)}
        if graph is None:
            self._check_fit(granularity)
            if is_large(self.databases):
                ends = self._edges(granularity)
                found = list(zip(*(some.tolist() for some in ends), strict=True))
                return [pair for i, j in found for pair in ((i, j), (j, i))]
            graph = neighbourhood_graph(self.databases, granularity)
        found = sorted(tuple(sorted((place[D], place[E]))) for D, E in graph.edges)
        return [pair for i, j in found for pair in ((i, j), (j, i))]

    def _check_fit(self, granularity: Granularity) -> None:
        if unfit := granularity.unfit(self.databases):
            raise ValueError(f"{unfit}; say of which class the rows are: on = dpcompose.multisets(...)")

    def _edges(self, granularity: Granularity) -> tuple[Any, Any]:
        """The neighbours (i, j), i < j, in lexicographic order, as two arrays."""
        import numpy

        self._check_fit(granularity)
        first, second = finite(self.databases, granularity).edges()
        least, most = numpy.minimum(first, second), numpy.maximum(first, second)
        order = numpy.argsort(least.astype(numpy.int64) * len(self.rows) + most)
        return least[order], most[order]

    @cached_property
    def _logarithms(self) -> tuple[Any, Any] | None:
        """For rational tables: see `nearest.logarithms`."""
        return nearest.logarithms(list(self.rows.values()))  # type: ignore[arg-type]

    def _worst(
        self,
        granularity: Granularity,
        exact: Callable[[Sequence[Value], Sequence[Value]], Iterable[Attained]],
        near: Callable[[list[tuple[int, int]]], Sequence[tuple[int, int]]] | None = None,
    ) -> list[tuple[Attained, Pair]]:
        """The largest values over neighbours, ∞ alone where there is one.

        near -- leaves out pairs that are surely not the worst, of rational tables.
        """
        pairs: Sequence[tuple[int, int]] = self._pairs(granularity)
        if near is not None and self.rational:
            pairs = near(list(pairs))
        return self._largest(exact, pairs)

    def _largest(
        self,
        exact: Callable[[Sequence[Value], Sequence[Value]], Iterable[Attained]],
        pairs: Sequence[tuple[int, int]],
    ) -> list[tuple[Attained, Pair]]:
        """The largest values over pairs of rows."""
        order, rows = self._order, self.rows
        at = (((D, E), rows[D], rows[E]) for D, E in ((order[i], order[j]) for i, j in pairs))
        found = ((one, pair) for pair, P, Q in at for one in exact(P, Q))
        return divergences.largest(found)

    def _result(
        self,
        found: Sequence[tuple[Attained, Pair]],
        least: int,
        written: Callable[[Value], Term] = exponentials.as_term,
    ) -> Worst:
        """The values with their pairs; `least` where there are no neighbours."""
        values = tuple(one.value for one, _ in found)
        finite = [Fraction(least)] if not values else [value for value in values if value is not None]
        shown = INFINITY if INFINITE in values else terms.largest(*map(written, finite))
        return Worst(
            values,
            tuple(pair for _, pair in found),
            tuple(tuple(self.outcomes[o] for o in one.event) for one, _ in found),
            shown,
            self.databases,
        )

    def _near(self, t: Fraction | None) -> Callable[[list[tuple[int, int]]], Sequence[tuple[int, int]]]:
        return lambda pairs: nearest.near_largest(list(self.rows.values()), pairs, t)  # type: ignore[arg-type]

    def loss(self, granularity: Granularity) -> Worst:
        """The pure loss: the least ε with which M is ε-DP for these neighbours, log of the largest ratio.

        Exact: `values` holds the ratio itself; oo where an outcome is possible at one neighbour only.

        >>> from dpcompose.spaces.granularities import free_lunch
        >>> T = randomized_response_table("e")
        >>> T.loss(free_lunch).expression
        e
        """
        if is_large(self.databases) and self.rational and self._logarithms is not None:
            pairs = nearest.pairs_of_largest_ratio(*self._logarithms, *self._edges(granularity))
            found = self._largest(divergences.ratios, pairs)
        else:
            found = self._worst(granularity, divergences.ratios, self._near(None))
        return self._result(found, 1, exponentials.log_of)

    def delta(self, epsilon: object, granularity: Granularity) -> Worst:
        """δ(ε): the least δ with which M is (ε, δ)-DP, the largest Σ max(0, P(o) − e^ε·Q(o)).

        epsilon -- a number or a formula, such as "log(3/2)" where e^ε is to be rational; for rational ε
        the result is exact too, as a sum of powers of e.

        >>> from dpcompose.spaces.granularities import free_lunch
        >>> T = randomized_response_table("1")
        >>> T.delta("1/2", free_lunch).expression
        (E - exp(1/2))/(1 + E)
        """
        t = self._power(epsilon)
        near = self._near(t) if isinstance(t, Fraction) else None
        return self._result(self._worst(granularity, lambda P, Q: divergences.excesses(P, Q, t), near), 0)

    def delta_curve(self, granularity: Granularity, start: Fraction | int = 1) -> tuple[Piece, ...]:
        """δ as a function of t = e^ε from `start` on, of a table of rational numbers: piecewise linear in t.

        Each piece says from which t on δ = constant − slope·t.

        >>> from dpcompose.spaces.granularities import free_lunch
        >>> T = probability_table({"a": ["3/4", "1/4"], "b": ["1/4", "3/4"]})
        >>> [(str(p.start), str(p.constant), str(p.slope)) for p in T.delta_curve(free_lunch)]
        [('1', '3/4', '1/4'), ('3', '0', '0')]
        """
        if not self.rational:
            raise ValueError("the curve is made for tables of rational numbers; delta(...) is for all")
        lines = {(Fraction(0), Fraction(0))}
        rows = list(self.rows.values())
        for i, j in self._pairs(granularity):
            for event in divergences.nested_events(rows[i], rows[j]):
                lines.add(
                    (
                        _fraction(divergences.total(rows[i], event)),
                        _fraction(divergences.total(rows[j], event)),
                    )
                )
        return divergences.envelope(lines, Fraction(start))

    def renyi(self, order: int, granularity: Granularity) -> Worst:
        """D_α, the largest Rényi divergence of a whole order α ≥ 2 over neighbours.

        `values` holds Σ P(o)^α·Q(o)^(1−α), of which D_α is the logarithm over α − 1.

        >>> from dpcompose.spaces.granularities import free_lunch
        >>> T = probability_table({"a": ["1/2", "1/2"], "b": ["1/3", "2/3"]})
        >>> T.renyi(2, free_lunch)
        log(9/8), at D = a, D' = b and the outcomes 0, 1
        """
        if type(order) is not int or order < 2:
            raise ValueError(f"the order is a whole number from 2, not {order!r}")
        rows: Any = list(self.rows.values())
        found = self._worst(
            granularity,
            lambda P, Q: [divergences.moment(P, Q, order)],
            lambda pairs: nearest.near_largest_moment(rows, pairs, order),
        )
        return self._result(found, 1, lambda value: exponentials.log_of(value) / (order - 1))

    def renyi_between(self, order: object, D: Database, E: Database) -> sympy.Expr:
        """D_α(M(D)‖M(E)) at a rational order α ≥ 1, or ∞, as an exact sympy expression (GB Def. VI.9).

        D_1 is the mean of the loss; D_∞ the largest loss, so M is d-private where D_∞ ≤ d(D, E) for all D, E.

        >>> T = probability_table({"a": ["1/2", "1/2"], "b": ["1/4", "3/4"]})
        >>> T.renyi_between("3/2", "a", "b")
        2*log(sqrt(6)/6 + sqrt(2)/2)
        >>> T.renyi_between("oo", "a", "b")
        log(2)
        """
        alpha = formulas.term(order)
        if alpha != INFINITY and (alpha.number is None or alpha.number < 1):
            raise ValueError(f"the order is a rational number from 1, or oo, not {order!r}")
        both = [(p, q) for p, q in zip(self.rows[D], self.rows[E], strict=True) if p != 0]
        if any(q == 0 for _, q in both):
            return formulas.expression(INFINITY)
        rows = [(exponentials.as_term(p), exponentials.as_term(q)) for p, q in both]
        return formulas.expression(_renyi(rows, alpha))

    def trade_off(self, D: Database, E: Database) -> tuple[tuple[sympy.Expr, sympy.Expr], ...]:
        """T(M(D), M(E)) as its vertices (α, β), α increasing: between them it is linear (GB Def. VI.17).

        β is the least probability to miss E of a test that takes D for E with probability α; the best
        tests reject D where P(o)/Q(o) is smallest (Neyman and Pearson).

        >>> T = probability_table({"a": ["3/4", "1/4"], "b": ["1/4", "3/4"]})
        >>> T.trade_off("a", "b")
        ((0, 1), (1/4, 1/4), (1, 0))
        """
        P, Q = self.rows[D], self.rows[E]
        corners = {}
        for event in divergences.nested_events(Q, P):
            alpha, beta = divergences.total(P, event), Fraction(1) - divergences.total(Q, event)
            corners[self._expression(alpha)] = self._expression(beta)
        return tuple(corners.items())

    def _power(self, epsilon: object) -> Value:
        """e^ε as a value."""
        return power(_given(formulas.term(epsilon), self.domains))

    # what it promises

    def check(self, guarantee: Guarantee, graph: Graph | None = None) -> Finding:
        """Whether M satisfies a guarantee for its neighbours, for all allowed parameters.

        Pure and (ε, δ) guarantees are decided by their definitions, Gaussian ones of tables without
        parameters by their trade-off functions.  ρ-zCDP is refuted at some Rényi orders
        (`promises.ORDERS`), and shown from the pure loss where that is enough.
        graph -- the neighbours; left out: those of the guarantee's granularity on the class.

        >>> from dpcompose.spaces.granularities import free_lunch
        >>> from dpcompose.privacy.notions import zcdp
        >>> T = randomized_response_table("1")
        >>> T.check(zcdp("9/20", free_lunch))
        refuted: the Rényi divergence of order 101/100 is above 909/2000, at D = 0, D' = 1
        >>> T.check(zcdp("1/2", free_lunch)).verdict
        'proved'
        """
        granularity = guarantee.about_granularity
        pairs: Sequence[tuple[int, int]] = self._pairs(granularity, graph)
        words = f"all {len(pairs) // 2} pairs of {granularity} neighbours"
        promised = {key: _given(value, self.domains) for key, value in guarantee.terms}
        if guarantee.notion in NEAREST and self.rational:
            with suppress(NotDecided):
                rows: Any = list(self.rows.values())
                pairs = NEAREST[guarantee.notion](rows, pairs, promised)
        return self._check(guarantee.notion, ((i, j, promised) for i, j in pairs), words)

    def check_metric(self, distance: Callable[[Database, Database], Any], notion: str = "pure") -> Finding:
        """Whether M is private in a metric d, for every two databases (GB Def. III.2, VI.2, VI.11, VI.19).

        distance -- (D, E) ↦ d(D, E), a number or expression, oo where nothing is promised; with
        notion = "approximate" the pair (d, δ) of them.  Zero-concentrated privacy in d is D_α ≤ α·d².

        >>> T = probability_table({0: ["1/2", "1/2"], 1: ["1/4", "3/4"], 2: ["1/8", "7/8"]})
        >>> T.check_metric(lambda D, E: f"{abs(D - E)}*log(2)").verdict
        'proved'
        """
        if notion not in METRIC_FORMS:
            raise ValueError(
                f"no table is checked for {notion} privacy in a metric; {', '.join(METRIC_FORMS)} are"
            )

        def promises() -> Iterator[tuple[int, int, Mapping[str, Term]]]:
            for (i, D), (j, E) in product(enumerate(self._order), repeat=2):
                if i != j:
                    found = distance(D, E)
                    both = found if isinstance(found, tuple) else (found,)
                    values = [_given(formulas.term(d), self.domains) for d in both]
                    yield i, j, METRIC_FORMS[notion](values)

        return self._check(notion, promises(), f"every two of {len(self.rows)} databases")

    def _check(
        self, notion: str, promises: Iterable[tuple[int, int, Mapping[str, Term]]], words: str
    ) -> Finding:
        rows, undecided = list(self.rows.values()), ""
        for i, j, promised in promises:
            try:
                found = broken(notion, rows[i], rows[j], promised)
            except NotDecided as error:
                undecided = undecided or f"{error}, at {self._both(i, j)}"
                continue
            if found is not None:
                return self._refuted(found, i, j)
        return Finding("undecided", undecided) if undecided else Finding("proved", words)

    def _both(self, i: int, j: int) -> str:
        return f"D = {self._shown(self._order[i])}, D' = {self._shown(self._order[j])}"

    def _refuted(self, found: Broken, i: int, j: int) -> Finding:
        D, E = self._order[i], self._order[j]
        event = tuple(self.outcomes[o] for o in found.event)
        words = f"{found.words}, at {self._both(i, j)}{_where(found.point, ', for')}"
        if event:
            p, q = (self._text(divergences.total(self.rows[x], found.event)) for x in (D, E))
            words = (
                f"P({' or '.join(map(_name, event))}) = {p} at D = {self._shown(D)}, {q} at D' = "
                f"{self._shown(E)}, {found.words}{_where(found.point, ', for')}"
            )
        return Finding("refuted", words, (D, E), event, found.point)

    def check_depends(self, f: Map) -> Finding:
        """Whether M depends on f(D) only: databases with one value of f have one row (GB Def. IV.8)."""
        first: dict[Database, Database] = {}
        for E, row in self.rows.items():
            D = first.setdefault(f(E), E)
            for outcome, p, q in zip(self.outcomes, self.rows[D], row, strict=True):
                if not exponentials.same(p, q):
                    return Finding(
                        "refuted",
                        f"{f.written('D')} is the same for D = {self._shown(D)} and D' = {self._shown(E)}, "
                        f"but P({_name(outcome)}) = {self._text(p)} at D, {self._text(q)} at D'",
                        (D, E),
                        (outcome,),
                    )
        return Finding("proved", f"equal rows wherever {f.written('D')} is equal")


def _equal(row: Sequence[Value], other: Sequence[Value]) -> bool:
    return all(exponentials.same(p, q) for p, q in zip(row, other, strict=True))


def _fraction(value: Value) -> Fraction:
    assert isinstance(value, Fraction)
    return value


def _where(point: Point, front: str = " at") -> str:
    return f"{front} {', '.join(f'{name} = {x}' for name, x in sorted(point.items()))}" if point else ""


def _joined(first: Mapping[str, Domain], second: Mapping[str, Domain]) -> dict[str, Domain]:
    for name in {*first} & {*second}:
        if first[name] != second[name]:
            raise WrongTable(f"two parameters are called {name}: one is {first[name]}, one {second[name]}")
    return {**first, **second}


def _domains_of(given: Term, known: Mapping[str, Domain]) -> dict[str, Domain]:
    """The domains of parameters that are not known yet, of sympy symbols by what these assume."""
    expression = formulas.given(given)
    if expression is None:
        return {name: domain for name, domain in given.letters.items() if name not in known}
    return {str(one): domain_of(one) for one in expression.free_symbols if str(one) not in known}


def _given(value: Term, known: Mapping[str, Domain]) -> Term:
    """A term with the domains that its parameters have here."""
    domains = {**_domains_of(value, known), **known}
    return terms.substituted(value, {name: terms.letter(name, domains[name]) for name in value.letters})


# making tables


def probability_table(
    rows: Mapping[Any, Sequence[object] | Mapping[Any, object]],
    outcomes: Iterable[Outcome] | None = None,
    on: DatabaseClass | None = None,
    parameters: Mapping[str, str] | None = None,
) -> ProbabilityTable:
    """The mechanism with P(M(D) = o) = rows[D][o], checked: entries ≥ 0, rows that add up to 1.

    rows -- for each database its probabilities, in the order of the outcomes, or by outcome, those left
    out being 0: numbers that are no floats, sympy expressions, or formulas such as "exp(e)/(1 + exp(e))";
    outcomes -- left out: those that the rows name, or 0, 1, 2, …;
    on -- the class; left out: the listed class of the databases that have a row;
    parameters -- the values of symbols where sympy cannot say it, as in `compose`.
    Raises WrongTable, which names the row.

    >>> import dpcompose as dpc
    >>> T = dpc.probability_table({"a": {"yes": "1/3", "no": "2/3"}, "b": {"no": 1}})
    >>> T["b", "yes"], T.loss(dpc.free_lunch).expression
    (0, oo)
    >>> dpc.probability_table({"a": ["1/3", "1/3"]})
    Traceback (most recent call last):
    dpcompose.privacy.tables.WrongTable: row a: the probabilities add up to 2/3, not 1
    """
    if not rows:
        raise WrongTable("a table has at least one row")
    named = [row for row in rows.values() if isinstance(row, Mapping)]
    if outcomes is None:
        length = max((len(row) for row in rows.values() if not isinstance(row, Mapping)), default=0)
        outcomes = dict.fromkeys(o for row in named for o in row) if named else range(length)
    columns = tuple(outcomes)
    domains = {name: Domain.read(words) for name, words in (parameters or {}).items()}
    read = {}
    for D, row in rows.items():
        if isinstance(row, Mapping):
            if strange := [o for o in row if o not in columns]:
                raise WrongTable(f"row {D}: {_name(strange[0])} is none of the outcomes")
            row = [row.get(o, 0) for o in columns]
        read[D] = tuple(_read(D, entry, domains) for entry in row)
    return ProbabilityTable(Listed(tuple(rows)) if on is None else on, columns, read, domains)


def _read(D: Database, entry: object, domains: dict[str, Domain]) -> Value:
    """One entry; parameters that are new are added to the domains."""
    try:
        given = formulas.term(entry)
        domains |= _domains_of(given, domains)
        return entries.read(_given(given, domains))
    except (formulas.FormulaError, terms.TermError, NotExponential, NotDecided) as error:
        raise WrongTable(f"row {D}: {error}") from None


def randomized_response_table(epsilon: object, values: Iterable[Hashable] = (0, 1)) -> ProbabilityTable:
    """Randomized response: the value itself with probability e^ε/(k − 1 + e^ε), each other equally.

    It is ε-DP where any two values are neighbours.  epsilon -- a number or formula ≥ 0; "log(3)" makes
    the probabilities rational; values -- the k ≥ 2 possible values, which are databases and outcomes.

    >>> randomized_response_table("log(3)")[0, 0]
    3/4
    >>> T = randomized_response_table("e", "abc")
    >>> T["a", "a"], T["a", "b"]
    (exp(e)/(exp(e) + 2), 1/(exp(e) + 2))
    """
    values = tuple(values)
    own = formulas.term(epsilon)
    rows = {x: [own if x == y else terms.ZERO for y in values] for x in values}
    return _proportional(rows, values, None)


def exponential_mechanism_table(
    scores: Mapping[Any, Sequence[object] | Mapping[Any, object]],
    epsilon: object,
    sensitivity: object = 1,
    on: DatabaseClass | None = None,
) -> ProbabilityTable:
    """P(M(D) = o) proportional to e^{ε·u(D, o)/(2Δ)}: the exponential mechanism on a finite range.

    scores -- for each database the score u(D, o) of each outcome: rationals; sensitivity -- Δ > 0, by how
    much a score differs at most between neighbours: then M is ε-DP for them.

    >>> from dpcompose.spaces.granularities import free_lunch
    >>> T = exponential_mechanism_table({"a": {"x": 1, "y": 0, "z": 0}, "b": {"x": 0, "y": 0, "z": 1}}, "e")
    >>> T.loss(free_lunch).expression
    e/2
    """
    given, delta = formulas.term(epsilon), formulas.term(sensitivity).number
    if delta is None or delta <= 0:
        raise WrongTable(f"the sensitivity is a positive rational number, not {sensitivity}")
    named: dict[Database, Mapping[Any, object]] = {
        D: row if isinstance(row, Mapping) else dict(enumerate(row)) for D, row in scores.items()
    }
    outcomes = tuple(dict.fromkeys(o for row in named.values() for o in row))
    rows = {}
    for D, row in named.items():
        if missing := [o for o in outcomes if o not in row]:
            raise WrongTable(f"row {D}: there is no score for {_name(missing[0])}")
        rows[D] = [given * formulas.term(row[o]) / (2 * delta) for o in outcomes]
    return _proportional(rows, outcomes, on)


def _proportional(
    exponents: Mapping[Database, Sequence[Term]], outcomes: Sequence[Outcome], on: DatabaseClass | None
) -> ProbabilityTable:
    """The table with probabilities proportional to powers of e."""
    domains: dict[str, Domain] = {}
    rows = {}
    for D, row in exponents.items():
        for exponent in row:
            domains |= _domains_of(exponent, domains)
        try:
            values = [power(_given(exponent, domains)) for exponent in row]
        except NotDecided as error:
            raise WrongTable(f"row {D}: {error}") from None
        added = divergences.total(values, tuple(range(len(values))))
        rows[D] = tuple(exponentials.divided(value, added) for value in values)
    return ProbabilityTable(Listed(tuple(rows)) if on is None else on, tuple(outcomes), rows, domains)


def independent(*tables: ProbabilityTable) -> ProbabilityTable:
    """(M_1, …, M_k), independent, on the same databases: outcomes are tuples, probabilities multiply.

    >>> from dpcompose.spaces.granularities import free_lunch
    >>> T = randomized_response_table("e")
    >>> independent(T, T).loss(free_lunch).expression
    2*e
    """
    if not tables:
        raise WrongTable("at least one table is composed")
    if any(set(one.rows) != set(tables[0].rows) for one in tables):
        raise WrongTable("tables are composed on the same databases")
    domains: dict[str, Domain] = {}
    for one in tables:
        domains = _joined(domains, one.domains)
    rows = {}
    for D in tables[0].rows:
        row: list[Value] = [Fraction(1)]
        for one in tables:
            row = [p * q for p in row for q in one.rows[D]]
        rows[D] = tuple(row)
    return ProbabilityTable(
        tables[0].databases, tuple(product(*(one.outcomes for one in tables))), rows, domains
    )


def _renyi(rows: Sequence[tuple[Term, Term]], alpha: Term) -> Term:
    """D_α of two distributions by the probabilities of their outcomes, all above 0."""
    if alpha == INFINITY:
        return terms.log(terms.top(1, [p / q for p, q in rows]))
    if alpha == terms.ONE:
        return terms.add(p * terms.log(p / q) for p, q in rows)
    order = alpha.number
    assert order is not None
    return terms.log(terms.add(p**order * q ** (1 - order) for p, q in rows)) / (order - 1)
