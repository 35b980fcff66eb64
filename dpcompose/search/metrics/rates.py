"""How fast formulas grow from 0 on: values at s = 0, and slopes to the right of it, also at kinks of maxima.

Where two points come together along a line, a quotient of distances comes near to that of their slopes.
"""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import HALF, INFINITY, ONE, ZERO, Term, TermError
from dpcompose.search.metrics.quotients import Quotients, powers_of

Rate = tuple[Term, Term]
"""The value of a formula at s = 0, and its slope there towards larger s."""


class NoRate(ValueError):
    """A slope is not known."""


@frozen(eq=False)
class Rates:
    """Slopes in a letter s that is at least 0, of formulas in the parameters of a setting."""

    quotients: Quotients
    s: str

    def of(self, term: Term) -> Rate:
        """The value and the slope of a formula.  Raises NoRate."""
        if self.s not in term.letters:
            return self.quotients.settled(term), ZERO
        if term.kind == "letter":
            return ZERO, ONE
        if term.kind == "power":
            return self._of_power(*term.parts)
        rates = [self.of(part) for part in term.parts]
        values, slopes = ([substitution.expanded(x) for x in some] for some in zip(*rates, strict=True))
        value = self.quotients.settled(substitution.made_of(term, values))
        if term.kind == "sum":
            return value, substitution.expanded(terms.add(slopes))
        if term.kind == "product":
            each = (terms.multiply([*values[:n], x, *values[n + 1 :]]) for n, x in enumerate(slopes))
            return value, substitution.expanded(terms.add(each))
        if term.kind == "exp":
            return value, substitution.expanded(value * slopes[0])
        if term.kind == "log" and self.quotients.is_positive(values[0]):
            return value, substitution.expanded(slopes[0] / values[0])
        if term.kind == "top" and term.of[0] == 1:
            return self._of_largest(list(zip(values, slopes, strict=True)))
        raise NoRate(term.kind)

    def _of_largest(self, rates: list[Rate]) -> Rate:
        """Of a maximum: the largest slope of those of the terms that are the largest at 0."""
        value = self.quotients.largest(value for value, _ in rates)
        if value not in [each for each, _ in rates]:
            raise NoRate("it is not known which is the largest")
        if not all(
            each == value or self.quotients.is_positive(substitution.expanded(value - each))
            for each, _ in rates
        ):
            raise NoRate("two may be equal")
        return value, self.quotients.largest(slope for each, slope in rates if each == value)

    def _of_power(self, base: Term, exponent: Term) -> Rate:
        value, slope = self.of(base)
        r = exponent.number
        if r is None:
            raise NoRate("a power that is no number")
        if self.quotients.is_positive(value) or (r.denominator == 1 and r >= 1):
            rest = ONE if r == 1 else terms.power(value, r - 1)
            return terms.power(value, r), substitution.expanded(terms.number(r) * rest * slope)
        if exponent.number == HALF and value == ZERO:
            squares = [self._of_square(summand) for summand in base.summands]
            return ZERO, terms.sqrt(terms.add(slope**2 for slope in squares))
        raise NoRate("a power of what may be 0")

    def _of_square(self, term: Term) -> Term:
        """The slope of g where a term is a square g², and g is 0 at 0."""
        whole = [factor.base_and_exponent for factor in term.factors]
        if any(exponent.number is None or exponent.number % 2 for _, exponent in whole if _.letters):
            raise NoRate("the root of what is no square")
        roots = (terms.power(base, terms.as_term(exponent) / 2) for base, exponent in whole)
        value, slope = self.of(terms.multiply(roots))
        if value != ZERO:
            raise NoRate("the root of what is not 0")
        return slope

    def quotient(self, moved: Term, over: Term) -> Term | None:
        """What moved/over comes near to as s falls to 0, ∞ where it grows without end; None where that is not
        known, or where not both fall to 0."""
        with suppress(NoRate, TermError):
            (x, rise), (y, run) = self.of(moved), self.of(over)
            return self.quotients.ratio(rise, run) if x == y == ZERO else None
        whole = self.quotients.ratio(moved, over)
        powers = {} if whole is None else powers_of(whole, self.s)
        lowest = min(powers, default=Fraction(1))
        if lowest == 0 or (lowest < 0 and self.quotients.is_positive(powers[lowest])):
            return powers[lowest] if lowest == 0 else INFINITY
        return None
