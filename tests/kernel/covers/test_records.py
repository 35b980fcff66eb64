"""Records that go and come, by hand: in which ways neighbours differ, and how far what is read moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import core_records
import pytest
import told
from core_records import ANY, B, U

from dpcompose.kernel.core import reading
from dpcompose.kernel.core.settings import Relation
from dpcompose.kernel.covers import records
from dpcompose.kernel.covers.records import Records
from dpcompose.kernel.covers.types import NoCover
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.terms import INFINITY, ONE, letter, number
from dpcompose.kernel.library.theory import Theory

BOTH = {"single": [[1, 0], [0, 1], [1, 1]], "steps": 1}
SINGLE, TWO, THREE = [["a"], ["b"]], [["a", "A"], ["b", "B"]], [["a"], ["b"], ["c"]]
FREE = ["any", None]


def of(target: Any = U, *mechanisms: tuple[Any, Any], atoms: Any = SINGLE, **more: Any) -> Records:
    made = core_records.setting(
        target, *(mechanisms or (([0], U),)), atoms=atoms, parameters={"m": "integer >= 1"}, **more
    )
    return Records(made, told.THEORY)


@pytest.mark.parametrize(
    "target, size, least, ways",
    [
        (U, FREE, 0, "10 01"),
        (BOTH, FREE, 0, "10 01 11"),
        (U | {"steps": 2}, FREE, 0, "10 01 20 02 11"),
        (U | {"steps": 2}, ["at most", 1], 0, "10 01 11"),
        (U | {"steps": 2}, ["at most", 3], 2, "10 01 11"),
        (U | {"steps": 3}, ["at most", 2], 0, "10 01 20 02 11 21 12"),
        (B | {"steps": 2}, ["exactly", 3], 0, "11 22"),
        (B | {"steps": 9}, ["exactly", 2], 0, "11 22"),
        (B, ["exactly", 0], 0, ""),
        (U, ["exactly", 3], 0, ""),
        (ANY, ["at most", 2], 0, "10 01 11 20 02 21 12 22"),
        (ANY, ["at most", 2], 1, "10 01 11 21 12 22"),
        (ANY, ["exactly", 2], 0, "11 22"),
    ],
)
def test_by_how_many_records_neighbours_differ(target: Any, size: Any, least: int, ways: str) -> None:
    some = of(target, size=size, least=least)
    assert some.differences(some.setting.target) == {(int(a), int(b)) for a, b in ways.split()}


def test_too_many_ways_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for target, size, most, words in (
        (U | {"steps": 3}, FREE, 16, "groups of 3 steps differ in too many ways"),
        (U | {"steps": 9}, ["at most", 3], 16, "groups of 9 steps differ in too many ways"),
        (ANY, ["at most", 4], 16, "any two databases of up to 4 records differ in too many ways"),
    ):
        some = of(target, size=size)
        monkeypatch.setattr(records, "LARGEST", most)
        assert some.differences(some.setting.target)
        monkeypatch.setattr(records, "LARGEST", most - 1)
        with pytest.raises(NoCover, match=words):
            some.differences(some.setting.target)


@pytest.mark.parametrize(
    "target, atoms, changes",
    [
        (U, SINGLE, "0- 1-"),
        (B, SINGLE, "0-1"),
        (B, TWO, "0-0 0-1 1-1"),
        (B, [["a"], ["b", "B"]], "0-1 1-1"),
        (BOTH, SINGLE, "0- 1- 0-1"),
        (U | {"steps": 2}, SINGLE, "0- 1- 00- 01- 11- 0-1"),
        (B | {"steps": 2}, THREE, "0-1 0-2 1-2 00-11 00-12 00-22 01-22 02-11 11-22"),
    ],
)
def test_which_atoms_lose_and_gain_records(target: Any, atoms: Any, changes: str) -> None:
    some = of(target, atoms=atoms)
    found = ["-".join("".join(map(str, side)) for side in both) for both in some.changes(some.setting.target)]
    assert sorted(found) == sorted(changes.split())


def test_a_pair_in_which_every_atom_changes() -> None:
    """For any two databases; where there is room."""
    for size, atoms, pair in (
        (FREE, THREE, ((0, 1, 2), ())),
        (["at most", 3], THREE, ((0, 1, 2), ())),
        (["at most", 2], THREE, None),
        (["exactly", 2], THREE, ((0, 1), (2, 2))),
        (["exactly", 1], THREE, None),
        (["exactly", 1], SINGLE, ((0,), (1,))),
        (["exactly", 1], [["a", "A"]], ((0,), (0,))),
        (["exactly", 1], [["a"]], None),
        (["exactly", 0], [["a", "A"]], None),
    ):
        assert of(ANY, size=size, atoms=atoms).all_changed() == pair


def test_how_many_steps_lead_as_far_as_any() -> None:
    m = letter("m", Domain.read("integer >= 1"))
    for target, more, steps in (
        (U, {}, None),
        (U, {"size": ["at most", 4]}, number(8)),
        (B, {"size": ["at most", 4]}, number(4)),
        (BOTH, {"size": ["at most", 4], "letter": "m"}, m),
        (U, {"size": ["at most", 4], "letter": "m"}, 2 * m),
    ):
        assert of(target, **more).enough_steps == steps


def test_groups_are_groups_of_what_is_read() -> None:
    """Where records that are not read fill up what sizes ask for."""

    def passes(stated: Any, **more: Any) -> bool:
        some = of(U, ([0], stated), **more)
        relation = some.setting.mechanisms[0].stated
        assert relation is not None
        return some.groups_pass(relation)

    between = {"size": ["at most", 4], "least": 1}
    assert passes(U | {"steps": 9}) and passes(U | {"steps": 9}, size=["at most", 4])
    assert passes(U | {"steps": 9}, least=3) and passes(B | {"steps": 9}, **between)
    assert passes(U | {"steps": 3}, **between) and not passes(U | {"steps": 4}, **between)


def test_steps_that_stay_in_the_class() -> None:
    some = of()
    edits = Relation(((0, 1), (1, 0), (1, 1)), 2)
    assert some.within(edits, ("any", None)) == edits == some.within(edits, ("at most", 1))
    assert some.within(edits, ("exactly", 1)) == Relation(((1, 1),), 2)
    assert some.within(edits, ("at most", 0)) == some.within(edits, ("exactly", 0)) == Relation((), 2)
    beyond = replace(edits, elsewhere=True)
    assert some.within(beyond, ("exactly", 1)) == beyond
    for size, image in (
        (FREE, ("any", None)),
        (["exactly", 3], ("at most", 3)),
        (["at most", 3], ("at most", 3)),
    ):
        assert of(size=size).image_size((0,)) == image and of(size=size).image_size(None) == tuple(size)


def far(some: Records, i: int = 1) -> list[Any]:
    """How far an input moves where one record goes, one is replaced, and two go and one comes."""
    return [some.metrics[i, 0].at(*both) for both in ((1, 0), (1, 1), (2, 1))]


@pytest.mark.parametrize(
    "stated, domain, reads, more, distances",
    [
        (U, "own", [0], {}, [1, 2, 3]),
        (U, "common", [0], {}, [1, 2, 3]),
        (B, "own", [0], {}, [None, 1, None]),
        (B, "common", [0], {}, [1, 1, 2]),
        (B, "common", None, {}, [None, 1, None]),
        (B, "common", [0, 1], {}, [None, 1, None]),  # all atoms are everything
        (BOTH, "own", [0], {}, [1, 1, 2]),
        (ANY, "own", [0], {}, [1, 1, 1]),
        (U, "own", [], {}, [None, None, None]),  # nothing has one value, and never moves
        (U | {"steps": 2}, "own", [0], {}, [1, 1, 2]),
        (B | {"steps": 2}, "common", [0], {}, [1, 1, 1]),
        (U, "common", [0], {"size": ["exactly", 4]}, [None, None, None]),
        (BOTH, "common", [0], {"size": ["exactly", 4]}, [1, 1, 2]),
        (BOTH, "common", None, {"size": ["exactly", 4]}, [None, 1, None]),
        (B, "own", [0], {"size": ["exactly", 4]}, [None, 1, None]),
    ],
)
def test_how_far_what_is_read_moves(
    stated: Any, domain: str, reads: Any, more: Any, distances: list[Any]
) -> None:
    some = of(U, (reads, stated), **more)
    some = Records(core_records.on(some.setting, domain), told.THEORY)
    assert far(some) == [INFINITY if one is None else number(one) for one in distances]


@pytest.mark.parametrize(
    "text", ["(removed + added)/2", "0*removed", "2*removed + added", "exp(removed + added)"]
)
def test_a_page_that_states_no_number_of_steps_is_refused(text: str) -> None:
    page = told.THEORY.pages["unbounded-metric"]
    theory = Theory({**told.THEORY.pages, page.id: replace(page, head=replace(page.head, metric=text))})
    with pytest.raises(NoCover, match="is no whole number of steps"):
        Records(of().setting, theory).metrics[1, 0].at(2, 1)


@pytest.mark.parametrize(
    "target, stated, more, fine",
    [
        (U, U, {}, True),
        (U | {"steps": 2}, U, {}, True),
        (U | {"steps": 2}, B, {}, False),
        (BOTH | {"steps": 2}, U, {}, False),
        (BOTH, B, {}, True),
        (U | {"steps": 2}, U, {"size": ["at most", 2]}, True),
        (U | {"steps": 3}, U, {"size": ["at most", 2]}, False),
        (ANY, ANY, {"size": ["at most", 2]}, False),
        (ANY, ANY, {"size": ["exactly", 2]}, False),
        (ANY, ANY, {}, True),
    ],
)
def test_on_sequences_there_is_to_be_room(target: Any, stated: Any, more: Any, fine: bool) -> None:
    some = of(target, (None, stated), of="sequences", **more)
    if fine:
        some.check_room(some.setting.target)
        return
    with pytest.raises(NoCover, match=r"several entries of sequences|sequences of so few entries"):
        some.check_room(some.setting.target)


# deals, and samples


def dealt(stated: Any, target: Any = U, **more: Any) -> Records:
    made = of(target, (None, stated), **more).setting.data()
    made["mechanisms"][0] |= {"dealt": True, "count": "2", "partition": "deal"}
    return Records(reading.read(made), told.THEORY)


def test_one_input_of_a_deal_has_another_record_or_anything() -> None:
    """Where one is replaced it has another one; where one comes the sizes of inputs say nothing of each other."""
    for stated, one in ((U, number(2)), (B, ONE), (BOTH, ONE), (U | {"steps": 2}, ONE)):
        some = dealt(stated)
        metric = some.of_deal(some.setting.mechanisms[0])
        assert [metric.at(*both) for both in ((1, 1), (1, 0), (0, 1), (2, 2))] == [one, *[INFINITY] * 3]
    with pytest.raises(NoCover, match="stated for any two of these"):
        some = dealt(ANY)
        some.of_deal(some.setting.mechanisms[0])
    for target, fine in ((U, True), (ANY, False), (U | {"steps": 2}, False), (U | {"times": "m"}, False)):
        if fine:
            dealt(U, target).check_deals()
            continue
        with pytest.raises(NoCover, match="neighbours by one step only"):
            dealt(U, target).check_deals()


def test_deals_of_which_inputs_differ_by_more_and_more() -> None:
    for stated, more, both, numbers in (
        (U, {}, (1, 0), {1}),
        (U, {}, (1, 1), set()),
        (B, {}, (1, 0), set()),
        (U, {"size": ["at most", 9]}, (1, 0), set()),
        (U, {"letter": "m", "least": 1}, (1, 0), set()),
    ):
        assert dealt(stated, **more).deals_apart({(1, 0): both}) == numbers
    assert of().deals_apart({(1, 0): (1, 0)}) == set()


def test_databases_beside_which_records_come() -> None:
    """On samples what both have is another record, if there is one."""
    for atoms, least, pair in (
        (SINGLE, 0, (("a",), ())),
        (SINGLE, 2, (("a", "b", "b"), ("b", "b"))),
        ([["a"]], 2, (("a", "a", "a"), ("a", "a"))),
        ([["a", "A"]], 2, (("A", "A", "a"), ("A", "A"))),
    ):
        assert of(atoms=atoms, least=least).anew((0,)) == pair


def test_some_that_move_are_sampled() -> None:
    """One of them is enough for another record to be there beside the one that comes, unless there is noise."""
    data = of(U, ([0], U), ([0], U), least=2).setting.data()
    data["mechanisms"][0]["sampled"] = {"page": "poisson-sampling", "values": {"s": "1/2"}}
    some = Records(reading.read(data), told.THEORY)
    other, smallest = (("a", "b", "b"), ("b", "b")), (("a", "a", "a"), ("a", "a"))
    assert [*some.pairs((0,), (), {1, 2})] == [other, smallest] == [*some.pairs((0,), (), {1})]
    assert [*some.pairs((0,), (), {2})] == [smallest]
    assert [*some.pairs((0,), (1,), {1, 2})] == [(("a", "a"), ("a", "b"))]


def test_noise_looks_at_second_records() -> None:
    noise = {"query": {"page": "sum", "values": {"l": "0", "u": "1"}}, "page": "laplace", "parameter": "1"}

    def asking(atoms: Sequence[Any], **more: Any) -> Records:
        data = of(atoms=atoms, **more).setting.data()
        data["mechanisms"][0].pop("stated")
        data["mechanisms"][0]["noise"] = noise
        return Records(reading.read(data), told.THEORY)

    assert asking(TWO).metrics[1, 0].at(1, 0) == ONE
    with pytest.raises(NoCover, match="looks at attributes"):
        _ = asking([["a", "A"], ["b"]]).metrics
    with pytest.raises(NoCover, match="known for multisets only"):
        _ = asking(TWO, of="sequences").metrics
