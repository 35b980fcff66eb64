"""Classes of databases: what is one and what is none, each boundary by hand; and how many records they have."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from dpcompose.kernel.core import classes
from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.core.reader import BadSetting, Reader
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.terms import Term, letter, number

LETTERS = {
    "n": "integer >= 3",
    "k": "integer >= 1",
    "z": "integer >= 0",
    "e": "positive",
    "w": "integer >= -1",
}
SYMBOLS = {name: letter(name, Domain.read(text)) for name, text in LETTERS.items()}
N, K, Z = (SYMBOLS[name] for name in "nkz")


def read(data: Any) -> Databases:
    return classes.read(Reader(data, "databases", SYMBOLS))


RECORDS = {
    "kind": "records",
    "shown": "",
    "of": "multisets",
    "size": ["any", None],
    "atoms": [["a", "b"], ["c"]],
}
POLICIES = RECORDS | {"kind": "policies", "atoms": [["a"], ["b"], ["c"], ["d", "f"]]}
SETS = RECORDS | {"kind": "policies", "of": "sets", "atoms": [["a", "b", "g"], ["c"]]}
TUPLES = SETS | {
    "of": "tuples",
    "size": ["exactly", 2],
    "atoms": [["a"], ["b", "f"], ["c"]],
    "places": [0, 0, 1],
}
SEQUENCES = RECORDS | {"of": "sequences"}
COPIES = POLICIES | {"beside": [[1], [0], [3], []], "copies": [[0, 1], [2]]}
ROWS = {"kind": "contributions", "shown": "", "parts": [["a"], ["b", "b'"]], "outside": ["z", "z'"]}
CELLS = {"kind": "cells", "shown": "", "count": 3}
ANY_LENGTH = CELLS | {"size": ["exactly", 3], "letter": "n"}
POINTS = {"kind": "points", "coordinates": ["x", "y"], "box": [[None, "1"], ["0", None]]}
DISC = {"kind": "points", "coordinates": ["x", "y"], "box": [[None, None]] * 2, "disc": "1"}
PRODUCT = {"kind": "product", "shown": "", "parts": {"place": POINTS, "bags": RECORDS}}
COUNTED = {"pair": [2, 0], "moves": [1, "oo"]}
ARRAYS = {"kind": "arrays", "shown": "", "count": 3, "gone through": 2, "types": [COUNTED]}
BIG, LARGEST = 10**15, 10**15 + 1


@pytest.mark.parametrize(
    "data",
    [
        RECORDS,
        POLICIES,
        SETS,
        TUPLES,
        SEQUENCES,
        COPIES,
        ROWS,
        CELLS,
        ANY_LENGTH,
        PRODUCT,
        ARRAYS,
        RECORDS | {"size": ["exactly", 0]},
        RECORDS | {"size": ["exactly", BIG]},
        RECORDS | {"size": ["at most", 4], "least": 3},
        RECORDS | {"size": ["any", None], "least": BIG},
        RECORDS | {"size": ["at most", 3], "letter": "n"},
        RECORDS | {"size": ["at most", 3], "letter": "z"},
        RECORDS | {"letter": "n", "least": 3},
        RECORDS | {"size": ["at most", 4], "least": 3, "lower": "n"},
        RECORDS | {"size": ["at most", 4], "least": 1, "lower": "k", "letter": "n"},
        SETS | {"unlimited": True},
        SETS | {"least": 2, "letter": "k"},
        TUPLES | {"from": 2, "letter": "n"},
        TUPLES | {"from": BIG, "letter": "n"},
        COPIES | {"copies": [[0], [2]], "further": "alike"},
        COPIES | {"copies": [[0, 1]], "further": "others"},
        COPIES | {"copies": []},
        ROWS | {"outside": [], "least": 4},
        ROWS | {"size": ["at most", 4], "least": 3, "letter": "n", "lower": "n"},
        ROWS | {"size": ["exactly", 4]},
        CELLS | {"count": 0},
        ANY_LENGTH | {"size": ["any", None]},
        ANY_LENGTH | {"size": ["at most", 3], "lower": "n"},
        {"kind": "steps", "shown": ""},
        {"kind": "listed", "shown": "", "count": 7},
        PRODUCT | {"parts": {"place": DISC}},
        PRODUCT | {"parts": {"": RECORDS}},
        PRODUCT | {"parts": {"": {"kind": "steps", "shown": ""}}},
        PRODUCT | {"parts": {"one": CELLS, "two": {"kind": "listed", "shown": "", "count": 7}}},
        ARRAYS | {"gone through": 1},
        ARRAYS | {"gone through": 9, "types": [COUNTED] * 9},
        ARRAYS | {"gone through": 0, "types": []},
        ARRAYS | {"count": BIG, "types": [{"pair": [BIG - 1, 0], "moves": [BIG, 0]}]},
    ],
    ids=str,
)
def test_a_class_is_read_back_as_it_is(data: dict[str, Any]) -> None:
    found = read(data)
    assert read(found.data()) == found
    assert {
        key: value for key, value in data.items() if value not in ([], None)
    }.items() <= found.data().items()


ATOMS, COUNTS = "one or two records of each atom, all different is wanted", "a whole number from"
LETTER, UP_TO = "a letter for whole numbers from 0", "a letter for whole numbers up to the one that is there"
PLACES, COPIED = "the place of each atom of tuples", "different atoms of one record each"
AT_MOST = "nothing but where databases have at most some number"


@pytest.mark.parametrize(
    "data, words",
    [
        (RECORDS | {"of": "sets"}, "multisets or sequences"),
        (POLICIES | {"of": "sequences"}, "multisets or sets or tuples"),
        (RECORDS | {"atoms": []}, ATOMS),
        (RECORDS | {"atoms": [["a"], []]}, ATOMS),
        (SETS | {"atoms": [["a", "b", "c"], []]}, ATOMS),
        (RECORDS | {"atoms": [["a"], ["b", "c", "d"]]}, ATOMS),
        (RECORDS | {"atoms": [["a", "a"]]}, ATOMS),
        (SETS | {"atoms": [["a", "b"], ["b"]]}, ATOMS),
        (RECORDS | {"size": ["any"]}, "a word and a number"),
        (RECORDS | {"size": ["any", None, None]}, "a word and a number"),
        (RECORDS | {"size": ["at most", -1]}, COUNTS),
        (RECORDS | {"size": ["exactly", LARGEST]}, COUNTS),
        (RECORDS | {"least": -1}, COUNTS),
        (RECORDS | {"least": LARGEST}, COUNTS),
        (RECORDS | {"size": ["at most", 4], "least": 4}, COUNTS),
        (RECORDS | {"size": ["at most", 0], "least": 1}, COUNTS),
        (RECORDS | {"size": ["exactly", 4], "least": 1}, COUNTS),
        (SEQUENCES | {"least": 1}, "nothing for sequences"),
        (TUPLES | {"least": 1}, COUNTS),
        (SEQUENCES | {"size": ["at most", 4], "letter": "n"}, "nothing for sequences"),
        (RECORDS | {"size": ["at most", 2], "letter": "n"}, UP_TO),
        (RECORDS | {"least": 2, "letter": "n"}, UP_TO),
        (RECORDS | {"size": ["at most", 4], "least": 2, "lower": "n"}, UP_TO),
        (RECORDS | {"size": ["at most", 4], "letter": "3"}, LETTER),
        (RECORDS | {"size": ["at most", 4], "letter": "n + 1"}, LETTER),
        (RECORDS | {"size": ["at most", 4], "letter": "e"}, LETTER),
        (RECORDS | {"size": ["at most", 4], "letter": "w"}, LETTER),
        (RECORDS | {"size": ["exactly", 4], "lower": "z"}, AT_MOST),
        (RECORDS | {"lower": "z"}, AT_MOST),
        (SETS | {"size": ["exactly", 1], "lower": "z"}, AT_MOST),
        (ROWS | {"lower": "z"}, AT_MOST),
        (ROWS | {"size": ["at most", 2], "letter": "n"}, UP_TO),
        (ROWS | {"size": ["at most", 4], "least": 4}, COUNTS),
        (ROWS | {"parts": [[]]}, "one or two rows of each part"),
        (ROWS | {"parts": [["a"], ["b", "c", "d"]]}, "one or two rows of each part"),
        (ROWS | {"parts": [["a"], ["a"]]}, "all different"),
        (ROWS | {"parts": [["a"], ["z'"]]}, "all different"),
        (ROWS | {"outside": ["z"]}, "two or none outside"),
        (ROWS | {"outside": ["x", "y", "z"]}, "two or none outside"),
        (RECORDS | {"places": [0, 1]}, PLACES),
        (SETS | {"places": [0, 0]}, PLACES),
        (TUPLES | {"places": [0, 1]}, PLACES),
        (TUPLES | {"places": [0, 0, 0]}, PLACES),
        (TUPLES | {"places": [0, 1, 2]}, PLACES),
        (TUPLES | {"size": ["exactly", 3]}, PLACES),
        (TUPLES | {"size": ["at most", 2]}, PLACES),
        ({key: value for key, value in TUPLES.items() if key != "places"}, "the key places is missing"),
        (RECORDS | {"from": 1}, "a length of tuples"),
        (TUPLES | {"from": 1, "letter": "n"}, "a length of tuples"),
        (TUPLES | {"from": LARGEST, "letter": "n"}, COUNTS),
        (RECORDS | {"unlimited": True}, "nothing but for sets"),
        (TUPLES | {"unlimited": True}, "nothing but for sets"),
        (COPIES | {"beside": [[1], [0], [3], [4]]}, "numbers of atoms"),
        (COPIES | {"copies": [[0, 1], [4]]}, "numbers of atoms"),
        (COPIES | {"beside": [[1], [0], [3]]}, "some atoms for each one"),
        (COPIES | {"beside": []}, COPIED),
        (COPIES | {"copies": [[0, 1], []]}, COPIED),
        (COPIES | {"copies": [[0, 1], [1]]}, COPIED),
        (COPIES | {"copies": [[0], [3]]}, COPIED),  # an atom of two records
        (COPIES | {"further": "alike"}, "nothing unless all records have a copy at each place"),
        (COPIES | {"copies": [], "further": "alike"}, "nothing unless all records have a copy"),
        (COPIES | {"copies": [[0], [2]], "further": "some"}, "alike or others"),
        (SETS | {"beside": [[1], [0]]}, "a table with the keys"),
        (CELLS | {"size": ["exactly", 3]}, "a table with the keys"),
        (ANY_LENGTH | {"size": ["exactly", 2]}, "a word and the number of cells"),
        (ANY_LENGTH | {"size": ["any", 3]}, "a word and the number of cells"),
        (ANY_LENGTH | {"size": ["at most", None]}, "a word and the number of cells"),
        (ANY_LENGTH | {"size": ["exactly", 3, 3]}, "a word and the number of cells"),
        (ANY_LENGTH | {"letter": "e"}, LETTER),
        ({"kind": "steps", "shown": "", "count": 1}, "a table with the keys"),
        (PRODUCT | {"parts": {}}, "a table of parts"),
        (PRODUCT | {"parts": [POINTS]}, "a table of parts"),
        (PRODUCT | {"parts": {"": POINTS, "bags": RECORDS}}, "'' is no name of a part"),
        (PRODUCT | {"parts": {"a b": POINTS}}, "'a b' is no name of a part"),
        (PRODUCT | {"parts": {"é": POINTS}}, "is no name of a part"),
        (PRODUCT | {"parts": {"a__b": POINTS}}, "is no name of a part"),
        (PRODUCT | {"parts": {"max": POINTS}}, "is no name of a part"),
        (PRODUCT | {"parts": {"bags": POLICIES}}, "points, records, cells"),
        (PRODUCT | {"parts": {"bags": ROWS}}, "points, records, cells"),
        (PRODUCT | {"parts": {"one": POINTS, "two": DISC}}, "other coordinates in each part"),
        (PRODUCT | {"parts": {"one": POINTS | {"coordinates": []}}}, "names of coordinates, each once"),
        (
            PRODUCT | {"parts": {"one": POINTS | {"coordinates": ["x", "x"]}}},
            "names of coordinates, each once",
        ),
        (
            PRODUCT | {"parts": {"one": POINTS | {"coordinates": ["x", "y y"]}}},
            "names of coordinates, each once",
        ),
        (PRODUCT | {"parts": {"one": POINTS | {"box": [[None, "1"]]}}}, "two ends for each coordinate"),
        (PRODUCT | {"parts": {"one": POINTS | {"box": [[None, "1"], ["0"]]}}}, "two ends"),
        (PRODUCT | {"parts": {"one": POINTS | {"disc": "1"}}}, "a disc of two coordinates without ends"),
        (
            PRODUCT | {"parts": {"one": DISC | {"box": [[None, None], ["0", None]]}}},
            "a disc of two coordinates",
        ),
        (PRODUCT | {"parts": {"one": DISC | {"coordinates": ["x"], "box": [[None] * 2]}}}, "a disc of two"),
        (ARRAYS | {"types": []}, "a type for some of the pairs"),
        (ARRAYS | {"gone through": 0}, "a type for some of the pairs"),
        (ARRAYS | {"gone through": 1, "types": [COUNTED] * 2}, "a type for some of the pairs"),
        (ARRAYS | {"gone through": -1}, COUNTS),
        (ARRAYS | {"gone through": BIG**2 + 1}, COUNTS),
        (ARRAYS | {"count": LARGEST}, COUNTS),
        (ARRAYS | {"types": [COUNTED | {"pair": [3, 0]}]}, COUNTS),
        (ARRAYS | {"types": [COUNTED | {"pair": [0, 0]}]}, "two different databases"),
        (ARRAYS | {"types": [COUNTED | {"pair": [0, 1, 2]}]}, "two different databases"),
        (ARRAYS | {"types": [COUNTED | {"moves": [LARGEST]}]}, COUNTS),
        (ARRAYS | {"types": [COUNTED | {"moves": [-1]}]}, COUNTS),
        (ARRAYS | {"types": [COUNTED | {"more": 1}]}, "a table with the keys"),
    ],
    ids=str,
)
def test_what_is_no_class_is_refused(data: dict[str, Any], words: str) -> None:
    with pytest.raises(BadSetting) as refused:
        read(data)
    assert words in str(refused.value)


# how many records there are


def of(word: str = "any", n: int | None = None, **more: Any) -> Databases:
    return read(RECORDS | {"size": [word, n]} | more)


@pytest.mark.parametrize(
    "databases, differ, not_differ",
    [
        (of(), [(0, 9), (9, 9)], []),
        (of(least=4), [(0, 9), (9, 9)], []),
        (of("at most", 4), [(4, 0), (4, 4), (0, 3)], [(5, 0), (5, 5), (0, 5)]),
        (of("at most", 4, least=3), [(1, 0), (4, 4), (3, 4)], [(2, 0), (1, 3), (5, 5)]),
        (of("exactly", 4), [(1, 1), (4, 4)], [(1, 0), (3, 4), (5, 5)]),
    ],
)
def test_by_how_many_records_two_databases_differ(
    databases: Databases, differ: list[tuple[int, int]], not_differ: list[tuple[int, int]]
) -> None:
    assert all(databases.differ(*one) for one in differ)
    assert not any(databases.differ(*one) for one in not_differ)


def test_how_many_records_databases_have_and_share() -> None:
    assert of().has(0, 9) and of("at most", 4).has(0, 4) and not of("at most", 4).has(1, 5)
    assert of("exactly", 4).has(4, 4) and not of("exactly", 4).has(3, 4)
    assert of().shared(2, 3) == 0 and of("at most", 9).shared(2, 3) == 0
    assert of("at most", 9, least=5).shared(2, 3) == 3 and of(least=5).shared(7, 6) == 0
    assert of("exactly", 5).shared(2, 2) == 3 and of("exactly", 0).shared(0, 0) == 0


def largest(databases: Databases) -> Term | None:
    return databases.largest


def test_how_many_records_databases_have_at_most_and_at_least() -> None:
    assert largest(of()) is None and largest(of("at most", 4)) == number(4) == largest(of("exactly", 4))
    assert largest(of("at most", 4, letter="n")) == N and largest(of(least=3, letter="n")) is None
    assert largest(read(SEQUENCES | {"size": ["at most", 4]})) is None is largest(read(ROWS))
    some = [of(), of("at most", 4), of(least=1), of("at most", 4, least=1, lower="k"), of(letter="z")]
    assert [one.from_some_size_on for one in some] == [False, False, True, True, False]
    assert [one.of_all_sizes for one in some] == [True, False, False, False, False]
    assert [one.fewest(None) for one in some] == [0, 0, 1, K, Z]
    assert of(least=3, letter="n").fewest(None) == N and of("at most", 4, letter="z").fewest(None) == 0
    assert {one.fewest((0,)) for one in (*some, of("exactly", 4))} == {0}
    assert (
        of("exactly", 4).fewest(None) is None is read(SEQUENCES).fewest(None) is read(SEQUENCES).fewest((0,))
    )


@pytest.mark.parametrize(
    "databases, every, two",
    [
        (of(), None, None),
        (of("at most", 4), None, None),
        (of("exactly", 4), 4, None),
        (of("exactly", 4, letter="n"), N, None),
        (of("exactly", 4, letter="z"), None, None),  # there may be none
        (read(CELLS), 3, 2),
        (read(ANY_LENGTH), N, 2),
        (read(ANY_LENGTH | {"size": ["at most", 3]}), None, 2),
        (read(TUPLES), 2, None),
        (read(ROWS | {"size": ["exactly", 4]}), 4, None),
        (read({"kind": "listed", "shown": "", "count": 4}), None, None),
    ],
)
def test_how_many_records_are_read(databases: Databases, every: Any, two: int | None) -> None:
    assert databases.how_many(None) == every and databases.how_many((0, 1)) == two


@pytest.mark.parametrize(
    "databases, letters, point, size, least",
    [
        (of("at most", 4), {}, {}, ("at most", 4), 0),
        (of("at most", 4, letter="n"), {"n": 4}, {"n": 7}, ("at most", 7), 0),
        (of("exactly", 4, letter="n"), {"n": 4}, {"n": 7}, ("exactly", 7), 0),
        (of(least=3, letter="n"), {"n": 3}, {"n": 7}, ("any", None), 7),
        (of("at most", 4, least=1, lower="k"), {"k": 1}, {"k": 2}, ("at most", 4), 2),
        (
            of("at most", 4, least=1, lower="k", letter="n"),
            {"k": 1, "n": 4},
            {"k": 2, "n": 9},
            ("at most", 9),
            2,
        ),
    ],
)
def test_letters_stand_for_numbers(
    databases: Databases, letters: dict[str, int], point: dict[str, int], size: Any, least: int
) -> None:
    assert databases.letters == letters
    there = databases.at({name: Fraction(value) for name, value in point.items()})
    assert (there.size, there.least) == (size, least) and not there.letters


def test_what_classes_are_made_of() -> None:
    assert read(TUPLES | {"from": 2, "letter": "n"}).letters == {"n": 2} and read(ANY_LENGTH).letters == {
        "n": 3
    }
    assert read(ANY_LENGTH | {"size": ["any", None]}).letters == {"n": 0}
    assert [read(one).steps_add_up for one in (RECORDS, ROWS, SEQUENCES, CELLS)] == [True, True, False, False]
    listed = read({"kind": "listed", "shown": "", "count": 4})
    assert (listed.values(None), listed.values((0, 1, 0, 2)), read(CELLS).values((0, 1))) == (4, 3, 0)
