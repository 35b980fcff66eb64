"""Approximate, zero-concentrated and Gaussian privacy: bounds by hand, saved and checked again."""

from __future__ import annotations

from typing import Any

import pytest
import rechecks
from in_notions import ABC, MAKE, claim, values
from shipped import PROBLEMS

import dpcompose as dpc
from dpcompose.front.studies.loading import load
from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas as terms
from dpcompose.language import formulas

# ---------------------------------------------------------------- by hand


PARTS = dpc.record_partition(ABC, ["a"], ["b"], ["c"])
HALVES = (dpc.positions(1, 2), dpc.positions(3, 4))
PAIRS = dpc.tuples(["x", "y"], "= 4")
Named = dict[str, tuple[str, tuple[str, ...], bool]]
BY_HAND: dict[str, tuple[Any, Any, Any, str | None, Any, Named]] = {
    "everything is read": (
        ABC,
        dpc.unbounded,
        dpc.unbounded,
        None,
        [dpc.everything] * 3,
        {
            "approximate": ("GB:VI.5", ("e1 + e2 + e3", "d1 + d2 + d3"), False),
            "zcdp": ("GB:VI.15", ("r1 + r2 + r3",), True),
            "gaussian": ("GB:VI.23", ("sqrt(m1**2 + m2**2 + m3**2)",), True),
        },
    ),
    "parts on their own domain": (
        ABC,
        dpc.unbounded,
        dpc.unbounded,
        "own",
        PARTS,
        {
            "approximate": ("GB:VI.6", ("max(e1, e2, e3)", "max(d1, d2, d3)"), True),
            "zcdp": ("GB:VI.16", ("max(r1, r2, r3)",), True),
            "gaussian": ("GB:VI.26", ("max(m1, m2, m3)",), True),
        },
    ),
    "parts on the common domain": (
        ABC,
        dpc.unbounded,
        dpc.unbounded,
        "common",
        PARTS,
        {
            "approximate": ("GB:A.13", ("max(e1, e2, e3)", "max(d1, d2, d3)"), True),
            "zcdp": ("GB:A.15", ("max(r1, r2, r3)",), True),
            "gaussian": ("GB:A.17", ("max(m1, m2, m3)",), True),
        },
    ),
    "halves of tuples": (
        PAIRS,
        dpc.bounded,
        dpc.bounded,
        "own",
        HALVES,
        {
            "approximate": ("GB:VI.6", ("max(e1, e2)", "max(d1, d2)"), True),
            "zcdp": ("GB:VI.16", ("max(r1, r2)",), True),
            "gaussian": ("GB:VI.26", ("max(m1, m2)",), True),
        },
    ),
    "a replacement moves two parts": (
        ABC,
        dpc.bounded,
        dpc.bounded,
        "common",
        PARTS,
        {
            "approximate": ("parallel-bounded", ("top(2, e1, e2, e3)", "top(2, d1, d2, d3)"), False),
            "zcdp": ("parallel-bounded", ("top(2, r1, r2, r3)",), True),
            "gaussian": ("GB:A.18", ("sqrt(top(2, m1**2, m2**2, m3**2))",), True),
        },
    ),
    "a replacement is two unbounded steps": (
        ABC,
        dpc.bounded,
        dpc.unbounded,
        None,
        [dpc.everything] * 2,
        {
            "approximate": ("GB:A.3", ("2*e1 + 2*e2", "d1*(1 + exp(e1)) + d2*(1 + exp(e2))"), False),
            "zcdp": ("GB:A.3", ("4*r1 + 4*r2",), True),
            "gaussian": ("GB:A.3", ("2*sqrt(m1**2 + m2**2)",), True),
        },
    ),
    "parts under replacement, stated unbounded": (
        ABC,
        dpc.bounded,
        dpc.unbounded,
        "own",
        (dpc.restriction({"a", "b"}), dpc.restriction({"c"})),
        {
            "approximate": ("GB:VI.4", ("max(2*e1, e1 + e2)", "max(d1 + d1*exp(e1), d1 + d2)"), False),
            "zcdp": ("GB:VI.13", ("max(4*r1, r1 + r2)",), True),
            "gaussian": ("GB:VI.21", ("max(2*m1, sqrt(m1**2 + m2**2))",), True),
        },
    ),
    "a part of a replacement under unbounded": (
        ABC,
        dpc.unbounded,
        dpc.bounded,
        "common",
        [dpc.restriction({"a"})],
        {
            "approximate": ("GB:A.12", ("e1", "d1"), True),
            "zcdp": ("GB:A.14", ("r1",), True),
            "gaussian": ("", ("m1",), True),
        },
    ),
    "no bound": (
        ABC,
        dpc.bounded,
        dpc.bounded,
        "own",
        PARTS,
        {
            "approximate": ("GB:VI.4", ("oo", "oo"), True),
            "zcdp": ("GB:VI.13", ("oo",), True),
            "gaussian": ("GB:VI.21", ("oo",), True),
        },
    ),
}


