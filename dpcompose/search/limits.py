"""From which distance on a guarantee says nothing: (ε, δ) with δ ≥ 1, and what has such limits.

For guarantees without parameters only; a warning, and no part of any verdict.
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy

from dpcompose.language import formulas
from dpcompose.language.meaning import sign
from dpcompose.proof.registry import Rule
from dpcompose.search.bounds import Bound

LARGEST_DISTANCE = 1_000
"""Up to which distance the first one that says nothing is looked for."""
DIGITS = 50
"""To how many digits exact losses are followed."""


def warnings(bound: Bound) -> Iterator[str]:
    """A sentence for each parameter of the bound that has reached the limit from which it says nothing."""
    rule: Rule = bound.steps.theory.rule(bound.guarantee.notion).head
    for key, limit in rule.limits.items():
        value = formulas.parse(dict(bound.guarantee.parameters)[key], bound.setting.symbols)
        if value is sympy.oo or value.free_symbols or (sign(value - limit) == -1):
            continue
        first = [
            f"{mechanism.name} reaches it at distance {by_rule} by the group rule"
            + (f", at {exactly} exactly" if exactly not in (None, by_rule) else "")
            for mechanism in bound.setting.mechanisms
            if (by_rule := first_distance(rule, dict(mechanism.satisfies.values), key, limit)) is not None
            for exactly in [first_distance(rule, dict(mechanism.satisfies.values), key, limit, exactly=True)]
        ]
        yield f"{key} of the bound is at least {limit}, which says nothing" + "".join(
            f"; {one}" for one in first
        )


def first_distance(
    rule: Rule, values: dict[str, sympy.Expr], key: str, limit: int, exactly: bool = False
) -> int | None:
    """The first whole distance at which a constant guarantee says nothing: by the rule, or by the best one.

    >>> from dpcompose.proof.registry import standard
    >>> one = {"epsilon": sympy.Integer(1), "delta": sympy.Rational(1, 10**6)}
    >>> rule = standard().rule("approximate").head
    >>> first_distance(rule, one, "delta", 1), first_distance(rule, one, "delta", 1, exactly=True)
    (15, 28)
    """
    if any(value is sympy.oo or value.free_symbols for value in values.values()):
        return None
    reached = sympy.Integer(0)
    for r in range(1, LARGEST_DISTANCE + 1):
        if exactly:
            if key not in rule.exact_step:
                return None
            step = formulas.parse(rule.exact_step[key], {**values, "a": reached})
            if sign(step - limit) != -1:
                return r
            reached = sympy.Rational(str(sympy.N(step.doit(), DIGITS)))
        else:
            at = formulas.parse(rule.at_steps[key], {**values, "r": sympy.Integer(r)}, {"": []})
            if sign(at - limit) != -1:
                return r
    return None
