"""Comparisons that are not linear, as papers, lecture notes and textbooks make them: each with its answer.

"equal" ones are true, with equality for some values.  Proofs are checked again from their data, and
points by mpmath with many digits, which shares no code with what decides.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from dpcompose.language import forms, formulas, symbols
from dpcompose.language.forms import Form, NotAForm
from dpcompose.language.symbols import Domain, symbol
from dpcompose.proof import certificates
from dpcompose.search import decide
from dpcompose.search.decide import AtLeast, Fails, Undecided
from dpcompose.search.solver import Z3

F = Fraction
P, N, R, U = "positive", "nonnegative", "real", "in (0,1)"
Z, K = "integer >= -3", "integer >= 1"
ADVANCED = "e*sqrt(2*k*log(1/d)) + k*e*(exp(e) - 1)"

COMPARISONS: list[tuple[str, str, dict[str, str], str]] = [
    # exponentials and logarithms
    ("exp(a) - 1", "a", {"a": P}, "true"),
    ("exp(2*a)", "exp(a)", {"a": P}, "true"),
    ("a", "log(1 + a)", {"a": P}, "true"),
    ("log(1 + a)", "a/(1 + a)", {"a": P}, "true"),
    ("x - 1", "log(x)", {"x": P}, "equal"),
    ("exp(x)", "exp(1)*x", {"x": R}, "equal"),
    ("x", "exp(1)*log(x)", {"x": P}, "equal"),
    ("sqrt(x)", "log(1 + x)", {"x": P}, "true"),
    ("x/(1 + x)", "1 - exp(-x)", {"x": P}, "false"),
    ("1 - exp(-x)", "x/(1 + x)", {"x": P}, "true"),
    ("1 - exp(-x)", "x - x**2/2", {"x": P}, "true"),
    ("exp(a) - 1", "a + a**2", {"a": P}, "false"),
    ("1 + a + a**2", "exp(a)", {"a": U}, "true"),
    ("exp(a)/2 + exp(b)/2", "exp((a + b)/2)", {"a": R, "b": R}, "equal"),
    ("log((a + b)/2)", "log(a)/2 + log(b)/2", {"a": P, "b": P}, "equal"),
    ("log(a)/2 + log(b)/2", "log((a + b)/2)", {"a": P, "b": P}, "false"),
    ("x**x", "exp(-exp(-1))", {"x": P}, "true"),
    ("exp(n*x)", "(1 + x)**n", {"x": P, "n": K}, "true"),
    ("(1 + x)**n", "1 + n*x", {"x": P, "n": K}, "equal"),
    # several parameters, each in a sum of its own, or before what has the others
    ("(a**2 + b**2 + c**2)/2", "a + b + c - 2*a/(1 + exp(a)) - 2*b/(1 + exp(b)) - 2*c/(1 + exp(c))", {"a": P, "b": P, "c": P}, "true"),
    ("a + b - log(a) - log(b)", "2", {"a": P, "b": P}, "equal"),
    ("a - log(a) + exp(b) - b", "5/2", {"a": P, "b": P}, "false"),
    ("max(a, b)*(c + x)", "a*c + b*x", {"a": P, "b": P, "c": P, "x": P}, "equal"),
    ("max(a, b)*(c + x)", "(a + b)*max(c, x)", {"a": P, "b": P, "c": P, "x": P}, "false"),
    # |x| is max(x, -x)
    ("abs(x)**3 + 4/27", "x**2", {"x": R}, "equal"),
    ("abs(x)**3 + 1/8", "x**2", {"x": R}, "false"),
    ("3*abs(x)**2", "2*x**2", {"x": R}, "equal"),
    # roots and means
    ("(a + b)/2", "sqrt(a*b)", {"a": P, "b": P}, "equal"),
    ("sqrt(a*b)", "2*a*b/(a + b)", {"a": P, "b": P}, "equal"),
    ("a + b + c", "3*(a*b*c)**(1/3)", {"a": P, "b": P, "c": P}, "equal"),
    ("a/b + b/a", "2", {"a": P, "b": P}, "equal"),
    ("a + 1/4", "sqrt(a)", {"a": P}, "equal"),
    ("a + 6/25", "sqrt(a)", {"a": P}, "false"),
    ("sqrt(a) + sqrt(b)", "sqrt(a + b)", {"a": P, "b": P}, "true"),
    ("sqrt(2*(a + b))", "sqrt(a) + sqrt(b)", {"a": P, "b": P}, "equal"),
    ("sqrt(a + b)", "(sqrt(a) + sqrt(b))*5/7", {"a": P, "b": P}, "false"),
    ("max(a, b)", "sqrt(a*b)", {"a": P, "b": P}, "equal"),
    ("sqrt(2)*max(a, b)", "sqrt(a**2 + b**2)", {"a": P, "b": P}, "equal"),
    ("sqrt((a**2 + b**2)*(c**2 + d**2))", "a*c + b*d", {"a": P, "b": P, "c": P, "d": P}, "equal"),
    # polynomials and whole numbers
    ("(a + b)**2", "4*a*b", {"a": P, "b": P}, "equal"),
    ("a**2 + b**2 + c**2", "a*b + b*c + a*c", {"a": R, "b": R, "c": R}, "equal"),
    ("a**4 + b**4", "a**3*b + a*b**3", {"a": R, "b": R}, "equal"),
    ("a**2 + 2*b**2", "2*sqrt(2)*a*b", {"a": P, "b": P}, "equal"),
    ("a**3 + 1", "a", {"a": P}, "true"),
    ("a**3 + 1/3", "a", {"a": P}, "false"),
    ("abs(2*n - 1)", "1", {"n": Z}, "equal"),
    ("n**2", "3*n - 2", {"n": Z}, "equal"),
    ("n**2", "3*n - 3/2", {"n": Z}, "false"),
    ("k*e", "sqrt(k)*e", {"k": K, "e": P}, "equal"),
    ("1/4", "p*(1 - p)", {"p": U}, "equal"),
    ("p", "p**2", {"p": U}, "true"),
    # randomized response, amplification by subsampling, group privacy
    ("e**2/2", "e*(exp(e) - 1)/(exp(e) + 1)", {"e": P}, "true"),
    ("e*(exp(e) - 1)", "e*(exp(e) - 1)/(exp(e) + 1)", {"e": P}, "true"),
    ("e**2/8", "log((1 + exp(e))/2) - e/2", {"e": P}, "true"),
    ("(exp(e) - 1)/(exp(e) + 1)", "e/2 - e**3/24", {"e": P}, "true"),
    ("(exp(e) - 1)/(exp(e) + 1)", "e/2", {"e": P}, "false"),
    ("log(2)", "-p*log(p) - (1 - p)*log(1 - p)", {"p": U}, "equal"),
    ("q*(exp(e) - 1)", "log(1 + q*(exp(e) - 1))", {"q": U, "e": P}, "true"),
    ("log(1 + q*(exp(e) - 1))", "q*e", {"q": U, "e": P}, "true"),
    ("e", "log(1 + q*(exp(e) - 1))", {"q": U, "e": P}, "true"),
    ("q*e", "log(1 + q*(exp(e) - 1))", {"q": U, "e": P}, "false"),
    ("2*q*e", "log(1 + q*(exp(e) - 1))", {"q": U, "e": U}, "true"),
    ("3*exp(2*e)*d", "d*(exp(3*e) - 1)/(exp(e) - 1)", {"e": P, "d": U}, "true"),
    ("k*exp((k - 1)*e)*d", "d*(exp(k*e) - 1)/(exp(e) - 1)", {"k": K, "e": P, "d": U}, "equal"),
    ("k*d", "d*(exp(k*e) - 1)/(exp(e) - 1)", {"k": K, "e": P, "d": U}, "false"),
    ("2*exp(e)*d", "(1 + exp(e))*d", {"e": P, "d": U}, "true"),
    ("k*d", "1 - (1 - d)**k", {"k": K, "d": U}, "equal"),
    ("d1 + d2", "1 - (1 - d1)*(1 - d2)", {"d1": U, "d2": U}, "true"),
    ("1 - (1 - d)**3", "3*d", {"d": U}, "false"),
    # advanced composition, Gaussian noise, concentrated privacy
    (ADVANCED, "k*e**2", {"k": K, "e": P, "d": U}, "true"),
    (ADVANCED, "e*sqrt(2*k*log(1/d)) + k*e**2", {"k": K, "e": P, "d": U}, "true"),
    (ADVANCED, "e*sqrt(2*k*log(1/d)) + k*e*(exp(e) - 1)/(exp(e) + 1)", {"k": K, "e": P, "d": U}, "true"),
    ("e*sqrt(2*k*log(1/d)) + k*e**2", ADVANCED, {"k": K, "e": P, "d": U}, "false"),
    ("e*sqrt(2*k*log(1/d)) + 2*k*e**2", ADVANCED, {"k": K, "e": U, "d": U}, "true"),
    (ADVANCED, "k*e", {"k": K, "e": P, "d": U}, "false"),
    ("r + 2*sqrt(r*log(1/d))", "r", {"r": P, "d": U}, "true"),
    ("sqrt(2*log(1.25/d))", "sqrt(2*log(1/d))", {"d": U}, "true"),
    ("sqrt(2*log(1.25/d))", "1/2", {"d": U}, "true"),
    ("(sqrt(r) + sqrt(log(1/d)))**2 - log(1/d)", "r + 2*sqrt(r*log(1/d))", {"r": P, "d": U}, "equal"),
    ("e**2/2", "e - log(1 + e)", {"e": P}, "true"),
    ("e - log(1 + e)", "e**2/2", {"e": P}, "false"),
]  # fmt: skip


def kinds(words: Mapping[str, str]) -> dict[str, Domain]:
    return {name: Domain.read(word) for name, word in words.items()}


def read(text: str, domains: Mapping[str, Domain]) -> Form:
    symbols = {name: symbol(name, domain) for name, domain in domains.items()}
    return forms.read(formulas.parse(text, symbols), domains)


def meaning(text: str, point: Mapping[str, Fraction]) -> Any:
    """The value of a formula, by Python's arithmetic with numbers of mpmath."""
    scope: dict[str, Any] = {"max": max, "min": min, "abs": abs}
    scope |= {"sqrt": mpmath.sqrt, "exp": mpmath.exp, "log": mpmath.log, "F": mpmath.mpf}
    values = {name: mpmath.mpf(x.numerator) / x.denominator for name, x in point.items()}
    exact = re.sub(r"(?<![\w.])(\d+(\.\d+)?)", r"F('\1')", text)
    return eval(exact, {"__builtins__": {}}, scope | values)


