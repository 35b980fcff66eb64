"""Which distances and mechanisms on products are read: one thing of each is changed, and it is refused."""

from __future__ import annotations

from typing import Any

import pytest
from kernel.core.test_products import ABOUT, BAGS, LINE, SIZE, TABLE, THREE, core, mechanism

from dpcompose.kernel.core import reading
from dpcompose.kernel.core.reader import BadSetting

PLANE = {"kind": "points", "coordinates": ["x", "y"], "box": [[None, None], [None, None]]}
STEPS = {**ABOUT, "stated": {"single": [[1, 0]], "steps": 1}}
BOTH = {"place": PLANE, "bags": BAGS}
NORM = "sqrt((x__D - x__E)**2 + (y__D - y__E)**2)"
ANY = mechanism("M", "1")
MOVES = ["x__D - x__E"]


@pytest.mark.parametrize(
    "distance",
    [
        {},
        {"formula": SIZE},
        {"formula": SIZE, "apart": True},
        {"formula": SIZE, "apart": False, "within": "e"},
        {"formula": SIZE, "at most": "e"},
        {"formula": NORM, "over": ["x"]},
        {"formula": NORM, "over": ["x"], "at most": "2"},
        {"differences": MOVES},
        {"differences": MOVES, "at most": "1"},
        {"parts": ["place", "bags"]},
        {"part": "bags", "input": STEPS},
        {"part": "bags", "input": STEPS, "at most": "3"},
    ],
    ids=str,
)
def test_a_distance_that_is_read_is_written_as_it_was(distance: dict[str, Any]) -> None:
    setting = core(BOTH, {"d__a": distance}, ANY)
    assert reading.read(setting.data()) == setting
    assert setting.data()["distances"]["d__a"].keys() == {key for key, value in distance.items() if value}


@pytest.mark.parametrize(
    "distance",
    [
        {"formula": SIZE, "differences": MOVES},
        {"formula": SIZE, "parts": ["place"]},
        {"formula": SIZE, "part": "bags", "input": STEPS},
        {"part": "bags"},
        {"input": STEPS},
        {"formula": SIZE, "part": "bags"},
        {"part": "place", "input": STEPS},  # points have no steps
        {"part": "none", "input": STEPS},
        {"parts": ["none"]},
        {"apart": True},
        {"differences": MOVES, "apart": True},
        {"formula": SIZE, "apart": 1},
        {"within": "e"},
        {"differences": MOVES, "within": "e"},
        {"formula": SIZE, "apart": True, "within": "e"},
        {"formula": SIZE, "within": "x__D"},
        {"formula": SIZE, "within": "oo"},
        {"formula": SIZE, "at most": "oo"},
        {"formula": "oo"},
        {"differences": ["oo", *MOVES]},
        {"formula": NORM, "over": ["x", "x"]},
        {"formula": NORM, "over": ["z"]},
        {"formula": NORM, "over": ["x"], "within": "e"},
        {"formula": NORM, "over": ["x"], "apart": True},
        {"over": ["x"]},
        {"formula": SIZE, "more": "1"},
    ],
    ids=str,
)
def test_a_distance_that_says_two_things_or_half_of_one_is_refused(distance: dict[str, Any]) -> None:
    with pytest.raises(BadSetting, match=r"distances\.d__a"):
        core(BOTH, {"d__a": distance}, ANY)


@pytest.mark.parametrize("name", ["a", "x__D", "d__a__F", "__"])
def test_a_distance_is_called_as_such(name: str) -> None:
    with pytest.raises(BadSetting, match="distances"):
        core(BOTH, {name: {"formula": SIZE}}, ANY)


def test_distances_are_those_of_products_and_their_parameters_are_called_otherwise() -> None:
    with pytest.raises(BadSetting, match="of a product"):
        reading.read({**core(BOTH, {"d__a": {}}, ANY).data(), "databases": BAGS})
    with pytest.raises(BadSetting, match="no __"):
        core(BOTH, {"d__a": {}}, ANY, parameters={"e__f": "positive"})
    with pytest.raises(BadSetting, match="d__b"):  # each is made of those before it
        core(BOTH, {"d__a": {"formula": "d__b"}, "d__b": {"formula": SIZE}}, ANY)
    assert core(BOTH, {"d__a": {"formula": SIZE}, "d__b": {"formula": "2*d__a"}}, ANY)


NOISE = {"page": "laplace", "parameter": "1", "entries": ["x__D"]}
DISTANCES = {
    "d__a": {"formula": SIZE},
    "d__t": {"part": "three", "input": {**STEPS, "stated": {"single": "any two", "steps": 1}}},
}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"noise": NOISE},
        {"noise": NOISE | {"entries": ["x__D", "2*x__D"]}},
        {"count": "2"},
        {"metric": {"formula": "e*d__a", "besides": {"epsilon": "2*d__a"}}},
    ],
    ids=str,
)
def test_a_mechanism_on_a_product(more: dict[str, Any]) -> None:
    setting = core({"place": LINE, "three": THREE}, DISTANCES, mechanism("M", "d__a") | more)
    assert reading.read(setting.data()) == setting


@pytest.mark.parametrize(
    "more",
    [
        {"reads": [[0]]},
        {"domain": "common"},
        {"stated": {"single": "any two", "steps": 1}},
        {"values": {"epsilon": "d__a"}},
        {"count": "d__a"},
        {"noise": NOISE | {"parameter": "d__a"}},
        {"noise": NOISE | {"entries": []}},
        {"noise": NOISE | {"entries": ["oo", "x__D"]}},
        {"noise": NOISE | {"entries": ["x__D", "d__a"]}},
        {"noise": NOISE | {"entries": ["x__E"]}},
        {"noise": NOISE, "metric": {"formula": "2*d__a", "besides": {}}},
        {"noise": NOISE, "metric": {"formula": "d__a", "besides": {"epsilon": "d__a"}}},
        {"table": TABLE, "metric": {"formula": "2*d__t", "besides": {}}},
        {"metric": {"formula": "oo", "besides": {}}},
        {"metric": {"formula": "d__a", "besides": {"epsilon": "oo"}}},
        {"metric": {"formula": "d__a", "besides": {"delta": "0"}}},
    ],
    ids=str,
)
def test_what_a_mechanism_on_a_product_cannot_say(more: dict[str, Any]) -> None:
    with pytest.raises(BadSetting, match="mechanisms"):
        core({"place": LINE, "three": THREE}, DISTANCES, mechanism("M", "d__a") | more)
