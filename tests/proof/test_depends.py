"""Dependency: by construction on the own domain, declared on the common one."""

from __future__ import annotations

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
