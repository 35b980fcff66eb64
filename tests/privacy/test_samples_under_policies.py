"""Poisson samples of what is private under a policy in which records come, go and become others.

By hand; by enumeration of all samples, with mechanisms at random whose e^ε is a fraction; and what is refused.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import pytest
import rechecks
from forgeries import forge
from golden_results import THEORY
from second_checker import verdicts
from shares import seeds

import dpcompose as dpc
from dpcompose.kernel import saved as kernel
from dpcompose.kernel.library.theory import Theory

F = Fraction
E, HALF, DELTA = F(3), F(1, 2), F(1, 16)
RATES = (F(1, 2), F(1, 5))
NOTHING = ""
Database = tuple[str, ...]
Edges = frozenset[frozenset[str]]
SAMPLES: list[Database] = [T for n in range(4) for T in combinations_with_replacement("xyz", n)]
SMALL = [T for T in SAMPLES if len(T) <= 2]


# by enumeration


def neighbours(policy: Edges, some: list[Database]) -> list[tuple[Database, Database]]:
    def differ(D: Database, G: Database) -> frozenset[str] | None:
        gone, come = (Counter(D) - Counter(G)).elements(), (Counter(G) - Counter(D)).elements()
        left, right = [*gone] or [NOTHING], [*come] or [NOTHING]
        return frozenset([*left, *right]) if len(left) == len(right) == 1 else None

    return [(D, G) for D, G in product(some, repeat=2) if differ(D, G) in policy]


def paths(policy: Edges) -> dict[tuple[str, str], int]:
    """How many steps records, and nothing, are apart; 99 where no path leads there."""
    nodes = ["x", "y", "z", NOTHING]
    far = {
        (u, v): 0 if u == v else 1 if frozenset((u, v)) in policy else 99 for u, v in product(nodes, repeat=2)
    }
    for w, u, v in product(nodes, repeat=3):
        far[u, v] = min(far[u, v], far[u, w] + far[w, v], 99)
    return far


def lipschitz(policy: Edges, rng: random.Random) -> dict[Database, int]:
    """A whole number of each sample, which moves by at most one at each step."""
    found = {T: rng.randrange(6) for T in SAMPLES}
    around = neighbours(policy, SAMPLES)
    for _ in range(6):
        for T, U in around:
            found[T] = min(found[T], found[U] + 1)
    return found


def run(at: Mapping[Database, Fraction], s: Fraction, D: Database) -> Fraction:
    """The probability of a 1 on the sample."""
    found = F(0)
    for kept in product((0, 1), repeat=len(D)):
        T = tuple(x for x, one in zip(D, kept, strict=True) if one)
        found += s ** len(T) * (1 - s) ** (len(D) - len(T)) * at[T]
    return found


def excess(p: Fraction, q: Fraction, odds: Fraction) -> Fraction:
    return max(p - odds * q, 1 - p - odds * (1 - q), F(0))


def policy_of(seed: int) -> tuple[Edges, random.Random]:
    """All records come and go; some become each other."""
    rng = random.Random(f"policies {seed}")
    become = [one for one in map(frozenset, ("xy", "xz", "yz")) if rng.random() < 0.6]
    return frozenset([*become, *(frozenset((x, NOTHING)) for x in "xyz")]), rng


@seeds(3, 40)
def test_no_mechanism_loses_more_at_any_edge(seed: int) -> None:
    policy, rng = policy_of(seed)
    around = neighbours(policy, SMALL)
    for s, delta in product(RATES, (F(0), DELTA)):
        g, leak = lipschitz(policy, rng), {T: rng.randrange(2) for T in SAMPLES}
        c = HALF / E ** max(g.values())
        at = {T: (1 - delta) * c * E ** g[T] + delta * leak[T] for T in SAMPLES}
        assert all(excess(at[T], at[U], E) <= delta for T, U in neighbours(policy, SAMPLES))
        whole = {D: run(at, s, D) for D in SMALL}
        odds = 1 + s * (E - 1)
        assert all(excess(whole[D], whole[G], odds) <= s * delta for D, G in around)


@seeds(2, 20)
def test_one_mechanism_loses_that_at_every_edge(seed: int) -> None:
    """It counts the record that comes; and where y is two steps from x, by what is no edge, more is lost."""
    policy, _ = policy_of(seed)
    s, E2 = HALF, E**2
    for D, G in neighbours(policy, SMALL):
        (y,) = (Counter(G) - Counter(D)) or [NOTHING]
        if y != NOTHING:
            at = {T: E ** T.count(y) for T in SAMPLES}
            assert run(at, s, G) == (1 + s * (E - 1)) * run(at, s, D)
    apart = {u for u in map(frozenset, ("xy", "xz", "yz")) if u not in policy}
    for x, y in map(sorted, apart):
        at = {T: E ** (T.count(y) - T.count(x)) for T in SAMPLES}
        assert all(max(at[T] / at[U], at[U] / at[T]) <= E for T, U in neighbours(policy, SAMPLES))
        assert run(at, s, (y,)) / run(at, s, (x,)) == (1 + s * (E - 1)) / (1 - s + s / E) < E2


@seeds(3, 60)
def test_the_formula_for_records_further_from_nothing(seed: int) -> None:
    """Any policy: x and y k steps apart, and a and b from nothing. Three probabilities at random keep to it;
    φ(y) = b and φ(x) = b - k reach it; and for the nearer of both ends it is no bound."""
    rng = random.Random(f"further {seed}")
    every = [frozenset(one) for one in ("xy", "xz", "yz", ("x", ""), ("y", ""), ("z", ""))]
    far = paths(frozenset(one for one in every if rng.random() < 0.6))
    k, a, b = far["x", "y"], far["x", NOTHING], far["y", NOTHING]
    if 99 in (k, a, b):
        return
    s = rng.choice(RATES)

    def lost(b: int) -> Fraction:
        return (1 - s + s * E**b) / (1 - s + s * E ** (b - k))

    def ratio(R: Fraction, A: Fraction, B: Fraction) -> Fraction:
        return ((1 - s) * R + s * B) / ((1 - s) * R + s * A)

    assert ratio(F(1), E ** (b - k), E**b) == lost(b) and lost(b) >= lost(b - 1)
    assert abs(b - k) <= a
    for _ in range(200):
        u, v = (F(rng.randrange(-60, 61), 20) for _ in "AB")
        if abs(u) <= a and abs(v) <= b and abs(u - v) <= k:
            A, B = (F(3.0 ** float(w)) for w in (u, v))
            assert ratio(F(1), A, B) <= lost(b) * (1 + F(1, 10**9))


@pytest.mark.parametrize("s", RATES)
def test_two_parts_that_an_edge_joins_do_not_lose_all_at_once(s: Fraction) -> None:
    """x goes for the one, while y comes for the other."""
    forth, back = 1 + s * (E - 1), 1 / (1 - s + s / E)
    on_x, on_y = ({T: E ** (sign * T.count(z)) for T in SAMPLES} for z, sign in (("x", -1), ("y", 1)))
    lost = run(on_x, s, ("y",)) / run(on_x, s, ("x",)) * run(on_y, s, ("y",)) / run(on_y, s, ("x",))
    assert lost == back * forth < forth**2


# what the program says

ANY = dpc.union(dpc.unbounded, dpc.bounded)
COUNTIES = dpc.policy("counties", replace=[["x", "y"]], add_remove="all")
ON = dpc.multisets("xyz")
SAMPLED: dict[str, object] = {"poisson": "s"}
COMES = "log(s*(exp(e) - 1) + 1)"


def study(stated: Any, target: Any, *others: Any, said: Any = None, reads: Any = dpc.everything) -> dpc.Study:
    domain = None if reads is dpc.everything else "own"
    M = dpc.mechanism("M", said or dpc.pure("e", stated, domain), sampled=SAMPLED, reads=reads)
    return dpc.compose(M, *others, on=ON, target=target)


@pytest.mark.parametrize("target", [ANY, COUNTIES, dpc.bounded, dpc.unbounded])
@pytest.mark.parametrize("stated", [ANY, COUNTIES])
def test_by_hand(stated: Any, target: Any) -> None:
    """One step of the target is one of the policy, but for a record that becomes one of another county: there
    two steps are told, and what is lost lies in between."""
    asked = study(stated, target)
    two = stated is COUNTIES and target in (ANY, dpc.bounded)
    at_least = f"{COMES} - log(1 - s + s*exp(-e))" if two else COMES
    assert str(asked.guarantee().epsilon) == (f"2*{COMES}" if two else COMES)
    assert asked.guarantee().optimal is not two
    assert asked.check(dpc.pure(at_least)).verdict == ("undecided" if two else "proved")
    assert asked.check(dpc.pure(f"99/100*({at_least})")).verdict == "refuted"


@pytest.mark.parametrize(
    ("said", "claim", "smaller"),
    [
        (
            dpc.approximate("log(3)", "1/10", ANY),
            dpc.approximate("log(2)", "1/20"),
            dpc.approximate("log(2)", "1/21"),
        ),
        (dpc.zcdp("1/2", ANY), dpc.zcdp("1/2"), dpc.zcdp("2/5")),
        (dpc.gaussian(1, ANY), dpc.gaussian(1), dpc.gaussian("9/10")),
        (dpc.renyi("alpha/2", "(1, oo)", ANY), dpc.renyi("alpha/2", "(1, oo)"), None),
        (dpc.tcdp("1/2", 8, ANY), dpc.tcdp("1/2", 8), None),
    ],
)
def test_in_each_notion(said: Any, claim: Any, smaller: Any) -> None:
    M = dpc.mechanism("M", said, sampled={"poisson": "1/2"})
    asked = dpc.compose(M, on=ON, target=dpc.bounded)
    assert asked.check(claim).verdict == "proved"
    assert smaller is None or asked.check(smaller).verdict == "refuted"


def test_several_that_read_all_lose_the_sum_and_parts_are_left_open() -> None:
    other = dpc.mechanism("N", dpc.pure("f", COUNTIES), sampled={"poisson": "1/3"})
    asked, sum = study(ANY, COUNTIES, other), f"{COMES} + log(1 + (exp(f) - 1)/3)"
    assert asked.check(dpc.pure(sum)).verdict == "proved"
    assert asked.check(dpc.pure(f"99/100*({sum})")).verdict == "refuted"
    y = dpc.mechanism("N", dpc.pure("e", ANY, "own"), sampled=SAMPLED, reads=dpc.restriction(["y"]))
    parts = study(ANY, dpc.bounded, y, reads=dpc.restriction(["x"]))
    assert str(parts.guarantee().epsilon) == f"2*{COMES}" and not parts.guarantee().optimal
    assert parts.check(dpc.pure(f"{COMES} - log(1 - s + s*exp(-e))")).verdict == "undecided"  # the truth
    alone = study(ANY, dpc.bounded, reads=dpc.restriction(["x"]))
    assert alone.check(dpc.pure(COMES)).verdict == "proved"
    assert alone.check(dpc.pure(f"99/100*{COMES}")).verdict == "refuted"


def test_two_rounds_at_an_epsilon() -> None:
    """Two rounds of randomised response with e^ε = 3 on halves, where a record is replaced: it is not known
    which one makes the outputs likelier, and the curve of both orders is above those of one (.30156, .30625)."""
    rounds = [dpc.mechanism(x, dpc.pure("log(3)", ANY), sampled={"poisson": "1/2"}) for x in "MN"]
    asked = dpc.compose(*rounds, on=ON, target=dpc.bounded)
    assert asked.check(dpc.approximate("log(41/40)", "0.3251")).verdict == "proved"
    assert asked.check(dpc.approximate("log(41/40)", "0.3062")).verdict == "refuted"


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        (dpc.policy("p", replace="all", add_remove=["x"]), "may tell which kind it has"),
        (dpc.policy("p", replace="all"), "may tell how many records it has"),
        (dpc.group(2, ANY), "not for group of 2"),
        (dpc.group("m", ANY), "not for group of m"),
        (dpc.free_lunch, "not for free-lunch"),
    ],
)
def test_refused(stated: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        study(stated, ANY)


def test_guarantees_for_different_neighbours_are_refused() -> None:
    both = [dpc.pure("e", ANY), dpc.zcdp("r", COUNTIES)]
    with pytest.raises(ValueError, match="are for the same neighbours"):
        dpc.mechanism("M", both, sampled=SAMPLED)


def test_a_sample_by_another_page_is_no_derivation() -> None:
    """The formula of the policy's page holds of what is stated for it: bounded neighbours alone are none such."""
    asked = study(ANY, dpc.bounded)
    data = json.loads(json.dumps(rechecks.saved(asked, [asked.check(dpc.pure(COMES))])))
    assert rechecks.check(data, THEORY).verdicts == ("proved",)
    assert verdicts.check(data).outcome in ("ACCEPTED", "NOT READ")
    (core,) = data["core"]["mechanisms"]
    assert core["sampled"]["page"] == "poisson-sampling-under-policies"
    core["stated"]["single"] = [[1, 1]]
    with pytest.raises(kernel.Refused):
        kernel.check(data, Theory(THEORY.pages))
    assert verdicts.check(data).outcome == "REJECTED"


