"""What the command says of every shipped problem and every page's example is what it said before.

Where a change is meant, `python tests/goldens/renew.py [NAME…]` writes the new texts.
"""

from __future__ import annotations

import difflib
import json

import frozen
import pytest
from frozen import Frozen

EVERY = list(frozen.frozen())


def difference(kept: str, said: str, name: str) -> str:
    """The lines in which two texts differ."""
    lines = difflib.unified_diff(
        kept.splitlines(), said.splitlines(), f"{name}, as kept", f"{name}, today", lineterm=""
    )
    return "\n".join(lines)


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.name)
def test_golden(one: Frozen) -> None:
    kept, said = one.golden.read_text(encoding="utf-8"), one.said()
    if said != kept:
        pytest.fail(
            f"{difference(kept, said, one.name)}\nif this is meant: python tests/goldens/renew.py {one.name}",
            pytrace=False,
        )


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
