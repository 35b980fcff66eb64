"""Rows of one person, by hand: how far inputs move, which parts are touched, and the databases that are shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import told
from kernel.covers.test_contributions import B, U, bag, family, in_formula, moves, noisy, record
from kernel.covers.test_room_for_rows import setting

from dpcompose.kernel import covers
from dpcompose.kernel.covers import contributions
from dpcompose.kernel.covers.contributions import Contributions
from dpcompose.kernel.covers.types import Cover, NoCover
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.terms import Term

EITHER = {"single": [[1, 0], [0, 1], [1, 1]], "steps": 1}
ANY = {"single": "any two", "steps": 1}
FREE = ("any", None)


def of(target: Any, *mechanisms: dict[str, Any], **more: Any) -> Contributions:
    return Contributions(setting(target, *mechanisms, **{"size": FREE} | more), told.THEORY)


def cover(*args: Any, **more: Any) -> Cover:
    return covers.cover(setting(*args, **{"size": FREE} | more), told.THEORY)


def part(stated: Any, n: int = 0, domain: str = "own") -> dict[str, Any]:
    return {"reads": [[n]], "stated": stated, "domain": domain}


def whole(stated: Any) -> dict[str, Any]:
    return {"reads": [None], "stated": stated}


def parsed(some: Contributions, *texts: str) -> list[Term]:
    return [formulas.parse(text, some.setting.symbols) for text in texts]


GROUPS = U | {"steps": 2}


@pytest.mark.parametrize(
    "rows, mechanism, more, goes, changes",
    [
        # how far one part moves that loses m rows, and one that gains as many besides
        ("3", part(U), {}, "3", "6"),
        ("m", part(U), {}, "m", "2*m"),
        ("3", part(B), {}, "oo", "3"),
        ("3", part(B, domain="common"), {}, "3", "3"),
        ("3", part(EITHER), {}, "3", "3"),
        ("3", part(ANY), {}, "1", "1"),
        ("3", part(GROUPS), {}, "2", "3"),
        ("4", part(B | {"steps": 3}), {}, "oo", "2"),
        ("3", part(GROUPS, domain="common"), {"size": ("at most", 9)}, "2", "3"),
        ("3", part(GROUPS, domain="common"), {"least": 1}, "2", "3"),
        ("3", part(bag("2", "3")), {}, "1", "2"),
        ("3", part(bag("2", "3", "bag")), {}, "1", "1"),
        ("3", part(bag("2", "3", "rows")), {}, "oo", "1"),
        ("3", part(bag("2", "3", "rows"), domain="common"), {}, "1", "1"),
        ("3", whole(bag("2", "3", "rows")), {"outside": False}, "oo", "1"),
        ("3", whole(U), {"outside": False}, "3", "6"),
        ("3", whole(EITHER), {"outside": False, "size": ("exactly", 9)}, "oo", "3"),
    ],
)
def test_how_far_a_part_moves(rows: str, mechanism: Any, more: Any, goes: str, changes: str) -> None:
    some = of(bag("2", rows, "bag"), mechanism, parts=3, **more)
    assert [some.far(1, 1, 0), some.far(1, 0, 1), some.far(1, 1, 1)] == [
        parsed(some, one) for one in (goes, goes, changes)
    ]
    assert some.far(1, 2, 0) == (
        some.far(1, 1, 0) if goes in ("1", "oo") else [2 * parsed(some, rows)[0]]
    ) or (mechanism["stated"]["steps"] > 1)


def test_how_far_several_parts_move() -> None:
    """Bags are as many as parts where some go and some come, whatever the number of parts."""
    for stated, far in ((U, ("6", "9", "12")), (EITHER, ("6", "6", "6")), (bag("2", "3"), ("1", "2", "2"))):
        some = of(bag("2", "3", "bag"), whole(stated), parts=3, outside=False)
        assert [some.far(1, a, b)[0] for a, b in ((2, 0), (2, 1), (2, 2))] == parsed(some, *far)


@pytest.mark.parametrize(
    "target, mechanism, more, words",
    [
        (bag("2", "m"), part(GROUPS), {}, "needs a number of rows"),
        (
            bag("2", "3"),
            part(GROUPS, 0, "common"),
            {"size": ("at most", 9), "least": 1},
            "state it for single rows",
        ),
        (bag("2", "3") | {"steps": 2}, part(U), {}, "several persons"),
        (bag("2", "3"), part(bag("2", "3") | {"steps": 2}), {}, "is stated for 2 persons; state it for one"),
        (bag("2", "3"), part(bag("1", "3")), {}, "other numbers of parts or rows"),
        (bag("2", "3"), part(bag("2", "2")), {}, "other numbers of parts or rows"),
        (bag("2", "3"), part(bag("L", "3")), {}, "other numbers of parts or rows"),
        (
            bag("2", "3"),
            part(bag("2", "3", "rows"), 0, "common"),
            {"outside": False},
            "needs rows outside of all",
        ),
        (
            bag("2", "3"),
            part(bag("2", "3"), 0, "common"),
            {"size": ("at most", 9), "least": 1},
            "no room for all",
        ),
        (bag("2", "3", "bag"), part(bag("2", "3"), 0, "common"), {"size": ("exactly", 9)}, "no room for all"),
        (bag("2", "3", "bag"), whole(bag("2", "3")), {"size": ("exactly", 9)}, "no room for all"),
        (
            bag("2", "3", "bag"),
            part(bag("2", "3", "bag"), 0, "common"),
            {"size": ("exactly", 9), "outside": False},
            "rows outside of all parts where all databases have as many",
        ),
        (record([0, 1], [1, 0]), whole(U), {"outside": False}, "reads everything, beside families"),
    ],
)
def test_what_is_refused(target: Any, mechanism: Any, more: Any, words: str) -> None:
    with pytest.raises(NoCover, match=words):
        some = of(target, mechanism, parts=3, **more)
        some.cover()


@pytest.mark.parametrize(
    "target, mechanism, more",
    [
        (bag("2", "3"), part(bag("2", "3"), 0, "common"), {"size": ("at most", 9)}),
        (bag("2", "3"), part(bag("2", "3")), {"size": ("at most", 9), "least": 1}),
        (bag("2", "3", "bag"), part(bag("2", "3", "bag"), 0, "common"), {"size": ("exactly", 9)}),
        (bag("2", "3", "bag"), part(bag("2", "3")), {"size": ("exactly", 9), "outside": False}),
        (bag("2", "3"), part(bag("3", "4")), {}),
        (bag("L", "m"), part(bag("L", "m")), {}),
        (bag("1", "1"), part(bag("L", "m")), {}),
        (bag("2", "3"), part(bag("2", "3", "rows"), 0, "common"), {}),
        (
            record([0, 1], [1, 0]) | {"single": record([0, 1], [1, 0])["single"] | {"parts": "1"}},
            whole(U),
            {},
        ),
    ],
)
def test_what_is_told(target: Any, mechanism: Any, more: Any) -> None:
    assert of(target, mechanism, parts=3, **more).cover().types


def shown(some: Contributions) -> set[tuple[str, str]]:
    """Which parts lose rows, and which gain some, by their numbers."""
    return {tuple("".join(map(str, sorted(one))) for one in both) for both in some.patterns()}  # type: ignore[misc]


def test_which_parts_are_touched() -> None:
    """Two of three: where distances fall as rows come back, or parts have one record, also fewer."""
    three = [part(U, n) for n in range(3)]
    assert shown(of(bag("2", "3"), *three, parts=3)) == {("01", ""), ("02", ""), ("12", "")}
    assert shown(of(bag("2", "3", "bag"), *three, parts=3)) == {
        *(("01", one) for one in ("01", "02", "12")),
        *(("02", one) for one in ("02", "12")),
        ("12", "12"),
    }
    assert shown(of(bag("5", "3"), *three, parts=3)) == {("012", "")}
    assert shown(of(bag("1", "3", "bag"), part(B), parts=2)) == {
        *(("", one) for one in "01"),
        *(("0", one) for one in "01"),
        ("1", "1"),
    }
    assert shown(of(bag("1", "3", "rows"), part(B), parts=2, outside=False)) == {
        ("0", "0"),
        ("0", "1"),
        ("1", "1"),
    }
    assert shown(of(bag("1", "3"), part(B), parts=2)) == {("0", ""), ("1", "")}
    assert shown(of(bag("L", "3"), *three[:2], parts=2)) == {("0", ""), ("1", ""), ("01", "")}
    assert shown(of(bag("L", "3"), three[0], parts=1)) == {("0", "")}
    assert shown(of(bag("2", "3"), family(U))) == {("", "")}


def test_parts_of_one_record_lose_and_gain_no_rows_at_once() -> None:
    one = of(bag("1", "3", "bag"), part(U), parts=2)
    databases = one.setting.databases
    single = replace(databases.atoms[0], records=("0",))
    atoms = replace(one.setting, databases=replace(databases, atoms=(single, databases.atoms[1])))
    assert shown(Contributions(atoms, told.THEORY)) == {("", "0"), ("", "1"), ("0", "1"), ("1", "1")}
    inside = replace(atoms, databases=replace(atoms.databases, outside=(), size=("exactly", 9)))
    with pytest.raises(NoCover, match="parts of a single record are replaced by rows outside"):
        shown(Contributions(inside, told.THEORY))


def test_too_many_ways_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of three parts in 3 ways, replaced in 9, of one mechanism each; two mechanisms count twice."""
    both = [part(U, n) for n in range(2)]
    for most, target, mechanisms in (
        (3, bag("2", "3"), 1),
        (6, bag("2", "3"), 2),
        (9, bag("2", "3", "bag"), 1),
    ):
        some = of(target, *both[:mechanisms], parts=3)
        monkeypatch.setattr(contributions, "LARGEST", most)
        assert shown(some)
        monkeypatch.setattr(contributions, "LARGEST", most - 1)
        with pytest.raises(NoCover, match="3 parts are touched in too many ways"):
            shown(some)


