"""Losses: guarantees at a distance, from notion to notion, and added up over the inputs that move.

What a notion's guarantee says where the inputs are r apart, and how the losses of parts add up, stands on its
rule page; from one notion to another leads a conversion page.  The same input costs nothing, and an input
that moves infinitely far, or of a mechanism without any guarantee, costs ∞ (0·∞ is ∞ here).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcompose.kernel.composition import divergences, given, samples, seen
from dpcompose.kernel.core.orders import ALPHA, Curve, NotThere, Orders
from dpcompose.kernel.core.settings import Mechanism, Setting
from dpcompose.kernel.covers.types import Choice, Moves, Type
from dpcompose.kernel.deciders.curves import noises
from dpcompose.kernel.expressions import forms, formulas, substitution, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.polynomials import top, total
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term
from dpcompose.kernel.library.theory import NoPage, Theory

Values = tuple[tuple[str, Term], ...]
"""The parameters of a guarantee with their values, in the order of the notion's rule page."""
MOVED = " moved"
"""The letter for how far a value moves: as no parameter is called."""


class NoLoss(NoPage):
    """The losses of a setting are not known by the pages in force; the message says why."""


@frozen
class Converted:
    """One conversion of a guarantee: the page, and what its free parameters are."""

    page: str
    chosen: Values = ()


@frozen
class Loss:
    """What M_i loses at most where its input moves: a guarantee at a distance, and conversions of that.

    notion, values -- the guarantee for inputs one step apart; then -- the conversions, one after the other;
    moved -- of noise formulas in MOVED, how far the value of its query, or one entry of that, moves: in place
    of what the rule of the notion says at a distance;
    orders -- those of which divergences are spoken; curve -- of a divergence what is known at other orders;
    besides -- other guarantees that it has for the same neighbours, by notion: these bound it, too;
    once -- of noise the parameters that count once where several entries move by 1 each, and others add up;
    whole -- whether `moved` is about the value, and not about its entries.
    """

    mechanism: int
    notion: str
    values: Values
    then: tuple[Converted, ...] = ()
    moved: Values = ()
    orders: Orders | None = None
    curve: Curve | None = None
    besides: tuple[tuple[str, Values], ...] = ()
    once: tuple[str, ...] = ()
    whole: bool = False

    def ends(self, theory: Theory) -> str:
        """The notion in which it is a loss, after the conversions."""
        return str(theory.page(self.then[-1].page, "conversion").head.to) if self.then else self.notion

    @property
    def guarantees(self) -> tuple[tuple[str, Values], ...]:
        """What is known of the mechanism, all at once: notions with parameters."""
        return (self.notion, self.values), *self.besides

    @property
    def may_be_nothing(self) -> bool:
        """Whether some guarantee has 0 for all parameters."""
        return any(all(value == ZERO for _, value in values) for _, values in self.guarantees)

    @property
    def unlimited(self) -> bool:
        """Whether nothing is promised."""
        return any(value.kind == "oo" for _, value in self.values)

    def at(self, r: Term, theory: Theory) -> dict[str, Term]:
        """The parameters for inputs that are a finite r apart, in the notion in which it ends.

        The distance comes first: rε by the rule, and then ρ = rε·tanh(rε/2), never more than r²·ε·tanh(ε/2).
        """
        values, apart = self.before(r, theory), self.apart(theory)
        for step in self.then:
            page = theory.page(step.page, "conversion")
            values, apart = converted(theory, page, values, dict(step.chosen), apart, orders=self.orders), ()
        return values

    def before(self, r: Term, theory: Theory) -> dict[str, Term]:
        """The same before all conversions."""
        rule = theory.rule(self.notion)
        if self.moved:
            return {key: substitution.substituted(value, {MOVED: r}) for key, value in self.moved}
        if not rule.head.ordered:
            return at_distance(rule, dict(self.values), r)
        if self.curve is None or self.orders is None:
            raise NoLoss(f"a guarantee of {self.notion} says for which orders it holds")
        try:
            return {key: self.curve.at(self.orders, r) for key in rule.head.parameters}
        except NotThere as error:
            raise NoLoss(str(error)) from None

    def over_entries(self, entries: Sequence[Term], theory: Theory) -> dict[str, Term]:
        """The parameters where entries of a query's value move so far, each with noise of its own."""
        every = [self.before(r, theory) for r in entries]
        sums = {key: substitution.expanded(terms.add(lost[key] for lost in every)) for key, _ in self.values}
        return sums | {key: every[0][key] for key in self.once if every}

    def apart(self, theory: Theory) -> tuple[str, ...]:
        """The parameters of the guarantee that the first conversion sets apart: no more is lost than together
        with an independent mechanism that has these alone."""
        return tuple(theory.page(self.then[0].page, "conversion").head.apart) if self.then else ()


