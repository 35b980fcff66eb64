"""How much larger one metric can be than another: sensitivities of maps between metrics (GB Def. III.5).

Ratios at simple pairs, as formulas in the parameters, are what the sensitivity is at least; that their
largest is enough is proved like a claim, so the value is exact.  Pairs are along the coordinates, along
diagonals, along the rows of linear maps, and at the ends of intervals and of clipping; along rays a ratio may
grow without end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from itertools import count, islice, product
from typing import TYPE_CHECKING, Any

from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers import places
from dpcompose.kernel.covers.products import Products
from dpcompose.kernel.covers.types import Cover, NoCover, Type
from dpcompose.kernel.deciders.calculus import coordinates
from dpcompose.kernel.expressions import formulas as texts
from dpcompose.kernel.expressions import metrics, naming, substitution, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.points import Points
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term, TermError
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules import metrics as rules
from dpcompose.kernel.rules.premises import BadStep
from dpcompose.language import formulas
from dpcompose.language.shown import Shown
from dpcompose.search.comparisons import comparing
from dpcompose.search.metrics import slopes
from dpcompose.search.metrics.points import Open, Point, Trials
from dpcompose.search.metrics.proving import Comparisons, fails
from dpcompose.search.metrics.quotients import Quotients, cancelled, is_polynomial, maximum, powers_of
from dpcompose.search.metrics.rates import Rates
from dpcompose.search.metrics.verdicts import MetricVerdicts

if TYPE_CHECKING:
    import sympy

Place = Mapping[str, Term]
"""A point: formulas in the parameters, by the names of coordinates."""
Ends = tuple[Mapping[str, str], Mapping[str, str]]

MOST_PAIRS = 400
"""How many pairs of points are looked at."""
MOST_CORNERS = 40
"""How many points at ends of intervals are joined with each other."""
MOST_SIGNS = 6
"""Up to how many coordinates all diagonals are looked at, and not one alone."""
FAR = Fraction(10**6)
"""How far at least points are along rays, so that most maxima are seen which of their terms it is there."""
MOST_LOOKS = 10_000
"""At how many pairs of databases ratios are looked at."""


@frozen(repr=False)
class MetricSensitivity(Shown):
    """The least Δ with moved ≤ Δ·over for all databases, as far as it is known.

    least -- exact, a formula in the parameters or oo, where `proved`; else what it is at least;
    pair -- two databases that attain it, coordinates by name, where that is the same for all parameters;
    certificate -- what shows that it is enough, in each case that two databases fall into;
    reason -- why it is not known, or which ratios grow without end.
    """

    least: Term
    proved: bool
    pair: Ends | None
    certificate: Sequence[Any]
    reason: str = ""

    @cached_property
    def value(self) -> sympy.Expr:
        """The same, for users."""
        return formulas.expression(self.least)

    def __repr__(self) -> str:
        value = texts.to_text(self.least)
        where = ""
        if self.pair is not None:
            ends = [", ".join(f"{name} = {x}" for name, x in one.items()) for one in self.pair]
            where = f", attained at ({ends[0]}) and ({ends[1]})"
        because = f"; {self.reason}" if self.reason else ""
        return f"{'' if self.proved else 'at least '}{value}{where}{because}"


def sensitivity(judge: MetricVerdicts, moved: Term, over: Term) -> MetricSensitivity:
    """The least Δ with moved ≤ Δ·over, both formulas in the named metrics of a setting.

    Raises NoCover where one is no formula in how databases differ.
    """
    distances = replace(judge.setting, mechanisms=())  # what these are stated in is of no matter
    term = judge.told.parts.term
    return _Ratios(distances, judge.theory, term(moved), term(over)).sensitivity()


@frozen(eq=False)
class _Ratios:
    """The ratios of one formula in distances over another one, at simple pairs of databases."""

    setting: Setting
    theory: Theory
    moved: Term
    over: Term
    ratios: dict[Term, Ends | None] = field(default_factory=dict)

    def sensitivity(self) -> MetricSensitivity:
        for ratio, ends in self._looks(self._pairs):
            self.ratios.setdefault(ratio, ends)
            if ratio == INFINITY:
                return MetricSensitivity(INFINITY, True, ends, [])
        every = [part for term in self.ratios for part in maximum(term) if not part.has("top")]
        simple = list(filter(is_polynomial, every))
        largest = self._joined(simple)
        if not largest.proved and (far := self._growing()) is not None:
            return MetricSensitivity(INFINITY, True, None, [], far)
        if largest.proved or not (near := self._approached()):
            return largest if largest.proved or simple == every else self._joined(every)
        if INFINITY in near:
            return MetricSensitivity(INFINITY, True, None, [], near[INFINITY])
        return self._joined([*every, *near], near)

    def _growing(self) -> str | None:
        """Points along a ray, at which the ratio is a polynomial in their distance that grows without end."""
        t = self._distance_along
        for ratio, ends in self._looks(self._rays):
            for powers in (powers_of(part, t) for part in maximum(ratio)):
                highest = max(powers, default=Fraction(0))
                if ends is not None and highest > 0 and self.quotients.is_positive(powers[highest]):
                    return f"the ratio at {_at(ends)} grows without end with {t}"
        return None

    def _approached(self) -> dict[Term, str]:
        """What ratios come near to where one point moves on to the other along a line, with the points."""
        s, limits = self._distance_along, dict[Term, str]()
        share = terms.letter(s, Domain(Fraction(0), True, 1 / FAR, True))
        chords = ((D, _shifted(D, self._step(D, E, share))) for D, E in self._pairs if D != E)
        for ratio, ends in self._looks(chords, Rates(self.quotients, s).quotient):
            how = "grows without end" if ratio == INFINITY else "comes near to it"
            if ends is not None:
                limits.setdefault(ratio, f"the ratio at {_at(ends)} {how} as {s} falls to 0")
        return limits

    def _step(self, start: Place, end: Place, share: Term) -> Place:
        """A share of the way from one point to another; along one coordinate a step as long as the share."""
        steps = {name: end[name] - x for name, x in start.items() if end[name] != x}
        for name, step in steps.items() if len(steps) == 1 else ():
            for sign in (ONE, -ONE):
                if self.quotients.is_positive(sign * step):
                    return {name: sign * share}
        return {name: step * share for name, step in steps.items()}

    @cached_property
    def quotients(self) -> Quotients:
        return Quotients(self.setting)

    # cases

    @cached_property
    def cover(self) -> Cover:
        """The cases of any two databases, without bounds that are believed.  Raises NoCover."""
        names = {*self.moved.letters, *self.over.letters}
        distances = dict(self.setting.distances)
        if unknown := [letter for letter in metrics.in_letters(names) if letter not in distances]:
            raise NoCover(f"{naming.read(unknown[0]).distance} is no metric of the setting")
        if any(distances[name].declared for name in self._used):
            raise NoCover("of a metric that is known by a bound alone nothing is attained")
        cover = Products(self.setting, self.theory, names).cover()
        types = (
            replace(type, where=replace(rules.where_of(type), at_most=rules.where_of(type).distances))
            for type in cover.types
        )
        return replace(cover, types=tuple(types))

    @cached_property
    def _used(self) -> list[str]:
        """The distances that both formulas are made of."""
        names = rules.used_by(self.moved, self.setting) | rules.used_by(self.over, self.setting)
        return [name for name, _ in self.setting.distances if name in names]

    @cached_property
    def _cases(self) -> list[tuple[Type, Term, Term]]:
        """The cases in which both formulas have a value, with these."""
        cases = []
        for type in self.cover.types:
            with suppress(BadStep):
                over, moved = rules.sides_at(type, self.over, self.moved, self.setting)
                cases.append((type, moved, over))
        return cases

    def _looks(
        self,
        pairs: Iterable[tuple[Place, Place]],
        quotient: Callable[[Term, Term], Term | None] | None = None,
    ) -> Iterator[tuple[Term, Ends | None]]:
        """The ratios at pairs of points, each once, with the points where nothing else differs.

        quotient -- what is looked at in place of ratios.
        """
        looks = (
            (type, sides, pair, counts)
            for pair in pairs
            for type, *sides in self._cases
            for counts in _counts(type)
        )
        known = dict[tuple[Term, Term], Term | None]()
        for type, sides, (D, E), counts in islice(looks, MOST_LOOKS):
            point = {naming.at(x, who): v for who, at in (("D", D), ("E", E)) for x, v in at.items()} | counts
            moved, over = (substitution.substituted(side, point) for side in sides)
            if (moved, over) not in known:
                known[moved, over] = (quotient or self.quotients.ratio)(moved, over)
            ratio = known[moved, over]
            if ratio is None or ratio in self.ratios or not self._is_there(type, point, ratio):
                continue
            yield ratio, self._ends(type, D, E, counts) if ratio != ZERO else None

    def _ends(self, type: Type, D: Place, E: Place, counts: Mapping[str, Term]) -> Ends | None:
        """Two points in words, where two databases are not told by numbers of records, or by a list."""
        changed = any(count != ZERO for number in _numbers(type, counts).values() for count in number)
        if not D or changed or rules.where_of(type).listed:
            return None
        first, second = ({name: texts.to_text(x) for name, x in at.items()} for at in (D, E))
        return first, second

    # where two databases are

    def _is_there(self, type: Type, point: Mapping[str, Term], ratio: Term) -> bool:
        """Whether a case has two databases at a point, so that they have a ratio, for all parameters."""
        where = rules.where_of(type)

        def differ(values: Iterable[Term]) -> bool:
            """Whether one of some differences is not 0 wherever the ratio is not."""
            return any(self._is_other(substitution.expanded(v), ratio) for v in values)

        for differences, other in where.differences:
            values = [substitution.expanded(substitution.substituted(v, point)) for v in differences]
            if not differ(values) if other else any(v != ZERO for v in values):
                return False
        parts = dict(self.setting.databases.parts)
        if any(v != ZERO for name in where.same for v in _between(parts[name], point)):
            return False
        changed = {name for name, number in _numbers(type, point).items() if any(x != ZERO for x in number)}
        changed |= {name for name, (x, y) in where.listed if x != y}
        for name, far in where.distances:
            whole = dict(self.setting.distances)[name].parts if far == ONE else ()
            moved = (v for part in whole for v in _between(parts[part], point))
            if whole and changed.isdisjoint(whole) and not differ(moved):
                return False
        return self._are_records(type, point)

    def _is_other(self, difference: Term, ratio: Term) -> bool:
        if difference == ZERO:
            return False
        if any(map(self.quotients.is_positive, (difference, -difference))):
            return True
        return ratio.kind != "oo" and all(
            is_polynomial(cancelled(part, difference)) for part in maximum(ratio)
        )

    def _are_records(self, type: Type, point: Mapping[str, Term]) -> bool:
        """Whether there are databases of records that differ so."""
        where = rules.where_of(type)
        numbers = {name: x.number for name, x in point.items() if x.number is not None}
        with suppress(NoCover):
            list(places.records(self.setting, self.theory, where, numbers))
            return True
        return False

    # what is enough

    def _joined(self, ratios: Sequence[Term], near: Mapping[Term, str] = {}) -> MetricSensitivity:
        """What the largest of ratios is, of which those are kept that the others together do not exceed.

        near -- of those that are only come near to, where.
        """
        kept = list(maximum(self.quotients.largest(ratios))) if ratios else [ZERO]
        for term in list(kept):
            others = [other for other in kept if other != term]
            if others:
                more, assumed = terms.largest(*others), self.setting.assumed
                answer = comparing.compare(more, term, to_prove=True, assumed=assumed)
                kept = others if isinstance(answer, comparing.Proof) else kept
        value = terms.largest(*kept)
        ends, shown = self.ratios.get(value), self._proof(value)
        if isinstance(shown, str):
            return MetricSensitivity(value, False, ends, [], shown)
        return MetricSensitivity(value, True, ends, shown, "" if ends else near.get(value, ""))

    def _proof(self, value: Term) -> list[Any] | str:
        """A proof of value·over ≥ moved in all cases, as `rules.metrics` reads it; or why there is none."""
        certificates, trials, comparisons = list[Any](), Trials(self.setting), Comparisons(self.setting)
        try:
            greater = value * self.over
            for type in self.cover.types:
                more, less = rules.sides_at(type, greater, self.moved, self.setting)
                tried = trials.few(type) if more != less else ()
                for point in tried:
                    if fails(more, less, point) and (words := self._words(type, point)):
                        return f"more is needed at {words}"
                shown = comparisons.in_case(more, less)
                if isinstance(shown, Open):
                    return shown.reason or "neither a proof nor a point was found"
                certificates.append(shown)
            rules.at_least_everywhere(self.setting, self.cover, greater, self.moved, certificates)
        except (BadStep, BadCertificate, TermError) as error:
            return str(error)
        return certificates

    def _words(self, type: Type, point: Point) -> str:
        """Where two databases are in words; "" where they are not in the case."""
        with suppress(places.NotThere, ValueError, ArithmeticError):
            full = places.checked(self.setting, self.theory, type, point)
            if self._is_there(type, {name: terms.number(x) for name, x in full.items()}, INFINITY):
                given = [f"{name} = {full[name]}" for name, _ in self.setting.parameters if name in full]
                where = rules.where_of(type)
                if where.counts or where.listed:
                    return ", ".join(["some databases", *given])
                ends = (", ".join(f"{x} = {full[naming.at(x, who)]}" for x in self._names) for who in "DE")
                return ", ".join([*(f"({end})" for end in ends), *given])
        return ""

    # points

    @property
    def _names(self) -> list[str]:
        return [name for part in self.setting.databases.points for name in part.coordinates]

    @cached_property
    def _pairs(self) -> list[tuple[Place, Place]]:
        """Pairs of points of the class."""
        pairs = islice(self._lines(), MOST_PAIRS)
        return [(D, E) for D, E in pairs if self._is_inside(D) and self._is_inside(E)]

    @property
    def _distance_along(self) -> str:
        """A letter of its own for how far along a ray a point is."""
        taken = {*self._names, *(name for name, _ in self.setting.parameters)}
        return next(name for n in count() if (name := f"t{n or ''}") not in taken)

    @property
    def _rays(self) -> Iterator[tuple[Place, Place]]:
        """Simple pairs with one point, or both, moved as far as one likes along a direction."""
        t, (corner, _) = terms.letter(self._distance_along, Domain(FAR)), next(self._lines())
        for direction, sign in product(self._directions(list(corner)), (ONE, -ONE)):
            far = {name: step * sign * t for name, step in direction.items()}
            for D, E in self._pairs[:MOST_SIGNS]:
                moved = (D if D == E else _shifted(D, far)), _shifted(E, far)
                if all(map(self._is_inside, moved)):
                    yield moved

    def _lines(self) -> Iterator[tuple[Place, Place]]:
        """From a corner along directions, then all corners, among them the ends of clipping."""
        start, width, ends = dict[str, Term](), dict[str, Term](), dict[str, list[Term]]()
        for part in self.setting.databases.points:
            for name, (low, high) in zip(part.coordinates, part.box, strict=True):
                start[name] = (
                    ZERO if low is None and high is None else (high or ZERO) - 1 if low is None else low
                )
                width[name] = ONE if low is None or high is None else high - low
                some = [term for term in (low, high) if term is not None]
                if part.disc is not None:
                    width[name], some = part.disc / 4, [ZERO, part.disc / 2, -part.disc / 2]
                elif len(some) < 2:
                    some += self._constants
                some += self._special[name]
                ends[name] = list(dict.fromkeys(some))
        yield start, start
        for direction in self._directions(list(start)):
            back = any(step.number is not None and step.number < 0 for step in direction.values())
            middle = {name: x + width[name] / 2 if back else x for name, x in start.items()}
            moved = {
                name: substitution.expanded(x + direction.get(name, ZERO) * width[name] / 2)
                for name, x in middle.items()
            }
            yield middle, moved
        corners = (dict(zip(ends, some, strict=True)) for some in product(*ends.values()))
        inside = [one for one in islice(corners, MOST_PAIRS) if self._is_inside(one)][:MOST_CORNERS]
        yield from product(inside, repeat=2)

    def _directions(self, names: Sequence[str]) -> Iterator[Place]:
        yield from ({name: ONE} for name in names)
        others = max(len(names) - 1, 0)
        diagonals = product((1, -1), repeat=others) if others < MOST_SIGNS else [(1,) * others]
        for signs in diagonals if others else ():
            yield dict(zip(names, map(terms.number, (1, *signs)), strict=True))
        rows = (coordinates.steps(part) for part in self._parts if part.kind == "sum")
        for row in {frozenset(row.items()): row for row in rows if row}.values():
            numbers = [step.number for step in row.values()]
            most = max((abs(number) for number in numbers if number is not None), default=1)
            scale = most if None not in numbers else 1
            yield {_coordinate(delta): step / scale for delta, step in row.items()}

    @cached_property
    def _special(self) -> dict[str, list[Term]]:
        return slopes.special(self.setting)

    @cached_property
    def _parts(self) -> list[Term]:
        """All that formulas are made of."""
        distances = dict(self.setting.distances)
        formulas = (distances[name].formula for name in self._used)
        waiting = [self.moved, self.over, *(term for term in formulas if term is not None)]
        parts: dict[Term, None] = {}
        while waiting:
            term = waiting.pop()
            if term not in parts:
                parts[term] = None
                waiting += term.parts
        return list(parts)

    @cached_property
    def _constants(self) -> list[Term]:
        """The numbers and parameters that values and distances are compared with."""
        tops = sorted((part for part in self._parts if part.kind == "top"), key=lambda one: one.key)
        compared = (part for top in tops for part in top.parts if metrics.is_constant(part))
        return list(dict.fromkeys([ZERO, ONE, *(x for term in compared for x in (term, -term))]))

    def _is_inside(self, point: Place) -> bool:
        """Whether a point belongs to the class for all values of the parameters."""
        at = {naming.at(name, "D"): x for name, x in point.items()}
        insides = (term for part in self.setting.databases.points for term in part.inside("D"))
        return all(self.quotients.is_at_least(substitution.substituted(term, at), ZERO) for term in insides)


def _shifted(point: Place, steps: Place) -> Place:
    return {name: substitution.expanded(x + steps.get(name, ZERO)) for name, x in point.items()}


def _at(ends: Ends) -> str:
    """Two points in words."""
    first, second = (", ".join(f"{name} = {x}" for name, x in end.items()) for end in ends)
    return f"({first}) and ({second})"


def _counts(type: Type) -> Iterator[dict[str, Term]]:
    """Simple numbers of records, or of positions, that differ: none more than needs be, or one."""
    every = (count for _, some in rules.where_of(type).counts for both in some for count in both)
    domains = {name: domain for count in every for name, domain in count.letters.items()}
    none = dict.fromkeys(domains, ZERO)
    yield none
    more = [name for name, domain in domains.items() if domain.contains(Fraction(1))]
    yield from (none | {name: ONE} for name in more)
    if len(more) > 1:
        yield none | dict.fromkeys(more, ONE)


def _numbers(type: Type, point: Mapping[str, Term]) -> dict[str, list[Term]]:
    """For each part of records how many differ at a point."""
    return {
        name: [substitution.substituted(count, point) for both in some for count in both]
        for name, some in rules.where_of(type).counts
    }


def _between(part: Any, point: Mapping[str, Term]) -> list[Term]:
    """How far coordinates of a part move."""
    names = part.coordinates if isinstance(part, Points) else ()
    return [substitution.expanded(point[naming.at(x, "D")] - point[naming.at(x, "E")]) for x in names]


def _coordinate(step: Term) -> str:
    """The coordinate of which a term is the difference."""
    return next(said.coordinate for said in map(naming.read, step.letters) if said.coordinate)
