"""What a page of kind computed says of claims with numbers: (ε, δ) for mechanisms at given distances.

The page's formulas make of each mechanism one piece of a curve: {epsilon, delta} of a guarantee in whole
steps, {square} or {rho} of what is Gaussian or zCDP, {ratio} of Laplace noise, {range} of what has all losses
in an interval of that length, {square, keys, apart} of counts by keys with normal noise and a threshold.
A claim is proved by the curves from above and refuted by one of them from below.  Between the two numbers
nothing is decided: they differ by rounding, by the width of a lattice where there is Laplace noise or losses
are very many, and for what is zCDP by more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from dpcompose.kernel.deciders.curves.curves import Curve, Part, Piece
from dpcompose.kernel.deciders.curves.equalities import is_least
from dpcompose.kernel.deciders.curves.keys import Keyed
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal, Tail
from dpcompose.kernel.deciders.curves.tradeoffs import Together
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.intervals import Interval, enclosure, sign
from dpcompose.kernel.expressions.terms import Term

MOST_BITS = 4_096
"""The most binary digits with which a curve is enclosed."""
SMALLER = Fraction(1, 10**6)
"""How much smaller an ε is that is tried where a claimed δ is just the least at its own."""
KEYS = ({"epsilon", "delta"}, {"square"}, {"rho"}, {"square", "rho"}, {"ratio"}, {"range"})
OF_KEYS = {"square", "keys", "apart"}
"""What a page may ask of a mechanism."""


class NoPiece(ValueError):
    """The formulas, at these values, are nothing that a curve is made of; the message says why."""


def piece(asked: Mapping[str, str], values: Mapping[str, Term], r: Term) -> Piece | None:
    """One mechanism whose inputs, or one entry of whose query's value, are r apart; None: all may be lost.

    asked -- the page's formulas; values -- constants for their letters: the parameters of a guarantee, or
    the letter of a noise.

    >>> piece({"square": "(mu*r)**2"}, {"mu": terms.number(3)}, terms.number(2))
    Normal(square=36, rho=0)
    >>> piece({"epsilon": "epsilon", "delta": "0"}, {"epsilon": terms.ONE}, terms.INFINITY) is None
    True
    """
    if set(asked) not in (*KEYS, OF_KEYS):
        raise NoPiece(f"no curve is made of {', '.join(sorted(asked))}")
    if terms.INFINITY in (r, *values.values()):
        return None
    parameters = {
        key: _constant(key, formulas.parse(text, {**values, "r": r})) for key, text in asked.items()
    }
    if terms.INFINITY in parameters.values():
        return None
    if set(asked) == OF_KEYS:
        return _of_keys(parameters, r)
    if "ratio" in parameters:
        return Laplace(parameters["ratio"])
    if "range" in parameters:
        return Laplace(parameters["range"], middle=True)
    if "epsilon" not in parameters:
        return Normal(parameters.get("square", terms.ZERO), parameters.get("rho", terms.ZERO))
    steps = r.number
    if steps is None or steps.denominator != 1 or steps < 1:
        raise NoPiece(f"inputs that are {formulas.to_text(r)} apart are no whole number of steps apart")
    return Part(parameters["epsilon"], parameters["delta"], int(steps))


def _of_keys(parameters: Mapping[str, Term], r: Term) -> Keyed:
    """Counts by keys of one person who comes or goes."""
    keys = parameters["keys"].number
    if r != terms.ONE or keys is None or keys.denominator != 1:
        raise NoPiece("what several persons have in common, of keys that nobody else has, is not known")
    return Keyed(parameters["square"], int(keys), parameters["apart"])


def turned(piece: Piece | None, n: int) -> Piece | None:
    """The same of the n-th entry of a query's value: of keys the first person is one of D, the second of E.

    >>> turned(Keyed(terms.ONE, 2, terms.ZERO), 1).back
    True
    """
    return piece.turned if n and isinstance(piece, Keyed) else piece


def at_once(pieces: Iterable[Piece | None]) -> Piece | None:
    """One mechanism of which several pieces are known; None: all may be lost.

    >>> pure = Part(terms.ONE, terms.ZERO)
    >>> at_once([pure, None]) == pure
    True
    """
    every = [known for known in pieces if known is not None]
    if len(every) < 2:
        return every[0] if every else None
    parts = [known for known in every if isinstance(known, Part)]
    noisy = [tail for known in every if (tail := _tail(known)) is not None]
    alike = len({(part.steps, part.count) for part in parts}) == 1
    if len(parts) + len(noisy) < len(every) or not alike or len(noisy) > 1 or (noisy and parts[0].steps > 1):
        raise NoPiece(
            "only (epsilon, delta) guarantees for the same neighbours, and at one step one like normal or "
            "Laplace noise, are known together"
        )
    pairs = dict.fromkeys((part.epsilon, part.delta) for part in parts)
    return Together(tuple(pairs), parts[0].steps, parts[0].count, tail=noisy[0] if noisy else None)


def _tail(found: Piece | None) -> Tail | None:
    """What is known by the trade-off function of a noise alone, and is one mechanism."""
    if isinstance(found, Normal):
        return found if found.rho == terms.ZERO and found.square != terms.ZERO else None
    alone = isinstance(found, Laplace) and not found.middle and found.count == 1
    return found if isinstance(found, Laplace) and alone and found.ratio != terms.ZERO else None


def on_samples(found: Piece | None, rate: Term | None, r: Term, own: tuple[int, int] | None) -> Piece | None:
    """The same of a mechanism that is run on samples with a rate, whose inputs are r apart; what is no (ε, δ)
    gains nothing, but for one step of what is like noise.  Where nothing is promised it is (0, 1)-DP, as the
    sample may have no difference.

    own -- as of `Together`.
    """
    tail = _tail(found) if r == terms.ONE else None
    if rate is None or r.kind == "oo" or not (tail or isinstance(found, Part | Together | None)):
        return found
    if tail is not None:
        known = Together((), tail=tail)
    elif isinstance(found, Together):
        known = found
    elif isinstance(found, Part):
        known = Together(((found.epsilon, found.delta),), found.steps, found.count)
    else:
        known = Together(((terms.ZERO, terms.ONE),), int(r.number or 1))
    return replace(known, rate=_constant("rate", rate), own=own)


def _constant(key: str, value: Term) -> Term:
    if value.letters:
        raise NoPiece(f"{key} = {formulas.to_text(value)} is no number")
    if value.kind != "oo" and not value.nonnegative and sign(value) not in (0, 1):
        raise NoPiece(f"{key} = {formulas.to_text(value)} is not seen to be at least 0")
    return value


def curve(pieces: Iterable[Piece | None], adaptive: bool = False) -> Curve | None:
    """The curve of mechanisms; None where δ is 1 for every ε', as all is lost."""
    known = list(pieces)
    return None if None in known else Curve.of([piece for piece in known if piece is not None], adaptive)


