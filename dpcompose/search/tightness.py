"""How tight guarantees and claims are: whether a smaller guarantee is known somewhere, or none holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.judgements import Lower, Satisfies
from dpcompose.kernel.theorems import Prover, Theorem
from dpcompose.search.comparisons import parameters
from dpcompose.search.trying import tried, written


def is_smaller(prover: Prover, guarantee: Satisfies, other: Satisfies) -> bool:
    """Whether a guarantee is seen to be smaller than another one of its notion at some point."""
    if guarantee.notion != other.notion:
        return False
    squared = prover.theory.rule(guarantee.notion).head.squared
    for (key, lesser), (_, greater) in zip(guarantee.values, other.values, strict=True):
        if lesser == greater:
            continue
        if "oo" in (lesser.kind, greater.kind):
            return greater.kind == "oo"
        if parameters.where_larger(greater, lesser, key in squared, prover.setting.assumed) is not None:
            return True
    return False


def is_better(prover: Prover, guarantee: Theorem, other: Theorem) -> bool:
    """Whether a guarantee is seen to be smaller than another one somewhere, and larger nowhere."""
    says, than = guarantee.says, other.says
    assert isinstance(says, Satisfies) and isinstance(than, Satisfies)
    return is_smaller(prover, says, than) and not is_smaller(prover, than, says)


def loose(prover: Prover, guarantee: Theorem, claim: Mapping[str, str], claimed: Satisfies) -> Theorem | None:
    """The theorem that a claim is larger than a guarantee somewhere; None where that is not seen."""
    assert isinstance(guarantee.says, Satisfies)
    values, squared = dict(guarantee.says.values), prover.theory.rule(claimed.notion).head.squared
    for key, value in claimed.values:
        for point in _where_larger(prover.setting, value, values[key], key in squared):
            said = {"claim": dict(claim), "key": key, "point": written(point)}
            if (larger := tried(prover, "loose", guarantee, **said)) is not None:
                return larger
    return None


def _where_larger(
    setting: Setting, greater: Term, lesser: Term, squared: bool
) -> Iterator[Mapping[str, Fraction]]:
    """Points at which one value may be larger than another; squared -- by their squares."""
    if lesser.kind == "oo" or greater == lesser:
        return
    usual = next(parameters.points(dict(setting.parameters), setting.assumed), {})
    larger = (
        {} if greater.kind == "oo" else parameters.where_larger(greater, lesser, squared, setting.assumed)
    )
    if larger is not None:
        yield parameters.completed(setting, {**usual, **larger})


def optimal(prover: Prover, guarantee: Theorem, lower: Theorem | None) -> Theorem | None:
    """The theorem that nothing smaller than a guarantee holds, as so much is lost; None where that is not
    seen."""
    if lower is None or not isinstance(lower.says, Lower) or not isinstance(guarantee.says, Satisfies):
        return None
    key, lost = lower.says.key, lower.says.value
    if (shown := tried(prover, "optimal", guarantee, lower, key=key)) is not None:
        return shown
    value, squared = dict(guarantee.says.values)[key], prover.theory.rule(guarantee.says.notion).head.squared
    certificate = parameters.at_least(lost, value, key in squared, assumed=prover.setting.assumed)
    return tried(prover, "optimal", guarantee, lower, key=key, certificate=certificate)
