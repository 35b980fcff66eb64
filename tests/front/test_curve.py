"""δ at an ε and ε at a δ: hand values, ends that are certain, and what is refused."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy

import dpcompose as dpc
from dpcompose.front.cli import main
from dpcompose.front.numbers.curve import Enclosure
from dpcompose.front.numbers.numbers import WrongValue

PROBLEMS = Path(__file__).parents[2] / "notebooks" / "problems"


def study(*mechanisms: Any, target: Any = dpc.bounded) -> dpc.Study:
    return dpc.compose(*mechanisms, on=dpc.multisets("ab"), target=target)


def pure(e: object, of: Any = dpc.bounded, name: str = "M") -> Any:
    return dpc.mechanism(name, dpc.pure(e, of))


def encloses(known: Enclosure, x: sympy.Expr) -> bool:
    value = sympy.N(x, 40)
    return bool(sympy.N(known.lower, 40) <= value <= sympy.N(known.upper, 40))


E = sympy.E
HAND = [
    # one pure mechanism: randomized response, whose total variation is (e − 1)/(e + 1)
    (study(pure(1)), 0, (E - 1) / (E + 1)),
    (study(pure(1)), sympy.Rational(1, 2), (E - sympy.sqrt(E)) / (E + 1)),
    (study(pure(1)), 1, sympy.Integer(0)),
    # two of them, at ε = 1: only the loss 2 is larger, which has the probability e²/(e + 1)²
    (study(pure(1), pure(1, name="N")), 1, (E**2 - E) / (E + 1) ** 2),
    # (ε, δ) at its own ε
    (study(dpc.mechanism("M", dpc.approximate(1, "1/8", dpc.bounded))), 1, sympy.Rational(1, 8)),
    # a count with Laplace noise of scale 1: 1 − e^((ε − 1)/2)
    (
        study(dpc.mechanism("M", query=dpc.count, noise=dpc.laplace(1)), target=dpc.unbounded),
        sympy.Rational(1, 2),
        1 - sympy.exp(-sympy.Rational(1, 4)),
    ),
    # normal noise: Φ(½ − ε) − e^ε Φ(−½ − ε) at ε = 0 is 2Φ(½) − 1 = erf(1/√8)
    (study(dpc.mechanism("M", dpc.gaussian(1, dpc.bounded))), 0, sympy.erf(1 / sympy.sqrt(8))),
]


@pytest.mark.parametrize(("found", "epsilon", "delta"), HAND)
def test_by_hand(found: dpc.Study, epsilon: sympy.Expr, delta: sympy.Expr) -> None:
    known = found.curve().delta(epsilon)
    assert known.lower is not None and known.upper is not None
    assert encloses(known, delta) and known.upper - known.lower < sympy.Rational(1, 10**6)


@pytest.mark.parametrize(("found", "epsilon", "delta"), HAND[1:])
def test_the_way_back(found: dpc.Study, epsilon: sympy.Expr, delta: sympy.Expr) -> None:
    """ε at a δ a little above that of an ε is at most this ε, and not much less."""
    if delta > 0:
        known = found.curve().epsilon(sympy.Rational(str(sympy.N(delta, 12))) + sympy.Rational(1, 10**9))
        assert known.upper is not None and known.lower is not None
        assert known.lower <= epsilon + sympy.Rational(1, 10**6)
        assert epsilon - sympy.Rational(1, 10**4) <= known.upper <= epsilon + sympy.Rational(2, 10**6)


def test_what_holds_is_proved_and_what_is_reached_refutes() -> None:
    """Both ends are what verdicts say: above the claim is proved, below refuted."""
    found = study(pure(1), dpc.mechanism("N", dpc.gaussian("1/2", dpc.bounded)))
    known = found.curve().delta(1)
    assert found.check(dpc.approximate(1, known.upper)).verdict == "proved"
    assert found.check(dpc.approximate(1, known.lower - sympy.Rational(1, 10**9))).verdict == "refuted"


def test_what_is_known_of_zcdp_only_is_not_closed() -> None:
    known = study(dpc.mechanism("M", dpc.zcdp("1/2", dpc.bounded))).curve().epsilon("1e-5")
    assert known.upper - known.lower > sympy.Rational(1, 10) and not known.exact
    assert repr(known) == "between 4.377178 and 4.728387"


def test_values_take_the_place_of_parameters_everywhere() -> None:
    """In guarantees and in groups, and in the bounds of a sum."""
    group = dpc.compose(pure("e"), on=dpc.multisets(), target=dpc.group("m", dpc.bounded))
    plain = dpc.compose(pure("1/2"), on=dpc.multisets(), target=dpc.group(3, dpc.bounded))
    assert repr(group.curve({"m": 3, "e": "1/2"}).delta(1)) == repr(plain.curve().delta(1))
    summed = dpc.mechanism("S", query=dpc.clipped_sum(0, "u"), noise=dpc.laplace("b"))
    known = study(summed, target=dpc.unbounded).curve({"u": 2, "b": 4}).delta(0)
    assert encloses(known, 1 - sympy.exp(-sympy.Rational(1, 4)))


def test_a_study_inside_is_taken_apart(capsys: pytest.CaptureFixture[str]) -> None:
    file = PROBLEMS / "78-a-study-in-a-study.toml"
    assert main(["curve", str(file), "--at", "e1=1,e2=1,e3=1", "--delta", "0"]) == 0
    assert "delta = 0: epsilon between 1.999999 and 2" in capsys.readouterr().out


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(PROBLEMS / "01-bounded-parallel.toml")
    asked = ["--at", "e1=1,e2=1,e3=1", "--epsilon", "1, 1/2", "--delta", "1e-6"]
    assert main(["curve", file, *asked]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "The classical parallel bound, claimed for bounded DP",
        "  at e1 = 1, e2 = 1, e3 = 1",
        "  epsilon = 1: delta between 0.3378347 and 0.3378348",
        "  epsilon = 1/2: delta between 0.4151954 and 0.4151955",
        "  delta = 1e-6: epsilon between 1.999998 and 1.999999",
    ]
    assert main(["curve", file, *asked, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["points"][2] == {"delta": "1e-6", "epsilon": {"lower": "1.999998", "upper": "1.999999"}}
    low, high = (Fraction(data["points"][0]["delta"][end]) for end in ("lower", "upper"))
    assert low < high and data["at"] == {"e1": "1", "e2": "1", "e3": "1"}


def test_a_table_where_nothing_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["curve", str(PROBLEMS / "56-laplace-with-a-delta.toml")]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[1] == "  epsilon = 0: delta between 0.3934693 and 0.3934694"
    assert rows[-1] == "  epsilon = 1: delta 0"


@pytest.mark.parametrize(
    ("file", "options", "status", "said"),
    [
        ("01-bounded-parallel", "--at e1=1", 2, "no value is given for e2, e3"),
        (
            "01-bounded-parallel",
            "--at e1=1,e2=1,e3=1 --delta 2",
            2,
            "delta is to be a number in [0, 1], not 2",
        ),
        (
            "01-bounded-parallel",
            "--at e1=1,e2=1,e3=1 --epsilon=-1",
            2,
            "epsilon is to be a number at least 0",
        ),
        ("01-bounded-parallel", "--at e1=1,e2=1,e3=1 --epsilon x", 2, "epsilon is to be a number, not x"),
        ("01-bounded-parallel", "--at e9=1", 2, "e9 is no parameter; there are e1, e2, e3"),
        ("95-values-between-bounds", "--at l=1,u=0,e=1,e1=1,e2=1", 2, "is assumed, and does not hold there"),
    ],
)
def test_what_is_refused(
    file: str, options: str, status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["curve", str(PROBLEMS / f"{file}.toml"), *options.split()]) == status
    assert said in capsys.readouterr().err


def test_in_python_errors_say_the_same() -> None:
    found = study(pure("e"))
    with pytest.raises(WrongValue, match="no value is given for e"):
        found.curve()
    with pytest.raises(WrongValue, match=r"in \[0, 1\]"):
        found.curve({"e": 1}).epsilon(-1)


def test_of_several_guarantees_the_best_one_holds_and_nothing_is_known_to_be_reached() -> None:
    """A mechanism that loses most with the one guarantee need not have the other."""
    several = dpc.mechanism("M", satisfies=[dpc.pure(1, dpc.bounded), dpc.pure(1, dpc.unbounded)])
    known = study(several).curve().delta(0)
    assert known.lower is None and known.upper == study(pure(1)).curve().delta(0).upper
    assert repr(known) == "at most 0.4621172"


def test_a_million_mechanisms_that_each_lose_much() -> None:
    """Their losses are 1 with the probability e/(e + 1), else −1: the mean is 10⁶ (e − 1)/(e + 1)."""
    known = study(dpc.mechanism("M", dpc.pure(1, dpc.bounded), count=10**6)).curve().epsilon("1e-6")
    mean, deviation = 10**6 * (E - 1) / (E + 1), 10**3 * 2 * sympy.sqrt(E) / (E + 1)
    assert known.lower is not None and known.upper is not None
    assert mean + 4 * deviation < known.lower < known.upper < mean + 5 * deviation
    assert known.upper - known.lower <= sympy.Rational(1, 10**6)


def test_no_number_holds() -> None:
    """Normal noise has no finite ε at δ = 0."""
    known = study(dpc.mechanism("M", dpc.gaussian(1, dpc.bounded))).curve().epsilon(0)
    assert known.upper is None and repr(known).endswith("and none is known that holds")
