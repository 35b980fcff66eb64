"""Hyperbolic tangents with a factor, which terms have multiplied out."""

from __future__ import annotations

from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.expressions.writing import tangent


def with_tangents(value: Term) -> Term:
    """The term with c·tanh(x) as a product, in place of c − 2c/(e^2x + 1)."""

    def product(part: Term) -> Term | None:
        for one in part.of if part.kind == "sum" else ():
            for pair, c, _, x in tangent(one):
                if c.number is None and set(pair) <= set(part.of):
                    rest = [other for other in part.of if other not in pair]
                    whole = terms.add([*rest, c * (1 - 2 / (terms.exp(2 * x) + 1))])
                    return substitution.changed(whole, product)
        return None

    return substitution.changed(value, product) if value.has("exp") else value
