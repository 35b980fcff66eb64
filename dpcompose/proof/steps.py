"""The only maker of derivation lines: `Steps.line(n, by, roles, sources, evidence)`.

A line is a function of the setting, the page it is by, and the lines it uses.  The search
makes its lines here, and the checker makes every line of a saved derivation here again.
Each kind of page has one function below, which raises `StepRefused` where the page does not
give what it is used for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations
from math import comb
from typing import Any, Literal

import sympy

from dpcompose.language import forms, formulas, orders, symbols
from dpcompose.language.forms import Form
from dpcompose.language.worstcase import Over
from dpcompose.privacy.mechanisms import Mechanism
from dpcompose.privacy.settings import Setting
from dpcompose.proof import certificates, kernel, rays
from dpcompose.proof.hypotheses import binding
from dpcompose.proof.hypotheses.inputs import Inputs, NotDecidable
from dpcompose.proof.kernel import Line
from dpcompose.proof.registry import Hypothesis, Named, Page, Theory, Witness
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

INFINITE_LOSS: Literal["oo"] = "oo"
"""The loss ∞ among losses, which are otherwise sets of forms."""

Loss = Form | Literal["oo"]
Losses = frozenset[Form] | Literal["oo"]
INFINITE_FIRST = 10**9
"""Where oo stands among distances that are put in order."""


@dataclass(frozen=True, eq=False)
class Steps:
    """Makes the lines of derivations about one setting, with the pages of one theory."""

    setting: Setting
    theory: Theory
    _losses: dict[tuple[kernel.Loss, kernel.Profile], dict[str, tuple[Loss, ...]]] = field(
        default_factory=dict, repr=False
    )
    _worst_losses: dict[tuple[kernel.Loss, kernel.Profile], dict[str, Losses]] = field(
        default_factory=dict, repr=False
    )
    _one_form: dict[tuple[kernel.Loss, kernel.Profile], dict[str, Loss]] = field(
        default_factory=dict, repr=False
    )
    _written: dict[tuple[str, str], Form] = field(default_factory=dict, repr=False)

    @cached_property
    def _representative(self) -> tuple[Setting, tuple[int, ...]]:
        """The setting with as many members of each family written out as neighbours differ in parts.

        What an edit does to a family is the same for all members that read alike, and for all
        parts; so how these few members move, and which move at all, decides for any number.
        """
        setting = self.setting
        divided = any(isinstance(m.reads, Part) for m in setting.mechanisms)
        few = max(2, setting.touched_parts) if divided else 2
        counts = {str(m.count) for m in setting.mechanisms if m.count is not None}
        return setting.written_out({name: min(few, int(name)) if name.isdigit() else few for name in counts})

    @cached_property
    def inputs(self) -> Inputs:
        """The metrics and pairs of the setting; of one with two members for each family."""
        if not self.setting.families:
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
        """The SHA-256 of every page that the lines rest on: by itself, for its shape, or for a metric."""
        used = {line.by for line in lines} & set(self.theory.pages)
        used |= {shape for id in used if (shape := getattr(self.theory.pages[id].head, "shape", None))}
        metrics = (self.inputs.metric(i) for i in range(1, len(self.inputs.setting.mechanisms) + 1))
        used |= {id for metric in metrics for id in metric.pages}
        return {id: self.theory.pages[id].sha256 for id in sorted(used)}

    def _check_shape(self, by: str, roles: Mapping[str, Any], sources: Sources, evidence: Any) -> None:
        """Nothing may stand in a line that its page does not read."""
        page = self.theory.pages.get(by)
        about_mechanisms = by == GIVEN or (page is not None and page.head.kind == "step")
        if by != HYPOTHESIS and set(roles) != ({"M"} if about_mechanisms else set()):
            raise StepRefused(f"{by} has other letters")
        if by in (GIVEN, HYPOTHESIS) and sources:
            raise StepRefused(f"a line that is {by} uses no other line")
        if by != GIVEN and evidence is not None:
            raise StepRefused(f"{by} needs no evidence")

    @property
    def _makers(self) -> dict[str, Callable[[Page, Mapping[str, Any], Sources], kernel.Judgement]]:
        return {
            "step": self._step,
            "rule": self._loss,
            "procedure": self._profile,
            "substitution": self._substitution,
            "named": self._named,
            "witness": self._optimal,
        }

    # given

    def _given(self, roles: Mapping[str, Any], evidence: Any) -> kernel.Given:
        """M_i's guarantee as the setting states it, its parameters shown to be ≥ 0."""
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
        return kernel.Given(
            i,
            mechanism.name if mechanism.count is None else f"{mechanism.name}[i], i = 1..{mechanism.count},",
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
        mechanisms = roles.get("M")
        if not (
            isinstance(mechanisms, list)
            and mechanisms
            and all(type(i) is int for i in mechanisms)
            and mechanisms == sorted(set(mechanisms))
        ):
            raise StepRefused("the mechanisms must be listed in order, each once")
        stated = [line.judgement for line in sources]
        if [one.mechanism if isinstance(one, kernel.Given) else None for one in stated] != mechanisms:
            raise StepRefused("the lines used must state the guarantees of the same mechanisms, in order")
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

    def _loss(self, page: Page, roles: Mapping[str, Any], sources: Sources) -> kernel.Loss:
        """The losses of all inputs that move, added by the notion's rule."""
        if self.setting.adaptive:
            sources = self._without_adaptive_hypothesis(page, sources)
        covered = [i for line in sources for i in self._private(line).mechanisms]
        if sorted(covered) != list(range(1, len(self.setting.mechanisms) + 1)):
            raise StepRefused("every mechanism must be covered by exactly one of the lines used")
        if self.setting.notion != page.head.notion:
            raise StepRefused(
                f"{page.id} is about {page.head.notion}, the mechanisms are {self.setting.notion}"
            )
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
                one = self._at_distance(page, mechanism, key, moved(i))
                if mechanism.count is not None:
                    total = self._sum(page, key, self._added(page, key, one), mechanism.count)
                    one = sympy.sqrt(total) if key in page.head.squared else total
                values[i][key] = one
        return values, unlimited

    def _at_distance(self, page: Page, mechanism: Mechanism, key: str, r: sympy.Expr) -> sympy.Expr:
        """A parameter of the mechanism's guarantee for inputs that are r apart."""
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
                order = sorted(times, key=lambda r: INFINITE_FIRST if r == "oo" else int(r), reverse=True)
                entries.append((j, ", ".join(f"{times[r]} by {r}" for r in order)))
            else:
                entries.append((j, f"all by {distances[0]}"))
        return tuple(entries)

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
        name = page.name(self.setting.notion, self.setting.adaptive)
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
            shown = ", ".join(self._text(form, key) for key, form in concluded.items())
            raise StepRefused(f"{name} gives {shown}, which is not what the profile gives")
        return self._guarantee(loss, profile, None if self._is_short(loss, profile) else concluded)

    def _is_worst(self, concluded: Mapping[str, Loss], loss: kernel.Loss, profile: kernel.Profile) -> bool:
        """Whether a conclusion is the worst loss over the profile: as it stands, or spread into sums."""
        if concluded == self._bounds(loss, profile):
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
        if setting.notion not in {*head.items, *head.conclusion}:
            return f"it is not stated for {setting.notion} privacy"
        if wanted.target is not None and str(setting.target) != wanted.target:
            return f"it is about {wanted.target} neighbours, the target is {setting.target}"
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
        stated = [dict(mechanism.satisfies.values) for mechanism in self.setting.mechanisms]
        concluded: dict[str, Loss] = {}
        steps = self._steps_apart(head)
        if steps is sympy.oo:
            return {key: INFINITE_LOSS for key in self._conclusions(head)}
        if self.setting.families:
            return self._conclusion_of_a_family(head, steps)
        for key, formula in self._conclusions(head).items():
            values = [value[key] for value in stated]
            if sympy.oo in values:
                concluded[key] = INFINITE_LOSS
                continue
            letters = {"k": sympy.Integer(len(stated)), "m": steps}
            expression = formulas.parse(formula, letters, {key: values})
            concluded[key] = self._parameter(self._rule, key, expression)
        return concluded

    def is_squared(self, key: str) -> bool:
        """Whether a parameter is composed, and so compared, by its square."""
        return key in self._rule.head.squared

    @property
    def _rule(self) -> Page:
        return self.theory.rule(self.setting.notion)

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
            raise StepRefused(f"{head.id} is not written out for families beside other mechanisms")
        (family,) = self.setting.mechanisms
        values = dict(family.satisfies.values)
        if sympy.oo in values.values():
            return {key: INFINITE_LOSS for key in self._conclusions(head)}
        assert family.count is not None
        return {
            key: self._parameter(
                self._rule,
                key,
                formulas.parse(formula, {f"{key}[i]": values[key], "k": family.count, "m": steps}),
            )
            for key, formula in self._conclusions(head).items()
        }

    def _conclusions(self, head: Named) -> dict[str, str]:
        """The page's formula for each parameter of the notion; a single formula is that of the only one."""
        given = head.conclusion[self.setting.notion]
        if isinstance(given, dict):
            return given
        return {self.theory.rule(self.setting.notion).head.parameters[0]: given}

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
            return self._at_distance(page, self.setting.mechanisms[i - 1], key, sympy.Integer(int(distance)))

        @cache
        def added(i: int, distance: str) -> Form:
            return self._parameter(page, key, alone(i, distance))

        for vector in map(self._that_lose, profile.vectors):
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

    def _that_lose(self, vector: kernel.Vector) -> kernel.Vector:
        """The entries of a vector without mechanisms that lose 0 at every distance that occurs.

        0 times an infinite distance is infinite; 0 times finite distances without a limit is 0.
        """
        values = {i: self.setting.mechanisms[i - 1].satisfies.values for i in self._without_limit}
        nothing = {i for i, some in values.items() if all(value == 0 for _, value in some)}
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
        for vector in map(self._that_lose, profile.vectors):
            moves = [(i, _members(entry)) for i, entry in vector]
            if any(r == "oo" or i in loss.unlimited for i, some in moves for _, r in some):
                yield INFINITE_LOSS
                continue
            parts: list[sympy.Expr] = []
            together: dict[tuple[str, tuple[int, ...], sympy.Expr], list[tuple[sympy.Expr, ...]]] = {}
            for i, some in moves:
                mechanism = self.setting.mechanisms[i - 1]
                at = (self._at_distance(page, mechanism, key, sympy.Integer(int(r))) for _, r in some)
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
            (key, self._text(value, key)) for key, value in (form or self._bounds(loss, profile)).items()
        )
        return kernel.Private(loss.notion, parameters, profile.target, profile.databases)

    def _bounds(self, loss: kernel.Loss, profile: kernel.Profile) -> dict[str, Loss]:
        """For each parameter the worst loss over the profile as one form."""
        if (loss, profile) not in self._one_form:
            self._one_form[loss, profile] = {
                key: it if isinstance(it, str) else forms.top(1, it)
                for key, it in self._worst(loss, profile).items()
            }
        return self._one_form[loss, profile]

    def _text(self, form: Loss, key: str) -> str:
        """A loss as a formula; of a parameter that is composed by squares the form is the square."""
        if isinstance(form, str):
            return form
        expression = forms.write(form, self.setting.symbols)
        if key in self._rule.head.squared:
            expression = forms.root(expression)
        text = formulas.to_text(expression)
        self._written[key, text] = form
        return text

    def form(self, text: str, key: str) -> Form:
        """The normal form of a finite loss that a line of this derivation states, or of its square."""
        if (key, text) not in self._written:
            expression = formulas.parse(text, self.setting.symbols)
            self._written[key, text] = self._parameter(self._rule, key, expression)
        return self._written[key, text]

    def _optimal(self, page: Page, roles: Mapping[str, Any], sources: Sources) -> kernel.Optimal:
        """Each vector's loss is attained by the witness mechanisms, so the worst of them is needed."""
        if len(sources) != 2:
            raise StepRefused(f"{page.id} uses a profile and a guarantee")
        profile, private = sources[0].judgement, sources[1].judgement
        if not (isinstance(profile, kernel.Profile) and isinstance(private, kernel.Private)):
            raise StepRefused(f"{page.id} uses a profile and a guarantee")
        if page.head.notion != private.notion:
            raise StepRefused(f"{page.id} is about {page.head.notion}")
        if sources[0].n not in sources[1].uses:
            raise StepRefused(f"line {sources[1].n} is not from the profile of line {sources[0].n}")
        self._check_attained(page.head, profile)
        for i in sorted(self._without_limit):
            for key, value in self.setting.mechanisms[i - 1].satisfies.values:
                if value not in (0, sympy.oo) and not value.is_positive:
                    raise StepRefused(f"{key} of {self.setting.mechanisms[i - 1].name} may be 0")
        return kernel.Optimal(private.notion, private.parameters)

    def _check_attained(self, head: Witness, profile: kernel.Profile) -> None:
        """The witnesses attain the bound for so many steps, and so many mechanisms that move, only.

        Their losses add up; nothing attains a parameter above the limit from which on it says nothing.
        Where there is no finite bound, one of them alone shows it.
        """
        unlimited = {i for i, one in enumerate(self._stated, start=1) if sympy.oo in one.values()}
        if any(i in unlimited or "oo" in (r for _, r in _members(e)) for i, e in self._moving(profile)):
            return
        if head.together != 1 and not self._adds_up(self._rule, head.shows):
            raise StepRefused(f"the losses of {head.id} add up, and {head.shows} of {self._rule.id} does not")
        limit = self._rule.head.limits.get(head.shows)
        for mechanism in self.setting.mechanisms if limit is not None else ():
            value = mechanism.satisfies[head.shows]
            if value is not sympy.oo and not self._never_above(value, Fraction(limit)):
                raise StepRefused(f"{head.shows} of {mechanism.name} may be above {limit}")
        for vector in profile.vectors:
            if head.together is not None and len(vector) > head.together:
                raise StepRefused(f"{head.id} attains the bound for up to {head.together} inputs that move")
            for _, entry in vector:
                for many, r in _members(entry):
                    if head.together is not None and (many == 0 or many > head.together):
                        raise StepRefused(f"{head.id} attains the bound for up to {head.together} inputs")
                    if head.steps is not None and (r == "oo" or int(r) > head.steps):
                        raise StepRefused(f"{head.id} attains the bound up to distance {head.steps}")
        for i, r in sorted({(i, r) for i, e in self._moving(profile) for _, r in _members(e)}):
            if not self._attains(head, self.setting.mechanisms[i - 1], sympy.Integer(int(r))):
                raise StepRefused(f"{head.id} does not attain what the rule allows at distance {r}")

    @property
    def _stated(self) -> list[dict[str, sympy.Expr]]:
        """The parameters of each mechanism's guarantee."""
        return [dict(mechanism.satisfies.values) for mechanism in self.setting.mechanisms]

    def _moving(self, profile: kernel.Profile) -> Iterator[tuple[int, str]]:
        """The entries of all vectors of a profile, without mechanisms that lose nothing."""
        return (entry for vector in profile.vectors for entry in self._that_lose(vector))

    def _attains(self, head: Witness, mechanism: Mechanism, r: sympy.Expr) -> bool:
        """Whether the loss of the witness at distance r is that of the rule: d, of normal noise d²."""
        d = formulas.parse(head.distance, {**dict(mechanism.satisfies.values), "r": r})
        lost = self._parameter(
            self._rule, head.shows, self._at_distance(self._rule, mechanism, head.shows, r)
        )
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


def _members(entry: str) -> list[tuple[int, str]]:
    """How many members move how far: "2 by 1, 1 by oo"; "1" for a single mechanism; 0 stands for all."""
    moves = []
    for some in entry.split(", "):
        many, _, r = some.rpartition(" by ")
        moves.append((0 if many == "all" else int(many or 1), r))
    return moves


def _lies_in(vector: kernel.Vector, each: int, total: int | None) -> bool:
    """Whether r_i ≤ each and Σ r_i ≤ total; in a family's entry "2 by 1" two members move by 1."""
    distances = []
    for many, r in (move for _, entry in vector for move in _members(entry)):
        if many == 0 and total is not None:
            return False
        distances += [INFINITE if r == "oo" else int(r)] * max(many, 1)
    if any(not at_most(r, each) for r in distances):
        return False
    return total is None or sum(distances) <= total


def _maximal(vectors: list[kernel.Vector]) -> list[kernel.Vector]:
    """The vectors that no other one exceeds in every entry, in their order."""
    moves = [{i: (1, 0) if r == "oo" else (0, int(r)) for i, r in vector} for vector in vectors]
    return [vectors[n] for n in orders.undominated(moves, (0, 0))]
