"""Classes whose numbers of records are letters: the types at some numbers stand for those at all.

How many records neighbours lose and gain depends on the numbers by whether there is room for as many, and
nothing else of types does.  So what is proved at numbers with the most room holds for all, and what is lost
there is lost wherever there is as much.  Where l to n records may all be n, none comes or goes: that corner
is a class of its own, whose types are held against the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from dpcompose.kernel.core.assumptions import known_least
from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers import room_for_rows
from dpcompose.kernel.covers.room_for_rows import MANY
from dpcompose.kernel.covers.types import Cover, NoCover, undominated_types
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ZERO, Term, number
from dpcompose.kernel.library.theory import Theory

PROCEDURE = "any number of records"


@frozen
class Room:
    """How many records neighbours may lose or gain, and by how many their sizes may differ."""

    changed: int
    apart: int

    def holds(self, other: Room) -> bool:
        """Whether there is as much."""
        return self.changed >= other.changed and self.apart >= other.apart


def room(fewest: int, most: int, records: int, steps: int) -> Room:
    """Of databases with so many records out of a universe, for neighbours so many steps apart.

    Neighbours with a and b records of their own share so many that both have the fewest at least: the smaller
    one has c = max(0, fewest - min(a, b)) others, and a + b + c are in the universe.

    >>> room(2, 5, 4, 9), room(3, 3, 4, 9)
    (Room(changed=2, apart=3), Room(changed=1, apart=0))
    """
    return Room(min(steps, most, records - fewest), min(steps, most - fewest))


def check(setting: Setting) -> None:
    """Raises NoCover where types at the numbers that stand for letters are not those at all others."""
    databases, target = setting.databases, setting.target
    if not databases.letters:
        return
    named = " and ".join(databases.letters)
    if target.any_two and not _are_told(setting):
        raise NoCover(
            f"how far any two databases are apart depends on how many records they have; a number for "
            f"{named} would do"
        )
    if databases.of_places or databases.size[1] is None or room_for_rows.limited(setting):
        return
    least, most = room_for_rows.ends(databases)
    if gap(setting) < 0:
        raise NoCover(f"that {least} <= {most} is to be known: it is a relation to assume")
    if databases.unlimited and max(len(atom.records) for atom in databases.atoms) < _needed(setting):
        raise NoCover("of a universe without a limit as many records are to be told as databases may need")
    first, records = _fewest(least, setting), _records(databases)
    if least == most:
        first = last = max(first, records // 2)
    else:
        last = _most(most, setting)
    if not _room_at_the_numbers(databases, target.steps).holds(room(first, last, records, target.steps)):
        raise NoCover(
            f"databases with the numbers that stand for {named} have no room for all that {target.steps} "
            "steps may change"
        )


def pages(setting: Setting, theory: Theory) -> frozenset[str]:
    """The page of the lemma, where it is used."""
    if not setting.databases.letters:
        return frozenset()
    return frozenset({theory.procedure(PROCEDURE)})


def is_there(setting: Setting, point: Mapping[str, Fraction]) -> bool:
    """Whether all types are those of neighbours in the class of a point's numbers."""
    databases, steps = setting.databases, setting.target.steps
    if room_for_rows.limited(setting):
        return room_for_rows.are_there(setting, point)
    if not databases.letters.keys() <= point.keys():
        return False
    if databases.of_places:
        return all(point[name] >= there for name, there in databases.letters.items())
    return _room_at_the_numbers(databases.at(point), steps).holds(_room_at_the_numbers(databases, steps))


def are_always_there(setting: Setting) -> bool:
    """The same for all numbers."""
    databases, steps = setting.databases, setting.target.steps
    if room_for_rows.limited(setting):
        return room_for_rows.are_always_there(setting)
    if databases.of_places:
        return databases.letter is None or _fewest(databases.letter, setting) >= databases.from_length
    least, most = room_for_rows.ends(databases)
    apart = gap(setting)
    changed = min(_fewest(most, setting), _records(databases) - _most(least, setting))
    return Room(changed, apart).holds(_room_at_the_numbers(databases, steps))


def where(setting: Setting) -> list[str]:
    """The relations between letters for all types to be there; none where they always are."""
    if are_always_there(setting):
        return []
    if room_for_rows.limited(setting):
        return room_for_rows.where(setting)
    databases, (least, most) = setting.databases, room_for_rows.ends(setting.databases)
    here, records = _room_at_the_numbers(databases, setting.target.steps), _records(databases)
    few, found = max(here.changed, databases.from_length), []
    if databases.letter is not None and databases.size[1] is not None:
        few = max(few, here.apart + (databases.least if databases.lower is None else 0))
        found.append(f"{databases.letter} >= {few}")
    if databases.lower is not None and not databases.of_places:
        found.append(f"{most} >= {least} + {here.apart}")
    if least.number is None and records < MANY:
        found.append(f"{least} <= {records - here.changed}")
    return found


