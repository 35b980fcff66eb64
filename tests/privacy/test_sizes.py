"""Multisets of at least m, or of m to n records: against enumeration, by hand, in files, refused."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from policies_at_random import agreeing, random_policy

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems
from dpcompose.spaces.classes.sizes import Size

F = Fraction
NAMED = ["unbounded", "bounded", {"union": ["unbounded", "bounded"]}]


def random_problem(seed: int) -> dict[str, Any]:
    """A few mechanisms on multisets of m..n records over two to four of these, by edits or by policies."""
    rng = random.Random(seed)
    records = list("abcd")[: rng.choice([2, 3, 3, 4])]
    least = rng.choice([1, 1, 2, 3])
    size = f"{least}..{least + rng.choice([1, 1, 2])}"
    policies = {"p": random_policy(rng, records)} if rng.random() < 0.5 else {}
    stated = [*NAMED, *NAMED, *policies, *policies, "free-lunch"]
    mechanisms = []
    for i in range(1, rng.randint(1, 3) + 1):
        reads = rng.choice(["everything", *(rng.sample(records, k) for k in range(1, len(records) + 1))])
        guarantee = {"notion": "pure", "epsilon": f"e{i}", "granularity": rng.choice(stated)}
        guarantee["domain"] = rng.choice(["own", "common"])
        if rng.random() < 0.2 and guarantee["granularity"] != "free-lunch":
            guarantee["granularity"] = {"group": 2, "of": guarantee["granularity"]}
        many = reads if reads == "everything" else {"records": reads}
        mechanisms.append({"name": f"M{i}", "reads": many, "guarantee": guarantee})
    target: Any = rng.choice([*NAMED, *policies, *policies, *policies, "free-lunch"])
    if rng.random() < 0.4 and target != "free-lunch":
        target = {"group": rng.choice([2, 3]), "of": target}
    return {
        "format": 1,
        "databases": {"kind": "multisets", "records": records, "size": size},
        **({"granularities": policies} if policies else {}),
        "target": {"granularity": target},
        "mechanisms": mechanisms,
    }


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_types_say_what_enumeration_says(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = agreeing(map(random_problem, range(start, start + 50)), monkeypatch)
    assert found["Records"] >= 15 and found["Policies"] >= 5


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 3000, 100))
def test_more_types_say_what_enumeration_says(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = agreeing(map(random_problem, range(start, start + 100)), monkeypatch)
    assert found["Records"] >= 30 and found["Policies"] >= 16


def problem(
    size: str, target: Any = "unbounded", stated: str = "unbounded", reads: Any = "everything"
) -> Any:
    guarantee = {"notion": "pure", "epsilon": "e", "granularity": stated, "domain": "own"}
    return {
        "format": 1,
        "databases": {"kind": "multisets", "size": size},
        "target": {"granularity": target},
        "mechanisms": [{"name": "M", "reads": reads, "guarantee": guarantee}],
    }


@pytest.mark.parametrize(
    ("size", "target", "stated", "bound"),
    [
        (">= 3", "unbounded", "unbounded", "e"),
        (">= 3", "bounded", "unbounded", "2*e"),
        ("3..4", "bounded", "unbounded", "2*e"),
        # three steps of adding and removing reach |D△E| = 3, also between sizes 3 and 4
        ("3..4", {"group": 3, "of": "unbounded"}, "unbounded", "3*e"),
        ("3..4", "unbounded", "bounded", "oo"),
        ("3..3", "unbounded", "unbounded", "0"),
        ("4..9", "free-lunch", "unbounded", "18*e"),
        ("4..9", "free-lunch", "bounded", "oo"),
    ],
)
def test_bounds_by_hand(size: str, target: Any, stated: str, bound: str) -> None:
    found = Study(problems.read_data(problem(size, target, stated)).setting).proofs.guarantee("pure").main
    assert [formulas.to_text(term) for _, term in found.says.values] == [bound]


def test_examples_have_as_many_records_as_the_class_asks_for() -> None:
    claims = [{"notion": "pure", "epsilon": "e/2"}]
    read = problems.read_data({**problem(">= 3"), "claims": claims})
    found = Study(read.setting).check(read.claims[0])
    assert found.verdict == "refuted" and found.counterexample is not None
    D, E = found.counterexample.pair
    assert sorted(map(len, (D, E))) == [3, 4] and D in read.setting.databases and E in read.setting.databases


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (">= 3", Size(least=3)),
        (">= 0", Size()),
        ("2..5", Size(5, least=2)),
        (" 2 .. 5 ", Size(5, least=2)),
        ("0..5", Size(5)),
        ("4..4", Size(4, exactly=True)),
    ],
)
def test_sizes_are_read_and_written(text: str, size: Size) -> None:
    assert Size.read(text) == size and Size.read(str(size)) == size


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("5..2", "no database has 5 records or more and 2 or fewer"),
        ("> 3", 'use "any", "<= 4", "= 4", ">= 2" or "2..4"'),
        ("2...4", "is no size"),
        ("2..", "is no size"),
        ("-1..3", "is no size"),
        (">= 1000000000000", "is too large: sizes are below 10.9"),
    ],
)
def test_what_is_no_size_is_refused(text: str, words: str) -> None:
    with pytest.raises(problems.ProblemError, match=words):
        problems.read_data(problem(text))


def test_sequences_refuse_a_least_size() -> None:
    data = problem("2..4", "insert-delete", "insert-delete")
    data["databases"]["kind"] = "sequences"
    with pytest.raises(problems.ProblemError, match="of at least 2 records are not supported"):
        problems.read_data(data)


def test_a_class_of_two_to_three_records_in_python() -> None:
    few = dpc.multisets("ab", size="2..3")
    assert (
        few.count() == len(list(few.databases())) == 7
        and str(few) == "all multisets of size 2..3 over {a, b}"
    )
    d = dpc.canonical_metric(few, dpc.unbounded)
    assert d(("a", "a"), ("b", "b")) == 4 and d(("a", "a"), ("a", "b", "b")) == 3
    assert dpc.finite(few, dpc.unbounded).distance(("a", "a"), ("b", "b")) == 4
    graph = dpc.neighbourhood_graph(few, dpc.unbounded)
    assert graph.number_of_nodes() == 7 and graph.number_of_edges() == 6


@pytest.mark.parametrize(("size", "sizes"), [("1..2", [1, 2]), (">= 3", [3, 4]), ("0..4", [0, 1])])
def test_examples_about_metrics_are_filled_up(size: str, sizes: list[int], tmp_path: Path) -> None:
    file = tmp_path / "metric.toml"
    file.write_text(
        f'format = 1\n[databases]\nkind = "multisets"\nrecords = ["a"]\nsize = "{size}"\n'
        '[metrics.count]\ngranularity = "unbounded"\n[[mechanisms]]\nname = "M"\n'
        'guarantee = { notion = "pure", metric = "e*count" }\n'
        '[[claims]]\nnotion = "pure"\nmetric = "e*count/2"\n',
        encoding="utf-8",
    )
    study, claims = dpc.load(file)
    found = study.check(claims[0])
    assert found.verdict == "refuted" and found.counterexample is not None
    assert sorted(len(one["records"]) for one in found.counterexample.pair) == sizes
