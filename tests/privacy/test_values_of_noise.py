"""Scales, deviations and probabilities as formulas: accepted where they are allowed for all parameters.

What is accepted is tried at many points by mpmath; what is refused says where it fails.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from shares import rows
from verdicts import found

import dpcompose as dpc
from dpcompose.language import formulas
from dpcompose.language.symbols import POSITIVE, UNIT_INTERVAL, Domain, symbol
from dpcompose.privacy.mechanisms.noises import Noise
from dpcompose.privacy.problems import ProblemError

UNIT = {"d": "in (0,1)", "f": "in (0,1)"}
TEXT = """format = 1
[parameters]
{parameters}
[databases]
kind = "multisets"
records = ["a", "b"]
[target]
granularity = "unbounded"
[[mechanisms]]
name = "M"
{asks}
noise = {{ {word} = "{value}" }}
[[claims]]
notion = "{notion}"
{claim}
"""


def problem(word: str, value: str, notion: str, claim: str, parameters: Mapping[str, str] = UNIT) -> str:
    """One mechanism with a noise on a count, or on a bit, and a claim about it."""
    listed = "\n".join(f'{name} = "{words}"' for name, words in parameters.items())
    asks = 'reads = { records = ["a"] }' if word == "randomized-response" else 'query = "count"'
    return TEXT.format(parameters=listed, asks=asks, word=word, value=value, notion=notion, claim=claim)


ACCEPTED = [
    ("laplace", "1 - d", "pure", "1/(1 - d)"),
    ("laplace", "1 - d/2", "pure", "1/(1 - d/2)"),
    ("laplace", "1 - d*f", "pure", "1/(1 - d*f)"),
    ("laplace", "max(d, 1)", "pure", "1"),
    ("laplace", "max(s, d)/e", "pure", "e/max(s, d)"),
    ("laplace", "exp(e) - 1", "pure", "1/(exp(e) - 1)"),
    ("laplace", "log(1/d)", "pure", "1/log(1/d)"),
    ("laplace", "1/log(1 + s*(exp(e) - 1))", "pure", "log(1 + s*(exp(e) - 1))"),
    ("laplace", "1/log(1 + d*(exp(e) - 1))", "pure", "log(1 + d*(exp(e) - 1))"),
    ("geometric", "2 - d", "pure", "1/(2 - d)"),
    ("gaussian", "sqrt(log(1/d))", "gaussian", "1/sqrt(log(1/d))"),
    ("gaussian", "sqrt(2*log(1.25/d))/e", "gaussian", "e/sqrt(2*log(1.25/d))"),
    ("gaussian", "sqrt(2*log(1.25/d))/e", "zcdp", "e**2/(4*log(1.25/d))"),
    ("gaussian", "sqrt(2*log(2/d))/e", "gaussian", "e/sqrt(2*log(2/d))"),
    ("gaussian", "max(l, u)/sqrt(2*r)", "zcdp", "r/max(l, u)**2"),
    ("randomized-response", "1 - f/2", "pure", "log((2 - f)/f)"),
    ("randomized-response", "1/2 + f/2", "pure", "log((1 + f)/(1 - f))"),
    ("randomized-response", "(2 + f)/4", "pure", "log((2 + f)/(2 - f))"),
    ("randomized-response", "1 - f*d/2", "pure", "log((2 - f*d)/(f*d))"),
    ("randomized-response", "1/(1 + exp(-e))", "pure", "e"),
    ("randomized-response", "exp(e)/(exp(e) + 1)", "pure", "e"),
    ("randomized-response", "(1 + e)/(2 + e)", "pure", "log(1 + e)"),
    ("randomized-response", "1/(2 - f)", "pure", "log(1/(1 - f))"),
]
KEYS = {"pure": "epsilon", "gaussian": "mu", "zcdp": "rho"}


@pytest.mark.parametrize(("word", "value", "notion", "claim"), rows(ACCEPTED))
def test_accepted(word: str, value: str, notion: str, claim: str) -> None:
    study, (verdict,) = found(problem(word, value, notion, f'{KEYS[notion]} = "{claim}"'))
    assert verdict.verdict == "proved" and verdict.loose is not True
    _, (less,) = found(problem(word, value, notion, f'{KEYS[notion]} = "9/10*({claim})"'))
    assert less.verdict == "refuted"
    noise = study.setting.mechanisms[0].noise
    assert noise is not None
    with mpmath.workprec(5_000):
        assert _lowest(noise, study.setting.domains) > 0


def _lowest(noise: Noise, domains: Mapping[str, Domain]) -> Any:
    """The least value of a noise's parameter, or of how far a probability is from 0 and 1, at many points."""
    rng, text = random.Random(1), formulas.to_text(noise.parameter)
    scope = {"sqrt": mpmath.sqrt, "log": mpmath.log, "exp": mpmath.exp, "max": max, "__builtins__": {}}
    least = mpmath.inf
    for _ in range(100):
        point = {
            name: mpmath.mpf(rng.choice([rng.random(), 0.001, 0.999, 1e-9]))
            * (1 if domains[name].greatest == 1 else rng.choice([1, 10, 1000]))
            for name in formulas.names(text)
        }
        x = eval(text, scope, point)
        least = min(least, x, 1 - x if noise.kind.takes == "bit" else x)
    return least


