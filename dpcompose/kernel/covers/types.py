"""Types of neighbours: what moves alike, and which types no other one exceeds.

How far an input moves is counted in the metric in which the mechanism's guarantee is stated: canonical, in
closed form by a fact page, by the fewest blocks, or by shortest paths; of noise, how far the query's value
moves.  Distances never fall when more changes, so the types that no other one exceeds decide.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from typing import Any, ClassVar

from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.core.settings import Mechanism, Setting
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.orders import undominated
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term, largest, least
from dpcompose.kernel.library.theory import NoPage, Theory

LARGEST = 2_000_000
"""The most records, or cells, or listed pairs times mechanisms, in all types that are gone through."""

MOST_TOLD_APART = 200
"""How many neighbours that move the inputs alike are told apart; the others stand for each other."""
TOO_MANY = None
"""What all these others are told by."""

Moves = tuple[tuple[int, tuple[tuple[int | Term, Term], ...]], ...]
"""For each input that moves its number, and how many members move how far; 0 members: all of the family."""
Reader = tuple[int, int]
"""A mechanism by its number, and which of the sets that it reads is meant, from 0."""
Pair = tuple[tuple[str, ...], tuple[str, ...]]
"""Two databases, each by its records."""


class NoCover(NoPage):
    """No lemma covers the neighbours of the class by finitely many types; the message says why."""


@frozen
class Near:
    """Two databases of which some distance is at most a radius; inside False: is larger."""

    far: Term
    radius: Term
    inside: bool


@frozen
class Where:
    """How far apart two databases of a product are: distances as formulas in letters that say where they are.

    distances -- by their names, ∞ among them; at_most -- the same with the bounds that are stated for them;
    same -- parts in which they are equal; apart -- some parts of which one differs; counts -- of parts of
    records, how many of each class D has more, and E; listed -- of listed parts the numbers of both;
    differences -- formulas in coordinates, and whether one of them is not 0, or all are; near -- how near.
    """

    distances: tuple[tuple[str, Term], ...]
    at_most: tuple[tuple[str, Term], ...]
    same: frozenset[str] = frozenset()
    apart: tuple[tuple[str, ...], ...] = ()
    counts: tuple[tuple[str, tuple[tuple[Term, Term], ...]], ...] = ()
    listed: tuple[tuple[str, tuple[int, int]], ...] = ()
    differences: tuple[tuple[tuple[Term, ...], bool], ...] = ()
    near: tuple[Near, ...] = ()


@frozen
class Choice:
    """Which of many atoms change, and what each of them moves: `many` of these, whichever, and no others."""

    many: int
    of: tuple[tuple[int, Moves], ...]

    @cached_property
    def mechanisms(self) -> frozenset[int]:
        """Those that move where one of the atoms changes."""
        return frozenset(i for _, some in self.of for i, _ in some)


@frozen
class Type:
    """Neighbours that move the inputs alike, and two of them.

    moves -- how far; families on one partition move the same members, the furthest ones furthest;
    unlimited -- inputs that move by finite distances without a limit, which `moves` has as
    ∞: then the pair with every record taken N times moves them further and further;
    pair -- two databases: of records their lists; of cells those in which they differ; of listed ones their
    numbers;
    entries -- of mechanisms that add noise, how far each entry of the query's value moves that does; left
    out where that differs from member to member;
    lost -- of mechanisms that are stated in formulas of distances, what these are here, and the parameters
    that are formulas of their own; then they move by one step of the guarantee that they have here;
    where -- of a product, where the two are;
    choices -- what may move in place of some of `moves`; the pair changes the first ones of each choice;
    often -- how many times the records are there in which the pair differs; besides -- further pairs of which
    there are so many;
    own -- of mechanisms on samples of what is read how many records only the first has, and only the second,
    at all neighbours of the type, or with both exchanged; left out where that is not told.
    """

    moves: Moves
    unlimited: frozenset[int]
    pair: Pair | tuple[int, ...]
    entries: tuple[tuple[int, tuple[Term, ...]], ...] = ()
    lost: tuple[tuple[int, Term, tuple[tuple[str, Term], ...]], ...] = ()
    where: Where | None = None
    choices: tuple[Choice, ...] = ()
    often: Term = ONE
    besides: tuple[tuple[Pair | tuple[int, ...], Term], ...] = ()
    own: tuple[tuple[int, tuple[int, int]], ...] = ()

    def of(self, numbers: Mapping[int, int]) -> Type:
        """How far some of the inputs move, with other numbers for them."""
        return Type(
            tuple(sorted((numbers[i], some) for i, some in self.moves if i in numbers)),
            frozenset(numbers[i] for i in self.unlimited if i in numbers),
            self.pair,
            tuple(sorted((numbers[i], terms) for i, terms in self.entries if i in numbers)),
            tuple((numbers[i], far, more) for i, far, more in self.lost if i in numbers),
            often=self.often,
            besides=self.besides,
        )

    def own_of(self, i: int) -> tuple[int, int] | None:
        """How many records only the first database has, and only the second, of what M_i reads."""
        return dict(self.own).get(i)

    @property
    def every(self) -> Moves:
        """How far the inputs move that move at some neighbours of the type."""
        others = {i: far for choice in self.choices for _, some in choice.of for i, far in some}
        return tuple(sorted((others | dict(self.moves)).items())) if others else self.moves


@frozen
class Cover:
    """The types, the page by which they cover all neighbours, and how many pairs were gone through."""

    types: tuple[Type, ...]
    page: str
    gone_through: int
    metrics: tuple[tuple[str, ...], ...]
    """For each mechanism the pages that state the metric of its input."""
    convex: frozenset[int] = frozenset()
    """Of which mechanisms losses must be convex in the distance, and 0 at 0, for the types to cover all."""
    rows_apart: bool = False
    """Whether for all neighbours there is a type with the same rows of all tables, in some order, at which
    all other inputs move at least as far."""
    infinite: bool = False
    """Whether types are left out at which some input moves by ∞ at others, and inputs besides move less far
    at these: so they cover all only where everything that moves is lost."""

    @property
    def is_whole(self) -> bool:
        """Whether each type is told by how far it moves which input, and none is left out."""
        return not self.convex and not any(type.choices for type in self.types)


@frozen
class Metric:
    """How far an input moves, by counts of what differs, and the pages that state it.

    at -- from how many records are removed and added; discrete -- whether it only says whether they differ;
    entries -- of the value of a query, how far each entry moves that does; convex -- whether the distance is
    seen to be convex in how many records are removed and added, 0 for none.
    """

    pages: tuple[str, ...]
    at: Callable[[int, int], Term]
    discrete: bool = False
    entries: Callable[[int, int], tuple[Term, ...]] = lambda removed, added: ()
    convex: bool = False


class Covering(ABC):
    """What the kinds of classes have in common: moves of single inputs gathered into types."""

    procedure: ClassVar[str]
    """What the page calls the lemma by which the types cover everything."""
    by_formulas: ClassVar[bool] = False
    """Whether what moves are formulas in distances, of mechanisms that are stated in these."""

    def __init__(self, setting: Setting, theory: Theory, most: int = LARGEST) -> None:
        self.setting, self.theory, self.most = setting, theory, most

    @abstractmethod
    def cover(self) -> Cover:
        """The types of the target's neighbours.  Raises NoPage where no lemma covers them."""

    @property
    def enough_steps(self) -> Term | None:
        """How many steps of the target lead as far as any number of them does; None where none do."""
        return None

    def moves_of(self, pairs: Sequence[Pair | tuple[int, ...]]) -> Moves:
        """How far two databases move the inputs that have the records of some pairs, together."""
        sides: list[tuple[Any, ...]] = [*zip(*pairs, strict=True)]
        D, E = (Counter(x for one in side for x in one) for side in sides)
        atoms = {x: n for n, atom in enumerate(self.setting.databases.atoms) for x in atom.records}
        left, right = (tuple(sorted(atoms[x] for x in some.elements())) for some in (D - E, E - D))
        return self.moves_at(left, right)

    def moves_at(self, left: tuple[int, ...], right: tuple[int, ...]) -> Moves:
        """The same by the atoms of what only one has.  Raises NoCover where that is not told."""
        raise NoCover("how far any two databases are apart is not told")

    def fact(self, fits: Callable[[Any], bool], what: str) -> str:
        """The id of the fact page that fits.  Raises NoPage: no page states `what`."""
        return str(self.theory.first("fact", fits, f"no page states {what}").id)

    def any_two(self) -> str:
        """The page on the metric where any two databases are neighbours."""
        return self.fact(lambda page: page.head.edits == "any two", "the metric of any two neighbours")

    def grouped(self, pages: Sequence[str], steps: int) -> tuple[str, ...]:
        """The pages of a metric, with that of groups of several steps."""
        if steps == 1:
            return tuple(pages)
        groups = self.fact(lambda page: page.head.groups is not None, "the metric of groups of steps")
        return (*pages, groups)

    def readers(self) -> dict[Reader, tuple[int, ...] | None]:
        """What is read, by whom."""
        return {
            (i, part): numbers
            for i, mechanism in enumerate(self.setting.mechanisms, start=1)
            for part, numbers in enumerate(mechanism.reads)
        }

    def pages_of(self, metrics: Mapping[Reader, Metric]) -> list[tuple[str, ...]]:
        """For each mechanism the pages that state its metrics."""
        found: dict[int, dict[str, None]] = {i: {} for i, _ in metrics}
        for (i, _), metric in metrics.items():
            found[i] |= dict.fromkeys(metric.pages)
        return [tuple(some) for some in found.values()]

    def type(
        self,
        moved: Iterable[tuple[Reader, Term, tuple[Term, ...]]],
        pair: Pair | tuple[int, ...],
    ) -> Type:
        """The type of two neighbours that move what is read so far, and the entries of its query's value."""
        far: dict[int, dict[int, Term]] = {}
        entries: dict[int, set[tuple[Term, ...]]] = {}
        for (i, part), r, moving in moved:
            if r != ZERO:
                far.setdefault(i, {})[part] = r
                if self.setting.mechanisms[i - 1].noise is not None:
                    entries.setdefault(i, set()).add(moving)
        alike = tuple((i, some.pop()) for i, some in sorted(entries.items()) if len(some) == 1)
        return Type(self.gathered(far), frozenset(), pair, alike)

    def growing(self, moved: Iterable[tuple[Reader, Term, bool]]) -> Type:
        """Any two databases of any size: none, and every record N times; N grows.

        moved -- how far each reader's input moves for N = 1, and whether that is all.
        """
        far: dict[int, set[Term]] = {}
        unlimited = set()
        if any(is_about_least(mechanism, self.theory) for mechanism in self.setting.mechanisms):
            raise NoCover("what is asked of a number of records that is not known has a limit: not supported")
        for (i, _), r, discrete in moved:
            if not discrete and r.kind != "oo":
                if not r.positive:
                    name = self.setting.mechanisms[i - 1].name
                    raise NoCover(f"how far what {name} asks for moves may be 0, and else has no limit")
                unlimited.add(i)
                r = INFINITY
            far.setdefault(i, set()).add(r)
        if any(len(terms) > 1 for terms in far.values()):
            raise NoCover("members of a family that move by different amounts are not supported")
        counted = {i: 1 if self.setting.mechanisms[i - 1].count is None else 0 for i in far}
        moves = tuple((i, ((counted[i], r),)) for i, (r,) in sorted(far.items()))
        databases = self.setting.databases
        every = tuple(range(len(databases.atoms)))
        return Type(moves, frozenset(unlimited), smallest_pair(databases, (), every))

    def gathered(self, far: Mapping[int, Mapping[int, Term]]) -> Moves:
        """Moves by the mechanism: of a family how many members move how far, the furthest first."""
        self.check_together(far)
        moves: list[tuple[int, tuple[tuple[int, Term], ...]]] = []
        for i, of_parts in sorted(far.items()):
            mechanism, distances = self.setting.mechanisms[i - 1], list(of_parts.values())
            if mechanism.partition:
                times = Counter(distances)
                order = sorted(times, key=size, reverse=True) if len(times) > 1 else list(times)
                moves.append((i, tuple((times[r], r) for r in order)))
            else:
                moves.append((i, ((1 if mechanism.count is None else 0, distances[0]),)))
        return tuple(moves)

    def check_together(self, far: Mapping[int, Mapping[int, Term]]) -> None:
        """Of families on one partition a member that moves further in one moves no less far in another.

        A family of which a member moves by ∞ loses ∞ there, whatever the others do.
        """
        families: dict[str, list[Mapping[int, Term]]] = {}
        for i, of_parts in sorted(far.items()):
            partition = self.setting.mechanisms[i - 1].partition
            if partition and all(r.kind != "oo" for r in of_parts.values()):
                families.setdefault(partition, []).append(of_parts)
        for family in families.values():
            rows = {tuple(terms.get(part, ZERO) for terms in family) for part in set().union(*family)}
            if len(rows) > 1:
                ordered = pairwise(sorted(tuple(map(size, row)) for row in rows))
                if any(a > b for less, more in ordered for a, b in zip(less, more, strict=True)):
                    raise NoCover(
                        "several families on one partition of which other members move are not supported; "
                        "write the parts out"
                    )

    def own(self, counts: Mapping[Reader, tuple[int, int]]) -> tuple[tuple[int, tuple[int, int]], ...]:
        """How many records only one, and only the other one has of what is read, of groups on samples where
        the page says what is lost as one comes."""
        target = self.setting.target
        if target.any_two or target.steps == 1 or target.times is not None:
            return ()
        return tuple((i, some) for (i, _), some in sorted(counts.items()) if self._comes(i))

    def _comes(self, i: int) -> bool:
        """Whether M_i is one mechanism on samples of which a page says what is lost where a record comes."""
        mechanism = self.setting.mechanisms[i - 1]
        if mechanism.sampled is None or mechanism.count is not None:
            return False
        return 0 in self.theory.page(mechanism.sampled.page, "sampling").head.neighbours

    def by_size(self, pair: Pair | tuple[int, ...]) -> tuple[Any, ...]:
        """The order of neighbours that move the inputs alike, of which the first stands for all: by how many
        records they have; first where a page of samples says what is lost: as many come as go, or not."""
        sizes, replaced = [len(side) for side in pair if isinstance(side, tuple)], self.replaced_on_samples
        elsewhere = bool(replaced) and any(replaced) != (len({*sizes}) == 1)
        return elsewhere, sum(sizes), str(pair)

    @cached_property
    def replaced_on_samples(self) -> set[bool]:
        """Whether pages of samples say what is lost where as many come as go only, of each that is used."""
        pages = {some.sampled.page for some in self.setting.mechanisms if some.sampled is not None}
        return {0 not in self.theory.page(page, "sampling").head.neighbours for page in pages}

    def told_apart(self, type: Type) -> Hashable:
        """What tells two neighbours from others that move the inputs alike."""
        return ()

    def of_types(self, types: Iterable[Type], gone_through: int, metrics: Sequence[Sequence[str]]) -> Cover:
        """The cover by the types that no other one exceeds."""
        told: dict[Hashable, dict[tuple[Any, ...], Type]] = {}
        for type in types:
            apart: Hashable = (self.told_apart(type), type.own)
            if apart not in told and len(told) > MOST_TOLD_APART:
                apart, type = TOO_MANY, replace(type, own=())
            told.setdefault(apart, {}).setdefault((type.moves, type.unlimited, type.entries), type)
        every = [undominated_types(list(some.values())) for some in told.values()]
        every = [[type for type in some if not _is_within(type, every)] for some in every]
        kept = [type for some in every for type in some if type.moves or len(every) == 1]
        page, pages = self.theory.procedure(self.procedure), tuple(tuple(metric) for metric in metrics)
        return Cover(tuple(kept), page, gone_through, pages, rows_apart=TOO_MANY not in told)


