"""Contributions: all rows of one person come or go, or are replaced; how many there are is limited.

A person has rows in at most L parts of every partition, and at most m in each of them; rows that lie in no
part are not limited.  Which sets of records are the parts, the setting says: those of its partitions, or
else the record sets that its mechanisms read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar

from dpcompose.kernel.core.contributions import is_count
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term, letter, number
from dpcompose.language import formulas
from dpcompose.language.answers import NoAnswer
from dpcompose.spaces.classes.databases import Database, DatabaseClass
from dpcompose.spaces.classes.sizes import COUNT
from dpcompose.spaces.moves.granularities import Granularity

Partition = tuple[frozenset[str], ...]
WORDS: Mapping[bool | str, str] = {False: "no", True: "bag", "rows": "rows"}
"""What the kernel calls that a person's rows come or go, are replaced, or by as many others."""


@frozen(repr=False)
class Contribution(Granularity):
    """Neighbours differ in the rows of one person, in at most L parts of every partition and m in each.

    parts, rows -- L and m, whole numbers from 1 or letters for such; replaced -- False: the rows come or go;
    True: others take their place, of any number; "rows": as many others do;
    partitions -- the parts, where they are known.

    >>> two = replace(contribution(1, 2), partitions=((frozenset("a"), frozenset("b")),))
    >>> two.are_neighbours(("a", "a", "b"), ("b",)), two.are_neighbours(("a", "b"), ())
    (True, False)
    """

    by_rows: ClassVar[bool] = True
    parts: Term
    rows: Term
    replaced: bool | str = False
    partitions: tuple[Partition, ...] | None = field(default=None, compare=False)

    @property
    def name(self) -> str:  # type: ignore[override]
        L, m = formulas.to_text(self.parts), formulas.to_text(self.rows)
        how = {False: "", True: "replaced ", "rows": "replaced row by row, "}[self.replaced]
        return f"contribution ({how}{m} {'row' if m == '1' else 'rows'} in each of {L} {_parts(L)})"

    @property
    def parameters(self) -> Mapping[str, Domain]:
        return {**self.parts.letters, **self.rows.letters}

    def placed(self, partitions: Mapping[str, Partition]) -> Contribution:
        return replace(self, partitions=tuple(partitions.values())) if self.partitions is None else self

    def at(self, point: Mapping[str, Fraction]) -> Contribution:
        values = [number(point[str(x)]) if str(x) in point else x for x in (self.parts, self.rows)]
        return replace(self, parts=values[0], rows=values[1])

    @property
    def touched(self) -> int | None:
        most = self.parts.number
        return None if most is None else int(most) * (2 if self.replaced else 1)

    def are_neighbours(self, D: Database, E: Database) -> bool:
        assert isinstance(D, tuple) and isinstance(E, tuple)
        gone, come = Counter(D) - Counter(E), Counter(E) - Counter(D)
        if gone == come or (gone and come and not self.replaced):
            return False
        if self.replaced == "rows" and gone.total() != come.total():
            return False
        return self.holds(gone) and self.holds(come)

    def holds(self, bag: Counter[str]) -> bool:
        """Whether one person may have these rows."""
        if self.partitions is None or self.parts.number is None or self.rows.number is None:
            raise TypeError(f"{self} neighbours are those of a setting that says the parts, and of numbers")
        for partition in self.partitions:
            rows = [sum(bag[x] for x in part) for part in partition]
            if sum(map(bool, rows)) > self.parts.number or max(rows, default=0) > self.rows.number:
                return False
        return True

    def fewest(self, gone: Counter[str], come: Counter[str], even: bool) -> int | None:
        """How many such steps take some rows out and put others in, each of one person's; None: none do.

        even -- whether as many rows as are taken out have to be put in, where neighbours are such.
        """
        if not (self.holds(gone) and self.holds(come)):
            raise NoAnswer(f"how far rows of several persons are apart by {self} steps is not known")
        if not self.replaced:
            return sum(map(bool, (gone, come)))
        return None if self.replaced == "rows" and even and gone.total() != come.total() else 1

    def in_room(
        self,
        pair: tuple[Any, Any],
        steps: int,
        databases: DatabaseClass,
        outside: Sequence[str],
        numbers: Sequence[int],
    ) -> Iterator[tuple[Any, Any]]:
        if outside and databases.sizes.n is not None:
            yield from self._filled(pair, steps, databases, outside)
        sides = [sorted(x for x in {*side} if (x,) in databases) for side in pair]
        for rest in ([], [*databases.spare[:1]]):  # rows of no part may come in the place of others
            D, E = ((*side, *rest * (max(map(len, sides)) - len(side))) for side in sides)
            for n in numbers:
                if self.relates(D * n, E * n, databases):
                    yield tuple(sorted(D * n * steps)), tuple(sorted(E * n * steps))

    def _filled(
        self, pair: tuple[Any, Any], steps: int, databases: DatabaseClass, outside: Sequence[str]
    ) -> Iterator[tuple[Any, Any]]:
        """The rows that differ and lie in parts, as often as one person has them or once, with as many others
        as there is room for: as many as there may be, or in the other database as few."""
        x, y = Counter[str](pair[0]), Counter[str](pair[1])  # in both there may be more of a row that goes
        gone, come = ([row for row in sorted(differ) if row not in outside] for differ in (x - y, y - x))
        most, fewest = int(databases.sizes.n or 0), databases.sizes.filling
        besides = outside[1 if self.replaced else 0]
        for times, size in product((int(self.rows.number or 1), 1), (most, fewest)):
            left, right = gone * times * steps, come * times * steps
            left += [outside[0]] * (most - len(left))
            right += [besides] * (size - len(right))
            if steps > 1 or self.relates(tuple(left), tuple(right), databases):
                yield tuple(sorted(left)), tuple(sorted(right))

    def is_known(self, named: Mapping[str, Granularity]) -> bool:
        return type(self) is Contribution  # one's own may be made otherwise

    def unfit(self, databases: DatabaseClass) -> str | None:
        if databases.twice:
            return None
        return f"what a person contributes has no meaning on {databases.kind}: it is about multisets of rows"

    def data(self) -> dict[str, Any]:
        how: dict[str, Any] = {"replaced": self.replaced} if self.replaced else {}
        L, m = formulas.to_text(self.parts), formulas.to_text(self.rows)
        return {"contribution": {"parts": L, "rows": m, **how}}

    @property
    def contributed(self) -> dict[str, str]:
        L, m = formulas.to_text(self.parts), formulas.to_text(self.rows)
        return {"parts": L, "rows": m, "replaced": WORDS[self.replaced]}