def at_type(losses: Sequence[Loss], type: Type, theory: Theory) -> tuple[Loss, ...]:
    """The losses at a type: those in formulas of distances with the guarantees that they have there."""
    if not type.lost:
        return tuple(losses)
    there = {i: (far, dict(more)) for i, far, more in type.lost}
    return tuple(
        replace(loss, values=_at_databases(theory, loss, *there[loss.mechanism]), moved=())
        if loss.mechanism in there
        else loss
        for loss in losses
    )


def in_steps(
    losses: Sequence[Loss], type: Type, setting: Setting, theory: Theory
) -> tuple[tuple[Loss, ...], Type]:
    """What mechanisms can lose where guarantees are a number c times a distance in whole steps: those with c
    for each step are as stated.  The losses for one step, and the type with how many steps there are.

    Of other formulas there may be databases at any distance between two, and nothing is said here.
    """
    here, moves, between = list(losses), dict(type.moves), []
    for i, far, more in type.lost:
        metric = setting.mechanisms[i - 1].metric
        unit = None if metric is None else metric.unit
        n = None if unit is None or unit == ZERO or far.kind == "oo" else (far / unit).number
        if unit is None or n is None or n.denominator != 1 or n < 1:
            between.append((i, far, more))
            continue
        here = list(at_type(here, replace(type, lost=((i, unit, more),)), theory))
        moves[i] = tuple((many, terms.number(n)) for many, _ in moves[i])
    return tuple(here), replace(type, moves=tuple(sorted(moves.items())), lost=tuple(between))


def _at_databases(theory: Theory, loss: Loss, far: Term, more: Mapping[str, Term]) -> Values:
    """A guarantee at two databases that are so far apart in a metric: there need be none between them."""
    if INFINITY in (far, *more.values(), *(value for _, value in loss.values)):
        return tuple((key, INFINITY) for key, _ in loss.values)
    if loss.moved:
        return tuple(loss.before(far, theory).items())
    rule, letters = theory.rule(loss.notion), {**dict(loss.values), "r": far}
    return tuple(
        (key, more[key] if key in more else formulas.parse(rule.head.distance[key], letters))
        for key, _ in loss.values
    )


def at_distance(rule: Any, values: Mapping[str, Term], r: Term) -> dict[str, Term]:
    """The parameters of a guarantee for inputs that are r apart, by the rule of its notion.

    Where one is ∞, all are.  Where one is 0 there may be no formula for all r, and r steps are alike.
    """
    if any(value.kind == "oo" for value in values.values()):
        return dict.fromkeys(rule.head.parameters, INFINITY)
    letters, there = {**values, "r": r}, {}
    whole = (r.number is not None and r.number.denominator == 1) or ZERO in values.values()
    for key in rule.head.parameters:
        if whole and key in rule.head.at_steps:
            there[key] = formulas.parse(rule.head.at_steps[key], letters, {"": []})
        else:
            there[key] = formulas.parse(rule.head.distance[key], letters)
    return there


def converted(
    theory: Theory,
    page: Any,
    values: Mapping[str, Term],
    chosen: Mapping[str, Term],
    apart: Sequence[str] = (),
    within: bool = False,
    orders: Orders | None = None,
) -> dict[str, Term]:
    """A guarantee in another notion, by a conversion page; where a parameter is ∞, nothing is promised.

    apart -- the parameters that are accounted for elsewhere: those that the page sets apart;
    within -- whether it is shown elsewhere that the page's limits are kept;
    orders -- those of which divergences are spoken.
    """
    head = page.head
    order = divergences.order_of(theory, orders, head.from_, head.to)
    if head.orders:
        if orders is None or not orders.are(head.orders):
            raise NoLoss(f"{page.id} is for guarantees of all {WHICH[head.orders]}")
        order |= divergences.last_order(orders)
    if list(head.apart) != list(apart):
        raise NoLoss(f"{page.id} sets {', '.join(head.apart)} apart, which is to be lost besides")
    if head.at_most and not within:
        raise NoLoss(f"{page.id} is for guarantees with limits, which are not shown here")
    wanted = theory.rule(head.to).head.parameters
    if list(head.parameters) != list(wanted):
        raise NoLoss(f"{page.id} has formulas for {', '.join(head.parameters)}, not {', '.join(wanted)}")
    if set(chosen) != set(head.free):
        needed, those = (", ".join(names) or "nothing" for names in (head.free, chosen))
        raise NoLoss(f"{page.id} needs formulas for {needed}, not for {those}")
    for name, value in chosen.items():
        if not seen.lies_within(value, Domain.read(head.free[name])):
            raise NoLoss(
                f"{page.id} needs {name} {head.free[name]}; {formulas.to_text(value)} is not known to be"
            )
    if any(value.kind == "oo" for value in values.values()):
        return dict.fromkeys(wanted, INFINITY)
    for key, text in head.only.items():
        if values[key] != formulas.parse(text, {}):
            raise NoLoss(f"{page.id} needs {key} = {text}, not {formulas.to_text(values[key])}")
    letters = {**values, **chosen, **order}
    made = {key: formulas.parse(formula, letters) for key, formula in head.parameters.items()}
    if head.orders:
        made = {key: substitution.expanded(value) for key, value in made.items()}
        if any(ALPHA in value.letters for value in made.values()):
            raise NoLoss(f"{page.id} is for what does not depend on the order")
    return made


