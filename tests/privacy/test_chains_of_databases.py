"""(d, δ)-privacy on the common domain where d^f is no metric: chains of databases, and tables that break claims."""

from __future__ import annotations

import json
import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import pytest
from in_metrics import BROKEN, FOUR, METRIC, THEORY, forged
from shares import seeds

import dpcompose as dpc
from dpcompose.front.studies import recheck
from dpcompose.kernel.check import Refused
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.theorems import NoTheorem, Prover
from dpcompose.privacy import problems
from dpcompose.proof.theory import registry
from dpcompose.search.proofs import Proofs

ENDS = '[granularities.g]\nneighbours = [["a", "c"]]\n[target]\ngranularity = "g"\n'
READS_F = 'reads = { map = "f" }\n'


def mechanism(metric: str, delta: str = "", notion: str = "approximate", reads: str = READS_F) -> str:
    more = (f', delta = "{delta}"' if delta else "") + (', domain = "common"' if reads else "")
    stated = f'guarantee = {{ notion = "{notion}", metric = "{metric}"{more} }}\n'
    return f'[[mechanisms]]\nname = "M"\n{reads}{stated}'


def claims(word: str, *some: tuple[str, str]) -> str:
    return "".join(
        f'[[claims]]\nnotion = "approximate"\n{word} = "{epsilon}"\ndelta = "{delta}"\n'
        for epsilon, delta in some
    )


def of_one(word: str, notion: str, *some: str) -> str:
    return "".join(f'[[claims]]\nnotion = "{notion}"\n{word} = "{value}"\n' for value in some)


def verdicts(text: str) -> list[str]:
    """The verdicts on the claims of a problem file without its first line."""
    study, read = dpc.loads("format = 1\n" + text)
    return [study.check(claim).verdict for claim in read]


# by hand


@pytest.mark.parametrize(("target", "word"), [("", "metric"), (ENDS, "epsilon")])
@pytest.mark.parametrize("table", [METRIC, BROKEN])
def test_from_one_end_to_the_other(target: str, word: str, table: str) -> None:
    """(2, 2/100) and then (3, 3/100) are (5, 2/100 + 3/100·e²), in the other order (5, 3/100 + 2/100·e³), which is
    0.43171..., and nothing smaller is; at 6, as is stated of the ends where they have a distance, 6/100 is enough."""
    text = FOUR + table + target + mechanism("d", "d/100")
    some = [("5", "0.4318"), ("5", "0.4317"), ("49/10", "0.4318"), ("oo", "oo"), ("6", "0.06")]
    last = "proved" if table == METRIC else "refuted"
    assert verdicts(text + claims(word, *some)) == ["proved", "refuted", "refuted", "proved", last]


def test_with_letters() -> None:
    text = FOUR + METRIC + ENDS + mechanism("s*d", "q*d")
    right = ("5*s", "max(3*q + 2*q*exp(3*s), 2*q + 3*q*exp(2*s))")
    wrong = [("5*s", "2*q + 3*q*exp(2*s)"), ("5*s", "6*q"), ("6*s", "5*q")]
    assert verdicts(text + claims("epsilon", right, *wrong)) == ["proved", *["refuted"] * 3]


def test_what_does_not_depend_on_the_map_has_no_way_round() -> None:
    """The hypothesis broken: M may tell b1 from b2, so that both ways lead over 2 + 1 + 3, no shorter than 6."""
    text = FOUR + METRIC + ENDS + mechanism("d", "d/100", reads="")
    assert verdicts(text + claims("epsilon", ("6", "6/100"), ("5", "0.4318"))) == ["proved", "refuted"]


@pytest.mark.parametrize(("notion", "square"), [("pure", False), ("gaussian", False), ("zcdp", True)])
def test_sums_along_chains(notion: str, square: bool) -> None:
    """min(d, 4) is 2 + 3 and not oo, and at most 4; d² is 4 + 9 and not 36."""
    word = {"pure": "epsilon", "gaussian": "mu", "zcdp": "rho"}[notion]
    right = "169" if square else "13"
    text = FOUR + METRIC + ENDS + mechanism("d**2", notion=notion) + of_one(word, notion, right)
    assert verdicts(text) == ["proved"]
    least = FOUR + BROKEN + mechanism("min(s*d, 4)", notion=notion)
    assert (
        verdicts(least + of_one("metric", notion, "min(5*s, 4)", "min(2*s, 4) + min(3*s, 4)"))
        == ["proved"] * 2
    )
    if notion == "pure":
        assert verdicts(text + of_one(word, notion, "129/10")) == ["proved", "refuted"]
        assert verdicts(least + of_one("metric", notion, "min(49/10*s, 4)")) == ["refuted"]


