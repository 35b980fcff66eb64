"""Metrics that compare values of two databases, steps between them, or rows of a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from typing import Any

from dpcompose.kernel.covers.products import changes, moved
from dpcompose.kernel.expressions import substitution
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.spaces.canonical.graphs import shortest
from dpcompose.spaces.canonical.named import Distance, Far, Input, NotOutside, Outside, Pairwise, counted
from dpcompose.spaces.canonical.points import Values, gone_through
from dpcompose.spaces.classes.databases import Database
from dpcompose.spaces.inputs.composed import composed
from dpcompose.spaces.inputs.maps import Map, everything
from dpcompose.spaces.inputs.queries import Count
from dpcompose.spaces.moves.built_in import free_lunch
from dpcompose.spaces.moves.granularities import Granularity


def _all(values: Values) -> str:
    return values.name or "the point"


def _entries(values: Values, term: Callable[[Term], Term]) -> tuple[Term, ...]:
    return tuple(map(term, values.of("D")))


class Comparing(Distance):
    """How far apart the values of a map or part are, as a formula says."""

    of: Values

    @property
    def is_whole(self) -> bool:
        return not self.of.name

    def is_of(self, values: Values) -> bool:
        return self.of == values

    def of_part(self, to: Outside) -> Distance:
        return replace(self, of=to.values(self.of))  # type: ignore[type-var]


@frozen
class Norm(Comparing):
    """‖f(D) − f(E)‖ in the norm L1, L2 or Linf.

    over -- closed over the fibres of a map that reads these coordinates.
    """

    word: str
    of: Values
    closed: tuple[str, ...] | None = None

    def words(self) -> Sequence[str | Term]:
        closed = "" if self.closed is None else f", closed over the fibres of ({', '.join(self.closed)})"
        return [f"the {self.word} norm of the change of {_all(self.of)}{closed}"]

    def told(self, term: Callable[[Term], Term]) -> dict[str, Any]:
        norm = moved(_entries(self.of, term), self.word)
        assert norm is not None
        return {"formula": to_text(norm)} | ({} if self.closed is None else {"over": list(self.closed)})

    @property
    def is_whole(self) -> bool:
        return self.closed is None and not self.of.name

    def over(self, values: Values, coordinates: Collection[str]) -> Distance | None:
        fits = self.closed is None and all(
            coordinates_of.are_among(coordinates) for coordinates_of in (values, self.of)
        )
        return replace(self, closed=tuple(map(str, values.formulas or ()))) if fits else None


@frozen
class Own(Comparing):
    """A formula of the user's in the coordinates of two points.

    first, second -- the letters that stand for the values at the two, as the formula has them.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    formula: Term
    of: Values

    def between(self, one: str, two: str) -> Term:
        """The distance of two of the databases D, E, F."""
        values = dict(zip(self.first, self.of.of(one), strict=True))
        return substitution.substituted(
            self.formula, values | dict(zip(self.second, self.of.of(two), strict=True))
        )

    def words(self) -> Sequence[str | Term]:
        first, second = (f"({', '.join(names)})" for names in (self.first, self.second))
        return [self.formula, f" for the values {first} and {second} of {_all(self.of)}"]

    def told(self, term: Callable[[Term], Term]) -> dict[str, Any]:
        return {"formula": to_text(term(self.between("D", "E")))}


@frozen
class AnyTwo(Comparing):
    """1 where what is compared differs, else 0: the canonical metric where any two are neighbours."""

    of: Values

    def words(self) -> Sequence[str | Term]:
        return [f"1 where {_all(self.of)} differs, else 0"]

    def told(self, term: Callable[[Term], Term]) -> dict[str, Any]:
        if self.of.parts:
            return {"parts": list(self.of.parts)}
        return {"differences": [to_text(change) for change in changes(_entries(self.of, term))]}

    @property
    def input(self) -> Input | None:
        return Input(self.of.parts[0]) if len(self.of.parts) == 1 else None

    @property
    def counted(self) -> Granularity | None:
        return free_lunch if self.of.parts == ("",) else None

    def of_input(self, reads: Map, domain: str) -> Distance | None:
        return Steps(free_lunch, "", reads, domain) if self.of.parts == ("",) else None

    def of_read(self, to: Outside) -> Distance:
        return Steps(free_lunch, "", to.reads)