def test_letters_for_how_many_parts_need_parts_that_stand_for_all() -> None:
    with pytest.raises(NoCover, match="has to be a number for noise or replaced rows"):
        shown(of(bag("L", "1", "bag"), part(B), parts=2))
    assert shown(of(bag("L", "1", "bag"), part(B), parts=1)) == {("", "0"), ("0", "0")}
    found = cover(bag("L", "m"), part(U), part(U, 1), parts=2)
    both = "(product m (product -1 (top 1 -1 (product -1 (top 1 0 (sum -1 L))))))"
    assert {"1:mx1", "2:mx1"} < moves(found) and len(found.types) == 3 and both not in moves(found)


# who reads everything, beside rows that lie in no part


def whole_in(formula: str, **stated: Any) -> dict[str, Any]:
    """A mechanism that reads everything, and is stated in a formula of d__u, ..."""

    def alone(one: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in one.items() if key not in ("count", "partition")} | {
            "reads": [None]
        }

    one = alone(in_formula(formula, **stated))
    return one | {
        "metric": one["metric"] | {"distances": {x: alone(y) for x, y in one["metric"]["distances"].items()}}
    }


LIMITED = {"size": ("at most", 9)}
TWO = {"letter": "n", "lower": "l", "least": 1, "assumed": [["l", "<", "n"]]}


