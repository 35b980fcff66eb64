"""What mechanisms that are run on samples lose at a pair of databases, in counterexamples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import Any

from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY, Term
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.proof.counterexamples import witnesses
from dpcompose.proof.counterexamples.witnesses import Row, Violating
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.theory.registry import Page

Records = Counter[Hashable]


@frozen
class OnSamples:
    """M_i, which is run on samples, at D and E in this order: records come from E to D, or are gone in D."""

    inputs: Inputs
    i: int
    pair: tuple[Any, Any]
    point: Mapping[str, Fraction]

    @property
    def mechanism(self) -> Mechanism:
        return self.inputs.setting.mechanisms[self.i - 1]

    @property
    def head(self) -> Any:
        """The head of the page of the sample."""
        assert self.mechanism.sampled is not None
        return self.inputs.theory.pages[self.mechanism.sampled.by.kind.page].head

    def row(self, page: Page) -> Row:
        """What M_i loses, as a page of witnesses counts it.  Raises BadCertificate where it is not known."""
        stated, head = self.mechanism.satisfies, self.head
        unknown = f"{self.mechanism.name} is run on a sample, and what it loses there is not known"
        if stated.notion != page.head.notion or stated.notion not in head.attained:
            raise BadCertificate(unknown)
        if INFINITY in (value for _, value in stated.terms):
            raise BadCertificate(unknown)
        more, fewer = self.differing
        by_itself = head.how == "poisson" and page.head.by == "ratio"
        steady = (
            head.guarantee[stated.notion] == head.turned.get(stated.notion)
            and page.head.by == "ratio"
            and more.total() == fewer.total()
        )
        if not (by_itself or steady or self._comes_anew(more, fewer)):
            raise BadCertificate(unknown)
        lost = self._at(page, dict(stated.terms))
        if page.head.by == "noise":
            return self._in_the_limit(page, formulas.at(lost, self.point), unknown)
        if page.head.by == "event":
            return witnesses.row(page, self.i, lost, self.point)
        if by_itself or steady:
            lost = terms.number(more.total()) * lost
            if fewer and not steady:
                lost += terms.number(fewer.total()) * self._at(page, self._turned())
        return Violating(self.i, head.id, head.mechanism, witnesses.number_of(formulas.at(lost, self.point)))

    def _in_the_limit(self, page: Page, lost: Term, unknown: str) -> Row:
        """Normal noise, of which divergences on samples come near to those of all records at large orders."""
        sampled, (D, E) = self.mechanism.sampled, self.pair
        assert sampled is not None
        rate = formulas.at(sampled.by.rate, self.point) if self.head.rate else terms.ONE
        moving = [
            mechanism
            for mechanism in self.inputs.setting.mechanisms
            if mechanism.reads(D) != mechanism.reads(E)
        ]
        alike = all(
            mechanism.satisfies.notion == page.head.notion and mechanism.noise is None for mechanism in moving
        )
        if rate == terms.ZERO or not alike:
            raise BadCertificate(unknown)
        noise = f"normal noise of variance {page.head.variance}"
        words = f"{noise} around how many such records the sample has, at large orders"
        return Violating(self.i, self.head.id, words, witnesses.number_of(lost**2))

    @property
    def differing(self) -> tuple[Records, Records]:
        """What is read of D and not of E, and of E and not of D."""
        D, E = (self.mechanism.reads(one) for one in self.pair)
        at_D, at_E = (Counter(one if isinstance(one, tuple) else ()) for one in (D, E))
        return at_D - at_E, at_E - at_D

    def _at(self, page: Page, stated: Mapping[str, Term]) -> Term:
        return formulas.parse(page.head.distance, {**stated, "r": terms.ONE})

    def _turned(self) -> dict[str, Term]:
        """What is lost for each record that E has and D not."""
        sampled = self.mechanism.sampled
        assert sampled is not None
        (on_samples,) = sampled.on_samples
        letters = {**sampled.by.named, **dict(on_samples.terms)}
        texts: Mapping[str, str] = self.head.turned[on_samples.notion]
        return {key: formulas.parse(text, letters) for key, text in texts.items()}

    def _comes_anew(self, more: Records, fewer: Records) -> bool:
        """Whether D has one record more, or in place of another one, of which E has none; where it is not
        read, E is to have nothing but the other one."""
        _, E = self.pair
        at_E, sampled = Counter(E), self.mechanism.sampled
        assert sampled is not None
        if self.head.how in ("poisson", "any-number"):
            (come,) = more if more.total() == 1 else (None,)
            alone = more.total() == 1 and not fewer and at_E[come] == 0
            drawn = formulas.at(sampled.by.values[0], self.point).number
            return alone and (self.head.how == "poisson" or len(E) == drawn)
        if more.total() == 1 and fewer.total() <= 1:
            return all(at_E[one] == 0 for one in more)
        return not more and fewer.total() == 1 and all(at_E[one] == len(E) for one in fewer)
