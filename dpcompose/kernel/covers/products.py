"""Covers of products: any two databases, told by letters, in finitely many cases.

Of two points the letters are their coordinates; of two databases of records, how many of each class differ;
listed databases are gone through.  Where a distance is 1 between any two that differ, both cases are looked
at; where one is ∞, so is this one.  In each case every distance is one formula in the letters, or ∞.  What is
stated in distances holds at all values of the letters: no type exceeds another one, as claims differ, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from itertools import combinations_with_replacement, product

from dpcompose.kernel import infinity
from dpcompose.kernel.core import fibres
from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.core.concrete import Noise
from dpcompose.kernel.core.distances import Distance
from dpcompose.kernel.core.settings import ANY_TWO, Mechanism, Relation, Setting
from dpcompose.kernel.covers.counts import Counts
from dpcompose.kernel.covers.listed import Listed
from dpcompose.kernel.covers.types import LARGEST, Cover, Moves, Near, NoCover, Type, Where
from dpcompose.kernel.deciders.tables.tables import Table
from dpcompose.kernel.expressions import naming, substitution, terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.intervals import largest_constant
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.points import REAL, Points, coordinate
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term
from dpcompose.kernel.infinity import NoValue
from dpcompose.kernel.library.theory import Theory

PROCEDURE = "pairs"
Entries = tuple[tuple[int, tuple[Term, ...]], ...]
Lost = tuple[tuple[int, Term, tuple[tuple[str, Term], ...]], ...]
MOST_CASES = 50_000
"""The most cases that two databases fall into."""


@frozen
class Case:
    """Two databases of one part, or of all: distances by name, and where they are."""

    far: Mapping[str, Term]
    where: Where = field(default_factory=lambda: Where((), ()))


class Products:
    """The cases of any two databases of a product, in which distances of some names are formulas."""

    def __init__(
        self, setting: Setting, theory: Theory, names: Collection[str], bounds: Collection[str] = ()
    ) -> None:
        self.setting, self.theory, self.bounds = setting, theory, bounds
        self.distances = dict(setting.distances)
        stated = (
            value
            for mechanism in setting.mechanisms
            if mechanism.metric
            for _, value in mechanism.metric.formulas
        )
        self.names = self._used({*names}.union(*(term.letters for term in stated)))

    def _used(self, names: Collection[str]) -> tuple[str, ...]:
        """The distances of these names, and those that they are made of, in their order."""
        found, waiting = set[str](), [name for name in names if name in self.distances]
        while waiting:
            if (name := waiting.pop()) not in found:
                found.add(name)
                distance = self.distances[name]
                some = [formula for formula in (distance.formula, distance.at_most) if formula is not None]
                waiting += [other for formula in some for other in formula.letters if other in self.distances]
        return tuple(name for name in self.distances if name in found)

    def cover(self) -> Cover:
        """The types of any two databases.  Raises NoCover where a distance is no formula in letters."""
        try:
            every = (self._type(case) for case in self._cases())
            types = dict.fromkeys(type for type in every if not is_empty(type))
        except NoValue as error:
            raise NoCover(str(error)) from None
        pages = [
            tuple(dict.fromkeys(page for name in self._of(mechanism) for page in self._pages(name)))
            for mechanism in self.setting.mechanisms
        ]
        return Cover(tuple(types), self.theory.procedure(PROCEDURE), len(types), tuple(pages))

    def _of(self, mechanism: Mechanism) -> tuple[str, ...]:
        """The distances that a mechanism is stated in."""
        assert mechanism.metric is not None
        return self._used({name for _, value in mechanism.metric.formulas for name in value.letters})

    def _pages(self, name: str) -> tuple[str, ...]:
        distance = self.distances[name]
        if distance.input is None or distance.part is None or distance.part not in self.counts:
            return ()
        return self.counts[distance.part].pages(name)

    # cases

    def _cases(self) -> Iterator[Case]:
        """All cases: which values differ, and where the databases are in each part."""
        asked = [name for name in self.names if self._is_asked(self.distances[name])]
        for differ in product((True, False), repeat=len(asked)):
            split = dict(zip(asked, differ, strict=True))
            same = {part for name, other in split.items() if not other for part in self.distances[name].parts}
            differences = tuple(
                (self.distances[name].differences, other)
                for name, other in split.items()
                if self.distances[name].differences
            )
            apart = tuple(self.distances[name].parts for name, other in split.items() if other)
            apart = tuple(parts for parts in apart if parts)
            if any(same.issuperset(parts) for parts in apart):
                continue
            far = {name: self._where(name, other) for name, other in split.items()}
            for cases in product(
                *(self._of_part(name, part, name in same) for name, part in self.setting.databases.parts)
            ):
                where = Where(
                    (),
                    (),
                    frozenset(same),
                    apart,
                    tuple(count for case in cases for count in case.where.counts),
                    tuple(one for case in cases for one in case.where.listed),
                    differences,
                )
                yield Case(far | {name: value for case in cases for name, value in case.far.items()}, where)

    def _is_asked(self, distance: Distance) -> bool:
        """Whether databases are looked at in two cases: for what differs, and how near they are."""
        return bool(distance.differences or distance.parts or distance.within is not None)

    def _where(self, name: str, other: bool) -> Term:
        """A distance in one of these cases: where something differs, or databases are too far away."""
        if not other:
            return ZERO
        return ONE if self.distances[name].within is None else INFINITY

    @cached_property
    def counts(self) -> Mapping[str, Counts]:
        """The parts of records, told by how many of them differ."""
        return {
            name: Counts(name or "records", part, self._inputs(name), self.theory)
            for name, part in self.setting.databases.parts
            if isinstance(part, Databases) and not (part.listed or part.only_steps)
        }

    def _inputs(self, part: str) -> dict[str, Mechanism]:
        """By the name of a distance on a part the mechanism whose input is as far apart."""
        some = ((name, self.distances[name]) for name in self.names)
        return {
            name: distance.input
            for name, distance in some
            if distance.part == part and isinstance(distance.input, Mechanism)
        }

    def _of_part(self, name: str, part: Points | Databases, same: bool) -> list[Case]:
        if isinstance(part, Points) or part.only_steps:
            return [Case({})]
        if part.listed:
            return [
                case for case in self.listings[name] if not same or len(set(case.where.listed[0][1])) == 1
            ]
        counts = self.counts[name]
        alternatives = [counts.equal()] if same else counts.alternatives(tuple(self._inputs(name)))
        return [
            Case(alternative.far, Where((), (), counts=((name, alternative.counts),)))
            for alternative in alternatives
        ]

    @cached_property
    def listings(self) -> Mapping[str, list[Case]]:
        """Of each listed part all distances that two of its databases have, and two that have them."""
        return {
            name: list(self._listing(name, part))
            for name, part in self.setting.databases.parts
            if isinstance(part, Databases) and part.listed
        }

    def at_pairs(self) -> Callable[[int, int], Type]:
        """The type of any two listed databases, by their numbers, where these are all there is.

        Raises NoCover, also where of a distance a bound alone is known.
        """
        ((name, part), *others) = self.setting.databases.parts
        if others or not isinstance(part, Databases) or not part.listed:
            raise NoCover("the databases are not listed")
        if any(self._is_asked(distance := self.distances[one]) or distance.declared for one in self.names):
            raise NoCover("how far listed databases are apart is not told")
        far = self._far(name, part)

        def type(x: int, y: int) -> Type:
            there = {one: ZERO if x == y else at(x, y) for one, at in far.items()}
            return self._type(Case(there, Where((), (), listed=((name, (x, y)),))))

        return type

    def _far(self, name: str, part: Databases) -> dict[str, Callable[[int, int], Term]]:
        """How far two databases of a listed part are apart, in each distance on it."""
        inputs = self._inputs(name)
        if part.count**2 * max(1, len(inputs)) > LARGEST:
            raise NoCover(f"any two of {part.count:,} databases are too many pairs to go through")
        inner = Setting(
            self.setting.parameters,
            part,
            Relation(ANY_TWO),
            tuple(inputs.values()),
            assumed=self.setting.assumed,
        )
        listed = Listed(inner, self.theory)
        return {one: between(listed, mechanism) for one, mechanism in inputs.items()}

    def _listing(self, name: str, part: Databases) -> Iterator[Case]:
        far, seen = self._far(name, part), set[tuple[Term, ...]]()
        tables = sum(
            mechanism.table is not None for mechanism in self.setting.mechanisms
        )  # these lose in one direction
        for x, y in combinations_with_replacement(range(part.count), 2):
            row = tuple(ZERO if x == y else at(x, y) for at in far.values())
            told = (*row, terms.number(x), terms.number(y)) if tables > 1 else row
            if told not in seen:
                seen.add(told)
                yield Case(dict(zip(far, row, strict=True)), Where((), (), listed=((name, (x, y)),)))

    # distances

    def _type(self, case: Case) -> Type:
        found: dict[bool, dict[str, Term]] = {}
        for bounded in (False, True):
            values: dict[str, Term] = {}
            for name in self.names:
                values[name] = self._value(name, case, values, bounded)
            found[bounded] = values
        exact, at_most = (tuple(found[bounded].items()) for bounded in (False, True))
        some = [name for name in self.names if self.distances[name].within is not None]
        near = tuple(self._near(name, case, found[False]) for name in some)
        where = replace(case.where, distances=exact, at_most=at_most, near=near)
        moves, entries, lost = self._moves(found[True])
        pair = tuple(n for _, both in where.listed for n in both)
        return Type(moves, frozenset(), pair, entries, lost, where)

    def _near(self, name: str, case: Case, far: Mapping[str, Term]) -> Near:
        """How near two databases are.  Raises NoCover where that is not known."""
        distance = self.distances[name]
        assert distance.formula is not None and distance.within is not None
        value = self._same(infinity.at(distance.formula, far, self.setting.assumed), case)
        self._check_known(value, distance.formula)
        return Near(value, distance.within, case.far[name] == ZERO)

    def _value(self, name: str, case: Case, before: Mapping[str, Term], bounded: bool) -> Term:
        """A distance, made of those before it; bounded -- with its bound, which it is at most."""
        distance = self.distances[name]
        if name in case.far:
            value = case.far[name]
        elif distance.formula is not None:
            value = infinity.at(distance.formula, before, self.setting.assumed)
            value = self._apart(value, distance.formula) if distance.apart else self._same(value, case)
        else:
            value = unknown(name)
        if bounded and distance.at_most is not None and (distance.declared or name in self.bounds):
            bound = infinity.at(distance.at_most, before, self.setting.assumed)
            value = (
                bound if value.kind == "oo" else value if bound.kind == "oo" else terms.least(value, bound)
            )
        return value

    def _apart(self, value: Term, formula: Term) -> Term:
        """0 where a formula is finite, ∞ where it is ∞.  Raises NoCover where that is not known."""
        self._check_known(value, formula)
        return INFINITY if value.kind == "oo" else ZERO

    def _check_known(self, value: Term, formula: Term) -> None:
        """Raises NoCover where of a formula in distances a bound alone is known."""
        if any(value.letters.keys() & unknown(name).letters.keys() for name in self.distances):
            raise NoCover(f"how large {to_text(formula)} is, of which a bound alone is known, is not known")

    def _same(self, value: Term, case: Case) -> Term:
        """A formula where two databases are equal in some parts."""
        equal = [part for name, part in self.setting.databases.parts if name in case.where.same]
        those = [x for part in equal if isinstance(part, Points) for x in part.coordinates]
        return substitution.substituted(value, {naming.at(x, "E"): coordinate(x, "D") for x in those})

    def _moves(self, far: Mapping[str, Term]) -> tuple[Moves, Entries, Lost]:
        """How far the inputs move: by the noise's own norm, or by one step of the guarantee there."""
        moves, entries, lost = [], [], []
        for i, mechanism in enumerate(self.setting.mechanisms, start=1):
            assert mechanism.metric is not None
            many = 1 if mechanism.count is None else 0
            at = infinity.at(mechanism.metric.formula, far, self.setting.assumed)
            if mechanism.table is not None:
                self._check_table(mechanism)
            if mechanism.noise is not None:
                self._check_noise(mechanism, mechanism.noise)
                if at != ZERO:
                    moves.append((i, ((many, at),)))
                    entries.append((i, sizes(mechanism.noise.entries) or (at,)))
                continue
            besides = tuple(
                (key, infinity.at(value, far, self.setting.assumed))
                for key, value in mechanism.metric.besides
            )
            if any(value != ZERO for value in (at, *(value for _, value in besides))):
                moves.append((i, ((many, ONE),)))
                lost.append((i, at, besides))
        return tuple(moves), tuple(entries), tuple(lost)

    def _check_noise(self, mechanism: Mechanism, noise: Noise) -> None:
        """Raises NoCover unless the metric of noise is how far what it is added to moves, in its own norm."""
        assert mechanism.metric is not None
        stated = self.distances[mechanism.metric.formula.of[0]]
        if noise.query is None:
            law = self.theory.page(noise.page, "noise").head
            fits = stated.plain is not None and stated.plain == moved(noise.entries, law.norm)
            fits = fits and (law.entries == "real" or (law.entries == "plane" and len(noise.entries) == 2))
        else:
            known = stated.input.noise if isinstance(stated.input, Mechanism) else None
            fits = (
                known is not None
                and known.query == noise.query
                and self._moves_of(known) == self._moves_of(noise)
            )
        if not fits:
            raise NoCover(f"the metric of {mechanism.name} is not how far what its noise is added to moves")

    def _moves_of(self, noise: Noise) -> str | None:
        """How far the value of a query moves, in the norm of a noise, as the page of the query says."""
        assert noise.query is not None
        moves = self.theory.page(noise.query.page, "query").head.moves
        found: str | None = moves.get(self.theory.page(noise.page, "noise").head.norm)
        return found

    def _check_table(self, mechanism: Mechanism) -> None:
        """Raises NoCover unless the metric of a table is how far its rows are apart."""
        assert mechanism.metric is not None
        one = self.distances[mechanism.metric.formula.of[0]].input
        given = (mechanism.notion, mechanism.values) == ("pure", (("epsilon", ONE),))
        if (
            not isinstance(one, Mechanism)
            or (one.table, one.reads) != (mechanism.table, (None,))
            or not given
        ):
            raise NoCover(f"the metric of {mechanism.name} is not how far the rows of its table are apart")


