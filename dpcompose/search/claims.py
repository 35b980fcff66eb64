"""Verdicts on claims: proved, refuted with a counterexample, or undecided with a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any

import sympy

from dpcompose.language import forms, formulas
from dpcompose.language.forms import Form
from dpcompose.language.symbols import Domain, family_of
from dpcompose.privacy.mechanisms import Mechanism
from dpcompose.privacy.notions import Guarantee
from dpcompose.privacy.problems import Claim
from dpcompose.privacy.settings import Setting
from dpcompose.proof import certificates, computed, counterexamples, resting
from dpcompose.proof.certificates import BadCertificate
from dpcompose.proof.counterexamples import Counterexample
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.registry import Page, Theory
from dpcompose.proof.steps import Loss, StepRefused
from dpcompose.search import decide, optimal, some
from dpcompose.search.bounds import Bound, Known
from dpcompose.search.conversions import paths, seen_smaller
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
    nearby -- refuted claims: changes of the setting after which the claim is proved, in words;
    bound -- what it was found from, where that is known: for a claim in another notion its own bound;
    guarantee -- claims that are compared with a curve: the least that is known at the claim's δ;
    relies_on -- the pages that it rests on, and which the program does not derive; see `resting_on`.
    """

    claim: Claim
    verdict: str
    loose: bool | None = None
    counterexample: Counterexample | None = None
    reason: str = ""
    certificate: Mapping[str, Any] = field(default_factory=dict)
    nearby: tuple[str, ...] = ()
    bound: Bound | None = field(default=None, compare=False)
    guarantee: Guarantee | None = None
    relies_on: tuple[Page, ...] = field(default=(), compare=False)

    @property
    def as_expected(self) -> bool:
        return self.claim.expect in (None, self.verdict)


def resting_on(verdict: Verdict, bound: Bound | None, theory: Theory) -> Verdict:
    """The verdict with the pages that it rests on; bound -- that of the study, where it has one."""
    claimed, bound = verdict.claim.guarantee, verdict.bound or bound
    used: set[str] = set()
    if verdict.verdict == "proved" and not _is_vain(verdict.claim):
        used |= resting.of_certificate(verdict.certificate, claimed, theory)
        if bound is not None and not resting.says_nothing(verdict.certificate):
            used |= resting.of_lines(bound.steps, bound.derivation.lines)
    if verdict.counterexample is not None and bound is not None:
        flat = bound.steps.flat(claimed.notion) or bound.steps
        used |= resting.of_counterexample(verdict.counterexample, claimed, flat)
    if (
        verdict.guarantee is not None
        and bound is not None
        and (by := computed.page(theory, bound.setting, claimed.notion))
    ):
        used.add(by.id)
    return replace(verdict, relies_on=theory.relied_on(used))


def judge(claim: Claim, bound: Bound, solver: Solver = decide.STANDARD) -> Verdict:
    """The verdict on a claim about the setting of a bound, with a checked certificate."""
    return judge_by_any(claim, [bound], solver)


def judge_by_any(
    claim: Claim, bounds: Sequence[Bound], solver: Solver = decide.STANDARD, stated: Bound | None = None
) -> Verdict:
    """The verdict from the first of several bounds that decides the claim; undecided: from the first.

    stated -- the bound in the notion of the mechanisms, if that is another one: what the claim implies there
    may refute it.
    """
    found = []
    for bound in bounds:
        found.append(replace(_with_these_numbers(claim, bound, solver), bound=bound))
        if found[-1].verdict != "undecided":
            break
    decided = found[-1] if found[-1].verdict != "undecided" else found[0]
    if decided.verdict == "undecided" and stated is not None:
        decided = replace(refute_by_consequence(claim, stated) or decided, bound=decided.bound)
    return _by_curve(decided, bounds[0])


def _with_these_numbers(claim: Claim, bound: Bound, solver: Solver) -> Verdict:
    """The verdict by parameters; undecided where numbers on the way are larger than formulas may have."""
    try:
        return _by_parameters(claim, bound, solver)
    except formulas.FormulaError as error:
        reason = f"it cannot be computed with these numbers: {error.line}; numbers nearer to 1 would do"
        return Verdict(claim, "undecided", reason=reason)