class OfPart(Distance):
    """How far apart databases of one part are, or what a map reads of them."""

    part: str

    def is_of(self, values: Values) -> bool:
        return self.part == values.name

    def of_part(self, to: Outside) -> Distance:
        return replace(self, part=to.part) if to.part else self  # type: ignore[type-var]


CLOSED = ", closed over fibres"


@frozen
class Steps(OfPart):
    """The canonical metric of a granularity, of what a map reads of a part.

    domain -- "own": that of the image class; "common": that of the part with each fibre of the map contracted
    to one node, its metric closure over fibres.
    """

    by_definition = True

    granularity: Granularity
    part: str
    reads: Map = everything
    domain: str = "own"

    def __post_init__(self) -> None:
        counted(self.granularity)

    def words(self) -> Sequence[str | Term]:
        of = f", of {self.reads.written(self.part or 'D')}"
        if self.reads.is_everything:
            of = f" of {self.part}" if self.part else ""
        return [f"the fewest {self.granularity} steps{of}{CLOSED if self.over_fibres else ''}"]

    @property
    def over_fibres(self) -> bool:
        return self.domain == "common" and not self.reads.is_everything

    @property
    def input(self) -> Input:
        return Input(self.part, self.granularity, self.reads, self.domain)

    @property
    def is_whole(self) -> bool:
        return not self.part and self.reads.is_everything

    @property
    def counted(self) -> Granularity | None:
        return self.granularity if self.is_whole else None

    def counted_of(self, reads: Map, domain: str | None) -> Granularity | None:
        same = not self.part and self.reads == reads and (reads.is_everything or self.domain == domain)
        return self.granularity if same else None

    def regarding(self, change: Callable[[Granularity], Granularity]) -> Distance:
        return replace(self, granularity=change(self.granularity))

    def reading(self, change: Callable[[Map], Map]) -> Distance:
        return replace(self, reads=change(self.reads))

    def of_input(self, reads: Map, domain: str) -> Distance | None:
        return Steps(self.granularity, "", reads, domain) if self.is_whole else None

    def of_read(self, to: Outside) -> Distance:
        """Of classes that are gone through a table, else the own one of g∘f."""
        g = self.reads
        if (listed := to.listed) is not None:
            far = shortest(listed, self.granularity, g, self.domain == "own")
            return Tabled("", far, composed(g, to.reads))
        if self.domain == "common" and not g.is_everything:
            raise NotOutside(
                f"{g.written('D')} is read on the common domain of a study, which is another one outside; "
                'domain = "own", or a class of few databases, would do'
            )
        if not (to.reads.restricts or to.reads.keeps_positions) or not (
            g.is_everything or g.restricts or g.keeps_positions
        ):
            raise NotOutside("a study reads some records, or positions, or everything")
        return Steps(self.granularity, "", composed(g, to.reads))


