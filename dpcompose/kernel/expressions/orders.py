"""The largest of many sparse vectors, in the order by entries, without comparing all pairs.

For each key the set of rows whose entry is at least v, one bit a row: what dominates a row lies in
all the sets of its own entries.  A few intersections of such sets replace thousands of comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any


def undominated(
    rows: Sequence[Mapping[Any, Any]], zero: Any, ordered: Callable[[Any], bool] = lambda key: True
) -> list[int]:
    """The numbers, from 0, of the rows that no other row dominates; rows must differ.

    rows -- entries by key, comparable with each other; an absent one is `zero`.
    ordered -- row s dominates r if s[key] >= r[key] for the keys that are ordered, and
    s[key] = r[key] for the others.

    >>> undominated([{"a": 1}, {"a": 1, "b": 2}, {"b": 3}, {"c": 1}], 0)
    [1, 2, 3]
    >>> undominated([{"a": 1}, {"a": 1, "b": 2}], 0, lambda key: key == "a")
    [0, 1]
    """
    sets = _Sets(len(rows))
    for n, row in enumerate(rows):
        for key, value in row.items():
            sets.add(key, value, n)
    # an absent entry excludes something only where rows may lie below it, or must equal it
    strict = [key for key in sets.by_value if not ordered(key) or min(sets.by_value[key]) < zero]
    kept = []
    for n, row in enumerate(rows):
        others = sets.all ^ (1 << n)
        for key, value in row.items():
            others &= sets.at_least(key, value, zero) if ordered(key) else sets.equal(key, value, zero)
            if not others:
                break
        for key in strict if others else ():
            if key not in row:
                others &= sets.at_least(key, zero, zero) if ordered(key) else sets.equal(key, zero, zero)
        if not others:
            kept.append(n)
    return kept


class _Sets:
    """Which rows have which entries; a set of rows is a whole number, one bit a row."""

    def __init__(self, n: int) -> None:
        self.all = (1 << n) - 1
        self.by_value: dict[Hashable, dict[Any, int]] = {}
        self._at_least: dict[tuple[Hashable, Any], int] = {}

    def add(self, key: Hashable, value: Any, n: int) -> None:
        values = self.by_value.setdefault(key, {})
        values[value] = values.get(value, 0) | (1 << n)

    def equal(self, key: Hashable, value: Any, zero: Any) -> int:
        values = self.by_value[key]
        if value != zero:
            return values[value]
        return self.all & ~_union(number for v, number in values.items() if v != zero)

    def at_least(self, key: Hashable, value: Any, zero: Any) -> int:
        number = self._at_least.get((key, value))
        if number is None:
            values = self.by_value[key]
            number = (
                _union(number for v, number in values.items() if v >= value)
                if value > zero
                else self.all & ~_union(number for v, number in values.items() if v < value)
            )
            self._at_least[key, value] = number
        return number


def _union(sets: Any) -> int:
    total = 0
    for one in sets:
        total |= one
    return total
