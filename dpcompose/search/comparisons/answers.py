"""Answers to comparisons: a proof, with its certificate, or a point."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen


@frozen
class Proof:
    """g ≥ l holds for all allowed values; the certificate shows it, by weights and the deciders used."""

    certificate: Mapping[str, Any]
    used: frozenset[str] = frozenset()


@frozen
class Point:
    """l > g at the point."""

    values: Mapping[str, Fraction]
