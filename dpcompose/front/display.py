"""How values look in a notebook: guarantees, derivations, theorems and verdicts as HTML and LaTeX.

Nothing here decides anything.  What a user named (mechanisms, records, databases) is escaped:
it is shown as text, never as HTML, and its dollar signs start no formula.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

import sympy

from dpcompose.front import markdown, render
from dpcompose.front.bound import Bound
from dpcompose.front.captions import Captions
from dpcompose.front.lines import Line
from dpcompose.front.verdict import Verdict
from dpcompose.kernel.deciders import exponentials
from dpcompose.kernel.deciders.exponentials import Value
from dpcompose.language import formulas
from dpcompose.language.latex import formula_html, latex, name_latex, text_html
from dpcompose.language.writing import text_latex
from dpcompose.privacy.notions import Guarantee
from dpcompose.privacy.settings import Setting
from dpcompose.proof import counterexamples, registry
from dpcompose.proof.registry import Page, Theory
from dpcompose.proof.witnesses import OnTable, Ratio
from dpcompose.spaces.databases import Database, DatabaseClass
from dpcompose.spaces.maps import Map
from dpcompose.spaces.restrictions import Positions, Restriction

# formulas and texts


def _dp(notion: str, values: Sequence[sympy.Expr], theory: Theory) -> str:
    """(e1 + e2)-DP, its formula between dollar signs, for LaTeX."""
    shown = ", ".join(map(latex, values))
    if len(values) > 1 or values[0].is_Add:
        shown = rf"\left({shown}\right)"
    return f"${shown}$-{text_latex(theory.called(notion))}"


LOOKS = (
    "background:#fbe3b3;border-bottom:3px solid #e69f00",
    "background:#d6ecfa;border-bottom:3px dashed #56b4e9",
    "background:#c9ebdd;border-bottom:3px dotted #009e73",
    "background:#f4dbe9;border-bottom:3px double #cc79a7",
    "background:#e4e4e4;border-bottom:3px groove #666666",
)
"""How a record looks that one mechanism reads: its colour, and a line that tells it without colour."""


def _database(databases: DatabaseClass, D: Database, other: Database, readers: Sequence[Map] = ()) -> str:
    """A database as HTML, with the records marked that `other` does not have.

    readers -- maps: a record looks like the first that reads it.
    """
    shown = databases.show(D)
    if isinstance(shown, str):
        return text_html(shown)
    records = []
    for at, (record, marked) in enumerate(zip(shown, databases.changed(D, other), strict=True), start=1):
        one = f"<mark><b>{text_html(record)}</b></mark>" if marked else text_html(record)
        read = [n for n, f in enumerate(readers) if _reads(f, record, at)]
        records.append(f'<span style="{LOOKS[read[0] % len(LOOKS)]}">{one}</span>' if read else one)
    return databases.brackets[0] + ", ".join(records) + databases.brackets[1]


def _reads(f: Map, record: str, at: int) -> bool:
    """Whether a map keeps a record, by its value or by its position."""
    return (isinstance(f, Restriction) and record in f.records) or (
        isinstance(f, Positions) and at in f.positions
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells that are HTML already; the first of a row is its name."""
    top = "".join(f"<th>{cell}</th>" for cell in head)
    body = "".join(
        f"<tr><th>{row[0]}</th>{''.join(f'<td>{cell}</td>' for cell in row[1:])}</tr>" for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


# guarantees and settings


def _cited(bound: Bound) -> str:
    theorem = bound.theorem.cite(bound.steps.notion, bound.setting.adaptive)
    return f", by {theorem}{bound.standing}" + "".join(f"; {one}" for one in registry.rests(bound.relies_on))


def guarantee_latex(bound: Bound) -> str:
    """The best guarantee of a study as LaTeX: its words as text, its formulas as mathematics."""
    said = _dp(bound.guarantee.notion, render.best_values(bound), bound.steps.theory)
    return f"{text_latex(bound.guarantee.granularity)} {said}" + text_latex(_cited(bound))


def guarantee_html(bound: Bound) -> str:
    """The best guarantee of a study, with its theorem and what it is about."""
    said = _dp_html(bound.guarantee.notion, render.best_values(bound), bound.steps.theory)
    where = f"on {text_html(bound.setting.databases)}"
    return f"<p>{text_html(bound.guarantee.granularity)} {said}{text_html(_cited(bound))}<br>{where}</p>"


def _dp_html(notion: str, values: Sequence[sympy.Expr], theory: Theory) -> str:
    return html.escape(_dp(notion, values, theory), quote=False)


def setting_html(setting: Setting, theory: Theory) -> str:
    """What is composed: the class, the neighbours, and what each mechanism reads and satisfies."""
    title = f"<p><b>{text_html(setting.title)}</b></p>" if setting.title else ""
    where = f", where {text_html(render.relations(setting))}" if setting.assume else ""
    about = f"<p>on {text_html(setting.databases)}, for {text_html(setting.target)} neighbours{where}</p>"
    rows = [
        [
            text_html(mechanism.called),
            text_html(mechanism.reads.written("D")),
            text_html(mechanism.released) or _guarantee(mechanism.satisfies, theory),
            mechanism.satisfies.domain or "",
        ]
        for several in setting.mechanisms
        for mechanism in (several.alone if several.also else [several])
    ]
    return title + about + table(["mechanism", "reads", "satisfies", "on the domain"], rows)


def _guarantee(stated: Guarantee, theory: Theory) -> str:
    where = f"{text_html(stated.granularity)} " if stated.granularity else ""
    return where + _dp_html(stated.notion, [value for _, value in stated.values], theory)


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

    def items(self, shown: Sequence[str], numbered: bool) -> str:
        kind = "ol" if numbered else "ul"
        return f"<{kind}>{''.join(f'<li>{one}</li>' for one in shown)}</{kind}>"

    def table(self, rows: Sequence[Sequence[str]]) -> str:
        return table(rows[0], rows[1:])

    def paragraph(self, shown: str, goes_on: bool) -> str:
        return f"<p>{shown}</p>"


def _page(page: Page, shown: str) -> str:
    """HTML that opens to a theorem page: its statement, and folded again its proof."""
    stated, proof = (markdown.written(part, _Writer()) for part in markdown.statement(page.body))
    why = f"<details><summary>proof</summary>{proof}</details>" if proof.strip() else ""
    more = f"<p><code>dpcompose theorems {text_html(page.id)}</code></p>"
    inside = f"<p><b>{text_html(page.title)}</b></p>{stated}{why}{more}"
    return f"<details><summary>{shown}</summary>{inside}</details>"


# derivations


def proof_html(bound: Bound) -> str:
    """The numbered lines, as a list and as a tree."""
    lines = bound.derivation.lines
    believed = text_html(", ".join(render.believed(bound)))
    head = f"<summary>derivation in {len(lines)} lines</summary>"
    rows = _list(bound, lines, bound.steps)
    tree = f"<details><summary>as a tree</summary>{_tree(bound, lines[-1], set())}</details>"
    return f"<details open>{head}{rows}{tree}<p>believed without check: {believed}</p></details>"


def _list(bound: Bound, lines: Sequence[Line], steps: Captions) -> str:
    """The lines; below a line those that it has as evidence."""
    rows = ""
    for line in lines:
        inner = steps.within(line)
        below = "" if inner is None else _list(bound, inner.lines, inner.steps)
        rows += f"<li>{_sentence(bound, line, steps)} {_source(bound, line, steps)}{below}</li>"
    return f"<ol>{rows}</ol>"


def _source(bound: Bound, line: Line, steps: Captions) -> str:
    """What a line is by; a theorem page opens to what it states."""
    source = text_html(render.source(line, steps))
    page = bound.steps.theory.pages.get(line.by)
    if page is None:
        return f"<small>[{source}]</small>"
    return _page(page, f"<small>[{source}]</small>")


def _tree(bound: Bound, line: Line, seen: set[int]) -> str:
    """A line that opens to those it is from; one that was shown before is only named."""
    if line.n in seen:
        return f"<p>({line.n}) again</p>"
    seen.add(line.n)
    said = f"({line.n}) {_sentence(bound, line, bound.steps)}"
    if not line.uses:
        return f"<p>{said}</p>"
    below = "".join(f"<li>{_tree(bound, _at(bound, n), seen)}</li>" for n in line.uses)
    return f"<details><summary>{said}</summary><ul>{below}</ul></details>"


def _at(bound: Bound, n: int) -> Line:
    return next(line for line in bound.derivation.lines if line.n == n)


def _sentence(bound: Bound, line: Line, steps: Captions) -> str:
    """A line in words, its formulas as mathematics."""
    return "".join(
        text_html(part) if isinstance(part, str) else formula_html(part)
        for part in render.pieces(line, steps)
    )


# theorems


def theorems_html(bound: Bound) -> str:
    """A table of all theorems, those that fit first."""
    notion, adaptive = bound.guarantee.notion, bound.setting.adaptive
    rows = []
    for fit in sorted(bound.fits, key=lambda fit: (not fit.best, not fit.fits)):
        answer = "<b>yes, cited</b>" if fit.best else "yes" if fit.fits else "no"
        named = f"{fit.page.name(notion, adaptive)} ({fit.page.cite(notion, adaptive)})"
        about = _page(fit.page, text_html(fit.page.title))
        rows.append([text_html(named), about, answer, text_html(fit.reason)])
    return table(["theorem", "about", "fits", "because"], rows)


# verdicts


def verdict_html(found: Verdict) -> str:
    """A claim with its verdict, and what shows it."""
    guarantee = found.claim.guarantee
    theory = registry.standard() if found.bound is None else found.bound.steps.theory
    claim = _dp_html(guarantee.notion, [value for _, value in guarantee.values], theory)
    words = {
        True: ", but a smaller guarantee holds",
        False: ", and no smaller guarantee holds",
        None: "",
    }[found.loose]
    rows = [f"<p>claim: {claim}<br><b>{found.verdict}</b>{words}</p>"]
    if found.reason:
        rows.append(f"<p>because {text_html(found.reason)}</p>")
    rows += [f"<p>{text_html(one)}</p>" for one in registry.rests(found.relies_on)]
    if found.counterexample is not None and found.bound is not None:
        rows += _counterexample(found, found.bound)
    elif found.loose and found.bound is not None:
        rows.append(f"<p>The best: {_dp_html(*render.right(found, found.bound), theory)}</p>")
    return "".join(rows)


def _counterexample(found: Verdict, bound: Bound) -> Iterator[str]:
    """The two databases side by side, the values, and the mechanisms that lose too much."""
    example = found.counterexample
    assert example is not None
    setting = counterexamples.instance(bound.steps.inputs, example.point).setting
    moving = [(row, setting.mechanisms[row.mechanism - 1]) for row in example.rows]
    readers = [mechanism.reads for _, mechanism in moving]
    rows = [["database", *_both(setting.databases, *example.pair, readers)]]
    for n, (_, mechanism) in enumerate(moving):
        f = mechanism.reads
        image = f.image(setting.databases) if isinstance(f, Restriction | Positions) else setting.databases
        values = [f(D) for D in example.pair]
        shown = (
            _both(image, values[0], values[1])
            if all(value in image for value in values)
            else [text_html(x) for x in values]
        )
        look = f' style="{LOOKS[n % len(LOOKS)]}"' if isinstance(f, Restriction | Positions) else ""
        rows.append([f"<span{look}>{text_html(mechanism.name)}</span> reads", *shown])
    yield table(["", "$D$", "$D'$"], rows)
    if example.point:
        at = ", ".join(f"${name_latex(name)} = {_number(x)}$" for name, x in sorted(example.point.items()))
        yield f"<p>with {at}:</p>"
    if example.through:
        yield f"<p>which violates what the claim implies by {text_html(', '.join(example.through))}:</p>"
    outcomes = []
    for row, mechanism in moving:
        name = text_html(mechanism.name)
        if isinstance(row, Ratio):
            at_D, at_E = (_probability(p) for p in (row.at_D, row.at_E))
            if isinstance(row, OnTable):
                outcomes.append([f"{name} = {text_html(row.outcome)}", at_D, at_E])
                continue
            outcomes.append([f"{name} = 1", at_D, at_E])
            outcomes.append([f"{name} = 0", *(_probability(Fraction(1) - p) for p in (row.at_D, row.at_E))])
        else:
            yield f"<p>{name} {text_html(row.words())}</p>"
    where = ""
    if outcomes:
        yield table(["outcome", "probability at $D$", "probability at $D'$"], outcomes)
        where = f", at the outcome {'1 of all these' if len(moving) > 1 else '1'}"
        if any(isinstance(row, OnTable) for row, _ in moving):
            some = (row for row, _ in moving if isinstance(row, Ratio))
            shown = [text_html(row.outcome) if isinstance(row, OnTable) else "1" for row in some]
            where = f", at the outcome {', '.join(shown)}"
    at_least = "at least " if example.is_at_least else ""
    claimed, true = example.decimals
    yield (
        f"<p>true loss {at_least}{_loss(example.shown(example.actual))}{true}{where}; "
        f"claimed {_loss(example.shown(example.claimed))}{claimed}<br>"
        f"right is: {text_html(bound.guarantee.granularity)} "
        f"{_dp_html(*render.right(found, bound), bound.steps.theory)}</p>"
    )
    if words := render.published(found):
        yield f"<p>{text_html(words)}</p>"
    if example.alone is not None:
        name, loss = text_html(example.alone.mechanism), _loss(example.alone.loss)
        yield f"<p>already {name} alone loses {loss} ({example.alone.by})</p>"
    if example.without:
        yield f"<p>{text_html(render.left_out(example))} ({render.by_parts(bound)})</p>"
    if found.nearby:
        yield f"<p>it would hold {text_html('; '.join(found.nearby))}</p>"


def _both(databases: DatabaseClass, D: Database, E: Database, readers: Sequence[Map] = ()) -> list[str]:
    return [_database(databases, D, E, readers), _database(databases, E, D, readers)]


def _loss(text: str) -> str:
    """A loss that is a formula without parameters."""
    return f"${latex(formulas.parse(text, {}))}$"


def _number(x: Fraction) -> str:
    return latex(sympy.Rational(x.numerator, x.denominator))


def _probability(value: Value) -> str:
    """A probability without parameters as a formula inside HTML."""
    return formula_html(formulas.expression(exponentials.as_term(value)))
