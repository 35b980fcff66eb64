"""What the kernel says of changed steps and of changed core settings, as it is kept in tests/forged.

`python tests/forged/renew_changed.py` writes the tables anew; read the difference, of which a step that was refused and is
accepted is the worst.
"""

from __future__ import annotations

from collections.abc import Mapping

import in_letters
import pytest
import steps_changed
from steps_changed import PARTS, Changes

STEPS, SETTINGS = in_letters.read("steps"), in_letters.read("settings")
IN_PARTS = [pytest.param(n, marks=[pytest.mark.slow] if n else []) for n in range(PARTS)]
"""A normal run takes the first one."""


def ends_as_kept(changes: Changes, kept: Mapping[str, str], part: int) -> None:
    """That each change ends as it does in a table."""
    assert {place: len(some) for place, some in changes.items()} == {
        place: len(said) for place, said in kept.items()
    }
    for place, some in changes.items():
        for (change, ended), letter in zip(some, kept[place], strict=True):
            if change.number % PARTS == part:
                assert ended() == letter, (place, change)


def test_all_files_are_there_and_most_changes_are_refused() -> None:
    assert (list(STEPS), list(SETTINGS)) == (steps_changed.FILES, list(steps_changed.EVERY))
    refused = sum(said.count(".") for steps in STEPS.values() for said in steps.values())
    unread = sum(said.count("n") for places in SETTINGS.values() for said in places.values())
    assert refused > 20_000 and unread > 5000


@pytest.mark.parametrize("part", IN_PARTS)
@pytest.mark.parametrize("name", STEPS)
def test_a_changed_step_ends_as_it_did(name: str, part: int) -> None:
    ends_as_kept(steps_changed.steps_of(name), STEPS[name], part)


LARGE = {"attributes.toml"}
"""Each changed setting of these is gone through anew for a tenth of a second."""


@pytest.mark.parametrize("part", IN_PARTS)
@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=[pytest.mark.slow] if one in LARGE else []) for one in SETTINGS]
)
def test_a_changed_setting_ends_as_it_did(name: str, part: int) -> None:
    ends_as_kept(steps_changed.settings_of(name), SETTINGS[name], part)
