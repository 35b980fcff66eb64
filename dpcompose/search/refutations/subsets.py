"""What some of the mechanisms refute, the whole composition does not satisfy (GB Prop. VII.2).

It matters where what others lose is not known, or where all together are too many to be computed closely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.proof.counterexamples.counterexamples import NotAbove
from dpcompose.proof.counterexamples.losing import Unknown
from dpcompose.proof.counterexamples.refuting import Counterexample

Making = Callable[[Sequence[str]], Counterexample]
"""Makes a counterexample without the mechanisms of some names; raises BadCertificate where it is none."""

MOST_KINDS = 12
"""Of how many kinds of mechanisms some are looked at by themselves."""


@frozen
class Missed:
    """No counterexample: the reason, and the largest δ that some mechanisms are seen to have at the pair."""

    reason: str
    least: Fraction | None = None


def of_known(make: Making, without: tuple[str, ...] = ()) -> Counterexample:
    """The counterexample of all mechanisms of which it is known what they lose, but for some.

    Raises BadCertificate where it is none.
    """
    try:
        return make(without)
    except Unknown as error:
        unknown = error
    try:
        return make((*without, *unknown.names))
    except NotAbove as error:
        raise NotAbove(error.least, Fraction(1), str(unknown)) from None
    except BadCertificate:
        raise unknown from None


def of_some(make: Making, kinds: Sequence[Sequence[str]]) -> Counterexample | Missed:
    """The counterexample of all mechanisms that are known, or of some kinds of them, those with the largest δ
    first; kinds -- the names of mechanisms that are alike."""
    best: Fraction | None = None
    try:
        return of_known(make)
    except NotAbove as error:
        best, missed = error.least, Missed(str(error), error.least)
        if error.most - error.least <= CLOSE * error.most or len(kinds) < 2:
            return missed
    except Unknown as error:
        return Missed(str(error))
    except BadCertificate as error:
        missed = Missed(str(error))
    if not 2 <= len(kinds) <= MOST_KINDS:
        return missed
    for found in _growing(make, kinds):
        if isinstance(found, Counterexample):
            return found
        best = found if best is None else max(best, found)
    return Missed(missed.reason, best)


CLOSE = Fraction(1, 10**4)
"""How close to each other, for their size, both ends of a δ are where fewer mechanisms say nothing more."""


def _growing(make: Making, kinds: Sequence[Sequence[str]]) -> Iterator[Counterexample | Fraction]:
    """What each kind has by itself, and then the best with more of them where the δ that is seen grows."""
    alone = []
    for n in range(len(kinds)):
        found = _of_kinds(make, kinds, [n])
        yield found
        if isinstance(found, Fraction):
            alone.append((found, n))
    alone.sort(key=lambda one: (-one[0], one[1]))
    best, chosen = alone[0][0], [alone[0][1]]
    for _, n in alone[1:]:
        found = _of_kinds(make, kinds, [*chosen, n])
        yield found
        if isinstance(found, Fraction) and found > best:
            best, chosen = found, [*chosen, n]


def _of_kinds(
    make: Making, kinds: Sequence[Sequence[str]], chosen: Sequence[int]
) -> Counterexample | Fraction:
    without = tuple(name for n, names in enumerate(kinds) if n not in chosen for name in names)
    try:
        return of_known(make, without)
    except NotAbove as error:
        return error.least
    except BadCertificate:
        return Fraction(0)
