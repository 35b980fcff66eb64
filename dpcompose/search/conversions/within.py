"""Conversions for guarantees within limits: of a claim that fits into one, whether the mechanisms do.

Such a page tells for which parameters a claim holds, as textbooks do: ε ≤ 1, and noise as large as a formula
says.  Its free parameters are those of the claim, and that its limits are kept is proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from dpcompose.kernel.composition import divergences
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.theorems import NoTheorem, Theorem
from dpcompose.search.comparisons import parameters
from dpcompose.search.guarantees import NoGuarantee, Workshop, best, in_notion


def guarantees(shop: Workshop, said: Satisfies) -> Iterator[Theorem]:
    """What a claim says, from guarantees in another notion, by pages with limits."""
    if terms.INFINITY in dict(said.values).values():
        return
    stated_first = sorted(
        shop.theory.of_kind("conversion"), key=lambda page: page.head.from_ not in shop.notions
    )
    for page in stated_first:
        if not page.head.aside or page.head.to != said.notion:
            continue
        with suppress(NoGuarantee, NoTheorem, ValueError):
            known = best(in_notion(shop, page.head.from_), page.head.from_).main
            chosen = {key: value for key, value in said.values if key in page.head.free}
            order = divergences.order_of(shop.theory, shop.setting.orders, page.head.from_, said.notion)
            yield shop.prover.by(
                "change",
                known.theorem,
                page=page.id,
                chosen={key: formulas.to_text(value) for key, value in chosen.items()},
                certificates=_kept(shop, page, {**chosen, **dict(known.says.values), **order}),
            )


def _kept(shop: Workshop, page: Any, values: dict[str, terms.Term]) -> dict[str, Any]:
    """For each parameter with a limit a certificate that it is at most that, where one is found."""
    found = {}
    for key, text in page.head.at_most.items():
        of = page.head.to if key in page.head.free else page.head.from_
        squared = key in shop.theory.rule(of).head.squared
        limit, value = formulas.parse(text, values), values[key]
        found[key] = parameters.at_least(limit, value, squared, assumed=shop.setting.assumed)
    return found
