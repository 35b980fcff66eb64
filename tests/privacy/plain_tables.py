"""Tables that several tests look at."""

from __future__ import annotations

from tables import Rows

import dpcompose as dpc
from dpcompose.privacy.finite.tables import ProbabilityTable

e, f = dpc.parameters("e f")
RESPONSE = dpc.randomized_response_table("e")
COIN = dpc.pairs("flip", [(0, 1)])


def made(rows: Rows) -> ProbabilityTable:
    return dpc.probability_table(dict(enumerate(rows)))
