"""Terms made of others: parts replaced, letters substituted, products multiplied out.

Each is made again by the constructors of `terms`, so that it is in their normal form.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from dpcompose.kernel.expressions.terms import ONE, Term, add, exp, largest, log, multiply, over, power, top


def counted(term: Term, limit: int) -> int:
    """How many parts a term has, counted up to a limit."""
    count, waiting = 0, [term]
    while waiting and count < limit:
        one = waiting.pop()
        count += 1
        waiting += one.parts
    return count


def changed(term: Term, replace: Callable[[Term], Term | None]) -> Term:
    """The term with parts replaced, outermost first; where `replace` says None, parts of the part may be."""
    found = replace(term)
    if found is not None:
        return found
    if term.kind in ("number", "letter", "oo"):
        return term
    parts = [changed(part, replace) for part in term.parts]
    return term if all(map(operator.is_, parts, term.parts)) else made_of(term, parts)


def made_of(term: Term, parts: list[Term]) -> Term:
    """A term of the same kind with other parts."""
    if term.kind in ("sum", "product"):
        return add(parts) if term.kind == "sum" else multiply(parts)
    if term.kind == "top":
        return top(term.of[0], parts)
    if term.kind in ("power", "over"):
        return power(parts[0], parts[1]) if term.kind == "power" else over(parts[0], parts[1], parts[2])
    return exp(parts[0]) if term.kind == "exp" else log(parts[0])


def substituted(term: Term, values: Mapping[str, Term]) -> Term:
    """The term with others in place of some letters.

    >>> from dpcompose.kernel.expressions.terms import letter, number
    >>> substituted(letter("x") + letter("y"), {"x": number(2)})
    (sum 2 y)
    """
    if term.kind == "letter":
        return values.get(term.of[0], term)
    if values.keys().isdisjoint(term.letters):
        return term
    return made_of(term, [substituted(part, values) for part in term.parts])


def seen_largest(term: Term) -> Term | None:
    """A maximum without the terms that another one is seen to be at least; None where all are needed."""
    if term.kind != "top" or term.of[0] != 1:
        return None
    kept: list[Term] = []
    for part in term.parts:
        if not any((other - part).nonnegative for other in kept):
            kept = [other for other in kept if not (part - other).nonnegative] + [part]
    return largest(*kept) if len(kept) < len(term.parts) else None


def expanded(term: Term) -> Term:
    """Products of sums, and whole powers of sums, multiplied out; inside of functions nothing changes.

    >>> from dpcompose.kernel.expressions.terms import letter
    >>> x, y = letter("x"), letter("y")
    >>> expanded((x + y) ** 2)
    (sum (power x 2) (power y 2) (product 2 x y))
    """
    if term.kind == "sum":
        parts = list(map(expanded, term.of))
        return term if all(map(operator.is_, parts, term.of)) else add(parts)
    if term.kind == "power" and term.of[0].kind == "sum":
        n = term.of[1].number
        if n is not None and n.denominator == 1 and 0 < n <= 64:
            return _product_out([expanded(term.of[0])] * int(n))
    if term.kind == "product":
        parts = list(map(expanded, term.of))
        if any(part.kind == "sum" for part in parts):
            return _product_out(parts)
        return term if all(map(operator.is_, parts, term.of)) else multiply(parts)
    return term


def _product_out(factors: list[Term]) -> Term:
    total = [ONE]
    for factor in factors:
        total = [term * other for term in total for other in factor.summands]
        total = list(add(total).summands)
    return add(total)
