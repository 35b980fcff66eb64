"""Counterexamples to claims in metrics as readers see them: from a theorem of the kernel that refutes one.

The theorem says at which two databases, and what mechanisms lose there together; here each of these is told,
with what it loses by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcompose.kernel import computed
from dpcompose.kernel.composition import losses, witnesses
from dpcompose.kernel.composition.witnesses import limited
from dpcompose.kernel.core.settings import Mechanism
from dpcompose.kernel.covers import places
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.deciders.curves import pieces
from dpcompose.kernel.expressions import formulas, naming, terms
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.judgements import Covers, Loses, Lower, Refuted
from dpcompose.kernel.library.theory import NoPage
from dpcompose.kernel.rules import metrics as rules
from dpcompose.kernel.theorems import Theorem
from dpcompose.privacy.guarantees.notions import POWERS
from dpcompose.privacy.mechanisms.mechanism import Mechanism as Stated
from dpcompose.proof.counterexamples.counterexamples import told_apart
from dpcompose.proof.counterexamples.refuting import Counterexample, Losing
from dpcompose.proof.counterexamples.witnesses import number_of
from dpcompose.search.metrics import databases
from dpcompose.search.metrics.claims import Judge, values_of
from dpcompose.spaces.canonical.points import ByParts

Point = Mapping[str, Fraction]


@frozen
class Lost(Losing):
    """What one mechanism of a counterexample loses, and by what; times -- how many lose that, each."""

    name: str
    loss: str
    by: str
    times: int = 1

    def data(self) -> dict[str, Any]:
        """As JSON."""
        several = {"times": self.times} if self.times > 1 else {}
        return {"mechanism": self.name, "loss": self.loss, "by": self.by, **several}

    def words(self) -> str:
        """By what it loses, in words, for results."""
        return self.by


@frozen
class At:
    """Two databases at which a claim fails: the case, all letters, and what is lost there, by a theorem."""

    judge: Judge
    lower: Theorem | None
    type: Type
    point: Point

    @property
    def mechanisms(self) -> Sequence[Stated]:
        return self.judge.told.setting.mechanisms

    def value(self, formula: Term) -> Term:
        """A formula in letters here."""
        return formulas.extended(formula, self.point)

    # databases

    def pair(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Both databases, by their parts: coordinates, records, or as their class shows them."""
        D, E = (
            databases.shown(self.judge.told, self.judge.theory, self.type, self.point, who) for who in "DE"
        )
        return D, E

    @property
    def parameters(self) -> dict[str, Fraction]:
        """The values of the parameters, and of the members of families."""
        names = {name for name, _ in self.judge.setting.parameters}
        families = {said.base for said in map(naming.read, names) if said.is_general}
        own = (name for name in self.point if name in names or naming.read(name).base in families)
        return {name: self.point[name] for name in sorted(own, key=_in_order)}

    # what each mechanism loses

    def rows(self, by: Sequence[int], notion: str, event: bool) -> Iterator[Lost]:
        """What each of some mechanisms loses, those that lose nothing left out."""
        for i in by:
            lost = self._alone(i, notion)
            mechanism = self.judge.setting.mechanisms[i - 1]
            for name, times, member in self._members(i, mechanism):
                there = {**self.point, **member}
                loss = _largest(formulas.extended(lost, there))
                if loss != terms.ZERO:
                    yield Lost(name, formulas.to_text(loss), self._by(i, notion, loss, event, times), times)

    def _members(self, i: int, mechanism: Mechanism) -> Iterator[tuple[str, int, Point]]:
        """The members of a mechanism that are told one by one, and how many are alike."""
        stated = self.mechanisms[i - 1]
        if mechanism.count is None:
            yield stated.name, 1, {}
            return
        number = int(formulas.at(mechanism.count, self.point).number or 1)
        if not stated.counts:
            yield f"{stated.name}[1], ..., {stated.name}[{number}]" if number > 1 else stated.name, number, {}
            return
        for j in range(1, number + 1):
            named = ((naming.read(name), x) for name, x in self.point.items())
            ends = {naming.general(said.base): x for said, x in named if said.index == j}
            yield f"{stated.name}[{j}]", 1, ends

    def _alone(self, i: int, notion: str) -> Term:
        """What M_i, or one member of a family, loses here."""
        assert self.lower is not None
        setting, theory = self.judge.setting, self.judge.theory
        mechanisms = [
            replace(mechanism, count=None) if n == i else mechanism
            for n, mechanism in enumerate(setting.mechanisms, start=1)
        ]
        alone = replace(setting, mechanisms=tuple(mechanisms))
        moves = tuple((n, ((1, some[0][1]),)) for n, some in self.type.moves if n == i)
        type = replace(self.type, moves=moves)
        stated = [premise.says.loss for premise in self.lower.premises if isinstance(premise.says, Loses)]
        page = witnesses.attained_in(theory, notion)
        here = losses.at_type(stated, type, theory)
        if page.head.by == "event":
            here = limited(here, page.head.shows, theory, [i])
        try:
            return witnesses.Witnesses(alone, theory, page, type, here, [i]).value()[0]
        except NoPage:
            return terms.ZERO

    def _by(self, i: int, notion: str, loss: Term, event: bool, times: int) -> str:
        """By what a mechanism loses, in words."""
        stated, theory, own = self.mechanisms[i - 1], self.judge.theory, self._notion(i)
        each = "each " if times > 1 else ""
        if stated.table is not None:
            return each + self._of_table(i)
        if stated.noise is not None:
            return each + self._of_noise(stated)
        if event:
            return f"{each}which says with probability {formulas.to_text(loss)} at D that it is not D'"
        if loss.kind == "oo" and self.value(dict(self.type_lost)[i]).kind == "oo":
            return each + OF_ALL
        if own != notion and POWERS[own] != POWERS[notion]:
            page = theory.first("violation", lambda one: (one.head.of, one.head.notion) == (own, notion), "")
            witness = theory.first("witness", lambda one: one.head.notion == own, "")
            if witness.head.by != "noise":
                return f"{each}as {page.head.mechanism}"
            loss = self.value(dict(self.type_lost)[i])
            return each + built(witness.head, loss)
        witness = theory.first("witness", lambda one: one.head.notion == own, "")
        head = (
            witness.head
            if witness.head.by != "event"
            else theory.first("witness", lambda one: one.head.notion == "pure", "").head
        )
        return each + built(head, loss)

    def of_curve(self, loss: losses.Loss) -> Iterator[Lost]:
        """What a mechanism is whose curve is looked at: its noise, or noise around how far it is from E."""
        i, stated, own = loss.mechanism, self.mechanisms[loss.mechanism - 1], self._notion(loss.mechanism)
        if i not in {moved for moved, _ in self.type.moves}:
            return
        for name, times, member in self._members(i, self.judge.setting.mechanisms[i - 1]):
            each = "each " if times > 1 else ""
            if stated.noise is not None:
                yield Lost(name, "", each + self._of_noise(stated), times)
                continue
            far = dict(self.type_lost)[i]
            x = formulas.extended(far, {**self.point, **member})
            if x == terms.ZERO:
                continue
            head = self.judge.theory.first("witness", lambda one: one.head.notion == own, "").head
            around = f"around {formulas.to_text(x)} at D, 0 at D'"
            noise = f"as Laplace noise of scale 1 {around}" if head.by != "noise" else built(head, x)
            yield Lost(name, formulas.to_text(x), each + (built(head, x) if x.kind == "oo" else noise), times)

    @property
    def type_lost(self) -> list[tuple[int, Term]]:
        lost = self.type.lost
        return [(i, far if far.kind == "oo" else far * self._part(i)) for i, far, _ in lost]

    def _notion(self, i: int) -> str:
        """That of the guarantee by which M_i loses what it does."""
        return self.judge.setting.mechanisms[i - 1].notion

    def _part(self, i: int) -> Term:
        """Which part of its metric M_i loses."""
        key, power = POWERS[self._notion(i)]
        return terms.power(dict(self.judge.setting.mechanisms[i - 1].values)[key], Fraction(1, power))

    def _of_table(self, i: int) -> str:
        table = self.judge.setting.mechanisms[i - 1].table
        assert table is not None
        x, y = (n for n in self.type.pair if isinstance(n, int))
        best, said = terms.ZERO, "always the same"
        for outcome, p, q in zip(table.outcomes, table.rows[x], table.rows[y], strict=True):
            for term, other, where in ((p, q, "D"), (q, p, "D'")):
                if term == terms.ZERO:
                    continue
                loss = terms.INFINITY if other == terms.ZERO else self.value(terms.log(term / other))
                if loss.kind == "oo" or (best.kind != "oo" and computed.is_more(loss, best, {})):
                    best, said = loss, f"itself, {outcome} being that much more likely at {where}"
        return said

    def _of_noise(self, stated: Stated) -> str:
        assert stated.noise is not None
        if stated.entries is None:
            return f"itself, with {stated.noise.words}"
        told = self.judge.setting.mechanisms[self.mechanisms.index(stated)].noise
        assert told is not None
        ends = []
        for who in "DE":
            named = ((naming.read(name), x) for name, x in self.point.items())
            there = {said.of("D"): x for said, x in named if said.database == who}
            at = {**self.point, **there}
            ends.append(", ".join(formulas.to_text(formulas.at(entry, at)) for entry in told.entries))
        return f"itself: ({ends[0]}) at D, ({ends[1]}) at D', with {stated.noise.words}"


