"""Rules: one certificate for all choices of a lesser side, which are never listed.

In g − l some worst cases are added and some subtracted.  One that is subtracted is a choice:
−c·top(m, x_1, …, x_n) is the least of −c·Σ_j z_j·x_j over z_j ∈ {0, 1} with Σ_j z_j = m.  Inside of a
form x_i the worst cases choose in the same way if x_i is chosen, and nothing if it is not: their
z_j lie in {0, z_i} and have the sum m·z_i.  So g − l is the least, over all choices z, of what is left
when each subtracted worst case is written as its chosen forms.

A rule answers every choice.  It gives each worst case that is added weights that are *affine* in
z, w_j(z) = a_j + Σ_i b_ji·z_i.  One that counts φ(z) times, φ affine, is at least what its weights give:

    φ·top(m, y_1, …, y_n) ≥ Σ_j w_j·y_j    where 0 ≤ w_j ≤ φ and Σ_j w_j = m·φ.

(Where φ = 0 both sides are 0; else the w_j/φ lie in [0, 1] with sum m, so they mix choices of m of
the y_j.)  Where all y_j are ≥ 0 by their signs, Σ_j w_j ≤ m·φ is enough: weights can be raised to the
sum m·φ, and what they give grows.  Inside of y_j a worst case counts w_j times.  After
subtracting affine multiples, ≥ 0, of "x − least" and "greatest − x", a polynomial is left whose
coefficients are affine in z.  Each of its terms must be ≥ 0 by its sign, for every z.

Everything that is asked is thus "an affine function of z is ≥ 0 for all choices", and its least
value is seen at once: from the innermost choices outwards, each takes the m least of its values.
A comparison with n forms on each side is shown by some n numbers, where there are n over m choices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from heapq import nsmallest
from typing import Any

from dpcompose.kernel.expressions import forms, formulas
from dpcompose.kernel.expressions.certificates import (
    BadCertificate,
    entries,
    listed,
    number,
    table,
    whole,
    word,
)
from dpcompose.kernel.expressions.forms import Form, Known, Monomial, Peak

ZERO, ONE = Fraction(0), Fraction(1)
Affine = Mapping[int, Fraction]
"""a + Σ b_i·z_i as {0: a, i: b_i}; the choices are numbered from 1, in the order of the rule."""
MOST_CHOICES = 100_000


class Choices:
    """What a lesser side may choose: groups of n forms of which m are chosen, some inside of a form.

    >>> choices = Choices()
    >>> a, b, c = choices.among(0, 2, 3)
    >>> choices.least({0: Fraction(1), a: Fraction(-1), c: Fraction(5)})
    Fraction(0, 1)
    """

    def __init__(self) -> None:
        self.groups: list[tuple[int, int, int]] = []
        self.group_of = [-1]

    def among(self, inside: int, m: int, n: int) -> range:
        """The numbers of n new choices of which m are made: always, or if the choice `inside` is."""
        first = len(self.group_of)
        self.group_of += [len(self.groups)] * n
        self.groups.append((inside, m, n))
        return range(first, first + n)

    def least(self, f: Affine) -> Fraction:
        """The least value of an affine function over all choices."""
        total = f.get(0, ZERO)
        values: dict[int, dict[int, Fraction]] = {}
        for i, c in f.items():
            if i:
                values.setdefault(self.group_of[i], {})[i] = c
        while values:
            group = max(values)  # those inside of a form come after the group of the form
            inside, m, n = self.groups[group]
            least = _sum_of_least(values.pop(group).values(), m, n)
            if inside:
                outer = values.setdefault(self.group_of[inside], {})
                outer[inside] = outer.get(inside, ZERO) + least
            else:
                total += least
        return total

    def never_negative(self, f: Affine) -> bool:
        """Whether an affine function is ≥ 0 for all choices."""
        return all(c.numerator >= 0 for c in f.values()) or self.least(f).numerator >= 0


def _sum_of_least(values: Iterable[Fraction], m: int, n: int) -> Fraction:
    """The sum of the m least of n numbers; those that are not among `values` are 0."""
    given = list(values)
    negative = [c for c in given if c.numerator < 0]
    more = m - len(negative) - (n - len(given))
    if len(negative) > m:
        negative = nsmallest(m, negative)
    elif more > 0:
        negative += nsmallest(more, [c for c in given if c.numerator >= 0])
    return sum(negative[1:], negative[0]) if negative else ZERO


class Remainder:
    """What is left of a comparison while a rule is followed: each monomial and worst case with its
    coefficient, affine in the choices."""

    def __init__(self, difference: Form, known: Known = forms.NOTHING) -> None:
        self.choices, self.known = Choices(), known
        self.coefficients: dict[Monomial | Peak, dict[int, Fraction]] = {}
        self.add(difference, {0: ONE})

    def add(self, form: Form, f: Affine) -> None:
        """f(z)·form."""
        for term, c in form.terms:
            coefficient = self.coefficients.setdefault(term, {})
            for i, b in f.items():
                more = c if b == 1 else c * b
                coefficient[i] = coefficient[i] + more if i in coefficient else more
                if not coefficient[i]:
                    del coefficient[i]

    def choose(self, peak: Peak, inside: int, members: Sequence[Form]) -> range:
        """A worst case that is subtracted, as often as the choice `inside` (0: always), as its members."""
        c = self.coefficients.get(peak, {}).pop(inside, ZERO)
        if c >= 0:
            raise BadCertificate("a worst case is chosen from that is not subtracted")
        if len(members) != len(peak.of) or sorted(members, key=_key) != sorted(peak.of, key=_key):
            raise BadCertificate("the choices are not what the worst case compares")
        if len(self.choices.group_of) + len(members) > MOST_CHOICES:
            raise BadCertificate("the rule has too many choices")
        new = self.choices.among(inside, peak.m, len(members))
        for i, member in zip(new, members, strict=True):
            self.add(member, {i: c})
        return new

    def weigh(self, peak: Peak, weights: Sequence[tuple[Form, Affine]]) -> None:
        """A worst case that is added, as often as its coefficient says, as the sum that weights give."""
        counts = self.coefficients.pop(peak, {})
        left = dict(peak.often)
        spare = {i: peak.m * c for i, c in counts.items()}
        for inner, w in weights:
            times = left.pop(inner, 0)
            if not times:
                raise BadCertificate("the rule's weights do not fit the worst case")
            self.need(w, "a weight is negative")
            self.need(_difference({i: times * c for i, c in counts.items()}, w), "a weight is too large")
            spare = _difference(spare, w)
        self.need(spare, "the weights of a worst case have too large a sum")
        if not all(forms.is_nonnegative(inner, self.known) for inner in peak.of):
            self.need(negated(spare), "the weights of a worst case that may be negative have too small a sum")
        for inner, w in weights:
            self.add(inner, w)

    def bound(self, distance: Form, f: Affine) -> None:
        """Without f(z) times the distance of a letter to its end."""
        self.need(f, "a multiple of a bound is negative")
        self.add(distance, negated(f))

    def need(self, f: Affine, message: str) -> None:
        """Raises BadCertificate unless f ≥ 0 for all choices."""
        if any(not 0 <= i < len(self.choices.group_of) for i in f):
            raise BadCertificate("the rule speaks of a choice that there is not")
        if not self.choices.never_negative(f):
            raise BadCertificate(f"for some choice {message}")

    @property
    def failing(self) -> list[tuple[Monomial | Peak, Affine]]:
        """The terms whose coefficients are not seen to be ≥ 0 for all choices, or not 0 as they must be."""
        never_negative = self.choices.never_negative
        return [
            (term, f)
            for term, f in self.coefficients.items()
            if not never_negative(f) or not (self.has_sign(term) or never_negative(negated(f)))
        ]

    def has_sign(self, term: Monomial | Peak) -> bool:
        """Whether a term is ≥ 0 by its sign."""
        plain = not isinstance(term, Peak) and forms.nonnegative(term, self.known)
        return plain or forms.is_nonnegative(Form(((term, ONE),)), self.known)

    def check(self) -> None:
        """Raises BadCertificate unless what is left is ≥ 0 for all choices."""
        for term, f in self.failing:
            least = self.choices.least(f)
            c = least if least < 0 else -self.choices.least(negated(f))
            text = formulas.to_text(forms.write(Form(((term, c or ONE),))))
            raise BadCertificate(f"for some choice {text} is not seen to be >= 0")


def check(
    difference: Form,
    data: Any,
    read: Callable[[Any], Form],
    bound: Callable[[str, str], Form],
    known: Known = forms.NOTHING,
) -> None:
    """Raises BadCertificate unless a rule shows difference ≥ 0.

    read -- the form that a formula of the certificate means; bound -- "x − least" or "greatest − x".
    """
    given = table(data, {"follow"}, {"bounds"})
    left = Remainder(difference, known)
    for one in map(listed, listed(given["follow"])):
        kind, of = word(one[0]) if one else "", one[1:]
        if kind == "choose":
            m, inside, texts = listed(of, 3)
            if whole(inside) >= len(left.choices.group_of):
                raise BadCertificate("the rule speaks of a choice that there is not")
            members = [read(text) for text in listed(texts)]
            left.choose(_peak(forms.top(whole(m), members)), inside, members)
        elif kind == "weigh":
            text, weights = listed(of, 2)
            left.weigh(_peak(read(text)), [(read(inner), affine(f)) for inner, f in entries(weights, 2)])
        else:
            raise BadCertificate(f"a rule has no {kind or 'empty step'}")
    for name, end, f in entries(given.get("bounds", []), 3):
        left.bound(bound(word(name), word(end)), affine(f))
    left.check()


def _peak(form: Form) -> Peak:
    if len(form.peaks) != 1 or form != Form(((form.peaks[0][0], ONE),)):
        raise BadCertificate("a rule speaks of what is no worst case")
    return form.peaks[0][0]


def _key(form: Form) -> Any:
    return form.key


def affine(data: Any) -> Affine:
    """An affine function from JSON: [[0, "1/2"], [3, "-1"]]."""
    values = {whole(i): number(c) for i, c in entries(data, 2)}
    if len(values) != len(data):
        raise BadCertificate("a choice is named twice")
    return values


def _difference(f: Affine, g: Affine) -> dict[int, Fraction]:
    total = dict(f)
    for i, c in g.items():
        total[i] = total[i] - c if i in total else -c
    return total


def negated(f: Affine) -> dict[int, Fraction]:
    """−f."""
    return {i: -c for i, c in f.items()}
