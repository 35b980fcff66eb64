"""Finds proofs by calculus, and points, for comparisons that are not linear.

Values at sample points, as floating-point numbers, say only what is worth trying: where a function is
seen to be negative no proof is looked for, and where it is least a box is split.  Whatever comes out is
steps that `dpcompose.proof.calculus` checks exactly, or a rational point that is confirmed exactly.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, islice
from typing import Any

from dpcompose.language import elementary, ranges
from dpcompose.language.elementary import Box, Elementary, Letter, NotElementary
from dpcompose.language.symbols import Domain
from dpcompose.proof import calculus
from dpcompose.proof.calculus import COMMON, Argument, Goal, Step
from dpcompose.proof.signs import BadCertificate

Values = Mapping[str, float]
EFFORTS = ((6, 2_500), (9, 5_000), (14, 8_000))
"""How deep, and with how much work, proofs are looked for, one after the other."""
SAMPLES = 28
"""At how many points a goal is looked at."""
NOISE = float(Fraction(1, 10**8))
"""What a value may be below 0, beside the sum of its terms' magnitudes, and still be rounding."""
MOST_LETTERS = 400
"""The most terms of a goal that is worked on."""


class _Over(Exception):
    """The effort is spent."""


# values


def value(f: Elementary, point: Values) -> tuple[float, float] | None:
    """About f at a point, and the sum of its terms' magnitudes; None where that is no number."""
    made, terms = _program(f)
    try:
        known: list[float] = []
        for kind, of, within in made:
            known.append(_of_letter(kind, of, [_total(one, known)[0] for one in within], point))
            if kind == "l" and within[0][0] == (1, ()):  # more exact than log(1 + x) where x is small
                known[-1] = math.log1p(_total(within[0][1:], known)[0])
        total, size = _total(terms, known)
    except (ArithmeticError, ValueError):
        return None
    return (total, size) if math.isfinite(total) and math.isfinite(size) else None


_Terms = tuple[tuple[float, tuple[tuple[int, int | float], ...]], ...]


@lru_cache(maxsize=4096)
def _program(f: Elementary) -> tuple[list[tuple[str, Any, list[_Terms]]], _Terms]:
    """How to compute f: its letters in an order in which each needs earlier ones only, and its terms."""
    places: dict[Letter, int] = {}
    made: list[tuple[str, Any, list[_Terms]]] = []

    def place(letter: Letter) -> int:
        if letter not in places:
            within = [terms(one) for one in elementary.inside(letter)]
            places[letter] = len(made)
            made.append((*letter, within))
        return places[letter]

    def terms(one: Elementary) -> _Terms:
        return tuple(
            (
                c.numerator / c.denominator,
                tuple((place(letter), int(r) if r.denominator == 1 else float(r)) for letter, r in term),
            )
            for term, c in one.terms
        )

    whole = terms(f)
    return made, whole


def _total(terms: _Terms, known: list[float]) -> tuple[float, float]:
    total = size = float(0)
    for c, pairs in terms:
        product = c
        for n, r in pairs:
            x = known[n]
            product *= x if r == 1 else x**r if type(r) is int else math.pow(x, r)
        total += product
        size += abs(product)
    return total, size


def _of_letter(kind: str, of: Any, within: list[float], point: Values) -> float:
    if kind in "xy":
        return point[of]
    if kind == "p":
        return float(of)
    if kind == "e":
        return math.exp(within[0])
    if kind == "l":
        return math.log(within[0])
    return within[0] if kind == "s" else sum(sorted(within, reverse=True)[: of[0]])


def samples(
    box: Box, names: Iterable[str], count: int, seed: int = 0, smallest: int = -4
) -> Iterator[dict[str, float]]:
    """Points of the box: of all sizes from 10^smallest on, near its ends, and in its middle."""
    rng = random.Random(seed)
    chosen = sorted(names)
    for _ in range(count):
        yield {name: _some(box[name], rng, smallest) for name in chosen}


def _some(domain: Domain, rng: random.Random, smallest: int) -> float:
    size = 10 ** rng.uniform(smallest, 2) if not domain.integer else 10 ** rng.uniform(0, 2) - 1
    low = None if domain.least is None else float(domain.least)
    high = None if domain.greatest is None else float(domain.greatest)
    if low is not None and high is not None:
        share = rng.random() if rng.random() < 1 / 2 else 10 ** rng.uniform(smallest, 0)
        x = low + (high - low) * (share if rng.random() < 1 / 2 else 1 - share)
    elif low is not None:
        x = low + size
    elif high is not None:
        x = high - size
    else:
        x = size if rng.random() < 1 / 2 else -size
    if not domain.integer:
        return x
    whole = math.floor(x)
    return float(max(whole, int(domain.least)) if domain.least is not None else whole)