def test_two_mechanisms_each_on_its_way() -> None:
    """M goes by y, N, of which everything is known, stays: 5 + 1, and 0.43171... + 1/10."""
    other = '[metrics.e]\ntable = [["a", "c", "1"]]\n'
    text = FOUR + METRIC + other + ENDS + mechanism("d", "d/100")
    text += (
        '[[mechanisms]]\nname = "N"\nguarantee = { notion = "approximate", metric = "e", delta = "e/10" }\n'
    )
    assert verdicts(text + claims("epsilon", ("6", "0.5318"), ("6", "0.35"))) == ["proved", "refuted"]


# what is promised at others than the nearest

PAIRS = """[databases]
kind = "listed"
elements = ["a1", "a2", "b1", "b2"]
[maps.f]
table = { a1 = "x", a2 = "x", b1 = "y", b2 = "y" }
[metrics.d]
table = [["a1","b1","2"], ["a2","b2","3"], ["a1","a2","1"], ["b1","b2","1"], ["a1","b2","3"], ["a2","b1","3"]]
[metrics.e]
table = [["a1","b1","5"], ["a2","b2","0"], ["a1","a2","5"], ["b1","b2","5"], ["a1","b2","5"], ["a2","b1","5"]]
[granularities.g]
neighbours = [["a1", "b1"]]
"""


def test_others_than_the_nearest_promise_more() -> None:
    """(2, 5/100) at the nearest; but at a2 and b2, of which the same is read, (3, 0).  The second was refuted."""
    text = PAIRS + mechanism("d", "e/100")
    some = [("2", "5/100"), ("3", "0"), ("100", "4/100"), ("2", "4/100"), ("29/10", "0")]
    assert verdicts(text + claims("metric", *some)) == ["proved"] * 3 + ["refuted"] * 2
    text = PAIRS + '[target]\ngranularity = "g"\n' + mechanism("d", "e/100")
    assert verdicts(text + claims("epsilon", *some)) == ["proved", *["undecided"] * 4]


def test_what_falls_as_distances_grow() -> None:
    """Nearer databases promise 2, others 1."""
    text = PAIRS + mechanism("min(d, max(0, 4 - d))", notion="pure")
    assert verdicts(text + of_one("metric", "pure", "2", "1", "9/10")) == ["proved", "proved", "refuted"]
    text = PAIRS + mechanism("d", "max(0, 3 - d)*min(d, 1)/10")
    assert verdicts(text + claims("metric", ("2", "1/10"), ("3", "0"), ("2", "0"))) == ["proved"] * 2 + [
        "refuted"
    ]


# saved


def steps_of(data: Any, rule: str) -> list[int]:
    """The places of the steps by a rule."""
    return [n for n, step in enumerate(data["derivation"]["steps"]) if step["rule"] == rule]


