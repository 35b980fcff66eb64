"""Room for persons' rows where databases have a limited number of them.

Types of persons are told as if there were room for all rows that they may have.  Where there is less, there
are fewer neighbours, and inputs move no further: bounds hold for all numbers, and what is lost at a type is
lost where the rows fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from dpcompose.kernel.core.assumptions import known_least
from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.core.contributions import Contribution
from dpcompose.kernel.core.settings import Relation, Setting
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.terms import ONE, ZERO, Term, least, number

MANY = 10**30
"""More records than any database is said to have; a universe without a limit has more than twice as many."""
Among = Callable[[Term, Term], Term]
"""In how many parts rows lie, of how many at most that a person has, and how many there are."""
AT_MOST: Sequence[Among] = (least, lambda most, there: most, lambda most, there: there)


def limited(setting: Setting) -> bool:
    """Whether databases are made of rows, and have a largest number of them."""
    return setting.databases.of_rows and setting.databases.size[1] is not None


def fewest_rows(target: Relation) -> int:
    """How many rows a person has in a part, at least; of records one."""
    rows = target.single.rows if isinstance(target.single, Contribution) else ONE
    return int(rows.number or rows.of[1].least)


def of_persons(setting: Setting, among: Among = least) -> Term:
    """How many rows one of two neighbours may have that the other one has not, at most; of records that lie
    in several inputs, how many of these."""
    target, single = setting.target, setting.target.single
    persons = target.times or number(target.steps)
    if not isinstance(single, Contribution) or single.records:
        return persons
    counts = {one.partition: one.count for one in setting.mechanisms if one.partition and one.count}
    parts = [among(single.parts_of(name), count) for name, count in counts.items()]
    if setting.databases.atoms:
        parts.append(among(single.parts, number(len(setting.databases.atoms))))
    return persons * single.rows * sum(parts, ZERO) if parts else ONE


def that_are_full(setting: Setting) -> frozenset[int]:
    """The mechanisms that read everything, beside rows outside of all parts, as many as there is room for."""
    single = setting.target.single
    if not (limited(setting) and setting.databases.outside and isinstance(single, Contribution)):
        return frozenset()
    if single.records:
        return frozenset()
    return frozenset(i for i, one in enumerate(setting.mechanisms, start=1) if one.reads == (None,))


def ends(databases: Databases) -> tuple[Term, Term]:
    """How many records databases have at least and at most, with letters."""
    n = databases.size[1]
    most = number(MANY if n is None else n) if databases.letter is None or n is None else databases.letter
    low = databases.lower if n is not None else databases.letter
    fewest = number(databases.least) if low is None else low
    return (most if databases.size[0] == "exactly" else fewest), most


def _spare(setting: Setting, among: Among = least) -> Term:
    """What is at least 0 where there is room: for all rows, and for sizes to differ by as many."""
    (fewest, most), rows = ends(setting.databases), of_persons(setting, among)
    return most - rows if fewest == most else most - fewest - rows


def are_there(setting: Setting, point: Mapping[str, Fraction]) -> bool:
    """Whether there is room at a point."""
    spare = _spare(setting)
    if not spare.letters.keys() <= point.keys():
        return False
    value = formulas.evaluate(spare, point)
    return value is not None and value >= 0


def are_always_there(setting: Setting) -> bool:
    """Whether there is room for all numbers."""
    spare = (known_least(_spare(setting, among), setting.assumed) for among in AT_MOST)
    return any(known is not None and known >= 0 for known in spare)


def where(setting: Setting) -> list[str]:
    """The relation for there to be room; none where there always is."""
    if are_always_there(setting):
        return []
    fewest, most = ends(setting.databases)
    rows = min((of_persons(setting, among) for among in AT_MOST), key=lambda rows: rows.number is None)
    if rows.number is None:
        rows = of_persons(setting, AT_MOST[1])
    needed = rows if fewest == most else rows + fewest
    return [f"{formulas.to_text(most)} >= {formulas.to_text(needed)}"]


def numbers(setting: Setting, point: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Values for letters of sizes with which there is room at a point that says how many rows there are."""
    databases, rows = setting.databases, of_persons(setting)
    if not rows.letters.keys() <= point.keys():
        return {}
    low = {term.of[0]: Fraction(term.of[1].least) for term in (databases.lower,) if term is not None}
    many = (formulas.evaluate(rows, point) or 0) + sum(low.values(), Fraction(databases.least))
    top = {term.of[0]: term.of[1].least for term in (databases.letter,) if term is not None}
    return low | {name: max(many, Fraction(fewest)) for name, fewest in top.items()}
