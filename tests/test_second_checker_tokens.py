"""Groups of steps of a policy that are seen through a map, by tokens and by going through all databases."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations, combinations_with_replacement
from typing import Any

import pytest
from second_checker import tokens
from second_checker.enclosures import INF
from second_checker.profiles import joined, paths

RECORDS = 4
Multiset = tuple[int, ...]


def databases(how: str, n: int) -> list[Multiset]:
    """All multisets of at most, or exactly, so many records."""
    sizes = [n] if how == "exactly" else range(n + 1)
    return [one for size in sizes for one in combinations_with_replacement(range(RECORDS), size)]


def steps(every: list[Multiset], edges: Any) -> Iterator[tuple[int, int]]:
    """Those that a step of a policy leads between."""
    graph = {frozenset(edge) for edge in edges}
    for a, b in combinations(range(len(every)), 2):
        one, other = Counter(every[a]), Counter(every[b])
        gone, come = list((one - other).elements()), list((other - one).elements())
        if (
            max(len(gone), len(come)) == 1
            and frozenset((*gone, *come, *[None] * (len(gone) != len(come)))) in graph
        ):
            yield a, b


def seen(every: Iterable[Multiset], reads: list[int]) -> list[int]:
    """What is read of each, by numbers."""
    values: dict[Multiset, int] = {}
    return [values.setdefault(tuple(x for x in one if x in reads), len(values)) for one in every]


@pytest.mark.parametrize("seed", range(60))
def test_tokens_against_all_databases(seed: int) -> None:
    draw = random.Random(seed)
    how, n, group = draw.choice(["exactly", "at most"]), draw.randint(1, 3), draw.randint(2, 3)
    ends = [*range(RECORDS), *([None] if how == "at most" else [])]
    edges = [edge for edge in combinations(ends, 2) if draw.random() < 0.4]
    reads = sorted(draw.sample(range(RECORDS), draw.randint(1, 3)))
    every = databases(how, n)
    graph = joined(list(steps(every, edges)), len(every))
    image = seen(every, reads)
    near = {(image[a], image[b]) for a in range(len(every)) for b in paths(graph, a, most=group)}
    pushed = joined(near, max(image) + 1)
    base = {"of": "multisets", "size": [how, n], "atoms": [[str(x)] for x in range(RECORDS)]}
    one = {
        "reads": [reads],
        "domain": "common",
        "stated": {"single": [list(e) for e in edges], "steps": group},
    }
    assert tokens.is_pushed(one, reads, base)
    for a, b in draw.sample(list(combinations(range(len(every)), 2)), min(12, len(every) - 1)):
        here, there = Counter(every[a]), Counter(every[b])
        left, right = tuple((here - there).elements()), tuple((there - here).elements())
        common: tuple[Any, ...] = tuple((x, 0) for x in (here & there).elements())
        common += (None,) * (n - max(len(left), len(right)) - len(common))
        expected = paths(pushed, image[a]).get(image[b], INF)
        assert tokens.moved(one, reads, left, right, common, base) == expected