WHICH = {"all": "orders", "large": "large orders", "first": "orders up to some one"}
"""Of which orders a page speaks, in words."""


def check_composes(losses: Sequence[Loss], setting: Setting, theory: Theory, apart: bool = False) -> str:
    """The notion in which the losses of all mechanisms add up.  Raises NoLoss where they do not.

    apart -- whether what some of them set apart is accounted for elsewhere.
    """
    if not apart and any(loss.apart(theory) for loss in losses):
        raise NoLoss("what is set apart is lost besides")
    if [loss.mechanism for loss in losses] != list(range(1, len(setting.mechanisms) + 1)):
        raise NoLoss("each mechanism needs one loss, in order")
    (notion, *others) = dict.fromkeys(loss.ends(theory) for loss in losses)
    if others:
        raise NoLoss(f"losses of the notions {', '.join([notion, *others])} do not add up")
    if setting.adaptive and theory.rule(notion).head.adaptively is None:
        raise NoLoss(f"{notion} losses are not known to add up where mechanisms read earlier outputs")
    return notion


@frozen
class Composition:
    """The losses of all mechanisms together, at the types of a cover."""

    losses: tuple[Loss, ...]
    setting: Setting
    theory: Theory

    @property
    def rule(self) -> Any:
        """The rule page of the notion in which they add up."""
        return self.theory.rule(self.losses[0].ends(self.theory))

    def adds_up(self, key: str) -> bool:
        """Whether the parameter of the whole is the sum, or the root of the sum of squares, of the parts'."""
        return adds_up(self.rule, key)

    def at(self, type: Type) -> dict[str, Term]:
        """Each parameter of the whole for neighbours of a type; ∞ where some input costs ∞."""
        if type.lost:
            here = replace(self, losses=at_type(self.losses, type, self.theory))
            return here.at(replace(type, lost=()))
        moves = tuple((i, members) for i, members in type.every if not self.loses_nothing(i, type))
        if any(r.kind == "oo" or self.losses[i - 1].unlimited for i, members in moves for _, r in members):
            return dict.fromkeys(self.rule.head.parameters, INFINITY)
        there = dict(type.moves)
        moves = tuple((i, members) for i, members in moves if i in there)
        return {key: self._composed(key, moves, type) for key in self.rule.head.parameters}

    def loses_nothing(self, i: int, type: Type) -> bool:
        """Whether M_i loses 0 at every distance that occurs, though these have no limit."""
        if i not in type.unlimited:
            return False
        stated = self.losses[i - 1].at(ONE, self.theory).values()
        return all(value == ZERO for _, value in self.losses[i - 1].values) and set(stated) == {ZERO}

    def _composed(self, key: str, moves: Moves, type: Type) -> Term:
        """A parameter of the whole where inputs move by finite distances."""
        if not self.adds_up(key):
            if type.choices:
                raise NoLoss(f"{key} is not looked at together where any of many may move")
            return self._by_formula(key, moves)
        squared, entries = key in self.rule.head.squared, dict(type.entries)

        def added(i: int, r: Term) -> Term:
            loss = self.losses[i - 1]
            known = (loss.moved and not loss.whole) or (loss.once and set(entries.get(i, ())) == {ONE})
            each = known and not loss.then and i in entries and not squared
            value = (loss.over_entries(entries[i], self.theory) if each else loss.at(r, self.theory))[key]
            return substitution.expanded(value * value) if squared else value

        summed = terms.add(summands(moves, self.setting, added, type.choices))
        return terms.sqrt(summed) if squared else summed

    def _by_formula(self, key: str, moves: Moves) -> Term:
        """The same by a rule that does not add: of mechanisms one by one; of families the largest."""
        if self.rule.head.composition[key] == f"max({key}[i], i, 1, k)":
            every = [(i, r) for i, members in moves for _, r in members]
            return terms.top(1, [self._of_any_member(i, r, key) for i, r in every]) if every else ZERO
        if any(self.setting.mechanisms[i - 1].count is not None for i, _ in moves):
            raise NoLoss(f"a family needs a rule by which {key} adds up, which {self.rule.id} is not")
        parts = [self.losses[i - 1].at(members[0][1], self.theory)[key] for i, members in moves]
        if not parts:
            return ZERO
        known = {"k": terms.number(len(parts))}
        return formulas.parse(self.rule.head.composition[key], known, {key: parts})

    def _of_any_member(self, i: int, r: Term, key: str) -> Term:
        """A parameter of M_i where its input moves by r; of a family the largest of those of its members."""
        value, count = self.losses[i - 1].at(r, self.theory)[key], self.setting.mechanisms[i - 1].count
        return terms.over(1, value, count) if count is not None and given.is_of_members(value) else value

    def check_convex(self, which: frozenset[int]) -> None:
        """Raises NoLoss where losses of some mechanisms are not seen to be convex in the distance, 0 at 0."""
        r = terms.letter(MOVED)
        for i in sorted(which):
            loss, mechanism = self.losses[i - 1], self.setting.mechanisms[i - 1]
            known = set(self.rule.head.convex if not loss.then else ())
            for key, value in loss.at(r, self.theory).items():
                if not self.adds_up(key) or not (key in known or seen.is_convex(value, r)):
                    raise NoLoss(f"{key} of {mechanism.name} is not seen to be convex in the distance")

    def over(self, types: Iterable[Type]) -> dict[str, Term]:
        """The largest value of each parameter at neighbours of some types."""
        there = [self.at(type) for type in types]
        return {key: self.worst(key, (values[key] for values in there)) for key in self.rule.head.parameters}

    def worst(self, key: str, values: Iterable[Term]) -> Term:
        """The largest of a parameter's values."""
        distinct = list(dict.fromkeys(values))
        try:
            return largest(distinct, key in self.rule.head.squared, self.setting.known)
        except forms.NotAForm:  # no other one is seen to be at least any of them
            return terms.top(1, distinct)


