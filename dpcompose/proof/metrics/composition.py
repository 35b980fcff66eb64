"""What mechanisms lose together at two databases, as formulas in metrics (GB Thm. IV.1, VI.4, VI.13, VI.21).

Each mechanism has parameters of its notion at D, E: of pure privacy ε = d(D, E), of zCDP ρ = d(D, E)², and so
on. They are composed by the rule of a notion, as for neighbours; where mechanisms or a claim are of other
notions, by conversions, which hold for any two distributions of outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

import sympy

from dpcompose.language import formulas
from dpcompose.language.symbols import NONNEGATIVE, moves, symbol
from dpcompose.language.worstcase import Over
from dpcompose.privacy.metrics.setting import (
    POWERS,
    MetricGuarantee,
    MetricMechanism,
    MetricSetting,
    as_metric,
)
from dpcompose.proof import registry
from dpcompose.proof.metrics.axioms import Axioms
from dpcompose.proof.metrics.cells import COUNT, NoForm
from dpcompose.proof.metrics.letters import Letters
from dpcompose.proof.registry import Page, Theory
from dpcompose.spaces.points import Counted, Declared, Made, Norm

Parameters = Mapping[str, sympy.Expr]
"""The parameters of a notion, each a formula in named metrics."""


@dataclass(frozen=True)
class Way:
    """How guarantees become one of a claim's notion.

    notion -- in which they are composed; parts -- by another notion the page by which its guarantees are
    converted to that; whole -- the page by which the composed guarantee is, "" where it is of the notion.
    """

    notion: str
    parts: tuple[tuple[str, str], ...] = ()
    whole: str = ""

    def data(self) -> dict[str, Any]:
        """As JSON."""
        return {"notion": self.notion, "parts": dict(self.parts), "whole": self.whole}

    @property
    def pages(self) -> frozenset[str]:
        """The conversions that it uses."""
        return frozenset(page for _, page in self.parts) | ({self.whole} if self.whole else set())


@dataclass(frozen=True, eq=False)
class Composition:
    """The mechanisms of a setting together: what they lose, and what it rests on."""

    setting: MetricSetting
    theory: Theory
    _known: dict[Any, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def letters(self) -> Letters:
        return Letters(self.setting, self.theory)

    @cached_property
    def axioms(self) -> Axioms:
        return Axioms(self.setting, self.letters)

    # guarantees

    def stated(self, mechanism: MetricMechanism) -> dict[str, sympy.Expr]:
        """What a mechanism loses at D, E; of noise as its page states it."""
        if mechanism.noise is None:
            return mechanism.parameters
        page = self.theory.noise(mechanism.noise.word)
        parameter, power = POWERS[mechanism.notion]
        if page is not None and mechanism.notion in page.head.guarantee and power == 1:
            unit = mechanism.noise.value(page.head.guarantee[mechanism.notion][parameter])
            for name, letter in self.setting.letters.items():
                distance = self.setting.metrics[name].distance
                fits = isinstance(distance, Counted) or distance == Norm(
                    page.head.norm, mechanism.values or _NONE
                )
                if fits and letter in mechanism.metric.free_symbols:
                    return {parameter: unit * letter}
        raise NoForm(f"no page says in which metric {mechanism.noise.words} is private")

    @cached_property
    def notion(self) -> str:
        """The notion in which the composition is shown: that of the claims, or of the mechanisms."""
        some = [*self._claimed, *self.setting.notions]
        return next((one for one in some if self.own_way(one) is not None), some[0])

    @property
    def _claimed(self) -> list[str]:
        claims = self.setting.data.get("claims", [])
        found = list(dict.fromkeys(one.get("notion") for one in claims if isinstance(one, Mapping)))
        return [one for one in found if one in POWERS] if len(found) == 1 else []

    def own_way(self, notion: str) -> Way | None:
        """The first way to compose in a notion."""
        return next((one for one in self.ways(notion) if not one.whole), None)

    def ways(self, notion: str) -> list[Way]:
        """All ways to a guarantee of a notion; those without conversions of the whole first."""
        if notion not in self._known:
            found = [Way(notion, parts) for parts in self._parts(notion)]
            for page in self._conversions(None, notion):
                found += [Way(page.head.from_, parts, page.id) for parts in self._parts(page.head.from_)]
            self._known[notion] = sorted(found, key=lambda one: (bool(one.whole), len(one.parts)))
        return list(self._known[notion])

    def _parts(self, notion: str) -> Iterator[tuple[tuple[str, str], ...]]:
        """How all mechanisms come to have guarantees of a notion."""
        if notion not in self.theory.notions or notion not in POWERS:
            return
        others = [one for one in self.setting.notions if one != notion]
        pages = [[page.id for page in self._conversions(one, notion) if not page.head.free] for one in others]
        for some in product(*pages):
            yield tuple(zip(others, some, strict=True))

    def _conversions(self, of: str | None, notion: str) -> list[Page]:
        return [
            page
            for page in self.theory.of_kind("conversion")
            if page.head.to == notion
            and of in (None, page.head.from_)
            and not page.head.only
            and page.head.from_ in POWERS
        ]

    def loses(self, mechanism: MetricMechanism, way: Way) -> dict[str, sympy.Expr]:
        """The parameters at D, E of one mechanism, in the notion of a way."""
        stated, pages = self.stated(mechanism), dict(way.parts)
        if mechanism.notion == way.notion:
            return stated
        return self._converted(pages[mechanism.notion], stated, {})

    def _converted(self, id: str, values: Parameters, chosen: Parameters) -> dict[str, sympy.Expr]:
        head = self.theory.pages[id].head
        known = {**values, **{name: chosen[name] for name in head.free}}
        try:
            return {key: formulas.parse(text, known) for key, text in head.parameters.items()}
        except formulas.FormulaError as error:
            raise NoForm(f"by {id} there is no guarantee with these values: {error.message}") from None

    def composed(self, way: Way) -> dict[str, sympy.Expr]:
        """The parameters at D, E of all mechanisms together, in the notion in which a way composes them."""
        some = [(self.loses(one, way), one.members) for one in self.setting.mechanisms]
        rule = self.theory.rule(way.notion).head
        return {
            key: together(rule.composition[key], key, [(lost[key], members) for lost, members in some])
            for key in rule.parameters
        }

    def bound(self, way: Way, claim: MetricGuarantee) -> dict[str, sympy.Expr]:
        """The parameters at D, E that a way gives in the notion of a claim; what is free is as claimed.

        Raises NoForm where the way gives none.
        """
        found = self.composed(way)
        if not way.whole:
            return found
        free = self.theory.pages[way.whole].head.free
        for name in free:
            if not self.axioms.is_nonnegative(claim.parameters[name]):
                raise NoForm(f"it is not known that the claimed {name} is never negative")
        return self._converted(way.whole, found, claim.parameters)

    @cached_property
    def guarantee(self) -> dict[str, sympy.Expr]:
        """The parameters at D, E of the composition, in its notion; ∞ where nothing is known of it."""
        way = self.own_way(self.notion)
        if way is None:
            return dict.fromkeys(self.theory.rule(self.notion).head.parameters, sympy.oo)
        return self.composed(way)

    @cached_property
    def metric(self) -> sympy.Expr:
        """The metric in which the composition is private, a formula in the named ones."""
        return as_metric(self.notion, self.guarantee)

    @property
    def delta(self) -> sympy.Expr | None:
        """δ(D, E), where the notion has it."""
        return self.guarantee.get("delta")

    @property
    def used(self) -> tuple[str, ...]:
        """The named metrics that the guarantees are made of, with those that these are made of."""
        named = self.setting.metrics
        found: list[str] = []
        open_ = [value for one in self.setting.mechanisms for value in self.stated(one).values()]
        while open_:
            for name in sorted(map(str, open_.pop().free_symbols)):
                if name in named and name not in found:
                    found.append(name)
                    distance, bound = named[name].distance, named[name].at_most
                    open_ += [distance.formula] if isinstance(distance, Made) else []
                    open_ += [] if bound is None else [bound]
        return tuple(name for name in named if name in found)

    # what is attained

    def attained(self, known: Callable[[str], bool]) -> bool | None:
        """True where at all D, E mechanisms lose as much as the guarantee says; None where that is not known.

        Noise does by itself, others by witnesses, which are private if what they are built of are metrics.
        """
        if set(self.setting.notions) != {self.notion} or self.delta is not None:
            return None
        tables = [one.lost for one in self.setting.mechanisms if one.lost is not None]
        if sum(not one.is_symmetric for one in tables) > 1:  # they may lose most in opposite directions
            return None
        fine = all(
            one.noise is not None or one.lost is not None or self.axioms.is_metric(one.metric, known)
            for one in self.setting.mechanisms
        )
        return True if fine else None

    def is_opaque(self, metric: sympy.Expr) -> bool:
        """Whether a formula rests on a metric of which a bound alone is known."""
        for one in metric.free_symbols:
            match self.setting.metrics[str(one)].distance if str(one) in self.setting.metrics else None:
                case Declared():
                    return True
                case Made(formula) if self.is_opaque(formula):
                    return True
        return False

    def at_most(self, metric: sympy.Expr) -> sympy.Expr:
        """A formula that grows with its metrics, with bounds in place of metrics known by them alone."""
        letters = self.setting.letters
        while self.is_opaque(metric) and self.axioms.is_metric(metric, lambda _: True):
            bounds = {
                letters[name]: one.at_most if isinstance(one.distance, Declared) else one.distance.formula
                for name, one in self.setting.metrics.items()
                if isinstance(one.distance, Declared | Made) and letters[name] in metric.free_symbols
            }
            metric = metric.xreplace({name: bound for name, bound in bounds.items() if bound is not None})
        return metric

    # what it rests on

    @property
    def page(self) -> Page:
        """The page by which guarantees of parts make that of the whole: on metrics, or a rule."""
        forms = [one for one in self.theory.of_kind("metric") if _is_form(one, self.notion)]
        return forms[0] if forms else self.theory.rule(self.notion)

    def pages(self, ways: Sequence[Way]) -> dict[str, str]:
        """The SHA-256 of the pages that a result rests on: rules, conversions, forms, witnesses, noise.

        ways -- those by which claims are proved.
        """
        theory = self.theory
        words = {one.noise.word for one in self.setting.mechanisms if one.noise is not None}
        notions = {self.notion, *self.setting.notions, *(one.notion for one in ways)}
        some = [theory.noise(word) for word in sorted(words)]
        for notion in sorted(notions):
            some += [theory.rule(notion), theory.witness(notion)]
            some += [one for one in theory.of_kind("metric") if _is_form(one, notion)]
        used = {page.id for page in some if page is not None} | self.letters.pages
        own = self.own_way(self.notion)
        used |= frozenset[str]().union(*(one.pages for one in (*ways, *([own] if own else []))))
        for notion in notions:
            used |= theory.lemmas(used, notion)
        return {id: theory.pages[id].sha256 for id in sorted(used)}

    def believed(
        self, known: Callable[[str], bool], bounds: Callable[[str], bool], ways: Sequence[Way]
    ) -> tuple[str, ...]:
        """What a result assumes and nothing checked, as sentences."""
        setting = self.setting
        some = [_assumed(mechanism) for mechanism in setting.mechanisms]
        if setting.several:
            each = "each is private in its metric whatever the earlier outputs are"
            some.append(each if setting.adaptive else "the mechanisms are independent")
        some += [self.where] if self.where else []
        some += [
            f"what is done to the output of {one.name} ({one.processing}) reads nothing else"
            for one in setting.mechanisms
            if one.processing
        ]
        used = self.used
        some += [f"{name} is a metric" for name in used if not known(name)]
        some += [
            f"{name} is at most {formulas.to_text(bound)}"
            for name in used
            if (bound := setting.metrics[name].at_most) is not None and not bounds(name)
        ]
        return (*some, *registry.believed(self.relied_on(ways)))

    @property
    def where(self) -> str:
        """What is assumed of the parameters, in words."""
        return " and ".join(map(str, self.setting.assume))

    def relied_on(self, ways: Sequence[Way]) -> tuple[Page, ...]:
        """The pages that a result rests on, and which the program does not derive."""
        return self.theory.relied_on(self.pages(ways))

    def result(self, known: Callable[[str], bool]) -> dict[str, Any]:
        """The guarantee as it is saved, and shown as JSON."""
        found = {"notion": self.notion, "metric": formulas.to_text(self.metric)}
        if self.delta is not None:
            found["delta"] = formulas.to_text(self.delta)
        return {**found, "optimal": self.attained(known)}


def together(composition: str, key: str, lost: Sequence[tuple[sympy.Expr, sympy.Expr | None]]) -> sympy.Expr:
    """A parameter of mechanisms together, by the formula of a rule: one of Σ f(x[i]).

    lost -- that of each one, and for a family how many there are.  Raises NoForm.

    >>> from dpcompose.language.symbols import member, symbol
    >>> d, k = symbol("d"), symbol("k", COUNT)
    >>> together("sum(epsilon[i], i, 1, k)", "epsilon", [(2 * d, None), (member("e") * d, k)])
    d*sum(e[i], i, 1, k) + 2*d
    """
    each, shape = _shape(composition, key)
    sums = shape.atoms(Over)
    totals = {
        one: sympy.Add(*(_summed(one.args[1].xreplace({each: x}), members) for x, members in lost))
        for one in sums
    }
    return shape.xreplace(totals)


@lru_cache(maxsize=100)
def _shape(composition: str, key: str) -> tuple[sympy.Expr, sympy.Expr]:
    """The letter of one mechanism's parameter, and the formula of a rule with sums of it."""
    each = symbol(f"{key}[i]", NONNEGATIVE)
    shape = formulas.parse(composition, {"k": symbol("k", COUNT), str(each): each})
    sums = shape.atoms(Over)
    left = shape.xreplace(dict.fromkeys(sums, sympy.Integer(0))).free_symbols
    if left or any(one.args[0] != one.args[2] for one in sums):
        raise NoForm(f"{key} of several is {composition}, and no sum")
    return each, shape


