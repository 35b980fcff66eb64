"""Judgements: what a theorem can say of a setting.

Each is about all databases of the setting's class, all allowed values of its parameters, and all mechanisms
that are as the setting says: independent, or adaptive where it says so.  Where no page or rule shows
something, there is no judgement that says so: undecided is no theorem.
"""

from __future__ import annotations

from fractions import Fraction

from dpcompose.kernel.composition.losses import Loss, Values
from dpcompose.kernel.core.assumptions import Assumed
from dpcompose.kernel.covers.types import Cover, Type
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.library.grounds import Grounds


@frozen
class Loses:
    """M_i loses at most this where its input moves."""

    loss: Loss


@frozen
class Composed:
    """The mechanisms together lose at most the sum of these, by the rule of a notion."""

    notion: str
    losses: tuple[Loss, ...]


@frozen
class Covers:
    """Whatever holds for the types holds for all neighbours of the target."""

    cover: Cover


@frozen
class Satisfies:
    """The composition satisfies the notion with these parameters, for the target's neighbours."""

    notion: str
    values: Values

    def __str__(self) -> str:
        shown = ", ".join(f"{key} = {formulas.to_text(value)}" for key, value in self.values)
        return f"the composition satisfies {self.notion} privacy with {shown}"


@frozen
class Attained:
    """What mechanisms lose at the neighbours of one type, and for each that does not always say the same by
    what it is: a witness, what it can lose in another notion, or its own noise.

    positive -- where more than any number is lost, formulas in letters of which one must be above 0 for that;
    none: it is lost wherever the letters are;
    where -- relations between letters that must hold for that: there are as many members as move.
    """

    type: Type
    value: Term
    witnesses: tuple[tuple[int, Grounds], ...]
    positive: tuple[Term, ...] = ()
    where: Assumed = ()


@frozen
class Lower:
    """Some mechanisms as the setting says lose this much of one parameter, for all values of the letters
    that satisfy what the types ask for.

    value -- the largest of what they lose at the neighbours of some types; ∞: more than any number.
    """

    notion: str
    key: str
    value: Term
    at: tuple[Attained, ...]

    @property
    def where(self) -> Assumed:
        """The relations between letters that must hold for that."""
        return tuple(dict.fromkeys(relation for attained in self.at for relation in attained.where))


@frozen
class Refuted:
    """Some mechanisms as the setting says violate the claim at this point."""

    notion: str
    values: Values
    point: tuple[tuple[str, Fraction], ...]
    through: tuple[str, ...] = ()


@frozen
class Optimal:
    """The guarantee holds, and no smaller value of its parameter `key` does, for all mechanisms as stated."""

    notion: str
    values: Values
    key: str


@frozen
class Loose:
    """A guarantee is known that is smaller at this point, and larger there in no parameter.

    That the guarantee itself holds is said by another judgement.
    """

    notion: str
    values: Values
    point: tuple[tuple[str, Fraction], ...]


@frozen
class MetricForm:
    """What is said holds of any two databases of the class, in place of the target's neighbours: parameters
    are formulas in the canonical metric of the target."""

    of: Satisfies | Refuted | Loose | Optimal


@frozen
class OfOrders:
    """What is said of divergences holds at all of these orders, in place of those of the setting."""

    orders: str
    of: Satisfies | Refuted | Loose | Optimal


@frozen
class Implies:
    """Each M_i that has its guarantee of one number has that of another number as well.

    values -- where the parameters of the one have other values than it says, these.
    """

    mechanism: int
    one: int
    other: int
    values: Values | None = None


@frozen
class IsMetric:
    """A distance of the setting that is a formula in coordinates is a metric."""

    name: str


@frozen
class Bounded:
    """A distance of the setting is at most the bound that is stated for it."""

    name: str


Judgement = (
    Loses
    | Composed
    | Covers
    | Satisfies
    | Lower
    | Refuted
    | Optimal
    | Loose
    | MetricForm
    | OfOrders
    | Implies
    | IsMetric
    | Bounded
)
