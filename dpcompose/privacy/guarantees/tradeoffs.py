"""Trade-off functions as they are written: a formula in alpha, G(mu), L(e), a product, a table of outcomes.

All but G(mu) and L(e), which are notions, become the largest of straight lines, each of them one (ε, δ).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcompose.kernel.core import lines
from dpcompose.kernel.core.lines import NoLines
from dpcompose.kernel.core.orders import ALPHA
from dpcompose.kernel.deciders.curves.tradeoffs import Table, Together
from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.terms import ONE, ZERO, Term
from dpcompose.privacy.guarantees.notions import FILE_KEYS, OF_LINES, Guarantee
from dpcompose.spaces.given import Neighbours, neighbours

Read = Callable[[str], "Term | None"]
"""What a formula in alpha means; None where it means nothing, which is told."""

NAMED = {"G": "gaussian", "L": "laplace"}
"""The notions of the functions of normal and of Laplace noise, by the letters of these."""
BITS = 256
"""With how many binary digits powers of e are told that are rational."""
IS_RATE = "alpha is a rate of false positives in trade-off functions; use another letter"
NOT_TOGETHER = (
    "this product is no function of these forms, and several steps of it are more than steps of its factors: "
    "products are of G(mu), of any number of max(0, 1 - d - alpha) and one other function, or of functions "
    "whose lines have rational numbers; two mechanisms that read the same say the same of one step"
)


def values(given: Any, read: Read) -> tuple[str, Term] | None:
    """The notion and the parameter of a trade-off function as it is written; None where that is told.

    given -- a formula in alpha, "G(mu)" or "L(e)"; a list of such, which are multiplied (⊗); or a table whose
    `outcomes` are pairs of probabilities of two distributions.  Raises ValueError.
    """
    if isinstance(given, Mapping):
        if given.keys() != {"outcomes"}:
            raise NoLines('two distributions are said by their outcomes: {"outcomes": [["1/2", "1/4"], ...]}')
        return "f-dp", function_of(_of_outcomes(given["outcomes"], read))
    if isinstance(given, str):
        named = re.fullmatch(r"\s*([GL])\s*\((.*)\)\s*", given)
        term = read(given if named is None else named[2])
        return None if term is None else ("f-dp" if named is None else NAMED[named[1]], term)
    if not isinstance(given, list | tuple):
        raise NoLines(
            f"a trade-off function is a formula in alpha, several of them or outcomes, not {given!r}"
        )
    every = [values(factor, read) for factor in given]
    return None if None in every else _product([factor for factor in every if factor is not None])


def function_of(some: tuple[tuple[Term, Term], ...]) -> Term:
    """The formula of some (ε, δ).

    >>> from dpcompose.kernel.expressions.formulas import to_text
    >>> to_text(function_of(((terms.log(terms.number(2)), ZERO),)))
    'max(1 - 2*alpha, 1/2 - alpha/2, 0)'
    """
    bounds = [ZERO]
    for epsilon, delta in some:
        c = terms.exp(epsilon)
        bounds += [ONE - delta - c * lines.RATE, (ONE - delta - lines.RATE) / c]
    return terms.top(1, [substitution.expanded(term) for term in bounds])


def _product(factors: Sequence[tuple[str, Term]]) -> tuple[str, Term]:
    """⊗: of G(mu) the root of the sum of squares; with a leak of δ each δ of the other; else tables."""
    if all(notion == "gaussian" for notion, _ in factors):
        return "gaussian", terms.sqrt(terms.add(mu**2 for _, mu in factors))
    if any(notion in NAMED.values() for notion, _ in factors):
        raise NoLines(NOT_TOGETHER)
    every = [lines.pairs(function) for _, function in factors]
    leaks = [curve[0][1] for curve in every if len(curve) == 1 and curve[0][0] == ZERO]
    rest = [curve for curve in every if not (len(curve) == 1 and curve[0][0] == ZERO)]
    if len(rest) > 1:
        table = Table({Fraction(1): Fraction(1)}, Fraction(0))
        for curve in rest:
            table = table.and_(_table(curve))
        rest = [_pairs(table)]
    stays = terms.multiply(ONE - leak for leak in leaks)
    pairs = rest[0] if rest else ((ZERO, ZERO),)
    return "f-dp", function_of(tuple((epsilon, ONE - stays * (ONE - delta)) for epsilon, delta in pairs))


def _table(pairs: Sequence[tuple[Term, Term]]) -> Table:
    """The outcomes of a function whose lines have rational numbers.  Raises NoLines."""
    for epsilon, delta in pairs:
        if delta.number is None or terms.exp(epsilon).number is None:
            raise NoLines(NOT_TOGETHER)
    return Together(tuple(pairs)).table(BITS, up=True)


def _of_outcomes(given: Sequence[Sequence[str]], read: Read) -> tuple[tuple[Term, Term], ...]:
    """The (ε, δ) of two distributions.  Raises NoLines."""
    numbers = [[term.number if (term := read(text)) is not None else None for text in pair] for pair in given]
    rows = [(p, q) for p, q in numbers if p is not None and q is not None]
    if len(rows) < len(numbers) or any(value < 0 for pair in rows for value in pair):
        raise NoLines("outcomes are pairs of probabilities, rational numbers of at least 0")
    if any(sum(column) != 1 for column in zip(*rows, strict=True)):
        raise NoLines("the probabilities of all outcomes add up to 1, in both distributions")
    masses: dict[Fraction, Fraction] = {}
    for p, q in rows:
        if p and q:
            masses[p / q] = masses.get(p / q, Fraction(0)) + p
    if len(masses) > MOST_OUTCOMES:
        raise NoLines(f"more than {MOST_OUTCOMES} outcomes with different ratios are not supported")
    return _pairs(Table(masses, sum((p for p, q in rows if not q), Fraction(0))))


MOST_OUTCOMES = 100
"""The most outcomes with different ratios of two distributions."""


def _pairs(table: Table) -> tuple[tuple[Term, Term], ...]:
    """The (ε, δ) at which the line of a table's curve turns, those with ε < 0 told in the other order."""
    deltas = dict[Fraction, Fraction]()
    for ratio in sorted({Fraction(1), *table.masses}):
        c = max(ratio, 1 / ratio)
        delta = sum((p * (1 - ratio / x) for x, p in table.masses.items() if x > ratio), table.infinite)
        delta = delta if ratio >= 1 else 1 - (1 - delta) / ratio
        deltas[c] = min(delta, deltas.get(c, delta))
    return tuple((terms.log(terms.number(c)), terms.number(delta)) for c, delta in deltas.items())