@pytest.mark.parametrize(
    "replaced, mechanism, more, far",
    [
        ("no", whole(U), {}, None),
        ("no", whole(B), {}, "oo"),
        ("no", whole(ANY), {}, "1"),
        ("no", whole(bag("2", "3")), {}, "1"),
        ("bag", whole(bag("2", "3")), {}, "2"),
        ("bag", whole(bag("2", "3", "bag")), {}, "1"),
        ("bag", whole(bag("2", "3", "rows")), {}, "oo"),
        ("bag", whole(U), {}, None),
        ("bag", whole(B), {}, "oo"),
        ("rows", whole(bag("2", "3", "rows")), {}, "1"),
        ("rows", whole(B), {}, None),
        ("rows", whole(U), {}, None),
        ("rows", noisy("count", [None]), {}, "0"),
        ("no", noisy("count", [None]), {}, None),
        # from 0 to 9 rows, from 2, of exactly 9, of n, and of l to n
        ("no", whole(U), LIMITED, "9"),
        ("no", whole(U), LIMITED | {"least": 2}, "7"),
        ("no", whole(U), LIMITED | {"letter": "n"}, "n"),
        ("no", whole(U), LIMITED | TWO, "max(0, n - l)"),
        ("no", whole(U | {"steps": 2}), LIMITED, "5"),
        ("no", whole(B), LIMITED, "oo"),
        ("no", noisy("count", [None]), LIMITED, "9"),
        ("bag", whole(U), LIMITED, "18"),
        ("bag", whole(EITHER), LIMITED | {"letter": "n"}, "n"),
        ("bag", whole(EITHER), {"size": ("exactly", 9)}, "9"),
        ("rows", whole(B), LIMITED, "9"),
        ("rows", whole(bag("2", "3", "rows")), LIMITED, "1"),
        ("rows", noisy("count", [None]), LIMITED, "0"),
    ],
)
def test_how_far_everything_moves(replaced: str, mechanism: Any, more: Any, far: str | None) -> None:
    found = cover(bag("2", "3", replaced), mechanism, **more)
    some = of(bag("2", "3", replaced), mechanism, **more)
    assert some.furthest(1) == (None if far is None else parsed(some, far)[0])
    (type,) = found.types
    assert type.unlimited == (frozenset() if far else {1})
    assert type.moves == (() if far == "0" else ((1, ((1, parsed(some, far or "oo")[0]),)),))


