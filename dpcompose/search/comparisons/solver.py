"""The solver behind the search for points: polynomial systems, answered by z3, which is loaded when asked.

Nothing here is believed: a point is checked by evaluation.  The work is limited by a count of z3's own,
never by a clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, Protocol

from dpcompose.kernel.expressions.keeping import frozen

Polynomial = Mapping[tuple[tuple[Any, int], ...], Fraction]
"""Σ c·Π x^p as monomial ↦ c."""


@frozen
class Constraint:
    """polynomial ≥ 0, > 0 or = 0."""

    polynomial: Polynomial
    relation: Literal[">=", ">", "="]


class Solver(Protocol):
    """Finds values of variables that satisfy all constraints, or None."""

    def solve(
        self, constraints: Sequence[Constraint], integers: frozenset[Any] = frozenset()
    ) -> dict[Any, Fraction] | None:
        """Values for all variables that occur; None where there are none or none was found."""
        ...


@frozen
class Z3:
    """z3, with a limit of its work for a query."""

    work: int = 3_000_000

    def solve(
        self, constraints: Sequence[Constraint], integers: frozenset[Any] = frozenset()
    ) -> dict[Any, Fraction] | None:
        """Values for all variables that occur."""
        import z3

        letters: dict[Any, Any] = {}

        def letter(x: Any) -> Any:
            if x not in letters:
                name = f"x{len(letters)}"
                letters[x] = z3.ToReal(z3.Int(name)) if x in integers else z3.Real(name)
            return letters[x]

        solver = z3.Solver()
        solver.set("rlimit", self.work)
        for constraint in constraints:
            summands = []
            for monomial, c in constraint.polynomial.items():
                term: Any = z3.RatVal(c.numerator, c.denominator)
                for x, power in monomial:
                    for _ in range(power):
                        term = term * letter(x)
                summands.append(term)
            total = z3.Sum(summands) if summands else z3.RealVal(0)
            relation = constraint.relation
            solver.add(total >= 0 if relation == ">=" else total > 0 if relation == ">" else total == 0)
        if solver.check() != z3.sat:
            return None
        model = solver.model()
        return {x: _fraction(model.evaluate(one, model_completion=True)) for x, one in letters.items()}


def _fraction(value: Any) -> Fraction:
    if hasattr(value, "approx"):  # an algebraic number: a rational nearby, to be checked like any other
        value = value.approx(20)
    return Fraction(value.numerator_as_long(), value.denominator_as_long())
