"""Theorems: made from theorems, by the rules below and by nothing else.

A conclusion is computed from what the premises say, the core setting and the pages, never by a second look.
A theorem remembers its rule, premises and arguments; `check` replays them from their saved form.

    given(i)                                    ⊢ M_i loses what the setting says: assumed
    noise(i, notion)                            ⊢ M_i loses what its noise's page says
    table(i)                                    ⊢ M_i loses what the setting says, checked on its table
    study(i), S satisfies g                     ⊢ M_i, which is S, loses what g says
    implies(i, n, m), M_i alone satisfies g     ⊢ M_i with its guarantee n has its guarantee m, which is g
    choose(which), theorem about these          ⊢ what holds with one guarantee of each holds with all
    least, guarantees                           ⊢ so does the least of them, where one parameter differs
    among(notion), cover of all guarantees      ⊢ the largest holds of the least that guarantees give
    one_by_one, theorem about its parts         ⊢ what holds of the mechanisms of studies one by one
    at_orders(orders), theorem about these      ⊢ so does what holds of divergences of other orders
    single_steps(values), theorem about these   ⊢ what is stated in a distance is so for one step of it
    by_lines(claim), (ε, δ) of its lines        ⊢ a trade-off function is a guarantee, or false
    by_rows(claim)                              ⊢ the rows of tables keep the claim
    against_rows(claim, point, databases)       ⊢ the claim is false: the rows of two neighbours break it
    along(claim, chains), losses                ⊢ the claim is at least what is lost along chains of databases
    convert(page), M_i loses x                  ⊢ M_i loses y in another notion
    compose, M_1 loses x_1, …, M_k loses x_k    ⊢ together they lose x_1 ⊕ … ⊕ x_k
    cover                                       ⊢ finitely many types stand for all neighbours
    worst, losses, cover                        ⊢ the largest of the losses at the types is a guarantee
    closer, losses, cover                       ⊢ so is the largest of the closer values
    apart(pages), cover, losses of all M_i      ⊢ so is what is lost with δ set apart, and that δ
    curve(claim), cover, losses of all M_i      ⊢ the claim is, its δ at least the curve at its ε
    below_curve(claim), cover, losses of all M_i ⊢ so is one whose curve is above that of the losses
    curve_standing, claim that holds            ⊢ it is loose, or nothing smaller holds
    vacuous(claim), cover without types         ⊢ every guarantee holds
    trivial(claim)                              ⊢ so does one that every mechanism has
    change(page), guarantee                     ⊢ the guarantee in another notion
    weaken(claim, certificates), guarantee      ⊢ every larger one holds
    attain(notion, type), cover, losses         ⊢ witnesses lose this much at two neighbours
    exceed(claim, point), cover, losses         ⊢ the claim is false, its δ below the curve at its ε
    refute(claim, point), lower                 ⊢ the claim is false
    beyond(claim, order), what it implies       ⊢ a claim about divergences of orders is false
    optimal(certificate), guarantee, lowers     ⊢ nothing smaller is a guarantee
    loose(point), guarantee, claim              ⊢ the claim is larger than a guarantee
    metric_form(claim), claim for neighbours    ⊢ so it stands in the canonical metric of the target
    metric, losses in distances                 ⊢ their composition is a guarantee, at any two databases
    everywhere(claim), guarantee, cover         ⊢ so is what is at least that in every case
    is_metric(name)                             ⊢ a formula in coordinates is a metric
    bounded(name), cover                        ⊢ a distance is at most its bound
    least_everywhere, guarantee, cover, lowers  ⊢ nothing smaller is a guarantee anywhere
    larger(claim, point), guarantee, cover      ⊢ the claim is larger at two databases
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import Any

from dpcompose.kernel.arguments import check
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.judgements import Judgement
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules import RULES

ABOUT_OTHERS = ("study", "one_by_one", "choose", "implies", "among", "at_orders", "single_steps")
"""The rules whose first premise is about another setting: that of a study, with the studies taken apart, with
one guarantee of each, of one mechanism alone, with a mechanism for each guarantee, at other orders, and with
mechanisms that are stated for single steps."""


OF_DISTANCES = (
    *("given", "noise", "convert", "compose", "cover", "change", "trivial", "attain", "exceed", "refute"),
    *("metric", "everywhere", "is_metric", "bounded", "least_everywhere", "larger", "choose", "implies"),
    *("against_rows", "along"),
)
"""The rules that hold where guarantees and claims are formulas in distances of any two databases."""


class NoTheorem(ValueError):
    """A rule does not give what it is used for; `why` says it without the name of the rule."""

    def __init__(self, why: str, rule: str = "") -> None:
        self.why = why
        super().__init__(f"{rule}: {why}" if rule else why)


@frozen
class Theorem:
    """A judgement about a setting, with the rule, premises and arguments by which it was made.

    setting -- the hash of the core setting; trusts -- the pages and deciders that the step itself rests on.
    """

    setting: str
    says: Judgement
    rule: str
    premises: tuple[Theorem, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)
    trusts: Grounds = Grounds()

    @cached_property
    def rests_on(self) -> Grounds:
        """All pages and deciders that it rests on."""
        return Grounds.of((self.trusts, *(premise.rests_on for premise in self.premises)))


@frozen
class Prover:
    """Makes theorems about one core setting with the pages of one theory."""

    setting: Setting
    theory: Theory

    def by(self, rule: str, /, *premises: Theorem, **arguments: Any) -> Theorem:
        """The theorem that a rule makes from theorems about this setting.  Raises NoTheorem.

        The first premise of ABOUT_OTHERS alone is about another setting.
        """
        made = RULES.get(rule)
        if made is None:
            raise NoTheorem(f"there is no rule {rule!r}")
        if self.setting.distances and rule not in OF_DISTANCES:
            raise NoTheorem("it is about neighbours, and this setting about any two databases", rule)
        own = premises[1:] if rule in ABOUT_OTHERS else premises
        if not all(isinstance(premise, Theorem) for premise in premises):
            raise NoTheorem("the premises are theorems", rule)
        if any(theorem.setting != self.setting.hash for theorem in own):
            raise NoTheorem("a premise is about another setting", rule)
        try:
            check(made, arguments)
            says, trusts = made(self.setting, self.theory, premises, **arguments)
        except (ValueError, TypeError) as error:
            raise NoTheorem(str(error), rule) from None
        return Theorem(self.setting.hash, says, rule, premises, arguments, trusts)
