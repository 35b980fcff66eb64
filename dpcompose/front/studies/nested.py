"""Compositions as mechanisms of other ones, with the best guarantee that is known of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcompose.front.documents.bound import Bound
from dpcompose.kernel.core.orders import reciprocal
from dpcompose.kernel.judgements import Satisfies
from dpcompose.privacy.guarantees.notions import WRITTEN, Guarantee, in_orders
from dpcompose.privacy.mechanisms.mechanism import Mechanism, Nested
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.search import guarantees
from dpcompose.search.proofs import Proofs
from dpcompose.spaces.inputs.maps import Map

if TYPE_CHECKING:
    import sympy


def mechanism(
    name: str, reads: Map, count: sympy.Expr | None, known: Proofs, bound: Bound | None
) -> Mechanism:
    """A composition as a mechanism, of which so much is proved.

    bound -- its best; None: its mechanisms have several guarantees.  Then it is known by the first of each,
    and where all mechanisms are looked at one by one, by all of them.  Raises NoGuarantee.
    """
    setting, domain = known.setting, None if reads.is_everything else "own"
    if bound is None:
        if not all(one.has_alike for one in known.elaborated.core.mechanisms):
            raise InvalidSetting(
                "a study of mechanisms with guarantees for several neighbours has no guarantee that says all "
                "of them: compose its mechanisms with the others instead"
            )
        said = guarantees.best(known.shop).main.says
        assert isinstance(said, Satisfies)
        satisfies = Guarantee(said.notion, said.values, setting.target, domain)
        return Mechanism(name, reads, satisfies, count, study=Nested(setting))
    setting, shown = bound.setting, bound.guarantee
    names = {called: key for key, called in WRITTEN.items()}
    values = tuple(
        (names[key], reciprocal(value)) if key in names else (key, value) for key, value in shown.parameters
    )
    satisfies = Guarantee(shown.notion, values, setting.target, domain)
    if setting.orders is not None and known.theory.rule(shown.notion).head.ordered:
        satisfies = in_orders(satisfies, setting.orders)
    return Mechanism(name, reads, satisfies, count, study=Nested(setting))
