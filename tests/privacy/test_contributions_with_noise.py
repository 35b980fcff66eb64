"""Counts, sums and histograms with noise where a person has several rows: hand values, all numbers of rows, refusals."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from rechecks import saved
from second_checker import verdicts as second

from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems
from dpcompose.search.guarantees import NoGuarantee

F = Fraction
Query = Any
FAR: dict[str, Callable[[int, int], Fraction]] = {
    "count": lambda r, s: F(abs(r - s)),
    "sum": lambda r, s: F(max(r * 3 - s * 1, s * 3 - r * 1)),  # of values in [1, 3]
    "spread": lambda r, s: F(max(r * 1 + s * 2, s * 1 + r * 2)),  # in [-2, 1]
    "histogram": lambda r, s: F(r + s),
    "rows": lambda r, s: F(r + s),
    "any": lambda r, s: F(1),
}
"""How far what is asked for moves where r rows go and s come, by the definition."""
QUERIES: dict[str, Query] = {
    "count": "count",
    "sum": {"sum": ["1", "3"]},
    "spread": {"sum": ["-2", "1"]},
    "histogram": {"histogram": 3},
}


def mechanism(i: int, asked: str, reads: Any, law: str = "laplace") -> dict[str, Any]:
    """A query with noise, or a guarantee; its budget is the prime number i."""
    one = {"name": f"M{i}", "reads": reads}
    if asked in QUERIES:
        return one | {"query": QUERIES[asked], "noise": {law: f"1/{i}"}}
    granularity = {"rows": "unbounded", "any": "free-lunch"}[asked]
    guarantee = {"notion": "pure", "epsilon": str(i), "granularity": granularity, "domain": "own"}
    return one | {"guarantee": guarantee}


def problem(
    mechanisms: list[dict[str, Any]], parts: int, L: Any, m: Any, replaced: Any, outside: bool, **more: Any
) -> dict[str, Any]:
    """Parts of two rows each, and rows outside of all of them or none."""
    records = [f"{p}{n}" for p in "abcd"[:parts] for n in (1, 2)] + (["z1", "z2"] if outside else [])
    target = {"contribution": {"parts": str(L), "rows": str(m), "replaced": replaced}}
    return {
        "format": 1,
        "databases": {"kind": "multisets", "records": records},
        "target": {"granularity": target},
        "mechanisms": mechanisms,
        **more,
    }


def part(j: int) -> dict[str, Any]:
    """The rows of a part."""
    return {"records": [f"{'abcd'[j]}{n}" for n in (1, 2)]}


def bound(given: dict[str, Any], notion: str = "pure") -> str:
    """The least guarantee."""
    found = Study(problems.read_data(given).setting).proofs.guarantee(notion).main
    assert found.optimal
    return ", ".join(formulas.to_text(term) for _, term in found.says.values)


PARAMETERS = {"parameters": {"m": "integer >= 1"}}


@pytest.mark.parametrize(
    ("asked", "replaced", "says"),
    [
        ("count", False, "2*m"),
        ("sum", False, "6*m"),  # m max(|l|, |u|), budget 2
        ("count", True, "2*m"),  # rows go, and none comes
        ("sum", True, "6*m"),  # [1, 3]: m rows of 3 that go are more than m(u - l)
        ("spread", True, "6*m"),  # [-2, 1]: m(u - l)
        ("spread", False, "4*m"),
        ("histogram", False, "2*m"),
        ("histogram", True, "4*m"),
        # row by row, and no rows anywhere else: as many come as go
        ("count", "rows", "0"),
        ("sum", "rows", "4*m"),  # m(u - l)
        ("spread", "rows", "6*m"),
        ("histogram", "rows", "4*m"),
    ],
)  # fmt: skip
def test_one_mechanism_by_hand(asked: str, replaced: Any, says: str) -> None:
    """Of one part, that holds all rows."""
    one = [mechanism(2, asked, part(0))]
    assert bound(problem(one, 1, 1, "m", replaced, False, **PARAMETERS)) == says


@pytest.mark.parametrize(
    ("replaced", "says"),
    [
        (False, "8*m"),  # two of 2m, 3m, 5m
        (True, "10*m"),  # all: two lose, and the third one gains
    ],
)
def test_the_largest_of_several_parts(replaced: Any, says: str) -> None:
    """A person has rows in two of three parts, which count."""
    three = [mechanism(i, "count", part(j)) for j, i in enumerate((2, 3, 5))]
    assert bound(problem(three, 3, 2, "m", replaced, True, **PARAMETERS)) == says


def test_row_counts_that_are_kept_move_two_of_three() -> None:
    """One part loses m rows and another gains m; three cannot all move by m, as what goes comes."""
    three = [mechanism(i, "count", part(j)) for j, i in enumerate((2, 3, 5))]
    assert bound(problem(three, 3, 2, "m", "rows", False, **PARAMETERS)) == "8*m"
    assert bound(problem(three, 3, 2, "m", "rows", True, **PARAMETERS)) == "10*m"


def test_what_is_read_of_everybody() -> None:
    """Rows in no part are not limited; where their number is kept, so is that of all."""
    whole = [mechanism(2, "count", "everything"), mechanism(3, "count", part(0))]
    assert bound(problem(whole, 1, 1, 2, "rows", True)) == "6"
    assert bound(problem(whole, 1, 1, 2, False, False)) == "10"


def test_normal_noise_adds_up_squares() -> None:
    """rho = r^2 / (2 s^2), with s = 1/2 and r = m for each of L = 2 parts."""
    some = [mechanism(2, "count", part(j), "gaussian") | {"name": f"N{j}"} for j in range(3)]
    assert bound(problem(some, 3, 2, "m", False, True, **PARAMETERS), "zcdp") == "4*m**2"
    assert bound(problem(some, 3, 1, "m", True, True, **PARAMETERS), "gaussian") == "2*m*sqrt(2)"


def test_families_of_counts() -> None:
    """k shops count their visits: a visitor adds m to each of L of them."""
    family = {
        "name": "M", "index": "i", "count": "k", "reads": {"part": "i", "of": "shops"},
        "query": {"histogram": 4}, "noise": {"laplace": "1/e[i]"},
    }  # fmt: skip
    numbers = {"k": "integer >= 1", "L": "integer >= 1", "m": "integer >= 1"}
    given = problem([family], 0, "L", "m", False, False, parameters=numbers)
    given |= {
        "partitions": {"shops": {"kind": "record-wise", "parts": "k"}},
        "databases": {"kind": "multisets"},
    }
    assert bound(given) == "m*top(L, e[i], i, 1, k)"
    given["mechanisms"][0]["query"] = "count"
    assert bound(given) == "m*top(L, e[i], i, 1, k)"


# all numbers of rows


def worst(
    asked: list[tuple[int, str, int | None]], parts: int, L: int, m: int, replaced: Any, outside: bool
) -> Any:
    """The largest loss over all numbers of rows that go and come in each part, and outside of all of them."""
    best, free = F(0), range(4 * m + 1) if outside else range(1)
    sides = [
        one for one in product(range(m + 1), repeat=parts) if sum(map(bool, one)) <= L
    ]  # fmt: skip
    for left, right in product(sides, repeat=2):
        if replaced is False and any(right):
            continue
        apart = sum(left) - sum(right)
        if replaced == "rows" and apart and (not outside or abs(apart) not in free):
            continue
        loss = F(0)
        for e, what, j in asked:
            r, s = (left[j], right[j]) if j is not None else (sum(left), sum(right))
            loss += e * FAR[what](r, s) if r or s else 0
        best = max(best, loss)
    return best


@pytest.mark.parametrize("start", range(0, 60, 20))
def test_against_all_numbers_of_rows(start: int) -> None:
    compared = 0
    for seed in range(start, start + 20):
        rng = random.Random(seed)
        parts, m = rng.randint(1, 3), rng.randint(1, 3)
        L, replaced, outside = rng.randint(1, parts), rng.choice([False, True, "rows"]), rng.random() < 0.5
        asked: list[tuple[int, str, int | None]] = []
        for i in rng.sample([1, 2, 3, 5, 7], rng.randint(1, 4)):
            whole = not outside and rng.random() < 0.2
            asked.append((i, rng.choice(list(FAR)), None if whole else rng.randrange(parts)))
        some = [mechanism(i, what, "everything" if j is None else part(j)) for i, what, j in asked]
        if not any(one["reads"] == part(j) for one in some for j in range(parts)):
            continue
        read = sorted({j for _, _, j in asked if j is not None})  # others are outside of all parts
        if len(read) < parts and any(j is None for _, _, j in asked):
            continue
        there = [(i, what, read.index(j) if j is not None else None) for i, what, j in asked]
        far = worst(there, len(read), min(L, len(read)), m, replaced, outside or len(read) < parts)
        found = Study(problems.read_data(problem(some, parts, L, m, replaced, outside)).setting)
        (value,) = (term for _, term in found.proofs.guarantee("pure").main.says.values)
        assert formulas.evaluate(value, {}) == far, (seed, asked, L, m, replaced, outside)
        compared += 1
    assert compared >= 12


def test_the_second_checker_says_what_it_does_not_read() -> None:
    given = problem([mechanism(2, "count", part(0))], 2, 1, 2, False, True)
    found = second.check(saved(Study(problems.read_data(given).setting)))
    assert found.outcome in ("ACCEPTED", "NOT READ"), found


# refusals


def test_bags_beside_noise_are_refused_where_rows_are_replaced() -> None:
    """A bag that loses m rows and gains one is 2 bags away, and its count falls by m - 1: no type has both."""
    bags = {"contribution": {"parts": "1", "rows": "2", "replaced": False}}
    guarantee = {"notion": "pure", "epsilon": "1", "granularity": bags, "domain": "own"}
    some = [mechanism(2, "count", part(0)), {"name": "G", "reads": part(0), "guarantee": guarantee}]
    study = Study(problems.read_data(problem(some, 2, 1, 2, True, True)).setting)
    with pytest.raises(NoGuarantee, match="not supported beside noise where rows are replaced"):
        study.proofs.guarantee("pure")
    study = Study(problems.read_data(problem(some, 2, 1, 2, False, True)).setting)
    assert formulas.to_text(study.proofs.guarantee("pure").main.says.values[0][1]) == "5"


@pytest.mark.parametrize("persons", [1, 2])
@pytest.mark.parametrize("replaced", [True, "rows"])
def test_databases_show_what_rows_that_come_elsewhere_lose(persons: int, replaced: Any) -> None:
    """Rows come in none of the parts that they leave, also where there are fewer parts than a person has."""
    one: Any = {"contribution": {"parts": "3", "rows": "m", "replaced": replaced}}
    data = {
        "format": 1,
        "parameters": {"k": "integer >= 1", "m": "integer >= 1"},
        "databases": {"kind": "multisets"},
        "partitions": {"P": {"kind": "record-wise", "parts": "k"}},
        "target": {"granularity": one if persons == 1 else {"group": persons, "of": one}},
        "mechanisms": [
            mechanism(1, "count", {"part": "i", "of": "P"}, "gaussian") | {"index": "i", "count": "k"}
        ],
        "claims": [
            {"notion": "gaussian", "mu": f"{persons}*m*sqrt({x})"} for x in ("min(k, 6)/2", "min(k, 3)")
        ],
    }
    read = problems.read_data(data)
    study = Study(read.setting)
    for claim in read.claims:
        found = study.check(claim)
        assert found.verdict == "refuted" and found.counterexample is not None
        D, E = (Counter(x[:2] for x in side) for side in found.counterexample.pair)
        k, m = (int(found.counterexample.point[name]) for name in "km")
        moved = [abs(D[f"P{j}"] - E[f"P{j}"]) for j in range(1, k + 1)]
        assert moved == [persons * m] * min(k, 6)


@pytest.mark.parametrize(("size", "replaced"), [("= 30", True), ("= 30", "rows"), ("2..30", "rows")])
@pytest.mark.parametrize("persons", [1, 2])
def test_databases_are_shown_where_all_rows_outside_are_others(
    size: str, replaced: Any, persons: int
) -> None:
    """A row of a part takes the place of another one, and all the rest is replaced as well."""
    both = [mechanism(1, "spread", part(1)), mechanism(2, "histogram", "everything")]
    given = problem(both, 2, 1, 1, replaced, False)
    given["databases"]["size"] = size
    if persons > 1:
        given["target"]["granularity"] = {"group": persons, "of": given["target"]["granularity"]}
    read = problems.read_data(given | {"claims": [{"notion": "pure", "epsilon": "119"}]})
    found = Study(read.setting).check(read.claims[0])
    assert found.verdict == "refuted" and found.counterexample is not None
    D, E = map(Counter, found.counterexample.pair)
    assert D.total() == E.total() == 30 and not D & E
    assert sum(D[row] for row in part(1)["records"]) == persons
    assert found.counterexample.actual == 120 + 3 * persons
