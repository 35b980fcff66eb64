"""Types of neighbours: what moves alike, and which types no other one exceeds.

How far an input moves is counted in the metric in which the mechanism's guarantee is stated: canonical, in
closed form by a fact page, by the fewest blocks, or by shortest paths; of noise, how far the query's value
moves.  Distances never fall when more changes, so the types that no other one exceeds decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from operator import itemgetter
from typing import Any

from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.orders import undominated
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term, largest, least
from dpcompose.kernel.library.theory import NoPage

LARGEST = 2_000_000
"""The most records, or cells, or listed pairs times mechanisms, in all types that are gone through."""

Moves = tuple[tuple[int, tuple[tuple[int | Term, Term], ...]], ...]
"""For each input that moves its number, and how many members move how far; 0 members: all of the family."""
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


def is_within(type: Type, every: Sequence[Sequence[Type]]) -> bool:
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
