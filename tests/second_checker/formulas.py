"""The δ of a curve as a formula: of guarantees that move by one step, and of choices that are alike.

Of guarantees (optimal-composition.md): the outcomes say how many of those that are alike lose −ε in place of ε.
Of k choices with losses in intervals of length η (exponential-curve.md, 6): both losses of all of them are
t and t − η, and the event is that at most l of them are the smaller one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, factorial

from second_checker.algebra import Algebra
from second_checker.forms import ZERO, Form, add, minus, number, rational, scale
from second_checker.outcomes import NotRead

MOST, CHOICES = 32, 8
Sign = Callable[[Form], int]
ONE = number(1)


@dataclass(frozen=True)
class Alike:
    """So many mechanisms with one guarantee that move by one step."""

    epsilon: Form
    delta: Form
    count: Form


@dataclass(frozen=True)
class Delta:
    """The δ at an ε, and whether it is larger at every smaller ε."""

    value: Form
    falls: bool


def of_guarantees(algebra: Algebra, every: list[Alike], epsilon: Form) -> Delta:
    """1 − s + s·Σ max(0, P(o) − e^ε·Q(o)): what loses more than ε for certain is added, the rest by its maximum."""
    kept = ONE
    for one in every:
        least = one.delta
        if algebra.sign(minus(ONE, one.delta)) < 1:
            least = scale(algebra.top(1, [scale(one.delta, -1), number(-1)]), -1)
        kept = algebra.times(kept, raised(algebra, minus(ONE, least), one.count))
    total, falls = ZERO, False
    for ways, loss, p in outcomes(algebra, every, epsilon):
        beyond = minus(loss, epsilon)
        sign = algebra.sign(beyond)
        excess = algebra.times(ways, algebra.times(p, minus(ONE, algebra.exp(scale(beyond, -1)))))
        falls |= sign >= 1
        if sign >= 1:
            total = add(total, excess)
        elif sign == 0:
            total = add(total, algebra.top(1, [ZERO, excess]))
    return Delta(add(minus(ONE, kept), algebra.times(kept, total)), falls and algebra.sign(kept) == 2)


def raised(algebra: Algebra, x: Form, count: Form) -> Form:
    """x^count; 1 is so for a count that is a letter, too."""
    whole = rational(count)
    if x == ONE:
        return ONE
    return algebra.power(x, whole) if whole is not None else algebra.exp(algebra.times(count, algebra.log(x)))


def outcomes(algebra: Algebra, every: list[Alike], epsilon: Form) -> Iterator[tuple[Form, Form, Form]]:
    """How many ways there are to an outcome, its loss, and the probability of each of them at the first database."""
    numbers = [rational(one.count) for one in every]
    if None in numbers and len(every) > 1:
        raise NotRead("curve", "of a number of mechanisms that is a letter, beside others")
    limits = [range(int(n) + 1) if n is not None else range(CHOICES + 1) for n in numbers]
    size = 1
    for limit in limits:
        size *= len(limit)
    if size > MOST:
        raise NotRead("curve", "as a formula of too many terms")
    for below in product(*limits):
        ways, loss, p = ONE, ZERO, ONE
        for one, whole, j in zip(every, numbers, below, strict=True):
            more = minus(one.count, number(j))
            ways = algebra.times(
                ways, number(comb(int(whole), j)) if whole is not None else chosen(algebra, one, j)
            )
            loss = add(loss, algebra.times(minus(more, number(j)), one.epsilon))
            up = algebra.exp(algebra.times(more, one.epsilon))
            all_ways = algebra.exp(
                algebra.times(scale(one.count, -1), algebra.log(add(ONE, algebra.exp(one.epsilon))))
            )
            if whole is not None:
                all_ways = algebra.power(add(ONE, algebra.exp(one.epsilon)), -whole)
            p = algebra.times(p, algebra.times(up, all_ways))
        if None in numbers and algebra.sign(minus(epsilon, loss)) >= 1:
            return  # of a number that is a letter losses fall from here on
        yield ways, loss, p
    if None in numbers:
        raise NotRead("curve", "of which it is not seen where the losses end")


def chosen(algebra: Algebra, one: Alike, j: int) -> Form:
    """k(k − 1)…(k − j + 1)/j!, which is 0 for a whole k below j."""
    found = number(Fraction(1, factorial(j)))
    for i in range(j):
        found = algebra.times(found, minus(one.count, number(i)))
    return found


def of_choices(algebra: Algebra, eta: Form, k: int, epsilon: Form, sign: Sign) -> list[Form]:
    """The f_l(t_l) for the l of which t_l is below η; their largest is δ, or 0 if there is none.  0 ≤ ε."""
    if sign(epsilon) < 1 or k > CHOICES:
        raise NotRead("curve", "of very many choices, or at an epsilon that may be below 0")
    whole = algebra.power(minus(ONE, algebra.exp(scale(eta, -1))), Fraction(-1))
    found = []
    for l in range(k):
        side = sign(minus(scale(eta, k - l), epsilon))
        if not side:
            raise NotRead("curve", "of choices, where an epsilon may be a sum of losses")
        if side < 0:
            continue
        t = scale(add(epsilon, scale(eta, l + 1)), Fraction(1, k + 1))
        p = algebra.times(minus(ONE, algebra.exp(minus(t, eta))), whole)
        total = ZERO
        for j in range(l + 1):
            rest = add(epsilon, scale(t, -k), scale(eta, j))
            chance = algebra.times(
                algebra.power(p, Fraction(k - j)), algebra.power(minus(ONE, p), Fraction(j))
            )
            total = add(total, scale(algebra.times(chance, minus(ONE, algebra.exp(rest))), comb(k, j)))
        found.append(total)
    return found


__all__ = ["Alike", "Delta", "of_choices", "of_guarantees"]
