"""Filters: mechanisms run one after the other, each chosen by earlier answers, until a total is used up.

What is answered on each part counts as one interaction with what was spent on it as its total, and a question
is answered where the composition of these is proved to keep the total.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from dpcompose.front.numbers.numbers import NoBudget, NotSolved
from dpcompose.front.studies.composing import compose
from dpcompose.front.studies.results import Answer, Result
from dpcompose.front.studies.study import Study
from dpcompose.kernel.composition.losses import adds_up
from dpcompose.kernel.core.orders import ALPHA, Curve, Orders, reciprocal
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.terms import ZERO, Term
from dpcompose.kernel.library.fields import near
from dpcompose.language import formulas
from dpcompose.language.said import plain
from dpcompose.privacy.guarantees.notions import OF_LINES, WRITTEN, Guarantee, in_orders
from dpcompose.privacy.mechanisms.mechanism import Mechanism
from dpcompose.privacy.mechanisms.statements import mechanism
from dpcompose.proof.theory import registry
from dpcompose.search.comparisons import comparing
from dpcompose.search.comparisons.answers import Proof
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.classes.multisets import multisets
from dpcompose.spaces.inputs.maps import Map, everything
from dpcompose.spaces.moves.built_in import unbounded
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    import sympy

WHOLE = "the database"
"""What is asked where there are no parts."""


class Stopped(Exception):
    """A question is not answered: with it more would be lost than the total.  The message says where."""


class Filter:
    """A budget that is spent as one goes, on the whole database or on parts of it; see `filter`.

    total -- what the whole interaction satisfies, whatever is asked; parts -- what is read, by name;
    target -- the neighbours of the total; stated, domain -- those of questions, and where these are stated.
    """

    def __init__(
        self,
        total: Guarantee,
        parts: Mapping[str, Map],
        on: DatabaseClass,
        target: Granularity,
        stated: Granularity,
        domain: str | None,
    ) -> None:
        self.total, self.parts, self.on, self.target = total, dict(parts), on, target
        self.stated, self.domain = stated, domain
        rule = registry.standard().rule(total.notion)
        self._rule, self._adds_up = rule.head, partial(adds_up, rule)
        self._nothing = dict.fromkeys(self._rule.parameters, ZERO)
        self._spent: dict[str, dict[str, Term]] = {}
        self._orders = {} if total.curve is None else dict.fromkeys(parts, total.curve.orders)
        study = self._study(dict.fromkeys(parts, self._nothing))  # a part that does not fit is told now
        self._far = total.curve is not None and _moves_further(study)

    def ask(self, question: Guarantee, of: str | None = None) -> None:
        """Counts a mechanism that is about to be run on a part, with the guarantee that it has there.

        question -- such as pure("1/4"), in the notion of the total; it is for the filter's neighbours.
        Raises Stopped, and counts nothing, where the total would not be kept: then it must not be run.
        """
        part, spent = self._with(question, of)
        if (over := self._over(spent)) is not None:
            more = f"; at most {left} is left for {part}" if (left := self.left(part)) is not None else ""
            raise Stopped(f"{question} of {part} is not answered: {over}{more}")
        self._spent = spent

    def keeps(self, question: Guarantee, of: str | None = None) -> bool:
        """Whether a question would be answered now."""
        return self._over(self._with(question, of)[1]) is None

    @property
    def spent(self) -> dict[str, Guarantee]:
        """What was spent on each part that was asked so far."""
        return {name: self._as_guarantee(name, values) for name, values in self._spent.items()}

    @property
    def study(self) -> Study:
        """The composition of interactions with these totals, one for each part that was asked."""
        return self._study(self._spent or dict.fromkeys(self.parts, self._nothing))

    def guarantee(self) -> Result:
        """What the interaction would satisfy, had it been fixed in advance to spend just what it has spent.

        Of pure privacy it bounds the loss of what was answered so far, at every time and whatever comes
        after: it is an *odometer*.  In other notions it holds of totals that are fixed in advance only.
        """
        return self.study.guarantee(self.total.notion)

    def left(self, of: str | None = None) -> sympy.Expr | None:
        """The largest ε, or ρ, that would be answered of a part now; None where nothing is left, or
        where it is not solved exactly."""
        part = self._part(of)
        if len(self._rule.parameters) > 1 or self._rule.squared:
            return None
        (key,) = self._rule.parameters
        spent = {**self._spent, part: {key: self._of(part)[key] + terms.letter("x", NONNEGATIVE)}}
        try:
            (expr,) = self._study(spent).budget(self.total).parameters.values()
        except (NotSolved, NoBudget, ValueError):
            return None
        return expr

    def __repr__(self) -> str:
        spent = ", ".join(f"{guarantee} of {name}" for name, guarantee in self.spent.items()) or "nothing"
        return f"a filter at {self.target} {self.total}: spent {spent}"

    # how it adds up

    def _part(self, of: str | None) -> str:
        if of is None and len(self.parts) == 1:
            return next(iter(self.parts))
        if of not in self.parts:
            named = (
                "say which part is asked" if of is None else f"there is no part {of!r}{near(of, self.parts)}"
            )
            raise ValueError(f"{named}: {', '.join(self.parts)}")
        return of

    def _of(self, part: str) -> dict[str, Term]:
        """What was spent on a part."""
        return self._spent.get(part, self._nothing)

    def _with(self, question: Guarantee, of: str | None) -> tuple[str, dict[str, dict[str, Term]]]:
        """What is spent with a question."""
        part = self._part(of)
        _check_numbers(question, "a question")
        if question.notion != self.total.notion:
            raise ValueError(
                f"the filter counts in {self.total.notion} privacy, and the question is in {question.notion}"
            )
        before = self._of(part)
        added = {key: self._with_more(key, before[key], value) for key, value in question.terms}
        if question.curve is not None:
            self._check_orders(part, question.curve, before, added)
        return part, {**self._spent, part: added}

    def _check_orders(
        self, part: str, asked: Curve, before: Mapping[str, Term], added: Mapping[str, Term]
    ) -> None:
        """Raises ValueError where questions are about other orders; or where what a part moves by several
        steps loses is no sum over these: as a multiple of the order it is known of each of them only."""
        counted = self._orders[part] if part in self._spent or not self._far else asked.orders
        if asked.orders != counted:
            raise ValueError(f"the filter counts at orders {counted}, and not at {asked.orders}")
        self._orders[part] = counted
        (was,), (now,) = before.values(), added.values()
        if self._far and _is_multiple(now, counted) and not _is_multiple(was, counted):
            raise ValueError(
                f"the questions about {part} would add up to a multiple of alpha, which not each of them is: "
                "at several steps less would be counted than what is known of each"
            )

    def _with_more(self, key: str, before: Term, value: Term) -> Term:
        """A parameter with what is asked: what adds up is it, or its square; else the larger one is kept."""
        if not self._adds_up(key):
            return terms.top(1, [before, value])
        return before + (value * value if key in self._rule.squared else value)

    def _as_guarantee(self, part: str, values: Mapping[str, Term]) -> Guarantee:
        given = tuple(
            (key, terms.sqrt(value) if key in self._rule.squared else value) for key, value in values.items()
        )
        guarantee = Guarantee(self.total.notion, given, self.stated, self.domain)
        return in_orders(guarantee, self._orders[part]) if self._orders else guarantee

    def _study(self, spent: Mapping[str, Mapping[str, Term]]) -> Study:
        made: list[Mechanism] = [
            mechanism(name, reads=self.parts[name], filter=self._as_guarantee(name, values))
            for name, values in spent.items()
        ]
        return compose(*made, on=self.on, target=self.target, adaptive=len(made) > 1)

    def _over(self, spent: Mapping[str, Mapping[str, Term]]) -> str | None:
        """Why the total is not seen to be kept, in words; None where it is.

        Sums alone are a filter's rule: what is known of the optimal composition holds of parameters that are
        fixed in advance.  In notions of one parameter no less than the sums is true, so claims are judged.
        """
        study = self._study(spent)
        if len(self._rule.parameters) == 1:
            answer: Answer = study.check(self.total)
            if answer.verdict == "proved":
                return None
            at = answer.counterexample
            pair = () if at is None else map(self.on.printed, at.pair)
            where = "".join(f", {one}" for one in map(" = ".join, zip(("D", "D'"), pair, strict=False)))
            least = plain(study.best(self.total.notion).said)
            return f"with it the interaction would be {least}{where}"
        bound = study.best(self.total.notion).summed
        for key, most in self.total.terms:
            value = formulas.term(bound.values[WRITTEN.get(key, key)])
            value = reciprocal(value) if key in WRITTEN else value
            if not isinstance(comparing.compare(most, value, to_prove=True), Proof):
                return f"with it {key} would be {formulas.to_text(value)}"
        return None


def _moves_further(study: Study) -> bool:
    """Whether some part moves by more than one step of the questions' neighbours."""
    types = study.judge.for_neighbours("a filter").proofs.shop.types.types
    far = (r for type in types for _, members in type.moves for _, r in members)
    return any(r.number is None or r.number > 1 for r in far)


