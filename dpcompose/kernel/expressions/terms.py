"""Terms: the one expression tree, formulas of real numbers and parameters in a normal form.

A term is a number, a letter with its domain, a sum, a product, a power, exp, log, the sum of the m largest
of some terms, the same over a family, or ∞.  The constructors below are the only makers: they flatten and
sort sums and products, add like terms, join equal bases, and take roots of non-negative factors, each by
an identity that holds for all values of letters for which both sides have one.  Equal terms compare equal.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from dpcompose.kernel.expressions import naming, signs
from dpcompose.kernel.expressions.divisors import taken_out
from dpcompose.kernel.expressions.domains import POSITIVE, Domain
from dpcompose.kernel.expressions.keeping import kept
from dpcompose.kernel.expressions.refusals import MOST_BITS
from dpcompose.kernel.expressions.refusals import TermError as TermError
from dpcompose.kernel.expressions.refusals import TooLarge as TooLarge

RANK = {"number": 0, "letter": 1, "power": 2, "exp": 3, "log": 4, "product": 5, "sum": 6, "top": 7, "over": 8}


class Term:
    """One node of the tree; made by the functions of this file, never changed, compared by value.

    kind -- a word of RANK, or "oo"; of -- what it is made of: a Fraction; a name and its domain; terms; for
    "top" the number m and then terms.
    """

    __slots__ = ("__dict__", "_hash", "kind", "of")
    _hash: int
    kind: str
    of: tuple[Any, ...]

    def __init__(self, kind: str, of: tuple[Any, ...]) -> None:
        _set_kind(self, kind)
        _set_of(self, of)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("terms do not change")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Term) or self.kind != other.kind:
            return False
        try:
            alike = self._hash == other._hash
        except AttributeError:  # of one of them it is not known yet
            alike = hash(self) == hash(other)
        return alike and bool(self.of == other.of)

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:  # most terms are parts of others, and never looked for
            of = self.of[0].as_integer_ratio() if self.kind == "number" else self.of
            _set_hash(self, hash((self.kind, of)))
            return self._hash

    @kept
    def key(self) -> tuple[Any, ...]:
        """Where the term stands among others: numbers, letters by name, then what is made of them."""
        if self.kind in ("number", "letter"):
            return (RANK[self.kind], self.of[0])
        parts = tuple(one.key if isinstance(one, Term) else (0, Fraction(one)) for one in self.of)
        return (RANK.get(self.kind, 9), len(parts), parts)

    @property
    def parts(self) -> tuple[Term, ...]:
        """The terms that it is made of."""
        of_none = self.kind in ("number", "letter", "oo")
        return () if of_none else self.of[1:] if self.kind == "top" else self.of

    @kept
    def letters(self) -> Mapping[str, Domain]:
        """The letters that occur, with their domains."""
        if self.kind == "letter":
            return {self.of[0]: self.of[1]}
        return {name: domain for part in self.parts for name, domain in part.letters.items()}

    @property
    def number(self) -> Fraction | None:
        """The rational number that the term is; None where it is another term."""
        return self.of[0] if self.kind == "number" else None

    @kept
    def nonnegative(self) -> bool:
        """Whether the term is seen to be ≥ 0 wherever it has a value, from the signs of its parts."""
        return self.positive or signs.is_seen(self, False)

    @kept
    def positive(self) -> bool:
        """Whether the term is seen to be > 0 wherever it has a value, from the signs of its parts."""
        return signs.is_seen(self, True)

    def __add__(self, other: Term | int | Fraction) -> Term:
        return add([self, as_term(other)])

    def __sub__(self, other: Term | int | Fraction) -> Term:
        return add([self, -as_term(other)])

    def __mul__(self, other: Term | int | Fraction) -> Term:
        return multiply([self, as_term(other)])

    def __truediv__(self, other: Term | int | Fraction) -> Term:
        return multiply([self, power(as_term(other), Fraction(-1))])

    def __pow__(self, exponent: Term | int | Fraction) -> Term:
        return power(self, exponent)

    def __neg__(self) -> Term:
        return multiply((MINUS_ONE, self))

    __radd__, __rmul__ = __add__, __mul__

    def __rtruediv__(self, other: int | Fraction) -> Term:
        return as_term(other) / self

    def __rsub__(self, other: int | Fraction) -> Term:
        return as_term(other) - self

    @kept
    def split(self) -> tuple[Fraction, Term]:
        """The number in front, and the rest: (2/3, x·y) for 2·x·y/3."""
        if self.kind == "number":
            return self.of[0], ONE
        if self.kind == "product" and self.of[0].kind == "number":
            rest = self.of[1:]
            return self.of[0].of[0], rest[0] if len(rest) == 1 else Term("product", rest)
        return SINGLE, self

    @property
    def summands(self) -> tuple[Term, ...]:
        """The terms that it is a sum of; a term that is no sum is its only one."""
        return self.of if self.kind == "sum" else (self,)

    @property
    def factors(self) -> tuple[Term, ...]:
        """The terms that it is a product of."""
        return self.of if self.kind == "product" else (self,)

    @property
    def base_and_exponent(self) -> tuple[Term, Term]:
        """x and y where the term is x**y; e^y counts as the exponential of y, and others have exponent 1."""
        return self.of if self.kind == "power" else (self, ONE)

    def has(self, kind: str) -> bool:
        """Whether a part, at any depth, is of a kind."""
        return self.kind == kind or any(part.has(kind) for part in self.parts)

    def every(self, kind: str) -> Iterator[Term]:
        """The parts of a kind, at any depth."""
        if self.kind == kind:
            yield self
        for part in self.parts:
            yield from part.every(kind)

    def __repr__(self) -> str:
        """The tree in prefix notation; `formulas.to_text` writes it as a formula."""
        if self.kind in ("number", "letter"):
            return str(self.of[0])
        return f"({' '.join([self.kind, *map(str, self.of)])})" if self.of else self.kind


_KEY = operator.attrgetter("key")
_set_kind, _set_of, _set_hash = (vars(Term)[name].__set__ for name in ("kind", "of", "_hash"))


def number(value: int | Fraction) -> Term:
    """A rational number.  Raises TooLarge beyond 10^1000."""
    exact = value if type(value) in (int, Fraction) else Fraction(value)
    n, d = exact.as_integer_ratio()
    if d == 1 and n in _WHOLE:
        return _WHOLE[n]
    if n.bit_length() > MOST_BITS or d.bit_length() > MOST_BITS:
        raise TooLarge
    return Term("number", (Fraction(exact) if type(exact) is int else exact,))


_WHOLE = {n: Term("number", (Fraction(n),)) for n in range(-16, 65)}
"""Numbers that occur again and again: each is one term."""
ZERO, ONE, MINUS_ONE = number(0), number(1), number(-1)
HALF, SINGLE = Fraction(1, 2), ONE.of[0]
INFINITY = Term("oo", ())


def as_term(value: Term | int | Fraction) -> Term:
    """The term itself, or that of a number."""
    return value if isinstance(value, Term) else number(value)


def letter(name: str, domain: Domain = POSITIVE) -> Term:
    """A parameter with the values it may take.

    >>> letter("e") + letter("e"), letter("x") * 0
    ((product 2 e), 0)
    """
    return Term("letter", (name, domain))


def add(terms: Iterable[Term]) -> Term:
    """The sum; ∞ where one of the terms is."""
    alike: dict[Term, tuple[Fraction, Term | None]] = {}  # each with its factor, and the only summand with it
    for term in terms:
        if term.kind == "oo":
            return INFINITY
        for summand in term.summands:
            c, rest = summand.split
            before = alike.get(rest)
            alike[rest] = (c, summand) if before is None else (before[0] + c, None)
    found = [alone or _times(c, rest) for rest, (c, alone) in alike.items() if c is SINGLE or c]
    if len(found) <= 1:
        return found[0] if found else ZERO
    return Term("sum", tuple(sorted(found, key=_KEY)))


def _times(c: Fraction, rest: Term) -> Term:
    """c·rest, where rest has no number in front."""
    if c is SINGLE or c == 1:
        return rest
    if rest.kind == "number":
        return number(c)
    return Term("product", (number(c), *rest.factors))


def _scaled(c: Fraction, term: Term) -> Term:
    """c·term: a number is multiplied into a sum that it stands before.  Raises TooLarge."""
    if c is SINGLE or c == 1 or not c:
        return term if c else ZERO
    if term.kind == "sum":
        number(c)
        return Term("sum", tuple(sorted((_scaled(c, one) for one in term.of), key=_KEY)))
    inner, rest = term.split
    return _times(c if inner is SINGLE else c * inner, rest)


def multiply(terms: Iterable[Term]) -> Term:
    """The product: equal bases joined, a number multiplied into a sum that it stands before."""
    c, others = SINGLE, list[Term]()
    for term in terms:
        if term.kind == "number":
            c = term.of[0] if c is SINGLE else c * term.of[0]
        elif term.kind == "oo":
            raise TermError("oo cannot stand in a formula; only oo can, alone")
        else:
            others.append(term)
    if len(others) <= 1:
        return _scaled(c, others[0]) if others else number(c)
    exponents, alone, exponent_of_e = dict[Term, Term](), dict[Term, Term](), list[Term]()
    for term in others:
        for factor in term.factors:
            base, exponent = factor.base_and_exponent
            if factor.kind == "number":
                c = c * factor.of[0]
            elif factor.kind == "exp":
                exponent_of_e.append(factor.of[0])
            elif (before := exponents.get(base)) is None:
                exponents[base], alone[base] = exponent, factor
            else:
                exponents[base] = before + exponent
                alone.pop(base, None)
    c, found = _with_roots_of_numbers(c, exponents)
    for base, exponent in exponents.items():
        joined = alone.get(base) or power(base, exponent)
        joined_c, rest = joined.split
        c = c if joined_c is SINGLE else c * joined_c
        found += [] if rest == ONE else rest.factors
    if exponent_of_e:
        in_one = exp(add(exponent_of_e))
        c *= in_one.split[0]
        found += [one for one in in_one.factors if one.kind != "number"]
    if not c:
        return ZERO
    if len(found) <= 1:
        return _scaled(c, *found) if found else number(c)
    front = () if c is SINGLE or c == 1 else (number(c),)
    return Term("product", (*front, *sorted(found, key=_KEY)))


def _with_roots_of_numbers(c: Fraction, exponents: dict[Term, Term]) -> tuple[Fraction, list[Term]]:
    """Numbers with equal broken exponents under one root: √2·√3 = √6.  Takes them out of `exponents`."""
    under: dict[Fraction, int] = {}
    for base in [term for term in exponents if term.kind == "number" and exponents[term].kind == "number"]:
        raised = power(base, exponents.pop(base))
        for factor in raised.factors:
            if factor.kind == "number":
                c *= factor.of[0]
            else:
                (root, exponent) = factor.of
                under[exponent.of[0]] = under.get(exponent.of[0], 1) * root.of[0].numerator
    roots = []
    for r, whole in under.items():
        again = _root(Fraction(whole), r)
        c *= again.split[0]
        roots += [term for term in again.factors if term.kind != "number"]
    return c, roots


def power(base: Term, exponent: Term | int | Fraction) -> Term:
    """base**exponent.  Raises TermError where it has no real value for any parameters.

    >>> x = letter("x")
    >>> power(x * x, HALF), power(number(8), HALF), power(x + 1, -1) * (x + 1)
    (x, (product 2 (power 2 1/2)), 1)
    """
    r = as_term(exponent)
    if r == ONE or base == ONE:
        return base
    if r == ZERO:
        return ONE
    if base.kind == "oo" or r.kind == "oo":
        raise TermError("oo cannot stand in a formula; only oo can, alone")
    if base.kind == "number" and r.kind == "number":
        return _root(base.of[0], r.of[0])
    if base.kind == "exp":
        return exp(base.of[0] * r)
    whole = r.kind == "number" and r.of[0].denominator == 1
    of_log = base.kind == "power" and base.of[0].kind == "log" and (base.of[0].of[0].number or 0) > 1
    if base.kind == "power" and (whole or of_log or base.of[0].nonnegative):
        return power(base.of[0], base.of[1] * r)
    if base.kind == "power" and base.of[0].kind == "top" and base.nonnegative and (-base.of[0]).nonnegative:
        return power(-base.of[0], base.of[1] * r)  # the square of a minimum is that of max(−x, −y)
    if base.kind == "power" and _is_even(base.of[1]) and (r.positive or (-r).positive):
        return power(largest(base.of[0], -base.of[0]), base.of[1] * r)  # √(x²) = |x|
    if whole and r.positive and signs.is_switch(base):
        return base if r.of[0] % 2 else -base
    if base.kind == "product" and whole:
        return multiply([power(one, r) for one in base.of])
    if base.kind == "product" and r.kind == "number":
        return _power_of_product(base, r)
    if base == ZERO and r.positive:
        return ZERO
    if base.kind == "number" and base.of[0].numerator == 1:
        return power(number(base.of[0].denominator), -r)
    return Term("power", (base, r))


def _is_even(exponent: Term) -> bool:
    """Whether an exponent is 2, 4, 6, …"""
    return exponent.positive and exponent.number is not None and exponent.number % 2 == 0


def _power_of_product(base: Term, r: Term) -> Term:
    """A broken power of a product: factors that are never negative have it one by one."""
    c, rest = base.split
    alone = [factor for factor in rest.factors if factor.nonnegative]
    others = [factor for factor in rest.factors if not factor.nonnegative]
    if (not alone and abs(c) == 1) or (not others and c < 0):  # the latter is real where it is 0 alone
        return base if c < 0 < r.of[0] and signs.is_switch(rest) else Term("power", (base, r))
    if c < 0:
        others.insert(0, MINUS_ONE)
    together = [power(multiply(others), r)] if others else []
    return multiply([power(number(abs(c)), r), *(power(term, r) for term in alone), *together])


def _root(base: Fraction, r: Fraction) -> Term:
    """A number to a rational power: what can be taken out of the root is."""
    if base == 0:
        if r > 0:
            return ZERO
        raise TermError("0 to a negative power has no real value")
    bits = max(base.numerator.bit_length(), base.denominator.bit_length()) - 1
    if bits * abs(r.numerator) > MOST_BITS * r.denominator:
        raise TooLarge
    if r.denominator == 1:
        return number(base**r.numerator)
    if base.numerator < 0:
        raise TermError("a root of a negative number has no real value")
    outside, under = taken_out(base, r)
    roots = [Term("power", (number(inside), number(broken))) for broken, inside in under]
    if outside != 1 or not roots:
        roots.insert(0, number(outside))
    return roots[0] if len(roots) == 1 else Term("product", tuple(sorted(roots, key=_KEY)))


def sqrt(term: Term) -> Term:
    """The square root."""
    return power(term, HALF)


def exp(term: Term) -> Term:
    """e to the power; that of a multiple of a logarithm is a power.

    >>> exp(2 * log(letter("x"))), exp(number(0))
    ((power x 2), 1)
    """
    if term.kind == "oo":
        return INFINITY
    powers, rest = [], []
    for summand in term.summands:
        logarithm = next((factor for factor in summand.factors if factor.kind == "log"), None)
        others = [factor for factor in summand.factors if factor is not logarithm]
        if logarithm is not None and all(factor.kind == "number" for factor in others):
            powers.append(power(logarithm.of[0], multiply(others)))
        elif summand != ZERO:
            rest.append(summand)
    last = [Term("exp", (add(rest),))] if rest else []
    return multiply([*powers, *last]) if powers else last[0] if last else ONE


def log(term: Term) -> Term:
    """The natural logarithm.  Raises TermError of a number ≤ 0."""
    if term.kind == "oo":
        return INFINITY
    if term.kind == "number" and term.of[0] <= 0:
        raise TermError(f"log of {'0' if not term.of[0] else 'a negative number'} has no real value")
    if term == ONE:
        return ZERO
    if term.kind == "exp":
        return term.parts[0]
    if term.kind == "number" and term.of[0].numerator == 1:
        return -log(number(term.of[0].denominator))
    return Term("log", (term,))


def top(m: int, terms: Iterable[Term]) -> Term:
    """top(m, x_1, …, x_n): the sum of the m largest; for m = 1 their maximum.

    >>> top(1, [letter("x"), letter("y"), letter("x")]), top(2, [number(1), number(5), number(3)])
    ((top 1 x y), 8)
    """
    of = list(terms)
    if m == 1:
        of = list(dict.fromkeys(inner for term in of for inner in _compared(term)))
    if m == 0:
        return ZERO
    if len(of) <= m:
        return add(of)
    if any(term.kind == "oo" for term in of):
        return INFINITY
    if all(term.kind == "number" for term in of):
        return number(sum(sorted(term.of[0] for term in of)[-m:]))
    constants = [term for term in of if term.kind == "number"]
    if m == 1 and len(constants) > 1:
        return top(1, [max(constants, key=_KEY), *(term for term in of if term.kind != "number")])
    return Term("top", (m, *sorted(of, key=_KEY)))


def _compared(term: Term) -> tuple[Term, ...]:
    """What a maximum compares; an absolute value is left as it is, and so is what is no maximum."""
    if term.kind != "top" or term.of[0] != 1 or (len(term.of) == 3 and term.of[1] == -term.of[2]):
        return (term,)
    return term.of[1:]


def largest(*terms: Term) -> Term:
    """max(x_1, …, x_n)."""
    return top(1, terms)


def least(*terms: Term) -> Term:
    """min(x_1, …, x_n) = −max(−x_1, …, −x_n)."""
    return -top(1, [-term for term in terms])


def over(m: Term | int, member: Term, count: Term) -> Term:
    """top(m, x[i], i, 1, k): the sum of the m largest members of a family x[1], …, x[k], of all where m > k.

    >>> over(2, letter("e[i]"), letter("k")), over(1, letter("x"), letter("k"))
    ((over 2 e[i] k), x)

    Where the members are alike, and there are at least m of them for all allowed k, it is m of them.
    """
    m = as_term(m)
    if m == ZERO:
        return ZERO
    if member.kind == "oo":
        return INFINITY
    if not any(moves(name) for name in member.letters):
        few = m == ONE or (m.number is not None and m.number <= (_fewest(count) or 0))
        return m * member if few else count * member if m == count else member * least(m, count)
    return Term("over", (m, member, count))


def _fewest(count: Term) -> Fraction | None:
    """A number that is at most a count, by the domain of its letter."""
    return count.of[1].least if count.kind == "letter" else count.number


def moves(name: str) -> bool:
    """Whether a letter is the general member of a family: e[i]."""
    return naming.read(name).is_general


def is_open(term: Term) -> bool:
    """Whether it is about one member of a family: e[i] stands in it, and not in a sum over all members.

    >>> one = letter("e[i]")
    >>> is_open(one + 1), is_open(over(ONE, one, letter("k")))
    (True, False)
    """
    if term.kind == "letter":
        return moves(term.of[0])
    return any(map(is_open, (term.of[0], term.of[2]) if term.kind == "over" else term.parts))
