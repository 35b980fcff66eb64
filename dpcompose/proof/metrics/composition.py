"""Privacy in metrics that need not be canonical: composed metrics, axioms, and what refutes a claim.

Mechanisms that are d_i-private compose to one that is private in their sum, by the metric form page (GB
Thm. IV.1 in terms of pullbacks d_i∘f_i).  Where each d_i is a metric, the two-outcome mechanisms of the
witness page are d_i-private and lose exactly d_i(D, E): a smaller claim is refuted at D, E.  Noise is its
own witness.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import sympy

from dpcompose.kernel import comparison
from dpcompose.kernel.certificates import BadCertificate
from dpcompose.language import formulas
from dpcompose.language.meaning import sign
from dpcompose.language.worstcase import Top
from dpcompose.privacy.metrics.reading import MetricMechanism, MetricSetting
from dpcompose.proof import registry
from dpcompose.proof.metrics.letters import LEVELS, Letters, NoForm
from dpcompose.proof.registry import Page, Theory
from dpcompose.spaces.databases import Database, Multisets, Tuples
from dpcompose.spaces.points import Declared, Euclid, Made, Norm, Own, Points, letter


class ShowsNothing(BadCertificate):
    """A point that is none of the class, or at which a comparison holds: others may do."""


@dataclass(frozen=True)
class Obligation:
    """One axiom of a metric as a comparison, greater ≥ lesser for all D, E, F."""

    words: str
    greater: sympy.Expr
    lesser: sympy.Expr


@dataclass(frozen=True, eq=False)
class Composition:
    """The mechanisms of a setting together: the metric in which they are private, and what it rests on."""

    setting: MetricSetting
    theory: Theory

    @cached_property
    def letters(self) -> Letters:
        return Letters(self.setting, self.theory)

    @property
    def page(self) -> Page:
        """The page by which metrics of parts make that of the whole."""
        return self.theory.statement("metric form", "pure")

    @cached_property
    def metric(self) -> sympy.Expr:
        """The metric in which the composition is private, a formula in the named ones."""
        given = [self.stated(mechanism) for mechanism in self.setting.mechanisms]
        count = sympy.Integer(len(given))
        return formulas.parse(str(self.page.head.composition), {"k": count}, {"d": given})

    def stated(self, mechanism: MetricMechanism) -> sympy.Expr:
        """The metric in which a mechanism is private; that of noise as its page states it."""
        if mechanism.noise is None:
            return mechanism.metric
        page = self.theory.noise(mechanism.noise.word)
        if page is not None and mechanism.values is not None and "pure" in page.head.guarantee:
            stated, norm = page.head.guarantee["pure"]["epsilon"], Norm(page.head.norm, mechanism.values)
            for name, one in self.setting.letters.items():
                if self.setting.metrics[name].distance == norm:
                    return mechanism.noise.value(stated) * one
        raise NoForm(f"no page says in which metric {mechanism.noise.words} is private")

    @property
    def used(self) -> tuple[str, ...]:
        """The named metrics that the composed one is made of, with those that these are made of."""
        named = self.setting.metrics
        found: list[str] = []
        open_ = [self.metric]
        while open_:
            for name in sorted(map(str, open_.pop().free_symbols)):
                if name in named and name not in found:
                    found.append(name)
                    distance, bound = named[name].distance, named[name].at_most
                    open_ += [distance.formula] if isinstance(distance, Made) else []
                    open_ += [] if bound is None else [bound]
        return tuple(name for name in named if name in found)

    # axioms

    def is_metric(self, metric: sympy.Expr, known: Callable[[str], bool]) -> bool:
        """Whether a formula in named metrics is seen to be a metric, `known` saying which of these are.

        Sums, maxima and multiples of metrics by numbers ≥ 0 are, the minimum of one with a number ≥ 0, and
        a root of one, or of a sum of squares: all of them vanish on the diagonal, and satisfy the
        triangle inequality since what is done grows, and is subadditive, in its arguments.
        """
        named = {one: name for name, one in self.setting.letters.items()}
        return self._closed(metric, lambda one: one in named and known(named[one]))

    def is_seen(self, name: str, known: Callable[[str], bool]) -> bool:
        """Whether a named metric is seen to be one, `known` saying which of those before it are."""
        match self.setting.metrics[name].distance:
            case Declared():
                return False
            case Made(formula):
                return self.is_metric(formula, known)
            case Own() as own:
                return self.is_made_of_norms(own)
        return True

    def _closed(self, it: sympy.Expr, leaf: Callable[[sympy.Expr], bool]) -> bool:
        if it == 0 or leaf(it):
            return True
        if it.is_Add or (isinstance(it, Top) and it.args[0].is_Integer):
            parts = it.terms if isinstance(it, Top) else it.args
            return all(self._closed(one, leaf) for one in parts)
        if it.is_Mul:
            factors = [one for one in it.args if self._is_number(one)]
            rest = [one for one in it.args if not self._is_number(one)]
            factor = sympy.Mul(*factors)
            if len(rest) == 1 and self.letters.never_negative(factor):
                return self._closed(rest[0], leaf)
            return len(rest) == 1 and self.letters.never_negative(-factor) and self._is_cut(rest[0], leaf)
        if it.is_Pow and it.exp.is_Rational and 0 < it.exp <= 1:
            squares = [one.as_coeff_Mul() for one in sympy.Add.make_args(it.base)]
            if it.exp == sympy.Rational(1, 2) and all(x.is_Pow and x.exp == 2 and c > 0 for c, x in squares):
                return all(self._closed(x.base, leaf) for _, x in squares)
            return self._closed(it.base, leaf)
        return False

    def _is_cut(self, it: sympy.Expr, leaf: Callable[[sympy.Expr], bool]) -> bool:
        """Whether −it is the minimum of one metric with numbers ≥ 0."""
        if not (isinstance(it, Top) and it.args[0] == 1):
            return False
        inside = [-one for one in it.terms]
        numbers = [one for one in inside if self._is_number(one)]
        rest = [one for one in inside if not self._is_number(one)]
        fine = len(rest) == 1 and all(map(self.letters.never_negative, numbers))
        return fine and self._closed(rest[0], leaf)

    def _is_number(self, it: sympy.Expr) -> bool:
        return all(str(one) in self.setting.domains for one in it.free_symbols)

    def is_made_of_norms(self, own: Own) -> bool:
        """Whether a formula in coordinates is made, as `is_metric` says, of norms of g(D) − g(E).

        v(D, E) is of this form where v(D, E) + v(E, F) = v(D, F).
        """

        def steps(v: Sequence[sympy.Expr], one: str, two: str) -> list[sympy.Expr]:
            there = {
                letter(name, old): letter(name, new)
                for name in own.of.coordinates
                for old, new in (("D", one), ("E", two))
            }
            return [x.xreplace(there) for x in v]

        def additive(v: Sequence[sympy.Expr]) -> bool:
            ways = zip(steps(v, "D", "E"), steps(v, "E", "F"), steps(v, "D", "F"), strict=True)
            return all(sympy.expand(x + y - z) == 0 for x, y, z in ways)

        def leaf(it: sympy.Expr) -> bool:
            if isinstance(it, Euclid):
                return additive(it.args)
            both = isinstance(it, Top) and it.args[0] == 1 and len(it.terms) == 2
            return both and it.terms[0] == -it.terms[1] and additive(it.terms[:1])

        return self._closed(own.between("D", "E"), leaf)

    def obligations(self, own: Own) -> tuple[Obligation, ...]:
        """What a formula in coordinates must satisfy to be a metric."""
        d = own.between
        zero = sympy.Integer(0)
        return (
            Obligation("d(D, E) >= 0", d("D", "E"), zero),
            Obligation("d(D, D) <= 0", zero, d("D", "D")),
            Obligation("d(D, E) >= d(E, D)", d("D", "E"), d("E", "D")),
            Obligation("d(D, E) + d(E, F) >= d(D, F)", d("D", "E") + d("E", "F"), d("D", "F")),
        )

    def attained(self, known: Callable[[str], bool]) -> bool | None:
        """True where at all D, E mechanisms lose as much as the metric says; None where that is not known.

        Noise does by itself, others by witnesses, which are private if what they are built of are metrics.
        """
        fine = all(
            mechanism.noise is not None or self.is_metric(mechanism.metric, known)
            for mechanism in self.setting.mechanisms
        )
        return True if fine else None

    def is_opaque(self, metric: sympy.Expr) -> bool:
        """Whether a metric rests on one of which a bound alone is known."""
        for one in metric.free_symbols:
            match self.setting.metrics[str(one)].distance if str(one) in self.setting.metrics else None:
                case Declared():
                    return True
                case Made(formula) if self.is_opaque(formula):
                    return True
        return False

    # two databases

    def value(self, expression: sympy.Expr, point: Mapping[str, Fraction]) -> sympy.Expr:
        """A formula in letters at a point, which gives all of them and all parameters: a real constant."""
        numbers = {
            one: sympy.Rational(point[one.name].numerator, point[one.name].denominator)
            for one in expression.free_symbols
            if one.name in point
        }
        value = expression.xreplace(numbers)
        if value.free_symbols:
            raise BadCertificate(f"{min(map(str, value.free_symbols))} has no value there")
        return value

    def values(self, metrics: Sequence[sympy.Expr], point: Mapping[str, Fraction]) -> list[sympy.Expr]:
        """The values of metrics at databases D, E of the class.  Raises BadCertificate for others."""
        full = self.complete(point)
        for who in "DE":
            self.shown(full, who)
        return [self.value(self.letters.of(one), full) for one in metrics]

    def complete(self, point: Mapping[str, Fraction]) -> dict[str, Fraction]:
        """The point with the letters that say which values differ, once it is one of the class.

        Raises BadCertificate where it is none: a coordinate outside, or counts that no records have.
        """
        setting, domains = self.setting, self.letters.domains
        for name, value in point.items():
            known = name in setting.domains or name in self._of_databases
            if not known or not domains[name].contains(value):
                raise BadCertificate(f"{name} = {value} is not allowed")
        full = {**self._of_databases, **point}
        for name in setting.databases.intervals:  # of a third database nothing may be said
            full[letter(name, "F").name] = point.get(letter(name, "F").name, full[letter(name, "D").name])
        if missing := sorted(set(setting.domains) - set(full)):
            raise BadCertificate(f"there is no value for {missing[0]}")
        self._check_inside(full)
        for one, values in self.letters.differing.items():
            full[str(one)] = Fraction(int(self._differ(values, full)))
        return full

    @cached_property
    def _of_databases(self) -> dict[str, Fraction]:
        """The letters of three databases, and 0 for what a point does not say."""
        coordinates = [str(letter(name, who)) for name in self.setting.databases.intervals for who in "DEF"]
        counts = [str(one) for cells in self.letters.cells.values() for cell in cells for one in cell.counts]
        return dict.fromkeys([*coordinates, *counts], Fraction(0))

    @cached_property
    def _inside(self) -> list[sympy.Expr]:
        """What is ≥ 0 where the points belong to the class."""
        inside: list[sympy.Expr] = []
        for _, part in self.setting.databases.points:
            for who in "DEF":
                at = [letter(name, who) for name in part.coordinates]
                if part.disc is not None:
                    inside.append(part.disc**2 - 4 * sympy.Add(*(x**2 for x in at)))
                for x, interval in zip(at, part.box, strict=True):
                    inside += [] if interval.least is None else [x - interval.least]
                    inside += [] if interval.greatest is None else [interval.greatest - x]
        return inside

    def _check_inside(self, point: Mapping[str, Fraction]) -> None:
        for one in self._inside:
            value = self.value(one, point)
            if not (value.is_Rational and value >= 0) and sign(value) != 1:
                raise ShowsNothing("a point is not seen to be one of the class")

    def _differ(self, values: Any, point: Mapping[str, Fraction]) -> bool:
        """Whether D and E differ in these values, for sure."""
        if not values.parts:
            moved = zip(values.of("D"), values.of("E"), strict=True)
            changes = [self.value(x - y, point) for x, y in moved]
            if any(one != 0 and sign(one) is None for one in changes):
                raise BadCertificate(f"it is not known whether {values.name} differs there")
            return any(one != 0 for one in changes)
        found = False
        for name in values.parts:
            part = self.setting.databases[name]
            if isinstance(part, Points):
                found |= any(
                    point[str(letter(x, "D"))] != point[str(letter(x, "E"))] for x in part.coordinates
                )
            else:
                found |= any(point[str(one)] for cell in self.letters.cells[name] for one in cell.counts)
        return found

    def shown(self, point: Mapping[str, Fraction], who: str) -> dict[str, Any]:
        """The database D or E of a point, by its parts: coordinates, or a list of records.

        Raises BadCertificate where no two databases of the class have these counts.
        """
        found: dict[str, Any] = {}
        for name, part in self.setting.databases.parts:
            if isinstance(part, Points):
                found |= {x: str(point[str(letter(x, who))]) for x in part.coordinates}
            else:
                databases = self._of_records(name, part, point)
                found[name or "records"] = list(databases[who == "E"])
        return found

    def _of_records(
        self, name: str, part: Multisets | Tuples, point: Mapping[str, Fraction]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Two databases that differ in so many records of each kind."""
        cells = self.letters.cells[name]
        counts = [tuple(int(point[str(one)]) for one in cell.counts) for cell in cells]
        if isinstance(part, Tuples):
            a, b = (part.records * 2)[:2] if part.records and not part.arbitrary else ("a", "b")
            changed = {i for cell, (n,) in zip(cells, counts, strict=True) for i in cell.holds[:n]}
            if changed and a == b:
                raise BadCertificate("there is one record only, which no other one replaces")
            whole = range(1, (part.sizes.n or 0) + 1)
            return tuple(a for _ in whole), tuple(b if i in changed else a for i in whole)
        universe = self.letters.universe(name)
        D: list[str] = []
        E: list[str] = []
        for cell, (removed, added) in zip(cells, counts, strict=True):
            some = (cell.holds or universe.spare)[:2]
            if removed and added and len(some) < 2:
                raise BadCertificate(f"there is one record {some[0]} only, which no other one replaces")
            if removed + added > MOST_RECORDS:
                raise BadCertificate("the databases would have too many records")
            D += [some[0]] * removed
            E += [some[-1]] * added
        same = [*D, *E, *universe.records, *universe.spare][:1] * universe.sizes.filled(len(D), len(E))
        D, E = D + same, E + same
        pair: tuple[Database, Database] = (tuple(sorted(D)), tuple(sorted(E)))
        if pair[0] not in universe or pair[1] not in universe:
            raise BadCertificate("there are no databases of that size")
        return tuple(sorted(D)), tuple(sorted(E))


