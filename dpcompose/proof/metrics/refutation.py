"""Two databases, and mechanisms as stated that lose more there than a claim allows, in exact values.

Where d_i is a metric, the mechanism of its notion's witness page that is built at E is d_i-private and loses
just d_i(D, E) at D.  Noise is its own witness.  Where no mechanism is known, that always says the same: what
a part of a composition loses the whole does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, cmp_to_key
from typing import Any

import sympy

from dpcompose.kernel.certificates import BadCertificate
from dpcompose.language import formulas
from dpcompose.language.meaning import sign
from dpcompose.privacy.metrics import families
from dpcompose.privacy.metrics.setting import POWERS, MetricGuarantee, MetricMechanism
from dpcompose.proof.metrics.axioms import Obligation
from dpcompose.proof.metrics.composition import Composition, together
from dpcompose.proof.metrics.pairs import At, Pairs, ShowsNothing
from dpcompose.proof.registry import Page
from dpcompose.spaces.points import Lost

ZERO = sympy.Integer(0)
MOST_LOSING = 50
"""Of how many alike mechanisms an event is looked at in which all of them lose."""


@dataclass(frozen=True)
class Loses:
    """What one mechanism of a counterexample loses, and by what: a mechanism built at E, or its noise.

    times -- how many there are, each of which loses that.
    """

    name: str
    loss: sympy.Expr
    by: str
    times: int = 1

    def data(self) -> dict[str, Any]:
        several = {"times": self.times} if self.times > 1 else {}
        return {"mechanism": self.name, "loss": formulas.to_text(self.loss), "by": self.by, **several}

    def words(self) -> str:
        """By what it loses, in words, for results."""
        return self.by


@dataclass(frozen=True)
class MetricCounterexample:
    """Two databases at which the mechanisms lose more than a claim allows.

    point -- the letters that give D, E and the parameters; parameter -- which one of the notion is exceeded;
    claimed, actual -- real constants, or ∞.
    """

    point: Mapping[str, Fraction]
    databases: tuple[Mapping[str, Any], Mapping[str, Any]]
    parameters: Mapping[str, Fraction]
    parameter: str
    claimed: sympy.Expr
    actual: sympy.Expr
    rows: tuple[Loses, ...]

    def data(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "databases": [dict(one) for one in self.databases],
            "parameters": {name: str(x) for name, x in self.parameters.items()},
            "parameter": self.parameter,
            "claimed": formulas.to_text(self.claimed),
            "actual": formulas.to_text(self.actual),
            "reached": [row.data() for row in self.rows],
            "letters": {name: str(x) for name, x in self.point.items()},
        }


@dataclass(frozen=True, eq=False)
class Refutation:
    """What refutes claims about a composition.

    known -- which of the named metrics are metrics, for sure.
    """

    composition: Composition
    known: Callable[[str], bool]
    _found: dict[tuple[str, str], str] = field(default_factory=dict, repr=False)

    @cached_property
    def pairs(self) -> Pairs:
        return Pairs(self.composition.setting, self.composition.letters)

    def unwitnessed(self, mechanism: MetricMechanism, notion: str) -> str:
        """As `_unwitnessed`, looked for once."""
        key = (mechanism.name, notion)
        if key not in self._found:
            self._found[key] = self._unwitnessed(mechanism, notion)
        return self._found[key]

    def _unwitnessed(self, mechanism: MetricMechanism, notion: str) -> str:
        """Why a mechanism is not known to lose anything in a notion, in words; "" where it is."""
        composition = self.composition
        if mechanism.lost is not None:
            table = f"what the table of {mechanism.name} loses in {notion} privacy is not looked at"
            return "" if notion == mechanism.notion else table
        if composition.is_opaque(mechanism.metric):
            return f"of the metric in which {mechanism.name} is private a bound alone is known"
        if mechanism.noise is not None:
            page = composition.theory.noise(mechanism.noise.word)
            if page is None or not page.head.attained or notion not in page.head.guarantee:
                return f"what {mechanism.name} loses at two databases in {notion} privacy is not known"
        elif not composition.axioms.is_metric(mechanism.metric, self.known):
            return (
                f"it is not known that {formulas.to_text(mechanism.metric)}, in which {mechanism.name} is "
                "private, satisfies the triangle inequality, and so not whether so much can be lost"
            )
        if not _alike(mechanism.notion, notion) and self._violation(mechanism, notion) is None:
            return f"what {mechanism.name} loses in {notion} privacy is not known"
        return ""

    def _violation(self, mechanism: MetricMechanism, notion: str) -> str | None:
        """The formula of what a mechanism with a guarantee in a metric can lose in another notion."""
        page = self._violating(mechanism, notion)
        found: str | None = None if page is None else page.head.in_a_metric
        return found

    def _violating(self, mechanism: MetricMechanism, notion: str) -> Page | None:
        """The page on what mechanisms of a notion lose in another."""
        return self.composition.theory.violation(mechanism.notion, notion)

    def doubt(self, notion: str) -> str:
        """Why no mechanism at all is known to lose anything in a notion; "" where some is."""
        found = self.doubts(notion)
        return (found[0] if all(found) else "") or self.unsatisfiable

    @cached_property
    def unsatisfiable(self) -> str:
        """Why it is not known that some mechanisms are as stated: what is lost is to be ≥ 0 at all D, E."""
        for one in self.composition.setting.mechanisms:
            for stated in [one.metric] if one.delta is None else [one.metric, one.delta]:
                if not self.composition.axioms.is_nonnegative(stated):
                    said = f"it is not known that {formulas.to_text(stated)}, stated of {one.name}"
                    return f"{said}, is never negative"
        return ""

    def doubts(self, notion: str) -> list[str]:
        """For each mechanism why it is not known to lose anything in a notion, or ""."""
        return [self.unwitnessed(one, notion) for one in self.composition.setting.mechanisms]

    def refute(self, claim: MetricGuarantee, point: Mapping[str, Fraction]) -> MetricCounterexample:
        """The counterexample at a point.  Raises BadCertificate where there is none."""
        setting = self.composition.setting
        if doubt := self.doubt(claim.notion):
            raise BadCertificate(doubt)
        if setting.is_open:
            return self._of_members(claim, point)
        full = self.pairs.complete(point)
        key, actual, limit, rows = self._exceeded(claim, full)
        parameters = {name: Fraction(full[name] or 0) for name in sorted(setting.domains, key=_in_order)}
        pair = (self.pairs.shown(full, "D"), self.pairs.shown(full, "E"))
        return MetricCounterexample(dict(point), pair, parameters, key, limit, actual, rows)

    def _of_members(self, claim: MetricGuarantee, point: Mapping[str, Fraction]) -> MetricCounterexample:
        """The same of families, whose members are written out; the point says how many there are."""
        setting = self.composition.setting
        try:
            numbers = {name: int(point[name]) for name in families.counts(setting)}
            written = families.WrittenOut(setting, numbers)
            inner = Refutation(Composition(written.made, self.composition.theory), self.known)
            return inner.refute(written.guarantee(claim), point)
        except (KeyError, families.TooMany) as error:
            raise BadCertificate(f"members cannot be written out: {error}") from None

    def _exceeded(
        self, claim: MetricGuarantee, full: At
    ) -> tuple[str, sympy.Expr, sympy.Expr, tuple[Loses, ...]]:
        """The parameter that is exceeded: what is lost, what is claimed, and by what."""
        letters = self.composition.letters
        key, power = POWERS[claim.notion]
        claimed = self.pairs.value(letters.of(self.composition.at_most(claim.metric)), full)
        rows = tuple(self._loses(one, claim.notion, full) for one in self.composition.setting.mechanisms)
        if "delta" in claim.parameters:
            assert claim.delta is not None
            delta = self.pairs.value(letters.of(claim.delta), full)
            return "delta", *self._exceeds_delta(rows, claimed, delta, full)
        if power != 1 and claimed is not sympy.oo and sign_of(claimed) == -1:  # its square is a claim
            raise BadCertificate("the claim is negative there")
        actual = self._together(claim.notion, rows)
        limit = claimed if claimed is sympy.oo else claimed**power
        check_exceeds(actual, limit)
        if power == 1:
            return key, actual, limit, rows
        return "metric", sympy.root(actual, power) if actual is not sympy.oo else actual, claimed, rows

    def _together(self, notion: str, rows: Sequence[Loses]) -> sympy.Expr:
        if any(row.loss is sympy.oo for row in rows):
            return sympy.oo
        rule, (key, _) = self.composition.theory.rule(notion).head, POWERS[notion]
        return together(rule.composition[key], key, [(row.loss, sympy.Integer(row.times)) for row in rows])

    def _loses(self, mechanism: MetricMechanism, notion: str, point: At) -> Loses:
        """What a mechanism loses at D, E in a notion, and each of a family of alike ones."""
        times = 1 if mechanism.members is None else int(mechanism.members)
        found = replace(self._one_loses(mechanism, notion, point), name=mechanism.called, times=times)
        return found if times == 1 else replace(found, by=f"each {found.by}")

    def _one_loses(self, mechanism: MetricMechanism, notion: str, point: At) -> Loses:
        """What a mechanism loses at D, E in a notion; 0 where none is known that loses anything."""
        if self.unwitnessed(mechanism, notion):
            return Loses(mechanism.name, ZERO, "always the same")
        if mechanism.lost is not None:
            return self._of_table(mechanism, mechanism.lost, point)
        stated = self.composition.stated(mechanism)
        key, power = POWERS[mechanism.notion]
        loss = self.pairs.value(self.composition.letters.of(stated[key]), point)
        by = (
            self._noise(mechanism, point)
            if mechanism.noise is not None
            else _built(self._witness(mechanism.notion), loss, power)
        )
        if not _alike(mechanism.notion, notion):
            text, page = self._violation(mechanism, notion), self._violating(mechanism, notion)
            assert text is not None and page is not None
            if mechanism.noise is None and self._witness(mechanism.notion).by != "noise":
                by = f"as {page.head.mechanism}"  # another one than loses most in its own notion
            finite = loss is not sympy.oo and loss != 0
            loss = formulas.parse(text, {key: loss}) if finite else loss
        return Loses(mechanism.name, loss, by)

    def _of_table(self, mechanism: MetricMechanism, lost: Lost, point: At) -> Loses:
        """ln(P(o) at E / P(o) at D) of the outcome for which it is largest, as of mechanisms built at E."""
        D, E = self.pairs.elements(point)
        best, said = ZERO, "always the same"
        for outcome, ratio in lost.ratios(E, D).items():
            loss = sympy.oo if ratio is None else sympy.log(self.pairs.value(ratio, point))
            if loss is sympy.oo or sign_of(loss - best) == 1:
                best, said = loss, f"itself, {outcome} being that much more likely at D'"
            if loss is sympy.oo:
                break
        return Loses(mechanism.name, best, said)

    def _witness(self, notion: str) -> Any:
        """The head of the page on what mechanisms of a notion lose."""
        page = self.composition.theory.witness(notion)
        if page is None:
            raise BadCertificate(f"no page has witnesses of {notion} privacy")
        return page.head

    def _noise(self, mechanism: MetricMechanism, point: At) -> str:
        assert mechanism.noise is not None
        if mechanism.values is None:
            return f"itself, with {mechanism.noise.words}"
        at = [
            ", ".join(formulas.to_text(self.pairs.value(x, point)) for x in mechanism.values.of(who))
            for who in "DE"
        ]
        return f"itself: ({at[0]}) at D, ({at[1]}) at D', with {mechanism.noise.words}"

    # events, which a δ must be above

    def _exceeds_delta(
        self, rows: Sequence[Loses], claimed: sympy.Expr, delta: sympy.Expr, full: At
    ) -> tuple[sympy.Expr, sympy.Expr, tuple[Loses, ...]]:
        """How much more likely an event is at one database than e^ε times at the other, if above δ:
        that some mechanism says which database it is not, or that all outcomes are 1, the mechanisms, and δ.

        Of m two-outcome mechanisms with losses L the event has probability 2^(−m) at E, and 2^(−m)·e^(−ΣL) at
        D.
        """
        if delta is sympy.oo or claimed is sympy.oo:
            raise ShowsNothing("the claim says nothing there")
        leaks = list(self._leaks(full))
        leaked = 1 - sympy.Mul(*((1 - one.loss) ** one.times for one in leaks))
        if leaks and sign_of(leaked - delta) == 1:
            return leaked, delta, tuple(leaks)
        each = (replace(row, times=1) for row in rows for _ in range(min(row.times, MOST_LOSING)))
        losing = sorted((row for row in each if row.loss != 0), key=cmp_to_key(_more), reverse=True)
        for m in range(1, len(losing) + 1):
            some = [row.loss for row in losing[:m]]
            lost = sympy.Integer(1) if sympy.oo in some else 1 - sympy.exp(claimed - sympy.Add(*some))
            missed = lost / 2**m
            if sign_of(missed - delta) == 1:
                return missed, delta, tuple(losing[:m])
        raise ShowsNothing("no event is seen that the claim misses there")

    def _leaks(self, full: At) -> Iterator[Loses]:
        """Mechanisms that say at D with probability δ_i that it is not E, and else nothing.

        Such a mechanism is (0, δ_i)-private where δ_i is a metric.
        """
        for one in self.composition.setting.mechanisms:
            if one.delta is None or not self.composition.axioms.is_metric(one.delta, self.known):
                continue
            probability = self.pairs.value(self.composition.letters.of(one.delta), full)
            if probability is sympy.oo or sign_of(probability - 1) != -1:
                probability = sympy.Integer(1)
            if probability != 0:
                by = f"which says with probability {formulas.to_text(probability)} at D that it is not D'"
                yield Loses(one.called, probability, by, 1 if one.members is None else int(one.members))


def _in_order(name: str) -> tuple[str, int]:
    """Members of a family by their numbers: e[2] before e[10]."""
    family, _, number = name.partition("[")
    return family, int(number.removesuffix("]")) if number.removesuffix("]").isdecimal() else 0


def _alike(notion: str, other: str) -> bool:
    """Whether what one notion's witnesses lose is lost in another, too: of ε-DP also with a δ."""
    return POWERS[notion] == POWERS[other]


