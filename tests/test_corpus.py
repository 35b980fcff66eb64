"""The corpus of random settings: what is said of them is what was said before, and what enumeration found.

`python tests/goldens/renew_corpus.py [NAME…]` writes what is said anew, where a change is meant.
"""

from __future__ import annotations

import dataclasses
import difflib
import json
from collections.abc import Mapping
from itertools import product
from typing import Any

import corpus
import pytest
import rechecks
from corpus import Kept
from second_checker import verdicts as second

UNREAD = {"sequences-05"}
"""What the second checker refuses: sequences of one length, one by one."""
ONE_OF = 10
"""Of how many settings a normal run looks at one: at every kind and every notion."""


def of_each(n: int, kept: Kept) -> Any:
    return pytest.param(kept, id=kept.name, marks=[pytest.mark.slow] if n % ONE_OF else [])


def lines(said: Mapping[str, Any]) -> list[str]:
    return json.dumps(said, indent=1, ensure_ascii=False, sort_keys=True).splitlines()


@pytest.mark.parametrize("kept", [of_each(n, kept) for n, kept in enumerate(corpus.EVERY)])
def test_what_is_said_of_a_random_setting(kept: Kept) -> None:
    study, verdicts, found = corpus.said(kept.problem)
    assert list(corpus.against_the_oracle(kept, study)) == []
    judged = second.check(rechecks.saved(study, verdicts))
    assert judged == second.Verdict("ACCEPTED") or kept.name in UNREAD
    if found != kept.said:
        difference = difflib.unified_diff(
            lines(kept.said), lines(found), f"{kept.name}, as kept", f"{kept.name}, today", lineterm=""
        )
        pytest.fail("\n".join(difference), pytrace=False)


def notions(kept: Kept) -> set[str]:
    return {one["guarantee"]["notion"] for one in kept.problem["mechanisms"]}


def test_the_corpus_has_everything() -> None:
    """Classes, notions, domains, and claims of every verdict; in the part of a normal run as well."""
    assert len({one.name for one in corpus.EVERY}) == len(corpus.EVERY) == 408
    for some in (corpus.EVERY, corpus.EVERY[::ONE_OF]):
        kinds = {one.problem["databases"]["kind"] for one in some}
        assert kinds == {"graphs", "listed", "multisets", "sequences", "sets", "streams", "tables", "tuples"}
        assert set().union(*map(notions, some)) == {"pure", "zcdp", "gaussian", "approximate"}
        stated = [one["guarantee"].get("domain") for kept in some for one in kept.problem["mechanisms"]]
        assert {"own", "common"} <= set(stated)
        verdicts = [one["verdict"] for kept in some for one in kept.said["verdicts"]]
        assert min(verdicts.count("proved"), verdicts.count("refuted")) > len(some)
        assert {one.said["optimal"] for one in some} == {one.said["vacuous"] for one in some} == {True, False}
        assert sum(bool(one.oracle) for one in some) > 3 / 4 * len(some)


def test_a_wrong_value_is_noticed() -> None:
    """A guarantee that is not finite, or smaller or larger than what is lost, contradicts the oracle."""
    for name, loss in product(
        ("listed-04", "listed-05", "multisets-08", "listed-10"), ("1/100000", "100", "oo")
    ):
        (kept,) = (one for one in corpus.EVERY if one.name == name)
        rows = [{"at": row["at"], "loss": dict.fromkeys(row["loss"], loss)} for row in kept.oracle]
        study, _, _ = corpus.said(kept.problem)
        assert rows and list(corpus.against_the_oracle(dataclasses.replace(kept, oracle=rows), study))
