"""Privacy in a metric, in the hands of a user: problem files with `[metrics]`, their claims and results.

>>> study, claims = load_metric("notebooks/problems/71-private-in-a-metric.toml")
>>> study.metric
L1*e1 + L2*e2
>>> [study.check(claim).verdict for claim in claims][:2]
['proved', 'refuted']
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import sympy

from dpcompose.front import files, render
from dpcompose.front.metric_display import MetricDerivation, MetricLine, document, filled
from dpcompose.language import formulas
from dpcompose.language.shown import Shown
from dpcompose.language.symbols import symbol
from dpcompose.privacy import metric_problems, problems
from dpcompose.privacy.metric_builder import Data, Databases, Formula, Mechanism, problem_data
from dpcompose.privacy.metric_problems import MetricClaim, MetricProblem, MetricSetting
from dpcompose.privacy.schema import Mistake
from dpcompose.privacy.settings import InvalidSetting
from dpcompose.proof import metric_privacy, registry
from dpcompose.proof.metric_checker import FORMAT
from dpcompose.proof.registry import Page, Theory
from dpcompose.search.metric_claims import Judge, MetricVerdict, named
from dpcompose.search.metric_sensitivity import MetricSensitivity, sensitivity

COMPOSED, ON_EVERYTHING = "composition-own-domain", "sequential"
"""The pages whose items are those of composition: of mechanisms on what maps read, and on everything."""


@dataclass(frozen=True, eq=False, repr=False)
class MetricStudy(Shown):
    """Mechanisms that are private in metrics on one class of databases, composed.

    Raises InvalidSetting where a formula that is given as a metric is none, or exceeds the bound that is
    declared for it: with the databases that show it.
    """

    setting: MetricSetting
    theory: Theory = field(default_factory=registry.standard)

    def __post_init__(self) -> None:
        for name, one in self._judge.standings.items():
            if one.metric is False:
                raise InvalidSetting(f"{name} is no metric: {one.words}")
            if one.at_most is False:
                raise InvalidSetting(f"the bound on {name} fails: {one.words}")

    @cached_property
    def _judge(self) -> Judge:
        return Judge(self.setting, self.theory)

    @property
    def metric(self) -> sympy.Expr:
        """The metric in which the composition is private, in the named ones (GB Thm. IV.1)."""
        return self._judge.composition.metric

    @property
    def optimal(self) -> bool | None:
        """True where at all D, E some such mechanisms lose just as much; None where that is not known."""
        return self._judge.optimal

    def check(self, claim: MetricClaim | str | sympy.Expr) -> MetricVerdict:
        """The verdict on a claim: proved, refuted with two databases, or undecided with the reason.

        claim -- of a file, or a formula in the metrics and parameters; a sympy expression has their symbols
        (`symbols`).
        """
        if not isinstance(claim, MetricClaim):
            text = claim if isinstance(claim, str) else formulas.to_text(formulas.from_python(claim))
            claims = [{"notion": "pure", "metric": text}]
            (claim,) = metric_problems.read_data({**self.setting.data, "claims": claims}).claims
        found = self._judge.judge(claim)
        return found if found.verdict == "undecided" else replace(found, relies_on=self.relies_on)

    def sensitivity(self, moved: str | sympy.Expr, over: str | sympy.Expr) -> MetricSensitivity:
        """The least Δ with moved ≤ Δ·over at all databases: of a map f, for moved = d′∘f (GB Def. III.5).

        moved, over -- formulas in the named metrics.  Exact, in the parameters, and proved, or a bound from
        below.  A guarantee ε·d′ on f's values becomes (Δ·ε)·d (GB Prop. III.6).

        >>> import dpcompose as dpc
        >>> study = metric_study(
        ...     {"M": "e*moved"},
        ...     on=dpc.points("x y"),
        ...     metrics={"L1": dpc.norm("L1"), "Linf": dpc.norm("Linf"), "moved": dpc.norm("L1", of="f")},
        ...     maps={"f": ["a*x + b*y"]},
        ... )
        >>> study.sensitivity("moved", "L1").value, study.sensitivity("moved", "Linf").value
        (max(a, b), a + b)
        """
        return sensitivity(self._judge, *(self._in_metrics(one) for one in (moved, over)))

    def _in_metrics(self, metric: str | sympy.Expr) -> sympy.Expr:
        return formulas.parse(metric, self.symbols) if isinstance(metric, str) else metric

    @property
    def symbols(self) -> Mapping[str, sympy.Symbol]:
        """The metrics and the parameters as sympy symbols, by name."""
        domains = self.setting.domains.items()
        return {**self.setting.letters, **{name: symbol(name, domain) for name, domain in domains}}

    def to_toml(self) -> str:
        """The setting as the text of a problem file."""
        return files.toml({key: value for key, value in self.setting.data.items() if value not in ("", {})})

    @property
    def believed(self) -> tuple[str, ...]:
        """What the result assumes and nothing checked."""
        standings = self._judge.standings
        return metric_privacy.believed(
            self._judge.composition, self._judge.known, lambda name: standings[name].at_most is True
        )

    @property
    def relies_on(self) -> tuple[Page, ...]:
        """The pages that the result rests on, and which the program does not derive."""
        return metric_privacy.relied_on(self._judge.composition)

    @property
    def item(self) -> str:
        """The theorem that says in which metric a composition is private; of one mechanism the definition."""
        several = len(self.setting.mechanisms) > 1
        if not several:
            return "GB:III.2"
        id = ON_EVERYTHING if self.setting.reads_everything else COMPOSED
        page = self.theory.find(id)
        return id if page is None else page.cite("pure", self.setting.adaptive)

    def __repr__(self) -> str:
        return "".join(one if isinstance(one, str) else formulas.to_text(one) for one in self._line())

    def _line(self) -> Sequence[str | sympy.Expr]:
        better = "; optimal" if self.optimal else ""
        believed = "".join(f"; {one}" for one in registry.rests(self.relies_on))
        return ["private in the metric ", self.metric, f", by {self.item}{better}{believed}"]

    # what is printed

    def text(self, verdicts: Sequence[MetricVerdict], file: str = "") -> str:
        """The result and the verdicts, as `dpcompose verify` prints them."""
        rows = [self.setting.title or file]
        rows += filled(f"  {self!r}") + filled(f"  on {self.setting.databases}")
        for n, found in enumerate(verdicts, start=1):
            rows += self._verdict(n, found)
        return "\n".join(rows)

    def _verdict(self, n: int, found: MetricVerdict) -> Iterator[str]:
        said = ", ".join(f"{key} = {value}" for key, value in found.claim.text.items() if key != "notion")
        expected = "" if found.as_expected else f"  (expected: {found.claim.expect})"
        words = {True: ", loose", False: ", and no smaller metric holds", None: ""}[found.loose]
        yield f"claim {n}: {said}"
        yield f"  {found.verdict.upper()}{words}{expected}"
        if found.reason:
            yield from filled(f"  because {found.reason}")
        for one in registry.rests(found.relies_on):
            yield from filled(f"  {one}")
        if (example := found.counterexample) is not None:
            yield f"  D  = {named(example.databases[0])}"
            yield f"  D' = {named(example.databases[1])}"
            if example.parameters:
                yield "  with " + ", ".join(f"{name} = {x}" for name, x in example.parameters.items())
            sides = [formulas.to_text(one) for one in (example.claimed, example.actual)]
            yield f"  claimed {sides[0]}, true loss {sides[1]}"
            for row in example.rows:
                if row.loss != 0:
                    yield from filled(f"  reached by {row.name} {row.by}")
            yield from filled(f"  right is: private in the metric {formulas.to_text(self.metric)}")

    def derivation(self) -> MetricDerivation:
        """How the metric comes about, line by line, and what is believed without check."""
        lines = tuple(self._lines())
        return MetricDerivation(self.setting, self.metric, self.item, self.optimal, lines, self.believed)

    def _lines(self) -> Iterator[MetricLine]:
        for one in self.setting.mechanisms:
            added = f" adds {one.noise.words}, and" if one.noise is not None else ""
            by = f"by {one.noise.word}" if one.noise is not None else "given"
            yield MetricLine((f"{one.name}{added} is private in the metric ", one.metric), by)
        for name in self._judge.composition.used:
            known, letter = self._judge.standings[name], self.setting.letters[name]
            axioms = " is a metric: symmetric, 0 at equal databases, with the triangle inequality"
            yield MetricLine((letter, axioms), "believed" if known.metric is None else "checked")
            if (bound := self.setting.metrics[name].at_most) is not None:
                yield MetricLine((letter, " is at most ", bound), "checked" if known.at_most else "believed")
        last = "; at all databases some such mechanisms lose just that" if self.optimal else ""
        by = f"by {self.item}, {self._judge.composition.page.id}"
        yield MetricLine(("the composition is private in ", self.metric, last), by)

    def to_latex(self, verdicts: Sequence[MetricVerdict] = ()) -> str:
        """The proof as a document that pdfLaTeX compiles, with verdicts on claims.

        >>> study, claims = load_metric("notebooks/problems/71-private-in-a-metric.toml")
        >>> "{theorem}" in study.to_latex([study.check(claims[0])])
        True
        """
        pages = [self.theory.pages[id] for id in metric_privacy.pages_of(self._judge.composition)]
        return document(self.derivation(), pages, verdicts)

    def data(self, file: str, verdicts: Sequence[MetricVerdict]) -> dict[str, Any]:
        """The object that --json prints."""
        return {
            "file": file,
            "title": self.setting.title,
            "guarantee": {"notion": "pure", "metric": formulas.to_text(self.metric)},
            "optimal": self.optimal,
            "scope": str(self.setting.databases),
            "theorems": [self.item],
            "assumptions": list(self.believed),
            "claims": [verdict_data(one) | render.believed_pages(one.relies_on) for one in verdicts],
        } | render.believed_pages(self.relies_on)

    def save(self, path: str | Path, verdicts: Sequence[MetricVerdict] = ()) -> None:
        """Writes what `dpcompose recheck` checks again: the problem, certificates, counterexamples.

        verdicts -- those of all claims of the file that the setting is from, in order.
        """
        judge = self._judge
        certificates = {name: dict(one.certificate) for name, one in judge.standings.items()}
        claims = [verdict_data(one) | _expected(one) | _shown(one) for one in verdicts]
        data = {
            "format": FORMAT,
            "problem": self.setting.data,
            "pages": metric_privacy.pages_of(judge.composition),
            "metrics": {name: one for name, one in certificates.items() if one},
            "result": metric_privacy.result(judge.composition, judge.known),
            "claims": claims,
        }
        Path(path).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def verdict_data(found: MetricVerdict) -> dict[str, Any]:
    """A verdict as JSON."""
    data: dict[str, Any] = {"verdict": found.verdict, "claim": dict(found.claim.text)}
    if found.verdict == "proved":
        data["loose"] = found.loose
    if found.reason:
        data["reason"] = found.reason
    if found.counterexample is not None:
        data["counterexample"] = found.counterexample.data()
    return data


def _expected(found: MetricVerdict) -> dict[str, Any]:
    return {"expect": found.claim.expect} if found.claim.expect else {}


def _shown(found: MetricVerdict) -> dict[str, Any]:
    return {"certificate": dict(found.certificate)} if found.verdict == "proved" else {}


def metric_study(
    mechanisms: Mapping[str, Mechanism],
    *,
    on: Databases,
    metrics: Mapping[str, Data | Formula],
    maps: Mapping[str, Sequence[Formula]] | None = None,
    parameters: Mapping[str, str] | None = None,
    title: str = "",
    adaptive: bool = False,
    theory: Theory | None = None,
) -> MetricStudy:
    """The composition of mechanisms that are private in metrics on one class of databases.

    mechanisms -- by name the metric, a formula in `metrics` and parameters, or noise on points, ("f", noise)
    on the values of a map or part;
    on -- `points`, `product`, or a class of records; maps -- by name the entries of their values, formulas in
    coordinates;
    metrics -- by name `norm`, `steps_between`, `in_coordinates`, `at_most`, or a formula in those before it;
    parameters -- the values that symbols may take; positive, where nothing is said;
    theory -- the pages it is judged by; else those that ship.

    >>> import dpcompose as dpc
    >>> study = metric_study(
    ...     {"M1": "e1*L2", "M2": ("f", dpc.laplace("1/e2"))},
    ...     on=dpc.points("x y"),
    ...     metrics={"L2": dpc.norm("L2"), "moved": dpc.norm("L1", of="f")},
    ...     maps={"f": ["min(max(x, 0), 1)"]},
    ... )
    >>> study
    private in the metric L2*e1 + e2*moved, by GB:IV.1; optimal
    >>> study.check("(e1 + e2)*L2").verdict, study.check("e1*L2").verdict
    ('proved', 'refuted')
    """
    data = problem_data(mechanisms, on, metrics, maps or {}, parameters or {}, title, adaptive)
    return MetricStudy(metric_problems.read_data(data).setting, theory or registry.standard())


def of_file(
    path: str | Path, theory: Theory | None = None
) -> tuple[MetricStudy, tuple[MetricClaim, ...]] | None:
    """The study of a problem file with `[metrics]`, and its claims; None for a file about neighbours.

    Raises ProblemError, InvalidSetting, and OSError where it cannot be read.
    """
    text = problems.text_of(path)
    data = problems.parsed(text, str(path))
    if not metric_problems.is_one(data):
        return None
    problem: MetricProblem = metric_problems.read_data(data, str(path), text)
    return MetricStudy(problem.setting, theory or registry.standard()), problem.claims


def load_metric(
    path: str | Path, theory: Theory | None = None
) -> tuple[MetricStudy, tuple[MetricClaim, ...]]:
    """The study of a problem file about privacy in a metric, and its claims, for `MetricStudy.check`.

    Raises ProblemError, a ValueError, with all mistakes of the file, also where it is about neighbours.
    """
    found = of_file(path, theory)
    if found is None:
        message = "the file has no [metrics]: dpcompose.load reads files about neighbours"
        raise problems.ProblemError(str(path), [Mistake((), message)])
    return found
