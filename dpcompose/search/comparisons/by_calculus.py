"""Finds proofs by calculus, and points, for comparisons that are not linear.

Values at sample points say only what is worth trying: where a function is seen to be negative no proof is
looked for, and where it is least a box is split.  Whatever comes out is steps that
`kernel.deciders.calculus` checks exactly, or a rational point that is confirmed exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from itertools import chain, islice
from typing import Any

from dpcompose.kernel.deciders.calculus import calculus, elementary, ranges, steps, values
from dpcompose.kernel.deciders.calculus.calculus import Step
from dpcompose.kernel.deciders.calculus.elementary import Box, Elementary, Letter, NotElementary
from dpcompose.kernel.deciders.calculus.steps import RULES, Goal
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.search.comparisons.promising import (
    division,
    factors_of,
    log_of,
    names_of,
    orders,
    simple_near,
    squares_of,
    surely_useful,
    tangents,
)
from dpcompose.search.comparisons.sampling import (
    FEW_TRIALS,
    Values,
    lowest,
    points,
    samples,
    value,
    values_of,
)

Proof = list[tuple[Step, Goal]]
"""Steps, each with its goal."""
EFFORTS = ((6, 2_500), (9, 5_000), (14, 8_000))
"""How deep, and with how much work, proofs are looked for, one after the other."""
TRIALS = ((FEW_TRIALS, 3), (1_000, 8), (2_000, 16))
"""At how many points a difference is looked at, and from how many a lower one is looked for, in turn."""
SAMPLES = 28
"""At how many points a goal is looked at."""
NOISE = float(Fraction(1, 10**8))
"""What a value may be below 0, beside the sum of its terms' magnitudes, and still be rounding."""
MOST_LETTERS = 400
"""The most terms of a goal that is worked on."""


class _Over(Exception):
    """The effort is spent."""


def decide(
    wanted: Goal,
    fails: Callable[[dict[str, Fraction]], bool],
    efforts: int | None = None,
    to_prove: bool = True,
) -> list[Any] | dict[str, Fraction] | None:
    """Steps as data, or a point that `fails` confirms, or neither: by more and more effort in turn.

    efforts -- how many of them at most; to_prove -- whether steps are looked for at all.

    >>> x = elementary.parameter("x")
    >>> wanted = elementary.exp(x) - elementary.constant(1) - x, {"x": Domain(Fraction(0))}
    >>> decide(wanted, lambda point: False)
    [['slope', 'x', 'least'], ['signs'], ['range', '48']]
    """
    f, box = wanted
    largest = max((len(part.names) for part in steps.parts_of(f)[0]), default=0)
    if largest > MOST_PARAMETERS or len(f.names) > MOST_IN_ALL:
        return None
    for (trials, confirmed), (depth, work) in islice(zip(TRIALS, EFFORTS, strict=True), efforts):
        for point in points(f, box, trials, confirmed):
            if fails(point):
                return point
        try:
            proof = _Search(work).prove(f, box, depth) if to_prove else None
        except (_Over, NotElementary):
            continue
        if proof is not None:
            return [to_data(step, goal) for step, goal in proof]
    return None


_Writing = Callable[[Any, Elementary, Box], Any]


def _text(function: Elementary, f: Elementary, box: Box) -> str:
    return formulas.to_text(values.to_term(function, box))


def _letter_data(letter: Letter, f: Elementary, box: Box) -> Any:
    term = values.of_one(letter, box)
    n = calculus.letters_like(term, f, box).index(letter)
    return [formulas.to_text(term), n] if n else formulas.to_text(term)


def _write_each(write: _Writing, arguments: Any, f: Elementary, box: Box) -> Any:
    return [write(argument, f, box) for argument in arguments]


_WRITE: dict[str, _Writing] = {
    "word": lambda one, f, box: one,
    "number": lambda one, f, box: str(one),
    "function": _text,
    "letter": _letter_data,
    "factor": lambda one, f, box: [_text(one[0], f, box), one[1], one[2]],
}


_WRITE |= {f"{kind}s": partial(_write_each, one) for kind, one in _WRITE.items()}


def to_data(step: Step, wanted: Goal) -> list[Any]:
    """A step as JSON, for its goal."""
    data: list[Any] = [step.rule]
    for kind, argument in zip(RULES[step.rule][1], step.of, strict=True):
        data.append(_WRITE[kind](argument, *wanted))
    return data


