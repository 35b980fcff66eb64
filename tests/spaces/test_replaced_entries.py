"""Entries of sequences that are replaced: canonical metrics and bounds by hand and by enumeration of short ones."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import oracle
import pytest
import sympy
from language.letters import evaluate
from shares import seeds

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.kernel.core import reading
from dpcompose.kernel.covers import cover
from dpcompose.kernel.covers.types import NoCover
from dpcompose.kernel.library.theory import Theory
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.proof.theory import registry
from dpcompose.search.guarantees import NoGuarantee

Entries = tuple[str, ...]
EITHER = {"union": ["insert-delete", "bounded"]}


def replaced(D: Any, E: Any) -> bool:
    return len(D) == len(E) and sum(x != y for x, y in zip(D, E, strict=True)) == 1


def deleted(D: Any, E: Any) -> bool:
    short, long = sorted((D, E), key=len)
    return len(long) == len(short) + 1 and any(long[:n] + long[n + 1 :] == short for n in range(len(long)))


def either(D: Any, E: Any) -> bool:
    return replaced(D, E) or deleted(D, E)


RELATIONS = {"bounded": replaced, "insert-delete": deleted, "either": either}
CALLED = {"bounded": "bounded", "insert-delete": "insert-delete", "either": EITHER}


def sequences(records: Sequence[str], word: str, n: int) -> list[Entries]:
    lengths = [n] if word == "=" else range(n + 1)
    return [D for length in lengths for D in product(records, repeat=length)]


@pytest.mark.parametrize(("word", "records"), [("<=", "ab"), ("<=", "abc"), ("=", "ab")])
def test_canonical_metrics_are_the_fewest_steps(word: str, records: str) -> None:
    """Hamming's and Levenshtein's distances against walks from neighbour to neighbour, inside the class."""
    listed = sequences(records, word, 3)
    databases = dpc.sequences(records, f"{word} 3")
    granularities = {
        "bounded": dpc.bounded,
        "insert-delete": dpc.insert_delete,
        "either": dpc.union(dpc.insert_delete, dpc.bounded),
    }
    for name, granularity in granularities.items():
        walked = oracle.canonical_distance(listed, RELATIONS[name])
        metric = dpc.canonical_metric(databases, granularity)
        for pair, steps in walked.items():
            assert metric(*pair) == (sympy.oo if steps == oracle.INFINITY else steps), (name, pair)
            assert granularity.relates(*pair, databases) == (steps == 1)


def test_metrics_by_hand() -> None:
    words = dpc.sequences("abc")
    d = dpc.canonical_metric(words, dpc.bounded)
    assert d(("a", "b", "c"), ("b", "c", "a")) == 3 and d(("a",), ()) == sympy.oo
    either = dpc.canonical_metric(words, dpc.union(dpc.bounded, dpc.insert_delete))
    assert either(("a", "b", "c"), ("b", "c", "a")) == 2 and either(("a", "b"), ("b", "a")) == 2
    assert dpc.canonical_metric(words, dpc.insert_delete)(("a",), ("b",)) == 2


def problem(
    target: Any, reads: Sequence[Any], stated: Sequence[Any], domains: Sequence[str], size: str = "any"
) -> dict[str, Any]:
    """Mechanisms M1, M2, … that read entries of some records, or everything."""
    mechanisms = [
        {
            "name": f"M{n}",
            "reads": "everything" if of is None else {"records": sorted(of)},
            "guarantee": {"notion": "pure", "epsilon": f"e{n}", "granularity": how, "domain": domain},
        }
        for n, (of, how, domain) in enumerate(zip(reads, stated, domains, strict=True), start=1)
    ]
    return {
        "format": 1,
        "databases": {"kind": "sequences", "records": ["a", "b", "c"], "size": size},
        "target": {"granularity": target},
        "mechanisms": mechanisms,
    }


def epsilon(data: dict[str, Any]) -> Any:
    study = Study(problems.read_data(data).setting)
    assert study.bound.optimal
    return study.guarantee().epsilon


@pytest.mark.whole
@pytest.mark.parametrize(
    ("target", "reads", "stated", "domain", "bound"),
    [
        # a becomes b: one entry goes from what the one reads and comes to what the other does
        ("bounded", ["a", "b"], "bounded", "common", "e1 + e2"),
        # nothing is promised of sequences of another length
        ("bounded", ["a", "b"], "bounded", "own", "oo"),
        # a becomes b among what is read: an entry is replaced, or one goes and one comes
        ("bounded", ["ab", "c"], "insert-delete", "own", "max(2*e1, e1 + e2)"),
        ("bounded", ["ab", "abc"], EITHER, "own", "e1 + e2"),
        ("insert-delete", ["a", "b"], "bounded", "common", "max(e1, e2)"),
        ("insert-delete", ["a", None], "bounded", "common", "oo"),
    ],
)
def test_bounds_by_hand(target: Any, reads: Any, stated: Any, domain: str, bound: str) -> None:
    assert str(epsilon(problem(target, reads, [stated] * 2, [domain] * 2))) == bound


def test_two_entries_that_are_replaced_move_what_is_read_without_a_limit() -> None:
    """Why groups are refused: D = a(ab)^N c and E = c(ab)^N b, read in {a, b}, are 2N - 1 steps apart."""
    for n in (1, 2, 3):
        D, E = ("a", *"ab" * n, "c"), ("c", *"ab" * n, "b")
        assert sum(x != y for x, y in zip(D, E, strict=True)) == 2
        read = [tuple(x for x in one if x != "c") for one in (D, E)]
        assert dpc.canonical_metric(dpc.sequences("ab"), dpc.bounded)(*read) == 2 * n - 1
    several = {"group": 2, "of": "bounded"}
    with pytest.raises(NoGuarantee, match="infinitely many"):
        epsilon(problem(several, ["ab"], ["bounded"], ["own"]))
    assert str(epsilon(problem(several, [None], ["bounded"], ["own"]))) == "2*e1"


def test_a_forged_group_is_refused() -> None:
    """The kernel itself does not take types of single entries for several ones."""
    setting = problems.read_data(problem("bounded", ["ab"], ["bounded"], ["common"])).setting
    data = Elaborated(setting).core.data()
    data["target"]["steps"] = 2
    with pytest.raises(NoCover, match="several entries of sequences"):
        cover(reading.read(data), Theory(registry.standard().pages))


@seeds(6, 60)
def test_families_on_parts_are_those_of_parts_written_out(seed: int) -> None:
    """Kinds of entries, of which there are any number: two records of each of three, and two others."""
    rng = random.Random(seed)
    target, stated = (rng.choice(list(RELATIONS)) for _ in range(2))
    domain, word = rng.choice(["own", "common"]), rng.choice(["any", "<=", "="])
    data = problem(
        CALLED[target], ["ab"], [CALLED[stated]], [domain], "any" if word == "any" else f"{word} 2"
    )
    data["databases"].pop("records")
    data |= {"parameters": {"k": "integer >= 2"}, "partitions": {"P": {"kind": "record-wise", "parts": "k"}}}
    data["mechanisms"][0] |= {"index": "i", "count": "k", "reads": {"part": "i", "of": "P"}}
    data["mechanisms"][0]["guarantee"]["epsilon"] = "e[i]"
    found, parts = epsilon(data), ["ab", "cd", "ef"]
    databases, relation = sequences("abcdefgh", word, 2), RELATIONS[stated]
    maps = [oracle.restriction(part) for part in parts]
    inputs = [
        oracle.own_distance(f, sequences(part, "<=", 2), relation)
        if domain == "own"
        else oracle.common_distance(databases, relation, f)
        for f, part in zip(maps, parts, strict=True)
    ]
    losses = [Fraction(rng.randint(1, 30), 7) for _ in parts]
    pairs = oracle.neighbouring_pairs(databases, RELATIONS[target])
    truth = oracle.true_bound(pairs, maps, losses, inputs) or 0
    point = {"k": Fraction(3)} | {f"e[{i}]": loss for i, loss in enumerate(losses, start=1)}
    assert (oracle.INFINITY if found is sympy.oo else evaluate(sympy.sympify(found), point)) == truth, data


@seeds(25, 400)
def test_bounds_are_those_of_short_sequences(seed: int) -> None:
    """Against enumeration from the definitions: any length up to 3, with the neighbours of single steps."""
    rng = random.Random(seed)
    word, n = rng.choice([("any", 3), ("any", 3), ("<=", 2), ("=", 2), ("=", 3), ("<=", 1)])
    target = rng.choice(list(RELATIONS))
    reads = [rng.choice(["a", "b", "ab", "bc", "abc", None]) for _ in range(rng.randint(1, 3))]
    stated = [rng.choice(list(RELATIONS)) for _ in reads]
    domains = [rng.choice(["own", "common"]) if of else "own" for of in reads]
    size = "any" if word == "any" else f"{word} {n}"
    data = problem(CALLED[target], reads, [CALLED[one] for one in stated], domains, size)
    found = epsilon(data)
    databases = sequences("abc", word, n)
    inputs = []
    for of, how, domain in zip(reads, stated, domains, strict=True):
        records, relation = of or "abc", RELATIONS[how]
        f = oracle.restriction(records)
        if domain == "own":
            image = sequences(records, word if len(records) == 3 else "<=", n)
            inputs.append(oracle.own_distance(f, image, relation))
        else:
            inputs.append(oracle.common_distance(databases, relation, f))
    losses = [Fraction(rng.randint(1, 30), 7) for _ in reads]
    maps = [oracle.restriction(of or "abc") for of in reads]
    pairs = oracle.neighbouring_pairs(databases, RELATIONS[target])
    truth = oracle.true_bound(pairs, maps, losses, inputs)
    point = {f"e{n}": loss for n, loss in enumerate(losses, start=1)}
    value = oracle.INFINITY if found is sympy.oo else evaluate(sympy.sympify(found), point)
    assert value == (truth or 0), data
