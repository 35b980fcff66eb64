"""What is made when it is first asked for, for small values of which there are very many."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from threading import RLock
from typing import Any, Generic, TypeVar, dataclass_transform, overload

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


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(kind: type[T] | None = None, /, **options: bool) -> Any:
    """A frozen dataclass whose methods are made when one of them is first asked for.

    There are hundreds of such classes, and most of them are never made in one run: to write all their methods
    took a quarter of the time of a start.

    >>> @frozen
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(1), Point(1) == Point(1, 0)
    (Point(x=1, y=0), True)
    """
    if kind is None:
        return lambda kind: frozen(kind, **options)
    names = ["__init__", "__dataclass_fields__", "__match_args__"]
    names += ["__eq__", "__hash__"] if options.get("eq", True) else []
    names += ["__repr__"] if options.get("repr", True) else []
    for name in names:
        if vars(kind).get(name) is None:
            setattr(kind, name, _Unmade(kind, name, options.get("kw_only", False)))
    return kind


class _Unmade:
    """What stands for a method of a frozen class, or for its fields, until one of these is asked for."""

    def __init__(self, kind: type, name: str, kw_only: bool) -> None:
        self.kind, self.name, self.kw_only = kind, name, kw_only

    def __get__(self, of: object | None, kind: type) -> Any:
        with _MAKING:
            if vars(self.kind).get(self.name) is self:
                _make(self.kind, self.kw_only)
        return getattr(kind if of is None else of, self.name)


_MAKING = RLock()


_OF_A_BODY = ("__annotations__", "__module__", "__orig_bases__", "__post_init__")
"""What of a class, besides its fields, its methods are made from."""


def _make(kind: Any, kw_only: bool) -> None:
    """Makes the methods of a class, from another one with the same fields.

    Each takes the place of what stood for it at once: another thread never finds what `object` has, by which
    a value has no fields, and equal values are not equal.
    """
    own, names = vars(kind), kind.__annotations__
    body = {name: own[name] for name in (*names, *_OF_A_BODY) if name in own}
    twin = type(kind)(kind.__name__, kind.__bases__, body)
    made = {**vars(dataclass(frozen=True, eq=False, repr=False, kw_only=kw_only)(twin))}
    for name in [name for name in names if name in own]:
        setattr(kind, name, made[name]) if name in made else delattr(kind, name)
    unmade = [name for name, one in own.items() if isinstance(one, _Unmade)]
    made["__init__"].__qualname__ = f"{kind.__qualname__}.__init__"
    made |= _methods(kind, {one.name: one for one in fields(twin)})
    for name in ("__dataclass_params__", "__setattr__", "__delattr__", *unmade):
        setattr(kind, name, made[name])


def _methods(kind: Any, of: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
    """How values of a dataclass are compared and shown: by fields that do not change, in the same class."""
    compared = [name for name, one in of.items() if one.compare]
    key: Callable[[Any], Any] = attrgetter(*compared) if compared else lambda of: ()

    def equal(of: Any, other: Any) -> Any:
        if other.__class__ is not of.__class__:
            return NotImplemented
        return of is other or key(of) == key(other)

    def shown(of: Any) -> str:
        values = (f"{one.name}={getattr(of, one.name)!r}" for one in fields(of) if one.repr)
        return f"{type(of).__qualname__}({', '.join(values)})"

    def fixed(change: Callable[..., None]) -> Callable[..., None]:
        def changed(value: Any, name: str, *to: Any) -> None:
            if value.__class__ is kind or name in of:
                raise FrozenInstanceError(f"cannot assign to field {name!r}")
            change(value, name, *to)

        return changed

    changes = {"__setattr__": fixed(object.__setattr__), "__delattr__": fixed(object.__delattr__)}
    return {"__eq__": equal, "__hash__": lambda of: hash(key(of)), "__repr__": shown, **changes}
