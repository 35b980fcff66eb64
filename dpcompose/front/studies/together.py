"""Mechanisms with several guarantees: the bound that all of these give together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcompose.front.documents.bound import Bound
from dpcompose.language.said import Said

if TYPE_CHECKING:
    from dpcompose.search.proofs import Proofs


def with_all(proofs: Proofs, bound: Bound) -> Bound:
    """A bound with one guarantee of each mechanism, with what all of them give beside it if that is less."""
    return bound.with_all(proofs.together(bound.guarantee.notion))


def least(proofs: Proofs, bound: Bound) -> Said | None:
    """The least that all guarantees of mechanisms are known to give, in words; None where one gives it."""
    known = proofs.together(bound.guarantee.notion)
    return None if known is None else bound.words_of(bound.steps.private(known.theorem))
