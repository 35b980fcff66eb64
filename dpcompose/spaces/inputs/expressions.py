"""Databases, maps and metrics as sympy expressions: D △ E, D|{a}, d_bounded(D, E).

What is written with database symbols stays as written, prints as mathematics in text and in
LaTeX, and has a value once the databases are known: `at(expression, {D: ("a",), E: ()})`.

The product of a privacy parameter and a distance is a class of its own, `Cost`, and never sympy's
product, which makes 0·∞ nan: the same input costs 0 whatever the parameter, and distance ∞
costs ∞ whatever the parameter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any

import sympy
from sympy.core.symbol import Str

from dpcompose.language.writing import text_latex
from dpcompose.spaces.classes.databases import Database, DatabaseClass, Symbolic
from dpcompose.spaces.inputs.maps import Map, Signs

# atoms


class _Written(Symbolic):
    """A database as an expression: D ^ E is the symmetric difference, abs(D) the size."""

    __slots__ = ()

    def read_by(self, f: Any) -> Any:
        return image_of(f, self)

    def __xor__(self, other: object) -> Any:
        return SymmetricDifference(self, expression_of(other))

    __rxor__ = __xor__

    def __abs__(self) -> sympy.Expr:
        return Size(self)


class Carrier(sympy.Atom):
    """An atom that carries Python values; `key` says when two are equal."""

    __slots__ = ("key",)
    key: tuple[Hashable, ...]

    def _hashable_content(self) -> tuple[Hashable, ...]:
        return self.key

    def compare(self, other: Any) -> int:
        """The order in which sympy writes sums: by text, as the values carried may have no order."""
        if self == other:
            return 0
        mine, its = ((type(side).__name__, str(side), id(side)) for side in (self, other))
        return -1 if mine < its else 1


class DatabaseSymbol(_Written, Carrier):
    """A database D of which nothing is said but its name; `written.databases` makes them."""

    __slots__ = ("name",)
    name: str

    def __new__(cls, name: str) -> DatabaseSymbol:
        made: DatabaseSymbol = Carrier.__new__(cls)
        made.name, made.key = name, (name,)
        return made

    def __getnewargs__(self) -> tuple[str]:
        return (self.name,)

    @property
    def free_symbols(self) -> set[DatabaseSymbol]:
        return {self}

    def _sympystr(self, printer: Any) -> str:
        return self.name

    def _latex(self, printer: Any) -> str:
        return str(printer._deal_with_super_sub(self.name))


class KnownDatabase(_Written, Carrier):
    """A database of a class inside an expression; `written.database` makes them.

    >>> KnownDatabase(("a", "a", "b"))
    {a, a, b}
    """

    __slots__ = ("databases", "value")
    databases: DatabaseClass | None
    value: Any

    def __new__(cls, value: Database, databases: DatabaseClass | None = None) -> KnownDatabase:
        made: KnownDatabase = Carrier.__new__(cls)
        made.value, made.databases, made.key = value, databases, (value,)
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.value, self.databases

    def _shown(self) -> str | list[str]:
        if self.databases is not None:
            return self.databases.show(self.value)
        value = self.value
        records = isinstance(value, tuple) and all(isinstance(record, str) for record in value)
        return list(value) if records else str(value)

    def _sympystr(self, printer: Any) -> str:
        shown = self._shown()
        return f"{{{', '.join(shown)}}}" if isinstance(shown, list) else shown

    def _latex(self, printer: Any) -> str:
        shown = self._shown()
        if isinstance(shown, list):
            return rf"\left\lbrace {', '.join(map(mathematics_of, shown))}\right\rbrace"
        return mathematics_of(shown)


class MapAtom(Carrier):
    """A map f in an expression, with the class it is a map on (None: not said)."""

    __slots__ = ("databases", "f")
    databases: DatabaseClass | None
    f: Map

    def __new__(cls, f: Map, databases: DatabaseClass | None = None) -> MapAtom:
        made: MapAtom = Carrier.__new__(cls)
        made.f, made.databases, made.key = f, databases, (f, databases)
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.f, self.databases

    def _sympystr(self, printer: Any) -> str:
        return self.f.written("·")


def expression_of(x: object) -> Any:
    """A database as an expression; expressions stay."""
    if isinstance(x, Symbolic):
        return x
    if isinstance(x, sympy.Tuple):
        raise TypeError(
            "sympy reads the records of a tuple as formulas: use dpcompose.at(expression, {D: ('a', 'b')}), "
            "or subs with dpcompose.database(('a', 'b'))"
        )
    if isinstance(x, list):
        x = tuple(map(str, x))  # in their order, which a class of tuples keeps and one of multisets does not
    if not isinstance(x, Hashable):
        raise TypeError(f"{x!r} is no database: multisets are tuples of records, such as ('a', 'a', 'b')")
    return KnownDatabase(x)


def in_class(x: Any, databases: DatabaseClass | None) -> Any:
    """The same database as one of the class; a symbol of sympy that is none is one for a database.

    Raises ValueError where it is none.
    """
    if not isinstance(x, KnownDatabase):
        return x
    if isinstance(x.value, sympy.Symbol) and (databases is None or x.value not in databases.holding(x.value)):
        return DatabaseSymbol(x.value.name)
    if databases is None:
        return x
    databases = databases.holding(x.value)
    value = x.value if x.value in databases else databases.parse(x.value)
    return KnownDatabase(value, databases)


# what is made of databases


class Image(_Written, sympy.Basic):
    """f(D): what a map reads of a database; known where D is."""

    def __new__(cls, f: MapAtom, x: Any) -> Any:
        x = in_class(expression_of(x), f.databases)
        if f.databases is not None and f.f.is_identity(f.databases):
            return x
        if isinstance(x, KnownDatabase):
            return KnownDatabase(f.f(x.value))
        return sympy.Basic.__new__(cls, f, x)

    def _sympystr(self, printer: Any) -> str:
        f, x = self.args
        return str(f.f.written(printer._print(x)))

    def _latex(self, printer: Any) -> str:
        f, x = self.args
        return str(f.f.shown(printer._print(x), _InLatex()))


class _InLatex(Signs):
    """What maps read as mathematics."""

    def applied(self, name: str, D: str, index: str = "") -> str:
        below = f"_{{{index}}}" if index else ""
        return rf"{mathematics_of(name)}{below}\left({D}\right)"

    def restricted(self, D: str, to: Iterable[str]) -> str:
        return rf"{D}|_{{\lbrace {', '.join(map(mathematics_of, sorted(to)))}\rbrace}}"

    def beside(self, D: str, after: str = "", before: str = "") -> str:
        return f"{mathematics_of(before)}{D}{mathematics_of(after)}"


class Output(sympy.Basic):
    """M(x): what a mechanism makes of an input, a random value; equal for equal inputs."""

    def __new__(cls, name: str, x: Any) -> Any:
        return sympy.Basic.__new__(cls, Str(str(name)), expression_of(x))

    def _sympystr(self, printer: Any) -> str:
        return f"{self.args[0].name}({printer._print(self.args[1])})"

    def _latex(self, printer: Any) -> str:
        return rf"{mathematics_of(self.args[0].name)}\left({printer._print(self.args[1])}\right)"


class SymmetricDifference(_Written, sympy.Basic):
    """D △ E: the multiset of the records that one of D, E has more often, as often as it has more."""

    def __new__(cls, x: Any, y: Any) -> Any:
        x, y = ordered(x, y)
        if x == y:
            return KnownDatabase(())
        if isinstance(x, KnownDatabase) and isinstance(y, KnownDatabase):
            for database in (x, y):
                if not isinstance(database.value, tuple):
                    raise TypeError(
                        f"{database} is no multiset of records, so it has no symmetric difference"
                    )
            D, E = (Counter[Any](database.value) for database in (x, y))
            return KnownDatabase(tuple(sorted(((D - E) + (E - D)).elements())))
        return sympy.Basic.__new__(cls, x, y)

    def _sympystr(self, printer: Any) -> str:
        return " △ ".join(self._side(side, "({})", printer) for side in self.args)

    def _latex(self, printer: Any) -> str:
        return r" \mathbin{\triangle} ".join(
            self._side(side, r"\left({}\right)", printer) for side in self.args
        )

    def _side(self, side: Any, brackets: str, printer: Any) -> str:
        """A side in brackets where it is a difference too: multisets' difference is not associative."""
        shown = str(printer._print(side))
        return brackets.format(shown) if isinstance(side, SymmetricDifference) else shown


