"""Finds rules: for each choice of the lesser side, weights that cover what it takes.

What a chosen form takes, and no monomial of the comparison gives, is missing; added worst cases
cover it, by the one form that has all of it or else form by form.  Nothing here is believed: a rule
is checked by `dpcompose.proof.rules`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from dpcompose.language.forms import Form, Monomial, Peak
from dpcompose.language.symbols import Domain
from dpcompose.proof.rules import Affine, Remainder, Rule
from dpcompose.proof.signs import BadCertificate

ZERO = Fraction(0)


def find(difference: Form, domains: Mapping[str, Domain]) -> Rule | list[Monomial]:
    """A rule that shows difference ≥ 0; where none is found, the monomials that were not covered.

    >>> from dpcompose.language.forms import top
    >>> from dpcompose.language.symbols import POSITIVE
    >>> e = [Form.parameter(name) for name in "abc"]
    >>> twice = top(1, e).scaled(Fraction(2)) - top(2, e)
    >>> find(twice, dict.fromkeys("abc", POSITIVE)).weights
    (((0, {1: Fraction(1, 2)}), (1, {2: Fraction(1, 2)}), (2, {3: Fraction(1, 2)})),)
    """
    try:
        start = Remainder.of(difference, domains)
    except BadCertificate:
        return []
    uncovered = [term for term, _ in start.failing]
    for missing, sparing in _attempts(start):
        rule = _covered(start, missing, sparing)
        remainder = start if rule == start.rule else Remainder.of(difference, domains, rule)
        if remainder.failing:
            rule = Rule(rule.weights, _bounds(remainder))
            remainder = Remainder.of(difference, domains, rule)
        try:
            remainder.check()
        except BadCertificate:
            uncovered = [term for term, _ in remainder.failing] or uncovered
        else:
            return rule
    return uncovered


Missing = Mapping[int, Mapping[Monomial, Fraction]]
"""What each choice takes of each monomial that must be covered; 0: what is taken always."""


def _attempts(start: Remainder) -> Iterator[tuple[Missing, bool]]:
    """What to cover, and whether sparingly: beyond what is there, or everything, so that what is there
    makes up for constants."""
    both = (False, True) if len(start.added) > 1 else (False,)
    beyond = _missing(start, True)
    yield from ((beyond, sparing) for sparing in both)
    everything = _missing(start, False)
    if everything != beyond:
        yield from ((everything, sparing) for sparing in both)


def _missing(start: Remainder, beyond: bool) -> Missing:
    """What each choice takes of each monomial; `beyond` its share of what is there."""
    missing: dict[int, dict[Monomial, Fraction]] = {}
    for term, f in start.failing:
        taken = {i: c for i, c in f.items() if i and c < 0}
        most = -start.choices.least(taken)
        there = f.get(0, ZERO)
        share = 1 - there / most if beyond and 0 < there < most else Fraction(int(there < most))
        if there < 0:
            missing.setdefault(0, {})[term] = -there
        for i, c in taken.items():
            if share:
                missing.setdefault(i, {})[term] = -c * share
    return missing


@dataclass
class _Added:
    """An added worst case with its forms that have no worst cases inside, by monomial."""

    peak: Peak
    counts: Affine
    factor: Fraction

    def __post_init__(self) -> None:
        self.having: dict[Monomial, dict[int, Fraction]] = {}
        for j, inner in enumerate(self.peak.of):
            if not inner.peaks:
                for term, c in inner.monomials:
                    self.having.setdefault(term, {})[j] = c * self.factor

    def serves(self, choice: int) -> bool:
        return 0 in self.counts or choice in self.counts

    def alone(self, missing: Mapping[Monomial, Fraction]) -> tuple[Fraction, int] | None:
        """The least share of one form that covers all that is missing, and its number."""
        columns = sorted((self.having.get(term, {}) for term in missing), key=len)
        shares = []
        for j in columns[0]:
            amounts = [self.having[term].get(j, ZERO) if term in self.having else ZERO for term in missing]
            if all(amount > 0 for amount in amounts):
                shares.append((max(map(Fraction.__truediv__, missing.values(), amounts)), j))
        return min(shares, default=None)

    def most(self, term: Monomial) -> tuple[Fraction, int]:
        """The form that has most of a monomial, as (amount, number)."""
        amount, j = max(((c, -j) for j, c in self.having.get(term, {}).items()), default=(ZERO, 0))
        return amount, -j


def _covered(start: Remainder, missing: Missing, sparing: bool) -> Rule:
    """Weights that cover what is missing as far as they do.

    sparing -- no choice takes more of an added worst case than its share, so that others cover the rest.
    """
    added = [_Added(*one) for one in start.added]
    chosen = sum(m for inside, m, _ in start.choices.groups if not inside)
    weights: list[dict[int, dict[int, Fraction]]] = [{} for _ in added]
    for i, terms in missing.items():
        left = {
            n: Fraction(one.peak.m, chosen) if sparing and i else Fraction(one.peak.m)
            for n, one in enumerate(added)
            if one.serves(i)
        }
        for n, j, share in _cover(dict(terms), added, left):
            of = weights[n].setdefault(j, {})
            of[i] = of.get(i, ZERO) + share
    return Rule(tuple(tuple(sorted(of.items())) for of in weights))


def _cover(
    missing: dict[Monomial, Fraction], added: list[_Added], left: dict[int, Fraction]
) -> Iterator[tuple[int, int, Fraction]]:
    """Shares of forms as (worst case, form, share) that make up for what one choice misses."""
    alone = [(*one, n) for n in left if (one := added[n].alone(missing)) is not None]
    if alone and (least := min(alone))[0] <= min(Fraction(1), left[least[2]]):
        share, j, n = least
        yield n, j, share
        return
    for term in list(missing):
        options = sorted(((*added[n].most(term), n) for n in left), reverse=True)
        for amount, j, n in options:
            if missing[term] <= 0 or amount <= 0:
                break
            share = min(missing[term] / amount, left[n])
            if not share:
                continue
            left[n] -= share
            yield n, j, share
            for other, c in added[n].peak.of[j].monomials:
                if other in missing:
                    missing[other] -= share * added[n].factor * c


def _bounds(remainder: Remainder) -> tuple[tuple[str, str, Affine], ...]:
    """Multiples of the distances of parameters to their ends: as much as there is of each parameter."""
    choices, bounds = remainder.choices, []
    for term, coefficient in remainder.coefficients.items():
        f = {i: c for i, c in coefficient.items() if c}
        name = term[0][0] if len(term) == 1 and term[0][1] == 1 else None
        if name is None or name not in remainder.domains:
            continue
        domain = remainder.domains[name]
        negated = {i: -c for i, c in f.items()}
        if domain.least and choices.never_negative(f):
            bounds.append((name, "least", f))
        elif domain.greatest is not None and choices.never_negative(negated):
            bounds.append((name, "greatest", negated))
    return tuple(bounds)