def some(rng: random.Random, domain: Domain) -> Fraction:
    while True:
        size = F(rng.randint(1, 99), 10 ** rng.randint(0, 4))
        x = rng.choice([size, -size, 1 - size, F(rng.randint(-3, 12)), F(1, rng.randint(1, 10**6))])
        if domain.contains(x):
            return x


def judged(greater: str, lesser: str, words: Mapping[str, str]) -> str:
    """What is decided, after it was checked: "true", "false", or the reason why neither."""
    domains = kinds(words)
    g, l = read(greater, domains), read(lesser, domains)
    found = decide.at_least(g, l, domains)
    rng = random.Random(1)
    with mpmath.workdps(400):
        if isinstance(found, AtLeast):
            proof = certificates.from_data(certificates.to_data(found.proof))
            certificates.check_at_least(g, l, domains, proof)
            for _ in range(15):
                point = {name: some(rng, domain) for name, domain in domains.items()}
                here, there = meaning(greater, point), meaning(lesser, point)
                assert here - there >= -(mpmath.mpf(10) ** -300) * (1 + abs(here)), point
            return "true"
        if isinstance(found, Fails):
            point = {name: symbols.simple(domain)[0] for name, domain in domains.items()} | found.point
            assert all(domains[name].contains(x) for name, x in point.items())
            assert meaning(greater, point) < meaning(lesser, point), point
            return "false"
    return found.reason


