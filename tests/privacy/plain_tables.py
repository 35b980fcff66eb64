"""Tables that several tests look at, and plain loops over their rows to compare with."""

from __future__ import annotations

from fractions import Fraction

import dpcompose as dpc
from dpcompose.privacy.tables import ProbabilityTable

Rows = list[list[Fraction]]
e, f = dpc.parameters("e f")
RESPONSE = dpc.randomized_response_table("e")
COIN = dpc.pairs("flip", [(0, 1)])


def ordered_pairs(n: int) -> list[tuple[int, int]]:
    return [pair for i in range(n) for j in range(i + 1, n) for pair in ((i, j), (j, i))]


def made(rows: Rows) -> ProbabilityTable:
    return dpc.probability_table(dict(enumerate(rows)))
