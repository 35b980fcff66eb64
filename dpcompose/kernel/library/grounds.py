"""Grounds: the pages and the deciders that a step, or all steps before it, rests on."""

from __future__ import annotations

from collections.abc import Iterable

from dpcompose.kernel.expressions.keeping import frozen


@frozen
class Grounds:
    """What is to be right for a theorem to hold: pages, by their ids, and deciders, by their names.

    >>> Grounds(frozenset({"pure"})) | Grounds(deciders=frozenset({"calculus"}))
    Grounds(pages=frozenset({'pure'}), deciders=frozenset({'calculus'}))
    """

    pages: frozenset[str] = frozenset()
    deciders: frozenset[str] = frozenset()

    def __or__(self, other: Grounds) -> Grounds:
        return Grounds.of((self, other))

    @staticmethod
    def of(grounds: Iterable[Grounds]) -> Grounds:
        """All that some rest on."""
        every = tuple(grounds)
        return Grounds(
            frozenset[str]().union(*(grounds.pages for grounds in every)),
            frozenset[str]().union(*(grounds.deciders for grounds in every)),
        )
