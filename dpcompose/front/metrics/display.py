"""Privacy in a metric as it is shown: the lines of a derivation as text, HTML and LaTeX, and a document.

Nothing here decides anything.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from dpcompose.front import latex
from dpcompose.language import formulas
from dpcompose.language.latex import formula_html, name_latex, text_html
from dpcompose.privacy.metrics.setting import MetricSetting
from dpcompose.proof.registry import Page
from dpcompose.search.metrics.claims import MetricVerdict, named
from dpcompose.spaces.maps import everything
from dpcompose.spaces.points import (
    AnyTwo,
    Apart,
    Counted,
    Distance,
    Lost,
    Made,
    NamedMetric,
    Norm,
    Own,
    Steps,
    Tabled,
)

Parts = tuple[str | sympy.Expr, ...]
"""A sentence, in texts and formulas."""


@dataclass(frozen=True)
class MetricLine:
    """One line of a derivation: what it says, and by what: given, checked, believed, a page."""

    said: Parts
    by: str

    def __str__(self) -> str:
        return "".join(one if isinstance(one, str) else formulas.to_text(one) for one in self.said)


@dataclass(frozen=True, repr=False)
class MetricDerivation:
    """How the metric of a composition comes about, line by line, and what is believed without check.

    metric, item -- what comes out, and the number of the theorem; optimal -- as of the study.
    """

    setting: MetricSetting
    metric: sympy.Expr
    item: str
    optimal: bool | None
    lines: tuple[MetricLine, ...]
    believed: tuple[str, ...]

    def __str__(self) -> str:
        rows = [f"{n}. {line}\n   [{line.by}]" for n, line in enumerate(self.lines, start=1)]
        return "\n".join([*rows, *filled(f"believed without check: {'; '.join(self.believed)}")])

    def __repr__(self) -> str:
        return f"derivation in {len(self.lines)} lines: {self.lines[-1]}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """All lines, where a notebook or its terminal shows text."""
        printer.text(str(self))

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<li>{''.join(map(_html, line.said))} <small>[{text_html(line.by)}]</small></li>"
            for line in self.lines
        )
        return f"<ol>{rows}</ol><p>believed without check: {text_html('; '.join(self.believed))}</p>"

    def _repr_latex_(self) -> str:
        return "\n".join(_steps(self))


def filled(row: str) -> list[str]:
    """A long line as several."""
    return textwrap.wrap(row, 90, subsequent_indent="    ", break_long_words=False)


def _html(part: str | sympy.Expr) -> str:
    return text_html(part) if isinstance(part, str) else formula_html(part)


def _latex(part: str | sympy.Expr) -> str:
    return latex.plain(part) if isinstance(part, str) else latex.formula(part)


def document(proof: MetricDerivation, pages: Sequence[Page], verdicts: Sequence[MetricVerdict]) -> str:
    """The proof that the composition is private in its metric, as a document that pdfLaTeX compiles.

    pages -- those that the lines are by.
    """
    setting = proof.setting
    title = setting.title or "A composition of mechanisms that are private in metrics"
    parameters = [
        f"${name_latex(name)}$ ({latex.plain(domain)})"
        for name, domain in setting.domains.items()
        if name not in setting.metrics
    ]
    relations = " and ".join(map(str, setting.assume))
    where = f", where {latex.plain(relations)}" if relations else ""
    metrics = [
        f"{latex.formula(setting.letters[name])}: {_metric(one)}" for name, one in setting.metrics.items()
    ]
    also = " At all databases some mechanisms like these lose just that." if proof.optimal else ""
    parts = [
        latex.PREAMBLE,
        r"\begin{document}",
        rf"\begin{{center}}\Large {latex.plain(title)}\end{{center}}",
        r"\section*{Setting and assumptions}",
        f"The databases are {latex.plain(setting.databases)}. A mechanism $M$ is private in a metric $d$ on "
        r"them if $P(M(D) \in S) \le e^{d(D, E)} P(M(E) \in S)$ for all databases $D$, $E$ and events $S$ "
        rf"({latex.cite('GB:III.2')}).",
        *([f"The parameters are {', '.join(parameters)}{where}."] if parameters else []),
        "The metrics are:",
        *latex.listed("itemize", metrics),
        r"\begin{theorem}",
        f"The composition is private in the metric {latex.formula(proof.metric)} "
        f"({latex.cite(proof.item)}).{also}",
        r"\end{theorem}",
        r"\begin{proof}",
        *_steps(proof),
        r"\end{proof}",
        *([r"\section*{Claims}"] if verdicts else []),
        *(row for n, found in enumerate(verdicts, start=1) for row in claim(found, f"Claim {n}:")),
        *latex.results(pages, "pure", setting.adaptive),
        latex.REFERENCES,
        r"\end{document}",
    ]
    return "\n".join(parts) + "\n"


def _metric(metric: NamedMetric) -> str:
    bound = "" if metric.at_most is None else f", at most {latex.formula(metric.at_most)}"
    return "".join(map(_latex, definition(metric.distance))) + bound


def definition(distance: Distance) -> Parts:
    """What a metric is, in words."""
    if isinstance(distance, Steps):
        read = "" if distance.reads == everything else f", of {distance.reads.written(distance.part or 'D')}"
        where = f" of {distance.part}" if distance.part and not read else ""
        return (f"the fewest {distance.granularity} steps{read or where}",)
    if isinstance(distance, Lost):
        return (f"the largest |ln(p/q)| of an outcome's probabilities in the table {distance.table}",)
    if isinstance(distance, Tabled):
        return ("as its table says" + ("" if distance.reads == everything else ", closed over fibres"),)
    if isinstance(distance, Counted):
        return (f"how far the number of records of {distance.reads.written(distance.part or 'D')} moves",)
    if isinstance(distance, Norm):
        return (f"the {distance.word} norm of the change of {distance.of.name or 'the point'}",)
    if isinstance(distance, AnyTwo):
        return (f"1 where {distance.of.name or 'the point'} differs, else 0",)
    if isinstance(distance, Own):
        one, two = (f"({', '.join(map(str, some))})" for some in (distance.first, distance.second))
        return (distance.formula, f" for the values {one} and {two} of {distance.of.name or 'the point'}")
    if isinstance(distance, Made) and isinstance(distance.formula, Apart):
        return ("oo where ", distance.formula.args[0], " is, and 0 elsewhere")
    if isinstance(distance, Made):
        return (distance.formula,)
    return ("of which only a bound is known",)


def _steps(derivation: MetricDerivation) -> Iterator[str]:
    yield r"\begin{enumerate}"
    for line in derivation.lines:
        yield rf"\item {''.join(map(_latex, line.said))}."
        yield rf"\hfill\penalty50\hspace*{{\fill}}\mbox{{}}\emph{{[{latex.plain(line.by)}]}}"
    yield r"\end{enumerate}"
    yield rf"Believed without check: {latex.plain('; '.join(derivation.believed))}."


def claim(found: MetricVerdict, called: str = "Claim:") -> Iterator[str]:
    """A claim with its verdict, and for a refuted one what refutes it, as LaTeX."""
    yield rf"\paragraph{{{called}}} private in the metric {latex.formula(found.claim.metric)}."
    if (example := found.counterexample) is not None:
        D, E = (latex.plain(named(one)) for one in example.databases)
        at = ", ".join(f"${name_latex(name)} = {x}$" for name, x in example.parameters.items())
        lost = [f"{latex.plain(row.name)} {latex.plain(row.by)}" for row in example.rows if row.loss != 0]
        yield r"\textbf{Refuted} by this counterexample."
        yield from latex.listed(
            "itemize",
            [
                f"$D$ = {D} and $D'$ = {E}{', with ' + at if at else ''}.",
                f"The true loss is {latex.formula(example.actual)}; "
                f"claimed is {latex.formula(example.claimed)}.",
                *(f"It is reached by {one}." for one in lost),
            ],
        )
    elif found.reason:
        yield rf"\textbf{{Undecided}}: {latex.plain(found.reason)}."
    else:
        words: Mapping[bool | None, str] = {
            True: " A smaller metric holds, too.",
            False: " No smaller metric holds.",
        }
        yield r"\textbf{Proved}: for all databases and parameters it is at least the metric of the theorem."
        yield words.get(found.loose, "")
    yield from latex.rests(found.relies_on)