MOST_RECORDS = 1_000
"""The most records of a kind in which two databases of a counterexample differ."""


@dataclass(frozen=True)
class Loses:
    """What one mechanism of a counterexample loses, and by what: two outcomes built at E, or its noise."""

    name: str
    loss: sympy.Expr
    by: str

    def data(self) -> dict[str, str]:
        return {"mechanism": self.name, "loss": formulas.to_text(self.loss), "by": self.by}


@dataclass(frozen=True)
class MetricCounterexample:
    """Two databases at which the mechanisms lose more than a claimed metric allows.

    point -- the letters that give D, E and the parameters; claimed, actual -- real constants.
    """

    point: Mapping[str, Fraction]
    databases: tuple[Mapping[str, Any], Mapping[str, Any]]
    parameters: Mapping[str, Fraction]
    claimed: sympy.Expr
    actual: sympy.Expr
    rows: tuple[Loses, ...]

    def data(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "databases": [dict(one) for one in self.databases],
            "parameters": {name: str(x) for name, x in self.parameters.items()},
            "claimed": formulas.to_text(self.claimed),
            "actual": formulas.to_text(self.actual),
            "reached": [row.data() for row in self.rows],
            "letters": {name: str(x) for name, x in self.point.items()},
        }


def unwitnessed(composition: Composition, known: Callable[[str], bool]) -> str:
    """Why nothing can be refuted by the mechanisms, in words; "" where all have witnesses."""
    for mechanism in composition.setting.mechanisms:
        if mechanism.noise is None and not composition.is_metric(mechanism.metric, known):
            return (
                f"it is not known that {formulas.to_text(mechanism.metric)}, in which {mechanism.name} is "
                "private, satisfies the triangle inequality, and so not whether so much can be lost"
            )
        if composition.is_opaque(mechanism.metric):
            return f"of the metric in which {mechanism.name} is private a bound alone is known"
    return ""


