"""What random settings lose, by the oracle, in every notion; and what is said of them held against it.

The guarantees are parameters and distances: pure Σ ε·r, zCDP Σ ρ·r², Gaussian √Σ μ²·r², approximate
(Σ ε·r, Σ δ·Σ_{j<r} e^{jε}), the largest over all neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import corpus
import mpmath
import oracle
import sympy
from corpus import close, number
from oracle import INFINITY
from strategies import Twin

from dpcompose.front.documents.verdict import Verdict
from dpcompose.front.studies.study import Study
from dpcompose.language import formulas

KEYS: Mapping[str, Sequence[str]] = {
    "pure": ["epsilon"],
    "zcdp": ["rho"],
    "gaussian": ["mu"],
    "approximate": ["epsilon", "delta"],
}


class Wrong(AssertionError):
    """What dpcompose says is not what enumeration finds."""


Point = Mapping[str, Fraction]
Vector = Sequence[oracle.Number]


def loss(notion: str, parameters: Sequence[Sequence[Any]], vector: Vector) -> tuple[Any, ...]:
    """What is lost at distances: of gaussian privacy the square; δ in decimals."""
    total: list[Any] = [Fraction(0), mpmath.mpf(0)][: len(KEYS[notion])]
    for given, r in zip(parameters, vector, strict=True):
        if r == 0:
            continue
        if INFINITY in (r, *given):
            return tuple(INFINITY for _ in total)
        powers = {"pure": (1, 1), "zcdp": (1, 2), "gaussian": (2, 2), "approximate": (1, 1)}[notion]
        total[0] += given[0] ** powers[0] * Fraction(r) ** powers[1]
        if notion == "approximate":
            total[1] += mp(given[1]) * mpmath.fsum(mpmath.exp(j * mp(given[0])) for j in range(int(r)))
    return tuple(total)


def mp(x: Any) -> Any:
    return mpmath.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else mpmath.mpf(x)


def largest(losses: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """The largest value of each parameter."""
    return tuple(max(some) for some in zip(*losses, strict=True))


def text(notion: str, key: str, value: Any) -> str:
    """A loss as the table has it."""
    if value == INFINITY:
        return "oo"
    if key == "mu":
        return f"sqrt {value}"
    return mpmath.nstr(mp(value), 50, strip_zeros=False) if key == "delta" else str(value)


STARTS = (mpmath.mpf(0), mpmath.mpf(10) ** -12, mpmath.mpf(1) / 20)
"""How likely the first outcome is at the one database: rare ones need ε, impossible ones δ."""


def needed(parameters: Sequence[Sequence[Any]], vector: Vector, epsilon: Any) -> Any:
    """The largest δ that compositions of two-outcome mechanisms need at ε, in either order.

    At the one database the first outcome has a probability of STARTS, at the other one the largest that
    is allowed: see `reached` in test_closer.py for why these mechanisms are private.
    """
    rows = [
        [(a, risen(given, r, a)) for a in STARTS] if r != 0 else [(mpmath.mpf(0), mpmath.mpf(0))]
        for given, r in zip(parameters, vector, strict=True)
    ]
    factor = mpmath.exp(epsilon)
    most = mpmath.mpf(0)
    for chosen in product(*rows):
        both = [(mpmath.mpf(1), mpmath.mpf(1))]
        for a, p in chosen:
            both = [(x * u, y * v) for x, y in both for u, v in ((a, p), (1 - a, 1 - p))]
        for one, other in ((0, 1), (1, 0)):
            most = max(most, mpmath.fsum(max(0, row[one] - factor * row[other]) for row in both))
    return most


def risen(given: Sequence[Any], r: oracle.Number, a: Any) -> Any:
    """The largest probability of what has probability a, r steps away; certain where nothing is promised."""
    if INFINITY in (r, *given):
        return mpmath.mpf(1)
    e, d = mpmath.exp(mp(given[0])), mp(given[1])
    for _ in range(int(r)):
        a = min(mpmath.mpf(1), d + e * a, 1 - (1 - d - a) / e)
    return a


@dataclass(frozen=True)
class Case:
    """A setting that is held against the oracle: distances of all neighbours, and what they lose."""

    name: str
    notion: str
    twin: Twin
    unlimited: bool
    study: Study

    @cached_property
    def setting(self) -> oracle.Setting:
        return self.twin.at({name: Fraction(1) for name in self.twin.study.setting.domains})

    @cached_property
    def vectors(self) -> list[Vector]:
        """The largest distances between neighbours: what is lost grows with them, in every notion."""
        return list(oracle.profile_of(self.setting))

    def stated(self, point: Point) -> list[tuple[Any, ...]]:
        """The parameters of the guarantees at a point."""
        first = [part.epsilon.at(point) for part in self.twin.parts]
        if self.notion != "approximate":
            return [(x,) for x in first]
        return [(x, point[f"d{i}"]) for i, x in enumerate(first, start=1)]

    def largest(self, point: Point) -> tuple[Any, ...]:
        """The most that the neighbours lose."""
        if self.unlimited:
            return tuple(INFINITY for _ in KEYS[self.notion])
        return largest([loss(self.notion, self.stated(point), vector) for vector in self.vectors])

    def needed(self, point: Point, claimed: Mapping[str, sympy.Expr]) -> bool:
        """Whether private mechanisms need a larger δ than is claimed, at the ε that is claimed."""
        e, d = (mpmath.mpf(str(claimed[key])) for key in ("epsilon", "delta"))
        most = max(needed(self.stated(point), vector, e) for vector in self.vectors)
        return bool(most > d + mpmath.mpf(10) ** -40)

    def comparable(self, value: Any) -> sympy.Expr:
        """A loss of pure, zCDP or Gaussian privacy as a number."""
        return number(text(self.notion, KEYS[self.notion][0], value))

    def claimed(self, verdict: Verdict, point: Point) -> dict[str, sympy.Expr]:
        """The values of a claim at a point."""
        at = {name: str(x) for name, x in point.items()}
        return {key: corpus.worth(x, self.study, at) for key, x in verdict.claim.guarantee.values}

    def hold_proved(self, verdict: Verdict, at: Sequence[Point]) -> None:
        """A proved claim is nowhere below what is lost.  Raises Wrong."""
        above = []
        for point in at:
            claimed = self.claimed(verdict, point)
            if self.notion == "approximate":
                if sympy.oo not in claimed.values() and self.needed(point, claimed):
                    raise Wrong(f"{self.name}: {verdict.claim} is proved; mechanisms need more at {point}")
                continue
            (value,), right = claimed.values(), self.comparable(self.largest(point)[0])
            if not (close(value, right) or value > right):
                raise Wrong(f"{self.name}: {verdict.claim} is proved, and {right} is lost at {point}")
            above.append(not close(value, right))
        if self.notion != "approximate" and verdict.loose is not None and verdict.loose != any(above):
            raise Wrong(f"{self.name}: {verdict.claim} is loose, or is not: {verdict.loose}")

    def hold_refuted(self, verdict: Verdict) -> str:
        """A refuted claim is below what is lost at its counterexample; how that is seen.  Raises Wrong."""
        found = verdict.counterexample
        assert found is not None
        claimed = self.claimed(verdict, found.point)
        if self.notion == "approximate":
            return self._hold_approximate(verdict, found.point, claimed)
        (value,), shown = claimed.values(), found.data()
        actual = sympy.oo if shown["actual"] == "oo" else formulas.parse(shown["actual"], {})
        if not (close(formulas.parse(shown["claimed"], {}), value) and value < actual):
            raise Wrong(f"{self.name}: {verdict.claim} is refuted by {shown}")
        (D, E), known = found.pair, self.setting.databases
        at_pair = D in known and E in known and not self.unlimited
        if at_pair:
            if not self.setting.target(D, E):
                raise Wrong(f"{self.name}: {found.pair} are no neighbours")
            vector = tuple(oracle.input_distance(self.setting, M)(D, E) for M in self.setting.mechanisms)
            right = self.comparable(loss(self.notion, self.stated(found.point), vector)[0])
        else:
            right = self.comparable(self.largest(found.point)[0])
        if not (close(right, actual) or (not at_pair and right > actual)):
            raise Wrong(f"{self.name}: {shown} is said to be lost, and {right} is by enumeration")
        return "at the pair" if at_pair else "by the largest loss"

    def _hold_approximate(self, verdict: Verdict, point: Point, claimed: Mapping[str, sympy.Expr]) -> str:
        if not self.unlimited and self.needed(point, claimed):
            return "by what mechanisms need"
        right = self.largest(point)
        if not any(claimed[key] < number(text("approximate", key, x)) for key, x in self.named(right)):
            raise Wrong(f"{self.name}: {verdict.claim} is refuted, and is not below the rule at {point}")
        return "by the rule alone"

    def named(self, values: tuple[Any, ...]) -> list[tuple[str, Any]]:
        """The values of the notion's parameters with their names."""
        return list(zip(KEYS[self.notion], values, strict=True))

    def rows(self, at: Sequence[Point]) -> list[dict[str, Any]]:
        """What is lost at points, as the table has it."""
        if not self.vectors:
            return []
        return [
            {
                "at": {name: str(x) for name, x in point.items()},
                "loss": {key: text(self.notion, key, x) for key, x in self.named(self.largest(point))},
            }
            for point in at
        ]