def first_of(ways: Iterable[Callable[[], Cover]]) -> Cover:
    """The cover of the first way that leads to one.  Raises NoCover, with the reasons of all."""
    why: dict[str, None] = {}
    for way in ways:
        try:
            return way()
        except NoCover as error:
            why[str(error)] = None
    raise NoCover("; ".join(why))


def from_number_on(m: Term, s: int) -> Term:
    """[m >= s]: 1 where a whole number is so large, and 0 where it is less."""
    if m.number is not None:
        return ONE if m.number >= s else ZERO
    return least(ONE, largest(ZERO, m - (s - 1))) if s > int(m.of[1].least) else ONE


def size(distance: Term) -> tuple[int, Fraction]:
    """By what distances of a family's members are put in order.  Raises NoCover for formulas."""
    if distance.kind == "oo":
        return 1, Fraction(0)
    if distance.number is None:
        raise NoCover(
            "members of a family that move by different amounts, such as "
            f"{formulas.to_text(distance)}, are not supported; write the parts out"
        )
    return 0, distance.number


def are_no_larger(some: Sequence[Term], others: Sequence[Term]) -> bool:
    """Whether some distances are seen to be at most others."""
    return INFINITY not in some and all((b - a).nonnegative for a, b in zip(some, others, strict=True))


