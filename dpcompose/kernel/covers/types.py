"""Types of neighbours: what moves alike, and which types no other one exceeds.

How far an input moves is counted in the metric in which the mechanism's guarantee is stated: canonical, in
closed form by a fact page, by the fewest blocks, or by shortest paths; of noise, how far the query's value
moves.  Distances never fall when more changes, so the types that no other one exceeds decide.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from dpcompose.kernel import formulas
from dpcompose.kernel.domains import NONNEGATIVE
from dpcompose.kernel.settings import Mechanism, Setting
from dpcompose.kernel.terms import ZERO, Term, letter, number, substituted
from dpcompose.kernel.theory import NoPage, Theory

LARGEST = 2_000_000
"""The most records, or cells, or listed pairs times mechanisms, in all types that are gone through."""

Moves = tuple[tuple[int, tuple[tuple[int, Term], ...]], ...]
"""For each input that moves its number, and how many members move how far; 0 members: all of the family."""


class NoCover(NoPage):
    """No lemma covers the neighbours of the class by finitely many types; the message says why."""


@dataclass(frozen=True)
class Type:
    """Neighbours that move the inputs alike, and two of them.

    moves -- how far; unlimited -- inputs that move by finite distances without a limit, which `moves` has as
    ∞: then the pair with every record taken N times moves them further and further;
    pair -- two databases: of records their lists; of cells those in which they differ; of listed ones their
    numbers;
    entries -- of mechanisms that add noise, how far each entry of the query's value moves that does.
    """

    moves: Moves
    unlimited: frozenset[int]
    pair: tuple[tuple[str, ...], tuple[str, ...]] | tuple[int, ...]
    entries: tuple[tuple[int, tuple[Term, ...]], ...] = ()


@dataclass(frozen=True)
class Cover:
    """The types, the page by which they cover all neighbours, and how many pairs were gone through."""

    types: tuple[Type, ...]
    page: str
    gone_through: int
    metrics: tuple[tuple[str, ...], ...]
    """For each mechanism the pages that state the metric of its input."""


@dataclass(frozen=True)
class Metric:
    """How far an input moves, by counts of what differs, and the pages that state it.

    at -- from how many records are removed and added; discrete -- whether it only says whether they differ;
    entries -- of the value of a query, how far each entry moves that does.
    """

    pages: tuple[str, ...]
    at: Callable[[int, int], Term]
    discrete: bool = False
    entries: Callable[[int, int], tuple[Term, ...]] = lambda removed, added: ()


class Covering(ABC):
    """What the kinds of classes have in common: moves of single inputs gathered into types."""

    procedure: ClassVar[str]
    """What the page calls the lemma by which the types cover everything."""

    def __init__(self, setting: Setting, theory: Theory) -> None:
        self.setting, self.theory = setting, theory

    @abstractmethod
    def cover(self) -> Cover:
        """The types of the target's neighbours.  Raises NoPage where no lemma covers them."""

    @property
    def page(self) -> str:
        """The page of the lemma by which the types cover everything."""
        about = self.procedure
        otherwise = f"there is no page on covers by {about}"
        return str(self.theory.first("procedure", lambda page: page.head.procedure == about, otherwise).id)

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

    def gathered(self, moved: Iterable[tuple[int, Term]], all_alike: bool = False) -> Moves:
        """Moves by the mechanism: of a family how many members move how far, the furthest first."""
        found: dict[int, list[Term]] = {}
        for i, r in moved:
            found.setdefault(i, []).append(r)
        moves: list[tuple[int, tuple[tuple[int, Term], ...]]] = []
        for i, distances in sorted(found.items()):
            mechanism = self.setting.mechanisms[i - 1]
            if mechanism.count is None:
                moves.append((i, ((1, distances[0]),)))
            elif len(mechanism.reads) == 1 or all_alike:
                moves.append((i, ((0, distances[0]),)))
            else:
                times = Counter(distances)
                order = sorted(times, key=size, reverse=True)
                moves.append((i, tuple((times[r], r) for r in order)))
        return tuple(moves)

    def reads(self) -> Iterator[tuple[int, tuple[int, ...] | None]]:
        """Each thing that is read, with the number of the mechanism that reads it."""
        for i, mechanism in enumerate(self.setting.mechanisms, start=1):
            for one in mechanism.reads:
                yield i, one

    def of_types(self, types: Iterable[Type], gone_through: int, metrics: Sequence[Sequence[str]]) -> Cover:
        """The cover by the types that no other one exceeds."""
        distinct: dict[tuple[Any, ...], Type] = {}
        for one in types:
            distinct.setdefault((one.moves, one.unlimited, one.entries), one)
        kept = _undominated(list(distinct.values()))
        return Cover(tuple(kept), self.page, gone_through, tuple(tuple(one) for one in metrics))


