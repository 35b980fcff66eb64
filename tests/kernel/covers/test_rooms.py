"""What sets and tuples have room for, and what is seen of records that become one: by hand."""

from __future__ import annotations

from typing import Any

import pytest

from dpcompose.kernel.core.classes import Atom, Databases
from dpcompose.kernel.core.settings import NOTHING, Relation
from dpcompose.kernel.covers import policies, rooms
from dpcompose.kernel.covers.policies import differences
from dpcompose.kernel.covers.rooms import room
from dpcompose.kernel.covers.seen import Seen
from dpcompose.kernel.covers.types import NoCover

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


# universes of which it is not said which one it is


def shown(some: Any) -> list[str]:
    return ["".join(map(str, sorted(one))) for one in some]


def placed() -> Any:
    """Three records with a copy at each of two places, 0 and 1, 2 and 3, 4 and 5, and a record 6 that is there
    where 0 is; all that lie at a place are beside one another."""
    beside = [[2, 4, 6], [3, 5], [0, 4], [1, 5], [0, 2], [1, 3], []]
    return room(_policies(7, beside=tuple(map(tuple, beside)), copies=((0, 1), (2, 3), (4, 5))))


def _policies(count: int, **more: Any) -> Databases:
    return Databases("policies", "", atoms=tuple(Atom((f"r{n}",)) for n in range(count)), **more)


def test_what_is_there_where_some_atoms_are() -> None:
    here = placed()
    assert shown([here.around([0]), here.around([1]), here.around([6]), here.around([])]) == [
        "0246",
        "135",
        "6",
        "",
    ]
    chain = room(_policies(4, beside=((1,), (2,), (), ())))
    assert shown([chain.around([0]), chain.around([1, 3])]) == ["012", "123"]


def test_in_which_ways_records_lie_at_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that steps lead to lie at either place, or all at one, or all but one of them."""
    here, every = placed(), frozenset(range(7))
    ends = frozenset({0})
    assert shown(here.universes(ends, every)) == ["024", "025", "034", "035"]
    assert shown(here.universes(ends, frozenset({0, 2}))) == ["02", "03"] and shown(
        here.universes(ends, frozenset({0}))
    ) == ["0"]
    assert shown(here.universes(frozenset({0, 3, 4}), every)) == ["034"]
    assert shown(here.gathered(ends, every)) == ["024", "035"]
    assert shown(here.gathered(ends, frozenset({2, 3}))) == ["02", "03"]
    assert sorted(shown(here.gathered_but_one(ends, every))) == ["025", "025", "034", "034"]
    monkeypatch.setattr(rooms, "MOST_UNIVERSES", 4)
    assert len([*here.universes(ends, every)]) == 4
    monkeypatch.setattr(rooms, "MOST_UNIVERSES", 3)
    with pytest.raises(NoCover, match="depend on how 2 records lie among the parts"):
        [*here.universes(ends, every)]


def test_copies_of_one_record_are_not_there_at_once() -> None:
    here = placed()
    assert here.differ((0,), (2,)) and here.differ((0,), ()) and here.differ((0, 0), (3,))
    assert not here.differ((0,), (1,)) and not here.differ((0, 1), ()) and not here.differ((0,), (2, 3))
    assert not here.differ((0,), (0,))


def test_of_multisets_of_one_size_none_comes_or_goes() -> None:
    edges, some = frozenset({(0, 1), (NOTHING, 1)}), frozenset({0, 1})
    for size, inside, usable in (
        (("any", None), some, edges),
        (("at most", 3), some, edges),
        (("at most", 0), some, frozenset()),
        (("exactly", 3), some, frozenset({(0, 1)})),
        (("exactly", 3), frozenset({0}), edges),
        (("exactly", 0), frozenset({0}), frozenset()),
    ):
        here = room(_policies(2, size=size))
        assert here.usable(edges, inside) == usable and here.groups_pushed == (size[1] is None)


@pytest.mark.parametrize(
    ("edges", "steps", "size", "differ"),
    [
        ([(0, 1)], 1, ("any", None), ["0-1"]),
        ([(0, 1), (NOTHING, 0)], 1, ("any", None), ["0-1", "0-"]),
        ([(0, 1), (NOTHING, 0)], 1, ("exactly", 2), ["0-1"]),
        ([(0, 1), (1, 2)], 1, ("any", None), ["0-1", "1-2"]),
        ([(0, 1), (1, 2)], 2, ("any", None), ["0-1", "0-2", "1-2", "00-11", "02-11", "11-22"]),
        ([(0, 1)], 2, ("any", None), ["0-1", "00-11"]),
        ([(0, 1)], 2, ("exactly", 1), ["0-1"]),
        ([(0, 0)], 1, ("any", None), []),
        ([(NOTHING, 0)], 2, ("any", None), ["0-", "00-"]),
    ],
)  # fmt: skip
def test_in_what_neighbours_differ(edges: Any, steps: int, size: Any, differ: list[str]) -> None:
    """Matched pairs, each by a shortest way, of which all together have so many steps; one way round of two."""
    found = differences(_policies(3, size=size), Relation(tuple(edges), steps))
    both = [frozenset("".join(map(str, side)) for side in sides) for sides in found]
    assert len({*both}) == len(both) and {*both} == {frozenset(one.split("-")) for one in differ}


def test_groups_of_a_policy_that_differ_in_too_many_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two matched pairs two at once: four ways, times the records that are shared."""
    target, databases = Relation(((0, 1),), 2), _policies(2)
    assert [*differences(databases, target, 4)]
    with pytest.raises(NoCover, match="records may differ in too many ways"):
        [*differences(databases, target, 3)]
    shared = _policies(2, size=("any", None), least=3)
    assert [*differences(shared, target, 12)]
    with pytest.raises(NoCover, match="records may differ in too many ways"):
        [*differences(shared, target, 11)]
    monkeypatch.setattr(policies, "MOST_STEPS", 2)
    assert [*differences(databases, target)]
    with pytest.raises(NoCover, match="groups of more than 2 steps"):
        [*differences(databases, Relation(((0, 1),), 3))]


def test_a_tuple_has_another_record_at_a_place() -> None:
    atoms = (Atom(("x", "x'")), Atom(("y",)))
    here = room(Databases("policies", "tuples", "tuples", ("exactly", 1), 0, atoms=atoms, places=(0, 0)))
    assert here.differ((0,), (0,)) and not here.differ((1,), (1,))
    assert here.pair((0,), (0,)) == (("x",), ("x'",)) and here.pair((1,), (0,)) == (("y",), ("x",))
