"""Trade-off functions as formulas: the largest of straight lines in alpha, each of them one (ε, δ).

alpha is the rate of false positives of a test, f(alpha) the least rate of false negatives.  A line
1 − δ − e^ε·alpha below it says (ε, δ) in one order of the two databases, and e^(−ε)·(1 − δ − alpha) the
same in the other one; so f is below all trade-off functions if and only if all its (ε, δ) hold.  The proof
is on the page trade-off of theorems/lemmas/.
"""

from __future__ import annotations

from fractions import Fraction

from dpcompose.kernel.core.orders import ALPHA
from dpcompose.kernel.expressions import formulas, substitution, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.intervals import NoEnclosure, sign
from dpcompose.kernel.expressions.terms import ONE, ZERO, Term

RATE = terms.letter(ALPHA, Domain(Fraction(0), False, Fraction(1), False))
"""The letter for a rate of false positives."""


class NoLines(ValueError):
    """A formula is no largest of straight lines that can be told; the message says why."""


def pairs(function: Term) -> tuple[tuple[Term, Term], ...]:
    """The (ε, δ) of a trade-off function, ε ≥ 0, each once.  Raises NoLines.

    >>> e, d = terms.letter("e", Domain(Fraction(0), True)), terms.letter("d")
    >>> letters, text = {"e": e, "d": d, ALPHA: RATE}, "max(0, 1 - d - exp(e)*alpha, exp(-e)*(1 - d - alpha))"
    >>> f = formulas.parse(text, letters)
    >>> [tuple(map(formulas.to_text, pair)) for pair in pairs(f)]
    [('e', 'd')]
    """
    if function.kind == "oo":
        raise NoLines("a trade-off function is finite")
    largest = function.kind == "top" and function.of[0] == 1
    lines: dict[tuple[Term, Term], None] = {}
    for line in function.parts if largest else [function]:
        start = substitution.substituted(line, {ALPHA: ZERO})
        fall = substitution.expanded((start - line) / RATE)
        if ALPHA in fall.letters or ALPHA in start.letters:
            raise NoLines(f"{formulas.to_text(line)} is no straight line in {ALPHA}")
        if fall == ZERO:
            if _sign(start) not in (0, -1):
                raise NoLines(f"{formulas.to_text(start)} is more than 1 - {ALPHA} at 1")
        else:
            lines[_pair(start, fall)] = None
    return tuple(lines)


def _pair(start: Term, fall: Term) -> tuple[Term, Term]:
    """(ε, δ) of the line start − fall·alpha, told in the other order where fall < 1."""
    try:
        epsilon = terms.log(fall)
    except ValueError as error:
        raise NoLines(f"a line that falls by {formulas.to_text(fall)}: {error}") from None
    if _sign(epsilon) in (0, 1):
        return epsilon, substitution.expanded(ONE - start)
    if _sign(epsilon) == -1:
        return terms.log(ONE / fall), substitution.expanded(ONE - start / fall)
    raise NoLines(f"it is not known whether a line that falls by {formulas.to_text(fall)} is steeper than 1")


def _sign(x: Term) -> int | None:
    """1, 0 or −1 where that is seen, of what may be 0 as well; else None."""
    if x == ZERO:
        return 0
    if x.nonnegative:
        return 1
    if (-x).nonnegative:
        return -1
    try:
        return None if x.letters else sign(x)
    except NoEnclosure:
        return None
