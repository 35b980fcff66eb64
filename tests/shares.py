"""Which part of a random test, and which rows of a table, a normal run takes; `pytest -m slow` takes the rest.

What `of_tables` takes is taken of what the marks of the others leave, and only where all tests are run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any
from zlib import crc32

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


def of_rows(metafunc: pytest.Metafunc) -> None:
    """The same before tests are made of the rows: of ten only one is made, and none that is marked as slow."""
    calls, definition = metafunc._calls, metafunc.definition
    asked = [call for call in calls if all(mark.name != "slow" for mark in call.marks)]
    if asked and not definition.get_closest_marker("slow"):
        whole = definition.get_closest_marker("whole")
        taken = [call.id for call in asked] if whole else tenth([call.id for call in asked])
        calls[:] = [call for call in asked if call.id in taken]
    else:
        del calls[1:]


def of_tables(items: Iterable[pytest.Item]) -> None:
    """Of each parametrised test a normal run takes a tenth of the rows; of one marked as `whole`, all."""
    tables: dict[str, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
            left_alone = item.get_closest_marker("slow") or item.get_closest_marker("whole")
            tables[item.nodeid.partition("[")[0]] += [] if left_alone else [item]
    for rows in tables.values():
        taken = tenth([row.callspec.id for row in rows])
        for row in rows:
            if row.callspec.id not in taken:
                row.add_marker(pytest.mark.slow)


def tenth(names: Sequence[str]) -> Sequence[str]:
    """A tenth of some names, at least two: the first by a hash.  So they are the same ones in each run, mostly so
    where others are added, and the same ones in all tests that ask the same files.

    >>> tenth(["a", "b", "c", "d", "e", "f", "g", "h", "i"]), tenth(["a", "b", "c"]), tenth(["a"])
    (['g', 'c'], ['c', 'b'], ['a'])
    """
    return sorted(names, key=lambda name: crc32(name.encode()))[: max(2, -(-len(names) // 10))]


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
