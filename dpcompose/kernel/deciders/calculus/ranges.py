"""Ranges: between which numbers an elementary function lies on a box, and where it surely has a value.

A box gives each parameter a `Domain`; for real parameters its interior is meant, so that what is never
below 0 is positive.  What is shown on the interior holds on the box where a function is continuous.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement

from dpcompose.kernel.deciders.calculus import elementary
from dpcompose.kernel.deciders.calculus.elementary import Box, Elementary, Letter, NotElementary, NoValue
from dpcompose.kernel.expressions import intervals
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.intervals import Interval
from dpcompose.kernel.expressions.keeping import frozen

End = Fraction | None
Key = tuple[tuple[str, Domain], ...]
LARGEST_EXPONENT = 2_000
"""Beyond this exponent e^x is only known to be at least e^LARGEST_EXPONENT, or to be positive."""
FEW_BITS = 40


@frozen
class Range:
    """The real numbers x with low ≤ x ≤ high; None where there is no such bound.

    >>> Range(Fraction(1), None) + Range(Fraction(-3), Fraction(2))
    Range(low=Fraction(-2, 1), high=None)
    """

    low: End
    high: End

    def __add__(self, other: Range) -> Range:
        return Range(
            None if self.low is None or other.low is None else self.low + other.low,
            None if self.high is None or other.high is None else self.high + other.high,
        )

    def __mul__(self, other: Range) -> Range:
        """All products; ends that are infinite are taken as limits, so that 0 times one is 0."""
        if self == _NUMBER_ZERO or other == _NUMBER_ZERO:
            return _NUMBER_ZERO
        ends: list[Fraction] = []
        below = above = False
        for x, x_sign in ((self.low, -1), (self.high, 1)):
            for y, y_sign in ((other.low, -1), (other.high, 1)):
                if x is not None and y is not None:
                    ends.append(x * y)
                    continue
                sign = _sign(x, x_sign) * _sign(y, y_sign)
                if sign == 0:
                    ends.append(Fraction(0))
                above, below = above or sign > 0, below or sign < 0
        return Range(None if below else min(ends, default=None), None if above else max(ends, default=None))

    def rounded(self, bits: int) -> Range:
        """The same with ends of about so many significant bits."""
        return Range(
            None if self.low is None else Interval.of(self.low).rounded(bits).low,
            None if self.high is None else Interval.of(self.high).rounded(bits).high,
        )


_NUMBER_ZERO = Range(Fraction(0), Fraction(0))


def _sign(x: End, infinite: int) -> int:
    return infinite if x is None else (x > 0) - (x < 0)


def of_number(x: Fraction) -> Range:
    """The number itself."""
    return Range(x, x)


def over(f: Elementary, box: Box, bits: int) -> Range:
    """Numbers between which f lies on the box, computed to about so many bits.

    >>> from dpcompose.kernel.expressions.domains import UNIT_INTERVAL
    >>> x = elementary.parameter("x")
    >>> over(elementary.exp(x) - x, {"x": UNIT_INTERVAL}, 40).low
    Fraction(0, 1)
    """
    return _over(f, box, bits, {})


def _over(f: Elementary, box: Box, bits: int, known: dict[Letter, Range]) -> Range:
    total = _NUMBER_ZERO
    for term, c in f.terms:
        product = of_number(c)
        for letter, r in term:
            if letter not in known:
                known[letter] = _letter(letter, box, bits, known)
            product = (product * _power(known[letter], r, bits)).rounded(bits + 8)
        total = (total + product).rounded(bits + 8)
    return total


def _letter(letter: Letter, box: Box, bits: int, known: dict[Letter, Range]) -> Range:
    kind, of = letter
    if kind in "xy":
        domain = box[of]
        return Range(domain.least, domain.greatest)
    if kind == "p":
        return of_number(Fraction(of))
    within = [_over(one, box, bits, known) for one in elementary.inside(letter)]
    if kind == "e":
        return exp(within[0], bits)
    if kind == "l":
        return log(within[0], bits)
    if kind == "s":
        return within[0]
    m = of[0]
    lows, highs = [one.low for one in within], [one.high for one in within]
    finite = sorted((low for low in lows if low is not None), reverse=True)
    least = [sum(finite[:m], Fraction(0))] if len(finite) >= m else []
    mean = _over(sum(elementary.inside(letter), Elementary()), box, bits, known).low
    least += [] if mean is None else [mean * m / len(within)]  # the m largest are at least m times the mean
    return Range(
        max(least, default=None),
        None
        if None in highs
        else sum(sorted((x for x in highs if x is not None), reverse=True)[:m], Fraction(0)),
    )


def _power(x: Range, r: Fraction, bits: int) -> Range:
    """x^r, taken where it has a value."""
    if r == 1:
        return x
    if r.denominator == 1 and r > 0 and int(r) % 2 and (x.low is None or x.low < 0):
        if max((_size(end) for end in (x.low, x.high) if end is not None), default=0) * r > MOST_BITS:
            return Range(None, None)
        ends = [None if end is None else end ** int(r) for end in (x.low, x.high)]
        return Range(ends[0], ends[1])
    if r.denominator == 1 and (x.low is None or x.low < 0):
        if r > 0:
            magnitude = None if x.low is None or x.high is None else max(abs(x.low), abs(x.high))
            nearest = x.high if x.high is not None and x.high < 0 else Fraction(0)
            return _power(Range(abs(nearest), magnitude), r, bits)
        if x.high is None or x.high >= 0:
            return Range(None, None) if int(r) % 2 else Range(Fraction(0), None)
        flipped = _power(Range(-x.high, None if x.low is None else -x.low), r, bits)
        return flipped if int(r) % 2 == 0 else of_number(Fraction(-1)) * flipped
    low = max(Fraction(0), x.low or Fraction(0))
    high = x.high if x.high is None else max(low, x.high)
    small, large = power_at(low, r, bits), power_at(high, r, bits)
    return Range(small.low, large.high) if r > 0 else Range(large.low, small.high)


def power_at(x: End, r: Fraction, bits: int) -> Range:
    """x^r at one end, 0 or oo as a limit."""
    if x is None or x == 0:
        return _NUMBER_ZERO if (x is None) == (r < 0) else Range(None, None)
    if r.denominator == 1 and _size(x) * abs(r) <= MOST_BITS:
        return of_number(x ** int(r)).rounded(bits)
    root = exp(log(of_number(x), bits + 16) * of_number(r), bits)
    exact = _root(x, r)
    return of_number(exact) if exact is not None else root


MOST_BITS = 100_000
"""How many binary digits a power may have that is multiplied out; larger ones are of e."""


def _size(x: Fraction) -> int:
    return x.numerator.bit_length() + x.denominator.bit_length()


def _root(x: Fraction, r: Fraction) -> Fraction | None:
    """x^r where it is a rational square root to a small power."""
    from math import isqrt

    if r.denominator != 2 or abs(r) > elementary.MOST_POWER:
        return None
    p, q = isqrt(x.numerator), isqrt(x.denominator)
    return Fraction(p, q) ** r.numerator if p * p == x.numerator and q * q == x.denominator else None


def exp(x: Range, bits: int) -> Range:
    """The powers of e with these exponents."""
    low = Fraction(0)
    if x.low is not None and x.low >= -LARGEST_EXPONENT:
        low = intervals.exp(Interval.of(min(x.low, Fraction(LARGEST_EXPONENT))), bits).low
    high = None
    if x.high is not None and x.high <= LARGEST_EXPONENT:
        high = intervals.exp(Interval.of(max(x.high, Fraction(-LARGEST_EXPONENT))), bits).high
    return Range(low, high)


def log(x: Range, bits: int) -> Range:
    """The logarithms, where there are some."""
    low = None if x.low is None or x.low <= 0 else intervals.log(Interval.of(x.low), bits).low
    high = None if x.high is None or x.high <= 0 else intervals.log(Interval.of(x.high), bits).high
    return Range(low, high)


def key(box: Box, names: frozenset[str]) -> Key:
    """The part of a box that a function is about."""
    return tuple((name, box[name]) for name in sorted(names))


def nonnegative_by_signs(f: Elementary, box: Box) -> bool:
    """Whether each term is ≥ 0 by the signs of its letters, parameters written as least + (something ≥ 0)."""
    f, box = shifted(f, box)
    return all(c > 0 and all(_is_signed(letter, r, box) for letter, r in term) for term, c in f.terms)


def _is_signed(letter: Letter, r: Fraction, box: Box) -> bool:
    kind, of = letter
    if (r.denominator == 1 and r.numerator % 2 == 0) or kind in "xpe":
        return True
    if kind == "s":
        return r.denominator != 1 or surely(Elementary(of), box)
    if kind == "l":
        return surely(Elementary(of) - elementary.constant(1), box)
    if kind != "m":
        return False
    enough = sum(nonnegative_by_signs(one, box) for one in elementary.inside(letter)) >= of[0]
    return enough or _by_two_members(elementary.of_letter(letter), box, strictly=False)


def shifted(f: Elementary, box: Box) -> tuple[Elementary, Box]:
    """f and the box with x' = x − least in place of each parameter x with a least value other than 0."""
    moved = dict(box)
    for name in f.names:
        domain = box[name]
        if domain.least:
            there = elementary.parameter(name) + elementary.constant(domain.least)
            f = elementary.substituted(f, name, there)
            most = None if domain.greatest is None else domain.greatest - domain.least
            moved[name] = Domain(Fraction(0), domain.open_least, most, domain.open_greatest, domain.integer)
    return f, moved


