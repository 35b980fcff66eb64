"""Covers where a person's rows come and go: in at most L parts of every partition, m rows in each of them.

A type says which parts lose m rows and which gain some.  Distances by edits never fall when more rows change
on the one side, so m rows in L parts stand for fewer; where they do fall once as many rows are gained as are
lost, parts that only lose, or only gain, are types as well.  Rows that lie in no part are not limited: who
reads them moves without a limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, product
from math import comb

from dpcompose.kernel.core.contributions import Contribution
from dpcompose.kernel.core.settings import Mechanism, Relation
from dpcompose.kernel.covers.queries import query_in_rows
from dpcompose.kernel.covers.records import Records
from dpcompose.kernel.covers.types import LARGEST, Cover, Moves, NoCover, Type, size
from dpcompose.kernel.expressions.substitution import changed, seen_largest, substituted
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term, number

Touched = tuple[frozenset[int], frozenset[int]]
"""The parts that lose rows, and those that gain some."""
Far = Callable[[int, int], Term]
"""How far an input moves of which so many parts lose m rows each, and so many gain as many."""
MOST_NAMED = 50
"""Of how many parts of a family the rows are named in an example."""


class Contributions(Records):
    procedure = "contributions"

    def cover(self) -> Cover:
        if self.setting.target.steps > 1:
            raise NoCover("what several persons contribute together is known where losses are convex only")
        metrics = {
            i: self.moved(i, mechanism) for i, mechanism in enumerate(self.setting.mechanisms, start=1)
        }
        whole = any(mechanism.reads == (None,) for mechanism in self.setting.mechanisms)
        if whole and (self.partitions or self.bag.records) and not self.setting.databases.outside:
            raise NoCover(
                "what reads everything, beside families on parts that hold all rows, is not supported"
            )
        every, convex = self.families_moved(metrics)
        if self.noisy and self.bag.replaced != "no":
            self.check_convex()
            convex |= {*metrics}
        patterns = list(self.patterns(metrics))
        found = [self.of_pattern(pattern, some, metrics) for some in every for pattern in patterns]
        if self.reads_all:
            found = [self.without_limit(type) for type in found]
        found.sort(key=lambda one: str(one.pair))
        pages = [pages for _, pages in metrics.values()]
        kept = self.of_types(found, len(found), pages) if not convex and not self.partitions else None
        types = found if kept is None else kept.types
        page = self.theory.procedure(self.procedure)
        return Cover(tuple(types), page, len(found), tuple(pages), frozenset(convex))

    @cached_property
    def bag(self) -> Contribution:
        """What a person contributes, by the target."""
        contribution = self.setting.target.single
        if not isinstance(contribution, Contribution):
            raise NoCover("the target is not told by what a person contributes")
        return contribution

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

    # how far inputs move

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
            if stated.steps > 1:
                raise NoCover(f"{mechanism.name} is stated for {stated.steps} persons; state it for one")
            page = self.fact(lambda page: page.head.form == "bags", "the metric of what a person contributes")
            return self.by_bags(mechanism, stated.single, whole), (page,)
        single = stated.edits
        if mechanism.domain == "common" and not whole:
            kept = {one for a, b in single for one in product(range(a + 1), range(b + 1))}
            single = tuple(sorted(kept - {(0, 0)}))
        return self.by_edits(mechanism, Relation(single, stated.steps))

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
        for mechanism in self.setting.mechanisms:
            stated = mechanism.stated
            if stated is not None and (isinstance(stated.single, Contribution) or stated.steps > 1):
                raise NoCover(
                    f"{mechanism.name} is stated for what one person contributes, or for groups, which is "
                    "not supported beside noise where rows are replaced; state it for single rows"
                )

    def by_edits(self, mechanism: Mechanism, stated: Relation) -> tuple[Far, tuple[str, ...]]:
        """By the closed form of edits, of any size."""
        page, formula = self.form(stated, "any")
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

    def by_bags(self, mechanism: Mechanism, stated: Contribution, whole: bool) -> Far:
        """By the fewest bags that go, come, or take the place of others."""
        bag, sizes_tell = self.bag, mechanism.domain == "own" or whole
        if (stated.parts, stated.rows) != (bag.parts, bag.rows):
            raise NoCover(
                f"{mechanism.name} is stated for other numbers of parts or rows than the target's; "
                "state it for the same"
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
        moves, unlimited = dict(type.moves), set(type.unlimited)
        for i in self.reads_all:
            mechanism, far = self.setting.mechanisms[i - 1], self.furthest(i)
            members = 1 if mechanism.count is None else 0
            if far is None:
                unlimited.add(i)
            if far != ZERO:
                moves[i] = ((members, far or INFINITY),)
        return Type(tuple(sorted(moves.items())), frozenset(unlimited), type.pair)

    def furthest(self, i: int) -> Term | None:
        """How far everything moves where any number of rows outside changes; None: without a limit."""
        mechanism = self.setting.mechanisms[i - 1]
        stated, far = mechanism.stated, self.moved(i, mechanism)[0]
        ways = {"no": [(1, 0)], "bag": [(1, 0), (1, 1)], "rows": [(1, 1)]}[self.bag.replaced]
        distances = [far(a, b) for a, b in self.bag.records or ways]
        if INFINITY in distances:
            return INFINITY
        if set(distances) == {ZERO}:
            return ZERO
        told = stated is not None and (stated.any_two or isinstance(stated.single, Contribution))
        return max(distances, key=size) if told or self.bag.records else None

    # which parts are touched

    def families_moved(
        self, metrics: Mapping[int, tuple[Far, tuple[str, ...]]]
    ) -> tuple[list[Moves], set[int]]:
        """How many members of the families move how far, in each way that others do not exceed; and the
        families of which losses have to be convex in the distance for that."""
        ways: list[list[Moves]] = []
        convex: set[int] = set()
        for families in self.partitions.values():
            once = {i: metrics[i][0](1, 0) for i in families}
            twice = {i: metrics[i][0](1, 1) for i in families}
            parts: Term = self.bag.parts
            if self.bag.replaced == "no":
                moved = once
            elif once == twice or INFINITY in once.values():
                moved, parts = once, number(2) * parts
            elif self.doubles(families):
                moved = twice
                convex |= set(families)
            else:
                raise NoCover(
                    "families on one partition, of which some count rows that go and come together, are not "
                    "supported; write the parts out"
                )
            many = parts if parts.number is None else int(parts.number)
            ways.append([tuple((i, ((many, moved[i]),)) for i in families)])
        return [tuple(one for some in chosen for one in some) for chosen in product(*ways)], convex

    def patterns(self, metrics: Mapping[int, tuple[Far, tuple[str, ...]]]) -> Iterator[Touched]:
        """Which of the written parts lose and gain rows, in all ways that others do not exceed."""
        count, replaced = len(self.setting.databases.atoms), self.bag.replaced
        if not count:
            yield frozenset(), frozenset()
            return
        if self.bag.parts.number is None:
            raise NoCover("in how many of some written parts a person's rows lie has to be a number")
        most = min(count, int(self.bag.parts.number))
        alone = {n for n, atom in enumerate(self.setting.databases.atoms) if len(atom.records) < 2}
        even = replaced == "rows" and not self.setting.databases.outside
        if alone and even:
            raise NoCover(
                "parts of a single record are replaced by rows outside of all parts, and there are none"
            )
        falling = (self.noisy and replaced != "no") or any(
            far(1, 1) != INFINITY == far(1, 0) for far, _ in metrics.values()
        )
        few = 0 if falling or alone else most
        sides = sum(comb(count, n) for n in range(few, most + 1))
        if sides ** (1 if replaced == "no" else 2) * len(metrics) > LARGEST:
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
                uneven = even and len(left) != len(right)
                if (left or right) and not uneven and alone.isdisjoint(left & right):
                    yield left, right

    def of_pattern(
        self, touched: Touched, families: Moves, metrics: Mapping[int, tuple[Far, tuple[str, ...]]]
    ) -> Type:
        """The type of neighbours of which so many parts lose m rows each, and so many gain as many."""
        moves = dict(families)
        for i, mechanism in enumerate(self.setting.mechanisms, start=1):
            if mechanism.partition or i in self.reads_all:
                continue
            (read,) = mechanism.reads
            a, b = (len(numbers if read is None else numbers.intersection(read)) for numbers in touched)
            if (a or b) and (r := metrics[i][0](a, b)) != ZERO:
                moves[i] = ((1 if mechanism.count is None else 0, r),)
        return Type(tuple(sorted(moves.items())), frozenset(), self.example(touched))

    def example(self, touched: Touched) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """One row of each part that loses, or gains, some; of families of the first parts."""
        atoms, (left, right) = self.setting.databases.atoms, touched
        D = [atoms[j].records[0] for j in sorted(left)]
        E = [atoms[j].records[1 if j in left else 0] for j in sorted(right)]
        for partition, families in self.partitions.items():
            few, several = self.fewest(families)
            D += [f"{partition}{j}" for j in range(1, few + 1)]
            if self.bag.replaced != "no":
                gaining = range(several - few + 1, several + 1)
                E += [f"{partition}{j}" + ("'" if j <= few else "") for j in gaining]
        outside = self.setting.databases.outside
        if outside and ((self.reads_all and not self.bag.records) or not (D or E)):
            # whoever reads everything tells apart that rows are lost, that some are gained, and how many
            E += outside[1:] if self.bag.replaced == "bag" else ()
            D += outside[:1] * max(1, len(E) + 1 - len(D))
        if outside and self.bag.replaced == "rows":
            fewer = min((D, E), key=len)
            fewer += outside[1:] * abs(len(D) - len(E))
        return tuple(sorted(D)), tuple(sorted(E))

    def fewest(self, families: Sequence[int]) -> tuple[int, int]:
        """In how many parts of a partition the rows of one bag lie in an example, and those of two."""
        count, parts = self.setting.mechanisms[families[0] - 1].count, self.bag.parts
        assert count is not None
        members = MOST_NAMED if count.number is None else int(count.number)
        few = min(int(parts.number or parts.of[1].least), members, MOST_NAMED // 2)
        return few, few if self.doubles(families) else min(2 * few, members)

    def doubles(self, families: Sequence[int]) -> bool:
        """Whether rows that go and come in one part move its readers twice as far as those that only go."""
        some = [self.moved(i, self.setting.mechanisms[i - 1])[0] for i in families]
        once, twice = ([far(1, n) for far in some] for n in (0, 1))
        return INFINITY not in once and twice == [number(2) * term for term in once]
