"""What is lost along chains of listed databases, computed by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from kernel.core.test_products import THEORY, along, core, judged, mechanism

from dpcompose.kernel.composition import losses
from dpcompose.kernel.composition.chains import Along
from dpcompose.kernel.composition.losses import NoLoss
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.library.theory import NoPage
from dpcompose.kernel.rules.along import obligations, read_chains
from dpcompose.kernel.rules.premises import BadStep, claimed
from dpcompose.kernel.theorems import NoTheorem
from dpcompose.search.comparisons.parameters import at_least

PATH = along((0, 1, "2"), (1, 2, "3"), (2, 3, "1"))
TO_2, BACK, TO_3 = (1, 0, 1, 2), (1, 2, 1, 0), (1, 0, 1, 2, 3)
Way = tuple[int, ...]


def four(*mechanisms: dict[str, Any], **far: Any) -> Setting:
    """Four databases in a row: 2, 3 and 1 from one to the next."""
    return core({"": {"kind": "listed", "shown": "four", "count": 4}}, {"d__c": PATH, **far}, *mechanisms)


def known(*mechanisms: dict[str, Any], **far: Any) -> Along:
    setting = four(*mechanisms, **far)
    numbers = range(1, len(mechanisms) + 1)
    return Along([losses.by_guarantee(i, setting, THEORY) for i in numbers], setting, THEORY, ["d__c"])


def chains(*ways: Way) -> Mapping[tuple[int, int, int], list[Sequence[int]]]:
    made = dict[tuple[int, int, int], list[Sequence[int]]]()
    for i, *chain in ways:
        made.setdefault((i, chain[0], chain[-1]), []).append(chain)
    return made


def lost(of: Along, x: int, y: int, *ways: Way) -> dict[str, str]:
    return {key: formulas.to_text(value) for key, value in of.at(x, y, chains(*ways)).items()}


@pytest.mark.parametrize(
    ("formula", "ends", "ways", "far"),
    [
        ("d__c**2", (0, 2), [], 25),
        ("d__c**2", (0, 2), [TO_2], 13),
        ("d__c**2", (2, 0), [TO_2], 25),  # that is a chain from 0 to 2
        ("d__c**2", (2, 0), [BACK], 13),
        ("d__c**2", (0, 3), [TO_3], 14),
        ("d__c**2", (0, 3), [(1, 0, 2, 3)], 26),
        ("d__c**2", (0, 3), [(1, 0, 2, 3), (1, 0, 3)], 26),
        ("d__c**2", (0, 3), [(1, 0, 2, 3), TO_3, (1, 0, 3)], 14),
        ("min(d__c, 4)", (0, 2), [TO_2], 5),
        ("min(d__c, 4)", (0, 2), [(1, 0, 2), TO_2], 4),
        ("d__c**2", (1, 1), [], 0),
        ("d__c**2", (0, 1), [(1, 0, 1, 0, 1)], 12),  # as long as one likes
        ("d__c**2", (0, 1), [(1, 0, 0, 1)], 4),
    ],
)
@pytest.mark.parametrize(("notion", "key"), [("pure", "epsilon"), ("gaussian", "mu"), ("zcdp", "rho")])
def test_what_is_stated_in_a_metric_adds_up(
    notion: str, key: str, formula: str, ends: tuple[int, int], ways: Sequence[Way], far: int
) -> None:
    """d² is 4 + 9 and not 25 from 0 to 2; ρ is the square of that."""
    value = far**2 if notion == "zcdp" else far
    assert lost(known(mechanism("M", formula, notion)), *ends, *ways) == {key: f"{value}"}


@pytest.mark.parametrize(
    ("ends", "ways", "epsilon", "delta"),
    [
        ((0, 2), [], "5", "1/20"),
        ((0, 2), [TO_2], "5", "1/50 + 3*exp(2)/100"),
        ((2, 0), [BACK], "5", "3/100 + exp(3)/50"),
        ((0, 3), [TO_3], "6", "1/50 + exp(2)*(3/100 + exp(3)/100)"),
        ((0, 3), [(1, 0, 2, 3)], "6", "1/20 + exp(5)/100"),
        ((2, 2), [], "0", "0"),
    ],
)
def test_deltas_link_after_link(ends: tuple[int, int], ways: Sequence[Way], epsilon: str, delta: str) -> None:
    """(ε_1, δ_1) and then (ε_2, δ_2) are (ε_1 + ε_2, δ_1 + e^(ε_1)·δ_2)."""
    found = known(mechanism("M", "d__c", "approximate", "d__c/100")).at(*ends, chains(*ways))
    assert found == {"epsilon": formulas.parse(epsilon, {}), "delta": formulas.parse(delta, {})}


def test_each_mechanism_has_chains_of_its_own() -> None:
    two = known(mechanism("M", "d__c**2"), mechanism("N", "2*d__c**2"))
    assert lost(two, 0, 2) == {"epsilon": "75"} and lost(two, 0, 2, TO_2) == {"epsilon": "63"}
    assert lost(two, 0, 2, (2, 0, 1, 2)) == {"epsilon": "51"}
    assert lost(two, 0, 2, TO_2, (2, 0, 1, 2)) == {"epsilon": "39"}
    alike = known(mechanism("M", "d__c**2", count="3"))
    assert lost(alike, 0, 2) == {"epsilon": "75"} and lost(alike, 0, 2, TO_2) == {"epsilon": "39"}


def test_where_nothing_is_stated_there_is_no_link() -> None:
    part = along((0, 1, "2"), (1, 2, "3"))
    of = known(mechanism("M", "d__p"), d__p=part)
    assert lost(of, 0, 3) == {"epsilon": "oo"} and lost(of, 0, 2, TO_2) == {"epsilon": "5"}
    both = known(mechanism("M", "d__c", "approximate", "d__p/100"), d__p=part)
    for found in (of, both):
        with pytest.raises(NoLoss, match="at a link of a chain nothing is stated of M"):
            found.at(0, 3, chains(TO_3))
    with pytest.raises(NoLoss, match="none is the least"):
        both.at(0, 2, chains(TO_2, (1, 0, 2)))


def test_the_pairs_of_a_claim() -> None:
    """In distances any two databases, in both orders, and two that are equal."""
    pairs = known(mechanism("M", "d__c")).pairs
    assert [*pairs].count((0, 0)) == 1 and len(pairs) == 13
    assert {*pairs} == {(0, 0), *((x, y) for x in range(4) for y in range(4) if x != y)}


def test_pages_of_chains() -> None:
    assert known(mechanism("M", "d__c")).pages(1) == {"chains"}
    assert known(mechanism("M", "d__c", "zcdp")).pages(1) == {"chains"}
    both = known(mechanism("M", "d__c"), mechanism("N", "d__c", "approximate", "d__c/100"))
    assert both.pages(1) == {"chains"} and both.pages(2) == {"chains", "approximate-steps"}
    with pytest.raises(NoPage, match="no page says what epsilon is along chains"):
        both.page_of_steps(2, "epsilon")
    with pytest.raises(NoPage, match="no page says what delta is along chains"):
        both.page_of_steps(1, "delta")


# the rule


EVERY: list[Any] = [[*way] for way in (TO_2, BACK, TO_3, (1, 3, 2, 1, 0), (1, 1, 2, 3), (1, 3, 2, 1))]


def by(claim: str, ways: Any, change: Any = lambda some: some) -> Any:
    """What the rule says, with certificates that are looked for."""
    setting = four(mechanism("M", "d__c**2"))
    judge = judged(setting)
    composed = judge.prover.by("compose", *judge.stated)
    said = {"notion": "pure", "epsilon": claim}
    of = Along(composed.says.losses, setting, THEORY, ["d__c"])
    every = obligations(of, claimed(said, setting, THEORY), read_chains(EVERY, of))
    shown = [{"epsilon": at_least(more, less)} for ((_, more),), ((_, less),) in every]
    return judge.prover.by("along", composed, claim=said, chains=ways, certificates=change(shown)).says


@pytest.mark.parametrize("claim", ["d__c**2", "d__c*3", "13*d__c/5 + 2"])
def test_claims_that_are_as_large_as_what_is_lost(claim: str) -> None:
    """4, 13, 14, 9, 10 and 1 at distances 2, 5, 6, 3, 4 and 1: what is claimed is nowhere less."""
    assert isinstance(by(claim, EVERY), Satisfies)


@pytest.mark.parametrize(
    ("claim", "ways"),
    [
        ("d__c*14/5", EVERY),  # 42/5 < 9 at a distance 3
        ("d__c*3", EVERY[1:]),  # 15 < 25 from 0 to 2
        ("d__c*3", [EVERY[0], *EVERY[2:]]),  # and back
        ("d__c*3", []),
        ("d__c*3", [[1, 0, 1], *EVERY[1:]]),
    ],
)
def test_claims_that_are_smaller_somewhere(claim: str, ways: Any) -> None:
    with pytest.raises(NoTheorem):
        by(claim, ways)


def test_certificates_are_as_many_as_comparisons() -> None:
    for change in (lambda some: some[:-1], lambda some: [*some, some[0]], lambda some: None, lambda some: {}):
        with pytest.raises(NoTheorem, match="comparisons"):
            by("d__c*3", EVERY, change)


@pytest.mark.parametrize(
    "ways",
    [
        None,
        [None],
        3,
        [[1, 0]],
        [[1, 0, 4]],
        [[1, -1, 0]],
        [[0, 0, 1]],
        [[2, 0, 1]],
        [[-1, 0, 1]],
        [[1, 0, "1"]],
        [[1, True, 0]],
        ["101"],
    ],
)
def test_chains_that_are_none(ways: Any) -> None:
    with pytest.raises(BadStep):
        read_chains(ways, known(mechanism("M", "d__c")))


def test_chains_are_read_by_their_ends() -> None:
    found = read_chains([[1, 0, 3], (1, 0, 2, 3), [1, 3, 0]], known(mechanism("M", "d__c")))
    assert found == {(1, 0, 3): [[0, 3], [0, 2, 3]], (1, 3, 0): [[3, 0]]}