def _by_curve(verdict: Verdict, bound: Bound) -> Verdict:
    """The verdict by a computed curve, where there is one that says more."""
    claim = verdict.claim
    if claim.doubt or bound.vacuous:
        return verdict
    if verdict.loose is not None:
        by_conversion = verdict.bound is not None and verdict.bound.conversions
        return replace(verdict, guarantee=optimal.least(claim.guarantee, bound)) if by_conversion else verdict
    if verdict.verdict == "refuted":
        return replace(verdict, guarantee=optimal.least(claim.guarantee, bound))
    points = decide.points(bound.setting.domains, FEW_POINTS) if verdict.verdict == "undecided" else []
    complete = [_completed(point, bound, claim.guarantee) for point in points]
    found = optimal.decide(claim.guarantee, bound, complete)
    least = optimal.least(claim.guarantee, bound)
    if isinstance(found, optimal.Proved):
        return Verdict(
            claim, "proved", loose=found.loose, certificate=found.certificate, guarantee=least, bound=bound
        )
    if verdict.verdict == "proved" or found is None:
        return verdict
    if isinstance(found, Counterexample):
        return Verdict(claim, "refuted", counterexample=found, guarantee=least, bound=bound)
    same = claim.guarantee.notion == bound.guarantee.notion and found is optimal.ONLY_NUMBERS
    return verdict if same else replace(verdict, reason=found, guarantee=least)


def _by_parameters(claim: Claim, bound: Bound, solver: Solver) -> Verdict:
    """The verdict by comparing each parameter of the claim with that of the bound."""
    notion = claim.guarantee.notion
    if bound.vacuous:
        return Verdict(claim, "proved", loose=None)
    if notion != bound.guarantee.notion:
        return _without_bound(claim, bound, solver)
    if wrong := bound.steps.theory.rule(notion).head.misread(claim.guarantee.values):
        return Verdict(claim, "undecided", reason=wrong)
    if claim.doubt:
        return Verdict(claim, "undecided", reason=claim.doubt)
    compared: dict[str, _Proved | list[dict[str, Fraction]] | forms.NotAForm | str] = {}
    for known in bound.known:
        against = {key: _compare(key, one, bound, known, solver) for key, one in claim.guarantee.values}
        proved = {key: one for key, one in against.items() if isinstance(one, _Proved)}
        if len(proved) == len(against):
            return _proved(claim, proved)
        compared = compared or against
        if any(not isinstance(one, _Proved | str) for one in against.values()):
            break  # what is smaller than the closest guarantee is smaller than all
    proved = {key: one for key, one in compared.items() if isinstance(one, _Proved)}
    nothing = _says_nothing(claim, bound.setting, bound.steps.theory, solver)
    if nothing is not None:
        return Verdict(claim, "proved", certificate=nothing)
    fails = {key: one for key, one in compared.items() if isinstance(one, list | forms.NotAForm)}
    for failing in fails.values():
        if isinstance(failing, forms.NotAForm):
            verdict = _refute_at_points(claim, bound, failing)
        else:
            verdict = refute_at(claim, bound, failing)
        if verdict.verdict == "refuted" or (len(compared) == 1 and not bound.conversions):
            return verdict
    witness = bound.steps.theory.witness(notion)
    if not bound.optimal and witness is not None and witness.head.shows not in proved:
        # the mechanisms of the witness attain something else than the bound, which a claim may lie below
        verdict = refute_at(claim, bound, decide.points(bound.setting.domains, FEW_POINTS))
        if verdict.verdict == "refuted":
            return verdict
    if bound.conversions:
        return Verdict(claim, "undecided", reason=_by_conversion(claim, bound, compared))
    if fails:
        return Verdict(
            claim,
            "undecided",
            reason=f"{' and '.join(fails)} can be smaller than in the best guarantee that is known; "
            "that refutes nothing, because other pairs may hold as well",
        )
    return Verdict(claim, "undecided", reason=next(str(r) for r in compared.values() if isinstance(r, str)))


def refute_by_consequence(claim: Claim, bound: Bound) -> Verdict | None:
    """A refuted claim, where witnesses violate it, or a guarantee of another notion that it implies."""
    steps, claimed = bound.steps, claim.guarantee
    if not _is_understood(claim, steps.theory):
        return None
    others = [page.head.notion for page in steps.theory.of_kind("witness")]
    for notion in dict.fromkeys((claimed.notion, *bound.setting.notions, *others)):
        for path in paths(steps.theory, claimed.notion, notion) if notion != claimed.notion else [()]:
            ids = tuple(page.id for page in path)
            with suppress(StepRefused, formulas.FormulaError):
                weaker = replace(claim, guarantee=steps.implied(claimed, ids))
                found = refute_at(weaker, bound, decide.points(bound.setting.domains, FEW_POINTS))
                if found.counterexample is not None:
                    example = replace(found.counterexample, through=ids)
                    return Verdict(claim, "refuted", counterexample=example)
    return None


