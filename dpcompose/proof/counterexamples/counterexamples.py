"""Counterexamples: two neighbours, parameter values, and mechanisms whose loss exceeds a claim.

A counterexample is checked from the setting alone: the pair are neighbours, the values are
allowed, and the witness mechanisms at these values, each private as its guarantee says, have
a loss at the pair that is computed exactly from their tables and lies above the claim.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from dpcompose.kernel import comparison
from dpcompose.kernel.deciders.calculus import exponentials
from dpcompose.kernel.deciders.calculus.signs import is_at_least
from dpcompose.kernel.deciders.curves.curves import Piece
from dpcompose.kernel.deciders.curves.pieces import curve
from dpcompose.kernel.deciders.tables import promises
from dpcompose.kernel.expressions import forms, formulas, naming, substitution, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.intervals import Interval, enclosure
from dpcompose.kernel.expressions.terms import INFINITY, Term
from dpcompose.language.decimals import SHOWN_DIGITS, rounded
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.settings import Setting
from dpcompose.proof.counterexamples import computed, deals, witnesses
from dpcompose.proof.counterexamples.losing import Rows, Unknown
from dpcompose.proof.counterexamples.refuting import Alone, Counterexample, shown_loss
from dpcompose.proof.counterexamples.released import grows, released
from dpcompose.proof.counterexamples.witnesses import Number, Row
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.theory.registry import Page
from dpcompose.spaces.canonical.metrics import Distance
from dpcompose.spaces.classes.databases import Database


class NotAbove(BadCertificate):
    """The δ at a pair is not seen to be above the claimed one; between `least` and `most` it lies."""

    def __init__(self, least: Fraction, most: Fraction, why: str = "") -> None:
        self.least, self.most = least, most
        super().__init__(why or "the computed delta is not seen to be above the claimed one")


LARGEST_INSTANCE = 2_000
"""The most mechanisms that a counterexample to a claim over families writes out."""


def instance(inputs: Inputs, point: Mapping[str, Fraction]) -> Inputs:
    """The inputs of the setting, families written out with as many members as the point says.

    Of a family of more than LARGEST_INSTANCE members that read alike, and have one guarantee, the first is
    written out and counts for all.  Raises BadCertificate where the point says nothing, or too many.
    """
    stated = (inputs.stated or inputs.setting).at(point)
    if not stated.families:
        return inputs if stated in (inputs.stated, inputs.setting) else Inputs(stated, inputs.theory)
    sizes, alike = {}, {}
    for count in {str(m.members) for m in stated.mechanisms if m.members is not None}:
        size = Fraction(int(count)) if count.isdigit() else point.get(count, Fraction(0))
        too_many = size > LARGEST_INSTANCE
        if size.denominator != 1 or size < 1 or (too_many and not _members_are_alike(stated, count)):
            raise BadCertificate(f"{count} = {size} members are none, or too many to write out")
        sizes[count] = 1 if too_many else int(size)
        if too_many:
            alike[count] = int(size)
    setting, origin = deals.written_out(stated, sizes, point)
    counts = [stated.mechanisms[n - 1].members for n in origin]
    times = tuple(alike.get(str(count), 1) for count in counts) if alike else ()
    return Inputs(setting, inputs.theory, times=times)


def _members_are_alike(setting: Setting, count: str) -> bool:
    """Whether all members of families of so many read the same, and have the same guarantee."""
    mechanisms = [
        mechanism
        for mechanism in setting.mechanisms
        if mechanism.members is not None and str(mechanism.members) == count
    ]
    if any(mechanism.reads.divided or mechanism.reads.dealt for mechanism in mechanisms):
        return False
    return not any(
        terms.moves(name) for mechanism in mechanisms for value in mechanism.terms for name in value.letters
    )


def make(
    inputs: Inputs,
    claimed: Guarantee,
    pair: tuple[Database, Database],
    point: Mapping[str, Fraction],
    without: Sequence[str] = (),
) -> Counterexample:
    """The counterexample at a pair and a point; raises BadCertificate where it is none.

    inputs -- those of the setting with all families written out, see `instance`.  Mechanisms with a
    guarantee of another notion, which their inputs are within reach of, are taken to have the same output
    everywhere: they lose nothing.
    without -- mechanisms whose outputs are left out; raises Unknown where more have to be.
    """
    setting = inputs.setting
    _check_possible(inputs, claimed, pair, point)
    page = inputs.theory.witness(claimed.notion)
    if page is None:
        raise BadCertificate(f"there is no witness page for {claimed.notion}")
    if any(value == INFINITY for _, value in claimed.terms):
        raise BadCertificate("the claim says nothing: it is oo")
    moving, left_out = _moving(inputs, pair, without)
    every = Rows(inputs, page, pair, point, dict(claimed.terms))
    rows = every.of(moving)
    events = [setting.mechanisms[row.mechanism - 1].name for row in rows if row.by_noise]
    if page.head.by == "event" and events and len(rows) > 1:
        others = {setting.mechanisms[row.mechanism - 1].name for row in rows} - {events[0]}
        raise Unknown(dict.fromkeys(sorted(others), "an event is one of a single mechanism"))
    _check_alone(setting, rows)
    tables = [name for i in moving if (name := setting.mechanisms[i - 1].name) in setting.on_tables]
    if tables and not rows:
        raise BadCertificate(
            f"{tables[0]} is its table, and other mechanisms with its guarantee say nothing of it"
        )
    is_square = page.head.shows in inputs.theory.rule(claimed.notion).head.squared
    value = _claimed(dict(claimed.terms)[page.head.shows], point, is_square, setting)
    times = [inputs.times[row.mechanism - 1] if inputs.times else 1 for row in rows]
    actual = _lost(every.in_all(rows), value, is_square, times)
    names = tuple(_name(inputs, row.mechanism) for row in rows)
    counterexample = Counterexample(pair, dict(point), value, actual, tuple(rows), names, setting.databases)
    alone = _alone(inputs, every.in_all(rows), value, is_square)
    by_parts = _by_parts(inputs, left_out)
    whose = [setting.mechanisms[row.mechanism - 1] for row in rows]
    least = any(every.is_by_divergence(mechanism) or grows(inputs, mechanism) for mechanism in whose)
    counterexample = replace(counterexample, without=left_out, by_parts=by_parts, at_least=least)
    return replace(counterexample, alone=alone, squared=is_square, event=page.head.by == "event")


def _check_alone(setting: Setting, rows: Sequence[Row]) -> None:
    """Raises Unknown with all but the one that loses most, where what it loses is known of it alone."""
    alone = [row for row in rows if row.known_alone is not None]
    if alone and len(rows) > 1:
        most = max(alone, key=lambda row: enclosure(terms.as_term(row.known_alone or 0), 64).low)
        others = (row.mechanism for row in rows if row is not most)
        names = [setting.mechanisms[i - 1].name for i in others]
        raise Unknown(dict.fromkeys(names, "what one loses is known of it alone"))


def _moving(
    inputs: Inputs, pair: tuple[Database, Database], without: Sequence[str]
) -> tuple[dict[int, Distance], tuple[str, ...]]:
    """The mechanisms whose inputs move, but for those that are left out, and the names of these.

    Raises BadCertificate where no page says that some may be left out.
    """
    setting = inputs.setting
    left_out = tuple(mechanism.name for mechanism in setting.mechanisms if mechanism.name in without)
    if left_out and inputs.theory.processing("parts") is None:
        raise BadCertificate("no page says that what a composition keeps, its parts keep")
    moved = ((i, setting.mechanisms[i - 1], r) for i, r in inputs.distances(pair).items())
    kept = ((i, mechanism.satisfies, r) for i, mechanism, r in moved if mechanism.name not in left_out)
    return {i: stated.apart or r for i, stated, r in kept if not stated.loses_nothing}, left_out


def _by_parts(inputs: Inputs, left_out: Sequence[str]) -> str:
    """What is cited for that some mechanisms may be left out."""
    parts = inputs.theory.processing("parts") if left_out else None
    return "" if parts is None else parts.cite("any", inputs.setting.adaptive)


def by_curve(
    inputs: Inputs,
    claimed: Guarantee,
    pair: tuple[Database, Database],
    point: Mapping[str, Fraction],
    bits: int,
    without: Sequence[str] = (),
) -> Counterexample:
    """The same by canonical noise, or by the noise of the setting itself, whose δ is above the claimed one.

    bits -- with how many binary digits.  Raises NotAbove where it is not seen to be above.
    """
    setting = inputs.setting
    _check_possible(inputs, claimed, pair, point)
    moving, left_out = _moving(inputs, pair, without)
    page = computed.page(inputs.theory, setting, claimed.notion, left_out)
    if page is None:
        raise BadCertificate(f"no page computes {claimed.notion} bounds here")
    if unknown := _without_curve(inputs, page, moving):
        raise Unknown(unknown)
    rows, pieces = _pieces(inputs, page, moving, pair, point)
    actual = computed.delta(curve(pieces), claimed, bits, point)
    value = computed.claimed_delta(claimed, bits, point)
    if actual.low <= value.high:
        raise NotAbove(actual.low, actual.high)
    names = tuple(_names([_name(inputs, i) for i in row.alike]) for row in rows)
    shown, least, most = told_apart(value, actual)
    counterexample = Counterexample(pair, dict(point), shown, least, tuple(rows), names, setting.databases)
    return replace(
        counterexample, without=left_out, by_parts=_by_parts(inputs, left_out), bits=bits, most=most
    )


def _pieces(
    inputs: Inputs,
    page: Page,
    moving: Mapping[int, Distance],
    pair: tuple[Database, Database],
    point: Mapping[str, Fraction],
) -> tuple[list[Row], list[Piece | None]]:
    """What mechanisms do at a pair of databases, and the pieces of the curve that they have together."""
    known: dict[object, Piece | None] = {}
    alike: dict[Piece | None, list[int]] = {}
    pieces: list[Piece | None] = []
    rows: list[Row] = []
    for i, r in moving.items():
        mechanism = inputs.setting.mechanisms[i - 1]
        times = inputs.times[i - 1] if inputs.times else 1
        if mechanism.is_any:
            if (stated := (mechanism.satisfies, mechanism.also, mechanism.sampled, r)) not in known:
                known[stated] = computed.piece(page, mechanism, r, point)
            one = known[stated]
            alike.setdefault(one and one.times(times), []).append(i)
            continue
        row, moves = released(inputs, i, pair, point)
        rows.append(row)
        for one in (computed.piece(page, mechanism, entry, point) for entry in moves):
            pieces.append(one and one.times(times))
    pieces += [None if one is None else one.times(len(numbers)) for one, numbers in alike.items()]
    return rows + [witnesses.canonical(one, tuple(numbers)) for one, numbers in alike.items()], pieces


def told_apart(claimed: Interval, actual: Interval) -> tuple[Fraction, Fraction, Fraction]:
    """The claimed δ, and what the true one is at least and at most, to so many digits that they differ."""
    exact = claimed.low == claimed.high
    for digits in itertools.count(SHOWN_DIGITS):
        shown = claimed.high if exact else rounded(claimed.high, digits, up=True)
        least, most = (rounded(end, digits, up) for end, up in ((actual.low, False), (actual.high, True)))
        if least > shown:
            break
    return shown, least, min(most, Fraction(1))


def _name(inputs: Inputs, i: int) -> str:
    """M_i, or the members of a family for which it counts."""
    mechanism = inputs.setting.mechanisms[i - 1]
    name, times = f"{mechanism.name}{mechanism.reads.dealt_words}", inputs.times[i - 1] if inputs.times else 1
    return name if times == 1 else f"{name}, ..., {naming.member(naming.read(name).base, times)}"


def _names(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{names[0]}, ..., {names[-1]}"


def _check_possible(
    inputs: Inputs,
    claimed: Guarantee,
    pair: tuple[Database, Database],
    point: Mapping[str, Fraction],
) -> None:
    """The pair are target neighbours of the class, and the point has allowed values for all that is used."""
    setting = inputs.setting
    D, E = pair
    if D not in setting.databases or E not in setting.databases:
        raise BadCertificate(f"{inputs.show(pair)} are no databases of the class")
    related = (setting.target.relates(*some, setting.databases) for some in ((D, E), (E, D)))
    if D == E or not all(related):
        raise BadCertificate(f"{inputs.show(pair)} are no {setting.target} neighbours")
    needed = {*setting.used, *point}.union(*(value.letters for _, value in claimed.terms))
    domains = setting.domains.items()
    comparison.check_allowed(
        point,
        {name: domain for name, domain in domains if name in needed or terms.moves(name)},
        setting.assume,
    )


def _without_curve(inputs: Inputs, page: Page, moving: Iterable[int]) -> dict[str, str]:
    """The mechanisms that are no canonical noise, and of which the page has no curve, or one that they do not
    attain; in words by name."""

    def has_curve(mechanism: Mechanism) -> bool:
        if mechanism.noise is None or mechanism.noise.word not in page.head.noises:
            return mechanism.is_any
        law = inputs.theory.noise(mechanism.noise.word)
        return law is None or bool(law.head.attained)

    mechanisms = (inputs.setting.mechanisms[i - 1] for i in moving)
    return {
        mechanism.name: f"{mechanism.name} is no canonical noise, and no page has the curve of what it is"
        for mechanism in mechanisms
        if not has_curve(mechanism)
    }


def _lost(rows: Sequence[Row], claimed: Number, is_square: bool, times: Sequence[int]) -> Number | None:
    """The loss of rows, which is more than is claimed; None for ∞.  Raises BadCertificate where it is not.

    times -- how many mechanisms each row counts for.
    The loss of outcomes of tables may be a logarithm: powers of e are compared.
    """
    many = max(times, default=1) > 1
    if many and any(row.by_table or row.one_sided for row in rows):
        raise BadCertificate(f"more than {LARGEST_INSTANCE} members are too many to write out")
    if any(row.by_table for row in rows):
        try:
            limit, lost = promises.power(terms.as_term(claimed)), witnesses.ratio(rows)
            if lost is None:
                return None
            actual: Number | None = witnesses.number_of(exponentials.log_of(lost))
            is_above = is_at_least(limit, lost) is not None
        except ValueError as error:
            raise BadCertificate(str(error)) from None
    else:
        actual = witnesses.loss(rows, times)
        is_above = witnesses.above(actual, claimed)
    if not is_above:
        lost_words, words = shown_loss(actual, is_square), shown_loss(claimed, is_square)
        raise BadCertificate(f"the loss {lost_words} is not above the claimed {words}")
    return actual


def _claimed(claimed: Term, point: Mapping[str, Fraction], is_square: bool, setting: Setting) -> Number:
    """The value of a claimed parameter, or its square, of a negative value −x²: so the order is kept."""
    try:
        value = formulas.at(claimed, point)
        if not is_square or value.number is not None:
            number = witnesses.number_of(value)
            return number * abs(number) if is_square and isinstance(number, Fraction) else number
        if not forms.is_nonnegative(forms.read(substitution.substituted(claimed, setting.letters))):
            raise BadCertificate("it is not known that the claim is at least 0 there")
    except formulas.FormulaError as error:
        raise BadCertificate(f"the claim {error.message}") from None
    except forms.NotAForm as error:
        raise BadCertificate(str(error)) from None
    with suppress(forms.NotAForm):
        square = forms.squared(value).number
        if square is not None:
            return square
    return value**2


def _alone(inputs: Inputs, rows: Sequence[Row], claimed: Number, is_square: bool) -> Alone | None:
    """The mechanism of several that loses most by itself, if that is more than is claimed."""
    page, setting = inputs.theory.processing("parts"), inputs.setting
    if page is None or len(rows) < 2 or any(row.by_table for row in rows):
        return None
    losses = [(witnesses.loss((row,)), setting.mechanisms[row.mechanism - 1].name) for row in rows]
    loss, name = losses[0]
    for other, of in losses[1:]:
        if witnesses.above(other, loss):
            loss, name = other, of
    if not witnesses.above(loss, claimed):
        return None
    return Alone(name, shown_loss(loss, is_square), page.cite("any", setting.adaptive))
