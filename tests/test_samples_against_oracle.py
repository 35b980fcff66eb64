"""Samples, by enumeration of all of them: the truth is never above the bound, and reaches it where it is optimal.

Mechanisms on samples are drawn at random, with e^ε a fraction, and some that lose most; all is exact.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise, product

import pytest

import dpcompose as dpc

Database = tuple[str, ...]
Law = dict[Database, Fraction]
Draw = Callable[[Database], Law]
Mechanism = Callable[[Database], Fraction]
"""The probability of the outcome 1; 0 is the other one."""
RECORDS, E, ODDS, HALF = "xyz", Fraction(3), Fraction(1, 4), Fraction(1, 2)
SAMPLES = [T for k in range(5) for T in combinations_with_replacement(RECORDS, k)]


def law(drawn: Iterator[tuple[Database, Fraction]]) -> Law:
    found: Law = {}
    for T, p in drawn:
        found[tuple(sorted(T))] = found.get(tuple(sorted(T)), Fraction(0)) + p
    assert sum(found.values()) == 1
    return found


def poisson(s: Fraction) -> Draw:
    def drawn(D: Database) -> Iterator[tuple[Database, Fraction]]:
        for kept in product((0, 1), repeat=len(D)):
            p = Fraction(1)
            for one in kept:
                p *= s if one else 1 - s
            yield tuple(x for x, one in zip(D, kept, strict=True) if one), p

    return lambda D: law(drawn(D))


def fixed(m: int) -> Draw:
    def drawn(D: Database) -> Iterator[tuple[Database, Fraction]]:
        some = list(combinations(range(len(D)), m))
        yield from ((tuple(D[i] for i in one), Fraction(1, len(some))) for one in some)

    return lambda D: law(drawn(D))


def draws(m: int) -> Draw:
    def drawn(D: Database) -> Iterator[tuple[Database, Fraction]]:
        yield from ((T, Fraction(1, len(D)) ** m) for T in product(D, repeat=m))

    return lambda D: law(drawn(D))


@cache
def apart(relation: str, T: Database, U: Database) -> int | None:
    gone, come = ((Counter(a) - Counter(b)).total() for a, b in ((T, U), (U, T)))
    if relation == "unbounded":
        return gone + come
    return max(gone, come) if gone == come else None


def lipschitz(relation: str, rng: random.Random) -> dict[Database, int]:
    """A whole number of each sample that changes by at most one a step."""
    anchors = [(T, rng.randrange(5)) for T in rng.sample(SAMPLES, 6)]
    found = {}
    for T in SAMPLES:
        far = ((v, apart(relation, T, A)) for A, v in anchors)
        found[T] = min((v + r for v, r in far if r is not None), default=rng.randrange(4))
    for size in range(5):  # of which no anchor has the size: any, but one for all
        alike = [T for T in SAMPLES if len(T) == size]
        if relation == "bounded" and not any(len(A) == size for A, _ in anchors):
            found |= dict.fromkeys(alike, rng.randrange(4))
    return found


def at_random(relation: str, rng: random.Random, delta: Fraction) -> Mechanism:
    """An (ε, δ)-DP mechanism: with probability δ anything, else e^(ε·g) with a g that is Lipschitz."""
    g, leak = lipschitz(relation, rng), {T: rng.choice((0, 1)) for T in SAMPLES}
    c = HALF / E ** max(g.values())
    return lambda T: (1 - delta) * c * E ** g[T] + delta * leak[T]


def is_private(M: Mechanism, relation: str, delta: Fraction) -> bool:
    at = {T: M(T) for T in SAMPLES}
    some = [(T, U) for T, U in product(SAMPLES, repeat=2) if apart(relation, T, U) == 1]
    return all(excess(at[T], at[U], E) <= delta for T, U in some)


def excess(p: Fraction, q: Fraction, odds: Fraction) -> Fraction:
    """The largest P(S) − odds·Q(S) over sets of the two outcomes."""
    return max(p - odds * q, 1 - p - odds * (1 - q), Fraction(0), 1 - odds)


def run(M: Mechanism, draw: Draw, D: Database) -> Fraction:
    return sum((p * M(T) for T, p in draw(D).items()), Fraction(0))


@cache
def of_size(n: int) -> list[Database]:
    return list(combinations_with_replacement(RECORDS, n))


WAYS: dict[str, tuple[Draw, str, str, list[int], dict[str, object], Fraction]] = {
    "poisson": (poisson(ODDS), "unbounded", "unbounded", [0, 1, 2], {"poisson": "1/4"}, Fraction(3, 2)),
    "fixed": (fixed(2), "bounded", "bounded", [4], {"fixed": ["2", "4"]}, Fraction(2)),
    "any number": (fixed(1), "bounded", "unbounded", [1, 2, 3], {"fixed": "1"}, Fraction(2)),
    "draws": (draws(2), "bounded", "bounded", [3], {"draws": ["2", "3"]}, Fraction(25, 9)),
}
"""How samples are drawn, the neighbours on samples and of the whole, the sizes of databases, and e^ε'."""
SIZES = {"poisson": "any", "fixed": "= 4", "any number": ">= 1", "draws": "= 3"}
RATES = {"poisson": ODDS, "fixed": HALF, "any number": HALF, "draws": Fraction(2, 3) * Fraction(5, 3)}