def _more(one: Loses, other: Loses) -> int:
    """Which of two loses more: the sign of the difference, 0 where that is not seen."""
    if sympy.oo in (one.loss, other.loss):
        return (one.loss is sympy.oo) - (other.loss is sympy.oo)
    return sign_of(one.loss - other.loss) or 0


def _built(witness: Any, loss: sympy.Expr, power: int) -> str:
    """A mechanism that is built at E, by a witness page, in words."""
    if loss is sympy.oo:
        return "with an outcome at D that is impossible at D'"
    if witness.by != "noise":
        return f"with outcomes 1, 0 and P(1) = {formulas.to_text(sympy.exp(-loss) / 2)} at D, 1/2 at D'"
    variance = witness.variance
    middle = formulas.to_text(sympy.root(loss, power))
    return f"with normal noise of variance {variance} around {middle} at D, 0 at D'"


def sign_of(x: sympy.Expr) -> int | None:
    """The sign of a real constant, if it is seen; 0 of 0."""
    if x is sympy.oo:
        return 1
    if x.is_Rational:
        return int(sympy.sign(x))
    return sign(x)


def check_exceeds(x: sympy.Expr, y: sympy.Expr) -> None:
    """Raises BadCertificate unless x > y, real constants or ∞, for sure."""
    if x is sympy.oo and y is not sympy.oo:
        return
    if y is sympy.oo or sign_of(sympy.expand(x - y)) != 1:
        raise ShowsNothing("the one side is not seen to be larger than the other there")


def breaks(pairs: Pairs, obligation: Obligation, point: Mapping[str, Fraction]) -> str:
    """That an axiom fails at databases D, E, F, in words.  Raises BadCertificate where it is not seen to."""
    full = pairs.complete(point)
    more, less = (pairs.value(one, full) for one in (obligation.lesser, obligation.greater))
    check_exceeds(more, less)
    return (
        f"{obligation.words} fails: {formulas.to_text(less)} is less than {formulas.to_text(more)}"
        if "d(D, D)" not in obligation.words
        else f"d(D, D) = {formulas.to_text(more)}"
    )