def smallest_pair(
    databases: Databases, left: tuple[int, ...], right: tuple[int, ...], more: tuple[int, ...] = ()
) -> Pair:
    """The smallest two databases of which one has records of the atoms `left` more, the other of `right`.

    more -- atoms of which they share a record: the first one, and then the last one over and over; where left
    out, they share as many of the first record as they have to.
    """
    atoms, taken = databases.atoms, set(left)
    D = [atoms[number].records[0] for number in left]
    E = [atoms[number].records[1 if number in taken else 0] for number in right]
    shared = databases.shared(len(left), len(right))
    if shared > LARGEST:
        raise NoCover(f"{shared:,} records are too many to write down; a smaller size would do")
    own = [atoms[number].records[0] for number in more]
    same = (D or E)[:1] * shared if not own else own[:-1] + own[-1:] * max(shared - len(own) + 1, 0)
    return tuple(sorted(D + same)), tuple(sorted(E + same))


def _is_within(type: Type, every: Sequence[Sequence[Type]]) -> bool:
    """Whether others move all inputs further, of which as many records or more are in one database only."""

    def beyond(other: Type, way: int) -> bool:
        own = {i: some[::way] for i, some in other.own}
        further = all(
            i in own and all(a <= b for a, b in zip(some, own[i], strict=True)) for i, some in type.own
        )
        return further and undominated_types([type, other]) == [other]

    others = (one for some in every for one in some if type.own and one.own and one.own != type.own)
    return any(beyond(other, way) for other in others for way in (1, -1))


