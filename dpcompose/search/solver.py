"""The solver behind the search: linear and polynomial systems, answered by z3.

Nothing here is believed: a point is checked by evaluation and weights by
`dpcompose.proof.certificates`, both without the solver.  Where it says only that there is no point, a
comparison stays undecided, and the reason says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, Protocol, runtime_checkable

Polynomial = Mapping[tuple[tuple[str, int], ...], Fraction]
"""Σ c·Π x^p as monomial ↦ c."""


@dataclass(frozen=True)
class Constraint:
    """polynomial ≥ 0, > 0 or = 0."""

    polynomial: Polynomial
    relation: Literal[">=", ">", "="]


class Solver(Protocol):
    """Finds values of variables that satisfy all constraints, or None."""

    def solve(
        self, constraints: Sequence[Constraint], integers: frozenset[str] = frozenset()
    ) -> dict[str, Fraction] | None:
        """Values for all variables that occur; None where there are none or none was found in time."""
        ...


@runtime_checkable
class Sure(Protocol):
    """A solver that also says that there are no such values: its word, which nothing checks."""

    def excludes(self, constraints: Sequence[Constraint], integers: frozenset[str] = frozenset()) -> bool:
        """Whether it says that no values satisfy all constraints."""
        ...


@dataclass(frozen=True)
class Z3:
    """z3, with a time limit in milliseconds for a query."""

    milliseconds: int = 10_000

    def excludes(self, constraints: Sequence[Constraint], integers: frozenset[str] = frozenset()) -> bool:
        import z3

        solver, _ = self._asked(constraints, integers)
        return bool(solver.check() == z3.unsat)

    def solve(
        self, constraints: Sequence[Constraint], integers: frozenset[str] = frozenset()
    ) -> dict[str, Fraction] | None:
        import z3

        solver, letters = self._asked(constraints, integers)
        if solver.check() != z3.sat:
            return None
        model = solver.model()
        return {name: _fraction(model.evaluate(one, model_completion=True)) for name, one in letters.items()}

    def _asked(
        self, constraints: Sequence[Constraint], integers: frozenset[str]
    ) -> tuple[Any, dict[str, Any]]:
        """A solver with the constraints, and its variables."""
        import z3

        letters: dict[str, Any] = {}

        def letter(name: str) -> Any:
            if name not in letters:
                letters[name] = z3.ToReal(z3.Int(name)) if name in integers else z3.Real(name)
            return letters[name]

        solver = z3.Solver()
        solver.set("timeout", self.milliseconds)
        for constraint in constraints:
            terms = []
            for monomial, c in constraint.polynomial.items():
                term: Any = z3.RatVal(c.numerator, c.denominator)
                for name, power in monomial:
                    for _ in range(power):
                        term = term * letter(name)
                terms.append(term)
            total = z3.Sum(terms) if terms else z3.RealVal(0)
            solver.add(
                total >= 0
                if constraint.relation == ">="
                else total > 0
                if constraint.relation == ">"
                else total == 0
            )
        return solver, letters


def _fraction(value: Any) -> Fraction:
    if hasattr(value, "approx"):  # an algebraic number: a rational nearby, to be checked like any other
        value = value.approx(20)
    return Fraction(value.numerator_as_long(), value.denominator_as_long())
