"""Comparisons of formulas, judged: a point that refutes is looked at by mpmath, a proof is checked at points."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import mpmath

from dpcompose.kernel import comparison
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.terms import Term, letter
from dpcompose.search.comparisons.comparing import Point, Proof, compare
from dpcompose.search.comparisons.points import usual

F = Fraction
P, N, R, U = "positive", "nonnegative", "real", "in (0,1)"
Z, K = "integer >= -3", "integer >= 1"
ADVANCED = "e*sqrt(2*k*log(1/d)) + k*e*(exp(e) - 1)"


def _top(m: Any, *values: Any) -> Any:
    return sum(sorted(values, reverse=True)[: int(m)])


def meaning(text: str, point: Mapping[str, Fraction]) -> Any:
    """The value of a formula, by Python's arithmetic with numbers of mpmath."""
    scope: dict[str, Any] = {"max": max, "min": min, "abs": abs, "top": _top}
    scope |= {"sqrt": mpmath.sqrt, "exp": mpmath.exp, "log": mpmath.log, "F": mpmath.mpf}
    values = {name: mpmath.mpf(x.numerator) / x.denominator for name, x in point.items()}
    exact = re.sub(r"(?<![\w.])(\d+(\.\d+)?)", r"F('\1')", text)
    return eval(exact, {"__builtins__": {}}, scope | values)


def kinds(words: Mapping[str, str]) -> dict[str, Domain]:
    return {name: Domain.read(word) for name, word in words.items()}


def read(text: str, domains: Mapping[str, Domain]) -> Term:
    return formulas.parse(text, {name: letter(name, domain) for name, domain in domains.items()})


def some(rng: random.Random, domain: Domain) -> Fraction:
    """An allowed value: small, large, near an end, or any."""
    while True:
        size = F(rng.randint(1, 99), 10 ** rng.randint(0, 4))
        x = rng.choice([size, -size, 1 - size, F(rng.randint(-3, 12)), F(1, rng.randint(1, 10**6))])
        if domain.contains(x):
            return x


