r"""A proof as a LaTeX document: setting, theorem, numbered steps, claims, the results that are used.

What users name is shown as text.  Nothing here decides anything; the results that are cited are
printed from their pages in theorems/, with their proofs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy

from dpcompose.front import lines as kernel
from dpcompose.front import markdown, render
from dpcompose.front.bound import Bound
from dpcompose.front.captions import Captions
from dpcompose.front.verdict import Verdict
from dpcompose.kernel.deciders import exponentials
from dpcompose.language import formulas
from dpcompose.language.latex import latex, name_latex
from dpcompose.language.writing import text_latex
from dpcompose.privacy.mechanisms import Mechanism
from dpcompose.privacy.settings import Setting
from dpcompose.proof import registry
from dpcompose.proof.registry import Page, Theory
from dpcompose.proof.witnesses import OnTable, Ratio

LONG, PIECE = 30, 12
"""From how many characters on a word may be broken, and after how many each time."""

WIDE = 120
"""From how long a LaTeX text on a root is written as a power, which can be broken."""

PREAMBLE = r"""\documentclass[11pt,a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{amsmath,amssymb,amsthm,graphicx}
\usepackage[margin=2.5cm]{geometry}
\newtheorem*{theorem}{Theorem}
\newtheorem{result}{Result}
\setlength{\emergencystretch}{8em}
\raggedbottom
\newsavebox{\shown}
\newcommand{\fitted}[1]{\sbox{\shown}{$\displaystyle #1$}%
\[\ifdim\wd\shown>\linewidth\resizebox{\linewidth}{!}{\usebox{\shown}}\else#1\fi\]}
"""

REFERENCES = r"""\begin{thebibliography}{9}
\bibitem{GB} Patricia Guerra-Balboa, \`Alex Miranda-Pascual, Javier Parra-Arnau and Thorsten Strufe.
\emph{Composition in Differential Privacy for General Granularity Notions}. arXiv:2308.14649, 2023.
\end{thebibliography}
"""


# texts and formulas


def plain(text: object) -> str:
    r"""A text as LaTeX that shows just it, and that breaks where it is too long for a line.

    Characters that the fonts of pdfLaTeX do not have are shown by their numbers.

    >>> print(plain("a_b -- 50% 中"))
    a\_b -{}- 50\% \texttt{[U+4E2D]}
    """
    return _tidy(re.sub(r"\S+", _word, str(text)))


def _word(found: re.Match[str]) -> str:
    word = found[0]
    if len(word) <= LONG:
        return "".join(map(_character, word))
    pieces = [word[at : at + PIECE] for at in range(0, len(word), PIECE)]
    return r"\hspace{0pt}".join("".join(map(_character, piece)) for piece in pieces)


def _character(c: str) -> str:
    if c in "-',`\"":
        return {"`": r"\textasciigrave{}", '"': r"\textquotedbl{}"}.get(c, c + "{}")
    if c in "…–—" or (c.isprintable() and ord(c) < 0x100 and c != "\xad"):
        return text_latex(c)
    return rf"\texttt{{[U+{ord(c):04X}]}}"


def _tidy(text: str) -> str:
    """Without the empty groups that keep characters apart where they are apart anyway."""
    return re.sub(r"([-',])\{\}(?![-',])", r"\1", text)


def formula(expression: sympy.Expr) -> str:
    r"""An expression between dollar signs, which can be broken at every + and comma.

    >>> from dpcompose.language.symbols import symbol
    >>> e1, e2 = symbol("e1"), symbol("e2")
    >>> print(formula(formulas.parse("max(e1, e2/2)", {"e1": e1, "e2": e2})))
    $\max(e_{1},\allowbreak \tfrac{e_{2}}{2})$
    """
    inside = latex(expression)
    if expression.is_Pow and expression.exp == sympy.Rational(1, 2) and len(inside) > WIDE:
        inside = f"({latex(expression.base)})^{{1/2}}"
    inside = inside.replace(r"\left(", "(").replace(r"\right)", ")").replace(r"\frac", r"\tfrac")
    return "$" + inside.replace(", ", r",\allowbreak ") + "$"


def guarantee(notion: str, values: Sequence[sympy.Expr], theory: Theory) -> str:
    """($e_1 + e_2$)-DP."""
    shown = ", ".join(map(formula, values))
    name = plain(theory.called(notion))
    return f"({shown})-{name}" if len(values) > 1 or values[0].is_Add else f"{shown}-{name}"


def _text(text: str) -> str:
    r"""A sentence of a proof: D|{a}, r[1] and D' are mathematics."""
    parts = re.split(r"(\b[DE]\|\{[^{}\s]{1,12}\}|\br\[\d+\]|\b[DE]'?(?![\w|']))", text)
    return "".join(_mathematics(one) if n % 2 else plain(one) for n, one in enumerate(parts))


def _mathematics(text: str) -> str:
    if text.startswith("r"):
        return f"$r_{{{text[2:-1]}}}$"
    letter, bar, records = text.partition("|")
    below = r"|_{\{\text{" + plain(records[1:-1]) + r"}\}}" if bar else ""
    return f"${letter}{below}$"


# the document


def document(bound: Bound, theory: Theory, verdicts: Sequence[Verdict] = ()) -> str:
    """The proof of the best guarantee as a document that pdfLaTeX compiles, with verdicts on claims."""
    used = dict.fromkeys(_used(bound.derivation.lines, bound.derivation.pages, bound.steps))
    pages = [theory.pages[id] for id in used]
    parts = [
        PREAMBLE,
        r"\begin{document}",
        *_head(bound),
        *_theorem(bound),
        *_proof(bound, theory, {page.id: n for n, page in enumerate(pages, start=1)}),
        *_claims(bound, verdicts),
        *results(pages, bound.guarantee.notion, bound.setting.adaptive),
        REFERENCES,
        r"\end{document}",
    ]
    return "\n".join(parts) + "\n"


def _used(lines: Sequence[kernel.Line], pages: Iterable[str], steps: Captions) -> Iterator[str]:
    """The pages that lines are by, and rest on; also lines that these have as evidence."""
    for line in lines:
        if line.by in steps.theory.pages:
            yield line.by
        inner = steps.within(line)
        if inner is not None:
            yield from _used(inner.lines, line.evidence["pages"], inner.steps)
    yield from pages


def _head(bound: Bound) -> Iterator[str]:
    setting = bound.setting
    title = setting.title or "A composition of differentially private mechanisms"
    yield rf"\begin{{center}}\Large {plain(title)}\end{{center}}"
    yield r"\section*{Setting and assumptions}"
    yield (
        f"The databases are {_text(str(setting.databases))}; the target granularity is "
        f"{_text(str(setting.target))}. What follows is about these databases and these neighbours only."
    )
    if setting.domains:
        some = [f"${name_latex(name)}$ ({_text(str(setting.domains[name]))})" for name in setting.domains]
        yield f"The parameters are {', '.join(some)}."
    lines = bound.derivation.lines
    assumed = list(_stated(lines, bound.steps, checked=False))
    assumed += [_text(one) for one in render.dependence(setting)]
    checked = list(_stated(lines, bound.steps, checked=True))
    for words, some in (("Assumed, and not checked:", assumed), ("Assumed, and checked:", checked)):
        if some:
            yield words
            yield from listed("itemize", [f"{one};" for one in some[:-1]] + [f"{some[-1]}."])


def _stated(lines: Sequence[kernel.Line], steps: Captions, checked: bool, before: str = "") -> Iterator[str]:
    """What is assumed, or checked on tables, also in compositions among the mechanisms."""
    for line in lines:
        said = line.judgement
        if isinstance(said, kernel.Composed):
            inner = steps.within(line)
            assert inner is not None
            yield from _stated(inner.lines, inner.steps, checked, f"{before}in {said.name}, ")
        elif isinstance(said, kernel.Given | kernel.Releases) and kernel.believed(said) is not checked:
            yield _text(before) + _said(line, steps) + _text(render.on_table(said, steps.setting))


def _said(line: kernel.Line, steps: Captions) -> str:
    """A line in words."""
    parts = render.pieces(line, steps)
    return "".join(_text(part) if isinstance(part, str) else formula(part) for part in parts)


def listed(kind: str, items: Iterable[str]) -> Iterator[str]:
    """A list of LaTeX texts."""
    yield rf"\begin{{{kind}}}"
    yield from (rf"\item {item}" for item in items)
    yield rf"\end{{{kind}}}"


def cite(item: str) -> str:
    """GB:IV.13 as a citation; a page of our own by its name."""
    return rf"\cite[{item[3:]}]{{GB}}" if item.startswith("GB:") else rf"\emph{{{plain(item)}}}"


def _theorem(bound: Bound) -> Iterator[str]:
    said, setting = bound.guarantee, bound.setting
    item = bound.theorem.cite(said.notion, setting.adaptive)
    best = guarantee(said.notion, render.best_values(bound), bound.steps.theory)
    yield r"\begin{theorem}"
    yield (
        f"Under these assumptions the composition is {_text(said.granularity)} "
        f"{best} on {_text(said.databases)} ({cite(item)})."
    )
    if bound.optimal:
        yield "No smaller guarantee holds for all mechanisms that satisfy the assumptions."
    yield from rests(bound.relies_on)
    yield r"\end{theorem}"


def rests(relies_on: Sequence[Page]) -> Iterator[str]:
    """What is said of a result that rests on pages for which nobody vouches."""
    return (f"This {plain(one)}." for one in registry.rests(relies_on))


def _proof(bound: Bound, theory: Theory, results: dict[str, int]) -> Iterator[str]:
    yield r"\begin{proof} Line by line; $r_i$ is how far apart the two inputs of the $i$-th mechanism are."
    yield from _steps(bound, results)
    yield r"\end{proof}"


def _steps(bound: Bound, results: dict[str, int]) -> Iterator[str]:
    yield from _lines(bound.derivation.lines, bound.steps, results)
    yield rf"Believed without check: {_text(', '.join(render.believed(bound)))}."


def _lines(
    lines: Sequence[kernel.Line], steps: Captions, results: dict[str, int], before: str = ""
) -> Iterator[str]:
    """The lines; below a line those that it has as evidence."""
    yield r"\begin{enumerate}"
    for line in lines:
        yield rf"\item[({before}{line.n})] {_said(line, steps)}."
        source = _source(line, steps, results, before)
        yield rf"\hfill\penalty50\hspace*{{\fill}}\mbox{{}}\emph{{[{source}]}}"
        inner = steps.within(line)
        if inner is not None:
            yield from _lines(inner.lines, inner.steps, results, f"{before}{line.n}.")
    yield r"\end{enumerate}"


def _source(line: kernel.Line, steps: Captions, results: dict[str, int], before: str) -> str:
    if line.by not in results:
        return _text(render.source(line, steps, before))
    uses = f" from {', '.join(f'({before}{n})' for n in line.uses)}" if line.uses else ""
    item = steps.theory.pages[line.by].cite(steps.notion, steps.setting.adaptive)
    cited = f", {cite(item)}" if item.startswith("GB:") else ""
    return f"by Result {results[line.by]}{cited}{uses}"


def _claims(bound: Bound, verdicts: Sequence[Verdict]) -> Iterator[str]:
    if verdicts:
        yield r"\section*{Claims}"
    for n, found in enumerate(verdicts, start=1):
        yield from _claim(found, f"Claim {n}:", bound.vacuous)


def _claim(found: Verdict, called: str, vacuous: bool) -> Iterator[str]:
    claimed = found.claim.guarantee
    theory = registry.standard() if found.bound is None else found.bound.steps.theory
    yield rf"\paragraph{{{called}}} {guarantee(claimed.notion, [x for _, x in claimed.values], theory)}."
    if found.verdict == "proved":
        words = {
            True: " A smaller guarantee holds, too.",
            False: " No smaller guarantee holds.",
            None: "",
        }[found.loose]
        yield (
            r"\textbf{Proved}: for all allowed parameters it is at least the guarantee of the theorem."
            + words
            if not vacuous
            else r"\textbf{Proved}: there are no neighbours."
        )
    elif found.counterexample is None:
        yield rf"\textbf{{{found.verdict.capitalize()}}}: {_text(found.reason)}."
    else:
        yield r"\textbf{Refuted} by this counterexample."
        yield from listed("itemize", _counterexample(found))
    yield from rests(found.relies_on)


def _counterexample(found: Verdict) -> Iterator[str]:
    example = found.counterexample
    assert example is not None
    D, E = (plain(example.databases.printed(one)) for one in example.pair)
    yield f"$D$ = {D} and $D'$ = {E} are neighbours."
    if example.point:
        point = [f"${name_latex(name)} = {x}$" for name, x in sorted(example.point.items())]
        yield f"Let {', '.join(point)}."
    for row, name in zip(example.rows, example.names, strict=True):
        named = plain(name)
        if isinstance(row, Ratio):
            at_D, at_E = (formula(formulas.expression(exponentials.as_term(p))) for p in (row.at_D, row.at_E))
            if isinstance(row, OnTable):
                yield (
                    f"By its table, {named} has the outcome {plain(row.outcome)} with probability "
                    f"{at_D} at $D$, {at_E} at $D'$."
                )
                continue
            yield f"{named} has the outcomes 1 and 0, and 1 has probability {at_D} at $D$, {at_E} at $D'$."
        else:
            yield f"{named} {_text(row.words())}."
    actual, claimed = (
        formula(formulas.parse(example.shown(loss), {})) for loss in (example.actual, example.claimed)
    )
    beside, at_least = example.decimals, "at least " if example.is_at_least else ""
    yield f"The true loss is {at_least}{actual}{beside[1]}; claimed is {claimed}{beside[0]}."
    if words := render.published(found):
        yield f"This is {_text(words)}."
    if example.alone is not None:
        alone = formula(formulas.parse(example.alone.loss, {}))
        name = plain(example.alone.mechanism)
        yield f"Already {name} alone loses {alone} ({cite(example.alone.by)})."
    if example.without and found.bound is not None:
        words = render.left_out(example)
        yield f"{words[0].upper()}{_text(words[1:])} ({cite(render.by_parts(found.bound))})."


# what a notebook shows, for those that are made into LaTeX


def setting_latex(setting: Setting, theory: Theory) -> str:
    """What is composed: the class, the neighbours, and what each mechanism reads and satisfies."""
    where = f", where {_text(render.relations(setting))}" if setting.assume else ""
    about = f"On {_text(str(setting.databases))}, for {_text(str(setting.target))} neighbours{where}:"
    every = (one for several in setting.mechanisms for one in (several.alone if several.also else [several]))
    return "\n".join([about, *listed("itemize", (_mechanism(one, theory) for one in every))])


def _mechanism(mechanism: Mechanism, theory: Theory) -> str:
    reads, stated = _text(mechanism.reads.written("D")), mechanism.satisfies
    if mechanism.released:
        return f"{plain(mechanism.called)} releases {plain(mechanism.released)} of {reads}"
    values = [x for _, x in stated.values]
    said = f"{plain(stated.granularity or '')} {guarantee(stated.notion, values, theory)}"
    where = f", on the {stated.domain} domain" if stated.domain else ""
    return f"{plain(mechanism.called)} reads {reads} and is {said}{where}"


def steps_latex(bound: Bound) -> str:
    """The numbered lines of a derivation, and what they believe without check."""
    return "\n".join(_steps(bound, {}))


def fits_latex(bound: Bound) -> str:
    """Of every composition theorem whether it fits, and why not."""
    notion, adaptive = bound.guarantee.notion, bound.setting.adaptive
    rows = []
    for fit in sorted(bound.fits, key=lambda fit: (not fit.best, not fit.fits)):
        answer = r"\textbf{yes, cited}" if fit.best else "yes" if fit.fits else "no"
        rows.append(f"{plain(fit.page.name(notion, adaptive))}: {answer}; {_text(fit.reason)}.")
    return "\n".join(listed("itemize", rows))


def verdict_latex(found: Verdict) -> str:
    """A claim with its verdict, and for a refuted one what refutes it."""
    return "\n".join(_claim(found, "Claim:", found.bound is not None and found.bound.vacuous))


def tabular(rows: Sequence[Sequence[str]]) -> str:
    """A table of cells that are LaTeX already, smaller where it is too wide; the first row is its head."""
    lines = [" & ".join(row) + r" \\" for row in rows]
    inside = "\n".join([lines[0] + r" \hline", *lines[1:]])
    made = rf"\begin{{tabular}}{{{'l' * len(rows[0])}}}" + f"\n{inside}\n" + r"\end{tabular}"
    fitted = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}"
    return rf"\begin{{center}}\small{fitted}{{{made}}}\end{{center}}"


# pages of theorems


def results(pages: Sequence[Page], notion: str, adaptive: bool) -> Iterator[str]:
    """The results that lines are by, with their proofs, as their pages state them."""
    numbers = {page.path.name: n for n, page in enumerate(pages, start=1)}
    yield r"\section*{Results used}"
    for page in pages:
        item = page.cite(notion, adaptive)
        cited = f"; {cite(item)}" if item.startswith("GB:") else ""
        statement, proof = markdown.statement(page.body)
        yield rf"\begin{{result}}[{{{plain(page.title)}{cited}}}]\normalfont"
        yield markdown.written(statement, _Writer(numbers)).strip()
        yield r"\end{result}"
        if proof:
            yield r"\begin{proof}"
            yield markdown.written(proof, _Writer(numbers)).strip()
            yield r"\end{proof}"


@dataclass(frozen=True)
class _Writer(markdown.Writer):
    r"""LaTeX of a theorem page; results -- the numbers of the pages that links may lead to, by file name.

    >>> print(markdown.written("Let $x$ be *odd*, see [it](../a/b.md) & more.", _Writer({"b.md": 3})))
    <BLANKLINE>
    <BLANKLINE>
    Let $x$ be \emph{odd}, see it (Result 3) \& more.
    """

    results: Mapping[str, int]

    def text(self, text: str) -> str:
        return plain(text)

    def math(self, formula: str) -> str:
        return f"${formula}$"

    def display(self, formula: str) -> str:
        return rf"\[{formula}\]" if r"\tag" in formula else rf"\fitted{{{formula}}}"

    def code(self, text: str) -> str:
        return rf"\texttt{{{plain(text)}}}"

    def link(self, shown: str, to: str) -> str:
        n = self.results.get(to.rpartition("/")[2])
        return shown + (f" (Result {n})" if n else "")

    def bold(self, shown: str) -> str:
        return rf"\textbf{{{shown}}}"

    def emphasis(self, shown: str) -> str:
        return rf"\emph{{{shown}}}"

    def items(self, shown: Sequence[str], numbered: bool) -> str:
        return "\n".join(listed("enumerate" if numbered else "itemize", shown))

    def table(self, rows: Sequence[Sequence[str]]) -> str:
        return tabular(rows)

    def paragraph(self, shown: str, goes_on: bool) -> str:
        return ("\n" if goes_on else "\n\n") + shown
