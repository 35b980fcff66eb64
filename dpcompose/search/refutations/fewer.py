"""What some of the mechanisms refute, the whole composition does not satisfy (GB Prop. VII.2).

It matters where what others lose at a distance is not known, or where the curve of all together is known
roughly only.  Nothing here decides: what is tried is given to the kernel's rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from dpcompose.kernel import computed
from dpcompose.kernel.composition.losses import Loss
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.deciders.curves import pieces
from dpcompose.kernel.deciders.curves.curves import Curve
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.judgements import Satisfies
from dpcompose.search import guarantees, least
from dpcompose.search.guarantees import Workshop

MOST_KINDS = 12
"""Of how many kinds of mechanisms some are looked at by themselves."""
CLOSE = Fraction(1, 10**4)
"""How close to each other, for their size, both ends of a δ are where fewer mechanisms say nothing more."""


@frozen
class Subset:
    """Mechanisms at the neighbours of a type, and at a point, beside a claim about ε and δ there."""

    shop: Workshop
    claim: Satisfies
    type: Type
    point: Mapping[str, Fraction]
    bits: int

    def choices(self) -> Iterator[list[int]]:
        """The numbers of each kind by itself, and then of the best with more of them where the δ grows."""
        kinds = self.kinds()
        if not 2 <= len(kinds) <= MOST_KINDS or self.is_known_closely():
            return
        alone = [(self.least(kind), n) for n, kind in enumerate(kinds)]
        yield from (kinds[n] for low, n in alone if low)
        alone.sort(key=lambda entry: (-entry[0], entry[1]))
        best, chosen = alone[0][0], kinds[alone[0][1]]
        for _, n in alone[1:]:
            more = sorted([*chosen, *kinds[n]])
            low = self.least(more)
            if low > best:
                best, chosen = low, more
                yield more

    def kinds(self) -> list[list[int]]:
        """The mechanisms that are known and move, those together that are given alike and move as far."""
        kinds: dict[object, list[int]] = {}
        able, moves, entries = self.able(), dict(self.type.moves), dict(self.type.entries)
        lost = {i: there for i, *there in self.type.lost}
        for loss in self.losses(able):
            i = loss.mechanism
            if i in moves:
                noise = self.shop.setting.mechanisms[i - 1].noise
                alike = loss.notion, loss.values, noise, moves[i], entries.get(i), str(lost.get(i))
                kinds.setdefault(alike, []).append(i)
        return list(kinds.values())

    def able(self) -> list[int]:
        return least.known_to_lose(self.shop, self.type)

    def losses(self, by: Sequence[int]) -> list[Loss]:
        return [loss for theorem in self.shop.stated if (loss := guarantees.loss_of(theorem)).mechanism in by]

    def curve(self, by: Sequence[int]) -> Curve | None:
        """What some of them lose.  Raises ValueError where it is not known."""
        shop = self.shop
        known = computed.Curves(self.claim.notion, self.losses(by), shop.setting, shop.theory)
        return known.attained(self.type, self.point)[1]

    def least(self, by: Sequence[int]) -> Fraction:
        """The δ that some of them are seen to have at the claim's ε."""
        epsilon = formulas.at(dict(self.claim.values)["epsilon"], self.point)
        try:
            return pieces.below([self.curve(by)], epsilon, self.bits)
        except ValueError:
            return Fraction(0)

    def is_known_closely(self) -> bool:
        """Whether the δ of all together is enclosed closely."""
        epsilon = formulas.at(dict(self.claim.values)["epsilon"], self.point)
        try:
            curve = self.curve(self.able())
            low, high = (end([curve], epsilon, self.bits) for end in (pieces.below, pieces.above))
        except ValueError:
            return False
        return high - low <= CLOSE * high
