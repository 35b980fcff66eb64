"""Claims for the neighbours of one part of a product, and for groups of any number of steps, beside metrics."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from typing import Any

import pytest
from in_metrics import claimed, claimed_for_neighbours, saved, stated, study, verdicts

import dpcompose as dpc
from dpcompose.privacy.problems import ProblemError

PLACE = '[databases.parts.home]\nkind = "points"\ncoordinates = ["x", "y"]\ndisc = "w"\n'
PARTS = '[databases]\nkind = "product"\n[databases.parts.S]\nkind = "multisets"\n[databases.parts.T]\nkind = "multisets"\n'
METRICS = (
    '[metrics.s]\ngranularity = "unbounded"\nof = "S"\n[metrics.t]\ngranularity = "unbounded"\nof = "T"\n'
    '[metrics.far]\nnorm = "L2"\nof = "home"\n'
)
GIVEN = PARTS + PLACE + METRICS + stated("e*s + f*t + g*far")


def target(granularity: str, of: str) -> str:
    return f'[target]\ngranularity = "{granularity}"\nof = "{of}"\n'


@pytest.mark.parametrize(
    ("granularity", "of", "epsilon", "verdict"),
    [
        ("unbounded", "S", "e", "proved"),  # the other parts are equal
        ("unbounded", "S", "e/2", "refuted"),
        ("unbounded", "T", "f", "proved"),
        ("unbounded", "T", "e", "refuted"),
        ("bounded", "S", "2*e", "proved"),
        ("bounded", "S", "3/2*e", "refuted"),
        ("free-lunch", "home", "g*w", "proved"),
        ("free-lunch", "home", "g*w/2", "refuted"),
        ("free-lunch", "S", "e", "refuted"),
    ],
)
def test_by_hand(granularity: str, of: str, epsilon: str, verdict: str) -> None:
    claims = claimed_for_neighbours(epsilon=epsilon)
    assert verdicts(GIVEN + target(granularity, of) + claims) == [verdict]


def test_every_notion() -> None:
    both = PARTS + METRICS.split("[metrics.far]")[0] + target("bounded", "T")
    for notion, key, least, less in (
        ("zcdp", "rho", "4*f**2", "3*f**2"),
        ("gaussian", "mu", "2*f", "f"),
    ):
        text = both + stated("e*s", notion) + stated("f*t", notion, "N")
        claims = "".join(claimed_for_neighbours(notion, **{key: x}) for x in (least, less))
        assert verdicts(text + claims) == ["proved", "refuted"], notion
    text = both + stated("f*t", "approximate", delta="min(d*t, 1)") + '[parameters]\nd = "positive"\n'
    assert verdicts(text + claimed_for_neighbours("approximate", epsilon="2*f", delta="2*d")) == ["proved"]


def test_it_is_saved_said_and_made_in_python(tmp_path: Any) -> None:
    text = GIVEN + target("unbounded", "S") + claimed_for_neighbours(epsilon="e") + claimed("e*s")
    data = saved(text, tmp_path)
    assert dpc.recheck(tmp_path / "saved.json").verdicts == ("proved", "refuted")
    assert data["problem"]["target"] == {"granularity": "unbounded", "of": "S"}
    _, (first, _) = study(text)
    assert "for unbounded neighbours of S, where all else is equal" in first._repr_html_()
    made = dpc.compose(
        dpc.mechanism("M", dpc.in_metric("e*s")),
        on=dpc.product(S=dpc.multisets(), home=dpc.points("x")),
        metrics={"s": dpc.steps_between("unbounded", of="S")},
        target=dpc.steps_between("bounded", of="S"),
    )
    assert [made.check(x).verdict for x in ("2*e", "e")] == ["proved", "refuted"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (GIVEN + target("unbounded", "U"), "target.of.*there is no part 'U'; there is S, T, home"),
        (GIVEN + target("unbounded", "home"), "target.of.*differ in records, which home has none of"),
        (GIVEN + target("edge", "S"), "target.granularity.*edge"),
        (GIVEN + target("bonded", "S"), "target.granularity.*did you mean 'bounded'"),
        (GIVEN + '[target]\nmetric = "s"\nof = "S"\n', "target.*of is the part"),
        (
            '[databases]\nkind = "multisets"\n' + target("bounded", "S") + stated("e*d_bounded"),
            "target.of.*no part 'S'|has no parts",
        ),
    ],
)
def test_what_is_wrong_is_said(text: str, words: str) -> None:
    with pytest.raises(ProblemError, match=words):
        dpc.loads("format = 1\n" + text + claimed_for_neighbours(epsilon="e"))


LISTED = {
    'kind = "multisets"\nrecords = ["a", "b"]\nsize = "<= 2"': [
        x for n in range(3) for x in itertools.combinations_with_replacement("ab", n)
    ],
    'kind = "tuples"\nrecords = ["a", "b"]\nsize = "= 2"': list(itertools.product("ab", repeat=2)),
}
BETWEEN: dict[str, Callable[[Any, Any], bool]] = {
    "unbounded": lambda x, y: abs(len(x) - len(y)) == 1 and _differ(x, y) == 1,
    "bounded": lambda x, y: len(x) == len(y) and _differ(x, y) == 2,
    "ordered": lambda x, y: sum(a != b for a, b in zip(x, y, strict=True)) == 1,
    "free-lunch": lambda x, y: x != y,
}


def _differ(x: Any, y: Any) -> int:
    return sum(abs(x.count(one) - y.count(one)) for one in {*x, *y})


def steps(databases: list[Any], near: Callable[[Any, Any], bool]) -> dict[tuple[Any, Any], float]:
    """The fewest steps between any two databases."""
    far = {(x, y): 0 if x == y else 1 if near(x, y) else math.inf for x in databases for y in databases}
    for z, x, y in itertools.product(databases, repeat=3):
        far[x, y] = min(far[x, y], far[x, z] + far[z, y])
    return far


def at_random(seed: int) -> tuple[str, list[str], float]:
    """A product of small parts with mechanisms in metrics, claims for neighbours of one part, and what is lost there
    at most, in a notion's own sum."""
    rng = random.Random(seed)
    kinds = [rng.choice(list(LISTED)) for _ in range(rng.choice([1, 2, 2, 3]))]
    text, metrics, tables = '[databases]\nkind = "product"\n', "", {}
    for n, kind in enumerate(kinds):
        text += f"[databases.parts.P{n}]\n{kind}\n"
        words = ["bounded", "free-lunch"] if "tuples" in kind else ["unbounded", "bounded", "free-lunch"]
        for word in words:
            near = BETWEEN["ordered" if "tuples" in kind and word == "bounded" else word]
            tables[n, word] = steps(LISTED[kind], near)
            metrics += f'[metrics.m{n}_{word.replace("-", "_")}]\ngranularity = "{word}"\nof = "P{n}"\n'
    of, about = rng.choice(list(tables))
    notion = rng.choice(["pure", "pure", "zcdp", "gaussian"])
    some, parts = [], []
    for i in range(rng.choice([1, 2, 3])):
        (n, word), c = rng.choice(list(tables)), rng.choice([1, 2, 3])
        most = rng.choice([None, None, 2, 5])
        name = f"{c}*m{n}_{word.replace('-', '_')}"
        some.append(stated(name if most is None else f"min({name}, {most})", notion, f"M{i}"))
        parts.append((n, tables[n, word], c, math.inf if most is None else most))
    pairs = [pair for pair, far in tables[of, about].items() if far == 1]
    power = 1 if notion == "pure" else 2
    worst = max(
        (sum(min(c * far[pair], most) ** power for n, far, c, most in parts if n == of) for pair in pairs),
        default=0,
    )
    key = {"pure": "epsilon", "zcdp": "rho", "gaussian": "mu"}[notion]
    return text + metrics + target(about, f"P{of}") + "".join(some), [notion, key], worst


