"""Claims that every mechanism satisfies: a parameter is ∞, or never below the limit of its notion."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from dpcompose.kernel.expressions import terms
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.library.theory import NoPage
from dpcompose.kernel.rules.premises import claimed
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem
from dpcompose.search.comparisons import parameters


def by_itself(prover: Prover, claim: Mapping[str, str], said: Satisfies) -> Theorem | None:
    """A claim of which a parameter is ∞, or never below the limit of its notion."""
    limits = prover.theory.rule(said.notion).head.limits
    for key, value in said.values:
        with suppress(NoTheorem):
            if value.kind == "oo":
                return prover.by("trivial", claim=dict(claim), key=key)
            if key in limits:
                certificate = parameters.at_least(
                    value, terms.number(limits[key]), assumed=prover.setting.assumed
                )
                return prover.by("trivial", claim=dict(claim), key=key, certificate=certificate)
    return None


def without_guarantees(prover: Prover, claim: Mapping[str, str]) -> Theorem | None:
    """The same of a claim that is read, also where nothing is known of the mechanisms of the setting."""
    with suppress(NoPage, ValueError):
        return by_itself(prover, claim, claimed(dict(claim), prover.setting, prover.theory))
    return None
