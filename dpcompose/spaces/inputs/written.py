"""What is written with databases that are not known yet: symbols for them, D △ E, |D|, and their values.

The expressions themselves are those of `dpcompose.spaces.inputs.expressions`: these are loaded, and sympy
with them, when the first one is made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dpcompose.language import formulas
from dpcompose.language.said import Formula
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.inputs.maps import Map

if TYPE_CHECKING:
    import sympy

    from dpcompose.spaces.inputs.expressions import DatabaseSymbol, KnownDatabase


LONG = 40
"""From how many characters on what is read is told as text, which can be broken."""


def image(f: Map) -> Formula:
    """f(D), as a formula of a sentence; as text where it is too long for one line."""

    def read(written: str) -> sympy.Expr | None:
        if len(written) > LONG:
            return None
        from dpcompose.spaces.inputs.expressions import image_of

        return image_of(f, *databases("D"))

    return Formula(f.written("D"), read)


def databases(names: str) -> tuple[DatabaseSymbol, ...]:
    """Symbols for databases, names separated by blanks or commas: D, E = databases("D E").

    They have no class: what they are put into says which databases it takes.

    Raises ValueError for what is no name.

    >>> databases("D E")
    (D, E)
    """
    from dpcompose.spaces.inputs.expressions import DatabaseSymbol

    made = tuple(DatabaseSymbol(name) for name in re.split(r"[,\s]+", names.strip()) if name)
    for symbol in made:
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*'*", symbol.name):
            raise ValueError(
                f"{symbol.name!r} is no name for a database; use a letter, as in databases('D E')"
            )
    if not made:
        raise ValueError("name the databases: databases('D E')")
    return made


def database(value: object, on: DatabaseClass | None = None) -> KnownDatabase:
    """A database in place of a symbol, for sympy's `subs`: (D ^ E).subs(D, database(["a"])).

    on -- the class it belongs to; without one, a list is one of the records of a multiset, in any order.

    value -- such as ["a", "b"].  Raises TypeError where it is not known, ValueError where it is none of the
    class.

    >>> D, E = databases("D E")
    >>> (D ^ E).subs({D: database(("a", "b")), E: database(("b",))})
    {a}
    """
    from dpcompose.spaces.inputs.expressions import KnownDatabase, expression_of, in_class

    if on is None and isinstance(value, list):
        value = sorted(map(str, value))
    known = in_class(expression_of(value), on)
    if not isinstance(known, KnownDatabase):
        raise TypeError(f"{value} is not known: give a database of a class")
    return known


def symmetric_difference(D: object, E: object) -> Any:
    """D △ E of two multisets of records, which is D ^ E for symbols.

    Raises TypeError for what is no multiset.

    >>> D, E = databases("D E")
    >>> symmetric_difference(D, E), symmetric_difference(("a", "a"), ("a", "b"))
    (D △ E, {a, b})
    """
    from dpcompose.spaces.inputs.expressions import SymmetricDifference, expression_of, in_class

    return SymmetricDifference(in_class(expression_of(D), None), in_class(expression_of(E), None))


def size(D: object) -> sympy.Expr:
    """|D|, the number of records of a multiset, which is abs(D) for symbols.

    Raises TypeError for what is no multiset.

    >>> D, E = databases("D E")
    >>> size(D ^ E), size(("a", "a"))
    (|D △ E|, 2)
    """
    from dpcompose.spaces.inputs.expressions import Size, expression_of, in_class

    return Size(in_class(expression_of(D), None))


def at(expression: Any, values: Mapping[Any, object]) -> Any:
    """An expression with databases in place of database symbols, and numbers in place of parameters.

    values -- by symbol or by its name: databases for database symbols (tuples or lists of records, or
    what a listed class has), exact numbers or formulas for parameters.

    Raises TypeError for what is no expression, ValueError for names that are not in it.

    >>> D, E = databases("D E")
    >>> at(abs(D ^ E), {D: ["a", "b"], E: []}), at(abs(D ^ E), {"D": ("a",)})
    (2, |E △ {a}|)
    """
    import sympy

    from dpcompose.spaces.inputs.expressions import DatabaseSymbol, expression_of

    if not isinstance(expression, sympy.Basic):
        raise TypeError(f"{expression!r} is no expression with databases in it")
    known = {str(symbol): symbol for symbol in expression.free_symbols}
    rule = {}
    for name, value in values.items():
        letter = name if name in expression.free_symbols else known.get(str(name))
        if letter is None:
            names = ", ".join(sorted(known)) or "nothing that can be replaced"
            raise ValueError(f"there is no {name} in {expression}; there is {names}")
        rule[letter] = (
            expression_of(value) if isinstance(letter, DatabaseSymbol) else formulas.from_python(value)
        )
    return expression.xreplace(rule)
