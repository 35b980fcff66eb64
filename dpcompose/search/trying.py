"""Rules that are tried: whoever searches asks a rule of the kernel for a theorem, and goes on without one."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem


def tried(prover: Prover, rule: str, *premises: Theorem, **arguments: Any) -> Theorem | None:
    """The theorem that a rule makes from others; None where it makes none."""
    try:
        return prover.by(rule, *premises, **arguments)
    except NoTheorem:
        return None


def written(point: Mapping[str, Fraction]) -> dict[str, str]:
    """A point as rules take it."""
    return {name: str(value) for name, value in point.items()}
