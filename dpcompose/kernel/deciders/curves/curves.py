"""The least δ at every ε' for mechanisms composed, from below and from above.

Privacy losses of a composition add up.  Those of canonical noise lie on a lattice, and so do those of
Laplace noise after a rounding; the least δ is the mean of max(0, 1 − e^(ε' − loss)).  Beside normal noise
and what is zCDP it is the mean of their δ(ε' − loss).  The proofs are on the pages optimal-composition,
laplace-curve and curves-together of theorems/computed/.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import TypeAlias

from dpcompose.kernel.deciders.calculus.ratios import commensurable
from dpcompose.kernel.deciders.curves import spreads
from dpcompose.kernel.deciders.curves.canonical import Noise, binomial, laplace, middle, noise
from dpcompose.kernel.deciders.curves.keys import Appearing, Keyed, alike_ways, every_way
from dpcompose.kernel.deciders.curves.lattices import (
    Rounding,
    TooManyLosses,
    Window,
    added,
    check_work,
    places,
    power,
)
from dpcompose.kernel.deciders.curves.losses import Axis, Losses
from dpcompose.kernel.deciders.curves.merging import fewer
from dpcompose.kernel.deciders.curves.spreading import common_step, of_normal, on_lattice, steps, table_of
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal, Tail
from dpcompose.kernel.deciders.curves.tradeoffs import Known, Table, Together, added_up
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.intervals import ONE, Interval, NoEnclosure, enclosure, log
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term

LARGEST_LATTICE = 30_000
"""The most points of a lattice of losses; beyond it the losses are moved to a coarser one, a known way."""
BESIDE_NORMAL = 1_000
"""The same where each point takes a value of the curve of normal noise or of what is zCDP; to so many points
the losses of a larger lattice are moved at last."""
MOST_WORK = 4_000
"""How many values of a curve of noise are added up at most for those that several guarantees are known of;
where it would be more, all losses are put on one lattice."""
ON_LINES = 128
"""With how many binary digits at most losses are told that lie between lines, or are put on a lattice of
which they are no multiples."""
FINER = (4, 100)
"""Between which numbers of steps the ratio of Laplace noise has where its losses are put on a lattice."""
FEW_NOISY = 4
"""Up to how many mechanisms with Laplace noise have a lattice of so few points from the beginning."""


@frozen
class Part:
    """`count` mechanisms that are (ε, δ)-DP, each with two inputs that are `steps` apart.

    epsilon, delta -- constants ≥ 0; steps, count -- whole numbers ≥ 1.
    """

    epsilon: Term
    delta: Term
    steps: int = 1
    count: int = 1

    def times(self, count: int) -> Part:
        """The same of so many mechanisms."""
        return replace(self, count=self.count * count)

    def noise(self, bits: int) -> Noise:
        """The canonical noise of one of them."""
        return noise(self.epsilon, self.delta, self.steps, bits)


Piece: TypeAlias = "Part | Normal | Laplace | Together | Known | Appearing | Keyed"
"""What is known of one or several of the mechanisms that are composed."""


@frozen
class Curve:
    """The least δ(ε') of mechanisms composed: no smaller one holds for all mechanisms as the parts say.

    parts -- the mechanisms whose inputs move, and are known by their guarantees; those that are alike are
    counted; normal -- all that is Gaussian or zCDP; laplace -- what adds Laplace noise; together -- those
    that are known by several guarantees at once, or by their tables, or are run on samples: δ is the larger
    one of both orders; keyed -- those that show counts by keys: δ is the largest of all ways to have keys;
    adaptive -- whether later mechanisms may be chosen by what earlier ones say.

    >>> two = Curve.of([Part(terms.ONE, terms.ZERO, count=2)])
    >>> two.below(terms.ONE) * 10**12 // 1
    337834712147
    >>> once = Curve.of([Part(terms.ONE, terms.ZERO, steps=2)])
    >>> once.above(terms.ONE) * 10**4 // 1
    4621
    """

    parts: tuple[Part, ...]
    normal: Normal | None = None
    laplace: tuple[Laplace, ...] = ()
    together: tuple[Together | Known | Appearing, ...] = ()
    adaptive: bool = False
    keyed: tuple[Keyed, ...] = ()

    @staticmethod
    def of(pieces: Iterable[Piece], adaptive: bool = False) -> Curve:
        """The curve, mechanisms that are alike counted together."""
        alike: Counter[tuple[Term, Term, int]] = Counter()
        noisy: Counter[tuple[Term, bool]] = Counter()
        together: Counter[Together | Known | Appearing] = Counter()
        keyed: Counter[Keyed] = Counter()
        normal = Normal(terms.ZERO, terms.ZERO)
        for piece in pieces:
            if isinstance(piece, Part):
                alike[piece.epsilon, piece.delta, piece.steps] += piece.count
            elif isinstance(piece, Normal):
                normal = Normal(normal.square + piece.square, normal.rho + piece.rho)
            elif isinstance(piece, Keyed):
                keyed[replace(piece, count=1)] += piece.count
            elif isinstance(piece, Together | Known | Appearing):
                together[replace(piece, count=1)] += piece.count
            elif piece.ratio != terms.ZERO:
                noisy[piece.ratio, piece.middle] += piece.count
        _check_order(together)
        ordered = sorted(alike.items(), key=lambda one: (one[0][0].key, one[0][1].key, one[0][2]))
        return Curve(
            tuple(Part(*key, count) for key, count in ordered),
            normal if (normal.square, normal.rho) != (terms.ZERO, terms.ZERO) else None,
            tuple(
                Laplace(ratio, noisy[ratio, middle], middle)
                for ratio, middle in sorted(noisy, key=lambda one: (one[0].key, one[1]))
            ),
            tuple(one.times(count) for one, count in together.items()),
            adaptive,
            tuple(one.times(count) for one, count in keyed.items()),
        )

    def _with(self, ways: Iterable[Iterable[Piece]]) -> Iterator[Curve]:
        """It without keys, and with the pieces that ways to have keys make of these."""
        rest = (*self.parts, *self.laplace, *self.together, *([self.normal] if self.normal else []))
        return (Curve.of((*rest, *way), self.adaptive) for way in ways)

    def above(self, epsilon: Term, bits: int = 128, points: int = LARGEST_LATTICE) -> Fraction:
        """A δ that no mechanisms with these guarantees exceed at ε': it proves claims.

        epsilon -- a constant; bits -- how many binary digits masses have; points -- of how many losses at
        most.  Raises TooManyLosses, and NoEnclosure where a parameter is no real constant.
        """
        if self.keyed:
            ways = every_way(self.keyed, self.adaptive)
            return max(curve.above(epsilon, bits, points) for curve in self._with(ways))
        if (alike := self.alike_middles) is not None and not (self.adaptive and alike.count > 1):
            return min(Fraction(1), spreads.together(alike.ratio, alike.count, epsilon, bits).high)
        return max(order._delta(epsilon, bits, points, True) for order in self._orders)

    def below(self, epsilon: Term, bits: int = 128, points: int = LARGEST_LATTICE) -> Fraction:
        """A δ that some mechanisms with these guarantees have at ε': it refutes claims.

        Of those that lose as the middle of Laplace noise does it is known what some alike lose together, and
        what all of them lose, beside the others, at two databases at which each has two losses.
        """
        if self.keyed:
            return max(curve.below(epsilon, bits, points) for curve in self._with(alike_ways(self.keyed)))
        if (alike := self.alike_middles) is not None:
            return max(Fraction(0), spreads.together(alike.ratio, alike.count, epsilon, bits).low)
        middles = tuple(law for law in self.laplace if law.middle)
        alone = (replace(Curve(()), laplace=(law,)) for law in middles)
        values = [curve.below(epsilon, bits, points) for curve in alone if curve.alike_middles is not None]
        values += (order._delta(epsilon, bits, points, False) for order in self._orders)
        if middles and math.prod(law.count + 1 for law in middles) <= spreads.MOST_LOSSES:
            values += (self._beside_middles(middles, share, epsilon, bits) for share in spreads.LOOKED_AT)
        return max(values)

    def _beside_middles(
        self, middles: Sequence[Laplace], share: Fraction, epsilon: Term, bits: int
    ) -> Fraction:
        """δ at least where all middles have two losses, the larger one this share of how far they go."""
        total = Fraction(0)
        tables = (spreads.losses(law.ratio, law.count, share, bits) for law in middles)
        for chosen in product(*map(tuple, tables)):
            moved = sum((loss.low for loss, _ in chosen), Fraction(0))
            beside = self._delta(epsilon - terms.number(moved), bits, BESIDE_NORMAL, False)
            total += math.prod(mass for _, mass in chosen) * beside
        return total

    @property
    def _orders(self) -> tuple[Curve, ...]:
        """It in both orders of the two databases, where these differ."""
        turned = replace(self, together=tuple(together.turned for together in self.together))
        return (self,) if turned == self else (self, turned)

    @property
    def alike_middles(self) -> Laplace | None:
        """The only mechanisms, where they lose as the middle of Laplace noise does, all alike."""
        others = self.parts or self.together or self.keyed or self.normal is not None
        if (
            others
            or len(self.laplace) != 1
            or not self.laplace[0].middle
            or self.laplace[0].count > spreads.MOST_ALIKE
        ):
            return None
        return self.laplace[0]

    def _known(self, up: bool) -> Curve:
        """What is known of it on one side as losses that add up: from below nothing of middles."""
        return self if up else replace(self, laplace=tuple(law for law in self.laplace if not law.middle))

    def _delta(self, epsilon: Term, bits: int, points: int, up: bool) -> Fraction:
        """δ on one side: over the losses of those with several guarantees the mean of that of the others."""
        known = self._known(up)
        if not self.together:
            losses, off = _losses(known, bits, points, up)
            return losses.delta(epsilon - off)
        parts = tuple(Together(((part.epsilon, part.delta),), part.steps, part.count) for part in self.parts)
        rest = replace(known, parts=(), together=())
        bits = min(bits, ON_LINES) if any(joint.tail for joint in self.together) else bits
        with suppress(TooManyLosses):
            table = _added_up((*self.together, *parts), bits, up)
            if table is not None and rest == Curve((), adaptive=known.adaptive):
                return table.delta(epsilon, bits, up)
            if table is not None and len(table.masses) * _losses(rest, bits, points, up)[0].work <= MOST_WORK:
                beside = Fraction(0)
                for x, p in table.masses.items():
                    moved = terms.number(log(Interval.of(x), bits).end(up))
                    beside += p * rest._delta(epsilon - moved, bits, points, up)
                return min(Fraction(1), beside + table.infinite)
        step = common_step(known.together, points) if rest == Curve((), known.normal) else None
        losses, off = _on_one_lattice(known, step, bits, points, up)
        return losses.delta(epsilon - off)

    def without_limit(self, bits: int) -> Fraction:
        """A δ that some mechanisms with these guarantees have at every ε'."""
        if self.keyed:
            return max(curve.without_limit(bits) for curve in self._with(alike_ways(self.keyed)))
        alone = _losses(replace(self._known(False), together=()), bits, LARGEST_LATTICE, False)[0].infinite
        value = Fraction(0)
        for way in self._orders:
            finite = (
                1 - together.table(bits, False).infinite
                for together in way.together
                for _ in range(together.count)
            )
            value = max(value, 1 - (1 - alone) * math.prod(finite))
        return value

    def delta(self, epsilon: Term, bits: int = 128, points: int = LARGEST_LATTICE) -> Interval:
        """Both: between them the least δ lies."""
        return Interval(self.below(epsilon, bits, points), self.above(epsilon, bits, points))


def _check_order(pieces: Iterable[Together | Known | Appearing]) -> None:
    """Raises ValueError where tables, at two databases in one order, stand beside samples, in another one."""
    every = list(pieces)
    if any(isinstance(piece, Known | Appearing) for piece in every) and any(
        isinstance(piece, Together) and piece.turned != piece for piece in every
    ):
        raise ValueError("tables beside samples that have what differs at one of the two databases only")


@frozen
class _Group:
    """Mechanisms whose losses lie on one lattice: of ε, or the ratio of Laplace noise, `weight` steps."""

    step: Term
    parts: tuple[tuple[Part, int], ...]
    noisy: tuple[tuple[Laplace, int], ...]

    @property
    def members(self) -> tuple[Part | Laplace, ...]:
        """All mechanisms."""
        return (*(part for part, _ in self.parts), *(law for law, _ in self.noisy))

    @property
    def length(self) -> int:
        """How many steps there are from the middle to the largest loss."""
        parts = sum(weight * part.steps * part.count for part, weight in self.parts)
        return parts + sum(weight * law.count for law, weight in self.noisy)

    def finer(self, m: int) -> _Group:
        """The same with the step divided."""
        parts = tuple((part, weight * m) for part, weight in self.parts)
        return replace(
            self, step=self.step / m, parts=parts, noisy=tuple((law, w * m) for law, w in self.noisy)
        )

    def stays(self, bits: int) -> Interval:
        """The probability that no loss is ∞."""
        interval = ONE
        for part, _ in self.parts:
            finite = ONE - part.noise(bits).infinite
            interval = (interval * finite.power(part.count, 2 * bits)).rounded(4 * bits)
        return interval

    def axis(self, bits: int, rounding: Rounding) -> Axis:
        """All losses added up."""
        check_work(self.length + 1, rounding)
        tables = self._tables(bits, rounding)
        every = [table if many == 1 else places(power(table, many, rounding)) for table, many in tables]
        return Axis(self.step, self.length, tuple(added(every, rounding)))

    def table(self, bits: int, rounding: Rounding) -> Table:
        """The same without losses that are unlikely.  Raises TooManyLosses."""
        windows = [
            Window.of(table, rounding).power(many, rounding) for table, many in self._tables(bits, rounding)
        ]
        whole = Window.added(windows, rounding)
        axis = Axis(self.step, self.length - 2 * whole.least, whole.masses)
        infinite = 1 - self.stays(bits).end(not rounding.up) + Fraction(whole.beyond, rounding.unit)
        return replace(table_of(_of_few(axis, bits, rounding), bits, rounding), infinite=infinite)

    def _tables(self, bits: int, rounding: Rounding) -> list[tuple[dict[int, int], int]]:
        """The losses of each mechanism, and how many have them."""
        tables: list[tuple[dict[int, int], int]] = []
        for part, weight in self.parts:
            table: dict[int, int] = {}
            for u, mass in enumerate(part.noise(bits).masses):
                table[u * weight] = table.get(u * weight, 0) + rounding.end(mass)
            tables.append((table, part.count))
        for law, weight in self.noisy:
            check_work(weight + 1, rounding)
            ratio = enclosure(law.ratio, bits + 32)
            numbers = middle(ratio, weight, rounding) if law.middle else laplace(ratio, weight // 2, rounding)
            tables.append((numbers, law.count))
        return tables


@lru_cache(maxsize=64)
def _losses(curve: Curve, bits: int, points: int, up: bool) -> tuple[Losses, Term]:
    """The losses of a composition on their lattices, or on one where these are too many; and what is to be
    taken from ε' for that."""
    lost, groups = _apart(curve, bits, up)
    moving = [part for group in groups for part, _ in group.parts]
    noisy = [law for group in groups for law, _ in group.noisy]
    size = math.prod(group.length + 1 for group in groups)
    many = False
    if curve.normal is not None:
        few = sum(law.count for law in noisy) <= FEW_NOISY
        many = points > BESIDE_NORMAL and not (few and _refined(groups, BESIDE_NORMAL) is not None)
        points = points if many else min(points, BESIDE_NORMAL)
    elif size > points and lost.tail is None and not noisy and len(moving) == 1 and moving[0].steps == 1:
        return _of_likely(lost, moving[0]), terms.ZERO
    fine = None if many and len(groups) > 1 else _refined(groups, points)
    if fine is None:
        return _on_one_lattice(curve, None, bits, points, up)
    stays = ONE
    for group in fine:
        stays = (stays * group.stays(bits)).rounded(4 * bits)
    axes = sorted((group.axis(bits, lost.rounding) for group in fine), key=lambda axis: len(axis.masses))
    if many:
        axes = [_of_few(axis, bits, lost.rounding) for axis in axes]
    return replace(lost, axes=tuple(axes), infinite=_infinite(lost, stays)), terms.ZERO


@lru_cache(maxsize=64)
def _apart(curve: Curve, bits: int, up: bool) -> tuple[Losses, tuple[_Group, ...]]:
    """The losses of what is no axis, of those that lose 0 or ∞ and of the tail; and groups of the others."""
    still = tuple((part, 0) for part in curve.parts if part.epsilon == terms.ZERO)
    finite = _Group(terms.ZERO, still, ()).stays(bits)
    moving = [part for part in curve.parts if part.epsilon != terms.ZERO]
    tail: Tail | None = curve.normal
    noisy = list(curve.laplace)
    if tail is None and not all(law.middle for law in noisy):
        tail, noisy = _least_like(moving, noisy)
    lost = Losses((), finite.end(up), (ONE - finite).end(up), bits, Rounding.of(bits, up), tail)
    return lost, tuple(_groups(moving, noisy))


@lru_cache(maxsize=64)
def _added_up(togethers: tuple[Together | Known, ...], bits: int, up: bool) -> Table | None:
    """The losses of all mechanisms, and that these are too many: either is found once for all ε'."""
    with suppress(TooManyLosses):
        return added_up(togethers, bits, up)
    return None


@lru_cache(maxsize=64)
def _on_one_lattice(curve: Curve, step: Term | None, bits: int, points: int, up: bool) -> tuple[Losses, Term]:
    """The losses of a composition, all on one lattice but a tail; and what is to be taken from ε' for that.

    step -- of which all are multiples.  Raises TooManyLosses.
    """
    bits = bits if step is not None else min(bits, ON_LINES)
    lost, groups = _apart(curve, bits, up)
    tables = [(joint.table(bits, up), joint.count) for joint in curve.together]
    for group in groups:
        tables += _tables(group, bits, points // len(groups), lost.rounding)
    normal = curve.normal
    if step is None and normal is not None and normal.is_near and (not up or normal.rho == terms.ZERO):
        tables, lost = [*tables, (of_normal(normal, bits, up), 1)], replace(lost, tail=None)
    for width in steps(tables, points // 2) if step is None else [step]:
        with suppress(TooManyLosses):
            there = on_lattice(tables, width, bits, lost.rounding)
            axis = _of_few(there.axis, bits, lost.rounding) if isinstance(lost.tail, Normal) else there.axis
            infinite = _infinite(lost, Interval.of(1 - there.infinite))
            return replace(lost, axes=(axis,), infinite=infinite), terms.number(there.off)
    many = sum(count for _, count in tables)
    raise TooManyLosses(f"the losses of {many} mechanisms are too many to go through")


def _tables(group: _Group, bits: int, points: int, rounding: Rounding) -> list[tuple[Table, int]]:
    """The losses of mechanisms on their lattice as a table; of each on its own where they are too many."""
    finer = group.finer(2 * min(max(points // (4 * group.length), FINER[0]), FINER[1]) if group.noisy else 1)
    with suppress(TooManyLosses, NoEnclosure):  # or too large
        return [(finer.table(bits, rounding), 1)]
    if len(group.members) == 1 == group.members[0].count:
        raise TooManyLosses("the losses of a mechanism are too many to go through")
    alone = (
        *(_Group(part.epsilon, ((replace(part, count=1), 1),), ()) for part, _ in group.parts),
        *(_Group(law.ratio, (), ((replace(law, count=1), 1),)) for law, _ in group.noisy),
    )
    return [
        (_tables(single, bits, points, rounding)[0][0], member.count)
        for single, member in zip(alone, group.members, strict=True)
    ]


def _of_few(axis: Axis, bits: int, rounding: Rounding) -> Axis:
    """The losses of an axis moved to few of its points."""
    apart = enclosure(2 * axis.step, bits + 32)
    return replace(axis, masses=fewer(axis.masses, apart, BESIDE_NORMAL, rounding))


def _of_likely(lost: Losses, part: Part) -> Losses:
    """Of very many mechanisms that are alike, the losses about the most likely one; the others count as ∞."""
    table = part.noise(lost.bits)
    likely = binomial(table, part.count, lost.bits, lost.rounding)
    axis = Axis(part.epsilon, likely.offset, likely.masses)
    stays = (ONE - table.infinite).power(part.count, 2 * lost.bits)
    infinite = _infinite(lost, stays) + (likely.left_out if lost.rounding.up else 0)
    return replace(lost, axes=(axis,), infinite=infinite)


def _infinite(lost: Losses, stays: Interval) -> Fraction:
    """The probability of an infinite loss where others beside these stay finite with one that is known."""
    return 1 - (1 - lost.infinite) * stays.end(not lost.rounding.up)


def _least_like(parts: Sequence[Part], noisy: Sequence[Laplace]) -> tuple[Laplace, list[Laplace]]:
    """One mechanism with Laplace noise whose losses share a lattice with the fewest others, and the rest."""
    groups = [group for group in _groups(parts, noisy) if not all(law.middle for law, _ in group.noisy)]
    few = min(groups, key=lambda group: sum(member.count for member in group.members))
    chosen = [law for law, _ in few.noisy if not law.middle][-1]
    rest = [replace(law, count=law.count - (law == chosen)) for law in noisy]
    return replace(chosen, count=1), [law for law in rest if law.count]


def _moves(piece: Part | Laplace) -> Term:
    """How far its losses go, in one step: ε, or the ratio of Laplace noise."""
    return piece.epsilon if isinstance(piece, Part) else piece.ratio


def _groups(parts: Sequence[Part], noisy: Sequence[Laplace]) -> list[_Group]:
    """Mechanisms whose ε, and ratios of Laplace noise, have rational ratios are together."""
    groups = []
    members: tuple[Part | Laplace, ...] = (*parts, *noisy)
    of = {member: _moves(member) for member in members}
    for step, weights in commensurable(list(dict.fromkeys(of.values()))):
        inside = [(piece, weights[value]) for piece, value in of.items() if value in weights]
        groups.append(
            _Group(
                step,
                tuple((piece, weight) for piece, weight in inside if isinstance(piece, Part)),
                tuple((piece, weight) for piece, weight in inside if isinstance(piece, Laplace)),
            )
        )
    return groups


def _refined(groups: Sequence[_Group], points: int) -> list[_Group] | None:
    """Lattices of at most so many points in all, as fine as that allows where there is Laplace noise.

    None where there are too many: or three lattices with Laplace noise, which one lattice serves better.
    """
    noisy = [group for group in groups if group.noisy]
    left = points // math.prod(group.length + 1 for group in groups if not group.noisy)
    if not left or len(noisy) > 2:
        return None
    share = left if len(noisy) < 2 else math.isqrt(left)
    if any(share <= 2 * group.length for group in noisy):
        return None
    return [
        group.finer(2 * ((share - 1) // (2 * group.length))) if group.noisy else group for group in groups
    ]