def _worst_cases_in(f: Elementary) -> list[Letter]:
    """The worst cases that stand in f or inside of its letters, in a fixed order."""
    return sorted({letter for letter in elementary.every_letter(f) if letter[0] == "m"})


"""Values that a counterexample has where it can."""
MOST_PARAMETERS = 10
"""The most that may stand in one sum that shares none with others."""
MOST_IN_ALL = 24


@dataclass
class _Search:
    """A search that may look at functions with so many terms in all."""

    work: int
    failed: dict[tuple[Elementary, ranges.Key], int] = field(default_factory=dict)
    negative: dict[tuple[Elementary, ranges.Key], bool] = field(default_factory=dict)

    def prove(self, f: Elementary, box: Box, depth: int) -> Proof | None:
        """Steps for f ≥ 0, with at most so many in one another."""
        box = {name: box[name] for name in f.names}
        if ranges.nonnegative_by_signs(f, box):
            return [(Step("signs"), (f, box))]
        known = (f, ranges.key(box, f.names))
        if self.failed.get(known, -1) >= depth or len(f.terms) > MOST_LETTERS:
            return None
        proof = None if self.seems_negative(f, box) else self._prove(f, box, depth)
        if proof is None:
            self.failed[known] = depth
        return proof

    def _prove(self, f: Elementary, box: Box, depth: int) -> Proof | None:
        for bits in (48,) if f.names else (64, 500):
            low = ranges.over(f, box, bits).low
            if low is not None and low >= 0:
                return [(Step("range", (Fraction(bits),)), (f, box))]
        if depth <= 0:
            return None
        for made, goals in chain(self._squares(f, box), self._in_parts(f, box)) if f.names else ():
            proof = self._within_share(made, goals, depth)
            if proof is not None:
                return proof
        for step in surely_useful(f, box):
            after = self._reduced((f, box), step)
            if after is not None and after[0] != (f, box):
                return self._after([(step, (f, box))], after, depth)
        for made, goals in self._worth_trying(f, box) if f.names else ():
            proof = self._within_share(made, goals, depth - 1)
            if proof is not None:
                return proof
        return None

    def _within_share(self, made: Proof, goals: list[Goal], depth: int) -> Proof | None:
        """The same as `_after`, with a share of the work that is left: others are to have their turn."""
        share = max(self.work // SHARES, min(self.work, LEAST_WORK))
        spared = self.work - share
        self.work = share
        try:
            return self._after(made, goals, depth)
        except _Over:
            return None
        finally:
            self.work = max(self.work, 0) + spared

    def _after(self, steps_before: Proof, goals: list[Goal], depth: int) -> Proof | None:
        """The steps and proofs of all goals."""
        if len(goals) > 1 and any(self.seems_negative(*goal) for goal in goals):
            return None
        proof = list(steps_before)
        for g, box in goals:
            rest = self.prove(g, box, depth)
            if rest is None:
                return None
            proof += rest
        return proof

    def seems_negative(self, f: Elementary, box: Box) -> bool:
        """Whether f is negative at a sample point, beyond rounding."""
        known = (f, ranges.key(box, f.names))
        if known not in self.negative:
            self._spend(f)
            self.negative[known] = _seems_negative(*known)
        return self.negative[known]

    def _spend(self, f: Elementary) -> None:
        self.work -= 1 + _size(f) // 4
        if self.work < 0:
            raise _Over

    def _reduced(self, wanted: Goal, *applied: Step) -> list[Goal] | None:
        """What remains after the steps, of which all but the last leave one goal; None where one fails."""
        self._spend(wanted[0])
        goals: list[Goal] | None = [wanted]
        for step in applied:
            if goals is not None:
                ((f, box),) = goals
                goals = _left(f, ranges.key(box, frozenset(box)), step)
        return goals

    def _tried(self, wanted: Goal, step: Step) -> Iterator[tuple[Proof, list[Goal]]]:
        goals = self._reduced(wanted, step)
        if goals is not None:
            yield [(step, wanted)], goals

    def _worth_trying(self, f: Elementary, box: Box) -> Iterator[tuple[Proof, list[Goal]]]:
        """Steps that may help, with what they leave, the most promising ones first."""
        wanted = (f, box)
        self._spend(f)
        low = _lowest_sample(f, ranges.key(box, f.names))
        apart = self._apart(f, box, low)
        smooth = not _worst_cases_in(f)
        roots = {r.denominator for term, _ in f.terms for _, r in term if r.denominator > 1}
        if not smooth:
            yield from self._worst_cases(f, box)
        if smooth:
            yield from self._tried(wanted, Step("roots"))
        if low is not None and touches(f, box, low):
            if smooth:
                yield from self._factors(f, box)
            for root in sorted(roots) if smooth else ():
                yield from self._tried(wanted, Step("powers", (Fraction(root),)))
            yield from apart
        if smooth:
            yield from self._slopes(f, box)
            for root in sorted(roots):
                yield from self._tried(wanted, Step("powers", (Fraction(root),)))
            if any(letter[0] == "l" for letter in f.letters) and len(f.terms) <= MOST_EXPONENTS:
                yield from self._tried(wanted, Step("exp"))
        yield from apart
        for name in sorted(f.names):
            if log_of(name) in elementary.every_letter(f):
                yield from self._tried(wanted, Step("change", (name, "exp")))
            if elementary.letter_of("e", elementary.parameter(name).terms[0][0]) in f.letters:
                yield from self._tried(wanted, Step("change", (name, "-log")))
            if box[name].integer:
                yield from self._tried(wanted, Step("real", (name,)))
        if smooth:
            yield from self._factors(f, box)
        if low is not None and smooth:
            for step in tangents(f, low):
                yield from self._tried(wanted, step)

    def _squares(self, f: Elementary, box: Box) -> Iterator[tuple[Proof, list[Goal]]]:
        """Without the squares that account for all terms that are subtracted, if there are such."""
        proof: Proof = []
        for c, g in squares_of(f):
            goals = self._reduced((f, box), Step("less", (c, g)))
            if goals is None:
                return
            proof.append((Step("less", (c, g)), (f, box)))
            ((f, box),) = goals
        if proof and ranges.nonnegative_by_signs(f, box):
            yield proof, [(f, box)]

    def _in_parts(self, f: Elementary, box: Box) -> Iterator[tuple[Proof, list[Goal]]]:
        """Sums that share no parameter, each without the number in f or with an equal share of it; and what
        stands before products of parameters."""
        parts, rest = steps.parts_of(f)
        if len(parts) > 1 and (c := rest.number) is not None:
            for share in dict.fromkeys((Fraction(0), c / len(parts))):
                yield from self._tried((f, box), Step("apart", ((share,) * len(parts),)))
        hidden = {name for letter in f.letters if letter[0] not in "xy" for name in names_of(letter)}
        names = sorted(name for name in f.names - hidden if box[name].nonnegative)
        if names and hidden:
            yield from self._tried((f, box), Step("collect", (tuple(names),)))

    def _factors(self, f: Elementary, box: Box) -> Iterator[tuple[Proof, list[Goal]]]:
        """The factors of a polynomial in several letters."""
        factored = factors_of(f) if len(f.letters) > 1 else None
        if factored is None:
            return
        c, factors = factored
        signed = []
        for factor, n in factors:
            minus = n % 2 and self.seems_negative(factor, {name: box[name] for name in factor.names})
            signed.append((factor, n, "-" if minus else "+"))
        yield from self._tried((f, box), Step("factors", (c, tuple(signed))))

    def _apart(self, f: Elementary, box: Box, low: Values | None) -> Iterator[tuple[Proof, list[Goal]]]:
        """Squares, and parts of the box that meet where f is small."""
        wanted, names = (f, box), sorted(f.names)
        for letter in f.letters:
            powers = {r for term, _ in f.terms for one, r in term if one == letter}
            for unit in sorted({r / k for r in powers for k in (1, 2)} if len(powers) <= 2 else ()):
                yield from self._tried(wanted, Step("square", (letter, unit)))
        whole_line = [name for name in names if box[name].least is None and box[name].greatest is None]
        if whole_line:
            yield from self._tried(wanted, Step("split", (whole_line[0], Fraction(0))))
            return
        near = [name for name in names if not box[name].integer and box[name].nonnegative]
        for step in orders(near, low) if low is not None else ():
            yield from self._tried(wanted, step)
        for name in names:
            inner = low is not None and _is_inner(low[name], box[name])
            for c in simple_near(low[name] if low is not None and inner else _middle(box[name]), box[name]):
                yield from self._tried(wanted, Step("split", (name, c)))

    def _worst_cases(self, f: Elementary, box: Box) -> Iterator[tuple[Proof, list[Goal]]]:
        """One choice where the worst case counts positively, each one else; those inside of others last."""
        inner = {
            one
            for letter in _worst_cases_in(f)
            for part in elementary.inside(letter)
            for one in _worst_cases_in(part)
        }
        for letter in sorted(_worst_cases_in(f), key=lambda one: one in inner):
            m, of = letter[1][0], elementary.inside(letter)
            votes: dict[tuple[int, ...], int] = {}
            for point in samples(box, f.names, SAMPLES):
                seen = [(value(one, point) or (-math.inf, 0))[0] for one in of]
                choice = tuple(sorted(sorted(range(len(of)), key=seen.__getitem__, reverse=True)[:m]))
                votes[choice] = votes.get(choice, 0) + 1
            for choice in sorted(votes, key=lambda vote: -votes[vote])[:1] if m == 1 else ():
                yield from self._tried((f, box), Step("largest", (letter, of[choice[0]])))
            positive = False
            for choice in sorted(votes, key=lambda vote: -votes[vote])[:MOST_CHOSEN]:
                chosen = Step("chosen", (letter, tuple(of[j] for j in choice)))
                for proof, goals in self._tried((f, box), chosen):
                    positive = True
                    yield proof, goals
            if not positive:
                yield from self._tried((f, box), Step("each", (letter,)))
                return

    def _slopes(self, f: Elementary, box: Box) -> Iterator[tuple[Proof, list[Goal]]]:
        """Derivatives of f, then of f divided by what one of its terms has, the simplest ones first."""
        yield from self._slopes_of(f, box, [])
        tried = {f}
        for term, _ in f.terms[:MOST_DIVISORS]:
            for step in division(term, box):
                goals = self._reduced((f, box), step)
                if goals is not None and goals[0][0] not in tried:
                    tried.add(goals[0][0])
                    yield from self._slopes_of(goals[0][0], box, [(step, (f, box))])

    def _slopes_of(self, f: Elementary, box: Box, before: Proof) -> Iterator[tuple[Proof, list[Goal]]]:
        slopes: list[tuple[int, int, Proof, list[Goal]]] = []
        for name, end in ranges.ends(f, box):
            step = Step("slope", (name, end))
            goals = self._reduced((f, box), step)
            if goals is not None:
                size = sum(_size(one) for one, _ in goals)
                slopes.append((size, len(slopes), [*before, (step, (f, box))], goals))
        for _, _, proof, goals in sorted(slopes, key=lambda one: one[:2]):
            yield proof, goals


# the same goals come in every effort, and what is found out of them is the same


@lru_cache(maxsize=4096)
def _left(f: Elementary, where: ranges.Key, step: Step) -> list[Goal] | None:
    """What a step leaves of f ≥ 0 in a box; None where it does not apply."""
    try:
        return calculus.reduce((f, dict(where)), step)
    except (BadCertificate, NotElementary, KeyError, ArithmeticError):
        return None


@lru_cache(maxsize=4096)
def _seems_negative(f: Elementary, where: ranges.Key) -> bool:
    at = values_of(f)
    for point in samples(dict(where), f.names, SAMPLES if f.names else 1):
        sampled = at(point)
        if sampled is not None and sampled[0] < -NOISE * sampled[1]:
            return True
    return False


@lru_cache(maxsize=4096)
def _lowest_sample(f: Elementary, where: ranges.Key) -> Values | None:
    best: Values | None = None
    least, at = math.inf, values_of(f)
    for point in samples(dict(where), f.names, 3 * SAMPLES, seed=2):
        sampled = at(point)
        if sampled is not None and sampled[0] / (sampled[1] or 1) < least:
            best, least = point, sampled[0] / (sampled[1] or 1)
    return None if best is None else lowest(f, dict(where), best, 40)


SHARES = 3
LEAST_WORK = 300
MOST_DIVISORS = 8
MOST_CHOSEN = 6
MOST_EXPONENTS = 12


def _size(f: Elementary) -> int:
    return sum(1 + sum(1 + (4 if letter[0] in "lsm" else 0) for letter, _ in term) for term, _ in f.terms)


def touches(f: Elementary, box: Box, low: Values) -> bool:
    """Whether f seems to be 0 at an inner point of the box."""
    sampled = value(f, low)
    return (
        sampled is not None
        and abs(sampled[0]) <= NOISE * sampled[1]
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