def pairs(whole: str, sizes: list[int]) -> list[tuple[Database, Database]]:
    every = [D for n in sizes for D in of_size(n)]
    return [(D, F) for D, F in product(every, repeat=2) if apart(whole, D, F) == 1]


def study(way: str, notion: str = "pure") -> dpc.Study:
    _, on, whole, _, sampled, _ = WAYS[way]
    at = getattr(dpc, on)
    stated = dpc.pure("log(3)", at) if notion == "pure" else dpc.approximate("log(3)", "1/8", at)
    M = dpc.mechanism("M", stated, sampled=sampled)
    return dpc.compose(M, on=dpc.multisets(RECORDS, size=SIZES[way]), target=getattr(dpc, whole))


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_lost_beyond_the_bound_and_something_loses_it(way: str) -> None:
    draw, on, whole, sizes, _, odds = WAYS[way]
    said = study(way).check(dpc.pure(f"log({odds})"))
    assert said.verdict == "proved" and said.loose is False
    rng, delta, around = random.Random(way), Fraction(1, 8), pairs(whole, sizes)
    drawn = {D: draw(D) for D in {D for D, _ in around}}
    for n in range(8):
        M = at_random(on, rng, delta if n % 2 else Fraction(0))
        assert is_private(M, on, delta if n % 2 else Fraction(0))
        at = {D: run(M, drawn.__getitem__, D) for D in drawn}
        allowed = RATES[way] * delta if n % 2 else Fraction(0)
        assert all(excess(at[D], at[F], odds) <= allowed for D, F in around)
    worst = Fraction(0)
    for sign in (1, -1):  # on samples the outcome 1 is e^ε times as likely for each record x, or less so
        at = {D: run(lambda T, s=sign: E ** (s * T.count("x")), drawn.__getitem__, D) for D in drawn}
        worst = max(worst, *(at[D] / at[F] for D, F in around))
    assert worst == odds


@pytest.mark.parametrize("way", ["poisson", "fixed", "any number"])
def test_events(way: str) -> None:
    """A leak of probability δ where x is drawn has γδ, and nothing where there is no x."""
    draw, _, whole, sizes, _, _ = WAYS[way]
    best = study(way, "approximate").guarantee()
    assert str(best.values["delta"]) == str(RATES[way] / 8) and best.optimal is True
    ends = {D for D, F in pairs(whole, sizes) if "x" not in F}
    leaks = [run(lambda T: Fraction(1, 8) * ("x" in T), draw, D) for D in ends]
    assert max(leaks) == RATES[way] / 8


def test_several_samples_lose_the_sum_at_once() -> None:
    some = [
        dpc.mechanism(f"M{i}", dpc.pure("log(3)", dpc.unbounded), sampled={"poisson": "1/4"}) for i in "12"
    ]
    made = dpc.compose(*some, on=dpc.multisets(RECORDS), target=dpc.unbounded)
    assert made.guarantee().optimal is True and made.check(dpc.pure("log(9/4)")).verdict == "proved"
    M: Mechanism = lambda T: E ** T.count("x")  # noqa: E731
    both = [run(M, poisson(ODDS), D) ** 2 for D in (("x", "y"), ("y",))]
    assert both[0] / both[1] == Fraction(9, 4)


def test_a_replaced_record_loses_more_than_the_formula_and_less_than_two_steps_of_it() -> None:
    draw, odds = poisson(HALF), Fraction(2)
    M: Mechanism = lambda T: E ** (T.count("x") - T.count("y"))  # noqa: E731
    D, F = run(M, draw, ("x", "z")), run(M, draw, ("y", "z"))
    assert odds < D / F == 3 < odds**2
    N = dpc.mechanism("N", dpc.pure("log(3)", dpc.unbounded), sampled={"poisson": "1/2"})
    for size in ("any", "= 2"):
        made = dpc.compose(N, on=dpc.multisets(RECORDS, size=size), target=dpc.bounded)
        claims = {"log(2)": "refuted", "log(29/10)": "refuted", "log(3)": "proved", "log(4)": "proved"}
        assert {claim: made.check(dpc.pure(claim)).verdict for claim in claims} == claims
        assert made.guarantee().optimal


