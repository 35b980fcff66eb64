"""Groups of many steps on limited sizes: against enumeration, by hand, and how long they take."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from policies_at_random import random_policy, said
from problem_data import KEYS, reading_records

from dpcompose.front.studies.study import Study
from dpcompose.kernel import covers
from dpcompose.kernel.covers import policies
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.elaboration.policies import Policies
from dpcompose.privacy.elaboration.records import Records
from dpcompose.search.guarantees import NoGuarantee

F = Fraction
NAMED = ["unbounded", "bounded", {"union": ["unbounded", "bounded"]}]


def problem(m: int, of: Any, size: str, reads: list[Any], *stated: Any) -> dict[str, Any]:
    """Mechanisms that read records, on a limited size, for a group of m steps."""
    records = sorted({one for some in reads if some is not None for one in some} | {"a", "b"})
    return reading_records({"group": m, "of": of}, reads, *stated, records=records, size=size)


def at_points(data: dict[str, Any], notion: str) -> list[Any]:
    """The bound at a few points, enclosed."""
    ((_, term),) = Study(problems.read_data(data).setting).proofs.guarantee(notion).main.says.values
    if term.kind == "oo":
        return ["oo"]
    found = []
    for seed in range(4):
        rng = random.Random(seed)
        point = {f"e{i}": F(rng.randint(1, 40), 7) for i in range(1, 5)}
        found.append(enclosure(formulas.at(term, {name: point[name] for name in term.letters}), 100))
    return found


def same(one: list[Any], other: list[Any]) -> bool:
    if "oo" in (*one, *other):
        return one == other
    return all(max(x.low, y.low) <= min(x.high, y.high) for x, y in zip(one, other, strict=True))


def drawn(seed: int) -> tuple[dict[str, Any], str]:
    rng, notion = random.Random(seed), random.Random(seed).choice(list(KEYS))
    records = list("abcd")[: rng.choice([2, 3, 3, 4])]
    least = rng.choice([0, 0, 1])
    size = rng.choice(
        [f"<= {rng.randint(1, 4)}", f"= {rng.randint(1, 4)}", f"{least}..{least + rng.randint(1, 3)}"]
    )
    count = rng.randint(1, 3)
    reads = [
        rng.choice([None, *(rng.sample(records, n) for n in range(1, len(records)))]) for _ in range(count)
    ]
    ways, domains = list(NAMED), [rng.choice(["own", "common"]) for _ in reads]
    of = rng.choice(ways)
    data = problem(rng.randint(2, 5), of, size, reads, [rng.choice(ways) for _ in reads], domains, notion)
    data["databases"]["records"] = records
    return data, notion


@pytest.mark.parametrize(
    "seed", [*range(60), *(pytest.param(n, marks=pytest.mark.slow) for n in range(60, 1500))]
)
def test_corners_say_what_enumeration_says(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    data, notion = drawn(seed)
    with monkeypatch.context() as patch:
        patch.setattr(covers, "FEW", 0)
        patch.setattr("dpcompose.kernel.covers.groups.are_scaled", lambda setting: False)
        by_corners = at_points(data, notion)
    with monkeypatch.context() as patch:
        for elaboration in (Records, Policies):
            patch.setattr(elaboration, "of", classmethod(lambda cls, setting: None))
        assert same(by_corners, at_points(data, notion)), data


@pytest.mark.parametrize(
    "seed", [*range(40), *(pytest.param(n, marks=pytest.mark.slow) for n in range(40, 800))]
)
def test_single_edges_taken_often_say_what_enumeration_says(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, notion = drawn(seed)
    rng = random.Random(seed)
    records = data["databases"]["records"]
    data["granularities"] = {"p": random_policy(rng, records)}
    data["target"] = {"granularity": {"group": rng.randint(2, 3), "of": "p"}}
    for one in data["mechanisms"]:
        one["guarantee"]["granularity"] = rng.choice(["p", *NAMED])
    for elaboration in (Policies,):
        monkeypatch.setattr(elaboration, "has_room", classmethod(lambda cls, setting: True))
    assert type(Elaborated(problems.read_data(data).setting).kind).__name__ in ("Policies", "Records")
    with monkeypatch.context() as patch:
        patch.setattr(policies, "MOST_STEPS", 1)
        patch.setattr(covers, "FEW", 0)
        try:
            often = at_points(data, notion)
        except NoGuarantee as error:
            assert "do not fit into databases" in str(error) or "not convex" in str(error)
            return
    with monkeypatch.context() as patch:
        for elaboration in (Records, Policies):
            patch.setattr(elaboration, "of", classmethod(lambda cls, setting: None))
        assert same(often, at_points(data, notion)), data


PARTS: list[Any] = [[f"r{i}", f"s{i}"] for i in range(8)]


@pytest.mark.parametrize(
    ("m", "size", "of", "stated", "domain", "bound"),
    [
        (100, "<= 100", "bounded", "bounded", "common", "100*top(2, {})"),
        (100, "= 250", "bounded", "unbounded", "own", "200*max({})"),
        (100, "<= 60", "bounded", "bounded", "common", "60*top(2, {})"),  # there are no more records
        (100, "50..60", "bounded", "unbounded", "own", "120*max({})"),
        (100, "<= 200", "unbounded", "unbounded", "own", "100*max({})"),
        (100, "<= 60", "unbounded", "unbounded", "own", "100*max({})"),  # 60 exchanged for 40 others
        (100, "= 200", "unbounded", "unbounded", "own", "0"),
    ],
)
def test_a_hundred_people_at_once_by_hand(
    m: int, size: str, of: str, stated: str, domain: str, bound: str
) -> None:
    data = problem(m, of, size, PARTS, [stated] * 8, [domain] * 8)
    ((_, term),) = Study(problems.read_data(data).setting).proofs.guarantee("pure").main.says.values
    names = [f"e{i}" for i in range(1, 9)]
    rng = random.Random(0)
    known = {name: formulas.parse(str(rng.randint(1, 50)), {}) for name in names}
    wanted = formulas.parse(bound.format(", ".join(names)), known)
    assert (
        formulas.evaluate(term, {name: x.number for name, x in known.items() if x.number is not None})
        == wanted.number
    )


def test_a_claim_below_is_refuted_by_that_many_records() -> None:
    data = problem(20, "bounded", "<= 50", PARTS[:4], ["bounded"] * 4, ["common"] * 4)
    texts = ["20*top(2, e1, e2, e3, e4)", "20*max(e1, e2, e3, e4)", "10*(e1 + e2 + e3 + e4)"]
    read = problems.read_data({**data, "claims": [{"notion": "pure", "epsilon": one} for one in texts]})
    found = [Study(read.setting).check(one) for one in read.claims]
    assert [one.verdict for one in found] == ["proved", "refuted", "refuted"]
    for one in found[1:]:
        example = one.counterexample
        assert example is not None and all(
            len(side) == 20 and side in read.setting.databases for side in example.pair
        )


def test_approximate_guarantees_use_every_type_where_there_are_few() -> None:
    """Curves need all types, corners do for sums: the closer delta of a small group is still found."""
    data = problem(2, "bounded", "<= 9", PARTS[:2], ["bounded"] * 2, ["common"] * 2)
    for i, one in enumerate(data["mechanisms"], start=1):
        one["guarantee"] |= {"notion": "approximate", "delta": f"d{i}"}
    assert said(data)


def test_deltas_alone_add_up_over_any_number_of_steps() -> None:
    """GB VI.3 for epsilon = 0: (0, d) for one step is (0, m*d) for m, and no less."""
    data = reading_records({"group": "m", "of": "unbounded"}, [None], ["unbounded"], ["common"])
    data["parameters"] = {"m": "integer >= 1"}
    data["mechanisms"][0]["guarantee"] |= {"notion": "approximate", "epsilon": "0", "delta": "d"}
    deltas = ("m*d", "m*d/2 + d/4")
    data["claims"] = [{"notion": "approximate", "epsilon": "0", "delta": delta} for delta in deltas]
    read = problems.read_data(data)
    assert [Study(read.setting).check(one).verdict for one in read.claims] == ["proved", "refuted"]