@frozen
class Tabled(OfPart):
    """A metric on a part that is gone through, by its values: numbers ≥ 0, or ∞ for pairs that have none.

    values -- of unordered pairs of databases; of -- a map: then they are about what it reads;
    reads -- a map over the fibres of which the metric is closed, as on the common domain; nearest -- whether
    its values are distances of databases with the values of `of`, which are no closure.
    """

    in_a_table = True

    part: str
    values: Mapping[frozenset[Database], Fraction] = field(hash=False)
    of: Map = everything
    reads: Map = everything
    nearest: bool = False

    def between(self, x: Database, y: Database) -> Far:
        """The value at two of its points; None: ∞."""
        return Fraction(0) if x == y else self.values.get(frozenset((x, y)))

    def words(self) -> Sequence[str | Term]:
        if self.nearest:
            return ["as the nearest databases with the same values"]
        return [f"as its table says{CLOSED if self.over_fibres else ''}"]

    @property
    def at_the_nearest(self) -> bool:
        return self.nearest

    @property
    def over_fibres(self) -> bool:
        return not self.reads.is_everything

    @property
    def input(self) -> Input:
        return Input(self.part, reads=self.reads, domain="common")

    def on_listed(
        self, elements: Sequence[Database], size: Callable[[Database], int], term: Callable[[Term], Term]
    ) -> dict[str, Any]:
        stated = _lengths(elements, lambda D, E: self.between(self.of(D), self.of(E)))
        return {"stated": stated, "domain": "common" if self.over_fibres else "own"}

    @property
    def is_whole(self) -> bool:
        return not self.part and self.reads.is_everything

    def reading(self, change: Callable[[Map], Map]) -> Distance:
        return replace(self, reads=change(self.reads))

    @property
    def pairwise(self) -> Pairwise | None:
        return self.between if self.of.is_everything and self.reads.is_everything else None

    def of_input(self, reads: Map, domain: str) -> Distance | None:
        if domain == "common":
            return replace(self, reads=reads) if self.of.is_everything else None
        return self if self.of == reads else None

    def of_read(self, to: Outside) -> Distance:
        return (
            replace(self, of=composed(self.of, to.reads)) if self.reads.is_everything else super().of_read(to)
        )


@frozen
class Lost(OfPart):
    """How far rows of a table of probabilities are apart: the largest |ln(p/q)|; ∞ where one alone is 0.

    table -- what it is called; rows -- for each database of a listed class the probabilities of the
    outcomes, each surely positive, or 0.
    """

    part: str
    table: str
    rows: Mapping[Database, tuple[Term, ...]] = field(hash=False)
    outcomes: tuple[str, ...] = ()

    is_whole = True

    def words(self) -> Sequence[str | Term]:
        return [f"the largest |ln(p/q)| of an outcome's probabilities in the table {self.table}"]

    @property
    def input(self) -> Input:
        return Input(self.part)

    def on_listed(
        self, elements: Sequence[Database], size: Callable[[Database], int], term: Callable[[Term], Term]
    ) -> dict[str, Any]:
        rows = [[to_text(term(p)) for p in self.rows[D]] for D in elements]
        return {"table": {"on": "databases", "outcomes": list(self.outcomes), "rows": rows}}

    def outside(self, to: Outside) -> Lost:
        if to.reads.is_everything:
            return self
        if to.outer is None or (every := gone_through(to.outer)) is None:
            raise NotOutside("a table of probabilities needs a listed class")
        return replace(self, rows={D: self.rows[to.reads(D)] for D in every})


@frozen
class Counted(OfPart):
    """How far the number of records moves that a map reads of a part: |#f(D) − #f(E)|."""

    part: str
    reads: Map = everything

    def words(self) -> Sequence[str | Term]:
        return [f"how far the number of records of {self.reads.written(self.part or 'D')} moves"]

    @property
    def input(self) -> Input:
        return Input(self.part, reads=self.reads, query=Count())

    def on_listed(
        self, elements: Sequence[Database], size: Callable[[Database], int], term: Callable[[Term], Term]
    ) -> dict[str, Any]:
        number = {D: size(self.reads(D)) for D in elements}
        stated = _lengths(elements, lambda D, E: Fraction(abs(number[D] - number[E])))
        return {"stated": stated, "reads": [None], "domain": "own"}

    def of_read(self, to: Outside) -> Distance:
        return Counted("", composed(self.reads, to.reads))


def _lengths(elements: Sequence[Database], far: Pairwise) -> dict[str, Any]:
    """Pairs of listed databases that are not infinitely far apart, and how far they are."""
    pairs = [(j, i) for i in range(len(elements)) for j in range(i)]
    known = {pair: at for pair in sorted(pairs) if (at := far(*(elements[n] for n in pair))) is not None}
    return {"single": [list(pair) for pair in known], "steps": 1, "lengths": list(map(str, known.values()))}
