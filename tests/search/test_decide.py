"""Comparisons of formulas: decided where they are linear, never decided wrongly, whatever the solver says.

Random claims are texts: `decide` reads them with the grammar of formulas, and the points at
which they are tried are evaluated by Python, with Fractions.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest
from shares import seeds

from dpcompose.language import forms, formulas
from dpcompose.language.forms import Form
from dpcompose.language.symbols import Domain, symbol
from dpcompose.proof import certificates
from dpcompose.search import decide
from dpcompose.search.decide import AtLeast, Fails, Undecided
from dpcompose.search.solver import Z3, Constraint, Solver

F = Fraction
KINDS = ["positive", "nonnegative", "real", "in (0,1)", "integer >= 0", "integer >= 2", "integer >= -3"]


# formulas as texts, and what they mean


def _top(m: Fraction, *values: Fraction) -> Fraction:
    return sum(sorted(values, reverse=True)[: int(m)], F(0))


def _sqrt(x: Fraction) -> Fraction:
    p, q = math.isqrt(x.numerator), math.isqrt(x.denominator)
    assert p * p == x.numerator and q * q == x.denominator
    return F(p, q)


def meaning(text: str, point: Mapping[str, Fraction]) -> Fraction:
    """The value of a formula, by Python's own arithmetic with Fractions."""
    scope: dict[str, Any] = {"max": max, "min": min, "abs": abs, "top": _top, "sqrt": _sqrt, "F": F}
    exact = re.sub(r"(?<![\w.])(\d+)", r"F(\1)", text)
    return F(eval(exact, {"__builtins__": {}}, scope | dict(point)))


def read(text: str, domains: Mapping[str, Domain]) -> Form:
    symbols = {name: symbol(name, domain) for name, domain in domains.items()}
    return forms.read(formulas.parse(text, symbols), domains)


def kinds(words: Mapping[str, str]) -> dict[str, Domain]:
    return {name: Domain.read(word) for name, word in words.items()}


def values(rng: random.Random, domain: Domain, square: bool = False) -> Fraction:
    """An allowed value: small, large, near an end, or any."""
    while True:
        x = rng.choice(
            [
                F(rng.randint(-4, 6)),
                F(rng.randint(-60, 60), rng.randint(1, 40)),
                F(rng.randint(-3, 3), 10**6),
                1 - F(1, rng.randint(1, 10**6)),
                F(rng.randint(-(10**6), 10**6)),
            ]
        )
        x = x * x if square else x
        if domain.contains(x):
            return x


def some_points(
    rng: random.Random, domains: Mapping[str, Domain], n: int, square: bool = False
) -> list[dict[str, Fraction]]:
    return [{name: values(rng, domain, square) for name, domain in domains.items()} for _ in range(n)]


def judged(
    greater: str,
    lesser: str,
    domains: Mapping[str, Domain],
    rng: random.Random,
    solver: Solver = decide.STANDARD,
    square: bool = False,
) -> str:
    """What is decided, after it was checked: "holds", "fails" or "undecided"."""
    g, l = read(greater, domains), read(lesser, domains)
    found = decide.at_least(g, l, domains, solver)
    if isinstance(found, AtLeast):
        certificates.check_at_least(g, l, domains, found.proof)
        for point in some_points(rng, domains, 60, square):
            assert meaning(greater, point) >= meaning(lesser, point), (greater, lesser, point)
        return "holds"
    if isinstance(found, Fails):
        point = some_points(rng, domains, 1, square)[0] | found.point
        assert all(domains[name].contains(x) for name, x in point.items())
        assert meaning(greater, point) < meaning(lesser, point), (greater, lesser, point)
        return "fails"
    assert isinstance(found, Undecided) and found.reason
    return "undecided"


# comparisons with known answers

