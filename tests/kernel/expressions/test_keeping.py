"""Frozen classes whose methods are made when first used: values compare as those of `dataclass` do, at once."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
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


@frozen(kw_only=True)
class Named:
    x: int
    some: list[int] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("below 0")


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: Place(), "missing a required argument: 'x'"),
        (lambda: Place(1, 2, "a", 4), "too many positional arguments"),
        (lambda: Place(1, x=1), "multiple values for argument 'x'"),
        (lambda: Place(1, w=2), "got an unexpected keyword argument 'w'"),
        (lambda: Place(y=2), "missing a required argument: 'x'"),
        (lambda: Named(1), "too many positional arguments"),
        (lambda: Named(), "missing a required argument: 'x'"),
    ],
)
def test_what_does_not_fit_is_refused_as_by_a_function(call: Any, error: str) -> None:
    with pytest.raises(TypeError, match=error):
        call()


def test_values_are_made_as_by_a_function() -> None:
    assert Place(1, name="a", y=3).__dict__ == {"x": 1, "y": 3, "name": "a"}
    assert str(inspect.signature(Higher)) == "(x: 'int', y: 'int' = 0, name: 'str' = '', z: 'int' = 0)"
    assert inspect.signature(Named).parameters["some"].kind is inspect.Parameter.KEYWORD_ONLY
    assert Named(x=1).some is not Named(x=1).some == [] and Named(x=1, some=[5]).some == [5]
    with pytest.raises(ValueError, match="below 0"):
        Named(x=-1)


@pytest.fixture
def in_turns() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(asked: Callable[[], Any], threads: int = 3) -> set[Any]:
    """What several threads find that ask at the same time; of an error what it says."""
    found, start = set[Any](), threading.Barrier(threads)

    def ask() -> None:
        start.wait()
        try:
            found.add(asked())
        except TypeError as error:
            found.add(str(error))

    every = [threading.Thread(target=ask) for _ in range(threads)]
    for thread in every:
        thread.start()
    for thread in every:
        thread.join()
    return found


def test_equal_values_are_equal_in_whichever_thread_the_methods_are_made(in_turns: None) -> None:
    for _ in range(100):

        @frozen
        class New:
            x: int

        one, other = object.__new__(New), object.__new__(New)  # as they are unpickled
        vars(one)["x"] = vars(other)["x"] = 1
        told = at_once(
            lambda one=one, other=other: (one == other, hash(one) == hash(other), len({one, other}))
        )
        assert told == {(True, True, 1)}


def test_the_first_values_of_a_class_are_made_in_whichever_thread(in_turns: None) -> None:
    for _ in range(100):

        @frozen
        class New(Place):
            z: tuple[int, ...] = ()

        def made(New: Any = New) -> tuple[bool, Any]:
            match one := New(1, z=(2,)):
                case New(x, y, _, further):
                    return one == New(1, 0, "a", (2,)), (x, y, further)

        assert at_once(made) == {(True, (1, 0, (2,)))}


class Lazily(type):
    """What a class has from Python 3.14 on: annotations that are not in its namespace."""

    @property
    def __annotations__(cls) -> dict[str, str]:  # type: ignore[override]
        return {"x": "int", "y": "int"}


def test_annotations_need_not_be_in_the_namespace_of_a_class() -> None:
    Point: Any = frozen(Lazily("Point", (), {"y": 2}))
    assert [one.name for one in dataclasses.fields(Point)] == ["x", "y"]
    assert (
        Point(1) == Point(1, 2)
        and repr(Point(1)) == "Point(x=1, y=2)"
        and hash(Point(1)) == hash(Point(1, 2))
    )
    with pytest.raises(TypeError):
        Point()


def test_what_is_made_by_a_function_is_no_value_of_the_class() -> None:
    """In the methods' own time, which is when the first value is made."""

    @frozen
    class Listing:
        of: list[int] = dataclasses.field(default_factory=list)
        many: int = 3

    assert Listing().of == [] and Listing().of is not Listing().of and Listing.many == Listing().many == 3
    assert not hasattr(Listing, "of")