def _by_conversion(claim: Claim, bound: Bound, compared: Mapping[str, Any]) -> str:
    """Why a claim that is not shown to be at least a guarantee by conversion is not refuted."""
    values = dict(bound.guarantee.parameters)
    known = ", ".join(f"{key} = {value}" for key, value in values.items())
    pages = ", ".join(page.cite(bound.guarantee.notion) for page in bound.conversions)
    best = f"the best guarantee that is known, {known} by {pages}"
    fails = [
        key
        for key, one in compared.items()
        if isinstance(one, list)
        or (not isinstance(one, _Proved) and seen_smaller(claim.guarantee[key], values[key], bound.setting))
    ]
    if fails:
        return (
            f"{' and '.join(fails)} can be smaller than in {best}; "
            "that refutes nothing, because conversions may lose"
        )
    key, why = next((key, one) for key, one in compared.items() if not isinstance(one, _Proved))
    return f"it is not known whether {key} is ever smaller than in {best}: {why}"


def _without_bound(claim: Claim, bound: Bound, solver: Solver) -> Verdict:
    """A claim in a notion without a bound: it may say nothing, or some mechanisms alone may refute it."""
    theory, notion = bound.steps.theory, claim.guarantee.notion
    reason = f"claims about {notion} from {bound.guarantee.notion} guarantees"
    if not _is_understood(claim, theory):
        return Verdict(claim, "undecided", reason=reason)
    if _is_vain(claim):
        return Verdict(claim, "proved")
    nothing = _says_nothing(claim, bound.setting, theory, solver)
    if nothing is not None:
        return Verdict(claim, "proved", certificate=nothing)
    verdict = refute_at(claim, bound, decide.points(bound.setting.domains, FEW_POINTS))
    return verdict if verdict.verdict == "refuted" else Verdict(claim, "undecided", reason=reason)


FEW_POINTS = 24
"""At how many simple points witness mechanisms are tried where they do not attain the bound."""


FEW_PAIRS = 3
"""At how many pairs that lose most a counterexample is looked for."""
MOST_PAIRS = 200
"""At how many pairs mechanisms that are given as tables are looked at."""


def _says_nothing(claim: Claim, setting: Setting, theory: Theory, solver: Solver) -> dict[str, Any] | None:
    """What shows that a claimed parameter is oo, or never below the limit from which on it says nothing."""
    for key, claimed in claim.guarantee.values:
        if claimed is sympy.oo:
            return {key: {"says nothing": []}}
    for key, limit in theory.rule(claim.guarantee.notion).head.limits.items():
        claimed = claim.guarantee[key]
        with suppress(forms.NotAForm):
            form = forms.read(claimed, setting.domains)
            decision = decide.at_least(form, Form.constant(limit), setting.domains, solver)
            if isinstance(decision, AtLeast):
                return {key: {"says nothing": certificates.to_data(decision.proof)}}
    return None


def proves_itself(claim: Claim, setting: Setting, theory: Theory, solver: Solver = decide.STANDARD) -> bool:
    """Whether every mechanism has the claimed guarantee, so that no bound of the setting is needed."""
    if _is_vain(claim):
        return True
    return _is_understood(claim, theory) and _says_nothing(claim, setting, theory, solver) is not None


def _is_vain(claim: Claim) -> bool:
    """Whether every parameter is oo: such a claim says nothing in any notion."""
    return all(value is sympy.oo for _, value in claim.guarantee.values)


def _is_understood(claim: Claim, theory: Theory) -> bool:
    """Whether the claim has a value for all parameters, and its notion a rule page with just these."""
    claimed = claim.guarantee
    known = not claim.doubt and claimed.notion in theory.notions
    return known and not theory.rule(claimed.notion).head.misread(claimed.values)


@dataclass(frozen=True)
class _Proved:
    """One parameter of a claim is at least that of the guarantee; as in `Verdict`."""

    loose: bool | None
    certificate: dict[str, Any]


