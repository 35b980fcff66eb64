"""Covers of classes of records: one pair of databases for each type of edit stands for all of its type.

An edit removes some records and adds others, and its type is which atoms lose and gain how many.  How far an
input moves depends on these numbers only, so the types decide the whole class, however large.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations_with_replacement, product
from math import comb
from typing import Any

from dpcompose.kernel.core.settings import Mechanism, Relation
from dpcompose.kernel.covers import sizes
from dpcompose.kernel.covers.covering import Covering, Metric, Reader, is_about_least
from dpcompose.kernel.covers.queries import query_metric, value_is_reached
from dpcompose.kernel.covers.types import LARGEST, Cover, Moves, NoCover, Pair, Type, smallest_pair
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term, letter, number

Counts = tuple[int, int]
"""How many records are removed, and added."""
Changes = tuple[tuple[int, ...], tuple[int, ...]]
"""Which atoms lose records, and which gain some: one number a record."""


class Records(Covering):
    procedure = "edit types"

    def cover(self) -> Cover:
        setting, metrics = self.setting, self.metrics
        if any(mechanism.dealt for mechanism in setting.mechanisms):
            self.check_deals()
        target = self.within(setting.target, setting.databases.size)
        pages = self.pages_of(metrics)
        if setting.databases.of == "sequences":
            self.check_room(target)
        n = setting.databases.size[1]
        if target.any_two and n is None:
            counts = Counter(reader for some in self.readers_of for reader in some)
            moved = ((one, here, metrics[one]) for one, here in sorted(counts.items()))
            furthest = ((one, metric.at(0, here), metric.discrete) for one, here, metric in moved)
            return self.of_types([self.growing(furthest)], 1, pages)
        if target.any_two and all(metric.discrete for metric in metrics.values()):
            changed = self.all_changed()
            if changed is not None:
                return self.of_types([self.of_edit(*changed)], 1, pages)
        types = [self.of_edit(left, right) for left, right in self.changes(target)]
        types.sort(key=lambda one: self.by_size(one.pair))
        return self.of_types(types, len(types), pages)

    @property
    def enough_steps(self) -> Term | None:
        """As many as databases have records where one is replaced at a time, and else twice as many."""
        n, edits = self.setting.databases.largest, self.setting.target.edits
        return n if n is None or (1, 1) in edits else 2 * n

    def moves_at(self, left: tuple[int, ...], right: tuple[int, ...]) -> Moves:
        return self.of_edit(left, right).moves

    @cached_property
    def metrics(self) -> dict[Reader, Metric]:
        """The metric of all that is read."""
        mechanisms = self.setting.mechanisms
        return {one: self.metric(mechanisms[one[0] - 1], reader) for one, reader in self.readers().items()}

    def within(self, relation: Relation, size: tuple[str, int | None]) -> Relation:
        """The relation by edits that lead from some database of these sizes to another one."""
        if not isinstance(relation.single, tuple) or relation.elsewhere:
            return relation
        word, n = size
        inside = [
            (a, b)
            for a, b in relation.single
            if (n is None or max(a, b) <= n) and (word != "exactly" or a == b)
        ]
        return Relation(tuple(sorted(inside)), relation.steps)

    def image_size(self, atoms: tuple[int, ...] | None) -> tuple[str, int | None]:
        """The sizes of what is read: of a database of exactly n records, any number up to n."""
        word, n = self.setting.databases.size
        return (word, n) if atoms is None or word == "any" else ("at most", n)

    def metric(self, mechanism: Mechanism, atoms: tuple[int, ...] | None) -> Metric:
        """The metric of what a mechanism reads: by its noise, or by a fact page for its guarantee's steps."""
        if mechanism.noise is not None:
            return self.of_noise(mechanism)
        if mechanism.dealt:
            return self.of_deal(mechanism)
        if atoms == ():
            return Metric(
                (), lambda removed, added: INFINITY, discrete=True, convex=True
            )  # there is one value only
        if atoms is not None and len(atoms) == len(self.setting.databases.atoms):
            atoms = None
        databases = self.setting.databases
        stated, of_all = mechanism.stated, databases.size
        assert stated is not None
        if stated.elsewhere and mechanism.sampled is not None and stated.steps == 1:
            return self.closed_form(Relation(stated.single), "any")  # samples have any size
        if stated.elsewhere:
            raise NoCover(
                f"how far {mechanism.name} is stated for steps that lead out of the class is not known"
            )
        if mechanism.domain == "own" or atoms is None:
            relation = self.within(stated, self.image_size(atoms))
        elif stated.steps > 1 and not self.groups_pass(stated):
            return self.pushed(mechanism.name, stated)
        else:
            relation = self.within(stated, of_all)
            kept = {one for a, b in relation.edits for one in product(range(a + 1), range(b + 1))}
            if not relation.any_two:
                relation = Relation(tuple(sorted(kept - {(0, 0)})), relation.steps)
        size = self.image_size(atoms)[0]
        if (relation, size) not in self.known:
            self.known[relation, size] = self.closed_form(relation, size)
        return self.known[relation, size]

    def groups_pass(self, stated: Relation) -> bool:
        """Whether groups of steps become groups of as many steps of what is read: records that are not read
        fill up what the sizes ask for, by as many on both sides, or in place of those that come or go."""
        databases, n = self.setting.databases, self.setting.databases.size[1]
        if n is None or not databases.from_some_size_on:
            return True
        return databases.of_multisets and ((1, 1) in stated.edits or stated.steps <= sizes.gap(self.setting))

    def pushed(self, name: str, stated: Relation) -> Metric:
        """How far what is read is apart, one step of which are so many that remove or add a record, where
        sizes differ by less: of those that are not read as many go the other way, as are too many."""
        databases, n = self.setting.databases, self.setting.databases.size[1]
        if not databases.of_multisets or databases.letters or n is None:
            raise NoCover(
                f"groups, for which {name} is stated on the common domain, are not pushed forward where "
                "databases have at least so many records, and at most so many, unless records are replaced, "
                "or a group has no more steps than sizes differ by; numbers of records would do"
            )
        room, most = n - databases.least, stated.steps
        single = self.closed_form(Relation(stated.single), "any")
        at_once = {  # how many are added at most where so many are removed
            a: b for a, b in product(range(most + 1), repeat=2) if a + b + max(0, abs(a - b) - room) <= most
        }

        @cache
        def fewest(removed: int, added: int) -> int:
            reached, count = [0], 0
            while len(reached) <= removed or reached[removed] < added:
                last, count = len(reached) - 1, count + 1
                reached = [
                    max(reached[a - x] + b for x, b in at_once.items() if 0 <= a - x <= last)
                    for a in range(min(removed, last + max(at_once)) + 1)
                ]
            return count

        return Metric(self.grouped(single.pages, most), lambda removed, added: number(fewest(removed, added)))

    @cached_property
    def known(self) -> dict[tuple[Relation, str], Metric]:
        """The closed forms that were found."""
        return {}

    def check_deals(self) -> None:
        """Of groups of steps it is not said which inputs of a deal move how far."""
        target = self.setting.target
        if target.any_two or target.steps != 1 or target.times is not None:
            raise NoCover("random parts are known for neighbours by one step only")

    def of_deal(self, mechanism: Mechanism) -> Metric:
        """The metric of what one input of a deal has, of any size.

        Where a record is replaced, and the deal is the same, one input has it replaced.  Where one comes, the
        sizes before and after have nothing to do with each other.
        """
        stated = mechanism.stated
        assert stated is not None
        if stated.any_two or stated.elsewhere:
            raise NoCover(f"{mechanism.name} reads a random part, and is stated for any two of these")
        one = self.closed_form(Relation(stated.single, stated.steps), "any")

        def at(removed: int, added: int) -> Term:
            return one.at(1, 1) if (removed, added) == (1, 1) else INFINITY

        return Metric(one.pages, at)

    def deals_apart(self, counts: Mapping[Reader, Sequence[int]]) -> frozenset[int]:
        """The deals of which inputs move by more and more steps, where there are more and more records: those
        of guarantees for inputs of different sizes."""
        sizes, numbers = self.setting.databases, set[int]()
        for (i, _), (removed, added) in counts.items():
            mechanism = self.setting.mechanisms[i - 1]
            if (
                mechanism.dealt
                and removed != added
                and mechanism.stated is not None
                and (0, 1) in mechanism.stated.edits
            ):
                numbers |= {i} if sizes.size[1] is None and sizes.letter is None else set()
        return frozenset(numbers)

    def of_noise(self, mechanism: Mechanism) -> Metric:
        """How far a query's value moves: other attributes are another record of the same atom."""
        metric = query_metric(mechanism, self.theory)
        if metric.discrete:
            return metric
        if self.setting.databases.of == "sequences":
            raise NoCover(f"how far what {mechanism.name} asks for moves is known for multisets only")
        if metric.at(1, 1) != ZERO and any(len(atom.records) < 2 for atom in self.setting.databases.atoms):
            raise NoCover(f"{mechanism.name} looks at attributes, and a record without a second one has none")
        return metric

    def form(self, relation: Relation, size: str) -> tuple[Any, Term]:
        """The fact page on the canonical metric of a relation by edits, and its formula in what differs."""
        of = self.setting.databases.of

        def fits(page: Any) -> bool:
            head = page.head
            if head.metric is None or isinstance(head.edits, str) or head.edits is None:
                return False
            single = {tuple(edit) for edit in head.edits}
            both = tuple(sorted(single | {one[::-1] for one in single}))
            return of in head.classes and size in head.sizes and both == relation.single

        id = self.fact(fits, f"the metric of these steps on {of} of {size} size")
        page = self.theory.pages[id]
        letters = {name: letter(name, NONNEGATIVE) for name in ("removed", "added")}
        return page, formulas.parse(page.head.metric, letters)

    def closed_form(self, relation: Relation, size: str) -> Metric:
        """The canonical metric of a relation by edits, as a fact page states it."""
        if relation.any_two:
            return Metric((self.any_two(),), lambda removed, added: ONE, discrete=True)
        page, formula = self.form(relation, size)
        id, head = str(page.id), page.head

        def counted(removed: int, added: int) -> Fraction | None:
            return formulas.evaluate(formula, {"removed": Fraction(removed), "added": Fraction(added)})

        @cache
        def at(removed: int, added: int) -> Term:
            if formula.kind == "oo" or (head.same_size and removed != added):
                return INFINITY
            value = counted(removed, added)
            if value is None or value.denominator != 1 or value < 1 or value != counted(added, removed):
                raise NoCover(f"the closed form of {id} is no whole number of steps")
            return number(-(-value.numerator // relation.steps))

        convex = relation.steps == 1 and (formula.kind == "oo" or _is_convex(formula))
        return Metric(self.grouped([id], relation.steps), at, formula.kind == "oo", convex=convex)

    def check_room(self, target: Relation) -> None:
        """On sequences one pair stands for its type where there is room for all edits, and where entries that
        are replaced are not several: then what is read of them goes at one place and comes at another."""
        relations = (target, *(one.stated for one in self.setting.mechanisms if one.stated is not None))
        if target.steps > 1 and any((1, 1) in relation.edits for relation in relations):
            raise NoCover("several entries of sequences that are replaced are not known to move what is read")
        word, n = self.setting.databases.size
        if n is not None and (target.any_two or (word != "exactly" and target.steps > n)):
            raise NoCover("sequences of so few entries have no room for all that neighbours may change")

    def of_edit(self, left: tuple[int, ...], right: tuple[int, ...]) -> Type:
        """The type of neighbours that lose the records `left` of some atoms and gain `right` of others."""
        counts: dict[Reader, list[int]] = {}
        for side, numbers in enumerate((left, right)):
            for atom in numbers:
                for reader in self.readers_of[atom]:
                    counts.setdefault(reader, [0, 0])[side] += 1
        moved = (
            (reader, self.metrics[reader].at(a, b), self.metrics[reader].entries(a, b))
            for reader, (a, b) in sorted(counts.items())
        )
        first, *others = self.pairs(left, right, {i for i, _ in counts})
        own = self.own({reader: (a, b) for reader, (a, b) in counts.items()})
        type = replace(self.type(moved, first), unlimited=self.deals_apart(counts), own=own)
        every = (type, *(replace(type, pair=pair) for pair in others))
        return next(filter(self.reaches, every), type)

    def pairs(self, left: tuple[int, ...], right: tuple[int, ...], moving: set[int]) -> Iterator[Pair]:
        """Databases that differ so: the smallest; and others with records that both have, of what is read or
        of others, where it matters to what moves how many are read."""
        databases, mechanisms = self.setting.databases, self.setting.mechanisms
        some = [mechanisms[i - 1] for i in moving]
        if (
            any(mechanism.sampled for mechanism in some)
            and not any(mechanism.noise for mechanism in some)
            and not right
        ):
            yield self.anew(left)
        yield smallest_pair(databases, left, right)
        if any(is_about_least(mechanisms[i - 1], self.theory) for i in moving):
            atoms = range(len(databases.atoms))
            own = (left or right)[0]
            for more in (*((atom,) for atom in atoms), *((own, atom) for atom in atoms)):
                pair = smallest_pair(databases, left, right, more)
                if databases.has(*map(len, pair)):
                    yield pair

    def anew(self, left: tuple[int, ...]) -> Pair:
        """The smallest databases of which one has records of some atoms besides what both have, which is
        another record, if there is one."""
        databases = self.setting.databases
        D, E = smallest_pair(databases, left, ())
        others = [name for atom in databases.atoms for name in atom.records if name not in D]
        come = [databases.atoms[one].records[0] for one in left]
        same = tuple(others[:1] * len(E)) if others else E
        return tuple(sorted([*come, *same])), same

    def reaches(self, type: Type) -> bool:
        """Whether all values of queries that move do so as far as they may."""
        of_noise = (i for i, _ in type.moves if self.setting.mechanisms[i - 1].noise is not None)
        return all(value_is_reached(i, type, self.setting, self.theory) for i in of_noise)

    def all_changed(self) -> Changes | None:
        """A pair in which every atom changes, in a class of limited size; None where there is no room."""
        word, n = self.setting.databases.size
        atoms = tuple(range(len(self.setting.databases.atoms)))
        if word != "exactly":
            return (atoms, ()) if self.setting.databases.differ(len(atoms), 0) else None
        left, right = atoms, atoms
        if len(atoms) == 1:
            if len(self.setting.databases.atoms[0].records) < 2:
                return None
        else:
            half = (len(atoms) + 1) // 2
            left, right = atoms[:half], atoms[half:]
            right += right[:1] * (len(left) - len(right))
        return (left, right) if n is not None and len(left) <= n else None

    def changes(self, target: Relation) -> Iterator[Changes]:
        """Which atoms lose and gain records, in every way in which neighbours differ."""
        databases, differences = self.setting.databases, self.differences(target)
        atoms, through = databases.atoms, self.through(differences)
        length = max(1, databases.shared(0, 0))
        k = len(through)
        written = sum(comb(k + a - 1, a) * comb(k + b - 1, b) * max(length, a) for a, b in differences)
        if written > self.most:
            raise NoCover(
                f"{k:,} kinds of records differ in too many ways to write down; smaller groups, "
                "a smaller size, or fewer record sets, would do"
            )
        for removed, added in sorted(differences):
            if removed < added:
                continue
            for left in combinations_with_replacement(through, removed):
                for right in combinations_with_replacement(through, added):
                    if removed == added and right < left:
                        continue
                    if all(len(atoms[one].records) > 1 for one in set(left) & set(right)):
                        yield left, right

    def through(self, differences: Collection[Counts]) -> Sequence[int]:
        """The atoms of which it is gone through how many records each loses and gains."""
        return range(len(self.setting.databases.atoms))

    def differences(self, target: Relation) -> set[Counts]:
        """By how many records removed and added neighbours differ."""
        databases = self.setting.databases
        n = databases.size[1]
        if target.any_two:
            assert n is not None
            if n * n > LARGEST:
                raise NoCover(f"any two databases of up to {n:,} records differ in too many ways")
            ways = product(range(n + 1), repeat=2)
            return {(a, b) for a, b in ways if (a or b) and databases.differ(a, b)}
        most = target.steps if n is None else min(n, target.steps)
        if (most + 1) ** 2 > LARGEST:
            raise NoCover(f"groups of {target.steps:,} steps differ in too many ways to write down")
        seen, layer = {(0, 0)}, {(0, 0)}
        for _ in range(target.steps):
            sums = {(a + c, b + d) for a, b in layer for c, d in target.edits}
            layer = {one for one in sums if max(one) <= most} - seen
            if not layer:
                break
            seen |= layer
        return {one for one in seen if any(one) and databases.differ(*one)}


def _is_convex(formula: Term) -> bool:
    """Whether a formula is a sum or a maximum of its letters: convex, and 0 where these are."""
    return formula.kind == "letter" or (
        formula.kind in ("sum", "top") and all(map(_is_convex, formula.parts))
    )
