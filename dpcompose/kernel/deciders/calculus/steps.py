"""Steps of calculus: each reduces "f ≥ 0 on a box" to what is left to be shown.

Real letters range over the interior of the box: both sides of a comparison are continuous where they have
values, so what holds there holds on all of it.

| step | reduces f ≥ 0 to |
|---|---|
| signs | nothing: each term is ≥ 0 by the signs of its factors |
| range bits | nothing: f lies on the box between numbers ≥ 0 |
| divided t | f/t ≥ 0 for a product t > 0; −f/t ≥ 0 where t < 0 |
| slope x end | f ≥ 0 at that end of x, and f grows away from it: its derivative by x has the sign for it |
| split x c | f ≥ 0 for x below c, and above |
| apart [c, …] | P + c ≥ 0 for each sum P in f that shares no letter with others; the rest of f ≥ Σ c |
| collect [x, …] | c ≥ 0 for what stands before each product of powers of x, … ≥ 0, and has none of them |
| order x y c | f ≥ 0 for x = c·y + x', and for y = x/c + y', with x', y' > 0 |
| square l r | A ≥ 0, C ≥ 0 and 4AC − B² ≥ 0, where f = A·l^(2r) + B·l^r + C for a factor l |
| less c g | f − c·g² ≥ 0, where c > 0 |
| factors c [[g, n, sign], …] | sign·g ≥ 0 for the factors of odd power of f = c·Π gⁿ |
| roots | nothing: a polynomial in one factor that is positive, and without roots that change its sign |
| powers n | Pⁿ − Qⁿ ≥ 0, where f = P − Q and all terms of P and Q are ≥ 0 by their signs |
| exp | e^f − 1 ≥ 0 |
| change x how | the same in another letter x', of which x is a growing or falling function |
| real x | the same for all numbers between the ends of a whole number x |
| number x | the same where x is the only whole number that is allowed |
| each l | f ≥ 0 with the worst case l replaced by each of the sums of what it compares |
| largest l g | f ≥ 0 with the maximum l replaced by g, which is the largest on the box |
| chosen l [g, …] | the same with only some, where the worst case counts positively |
| tangent l r p | A ≥ 0 (of log ≤ 0), and A·b + B ≥ 0: f = A·l^r + B, b the tangent at p of l^r |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce as folded
from itertools import combinations
from math import comb
from operator import mul

from dpcompose.kernel.deciders.calculus import elementary, ranges, roots
from dpcompose.kernel.deciders.calculus.elementary import Box, Elementary, Letter, Term
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import Domain

Goal = tuple[Elementary, Box]
"""f ≥ 0 on a box."""
MOST_BITS = 512
MOST_CHOICES = 200
MOST_DEGREE = 24
MOST_COEFFICIENT_BITS = 256
"""What polynomials have their roots counted: with more digits that may take long."""


def _domain(box: Box, name: str) -> Domain:
    if name not in box:
        raise BadCertificate(f"{name} is no letter here")
    return box[name]


def _signs(f: Elementary, box: Box) -> list[Goal]:
    if not ranges.nonnegative_by_signs(f, box):
        raise BadCertificate("a term is not seen to be >= 0")
    return []


def _range(f: Elementary, box: Box, bits: Fraction) -> list[Goal]:
    if bits.denominator != 1 or not 0 < bits <= MOST_BITS:
        raise BadCertificate("the number of bits is not allowed")
    low = ranges.over(f, box, int(bits)).low
    if low is None or low < 0:
        raise BadCertificate("it may be negative")
    return []


def _divided(f: Elementary, box: Box, by: Elementary) -> list[Goal]:
    if len(by.terms) != 1:
        raise BadCertificate("this is no product")
    _has_values(by, box)
    (term, c), sign = by.terms[0], Fraction(1)
    for letter, r in term:
        number = positive_sign(letter, r, box)
        if number is None:
            raise BadCertificate("the sign of a factor is not seen")
        sign *= number
    return [(elementary.divided_by_term(f, term).scaled(sign / abs(c)), box)]


def positive_sign(letter: Letter, r: Fraction, box: Box) -> int | None:
    """The sign of a letter to a power, 1 or −1, that is never 0 on the box; None where it is not seen."""
    kind, of = letter
    if kind in "pe":
        return 1
    if kind == "x":
        return 1 if not box[of].integer or (box[of].least or 0) > 0 else None
    if kind == "m":
        return 1 if ranges.surely(elementary.of_letter(letter), box) else None
    if kind == "s":
        if ranges.surely(Elementary(of), box):
            return 1
        if r.denominator == 1 and ranges.surely(Elementary(of).scaled(Fraction(-1)), box):
            return -1 if r.numerator % 2 else 1
    return None


def _slope(f: Elementary, box: Box, name: str, end: str) -> list[Goal]:
    if end not in ("least", "greatest"):
        raise BadCertificate("there is no such end")
    _domain(box, name)
    smooth = ranges.as_real(box, name)
    _has_values(f, smooth)
    there = ranges.at_end(f, name, end, smooth)
    slope = elementary.derivative(f, name).scaled(Fraction(1 if end == "least" else -1))
    return [(there, {other: domain for other, domain in box.items() if other != name}), (slope, smooth)]


def _has_values(f: Elementary, box: Box) -> None:
    if (problem := ranges.undefined(f, box)) is not None:
        raise BadCertificate(problem)


def _split(f: Elementary, box: Box, name: str, c: Fraction) -> list[Goal]:
    domain = _domain(box, name)
    if domain.integer:
        c = Fraction(c.numerator // c.denominator)
    least_fits = domain.least is None or domain.least < c or (domain.integer and domain.least == c)
    if not least_fits or not (domain.greatest is None or c < domain.greatest):
        raise BadCertificate(f"{c} is no inner value of {name}")
    if domain.integer:
        below = Domain(domain.least, greatest=c, integer=True)
        above = Domain(c + 1, greatest=domain.greatest, integer=True)
    else:
        below = Domain(domain.least, True, c, True)
        above = Domain(c, True, domain.greatest, True)
        _has_values(f, box)  # and so f is continuous at c
    return [(_on(f, name, part), {**box, name: part}) for part in (below, above)]


def _on(f: Elementary, name: str, part: Domain) -> Elementary:
    """f where its parameter has other values: it may be known now that it is never below 0."""
    return elementary.substituted(f, name, elementary.parameter(name, part.nonnegative))


def _apart(f: Elementary, box: Box, shares: tuple[Fraction, ...]) -> list[Goal]:
    parts, rest = parts_of(f)
    if len(parts) < 2 or len(shares) != len(parts):
        raise BadCertificate("there are not so many parts")
    numbers = [elementary.constant(share) for share in shares]
    goals = [
        (part + c, {name: box[name] for name in part.names}) for part, c in zip(parts, numbers, strict=True)
    ]
    for c in numbers:
        rest = rest - c
    return [*goals, *([(rest, {})] if rest.terms else [])]


def parts_of(f: Elementary) -> tuple[list[Elementary], Elementary]:
    """Sums of terms of f that share no letter with one another, by their first ones; and its number.

    >>> x, y = elementary.parameter("x"), elementary.parameter("y")
    >>> parts, rest = parts_of(x * x - x + y + elementary.constant(1))
    >>> parts == [x * x - x, y], rest == elementary.constant(1)
    (True, True)
    """
    groups: list[set[str]] = []
    for term, c in f.terms:
        names = set(Elementary(((term, c),)).names)
        joined = names.union(*(group for group in groups if group & names))
        groups = [joined, *(group for group in groups if not group & names)]
    of = [group for group in sorted(groups, key=sorted) if group]
    parts = [Elementary(tuple(one for one in f.terms if Elementary((one,)).names & group)) for group in of]
    return parts, Elementary(tuple(one for one in f.terms if not Elementary((one,)).names))


def _collect(f: Elementary, box: Box, names: tuple[str, ...]) -> list[Goal]:
    if not all(_domain(box, name).nonnegative for name in names):
        raise BadCertificate("a parameter may be negative")
    factors: dict[Term, Elementary] = {}
    for term, c in f.terms:
        product = tuple(pair for pair in term if pair[0][0] == "x" and pair[0][1] in names)
        rest = Elementary(((tuple(pair for pair in term if pair not in product), c),))
        factors[product] = factors.get(product, Elementary()) + rest
    if any(factor.names & set(names) for factor in factors.values()):
        raise BadCertificate("a parameter stands in other terms, too")
    return [(factor, {name: box[name] for name in factor.names}) for factor in factors.values()]


def _order(f: Elementary, box: Box, x: str, y: str, c: Fraction) -> list[Goal]:
    if (
        x == y
        or c <= 0
        or _domain(box, x).integer
        or _domain(box, y).integer
        or not box[x].nonnegative
        or not box[y].nonnegative
    ):
        raise BadCertificate("these are no two real parameters that are never below 0")
    goals: list[Goal] = []
    for more, less, times in ((x, y, c), (y, x, 1 / c)):
        there = elementary.parameter(less).scaled(times) + elementary.parameter(more)
        above, least = box[more].greatest, box[less].least
        most = None if above is None or least is None else above - times * least
        goals.append(
            (elementary.substituted(f, more, there), {**box, more: Domain(Fraction(0), True, most, True)})
        )
    _has_values(f, box)  # and so f is continuous where x = c·y
    return goals


def _square(f: Elementary, box: Box, letter: Letter, r: Fraction) -> list[Goal]:
    if r == 0 or (r.denominator != 1 and letter[0] in "yml"):
        raise BadCertificate("this is no power of a letter")
    if r.denominator != 1 and letter[0] == "s" and not ranges.surely(Elementary(letter[1]), box, False):
        raise BadCertificate("a root of a letter that may be negative")
    parts: dict[Fraction, Elementary] = {}
    for term, factor in f.terms:
        power = dict(term).get(letter, Fraction(0))
        rest = Elementary(((tuple(pair for pair in term if pair[0] != letter), factor),))
        parts[power] = parts.get(power, Elementary()) + rest
    if not set(parts) <= {2 * r, r, Fraction(0)}:
        raise BadCertificate("it has other powers of the letter")
    a, b, c = (parts.get(power, Elementary()) for power in (2 * r, r, Fraction(0)))
    return [(a, box), (c, box), ((a * c).scaled(Fraction(4)) - b * b, box)]


def _less(f: Elementary, box: Box, c: Fraction, g: Elementary) -> list[Goal]:
    if c <= 0:
        raise BadCertificate("a square is taken away a positive number of times")
    _has_values(g, box)
    return [(f - (g * g).scaled(c), box)]


def _factors(
    f: Elementary, box: Box, c: Fraction, factors: tuple[tuple[Elementary, int, str], ...]
) -> list[Goal]:
    if not all(sign in ("+", "-") and 0 < n <= MOST_DEGREE for _, n, sign in factors):
        raise BadCertificate("the factors cannot be read")
    for one, _, _ in factors:
        _has_values(one, box)
    minus = sum(sign == "-" for _, n, sign in factors if n % 2)
    if (c < 0) != (minus % 2 == 1):
        raise BadCertificate("the signs of the factors have another product")
    if (
        folded(mul, (elementary.power(one, Fraction(n)) for one, n, _ in factors), elementary.constant(c))
        != f
    ):
        raise BadCertificate("these are not its factors")
    return [(one.scaled(Fraction(-1 if sign == "-" else 1)), box) for one, n, sign in factors if n % 2]


def _roots(f: Elementary, box: Box) -> list[Goal]:
    letters = f.letters
    powers = {dict(term).get(letters[0], Fraction(0)): c for term, c in f.terms} if len(letters) == 1 else {}
    if not powers or min(powers) < 0 or any(r.denominator > 1 for r in powers) or max(powers) > MOST_DEGREE:
        raise BadCertificate("this is no small polynomial in one factor")
    if any(
        max(abs(c.numerator), c.denominator).bit_length() > MOST_COEFFICIENT_BITS for c in powers.values()
    ):
        raise BadCertificate("its coefficients have too many digits")
    lies = ranges.over(elementary.of_letter(letters[0]), box, 64)
    if lies.low is not None and lies.low == lies.high:
        raise BadCertificate("the factor is a number")
    polynomial = [powers.get(Fraction(n), Fraction(0)) for n in range(int(max(powers)) + 1)]
    if not roots.never_negative(polynomial, lies.low, lies.high):
        raise BadCertificate("it may be negative")
    return []


def _powers(f: Elementary, box: Box, n: Fraction) -> list[Goal]:
    if n.denominator != 1 or not 2 <= n <= elementary.MOST_POWER:
        raise BadCertificate("the power is not allowed")
    more = Elementary(tuple((term, c) for term, c in f.terms if c > 0))
    less = more - f
    if not (ranges.nonnegative_by_signs(more, box) and ranges.nonnegative_by_signs(less, box)):
        raise BadCertificate("a term is not seen to be >= 0 without its factor")
    return [(elementary.power(more, n) - elementary.power(less, n), box)]


def _exp(f: Elementary, box: Box) -> list[Goal]:
    return [(elementary.exp(f) - elementary.constant(1), box)]


ROOTS = {f"root {n}": n for n in range(2, elementary.MOST_POWER + 1)}
"""The roots of a parameter, by what a step calls them."""


def _change(f: Elementary, box: Box, name: str, how: str) -> list[Goal]:
    domain, x = _domain(box, name), elementary.parameter(name)
    low, high = domain.least, domain.greatest
    width = None if low is None or high is None else high - low
    if how == "least" and low is not None:
        new, there = Domain(Fraction(0), True, width, True), x + elementary.constant(low)
    elif how == "greatest" and high is not None:
        new, there = Domain(Fraction(0), True, width, True), elementary.constant(high) - x
    elif how in ("log", "-log") and not domain.integer:
        powers = ranges.exp(
            ranges.Range(*((low, high) if how == "log" else (_minus(high), _minus(low)))), MOST_BITS
        )
        new = Domain(powers.low, True, powers.high, True)
        there = elementary.log(x).scaled(Fraction(1 if how == "log" else -1))
    elif domain.integer or low is None or low < 0:
        raise BadCertificate(f"{name} cannot be changed like this")
    elif (n := ROOTS.get(how)) is not None:
        least, most = (ranges.power_at(end, Fraction(1, n), MOST_BITS) for end in (low, high))
        new, there = Domain(least.low, True, most.high, True), elementary.power(x, Fraction(n))
    elif how in ("exp", "-exp"):
        logs = ranges.log(ranges.Range(low, high), MOST_BITS)
        ends = (logs.low, logs.high) if how == "exp" else (_minus(logs.high), _minus(logs.low))
        new = Domain(ends[0], True, ends[1], True)
        exponent = elementary.parameter(name, new.nonnegative)
        there = elementary.exp(exponent if how == "exp" else exponent.scaled(Fraction(-1)))
    else:
        raise BadCertificate(f"{name} cannot be changed like this")
    if domain.integer:
        new = Domain(Fraction(0), greatest=width, integer=True)
    return [(elementary.substituted(f, name, there), {**box, name: new})]


def _minus(x: Fraction | None) -> Fraction | None:
    return None if x is None else -x


def _real(f: Elementary, box: Box, name: str) -> list[Goal]:
    domain = _domain(box, name)
    if not domain.integer or (domain.least is not None and domain.least == domain.greatest):
        raise BadCertificate(f"{name} is no whole number with several values")
    smooth = ranges.as_real(box, name)
    _has_values(f, smooth)
    for end in ("least", "greatest"):
        if getattr(domain, end) is not None:
            ranges.at_end(f, name, end, smooth)  # f is continuous there, or this is refused
    return [(f, smooth)]


def _number(f: Elementary, box: Box, name: str) -> list[Goal]:
    domain = _domain(box, name)
    if not domain.integer or domain.least is None or domain.least != domain.greatest:
        raise BadCertificate(f"{name} may have several values")
    there = elementary.substituted(f, name, elementary.constant(domain.least))
    return [(there, {other: one for other, one in box.items() if other != name})]


def _members(letter: Letter) -> list[Elementary]:
    if letter[0] != "m":
        raise BadCertificate("this is no worst case")
    return elementary.inside(letter)


def _each_choice(f: Elementary, box: Box, letter: Letter) -> list[Goal]:
    of = _members(letter)
    if comb(len(of), letter[1][0]) > MOST_CHOICES:
        raise BadCertificate("the worst case has too many choices")
    chosen = combinations(of, letter[1][0])
    return [(elementary.replaced(f, letter, sum(some, Elementary())), box) for some in chosen]


def _largest(f: Elementary, box: Box, letter: Letter, one: Elementary) -> list[Goal]:
    of, m = _members(letter), letter[1][0]
    if m != 1 or one not in of or not all(ranges.surely(one - x, box, strictly=False) for x in of):
        raise BadCertificate("it is not seen to be the largest")
    return [(elementary.replaced(f, letter, one), box)]


def _chosen(f: Elementary, box: Box, letter: Letter, elementaries: tuple[Elementary, ...]) -> list[Goal]:
    if len(elementaries) != letter[1][0] or Counter(elementaries) - Counter(_members(letter)):
        raise BadCertificate("the worst case adds up another number of values, or others")
    factor = ranges.factor_of(f, letter)
    if not ranges.surely(factor, box, strictly=False):
        raise BadCertificate("the worst case is not seen to count positively")
    return [(elementary.replaced(f, letter, sum(elementaries, Elementary())), box)]


def _tangent(f: Elementary, box: Box, letter: Letter, r: Fraction, p: Fraction) -> list[Goal]:
    """exp is convex and lies above its tangent at p, and log is concave and lies below it."""
    kind = letter[0]
    if kind not in "el" or r == 0 or (kind == "l" and (r != 1 or p <= 0)):
        raise BadCertificate("there are tangents of powers of e, and of logarithms at numbers above 0")
    (u,), at = elementary.inside(letter), elementary.constant(p)
    if kind == "e":
        bound = elementary.exp(at) * (u.scaled(r) + elementary.constant(1 - p))
    elif ranges.surely(u, box):
        bound = elementary.log(at) + u.scaled(1 / p) - elementary.constant(1)
    else:
        raise BadCertificate("a logarithm is not known to have a value")
    factor, rest = Elementary(), Elementary()
    for term, c in f.terms:
        if dict(term).get(letter) == r:
            left = tuple(pair for pair in term if pair[0] != letter)
            factor = factor + Elementary(((left, c),))
        else:
            rest = rest + Elementary(((term, c),))
    return [(factor.scaled(Fraction(1 if kind == "e" else -1)), box), (factor * bound + rest, box)]


RULES: Mapping[str, tuple[Callable[..., list[Goal]], tuple[str, ...]]] = {
    "signs": (_signs, ()),
    "range": (_range, ("number",)),
    "divided": (_divided, ("function",)),
    "slope": (_slope, ("word", "word")),
    "split": (_split, ("word", "number")),
    "apart": (_apart, ("numbers",)),
    "collect": (_collect, ("words",)),
    "order": (_order, ("word", "word", "number")),
    "square": (_square, ("letter", "number")),
    "less": (_less, ("number", "function")),
    "factors": (_factors, ("number", "factors")),
    "roots": (_roots, ()),
    "powers": (_powers, ("number",)),
    "exp": (_exp, ()),
    "change": (_change, ("word", "word")),
    "real": (_real, ("word",)),
    "number": (_number, ("word",)),
    "each": (_each_choice, ("letter",)),
    "largest": (_largest, ("letter", "function")),
    "chosen": (_chosen, ("letter", "functions")),
    "tangent": (_tangent, ("letter", "number", "number")),
}
