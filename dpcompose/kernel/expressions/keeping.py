"""Frozen values, of which there are very many, with properties that are computed when first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from threading import RLock
from typing import TYPE_CHECKING, Any, Generic, TypeVar, dataclass_transform, overload

if TYPE_CHECKING:
    from inspect import Signature

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
    """A frozen dataclass whose methods are made when one of them is first asked for, and without code that
    is written for it.

    There are hundreds of such classes, and most of them are never made in one run: to write and compile all
    their methods took a quarter of the time of a start.

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
    kind.__signature__ = _Signature()  # type: ignore[attr-defined]
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


class _Signature:
    """What a class is called with, for those who ask."""

    def __get__(self, of: object | None, kind: Any) -> Signature:
        from inspect import Parameter, Signature

        made = []
        for one in sorted(fields(kind), key=attrgetter("kw_only")):
            how = Parameter.KEYWORD_ONLY if one.kw_only else Parameter.POSITIONAL_OR_KEYWORD
            usual = [one.default, one.default_factory, Parameter.empty]
            default = next(value for value in usual if value is not MISSING)
            made.append(Parameter(one.name, how, default=default, annotation=one.type))
        return Signature(made)


_MAKING = RLock()


_OF_A_BODY = ("__module__", "__orig_bases__", "__post_init__")
"""What of a class, besides its fields, its methods are made from."""


def _make(kind: Any, kw_only: bool) -> None:
    """Makes the methods of a class, from another one with the same fields.

    Each takes the place of what stood for it at once: another thread never finds what `object` has, by which
    a value has no fields, and equal values are not equal.
    """
    own, names = vars(kind), kind.__annotations__
    body = {name: own[name] for name in (*names, *_OF_A_BODY) if name in own} | {"__annotations__": names}
    body["__doc__"] = kind.__doc__ or kind.__name__  # without one, `dataclass` makes one from the signature
    twin = type(kind)(kind.__name__, kind.__bases__, body)
    made = {**vars(dataclass(init=False, eq=False, repr=False, kw_only=kw_only)(twin))}
    for name in [name for name in names if name in own]:
        setattr(kind, name, made[name]) if name in made else delattr(kind, name)
    unmade = [name for name, one in own.items() if isinstance(one, _Unmade)]
    made |= _methods(kind, {one.name: one for one in fields(twin)})
    for name in ("__dataclass_params__", "__setattr__", "__delattr__", *unmade):
        setattr(kind, name, made[name])


def _methods(kind: Any, of: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
    """How values of a dataclass are made, compared and shown: by fields that do not change, in one class."""
    first = [name for name, one in of.items() if not one.kw_only]
    all_in_place = len(of) if len(first) == len(of) else -1
    usual = {name: one.default for name, one in of.items() if one.default is not MISSING}
    fresh = {name: one.default_factory for name, one in of.items() if one.default_factory is not MISSING}
    compared = [name for name, one in of.items() if one.compare]
    key: Callable[[Any], Any] = attrgetter(*compared) if compared else lambda of: ()
    then = hasattr(kind, "__post_init__")

    def make(self: Any, /, *values: Any, **named: Any) -> None:
        if len(values) == all_in_place and not named:
            self.__dict__.update(zip(first, values, strict=True))
        else:
            given = dict(zip(first, values, strict=False))
            known = {**usual, **given, **named}
            for name, make in fresh.items():
                if name not in known:
                    known[name] = make()
            if known.keys() != of.keys() or len(given) < len(values) or given.keys() & named.keys():
                kind.__signature__.bind(*values, **named)  # raises TypeError
            self.__dict__.update(known)
        if then:
            self.__post_init__()

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
    return {
        "__init__": make,
        "__eq__": equal,
        "__hash__": lambda of: hash(key(of)),
        "__repr__": shown,
        **changes,
    }
