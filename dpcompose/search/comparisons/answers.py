"""Answers to comparisons: a proof, with its certificate, or a point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen, kept
from dpcompose.search.comparisons.points import simpler


@frozen
class Proof:
    """g ≥ l holds for all allowed values; the certificate shows it, by weights and the deciders used."""

    certificate: Mapping[str, Any]
    used: frozenset[str] = frozenset()


@frozen(eq=False)
class Point:
    """l > g at the point `seen`; simpler values at which it `fails` are looked for when they are wanted."""

    seen: Mapping[str, Fraction]
    fails: Callable[[dict[str, Fraction]], bool] | None = None

    @kept
    def values(self) -> Mapping[str, Fraction]:
        return self.seen if self.fails is None else simpler(dict(self.seen), self.fails)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Point) and self.values == other.values
