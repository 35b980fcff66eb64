"""Calculus: proofs that an elementary function is ≥ 0 on a box, as steps that are checked one by one.

A proof is a list of steps in the order in which a reader meets them; each reduces "f ≥ 0 on the box" to
the same of no, one or several other functions, whose proofs follow.  Real parameters range over the
interior of the box: both sides of a comparison are continuous where they have values, so what holds there
holds on all of it.

| step | reduces f ≥ 0 to |
|---|---|
| signs | nothing: each term is ≥ 0 by the signs of its letters |
| range bits | nothing: f lies on the box between numbers ≥ 0 |
| divided n | f/t ≥ 0, t > 0 the n-th term without its factor, or what all terms share (n = common) |
| slope x end | f ≥ 0 at that end of x, and f grows away from it: its derivative by x has the sign for it |
| split x c | f ≥ 0 for x below c, and above |
| apart c... | P + c ≥ 0 for each sum P in f that shares no parameter with others; the rest of f ≥ Σ c |
| collect x... | c ≥ 0 for what stands before each product of powers of x... ≥ 0, and has none of them |
| order x y c | f ≥ 0 for x = c·y + x', and for y = x/c + y', with x', y' > 0 |
| square n r | A ≥ 0, C ≥ 0 and 4AC − B² ≥ 0, where f = A·l^(2r) + B·l^r + C for the n-th letter l |
| factors s... | what is left of a polynomial in its letters: its factors of odd powers, with these signs |
| roots | nothing: a polynomial in one letter that is positive, and without roots that change its sign |
| powers n | Pⁿ − Qⁿ ≥ 0, where f = P − Q and all terms of P and Q are ≥ 0 by their signs |
| exp | e^f − 1 ≥ 0 |
| change x how | the same in another parameter x', of which x is a growing or falling function |
| real x | the same for all numbers between the ends of a whole number x |
| number x | the same where x is the only whole number that is allowed |
| each n | f ≥ 0 with the n-th letter, a worst case, replaced by each of what it compares |
| largest n j | f ≥ 0 with the n-th letter, a maximum, replaced by the one that is the largest on the box |
| chosen n j... | the same with only some, where the worst case counts positively |
| lemma name n r p | A ≥ 0 (or ≤ 0), and A·b + B ≥ 0: f = A·l^r + B, b the lemma's bound of l^r |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb, lcm
from typing import Any

from dpcompose.language import elementary, forms, formulas, ranges
from dpcompose.language.elementary import Box, Elementary, Letter, NotElementary, Term
from dpcompose.language.forms import Form
from dpcompose.language.symbols import REAL, Domain, symbol
from dpcompose.proof.signs import BadCertificate, number

Goal = tuple[Elementary, Box]
"""f ≥ 0 on a box."""
MOST_STEPS = 4_000
"""The most steps of a proof."""
MOST_NESTED = 60
"""How deep steps may lie in one another."""
MOST_BITS = 512
MOST_CHOICES = 200
COMMON = "common"


@dataclass(frozen=True)
class Step:
    """One step: the rule and what it is used with, as texts."""

    rule: str
    of: tuple[str, ...] = ()


@dataclass(frozen=True)
class Argument:
    """A proof that the difference of two forms is ≥ 0: its steps in order."""

    steps: tuple[Step, ...]

    @property
    def lemmas(self) -> tuple[str, ...]:
        """The lemmas that are used."""
        return tuple(dict.fromkeys(step.of[0] for step in self.steps if step.rule == "lemma" and step.of))


def goal(difference: Form, domains: Mapping[str, Domain]) -> Goal:
    """What is to be shown of a difference of forms.  Raises NotElementary."""
    f = forms.function(difference, domains)
    return f, {name: domains[name] for name in f.names}


def check(difference: Form, domains: Mapping[str, Domain], argument: Argument) -> None:
    """Raises BadCertificate unless the steps show that the form is ≥ 0 for all allowed parameters.

    >>> from dpcompose.language.symbols import POSITIVE
    >>> e = Form.parameter("e")
    >>> steps = Step("slope", ("e", "least")), Step("signs"), Step("slope", ("e", "least")), Step("signs")
    >>> difference = Form.parameter("exp(e)") - Form.constant(1) - e
    >>> check(difference, {"e": POSITIVE}, Argument((*steps, Step("signs"))))
    """
    if len(argument.steps) > MOST_STEPS:
        raise BadCertificate("the proof has too many steps")
    rest = iter(enumerate(argument.steps, start=1))
    try:
        _check(goal(difference, domains), rest, 0)
    except NotElementary as error:
        raise BadCertificate(str(error)) from None
    if (more := next(rest, None)) is not None:
        raise BadCertificate(f"step {more[0]} proves nothing that is needed")


def _check(wanted: Goal, rest: Iterator[tuple[int, Step]], depth: int) -> None:
    n, step = next(rest, (0, Step("")))
    if not n:
        raise BadCertificate("the proof ends too early")
    if depth > MOST_NESTED:
        raise BadCertificate("the steps lie too deep in one another")
    try:
        goals = reduce(wanted, step)
    except (NotElementary, ValueError, ArithmeticError, IndexError, KeyError, TypeError) as error:
        if isinstance(error, BadCertificate | NotElementary):
            raise BadCertificate(f"step {n}, {step.rule}: {error}") from None
        raise BadCertificate(f"step {n} cannot be read ({type(error).__name__})") from None
    for one in goals:
        _check(one, rest, depth + 1)


def reduce(wanted: Goal, step: Step) -> list[Goal]:
    """What remains to be shown after a step.  Raises BadCertificate or NotElementary where it says nothing.

    >>> x = elementary.parameter("x")
    >>> (f, box), = reduce((x * x + x, {"x": Domain(Fraction(0))}), Step("divided", ("common",)))
    >>> f == x + elementary.constant(1)
    True
    """
    f, box = wanted
    if step.rule not in _rules():
        raise BadCertificate("there is no such step")
    return _rules()[step.rule](f, box, *step.of)


@cache
def _rules() -> dict[str, Callable[..., list[Goal]]]:
    return {
        "signs": _signs,
        "range": _range,
        "divided": _divided,
        "slope": _slope,
        "split": _split,
        "apart": _apart,
        "collect": _collect,
        "order": _order,
        "square": _square,
        "factors": _factors,
        "roots": _roots,
        "powers": _powers,
        "exp": _exp,
        "change": _change,
        "real": _real,
        "number": _number,
        "each": _each,
        "largest": _largest,
        "chosen": _chosen,
        "lemma": _lemma,
    }


def _signs(f: Elementary, box: Box) -> list[Goal]:
    if not ranges.nonnegative_by_signs(f, box):
        raise BadCertificate("a term is not seen to be >= 0")
    return []


def _range(f: Elementary, box: Box, bits: str) -> list[Goal]:
    if not 0 < int(bits) <= MOST_BITS:
        raise BadCertificate("the number of bits is not allowed")
    low = ranges.over(f, box, int(bits)).low
    if low is None or low < 0:
        raise BadCertificate("it may be negative")
    return []


def _divided(f: Elementary, box: Box, n: str) -> list[Goal]:
    term = elementary.least_powers(f) if n == COMMON else f.terms[_index(n)][0]
    sign, positive = 1, []
    for letter, r in term:
        one = positive_sign(letter, r, box)
        if one is not None:
            sign *= one
            positive.append((letter, r))
    return [(elementary.divided_by_term(f, tuple(positive)).scaled(Fraction(sign)), box)]


def positive_sign(letter: Letter, r: Fraction, box: Box) -> int | None:
    """The sign of a letter to a power, 1 or −1, that is never 0 on the box; None where it is not seen."""
    kind, of = letter
    if kind in "pe":
        return 1
    if kind == "x":
        return 1 if not box[of].integer or (box[of].least or 0) > 0 else None
    if kind == "s":
        if ranges.surely(Elementary(of), box):
            return 1
        if r.denominator == 1 and ranges.surely(Elementary(of).scaled(Fraction(-1)), box):
            return -1 if r.numerator % 2 else 1
    return None


def _slope(f: Elementary, box: Box, name: str, end: str) -> list[Goal]:
    if end not in ("least", "greatest"):
        raise BadCertificate("there is no such end")
    smooth = ranges.as_real(box, name)
    _has_values(f, smooth)
    there = ranges.at_end(f, name, end, smooth)
    slope = elementary.derivative(f, name).scaled(Fraction(1 if end == "least" else -1))
    return [(there, {other: domain for other, domain in box.items() if other != name}), (slope, smooth)]


def _has_values(f: Elementary, box: Box) -> None:
    if (problem := ranges.undefined(f, box)) is not None:
        raise BadCertificate(problem)


def _split(f: Elementary, box: Box, name: str, at: str) -> list[Goal]:
    c, domain = number(at), box[name]
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


def _apart(f: Elementary, box: Box, *shares: str) -> list[Goal]:
    parts, rest = parts_of(f)
    if len(parts) < 2 or len(shares) != len(parts):
        raise BadCertificate("there are not so many parts")
    numbers = [elementary.constant(number(share)) for share in shares]
    goals = [
        (part + c, {name: box[name] for name in part.names}) for part, c in zip(parts, numbers, strict=True)
    ]
    for c in numbers:
        rest = rest - c
    return [*goals, *([(rest, {})] if rest.terms else [])]


def parts_of(f: Elementary) -> tuple[list[Elementary], Elementary]:
    """Sums of terms of f that share no parameter with one another, by their first ones; and its number.

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


