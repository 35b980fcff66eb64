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

from dpcompose.front import as_json, files
from dpcompose.front.metrics.display import MetricDerivation, MetricLine, definition, document, filled
from dpcompose.language import formulas
from dpcompose.language.shown import Shown
from dpcompose.language.symbols import symbol
from dpcompose.privacy import problems
from dpcompose.privacy.checks import Mistake
from dpcompose.privacy.in_metrics import is_in_metrics
from dpcompose.privacy.metrics import reading
from dpcompose.privacy.metrics.builder import Data, Databases, Formula, Mechanism, Stated, problem_data
from dpcompose.privacy.metrics.setting import MetricClaim, MetricProblem, MetricSetting
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.proof import registry
from dpcompose.proof.metrics.checker import FORMAT
from dpcompose.proof.metrics.composition import Way
from dpcompose.proof.registry import Page, Theory
from dpcompose.search import stated
from dpcompose.search.metrics.claims import Judge, MetricVerdict, named
from dpcompose.search.metrics.sensitivity import MetricSensitivity, sensitivity
from dpcompose.spaces.granularities import Granularity
from dpcompose.spaces.points import Apart, Made

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
        stated.check_assumptions(self.setting.assume)
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
            claim = self.claim(claim)
        found = self._judge.judge(claim)
        return found if found.verdict == "undecided" else replace(found, relies_on=self._relied_on(found))

    def claim(
        self,
        metric: str | sympy.Expr,
        delta: str | sympy.Expr | None = None,
        notion: str | None = None,
    ) -> MetricClaim:
        """A claim for `check`: privacy in a metric, and of (ε, δ)-privacy with a δ, another formula.

        notion -- left out: pure privacy, or that of the study.
        """
        notion = notion or self._judge.composition.notion
        given = {"metric": _text(metric)} | ({} if delta is None else {"delta": _text(delta)})
        data = {**self.setting.data, "claims": [{"notion": notion, **given}]}
        (found,) = reading.read_data(data, notions=self.theory.parameters).claims
        return found

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

    def warnings(self) -> list[str]:
        """What a reader of the result should know first."""
        return list(filter(None, [stated.check_assumptions(self.setting.assume)]))

    @property
    def believed(self) -> tuple[str, ...]:
        """What the result assumes and nothing checked."""
        standings = self._judge.standings
        return self._judge.composition.believed(
            self._judge.known, lambda name: standings[name].at_most is True, ()
        )

    @property
    def relies_on(self) -> tuple[Page, ...]:
        """The pages that the result rests on, and which the program does not derive."""
        return self._judge.composition.relied_on(())

    def _relied_on(self, found: MetricVerdict) -> tuple[Page, ...]:
        return self._judge.composition.relied_on(() if found.way is None else (found.way,))

    @property
    def notion(self) -> str:
        """The notion in which the composition is shown: of its claims, or its mechanisms."""
        return self._judge.composition.notion

    @property
    def delta(self) -> sympy.Expr | None:
        """δ(D, E) beside the metric, in (ε, δ)-privacy."""
        return self._judge.composition.delta

    @property
    def item(self) -> str:
        """The theorem that says in which metric a composition is private; of one mechanism the definition."""
        if not self.setting.several:
            return "GB:III.2"
        id = ON_EVERYTHING if self.setting.reads_everything else COMPOSED
        page = self.theory.find(id)
        return id if page is None else page.cite(self.notion, self.setting.adaptive)

    def __repr__(self) -> str:
        return "".join(one if isinstance(one, str) else formulas.to_text(one) for one in self._line())

    def _line(self) -> Sequence[str | sympy.Expr]:
        better = "; optimal" if self.optimal else ""
        believed = "".join(f"; {one}" for one in registry.rests(self.relies_on))
        beside: list[str | sympy.Expr] = [] if self.delta is None else [", with delta ", self.delta]
        return [*self.said, self.metric, *beside, f", by {self.item}{better}{believed}"]

    @property
    def said(self) -> list[str]:
        """That the composition is private in a metric, in its notion, up to the formula."""
        called = "" if self.notion == "pure" else f"{self.notion}-"
        return [f"{called}private in the metric "]

    # what is printed

    def text(self, verdicts: Sequence[MetricVerdict], file: str = "") -> str:
        """The result and the verdicts, as `dpcompose verify` prints them."""
        rows = [self.setting.title or file]
        rows += filled(f"  {self!r}") + filled(f"  on {self.setting.databases}")
        if self.setting.assume:
            rows.append(f"  where {' and '.join(map(str, self.setting.assume))}")
        rows += [f"  warning: {one}" for one in self.warnings()]
        for n, found in enumerate(verdicts, start=1):
            rows += self._verdict(n, found)
        return "\n".join(rows)

    def _verdict(self, n: int, found: MetricVerdict) -> Iterator[str]:
        said = ", ".join(f"{key} = {value}" for key, value in found.claim.text.items() if key != "notion")
        expected = "" if found.as_expected else f"  (expected: {found.claim.expect})"
        words = {True: ", loose", False: ", and no smaller metric holds", None: ""}[found.loose]
        said += "" if found.claim.notion == self.notion else f" ({found.claim.notion})"
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
            true = "an event has" if example.parameter == "delta" else "true loss"
            yield f"  claimed {sides[0]}, {true} {sides[1]}"
            for row in example.rows:
                if row.loss != 0:
                    yield from filled(f"  reached by {row.name} {row.by}")
            yield from filled(f"  right is: {''.join(map(_plain, self._line()[:-1]))}")

    def derivation(self) -> MetricDerivation:
        """How the metric comes about, line by line, and what is believed without check."""
        lines = tuple(self._lines())
        return MetricDerivation(self.setting, self.metric, self.item, self.optimal, lines, self.believed)

    def _lines(self) -> Iterator[MetricLine]:
        for one in self.setting.mechanisms:
            added = f" adds {one.noise.words}, and" if one.noise is not None else ""
            by = (
                f"by {one.noise.word}"
                if one.noise is not None
                else "given"
                if one.lost is None
                else "its table"
            )
            called = "" if one.notion == "pure" else f"{one.notion}-"
            beside: tuple[str | sympy.Expr, ...] = () if one.delta is None else (", with delta ", one.delta)
            said = f"{one.called}{added} is {called}private in the metric "
            each = "" if one.members is None else ", each of them"
            done = f", then {one.processing}" if one.processing else ""
            yield MetricLine((said, one.metric, *beside, each + done), by)
        for name in self._judge.composition.used:
            known, letter = self._judge.standings[name], self.setting.letters[name]
            distance = self.setting.metrics[name].distance
            if isinstance(distance, Made) and isinstance(distance.formula, Apart):  # no file says it
                yield MetricLine((letter, " is ", *definition(distance)), "by definition")
            axioms = " is a metric: symmetric, 0 at equal databases, with the triangle inequality"
            yield MetricLine((letter, axioms), "believed" if known.metric is None else "checked")
            if (bound := self.setting.metrics[name].at_most) is not None:
                yield MetricLine((letter, " is at most ", bound), "checked" if known.at_most else "believed")
        last = "; at all databases some such mechanisms lose just that" if self.optimal else ""
        by = f"by {self.item}, {self._judge.composition.page.id}"
        called = "" if self.notion == "pure" else f"{self.notion}-"
        beside = () if self.delta is None else (", with delta ", self.delta)
        yield MetricLine((f"the composition is {called}private in ", self.metric, *beside, last), by)

    def to_latex(self, verdicts: Sequence[MetricVerdict] = ()) -> str:
        """The proof as a document that pdfLaTeX compiles, with verdicts on claims.

        >>> study, claims = load_metric("notebooks/problems/71-private-in-a-metric.toml")
        >>> "{theorem}" in study.to_latex([study.check(claims[0])])
        True
        """
        pages = [self.theory.pages[id] for id in self._judge.composition.pages(_ways(verdicts))]
        return document(self.derivation(), pages, verdicts)

    def data(self, file: str, verdicts: Sequence[MetricVerdict]) -> dict[str, Any]:
        """The object that --json prints."""
        result = self._judge.composition.result(self._judge.known)
        return {
            "file": file,
            "title": self.setting.title,
            "guarantee": {key: value for key, value in result.items() if key != "optimal"},
            "optimal": self.optimal,
            "scope": str(self.setting.databases),
            "theorems": [self.item],
            "assumptions": list(self.believed),
            "claims": [verdict_data(one) | as_json.believed_pages(one.relies_on) for one in verdicts],
        } | as_json.believed_pages(self.relies_on)

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
            "pages": judge.composition.pages(_ways(verdicts)),
            "metrics": {name: one for name, one in certificates.items() if one},
            "result": judge.composition.result(judge.known),
            "claims": claims,
        }
        Path(path).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


