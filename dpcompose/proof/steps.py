"""The only maker of derivation lines: `Steps.line(n, by, roles, sources, evidence)`.

A line is a function of the setting, the page it is by, and the lines it uses.  The search
makes its lines here, and the checker makes every line of a saved derivation here again.
Each kind of page has one function below, which raises `StepRefused` where the page does not
give what it is used for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations, product
from math import comb, prod
from types import MappingProxyType
from typing import Any, Literal

import sympy

from dpcompose.language import forms, formulas, orders, symbols
from dpcompose.language.forms import Form
from dpcompose.language.worstcase import Over
from dpcompose.privacy.mechanisms import Mechanism
from dpcompose.privacy.notions import Guarantee
from dpcompose.privacy.settings import Setting
from dpcompose.proof import certificates, kernel, rays
from dpcompose.proof.hypotheses import binding
from dpcompose.proof.hypotheses.inputs import Inputs, NotDecidable
from dpcompose.proof.kernel import Line
from dpcompose.proof.registry import Closer, Hypothesis, Named, Page, Theory, Witness
from dpcompose.spaces.databases import TooLarge
from dpcompose.spaces.maps import Part
from dpcompose.spaces.metrics import INFINITE, at_most, shown


class StepRefused(ValueError):
    """A page does not give the line it is used for; the message says why."""


GIVEN, HYPOTHESIS = "given", "hypothesis"
"""What a line is by where it is by no page: the setting itself, or a predicate."""

Sources = Sequence[Line]
LARGEST_SHAPE = 20_000
"""The most vectors into which a shape is spread when its conclusion is compared with a profile."""

MOST_STEPS, MOST_TOGETHER, MOST_CHOICES, LARGEST_PRODUCT, LARGEST_CLOSER = 64, 20, 64, 64, 400
"""Closer values are written out up to so many steps, inputs that move, choices of formulas for these, terms
of one product, and terms in all."""
ONE_OF_TWO_EVENTS = "1 - (1 - a)*(1 - {})"
"""The probability that one of two independent events happens, the one with probability a."""

INFINITE_LOSS: Literal["oo"] = "oo"
"""The loss ∞ among losses, which are otherwise sets of forms."""

Loss = Form | Literal["oo"]
Losses = frozenset[Form] | Literal["oo"]
INFINITE_FIRST = 10**9
"""Where oo stands among distances that are put in order."""


@dataclass(frozen=True, eq=False)
class Steps:
    """Makes the lines of derivations about one setting, with the pages of one theory.

    conversions -- for notions of the guarantees the pages that lead, one after the other, to the notion
    in which losses are added up;
    like -- others about the same setting and theory, whose metrics and pairs are used again.
    """

    setting: Setting
    theory: Theory
    conversions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    like: Steps | None = field(default=None, repr=False)
    _losses: dict[tuple[kernel.Loss, kernel.Profile], dict[str, tuple[Loss, ...]]] = field(
        default_factory=dict, repr=False
    )
    _worst_losses: dict[tuple[kernel.Loss, kernel.Profile], dict[str, Losses]] = field(
        default_factory=dict, repr=False
    )
    _one_form: dict[tuple[kernel.Loss, kernel.Profile], dict[str, Loss]] = field(
        default_factory=dict, repr=False
    )
    _written: dict[tuple[str, str, str], Form] = field(default_factory=dict, repr=False)

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
            page = self.theory.pages[by]
            maker = self._makers.get(page.head.kind)
            if maker is None:
                raise StepRefused(f"the page {by} is a {page.head.kind}: no line is by it")
            judgement = maker(page, roles, sources)
        return Line(n, judgement, by, dict(roles), tuple(line.n for line in sources), evidence)

    def pages(self, lines: Sources) -> dict[str, str]:
        """The SHA-256 of every page that the lines rest on: by itself, for its shape, a metric, a lemma."""
        used = {line.by for line in lines} & set(self.theory.pages)
        used |= {shape for id in used if (shape := getattr(self.theory.pages[id].head, "shape", None))}
        if any(self.theory.pages[id].head.kind == "closer" for id in used):
            closer = (self.theory.closer(self.notion, over) for over in ("steps", "mechanisms"))
            used |= {page.id for page in closer if page is not None}
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
        if by != HYPOTHESIS and set(roles) != ({"M"} if about_mechanisms else free):
            raise StepRefused(f"{by} has other letters")
        if by in (GIVEN, HYPOTHESIS) and sources:
            raise StepRefused(f"a line that is {by} uses no other line")
        if by != GIVEN and evidence is not None:
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

    # given

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
        name = (
            mechanism.name if mechanism.count is None else f"{mechanism.name}[i], i = 1..{mechanism.count},"
        )
        if mechanism.query is not None and mechanism.noise is not None:
            attributes = "with every value" if mechanism.query.attribute else ""
            reads, query = mechanism.reads.written("D"), mechanism.query.words
            return kernel.Releases(i, name, reads, query, mechanism.noise.words, attributes)
        shown = self.setting.on_tables.get(mechanism.name)
        kind = kernel.Tabled if shown is not None and shown.holds else kernel.Given
        return kind(
            i,
            name,
            mechanism.reads.written("D"),
            stated.notion,
            tuple((key, formulas.to_text(value)) for key, value in stated.values),
            str(stated.granularity),
            stated.domain or "everything",
        )

    def _hypothesis(self, roles: Mapping[str, Any]) -> kernel.Holds:
        """A predicate that holds, checked on the setting."""
        hypothesis = Hypothesis.model_validate(dict(roles))
        if hypothesis.data() != roles:
            raise StepRefused("the hypothesis has other letters")
        evidence = binding.check(self.inputs, hypothesis)
        words = binding.words(self.inputs, hypothesis)
        if not evidence.holds:
            raise StepRefused(f"{words}: {evidence.answer.value}, {evidence.words}")
        return kernel.Holds(words, evidence.words)

    # from guarantees to a loss in r

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

    # from notion to notion

    @cached_property
    def notion(self) -> str:
        """The notion in which losses are added up: that of all guarantees, once they are converted."""
        stated = self.setting.notions
        if unused := sorted(set(self.conversions) - set(stated)):
            raise StepRefused(f"no guarantee is of the notion {unused[0]}, which is converted")
        ends: dict[str, str] = {one: [one, *(page.head.to for page in self.path(one))][-1] for one in stated}
        if len(set(ends.values())) > 1:
            shown = " and ".join(f"{one} as {end}" for one, end in ends.items())
            raise StepRefused(f"the losses of several notions do not add up: {shown}")
        return ends[stated[0]]

    def path(self, notion: str) -> tuple[Page, ...]:
        """The pages by which guarantees of a notion are converted, one after the other."""
        return self._chain(notion, self.conversions.get(notion, ()))

    def _chain(self, notion: str, ids: Sequence[str]) -> tuple[Page, ...]:
        """Conversion pages of which each leads from where the one before leads to."""
        pages = []
        for id in ids:
            page = self.theory.pages.get(id)
            if page is None or page.head.kind != "conversion":
                raise StepRefused(f"there is no conversion {id!r}")
            if page.head.from_ != notion:
                raise StepRefused(f"{id} converts {page.head.from_}, not {notion}")
            if page.head.free:
                raise StepRefused(f"{id} is for whole compositions: its {min(page.head.free)} may be chosen")
            self._rule_of(page.head.to)
            notion = page.head.to
            pages.append(page)
        return tuple(pages)

    def _rule_of(self, notion: str) -> Page:
        try:
            return self.theory.rule(notion)
        except KeyError as error:
            raise StepRefused(str(error.args[0])) from None

    def implied(self, claimed: Guarantee, ids: Sequence[str]) -> Guarantee:
        """What holds wherever a claim holds, by conversion pages one after the other."""
        notion, values = claimed.notion, dict(claimed.values)
        for page in self._chain(notion, ids):
            notion, values = page.head.to, self._by_conversion(page, values)
        return Guarantee(notion, tuple(values.items()))

    def _of_notion(self, notion: str) -> list[int]:
        """The mechanisms whose guarantees are of a notion."""
        return [i for i, one in enumerate(self.setting.mechanisms, start=1) if one.satisfies.notion == notion]

    def _conversion(
        self, page: Page, roles: Mapping[str, Any], sources: Sources
    ) -> kernel.Converted | kernel.Private:
        """Guarantees of mechanisms at the distance that their inputs move by, or that of the whole."""
        return self._converted(page, roles, sources) if "M" in roles else self._whole(page, roles, sources)

    def _converted(self, page: Page, roles: Mapping[str, Any], sources: Sources) -> kernel.Converted:
        """All guarantees of one notion in the next one of its path, at the distance r[i]."""
        mechanisms = self._listed(roles)
        notion = self.setting.mechanisms[mechanisms[0] - 1].satisfies.notion
        path = [one.id for one in self.path(notion)]
        if page.id not in path or mechanisms != self._of_notion(notion):
            raise StepRefused(f"{page.id} is not what all guarantees of {notion} are converted by")
        done = path.index(page.id)
        if done == 0:
            covered = [set(self._private(line).mechanisms) & set(mechanisms) for line in sources]
            if not all(covered) or sorted(i for some in covered for i in some) != mechanisms:
                raise StepRefused(
                    f"{page.id} needs the lines on the inputs of the mechanisms that it converts"
                )
        elif [(line.by, line.roles) for line in sources] != [(path[done - 1], {"M": mechanisms})]:
            raise StepRefused(f"{page.id} needs the line by {path[done - 1]} before it")
        parameters = []
        for i in mechanisms:
            self._stated_as_converted(
                self.setting.mechanisms[i - 1]
            )  # refuses what is stated, not what it is at r
            values = self._at(self.setting.mechanisms[i - 1], moved(i), self.path(notion)[: done + 1])
            parameters.append(tuple((key, formulas.to_text(value)) for key, value in values.items()))
        return kernel.Converted(tuple(mechanisms), page.head.to, tuple(parameters))

    def _whole(self, page: Page, roles: Mapping[str, Any], sources: Sources) -> kernel.Private:
        """The guarantee of the composition in another notion, free parameters as chosen."""
        private = sources[0].judgement if len(sources) == 1 else None
        if not isinstance(private, kernel.Private):
            raise StepRefused(f"{page.id} uses a guarantee")
        if private.notion != page.head.from_:
            raise StepRefused(f"{page.id} converts {page.head.from_}, not {private.notion}")
        if not all(isinstance(text, str) for text in roles.values()):
            raise StepRefused(f"{page.id} needs formulas for its letters")
        known = self.setting.symbols
        free = {name: formulas.parse(text, known) for name, text in roles.items()}
        for name, value in free.items():
            domain = symbols.Domain.read(page.head.free[name])
            if not self._lies_within(value, domain):
                raise StepRefused(
                    f"{page.id} needs {name} {domain}; {formulas.to_text(value)} is not known to be"
                )
        stated = {key: formulas.parse(text, known) for key, text in private.parameters}
        rule = self._rule_of(page.head.to)
        parameters = []
        for key, value in self._by_conversion(page, stated, free).items():
            form = INFINITE_LOSS if value is sympy.oo else self._parameter(rule, key, value)
            parameters.append((key, self._text(form, key, rule)))
        return kernel.Private(page.head.to, tuple(parameters), private.granularity, private.databases)

    def _lies_within(self, value: sympy.Expr, domain: symbols.Domain) -> bool:
        """Whether a number, or a parameter for all its values, lies in a domain."""
        if value.is_Rational:
            return domain.contains(Fraction(int(value.p), int(value.q)))
        return bool(value.is_Symbol and self.setting.domains[str(value)] == domain)

    def _by_conversion(
        self,
        page: Page,
        values: Mapping[str, sympy.Expr],
        free: Mapping[str, sympy.Expr] = MappingProxyType({}),
    ) -> dict[str, sympy.Expr]:
        """A page's formulas at the values of the parameters; where one is oo, nothing is promised."""
        wanted = self.theory.rule(page.head.to).head.parameters
        if wanted != list(page.head.parameters):
            raise StepRefused(f"{page.id} has no formulas for {', '.join(wanted)}")
        if sympy.oo in values.values():
            return dict.fromkeys(wanted, sympy.oo)
        for key, value in page.head.only.items():
            if values[key] != formulas.parse(value, {}):
                raise StepRefused(f"{page.id} needs {key} = {value}, not {formulas.to_text(values[key])}")
        try:
            return {
                key: formulas.parse(formula, {**values, **free})
                for key, formula in page.head.parameters.items()
            }
        except formulas.FormulaError as error:
            raise StepRefused(f"{page.id}: {error.message}") from None

    def _loss(self, page: Page, roles: Mapping[str, Any], sources: Sources) -> kernel.Loss:
        """The losses of all inputs that move, added by the notion's rule."""
        if self.setting.adaptive:
            sources = self._without_adaptive_hypothesis(page, sources)
        if self.notion != page.head.notion:
            raise StepRefused(f"{page.id} is about {page.head.notion}, the mechanisms are {self.notion}")
        wanted = [(path[-1], {"M": self._of_notion(one)}) for one, path in self.conversions.items()]
        last = len(sources) - len(wanted)
        if [(line.by, line.roles) for line in sources[max(last, 0) :]] != wanted:
            raise StepRefused("the last lines used must be those by which guarantees are converted")
        covered = [i for line in sources[:last] for i in self._private(line).mechanisms]
        if sorted(covered) != list(range(1, len(self.setting.mechanisms) + 1)):
            raise StepRefused("every mechanism must be covered by exactly one of the lines used")
        values, unlimited = self._scaled(page)
        parameters = tuple(
            (key, formulas.to_text(self._composed(page, key, [value[key] for value in values.values()])))
            for key in page.head.parameters
        )
        return kernel.Loss(page.head.notion, parameters, tuple(unlimited))

    def _without_adaptive_hypothesis(self, page: Page, sources: Sources) -> Sources:
        """The lines used but the last, which states what the rule needs where earlier outputs are read."""
        needed: Hypothesis | None = page.head.adaptively
        if needed is None:
            raise StepRefused(f"{page.id} is not known to hold where mechanisms read earlier outputs")
        last = sources[-1] if sources else None
        if last is None or not isinstance(last.judgement, kernel.Holds) or last.roles != needed.data():
            words = binding.words(self.inputs, needed)
            raise StepRefused(f'{page.id} needs "{words}", which no line that it uses states')
        return sources[:-1]

    def _scaled(self, page: Page) -> tuple[dict[int, dict[str, sympy.Expr]], list[int]]:
        """For each mechanism with a finite guarantee its parameters at distance r[i]; a family's in all."""
        values: dict[int, dict[str, sympy.Expr]] = {}
        unlimited = []
        for i, mechanism in enumerate(self.setting.mechanisms, start=1):
            if sympy.oo in dict(mechanism.satisfies.values).values():
                unlimited.append(i)
                continue
            values[i] = {}
            for key in page.head.parameters:
                one = self._at_distance(mechanism, key, moved(i))
                if mechanism.count is not None:
                    total = self._sum(page, key, self._added(page, key, one), mechanism.count)
                    one = sympy.sqrt(total) if key in page.head.squared else total
                values[i][key] = one
        return values, unlimited

    def _at_distance(self, mechanism: Mechanism, key: str, r: sympy.Expr) -> sympy.Expr:
        """A parameter of the mechanism's guarantee, once it is converted, for inputs that are r apart."""
        stated = mechanism.satisfies.notion
        if stated in self.conversions:
            return self._at(mechanism, r, self.path(stated))[key]
        return self._by_rule(self.theory.rule(stated), mechanism, key, r)

    def _at(self, mechanism: Mechanism, r: sympy.Expr, path: Sequence[Page]) -> dict[str, sympy.Expr]:
        """All parameters for inputs that are r apart, after the conversions of a path.

        The distance comes first: rε by the rule, and then ρ = rε·tanh(rε/2), never more than r²·ε·tanh(ε/2).
        """
        rule = self.theory.rule(mechanism.satisfies.notion)
        values = dict(mechanism.satisfies.values)
        if sympy.oo not in values.values():
            values = {key: self._by_rule(rule, mechanism, key, r) for key in values}
        for page in path:
            values = self._by_conversion(page, values)
        return values

    def _stated_as_converted(self, mechanism: Mechanism) -> dict[str, sympy.Expr]:
        """The parameters of the mechanism's guarantee for neighbours, once it is converted."""
        values = dict(mechanism.satisfies.values)
        for page in self.path(mechanism.satisfies.notion):
            values = self._by_conversion(page, values)
        return values

    def _by_rule(self, page: Page, mechanism: Mechanism, key: str, r: sympy.Expr) -> sympy.Expr:
        """A parameter of the mechanism's guarantee as it is stated, for inputs that are r apart."""
        letters = {**dict(mechanism.satisfies.values), "r": r}
        if r.is_Integer and key in page.head.at_steps:
            return formulas.parse(page.head.at_steps[key], letters, {"": []})
        formula = page.head.distance[key]
        try:
            return formulas.parse(formula, letters)
        except formulas.FormulaError:
            # 0/0 where a parameter is 0, as for δ(e^{rε} − 1)/(e^ε − 1) at ε = 0: the limit is meant
            zeros = {name: symbols.symbol(name) for name, value in letters.items() if value == 0}
            value = formulas.parse(formula, letters | zeros)
            for zero in zeros.values():
                value = sympy.limit(value, zero, 0, "+")
            return value

    def _amount(self, distance: str) -> sympy.Expr:
        """A finite distance that a vector states: a whole number of steps, or a formula."""
        if distance.isdigit():
            return sympy.Integer(int(distance))
        return formulas.parse(distance, self.setting.symbols)

    def _added(self, page: Page, key: str, value: sympy.Expr) -> sympy.Expr:
        """What is added up in a composition: the value of a parameter, or its square."""
        return sympy.expand(value**2) if key in page.head.squared else value

    def _adds_up(self, page: Page, key: str) -> bool:
        """Whether the parameter of a composition is the sum of those of the parts, or the root of the
        sum of their squares."""
        wanted = f"sqrt(sum({key}[i]**2, i, 1, k))" if key in page.head.squared else f"sum({key}[i], i, 1, k)"
        return bool(page.head.composition[key] == wanted)

    def _sum(self, page: Page, key: str, member: sympy.Expr, count: sympy.Expr) -> sympy.Expr:
        """What is added up over a family whose members all have `member`: additive rules only."""
        if not self._adds_up(page, key):
            raise StepRefused(f"a family needs a rule by which {key} adds up, which {page.id} is not")
        return Over(count, member, count)

    def _composed(self, page: Page, key: str, parts: list[sympy.Expr]) -> sympy.Expr:
        return formulas.parse(page.head.composition[key], {"k": sympy.Integer(len(parts))}, {key: parts})

    # the profile

    def _profile(self, page: Page, roles: Mapping[str, Any], sources: Sources) -> kernel.Profile:
        """The maximal vectors of input distances over all target neighbours."""
        covered = [i for line in sources for i in self._private(line).mechanisms]
        if sorted(covered) != list(range(1, len(self.setting.mechanisms) + 1)):
            raise StepRefused("every mechanism must be covered by exactly one of the lines used")
        found = self.inputs.neighbouring_pairs()
        if found.procedure != page.head.procedure:
            raise StepRefused(f"{page.id} does not fit: the pairs are found by {found.procedure}")
        vectors: dict[kernel.Vector, Any] = {}
        for pair in found.pairs:
            vector = tuple((i, shown(r)) for i, r in self.inputs.furthest(pair).items())
            vectors.setdefault(vector, pair)
        kept: dict[kernel.Vector, Any] = {}
        families = self.setting.families
        for vector in _maximal(list(vectors)):
            kept.setdefault(self._of_families(vector) if families else vector, vectors[vector])
        show = self.setting.databases.show
        return kernel.Profile(
            str(self.setting.target),
            str(self.setting.databases),
            tuple(kept),
            tuple((_frozen(show(D)), _frozen(show(E))) for D, E in kept.values()),
            found.covered,
        )

    def _of_families(self, vector: kernel.Vector) -> kernel.Vector:
        """A vector of the written-out setting as one of the stated one: families in one entry each."""
        moves: dict[int, list[str]] = {}
        for i, r in vector:
            moves.setdefault(self._origin[i - 1], []).append(r)
        entries = []
        for j, distances in sorted(moves.items()):
            mechanism = self.setting.mechanisms[j - 1]
            if mechanism.count is None:
                entries.append((j, distances[0]))
                continue
            if isinstance(mechanism.reads, Part) and not self.inputs.neighbouring_pairs().growing:
                times = Counter(distances)
                order = sorted(times, key=self._in_order if len(times) > 1 else str, reverse=True)
                entries.append((j, ", ".join(f"{times[r]} by {r}" for r in order)))
            else:
                entries.append((j, f"all by {distances[0]}"))
        return tuple(entries)

    def _in_order(self, distance: str) -> Fraction:
        """By what the different distances of a family's members are put in order."""
        r = None if distance == "oo" else self._amount(distance)
        if r is not None and not r.is_Rational:
            raise StepRefused(
                "members of a family that move by different amounts, such as "
                f"{distance}, are not supported; write the parts out"
            )
        return Fraction(INFINITE_FIRST) if r is None else Fraction(int(r.p), int(r.q))

    # guarantees of the composition

    def _substitution(self, page: Page, roles: Mapping[str, Any], sources: Sources) -> kernel.Private:
        """The worst loss over the vectors of the profile."""
        if len(sources) != 2:
            raise StepRefused(f"{page.id} uses a loss and a profile")
        loss, profile = self._loss_and_profile(sources)
        return self._guarantee(loss, profile)

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

    # closer values than the rule's

    def _closer(self, page: Page, roles: Mapping[str, Any], sources: Sources) -> kernel.Private:
        """The worst loss over the profile with the closer values of some parameters."""
        if len(sources) != 2:
            raise StepRefused(f"{page.id} uses a loss and a profile")
        loss, profile = self._loss_and_profile(sources)
        head: Closer = page.head
        if head.notion != loss.notion:
            raise StepRefused(f"{page.id} is about {head.notion}, the mechanisms are {loss.notion}")
        bounds = self.bounds(loss, profile)
        if not profile.vectors or INFINITE_LOSS in bounds.values():
            raise StepRefused(f"{page.id} gives no more than that there is no finite bound")
        if len(profile.vectors) > LARGEST_CLOSER:
            raise StepRefused(f"closer values are written out for up to {LARGEST_CLOSER} vectors")
        vectors = [self._alone(vector) for vector in map(self.that_lose, profile.vectors)]
        several = any(len(vector) > 1 for vector in vectors)
        if head.over == "steps" and several:
            raise StepRefused(f"{page.id} is about one mechanism, and several inputs move")
        if not several and all(r == 1 for vector in vectors for _, r in vector):
            raise StepRefused(f"{page.id} gives the same as the rule where one input moves by one step")
        closer = dict(bounds)
        for key in head.next:
            closer[key] = forms.top(1, [self._least(key, vector) for vector in vectors])
            if isinstance(form := closer[key], Form) and form.size > LARGEST_CLOSER:
                raise StepRefused(f"{page.id} gives more than {LARGEST_CLOSER} terms")
        return self._guarantee(loss, profile, closer)

    def _alone(self, vector: kernel.Vector) -> list[tuple[Mechanism, int]]:
        """The mechanisms that move in a vector, and by how much: members of a family are alike."""
        alone = []
        for i, entry in vector:
            mechanism = self.setting.mechanisms[i - 1]
            for many, r in members(entry):
                number = many
                if mechanism.count is not None:
                    if not mechanism.count.is_Integer:
                        raise StepRefused(
                            f"closer values are not written out for {mechanism.count} mechanisms"
                        )
                    if any(
                        symbols.family_of(str(one))
                        for _, x in mechanism.satisfies.values
                        for one in x.free_symbols
                    ):
                        raise StepRefused("closer values are not written out for families of parameters")
                    number = many or int(mechanism.count)
                if not r.isdigit():
                    raise StepRefused(f"closer values are for whole steps, not for a distance of {r}")
                alone += [(mechanism, int(r))] * number
                if len(alone) > MOST_TOGETHER:
                    raise StepRefused(
                        f"closer values are written out for up to {MOST_TOGETHER} inputs that move"
                    )
        return alone

    def _least(self, key: str, vector: list[tuple[Mechanism, int]]) -> Form:
        """The least value of a parameter that the closer pages give where these inputs move so far.

        Each choice of one formula for each mechanism is a value that serves, so their minimum does.
        """
        if not vector:
            return Form()
        symbolic = Counter(self._stated_as_converted(mechanism)[key] for mechanism, _ in vector)
        if prod(n + 1 for value, n in symbolic.items() if value.free_symbols) > LARGEST_PRODUCT:
            raise StepRefused(f"the product of {len(vector)} values has too many terms to write it out")
        values = {one: self._after_steps(key, *one) for one in dict.fromkeys(vector)}
        choices = {one: tuple(values[one]) for one in values}
        if prod(map(len, choices.values())) > MOST_CHOICES:
            raise StepRefused(f"there are more than {MOST_CHOICES} choices of formulas for {key}")
        totals = []
        for chosen in product(*choices.values()):
            formula = dict(zip(choices, chosen, strict=True))
            totals.append(
                self._form(self._with_all(key, [formula[one] for one in vector])).scaled(Fraction(-1))
            )
        return forms.top(1, totals).scaled(Fraction(-1))

    def _after_steps(self, key: str, mechanism: Mechanism, r: int) -> list[sympy.Expr]:
        """Values of a mechanism's parameter for inputs that are r steps apart: each of them serves.

        A value a serves one step further on if it is at least each formula of the page there, from one that
        serves here; the formulas are used in their order, since later ones stay the least once they are.
        """
        page, stated = self.theory.closer(self.notion, "steps"), dict(mechanism.satisfies.values)
        is_converted = mechanism.satisfies.notion != self.notion
        if page is None or is_converted or key not in page.head.next or r > MOST_STEPS:
            return [self._at_distance(mechanism, key, sympy.Integer(r))]
        reached = [(0, stated[key])]
        for _ in range(r - 1):
            following: dict[sympy.Expr, int] = {}
            for last, a in reached:
                for n, formula in list(enumerate(page.head.next[key]))[last:]:
                    value = sympy.expand(formulas.parse(formula, {**stated, "a": a}))
                    following[value] = min(n, following.get(value, n))
            reached = []
            for value, n in following.items():
                form = self._form(value)
                if any(
                    forms.is_nonnegative(form - self._form(other), self.setting.domains)
                    for _, other in reached
                ):
                    continue
                reached = [
                    (m, other)
                    for m, other in reached
                    if not forms.is_nonnegative(self._form(other) - form, self.setting.domains)
                ] + [(n, value)]
        return [value for _, value in reached]

    def _with_all(self, key: str, values: Sequence[sympy.Expr]) -> sympy.Expr:
        """A parameter of several mechanisms together, from a value that serves for each.

        The page over mechanisms is used for those that are at most the limit from which on a value says
        nothing, and one more; all others are added, as the rule does.
        """
        page = self.theory.closer(self.notion, "mechanisms")
        limit = self._rule.head.limits.get(key)
        if page is None or key not in page.head.next or limit is None:
            return self._composed(self._rule, key, list(values))
        low = [value for value in values if self._surely_at_most(value, limit)]
        high = [value for value in values if value not in low]
        together, *more = [*high[:1], *low] if high else low
        (formula,) = page.head.next[key]
        for value in more:
            together = formulas.parse(formula, {key: value, "a": together})
        return self._composed(self._rule, key, [together, *high[1:]])

    def _surely_at_most(self, value: sympy.Expr, limit: int) -> bool:
        form = self._form(value)
        rest = Form.constant(limit) - form
        return self._never_above(value, Fraction(limit)) or forms.is_nonnegative(rest, self.setting.domains)

    def _is_short(self, loss: kernel.Loss, profile: kernel.Profile) -> bool:
        """Whether the worst loss over the profile is written out."""
        worst = self._worst(loss, profile).values()
        return all(isinstance(losses, str) or len(losses) <= forms.MOST_LISTED for losses in worst)

    def misfit(self, head: Named) -> str | None:
        """Why the premises of a composition theorem are not those of the setting; None where they are."""
        setting, wanted = self.setting, head.premises
        if self.notion not in {*head.items, *head.conclusion}:
            return f"it is not stated for {self.notion} privacy"
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

    def is_squared(self, notion: str, key: str) -> bool:
        """Whether a notion's parameter is composed, and so compared, by its square."""
        return key in self.theory.rule(notion).head.squared

    @property
    def _rule(self) -> Page:
        return self.theory.rule(self.notion)

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
            sums = [sum(some, Form()) for some in combinations(peak.of, peak.m)]
            return frozenset(forms.largest(sums, self.setting.domains))
        return frozenset({form})

    def losses(self, loss: kernel.Loss, profile: kernel.Profile) -> dict[str, tuple[Loss, ...]]:
        """For each parameter the loss at each vector of the profile, in order."""
        if (loss, profile) not in self._losses:
            self._losses[loss, profile] = {
                key: tuple(self._at_vectors(key, loss, profile)) for key, _ in loss.parameters
            }
        return self._losses[loss, profile]

    def _at_vectors(self, key: str, loss: kernel.Loss, profile: kernel.Profile) -> Iterator[Loss]:
        """A parameter of the composition for each vector, or its square: inputs that move lose something."""
        if self.setting.families:
            yield from self._at_vectors_of_families(key, loss, profile)
            return
        page = self.theory.rule(loss.notion)
        adds_up = self._adds_up(page, key)

        @cache
        def alone(i: int, distance: str) -> sympy.Expr:
            """What M_i loses by itself."""
            return self._at_distance(self.setting.mechanisms[i - 1], key, self._amount(distance))

        @cache
        def added(i: int, distance: str) -> Form:
            return self._parameter(page, key, alone(i, distance))

        for vector in map(self.that_lose, profile.vectors):
            if any(distance == "oo" or i in loss.unlimited for i, distance in vector):
                yield INFINITE_LOSS
            elif adds_up:
                yield sum((added(i, distance) for i, distance in vector), Form())
            else:
                composed = self._composed(page, key, [alone(i, distance) for i, distance in vector])
                yield self._parameter(page, key, composed)

    def _parameter(self, page: Page, key: str, value: sympy.Expr) -> Form:
        """The form of a parameter's value, or of its square where it is composed by squares."""
        try:
            read = forms.squared if key in page.head.squared else forms.read
            return read(value, self.setting.domains)
        except forms.NotAForm as error:
            raise StepRefused(str(error)) from None

    def that_lose(self, vector: kernel.Vector) -> kernel.Vector:
        """The entries of a vector without mechanisms that lose 0 at every distance that occurs.

        0 times an infinite distance is infinite; 0 times finite distances without a limit is 0.
        """
        stated = {i: self.setting.mechanisms[i - 1] for i in self._without_limit}
        nothing = {
            i
            for i, one in stated.items()
            if not any(value for _, value in one.satisfies.values)
            and not any(self._stated_as_converted(one).values())
        }
        return tuple((i, entry) for i, entry in vector if i not in nothing)

    @cached_property
    def _without_limit(self) -> frozenset[int]:
        """The mechanisms whose inputs move by finite distances only, but without a limit."""
        found = self.inputs.neighbouring_pairs()
        if not found.growing:
            return frozenset()
        (pair,) = found.pairs
        reached, limits = self.inputs.distances(pair), self.inputs.furthest(pair)
        return frozenset(self._origin[i - 1] for i, r in reached.items() if INFINITE == limits[i] != r)

    def _at_vectors_of_families(self, key: str, loss: kernel.Loss, profile: kernel.Profile) -> Iterator[Loss]:
        """The same where entries such as "2 by 1" and "all by 1" say how many members of a family move.

        Families that read parts of one partition move together: the members of the same parts.
        """
        page = self.theory.rule(loss.notion)
        for vector in map(self.that_lose, profile.vectors):
            moves = [(i, members(entry)) for i, entry in vector]
            if any(r == "oo" or i in loss.unlimited for i, some in moves for _, r in some):
                yield INFINITE_LOSS
                continue
            parts: list[sympy.Expr] = []
            together: dict[tuple[str, tuple[int, ...], sympy.Expr], list[tuple[sympy.Expr, ...]]] = {}
            for i, some in moves:
                mechanism = self.setting.mechanisms[i - 1]
                at = (self._at_distance(mechanism, key, self._amount(r)) for _, r in some)
                values = [self._added(page, key, value) for value in at]
                if mechanism.count is None:
                    parts += values
                elif isinstance(mechanism.reads, Part) and some[0][0]:
                    which = (mechanism.reads.partition, tuple(many for many, _ in some), mechanism.count)
                    together.setdefault(which, []).append(tuple(values))
                else:
                    parts.append(self._sum(page, key, values[0], mechanism.count))
            self._check_same_parts(together)
            for (_, many, count), families in together.items():
                parts += self._over_parts(page, key, many, count, families)
            if not self._adds_up(page, key):
                raise StepRefused(f"a family needs a rule by which {key} adds up, which {page.id} is not")
            yield self._form(sympy.Add(*parts))

    def _over_parts(
        self,
        page: Page,
        key: str,
        many: tuple[int, ...],
        count: sympy.Expr,
        families: list[tuple[sympy.Expr, ...]],
    ) -> Iterator[sympy.Expr]:
        """The worst choice of the parts that move, as sums of largest members.

        If m_1 members lose w_1·x, m_2 others w_2·x and so on, with w_1 > w_2 > …, the worst choice gives the
        largest x the largest factor: (w_1 − w_2)·top(m_1, x) + (w_2 − w_3)·top(m_1 + m_2, x) + ….
        """
        if len(many) == 1:
            yield Over(sympy.Integer(many[0]), sympy.Add(*(values[0] for values in families)), count)
            return
        if len(families) > 1:
            raise StepRefused(
                "several families on one partition whose members move by different distances are not "
                "supported; write the parts out"
            )
        (values,) = families
        if values[-1] == 0:
            return
        rates = [value / values[-1] for value in values]
        if not all(rate.is_Rational for rate in rates):
            raise StepRefused(f"how {key} grows with the distance has no common factor for a family")
        for n, rate in enumerate(rates):
            following = rates[n + 1] if n + 1 < len(rates) else sympy.Integer(0)
            yield (rate - following) * Over(sympy.Integer(sum(many[: n + 1])), values[-1], count)

    def _check_same_parts(self, together: Mapping[tuple[str, tuple[int, ...], sympy.Expr], Any]) -> None:
        partitions = [partition for partition, _, _ in together]
        if len(set(partitions)) < len(partitions):
            raise StepRefused(
                "families on one partition whose members move by different distances are not supported; "
                "write the parts out"
            )

    def _worst(self, loss: kernel.Loss, profile: kernel.Profile) -> dict[str, Losses]:
        """For each parameter the losses at the vectors that no other one dominates."""
        if (loss, profile) not in self._worst_losses:
            worst: dict[str, Losses] = {}
            for key, losses in self.losses(loss, profile).items():
                finite = [form for form in losses if not isinstance(form, str)]
                some = self._largest(finite) if len(finite) == len(losses) else None
                worst[key] = INFINITE_LOSS if some is None else frozenset(some)
            self._worst_losses[loss, profile] = worst
        return self._worst_losses[loss, profile]

    def _largest(self, losses: Sequence[Form]) -> tuple[Form, ...]:
        """The losses that no other one is seen to be at least: by signs, for families on rays."""
        if not self.setting.families:
            return forms.largest(losses, self.setting.domains)
        kept: list[Form] = []
        for form in dict.fromkeys(losses):
            if not any(self._at_least(other, form) for other in kept):
                kept = [other for other in kept if not self._at_least(form, other)] + [form]
        return tuple(sorted(kept, key=lambda form: form.key))

    def _at_least(self, greater: Form, lesser: Form) -> bool:
        try:
            (difference,), domains = rays.on_rays([greater - lesser], self.setting.domains)
        except forms.NotAForm:
            return False
        return forms.is_nonnegative(difference, domains)

    def _guarantee(
        self, loss: kernel.Loss, profile: kernel.Profile, form: Mapping[str, Loss] | None = None
    ) -> kernel.Private:
        """The worst loss over the profile; `form`: the same, written as a theorem concludes it."""
        parameters = tuple(
            (key, self._text(value, key, self._rule))
            for key, value in (form or self.bounds(loss, profile)).items()
        )
        return kernel.Private(loss.notion, parameters, profile.target, profile.databases)

    def bounds(self, loss: kernel.Loss, profile: kernel.Profile) -> dict[str, Loss]:
        """For each parameter the worst loss over the profile as one form."""
        if (loss, profile) not in self._one_form:
            self._one_form[loss, profile] = {
                key: it if isinstance(it, str) else forms.top(1, it)
                for key, it in self._worst(loss, profile).items()
            }
        return self._one_form[loss, profile]

    def _text(self, form: Loss, key: str, rule: Page) -> str:
        """A loss as a formula; of a parameter that is composed by squares the form is the square."""
        if isinstance(form, str):
            return form
        expression = forms.write(form, self.setting.symbols)
        if key in rule.head.squared:
            expression = forms.root(expression)
        text = formulas.to_text(expression)
        self._written[rule.head.notion, key, text] = form
        return text

    def form(self, notion: str, text: str, key: str) -> Form:
        """The normal form of a finite loss that a line of this derivation states, or of its square."""
        if (notion, key, text) not in self._written:
            expression = formulas.parse(text, self.setting.symbols)
            self._written[notion, key, text] = self._parameter(self.theory.rule(notion), key, expression)
        return self._written[notion, key, text]

    def _optimal(self, page: Page, roles: Mapping[str, Any], sources: Sources) -> kernel.Optimal:
        """Each vector's loss is attained by the witness mechanisms, so the worst of them is needed."""
        if len(sources) != 2:
            raise StepRefused(f"{page.id} uses a profile and a guarantee")
        profile, private = sources[0].judgement, sources[1].judgement
        if not (isinstance(profile, kernel.Profile) and isinstance(private, kernel.Private)):
            raise StepRefused(f"{page.id} uses a profile and a guarantee")
        if page.head.notion != private.notion:
            raise StepRefused(f"{page.id} is about {page.head.notion}")
        if self.conversions:
            raise StepRefused(f"what {page.id} attains need not satisfy the guarantees that were converted")
        if sources[0].n not in sources[1].uses:
            raise StepRefused(f"line {sources[1].n} is not from the profile of line {sources[0].n}")
        for mechanism in self.setting.mechanisms:
            if mechanism.table is not None:
                raise StepRefused(f"{mechanism.name} is its table, and may lose less than its guarantee")
            noise = None if mechanism.noise is None else self.theory.noise(mechanism.noise.word)
            if noise is not None and not noise.head.attained:
                raise StepRefused(f"the loss of {mechanism.name} is not known to be attained")
        closer = self.theory.pages.get(sources[1].by)
        self._check_attained(page.head, profile, closer is not None and closer.head.kind == "closer")
        for i in sorted(self._without_limit):
            for key, value in self.setting.mechanisms[i - 1].satisfies.values:
                if value not in (0, sympy.oo) and not value.is_positive:
                    raise StepRefused(f"{key} of {self.setting.mechanisms[i - 1].name} may be 0")
        return kernel.Optimal(private.notion, private.parameters)

    def _check_attained(self, head: Witness, profile: kernel.Profile, closer: bool) -> None:
        """The witnesses attain the bound for so many steps, and so many mechanisms that move, only.

        Their losses add up; or they are events, of which one happens with the probability that a closer
        page gives for several mechanisms: then these may be any number.  Nothing attains a parameter
        above the limit from which on it says nothing.  Where there is no finite bound, one of them alone
        shows it.
        """
        unlimited = {i for i, one in enumerate(self._stated, start=1) if sympy.oo in one.values()}
        if any(i in unlimited or "oo" in (r for _, r in members(e)) for i, e in self._moving(profile)):
            return
        together, steps = head.together, head.steps
        if closer:
            page = self.theory.closer(head.notion, "mechanisms")
            if (
                head.by != "event"
                or page is None
                or page.head.next.get(head.shows) != [ONE_OF_TWO_EVENTS.format(head.shows)]
            ):
                raise StepRefused(
                    f"{head.id} does not attain what the closer pages give for several mechanisms"
                )
            together = None
            steps = self._steps_of_closer(head, profile)
        elif together != 1 and not self._adds_up(self._rule, head.shows):
            raise StepRefused(f"the losses of {head.id} add up, and {head.shows} of {self._rule.id} does not")
        limit = self._rule.head.limits.get(head.shows)
        for mechanism in self.setting.mechanisms if limit is not None else ():
            value = mechanism.satisfies[head.shows]
            if value is not sympy.oo and not self._never_above(value, Fraction(limit)):
                raise StepRefused(f"{head.shows} of {mechanism.name} may be above {limit}")
        for vector in profile.vectors:
            if together is not None and len(vector) > together:
                raise StepRefused(f"{head.id} attains the bound for up to {together} inputs that move")
            for _, entry in vector:
                for many, r in members(entry):
                    if together is not None and (many == 0 or many > together):
                        raise StepRefused(f"{head.id} attains the bound for up to {together} inputs")
                    if steps is not None and (not r.isdigit() or int(r) > steps):
                        raise StepRefused(f"{head.id} attains the bound up to distance {steps}")
        for i, r in sorted({(i, r) for i, e in self._moving(profile) for _, r in members(e)}):
            if closer and r.isdigit() and int(r) > 1:
                continue  # further on it is the page over steps that is attained
            if not self._attains(head, self.setting.mechanisms[i - 1], self._amount(r)):
                raise StepRefused(f"{head.id} does not attain what the rule allows at distance {r}")

    def _steps_of_closer(self, head: Witness, profile: kernel.Profile) -> int | None:
        """Up to how many steps the event has the probability that the page over steps gives.

        It must be the page that the witness is by, and at most one value of those that are put together may
        not be known to be at most the limit: more than one are added (see `_with_all`).
        """
        page, limit = self.theory.closer(head.notion, "steps"), self._rule.head.limits.get(head.shows)
        if page is None or page.id != head.steps_by or limit is None:
            return head.steps
        for vector in map(self._alone, map(self.that_lose, profile.vectors)):
            values = [self._after_steps(head.shows, *one) for one in vector]
            if sum(not all(self._surely_at_most(x, limit) for x in some) for some in values) > 1:
                return head.steps
        return MOST_STEPS

    @property
    def _stated(self) -> list[dict[str, sympy.Expr]]:
        """The parameters of each mechanism's guarantee."""
        return [dict(mechanism.satisfies.values) for mechanism in self.setting.mechanisms]

    def _moving(self, profile: kernel.Profile) -> Iterator[tuple[int, str]]:
        """The entries of all vectors of a profile, without mechanisms that lose nothing."""
        return (entry for vector in profile.vectors for entry in self.that_lose(vector))

    def _attains(self, head: Witness, mechanism: Mechanism, r: sympy.Expr) -> bool:
        """Whether the loss of the witness at distance r is that of the rule: d, of normal noise d²."""
        d = formulas.parse(head.distance, {**dict(mechanism.satisfies.values), "r": r})
        lost = self._parameter(self._rule, head.shows, self._at_distance(mechanism, head.shows, r))
        if head.by == "noise":
            return forms.squared(d, self.setting.domains) == lost
        return self._form(d) == lost

    def _never_above(self, value: sympy.Expr, limit: Fraction) -> bool:
        most = forms.greatest(self._form(value), self.setting.domains)
        return most is not None and most <= limit

    # small things

    def _form(self, expression: sympy.Expr) -> Form:
        try:
            return forms.read(expression, self.setting.domains)
        except forms.NotAForm as error:
            raise StepRefused(str(error)) from None

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

    def _loss_and_profile(self, sources: Sources) -> tuple[kernel.Loss, kernel.Profile]:
        loss, profile = sources[0].judgement, sources[1].judgement
        if not (isinstance(loss, kernel.Loss) and isinstance(profile, kernel.Profile)):
            raise StepRefused("the first two lines used must be a loss and a profile")
        return loss, profile