def _summed(x: sympy.Expr, members: sympy.Expr | None) -> sympy.Expr:
    """The sum over the members of a family: of c[i]·m it is m times that of c[i]."""
    if members is None or x is sympy.oo:
        return x
    found = []
    for term in sympy.Add.make_args(sympy.expand(x)):
        factors = sympy.Mul.make_args(term)
        moving = sympy.Mul(*(one for one in factors if any(moves(s.name) for s in one.free_symbols)))
        found.append(Over(members, moving, members) * (term / moving))
    return sympy.Add(*found)


def _is_form(page: Page, notion: str) -> bool:
    return bool(page.head.states == "metric form" and page.head.notion == notion)


def _assumed(mechanism: MetricMechanism) -> str:
    """What is assumed of a mechanism, or of the i-th one of a family."""
    called = mechanism.called if mechanism.members is None else f"{mechanism.called}: each"
    if mechanism.noise is not None:
        read = mechanism.values.name if mechanism.values is not None else "the count"
        return f"{mechanism.called} adds {mechanism.noise.words} to {read or 'the point'}"
    if mechanism.lost is not None:
        return f"{mechanism.name} has the probabilities of the table {mechanism.lost.table}"
    if mechanism.stated:
        return f"{called} satisfies {mechanism.stated}"
    notion = "" if mechanism.notion == "pure" else f"{mechanism.notion}-"
    delta = "" if mechanism.delta is None else f", with delta {formulas.to_text(mechanism.delta)}"
    return f"{called} is {notion}private in the metric {formulas.to_text(mechanism.metric)}{delta}"


_NONE: Any = None
