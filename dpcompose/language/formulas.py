"""Formulas at the border: what users write and hold, as terms of the kernel and as sympy expressions.

A formula is `sqrt(m1**2 + m2**2)`, `max(e1 + e2, e1 + e3)`, `top(2, e1, e2, e3)`, `1e-6`,
or `oo`, which stands alone.  The kernel reads and writes it; text is never evaluated as Python.

- `term` is what a user gives as a parameter, `expression` what a user gets;
- `names` lists the parameters of a formula, `to_text` writes a term or an expression;
- `parse`, `evaluate` and `from_python` are about sympy expressions.

Everything refused is a `FormulaError`, which points at the mistake.  sympy is loaded where an
expression is first asked for.
"""

from __future__ import annotations

import numbers
import sys
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpcompose.kernel.expressions import formulas as kernel
from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.grammar import FUNCTIONS, RESERVED, FormulaError, escaped, names
from dpcompose.kernel.expressions.terms import Term, TermError
from dpcompose.language.decimals import read_exactly
from dpcompose.language.tangents import with_tangents

if TYPE_CHECKING:
    import sympy

__all__ = [
    "FUNCTIONS",
    "RESERVED",
    "FormulaError",
    "expression",
    "from_python",
    "given",
    "given_text",
    "in_letters",
    "names",
    "parse",
    "term",
    "to_text",
    "written_as",
]


def term(value: object, known: Mapping[str, Term] | None = None) -> Term:
    """The term that a user gives: a formula's text, a number, or a sympy expression.

    known -- what the names in a text mean; None for positive parameters of those names.
    A family's guarantee is in terms of its i-th member: e[i], also as sympy's Indexed.
    Decimals are what they show, exactly: 0.1 is 1/10.  Greek letters have their names: ε is epsilon.

    >>> term("2*e/4") == term(Fraction(1, 2)) * term("e"), term("ε₁") == term("epsilon1")
    (True, True)
    >>> term(0.1)
    1/10
    """
    if isinstance(value, Term):
        return value
    if isinstance(value, str):
        if known is not None:
            return kernel.parse(value, known, index="i")
        read = kernel.parse(value, {name: terms.letter(name) for name in names(value)}, index="i")
        found = Term(read.kind, read.of)  # of its own, as others may be written otherwise
        found.__dict__["text"] = value
        return found
    if is_expression(value):
        return _of_sympy(value)
    if isinstance(value, float | Decimal):
        return _decimal(value)
    if isinstance(value, numbers.Rational) and not isinstance(value, bool):
        try:
            return terms.number(Fraction(int(value.numerator), int(value.denominator)))
        except TermError as error:
            raise FormulaError(str(error)) from None
    shown = escaped(repr(value))
    raise FormulaError(f"{shown if len(shown) <= 60 else type(value).__name__} is no formula and no number")


def in_letters(value: Term, letters: Mapping[str, Term]) -> Term:
    """The same with other terms for some letters; a text, simplified for positive ones, is read again.

    >>> from dpcompose.kernel.expressions.domains import REAL
    >>> in_letters(term("sqrt(x**2)"), {"x": terms.letter("x", REAL)}) == terms.letter("x")
    False
    """
    if (text := written_as(value)) is None:
        return substitution.substituted(value, letters)
    return term(text, {name: letters.get(name, terms.letter(name)) for name in names(text)})


def written_as(value: Term) -> str | None:
    """The text that a term was read of, with positive letters, if it was."""
    text: str | None = value.__dict__.get("text")
    return text


def _decimal(value: object) -> Term:
    """The term of a decimal."""
    try:
        read = read_exactly(value)
        return terms.INFINITY if read is None else terms.number(read)
    except ValueError as error:  # a TermError among them
        raise FormulaError(str(error)) from None


def is_expression(value: object) -> bool:
    """Whether a value is a sympy expression; without sympy none is."""
    loaded = sys.modules.get("sympy")
    return loaded is not None and isinstance(value, loaded.Expr)


def _of_sympy(value: Any) -> Term:
    import sympy

    from dpcompose.language import exchange
    from dpcompose.language.symbols import member, spelled

    written = {atom: member(str(atom.base)) for atom in value.atoms(sympy.Indexed)}
    written |= {symbol: spelled(symbol) for symbol in value.free_symbols if not symbol.name.isascii()}
    written |= {atom: expression(_decimal(atom)) for atom in value.atoms(sympy.Float)}
    return exchange.of_sympy(value.xreplace(written) if written else value)


def given(value: Term) -> sympy.Expr | None:
    """The sympy expression that a term was made of, if it was."""
    expr: sympy.Expr | None = value.__dict__.get("expression")
    return expr