def test_records_in_several_inputs_are_one_for_who_reads_everything() -> None:
    both = (record([1, 1], [0, 1], [1, 0], replaced="bag"), whole(U))
    assert of(*both).each_step == [(0, 1), (1, 0), (1, 1)] or [*of(*both).each_step] == [
        (0, 1),
        (1, 0),
        (1, 1),
    ]
    assert of(*both).furthest(1) == parsed(of(*both), "2")[0]
    assert [*of(*both, size=("exactly", 9)).each_step] == [(1, 1)]


@pytest.mark.parametrize(
    "replaced, mechanism, more, lost",
    [
        # a person has any number of rows outside of all parts: the square of what they move has no limit
        ("no", whole_in("d__u**2", d__u=U), {}, None),
        ("no", whole_in("min(d__u, 7)", d__u=U), {}, None),
        ("rows", whole_in("min(d__u, 7)", d__u=U), {}, None),
        ("rows", whole_in("d__b**2", d__b=B), {}, None),
        ("no", whole_in("min(d__u, 7*d__p)", d__u=U, d__p=bag("2", "3")), {}, None),
        ("bag", whole_in("d__p**2", d__p=bag("2", "3")), {}, None),  # one person or two
        ("no", whole_in("7*d__p**2", d__p=bag("2", "3")), {}, "7"),
        ("rows", whole_in("7*d__p**2", d__p=bag("2", "3")), {}, "28"),
        ("no", whole_in("min(d__b, 7)", d__b=B), {}, "7"),
        ("no", whole_in("d__a**2", d__a=ANY), {}, "1"),
        ("no", whole_in("d__u**2", d__u=U), LIMITED, "81"),
        ("no", whole_in("min(d__u, 7)", d__u=U), LIMITED, "7"),
        ("rows", whole_in("d__b**2", d__b=B), LIMITED, "81"),
        ("bag", whole_in("d__u**2", d__u=U), {"size": ("exactly", 9)}, "oo"),
        ("bag", whole_in("d__u**2", d__u=EITHER), {"size": ("exactly", 9)}, "81"),
    ],
)
def test_what_everything_loses_in_a_metric(
    replaced: str, mechanism: Any, more: Any, lost: str | None
) -> None:
    if lost is None:
        with pytest.raises(NoCover, match="a distance in which M1 is stated has no limit"):
            cover(bag("2", "3", replaced), mechanism, **more)
        return
    (type,) = cover(bag("2", "3", replaced), mechanism, **more).types
    assert [(i, repr(far)) for i, far, _ in type.lost] == [(1, lost)] and not type.unlimited


def test_a_record_is_one_for_who_reads_everything_in_a_metric() -> None:
    (type,) = cover(record([0, 1], [1, 0]), whole_in("7*d__u**2", d__u=U)).types
    assert [(i, repr(far)) for i, far, _ in type.lost] == [(1, "7")]


# the databases that are shown


def pairs(*args: Any, **more: Any) -> set[tuple[str, str]]:
    return {(" ".join(D), " ".join(E)) for D, E in (one.pair for one in cover(*args, **more).types)}  # type: ignore[misc]


def on_parts(stated: Any, count: str, domain: str = "own") -> dict[str, Any]:
    return family(stated, domain) | {"count": count}


FOUR = {"size": ("exactly", 4)}
THREE = [part(U, n) for n in range(3)]


