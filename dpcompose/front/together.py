"""Mechanisms with several guarantees: what all of these give together, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpcompose.front.bound import Bound, as_data
from dpcompose.front.document import plain
from dpcompose.kernel import formulas
from dpcompose.privacy.settings import Setting
from dpcompose.search.guarantees import Known

if TYPE_CHECKING:
    from dpcompose.search.proofs import Proofs


def known(proofs: Proofs, notion: str) -> Known | None:
    """The least of what all guarantees give, as a theorem; None where one of them gives it."""
    return None if proofs.choices is None else proofs.choices.together(notion)


def words(proofs: Proofs, bound: Bound) -> str:
    """The same in words; "" where there is nothing to say."""
    if (found := known(proofs, bound.guarantee.notion)) is None:
        return ""
    said = plain(bound.words_of(bound.steps.private(found.theorem)))
    return f"by all guarantees together {said}{'; optimal' if found.optimal else ''}"


def data(proofs: Proofs, bound: Bound | None) -> dict[str, Any]:
    """The same as JSON; nothing where there is nothing to say."""
    found = None if bound is None else known(proofs, bound.guarantee.notion)
    if bound is None or found is None:
        return {}
    said = as_data(bound.steps.private(found.theorem))
    optimal = True if found.optimal else None
    if said == as_data(bound.guarantee):
        return {"optimal": optimal}
    smaller = {"optimal": False} if _is_smaller(proofs, found) else {}
    return {"together": said | {"optimal": optimal}} | smaller


def _is_smaller(proofs: Proofs, found: Known) -> bool:
    """Whether what all guarantees give is seen to be smaller somewhere than the best of one choice."""
    best = proofs.guarantee(found.says.notion).best.theorem
    return proofs.choices is not None and proofs.choices.is_less(found.theorem, best)


def narrowed(setting: Setting, values: Mapping[str, Mapping[str, str]]) -> Setting:
    """The setting with smaller parameters of mechanisms, which then have all their guarantees.

    values -- by the number of a mechanism the formulas of those that change.
    """
    narrower = []
    for i, one in enumerate(setting.mechanisms, start=1):
        given = values.get(str(i), {})
        read = [
            (key, formulas.parse(given[key], setting.letters) if key in given else value)
            for key, value in one.satisfies.terms
        ]
        narrower.append(replace(one, satisfies=one.satisfies.with_values(read)))
    return replace(setting, mechanisms=tuple(narrower))
