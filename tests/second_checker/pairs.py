"""Any two databases of a product, in cases: of each part how they differ, by letters (shapes/pairs.md).

Of points, which of two coordinates is the larger one, and by how much; of multisets how many records of each
atom only D has, and only E; listed databases are gone through.  The cases are all pairs, and perhaps some more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

from second_checker import assumptions
from second_checker.algebra import Algebra
from second_checker.forms import ZERO, Form, add, letter, letters, minus, number, scale
from second_checker.outcomes import NotRead, demand
from second_checker.rewriting import rewritten

MOST = 2_000
Counts = list[tuple[Form, Form]]


@dataclass
class Case:
    """Two databases: their letters, and what is ≥ 0 of these.

    at -- the coordinates; same -- the parts in which both are equal; counts -- of multisets how many records
    of each atom only D has, and only E; equal -- the sets of atoms of which both have as many records, or not;
    listed -- numbers of databases; near -- of distances with a radius, whether they are within it; inside --
    what else is ≥ 0 of points of the class.
    """

    domains: dict[str, Any] = field(default_factory=dict)
    facts: list[Form] = field(default_factory=list)
    at: dict[str, Form] = field(default_factory=dict)
    same: frozenset[str] = frozenset()
    counts: dict[str, Counts] = field(default_factory=dict)
    equal: dict[tuple[str, frozenset[int]], bool] = field(default_factory=dict)
    listed: dict[str, tuple[int, int]] = field(default_factory=dict)
    near: dict[str, bool] = field(default_factory=dict)
    inside: list[Form] = field(default_factory=list)

    def together(self, other: Case) -> Case:
        """Two parts of one case."""
        return Case(
            self.domains | other.domains,
            self.facts + other.facts,
            self.at | other.at,
            self.same | other.same,
            self.counts | other.counts,
            self.equal | other.equal,
            self.listed | other.listed,
            self.near | other.near,
            self.inside + other.inside,
        )

    def algebra(self, parameters: Mapping[str, Any], core: Any) -> Algebra:
        """Formulas in the letters of the case."""
        algebra = Algebra({**parameters, **self.domains})
        algebra.assumed = assumptions.known(core, algebra)
        return algebra


def cases(core: Any, sizes: set[tuple[str, frozenset[int]]], near: list[str]) -> list[Case]:
    """All cases; sizes -- sets of atoms of which it matters whether both databases have as many records."""
    parts = core["databases"]["parts"]
    every = [list(of_part(name, part, sizes, core["parameters"])) for name, part in parts.items()]
    every.append(
        [Case(near=dict(zip(near, ways, strict=True))) for ways in product((True, False), repeat=len(near))]
    )
    found = []
    for chosen in product(*every):
        whole = Case()
        for one in chosen:
            whole = whole.together(one)
        found.append(whole)
        if len(found) > MOST:
            raise NotRead("metrics", "very many cases")
    return found


def of_part(name: str, part: Any, sizes: set[tuple[str, frozenset[int]]], parameters: Any) -> Iterator[Case]:
    """The cases of a part."""
    kind = part["kind"]
    if kind == "points":
        yield from of_points(name, part, parameters)
    elif kind == "records":
        yield from of_records(name, part, {atoms for of, atoms in sizes if of == name})
    elif kind == "listed":
        many = range(part["count"])
        for x, y in product(many, many):
            yield Case(listed={name: (x, y)}, same=frozenset([name] if x == y else []))
    else:
        raise NotRead("metrics", f"parts of kind {kind}")


# -- points ----------------------------------------------------------------------------------------------


def of_points(name: str, part: Any, parameters: Any) -> Iterator[Case]:
    """Equal points, and others by the order of each coordinate."""
    demand(set(part) <= {"kind", "shown", "coordinates", "box", "disc"}, "points with other entries")
    own, box = part["coordinates"], part["box"]
    demand(len(set(own)) == len(own) == len(box), "a box with other sides")
    for ways in [None, *product((True, False), repeat=len(own))]:
        case = Case(same=frozenset([name] if ways is None else []))
        for n, (x, ends) in enumerate(zip(own, box, strict=True)):
            case = case.together(of_coordinate(x, ends, None if ways is None else ways[n], parameters))
        if "disc" in part:
            demand(box == [[None, None]] * 2, "a disc of the plane")
            in_disc(case, own, part["disc"], parameters)
        yield case


def of_coordinate(x: str, ends: Any, larger: bool | None, parameters: Any) -> Case:
    """A coordinate of two points, of which that of D is the larger one, or the smaller one; None: both are equal."""
    low, gap = letter(f"{x}__low"), letter(f"{x}__gap")
    high = low if larger is None else add(low, gap)
    at = {f"{x}__D": low, f"{x}__E": high} if not larger else {f"{x}__D": high, f"{x}__E": low}
    domains = {f"{x}__low": "real"} | ({} if larger is None else {f"{x}__gap": "nonnegative"})
    algebra = Algebra({**parameters, **domains})
    facts = [] if ends[0] is None else [minus(low, algebra.read(ends[0]))]
    facts += [] if ends[1] is None else [minus(algebra.read(ends[1]), high)]
    return Case(domains, facts, at)


def in_disc(case: Case, own: list[str], width: Any, parameters: Any) -> None:
    """Both points lie in a disc around the origin: so they are at most a diameter apart."""
    algebra = Algebra({**parameters, **case.domains})
    wide = algebra.read(width)
    demand(algebra.sign(wide) >= 1, "the diameter of a disc")
    gaps = [letter(f"{x}__gap") for x in own if f"{x}__gap" in case.domains]
    if gaps:
        far = algebra.power(add(*(algebra.times(x, x) for x in gaps)), Fraction(1, 2))
        case.facts += [minus(wide, far), *(minus(wide, x) for x in gaps)]
    for who in "DE":
        squares = (algebra.times(case.at[f"{x}__{who}"], case.at[f"{x}__{who}"]) for x in own)
        case.inside.append(minus(scale(algebra.times(wide, wide), Fraction(1, 4)), add(*squares)))


# -- records ---------------------------------------------------------------------------------------------


def of_records(name: str, part: Any, sizes: set[frozenset[int]]) -> Iterator[Case]:
    """Equal multisets, and others by how many records of each atom only one has."""
    plain = part["of"] == "multisets" and part["size"] == ["any", None] and "least" not in part
    if not plain or "letter" in part:
        raise NotRead("metrics", "multisets of limited size, or sequences")
    every = range(len(part["atoms"]))
    none = dict.fromkeys([(name, atoms) for atoms in sizes], True)
    yield Case(same=frozenset([name]), counts={name: [(ZERO, ZERO)] * len(every)}, equal=none)
    names = [(f"{name}__only_D_{n}", f"{name}__only_E_{n}") for n in every]
    domains = dict.fromkeys([x for both in names for x in both], "integer >= 0")
    counts = [(letter(a), letter(b)) for a, b in names]
    whole = minus(add(*(x for both in counts for x in both)), number(1))
    for ways in product((True, False), repeat=len(sizes)):
        facts = [whole]
        for atoms, equal in zip(sizes, ways, strict=True):
            more = minus(*(add(*(counts[n][side] for n in atoms)) for side in (0, 1)))
            facts += [more, scale(more, -1)] if equal else []
        told = {(name, atoms): equal for atoms, equal in zip(sizes, ways, strict=True)}
        yield Case(domains, facts, counts={name: counts}, equal=told)


# -- formulas --------------------------------------------------------------------------------------------


def simple(algebra: Algebra, form: Form) -> Form:
    """The form without those members of maxima that are seen to be at most other ones."""

    def without(a: Any) -> Form | None:
        if a[0] != "top" or a[1] != 1:
            return None
        kept: list[Form] = []
        for x in [simple(algebra, x) for x, _ in a[2]]:
            if not any(algebra.sign(minus(y, x)) >= 1 for y in kept):
                kept = [y for y in kept if algebra.sign(minus(x, y)) < 1] + [x]
        return algebra.top(1, kept)

    return rewritten(algebra, form, without)


def limit(algebra: Algebra, form: Form, endless: set[str]) -> Form | None:
    """A formula where some letters are ∞, which it never falls with; None for ∞.  A number times ∞ is ∞."""
    total = []
    for monomial, factor in form:
        own = frozenset([(monomial, factor)])
        if not letters(own) & endless:
            total.append(own)
            continue
        inside = [
            (a, p) for a, p in monomial if letters(frozenset([(frozenset([(a, p)]), Fraction(1))])) & endless
        ]
        if len(inside) != 1:
            raise NotRead("metrics", "products of what is infinite")
        ((a, p),) = inside
        if a[0] == "top" and a[1] == p == 1 and factor < 0:
            values = [limit(algebra, scale(x, -1), endless) for x, _ in a[2]]
            least = [scale(x, -1) for x in values if x is not None]
            rest = frozenset([(monomial - {(a, p)}, factor)])
            demand(algebra.sign(scale(rest, -1)) >= 1, "a minimum that is subtracted")
            if not least:
                return None
            total.append(algebra.times(rest, algebra.top(1, least)))
        elif factor > 0 and p > 0 and is_endless(algebra, a, endless) and of_numbers(monomial - {(a, p)}):
            return None
        else:
            raise NotRead("metrics", "a formula of what is infinite")
    return add(*total)


def is_endless(algebra: Algebra, a: Any, endless: set[str]) -> bool:
    """Whether an atom is ∞ where some letters are."""
    if a[0] == "letter":
        return a[1] in endless
    if a[0] == "top":
        return a[1] == 1 and any(limit(algebra, x, endless) is None for x, _ in a[2])
    return a[0] == "sum" and limit(algebra, a[1], endless) is None


def of_numbers(monomial: Any) -> bool:
    """Whether no distance stands in a monomial."""
    return not any(name.startswith("d__") for name in letters(frozenset([(monomial, Fraction(1))])))


__all__ = ["Case", "cases", "limit", "simple"]