def by_hand(case: str, notion: str) -> tuple[Study, str, tuple[str, ...], bool]:
    on, target, stated, domain, maps, expected = BY_HAND[case]
    mechanisms = [
        dpc.mechanism(f"M{i}", claim(notion, *values(notion, i)).about(stated), reads=f)
        if domain is None
        else dpc.mechanism(f"M{i}", MAKE[notion](*values(notion, i), stated, domain), reads=f)
        for i, f in enumerate(maps, start=1)
    ]
    domains = {name: "in (0,1)" for i in range(1, len(maps) + 1) for name in values(notion, i)[1:]}
    item, texts, optimal = expected[notion]
    return dpc.compose(*mechanisms, on=on, target=target, parameters=domains), item, texts, optimal


EVERY = [(case, notion) for case, row in BY_HAND.items() for notion in row[-1]]


@pytest.mark.parametrize(("case", "notion"), EVERY)
def test_by_hand(case: str, notion: str) -> None:
    study, item, texts, optimal = by_hand(case, notion)
    found = study.bound.summed
    assert found.optimal == optimal
    if item and case != "a part of a replacement under unbounded":
        assert found.item == item
    verdict = study.check(claim(notion, *texts))
    assert (verdict.verdict, verdict.loose) == ("proved", not optimal)
    pasted = study.check(claim(notion, *(formulas.to_text(value) for value in found.values.values())))
    assert (pasted.verdict, pasted.loose) == (verdict.verdict, verdict.loose)
    if "oo" not in texts:
        above = study.check(claim(notion, *(f"2*({text})" for text in texts)))
        assert above.verdict == "proved" and above.loose in (True, None)
        below = study.check(claim(notion, *(f"({text})/2" for text in texts)))
        assert below.verdict == "refuted" or (notion == "approximate" and "exp" in texts[-1])


@pytest.mark.parametrize(("case", "notion"), EVERY)
def test_saved_derivations_are_accepted(case: str, notion: str) -> None:
    study, _, texts, _ = by_hand(case, notion)
    claims = [study.claim(claim(notion, *texts))]
    if "oo" not in texts:
        claims += [
            study.claim(claim(notion, *(f"{c}*({text})" for text in texts))) for c in ("1/2", "2", "9/5")
        ]
    verdicts = [study.check(one) for one in claims]
    found = rechecks.rechecked(study, verdicts).checked
    assert found.guarantee is not None and found.guarantee.notion == notion
    symbols = found.setting.symbols
    stated = study.bound.guarantee.texts
    assert found.guarantee.values == tuple((key, terms.parse(text, symbols)) for key, text in stated)
    assert found.optimal == study.bound.optimal


def test_parallel_composition_needs_compatible_parts() -> None:
    """GB Cor. A.13 and A.15 as printed leave it out: a replacement moves two parts of a partition."""
    for notion, item in (("approximate", "disjoint-common-domain"), ("zcdp", "disjoint-common-domain")):
        study, *_ = by_hand("a replacement moves two parts", notion)
        fit = next(fit for fit in study.theorems() if fit.page.id == item)
        assert not fit.fits and "compatible" in fit.reason
        largest = [
            f"max({', '.join(one)})" for one in zip(*(values(notion, i) for i in (1, 2, 3)), strict=True)
        ]
        verdict = study.check(claim(notion, *largest))
        assert verdict.verdict == "refuted"
        example = verdict.counterexample
        assert example is not None and example.pair == (("a",), ("b",))
        assert example.data()["actual"] == {"approximate": "0.75", "zcdp": "2"}[notion]
        assert example.data()["claimed"] == {"approximate": "0.5", "zcdp": "1"}[notion]


# ---------------------------------------------------------------- a notion of one's own


def test_problem_files_of_all_notions() -> None:
    for name in PROBLEMS:
        load(name)
