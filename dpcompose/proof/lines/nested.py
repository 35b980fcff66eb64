"""Lines on compositions that are mechanisms of others: their guarantee, by a derivation of their own, and
what no smaller guarantee can be, by their mechanisms one by one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpcompose.language import formulas
from dpcompose.privacy.flattening import NotFlat, flattened
from dpcompose.privacy.settings import Setting, inside
from dpcompose.proof import certificates, derivations, kernel
from dpcompose.proof.derivations import Derived, Maker, Refused
from dpcompose.proof.lines.attained import Attained
from dpcompose.proof.lines.stated import Sources, StepRefused
from dpcompose.proof.registry import Page

AT_LEAST = "at least"
"""Beside the lines about the mechanisms one by one what compares their guarantee with the one here."""


@dataclass(frozen=True, eq=False)
class Compositions(Attained):
    """Whether a composition has the guarantee that it enters another one with."""

    _flat: dict[str, Setting | str] = field(default_factory=dict, repr=False)

    @abstractmethod
    def about(self, setting: Setting, saved: Mapping[str, Any]) -> Maker:
        """What makes the lines of another setting, with the same pages."""

    def one_by_one(self, notion: str) -> Setting | str:
        """The setting with the mechanisms of its compositions one by one, noise stated in a notion; else why
        they cannot be stated so: "" where there are no compositions."""
        if notion not in self._flat:
            found: Setting | str = ""
            if self.setting.studies:
                try:
                    found = flattened(self.setting).in_one_notion([notion])
                except NotFlat as error:
                    found = str(error)
            self._flat[notion] = found
        return self._flat[notion]

    def _given(self, roles: Mapping[str, Any], evidence: Any) -> kernel.Given | kernel.Releases:
        """M_i's guarantee as the setting states it; that of a composition as its own lines show it."""
        mechanism = self.setting.mechanisms[self._mechanism(roles) - 1]
        study = inside(mechanism)
        if study is None:
            return super()._given(roles, evidence)
        if self.setting.doubts:
            raise StepRefused(self.setting.doubts[0])
        shown = self._shown(mechanism.name, study, evidence)
        stated = mechanism.satisfies
        if shown.private.notion != stated.notion or any(
            formulas.parse(text, study.symbols, index="i") != stated[key]
            for key, text in shown.private.parameters
        ):
            values = ", ".join(f"{key} = {text}" for key, text in shown.private.parameters)
            raise StepRefused(
                f"the study of {mechanism.name} shows {shown.private.notion} privacy with {values}, "
                "and that is not what it is said to satisfy"
            )
        return kernel.Composed(
            *self._as_stated(mechanism, self._mechanism(roles)), believed=kernel.assumed(shown.lines)
        )

    def _shown(self, name: str, setting: Setting, saved: Any, further: Sequence[str] = ()) -> Derived[Maker]:
        """What the lines of another setting show, all made again; further -- what else stands beside them."""
        if not derivations.is_read(saved, further):
            raise StepRefused(f"there are no lines that show the guarantee of {name}")
        try:
            return derivations.remade(saved, self.about(setting, saved))
        except Refused as error:
            raise StepRefused(f"{name}: {error}") from None

    def attained_one_by_one(
        self, page: Page, roles: Mapping[str, Any], sources: Sources, evidence: Any
    ) -> kernel.Optimal:
        """No smaller guarantee holds for the mechanisms one by one, whatever they are composed to first.

        evidence -- the derivation for these, which ends with an optimal guarantee; and by parameter what
        shows that it is at least the one here, where it is written otherwise.
        """
        private = sources[-1].judgement if sources else None
        if not isinstance(private, kernel.Private) or page.head.notion != private.notion:
            raise StepRefused(f"{page.id} uses a guarantee of its notion")
        setting = self.one_by_one(private.notion)
        if isinstance(setting, str):
            raise StepRefused(f"the mechanisms of the studies cannot be stated one by one: {setting}")
        if not derivations.is_read(evidence, [AT_LEAST]) or not isinstance(evidence.get(AT_LEAST), dict):
            raise StepRefused("there are no lines about the mechanisms one by one")
        shown = self._shown("the mechanisms one by one", setting, evidence, [AT_LEAST])
        if not shown.optimal or shown.private.notion != private.notion:
            raise StepRefused("the guarantee of the mechanisms one by one is not known to be optimal")
        needed, proofs = dict(shown.private.parameters), evidence[AT_LEAST]
        differ = {key for key, text in private.parameters if needed[key] != text}
        if set(proofs) != differ:
            raise StepRefused(
                "what shows that the mechanisms one by one need as much is about other parameters"
            )
        for key, text in private.parameters:
            if key in differ:
                try:
                    proof = certificates.from_data(proofs[key])
                    greater, lesser = (self.form(private.notion, one, key) for one in (needed[key], text))
                    certificates.check_at_least(greater, lesser, self.setting.domains, proof)
                except (certificates.BadCertificate, formulas.FormulaError) as error:
                    raise StepRefused(f"the mechanisms one by one need as much: {error}") from None
        return kernel.Optimal(private.notion, private.parameters)
