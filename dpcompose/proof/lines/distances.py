"""Lines on losses in r: what a guarantee, also converted, says for inputs that are r[i] apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import sympy

from dpcompose.language import forms, formulas, symbols
from dpcompose.language.forms import Form
from dpcompose.language.worstcase import Over
from dpcompose.privacy.mechanisms import Mechanism
from dpcompose.privacy.notions import Guarantee
from dpcompose.proof import kernel
from dpcompose.proof.hypotheses import binding
from dpcompose.proof.lines.stated import Sources, Stated, StepRefused
from dpcompose.proof.registry import Hypothesis, Page

INFINITE_LOSS: Literal["oo"] = "oo"
"""The loss ∞ among losses, which are otherwise sets of forms."""

Loss = Form | Literal["oo"]


@dataclass(frozen=True, eq=False)
class Distances(Stated):
    """Guarantees at a distance, from notion to notion, and added up by the rule of a notion."""

    _written: dict[tuple[str, str, str], Form] = field(default_factory=dict, repr=False)

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

    @property
    def _rule(self) -> Page:
        return self.theory.rule(self.notion)

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
            if page.head.free and id not in self.chosen:
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
        if roles != self._converting(page.id, mechanisms)[1]:
            raise StepRefused(f"{page.id} is used with other values than were chosen")
        if page.id not in path or mechanisms != self._of_notion(notion):
            raise StepRefused(f"{page.id} is not what all guarantees of {notion} are converted by")
        done = path.index(page.id)
        if done == 0:
            covered = [set(self._private(line).mechanisms) & set(mechanisms) for line in sources]
            if not all(covered) or sorted(i for some in covered for i in some) != mechanisms:
                raise StepRefused(
                    f"{page.id} needs the lines on the inputs of the mechanisms that it converts"
                )
        elif [(line.by, line.roles) for line in sources] != [self._converting(path[done - 1], mechanisms)]:
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
        stated = {key: formulas.parse(text, self.setting.symbols) for key, text in private.parameters}
        rule = self._rule_of(page.head.to)
        parameters = []
        for key, value in self._by_conversion(page, stated, self._free(page, roles)).items():
            form = INFINITE_LOSS if value is sympy.oo else self._parameter(rule, key, value)
            parameters.append((key, self._text(form, key, rule)))
        return kernel.Private(page.head.to, tuple(parameters), private.granularity, private.databases)

    def _converting(self, id: str, mechanisms: list[int]) -> tuple[str, dict[str, Any]]:
        """The page and the letters of a line that converts guarantees of mechanisms."""
        return id, {"M": mechanisms, **self.chosen.get(id, {})}

    def _free(self, page: Page, given: Mapping[str, Any]) -> dict[str, sympy.Expr]:
        """The free parameters of a page as chosen; each lies where the page says."""
        if set(given) != set(page.head.free) or not all(isinstance(text, str) for text in given.values()):
            raise StepRefused(f"{page.id} needs formulas for its letters")
        free = {name: formulas.parse(text, self.setting.symbols) for name, text in given.items()}
        for name, value in free.items():
            domain = symbols.Domain.read(page.head.free[name])
            if not self._lies_within(value, domain):
                raise StepRefused(
                    f"{page.id} needs {name} {domain}; {formulas.to_text(value)} is not known to be"
                )
        return free

    def _lies_within(self, value: sympy.Expr, domain: symbols.Domain) -> bool:
        """Whether a number, or a parameter for all its values, lies in a domain."""
        if value.is_Rational:
            return domain.contains(Fraction(int(value.p), int(value.q)))
        return bool(value.is_Symbol and self.setting.domains[str(value)] == domain)

    def _by_conversion(
        self,
        page: Page,
        values: Mapping[str, sympy.Expr],
        free: Mapping[str, sympy.Expr] | None = None,
    ) -> dict[str, sympy.Expr]:
        """A page's formulas at the values of the parameters; where one is oo, nothing is promised.

        free -- the values of its free parameters; left out, as chosen for guarantees of mechanisms.
        """
        if free is None:
            free = self._free(page, self.chosen.get(page.id, {}))
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
        wanted = [self._converting(path[-1], self._of_notion(one)) for one, path in self.conversions.items()]
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

    def is_squared(self, notion: str, key: str) -> bool:
        """Whether a notion's parameter is composed, and so compared, by its square."""
        return key in self.theory.rule(notion).head.squared

    def _parameter(self, page: Page, key: str, value: sympy.Expr) -> Form:
        """The form of a parameter's value, or of its square where it is composed by squares."""
        try:
            read = forms.squared if key in page.head.squared else forms.read
            return read(value, self.setting.domains)
        except forms.NotAForm as error:
            raise StepRefused(str(error)) from None

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


def moved(i: int) -> sympy.Symbol:
    """r[i]: how far apart the two inputs of M_i are."""
    from dpcompose.language.symbols import NONNEGATIVE, symbol

    return symbol(f"r[{i}]", NONNEGATIVE)
