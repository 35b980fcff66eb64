"""Witnesses: mechanisms as a setting says that lose a known amount at the neighbours of a type.

A mechanism of which a guarantee is known may be the witness of a page: it loses, in the metric of its
guarantee, exactly what the page says.  One that is given by its noise loses what its page says if that is
attained, and one that is a table what its rows say.  All others may say the same always, or are left out: a
part of a composition never loses more.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from dpcompose.kernel.composition import divergences, families, given_tables, samples
from dpcompose.kernel.composition.closer import Closer, at_most
from dpcompose.kernel.composition.losses import Composition, Loss, NoLoss, adds_up, by_noise, summands
from dpcompose.kernel.core.assumptions import Assumed, Assumption
from dpcompose.kernel.core.settings import Mechanism, Setting
from dpcompose.kernel.covers.queries import answers_are_told, has_more_records, value_is_reached
from dpcompose.kernel.covers.types import Moves, Type
from dpcompose.kernel.deciders.calculus import values as has_values
from dpcompose.kernel.deciders.curves import noises
from dpcompose.kernel.expressions import forms, formulas, substitution, terms
from dpcompose.kernel.expressions.keeping import frozen, kept
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.heads import LAST_ORDER
from dpcompose.kernel.library.theory import NoPage, Theory


class _Unlimited(Exception):
    """Some witness loses ∞."""


def attained_in(theory: Theory, notion: str, key: str | None = None) -> Any:
    """The witness page of a notion.  Raises NoPage, also where what witnesses lose adds up by no rule.

    key -- which parameter it shows; left out, that of the first page.
    """
    witness = theory.first(
        "witness",
        lambda page: page.head.notion == notion and key in (None, page.head.shows),
        f"no page has witnesses of {notion} privacy" + (f" for {key}" if key else ""),
    )
    if witness.head.by not in ("event", "tail") and not adds_up(theory.rule(notion), witness.head.shows):
        raise NoPage(f"what witnesses lose adds up, and {witness.head.shows} of {notion} privacy does not")
    return witness


def limited(losses: Sequence[Loss], key: str, theory: Theory, which: Collection[int]) -> tuple[Loss, ...]:
    """The losses, of some mechanisms with a parameter that is at most its limit: the least of a metric and a
    number is a metric."""
    capped = []
    for loss in losses:
        limit = theory.rule(loss.notion).head.limits.get(key) if loss.mechanism in which else None
        if limit is not None:
            values = dict(loss.values)
            if values[key].kind != "oo":
                values[key] = terms.least(values[key], terms.number(limit))
            loss = replace(loss, values=tuple(values.items()))
        capped.append(loss)
    return tuple(capped)


@frozen
class Witnesses:
    """Mechanisms that lose something at the neighbours of one type, by the witness page of a notion.

    losses -- the guarantees of all mechanisms as stated; chosen -- which may be witnesses, if they move.
    """

    setting: Setting
    theory: Theory
    page: Any
    type: Type
    losses: Sequence[Loss]
    chosen: Sequence[int]

    @cached_property
    def moves(self) -> Moves:
        """How far what the witnesses read moves; without those that lose 0 at every distance."""
        together = Composition(tuple(self.losses), self.setting, self.theory)
        return tuple(
            (i, members)
            for i, members in self.type.every
            if i in self.chosen and not together.loses_nothing(i, self.type)
        )

    @property
    def _at_once(self) -> Moves:
        """Of these what moves at two databases: of mechanisms that are alike as many as do, whichever."""
        there = dict(self.type.moves)
        return tuple((i, members) for i, members in self.moves if i in there)

    @kept
    def witnesses(self) -> tuple[tuple[int, Grounds], ...]:
        """For each witness that by which it is one: a page, or the decider of its table.  Raises NoPage."""
        return tuple((i, self._grounds(i)) for i, _ in self.moves)

    def value(self) -> tuple[Term, Grounds]:
        """What they lose together, and that by which they do.  Raises NoPage."""
        grounds = Grounds.of(reason for _, reason in self.witnesses)
        if self.type.choices and self.page.head.by in ("event", "tail"):
            raise NoLoss("what any of many lose by an event is not looked at together")
        if any(self._is_infinite(i, r) for i, members in self.moves for _, r in members):
            return INFINITY, grounds
        if self.page.head.by == "event":
            value, more = self._event()
            return value, grounds | Grounds(more)
        if self.page.head.by == "tail":
            return self._tail(), grounds
        if (shown := self._without_limit()) is not None:
            return INFINITY, grounds | shown
        return self._sum(), grounds

    def where(self) -> Assumed:
        """The relations between letters for that: as many members are there as have an event, and what is
        above 0 in guarantees by their pages is."""
        if self.page.head.by == "event":
            return families.needed(self.setting, self.moves)
        asked = (self._asked_above_zero(i) for i, _ in self.moves)
        open_ones = (term for term in asked if term is not None and forms.term_sign(term) != 1)
        return tuple(Assumption(term, ">", ZERO) for term in dict.fromkeys(open_ones))

    def _asked_above_zero(self, i: int) -> Term | None:
        """What a page asks of M_i's guarantee to be above 0; None where nothing.

        Raises NoLoss of members of a family, of which each would be asked.
        """
        mechanism, loss, head = self._mechanism(i), self.losses[i - 1], self.page.head
        if violating := self._is_violating(i) and not self.setting.distances:  # else asked at the databases
            head = self.theory.page(self._page(i), "violation").head
        if not (violating or head.by == "tail"):
            return None
        asked = formulas.parse(head.positive, self._letters(loss))
        if asked == ZERO or (mechanism.count is not None and forms.term_sign(asked) != 1):
            raise NoLoss(f"{formulas.to_text(asked)} of {mechanism.name} may be 0")
        return asked

    def _is_violating(self, i: int) -> bool:
        """Whether M_i is known by a guarantee of another notion, and what it can lose by the page on that."""
        known = (self._mechanism(i).noise, self._mechanism(i).table) == (None, None) and not self._is_free(i)
        loss = self.losses[i - 1]
        return known and not self._is_stated(i) and not loss.unlimited

    def positive(self) -> tuple[Term, ...]:
        """Formulas of which one is to be above 0 where ∞ is lost at databases that are told in letters; none
        where it is lost at all of them."""
        distances, far = list[Term](), {i: r for i, r, _ in self.type.lost}
        for i, members in self.moves if self.setting.distances else ():
            r = far.get(i, members[0][1])
            if (
                self._alone(i, members[0][1], True).kind == "oo"
                or self._alone(i, members[0][1], False).kind == "oo"
            ):
                if r.kind == "oo" or self._mechanism(i).table is not None:
                    return ()
                distances.append(r)
        return tuple(distances)

    def _mechanism(self, i: int) -> Mechanism:
        return self.setting.mechanisms[i - 1]

    def _grounds(self, i: int) -> Grounds:
        """That by which M_i is known to lose something: its table, or a page."""
        if self._mechanism(i).table is None:
            return Grounds(frozenset({self._page(i)}))
        if self.page.head.by != "ratio":
            raise NoLoss(f"what the table of {self._mechanism(i).name} loses is known in pure privacy only")
        return Grounds(deciders=frozenset({"tables"}))

    def _page(self, i: int) -> str:
        """The page by which M_i, which is no table, is known to lose something."""
        mechanism, head = self._mechanism(i), self.page.head
        stated, own = mechanism.metric, mechanism.noise is None
        lost = ("metric", head.shows) if head.by == "event" else ("metric",)
        if stated is not None and own and not all(map(stated.attained, lost)):
            raise NoLoss(f"what {mechanism.name} is stated in is not seen to be a metric that it attains")
        if mechanism.study is not None:
            raise NoLoss(f"{mechanism.name} is its study, and may lose less than its guarantee")
        if mechanism.noise is not None:
            law = self.theory.page(mechanism.noise.page, "noise")
            if self.is_by_divergence(i):
                return str(law.id)
            known = (value_is_reached, answers_are_told)
            moves = all(is_so(i, self.type, self.setting, self.theory) for is_so in known)
            if self._is_ordered and not (law.head.renyi and i in dict(self.type.entries)):
                raise NoLoss(f"what {mechanism.name} loses of each order is not known")
            limit = head.notion in law.head.in_the_limit and has_more_records(self.setting, self.theory)
            if not ((law.head.attained or limit) and moves) or head.by == "event":
                raise NoLoss(
                    f"what {mechanism.name} loses at two databases is not known, only what bounds it"
                )
            return str(law.id)
        of, notion = self.losses[i - 1].notion, head.notion
        if mechanism.sampled is not None:
            self._check_sampled(i)
        samples.check_deal(i, mechanism, self.type)
        if of == notion or self._is_free(i):
            return str(self.page.id)
        otherwise = f"no page says what {of} mechanisms can lose in {notion} privacy"
        violation = self.theory.first(
            "violation", lambda page: (page.head.of, page.head.notion) == (of, notion), otherwise
        )
        return str(violation.id)

    def _check_sampled(self, i: int) -> None:
        """Raises NoLoss where it is not known what M_i, which is run on a sample, loses.

        On the pages of samples mechanisms lose what their guarantees allow where one record is another one,
        or comes, all in the same direction; and one alone loses more where there are further records.
        """
        mechanism, head = self._mechanism(i), self.page.head
        page = samples.head_of(mechanism, self.setting, self.theory)
        moving = [j for j, _ in self.moves if self._mechanism(j).sampled is not None]
        itself = any(
            (self._mechanism(j).noise, self._mechanism(j).table) != (None, None) for j, _ in self.moves
        )
        far = [(many, r) for j, members in self.moves if j in moving for many, r in members]
        stated = self.losses[i - 1].notion == head.notion and not self.losses[i - 1].unlimited
        known = stated and head.notion in page.attained and not itself and i not in self.type.unlimited
        further = head.by == "ratio" and head.notion in page.turned
        steps = all(formulas.is_whole(r) and r.number is not None for _, r in far)
        alike = further and steps and samples.is_steady(page, self.type)
        together = (all(r == ONE for _, r in far) or alike) and all(
            samples.is_same_way(self._mechanism(j), self.setting, self.theory, self.type) for j in moving
        )
        alone = len(far) == 1 and far[0][0] == 1 and steps and samples.is_replaced(page, self.type)
        if not known or not (together or (alone and further)) or not self._is_lost_in_the_limit(i):
            raise NoLoss(f"{mechanism.name} is run on a sample, and what it loses there is not known")

    def _is_lost_in_the_limit(self, i: int) -> bool:
        """Whether nothing is asked of divergences, or at large orders those of M_i come near to those of its
        noise: where its sample may have what is different, and beside noise alone."""
        if self.page.head.by != "noise":
            return True
        mechanism, own = self._mechanism(i), self.page.head.notion
        rate = samples.rate_of(mechanism, self.setting, self.theory)
        alike = all(self.losses[j - 1].notion == own for j, _ in self.moves)
        return alike and (rate is None or has_values.surely(rate, True, self.setting.assumed))

    def is_by_divergence(self, i: int) -> bool:
        """Whether only the divergence of M_i's noise is known, which what the page shows is never below."""
        noise = self._mechanism(i).noise
        if noise is None or not self.page.head.divergence:
            return False
        law = self.theory.page(noise.page, "noise").head
        known = value_is_reached(i, self.type, self.setting, self.theory)
        known = known and (i in dict(self.type.entries) or self._has_one_entry(i))
        if law.attained:
            return bool(known and law.divergence and self.page.head.notion not in law.guarantee)
        known = known and i not in self.type.unlimited
        return bool(known and law.divergence and has_more_records(self.setting, self.theory))

    def _has_one_entry(self, i: int) -> bool:
        """Whether the value of M_i's query is a number: it moves as far as its only entry."""
        noise = self._mechanism(i).noise
        query = None if noise is None else noise.query
        return query is not None and len(self.theory.page(query.page, "query").head.entries) == 1

    def _divergence(self, i: int, r: Term) -> Term:
        """The divergence of M_i's outputs: the sum of those of the entries of its query's value that move, or
        that of scores, of which one is chosen, that move by r."""
        noise = self._mechanism(i).noise
        assert noise is not None
        law = self.theory.page(noise.page, "noise").head
        parameter = noises.fit(law, noise.parameter, self.setting.assumed, noise.letters)
        entries = (r,) if law.entries == "scores" else dict(self.type.entries).get(i, (r,))
        others = {name: noise.letters[name] for name in law.letters}
        query = "" if noise.query is None else noise.query.page
        text = law.divergences.get(query, law.divergence)
        return terms.add(noises.value(law, parameter, text, {**others, "r": r}) for r in entries)

    def _is_free(self, i: int) -> bool:
        """Whether nothing is promised of M_i at the distances that occur: then it may be the witness whose
        distances are 0 and ∞, which has every guarantee of every notion."""
        return all(self._is_infinite(i, r) for j, members in self.moves if j == i for _, r in members)

    def _is_infinite(self, i: int, r: Term) -> bool:
        """Whether M_i may be anything that its guarantee allows, and costs ∞ where its input moves by r."""
        mechanism = self._mechanism(i)
        free = (mechanism.noise, mechanism.table, mechanism.sampled) == (None, None, None)
        return free and ((r.kind == "oo" and i not in self.type.unlimited) or self.losses[i - 1].unlimited)

    def _without_limit(self) -> Grounds | None:
        """The deciders by which something is lost by one whose input moves without a limit, and so ∞.

        None where no input does.  Raises NoLoss where it is not seen that anything is lost.
        """
        for i, _ in self.moves:
            if i in self.type.unlimited:
                lost = self._alone(i, ONE, True)
                if forms.term_sign(lost) == 1:
                    return Grounds()
                if not has_values.surely(lost, assumed=self.setting.assumed):
                    raise NoLoss(f"what {self._mechanism(i).name} loses may be 0")
                return Grounds(deciders=frozenset({"ranges"}))
        return None

    def _sum(self) -> Term:
        """Losses that add up, or whose squares do; or what one mechanism loses alone."""
        if any(self._is_alone(i) for i, _ in self.moves):
            return self._of_one()
        tables = any(self._mechanism(i).table is not None for i, _ in self.moves)
        try:
            # a table may lose more the other way round, the others lose the same
            return terms.top(1, [self._one_way(way) for way in ((True, False) if tables else (True,))])
        except _Unlimited:
            return INFINITY

    def _is_alone(self, i: int) -> bool:
        """Whether of what M_i loses it is not known how it adds up with others."""
        if self._mechanism(i).noise is not None or self._mechanism(i).table is not None:
            return False
        of, notion = self.losses[i - 1].notion, self.page.head.notion
        own = of == notion or self._is_free(i)
        return not own and bool(self.theory.page(self._page(i), "violation").head.alone)

    def _of_one(self) -> Term:
        """What one mechanism loses, or that member of a family which loses most, and the others nothing."""
        if len(self.moves) > 1:
            raise NoLoss("what is lost of one mechanism alone is not known to add up with others")
        ((i, members),) = self.moves
        count, lost = self._mechanism(i).count, self._alone(i, members[0][1], True)
        return lost if count is None or lost.kind == "oo" else terms.over(1, lost, count)

    def _one_way(self, forth: bool) -> Term:
        """The sum for the two databases of the type in one order."""

        def lost(i: int, r: Term) -> Term:
            value = self.summand(i, r, forth)
            if value.kind == "oo":
                raise _Unlimited
            return value

        total = terms.add(summands(self._at_once, self.setting, lost, self.type.choices))
        squared = self.page.head.shows in self.theory.rule(self.page.head.notion).head.squared
        return terms.sqrt(total) if squared else total

    def summand(self, i: int, r: Term, forth: bool = True) -> Term:
        """What M_i adds to the sum where its input moves by r."""
        value = INFINITY if self._is_infinite(i, r) else self._alone(i, r, forth)
        if value.kind == "oo" or not (self.page.head.by == "noise" and self._is_own(i)):
            return value
        order = self.setting.order if self._is_ordered else None
        return substitution.expanded(value * value * (ONE if order is None else order))

    @property
    def _is_ordered(self) -> bool:
        """Whether what is lost are divergences of all orders: a number times the order."""
        return bool(self.theory.rule(self.page.head.notion).head.ordered)

    def _is_own(self, i: int) -> bool:
        """Whether M_i loses a distance of the page's, and not what another page says."""
        mechanism = self._mechanism(i)
        own = mechanism.noise is not None and not (self.is_by_divergence(i) or self._is_ordered)
        return own or (mechanism.noise is None and self._is_stated(i))

    def _alone(self, i: int, r: Term, forth: bool) -> Term:
        """What M_i loses where its input moves by r."""
        mechanism, notion, loss = self._mechanism(i), self.page.head.notion, self.losses[i - 1]
        if mechanism.table is not None:
            return given_tables.lost(i, self.setting, self.type, forth)
        if self.is_by_divergence(i):
            return self._divergence(i, r)
        if mechanism.noise is not None and self._is_ordered:
            law = self.theory.page(mechanism.noise.page, "noise").head
            entries = dict(self.type.entries)[i]
            parameter = mechanism.noise.parameter
            return terms.add(divergences.of_noise(law, parameter, entry, self.setting) for entry in entries)
        if mechanism.noise is not None:
            loss = by_noise(i, self.setting, self.theory, notion)
            if loss.moved:  # no number times the distance: by how much entries move is not told
                raise NoLoss(f"what {mechanism.name} loses where its query's value moves is not known")
        if any(value.kind == "oo" for _, value in loss.values):
            return INFINITY
        if mechanism.sampled is not None and r != ONE:
            head = samples.head_of(mechanism, self.setting, self.theory)
            steady = samples.is_steady(head, self.type)
            more = loss.values if steady else samples.turned(mechanism, self.setting, self.theory).items()
            both = [(dict(loss.values), ONE), (dict(more), r - ONE)]
            return terms.add(formulas.parse(self.page.head.distance, {**v, "r": n}) for v, n in both)
        if loss.notion == notion:
            return formulas.parse(self.page.head.distance, {**self._letters(loss), "r": r})
        return self._violating(i, r, self._letters(loss))

    def _is_stated(self, i: int) -> bool:
        """Whether the guarantee of M_i is one of the page's notion."""
        return bool(self.losses[i - 1].notion == self.page.head.notion)

    def _last_order(self, i: int) -> Term | None:
        """The order up to which the guarantee of M_i bounds divergences; None where it ends at none, or is
        about samples."""
        curve = None if self._mechanism(i).sampled is not None else self.losses[i - 1].curve
        return None if curve is None or curve.orders.last is None else terms.number(curve.orders.last)

    def _letters(self, loss: Loss) -> dict[str, Term]:
        """The parameters of a guarantee that a witness has, of a curve one that is nowhere above it."""
        known = divergences.below(self.theory.rule(loss.notion), loss.values, loss.curve)
        if known is None:
            name = self._mechanism(loss.mechanism).name
            raise NoLoss(f"no mechanism is known that loses at all orders what is stated of {name}")
        return known

    def _is_between(self, i: int) -> bool:
        """Whether there may be databases at any distance between the two, in what M_i is stated in."""
        return any(i == j for j, _, _ in self.type.lost)

    def _violating(self, i: int, r: Term, values: dict[str, Term]) -> Term:
        """What a mechanism with a guarantee of another notion can lose, by its page.

        Of one that is stated in a metric that is less: there may be databases between the two.
        """
        head, whose = self.theory.page(self._page(i), "violation").head, self._mechanism(i)
        ended = None if self._last_order(i) is None else head.ended
        loss = head.in_a_metric if self._is_between(i) else ended or head.loss
        if loss is None:
            raise NoLoss(f"no page says what {whose.name}, stated in a metric, loses there")
        if not formulas.is_whole(r):
            raise NoLoss(f"what {whose.name} loses is known for whole steps only")
        order = divergences.order_of(self.theory, self.setting.orders, self.page.head.notion)
        return INFINITY if loss == "oo" else formulas.parse(loss, {**order, **values, "r": r})

    def _event(self) -> tuple[Term, frozenset[str]]:
        """The probability of events, of which one happens: as closer pages say, where they are attained."""
        head, key = self.page.head, self.page.head.shows
        if sum(many for _, members in self.moves for many, _ in members) == 1 and self._single_steps():
            return self._one_event(), frozenset()
        closer = Closer(Composition(tuple(self.losses), self.setting, self.theory), key)
        moved = closer.moved(Type(self.moves, self.type.unlimited, self.type.pair))
        over, together = closer.page("steps"), closer.page("mechanisms")
        limit = self._limit
        values: list[tuple[Term, Term]] = []
        for move in moved:
            if (
                head.steps is not None
                and move.steps > head.steps
                and (over is None or over.id != head.steps_by)
            ):
                raise NoLoss(f"{self.page.id} attains the bound up to distance {head.steps}")
            values.append((terms.least(*closer.after_steps(move.loss, move.steps)), move.count))
        if any(limit is None or not at_most(value, limit) for value, _ in values):
            raise NoLoss(f"{key} may be above {limit}")
        if together is None and [count for _, count in values] not in ([], [ONE]):
            raise NoLoss(f"{self.page.id} attains the bound for one input that moves")
        return (closer.together(values) if values else ZERO), closer.pages

    def _tail(self) -> Term:
        """The largest of what mechanisms with heavy tails have, where inputs move by whole steps."""
        values = list[Term]()
        for i, r in ((i, r) for i, members in self.moves for _, r in members):
            mechanism, last = self._mechanism(i), self._last_order(i)
            itself = mechanism.noise is not None or mechanism.table is not None
            text, known = self.page.head.distance, dict(self.losses[i - 1].values)
            if not self._is_stated(i):
                text = None if last is None else self.theory.page(self._page(i), "violation").head.tail
                known = {} if last is None else {LAST_ORDER: last}
            if itself or text is None:
                raise NoLoss(f"no page says at which orders {mechanism.name} loses anything")
            if not formulas.is_whole(r) or i in self.type.unlimited or self._is_between(i):
                raise NoLoss(f"what {mechanism.name} loses is known for whole steps only")
            value, count = formulas.parse(text, {**known, "r": r}), mechanism.count
            moving = any(terms.moves(name) for name in value.letters)
            values.append(value if count is None or not moving else terms.over(1, value, count))
        return terms.top(1, values) if values else ZERO

    @property
    def _limit(self) -> int | None:
        """From which value on what the page shows says nothing."""
        limit: int | None = self.theory.rule(self.page.head.notion).head.limits.get(self.page.head.shows)
        return limit

    def _single_steps(self) -> bool:
        """Whether all that moves moves by one step, of mechanisms whose guarantee is of the page's notion."""
        every = [(i, many, r) for i, members in self.moves for many, r in members]
        return all(r == ONE and many and self._is_stated(i) for i, many, r in every)

    def _one_event(self) -> Term:
        """The event of one mechanism, or of the member of a family for which it is most likely."""
        key = self.page.head.shows

        def lost(i: int, r: Term) -> Term:
            value = dict(self.losses[i - 1].values)[key]
            if self._limit is None or not at_most(value, self._limit):
                raise NoLoss(f"{key} of {self._mechanism(i).name} may be above {self._limit}")
            return value

        return terms.add(summands(self.moves, self.setting, lost))