def adds_up(rule: Any, key: str) -> bool:
    """Whether by a rule page a parameter of the whole is the sum, or the root of the sum of squares."""
    wanted = f"sqrt(sum({key}[i]**2, i, 1, k))" if key in rule.head.squared else f"sum({key}[i], i, 1, k)"
    return bool(rule.head.composition[key] == wanted)


def largest(values: Sequence[Term], squared: bool, known: forms.Known = forms.NOTHING) -> Term:
    """The largest of some values, ∞ if one is; those that another one is seen to be at least are left out.

    squared -- whether values are compared by their squares; known -- what is assumed besides signs.
    """
    if any(value.kind == "oo" for value in values):
        return INFINITY
    read = forms.squared if squared else forms.read
    candidates = [read(value, known) for value in dict.fromkeys(values)]
    written = forms.write(top(1, forms.largest(candidates, known)) if candidates else total([]))
    return forms.root(written) if squared else written


def summands(
    moves: Moves,
    setting: Setting,
    lost: Callable[[int, Term], Term],
    choices: Collection[Choice] = (),
) -> Iterable[Term]:
    """What the inputs that move lose, to be added up: of a family the members for which it is most.

    lost -- what M_i, or a member of the family M_i, loses where its input moves by r;
    choices -- what may move in place of what does: as many as do for which it is most together.
    """
    far = dict(moves)
    for choice in choices:
        far = {i: members for i, members in far.items() if i not in choice.mechanisms}
        yield terms.top(
            choice.many, [terms.add(lost(i, r) for i, ((_, r),) in members) for _, members in choice.of]
        )
    together: dict[tuple[str, tuple[int | Term, ...], Term], list[list[Term]]] = {}
    for i, members in far.items():
        mechanism = setting.mechanisms[i - 1]
        values = [lost(i, r) for _, r in members]
        if mechanism.count is None:
            yield values[0]
        elif members[0][0] == 0:
            yield terms.over(mechanism.count, values[0], mechanism.count)
        else:
            which = (mechanism.partition, tuple(many for many, _ in members), mechanism.count)
            together.setdefault(which, []).append(values)
    named = [partition for partition, _, _ in together]
    if len(set(named)) < len(named):
        raise NoLoss(OTHER_DISTANCES)
    for (_, many, count), families in together.items():
        yield from _over_parts(many, count, families)


OTHER_DISTANCES = (
    "several families on one partition whose members move by different distances are not supported; "
    "write the parts out"
)


