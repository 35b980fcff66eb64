"""Comparisons of formulas by hand: what is proved, what is refuted and where, and that a certificate is needed."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from typing import Any

import pytest
from search.compared import COMPARISONS, KNOWN, F, K, N, P, R, judged, kinds, read

from dpcompose.front.studies.study import Study
from dpcompose.kernel import comparison
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.privacy import problems
from dpcompose.search.comparisons import by_calculus, comparing, parameters
from dpcompose.search.comparisons.comparing import Point, Proof, compare


@pytest.mark.parametrize("greater, lesser, words, answer", COMPARISONS)
def test_comparison(greater: str, lesser: str, words: dict[str, str], answer: str) -> None:
    assert judged(greater, lesser, words) == ("false" if answer == "false" else "true")


@pytest.mark.parametrize(
    "greater, lesser, words, answer", KNOWN, ids=[f"{g} >= {l}, {list(w.values())}" for g, l, w, _ in KNOWN]
)
def test_known_comparisons(greater: str, lesser: str, words: dict[str, str], answer: str) -> None:
    assert judged(greater, lesser, words) == answer


# what is proved is about the letters' domains, and needs no more than is said


def test_no_name_is_positive_by_itself() -> None:
    assert judged("x**2 + x", "x**2", {"x": R}) == "false"
    assert judged("x**2 + x", "x**2", {"x": N}) == "true"
    assert judged("epsilon", "0", {"epsilon": R}) == "false"


def test_oo_and_what_has_no_value_stay_open() -> None:
    domains = kinds({"x": R, "k": "integer >= 0", "e[i]": P})
    for greater, lesser in [
        ("sqrt(x)", "0"),
        ("log(x)", "log(x)"),
        ("1/x", "1/x"),
        ("x", "x + 0*max(e[i], i, 1, k)"),
    ]:
        g, l = read(greater, domains), read(lesser, domains)
        if g.letters.keys() == {"x"} and l == g and greater == "x":
            continue
        assert compare(g, l) is None
        assert "not known" in comparing.reason(g, l)
    assert compare(formulas.parse("oo", {}), formulas.parse("1", {})) is None


def test_the_deciders_that_were_used_are_named() -> None:
    used = {
        "2*max(a, b) >= a + b": set(),
        "exp(a) >= 1 + a": {"calculus"},
        "log(exp(a) - 1 + b) >= log(exp(a) - 1 + b)": {"ranges"},
        "sum(e[i], i, 1, k) >= max(e[i], i, 1, k)": {"rays"},
        "sum(e[i]**2, i, 1, k) + k >= 2*sum(e[i], i, 1, k)": {"members", "calculus"},
        "20*max(a, b, c, d, x, y, z) >= top(3, a, b, c, d, x, y, z)": {"rules"},
        "n**2*max(4*x, top(2, a, b, c)) >= max(40000*x, 10000*a + 10000*b, 10000*a + 10000*c)": set(),
    }
    domains = kinds(dict.fromkeys("abcdxyz", P) | {"k": K, "e[i]": P, "n": "integer >= 100"})
    for text, names in used.items():
        found = compare(*(read(side, domains) for side in text.split(" >= ")))
        assert isinstance(found, Proof) and found.used == names, text


def test_results_are_the_same_each_time() -> None:
    for greater, lesser, words, _ in COMPARISONS[::7]:
        domains = kinds(words)
        sides = read(greater, domains), read(lesser, domains)
        assert compare(*sides) == compare(*sides)


class Lying:
    """A solver with points of its own; without a value it says that there are none."""

    def __init__(self, value: Fraction | None, some: int = 1) -> None:
        self.value, self.some = value, some

    def solve(self, constraints: Any, integers: frozenset[Any] = frozenset()) -> dict[Any, Fraction] | None:
        if self.value is None:
            return None
        names = {x for one in constraints for term in one.polynomial for x, _ in term}
        return {name: self.value for name in sorted(names, key=str)[:: self.some]}


LIARS = [Lying(F(-7, 3)), Lying(None), Lying(F(0)), Lying(F(10**9)), Lying(F(1, 2), 2)]


def test_a_solver_that_lies_changes_no_answer() -> None:
    for n, (greater, lesser, words, answer) in enumerate(COMPARISONS[::5]):
        found = judged(greater, lesser, words, solver=LIARS[n % len(LIARS)])
        assert found == ("false" if answer == "false" else "true")


@pytest.mark.parametrize("liar", range(len(LIARS)))
def test_a_solver_that_lies_decides_nothing_wrongly(liar: int) -> None:
    rng = random.Random(liar)
    for greater, lesser, words, answer in rng.sample(KNOWN, 12):
        found = judged(greater, lesser, words, solver=LIARS[liar])
        assert found in (*answer.split("|"), "undecided"), (greater, lesser)


def test_without_the_last_check_a_lying_solver_refutes_truths(monkeypatch: pytest.MonkeyPatch) -> None:
    """This test can fail: what is checked last is what decides."""
    domains = kinds({"a": P, "b": P})
    g, l = read("a**2 + b**2", domains), read("2*a*b", domains)
    monkeypatch.setattr(by_calculus, "decide", lambda *_: None)
    assert compare(g, l, LIARS[0]) is None
    monkeypatch.setattr(comparing._Question, "fails", lambda *_: True)
    assert isinstance(compare(g, l, LIARS[0]), Point)


def test_a_long_difference_is_not_written_down() -> None:
    """The largest sum of two runs of three of 30 letters in a circle has more terms than a formula may have."""
    rows = [[f"e{(i + j) % 30}" for j in range(3)] for i in range(30)]
    sums = {" + ".join(sorted({*one, *other})) for one in rows for other in rows}
    words = {f"e{i}": P for i in range(30)}
    domains = kinds(words)
    g, l = read(" + ".join(words), domains), terms.top(1, [read(one, domains) for one in sums])
    found = compare(g, l)
    assert isinstance(found, Proof) and "difference" not in found.certificate
    assert comparison.check_at_least(g, l, json.loads(json.dumps(found.certificate))) == found.used
    with pytest.raises(comparison.BadCertificate):
        comparison.check_at_least(g, l + F(1, 1000), found.certificate)


def test_there_are_many() -> None:
    answers = [answer for *_, answer in COMPARISONS]
    assert len(set(map(str, COMPARISONS))) >= 60
    assert min(answers.count(one) for one in ("true", "false", "equal")) >= 14


@pytest.mark.parametrize(
    ("greater", "lesser"),
    [
        ("log(3)", "max(log(2), log(3))"),
        ("max(log(2), log(3))", "log(3)"),
        ("log(3)", "max(1, log(2), log(3))"),
        ("sqrt(5)", "max(sqrt(2), sqrt(3), sqrt(5))"),
        ("exp(1)", "max(exp(1), sqrt(7))"),
    ],
)
def test_the_largest_of_constants_is_one_of_them(greater: str, lesser: str) -> None:
    sides = formulas.parse(greater, {}), formulas.parse(lesser, {})
    assert isinstance(compare(*sides), Proof)


def test_no_smaller_one_of_constants_is_the_largest() -> None:
    assert not isinstance(
        compare(formulas.parse("log(2)", {}), formulas.parse("max(log(2), log(3))", {})), Proof
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1 - 2/(1 + exp(1))", "(exp(1) - 1)/(exp(1) + 1)"),
        ("log((exp(2) + exp(-1))/(1 + exp(1)))", "log((exp(3/2) + exp(-3/2))/(exp(1/2) + exp(-1/2)))"),
        ("2/(1 + sqrt(2))", "2*sqrt(2) - 2"),
    ],
)
def test_numbers_that_are_one_written_in_two_ways(one: str, other: str) -> None:
    """No enclosure tells them apart; a division does, and a little more or less is told by enclosures."""
    greater, lesser = formulas.parse(one, {}), formulas.parse(other, {})
    for more, less in ((greater, lesser), (lesser, greater)):
        found = comparing.compare(more, less)
        assert isinstance(found, comparing.Proof)
        assert comparison.check_at_least(more, less, found.certificate) == found.used
        assert isinstance(comparing.compare(more, less + terms.number(1) / 10**9), comparing.Point)


def test_a_claim_that_stays_undecided_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A maximum times what may be negative: why it stays undecided is told of the proof that was looked for."""
    asked: list[tuple[Any, ...]] = []

    def counted(greater: Any, lesser: Any, **more: Any) -> Any:
        asked.append((greater, lesser, *more.items()))
        return compare(greater, lesser, **more)

    monkeypatch.setattr(parameters.comparing, "compare", counted)
    said = {"notion": "pure", "epsilon": "exp(a) - 1", "granularity": "unbounded"}
    data = {
        "format": 1,
        "parameters": {"a": "integer >= 1"},
        "databases": {"kind": "multisets"},
        "target": {"granularity": "unbounded"},
        "mechanisms": [{"name": f"M{i}", "guarantee": said} for i in range(2)],
        "claims": [{"notion": "pure", "epsilon": "2*(exp(a) - 1)*(1 + min(3*a, 3/2*a))"}],
    }
    problem = problems.read_data(data)
    assert Study(problem.setting).check(problem.claims[0]).verdict == "undecided"
    proofs = [question for question in asked if ("to_prove", True) in question]
    assert proofs and len(proofs) == len(set(proofs))