REPLACED = f"{COMES} - log(s*exp(-e) - s + 1)"


@pytest.mark.parametrize("target", [ANY, COUNTIES, dpc.policy("p", replace=[["x", "y"]], add_remove=["z"])])
def test_a_target_of_both_kinds_from_adding_and_removing(target: Any) -> None:
    """A replaced record loses most; nothing is known of orders of divergences, but at two steps."""
    asked = study(dpc.unbounded, target)
    assert asked.guarantee().optimal
    found = [asked.check(dpc.pure(one)) for one in (REPLACED, f"99/100*({REPLACED})")]
    assert [one.verdict for one in found] == ["proved", "refuted"]
    assert {*map(len, found[1].counterexample.pair)} == {1}  # a record in place of another
    data = json.loads(json.dumps(rechecks.saved(asked, found)))
    assert rechecks.check(data, THEORY).verdicts == ("proved", "refuted")
    assert verdicts.check(data).outcome in ("ACCEPTED", "NOT READ")


@pytest.mark.parametrize("target", [ANY, dpc.bounded])
def test_orders_are_known_by_two_steps(target: Any) -> None:
    asked = study(dpc.unbounded, target, said=dpc.renyi("alpha/2", "(1, oo)", dpc.unbounded))
    assert asked.check(dpc.renyi("2*alpha", "(1, oo)")).verdict == "proved"


