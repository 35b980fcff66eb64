"""Linear programs over the rationals: the simplex method, exact, with a limit of counted work."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

Row = Mapping[Hashable, Fraction]
"""Σ c·x as x ↦ c."""
MOST_WORK = 400_000
"""How many entries of tableaux may be touched."""


class TooMuchWork(Exception):
    """The work is spent."""


@dataclass
class Program:
    """Variables ≥ 0 with constraints Σ c·x + constant ≥ 0 and = 0.

    >>> program = Program()
    >>> program.at_least({"x": Fraction(-1)}, Fraction(3))
    >>> program.at_least({"x": Fraction(1), "y": Fraction(-2)})
    >>> program.solve({"y": Fraction(1)})
    {'x': Fraction(3, 1), 'y': Fraction(3, 2)}
    """

    rows: list[tuple[dict[Hashable, Fraction], Fraction]] = field(default_factory=list)
    work: int = 0

    def at_least(self, row: Row, constant: Fraction = Fraction(0)) -> None:
        """Σ c·x + constant ≥ 0."""
        self.rows.append(({x: c for x, c in row.items() if c}, constant))

    def equal(self, row: Row, constant: Fraction = Fraction(0)) -> None:
        """Σ c·x + constant = 0."""
        self.at_least(row, constant)
        self.at_least({x: -c for x, c in row.items()}, -constant)

    def solve(self, most: Row | None = None) -> dict[Hashable, Fraction] | None:
        """Values that satisfy all constraints, and among these make `most` largest, if it is bounded; None
        where there are none.  Raises TooMuchWork."""
        names = list(dict.fromkeys([*(x for row, _ in self.rows for x in row), *(most or {})]))
        number = {x: n for n, x in enumerate(names)}
        tableau: dict[int, dict[int, Fraction]] = {}
        constants: dict[int, Fraction] = {}
        extra = len(names) + len(self.rows)  # the variable that makes all rows feasible at first
        for n, (given, constant) in enumerate(self.rows):
            basic = len(names) + n
            tableau[basic] = {number[x]: c for x, c in given.items()}
            constants[basic] = constant
        self.work = 0
        if any(constant < 0 for constant in constants.values()):
            for row in tableau.values():
                row[extra] = Fraction(1)
            climbing: dict[int, Fraction] = {extra: Fraction(-1)}
            leaving = min(constants, key=lambda basic: (constants[basic], basic))
            self._pivot(tableau, constants, climbing, extra, leaving)
            self._climb(tableau, constants, climbing)
            if constants.get(extra, Fraction(0)) > 0:
                return None
            if extra in tableau:
                entering = next((x for x, c in tableau[extra].items() if c), None)
                if entering is None:
                    del tableau[extra], constants[extra]
                else:
                    self._pivot(tableau, constants, climbing, entering, extra)
            for row in tableau.values():
                row.pop(extra, None)
        if most:
            goal: dict[int, Fraction] = {}
            for x, c in most.items():
                for other, d in tableau.get(number[x], {number[x]: Fraction(1)}).items():
                    goal[other] = goal.get(other, Fraction(0)) + c * d
            self._climb(tableau, constants, goal)
        return {x: constants.get(n, Fraction(0)) for x, n in number.items()}

    def _climb(
        self,
        tableau: dict[int, dict[int, Fraction]],
        constants: dict[int, Fraction],
        goal: dict[int, Fraction],
    ) -> None:
        """Pivots until the goal grows with no variable: by the largest factor, and by the first one where
        nothing is gained, so that it ends."""
        stuck = False
        while growing := [x for x, c in goal.items() if c > 0]:
            entering = min(growing) if stuck else max(growing, key=lambda x: (goal[x], -x))
            ratios = [
                (-constants[basic] / row[entering], basic)
                for basic, row in tableau.items()
                if row.get(entering, 0) < 0
            ]
            if not ratios:
                return  # it is unbounded: where it stands is as good as any
            step, leaving = min(ratios)
            stuck = step == 0
            self._pivot(tableau, constants, goal, entering, leaving)

    def _pivot(
        self,
        tableau: dict[int, dict[int, Fraction]],
        constants: dict[int, Fraction],
        goal: dict[int, Fraction],
        entering: int,
        leaving: int,
    ) -> None:
        row, constant = tableau.pop(leaving), constants.pop(leaving)
        c = row.pop(entering)
        new = {x: -d / c for x, d in row.items()}
        new[leaving] = 1 / c
        for other in (*tableau, None):
            target = goal if other is None else tableau[other]
            d = target.pop(entering, Fraction(0))
            if not d:
                continue
            self.work += len(new)
            for x, e in new.items():
                before = target.get(x)
                value = d * e if before is None else before + d * e
                if value:
                    target[x] = value
                else:
                    target.pop(x, None)
            if other is not None:
                constants[other] += d * -constant / c
        tableau[entering], constants[entering] = new, -constant / c
        if self.work > MOST_WORK:
            raise TooMuchWork