MOST_MEMBERS = 20
"""Up to how many choices of members of maxima are added up in pairs."""
MOST_STEPS = 3
"""How many derivatives are taken to see that a function is positive."""


def surely(f: Elementary, box: Box, strictly: bool = True) -> bool:
    """Whether f > 0 (or f ≥ 0: strictly = False) is seen on the interior of the box; False where it is not.

    By signs, by its range, and where it rises or falls from an end at which it is ≥ 0.

    >>> from dpcompose.kernel.expressions.domains import POSITIVE
    >>> surely(elementary.exp(elementary.parameter("x")) - elementary.constant(1), {"x": POSITIVE})
    True
    """
    return _surely(f, key(box, f.names), strictly, MOST_STEPS)


def surely_everywhere(f: Elementary, box: Box, strictly: bool = True) -> bool:
    """The same on all of the box, with the ends that belong to it.

    >>> from dpcompose.kernel.expressions.domains import NONNEGATIVE
    >>> x = elementary.parameter("x")
    >>> surely_everywhere(elementary.exp(x) - elementary.constant(1), {"x": NONNEGATIVE})
    False
    """
    if undefined(f, box) is not None or not surely(f, box, strictly):
        return False
    for name, end in ends(f, box):
        domain = box[name]
        is_open = domain.open_least if end == "least" else domain.open_greatest
        if not is_open and not domain.integer:
            try:
                there = at_end(f, name, end, box)
            except NotElementary:
                return False
            if not surely_everywhere(there, {other: box[other] for other in there.names}, strictly):
                return False
    return True