MEDIANS = "max(min(a, b), min(b, c), min(a, c))", "min(max(a, b), max(b, c), max(a, c))"
P, N, R, U = "positive", "nonnegative", "real", "in (0,1)"
KNOWN: list[tuple[str, str, dict[str, str], str]] = [
    ("a + b", "max(a, b)", {"a": P, "b": P}, "holds"),
    ("max(a, b)", "a + b", {"a": P, "b": P}, "fails"),
    ("max(a, b)", "a + b", {"a": R, "b": R}, "fails"),
    ("a + b", "max(a, b)", {"a": R, "b": R}, "fails"),
    ("2*max(a, b)", "a + b", {"a": R, "b": R}, "holds"),
    ("a + b", "2*min(a, b)", {"a": R, "b": R}, "holds"),
    ("max(a, b) + min(a, b)", "a + b", {"a": R, "b": R}, "holds"),
    ("a + b", "max(a, b) + min(a, b)", {"a": R, "b": R}, "holds"),
    ("a + b + 1/1000*a", "max(a, b) + min(a, b)", {"a": P, "b": R}, "holds"),
    ("a + b - 1/1000*a", "max(a, b) + min(a, b)", {"a": P, "b": R}, "fails"),
    ("top(2, a, b, c)", "a + b + c - min(a, b, c)", {"a": R, "b": R, "c": R}, "holds"),
    ("a + b + c - min(a, b, c)", "top(2, a, b, c)", {"a": R, "b": R, "c": R}, "holds"),
    ("max(a + b, a + c, b + c)", "top(2, a, b, c)", {"a": P, "b": P, "c": P}, "holds"),
    ("top(2, a, b, c)", "max(a + b, a + c, b + c)", {"a": P, "b": P, "c": P}, "holds"),
    ("3/2*max(a, b, c)", "top(2, a, b, c)", {"a": P, "b": P, "c": P}, "fails"),
    ("2*max(a, b, c)", "top(2, a, b, c)", {"a": P, "b": P, "c": P}, "holds"),
    ("top(2, a, b, c)", "(a + b + c)*2/3", {"a": R, "b": R, "c": R}, "holds"),
    ("top(2, a, b, c)", "(a + b + c)*3/4", {"a": P, "b": P, "c": P}, "fails"),
    ("abs(x)", "x", {"x": R}, "holds"),
    ("abs(x) + abs(y)", "abs(x + y)", {"x": R, "y": R}, "holds"),
    ("abs(x + y)", "abs(x) + abs(y)", {"x": R, "y": R}, "fails"),
    ("abs(x - y)", "abs(x) - abs(y)", {"x": R, "y": R}, "holds"),
    ("x", "0", {"x": R}, "fails"),
    ("a", "0", {"a": P}, "holds"),
    ("a", "0", {"a": N}, "holds"),
    ("a", "1/1000000", {"a": P}, "fails"),
    ("1", "p", {"p": U}, "holds"),
    ("999999/1000000", "p", {"p": U}, "fails"),
    ("p", "1/1000000", {"p": U}, "fails"),
    ("max(p, 1 - p)", "1/2", {"p": U}, "holds"),
    ("max(p, 1 - p)", "501/1000", {"p": U}, "fails"),
    ("2", "p + q", {"p": U, "q": U}, "holds"),
    ("a + 1", "a + p", {"a": P, "p": U}, "holds"),
    ("n", "2", {"n": "integer >= 2"}, "holds"),
    ("n", "3", {"n": "integer >= 2"}, "fails"),
    ("n - 1", "p", {"n": "integer >= 2", "p": U}, "holds"),
    ("3*n", "2*n + 2", {"n": "integer >= 2"}, "holds"),
    ("n + 3", "0", {"n": "integer >= -3"}, "holds"),
    ("n + 2", "0", {"n": "integer >= -3"}, "fails"),
    ("n*a", "2*a", {"n": "integer >= 2", "a": P}, "holds|undecided"),
    ("abs(2*n - 1)", "1", {"n": "integer >= -3"}, "holds|undecided"),
    ("max(2*n - 1, 1 - 2*n)", "2", {"n": "integer >= -3"}, "fails"),
    ("a*b", "0", {"a": P, "b": N}, "holds"),
    ("(a + b)**2", "4*a*b", {"a": P, "b": P}, "holds|undecided"),
    ("x**2", "0", {"x": R}, "holds"),
    ("x**2", "x", {"x": R}, "fails"),
    ("p", "p**2", {"p": U}, "holds|undecided"),
    ("p**2", "p", {"p": U}, "fails"),
    ("a**3 + 1", "a", {"a": P}, "holds|undecided"),
    ("sqrt(a) + b", "sqrt(a)", {"a": P, "b": P}, "holds"),
    ("sqrt(a)", "sqrt(a) + b", {"a": P, "b": P}, "fails"),
    ("sqrt(a) + sqrt(b)", "max(sqrt(a), sqrt(b))", {"a": P, "b": P}, "holds"),
    ("sqrt(a)", "a", {"a": P}, "fails"),
    ("a + 1/4", "sqrt(a)", {"a": P}, "holds|undecided"),
    ("sqrt(a)", "0", {"a": N}, "holds"),
    ("max(2*a, b + max(a, b))", "a + b", {"a": P, "b": P}, "holds"),
    ("max(2*a, b + max(a, b))", "2*max(a, b)", {"a": P, "b": P}, "holds"),
    ("2*max(a, b)", "max(2*a, b + max(a, b))", {"a": P, "b": P}, "holds"),
    (*MEDIANS, dict.fromkeys("abc", R), "holds"),
    (*MEDIANS[::-1], dict.fromkeys("abc", R), "holds"),
    ("max(a, min(b, c))", "min(max(a, b), max(a, c))", {"a": R, "b": R, "c": R}, "holds"),
    ("0", "0", {}, "holds"),
    ("1/3", "1/2", {}, "fails"),
    ("max(1/3, 1/2)", "1/2", {}, "holds"),
]  # fmt: skip