def refute(
    composition: Composition, claimed: sympy.Expr, point: Mapping[str, Fraction], known: Callable[[str], bool]
) -> MetricCounterexample:
    """The counterexample at a point, made of exact values.

    known -- which of the named metrics are metrics, for sure.  Raises BadCertificate where there is none.
    """
    setting, letters = composition.setting, composition.letters
    if doubt := unwitnessed(composition, known):
        raise BadCertificate(doubt)
    full = composition.complete(point)
    rows = tuple(_loses(composition, one, full) for one in setting.mechanisms)
    actual = sympy.Add(*(row.loss for row in rows))
    limit = composition.value(letters.of(claimed), full)
    check_exceeds(actual, limit)
    parameters = {name: full[name] for name in sorted(setting.domains)}
    pair = (composition.shown(full, "D"), composition.shown(full, "E"))
    return MetricCounterexample(dict(point), pair, parameters, limit, actual, rows)


def _loses(composition: Composition, mechanism: MetricMechanism, point: Mapping[str, Fraction]) -> Loses:
    loss = composition.value(composition.letters.of(composition.stated(mechanism)), point)
    if mechanism.noise is None or mechanism.values is None:
        at_D = sympy.exp(-loss) / 2
        return Loses(
            mechanism.name,
            loss,
            f"with outcomes 1, 0 and P(1) = {formulas.to_text(at_D)} at D, 1/2 at D'",
        )
    page = composition.theory.noise(mechanism.noise.word)
    if page is None or not page.head.attained:
        raise BadCertificate(f"what {mechanism.name} loses at two databases is not known")
    at = [
        ", ".join(formulas.to_text(composition.value(x, point)) for x in mechanism.values.of(who))
        for who in "DE"
    ]
    return Loses(
        mechanism.name, loss, f"itself: ({at[0]}) at D, ({at[1]}) at D', with {mechanism.noise.words}"
    )


