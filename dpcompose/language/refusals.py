"""What is said of numbers that are not exact."""

from __future__ import annotations

import math
from fractions import Fraction


def float_refusal(value: float) -> str:
    """What is said of a float, and what to write in its place."""
    if math.isinf(value):
        return "inf is a float; write sympy.oo"
    if math.isnan(value):
        return "nan is no number"
    exact = Fraction(float.__repr__(value))
    return f"{float.__repr__(value)} is a float; write Rational({exact.numerator}, {exact.denominator})"