@pytest.mark.parametrize(
    "greater, lesser, words, answer", KNOWN, ids=[f"{g} >= {l}, {list(w.values())}" for g, l, w, _ in KNOWN]
)
def test_known_comparisons(greater: str, lesser: str, words: dict[str, str], answer: str) -> None:
    square = "sqrt" in greater + lesser
    found = judged(greater, lesser, kinds(words), random.Random(1), square=square)
    assert found in answer.split("|")


# random comparisons


def linear(rng: random.Random, names: Sequence[str], depth: int) -> str:
    """A random formula of sums, multiples, maxima, minima and tops."""
    kind = rng.random()
    if depth == 0 or kind < 0.3:
        parts = [
            f"{rng.choice(names)}*{rng.randint(1, 3)}/{rng.randint(1, 2)}" for _ in range(rng.randint(1, 2))
        ]
        if rng.random() < 0.25:
            parts.append(f"{rng.randint(1, 3)}/2")
        return f"({' + '.join(parts)})" if rng.random() < 0.8 else f"({' - '.join(parts)})"
    inner = [linear(rng, names, depth - 1) for _ in range(rng.randint(2, 3))]
    if kind < 0.5:
        return f"({' + '.join(inner[:2])})" if rng.random() < 0.7 else f"({inner[0]} - {inner[1]})"
    if kind < 0.6:
        return f"top({rng.randint(1, len(inner))}, {', '.join(inner)})"
    return f"{rng.choice(['max', 'max', 'min'])}({', '.join(inner)})"


def combination(rng: random.Random, names: Sequence[str], depth: int) -> tuple[str, str]:
    """A formula, and one that it is at least for certain: a mean of what it compares, or its least."""
    inner = [linear(rng, names, depth - 1) for _ in range(rng.randint(2, 3))]
    mean = f"({' + '.join(inner)})*1/{len(inner)}"
    return f"max({', '.join(inner)})", rng.choice([mean, f"min({', '.join(inner)})", rng.choice(inner)])