@pytest.mark.parametrize("greater, lesser, words, answer", COMPARISONS)
def test_comparison(greater: str, lesser: str, words: dict[str, str], answer: str) -> None:
    assert judged(greater, lesser, words) == ("false" if answer == "false" else "true")


SHAPES = [
    "exp({a})", "log(1 + {a})", "sqrt({a})", "{a}*{b}", "{a} + {b}", "{a} + {b}", "{a}**2", "{a}/(1 + {b})",
    "exp(-{a})", "exp({a}) - 1", "({a}*{b})**(1/2)", "max({a}, {b})", "{a}*3/2", "{a}*2/3", "1 + {a}",
    "log(1 + {a}*(exp({b}) - 1))", "(1 + {a})**(3/2)", "min({a}, {b})", "1/(1 + {a})", "{a}*log(1 + {b})",
]  # fmt: skip


def function(rng: random.Random, names: list[str], depth: int) -> str:
    """A random function that is ≥ 0 for parameters ≥ 0."""
    if depth == 0:
        return rng.choice([*names, *names, *names, "1", "1/2"])
    a, b = (function(rng, names, depth - rng.randint(1, 2) if depth > 1 else 0) for _ in "ab")
    return "(" + rng.choice(SHAPES).format(a=a, b=b) + ")"


