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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from dpcompose.front import files
from dpcompose.front.studies.judge import Judge
from dpcompose.front.studies.results import Answer, Proof, Result, Theorems
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language.answers import NoAnswer
from dpcompose.language.shown import Shown
from dpcompose.privacy.format.checks import near
from dpcompose.privacy.guarantees.notions import Guarantee, InMetric
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.problems import Claim
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Theory
from dpcompose.search.proofs import Proofs
from dpcompose.spaces.inputs.maps import Map

if TYPE_CHECKING:  # of what is about metrics sympy is a part, which takes a while to load
    import sympy

    from dpcompose.front.numbers.budgets import Budget
    from dpcompose.front.numbers.curve import Enclosure, PrivacyCurve
    from dpcompose.front.printers.papers import Paper
    from dpcompose.search.metrics.sensitivity import MetricSensitivity


@frozen(repr=False)
class Study(Shown):
    """M = (M_1∘f_1, …, M_k∘f_k) on a class, with its best guarantee, verdicts on claims, and theorems.

    setting -- the composition as stated, for the neighbours of a target or in metrics; theory -- the pages
    it is judged by; known -- what already judges it.  Raises InvalidSetting where a formula that is given as
    a metric is none, or exceeds the bound that is declared for it: with the databases that show it.

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
    known: Judge | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        _ = self.judge  # which refuses what is no metric

    @staticmethod
    def by(judge: Judge) -> Study:
        """The study of what a judge judges: nothing that it found is looked for again."""
        return Study(judge.setting, judge.theory, judge)

    @cached_property
    def judge(self) -> Judge:
        """What judges the composition: its best guarantee, claims, and what of it is saved."""
        return self.known or Judge(self.setting, self.theory)

    @property
    def proofs(self) -> Proofs:
        """What the kernel proves of the setting.  Raises PageError where it needs a page that is wrong."""
        return self.judge.for_neighbours("what the kernel proves").proofs

    @property
    def bound(self) -> Any:
        """The best guarantee as it is printed.  Raises InvalidSetting, NoGuarantee or TooLarge."""
        return self.judge.stated.bound

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
        self._refuse_unknown(notion)
        return Result(self.judge.stated.best(notion))

    def _refuse_unknown(self, notion: str | None) -> None:
        """Raises InvalidSetting for a notion that there is no page for."""
        known = self.theory.parameters
        if notion is not None and notion not in known:
            raise InvalidSetting(f"there is no notion {notion!r}{near(notion, known)}")

    def check(
        self,
        claim: Guarantee | InMetric | Claim | Result | str | sympy.Expr | None = None,
        notion: str | None = None,
        **parameters: Any,
    ) -> Answer:
        """The verdict on a claim: proved, refuted with two databases, or undecided with the reason.

        claim -- of a file, a guarantee, also that of another study, or the value of one in the study's
        notion, or the one that is named: a formula in the parameters, of compositions in metrics also in
        these, as text or sympy expression;
        parameters -- in its place those of a guarantee: epsilon=1, delta=1e-6, or rho=1/2.  The answer is
        true, as in an `assert`, only where it is proved.  What is proved or refuted was made again from its
        saved form.

        >>> import dpcompose as dpc
        >>> M = dpc.mechanism("M", query=dpc.count, noise=dpc.gaussian_noise("s"))
        >>> study = dpc.compose(M, on=dpc.multisets(), target="unbounded")
        >>> study.check("1/s"), study.check(rho="1/(2*s**2)"), study.check("1/s", notion="pure").verdict
        (proved, and no smaller guarantee holds, proved, and no smaller guarantee holds, 'refuted')
        """
        self._refuse_unknown(notion)
        said = self._stated(claim, parameters, notion)
        return self.judge.check(said if isinstance(said, Claim) else self.claim(said, None, notion))

    @cached_property
    def in_metrics(self) -> Study:
        """The same composition at any two databases: claims about it are formulas in metrics.

        d_bounded, d_NAME are those of the neighbours of guarantees and of the target; the mechanisms of
        studies stand one by one.  Raises ProblemError where mechanisms, or what they read, are known for
        neighbours alone.

        >>> import dpcompose as dpc
        >>> some = [dpc.mechanism("M1", dpc.pure("e")), dpc.mechanism("M2", dpc.pure("f", dpc.unbounded))]
        >>> study = dpc.compose(*some, on=dpc.multisets(), target=dpc.bounded)
        >>> study.in_metrics.guarantee()
        private in the metric d_bounded*e + d_unbounded*f, by GB:IV.3; optimal
        >>> study.check(dpc.in_metric("(e + 2*f)*d_bounded")), study.check("e + 2*f")
        (proved, and no smaller metric holds, proved, and no smaller guarantee holds)
        """
        return self if self.setting.at_all_pairs else Study.by(self.judge.in_metrics)

    def _stated(self, given: Any, parameters: Mapping[str, Any], notion: str | None = None) -> Any:
        """What is given, or the guarantee that has some parameters."""
        if given is not None and not parameters:
            return given.claimed(self.theory.parameters) if hasattr(given, "claimed") else given
        from dpcompose.front.numbers import totals

        return totals.stated(given, parameters, self.theory.parameters, notion)

    def claim(
        self,
        claim: Guarantee | InMetric | str | sympy.Expr,
        delta: str | sympy.Expr | None = None,
        notion: str | None = None,
    ) -> Claim:
        """A claim about this composition, for `check`; symbols are known by their names.

        claim -- a guarantee, or a metric: a formula in those of the setting, with delta -- another one, of
        (ε, δ)-privacy, and notion -- left out: pure privacy, or that of the study.
        """
        return self.judge.claim(claim, delta, notion)

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
        neighbours = self.judge.for_neighbours("what studies are made of").flat(notion)
        return None if neighbours is None else Study.by(Judge.by(neighbours))

    def for_neighbours(self) -> Study | None:
        """The same composition for the neighbours of its target; None where the kernel has none of it.

        Of one in metrics its guarantee is that for neighbours; claims for these need it not.

        >>> import dpcompose as dpc
        >>> study, _ = dpc.load("notebooks/problems/106-metrics-beside-neighbours.toml")
        >>> study.for_neighbours().guarantee()
        bounded (2*e1 + e2 + e3)-DP, by GB:IV.11; optimal
        """
        if not self.setting.at_all_pairs:
            return self
        return None if self.judge.neighbours is None else Study.by(Judge.by(self.judge.neighbours))

    def as_mechanism(self, name: str, reads: Map, count: sympy.Expr | None = None) -> Mechanism:
        """The composition as a mechanism of another, with its best guarantee; see `dpcompose.mechanism`.

        Raises NoGuarantee, InvalidSetting or TooLarge where it has none.
        """
        return self.judge.for_neighbours("a mechanism of another study").as_mechanism(name, reads, count)

    def budget(
        self,
        total: Guarantee | str | sympy.Expr | None = None,
        weights: Mapping[Any, object] | None = None,
        at: Mapping[Any, object] | None = None,
        **parameters: Any,
    ) -> Budget:
        """The parameters for which the best guarantee is the total: equal ones, or in proportion.

        total -- such as pure(1), approximate(1, "1e-6"), zcdp("1/2") or gaussian(1), in any notion; a number
        is one in the study's notion; parameters -- in its place those of one: epsilon=1, delta=1e-6;
        weights -- {e1: 2}, else 1 each; at -- values for parameters that are not to be chosen, such as how
        many mechanisms there are.  Exact where a formula is solved; else decimals at which the total is kept,
        with those beyond.  Raises NoBudget where there is no such guarantee.

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
        from dpcompose.front.numbers import totals

        neighbours = self.judge.for_neighbours("a budget")
        said = self._stated(total, parameters)
        total = said if isinstance(said, Guarantee) else neighbours.claim(said).guarantee
        return totals.budget(self.speaking_of(total), total, weights, at)

    def speaking_of(self, stated: Guarantee) -> Study:
        """The same where divergences of the orders of a guarantee are spoken of, if it is about such."""
        own = self.judge.for_neighbours("a budget")
        if stated.curve is None or stated.curve.orders == own.setting.orders:
            return Study.by(Judge.by(own))
        return Study(own.setting.at_orders(stated.curve.orders), self.theory)

    def best(self, notion: str | None = None) -> Any:
        """The best bound as it is printed, in a notion; see `guarantee`."""
        return self.judge.stated.best(notion)

    @overload
    def curve(self, at: Mapping[Any, object] | None = None) -> PrivacyCurve: ...
    @overload
    def curve(
        self, at: Mapping[Any, object] | None = None, *, epsilon: object = None, delta: object = None
    ) -> Enclosure: ...
    def curve(
        self, at: Mapping[Any, object] | None = None, *, epsilon: object = None, delta: object = None
    ) -> PrivacyCurve | Enclosure:
        """The least δ at every ε, and the least ε at every δ, between decimals that are certain.

        at -- a number for each parameter, {"e1": "1/2"}; epsilon -- then δ at this ε; delta -- ε at this δ.
        Raises WrongValue; once it is asked, NoCurve.

        >>> import dpcompose as dpc
        >>> M = dpc.mechanism("M", dpc.pure("e", dpc.unbounded))
        >>> dpc.compose(M, on=dpc.multisets(), target=dpc.bounded).curve(at={"e": 1}).delta("1/2")
        between 0.5679373 and 0.5679374
        """
        if epsilon is not None and delta is not None:
            raise TypeError(
                "a curve is asked for delta at an epsilon, or for epsilon at a delta, not for both"
            )
        curve = self._curve(at or {})
        if epsilon is not None:
            return curve.delta(epsilon)
        return curve if delta is None else curve.epsilon(delta)

    def _curve(self, at: Mapping[Any, object]) -> PrivacyCurve:
        """The curve at some values: of all guarantees of each mechanism at once, where these are alike."""
        from dpcompose.front.numbers.curve import PrivacyCurve
        from dpcompose.front.studies.specialised import specialised

        judge = self.judge.for_neighbours("a curve")
        if not judge.setting.has_choices:
            return PrivacyCurve(specialised(judge.bound, at), self.theory)
        with suppress(NoAnswer):
            at_once = PrivacyCurve(specialised(judge.bound, at, judge.setting), self.theory)
            at_once.delta(0)
            return at_once
        return PrivacyCurve(specialised(judge.bound, at), self.theory, reached=False)

    def metric(self, D: object = None, E: object = None, closure: bool = True) -> sympy.Expr:
        """The metric in which the composition is private: Σ_i ε_i·d_i(f_i(D), f_i(E)) (GB Thm. IV.1, IV.11).

        D, E -- database symbols (`dpcompose.databases`) for an expression, or databases for its value:
        an expression in the parameters, or oo.  The guarantee is its largest value over target neighbours.
        Both left out: the expression in symbols D, E; of mechanisms in metrics a formula in these.
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
        return self.judge.stated.metric(D, E, closure)

    def sensitivity(self, moved: str | sympy.Expr, over: str | sympy.Expr) -> MetricSensitivity:
        """The least Δ with moved ≤ Δ·over at all databases: of a map f, for moved = d′∘f (GB Def. III.5).

        moved, over -- formulas in the named metrics.  Exact, in the parameters, and proved, or a bound from
        below.  A guarantee ε·d′ on f's values becomes (Δ·ε)·d (GB Prop. III.6).  Maps between classes with
        neighbours have `dpcompose.sensitivity`.

        >>> import dpcompose as dpc
        >>> study = dpc.metric_study(
        ...     {"M": "e*moved"},
        ...     on=dpc.points("x y"),
        ...     metrics={"L1": dpc.norm("L1"), "Linf": dpc.norm("Linf"), "moved": dpc.norm("L1", of="f")},
        ...     maps={"f": ["a*x + b*y"]},
        ... )
        >>> study.sensitivity("moved", "L1").value, study.sensitivity("moved", "Linf").value
        (max(a, b), a + b)
        """
        judge: Any = self.judge.in_metrics.stated
        sensitivity: MetricSensitivity = judge.sensitivity(moved, over)
        return sensitivity

    @property
    def symbols(self) -> Mapping[str, sympy.Expr]:
        """The parameters, and the metrics of the setting, as sympy symbols, by name."""
        return self.setting.symbols

    def theorems(self) -> Theorems:
        """Of every composition theorem whether it fits, and why not, with the witness."""
        return Theorems(self.judge.for_neighbours("which theorems fit").bound)

    def warnings(self) -> list[str]:
        """What a reader of the result should know first."""
        return self.judge.stated.warnings()

    def together(self) -> str:
        """What is shown beside the guarantee, in words; "" where there is nothing to say.

        Of mechanisms with several guarantees what one of each gives, in metrics the guarantee for neighbours.
        """
        return self.judge.together()

    def derivation(self) -> Proof:
        """The numbered lines of the proof of the best guarantee."""
        return self.guarantee().derivation

    def to_latex(self, verdicts: Sequence[Answer] = ()) -> str:
        """The proof as a document for pdfLaTeX, with verdicts on claims and the results that are used."""
        return self.guarantee().to_latex(verdicts)

    def paper(self, verdicts: Sequence[Answer] = ()) -> Paper:
        """The proof as it goes into a paper; see `Proof.paper`."""
        return self.guarantee().paper(verdicts)

    def save(self, path: str | Path, verdicts: Sequence[Answer] = ()) -> None:
        """Writes the derivation, with verdicts on claims, to a file that `dpcompose recheck` reads.

        verdicts -- of a file in metrics those of all its claims, in order.
        """
        data = self.judge.saved(verdicts)
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
        return files.toml(self.judge.stated.file(claims))

    def to_json(self, claims: Sequence[Claim] = ()) -> str:
        """The same as JSON, with the keys of a problem file; `dpcompose.loads` reads it."""
        return json.dumps(self.judge.stated.file(claims), ensure_ascii=False)

    def __repr__(self) -> str:
        return repr(self.setting)

    def _repr_html_(self) -> str:
        from dpcompose.front.printers import display

        return display.setting_html(self.judge.stated.composed)

    def _repr_latex_(self) -> str:
        from dpcompose.front.printers.latex import setting_latex

        return setting_latex(self.judge.stated.composed)


MetricStudy = Study
"""The same, as studies of mechanisms in metrics were called."""
