"""Noise: what the formulas of a page say at the parameter of a mechanism's noise.

What the noise is, why it is private and in which norm stands on its page, whose head has the formulas:
the density of an output y at the value x of a query, the loss at x and z, and the guarantee of values one
unit apart.  Here they are read with the parameter in place of its letter.  A parameter fits where all that
the page guarantees has a value ≥ 0 for all allowed values of its own letters: so a scale is positive, and a
truth is told with probability 1/2 or more; below that the two answers may be exchanged.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from dpcompose.kernel.core.assumptions import NOTHING, Assumed
from dpcompose.kernel.deciders.calculus import exponentials, values
from dpcompose.kernel.deciders.calculus.exponentials import NotDecided
from dpcompose.kernel.deciders.tables import entries
from dpcompose.kernel.expressions import formulas, substitution, terms
from dpcompose.kernel.expressions.domains import REAL
from dpcompose.kernel.expressions.terms import ONE, ZERO, Term, letter
from dpcompose.kernel.library.releases import Noise

ENTRIES = {name: letter(name, REAL) for name in "acuvwxyz"}
"""y: an entry of the output; x, z: that entry of the query's value at D and at E; others: see the page."""
PI = letter("pi")
"""π as a letter: formulas have no name for it."""
NO_OTHERS: Mapping[str, Term] = {}


class Unfit(ValueError):
    """The parameter is none for this noise, or not for all allowed values; the message says of what."""


def value(law: Noise, parameter: Term, formula: str, others: Mapping[str, Term] | None = None) -> Term:
    """A formula in the letter of the noise, for its parameter; others -- what more letters in it mean."""
    return simplified(formulas.parse(formula, {law.parameter: parameter, **(others or {})}))


def simplified(term: Term) -> Term:
    """Logarithms of quotients of sums of powers of e, cancelled where that shows.

    >>> e = terms.exp(letter("e"))
    >>> p = e / (1 + e)
    >>> simplified(terms.log(p / (1 - p)))
    e
    """

    def change(term: Term) -> Term | None:
        if term.kind != "log" or not term.letters:
            return None
        try:
            found = entries.read(term.of[0])
            return exponentials.log_of(found) if found != 0 else None
        except (NotDecided, terms.TermError):
            return None
        except entries.NotExponential:
            over, under = quotient(term.of[0])
            return terms.log(over / under)

    return substitution.changed(term, change)


def guarantee(
    law: Noise,
    parameter: Term,
    notion: str,
    assumed: Assumed = NOTHING,
    others: Mapping[str, Term] = NO_OTHERS,
) -> dict[str, Term] | None:
    """The parameters of the guarantee for values one unit apart; None where the page states none.

    others -- what the page's other letters mean.  Raises Unfit.
    """
    stated = law.guarantee.get(notion)
    if stated is None:
        return None
    fitting = fit(law, parameter, assumed, others)
    return {key: value(law, fitting, text, others) for key, text in stated.items()}


def moved(
    law: Noise,
    parameter: Term,
    notion: str,
    r: Term,
    assumed: Assumed = NOTHING,
    others: Mapping[str, Term] = NO_OTHERS,
    closer: bool = False,
) -> dict[str, Term] | None:
    """The parameters where the value of a query, or one entry of it, moves by r; closer -- those besides.

    None where the page has none.  Raises Unfit.
    """
    stated = (law.closer if closer else law.moved).get(notion)
    if stated is None:
        return None
    fitting = fit(law, parameter, assumed, others)
    return {key: value(law, fitting, text, {**others, "r": r}) for key, text in stated.items()}


def fit(
    law: Noise, parameter: Term, assumed: Assumed = NOTHING, others: Mapping[str, Term] = NO_OTHERS
) -> Term:
    """The parameter, or 1 minus it for a noise on bits that is told apart by that only.  Raises Unfit.

    Of a bit told as it is with a probability below 1/2 the answers exchanged are the same noise.
    """
    reason = unfit(law, parameter, assumed, others)
    if reason is None:
        return parameter
    if parameter.number is not None and exchanges_bits(law) and unfit(law, 1 - parameter) is None:
        return 1 - parameter
    raise Unfit(reason)