@lru_cache(maxsize=8192)
def _surely(f: Elementary, box_key: Key, strictly: bool, steps: int) -> bool:
    box = dict(box_key)
    if not f.terms:
        return not strictly
    try:
        if _by_signs(f, box) or _by_two_members(f, box, strictly):
            return True
        low = over(f, box, FEW_BITS if f.names else 4 * FEW_BITS).low
        if low is not None and (low > 0 or (low == 0 and not strictly)):
            return True
        return steps > 0 and any(_rises(f, name, end, box, steps - 1, strictly) for name, end in ends(f, box))
    except NotElementary:
        return False


def _by_signs(f: Elementary, box: Box) -> bool:
    """f > 0: no negative term, and one of which no letter is ever 0."""
    if not nonnegative_by_signs(f, box):
        return False
    f, box = shifted(f, box)
    return any(all(_never_zero(letter, box) for letter, _ in term) for term, _ in f.terms)


def _never_zero(letter: Letter, box: Box) -> bool:
    kind, of = letter
    if kind == "x":
        return not box[of].integer or (box[of].least or 0) > 0
    if kind == "l":
        return surely(Elementary(of) - elementary.constant(1), box)
    if kind == "m":
        return _by_two_members(elementary.of_letter(letter), box, strictly=True)
    return kind in "pe" or (kind == "s" and surely(Elementary(of), box))


def _by_two_members(f: Elementary, box: Box, strictly: bool) -> bool:
    """Whether maxima in f, and so f, are at least the mean of two choices of their members which by signs is
    > 0 (or ≥ 0): max(|l|, |u|) and |l| + |u| are at least (u − l)/2."""
    signs = _by_signs if strictly else nonnegative_by_signs
    waiting, elementaries = [f], []
    try:
        while waiting:
            g = waiting.pop()
            worst = next((letter for letter in g.letters if letter[0] == "m"), None)
            if worst is None:
                elementaries.append(g)
            elif worst[1][0] == 1 and nonnegative_by_signs(factor_of(g, worst), box):
                waiting += [elementary.replaced(g, worst, one) for one in elementary.inside(worst)]
            if len(elementaries) + len(waiting) > MOST_MEMBERS:
                return False
    except NotElementary:
        return False
    return elementaries != [f] and any(
        signs(one + other, box) for one, other in combinations_with_replacement(elementaries, 2)
    )


