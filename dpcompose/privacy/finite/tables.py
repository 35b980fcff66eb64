"""Tables of probabilities in the user's hands: what they lose and promise, composed and processed, exactly.

A table has a row for each database (or input) and a column for each outcome; its entries are
rationals, or quotients of sums of rational multiples of powers of e in parameters, such as
e^ε/(1 + e^ε), and each row adds up to 1.  What a mechanism only promises can be checked on its
table: that it is private, and that it depends on what it reads only.

>>> from dpcompose.privacy.guarantees.notions import pure
>>> from dpcompose.privacy.finite.tabulated import probability_table
>>> from dpcompose.spaces.moves.relations import pairs
>>> line = pairs("next", [("a", "b"), ("b", "c")])
>>> T = probability_table({"a": ["1/2", "1/2"], "b": ["1/4", "3/4"], "c": ["1/8", "7/8"]}, "yes no".split())
>>> T.loss(line)
log(2), at D = a, D' = b and the outcome yes
>>> T.check(pure("log(3/2)", line))
refuted: P(yes) = 1/2 at D = a, 1/4 at D' = b, which is more than exp(log(3/2)) times as much
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from functools import cached_property
from itertools import permutations, product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dpcompose.kernel.deciders.calculus import exponentials
from dpcompose.kernel.deciders.calculus.exponentials import Value
from dpcompose.kernel.deciders.tables import divergences, tables
from dpcompose.kernel.deciders.tables.divergences import INFINITE, Attained
from dpcompose.kernel.deciders.tables.entries import power
from dpcompose.kernel.deciders.tables.tables import Table
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY, Term
from dpcompose.language import formulas
from dpcompose.language.symbols import Domain
from dpcompose.privacy.finite import distributions
from dpcompose.privacy.finite.distributions import METRIC_FORMS, Piece
from dpcompose.privacy.finite.findings import Finding, Outcome, Pair, Worst, outcome_text, where
from dpcompose.privacy.finite.probabilities import (
    WrongTable,
    equal_rows,
    expression,
    fraction,
    in_domains,
    joined,
    refuse_wrong_row,
    text,
)
from dpcompose.privacy.finite.rows import Edges, Rows
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.classes.listed import Listed
from dpcompose.spaces.given import Neighbours, neighbours
from dpcompose.spaces.inputs.maps import Map

if TYPE_CHECKING:
    import sympy


@frozen(repr=False, eq=False)
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
            refuse_wrong_row(self._shown(D), row, self.outcomes)
        object.__setattr__(self, "rows", MappingProxyType({D: tuple(self.rows[D]) for D in every}))

    # what it is made of

    @property
    def rational(self) -> bool:
        """Whether all probabilities are rational numbers."""
        return self._rows.rational

    @cached_property
    def _rows(self) -> Rows:
        return Rows(self.databases, self.rows)

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
            and all(equal_rows(row, other.rows[D]) for D, row in self.rows.items())
        )

    def __hash__(self) -> int:
        return hash((self.outcomes, frozenset(self.rows)))

    def _shown(self, D: Database) -> str:
        return self.databases.printed(D) if D in self.databases else repr(D)

    def __repr__(self) -> str:
        return f"table of {len(self.rows)} databases and {len(self.outcomes)} outcomes"

    def _repr_html_(self) -> str:
        from dpcompose.language.latex import formula_html, text_html

        head = "".join(f"<th>{text_html(outcome_text(outcome))}</th>" for outcome in self.outcomes)
        rows = ""
        for D, row in self.rows.items():
            cells = "".join(f"<td>{formula_html(expression(p))}</td>" for p in row)
            rows += f"<tr><th>{text_html(self._shown(D))}</th>{cells}</tr>"
        return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table>"

    def _latex(self, printer: object) -> str:
        from dpcompose.language.latex import latex
        from dpcompose.language.writing import text_latex

        head = " & ".join(
            ["", *(rf"\text{{{text_latex(outcome_text(outcome))}}}" for outcome in self.outcomes)]
        )
        rows = [
            " & ".join([rf"\text{{{text_latex(self._shown(D))}}}", *(latex(expression(p)) for p in row)])
            for D, row in self.rows.items()
        ]
        body = r" \\ ".join([head + r" \\ \hline " + rows[0], *rows[1:]])
        return rf"\begin{{array}}{{l|{'c' * len(self.outcomes)}}} {body} \end{{array}}"

    def _repr_latex_(self) -> str:
        return f"${self._latex(None)}$"

    def data(self) -> dict[str, Any]:
        """As a problem file writes it: outcomes, and for each database its probabilities as formulas."""
        return {
            "outcomes": [outcome_text(outcome) for outcome in self.outcomes],
            "rows": {self._shown(D): [text(p) for p in row] for D, row in self.rows.items()},
        }

    # tables made of tables

    def at(self, point: Mapping[Any, object]) -> ProbabilityTable:
        """The table with numbers in place of its parameters: at({"e": "1/2"}).

        >>> from dpcompose.privacy.finite.tabulated import randomized_response_table
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
            domains: Mapping[str, Domain] = joined(self.domains, g.domains)
        else:
            image = [g[outcome] if isinstance(g, Mapping) else g(outcome) for outcome in self.outcomes]
            outcomes = tuple(dict.fromkeys(image))
            identity = {z: tuple(Fraction(int(z == w)) for w in outcomes) for z in outcomes}
            second = {outcome: identity[z] for outcome, z in zip(self.outcomes, image, strict=True)}
            domains = self.domains
        if missing := [outcome for outcome in self.outcomes if outcome not in second]:
            raise WrongTable(f"what is made of the outcome {outcome_text(missing[0])} is not said")
        rows = {}
        for D, row in self.rows.items():
            values: list[Value] = [Fraction(0)] * len(outcomes)
            for p, outcome in zip(row, self.outcomes, strict=True):
                for n, q in enumerate(second[outcome]):
                    values[n] = values[n] + p * q if q != 0 else values[n]
            rows[D] = values
        return self._with(outcomes, rows, domains)

    def then(self, second: ProbabilityTable | Mapping[Outcome, ProbabilityTable]) -> ProbabilityTable:
        """(M_1, M_2) with outcomes (y, z), where M_2 may be chosen by the outcome y of M_1 (GB Def. V.1).

        second -- a table on the same databases, or one for each outcome; its coins are independent.

        >>> from dpcompose.privacy.finite.tabulated import randomized_response_table
        >>> from dpcompose.spaces.moves.built_in import free_lunch
        >>> T = randomized_response_table("e")
        >>> flipped = T.after({0: 1, 1: 0})
        >>> T.then({0: T, 1: flipped}).loss(free_lunch)
        2*e, at D = 0, D' = 1 and the outcome (0, 0)
        """
        chosen = {y: second[y] if isinstance(second, Mapping) else second for y in self.outcomes}
        domains = self.domains
        for table in chosen.values():
            if set(table.rows) != set(self.rows):
                raise WrongTable("tables are composed on the same databases")
            domains = joined(domains, table.domains)
        outcomes = tuple((y, z) for y in self.outcomes for z in chosen[y].outcomes)
        rows = {
            D: [p * q for p, y in zip(row, self.outcomes, strict=True) for q in chosen[y].rows[D]]
            for D, row in self.rows.items()
        }
        return self._with(outcomes, rows, domains)

    def reading(self, f: Map, on: DatabaseClass) -> ProbabilityTable:
        """M∘f on a class: the rows are inputs, and D gets the row of f(D).

        >>> from dpcompose.privacy.finite.tabulated import randomized_response_table
        >>> from dpcompose.spaces.classes.listed import listed
        >>> from dpcompose.spaces.inputs.maps import table
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
        return ProbabilityTable(
            Listed(tuple(rows)), tuple(map(outcome_text, self.outcomes)), rows, self.domains
        )

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
            for outcome in product(*(table.outcomes for table in alone)):
                p = row[place[outcome]] if outcome in place else Fraction(0)
                apart: Value = Fraction(1)
                for table, y in zip(alone, outcome, strict=True):
                    apart = apart * table.rows[D][table.outcomes.index(y)]
                if not exponentials.same(p, apart):
                    return Finding(
                        "refuted",
                        f"at {self._shown(D)} the outcome {outcome_text(outcome)} has probability {text(p)}; "
                        f"of independent ones it would be {text(apart)}",
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

    def _result(
        self,
        found: Sequence[tuple[Attained, Pair]],
        least: int,
        written: Callable[[Value], Term] = exponentials.as_term,
    ) -> Worst:
        """The values with their pairs; `least` where there are no neighbours."""
        values = tuple(attained.value for attained, _ in found)
        finite = [Fraction(least)] if not values else [value for value in values if value is not None]
        shown = INFINITY if INFINITE in values else terms.largest(*map(written, finite))
        return Worst(
            values,
            tuple(pair for _, pair in found),
            tuple(tuple(self.outcomes[o] for o in attained.event) for attained, _ in found),
            shown,
            self.databases,
        )

    def loss(self, granularity: Neighbours) -> Worst:
        """The pure loss: the least ε with which M is ε-DP for these neighbours, log of the largest ratio.

        Exact: `values` holds the ratio itself; oo where an outcome is possible at one neighbour only.

        >>> from dpcompose.privacy.finite.tabulated import randomized_response_table
        >>> from dpcompose.spaces.moves.built_in import free_lunch
        >>> T = randomized_response_table("e")
        >>> T.loss(free_lunch).expression
        e
        """
        return self._result(self._rows.largest_ratios(neighbours(granularity)), 1, exponentials.log_of)

    def delta(self, epsilon: object, granularity: Neighbours) -> Worst:
        """δ(ε): the least δ with which M is (ε, δ)-DP, the largest Σ max(0, P(o) − e^ε·Q(o)).

        epsilon -- a number or a formula, such as "log(3/2)" where e^ε is to be rational; for rational ε
        the result is exact too, as a sum of powers of e.

        >>> from dpcompose.privacy.finite.tabulated import randomized_response_table
        >>> from dpcompose.spaces.moves.built_in import free_lunch
        >>> T = randomized_response_table("1")
        >>> T.delta("1/2", free_lunch).expression
        (E - exp(1/2))/(1 + E)
        """
        t = power(in_domains(formulas.term(epsilon), self.domains))
        return self._result(self._rows.largest_excesses(neighbours(granularity), t), 0)

    def delta_curve(self, granularity: Neighbours, start: Fraction | int = 1) -> tuple[Piece, ...]:
        """δ as a function of t = e^ε from `start` on, of a table of rational numbers: piecewise linear in t.

        Each piece says from which t on δ = constant − slope·t.

        >>> from dpcompose.privacy.finite.tabulated import probability_table
        >>> from dpcompose.spaces.moves.built_in import free_lunch
        >>> T = probability_table({"a": ["3/4", "1/4"], "b": ["1/4", "3/4"]})
        >>> [(str(p.start), str(p.constant), str(p.slope)) for p in T.delta_curve(free_lunch)]
        [('1', '3/4', '1/4'), ('3', '0', '0')]
        """
        if not self.rational:
            raise ValueError("the curve is made for tables of rational numbers; delta(...) is for all")
        lines = {(Fraction(0), Fraction(0))}
        rows = self._rows.listed
        for i, j in self._rows.pairs(neighbours(granularity)):
            lines |= {
                (fraction(p), fraction(q)) for p, q in distributions.event_probabilities(rows[i], rows[j])
            }
        return distributions.envelope(lines, Fraction(start))

    def renyi(self, order: int, granularity: Neighbours) -> Worst:
        """D_α, the largest Rényi divergence of a whole order α ≥ 2 over neighbours.

        `values` holds Σ P(o)^α·Q(o)^(1−α), of which D_α is the logarithm over α − 1.

        >>> from dpcompose.privacy.finite.tabulated import probability_table
        >>> from dpcompose.spaces.moves.built_in import free_lunch
        >>> T = probability_table({"a": ["1/2", "1/2"], "b": ["1/3", "2/3"]})
        >>> T.renyi(2, free_lunch)
        log(9/8), at D = a, D' = b and the outcomes 0, 1
        """
        if type(order) is not int or order < 2:
            raise ValueError(f"the order is a whole number from 2, not {order!r}")
        moments = self._rows.largest_moments(neighbours(granularity), order)
        return self._result(moments, 1, lambda value: exponentials.log_of(value) / (order - 1))

    def renyi_between(self, order: object, D: Database, E: Database) -> sympy.Expr:
        """D_α(M(D)‖M(E)) at a rational order α ≥ 1, or ∞, as an exact sympy expression (GB Def. VI.9).

        D_1 is the mean of the loss; D_∞ the largest loss, so M is d-private where D_∞ ≤ d(D, E) for all D, E.

        >>> from dpcompose.privacy.finite.tabulated import probability_table
        >>> T = probability_table({"a": ["1/2", "1/2"], "b": ["1/4", "3/4"]})
        >>> T.renyi_between("3/2", "a", "b")
        2*log(sqrt(6)/6 + sqrt(2)/2)
        >>> T.renyi_between("oo", "a", "b")
        log(2)
        """
        alpha = formulas.term(order)
        if alpha != INFINITY and (alpha.number is None or alpha.number < 1):
            raise ValueError(f"the order is a rational number from 1, or oo, not {order!r}")
        return formulas.expression(distributions.renyi(self.rows[D], self.rows[E], alpha))

    def trade_off(self, D: Database, E: Database) -> tuple[tuple[sympy.Expr, sympy.Expr], ...]:
        """T(M(D), M(E)) as its vertices (α, β), α increasing: between them it is linear (GB Def. VI.17).

        β is the least probability to miss E of a test that takes D for E with probability α; the best
        tests reject D where P(o)/Q(o) is smallest (Neyman and Pearson).

        >>> from dpcompose.privacy.finite.tabulated import probability_table
        >>> T = probability_table({"a": ["3/4", "1/4"], "b": ["1/4", "3/4"]})
        >>> T.trade_off("a", "b")
        ((0, 1), (1/4, 1/4), (1, 0))
        """
        corners = distributions.trade_off(self.rows[D], self.rows[E])
        return tuple({expression(alpha): expression(beta) for alpha, beta in corners}.items())

    # what it promises

    def check(self, guarantee: Guarantee, graph: Edges | None = None) -> Finding:
        """Whether M satisfies a guarantee for its neighbours, for all allowed parameters.

        Pure and (ε, δ) guarantees are decided by their definitions, Gaussian ones of tables without
        parameters by their trade-off functions.  ρ-zCDP of these is decided at all Rényi
        orders, by bisection (`dpcompose.kernel.deciders.tables.orders`).
        graph -- the neighbours, or their pairs; left out: those of the guarantee's granularity on the class.

        >>> from dpcompose.privacy.finite.tabulated import randomized_response_table
        >>> from dpcompose.spaces.moves.built_in import free_lunch
        >>> from dpcompose.privacy.guarantees.notions import zcdp
        >>> T = randomized_response_table("1")
        >>> T.check(zcdp("9/20", free_lunch))
        refuted: the Rényi divergence of order 35/32 is above 63/128, at D = 0, D' = 1
        >>> T.check(zcdp("1/2", free_lunch)).verdict
        'proved'
        """
        if not isinstance(guarantee, Guarantee):
            raise TypeError(
                f"a guarantee is such as dpcompose.pure(1, dpcompose.free_lunch), not {guarantee!r}"
            )
        granularity, order = guarantee.about_granularity, self._rows.order
        pairs = self._rows.pairs(granularity, graph)
        promised = {key: in_domains(value, self.domains) for key, value in guarantee.terms}
        promises = ((order[i], order[j], promised) for i, j in pairs)
        findings = Table(self.rows).check_in_order(guarantee.notion, promises)
        return self._told(findings, f"all {len(pairs) // 2} pairs of {granularity} neighbours")

    def _told(self, found: tables.Finding, covered: str) -> Finding:
        """What a check showed, by the names of databases and outcomes; covered -- what was gone through."""
        if found.pair is None:
            return Finding("proved", covered)
        D, E = found.pair
        here, there, also = f"D = {self._shown(D)}", f"D' = {self._shown(E)}", where(found.point, ", for")
        event = tuple(self.outcomes[o] for o in found.event)
        words = f"{found.reason}, at {here}, {there}{also}"
        if event:
            p, q = (text(divergences.total(self.rows[x], found.event)) for x in found.pair)
            at = f"P({' or '.join(map(outcome_text, event))}) = {p} at {here}, {q} at {there}"
            words = f"{at}, {found.reason}{also}"
        return Finding(found.verdict, words, found.pair, event, found.point)

    def check_metric(self, distance: Callable[[Database, Database], Any], notion: str = "pure") -> Finding:
        """Whether M is private in a metric d, for every two databases (GB Def. III.2, VI.2, VI.11, VI.19).

        distance -- (D, E) ↦ d(D, E), a number or expression, oo where nothing is promised; with
        notion = "approximate" the pair (d, δ) of them.  Zero-concentrated privacy in d is D_α ≤ α·d².

        >>> from dpcompose.privacy.finite.tabulated import probability_table
        >>> T = probability_table({0: ["1/2", "1/2"], 1: ["1/4", "3/4"], 2: ["1/8", "7/8"]})
        >>> T.check_metric(lambda D, E: f"{abs(D - E)}*log(2)").verdict
        'proved'
        """
        if notion not in METRIC_FORMS:
            raise ValueError(
                f"no table is checked for {notion} privacy in a metric; {', '.join(METRIC_FORMS)} are"
            )

        def promises() -> Iterator[tuple[Database, Database, Mapping[str, Term]]]:
            for D, E in permutations(self.rows, 2):
                findings = distance(D, E)
                both = findings if isinstance(findings, tuple) else (findings,)
                yield D, E, METRIC_FORMS[notion]([in_domains(formulas.term(d), self.domains) for d in both])

        findings = Table(self.rows).check_in_order(notion, promises())
        return self._told(findings, f"every two of {len(self.rows)} databases")

    def check_depends(self, f: Map) -> Finding:
        """Whether M depends on f(D) only: databases with one value of f have one row (GB Def. IV.8)."""
        findings = Table(self.rows).check_depends({D: f(D) for D in self.rows})
        if findings.pair is None:
            return Finding("proved", f"equal rows wherever {f.written('D')} is equal")
        (D, E), (o,) = findings.pair, findings.event
        p, q, outcome = text(self.rows[D][o]), text(self.rows[E][o]), self.outcomes[o]
        at = f"D = {self._shown(D)} and D' = {self._shown(E)}"
        words = f"{f.written('D')} is the same for {at}, but P({outcome_text(outcome)}) = {p} at D, {q} at D'"
        return Finding("refuted", words, findings.pair, (outcome,))
