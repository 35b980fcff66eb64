r"""A proof as a LaTeX document: setting, theorem, numbered steps, claims, the results that are used.

What users name is shown as text.  Nothing here decides anything; the results that are cited are
printed from their pages in theorems/, with their proofs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import sympy

from dpcompose.front.documents.bound import Bound
from dpcompose.front.documents.document import Best, Composed, Head, Member, Step, Told
from dpcompose.front.documents.verdict import Verdict
from dpcompose.front.printers import markdown
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language.latex import EULER, latex, name_latex, told_apart
from dpcompose.language.said import Item, Writer
from dpcompose.language.writing import text_latex
from dpcompose.proof.counterexamples.refuting import Counterexample
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Page

LONG, PIECE = 30, 12
"""From how many characters on a word may be broken, and after how many each time."""

STEPS = r"\begin{enumerate}\setlength{\itemsep}{0pt}\setlength{\parskip}{0pt}"
"""How a list of steps begins."""

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

SOURCE = "GB"
"""The source that is cited by the numbers of its items."""
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


def _word(match: re.Match[str]) -> str:
    word = match[0]
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

    >>> from dpcompose.language import formulas
    >>> from dpcompose.language.symbols import symbol
    >>> e1, e2 = symbol("e1"), symbol("e2")
    >>> print(formula(formulas.parse("max(e1, e2/2)", {"e1": e1, "e2": e2})))
    $\max(\varepsilon_{1},\allowbreak \tfrac{\varepsilon_{2}}{2})$
    """
    inside = latex(expression)
    if expression.is_Pow and expression.exp == sympy.Rational(1, 2) and len(inside) > WIDE:
        inside = f"({latex(expression.base)})^{{1/2}}"
    inside = inside.replace(r"\left(", "(").replace(r"\right)", ")").replace(r"\frac", r"\tfrac")
    return "$" + inside.replace(", ", r",\allowbreak ") + "$"


def _values(values: Sequence[sympy.Expr]) -> str:
    """($e_1 + e_2$)."""
    shown = ", ".join(map(formula, values))
    return f"({shown})" if len(values) > 1 or values[0].is_Add else shown


# the document


def document(best: Best, verdicts: Sequence[Verdict] = ()) -> str:
    """The proof of the best guarantee as a document that pdfLaTeX compiles, with verdicts on claims."""
    with told_apart(best.head.parameters):
        return _document(best, verdicts)


def _document(best: Best, verdicts: Sequence[Verdict]) -> str:
    derivation, head = best.told, best.head
    results_used = {page.id: str(n) for n, page in enumerate(derivation.pages, start=1)}
    parts = [
        PREAMBLE,
        r"\begin{document}",
        *_head(best, head),
        r"\begin{theorem}",
        *concluded(best, results_used),
        r"\end{theorem}",
        rf"\begin{{proof}} {said(head.proof)}",
        *_derivation(derivation, results_used),
        r"\end{proof}",
        *([r"\section*{Claims}"] if verdicts else []),
        *(row for n, verdict in enumerate(verdicts, start=1) for row in claim(verdict, f"Claim {n}:")),
        r"\section*{Results used}",
        *results(derivation.pages, *derivation.numbered, results_used),
        REFERENCES,
        r"\end{document}",
    ]
    return "\n".join(parts) + "\n"


def _head(best: Best, head: Head) -> Iterator[str]:
    title = best.title or "A composition of differentially private mechanisms"
    yield rf"\begin{{center}}\Large {plain(title)}\end{{center}}"
    yield r"\section*{Setting and assumptions}"
    yield said(head.about)
    yield from parameters(head)
    for words, stated in {"The metrics are:": head.defined, **head.stated}.items():
        sentences = [said(sentence) for sentence in stated]
        if sentences:
            yield words
            yield from listed(
                "itemize", [f"{sentence};" for sentence in sentences[:-1]] + [f"{sentences[-1]}."]
            )


def parameters(head: Head) -> Iterator[str]:
    """The parameters with what they may be, in a sentence; nothing where there are none."""
    if head.parameters:
        shown = [f"${name_latex(name)}$ ({said(values)})" for name, values in head.parameters.items()]
        yield f"The parameters are {', '.join(shown)}."


def listed(kind: str, items: Iterable[str]) -> Iterator[str]:
    """A list of LaTeX texts."""
    yield rf"\begin{{{kind}}}"
    yield from (rf"\item {item}" for item in items)
    yield rf"\end{{{kind}}}"