def test_crosswise_formulas_are_false() -> None:
    """As the pages say: guarantees on samples for other neighbours than those that a sample needs."""
    one, two = {"x": 1, "z": 3, "y": 9, "": 3}, {"x": 1, "y": 9, "": 3}
    for table, draw, D, F, ratio in (
        (one, fixed(1), ("x", "z"), ("y", "z"), 3),
        (two, fixed(1), ("x",), ("x", "y"), 5),
    ):
        assert all(Fraction(1, 3) <= Fraction(v, table[""]) <= 3 for v in table.values())
        at = [sum(p * table["".join(T)] for T, p in draw(one).items()) for one in (D, F)]
        assert at[1] / at[0] == ratio > 2
    # private by replacement only: how many records a sample has may be told, and nothing is gained
    told = {("x",): Fraction(3, 4), ("y",): Fraction(1, 4)}
    at_x, at_y = ([(T, p * told.get(T, HALF)) for T, p in poisson(HALF)(D).items()] for D in (("x",), ("y",)))
    assert max(p / q for (T, p), (U, q) in zip(at_x, at_y, strict=True) if T and U) == 3


def test_the_chance_to_be_drawn_is_no_rate_for_draws_with_replacement() -> None:
    rate = 1 - (1 - HALF) ** 2
    formula = 1 + rate * (E - 1)
    at = [run(lambda T: E ** T.count("x"), draws(2), D) for D in (("x", "y"), ("y", "y"))]
    assert at[0] / at[1] == 4 > formula == Fraction(5, 2)


def test_wrong_statements_about_mixtures() -> None:
    """The mean of Rényi divergences, and a coin that depends on the database, as in lemmas/mixtures.md."""
    nothing, bits = (
        {"-": (Fraction(1), Fraction(1))},
        {"1": (HALF, Fraction(1, 8)), "0": (HALF, Fraction(7, 8))},
    )
    moments = [sum(p * p / q for p, q in table.values()) for table in (nothing, bits)]
    assert moments == [1, Fraction(16, 7)]
    published = sum(HALF * p * p / q for table in (nothing, bits) for p, q in table.values())
    assert published == Fraction(23, 14) <= max(moments) and published**2 > moments[0] * moments[1]
    coins = {"D": Fraction(9, 10), "E": Fraction(1, 10)}
    assert coins["D"] / coins["E"] == 9  # while for each value of the coin nothing is lost


def test_mixtures_of_tables_keep_what_all_have() -> None:
    """δ of the published mixture is the mean of the δ of its parts, and that of the hidden one no more."""
    rng = random.Random(1)
    for _ in range(60):
        coin = [Fraction(rng.randrange(1, 9)) for _ in range(3)]
        coin = [one / sum(coin) for one in coin]
        tables = [[[Fraction(rng.randrange(1, 9)) for _ in range(3)] for _ in "DE"] for _ in coin]
        laws = [[[x / sum(row) for x in row] for row in table] for table in tables]
        odds = Fraction(rng.randrange(4, 9), 4)

        def lost(P: list[Fraction], Q: list[Fraction], e: Fraction = odds) -> Fraction:
            return sum((max(p - e * q, Fraction(0)) for p, q in zip(P, Q, strict=True)), Fraction(0))

        each = [lost(P, Q) for P, Q in laws]
        published = [[w * x for w, law in zip(coin, laws, strict=True) for x in law[side]] for side in (0, 1)]
        hidden = [
            [sum(w * law[side][o] for w, law in zip(coin, laws, strict=True)) for o in range(3)]
            for side in (0, 1)
        ]
        mean = sum(w * d for w, d in zip(coin, each, strict=True))
        assert lost(*hidden) <= lost(*published) == mean <= max(each)
        squares = [sum(p * p / q for p, q in zip(P, Q, strict=True)) for P, Q in (published, *laws)]
        assert squares[0] <= max(squares[1:])


def test_neighbours_are_those_that_are_meant() -> None:
    assert all(apart("unbounded", D, F) == 1 for D, F in pairs("unbounded", [1, 2]))
    assert all(len(a) == len(b) for a, b in pairs("bounded", [2]))
    assert all(len(a) <= len(b) for a, b in pairwise(SAMPLES))
