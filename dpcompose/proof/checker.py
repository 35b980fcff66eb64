"""Checks a saved derivation, without the search and without the solver.

A saved derivation holds the setting, the SHA-256 of every page it uses, the lines, the
result, and for each claim a verdict with a certificate.  The checker

1. reads the setting and compares the pages with those in force;
2. makes every line again (`steps.line`) and compares it whole;
3. reads the result off the last lines and compares it;
4. checks each claim's certificate: weights by `certificates`, a counterexample from the setting.

It raises `Refused` with the place and the reason, or returns what was checked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy

from dpcompose.language import forms, formulas
from dpcompose.language.symbols import Domain
from dpcompose.privacy import problems
from dpcompose.privacy.problems import Claim, ProblemError
from dpcompose.proof import certificates, computed, counterexamples, kernel, resting
from dpcompose.proof.certificates import BadCertificate
from dpcompose.proof.computed import COMPUTED
from dpcompose.proof.derivations import Derived, Refused, chosen, conversions, difference, is_read, remade
from dpcompose.proof.kernel import Line
from dpcompose.proof.registry import Page, Theory
from dpcompose.proof.steps import StepRefused, Steps

__all__ = ["FORMAT", "Checked", "Refused", "check", "too_deep"]

FORMAT = 1


@dataclass(frozen=True)
class Checked:
    """What a saved derivation shows: its guarantee, how many lines, and the verdict of each claim.

    believed -- what it assumes of mechanisms, by their lines; pages -- those that it rests on.
    """

    title: str
    guarantee: kernel.Private
    optimal: bool
    lines: int
    verdicts: tuple[str, ...]
    believed: tuple[str, ...]
    pages: tuple[Page, ...] = ()


def check(saved: Any, theory: Theory, allowed: Collection[str] | None = None) -> Checked:
    """Checks a saved derivation, parsed from JSON, with the pages in force.  Raises Refused.

    allowed -- the pages that may be relied upon, by their ids; left out, all.
    """
    if too_deep(saved):
        raise Refused("the file is nested too deeply")
    if not isinstance(saved, dict) or saved.get("format") != FORMAT:
        raise Refused("this is no saved derivation of format 1")
    if missing := [key for key in ("problem", "pages", "lines", "result", "claims") if key not in saved]:
        raise Refused(f"the file has no {missing[0]}")
    try:
        problem = problems.read_data(saved["problem"], notions=theory.parameters)
    except ProblemError as error:
        raise Refused(f"the setting cannot be read: {error.mistakes[0]}") from None
    shown = remade(saved, Steps(problem.setting, theory, conversions(saved), chosen=chosen(saved)))
    if not isinstance(saved["claims"], list) or len(saved["claims"]) != len(problem.claims):
        raise Refused(
            f"the setting has {len(problem.claims)} claims, and the file does not have a verdict for each"
        )
    verdicts, used = [], resting.of_lines(shown.steps, shown.lines)
    for n, (one, claim) in enumerate(zip(saved["claims"], problem.claims, strict=True), start=1):
        verdict, pages = _check_claim(n, one, claim, shown)
        verdicts.append(verdict)
        used |= pages
    relied = theory.relied_on(used)
    check_allowed(relied, allowed)
    return Checked(
        problem.setting.title,
        shown.private,
        shown.optimal,
        len(shown.lines),
        tuple(verdicts),
        tuple(f"{name} ({n})" for name, n in kernel.assumed(shown.lines)),
        relied,
    )


def check_allowed(pages: Iterable[Page], allowed: Collection[str] | None) -> None:
    """Raises Refused where something rests on a page that is not among those allowed."""
    for page in pages:
        if allowed is not None and page.id not in allowed:
            raise Refused(f"it rests on the page {page.id!r}, which is {page.head.status} and not allowed")


MOST_DEPTH = 100
"""How deep lists and tables of a saved derivation may lie in one another."""


def too_deep(value: Any) -> bool:
    """Whether lists and tables lie in one another more than MOST_DEPTH deep."""
    layer = [value]
    for _ in range(MOST_DEPTH):
        layer = [
            inner
            for one in layer
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not layer:
            return False
    return True


def _check_claim(
    n: int,
    saved: Any,
    claim: Claim,
    shown: Derived[Steps],
) -> tuple[str, set[str]]:
    """The verdict of a claim, once its certificate shows it: from a derivation of its own if it has one.

    With the pages that it rests on beside those of the file's derivation.
    """
    used: set[str] = set()
    if not isinstance(saved, dict):
        raise Refused(f"claim {n} cannot be read")
    verdict = saved.get("verdict")
    wanted = {
        "proved": ["certificate", "loose", "derivation"],
        "refuted": ["counterexample"],
        "undecided": ["reason"],
    }
    optional = [*wanted.get(verdict, [])] if isinstance(verdict, str) else []
    if saved.get("claim") != dict(claim.text) or saved.get("expect") != claim.expect:
        raise Refused(f"claim {n} is another one in the setting")
    if extra := sorted(set(saved) - {"verdict", "claim", "expect", *optional}):
        raise Refused(f"claim {n} is {verdict}: nothing checks its {extra[0]}")
    if "derivation" in saved:
        shown = _of_claim(n, saved["derivation"], shown.steps, claim.guarantee.notion)
        used |= resting.of_lines(shown.steps, shown.lines)
    if claim.doubt and verdict != "undecided" and any(_profiles(shown.lines)):
        raise Refused(f"claim {n} is not shown to be {verdict}: {claim.doubt}")
    try:
        if verdict == "proved":
            _check_proved(saved, claim, shown)
            used |= resting.of_certificate(saved.get("certificate", {}), claim.guarantee, shown.steps.theory)
        elif verdict == "refuted":
            steps = shown.steps.flat(claim.guarantee.notion) or shown.steps
            _check_refuted(saved, claim, steps, used)
        elif verdict != "undecided":
            raise BadCertificate(f"there is no verdict {verdict!r}")
    except (BadCertificate, StepRefused, forms.NotAForm, formulas.FormulaError) as error:
        raise Refused(f"claim {n} is not shown to be {verdict}: {error}") from None
    return str(verdict), used


def _of_claim(n: int, saved: Any, others: Steps, notion: str) -> Derived[Steps]:
    """What the derivation of a single claim shows: in its notion, from the same setting, or flattened."""
    if not is_read(saved, ["flat"]) or saved.get("flat", True) is not True:
        raise Refused(f"the derivation of claim {n} cannot be read")
    try:
        like = others.flat(notion) if "flat" in saved else others
        if like is None:
            raise Refused("its derivation is about a flattened setting, and there is none")
        return remade(saved, Steps(like.setting, like.theory, conversions(saved), like, chosen(saved)))
    except Refused as error:
        raise Refused(f"claim {n}: {error}") from None


def _profiles(lines: list[Line]) -> Iterator[tuple[kernel.Vector, ...]]:
    """The vectors of each profile: none where the target has no neighbours."""
    return (line.judgement.vectors for line in lines if isinstance(line.judgement, kernel.Profile))


def _check_proved(saved: Mapping[str, Any], claim: Claim, shown: Derived[Steps]) -> None:
    """The claim is at least the guarantee for all parameter values; `loose` is as said."""
    steps = shown.steps
    loose, all_certificates = saved.get("loose"), saved.get("certificate", {})
    if not (loose is None or isinstance(loose, bool)):
        raise BadCertificate("loose is no truth value")
    if not (
        isinstance(all_certificates, dict) and all(isinstance(c, dict) for c in all_certificates.values())
    ):
        raise BadCertificate("the certificate cannot be read")
    if not any(_profiles(shown.lines)):
        if loose is not None:
            raise BadCertificate("nothing shows whether it is loose")
        return  # no neighbours: every guarantee holds
    if set(all_certificates) == {COMPUTED}:
        profile = next(line.judgement for line in shown.lines if isinstance(line.judgement, kernel.Profile))
        larger_there = computed.check_proved(all_certificates[COMPUTED], claim.guarantee, steps, profile)
        if loose not in (None, larger_there):
            raise BadCertificate("the computed delta does not show whether it is loose")
        return
    if any("says nothing" in one for one in all_certificates.values()):
        _check_says_nothing(claim, all_certificates, steps)
        if loose is not None:
            raise BadCertificate("nothing shows whether it is loose")
        return
    private, optimal = _closer(all_certificates, shown) or (shown.private, shown.optimal)
    if claim.guarantee.notion != private.notion:
        if loose is None and all(value is sympy.oo for _, value in claim.guarantee.values):
            return  # oo says nothing
        raise BadCertificate(f"the guarantee is about {private.notion}")
    larger = [
        _check_parameter(key, claimed, private, all_certificates.get(key, {}), steps)
        for key, claimed in claim.guarantee.values
    ]
    if loose is True and True not in larger:
        raise BadCertificate("there is no point at which it is larger than the guarantee")
    if loose is False and not all(
        one is False and (optimal or value is sympy.oo)
        for one, (_, value) in zip(larger, claim.guarantee.values, strict=True)
    ):
        raise BadCertificate("nothing shows that it equals an optimal guarantee")


def _closer(given: Mapping[str, Any], shown: Derived[Steps]) -> tuple[kernel.Private, bool] | None:
    """The guarantee of the line that certificates name, by a closer page, and whether a line says that it is
    optimal; None where they name no line."""
    if not any("line" in certificate for certificate in given.values()):
        return None
    named = [certificate.get("line") for certificate in given.values()]
    alike = all(type(n) is int and n == named[0] for n in named)
    found = [line for line in shown.lines if alike and line.n == named[0]]
    said = found[0].judgement if found else None
    if not isinstance(said, kernel.Private) or shown.steps.theory.pages[found[0].by].head.kind != "closer":
        raise BadCertificate("the line that it names states no closer guarantee")
    optimal = any(
        isinstance(line.judgement, kernel.Optimal) and line.uses[-1] == found[0].n for line in shown.lines
    )
    return said, optimal


def _check_says_nothing(claim: Claim, given: Mapping[str, Any], steps: Steps) -> None:
    """A claimed parameter is oo, or never below the limit from which on every mechanism has the guarantee."""
    limits = steps.theory.rule(claim.guarantee.notion).head.limits
    (key, certificate), *others = given.items()
    claimed, domains = dict(claim.guarantee.values).get(key), steps.setting.domains
    if others or set(certificate) != {"says nothing"} or not (claimed is sympy.oo or key in limits):
        raise BadCertificate("the certificate cannot be read")
    if claimed is not sympy.oo:
        proof = certificates.from_data(certificate["says nothing"])
        limit = forms.Form.constant(limits[key])
        certificates.check_at_least(forms.read(claimed, domains), limit, domains, proof)


def _check_parameter(
    key: str, claimed: sympy.Expr, private: kernel.Private, certificate: Mapping[str, Any], steps: Steps
) -> bool | None:
    """A claimed parameter is at least the guarantee's; whether it is shown to be larger, or equal."""
    domains, bound = steps.setting.domains, dict(private.parameters)[key]
    if claimed is sympy.oo:
        return bound != "oo"
    if bound == "oo":
        raise BadCertificate("the guarantee is oo")
    greater = forms.read(claimed, domains)
    if steps.is_squared(private.notion, key):
        _check_never_negative(greater, domains, certificate.get("not negative"))
        greater = forms.squared(claimed, domains)
    lesser = steps.form(private.notion, bound, key)
    if "at least" not in certificate:
        raise BadCertificate("there are no weights")
    certificates.check_at_least(greater, lesser, domains, certificates.from_data(certificate["at least"]))
    if "larger at" in certificate:
        certificates.check_larger(
            greater, lesser, domains, certificates.point_from_data(certificate["larger at"])
        )
        return True
    if "at most" in certificate:
        certificates.check_at_least(lesser, greater, domains, certificates.from_data(certificate["at most"]))
        return False
    return None


