"""Vectors of whole numbers >= 0 at which linear forms have given signs: finitely many make up all of them.

The solutions of linear equations in whole numbers >= 0 are the sums of the minimal ones, of which there are
finitely many: their Hilbert basis.  That a form is at least 1 is an equation, with a variable for what there
is besides 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from operator import add, le, mul

from dpcompose.kernel.covers.types import NoCover

MOST_WORK = 1_000_000
"""How many vectors are compared to find one Hilbert basis."""

Vector = tuple[int, ...]


def hilbert_basis(columns: Sequence[Vector]) -> list[Vector]:
    """The minimal solutions x != 0 of A·x = 0 in whole numbers x >= 0, for a matrix of columns A_0, A_1, ….

    Minimal are those to which no other one is <= in all entries.  Every solution is a sum of them: of one
    that is not minimal some minimal one can be subtracted, and a smaller solution is left.

    From the unit vectors e_j on, x goes to x + e_j where the scalar product of A·x and A_j is < 0, unless a
    solution known already is <= x + e_j.  So every minimal solution b is reached: let x <= b be reached, at
    first a unit vector, and x != b.  Then A·x != 0, and the sum of (b - x)_j times the product of A·x and A_j
    is that of A·x and A·(b - x) = -A·x, so < 0.  So x goes to x + e_j for some j with x_j < b_j: this is
    still <= b, and no solution but b is.  Only minimal ones are found, as those of smaller sums are known.

    That it ends is shown by E. Contejean and H. Devie, "An efficient incremental algorithm for solving
    systems of linear Diophantine equations", Information and Computation 113 (1994).  Raises NoCover where
    it takes long.

    >>> hilbert_basis([(2,), (1,), (-3,)])
    [(3, 0, 2), (1, 1, 1), (0, 3, 1)]
    """
    several = range(len(columns))
    units = [tuple(int(i == j) for i in several) for j in several]
    reached = dict(zip(units, columns, strict=True))
    basis: list[Vector] = []
    work = 0
    while reached:
        basis += [x for x, value in reached.items() if not any(value)]
        larger: dict[Vector, Vector] = {}
        for (x, value), (unit, column) in product(reached.items(), zip(units, columns, strict=True)):
            if sum(map(mul, value, column)) >= 0:
                continue
            work += 1 + len(basis)
            if work > MOST_WORK:
                raise NoCover(
                    "how records come and go, where distances are oo between different sizes, is not told by "
                    f"comparing {MOST_WORK:,} vectors; fewer such distances would do, or a class of few "
                    "databases"
                )
            y = tuple(map(add, x, unit))
            if y not in larger and not any(all(map(le, known, y)) for known in basis):
                larger[y] = tuple(map(add, value, column))
        reached = larger
    return sorted(basis, reverse=True)


def generators(columns: Sequence[Vector], signs: Sequence[int]) -> tuple[list[Vector], list[Vector]]:
    """All whole x >= 0 at which the entries of A·x have given signs, 0, 1 or -1, for columns A_0, A_1, ….

    They are the sums of one of the first vectors and any of the second ones, each any number of times.  For
    an entry has the sign s != 0 where it is s·(1 + t) for a whole t >= 0.  So with u, and t for each of these
    entries, such x are the solutions with u = 1 of equations that say: the entry is s·(u + t).  Of minimal
    solutions whose sum has u = 1 one has, and the others have u = 0.

    >>> generators([(1,), (-1,)], [1]), generators([(1,), (-1,)], [0])
    (([(1, 0)], [(1, 1), (1, 0)]), ([(0, 0)], [(1, 1)]))
    """
    several = range(len(signs))
    slack = [tuple(-signs[k] * (k == entry) for k in several) for entry in several if signs[entry]]
    basis = hilbert_basis([*columns, *slack, tuple(-sign for sign in signs)])
    first, second = ([x[: len(columns)] for x in basis if x[-1] == u] for u in (1, 0))
    return first, second
