"""Coordinates of points in letters that say where in their intervals they lie, also in the order of D and E.

A coordinate in [l, u] is l + (u − l)·t with t in [0, 1]; with one end it is that end and a letter t ≥ 0; in a
disc of diameter w it lies in [−w/2, w/2].  What holds for all values of these letters holds for all points.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from fractions import Fraction
from itertools import product

from dpcompose.kernel.expressions import naming
from dpcompose.kernel.expressions.domains import NONNEGATIVE, Domain
from dpcompose.kernel.expressions.forms import NotAForm
from dpcompose.kernel.expressions.metrics import is_constant
from dpcompose.kernel.expressions.points import Ends, Points, coordinate
from dpcompose.kernel.expressions.substitution import expanded
from dpcompose.kernel.expressions.terms import ONE, ZERO, Term, add, letter, multiply

DATABASES = "DEF"
UNIT = Domain(Fraction(0), greatest=Fraction(1))
"""The numbers from 0 to 1, both among them."""
MOST_ORDERED = 3
"""The most coordinates that are looked at in all orders of D and E."""


def intervals(places: Sequence[Points]) -> Iterator[tuple[str, Ends]]:
    """Every coordinate with the ends of its interval."""
    for part in places:
        for name, ends in zip(part.coordinates, part.box, strict=True):
            yield name, ends if part.disc is None else (-part.disc / 2, part.disc / 2)


def fresh(places: Sequence[Points]) -> set[str]:
    """The names of the letters that say where coordinates lie."""
    names = [name for part in places for name in part.coordinates]
    return {naming.place(name, who) for name in names for who in DATABASES} | {_gap(name) for name in names}


def _gap(name: str) -> str:
    return f"{name}__gap"


def within(places: Sequence[Points]) -> dict[str, Term]:
    """What every coordinate that lies in an interval is, by the name of its letter.

    >>> within([Points(("x", "y"), ((ZERO, None), (None, None)))])
    {'x__D': x__D_t, 'x__E': x__E_t, 'x__F': x__F_t}
    """
    every = [
        (name, ends, who) for name, ends in intervals(places) for who in DATABASES if ends != (None, None)
    ]
    return {naming.at(name, who): position(name, ends, who) for name, ends, who in every}


def position(name: str, ends: Ends, database: str) -> Term:
    low, high = ends
    domain = NONNEGATIVE if low is None or high is None else UNIT
    t = letter(naming.place(name, database), domain)
    if low is not None:
        return low + (t if high is None else (high - low) * t)
    return coordinate(name, database) if high is None else high - t


def orders(places: Sequence[Points], used: Container[str]) -> Iterator[dict[str, Term]]:
    """The same in all orders of D and E: the larger coordinate is the smaller one and something ≥ 0.

    Where both are l + (u − l)·t, that of the larger is t + (1 − t)·g with g in [0, 1].
    used -- the letters of what is compared: of others the order says nothing.
    Raises NotAForm where more than MOST_ORDERED coordinates are used at both.
    """
    both = [
        (name, ends) for name, ends in intervals(places) if all(naming.at(name, who) in used for who in "DE")
    ]
    if len(both) > MOST_ORDERED:
        raise NotAForm(f"more than {MOST_ORDERED} coordinates are not looked at order by order")
    for larger in product("DE", repeat=len(both)):
        terms = within(places)
        for (name, ends), who in zip(both, larger, strict=True):
            other = "E" if who == "D" else "D"
            terms |= _ordered(name, ends, who, other)
        yield terms


def _ordered(name: str, ends: Ends, larger: str, smaller: str) -> dict[str, Term]:
    low, high = ends
    if low is None and high is not None:
        above = position(name, ends, larger)
        return {naming.at(name, smaller): above - letter(_gap(name), NONNEGATIVE)}
    below = position(name, ends, smaller)
    if low is None or high is None:
        return {naming.at(name, larger): below + letter(_gap(name), NONNEGATIVE)}
    left = (1 - letter(naming.place(name, smaller), UNIT)) * letter(_gap(name), UNIT)
    return {naming.at(name, larger): below + (high - low) * left}


def steps(v: Term) -> dict[Term, Term]:
    """v as Σ c_δ·δ, the δ being coordinates at D minus those at E, by δ; {} where it is none.

    >>> x, y = coordinate("x", "D"), coordinate("x", "E")
    >>> steps(2 * x - 2 * y), steps(x + y)
    ({(sum x__D (product -1 x__E)): 2}, {})
    """
    v, terms = expanded(v), dict[Term, Term]()
    for name, domain in sorted(v.letters.items()):
        if (said := naming.read(name)).database == "D":
            x = letter(name, domain)
            terms[x - letter(said.of("E"), domain)] = _coefficient(v, x)
    rest = expanded(v - add(c * delta for delta, c in terms.items()))
    return terms if rest == ZERO and all(map(is_constant, terms.values())) else {}


def _coefficient(v: Term, x: Term) -> Term:
    """What stands beside x in the summands of which it is a factor."""
    some = [summand.factors for summand in v.summands if x in summand.factors]
    return add(multiply([ONE, *(factor for factor in factors if factor != x)]) for factors in some)


def is_short(p: Term) -> bool:
    """Whether a formula is one letter in [0, 1] minus another one: then |p| ≤ 1.

    >>> t, s = letter("t", UNIT), letter("s", UNIT)
    >>> is_short(t - s), is_short(t - 2 * s)
    (True, False)
    """
    ends = [summand.split for summand in p.summands]
    letters = all(term.kind == "letter" and term.of[1] == UNIT for _, term in ends)
    return letters and sorted(c for c, _ in ends) == [-1, 1]
