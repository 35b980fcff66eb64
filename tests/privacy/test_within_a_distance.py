"""Claims for all pairs within a distance: values by hand, what is said of wrong ones, and samples of directions."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from in_metrics import THEORY, claimed, saved, stated, steps, study, verdicts

import dpcompose as dpc
from dpcompose.front.printers import render
from dpcompose.front.studies.recheck import outcome
from dpcompose.kernel.check import Refused
from dpcompose.privacy.problems import ProblemError

PLANE = '[databases]\nkind = "points"\ncoordinates = ["x", "y"]\n'
NORMS = '[metrics.L1]\nnorm = "L1"\n[metrics.L2]\nnorm = "L2"\n[metrics.Linf]\nnorm = "Linf"\n'


def near(metric: str, radius: str) -> str:
    return f'[target]\nmetric = "{metric}"\nwithin = "{radius}"\n'


def number(notion: str = "pure", **values: str) -> str:
    return f'[[claims]]\nnotion = "{notion}"\n' + "".join(f'{key} = "{x}"\n' for key, x in values.items())


@pytest.mark.parametrize(
    ("target", "metric", "claim", "verdict"),
    [
        ("L2", "e*L2", "e*r", "proved"),
        ("L2", "e*L1", "sqrt(2)*e*r", "proved"),  # |x| + |y| <= sqrt(2), at (1, 1)/sqrt(2)
        ("L2", "e*L1", "7*e*r/5", "refuted"),
        ("Linf", "e*L1", "2*e*r", "proved"),
        ("Linf", "e*L1", "1.99*e*r", "refuted"),
        ("L1", "e*L2", "e*r", "proved"),
        ("L1", "e*L2", "0.999*e*r", "refuted"),
        ("L2", "min(e*L2, w)", "w", "proved"),  # far away it loses w at most
        ("L2", "min(e*L2, w)", "min(e*r, w)", "proved"),
        ("L2", "min(e*L2, w)", "e*r/2", "refuted"),
        ("L2", "e*L2", "e", "refuted"),  # r may be above 1
    ],
)
def test_a_number_by_hand(target: str, metric: str, claim: str, verdict: str) -> None:
    text = PLANE + NORMS + near(target, "r") + stated(metric) + number(epsilon=claim)
    assert verdicts(text) == [verdict]


def test_every_notion() -> None:
    """Two releases in L2 with weights a and b: their sum, the root of the sum of squares, and that squared."""
    for notion, key, value, less in (
        ("zcdp", "rho", "(a**2 + b**2)*r**2", "a**2*r**2 + b**2*r**2/2"),
        ("gaussian", "mu", "sqrt(a**2 + b**2)*r", "max(a, b)*r"),
    ):
        both = stated("a*L2", notion) + stated("b*L2", notion, "N")
        text = PLANE + NORMS + near("L2", "r") + both
        claims = number(notion, **{key: value}) + number(notion, **{key: less})
        assert verdicts(text + claims) == ["proved", "refuted"], notion


def test_epsilon_and_delta_of_pairs_within_a_distance() -> None:
    """r^2/(2 s^2) + 2 sqrt(r^2/(2 s^2) ln 1000) is that of normal noise that is moved by r at most."""
    noise = '[[mechanisms]]\nname = "N"\nreads = "f"\nnoise = { gaussian = "s" }\n'
    given = PLANE + NORMS + '[maps.f]\nvalues = ["x", "y"]\n' + near("L2", "r") + noise
    enough = "r**2/(2*s**2) + 2*sqrt(r**2/(2*s**2)*log(1000))"
    both = [number("approximate", epsilon=x, delta="1/1000") for x in (enough, "r/(10*s)")]
    assert verdicts(given + "".join(both)) == ["proved", "refuted"]
    own = stated("e*L2", "approximate", delta="d*L2") + '[parameters]\nd = "positive"\n'
    shares = [number("approximate", epsilon="e*r", delta=x) for x in ("d*r", "d*r/2")]
    assert verdicts(PLANE + NORMS + near("L2", "r") + own + shares[0]) == ["proved"]


def test_a_claim_in_a_metric_is_about_any_two() -> None:
    given = PLANE + NORMS + near("L2", "1") + stated("e*L2")
    made, (first, second) = study(given + number(epsilon="e") + claimed("e"))
    assert (first.verdict, second.verdict) == ("proved", "refuted")
    assert made.together() == "epsilon = e where L2 is at most 1"
    assert made.judge.more_data() == {
        "neighbours": {"guarantee": {"notion": "pure", "epsilon": "e"}, "optimal": None}
    }


def test_what_refutes_is_near() -> None:
    _, (answer,) = study(PLANE + NORMS + near("L2", "3/2") + stated("e*L1") + number(epsilon="2*e"))
    D, E = answer.counterexample.pair
    far = math.hypot(*(float(eval_fraction(E[x])) - float(eval_fraction(D[x])) for x in "xy"))
    assert 1.4 < far <= 1.5
    assert "epsilon = 3*e*sqrt(2)/2 where L2 is at most 3/2" in render.verdict(1, answer)


def eval_fraction(text: str) -> float:
    top, _, below = text.partition("/")
    return int(top) / int(below or 1)


def test_tables_and_records() -> None:
    table = '[databases]\nkind = "listed"\nelements = ["a", "b", "c"]\n[metrics.d]\ntable = [["a", "b", "2"], ["b", "c", "1"], ["a", "c", "3"]]\n'
    claims = number(epsilon="2*e") + number(epsilon="3*e/2")
    assert verdicts(table + near("d", "2") + stated("e*d") + claims) == ["proved", "refuted"]
    people = '[databases]\nkind = "multisets"\nrecords = ["a", "b"]\n' + near("d_bounded", "3")
    claims = number(epsilon="6*e") + number(epsilon="5*e")
    assert verdicts(people + stated("e*d_unbounded") + claims) == ["proved", "refuted"]


@pytest.mark.parametrize(
    ("metric", "within", "claim", "verdict"),
    [
        ("d_unbounded", "2", "2*max(e[i], i, 1, k)", "proved"),  # two records of one part
        ("d_unbounded", "5/2", "top(2, e[i], i, 1, k)", "refuted"),
        ("d_unbounded", "r", "r*max(e[i], i, 1, k)", "proved"),
        ("d_bounded", "2", "2*top(2, e[i], i, 1, k)", "refuted"),  # both take another one's place in it
        ("d_bounded", "1", "2*max(e[i], i, 1, k)", "proved"),
    ],
)
def test_steps_between_databases_are_groups_of_these(
    metric: str, within: str, claim: str, verdict: str
) -> None:
    """Within m steps beside a partition: distances without a whole number of steps are left as they are."""
    given = (
        'format = 1\n[parameters]\nk = "integer >= 3"\nr = "integer >= 1"\n[databases]\nkind = "multisets"\n'
        '[partitions.P]\nkind = "record-wise"\nparts = "k"\n[[mechanisms]]\nname = "M"\nindex = "i"\n'
        'count = "k"\nreads = { part = "i", of = "P" }\nguarantee = { notion = "pure", epsilon = "e[i]", '
        'granularity = "unbounded", domain = "own" }\n'
    )
    made, (said,) = dpc.loads(given + near(metric, within) + number(epsilon=claim))
    assert made.check(said).verdict == verdict


def test_steps_of_a_policy() -> None:
    """Two people move within their counties: in one of them, or one in each."""
    people = '[databases]\nkind = "multisets"\nrecords = ["a1", "a2", "b1", "b2"]\n[granularities.county]\n'
    people = "format = 1\n" + people + 'replace = { within = [["a1", "a2"], ["b1", "b2"]] }\n'
    for x in "ab":
        people += (
            f'[[mechanisms]]\nname = "{x}"\nreads = {{ records = ["{x}1", "{x}2"] }}\nguarantee = {{ notion = '
            f'"pure", epsilon = "{x}", granularity = "county", domain = "common" }}\n'
        )
    claims = number(epsilon="2*max(a, b)") + number(epsilon="a + b")
    made, both = dpc.loads(people + near("d_county", "2") + claims)
    assert [made.check(said).verdict for said in both] == ["proved", "refuted"]


def test_no_pairs_but_equal_ones() -> None:
    """Within 0 are equal points: nothing is lost, and no point refutes that."""
    found = verdicts(PLANE + NORMS + near("L2", "0") + stated("e*L1") + number(epsilon="e"))
    assert found[0] != "refuted"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ('within = "1"', "the target is a metric, or the neighbours of a granularity"),
        ('granularity = "bounded"\nwithin = "1"', "databases are neighbours within a distance in a metric"),
        ('metric = "L2"\nwithin = "-1"', "this is not known to be >= 0 for all allowed values"),
        ('metric = "L2"\nwithin = "L1"', "L1 is a metric, and has no value here"),
        ('metric = "L3"\nwithin = "1"', "unknown name 'L3'"),
    ],
)
def test_what_is_said_of_wrong_targets(target: str, said: str) -> None:
    with pytest.raises(ProblemError, match=r"target") as error:
        study(PLANE + NORMS + f"[target]\n{target}\n" + stated("e*L2") + number(epsilon="e"))
    assert said in str(error.value)


def test_in_python() -> None:
    metrics = {"L1": dpc.norm("L1"), "L2": dpc.norm("L2")}
    made = dpc.metric_study(
        {"M": "e*L1"}, on=dpc.points("x y"), target=dpc.within("r", "L2"), metrics=metrics
    )
    assert made.check(dpc.pure("sqrt(2)*e*r")) and not made.check(dpc.pure("7*e*r/5"))
    again, _ = dpc.loads(made.to_toml())
    assert again.together() == made.together() == "epsilon = e*r*sqrt(2) where L2 is at most r"


# forged derivations

FORGED = PLANE + NORMS + near("L2", "r") + stated("e*L1", "zcdp") + number("zcdp", rho="2*e**2*r**2")


@pytest.mark.parametrize("name", ["times", "power", "not negative", "radius", "within", "apart"])
def test_forged_derivations_are_refused(name: str, tmp_path: Path) -> None:
    data = saved(FORGED, tmp_path)
    (step,) = steps(data, "everywhere")
    ((n, proof),) = [(n, x) for n, x in enumerate(step["certificates"]["rho"]) if x and "times" in x]
    assert recheck_of(data)
    wrong: dict[str, Any] = {
        "times": {**proof, "times": "-2*e**2"},
        "power": {**proof, "power": 0},
        "not negative": {key: x for key, x in proof.items() if key != "not negative"},
        "radius": {"radius": proof["rest"]},
    }
    if name in wrong:
        step["certificates"]["rho"][n] = wrong[name]
    beyond = data["core"]["distances"]["d__beyond"]
    beyond |= {"within": {"within": "2*r"}, "apart": {"apart": True}}.get(name, {})
    with pytest.raises(Refused):
        recheck_of(data)


def recheck_of(data: Any) -> Any:
    return outcome(json.loads(json.dumps(data)), THEORY)


# against the directions in which two points may differ


def lengths(v: tuple[float, float]) -> dict[str, float]:
    x, y = map(abs, v)
    return {"L1": x + y, "L2": math.hypot(x, y), "Linf": max(x, y)}


def largest(target: str, weights: dict[str, float], notion: str) -> float:
    """What two points within 1 lose at most: the largest in many directions, and at corners of norms."""
    found = 0.0
    for n in range(720):
        v = lengths((math.cos(math.pi * n / 720), math.sin(math.pi * n / 720)))
        far = {name: x / v[target] for name, x in v.items()}
        lost = [w * far[name] for name, w in weights.items()]
        found = max(found, sum(lost) if notion == "pure" else math.sqrt(sum(x * x for x in lost)))
    return found


def attack(seed: int) -> None:
    drawn = random.Random(seed)
    notion, key = drawn.choice([("pure", "epsilon"), ("gaussian", "mu"), ("zcdp", "rho")])
    target = drawn.choice(["L1", "L2", "Linf"])
    weights = {name: float(drawn.randint(1, 5)) for name in drawn.sample(["L1", "L2", "Linf"], 2)}
    most = largest(target, weights, notion)
    given = "".join(stated(f"{int(w)}*{name}", notion, f"M_{name}") for name, w in weights.items())
    sizes = [most * 1.02, most * 0.97]
    if notion == "zcdp":
        sizes = [x * x for x in sizes]
    claims = "".join(number(notion, **{key: f"{x * r:.4f}"}) for x in sizes for r in (1,))
    found = verdicts(PLANE + NORMS + near(target, "1") + given + claims)
    assert found[0] != "refuted" and found[1] == "refuted", (seed, notion, target, weights, found)


def test_some_against_directions() -> None:
    for seed in range(1):
        attack(seed)


@pytest.mark.slow
def test_many_against_directions() -> None:
    for seed in range(1, 201):
        attack(seed)


# against all pairs of a list


def listed(drawn: random.Random, points: str) -> dict[tuple[str, str], int]:
    """The metric of shortest paths of random lengths."""
    far = {(x, y): drawn.randint(1, 6) for x in points for y in points if x < y}
    both = {**far, **{(y, x): n for (x, y), n in far.items()}, **{(x, x): 0 for x in points}}
    for z in points:
        both |= {(x, y): min(n, both[x, z] + both[z, y]) for (x, y), n in both.items()}
    return both


def enumerated(seed: int) -> None:
    drawn, points = random.Random(seed), "abcd"
    tables = {name: listed(drawn, points) for name in ("near", "first", "second")}
    text = f'[databases]\nkind = "listed"\nelements = {list(points)}\n'.replace("'", '"')
    for name, table in tables.items():
        rows = [f'["{x}", "{y}", "{n}"]' for (x, y), n in table.items() if x < y]
        text += f"[metrics.{name}]\ntable = [{', '.join(rows)}]\n"
    a, b, radius = drawn.randint(1, 3), drawn.randint(1, 3), drawn.randint(1, 6)
    close = [pair for pair, n in tables["near"].items() if 0 < n <= radius]
    notion, key = drawn.choice([("pure", "epsilon"), ("zcdp", "rho")])
    power = 2 if notion == "zcdp" else 1
    most = max((a * tables["first"][p] ** power + b * tables["second"][p] ** power for p in close), default=0)
    weights = [f"sqrt({x})" if power == 2 else str(x) for x in (a, b)]
    text += stated(f"{weights[0]}*first", notion) + stated(f"{weights[1]}*second", notion, "N")
    claims = [number(notion, **{key: x}) for x in (f"{most}", f"{most}.5", f"{most} - 1/2") if most]
    found = verdicts(text + near("near", str(radius)) + "".join(claims))
    assert found == (["proved", "proved", "refuted"] if most else []), (seed, found, most)


def test_all_pairs_of_a_list() -> None:
    for seed in range(4):
        enumerated(seed)


@pytest.mark.slow
def test_all_pairs_of_many_lists() -> None:
    for seed in range(4, 304):
        enumerated(seed)
