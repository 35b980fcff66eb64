"""Sizes with a letter: against every number in its place, by hand, in files and in Python, and refused."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from policies_at_random import random_policy
from problem_data import KEYS, bound, guarantee, reading_records

import dpcompose as dpc
from dpcompose.front.studies.loading import load_data
from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import NoLemma
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.proof.theory import registry
from dpcompose.search.guarantees import NoGuarantee
from dpcompose.spaces.classes.sizes import Size

F = Fraction
NAMED: list[Any] = ["unbounded", "bounded", {"union": ["unbounded", "bounded"]}]


def problem(
    size: str,
    target: Any,
    *mechanisms: tuple[Any, Any, str],
    notion: str = "pure",
    records: list[str] | None = None,
    **parameters: str,
) -> dict[str, Any]:
    """Mechanisms by what they read, what they are stated for, and on which domain."""
    universe = {} if records is None else {"records": records}
    reads, stated, domains = zip(*mechanisms, strict=True)
    data = reading_records(target, reads, stated, domains, notion, size=size, **universe)
    return data | {"parameters": parameters}


def drawn(seed: int) -> tuple[dict[str, Any], str, int, int, int]:
    """A setting with a letter, its notion, the least number, from which one on all neighbours are there, and
    the least size."""
    rng = random.Random(seed)
    notion, records = rng.choice(list(KEYS)), list("abcd")[: rng.choice([2, 3, 4])]
    policies = {"p": random_policy(rng, records)} if rng.random() < 0.5 else {}
    ways = [*NAMED, *policies, *policies]
    least = rng.choice([0, 1, 2])
    word = rng.choice(["= n", "= n", "<= n", "<= n", f"{least}..n", ">= n"])
    fewest = rng.choice([1, 1, 2]) + (least if ".." in word else 0)
    m, of = rng.choice([1, 1, 2, 3]), rng.choice(ways)
    some = []
    for _ in range(rng.randint(1, 3)):
        reads = rng.choice([None, *(rng.sample(records, k) for k in range(1, len(records) + 1))])
        stated, domain = rng.choice([*ways, *ways, "free-lunch"]), rng.choice(["own", "common"])
        if rng.random() < 0.2 and stated != "free-lunch" and domain == "own":
            stated = {"group": 2, "of": stated}
        some.append((reads, stated, domain))
    target = of if m == 1 else {"group": m, "of": of}
    data = problem(word, target, *some, notion=notion, records=records, n=f"integer >= {fewest}")
    data |= {"granularities": policies}
    there = fewest if word == ">= n" else max(fewest, m + (least if ".." in word else 0))
    return data, notion, fewest, there, least


def at(data: dict[str, Any], n: int) -> dict[str, Any]:
    """The same with a number in place of n."""
    size = data["databases"]["size"].replace("n", str(n))
    return {**data, "parameters": {}, "databases": data["databases"] | {"size": size}}


@pytest.mark.parametrize(
    "seed", [*range(80), *(pytest.param(n, marks=pytest.mark.slow) for n in range(80, 1200))]
)
def test_every_number_says_the_same(seed: int) -> None:
    """For enough records the bound is that of each number; for fewer ones it is at most that."""
    data, notion, fewest, there, _ = drawn(seed)
    found = guarantee(data, notion)
    ((_, for_all),) = found.says.values
    assert "n" not in for_all.letters
    assert bool(found.optimal) <= (there == fewest)
    for n in range(fewest, there + 2):
        one = bound(at(data, n), notion)
        if "oo" in (one.kind, for_all.kind):
            assert for_all.kind == "oo" and (one.kind == "oo" or n < there), (data, n)
            continue
        rng = random.Random(seed)
        for _ in range(3):
            point = {f"e{i}": F(rng.randint(1, 30), 7) for i in range(1, 4)}
            less, more = (
                enclosure(formulas.at(x, {name: point[name] for name in x.letters}), 100)
                for x in (one, for_all)
            )
            assert less.low <= more.high, (data, n)
            assert n < there or more.low <= less.high, (data, n)


@pytest.mark.parametrize(
    "seed", [*range(20), *(pytest.param(n, marks=pytest.mark.slow) for n in range(20, 400))]
)
def test_claims_are_decided_as_for_numbers(seed: int) -> None:
    """What is proved holds for each number; what is refuted fails at the one that is said."""
    data, notion, fewest, there, _ = drawn(seed)
    rng = random.Random(seed)
    scale = rng.choice(["1", "2", "3", "n", "1/n", "n/2", "3/n"])
    total = rng.choice(["max(e1, e2, e3)", "(e1 + e2 + e3)", "(e1 + e2)"])
    names = [f"e{i}" for i in range(1, len(data["mechanisms"]) + 1)]
    for name in ("e3", "e2", "e1"):
        total = total if name in names else total.replace(name, "e1")
    claim = {"notion": notion, KEYS[notion]: f"{scale}*{total}"}
    read = problems.read_data({**data, "claims": [claim]})
    found = Study(read.setting).check(read.claims[0])
    for n in range(fewest, there + 3):
        numbered = at(data, n)
        one = problems.read_data(
            {
                **numbered,
                "claims": [{"notion": notion, KEYS[notion]: claim[KEYS[notion]].replace("n", str(n))}],
            }
        )
        verdict = Study(one.setting).check(one.claims[0]).verdict
        if found.verdict == "proved":
            assert verdict != "refuted", (data, claim, n)
        if found.verdict == "refuted" and found.counterexample is not None:
            assert found.counterexample.point["n"] >= there
            if found.counterexample.point["n"] == n:
                assert verdict == "refuted", (data, claim, n)
    if found.verdict == "undecided" and not read.setting.has_choices:
        assert "there are fewer neighbours" in found.reason or "n" in claim[KEYS[notion]], found.reason


@pytest.mark.parametrize(
    ("size", "target", "stated", "expected", "optimal"),
    [
        ("= n", "bounded", "bounded", "e1", True),
        ("= n", "bounded", "unbounded", "oo", True),  # no step leads from one database to another
        ("= n", "unbounded", "unbounded", "0", True),
        ("<= n", "bounded", "unbounded", "2*e1", True),
        ("<= n", {"group": 3, "of": "unbounded"}, "unbounded", "3*e1", False),  # for n = 1 it is 2*e1
        (">= n", {"group": 3, "of": "unbounded"}, "unbounded", "3*e1", True),
        ("= n", {"steps": 2, "of": "unbounded", "within": "any size"}, "bounded", "e1", False),
    ],
)
def test_bounds_by_hand(size: str, target: Any, stated: Any, expected: str, optimal: bool) -> None:
    found = guarantee(problem(size, target, (None, stated, "own")))
    assert [formulas.to_text(term) for _, term in found.says.values] == [expected]
    assert bool(found.optimal) is optimal


def test_from_enough_records_on_a_bound_is_optimal() -> None:
    data = problem("<= n", {"group": 3, "of": "unbounded"}, (None, "unbounded", "own"), n="integer >= 3")
    found = guarantee(data)
    assert formulas.to_text(dict(found.says.values)["epsilon"]) == "3*e1" and found.optimal


def test_a_claim_is_refuted_with_a_number_of_records() -> None:
    data = problem("= n", {"group": 3, "of": "bounded"}, (["a"], "bounded", "common"))
    texts = ["3*e1", "2*e1", "n*e1", "n*e1/2"]
    read = problems.read_data({**data, "claims": [{"notion": "pure", "epsilon": one} for one in texts]})
    found = [Study(read.setting).check(one) for one in read.claims]
    # n*e1 is true: of one record no more than one is replaced; that is not looked at
    assert [one.verdict for one in found] == ["proved", "refuted", "undecided", "refuted"]
    assert 'assume = ["n >= 3"], or a number, would do' in found[2].reason
    for one in (found[1], found[3]):
        example = one.counterexample
        assert example is not None and example.point["n"] >= 3
        assert {len(side) for side in example.pair} == {example.point["n"]}
    text = Study(read.setting).to_toml()
    assert 'size = "= n"' in text and problems.read_text(text).setting.databases == read.setting.databases


def test_a_mean_of_any_number_of_records() -> None:
    data = problem("= n", "bounded", (None, "bounded", "own"))
    del data["mechanisms"][0]["guarantee"]
    data["mechanisms"][0] |= {"query": {"mean": ["l", "u"]}, "noise": {"laplace": "(u - l)/(n*e)"}}
    data["assume"] = ["u > l"]
    data["parameters"] = {"l": "real", "u": "real", "n": "integer >= 1"}
    texts = ["e", "e/n"]
    read = problems.read_data({**data, "claims": [{"notion": "pure", "epsilon": one} for one in texts]})
    found = [Study(read.setting).check(one) for one in read.claims]
    assert [one.verdict for one in found] == ["proved", "refuted"] and found[0].loose is False


def test_python_says_what_files_say(tmp_path: Path) -> None:
    M = dpc.mechanism("M", dpc.pure("e", dpc.bounded))
    study = dpc.compose(M, on=dpc.multisets(size="= n"), target=dpc.group(2, dpc.bounded))
    assert str(study.guarantee().epsilon) == "2*e" and "of size n" in study.guarantee().scope
    assert dict(study.setting.domains)["n"].least == 1
    (n,) = dpc.parameters("n", "integer >= 1")
    M = dpc.mechanism("M", dpc.pure(n, dpc.bounded))
    study = dpc.compose(M, on=dpc.multisets(size="= n"), target=dpc.bounded)
    assert study.check(dpc.pure(n)).verdict == "proved" and study.check(dpc.pure(n)).loose is False
    M, two = dpc.mechanism("M", dpc.pure("e", dpc.bounded)), dpc.group(2, dpc.bounded)
    study = dpc.compose(M, on=dpc.multisets(size="= n"), target=two, parameters={"n": "integer >= 2"})
    assert study.check(dpc.pure("2*e")).loose is False
    with pytest.raises(ValueError, match="a number for n would do"):
        list(dpc.multisets("ab", size="<= n").databases())


def test_a_number_for_the_letter_is_that_size() -> None:
    data = problem("= n", "bounded", (None, "bounded", "own"), n="12")
    assert problems.read_data(data).setting.databases.sizes == Size(12, exactly=True)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("size", "more", "words"),
    [
        ("= n", {"n": "positive"}, 'a number of records is a parameter such as "integer >= 1"'),
        ("= n", {"n": "integer >= -1"}, 'a number of records is a parameter such as "integer >= 1"'),
        ("= n", {"n": "1/2"}, 'a number of records is a parameter such as "integer >= 1"'),
        ("3..n", {}, 'no databases of size 3..n where not 3 <= n: assume = ["3 <= n"] would do'),
        ("m..n", {}, 'no databases of size m..n where not m <= n: assume = ["m <= n"] would do'),
        ("m..5", {}, 'no databases of size m..5 where not m <= 5: assume = ["m <= 5"] would do'),
        ("m..3..n", {}, "is no size"),
        ("= n + 1", {}, "is no size"),
        ("= 2*n", {}, "is no size"),
    ],
)
def test_what_is_no_such_size_is_refused(size: str, more: dict[str, str], words: str) -> None:
    with pytest.raises(problems.ProblemError, match=re.escape(words)):
        problems.read_data(problem(size, "bounded", (None, "bounded", "own"), **more))


def test_sets_of_more_records_than_there_are_are_refused_beside_metrics_too() -> None:
    """That is said, and not that nothing is told at single databases."""
    data = problem("= n", "bounded", (None, "bounded", "own"))
    data["databases"] |= {"kind": "sets", "records": ["a", "b"]}
    data["mechanisms"][0]["guarantee"] = {"notion": "pure", "metric": "2*e*d_bounded"}
    data["claims"] = [{"notion": "pure", "epsilon": "2*e"}]
    with pytest.raises(problems.ProblemError, match="where not n <= 2"):
        load_data(data, "", "", registry.standard())
    _, (claim,) = found = load_data(data | {"assume": ["n <= 2"]}, "", "", registry.standard())
    assert found[0].check(claim).verdict == "proved"


def test_sequences_refuse_a_letter() -> None:
    data = problem("= n", "insert-delete", (None, "insert-delete", "own"))
    data["databases"]["kind"] = "sequences"
    with pytest.raises(problems.ProblemError, match="n being any number, are not supported"):
        problems.read_data(data)


@pytest.mark.parametrize(
    ("size", "target", "stated", "words"),
    [
        ("0..n", "free-lunch", {"group": 2, "of": "bounded"}, "state it for single steps"),
        (
            "<= n",
            {"group": 2, "of": "unbounded"},
            {"steps": 2, "of": "unbounded", "within": "any size"},
            "no lemma is about all multisets of size <= n",
        ),
    ],
)
def test_what_depends_on_the_number_is_undecided_in_words(
    size: str, target: Any, stated: Any, words: str
) -> None:
    with pytest.raises((NoGuarantee, NoLemma, InvalidSetting), match=words):
        guarantee(problem(size, target, (None, stated, "own")))


def test_a_problem_about_metrics_is_judged_for_all_numbers(tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text(
        'format = 1\n[databases]\nkind = "multisets"\nsize = "<= n"\n[metrics.d]\ngranularity = "unbounded"\n'
        '[[mechanisms]]\nname = "M"\nguarantee = { notion = "pure", metric = "e*d" }\n'
        + "".join(
            f'[[claims]]\nnotion = "pure"\nmetric = "{x}"\n' for x in ("e*d", "e*d/2", "2*n*e*d_free_lunch")
        ),
        encoding="utf-8",
    )
    study, claims = dpc.load_metric(file)
    assert [study.check(one).verdict for one in claims] == ["proved", "refuted", "proved"]


@pytest.mark.parametrize("m", [1, 2])
def test_a_study_on_any_number_of_records(m: int, tmp_path: Path) -> None:
    """What is said of the study for all n is used for all n, with other room for what changes."""
    of = "'bounded'" if m == 1 else f"{{ group = {m}, of = 'bounded' }}"
    file = tmp_path / "p.toml"
    parts = ", ".join(
        f"{{ name = '{x}', guarantee = {{ notion = 'pure', epsilon = '{x}', granularity = 'bounded' }} }}"
        for x in "ab"
    )
    file.write_text(
        f"""format = 1
