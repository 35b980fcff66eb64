"""How values look in a notebook: guarantees, derivations, theorems and verdicts as HTML and LaTeX.

Nothing here decides anything.  What a user named (mechanisms, records, databases) is escaped:
it is shown as text, never as HTML, and its dollar signs start no formula.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any

import sympy
from sympy.printing.latex import LatexPrinter, greek_letters_set

from dpcompose.front import render
from dpcompose.language import formulas
from dpcompose.language.worstcase import Top
from dpcompose.language.writing import text_latex
from dpcompose.privacy.mechanisms import Mechanism
from dpcompose.privacy.notions import Guarantee
from dpcompose.privacy.settings import Setting
from dpcompose.proof import counterexamples, kernel, registry
from dpcompose.proof.kernel import Line
from dpcompose.proof.registry import Theory
from dpcompose.proof.steps import moved
from dpcompose.proof.witnesses import Exponential, Ratio
from dpcompose.search.bounds import Bound, Fit
from dpcompose.search.claims import Verdict
from dpcompose.spaces.databases import Database, DatabaseClass
from dpcompose.spaces.maps import Positions, Restriction

# formulas and texts


class _Latex(LatexPrinter):
    """sympy's LaTeX, with the names of parameters as mathematics and −max(−x, …) as min(x, …)."""

    def _print_Symbol(self, symbol: sympy.Symbol, style: str = "plain") -> str:
        return name_latex(symbol.name)

    def _print_Mul(self, product: sympy.Expr) -> str:
        number, rest = product.as_coeff_Mul()
        if number < 0 and isinstance(rest, Top) and rest.args[0] == 1 and all(map(_negative, rest.terms)):
            shown = ", ".join(self._print(-term) for term in rest.terms)
            front = "" if number == -1 else self._print(-number) + " "
            return rf"{front}\min\left({shown}\right)"
        printed: str = super()._print_Mul(product)
        return printed


def _negative(term: sympy.Expr) -> bool:
    return bool(term.could_extract_minus_sign())


def latex(expression: sympy.Expr) -> str:
    r"""An expression as LaTeX, without dollar signs.

    >>> print(latex(formulas.symbol("epsilon1") + 2 * formulas.symbol("x_y_")))
    \varepsilon_{1} + 2 \mathrm{x\_y\_}
    """
    printed: str = _Latex().doprint(expression)
    return printed


def name_latex(name: str) -> str:
    r"""A name as mathematics: e1 as e_{1}, epsilon_max as \varepsilon_{\mathrm{max}}, e[i] as e_{i}."""
    found = re.fullmatch(r"([A-Za-z]+?)(?:_?(\d+)|_([A-Za-z]+))?(?:\[(\d+|i)\])?", name)
    if not found:
        return rf"\mathrm{{{text_latex(name)}}}"
    letter, number, word, member = found.groups()
    below = ", ".join(filter(None, [number, rf"\mathrm{{{word}}}" if word else "", member]))
    if letter == "epsilon":
        letter = "varepsilon"
    if letter in greek_letters_set or letter == "varepsilon":
        letter = "\\" + letter
    elif len(letter) > 1:
        letter = rf"\mathrm{{{letter}}}"
    return f"{letter}_{{{below}}}" if below else letter


_PLAIN = '<span class="mathjax_ignore tex2jax_ignore">{}</span>'


def text_html(text: object) -> str:
    """A text as HTML that shows just it; dollar signs and backslashes start no formula.

    >>> text_html("<b> & c")
    '&lt;b&gt; &amp; c'
    """
    escaped = html.escape(str(text))
    return re.sub(r"[$\\]", lambda found: _PLAIN.format(found[0]), escaped)


def _formula(expression: sympy.Expr) -> str:
    """An expression inside HTML."""
    return f"${html.escape(latex(expression), quote=False)}$"


