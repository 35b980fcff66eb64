"""All tests: what collecting them leaves behind is no garbage, and is not gone through again and again."""

from __future__ import annotations

import gc

gc.disable()


def pytest_collection_finish() -> None:
    """From here on only what tests make is looked at, and seldom: formulas are many small objects."""
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)
    gc.enable()
