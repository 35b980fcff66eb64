"""Covers of multisets, sets and tuples whose steps are edges of policies: which records may become which.

A policy is a graph on the records and "nothing": an edge x–y lets a record x become y, an edge from x to
nothing lets x come or go.  Records of one atom have the same edges and readers.  Costs are shortest paths;
how far two multisets are apart is the cheapest way to match what only one of them has with what only the
other has, where any record may be matched with nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, cached_property
from itertools import chain, combinations, combinations_with_replacement, product
from typing import Any

from dpcompose.kernel.core.assumptions import known_least
from dpcompose.kernel.core.classes import ALIKE, Databases
from dpcompose.kernel.core.settings import NOTHING, Edge, Mechanism, Relation
from dpcompose.kernel.covers import paths, sizes
from dpcompose.kernel.covers.covering import Covering, Reader
from dpcompose.kernel.covers.matchings import Costs, cheapest
from dpcompose.kernel.covers.pushed import Alike, Pushed, Shared, groups_pass, is_seen_whole, why_not_told
from dpcompose.kernel.covers.queries import query_metric
from dpcompose.kernel.covers.rooms import Room, Side, room
from dpcompose.kernel.covers.seen import Seen
from dpcompose.kernel.covers.types import LARGEST, Cover, Moves, NoCover, Pair, smallest_pair
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term, number

MOST_STEPS = 8
"""The most steps of a group of a policy: as many records are matched with as many others."""


class Policies(Covering):
    procedure = "policies"

    def cover(self) -> Cover:
        target, databases = self.setting.target, self.setting.databases
        metrics = self.metrics_among(self.every)
        pages = list({i: metric.pages for (i, _), metric in metrics.items()}.values())
        if target.any_two:  # of limited sizes these are groups of steps
            if databases.of != "multisets" or databases.size[1] is not None:
                raise NoCover("any two databases are neighbours: how far they differ has no policy")
            every = tuple(range(len(databases.atoms)))
            sides = ((one, *metric.seen.sides((), every)) for one, metric in metrics.items())
            furthest = [
                (one, metrics[one].far(left, right), metrics[one].discrete)
                for one, left, right in sides
                if left or right
            ]
            return self.of_types([self.growing(furthest)], 1, pages)
        found: dict[Any, tuple[tuple[Any, ...], Pair]] = {}  # of neighbours that are alike the smallest
        gone_through = 0
        for left, right in differences(databases, target, self.most):
            gone_through += 1
            read = {reader: metrics[reader].seen.sides(left, right) for reader in self.that_see(left, right)}
            own = self.own({reader: (len(a), len(b)) for reader, (a, b) in read.items() if a or b})
            for alike, pair in self.in_universes(left, right):
                order = self.by_size(pair)
                if (alike, own) not in found or order < found[alike, own][0]:
                    found[alike, own] = order, pair
        smallest = sorted(found.items(), key=lambda one: one[1][0])
        types = [replace(self.type(alike, pair), own=own) for (alike, own), (_, pair) in smallest]
        infinite = any(r == INFINITY for (alike, _), _ in smallest for _, r, _ in alike)
        hides = bool(databases.further) and infinite
        return replace(self.of_types(types, gone_through, pages), infinite=hides, convex=frozenset(self.bent))

    @property
    def enough_steps(self) -> Term | None:
        """As many as lead from a record to any that can be reached, for each record of the larger one."""
        if (n := self.setting.databases.largest) is None:
            return None
        if self.setting.databases.beside:  # with fewer atoms ways are longer
            return 2 * len(self.every) * n
        costs = self.steps_among(self.every)
        twice = ((x, x) for x in self.every if len(self.room.atoms[x].records) > 1)
        ends = (*combinations([*self.every, NOTHING], 2), *twice)
        longest = max((costs(x, y) or 0 for x, y in ends), default=0)
        return max(longest, 1) * n

    def moves_at(self, left: Side, right: Side) -> Moves:
        return self.type(self.moved(left, right, self.metrics_among(self.every)), ((), ())).moves

    @cached_property
    def room(self) -> Room:
        """What room databases have for records that differ."""
        return room(self.setting.databases)

    @cached_property
    def every(self) -> frozenset[int]:
        """All atoms."""
        return frozenset(range(len(self.setting.databases.atoms)))

    # universes of which it is not said which one it is

    @cached_property
    def bent(self) -> set[int]:
        """The mechanisms of which losses have to be convex for the types that were found."""
        return set()

    def in_universes(self, left: Side, right: Side) -> Iterator[tuple[Alike, Pair]]:
        """How far neighbours move what is read in each universe, of which the poorest have the longest ways;
        and two databases, with the records of both on which that depends."""
        moved, pair = self.moved(left, right, self.metrics_among(self.every)), self.room.pair(left, right)
        if any(metric.pushed for metric in self.metrics_among(self.every).values()):
            return self.sharing(left, right, moved, pair)
        if not self.setting.databases.beside:
            return iter([(moved, pair)])
        ends = frozenset({*left, *right})
        alone = self.room.around(ends)
        if self.setting.databases.further:
            apart = {*moved} - {*self.moved(left, right, self.metrics_among(alone))}
            if not apart:
                return iter([(moved, pair)])
            return self.gathered_around(left, right, {reader for reader, _, _ in apart})
        if self.joined(left, right, alone) and moved == self.moved(left, right, self.metrics_among(alone)):
            return iter([(moved, pair)])
        universes = list(self.room.universes(ends, frozenset[int]().union(*map(self.reached, ends))))
        if not all(self.joined(left, right, self.room.around(there)) for there in universes):
            raise NoCover("steps to neighbours may lead through records of which it is not said how they lie")
        return (self.in_universe(left, right, there) for there in universes)

    @cached_property
    def reached(self) -> Callable[[int], Iterable[int]]:
        """The atoms to which steps lead from one, but by way of nothing: no shortest way needs others."""
        target, mechanisms = self.setting.target, self.setting.mechanisms
        stated = (one.stated for one in mechanisms if one.stated is not None and not one.stated.any_two)
        told = (*stated, target) if target.steps > 1 else stated
        return paths.steps(paths.graph(edge for one in told for edge in one.policy if NOTHING not in edge))

    def gathered_around(
        self, left: Side, right: Side, readers: Collection[Reader]
    ) -> Iterator[tuple[Alike, Pair]]:
        """The same where all records to which steps lead lie at one place: some input moves by ∞ then, or the
        parts of both ends by all of the way and one step, in whichever order; where none takes the place of
        one that comes, all but the furthest of them.  Raises NoCover.

        readers -- those that do not move alike in all universes.
        """
        ends, pair = frozenset({*left, *right}), self.room.pair(left, right)
        if self.setting.databases.further == ALIKE:
            joined = frozenset[int]().union(*map(self.reached, ends))
            others = any(joined.isdisjoint(copies) for copies in self.setting.databases.copies)
            universes = self.room.gathered(ends, joined)
            if len(left) != len(right) and not others:  # then some record outside of what is read is reached
                inside = [self.metrics_among(self.every)[reader].seen.inside for reader in readers]
                but_one = self.room.gathered_but_one(ends, joined)
                universes = (there for there in but_one if not any(map(there.issubset, inside)))
            every = [
                self.moved(left, right, self.metrics_among(there))
                for there in universes
                if self.joined(left, right, there)
            ]
            for alike in every:
                if any(r == INFINITY for _, r, _ in alike):
                    return iter([(alike, pair)])
            if self.share_a_way(left, right, readers):
                self.bent |= {i for i, _ in readers}
                return ((alike, pair) for alike in every)
        first, second = (" and ".join(side) or "nothing" for side in pair)
        raise NoCover(
            f"how far {first} and {second} are apart for what reads a part depends on where records lie "
            "through which steps of its guarantee lead, of which there is any number; guarantees for steps "
            "that are those of the target, or more, would do"
        )

    def share_a_way(self, left: Side, right: Side, readers: Collection[Reader]) -> bool:
        """Whether one record changes, and what leads out of the parts of both ends is the same way."""
        one = max(len(left), len(right)) == 1 == self.setting.target.steps
        stated = {self.setting.mechanisms[i - 1].stated for i, _ in readers}
        seen = [self.metrics_among(self.every)[reader].seen.inside for reader in readers]
        apart = all(a == b or a.isdisjoint(b) for a, b in combinations(seen, 2))
        single = all(of is not None and of.steps == 1 and NOTHING not in chain(*of.policy) for of in stated)
        common = all(self.setting.mechanisms[i - 1].domain == "common" for i, _ in readers)
        return one and len(stated) == 1 and apart and single and common

    def in_universe(self, left: Side, right: Side, there: frozenset[int]) -> tuple[Alike, Pair]:
        """The same in the universe with some atoms, and those that are there with these."""

        def moved(there: frozenset[int]) -> Alike:
            return self.moved(left, right, self.metrics_among(self.room.around(there)))

        found = moved(there)
        needed = [one for one in sorted(there - {*left, *right}) if moved(there - {one}) != found]
        pair = smallest_pair(self.setting.databases, left, right, (*needed, *needed[-1:]))
        fits = self.setting.databases.has(*map(len, pair))
        return found, pair if fits else self.room.pair(left, right)

    def joined(self, left: Side, right: Side, there: frozenset[int]) -> bool:
        """Whether databases are neighbours in a universe of some atoms."""
        cost = cheapest(self.steps_among(there), left, right)
        return cost is not None and cost <= self.setting.target.steps

    @cached_property
    def steps_among(self) -> Callable[[frozenset[int]], Costs]:
        """What the target's steps cost in a universe of some atoms."""
        policy = frozenset(self.setting.target.policy)
        return cache(lambda there: Costs(self.room.usable(among(policy, there), self.every)))

    @cached_property
    def metrics_among(self) -> Callable[[frozenset[int]], Mapping[Reader, Moved]]:
        """How far all that is read moves in a universe of some atoms."""
        readers = self.readers()
        return cache(lambda there: {one: self.metric(one, reader, there) for one, reader in readers.items()})

    # how far inputs are apart

    def that_see(self, left: Side, right: Side) -> list[Reader]:
        """Who sees some of the records that differ, in order."""
        return sorted({reader for atom in {*left, *right} for reader in self.readers_of[atom]})

    def metric(self, reader: Reader, atoms: tuple[int, ...] | None, there: frozenset[int]) -> Moved:
        """How far what a mechanism reads moves in a universe of some atoms."""
        mechanism = self.setting.mechanisms[reader[0] - 1]
        inside = self.every if atoms is None else frozenset(atoms)
        seen = Seen(inside, mechanism.codes)
        if mechanism.sampled is not None or mechanism.dealt:
            self.check_drawn(mechanism)
        if mechanism.noise is not None:
            return self.of_noise(mechanism, seen)
        stated = mechanism.stated
        assert stated is not None
        if stated.any_two or not inside:  # nothing has one value only, and never moves
            return Moved((self.any_two(),), seen, lambda left, right: ONE, discrete=True)
        policy = self.edges_among(self.stated_edges[reader[0]], there)
        edges = steps_seen(self.room, mechanism, seen, self.edges_ending(policy, inside))
        pushed = self.pushed(mechanism, seen, policy, Costs(edges))
        form = "cheapest matching"
        pages = [self.fact(lambda page: page.head.form == form, "the metric of a policy")]
        costs, at_once = Costs(edges), stated.steps

        def far(left: Side, right: Side) -> Term:
            cost = cheapest(costs, left, right)
            return INFINITY if cost is None else number(-(-cost // at_once))

        return Moved(self.grouped(pages, at_once), seen, far, pushed=pushed)

    def pushed(
        self, mechanism: Mechanism, seen: Seen, edges: frozenset[Edge], seen_costs: Costs
    ) -> Pushed | None:
        """How groups of steps on databases are pushed forward; None where they are groups of as many steps of
        what is seen.  Raises NoCover where that is not told."""
        stated, databases = mechanism.stated, self.setting.databases
        assert stated is not None
        if stated.steps == 1 or mechanism.dealt or is_seen_whole(self.room, mechanism, seen):
            return None
        edges = self.room.usable(edges, self.every)
        if groups_pass(self.room, seen, edges):
            return None
        if why := why_not_told(databases, seen, edges, stated.steps, sizes.gap(self.setting)):
            raise NoCover(
                f"groups of a policy, for which {mechanism.name} is stated on the common domain, are not "
                f"pushed forward {why}; state it for single steps, or on the own domain"
            )
        return Pushed(databases, seen, stated.steps, Costs(edges), seen_costs)

    def sharing(self, left: Side, right: Side, least: Alike, pair: Pair) -> Iterator[tuple[Alike, Pair]]:
        """How far neighbours move what is read, by what they share, where groups of steps are pushed forward.

        least -- how far they move it at least, whatever that is; pair -- the smallest databases.
        """
        databases, metrics = self.setting.databases, self.metrics_among(self.every)
        most = databases.largest
        always = (NOTHING,) if most is None else ()

        def moved(some: Side, kinds: Side) -> Alike:
            found = self.moved(left, right, metrics, some)
            finite = ((metrics[one].pushed, r.number) for one, r, _ in found if r.number is not None)
            enough = max((of.steps * (int(r) - 1) for of, r in finite if of is not None), default=0)
            more = (*kinds, *always) * enough  # fewer steps than these take no more tokens elsewhere
            return self.moved(left, right, metrics, (*some, *more)) if more else found

        if moved((), ()) == least:
            return iter([(least, pair)])
        fewest = None if most is None else known_least(most, self.setting.assumed) or 0
        found = Shared(databases, fewest, left, right).furthest(moved)
        return ((far, smallest_pair(databases, left, right, (*some, *some[-1:]))) for far, some in found)

    @cached_property
    def stated_edges(self) -> Mapping[int, frozenset[Edge]]:
        """For each mechanism the edges that its guarantee is stated for; equal ones are one set."""
        stated = ((i, one.stated) for i, one in enumerate(self.setting.mechanisms, start=1))
        edges = {i: frozenset(of.policy) for i, of in stated if of is not None and not of.any_two}
        once = {some: some for some in edges.values()}
        return {i: once[some] for i, some in edges.items()}

    @cached_property
    def edges_among(self) -> Callable[[frozenset[Edge], frozenset[int]], frozenset[Edge]]:
        """The edges in a universe of some atoms."""
        return cache(among)

    def edges_ending(self, edges: frozenset[Edge], inside: frozenset[int]) -> frozenset[Edge]:
        """Those that lead to some atoms, or from them: all others join what is seen as nothing."""
        if 2 * len(inside) > len(self.every):
            return edges
        return frozenset(edge for atom in inside for edge in self.edges_at(edges).get(atom, ()))

    @cached_property
    def edges_at(self) -> Callable[[frozenset[Edge]], Mapping[int, Collection[Edge]]]:
        """For each atom the edges that end there."""

        def gathered(edges: frozenset[Edge]) -> Mapping[int, Collection[Edge]]:
            found: dict[int, list[Edge]] = {}
            for edge in edges:
                for atom in {*edge}:
                    found.setdefault(atom, []).append(edge)
            return found

        return cache(gathered)

    def check_drawn(self, mechanism: Mechanism) -> None:
        """Raises NoCover where samples have sizes that databases do not, or records are dealt that are not
        only replaced, one at a time: then one input has another record."""
        databases, target, stated = self.setting.databases, self.setting.target, mechanism.stated
        if databases.of != "multisets" or target.any_two or stated is None or stated.any_two:
            raise NoCover(f"{mechanism.name} reads records that are drawn by chance, of multisets only")
        comes = any(NOTHING in edge for edge in stated.policy)
        if mechanism.sampled is not None and comes and databases.size[1] is not None:
            raise NoCover(f"samples of {mechanism.name} have other sizes than databases have")
        if mechanism.dealt and (target.steps > 1 or any(NOTHING in edge for edge in target.policy)):
            raise NoCover("random parts are known for policies that replace one record")

    def of_noise(self, mechanism: Mechanism, seen: Seen) -> Moved:
        """How far a query's value moves: other attributes are another record of the same atom."""
        if mechanism.codes:
            raise NoCover(f"{mechanism.name} asks for records that stand for others")
        metric = query_metric(mechanism, self.theory)
        few = any(len(atom.records) < 2 for atom in self.setting.databases.atoms)
        if not metric.discrete and metric.at(1, 1) != ZERO and few:
            raise NoCover(f"{mechanism.name} looks at attributes, and a record without a second one has none")
        return Moved(
            metric.pages,
            seen,
            lambda left, right: metric.at(len(left), len(right)),
            lambda left, right: metric.entries(len(left), len(right)),
        )

    def moved(
        self, left: Side, right: Side, metrics: Mapping[Reader, Moved], shared: Side | None = None
    ) -> Alike:
        """How neighbours move what is read of which D alone has the records `left`, and E alone `right`.

        shared -- on what other tokens stand in both; where left out, what is read moves at least so far.
        """
        alike = []
        for reader in self.that_see(left, right):
            metric = metrics[reader]
            sides = metric.seen.sides(left, right)
            if any(sides):
                far = metric.far(*sides)
                if metric.pushed is not None and shared is not None and far != INFINITY:
                    steps = metric.pushed.far(left, right, shared)
                    far = INFINITY if steps is None else number(steps)
                alike.append((reader, far, metric.entries(*sides)))
        return tuple(alike)


@frozen
class Moved:
    """How far inputs are apart of which x has some records more, and y others; so are entries of a query.

    discrete -- whether any two different inputs are one step apart; pushed -- groups of steps that are pushed
    forward: then inputs are at least so far apart.
    """

    pages: tuple[str, ...]
    seen: Seen
    far: Callable[[Side, Side], Term]
    entries: Callable[[Side, Side], tuple[Term, ...]] = lambda left, right: ()
    discrete: bool = False
    pushed: Pushed | None = None


# which databases are neighbours


def edits_of(relation: Relation, databases: Databases, whole: bool) -> tuple[tuple[int, int], ...]:
    """How many records a single step removes and adds; of a policy on multisets all of its edges alike.

    whole -- whether it has to have all edges of that kind; () where it is not so.
    """
    if not databases.by_edges:
        return relation.edits
    if databases.of != "multisets" or relation.any_two or not relation.policy:
        return ()
    come = [edge for edge in relation.policy if NOTHING in edge]
    if come and len(come) < len(relation.policy):
        return ()
    edits = ((0, 1), (1, 0)) if come else ((1, 1),)
    return () if whole and not has_edits(relation, databases, edits) else edits


def has_edits(relation: Relation, databases: Databases, some: Collection[tuple[int, int]]) -> bool:
    """Whether in each step one record comes, goes or is replaced, and all steps of some kinds are there."""
    if relation.any_two:
        return False
    if not databases.by_edges:
        return {*some} <= {*relation.edits} <= {(0, 1), (1, 0), (1, 1)}
    atoms = range(len(databases.atoms))
    pairs = combinations_with_replacement(atoms, 2)
    replaced = {(x, y) for x, y in pairs if x != y or len(databases.atoms[x].records) > 1}
    every = {(NOTHING, x) for x in atoms if (0, 1) in some} | (replaced if (1, 1) in some else set())
    return databases.of == "multisets" and every <= {*relation.policy}


def only_come_and_go(relation: Relation, databases: Databases) -> bool:
    """Whether in each step of a policy on multisets one of some records comes or goes."""
    of_multisets = databases.by_edges and databases.of == "multisets" and not relation.any_two
    return of_multisets and all(NOTHING in edge for edge in relation.policy)


def differences(databases: Databases, target: Relation, most: int = LARGEST) -> Iterator[tuple[Side, Side]]:
    """What only D and only E have, for all neighbours: matched pairs whose costs have a sum up to m."""
    if target.steps > MOST_STEPS:
        raise NoCover(f"groups of more than {MOST_STEPS} steps of a policy are not supported")
    here, atoms = room(databases), databases.atoms
    costs = Costs(here.usable(frozenset(target.policy), frozenset(range(len(atoms)))))
    nodes = [*range(len(atoms)), NOTHING]
    matched = [
        ((x, y), r)
        for x in nodes
        for y, r in costs.near(x, target.steps)
        if (x, y) != (NOTHING, NOTHING) and not (x == y and len(atoms[x].records) < 2)
    ]
    if len(matched) ** target.steps * max(1, databases.shared(0, 0)) > most:
        raise NoCover("records may differ in too many ways to write down; smaller groups would do")
    seen: set[tuple[Side, Side]] = set()
    for count in range(1, target.steps + 1):
        for some in combinations_with_replacement(matched, count):
            if sum(r for _, r in some) > target.steps:
                continue
            left, right = _sides(pair for pair, _ in some)
            if (left, right) not in seen and (right, left) not in seen:
                seen.add((left, right))
                if here.differ(left, right):
                    yield left, right


def _sides(pairs: Iterable[Edge]) -> tuple[Side, Side]:
    """The atoms of both sides of matched pairs, without nothing."""
    left, right = zip(*pairs, strict=True)
    return tuple(sorted(x for x in left if x != NOTHING)), tuple(sorted(y for y in right if y != NOTHING))


def among(edges: frozenset[Edge], there: frozenset[int]) -> frozenset[Edge]:
    """The edges between some atoms, or from these to nothing."""
    if len(there) ** 2 < len(edges):
        return edges.intersection(product([NOTHING, *there], repeat=2))
    return frozenset(edge for edge in edges if {*edge} <= there | {NOTHING})


def steps_seen(here: Room, mechanism: Mechanism, seen: Seen, edges: frozenset[Edge]) -> frozenset[Edge]:
    """The single steps of what is seen: the edges that a guarantee is stated for there, or on databases."""
    if mechanism.dealt:  # inputs have any size
        return edges
    if is_seen_whole(here, mechanism, seen):
        return seen.among(here.usable(edges, seen.inside))
    edges = here.usable(edges, frozenset(range(len(here.atoms))))
    return here.usable(seen.contracted(edges), seen.inside)
