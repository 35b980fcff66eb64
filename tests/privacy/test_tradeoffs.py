"""Trade-off functions in files and in Python: what they are read as, what is decided of them, what is refused."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from shares import seeds

import dpcompose as dpc
from dpcompose.kernel.expressions import terms
from dpcompose.privacy import problems
from dpcompose.privacy.guarantees.tradeoffs import at_once

START = """
format = 1
[databases]
kind = "multisets"
records = ["a", "b"]
[target]
granularity = "bounded"
[[mechanisms]]
name = "M"
"""
GIVEN = 'guarantee = {{ notion = "f-dp", tradeoff = {}, granularity = "bounded" }}\n'
RANDOMIZED = "max(0, 1 - 3*alpha, (1 - alpha)/3)"
LEAK = "max(0, 1 - d - alpha)"


def study(tradeoff: str, *claims: str) -> tuple[Any, Sequence[Any]]:
    text = START + GIVEN.format(tradeoff) + "".join(f"[[claims]]\n{one}\n" for one in claims)
    return dpc.loads(text)


def verdicts(tradeoff: str, *claims: str) -> list[str]:
    found, stated = study(tradeoff, *claims)
    return [found.check(one).verdict for one in stated]


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (RANDOMIZED, ["approximate (log(3), 0)"]),
        ("1 - alpha", ["approximate (0, 0)"]),
        ("max(0, (1 - alpha)/3)", ["approximate (log(3), 0)"]),
        ("max(0, 1 - d - exp(e)*alpha, exp(-e)*(1 - d - alpha))", ["approximate (e, d)"]),
        ("max(0, 1 - d - exp(e)*alpha)", ["approximate (e, d)"]),
        ([RANDOMIZED, LEAK], ["approximate (log(3), d)"]),
        ([LEAK, "max(0, 1 - c - alpha)"], ["approximate (0, c + d - c*d)"]),
        (["G(m)", "G(n)"], ["gaussian (sqrt(m**2 + n**2))"]),
        ("0", ["approximate (oo, 1)"]),
        (
            [RANDOMIZED, RANDOMIZED],
            ["approximate (0, 1/2)", "approximate (log(9), 0)"],
        ),
        (
            {"outcomes": [["1/2", "1/2"], ["1/2", "1/4"], ["0", "1/4"]]},
            ["approximate (0, 1/4)", "approximate (log(2), 0)"],
        ),
    ],
)
def test_what_is_read(given: Any, read: list[str]) -> None:
    assert sorted(str(one) for one in at_once(dpc.f_dp(given))) == read


@pytest.mark.parametrize(
    ("tradeoff", "message"),
    [
        ('"(1 - alpha)**2"', "(1 - alpha)**2 is no straight line in alpha"),
        ('"1/2"', "1/2 is more than 1 - alpha at 1"),
        ('["G(1)", "1 - 2*alpha"]', "this product is no function of these forms"),
        ('"max(0, 1 - x*alpha)"', "it is not known whether a line that falls by x is steeper than 1"),
        ('{ outcomes = [["1/2", "1/2"]] }', "the probabilities of all outcomes add up to 1"),
        (
            '{ outcomes = [["x", "1"], ["1 - x", "0"]] }',
            "outcomes are pairs of probabilities, rational numbers",
        ),
    ],
)
def test_what_is_refused(tradeoff: str, message: str) -> None:
    with pytest.raises(problems.ProblemError, match="tradeoff") as raised:
        study(tradeoff)
    assert message in str(raised.value)


def test_alpha_is_no_parameter_beside() -> None:
    text = START.replace("[databases]", '[parameters]\nalpha = "positive"\n[databases]')
    with pytest.raises(problems.ProblemError, match="alpha is a rate of false positives"):
        dpc.loads(text + GIVEN.format(f'"{RANDOMIZED}"'))


def claim(tradeoff: str) -> str:
    return f'notion = "f-dp"\ntradeoff = {tradeoff}'


def test_claims_hold_if_all_their_lines_do() -> None:
    both = '["max(0, 1 - 3*alpha, 3/5 - alpha, (1 - alpha)/3)", "max(0, 1 - 2*alpha, (1 - alpha)/2)"]'
    assert verdicts(
        both,
        claim(both),
        claim('"max(0, 1 - 6*alpha, 11/15 - 2*alpha)"'),
        claim('"max(0, 1 - 6*alpha, 11/15 + 1/1000 - 2*alpha)"'),
        claim('"max(0, 1 - 11*alpha/2)"'),
        claim('"G(3)"'),
        claim('"0"'),
        claim('"(1 - alpha)**9"'),
    ) == ["proved", "proved", "refuted", "refuted", "proved", "proved", "undecided"]


def test_claims_with_letters() -> None:
    given = '"max(0, 1 - d - exp(e)*alpha, exp(-e)*(1 - d - alpha))"'
    assert verdicts(given, claim(given), claim('"max(0, 1 - exp(e)*alpha)"')) == ["proved", "refuted"]


def test_a_group_is_the_function_put_into_itself() -> None:
    """f = max(0, 1 - 3a, 3/5 - a, (1 - a)/3) at two steps: 1 - g(g(a)) with g = 1 - f, by hand: g is 3a up to
    1/5, then 2/5 + a up to 2/5, then 2/3 + a/3."""
    text = START.replace('granularity = "bounded"', 'granularity = { group = 2, of = "bounded" }')
    text += GIVEN.format('"max(0, 1 - 3*alpha, 3/5 - alpha, (1 - alpha)/3)"')

    def g(a: Fraction) -> Fraction:
        return min(3 * a, Fraction(2, 5) + a, Fraction(2, 3) + a / 3, Fraction(1))

    for c in (Fraction(1), Fraction(2), Fraction(5)):
        wanted = max(
            g(g(Fraction(n, 45))) - c * Fraction(n, 45) for n in range(46)
        )  # it turns at multiples of 1/45
        lines = [
            f'notion = "approximate"\nepsilon = "log({c})"\ndelta = "{d}"'
            for d in (wanted, wanted * Fraction(99, 100))
        ]
        found, claims = dpc.loads(text + "".join(f"[[claims]]\n{one}\n" for one in lines))
        assert [found.check(one).verdict for one in claims] == ["proved", "refuted"]


def test_curves_are_of_all_at_once() -> None:
    found, _ = study('"max(0, 1 - 3*alpha, 3/5 - alpha, (1 - alpha)/3)"')
    curve = found.curve()
    assert str(curve.delta(0)) == "0.4" and str(curve.delta("log(2)")) == "0.2"


def test_counterexamples_have_all_guarantees() -> None:
    found, (stated,) = study(f'"{RANDOMIZED[:-1]}, 3/5 - alpha)"', claim('"max(0, 7/10 - alpha)"'))
    answer = found.check(stated)
    assert answer.verdict == "refuted" and answer.counterexample is not None
    (row,) = answer.counterexample.rows
    assert "ratio 3: 0.6, 0.2; ratio 1: 0.2, 0.2; ratio 0.333333: 0.2, 0.6" in row.words()
    assert "claimed delta 0.3, true delta 0.4" in str(answer)


def test_guarantees_for_other_neighbours_are_chosen_one_by_one() -> None:
    """What is for other neighbours is not at once: the bound is that of one of the two."""
    mixed = [dpc.approximate("log(3)", 0, dpc.unbounded), dpc.approximate(0, "2/5", dpc.bounded)]
    found = dpc.compose(dpc.mechanism("M", mixed), on=dpc.multisets("ab"), target=dpc.bounded)
    assert found.check(dpc.approximate("log(2)", "1/5")).verdict == "undecided"
    alike = [one.about(dpc.bounded) for one in mixed]
    found = dpc.compose(dpc.mechanism("M", alike), on=dpc.multisets("ab"), target=dpc.bounded)
    assert found.check(dpc.approximate("log(2)", "1/5")).verdict == "proved"
    assert found.check(dpc.approximate("log(2)", "0.19")).verdict == "refuted"


def test_functions_of_other_notions_beside_are_no_pieces() -> None:
    """(ε, δ) and zCDP at once: one of each is used, and nothing is refuted that both might forbid."""
    both = [dpc.approximate(0, "2/5", dpc.bounded), dpc.zcdp("1/2", dpc.bounded)]
    found = dpc.compose(dpc.mechanism("M", both), on=dpc.multisets("ab"), target=dpc.bounded)
    assert found.check(dpc.approximate(0, "2/5")).verdict == "proved"
    assert found.check(dpc.approximate(0, "1/3")).verdict == "undecided"
    assert str(found.curve().delta(0)).startswith("at most")


def test_products_are_exact() -> None:
    """Ten leaks over large primes and randomized response: no probability is rounded, however long it is."""
    leaks = [Fraction(1, 2**127 - 1 - n) for n in range(10)]
    given = [f"max(0, 1 - {d} - 3*alpha, (1 - {d} - alpha)/3)" for d in leaks]
    stays = math.prod(1 - d for d in leaks)
    pairs = [one.terms for one in at_once(dpc.f_dp(given))]
    found = {epsilon: delta.number for (_, epsilon), (_, delta) in pairs}
    up = Fraction(3, 4)
    masses = {2 * n - 10: math.comb(10, n) * up**n * (1 - up) ** (10 - n) * stays for n in range(11)}
    for m in (0, 2, 6, 10):
        least = sum(p * (1 - Fraction(3) ** (m - n)) for n, p in masses.items() if n > m)
        assert found[terms.log(terms.number(3**m))] == 1 - stays + least


def composed(every: Sequence[Sequence[tuple[int, Fraction]]], steps: int) -> list[tuple[Fraction, Fraction]]:
    """The outcomes of mechanisms that satisfy all (e^ε, δ), so many steps apart: g between all points of a grid
    on which its pieces and those of g(g) end."""
    together = [(Fraction(1), Fraction(1))]
    for pairs in every:
        lines = [(Fraction(0), Fraction(1))]
        lines += [one for c, d in pairs for one in ((Fraction(c), d), (Fraction(1, c), 1 - (1 - d) / c))]

        def g(a: Fraction, lines: list[tuple[Fraction, Fraction]] = lines) -> Fraction:
            return min(slope * a + b for slope, b in lines)

        ends = {(e - b) / (s - t) for s, b in lines for t, e in lines if s != t} | {Fraction(0), Fraction(1)}
        if steps == 2:
            ends |= {(y - b) / s for y in ends for s, b in lines if s}
        grid = sorted(x for x in ends if 0 <= x <= 1)
        after = [g(g(x)) if steps == 2 else g(x) for x in grid]
        table = [(after[0], Fraction(0))]
        table += [(z - y, b - a) for a, b, y, z in zip(grid, grid[1:], after, after[1:], strict=False)]
        together = [(p * x, q * y) for p, q in together for x, y in table]
    return together


@seeds(1, 60)
def test_claims_just_at_the_curve(seed: int) -> None:
    """Of one or two trade-off functions, one or two steps apart: δ itself is proved, a little less is refuted."""
    rng = random.Random(seed)
    every = [
        [(rng.randint(1, 4), Fraction(rng.choice([0, 0, 1, 3, 10]), 10)) for _ in range(rng.randint(1, 3))]
        for _ in range(rng.randint(1, 2))
    ]
    steps = rng.choice([1, 2])
    text = START[: START.index("[[mechanisms]]")]
    if steps == 2:
        text = text.replace('granularity = "bounded"', 'granularity = { group = 2, of = "bounded" }')
    text = text.replace('records = ["a", "b"]\n', "")
    for n, pairs in enumerate(every):
        lines = ", ".join(f"1 - {d} - {c}*alpha, (1 - {d} - alpha)/{c}" for c, d in pairs)
        text += f'[[mechanisms]]\nname = "M{n}"\n' + GIVEN.format(f'"max(0, {lines})"')
    together, wanted = composed(every, steps), []
    for c in (1, 2, 5):
        least = sum(max(Fraction(0), p - c * q) for p, q in together)
        for delta, verdict in ((least, "proved"), (least - Fraction(1, 10**6), "refuted")):
            if delta >= 0:
                text += f'[[claims]]\nnotion = "f-dp"\ntradeoff = "max(0, 1 - {delta} - {c}*alpha)"\n'
                wanted.append(verdict)
    found, claims = dpc.loads(text)
    assert [found.check(one).verdict for one in claims] == wanted
