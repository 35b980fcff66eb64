"""Guarantees beside the chains of conversions: within the limits of a page, or with a parameter set apart."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.theorems import ABOUT_OTHERS, Theorem
from dpcompose.search import apart, within
from dpcompose.search.guarantees import Workshop, loss_of


def guarantees(shop: Workshop, said: Satisfies) -> Iterator[Theorem]:
    """What holds in the notion of a claim, by pages that are no links of chains."""
    return chain(within.guarantees(shop, said), apart.guarantees(shop, said))


def shown_by(theorem: Theorem | None) -> Theorem | None:
    """Such a guarantee from which a claim follows; None where it follows from others."""
    while theorem is not None and not _is_beside(theorem):
        further = theorem.premises and theorem.rule in (*ABOUT_OTHERS, "weaken")
        theorem = theorem.premises[0] if further else None
    return theorem


def _is_beside(theorem: Theorem) -> bool:
    return theorem.rule == "apart" or (theorem.rule == "change" and "certificates" in theorem.arguments)


def pages(theorem: Theorem) -> list[str]:
    """The pages by which mechanisms, and then the whole, were converted for such a guarantee."""
    if theorem.rule == "change":
        return [theorem.arguments["page"]]
    each = (one.page for premise in theorem.premises[1:] for one in loss_of(premise).then)
    return list(dict.fromkeys([*each, *theorem.arguments["pages"]]))
