"""Closer values: δ smaller than the rule of approximate privacy gives, by closer pages.

Over steps: a mechanism with (ε, δ) has at distance r a probability of at most g∘…∘g(0), where the page
has g as the least of some formulas.  Over mechanisms: of independent events one happens with 1 − Π(1 − δ_i).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import Any

from dpcompose.kernel.composition import families, losses
from dpcompose.kernel.composition.losses import Composition, Loss, NoLoss, at_type
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.expressions import forms, formulas, substitution, terms
from dpcompose.kernel.expressions.forms import Form
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import ONE, ZERO, Term

MOST_STEPS, MOST_CHOICES, LARGEST_PRODUCT, MOST_ALIKE = 64, 64, 65, 1_000
"""Values are written out up to so many steps, choices of formulas for inputs that move, terms of one product
multiplied out, and members that are alike."""


@frozen
class Moved:
    """What a mechanism loses, how many steps its input moves, and how many there are: members of a family,
    alike or all of them."""

    loss: Loss
    steps: int
    count: Term


Values = Sequence[tuple[Term, Term]]
"""Values of a parameter that serve for some mechanisms each, and for how many; of all members of a family it
is in their own letters."""


@frozen
class Closer:
    """The closer values of one parameter of a composition."""

    composition: Composition
    key: str

    def page(self, over: str) -> Any:
        """The page over steps, or over mechanisms; None where there is none for the parameter."""
        notion = self.composition.rule.head.notion
        for page in self.composition.theory.of_kind("closer"):
            about = (page.head.notion, page.head.over) == (notion, over)
            if about and self.key in (*page.head.next, *page.head.together):
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
        values = {(move.loss, move.steps): self.after_steps(move.loss, move.steps) for move in moved}
        check_size(moved)
        if prod(len(value) for value in values.values()) > MOST_CHOICES:
            raise NoLoss(f"there are more than {MOST_CHOICES} choices of formulas for {self.key}")
        totals = []
        for chosen in product(*values.values()):
            formula = dict(zip(values, chosen, strict=True))
            totals.append(self.together([(formula[move.loss, move.steps], move.count) for move in moved]))
        if families.needed(self.composition.setting, type.moves):  # of fewer members the sum may be less
            totals.append(self.composition.at(type)[self.key])
        return -largest([-total for total in totals])

    def moved(self, type: Type) -> list[Moved]:
        """The mechanisms that move, by how much, and how many."""
        if type.lost:
            here = at_type(self.composition.losses, type, self.composition.theory)
            return replace(self, composition=replace(self.composition, losses=here)).moved(
                replace(type, lost=())
            )
        moved: list[Moved] = []
        for i, members in type.moves:
            if self.composition.loses_nothing(i, type):
                continue
            loss, mechanism = self.composition.losses[i - 1], self.composition.setting.mechanisms[i - 1]
            for many, r in members:
                steps, count = r.number, terms.as_term(many) if many else mechanism.count or ONE
                if many and mechanism.count is not None:
                    check_alike(loss)
                if many and count.number is None:
                    raise NoLoss("closer values are for a known number of members that move, or for all")
                if loss.unlimited or steps is None or steps.denominator != 1:
                    raise NoLoss(
                        f"closer values are for whole steps, not for a distance of {formulas.to_text(r)}"
                    )
                if (count.number or 1) > MOST_ALIKE:
                    raise NoLoss(f"closer values are written out for up to {MOST_ALIKE} inputs that move")
                moved.append(Moved(loss, int(steps), count))
        return moved

    def after_steps(self, loss: Loss, r: int) -> tuple[Term, ...]:
        """Values of the parameter for inputs that are r steps apart: each of them serves.

        A value a serves one step further on if it is at least each formula of the page there, from one that
        serves here; the formulas are used in their order, since later ones stay the least once they are.
        """
        page, stated = self.page("steps"), dict(loss.values)
        plain = loss.at(terms.number(r), self.composition.theory)[self.key]
        if page is None or loss.then or loss.moved or r > MOST_STEPS or plain == ZERO:
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

    def together(self, values: Values) -> Term:
        """A value for several mechanisms together, from one that serves for each.

        The page over mechanisms is used for those that are at most the limit from which on a value says
        nothing, and one more; all others are added, as the rule does.
        """
        page, limit = self.page("mechanisms"), self.composition.rule.head.limits.get(self.key)
        low = [value for value in values if limit is not None and at_most(value[0], limit)]
        high = [value for value in values if value not in low]
        if page is None or not low:
            return terms.add(terms.over(count, value, count) for value, count in values)
        alone = [pair for pair in high if pair[1] == ONE][:1]
        others = [pair for pair in high if pair not in alone]
        term = _joined(page.head.together[self.key], self.key, [*alone, *low])
        return terms.add([term, *(terms.over(count, value, count) for value, count in others)])


def _joined(formula: str, key: str, values: Values) -> Term:
    """A page's formula for several mechanisms: one value for those that are alike, or are all of a family."""
    each = [
        value if count == ONE else formulas.parse(formula, {f"{key}[i]": value, "k": count})
        for value, count in values
    ]
    return each[0] if len(each) == 1 else formulas.parse(formula, {"k": terms.number(len(each))}, {key: each})


def check_alike(loss: Loss) -> None:
    """Raises NoLoss where the members of a family are not alike, and which of them move is not said."""
    if any(terms.moves(name) for _, value in loss.values for name in value.letters):
        raise NoLoss("closer values are not written out for some members of families of parameters")


def check_size(moved: Sequence[Moved]) -> None:
    """Raises NoLoss where a product of values would have too many terms; larger powers stay as they are."""
    symbolic: Counter[losses.Values] = Counter()
    for move in moved:
        if move.count.number is not None and any(value.letters for _, value in move.loss.values):
            symbolic[move.loss.values] += int(move.count.number)
    if prod(n + 1 for n in symbolic.values() if n <= forms.LARGEST_POWER) > LARGEST_PRODUCT:
        raise NoLoss(f"the product of {sum(symbolic.values())} values has too many terms to write it out")


def largest(values: Sequence[Term]) -> Term:
    """The largest of some values, each as it is written; those that another one is seen to be at least are
    left out."""
    read: dict[Form, Term] = {}
    for value in values:
        read.setdefault(forms.read(value), value)
    return terms.top(1, [read[form] for form in forms.largest(list(read))])


def at_most(value: Term, limit: int) -> bool:
    """Whether a value is seen to be never above a limit."""
    if (turned := -value).kind == "top" and turned.of[0] == 1:
        return any(at_most(-part, limit) for part in turned.parts)
    return forms.is_nonnegative(forms.read(limit - value))


def _least(values: Sequence[tuple[int, Term]]) -> list[tuple[int, Term]]:
    """The values that no other one is seen to be at most, each with the formula that it is by."""
    kept: list[tuple[int, Term, Form]] = []
    for n, value in values:
        form = forms.read(value)
        if any(forms.is_nonnegative(form - other) for _, _, other in kept):
            continue
        kept = [entry for entry in kept if not forms.is_nonnegative(entry[2] - form)] + [(n, value, form)]
    return [(n, value) for n, value, _ in kept]