def above(curves: Iterable[Curve | None], epsilon: Term, bits: int) -> Fraction:
    """The largest δ of some curves at ε, from above: a claim with at least it is proved."""
    return max(
        Fraction(1) if curve is None else curve.above(epsilon, bits) for curve in _distinct(curves, bits)
    )


def below(curves: Iterable[Curve | None], epsilon: Term, bits: int) -> Fraction:
    """The same from below: a claim with less is refuted where the distances of the curve are attained."""
    return max(
        Fraction(1) if curve is None else curve.below(epsilon, bits) for curve in _distinct(curves, bits)
    )


def between(curve: Curve | None, epsilon: Term, bits: int) -> Interval:
    """Between which numbers the δ of a curve lies at ε."""
    return Interval(below([curve], epsilon, bits), above([curve], epsilon, bits))


def _distinct(curves: Iterable[Curve | None], bits: int) -> list[Curve | None]:
    """Raises ValueError for no curves, or too many digits."""
    check_bits(bits)
    if not (distinct := list(dict.fromkeys(curves))):
        raise ValueError("there are no curves")
    return distinct


def check_bits(bits: int) -> None:
    """Raises ValueError for too many binary digits."""
    if not 1 <= bits <= MOST_BITS:
        raise ValueError(f"a curve is enclosed with up to {MOST_BITS} binary digits, not {bits}")


def is_proved(curves: Iterable[Curve | None], epsilon: Term, delta: Term, bits: int) -> bool:
    """Whether no mechanisms with these guarantees exceed δ at ε.  Raises TooManyLosses and NoEnclosure."""
    if terms.INFINITY in (epsilon, delta):
        return True
    distinct, low = _distinct(curves, bits), enclosure(delta, bits).low
    return all(above([curve], epsilon, bits) <= low or _is_least(curve, epsilon, delta) for curve in distinct)


def _is_least(curve: Curve | None, epsilon: Term, delta: Term) -> bool:
    return curve is not None and is_least(curve, epsilon, delta)


def is_refuted(curves: Iterable[Curve | None], epsilon: Term, delta: Term, bits: int) -> bool:
    """Whether some mechanisms with these guarantees exceed δ at ε, if these distances are attained."""
    if terms.INFINITY in (epsilon, delta):
        return False
    return below(curves, epsilon, bits) > enclosure(delta, bits).high


def is_loose(curves: Iterable[Curve | None], epsilon: Term, delta: Term, bits: int) -> bool | None:
    """Of a claim that is proved: True where a smaller δ, or a smaller ε ≥ 0, is proved as well.

    False where the curve equals δ and falls there: then no smaller one holds for all mechanisms with these
    guarantees; None where neither is known.
    """
    if terms.INFINITY in (epsilon, delta):
        return None
    every, value = list(curves), enclosure(delta, bits)
    worst = Interval(below(every, epsilon, bits), above(every, epsilon, bits))
    if worst.high < value.low:
        return True
    if worst.low != value.high and not any(_is_least(curve, epsilon, delta) for curve in every):
        return None
    less = epsilon - SMALLER
    if sign(less) in (0, 1) and above(every, less, bits) <= value.low:
        return True
    # δ is convex in e^ε': where it still falls beyond ε, it is larger everywhere before
    falls = sign(epsilon) == 0 or above(every, epsilon + 1, bits) < value.low
    return False if falls else None