def _proved(claim: Claim, compared: Mapping[str, _Proved]) -> Verdict:
    """A claim whose parameters are all large enough: loose where one of them is larger somewhere."""
    said = [one.loose for one in compared.values()]
    loose = True if True in said else False if all(one is False for one in said) else None
    found = {key: one.certificate for key, one in compared.items() if one.certificate}
    return Verdict(claim, "proved", loose=loose, certificate=found)


def _compare(
    key: str, claimed: sympy.Expr, bound: Bound, known: Known, solver: Solver
) -> _Proved | list[dict[str, Fraction]] | forms.NotAForm | str:
    """A claimed parameter against a known one: proved, points where it is smaller, or why not known."""
    derived = dict(known.guarantee.parameters)[key]
    if claimed is sympy.oo:
        return _Proved(derived != "oo", {})
    domains = bound.setting.domains
    found: dict[str, Any] = {}
    try:
        greater = forms.read(claimed, domains)
        if bound.steps.is_squared(bound.guarantee.notion, key):
            sign = _never_negative(greater, domains, solver, found)
            if sign is not None:
                return sign
            greater = forms.squared(claimed, domains)
    except forms.NotAForm as error:
        return error
    if derived == "oo":
        return _few_members(bound, decide.points(domains))
    lesser = bound.steps.form(bound.guarantee.notion, derived, key)
    decision = decide.at_least(greater, lesser, domains, solver)
    if isinstance(decision, Fails):
        return [decision.point]
    if not isinstance(decision, AtLeast):
        if forms.is_positive(forms.constants_joined(lesser - greater), domains):
            return decide.points(domains, FEW_POINTS)  # below by irrational factors, at every point
        return decision.reason
    found["at least"] = certificates.to_data(decision.proof)
    if known is bound.closer:
        found["line"] = known.line
    return _Proved(_loose(greater, lesser, bound, known, solver, found), found)


def _never_negative(
    claimed: Form, domains: Mapping[str, Domain], solver: Solver, found: dict[str, Any]
) -> list[dict[str, Fraction]] | str | None:
    """None where a claimed value is ≥ 0 (adds what shows it to `found`), so that squares may be compared."""
    if forms.is_nonnegative(claimed, domains):
        return None
    decision = decide.at_least(claimed, Form(), domains, solver)
    if isinstance(decision, Fails):
        return [decision.point]
    if not isinstance(decision, AtLeast):
        return f"it is not known whether the claim may be negative: {decision.reason}"
    found["not negative"] = certificates.to_data(decision.proof)
    return None


def _loose(
    greater: Form, lesser: Form, bound: Bound, known: Known, solver: Solver, found: dict[str, Any]
) -> bool | None:
    """Whether a proved claim is larger than the bound somewhere; adds what shows it to `found`."""
    domains = bound.setting.domains
    other_way = decide.at_least(lesser, greater, domains, solver)
    if isinstance(other_way, Fails):
        found["larger at"] = {name: str(x) for name, x in other_way.point.items()}
        return True
    if isinstance(other_way, AtLeast) and known.optimal:
        found["at most"] = certificates.to_data(other_way.proof)
        return False
    for point in decide.points(domains, FEW_POINTS) if known is bound.closer else ():
        with suppress(BadCertificate, forms.NotAForm):
            certificates.check_larger(greater, lesser, domains, point)
            found["larger at"] = {name: str(x) for name, x in point.items()}
            return True
    return None


def _refute_at_points(claim: Claim, bound: Bound, error: forms.NotAForm) -> Verdict:
    """A claim without a normal form: simple points may refute it, if it is defined everywhere."""
    if not isinstance(error, forms.NoRealValue):
        verdict = refute_at(claim, bound, decide.points(bound.setting.domains))
        if verdict.verdict == "refuted":
            return verdict
    return Verdict(claim, "undecided", reason=str(error))


def _few_members(bound: Bound, points: list[dict[str, Fraction]]) -> list[dict[str, Fraction]]:
    """The points, with the least numbers of members of all families, then as they are."""
    domains = bound.setting.domains
    counts = {str(m.count) for m in bound.setting.mechanisms if m.count is not None} & set(domains)
    least = {name: domains[name].least or Fraction(1) for name in counts}
    return [point | least for point in points] + (points if least else [])


