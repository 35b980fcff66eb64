"""Guarantees with a parameter set apart: δ of (ε, δ), so that the ε add up as those of pure mechanisms do.

What is left of a claim's δ beside those of the mechanisms is spent on the conversion of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice, product

from dpcompose.kernel.composition import apart
from dpcompose.kernel.expressions import formulas, substitution, terms
from dpcompose.kernel.expressions.terms import Term, TermError
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.theorems import NoTheorem, Theorem
from dpcompose.search.conversions.ways import Way, ways_apart
from dpcompose.search.guarantees import MOST_WAYS, Workshop, converted, loss_of


def guarantees(shop: Workshop, said: Satisfies) -> Iterator[Theorem]:
    """What holds in the notion of a claim with a parameter set apart, by all ways and both sums of δ."""
    shop = shop.whole
    for way, closer in product(
        islice(ways_apart(shop.theory, shop.notions, said.notion), MOST_WAYS), (False, True)
    ):
        with suppress(NoTheorem, TermError):
            losses = [converted(shop.prover, theorem, way) for theorem in shop.stated]
            for chosen in _chosen(shop, said, way, losses, closer):
                with suppress(NoTheorem):
                    yield shop.prover.by(
                        "apart",
                        shop.cover,
                        *losses,
                        pages=[id for id, _ in way.whole],
                        chosen=chosen,
                        closer=closer,
                    )


def _chosen(
    shop: Workshop, said: Satisfies, way: Way, losses: list[Theorem], closer: bool
) -> Iterator[Mapping[str, str]]:
    """Values of the free parameters: what a claim leaves beside what is set apart."""
    with suppress(ValueError):
        found = apart.apart([loss_of(loss) for loss in losses], shop.setting, shop.theory)
        besides, claimed = found.besides(shop.types.types, closer), dict(said.values)[found.key]
        if terms.INFINITY in (besides, claimed):
            return
        left = 1 - (1 - claimed) / (1 - besides) if closer else claimed - besides
        names = {name for _, free in way.whole for name in free}
        yield {name: formulas.to_text(_simple(left)) for name in names}


def _simple(term: Term) -> Term:
    """A term multiplied out, where that is shorter."""
    out = substitution.expanded(term)
    return out if len(out.summands) < len(term.summands) else term