# points


ROUNDING = float(Fraction(1, 10**13))
"""What a value at a point may be below 0 by rounding alone: such points are not looked at."""
FEW_TRIALS = 200
TRIALS = ((FEW_TRIALS, 3), (1_000, 8), (2_000, 16))
"""At how many points a difference is looked at, and from how many a lower one is looked for, in turn."""


def points(difference: Elementary, box: Box, trials: int, confirmed: int) -> Iterator[dict[str, Fraction]]:
    """Rational points at which the difference seems to be negative, the most negative ones first."""
    names = sorted(difference.names)
    seen: list[tuple[float, dict[str, float]]] = []
    for point in samples(box, names, trials, seed=trials, smallest=-9 if trials > FEW_TRIALS else -4):
        found = value(difference, point)
        if found is not None:
            seen.append((found[0] / (found[1] or 1), point))
    seen.sort(key=lambda one: one[0])
    for relative, point in seen[:confirmed]:
        if relative < -ROUNDING:
            yield _rational(point, box)
    for _, point in seen[:confirmed]:
        low = lowest(difference, box, point)
        found = value(difference, low)
        if found is not None and found[0] < -ROUNDING * found[1]:
            for digits in (10, 10**3, 10**9):
                yield _rational(low, box, digits)


def _rational(point: Values, box: Box, digits: int = 1000) -> dict[str, Fraction]:
    return {name: rational(x, box[name], digits) for name, x in point.items()}


def rational(x: float, domain: Domain, digits: int) -> Fraction:
    """A short rational number of the domain near to x."""
    exact = Fraction(x)
    if domain.integer:
        return Fraction(round(exact))
    near = exact.limit_denominator(digits)
    while near != exact and (not domain.contains(near) or abs(near - exact) * digits > abs(exact) * 10):
        digits *= 10
        near = exact.limit_denominator(digits)
    return near


def lowest(f: Elementary, box: Box, start: Values, rounds: int = 60) -> dict[str, float]:
    """A point near `start` where f is small beside the size of its terms, by trying steps both ways."""

    def relative(point: Values) -> float:
        found = value(f, point)
        return math.inf if found is None else found[0] / (found[1] or 1)

    here = dict(start)
    least = relative(here)
    steps = {name: max(abs(x), 1 / 10) / 2 for name, x in here.items()}
    for _ in range(rounds):
        for name in here:
            for step in (steps[name], -steps[name]):
                there = {**here, name: here[name] + step}
                if not _inside(there[name], box[name]):
                    continue
                now = relative(there)
                if now < least:
                    here, least = there, now
                    steps[name] *= 3 / 2
                    break
            else:
                steps[name] /= 2
    return here


def _inside(x: float, domain: Domain) -> bool:
    above = domain.least is None or x > domain.least
    return above and (domain.greatest is None or x < domain.greatest) and not domain.integer


# proofs


def prove(wanted: Goal) -> Argument | None:
    """Steps that show f ≥ 0 on the box; None where none were found.

    >>> x = elementary.parameter("x")
    >>> argument = prove((elementary.exp(x) - elementary.constant(1) - x, {"x": Domain(Fraction(0))}))
    >>> [step.rule for step in argument.steps]
    ['slope', 'signs', 'range']
    """
    found = decide(wanted, lambda point: False)
    return found if isinstance(found, Argument) else None


def decide(
    wanted: Goal,
    fails: Callable[[dict[str, Fraction]], bool],
    efforts: int | None = None,
    until: float = math.inf,
) -> Argument | dict[str, Fraction] | None:
    """A proof, or a point that `fails` confirms, or neither: by more and more effort in turn.

    efforts -- how many of them at most.
    until -- the time on the monotonic clock at which the search ends.
    """
    f, box = wanted
    largest = max((len(part.names) for part in calculus.parts_of(f)[0]), default=0)
    if largest > MOST_PARAMETERS or len(f.names) > MOST_IN_ALL:
        return None
    for (trials, confirmed), (depth, work) in islice(zip(TRIALS, EFFORTS, strict=True), efforts):
        for point in points(f, box, trials, confirmed):
            if fails(point):
                return _simpler(point, box, fails)
            if time.monotonic() > until:
                return None
        try:
            found = _Search(work, until).prove(f, box, depth)
        except (_Over, NotElementary):
            continue
        if found is not None:
            return Argument(tuple(found))
    return None


