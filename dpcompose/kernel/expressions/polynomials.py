"""Forms: polynomials over the rationals in which worst cases are terms.

A `Form` is a finite sum of rational multiples of monomials and of *peaks*, and a peak is the sum of the m
largest of several forms (m = 1: their maximum).  Minima are peaks with a negative factor.  Equal forms
compare equal, so what stands on both sides of a comparison cancels.

The letters of a monomial are terms: parameters, and *atoms*, which are roots, powers of e, logarithms,
quotients and worst cases over a family.  Of an atom only the sign is known; what is proved for every value
of an atom holds for its true one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb, lcm
from typing import Any

from dpcompose.kernel.expressions import substitution, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.keeping import frozen, kept
from dpcompose.kernel.expressions.terms import Term

Monomial = tuple[tuple[Term, int], ...]
"""A product of letters, each with its power ≥ 1."""
ONE: Monomial = ()
MINUS = Fraction(-1)
LARGEST_FORM = 20_000
"""The most terms a form may have: a product of sums beyond it is refused, not expanded."""
MOST_LISTED = 12
"""The most sums that a maximum lists where it is the sum of the m largest of a few forms."""


class NotAForm(ValueError):
    """The term is no polynomial of letters and worst cases; the message says where."""


@frozen(order=False)
class Peak:
    """top(m, x_1, …, x_n) of forms: the sum of the m largest, 1 ≤ m < n."""

    m: int
    of: tuple[Form, ...]

    @kept
    def key(self) -> tuple[Any, ...]:
        return (1, self.m, tuple(form.key for form in self.of))

    @kept
    def often(self) -> Mapping[Form, int]:
        """How often each form is compared, in their order."""
        return Counter(self.of)

    def __hash__(self) -> int:
        return self._hash

    @kept
    def _hash(self) -> int:
        return hash((self.m, self.of))


@frozen
class Form:
    """Σ c·t over `terms` (t, c): t a monomial or a peak, c a non-zero Fraction; t in a fixed order.

    >>> from dpcompose.kernel.expressions.terms import letter
    >>> x, y = Form.letter(letter("x")), Form.letter(letter("y"))
    >>> (x + y) * (x - y) == x * x - y * y, top(1, [x, y]) + y == y + top(1, [y, x])
    (True, True)
    """

    terms: tuple[tuple[Monomial | Peak, Fraction], ...] = ()

    def __init__(self, terms: tuple[tuple[Monomial | Peak, Fraction], ...] = ()) -> None:
        self.__dict__["terms"] = terms  # by hand, as very many are made

    @staticmethod
    def constant(c: Fraction | int) -> Form:
        exact = c if type(c) is Fraction else Fraction(c)
        return Form(((ONE, exact),) if exact else ())

    @staticmethod
    def letter(term: Term) -> Form:
        return Form(((((term, 1),), terms.SINGLE),))

    def __add__(self, other: Form) -> Form:
        return total((self, other))

    def __sub__(self, other: Form) -> Form:
        return self + other.scaled(MINUS)

    def __mul__(self, other: Form) -> Form:
        if len(self.terms) * len(other.terms) > LARGEST_FORM:
            raise NotAForm("the product has too many terms")
        plain: dict[Monomial | Peak, Fraction] = {}
        others: list[Form] = []
        for s, c in self.terms:
            for t, d in other.terms:
                if isinstance(s, Peak) or isinstance(t, Peak):
                    if ONE not in (s, t):
                        raise NotAForm("a maximum is multiplied by a parameter")
                    product: Monomial | Peak = t if s == ONE else s
                elif ONE in (s, t) or (_is_plain(s) and _is_plain(t)):
                    product = _times(s, t)
                else:
                    others.append(_joined((*s, *t)).scaled(c * d))
                    continue
                before = plain.get(product)
                plain[product] = c * d if before is None else before + c * d
        return total((_form(plain), *others)) if others else _form(plain)

    def scaled(self, c: Fraction) -> Form:
        """c times the form."""
        return Form(tuple((t, c * d) for t, d in self.terms)) if c else Form()

    @property
    def number(self) -> Fraction | None:
        """The rational number that the form is; None for another form."""
        if not self.terms:
            return Fraction(0)
        return self.terms[0][1] if len(self.terms) == 1 and self.terms[0][0] == ONE else None

    @kept
    def key(self) -> tuple[Any, ...]:
        return tuple((_key(t), c) for t, c in self.terms)

    def __hash__(self) -> int:
        return self._hash

    @kept
    def _hash(self) -> int:
        return hash(self.terms)

    @kept
    def peaks(self) -> tuple[tuple[Peak, Fraction], ...]:
        """The peaks among the terms, with their factors."""
        return tuple((t, c) for t, c in self.terms if isinstance(t, Peak))

    @kept
    def monomials(self) -> tuple[tuple[Monomial, Fraction], ...]:
        """The monomials among the terms, with their coefficients."""
        return tuple((t, c) for t, c in self.terms if not isinstance(t, Peak))

    @kept
    def coefficients(self) -> Mapping[Monomial | Peak, Fraction]:
        """The terms as a mapping."""
        return dict(self.terms)

    @kept
    def size(self) -> int:
        """How many terms there are, those inside of peaks counted too."""
        return len(self.terms) + sum(inner.size for peak, _ in self.peaks for inner in peak.of)

    @kept
    def letters(self) -> frozenset[Term]:
        """The letters that occur: parameters and atoms."""
        found = {letter for t, _ in self.monomials for letter, _ in t}
        return frozenset(found).union(*(inner.letters for peak, _ in self.peaks for inner in peak.of))

    @kept
    def domains(self) -> Mapping[str, Domain]:
        """The parameters that occur, those in atoms too.  Raises NotAForm where one has two domains."""
        return domains_of(self.letters)


def domains_of(some: Iterable[Term]) -> dict[str, Domain]:
    """The parameters of terms, by name.  Raises NotAForm where a name has two domains."""
    domains: dict[str, Domain] = {}
    for term in some:
        for name, domain in _parameters(term):
            if domains.setdefault(name, domain) != domain:
                raise NotAForm(f"{name} is both {domains[name]} and {domain}")
    return domains


@lru_cache(maxsize=8_192)
def _parameters(term: Term) -> frozenset[tuple[str, Domain]]:
    if term.kind == "letter":
        return frozenset({(term.of[0], term.of[1])})
    return frozenset().union(*map(_parameters, term.parts))


def total(some: Iterable[Form]) -> Form:
    """The sum of the forms, put in order once."""
    forms = [form for form in some if form.terms]
    if len(forms) == 1:
        return forms[0]
    values: dict[Monomial | Peak, Fraction] = dict(forms[0].terms) if forms else {}
    for form in forms[1:]:
        for term, c in form.terms:
            values[term] = values[term] + c if term in values else c
    return _form(values)


def top(m: int, forms: Iterable[Form]) -> Form:
    """The sum of the m largest of the forms, as a form.

    >>> top(1, [Form.constant(2), Form.constant(3)]) == Form.constant(3)
    True
    """
    of = list(forms)
    if m == 1:
        of = _absorbed(list(dict.fromkeys(inner for form in of for inner in _flattened(form))))
    if len(of) <= m:
        return total(of)
    numbers = [form.number for form in of]
    if all(number is not None for number in numbers):
        return Form.constant(sum_of_largest([n for n in numbers if n is not None], m))
    if m == 1 and len(of) > MOST_LISTED and (form := _as_sums(of)) is not None:
        return form
    return _form({Peak(m, tuple(sorted(of, key=lambda form: form.key))): Fraction(1)})


def _flattened(form: Form) -> Iterator[Form]:
    """max(…, max(x, y), …) = max(…, x, y, …)."""
    if len(form.terms) == 1:
        term, c = form.terms[0]
        if isinstance(term, Peak) and c == 1 and term.m == 1:
            yield from term.of
            return
    yield form


def _absorbed(of: list[Form]) -> list[Form]:
    """The forms without any that is at most another one because one of its terms is a minimum with it:
    max(x, min(x, y)) = x, and max(x + z, min(x, y) + z) = x + z.

    >>> from dpcompose.kernel.expressions.terms import letter
    >>> x, y = Form.letter(letter("x")), Form.letter(letter("y"))
    >>> least = top(1, [x.scaled(Fraction(-1)), y.scaled(Fraction(-1))]).scaled(Fraction(-1))
    >>> top(1, [x, least]) == x
    True
    """
    there = set(of)
    return [form for form in of if not (form.peaks and any(one in there for one in above(form)))]


def above(form: Form) -> Iterator[Form]:
    """Forms that it is at most: for each minimum among its terms, the same with what it is the minimum of."""
    for peak, c in form.peaks:
        if c < 0 and peak.m == 1:
            rest = form - Form(((peak, c),))
            for inner in peak.of:
                yield rest + inner.scaled(c)


def _as_sums(of: Sequence[Form]) -> Form | None:
    """The maximum of different forms as s + top(m, x_1, …, x_n), m ≥ 2, where they are s + Σ_{j∈S} x_j
    for all m-subsets S; None where they are not.

    Terms that all forms share are s, and each other one is an x_j.  Different forms with m of
    the n terms each are all of them where there are n over m.
    """
    often: dict[tuple[Monomial | Peak, Fraction], int] = {}
    for form in of:
        for item in form.terms:
            often[item] = often.get(item, 0) + 1
    shared = Form(tuple(item for item in of[0].terms if often[item] == len(of)))
    m, n = len(of[0].terms) - len(shared.terms), len(often) - len(shared.terms)
    if m < 2 or any(len(form.terms) != len(of[0].terms) for form in of) or comb(n, m) != len(of):
        return None
    return shared + top(m, [Form((item,)) for item, times in often.items() if times < len(of)])


def sum_of_largest(values: Sequence[Fraction], m: int) -> Fraction:
    """The sum of the m largest numbers, brought to one denominator once: whole numbers are compared fast."""
    common = lcm(*(value.denominator for value in values))
    numerators = sorted(value.numerator * (common // value.denominator) for value in values)
    return Fraction(sum(numerators[-m:]), common)


def _form(found: Mapping[Monomial | Peak, Fraction]) -> Form:
    some = [(t, c) for t, c in found.items() if c]
    if len(some) > 1:
        some.sort(key=lambda item: _key(item[0]))
    return Form(tuple(some))


def _key(term: Monomial | Peak) -> tuple[Any, ...]:
    if isinstance(term, Peak):
        return term.key
    if len(term) == 1:  # as most are
        ((letter, n),) = term
        return (0, n, ((letter.key, n),))
    return (0, sum(n for _, n in term), tuple((letter.key, n) for letter, n in term))


def _is_plain(term: Monomial) -> bool:
    """Whether no letters but parameters and worst cases over families occur: they stay as they are."""
    return all(letter.kind in ("letter", "over") for letter, _ in term)


def _times(s: Monomial, t: Monomial) -> Monomial:
    powers = dict(s)
    for letter, n in t:
        powers[letter] = powers.get(letter, 0) + n
    return tuple(sorted(powers.items(), key=lambda one: one[0].key))


def _joined(pairs: Iterable[tuple[Term, int]]) -> Form:
    """A product in which powers of e, roots and quotients join: √x·√x = x, and e^x·e^y = e^(x + y)."""
    product = terms.multiply(terms.power(letter, n) for letter, n in pairs)
    before = None
    while product != before and (product.kind == "sum" or any(map(_is_sum, product.factors))):
        before, product = product, substitution.expanded(product)
    return total(_of_product(summand) for summand in product.summands)


def _is_sum(factor: Term) -> bool:
    return natural(factor) is not None and factor.base_and_exponent[0].kind == "sum"


def _of_product(product: Term) -> Form:
    c, rest = product.split
    found = []
    for factor in rest.factors if rest != terms.ONE else ():
        n = natural(factor)
        found.append((factor, 1) if n is None else (factor.base_and_exponent[0], n))
    return Form(((tuple(sorted(found, key=lambda one: one[0].key)), c),))


def natural(factor: Term) -> int | None:
    """The exponent of x**n for a whole number n ≥ 1; None for other powers."""
    exponent = factor.base_and_exponent[1].number
    return int(exponent) if exponent is not None and exponent.denominator == 1 and exponent > 0 else None


def replaced(form: Form, old: Peak, new: Form, sign: int = 1) -> Form:
    """The form with another one in place of a peak, wherever that is subtracted: where it counts with a
    negative factor, or with a positive one in what is subtracted.  sign -- that of the form itself."""
    if not form.peaks:
        return form
    parts = [Form(form.monomials)]
    for peak, c in form.peaks:
        here = sign if c > 0 else -sign
        if peak == old and here < 0:
            parts.append(new.scaled(c))
        else:
            parts.append(top(peak.m, [replaced(inner, old, new, here) for inner in peak.of]).scaled(c))
    return total(parts)
