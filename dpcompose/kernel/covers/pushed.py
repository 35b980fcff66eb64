"""Groups of steps of a policy, pushed forward along what is seen of records: how far two inputs are apart.

A database is told by tokens, one for each record that it has room for: each stands on a record, or on
nothing.  What is seen of it are the places of its tokens, of which one stands for all records that are not
seen, and for nothing.  A step of what is seen takes tokens to other places, each by a shortest way between
some records of both: between two steps a token may change for another record that is seen as the same, and
within one it may not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from itertools import combinations_with_replacement

from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.core.settings import NOTHING, Edge, Mechanism
from dpcompose.kernel.covers.covering import Reader
from dpcompose.kernel.covers.matchings import Costs, cheapest
from dpcompose.kernel.covers.rooms import Room, Side
from dpcompose.kernel.covers.seen import Seen
from dpcompose.kernel.covers.types import LARGEST, NoCover
from dpcompose.kernel.expressions.terms import INFINITY, Term

MOST_WAYS = 200_000
"""To how many inputs groups of steps lead at most that are gone through, for one mechanism."""
MOST_SHARED = 3
"""How many tokens are told at most that two databases share, before all others are of one kind."""
UNSEEN = -2
"""The place of all that is not seen."""
Alike = tuple[tuple[Reader, Term, tuple[Term, ...]], ...]
"""How far neighbours move what is read, by whom, and the entries of queries."""


class Pushed:
    """How far inputs are apart, one step of which is a group of steps of a policy.

    The place of the first record of an atom is 2a, that of another one 2a + 1; records that are seen as one
    have the place 2a of their first atom.

    costs -- of the policy on databases; seen_costs -- where each step joins what its ends are seen as.
    """

    def __init__(self, databases: Databases, seen: Seen, steps: int, costs: Costs, seen_costs: Costs) -> None:
        self.databases, self.seen, self.steps = databases, seen, steps
        self.costs, self.seen_costs = costs, seen_costs
        self.ways = 0

    def far(self, left: Side, right: Side, shared: Side = ()) -> int | None:
        """The fewest steps between two inputs: of databases of which D alone has some records, and E others.

        shared -- on what the other tokens stand that databases have room for.
        """
        first, last = self.tokens(left, len(right), shared), self.tokens(right, len(left), shared, left)
        if (r := self.least(first, last)) is None:
            return None
        while not self.leads(first, last, r):
            r += 1
        return r

    def tokens(self, side: Side, others: int, shared: Side, taken: Side = ()) -> Side:
        """Where the tokens of a database are seen, of which another one has so many records alone."""
        same = (*shared, *[NOTHING] * (others - len(side)))
        return tuple(sorted([*self.places(side, taken), *self.places(same)]))

    def places(self, side: Side, taken: Side = ()) -> Iterator[int]:
        """Where tokens on some atoms are seen; taken -- atoms of which another record is meant."""
        for atom in side:
            place = self.seen(atom)
            alone = place == NOTHING or place in self.seen.single
            yield UNSEEN if place == NOTHING else 2 * place + (not alone and atom in taken)

    def least(self, u: Side, v: Side) -> int | None:
        """How many groups of steps there are at least, where tokens may change at any time.  None: no steps
        lead there."""
        here, there = Counter(u), Counter(v)
        left, right = (
            tuple(sorted(place // 2 for place in some.elements() if place != UNSEEN))
            for some in (here - there, there - here)
        )
        cost = cheapest(self.seen_costs, left, right)
        return None if cost is None else -(-cost // self.steps)

    def leads(self, u: Side, v: Side, steps: int) -> bool:
        """Whether so many groups of steps lead from one input to another one."""
        if (u, v, steps) not in self.known:
            self.known[u, v, steps] = self._leads(u, v, steps)
        return self.known[u, v, steps]

    @cached_property
    def known(self) -> dict[tuple[Side, Side, int], bool]:
        """What was seen to lead there, and what not."""
        return {}

    def _leads(self, u: Side, v: Side, steps: int) -> bool:
        least, at_once = self.least(u, v), cheapest(self.between, u, v)
        if least is None or least > steps:
            return False
        if at_once is not None and at_once <= steps * self.steps:
            return True
        return steps > 1 and any(self.leads(w, v, steps - 1) for w in self.after(u))

    def after(self, u: Side) -> Iterator[Side]:
        """What one group of steps leads to."""
        told = set[Side]()
        for some in self.moved(u, self.steps):
            self.ways += 1
            if self.ways > MOST_WAYS:
                raise NoCover("groups of steps lead to too many databases to see how far what is read moves")
            if (w := tuple(sorted(some))) not in told and w != u:
                told.add(w)
                yield w

    def moved(self, u: Side, most: int) -> Iterator[Side]:
        """Where tokens are taken at a cost that is limited."""
        if not u:
            yield ()
            return
        for place, cost in self.near[u[0]]:
            if cost <= most:
                yield from ((place, *others) for others in self.moved(u[1:], most - cost))

    @cached_property
    def near(self) -> dict[int, list[tuple[int, int]]]:
        """For each place those to which a group of steps takes a token, and the costs, the least first."""
        found: dict[int, list[tuple[int, int]]] = {}
        for x in self.fibres:
            costs = ((y, self.between(x, y)) for y in self.fibres)
            some = [(y, cost) for y, cost in costs if cost is not None and cost <= self.steps]
            found[x] = sorted(some, key=lambda one: one[1])
        return found

    @cached_property
    def fibres(self) -> dict[int, list[int]]:
        """For each place the atoms that are seen there, and nothing."""
        found: dict[int, list[int]] = {} if self.databases.size[0] == "exactly" else {UNSEEN: [NOTHING]}
        for atom, records in enumerate(self.databases.atoms):
            (place,) = self.places((atom,))
            found.setdefault(place, []).append(atom)
            if place != UNSEEN and place // 2 not in self.seen.single and len(records.records) > 1:
                found[place + 1] = [atom]
        return found

    @cached_property
    def between(self) -> Callable[[int, int], int | None]:
        """What it costs to take a token from one place to another one; from or to none it is not taken."""
        return cache(self._between)

    def _between(self, x: int, y: int) -> int | None:
        if x == y or NOTHING in (x, y):
            return None if NOTHING in (x, y) else 0
        ways = (self.costs(a, b) for a in self.fibres[x] for b in self.fibres[y])
        return min((cost for cost in ways if cost is not None), default=None)


def is_seen_whole(here: Room, mechanism: Mechanism, seen: Seen) -> bool:
    """Whether a guarantee is stated for steps of what is seen."""
    return mechanism.domain == "own" or (len(seen.inside) == len(here.atoms) and not mechanism.codes)


def groups_pass(here: Room, seen: Seen, edges: Iterable[Edge]) -> bool:
    """Whether groups of steps become groups of as many steps of what is seen: there is room outside of it for
    all records that steps lead to, and start from; or all records are seen, and each step of what is seen is
    one of whichever records are there."""
    if seen.single:
        return len(seen.inside) == len(here.atoms) and seen.stuck(edges) is None
    return here.groups_pushed


def why_not_told(databases: Databases, seen: Seen, edges: Iterable[Edge], steps: int, gap: int) -> str:
    """Why tokens do not tell which databases have what is seen; "" where they do.

    Where databases have at least some number of records, so many tokens do not stand on nothing; then records
    that are not seen have to take the place of all that do not come or go within a step.

    edges -- of the policy on databases; gap -- by how many records databases may differ.
    """
    if databases.of != "multisets":
        return f"of {databases.of}, which may not have the same record at two places"
    if databases.beside:
        return "beside any number of parts, of which it is not said what lies in them"
    others = seen.inside != frozenset(range(len(databases.atoms)))
    comes = any(NOTHING in edge for edge in edges)
    if databases.from_some_size_on and comes and not (others and steps <= gap):
        return (
            "where databases have at least so many records and some come and go, unless a group has no more "
            "steps than sizes differ by, and some records are not read"
        )
    return ""


class Shared:
    """What two databases have besides the records in which they differ: a record for each token, or nothing.

    The more tokens are told, the nearer is what is read, as tokens may stay where they are.

    fewest -- how many records the largest databases have at least, if there is a limit.
    """

    def __init__(self, databases: Databases, fewest: int | None, left: Side, right: Side) -> None:
        self.databases, self.more, self.fewer = databases, *sorted((len(left), len(right)), reverse=True)
        self.free = None if fewest is None else max(0, fewest - self.more)
        self.kinds = tuple(range(len(databases.atoms)))
        if databases.size[0] != "exactly":
            self.kinds = (NOTHING, *self.kinds)

    def furthest(self, moved: Callable[[Side, Side], Alike]) -> list[tuple[Alike, Side]]:
        """How far inputs are moved at most, and the records that are shared then.

        Those that share a few tokens decide, once all others may be of a kind that brings nothing nearer.

        moved -- where some tokens are shared, and any number of some kinds.
        """
        for many in range(MOST_SHARED + 1):
            last = many == self.free and not self.databases.letters
            every, kept = list[Alike](), list[tuple[Alike, Side]]()
            for some in combinations_with_replacement(self.kinds, many):
                far = moved(some, ())
                wholes = (
                    whole
                    for kind in self.kinds
                    if (whole := self.whole(some, kind)) is not None and (last or moved(some, (kind,)) == far)
                )
                if (whole := next(wholes, None)) is not None:
                    kept.append((far, whole))
                if not last:
                    every.append(far)
            if all(any(is_within(far, other) for other, _ in kept) for far in every):
                return kept
            if many == self.free:
                break
        raise NoCover(
            "how far groups of steps move what is read depends on what else databases have, in too many "
            "ways; state guarantees for single steps, or on the own domain"
        )

    def whole(self, shared: Side, kind: int) -> Side | None:
        """The records that are shared, if some tokens are told and all others are of one kind; None where
        there are no such databases."""
        databases, n = self.databases, self.databases.size[1]
        if n is not None:
            others = n - self.more - len(shared)
        else:
            others = max(0, databases.least - self.fewer - len(shared)) if kind != NOTHING else 0
        if kind != NOTHING and others > LARGEST:
            raise NoCover(f"{others:,} records are too many to write down; a smaller size would do")
        records = (*(atom for atom in shared if atom != NOTHING), *[kind] * others * (kind != NOTHING))
        few = len(records) + self.fewer < databases.least
        nothing = NOTHING in shared or (kind == NOTHING and others > 0)
        return None if few or (nothing and databases.from_some_size_on and databases.letters) else records


def is_within(far: Alike, other: Alike) -> bool:
    """Whether all inputs move at least as far in another way."""
    return all(
        more == INFINITY or (r.number is not None and more.number is not None and r.number <= more.number)
        for (_, r, _), (_, more, _) in zip(far, other, strict=True)
    )
