"""Of equal settings a cover is found once by a theory; of what differs in anything, anew."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import told

from dpcompose.kernel import covers
from dpcompose.kernel.core import reading
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.terms import letter
from dpcompose.kernel.library.theory import Theory

STEP = {"single": [[0, 1], [None, 1]], "steps": 1}
DATA: dict[str, Any] = {
    "parameters": {"e": "positive"},
    "databases": {
        "kind": "policies",
        "shown": "",
        "of": "multisets",
        "size": ["any", None],
        "atoms": [["a"], ["b"]],
    },
    "target": STEP,
    "mechanisms": [
        {
            "name": "M",
            "reads": [None],
            "stated": STEP,
            "domain": "own",
            "notion": "pure",
            "values": {"epsilon": "e"},
        }
    ],
    "adaptive": False,
}


def test_equal_settings_have_one_cover() -> None:
    one, again = reading.read(DATA), reading.read(DATA)
    found = covers.cover(one, told.THEORY)
    assert one is not again and covers.cover(again, told.THEORY) is found


@pytest.mark.parametrize(
    ("key", "other", "furthest"),
    [
        ("target", {"single": [[0, 1], [None, 1]], "steps": 2}, "2"),
        ("target", {"single": [[None, 1]], "steps": 1}, "1"),
        ("parameters", {"e": "positive", "f": "positive"}, "1"),
    ],
)
def test_other_settings_have_their_own(key: str, other: Any, furthest: str) -> None:
    known = covers.cover(reading.read(DATA), told.THEORY)
    found = covers.cover(reading.read(DATA | {key: other}), told.THEORY)
    assert found is not known and {repr(r) for one in found.types for _, ((_, r),) in one.moves} == {furthest}


def test_settings_of_one_text_with_other_terms_are_others() -> None:
    """The same words, and so the same hash; but the letter has another domain than the setting says."""
    one = reading.read(DATA)
    other = replace(
        one, mechanisms=(replace(one.mechanisms[0], values=(("epsilon", letter("e", NONNEGATIVE)),)),)
    )
    assert one.hash == other.hash and one != other
    assert covers.cover(one, told.THEORY) is not covers.cover(other, told.THEORY)


def test_another_theory_has_its_own() -> None:
    """Without the page of policies nothing covers them, also where it did by the pages before."""
    one = reading.read(DATA)
    known = covers.cover(one, told.THEORY)
    assert covers.cover(one, Theory(told.THEORY.pages)) is not known
    without = {id: page for id, page in told.THEORY.pages.items() if id != known.page}
    with pytest.raises(ValueError, match="there is no page on covers by policies"):
        covers.cover(one, Theory(without))