def asked(seed: int) -> list[str]:
    """The verdicts on claims of just what is lost, and of less, where it is finite; else of a number."""
    text, (notion, key), worst = at_random(seed)
    if worst == math.inf:
        values = ["1000"]
    else:
        values = [f"{worst}", f"{worst} - 1/7"] if worst else ["0"]
        values = [f"sqrt({one})" for one in values] if notion == "gaussian" else values
    found = verdicts(text + "".join(claimed_for_neighbours(notion, **{key: one}) for one in values))
    if worst == math.inf:
        assert found[0] != "proved", seed
    else:
        assert found[0] != "refuted" and found[1:] != ["proved"], seed
    return found


@pytest.mark.parametrize("seed", range(2))
def test_a_few_at_random(seed: int) -> None:
    assert "undecided" not in asked(seed)


@pytest.mark.slow
def test_many_at_random() -> None:
    every = [word for seed in range(2, 300) for word in asked(seed)]
    assert every.count("undecided") < len(every) / 20


GROUPS = """format = 1
[parameters]
m = "integer >= 1"
[databases]
kind = "listed"
elements = ["0", "1", "2", "3", "4"]
[granularities.G]
neighbours = [{edges}]
[target]
granularity = {{ group = {m}, of = "G" }}
[[mechanisms]]
name = "M"
satisfies = [{{ notion = "pure", metric = "min(2*d_G, {most})" }}, {{ notion = "pure", metric = "3*d_G" }}]
"""


@pytest.mark.parametrize("seed", range(2))
def test_groups_of_any_number_of_steps(seed: int) -> None:
    """What is proved for every m holds for each, and what is refuted fails for one: by numbers m."""
    rng = random.Random(seed)
    edges = [pair for pair in itertools.combinations(range(5), 2) if rng.random() < 0.5]
    far = steps([*range(5)], lambda x, y: (x, y) in edges or (y, x) in edges)
    most = rng.choice([3, 5, 20])
    text = GROUPS.format(edges=", ".join(f'["{x}", "{y}"]' for x, y in edges), m='"m"', most=most)
    values = ["1", "2", "3", "4", "5", "6", "2*m", "m", "min(2*m, 4)"]
    read, claims = dpc.loads(text + "".join(claimed_for_neighbours(epsilon=x) for x in values))
    for claim, said in zip(claims, values, strict=True):
        right = all(
            min(2 * d, most) <= eval(said, {"m": m, "min": min})
            for m in range(1, 7)
            for d in far.values()
            if d <= m
        )
        word = read.check(claim).verdict
        assert word != ("refuted" if right else "proved"), said