def expression(value: Term) -> sympy.Expr:
    """The sympy expression that a term is, in symbols with the values that its letters may take.

    >>> expression(term("max(e1, e2)/2"))
    max(e1, e2)/2
    """
    from dpcompose.language import exchange

    return exchange.to_sympy(value)


def parse(
    text: str,
    symbols: Mapping[str, sympy.Expr],
    families: Mapping[str, Sequence[sympy.Expr]] | None = None,
    index: str | None = None,
) -> sympy.Expr:
    """The sympy expression that a formula means, where `symbols` says what its names mean.

    families -- what e[1], e[2], … mean, as {"e": [first, second, …]}; with it `sum(e[i], i, 1, k)`,
    and `max` and `top` of a family, are written out.  A family that `symbols` knows by its
    general member "e[i]" stays as it is: `worstcase.Over`.
    index -- the letter i that e[i] may have outside of sums, in a family's own guarantee.
    `max`, `min`, `abs` and `top` become `worstcase.Top`.  Raises FormulaError.

    >>> from dpcompose.language.symbols import symbol
    >>> parse("2*max(e1, e2)/3 + 0.1", {"e1": symbol("e1"), "e2": symbol("e2")})
    2*max(e1, e2)/3 + 1/10
    >>> parse("2*e11", {"e1": symbol("e1")})
    Traceback (most recent call last):
    dpcompose.kernel.expressions.grammar.FormulaError: unknown name 'e11'; did you mean 'e1'?
      2*e11
        ^
    """
    from dpcompose.language import exchange

    given = families or {}
    known = {name: exchange.of_sympy(symbol) for name, symbol in symbols.items()}
    members = {name: [exchange.of_sympy(one) for one in some] for name, some in given.items()}
    found = kernel.parse(text, known, members, index)
    named = {
        symbol.name: symbol
        for some in (symbols.values(), *given.values())
        for x in some
        for symbol in x.free_symbols
    }
    try:
        return exchange.to_sympy(found, named)
    except FormulaError as error:
        raise FormulaError(error.message, text, 1) from None


def from_python(value: object, known: Mapping[str, sympy.Expr] | None = None) -> sympy.Expr:
    """The expression that a Python user gives: sympy, an int, a Fraction, or a formula's text.

    known -- what the names in a text mean; None for positive parameters of those names.

    >>> from_python(Fraction(1, 3)), from_python("max(e1, e2)")
    (1/3, max(e1, e2))
    """
    if isinstance(value, str) and known is not None:
        return parse(value, known, index="i")
    return expression(term(value))


def to_text(value: Term | sympy.Expr) -> str:
    """The formula of a term or an expression: it is read back as one that is equal.

    >>> to_text(term("e - 2*e/(exp(e) + 1)"))
    'e*tanh(e/2)'
    """
    if isinstance(value, Term):
        return kernel.to_text(with_tangents(value))
    from dpcompose.language import exchange

    return kernel.to_text(with_tangents(exchange.of_sympy(value)))


def given_text(value: object) -> str:
    """The formula that a user gives: a text as it is, else as formulas are written.

    >>> given_text("e*d"), given_text(Fraction(1, 2))
    ('e*d', '1/2')
    """
    if is_expression(value):
        value = named_distances(value)
    return value if isinstance(value, str) else to_text(term(value))


def has_distances(value: object) -> bool:
    """Whether a value is a metric that is written with two databases: e*d(x, y)."""
    if not is_expression(value):
        return False
    from sympy import preorder_traversal
    from sympy.core.function import AppliedUndef

    some = preorder_traversal(value)
    return any(isinstance(one, AppliedUndef) or hasattr(one, "by_name") for one in some)


def metric_functions(value: object) -> list[Any]:
    """The metrics that are taken of databases in an expression, as `canonical_metric` gives them."""
    if not has_distances(value):
        return []
    from sympy import preorder_traversal

    return list(dict.fromkeys(one.function for one in preorder_traversal(value) if hasattr(one, "by_name")))


def named_distances(value: Any) -> sympy.Expr:
    """A metric that is written with two databases, e*d(x, y), by the names of its distances: e*d.

    Raises FormulaError for distances of other databases.

    >>> import sympy
    >>> x, y = sympy.symbols("x y")
    >>> named_distances(2 * sympy.Function("d")(x, y))
    2*d
    """
    from sympy.core.function import AppliedUndef

    from dpcompose.language.symbols import symbol

    value = value.replace(lambda one: hasattr(one, "by_name"), lambda one: one.by_name)
    applied = value.atoms(AppliedUndef)
    databases = {x for one in applied for x in one.args}
    expr: sympy.Expr = value.xreplace({one: symbol(str(one.func)) for one in applied})
    if applied and (
        len(databases) != 2
        or any(set(one.args) != databases for one in applied)
        or expr.free_symbols & databases
    ):
        raise FormulaError("a metric is written with two databases, in the distances only: e*d(x, y)")
    return expr
