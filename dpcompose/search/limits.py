"""From which distance on a guarantee says nothing: (ε, δ) with δ ≥ 1, and what has such limits.

For guarantees without parameters only; a warning, and no part of any verdict.
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from dpcompose.language import formulas
from dpcompose.language.meaning import sign
from dpcompose.language.worstcase import least
from dpcompose.proof.registry import Theory
from dpcompose.search.bounds import Bound

LARGEST_DISTANCE = 1_000
"""Up to which distance the first one that says nothing is looked for."""
DIGITS = 50
"""To how many digits exact losses are followed where they are no fractions."""


def warnings(bound: Bound) -> Iterator[str]:
    """A sentence for each parameter of the bound that has reached the limit from which it says nothing."""
    theory, notion = bound.steps.theory, bound.guarantee.notion
    for key, limit in theory.rule(notion).head.limits.items():
        value = formulas.parse(dict(bound.guarantee.parameters)[key], bound.setting.symbols)
        if value is sympy.oo or value.free_symbols or (sign(value - limit) == -1):
            continue
        first = [
            f"{mechanism.name} reaches it at distance {by_rule} by the group rule"
            + (f", at {exactly} exactly" if exactly not in (None, by_rule) else "")
            for mechanism in bound.setting.mechanisms
            for values in [dict(mechanism.satisfies.values)]
            if (by_rule := first_distance(theory, notion, values, key, limit)) is not None
            for exactly in [first_distance(theory, notion, values, key, limit, exactly=True)]
        ]
        yield f"{key} of the bound is at least {limit}, which says nothing" + "".join(
            f"; {one}" for one in first
        )


def first_distance(
    theory: Theory,
    notion: str,
    values: dict[str, sympy.Expr],
    key: str,
    limit: int,
    exactly: bool = False,
) -> int | None:
    """The first whole distance at which a constant guarantee says nothing: by the rule, or by the best one.

    >>> from dpcompose.proof.registry import standard
    >>> one = {"epsilon": sympy.Integer(1), "delta": sympy.Rational(1, 10**6)}
    >>> approximate = standard(), "approximate"
    >>> first_distance(*approximate, one, "delta", 1), first_distance(*approximate, one, "delta", 1, True)
    (15, 28)
    """
    rule, page = theory.rule(notion).head, theory.closer(notion, "steps")
    if any(value is sympy.oo or value.free_symbols for value in values.values()):
        return None
    reached = sympy.Integer(0)
    for r in range(1, LARGEST_DISTANCE + 1):
        if exactly:
            if page is None or key not in page.head.next:
                return None
            step = least(*(formulas.parse(one, {**values, "a": reached}) for one in page.head.next[key]))
            if sign(step - limit) != -1:
                return r
            step = step.doit()  # a fraction stays one: three times 1/3 is 1
            reached = step if step.is_Rational else sympy.Rational(str(sympy.N(step, DIGITS)))
        else:
            at = formulas.parse(rule.at_steps[key], {**values, "r": sympy.Integer(r)}, {"": []})
            if sign(at - limit) != -1:
                return r
    return None
