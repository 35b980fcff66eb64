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

from dpcompose.front import files, limits, render
from dpcompose.front.bound import Bound, bound
from dpcompose.front.results import Answer, Proof, Theorems
from dpcompose.front.verdict import Verdict
from dpcompose.kernel import formulas as kernel_formulas
from dpcompose.kernel.judgements import Refuted
from dpcompose.kernel.theory import Theory as KernelTheory
from dpcompose.language import formulas
from dpcompose.privacy import problems, writing
from dpcompose.privacy.flattening import NotFlat, flattened
from dpcompose.privacy.mechanisms import Mechanism, Nested
from dpcompose.privacy.notions import Guarantee
from dpcompose.privacy.problems import Claim, Problem
from dpcompose.privacy.settings import InvalidSetting, Setting, check_assumptions, setting
from dpcompose.proof import registry
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.registry import Theory
from dpcompose.search import least, nearby, proofs, stated
from dpcompose.search.guarantees import Guarantees
from dpcompose.search.proofs import NoGuarantee, NotElaborated, Proofs, Proved
from dpcompose.spaces.databases import DatabaseClass, TooLarge
from dpcompose.spaces.granularities import Granularity
from dpcompose.spaces.maps import Everything, Map

if TYPE_CHECKING:
    import sympy

    from dpcompose.front.membership import Membership
    from dpcompose.front.numbers import Budget

CURVES = ("curve", "curve_standing")
"""The rules by which a computed curve proves a claim, or says how large it is."""


@dataclass(frozen=True, repr=False)
class Result:
    """The best guarantee of a study.

    values -- the notion's parameters as sympy expressions; epsilon is the one of pure privacy.
    """

    bound: Bound
    theory: Theory

    @property
    def values(self) -> Mapping[str, sympy.Expr]:
        """The parameters of the guarantee, by name; sympy.oo where there is none."""
        symbols = self.bound.setting.symbols
        return {key: formulas.parse(text, symbols) for key, text in self.bound.guarantee.parameters}

    @property
    def epsilon(self) -> sympy.Expr:
        """The ε of a pure guarantee."""
        return self.values["epsilon"]

    @property
    def metric(self) -> sympy.Expr:
        """The metric in which the composition is private, over database symbols D, E; see `Study.metric`.

        The guarantee is its largest value over neighbours.  Raises NoMetric for families.
        """
        from dpcompose.proof import privacy_metric
        from dpcompose.spaces import expressions

        return privacy_metric.of_inputs(self.bound.steps.inputs, *expressions.databases("D E"))

    @property
    def optimal(self) -> bool:
        """Whether no smaller guarantee holds for all mechanisms that fit the assumptions."""
        return self.bound.optimal

    @property
    def theorem(self) -> str:
        """The item that is cited, such as GB:IV.13."""
        return self.bound.theorem.cite(self.bound.steps.notion, self.bound.setting.adaptive)

    @property
    def scope(self) -> str:
        """The class that the guarantee is about, in words."""
        return str(self.bound.setting.databases)

    @property
    def assumptions(self) -> list[str]:
        """What was assumed and not checked."""
        return render.assumptions(self.bound)

    @property
    def derivation(self) -> Proof:
        """The numbered lines of the proof: text by str, a list in a notebook."""
        return Proof(self.bound, self.theory)

    def to_latex(self, verdicts: Sequence[Verdict] = ()) -> str:
        """The proof as a document for pdfLaTeX, with verdicts on claims and the results that are used."""
        return self.derivation.to_latex(verdicts)

    def at(self, values: Mapping[Any, object]) -> dict[str, sympy.Expr]:
        """The guarantee with numbers in place of parameters, exact: at({e1: "1/2"}); see `numbers.at`."""
        from dpcompose.front import numbers

        return numbers.at(self.bound, values)

    def membership(self, values: Mapping[Any, object] = MappingProxyType({})) -> Membership:
        """What the guarantee says of a test that must tell two neighbours apart by the output, in numbers.

        values -- numbers for parameters, as for `at`.  Raises WrongValue where some are left.

        >>> import dpcompose as dpc
        >>> M = dpc.mechanism("M", dpc.pure("e", dpc.unbounded))
        >>> found = dpc.compose(M, on=dpc.multisets(), target=dpc.unbounded).guarantee()
        >>> print(found.membership({"e": "log(3)"}))
        a test that tells two neighbours apart has at most
          true positives at false ones: 0.003 at 0.001, 0.03 at 0.01, 0.3 at 0.1, 0.8333334 at 0.5
          advantage (their difference): 0.5
          posterior (1/2 before):       0.75
        """
        from dpcompose.front import membership

        return membership.of(self.bound, values)

    def __repr__(self) -> str:
        said = render.guarantee(self.bound.guarantee, self.theory)
        believed = "".join(f"; {one}" for one in registry.rests(self.bound.relies_on))
        return f"{said}, by {self.theorem}{self.bound.standing}{believed}"

    def _repr_html_(self) -> str:
        from dpcompose.front import display

        return display.guarantee_html(self.bound)

    def _repr_latex_(self) -> str:
        from dpcompose.front import display

        return display.guarantee_latex(self.bound)