def random_comparison(seed: int) -> tuple[str, str, dict[str, str]]:
    """Two random functions, or one that is at least, or nearly at least, another."""
    rng = random.Random(seed)
    words = {name: rng.choice([P, P, U, N, K]) for name in ["x", "y"][: rng.randint(1, 2)]}
    names = list(words)
    a, b = function(rng, names, rng.randint(1, 2)), function(rng, names, rng.randint(1, 2))
    greater, lesser = rng.choice(
        [
            (a, b),
            (f"{a} + {b}", a),
            (f"exp({a})", f"1 + {a}"),
            (f"({a} + {b})**2", f"4*{a}*{b}"),
            (f"sqrt({a}) + sqrt({b})", f"sqrt({a} + {b})"),
            (f"{a}", f"log(1 + {a})"),
            (f"{a}*exp({b})", f"{a} + {a}*{b}"),
            (f"{a}*{b}", f"{a}*log(1 + {b})"),
            (f"max({a}, {b})", f"({a} + {b})/2"),
        ]
    )
    factor = rng.choice(["1", "1", "1", "101/100", "99/100", "2"])
    return greater, f"{factor}*({lesser})", words


@pytest.mark.parametrize("seed", range(4))
def test_random_comparisons_are_never_wrong(seed: int) -> None:
    with suppress(NotAForm):  # a root or quotient that is not known to have a value
        judged(*random_comparison(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1400))
def test_more_random_comparisons_are_never_wrong(seed: int) -> None:
    with suppress(NotAForm):
        judged(*random_comparison(seed))


@dataclass(frozen=True)
class Sworn:
    """A solver that swears that nothing has a solution."""

    def solve(self, constraints: Any, integers: frozenset[str] = frozenset()) -> None:
        return None

    def excludes(self, constraints: Any, integers: frozenset[str] = frozenset()) -> bool:
        return True


@pytest.mark.parametrize("greater, lesser", [("a**2 + b**2", "2*a*b"), ("a**2 + b**2", "21/10*a*b")])
def test_the_word_of_a_solver_proves_nothing(
    greater: str, lesser: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    domains = kinds({"a": P, "b": P})
    g, l = read(greater, domains), read(lesser, domains)
    monkeypatch.setattr("dpcompose.search.analysis.decide", lambda *_: None)
    monkeypatch.setattr(decide, "_grid", lambda *_: iter([{"a": F(1), "b": F(5)}]))
    found = decide.at_least(g, l, domains, Sworn())
    assert isinstance(found, Undecided) and found.reason == decide.BY_WORD
    honest = decide.at_least(g, l, domains, Z3())
    assert isinstance(honest, Fails) if "21" in lesser else honest == Undecided(decide.BY_WORD)


def test_a_solver_that_lies_changes_no_answer() -> None:
    for greater, lesser, words, answer in COMPARISONS[::9]:
        domains = kinds(words)
        found = decide.at_least(read(greater, domains), read(lesser, domains), domains, Sworn())
        assert isinstance(found, Fails if answer == "false" else AtLeast)


def test_there_are_many() -> None:
    answers = [answer for *_, answer in COMPARISONS]
    assert len(set(map(str, COMPARISONS))) >= 60
    assert min(answers.count(one) for one in ("true", "false", "equal")) >= 14