def cite(item: Item) -> str:
    """An item of the source as a citation; a page of our own by its name."""
    return rf"\cite[{item.number}]{{{SOURCE}}}" if item.source == SOURCE else rf"\emph{{{plain(item)}}}"


CITED = re.compile(rf"{SOURCE}(?::| (?:Def|Prop|Thm|Cor|Lemma|Ex|Remark|Rem)\b\.? )([IVXA]+\.\d+)")
"""An item of the source in the text of a page."""


def _with_citations(shown: str) -> str:
    """A text of a page, in LaTeX, with the items that it names as citations."""
    return CITED.sub(lambda item: cite(Item(f"{SOURCE}:{item[1]}")), shown)


said = Writer(plain, formula, _values, cite)
"""A sentence, its formulas as mathematics."""


def concluded(best: Best, results: Mapping[str, str]) -> Iterator[str]:
    """What a theorem says after its assumptions; results -- the numbers of the pages that it is by."""
    by = [f"Result {results[item]}" if item in results else cite(item) for item in best.items]
    yield f"{said(best.head.theorem)} ({' and '.join(by)})."
    if any(top.of[0] != 1 for value in best.stated.values() for top in value.every("top")):
        yield r"Here $\operatorname{top}_m$ is the sum of the $m$ largest."
    if best.optimal:
        yield plain(best.head.optimal)
    yield from rests(best.relies_on)


def rests(relies_on: Sequence[Page]) -> Iterator[str]:
    """What is said of a result that rests on pages for which nobody vouches."""
    return (f"This {plain(rest)}." for rest in registry.rests(relies_on))


def _derivation(derivation: Told, results: Mapping[str, str]) -> Iterator[str]:
    yield from steps(derivation.steps, results)
    yield rf"Believed without check: {plain(derivation.believed)}."


def steps(lines: Sequence[Step], results: Mapping[str, str]) -> Iterator[str]:
    """The steps; below a step those that it has as evidence."""
    if not lines:
        return
    yield STEPS
    for step in lines:
        yield rf"\item[({step.number})] {said(step.said)}."
        yield rf"\hfill\penalty50\hspace*{{\fill}}\mbox{{}}\emph{{[{_source(step, results)}]}}"
        yield from steps(step.below, results)
    yield r"\end{enumerate}"


def _source(step: Step, results: Mapping[str, str]) -> str:
    if step.page is None:
        return said([step.checked]) + plain(step.origin)
    if step.page.id not in results:
        return plain(step.source)
    uses = f" from {', '.join(f'({step.before}{n})' for n in step.uses)}" if step.uses else ""
    cited = f", {cite(step.item)}" if step.item.source == SOURCE else ""
    return f"by Result {results[step.page.id]}{cited}{uses}"


def claim(verdict: Verdict, called: str) -> Iterator[str]:
    yield rf"\paragraph{{{called}}} {said(verdict.said)}."
    example = verdict.counterexample
    if verdict.verdict == "proved":
        words = {True: f" A smaller {verdict.noun} holds, too.", False: f" No smaller {verdict.noun} holds."}
        vacuous = verdict.bound is not None and verdict.bound.vacuous
        why = "for all allowed parameters it is at least the guarantee of the theorem."
        why = f"{plain(verdict.least.by)}." if verdict.by_curve else why
        more = "" if verdict.loose is None else words[verdict.loose]
        yield rf"\textbf{{Proved}}: {'there are no neighbours.' if vacuous else why + more}"
    elif example is None:
        yield rf"\textbf{{{verdict.verdict.capitalize()}}}: {said([verdict.reason])}."
    else:
        yield r"\textbf{Refuted} by this counterexample."
        yield from listed("itemize", _counterexample(verdict, example))
    yield from rests(verdict.relies_on)


def _counterexample(verdict: Verdict, example: Counterexample) -> Iterator[str]:
    D, E = (plain(example.databases.printed(database)) for database in example.pair)
    yield f"$D$ = {D} and $D'$ = {E}{' are neighbours' if example.neighbours else ''}."
    for words in map(said, verdict.refutation()):
        yield f"{words[0].upper()}{words[1:]}."


# what a notebook shows, for those that are made into LaTeX


def setting_latex(composed: Composed) -> str:
    """What is composed: the class, the neighbours, and what each mechanism reads and satisfies."""
    about = said([composed.about])
    return "\n".join([f"{about[0].upper()}{about[1:]}:", *listed("itemize", map(_member, composed.members))])