@pytest.mark.parametrize("target", ["", ENDS])
def test_forged(target: str, tmp_path: Path) -> None:
    """Chains that do not lead from the one to the other, or lead nowhere, and tables that are not as stated."""
    word = "epsilon" if target else "metric"
    text = "format = 1\n" + FOUR + METRIC + target + mechanism("d", "d/100")
    study, read = dpc.loads(text + claims(word, ("5", "0.4318"), ("5", "0.4317")))
    results = [study.check(claim) for claim in read]
    study.save(tmp_path / "saved.json", results)
    data = json.loads((tmp_path / "saved.json").read_text(encoding="utf-8"))
    again = recheck.outcome(data, THEORY)
    assert again.verdicts == ("proved", "refuted") and {"chains", "rows"} <= {*again.pages}
    ((proved,), (refuted,)) = (steps_of(data, rule) for rule in ("along", "against_rows"))
    steps = ["derivation", "steps"]
    chains = data["derivation"]["steps"][proved]["chains"]
    assert {tuple(chain) for chain in chains} == {(1, 0, 1, 3), (1, 3, 1, 0)} or len(chains) == 2
    wrong: list[tuple[list[Any], Any]] = [
        ([*steps, proved, "chains"], []),
        ([*steps, proved, "chains"], chains[:1]),
        ([*steps, proved, "chains"], [[1, 0, 1], [1, 3, 1, 0]]),
        ([*steps, proved, "chains"], [*chains, [1, 0, 1, 3]]),
        ([*steps, proved, "chains"], [[2, 0, 1, 3], [2, 3, 1, 0]]),
        ([*steps, proved, "chains"], [[1, 0, 7, 3], [1, 3, 1, 0]]),
        ([*steps, proved, "chains"], [[1, 0, -3, 3], [1, 3, 1, 0]]),
        ([*steps, proved, "chains"], [[1, 0, True, 3], [1, 3, 1, 0]]),
        ([*steps, proved, "claim", "delta"], "4317/10000"),
        ([*steps, proved, "certificates"], []),
        ([*steps, refuted, "databases"], [0, 3]),
        ([*steps, refuted, "databases"], [3, 3]),
        ([*steps, refuted, "claim", "delta"], "4318/10000"),
        ([*steps, refuted, "tables"], {}),
        ([*steps, refuted, "tables"], {"1": [["1/2", "1/2"]] * 4}),
        ([*steps, refuted, "tables"], {"1": [["1", "0"], ["1", "0"], ["1", "0"], ["1/2", "1/2"]]}),
        ([*steps, refuted, "tables"], {"1": [["1", "0"], ["97/100", "3/100"], ["1", "0"], ["1/2", "1/2"]]}),
        ([*steps, refuted, "tables"], {"1": [["1", "0"]] * 3}),
        ([*steps, refuted, "tables"], {"1": [["2", "-1"]] * 3 + [["1", "0"]]}),
        ([*steps, refuted, "tables"], {"2": data["derivation"]["steps"][refuted]["tables"]["1"]}),
        ([*steps, refuted, "tables"], None),
    ]
    for place, value in wrong:
        with pytest.raises(Refused):
            recheck.outcome(forged(data, place, value), THEORY)


@pytest.mark.parametrize(
    ("databases", "more"),
    [
        ('kind = "multisets"\nrecords = ["a", "b"]', 'granularity = "bounded"'),
        ('kind = "sets"\nrecords = ["a", "b"]\nsize = ">= 1"', 'granularity = "unbounded"'),
        ('kind = "tuples"\nrecords = ["a", "b"]\nsize = "= 2"', 'granularity = "bounded"'),
    ],
)
def test_only_listed_databases_have_chains_here(databases: str, more: str) -> None:
    """Of others no pair is gone through, and so nothing is shown of any."""
    granularity = more.split('"')[1]
    text = f'format = 1\n[databases]\n{databases}\n[target]\n{more}\n[[mechanisms]]\nname = "M"\n'
    text += f'guarantee = {{ notion = "pure", epsilon = "1", granularity = "{granularity}" }}\n'
    prover = prover_of(text)
    composed = prover.by("compose", prover.by("given", i=1))
    claim = {"notion": "pure", "epsilon": "0"}
    with pytest.raises(NoTheorem, match="not listed"):
        prover.by("along", composed, claim=claim, chains=[], certificates=[])
    tables = {"1": [["1/2", "1/2"]]}
    with pytest.raises(NoTheorem, match="not listed"):
        prover.by("against_rows", claim=claim, point={}, databases=[0, 1], tables=tables)


def prover_of(text: str) -> Prover:
    """What makes theorems about the core setting of a problem file."""
    theory = Theory(registry.standard().pages)
    return Prover(Proofs(problems.read_data(tomllib.loads(text)).setting, theory).elaborated.core, theory)


# at random, by the vertices of what is allowed

Plane = tuple[tuple[Fraction, ...], Fraction]


def solved(rows: Sequence[Plane]) -> tuple[Fraction, ...] | None:
    """Where three planes meet, by elimination; None where that is no point."""
    made = [[*left, right] for left, right in rows]
    for n in range(3):
        pivot = next((row for row in made[n:] if row[n] != 0), None)
        if pivot is None:
            return None
        made.remove(pivot)
        pivot = [x / pivot[n] for x in pivot]
        made = [[x - row[n] * y for x, y in zip(row, pivot, strict=True)] for row in made]
        made.insert(n, pivot)
    return tuple(row[3] for row in made)


