"""Which changes of core settings are settings, and which are refused when they are read.

What was read is kept in tests/forged/settings.json, by file and place: a letter for each change, r of what is read and
n of what is not.  `python tests/forged/renew_settings.py` writes it anew; read the difference.
"""

from __future__ import annotations

import json

import changed
import derived
import pytest
from forgeries import FORGED

PARTS = [pytest.param(n, marks=[pytest.mark.slow] if n else []) for n in range(2)]
READ = json.loads((FORGED / "settings.json").read_text(encoding="utf-8"))


def test_many_are_refused() -> None:
    assert sum(said.count("n") for places in READ.values() for said in places.values()) > 5000


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", READ)
def test_what_is_no_setting_is_refused(name: str, part: int) -> None:
    core = derived.good(name)["core"]
    places = changed.by_place(core)
    assert {place: len(some) for place, some in places.items()} == {
        place: len(said) for place, said in READ[name].items()
    }
    for place, some in places.items():
        for change, said in zip(some, READ[name][place], strict=True):
            if change.number % len(PARTS) == part:
                assert changed.reads(change, core) == said, change
