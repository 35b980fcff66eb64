"""Lines on what the setting states: guarantees, noise, hypotheses, and the inputs they are about.

The first chapter of `Steps`: each later one adds the lines that use these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import sympy

from dpcompose.language import forms, formulas
from dpcompose.language.forms import Form
from dpcompose.privacy.mechanisms import Mechanism
from dpcompose.privacy.settings import Setting
from dpcompose.proof import certificates, kernel
from dpcompose.proof.hypotheses import binding
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.kernel import Line
from dpcompose.proof.registry import Hypothesis, Page, Theory
from dpcompose.spaces.maps import Part
from dpcompose.spaces.metrics import shown


class StepRefused(ValueError):
    """A page does not give the line it is used for; the message says why."""


GIVEN, HYPOTHESIS = "given", "hypothesis"
"""What a line is by where it is by no page: the setting itself, or a predicate."""

Sources = Sequence[Line]


@dataclass(frozen=True, eq=False)
class Stated:
    """The setting, the theory, and the lines that state what each mechanism promises."""

    setting: Setting
    theory: Theory
    conversions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    like: Stated | None = field(default=None, repr=False)
    chosen: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @cached_property
    def _representative(self) -> tuple[Setting, tuple[int, ...]]:
        """The setting with as many members of each family written out as neighbours differ in parts.

        What an edit does to a family is the same for all members that read alike, and for all
        parts; so how these few members move, and which move at all, decides for any number.
        """
        if self.like is not None:
            return self.like._representative
        setting = self.setting
        if not setting.families:
            return setting.written_out({})
        divided = any(isinstance(m.reads, Part) for m in setting.mechanisms)
        few = max(2, setting.touched_parts) if divided else 2
        counts = {str(m.count) for m in setting.mechanisms if m.count is not None}
        return setting.written_out({name: min(few, int(name)) if name.isdigit() else few for name in counts})

    @cached_property
    def inputs(self) -> Inputs:
        """The metrics and pairs of the setting; of one with two members for each family, or two records for
        each that comes with attributes."""
        if self.like is not None:
            return self.like.inputs
        if not self.setting.families and not self.setting.attributes:
            return Inputs(self.setting, self.theory)
        return Inputs(self._representative[0], self.theory, self.setting)

    @cached_property
    def _origin(self) -> tuple[int, ...]:
        """For each mechanism of `inputs` the one of the setting that it is, or is a member of."""
        if not self.setting.families:
            return tuple(range(1, len(self.setting.mechanisms) + 1))
        return self._representative[1]

    def first(self, i: int) -> int:
        """The mechanism of `inputs` that M_i is, or the first member of the family."""
        return self._origin.index(i) + 1

    def domain(self, i: int) -> str:
        """On which domain the guarantee of M_i is stated."""
        return self.inputs.domain(self.first(i))

    def _given(self, roles: Mapping[str, Any], evidence: Any) -> kernel.Given | kernel.Releases:
        """M_i's guarantee as the setting states it, or its noise; the parameters are shown to be ≥ 0."""
        if self.setting.doubts:
            raise StepRefused(self.setting.doubts[0])
        i = self._mechanism(roles)
        mechanism = self.setting.mechanisms[i - 1]
        stated = mechanism.satisfies
        proofs = evidence if isinstance(evidence, Mapping) else {}
        used = set()
        for key, value in stated.values:
            if value is sympy.oo:
                continue
            form = self._form(value)
            if not forms.is_nonnegative(form, self.setting.domains):
                used.add(key)
                if key not in proofs:
                    raise StepRefused(f"nothing shows that {key} of {mechanism.name} is never negative")
                try:
                    proof = certificates.from_data(proofs[key])
                    certificates.check_at_least(form, Form(), self.setting.domains, proof)
                except certificates.BadCertificate as error:
                    raise StepRefused(f"{key} of {mechanism.name} >= 0: {error}") from None
        if evidence is not None and (not used or set(proofs) != used):
            raise StepRefused(f"there is evidence that {mechanism.name} does not need")
        if mechanism.query is not None and mechanism.noise is not None:
            attributes = "with every value" if mechanism.query.attribute else ""
            reads, query = mechanism.reads.written("D"), mechanism.query.words
            return kernel.Releases(i, _called(mechanism), reads, query, mechanism.noise.words, attributes)
        shown = self.setting.on_tables.get(mechanism.name)
        kind = kernel.Tabled if shown is not None and shown.holds else kernel.Given
        return kind(*self._as_stated(mechanism, i))

    def _as_stated(self, mechanism: Mechanism, i: int) -> tuple[int, str, str, str, kernel.Values, str, str]:
        """What a line says of M_i's guarantee."""
        stated = mechanism.satisfies
        return (
            i,
            _called(mechanism),
            mechanism.reads.written("D"),
            stated.notion,
            tuple((key, formulas.to_text(value)) for key, value in stated.values),
            str(stated.granularity),
            stated.domain or "everything",
        )

    def _hypothesis(self, roles: Mapping[str, Any]) -> kernel.Holds:
        """A predicate that holds, checked on the setting."""
        try:
            hypothesis = Hypothesis.read(roles)
        except ValueError as error:
            raise StepRefused(f"the hypothesis cannot be read: {error}") from None
        if hypothesis.data() != roles:
            raise StepRefused("the hypothesis has other letters")
        evidence = binding.check(self.inputs, hypothesis)
        words = binding.words(self.inputs, hypothesis)
        if not evidence.holds:
            raise StepRefused(f"{words}: {evidence.answer.value}, {evidence.words}")
        return kernel.Holds(words, evidence.words)

    def _step(self, page: Page, roles: Mapping[str, Any], sources: Sources) -> kernel.PrivateInInput:
        """M_i's guarantee in the distance of what M_i reads, one line for all such mechanisms."""
        mechanisms = self._same_mechanisms(roles, sources, kernel.Given)
        for i in mechanisms:
            if self.domain(i) != page.head.domain:
                name = self.setting.mechanisms[i - 1].name
                raise StepRefused(
                    f"{page.id} is about the {page.head.domain} domain, which is not that of {name}"
                )
            if page.head.metric == "minimum over fibres":
                self._check_minimum_is_metric(self.first(i))
        words = tuple(self.inputs.metric(self.first(i)).words for i in mechanisms)
        return kernel.PrivateInInput(tuple(mechanisms), words)

    def _same_mechanisms(
        self, roles: Mapping[str, Any], sources: Sources, kind: type[kernel.Given | kernel.Releases]
    ) -> list[int]:
        """The mechanisms that a line is about, which the lines that it uses state, in order."""
        mechanisms = self._listed(roles)
        stated = [line.judgement for line in sources]
        if [one.mechanism if isinstance(one, kind) else None for one in stated] != mechanisms:
            raise StepRefused("the lines used must state the guarantees of the same mechanisms, in order")
        return mechanisms

    def _noise(self, page: Page, roles: Mapping[str, Any], sources: Sources) -> kernel.PrivateInValue:
        """The guarantees of mechanisms with this noise, by how far the values of their queries move."""
        mechanisms = self._same_mechanisms(roles, sources, kernel.Releases)
        parameters = []
        for i in mechanisms:
            mechanism = self.setting.mechanisms[i - 1]
            noise, stated = mechanism.noise, mechanism.satisfies
            if noise is None or noise.word != page.head.noise:
                raise StepRefused(f"{page.id} is not about the noise of {mechanism.name}")
            given = page.head.guarantee.get(stated.notion)
            if given is None or {key: noise.value(text) for key, text in given.items()} != dict(
                stated.values
            ):
                raise StepRefused(
                    f"{page.id} does not state the {stated.notion} guarantee of {mechanism.name}"
                )
            parameters.append(f"{page.head.parameter} = {formulas.to_text(noise.parameter)}")
        words = tuple(self.inputs.metric(self.first(i)).words for i in mechanisms)
        return kernel.PrivateInValue(
            tuple(mechanisms),
            words,
            page.head.density,
            page.head.loss,
            page.head.then,
            page.head.because,
            tuple(parameters),
        )

    def _check_minimum_is_metric(self, i: int) -> None:
        """The minimum over fibres serves only where chains of fibres are no shorter."""
        shortest, minimum = self.inputs.metric(i).metric, self.inputs.minimum_over_fibres(i)
        if shortest is minimum:
            return
        setting = self.inputs.setting
        values = list(setting.mechanisms[i - 1].reads.image(setting.databases).databases())
        if len(values) > 500:
            raise StepRefused("too many fibres to compare the minimum over fibres with its closure")
        for x, y in combinations(values, 2):
            if shortest(x, y) != minimum(x, y):
                raise StepRefused(
                    f"the minimum over fibres of {x} and {y} is {shown(minimum(x, y))}; "
                    f"a chain of fibres has length {shown(shortest(x, y))}"
                )

    def _form(self, expression: sympy.Expr) -> Form:
        try:
            return forms.read(expression, self.setting.domains)
        except forms.NotAForm as error:
            raise StepRefused(str(error)) from None

    def _never_above(self, value: sympy.Expr, limit: Fraction) -> bool:
        most = forms.greatest(self._form(value), self.setting.domains)
        return most is not None and most <= limit

    def _mechanism(self, roles: Mapping[str, Any]) -> int:
        i = roles.get("M")
        if not (type(i) is int and 1 <= i <= len(self.setting.mechanisms)):
            raise StepRefused(f"there is no mechanism {i!r}")
        return i

    def _listed(self, roles: Mapping[str, Any]) -> list[int]:
        mechanisms = roles.get("M")
        if not (
            isinstance(mechanisms, list)
            and mechanisms
            and all(type(i) is int for i in mechanisms)
            and mechanisms == sorted(set(mechanisms))
            and 1 <= mechanisms[0] <= mechanisms[-1] <= len(self.setting.mechanisms)
        ):
            raise StepRefused("the mechanisms must be listed in order, each once")
        return mechanisms

    def _private(self, line: Line) -> kernel.PrivateInInput:
        if not isinstance(line.judgement, kernel.PrivateInInput):
            raise StepRefused(f"line {line.n} does not say in which distance mechanisms are private")
        return line.judgement


def _called(mechanism: Mechanism) -> str:
    """A mechanism's name, or that of all members of a family."""
    count = mechanism.count
    return mechanism.name if count is None else f"{mechanism.name}[i], i = 1..{count},"