def _ways(verdicts: Sequence[MetricVerdict]) -> list[Way]:
    """Those by which claims are proved."""
    return [one.way for one in verdicts if one.way is not None]


def _text(given: str | sympy.Expr) -> str:
    return given if isinstance(given, str) else formulas.to_text(formulas.from_python(given))


def _plain(one: str | sympy.Expr) -> str:
    return one if isinstance(one, str) else formulas.to_text(one)


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
    *stated: Stated,
    on: Databases,
    metrics: Mapping[str, Data | Formula] | None = None,
    target: Granularity | Formula | None = None,
    maps: Mapping[str, Sequence[Formula]] | None = None,
    parameters: Mapping[str, str] | None = None,
    title: str = "",
    adaptive: bool = False,
    theory: Theory | None = None,
) -> MetricStudy:
    """The composition of mechanisms that are private in metrics on one class of databases.

    mechanisms -- by name the metric, a formula in `metrics` and parameters, or noise on points, ("f", noise)
    on the values of a map or part; stated -- more of them, made by `mechanism`, with guarantees `in_metric`
    or for neighbours, and what they read;
    target -- the neighbours, or the metric, that claims without one are about;
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
    theory = theory or registry.standard()
    said = metrics or {}, maps or {}, parameters or {}, title, adaptive
    data = problem_data(mechanisms, stated, on, target, *said)
    return MetricStudy(reading.read_data(data, notions=theory.parameters).setting, theory)


def of_file(
    path: str | Path, theory: Theory | None = None
) -> tuple[MetricStudy, tuple[MetricClaim, ...]] | None:
    """The study of a problem file with `[metrics]`, and its claims; None for a file about neighbours.

    Raises ProblemError, InvalidSetting, and OSError where it cannot be read.
    """
    text = problems.text_of(path)
    data = problems.parsed(text, str(path))
    if not is_in_metrics(data):
        return None
    problem: MetricProblem = reading.read_data(
        data, str(path), text, (theory or registry.standard()).parameters
    )
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
