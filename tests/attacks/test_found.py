"""What fuzzing found: it ended with an internal error, and ends with a verdict now."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from front.crashing import verify

from dpcompose.kernel.deciders.calculus import elementary
from dpcompose.search.comparisons import sampling

NORMAL_NOISE = """\
format = 1
assume = ["e <= 1"]
[parameters]
d = "in (0,1)"
[databases]
kind = "multisets"
[target]
granularity = "unbounded"
[[mechanisms]]
name = "histogram"
query = {{ histogram = 16 }}
noise = {{ gaussian = "{scale}" }}
[[claims]]
notion = "approximate"
epsilon = "e{part}"
delta = "d/10"
"""


@pytest.mark.parametrize("large", [Fraction(10**400), Fraction(1, 3) * 10**400, Fraction(-(10**310))])
def test_numbers_beyond_floats_are_tried_nowhere(large: Fraction) -> None:
    """A sample point says nothing where a number in front is no float."""
    x = elementary.parameter("x")
    assert sampling.value(x.scaled(large), {"x": 1.0}) is None
    assert sampling.value(x, {"x": 2.0}) == (2.0, 2.0)


@pytest.mark.slow
@pytest.mark.parametrize("part", ["", "/2"])
@pytest.mark.parametrize("scale", ["sqrt(1000*log(2/d))/e", "sqrt(700*log(3/d))/e"])
def test_noise_of_which_powers_are_beyond_floats(
    scale: str, part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(NORMAL_NOISE.format(scale=scale, part=part), encoding="utf-8")
    status, said = verify(file, capsys)
    assert status in (0, 1, 3) and "claim 1" in said