def undominated_types(types: Sequence[Type]) -> list[Type]:
    """The types that no other one exceeds, in their order; where distances are formulas, in equal ones."""
    several = frozenset(i for type in types for i, terms in type.entries if len(terms) > 1)
    slots = [_slots(type) | _entries(type, several) for type in types]
    distances = {r for slot in slots for r in slot.values()}
    unordered = {r for r in distances if r.kind != "oo" and r.number is None}
    as_they_are = {key for slot in slots for key, r in slot.items() if r in unordered}
    # ordered distances by their rank: small numbers are quicker to compare
    ranks = {r: n for n, r in enumerate(sorted(distances - unordered, key=size), start=1)}
    rows: dict[tuple[Any, ...], dict[tuple[int, int], Any]] = {}
    keys = []
    for slot in slots:
        row: dict[tuple[int, int], Any] = {
            key: r if key in as_they_are else ranks[r] for key, r in slot.items()
        }
        row |= {key: ZERO for key in as_they_are if key not in row}
        keys.append(tuple(sorted(row.items(), key=itemgetter(0))))
        rows[keys[-1]] = row
    kept = undominated(list(rows.values()), 0, lambda key: key not in as_they_are)
    names = list(rows)
    best = {names[n] for n in kept}
    found = [type for type, key in zip(types, keys, strict=True) if key in best]
    moving = [type for type in found if type.moves]
    seen = any(all(r.nonnegative for _, some in type.moves for _, r in some) for type in moving)
    return moving if seen else found