@seeds(1, 3)
def test_random_linear_comparisons_are_always_decided(seed: int) -> None:
    rng = random.Random(seed)
    counts = {"holds": 0, "fails": 0, "undecided": 0}
    for _ in range(25):
        names = ["a", "b", "c", "d"][: rng.randint(1, 4)]
        words = {name: rng.choice(KINDS) for name in names}
        domains = kinds(words)
        depth = rng.choice([1, 2, 2, 3])
        if rng.random() < 0.5:
            greater, lesser = combination(rng, names, depth)
            true = True
        else:
            greater, lesser, true = linear(rng, names, depth), linear(rng, names, depth), False
        g, l = read(greater, domains), read(lesser, domains)
        if forms.pieces(g - l, 300) is None:
            continue
        found = judged(greater, lesser, domains, rng, Z3(20_000))
        counts[found] += 1
        assert not (true and found == "fails"), (greater, lesser, words)
        if found == "undecided":
            used = [words[name] for name in (g.names | l.names)]
            assert any(word.startswith("integer") for word in used), (greater, lesser, words)
    assert counts["holds"] >= 5 and counts["fails"] >= 4 and counts["undecided"] <= 4, counts


@seeds(1, 3)
def test_true_by_a_hair(seed: int) -> None:
    """g ≥ l where l = g − (something that is 0 at its least), and l plus a hair: proved, and refuted."""
    rng = random.Random(seed)
    for _ in range(6):
        names = ["a", "b", "c"][: rng.randint(1, 3)]
        domains = kinds({name: rng.choice(["positive", "nonnegative", "real", "in (0,1)"]) for name in names})
        inner = linear(rng, names, 1)
        other = linear(rng, names, 1)
        greater, lesser = f"max({inner}, {other})", f"({inner} + {other} + abs({inner} - {other}))*1/2"
        assert judged(greater, lesser, domains, rng, Z3()) == "holds"
        assert judged(lesser, greater, domains, rng, Z3()) == "holds"
        assert judged(greater, f"{lesser} + 1/10**6", domains, rng, Z3()) == "fails"


@pytest.mark.parametrize("seed", range(2))
def test_random_nonlinear_comparisons_are_never_wrong(seed: int) -> None:
    rng = random.Random(100 + seed)
    found = []
    for _ in range(20):
        names = ["a", "b", "c"][: rng.randint(1, 3)]
        domains = kinds({name: rng.choice(KINDS) for name in names})

        def polynomial(names: Sequence[str] = names) -> str:
            terms = []
            for _ in range(rng.randint(1, 3)):
                factors = [rng.choice(names) for _ in range(rng.randint(1, 3))]
                terms.append(f"{'*'.join(factors)}*{rng.randint(1, 3)}/{rng.randint(1, 3)}")
            return rng.choice([" + ", " + ", " - "]).join(terms)

        greater = rng.choice([polynomial(), f"max({polynomial()}, {polynomial()})", f"({polynomial()})**2"])
        lesser = rng.choice(
            [polynomial(), f"min({polynomial()}, {polynomial()})", f"max({polynomial()}, {polynomial()})"]
        )
        if rng.random() < 0.3:
            greater = f"{lesser} + ({polynomial()})**2"
        found.append(judged(greater, lesser, domains, rng, Z3(300)))
    assert {"holds", "fails"} <= set(found)


# large comparisons


def test_many_parameters() -> None:
    names = [f"e{i}" for i in range(1, 31)]
    domains = kinds(dict.fromkeys(names, "positive"))
    everything, rng = ", ".join(names), random.Random(3)
    total = " + ".join(names)
    for greater, lesser, answer in [
        (f"top(15, {everything})", f"({total})*1/2", "holds"),
        (f"top(15, {everything})", f"({total})*51/100", "fails"),
        (f"30*max({everything})", total, "holds"),
        (f"29*max({everything})", total, "fails"),
        (total, f"max({everything})", "holds"),
        (f"max({everything})", f"top(2, {everything})", "fails"),
        (f"2*max({everything})", f"top(2, {everything})", "holds"),
        (total, f"30*min({everything})", "holds"),
    ]:
        assert judged(greater, lesser, domains, rng) == answer


