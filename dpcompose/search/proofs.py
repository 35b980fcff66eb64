"""Proofs: verdicts and guarantees of a setting, for the neighbours of its target; see `replayed`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import cached_property
from typing import Any

from dpcompose.kernel.core import lines
from dpcompose.kernel.core.orders import Orders
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import TermError
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.theorems import Prover, Theorem
from dpcompose.language.answers import NoAnswer
from dpcompose.privacy.elaboration import Elaborated, NoLemma, elaborated
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.flattening import NotFlat, flattened
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.search import always, guarantees, replayed, single_steps, stated
from dpcompose.search.choices.choices import Choices
from dpcompose.search.conversions import orders, tradeoffs
from dpcompose.search.guarantees import Guarantees, Known, NoGuarantee, Workshop
from dpcompose.search.replayed import Proved, undecided
from dpcompose.search.trying import tried
from dpcompose.search.verdicts import Verdict, Verdicts
from dpcompose.spaces.classes.databases import TooLarge
from dpcompose.spaces.inputs.maps import NotAMap

TOO_LARGE = "it cannot be computed with these numbers"
NEARER = "numbers nearer to 1 would do"


@frozen
class Proofs:
    """What is proved of one setting with the pages of one theory."""

    setting: Setting
    theory: Theory
    _shops: dict[str, Workshop] = field(default_factory=dict, compare=False)
    _verdicts: dict[tuple[tuple[tuple[str, str], ...], str], Proved] = field(
        default_factory=dict, compare=False
    )
    _at: dict[Orders, Proofs] = field(default_factory=dict, compare=False)

    @property
    def elaborated(self) -> Elaborated:
        """The setting with its core setting.  Raises NoLemma where none says it."""
        if isinstance(known := self._elaborated, NoLemma):
            raise known.with_traceback(None)
        return known

    @cached_property
    def _elaborated(self) -> Elaborated | NoLemma:
        """The same; what is refused once is not tried again for each claim."""
        known = elaborated(self.setting)
        try:
            _ = known.core
        except NoLemma as error:
            return error
        except NotAMap as error:
            raise InvalidSetting(str(error)) from None
        return known

    @property
    def shop(self) -> Workshop:
        """What all proofs about the setting share.

        Raises InvalidSetting where no mechanisms are as it says, NoLemma, NoGuarantee and TooLarge.
        """
        if isinstance(workshop := self._shop_or_why, Exception):
            raise workshop.with_traceback(None)
        return workshop

    @cached_property
    def _shop_or_why(self) -> Workshop | InvalidSetting | NoAnswer:
        """The same; what is refused once is not tried again for each claim."""
        try:
            stated.check(self.setting, self.theory)
            _ = self.unknown
            return guarantees.workshop(self.elaborated.core, self.theory)
        except (InvalidSetting, NoAnswer) as error:
            return error

    @cached_property
    def unknown(self) -> str:
        """Why it is not known whether there are mechanisms as the setting says; "" where it is."""
        return stated.check_values(self.elaborated.core)

    @cached_property
    def choices(self) -> Choices | None:
        """The choices of one guarantee of each mechanism, where some have several.  Raises like `shop`."""
        if not self.setting.has_choices:
            return None
        if isinstance(known := self._shop_or_why, InvalidSetting | NoLemma | TooLarge):
            raise known.with_traceback(None)
        return Choices(self.elaborated.core, self.theory)

    def shop_in(self, notion: str) -> Workshop:
        """The same with noise stated in a notion."""
        if notion not in self._shops:
            self._shops[notion] = guarantees.in_notion(self.shop, notion)
        return self._shops[notion]

    def guarantee(self, notion: str | None = None) -> Guarantees:
        """The best guarantee in a notion.  Raises NoLemma and NoGuarantee."""
        if self.unknown:
            raise NoGuarantee(self.unknown)
        try:
            if self.choices is not None:
                return self.choices.best(notion)[1]
            return guarantees.best(self.shop if notion is None else self.shop_in(notion), notion)
        except TermError as error:
            raise NoGuarantee(f"{TOO_LARGE}: {error}; {NEARER}") from None

    def together(self, notion: str) -> Known | None:
        """The least of what all guarantees of mechanisms give; None where it is not seen to be less than the
        best with one of each, and not to be optimal.  Raises NoLemma and NoGuarantee."""
        if self.choices is None or (known := self.choices.together(notion)) is None:
            return None
        best = self.guarantee(notion).main
        return known if known.optimal or self.choices.is_less(known.theorem, best.theorem) else None

    def verdict(self, claim: Mapping[str, str], doubt: str = "") -> Proved:
        """The verdict on a claim, once what shows it was made again from its saved form.

        doubt -- why the claim, as it was written, may have no value: then it is undecided.
        A claim that is asked about again, as for saving, is not judged again.
        Raises NoLemma and NoGuarantee where nothing is proved of the setting.
        """
        asked = tuple(claim.items()), doubt
        if asked not in self._verdicts:
            self._verdicts[asked] = self._verdict(claim, doubt)
        return self._verdicts[asked]

    def _verdict(self, claim: Mapping[str, str], doubt: str) -> Proved:
        """The same, found and made again."""
        if doubt:
            return undecided(Verdict(claim, "undecided", reason=doubt))
        verdict = self._verdict_on(claim)
        if verdict.theorem is None:
            more = f"; {self.not_flat}" if self.not_flat else ""
            return undecided(replace(verdict, reason=verdict.reason + more))
        return self._made_again(verdict)

    def proof(self, claim: Mapping[str, str]) -> Proved | None:
        """The verdict that a claim is proved; None where it is not: then nothing is made again."""
        verdict = self._verdict_on(claim)
        return self._made_again(verdict) if verdict.word == "proved" else None

    def _made_again(self, verdict: Verdict) -> Proved:
        """A verdict by its theorems, made again from their saved form."""
        return replayed.proved(verdict, self.replayed(verdict.theorems))

    def at_orders(self, orders: Orders) -> Proofs:
        """What is proved where divergences of other orders are spoken of.  Raises InvalidSetting."""
        if orders == self.setting.orders:
            return self
        if orders not in self._at:
            self._at[orders] = Proofs(self.setting.at_orders(orders), self.theory)
        return self._at[orders]

    def _verdict_on(self, claim: Mapping[str, str]) -> Verdict:
        """The verdict on a claim; undecided where numbers on the way are too long to be written."""
        try:
            if (
                "orders" in claim
                and (there := self.at_orders(at := Orders.read(claim["orders"]))) is not self
            ):
                verdict = _itself(there, there._verdict_on(claim))
                return orders.in_other_orders(Prover(self.elaborated.core, self.theory), verdict, at)
            prover = Prover(self.elaborated.core, self.theory)
            if (some := tradeoffs.lines_of(claim, prover)) is not None:
                return tradeoffs.judged(claim, some, prover, self._of_line)
            verdict = self._judged(claim)
            if verdict.word == "undecided" and self.setting.orders is not None and self.choices is None:
                shop = self.shop_in(claim["notion"])
                verdict = orders.decided(shop, self.elaborated.core, claim) or self._beyond(claim) or verdict
            return verdict
        except lines.NoLines as error:
            return Verdict(claim, "undecided", reason=str(error))
        except InvalidSetting as error:
            prover = Prover(self.elaborated.core, self.theory)
            made = tried(prover, "trivial", claim=dict(claim), key="epsilon")
            if made is not None:  # a claim that says nothing, of whatever orders
                return Verdict(claim, "proved", made)
            return self._beyond(claim) or Verdict(claim, "undecided", reason=str(error))
        except TermError as error:
            return Verdict(claim, "undecided", reason=f"{TOO_LARGE}: {error}; {NEARER}")

    def _beyond(self, claim: Mapping[str, str]) -> Verdict | None:
        """A claim about divergences of late orders, refuted by what it implies of truncated ones."""
        if "orders" not in claim or self.choices is not None:
            return None
        return orders.beyond(claim, Prover(self.elaborated.core, self.theory), self._judged)

    def _of_line(self, claim: Mapping[str, str]) -> Verdict:
        """The verdict on a claim, by a theorem about the setting itself."""
        verdict = self._verdict_on(claim)
        return (
            verdict
            if verdict.theorem is None
            else replace(verdict, theorem=self.about_itself(verdict.theorem))
        )

    def _judged(self, claim: Mapping[str, str]) -> Verdict:
        """The verdict on a claim; one that says nothing needs no guarantee."""
        try:
            if self.choices is not None:
                _ = self.choices.every
                return self.choices.verdict(claim)
            shop = self.shop_in(claim["notion"])
        except NoGuarantee:
            made = always.without_guarantees(Prover(self.elaborated.core, self.theory), claim)
            if made is None:
                raise
            return Verdict(claim, "proved", made)
        verdict = Verdicts(shop).on(claim)
        others = (Verdicts(workshop).on(claim) for workshop in self._stated_otherwise(claim["notion"]))
        if verdict.word == "undecided":
            verdict = next((other for other in others if other.word != "undecided"), verdict)
        if verdict.word == "undecided":
            verdict = self._by_single_steps(shop, claim) or verdict
        return verdict

    def _by_single_steps(self, shop: Workshop, claim: Mapping[str, str]) -> Verdict | None:
        """The verdict by what is stated for single steps of distances; None where there is none."""
        values = single_steps.values_of(shop.setting, self.theory)
        if (setting := single_steps.setting_of(shop.setting, values)) is not None:
            with suppress(NoGuarantee):
                verdict = Verdicts(guarantees.workshop(setting, self.theory)).on(claim, explained=False)
                made = single_steps.about_all(shop.prover, verdict.theorem, values)
                return None if made is None else Verdict(claim, verdict.word, made)
        return None

    def _stated_otherwise(self, notion: str) -> Iterator[Workshop]:
        """Shops with noise stated in the notions, besides one, in which its pages have guarantees."""
        noises = [
            mechanism.noise for mechanism in self.elaborated.core.mechanisms if mechanism.noise is not None
        ]
        laws = [self.theory.page(noise.page, "noise").head for noise in noises]
        for other in dict.fromkeys(other for law in laws for other in law.guarantee):
            if other != notion:
                yield self.shop_in(other)

    @cached_property
    def not_flat(self) -> str:
        """Why the mechanisms of studies cannot be stated one by one; "" where they can, or there are none."""
        try:
            flattened(self.setting)
        except NotFlat as error:
            return str(error)
        return ""

    def replayed(self, theorems: Sequence[Theorem]) -> list[Theorem]:
        """Theorems about the setting, or with its studies one by one, made again from their saved form."""
        return replayed.again(
            self.elaborated.core, self.theory, [self.about_itself(theorem) for theorem in theorems]
        )

    def about_itself(self, theorem: Theorem) -> Theorem:
        """A theorem about the setting itself, where it is about the mechanisms of its studies one by one."""
        if theorem.setting == self.elaborated.core.hash:
            return theorem
        return self.shop.prover.by("one_by_one", theorem)


def saved(
    proofs: Proofs, problem: Any, verdicts: Sequence[Proved], notion: str | None = None
) -> dict[str, Any]:
    """A derivation file: the problem, its core setting, the steps, the guarantee, and a verdict a claim."""
    best, optimal = None, list[Theorem]()
    with suppress(NoGuarantee, TermError):
        main = proofs.guarantee(notion).best
        main = proofs.together(main.says.notion) or main
        best = proofs.about_itself(main.theorem)
        optimal = [proofs.about_itself(theorem) for theorem in _optimal(proofs, main)]
    about_themselves = [_about_itself(proofs, verdict) for verdict in verdicts]
    return {"problem": problem} | replayed.saved(
        proofs.elaborated.core, proofs.theory, about_themselves, best, optimal
    )


def _about_itself(proofs: Proofs, proved: Proved) -> Verdict:
    """A verdict by theorems about the setting itself."""
    return replace(_itself(proofs, proved.verdict), word=proved.word, loose=proved.loose)


def _itself(proofs: Proofs, verdict: Verdict) -> Verdict:
    """A verdict, as it was found, by theorems about the setting itself."""
    theorem, shown = (
        None if it is None else proofs.about_itself(it) for it in (verdict.theorem, verdict.shown)
    )
    return replace(verdict, theorem=theorem, shown=shown)


def _optimal(proofs: Proofs, main: Known) -> list[Theorem]:
    """That a guarantee is optimal: by itself, or for the mechanisms of studies one by one."""
    if main.optimal or proofs.choices is not None or proofs.shop.flat is None:
        return [] if main.optimal is None else [main.optimal]
    guarantee = main.says
    claim = {"notion": guarantee.notion} | {key: formulas.to_text(value) for key, value in guarantee.values}
    verdict = Verdicts(proofs.shop_in(guarantee.notion)).on(claim)
    return [verdict.shown] if verdict.loose is False and verdict.shown is not None else []


__all__ = ["Guarantees", "NoGuarantee", "NoLemma", "Proofs", "Proved", "saved"]