def _parts(L: str) -> str:
    return "part" if L == "1" else "parts"


def contribution(parts: object, rows: object, replaced: bool | str = False) -> Contribution:
    """The granularity in which all rows of one person come or go, or are replaced.

    parts -- L, in how many parts of every partition one person's rows lie at most; rows -- m, how many lie in
    each of these at most; both whole numbers from 1, or names or symbols for such.  Rows outside of all parts
    are not limited.  replaced -- True: a person's rows are taken out and those of another one put in, within
    the same limits; "rows": as many as were taken out.  The parts are those of the partitions of which
    mechanisms read parts, or else the record sets that mechanisms read, which do not overlap.

    Raises ValueError for numbers that are not whole, or below 1.

    >>> import dpcompose as dpc
    >>> D = dpc.multisets()
    >>> M = [dpc.mechanism(n, dpc.pure(n, dpc.unbounded, "own"), reads=dpc.restriction([n])) for n in "abc"]
    >>> dpc.compose(*M, on=D, target=dpc.contribution(parts=2, rows="m")).guarantee().epsilon
    max(a*m + b*m, a*m + c*m, b*m + c*m)
    """
    if replaced not in WORDS:
        raise ValueError(f'replaced is True, False or "rows", not {replaced!r}')
    terms = []
    for name, given in (("parts", parts), ("rows", rows)):
        known = (
            {symbol: letter(symbol, COUNT) for symbol in formulas.names(given)}
            if isinstance(given, str)
            else None
        )
        value = formulas.term(given, known)
        if not is_count(value):
            raise ValueError(
                f'{name} of a contribution is a whole number from 1, or a parameter such as "integer >= 1", '
                f"not {given}"
            )
        terms.append(value)
    return Contribution(terms[0], terms[1], replaced)
