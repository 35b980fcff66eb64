"""Mechanisms with a delta of their own at each two databases of a listed class: against linear programs.

An event has a probability at each database, and what is promised of these is linear. So the power of a test of D
against E is at most the value of a linear program over all databases: chains of them count, and where a mechanism
depends on a map only it has one probability where that has one value. Several mechanisms are told apart at least by
two outcomes of each, and at most by tests of which each has all the power that it may have.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from in_metrics import study
from proof.test_metrics_at_random import OO, Formula, Meaning, random_metric, random_table, shortest
from scipy.optimize import linprog

from dpcompose.privacy.problems import ProblemError

LARGE = 12.0
"""Beyond which losses are not looked at: linear programs are solved in decimals."""
MARGIN = 1e-5
PARAMETERS = {"e": "positive", "w": "nonnegative"}
Law = list[tuple[float, float]]


@dataclass
class Mechanism:
    """What is promised at two databases, and whether by the values of the map only."""

    text: str
    formulas: tuple[str, str]
    loss: Meaning
    delta: Meaning
    common: bool


@dataclass
class Claim:
    """A bound, for neighbours or for any two databases."""

    text: str
    loss: Meaning
    delta: Meaning
    neighbours: bool


class Setting:
    """A problem file at random, and what its formulas mean."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = random.Random(seed)
        n = rng.choice([2, 3, 3, 4])
        self.elements, self.f = [f"x{i}" for i in range(n)], [rng.choice("pqr") for _ in range(n)]
        self.pairs = list(itertools.combinations(range(n), 2))
        self.steps = [pair for pair in self.pairs if rng.random() < 0.5]
        self.tables = {f"t{k}": random_table(rng, n) for k in range(rng.choice([1, 2]))}
        listed = {name: self._rows(table) for name, table in self.tables.items()}
        near = [[0.0 if i == j else OO for j in range(n)] for i in range(n)]
        for i, j in self.steps:
            near[i][j] = near[j][i] = 1.0
        self.tables["d_g"] = shortest(near)
        self.mechanisms = [self._mechanism(f"M{i}") for i in range(rng.choice([1, 1, 2]))]
        self.claims = [self._claim() for _ in range(4)]
        self.text = "[parameters]\n" + "".join(f'{name} = "{of}"\n' for name, of in PARAMETERS.items())
        self.text += (
            f'[databases]\nkind = "listed"\nelements = {json.dumps(self.elements)}\n[maps.f]\ntable = {{ '
        )
        self.text += ", ".join(f'{x} = "{y}"' for x, y in zip(self.elements, self.f, strict=True)) + " }\n"
        joined = [[self.elements[i], self.elements[j]] for i, j in self.steps]
        self.text += f'[granularities.g]\nneighbours = {json.dumps(joined)}\n[target]\ngranularity = "g"\n'
        self.text += "".join(
            f"[metrics.{name}]\ntable = {json.dumps(rows)}\n" for name, rows in listed.items()
        )
        self.text += "".join(one.text for one in (*self.mechanisms, *self.claims))

    def _rows(self, d: list[list[float]]) -> list[list[str]]:
        finite = [(i, j) for i, j in self.pairs if d[i][j] < OO]
        return [[self.elements[i], self.elements[j], str(Fraction(d[i][j]))] for i, j in finite]

    def _delta(self) -> Formula:
        c = self.rng.choice(["0", "1/10", "1/3"])
        if self.rng.random() < 0.3:
            return c, lambda v: float(Fraction(c))
        text, of = random_metric(self.rng, list(self.tables), 1)
        if self.rng.random() < 0.3:  # more than along chains
            return f"({text})**2/20", lambda v: of(v) ** 2 / 20
        return f"({text})/20", lambda v: of(v) / 20

    def _mechanism(self, name: str) -> Mechanism:
        (metric, loss), (text, delta) = random_metric(self.rng, list(self.tables), 1), self._delta()
        if self.rng.random() < 0.2:
            metric, loss = f"({metric})**2", _squared(loss)
        common = self.rng.random() < 0.5
        said = f'notion = "approximate", metric = "{metric}", delta = "{text}"'
        said += ', domain = "common"' if common else ""
        reads = 'reads = { map = "f" }\n' if common else ""
        whole = f'[[mechanisms]]\nname = "{name}"\n{reads}guarantee = {{ {said} }}\n'
        return Mechanism(whole, (metric, text), loss, delta, common)

    def _claim(self) -> Claim:
        rng, every = self.rng, self.mechanisms
        if rng.random() < 0.25:
            e, d = rng.choice(["0", "1/2", "1", "3"]), rng.choice(["0", "1/10", "1/3", "3/4"])
            text = f'[[claims]]\nnotion = "approximate"\nepsilon = "{e}"\ndelta = "{d}"\n'
            return Claim(text, lambda v: float(Fraction(e)), lambda v: float(Fraction(d)), True)
        c, k = (rng.choice([Fraction(1), Fraction(1), Fraction(9, 10), Fraction(1, 2)]) for _ in range(2))
        losses, deltas = (" + ".join(f"({one.formulas[n]})" for one in every) for n in (0, 1))
        text = f'[[claims]]\nnotion = "approximate"\nmetric = "{c}*({losses})"\ndelta = "{k}*({deltas})"\n'
        return Claim(
            text,
            lambda v: float(c) * sum(one.loss(v) for one in every),
            lambda v: float(k) * sum(one.delta(v) for one in every),
            False,
        )

    def at(self, i: int, j: int, point: Mapping[str, float]) -> dict[str, float]:
        """The distances of two databases, and the parameters."""
        return {name: d[i][j] for name, d in self.tables.items()} | dict(point)


