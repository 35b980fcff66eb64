"""The best guarantee of a setting as readers see it: its derivation, what is cited for it, its standing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

from dpcompose.front import lines as words
from dpcompose.front.captions import Captions, conversions, pages_of, rests_on
from dpcompose.front.lines import Derivation
from dpcompose.kernel.judgements import Satisfies
from dpcompose.language.shown import Shown
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.privacy.settings import Setting, inside
from dpcompose.proof.registry import Page, Theory
from dpcompose.search import parameters
from dpcompose.search.citations import Citing, Fit
from dpcompose.search.guarantees import Guarantees, Known


def captions(setting: Setting, theory: Theory, found: Guarantees) -> Captions:
    """The captions of the guarantees of a setting, and of the studies among its mechanisms."""
    citing, inner = Citing(setting, theory), {}
    for i, mechanism in enumerate(setting.mechanisms, start=1):
        if (study := inside(mechanism)) is not None:
            inner[i] = captions(study, theory, found.shop.inner[i])
    pair = Elaborated(setting).pair
    return Captions(setting, theory, found, citing, citing.cite(found), pair, inner)


def bound(setting: Setting, theory: Theory, found: Guarantees, flat: Bound | None = None) -> Bound:
    """The best guarantee of a setting as readers see it.

    flat -- where studies are among the mechanisms, the bound for their mechanisms one by one, if known.
    """
    return Bound(captions(setting, theory, found), flat)


@dataclass(frozen=True, eq=False, repr=False)
class Bound(Shown):
    """The best guarantee of a setting with its derivation.

    steps -- what tells the lines; flat -- where compositions are among the mechanisms, the bound for their
    mechanisms one by one, if that is known.
    """

    steps: Captions
    flat: Bound | None = None

    def __repr__(self) -> str:
        return f"the best guarantee of a {self.setting!r}"

    @property
    def setting(self) -> Setting:
        return self.steps.setting

    @property
    def found(self) -> Guarantees:
        """The guarantees as theorems of the kernel."""
        return self.steps.found

    @cached_property
    def derivation(self) -> Derivation:
        """The lines, and the SHA-256 of every page that they rest on."""
        return Derivation(self.steps.lines, MappingProxyType(pages_of(self.steps)))

    @cached_property
    def guarantee(self) -> words.Private:
        """The best guarantee."""
        return self.steps.private(self.found.main.theorem)

    @cached_property
    def profile(self) -> words.Profile:
        """How far neighbours move the inputs."""
        return self.steps.profile()

    @property
    def theorem(self) -> Page:
        """The page that is cited for the guarantee."""
        return self.steps.citation.theorem

    @property
    def fits(self) -> tuple[Fit, ...]:
        """Of every composition theorem whether it fits."""
        return self.steps.citation.fits

    @property
    def optimal(self) -> bool:
        """Whether it is known that nothing smaller holds."""
        return bool(self.found.main.optimal)

    @property
    def vacuous(self) -> bool:
        """Whether the target has no neighbours at all."""
        return not self.steps.cover.types

    @property
    def conversions(self) -> tuple[Page, ...]:
        """The pages by which guarantees were converted from notion to notion, each once."""
        each = (page for path in self.found.way.each.values() for page in path)
        whole = (one.arguments["page"] for one in conversions(self.found.main.theorem))
        return tuple(self.steps.theory.pages[id] for id in dict.fromkeys([*each, *whole]))

    @cached_property
    def relies_on(self) -> tuple[Page, ...]:
        """The pages that the guarantee rests on, also for the mechanisms one by one, and no one derives."""
        used = rests_on(self.found)
        used |= {page.id for page in self.flat.relies_on} if self.flat is not None else set()
        return self.steps.theory.relied_on(used)

    # what is known besides

    @cached_property
    def smaller(self) -> Smaller | None:
        """The guarantee with closer values, where it is seen to be smaller at some point."""
        closer = self.found.closer
        if closer is None or not self._is_larger_than(closer.says):
            return None
        said = self.steps.private(closer.theorem)
        n = next(line.n for line in self.steps.lines if line.judgement == said)
        return Smaller(said, bool(closer.optimal), n, closer)

    @cached_property
    def smaller_is_known(self) -> bool:
        """Whether another guarantee is known that is smaller at some point."""
        if self.smaller is not None:
            return True
        return self.flat is not None and self._is_larger_than(self.flat.found.main.says)

    def _is_larger_than(self, other: Satisfies) -> bool:
        """Whether another guarantee is seen to be smaller at some point."""
        own, squared = self.found.main.says, self.steps.theory.rule(other.notion).head.squared
        if own.notion != other.notion:
            return False
        for key, value in own.values:
            smaller = dict(other.values)[key]
            if smaller == value:
                continue
            if "oo" in (smaller.kind, value.kind):
                return value.kind == "oo"
            if (
                parameters.where_larger(value, smaller, key in squared, self.found.shop.setting.assumed)
                is not None
            ):
                return True
        return False

    def without_optimal(self) -> Bound:
        """The same where mechanisms have more guarantees, so that smaller ones may hold."""
        closer = None if self.found.closer is None else replace(self.found.closer, optimal={})
        found = replace(self.found, main=replace(self.found.main, optimal={}), closer=closer)
        return replace(self, steps=replace(self.steps, found=found))

    @property
    def standing(self) -> str:
        """What is said after the guarantee: that it is optimal, or that a smaller one is known."""
        return "; optimal" if self.optimal else "; a smaller one is known" if self.smaller_is_known else ""


@dataclass(frozen=True)
class Smaller:
    """A guarantee that is smaller than the one that is shown: the line that states it, and its theorem."""

    guarantee: words.Private
    optimal: bool
    line: int
    known: Known
