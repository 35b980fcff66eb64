"""The border: sympy expressions that users hold, as terms of the kernel, and terms as sympy expressions."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

import sympy

from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.domains import REAL, Domain
from dpcompose.kernel.expressions.grammar import ABBREVIATIONS, FormulaError
from dpcompose.kernel.expressions.terms import Term, TermError
from dpcompose.kernel.expressions.writing import to_text, with_names
from dpcompose.language.symbols import domain_of, symbol
from dpcompose.language.tangents import with_tangents
from dpcompose.language.worstcase import Over, Top
from dpcompose.language.writing import as_top, check_writable


def of_sympy(expression: sympy.Expr) -> Term:
    """The term that an expression is; its letters have the values that its symbols may take.

    A symbol that does not say which is any real number.  Raises FormulaError for what is no formula.

    >>> e = symbol("e")
    >>> of_sympy(sympy.exp(e) + sympy.Max(2 * e, 1) / 3)
    (sum (exp e) (product 1/3 (top 1 1 (product 2 e))))
    """
    check_writable(expression)
    expression = as_top(expression)
    try:
        term = _term(expression)
    except TermError as error:
        raise FormulaError(str(error)) from None
    if term.letters:
        term.__dict__.setdefault("expression", expression)
    return term


@lru_cache(maxsize=1024)
def _domain(one: sympy.Symbol) -> Domain:
    try:
        return domain_of(one)
    except ValueError:
        return REAL


def _term(it: sympy.Expr) -> Term:
    if it.is_Symbol:
        return terms.letter(it.name, _domain(it))
    if it.is_Rational:
        return terms.number(Fraction(int(it.p), int(it.q)))
    if it is sympy.oo:
        return terms.INFINITY
    if it is sympy.E:
        return terms.exp(terms.ONE)
    parts = [_term(part) for part in (_with_one_root(it) if it.is_Mul else it.args)]
    if it.is_Add:
        return terms.add(parts)
    if it.is_Mul:
        return terms.multiply(parts)
    if isinstance(it, sympy.exp):
        return terms.exp(parts[0])
    if isinstance(it, sympy.log):
        return terms.log(parts[0])
    if (name := it.func.__name__) in ABBREVIATIONS:
        return formulas.parse(ABBREVIATIONS[name], {"x": parts[0]})
    if isinstance(it, Top):
        return terms.top(int(it.args[0]), parts[1:])
    if isinstance(it, Over):
        return terms.over(*parts)
    if it.is_Pow:
        return terms.power(*parts)
    raise FormulaError(f"{it.func.__name__} cannot be written in a formula")


def _with_one_root(product: sympy.Expr) -> list[sympy.Expr]:
    """The factors, square roots under one root where sympy took that apart: sqrt(x*y) as it was written."""
    factors = list(product.args)
    roots = [factor for factor in factors if factor.is_Pow and factor.exp == sympy.S.Half]
    if len(roots) < 2:
        return factors
    inside = sympy.Mul(*(root.base for root in roots))
    if sympy.sqrt(inside) != sympy.Mul(*roots):
        return factors
    return [
        *(factor for factor in factors if factor not in roots),
        sympy.Pow(inside, sympy.S.Half, evaluate=False),
    ]


def to_sympy(term: Term, symbols: Mapping[str, sympy.Expr] | None = None) -> sympy.Expr:
    """The expression that a term is: the one that it was made of, else one in the symbols of its letters.

    symbols -- what other letters stand for, by name.

    >>> to_sympy(terms.largest(terms.letter("e"), terms.number(1)) / 2)
    max(1, e)/2
    """
    if "expression" in term.__dict__ and symbols is None:
        expr: sympy.Expr = term.__dict__["expression"]
        return expr
    expr = as_top(_expression(with_tangents(term), symbols or {}))
    if expr.has(sympy.I):
        raise FormulaError("a root of a negative number has no real value")
    if expr is not sympy.oo and expr.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo):
        raise FormulaError("this has no real value")
    return expr


HYPERBOLIC = {"tanh": sympy.tanh, "sinh": sympy.sinh, "cosh": sympy.cosh}


def _expression(term: Term, symbols: Mapping[str, sympy.Expr]) -> sympy.Expr:
    found: dict[str, sympy.Expr] = {}

    def named(name: str, x: Term) -> Term:
        shown = f"{name}({to_text(x)})"
        value = _expression(x, symbols)
        found[shown] = HYPERBOLIC[name](value) if name in HYPERBOLIC else sympy.log(value) / sympy.log(2)
        return terms.letter(shown)

    term = with_names(term, named)
    symbols = {**symbols, **found} if found else symbols
    kind, of = term.kind, term.of
    if kind == "number":
        return sympy.Rational(of[0].numerator, of[0].denominator)
    if kind == "letter":
        return symbols[of[0]] if of[0] in symbols else symbol(*of)
    if kind == "oo":
        return sympy.oo
    parts = [_expression(part, symbols) for part in term.parts]
    if kind == "sum":
        return sympy.Add(*parts)
    if kind == "product":
        return _settled(sympy.Mul(*parts))
    if kind == "power":
        return sympy.Pow(*parts)
    if kind == "top":
        return Top(sympy.Integer(of[0]), *parts)
    if kind == "over":
        return Over(*parts)
    return sympy.exp(parts[0]) if kind == "exp" else sympy.log(parts[0])


def _settled(value: sympy.Expr) -> sympy.Expr:
    """The same product once sympy has nothing more to join: it can stop early at sqrt(sqrt(1/27))."""
    while value.is_Mul and (again := sympy.Mul(*value.args)) != value:
        value = again
    return value
