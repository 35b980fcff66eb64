"""Letters for numbers of records, by hand: which numbers have room, and the corner where none comes or goes."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import core_records
import pytest
import told
from core_records import ANY, B, U
from kernel.covers.test_room_for_rows import setting as of_rows

from dpcompose.kernel.core import reading
from dpcompose.kernel.core.settings import Relation, Setting
from dpcompose.kernel.covers import sizes
from dpcompose.kernel.covers.records import Records
from dpcompose.kernel.covers.types import NoCover

LETTERS = {"n": "integer >= 5", "k": "integer >= 1", "z": "integer >= 0"}
ATOMS = [["a", "a'"], ["b"]]


def setting(target: Any = U, assumed: Any = (), **databases: Any) -> Setting:
    made = core_records.setting(target, ([0], target), parameters=LETTERS, **{"atoms": ATOMS} | databases)
    return reading.read(made.data() | {"assumed": [*assumed]})


BETWEEN = {"size": ["at most", 9], "letter": "n", "lower": "k", "least": 1}
RISES, MAY_BE_EQUAL = [["k", "<", "n"]], [["k", "<=", "n"]]


def corner(made: Setting) -> Any:
    found = sizes.corner(made)
    if found is None:
        return None
    there = found.databases
    return (
        there.size,
        there.least,
        there.lower,
        None if there.letter is None else there.letter.of[0],
        found.flat,
    )


def test_the_corner_where_all_databases_have_as_many_records() -> None:
    assert corner(setting(size=["at most", 9])) is None  # no letters
    assert corner(setting(B, size=["exactly", 9], letter="n")) is None  # there are no others
    assert corner(setting(size=["at most", 9], letter="k")) is None  # 0 to k, which is 1 at least
    assert corner(setting(size=["at most", 9], letter="z")) == (("exactly", 0), 0, None, None, None)
    assert corner(setting(assumed=RISES, **BETWEEN)) is None
    assert corner(setting(assumed=MAY_BE_EQUAL, **BETWEEN)) == (("exactly", 5), 0, None, "n", None)
    many = setting(U | {"steps": 7}, assumed=MAY_BE_EQUAL, **BETWEEN)
    assert corner(many) == (("exactly", 7), 0, None, "n", None)
    fixed = {"size": ["at most", 9], "lower": "k", "least": 1}
    assert corner(setting(assumed=[["k", "<=", "9"]], **fixed)) == (("exactly", 9), 0, None, None, None)


def test_a_number_that_is_not_known_to_be_the_larger_one_is_refused() -> None:
    with pytest.raises(NoCover, match="that k <= n is to be known"):
        sizes.check(setting(**BETWEEN))
    sizes.check(setting(assumed=MAY_BE_EQUAL, **BETWEEN))
    assert sizes.gap(setting(**BETWEEN)) == -1 and sizes.gap(setting(assumed=RISES, **BETWEEN)) == 1
    assert sizes.gap(setting(size=["at most", 9], least=2)) == 7 and sizes.gap(setting()) == sizes.MANY


def test_what_has_no_corner_of_persons_rows() -> None:
    """From 0 on rows may come; of l to n it has to be known that some may."""
    limited = {"size": ("at most", 9), "letter": "n"}
    assert sizes.corner(of_rows(U, **limited)) is None
    with pytest.raises(NoCover, match="that l < n is to be known of persons' rows"):
        sizes.corner(of_rows(U, lower="l", least=1, assumed=[["l", "<=", "n"]], **limited))
    assert sizes.corner(of_rows(U, lower="l", least=1, assumed=[["l", "<", "n"]], **limited)) is None


def test_room_is_asked_where_numbers_stand_for_letters() -> None:
    """Four steps need room for four records; of persons' rows, and of any number of records, it is told elsewhere."""
    four = U | {"steps": 4}
    sizes.check(setting(four, size=["at most", 4], letter="k"))
    with pytest.raises(NoCover, match="no room for all that 4 steps may change"):
        sizes.check(setting(four, size=["at most", 3], letter="k"))
    sizes.check(of_rows(four, size=("at most", 3), letter="n"))
    sizes.check(setting(four, letter="k", least=1))
    sets = {"kind": "policies", "of": "sets", "atoms": [["a"], ["b"]], "unlimited": True}
    path = {"single": [[0, 1]], "steps": 4}
    sizes.check(setting(path, letter="k", least=1, **sets))
    with pytest.raises(NoCover, match="as many records are to be told as databases may need"):
        sizes.check(setting(path, size=["exactly", 4], letter="k", **sets))