def _collect(f: Elementary, box: Box, *names: str) -> list[Goal]:
    if not all(box[name].nonnegative for name in names):
        raise BadCertificate("a parameter may be negative")
    factors: dict[Term, Elementary] = {}
    for term, c in f.terms:
        product = tuple(pair for pair in term if pair[0][0] == "x" and pair[0][1] in names)
        rest = Elementary(((tuple(pair for pair in term if pair not in product), c),))
        factors[product] = factors.get(product, Elementary()) + rest
    if any(factor.names & set(names) for factor in factors.values()):
        raise BadCertificate("a parameter stands in other terms, too")
    return [(factor, {name: box[name] for name in factor.names}) for factor in factors.values()]


def _order(f: Elementary, box: Box, x: str, y: str, factor: str) -> list[Goal]:
    c = number(factor)
    if (
        x == y
        or c <= 0
        or box[x].integer
        or box[y].integer
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


def _square(f: Elementary, box: Box, n: str, unit: str) -> list[Goal]:
    letter, r = f.letters[_index(n)], number(unit)
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


def _factors(f: Elementary, box: Box, *signs: str) -> list[Goal]:
    c, factors = factored(f)
    odd = [one for one, n in factors if n % 2]
    if len(signs) != len(odd) or not set(signs) <= {"+", "-"}:
        raise BadCertificate("there is another number of factors")
    if (c < 0) != (signs.count("-") % 2 == 1):
        raise BadCertificate("the signs of the factors have another product")
    made = elementary.constant(1)
    for one, n in factors:
        made = made * elementary.power(one, Fraction(n))
    if made.scaled(c) != f:
        raise BadCertificate("these are not its factors")
    return [
        (one.scaled(Fraction(-1 if sign == "-" else 1)), box) for one, sign in zip(odd, signs, strict=True)
    ]


def factored(f: Elementary) -> tuple[Fraction, list[tuple[Elementary, int]]]:
    """f as a number times powers of polynomials in its letters.

    >>> x = elementary.parameter("x")
    >>> c, factors = factored(x * x - elementary.constant(2) * x + elementary.constant(1))
    >>> str(c), [n for _, n in factors]
    ('1', [2])
    """
    letters, polynomial = _polynomial(f)
    c, factors = polynomial.factor_list()
    return Fraction(int(c.p), int(c.q)), [(_from_polynomial(one, letters), int(n)) for one, n in factors]


def _polynomial(f: Elementary) -> tuple[list[tuple[Letter, Fraction]], Any]:
    """f as a polynomial in powers of its letters: l^(1/n) for the exponents k/n.  Raises BadCertificate."""
    import sympy

    letters = []
    for letter in f.letters:
        powers = [dict(term).get(letter, Fraction(0)) for term, _ in f.terms]
        if min(powers) < 0:
            raise BadCertificate("a letter has a negative power")
        letters.append((letter, Fraction(1, lcm(*(r.denominator for r in powers)))))
    if not letters or len(letters) > MOST_LETTERS or len(f.terms) > MOST_FACTORED:
        raise BadCertificate("this is no small polynomial")
    if any(max(abs(c.numerator), c.denominator).bit_length() > MOST_COEFFICIENT_BITS for _, c in f.terms):
        raise BadCertificate("its coefficients have too many digits")
    terms = {}
    for term, c in f.terms:
        powers_of = dict(term)
        exponents = tuple(int(powers_of.get(letter, Fraction(0)) / unit) for letter, unit in letters)
        terms[exponents] = sympy.Rational(c.numerator, c.denominator)
    if max(sum(exponents) for exponents in terms) > MOST_DEGREE:
        raise BadCertificate("the degree is too high")
    names = [symbol(f"x{n}") for n in range(len(letters))]
    return letters, sympy.Poly.from_dict(terms, *names, domain="QQ")


def _from_polynomial(polynomial: Any, letters: list[tuple[Letter, Fraction]]) -> Elementary:
    total = Elementary()
    for exponents, c in polynomial.terms():
        product = elementary.constant(Fraction(int(c.p), int(c.q)))
        for (letter, unit), n in zip(letters, exponents, strict=True):
            product = product * elementary.of_letter(letter, unit * n) if n else product
        total = total + product
    return total


MOST_LETTERS = 6
MOST_FACTORED = 60
MOST_DEGREE = 24
MOST_COEFFICIENT_BITS = 256
"""What polynomials are factored, or have their roots counted: with more digits that may take without end."""


def _roots(f: Elementary, box: Box) -> list[Goal]:
    import sympy

    letters, polynomial = _polynomial(f)
    if len(letters) != 1 or letters[0][1] != 1:
        raise BadCertificate("there is more than one letter")
    values = ranges.over(elementary.of_letter(letters[0][0]), box, 64)
    odd = sympy.Poly(1, *polynomial.gens, domain="QQ")
    for factor, n in polynomial.factor_list()[1]:
        odd *= factor if n % 2 else 1
    low, high = values.low, values.high
    if low is not None and low == high:
        raise BadCertificate("the letter is a number")
    ends = [None if x is None else sympy.Rational(x.numerator, x.denominator) for x in (low, high)]
    at_ends = sum(1 for x in (low, high) if x is not None and _at(odd, x) == 0)
    if odd.count_roots(*ends) > at_ends:
        raise BadCertificate("it has a root at which its sign may change")
    if low is not None and high is not None:
        middle = (low + high) / 2
    else:
        middle = low + 1 if low is not None else high - 1 if high is not None else Fraction(0)
    while (there := _at(polynomial, middle)) == 0:  # a root of even order, of which there are few
        middle = middle + 1 if high is None else (middle + high) / 2
    if there < 0:
        raise BadCertificate("it is negative")
    return []


def _at(polynomial: Any, x: Fraction) -> Fraction:
    """The value of a polynomial in one variable."""
    return sum((Fraction(int(c.p), int(c.q)) * x**n for (n,), c in polynomial.terms()), Fraction(0))


def _powers(f: Elementary, box: Box, n: str) -> list[Goal]:
    if not 2 <= int(n) <= elementary.MOST_POWER:
        raise BadCertificate("the power is not allowed")
    more = Elementary(tuple((term, c) for term, c in f.terms if c > 0))
    less = more - f
    if not (ranges.nonnegative_by_signs(more, box) and ranges.nonnegative_by_signs(less, box)):
        raise BadCertificate("a term is not seen to be >= 0 without its factor")
    return [(elementary.power(more, Fraction(int(n))) - elementary.power(less, Fraction(int(n))), box)]


def _exp(f: Elementary, box: Box) -> list[Goal]:
    return [(elementary.exp(f) - elementary.constant(1), box)]


def _change(f: Elementary, box: Box, name: str, how: str) -> list[Goal]:
    domain, x = box[name], elementary.parameter(name)
    low, high = domain.least, domain.greatest
    width = None if low is None or high is None else high - low
    root = how.removeprefix("root ")
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
    elif root != how and 2 <= int(root) <= elementary.MOST_POWER:
        least, most = (ranges.power_at(end, Fraction(1, int(root)), MOST_BITS) for end in (low, high))
        new, there = Domain(least.low, True, most.high, True), elementary.power(x, Fraction(int(root)))
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
    domain = box[name]
    if not domain.integer or (domain.least is not None and domain.least == domain.greatest):
        raise BadCertificate(f"{name} is no whole number with several values")
    smooth = ranges.as_real(box, name)
    _has_values(f, smooth)
    for end in ("least", "greatest"):
        if getattr(domain, end) is not None:
            ranges.at_end(f, name, end, smooth)  # f is continuous there, or this is refused
    return [(f, smooth)]


def _number(f: Elementary, box: Box, name: str) -> list[Goal]:
    domain = box[name]
    if not domain.integer or domain.least is None or domain.least != domain.greatest:
        raise BadCertificate(f"{name} may have several values")
    there = elementary.substituted(f, name, elementary.constant(domain.least))
    return [(there, {other: one for other, one in box.items() if other != name})]


def worst_cases(f: Elementary) -> list[Letter]:
    """The worst cases that stand in f or inside of its letters, in a fixed order."""
    return sorted({letter for letter in elementary.every_letter(f) if letter[0] == "m"})


def _each(f: Elementary, box: Box, n: str) -> list[Goal]:
    letter = worst_cases(f)[_index(n)]
    if comb(len(letter[1][1]), letter[1][0]) > MOST_CHOICES:
        raise BadCertificate("the worst case has too many choices")
    chosen = combinations(elementary.inside(letter), letter[1][0])
    return [(elementary.replaced(f, letter, sum(some, Elementary())), box) for some in chosen]


def _largest(f: Elementary, box: Box, n: str, j: str) -> list[Goal]:
    letter = worst_cases(f)[_index(n)]
    of, m = elementary.inside(letter), letter[1][0]
    if m != 1 or not all(ranges.surely(of[_index(j)] - one, box, strictly=False) for one in of):
        raise BadCertificate("it is not seen to be the largest")
    return [(elementary.replaced(f, letter, of[_index(j)]), box)]


def _chosen(f: Elementary, box: Box, n: str, *members: str) -> list[Goal]:
    letter = worst_cases(f)[_index(n)]
    of, some = elementary.inside(letter), {_index(j) for j in members}
    if len(some) != letter[1][0] or len(some) != len(members):
        raise BadCertificate("the worst case adds up another number of values")
    factor = Elementary()
    for term, c in f.terms:
        powers = dict(term)
        if letter in powers:
            if powers.pop(letter) != 1:
                raise BadCertificate("the worst case stands in a power")
            factor = factor + Elementary(((tuple(powers.items()), c),))
        if any(letter in elementary.every_letter(elementary.of_letter(one)) for one in powers):
            raise BadCertificate("the worst case stands inside of a function")
    if not ranges.surely(factor, box, strictly=False):
        raise BadCertificate("the worst case is not seen to count positively")
    return [(elementary.replaced(f, letter, sum((of[j] for j in sorted(some)), Elementary())), box)]


# lemmas


@dataclass(frozen=True)
class Lemma:
    """A bound of exp(u) or log(u), with a rational number p that may be chosen.

    of -- "exp" or "log"; below -- whether the bound lies below it; bound -- a formula in u and p;
    where -- formulas that must be positive; note -- why it holds.
    """

    of: str
    below: bool
    bound: str
    where: tuple[str, ...]
    note: str

    @property
    def chosen(self) -> bool:
        """Whether the bound depends on p."""
        return "p" in formulas.names(self.bound)


LEMMAS: Mapping[str, Lemma] = {
    "exp above its tangents": Lemma(
        "exp", True, "exp(p)*(1 + u - p)", (), "exp is convex, so it lies above its tangent at p"
    ),
    "exp above three terms": Lemma(
        "exp", True, "1 + u + u**2/2", ("u",), "for u > 0 all terms of the series are positive"
    ),
    "exp above four terms": Lemma(
        "exp",
        True,
        "1 + u + u**2/2 + u**3/6",
        (),
        "the remainder of the series is exp(t)*u**4/24 for some t between 0 and u, so it is >= 0",
    ),
    "exp below a hyperbola": Lemma(
        "exp", False, "1/(1 - u)", ("1 - u",), "exp(-u) >= 1 - u, the tangent at 0, inverted"
    ),
    "exp below a parabola": Lemma(
        "exp",
        False,
        "1 + u + u**2",
        ("1 - u", "1 + u"),
        "exp(u) - 1 - u is at most u**2*(1/2 + 1/6 + 1/24 + ...) = u**2*(exp(1) - 2) for -1 < u < 1",
    ),
    "log below its tangents": Lemma(
        "log", False, "log(p) + (u - p)/p", ("u", "p"), "log is concave, so it lies below its tangent at p"
    ),
    "log above a hyperbola": Lemma(
        "log", True, "log(p) + 1 - p/u", ("u", "p"), "log(p/u) <= p/u - 1, the tangent at 1"
    ),
}
"""What is known of exp and log; `p` stands for a rational number that a proof chooses."""


@cache
def _read_lemma(name: str) -> tuple[Lemma, Elementary, tuple[Elementary, ...]]:
    lemma = LEMMAS[name]
    letters = {"u": REAL, "p": REAL}
    symbols = {one: symbol(one, domain) for one, domain in letters.items()}
    bound, *where = (
        elementary.of_expression(formulas.parse(text, symbols), letters)
        for text in (lemma.bound, *lemma.where)
    )
    return lemma, bound, tuple(where)


def bound_by(name: str, u: Elementary, p: Fraction) -> tuple[Elementary, tuple[Elementary, ...]]:
    """The bound of a lemma for a value u, and what must be positive."""

    def at(f: Elementary) -> Elementary:
        values = {"u": u, "p": elementary.constant(p)}
        return elementary.mapped(f, lambda letter: values.get(letter[1]) if letter[0] == "y" else None)

    _, bound, where = _read_lemma(name)
    return at(bound), tuple(map(at, where))


def _lemma(f: Elementary, box: Box, name: str, n: str, unit: str, at: str) -> list[Goal]:
    if name not in LEMMAS:
        raise BadCertificate(f"there is no lemma {name!r}")
    lemma = LEMMAS[name]
    letter, r, p = f.letters[_index(n)], number(unit), number(at)
    if letter[0] != lemma.of[0] or r == 0 or (lemma.of == "log" and r != 1):
        raise BadCertificate(f"the letter is no {lemma.of}")
    (u,) = elementary.inside(letter)
    u = u.scaled(r) if lemma.of == "exp" else u
    factor, rest = Elementary(), Elementary()
    for term, c in f.terms:
        if dict(term).get(letter) == r:
            left = tuple(pair for pair in term if pair[0] != letter)
            factor = factor + Elementary(((left, c),))
        else:
            rest = rest + Elementary(((term, c),))
    bound, where = bound_by(name, u, p)
    for one in where:
        if not ranges.surely(one, box):
            raise BadCertificate("the lemma is not known to hold there")
    signed = factor if lemma.below else factor.scaled(Fraction(-1))
    return [(signed, box), (factor * bound + rest, box)]


# data


def _index(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise ValueError("no index")
    return int(text)


def to_data(argument: Argument) -> dict[str, Any]:
    """The steps as JSON."""
    return {"steps": [[step.rule, *step.of] for step in argument.steps]}


def from_data(data: Any) -> Argument:
    """The steps from JSON.  Raises BadCertificate where it has another form."""
    given = data.get("steps") if isinstance(data, dict) and set(data) == {"steps"} else None
    if not (
        isinstance(given, list)
        and all(isinstance(one, list) and one and all(isinstance(x, str) for x in one) for one in given)
    ):
        raise BadCertificate("the steps cannot be read")
    return Argument(tuple(Step(one[0], tuple(one[1:])) for one in given))
