"""Lines by named theorems: what people cite, where it says the same as the profile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import sympy

from dpcompose.language import forms, formulas
from dpcompose.language.forms import Form
from dpcompose.proof import kernel
from dpcompose.proof.hypotheses import binding
from dpcompose.proof.hypotheses.inputs import NotDecidable
from dpcompose.proof.lines.closer import CloserValues
from dpcompose.proof.lines.distances import INFINITE_LOSS, Loss
from dpcompose.proof.lines.profiles import members
from dpcompose.proof.lines.stated import Sources, StepRefused
from dpcompose.proof.lines.worst import Losses
from dpcompose.proof.registry import Named, Page
from dpcompose.spaces.databases import TooLarge
from dpcompose.spaces.metrics import INFINITE, at_most

LARGEST_SHAPE = 20_000
"""The most vectors into which a shape is spread when its conclusion is compared with a profile."""


@dataclass(frozen=True, eq=False)
class Theorems(CloserValues):
    """The worst loss over a profile, as a theorem concludes it from its hypotheses."""

    def _named(self, page: Page, roles: Mapping[str, Any], sources: Sources) -> kernel.Private:
        """The worst loss over the profile, as a cited theorem concludes it from its hypotheses."""
        head: Named = page.head
        name = page.name(self.notion, self.setting.adaptive)
        if (misfit := self.misfit(head)) is not None:
            raise StepRefused(f"{name}: {misfit}")
        if len(sources) < 2:
            raise StepRefused(f"{page.id} uses a loss and a profile")
        loss, profile = self._loss_and_profile(sources[:2])
        used = [dict(line.roles) for line in sources[2:] if isinstance(line.judgement, kernel.Holds)]
        for hypothesis in head.hypotheses:
            if hypothesis.data() not in used:
                words = binding.words(self.inputs, hypothesis)
                raise StepRefused(f'{name} needs "{words}", which no line that it uses states')
        if len(sources) != 2 + len(head.hypotheses):
            raise StepRefused(f"{page.id} uses a loss, a profile and its hypotheses, and nothing else")
        if head.shape is not None:
            shape = self.theory.pages[head.shape].head
            for vector in profile.vectors:
                if not _lies_in(vector, shape.each, shape.sum):
                    raise StepRefused(f"{name} does not bound it: a vector lies outside of {head.shape}")
        if not head.conclusion:
            return self._guarantee(loss, profile)
        concluded = self.conclusion(head)
        if not profile.vectors:
            raise StepRefused(f"{name} is not needed: there are no neighbours")
        if not self._is_worst(concluded, loss, profile):
            shown = ", ".join(self._text(form, key, self._rule) for key, form in concluded.items())
            raise StepRefused(f"{name} gives {shown}, which is not what the profile gives")
        return self._guarantee(loss, profile, None if self._is_short(loss, profile) else concluded)

    def _is_worst(self, concluded: Mapping[str, Loss], loss: kernel.Loss, profile: kernel.Profile) -> bool:
        """Whether a conclusion is the worst loss over the profile: as it stands, or spread into sums."""
        if concluded == self.bounds(loss, profile):
            return True
        spread = {
            key: form if isinstance(form, str) else self._spread(form) for key, form in concluded.items()
        }
        return spread == self._worst(loss, profile)

    def _is_short(self, loss: kernel.Loss, profile: kernel.Profile) -> bool:
        """Whether the worst loss over the profile is written out."""
        worst = self._worst(loss, profile).values()
        return all(isinstance(losses, str) or len(losses) <= forms.MOST_LISTED for losses in worst)

    def misfit(self, head: Named) -> str | None:
        """Why the premises of a composition theorem are not those of the setting; None where they are."""
        setting, wanted = self.setting, head.premises
        if self.notion not in {*head.items, *head.conclusion}:
            return f"it is not stated for {self.theory.form_of(self.notion)}"
        if wanted.target is not None and str(setting.target) != wanted.target:
            return f"it is about {wanted.target} neighbours, the target is {setting.target}"
        noisy = next((m.name for m in setting.mechanisms if m.noise is not None), None)
        if noisy is not None and wanted.stated is not None:
            return f"it is about guarantees for neighbours, and {noisy} is given by its noise"
        if wanted.k is not None and (setting.families or len(setting.mechanisms) != wanted.k):
            there = "a family" if setting.families else f"{len(setting.mechanisms)}"
            return f"it is about {wanted.k} mechanism, there are {there}"
        first = setting.mechanisms[0]
        for i, mechanism in enumerate(setting.mechanisms, start=1):
            stated = mechanism.satisfies
            if wanted.stated == "H" and stated.granularity != first.satisfies.granularity:
                return (
                    f"it needs guarantees for the same neighbours, that of {first.name} is for "
                    f"{first.satisfies.granularity}, that of {mechanism.name} for {stated.granularity}"
                )
            named = {"G": str(setting.target), "H": None}.get(wanted.stated or "H", wanted.stated)
            if named is not None and str(stated.granularity) != named:
                return (
                    f"it needs guarantees for {named} neighbours, "
                    f"that of {mechanism.name} is for {stated.granularity}"
                )
            everything = mechanism.reads.is_identity(setting.databases)
            if wanted.domain != "any" and not everything and self.domain(i) != wanted.domain:
                return (
                    f"it needs guarantees on the {wanted.domain} domain, "
                    f"that of {mechanism.name} is on the {stated.domain} one"
                )
        return None

    def conclusion(self, head: Named) -> dict[str, Loss]:
        """A page's concluded bound, its formula instantiated with the mechanisms' parameters."""
        stated = [self._stated_as_converted(mechanism) for mechanism in self.setting.mechanisms]
        concluded: dict[str, Loss] = {}
        steps = self._steps_apart(head)
        if steps is sympy.oo:
            return {key: INFINITE_LOSS for key in self._conclusions(head)}
        if self.setting.families:
            return self._conclusion_of_a_family(head, steps)
        values = {key: [value[key] for value in stated] for key in self._rule.head.parameters}
        for key, formula in self._conclusions(head).items():
            if any(sympy.oo in some for some in values.values()):
                concluded[key] = INFINITE_LOSS
                continue
            letters = {"k": sympy.Integer(len(stated)), "m": steps}
            expression = formulas.parse(formula, letters, values)
            concluded[key] = self._parameter(self._rule, key, expression)
        return concluded

    def _steps_apart(self, head: Named) -> sympy.Expr:
        """m, where a theorem's guarantees are stated for neighbours H: the H-steps between target neighbours.

        1 where they are stated for the target itself.
        """
        stated = self.inputs.common_granularity()
        if head.premises.stated != "H" or stated is None:
            return sympy.Integer(1)
        try:
            steps = self.inputs.steps_apart(stated)
        except (NotDecidable, TooLarge) as error:
            raise StepRefused(f"{head.title} needs how granularities compare: {error}") from None
        return sympy.oo if steps == INFINITE else sympy.Integer(steps)

    def _conclusion_of_a_family(self, head: Named, steps: sympy.Expr) -> dict[str, Loss]:
        """The concluded bound where the mechanisms are one family, over its symbolic number of members."""
        if len(self.setting.mechanisms) > 1:
            raise StepRefused(f"{head.title} is not written out for families beside other mechanisms")
        (family,) = self.setting.mechanisms
        values = self._stated_as_converted(family)
        if sympy.oo in values.values():
            return {key: INFINITE_LOSS for key in self._conclusions(head)}
        assert family.count is not None
        members = {f"{key}[i]": value for key, value in values.items()}
        letters = {**members, "k": family.count, "m": steps}
        try:
            return {
                key: self._parameter(self._rule, key, formulas.parse(formula, letters, {}))
                for key, formula in self._conclusions(head).items()
            }
        except (formulas.FormulaError, forms.NotAForm):
            raise StepRefused(f"{head.id} is not written out for a symbolic number of mechanisms") from None

    def _conclusions(self, head: Named) -> dict[str, str]:
        """The page's formula for each parameter of the notion; a single formula is that of the only one."""
        given = head.conclusion[self.notion]
        if isinstance(given, dict):
            return given
        return {self.theory.rule(self.notion).head.parameters[0]: given}

    def _spread(self, form: Form) -> Losses:
        """The forms whose maximum the form is, where it is a single worst case."""
        if len(form.terms) == 1 and form.peaks and form.peaks[0][1] == 1:
            peak = form.peaks[0][0]
            if comb(len(peak.of), peak.m) > LARGEST_SHAPE:
                raise StepRefused("the concluded worst case has too many sums to compare it with the profile")
            sums = [forms.total(some) for some in combinations(peak.of, peak.m)]
            return frozenset(forms.largest(sums, self.setting.domains))
        return frozenset({form})


def _lies_in(vector: kernel.Vector, each: int, total: int | None) -> bool:
    """Whether r_i ≤ each and Σ r_i ≤ total; in a family's entry "2 by 1" two members move by 1."""
    distances = []
    for many, r in (move for _, entry in vector for move in members(entry)):
        if (many == 0 and total is not None) or not (r == "oo" or r.isdigit()):
            return False
        distances += [INFINITE if r == "oo" else int(r)] * max(many, 1)
    if any(not at_most(r, each) for r in distances):
        return False
    return total is None or sum(distances) <= total