@dataclass(frozen=True, repr=False)
class Study:
    """M = (M_1∘f_1, …, M_k∘f_k) on a class, with its best guarantee, verdicts on claims, and theorems.

    `compose` makes it, `load` reads it from a problem file.  setting -- the composition as stated;
    theory -- the pages it is judged by.

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
        except NotElaborated as error:
            raise NoGuarantee(str(error)) from None
        return self._shown(found)

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
        if self._has_least(answer) and (known := self._least(claim)) is not None:
            answer = replace(answer, guarantee=known, curve=self._curve(notion))
        return self._resting_on(answer, proved)

    def _compared(self, proved: Proved, notion: str) -> Bound | None:
        """The guarantee that a claim was compared with: of the setting, or of its studies one by one."""
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
        near = tuple(self._nearby_words(claim))
        if answer.bound is not None:
            from dpcompose.front import examples

            example = examples.example(
                said, claim.guarantee, answer.bound, self.proofs.pairs(proved), proved.by_curve
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

    def _resting_on(self, answer: Answer, proved: Proved) -> Answer:
        """The verdict with the pages of its theorems that nothing derives."""
        used = {id for id in proved.rests_on if id in self.theory.pages}
        return replace(answer, relies_on=self.theory.relied_on(used))

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
        stated = self.setting.in_one_notion([self.bound.guarantee.notion])
        study = self if stated is self.setting else Study(stated, self.theory)
        return nested(name, study.bound, reads, count)

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
            self.setting.check_ranges(value)
            values.append((key, value))
        text = Guarantee(guarantee.notion, tuple(values)).text()
        return Claim(Guarantee(guarantee.notion, tuple(values)), MappingProxyType(text))

    @cached_property
    def _inputs(self) -> Inputs:
        return Inputs(self.setting, self.theory)

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
        return list(limits.warnings(self.bound))

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


def compose(
    *mechanisms: Mechanism,
    on: DatabaseClass,
    target: Granularity,
    parameters: Mapping[str, str] | None = None,
    title: str = "",
    adaptive: bool = False,
    theory: Theory | None = None,
) -> Study:
    """The composition of mechanisms over a class, for the neighbours of `target`.

    mechanisms -- made by `mechanism`; their guarantees may be for other neighbours than the target's;
    on -- the class of databases; target -- the granularity that guarantees of the composition are about;
    parameters -- values that symbols may take where sympy cannot say it: {"delta": "in (0,1)"};
    adaptive -- whether later mechanisms may read earlier outputs (GB Def. V.1); else they are independent;
    theory -- the pages it is judged by, `theorems("folder")` with some of one's own; else those that ship.

    >>> import dpcompose as dpc
    >>> study = dpc.compose(
    ...     dpc.mechanism("odd", dpc.pure("e1", dpc.event, "own"), reads=dpc.positions(1, 3)),
    ...     dpc.mechanism("even", dpc.pure("e2", dpc.event, "own"), reads=dpc.positions(2, 4)),
    ...     on=dpc.streams(size="= 4"),
    ...     target=dpc.event,
    ...     adaptive=True,
    ... )
    >>> study.guarantee()
    event (max(e1, e2))-DP, by GB:V.4; optimal
    """
    composed = setting(
        *mechanisms, on=on, target=target, parameters=parameters, title=title, adaptive=adaptive
    )
    return Study(composed, theory or registry.standard())


def nested(name: str, bound: Bound, reads: Map, count: sympy.Expr | None) -> Mechanism:
    """A composition with a bound as a mechanism of another one, on what that reads, for its own target."""
    setting, said = bound.setting, bound.guarantee
    values = tuple(
        (key, kernel_formulas.parse(text, setting.letters, index="i")) for key, text in said.parameters
    )
    domain = None if isinstance(reads, Everything) else "own"
    satisfies = Guarantee(said.notion, values, setting.target, domain)
    return Mechanism(name, reads, satisfies, count, study=Nested(setting))


def show(
    name: str, setting: Setting, reads: Map, count: sympy.Expr | None = None, theory: Theory | None = None
) -> Mechanism:
    """A composition as a mechanism of another one, with its best guarantee: for reading problem files."""
    return Study(setting, theory or registry.standard()).as_mechanism(name, reads, count)


def load(path: str | Path, theory: Theory | None = None) -> tuple[Study, tuple[Claim, ...]]:
    """The study of a problem file, and its claims, for `Study.check`.

    theory -- the pages it is judged by, `theorems("folder")` with some of one's own; else those that ship.
    Raises ProblemError, a ValueError, with all mistakes of the file; OSError where it cannot be read.
    """
    theory = theory or registry.standard()
    problem: Problem = problems.read_file(path, partial(show, theory=theory), theory.parameters)
    return Study(problem.setting, theory), problem.claims