def _member(member: Member) -> str:
    if member.releases:
        return f"{plain(member.name)} releases {plain(member.releases)} of {said([member.reads])}"
    where = f", on the {member.domain} domain" if member.domain else ""
    reads = f" reads {said([member.reads])} and" if member.reads else ""
    return f"{plain(member.name)}{reads} is {said(member.satisfies)}{where}"


def steps_latex(derivation: Told) -> str:
    """The numbered steps of a derivation, and what they believe without check."""
    return "\n".join(_derivation(derivation, {}))


def verdict_latex(verdict: Verdict) -> str:
    """A claim with its verdict, and for a refuted one what refutes it."""
    return "\n".join(claim(verdict, "Claim:"))


def fits_latex(bound: Bound) -> str:
    """Of every composition theorem whether it fits, and why not."""
    notion, adaptive = bound.numbered
    rows = []
    for fit in sorted(bound.fits, key=lambda fit: (not fit.best, not fit.fits)):
        answer = r"\textbf{yes, cited}" if fit.best else "yes" if fit.fits else "no"
        rows.append(f"{plain(fit.page.name(notion, adaptive))}: {answer}; {said([fit.reason])}.")
    return "\n".join(listed("itemize", rows))


def tabular(rows: Sequence[Sequence[str]]) -> str:
    """A table of cells that are LaTeX already, smaller where it is too wide; the first row is its head."""
    lines = [" & ".join(row) + r" \\" for row in rows]
    inside = "\n".join([lines[0] + r" \hline", *lines[1:]])
    made = rf"\begin{{tabular}}{{{'l' * len(rows[0])}}}" + f"\n{inside}\n" + r"\end{tabular}"
    fitted = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}"
    return rf"\begin{{center}}\small{fitted}{{{made}}}\end{{center}}"


# pages of theorems


def results(pages: Sequence[Page], notion: str, adaptive: bool, numbers: Mapping[str, str]) -> Iterator[str]:
    """The results that lines are by, with their proofs, as their pages state them.

    numbers -- by the ids of pages how they are referred to.
    """
    writer = _Writer({f"{id}.md": n for id, n in numbers.items()})
    for page in pages:
        item = page.cite(notion, adaptive)
        cited = f"; {cite(item)}" if item.source == SOURCE else ""
        statement, proof = markdown.statement(page.body)
        yield rf"\begin{{result}}[{{{plain(page.title)}{cited}}}]\label{{result:{page.id}}}\normalfont"
        yield markdown.written(statement, writer).strip()
        yield r"\end{result}"
        if proof:
            yield r"\begin{proof}"
            yield markdown.written(proof, writer).strip()
            yield r"\end{proof}"


def upright(formula: str) -> str:
    r"""LaTeX of a page with Euler's number upright, as it is in all that is printed.

    >>> print(upright(r"e^{\varepsilon_e}+\frac e2"))
    \mathrm{e}^{\varepsilon_e}+\frac e2
    """
    return re.sub(r"(?<![A-Za-z\\_])e(?=\^)", lambda _: EULER, formula)


@frozen
class _Writer(markdown.Writer):
    r"""LaTeX of a theorem page; results -- the numbers of the pages that links may lead to, by file name.

    >>> page = "Let $x$ be *odd* (GB:A.4), see [it](../a/b.md) & more."
    >>> print(markdown.written(page, _Writer({"b.md": "3"})))
    <BLANKLINE>
    <BLANKLINE>
    Let $x$ be \emph{odd} (\cite[A.4]{GB}), see it (Result 3) \& more.
    """

    results: Mapping[str, str]

    def text(self, text: str) -> str:
        return _with_citations(plain(text))

    def math(self, formula: str) -> str:
        return f"${_with_citations(upright(formula))}$"

    def display(self, formula: str) -> str:
        formula = _with_citations(upright(formula))
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

    def items(self, shown: Sequence[str], first: int | None) -> str:
        if first is None:
            return "\n".join(listed("itemize", shown))
        begun, *rest = listed("enumerate", shown)
        return "\n".join([begun, *([rf"\setcounter{{enumi}}{{{first - 1}}}"] if first > 1 else []), *rest])

    def table(self, rows: Sequence[Sequence[str]]) -> str:
        return tabular(rows)

    def paragraph(self, shown: str, goes_on: bool) -> str:
        return ("\n" if goes_on else "\n\n") + shown
