"""Core settings: what is none is refused where it stands; what is one is read back as it is."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.core.reading import read
from dpcompose.kernel.core.settings import Setting

Data = Any


def on_records() -> Data:
    guarantee = {"notion": "approximate", "values": {"epsilon": "e", "delta": "1/9"}}
    return {
        "parameters": {"e": "positive", "k": "integer >= 1", "f[i]": "nonnegative"},
        "databases": {
            "kind": "records",
            "shown": "all multisets",
            "of": "multisets",
            "size": ["exactly", 4],
            "atoms": [["a", "b"], ["c"], ["d", "e"]],
        },
        "target": {"single": [[0, 1], [1, 0]], "steps": 2},
        "mechanisms": [
            {"name": "M", "reads": [[0, 2]], "stated": {"single": [[1, 1]], "steps": 1}, "domain": "common"}
            | guarantee,
            {"name": "F", "reads": [[0], [1]], "stated": {"single": "any two", "steps": 1}, "domain": "own"}
            | {"notion": "pure", "values": {"epsilon": "f[i]"}, "count": "k", "partition": "P"},
            {"name": "N", "reads": [None], "domain": "own", "notion": "pure", "values": {"epsilon": "1/2"}}
            | {
                "noise": {
                    "query": {"page": "mean", "values": {"l": "0", "u": "e"}, "n": 4},
                    "page": "laplace",
                    "parameter": "2",
                }
            },
        ],
        "adaptive": False,
    }


def by_policies() -> Data:
    data = on_records()
    data["databases"]["kind"] = "policies"
    data["target"] = {"single": [[None, 1], [0, 0], [0, 2]], "steps": 2}
    data["mechanisms"][0]["stated"]["single"] = [[0, 1]]
    del data["mechanisms"][1]  # families on partitions are not told by policies
    return data


def by_contributions() -> Data:
    bag = {"parts": "2", "rows": "3", "replaced": "bag"}
    mechanisms = [
        {"name": "M", "reads": [[1]], "stated": {"single": bag, "steps": 1}, "domain": "own"},
        {"name": "N", "reads": [None], "stated": {"single": [[0, 1], [1, 0]], "steps": 2}, "domain": "own"},
    ]
    return {
        "parameters": {"e": "positive", "n": "integer >= 0"},
        "databases": {
            "kind": "contributions",
            "shown": "multisets",
            "parts": [["a"], ["b", "b'"]],
            "outside": ["z", "z'"],
        },
        "target": {"single": bag, "steps": 1},
        "mechanisms": [one | {"notion": "pure", "values": {"epsilon": "e"}} for one in mechanisms],
        "adaptive": False,
    }


def on_cells() -> Data:
    stated = {"single": [[0], [1, 2]], "steps": 3}
    return {
        "parameters": {},
        "databases": {"kind": "cells", "shown": "tuples", "count": 3},
        "target": {"single": [[0], [1], [2]], "steps": 1},
        "mechanisms": [
            {"name": "M", "reads": [[0, 2]], "stated": stated, "domain": "own", "notion": "pure"}
            | {"values": {"epsilon": "1"}}
        ],
        "adaptive": True,
    }


def on_a_list() -> Data:
    stated = {"single": [[0, 1]], "steps": 1}
    rows = [["1/2", "1/2"], ["1/4", "3/4"]]
    return {
        "parameters": {},
        "databases": {"kind": "listed", "shown": "three", "count": 3},
        "target": {"single": [[0, 1], [1, 2]], "steps": 1},
        "mechanisms": [
            {"name": "M", "reads": [[0, 1, 0]], "stated": stated, "domain": "own", "notion": "pure"}
            | {"values": {"epsilon": "1"}, "table": {"on": "inputs", "outcomes": ["0", "1"], "rows": rows}}
        ],
        "adaptive": False,
    }


def in_steps() -> Data:
    stated = {"single": "step", "steps": 2}
    return {
        "parameters": {},
        "databases": {"kind": "steps", "shown": "graphs"},
        "target": {"single": "step", "steps": 3},
        "mechanisms": [
            {"name": "M", "reads": [None], "stated": stated, "domain": "own", "notion": "pure"}
            | {"values": {"epsilon": "1"}, "study": on_cells()}
        ],
        "adaptive": False,
    }


def on_a_deal() -> Data:
    data = on_records()
    one = {"single": [[1, 1]], "steps": 1}
    deal = {"name": "D", "reads": [None], "stated": one, "domain": "own", "notion": "pure", "count": "2"}
    data["databases"]["size"] = ["any", None]
    data["mechanisms"] = [deal | {"values": {"epsilon": "e"}, "partition": "deal", "dealt": True}]
    return data


def on_arrays() -> Data:
    step = {"single": "step of near", "steps": 2}
    guarantee = {"domain": "own", "notion": "pure", "values": {"epsilon": "1"}}
    return {
        "parameters": {},
        "databases": {
            "kind": "arrays",
            "shown": "many",
            "count": 9_999,
            "gone through": 12_345,
            "types": [{"pair": [17, 3], "moves": [2, "oo"]}, {"pair": [0, 1], "moves": [3, 0]}],
        },
        "target": step,
        "mechanisms": [
            {"name": "M", "reads": [None], "stated": step, **guarantee},
            {"name": "N", "reads": [[0]], "stated": {"single": "any two", "steps": 1}, **guarantee},
        ],
        "adaptive": False,
    }


EVERY = {
    "records": on_records,
    "policies": by_policies,
    "contributions": by_contributions,
    "cells": on_cells,
    "list": on_a_list,
    "steps": in_steps,
    "arrays": on_arrays,
    "a deal": on_a_deal,
}


@pytest.mark.parametrize("made", EVERY.values(), ids=EVERY)
def test_settings_are_read_back_as_they_are(made: Any) -> None:
    data = made()
    found = read(data)
    again = json.loads(json.dumps(found.data(), sort_keys=True))
    assert read(again) == found and read(again).hash == found.hash and again == found.data()
    assert found.data() == normal(data)


def normal(data: Data) -> Data:
    """The same with pairs either way round."""
    data = copy.deepcopy(data)
    for one in data["mechanisms"]:
        if "study" in one:
            one["study"] = normal(one["study"])
    return data


def test_settings_are_equal_where_their_hashes_are() -> None:
    first, second = on_records(), on_records()
    second["mechanisms"][0]["values"] = dict(reversed(second["mechanisms"][0]["values"].items()))
    second["target"]["single"] = [[1, 0]]
    second["mechanisms"][0]["reads"] = [[2, 0, 2]]
    assert read(first) == read(second) and read(first).hash == read(second).hash
    other = on_records()
    other["mechanisms"][0]["values"]["delta"] = "1/8"
    assert read(other).hash != read(first).hash


# forged settings

DEALS = "nothing but for families that read multisets, each its own part, so false"
FORGED: list[tuple[str, list[Any], Any, str]] = [
    # which setting, the keys that lead to a value, the value, what is said of it
    ("records", ["mechanisms", 0, "reads", 0], [0, 3], "numbers below 3"),
    ("records", ["mechanisms", 0, "reads", 0], [0, -1], "a whole number from 0"),
    ("records", ["mechanisms", 0, "reads", 0], [0, 1.0], "a whole number from 0"),
    ("records", ["mechanisms", 0, "reads", 0], [True], "a whole number from 0"),
    ("records", ["mechanisms", 0, "reads"], [[0], [1]], "one set that is read"),
    ("records", ["mechanisms", 0, "reads"], [], "one set that is read"),
    ("records", ["mechanisms", 0, "partition"], "P", "one set that is read"),
    ("records", ["mechanisms", 0, "domain"], "theirs", "own or common"),
    ("records", ["mechanisms", 0, "values", "epsilon"], "x", "unknown name 'x'"),
    ("records", ["mechanisms", 0, "values", "epsilon"], 1, "a text"),
    ("records", ["mechanisms", 0, "values", "epsilon"], "1 +", "missing"),
    ("records", ["mechanisms", 0, "stated", "single"], [[2, 2]], "pairs of 0 and 1"),
    ("records", ["mechanisms", 0, "stated", "single"], [[0, 0]], "pairs of 0 and 1"),
    ("records", ["mechanisms", 0, "stated", "single"], [[1]], "pairs of numbers"),
    ("records", ["mechanisms", 0, "stated", "single"], "step", "a list"),
    ("records", ["mechanisms", 0, "stated", "steps"], 0, "a whole number from 1"),
    ("records", ["mechanisms", 0, "stated", "steps"], 1.5, "a whole number from 1"),
    ("records", ["mechanisms", 0, "stated"], None, "a table"),
    (
        "records",
        ["mechanisms", 0, "table"],
        {"on": "databases", "outcomes": ["0"], "rows": [["1"]]},
        "0 rows",
    ),
    ("records", ["mechanisms", 0, "more"], 1, "a table with the keys name, reads"),
    ("records", ["mechanisms", 0, "name"], "F", "two have the same name"),
    ("records", ["mechanisms", 1, "count"], "e", "a whole number from 1"),
    ("records", ["mechanisms", 1, "count"], "3/2", "a whole number from 1"),
    ("records", ["mechanisms", 1, "count"], "0", "a whole number from 1"),
    ("records", ["mechanisms", 1, "count"], "k + 1", "a whole number from 1"),
    ("records", ["mechanisms", 1, "count"], "1", "as many parts as there are members"),
    ("records", ["mechanisms", 1, "reads"], [[0], None], "one set that is read, or parts"),
    ("records", ["mechanisms", 1, "partition"], "", "one set that is read, or parts"),
    ("records", ["mechanisms", 2, "noise", "query", "n"], 5, "the number of records that are read"),
    ("records", ["mechanisms", 2, "noise", "query", "n"], 0, "a whole number from 1"),
    ("records", ["mechanisms", 2, "noise", "query", "least"], 4, "the least number of records that are read"),
    ("records", ["mechanisms", 2, "noise", "query", "values"], ["0"], "a table of formulas"),
    ("records", ["mechanisms", 2, "reads", 0], [0, 1], "the number of records that are read"),
    ("records", ["mechanisms", 2, "stated"], {"single": [], "steps": 1}, "either noise, or the neighbours"),
    ("records", ["databases", "size"], ["at most", 4], "the number of records that are read"),
    ("records", ["databases", "size"], ["exactly"], "a word and a number"),
    ("records", ["databases", "size"], ["exactly", None], "a whole number from 0"),
    ("records", ["databases", "size"], ["about", 4], "any or at most or exactly"),
    ("records", ["databases", "atoms"], [], "one or two records of each atom"),
    ("records", ["databases", "atoms"], [["a", "b", "c"]], "one or two records of each atom"),
    ("records", ["databases", "atoms"], [["a"], ["a"]], "one or two records of each atom"),
    ("records", ["databases", "atoms"], [[]], "one or two records of each atom"),
    ("records", ["databases", "atoms"], [["a"], ["b"], ["c", "d", "f"]], "one or two records of each atom"),
    ("records", ["databases", "kind"], "cells", "a table with the keys"),
    (
        "records",
        ["databases", "kind"],
        "anything",
        "records or policies or contributions or cells or listed or steps or arrays",
    ),
    ("records", ["databases", "count"], 2, "a table with the keys"),
    ("records", ["parameters", "sum"], "positive", "no name of a parameter"),
    ("records", ["parameters", "e e"], "positive", "no name of a parameter"),
    ("records", ["parameters", "x"], "small", "no domain"),
    ("records", ["parameters", "x"], 1, "a text"),
    ("records", ["parameters"], [], "a table"),
    ("records", ["mechanisms"], [], "a list of 1 to"),
    ("records", ["adaptive"], 1, "true or false"),
    ("records", ["more"], 1, "a table with the keys parameters"),
    ("records", ["target", "within"], "size 3", "any size"),
    ("policies", ["target", "within"], "any size", "nothing for policies"),
    ("records", ["target", "times"], "2", "a letter for a whole number from 1"),
    ("records", ["target", "times"], "x", "unknown name 'x'"),
    ("records", ["target", "times"], "e", "a letter for a whole number from 1"),
    ("cells", ["target", "times"], "x", "unknown name 'x'"),
    ("policies", ["target", "single"], [[0, 3]], "a whole number from 0"),
    ("policies", ["target", "single"], [[None, None]], "two atoms, or an atom and null"),
    ("policies", ["target", "single"], [[0, 1, 2]], "two atoms, or an atom and null"),
    ("policies", ["target", "single"], [[0]], "two atoms, or an atom and null"),
    ("policies", ["target", "single"], [[0, -1]], "a whole number from 0"),
    ("policies", ["target", "single"], [0], "a list"),
    ("policies", ["target", "single"], "step", "a list"),
    ("policies", ["databases", "of"], "sequences", "multisets"),
    ("policies", ["databases", "beside"], [[3], [], []], "numbers of atoms"),
    ("policies", ["databases", "beside"], [[1]], "some atoms for each one"),
    ("policies", ["databases", "copies"], [[0]], "different atoms of one record each"),
    ("records", ["databases", "beside"], [[], [], []], "a table with the keys"),
    ("policies", ["databases", "kind"], "records", "a whole number from 0"),
    ("policies", ["mechanisms", 0, "reads", 0], [0, 3], "numbers below 3"),
    ("contributions", ["databases", "parts"], [["a", "b", "c"]], "one or two rows of each part"),
    ("contributions", ["databases", "parts"], [["z"]], "all different"),
    ("contributions", ["databases", "outside"], ["z"], "two or none outside"),
    ("contributions", ["databases", "least"], -1, "a whole number from 0"),
    ("contributions", ["databases", "letter"], "e", "a letter for whole numbers from 0"),
    ("contributions", ["databases", "size"], ["at most", -1], "a whole number from 0"),
    ("contributions", ["databases", "size"], ["exactly"], "a word and a number"),
    ("contributions", ["databases", "lower"], "n", "nothing but where databases have at most"),
    ("contributions", ["target", "single", "parts"], "0", "a whole number from 1"),
    ("contributions", ["target", "single", "rows"], "e", "a whole number from 1"),
    ("contributions", ["target", "single", "rows"], "n", "a whole number from 1"),
    ("contributions", ["target", "single", "among"], {"P": "0"}, "a whole number from 1"),
    ("contributions", ["target", "single", "among"], ["P"], "a table of numbers by the names of partitions"),
    ("contributions", ["target", "single", "rows"], 3, "a text"),
    ("contributions", ["target", "single", "replaced"], True, "no or bag or rows"),
    ("contributions", ["target", "single"], {"parts": "1"}, "the key rows is missing"),
    ("contributions", ["target", "steps"], 0, "a whole number from 1 to"),
    ("contributions", ["mechanisms", 0, "reads", 0], [2], "numbers below 2"),
    ("contributions", ["mechanisms", 0, "reads", 0], [0, 1], "the number of one part"),
    ("contributions", ["mechanisms", 0, "reads"], [[0], [1]], "one list of parts"),
    ("contributions", ["mechanisms", 0, "stated", "single"], [[2, 0]], "pairs of 0 and 1"),
    ("cells", ["mechanisms", 0, "reads", 0], [3], "numbers below 3"),
    ("cells", ["mechanisms", 0, "stated", "single"], [[0, 3]], "numbers below 3"),
    ("cells", ["target", "single"], [0], "a list"),
    ("cells", ["databases", "count"], -1, "a whole number from 0"),
    ("cells", ["databases", "count"], 10**7, "a whole number from 0"),
    ("list", ["mechanisms", 0, "reads", 0], [0, 1], "a value for each of 3 databases"),
    ("list", ["mechanisms", 0, "reads", 0], [0, 2, 0], "numbered from 0, without gaps"),
    ("list", ["mechanisms", 0, "reads", 0], [1, 2, 1], "numbered from 0, without gaps"),
    ("list", ["mechanisms", 0, "stated", "single"], [[0, 2]], "numbers below 2"),
    ("list", ["target", "single"], [[0, 3]], "numbers below 3"),
    ("list", ["mechanisms", 0, "table", "rows"], [["1", "0"]], "2 rows"),
    ("list", ["mechanisms", 0, "table", "rows", 0], ["1"], "2 rows"),
    ("list", ["mechanisms", 0, "table", "on"], "both", "databases or inputs"),
    ("list", ["mechanisms", 0, "count"], "2", ""),
    ("steps", ["target", "single"], [[0, 1]], "any two or step"),
    ("steps", ["mechanisms", 0, "reads", 0], [], "numbers below 0"),
    ("steps", ["mechanisms", 0, "study", "databases", "count"], 2, "numbers below 2"),
    ("arrays", ["mechanisms", 1, "reads", 0], [], "the number of one map"),
    ("arrays", ["mechanisms", 1, "reads", 0], [0, 1], "the number of one map"),
    ("arrays", ["mechanisms", 1, "reads"], [[0], [1]], "one set that is read"),
    ("arrays", ["mechanisms", 1, "stated", "single"], [[0, 1]], "a text"),
    ("arrays", ["target", "steps"], 0, "a whole number from 1"),
    ("arrays", ["mechanisms", 0, "also"], [{}], "nothing besides what is given"),
    ("a deal", ["mechanisms", 0, "reads"], [[0]], DEALS),
    ("a deal", ["mechanisms", 0, "partition"], "", DEALS),
    ("a deal", ["mechanisms", 0, "domain"], "common", DEALS),
    ("a deal", ["mechanisms", 0, "also"], [], DEALS),
    ("a deal", ["mechanisms", 0, "dealt"], False, "one set that is read, or parts of a partition"),
    ("arrays", ["databases", "types"], [], "a type for some of the pairs"),
    ("arrays", ["databases", "types", 0, "pair", 0], 9_999, "a whole number from 0 to 9998"),
    ("arrays", ["databases", "types", 1, "moves"], [3], "a distance of each of 2 mechanisms"),
]


def changed(data: Data, at: list[Any], value: Any) -> Data:
    """The data with another value under some keys."""
    data = copy.deepcopy(data)
    inside = data
    for key in at[:-1]:
        inside = inside[key]
    inside[at[-1]] = value
    return data


@pytest.mark.parametrize(("which", "at", "value", "words"), FORGED)
def test_forged_settings_are_refused(which: str, at: list[Any], value: Any, words: str) -> None:
    data = changed(EVERY[which](), at, value)
    if not words:
        assert isinstance(read(data), Setting)
        return
    with pytest.raises(BadSetting) as refused:
        read(data)
    assert words in str(refused.value) and str(refused.value).startswith("setting")


def test_sequences_are_not_dealt() -> None:
    data, steps = on_a_deal(), [[0, 1], [1, 0]]
    data["mechanisms"][0]["stated"]["single"] = data["target"]["single"] = steps
    assert read(data).mechanisms[0].dealt
    data["databases"]["of"] = "sequences"
    with pytest.raises(BadSetting, match=DEALS):
        read(data)


@pytest.mark.parametrize("value", [None, 3, "setting", [], {}, [{}], {"databases": {}}])
def test_what_is_no_table_is_refused(value: Any) -> None:
    with pytest.raises(BadSetting):
        read(value)


def test_families_on_one_partition_have_the_same_parts() -> None:
    for key, value in (("reads", [[0], [2]]), ("count", "2")):
        data = on_records()
        data["mechanisms"].append(data["mechanisms"][1] | {"name": "G"})
        assert len(read(data).mechanisms) == 4
        data["mechanisms"][-1][key] = value
        with pytest.raises(BadSetting, match="has other parts"):
            read(data)


def test_studies_do_not_lie_too_deep() -> None:
    data = in_steps()
    for _ in range(99):
        data = changed(in_steps(), ["mechanisms", 0, "study"], data)
    assert isinstance(read(data), Setting)
    with pytest.raises(BadSetting, match="more than 100 deep"):
        read(changed(in_steps(), ["mechanisms", 0, "study"], data))


words = st.text("ae1-/* \0\n\u0435\u221e\U0001d700", max_size=4)
"""Of few letters: to list all that there are takes seconds where it was never done."""
anything = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=12, deadline=None, derandomize=True, database=None)
@given(st.sampled_from(sorted(EVERY)), anything, st.data())
def test_anything_in_place_of_a_value_is_read_or_refused(which: str, value: Any, data: st.DataObject) -> None:
    setting, at = EVERY[which](), list[Any]()
    inside = setting
    while isinstance(inside, dict | list) and inside and data.draw(st.integers(0, 4)):
        keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
        at.append(data.draw(st.sampled_from(keys)))
        inside = inside[at[-1]]
    try:
        found = read(changed(setting, at, value)) if at else read(value)
    except BadSetting:
        return
    assert read(found.data()) == found


def test_covers_need_the_standard_library_only() -> None:
    """A cover is found where all that others wrote is out of reach."""
    code = f"""
