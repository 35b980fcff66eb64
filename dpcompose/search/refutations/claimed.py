"""Claims about a setting as a refutation sees them, and the points at which they may be too small."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from functools import cached_property
from itertools import chain, islice

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.judgements import Lower, Satisfies
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.theorems import Theorem
from dpcompose.search import guarantees
from dpcompose.search.comparisons import parameters
from dpcompose.search.guarantees import Workshop
from dpcompose.search.least import MOST_TYPES

FEW_POINTS = 24
"""At how many simple points refutations are looked for."""

Point = Mapping[str, Fraction]
"""Values of parameters, by name."""


@frozen
class Claimed:
    """A claim about a setting: as it is written, and what it says; enough -- what the claim says or implies,
    with what is lost, where it is at least that at all points that are looked at."""

    shop: Workshop
    claim: Mapping[str, str]
    says: Satisfies
    enough: set[tuple[Term, Lower, bool]] = field(default_factory=set, compare=False, repr=False)

    @property
    def theory(self) -> Theory:
        return self.shop.theory

    @property
    def values(self) -> dict[str, Term]:
        """The claimed values, by parameter."""
        return dict(self.says.values)

    @property
    def has_letters(self) -> bool:
        """Whether the claim is for all values of some letters, and not about numbers alone."""
        return any(value.letters for value in self.values.values())

    @property
    def limited(self) -> set[str]:
        """The parameters for which a number is claimed, and not ∞."""
        return {key for key, value in self.says.values if value.kind != "oo"}

    @property
    def numbers(self) -> range:
        """The types of neighbours that are looked at, by their numbers."""
        return range(1, min(len(self.shop.types.types), MOST_TYPES) + 1)

    @property
    def whole(self) -> Claimed:
        """The same claim where the types stand for all neighbours whatever is lost."""
        whole = self.shop.whole
        return self if whole is self.shop else Claimed(whole, self.claim, self.says)

    @cached_property
    def usual(self) -> Point:
        """The first simple point."""
        return next(guarantees.points(self.shop.setting, 1), {})

    @cached_property
    def simple_points(self) -> list[dict[str, Fraction]]:
        """Simple points, and those far from them, or between."""
        setting = self.shop.setting
        between = parameters.points_between(dict(setting.parameters), setting.assumed)
        far = self.far_points(*self.values.values())
        beyond = [] if self.has_letters else [self._beyond]
        return self._with_members(chain(guarantees.points(setting, FEW_POINTS), between, far, beyond))

    @property
    def _beyond(self) -> Point:
        """A point at which all letters are large, far beyond a claim with numbers."""
        domains = dict(self.shop.setting.parameters)
        large = {name: x for name, domain in domains.items() if domain.contains(x := parameters.EXTREMES[0])}
        return {**self.usual, **large}

    @property
    def points_of_many(self) -> list[dict[str, Fraction]]:
        """Points at which families have many members."""
        setting = self.shop.setting
        return self._with_members(parameters.points_of_many(dict(setting.parameters), setting.assumed))

    def points_below(self, lower: Lower, is_implied: bool) -> Iterator[Point]:
        """Points at which the claim may be below what is lost: where it is seen to be, and simple ones.

        is_implied -- whether what is compared is no value of the claim, but of what it implies.
        """
        setting, usual = self.shop.setting, self.usual
        assumed, letters = (*setting.assumed, *lower.where), dict(setting.parameters)
        if not is_implied and lower.key in self.limited and lower.value.kind != "oo":
            larger = parameters.where_larger(lower.value, self.values[lower.key], assumed=assumed)
            if larger is not None:
                yield self.completed({**usual, **larger})
        simple = islice(parameters.points(letters, assumed), FEW_POINTS)
        far = self.far_points(lower.value, *self.values.values())
        extreme = islice(parameters.extreme_points(letters, assumed), FEW_POINTS)
        every = map(self.completed, chain(simple, far, ({**usual, **point} for point in extreme)))
        seen = set[tuple[tuple[str, Fraction], ...]]()
        for point in every:
            if (there := tuple(sorted(point.items()))) not in seen:
                seen.add(there)
                yield point

    def far_points(self, *values: Term) -> Iterator[Point]:
        """Points at which letters of some terms are much larger or smaller than usual."""
        usual = self.usual
        letters = {name for value in values for name in value.letters}
        domains = {name: domain for name, domain in self.shop.setting.parameters if name in letters}
        far = parameters.far_points(domains, self.shop.setting.assumed)
        for point in islice(far, FEW_POINTS if domains else 0):
            yield {**usual, **point}

    def completed(self, point: Point) -> dict[str, Fraction]:
        """A point with values for the members of families."""
        return parameters.completed(self.shop.setting, point)

    def _with_members(self, points: Iterable[Point]) -> list[dict[str, Fraction]]:
        """Points with members of families for all that some neighbours move."""
        return parameters.with_members(self.shop.setting, self.shop.types.types, points)

    @property
    def premises(self) -> Sequence[Theorem]:
        """The cover, and what the mechanisms lose as they are stated."""
        return (self.shop.cover, *self.shop.stated)
