"""Finds rules: for each choice of the lesser side, weights that cover what it takes.

What a chosen form takes, and no monomial of the comparison gives, is missing; added worst cases
cover it, by the one form that has all of it or else form by form.  Nothing here is believed: a rule
is checked by `kernel.deciders.rules`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpcompose.kernel.deciders.families.rules import Affine, Remainder, negated
from dpcompose.kernel.expressions import forms
from dpcompose.kernel.expressions.boxes import bound_form
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.forms import Form, Known, Monomial, Peak
from dpcompose.kernel.expressions.terms import Term
from dpcompose.search.comparisons.weights import NoWeights, peak_text, pieces, text, tree

ZERO = Fraction(0)
FEW_PIECES = 20
"""Up to so many pieces are proved one by one, beyond by a rule for all of them if there is one."""
Missing = Mapping[int, Mapping[Monomial, Fraction]]
"""What each choice takes of each monomial that must be covered; 0: what is taken always."""
Weights = list[dict[int, dict[int, Fraction]]]
"""For each added worst case, by the numbers of its forms, affine functions of the choices."""


def find(difference: Form, known: Known = forms.NOTHING) -> dict[str, Any] | list[Monomial]:
    """A rule that shows difference ≥ 0; where none is found, the monomials that were not covered.

    >>> from dpcompose.kernel.expressions.terms import letter
    >>> e = [Form.letter(letter(name)) for name in "abc"]
    >>> twice = forms.top(1, e).scaled(Fraction(2)) - forms.top(2, e)
    >>> find(twice)["rule"]["follow"][1][2][0]
    ['a', [[1, '1']]]
    """
    try:
        start = _Started(difference, known)
    except BadCertificate:
        return []
    left = start.left()
    uncovered = _monomials(left)
    for missing, sparing in _attempts(left, len(start.added)):
        weights = start.covered(missing, sparing)
        for bounds in (False, True):
            data, left = start.followed(weights, bounds)
            try:
                left.check()
            except BadCertificate:
                uncovered = _monomials(left) or uncovered
            else:
                return {"rule": data}
    return uncovered


def _monomials(left: Remainder) -> list[Monomial]:
    return [term for term, _ in left.failing if not isinstance(term, Peak)]


def _attempts(left: Remainder, added: int) -> Iterator[tuple[Missing, bool]]:
    """What to cover, and whether sparingly: beyond what is there, or everything, so that what is there
    makes up for constants."""
    both = (False, True) if added > 1 else (False,)
    beyond = _missing(left, True)
    yield from ((beyond, sparing) for sparing in both)
    everything = _missing(left, False)
    if everything != beyond:
        yield from ((everything, sparing) for sparing in both)


def _missing(left: Remainder, beyond: bool) -> Missing:
    """What each choice takes of each monomial; `beyond` its share of what is there."""
    missing: dict[int, dict[Monomial, Fraction]] = {}
    for term, f in left.failing:
        if isinstance(term, Peak):
            continue
        taken = {i: c for i, c in f.items() if i and c < 0}
        most = -left.choices.least(taken)
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
    """A worst case that counts always, or with one choice, and its forms without worst cases by monomial."""

    peak: Peak
    choice: int
    factor: Fraction
    having: dict[Monomial, dict[int, Fraction]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for j, inner in enumerate(self.peak.of):
            for term, c in inner.monomials if not inner.peaks else ():
                self.having.setdefault(term, {})[j] = c * self.factor

    def serves(self, choice: int) -> bool:
        return self.choice in (0, choice)

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


class _Started:
    """A comparison whose subtracted worst cases are chosen from."""

    def __init__(self, difference: Form, known: Known) -> None:
        self.difference, self.known = difference, known
        self.chosen: list[tuple[Peak, int]] = []
        left = Remainder(difference, known)
        waiting = True
        while waiting:
            waiting = False
            for peak, f in list(left.coefficients.items()):
                for i in [i for i, c in f.items() if c < 0] if isinstance(peak, Peak) else ():
                    assert isinstance(peak, Peak)
                    self.chosen.append((peak, i))
                    left.choose(peak, i, peak.of)
                    waiting = True
        self.added: list[_Added] = []
        for peak, f in left.coefficients.items():
            if isinstance(peak, Peak) and len(f) == 1:
                ((i, factor),) = f.items()
                self.added.append(_Added(peak, i, factor))
        self.added.sort(key=lambda one: one.peak.key)

    def left(self) -> Remainder:
        """What is left once the choices are made."""
        left = Remainder(self.difference, self.known)
        for peak, i in self.chosen:
            left.choose(peak, i, peak.of)
        return left

    def covered(self, missing: Missing, sparing: bool) -> Weights:
        """Weights that cover what is missing as far as they do.

        sparing -- no choice takes more of an added worst case than its share, so that others cover the rest.
        """
        always = sum(peak.m for peak, i in self.chosen if not i)
        weights: Weights = [{} for _ in self.added]
        for i, terms in missing.items():
            left = {
                n: Fraction(added.peak.m, always) if sparing and i and always else Fraction(added.peak.m)
                for n, added in enumerate(self.added)
                if added.serves(i)
            }
            for n, j, share in self._cover(dict(terms), left):
                of = weights[n].setdefault(j, {})
                of[i] = of.get(i, ZERO) + share
        return weights

    def _cover(
        self, missing: dict[Monomial, Fraction], left: dict[int, Fraction]
    ) -> Iterator[tuple[int, int, Fraction]]:
        """Shares of forms as (worst case, form, share) that make up for what one choice misses."""
        alone = [(*one, n) for n in left if (one := self.added[n].alone(missing)) is not None]
        if alone and (least := min(alone))[0] <= min(Fraction(1), left[least[2]]):
            share, j, n = least
            yield n, j, share
            return
        for term in list(missing):
            options = sorted(((*self.added[n].most(term), n) for n in left), reverse=True)
            for amount, j, n in options:
                if missing[term] <= 0 or amount <= 0:
                    break
                share = min(missing[term] / amount, left[n])
                if not share:
                    continue
                left[n] -= share
                yield n, j, share
                for other, c in self.added[n].peak.of[j].monomials:
                    if other in missing:
                        missing[other] -= share * self.added[n].factor * c

    def followed(self, weights: Weights, bounds: bool) -> tuple[dict[str, Any], Remainder]:
        """The rule as data, and what it leaves; `bounds`: with multiples of bounds."""
        left = self.left()
        follow: list[Any] = [
            ["choose", peak.m, i, [text(inner) for inner in peak.of]] for peak, i in self.chosen
        ]
        try:
            for added, of in zip(self.added, weights, strict=True):
                some: dict[Form, dict[int, Fraction]] = {}
                for j, f in sorted(of.items()):
                    into = some.setdefault(added.peak.of[j], {})
                    for i, c in f.items():
                        into[i] = into.get(i, ZERO) + c * added.factor
                if some:
                    left.weigh(added.peak, list(some.items()))
                    written = [[text(inner), _data(f)] for inner, f in some.items()]
                    follow.append(["weigh", peak_text(added.peak), written])
        except BadCertificate:
            return {}, self.left()
        data: dict[str, Any] = {"follow": follow}
        found = list(_bounds(left)) if bounds else []
        for term, end, multiple in found:
            left.bound(bound_form(term[0][0], end), multiple)
        return data | ({"bounds": [[t[0][0].of[0], e, _data(f)] for t, e, f in found]} if found else {}), left


def _bounds(left: Remainder) -> Iterator[tuple[Monomial, str, Affine]]:
    """Multiples of the distances of letters to their ends: as much as there is of each letter."""
    for term, coefficient in list(left.coefficients.items()):
        f = {i: c for i, c in coefficient.items() if c}
        if isinstance(term, Peak) or len(term) != 1 or term[0][1] != 1 or term[0][0].kind != "letter":
            continue
        domain = term[0][0].of[1]
        if domain.least and left.choices.never_negative(f):
            yield term, "least", f
        elif domain.greatest is not None and left.choices.never_negative(negated(f)):
            yield term, "greatest", negated(f)


def _data(f: Affine) -> list[list[Any]]:
    """An affine function as JSON."""
    return [[i, str(c)] for i, c in sorted(f.items())]


def at_a_glance(difference: Form, symbols: Mapping[str, Term], known: Known) -> Any:
    """A proof without linear programs: of each piece where they are few, else a rule for all of them.

    Without one, the list of monomials that a rule would not cover.
    """
    if pieces(difference, FEW_PIECES) is None:
        return find(difference, known)
    try:
        return tree(difference, symbols, known, at_once=True)
    except NoWeights:
        return []