def refute_at(claim: Claim, bound: Bound, points: list[dict[str, Fraction]]) -> Verdict:
    """The counterexample at one of the points, at the pair of the profile that loses most there."""
    claimed = claim.guarantee
    reason = "no point was found at which the claim has a rational value"
    for point in points:
        full = _completed(point, bound, claimed)
        try:
            inputs = counterexamples.instance(bound.steps.inputs, full)
            pairs = _worst_pairs(bound, full) if inputs is bound.steps.inputs else _pairs_of(inputs, full)
        except (BadCertificate, formulas.FormulaError) as error:
            reason = str(error)
            continue
        if any(mechanism.table is not None for mechanism in inputs.setting.mechanisms):
            # what a table loses depends on the pair, and on its order, not only on how far inputs are apart
            every = [*pairs, *inputs.neighbouring_pairs().pairs[:MOST_PAIRS]]
            pairs = list(dict.fromkeys(pair for D, E in every for pair in ((D, E), (E, D))))
        for pair in counterexamples.with_multiples(inputs, pairs):
            try:
                found = some.of_known(partial(counterexamples.make, inputs, claimed, pair, full))
            except (BadCertificate, formulas.FormulaError) as error:
                reason = str(error)
            else:
                return Verdict(claim, "refuted", counterexample=found)
    return Verdict(claim, "undecided", reason=reason)


def _worst_pairs(bound: Bound, point: Mapping[str, Fraction]) -> list[tuple[Any, Any]]:
    """The pairs of the profile at which most is lost at the point, a few of them, worst first."""

    def value(loss: Loss) -> tuple[bool, Fraction]:
        return (True, Fraction(0)) if isinstance(loss, str) else (False, loss.at(point))

    worst: dict[int, None] = {}
    for key, losses in bound.losses.items():
        most, reached = _guaranteed(bound, key, point), 0
        values: dict[int, tuple[bool, Fraction]] = {}
        try:
            for n, loss in enumerate(losses):
                values[n] = value(loss)
                reached += values[n] == (False, most)
                if reached == FEW_PAIRS:
                    break  # no pair loses more than is guaranteed
        except forms.NotAForm:  # irrational at the point
            order = list(range(len(losses)))
        else:
            order = sorted(values, key=values.__getitem__, reverse=True)
        worst |= dict.fromkeys(order[:FEW_PAIRS])
    parse = bound.steps.inputs.setting.databases.parse
    return [tuple(map(parse, bound.profile.pairs[n])) for n in worst]  # type: ignore[misc]


def _guaranteed(bound: Bound, key: str, point: Mapping[str, Fraction]) -> Fraction | None:
    """The guaranteed value of a parameter, or its square, at a point; None where it is infinite, irrational
    or by conversion from the losses."""
    value = dict(bound.guarantee.parameters).get(key, "oo")
    if value == "oo" or bound.conversions:
        return None
    with suppress(forms.NotAForm):
        return bound.steps.form(bound.guarantee.notion, value, key).at(point)
    return None


def _pairs_of(inputs: Inputs, point: Mapping[str, Fraction]) -> list[tuple[Any, Any]]:
    """The same for a setting whose families were written out at the point: by its own pairs."""
    stated = [mechanism.satisfies.values[-1][1] for mechanism in inputs.setting.mechanisms]
    values = [None if value is sympy.oo else formulas.evaluate(value, point) for value in stated]

    def loss(pair: tuple[Any, Any]) -> tuple[bool, Fraction]:
        total, infinite = Fraction(0), False
        for i, r in inputs.distances(pair).items():
            one = values[i - 1]
            infinite |= r == INFINITE or one is None
            # an order in which pairs are tried: irrational amounts count as 1
            steps = r if isinstance(r, int) else formulas.evaluate(r, point)
            total += (Fraction(1) if steps is None else steps) * (one or Fraction(0))
        return infinite, total

    return sorted(inputs.neighbouring_pairs().pairs, key=loss, reverse=True)[:FEW_PAIRS]


def _completed(point: Mapping[str, Fraction], bound: Bound, claimed: Guarantee) -> dict[str, Fraction]:
    """The point, with simple values for parameters that cancelled, and without those that nothing uses."""
    usual = decide.usual(bound.setting.domains) | dict(point)
    names = bound.setting.used | {one.name for _, value in claimed.values for one in value.free_symbols}
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
    """The parameters of a mechanism: of its guarantee, and of its query and noise."""
    return {str(one) for value in mechanism.formulas for one in value.free_symbols}


def _size(count: sympy.Expr, point: Mapping[str, Fraction]) -> int:
    size = Fraction(int(count)) if count.is_Integer else point[str(count)]
    return min(int(size), counterexamples.LARGEST_INSTANCE + 1)