def unfit(
    law: Noise, parameter: Term, assumed: Assumed = NOTHING, others: Mapping[str, Term] = NO_OTHERS
) -> str | None:
    """What the page says that has no value ≥ 0 with this parameter, in words; None where all has."""
    symbols = {name: others[name] for name in law.letters if name in others}
    if missing := [name for name in law.letters if name not in symbols]:
        return f"it is not said what {missing[0]} is"
    if any(term.kind == "oo" for term in (parameter, *symbols.values())):
        return "a parameter of noise is a finite number"
    symbols[law.parameter] = parameter
    for name, text in law.at_least.items():
        if not values.surely(symbols[name] - formulas.parse(text, symbols), False, assumed):
            return f"{formulas.to_text(symbols[name])} is not known to be at least {text}"
    for name in law.whole:
        if not formulas.is_whole(symbols[name]):
            return f"{name} is to be a whole number, and {formulas.to_text(symbols[name])} is not known to be"
    for notion, stated in law.guarantee.items():
        for key, text in stated.items():
            if text == "oo":
                continue
            try:
                for inside, condition in formulas.conditions(text, symbols):
                    if not values.has(simplified_quotient(inside), condition, assumed):
                        return f"{formulas.to_text(inside)} is not known to be {condition}"
                term = value(law, parameter, text, symbols)
            except (formulas.FormulaError, terms.TermError) as error:
                return str(getattr(error, "message", error))
            if key not in law.probabilities and not values.surely(term, False, assumed):
                return f"{key} = {formulas.to_text(term)} ({notion}) is not known to be at least 0"
    return None


def simplified_quotient(term: Term) -> Term:
    """A quotient of sums of powers of e, cancelled where that shows."""
    try:
        return exponentials.as_term(entries.read(term))
    except NotDecided:
        return term
    except entries.NotExponential:
        over, under = quotient(term)
        return over / under


def quotient(term: Term) -> tuple[Term, Term]:
    """A term as numerator and denominator, sums brought to one denominator: equal where that is not 0.

    >>> p = letter("e") / (1 + letter("e"))
    >>> [formulas.to_text(one) for one in quotient(1 - p)]
    ['1', 'e + 1']
    """
    if term.kind == "sum":
        parts = [quotient(part) for part in term.parts]
        under = _multiple([one for _, one in parts])
        return terms.add(substitution.expanded(over * (under / one)) for over, one in parts), under
    c, above, below = Fraction(1), [ONE], [ONE]
    for factor in term.factors:
        base, exponent = factor.base_and_exponent
        r = exponent.number
        if factor.number is not None:
            c *= factor.number
        elif r is None or r.denominator != 1:
            above.append(factor)
        else:
            over, under = quotient(base) if base.kind == "sum" else (base, ONE)
            over, under = (over, under) if r > 0 else (under, over)
            for part, there, sign in ((over, above, 1), (under, below, -1)):
                number, rest = terms.power(part, abs(r)).split
                c *= number**sign
                there.append(rest)
    return terms.multiply([terms.number(c.numerator), *above]), terms.multiply(
        [terms.number(c.denominator), *below]
    )


def _multiple(some: Sequence[Term]) -> Term:
    """A common multiple of denominators: each factor as often as in the one that has it most often."""
    whole, powers = 1, dict[Term, Fraction]()
    for term in some:
        for factor in term.factors:
            base, exponent = factor.base_and_exponent
            if factor.number is not None:
                whole = math.lcm(whole, int(factor.number))
            else:
                base, r = (base, exponent.number) if exponent.number is not None else (factor, Fraction(1))
                powers[base] = max(powers.get(base, Fraction(0)), r)
    return terms.multiply([terms.number(whole), *(terms.power(base, r) for base, r in powers.items())])


def exchanges_bits(law: Noise) -> bool:
    """Whether the page's noise tells bits, and the parameter p tells y as 1 − p tells 1 − y."""
    p = letter("p")
    bits = (ZERO, ONE)

    def density(parameter: Term, x: Term, y: Term) -> Term:
        letters = {**ENTRIES, "pi": PI, law.parameter: parameter, "x": x, "y": y}
        return substitution.expanded(formulas.parse(law.density, letters))

    try:
        return all(
            substitution.expanded(density(p, x, ZERO) + density(p, x, ONE)) == ONE
            and all(density(p, x, y) == density(1 - p, x, 1 - y) for y in bits)
            for x in bits
        )
    except (formulas.FormulaError, terms.TermError):
        return False
