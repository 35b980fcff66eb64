"""What single mechanisms do at two databases and a point: as witnesses, by their tables, with their noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from dpcompose.kernel.core.orders import ALPHA
from dpcompose.kernel.expressions import formulas, substitution, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY, Term
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings.on_tables import has_inputs_as_rows
from dpcompose.proof.counterexamples import witnesses
from dpcompose.proof.counterexamples.appearing import towards_the_limit
from dpcompose.proof.counterexamples.released import grows, released, released_values, shown_value
from dpcompose.proof.counterexamples.sampled import OnSamples
from dpcompose.proof.counterexamples.violating import violating
from dpcompose.proof.counterexamples.witnesses import Noisy, Number, Row
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.theory.registry import Page
from dpcompose.spaces.canonical.metrics import INFINITE, Distance
from dpcompose.spaces.classes.databases import Database


class Unknown(BadCertificate):
    """What some mechanisms lose at a pair is not known; `names` are theirs.  Without them it may be."""

    def __init__(self, why: Mapping[str, str]) -> None:
        self.names = tuple(why)
        super().__init__(next(iter(why.values())))


def _is_witnessed(mechanism: Mechanism, page: Page, r: Distance) -> bool:
    """Whether what a witness page says can be said of M_i: its guarantee is of the page's notion, or allows
    anything at r, and nothing says what M_i is.  A table says it itself, of losses by a ratio; a composition
    is said to lose nothing, as its mechanisms may."""
    if mechanism.study is not None:
        return False
    if mechanism.table is not None:
        return bool(page.head.by == "ratio")
    stated = _stated(mechanism, page)
    allows_all = r == INFINITE or INFINITY in dict(stated.terms).values()
    return bool(stated.notion == page.head.notion) or (mechanism.noise is None and allows_all)


def _stated(mechanism: Mechanism, page: Page) -> Guarantee:
    """What M_i is known to satisfy: of the page's notion where its noise has a guarantee in it."""
    return (mechanism.stated_in(page.head.notion) or mechanism).satisfies