@pytest.mark.parametrize(
    "target, mechanisms, more, shown",
    [
        (bag("2", "3"), THREE, {"parts": 3}, {("0 1", ""), ("0 2", ""), ("1 2", "")}),
        (bag("1", "3", "bag"), THREE[:2], {"parts": 2}, {("0", "0'"), ("0", "1"), ("1", "1'")}),
        # rows that stay in parts, or leave these for others, as many as there are; outside as many as are missing
        (bag("2", "1", "bag"), [on_parts(U, "5")], {}, {("P1 P2", "P1' P2'")}),
        (bag("2", "1", "bag"), [on_parts(B, "5", "common")], {}, {("P1 P2", "P3 P4")}),
        (bag("2", "1", "bag"), [on_parts(B, "3", "common")], {}, {("P1 P2", "P3")}),
        (bag("2", "1", "rows"), [on_parts(B, "3", "common")], {}, {("P1 P2", "P3 z'")}),
        (bag("2", "1", "rows"), [on_parts(B, "3", "common")], {"outside": False}, {("P1 P2", "P2' P3")}),
        (bag("9", "1"), [on_parts(U, "3")], {}, {("P1 P2 P3", "")}),
        (bag("L", "1"), [on_parts(U, "k")], {}, {("P1", "")}),
        # who reads everything sees rows outside, which are more and more
        (bag("2", "1"), [whole(U)], {}, {("z", "")}),
        (bag("2", "1", "bag"), [whole(U)], {}, {("z z", "z'")}),
        (bag("2", "1", "rows"), [whole(U)], {}, {("z", "z'")}),
        (bag("2", "1", "bag"), [on_parts(U, "5"), whole(U)], {}, {("P1 P2 z z", "P1' P2' z'")}),
        (bag("2", "1"), [on_parts(U, "5"), whole(U)], LIMITED, {("P1 P2", "")}),
        (bag("2", "1"), [whole(U)], LIMITED, {("z", "")}),
        (record([1, 1], replaced="bag"), [on_parts(B, "2", "common"), whole(B)], {}, {("P1 P2", "")}),
        # as many rows are shared as there have to be: each row that differs stands for two
        (bag("1", "2", "rows"), [part(B)], {"parts": 1, **FOUR}, {("z' z' z'", "0 z' z'")}),
        (bag("1", "2", "rows"), [part(B)], {"parts": 1, "outside": False, **FOUR}, {("0 0 0", "0 0 0'")}),
        (bag("1", "1"), THREE[:1], {"parts": 1, "least": 3}, {("0 0 0 0", "0 0 0")}),
        (bag("1", "2", "bag"), THREE[:1], {"parts": 1, "least": 3}, {("0 0", "0 0'")}),
    ],
)
def test_the_databases_that_are_shown(target: Any, mechanisms: list[Any], more: Any, shown: set[Any]) -> None:
    assert pairs(target, *mechanisms, **more) == shown


def test_who_reads_everything_is_looked_for_among_all() -> None:
    both = part(U), whole(U)
    with pytest.raises(NoCover, match="reads everything, beside families"):
        cover(record([0, 1], [1, 0]), *both, parts=1, outside=False)
    assert cover(bag("2", "3"), *both, parts=1, outside=False).types


def test_of_many_parts_some_are_named() -> None:
    """25 of 40 that rows leave, and as many others."""
    for mechanism, named in ((on_parts(B, "k", "common"), (25, 25)), (on_parts(U, "k"), (25, 25))):
        (found,) = cover(bag("40", "1", "bag"), mechanism).types
        assert tuple(map(len, found.pair)) == named
    assert len({*found.pair[0]}) == 25


def test_where_all_databases_have_as_many_rows_none_comes_or_goes() -> None:
    assert not cover(bag("2", "3"), part(U), parts=1, size=("exactly", 9)).types
    assert cover(bag("2", "3", "bag"), part(U), parts=1, size=("exactly", 9)).types


def test_families_touched_in_the_way_that_others_do_not_exceed() -> None:
    """Rows that stay count twice for U, and as much for EITHER; of these parts twice as many are touched."""

    def touched(*stated: Any, replaced: str = "bag", outside: bool = True) -> Any:
        domains = ("common" if one == B else "own" for one in stated)
        some = of(
            bag("2", "3", replaced),
            *(on_parts(one, "9", domain) for one, domain in zip(stated, domains, strict=True)),
            outside=outside,
        )
        return some.families_touched()

    assert touched(U) == ({1: (2, (1, 1))}, {1}) and touched(U, replaced="no") == ({1: (2, (1, 0))}, set())
    assert touched(EITHER) == ({1: (4, (1, 0))}, set()) == touched(B)
    assert touched(U, U) == ({1: (2, (1, 1)), 2: (2, (1, 1))}, {1, 2})
    assert touched(B, B, outside=False, replaced="rows") == ({1: (4, (1, 0)), 2: (4, (1, 0))}, set())
    with pytest.raises(NoCover, match="of which some count rows that go and come together"):
        touched(U, EITHER)