@pytest.mark.parametrize("target", [ANY, COUNTIES])
def test_where_one_comes_less_is_lost_than_where_one_is_replaced(target: Any) -> None:
    """A witness of a replaced record is none at neighbours of which one has a record more."""
    asked = study(dpc.unbounded, target)
    data = json.loads(json.dumps(rechecks.saved(asked, [asked.check(dpc.pure(f"99/100*({REPLACED})"))])))
    single = [[0, 1], [1, 0]] if data["core"]["databases"]["kind"] == "records" else [[None, 0], [None, 1]]
    edits = [
        {"at": ["core", "target", "single"], "value": single},
        {"at": ["derivation", "setting"], "stamp": True},
    ]
    data = forge(data, edits)
    with pytest.raises(kernel.Refused, match="what it loses there is not known"):
        kernel.check(data, Theory(THEORY.pages))


SOME = dpc.policy("some come and go", add_remove=["x", "y"])


def loss_of(edge: tuple[str, str], stated: Any, reads: str, odds: Fraction, s: Fraction) -> Fraction | None:
    """The most that what is stated for these neighbours, and reads these records, makes the second likelier;
    None: anything."""
    u, v = (one if one in reads else NOTHING for one in edge)
    if u == v:
        return F(1)
    if stated is SOME and "z" in (u, v):
        return None
    joined = stated is ANY or (stated is COUNTIES and {u, v} == {"x", "y"})
    b, k = int(v != NOTHING), 1 if NOTHING in (u, v) or joined else 2
    return (1 - s + s * odds**b) / (1 - s + s * odds ** (b - k))


