"""Elementary functions: sums of c·Π l^r, with rational c and r, in a normal form.

Letters l are parameters, powers of e, logarithms, sums under rational powers, and worst cases.
Exponentials of one exponent are joined, exp(a + b) = exp(a)·exp(b); logarithms of products are sums; what
all terms of a sum share is taken out of its powers and its logarithm.  So most identities are seen, and
derivatives and substitutions stay in the same form.  Everything is exact.  A form stands
for a function where all of its letters have a value, see `ranges.undefined`.

Letters, which are compared as tuples:

* ("x", name) -- a parameter that is never below 0, and ("y", name) any other one;
* ("p", p) -- a whole number ≥ 2 under a fractional power;
* ("e", term) -- exp of the product;
* ("l", terms) -- the logarithm of the sum;
* ("s", terms) -- the sum, under a power that is no natural number;
* ("m", (m, (terms, …))) -- the sum of the m largest of the sums.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from math import gcd, lcm
from typing import Any

from dpcompose.kernel.expressions.divisors import powers
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.keeping import frozen


class Letter(tuple[str, Any]):
    """(kind, of what), with its hash kept: letters lie in letters."""

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            self._hash = tuple.__hash__(self)
            return self._hash

    _hash: int


@lru_cache(maxsize=65_536)
def letter_of(kind: str, of: Any) -> Letter:
    """The letter of a kind; one object for equal ones, where few are in use."""
    return Letter((kind, of))


Term = tuple[tuple[Letter, Fraction], ...]
Terms = tuple[tuple[Term, Fraction], ...]
Box = Mapping[str, Domain]
"""The values that each parameter may take."""

NO_LETTERS: Term = ()
MOST_TERMS = 1_500
"""The most terms of a sum."""
MOST_POWER = 64
"""The highest whole power of a sum that is multiplied out."""
MOST_DEPTH = 24
"""How deep letters may lie in letters."""


class NotElementary(ValueError):
    """The expression is no such sum, or too large for one; the message says which."""


class NoValue(NotElementary):
    """There is no real value: a division by 0, or a root or logarithm of what is not positive."""


@frozen
class Elementary:
    """Σ c·Π l^r over `terms`, (((l, r), …), c), in a fixed order.

    >>> x = parameter("x")
    >>> (exp(x) + constant(1)) * (exp(x) - constant(1)) == exp(x + x) - constant(1)
    True
    """

    terms: Terms = ()

    def __init__(self, terms: Terms = ()) -> None:
        self.__dict__["terms"] = terms  # by hand: hundreds of thousands are made for a hard claim

    def __add__(self, other: Elementary) -> Elementary:
        if not self.terms or not other.terms:
            return self if self.terms else other
        return elementary((*self.terms, *other.terms))

    def __sub__(self, other: Elementary) -> Elementary:
        return self + other.scaled(Fraction(-1))

    def __mul__(self, other: Elementary) -> Elementary:
        if len(self.terms) * len(other.terms) > MOST_TERMS:
            raise NotElementary("a product has too many terms")
        total: list[tuple[Term, Fraction]] = []
        for s, c in self.terms:
            for t, d in other.terms:
                total += _joined((*s, *t), c * d).terms
        return elementary(total)

    def scaled(self, factor: Fraction) -> Elementary:
        """factor times the sum."""
        return Elementary(tuple((t, c * factor) for t, c in self.terms)) if factor else Elementary()

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self.terms)

    @cached_property
    def names(self) -> frozenset[str]:
        """The parameters that occur."""
        return frozenset(name for kind, name in every_letter(self) if kind in "xy")

    @property
    def letters(self) -> list[Letter]:
        """The letters of the terms, not those inside of others, in a fixed order."""
        return sorted({letter for term, _ in self.terms for letter, _ in term})

    @property
    def number(self) -> Fraction | None:
        """The rational number that this is; None where it is none."""
        if not self.terms:
            return Fraction(0)
        return self.terms[0][1] if len(self.terms) == 1 and self.terms[0][0] == NO_LETTERS else None


def elementary(terms: Iterable[tuple[Term, Fraction]]) -> Elementary:
    """The sum, with like terms added up."""
    total: dict[Term, Fraction] = {}
    for term, c in terms:
        before = total.get(term)
        total[term] = c if before is None else before + c
    if len(total) > MOST_TERMS:
        raise NotElementary("a sum has too many terms")
    return Elementary(tuple(sorted((term, c) for term, c in total.items() if c)))


def constant(c: Fraction | int) -> Elementary:
    """A rational number."""
    return Elementary(((NO_LETTERS, Fraction(c)),)) if c else Elementary()


def of_letter(letter: Letter, r: Fraction | int = 1) -> Elementary:
    """A letter to a power."""
    return Elementary(((((letter, _same(Fraction(r))),), ONE),))


ONE, WHOLE = Fraction(1), {n: Fraction(n) for n in range(-16, 17)}


def _same(r: Fraction) -> Fraction:
    """The power; of small whole ones one value each, which compare at once."""
    return WHOLE.get(r.numerator, r) if r.denominator == 1 else r


def parameter(name: str, nonnegative: bool = True) -> Elementary:
    """A parameter; nonnegative -- whether it is never below 0."""
    return of_letter(letter_of("x" if nonnegative else "y", name))


def every_letter(f: Elementary) -> Iterator[Letter]:
    """The letters, and those inside of them."""
    for letter in {letter for term, _ in f.terms for letter, _ in term}:
        yield letter
        for inner in inside(letter):
            yield from every_letter(inner)


def inside(letter: Letter) -> list[Elementary]:
    """The sums that a letter is made of."""
    kind, of = letter
    if kind == "e":
        return [Elementary(((of, Fraction(1)),))]
    if kind == "m":
        return [Elementary(terms) for terms in of[1]]
    return [Elementary(of)] if kind in "ls" else []


def _joined(pairs: Iterable[tuple[Letter, Fraction]], c: Fraction) -> Elementary:
    """c times a product of letters: equal ones joined, whole powers of numbers and sums multiplied out."""
    powers: dict[Letter, Fraction] = {}
    for letter, r in pairs:
        before = powers.get(letter)
        powers[letter] = r if before is None else _same(before + r)
    sums = []
    for letter, r in list(powers.items()):
        kind, of = letter
        if kind == "p" and (whole := r.numerator // r.denominator):
            c *= Fraction(of) ** whole
            powers[letter] = r - whole
        elif kind == "s" and r >= 1:
            whole = r.numerator // r.denominator
            sums.append(_whole_power(Elementary(of), whole))
            powers[letter] = r - whole
    term = tuple(sorted((letter, r) for letter, r in powers.items() if r))
    total = Elementary(((term, c),))
    for one in sums:
        total = total * one
    return total


def _whole_power(f: Elementary, n: int) -> Elementary:
    if n > MOST_POWER:
        raise NotElementary("a power is too high to be multiplied out")
    return reduce(operator.mul, [f] * n, constant(1))


def plainly_positive(f: Elementary) -> bool:
    """Whether every term is positive by what its letters are, where parameters of kind x are.

    >>> plainly_positive(exp(parameter("x")) + constant(1)), plainly_positive(parameter("x") - constant(1))
    (True, False)
    """
    return bool(f.terms) and all(c > 0 and all(map(_is_plain, term)) for term, c in f.terms)


def _is_plain(pair: tuple[Letter, Fraction]) -> bool:
    (kind, of), r = pair
    if kind == "s":
        return r.denominator != 1 or plainly_positive(Elementary(of))
    return kind in "xpe" or (r.denominator == 1 and r.numerator % 2 == 0)


def power(f: Elementary, r: Fraction) -> Elementary:
    """f to a rational power.  Raises NoValue where it surely has none.

    >>> x = parameter("x")
    >>> power(x * x, Fraction(1, 2)) == x, power(exp(x), Fraction(-1)) * exp(x) == constant(1)
    (True, True)
    """
    if r == 0:
        return constant(1)
    if not f.terms:
        if r < 0:
            raise NoValue("0 to a negative power has no real value")
        return f
    if len(f.terms) == 1:
        return _term_power(*f.terms[0], r)
    if r.denominator == 1 and r > 0:
        return _whole_power(f, int(r))
    common, rest = content(f)
    (term, c), inner = common.terms[0], rest
    if r.denominator == 1 and inner.terms[0][1] < 0:
        c, inner = -c, inner.scaled(Fraction(-1))
    return _term_power(term, c, r) * _joined([(letter_of("s", inner.terms), r)], Fraction(1))


def _term_power(term: Term, c: Fraction, r: Fraction) -> Elementary:
    """(c·Π l^q)^r, taken apart where the letters are positive."""
    if r.denominator == 1:
        return _joined(((letter, q * r) for letter, q in term), c ** int(r))
    plain = [(letter, q * r) for letter, q in term if _is_plain((letter, q)) and letter[0] in "xpes"]
    rest = tuple((letter, q) for letter, q in term if not (_is_plain((letter, q)) and letter[0] in "xpes"))
    number = constant(1)
    if rest:
        plain.append((letter_of("s", ((rest, Fraction(1 if c > 0 else -1)),)), r))
    elif c < 0:
        raise NoValue("a fractional power of a negative number has no real value")
    for p, n in powers(abs(c)):
        number = number * _joined([(letter_of("p", p), n * r)], Fraction(1))
    return _joined(plain, Fraction(1)) * number


def content(f: Elementary) -> tuple[Elementary, Elementary]:
    """f = c·t·g: a positive number times a product of parameters ≥ 0 and exponentials, and the rest.

    >>> x = parameter("x")
    >>> [len(part.terms) for part in content(x * x + x.scaled(Fraction(2)))]
    [1, 2]
    """
    shared = tuple((letter, r) for letter, r in least_powers(f) if letter[0] in "xe")
    c = Fraction(gcd(*(c.numerator for _, c in f.terms)), lcm(*(c.denominator for _, c in f.terms)))
    return Elementary(((shared, c),)), divided_by_term(f, shared).scaled(1 / c)


def least_powers(f: Elementary) -> Term:
    """The product of what all terms share: each letter with its least power, 0 where a term lacks it."""
    powers = [dict(term) for term, _ in f.terms]
    least = ((letter, min(values.get(letter, Fraction(0)) for values in powers)) for letter in f.letters)
    return tuple((letter, r) for letter, r in least if r)


def exp(f: Elementary) -> Elementary:
    """e^f; that of a multiple of a logarithm is a power.

    >>> x = parameter("x")
    >>> exp(log(x).scaled(Fraction(1, 2))) == power(x, Fraction(1, 2))
    True
    """
    result = constant(1)
    for term, c in f.terms:
        if len(term) == 1 and term[0][0][0] == "l" and term[0][1] == 1:
            result = result * power(Elementary(term[0][0][1]), c)
        else:
            result = result * of_letter(letter_of("e", term), c)
    return result


def log(f: Elementary) -> Elementary:
    """The natural logarithm, of a product as a sum.  Raises NoValue where it surely has none.

    >>> x = parameter("x")
    >>> log(x * exp(x)) == log(x) + x
    True
    """
    if not f.terms or (f.number is not None and f.number <= 0):
        raise NoValue("the logarithm of what is not positive has no real value")
    common, rest = content(f) if len(f.terms) > 1 else (f, constant(1))
    (term, c) = common.terms[0]
    total, others = Elementary(), []
    for letter, r in term:
        kind, of = letter
        if not (_is_plain((letter, r)) and kind in "xpes"):
            others.append((letter, r))
        elif kind == "e":
            total = total + Elementary(((of, r),))
        else:
            within = of if kind == "s" else of_number(of) if kind == "p" else of_letter(letter).terms
            total = total + of_letter(letter_of("l", within)).scaled(r)
    for p, n in powers(abs(c)):
        total = total + of_letter(letter_of("l", of_number(p))).scaled(Fraction(n))
    if others or c < 0:
        total = total + of_letter(letter_of("l", ((tuple(others), Fraction(1 if c > 0 else -1)),)))
    return total if rest == constant(1) else total + of_letter(letter_of("l", rest.terms))


def of_number(n: int) -> Terms:
    """The terms of a whole number."""
    return constant(n).terms


def largest(m: int, of: Iterable[Elementary]) -> Elementary:
    """The sum of the m largest; what all terms share, and is never negative, is a factor of it.

    >>> x, y = parameter("x"), parameter("y")
    >>> largest(1, [x * x, x * y]) == x * largest(1, [x, y])
    True
    """
    members = list(of)
    if m == 1:
        members = list(dict.fromkeys(members))
    if len(members) <= m or not any(member.terms for member in members):
        return sum(members[:m], Elementary())
    every = Elementary(tuple(item for member in members for item in member.terms))
    shared = tuple(pair for pair in least_powers(every) if pair[0][0] in "xes" and _is_plain(pair))
    c = Fraction(gcd(*(c.numerator for _, c in every.terms)), lcm(*(c.denominator for _, c in every.terms)))
    terms = sorted(divided_by_term(member, shared).scaled(1 / c).terms for member in members)
    return Elementary(((shared, c),)) * of_letter(letter_of("m", (m, tuple(terms))))


def mapped(f: Elementary, change: Callable[[Letter], Elementary | None]) -> Elementary:
    """f with letters replaced, in others too: where `change` is None, what is in a letter may change."""
    return _mapped(f, change, {}, 0)


def _mapped(
    f: Elementary, change: Callable[[Letter], Elementary | None], known: dict[Letter, Elementary], depth: int
) -> Elementary:
    if depth > MOST_DEPTH:
        raise NotElementary("letters lie too deep in one another")
    total: list[tuple[Term, Fraction]] = []
    for term, c in f.terms:
        product = constant(c)
        for letter, r in term:
            if letter not in known:
                replaced = change(letter)
                if replaced is None:
                    within = [_mapped(one, change, known, depth + 1) for one in inside(letter)]
                    replaced = made_of(letter, within)
                known[letter] = replaced
            product = product * power(known[letter], r)
        total += product.terms
    return elementary(total)


def made_of(letter: Letter, within: list[Elementary]) -> Elementary:
    """The letter with other sums in it."""
    kind, of = letter
    if kind == "e":
        return exp(within[0])
    if kind == "l":
        return log(within[0])
    if kind == "s":
        return within[0]
    return (
        largest(of[0], within)
        if kind == "m"
        else power(constant(of), Fraction(1))
        if kind == "p"
        else of_letter(letter)
    )


def substituted(f: Elementary, name: str, value: Elementary) -> Elementary:
    """f with a value in place of a parameter.  Raises NoValue where a letter has none there.

    >>> substituted(exp(parameter("x")), "x", constant(0)) == constant(1)
    True
    """
    return mapped(f, lambda letter: value if letter[0] in "xy" and letter[1] == name else None)


def replaced(f: Elementary, old: Letter, new: Elementary) -> Elementary:
    """f with a sum in place of a letter."""
    return mapped(f, lambda letter: new if letter == old else None)


def derivative(f: Elementary, name: str) -> Elementary:
    """The derivative by a parameter.  Raises NotElementary for a worst case.

    >>> x = parameter("x")
    >>> derivative(x * log(x), "x") == log(x) + constant(1)
    True
    """
    total: list[tuple[Term, Fraction]] = []
    for term, c in f.terms:
        for letter, r in term:
            total += (Elementary(((term, c * r),)) * _logarithmic(letter, name)).terms
    return cancelled(elementary(total))


def cancelled(f: Elementary) -> Elementary:
    """f where quotients by a sum, whose numerators add up to a multiple of it, are divided out.

    >>> x = parameter("x")
    >>> s = power(constant(1) + x, Fraction(-1))
    >>> cancelled(s + x * s) == constant(1)
    True
    """
    for letter, r in sorted(
        {pair for term, _ in f.terms for pair in term if pair[0][0] == "s" and pair[1] < 0}
    ):
        inside, others = Elementary(letter[1]), []
        numerator = []
        for term, c in f.terms:
            if (letter, r) in term:
                numerator.append((tuple(pair for pair in term if pair[0] != letter), c))
            else:
                others.append((term, c))
        if len(numerator) < 2 or len(numerator) != len(inside.terms):
            continue
        above = elementary(numerator)
        (t, c), (first, d) = above.terms[0], inside.terms[0]
        factor = _joined((*t, *((one, -q) for one, q in first)), c / d)
        if inside * factor == above:
            f = elementary(others) + factor * of_letter(letter, r + 1)
    return f


@lru_cache(maxsize=4096)
def _logarithmic(letter: Letter, name: str) -> Elementary:
    """l'/l."""
    kind, of = letter
    if kind in "xy":
        return of_letter(letter, -1) if of == name else Elementary()
    if kind == "p" or name not in of_letter(letter).names:
        return Elementary()
    if kind == "m":
        raise NotElementary("a worst case has no derivative")
    within = inside(letter)[0]
    change = derivative(within, name)
    if kind == "e":
        return change
    ratio = change * power(within, Fraction(-1))
    return ratio if kind == "s" else ratio * of_letter(letter, -1)


def divided_by_term(f: Elementary, term: Term) -> Elementary:
    """f / Π l^r."""
    inverse = tuple((letter, -r) for letter, r in term)
    return elementary(item for one, c in f.terms for item in _joined((*one, *inverse), c).terms)
