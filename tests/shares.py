"""Which part of a random test a normal run takes; `pytest -m slow` takes the rest."""

from __future__ import annotations

from typing import Any

import pytest


def seeds(some: int, every: int) -> Any:
    """The parameter `seed` from 0: some in a normal run, and every one in all."""
    marks = {n: [pytest.mark.slow] if n >= some else [] for n in range(every)}
    return pytest.mark.parametrize("seed", [pytest.param(n, marks=marks[n]) for n in range(every)])