def test_any_two_databases_of_any_length_are_told_where_all_is_one_step() -> None:
    """Of tuples who reads everything is to be stated for any two; of multisets it is told by their sizes."""
    tuples = {
        "kind": "policies",
        "of": "tuples",
        "size": ["exactly", 1],
        "places": [0, 0],
        "from": 1,
        "letter": "k",
    }
    for stated, fine in ((ANY, True), ({"single": [[0, 1]], "steps": 1}, False)):
        made = core_records.setting(ANY, (None, stated), ([0], {"single": [[0, 1]], "steps": 1}), parameters=LETTERS, atoms=ATOMS, **tuples)  # fmt: skip
        if fine:
            sizes.check(made)
            continue
        with pytest.raises(NoCover, match="a number for k would do"):
            sizes.check(made)
    sizes.check(setting(ANY, size=["at most", 9], letter="k"))
    for more in ({"least": 1, "letter": "n"}, {"least": 1, "letter": "n", "lower": "k"}):
        with pytest.raises(NoCover, match="depends on how many records they have"):
            sizes.check(setting(ANY, size=["at most", 9], **more))


def test_where_all_types_are_there() -> None:
    """Where four more may come, and four go, whatever the least number is."""
    four = U | {"steps": 4}
    wide = setting(four, assumed=[["n", ">=", "k + 4"]], **BETWEEN)
    assert sizes.are_always_there(wide) and sizes.where(wide) == []
    near = setting(four, assumed=[["n", ">=", "k + 3"]], **BETWEEN)
    assert not sizes.are_always_there(near) and sizes.where(near) == ["n >= 4", "n >= k + 4"]
    assert sizes.numbers(near, {}) == {"n": 9, "k": 1}
    at = {"n": Fraction(6), "k": Fraction(2)}
    assert sizes.is_there(near, at) and not sizes.is_there(near, at | {"k": Fraction(3)})
    assert not sizes.is_there(near, {"n": Fraction(6)})


@pytest.mark.parametrize("records, room", [(9, (2, 3)), (4, (2, 3)), (3, (1, 3)), (2, (0, 3))])
def test_room_out_of_a_universe(records: int, room: tuple[int, int]) -> None:
    """Two to five records, two steps: as many others have to be there."""
    found = sizes.room(2, 5, records, 2)
    assert (found.changed, found.apart) == (room[0], min(2, room[1]))
    assert sizes.Room(2, 1).holds(sizes.Room(2, 1)) and sizes.Room(3, 2).holds(sizes.Room(2, 1))
    assert not sizes.Room(1, 2).holds(sizes.Room(2, 1)) and not sizes.Room(2, 0).holds(sizes.Room(2, 1))


# groups that are pushed forward to what is read


@pytest.mark.parametrize(("room", "steps"), [*product((1, 2, 3), (2, 3, 4))])
def test_groups_that_are_pushed_forward(room: int, steps: int) -> None:
    """One group removes x and adds y of what is read where x + y, and by how much they differ more than sizes may,
    are at most its steps; the fewest groups are gone through."""
    stated = U | {"steps": steps}
    made = core_records.setting(U, ([0], stated), atoms=ATOMS, size=["at most", 5 + room], least=5)
    pushed = Records(made, told.THEORY).pushed("M1", Relation(((0, 1), (1, 0)), steps))
    once = [
        one
        for one in product(range(steps + 1), repeat=2)
        if sum(one) + max(0, abs(one[0] - one[1]) - room) <= steps
    ]
    reached, count = {(0, 0)}, 0
    fewest: dict[tuple[int, int], int] = {}
    while len(fewest) < 25:
        for x, y in product(range(5), repeat=2):
            if any(x <= a and y <= b for a, b in reached):
                fewest.setdefault((x, y), count)
        reached, count = {(min(a + x, 5), min(b + y, 5)) for a, b in reached for x, y in once}, count + 1
    assert {(x, y): pushed.at(x, y).number for x, y in fewest} == fewest
