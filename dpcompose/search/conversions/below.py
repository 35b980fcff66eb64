"""Claims of Gaussian privacy with numbers, by the curve of mechanisms: chords below that of normal noise.

Where the curve has finitely many losses its chords between these are the curve itself, and each is on the
line of an event of some normal noise.  Rough numbers choose ends and events; the kernel's rule decides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise, product
from statistics import NormalDist
from typing import Any

from dpcompose.kernel import computed
from dpcompose.kernel.deciders.curves import pieces
from dpcompose.kernel.deciders.curves.below_normal import above, is_normal, square_of
from dpcompose.kernel.deciders.curves.curves import Curve
from dpcompose.kernel.deciders.curves.tails import Normal
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.theorems import Theorem
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.search import least
from dpcompose.search.guarantees import Workshop
from dpcompose.search.least import BITS
from dpcompose.search.trying import tried

MOST_LOSSES = 400
"""Up to how many losses the ends of chords are just these."""
FEW, SPLIT = 40, 60
"""How many chords there are else, all as long; and how often the one with the largest μ is split."""
NEAREST, FARTHEST = Fraction(1, 2**20), 64
"""From which ε on, and up to which, it is looked for where a curve ends."""
UNIT, SLACK = 10**6, Fraction(1, 100)
"""With how many decimals about the least μ is told, and how many units above it."""
NEARLY = 1 - 2**-30
"""What does not get smaller by more is left as it is."""
NEAR_ONE = 1 - 2**-50
"""Nearer to 1 no probability is told in rough numbers."""
MOST_BITS = 2_048
"""With how many binary digits at most curves are looked at far out."""
STANDARD = NormalDist()


@frozen
class Compared:
    """A curve beside those of normal noise.

    ends -- of its chords; limit -- up to which all that is not normal is lost; bits -- with how many binary
    digits all this is seen.
    """

    ends: Sequence[Term]
    chords: Sequence[Chord]
    limit: Term
    bits: int

    @property
    def least(self) -> float:
        """About the least μ with all chords below its curve."""
        return max(chord.mu for chord in self.chords)

    @property
    def peak(self) -> str:
        """An ε at which the curve of noise with a smaller μ is exceeded first, as a decimal."""
        highest = max(self.chords, key=lambda chord: chord.mu)
        return f"{max(0, highest.mu * float(highest.event) - highest.mu**2 / 2):.6f}"

    @property
    def data(self) -> list[Any]:
        """The ends, events and limit as the kernel reads them."""
        ends, events = map(formulas.to_text, self.ends), (str(chord.event) for chord in self.chords)
        return [list(ends), list(events), formulas.to_text(self.limit)]


def guarantees(shop: Workshop, said: Satisfies) -> Iterator[Theorem]:
    """A claim that is less than about the least μ below whose curve all curves are, and this one."""
    for notion, key, claimed in _claims(shop, said):
        every = _compared(shop.whole, notion)
        known = [one for one in every if one is not None]
        if not known or len(known) < len(every):
            continue
        least_mu = terms.number(
            Fraction(math.ceil(Fraction(max(one.least for one in known)) * UNIT + SLACK), UNIT)
        )
        smaller = enclosure(least_mu - claimed, BITS[0])
        is_close = smaller.high > 0 and smaller.low < Fraction(1, UNIT)
        premises, chords = (shop.whole.cover, *shop.whole.stated), [one.data for one in known]
        bits = max(one.bits for one in known)
        for value in (claimed, least_mu) if is_close else (least_mu,):
            asked = {"claim": {"notion": said.notion, key: formulas.to_text(value)}, "notion": notion}
            if found := tried(shop.prover, "below_curve", *premises, **asked, chords=chords, bits=bits):
                yield found


def least_known(shop: Workshop, claimed: Guarantee) -> Guarantee | None:
    """A claimed guarantee with about the least μ; None where the claim has a smaller one, or none is told."""
    said = Satisfies(claimed.notion, claimed.terms)
    for found in guarantees(shop, said):
        if isinstance(found.says, Satisfies) and found.says != said:
            return claimed.with_values(found.says.values)
    return None


def exceeded(shop: Workshop, said: Satisfies) -> Iterator[dict[str, str]]:
    """In which notions, and at which ε, mechanisms seem to exceed all that satisfies a claim."""
    for notion, _, claimed in _claims(shop, said):
        mu = enclosure(claimed, BITS[0]).low
        for one in _compared(shop, notion):
            if one is not None and one.ends and mu < one.least:
                yield {"notion": notion, "epsilon": one.peak}


def _claims(shop: Workshop, said: Satisfies) -> Iterator[tuple[str, str, Term]]:
    """The notions in which the δ of all that satisfies a claim with a number μ is that of normal noise, and
    by which it is told; the parameter, and μ."""
    if len(said.values) != 1:
        return
    ((key, mu),) = said.values
    for notion in dict.fromkeys(page.head.notion for page in shop.theory.of_kind("computed")):
        with suppress(ValueError):  # there is no such page, or the claim is in letters
            page = computed.page_of_claims(shop.theory, notion, said.notion)
            most = pieces.piece(page.head.parts[said.notion], {key: mu}, terms.ONE)
            if page.head.converse and isinstance(most, Normal) and most.square == mu**2:
                yield notion, key, mu


def _compared(shop: Workshop, notion: str) -> list[Compared | None]:
    """The curves of all types beside normal noise; None where one is not compared.  Nothing where numbers are
    too large, or too small, to be told roughly."""
    try:
        every = least.of_types(shop, notion) or ()
        return [None if curve is None else compared(curve) for curve in every]
    except (ValueError, OverflowError, ZeroDivisionError):
        return []


@lru_cache(maxsize=64)
def compared(curve: Curve) -> Compared | None:
    """A curve beside that of normal noise; None where what is not normal ends nowhere, or far, or is zCDP."""
    concentrated = curve.normal is not None and curve.normal.rho != terms.ZERO
    if concentrated or (losses := _losses(replace(curve, normal=None))) is None:
        return None
    m, limit = math.sqrt(_rough(square_of(curve))), losses[-1]
    if is_normal(curve):
        return Compared([], [Chord(Fraction(0), m)], limit, BITS[0])
    mu = 2 * STANDARD.inv_cdf((1 + float(above(curve, terms.ZERO, BITS[0]))) / 2)  # by one event
    last = limit * 2
    if m > 0:
        if (mu - m) * UNIT <= m:
            return None
        end = _rough(limit) + 1
        last = terms.number(math.ceil(max(end, ((end - 1) / m + (m - mu) / 2) / (1 / m - 1 / mu))))
    far = _rough(last) / mu + mu / 2
    if (bits := BITS[0] + int(far**2)) > MOST_BITS:
        return None
    exact = m == 0 and _are_few(curve)
    ends = losses if exact else [(last if m > 0 else limit) * n / FEW for n in range(FEW + 1)]
    if m == 0:
        ends = [*ends, last]
    heights = [_height(curve, end, bits) for end in ends]
    chords = [_chord(two, far) for two in pairwise(heights)]
    if not exact:
        _split(curve, heights, chords, far, bits)
    return Compared([one.epsilon for one in heights], chords, limit, bits)


def _split(curve: Curve, heights: list[Height], chords: list[Chord], far: float, bits: int) -> None:
    """Splits the chord with the largest μ, time and again, until it is the curve itself."""
    for _ in range(SPLIT):
        worst = max(range(len(chords)), key=lambda n: chords[n].mu)
        left, right = heights[worst : worst + 2]
        between = _height(curve, (left.epsilon + right.epsilon) / 2, bits)
        if not left.c < between.c < right.c:
            return
        halves = [_chord(two, far) for two in ((left, between), (between, right))]
        closer = max(one.mu for one in halves) < chords[worst].mu * NEARLY
        heights.insert(worst + 1, between)
        chords[worst : worst + 1] = halves
        if not closer:
            return


@frozen
class Height:
    """A point of a curve, about: δ at c = e^ε."""

    epsilon: Term
    c: float
    delta: float


def _height(curve: Curve, epsilon: Term, bits: int) -> Height:
    return Height(epsilon, math.exp(_rough(epsilon)), float(above(curve, epsilon, bits)))


@frozen
class Chord:
    """Beside a chord: the event of normal noise whose line is as steep, and about the least μ of such noise
    for which the chord is below it."""

    event: Fraction
    mu: float


def _chord(ends: tuple[Height, Height], far: float) -> Chord:
    """far -- an event for a chord that does not fall, beyond all that is lost."""
    left, right = ends
    q = min((left.delta - right.delta) / (right.c - left.c), NEAR_ONE)
    if q <= 0:
        return Chord(Fraction(round(far * 2**40), 2**40), 0)
    z = -STANDARD.inv_cdf(q)
    mu = STANDARD.inv_cdf(min(left.delta + left.c * q, NEAR_ONE)) + z
    return Chord(Fraction(round(z * 2**40), 2**40), mu)


def _rough(x: Term) -> float:
    return float(enclosure(x, 64).high)


def _are_few(curve: Curve) -> bool:
    """Whether what is not normal has few losses, which are known."""
    if curve.laplace or curve.together or curve.keyed:
        return False
    known = all(part.delta == terms.ZERO for part in curve.parts)
    return known and math.prod(part.steps * part.count + 1 for part in curve.parts) <= MOST_LOSSES


def _losses(curve: Curve) -> list[Term] | None:
    """The losses of a curve from 0 on where they are few, else 0 and a number at which δ is 0."""
    if _are_few(curve):
        every = [range(-part.steps * part.count, part.steps * part.count + 1, 2) for part in curve.parts]
        sums = {
            terms.add(n * part.epsilon for n, part in zip(some, curve.parts, strict=True))
            for some in product(*every)
        }
        sizes = {one: _rough(one) for one in sums | {terms.ZERO}}
        return sorted((one for one, size in sizes.items() if size >= 0), key=sizes.__getitem__)
    end, nothing = Fraction(1, 2), partial(_is_nothing_lost, curve)
    while not nothing(end):
        end *= 2
        if end > FARTHEST:
            return None
    while end > NEAREST and nothing(end / 2):
        end /= 2
    return [terms.ZERO, terms.number(end)]


def _is_nothing_lost(curve: Curve, epsilon: Fraction) -> bool:
    """Whether δ is seen to be 0 at ε."""
    return curve.above(terms.number(epsilon), BITS[0]) == 0
