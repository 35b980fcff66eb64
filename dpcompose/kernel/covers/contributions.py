"""Covers where a person's rows come and go: in at most L parts of every partition, m rows in each of them.

A type says which parts lose m rows and which gain some.  Distances by edits never fall when more rows change
on the one side, so m rows in L parts stand for fewer; where they do fall once as many rows are gained as are
lost, parts that only lose, or only gain, are types as well.  Rows that lie in no part are not limited: who
reads them moves without a limit.

Of a mechanism that is stated in formulas of distances these formulas are what moves: whether a person's rows
count for most where they stay in their parts, or where they leave them for others, is asked of the formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations, product
from math import comb
from typing import Any

from dpcompose.kernel.core.contributions import RECORDS, Contribution, holds
from dpcompose.kernel.core.settings import Mechanism, Relation
from dpcompose.kernel.covers import room_for_rows
from dpcompose.kernel.covers.distances import by_steps, check_formula, inputs_of
from dpcompose.kernel.covers.queries import entries_in_rows, query_in_rows
from dpcompose.kernel.covers.records import Records
from dpcompose.kernel.covers.types import LARGEST, Cover, NoCover, Type, are_no_larger, from_number_on, size
from dpcompose.kernel.expressions import metrics as in_metrics
from dpcompose.kernel.expressions.substitution import changed, seen_largest, substituted
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term, largest, number

Touched = tuple[frozenset[int], frozenset[int]]
"""The parts that lose rows, and those that gain some."""
Far = Callable[[int, int], Term]
"""How far an input moves of which so many parts lose m rows each, and so many gain as many."""
Touching = Mapping[int, tuple[int | Term, tuple[int, int]]]
"""Of families how many members are touched, and in how many ways each: one that loses, and one that gains."""
MOST_NAMED = 50
"""Of how many parts of a family the rows are named in an example."""
Lost = tuple[tuple[int, Term, tuple[tuple[str, Term], ...]], ...]
"""What mechanisms lose that are stated in formulas: these, and parameters that are formulas of their own."""


class Contributions(Records):
    procedure = "contributions"

    by_formulas = True

    def cover(self) -> Cover:
        if self.setting.target.steps > 1:
            raise NoCover("what several persons contribute together is known where losses are convex only")
        for mechanism in self.setting.mechanisms:
            check_formula(mechanism)
        self.check_fewer_rows()
        if self.bag.replaced == "no" and self.of_one_size:
            return self.of_types([], 0, [*self.pages.values()])
        self.check_whole()
        families, convex = self.families_touched()
        if self.noisy and self.bag.replaced != "no":
            self.check_convex()
            convex |= {*self.pages}
        found = [self.of_pattern(pattern, families) for pattern in self.patterns()]
        if self.reads_all:
            found = [self.without_limit(type) for type in found]
        found.sort(key=lambda one: str(one.pair))
        pages = [*self.pages.values()]
        besides = any(more for type in found for _, _, more in type.lost)
        all_kept = bool(convex or self.partitions or besides)
        types = found if all_kept else self.of_types(found, len(found), pages).types
        page = self.theory.procedure(self.procedure)
        told = tuple(map(by_steps, types))
        return Cover(told, page, len(found), tuple(pages), frozenset(convex), infinite=self.hides)

    def check_whole(self) -> None:
        """Raises NoCover where something reads everything, beside inputs that hold all rows together."""
        whole = any(mechanism.reads == (None,) for mechanism in self.setting.mechanisms)
        several = self.partitions or (self.bag.records and self.bag.parts != ONE)
        if whole and several and not self.setting.databases.outside:
            raise NoCover(
                "what reads everything, beside families on parts that hold all rows, is not supported"
            )

    @cached_property
    def bag(self) -> Contribution:
        """What a person contributes, by the target; of edits one row."""
        target = self.setting.target
        if isinstance(target.single, Contribution):
            return target.single
        if target.edits not in RECORDS:
            raise NoCover("the target is told neither by what a person contributes nor by single rows")
        how = "rows" if target.edits == ((1, 1),) else RECORDS[target.edits]
        return Contribution(ONE, ONE, how, target.edits)

    @cached_property
    def partitions(self) -> Mapping[str, list[int]]:
        """The families that read the parts of each partition."""
        found: dict[str, list[int]] = {}
        for i, mechanism in enumerate(self.setting.mechanisms, start=1):
            if mechanism.partition:
                found.setdefault(mechanism.partition, []).append(i)
        return found

    @property
    def reads_all(self) -> list[int]:
        """The mechanisms that read everything, where rows lie outside of all parts."""
        mechanisms = enumerate(self.setting.mechanisms, start=1)
        return (
            [i for i, mechanism in mechanisms if mechanism.reads == (None,)]
            if self.setting.databases.outside
            else []
        )

    @cached_property
    def inputs(self) -> Mapping[int, Mapping[str, tuple[Far, tuple[str, ...]]]]:
        """For each mechanism how far what it reads moves, and the pages that state it; of one that is stated
        in formulas, for each distance in these."""
        return {
            i: {name: self.moved(i, one) for name, one in inputs_of(mechanism).items()}
            for i, mechanism in enumerate(self.setting.mechanisms, start=1)
        }

    @property
    def pages(self) -> Mapping[int, tuple[str, ...]]:
        """For each mechanism the pages that state its distances."""
        return {
            i: tuple(dict.fromkeys(page for _, pages in some.values() for page in pages))
            for i, some in self.inputs.items()
        }

    def far(self, i: int, a: int, b: int) -> list[Term]:
        """How far a mechanism's input moves; of one that is stated in formulas, what each of these says."""
        metric = self.setting.mechanisms[i - 1].metric
        moved = {name: far(a, b) for name, (far, _) in self.inputs[i].items()}
        if metric is None:
            return [*moved.values()]
        return [in_metrics.at(value, moved) for _, value in metric.formulas]

    def moved(self, i: int, mechanism: Mechanism) -> tuple[Far, tuple[str, ...]]:
        """How far what a mechanism reads moves, and the pages that state it."""
        stated = mechanism.stated
        if mechanism.noise is not None:
            return self.by_noise(mechanism)
        assert stated is not None
        whole = mechanism.reads == (None,)
        if stated.any_two:
            return (lambda a, b: ONE), (self.any_two(),)
        if isinstance(stated.single, Contribution):
            self.check_bags(mechanism, stated.single)
            page = self.fact(lambda page: page.head.form == "bags", "the metric of what a person contributes")
            return self.by_bags(mechanism, stated.single, whole), self.grouped([page], stated.steps)
        own, (word, _) = mechanism.domain == "own" and not whole, self.setting.databases.size
        relation = self.within(stated, ("at most" if own else word, None))
        if not own and not whole:
            if stated.steps > 1 and not self.groups_pass(stated):
                raise NoCover(
                    f"groups of rows, for which {mechanism.name} is stated on the common domain, are told "
                    "where databases have no least or no largest number of them; state it for single rows"
                )
            kept = {one for a, b in relation.edits for one in product(range(a + 1), range(b + 1))}
            relation = Relation(tuple(sorted(kept - {(0, 0)})), relation.steps)
        return self.by_edits(mechanism, relation, self.image_size(None if whole else ())[0])

    def by_noise(self, mechanism: Mechanism) -> tuple[Far, tuple[str, ...]]:
        """By how far the value of a query moves: other attributes are another row of the same part."""
        pages, moved = query_in_rows(mechanism, self.theory)
        few = any(len(atom.records) < 2 for atom in self.setting.databases.atoms)
        if few and moved(ONE, ONE) != ZERO:
            raise NoCover(f"{mechanism.name} looks at attributes, and a record without a second one has none")
        return (lambda a, b: moved(number(a) * self.bag.rows, number(b) * self.bag.rows)), pages

    @property
    def noisy(self) -> bool:
        """Whether some mechanism adds noise."""
        return any(mechanism.noise is not None for mechanism in self.setting.mechanisms)

    def check_convex(self) -> None:
        """Raises NoCover where distances are not seen to be convex in how many rows go and come: values of
        queries may fall in these, and then m rows or none in each part do not stand for all numbers."""
        mechanisms = self.setting.mechanisms
        for mechanism in (one for some in mechanisms for one in (some, *inputs_of(some).values())):
            stated, metric = mechanism.stated, mechanism.metric
            if metric is not None and not all(in_metrics.is_convex(value) for _, value in metric.formulas):
                raise NoCover(f"the metric of {mechanism.name} is not seen to be convex in the distances")
            if stated is not None and (isinstance(stated.single, Contribution) or stated.steps > 1):
                raise NoCover(
                    f"{mechanism.name} is stated for what one person contributes, or for groups, which is "
                    "not supported beside noise where rows are replaced; state it for single rows"
                )

    def falls(self, i: int) -> bool:
        """Whether some distance is infinite where rows only go, and finite where as many come."""
        return any(far(1, 1) != INFINITY == far(1, 0) for far, _ in self.inputs[i].values())

    @property
    def hides(self) -> bool:
        """Whether, once what is infinite where rows only go is left out, other rows may count for more."""
        if self.bag.replaced == "no" or not any(map(self.falls, self.inputs)):
            return False
        return bool(self.partitions) or self.bag.rows != ONE

    def check_fewer_rows(self) -> None:
        """Raises NoCover where such a distance stands in a formula that is not infinite with it: then some of
        the m rows that come may count for more than all."""
        if self.bag.replaced == "no" or self.bag.rows == ONE:
            return
        for i, mechanism in enumerate(self.setting.mechanisms, start=1):
            if mechanism.metric is not None and self.falls(i) and INFINITY not in self.far(i, 1, 0):
                raise NoCover(
                    f"{mechanism.name} is stated in a distance that is infinite unless as many rows come as "
                    "go, and in a formula that is not, which is known for single rows"
                )

    def by_edits(self, mechanism: Mechanism, stated: Relation, size: str) -> tuple[Far, tuple[str, ...]]:
        """By the closed form of edits, where what is read has such sizes."""
        page, formula = self.form(stated, size)
        rows = self.bag.rows

        def at(a: int, b: int) -> Term:
            if formula.kind == "oo" or (page.head.same_size and a != b):
                return INFINITY
            there = {"removed": number(a) * rows, "added": number(b) * rows}
            value = changed(substituted(formula, there), seen_largest)
            if not value.nonnegative:
                raise NoCover(f"the closed form of {page.id} is not seen to be at least 0")
            if stated.steps == 1:
                return value
            if value.number is None:
                raise NoCover(f"{mechanism.name} is stated for groups, which needs a number of rows")
            return number(-(-value.number // stated.steps))

        return at, self.grouped([str(page.id)], stated.steps)

    @property
    def of_one_size(self) -> bool:
        """Whether all databases have as many rows."""
        return self.setting.databases.size[0] == "exactly"

    @property
    def evenly(self) -> bool:
        """Whether as many rows come as go."""
        return self.bag.replaced == "rows" or (self.bag.replaced == "bag" and self.of_one_size)

    def check_bags(self, mechanism: Mechanism, stated: Contribution) -> None:
        """Raises NoCover where bags on databases of limited sizes are not those of any size."""
        databases, whole = self.setting.databases, mechanism.reads == (None,)
        if databases.size[1] is None or (mechanism.domain == "own" and not whole):
            return
        if databases.from_some_size_on or (self.of_one_size and stated.replaced == "no"):
            raise NoCover(
                f"{mechanism.name} is stated for what persons contribute, and databases have no room for all "
                "that come or go; state it on the own domain, or for single rows"
            )
        if self.of_one_size and not whole and not databases.outside:
            raise NoCover(
                f"{mechanism.name} is stated on the common domain for what persons contribute, which needs "
                "rows outside of all parts where all databases have as many"
            )

    def by_bags(self, mechanism: Mechanism, stated: Contribution, whole: bool) -> Far:
        """By the fewest bags that go, come, or take the place of others."""
        if mechanism.stated is not None and mechanism.stated.steps > 1:
            raise NoCover(
                f"{mechanism.name} is stated for {mechanism.stated.steps} persons; state it for one"
            )
        bag, sizes_tell = self.bag, mechanism.domain == "own" or whole
        fits = holds(stated.parts, bag.parts) and holds(stated.rows, bag.rows)
        if not fits or stated.among != bag.among:
            raise NoCover(
                f"{mechanism.name} is stated for other numbers of parts or rows than the target's; "
                "state it for as many, or more"
            )
        if not whole and not sizes_tell and stated.replaced == "rows" and not self.setting.databases.outside:
            raise NoCover(
                f"{mechanism.name} is stated on the common domain for bags of as many rows, which needs rows "
                "outside of all parts"
            )

        def at(a: int, b: int) -> Term:
            if stated.replaced == "no":
                return number((a > 0) + (b > 0))
            return INFINITY if stated.replaced == "rows" and sizes_tell and a != b else ONE

        return at

    def without_limit(self, type: Type) -> Type:
        """The same with any number of rows outside of all parts, for those who read everything."""
        moves, unlimited, lost = dict(type.moves), set(type.unlimited), [*type.lost]
        for i in self.reads_all:
            mechanism = self.setting.mechanisms[i - 1]
            members = 1 if mechanism.count is None else 0
            if mechanism.metric is not None:
                several = {tuple(self.of_all_rows.far(i, a, b)) for a, b in self.each_step}
                if len(several) != 1 or self.grows_with_rows(i):
                    raise NoCover(f"a distance in which {mechanism.name} is stated has no limit")
                (values,) = several
                lost += self.lost(i, values)
                moves |= {i: ((members, values[0]),)} if {*values} != {ZERO} else {}
                continue
            far = self.furthest(i)
            unlimited |= {i} if far is None else set()
            moves |= {i: ((members, far or INFINITY),)} if far != ZERO else {}
        moved = tuple(sorted(moves.items()))
        return replace(type, moves=moved, unlimited=frozenset(unlimited), lost=tuple(lost))

    def lost(self, i: int, values: Sequence[Term]) -> Lost:
        """What a mechanism loses that is stated in formulas, by their values; nothing, of another one."""
        metric = self.setting.mechanisms[i - 1].metric
        if metric is None or {*values} == {ZERO}:
            return ()
        besides = zip((key for key, _ in metric.besides), values[1:], strict=True)
        return ((i, values[0], tuple(besides)),)

    def furthest(self, i: int) -> Term | None:
        """How far everything moves where any number of rows outside changes; None: without a limit."""
        mechanism = self.setting.mechanisms[i - 1]
        whole = self if (told := self.is_told(mechanism.stated)) else self.of_all_rows
        distances = [whole.far(i, a, b)[0] for a, b in self.each_step]
        if INFINITY in distances:
            return INFINITY
        if set(distances) == {ZERO}:
            return ZERO
        limited = room_for_rows.limited(self.setting)
        if limited and mechanism.noise is not None and len(distances) > 1:
            raise NoCover(
                f"how far what {mechanism.name} asks of everything moves is not told beside persons"
            )
        if limited:
            return changed(largest(*distances), seen_largest)
        return max(distances, key=size) if told else None

    def is_told(self, stated: Relation | None) -> bool:
        """Whether how far everything moves does not depend on how many rows of a person lie outside."""
        known = stated is not None and (stated.any_two or isinstance(stated.single, Contribution))
        return known or bool(self.bag.records)

    def grows_with_rows(self, i: int) -> bool:
        """Whether a distance in which a mechanism is stated is finite, and has no limit."""
        if room_for_rows.limited(self.setting):
            return False
        inputs, moved = inputs_of(self.setting.mechanisms[i - 1]), self.inputs[i]
        return any(
            not self.is_told(one.stated) and any(moved[name][0](a, b).kind != "oo" for a, b in self.each_step)
            for name, one in inputs.items()
        )

    @property
    def each_step(self) -> Sequence[tuple[int, int]]:
        """How many bags, or records, go and come in a step."""
        every = {"no": [(1, 0)], "bag": [(1, 0), (1, 1)], "rows": [(1, 1)]}[self.bag.replaced]
        return [(a, b) for a, b in self.bag.records or every if a == b or not self.evenly]

    @cached_property
    def of_all_rows(self) -> Contributions:
        """The same of a person who may have all rows for which databases have room, if that is limited."""
        setting, bag = self.setting, self.bag
        if bag.records or not room_for_rows.limited(setting):
            return self
        fewest, most = room_for_rows.ends(setting.databases)
        rows = largest(ZERO, most - fewest) if bag.replaced == "no" else most
        target = replace(setting.target, single=replace(bag, rows=rows))
        return type(self)(replace(setting, target=target, flat=None), self.theory)

    # which parts are touched

    @property
    def even(self) -> bool:
        """Whether as many rows come as go, all of them in parts."""
        return self.evenly and not self.setting.databases.outside

    def families_touched(self) -> tuple[Touching, set[int]]:
        """How many members of the families are touched, and how, in the way that others do not exceed; and
        the families of which losses have to be convex in the distance for that."""
        found, convex = dict[int, tuple[int | Term, tuple[int, int]]](), set[int]()
        for partition, families in self.partitions.items():
            once, twice = self.touched(families, 1, 0), self.touched(families, 1, 1)
            parts, ways = self.bag.parts_of(partition), (1, 0)
            if self.bag.replaced == "no":
                pass
            elif self.even and once != twice and are_no_larger(twice, once):
                raise NoCover(
                    "rows that go and come in one part move what families read less far than those that only "
                    "go: as many come as go, and no others are anywhere else; write the parts out"
                )
            elif INFINITY in once or are_no_larger(twice, once):
                parts = number(2) * parts
            elif self.doubles(families):
                ways = (1, 1)
                convex |= set(families)
            else:
                raise NoCover(
                    "families on one partition, of which some count rows that go and come together, are not "
                    "supported; write the parts out"
                )
            many = parts if parts.number is None else int(parts.number)
            found |= {i: (many, ways) for i in families}
        return found, convex

    def touched(self, families: Sequence[int], a: int, b: int) -> list[Term]:
        """How far a part moves its readers that loses rows, or gains some, or both."""
        return [term for i in families for term in self.far(i, a, b)]

    def patterns(self) -> Iterator[Touched]:
        """Which of the written parts lose and gain rows, in all ways that others do not exceed."""
        count, replaced = len(self.setting.databases.atoms), self.bag.replaced
        if not count:
            yield frozenset(), frozenset()
            return
        most = min(count, int(self.bag.parts.number or count))
        alone = {n for n, atom in enumerate(self.setting.databases.atoms) if len(atom.records) < 2}
        if alone and self.even:
            raise NoCover(
                "parts of a single record are replaced by rows outside of all parts, and there are none"
            )
        falling = (self.noisy and replaced != "no") or any(map(self.falls, self.inputs))
        every_number, letter = falling or bool(alone), self.bag.parts.number is None
        if letter and count > 1 and (falling or any(one.metric for one in self.setting.mechanisms)):
            raise NoCover("in how many written parts rows lie has to be a number for noise or replaced rows")
        few = 0 if every_number or letter else most
        sides = sum(comb(count, n) for n in range(few, most + 1))
        if sides ** (1 if replaced == "no" else 2) * len(self.inputs) > LARGEST:
            raise NoCover(f"{count:,} parts are touched in too many ways to write down; fewer parts would do")
        every = [
            frozenset(combination)
            for n in range(few, most + 1)
            for combination in combinations(range(count), n)
        ]
        if replaced == "no":
            yield from ((numbers, frozenset()) for numbers in every if numbers)
            return
        for n, left in enumerate(every):
            for right in every[n:]:
                uneven = (self.even or not every_number) and len(left) != len(right)
                if (left or right) and not uneven and alone.isdisjoint(left & right):
                    yield left, right

    def of_pattern(self, pattern: Touched, families: Touching) -> Type:
        """The type of neighbours of which so many parts lose m rows each, and so many gain as many."""
        moves, lost, entries = dict[int, tuple[tuple[int | Term, Term], ...]](), list[Any](), list[Any]()
        there = from_number_on(self.bag.parts, max(map(len, pattern)))
        for i, mechanism in enumerate(self.setting.mechanisms, start=1):
            if i in self.reads_all:
                continue
            if i in families:
                many, (a, b) = families[i]
            else:
                (read,) = mechanism.reads
                a, b = (len(rows if read is None else rows.intersection(read)) for rows in pattern)
                many = 1 if mechanism.count is None else 0
            share = ONE if i in families else there
            values = [r if r.kind == "oo" else share * r for r in self.far(i, a, b) if a or b]
            if {*values} - {ZERO}:
                moves[i] = ((many, values[0]),)
                lost += self.lost(i, values)
                some = entries_in_rows(mechanism, self.theory, a * self.bag.rows, b * self.bag.rows)
                entries += [(i, tuple(share * x for x in some))] if some else []
        told = tuple(sorted(moves.items())), frozenset[int](), self.example(pattern)
        return Type(*told, tuple(entries), tuple(lost))

    def example(self, touched: Touched) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """One row of each part that loses, or gains, some; of families of the first parts."""
        atoms, (left, right) = self.setting.databases.atoms, touched
        D = [atoms[j].records[0] for j in sorted(left)]
        E = [atoms[j].records[1 if j in left else 0] for j in sorted(right)]
        for partition, families in self.partitions.items():
            few, several = self.fewest(families, self.bag.parts_of(partition))
            D += [f"{partition}{j}" for j in range(1, few + 1)]
            if self.bag.replaced != "no":
                others = not self.even and not self.doubles(families)
                gaining = range(few + 1 if others else several - few + 1, several + 1)
                E += [f"{partition}{j}" + ("'" if j <= few else "") for j in gaining]
        outside = self.setting.databases.outside
        all_told = room_for_rows.limited(self.setting) or self.bag.records
        if outside and ((self.reads_all and not all_told) or not (D or E)):
            # whoever reads everything tells apart that rows are lost, that some are gained, and how many
            E += outside[1:] if self.bag.replaced == "bag" else ()
            D += outside[:1] * max(1, len(E) + 1 - len(D))
        return self.filled(D, E)

    def filled(self, D: list[str], E: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Databases with rows that differ, each for as many as lie in a part, and others as they need."""
        databases = self.setting.databases
        if databases.outside and self.evenly:
            fewer = min((D, E), key=len)
            fewer += databases.outside[1:] * abs(len(D) - len(E))
        rows = room_for_rows.fewest_rows(self.setting.target)
        same = (D or E)[:1] * databases.shared(len(D) * rows, len(E) * rows)
        return tuple(sorted(D + same)), tuple(sorted(E + same))

    def fewest(self, families: Sequence[int], parts: Term) -> tuple[int, int]:
        """In how many parts of a partition the rows of one bag lie in an example, and those of two."""
        count = self.setting.mechanisms[families[0] - 1].count
        assert count is not None
        members = MOST_NAMED if count.number is None else int(count.number)
        few = min(int(parts.number or parts.of[1].least), members, MOST_NAMED // 2)
        return few, few if self.doubles(families) else min(2 * few, members)

    def doubles(self, families: Sequence[int]) -> bool:
        """Whether rows that go and come in one part move its readers twice as far as those that only go."""
        once, twice = self.touched(families, 1, 0), self.touched(families, 1, 1)
        return INFINITY not in once and twice == [number(2) * term for term in once]
