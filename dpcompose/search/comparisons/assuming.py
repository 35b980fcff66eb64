"""Comparisons where relations between letters are assumed: letters are eliminated, and points are fine.

A comparison is answered without the assumptions first, and then with letters eliminated in a few ways.
Points are those of the letters that remain, carried back; the kernel checks them, and the certificates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice

from dpcompose.kernel import comparison
from dpcompose.kernel.core import assumptions
from dpcompose.kernel.core.assumptions import Assumed, Eliminated, NotAssumed, Step
from dpcompose.kernel.expressions import formulas, naming
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.terms import Term, TermError, moves
from dpcompose.search.comparisons.answers import Point, Proof
from dpcompose.search.comparisons.points import Point as Values
from dpcompose.search.comparisons.points import grid

Domains = Mapping[str, Domain]
Answer = Callable[[Term, Term, Assumed], Proof | Point | None]
"""Answers a comparison in letters of which some things are assumed."""
FEW_WAYS = 3
"""In how many ways letters are eliminated where points are looked for."""
FEW_POINTS = 8
"""How many values of the letters are tried that a point says nothing of."""


def decide(
    greater: Term,
    lesser: Term,
    assumed: Assumed,
    answer: Answer,
    as_they_are: Callable[[Term, Term, bool], Proof | Point | None],
    to_prove: bool = False,
) -> Proof | Point | None:
    """Whether greater ≥ lesser for all values of which the assumptions hold; None where neither was shown.

    as_they_are -- answers a comparison by multiples of the assumptions, no letters eliminated, or only proves
    it; to_prove -- whether only a proof is wanted.
    """
    plain = answer(greater, lesser, assumptions.NOTHING)
    if isinstance(plain, Proof):
        return plain
    if isinstance(found := as_they_are(greater, lesser, True), Proof):
        return found
    for steps in _ways(assumed, greater, lesser):
        there = assumptions.eliminated(assumed, steps, comparison.domains_of(greater, lesser))
        try:
            found = answer(there.of(greater), there.of(lesser), there.left)
        except TermError:
            continue
        if isinstance(found, Proof) and (proof := _outside(greater, lesser, assumed, steps, found)):
            return proof
        if isinstance(found, Point) and (point := _back(greater, lesser, assumed, there, found)):
            return point
    if isinstance(plain, Point):
        for values in islice(allowed_points(assumed, {}, grid), FEW_POINTS):
            if _is_against(greater, lesser, assumed, {**plain.values, **values}):
                return Point({**plain.values, **values})
    last = None if to_prove else as_they_are(greater, lesser, False)
    against = isinstance(last, Point) and _is_against(greater, lesser, assumed, dict(last.values))
    return last if against else None


def _ways(assumed: Assumed, *some: Term) -> Iterator[tuple[Step, ...]]:
    """The ways in which letters of some terms are eliminated."""
    names = frozenset(name for term in some for name in term.letters)
    kept = frozenset[str]().union(*map(assumptions.counts_in, some))
    return iter(assumptions.ways(assumed, names, kept))


def _outside(
    greater: Term, lesser: Term, assumed: Assumed, steps: Sequence[Step], inner: Proof
) -> Proof | None:
    """A proof without the letters that some steps eliminate, as one of the comparison itself."""
    certificate = {"eliminated": [list(step) for step in steps], "proof": inner.certificate}
    try:
        used = comparison.check_at_least(greater, lesser, certificate, assumed)
    except BadCertificate:
        return None
    return Proof(certificate, used)


def _back(greater: Term, lesser: Term, assumed: Assumed, there: Eliminated, found: Point) -> Point | None:
    """A point of the letters that remain as one of all, where it is allowed."""
    every = {**assumptions.letters_of(assumed), **comparison.domains_of(greater, lesser)}
    left = _remaining(there, every).items()
    free = {name: domain for name, domain in left if name not in found.values and not moves(name)}
    for start in islice(grid(free), FEW_POINTS):
        with suppress(ValueError, ArithmeticError):
            back = _of_all(there, {**start, **found.values})
            point = {name: x for name, x in back.items() if name in every or _is_member(name)}
            if _is_against(greater, lesser, assumed, point):
                return Point(point)
    return None


def _remaining(there: Eliminated, every: Domains) -> dict[str, Domain]:
    """The letters that remain, and the new ones."""
    new = {name: domain for value in there.values.values() for name, domain in value.letters.items()}
    return {name: domain for name, domain in {**every, **new}.items() if name not in there.values}


def _is_against(greater: Term, lesser: Term, assumed: Assumed, point: Values) -> bool:
    """Whether a point is allowed, and lesser > greater there."""
    sides = comparison.domains_of(greater, lesser)
    try:
        comparison.check_allowed(point, sides, assumed)
        own = {name: x for name, x in point.items() if name in sides or _is_member(name)}
        comparison.check_point(greater, lesser, own)
    except BadCertificate:
        return False
    return True


def allowed_points(
    assumed: Assumed, domains: Domains, make: Callable[[Domains], Iterator[Values]]
) -> Iterator[Values]:
    """Points as `make` gives them for letters with some domains, at which assumptions hold.

    Of the letters that remain once others are eliminated, and those of all that happen to be fine.
    """
    if not assumed:
        yield from make(domains)
        return
    every = {**assumptions.letters_of(assumed), **domains}
    alone = {name: domain for name, domain in every.items() if not moves(name)}
    for steps in islice(assumptions.ways(assumed, frozenset(every)), FEW_WAYS):
        there = assumptions.eliminated(assumed, steps, every)
        for point in make(_remaining(there, every)):
            with suppress(ValueError, ArithmeticError):
                back = _of_all(there, _with_members(assumed, point))
                own = {name: x for name, x in back.items() if name in alone or _is_member(name)}
                comparison.check_allowed(own, alone, assumed)
                yield {name: x for name, x in back.items() if name in every}
    for point in make(every):
        if assumptions.holds_at(assumed, _with_members(assumed, point)):
            yield point


def _is_member(name: str) -> bool:
    """Whether it is e[3], and not e[i]."""
    return naming.read(name).index is not None


def _with_members(assumed: Assumed, point: Values) -> dict[str, Fraction]:
    """A point with values for all members e[1], … of families that assumptions are about: that of e[i]."""
    values = dict(point)
    for over in (
        part
        for assumption in assumed
        for side in (assumption.left, assumption.right)
        for part in side.every("over")
    ):
        count = formulas.at(over.of[2], point).number
        for name in filter(moves, over.letters):
            for j in range(1, int(count or 0) + 1):
                values.setdefault(naming.member(naming.read(name).base, j), point[name])
    return values


def _of_all(eliminated: Eliminated, point: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """A point of the letters that remain as one of all.  Raises ValueError where it is none."""
    values = dict(point)
    for name, value in eliminated.values.items():
        there = formulas.at(value, point).number
        if there is None:
            raise NotAssumed(f"{name} is not rational there")
        values[name] = there
    return values
