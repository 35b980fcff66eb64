"""Relations and what is read, by hand: at each boundary what is read, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from kernel.core.test_settings import changed, on_a_list, on_records

from dpcompose.kernel.core import reading, relations
from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.core.reader import BadSetting, Reader
from dpcompose.kernel.core.settings import NOTHING, Relation
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.terms import letter

COUNT = letter("m", Domain.read("integer >= 1"))
LISTED = reading.read(on_a_list()).databases
RECORDS = reading.read(on_records()).databases
POLICIES = reading.read(on_records() | {"databases": on_records()["databases"] | {"kind": "policies"}, "target": {"single": [[0, 1]], "steps": 1}, "mechanisms": [on_records()["mechanisms"][2]]}).databases  # fmt: skip


def relation(data: Any, databases: Databases = RECORDS, count: int = 3) -> Relation:
    return relations.relation(Reader(data, "relation", {"m": COUNT}), databases, count)


@pytest.mark.parametrize(
    "data, databases, read",
    [
        ({"single": [[1, 0]], "steps": 10**6}, RECORDS, Relation(((0, 1), (1, 0)), 10**6)),
        ({"single": [[1, 1]], "steps": 1, "within": "any size"}, RECORDS, Relation(((1, 1),), 1, True)),
        ({"single": "any two", "steps": 2}, RECORDS, Relation("any two", 2)),
        ({"single": [[1, 1]], "steps": 1, "times": "m"}, RECORDS, Relation(((1, 1),), times=COUNT)),
        ({"single": [[2, 0], [None, 1]], "steps": 1}, POLICIES, Relation(((NOTHING, 1), (0, 2)))),
        ({"single": [[1, 0], [2, 2], [1, 2]], "steps": 3}, LISTED, Relation(((0, 1), (1, 2)), 3)),
        (
            {"single": [[0, 1], [1, 2]], "steps": 1, "lengths": ["0", "5/2"]},
            LISTED,
            Relation(((0, 1), (1, 2)), lengths=(Fraction(0), Fraction(5, 2))),
        ),
    ],
    ids=str,
)
def test_what_one_step_is(data: Any, databases: Databases, read: Relation) -> None:
    assert relation(data, databases) == read


LENGTHS, ATOMS = (
    "a number >= 0 for each of some pairs in order, one step apart",
    "two atoms, or an atom and null",
)


@pytest.mark.parametrize(
    "data, databases, words",
    [
        ({"single": [[1, 0]], "steps": 10**6 + 1}, RECORDS, "a whole number from 1 to 1000000"),
        ({"single": [[1, 0], [1]], "steps": 1}, RECORDS, "pairs of numbers"),
        ({"single": [[1, 0], [2, 1]], "steps": 1}, RECORDS, "pairs of 0 and 1"),
        ({"single": [[1, 0]], "steps": 1, "lengths": ["1"]}, RECORDS, "a table with the keys"),
        ({"single": [[1, 0]], "steps": 2, "times": "m"}, RECORDS, "single steps inside of the class"),
        ({"single": "any two", "steps": 1, "times": "m"}, RECORDS, "single steps inside of the class"),
        (
            {"single": [[1, 0]], "steps": 1, "times": "m", "within": "any size"},
            RECORDS,
            "single steps inside of the class",
        ),
        ({"single": [[1, 1]], "steps": 1, "within": "any size"}, POLICIES, "nothing for policies"),
        ({"single": [[None, None]], "steps": 1}, POLICIES, ATOMS),
        ({"single": [[0, 1, 2]], "steps": 1}, POLICIES, ATOMS),
        ({"single": [[0, 3]], "steps": 1}, POLICIES, "a whole number from 0 to 2"),
        ({"single": [[0, 1], [1, 3]], "steps": 1}, LISTED, "numbers below 3"),
        ({"single": [[0, 1]], "steps": 2, "lengths": ["1"]}, LISTED, LENGTHS),
        ({"single": [[1, 0]], "steps": 1, "lengths": ["1"]}, LISTED, LENGTHS),
        ({"single": [[1, 2], [0, 1]], "steps": 1, "lengths": ["1", "1"]}, LISTED, LENGTHS),
        ({"single": [[0, 1], [1, 1]], "steps": 1, "lengths": ["1", "1"]}, LISTED, LENGTHS),
        ({"single": [[0, 1]], "steps": 1, "lengths": ["1", "1"]}, LISTED, LENGTHS),
        ({"single": [[0, 1]], "steps": 1, "lengths": ["-1"]}, LISTED, LENGTHS),
        ({"single": [[0, 1]], "steps": 1, "lengths": ["m"]}, LISTED, LENGTHS),
        ({"single": [[0, 1]], "steps": 1, "lengths": ["oo"]}, LISTED, LENGTHS),
    ],
    ids=str,
)
def test_what_is_no_step(data: Any, databases: Databases, words: str) -> None:
    with pytest.raises(BadSetting) as refused:
        relation(data, databases)
    assert words in str(refused.value)


def also(stated: Any, **more: Any) -> dict[str, Any]:
    return {"stated": stated, "domain": "common", "notion": "pure", "values": {"epsilon": "2"}} | more


def test_guarantees_besides_are_for_the_same_neighbours_or_others() -> None:
    own = on_records()["mechanisms"][0]["stated"]
    for besides, alike in (
        ([], True),
        ([also(own)], True),
        ([also(own, domain="own")], False),
        ([also(own), also(own | {"steps": 2})], False),
    ):
        found = reading.read(changed(on_records(), ["mechanisms", 0, "also"], besides))
        assert found.mechanisms[0].has_alike is alike and reading.read(found.data()) == found


def test_a_guarantee_besides_on_a_list_is_for_databases_or_for_what_is_read() -> None:
    """Three databases, of which two values are read."""
    for domain, pair, fine in (("own", [0, 1], True), ("own", [0, 2], False), ("common", [0, 2], True)):
        data = on_a_list()
        data["mechanisms"][0].pop("table")
        data["mechanisms"][0]["also"] = [also({"single": [pair], "steps": 1}, domain=domain)]
        if fine:
            assert reading.read(reading.read(data).data()) == reading.read(data)
        else:
            with pytest.raises(BadSetting, match="numbers below 2"):
                reading.read(data)


def test_settings_of_orders_are_read_back_as_they_are() -> None:
    """A curve for all orders beside one order, or orders of which alpha is one; its letter is no parameter."""
    curve = {"notion": "renyi", "values": {"epsilon": "e*alpha"}, "orders": "(1, oo)"}
    for orders, named in (("2", set()), ("(1, 8]", {"alpha"})):
        data = on_records() | {"orders": orders}
        data["mechanisms"] = [data["mechanisms"][0] | curve]
        found = reading.read(data)
        assert reading.read(found.data()) == found and found.data()["orders"] == orders
        assert found.data()["parameters"].keys() == data["parameters"].keys()
        assert {name for name, _ in found.parameters} == {*data["parameters"]} | named
        assert found.mechanisms[0].has_alike
        data["mechanisms"][0]["also"] = [also(data["mechanisms"][0]["stated"]) | curve]
        assert not reading.read(data).mechanisms[0].has_alike