@frozen
class Rows:
    """What mechanisms lose at a pair of databases and a point, those that a page of witnesses is about."""

    inputs: Inputs
    page: Page
    pair: tuple[Database, Database]
    point: Mapping[str, Fraction]
    claimed: Mapping[str, Term]

    def of(self, moving: Mapping[int, Distance]) -> list[Row]:
        """The rows of mechanisms whose inputs move.  Raises Unknown with all for which there is none."""
        rows, unknown = [], {}
        for i, r in moving.items():
            try:
                row = self.row(i, r)
            except BadCertificate as error:
                unknown[self.inputs.setting.mechanisms[i - 1].name] = str(error)
            else:
                rows += [] if row is None else [row]
        if unknown:
            raise Unknown(unknown)
        return rows

    def in_all(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Rows as what is lost counts them: normal noise has the order times the square of its distance."""
        order = self.point.get(ALPHA, self._only)
        if not self._is_ordered or order is None:
            return rows
        return [row.times(order) for row in rows]

    @property
    def _is_ordered(self) -> bool:
        """Whether what is lost are divergences of all orders."""
        return bool(self.inputs.theory.rule(self.page.head.notion).head.ordered)

    @property
    def _only(self) -> Fraction | None:
        """The order of which the setting speaks, where that is one number."""
        orders = self.inputs.setting.orders
        return None if orders is None else orders.only

    def row(self, i: int, r: Distance) -> Row | None:
        """What M_i loses where its inputs are r apart: by its noise, by its table, else by its witness.

        None where it is taken to have the same output everywhere.
        """
        mechanism = self.inputs.setting.mechanisms[i - 1]
        if mechanism.sampled is not None:
            return OnSamples(self.inputs, i, self.pair, self.point).row(self.page)
        if mechanism.noise is not None and grows(self.inputs, mechanism):
            return self._chosen(i)
        if self.is_by_divergence(mechanism):
            return self._by_divergence(i, "divergence")
        if self._is_ordered and mechanism.noise is not None:
            return self._by_divergence(i, "renyi")
        if not _is_witnessed(mechanism, self.page, r):
            return violating(self.inputs, self.page, i, r, self._of_noise(mechanism))
        if mechanism.noise is not None:
            return self._noisy(i, r)
        if (table := mechanism.table) is not None:
            on_inputs = has_inputs_as_rows(self.inputs.setting, mechanism)
            D, E = map(mechanism.reads, self.pair) if on_inputs else self.pair
            return witnesses.on_table(i, table.at({name: self.point[name] for name in table.domains}), D, E)
        return self._witness(i, r)

    def _chosen(self, i: int) -> Row:
        """M_i itself where it loses most of a few ways to have records in bins, or by keys."""
        epsilon = formulas.at(self.claimed.get("epsilon", terms.ZERO), self.point)
        ways = towards_the_limit(self.inputs, i, self.pair, self.point)
        some = {way.lost(self.page.head.by, epsilon): way for way in ways}
        finite = [value for value in some if value.kind != "oo"]
        lost = (
            max(finite, key=lambda value: enclosure(value, 64).low) if len(finite) == len(some) else INFINITY
        )
        return some[lost].row(lost)

    def is_by_divergence(self, mechanism: Mechanism) -> bool:
        """Whether only the divergence of M_i's noise is known, which what the page shows is never below."""
        law = None if mechanism.noise is None else self.inputs.theory.noise(mechanism.noise.word)
        if law is None or not self.page.head.divergence:
            return False
        return bool(law.head.divergence) and self.page.head.notion not in law.head.guarantee

    def _by_divergence(self, i: int, which: str) -> Row:
        """M_i itself, by the divergence of its outputs: of order 1, or of that of the point."""
        row, moves = released(self.inputs, i, self.pair, self.point)
        noise = self.inputs.setting.mechanisms[i - 1].noise
        law = None if noise is None else self.inputs.theory.noise(noise.word)
        assert noise is not None and law is not None
        fixed = noise.with_parameter(formulas.at(noise.term, self.point))
        text = law.head.renyi if which == "renyi" else law.head.divergence
        order = self.point.get(ALPHA, self._only)
        if not text or (which == "renyi" and order is None):
            raise BadCertificate(f"{law.id} does not say what its divergences are")
        letters = {} if order is None else {ALPHA: terms.number(order)}
        each = (formulas.at(fixed.stated(text, {"r": move, **letters}), {}) for move in moves)
        return replace(row, loss=witnesses.number_of(terms.add(each)))

    def _of_noise(self, mechanism: Mechanism) -> Mapping[str, Term]:
        """A guarantee's parameters at the point, with the order of divergences; none where it is no multiple
        of that, and no mechanism is known."""
        try:
            said = mechanism.satisfies.of_noise
        except ValueError:
            return {}
        order = self.point.get(ALPHA, self._only)
        there = {} if order is None or ALPHA in said else {ALPHA: terms.number(order)}
        return {key: formulas.at(value, self._anywhere) for key, value in said.items()} | there

    def _noisy(self, i: int, r: Distance) -> Row:
        """M_i itself, which adds noise to values of its query that are r apart."""
        mechanism = self.inputs.setting.mechanisms[i - 1]
        noise, stated = mechanism.noise, dict(_stated(mechanism, self.page).terms)
        assert noise is not None
        if self.page.head.by == "event":
            raise BadCertificate(f"nothing is known of the {self.page.head.notion} loss of {mechanism.name}")
        of_noise = self.inputs.theory.noise(noise.word)
        if of_noise is None or not of_noise.head.attained:
            raise BadCertificate(
                f"what {mechanism.name} loses at two databases is not known, only what bounds it"
            )
        if self.page.head.notion != mechanism.satisfies.notion:  # no line of a derivation says this
            given = of_noise.head.guarantee.get(self.page.head.notion, {})
            if {key: noise.stated(text) for key, text in given.items()} != stated:
                raise BadCertificate(
                    f"{of_noise.id} does not state the {self.page.head.notion} guarantee of {mechanism.name}"
                )
        at_D, at_E, words = released_values(self.inputs, i, self.pair, self.point)
        loss: Number | None = None
        if INFINITY not in stated.values():
            distance = formulas.parse(self.page.head.distance, stated | {"r": terms.as_term(r)})
            lost = formulas.at(distance, self.point)
            loss = witnesses.number_of(
                substitution.expanded(lost**2) if self.page.head.by == "noise" else lost
            )
        return Noisy(i, shown_value(at_D), shown_value(at_E), words, loss)

    def _witness(self, i: int, r: Distance) -> Row:
        """The witness of M_i for inputs that are r apart."""
        satisfies = self.inputs.setting.mechanisms[i - 1].satisfies
        try:
            stated = satisfies.of_noise
        except ValueError as error:
            raise BadCertificate(str(error)) from None
        distance = None
        if r != INFINITE and INFINITY not in stated.values():
            distance = formulas.parse(self.page.head.distance, stated | {"r": terms.as_term(r)})
        try:
            row = witnesses.row(self.page, i, distance, self._anywhere)
            over = self.inputs.theory.closer(self.page.head.notion, "steps")
            shows = self.page.head.shows
            known = over is not None and over.id == self.page.head.steps_by and shows in over.head.next
            far = r if isinstance(r, int) and distance is not None else 0
            if known and over and row.one_sided and far > 1:
                most = witnesses.after_steps(over.head.next[shows], self._at_point(satisfies), shows, far)
                row = row.raised(most)
            return row
        except formulas.FormulaError as error:
            raise BadCertificate(f"the guarantee {error.message}") from None
        except ValueError as error:
            raise BadCertificate(str(error)) from None

    @property
    def _anywhere(self) -> Mapping[str, Fraction]:
        """The point, with an order for what is the same at all orders."""
        return self.point if ALPHA in self.point else {**self.point, ALPHA: Fraction(2)}

    def _at_point(self, stated: Guarantee) -> dict[str, Term]:
        """A guarantee's parameters as real constants."""
        return {key: formulas.at(value, self.point) for key, value in stated.terms}