import sys
for name in ("sympy", "mpmath", "networkx", "z3", "numpy", "pydantic", "lark", "tqdm"):
    sys.modules[name] = None
from types import SimpleNamespace as Page
import dpcompose.kernel.covers as covers
from dpcompose.kernel.core import reading
from dpcompose.kernel.library.theory import Theory
page = Page(id="own-steps", is_believed=False, head=Page(kind="procedure", procedure="own steps"))
found = covers.cover(reading.read({in_steps()!r}), Theory({{"own-steps": page}}))
assert [r.number for _, ((_, r),) in found.types[0].moves] == [2], found
inside = sorted(name for name in sys.modules if name.startswith("dpcompose."))
assert all(name.startswith("dpcompose.kernel") for name in inside), inside
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_same_relation_is_read_once() -> None:
    data = on_records()
    data["mechanisms"][0]["stated"] = copy.deepcopy(data["target"])
    found = read(data)
    assert found.mechanisms[0].stated is found.target
    for wrong in (True, 2.0):
        data["mechanisms"][0]["stated"]["steps"] = wrong  # which == does not tell from 1, and 2
        data["target"]["steps"] = int(wrong)
        with pytest.raises(BadSetting, match=r"mechanisms.1.stated.steps: a whole number"):
            read(data)


def test_what_was_read_stands_in_others_as_it_is() -> None:
    inner = read(on_records())
    outer = on_records()
    outer["mechanisms"] = [{**outer["mechanisms"][0], "name": "S", "study": inner}]
    found = read(outer)
    assert found.mechanisms[0].study is inner and found.depth == inner.depth + 1
    assert read(json.loads(json.dumps(found.data()))) == found
    for _ in range(99):
        outer["mechanisms"] = [{**outer["mechanisms"][0], "study": found}]
        found = read(outer)
    outer["mechanisms"] = [{**outer["mechanisms"][0], "study": found}]
    with pytest.raises(BadSetting, match="more than 100 deep"):
        read(outer)
