"""What one person contributes where one record alone lies in no part: by hand, and against enumeration."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from problem_data import bag, reading_records
from shares import seeds

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.elaboration.listed import Listed
from dpcompose.search.guarantees import NoGuarantee

WAYS: list[bool | str] = [False, True, "rows"]


def study(target: Any, reads: Any, stated: Any, domains: Any, **databases: Any) -> Study:
    return Study(problems.read_data(reading_records(target, reads, stated, domains, **databases)).setting)


@pytest.mark.parametrize(
    ("target", "stated", "bound"),
    [
        (bag(1, 2), "unbounded", "2*max(e1, e2)"),
        (bag(2, 1), "unbounded", "e1 + e2"),
        (bag(1, 2, True), "unbounded", "2*max(2*e1, 2*e2, e1 + e2)/1"),
        (bag(1, 2), bag(1, 2), "max(e1, e2)"),
    ],
)
def test_by_hand(target: Any, stated: Any, bound: str) -> None:
    found = study(target, [["a"], ["b"]], [stated] * 2, ["own"] * 2, records=["a", "b", "c"])
    claim = found.check(dpc.pure(bound))
    assert claim.verdict == "proved"
    wrong = found.check(dpc.pure("e1"))
    assert wrong.verdict == "refuted" and "another" not in str(wrong.counterexample)


@seeds(12, 40)
def test_finite_classes_say_the_same(seed: int) -> None:
    rng = random.Random(seed)
    L, m = rng.choice([(1, 1), (1, 2), (2, 1)])
    kept = rng.choice([["a", "a'"], ["a"]])
    reads = [kept, ["b", "b'"]]
    records = [*kept, "b", "b'", "z"]
    ways = ["unbounded", "bounded", {"union": ["bounded", "unbounded"]}, *(bag(L, m, how) for how in WAYS)]
    stated, domains = [rng.choice(ways) for _ in reads], [rng.choice(["own", "common"]) for _ in reads]
    target = bag(L, m, rng.choice(WAYS))
    try:
        every = study(target, reads, stated, domains, records=records).proofs.guarantee("pure").main
    except NoGuarantee as error:
        assert any(words in str(error) for words in ("rows outside of all parts", "other numbers of parts"))
        return
    some = study(target, reads, stated, domains, records=records, size="<= 4")
    assert isinstance(Elaborated(some.setting).kind, Listed)
    ((_, left),), ((_, right),) = every.says.values, some.proofs.guarantee("pure").main.says.values
    point = {f"e{j}": Fraction(rng.randint(1, 30), 7) for j in (1, 2)}
    one, other = (None if x.kind == "oo" else formulas.evaluate(x, point) for x in (left, right))
    assert one == other, (target, stated, domains, records)


def test_where_somebody_reads_everything_it_is_refused() -> None:
    found = study(bag(1, 2), [["a"], None], ["unbounded"] * 2, ["own"] * 2, records=["a", "b"])
    with pytest.raises(NoGuarantee, match="is the only record outside of all parts, and is read"):
        found.guarantee()
