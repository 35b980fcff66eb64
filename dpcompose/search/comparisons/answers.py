"""Answers to comparisons: a proof, with its certificate, or a point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Proof:
    """g ≥ l holds for all allowed values; the certificate shows it, by weights and the deciders used."""

    certificate: Mapping[str, Any]
    used: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Point:
    """l > g at the point."""

    values: Mapping[str, Fraction]
