"""What is said of mechanisms besides their guarantees, by hand: codes, noise, tables, metrics, samples and deals."""

from __future__ import annotations

from typing import Any

import pytest
from kernel.core.test_settings import DEALS, by_policies, changed, on_a_deal, on_a_list, on_records

from dpcompose.kernel.core import reading
from dpcompose.kernel.core.reader import BadSetting

CODES = "sets of atoms that are read, of multisets or at one place, each in one of them"
STATED = {"single": [[1, 1]], "steps": 1}


def first(made: Any, *without: str, **more: Any) -> Any:
    """The data with other things said of the first mechanism."""
    data = made()
    kept = {key: value for key, value in data["mechanisms"][0].items() if key not in without}
    return changed(data, ["mechanisms", 0], kept | more)


def in_metric(distances: Any, formula: str = "2*d__x", **more: Any) -> Any:
    metric = {"formula": formula, "besides": {"delta": "d__x/9"}, "distances": distances, "bounded": False}
    return first(
        on_records, "stated", "partition", values={"epsilon": "e", "delta": "1/9"}, metric=metric, **more
    )


def distance(**more: Any) -> Any:
    return {
        "name": "d",
        "reads": [[0, 2]],
        "stated": STATED,
        "domain": "common",
        "notion": "pure",
        "values": {"epsilon": "1"},
    } | more


TUPLES = {
    "kind": "policies",
    "shown": "",
    "of": "tuples",
    "size": ["exactly", 2],
    "atoms": [["a"], ["b"], ["c"]],
    "places": [0, 0, 1],
}


def tuples(codes: Any, reads: Any = None) -> Any:
    one = {"name": "M", "reads": [reads], "stated": {"single": [[0, 1]], "steps": 1}, "domain": "own"}
    one |= {"notion": "pure", "values": {"epsilon": "1"}, "codes": codes}
    return {
        "parameters": {},
        "databases": TUPLES,
        "target": {"single": [[0, 1]], "steps": 1},
        "mechanisms": [one],
    }


SAMPLE = {"page": "poisson-sampling", "values": {"s": "1/2"}}
ALSO = {"stated": STATED, "domain": "own", "notion": "pure", "values": {"epsilon": "1"}}
NOISE = {
    "query": {"page": "count", "values": {"b": "1"}},
    "page": "laplace",
    "parameter": "1",
    "besides": {"c": "2"},
}


@pytest.mark.parametrize(
    "data",
    [
        first(by_policies, codes=[[2, 0]]),
        first(by_policies, reads=[None], codes=[[0, 2], [1]]),
        tuples([[0, 1], [2]]),
        in_metric({"d__x": distance()}),
        first(on_records, sampled=SAMPLE),
        first(on_records, sampled=SAMPLE, also=[ALSO]),
        first(on_records, "stated", noise=NOISE),
        on_a_deal(),
        first(on_a_deal, count="3"),
    ],
)
def test_what_is_read_is_written_as_it_was(data: Any) -> None:
    found = reading.read(data)
    assert reading.read(found.data()) == found


def without(data: Any, *keys: str) -> Any:
    """What is said of a distance without some keys."""
    return {key: value for key, value in data.items() if key not in keys}


METRIC, BESIDES = "letters that begin with d__, and guarantees for neighbours", "nothing besides a metric"
SAMPLED = "nothing but for multisets, and mechanisms known by guarantees"


@pytest.mark.parametrize(
    "data, words",
    [
        (first(by_policies, codes=[[0, 1]]), CODES),  # 1 is not read
        (first(by_policies, codes=[[0], [0, 2]]), CODES),
        (first(by_policies, codes=[[]]), CODES),
        (first(by_policies, reads=[None], codes=[[0, 3]]), CODES),
        (first(on_records, codes=[[0, 2]]), CODES),
        (tuples([[0, 2]]), CODES),  # at two places
        (tuples([[0, 1]], [0, 2]), CODES),
        (tuples([[0, 7]]), CODES),
        (in_metric({}), "a table of mechanisms by letters"),
        (in_metric([]), "a table of mechanisms by letters"),
        (in_metric({"x": distance()}, "2*e"), METRIC),
        (in_metric({"d__x": distance(count="k")}), METRIC),
        (in_metric({"d__x": distance(also=[ALSO])}), METRIC),
        (in_metric({"d__x": distance(sampled=SAMPLE)}), METRIC),
        (in_metric({"d__x": without(distance(noise=NOISE), "stated")}), METRIC),
        (in_metric({"d__x": distance()}, also=[ALSO]), BESIDES),
        (in_metric({"d__x": distance()}, codes=[]), BESIDES),
        (in_metric({"d__x": distance()}, study=on_records()), BESIDES),
        (in_metric({"d__x": distance()}, stated=STATED), "either noise, or the neighbours"),
        (first(on_records, sampled=SAMPLE, study=on_records()), SAMPLED),
        (first(on_records, "stated", sampled=SAMPLE, noise=NOISE), SAMPLED),
        (first(on_records, sampled=SAMPLE | {"more": 1}), "a table with the keys page, values"),
        (changed(first(on_records, sampled=SAMPLE), ["databases", "of"], "sequences"), SAMPLED),
        (
            first(on_records, "stated", noise=NOISE | {"besides": {"b": "2"}}),
            "other letters than those of the query",
        ),
        (first(on_records, "stated", noise=NOISE | {"more": 1}), "a table with the keys query, page"),
        (first(on_a_deal, count="1"), "a number of inputs from 2 on"),
        (first(on_a_deal, "count"), "the key count is missing"),
        (
            changed(first(on_a_deal, count="k"), ["parameters", "k"], "integer >= 1"),
            "a number of inputs from 2 on",
        ),
        (first(on_a_deal, sampled=SAMPLE), DEALS),
        (first(on_a_list, table={"on": "inputs", "outcomes": ["0"], "rows": [["1"]]}), "2 rows"),
        (first(on_a_list, table={"on": "databases", "outcomes": ["0"], "rows": [["1"]] * 2}), "3 rows"),
        (first(on_a_list, table={"on": "inputs", "outcomes": ["0"], "rows": [["1"], ["1", "0"]]}), "2 rows"),
    ],
)
def test_what_is_not_said_so_is_refused(data: Any, words: str) -> None:
    with pytest.raises(BadSetting) as refused:
        reading.read(data)
    assert words in str(refused.value)
