r"""A proof as it goes into a paper: a theorem with its proof, an appendix, a file of sources.

The theorem lists what is assumed, under the numbers of these lines in the derivation; its proof has the
other lines.  Three files are written beside each other, `proof.tex`, `proof-results.tex` and `proof.bib`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from dpcompose.front.documents.document import Best, every_step
from dpcompose.front.documents.verdict import Verdict
from dpcompose.front.printers import latex
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language.latex import told_apart
from dpcompose.proof.theory import registry

SOURCES = "sources.bib"
"""The file of sources, beside the theorem pages."""

ENTRY = re.compile(r"@\w+\{(\w+),\s*author = \{([^,]+),.*year = \{(\d+)\}", re.DOTALL)
"""A source: its key, the family name of its first author, its year."""

HEAD = r"""% \input this file in a paper, and {name}-results.tex in its appendix.  The preamble has
%   \usepackage[T1]{{fontenc}}
%   \usepackage{{amsmath,amssymb,amsthm,graphicx}}
%   \newtheorem{{theorem}}{{Theorem}}
% and the paper ends with \bibliographystyle{{plain}} and \bibliography{{{name}}}.
% Of several proofs name each .bib there; where BibTeX calls an entry repeated, it has kept the first.
"""

MEANT = r"""\ifdefined\result\else\newtheorem{result}{Result}\fi
\ifdefined\fitted\else\newsavebox{\shown}
\newcommand{\fitted}[1]{\sbox{\shown}{$\displaystyle #1$}%
\[\ifdim\wd\shown>\linewidth\resizebox{\linewidth}{!}{\usebox{\shown}}\else#1\fi\]}\fi
"""

LOOSE = r"\emergencystretch=8em"
"""Lines may be spaced widely rather than be too long, inside of what is written here."""


@frozen(repr=False)
class Paper:
    """What goes into a paper; write -- writes its three files, print -- prints the first.

    proof -- the theorem with its proof, and claims that are refuted; results -- what the proof uses, with
    proofs, for an appendix; sources -- what is cited, as BibTeX.
    """

    proof: str
    results: str
    sources: str

    def __str__(self) -> str:
        return self.proof

    def __repr__(self) -> str:
        used, cited = self.results.count(r"\begin{result}"), self.sources.count("@")
        return f"a theorem with its proof (results used: {used}, sources: {cited}), for .write('proof.tex')"

    def write(self, path: str | Path) -> None:
        """Writes PATH, and beside it PATH-results.tex and PATH.bib.  Raises OSError."""
        file = Path(path)
        file.write_text(HEAD.format(name=file.stem) + self.proof, encoding="utf-8")
        file.with_name(f"{file.stem}-results.tex").write_text(MEANT + self.results, encoding="utf-8")
        file.with_suffix(".bib").write_text(self.sources, encoding="utf-8")


def paper(best: Best, verdicts: Sequence[Verdict] = ()) -> Paper:
    """The proof of the best guarantee for a paper, and what refutes the claims that are refuted."""
    with told_apart(best.head.parameters):
        return _paper(best, verdicts)


def _paper(best: Best, verdicts: Sequence[Verdict]) -> Paper:
    derivation = best.told
    by = {step.page.id for step in every_step(derivation.steps) if step.page is not None}
    pages = [page for page in derivation.pages if page.id in by]
    numbers = {page.id: rf"\ref{{result:{page.id}}}" for page in pages}
    rows = [
        *_theorem(best, numbers),
        rf"\begin{{proof}}{LOOSE} {latex.said(best.head.proof)}",
        *latex.steps([step for step in derivation.steps if not step.is_assumed], numbers),
        r"\end{proof}",
        *(
            row
            for verdict in verdicts
            if verdict.counterexample
            for row in latex.claim(verdict, "Not enough:")
        ),
    ]
    results = [r"\section*{Results used}", rf"\begingroup{LOOSE}"]
    for page in pages:  # each once, where several proofs of a paper use it
        results.append(
            rf"\ifcsname used:{page.id}\endcsname\else\expandafter\gdef\csname used:{page.id}\endcsname{{}}%"
        )
        results += [*latex.results([page], *derivation.numbered, numbers), r"\fi"]
    results.append(r"\endgroup")
    return Paper(_text(rows), _text(results), "\n\n".join(_sources([*rows, *results])) + "\n")


def _text(rows: Sequence[str]) -> str:
    return "\n".join(rows) + "\n"


def _sources(rows: Sequence[str]) -> Iterator[str]:
    """The sources that a text cites, or names with their years."""
    text = " ".join(rows)
    for entry in (registry.folder() / SOURCES).read_text(encoding="utf-8").strip().split("\n\n"):
        named = ENTRY.match(entry)
        assert named is not None, entry
        key, first, year = named.groups()
        if f"{{{key}}}" in text or re.search(rf"\b{first}\b.{{0,200}}?\b{year}\b", text, re.DOTALL):
            yield entry


def _theorem(best: Best, numbers: Mapping[str, str]) -> Iterator[str]:
    """What is assumed, line by line, and the guarantee; numbers -- of the results that it is by."""
    head, derivation = best.head, best.told
    yield rf"\begin{{theorem}}[{{{latex.plain(best.title)}}}]" if best.title else r"\begin{theorem}"
    yield f"{LOOSE} {latex.said(head.about)}"
    yield from latex.parameters(head)
    if head.defined:
        yield f"The metrics are {'; '.join(map(latex.said, head.defined))}."
    yield "Assume:"
    yield latex.STEPS
    items = [(f"({step.number})", step.said) for step in derivation.steps if step.is_assumed]
    items += [("--", sentence) for sentence in head.besides]
    for n, (label, sentence) in enumerate(items, start=1):
        yield rf"\item[{label}] {latex.said(sentence)}{'.' if n == len(items) else ';'}"
    yield r"\end{enumerate}"
    yield from latex.concluded(best, numbers)
    yield r"\end{theorem}"