def moved(i: int) -> sympy.Symbol:
    """r[i]: how far apart the two inputs of M_i are."""
    from dpcompose.language.symbols import NONNEGATIVE, symbol

    return symbol(f"r[{i}]", NONNEGATIVE)


def _frozen(shown: str | list[str]) -> str | tuple[str, ...]:
    return shown if isinstance(shown, str) else tuple(shown)


def members(entry: str) -> list[tuple[int, str]]:
    """How many members move how far: "2 by 1, 1 by oo"; "1" for a single mechanism; 0 stands for all."""
    moves = []
    for some in re.split(r", (?=(?:all|[0-9]+) by )", entry):
        many, _, r = some.rpartition(" by ")
        moves.append((0 if many == "all" else int(many or 1), r))
    return moves


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


def _maximal(vectors: list[kernel.Vector]) -> list[kernel.Vector]:
    """The vectors that no other one exceeds in every entry, in their order."""
    formulas_at = {i for vector in vectors for i, r in vector if r != "oo" and not r.isdigit()}
    moves = [
        {i: r if i in formulas_at else (1, 0) if r == "oo" else (0, int(r)) for i, r in vector}
        for vector in vectors
    ]
    # formulas are not compared with each other, nor with 0
    if formulas_at:
        for vector in moves:
            for i in formulas_at:
                vector.setdefault(i, "0")
    zero: Any = (0, 0)
    return [vectors[n] for n in orders.undominated(moves, zero, lambda i: i not in formulas_at)]