def _over_parts(
    many: tuple[int | Term, ...], count: Term, families: Sequence[Sequence[Term]]
) -> Iterable[Term]:
    """The worst choice of the parts that move, as sums of largest members.

    If m_1 members lose w_1·x, m_2 others w_2·x and so on, with w_1 > w_2 > …, the worst choice gives the
    largest x the largest factor: (w_1 − w_2)·top(m_1, x) + (w_2 − w_3)·top(m_1 + m_2, x) + ….
    """
    if len(many) == 1:
        yield terms.over(many[0], terms.add(values[0] for values in families), count)
        return
    if len(families) > 1:
        raise NoLoss(OTHER_DISTANCES)
    (values,) = families
    least = values[-1]
    if {*values} == {ZERO}:
        return
    rates = [rate for value in values if least != ZERO and (rate := (value / least).number) is not None]
    if len(rates) < len(values) or not least.nonnegative:
        raise NoLoss("how losses grow with the distance has no common factor for a family")
    if rates != sorted(rates, reverse=True):
        raise NoLoss("members of a family that move further lose less")
    for n, rate in enumerate(rates):
        following = rates[n + 1] if n + 1 < len(rates) else Fraction(0)
        yield (rate - following) * terms.over(terms.add(map(terms.as_term, many[: n + 1])), least, count)


def mechanism_of(setting: Setting, i: object) -> Mechanism:
    """M_i.  Raises NoLoss where there is none."""
    if type(i) is not int or not 1 <= i <= len(setting.mechanisms):
        raise NoLoss(f"there is no mechanism {i!r}")
    return setting.mechanisms[i - 1]


def by_noise(i: int, setting: Setting, theory: Theory, notion: str, closer: bool = False) -> Loss:
    """What M_i loses by its noise, in a notion that the page of the noise knows, for values 1 apart.

    closer -- by the smaller parameters that the page has besides.
    """
    noise = mechanism_of(setting, i).noise
    if noise is None:
        raise NoLoss(f"mechanism {i} is not given by noise")
    page = theory.page(noise.page, "noise")
    rule = theory.rule(notion)
    wanted = rule.head.parameters
    try:
        if rule.head.ordered and page.head.renyi and not closer:
            far = divergences.of_noise(page.head, noise.parameter, terms.letter(MOVED), setting)
            unit = ((wanted[0], substitution.substituted(far, {MOVED: ONE})),)
            return Loss(i, notion, unit, orders=setting.orders, moved=((wanted[0], far),))
        known = setting.assumed, noise.letters
        stated = noises.guarantee(page.head, noise.parameter, notion, *known)
        moved = noises.moved(page.head, noise.parameter, notion, terms.letter(MOVED), *known, closer)
    except noises.Unfit as error:
        raise NoLoss(f"{page.id} says nothing of this parameter: {error}") from None
    if moved is not None and sorted(moved) == sorted(wanted) and all(adds_up(rule, key) for key in wanted):
        ordered = tuple((key, moved[key]) for key in wanted)
        single = tuple((key, substitution.substituted(value, {MOVED: ONE})) for key, value in ordered)
        return Loss(i, notion, single, moved=ordered, orders=setting.orders, whole=closer)
    if closer or stated is None or sorted(stated) != sorted(wanted):
        raise NoLoss(f"{page.id} states no {notion} guarantee")
    values, once = tuple((key, stated[key]) for key in wanted), set(page.head.once) & set(wanted)
    return Loss(i, notion, values, orders=setting.orders, once=tuple(sorted(once)))


def by_guarantee(i: int, setting: Setting, theory: Theory) -> Loss:
    """What M_i loses by its guarantee as stated, or as its table or study has been checked to have; of one
    that is run on a sample by what the page of that makes of it."""
    mechanism = mechanism_of(setting, i)
    wanted = theory.rule(mechanism.notion).head.parameters
    if mechanism.curve is not None and not theory.rule(mechanism.notion).head.ordered:
        raise NoLoss(f"a guarantee of {mechanism.notion} says no orders")
    stated = samples.amplified(mechanism, setting, theory)
    if set(stated) != set(wanted):
        raise NoLoss(f"a guarantee of {mechanism.notion} has {', '.join(wanted)}")
    values = tuple((key, stated[key]) for key in wanted)
    others = (mechanism.with_only(n) for n in range(1, len(mechanism.also) + 1))
    besides = tuple(
        (other.notion, tuple(samples.amplified(other, setting, theory).items())) for other in others
    )
    return Loss(i, mechanism.notion, values, orders=setting.orders, curve=mechanism.curve, besides=besides)