@seeds(12, 400)
def test_random_settings_against_the_formula_at_each_edge(seed: int) -> None:
    rng = random.Random(f"settings {seed}")
    replaced, come = (
        [one for one in some if rng.random() < 0.5] for some in (("xy", "xz", "yz"), ("x", "y", "z"))
    )
    if not replaced and not come:
        return
    target = dpc.policy("t", replace=[[*one] for one in replaced], add_remove=come)
    some, mechanisms = [], []
    for name in "MN"[: rng.randrange(1, 3)]:
        stated, reads = (
            rng.choice([dpc.unbounded, ANY, COUNTIES, SOME]),
            rng.choice(["xyz", "xyz", "x", "xy"]),
        )
        odds, s = F(rng.choice((2, 3, 5))), rng.choice(RATES)
        some.append((stated, reads, odds, s))
        own: dict[str, Any] = {} if reads == "xyz" else {"reads": dpc.restriction([*reads])}
        said = dpc.pure(f"log({odds})", stated, "own" if own else None)
        mechanisms.append(dpc.mechanism(name, said, sampled={"poisson": str(s)}, **own))
    asked = dpc.compose(*mechanisms, on=ON, target=target)
    edges = [(one[0], one[1]) for one in replaced] + [(NOTHING, one) for one in come]
    both = [*edges, *((y, x) for x, y in edges)]
    lost = [[loss_of(edge, *one) for one in some] for edge in both]
    if any(None in one for one in lost):
        assert asked.check(dpc.pure(1000)).verdict != "proved"
        return
    truth = max(math.prod(filter(None, one), start=F(1)) for one in lost)
    assert asked.check(dpc.pure(f"log({truth})")).verdict != "refuted"
    below = truth * F(999, 1000)
    assert below < 1 or asked.check(dpc.pure(f"log({below})")).verdict != "proved"


