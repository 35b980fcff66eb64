"""Guarantees beside the chains of conversions: within the limits of a page, or with a parameter set apart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain

from dpcompose.kernel import computed, written_out
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.theorems import ABOUT_OTHERS, NoTheorem, Theorem
from dpcompose.search.comparisons import parameters
from dpcompose.search.conversions import apart, below, within
from dpcompose.search.guarantees import Workshop, loss_of


def of_the_whole(shop: Workshop, said: Satisfies) -> Iterator[Theorem]:
    """What holds in the notion of a claim, by pages that are no links of chains, from what the whole has."""
    return chain(_by_outcomes(shop.whole, said), within.guarantees(shop, said))


def guarantees(shop: Workshop, said: Satisfies) -> Iterator[Theorem]:
    """The same, what holds where guarantees of mechanisms set a parameter apart, and by their curve."""
    return chain(of_the_whole(shop, said), apart.guarantees(shop, said), below.guarantees(shop, said))


def _by_outcomes(shop: Workshop, said: Satisfies) -> Iterator[Theorem]:
    """A claim with letters, by the least δ of few mechanisms as a formula."""
    values = dict(said.values)
    if values.keys() != {"epsilon", "delta"}:
        return
    with suppress(NoTheorem, ValueError):
        losses = [loss_of(theorem) for theorem in shop.stated]
        known = computed.Curves(said.notion, losses, shop.setting, shop.theory)
        least, _ = written_out.delta(known, values["epsilon"], shop.types)
        shown = parameters.at_least(values["delta"], least, assumed=shop.setting.assumed)
        if shown is not None:
            claim = {"notion": said.notion} | {key: formulas.to_text(value) for key, value in said.values}
            yield shop.prover.by("curve", shop.cover, *shop.stated, claim=claim, certificate=shown)


def shown_by(theorem: Theorem | None) -> Theorem | None:
    """Such a guarantee from which a claim follows; None where it follows from others."""
    while theorem is not None and not _is_beside(theorem):
        further = theorem.premises and theorem.rule in (*ABOUT_OTHERS, "weaken")
        theorem = theorem.premises[0] if further else None
    return theorem


def _is_beside(theorem: Theorem) -> bool:
    return theorem.rule in ("apart", "below_curve") or (
        theorem.rule == "change" and "certificates" in theorem.arguments
    )


def pages(theorem: Theorem) -> list[str]:
    """The pages by which mechanisms, and then the whole, were converted for such a guarantee."""
    if theorem.rule == "change":
        return [theorem.arguments["page"]]
    if theorem.rule == "below_curve":
        return sorted(theorem.trusts.pages)
    each = (converted.page for premise in theorem.premises[1:] for converted in loss_of(premise).then)
    return list(dict.fromkeys([*each, *theorem.arguments["pages"]]))
