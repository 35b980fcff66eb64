"""What is cited where mechanisms read earlier outputs: the adaptive theorems with their numbers, or a derived form."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest
from golden_results import THEORY

import dpcompose as dpc
from dpcompose.front.studies.study import Study

RECORDS = dpc.multisets("abcd")
MAKE: dict[str, Any] = {
    "pure": lambda x, *about: dpc.pure(x, *about),
    "approximate": lambda x, *about: dpc.approximate(x, "1/100", *about),
    "zcdp": lambda x, *about: dpc.zcdp(x, *about),
    "gaussian": lambda x, *about: dpc.gaussian(x, *about),
}
U, B = dpc.unbounded, dpc.bounded
Part = tuple[str | None, Any, str | None]
"""The records that a mechanism reads (None: everything), and the neighbours and the domain of its guarantee."""


def study(target: Any, *parts: Part, notion: str = "pure", adaptive: bool = True) -> Study:
    mechanisms = [
        dpc.mechanism(
            f"M{i}",
            MAKE[notion](f"e{i}", granularity, domain),
            reads=dpc.everything if reads is None else dpc.restriction(list(reads)),
        )
        for i, (reads, granularity, domain) in enumerate(parts, start=1)
    ]
    return dpc.compose(*mechanisms, on=RECORDS, target=target, adaptive=adaptive)


OWN_PARTS = (("a", U, "own"), ("b", U, "own"))
COMMON_PARTS = (("a", U, "common"), ("b", U, "common"))
CITED = [
    ("sequential", U, ((None, U, None), (None, U, None)), "V.3 VI.5 VI.15 VI.23"),
    ("disjoint-own-domain", U, OWN_PARTS, "V.4 VI.6 VI.16 VI.26"),
    ("disjoint-common-domain", U, COMMON_PARTS, "V.6 A.13 A.15 A.17"),
    ("composition-own-domain", B, (("ab", U, "own"), ("bc", U, "own")), "V.2 VI.4 VI.13 VI.21"),
    ("composition-common-domain", U, (("ab", U, "common"), ("bc", U, "common")), "V.5 VI.7 VI.14 VI.22"),
]


@pytest.mark.parametrize(("id", "target", "parts", "numbers"), CITED, ids=[one[0] for one in CITED])
def test_adaptive_theorems_are_cited_with_their_numbers(
    id: str, target: Any, parts: tuple[Part, ...], numbers: str
) -> None:
    for notion, number in zip(MAKE, numbers.split(), strict=True):
        bound = study(target, *parts, notion=notion).bound
        assert bound.theorem.id == id
        assert bound.theorem.cite(notion, adaptive=True) == f"GB:{number}"
        assert bound.theorem.name(notion, adaptive=True) == f"Theorem {number}"


PARALLEL = (("a", B, "common"), ("b", B, "common"), ("c", B, "common"))


@pytest.mark.parametrize(
    ("id", "target", "parts", "cited"),
    [
        ("parallel-bounded", B, PARALLEL, "GB:IV.13 (adaptive form)"),
        ("part-of-bounded", U, (("ab", B, "common"),), "GB:IV.15"),
        ("comparison", B, ((None, U, None), (None, U, None)), "GB:A.3"),
        ("commuting-metric", B, (("ab", U, "own"), ("cd", U, "own")), "GB:IV-C (adaptive form)"),
    ],
)
def test_what_the_source_has_for_independent_mechanisms_is_derived_and_said_so(
    id: str, target: Any, parts: tuple[Part, ...], cited: str
) -> None:
    found = study(target, *parts)
    assert found.bound.theorem.id == id or "the best bound" in reason(found, id)
    page, independent = THEORY.pages[id], "adaptive form" in cited
    assert page.cite("pure", adaptive=True) == cited
    assert page.name("pure", adaptive=True).endswith("(adaptive form)") is independent
    assert "Adaptive mechanisms" in page.body.partition("**Proof.**")[0]
    alone = study(target, *parts, adaptive=False)
    assert alone.guarantee().epsilon == found.guarantee().epsilon


def reason(of: Study, id: str) -> str:
    return next(fit.reason for fit in of.theorems() if fit.page.id == id)


def test_what_is_declared_is_not_called_checked() -> None:
    shown = str(study(B, *PARALLEL).guarantee().derivation)
    assert "[declared by adaptive = true]" in shown and "checked: declared" not in shown
    assert shown.count("whatever the earlier outputs are, every mechanism keeps") == 1
    assert "by GB:IV.13 (adaptive form), parallel-bounded from 5-9" in " ".join(shown.split())
    assert "declared" not in str(study(B, *PARALLEL, adaptive=False).guarantee().derivation)


def test_a_page_about_independent_mechanisms_is_not_cited_for_adaptive_ones() -> None:
    page = THEORY.pages["parallel-bounded"]
    other = replace(page, head=replace(page.head, adaptively=None))
    theory = replace(THEORY, pages=MappingProxyType({**THEORY.pages, page.id: other}))
    for adaptive in (True, False):
        setting = study(B, *PARALLEL, adaptive=adaptive).setting
        bound = Study(setting, theory).bound
        cited = "composition-common-domain" if adaptive else "parallel-bounded"
        assert bound.theorem.id == cited and bound.guarantee == Study(setting, THEORY).bound.guarantee
        fit = next(fit for fit in bound.fits if fit.page.id == page.id)
        assert (fit.reason == "it is about independent mechanisms") is adaptive


def test_each_composition_theorem_says_what_it_needs_of_adaptive_mechanisms() -> None:
    for page in THEORY.of_kind("named"):
        assert page.head.adaptively is not None and page.head.adaptively.is_ == "given earlier outputs"
        assert "*Adaptive mechanisms" in page.body.partition("**Proof.**")[0]
        assert set(page.head.adaptive_items) <= set(page.head.items)


# IV.11 with guarantees for different neighbours, and results about sets


def test_on_the_common_domain_each_guarantee_has_its_own_neighbours() -> None:
    """Replacing an a by b moves M1 by one of its steps, and M2 by two add/remove steps: a goes, b comes."""
    found = study(B, ("a", B, "common"), ("ab", U, "common"), adaptive=False)
    assert found.bound.theorem.id == "composition-common-domain"
    assert str(found.guarantee().epsilon) == "e1 + 2*e2"
    assert found.check(dpc.pure("e1 + e2")).verdict == "refuted"


def on_sets(target: Any, *parts: Part) -> Study:
    some = study(target, *parts, adaptive=False).setting.mechanisms
    return dpc.compose(*some, on=dpc.sets("abc"), target=target)


def test_sets_are_divided_by_their_records() -> None:
    parallel = on_sets(B, *PARALLEL[:2])
    assert parallel.bound.theorem.id == "parallel-bounded"
    assert str(parallel.guarantee().epsilon) == "e1 + e2" and parallel.guarantee().optimal
    part = on_sets(U, ("ab", B, "common"))
    assert part.bound.theorem.id == "part-of-bounded" and str(part.guarantee().epsilon) == "e1"


def test_what_a_page_is_about_is_said_of_other_classes() -> None:
    tuples = dpc.compose(
        dpc.mechanism("M", dpc.pure("e", B), reads=dpc.everything), on=dpc.tuples("ab", "= 2"), target=B
    )
    assert reason(tuples, "parallel-bounded") == (
        'it needs "p is a record-wise partition". It is not: it is about multisets and sets of records, and '
        "not about all tuples of length 2 over {a, b}"
    )


def test_the_table_of_theorems_has_the_other_notions_of_a_comparison() -> None:
    """A guarantee for add/remove neighbours, m = 2 steps: m²ρ, mμ, and δ(1 + e^ε)."""
    for notion, key, value in (
        ("zcdp", "rho", "4*e1 + 4*e2"),
        ("gaussian", "mu", "sqrt(4*e1**2 + 4*e2**2)"),
        ("approximate", "delta", "exp(e1)/100 + exp(e2)/100 + 1/50"),
    ):
        found = study(B, (None, U, None), (None, U, None), notion=notion, adaptive=False)
        assert found.bound.theorem.id == "comparison"
        assert dict(found.bound.summed.guarantee.texts)[key] == value
