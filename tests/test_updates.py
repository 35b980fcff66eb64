"""Parts whose updates are chosen as one goes: all adversaries of parts with two rounds, with exact probabilities.

A part first says a word, drawn by a law of its own; then it answers one update, at D by one law and at E by
another one, which depend on the word.  The adversary hears some words, in an order that it chooses by what it
heard, and sends the update to one part, of which it may not have heard the word.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from math import prod

import pytest
from test_curves_on_samples import SHARDS, Row, excess, row

Part = tuple[Row, tuple[tuple[Row, Row], ...]]
"""The law of the word, and for each word the answers to an update at D and at E."""


def worth(part: Part, word: int | None, c: Fraction) -> Fraction:
    """The largest P(S) − c·Q(S) of what follows an update, after a word or before it is said, in one order."""
    law, answers = part
    if word is not None:
        return excess(*answers[word], c)
    return sum((p * worth(part, n, c) for n, p in enumerate(law)), Fraction(0))


def best(parts: tuple[Part, ...], heard: Mapping[int, int], c: Fraction) -> Fraction:
    """The most that an adversary reaches who has heard some words: by an update now, or after one more word."""
    found = max(worth(part, heard.get(i), c) for i, part in enumerate(parts))
    for i, (law, _) in enumerate(parts):
        if i not in heard:
            more = (p * best(parts, {**heard, i: n}, c) for n, p in enumerate(law) if p)
            found = max(found, sum(more, Fraction(0)))
    return found


@pytest.mark.parametrize("part", SHARDS[:8])
def test_no_adversary_reaches_more(part: int) -> None:
    rng, beyond = random.Random(part), 0
    for _ in range(40):
        parts: tuple[Part, ...] = tuple(
            (row(rng, 2), tuple((row(rng, 2), row(rng, 2)) for _ in range(2))) for _ in range(3)
        )
        c = rng.choice((Fraction(1), Fraction(3, 2), Fraction(3)))
        deltas = [best((one,), {}, c) for one in parts]
        reached = best(parts, {}, c)
        assert reached <= 1 - prod(1 - one for one in deltas)
        beyond += reached > max(deltas)
    assert beyond > 10  # so the largest delta is false


def test_it_is_attained_by_parts_that_are_weak() -> None:
    one, tells = Fraction(1), ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))
    silent = ((one, Fraction(0)), (one, Fraction(0)))
    weak: Part = ((Fraction(1, 10), Fraction(9, 10)), (tells, silent))
    for c in (one, Fraction(100)):
        assert best((weak,), {}, c) == Fraction(1, 10)
        assert best((weak,) * 3, {}, c) == Fraction(271, 1000)


def test_a_divergence_beyond_that_of_each_part() -> None:
    w, response = Fraction(1, 10), Fraction(9, 16) / Fraction(1, 4) + Fraction(1, 16) / Fraction(3, 4)
    assert 1 - w + w * response == Fraction(17, 15)
    some = 1 - (1 - w) ** 5
    assert 1 - some + some * response == 1 + Fraction(4, 3) * some > Fraction(154, 100)
