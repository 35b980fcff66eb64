"""Covers of types that were counted outside of the kernel: by hand, and what is refused of them."""

from __future__ import annotations

from typing import Any

import pytest
import told
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcompose.kernel import covers
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.covers.types import Cover, NoCover
from dpcompose.kernel.library.theory import NoPage, Theory

Moves = list[Any]

STEP = {"single": "step of near", "steps": 1}
GIVEN = {"reads": [None], "stated": STEP, "domain": "own", "notion": "pure", "values": {"epsilon": "1"}}


def noisy(page: str, law: str) -> dict[str, Any]:
    noise = {"query": {"page": page, "values": {}}, "page": law, "parameter": "3/4"}
    return {"reads": [[0]], "domain": "own", "notion": "pure", "values": {"epsilon": "1"}, "noise": noise}


def core(types: list[Moves], *mechanisms: dict[str, Any], gone_through: int | None = None) -> dict[str, Any]:
    counted = [{"pair": [n, n + 1], "moves": moves} for n, moves in enumerate(types)]
    many = len(types) if gone_through is None else gone_through
    return {
        "parameters": {"k": "integer >= 1"},
        "databases": {"kind": "arrays", "shown": "", "count": 5_000, "gone through": many, "types": counted},
        "target": STEP,
        "mechanisms": [{"name": f"M{i}", **one} for i, one in enumerate(mechanisms, start=1)],
        "adaptive": False,
    }


def cover(types: list[Moves], *mechanisms: dict[str, Any], gone_through: int | None = None) -> Cover:
    setting = reading.read(core(types, *mechanisms, gone_through=gone_through))
    return covers.cover(setting, told.THEORY)


def moves(found: Cover) -> list[str]:
    return [" ".join(f"{i}:{some!r}" for i, some in type.moves) for type in found.types]


def test_types_that_no_other_one_exceeds_are_kept_with_their_databases() -> None:
    found = cover([[1, 0], [2, 0], [0, 0], [1, 3], [2, 0], [1, 2]], GIVEN, GIVEN, gone_through=91_520)
    assert moves(found) == ["1:((1, 2),)", "1:((1, 1),) 2:((1, 3),)"]
    assert [type.pair for type in found.types] == [(1, 2), (3, 4)]
    assert (found.page, found.gone_through, found.metrics) == ("arrays", 91_520, ((), ()))


def test_infinity_exceeds_every_number() -> None:
    assert moves(cover([[10**9], ["oo"]], GIVEN)) == ["1:((1, oo),)"]


def test_neighbours_that_move_nothing_are_neighbours() -> None:
    assert [type.moves for type in cover([[0, 0]], GIVEN, GIVEN).types] == [()]
    assert cover([], GIVEN).types == () and cover([], GIVEN).gone_through == 0


def test_all_members_of_a_family_move_alike() -> None:
    assert moves(cover([[2, 1]], GIVEN | {"count": "k"}, GIVEN)) == ["1:((0, 2),) 2:((1, 1),)"]


def test_a_bit_differs_or_does_not() -> None:
    found = cover([[1, 2], [0, 3]], noisy("bit", "randomized-response"), GIVEN)
    assert moves(found) == ["1:((1, 1),) 2:((1, 2),)", "2:((1, 3),)"]
    assert found.metrics == (("bit", "randomized-response"), ())
    for strange in (2, "oo"):
        with pytest.raises(NoCover, match="differs or does not"):
            cover([[strange, 0]], noisy("bit", "randomized-response"), GIVEN)


def test_other_queries_are_about_records() -> None:
    with pytest.raises(NoCover, match="M1 asks for is about records"):
        cover([[1]], noisy("count", "laplace"))


def test_the_cover_is_believed_by_its_page() -> None:
    without = Theory({id: page for id, page in told.THEORY.pages.items() if id != "arrays"})
    with pytest.raises(NoPage, match="no page on covers by arrays"):
        covers.cover(reading.read(core([[1]], GIVEN)), without)


@pytest.mark.parametrize(
    ("at", "value", "words"),
    [
        (("types", 0, "moves"), [1], "a distance of each of 2 mechanisms"),
        (("types", 0, "moves"), [1, 1, 1], "a distance of each of 2 mechanisms"),
        (("types", 0, "moves"), [1, -1], "a whole number from 0"),
        (("types", 0, "moves"), [1, 1.0], "a whole number from 0"),
        (("types", 0, "moves"), [1, True], "a whole number from 0"),
        (("types", 0, "moves"), [1, None], "a whole number from 0"),
        (("types", 0, "moves"), [1, "e"], "a whole number from 0"),
        (("types", 0, "pair"), [3, 3], "two different databases"),
        (("types", 0, "pair"), [3], "two different databases"),
        (("types", 0, "pair"), [0, 5_000], "a whole number from 0 to 4999"),
        (("types", 0, "more"), 1, "a table with the keys pair, moves"),
        (("types",), [], "a type for some of the pairs"),
        (("gone through",), 1, "at most one each"),
        (("gone through",), 0, "at most one each"),
        (("count",), 10**16, "a whole number from 0"),
        (("atoms",), [], "a table with the keys kind, shown, count"),
    ],
)
def test_types_that_are_none_are_refused(at: tuple[Any, ...], value: Any, words: str) -> None:
    data = core([[1, 0], [0, 1]], GIVEN, GIVEN)
    assert reading.read(data).data() == data
    inside = data["databases"]
    for key in at[:-1]:
        inside = inside[key]
    inside[at[-1]] = value
    with pytest.raises(BadSetting) as refused:
        reading.read(data)
    assert words in str(refused.value)


@settings(max_examples=100, deadline=None, database=None)
@given(st.lists(st.lists(st.integers(0, 3) | st.just("oo"), min_size=3, max_size=3), max_size=12))
def test_maximal_vectors_are_those_of_plain_loops(types: list[Moves]) -> None:
    def at_most(one: Moves, other: Moves) -> bool:
        return all(s == "oo" or (r != "oo" and r <= s) for r, s in zip(one, other, strict=True))

    found = cover(types, GIVEN, GIVEN, GIVEN)
    kept = {tuple(one) for one in types if not any(at_most(one, other) and one != other for other in types)}
    said = set()
    for type in found.types:
        far = {i: r for i, ((_, r),) in type.moves}
        said.add(tuple(repr(far[i]) if i in far else "0" for i in (1, 2, 3)))
    assert said == {tuple(map(str, one)) for one in kept}
    for type in found.types:  # each is the vector of the two databases that stand with it
        x, _ = type.pair
        assert isinstance(x, int) and tuple(types[x]) in kept
