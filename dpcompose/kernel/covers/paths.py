"""Shortest paths among numbered nodes: by the fewest steps, or by the lengths of these."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from heapq import heappop, heappush


def graph(pairs: Iterable[tuple[int, int]]) -> dict[int, set[int]]:
    """Which nodes each one is paired with."""
    found: dict[int, set[int]] = {}
    for a, b in pairs:
        found.setdefault(a, set()).add(b)
        found.setdefault(b, set()).add(a)
    return found


def steps(graph: Mapping[int, set[int]], most: int | None = None) -> Callable[[int], dict[int, int]]:
    """The fewest steps from a node to each that can be reached; most -- that is no further away.

    >>> steps(graph([(0, 1), (1, 2), (2, 3)]), 2)(0)
    {0: 0, 1: 1, 2: 2}
    """

    @cache
    def reached(start: int) -> dict[int, int]:
        numbers, waiting = {start: 0}, deque([start])
        while waiting:
            x = waiting.popleft()
            if numbers[x] == most:
                break
            for y in graph.get(x, ()):
                if y not in numbers:
                    numbers[y] = numbers[x] + 1
                    waiting.append(y)
        return numbers

    return reached


def along(
    pairs: Iterable[tuple[int, int]], lengths: Sequence[Fraction]
) -> Callable[[int], dict[int, Fraction]]:
    """How far all nodes are that can be reached from one, by pairs of some lengths.

    >>> along([(0, 1), (1, 2)], [Fraction(2), Fraction(1, 2)])(0)
    {0: Fraction(0, 1), 1: Fraction(2, 1), 2: Fraction(5, 2)}
    """
    ways: dict[int, list[tuple[int, Fraction]]] = {}
    for (a, b), length in zip(pairs, lengths, strict=True):
        ways.setdefault(a, []).append((b, length))
        ways.setdefault(b, []).append((a, length))

    @cache
    def reached(start: int) -> dict[int, Fraction]:
        values: dict[int, Fraction] = {}
        waiting = [(Fraction(0), start)]
        while waiting:
            far, x = heappop(waiting)
            if x not in values:
                values[x] = far
                for y, length in ways.get(x, ()):
                    heappush(waiting, (far + length, y))
        return values

    return reached
