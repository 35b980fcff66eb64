"""Closer values: δ smaller than the rule of approximate privacy gives, by closer pages.

Over steps: a mechanism with (ε, δ) has at distance r a probability of at most g∘…∘g(0), where the page
has g as the least of some formulas.  Over mechanisms: of independent events one happens with 1 − Π(1 − δ_i).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from dpcompose.kernel import families, forms, formulas, substitution, terms
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.forms import Form
from dpcompose.kernel.losses import Composition, Loss, NoLoss, at_type
from dpcompose.kernel.polynomials import top
from dpcompose.kernel.terms import ZERO, Term

MOST_STEPS, MOST_TOGETHER, MOST_CHOICES, LARGEST_PRODUCT = 64, 20, 64, 64
"""Values are written out up to so many steps, inputs that move, choices of formulas for these, and terms of
one product."""

Moved = tuple[Loss, int]
"""A mechanism's loss, and how many steps its input moves."""


@dataclass(frozen=True)
class Closer:
    """The closer values of one parameter of a composition."""

    composition: Composition
    key: str

    def page(self, over: str) -> Any:
        """The page over steps, or over mechanisms; None where there is none for the parameter."""
        notion = self.composition.rule.head.notion
        for page in self.composition.theory.of_kind("closer"):
            if (page.head.notion, page.head.over) == (notion, over) and self.key in page.head.next:
                return page
        return None

    @property
    def pages(self) -> frozenset[str]:
        """The ids of the pages that it rests on."""
        return frozenset(page.id for over in ("steps", "mechanisms") if (page := self.page(over)) is not None)

    def at(self, type: Type) -> Term:
        """The least value that the pages give for neighbours of a type.  Raises NoLoss."""
        moved = self.moved(type)
        if not moved:
            return ZERO
        values = {one: self.after_steps(*one) for one in dict.fromkeys(moved)}
        symbolic = Counter(loss.values for loss, _ in moved if any(value.letters for _, value in loss.values))
        if prod(n + 1 for n in symbolic.values()) > LARGEST_PRODUCT:
            raise NoLoss(f"the product of {len(moved)} values has too many terms to write it out")
        if prod(len(some) for some in values.values()) > MOST_CHOICES:
            raise NoLoss(f"there are more than {MOST_CHOICES} choices of formulas for {self.key}")
        totals = []
        for chosen in product(*values.values()):
            formula = dict(zip(values, chosen, strict=True))
            together = self.together([formula[one] for one in moved])
            totals.append(forms.read(substitution.expanded(together)).scaled(Fraction(-1)))
        if families.needed(self.composition.setting, type.moves):  # of fewer members the sum may be less
            plain = self.composition.at(type)[self.key]
            totals.append(forms.read(substitution.expanded(plain)).scaled(Fraction(-1)))
        return forms.write(top(1, totals).scaled(Fraction(-1)))

    def moved(self, type: Type) -> list[Moved]:
        """The mechanisms that move, and by how much: members of a family are alike."""
        if type.lost:
            here = at_type(self.composition.losses, type, self.composition.theory)
            return replace(self, composition=replace(self.composition, losses=here)).moved(
                replace(type, lost=())
            )
        found: list[Moved] = []
        for i, some in type.moves:
            if self.composition.loses_nothing(i, type):
                continue
            loss, mechanism = self.composition.losses[i - 1], self.composition.setting.mechanisms[i - 1]
            for many, r in some:
                steps, number = r.number, many
                if mechanism.count is not None:
                    check_alike(loss)
                    number = many or members(mechanism.count)
                if not isinstance(number, int):
                    raise NoLoss("closer values are for a known number of members that move")
                if loss.unlimited or steps is None or steps.denominator != 1:
                    raise NoLoss(
                        f"closer values are for whole steps, not for a distance of {formulas.to_text(r)}"
                    )
                if len(found) + number > MOST_TOGETHER:
                    raise NoLoss(f"closer values are written out for up to {MOST_TOGETHER} inputs that move")
                found += [(loss, int(steps))] * number
        return found

    def after_steps(self, loss: Loss, r: int) -> tuple[Term, ...]:
        """Values of the parameter for inputs that are r steps apart: each of them serves.

        A value a serves one step further on if it is at least each formula of the page there, from one that
        serves here; the formulas are used in their order, since later ones stay the least once they are.
        """
        page, stated = self.page("steps"), dict(loss.values)
        plain = loss.at(terms.number(r), self.composition.theory)[self.key]
        if page is None or loss.then or r > MOST_STEPS or plain == ZERO:
            return (plain,)
        reached = [(0, stated[self.key])]
        for _ in range(r - 1):
            following: dict[Term, int] = {}
            for last, a in reached:
                for n, formula in list(enumerate(page.head.next[self.key]))[last:]:
                    value = substitution.expanded(formulas.parse(formula, {**stated, "a": a}))
                    following[value] = min(n, following.get(value, n))
            reached = _least([(n, value) for value, n in following.items()])
        return tuple(value for _, value in reached)

    def together(self, values: Sequence[Term]) -> Term:
        """A value for several mechanisms together, from one that serves for each.

        The page over mechanisms is used for those that are at most the limit from which on a value says
        nothing, and one more; all others are added, as the rule does.
        """
        page, limit = self.page("mechanisms"), self.composition.rule.head.limits.get(self.key)
        low = [value for value in values if limit is not None and at_most(value, limit)]
        if page is None or len(low) == 0:
            return terms.add(values)
        high = [value for value in values if value not in low]
        first, *more = [*high[:1], *low] if high else low
        (formula,) = page.head.next[self.key]
        for value in more:
            first = formulas.parse(formula, {self.key: value, "a": first})
        return terms.add([first, *high[1:]])


def check_alike(loss: Loss) -> None:
    """Raises NoLoss where the members of a family are not alike, and which of them move is not said."""
    if any(terms.moves(name) for _, value in loss.values for name in value.letters):
        raise NoLoss("closer values are not written out for families of parameters")


def members(count: Term) -> int:
    """How many members a family has."""
    if count.number is None:
        raise NoLoss(f"closer values are not written out for {formulas.to_text(count)} mechanisms")
    return int(count.number)


def at_most(value: Term, limit: int) -> bool:
    """Whether a value is seen to be never above a limit."""
    if value.kind == "letter" and (greatest := value.of[1].greatest) is not None:
        return bool(greatest <= limit)
    if (turned := -value).kind == "top" and turned.of[0] == 1:
        return any(at_most(-one, limit) for one in turned.parts)
    return forms.is_nonnegative(forms.read(limit - value)) or forms.is_positive(forms.read(limit - value))


def _least(values: Sequence[tuple[int, Term]]) -> list[tuple[int, Term]]:
    """The values that no other one is seen to be at most, each with the formula that it is by."""
    kept: list[tuple[int, Term, Form]] = []
    for n, value in values:
        form = forms.read(value)
        if any(forms.is_nonnegative(form - other) for _, _, other in kept):
            continue
        kept = [one for one in kept if not forms.is_nonnegative(one[2] - form)] + [(n, value, form)]
    return [(n, value) for n, value, _ in kept]