def factor_of(f: Elementary, letter: Letter) -> Elementary:
    """What a letter is multiplied by.  Raises NotElementary where it stands in a power or inside of another.

    >>> x, y = elementary.parameter("x"), elementary.parameter("y")
    >>> factor_of(x * y + x + y, x.letters[0]) == y + elementary.constant(1)
    True
    """
    factor = []
    for term, c in f.terms:
        powers = dict(term)
        if powers.pop(letter, Fraction(0)) not in (0, 1):
            raise NotElementary("the worst case stands in a power")
        if any(letter in elementary.every_letter(elementary.of_letter(power)) for power in powers):
            raise NotElementary("the worst case stands inside of a function")
        if len(powers) < len(term):
            factor.append((tuple(powers.items()), c))
    return elementary.elementary(factor)


def ends(f: Elementary, box: Box) -> list[tuple[str, str]]:
    """The finite ends of the parameters of f."""
    return [
        (name, end)
        for name in sorted(f.names)
        for end in ("least", "greatest")
        if getattr(box[name], end) is not None
    ]


def _rises(f: Elementary, name: str, end: str, box: Box, steps: int, strictly: bool) -> bool:
    """f ≥ 0 at one end, and further on it only grows."""
    smooth = as_real(box, name)
    if undefined(f, smooth) is not None:
        return False
    rest = {other: domain for other, domain in box.items() if other != name}
    try:
        there = at_end(f, name, end, smooth)
    except NotElementary:
        return False
    slope = elementary.derivative(f, name)
    slope = slope if end == "least" else slope.scaled(Fraction(-1))
    shared = elementary.content(slope)[0].terms[0][0] if slope.terms else ()
    positive = tuple((letter, r) for letter, r in shared if _never_zero(letter, smooth))  # n may be 0
    slope = elementary.divided_by_term(slope, positive)
    strict_slope = strictly and not box[name].integer
    return _surely(slope, key(smooth, slope.names), strict_slope, steps) and _surely(
        there, key(rest, there.names), strictly and not strict_slope, steps
    )


def as_real(box: Box, name: str) -> dict[str, Domain]:
    """The box with all numbers between the ends of one parameter."""
    domain = box[name]
    return {**box, name: Domain(domain.least, True, domain.greatest, True)}


def at_end(f: Elementary, name: str, end: str, box: Box) -> Elementary:
    """The limit of f, which has a value on the box, as a real parameter goes to one of its finite ends.

    Raises NoValue where a letter has none that is continuous there.
    """
    value = box[name].least if end == "least" else box[name].greatest
    if value is None:
        raise NoValue(f"{name} has no {end} value")
    number = elementary.constant(value)
    rest = {other: domain for other, domain in box.items() if other != name}
    for letter, r in {pair for term, _ in f.terms for pair in term}:
        if name in elementary.of_letter(letter).names:
            there = elementary.substituted(elementary.of_letter(letter, r), name, number)
            for one in (there, *(elementary.substituted(x, name, number) for x in elementary.inside(letter))):
                if (problem := undefined(one, rest)) is not None:
                    raise NoValue(problem)
    return elementary.substituted(f, name, number)


def undefined(f: Elementary, box: Box) -> str | None:
    """Why f may have no value, or no derivative, somewhere inside of the box; None where it surely has both.

    >>> from dpcompose.kernel.expressions.domains import POSITIVE
    >>> undefined(elementary.log(elementary.parameter("x") - elementary.constant(1)), {"x": POSITIVE})
    'a logarithm is not known to have a value'
    """
    return _undefined(f, key(box, f.names))


@lru_cache(maxsize=8192)
def _undefined(f: Elementary, box_key: Key) -> str | None:
    box = dict(box_key)
    for letter, r in {pair for term, _ in f.terms for pair in term}:
        kind, of = letter
        for one in elementary.inside(letter):
            if (problem := undefined(one, box)) is not None:
                return problem
        if kind == "x" and (box[of].least is None or (box[of].least or Fraction(0)) < 0):
            return f"{of} may be negative"
        natural = r.denominator == 1 and r > 0
        if kind == "x" and r < 0 and box[of].integer and not box[of].least:
            return f"{of} may be 0"
        if kind == "m" and not natural and not surely(elementary.of_letter(letter), box):
            return "a divisor is not known to be above 0"
        if kind == "y" and not natural:
            return "a divisor is not known to differ from 0"
        if kind == "l" and not surely(Elementary(of), box):
            return "a logarithm is not known to have a value"
        if kind == "l" and not natural:
            above = Elementary(of) - elementary.constant(1)
            if r.denominator != 1 or not (surely(above, box) or surely(above.scaled(Fraction(-1)), box)):
                return "a logarithm is not known to differ from 0"
        if kind == "s" and not surely(Elementary(of), box):
            negative = Elementary(of).scaled(Fraction(-1))
            if r.denominator != 1 or not surely(negative, box):
                return "a root or quotient is not known to have a value"
    return None
