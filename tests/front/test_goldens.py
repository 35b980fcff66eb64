"""The goldens are whole, and say what can be compared; `test_shipped.py` compares them with what is said today."""

from __future__ import annotations

import json

import frozen
from front.test_shipped import EVERY, difference


def test_every_golden_is_read() -> None:
    assert {one.golden for one in EVERY} == {*frozen.GOLDENS.rglob("*.txt")}
    assert len({one.name for one in EVERY}) == len(EVERY) > 140


def test_goldens_say_where_nothing() -> None:
    """Files are called by their names, not by where they are."""
    for one in EVERY:
        text = one.golden.read_text(encoding="utf-8")
        assert str(frozen.ROOT) not in text and "/tmp/" not in text
        assert text.count(f'"file": "{one.source.stem}.toml"') == 2


def test_layout_loses_nothing() -> None:
    data = {"b": [1, 2.5, "x" * 200, {}, []], "a": {"c": None, "δ": ["y" * 60, "z" * 60]}}
    text = frozen.laid_out(data)
    assert json.loads(text) == data
    assert text.splitlines()[:3] == ["{", ' "a": {', '  "c": null,']


def test_a_difference_is_shown() -> None:
    shown = difference("a\nb\nc\n", "a\nB\nc\n", "x")
    assert "-b" in shown.splitlines() and "+B" in shown.splitlines()
