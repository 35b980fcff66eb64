"""Covers of classes of records: one pair of databases for each type of edit stands for all of its type.

An edit removes some records and adds others, and its type is which atoms lose and gain how many.  How far an
input moves depends on these numbers only, so the types decide the whole class, however large.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb
from typing import Any

from dpcompose.kernel import formulas
from dpcompose.kernel.covers.types import LARGEST, Cover, Covering, Metric, NoCover, Type, query_metric
from dpcompose.kernel.domains import NONNEGATIVE
from dpcompose.kernel.settings import Mechanism, Relation
from dpcompose.kernel.terms import INFINITY, ONE, ZERO, Term, letter, number

Counts = tuple[int, int]
"""How many records are removed, and added."""
Changes = tuple[tuple[int, ...], tuple[int, ...]]
"""Which atoms lose records, and which gain some: one number a record."""


class Records(Covering):
    procedure = "edit types"

    def cover(self) -> Cover:
        setting = self.setting
        metrics = [self.metric(one) for one in setting.mechanisms]
        target = self.within(setting.target, setting.databases.size)
        pages = [one.pages for one in metrics]
        if setting.databases.of == "sequences":
            self.check_room(target)
        n = setting.databases.size[1]
        if target.any_two and n is None:
            return self.of_types([self.growing(metrics)], 1, pages)
        if target.any_two and all(one.discrete for one in metrics):
            changed = self.all_changed()
            if changed is not None:
                return self.of_types([self.type(*changed, metrics)], 1, pages)
        found = [self.type(left, right, metrics) for left, right in self.changes(target)]
        found.sort(key=lambda one: (_records(one), str(one.pair)))
        return self.of_types(found, len(found), pages)

    def within(self, relation: Relation, size: tuple[str, int | None]) -> Relation:
        """The relation by edits that lead from some database of these sizes to another one."""
        if isinstance(relation.single, str):
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

    def metric(self, mechanism: Mechanism) -> Metric:
        """The metric of what a mechanism reads: by its noise, or by a fact page for its guarantee's steps."""
        if mechanism.noise is not None:
            return query_metric(mechanism, self.theory)
        atoms, stated = mechanism.reads[0], mechanism.stated
        assert stated is not None
        relation = self.within(stated, self.setting.databases.size)
        if mechanism.domain == "own" or atoms is None:
            relation = self.within(stated, self.image_size(atoms))
        elif not relation.any_two:
            kept = {one for a, b in relation.edits for one in product(range(a + 1), range(b + 1))}
            relation = Relation(tuple(sorted(kept - {(0, 0)})), relation.steps)
        return self.closed_form(relation, self.image_size(atoms)[0])

    def closed_form(self, relation: Relation, size: str) -> Metric:
        """The canonical metric of a relation by edits, as a fact page states it."""
        if relation.any_two:
            return Metric((self.any_two(),), lambda removed, added: ONE, discrete=True)
        of = self.setting.databases.of

        def fits(page: Any) -> bool:
            head = page.head
            if head.metric is None or isinstance(head.edits, str) or head.edits is None:
                return False
            single = {tuple(one) for one in head.edits}
            both = tuple(sorted(single | {one[::-1] for one in single}))
            return of in head.classes and size in head.sizes and both == relation.single

        id = self.fact(fits, f"the metric of these steps on {of} of {size} size")
        head = self.theory.pages[id].head
        letters = {name: letter(name, NONNEGATIVE) for name in ("removed", "added")}
        formula = formulas.parse(head.metric, letters)

        def at(removed: int, added: int) -> Term:
            if formula.kind == "oo" or (head.same_size and removed != added):
                return INFINITY
            value = formulas.evaluate(formula, {"removed": Fraction(removed), "added": Fraction(added)})
            if value is None or value.denominator != 1:
                raise NoCover(f"the closed form of {id} is no whole number of steps")
            return number(-(-value.numerator // relation.steps))

        return Metric(self.grouped([id], relation.steps), at, discrete=formula.kind == "oo")

    def check_room(self, target: Relation) -> None:
        """On sequences one pair stands for its type where there is room for all edits."""
        word, n = self.setting.databases.size
        if n is not None and (target.any_two or (word != "exactly" and target.steps > n)):
            raise NoCover("sequences of so few entries have no room for all that neighbours may change")

    def type(self, left: tuple[int, ...], right: tuple[int, ...], metrics: Sequence[Metric]) -> Type:
        """The type of neighbours that lose the records `left` of some atoms and gain `right` of others."""
        moved, entries = [], dict[int, tuple[Term, ...]]()
        for i, atoms in self.reads():
            a, b = (sum(1 for one in side if atoms is None or one in atoms) for side in (left, right))
            if (a or b) and (r := metrics[i - 1].at(a, b)) != ZERO:
                moved.append((i, r))
                entries |= {i: some} if (some := metrics[i - 1].entries(a, b)) else {}
        return Type(self.gathered(moved), frozenset(), self.databases(left, right), tuple(entries.items()))

    def databases(
        self, left: tuple[int, ...], right: tuple[int, ...]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The smallest two databases that differ so."""
        atoms = self.setting.databases.atoms
        taken = set(left)
        D = [atoms[one].records[0] for one in left]
        E = [atoms[one].records[1 if one in taken else 0] for one in right]
        word, n = self.setting.databases.size
        if word == "exactly" and n:
            same = (D or E)[:1] * (n - len(left))
            D, E = D + same, E + same
        return tuple(sorted(D)), tuple(sorted(E))

    def growing(self, metrics: Sequence[Metric]) -> Type:
        """Any two databases of any size: none, and every record N times; N grows."""
        atoms = tuple(range(len(self.setting.databases.atoms)))
        moved, unlimited = [], set()
        for i, some in self.reads():
            here = len([one for one in atoms if some is None or one in some])
            if here:
                r = metrics[i - 1].at(0, here)
                if not metrics[i - 1].discrete:
                    if r.kind != "oo" and not r.positive:
                        name = self.setting.mechanisms[i - 1].name
                        raise NoCover(f"how far what {name} asks for moves may be 0, and else has no limit")
                    unlimited |= {i} if r.kind != "oo" else set()
                    r = INFINITY
                moved.append((i, r))
        D, E = self.databases((), atoms)
        return Type(self.gathered(moved, all_alike=True), frozenset(unlimited), (D, E))

    def all_changed(self) -> Changes | None:
        """A pair in which every atom changes, in a class of limited size; None where there is no room."""
        word, n = self.setting.databases.size
        atoms = tuple(range(len(self.setting.databases.atoms)))
        if word != "exactly":
            return (atoms, ()) if n is None or len(atoms) <= n else None
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
        atoms = self.setting.databases.atoms
        word, n = self.setting.databases.size
        differences = self.differences(target)
        length = n if word == "exactly" and n else 1
        written = sum(
            comb(len(atoms) + a - 1, a) * comb(len(atoms) + b - 1, b) * max(length, a) for a, b in differences
        )
        if written > LARGEST:
            raise NoCover(
                f"{len(atoms):,} kinds of records differ in too many ways to write down; smaller groups, "
                "a smaller size, or fewer record sets, would do"
            )
        for removed, added in sorted(differences):
            if removed < added:
                continue
            for left in combinations_with_replacement(range(len(atoms)), removed):
                for right in combinations_with_replacement(range(len(atoms)), added):
                    if removed == added and right < left:
                        continue
                    if all(len(atoms[one].records) > 1 for one in set(left) & set(right)):
                        yield left, right

    def differences(self, target: Relation) -> set[Counts]:
        """By how many records removed and added neighbours differ."""
        word, n = self.setting.databases.size
        if target.any_two:
            assert n is not None
            if n * n > LARGEST:
                raise NoCover(f"any two databases of up to {n:,} records differ in too many ways")
            ways = product(range(n + 1), repeat=2)
            return {(a, b) for a, b in ways if (a or b) and (word != "exactly" or a == b)}
        most = target.steps if n is None else min(n, target.steps)
        seen = layer = {(0, 0)}
        for _ in range(target.steps):
            sums = {(a + c, b + d) for a, b in layer for c, d in target.edits}
            layer = {one for one in sums if max(one) <= most} - seen
            if not layer:
                break
            seen = seen | layer
        return seen - {(0, 0)}


def _records(one: Type) -> int:
    """How many records the two databases of a type have."""
    return sum(len(side) for side in one.pair if isinstance(side, tuple))
