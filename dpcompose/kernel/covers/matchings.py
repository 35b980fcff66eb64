"""What steps of a policy cost that make some records others: shortest paths, and cheapest matchings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from dpcompose.kernel.core.settings import NOTHING, Edge
from dpcompose.kernel.covers import paths
from dpcompose.kernel.covers.rooms import Side


class Costs:
    """Shortest paths between different records of atoms, or nothing; None where there is none.

    Two records of one atom are one step apart where it has an edge to itself, and else two, if it has any.
    """

    def __init__(self, edges: Iterable[Edge]) -> None:
        self.next = paths.graph(edges)
        self.steps = paths.steps(self.next)

    def __call__(self, x: int, y: int) -> int | None:
        if x == y == NOTHING:
            return 0
        if x == y:
            others = self.next.get(x, set())
            return 1 if x in others else 2 if others else None
        return self.steps(x).get(y)

    def near(self, x: int, most: int) -> Iterator[tuple[int, int]]:
        """The atoms, or nothing, with records at most so many steps from one of x, and how many; in order."""
        numbers = paths.steps(self.next, most)(x)
        for y in sorted(numbers):
            if (r := self(x, x) if y == x else numbers[y]) is not None and r <= most:
                yield y, r


def cheapest(costs: Callable[[int, int], int | None], left: Side, right: Side) -> int | None:
    """The least cost of a matching of some records with others, or with nothing; None: none is finite.

    >>> cheapest(Costs([(0, 1), (1, 2)]), (0, 0), (1, 2))
    3
    """

    known: dict[tuple[int, Side], int | None] = {}

    def rest(at: int, others: Side) -> int | None:
        if at == len(left):
            numbers = [costs(NOTHING, y) for y in others]
            return None if None in numbers else sum(one for one in numbers if one is not None)
        if (at, others) not in known:
            ways = [(costs(left[at], NOTHING), rest(at + 1, others))]
            for n in range(len(others)):
                if n == 0 or others[n] != others[n - 1]:
                    ways.append((costs(left[at], others[n]), rest(at + 1, others[:n] + others[n + 1 :])))
            known[at, others] = min((a + b for a, b in ways if a is not None and b is not None), default=None)
        return known[at, others]

    return rest(0, right)