def size(distance: Term) -> Fraction:
    """By what distances of a family's members are put in order.  Raises NoCover for formulas."""
    if distance.kind == "oo":
        return Fraction(10**18)
    if distance.number is None:
        raise NoCover(
            "members of a family that move by different amounts, such as "
            f"{formulas.to_text(distance)}, are not supported; write the parts out"
        )
    return distance.number


def _undominated(types: Sequence[Type]) -> list[Type]:
    """The types that no other one exceeds, compared where all distances are numbers; in their order."""
    flat = [_flat(one) for one in types]
    holding: dict[tuple[int, int], list[int]] = {}
    for n, vector in enumerate(flat):
        for key in vector or ():
            holding.setdefault(key, []).append(n)
    kept = []
    for n, vector in enumerate(flat):
        if vector is None or not vector:
            if vector is None or len(types) == 1:
                kept.append(types[n])
            continue
        candidates = min((holding[key] for key in vector), key=len)
        exceeded = any(
            m != n and other is not None and other != vector and _exceeds(other, vector)
            for m in candidates
            for other in (flat[m],)
        )
        if not exceeded:
            kept.append(types[n])
    return kept or list(types[:1])


def _flat(one: Type) -> dict[tuple[int, int], Fraction] | None:
    """The distances as numbers, member by member, the furthest first; None where some are formulas."""
    if one.unlimited:
        return None
    found: dict[tuple[int, int], Fraction] = {}
    for i, members in one.moves:
        slot = 0
        for many, r in members:
            if r.kind != "oo" and r.number is None:
                return None
            for _ in range(many or 1):
                found[i, slot] = size(r)
                slot += 1
    return found


def _exceeds(greater: Mapping[tuple[int, int], Fraction], lesser: Mapping[tuple[int, int], Fraction]) -> bool:
    return all(greater.get(key, Fraction(0)) >= r for key, r in lesser.items())


def query_metric(mechanism: Mechanism, theory: Theory) -> Metric:
    """How far the value of a mechanism's query moves, in the norm of its noise's page."""
    noise = mechanism.noise
    assert noise is not None
    law, query = theory.page(noise.page, "noise"), theory.page(noise.query.page, "query")
    text = query.head.moves.get(law.head.norm)
    if text is None:
        raise NoCover(f"{query.id} does not say how far it moves in the norm {law.head.norm}")
    letters = {name: letter(name, NONNEGATIVE) for name in ("removed", "added")}
    given = dict(noise.query.values)
    if query.head.sized:
        if noise.query.n is None:
            raise NoCover(f"{query.id} needs a known number of records")
        given["n"] = number(noise.query.n)
    formula = formulas.parse(text, letters | given)
    moving = [formulas.parse(one, letters | given) for one in query.head.entries] or [formula]

    def counted(one: Term, removed: int, added: int) -> Term:
        return substituted(one, {"removed": number(removed), "added": number(added)})

    return Metric(
        (query.id, law.id),
        lambda removed, added: counted(formula, removed, added),
        query.head.whether,
        lambda removed, added: tuple(far for one in moving if (far := counted(one, removed, added)) != ZERO),
    )
