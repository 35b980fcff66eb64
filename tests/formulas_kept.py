"""What the kernel sees of formulas: a letter for each, by what is asked of it; they are kept in tests/forged/formulas.json.

The formulas are drawn at random, or stand in the claims of shipped files, families among them.  Whether what is seen is true
is asked elsewhere, at values and by hand: here that nothing else is seen than before, neither more nor less.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Any

import drawn_formulas
from drawn_formulas import AT
from in_letters import Asked, said

from dpcompose.kernel import infinity
from dpcompose.kernel.deciders.calculus import elementary, ranges, signs, values
from dpcompose.kernel.deciders.calculus.elementary import Elementary
from dpcompose.kernel.deciders.curves import noises
from dpcompose.kernel.deciders.norms import norms, squares
from dpcompose.kernel.deciders.tables import entries
from dpcompose.kernel.expressions import (
    forms,
    formulas,
    grammar,
    intervals,
    metrics,
    polynomials,
    rationals,
    substitution,
    terms,
)
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.forms import NOTHING
from dpcompose.kernel.expressions.terms import INFINITY, ZERO, Term
from dpcompose.kernel.rules import metrics as in_metrics

MANY = 500
"""How many formulas are drawn."""
MORE = {"k": "integer >= 2", "m": "integer >= 1"}
FAMILIES = (
    *("sum(x[i], i, 1, k)", "max(x[i], i, 1, k)", "top(m, x[i], i, 1, k)", "2*sum(x[i]**2, i, 1, k) + e"),
    *(
        "sqrt(sum(x[i]**2, i, 1, k))",
        "sum(e*x[i], i, 1, k) - e",
        "max(x[i], i, 1, k)*k",
        "top(2, x[i], i, 1, k)",
    ),
    *("sum(exp(x[i]), i, 1, k)", "sum(x[i], i, 1, k)*sum(y[i], i, 1, k)", "sum(1 - (1 - x[i])**2, i, 1, k)"),
    *(
        "sum(x[i] + y[i], i, 1, k)",
        "max(x[i] - y[i], i, 1, k)",
        "prod(1 - x[i], i, 1, k)",
        "k**2 - k",
        "e*k/m",
    ),
)
"""Formulas in the members of families."""


@cache
def every() -> Sequence[Term]:
    """All formulas."""
    more = {name: terms.letter(name, Domain.read(of)) for name, of in MORE.items()}
    general = {one: terms.letter(one, Domain.read("nonnegative")) for one in ("x[i]", "y[i]")}
    symbols = drawn_formulas.SYMBOLS | more | general
    draw = random.Random(3)
    texts = [*FAMILIES, *(of_powers(draw) for _ in range(MANY // 5))]
    drawn = [one.term for one in drawn_formulas.drawn(7, MANY)]
    far = [one.term for one in drawn_formulas.drawn(8, MANY // 2, in_distances(symbols))]
    return tuple(dict.fromkeys([*drawn, *far, *(formulas.parse(text, symbols) for text in texts)]))


def in_distances(symbols: Mapping[str, Term]) -> dict[str, Term]:
    """Letters for two distances beside a few parameters."""
    return {name: metrics.letter(name) for name in ("d__A", "d__B")} | {name: symbols[name] for name in "cen"}


def of_powers(draw: random.Random) -> str:
    """A sum of powers of e."""
    some = [
        f"{draw.randint(-3, 5)}/{draw.randint(1, 2)}*exp({draw.randint(-2, 3)}*e + {draw.choice('01')}*q)"
        for _ in "123"
    ]
    return " + ".join(some[: draw.randint(1, 3)])


POINTS = [{name: some[n % len(some)] for name, some in AT.items()} for n in (1, 2, 7)]
"""Values of letters."""
BITS = 40


def other(term: Term) -> Term:
    """Another formula, the same one each time."""
    some = every()
    return some[(some.index(term) * 7 + 1) % len(some)]


def box(term: Term) -> dict[str, Domain]:
    """The letters of a formula."""
    return dict(term.letters)


def calculated(term: Term) -> Elementary:
    """A formula as an elementary function."""
    return values.of_term(term)


def back(f: Elementary, term: Term) -> Term:
    """An elementary function in the letters of a formula as one again."""
    return values.to_term(f, box(term) | box(other(term)))


def each_letter(term: Term, of: Callable[[str], Any]) -> list[Any]:
    """What is said of each letter of a formula."""
    return [of(name) for name in sorted(term.letters)]


def at_points(term: Term, of: Callable[[Mapping[str, Fraction]], Any]) -> list[str]:
    """What is said of a formula at points, or why not."""
    return [said(partial(of, point)) for point in POINTS]


def at_end(term: Term, name: str, end: str) -> Term:
    """The limit of a formula at one end of a letter."""
    return back(ranges.at_end(calculated(term), name, end, box(term)), term)


def seen(term: Term) -> Sequence[object]:
    """Which signs are seen of it."""
    form = forms.read(term)
    return [
        forms.term_sign(term),
        forms.is_nonnegative(form),
        forms.is_positive(form),
        term.positive,
        term.nonnegative,
    ]


ASKED: Mapping[str, Callable[[Term], Any]] = {
    "as text": lambda t: t,
    "expanded": substitution.expanded,
    "as a form": forms.read,
    "what its square is": forms.squared,
    "signs": seen,
    "what has to have a sign": lambda t: forms.missing_values([t]),
    "at its letters' ends": lambda t: forms.constants_joined(forms.read(t)),
    "the largest of three": lambda t: forms.largest([forms.read(x) for x in (t, other(t), ZERO)]),
    "in a product": lambda t: [t * other(t), t / other(t), forms.read(t * other(t))],
    "in a sum": lambda t: [t + other(t), t - other(t), forms.read(t) - forms.read(other(t))],
    "in a maximum": lambda t: [terms.top(2, [t, other(t), ZERO, -t]), terms.least(t, other(t), terms.ONE)],
    "raised": lambda t: [t**3, t**-2, t**terms.HALF, terms.power(t, other(t))],
    "another in place of a letter": lambda t: each_letter(
        t, lambda name: substitution.substituted(t, {name: other(t)})
    ),
    "with 0 and oo": lambda t: each_letter(
        t, lambda name: [said(partial(infinity.at, t, {name: x})) for x in (ZERO, INFINITY)]
    ),
    "at points": lambda t: at_points(t, lambda p: [formulas.evaluate(t, p), rationals.value(t, p)]),
    "at points exactly": lambda t: at_points(t, lambda p: formulas.at(t, p)),
    "enclosed": lambda t: at_points(t, lambda p: intervals.enclosure(formulas.at(t, p), BITS)),
    "the sign at points": lambda t: at_points(t, lambda p: intervals.sign(formulas.at(t, p))),
    "the largest constant": intervals.largest_constant,
    "metrics": lambda t: [
        metrics.is_metric(t),
        metrics.is_metric(t, is_letter),
        metrics.minimum(t),
        metrics.with_minimum(t),
    ],
    "whether it grows": lambda t: [metrics.grows(t), metrics.is_convex(t), metrics.is_positive_part(t)],
    "surely": lambda t: [values.surely(t, True), values.surely(t, False)],
    "as a function": lambda t: back(calculated(t), t),
    "derivatives": lambda t: each_letter(t, lambda name: back(elementary.derivative(calculated(t), name), t)),
    "cancelled": lambda t: back(elementary.cancelled(calculated(t) * calculated(other(t))), t),
    "what all summands share": lambda t: [back(f, t) for f in elementary.content(calculated(t))],
    "its logarithm": lambda t: back(elementary.log(calculated(t)), t),
    "its power": lambda t: [
        back(elementary.power(calculated(t), r), t) for r in (Fraction(1, 2), Fraction(-2))
    ],
    "the largest of functions": lambda t: back(elementary.largest(1, map(calculated, (t, other(t)))), t),
    "its range": lambda t: ranges.over(calculated(t), box(t), BITS),
    "where it is least": lambda t: ranges.ends(calculated(t), box(t)),
    "where it has no value": lambda t: ranges.undefined(calculated(t), box(t)),
    "signs from the ends": lambda t: ranges.nonnegative_by_signs(calculated(t), box(t)),
    "from the ends": lambda t: [back(f, t) for f in ranges.shifted(calculated(t), box(t))[:1]],
    "at the ends": lambda t: each_letter(
        t, lambda name: [said(partial(at_end, t, name, end)) for end in ("least", "greatest")]
    ),
    "plainly positive": lambda t: elementary.plainly_positive(calculated(t)),
    "of noise": lambda t: [noises.simplified(t), noises.simplified_quotient(t), noises.quotient(t)],
    "distributed": norms.distributed,
    "squares": lambda t: [squares.squares(t), squares.root(t), squares.square(t), squares.leading(t)],
    "sizes": lambda t: [squares.inside_of_size(t), list(squares.vectors(t))],
    "squares in metrics": lambda t: [in_metrics.square(t, NOTHING), in_metrics.of_squares(t**2, NOTHING)],
    "as powers of e": entries.read,
    "compared as such": lambda t: signs.is_at_least(entries.read(t), entries.read(other(t))),
    "peaks": lambda t: [list(polynomials.above(forms.read(t))), forms.read(t).size, forms.read(t).number],
}
"""What is asked."""


def is_letter(term: Term) -> bool:
    """Whether it is a letter, which stands for a distance."""
    return term.kind == "letter"


# as they are written

SIGNS = "+-*/()[],.0123456789 eckxi^=_\n"


@cache
def texts() -> Sequence[str]:
    """Formulas as they are written, and with a slip of the pen."""
    draw = random.Random(4)
    right = [one.text for one in drawn_formulas.drawn(9, MANY // 4)]
    right += [
        *FAMILIES,
        "x[1] + x[2]",
        "sum(x[i]**2, i, 1, 2)",
        "max(x[i], i, 1, n)",
        "2e1*e - 1e-3",
        "e^2",
        "ln(e)",
        "e e",
    ]
    found = list(right)
    for text in right * 2:
        at = draw.randrange(len(text) + 1)
        found.append(text[: at - draw.randrange(3)] + draw.choice(SIGNS) * draw.randrange(3) + text[at:])
    return tuple(dict.fromkeys(found))


MEMBERS = {"x": [terms.letter("e"), terms.letter("n")], "y": [ZERO, terms.ONE]}


def read(text: str, **more: Any) -> str:
    """A formula that is read, or its mistake with the place that is shown."""
    try:
        return formulas.to_text(formulas.parse(text, drawn_formulas.SYMBOLS, **more))
    except (grammar.FormulaError, terms.TermError) as error:
        return str(error)


def general(text: str) -> Any:
    """The same where families are known by their general members, and what has to hold for it to have a value."""
    more = {"x[i]": terms.letter("x[i]"), "k": terms.letter("k", Domain.read("integer >= 1"))}
    symbols = drawn_formulas.SYMBOLS | more
    return [formulas.parse(text, symbols), formulas.conditions(text, symbols), values.doubt(text, symbols)]


OF_TEXTS: Mapping[str, Callable[[str], Any]] = {
    "as read": read,
    "with members": lambda text: read(text, families=MEMBERS),
    "with an index": lambda text: formulas.parse(text, {"x[i]": terms.letter("x[i]")}, index="i"),
    "with general members": general,
    "its names": lambda text: [grammar.names(text), grammar.natural(text)],
}
"""What is asked of formulas as they are written."""


EVERY: Asked = {
    **{asked: (of, every) for asked, of in ASKED.items()},
    **{asked: (of, texts) for asked, of in OF_TEXTS.items()},
}
"""What is asked, and of what."""