@pytest.mark.parametrize("alone", ['"all"', '["x", "y", "z"]'])
def test_a_policy_with_the_edges_of_unbounded_says_as_much(alone: str) -> None:
    """Every record may come and go, and none becomes another: at s = 1/2 and e^ε = 3 a replaced record loses
    log(2) − log(2/3) = log(3), and the δ at 0 is 1/3."""
    text = """format = 1
databases = { kind = "multisets", records = ["x", "y", "z"] }
granularities = { P = { add-remove = ALONE } }
target = { granularity = "bounded" }
[[mechanisms]]
name = "M"
sampled = { poisson = "1/2" }
guarantee = { notion = "pure", epsilon = "log(3)", granularity = "P" }
"""
    study, _ = dpc.loads(text.replace("ALONE", alone))
    claims = [
        dpc.pure("log(3)"),
        dpc.pure("log(2.99)"),
        dpc.approximate(0, "0.334"),
        dpc.approximate(0, "0.332"),
    ]
    assert [study.check(claim).verdict for claim in claims] == ["proved", "refuted"] * 2


@pytest.mark.parametrize("domain", ["own", "common"])
def test_of_records_that_only_come_and_go_it_does_not_matter_which(domain: str) -> None:
    """At s = 1/2 and e^ε = 3: log(2) at x, which may come and go; what a sample tells of z is alike in both."""
    M = dpc.mechanism("M", dpc.pure("log(3)", SOME), sampled={"poisson": "1/2"})
    N = dpc.mechanism(
        "N",
        dpc.approximate("log(3)", "1/8", SOME, domain),
        dpc.restriction(["x", "z"]),
        sampled={"poisson": "1/2"},
    )
    alone, part = (dpc.compose(one, on=ON, target=SOME) for one in (M, N))
    assert [alone.check(dpc.pure(one)).verdict for one in ("log(2)", "log(1.99)")] == ["proved", "refuted"]
    both = [dpc.approximate("log(2)", delta) for delta in ("1/16", "1/17")]
    assert [part.check(one).verdict for one in both] == ["proved", "refuted"]
    wide = dpc.compose(M, on=ON, target=dpc.unbounded)
    assert wide.check(dpc.pure(1000)).verdict != "proved"  # z may be told from nothing
