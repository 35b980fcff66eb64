"""Queries of a few records, gone through: how far their values move, and how far a page says that they do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any, TypeAlias

from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.search.audits.outcomes import enclosed
from dpcompose.search.audits.searched import Counterexample, Looked
from dpcompose.search.audits.suppositions import ALL_KEPT, Kept, NoSearch, Supposition
from dpcompose.search.audits.worlds import Base, Relation, World

Attribute: TypeAlias = tuple[Fraction | int, ...]
"""What a record has besides its name: numbers, or the scores of candidates, or a point."""
Case: TypeAlias = tuple[tuple[Attribute, ...], ...]
"""The attributes of the records that two databases share, of those that go, and of those that come."""
MOST = 2
"""So many records are shared, go, and come at most."""


@frozen
class Kind:
    """A query of a few records: its value there, attributes between the bounds that the letters say, and some
    beyond them."""

    value: Callable[[Sequence[Attribute]], Attribute]
    inside: tuple[Attribute, ...]
    letters: Mapping[str, int]
    beyond: tuple[Attribute, ...] = ()


def _sum(D: Sequence[Attribute]) -> Attribute:
    """Of no records two zeros, of which one is enough beside numbers."""
    return tuple(map(sum, zip((0,) * 2, *D, strict=False)))


def _mean(D: Sequence[Attribute]) -> Attribute:
    """Of no records the middle of the bounds."""
    return (sum((Fraction(x) for (x,) in D or NUMBERS[:2]), Fraction(0)) / (len(D) or 2),)


def _variance(D: Sequence[Attribute]) -> Attribute:
    (mean,) = _mean(D)
    return (sum((Fraction(x - mean) ** 2 for (x,) in D), Fraction(0)) / max(1, len(D)),)


NUMBERS: tuple[Attribute, ...] = ((-1,), (2,), (0,))
BOUNDS = {"l": -1, "u": 2}
KINDS: Mapping[str, Kind] = {
    "bit": Kind(lambda D: (int((1,) in D),), ((0,), (1,)), {}),
    "count": Kind(lambda D: (len(D),), ((0,),), {}),
    "histogram": Kind(lambda D: tuple(D.count((n,)) for n in range(3)), ((0,), (1,), (2,)), {}),
    "location": Kind(lambda D: D[0], ((0, 0), (3, 4), (0, 4)), {"w": 5}, ((-3, -4),)),
    "mean": Kind(_mean, NUMBERS, BOUNDS, ((5,),)),
    "monotone-scores": Kind(_sum, ((1, 0), (0, 1), (1, 1)), {"c": 1}, ((1, -1),)),
    "scores": Kind(_sum, ((1, -1), (-1, 1), (0, 1)), {"c": 1}, ((2, -1),)),
    "sum": Kind(_sum, NUMBERS, BOUNDS, ((5,),)),
    "variance": Kind(_variance, NUMBERS, BOUNDS, ((5,),)),
    "vector-sum": Kind(_sum, ((5, 0), (-5, 0), (3, 4)), {"c": 5}, ((0, 6),)),
}
"""The queries of which values are known, by the ids of their pages."""


NORMS: Mapping[str, Callable[[Sequence[Fraction]], Term]] = {
    "L1": lambda v: terms.number(sum(map(abs, v))),
    "L2": lambda v: terms.sqrt(terms.number(sum(x * x for x in v))),
    "range": lambda v: terms.number(max(v) - min(v)),
}


@frozen(eq=False)
class Moved:
    """A query page in one norm; bounded, alike -- whether attributes lie between their bounds, and whether as
    many records are read of every database where that number stands in the formula."""

    page: Any
    notion: str
    kind: Kind
    bounded: bool = True
    alike: bool = True
    suppositions: tuple[Supposition, ...] = ()
    kept: Kept = ALL_KEPT

    def written(self, joint: bool) -> bool:
        """Whether a counterexample is written as a problem file: how far values move there, the page says."""
        return False

    def without(self, supposition: Supposition) -> Moved:
        kept = {"bounded", "alike"} - {supposition.key}
        return replace(self, bounded="bounded" in kept, alike="alike" in kept)

    def look(self, most: int, looked: Looked) -> Counterexample | None:
        """Two databases whose values are further apart than the page says."""
        near = Relation("G", frozenset({(0, 1), (1, 0)}))
        for case in self._cases():
            shared, *others = case
            x, y = ((*shared, *own) for own in others)
            world = World(Base((_shown(x), _shown(y))), near, ())
            looked.add(world)
            moved = [Fraction(a) - b for a, b in zip(self.kind.value(x), self.kind.value(y), strict=False)]
            far = NORMS[self.notion](moved)
            for claim in self._claims(*map(len, case)):
                if enclosed(far).low > enclosed(claim).high:
                    lost, said = f"{self.notion} = {formulas.to_text(far)}", {self.notion: claim}
                    return Counterexample(self, world, (), (), False, (0, 1), said, lost)
        return None

    def _cases(self) -> Iterator[Case]:
        """Few records first."""
        attributes = self.kind.inside if self.bounded else (*self.kind.inside, *self.kind.beyond)
        one = self.page.head.one
        sizes = [(0, 1, 1)] if one else sorted(product(range(MOST + 1), repeat=3), key=sum)
        for n in sizes:
            yield from product(*(combinations_with_replacement(attributes, m) for m in n))

    def _claims(self, shared: int, removed: int, added: int) -> Iterator[Term]:
        """What the page says of so many records: of a known number, and of a least one."""
        head, known, least = self.page.head, shared + removed, max(1, shared + min(removed, added))
        letters = {**self.kind.letters, "removed": removed, "added": added}
        fits = not head.sized or (known and (removed == added or not self.alike))

        def value(text: str, n: int) -> Term:
            return formulas.parse(text, {key: terms.number(x) for key, x in {**letters, "n": n}.items()})

        def holds(text: str, n: int) -> bool:
            return not text or enclosed(value(text, n)).low >= 0

        if fits and holds(head.only, known):
            yield value(head.moves[self.notion], known)
        if head.at_least is not None and removed + added and holds(head.at_least.only, least):
            yield value(head.at_least.moves[self.notion], least)


def _shown(D: Sequence[Attribute]) -> str:
    words = (str(x[0]) if len(x) == 1 else f"({', '.join(map(str, x))})" for x in D)
    return f"{{{', '.join(words)}}}"


def query(theory: Any, page: Any) -> list[Moved]:
    """A query page in the norms in which it says how far the value moves."""
    if page.id not in KINDS:
        raise NoSearch(f"{page.id} is no query of which values are known; {', '.join(KINDS)} are")
    kind, suppositions = KINDS[page.id], []
    if kind.beyond:
        suppositions.append(Supposition("bounded", "attributes lie between their bounds"))
    if page.head.sized and not page.head.one:
        suppositions.append(Supposition("alike", "as many records are read of every database"))
    return [Moved(page, norm, kind, suppositions=tuple(suppositions)) for norm in page.head.moves]