def at_once(stated: Guarantee) -> tuple[Guarantee, ...]:
    """A guarantee as what a mechanism is known by: of a trade-off function all its (ε, δ).

    >>> [*map(str, at_once(f_dp("max(0, 1 - d - 3*alpha, (1 - d - alpha)/3)")))]
    ['approximate (log(3), d)']
    """
    if stated.notion not in OF_LINES:
        return (stated,)
    ((_, function),) = stated.terms
    notion = OF_LINES[stated.notion]
    pairs = lines.pairs(function) or ((terms.INFINITY, ONE),)
    return tuple(
        Guarantee(notion, (("epsilon", epsilon), ("delta", delta)), stated.granularity, stated.domain)
        for epsilon, delta in pairs
    )


def as_one(several: Sequence[Guarantee]) -> Guarantee:
    """Several (ε, δ) as their trade-off function, for the neighbours of the first; one as it is.

    >>> three, half = ("log(3)", 0), (0, "1/2")
    >>> from dpcompose.privacy.guarantees.notions import approximate
    >>> print(as_one([approximate(*three), approximate(*half)]))
    f-dp (max(1 - 3*alpha, 1/2 - alpha, 1/3 - alpha/3, 0))
    """
    first, *others = several
    if not others:
        return first
    (notion,) = OF_LINES
    pairs = tuple((guarantee.terms[0][1], guarantee.terms[1][1]) for guarantee in several)
    return replace(first, notion=notion, terms=((FILE_KEYS[notion][0], function_of(pairs)),))


def f_dp(tradeoff: Any, granularity: Neighbours | None = None, domain: str | None = None) -> Guarantee:
    """f-DP: a test with the rate alpha of false positives has false negatives at a rate of at least f(alpha).

    tradeoff -- f: a formula in alpha, the largest of straight lines, as "max(0, 1 - d - exp(e)*alpha,
    exp(-e)*(1 - d - alpha))"; "G(mu)", which is Gaussian privacy, or "L(e)", that of Laplace noise of scale
    1/e on a value that moves by 1; a list of such, multiplied (⊗); or
    {"outcomes": [["1/2", "1/4"], ...]}, two distributions of which f is the trade-off function: a
    privacy-loss distribution; granularity, domain -- for which neighbours, as of `pure`, in both orders.
    Raises ValueError for other functions.  Dong, Roth, Su 2022.

    >>> str(f_dp("G(m)")), str(f_dp(["G(3)", "G(4)"]))
    ('gaussian (m)', 'gaussian (5)')
    >>> [*map(str, at_once(f_dp({"outcomes": [["3/4", "1/4"], ["1/4", "3/4"]]})))]
    ['approximate (log(3), 0)', 'approximate (0, 1/2)']
    """
    from dpcompose.language import formulas

    def read(text: str) -> Term:
        known = {name: terms.letter(name) for name in formulas.names(text)}
        return formulas.term(text, {**known, ALPHA: lines.RATE})

    def written(given: Any) -> Any:
        if isinstance(given, Mapping):
            return {key: written(entry) for key, entry in given.items()}
        return [*map(written, given)] if isinstance(given, list | tuple) else formulas.given_text(given)

    stated = values(written(tradeoff), read)
    assert stated is not None
    notion, value = stated
    about = None if granularity is None else neighbours(granularity)
    made = Guarantee(notion, ((FILE_KEYS[notion][0], value),), about, domain)
    at_once(made)
    return made
