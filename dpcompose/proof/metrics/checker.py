"""Checks what was saved about privacy in a metric, without the search and without the solver.

The file holds the problem, the SHA-256 of the pages it rests on, what shows that metrics are metrics, the
result, and for each claim a verdict with its certificate.  Everything is made again from the problem.  Claims
for neighbours may have a derivation of the kernel's beside, which is checked by itself (`front.recheck`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy

from dpcompose.kernel.certificates import BadCertificate
from dpcompose.kernel.check import Refused as Refused  # the error of all saved derivations
from dpcompose.kernel.comparison import read_point
from dpcompose.kernel.polynomials import NotAForm
from dpcompose.language import formulas
from dpcompose.privacy.in_metrics import is_in_metrics
from dpcompose.privacy.metrics import reading
from dpcompose.privacy.problems import Claim, ProblemError
from dpcompose.proof.metrics import certificates
from dpcompose.proof.metrics.cells import NoForm
from dpcompose.proof.metrics.composition import Composition, Way
from dpcompose.proof.metrics.refutation import Refutation
from dpcompose.proof.registry import Page, Theory
from dpcompose.spaces.points import Own

FORMAT = 3
"""The number of the format of saved derivations about privacy in a metric."""


@dataclass(frozen=True)
class MetricChecked:
    """What a saved file shows: the guarantee, whether it is attained, the verdicts, and what is believed.

    deciders -- the names of those that its certificates use.
    """

    title: str
    guarantee: Mapping[str, str]
    optimal: bool | None
    verdicts: tuple[str, ...]
    believed: tuple[str, ...]
    pages: tuple[Page, ...]
    deciders: tuple[str, ...]


def is_one(saved: Any) -> bool:
    """Whether a saved file is about privacy in a metric."""
    problem = saved.get("problem") if isinstance(saved, dict) else None
    return isinstance(problem, dict) and is_in_metrics(problem)


def check(saved: Any, theory: Theory, allowed: Collection[str] | None = None) -> MetricChecked:
    """Checks a saved file, parsed from JSON, with the pages in force.  Raises Refused.

    allowed -- the pages that may be relied upon, by their ids; left out, all.
    """
    if too_deep(saved):
        raise Refused("the file is nested too deeply")
    if saved.get("format") != FORMAT or set(saved) != {"format", *KEYS}:
        raise Refused(f"a saved file of format {FORMAT} about a metric has {', '.join(KEYS)}")
    try:
        problem = reading.read_data(saved["problem"], notions=theory.parameters)
    except ProblemError as error:
        raise Refused(f"the setting cannot be read: {error.mistakes[0]}") from None
    composition = Composition(problem.setting, theory)
    if not isinstance(saved["claims"], list) or len(saved["claims"]) != len(problem.claims):
        raise Refused(f"the file does not have a verdict for each of {len(problem.claims)} claims")
    used: set[str] = set()
    ways: list[Way] = []
    known, bounds = _metrics(composition, saved["metrics"], used)
    try:
        said = composition.result(known.__contains__)
    except NoForm as error:
        raise Refused(str(error)) from None
    if saved["result"] != said:
        raise Refused("the result is not what the mechanisms give")
    checked = _Claims(composition, known, used, ways)
    verdicts = tuple(
        checked.verdict(n, given, claim)
        for n, (given, claim) in enumerate(zip(saved["claims"], problem.claims, strict=True), start=1)
    )
    if saved["pages"] != composition.pages(ways):
        raise Refused("the pages are not those in force that the result rests on")
    assumed = composition.believed(known.__contains__, bounds.__contains__, ways)
    pages = composition.relied_on(ways)
    check_allowed(pages, allowed)
    guarantee = {key: value for key, value in said.items() if key != "optimal"}
    about = problem.setting.title, guarantee, said["optimal"]
    return MetricChecked(*about, verdicts, assumed, pages, tuple(sorted(used)))


KEYS = ("problem", "pages", "metrics", "result", "claims")
"""What a saved file has besides its format."""


def _metrics(composition: Composition, saved: Any, used: set[str]) -> tuple[set[str], set[str]]:
    """Which named metrics are shown to be metrics, and which declared bounds are; adds deciders to `used`."""
    setting, letters = composition.setting, composition.letters
    if not isinstance(saved, dict) or not set(saved) <= set(setting.metrics):
        raise Refused("what shows the metrics cannot be read")
    known: set[str] = set()
    bounds: set[str] = set()
    for name, metric in setting.metrics.items():
        given = saved.get(name, {})
        if not isinstance(given, dict) or not set(given) <= {"axioms", "at most"}:
            raise Refused(f"what shows the metric {name} cannot be read")
        try:
            if composition.axioms.is_seen(name, known.__contains__):
                known.add(name)
            elif "axioms" in given and isinstance(metric.distance, Own):
                obligations = composition.axioms.obligations(metric.distance)
                if not isinstance(given["axioms"], list) or len(given["axioms"]) != len(obligations):
                    raise BadCertificate(f"there are {len(obligations)} axioms")
                for one, proofs in zip(obligations, given["axioms"], strict=True):
                    used |= certificates.check_everywhere(letters, one.greater, one.lesser, proofs)
                known.add(name)
            if "at most" in given:
                if metric.at_most is None or composition.is_opaque(setting.letters[name]):
                    raise BadCertificate("no bound is declared that could be shown")
                sides = (letters.of(metric.at_most), letters.of(setting.letters[name]))
                used |= certificates.check_everywhere(letters, *sides, given["at most"])
                bounds.add(name)
        except (BadCertificate, NotAForm, NoForm) as error:
            raise Refused(f"the metric {name}: {error}") from None
    return known, bounds


@dataclass(frozen=True)
class _Claims:
    """The claims of a saved file; used -- the deciders so far; ways -- those by which claims were proved."""

    composition: Composition
    known: set[str]
    used: set[str]
    ways: list[Way]

    def verdict(self, n: int, saved: Any, claim: Claim) -> str:
        """The verdict on a claim, once what is saved shows it."""
        wanted = {
            "proved": {"certificate", "loose"},
            "refuted": {"counterexample"},
            "undecided": {"reason"},
        }
        verdict = saved.get("verdict") if isinstance(saved, dict) else None
        if not isinstance(verdict, str) or verdict not in wanted:
            raise Refused(f"claim {n} cannot be read")
        if saved.get("claim") != dict(claim.text) or saved.get("expect") != claim.expect:
            raise Refused(f"claim {n} is another one in the setting")
        if extra := sorted(set(saved) - {"verdict", "claim", "expect"} - wanted[verdict]):
            raise Refused(f"claim {n} is {verdict}: nothing checks its {extra[0]}")
        try:
            if claim.doubt and verdict != "undecided":
                raise BadCertificate(claim.doubt)
            if verdict == "proved":
                self._proved(saved.get("certificate"), saved.get("loose"), claim)
            elif verdict == "refuted":
                self._refuted(saved.get("counterexample"), claim)
        except (BadCertificate, NotAForm, NoForm, formulas.FormulaError) as error:
            raise Refused(f"claim {n} is not shown to be {verdict}: {error}") from None
        return str(verdict)

    def _refuted(self, given: Any, claim: Claim) -> None:
        point = read_point(given.get("letters") if isinstance(given, dict) else None)
        made = Refutation(self.composition, self.known.__contains__).refute(claim.guarantee, point)
        if made.data() != given:
            raise BadCertificate("the counterexample is not what its letters give")

    def _proved(self, given: Any, loose: Any, claim: Claim) -> None:
        """Checks that the claim is at least the guarantee everywhere, and `loose` as said."""
        if claim.guarantee.metric is sympy.oo:
            if loose is not True or given != {}:
                raise BadCertificate("oo is larger than every metric, and nothing else is to be shown")
            return
        if not isinstance(given, Mapping) or not set(given) <= {"way", "at least", "at most", "larger at"}:
            raise BadCertificate("the certificate cannot be read")
        composition, letters = self.composition, self.composition.letters
        way = certificates.check_way(composition, claim.guarantee, given.get("way"))
        wanted = certificates.comparisons(composition, claim.guarantee, way)
        self.used.update(certificates.check_all(letters, wanted, given.get("at least")))
        self.ways.append(way)
        if loose is None:
            return
        if (
            way != composition.own_way(claim.notion)
            or claim.notion != composition.notion
            or claim.guarantee.delta is not None
        ):
            raise BadCertificate("whether it is loose is not known by that way")
        if loose is True:
            pairs = Refutation(composition, self.known.__contains__).pairs
            certificates.check_larger(composition, pairs, claim.guarantee, read_point(given.get("larger at")))
        elif loose is False:
            if composition.attained(self.known.__contains__) is not True:
                raise BadCertificate("nothing shows that the metric is attained")
            others = certificates.converse(composition, claim.guarantee, way)
            self.used.update(certificates.check_all(letters, others, given.get("at most")))
        else:
            raise BadCertificate("loose is no truth value")


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