OF_ALL = "with an outcome at D that is impossible at D'"


def built(witness: Any, loss: Term) -> str:
    """A mechanism that is built at E, by a witness page, in words."""
    if loss.kind == "oo":
        return OF_ALL
    if witness.by != "noise":
        return f"with outcomes 1, 0 and P(1) = {formulas.to_text(terms.exp(-loss) / 2)} at D, 1/2 at D'"
    return f"with normal noise of variance {witness.variance} around {formulas.to_text(loss)} at D, 0 at D'"


def example(judge: Judge, theorem: Theorem) -> Counterexample:
    """The counterexample of a theorem that refutes a claim."""
    judge, theorem = judge.at_choice(theorem)
    if theorem.rule == "exceed":
        return _by_curve(judge, theorem)
    (lower,) = theorem.premises
    assert isinstance(lower.says, Lower)
    (attained,) = lower.says.at
    at = _at(judge, theorem, attained.type, lower)
    notion, key = lower.says.notion, lower.says.key
    event = key == "delta"
    claimed = rules.at_most_there(dict(values_of(theorem))[key], rules.where_of(attained.type), judge.setting)
    actual, value = _largest(at.value(lower.says.value)), _largest(at.value(claimed))
    if event and (actual.kind == "oo" or computed.is_more(actual, terms.ONE, {})):
        actual = terms.ONE  # the most that an event can have
    _, power = POWERS[notion]
    if power != 1:
        actual, value = (term if term.kind == "oo" else terms.sqrt(term) for term in (actual, value))
    rows = tuple(at.rows(lower.arguments["by"], notion, event))
    return Counterexample(
        at.pair(),
        at.parameters,
        number_of(value),
        None if actual.kind == "oo" else number_of(actual),
        rows,
        tuple(row.name for row in rows),
        ByParts,
        event=event,
        neighbours=False,
    )


