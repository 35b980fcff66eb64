"""Mechanisms of several notions at once, saved and checked again, and bounds as numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import rechecks
import sympy

import dpcompose as dpc
from dpcompose.front.documents.bound import Bound
from dpcompose.front.studies.study import Study
from dpcompose.language import formulas
from dpcompose.language.worstcase import Top
from dpcompose.privacy.guarantees.notions import Guarantee

MAKE: dict[str, Callable[..., Guarantee]] = {
    "pure": dpc.pure,
    "approximate": dpc.approximate,
    "zcdp": dpc.zcdp,
    "gaussian": dpc.gaussian,
}


def number(expression: sympy.Expr) -> Any:
    """The value of a constant to 30 digits."""
    if expression is sympy.oo:
        return mpmath.inf
    worst = {
        one: sympy.Float(str(max(map(number, one.terms))), 30)
        for one in expression.atoms(Top)
        if one.args[0] == 1
    }
    return mpmath.mpf(str(sympy.N(expression.xreplace(worst), 30)))


def stated(bound: Bound) -> dict[str, sympy.Expr]:
    return {key: formulas.parse(text, bound.setting.symbols) for key, text in bound.guarantee.texts}


def two_steps(*guarantees: Guarantee) -> Study:
    """Mechanisms that read everything, for replacement: two add/remove steps."""
    return dpc.compose(
        *(dpc.mechanism(f"M{i}", one) for i, one in enumerate(guarantees, start=1)),
        on=dpc.multisets("ab"),
        target=dpc.bounded,
    )


def rechecked(study: Study, *claims: Guarantee) -> list[str]:
    """The verdicts, which the kernel confirms from the saved derivation."""
    return list(rechecks.rechecked(study, [study.check(one) for one in claims]).verdicts)


U = dpc.unbounded


def diverging(part: Any, r: int) -> Any:
    """The Kullback-Leibler divergence of a mechanism with this guarantee, r steps apart: normal noise has r²ρ
    and r²μ²/2; pure ones are randomized response that loses ε, or rε/2."""
    notion, x = part[0], mpmath.mpf(part[1].numerator) / part[1].denominator
    if notion != "pure":
        return x * r**2 if notion == "zcdp" else (x * r) ** 2 / 2
    p = mpmath.exp(max(1, r / 2) * x) / (1 + mpmath.exp(max(1, r / 2) * x))
    return p * mpmath.log(p / (1 - p)) + (1 - p) * mpmath.log((1 - p) / p)
