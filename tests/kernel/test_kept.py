"""What is seen of many formulas, curves, rows and changed pages, as it is kept in tests/forged."""

from __future__ import annotations

import curves_kept
import formulas_kept
import in_letters
import pages_kept
import pytest

EVERY = {"formulas": formulas_kept.EVERY, "curves": curves_kept.EVERY, "pages": pages_kept.EVERY}


@pytest.mark.parametrize(
    ("table", "asked"), [(table, asked) for table, some in EVERY.items() for asked in some]
)
def test_the_same_is_said_as_before(table: str, asked: str) -> None:
    of, things = EVERY[table][asked]
    for thing, kept in zip(things(), in_letters.read(table)[asked], strict=True):
        answer = in_letters.answer(of, thing)
        assert in_letters.letter(answer) == kept, (thing, answer)