def vertices(planes: Sequence[Plane]) -> Iterator[tuple[Fraction, ...]]:
    """The vertices of the set of all p with left·p <= right."""
    every = list(dict.fromkeys(planes))
    for three in combinations(every, 3):
        p = solved(three)
        if p is not None and all(
            sum(x * y for x, y in zip(left, p, strict=True)) <= right for left, right in every
        ):
            yield p


def allowed(promised: Mapping[tuple[int, int], set[tuple[int, Fraction]]]) -> list[tuple[Fraction, ...]]:
    """The extreme probabilities of an outcome at three values: P <= 2^k·Q + δ, of the outcome and of the other one."""
    planes: list[Plane] = []
    for n in range(3):
        e = tuple(Fraction(n == m) for m in range(3))
        planes += [(e, Fraction(1)), (tuple(-x for x in e), Fraction(0))]
    for (x, y), some in promised.items():
        for k, delta in some:
            row = tuple(Fraction(n == x) - 2**k * Fraction(n == y) for n in range(3))
            planes += [(row, delta), (tuple(-v for v in row), delta + 2**k - 1)]
    return [*vertices(planes)]


def shortest(points: Sequence[int], rng: random.Random, most: int) -> dict[tuple[int, int], int | None]:
    """A metric, by shortest paths between points some of which are joined."""
    far: dict[tuple[int, int], int | None] = {
        (x, y): 0 if x == y else None for x, y in product(points, repeat=2)
    }
    for x, y in combinations(points, 2):
        if rng.random() < 0.6:
            far[x, y] = far[y, x] = rng.randint(0 if most < 3 else 1, most)
    for z, x, y in product(points, repeat=3):
        first, second, known = far[x, z], far[z, y], far[x, y]
        if first is not None and second is not None and (known is None or first + second < known):
            far[x, y] = first + second
    return far


def table(name: str, far: Mapping[tuple[int, int], int | None]) -> str:
    rows = [[f"v{x}", f"v{y}", str(r)] for (x, y), r in far.items() if x < y and r is not None]
    return f"[metrics.{name}]\ntable = {json.dumps(rows)}\n"


def judged_at_random(seed: int) -> tuple[int, int]:
    """How many claims were decided, of how many; the truth is the largest excess over all vertices."""
    rng = random.Random(seed)
    count = rng.choice([3, 4, 5])
    value = [0, 1, 2] + [rng.randrange(3) for _ in range(count - 3)]
    d, e = shortest(range(count), rng, 3), shortest(range(count), rng, 2)
    own = rng.random() < 0.5
    delta = "d/20" if own else "e/20"
    promised: dict[tuple[int, int], set[tuple[int, Fraction]]] = {}
    for (x, y), r in d.items():
        other = r if own else e[x, y]
        if value[x] != value[y] and r is not None and other is not None:
            promised.setdefault((value[x], value[y]), set()).add((r, Fraction(other, 20)))
    extreme = allowed(promised)
    pair = rng.sample(range(3), 2)
    neighbours = rng.random() < 0.5
    asked = [pair, pair[::-1]] if neighbours else [*permutations(range(3), 2)]
    k = rng.randint(0, 6)
    truth = max(p[x] - 2**k * p[y] for p in extreme for x, y in asked)
    some = [truth, truth + Fraction(1, 50), truth - Fraction(1, 50), truth * Fraction(9, 10)]
    some = [x for x in some if 0 <= x < 1]
    text = 'format = 1\n[databases]\nkind = "listed"\n'
    text += f"elements = {json.dumps([f'v{n}' for n in range(count)])}\n[maps.f]\ntable = {{ "
    text += ", ".join(f'v{n} = "w{v}"' for n, v in enumerate(value)) + " }\n" + table("d", d) + table("e", e)
    if neighbours:
        text += f'[granularities.g]\nneighbours = {json.dumps([[f"v{x}" for x in pair]])}\n[target]\ngranularity = "g"\n'
    text += mechanism("log(2)*d", delta)
    word = "epsilon" if neighbours else "metric"
    study, read = dpc.loads(text + claims(word, *((f"{k}*log(2)", str(x)) for x in some)))
    for x, claim in zip(some, read, strict=True):
        verdict = study.check(claim).verdict
        assert verdict != ("refuted" if x >= truth else "proved"), (seed, str(truth), str(x), verdict)
    return sum(study.check(claim).verdict != "undecided" for claim in read), len(read)


@seeds(12, 300)
def test_claims_at_random(seed: int) -> None:
    judged_at_random(seed)
