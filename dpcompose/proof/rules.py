"""Rules: one certificate for all choices of a lesser side, which are never listed.

In g − l some worst cases are added and some subtracted.  One that is subtracted is a choice:
−c·top(m, x_1, …, x_n) is the least of −c·Σ_j z_j·x_j over z_j ∈ {0, 1} with Σ_j z_j = m.  Inside of a
form x_j the worst cases choose in the same way if x_j is chosen, and nothing if it is not: their
z lie in {0, z_j} and have the sum m'·z_j.  So g − l is the least, over all choices z, of what is left
when each subtracted worst case is written as its chosen forms.

A rule answers every choice.  It gives each worst case that is added weights that are *affine* in
z, w_j(z) = a_j + Σ_i b_ji·z_i.  One that counts φ(z) times, φ = 1 outside of all others, is at least
what its weights give:

    φ·top(m, y_1, …, y_n) ≥ Σ_j w_j·y_j    where 0 ≤ w_j ≤ φ and Σ_j w_j = m·φ.

(Where φ = 0 both sides are 0; else the w_j/φ lie in [0, 1] with sum m, so they mix choices of m of
the y_j.)  Where all y_j are ≥ 0 by their signs, Σ_j w_j ≤ m·φ is enough: weights can be raised to the
sum m·φ, and what they give grows.  Inside of y_j a worst case counts w_j times.  After
subtracting affine multiples, ≥ 0, of "x − least" and "greatest − x", a polynomial is left whose
coefficients are affine in z.  Each of its terms must be ≥ 0 by its sign, for every z.

Everything that is asked is thus "an affine function of z is ≥ 0 for all choices", and its least
value is seen at once: from the innermost choices outwards, each takes the m least of its values.
A comparison with n forms on each side is shown by some n numbers, where there are n over m choices.

A worst case that is subtracted inside of one that is added has no rule: its weight would multiply z.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from heapq import nsmallest
from typing import Any

from dpcompose.language import forms
from dpcompose.language.forms import Form, Monomial, Peak
from dpcompose.language.symbols import Domain
from dpcompose.proof.signs import BadCertificate, bound_form, named, number

ZERO, ONE = Fraction(0), Fraction(1)
Affine = Mapping[int, Fraction]
"""a + Σ b_i·z_i as {0: a, i: b_i}; the choices are numbered from 1, in the order of the comparison."""


@dataclass(frozen=True)
class Rule:
    """Weights and multiples as affine functions of the choices.

    weights -- for each added worst case, in order, pairs (j, function): the weight of its form j,
    from 0; a form that is left out has weight 0.
    bounds -- (parameter, "least" or "greatest", function): multiples of the distance to that end.
    """

    weights: tuple[tuple[tuple[int, Affine], ...], ...]
    bounds: tuple[tuple[str, str, Affine], ...] = ()


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


@dataclass
class Remainder:
    """What a rule leaves of a comparison, and what it must fulfil.

    added -- the worst cases that are added, in order, each with the function of how often it counts
    and the factor before it; coefficients -- of each monomial, affine in the choices;
    needed -- functions that must be ≥ 0 for all choices, each with the message where it is not.
    """

    domains: Mapping[str, Domain]
    rule: Rule
    choices: Choices = field(default_factory=Choices)
    added: list[tuple[Peak, Affine, Fraction]] = field(default_factory=list)
    coefficients: dict[Monomial, dict[int, Fraction]] = field(default_factory=dict)
    needed: list[tuple[Affine, str]] = field(default_factory=list)

    @staticmethod
    def of(difference: Form, domains: Mapping[str, Domain], rule: Rule | None = None) -> Remainder:
        """The remainder under a rule; without one all weights are 0.  Raises BadCertificate
        where a worst case is subtracted inside of one that is added."""
        made = Remainder(domains, rule or Rule(()))
        made._spread(difference, {0: ONE}, 0, ONE)
        for name, end, f in made.rule.bounds:
            if name not in domains:
                raise BadCertificate(f"the rule has a multiple of {name}, which is no parameter")
            made.needed.append((f, f"a multiple of the {end} value of {name} is negative"))
            for term, c in bound_form(name, end, domains[name]).monomials:
                made._add(term, f, -c)
        return made

    def check(self) -> None:
        """Raises BadCertificate unless what is left, and all that is needed, is ≥ 0 for all choices."""
        if len(self.rule.weights) != len(self.added):
            raise BadCertificate(
                f"the rule has weights for {len(self.rule.weights)} worst cases, not {len(self.added)}"
            )
        functions = [f for given in self.rule.weights for _, f in given]
        functions += [f for _, _, f in self.rule.bounds]
        if any(not 0 <= i < len(self.choices.group_of) for f in functions for i in f):
            raise BadCertificate("the rule speaks of a choice that there is not")
        for f, message in self.needed:
            if not self.choices.never_negative(f):
                raise BadCertificate(f"for some choice {message}")
        for term, f in self.failing:
            least = self.choices.least(f)
            c = least if least < 0 else -self.choices.least(_negated(f))
            raise BadCertificate(f"for some choice the term {c}*{named(term)} is not seen to be >= 0")

    @cached_property
    def failing(self) -> tuple[tuple[Monomial, Affine], ...]:
        """The terms whose coefficients are not seen to be ≥ 0 for all choices, or not 0 as they must be."""
        never_negative = self.choices.never_negative
        return tuple(
            (term, f)
            for term, f in self.coefficients.items()
            if not never_negative(f)
            or not (forms.nonnegative(term, self.domains) or never_negative(_negated(f)))
        )

    def _add(self, term: Monomial, f: Affine, c: Fraction) -> None:
        coefficient = self.coefficients.setdefault(term, {})
        for i, b in f.items():
            more = c if b == 1 else c * b
            coefficient[i] = coefficient[i] + more if i in coefficient else more

    def _spread(self, form: Form, counts: Affine, choice: int | None, factor: Fraction) -> None:
        """Adds factor·counts(z)·form; `choice`: the one that `counts` is, None where it is a weight."""
        for term, c in form.monomials:
            self._add(term, counts, factor if c == 1 else factor * c)
        for peak, c in form.peaks:
            if factor * c > 0:
                self._spread_added(peak, counts, factor * c)
            elif choice is None:
                raise BadCertificate("a worst case is subtracted inside of one that is added")
            else:
                taken = factor * c
                for i, inner in zip(self.choices.among(choice, peak.m, len(peak.of)), peak.of, strict=True):
                    self._spread(inner, {i: ONE}, i, taken)

    def _spread_added(self, peak: Peak, counts: Affine, factor: Fraction) -> None:
        given = self.rule.weights[len(self.added)] if len(self.added) < len(self.rule.weights) else ()
        self.added.append((peak, counts, factor))
        weights = dict(given)
        if len(weights) != len(given) or not set(weights) <= set(range(len(peak.of))):
            raise BadCertificate("the rule's weights do not fit the worst case")
        spare = {i: peak.m * c for i, c in counts.items()}
        for f in weights.values():
            self.needed.append((f, "a weight is negative"))
            self.needed.append((_difference(counts, f), "a weight is larger than 1"))
            for i, c in f.items():
                spare[i] = spare[i] - c if i in spare else -c
        self.needed.append((spare, f"the weights of a worst case have a sum above {peak.m}"))
        if not all(forms.is_nonnegative(inner, self.domains) for inner in peak.of):
            words = f"the weights of a worst case that may be negative have a sum below {peak.m}"
            self.needed.append((_negated(spare), words))
        for j, inner in enumerate(peak.of):
            if j in weights or inner.peaks:
                self._spread(inner, weights.get(j, {}), None, factor)


def _difference(f: Affine, g: Affine) -> dict[int, Fraction]:
    total = dict(f)
    for i, c in g.items():
        total[i] = total[i] - c if i in total else -c
    return total


def _negated(f: Affine) -> dict[int, Fraction]:
    return {i: -c for i, c in f.items()}


def to_data(rule: Rule) -> dict[str, Any]:
    """A rule as JSON."""
    return {
        "weights": [[[j, _affine_data(f)] for j, f in given] for given in rule.weights],
        "bounds": [[name, end, _affine_data(f)] for name, end, f in rule.bounds],
    }


def from_data(data: Any) -> Rule:
    """A rule from JSON.  Raises BadCertificate where it has another form."""
    try:
        if set(data) != {"weights", "bounds"}:
            raise KeyError
        return Rule(
            tuple(tuple((_index(j), _affine(f)) for j, f in given) for given in data["weights"]),
            tuple((str(name), str(end), _affine(f)) for name, end, f in data["bounds"]),
        )
    except (TypeError, KeyError, ValueError, ArithmeticError, RecursionError) as error:
        raise BadCertificate(f"the rule cannot be read ({type(error).__name__})") from None


def _affine_data(f: Affine) -> list[list[Any]]:
    return [[i, str(c)] for i, c in sorted(f.items())]


def _affine(data: Any) -> Affine:
    found = {_index(i): number(c) for i, c in data}
    if len(found) != len(data):
        raise ValueError("a choice is named twice")
    return found


def _index(value: Any) -> int:
    if type(value) is not int:
        raise ValueError("no whole number")
    return value
