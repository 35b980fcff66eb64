"""Rows of several persons: in which ways they lie, how many bags hold them, and the databases that are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import pytest
import told
from kernel.covers.test_contributions import B, U, bag, family, noisy, setting

from dpcompose.kernel import covers
from dpcompose.kernel.covers import persons
from dpcompose.kernel.covers.persons import WRITTEN, Persons, _gathered, _spread
from dpcompose.kernel.covers.types import NoCover
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.terms import INFINITY, ONE


def several(number: int, parts: int, rows: int, replaced: str = "no") -> dict[str, Any]:
    return bag(str(parts), str(rows), replaced) | {"steps": number}


@pytest.mark.parametrize("total", range(5))
def test_all_ways_in_which_persons_lie_in_parts(total: int) -> None:
    for parts, most in product(range(4), range(4)):
        every = [one for one in product(range(most + 1), repeat=parts) if sum(one) == total]
        assert sorted(_spread(total, parts, most)) == every


@pytest.mark.parametrize(("lost", "gained"), [*product(range(4), repeat=2)])
def test_all_ways_in_any_order_of_parts(lost: int, gained: int) -> None:
    for most, parts in product(product(range(1, 3), repeat=2), range(4)):
        touched = [one for one in product(range(most[0] + 1), range(most[1] + 1)) if one != (0, 0)]
        every = (some for n in range(parts + 1) for some in combinations_with_replacement(touched, n))
        right = {
            some for some in every if [sum(x for x, _ in some), sum(y for _, y in some)] == [lost, gained]
        }
        said = [tuple(sorted(one)) for one in _gathered(lost, gained, most, parts)]
        assert sorted(said) == sorted(right)


def fewest_bags(wanted: tuple[int, ...], parts: int, rows: int) -> int:
    """How many bags hold so many rows in each part, at most `rows` in each of `parts` parts: gone through."""
    held, bags = {(0,) * len(wanted)}, 0
    places = [set(some) for some in combinations(range(len(wanted)), min(parts, len(wanted)))]
    while not any(all(map(lambda x, y: x >= y, one, wanted)) for one in held):
        bags += 1
        held = {tuple(x + rows * (j in some) for j, x in enumerate(one)) for one in held for some in places}
    return bags


@pytest.mark.parametrize(("parts", "rows", "m"), [*product(range(1, 4), repeat=3)])
def test_rows_are_as_many_bags_as_hold_them(parts: int, rows: int, m: int) -> None:
    for replaced, steps in product(("no", "bag"), (1, 2)):
        stated = bag(str(parts), str(rows), replaced) | {"steps": steps}
        made = setting(several(2, 2, m), {"reads": [None], "stated": stated}, parts=3, outside=False)
        some = Persons(made, told.THEORY)
        relation = made.mechanisms[0].stated
        assert relation is not None
        for lost, gained in product(product(range(3), repeat=2), repeat=2):
            touched = list(zip(lost, gained, strict=True))
            gone, come = (fewest_bags(tuple(m * n for n in side), parts, rows) for side in (lost, gained))
            bags = gone + come if replaced == "no" else max(gone, come)
            far = some.bags(relation.single, made.mechanisms[0], touched)
            assert far.number == -(-bags // steps)


def shown(found: Any) -> Iterator[tuple[dict[str, int], dict[str, int]]]:
    for one in found.types:
        D, E = map(Counter, one.pair)
        yield dict(D - E), dict(E - D)


def test_databases_have_a_row_of_each_person_where_some_go_and_others_come() -> None:
    """Bags of two rows: those of two persons who go are one in their part, those of who goes and who comes two."""
    both = [{"reads": [[n]], "stated": bag("1", "2")} for n in range(2)]
    found = covers.cover(setting(several(2, 1, 1), *both, parts=2), told.THEORY, True)
    assert [*shown(found)] == [({"0": 1, "1": 1}, {}), ({"0": 1}, {"0'": 1}), ({"1": 1}, {"1'": 1})]
    both = [{"reads": [[n]], "stated": U} for n in range(2)]
    exchanged = covers.cover(setting(several(2, 1, 1, "bag"), *both, parts=2), told.THEORY, True)
    assert all(sum(D.values()) == sum(E.values()) == 2 for D, E in shown(exchanged))
    assert ({"0": 2}, {"0'": 2}) in [*shown(exchanged)]


def test_of_a_partition_parts_are_named_one_after_the_other() -> None:
    found = covers.cover(setting(several(3, 1, 1), family(bag("1", "2"))), told.THEORY, True)
    assert [*shown(found)] == [
        ({"P1": 1, "P2": 1}, {"P1'": 1}),  # two bags in one part, and one in another
        ({"P1": 1, "P2": 1}, {"P3": 1}),
    ]


@pytest.mark.parametrize("parts", [1, 2])
def test_rows_of_a_known_number_of_parts_lie_in_no_more(parts: int) -> None:
    found = covers.cover(setting(several(2, 2, 1), family(U) | {"count": str(parts)}), told.THEORY, True)
    assert max(many for one in found.types for _, some in one.moves for many, _ in some) <= parts
    assert max(sum(D.values()) for D, _ in shown(found)) == 2 * parts


@pytest.mark.parametrize(
    ("target", "mechanism", "more", "words"),
    [
        (
            bag("L", "1") | {"steps": 2},
            {"reads": [[0]], "stated": U},
            {"parts": 1},
            "numbers of parts and rows",
        ),
        (
            bag("1", "m") | {"steps": 2},
            {"reads": [[0]], "stated": U},
            {"parts": 1},
            "numbers of parts and rows",
        ),
        (several(2, 1, 1), {"reads": [None], "stated": U}, {"parts": 1}, "reads everything, beside rows"),
        (several(2, 1, 1), family(bag("1", "m")), {}, "any number of rows or parts"),
        (several(2, 1, 1), family(bag("L", "1")), {}, "any number of rows or parts"),
        (several(60, 1, 1), family(U), {}, "too many ways"),
        (several(2, 1, 1), noisy("count", [[0]]), {"parts": 1}, "a guarantee without noise"),
        (
            several(2, 1, 1, "bag"),
            {"reads": [[0]], "stated": B},
            {"parts": 1},
            "unless as many rows come as go",
        ),
        (several(2, 1, 1), {"reads": [None], "stated": U}, {}, "reads everything, beside rows"),
    ],
)
def test_what_is_not_told_of_several_persons_is_refused(
    target: Any, mechanism: Any, more: Any, words: str
) -> None:
    with pytest.raises(NoCover, match=words):
        covers.cover(setting(target, mechanism, **more), told.THEORY, True)


def of(target: Any, *mechanisms: Any, **more: Any) -> Persons:
    return Persons(setting(target, *(mechanisms or ({"reads": [[0]], "stated": U},)), **more), told.THEORY)


def test_of_parts_with_one_record_rows_of_one_person_may_go() -> None:
    """Of several some may go where others come, and of one that is replaced others come."""
    stated = {"reads": [[0]], "stated": bag("1", "1")}  # several of these are one of the target
    for target, fine in (
        (several(1, 2, 3), True),
        (several(2, 1, 1), False),
        (several(1, 2, 3, "bag"), False),
    ):
        made = of(target, stated, parts=2).setting
        atoms = (replace(made.databases.atoms[0], records=("0",)), made.databases.atoms[1])
        some = Persons(replace(made, databases=replace(made.databases, atoms=atoms)), told.THEORY)
        if fine:
            assert [one.pair for one in some.cover().types] == [(("0", "1"), ())]
            assert covers.cover(some.setting, told.THEORY) == some.cover()
            continue
        with pytest.raises(NoCover, match="a part of a single record"):
            some.cover()


def test_of_how_many_persons_rows_go_and_of_how_many_some_come() -> None:
    assert [*of(several(3, 1, 1), parts=1).sides()] == [(3, 0), (2, 1)]
    assert [*of(several(4, 1, 1), parts=1).sides()] == [(4, 0), (3, 1), (2, 2)]
    assert [*of(several(3, 1, 1, "bag"), parts=1).sides()] == [(3, 3)]
    one_size = replace(of(several(3, 1, 1), parts=1).setting.databases, size=("exactly", 9))
    for replaced, sides in (("no", []), ("bag", [(3, 3)])):
        made = replace(of(several(3, 1, 1, replaced), parts=1).setting, databases=one_size)
        assert [*Persons(made, told.THEORY).sides()] == sides


def test_in_which_parts_rows_of_several_persons_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    two = of(several(2, 1, 1), parts=2)
    assert {*two.ways(WRITTEN, 2, 0)} == {((2, 0), (0, 0)), ((1, 0), (1, 0)), ((0, 0), (2, 0))}
    assert {*two.ways(WRITTEN, 1, 1)} == {
        *(((1, 1), (0, 0)), ((1, 0), (0, 1)), ((0, 1), (1, 0)), ((0, 0), (1, 1)))
    }
    assert {*of(several(2, 5, 1), parts=2).ways(WRITTEN, 2, 0)} == {((2, 0), (2, 0))}  # in both parts each
    monkeypatch.setattr(persons, "LARGEST", 4)
    assert len([*two.ways(WRITTEN, 1, 1)]) == 4
    monkeypatch.setattr(persons, "LARGEST", 3)
    with pytest.raises(NoCover, match="too many ways"):
        [*two.ways(WRITTEN, 1, 1)]
    monkeypatch.setattr(persons, "LARGEST", 4)
    for most, fine in ((2, True), (1, False)):
        monkeypatch.setattr(persons, "MOST_PARTS", most)
        if fine:
            assert [*two.ways(WRITTEN, 2, 0)]
        else:
            with pytest.raises(NoCover, match="too many ways"):
                [*two.ways(WRITTEN, 2, 0)]


def test_parts_of_a_partition_that_are_touched() -> None:
    """Any number of parts, or so many; those that two persons touch are one less."""
    two = several(2, 1, 1)
    assert [*of(two, family(U)).ways("P", 2, 0)] == [((2, 0),), ((1, 0), (1, 0))]
    assert [*of(two, family(U) | {"count": "1"}).ways("P", 2, 0)] == [((2, 0),)]
    apart = max(of(several(3, 1, 1, "bag"), family(U)).ways("P", 3, 3), key=len)
    assert sorted(apart) == [(0, 1)] * 3 + [(1, 0)] * 3  # of three persons and three others all lie apart
    assert of(two, family(U)).count("P") is None and of(two, family(U) | {"count": "7"}).count("P") == 7
    assert of(two, parts=2).count(WRITTEN) == 2


@pytest.mark.parametrize(
    ("stated", "differ"),
    [(U, False), (bag("2", "3"), False), (bag("3", "3"), True), (bag("2", "4"), True), (bag("2", "3") | {"steps": 2}, True)],
)  # fmt: skip
def test_guarantees_for_other_persons_than_the_target_s(stated: Any, differ: bool) -> None:
    assert of(bag("2", "3"), {"reads": [[0]], "stated": stated}, parts=1).differ is differ
    assert of(bag("2", "3") | {"steps": 2}, {"reads": [[0]], "stated": stated}, parts=1).differ


def test_bags_of_as_many_rows_are_infinitely_far_where_sizes_tell() -> None:
    """Two rows for none are no step for what is read; on the common domain other rows come elsewhere."""
    stated = bag("1", "2", "rows")
    one = of(several(2, 1, 1), {"reads": [[0]], "stated": stated}, parts=1)
    assert [one.far(1, a, b)[0] for a, b in ((1, 0), (2, 2), (4, 2))] == [INFINITY, ONE, INFINITY]
    common = {"reads": [[0]], "stated": stated, "domain": "common"}
    other = of(several(2, 1, 1), common, parts=1)
    assert [repr(other.far(1, a, b)[0]) for a, b in ((1, 0), (2, 2), (4, 2))] == ["1", "1", "2"]
    with pytest.raises(NoCover, match="needs rows outside of all parts"):
        of(several(2, 1, 1), common, parts=1, outside=False).far(1, 1, 0)


def test_everything_is_as_far_as_all_rows_where_none_lies_outside() -> None:
    found = covers.cover(
        setting(several(2, 1, 2), {"reads": [None], "stated": U}, parts=2, outside=False), told.THEORY, True
    )
    far = {formulas.to_text(r) for one in found.types for _, some in one.moves for _, r in some}
    assert far == {"4"}