def _squared(of: Meaning) -> Meaning:
    return lambda v: of(v) ** 2


class Events:
    """How well databases are told apart, at a point."""

    def __init__(self, setting: Setting, point: Mapping[str, float]) -> None:
        self.n, self.point = len(setting.elements), point
        ordered = [(i, j) for i in range(self.n) for j in range(self.n) if i != j]
        self.rows: list[tuple[list[list[float]], list[float]]] = []
        self.decides = True
        for one in setting.mechanisms:
            matrix, most = list[list[float]](), list[float]()
            for i, j in ordered:
                v = setting.at(i, j, point)
                e, d = one.loss(v), one.delta(v)
                if one.common and setting.f[i] == setting.f[j]:
                    e = d = 0.0
                self.decides &= e <= LARGE or e == OO
                if e > LARGE or d >= 1:
                    continue
                for sign, limit in ((1, d), (-1, d + math.exp(e) - 1)):  # the event, and its complement
                    row = [0.0] * self.n
                    row[i], row[j] = sign / math.exp(e), -sign
                    matrix.append(row)
                    most.append(limit / math.exp(e))
            self.rows.append((matrix, most))

    def best(self, number: int, i: int, j: int, factor: float) -> tuple[float, float]:
        """The probabilities p, q of an event at two databases with the largest p − factor·q."""
        matrix, most = self.rows[number]
        cost = [0.0] * self.n
        cost[i], cost[j] = -1.0, factor
        found = linprog(cost, A_ub=matrix or None, b_ub=most or None, bounds=[(0, 1)] * self.n)
        assert found.status == 0
        return float(found.x[i]), float(found.x[j])

    def corners(self, number: int, i: int, j: int) -> list[tuple[float, float]]:
        """Where the largest power of a test bends."""
        found = {self.best(number, i, j, 1e7), self.best(number, i, j, 1e-7)}

        def between(low: tuple[float, float], high: tuple[float, float]) -> None:
            if high[1] - low[1] > 1e-7:
                factor = (high[0] - low[0]) / (high[1] - low[1])
                p, q = self.best(number, i, j, factor)
                if p - factor * q > low[0] - factor * low[1] + 1e-8:
                    found.add((p, q))
                    between(low, (p, q))
                    between((p, q), high)

        if len(found) == 2:
            between(*sorted(found, key=lambda corner: corner[1]))
        return sorted(found, key=lambda corner: (corner[1], corner[0]))

    def least_deltas(self, i: int, j: int, epsilon: float) -> tuple[float, float]:
        """What the least delta of two databases is at least and at most."""
        every = [self.corners(number, i, j) for number in range(len(self.rows))]
        low = max(
            together([[(p, q), (1 - p, 1 - q)] for p, q in some], epsilon)
            for some in itertools.product(*every)
        )
        return low, together([law(some) for some in every], epsilon)