def _slots(type: Type) -> dict[tuple[int, int], Term]:
    """The distances member by member, the furthest first; of a whole family one stands for all."""
    terms: dict[tuple[int, int], Term] = {}
    for i, members in type.moves:
        distances = [r for many, r in members for _ in range(how_many(many) or 1)]
        terms |= {(i, slot): r for slot, r in enumerate(distances)}
    return terms


def _entries(type: Type, several: frozenset[int]) -> dict[tuple[int, int], Term]:
    """How far entries of queries move, the furthest first, where there are several: where each of them moves
    less, less is lost also by noise of which each entry has its own."""
    terms, entries = dict[tuple[int, int], Term](), dict(type.entries)
    for i, members in type.moves:
        if i in several:
            moving = entries.get(i) or (members[0][1],)
            ordered = all(r.kind == "oo" or r.number is not None for r in moving)
            for n, r in enumerate(sorted(moving, key=size, reverse=True) if ordered else moving, start=1):
                terms[i, -n] = r
    return terms


def how_many(members: int | Term) -> int:
    """How many members move, where that is a number.  Raises NoCover for letters."""
    if isinstance(members, Term):
        raise NoCover(f"{formulas.to_text(members)} is no number of members that move")
    return members


def is_about_least(mechanism: Mechanism, theory: Theory) -> bool:
    """Whether only the least number of the records is known that a mechanism's query is about."""
    if mechanism.noise is None or mechanism.noise.query is None:
        return False
    return mechanism.noise.query.n is None and theory.page(mechanism.noise.query.page, "query").head.sized
