"""Distances of databases, and what they cost, as sympy expressions in [0, ∞]."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import sympy
from sympy.printing.precedence import PRECEDENCE

from dpcompose.language import formulas
from dpcompose.language.symbols import symbol
from dpcompose.spaces.canonical.metrics import INFINITE, Metric
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.inputs.expressions import (
    Carrier,
    KnownDatabase,
    expression_of,
    in_class,
    mathematics_of,
    ordered,
)


class MetricFunction(Carrier):
    """A metric d as a function of databases: d(D, E) is an expression for symbols D, E, else a number.

    name, above -- it prints as d_name^above;
    metric -- gives the distances;
    databases -- the class whose databases it takes (None: whatever the metric takes);
    same -- what makes two of them equal; the metric itself where nothing is said.

    Distances are exact: whole numbers, or oo.

    >>> from dpcompose.spaces.canonical.metrics import ClosedForm
    >>> d = MetricFunction("unbounded", ClosedForm("removed + added"))
    >>> from dpcompose.spaces.inputs.written import databases
    >>> D, E = databases("D E")
    >>> d(D, E), d(D, D), d(("a",), ("b",))
    (d_unbounded(D, E), 0, 2)
    """

    __slots__ = ("above", "databases", "metric", "name")
    above: str
    databases: DatabaseClass | None
    metric: Metric
    name: str

    def __new__(
        cls,
        name: str,
        metric: Metric,
        databases: DatabaseClass | None = None,
        above: str = "",
        same: Hashable = None,
    ) -> MetricFunction:
        made: MetricFunction = Carrier.__new__(cls)
        made.name, made.metric, made.databases, made.above = name, metric, databases, above
        made.key = (name, above, metric if same is None else same)
        return made

    @property
    def of(self) -> Any:
        """What it is the canonical metric of, a class and a granularity; else the metric itself."""
        return self.key[2]

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.name, self.metric, self.databases, self.above, self.key[2]

    def __call__(self, x: object, y: object) -> sympy.Expr:
        return Distance(self, x, y)

    def steps(self, x: object, y: object) -> sympy.Expr | None:
        """d(x, y) where both are known; None where they are not."""
        x, y = (in_class(expression_of(one), self.databases) for one in (x, y))
        if x == y:
            return sympy.Integer(0)
        if not (isinstance(x, KnownDatabase) and isinstance(y, KnownDatabase)):
            return None
        steps = self.metric(x.value, y.value)
        return sympy.oo if steps == INFINITE else sympy.Integer(steps)

    def _sympystr(self, printer: Any) -> str:
        return f"d_{self.name}" + (f"^{self.above}" if self.above else "")

    def _latex(self, printer: Any) -> str:
        above = self.above.replace("*", r"\ast")
        return rf"d_{{{mathematics_of(self.name)}}}" + (f"^{{{above}}}" if above else "")


class _Nonnegative(sympy.Expr):
    """A value in [0, ∞]."""

    def _eval_is_extended_real(self) -> bool:
        return True

    def _eval_is_extended_nonnegative(self) -> bool:
        return True


class Distance(_Nonnegative):
    """d(x, y) of two databases or images; a number where both are known, 0 where they are the same."""

    def __new__(cls, d: MetricFunction, x: Any, y: Any) -> Any:
        x, y = ordered(*(in_class(expression_of(one), d.databases) for one in (x, y)))
        steps = d.steps(x, y)
        return sympy.Expr.__new__(cls, d, x, y) if steps is None else steps

    @property
    def by_name(self) -> sympy.Expr:
        """The name of the distance, for formulas in metrics.  Raises FormulaError for one of inputs."""
        d, x, y = self.args
        if x.free_symbols != {x} or y.free_symbols != {y} or d.above:
            raise formulas.FormulaError(
                f"{self} is no metric of the databases themselves: name it in metrics"
            )
        return symbol(str(d))

    @property
    def function(self) -> MetricFunction:
        """The metric, of whatever it is taken."""
        function: MetricFunction = self.args[0]
        return function

    def _eval_derivative(self, s: Any) -> sympy.Expr:
        return sympy.Integer(0)

    def _sympystr(self, printer: Any) -> str:
        d, x, y = map(printer._print, self.args)
        return f"{d}({x}, {y})"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        d, x, y = map(printer._print, self.args)
        shown = rf"{d}\left({x}, {y}\right)"
        return rf"{shown}^{{{exp}}}" if exp is not None else shown


class Cost(_Nonnegative):
    """θ·d(x, y): what a mechanism of parameter θ loses between inputs x and y (GB Thm. IV.1).

    The same input costs 0, also for θ = ∞; distance ∞ costs ∞, also for θ = 0; and a mechanism
    without a guarantee (θ = ∞) costs ∞ at two inputs, even at distance 0.

    >>> from dpcompose.spaces.canonical.metrics import ClosedForm
    >>> d = MetricFunction("bounded", ClosedForm("removed", same_size=True))
    >>> from dpcompose.spaces.inputs.written import databases
    >>> D, E = databases("D E")
    >>> Cost(0, d, D, E), Cost(0, d, ("a",), ()), Cost(sympy.oo, d, D, D), 2*Cost(3, d, ("a",), ("b",))
    (0*d_bounded(D, E), oo, 0, 6)
    """

    precedence = PRECEDENCE["Mul"]

    def __new__(cls, parameter: Any, d: MetricFunction, x: Any, y: Any) -> Any:
        if not isinstance(parameter, sympy.Expr):
            parameter = formulas.from_python(parameter)
        x, y = (in_class(expression_of(one), d.databases) for one in (x, y))
        x, y = ordered(x, y)
        steps = d.steps(x, y)
        if steps is None:
            return sympy.Expr.__new__(cls, parameter, d, x, y)
        if x == y:
            return sympy.Integer(0)
        if steps is sympy.oo or parameter is sympy.oo:
            return sympy.oo
        return steps * parameter

    @property
    def by_name(self) -> sympy.Expr:
        """The same with the name of the distance."""
        return self.args[0] * self.distance.by_name

    @property
    def function(self) -> MetricFunction:
        """The metric, of whatever it is taken."""
        function: MetricFunction = self.args[1]
        return function

    @property
    def distance(self) -> sympy.Expr:
        """d(x, y)."""
        return Distance(*self.args[1:])

    def _eval_derivative(self, s: Any) -> sympy.Expr:
        slope = self.args[0].diff(s)
        return slope if slope == 0 else Cost(slope, *self.args[1:])

    def _sympystr(self, printer: Any) -> str:
        return f"{printer.parenthesize(self.args[0], PRECEDENCE['Mul'])}*{printer._print(self.distance)}"

    def _latex(self, printer: Any) -> str:
        return f"{printer.parenthesize(self.args[0], PRECEDENCE['Mul'])} {printer._print(self.distance)}"
