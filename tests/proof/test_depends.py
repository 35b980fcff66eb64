"""Dependency: by construction on the own domain, declared on the common one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, combinations_with_replacement, product

import pytest

import dpcompose as dpc
from dpcompose.proof.hypotheses import binding
from dpcompose.proof.hypotheses.evidence import Answer
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Hypothesis


@pytest.mark.parametrize(
    ("domain", "answer", "words"),
    [
        ("own", Answer.HOLDS, "by what they read"),
        ("common", Answer.DECLARED, "declared by domain = common, for M"),
    ],
)
def test_depends(domain: str, answer: Answer, words: str) -> None:
    (e,) = dpc.parameters("e,")
    mechanism = dpc.mechanism("M", dpc.pure(e, dpc.bounded, domain), dpc.restriction(["a"]))
    study = dpc.compose(mechanism, on=dpc.multisets("ab"), target=dpc.bounded)
    inputs = Inputs(study.setting, registry.standard())
    found = binding.check(inputs, Hypothesis(is_="depends"))
    assert (found.answer, found.words) == (answer, words)


RECORDS = "abc"


def parts() -> Iterator[tuple[str, ...]]:
    """All sets of some records, but not of all."""
    return chain.from_iterable(combinations(RECORDS, n) for n in (1, 2))


@pytest.mark.parametrize(("read", "of"), list(product(parts(), parts())))
def test_that_a_noisy_count_depends_on_a_part_is_a_claim(read: tuple[str, ...], of: tuple[str, ...]) -> None:
    """GB Ex. IV.9, against all databases of up to two records: equal parts have equal counts."""
    file = f"""format = 1
[parameters]
c = "nonnegative"
[databases]
kind = "multisets"
records = {list(RECORDS)}
[granularities.outside]
add-remove = {[x for x in RECORDS if x not in of]}
[[mechanisms]]
name = "M"
reads = {{ records = {list(read)} }}
query = "count"
noise = {{ laplace = "1/e" }}
[[claims]]
notion = "pure"
metric = "c*d_outside"
"""
    study, (claim,) = dpc.loads(file)
    databases = [D for n in range(3) for D in combinations_with_replacement(RECORDS, n)]
    same = [
        pair
        for pair in product(databases, repeat=2)
        if len({tuple(filter(of.__contains__, D)) for D in pair}) == 1
    ]
    depends = all(sum(map(read.count, D)) == sum(map(read.count, E)) for D, E in same)
    found = study.check(claim)
    assert found.verdict == ("proved" if depends else "refuted")
    if not depends:  # one record that is counted, and lies outside of the part
        D, E = found.data()["counterexample"]["databases"]
        assert sorted([len(D), len(E)]) == [0, 1] and {*D, *E} <= {*read} - {*of}
