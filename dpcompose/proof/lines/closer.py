"""Lines by closer pages: values of a parameter below those that the rule of its notion gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import sympy

from dpcompose.language import forms, formulas, symbols
from dpcompose.language.forms import Form
from dpcompose.privacy.mechanisms import Mechanism
from dpcompose.proof import kernel
from dpcompose.proof.lines.distances import INFINITE_LOSS
from dpcompose.proof.lines.profiles import members
from dpcompose.proof.lines.stated import Sources, StepRefused
from dpcompose.proof.lines.worst import Worst
from dpcompose.proof.registry import Closer, Page

MOST_STEPS, MOST_TOGETHER, MOST_CHOICES, LARGEST_PRODUCT, LARGEST_CLOSER = 64, 20, 64, 64, 400
"""Closer values are written out up to so many steps, inputs that move, choices of formulas for these, terms
of one product, and terms in all."""


@dataclass(frozen=True, eq=False)
class CloserValues(Worst):
    """The worst loss over a profile where events are put together instead of added."""

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
