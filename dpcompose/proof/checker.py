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

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy

from dpcompose.language import forms, formulas
from dpcompose.language.symbols import Domain
from dpcompose.privacy import problems
from dpcompose.privacy.problems import Claim, ProblemError
from dpcompose.proof import certificates, computed, counterexamples, kernel
from dpcompose.proof.certificates import BadCertificate
from dpcompose.proof.computed import COMPUTED
from dpcompose.proof.hypotheses.inputs import NotDecidable
from dpcompose.proof.kernel import Line
from dpcompose.proof.registry import Theory
from dpcompose.proof.steps import StepRefused, Steps
from dpcompose.spaces.databases import TooLarge

FORMAT = 1


class Refused(ValueError):
    """A saved derivation is wrong; the message says where and why."""


@dataclass(frozen=True)
class Checked:
    """What a saved derivation shows: its guarantee, how many lines, and the verdict of each claim."""

    title: str
    guarantee: kernel.Private
    optimal: bool
    lines: int
    verdicts: tuple[str, ...]
    believed: tuple[str, ...]


def check(saved: Any, theory: Theory) -> Checked:
    """Checks a saved derivation, parsed from JSON, with the pages in force.  Raises Refused."""
    if too_deep(saved):
        raise Refused("the file is nested too deeply")
    if not isinstance(saved, dict) or saved.get("format") != FORMAT:
        raise Refused("this is no saved derivation of format 1")
    if missing := [key for key in ("problem", "pages", "lines", "result", "claims") if key not in saved]:
        raise Refused(f"the file has no {missing[0]}")
    try:
        problem = problems.read_data(saved["problem"])
    except ProblemError as error:
        raise Refused(f"the setting cannot be read: {error.mistakes[0]}") from None
    shown = _derived(saved, Steps(problem.setting, theory, _conversions(saved)))
    if not isinstance(saved["claims"], list) or len(saved["claims"]) != len(problem.claims):
        raise Refused(
            f"the setting has {len(problem.claims)} claims, and the file does not have a verdict for each"
        )
    verdicts = tuple(
        _check_claim(n, one, claim, shown)
        for n, (one, claim) in enumerate(zip(saved["claims"], problem.claims, strict=True), start=1)
    )
    believed = tuple(
        f"{line.judgement.name} ({line.n})" for line in shown.lines if kernel.believed(line.judgement)
    )
    number = len(shown.lines)
    return Checked(problem.setting.title, shown.private, shown.optimal, number, verdicts, believed)


@dataclass(frozen=True)
class _Derived:
    """What checked lines show, and what made them."""

    steps: Steps
    lines: list[Line]
    private: kernel.Private
    optimal: bool


DERIVATION = ("pages", "lines", "result")
"""What a derivation has; of guarantees that are converted also `conversions`."""


def _conversions(saved: Mapping[str, Any]) -> dict[str, list[str]]:
    """The pages by which guarantees are converted, by notion."""
    given = saved.get("conversions", {})
    if not (
        isinstance(given, dict)
        and all(isinstance(path, list) and path for path in given.values())
        and all(isinstance(id, str) for path in given.values() for id in path)
    ):
        raise Refused("the conversions cannot be read")
    return given


def _derived(saved: Mapping[str, Any], steps: Steps) -> _Derived:
    """The result of a derivation whose lines are made again, on the pages in force."""
    _check_pages(saved, steps.theory)
    lines = _check_lines(saved["lines"], saved["pages"], steps)
    private, optimal = _result(lines)
    if saved["result"] != result(private, optimal):
        raise Refused(
            f"the result is not what the lines show: {_values(private)}{', optimal' if optimal else ''}"
        )
    if saved["pages"] != steps.pages(lines):
        other = sorted(set(saved["pages"]) ^ set(steps.pages(lines)))
        raise Refused(f"the file does not list the pages that its lines rest on: {other[0]!r}")
    return _Derived(steps, lines, private, optimal)


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


def result(private: kernel.Private, optimal: bool) -> dict[str, Any]:
    """The result that a derivation's last lines show, as it is saved."""
    return {"notion": private.notion} | dict(private.parameters) | {"optimal": optimal}


def _check_pages(saved: Mapping[str, Any], theory: Theory) -> None:
    if not isinstance(saved["pages"], dict):
        raise Refused("the pages cannot be read")
    for id, sha256 in saved["pages"].items():
        if id not in theory.pages:
            raise Refused(f"there is no page {id!r}")
        if theory.pages[id].sha256 != sha256:
            raise Refused(f"the page {id!r} is not the one that the derivation was made with")