def pages_of_fibres(setting: Setting, theory: Theory) -> frozenset[str]:
    """The page on norms over the fibres of maps, where distances are such."""
    if all(distance.over is None for _, distance in setting.distances):
        return frozenset()
    fits = theory.first(
        "step", lambda page: page.head.metric == "norm over fibres", "no page is about norms over fibres"
    )
    return frozenset({str(fits.id)})


def is_empty(type: Type) -> bool:
    """Whether it is seen that no two databases are in a case: they are near, and too far away."""
    near = () if type.where is None else (one for one in type.where.near if one.inside)
    return any(one.far.kind == "oo" or (one.far - one.radius).positive for one in near)


def unknown(name: str) -> Term:
    """The letter of a distance of which a bound alone is known: no coordinate is called so."""
    return terms.letter(f"declared__of__{naming.read(name).distance}", NONNEGATIVE)


def changes(entries: Collection[Term]) -> list[Term]:
    """v(D) − v(E) for formulas in the coordinates of D."""
    found = []
    for entry in entries:
        there = (said for said in map(naming.read, entry.letters) if said.database == "D")
        elsewhere = {said.text: terms.letter(said.of("E"), REAL) for said in there}
        found.append(entry - substitution.substituted(entry, elsewhere))
    return found


def sizes(entries: Collection[Term]) -> tuple[Term, ...]:
    """How far each entry of a vector moves."""
    return tuple(terms.largest(change, -change) for change in changes(entries))


def moved(entries: Collection[Term], norm: str) -> Term | None:
    """‖v(D) − v(E)‖ for a vector of formulas in the coordinates of D; None for a norm that is not known."""
    return fibres.norm(changes(entries), norm)


def between(listed: Listed, mechanism: Mechanism) -> Callable[[int, int], Term]:
    """How far two listed databases are apart: as what a mechanism reads, or as the rows of its table."""
    if mechanism.table is None:
        return listed.distance(mechanism)
    rows = mechanism.table.rows

    def far(x: int, y: int) -> Term:
        both = Table.of({"D": rows[x], "E": rows[y]})
        logs = [both.loss(*way) for way in ("DE", "ED")]
        if INFINITY in logs:
            return INFINITY
        most = terms.top(1, logs)
        return largest_constant(most) or most

    return far