def test_the_maximum_of_two_hundred_sums() -> None:
    names = [f"e{i}" for i in range(1, 21)]
    domains = kinds(dict.fromkeys(names, "positive"))
    rng = random.Random(4)
    sums = [f"{x} + {y}" for n, x in enumerate(names) for y in names[:n]] + [
        f"{x} + {x}/2" for x in names[:10]
    ]
    assert len(sums) == 200
    largest = f"max({', '.join(sums)})"
    assert judged(f"2*max({', '.join(names)})", largest, domains, rng) == "holds"
    assert judged(" + ".join(names), f"max({', '.join(sums[:190])})", domains, rng) == "holds"
    few = f"max({', '.join(sums[:66])})"
    assert judged(few, f"top(2, {', '.join(names[:12])})", domains, rng) == "holds"
    assert judged(f"top(2, {', '.join(names)})", f"max({', '.join(sums[:190])})", domains, rng) == "holds"
    assert judged(f"top(2, {', '.join(names)})", largest, domains, rng) == "fails"


def test_ties() -> None:
    """Equal parameters, and one form in many places."""
    domains = kinds({"a": "positive", "b": "real"})
    rng = random.Random(8)
    assert judged("top(3, a, a, a, a)", "3*a", domains, rng) == "holds"
    assert judged("3*a", "top(3, a, a, a, a)", domains, rng) == "holds"
    assert judged("top(2, a, b, a, b)", "a + b", domains, rng) == "holds"
    assert judged("2*max(a, b)", "top(2, a, b, a, b)", domains, rng) == "holds"
    assert judged("top(2, a, b, a, b)", "2*max(a, b)", domains, rng) == "holds"
    assert judged("top(2, a, a, b)", "2*max(a, b)", domains, rng) == "fails"


E40 = [f"e{i}" for i in range(1, 41)]


def compared(greater: str, lesser: str, names: list[str]) -> decide.Decision:
    domains = kinds(dict.fromkeys(names, "positive"))
    return decide.at_least(read(greater, domains), read(lesser, domains), domains)


def test_too_many_pieces_are_undecided_at_once() -> None:
    """Only signs of atoms are known, so that log(2) < 1 is not seen; there are 40 over 20 pieces."""
    found = compared(f"{' + '.join(E40)} + e1 - log(2)*e1", f"top(20, {', '.join(E40)})", E40)
    assert isinstance(found, Undecided) and "20,000" in found.reason


MAXES = [f"max({one}, {other})" for one, other in zip(E40[::2], E40[1::2], strict=True)]


@pytest.mark.parametrize(
    "greater, lesser",
    [
        (" + ".join(E40), f"top(20, {', '.join(E40)})"),
        (f"20*max({', '.join(E40)})", f"top(20, {', '.join(E40)})"),
        (f"2*top(10, {', '.join(E40)})", f"top(20, {', '.join(E40)})"),
        (f"top(21, {', '.join(E40)})", f"top(20, {', '.join(E40)})"),
        (f"top(20, {', '.join(E40)})", " + ".join(MAXES)),
        (f"10*max({', '.join(E40)}) + top(10, {', '.join(E40)})/2", f"top(10, {', '.join(E40)})"),
        (f"top(5, {', '.join(E40)})", f"top(5, {', '.join(MAXES)})"),
        (f"5*max({', '.join(E40)})", f"top(5, {', '.join(MAXES)})"),
    ],
)
def test_rules_decide_what_falls_into_millions_of_pieces(greater: str, lesser: str) -> None:
    assert isinstance(compared(greater, lesser, E40), AtLeast)


@pytest.mark.parametrize(
    "greater, lesser",
    [
        (" + ".join(E40[1:]), f"top(20, {', '.join(E40)})"),
        (f"19*max({', '.join(E40)})", f"top(20, {', '.join(E40)})"),
        (f"top(19, {', '.join(E40)})", " + ".join(MAXES)),
        (" + ".join([*E40[:-2], "e39"]), " + ".join(MAXES)),
        (f"top(5, {', '.join(MAXES)})", f"top(5, {', '.join(E40)})"),
    ],
)
def test_points_refute_what_falls_into_millions_of_pieces(greater: str, lesser: str) -> None:
    assert isinstance(compared(greater, lesser, E40), Fails)