REFUSED = [
    (
        "laplace",
        "1 - 2*d",
        "the scale 1 - 2*d must be positive for all allowed values, but it is 0 at d = 1/2",
    ),
    ("laplace", "d - f", "but it is 0 at d = 1/2, f = 1/2"),
    ("laplace", "e - 1", "but it is 0 at e = 1"),
    ("laplace", "s**2 - 2*s + 1", "but it is 0 at s = 1"),
    ("laplace", "log(s)", "but it is 0 at s = 1"),
    ("laplace", "min(d, 1 - d) - 1/4", "but it is -6/25 at d = 1/100"),
    ("laplace", "1/log(s)", "1/log(s) has no real value at s = 1"),
    ("gaussian", "sqrt(s - 2)", "has no real value at s = 1"),
    ("randomized-response", "1 + f/2", "must lie between 0 and 1 for all allowed values, but it is 5/4"),
    ("randomized-response", "2*f", "must lie between 0 and 1 for all allowed values, but it is 1 at f = 1/2"),
    ("randomized-response", "(s)", "must lie between 0 and 1 for all allowed values, but it is 1 at s = 1"),
]


@pytest.mark.parametrize(("word", "value", "why"), REFUSED)
def test_refused_with_the_values(word: str, value: str, why: str) -> None:
    with pytest.raises(ProblemError) as error:
        found(problem(word, value, "pure", 'epsilon = "1"'))
    assert why in str(error.value)


def test_a_guarantee_that_may_be_negative() -> None:
    """With the truth told less often than not the odds are below 1; a value with log is shown as it is."""
    with pytest.raises(
        ValueError, match=r"epsilon = log\(f/\(2 - f\)\) \(pure\) is not known to be at least 0"
    ):
        found(problem("randomized-response", "f/2", "pure", 'epsilon = "1"'))


def test_random_formulas() -> None:
    """Whatever is accepted is positive at all points that are tried, and some of it is."""
    rng = random.Random(7)
    domains = {"d": UNIT_INTERVAL, "f": UNIT_INTERVAL, "s": POSITIVE}
    symbols = {name: symbol(name, domain) for name, domain in domains.items()}
    accepted = 0
    for _ in range(60):
        noise = Noise(
            rng.choice(["laplace", "randomized-response"]), formulas.parse(_random(rng, 2), symbols)
        )
        if not noise.parameter.free_symbols:
            continue
        if noise.unfit(domains) is None:
            accepted += 1
            with mpmath.workprec(5_000):
                assert _lowest(noise, domains) > 0, noise
    assert accepted >= 8


def _random(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(["d", "f", "s", "1", "1/2", "2"])
    x, y = (_random(rng, depth - 1) for _ in range(2))
    return rng.choice(
        [f"({x} + {y})", f"({x} - {y})", f"({x})*({y})", f"max({x}, {y})", f"exp(-({x}))", f"1 - ({x})/2"]
    )


def test_in_python() -> None:
    noisy = dpc.mechanism("M", query=dpc.count, noise=dpc.laplace("1 - d"))
    study = dpc.compose(noisy, on=dpc.multisets(), target=dpc.unbounded, parameters={"d": "in (0,1)"})
    assert str(study.guarantee()) == "unbounded (1/(1 - d))-DP, by GB:IV.1; optimal"
    with pytest.raises(ValueError, match="must be positive for all allowed values, but it is 0 at d = 1"):
        dpc.compose(noisy, on=dpc.multisets(), target=dpc.unbounded)


@pytest.mark.parametrize(
    ("lower", "upper"), [("f", "1"), ("d", "2*d"), ("-l", "u"), ("d", "1 + d**2"), ("d", "exp(d)")]
)
def test_bounds_of_sums(lower: str, upper: str) -> None:
    text = problem("laplace", "1/e", "pure", f'epsilon = "e*({upper} - ({lower}))"')
    text = text.replace('query = "count"', f'query = {{ sum = ["{lower}", "{upper}"] }}')
    _, (verdict,) = found(text.replace('granularity = "unbounded"', 'granularity = "bounded"'))
    assert verdict.verdict == "proved"


def test_bounds_that_may_be_the_wrong_way_round() -> None:
    text = problem("laplace", "1/e", "pure", 'epsilon = "1"').replace('"count"', '{ sum = ["l", "u"] }')
    with pytest.raises(ProblemError, match="it is not known that l <= u"):
        found(text)


def test_the_largest_of_positive_values_is_positive() -> None:
    claims = {"1/max(s, t)": "proved", "9/10/max(s, t)": "refuted", "1/s + 1/t": "proved"}
    noisy = dpc.mechanism("M", dpc.pure("1/max(s, t)", dpc.unbounded))
    study = dpc.compose(noisy, on=dpc.multisets(), target=dpc.unbounded)
    for text, verdict in claims.items():
        assert study.check(dpc.pure(text)).verdict == verdict, text
    assert Fraction(1) == study.guarantee().at({"s": 1, "t": "1/2"})["epsilon"]
