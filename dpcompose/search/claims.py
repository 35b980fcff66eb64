"""Verdicts on claims: proved, refuted with a counterexample, or undecided with a reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy

from dpcompose.language import forms, formulas
from dpcompose.language.forms import Form
from dpcompose.language.symbols import family_of
from dpcompose.privacy.mechanisms import Mechanism
from dpcompose.privacy.problems import Claim
from dpcompose.proof import certificates, counterexamples
from dpcompose.proof.certificates import BadCertificate
from dpcompose.proof.counterexamples import Counterexample
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.steps import Loss
from dpcompose.search import decide
from dpcompose.search.bounds import Bound
from dpcompose.search.decide import AtLeast, Fails
from dpcompose.search.solver import Solver
from dpcompose.spaces.metrics import INFINITE


@dataclass(frozen=True)
class Verdict:
    """What was found about a claim.

    verdict -- "proved", "refuted" or "undecided";
    loose -- proved claims: True where it is larger than the bound for some values, False where it
    equals an optimal bound, None where neither is known;
    counterexample -- refuted claims; reason -- undecided claims, in words;
    certificate -- proved claims: what shows it, by parameter, as it is saved;
    nearby -- refuted claims: changes of the setting after which the claim is proved, in words.
    """

    claim: Claim
    verdict: str
    loose: bool | None = None
    counterexample: Counterexample | None = None
    reason: str = ""
    certificate: Mapping[str, Any] = field(default_factory=dict)
    nearby: tuple[str, ...] = ()

    @property
    def as_expected(self) -> bool:
        return self.claim.expect in (None, self.verdict)


def judge(claim: Claim, bound: Bound, solver: Solver = decide.STANDARD) -> Verdict:
    """The verdict on a claim about the setting of a bound, with a checked certificate."""
    notion = claim.guarantee.notion
    if bound.vacuous:
        return Verdict(claim, "proved", loose=None)
    if notion != bound.guarantee.notion:
        return Verdict(
            claim, "undecided", reason=f"claims about {notion} from {bound.guarantee.notion} guarantees"
        )
    if claim.doubt:
        return Verdict(claim, "undecided", reason=claim.doubt)
    key, claimed = claim.guarantee.values[0]
    derived = dict(bound.guarantee.parameters)[key]
    if claimed is sympy.oo:
        return Verdict(claim, "proved", loose=derived != "oo")
    domains = bound.setting.domains
    try:
        greater = forms.read(claimed, domains)
    except forms.NotAForm as error:
        return _refute_at_points(claim, bound, error)
    if derived == "oo":
        return _refute(claim, bound, _few_members(bound, decide.points(domains)))
    lesser = bound.steps.form(derived)
    decision = decide.at_least(greater, lesser, domains, solver)
    if isinstance(decision, Fails):
        return _refute(claim, bound, [decision.point])
    if not isinstance(decision, AtLeast):
        return Verdict(claim, "undecided", reason=decision.reason)
    found: dict[str, Any] = {"at least": certificates.to_data(decision.proof)}
    loose = _loose(greater, lesser, bound, solver, found)
    return Verdict(claim, "proved", loose=loose, certificate={key: found})


def _loose(greater: Form, lesser: Form, bound: Bound, solver: Solver, found: dict[str, Any]) -> bool | None:
    """Whether a proved claim is larger than the bound somewhere; adds what shows it to `found`."""
    other_way = decide.at_least(lesser, greater, bound.setting.domains, solver)
    if isinstance(other_way, Fails):
        found["larger at"] = {name: str(x) for name, x in other_way.point.items()}
        return True
    if isinstance(other_way, AtLeast) and bound.optimal:
        found["at most"] = certificates.to_data(other_way.proof)
        return False
    return None


def _refute_at_points(claim: Claim, bound: Bound, error: forms.NotAForm) -> Verdict:
    """A claim without a normal form: simple points may refute it, if it is defined everywhere."""
    if not isinstance(error, forms.NoRealValue):
        verdict = _refute(claim, bound, decide.points(bound.setting.domains))
        if verdict.verdict == "refuted":
            return verdict
    return Verdict(claim, "undecided", reason=str(error))


def _few_members(bound: Bound, points: list[dict[str, Fraction]]) -> list[dict[str, Fraction]]:
    """The points, with the least numbers of members of all families, then as they are."""
    domains = bound.setting.domains
    counts = {str(m.count) for m in bound.setting.mechanisms if m.count is not None} & set(domains)
    least = {name: domains[name].least or Fraction(1) for name in counts}
    return [point | least for point in points] + (points if least else [])


def _refute(claim: Claim, bound: Bound, points: list[dict[str, Fraction]]) -> Verdict:
    """The counterexample at one of the points, at the pair of the profile that loses most there."""
    claimed = claim.guarantee.values[0][1]
    reason = "no point was found at which the claim has a rational value"
    for point in points:
        full = _completed(point, bound, claimed)
        try:
            inputs = counterexamples.instance(bound.steps.inputs, full)
            pairs = _worst_pairs(bound, full) if inputs is bound.steps.inputs else _pairs_of(inputs, full)
        except BadCertificate as error:
            reason = str(error)
            continue
        for pair in _with_multiples(inputs, pairs):
            try:
                found = counterexamples.make(inputs, claim.guarantee.notion, claimed, pair, full)
            except BadCertificate as error:
                reason = str(error)
            else:
                return Verdict(claim, "refuted", counterexample=found)
    return Verdict(claim, "undecided", reason=reason)


LARGEST_MULTIPLE = 4_096
"""How often the records of a pair are taken at most, where its multiples are neighbours as well."""


def _with_multiples(inputs: Inputs, pairs: list[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    """The pairs; where they stand for all their multiples, also some of these, small ones first."""
    yield from pairs
    if inputs.neighbouring_pairs().growing:
        times = 4
        while times <= LARGEST_MULTIPLE:
            for D, E in pairs:
                yield tuple(sorted(D * times)), tuple(sorted(E * times))
            times *= 4


def _worst_pairs(bound: Bound, point: Mapping[str, Fraction]) -> list[tuple[Any, Any]]:
    """The pairs of the profile at which most is lost at the point, a few of them, worst first."""

    def value(loss: Loss) -> tuple[bool, Fraction]:
        return (True, Fraction(0)) if isinstance(loss, str) else (False, loss.at(point))

    values = [value(loss) for loss in bound.losses]
    order = sorted(range(len(values)), key=lambda n: values[n], reverse=True)
    parse = bound.setting.databases.parse
    return [tuple(map(parse, bound.profile.pairs[n])) for n in order[:3]]  # type: ignore[misc]


def _pairs_of(inputs: Inputs, point: Mapping[str, Fraction]) -> list[tuple[Any, Any]]:
    """The same for a setting whose families were written out at the point: by its own pairs."""
    stated = [mechanism.satisfies.values[0][1] for mechanism in inputs.setting.mechanisms]
    values = [None if value is sympy.oo else formulas.evaluate(value, point) for value in stated]

    def loss(pair: tuple[Any, Any]) -> tuple[bool, Fraction]:
        total, infinite = Fraction(0), False
        for i, r in inputs.distances(pair).items():
            one = values[i - 1]
            infinite |= r == INFINITE or one is None
            total += r * (one or Fraction(0))
        return infinite, total

    return sorted(inputs.neighbouring_pairs().pairs, key=loss, reverse=True)[:3]


def _completed(point: Mapping[str, Fraction], bound: Bound, claimed: sympy.Expr) -> dict[str, Fraction]:
    """The point, with simple values for parameters that cancelled, and without those that nothing uses."""
    usual = decide.points(bound.setting.domains)[0] | dict(point)
    names = bound.setting.used | {str(symbol) for symbol in claimed.free_symbols}
    families = {name for name in names if family_of(name) is not None}
    full = {name: usual[name] for name in sorted(names - families)}
    for name in sorted(families):
        family = str(family_of(name))
        counts = {m.count for m in bound.setting.mechanisms if m.count is not None and name in used_by(m)}
        for size in (_size(count, full) for count in counts):
            for j in range(1, size + 1):
                full[f"{family}[{j}]"] = usual.get(f"{family}[{j}]", usual[name])
    return full


def used_by(mechanism: Mechanism) -> set[str]:
    """The parameters of a mechanism's guarantee."""
    return {str(one) for _, value in mechanism.satisfies.values for one in value.free_symbols}


def _size(count: sympy.Expr, point: Mapping[str, Fraction]) -> int:
    size = Fraction(int(count)) if count.is_Integer else point[str(count)]
    return min(int(size), counterexamples.LARGEST_INSTANCE + 1)