# solvers that lie


@dataclass(frozen=True)
class Never:
    """Says of everything that it has no solution."""

    def solve(
        self, constraints: Sequence[Constraint], integers: frozenset[str] = frozenset()
    ) -> dict[str, Fraction] | None:
        return None


@dataclass(frozen=True)
class Always:
    """Says of everything that it has a solution: the same value for every variable, or random ones."""

    value: Fraction | None = None
    seed: int = 0
    missing: bool = False

    def solve(
        self, constraints: Sequence[Constraint], integers: frozenset[str] = frozenset()
    ) -> dict[str, Fraction] | None:
        names = {name for one in constraints for monomial in one.polynomial for name, _ in monomial}
        rng = random.Random(f"{self.seed} {sorted(names)}")
        found = {
            name: rng.choice([F(0), F(1), F(-1), F(1, 2), F(rng.randint(-99, 99), rng.randint(1, 9))])
            if self.value is None
            else self.value
            for name in sorted(names)
        }
        if self.missing:
            return {name: x for n, (name, x) in enumerate(found.items()) if n % 2} | {"nobody": F(3)}
        return found


STUBS: dict[str, Solver] = {
    "never": Never(),
    "zeros": Always(F(0)),
    "ones": Always(F(1)),
    "halves": Always(F(1, 2)),
    "negative": Always(F(-1)),
    "large": Always(F(10**9)),
    "random": Always(None, 1),
    "random too": Always(None, 2),
    "missing names": Always(F(1), missing=True),
    "missing and random": Always(None, 3, missing=True),
}


@pytest.mark.parametrize("stub", STUBS)
def test_a_lying_solver_decides_no_known_comparison_wrongly(stub: str) -> None:
    rng = random.Random(2)
    for greater, lesser, words, answer in KNOWN:
        square = "sqrt" in greater + lesser
        found = judged(greater, lesser, kinds(words), rng, STUBS[stub], square)
        assert found in (*answer.split("|"), "undecided"), (greater, lesser)


@pytest.mark.parametrize("stub", STUBS)
def test_a_lying_solver_decides_no_random_comparison_wrongly(stub: str) -> None:
    rng = random.Random(17)
    for _ in range(40):
        names = ["a", "b", "c"]
        domains = kinds({name: rng.choice(KINDS) for name in names})
        greater, lesser = linear(rng, names, 2), linear(rng, names, 2)
        if rng.random() < 0.5:
            greater, lesser = combination(rng, names, 2)
        if forms.pieces(read(greater, domains) - read(lesser, domains), 200) is None:
            continue
        judged(greater, lesser, domains, rng, STUBS[stub])


# these tests can fail


def test_without_the_last_check_a_lying_solver_proves_falsehoods(monkeypatch: pytest.MonkeyPatch) -> None:
    domains = kinds({"a": "positive", "b": "positive"})
    greater, lesser = read("abs(a - 3*b)", domains), read("b/1000", domains)
    assert isinstance(decide.at_least(greater, lesser, domains, Always(F(1, 2))), Undecided)
    monkeypatch.setattr(certificates, "check_at_least", lambda *_: None)
    assert isinstance(decide.at_least(greater, lesser, domains, Always(F(1, 2))), AtLeast)


def test_without_the_check_of_points_a_lying_solver_refutes_truths(monkeypatch: pytest.MonkeyPatch) -> None:
    domains = kinds({"a": "positive", "b": "positive"})
    greater, lesser = read("a + b", domains), read("max(a, b)", domains)
    monkeypatch.setattr(decide, "_holds", lambda *_: False)  # which only spares checks
    assert isinstance(decide.at_least(greater, lesser, domains, Never()), AtLeast)
    monkeypatch.setattr(certificates, "check_point", lambda *_: None)
    assert isinstance(decide.at_least(greater, lesser, domains, Never()), Fails)
