"""How values look in a notebook: guarantees, derivations, theorems and verdicts as HTML and LaTeX.

Nothing here decides anything.  What a user named (mechanisms, records, databases) is escaped:
it is shown as text, never as HTML, and its dollar signs start no formula.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence

import sympy

from dpcompose.front.documents.bound import Bound
from dpcompose.front.documents.document import Best, Compared, Composed, Records, Step, Told
from dpcompose.front.documents.side_by_side import compared
from dpcompose.front.documents.verdict import Verdict
from dpcompose.front.printers import markdown, render
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.language.latex import formula_html, latex, text_html
from dpcompose.language.said import Writer, guarantees_in
from dpcompose.language.writing import text_latex
from dpcompose.proof.counterexamples.refuting import Counterexample
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Page

# sentences


def _values(values: Sequence[sympy.Expr]) -> str:
    """(e1 + e2), as LaTeX."""
    shown = ", ".join(map(latex, values))
    return rf"\left({shown}\right)" if len(values) > 1 or values[0].is_Add else shown


def _between_dollars(values: Sequence[sympy.Expr]) -> str:
    return f"${_values(values)}$"


said_html = Writer(
    text_html, formula_html, lambda values: html.escape(_between_dollars(values), quote=False), text_html
)


def _in_mathematics(text: str) -> str:
    return rf"\text{{{text_latex(text)}}}" if text else ""


said_mathematics = Writer(_in_mathematics, latex, _values, _in_mathematics, str)
"""A sentence inside mathematics."""
said_latex = Writer(text_latex, lambda formula: f"${latex(formula)}$", _between_dollars, text_latex)


LOOKS = (
    "background:#fbe3b3;border-bottom:3px solid #e69f00",
    "background:#d6ecfa;border-bottom:3px dashed #56b4e9",
    "background:#c9ebdd;border-bottom:3px dotted #009e73",
    "background:#f4dbe9;border-bottom:3px double #cc79a7",
    "background:#e4e4e4;border-bottom:3px groove #666666",
)
"""How a record looks that one mechanism reads: its colour, and a line that tells it without colour."""


def _database(shown: str | Records) -> str:
    """A database, with the records marked that the other one does not have."""
    if isinstance(shown, str):
        return text_html(shown)
    records = []
    for entry in shown.records:
        record = f"<mark><b>{text_html(entry.text)}</b></mark>" if entry.changed else text_html(entry.text)
        look = "" if entry.reader is None else LOOKS[entry.reader % len(LOOKS)]
        records.append(f'<span style="{look}">{record}</span>' if look else record)
    return shown.brackets[0] + ", ".join(records) + shown.brackets[1]


def table(head: Sequence[str], rows: Iterable[Sequence[str]], of_words: bool = False) -> str:
    """Cells that are HTML already; the first of a row is its name.

    of_words -- lines begin at the left, where notebooks set numbers to the right.
    """
    left = ' style="text-align: left"' if of_words else ""

    def line(cells: Sequence[str], kind: str) -> str:
        return "".join(f"<{kind}{left}>{cell}</{kind}>" for cell in cells)

    top = line(head, "th")
    body = "".join(f"<tr>{line(row[:1], 'th')}{line(row[1:], 'td')}</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


# guarantees and settings


def guarantee_latex(best: Best) -> str:
    """The best guarantee of a study as LaTeX: its words as text, its formulas as mathematics."""
    return said_latex(best.said) + text_latex(render.cited(best))


def guarantee_mathematics(best: Best) -> str:
    """The same inside mathematics, as sympy.latex gives it: without what is cited."""
    return said_mathematics(best.said)


def guarantee_html(best: Best) -> str:
    """The best guarantee of a study, with its theorem and what it is about."""
    cited = text_html(render.cited(best))
    return f"<p>{said_html(best.said)}{cited}<br>on {text_html(best.scope)}</p>"


def setting_html(composed: Composed) -> str:
    """What is composed: the class, the neighbours, and what each mechanism reads and satisfies."""
    title = f"<p><b>{text_html(composed.title)}</b></p>" if composed.title else ""
    rows = [
        [
            text_html(member.name),
            said_html([member.reads]),
            text_html(member.releases) or said_html(member.satisfies),
            member.domain,
        ]
        for member in composed.members
    ]
    return f"{title}<p>{text_html(composed.about)}</p>" + table(
        ["mechanism", "reads", "satisfies", "on the domain"], rows, of_words=True
    )


# theorem pages


class _Writer(markdown.Writer):
    """HTML of a theorem page; links to other pages are their words."""

    def text(self, text: str) -> str:
        return text_html(text)

    def math(self, formula: str) -> str:
        return f"${html.escape(formula, quote=False)}$"

    def display(self, formula: str) -> str:
        return f"$${html.escape(formula, quote=False)}$$"

    def code(self, text: str) -> str:
        return f"<code>{text_html(text)}</code>"

    def link(self, shown: str, to: str) -> str:
        return shown

    def bold(self, shown: str) -> str:
        return f"<b>{shown}</b>"

    def emphasis(self, shown: str) -> str:
        return f"<em>{shown}</em>"

    def items(self, shown: Sequence[str], first: int | None) -> str:
        kind, start = ("ul", "") if first is None else ("ol", "" if first == 1 else f' start="{first}"')
        return f"<{kind}{start}>{''.join(f'<li>{item}</li>' for item in shown)}</{kind}>"

    def table(self, rows: Sequence[Sequence[str]]) -> str:
        return table(rows[0], rows[1:], of_words=True)

    def paragraph(self, shown: str, goes_on: bool) -> str:
        return f"<p>{shown}</p>"


def _page(page: Page, shown: str) -> str:
    """HTML that opens to a theorem page: its statement, and folded again its proof."""
    return f"<details><summary>{shown}</summary>{page_html(page)}</details>"


def page_html(page: Page) -> str:
    """A theorem page: its statement, and folded its proof."""
    stated, proof = (markdown.written(part, _Writer()) for part in markdown.statement(page.body))
    why = f"<details><summary>proof</summary>{proof}</details>" if proof.strip() else ""
    more = f"<p><code>dpcompose theorems {text_html(page.id)}</code></p>"
    return f"<p><b>{text_html(page.title)}</b></p>{stated}{why}{more}"


# derivations


def proof_html(derivation: Told) -> str:
    """The numbered steps, as a list and as a tree."""
    steps = derivation.steps
    head = f"<summary>derivation in {len(steps)} lines</summary>"
    tree = f"<details><summary>as a tree</summary>{_tree(steps, steps[-1], set())}</details>"
    believed = f"<p>believed without check: {text_html(derivation.believed)}</p>"
    return f"<details open>{head}{_list(steps)}{tree}{believed}</details>"


def _list(steps: Sequence[Step]) -> str:
    """The steps; below a step those that it has as evidence."""
    if not steps:
        return ""
    rows = (f"<li>{said_html(step.said)} {_source(step)}{_list(step.below)}</li>" for step in steps)
    return f"<ol>{''.join(rows)}</ol>"


def _source(step: Step) -> str:
    """What a step is by; a theorem page opens to what it states."""
    source = f"<small>[{text_html(step.source)}]</small>"
    return source if step.page is None else _page(step.page, source)


def _tree(steps: Sequence[Step], step: Step, seen: set[int]) -> str:
    """A step that opens to those it is from; one that was shown before is only named."""
    if step.n in seen:
        return f"<p>({step.n}) again</p>"
    seen.add(step.n)
    line = f"({step.n}) {said_html(step.said)}"
    if not step.uses:
        return f"<p>{line}</p>"
    below = "".join(f"<li>{_tree(steps, steps[n - 1], seen)}</li>" for n in step.uses)
    return f"<details><summary>{line}</summary><ul>{below}</ul></details>"


# theorems


def theorems_html(bound: Bound) -> str:
    """A table of all theorems, those that fit first."""
    notion, adaptive = bound.numbered
    rows = []
    for fit in sorted(bound.fits, key=lambda fit: (not fit.best, not fit.fits)):
        answer = "<b>yes, cited</b>" if fit.best else "yes" if fit.fits else "no"
        named = f"{fit.page.name(notion, adaptive)} ({fit.page.cite(notion, adaptive)})"
        about = _page(fit.page, text_html(fit.page.title))
        rows.append([text_html(named), about, answer, text_html(fit.reason)])
    return table(["theorem", "about", "fits", "because"], rows, of_words=True)


# verdicts


def verdict_html(verdict: Verdict) -> str:
    """A claim with its verdict, and what shows it."""
    words = f", but a smaller {verdict.noun} holds" if verdict.loose else verdict.standing
    rows = [f"<p>claim: {said_html(verdict.said)}<br><b>{verdict.verdict}</b>{words}</p>"]
    if verdict.reason:
        rows.append(f"<p>because {text_html(verdict.reason)}</p>")
    rows += [f"<p>{text_html(rest)}</p>" for rest in registry.rests(verdict.relies_on)]
    if verdict.counterexample is not None:
        rows += _counterexample(verdict, verdict.counterexample)
    elif verdict.loose and verdict.least.right:  # as the claim is shown: for no neighbours in particular
        best = guarantees_in(verdict.least.right) or verdict.least.right
        rows.append(f"<p>The best: {said_html(best)}</p>")
    return "".join(rows)


def _counterexample(verdict: Verdict, example: Counterexample) -> Iterator[str]:
    """The two databases side by side, the values, and the mechanisms that lose too much."""
    yield table(["", "$D$", "$D'$"], map(_compared, compared(example)))
    yield from (f"<p>{said_html(line)}</p>" for line in verdict.loses(example, in_a_table=True))
    named = [(said_html([name]), row.outcomes) for name, row in example.reached if row.outcomes]
    if named:
        head = ["outcome", "probability at $D$", "probability at $D'$"]
        outcomes = ((name, outcome) for name, rows in named for outcome in rows)
        yield table(head, ([f"{name} = {text_html(o)}", *map(_probability, p)] for name, (o, *p) in outcomes))
        yield f"<p>lost at the outcome {_where(example)}</p>"
    yield from (f"<p>{said_html(line)}</p>" for line in verdict.besides(example))


def _compared(row: Compared) -> list[str]:
    look = "" if row.reader is None else f' style="{LOOKS[row.reader % len(LOOKS)]}"'
    name = f"<span{look}>{text_html(row.name)}</span>{row.after}" if row.after else text_html(row.name)
    return [name, *map(_database, row.sides)]


def _where(example: Counterexample) -> str:
    """At which outcome so much is lost, of mechanisms that have outcomes."""
    losing = [row for row in example.rows if row.outcomes]
    if any(row.by_table for row in losing):
        return ", ".join(text_html(row.outcomes[0][0]) for row in losing)
    return "1 of all these" if len(example.rows) > 1 else "1"


def _probability(value: Term) -> str:
    """A probability without parameters as a formula inside HTML."""
    return formula_html(formulas.expression(value))