def _check_never_negative(claimed: forms.Form, domains: Mapping[str, Domain], proof: Any) -> None:
    """The claimed value is ≥ 0, so that its square may be compared."""
    if forms.is_nonnegative(claimed, domains):
        return
    if proof is None:
        raise BadCertificate("nothing shows that the claim is never negative")
    certificates.check_at_least(claimed, forms.Form(), domains, certificates.from_data(proof))


def _check_refuted(saved: Mapping[str, Any], claim: Claim, steps: Steps, used: set[str]) -> None:
    """The counterexample is made again from the pair and the point, and compared whole.

    used -- the pages that it rests on are added to these.
    """
    given = saved.get("counterexample")
    if not isinstance(given, dict):
        raise BadCertificate("there is no counterexample")
    shown = given.get("databases")
    if not (isinstance(shown, list) and len(shown) == 2):
        raise BadCertificate("the counterexample has no two databases")
    point: dict[str, Fraction] = certificates.point_from_data(given.get("parameters"))
    inputs = counterexamples.instance(steps.inputs, point)
    databases = inputs.setting.databases
    try:
        pair = (databases.parse(shown[0]), databases.parse(shown[1]))
    except ValueError as error:
        raise BadCertificate(str(error)) from None
    through = given.get("through", [])
    if not (isinstance(through, list) and all(isinstance(id, str) for id in through)):
        raise BadCertificate("the conversions of the claim cannot be read")
    without = given.get("without", [])
    if not (isinstance(without, list) and all(isinstance(name, str) for name in without)):
        raise BadCertificate("the mechanisms that are left out cannot be read")
    if "bits" in given:
        bits = given["bits"]
        if type(bits) is not int:
            raise BadCertificate("the number of bits cannot be read")
        made = counterexamples.by_curve(inputs, claim.guarantee, pair, point, bits, without)
    else:
        claimed = steps.implied(claim.guarantee, through)
        made = counterexamples.make(inputs, claimed, pair, point, without)
        made = replace(made, through=tuple(through))
    if made.data() != given:
        raise BadCertificate(f"the counterexample's {difference(given, made.data())}")
    used |= resting.of_counterexample(made, claim.guarantee, steps)
