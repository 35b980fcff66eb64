"""Two databases of a product from values of their letters: whether they are there, in the case of a type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from dpcompose.kernel.core import assumptions
from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers.products import Products
from dpcompose.kernel.covers.types import NoCover, Pair, Type, Where
from dpcompose.kernel.expressions import formulas, naming, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.points import Points
from dpcompose.kernel.library.theory import Theory


class NotThere(NoCover):
    """There are no such databases, or parameters; the message says why."""


def checked(
    setting: Setting, theory: Theory, type: Type, point: Mapping[str, Fraction]
) -> dict[str, Fraction]:
    """The point, with all coordinates, once its parameters are allowed and its databases are in the class and
    in the case of a type.  Raises NotThere."""
    where = type.where
    if where is None:
        raise NotThere("the type is not one of any two databases of a product")
    if any(isinstance(part, Databases) and part.only_steps for _, part in setting.databases.parts):
        raise NotThere("of databases of which nothing is told it is not known that there are some")
    letters = _letters(setting, where)
    full = {name: Fraction(0) for name in letters} | dict(point)
    for part in _same(setting, where):
        full |= {naming.at(x, "E"): full[naming.at(x, "D")] for x in part.coordinates}
    if wrong := [name for name, value in point.items() if full[name] != value]:
        raise NotThere(f"{wrong[0]} is another one where the databases are equal in that part")
    domains = dict(setting.parameters) | letters
    for name, value in full.items():
        domain = domains.get(name, domains.get(naming.general(naming.read(name).base)))
        if domain is None or terms.moves(name) or not domain.contains(value):
            raise NotThere(f"{name} = {value} is not allowed")
    if missing := [name for name, _ in setting.parameters if name not in full and not terms.moves(name)]:
        raise NotThere(f"there is no value for {missing[0]}")
    try:
        assumptions.check_at(setting.assumed, full)
    except assumptions.NotAssumed as error:
        raise NotThere(str(error)) from None
    for who in "DE":
        for part in setting.databases.points:
            if not all(sign(formulas.at(term, full)) in (0, 1) for term in part.inside(who)):
                raise NotThere("a point is not seen to be one of the class")
    for differences, differ in where.differences:
        signs = [sign(formulas.at(difference, full)) for difference in differences]
        if None in signs or any(signs) != differ:
            raise NotThere("what differs there is not what differs in this case")
    for near in where.near:
        less = None if near.far.kind == "oo" else sign(formulas.at(near.radius - near.far, full))
        if less not in ((0, 1) if near.inside else (-1,)) and near.far.kind != "oo":
            raise NotThere("the databases are not seen to be as near there, or as far, as in this case")
    list(records(setting, theory, where, full))
    for parts in where.apart:
        if not any(_differs(setting, where, part, full) for part in parts):
            raise NotThere("the databases are equal there in parts that differ in this case")
    return full


def _differs(setting: Setting, where: Where, name: str, point: Mapping[str, Fraction]) -> bool:
    """Whether two databases differ in a part."""
    part = dict(setting.databases.parts)[name]
    if isinstance(part, Points):
        return any(point[naming.at(x, "D")] != point[naming.at(x, "E")] for x in part.coordinates)
    if name in dict(where.listed):
        return len({*dict(where.listed)[name]}) > 1
    return any(formulas.evaluate(term, point) for both in dict(where.counts)[name] for term in both)


def _letters(setting: Setting, where: Where) -> dict[str, Domain]:
    """The letters of two databases, with their values."""
    domains = {
        name: letter.of[1] for part in setting.databases.points for name, letter in part.letters().items()
    }
    for _, counts in where.counts:
        domains |= {name: domain for both in counts for term in both for name, domain in term.letters.items()}
    return domains


def _same(setting: Setting, where: Where) -> list[Points]:
    """The points in which two databases are equal."""
    return [one for name, one in setting.databases.parts if name in where.same and isinstance(one, Points)]


def records(
    setting: Setting, theory: Theory, where: Where, point: Mapping[str, Fraction]
) -> Iterator[tuple[str, Pair]]:
    """The parts of records with the two databases at a point.  Raises NotThere."""
    told = Products(setting, theory, [name for name, _ in where.distances]).counts
    for name, counts in where.counts:
        numbers = [tuple(formulas.evaluate(term, point) for term in both) for both in counts]
        whole = [(int(a), int(b)) for a, b in numbers if a is not None and b is not None]
        try:
            yield name, told[name].databases(whole)
        except NoCover as error:
            raise NotThere(str(error)) from None
