"""How many members families have in a comparison: which numbers are tried, from the smallest on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import islice

from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term, letter
from dpcompose.language.symbols import simple
from dpcompose.search.comparisons.points import Point, grid
from dpcompose.search.comparisons.writing_out import of_member

MOST_NUMBERS = 12
"""How many numbers of members are tried for a counterexample, from the smallest on."""
LARGEST_WRITTEN_OUT = 40
"""The most members of a family that are written out; beyond, only simple points are tried."""
LARGEST_POINT = 2_000
"""The most members at whose values a comparison is evaluated."""


@frozen
class Sizes:
    """The numbers of members of the families in some sides; domains -- what letters may be."""

    sides: tuple[Term, ...]
    domains: Mapping[str, Domain]

    @cached_property
    def counts(self) -> list[Term]:
        """The numbers of members of all families that occur, and parameters for how many are added up."""
        sums = [term for side in self.sides for term in side.every("over")]
        counts = {term.of[2] for term in sums}
        counts |= {letter(*x) for term in sums for x in term.of[0].letters.items()}
        return sorted(counts, key=lambda count: count.key)

    def __iter__(self) -> Iterator[dict[str, int]]:
        """Numbers of members of the families of a symbolic number: all alike from the smallest on."""
        least = {
            count.of[0]: max(1, int(self.domains[count.of[0]].least or 1))
            for count in self.counts
            if count.kind == "letter"
        }
        for more in range(MOST_NUMBERS if least else 1):
            yield {name: size + more for name, size in least.items()}
            for larger in least if more and len(least) > 1 else ():
                yield {name: size + more * (name == larger) for name, size in least.items()}

    def largest(self, sizes: Mapping[str, int]) -> int:
        """The largest number of members of all families, where letters have these values."""
        numbers = (int(count.of[0]) for count in self.counts if count.kind == "number")
        return max([*sizes.values(), *numbers], default=1)

    @property
    def small(self) -> Iterator[dict[str, int]]:
        """Those with which all members are written out."""
        return (sizes for sizes in self if self.largest(sizes) <= LARGEST_WRITTEN_OUT)

    def points(self) -> Iterator[Point]:
        """Simple points for a few numbers of members: all alike, or the first one or two above the rest."""
        families = {name: domain for name, domain in self.domains.items() if terms.moves(name)}
        for sizes in islice(self, 4):
            count = self.largest(sizes)
            if count > LARGEST_POINT:
                return
            numbers = {name: Fraction(size) for name, size in sizes.items()}
            known = families.keys() | numbers.keys()
            alone = {name: domain for name, domain in self.domains.items() if name not in known}
            for point in islice(grid(alone), 12):
                for above in (count, 1, 2, 0):
                    members = {
                        of_member(name, j): simple(domain)[
                            0 if j <= above else min(2, len(simple(domain)) - 1)
                        ]
                        for name, domain in families.items()
                        for j in range(1, count + 1)
                    }
                    yield point | members | numbers
