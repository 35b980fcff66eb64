"""Frozen classes whose methods are made when first used: values compare as those of `dataclass` do, at once."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from dpcompose.kernel.expressions.keeping import frozen


@frozen
class Place:
    x: int
    y: int = 0
    name: str = dataclasses.field(default="", compare=False)


@frozen
class Higher(Place):
    z: int = 0


@frozen
class Same(Place):
    pass


def test_values_compare_by_their_fields_where_they_are_of_one_class() -> None:
    assert Place(1, 2, "a") == Place(1, 2, "b") != Place(2, 1)
    assert Higher(1, 2, z=3) != Higher(1, 2) and Same(1, 2) != Place(1, 2)
    assert len({Place(1), Place(1, 0, "a"), Same(1), Higher(1), Higher(1, z=1)}) == 4


def test_values_are_not_changed() -> None:
    for one in (Place(1), Higher(1), copy.copy(Place(1)), pickle.loads(pickle.dumps(Place(1)))):
        for name in ("x", "more"):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(one, name, 2)
    assert dataclasses.replace(Higher(1, z=3), x=2) == Higher(2, z=3)
    assert pickle.loads(pickle.dumps(Higher(1, 2, "a", 3))) == copy.deepcopy(Higher(1, 2, "a", 3))


@pytest.fixture
def in_turns() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_equal_values_are_equal_in_whichever_thread_the_methods_are_made(in_turns: None) -> None:
    found = set[Any]()
    for _ in range(100):

        @frozen
        class New:
            x: int

        pair: list[Any] = [object.__new__(New), object.__new__(New)]  # as they are unpickled
        for one in pair:
            vars(one)["x"] = 1
        start = threading.Barrier(3)

        def compare(start: threading.Barrier = start, pair: list[Any] = pair) -> None:
            start.wait()
            found.add((pair[0] == pair[1], hash(pair[0]) == hash(pair[1]), len(set(pair))))

        threads = [threading.Thread(target=compare) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {(True, True, 1)}
