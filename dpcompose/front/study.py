"""A study: a setting in the user's hands, with its guarantee, claims and theorems.

>>> import dpcompose as dpc
>>> D = dpc.multisets({"child", "teen", "adult"})
>>> minors, adults = dpc.record_partition(D, {"child", "teen"}, {"adult"})
>>> e1, e2 = dpc.parameters("epsilon_1:3")
>>> study = dpc.compose(
...     dpc.mechanism("minors", reads=minors, satisfies=dpc.pure(e1, dpc.bounded, domain="common")),
...     dpc.mechanism("adults", reads=adults, satisfies=dpc.pure(e2, dpc.bounded, domain="common")),
...     on=D,
...     target=dpc.bounded,
... )
>>> study.guarantee()
bounded (epsilon_1 + epsilon_2)-DP, by GB:IV.13; optimal
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from dpcompose.front import files, limits, together
from dpcompose.front.bound import Bound, bound
from dpcompose.front.results import Answer, Result, Theorems
from dpcompose.front.verdict import Verdict
from dpcompose.kernel import formulas as kernel_formulas
from dpcompose.kernel.judgements import Refuted
from dpcompose.kernel.theory import Theory as KernelTheory
from dpcompose.privacy import writing
from dpcompose.privacy.flattening import NotFlat, flattened
from dpcompose.privacy.mechanisms import Mechanism, Nested
from dpcompose.privacy.notions import Guarantee
from dpcompose.privacy.problems import Claim
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.families import check_ranges
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.privacy.settings.stated import check_assumptions
from dpcompose.proof import registry
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.registry import Theory
from dpcompose.search import least, nearby, proofs, stated
from dpcompose.search.choices import Choice
from dpcompose.search.guarantees import Guarantees
from dpcompose.search.proofs import NoGuarantee, NotElaborated, Proofs, Proved
from dpcompose.spaces.databases import TooLarge
from dpcompose.spaces.maps import Everything, Map

if TYPE_CHECKING:
    import sympy

    from dpcompose.front.numbers import Budget

CURVES = ("curve", "curve_standing")
"""The rules by which a computed curve proves a claim, or says how large it is."""


@dataclass(frozen=True, repr=False)
class Study:
    """M = (M_1∘f_1, …, M_k∘f_k) on a class, with its best guarantee, verdicts on claims, and theorems.

    setting -- the composition as stated; theory -- the pages it is judged by.

    >>> import dpcompose as dpc
    >>> study = dpc.compose(
    ...     dpc.mechanism("M", dpc.pure("e", dpc.unbounded)), on=dpc.multisets(), target=dpc.bounded
    ... )
    >>> study.guarantee()
    bounded (2*e)-DP, by GB:A.3; optimal
    >>> study.check(dpc.pure("e")).verdict
    'refuted'
    """

    setting: Setting
    theory: Theory = field(default_factory=registry.standard)

    @cached_property
    def proofs(self) -> Proofs:
        """What the kernel proves of the setting.  Raises PageError where it needs a page that is wrong."""
        stated.check_pages(self.setting, self.theory)
        return Proofs(self.setting, KernelTheory(self.theory.pages))

    @cached_property
    def bound(self) -> Bound:
        """The best bound.  Raises InvalidSetting, NoGuarantee or TooLarge with the reason."""
        found = self._bound_or_why
        if isinstance(found, Exception):
            raise found
        return found

    @cached_property
    def _bound_or_why(self) -> Bound | InvalidSetting | NoGuarantee | TooLarge:
        """The same; what is refused once is not tried again for each claim."""
        try:
            return self._in(None)
        except (InvalidSetting, NoGuarantee, TooLarge) as error:
            return error.with_traceback(None)

    def _in(self, notion: str | None) -> Bound:
        """The best bound in a notion; None: in that of the mechanisms, or the nearest one."""
        try:
            found = self.proofs.guarantee(notion)
            if (choices := self.proofs.choices) is not None:
                return self._with_one_each(choices.best(notion)[0], found.notion)
        except NotElaborated as error:
            raise NoGuarantee(str(error)) from None
        return self._shown(found)

    def _with_one_each(self, choice: Choice, notion: str) -> Bound:
        """The bound with one guarantee of each mechanism; optimal where these imply all others."""
        if choice.which not in self._chosen:
            self._chosen[choice.which] = Study(self.setting.choosing(choice.which), self.theory)
        found = self._chosen[choice.which]._in(notion)
        return found if choice.implied is not None else found.without_optimal()

    def _narrower(self, proved: Proved, notion: str) -> Bound | None:
        """The bound of mechanisms with smaller parameters, which have all guarantees, where they refute."""
        made = proved.found.theorem
        if made is None or made.rule != "choose" or not made.arguments.get("values"):
            return None
        narrower = together.narrowed(self.setting.choosing(made.arguments["which"]), made.arguments["values"])
        with suppress(NoGuarantee, NotElaborated, TooLarge, InvalidSetting):
            return Study(narrower, self.theory)._in(notion)
        return None

    def together(self) -> str:
        """The least of what several guarantees of mechanisms give, in words; "" where one gives it."""
        return together.words(self.proofs, self.bound)

    @cached_property
    def _chosen(self) -> dict[tuple[int, ...], Study]:
        """The studies with one guarantee of each mechanism, by the numbers of these."""
        return {}

    def _shown(self, found: Guarantees) -> Bound:
        """Guarantees of the setting as readers see them; claims are compared with the same ones again."""
        if id(found) not in self._bounds:  # a bound keeps its guarantees, so that no other ones have the id
            self._bounds[id(found)] = self._made(found)
        return self._bounds[id(found)]

    @cached_property
    def _bounds(self) -> dict[int, Bound]:
        """The bounds that were shown, by their guarantees."""
        return {}

    def _made(self, found: Guarantees) -> Bound:
        """The same, made."""
        flat = None
        if (one_by_one := self.flat(found.notion)) is not None:
            with suppress(NoGuarantee, TooLarge):
                flat = one_by_one._in(found.notion)
        return bound(self.setting.stated_in(found.notion), self.theory, found, flat)

    def guarantee(self, notion: str | None = None) -> Result:
        """The best guarantee that the theorems give, with its derivation.

        notion -- in which notion; left out, that of the mechanisms, or the nearest to which all convert.
        Raises NoGuarantee where no conversion pages lead there.

        >>> import dpcompose as dpc
        >>> study = dpc.compose(
        ...     dpc.mechanism("M1", dpc.zcdp("r", dpc.unbounded)),
        ...     dpc.mechanism("M2", dpc.gaussian("m", dpc.unbounded)),
        ...     on=dpc.multisets(),
        ...     target=dpc.unbounded,
        ... )
        >>> study.guarantee()
        unbounded (m**2/2 + r)-zCDP, by GB:VI.15
        """
        if notion is None or notion == self.bound.guarantee.notion:
            return Result(self.bound, self.theory)
        return Result(self._in(notion), self.theory)

    def check(self, claim: Guarantee | Claim) -> Answer:
        """The verdict on a claimed guarantee: proved, refuted or undecided.

        What is proved or refuted was made by the rules of the kernel, and made again from its saved form.
        """
        if isinstance(claim, Guarantee):
            claim = self.claim(claim)
        if not isinstance(claim, Claim):
            raise TypeError(f"a claim is a guarantee such as dpcompose.pure(...), not {claim!r}")
        try:
            return self._answer(claim, self.proofs.verdict(claim.guarantee.text(), claim.doubt))
        except (NotElaborated, NoGuarantee, TooLarge) as error:
            return Answer(claim, "undecided", reason=str(error))

    def _answer(self, claim: Claim, proved: Proved) -> Answer:
        """A verdict with all that readers want to know of it."""
        found, notion = proved.found, claim.guarantee.notion
        shown = self._compared(proved, notion)
        answer = Answer(claim, proved.word, proved.loose, reason=found.reason, bound=shown)
        if proved.word == "refuted":
            answer = self._refuted(answer, proved)
        answer = replace(answer, by_curve=any(one.rule in CURVES for one in found.theorems))
        if (
            self.proofs.choices is None
            and self._has_least(answer)
            and (known := self._least(claim)) is not None
        ):
            answer = replace(answer, guarantee=known, curve=self._curve(notion))
        used = proved.rests_on & self.theory.pages.keys()
        return replace(answer, relies_on=self.theory.relied_on(used))

    def _compared(self, proved: Proved, notion: str) -> Bound | None:
        """The guarantee that a claim was compared with: of the setting, or of its studies one by one."""
        if (choices := self.proofs.choices) is not None:
            made = proved.found.theorem
            which = None if made is None or made.rule != "choose" else made.arguments["which"]
            choice = choices.choice(which) if which is not None else None
            with suppress(NoGuarantee, NotElaborated, TooLarge):
                return self._in(notion) if choice is None else self._with_one_each(choice, notion)
            return None
        found = proved.found.guarantees
        flat = self.flat(notion)
        if flat is not None and (
            proved.word == "refuted" or (found is not None and found.shop.setting != self.proofs.shop.setting)
        ):
            with suppress(NoGuarantee, NotElaborated, TooLarge):
                return flat._in(notion) if found is not None else flat.bound
        if found is not None:
            return None if self.proofs.unknown else self._shown(found)
        with suppress(NoGuarantee, NotElaborated, TooLarge):
            return self.bound
        return None

    def _refuted(self, answer: Answer, proved: Proved) -> Answer:
        """A refuted claim with a counterexample at its point, if one can be written out."""
        said, claim = proved.theorems[0].says, answer.claim
        assert isinstance(said, Refuted)
        near = () if self.setting.has_choices else tuple(self._nearby_words(claim))
        about = self._narrower(proved, claim.guarantee.notion) or answer.bound
        if about is not None:
            from dpcompose.front import examples

            example = examples.example(
                said, claim.guarantee, about, self.proofs.pairs(proved), proved.by_curve
            )
            if example is not None:
                return replace(
                    answer, counterexample=example, nearby=near, as_they_are=self.setting.processed
                )
        at = ", ".join(f"{name} = {x}" for name, x in said.point)
        return replace(
            answer, reason=f"mechanisms that fit lose more{f' at {at}' if at else ''}", nearby=near
        )

    def _nearby_words(self, claim: Claim) -> Iterator[str]:
        """The changes of the setting after which a claim is proved, each with what is only believed."""
        study = self.flat(claim.guarantee.notion) or self
        for words, proved in nearby.where_it_holds(claim.guarantee.text(), study._nearby):
            pages = self.theory.relied_on(proved.rests_on & self.theory.pages.keys())
            yield "; ".join([words, *registry.rests(pages)])

    @cached_property
    def _nearby(self) -> list[tuple[str, Proofs]]:
        return list(nearby.settings_nearby(self.setting, self.proofs.theory))

    def _curve(self, notion: str) -> str:
        """The page by which claims of a notion are computed."""
        page = least.page(self.proofs.shop_in(notion), notion)
        return "" if page is None else str(page.id)

    @staticmethod
    def _has_least(answer: Answer) -> bool:
        """Whether the least guarantee at the claim's δ says something beside a verdict."""
        if answer.verdict == "proved" and not answer.by_curve:
            return answer.loose is not None and answer.bound is not None and bool(answer.bound.conversions)
        return True

    def _least(self, claim: Claim) -> Guarantee | None:
        """The least guarantee that a curve has at a claim's δ."""
        values = dict(claim.guarantee.terms)
        if "delta" not in values:
            return None
        with suppress(NoGuarantee, NotElaborated):
            shop = self.proofs.shop_in(claim.guarantee.notion)
            epsilon = least.least_epsilon(shop, claim.guarantee.notion, values["delta"])
            if epsilon is not None:
                return claim.guarantee.with_values((("epsilon", epsilon), ("delta", values["delta"])))
        return None

    def flat(self, notion: str | None = None) -> Study | None:
        """The same composition with the mechanisms of the studies among them one by one; None where there are
        no studies, or these mechanisms cannot be stated one by one.

        Its guarantee can be smaller: what a study satisfies is all that is known of it here, and other
        mechanisms satisfy that too.  notion -- in which noise is stated.

        >>> import dpcompose as dpc
        >>> D = dpc.multisets({"a", "b"})
        >>> of_a, of_b = (
        ...     dpc.mechanism(x, dpc.pure(f"e_{x}", dpc.bounded, "common"), reads=dpc.restriction([x]))
        ...     for x in "ab"
        ... )
        >>> inner = dpc.compose(of_a, of_b, on=D, target=dpc.unbounded)
        >>> study = dpc.compose(dpc.mechanism("M", study=inner), on=D, target=dpc.bounded)
        >>> study.guarantee()
        bounded (2*max(e_a, e_b))-DP, by GB:A.3; a smaller one is known
        >>> study.flat().guarantee()
        bounded (e_a + e_b)-DP, by GB:IV.13; optimal
        """
        notion = notion or self.bound.guarantee.notion
        if self._one_by_one is None:
            return None
        stated = self._one_by_one.setting.in_one_notion([notion])
        return self._one_by_one if stated is self._one_by_one.setting else Study(stated, self.theory)

    @cached_property
    def _one_by_one(self) -> Study | None:
        """The same composition with the mechanisms of its studies one by one, as they are stated."""
        if not self.setting.studies:
            return None
        try:
            return Study(flattened(self.setting), self.theory)
        except NotFlat:
            return None

    def as_mechanism(self, name: str, reads: Map, count: sympy.Expr | None = None) -> Mechanism:
        """The composition as a mechanism of another, with its best guarantee; see `dpcompose.mechanism`.

        Raises NoGuarantee, InvalidSetting or TooLarge where it has none.
        """
        if self.setting.has_choices:
            raise InvalidSetting("studies of mechanisms with several guarantees are not supported yet")
        stated = self.setting.in_one_notion([self.bound.guarantee.notion])
        study = self if stated is self.setting else Study(stated, self.theory)
        setting, said = study.bound.setting, study.bound.guarantee
        read = partial(kernel_formulas.parse, symbols=setting.letters, index="i")
        domain = None if isinstance(reads, Everything) else "own"
        values = tuple((key, read(text)) for key, text in said.parameters)
        satisfies = Guarantee(said.notion, values, setting.target, domain)
        return Mechanism(name, reads, satisfies, count, study=Nested(setting))

    def claim(self, guarantee: Guarantee) -> Claim:
        """A guarantee as a claim about this setting; its parameters must be the setting's.

        Symbols are known by their names.
        """
        if guarantee.granularity not in (None, self.setting.target) or guarantee.domain is not None:
            raise InvalidSetting(
                f"a claim is about the composition and its target, {self.setting.target} neighbours, "
                "and has no granularity or domain of its own"
            )
        known = self.setting.symbols
        values = []
        for key, value in guarantee.values:
            for one in value.free_symbols:
                if one.name not in known:
                    raise InvalidSetting(f"the claim's {one} is no parameter of the mechanisms")
                check_assumptions(one, self.setting.domains[one.name])
            check_ranges(self.setting, value)
            values.append((key, value))
        text = Guarantee(guarantee.notion, tuple(values)).text()
        return Claim(Guarantee(guarantee.notion, tuple(values)), MappingProxyType(text))

    @cached_property
    def _inputs(self) -> Inputs:
        return self.bound.steps.inputs if self.setting.has_choices else Inputs(self.setting, self.theory)

    def budget(
        self,
        total: Guarantee,
        weights: Mapping[Any, object] | None = None,
        at: Mapping[Any, object] | None = None,
    ) -> Budget:
        """The parameters for which the best guarantee is the total, exact: equal ones, or in proportion.

        total -- such as pure(1), of the guarantee's notion; weights -- {e1: 2}, else 1 each;
        at -- values for parameters that are not to be chosen, such as how many mechanisms there are.
        Raises NoBudget where this is not solved exactly, or where there is no finite guarantee.

        >>> import dpcompose as dpc
        >>> D, (e1, e2) = dpc.multisets({"a", "b"}), dpc.parameters("e1 e2")
        >>> study = dpc.compose(
        ...     dpc.mechanism("M1", dpc.pure(e1, dpc.bounded)),
        ...     dpc.mechanism("M2", dpc.pure(e2, dpc.bounded)),
        ...     on=D,
        ...     target=dpc.bounded,
        ... )
        >>> study.budget(dpc.pure(1)), study.budget(dpc.pure(1), weights={e1: 2})
        (e1 = 1/2, e2 = 1/2, for epsilon = 1, e1 = 2/3, e2 = 1/3, for epsilon = 1)
        """
        from dpcompose.front import numbers

        return numbers.budget(self.bound, total, weights, at)

    def metric(self, D: object, E: object, closure: bool = True) -> sympy.Expr:
        """The metric in which the composition is private: Σ_i ε_i·d_i(f_i(D), f_i(E)) (GB Thm. IV.1, IV.11).

        D, E -- database symbols (`dpcompose.databases`) for an expression, or databases for its value:
        an expression in the parameters, or oo.  The guarantee is its largest value over target neighbours.
        closure -- what a mechanism on the common domain counts by: with True the shortest chains of
        databases in which those it cannot tell apart are one, a metric; with False d^f of GB Prop. IV.10,
        which is never smaller and may break the triangle inequality.

        >>> import dpcompose as dpc
        >>> D, E = dpc.databases("D E")
        >>> f = dpc.restriction(["a"])
        >>> study = dpc.compose(
        ...     dpc.mechanism("M1", dpc.pure("e1", dpc.unbounded, "own"), reads=f),
        ...     dpc.mechanism("M2", dpc.pure("e2", dpc.bounded)),
        ...     on=dpc.multisets({"a", "b"}),
        ...     target=dpc.bounded,
        ... )
        >>> study.metric(D, E)
        e1*d_unbounded(D|{a}, E|{a}) + e2*d_bounded(D, E)
        >>> study.metric(["a", "b"], ["b", "b"]), study.metric(["a"], [])
        (e1 + e2, oo)
        """
        from dpcompose.proof import privacy_metric

        return privacy_metric.of_inputs(self._inputs, D, E, closure)

    def theorems(self) -> Theorems:
        """Of every composition theorem whether it fits, and why not, with the witness."""
        return Theorems(self.bound)

    def warnings(self) -> list[str]:
        """What a reader of the result should know first."""
        try:
            vacuous = self.bound.vacuous
        except (NoGuarantee, TooLarge):
            return []
        if vacuous:
            return [
                f"no two of {self.setting.databases} are {self.setting.target} neighbours, "
                "so every guarantee holds, whatever the mechanisms do"
            ]
        unknown = stated.check_assumptions(self.setting.assume)
        return [*([unknown] if unknown else []), *limits.warnings(self.bound)]

    def save(self, path: str | Path, verdicts: Sequence[Verdict] = ()) -> None:
        """Writes the derivation, with verdicts on claims, to a file that `dpcompose recheck` reads.

        Python functions are written out as tables, and noise is stated as in a problem file with these
        claims; the derivation is made for that.
        """
        claims = [verdict.claim for verdict in verdicts]
        setting = writing.plain(self.setting).in_one_notion([one.guarantee.notion for one in claims])
        study = self if setting is self.setting else Study(setting, self.theory)
        proved = [study.proofs.verdict(claim.guarantee.text(), claim.doubt) for claim in claims]
        notion = None
        with suppress(NoGuarantee, TooLarge):
            notion = study.bound.guarantee.notion
        data = proofs.saved(
            study.proofs, writing.to_data(setting, claims, self.theory.parameters), proved, notion
        )
        Path(path).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")

    def to_toml(self, claims: Sequence[Claim] = ()) -> str:
        """The setting, with claims about it, as the text of a problem file that `load` reads.

        Python functions are written out as tables.  Raises TooLarge for a class that is too large for that.

        >>> import dpcompose as dpc
        >>> M = dpc.mechanism("M", dpc.pure("e", dpc.bounded), reads=dpc.everything)
        >>> print(dpc.compose(M, on=dpc.multisets("ab"), target=dpc.bounded).to_toml(), end="")
        format = 1
        [parameters]
        e = "positive"
        [databases]
        kind = "multisets"
        size = "any"
        records = ["a", "b"]
        [target]
        granularity = "bounded"
        [[mechanisms]]
        name = "M"
        reads = "everything"
        guarantee = { notion = "pure", epsilon = "e", granularity = "bounded" }
        """
        return files.toml(writing.to_data(writing.plain(self.setting), claims, self.theory.parameters))

    def __repr__(self) -> str:
        return repr(self.setting)

    def _repr_html_(self) -> str:
        from dpcompose.front import display

        return display.setting_html(self.setting, self.theory)

    def _repr_latex_(self) -> str:
        from dpcompose.front.latex import setting_latex

        return setting_latex(self.setting, self.theory)
