"""Values: terms as elementary functions, whether they surely have a real value, and which sign it has."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache, reduce

from dpcompose.kernel.core import assumptions
from dpcompose.kernel.core.assumptions import Assumed
from dpcompose.kernel.deciders.calculus import ranges
from dpcompose.kernel.deciders.calculus.elementary import (
    Box,
    Elementary,
    Letter,
    NotElementary,
    constant,
    elementary,
    exp,
    inside,
    largest,
    log,
    parameter,
    power,
)
from dpcompose.kernel.deciders.families import members
from dpcompose.kernel.expressions import forms, formulas, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.terms import Term

MOST_PARAMETERS = 8
"""Up to how many letters the sign of a term is looked for by derivatives."""


@lru_cache(maxsize=4096)
def of_term(given: Term) -> Elementary:
    """The function that a term means.  Raises NotElementary."""
    kind, of = given.kind, given.of
    if kind == "number":
        return constant(of[0])
    if kind == "letter":
        return parameter(of[0], of[1].nonnegative)
    if kind in ("over", "oo"):
        raise NotElementary(f"{formulas.to_text(given)} is no function of parameters alone")
    parts = [of_term(part) for part in given.parts]
    if kind == "sum":
        return elementary(pair for part in parts for pair in part.terms)
    if kind == "product":
        return reduce(operator.mul, parts, constant(1))
    if kind == "top":
        return largest(of[0], parts)
    if kind in ("exp", "log"):
        return exp(parts[0]) if kind == "exp" else log(parts[0])
    exponent = parts[1].number
    return power(parts[0], exponent) if exponent is not None else exp(parts[1] * log(parts[0]))


def to_term(f: Elementary, box: Box) -> Term:
    """The function as a term."""
    return terms.add(
        terms.multiply([terms.number(c), *(terms.power(of_one(letter, box), r) for letter, r in term)])
        for term, c in f.terms
    )


def of_one(letter: Letter, box: Box) -> Term:
    """A letter as a term."""
    kind, of = letter
    if kind in "xy":
        return terms.letter(of, box[of])
    if kind == "p":
        return terms.number(of)
    within = [to_term(one, box) for one in inside(letter)]
    if kind == "m":
        return terms.top(of[0], within)
    return terms.exp(within[0]) if kind == "e" else terms.log(within[0]) if kind == "l" else within[0]


def goal(term: Term) -> tuple[Elementary, dict[str, Domain]]:
    """A term as a function, and the values that its letters may have.

    Raises NotElementary, and NotAForm where a name has two domains.
    """
    f = of_term(term)
    return f, {name: domain for name, domain in forms.domains_of([term]).items() if name in f.names}


@lru_cache(maxsize=4096)
def surely(term: Term, strictly: bool = True, assumed: Assumed = assumptions.NOTHING) -> bool:
    """Whether a term has a value that is > 0 (or ≥ 0: strictly = False) for all allowed letters.

    From signs, or by calculus, also with letters eliminated by assumptions; False where it is not seen.

    >>> e = terms.letter("e")
    >>> surely(terms.exp(e) - 1), surely(e - 1), surely(terms.log(terms.exp(e) - e))
    (True, False, True)
    """
    if _surely(term, strictly):
        return True
    if term.kind == "log" and assumed:  # ln t > 0 where 0 < 1/t < 1
        under = terms.power(term.of[0], -terms.ONE)
        if surely(under, True, assumed) and surely(1 - under, strictly, assumed):
            return True
    return any(_surely(letter.of(term), strictly) for letter in assumptions.in_other_letters(assumed, term))


def _surely(term: Term, strictly: bool) -> bool:
    if not all(has(one, relation) for one, relation in forms.missing_values([term])):
        return False
    if term.kind == "log":
        return surely(term.of[0] - 1, strictly)
    number = forms.term_sign(term)
    if number > 0 or (number == 0 and not strictly):
        return True
    if term.kind == "power" and surely(term.of[0]):
        return True
    if term.kind != "product" and term.has("over"):
        return any(surely(member, strictly) for member in _general_members(term, strictly))
    if term.kind == "product" and all(surely(part, strictly) for part in term.parts):
        return True
    never_negative = term.kind == "sum" and all(surely(part, strictly=False) for part in term.parts)
    if never_negative and (not strictly or any(map(surely, term.parts))):
        return True
    if len(term.letters) > MOST_PARAMETERS:
        return False
    try:
        f, box = goal(term)
        return ranges.surely_everywhere(f, box, strictly)
    except (NotElementary, forms.NotAForm):
        return False


def _general_members(term: Term, strictly: bool) -> Iterator[Term]:
    """What a term is a sum of, over all members of a family or over the largest of them."""
    for one in dict.fromkeys(term.every("over")):
        m, _, count = one.of
        with suppress(BadCertificate, forms.NotAForm):
            if not strictly or (m.positive and count.positive):
                yield forms.write(members.summed(forms.read(term), count, m))


def has(term: Term, relation: str, assumed: Assumed = assumptions.NOTHING) -> bool:
    """Whether a term is surely "> 0", ">= 0" or "!= 0"; False for another relation."""
    if relation == "!= 0":
        return surely(term, assumed=assumed) or surely(-term, assumed=assumed)
    return relation in ("> 0", ">= 0") and surely(term, relation == "> 0", assumed)


def doubt(
    text: str,
    symbols: Mapping[str, Term],
    index: str | None = None,
    assumed: Assumed = assumptions.NOTHING,
) -> str:
    """Why a formula may have no real value for some allowed letters; "" where it surely has one.

    Decided on the formula as it is written.

    >>> doubt("log(x) - log(x)", {"x": terms.letter("x", Domain.read("nonnegative"))})
    'x is not known to be > 0 for all allowed parameters'
    """
    if text.strip() == "oo":
        return ""
    asked = [
        *formulas.conditions(text, symbols, index),
        *forms.missing_values([formulas.parse(text, symbols, index=index)]),
    ]
    for term, relation in asked:
        if not has(term, relation, assumed):
            return f"{formulas.to_text(term)} is not known to be {relation} for all allowed parameters"
    return ""