def _check_lines(saved: Any, pages: Mapping[str, str], steps: Steps) -> list[Line]:
    """Makes every line again from the setting and the lines before it, and compares it whole."""
    if not isinstance(saved, list):
        raise Refused("the lines cannot be read")
    lines: list[Line] = []
    for n, given in enumerate(saved, start=1):
        if not (
            isinstance(given, dict)
            and isinstance(given.get("roles"), dict)
            and isinstance(given.get("by"), str)
        ):
            raise Refused(f"line {n} cannot be read")
        used = given.get("from")
        if not (isinstance(used, list) and all(isinstance(m, int) and 1 <= m < n for m in used)):
            raise Refused(f"line {n} does not use earlier lines")
        if given["by"] in steps.theory.pages and given["by"] not in pages:
            raise Refused(f"line {n} is by the page {given['by']!r}, which the file does not list")
        try:
            line = steps.line(
                n, given["by"], given["roles"], [lines[m - 1] for m in used], given.get("evidence")
            )
        except (StepRefused, NotDecidable, TooLarge, ValueError) as error:
            raise Refused(f"line {n}: {error}") from None
        if line.data() != given:
            raise Refused(f"line {n} is not what {given['by']} gives: {_difference(given, line.data())}")
        lines.append(line)
    return lines


def _difference(given: Any, made: Any, where: str = "") -> str:
    """The first place where a line differs from the one that is made again."""
    if isinstance(given, dict) and isinstance(made, dict):
        for key in sorted({*given, *made}, key=str):
            if key not in given or key not in made or given[key] != made[key]:
                return _difference(given.get(key), made.get(key), f"{where}.{key}" if where else str(key))
    if isinstance(given, list) and isinstance(made, list) and len(given) != len(made):
        return f"{where} has {len(given)} entries, not {len(made)}"
    if isinstance(given, list) and isinstance(made, list):
        for n, (one, other) in enumerate(zip(given, made, strict=True), start=1):
            if one != other:
                return _difference(one, other, f"{where}.{n}")
    return f"{where} is {_short(given)}, not {_short(made)}"


def _result(lines: list[Line]) -> tuple[kernel.Private, bool]:
    """The guarantee that the derivation ends with, and whether a line says that it is optimal."""
    last = lines[-1].judgement if lines else None
    if isinstance(last, kernel.Private):
        return last, False
    if isinstance(last, kernel.Optimal):
        guarantee = lines[lines[-1].uses[-1] - 1].judgement
        if isinstance(guarantee, kernel.Private):
            return guarantee, True
    raise Refused(f"the derivation stops at line {len(lines)}, which states no guarantee")


def _check_claim(
    n: int,
    saved: Any,
    claim: Claim,
    shown: _Derived,
) -> str:
    """The verdict of a claim, once its certificate shows it: from a derivation of its own if it has one."""
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
        shown = _of_claim(n, saved["derivation"], shown.steps)
    if claim.doubt and verdict != "undecided" and any(_profiles(shown.lines)):
        raise Refused(f"claim {n} is not shown to be {verdict}: {claim.doubt}")
    try:
        if verdict == "proved":
            _check_proved(saved, claim, shown)
        elif verdict == "refuted":
            _check_refuted(saved, claim, shown.steps)
        elif verdict != "undecided":
            raise BadCertificate(f"there is no verdict {verdict!r}")
    except (BadCertificate, StepRefused, forms.NotAForm, formulas.FormulaError) as error:
        raise Refused(f"claim {n} is not shown to be {verdict}: {error}") from None
    return str(verdict)


def _of_claim(n: int, saved: Any, others: Steps) -> _Derived:
    """What the derivation of a single claim shows: in its notion, from the same setting."""
    if not isinstance(saved, dict) or set(saved) - {"conversions"} != set(DERIVATION):
        raise Refused(f"the derivation of claim {n} cannot be read")
    try:
        return _derived(saved, Steps(others.setting, others.theory, _conversions(saved), others))
    except Refused as error:
        raise Refused(f"claim {n}: {error}") from None


def _profiles(lines: list[Line]) -> Iterator[tuple[kernel.Vector, ...]]:
    """The vectors of each profile: none where the target has no neighbours."""
    return (line.judgement.vectors for line in lines if isinstance(line.judgement, kernel.Profile))


def _check_proved(saved: Mapping[str, Any], claim: Claim, shown: _Derived) -> None:
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


def _closer(given: Mapping[str, Any], shown: _Derived) -> tuple[kernel.Private, bool] | None:
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


def _check_refuted(saved: Mapping[str, Any], claim: Claim, steps: Steps) -> None:
    """The counterexample is made again from the pair and the point, and compared whole."""
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
    if "bits" in given:
        bits = given["bits"]
        if type(bits) is not int:
            raise BadCertificate("the number of bits cannot be read")
        made = counterexamples.by_curve(inputs, claim.guarantee, pair, point, bits)
    else:
        made = counterexamples.make(inputs, steps.implied(claim.guarantee, through), pair, point)
        made = replace(made, through=tuple(through))
    if made.data() != given:
        raise BadCertificate(f"the counterexample's {_difference(given, made.data())}")


def _values(private: kernel.Private) -> str:
    return ", ".join(f"{key} = {value}" for key, value in private.parameters)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
