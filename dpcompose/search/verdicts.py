"""Verdicts: a claim is proved or refuted by a theorem of the kernel, or undecided with a reason.

What refutes a claim is looked for at simple points: witnesses of its own notion, guarantees of other notions
that it would imply, and curves.  A reason says what is missing; it decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Any

from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term, TermError
from dpcompose.kernel.judgements import Composed, Loose, Lower, Satisfies
from dpcompose.kernel.library.theory import NoPage
from dpcompose.kernel.rules.premises import claimed as read_claim
from dpcompose.kernel.theorems import Theorem
from dpcompose.search import always, by_rows, chains, guarantees, least, reasons, tightness
from dpcompose.search.comparisons import parameters
from dpcompose.search.comparisons.weakening import weakened
from dpcompose.search.conversions import apart, besides
from dpcompose.search.guarantees import Guarantees, NoGuarantee, Workshop, known_to_be_lost
from dpcompose.search.least import BITS
from dpcompose.search.refutations import curves, events, plainer, witnesses
from dpcompose.search.refutations.claimed import Claimed
from dpcompose.search.trying import tried


@frozen
class Verdict:
    """What was found about a claim.

    word -- "proved", "refuted" or "undecided"; theorem -- what proves or refutes it;
    loose -- of proved claims: True where they are larger than a guarantee for some values, False where they
    equal an optimal one; shown -- the theorem on that;
    guarantees -- what the claim was compared with; reason -- of undecided claims.
    """

    claim: Mapping[str, str]
    word: str
    theorem: Theorem | None = None
    loose: bool | None = None
    shown: Theorem | None = None
    guarantees: Guarantees | None = None
    reason: str = ""

    @property
    def theorems(self) -> list[Theorem]:
        """What is saved of it."""
        return [theorem for theorem in (self.theorem, self.shown) if theorem is not None]


Standing = tuple[bool | None, Theorem | None]
"""Whether a proved claim is loose, as of a verdict, and the theorem on that."""
Refuting = Callable[[Claimed], Theorem | None]
"""What may refute a claim."""
BY_WITNESSES: tuple[Refuting, ...] = (witnesses.by_witnesses, witnesses.by_tails)
BY_MORE: tuple[Refuting, ...] = (witnesses.by_nothing, curves.by_events, curves.by_implied)
"""What is tried where the guarantees and the curve of all mechanisms decide nothing, the cheapest first."""


def by_two_outcomes(claimed: Claimed) -> Theorem | None:
    """The claim refuted by mechanisms with two outcomes on listed databases."""
    return events.refuted(claimed.shop.prover, claimed.claim, claimed.says, claimed.simple_points)


@frozen
class Verdicts:
    """Decides claims about one setting."""

    shop: Workshop
    _known: dict[tuple[str, tuple[tuple[str, Term], ...]], list[Guarantees]] = field(default_factory=dict)

    def on(self, claim: Mapping[str, str], explained: bool = True) -> Verdict:
        """The verdict on a claim: a notion and formulas for its parameters; explained -- with a reason."""
        prover, misread = self.shop.prover, None
        try:
            given = [(key, text) for key, text in claim.items() if key not in ("notion", "orders")]
            misread = prover.theory.rule(claim["notion"]).head.misread(given)
            claimed = Claimed(self.shop, claim, read_claim(dict(claim), prover.setting, prover.theory))
        except (NoPage, ValueError) as error:
            return Verdict(claim, "undecided", reason=misread or str(error))
        if self.shop.vacuous:
            return Verdict(claim, "proved", prover.by("vacuous", self.shop.cover, claim=dict(claim)))
        if claimed.limited != claimed.values.keys() and (trivial := self._trivial(claimed)):
            return self._beside_guarantees(claimed, trivial)
        verdict = self._decided(claimed)
        if verdict.word == "refuted":
            verdict = replace(verdict, theorem=plainer.plainer(prover, verdict.theorem))
        # of mechanisms one by one, also where the whole of a study is left out
        if verdict.loose is None and self.shop.flat is not None:
            flat = Verdicts(self.shop.flat).on(claim, explained=False)
            verdict = flat if flat.word != "undecided" else verdict
        known = self.in_notion(claimed.says)
        if verdict.word == "undecided" and explained:
            verdict = replace(verdict, reason=reasons.why(self.shop, claimed.says, known))
        return verdict if verdict.guarantees or not known else replace(verdict, guarantees=known[0])

    def _decided(self, claimed: Claimed) -> Verdict:
        """The verdict by what is known of all mechanisms, and then by what is found out of some of them."""
        known = self.in_notion(claimed.says)
        verdict = self._by_guarantees(claimed, known)
        if verdict.word == "undecided":
            verdict = self._trivial(claimed) or self._refuted(claimed, BY_WITNESSES, verdict)
        if verdict.word == "undecided":
            verdict = self._by_rows(claimed, verdict)
        if verdict.word == "undecided" and claimed.has_letters:  # else a curve tells more
            verdict = self._besides(claimed, besides.of_the_whole) or verdict
        if verdict.word != "refuted" and verdict.loose is None:
            verdict = self._by_curve(claimed, verdict)
        if verdict.word == "undecided":
            verdict = self._refuted(claimed, BY_MORE, verdict)
        if verdict.word == "undecided":
            others = apart.guarantees if claimed.has_letters else besides.guarantees
            many = (curves.by_many_members,)
            verdict = self._besides(claimed, others) or self._refuted(claimed, many, verdict)
        if verdict.word == "undecided" and known and not known[0].way.chosen:
            chosen = guarantees.by_chosen_ways(self.shop, claimed.says.notion, claimed.values)
            proved = self._by_guarantees(claimed, list(chosen))
            verdict = proved if proved.word == "proved" else verdict
        if verdict.word == "undecided" and (proof := self._along_chains(claimed)) is not None:
            verdict = replace(verdict, word="proved", theorem=proof)
        if verdict.word == "undecided":
            verdict = self._refuted(claimed, (by_two_outcomes,), verdict)
        return verdict

    def _along_chains(self, claimed: Claimed) -> Theorem | None:
        """A proof along chains of listed databases."""
        composed = tried(self.shop.prover, "compose", *self.shop.stated)
        if composed is None or not isinstance(composed.says, Composed):
            return None
        if composed.says.notion != claimed.says.notion:
            return None
        return chains.proved(self.shop.prover, composed, claimed.claim, claimed.says, claimed.simple_points)

    def _by_rows(self, claimed: Claimed, verdict: Verdict) -> Verdict:
        """The verdict by the rows of tables."""
        if (found := by_rows.decided(claimed)) is None:
            return verdict
        word = "proved" if isinstance(found.says, Satisfies) else "refuted"
        return replace(verdict, word=word, theorem=found)

    def _refuted(self, claimed: Claimed, attempts: Sequence[Refuting], verdict: Verdict) -> Verdict:
        """The claim refuted by the first that does; the verdict as it was where none does."""
        refuted = next(filter(None, (attempt(claimed) for attempt in attempts)), None)
        return verdict if refuted is None else replace(verdict, word="refuted", theorem=refuted)

    def in_notion(self, said: Satisfies) -> list[Guarantees]:
        """The guarantees in the notion of a claim, the best first."""
        key = (said.notion, said.values)
        if key not in self._known:
            try:
                if self.shop.notions == [said.notion]:
                    self._known[key] = [guarantees.best(self.shop)]
                else:
                    self._known[key] = guarantees.guarantees_in(self.shop, said.notion, dict(said.values))
            except NoGuarantee:
                self._known[key] = []
        return self._known[key]

    def _by_guarantees(self, claimed: Claimed, known: Sequence[Guarantees]) -> Verdict:
        """A proof from one of the guarantees."""
        for each in known:
            for guarantee in each.known:
                if (proof := weakened(self.shop.prover, guarantee.theorem, claimed.claim)) is not None:
                    standing = self._standing(claimed, guarantee.theorem, proof)
                    return Verdict(claimed.claim, "proved", proof, *standing, each)
        return Verdict(claimed.claim, "undecided", guarantees=known[0] if known else None)

    def _besides(
        self, claimed: Claimed, every: Callable[[Workshop, Satisfies], Iterable[Theorem]]
    ) -> Verdict | None:
        """A proof from guarantees beside the chains of conversions."""
        for known in every(self.shop, claimed.says):
            proof = known if known.says == claimed.says else weakened(self.shop.prover, known, claimed.claim)
            if proof is not None:
                return Verdict(claimed.claim, "proved", proof, *self._standing(claimed, known, proof))
        return None

    def _standing(self, claimed: Claimed, known: Theorem, proof: Theorem) -> Standing:
        """Whether a proved claim is loose, and the theorem on that."""
        prover = self.shop.prover
        if (larger := tightness.loose(prover, known, claimed.claim, claimed.says)) is not None:
            return True, larger
        lower = known_to_be_lost(self.shop, claimed.says.notion)
        if lower is None or not isinstance(lower.says, Lower) or not isinstance(known.says, Satisfies):
            return None, None
        key, values = lower.says.key, dict(known.says.values)
        if not all(self._is_same(value, values[x]) for x, value in claimed.says.values if x != key):
            return None, None
        least = tightness.optimal(prover, proof, lower)
        return (None, None) if least is None else (False, least)

    def _is_same(self, greater: Term, lesser: Term) -> bool:
        """Whether two values, of which the one is at least the other, are equal."""
        if greater == lesser or terms.INFINITY in (greater, lesser):
            return greater == lesser
        return parameters.at_least(lesser, greater, assumed=self.shop.setting.assumed) is not None

    def _trivial(self, claimed: Claimed) -> Verdict | None:
        """A claim that every mechanism satisfies."""
        proof = always.by_itself(self.shop.prover, claimed.claim, claimed.says)
        if proof is None or claimed.limited == claimed.values.keys():
            return None if proof is None else Verdict(claimed.claim, "proved", proof)
        lower = known_to_be_lost(self.shop, claimed.says.notion)
        least = tightness.optimal(self.shop.prover, proof, lower)  # more than any number is lost
        return Verdict(claimed.claim, "proved", proof, None if least is None else False, least)

    def _beside_guarantees(self, claimed: Claimed, trivial: Verdict) -> Verdict:
        """A claim that holds by itself, and is loose where a guarantee is known that says something."""
        if trivial.theorem is None or trivial.loose is not None:
            return trivial
        with suppress(TermError):  # numbers on the way are too long to be written
            for known in chain.from_iterable(each.known for each in self.in_notion(claimed.says)):
                loose, shown = self._standing(claimed, known.theorem, trivial.theorem)
                if loose is not None:
                    return replace(trivial, loose=loose, shown=shown)
        if self.shop.flat is None:
            return trivial
        flat = Verdicts(self.shop.flat).on(claimed.claim, explained=False)
        return replace(trivial, loose=flat.loose, shown=flat.shown)

    def _by_curve(self, claimed: Claimed, verdict: Verdict) -> Verdict:
        """The verdict by a computed curve, where there is one that says more."""
        claimed = claimed.whole
        is_proved = verdict.word == "proved"
        if least.page(claimed.shop, claimed.says.notion) is None:
            if is_proved:
                return verdict
            is_lost = least.page(claimed.shop, claimed.says.notion, lost=True) is not None
            usual = claimed.usual if claimed.shop.setting.assumed else {}
            return self._exceeded(claimed, verdict, claimed.simple_points if is_lost else [usual])
        if claimed.has_letters or claimed.limited != claimed.values.keys():
            return verdict if is_proved else self._exceeded(claimed, verdict, claimed.simple_points)
        for bits in BITS:
            asked: dict[str, Any] = {"claim": dict(claimed.claim), "bits": bits}
            if (proof := tried(claimed.shop.prover, "curve", *claimed.premises, **asked)) is not None:
                return self._by_curve_standing(claimed, verdict, proof, bits)
            if is_proved:
                return verdict
            verdict = self._exceeded(claimed, verdict, claimed.simple_points, bits)
            if verdict.word != "undecided":
                return verdict
        return verdict

    def _exceeded(
        self,
        claimed: Claimed,
        verdict: Verdict,
        points: Sequence[Mapping[str, Fraction]],
        bits: int = BITS[0],
    ) -> Verdict:
        """The claim refuted where mechanisms have a larger δ."""
        return self._refuted(claimed, (partial(curves.by_curves, points=points, bits=[bits]),), verdict)

    def _by_curve_standing(self, claimed: Claimed, verdict: Verdict, proof: Theorem, bits: int) -> Verdict:
        """A claim that the curve proves, and whether it is loose by the curve."""
        proved = replace(verdict, word="proved", theorem=verdict.theorem or proof, reason="")
        asked: dict[str, Any] = {"claim": dict(claimed.claim), "bits": bits}
        shown = tried(claimed.shop.prover, "curve_standing", proof, *claimed.premises, **asked)
        return proved if shown is None else replace(proved, shown=shown, loose=isinstance(shown.says, Loose))