def _dp(notion: str, values: Sequence[sympy.Expr]) -> str:
    """(e1 + e2)-DP, its formula between dollar signs, for LaTeX."""
    shown = ", ".join(map(latex, values))
    if len(values) > 1 or values[0].is_Add:
        shown = rf"\left({shown}\right)"
    return f"${shown}$-{text_latex(registry.standard().called(notion))}"


def _database(databases: DatabaseClass, D: Database, other: Database) -> str:
    """A database as HTML, with the records marked that `other` does not have."""
    shown = databases.show(D)
    if isinstance(shown, str):
        return text_html(shown)
    records = [
        f"<mark><b>{text_html(record)}</b></mark>" if marked else text_html(record)
        for record, marked in zip(shown, databases.changed(D, other), strict=True)
    ]
    return databases.brackets[0] + ", ".join(records) + databases.brackets[1]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells that are HTML already; the first of a row is its name."""
    top = "".join(f"<th>{cell}</th>" for cell in head)
    body = "".join(
        f"<tr><th>{row[0]}</th>{''.join(f'<td>{cell}</td>' for cell in row[1:])}</tr>" for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


# guarantees and settings


def _said(bound: Bound) -> list[sympy.Expr]:
    """The parameters of the best guarantee."""
    return [formulas.parse(text, bound.setting.symbols) for _, text in bound.guarantee.parameters]


def _cited(bound: Bound) -> str:
    theorem = bound.theorem.cite(bound.guarantee.notion, bound.setting.adaptive)
    return f", by {theorem}{'; optimal' if bound.optimal else ''}"


def guarantee_latex(bound: Bound) -> str:
    """The best guarantee of a study as LaTeX: its words as text, its formulas as mathematics."""
    said = f"{text_latex(bound.guarantee.granularity)} {_dp(bound.guarantee.notion, _said(bound))}"
    return said + text_latex(_cited(bound))


def guarantee_html(bound: Bound) -> str:
    """The best guarantee of a study, with its theorem and what it is about."""
    said = f"{text_html(bound.guarantee.granularity)} {_dp_html(bound.guarantee.notion, _said(bound))}"
    return f"<p>{said}{text_html(_cited(bound))}<br>on {text_html(bound.setting.databases)}</p>"


def _dp_html(notion: str, values: Sequence[sympy.Expr]) -> str:
    return html.escape(_dp(notion, values), quote=False)


def setting_line(setting: Setting) -> str:
    """What is composed, in one line."""
    names = [_named(mechanism) for mechanism in setting.mechanisms]
    some = ", ".join(names if len(names) <= 6 else [*names[:3], "...", names[-1]])
    return f"composition of {some} on {setting.databases}, for {setting.target} neighbours"


def setting_html(setting: Setting) -> str:
    """What is composed: the class, the neighbours, and what each mechanism reads and satisfies."""
    title = f"<p><b>{text_html(setting.title)}</b></p>" if setting.title else ""
    about = f"<p>on {text_html(setting.databases)}, for {text_html(setting.target)} neighbours</p>"
    rows = [
        [
            text_html(_named(mechanism)),
            text_html(mechanism.reads.written("D")),
            _guarantee(mechanism.satisfies),
            mechanism.satisfies.domain or "",
        ]
        for mechanism in setting.mechanisms
    ]
    return title + about + _table(["mechanism", "reads", "satisfies", "on the domain"], rows)


def _named(mechanism: Mechanism) -> str:
    name, count = mechanism.name, mechanism.count
    return name if count is None else f"{name}[1], ..., {name}[{count}]"


def _guarantee(stated: Guarantee) -> str:
    where = f"{text_html(stated.granularity)} " if stated.granularity else ""
    return where + _dp_html(stated.notion, [value for _, value in stated.values])


# derivations


@dataclass(frozen=True)
class Proof:
    """A derivation as it is read: numbered lines, and what they believe without check."""

    bound: Bound
    theory: Theory

    def __str__(self) -> str:
        return render.derivation(self.bound, self.theory)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows, lines = "", self.bound.derivation.lines
        for line in lines:
            source = text_html(render.source(line, self.theory, self.bound))
            rows += f"<li>{self._sentence(line)} <small>[{source}]</small></li>"
        believed = text_html(", ".join(render.believed(self.bound)))
        head = f"<summary>derivation in {len(lines)} lines</summary>"
        return f"<details open>{head}<ol>{rows}</ol><p>believed without check: {believed}</p></details>"

    def _sentence(self, line: Line) -> str:
        """A line in words, its formula as mathematics."""
        words, said = render.sentence(line, self.bound.setting), line.judgement
        starts = {
            kernel.Given: "{0.name} is {0.granularity} ",
            kernel.Loss: "the composition has loss ",
            kernel.Private: "the composition is {0.granularity} ",
            kernel.Optimal: "no smaller guarantee holds for all such mechanisms: ",
        }
        if type(said) in starts and len(said.parameters) == 1:  # type: ignore[union-attr]
            text = said.parameters[0][1]  # type: ignore[union-attr]
            start = starts[type(said)].format(said)
            formula = self._parse(text)
            for opened in (start, start + "("):
                if formula is not None and words.startswith(opened + text):
                    rest = words.removeprefix(opened + text)
                    return f"{text_html(opened)}{_formula(formula)}{text_html(rest)}"
        return text_html(words)

    def _parse(self, text: str) -> sympy.Expr | None:
        """A formula of a line, in parameters and distances; None for what stays text."""
        r = [moved(i) for i in range(1, len(self.bound.setting.mechanisms) + 1)]
        families = {"r": r} if "r[" in text else None
        try:
            return formulas.parse(text, self.bound.setting.symbols, families, index="i")
        except formulas.FormulaError:
            return None


# theorems


@dataclass(frozen=True)
class Theorems(Sequence[Fit]):
    """Of every composition theorem whether it fits a setting; a sequence of `Fit`."""

    bound: Bound

    def __len__(self) -> int:
        return len(self.bound.fits)

    def __getitem__(self, n: Any) -> Any:
        return self.bound.fits[n]

    def __str__(self) -> str:
        return render.fits(self.bound, self.bound.guarantee.notion)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        notion, adaptive = self.bound.guarantee.notion, self.bound.setting.adaptive
        rows = []
        for fit in sorted(self, key=lambda fit: (not fit.best, not fit.fits)):
            answer = "<b>yes, cited</b>" if fit.best else "yes" if fit.fits else "no"
            named = f"{fit.page.name(notion, adaptive)} ({fit.page.cite(notion, adaptive)})"
            rows.append([text_html(named), text_html(fit.page.title), answer, text_html(fit.reason)])
        return _table(["theorem", "about", "fits", "because"], rows)


# verdicts


@dataclass(frozen=True, repr=False)
class Answer(Verdict):
    """A verdict that shows itself, beside the bound of its study (None where there is none)."""

    bound: Bound | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        words = {True: ", loose", False: ", and no smaller guarantee holds", None: ""}[self.loose]
        if self.reason:
            words += f": {self.reason}"
        if self.counterexample is not None:
            example = self.counterexample
            D, E = (example.databases.printed(one) for one in example.pair)
            at = "".join(f", {name} = {x}" for name, x in sorted(example.point.items()))
            loss = example.shown(example.actual)
            words += f": D = {D}, D' = {E}{at}, claimed {example.shown(example.claimed)}, true loss {loss}"
        return self.verdict + words

    def _repr_html_(self) -> str:
        guarantee = self.claim.guarantee
        claim = _dp_html(guarantee.notion, [value for _, value in guarantee.values])
        words = {
            True: ", but a smaller guarantee holds",
            False: ", and no smaller guarantee holds",
            None: "",
        }[self.loose]
        rows = [f"<p>claim: {claim}<br><b>{self.verdict}</b>{words}</p>"]
        if self.reason:
            rows.append(f"<p>because {text_html(self.reason)}</p>")
        if self.counterexample is not None and self.bound is not None:
            rows += _counterexample(self, self.bound)
        elif self.loose and self.bound is not None:
            rows.append(f"<p>The best: {_dp_html(guarantee.notion, _said(self.bound))}</p>")
        return "".join(rows)


def answer(verdict: Verdict, bound: Bound | None) -> Answer:
    """A verdict with the bound that it was found from."""
    return Answer(**{one.name: getattr(verdict, one.name) for one in fields(Verdict)}, bound=bound)


def _counterexample(found: Verdict, bound: Bound) -> Iterator[str]:
    """The two databases side by side, the values, and the mechanisms that lose too much."""
    example = found.counterexample
    assert example is not None
    setting = counterexamples.instance(bound.steps.inputs, example.point).setting
    rows = [["database", *_both(setting.databases, *example.pair)]]
    moving = [(row, setting.mechanisms[row.mechanism - 1]) for row in example.rows]
    for _, mechanism in moving:
        f = mechanism.reads
        image = f.image(setting.databases) if isinstance(f, Restriction | Positions) else setting.databases
        values = [f(D) for D in example.pair]
        shown = (
            _both(image, *values)
            if all(value in image for value in values)
            else [text_html(x) for x in values]
        )
        rows.append([f"{text_html(mechanism.name)} reads", *shown])
    yield _table(["", "$D$", "$D'$"], rows)
    if example.point:
        at = ", ".join(f"${name_latex(name)} = {_number(x)}$" for name, x in sorted(example.point.items()))
        yield f"<p>with {at}:</p>"
    outcomes = []
    for row, mechanism in moving:
        name = text_html(mechanism.name)
        if isinstance(row, Ratio):
            at_D, at_E = (_powers(value) for value in (row.at_D, row.at_E))
            outcomes.append([f"{name} = 1", at_D, at_E])
            outcomes.append([f"{name} = 0", *(_powers(_rest(value)) for value in (row.at_D, row.at_E))])
        else:
            yield f"<p>{name} {text_html(row.words())}</p>"
    where = ""
    if outcomes:
        yield _table(["outcome", "probability at $D$", "probability at $D'$"], outcomes)
        where = f", at the outcome {'1 of all these' if len(moving) > 1 else '1'}"
    yield (
        f"<p>true loss {_loss(example.shown(example.actual))}{where}; "
        f"claimed {_loss(example.shown(example.claimed))}<br>"
        f"right is: {text_html(bound.guarantee.granularity)} "
        f"{_dp_html(bound.guarantee.notion, _said(bound))}</p>"
    )
    if example.alone is not None:
        name, loss = text_html(example.alone.mechanism), _loss(example.alone.loss)
        yield f"<p>already {name} alone loses {loss} ({example.alone.by})</p>"
    if found.nearby:
        yield f"<p>it would hold {text_html('; '.join(found.nearby))}</p>"


def _both(databases: DatabaseClass, D: Database, E: Database) -> list[str]:
    return [_database(databases, D, E), _database(databases, E, D)]


def _loss(text: str) -> str:
    """A loss that is a formula without parameters."""
    return f"${latex(formulas.parse(text, {}))}$"


def _number(x: Fraction) -> str:
    return latex(sympy.Rational(x.numerator, x.denominator))


def _powers(value: Exponential) -> str:
    """Σ c·e^q as a formula inside HTML."""
    terms = [
        sympy.Rational(c.numerator, c.denominator) * sympy.exp(sympy.Rational(q.numerator, q.denominator))
        for q, c in value
    ]
    return _formula(sympy.Add(*terms))


def _rest(value: Exponential) -> Exponential:
    """1 − p."""
    terms = {q: -c for q, c in value}
    terms[Fraction(0)] = terms.get(Fraction(0), Fraction(0)) + 1
    return tuple((q, c) for q, c in sorted(terms.items()) if c)
