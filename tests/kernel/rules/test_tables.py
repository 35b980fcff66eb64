"""Claims decided by the rows of tables: by hand in every notion, beside others, and at random by plain sums."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import pytest

from dpcompose.front.studies import loading
from dpcompose.front.studies.results import Answer
from dpcompose.kernel.core.orders import Orders
from dpcompose.kernel.deciders.calculus.exponentials import NotDecided
from dpcompose.kernel.deciders.curves.curves import Curve
from dpcompose.kernel.deciders.curves.tradeoffs import Known, Together
from dpcompose.kernel.deciders.tables import together
from dpcompose.kernel.deciders.tables.orders import ALL, Bound
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.theorems import NoTheorem, Prover
from dpcompose.privacy import problems
from dpcompose.proof.theory import registry
from dpcompose.search.proofs import Proofs

Row = Sequence[Fraction]
Tables = Sequence[Mapping[str, Row]]
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
TWO = [{"a": [2 * THIRD, THIRD], "b": [THIRD, 2 * THIRD]}]


def data(
    tables: Tables, edges: Sequence[Sequence[str]], claims: Any, *more: Any, **keys: Any
) -> dict[str, Any]:
    """A problem file of independent tables on listed databases."""
    return {
        "format": 1,
        "title": "tables",
        "databases": {"kind": "listed", "elements": list(tables[0])},
        "granularities": {"g": {"neighbours": [list(edge) for edge in edges]}},
        "tables": {
            f"t{i}": {
                "outcomes": [f"o{n}" for n in range(len(next(iter(table.values()))))],
                "rows": {D: list(map(str, row)) for D, row in table.items()},
            }
            for i, table in enumerate(tables)
        },
        "target": {"granularity": "g"},
        "mechanisms": [*({"name": f"M{i}", "table": f"t{i}"} for i in range(len(tables))), *more],
        "claims": claims,
        **keys,
    }


def answers(problem: Mapping[str, Any]) -> list[Answer]:
    study, claims = loading.load_data(problem, "x", "", registry.standard())
    return [study.check(claim) for claim in claims]


def verdicts(problem: Mapping[str, Any]) -> list[str]:
    return [answer.verdict for answer in answers(problem)]


def claimed(notion: str, *some: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"notion": notion, **one} for one in some]


def test_two_answers_by_hand() -> None:
    """Twice randomized response with 2 : 1, of which losses are ±2·log 2, or 0: P = 4, 4, 1 of 9, Q = 1, 4, 4."""
    claims = [
        *claimed("approximate", *({"epsilon": "0", "delta": d} for d in ("1/3", "332/999"))),
        *claimed("approximate", *({"epsilon": "log(2)", "delta": d} for d in ("2/9", "221/999"))),
        # the moment of order 2 is (16/1 + 16/4 + 1/4)/9 = 9/4, and that of 3 is (64 + 4 + 1/16)/9 = 1089/144
        *claimed("renyi", *({"orders": "2", "epsilon": e} for e in ("log(9/4)", "log(9/4) - 1/10**9"))),
        *claimed("renyi", *({"orders": "3", "epsilon": e} for e in ("log(121/16)/2", "log(7.5624)/2"))),
        # at most 2·ε·tanh(ε/2) at ε = log 2, and D_1 is that: 2·log(2)/3 = 0.46209...
        *claimed("zcdp", *({"rho": r} for r in ("0.4621", "0.462"))),
        *claimed("tcdp", *({"rho": r, "omega": "3"} for r in ("0.4621", "0.462"))),
        # P(S) = 4/9, Q(S) = 1/9: Φ⁻¹(4/9) − Φ⁻¹(1/9) = 1.08092...; and for 8/9 and 5/9 the same
        *claimed("gaussian", *({"mu": m} for m in ("1.081", "1.0809"))),
        *claimed("f-dp", *({"tradeoff": f"max(0, {d} - 2*alpha, ({d} - alpha)/2)"} for d in ("7/9", "8/9"))),
    ]
    assert verdicts(data(TWO * 2, ["ab"], claims)) == ["proved", "refuted"] * 8


def test_neighbours_in_which_less_moves_may_lose_more() -> None:
    """b and c differ in both tables, and c and d in the first only, by more: neither stands for the other."""
    first = {
        "b": [HALF, HALF],
        "c": [HALF + Fraction(1, 50), HALF - Fraction(1, 50)],
        "d": [Fraction(1), Fraction(0)],
    }
    second = {"b": [HALF, HALF], "c": [2 * THIRD, THIRD], "d": [2 * THIRD, THIRD]}
    claims = claimed("approximate", *({"epsilon": "0", "delta": d} for d in ("12/25", "47/100")))
    assert verdicts(data([first, second], ["bc", "cd"], claims)) == ["proved", "refuted"]


def test_the_two_orders_are_those_of_both_tables_at_once() -> None:
    """One table says more at a and the other at b: their losses do not add up in either order."""
    sure, other = [Fraction(9, 10), Fraction(1, 10)], [HALF, HALF]
    tables = [{"a": sure, "b": other, "c": sure, "d": other}, {"a": other, "b": sure, "c": sure, "d": other}]
    claims = claimed("approximate", {"epsilon": "0", "delta": "2/5"}, {"epsilon": "0", "delta": "56/100"})
    assert verdicts(data(tables, ["ab"], claims)) == ["proved", "proved"]
    assert verdicts(data(tables, ["ab", "cd"], claims)) == ["refuted", "proved"]


def test_a_table_beside_a_guarantee() -> None:
    """Ratios 2 and 1/2 of P = 2/3, 1/3 beside all that is log(2)-DP, which loses most as the same again."""
    pure = {"notion": "pure", "epsilon": "log(2)", "granularity": "g"}
    claims = claimed("approximate", *({"epsilon": "log(2)", "delta": d} for d in ("2/9", "221/999")))
    proved, refuted = answers(data(TWO, ["ab"], claims, {"name": "N", "guarantee": pure}))
    assert (proved.verdict, proved.loose, refuted.verdict) == ("proved", False, "refuted")
    assert refuted.counterexample is not None and refuted.counterexample.names == ("M0", "N")


def test_what_a_counterexample_tells() -> None:
    claims = [*claimed("zcdp", {"rho": "1/5"}), *claimed("gaussian", {"mu": "1/2"})]
    zcdp, gaussian = (answer.counterexample for answer in answers(data(TWO, ["ab"], claims)))
    assert zcdp is not None and gaussian is not None
    assert str(zcdp.lost()) == "claimed 0.4, true divergence of order 2 at least 0.4054651"
    assert (
        gaussian.lost() == "claimed 0.5275786, true probability of an event 0.6666667"
        or "0.6666666" in gaussian.lost()
    )
    assert (
        zcdp.rows[0].words() == "by its table, with probabilities at D and D' of o0: 2/3, 1/3; o1: 1/3, 2/3"
    )


def test_parameters() -> None:
    """Rows in a letter, which are compared for all of its values."""
    row = ["exp(e)/(1 + exp(e))", "1/(1 + exp(e))"]
    problem = data([{"a": [HALF, HALF], "b": [HALF, HALF]}], ["ab"], [])
    problem["tables"]["t0"]["rows"] = {"a": row, "b": row[::-1]}
    problem["claims"] = [
        *claimed("approximate", {"epsilon": "0", "delta": "(exp(e) - 1)/(1 + exp(e))"}),
        *claimed("approximate", {"epsilon": "0", "delta": "(exp(e) - 1)/(2 + exp(e))"}),
        *claimed("renyi", {"orders": "2", "epsilon": "log((exp(2*e) + exp(-e))/(1 + exp(e)))"}),
        *claimed("renyi", {"orders": "2", "epsilon": "e/2"}),
    ]
    assert verdicts(problem) == ["proved", "refuted", "proved", "refuted"]


def test_claims_below_nothing() -> None:
    """Where no input moves 0 is lost, and less is false."""
    same = [{"a": [HALF, HALF], "b": [HALF, HALF]}]
    claims = [
        *claimed("approximate", {"epsilon": "0", "delta": "0"}, {"epsilon": "1", "delta": "-1/10"}),
        *claimed("gaussian", {"mu": "0"}, {"mu": "-1"}),
        *claimed("zcdp", {"rho": "0"}, {"rho": "-1"}),
        *claimed("renyi", {"orders": "2", "epsilon": "0"}, {"orders": "2", "epsilon": "-1"}),
    ]
    assert all(
        verdict == "proved" if n % 2 == 0 else verdict != "proved"
        for n, verdict in enumerate(verdicts(data(same, ["ab"], claims)))
    )


def test_bounds_that_are_no_straight_lines() -> None:
    P, Q = [2 * THIRD, THIRD], [THIRD, 2 * THIRD]
    alpha = Orders.read("(1, 4]").order
    held, broken = (
        Bound.of(c * terms.sqrt(alpha), Orders.read("(1, 4]")) for c in (Fraction(3, 10), Fraction(28, 100))
    )
    assert held.broken(P, Q) is None and broken.broken(P, Q) is not None
    assert (
        Bound.of(terms.least(terms.log(terms.number(3)), alpha / 4), Orders.read("(1, 4]")).broken(P, Q)
        is None
    )
    sure = [Fraction(1), Fraction(0)]
    assert Bound((ALL.order,), ALL).broken(P, sure) is not None
    assert Bound((terms.INFINITY,), ALL).broken(P, sure) is None


def test_more_rows_than_types() -> None:
    """The worst neighbours are the last of 205 with rows of their own; types stand for some only, rows for all."""
    names = [f"d{n:03}" for n in range(206)]
    table = {D: [Fraction(n * n + 1, 10**5), 1 - Fraction(n * n + 1, 10**5)] for n, D in enumerate(names)}
    lost = Fraction(205**2 - 204**2, 10**5)
    claims = claimed(
        "approximate", *({"epsilon": "0", "delta": str(d)} for d in (lost, lost - Fraction(1, 10**9)))
    )
    problem = data([table], [], claims)
    problem["granularities"]["g"]["neighbours"] = [list(pair) for pair in pairwise(names)]
    study, read = loading.load_data(problem, "x", "", registry.standard())
    assert [study.check(claim).verdict for claim in read] == ["proved", "refuted"]
    proofs = study.judge.neighbours.proofs  # type: ignore[union-attr]
    assert not proofs.shop.types.rows_apart


def test_too_many_outcomes_are_refused() -> None:
    rng = random.Random(1)
    weights = [[rng.randrange(1, 10**6) for _ in range(40)] for _ in range(2)]
    P, Q = ([Fraction(x, sum(row)) for x in row] for row in weights)
    with pytest.raises(NotDecided, match="more than 1,000 outcomes"):
        together.together([(P, Q)] * 3)


def test_tables_stand_beside_no_samples_in_an_order() -> None:
    ordered = Together(((terms.ONE, terms.ZERO),), rate=terms.number(HALF), own=(0, 1))
    with pytest.raises(ValueError, match="tables beside samples"):
        Curve.of([ordered, Known(((HALF, THIRD), (HALF, 2 * THIRD)))])


# at random


def plain_delta(P: Row, Q: Row, t: Fraction) -> Fraction:
    return sum((max(Fraction(0), p - t * q) for p, q in zip(P, Q, strict=True)), Fraction(0))


def plain_divergence(P: Row, Q: Row, order: float) -> float:
    if any(p and not q for p, q in zip(P, Q, strict=True)):
        return math.inf
    logs = [order * math.log(p) + (1 - order) * math.log(q) for p, q in zip(P, Q, strict=True) if p]
    most = max(logs)
    return (most + math.log(sum(math.exp(x - most) for x in logs))) / (order - 1)


def some_tables(rng: random.Random) -> tuple[Tables, list[tuple[str, str]], list[tuple[Row, Row]]]:
    """Tables of 2 to 4 outcomes on 2 to 4 databases, neighbours, and the products of rows at these."""
    names = "abcd"[: rng.randint(2, 4)]
    edges = [edge for edge in combinations(names, 2) if rng.random() < 0.7] or [("a", "b")]
    tables = []
    for _ in range(rng.randint(1, 2)):
        outcomes, zeros = rng.randint(2, 4), rng.random() < 0.4
        weights = {
            D: [rng.choice((0, 1, 2, 3, 5)) + (0 if zeros else 1) for _ in range(outcomes - 1)] + [1]
            for D in names
        }
        tables.append({D: [Fraction(x, sum(row)) for x in row] for D, row in weights.items()})
    pairs = []
    for x, y in (pair for edge in edges for pair in (edge, edge[::-1])):
        P, Q = [Fraction(1)], [Fraction(1)]
        for table in tables:
            P, Q = [p * r for p in P for r in table[x]], [q * r for q in Q for r in table[y]]
        pairs.append((P, Q))
    return tables, edges, pairs


def exactly_0(lost: float) -> float:
    """What is lost, 0 where floats are a little off: tables with equal rows lose nothing."""
    return 0.0 if abs(lost) < 1e-9 else lost


def attacked(rng: random.Random) -> Iterator[tuple[str, str, Any]]:
    """What was found of claims near the exact values, and what is right."""
    tables, edges, pairs = some_tables(rng)
    claims, right = [], []
    factor = rng.choice([Fraction(1, 2), Fraction(99, 100), Fraction(101, 100), Fraction(2)])
    t = rng.choice([Fraction(1), Fraction(2), Fraction(3, 2)])
    delta = max(plain_delta(P, Q, t) for P, Q in pairs)
    for value in (delta, delta * factor, delta - Fraction(1, 10**9)):
        claims += claimed("approximate", {"epsilon": f"log({t})", "delta": str(value)})
        right.append(value >= delta)
    order = rng.choice([Fraction(2), Fraction(3), Fraction(5, 2)])
    lost = exactly_0(max(plain_divergence(P, Q, float(order)) for P, Q in pairs))
    value = 10**9 if math.isinf(lost) else math.floor(lost * factor * 10**6)
    claims += claimed("renyi", {"orders": str(order), "epsilon": f"{value}/10**6"})
    right.append(value / 10**6 >= lost)
    orders = [1 + 1.3**n / 10**4 for n in range(60)]
    lost = exactly_0(max(plain_divergence(P, Q, order) / order for P, Q in pairs for order in orders))
    value = 10**9 if math.isinf(lost) else math.floor(lost * factor * 10**6)
    claims += claimed("zcdp", {"rho": f"{value}/10**6"})
    right.append(value / 10**6 >= lost)
    found = verdicts(data(tables, edges, claims))
    yield from zip(found, ["proved" if one else "refuted" for one in right], claims, strict=True)


@pytest.mark.parametrize("seed", range(4))
def test_random_tables(seed: int) -> None:
    for found, right, claim in attacked(random.Random(seed)):
        assert found == right, claim


@pytest.mark.slow
def test_many_random_tables() -> None:
    rng = random.Random(7)
    undecided = 0
    for found, right, claim in (one for _ in range(500) for one in attacked(rng)):
        undecided += found == "undecided"
        assert found in (right, "undecided"), claim
    assert undecided <= 25


@pytest.mark.parametrize("until", ["2", "100", "1000000", "1" + "0" * 40])
def test_large_orders_are_bounded_by_the_largest_loss(until: str) -> None:
    """Randomized response with log(3): D_α/α is largest for α → 1, log(3)/2 = 0.5493, and D_α below log(3)."""
    P, Q = [Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]
    several = Orders.read(f"(1, {until}]")
    low, high = (
        Bound((terms.number(rho) * several.order,), several).broken(P, Q)
        for rho in (Fraction(549, 1000), Fraction(55, 100))
    )
    assert low is not None and 1 < low[0] < 2 and high is None


def prover_of(tables: Tables, *claims: Mapping[str, str]) -> Prover:
    read = problems.read_data(data(tables, [["a", "b"]], list(claims)))
    return Prover(
        Proofs(read.setting, Theory(registry.standard().pages)).elaborated.core,
        Theory(registry.standard().pages),
    )


@pytest.mark.parametrize(
    ("notion", "holds", "broken"),
    [
        ("pure", {"epsilon": "log(2)"}, {"epsilon": "log(19/10)"}),
        ("approximate", {"epsilon": "0", "delta": "1/3"}, {"epsilon": "0", "delta": "33/100"}),
        ("zcdp", {"rho": "0.2311"}, {"rho": "0.23"}),
    ],
)
def test_rows_that_break_a_claim_do_not_show_it(
    notion: str, holds: dict[str, str], broken: dict[str, str]
) -> None:
    """2/3 and 1/3: log 2, 1/3, and log(2)/3 = 0.23105; what they break is not theirs, in whichever order."""
    for tables in (TWO, [{"a": TWO[0]["b"], "b": TWO[0]["a"]}]):
        prover = prover_of(tables, {"notion": notion, **holds})
        assert prover.by("by_rows", claim={"notion": notion, **holds}).says.notion == notion  # type: ignore[union-attr]
        with pytest.raises(NoTheorem, match="it is not so at the databases 0 and 1"):
            prover.by("by_rows", claim={"notion": notion, **broken})
        at: dict[str, Any] = {"claim": {"notion": notion, **holds}, "point": {}}
        for pair in ([0, 1], [1, 0]):
            with pytest.raises(NoTheorem, match="keep the claim in this order"):
                prover.by("against_rows", databases=pair, **at)
        for pair in ([0, 0], [0, 2], [0], [0, 1, 0]):
            with pytest.raises(NoTheorem, match="no neighbours"):
                prover.by("against_rows", databases=pair, **at)


def test_rows_that_break_a_claim_in_one_order_only() -> None:
    """1/2 and 1/2 against 1 and 0: what is certain is lost without a limit where the others are ahead."""
    prover = prover_of(
        [{"a": [HALF, HALF], "b": [Fraction(1), Fraction(0)]}], {"notion": "pure", "epsilon": "9"}
    )
    for pair, way in (([0, 1], "refuted"), ([1, 0], "kept")):
        arguments: dict[str, Any] = {
            "claim": {"notion": "pure", "epsilon": "9"},
            "point": {},
            "databases": pair,
        }
        if way == "refuted":
            assert prover.by("against_rows", **arguments).says.notion == "pure"  # type: ignore[union-attr]
        else:
            with pytest.raises(NoTheorem, match="keep the claim in this order"):
                prover.by("against_rows", **arguments)
    with pytest.raises(NoTheorem, match="it is not so"):
        prover.by("by_rows", claim={"notion": "pure", "epsilon": "9"})


def test_what_a_table_loses_is_not_given() -> None:
    prover = prover_of(TWO, {"notion": "pure", "epsilon": "log(2)"})
    with pytest.raises(NoTheorem, match="M0 is not given by a guarantee alone"):
        prover.by("given", i=1)
