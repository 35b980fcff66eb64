"""Covers of groups of any number of steps, by hand; and where m times a single step would be wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import core_records
import pytest
import told
from core_records import ANY, B, U, moves

from dpcompose.kernel import covers
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.settings import Relation
from dpcompose.kernel.covers import groups
from dpcompose.kernel.covers.types import Cover, NoCover, Type
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, largest, least, letter, number


def cover(target: Any, *mechanisms: tuple[Any, Any], **databases: Any) -> Cover:
    parameters = {name: "integer >= 1" for name in "mn"}
    base = {"atoms": [["a", "a'"], ["b", "b'"], ["c", "c'"]]} | databases
    made = core_records.setting(target, *mechanisms, parameters=parameters, **base)
    return covers.cover(made, told.THEORY)


def times(relation: dict[str, Any], m: str = "m") -> dict[str, Any]:
    return relation | {"times": m}


def test_every_distance_is_m_times_as_large() -> None:
    assert moves(cover(times(U), ([0], U), ([1], U))) == {"1:m", "2:m"}
    two = letter("m", reading.read(_plain()).symbols["m"].of[1]) * 2
    assert moves(cover(times(B), ([0], U))) == {f"1:{two!r}"}
    assert moves(cover(times(U), ([0], B))) == {"1:oo"}


def _plain() -> dict[str, Any]:
    one = {"name": "M", "reads": [None], "stated": U, "domain": "own", "notion": "pure", "values": {}}
    base = {"kind": "records", "shown": "", "of": "multisets", "size": ["any", None], "atoms": [["a"]]}
    return {"parameters": {"m": "integer >= 1"}, "databases": base, "target": U, "mechanisms": [one]}


M, N = (letter(name, Domain.read("integer >= 1")) for name in "mn")
TWO, TWICE = 2 * M, 2 * N


def test_losses_have_to_be_convex_but_where_all_steps_move_as_far() -> None:
    """m steps are some in each part; of everything they are m, whichever they are."""
    assert cover(times(U), ([0], U), ([1], U)).convex == {1, 2}
    assert cover(times(U), ([0], U), ([1], U), (None, U)).convex == {1, 2}
    found = cover(times(U), (None, ANY), (None, times(U)), ([1], U))
    assert moves(found) == {"1:1 2:1 3:m"} and found.convex == frozenset()


def test_m_steps_may_move_m_readers_of_parts_by_one_each() -> None:
    """Any two databases are one step apart: then m steps move m mechanisms, and not one of them m times as far."""
    for stated in (ANY, times(U)):
        with pytest.raises(NoCover, match="state it for single steps"):
            cover(times(U), ([0], stated), ([1], stated))


def family(stated: Any, *more: dict[str, Any], target: Any = None) -> Cover:
    """The cover of a family on k parts, and of others on the same parts, for groups of m steps."""
    one = {
        "domain": "own",
        "notion": "pure",
        "values": {},
        "reads": [[0], [1]],
        "count": "k",
        "partition": "P",
    }
    core = {
        "parameters": {"m": "integer >= 1", "k": "integer >= 1"},
        "databases": _plain()["databases"] | {"atoms": [["a", "a'"], ["b", "b'"], ["c", "c'"]]},
        "target": target or times(U),
        "mechanisms": [one | {"name": "F", "stated": stated}, *({**one, **other} for other in more)],
    }
    return covers.cover(reading.read(core), told.THEORY)


def test_m_steps_may_move_m_members_of_a_family_once_each() -> None:
    """m records in m parts: each part differs, which is one step where any two inputs are.

    Counted in single steps the one part with all m records is the worst, if losses are convex."""
    for stated in (ANY, times(U)):
        found = family(stated)
        assert [type.moves for type in found.types] == [((1, ((M, ONE),)),)] and not found.convex
    found = family(U)
    assert [type.moves for type in found.types] == [((1, ((1, M),)),)] and found.convex == {1}


def test_members_that_move_once_each_beside_some_that_move_further_are_refused() -> None:
    """Which records lie in one part, and which in other ones each, is not said by one type; and of a number
    of steps the parts are not written down."""
    with pytest.raises(NoCover, match="another member of F"):
        family(ANY, {"name": "G", "stated": U})
    with pytest.raises(NoCover, match="state it for single steps"):
        family(times(U), target=times(B))  # one step is two in one part, or one in each of two
    with pytest.raises(NoCover, match="another member of F"):
        family(ANY, target=U | {"steps": 90})


def test_what_is_not_m_times_as_far_is_refused() -> None:
    with pytest.raises(NoCover, match=r"18 times the same step do not fit.*too many to go through"):
        cover(times(U), ([0], ANY), size=["at most", 9])
    with pytest.raises(NoCover, match="groups of any number of steps; state it for single steps"):
        cover(times(B), ([0, 1, 2], times(B)), size=["exactly", 30])  # 30 steps are less than one of 40
    with pytest.raises(NoCover, match="another number of steps"):
        cover(times(U), (None, times(U, "n")))
    with pytest.raises(NoCover, match="stated for groups of 2"):
        cover(times(U), ([0], U | {"steps": 2}))
    with pytest.raises(NoCover, match="a target for groups of as many would do"):
        cover(U | {"steps": 2}, (None, times(U)))


def test_fewer_groups_of_more_steps() -> None:
    """One step is one group of m, whatever m is; what no steps lead to is no nearer for any."""
    assert moves(cover(U, (None, times(U)), ([1], B))) == {"1:1 2:oo"}
    assert moves(cover(ANY, (None, times(U)), (None, ANY))) == {"1:oo 2:1"}
    assert cover(ANY, (None, times(U))).types[0].unlimited == {1}


def test_a_part_is_one_step_from_any_other() -> None:
    assert moves(cover(times(B), ([0], ANY), (None, U))) in ({f"1:1 2:{TWO!r}"}, {f"2:{TWO!r} 1:1"})
    assert moves(cover(times(U), ([0, 1, 2], ANY))) == {"1:1"}


def test_databases_of_so_many_records_are_no_more_steps_apart() -> None:
    """All of n records may be replaced by n steps of which each is one; by 2n they go and others come."""
    far = least(M, number(30))
    assert moves(cover(times(B), (None, B), size=["exactly", 30])) == {f"1:{far!r}"}
    assert moves(cover(times(B), (None, B), size=["exactly", 1], letter="n")) == {f"1:{least(M, N)!r}"}
    both = {"single": [[1, 1], [0, 1]], "steps": 1}
    assert moves(cover(times(both), ([0], U), size=["at most", 30])) == {f"1:{2 * far!r}"}
    there = least(ONE, largest(ZERO, M - 1))
    assert moves(cover(times(U), ([0], U), ([1], U), size=["at most", 1])) == {
        "1:1",
        "2:1",
        f"1:{2 * there!r}",
        f"2:{2 * there!r}",
        f"1:{there!r} 2:{there!r}",
    }


def test_any_two_multisets_of_n_records() -> None:
    assert moves(cover(ANY, (None, B), ([0], ANY), size=["exactly", 1], letter="n")) == {"1:n 2:1"}
    assert moves(cover(ANY, (None, U), size=["at most", 1], letter="n")) == {f"1:{TWICE!r}"}
    assert moves(cover(ANY, (None, U), size=["any", None], letter="n", least=1)) == {"1:oo"}
    with pytest.raises(NoCover, match="depends on how many records they have"):
        cover(ANY, (None, U), size=["at most", 3], letter="n", least=1)


# cells and listed databases, on which some number of steps leads as far as any


def on(kind: str, single: Any, *mechanisms: dict[str, Any], **databases: Any) -> Cover:
    """The cover of groups of m steps, m >= 1, of blocks or pairs."""
    plain = {"domain": "own", "notion": "pure", "values": {"epsilon": "1"}, "reads": [None]}
    core = {
        "parameters": {"m": "integer >= 1"},
        "databases": {"kind": kind, "shown": "", **databases},
        "target": {"single": single, "steps": 1, "times": "m"},
        "mechanisms": [plain | {"name": f"M{i}"} | one for i, one in enumerate(mechanisms, start=1)],
    }
    return covers.cover(reading.read(core), told.THEORY)


def from_number(s: int, r: int = 1) -> Any:
    """r where m is at least s, and 0 else."""
    return r * least(ONE, largest(ZERO, M - (s - 1)))


CELLS = [[0], [1], [2]]


def test_on_cells_the_types_of_each_number_are_there_from_it_on() -> None:
    each = {"single": CELLS, "steps": 1}
    found = on("cells", CELLS, {"stated": each}, {"stated": {"single": "any two", "steps": 1}}, count=3)
    assert moves(found) == {"1:1 2:1", *(f"1:{from_number(s, s)!r} 2:{from_number(s)!r}" for s in (2, 3))}
    assert found.is_whole
    wide = on("cells", [[0, 1], [1, 2]], {"stated": each}, count=4)
    assert moves(wide) == {"1:2", f"1:{from_number(2, 3)!r}"}
    assert not on("cells", [], {"stated": each}, count=3).types


def test_what_no_block_of_a_guarantee_holds_is_infinitely_far_at_any_number() -> None:
    found = on("cells", CELLS, {"stated": {"single": [[0]], "steps": 1}}, count=3)
    assert "1:oo" in moves(found) and all("oo" in one or one == "1:1" for one in moves(found))


def test_on_listed_databases_the_types_of_each_number_are_there_from_it_on() -> None:
    path = [[0, 1], [1, 2], [2, 3]]
    found = on("listed", path, {"stated": {"single": path, "steps": 1}}, count=4)
    assert moves(found) == {"1:1", f"1:{from_number(2, 2)!r}", f"1:{from_number(3, 3)!r}"}


def test_more_than_distances_is_refused_beside_any_number_of_steps() -> None:
    rows = {"on": "databases", "outcomes": ["x", "y"], "rows": [["1/2", "1/2"], ["1/3", "2/3"]]}
    stated = {"single": [[0, 1]], "steps": 1}
    with pytest.raises(NoCover, match="is a table"):
        on("listed", [[0, 1]], {"stated": stated, "table": rows}, count=2)
    with pytest.raises(NoCover, match="state it for single steps"):
        on("cells", CELLS, {"stated": {"single": CELLS, "steps": 1, "times": "m"}}, count=3)
    with pytest.raises(NoCover, match="too many to go through one by one"):
        many = [[n] for n in range(17)]
        on("cells", many, {"stated": {"single": many, "steps": 1}}, count=17)
    with pytest.raises(reading.BadSetting, match="keys single, steps is wanted"):
        on(
            "cells",
            CELLS,
            {"stated": {"single": CELLS, "steps": 1}},
            count=3,
            letter="m",
            size=["exactly", 3],
        )


def test_groups_of_what_is_read_between_a_least_and_a_greatest_size() -> None:
    """From 2 to 3 records three steps of what is read may be five of databases; from 2 to 5 they are three."""

    def of(n: int, stated: Any, target: Any, read: tuple[str, ...] = ("a", "a'")) -> Cover:
        base = {"size": ["at most", n], "least": 2, "atoms": [list(read), ["x", "y"]]}
        made = core_records.setting(target, ([0], stated), **base)
        (one,) = made.mechanisms
        return covers.cover(replace(made, mechanisms=(replace(one, domain="common"),)), told.THEORY)

    both = {"single": [[1, 0], [0, 1], [1, 1]], "steps": 2}
    assert moves(of(5, U | {"steps": 3}, U | {"steps": 4})) == {"1:2"}
    assert moves(of(3, B | {"steps": 3}, B | {"steps": 3})) == {"1:1"}
    assert moves(of(3, both, B | {"steps": 3})) == {"1:2"}
    # three of a for three others: sizes differ by n - 2, and each of a that is too many costs a step more
    for n, steps in ((3, 2), (4, 2), (5, 1)):
        assert moves(of(n, U | {"steps": 3}, B | {"steps": 3}, ("a",))) == {f"1:{steps}"}


@pytest.mark.parametrize(
    ("size", "least", "pair", "often", "rows", "databases"),
    [
        (["any", None], 0, ("a", ""), 3, 1, ("aaa", "")),
        (["any", None], 0, ("ab", "b"), 2, 1, ("aa", "")),
        (["any", None], 0, ("a", "b"), 2, 1, ("aa", "bb")),
        (["any", None], 3, ("a", ""), 2, 1, ("aaaaa", "aaa")),
        (["any", None], 3, ("", "b"), 2, 1, ("bbb", "bbbbb")),
        (["any", None], 3, ("a", "b"), 2, 1, ("aaa", "abb")),
        (["any", None], 5, ("a", "b"), 2, 2, ("aaa", "abb")),
        (["exactly", 4], 0, ("a", "b"), 3, 1, ("aaaa", "abbb")),
        (["exactly", 4], 0, ("a", "b"), 4, 1, ("aaaa", "bbbb")),
        (["exactly", 4], 0, ("a", "b"), 5, 1, None),
        (["exactly", 4], 0, ("a", ""), 1, 1, None),
        (["at most", 4], 0, ("a", ""), 4, 1, ("aaaa", "")),
        (["at most", 4], 0, ("a", ""), 5, 1, None),
        (["at most", 4], 0, ("a", ""), 2, 2, ("aa", "")),
        (["at most", 4], 0, ("a", ""), 3, 2, None),
        (["at most", 4], 2, ("a", ""), 3, 1, None),
    ],
)  # fmt: skip
def test_the_same_step_over_and_over(
    size: Any, least: int, pair: tuple[str, str], often: int, rows: int, databases: tuple[str, str] | None
) -> None:
    """What differs so often, beside what both have to have; rows -- for how many each stands."""
    of = reading.read(_plain() | {"databases": _plain()["databases"] | {"size": size, "least": least, "atoms": [["a"], ["b"]]}}).databases  # fmt: skip
    type = Type((), frozenset(), (tuple(pair[0]), tuple(pair[1])))
    if databases is None:
        with pytest.raises(NoCover, match=f"{often} times the same step do not fit"):
            groups.repeated(type, often, of, rows=rows)
        return
    D, E = groups.repeated(type, often, of, rows=rows)
    assert ("".join(D), "".join(E)) == databases


def test_further_pairs_differ_as_often_as_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    of = reading.read(_plain() | {"databases": _plain()["databases"] | {"atoms": [["a"], ["b"]]}}).databases
    type, besides = Type((), frozenset(), (("a",), ())), [((("a",), ("b",)), 3)]
    assert groups.repeated(type, 2, of, besides) == (("a",) * 5, ("b",) * 3)
    monkeypatch.setattr(groups, "LARGEST", 5)
    assert groups.repeated(type, 2, of, besides)
    monkeypatch.setattr(groups, "LARGEST", 4)
    with pytest.raises(NoCover, match="2 times as many records are too many"):
        groups.repeated(type, 2, of, besides)


@pytest.mark.parametrize(
    ("steps", "far", "m", "value"),
    [
        (3, 6, 4, "8"),
        (3, 1, 7, "3"),
        (3, 1, 6, "2"),
        (4, 2, 7, "4"),
        (3, 6, None, "2*m"),
        (3, 3, None, "m"),
        (2, 1, None, "c"),
        (2, 3, None, None),
    ],
)
def test_steps_as_groups_rounded_up(steps: int, far: int, m: int | None, value: str | None) -> None:
    """m steps of which each is so far, in groups of so many; c is assumed to be m/2 rounded up."""
    assumed = [["2*c", ">=", "m"], ["2*c", "<=", "m + 1"]]
    made = reading.read(
        _plain() | {"parameters": {"m": "integer >= 1", "c": "integer >= 1"}, "assumed": assumed}
    )
    times = made.symbols["m"] if m is None else number(m)
    if value is None:
        with pytest.raises(NoCover, match=r"steps of the target are 3\*m/2 of these, rounded up"):
            groups._groups("M", steps, number(far), times, made)
        return
    assert groups._groups("M", steps, number(far), times, made) == formulas.parse(value, made.symbols)
    assert groups._groups("M", steps, INFINITY, times, made) == INFINITY


def test_any_two_databases_are_groups_of_steps() -> None:
    """Of n records n replacements; of at most n as many edits; by policies along all edges that there may be."""

    def told(kind: str = "records", size: Any = ("any", None), **more: Any) -> Any:
        base = {"kind": kind, "size": list(size), "atoms": [["a", "a'"], ["b"]]} | more
        target = {"single": "any two", "steps": 1}
        data = _plain() | {"databases": _plain()["databases"] | base, "target": target}
        data["mechanisms"] = [data["mechanisms"][0] | {"stated": target}]
        return groups.of_any_two(reading.read(data | {"parameters": {"n": "integer >= 1"}})).target

    n = letter("n", Domain.read("integer >= 1"))
    assert told().any_two and told(size=("at most", 4)).any_two and told("policies").any_two
    assert told(size=("exactly", 4), letter="n") == Relation(((1, 1),), times=n)
    assert told(size=("at most", 4), letter="n") == Relation(((0, 1), (1, 0), (1, 1)), times=n)
    every = ((-1, 0), (-1, 1), (0, 0), (0, 1))
    assert told("policies", ("at most", 4)) == Relation(every, 4)
    assert told("policies", ("exactly", 0)) == Relation(every, 1)
    assert told("policies", ("exactly", 4), letter="n") == Relation(every, times=n)


def test_groups_that_are_told_by_a_single_step() -> None:
    def scaled(target: Any, **databases: Any) -> bool:
        return groups.are_scaled(
            core_records.setting(target, ([0], U), **{"atoms": [["a"], ["b"]]} | databases)
        )

    two = U | {"steps": 2}
    assert scaled(two) and not scaled(U) and not scaled(two | {"within": "any size"})
    assert not scaled(two, of="sequences")
