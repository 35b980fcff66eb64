"""Properties that are computed once, for small values of which there are very many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class kept(Generic[T]):  # noqa: N801 (used as `property` is)
    """A property that is kept where it was asked for, as `functools.cached_property` does, without the lock
    that this takes before Python 3.12.

    >>> class Circle:
    ...     r = 2
    ...
    ...     @kept
    ...     def d(self) -> int:
    ...         return 2 * self.r
    >>> one = Circle()
    >>> one.d, vars(one)
    (4, {'d': 4})
    """

    def __init__(self, made: Callable[[Any], T]) -> None:
        self.made, self.name, self.__doc__ = made, made.__name__, made.__doc__

    @overload
    def __get__(self, of: None, kind: type) -> kept[T]: ...
    @overload
    def __get__(self, of: object, kind: type) -> T: ...
    def __get__(self, of: object | None, kind: type) -> kept[T] | T:
        if of is None:
            return self
        found = self.made(of)
        of.__dict__[self.name] = found
        return found
