"""Covers of replacements in many atoms that share readers: pairs of atoms gathered into sunflowers.

Where a record of one atom is replaced by one of another, what mechanisms read that read both moves as where
a record goes and another comes, and what others read as where one goes or comes.  Atoms of which any two
share the same readers form a sunflower: its core moves alike at each of its pairs, and a petal as it does by
itself.  So a sunflower of n atoms is one type, of which any two petals may be the ones that move, in place of
n(n − 1)/2 types.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations, repeat
from operator import and_, neg

from dpcompose.kernel.covers.alike import is_plain
from dpcompose.kernel.covers.records import Changes, Records
from dpcompose.kernel.covers.types import Choice, Cover, Moves, NoCover, Type
from dpcompose.kernel.expressions.terms import Term

MANY = 24
"""How many atoms there have to be for pairs of them to be gathered."""
MOST = 3_000
"""How many atoms there may be for all pairs of them to be looked at."""
FEWER = 4
"""How many times fewer types, and petals, there have to be than pairs."""


class Sunflowers(Records):
    def cover_by_few(self) -> Cover | None:
        """The types of sunflowers, and of all other ways in which neighbours differ; None where this does
        not make them fewer, or mechanisms are told by more than how far what they read moves."""
        setting, databases = self.setting, self.setting.databases
        plain = (
            databases.of == "multisets" and not databases.letters and all(map(is_plain, setting.mechanisms))
        )
        if not plain or setting.target.any_two or not MANY <= len(databases.atoms) <= MOST:
            return None
        try:
            differences = self.differences(self.within(setting.target, databases.size))
            if not {(1, 1)} <= differences <= {(1, 0), (0, 1), (1, 1)}:
                return None
            return self.gathered_pairs((1, 0) in differences)
        except NoCover:
            return None

    def gathered_pairs(self, also_single: bool) -> Cover | None:
        n, flowers, others = len(self.shares), list[tuple[int, list[int]]](), list[Changes]()
        for core, pairs in self.by_core().items():
            those, left = gathered(n, pairs) if len(pairs) > MANY else ([], pairs)
            flowers += [(core, some) for some in those]
            others += [((a,), (b,)) for a, b in left]
        if FEWER * (len(others) + sum(len(some) for _, some in flowers)) > n * (n - 1) // 2:
            return None
        others += [
            ((a,), (a,)) for a, atom in enumerate(self.setting.databases.atoms) if len(atom.records) > 1
        ]
        others += [((a,), ()) for a in range(n)] if also_single else []
        kept = [self.of_edit(*one) for one in others if not self.is_exceeded(*one)]
        types = [*(self.of_flower(core, some) for core, some in flowers), *kept]
        page = self.theory.procedure(self.procedure)
        pages = tuple(tuple(one) for one in self.pages_of(self.metrics))
        return Cover(tuple(types), page, len(types), pages)

    @cached_property
    def shares(self) -> list[int]:
        """For each atom who reads it, one bit a mechanism."""
        return [sum(1 << i for i, _ in readers) for readers in self.readers_of]

    def by_core(self) -> dict[int, list[tuple[int, int]]]:
        """The pairs of atoms by the readers that they share."""
        found: dict[int, list[tuple[int, int]]] = {}
        for (a, of_a), (b, of_b) in combinations(enumerate(self.shares), 2):
            found.setdefault(of_a & of_b, []).append((a, b))
        return found

    def of_flower(self, core: int, atoms: Sequence[int]) -> Type:
        """The type of the pairs of atoms of a sunflower; the pair is one that moves many inputs."""
        petals = sorted(((a, self.petal(a, core)) for a in atoms), key=lambda one: -len(one[1]))
        (first, _), (second, _), *_ = petals
        return replace(self.of_edit((first,), (second,)), choices=(Choice(2, tuple(petals)),))

    def petal(self, atom: int, core: int) -> Moves:
        """What moves where a record of an atom goes, or as far where one comes, but for the core."""
        far = ((reader, self.metrics[reader].at(1, 0)) for reader in self.readers_of[atom])
        return tuple((i, ((1, r),)) for (i, _), r in far if not core >> i & 1)

    def is_exceeded(self, left: tuple[int, ...], right: tuple[int, ...]) -> bool:
        """Whether it is seen that some pair of two atoms moves what this one does as far, and more."""
        far, atoms = self.far(left, right), (*left, *right)
        for a, other in zip(atoms, atoms[::-1], strict=True):
            for b in self.with_readers(self.shares[other] & ~self.shares[a]):
                there = self.far((a,), (b,)) if a != b else {}
                if there != far and all(i in there and exceeds(there[i], r) for i, r in far.items()):
                    return True
        return False

    def far(self, left: tuple[int, ...], right: tuple[int, ...]) -> dict[int, Term]:
        """How far inputs move where records of these atoms go and come."""
        changed = {reader: [0, 0] for a in (*left, *right) for reader in self.readers_of[a]}
        for side, atoms in enumerate((left, right)):
            for reader in (reader for a in atoms for reader in self.readers_of[a]):
                changed[reader][side] += 1
        return {reader[0]: self.metrics[reader].at(*both) for reader, both in changed.items()}

    def with_readers(self, readers: int) -> Iterator[int]:
        """The atoms that these mechanisms read; of all of them the first few."""
        among = self.read_by[readers.bit_length() - 1] if readers else range(len(self.shares))[:MANY]
        yield from (a for a in among if not readers & ~self.shares[a])

    @cached_property
    def read_by(self) -> Mapping[int, list[int]]:
        """For each mechanism the atoms that it reads."""
        found: dict[int, list[int]] = {}
        for atom, readers in enumerate(self.readers_of):
            for i, _ in readers:
                found.setdefault(i, []).append(atom)
        return found


def gathered(n: int, pairs: Sequence[tuple[int, int]]) -> tuple[list[list[int]], list[tuple[int, int]]]:
    """Sets of numbers below n of which any two are such a pair, and the other pairs: each is in one."""
    adjacent = [0] * n
    for a, b in pairs:
        adjacent[a] |= 1 << b
        adjacent[b] |= 1 << a
    found, left = list[list[int]](), list(adjacent)
    while True:
        some = one_of(adjacent, left)
        inside = sum(1 << a for a in some)
        if sum((left[a] & inside).bit_count() for a in some) <= 2 * len(some):
            break
        for a in some:
            left[a] &= ~inside
        found.append(some)
    return found, [(a, b) for a, b in pairs if left[a] >> b & 1]


def one_of(adjacent: Sequence[int], left: Sequence[int]) -> list[int]:
    """A set of numbers of which any two are adjacent, with many of the pairs that are left."""
    first = max(range(len(left)), key=lambda a: left[a].bit_count())
    some, inside, able = [first], 1 << first, adjacent[first]
    those: Sequence[int] = range(len(left))
    while able:
        those = [a for a in those if able >> a & 1]
        of_those = [left[a] for a in those]
        with_some, with_able = (
            map(int.bit_count, map(and_, of_those, repeat(numbers))) for numbers in (inside, able)
        )
        many, _, before = max(zip(with_some, with_able, map(neg, those), strict=True))
        if not many:
            break
        some.append(-before)
        inside |= 1 << -before
        able &= adjacent[-before]
    return sorted(some)


def exceeds(one: Term, other: Term) -> bool:
    """Whether a distance is seen to be at least another one."""
    return one.kind == "oo" or (other.kind != "oo" and (one - other).nonnegative)
