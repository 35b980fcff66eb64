"""The best guarantee of a setting as readers see it: its derivation, what is cited for it, its standing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dpcompose.front.documents import sentences, telling
from dpcompose.front.documents.attained import Attained, attained
from dpcompose.front.documents.captions import Captions, Guaranteed, conversions, rests_on
from dpcompose.front.documents.document import Best, Head, Step, Told
from dpcompose.front.documents.wording import allowed
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language.said import Item, Mathematics, Said, plain, same
from dpcompose.language.shown import Shown
from dpcompose.privacy.elaboration import elaborated
from dpcompose.privacy.settings import Setting, inside
from dpcompose.proof.theory.registry import Page, Theory
from dpcompose.search.citations.citations import Citing, Fit
from dpcompose.search.guarantees import Guarantees, Known
from dpcompose.search.tightness import is_smaller

if TYPE_CHECKING:
    import sympy


def captions(setting: Setting, theory: Theory, guarantees: Guarantees) -> Captions:
    """The captions of the guarantees of a setting, and of the studies among its mechanisms."""
    citing, inner = Citing(setting, theory), {}
    for i, mechanism in enumerate(setting.mechanisms, start=1):
        if (study := inside(mechanism)) is not None:
            inner[i] = captions(study, theory, guarantees.shop.inner[i])
    return Captions(
        setting, theory, guarantees, citing, citing.cite(guarantees), elaborated(setting).pair, inner
    )


def bound(
    setting: Setting,
    theory: Theory,
    guarantees: Guarantees,
    one_by_one: Callable[[], Bound | None] = lambda: None,
) -> Bound:
    """The best guarantee of a setting as readers see it; one_by_one -- finds the bound of `Bound.flat`."""
    return Bound(captions(setting, theory, guarantees), one_by_one)


@frozen(eq=False, repr=False)
class Bound(Best, Shown):
    """The best guarantee of a setting with its derivation.

    steps -- what tells the lines; find_flat -- finds `flat`.  Where mechanisms have several guarantees the
    lines are told with one of each, and what all of these give together is the guarantee, if that is less
    (`Captions.together`).
    """

    steps: Captions
    find_flat: Callable[[], Bound | None]

    @cached_property
    def flat(self) -> Bound | None:
        """Where studies are among the mechanisms, the bound for their mechanisms one by one, if known."""
        return self.find_flat()

    def __repr__(self) -> str:
        return f"the best guarantee of a {self.setting!r}"

    @property
    def setting(self) -> Setting:
        return self.steps.setting

    @property
    def guarantees(self) -> Guarantees:
        """The guarantees as theorems of the kernel."""
        return self.steps.guarantees

    @cached_property
    def guarantee(self) -> Guaranteed:
        """The best guarantee that has a formula."""
        return self.steps.private(self.best.theorem)

    @property
    def best(self) -> Known:
        """The same as a theorem: with one guarantee of each mechanism, or with all of them together."""
        return self.guarantees.best if self.steps.together is None else self.steps.together

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
        return bool(self.best.optimal)

    @property
    def vacuous(self) -> bool:
        """Whether the target has no neighbours at all."""
        return not self.steps.cover.types

    @property
    def conversions(self) -> tuple[Page, ...]:
        """The pages by which guarantees were converted from notion to notion, each once."""
        each = (page for path in self.guarantees.way.each.values() for page in path)
        whole = (conversion.arguments["page"] for conversion in conversions(self.guarantees.main.theorem))
        return tuple(self.steps.theory.pages[id] for id in dict.fromkeys([*each, *whole]))

    @property
    def items(self) -> list[Item]:
        closer = [self.steps.closer] if self.best is self.guarantees.closer else []
        return [self.item, *(page.cite(self.steps.notion, self.setting.adaptive) for page in closer)]

    @cached_property
    def relies_on(self) -> tuple[Page, ...]:
        """The pages that the guarantee rests on, also for the mechanisms one by one, and no one derives."""
        used = rests_on(self.steps)
        used |= {page.id for page in self.flat.relies_on} if self.flat is not None else set()
        return self.steps.theory.relied_on(used)

    # as it is printed

    @property
    def notion(self) -> str:
        return self.guarantee.notion

    @property
    def where(self) -> str:
        return sentences.relations(self.setting)

    @property
    def said(self) -> Said:
        return self.words_of(self.guarantee)

    def words_of(self, said: Guaranteed) -> Said:
        """A guarantee of the setting in words."""
        return sentences.guarantee(said, self.steps.theory, self.setting)

    @property
    def item(self) -> Item:
        return self._cited if self.steps.together is None else Item(telling.ALL_GUARANTEES)

    @property
    def _cited(self) -> Item:
        return self.theorem.cite(self.steps.notion, self.setting.adaptive)

    @property
    def stated(self) -> Mapping[str, Term]:
        return dict(self.guarantee.parameters)

    @property
    def with_one(self) -> str:
        """The guarantee with one of each mechanism, in words; "" where it is the one that is shown."""
        if self.steps.together is None:
            return ""
        said = self.words_of(self.steps.private(self.guarantees.main.theorem))
        return f"with one guarantee of each mechanism {plain(said)}, by {self._cited}"

    @property
    def one_by_one(self) -> str:
        """The smaller guarantee of the mechanisms of studies one by one, in words; "" where none is known."""
        if self.flat is None or not self.smaller_is_known:
            return ""
        return f"one by one its mechanisms are {plain(self.flat.said)}{self.flat.standing}"

    @property
    def metric(self) -> sympy.Expr:
        """The metric of which the guarantee is the largest value over neighbours."""
        from dpcompose.proof import privacy_metric
        from dpcompose.spaces.inputs import written

        return privacy_metric.of_inputs(self.steps.inputs, *written.databases("D E"))

    @property
    def metric_said(self) -> str:
        """The same as text; "" where it is too long, or there is none."""
        from dpcompose.proof.privacy_metric import NoMetric

        if self.setting.families or len(self.setting.mechanisms) > MOST_IN_A_METRIC:
            return ""
        try:
            return str(self.metric)
        except NoMetric:
            return ""

    @property
    def attained(self) -> Sequence[Attained]:
        if not self.optimal or self.conversions or self.steps.together is not None:
            return ()
        return attained(self.steps)

    def for_neighbours(self, what: str) -> Bound:
        """This guarantee: `what` is about neighbours, and so is it."""
        return self

    @cached_property
    def _told(self) -> tuple[Step, ...]:
        return telling.steps(self.steps)

    @property
    def assumptions(self) -> list[str]:
        return sentences.assumptions(self._told, self.setting, self.relies_on)

    @property
    def told(self) -> Told:
        """The derivation in words, with the pages that its lines are by and rest on."""
        pages = tuple(self.steps.theory.pages[id] for id in telling.used(self.steps, self._told))
        without_check = sentences.without_check(self._told, self.setting, self.relies_on)
        return Told(self._told, without_check, pages, self.numbered)

    @property
    def head(self) -> Head:
        """What stands before the proof."""
        setting = self.setting
        about: Said = [
            *("The databases are ", str(setting.databases), f", and neighbours are {setting.target}"),
            f" ({setting.target.means.short})" if setting.target.means.short else "",
            ".",
        ]
        besides: list[Said] = [[words] for words in sentences.dependence(setting)]
        stated = {
            "Assumed, and not checked:": [*sentences.stated(self._told, setting, False), *besides],
            "Assumed, and checked:": [*sentences.stated(self._told, setting, True)],
        }
        theorem = ["Under these assumptions the composition is ", *self.said, " on ", str(setting.databases)]
        domains = {name: allowed(domain) for name, domain in setting.domains.items()}
        best = "No smaller guarantee holds for all mechanisms that satisfy the assumptions."
        return Head(about, domains, stated, theorem, best, self._begins(), besides=besides)

    def _begins(self) -> Said:
        """How the proof begins: what its letters are."""
        r, several = sentences.letter_of_distances(self.setting), len(self.setting.mechanisms) > 1
        p, k = sentences.letters_of_maps(self.setting)
        D, E, reads, there, each = map(same, ("D", "D'", f"{p}_i(D)", f"{p}_i(D')", f"{r}_i"))
        begins: Said = ["Let ", D, " and ", E, f" be {self.setting.target} neighbours, ", reads]
        begins = [*begins, " what the ", same("i"), "-th mechanism reads, ", each, " how far apart "]
        begins = [*begins, reads, " and ", there, " are"]
        if self.setting.families and several:
            member = Mathematics(f"{r}_(j,i)", f"{r}_{{j,i}}")
            of: Said = [" (of the ", same("i"), "-th member of the ", same("j"), "-th family ", member, ")"]
            begins = [*begins, *of]
        begins = [*begins, ", ", same(p), " all of these ", same(f"{p}_i")]
        if self.setting.families:
            return [*begins, "."]
        return [*begins, ", and ", same(f"{k} = {len(self.setting.mechanisms)}"), " their number."]

    def data(self) -> dict[str, Any]:
        """As JSON."""
        data: dict[str, Any] = {"guarantee": self._as_data(self.guarantee)}
        data["optimal"] = True if self.optimal else False if self.smaller_is_known else None
        if self.flat is not None and self.one_by_one:
            data["one-by-one"] = self.flat._as_data(self.flat.guarantee)
        return data

    def _as_data(self, said: Guaranteed) -> dict[str, str]:
        """A guarantee as JSON; of divergences with the orders that it is about."""
        data, orders = {"notion": said.notion} | dict(said.texts), self.setting.orders
        ordered = orders is not None and self.steps.theory.rule(said.notion).head.ordered
        return data | ({"orders": str(orders)} if ordered else {})

    # what is known besides

    @cached_property
    def smaller_is_known(self) -> bool:
        """Whether another guarantee is known that is smaller at some point."""
        prover = self.guarantees.shop.prover
        return self.flat is not None and is_smaller(prover, self.flat.best.says, self.best.says)

    def without_optimal(self) -> Bound:
        """The same where mechanisms have more guarantees, so that smaller ones may hold."""
        closer = None if self.guarantees.closer is None else replace(self.guarantees.closer, optimal=None)
        guarantees = replace(self.guarantees, main=replace(self.guarantees.main, optimal=None), closer=closer)
        return replace(self, steps=replace(self.steps, guarantees=guarantees))

    @cached_property
    def summed(self) -> Bound:
        """The same by the rule of the notion alone, without closer values; itself where there are none."""
        if self.best is self.guarantees.main:
            return self
        return replace(
            self, steps=replace(self.steps, guarantees=replace(self.guarantees, closer=None), together=None)
        )

    def with_all(self, together: Known | None) -> Bound:
        """The same with what all guarantees of mechanisms give together, if that is known to be less."""
        return self if together is None else replace(self, steps=replace(self.steps, together=together))

    @property
    def standing(self) -> str:
        """What is said after the guarantee: that it is optimal, or that a smaller one is known."""
        return "; optimal" if self.optimal else "; a smaller one is known" if self.smaller_is_known else ""


MOST_IN_A_METRIC = 8
"""The most mechanisms for which the composed metric is printed."""