def _simpler(
    point: dict[str, Fraction], box: Box, fails: Callable[[dict[str, Fraction]], bool]
) -> dict[str, Fraction]:
    """The point with simpler values, one after the other, as long as it still `fails`."""
    for name, x in point.items():
        for simple in (*SIMPLE, *(x.limit_denominator(n) for n in (1, 10, 100))):
            if box[name].contains(simple) and fails({**point, name: simple}):
                point = {**point, name: simple}
                break
    return point


SIMPLE = tuple(map(Fraction, ("1", "1/2", "2", "3", "5", "10", "1/10", "100", "1/100")))
"""Values that a counterexample has where it can."""
MOST_PARAMETERS = 10
"""The most that may stand in one sum that shares none with others."""
MOST_IN_ALL = 24


@dataclass
class _Search:
    """A search that may look at functions with so many terms in all, until a time on the monotonic clock."""

    work: int
    until: float
    failed: dict[tuple[Elementary, ranges.Key], int] = field(default_factory=dict)
    negative: dict[tuple[Elementary, ranges.Key], bool] = field(default_factory=dict)

    def prove(self, f: Elementary, box: Box, depth: int) -> list[Step] | None:
        """Steps for f ≥ 0, with at most so many in one another."""
        box = {name: box[name] for name in f.names}
        if ranges.nonnegative_by_signs(f, box):
            return [Step("signs")]
        known = (f, ranges.key(box, f.names))
        if self.failed.get(known, -1) >= depth or len(f.terms) > MOST_LETTERS:
            return None
        found = None if self.seems_negative(f, box) else self._prove(f, box, depth)
        if found is None:
            self.failed[known] = depth
        return found

    def _prove(self, f: Elementary, box: Box, depth: int) -> list[Step] | None:
        for bits in (48,) if f.names else (64, 500):
            low = ranges.over(f, box, bits).low
            if low is not None and low >= 0:
                return [Step("range", (str(bits),))]
        if depth <= 0 or not f.names:
            return None
        for steps, goals in self._in_parts(f, box):
            found = self._within_share(steps, goals, depth)
            if found is not None:
                return found
        for step in _surely_useful(f, box):
            after = self._reduced((f, box), step)
            if after is not None and after[0] != (f, box):
                return self._after([step], after, depth)
        for steps, goals in self._worth_trying(f, box):
            found = self._within_share(steps, goals, depth - 1)
            if found is not None:
                return found
        return None

    def _within_share(self, steps: list[Step], goals: list[Goal], depth: int) -> list[Step] | None:
        """The same as `_after`, with a share of the work that is left: others are to have their turn."""
        share = max(self.work // SHARES, min(self.work, LEAST_WORK))
        spared = self.work - share
        self.work = share
        try:
            return self._after(steps, goals, depth)
        except _Over:
            return None
        finally:
            self.work = max(self.work, 0) + spared

    def _after(self, steps: list[Step], goals: list[Goal], depth: int) -> list[Step] | None:
        """The steps and proofs of all goals."""
        if len(goals) > 1 and any(self.seems_negative(*one) for one in goals):
            return None
        total = list(steps)
        for g, box in goals:
            found = self.prove(g, box, depth)
            if found is None:
                return None
            total += found
        return total

    def seems_negative(self, f: Elementary, box: Box) -> bool:
        """Whether f is negative at a sample point, beyond rounding."""
        known = (f, ranges.key(box, f.names))
        if known not in self.negative:
            self.negative[known] = self._seems_negative(f, box)
        return self.negative[known]

    def _seems_negative(self, f: Elementary, box: Box) -> bool:
        self._spend(f)
        for point in samples(box, f.names, SAMPLES if f.names else 1):
            found = value(f, point)
            if found is not None and found[0] < -NOISE * found[1]:
                return True
        return False

    def _spend(self, f: Elementary) -> None:
        self.work -= 1 + _size(f) // 4
        if self.work < 0 or time.monotonic() > self.until:
            raise _Over

    def _reduced(self, wanted: Goal, *steps: Step) -> list[Goal] | None:
        """What remains after the steps, of which all but the last leave one goal; None where one fails."""
        self._spend(wanted[0])
        goals = [wanted]
        try:
            for step in steps:
                (one,) = goals
                goals = calculus.reduce(one, step)
        except (BadCertificate, NotElementary, ValueError, ArithmeticError):
            return None
        return goals

    def _tried(self, wanted: Goal, *steps: Step) -> Iterator[tuple[list[Step], list[Goal]]]:
        goals = self._reduced(wanted, *steps)
        if goals is not None:
            yield list(steps), goals

    def _worth_trying(self, f: Elementary, box: Box) -> Iterator[tuple[list[Step], list[Goal]]]:
        """Steps that may help, with what they leave, the most promising ones first."""
        wanted = (f, box)
        low = self._lowest_sample(f, box)
        apart = self._apart(f, box, low)
        smooth = not calculus.worst_cases(f)
        roots = {r.denominator for term, _ in f.terms for _, r in term if r.denominator > 1}
        if not smooth:
            yield from self._worst_cases(f, box)
        if low is not None and touches(f, box, low):
            if smooth:
                yield from self._factors(f, box)
            for root in sorted(roots) if smooth else ():
                yield from self._tried(wanted, Step("powers", (str(root),)))
            yield from apart
        if smooth:
            yield from self._factors(f, box)
            yield from self._slopes(f, box)
            for root in sorted(roots):
                yield from self._tried(wanted, Step("powers", (str(root),)))
            if any(letter[0] == "l" for letter in f.letters) and len(f.terms) <= MOST_EXPONENTS:
                yield from self._tried(wanted, Step("exp"))
        yield from apart
        for name in sorted(f.names):
            if _log_of(name) in elementary.every_letter(f):
                yield from self._tried(wanted, Step("change", (name, "exp")))
            if elementary.letter_of("e", elementary.parameter(name).terms[0][0]) in f.letters:
                yield from self._tried(wanted, Step("change", (name, "-log")))
            if box[name].integer:
                yield from self._tried(wanted, Step("real", (name,)))
        if low is not None and smooth:
            for step in _lemmas(f, low):
                yield from self._tried(wanted, step)

    def _in_parts(self, f: Elementary, box: Box) -> Iterator[tuple[list[Step], list[Goal]]]:
        """Sums that share no parameter, each without the number in f or with an equal share of it; and what
        stands before products of parameters."""
        parts, rest = calculus.parts_of(f)
        if len(parts) > 1 and (c := rest.number) is not None:
            for share in {Fraction(0), c / len(parts)}:
                yield from self._tried((f, box), Step("apart", (str(share),) * len(parts)))
        hidden = {name for letter in f.letters if letter[0] not in "xy" for name in _names_of(letter)}
        names = sorted(name for name in f.names - hidden if box[name].nonnegative)
        if names and hidden:
            yield from self._tried((f, box), Step("collect", tuple(names)))

    def _factors(self, f: Elementary, box: Box) -> Iterator[tuple[list[Step], list[Goal]]]:
        """The roots of a polynomial in one letter, or the factors of one in several."""
        yield from self._tried((f, box), Step("roots"))
        try:
            _, factors = calculus.factored(f)
        except (BadCertificate, NotElementary):
            return
        odd = [one for one, n in factors if n % 2]
        if len(factors) > 1 or not odd:
            minus = [self.seems_negative(one, {name: box[name] for name in one.names}) for one in odd]
            yield from self._tried((f, box), Step("factors", tuple("-" if one else "+" for one in minus)))

    def _apart(self, f: Elementary, box: Box, low: Values | None) -> Iterator[tuple[list[Step], list[Goal]]]:
        """Squares, and parts of the box that meet where f is small."""
        wanted, names = (f, box), sorted(f.names)
        for n, letter in enumerate(f.letters):
            powers = {r for term, _ in f.terms for one, r in term if one == letter}
            for unit in sorted({r / k for r in powers for k in (1, 2)} if len(powers) <= 2 else ()):
                yield from self._tried(wanted, Step("square", (str(n), str(unit))))
        whole_line = [name for name in names if box[name].least is None and box[name].greatest is None]
        if whole_line:
            yield from self._tried(wanted, Step("split", (whole_line[0], "0")))
            return
        near = [name for name in names if not box[name].integer and box[name].nonnegative]
        for step in _orders(near, low) if low is not None else ():
            yield from self._tried(wanted, step)
        for name in names:
            inner = low is not None and _is_inner(low[name], box[name])
            for c in _simple_near(low[name] if low is not None and inner else _middle(box[name]), box[name]):
                yield from self._tried(wanted, Step("split", (name, str(c))))

    def _worst_cases(self, f: Elementary, box: Box) -> Iterator[tuple[list[Step], list[Goal]]]:
        """One choice where the worst case counts positively, each one else; those inside of others last."""
        inner = {
            one
            for letter in calculus.worst_cases(f)
            for part in elementary.inside(letter)
            for one in calculus.worst_cases(part)
        }
        for n, letter in sorted(enumerate(calculus.worst_cases(f)), key=lambda one: one[1] in inner):
            m, of = letter[1][0], elementary.inside(letter)
            votes: dict[tuple[int, ...], int] = {}
            for point in samples(box, f.names, SAMPLES):
                seen = [(value(one, point) or (-math.inf, 0))[0] for one in of]
                some = tuple(sorted(sorted(range(len(of)), key=seen.__getitem__, reverse=True)[:m]))
                votes[some] = votes.get(some, 0) + 1
            for some in sorted(votes, key=lambda one: -votes[one])[:1] if m == 1 else ():
                yield from self._tried((f, box), Step("largest", (str(n), str(some[0]))))
            positive = False
            for some in sorted(votes, key=lambda one: -votes[one])[:MOST_CHOSEN]:
                for step, goals in self._tried((f, box), Step("chosen", (str(n), *map(str, some)))):
                    positive = True
                    yield step, goals
            if not positive:
                yield from self._tried((f, box), Step("each", (str(n),)))
                return

    def _slopes(self, f: Elementary, box: Box) -> Iterator[tuple[list[Step], list[Goal]]]:
        """Derivatives of f, then of f divided by what one of its terms has, the simplest ones first."""
        yield from self._slopes_of(f, box, [])
        tried = {f}
        for n in range(min(len(f.terms), MOST_DIVISORS)):
            step = Step("divided", (str(n),))
            goals = self._reduced((f, box), step)
            if goals is not None and goals[0][0] not in tried:
                tried.add(goals[0][0])
                yield from self._slopes_of(goals[0][0], box, [step])

    def _slopes_of(
        self, f: Elementary, box: Box, before: list[Step]
    ) -> Iterator[tuple[list[Step], list[Goal]]]:
        found: list[tuple[int, int, list[Step], list[Goal]]] = []
        for name, end in ranges.ends(f, box):
            step = Step("slope", (name, end))
            goals = self._reduced((f, box), step)
            if goals is not None:
                size = sum(_size(one) for one, _ in goals)
                found.append((size, len(found), [*before, step], goals))
        for _, _, steps, goals in sorted(found, key=lambda one: one[:2]):
            yield steps, goals

    def _lowest_sample(self, f: Elementary, box: Box) -> dict[str, float] | None:
        self._spend(f)
        best: dict[str, float] | None = None
        least = math.inf
        for point in samples(box, f.names, 3 * SAMPLES, seed=2):
            found = value(f, point)
            if found is not None and found[0] / (found[1] or 1) < least:
                best, least = point, found[0] / (found[1] or 1)
        return None if best is None else lowest(f, box, best, 40)


SHARES = 3
LEAST_WORK = 300
MOST_DIVISORS = 8
MOST_CHOSEN = 6
MOST_EXPONENTS = 12


def _surely_useful(f: Elementary, box: Box) -> Iterator[Step]:
    """Steps that lose nothing, and make f simpler."""
    yield Step("divided", (COMMON,))
    powers: dict[str, int] = {}
    for letter, r in _all_powers(f):
        if letter[0] == "x" and r.denominator > 1:
            powers[letter[1]] = math.lcm(powers.get(letter[1], 1), r.denominator)
    for name, n in sorted(powers.items()):
        yield Step("real", (name,)) if box[name].integer else Step("change", (name, f"root {n}"))
    for name in sorted(f.names):
        domain = box[name]
        if domain.integer and domain.least is not None and domain.least == domain.greatest:
            yield Step("number", (name,))
        elif not domain.nonnegative and domain.least is not None:
            yield Step("change", (name, "least"))
        elif domain.least is None and domain.greatest is not None:
            yield Step("change", (name, "greatest"))
        elif domain.greatest == 1 and domain.nonnegative and not domain.integer:
            log = _log_of(name)
            if log in elementary.every_letter(f) and not any(
                name in _names_of(one) for one in f.letters if one not in (log, ("x", name))
            ):
                yield Step("change", (name, "-exp"))


def _names_of(letter: Letter) -> frozenset[str]:
    return elementary.of_letter(letter).names


def _log_of(name: str) -> Letter:
    return elementary.letter_of("l", elementary.parameter(name).terms)


def _all_powers(f: Elementary) -> Iterator[tuple[Letter, Fraction]]:
    for term, _ in f.terms:
        for letter, r in term:
            yield letter, r
            for one in elementary.inside(letter):
                yield from _all_powers(one)


def _size(f: Elementary) -> int:
    return sum(1 + sum(1 + (4 if letter[0] in "lsm" else 0) for letter, _ in term) for term, _ in f.terms)


def _simple_near(x: float, domain: Domain) -> list[Fraction]:
    """A few simple numbers inside of the domain, near to x."""
    exact = Fraction(x)
    size = Fraction(10) ** math.floor(math.log10(abs(x))) if x else Fraction(1)
    near = [exact.limit_denominator(n) for n in (1, 2, 12)] + [(exact / size).limit_denominator(4) * size]
    if domain.integer:
        near = [Fraction(math.floor(exact)), Fraction(math.floor(exact)) - 1]
    inside = [
        c
        for c in dict.fromkeys(near)
        if (domain.least is None or c > domain.least or (domain.integer and c == domain.least))
        and (domain.greatest is None or c < domain.greatest)
    ]
    return sorted(inside, key=lambda c: (abs(c - exact) > size / 100, c.denominator))[:2]


def touches(f: Elementary, box: Box, low: Values) -> bool:
    """Whether f seems to be 0 at an inner point of the box."""
    found = value(f, low)
    return (
        found is not None
        and abs(found[0]) <= NOISE * found[1]
        and all(_is_inner(x, box[name]) for name, x in low.items())
    )


def _is_inner(x: float, domain: Domain) -> bool:
    """Whether x lies well inside of a domain."""
    if domain.integer:
        return True
    if domain.least is None or domain.greatest is None:
        ends = [float(end) for end in (domain.least, domain.greatest) if end is not None]
        return all(NEAR < abs(x - end) < 1 / NEAR for end in ends)
    width = float(domain.greatest - domain.least)
    return float(domain.least) + NEAR * width < x < float(domain.greatest) - NEAR * width


NEAR = float(Fraction(1, 1000))


def _middle(domain: Domain) -> float:
    """A number well inside of a domain."""
    if domain.least is not None and domain.greatest is not None:
        return float(domain.least + domain.greatest) / 2
    return float(domain.least + 1 if domain.least is not None else (domain.greatest or 1) - 1)


def _orders(names: list[str], low: Values) -> list[Step]:
    """Two parameters compared by a simple factor, which is close to the one where f is small."""
    found: list[tuple[bool, int, Step]] = []
    for x, y in combinations(names, 2):
        ratio = low[x] / low[y] if low[y] else math.inf
        if 1 / LARGEST_RATIO < ratio < LARGEST_RATIO:
            for c in _simple_near(ratio, Domain(Fraction(0), True)):
                far = abs(float(c) / ratio - 1) * 100 > 1
                found.append((far, c.numerator + c.denominator, Step("order", (x, y, str(c)))))
    return [step for _, _, step in sorted(found, key=lambda one: one[:2])[:MOST_ORDERS]]


LARGEST_RATIO = 20
MOST_ORDERS = 4


def _lemmas(f: Elementary, low: Values) -> Iterator[Step]:
    """Lemmas for the exponentials and logarithms of f, at simple numbers and where f is small."""
    for n, letter in enumerate(f.letters):
        if letter[0] not in "el":
            continue
        for r in sorted({r for term, _ in f.terms for one, r in term if one == letter}):
            there = value(elementary.inside(letter)[0].scaled(r if letter[0] == "e" else Fraction(1)), low)
            for name, lemma in calculus.LEMMAS.items():
                near = [Fraction(0 if letter[0] == "e" else 1)]
                if lemma.chosen and there is not None:
                    near.append(Fraction(there[0]).limit_denominator(8))
                for p in dict.fromkeys(near if lemma.of[0] == letter[0] else []):
                    yield Step("lemma", (name, str(n), str(r), str(p)))
