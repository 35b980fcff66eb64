"""Records of sets and tuples are recoded as those of multisets: hand values, and functions that say the same."""

from __future__ import annotations

from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.privacy.settings.invalid import InvalidSetting

TOWNS = ["a1", "a2", "b1", "b2"]
CODES = {"a1": "A", "a2": "A", "b1": "B", "b2": "B"}
r = dpc.recoding("r", CODES)
SETS, TUPLES = dpc.sets(TOWNS), dpc.tuples(TOWNS, "= 3")


def study(on: Any, stated: Any, target: Any, domain: Any, reads: Any = r) -> dpc.Study:
    return dpc.compose(dpc.mechanism("M", dpc.pure("e", stated, domain), reads=reads), on=on, target=target)


@pytest.mark.parametrize(
    ("on", "stated", "target", "domain", "epsilon"),
    [
        (TUPLES, dpc.bounded, dpc.bounded, "own", "e"),
        (TUPLES, dpc.bounded, dpc.bounded, "common", "e"),
        (TUPLES, dpc.bounded, dpc.group(2, dpc.bounded), "own", "2*e"),
        (TUPLES, dpc.bounded, dpc.policy("local", replace=[["a1", "a2"], ["b1", "b2"]]), "own", "0"),
        (TUPLES, dpc.policy("p", replace=[["A", "B"]]), dpc.bounded, "own", "e"),
        (SETS, dpc.unbounded, dpc.unbounded, "own", "e"),
        (SETS, dpc.unbounded, dpc.bounded, "own", "2*e"),  # {a1} and {b1}
        (SETS, dpc.bounded, dpc.bounded, "own", "oo"),  # {a1, a2} and {a1, b1} are {A} and {A, B}
        (SETS, dpc.bounded, dpc.bounded, "common", "e"),
        (dpc.sets([*TOWNS, "c"]), dpc.unbounded, dpc.group(2, dpc.unbounded), "own", "2*e"),
    ],
)
def test_by_hand(on: Any, stated: Any, target: Any, domain: str, epsilon: str) -> None:
    found = study(on, stated, target, domain)
    assert (str(found.guarantee().epsilon), found.guarantee().optimal) == (epsilon, True)
    if epsilon not in ("0", "oo"):
        assert found.check(dpc.pure(f"{epsilon}/2")).verdict == "refuted"


@pytest.mark.parametrize("on", [SETS, TUPLES, dpc.tuples(TOWNS, "<= 2")])
@pytest.mark.parametrize("stated", [dpc.bounded, dpc.group(2, dpc.bounded), dpc.free_lunch])
@pytest.mark.parametrize("target", [dpc.bounded, dpc.group(2, dpc.bounded)])
def test_functions_say_the_same(on: Any, stated: Any, target: Any) -> None:
    """On the common domain a Python function with the same values has the same bound."""

    def of_sets(D: Any) -> Any:
        return tuple(sorted({CODES[x] for x in D}))

    def of_tuples(D: Any) -> Any:
        return tuple(CODES[x] for x in D)

    f = dpc.function("f", of_sets if on is SETS else of_tuples)
    both = [study(on, stated, target, "common", one).guarantee() for one in (r, f)]
    assert both[0].epsilon == both[1].epsilon and both[0].optimal == both[1].optimal


@pytest.mark.parametrize(
    ("on", "words"),
    [
        (dpc.sets(TOWNS, "= 2"), "records of sets of any size, as two may become one"),
        (dpc.sets(), "records that are listed"),
        (dpc.tuples(size="= 3"), "records that are listed"),
        (dpc.tables({"x": ["a1", "a2"]}, "= 2"), "records of multisets, sets and tuples"),
        (dpc.graphs(3), "records of multisets, sets and tuples"),
        (dpc.tuples(["a1", "c"], "= 2"), "'a2', which is no record"),
    ],
)
def test_what_is_not_recoded(on: Any, words: str) -> None:
    with pytest.raises(InvalidSetting, match=words):
        study(
            on,
            dpc.bounded if on.kind != "graphs" else dpc.edge,
            dpc.edge if on.kind == "graphs" else dpc.bounded,
            "own",
        )
