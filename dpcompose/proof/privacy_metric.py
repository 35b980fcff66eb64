"""The metric in which a composition is private, as an expression over databases D, E.

A guarantee of M_i for neighbours is privacy in a metric (GB Prop. III.3), and independent mechanisms
add up (GB Thm. IV.1, IV.11): the composition is private in Σ_i ε_i·d_i(f_i(D), f_i(E)).
"""

from __future__ import annotations

from typing import Any

import sympy

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language import formulas
from dpcompose.language.symbols import symbol
from dpcompose.privacy.elaboration.kinds import NoLemma
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.theory.registry import Page
from dpcompose.spaces.canonical.distances import Cost, MetricFunction
from dpcompose.spaces.canonical.metrics import Distance, Metric
from dpcompose.spaces.classes.databases import Database
from dpcompose.spaces.inputs.expressions import image_of
from dpcompose.spaces.moves.granularities import Granularity


class NoMetric(ValueError):
    """The composition has no metric that can be written; the message says why."""


@frozen
class _OfAnyNumber(Metric):
    """Steps that are as many single ones as a letter says: between two databases they have no number."""

    stated: Granularity

    def __call__(self, x: Database, y: Database) -> Distance:
        m = self.stated.times
        raise NoMetric(f"how many {self.stated} steps lie between {x} and {y} depends on {m}")


def of_inputs(inputs: Inputs, D: object, E: object, closure: bool = True) -> sympy.Expr:
    """The metric at D, E: an expression for database symbols, its value where both are known.

    closure -- for mechanisms on the common domain: the closure of d^f under chains of fibres, in which
    they are private too, or d^f itself (GB Prop. IV.10, Thm. IV.11), which may break the triangle
    inequality.
    """
    setting = inputs.stated or inputs.setting
    if family := next((m.name for m in setting.mechanisms if m.count is not None), None):
        raise NoMetric(
            f"{family} stands for a family of mechanisms, whose metric is not written out; "
            "compose them one by one"
        )
    if setting.in_metrics:
        raise NoMetric("guarantees in metrics are formulas in distances, which are not written out here")
    if len(setting.notions) > 1:
        raise NoMetric(f"guarantees of several notions have no common metric: {', '.join(setting.notions)}")
    if noisy := next((m.name for m in setting.mechanisms if m.noise is not None), None):
        raise NoMetric(f"how far what {noisy} asks for moves depends on attributes, or is no number of steps")
    try:
        page = inputs.theory.statement("metric form", setting.notion)
    except KeyError as error:
        raise NoMetric(str(error.args[0])) from None
    try:
        costs = [_cost(inputs, page, i, D, E, closure) for i in range(1, len(setting.mechanisms) + 1)]
    except formulas.FormulaError as error:
        raise NoMetric(f"it cannot be written with these numbers: {error.line}") from None
    except NoLemma as error:
        raise NoMetric(str(error)) from None
    letters = [symbol(f"d[{i}]") for i in range(1, len(costs) + 1)]
    whole = formulas.parse(page.head.composition, {"k": sympy.Integer(len(costs))}, {"d": letters})
    return whole.xreplace(dict(zip(letters, costs, strict=True)))


def _cost(inputs: Inputs, page: Page, i: int, D: object, E: object, closure: bool) -> sympy.Expr:
    """θ_i·d_i(f_i(D), f_i(E))."""
    databases = inputs.setting.databases
    mechanism = inputs.setting.mechanisms[i - 1]
    d = metric_function(inputs, i, closure)
    x, y = (image_of(mechanism.reads, database, databases) for database in (D, E))
    stated = dict(mechanism.satisfies.values)
    unlimited = sympy.oo in stated.values()
    parameter = sympy.oo if unlimited else formulas.parse(page.head.formula, stated)
    return Cost(parameter, d, x, y)


def metric_function(inputs: Inputs, i: int, closure: bool = True) -> MetricFunction:
    """d_i, the metric in which the guarantee of M_i reads its input.

    On the own domain the canonical metric d_G of the inputs; on the common domain d_G^f* (closure) or d_G^f.
    """
    databases = inputs.setting.databases
    mechanism = inputs.setting.mechanisms[i - 1]
    f, stated = mechanism.reads, mechanism.satisfies.about_granularity
    domain = inputs.domain(i)
    above = "" if domain == "own" else "f*" if closure else "f"
    metric = inputs.metric(i).metric if domain == "own" or closure else inputs.minimum_over_fibres(i)
    if stated.times is not None:
        metric = _OfAnyNumber(stated)
    taken = databases if f.is_identity(databases) else None
    same: Any = (databases, stated, f, domain)
    return MetricFunction(str(stated), metric, taken, above, same)