def law(corners: Sequence[tuple[float, float]]) -> Law:
    """The probabilities of outcomes of which each test has the largest power."""
    ends = [(0.0, 0.0), *corners, (1.0, 1.0)]
    return [(p - a, q - b) for (a, b), (p, q) in itertools.pairwise(ends)]


def together(laws: Sequence[Law], epsilon: float) -> float:
    """The least delta of independent mechanisms."""
    some: Law = [(1.0, 1.0)]
    for one in laws:
        some = [(p * x, q * y) for p, q in some for x, y in one]
    return sum(max(0.0, p - math.exp(epsilon) * q) for p, q in some)


def both_ways(events: Events, i: int, j: int, epsilon: float) -> tuple[float, float]:
    found = [events.least_deltas(*pair, epsilon) for pair in ((i, j), (j, i))]
    return max(low for low, _ in found), max(high for _, high in found)


def check(seed: int) -> str:
    """Claims that are proved hold at all databases, and those that are refuted fail at the two that are shown."""
    setting = Setting(seed)
    try:
        _, verdicts = study(setting.text)
    except ProblemError:
        return "no setting"
    rng, ends = random.Random(seed), Counter[str]()
    points = [{"e": rng.uniform(0.1, 2), "w": rng.choice([0.0, rng.random()])} for _ in range(2)]
    for claim, verdict in zip(setting.claims, verdicts, strict=True):
        said: Any = (seed, verdict, claim.text, setting.text)
        if verdict.verdict == "proved":
            for events in (Events(setting, point) for point in points):
                for i, j in setting.steps if claim.neighbours else setting.pairs:
                    v = setting.at(i, j, events.point)
                    e, d = claim.loss(v), claim.delta(v)
                    if e <= LARGE and d < 1 and events.decides:
                        assert both_ways(events, i, j, e)[0] <= d * (1 + MARGIN) + MARGIN, said
        elif verdict.verdict == "refuted":
            found = verdict.counterexample
            i, j = (setting.elements.index(x if isinstance(x, str) else x["database"]) for x in found.pair)
            assert not claim.neighbours or (min(i, j), max(i, j)) in setting.steps, said
            events = Events(
                setting, {"e": 1.0, "w": 1.0} | {name: float(x) for name, x in found.point.items()}
            )
            v = setting.at(i, j, events.point)
            assert claim.loss(v) < OO and claim.delta(v) < 1, said
            if claim.loss(v) <= LARGE and events.decides:
                assert both_ways(events, i, j, claim.loss(v))[1] > claim.delta(v) * (1 - MARGIN) - MARGIN, (
                    said
                )
        ends[verdict.verdict] += 1
    return "enumerated only" if set(ends) <= {"undecided"} else "as linear programs say"


def test_programs_by_hand() -> None:
    """From x0 to x2 a delta of the square of the distance is more than that of two steps."""
    setting = Setting(0)
    setting.elements, setting.f = ["x0", "x1", "x2"], ["p", "q", "r"]
    setting.tables = {"d": [[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]}
    setting.mechanisms = [Mechanism("", ("", ""), lambda v: 0.0, lambda v: v["d"] ** 2 / 10, False)]
    assert Events(setting, {}).least_deltas(0, 2, 0.0) == pytest.approx((0.2, 0.2))
    setting.mechanisms = [Mechanism("", ("", ""), lambda v: v["d"], lambda v: 0.0, False)] * 2
    assert Events(setting, {}).least_deltas(0, 1, 2.0) == pytest.approx((0, 0), abs=1e-6)
    half = (math.e / (1 + math.e)) ** 2 - math.e / (1 + math.e) ** 2
    assert Events(setting, {}).least_deltas(0, 1, 1.0) == pytest.approx((half, half))


@pytest.mark.parametrize("seed", range(6))
def test_verdicts_are_those_of_linear_programs(seed: int) -> None:
    assert check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 1500, 50))
def test_many_verdicts_are_those_of_linear_programs(start: int) -> None:
    found = [check(seed) for seed in range(start, start + 50)]
    assert found.count("as linear programs say") > 20
