"""Two databases at which a claim fails, and what each mechanism does there: what a theorem says, printed.

The kernel has shown which mechanisms lose how much at the neighbours of a type.  Nothing of that is shown
again here: it is asked what one of them loses by itself, and what it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar

from dpcompose.kernel import computed
from dpcompose.kernel.composition import given_tables
from dpcompose.kernel.composition.losses import Loss
from dpcompose.kernel.core.assumptions import letters_of
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers import room_for_rows
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.deciders.calculus import exponentials
from dpcompose.kernel.deciders.calculus.exponentials import Value
from dpcompose.kernel.deciders.tables import entries
from dpcompose.kernel.expressions import formulas, naming, terms
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term
from dpcompose.kernel.judgements import Refuted
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.rules.refutations import attaining
from dpcompose.language.answers import NoAnswer
from dpcompose.language.decimals import SHOWN_DIGITS, decimal, rounded
from dpcompose.language.said import Words, listed
from dpcompose.language.said import member as member_of
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.proof.counterexamples import instances, released, rows
from dpcompose.proof.counterexamples.appearing import towards_the_limit
from dpcompose.proof.counterexamples.refuting import Printing
from dpcompose.proof.counterexamples.rows import Row
from dpcompose.proof.counterexamples.spreads import Spread
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.theory.registry import Theory
from dpcompose.search.refutations import exchanged
from dpcompose.spaces.canonical.metrics import INFINITE

Point = Mapping[str, Fraction]
Pair = tuple[Any, Any]


class NotShown(ValueError):
    """No databases of a type are known at a point."""


@frozen
class Member:
    """A mechanism, or a member of a family, whose input moves.

    number, name -- of the families written out; r -- how far it moves; own -- the values of its own
    parameters; times -- for how many that are alike it counts.
    """

    number: int
    name: str
    r: Term
    own: Point
    times: int = 1


@frozen
class At:
    """Neighbours at which mechanisms lose more than is claimed, and the values of parameters.

    told, type, pair -- the setting, the neighbours as the kernel knows them, and as they are printed;
    stated -- what all mechanisms lose by their guarantees; page -- the witnesses by which it is known what is
    lost; None, where it is a curve; unsaid -- the letter for an order, where the claim is about none.
    """

    told: Elaborated
    theory: Theory
    type: Type
    pair: Pair
    point: Point
    stated: Sequence[Loss]
    page: Any = None
    unsaid: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        elaborated: Elaborated,
        theory: Theory,
        type: Type,
        refuted: Refuted,
        stated: Sequence[Loss],
        page: Any,
    ) -> At:
        """The neighbours of a type at the point of a theorem that refutes a claim."""
        point = dict(refuted.point)
        every = range(1, len(elaborated.core.mechanisms) + 1)
        known = page is not None and type.choices
        seen = attaining(elaborated.core, theory.in_kernel, page, type, stated, every) if known else None
        there = exchanged.at_point(type, elaborated.core, point, seen.summand if seen else None)
        used, orders = _used(elaborated, refuted), elaborated.core.orders
        ordered = theory.in_kernel.rule(refuted.notion).head.ordered
        unsaid = frozenset[str]() if ordered or orders is None else frozenset(orders.letters)
        pair = elaborated.pair(there)
        return cls(elaborated, theory, there, pair, used, stated, page, unsaid).printed()

    @property
    def core(self) -> Setting:
        return self.told.core

    @cached_property
    def inputs(self) -> Inputs:
        """The setting with families written out, with as many members as the point says."""
        return instances.instance(Inputs(self.told.setting, self.theory), self.point)

    def mechanism(self, i: int) -> Mechanism:
        """M_i as it is stated."""
        return self.told.setting.mechanisms[i - 1]

    def name(self, i: int, n: int) -> Words:
        """That of M_i, or of a member that is written out with all those for which it counts."""
        written = self.inputs.setting.mechanisms[n - 1]
        first = Words(written.name, written.reads.dealt_words)
        if (times := self.times(n)) == 1:
            return first
        return listed([first, member_of(self.mechanism(i).name, times)], most=1)

    def times(self, n: int) -> int:
        """For how many that are alike a mechanism written out counts."""
        return self.inputs.times[n - 1] if self.inputs.times else 1

    def mechanism_of(self, row: Row) -> str:
        """The name of the mechanism, or of the member of a family, that a row is about."""
        return self.inputs.setting.mechanisms[row.mechanism - 1].name

    neighbours: ClassVar[bool] = True
    """Whether these are neighbours, or any two databases."""

    @property
    def parameters(self) -> Point:
        """The values of the parameters, and of the members of families."""
        return {name: x for name, x in self.point.items() if name not in self.unsaid}

    @property
    def databases(self) -> Printing:
        """The class of the pair."""
        return self.inputs.setting.databases

    def claimed(self, values: Mapping[str, Term]) -> dict[str, Term]:
        """What is claimed here."""
        return {key: largest(formulas.extended(value, self.point)) for key, value in values.items()}

    def shown(self, value: Term) -> Term:
        """A loss, or a claimed value, as it is printed."""
        return value

    # which mechanisms move

    def numbers(self, i: int) -> list[int]:
        """The numbers of M_i, or of its members, in the families written out."""
        counts = [instances.members(mechanism, self.point) for mechanism in self.told.setting.mechanisms[:i]]
        before = sum(counts[:-1])
        return list(range(before + 1, before + counts[-1] + 1))

    def members(self, i: int) -> Iterator[Member]:
        """The mechanisms of that number whose inputs move, those that move furthest first."""
        members, numbers = dict(self.type.moves)[i], self.numbers(i)
        if self.core.mechanisms[i - 1].count is None:
            ((_, r),) = members
            yield Member(numbers[0], self.name(i, numbers[0]), r, {})
            return
        left = self.moving(numbers)
        for many, r in members:
            number = int(formulas.at(terms.as_term(many), self.point).number or 0) or len(left)
            for n in left[:number]:
                own = computed.of_member(self.point, n - numbers[0] + 1)
                yield Member(n, self.name(i, n), formulas.extended(r, self.point), own, self.times(n))
            left = left[number:]

    def moving(self, numbers: Sequence[int]) -> list[int]:
        """Of some mechanisms those that read something else, the furthest first."""
        D, E = self.pair
        reads = {n: self.inputs.setting.mechanisms[n - 1].reads for n in numbers}
        moving = [n for n, f in reads.items() if f(D) != f(E)]
        if len(moving) > 1 and not self.told.setting.in_metrics:
            far = self.inputs.distances(self.pair)
            moving.sort(key=lambda n: self._size(far.get(n, 0)), reverse=True)
        return moving or list(numbers)

    def _size(self, r: Any) -> tuple[bool, Fraction]:
        """By what distances are put in order."""
        far = formulas.extended(_term(r), self.point)
        return far == INFINITY, Fraction(0) if far == INFINITY else enclosure(far, 64).low

    def moved_to(self, pair: Pair) -> At:
        """The same at other neighbours, with how far inputs move there."""
        far = self.inputs.distances(pair)
        moves = []
        for i, _ in self.type.moves:
            distances = Counter(far[n] for n in self.numbers(i) if n in far)
            order = sorted(distances, key=self._size, reverse=True)
            if order:
                moves.append((i, tuple((distances[r], _term(r)) for r in order)))
        type = replace(self.type, moves=tuple(moves), unlimited=frozenset())
        return replace(self, pair=pair, type=type)

    def printed(self) -> At:
        """The same with neighbours that are there at the point, and move just what the theorem says: of the
        type it may only be known how many members of families they move, or records there are."""
        setting = self.told.setting
        letters = setting.databases.parameters or setting.target.parameters
        limited = room_for_rows.limited(self.core)
        if setting.in_metrics and room_for_rows.that_are_full(self.core):
            raise NotShown("how many rows lie outside of all parts is not told beside metrics")
        if setting.in_metrics or not (setting.families or letters or limited):
            return self
        if self.type.unlimited or self._is_there(self.pair):
            return self
        pairs: list[Pair] = []
        with suppress(NoAnswer):
            types = self.inputs.neighbouring(self.inputs.setting.target).types
            pairs = [type.pair for type in types]
        both = (pair for D, E in pairs for pair in ((D, E), (E, D)))
        there = next(filter(self._is_there, chain(both, self._of_what_is_there())), None)
        few = not all(database in self.inputs.setting.databases for database in self.pair)
        if there is None and (few or limited):
            raise NotShown("no neighbours of the type are known at the point")
        return self if there is None else replace(self, pair=there)

    def _of_what_is_there(self) -> Iterator[Pair]:
        """Databases with the rows of the pair for which there is room at the point."""
        databases, (single, steps) = self.inputs.setting.databases, self.inputs.setting.target.innermost()
        numbers = dict.fromkeys((1, *(int(x) for x in self.point.values() if x.denominator == 1 <= x)))
        return single.in_room(self.pair, steps, databases, self.core.databases.outside, [*numbers])

    def _is_there(self, pair: Pair) -> bool:
        databases = self.inputs.setting.databases
        if pair[0] not in databases or pair[1] not in databases:
            return False
        with suppress(NoAnswer):
            return self._far(self.moved_to(pair).type) == self._far(self.type)
        return not room_for_rows.that_are_full(self.core)

    def _far(self, type: Type) -> list[tuple[int, list[tuple[int, Term]]]]:
        """How many members of what move how far, at the point."""
        return [
            (i, [(self._many(i, many), formulas.extended(r, self.point)) for many, r in members])
            for i, members in type.moves
        ]

    def _many(self, i: int, many: Any) -> int:
        number, there = int(formulas.at(terms.as_term(many), self.point).number or 0), len(self.numbers(i))
        return min(number or there, there)

    def with_new(self) -> At:
        """The same where E has nothing of the record that comes, which is when samples lose most."""
        D, E = (Counter[Any](database) for database in self.pair)
        come, common = D - E, D & E
        if not any(common[x] for x in come):
            return self
        known = (x for atom in self.core.databases.atoms for x in atom.records if not come[x])
        for new in (*(E - D), *known):
            more = [new if come[x] else x for x in common.elements()]
            both = [tuple(sorted([*own.elements(), *more])) for own in (come, E - D)]
            if self._is_there((both[0], both[1])):
                return replace(self, pair=(both[0], both[1]))
        return self

    # what is lost

    def losing(self, witnesses: Sequence[tuple[int, Grounds]], epsilon: Term) -> Iterator[tuple[Row, Term]]:
        """What each witness is, and loses by itself; without those that lose nothing.

        epsilon -- at which an event is looked at, where it is about one.
        """
        moving = dict(self.type.moves)
        for i, grounds in witnesses:
            for member in self.members(i) if i in moving else ():
                if self.grows(i):
                    row, loss = self._towards_the_limit(member.number, epsilon)
                    yield self.about(row, member, loss), loss
                elif (loss := self.lost(i, member)) != ZERO:
                    row = self.row(i, next(iter(grounds.pages), ""), member, loss)
                    yield self.about(row, member, loss), loss

    def grows(self, i: int) -> bool:
        """Whether M_i loses most in the limit of more and more records, and there may be so many."""
        return instances.grows(self.inputs, self.mechanism(i))

    def about(self, row: Row, member: Member, loss: Term) -> Row:
        """The row of a mechanism that loses so much by itself."""
        return replace(row, name=member.name)

    def lost(self, i: int, member: Member) -> Term:
        """What one mechanism loses by itself."""
        mechanisms = list(self.core.mechanisms)
        mechanisms[i - 1] = replace(mechanisms[i - 1], count=None)
        alone = replace(self.core, mechanisms=tuple(mechanisms))
        lost = tuple(entry for entry in self.type.lost if entry[0] == i)
        type = replace(self.type, moves=((i, ((1, member.r),)),), lost=lost, choices=())
        seen = attaining(alone, self.theory.in_kernel, self.page, type, self.stated, [i])
        return largest(formulas.extended(seen.value()[0], {**self.point, **member.own}))

    def _towards_the_limit(self, n: int, epsilon: Term) -> tuple[Row, Term]:
        """A mechanism itself where it loses most of a few ways to have records in bins, or by keys."""
        by = "event" if self.page is None else self.page.head.by
        ways = towards_the_limit(self.inputs, n, self.pair, self.point)
        towards = [(way.row(), way.lost(by, epsilon)) for way in ways]
        return max(
            towards,
            key=lambda entry: (entry[1] == INFINITY, entry[1] != INFINITY and enclosure(entry[1], 64).low),
        )

    def together(self, losses: Sequence[Term]) -> Term:
        """What is lost together by mechanisms that lose so much by themselves."""
        if INFINITY in losses:
            return INFINITY
        if self.page is None or self.page.head.by == "event":
            return losses[0] if len(losses) == 1 else ONE - terms.multiply(ONE - p for p in losses)
        return terms.sqrt(terms.add(x * x for x in losses)) if self.is_squared else terms.add(losses)

    def is_all(self, lost: Term, losses: Sequence[Term]) -> bool:
        """Whether mechanisms that lose so much by themselves lose all that a theorem says, as far as this is
        seen: of families it does not say which members move."""
        if (
            not self.neighbours
            or not self.told.setting.families
            or self.page.head.by not in ("ratio", "noise")
        ):
            return True
        together = self.together(losses)
        return INFINITY in (together, lost) or not computed.is_more(lost, together, {})

    @property
    def is_squared(self) -> bool:
        """Whether losses are composed by their squares."""
        head = self.page.head
        return head.shows in self.theory.rule(head.notion).head.squared

    def is_turned(self, by: Sequence[int]) -> bool:
        """Whether more is lost from E to D: by tables, or on samples that have the record which comes."""
        known = [(i, self.core.mechanisms[i - 1]) for i in by]
        if any(mechanism.sampled is not None for _, mechanism in known):
            D, E = (Counter(database if isinstance(database, tuple) else ()) for database in self.pair)
            return bool(E - D) and any(E[x] for x in D - E) and not any(D[x] for x in E - D)
        tables = [i for i, mechanism in known if mechanism.table is not None]
        forth, back = (
            [formulas.extended(given_tables.lost(i, self.core, self.type, way), self.point) for i in tables]
            for way in (True, False)
        )
        if not tables or INFINITY in forth:
            return False
        return INFINITY in back or computed.is_more(terms.add(back), terms.add(forth), {})

    def turned(self) -> At:
        """The same with D and E exchanged."""
        (D, E), pair = self.pair, self.type.pair
        return replace(self, pair=(E, D), type=replace(self.type, pair=pair[::-1]))

    # what it is

    def row(self, i: int, by: str, member: Member, loss: Term) -> Row:
        """What a mechanism is that loses so much; by -- the page by which it does."""
        mechanism, n, head = self.core.mechanisms[i - 1], member.number, self.page.head
        if mechanism.table is not None:
            return self._of_table(i, n)
        if mechanism.noise is not None:
            return self.of_noise(i, n)
        if mechanism.sampled is not None and head.by != "event":
            about = self.theory.pages[mechanism.sampled.page].head
            what = f"normal noise of variance {head.variance} around how many such records the sample has"
            what = f"{what}, at large orders" if head.by == "noise" else about.mechanism
            return rows.of_page(n, about.id, what, formulas.to_text(loss))
        if (about := self.theory.pages[by].head).kind == "violation" and head.by != "tail":
            shown, what = formulas.to_text(loss), about.mechanism
            if about.ended and loss == INFINITY:
                what = about.tailed
            elif about.alone and self.is_squared:
                shown = f"at least {decimal(rounded(enclosure(loss, 64).low, SHOWN_DIGITS, up=False))}"
            return rows.of_page(n, by, what, shown)
        return rows.of_witness(n, head, self._distance(loss))

    def _distance(self, loss: Term) -> Term:
        """The distance of the witnesses at which so much is lost."""
        head = self.page.head
        if loss == INFINITY or head.by != "noise" or self.is_squared:
            return loss
        ordered, order = self.theory.rule(head.notion).head.ordered, self.core.order
        return terms.sqrt(loss / formulas.at(order, self.point) if ordered and order is not None else loss)

    def of_noise(self, i: int, n: int) -> Row:
        """M_i itself, which adds noise to values of a query."""
        at_D, at_E, noise = released.released_values(self.inputs, n, self.pair, self.point)
        here, there = map(released.shown_value, (at_D, at_E))
        return rows.of_noise(n, here, there, noise.words, Spread.of(noise, at_D, at_E))

    def of_curves(self, curves: computed.Curves) -> list[Row]:
        """What mechanisms are of which the curve is looked at; those that are alike together."""
        alone, alike = dict[int, Row](), dict[Any, list[tuple[int, Words]]]()
        for i, those, piece in curves.most_lost(self.type, self.point):
            numbers = self.numbers(i)
            if self.core.mechanisms[i - 1].count is not None:
                numbers = self.moving(numbers)[those.start - 1 : those.stop - 1]
            if self.core.mechanisms[i - 1].table is not None:
                alone |= dict(zip(numbers, self.of_tables(i), strict=True))
                continue
            if self.core.mechanisms[i - 1].noise is not None:
                alone |= {n: replace(self.of_noise(i, n), name=self.name(i, n)) for n in numbers}
                continue
            same = None if piece is None else piece.times(self.times(numbers[0]))
            alike.setdefault(same, []).extend((n, self.name(i, n)) for n in numbers)
        together = (
            replace(rows.of_curve([n for n, _ in named], piece), name=listed([name for _, name in named], 3))
            for piece, named in alike.items()
        )
        return [*alone.values(), *together]

    def of_tables(self, i: int) -> Iterator[Row]:
        """What the members of M_i are, by their table, at the two databases."""
        for n in self.numbers(i):
            yield replace(rows.of_rows(n, *self._rows(i)), name=self.name(i, n))

    def of_outcomes(self, i: int, tabled: Setting, x: int, y: int) -> Row:
        """A mechanism that the setting allows, which is a table with two outcomes."""
        table, (n, *_) = tabled.mechanisms[i - 1].table, self.numbers(i)
        assert table is not None
        likely = [exponentials.value_at(entries.read(row[-1]), self.point) for row in table.rows]
        return replace(rows.of_outcomes(n, likely, x, y), name=self.name(i, n))

    def _of_table(self, i: int, n: int) -> Row:
        return rows.of_table(n, *self._rows(i))

    def _rows(self, i: int) -> tuple[Sequence[str], Sequence[Value], Sequence[Value]]:
        """The outcomes of the table of M_i, and how likely they are at the two databases."""
        table = self.core.mechanisms[i - 1].table
        assert table is not None
        both = given_tables.rows_of(i, self.core, self.type)
        at_D, at_E = (
            [exponentials.value_at(entries.read(term), self.point) for term in table.rows[x]] for x in both
        )
        return table.outcomes, at_D, at_E


def _used(elaborated: Elaborated, refuted: Refuted) -> Point:
    """The point at which a claim is refuted, without what nothing uses."""
    setting, order = elaborated.setting, elaborated.core.orders
    members = (mechanism.reads.parts for mechanism in setting.mechanisms if mechanism.reads.divided)
    claimed = (name for _, value in refuted.values for name in value.letters)
    orders = {} if order is None else order.letters
    needed = setting.used.union(map(str, members), claimed, letters_of(setting.assume), orders)
    families = {naming.read(name).base for name in needed if terms.moves(name)}
    letters = ((name, naming.read(name), x) for name, x in refuted.point)
    return {
        name: x
        for name, read, x in letters
        if name in needed or (read.index is not None and read.base in families)
    }


def largest(value: Term) -> Term:
    """The largest of some constants, where it is seen which that is."""
    if value.kind != "top" or value.of[0] != 1:
        return value
    constants = value.parts
    return next(
        (term for term in constants if all(computed.is_at_least(term, other, {}) for other in constants)),
        value,
    )


def _term(r: Any) -> Term:
    return INFINITY if r == INFINITE else terms.as_term(r)
