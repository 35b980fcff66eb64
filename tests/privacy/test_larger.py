"""Steps counted among databases of any size: by hand, against finite classes by definition, refused."""

from __future__ import annotations

import random
from typing import Any

import pytest
from policies_at_random import said

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.elaboration.listed import Listed
from dpcompose.privacy.elaboration.records import Records


def within(m: int, of: Any) -> dict[str, Any]:
    return {"steps": m, "of": of, "within": "any size"}


def problem(
    size: str, target: Any, stated: list[Any], domains: list[str], kind: str = "multisets", **databases: Any
) -> dict[str, Any]:
    reads: list[list[str] | None] = [["a"], ["b", "c"], None]
    return {
        "format": 1,
        "databases": {"kind": kind, "size": size, **databases},
        "target": {"granularity": target},
        "mechanisms": [
            {
                "name": f"M{i}",
                "reads": "everything" if read is None else {"records": read},
                "guarantee": {"notion": "pure", "epsilon": f"e{i}", "granularity": of, "domain": domain},
            }
            for i, (read, of, domain) in enumerate(zip(reads, stated, domains, strict=False), start=1)
        ],
    }


def guarantee(data: dict[str, Any]) -> str:
    found = Study(problems.read_data(data).setting).proofs.guarantee("pure").main
    ((_, term),) = found.says.values
    return formulas.to_text(term)


@pytest.mark.parametrize(
    ("size", "m", "of", "bound"),
    [
        ("= 5", 2, "unbounded", "max(e1 + e2, 2*e2)"),  # replaced: a for b, b for c
        ("= 5", 3, "unbounded", "max(e1 + e2, 2*e2)"),
        ("= 5", 4, "unbounded", "max(2*e1 + 2*e2, e1 + 3*e2, 4*e2)"),
        ("= 5", 1, "bounded", "max(e1 + e2, 2*e2)"),
        ("= 1", 4, "unbounded", "max(e1 + e2, 2*e2)"),
        ("<= 5", 2, "unbounded", "max(2*e1, e1 + e2, 2*e2)"),
        (">= 2", 2, "unbounded", "max(2*e1, e1 + e2, 2*e2)"),
        ("any", 2, "unbounded", "max(2*e1, e1 + e2, 2*e2)"),
    ],
)
def test_bounds_by_hand(size: str, m: int, of: str, bound: str) -> None:
    """Unbounded guarantees on the own domain, of any size or up to n there."""
    data = problem(size, within(m, of), ["unbounded"] * 2, ["own"] * 2, records=["a", "b", "c"])
    assert guarantee(data) == bound


def test_one_step_joins_no_two_databases_of_one_size() -> None:
    data = problem("= 3", within(1, "unbounded"), ["unbounded"] * 2, ["own"] * 2)
    study = Study(problems.read_data(data).setting)
    assert study.warnings and guarantee(data) == "0"


def test_bounded_is_two_steps_of_unbounded_where_all_have_one_size() -> None:
    for stated in ("unbounded", "bounded"):
        for domain in ("own", "common"):
            bounds = {
                guarantee(problem("= 4", target, [stated] * 3, [domain] * 3))
                for target in ("bounded", within(2, "unbounded"), within(3, "unbounded"))
            }
            assert len(bounds) == 1, bounds


@pytest.mark.parametrize("seed", range(60))
def test_types_say_what_enumeration_says(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    of = rng.choice(["unbounded", "bounded", {"union": ["bounded", "unbounded"]}])
    stated = [rng.choice(["unbounded", "bounded", {"union": ["bounded", "unbounded"]}]) for _ in range(3)]
    size = rng.choice(["= 1", "= 2", "= 3", "<= 2", "<= 3", "1..2", "1..3", "2..3"])
    domains = [rng.choice(["own", "common"]) for _ in range(3)]
    records = rng.choice([["a", "b", "c"], ["a", "b", "c", "d"]])
    data = problem(size, within(rng.randint(1, 3), of), stated, domains, records=records)
    assert isinstance(Elaborated(problems.read_data(data).setting).kind, Records)
    by_types = said(data)
    monkeypatch.setattr(Records, "of", classmethod(lambda cls, setting: None))
    assert isinstance(Elaborated(problems.read_data(data).setting).kind, Listed)
    assert by_types == said(data), data


@pytest.mark.parametrize("kind", ["multisets", "sets"])
def test_finite_classes_go_by_the_definition(kind: str) -> None:
    """A guarantee for two unbounded steps of any size, on classes of one size, is one for replacing a record."""
    data = problem("= 2", "bounded", [within(2, "unbounded")] * 3, ["own"] * 3, kind, records=["a", "b", "c"])
    same = problem("= 2", "bounded", ["bounded"] * 3, ["own"] * 3, kind, records=["a", "b", "c"])
    data["mechanisms"], same["mechanisms"] = data["mechanisms"][2:], same["mechanisms"][2:]
    data["mechanisms"][0]["reads"] = same["mechanisms"][0]["reads"] = "everything"
    assert guarantee(data) == guarantee(same) == "e3"
    target = problem(
        "= 2", within(2, "unbounded"), ["bounded"] * 3, ["common"] * 3, kind, records=["a", "b", "c"]
    )
    plain = problem("= 2", "bounded", ["bounded"] * 3, ["common"] * 3, kind, records=["a", "b", "c"])
    assert guarantee(target) == guarantee(plain)


def test_policies_are_counted_on_finite_classes() -> None:
    data = problem("= 2", within(2, "come"), ["bounded"] * 2, ["common"] * 2, records=["a", "b", "c"])
    data["granularities"] = {"come": {"add-remove": ["a", "b"]}}
    assert guarantee(data) == "e1 + e2"  # a for b, and c for none


def test_python_says_what_files_say() -> None:
    data = problem("= 2", within(2, "unbounded"), ["bounded"] * 3, ["own"] * 3)
    made = problems.read_data(data).setting
    assert made.target == dpc.within_any_size(2, dpc.unbounded)
    again = problems.read_text(Study(made).to_toml()).setting
    assert again.target == made.target and str(made.target) == "2 unbounded steps within any size"


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ({"steps": 0, "of": "unbounded", "within": "any size"}, "1 to 1,000 steps"),
        ({"steps": 2, "of": "unbounded", "within": "= 3"}, 'within = "any size"'),
        ({"steps": 2, "of": "unbound", "within": "any size"}, "did you mean"),
        ({"steps": 2, "of": "unbounded"}, "a group of neighbours is"),
        (within(2, {"group": 2, "of": "unbounded"}), "single steps are counted"),
        (within(2, within(2, "unbounded")), "single steps are counted"),
        ({"group": 2, "of": within(2, "unbounded")}, "inside of the class"),
    ],
)
def test_what_is_no_such_relation_is_refused(target: Any, words: str) -> None:
    with pytest.raises(problems.ProblemError, match=words):
        problems.read_data(problem("= 3", target, ["unbounded"] * 3, ["own"] * 3))


def test_other_classes_are_refused() -> None:
    data = problem("= 3", within(2, "bounded"), ["bounded"], ["own"], "tuples", records=["a", "b"])
    data["mechanisms"][0]["reads"] = "everything"
    with pytest.raises(problems.ProblemError, match="about multisets and sets"):
        problems.read_data(data)
