"""Curves at constants that are no rational numbers, read exactly."""

from collections.abc import Callable

import mpmath
import pytest
import sympy

import dpcompose as dpc
from dpcompose.front.cli import main
from dpcompose.front.numbers.numbers import WrongValue

DIGITS = 200
CURVE = dpc.compose(
    dpc.mechanism("M", dpc.gaussian(2, dpc.bounded)), on=dpc.multisets("ab"), target=dpc.bounded
).curve()


def delta(epsilon: mpmath.mpf) -> mpmath.mpf:
    return mpmath.ncdf(-epsilon / 2 + 1) - mpmath.exp(epsilon) * mpmath.ncdf(-epsilon / 2 - 1)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("log(3)", lambda: mpmath.log(3)),
        ("sqrt(2)", lambda: mpmath.sqrt(2)),
        ("pi", lambda: mpmath.pi),
        ("pi/4 + 1", lambda: mpmath.pi / 4 + 1),
        (sympy.pi, lambda: mpmath.pi),
        (sympy.log(3), lambda: mpmath.log(3)),
    ],
)
def test_delta_is_enclosed(written: object, value: Callable[[], mpmath.mpf]) -> None:
    known = CURVE.delta(written)
    assert known.lower is not None and known.upper is not None
    with mpmath.workdps(DIGITS):
        low, high = (mpmath.mpf(int(x.p)) / int(x.q) for x in (known.lower, known.upper))
        assert low <= delta(+value()) <= high and high - low < mpmath.mpf("1e-12")


def test_epsilon_at_such_a_delta() -> None:
    known = CURVE.epsilon("pi/1000")
    assert known.lower is not None and known.upper is not None
    with mpmath.workdps(DIGITS):
        low, high = (mpmath.mpf(int(x.p)) / int(x.q) for x in (known.lower, known.upper))
        assert delta(high) <= mpmath.pi / 1000 <= delta(low)


@pytest.mark.parametrize("wrong", ["3 - pi", "log(1/2)", "e", "sqrt(-1)"])
def test_what_is_no_such_number(wrong: str) -> None:
    with pytest.raises(WrongValue):
        CURVE.delta(wrong)
    with pytest.raises(WrongValue):
        CURVE.epsilon("pi")


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    file = "notebooks/problems/01-bounded-parallel.toml"
    assert main(["curve", file, "--at", "e1=1,e2=1,e3=1", "--epsilon", "log(3)"]) == 0
    assert "epsilon = log(3): delta between 0.31745" in capsys.readouterr().out
