"""Guarantees in metrics on the common domain: those of the nearest databases with the same values of the map
(GB Prop. IV.10, A.12), where they are no multiple of one metric or have a delta of their own."""

from __future__ import annotations

import json
import math
import random
import tempfile
from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations, product
from pathlib import Path

import pytest
from in_metrics import BROKEN, FOUR, METRIC
from shares import seeds

import dpcompose as dpc
from dpcompose.privacy import problems
from dpcompose.privacy.guarantees import fibres
from dpcompose.privacy.readers import guarantees

LISTED = f"format = 1\n{FOUR}"
SECOND = """[metrics.e]
table = [["a","b1","1"], ["b1","b2","1"], ["b2","c","5"], ["a","b2","1"], ["b1","c","5"], ["a","c","5"]]
"""


def judged(metrics: str, stated: str, claims: list[str], more: str = "") -> list[str]:
    """The verdicts on claims about M, which reads f."""
    mechanism = f'[[mechanisms]]\nname = "M"\nreads = {{ map = "f" }}\nguarantee = {{ {stated}, domain = "common" }}\n'
    text = LISTED + metrics + more + mechanism + "".join(f"[[claims]]\n{one}\n" for one in claims)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.toml"
        path.write_text(text)
        study, read = dpc.load(path)
    return [study.check(one).verdict for one in read]


def approximate(epsilon: str, delta: str, word: str = "metric") -> str:
    return f'notion = "approximate"\n{word} = "{epsilon}"\ndelta = "{delta}"'


def pure(metric: str, word: str = "metric") -> str:
    return f'notion = "pure"\n{word} = "{metric}"'


def test_a_delta_of_its_own() -> None:
    """2 from x to y, 3 from y to z, 6 from x to z: there 5 is not enough for this delta."""
    stated = 'notion = "approximate", metric = "s*d", delta = "q*d"'
    claims = [approximate("6*s", "6*q"), approximate("s*d", "q*d"), approximate("5*s", "5*q")]
    assert judged(METRIC, stated, claims) == ["proved", "proved", "refuted"]
    infinite = [approximate("5*s", "5*q"), approximate("5*s", "oo"), approximate("oo", "5*q")]
    assert judged(BROKEN, stated, infinite) == ["refuted", "proved", "proved"]  # x and z are oo apart


def test_a_delta_in_another_metric() -> None:
    """The least e among the pairs nearest in d: 1, 5 and 5."""
    stated = 'notion = "approximate", metric = "s*d", delta = "q*e"'
    claims = [approximate("6*s", "5*q"), approximate("6*s", "4*q"), approximate("s*d", "q*e")]
    assert judged(METRIC + SECOND, stated, claims) == ["proved", "refuted", "proved"]


def test_formulas_that_are_no_multiples() -> None:
    """min(s*d, 4) is at most 4 also where d is oo."""
    found = judged(BROKEN, 'notion = "pure", metric = "min(s*d, 4)"', [pure("4"), pure("3"), pure("8")])
    assert found == ["proved", "refuted", "proved"]
    squares = [pure("36*s"), pure("13*s"), pure("12*s"), pure("s*d**2")]  # 4 + 9 by way of y
    found = judged(METRIC, 'notion = "pure", metric = "s*d**2"', squares)
    assert found == ["proved", "proved", "refuted", "proved"]
    both = 'notion = "approximate", metric = "min(s*d, 4)", delta = "min(q*d, 1/2)"'
    claims = [approximate("4", "1/2"), approximate("4", "1/3"), approximate("6*s", "6*q")]
    assert judged(METRIC, both, claims) == ["proved", "refuted", "proved"]


def test_multiples_still_add_up_along_fibres() -> None:
    found = judged(METRIC, 'notion = "pure", metric = "s*d"', [pure("5*s"), pure("4*s")])
    assert found == ["proved", "refuted"]


