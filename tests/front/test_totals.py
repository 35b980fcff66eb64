"""Totals in any notion: the factor that reaches one, both its sides, and what is refused."""

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest
import sympy
from precision import with_digits

import dpcompose as dpc
from dpcompose.front.cli import main
from dpcompose.front.numbers.budgets import Budget
from dpcompose.front.numbers.numbers import NoBudget, WrongValue
from dpcompose.front.numbers.totals import read_total

digits = with_digits(30)
U, B = dpc.unbounded, dpc.bounded


def study(*mechanisms: Any, target: Any = U) -> dpc.Study:
    return dpc.compose(*mechanisms, on=dpc.multisets("ab"), target=target)


def count(noise: Any, name: str = "M") -> Any:
    return dpc.mechanism(name, query=dpc.count, noise=noise)


def pure(e: str, name: str) -> Any:
    return dpc.mechanism(name, dpc.pure(e, U))


def normal_delta(mu: Any, epsilon: Any) -> Any:
    """δ of N(0, 1) and N(μ, 1) at ε (Balle, Wang 2018)."""
    tail = mpmath.ncdf(-epsilon / mu + mu / 2)
    return tail - mpmath.exp(epsilon) * mpmath.ncdf(-epsilon / mu - mu / 2)


def two_pure_delta(e: Any, epsilon: Any) -> Any:
    """δ of two randomized responses, for e ≤ ε ≤ 2e: only the loss 2e is above ε."""
    p = mpmath.exp(e) / (1 + mpmath.exp(e))
    return p**2 - mpmath.exp(epsilon) * (1 - p) ** 2


def answered(share: str = "1 - f/2") -> dpc.Study:
    """Randomized response; of 1 - f/2 with f in (0, 1) the loss is log((2 − f)/f)."""
    one = dpc.mechanism("M", noise=dpc.randomized_response(share))
    return dpc.compose(one, on=dpc.multisets("ab"), target=U, parameters={"f": "in (0,1)"})


def response_rho(e: Any) -> Any:
    return e * mpmath.tanh(e / 2)


ONE = dpc.approximate(1, "1e-6")
SOLUTIONS = [
    # by the curve of normal noise
    (study(count(dpc.gaussian_noise("s"))), ONE, "s", lambda s: normal_delta(1 / s, 1) - 1e-6, 4.2),
    # the same of a mechanism that is GDP, at two steps
    (
        study(dpc.mechanism("M", dpc.gaussian("m", U)), target=B),
        dpc.approximate("1/2", "1/1000"),
        "m",
        lambda m: normal_delta(2 * m, mpmath.mpf(1) / 2) - mpmath.mpf(1) / 1000,
        0.1,
    ),
    # two pure ones: ε a little above half of the total
    (
        study(pure("e", "M"), pure("e", "N")),
        ONE,
        "e",
        lambda e: two_pure_delta(e, 1) - mpmath.mpf("1e-6"),
        0.5,
    ),
    (
        study(pure("e", "M"), pure("e", "N")),
        dpc.zcdp("1/2"),
        "e",
        lambda e: 2 * response_rho(e) - mpmath.mpf(1) / 2,
        0.7,
    ),
    # a count with Laplace noise: δ(ε) = 1 − e^((ε − 1/b)/2)
    (
        study(count(dpc.laplace("b"))),
        dpc.approximate("1/10", "1/100"),
        "b",
        lambda b: 1 - mpmath.exp((mpmath.mpf(1) / 10 - 1 / b) / 2) - mpmath.mpf(1) / 100,
        8,
    ),
    # a parameter in (0, 1), where few factors are allowed: f = 2/(1 + e^ε), also close to 1
    (answered(), dpc.pure(1), "f", lambda f: mpmath.log((2 - f) / f) - 1, 0.5),
    (answered(), dpc.pure("1e-9"), "f", lambda f: 1e9 * (mpmath.log((2 - f) / f) - mpmath.mpf("1e-9")), 0.9),
    (answered("1 - f**2/2"), dpc.pure(4), "f", lambda f: mpmath.log((2 - f**2) / f**2) - 4, 0.2),
    (
        answered(),
        dpc.zcdp("1/2"),
        "f",
        lambda f: response_rho(mpmath.log((2 - f) / f)) - mpmath.mpf(1) / 2,
        0.5,
    ),
    # in its own notion, where the guarantee is no power: ε = 2e + e²
    (study(pure("2*e + e**2", "M")), dpc.pure(1), "e", lambda e: 2 * e + e**2 - 1, 0.4),
]


@pytest.mark.parametrize(("found", "total", "name", "equation", "near"), SOLUTIONS)
def test_the_factor_is_where_a_solver_finds_it(
    found: dpc.Study, total: Any, name: str, equation: Any, near: float
) -> None:
    budget = found.budget(total)
    root = mpmath.findroot(equation, near)
    kept, beyond = (mpmath.mpf(str(sympy.N(x[name], 30))) for x in (budget.parameters, budget.beyond))
    inside = (kept, beyond) if budget.largest else (beyond, kept)
    assert inside[0] <= root <= inside[1] and abs(kept - root) < 2e-5 * root
    assert all(budget.guarantee[key] <= value for key, value in total.values)