def numbers(setting: Setting, point: Mapping[str, Fraction]) -> Mapping[str, Fraction]:
    """Values for letters with which all types are there, where a point says what else depends on them."""
    if room_for_rows.limited(setting):
        return room_for_rows.numbers(setting, point)
    return {name: Fraction(there) for name, there in setting.databases.letters.items()}


def corner(setting: Setting) -> Setting | None:
    """The setting where l to n records are n, if they may be: with a number that has the most room."""
    databases, (least, most) = setting.databases, room_for_rows.ends(setting.databases)
    if not databases.letters or databases.of_places or least == most or gap(setting) > 0:
        return None
    if room_for_rows.limited(setting) and least == ZERO:
        return None
    if room_for_rows.limited(setting):
        raise NoCover(f"that {least} < {most} is to be known of persons' rows: it is a relation to assume")
    n, named = databases.size[1], databases.letter
    if databases.lower is None:
        n, named = databases.least, None
    elif named is not None:
        named = max(least, named, key=lambda one: _fewest(one, setting))  # the one is the other
        n = with_most_room(_fewest(named, setting), setting.target.steps, _records(databases))
    exactly = replace(databases, size=("exactly", n), least=0, lower=None, letter=named)
    return replace(setting, databases=exactly, flat=None)


def check_exceeded(setting: Setting, cover: Cover, at_corner: Cover) -> None:
    """Raises NoCover where neighbours at the corner are of types that no other one exceeds."""
    known = {(type.moves, type.unlimited, type.entries, type.lost) for type in cover.types}
    kept = undominated_types([*cover.types, *at_corner.types])
    if not {(type.moves, type.unlimited, type.entries, type.lost) for type in kept} <= known:
        least, most = room_for_rows.ends(setting.databases)
        raise NoCover(
            f"where {least} = {most} all databases have as many records, and none comes or goes: inputs move "
            f'further there; to assume "{least} < {most}" would do, and a file of size "= {most}" for these'
        )


def with_most_room(fewest: int, steps: int, records: int = MANY) -> int:
    """The number, from the fewest on, with most room for steps where all databases have as many records.

    >>> with_most_room(1, 3), with_most_room(1, 3, 4), with_most_room(3, 1, 4)
    (3, 2, 3)
    """
    return max(fewest, min(steps, records // 2))


def _room_at_the_numbers(databases: Databases, steps: int) -> Room:
    """The room at the numbers that are there."""
    n = databases.size[1]
    most = MANY if n is None else n
    return room(most if databases.size[0] == "exactly" else databases.least, most, _records(databases), steps)


def _are_told(setting: Setting) -> bool:
    """Whether it is told for all numbers how far any two databases are apart: one step, without a limit, or
    as many steps as they have records (`groups.of_any_two`)."""
    databases = setting.databases
    if databases.of_places:
        whole = (mechanism for mechanism in setting.mechanisms if None in mechanism.reads)
        return all(mechanism.stated is not None and mechanism.stated.any_two for mechanism in whole)
    few = databases.least == 0 and databases.lower is None
    return databases.of == "multisets" and (databases.size[1] is None or few)


def gap(setting: Setting) -> int:
    """By how much the largest number of records exceeds the least for sure; below 0: that is not known."""
    if setting.databases.size[1] is None:
        return MANY
    least, most = room_for_rows.ends(setting.databases)
    found = known_least(most - least, setting.assumed)
    return -1 if found is None else found


def _needed(setting: Setting) -> int:
    """How many records the smallest databases have, and those that differ."""
    databases = setting.databases
    word, n = databases.size
    return (n or 0 if word == "exactly" else databases.least) + 2 * setting.target.steps


def _fewest(term: Term, setting: Setting) -> int:
    """The least value of a number."""
    return known_least(term, setting.assumed) or 0


def _most(term: Term, setting: Setting) -> int:
    """The largest value of a number, as far as it is known to have one."""
    found = known_least(number(0) - term, setting.assumed)
    return MANY if found is None else -found


def _records(databases: Databases) -> int:
    """How many records there are, where none is there twice."""
    if databases.of != "sets" or databases.unlimited:
        return 3 * MANY
    return sum(len(atom.records) for atom in databases.atoms)