def test_for_neighbours() -> None:
    """The same where claims are for the neighbours of a target: a and c, or a and b1."""
    stated = 'notion = "approximate", metric = "s*d", delta = "q*d"'
    for pair, far in ((["a", "c"], 6), (["a", "b2"], 2), (["b1", "c"], 3)):
        target = f'[granularities.g]\nneighbours = [{pair}]\n[target]\ngranularity = "g"\n'.replace("'", '"')
        claims = [
            approximate(f"{far}*s", f"{far}*q", "epsilon"),
            approximate(f"{far - 1}*s", f"{far}*q", "epsilon"),
        ]
        assert judged(METRIC, stated, claims, target) == ["proved", "refuted"]
        least = [pure("4", "epsilon"), pure("3", "epsilon")]
        stated_once = 'notion = "pure", metric = "min(s*d, 4)"'
        assert judged(BROKEN, stated_once, least, target) == ["proved", "refuted"]


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        (
            'notion = "pure", metric = "s*d + g"',
            "a formula in metrics that are all least at the same databases",
        ),
        (
            'notion = "approximate", metric = "s*d", delta = "q*(e + g)"',
            "a delta does not add up along the fibres",
        ),
    ],
)
@pytest.mark.parametrize(
    "target", ["", '[granularities.G]\nneighbours = [["a", "c"]]\n[target]\ngranularity = "G"\n']
)
def test_what_is_refused(stated: str, words: str, target: str) -> None:
    third = SECOND.replace("metrics.e", "metrics.g").replace('"b2","1"], ["b1","c"', '"b2","1/2"], ["b1","c"')
    claim = pure("3", "epsilon") if target else pure("3")
    with pytest.raises(problems.ProblemError, match=words):
        judged(METRIC + SECOND + third, stated, [claim], target)


@pytest.mark.parametrize("seed", range(20))
def test_tables_are_the_least_of_metrics(seed: int) -> None:
    """By enumeration: each of them is a metric, and the least of them is the table."""
    rng = random.Random(seed)
    points = "uvwxy"
    table = {
        pair: Fraction(rng.randint(0, 6), rng.choice([1, 2]))
        for pair in combinations(points, 2)
        if rng.random() < 0.7
    }
    some = fibres.metrics(table)

    def at(one: fibres.Table, x: str, y: str) -> float:
        return 0 if x == y else float(one.get((x, y), one.get((y, x), float("inf"))))

    for x, y, z in permutations(points, 3):
        assert all(at(one, x, z) <= at(one, x, y) + at(one, y, z) for one in some)
        assert min((at(one, x, y) for one in some), default=float("inf")) == at(table, x, y)


SMALL = """format = 1
[databases]
kind = "multisets"
records = {records}
size = "<= {size}"
[target]
granularity = "{target}"
"""


def far_apart(databases: list[tuple[str, ...]], granularity: str) -> dict[tuple[object, object], float]:
    """The fewest steps between any two databases."""

    def near(D: tuple[str, ...], E: tuple[str, ...]) -> bool:
        moved = sum(abs(D.count(x) - E.count(x)) for x in {*D, *E})
        if granularity == "free-lunch":
            return D != E
        return moved == 1 if granularity == "unbounded" else len(D) == len(E) and moved == 2

    far = {(D, E): 0.0 if D == E else 1.0 if near(D, E) else math.inf for D in databases for E in databases}
    for z, x, y in product(databases, repeat=3):
        far[x, y] = min(far[x, y], far[x, z] + far[z, y])
    return dict(far)


def on_a_small_class(seed: int) -> list[str]:
    """The verdicts for neighbours on what mechanisms lose that read some records, and on less, by enumeration: of
    all databases with the same values the nearest, then along chains of values."""
    rng = random.Random(seed)
    records, size = rng.choice(["ab", "abc"]), rng.choice([1, 2])
    target = rng.choice(["unbounded", "bounded"])
    every = [D for n in range(size + 1) for D in combinations_with_replacement(records, n)]
    text = SMALL.format(records=json.dumps(list(records)), size=size, target=target)
    lost = {pair: 0.0 for pair, far in far_apart(every, target).items() if far == 1}
    for i in range(rng.choice([1, 2])):
        granularity, c, t = rng.choice(["unbounded", "bounded", "free-lunch"]), rng.choice([1, 2]), 3
        read, far = rng.choice([records[0], records[:2]]), far_apart(every, granularity)
        d = f"d_{granularity.replace('-', '_')}"
        slow = rng.choice([True, False])
        metric = f"min({c}*{d}, {t})" if slow else f"{c}*{d} + min({d}, {t})"
        text += f'[[mechanisms]]\nname = "M{i}"\nreads = {{ records = {json.dumps(list(read))} }}\n'
        text += f'guarantee = {{ notion = "pure", metric = "{metric}", domain = "common" }}\n'
        value = {D: tuple(x for x in D if x in read) for D in every}
        least: dict[tuple[object, object], float] = {}
        for (D, E), r in far.items():
            loses, at = (min(c * r, t) if slow else c * r + min(r, t)), (value[D], value[E])  # type: ignore[index]
            least[at] = min(least.get(at, math.inf), loses)
        for z, x, y in product({*value.values()}, repeat=3):
            least[x, y] = min(least[x, y], least[x, z] + least[z, y])
        for D, E in lost:
            lost[D, E] += least[value[D], value[E]]  # type: ignore[index]
    worst = max(lost.values(), default=0.0)
    claims = ["1000"] if worst == math.inf else [f"{worst:g}", f"{worst:g} - 1/9"] if worst else ["0"]
    study, read_claims = dpc.loads(text + "".join(f"[[claims]]\n{pure(one, 'epsilon')}\n" for one in claims))
    found = [study.check(one).verdict for one in read_claims]
    assert found == (["refuted"] if worst == math.inf else ["proved", "refuted"][: len(claims)]), seed
    return found


