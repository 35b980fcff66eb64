"""Weakening: a claim that is seen to be at least a guarantee holds, with a certificate for each parameter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcompose.kernel.expressions import formulas, substitution, terms
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.theorems import Prover, Theorem
from dpcompose.search.comparisons import parameters
from dpcompose.search.trying import tried


def weakened(prover: Prover, guarantee: Theorem, claim: Mapping[str, str]) -> Theorem | None:
    """The claim as a theorem, where it is seen to be at least a guarantee; None where it is not."""
    return _weakened(prover, guarantee, claim) or _through_all(prover, guarantee, claim)


def _weakened(prover: Prover, guarantee: Theorem, claim: Mapping[str, str]) -> Theorem | None:
    """The same in one step."""
    known = guarantee.says
    assert isinstance(known, Satisfies)
    if claim["notion"] != known.notion:
        return None
    certificates: dict[str, Any] = {}
    squared = prover.theory.rule(known.notion).head.squared
    for key, lesser in known.values:
        greater = formulas.parse(claim[key], prover.setting.symbols)
        if greater == lesser or greater.kind == "oo":
            continue
        if lesser.kind == "oo":
            return None
        certificate = parameters.at_least(greater, lesser, key in squared, assumed=prover.setting.assumed)
        if certificate is None:
            return None
        certificates[key] = certificate
    return tried(prover, "weaken", guarantee, claim=dict(claim), certificates=certificates)


def _through_all(prover: Prover, guarantee: Theorem, claim: Mapping[str, str]) -> Theorem | None:
    """The claim where it is at least what all members lose, in place of some, a letter's number."""
    assert isinstance(guarantee.says, Satisfies)
    every = {key: substitution.changed(value, _of_all) for key, value in guarantee.says.values}
    if claim["notion"] != guarantee.says.notion or list(every.items()) == list(guarantee.says.values):
        return None
    said = {"notion": claim["notion"]} | {key: formulas.to_text(value) for key, value in every.items()}
    between = _weakened(prover, guarantee, said)
    return None if between is None else _weakened(prover, between, claim)


def _of_all(term: Term) -> Term | None:
    """The sum of all members in place of that of the largest ones, whose number is a letter."""
    if term.kind != "over" or term.of[0] == term.of[2] or term.of[0].number is not None:
        return None
    _, member, count = term.of
    return terms.over(count, member, count)
