"""Families whose parts overlap, each record in at most m of k: by hand, against parts written out, refused."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from problem_data import KEYS, family, optimal_bound

from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import NoLemma
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.search.guarantees import NoGuarantee

F = Fraction


def overlapping(
    most: object,
    target: Any,
    stated: Any,
    domain: str = "own",
    notion: str = "pure",
    k: str = "integer >= 1",
    **more: str,
) -> dict[str, Any]:
    """A family on k inputs, each record in at most so many of them."""
    partition = {"kind": "overlapping", "at-most": str(most)}
    return family(
        "H", partition, target, stated, domain, {"notion": notion, KEYS[notion]: "e[i]"}, k=k, **more
    )


@pytest.mark.parametrize(
    ("most", "target", "stated", "domain", "notion", "bound"),
    [
        # mathematics: add or remove a record of m inputs; replace it by one of m others, on either domain
        (3, "unbounded", "unbounded", "own", "pure", "top(3, e[i], i, 1, k)"),
        (3, "unbounded", "unbounded", "common", "pure", "top(3, e[i], i, 1, k)"),
        (2, "bounded", "bounded", "common", "pure", "top(4, e[i], i, 1, k)"),
        (3, "bounded", "unbounded", "own", "pure", "2*top(3, e[i], i, 1, k)"),
        (3, "bounded", "unbounded", "own", "zcdp", "4*top(3, e[i], i, 1, k)"),
        (3, "unbounded", "unbounded", "own", "gaussian", "sqrt(top(3, e[i]**2, i, 1, k))"),
        (3, "bounded", "unbounded", "own", "gaussian", "2*sqrt(top(3, e[i]**2, i, 1, k))"),
        (1, "unbounded", "unbounded", "own", "pure", "max(e[i], i, 1, k)"),
        (1, "bounded", "bounded", "common", "pure", "top(2, e[i], i, 1, k)"),
        (5, "unbounded", "bounded", "own", "pure", "oo"),
        (12, "unbounded", "free-lunch", "own", "pure", "top(12, e[i], i, 1, k)"),
        (2, {"group": 2, "of": "unbounded"}, "unbounded", "own", "pure", "2*top(2, e[i], i, 1, k)"),
    ],
)
def test_bounds_by_hand(most: int, target: Any, stated: Any, domain: str, notion: str, bound: str) -> None:
    assert formulas.to_text(optimal_bound(overlapping(most, target, stated, domain, notion), notion)) == bound


def written_out(most: int, target: Any, stated: Any, domain: str, k: int) -> dict[str, Any]:
    """The same with every part, and two records in each choice of parts, told by name."""
    names = {
        some: [f"{some}", f"{some}'"] for n in range(most + 1) for some in combinations(range(1, k + 1), n)
    }
    mechanisms = [
        {
            "name": f"M{i}",
            "reads": {"records": [one for some, records in names.items() if i in some for one in records]},
            "guarantee": {"notion": "pure", "epsilon": f"e{i}", "granularity": stated, "domain": domain},
        }
        for i in range(1, k + 1)
    ]
    return {
        "format": 1,
        "databases": {"kind": "multisets", "records": [one for some in names.values() for one in some]},
        "target": {"granularity": target},
        "mechanisms": mechanisms,
    }


@pytest.mark.parametrize("seed", range(40))
def test_families_say_what_parts_say_that_are_written_out(seed: int) -> None:
    rng = random.Random(seed)
    k, most = rng.randint(1, 4), rng.randint(1, 3)
    both = {"union": ["bounded", "unbounded"]}
    target = rng.choice(["unbounded", "bounded", "bounded", both, {"group": 2, "of": "unbounded"}])
    stated = rng.choice(["unbounded", "bounded", both, {"group": 2, "of": "unbounded"}, "free-lunch"])
    domain = rng.choice(["own", "common"])
    family = optimal_bound(overlapping(most, target, stated, domain, k=str(k)))
    parts = optimal_bound(written_out(min(most, k), target, stated, domain, k))
    if "oo" in (family.kind, parts.kind):
        assert family.kind == parts.kind
        return
    for _ in range(3):
        values = [F(rng.randint(1, 30), 7) for _ in range(k)]
        at_family = {f"e[{i}]": x for i, x in enumerate(values, start=1)}
        at_parts = {f"e{i}": x for i, x in enumerate(values, start=1)}
        assert formulas.evaluate(family, at_family) == formulas.evaluate(parts, at_parts), (
            most,
            target,
            stated,
        )


def test_what_is_assumed_of_the_parts_is_said() -> None:
    study = Study(problems.read_data(overlapping(3, "unbounded", "unbounded")).setting)
    wanted = "every record lies in at most 3 of the k parts of H"
    assert wanted in study.guarantee().assumptions
    assert wanted in study.bound.told.believed
    again = problems.read_text(study.to_toml()).setting
    assert again.mechanisms[0].reads == study.setting.mechanisms[0].reads


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"at-most": "0"}, "a whole number from 1 to 12"),
        ({"at-most": "3/2"}, "a whole number from 1 to 12"),
        ({"at-most": "k + 1"}, "a whole number from 1 to 12, or a letter for one"),
        ({"at-most": "2*q"}, "a whole number from 1 to 12, or a letter for one"),
        ({"at-most": "13"}, "a whole number from 1 to 12"),
        ({"at-most": "2 +"}, "a value is missing"),
        ({"kind": "record-wise"}, "and no others, say at-most"),
        ({"kind": "overlap"}, "did you mean 'overlapping'"),
    ],
)
def test_what_is_no_overlap_is_refused(change: dict[str, str], words: str) -> None:
    problem = overlapping(2, "unbounded", "unbounded")
    problem["partitions"]["H"] |= change
    with pytest.raises(problems.ProblemError, match=words):
        problems.read_data(problem)


def test_at_most_is_needed_and_groups_of_many_are_refused() -> None:
    problem = overlapping(2, "unbounded", "unbounded")
    del problem["partitions"]["H"]["at-most"]
    with pytest.raises(problems.ProblemError, match="in how many of them a record is at most"):
        problems.read_data(problem)
    many = overlapping(6, {"group": 3, "of": "bounded"}, "unbounded")
    with pytest.raises(InvalidSetting, match="in more than 400 ways"):
        optimal_bound(many)


def test_a_claim_below_is_refuted_with_records_and_their_parts() -> None:
    problem = overlapping(2, "bounded", "bounded", "common")
    claims = [{"notion": "pure", "epsilon": "top(3, e[i], i, 1, k)"}]
    read = problems.read_data({**problem, "claims": claims})
    found = Study(read.setting).check(read.claims[0])
    assert found.verdict == "refuted" and found.counterexample is not None
    D, E = found.counterexample.pair
    assert {*D, *E} == {"H1+2", "H3+4"} and found.counterexample.actual == 4


@pytest.mark.parametrize("stated", ["bounded", {"group": 2, "of": "bounded"}])
def test_members_in_another_order_do_not_matter_where_a_family_moves_by_infinity(stated: Any) -> None:
    """Two families on one partition: where one moves least, by an exchange, the other moves most."""
    problem = overlapping(1, {"group": 2, "of": "bounded"}, stated)
    problem["partitions"]["H"] = {"kind": "record-wise", "parts": "k"}
    other = {"notion": "pure", "epsilon": "f[i]", "granularity": "unbounded", "domain": "own"}
    problem["mechanisms"].append({**problem["mechanisms"][0], "name": "N", "guarantee": other})
    assert formulas.to_text(optimal_bound(problem)) == "oo"


@pytest.mark.parametrize(
    ("target", "stated", "domain", "notion", "bound"),
    [
        # mathematics 8.2: as for a number m of inputs
        ("unbounded", "unbounded", "own", "pure", "top(m, e[i], i, 1, k)"),
        ("unbounded", "unbounded", "common", "gaussian", "sqrt(top(m, e[i]**2, i, 1, k))"),
        ("bounded", "bounded", "common", "pure", "top(2*m, e[i], i, 1, k)"),
        ("bounded", "bounded", "common", "zcdp", "top(2*m, e[i], i, 1, k)"),
        ("bounded", "unbounded", "own", "pure", "2*top(m, e[i], i, 1, k)"),
        ("bounded", "unbounded", "own", "zcdp", "4*top(m, e[i], i, 1, k)"),
        ("bounded", "unbounded", "own", "gaussian", "2*sqrt(top(m, e[i]**2, i, 1, k))"),
        ("bounded", "free-lunch", "own", "pure", "top(2*m, e[i], i, 1, k)"),
        ("unbounded", "bounded", "own", "pure", "oo"),
    ],
)
def test_bounds_for_any_number_of_inputs_that_hold_a_record(
    target: Any, stated: Any, domain: str, notion: str, bound: str
) -> None:
    """Without a word on m it is any whole number from 1."""
    assert formulas.to_text(optimal_bound(overlapping("m", target, stated, domain, notion), notion)) == bound


@pytest.mark.parametrize("seed", range(60))
def test_letters_say_what_parts_say_that_are_written_out(seed: int) -> None:
    rng = random.Random(seed)
    k, most = rng.randint(1, 4), rng.randint(1, 4)
    both = {"union": ["bounded", "unbounded"]}
    target = rng.choice(["unbounded", "bounded", "bounded", both])
    stated = rng.choice(["unbounded", "bounded", both, {"group": 2, "of": "unbounded"}, "free-lunch"])
    domain = rng.choice(["own", "common"])
    family = optimal_bound(overlapping("m", target, stated, domain))
    parts = optimal_bound(written_out(min(most, k), target, stated, domain, k))
    if "oo" in (family.kind, parts.kind):
        assert family.kind == parts.kind
        return
    values = [F(rng.randint(1, 30), 7) for _ in range(k)]
    at_family = {"k": F(k), "m": F(most)} | {f"e[{i}]": x for i, x in enumerate(values, start=1)}
    at_parts = {f"e{i}": x for i, x in enumerate(values, start=1)}
    assert formulas.evaluate(family, at_family) == formulas.evaluate(parts, at_parts)


def test_claims_about_any_number_of_inputs_are_decided_with_a_number() -> None:
    problem = overlapping("m", "bounded", "bounded", "common", m="integer >= 2")
    texts = ["top(2*m, e[i], i, 1, k)", "sum(e[i], i, 1, k)", "2*m*max(e[i], i, 1, k)"]
    wrong = ["top(m, e[i], i, 1, k)", "top(5, e[i], i, 1, k)", "4*max(e[i], i, 1, k)"]
    claims = [{"notion": "pure", "epsilon": one} for one in [*texts, *wrong]]
    read = problems.read_data({**problem, "claims": claims})
    found = [Study(read.setting).check(one) for one in read.claims]
    assert [one.verdict for one in found] == ["proved"] * 3 + ["refuted"] * 3
    for one in found[3:]:
        example = one.counterexample
        assert example is not None and example.point["m"] >= 2 and example.actual > example.claimed
    again = problems.read_text(Study(read.setting).to_toml()).setting
    assert again.mechanisms[0].reads == read.setting.mechanisms[0].reads


def test_at_most_all_of_the_inputs() -> None:
    assert formulas.to_text(optimal_bound(overlapping("k", "unbounded", "unbounded"))) == "sum(e[i], i, 1, k)"


@pytest.mark.parametrize("size", [">= 5", ">= n"])
def test_records_that_are_there_at_least_are_common_to_both(size: str) -> None:
    problem = overlapping("m", "unbounded", "unbounded") | {"databases": {"kind": "multisets", "size": size}}
    assert formulas.to_text(optimal_bound(problem)) == "top(m, e[i], i, 1, k)"


@pytest.mark.parametrize("size", ["<= 9", "<= n", "= 9"])
def test_records_of_a_largest_size_are_replaced_as_any_are(size: str) -> None:
    """One for another one: m inputs are left, and m others joined, in a database of one record as well."""
    problem = overlapping("m", "bounded", "unbounded", n="integer >= 1")
    problem |= {"databases": {"kind": "multisets", "size": size}}
    assert formulas.to_text(optimal_bound(problem)) == "2*top(m, e[i], i, 1, k)"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"target": {"granularity": "free-lunch"}}, "differ by a number of records"),
    ],
)
def test_what_letters_do_not_say_is_undecided_in_words(change: dict[str, Any], words: str) -> None:
    problem = overlapping("m", "bounded", "unbounded") | change
    with pytest.raises((NoLemma, NoGuarantee, InvalidSetting), match=words):
        optimal_bound(problem)


def test_a_letter_beside_what_reads_everything() -> None:
    problem = overlapping("m", "bounded", "unbounded")
    own = {"notion": "pure", "epsilon": "f", "granularity": "unbounded"}
    beside = [*problem["mechanisms"], {"name": "All", "reads": "everything", "guarantee": own}]
    assert (
        formulas.to_text(optimal_bound({**problem, "mechanisms": beside})) == "2*f + 2*top(m, e[i], i, 1, k)"
    )


def on_two(problem: dict[str, Any], most: str, stated: str, domain: str) -> dict[str, Any]:
    """The same beside a family on other inputs, a record in so many of these; a partition: in one."""
    guarantee = {"notion": "pure", "epsilon": "f[i]", "granularity": stated, "domain": domain}
    reads = {"reads": {"part": "i", "of": "G"}, "guarantee": guarantee}
    of = {"kind": "record-wise"} if most == "1" else {"kind": "overlapping", "at-most": most}
    families = {**problem["partitions"], "G": {**of, "parts": "k"}}
    mechanisms = [*problem["mechanisms"], {**problem["mechanisms"][0], "name": "N", **reads}]
    return {**problem, "partitions": families, "mechanisms": mechanisms}


@pytest.mark.parametrize(
    ("target", "stated", "other", "most", "bound"),
    [
        # mathematics 8.2: a record may lie in any m inputs of the one and any n of the other
        ("unbounded", "unbounded", "unbounded", "n", "top(m, e[i], i, 1, k) + top(n, f[i], i, 1, k)"),
        ("unbounded", "unbounded", "unbounded", "1", "max(f[i], i, 1, k) + top(m, e[i], i, 1, k)"),
        ("bounded", "unbounded", "unbounded", "2", "2*top(2, f[i], i, 1, k) + 2*top(m, e[i], i, 1, k)"),
        ("bounded", "unbounded", "bounded", "n", "top(2*n, f[i], i, 1, k) + 2*top(m, e[i], i, 1, k)"),
    ],
)
def test_inputs_of_two_kinds_have_numbers_of_their_own(
    target: str, stated: str, other: str, most: str, bound: str
) -> None:
    first = overlapping("m", target, stated)
    found = optimal_bound(on_two(first, most, other, "common" if other == "bounded" else "own"))
    assert formulas.to_text(found) == bound


@pytest.mark.parametrize("seed", range(12))
def test_numbers_of_two_kinds_say_what_parts_say_that_are_written_out(seed: int) -> None:
    rng = random.Random(seed)
    k, m, n = rng.randint(2, 3), rng.randint(1, 2), rng.randint(1, 2)
    target, stated, other = (rng.choice(["unbounded", "bounded"]) for _ in range(3))
    domains = [rng.choice(["own", "common"]) for _ in range(2)]
    letters = optimal_bound(on_two(overlapping("m", target, stated, domains[0]), "n", other, domains[1]))
    numbers = overlapping(m, target, stated, domains[0], k=str(k))
    written = optimal_bound(on_two(numbers, str(n), other, domains[1]))
    if "oo" in (letters.kind, written.kind):
        assert letters.kind == written.kind
        return
    point = {"k": F(k), "m": F(m), "n": F(n)}
    point |= {f"{x}[{i}]": F(rng.randint(1, 30), 7) for x in "ef" for i in range(1, k + 1)}
    assert formulas.evaluate(letters, point) == formulas.evaluate(written, point)
