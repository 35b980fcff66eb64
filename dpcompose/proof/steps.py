"""The only maker of derivation lines: `Steps.line(n, by, roles, sources, evidence)`.

A line is a function of the setting, the page it is by, and the lines it uses.  The search
makes its lines here, and the checker makes every line of a saved derivation here again.
Each kind of page has one function, a chapter a file in `proof/lines/`; it raises `StepRefused` where the page
does not give what it is used for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from dpcompose.kernel.grammar import FormulaError
from dpcompose.privacy.settings import Setting
from dpcompose.proof import derivations, kernel
from dpcompose.proof.derivations import Derived
from dpcompose.proof.kernel import Line
from dpcompose.proof.lines.distances import INFINITE_LOSS, Loss, moved
from dpcompose.proof.lines.nested import AT_LEAST, Compositions
from dpcompose.proof.lines.profiles import members
from dpcompose.proof.lines.stated import GIVEN, HYPOTHESIS, Sources, StepRefused
from dpcompose.proof.registry import Page

NONE: Mapping[str, Sequence[str]] = MappingProxyType({})
"""No conversions."""

__all__ = ["GIVEN", "HYPOTHESIS", "INFINITE_LOSS", "Loss", "StepRefused", "Steps", "members", "moved"]


@dataclass(frozen=True, eq=False)
class Steps(Compositions):
    """Makes the lines of derivations about one setting, with the pages of one theory.

    conversions -- for notions of the guarantees the pages that lead, one after the other, to the notion
    in which losses are added up;
    like -- others about the same setting and theory, whose metrics and pairs are used again;
    chosen -- by id of such a page the formulas of its free parameters: the δ of every mechanism.
    """

    def line(
        self, n: int, by: str, roles: Mapping[str, Any], sources: Sources = (), evidence: Any = None
    ) -> Line:
        """Line n: what the page `by` gives for these roles from these lines.

        by -- "given", "hypothesis" or the id of a page;
        roles -- what the letters of the page stand for ({"M": 2}: mechanism 2);
        evidence -- a certificate, where the line needs one.
        """
        self._check_shape(by, roles, sources, evidence)
        if by == GIVEN:
            judgement: kernel.Judgement = self._given(roles, evidence)
        elif by == HYPOTHESIS:
            judgement = self._hypothesis(roles)
        elif by not in self.theory.pages:
            raise StepRefused(f"there is no page {by!r}")
        else:
            judgement = self._by_page(self.theory.pages[by], roles, sources, evidence)
        return Line(n, judgement, by, dict(roles), tuple(line.n for line in sources), evidence)

    def _by_page(
        self, page: Page, roles: Mapping[str, Any], sources: Sources, evidence: Any
    ) -> kernel.Judgement:
        maker = self._makers.get(page.head.kind)
        if maker is None:
            raise StepRefused(f"the page {page.id} is a {page.head.kind}: no line is by it")
        try:
            if page.head.kind == "witness" and self.setting.studies:
                return self.attained_one_by_one(page, roles, sources, evidence)
            return maker(page, roles, sources)
        except FormulaError as error:
            raise StepRefused(
                f"{page.id} cannot be applied to these numbers: {error.line}; numbers nearer to 1 would do"
            ) from None

    def about(self, setting: Setting, saved: Mapping[str, Any] = NONE) -> Steps:
        """What makes the lines of another setting, with the same pages, as a saved derivation converts."""
        return Steps(setting, self.theory, derivations.conversions(saved), chosen=derivations.chosen(saved))

    def flat(self, notion: str) -> Steps | None:
        """What makes the lines of the mechanisms one by one, where they can be stated so."""
        setting = self.one_by_one(notion)
        return None if isinstance(setting, str) else self.about(setting)

    def within(self, line: Line) -> Derived[Steps] | None:
        """The derivation that a line of this setting has as evidence: of a composition among the mechanisms,
        or for the mechanisms one by one; None for other lines."""
        said = line.judgement
        if not derivations.is_read(line.evidence, [AT_LEAST]):
            return None
        if isinstance(said, kernel.Composed):
            study = self.setting.studies[self.setting.mechanisms[said.mechanism - 1].name]
            steps = self.about(study, line.evidence)
        else:
            assert isinstance(said, kernel.Optimal)
            found = self.flat(said.notion)
            assert found is not None
            steps = found
        return derivations.remade(line.evidence, steps)

    def pages(self, lines: Sources) -> dict[str, str]:
        """The SHA-256 of every page that the lines rest on: by itself, for its shape, a metric, a lemma."""
        used = {line.by for line in lines} & set(self.theory.pages)
        used |= {shape for id in used if (shape := getattr(self.theory.pages[id].head, "shape", None))}
        if any(self.theory.pages[id].head.kind == "closer" for id in used):
            closer = (self.theory.closer(self.notion, over) for over in ("steps", "mechanisms"))
            used |= {page.id for page in closer if page is not None}
        converting = [
            self.theory.pages[id].head for id in used if self.theory.pages[id].head.kind == "conversion"
        ]
        ends = {notion for head in converting for notion in (head.from_, head.to)}
        used |= {
            self.theory.rule(notion).id for notion in ends
        }  # what is at a distance, and how it is compared
        metrics = (self.inputs.metric(i) for i in range(1, len(self.inputs.setting.mechanisms) + 1))
        used |= {id for metric in metrics for id in metric.pages}
        used |= self.theory.lemmas(used, self.notion)
        return {id: self.theory.pages[id].sha256 for id in sorted(used)}

    def _check_shape(self, by: str, roles: Mapping[str, Any], sources: Sources, evidence: Any) -> None:
        """Nothing may stand in a line that its page does not read."""
        page = self.theory.pages.get(by)
        kind = None if page is None else page.head.kind
        about_mechanisms = by == GIVEN or kind in ("step", "noise") or (kind == "conversion" and "M" in roles)
        free = set(page.head.free) if page is not None and kind == "conversion" else set()
        if by != HYPOTHESIS and set(roles) != ({"M"} if about_mechanisms else set()) | free:
            raise StepRefused(f"{by} has other letters")
        if by in (GIVEN, HYPOTHESIS) and sources:
            raise StepRefused(f"a line that is {by} uses no other line")
        if by != GIVEN and evidence is not None and not (kind == "witness" and self.setting.studies):
            raise StepRefused(f"{by} needs no evidence")

    @property
    def _makers(self) -> dict[str, Callable[[Page, Mapping[str, Any], Sources], kernel.Judgement]]:
        return {
            "step": self._step,
            "conversion": self._conversion,
            "noise": self._noise,
            "rule": self._loss,
            "procedure": self._profile,
            "substitution": self._substitution,
            "closer": self._closer,
            "named": self._named,
            "witness": self._optimal,
        }
