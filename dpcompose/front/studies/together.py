"""Mechanisms with several guarantees: the bound that all of these give together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from dpcompose.front.documents.bound import Bound
from dpcompose.front.documents.document import Said
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy.settings import Setting

if TYPE_CHECKING:
    from dpcompose.search.proofs import Proofs


def with_all(proofs: Proofs, bound: Bound) -> Bound:
    """A bound with one guarantee of each mechanism, with what all of them give beside it if that is less."""
    return bound.with_all(proofs.together(bound.guarantee.notion))


def least(proofs: Proofs, bound: Bound) -> Said | None:
    """The least that all guarantees of mechanisms are known to give, in words; None where one gives it."""
    known = proofs.together(bound.guarantee.notion)
    return None if known is None else bound.words_of(bound.steps.private(known.theorem))


def narrowed(setting: Setting, values: Mapping[str, Mapping[str, str]]) -> Setting:
    """The setting with smaller parameters of mechanisms, which then have all their guarantees.

    values -- by the number of a mechanism the formulas of those that change.
    """
    narrower = []
    for i, mechanism in enumerate(setting.mechanisms, start=1):
        given = values.get(str(i), {})
        read = [
            (key, formulas.parse(given[key], setting.letters) if key in given else value)
            for key, value in mechanism.satisfies.terms
        ]
        narrower.append(replace(mechanism, satisfies=mechanism.satisfies.with_values(read)))
    return replace(setting, mechanisms=tuple(narrower))