def check_exceeds(x: sympy.Expr, y: sympy.Expr) -> None:
    """Raises BadCertificate unless x > y, real constants, for sure."""
    difference = sympy.expand(x - y)
    if not (difference > 0 if difference.is_Rational else sign(difference) == 1):
        raise ShowsNothing("the one side is not seen to be larger than the other there")


def breaks(composition: Composition, obligation: Obligation, point: Mapping[str, Fraction]) -> str:
    """That an axiom fails at databases D, E, F, in words.  Raises BadCertificate where it is not seen to."""
    full = composition.complete(point)
    more, less = (composition.value(one, full) for one in (obligation.lesser, obligation.greater))
    check_exceeds(more, less)
    return (
        f"{obligation.words} fails: {formulas.to_text(less)} is less than {formulas.to_text(more)}"
        if "d(D, D)" not in obligation.words
        else f"d(D, D) = {formulas.to_text(more)}"
    )


# certificates


def check_everywhere(letters: Letters, greater: sympy.Expr, lesser: sympy.Expr, shown: Any) -> frozenset[str]:
    """The deciders by which what is shown proves every case of a comparison, and no more.

    Raises BadCertificate where it does not.
    """
    if not isinstance(shown, dict) or set(shown) != {"whole", "groups"}:
        raise BadCertificate("the certificate cannot be read")
    every = letters.groups(greater, lesser)
    groups = [(greater, lesser)] if shown["whole"] is True else [(g, l) for _, g, l in every]
    if not isinstance(shown["groups"], list) or len(shown["groups"]) != len(groups):
        raise BadCertificate(f"there are {len(groups)} groups to prove")
    some = (_check_group(letters, *one, proofs) for one, proofs in zip(groups, shown["groups"], strict=True))
    return frozenset[str]().union(*some)