def _at(judge: Judge, theorem: Theorem, type: Type, lower: Theorem | None = None) -> At:
    given = {name: Fraction(x) for name, x in theorem.arguments["point"].items()}
    return At(judge, lower, type, places.checked(judge.setting, judge.theory, type, given))


def _by_curve(judge: Judge, theorem: Theorem) -> Counterexample:
    """That of a curve of mechanisms that is above a claim."""
    (cover,) = [premise.says for premise in theorem.premises if isinstance(premise.says, Covers)]
    type = cover.cover.types[theorem.arguments["neighbours"] - 1]
    at, by = _at(judge, theorem, type), theorem.arguments["by"]
    lost = [premise.says.loss for premise in theorem.premises if isinstance(premise.says, Loses)]
    chosen = [loss for loss in lost if loss.mechanism in by]
    assert isinstance(theorem.says, Refuted)
    curves = computed.Curves(theorem.says.notion, chosen, judge.setting, judge.theory)
    _, curve = curves.attained(type, at.point)
    claim = {
        key: at.value(rules.at_most_there(value, rules.where_of(type), judge.setting))
        for key, value in values_of(theorem)
    }
    bits = theorem.arguments["bits"]
    actual = pieces.between(curve, claim["epsilon"], bits)
    shown, least, most = told_apart(enclosure(claim["delta"], bits), actual)
    here = losses.at_type(chosen, type, judge.theory)
    rows = tuple(row for loss in here for row in at.of_curve(loss))
    return Counterexample(
        at.pair(),
        at.parameters,
        shown,
        least,
        rows,
        tuple(row.name for row in rows),
        ByParts,
        bits=bits,
        most=most,
        neighbours=False,
    )


def _largest(value: Term) -> Term:
    """The largest of some constants, where it is seen which that is."""
    if value.kind != "top" or value.of[0] != 1:
        return value
    some = value.parts
    return next(
        (term for term in some if all(computed.is_at_least(term, other, {}) for other in some)), value
    )


def _in_order(name: str) -> tuple[str, int]:
    """Members of a family by their numbers: e[2] before e[10]."""
    said = naming.read(name)
    return said.base, said.index or 0