@pytest.mark.parametrize("seed", range(2))
def test_on_small_classes_that_are_not_listed(seed: int) -> None:
    on_a_small_class(seed)


@pytest.mark.slow
def test_on_many_small_classes_that_are_not_listed() -> None:
    assert len([on_a_small_class(seed) for seed in range(2, 100)]) == 98


RECORDS = """format = 1
[databases]
kind = "multisets"
records = ["a", "b", "c"]
size = "{size}"
[granularities.p]
replace = {edges}
[maps.f]
recode = {{ a = "x", b = "x" }}
[target]
granularity = "bounded"
[[mechanisms]]
name = "M"
reads = {reads}
guarantee = {{ notion = "approximate", metric = "{metric}", delta = "{delta}", domain = "common" }}
"""


@pytest.mark.parametrize(
    ("reads", "metric", "delta", "claims"),
    [
        # where b is replaced by c, and b alone is read, one record goes: of two, two are replaced or go
        ('{ records = ["a", "b"] }', "s*d_bounded", "q*d_bounded", ["s", "q", "2*q/3"]),
        ('{ records = ["a", "b"] }', "s*d_unbounded", "q*min(d_unbounded, 2)", ["2*s", "2*q", "q"]),
        ('{ map = "f" }', "min(s*d_bounded, 2)", "q*d_bounded", ["min(s, 2)", "q", "q/2"]),
        ('{ map = "f" }', "s*d_p", "q*d_p", ["s", "q", "q/2"]),
    ],
)
@pytest.mark.parametrize("size", ["any", "<= 2", ">= 4", "= 3"])
def test_a_delta_on_classes_of_any_size(
    reads: str, metric: str, delta: str, claims: list[str], size: str
) -> None:
    """Where steps of what is read are steps of databases, these are as far apart as what is read of them."""
    if size == "= 3" and "unbounded" in metric:
        return
    said = {
        "size": size,
        "edges": '[["a", "c"], ["b", "c"]]',
        "reads": reads,
        "metric": metric,
        "delta": delta,
    }
    epsilon, right, less = claims
    written = "".join(f"[[claims]]\n{approximate(epsilon, one, 'epsilon')}\n" for one in (right, less))
    study, read = dpc.loads(RECORDS.format(**said) + written)
    assert [study.check(one).verdict for one in read] == ["proved", "refuted"]


def test_a_delta_where_steps_of_what_is_read_are_none() -> None:
    """From a no step leads to c, from b, which is read as a is, one does: a database may have to have b."""
    said = {
        "size": "any",
        "edges": '[["b", "c"]]',
        "reads": '{ map = "f" }',
        "metric": "s*d_p",
        "delta": "q*d_p",
    }
    with pytest.raises(problems.ProblemError, match="count steps of what is read as well"):
        dpc.loads(RECORDS.format(**said))


@pytest.mark.parametrize("seed", range(8))
def test_tables_of_the_nearest_say_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """On small classes: whether steps are counted or the nearest databases are looked at, claims are judged alike."""
    rng = random.Random(seed)
    far = rng.choice(["d_bounded", "d_unbounded", "d_p", "d_free_lunch"])
    said = {
        "size": rng.choice(["<= 1", "<= 2", "= 2", "1..2"]),
        "edges": rng.choice(['[["a", "c"], ["b", "c"]]', '"all"', '[["a", "b"], ["b", "c"]]']),
        "reads": rng.choice(['{ map = "f" }', '{ records = ["a", "b"] }', '{ records = ["b"] }']),
        "metric": rng.choice([f"s*{far}", f"min({far}, 2)*s", f"s*{far} + min({far}, 1)"]),
        "delta": rng.choice(["0", f"{far}/99", f"min({far}, 1)/50 + {far}/80"]),
    }
    numbers = [
        ("s", "1/40"),
        ("2*s", "1/20"),
        ("2*s + 1", "3/50"),
        ("3*s", "1/10"),
        ("0", "0"),
        ("s + 1", "1/99"),
    ]
    written = "".join(f"[[claims]]\n{approximate(*one, 'epsilon')}\n" for one in numbers)

    def verdicts() -> list[str]:
        study, read = dpc.loads(RECORDS.format(**said) + written)
        return [study.check(one).verdict for one in read]

    by_steps = verdicts()
    monkeypatch.setattr(guarantees, "lift_together", lambda *given: False)
    nearest = verdicts()
    words = zip(by_steps, nearest, strict=True)
    assert all(some == other or "undecided" in (some, other) for some, other in words), (
        said,
        by_steps,
        nearest,
    )


