"""Persons with several rows where databases have at most, or exactly, some number of rows."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from problem_data import bag, family, reading_records

from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import Elaborated, contributions
from dpcompose.search.guarantees import NoGuarantee

F = Fraction
COUNT = "integer >= 1"


def verdicts(data: dict[str, Any], *claims: str) -> list[str]:
    """How claims are decided."""
    read = problems.read_data(data | {"claims": [{"notion": "pure", "epsilon": one} for one in claims]})
    return [Study(read.setting).check(one).verdict for one in read.claims]


def visits(target: Any, size: str, *assume: str) -> dict[str, Any]:
    """Any number of shops, of visits to which there are so many."""
    numbers = {"L": COUNT, "m": COUNT, "n": COUNT, "r": COUNT}
    said = {"notion": "pure", "epsilon": "e[i]"}
    data = family("P", {"kind": "record-wise"}, target, "unbounded", "own", said, k=COUNT, **numbers)
    data["databases"]["size"] = size
    return data | ({"assume": [*assume]} if assume else {})


@pytest.mark.parametrize("size", ["<= n", "= n", "<= 6"])
def test_where_there_is_room(size: str) -> None:
    """Two visits to each of at most three shops: six rows."""
    how = "rows" if size == "= n" else False
    data = visits(bag(3, 2, how), size, "n >= 6")
    right = "2*top(3, e[i], i, 1, k)" if not how else "4*top(3, e[i], i, 1, k)"
    assert verdicts(data, right, f"8/9*{right}") == ["proved", "refuted"]
    assert Study(problems.read_data(data).setting).proofs.guarantee("pure").main.optimal


def test_letters_and_a_relation() -> None:
    """Where n >= r*L*m no smaller guarantee holds; without it what is known is a bound for all n."""
    target = {"group": "r", "of": bag("L", "m")}
    right = "r*m*top(L, e[i], i, 1, k)"
    for assume, optimal in ((["n >= r*L*m"], True), ([], False)):
        data = visits(target, "<= n", *assume)
        assert bool(Study(problems.read_data(data).setting).proofs.guarantee("pure").main.optimal) == optimal
        assert verdicts(data, right, "r*top(L, e[i], i, 1, k)") == ["proved", "refuted"]


def test_less_room_is_less_to_lose() -> None:
    """Of at most one row a person has one: claims below the bound are not refuted by rows that do not fit."""
    data = visits(bag(2, 2), "<= 1")
    assert verdicts(data, "2*top(2, e[i], i, 1, k)", "max(e[i], i, 1, k)") == ["proved", "undecided"]


@pytest.mark.parametrize(
    ("size", "how", "stated", "right"),
    [
        ("<= n", False, "unbounded", "n*f + 2*max(e1, e2)"),
        ("3..n", False, "unbounded", "(n - 3)*f + 2*max(e1, e2)"),
        ("<= n", True, "unbounded", "2*n*f + max(4*e1, 4*e2, 2*e1 + 2*e2)"),
        ("= n", True, "bounded", "n*f + max(4*e1, 4*e2, 2*e1 + 2*e2)"),
    ],
)
def test_what_reads_everything(size: str, how: Any, stated: str, right: str) -> None:
    """All rows outside of the parts of one person come and go: n of them, as many as databases have."""
    reads: Any = [["a1", "a2"], ["b1", "b2"], None]
    data = reading_records(bag(1, 2, how), reads, ["unbounded", "unbounded", stated], ["own"] * 3, size=size)
    data["mechanisms"][2]["guarantee"]["epsilon"] = "f"
    data |= {"parameters": {"n": "integer >= 5"}}
    assert verdicts(data, right, f"{right} - f/9", f"{right} - e1/9") == ["proved", "refuted", "refuted"]


@pytest.mark.parametrize(("group", "rows"), [(2, 2), ("r", "r")])
@pytest.mark.parametrize("how", [True, "rows"])
def test_several_persons_have_no_more_rows_than_there_are(group: Any, rows: Any, how: Any) -> None:
    """All n rows are others, however many persons are replaced; a part is moved by each of them."""
    target = {"group": group, "of": bag(1, 1, how)}
    reads: Any = [["a1", "a2"], None]
    data = reading_records(target, reads, ["unbounded"] * 2, ["own"] * 2, size="<= n")
    data |= {"parameters": {"n": "integer >= 2", "r": COUNT}, "assume": [f"n >= {group}"]}
    right = f"2*{rows}*e1 + 2*n*e2"
    assert verdicts(data, right, f"{right} - e2/9", f"{right} - e1/9") == ["proved", "refuted", "refuted"]


@pytest.mark.parametrize(("group", "size"), [(2, "<= n"), (3, "<= 4"), ("r", "1..3")])
def test_several_persons_that_come_and_go_beside_rows_outside(group: Any, size: str) -> None:
    """One may take all its rows and another one bring as many: that is not told, and nothing is refuted."""
    target = {"group": group, "of": bag(1, 1)}
    data = reading_records(target, [None], ["unbounded"], ["own"], size=size)
    data |= {"parameters": {"n": COUNT, "r": COUNT}}
    assert verdicts(data, "6*e1", "oo") == ["undecided", "proved"]


@pytest.mark.parametrize("size", ["<= 0", "= 0", "<= n", "= n"])
@pytest.mark.parametrize("stated", ["unbounded", "bounded", "free-lunch"])
def test_where_there_may_be_no_rows(size: str, stated: Any) -> None:
    """Nobody has any neighbours where there are none, and nothing is lost; with one row it is."""
    data = reading_records(bag(2, 1, True), [None], [stated], ["own"], size=size, records=["a", "b"])
    data |= {"parameters": {"n": "integer >= 0"}, "assume": ["n < 1"]}
    assert verdicts(data, "e1/9")[0] != "refuted"
    assert size[-1] == "0" or verdicts(data | {"assume": ["n >= 2"]}, "e1/9") == ["refuted"]


def test_two_persons_in_a_part_of_one_record() -> None:
    """One person's visit is another one's: if one comes and one goes, nothing has changed."""
    other = bag(1, 2)
    target = {"group": 2, "of": bag(1, 1)}
    data = reading_records(target, [["a"]], [other], ["own"], size="<= n", records=["a", "b"])
    data |= {"parameters": {"n": "integer >= 4"}}
    assert verdicts(data, "2*e1") == ["undecided"]


@pytest.mark.parametrize(
    ("size", "target", "stated", "claim", "lost"),
    [
        ("= 1", bag(1, 1, "rows"), "bounded", "e1 + e2/2", "3"),
        ("<= 1", bag(1, 1, True), "free-lunch", "e1/2 + e2", "3"),
        ("1..3", bag(1, 1, True), "unbounded", "6*e2", "8"),
        ("<= 2", bag(1, 2), "unbounded", "3*e1", "4"),
        ("<= n", {"group": "r", "of": bag(1, 2, True)}, "bounded", "r*e1 + n*e2", "oo"),
    ],
)
def test_databases_of_counterexamples_are_there(
    size: str, target: Any, stated: Any, claim: str, lost: str
) -> None:
    """They have as many rows as the class allows, and what reads everything is as far apart as said."""
    records = ["a1", "a2", "o1", "o2"]
    data = reading_records(
        target, [["a1", "a2"], None], ["unbounded", stated], ["own"] * 2, size=size, records=records
    )
    numbers = {"n": "integer >= 4", "r": COUNT} if "n" in size else {}
    claims = [{"notion": "pure", "epsilon": claim}]
    read = problems.read_data(data | {"parameters": numbers, "claims": claims})
    found = Study(read.setting).check(read.claims[0]).data()["counterexample"]
    D, E = map(Counter, found["databases"])
    gone, come = D - E, E - D
    apart: Any = gone.total() + come.total()
    if stated != "unbounded":
        bounded = gone.total() if gone.total() == come.total() else F(10**9)
        apart = bounded if stated == "bounded" else 1
    assert max(D.total(), E.total()) <= int(found["parameters"].get("n", size[-1]))
    in_part = sum((gone + come)[x] for x in ("a1", "a2"))
    assert found["actual"] == lost == ("oo" if apart == 10**9 else str(in_part + apart))


@pytest.mark.parametrize("size", ["any", "<= 7", "<= n"])
@pytest.mark.parametrize("group", [2, "r"])
def test_counterexamples_of_several_persons_in_a_part(size: str, group: Any) -> None:
    """Two visits to a shop by as many persons are so many bags: how far they are apart is not asked again."""
    one = bag(1, 1)
    reads: Any = [["a1", "a2"], ["b1", "b2"]]
    data = reading_records({"group": group, "of": one}, reads, [one] * 2, ["own"] * 2, size=size)
    data |= {"parameters": {"n": "integer >= 4", "r": COUNT}}
    right = f"{group}*max(e1, e2)"
    claims = (right, f"8/9*{right}", "max(e1, e2)")
    assert verdicts(data, *claims) == ["proved", "refuted", "refuted"]


def test_records_of_several_inputs() -> None:
    """A record counts once, in however many inputs it lies."""
    said = {"notion": "pure", "epsilon": "e[i]"}
    kind = {"kind": "overlapping", "at-most": "m"}
    data = family("H", kind, "bounded", "bounded", "common", said, k=COUNT, m=COUNT)
    data["databases"]["size"] = "= 1"
    right = "top(2*m, e[i], i, 1, k)"
    assert verdicts(data, right, f"8/9*{right}") == ["proved", "refuted"]


def drawn(seed: int) -> dict[str, Any]:
    """A few parts, some rows outside, a person or two, and guarantees for edits or persons."""
    rng = random.Random(seed)
    parts = [["a1", "a2"], ["b1", "b2"], ["c1", "c2"]][: rng.choice([1, 2, 2, 3])]
    L, m, how = rng.choice([1, 1, 2]), rng.choice([1, 1, 2]), rng.choice([False, False, True, "rows"])
    n = rng.randint(1, 3 if len(parts) > 2 else 4)
    size = rng.choice([f"<= {n}", f"= {n}", f"{rng.randint(0, n - 1)}..{n}"])
    own = bag(rng.choice([L, 1, 2]), rng.choice([m, 1, 2]), rng.choice([how, False, True, "rows"]))
    edits = ["unbounded", "bounded", {"union": ["unbounded", "bounded"]}, {"group": 2, "of": "bounded"}]
    reads = [rng.choice([None, *parts, *parts]) for _ in range(rng.choice([1, 2, 3]))]
    target: Any = {"group": 2, "of": bag(L, m, how)} if rng.random() < 0.3 else bag(L, m, how)
    records = [x for part in parts for x in part] + rng.choice([[], ["o1", "o2"]])
    stated = [rng.choice([*edits, *edits, own]) for _ in reads]
    domains = [rng.choice(["own", "common"]) for _ in reads]
    return reading_records(target, reads, stated, domains, size=size, records=records)


def bound(data: dict[str, Any], listed: bool) -> tuple[Fraction | None, bool] | None:
    """What is lost at a point, ∞ as None, and whether that is optimal; None where nothing is known."""
    setting = problems.read_data(data).setting
    setting.__dict__["elaborated"] = Elaborated(setting, listed)
    try:
        found = Study(setting).proofs.guarantee("pure").main
    except NoGuarantee:
        return None
    ((_, term),) = found.says.values
    point = {"e1": F(2), "e2": F(5, 7), "e3": F(11, 13)}
    value = None if term.kind == "oo" else formulas.evaluate(term, {x: point[x] for x in term.letters})
    return value, bool(found.optimal)


@pytest.mark.parametrize("start", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(15, 450, 15))])
def test_against_all_databases_of_a_class(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """No bound is below what is lost at any two databases; where it is optimal it is that."""
    monkeypatch.setattr(contributions, "LARGEST_PREDICATE_CLASS", 0)
    decided = 0
    for seed in range(start, start + 15):
        data = drawn(seed)
        told = bound(data, False)
        if told is None:
            continue
        here = bound(data, True)
        assert here is not None and here[1]
        (bounded, optimal), (lost, _) = told, here
        assert bounded is None or (lost is not None and lost <= bounded), seed
        assert not optimal or lost == bounded, seed
        decided += optimal
    assert decided >= 3