[databases]
kind = "multisets"
size = "= n"
[target]
granularity = {of}
[studies.in]
target = {{ granularity = "bounded" }}
mechanisms = [{parts}]
[[mechanisms]]
name = "S"
study = "in"
[[claims]]
notion = "pure"
epsilon = "{m}*(a + b)"
[[claims]]
notion = "pure"
epsilon = "a + b/2"
""",
        encoding="utf-8",
    )
    study, claims = dpc.load(file)
    assert [study.check(one).verdict for one in claims] == ["proved", "refuted"]


def test_databases_of_any_of_the_sizes_belong_to_the_class() -> None:
    some = dpc.multisets("ab", size="= n")
    assert ("a", "a", "b") in some and () not in some and ("c",) not in some
    assert dpc.canonical_metric(some, dpc.bounded)(("a", "a"), ("b", "b")) == 2
    assert () in dpc.multisets("ab", size="<= n")


@pytest.mark.parametrize(
    ("notion", "noise", "right", "more"),
    [
        ("pure", "laplace", "min(m, n)*top(2, s[i], i, 1, k)", "m*top(2, s[i], i, 1, k)"),
        (
            "gaussian",
            "gaussian",
            "min(m, n)*sqrt(top(2, s[i]**2, i, 1, k))",
            "m*sqrt(top(2, s[i]**2, i, 1, k))",
        ),
    ],
)
def test_noisy_counts_of_n_people_move_as_often_as_there_are_people(
    notion: str, noise: str, right: str, more: str
) -> None:
    data = reading_records({"group": "m", "of": "bounded"}, [None], ["bounded"], ["common"], size="= n")
    data["parameters"] = dict.fromkeys("kmn", "integer >= 1")
    data["partitions"] = {"P": {"kind": "record-wise", "parts": "k"}}
    reads = {"part": "i", "of": "P"}
    data["mechanisms"] = [
        {
            "name": "M",
            "index": "i",
            "count": "k",
            "reads": reads,
            "query": "count",
            "noise": {noise: "1/s[i]"},
        }
    ]
    key = KEYS[notion]
    data["claims"] = [
        {"notion": notion, key: text} for text in (right, more, more.replace("m", "min(m, 2)", 1))
    ]
    read = problems.read_data(data)
    study = Study(read.setting)
    assert formulas.to_text(study.proofs.guarantee(notion).main.says.values[0][1]) == right
    found = [study.check(one) for one in read.claims]
    assert [(one.verdict, one.loose) for one in found][:2] == [("proved", False), ("proved", True)]
    assert found[2].verdict == "refuted" and found[2].counterexample is not None