def _is_multiple(value: Term, orders: Orders) -> bool:
    """Whether a bound is a number times the order."""
    return Curve(orders, value).slope is not None


def _check_numbers(guarantee: Guarantee, what: str) -> None:
    """Raises an error unless it is a guarantee in numbers, for no neighbours in particular."""
    if not isinstance(guarantee, Guarantee):
        raise TypeError(f"{what} is a guarantee such as dpcompose.pure('1/4'), not {guarantee!r}")
    if guarantee.notion in OF_LINES:
        raise ValueError(f"{what} is counted, and each line of a trade-off function by a filter of its own")
    if guarantee.granularity is not None or guarantee.metric is not None:
        raise ValueError(f"{what} is for the filter's neighbours: say it without any")
    for key, value in guarantee.terms:
        if guarantee.curve is not None and value.nonnegative and set(value.letters) <= {ALPHA}:
            continue
        if value.letters or value.kind == "oo" or sign(value) not in (0, 1):
            raise ValueError(f"the {key} of {what} is a number ≥ 0, not {formulas.to_text(value)}")


def filter(
    total: Guarantee,
    parts: Mapping[str, Map] | None = None,
    *,
    on: DatabaseClass | None = None,
    target: Granularity | None = None,
    stated: Granularity | None = None,
    domain: str | None = None,
) -> Filter:
    """A filter: an accountant for mechanisms that are chosen as one goes, which refuses what exceeds a total.

    total -- such as pure(1), approximate(1, "1e-6"), zcdp("1/2"), gaussian(1), renyi("alpha/2", "(1, 8]") or
    tcdp("1/2", 8), in numbers: what is published has it, whatever is asked;
    parts -- what may be asked about, by name: maps such as `restriction`; left out: the whole database;
    on, target -- the class, and the neighbours of the total; with parts they are needed;
    stated -- the neighbours that questions are private for, left out: the target's;
    domain -- "own" or "common", as for mechanisms that read a part.

    A question is answered where the composition of what was spent on the parts keeps the total: so budgets
    stand for each type of neighbours.  For add/remove neighbours each of disjoint parts has the whole total
    for itself; for replacements any two of them share it.  Its `ask` raises Stopped where it is not kept.

    >>> import dpcompose as dpc
    >>> F = dpc.filter(dpc.pure(1))
    >>> F.ask(dpc.pure("3/4"))
    >>> F.ask(dpc.pure("1/2"))
    Traceback (most recent call last):
    ...
    dpcompose.front.studies.filters.Stopped: pure (1/2) of the database is not answered: ...
    >>> wards = {name: dpc.restriction([name]) for name in ("north", "south")}
    >>> on = dpc.multisets({"north", "south", "none"})
    >>> F = dpc.filter(dpc.pure(1), wards, on=on, target=dpc.bounded, domain="common")
    >>> F.ask(dpc.pure("3/4"), of="north")
    >>> F.left("south"), F.keeps(dpc.pure("1/2"), of="south")
    (1/4, False)
    """
    _check_numbers(total, "a total")
    if parts is None:
        if on is not None or target is not None or stated is not None or domain is not None:
            raise TypeError("a class, neighbours and a domain go with parts: say these, or leave all out")
        return Filter(total, {WHOLE: everything}, multisets(), unbounded, unbounded, None)
    if on is None or target is None:
        raise TypeError("with parts say the class (on) and the neighbours of the total (target)")
    return Filter(total, parts, on, target, stated or target, domain)