def _check_group(letters: Letters, greater: sympy.Expr, lesser: sympy.Expr, shown: Any) -> frozenset[str]:
    if not isinstance(shown, dict) or set(shown) != {"level", "cases"} or shown["level"] not in LEVELS:
        raise BadCertificate("the certificate cannot be read")
    some, proofs = list(letters.cases(greater, lesser, shown["level"])), shown["cases"]
    if not isinstance(proofs, list) or len(proofs) != len(some):
        raise BadCertificate(f"there are {len(some)} cases to prove")
    used = (
        comparison.check_at_least(case.greater, case.lesser, proof)
        for case, proof in zip(some, proofs, strict=True)
    )
    return frozenset[str]().union(*used)


def check_larger(composition: Composition, claimed: sympy.Expr, point: Mapping[str, Fraction]) -> None:
    """Raises BadCertificate unless a claim is larger at the point than the metric of the composition."""
    more, less = composition.values((claimed, composition.metric), point)
    check_exceeds(more, less)


# what is said


def result(composition: Composition, known: Callable[[str], bool]) -> dict[str, Any]:
    """The metric of a composition as it is saved."""
    metric = formulas.to_text(composition.metric)
    return {"notion": "pure", "metric": metric, "optimal": composition.attained(known)}


def pages_of(composition: Composition) -> dict[str, str]:
    """The SHA-256 of the pages that a result rests on: composed metrics, closed forms, witnesses, noise."""
    theory = composition.theory
    words = {one.noise.word for one in composition.setting.mechanisms if one.noise is not None}
    some = [composition.page, theory.witness("pure"), *(theory.noise(word) for word in sorted(words))]
    used = {page.id for page in some if page is not None} | composition.letters.pages
    used |= theory.lemmas(used, "pure")
    return {id: theory.pages[id].sha256 for id in sorted(used)}


def believed(
    composition: Composition, known: Callable[[str], bool], bounds: Callable[[str], bool]
) -> tuple[str, ...]:
    """What a result assumes and nothing checked, as sentences."""
    setting = composition.setting
    some = []
    for mechanism in setting.mechanisms:
        if mechanism.noise is None:
            some.append(f"{mechanism.name} is private in the metric {formulas.to_text(mechanism.metric)}")
        else:
            read = mechanism.values.name if mechanism.values is not None else ""
            some.append(f"{mechanism.name} adds {mechanism.noise.words} to {read or 'the point'}")
    if len(setting.mechanisms) > 1:
        each = "each is private in its metric whatever the earlier outputs are"
        some.append(each if setting.adaptive else "the mechanisms are independent")
    used = composition.used
    some += [f"{name} is a metric" for name in used if not known(name)]
    some += [
        f"{name} is at most {formulas.to_text(bound)}"
        for name in used
        if (bound := setting.metrics[name].at_most) is not None and not bounds(name)
    ]
    return (*some, *registry.believed(relied_on(composition)))


def relied_on(composition: Composition) -> tuple[Page, ...]:
    """The pages that a result rests on, and which the program does not derive."""
    return composition.theory.relied_on(pages_of(composition))
