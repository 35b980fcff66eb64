"""Audits: counterexamples are looked at again by plain arithmetic, planted false pages fall, pages that ship stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dpcompose.front import files
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Page
from dpcompose.search.audits.audits import MOST, READERS, Answer, answers
from dpcompose.search.audits.outcomes import enclosed, power_of_e
from dpcompose.search.audits.problems import problem
from dpcompose.search.audits.suppositions import NoSearch

THEORY = registry.standard()
FEW = 3


def found(page: Page | str, notion: str, without: str = "", most: int = FEW) -> Answer:
    """The answer of one search."""
    asked = THEORY.pages[page] if isinstance(page, str) else page
    keys = {one.without.key if one.without else "": one for one in answers(THEORY, asked, most, [notion])}
    return keys[without]


# every counterexample is one, by arithmetic that shares no code with the search


def excess(P: Sequence[Fraction], Q: Sequence[Fraction], c: Fraction) -> Fraction:
    return sum((max(Fraction(0), p - c * q) for p, q in zip(P, Q, strict=True)), Fraction(0))


def joint(rows: Sequence[Sequence[Sequence[Fraction]]], x: int) -> list[Fraction]:
    """The probabilities of all outcomes of independent mechanisms at a database."""
    every = [Fraction(1)]
    for one in rows:
        every = [p * q for p in every for q in one[x]]
    return every


def limits(values: Any) -> tuple[Fraction, Fraction]:
    """e^epsilon and delta, from above."""
    delta = enclosed(values["delta"]).high if "delta" in values else Fraction(0)
    return power_of_e(values["epsilon"]).high, delta


def hold_guarantees(answer: Answer) -> None:
    """Each of some independent mechanisms has its guarantee at all neighbours for which it is stated."""
    assert answer.found is not None
    world = answer.found.world
    for reading, rows, given in zip(world.readings, answer.found.rows, answer.found.given, strict=True):
        c, delta = limits(given)
        near = reading.stated.pairs
        if reading.inside is not None:
            near = frozenset(
                (x, y)
                for x in range(len(world.names))
                for y in range(len(world.names))
                if (reading.values[x], reading.values[y]) in reading.inside.pairs
            )
        assert all(excess(rows[x], rows[y], c) <= delta for x, y in near)
        assert all(sum(row) == 1 and min(row) >= 0 for row in rows)
        if answer.without is None or answer.without.key != "depends":
            same = {reading.values[x]: rows[x] for x in range(len(world.names))}
            assert all(same[v] == row for v, row in zip(reading.values, rows, strict=True))


def hold_loss(answer: Answer) -> None:
    """More is lost than is concluded, at target neighbours."""
    assert answer.found is not None
    (x, y), rows = answer.found.pair, answer.found.rows
    assert (x, y) in answer.found.world.target.pairs
    c, delta = limits(answer.found.claim)
    assert excess(joint(rows, x), joint(rows, y), c) > delta


SLOW = {"sequential", "commuting-metric", "comparison", "composition-common-domain", "composition-own-domain"}
SLOW |= {"composition-over-a-policy", "disjoint-common-domain", "disjoint-own-domain", "parallel-bounded"}


def pages(*kinds: str) -> list[Any]:
    """The ids of the pages of some kinds; a normal run takes those of which not much is to be gone through."""
    every = [page.id for kind in kinds for page in THEORY.of_kind(kind)]
    return [pytest.param(one, id=one, marks=[pytest.mark.slow] if one in SLOW else []) for one in every]


@pytest.mark.parametrize("id", pages("named"))
def test_counterexamples_are_counterexamples(id: str) -> None:
    looked = 0
    for notion in ("pure", "approximate"):
        for answer in answers(THEORY, THEORY.pages[id], FEW, [notion]):
            assert answer.without is not None or answer.found is None
            if answer.found is not None:
                hold_loss(answer)
                looked += 1
                if not answer.found.joint:
                    hold_guarantees(answer)
    assert looked >= 4


def test_parts_of_joint_tables_have_their_guarantees() -> None:
    """Without independence each mechanism by itself has its guarantee, and all they say tells more."""
    answer = found("parallel-bounded", "pure", "independent", 1).found
    assert answer is not None and answer.joint and answer.lost == "oo"
    P, Q = (answer.rows[0][x] for x in answer.pair)
    for at in ([0, 1], [2, 3]), ([0, 2], [1, 3]):
        marginals = [[sum(row[n] for n in some) for some in at] for row in (P, Q)]
        assert excess(*marginals, Fraction(2)) == excess(*marginals[::-1], Fraction(2)) == 0


# what is known to be needed


def hold_shifts(answer: Answer) -> None:
    """Of normal noise: each mean moves by n at most where a guarantee allows n, and all together too far."""
    assert answer.found is not None
    (x, y), world = answer.found.pair, answer.found.world
    square = sum((rows[x][0] - rows[y][0]) ** 2 for rows in answer.found.rows)
    (key, claim), *_ = answer.found.claim.items()
    bound = enclosed(substituted(claim)).high
    assert square > (bound**2 if key == "mu" else bound)
    for reading, rows, given in zip(world.readings, answer.found.rows, answer.found.given, strict=True):
        allowed = enclosed(substituted(given[key])).high
        for a, b in reading.stated.pairs if reading.inside is None else ():
            assert (rows[a][0] - rows[b][0]) ** 2 <= (allowed**2 if key == "mu" else allowed)


def substituted(value: Any) -> Any:
    """What bounds the divergence of order 1, where a bound is so many times the order."""
    return value if not value.letters else formulas.parse(formulas.to_text(value), {"alpha": terms.ONE})


NEEDED = [
    ("disjoint-own-domain", "compatible", "pure"),
    ("disjoint-own-domain", "sensitivity-at-most", "pure"),
    ("disjoint-common-domain", "compatible", "pure"),
    ("disjoint-common-domain", "compatible", "approximate"),
    ("disjoint-common-domain", "compatible", "zcdp"),
    ("composition-common-domain", "depends", "pure"),
    ("disjoint-common-domain", "depends", "pure"),
    ("parallel-bounded", "depends", "pure"),
    ("parallel-bounded", "record-wise-partition", "gaussian"),
    ("commuting-metric", "commutes", "gaussian"),
    ("composition-own-domain", "independent", "pure"),
    ("composition-own-domain", "earlier-outputs", "pure"),
    ("part-of-bounded", "proper-part", "pure"),
    ("poisson-sampling", "on-samples", "pure"),
    ("mixtures", "coin", "pure"),
]


@pytest.mark.parametrize(("id", "key", "notion"), NEEDED)
def test_what_is_needed_has_a_counterexample(id: str, key: str, notion: str) -> None:
    path = registry.folder() / "needed" / f"{id}.{key}.{notion}.toml"
    assert path.is_file()
    page = THEORY.pages[id]
    for statement in READERS[page.head.kind](THEORY, page):
        if statement.notion == notion:
            without = next(one for one in statement.suppositions if one.key == key)
            from dpcompose.search.audits.searched import Looked

            answer = statement.without(without).look(MOST, Looked())
            assert answer is not None
            data = problem(answer, f"{page.title} without: {without.words}")
            assert data is not None and files.toml(data) == path.read_text(encoding="utf-8")


# planted false pages


def planted(id: str, **keys: Any) -> Page:
    page = THEORY.pages[id]
    return replace(page, head=replace(page.head, **keys))


def without_one(id: str, n: int) -> Page:
    head = THEORY.pages[id].head
    return planted(id, hypotheses=[one for m, one in enumerate(head.hypotheses) if m != n])


SAMPLED = THEORY.pages["poisson-sampling"].head.guarantee
PLANTED = {
    "wrong constant": (planted("disjoint-own-domain", conclusion={"pure": "3/4*max(epsilon[i], i, 1, k)"}), "pure"),
    "minimum for maximum": (planted("disjoint-common-domain", conclusion={"pure": "min(epsilon[1], epsilon[k])"}), "pure"),
    "one for two": (planted("parallel-bounded", conclusion={"pure": "top(1, epsilon[i], i, 1, k)"}), "pure"),
    "maximum for sum": (planted("sequential", conclusion={"zcdp": "max(rho[i], i, 1, k)"}), "zcdp"),
    "mean for root": (planted("sequential", conclusion={"gaussian": "sum(mu[i], i, 1, k)/k"}), "gaussian"),
    "m delta for the sum": (
        planted("commuting-metric", conclusion={"approximate": {
            "epsilon": "m*max(epsilon[i], i, 1, k)", "delta": "m*max(delta[i], i, 1, k)"}}),
        "approximate",
    ),
    "without m": (planted("comparison", conclusion={"pure": "sum(epsilon[i], i, 1, k)"}), "pure"),
    "m for its square": (planted("comparison", conclusion={"zcdp": "m*sum(rho[i], i, 1, k)"}), "zcdp"),
    "not compatible": (without_one("disjoint-own-domain", 0), "pure"),
    "any sensitivity": (without_one("disjoint-own-domain", 1), "gaussian"),
    "no partition": (without_one("parallel-bounded", 0), "pure"),
    "any part": (without_one("part-of-bounded", 0), "pure"),
    "largest for sum": (planted("pure", composition={"epsilon": "max(epsilon[i], i, 1, k)"}), "pure"),
    "linear delta": (planted("approximate", at_steps={"delta": "r*delta"}), "approximate"),
    "linear rho": (planted("zcdp", distance={"rho": "r*rho"}), "zcdp"),
    "linear in orders": (planted("renyi", distance={"epsilon": "r*epsilon"}), "renyi"),
    "linear and truncated": (planted("tcdp", distance={"rho": "r*rho", "tau": "r*tau"}), "tcdp"),
    "half in orders": (planted("renyi", composition={"epsilon": "sum(epsilon[i], i, 1, k)/2"}), "renyi"),
    "rate squared": (
        planted("poisson-sampling", guarantee=SAMPLED | {"pure": {"epsilon": "log(1 + s**2*(exp(epsilon) - 1))"}}),
        "pure",
    ),
    "linear rate": (planted("poisson-sampling", guarantee=SAMPLED | {"pure": {"epsilon": "s*epsilon"}}), "pure"),
    "replaced in samples": (planted("poisson-sampling", on_samples=[1, 1]), "pure"),
    "one of m": (
        planted("fixed-size-sampling", guarantee={"pure": {"epsilon": "log(1 + 1/n*(exp(epsilon) - 1))"}}),
        "pure",
    ),
    "m of any number": (
        planted("sampling-of-any-number", guarantee={"pure": {"epsilon": "log(1 + m/(m + 2)*(exp(epsilon) - 1))"}}),
        "pure",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_planted_false_pages_fall(name: str) -> None:
    page, notion = PLANTED[name]
    stated = (one for one in answers(THEORY, page, MOST, [notion]) if one.without is None)
    answer = next((one for one in stated if one.found is not None), None)
    assert answer is not None, name
    assert answer.found is not None
    if notion in ("pure", "approximate"):
        hold_loss(answer)
    elif not answer.found.joint:
        hold_shifts(answer)


# pages that ship


@pytest.mark.parametrize("id", pages(*READERS))
def test_no_page_that_ships_is_refuted(id: str) -> None:
    try:
        for answer in answers(THEORY, THEORY.pages[id], FEW):
            assert answer.without is not None or answer.found is None
    except NoSearch as error:
        assert id in str(error)


def test_a_search_says_how_much_it_looked_at() -> None:
    answer = found("part-of-bounded", "pure")
    assert answer.found is None
    assert str(answer.looked) == (
        "14 settings of at most 10 databases and 1 mechanism, 74 families of mechanisms"
    )


def test_pages_of_other_kinds_say_so() -> None:
    with pytest.raises(
        NoSearch, match=r"bounded-metric is a fact page; what is gone through in finite settings are"
    ):
        list(answers(THEORY, THEORY.pages["bounded-metric"]))


def test_no_setting_is_left_where_a_hypothesis_cannot_be_gone_through() -> None:
    page = planted("sequential", hypotheses=[registry.Hypothesis(is_="order-based partition")])
    with pytest.raises(
        NoSearch, match="the hypothesis 'order-based partition' is not decided by going through tables"
    ):
        list(answers(THEORY, page, FEW, ["pure"]))


def test_a_conclusion_that_has_no_value_is_told() -> None:
    page = planted("sequential", conclusion={"pure": "log(epsilon[1] - epsilon[k])"})
    with pytest.raises(NoSearch, match="what is concluded has no value for some parameters"):
        list(answers(THEORY, page, FEW, ["pure"]))


def test_nothing_is_concluded_by_no_bound() -> None:
    assert found(planted("sequential", conclusion={"pure": "oo"}), "pure", most=1).found is None


# the files


FILES = sorted((registry.folder() / "needed").glob("*.toml"))


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(one, id=one.name, marks=[pytest.mark.slow] if n % 8 else [])
        for n, one in enumerate(FILES)
    ],
)
def test_the_files_are_refuted(path: Path) -> None:
    import dpcompose as dpc
    from dpcompose.front.studies.loading import load

    study, claims = load(str(path), dpc.theorems())
    assert claims and all(study.check(claim).verdict == claim.expect == "refuted" for claim in claims)
