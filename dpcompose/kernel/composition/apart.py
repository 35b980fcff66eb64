"""Parameters set apart: what (ε, δ)-DP mechanisms lose, as what pure ones lose beside an event.

By a conversion page that sets δ apart, each mechanism does no more than two independent ones, of which one is
pure, and the other one (0, δ)-DP.  So all of them do no more than the pure ones together, of which a
guarantee is known in another notion, and the others together.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpcompose.kernel.composition import losses
from dpcompose.kernel.composition.closer import Closer, largest
from dpcompose.kernel.composition.losses import Composition, Loss, NoLoss, Values
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term
from dpcompose.kernel.library.theory import Theory


@frozen
class Apart:
    """Mechanisms of which some set a parameter apart, all in one notion after that.

    together -- what is lost besides; rest -- what is set apart, in the notion of the guarantees; key -- the
    parameter; which -- the mechanisms that set it apart.
    """

    together: Composition
    rest: Composition
    key: str
    which: frozenset[int]

    @property
    def notion(self) -> str:
        """The notion of the guarantees of which a parameter is set apart."""
        return str(self.rest.rule.head.notion)

    def besides(self, types: Sequence[Type], closer: bool) -> Term:
        """The most that is set apart at neighbours of some types, by closer pages or by the rule."""
        there = [type.of({i: i for i in self.which}) for type in types]
        smaller = Closer(self.rest, self.key)
        if closer:
            return largest([smaller.at(type) for type in there])
        return self.rest.worst(self.key, [self.rest.at(type)[self.key] for type in there])

    def joined(self, values: Values, besides: Term, closer: bool) -> Values:
        """The guarantee of one mechanism that has some values beside an independent one that has what is set
        apart alone."""
        if INFINITY in (besides, *(value for _, value in values)):
            return tuple((key, INFINITY) for key, _ in values)
        rule, parameters = self.rest.rule, []
        for key, value in values:
            other = besides if key == self.key else ZERO
            if closer and key == self.key:
                parameters.append((key, Closer(self.rest, key).together([(value, ONE), (other, ONE)])))
            else:
                families = {key: [value, other]}
                parameters.append(
                    (key, formulas.parse(rule.head.composition[key], {"k": terms.number(2)}, families))
                )
        return tuple(parameters)


def apart(some: Sequence[Loss], setting: Setting, theory: Theory) -> Apart:
    """The losses of mechanisms of which some set a parameter apart.  Raises NoLoss where none does, or where
    what they lose does not compose."""
    losses.check_composes(some, setting, theory, apart=True)
    set_apart = {(loss.notion, loss.apart(theory)) for loss in some if loss.apart(theory)}
    if len(set_apart) != 1:
        raise NoLoss("no parameter is set apart, or several are")
    ((notion, (key, *others)),) = set_apart
    if others:
        raise NoLoss("several parameters are set apart")
    zeros = tuple((name, ZERO) for name in theory.rule(notion).head.parameters)
    rest = tuple(Loss(loss.mechanism, notion, loss.values if loss.apart(theory) else zeros) for loss in some)
    losses.check_composes(rest, setting, theory)
    which = frozenset(loss.mechanism for loss in some if loss.apart(theory))
    return Apart(Composition(tuple(some), setting, theory), Composition(rest, setting, theory), key, which)
