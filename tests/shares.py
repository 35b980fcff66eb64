"""Which part of a random test a normal run takes; `pytest -m slow` takes the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

MANY = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""How many random examples a promise is tried on."""


def seeds(some: int, every: int) -> Any:
    """The parameter `seed` from 0: some in a normal run, and every one in all."""
    return _parameter("seed", some, range(every))


def starts(some: int, every: range) -> Any:
    """The parameter `start`, from which on seeds are taken together: the first few in a normal run."""
    return _parameter("start", some, every)


def every_second(some: Sequence[Any], name: Callable[[Any], str] = str) -> list[Any]:
    """Half of some values in a normal run; name -- what each is called."""
    marks = ([], [pytest.mark.slow])
    return [pytest.param(one, id=name(one), marks=marks[n % 2]) for n, one in enumerate(some)]


def rows(some: Sequence[tuple[Any, ...]], every: int = 2) -> list[Any]:
    """One in so many rows of a table in a normal run."""
    return [pytest.param(*row, marks=[pytest.mark.slow] if n % every else []) for n, row in enumerate(some)]


def every_third(*lists: Sequence[Any]) -> list[Any]:
    """The combinations of some lists: a third of them in a normal run, in which each entry of each list stands."""
    combined = product(*(list(enumerate(one)) for one in lists))
    return [
        pytest.param(*(x for _, x in one), marks=[pytest.mark.slow] if sum(n for n, _ in one) % 3 else [])
        for one in combined
    ]


def _parameter(name: str, some: int, every: range) -> Any:
    marks = {n: [pytest.mark.slow] if at >= some else [] for at, n in enumerate(every)}
    return pytest.mark.parametrize(name, [pytest.param(n, marks=marks[n]) for n in every])
