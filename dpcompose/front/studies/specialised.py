"""A setting at numbers: the same composition with a value in place of each of its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dpcompose.front.documents.bound import Bound
from dpcompose.front.numbers import numbers
from dpcompose.kernel.core.assumptions import NOTHING
from dpcompose.kernel.expressions import substitution
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language import formulas
from dpcompose.privacy.mechanisms.mechanism import Mechanism, Nested
from dpcompose.privacy.settings import Setting


def specialised(bound: Bound, at: Mapping[Any, object], setting: Setting | None = None) -> Setting:
    """The setting of a bound in which each parameter is the number that `at` says, alike for all members.

    setting -- another one with the same parameters, or more.

    Raises WrongValue where a number is missing, wrong, or excluded by what is assumed.

    >>> import dpcompose as dpc
    >>> study = dpc.compose(
    ...     dpc.mechanism("M", dpc.pure("e", dpc.unbounded)), on=dpc.multisets(), target=dpc.bounded
    ... )
    >>> specialised(study.bound, {"e": "1/2"}).mechanisms
    (M reads D and is unbounded pure (1/2),)
    """
    setting = setting or bound.setting
    own = {} if setting.orders is None else setting.orders.letters  # which stand for all orders at once
    symbols = {
        name: symbol for name, symbol in setting.symbols.items() if name in setting.domains.keys() - own
    }
    known = {name: formulas.term(value) for name, value in numbers.at(bound, at, symbols).items()}
    if missing := sorted({letter for value in known.values() for letter in value.letters}):
        raise numbers.WrongValue(f"a curve is of numbers: no value is given for {', '.join(missing)}")
    return _of(setting, known)


def _of(setting: Setting, known: Mapping[str, Term]) -> Setting:
    """A setting with numbers in place of all parameters."""
    point = {name: value.number for name, value in known.items() if value.number is not None}

    def at_point(mechanism: Mechanism) -> Mechanism:
        found = (
            mechanism.with_letters(known)
            .regarding(lambda one: one.at(point))
            .reading(lambda f: f.counted(point) if f.divided else f)
        )
        if found.query is not None and found.query.terms:
            bounds = [substitution.substituted(term, known) for term in found.query.terms]
            found = replace(found, query=found.query.with_bounds(bounds))
        if found.members is not None:
            found = replace(found, members=substitution.substituted(found.members, known))
        if found.study is not None and isinstance(found.study.setting, Setting):
            found = replace(found, study=Nested(_of(found.study.setting, known)))
        return found

    mechanisms = tuple(map(at_point, setting.mechanisms))
    target, databases = setting.target.at(point), setting.databases
    if any(mechanism.sampled for mechanism in mechanisms):  # so many records as are drawn from
        databases = databases.sized(point)
    return replace(
        setting,
        databases=databases,
        target=target,
        mechanisms=mechanisms,
        domains={},
        numbers={},
        assume=NOTHING,
    )