BAGS = """format = 1
[databases]
kind = "multisets"
records = ["u", "v", "w"]
size = "{size}"
[target]
granularity = "{target}"
[[mechanisms]]
name = "M"
reads = {{ records = [{reads}] }}
guarantee = {{ {stated}, domain = "common" }}
"""


@pytest.mark.parametrize("size", ["any", "<= 2"])
@pytest.mark.parametrize(
    ("stated", "right", "wrong"),
    [
        ('notion = "pure", metric = "a*d_unbounded + b*d_bounded"', ["2*a + b"], ["a + b"]),
        ('notion = "pure", metric = "a*d_unbounded + b*d_free_lunch"', ["a + b"], ["a + b/2"]),
        ('notion = "pure", metric = "max(a*d_unbounded, b*d_free_lunch)"', ["max(a, b)"], ["a"]),
        ('notion = "zcdp", metric = "a*d_unbounded + b*d_free_lunch"', ["(a + b)**2"], ["a**2 + b**2"]),
        ('notion = "approximate", metric = "a*d_bounded", delta = "s*d_unbounded"', ["a", "2*s"], []),
        (
            'notion = "approximate", metric = "a*d_unbounded + b*d_free_lunch", delta = "s*d_unbounded"',
            ["a + b", "s"],
            [],
        ),
    ],
)
def test_metrics_that_are_least_at_the_same_databases(
    size: str, stated: str, right: list[str], wrong: list[str]
) -> None:
    """u is replaced by another record: beside what fills up, by two steps of one kind and one of the other."""
    study, _ = dpc.loads(BAGS.format(size=size, target="bounded", reads='"u"', stated=stated))
    notion = stated.split('"')[1]
    keys = {"pure": ["epsilon"], "zcdp": ["rho"], "approximate": ["epsilon", "delta"]}[notion]
    assert study.check(**dict(zip(keys, right, strict=True))).verdict == "proved"
    if wrong:
        assert study.check(**dict(zip(keys, wrong, strict=True))).verdict == "refuted"


@seeds(4, 60)
def test_sums_of_metrics_over_fibres_by_enumeration(seed: int) -> None:
    """The least sum over databases with two values, closed by shortest paths."""
    rng = random.Random(seed)
    reads, target = rng.choice([["u"], ["u", "v"]]), rng.choice(["bounded", "unbounded"])
    parts = {name: rng.randint(1, 4) for name in rng.sample(["unbounded", "bounded", "free_lunch"], 2)}
    formula = " + ".join(f"{c}*d_{name}" for name, c in parts.items())
    sizes = ("any", 4) if rng.random() < 0.5 else ("<= 3", 3)
    names = ", ".join(f'"{x}"' for x in reads)
    stated = f'notion = "pure", metric = "{formula}"'
    study, _ = dpc.loads(BAGS.format(size=sizes[0], target=target, reads=names, stated=stated))
    bags = [bag for n in range(sizes[1] + 1) for bag in combinations_with_replacement("uvw", n)]
    value = {bag: tuple(x for x in bag if x in reads) for bag in bags}

    def differ(D: tuple[str, ...], E: tuple[str, ...]) -> tuple[int, int]:
        x, y = Counter(D), Counter(E)
        return (x - y).total(), (y - x).total()

    def far(D: tuple[str, ...], E: tuple[str, ...]) -> float:
        p, q = differ(D, E)
        each = {"unbounded": p + q, "bounded": p if p == q else math.inf, "free_lunch": min(1, p + q)}
        return sum(c * each[name] for name, c in parts.items())

    least = {pair: math.inf for pair in product(set(value.values()), repeat=2)}
    for D, E in product(bags, repeat=2):
        pair = value[D], value[E]
        least[pair] = min(least[pair], far(D, E) if pair[0] != pair[1] else 0)
    for z, x, y in product(set(value.values()), repeat=3):
        least[x, y] = min(least[x, y], least[x, z] + least[z, y])
    step = {(1, 1)} if target == "bounded" else {(0, 1), (1, 0)}
    inner = [bag for bag in bags if len(bag) < 4]
    worst = max(least[value[D], value[E]] for D, E in product(inner, repeat=2) if differ(D, E) in step)
    claims = [dpc.pure(worst), dpc.pure(worst - Fraction(1, 100))] if worst < math.inf else [dpc.pure(1000)]
    verdicts = [study.check(one).verdict for one in claims]
    assert verdicts == (["proved", "refuted"] if worst < math.inf else ["refuted"])
