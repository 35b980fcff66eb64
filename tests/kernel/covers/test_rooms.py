"""What sets and tuples have room for, and what is seen of records that become one: by hand."""

from __future__ import annotations

import pytest

from dpcompose.kernel.core.classes import Atom, Databases
from dpcompose.kernel.core.settings import NOTHING, Relation
from dpcompose.kernel.covers.policies import differences
from dpcompose.kernel.covers.rooms import room
from dpcompose.kernel.covers.seen import Seen

ABC = tuple(Atom((one,)) for one in "abc")


def sets(size: tuple[str, int | None], least: int = 0, atoms: tuple[Atom, ...] = ABC) -> Databases:
    return Databases("policies", "sets", "sets", size, least, atoms=atoms)


def test_a_record_of_a_set_is_there_once() -> None:
    any_size = room(sets(("any", None)))
    assert (
        any_size.differ((0,), (1,)) and not any_size.differ((0, 0), (1,)) and not any_size.differ((0,), (0,))
    )
    assert any_size.pair((0,), (1,)) == (("a",), ("b",))
    both = room(sets(("any", None), atoms=(Atom(("a", "b")), Atom(("c",)))))
    assert both.differ((0,), (0,)) and both.pair((0,), (0,)) == (("a",), ("b",))
    assert not both.differ((0, 0), (0,))


def test_sets_of_one_size_need_others_to_fill_them() -> None:
    of_two = room(sets(("exactly", 2)))
    assert of_two.differ((0,), (1,)) and of_two.pair((0,), (1,)) == (("a", "c"), ("b", "c"))
    assert not of_two.differ((0,), ()) and not of_two.differ((0, 1), (2,))
    assert not room(sets(("exactly", 3))).differ((0,), (1,))  # one set of all records
    assert not room(sets(("any", None), least=3)).differ((0,), (1,))
    at_least = room(sets(("any", None), least=2))
    assert at_least.differ((0,), ()) and at_least.pair((0,), ()) == (("a", "b", "c"), ("b", "c"))


def test_what_is_read_of_a_set_may_have_one_size() -> None:
    some = frozenset({0, 1})
    assert not room(sets(("exactly", 2))).of_one_size(some)  # one record or two
    assert room(sets(("exactly", 3))).of_one_size(some)
    assert not room(sets(("any", None), least=2)).of_one_size(some)
    assert room(sets(("exactly", 2))).usable(frozenset({(NOTHING, 0), (0, 1)}), some) == {
        (NOTHING, 0),
        (0, 1),
    }
    assert room(sets(("exactly", 2))).usable(frozenset({(NOTHING, 0)}), frozenset({0, 1, 2})) == frozenset()


def test_one_record_stands_at_each_place_of_a_tuple() -> None:
    atoms = tuple(Atom((f"{x} at {at}",)) for at in (1, 2) for x in "ab")
    tuples = Databases("policies", "tuples", "tuples", ("exactly", 2), 0, atoms=atoms, places=(0, 0, 1, 1))
    here = room(tuples)
    assert here.differ((0,), (1,)) and here.differ((0, 2), (1, 3)) and here.differ((0, 3), (1, 2))
    assert not here.differ((0,), (3,)) and not here.differ((0, 1), (1, 0)) and not here.differ((0,), ())
    target = Relation(((0, 1), (2, 3)), 2)
    assert set(differences(tuples, target)) == {
        ((0,), (1,)),
        ((2,), (3,)),
        ((0, 2), (1, 3)),
        ((0, 3), (1, 2)),
    }


@pytest.mark.parametrize(
    ("left", "right", "seen"),
    [
        # 1 and 2 become one, 3 is not read, 0 stays as it is
        ((0,), (1,), ((0,), (1,))),
        ((1,), (2,), ((), ())),
        ((1, 1), (2,), ((1,), ())),
        ((0, 2), (3,), ((0, 1), ())),
        ((0,), (0,), ((0,), (0,))),
    ],
)
def test_records_that_become_one_are_no_difference(left: object, right: object, seen: object) -> None:
    assert Seen(frozenset({0, 1, 2}), [(1, 2)]).sides(left, right) == seen  # type: ignore[arg-type]


def test_edges_of_what_is_seen() -> None:
    here = Seen(frozenset({0, 1, 2}), [(1, 2)])
    assert here.contracted([(0, 2), (1, 2), (2, 3), (NOTHING, 3), (0, 0)]) == {(0, 1), (NOTHING, 1), (0, 0)}
    # from 1 nothing leads to what 0 is seen as, from 2, which is seen as 1 is, a step does
    assert here.stuck([(0, 2)]) == (1, 0)
    assert here.stuck([(0, 2), (0, 1)]) is None
    assert here.stuck([(0, 2), (0, 1), (NOTHING, 2)]) == (1, NOTHING)
    assert here.stuck([(1, 2), (0, 0)]) is None  # what is seen stays as it is
    assert here.among([(0, 1), (0, 2), (1, 1), (NOTHING, 1), (1, 3), (0, 0)]) == {
        (0, 1),
        (NOTHING, 1),
        (0, 0),
    }