@pytest.mark.parametrize(
    "total", [pytest.param(ONE, marks=pytest.mark.slow), dpc.zcdp("1/2"), dpc.gaussian(1)]
)
def test_the_total_is_proved_there_and_what_is_exceeded_is_refuted(total: Any) -> None:
    found = study(count(dpc.laplace("b")), count(dpc.gaussian_noise("s"), "N"))
    budget = found.budget(total, weights={"s": 2})

    def there(values: Mapping[str, sympy.Expr]) -> dpc.Study:
        return study(count(dpc.laplace(values["b"])), count(dpc.gaussian_noise(values["s"]), "N"))

    assert budget.parameters["s"] == 2 * budget.parameters["b"]
    assert there(budget.parameters).check(total).verdict == "proved"
    if budget.beyond and budget.exceeded:
        assert there(budget.beyond).check(total).verdict == "refuted"


EXACT = [
    (study(count(dpc.gaussian_noise("s"))), dpc.zcdp("1/2"), {"s": 1}),
    (study(dpc.mechanism("M", dpc.gaussian("m", U))), dpc.zcdp(2), {"m": 2}),
    (study(count(dpc.gaussian_noise("s"))), dpc.gaussian("1/3"), {"s": 3}),
]


@pytest.mark.parametrize(("found", "total", "exactly"), EXACT)
def test_another_notion_with_a_formula_is_solved_exactly(
    found: dpc.Study, total: Any, exactly: dict[str, int]
) -> None:
    budget = found.budget(total)
    assert budget.parameters == exactly and not budget.beyond


@pytest.mark.slow
def test_many_mechanisms_with_noise() -> None:
    """100 counts with Laplace noise for (1, 1e-6): dp-accounting's ε at this scale is 0.99999."""
    many = dpc.mechanism("M", query=dpc.count, noise=dpc.laplace("b"), count=100)
    budget = study(many).budget(ONE)
    assert budget.exceeded and not budget.largest
    b, below = (Fraction(str(x["b"])) for x in (budget.parameters, budget.beyond))
    assert below < b < below * Fraction(10001, 10000)


def test_more_budget_is_refused_where_parameters_pull_both_ways() -> None:
    both = study(pure("e", "M"), count(dpc.laplace("b"), "N"))
    with pytest.raises(NoBudget, match="grows in some parameters and falls in others"):
        both.budget(ONE)
    assert both.budget(ONE, at={"b": 2}).parameters["e"] > sympy.Rational(1, 2)


REFUSED: list[tuple[Any, ...]] = [
    (study(dpc.mechanism("M", dpc.zcdp("r", U))), dpc.gaussian(1), {}, "no conversion pages lead from zcdp"),
    (
        study(dpc.mechanism("M", dpc.zcdp("r", U))),
        dpc.pure(1),
        {},
        "from zcdp to pure; a total that fits is epsilon=...,delta=...",
    ),
    (
        study(dpc.mechanism("M", dpc.gaussian("m", U))),
        dpc.pure(1),
        {},
        "no conversion pages lead from gaussian",
    ),
    (study(count(dpc.gaussian_noise("s"))), dpc.pure(1), {}, "there is no finite epsilon"),
    (study(pure("1", "M")), ONE, {}, "no parameter is left to choose"),
    (study(pure("e", "M"), pure("1", "N")), dpc.zcdp("1/10"), {}, "no factor keeps the total"),
]


@pytest.mark.parametrize(("found", "total", "at", "message"), REFUSED)
def test_what_no_parameters_reach(found: dpc.Study, total: Any, at: Any, message: str) -> None:
    with pytest.raises(NoBudget) as refused:
        found.budget(total, at=at)
    assert message in str(refused.value)


def test_epsilon_alone_is_pure_privacy() -> None:
    """Unless it is the parameter of the mechanisms' own notion."""
    for named in (study(count(dpc.gaussian_noise("s"))), study(dpc.mechanism("M", dpc.zcdp("r", U)))):
        with pytest.raises(NoBudget, match=r"there is no finite epsilon|from zcdp to pure"):
            named.budget(epsilon=1)
    assert study(dpc.mechanism("M", dpc.f_dp("L(r)", U))).budget(epsilon=1).parameters == {"r": 1}


def test_totals_as_they_are_written() -> None:
    assert str(read_total("gaussian", "rho=1/2")) == "zcdp (1/2)"
    assert str(read_total("zcdp", "delta=1e-6, epsilon=1")) == "approximate (1, 1/1000000)"
    for text in ("rho=1,mu=1", "delta=1", "1/2,1"):
        with pytest.raises(WrongValue):
            read_total("pure", text)
    with pytest.raises(WrongValue, match=r"epsilon=\.\.\.,delta="):
        read_total("approximate", "1")


FILE = """
format = 1
[databases]
kind = "multisets"
[target]
granularity = "unbounded"
[[mechanisms]]
name = "M"
query = "count"
noise = { gaussian = "s" }
"""


def test_the_command_prints_both_sides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f.toml"
    file.write_text(FILE, encoding="utf-8")
    assert main(["budget", str(file), "--total", "epsilon=1,delta=1e-6"]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "the smallest parameters for a total of epsilon=1,delta=1e-6:",
        "  s = 4.22468",
        "  the guarantee is then epsilon = 1, delta = 9.999946e-7",
        "  at s = 4.22467 the total is exceeded",
    ]
    assert main(["budget", str(file), "--total", "epsilon=1,delta=1e-6", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["parameters"] == {"s": "105617/25000"} and said["exceeded"] is True
    assert said["beyond"] == {"s": "422467/100000"}
    assert main(["budget", str(file), "--total", "kappa=1"]) == 2
    assert "rho=..." in capsys.readouterr().err


def test_a_budget_shows_itself() -> None:
    budget: Budget = study(count(dpc.gaussian_noise("s"))).budget(ONE)
    assert repr(budget).startswith("s = 105617/25000, for epsilon = 1")
    assert "4.22468" in budget._repr_html_() and "4.22468" in budget._repr_latex_()
