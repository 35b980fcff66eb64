"""Which part of a random test a normal run takes; `pytest -m slow` takes the rest."""

from __future__ import annotations

from typing import Any

import pytest


def seeds(some: int, every: int) -> Any:
    """The parameter `seed` from 0: some in a normal run, and every one in all."""
    return _parameter("seed", some, range(every))


def starts(some: int, every: range) -> Any:
    """The parameter `start`, from which on seeds are taken together: the first few in a normal run."""
    return _parameter("start", some, every)


def _parameter(name: str, some: int, every: range) -> Any:
    marks = {n: [pytest.mark.slow] if at >= some else [] for at, n in enumerate(every)}
    return pytest.mark.parametrize(name, [pytest.param(n, marks=marks[n]) for n in every])