def judged(greater: str, lesser: str, words: Mapping[str, str], points: int = 15, **how: Any) -> str:
    """What is decided, after it was checked: "true", "false" or "open"."""
    domains = kinds(words)
    g, l = read(greater, domains), read(lesser, domains)
    found = compare(g, l, **how)
    rng = random.Random(1)
    with mpmath.workdps(400):
        if isinstance(found, Proof):
            again = json.loads(json.dumps(found.certificate))
            assert comparison.check_at_least(g, l, again) == found.used
            for _ in range(points):
                point = {name: some(rng, domain) for name, domain in domains.items()}
                here, there = meaning(greater, point), meaning(lesser, point)
                assert here - there >= -(mpmath.mpf(10) ** -300) * (1 + abs(here)), (greater, lesser, point)
            return "true"
        if isinstance(found, Point):
            comparison.check_point(g, l, {name: str(x) for name, x in found.values.items()})
            point = usual(domains) | dict(found.values)
            assert all(domains[name].contains(x) for name, x in point.items())
            assert meaning(greater, point) < meaning(lesser, point), (greater, lesser, point)
            return "false"
    return "open"


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
    # one worst case, which stands in two ways after a division
    ("sqrt(sqrt(x)*sqrt(x/2)) + sqrt(max(exp(-1/2), exp(x) - 1))", "sqrt(sqrt(x)*sqrt(x/2) + max(exp(-1/2), exp(x) - 1))", {"x": P}, "true"),
]  # fmt: skip
MEDIANS = "max(min(a, b), min(b, c), min(a, c))", "min(max(a, b), max(b, c), max(a, c))"
KNOWN: list[tuple[str, str, dict[str, str], str]] = [
    ("a + b", "max(a, b)", {"a": P, "b": P}, "true"),
    ("max(a, b)", "a + b", {"a": P, "b": P}, "false"),
    ("max(a, b)", "a + b", {"a": R, "b": R}, "false"),
    ("a + b", "max(a, b)", {"a": R, "b": R}, "false"),
    ("2*max(a, b)", "a + b", {"a": R, "b": R}, "true"),
    ("a + b", "2*min(a, b)", {"a": R, "b": R}, "true"),
    ("max(a, b) + min(a, b)", "a + b", {"a": R, "b": R}, "true"),
    ("a + b", "max(a, b) + min(a, b)", {"a": R, "b": R}, "true"),
    ("a + b + 1/1000*a", "max(a, b) + min(a, b)", {"a": P, "b": R}, "true"),
    ("a + b - 1/1000*a", "max(a, b) + min(a, b)", {"a": P, "b": R}, "false"),
    ("top(2, a, b, c)", "a + b + c - min(a, b, c)", {"a": R, "b": R, "c": R}, "true"),
    ("a + b + c - min(a, b, c)", "top(2, a, b, c)", {"a": R, "b": R, "c": R}, "true"),
    ("max(a + b, a + c, b + c)", "top(2, a, b, c)", {"a": P, "b": P, "c": P}, "true"),
    ("top(2, a, b, c)", "max(a + b, a + c, b + c)", {"a": P, "b": P, "c": P}, "true"),
    ("3/2*max(a, b, c)", "top(2, a, b, c)", {"a": P, "b": P, "c": P}, "false"),
    ("2*max(a, b, c)", "top(2, a, b, c)", {"a": P, "b": P, "c": P}, "true"),
    ("top(2, a, b, c)", "(a + b + c)*2/3", {"a": R, "b": R, "c": R}, "true"),
    ("top(2, a, b, c)", "(a + b + c)*3/4", {"a": P, "b": P, "c": P}, "false"),
    ("abs(x)", "x", {"x": R}, "true"),
    ("abs(x) + abs(y)", "abs(x + y)", {"x": R, "y": R}, "true"),
    ("abs(x + y)", "abs(x) + abs(y)", {"x": R, "y": R}, "false"),
    ("abs(x - y)", "abs(x) - abs(y)", {"x": R, "y": R}, "true"),
    ("x", "0", {"x": R}, "false"),
    ("a", "0", {"a": P}, "true"),
    ("a", "0", {"a": N}, "true"),
    ("a", "1/1000000", {"a": P}, "false"),
    ("1", "p", {"p": U}, "true"),
    ("999999/1000000", "p", {"p": U}, "false"),
    ("p", "1/1000000", {"p": U}, "false"),
    ("max(p, 1 - p)", "1/2", {"p": U}, "true"),
    ("max(p, 1 - p)", "501/1000", {"p": U}, "false"),
    ("2", "p + q", {"p": U, "q": U}, "true"),
    ("a + 1", "a + p", {"a": P, "p": U}, "true"),
    ("n", "2", {"n": "integer >= 2"}, "true"),
    ("n", "3", {"n": "integer >= 2"}, "false"),
    ("n - 1", "p", {"n": "integer >= 2", "p": U}, "true"),
    ("3*n", "2*n + 2", {"n": "integer >= 2"}, "true"),
    ("n + 3", "0", {"n": "integer >= -3"}, "true"),
    ("n + 2", "0", {"n": "integer >= -3"}, "false"),
    ("n*a", "2*a", {"n": "integer >= 2", "a": P}, "true"),
    ("abs(2*n - 1)", "1", {"n": "integer >= -3"}, "true"),
    ("max(2*n - 1, 1 - 2*n)", "2", {"n": "integer >= -3"}, "false"),
    ("a*b", "0", {"a": P, "b": N}, "true"),
    ("(a + b)**2", "4*a*b", {"a": P, "b": P}, "true"),
    ("x**2", "0", {"x": R}, "true"),
    ("x**2", "x", {"x": R}, "false"),
    ("p", "p**2", {"p": U}, "true"),
    ("p**2", "p", {"p": U}, "false"),
    ("a**3 + 1", "a", {"a": P}, "true"),
    ("sqrt(a) + b", "sqrt(a)", {"a": P, "b": P}, "true"),
    ("sqrt(a)", "sqrt(a) + b", {"a": P, "b": P}, "false"),
    ("sqrt(a) + sqrt(b)", "max(sqrt(a), sqrt(b))", {"a": P, "b": P}, "true"),
    ("sqrt(a)", "a", {"a": P}, "false"),
    ("a + 1/4", "sqrt(a)", {"a": P}, "true"),
    ("sqrt(a)", "0", {"a": N}, "true"),
    ("max(2*a, b + max(a, b))", "a + b", {"a": P, "b": P}, "true"),
    ("max(2*a, b + max(a, b))", "2*max(a, b)", {"a": P, "b": P}, "true"),
    ("2*max(a, b)", "max(2*a, b + max(a, b))", {"a": P, "b": P}, "true"),
    (*MEDIANS, dict.fromkeys("abc", R), "true"),
    (*MEDIANS[::-1], dict.fromkeys("abc", R), "true"),
    ("max(a, min(b, c))", "min(max(a, b), max(a, c))", {"a": R, "b": R, "c": R}, "true"),
    ("0", "0", {}, "true"),
    ("1/3", "1/2", {}, "false"),
    ("max(1/3, 1/2)", "1/2", {}, "true"),
]  # fmt: skip