class Size(sympy.Expr):
    """|D|: the number of records of a multiset, with multiplicity."""

    def __new__(cls, x: Any) -> Any:
        if isinstance(x, KnownDatabase):
            if not isinstance(x.value, tuple):
                raise TypeError(f"{x} is no multiset of records, so it has no size")
            return sympy.Integer(len(x.value))
        return sympy.Expr.__new__(cls, x)

    def _eval_is_integer(self) -> bool:
        return True

    def _eval_is_extended_nonnegative(self) -> bool:
        return True

    def _sympystr(self, printer: Any) -> str:
        return f"|{printer._print(self.args[0])}|"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        shown = rf"\left\lvert {printer._print(self.args[0])}\right\rvert"
        return f"{shown}^{{{exp}}}" if exp is not None else shown


def image_of(f: Map, D: object, on: DatabaseClass | None = None) -> Any:
    """f(D) as an expression; on -- the class that D is of, where it is known."""
    return Image(MapAtom(f, on), expression_of(D))


def ordered(x: Any, y: Any) -> tuple[Any, Any]:
    """Both in one order, for what is symmetric in them."""
    x, y = sorted((x, y), key=sympy.default_sort_key)
    return x, y


def mathematics_of(shown: object) -> str:
    """A name as text inside mathematics; single letters as mathematics."""
    text = str(shown)
    if not text:
        return ""
    return text if re.fullmatch(r"[A-Za-z0-9]", text) else rf"\text{{{text_latex(text)}}}"
