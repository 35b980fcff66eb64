"""What needs a decider: claims with numbers by privacy curves, and mechanisms given as tables.

A page of kind computed says of which guarantees and noises a curve is made, by formulas.  A claim (ε, δ)
holds where its δ is at least the curve at ε for every type of a cover; it is false where mechanisms that
lose most, at two neighbours of one type, are above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcompose.kernel.composition import samples
from dpcompose.kernel.composition.losses import Loss, NoLoss, Values, at_type, in_steps
from dpcompose.kernel.core.concrete import Noise
from dpcompose.kernel.core.settings import Mechanism, Setting
from dpcompose.kernel.covers.queries import has_more_records, value_is_reached
from dpcompose.kernel.covers.types import Cover, Type
from dpcompose.kernel.deciders import noises, pieces
from dpcompose.kernel.deciders.curves import Curve, Piece
from dpcompose.kernel.expressions import formulas, naming, terms
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.terms import Term, as_term
from dpcompose.kernel.judgements import Loses
from dpcompose.kernel.library.theory import NoPage, Theory

MOST_CURVES = 2_000
"""The most different curves of the types of one cover."""
MOST_MEMBERS = 2_000
"""The most members of a family that are gone through one by one."""


def page_for(theory: Theory, notion: str, losses: Iterable[Loss], setting: Setting) -> Any:
    """The page by which claims of a notion are computed.  Raises NoPage."""
    given = ((loss.notion, _word(setting.mechanisms[loss.mechanism - 1], theory)) for loss in losses)
    if (page := theory.computed(notion, given)) is None:
        raise NoPage(f"no page computes {notion} bounds here")
    return page


def _word(mechanism: Mechanism, theory: Theory) -> str:
    """The word of a mechanism's noise; "" without one."""
    return "" if mechanism.noise is None else str(theory.page(mechanism.noise.page, "noise").head.noise)


def check_proved(
    notion: str,
    claim: Values,
    cover: Cover,
    some: Sequence[Loses],
    setting: Setting,
    theory: Theory,
    bits: int,
) -> str:
    """The page by which a claim is at least the curve at every type.  Raises ValueError where it is not."""
    losses = _in_order(some, setting)
    page = page_for(theory, notion, losses, setting)
    values = _numbers(claim)
    if not pieces.is_proved(curves(page, cover, losses, setting, theory), *values, bits):
        raise NoLoss("the computed delta is not seen to be at most the claimed one")
    return str(page.id)


def _in_order(some: Sequence[Loses], setting: Setting) -> list[Loss]:
    """The losses of all mechanisms."""
    losses = [one.loss for one in some]
    if [one.mechanism for one in losses] != list(range(1, len(setting.mechanisms) + 1)):
        raise NoLoss("each mechanism needs one loss, in order")
    return losses


def standing(
    notion: str,
    claim: Values,
    cover: Cover,
    some: Sequence[Loses],
    setting: Setting,
    theory: Theory,
    bits: int,
) -> tuple[str, bool]:
    """The page by which a claim that is at least the curve is loose, or else nothing smaller holds.

    Raises ValueError where neither is known: of mechanisms that are given by noise or a table, or stated in
    a metric, the curve may lie above what they lose together.
    """
    losses = _in_order(some, setting)
    page = page_for(theory, notion, losses, setting)
    for type in cover.types:
        for i, _ in type.moves:
            samples.check_deal(i, setting.mechanisms[i - 1], type)
    found = pieces.is_loose(curves(page, cover, losses, setting, theory), *_numbers(claim), bits)
    known = all(_is_free(one) and one.noise is None and one.metric is None for one in setting.mechanisms)
    if found is None or not (found or known):
        raise NoLoss("it is not known whether a smaller one holds")
    return str(page.id), found


def curves(
    page: Any, cover: Cover, losses: Sequence[Loss], setting: Setting, theory: Theory
) -> list[Curve | None]:
    """The different curves of the types of a cover."""
    found: dict[Curve | None, None] = {}
    together = losses_without_zero(losses)
    for type in cover.types:
        here = at_type(losses, type, theory)
        some: list[Piece | None] = []
        for i, members in type.moves:
            if i in type.unlimited and i not in together:
                continue  # what loses 0 at every finite distance loses nothing
            some += [_piece(page, here[i - 1], setting, theory, many, r) for many, r in members]
        found[pieces.curve(some)] = None
        if len(found) > MOST_CURVES:
            raise NoLoss(f"the types have more than {MOST_CURVES} different curves")
    return list(found)


def losses_without_zero(losses: Sequence[Loss]) -> frozenset[int]:
    """The mechanisms of which no guarantee has 0 for all parameters."""
    return frozenset(
        one.mechanism
        for one in losses
        if all(any(value != terms.ZERO for _, value in values) for _, values in guarantees_of(one))
    )


def guarantees_of(loss: Loss) -> tuple[tuple[str, Values], ...]:
    """What is known of a mechanism, all at once: notions with parameters."""
    return (loss.notion, loss.values), *loss.besides


def _piece(
    page: Any, loss: Loss, setting: Setting, theory: Theory, many: int | Term, r: Term
) -> Piece | None:
    """So many members of M_i whose inputs are r apart; 0: all of them."""
    mechanism = setting.mechanisms[loss.mechanism - 1]
    count = as_term(many).number if many or mechanism.count is None else mechanism.count.number
    if count is None:
        raise NoLoss(f"the number of mechanisms {mechanism.name} that move is no number")
    asked = _asked(page, page.head.parts, loss, setting, theory)
    found = pieces.at_once(pieces.piece(texts, letters, r) for texts, letters in asked)
    return None if found is None else found.times(int(count) or 1)


def _asked(
    page: Any, parts: Mapping[str, Mapping[str, str]], loss: Loss, setting: Setting, theory: Theory
) -> list[tuple[Mapping[str, str], dict[str, Term]]]:
    """What a page asks of a mechanism, by each of its guarantees, and the values of their letters; parts --
    that by guarantees."""
    mechanism = setting.mechanisms[loss.mechanism - 1]
    if (word := _word(mechanism, theory)) in page.head.noises and mechanism.noise is not None:
        law, given = theory.page(mechanism.noise.page, "noise").head, mechanism.noise
        fitting = noises.fit(law, given.parameter, setting.assumed, given.letters)
        known = {law.parameter: fitting} | {name: given.letters[name] for name in law.letters}
        return [(page.head.noises[word], known)]
    found = []
    for notion, values in guarantees_of(loss):
        if notion not in parts or loss.moved:
            raise NoLoss(f"{page.id} does not say what {mechanism.name}, stated in a metric, can lose")
        found.append((parts[notion], dict(values)))
    return found


def _numbers(claim: Values) -> tuple[Term, Term]:
    """ε and δ of a claim with numbers."""
    values = dict(claim)
    if set(values) != {"epsilon", "delta"} or any(value.letters for value in values.values()):
        raise NoLoss("only claims with numbers for epsilon and delta are computed")
    return values["epsilon"], values["delta"]


def check_refuted(
    notion: str,
    claim: Values,
    type: Type,
    losses: Sequence[Loss],
    setting: Setting,
    theory: Theory,
    at: Mapping[str, Fraction],
    bits: int,
) -> str:
    """The page by which mechanisms at neighbours of a type exceed a claim at a point; else ValueError.

    losses -- of those that are looked at: a part of a composition never loses more.
    """
    values = tuple((key, formulas.extended(value, at)) for key, value in claim)
    if (event := _by_event(type, losses, setting, theory)) is not None:
        page_for(theory, notion, (), setting)
        _check_event(*event, *_numbers(values), losses[0].mechanism, setting, at)
        return str(event[0].id)
    page, curve = attained(notion, type, losses, setting, theory, at)
    if not pieces.is_refuted([curve], *_numbers(values), bits):
        raise NoLoss("the computed delta is not seen to be above the claimed one")
    return str(page.id)


def _by_event(
    type: Type, losses: Sequence[Loss], setting: Setting, theory: Theory
) -> tuple[Any, Noise, Term] | None:
    """The page of a noise that is not attained, but of which an event is known; it, and how far its query's
    value moves: where this mechanism is looked at alone, and moves by a finite amount."""
    if len(losses) != 1:
        return None
    i = losses[0].mechanism
    mechanism, moves = setting.mechanisms[i - 1], dict(type.moves).get(i)
    if mechanism.noise is None or moves is None or i in type.unlimited or i not in dict(type.entries):
        return None
    law, ((_, r), *others) = theory.page(mechanism.noise.page, "noise"), moves
    if not law.head.event or others or r.kind == "oo" or not value_is_reached(i, type, setting, theory):
        return None
    if not law.head.attained and not has_more_records(setting, theory):
        return None
    return law, mechanism.noise, r


def _check_event(
    law: Any,
    noise: Noise,
    r: Term,
    epsilon: Term,
    delta: Term,
    i: int,
    setting: Setting,
    at: Mapping[str, Fraction],
) -> None:
    """Raises NoLoss unless an event of M_i, or of one member of a family, exceeds δ at ε."""
    if terms.INFINITY in (epsilon, delta):
        raise NoLoss("a claim of which a parameter is oo says nothing")
    if sign(_of_event(law.head, noise, r, epsilon, setting, at) - delta) != 1:
        raise NoLoss(f"no event of {setting.mechanisms[i - 1].name} is seen to be above the claimed delta")


def _of_event(
    head: Any, noise: Noise, r: Term, epsilon: Term, setting: Setting, at: Mapping[str, Fraction]
) -> Term:
    """P(S) − e^ε·Q(S) of the event that the page has for the noise and what its query reads."""
    if any(terms.moves(name) for one in (noise.parameter, *noise.letters.values()) for name in one.letters):
        at = {**at, **_general(at, 1)}
    others = {
        name: formulas.extended(noise.letters[name], at) for name in head.letters if name in noise.letters
    }
    parameter = formulas.extended(noises.fit(head, noise.parameter, setting.assumed, noise.letters), at)
    for name in head.whole:
        if (n := others[name].number) is None or n.denominator != 1:
            raise NoLoss(f"{name} is to be a whole number")
    known = {**others, head.parameter: parameter, "r": formulas.extended(r, at), "epsilon": epsilon}
    query = "" if noise.query is None else noise.query.page
    return formulas.parse(head.events.get(query, head.event), known)


def of_event(type: Type, loss: Loss, setting: Setting, theory: Theory, epsilon: Term) -> Term | None:
    """A δ that one mechanism with numbers has at ε, by an event of its noise; None where none is known."""
    found = _by_event(type, [loss], setting, theory)
    return None if found is None else _of_event(found[0].head, *found[1:], epsilon, setting, {})


def check_implied(
    notion: str,
    epsilon: Term,
    claim: tuple[str, Values],
    type: Type,
    losses: Sequence[Loss],
    setting: Setting,
    theory: Theory,
    at: Mapping[str, Fraction],
    bits: int,
) -> tuple[str, str]:
    """The pages by which mechanisms at neighbours of a type exceed, at ε and a point, the curve of all that
    satisfies a claim of another notion; else ValueError."""
    if sign(epsilon) not in (0, 1):
        raise NoLoss("a curve is for epsilon of at least 0")
    page, curve = attained(notion, type, losses, setting, theory, at)
    about = page_of_claims(theory, notion, claim[0])
    values = {key: formulas.extended(value, at) for key, value in claim[1]}
    most = pieces.curve([pieces.piece(about.head.parts[claim[0]], values, terms.ONE)])
    if pieces.below([curve], epsilon, bits) <= pieces.above([most], epsilon, bits):
        raise NoLoss("the computed delta is not seen to be above what the claim implies")
    return str(page.id), str(about.id)


def page_of_claims(theory: Theory, notion: str, of: str) -> Any:
    """The page that has the curve of all that satisfies a guarantee of another notion.  Raises NoPage."""
    found = [
        page for page in theory.of_kind("computed") if page.head.notion == notion and of in page.head.parts
    ]
    if not found or of == notion:
        raise NoPage(f"no page computes what {of} privacy implies in {notion} privacy")
    return min(found, key=lambda page: (page.is_believed, len(page.head.parts), page.id))


def attained(
    notion: str,
    type: Type,
    losses: Sequence[Loss],
    setting: Setting,
    theory: Theory,
    at: Mapping[str, Fraction],
) -> tuple[Any, Curve | None]:
    """The page on what mechanisms lose at neighbours of a type at a point, and their curve."""
    free = [one for one in losses if _is_free(setting.mechanisms[one.mechanism - 1])]
    page = page_for(theory, notion, free, setting)
    alone, type = in_steps(free, by_metrics(type), setting, theory)
    between = {i for i, _, _ in type.lost}
    known = {one.mechanism: one for one in at_type(alone, type, theory)}
    found: list[Piece | None] = []
    for i, members in type.moves:
        before = 0
        if i in known:
            samples.check_deal(i, setting.mechanisms[i - 1], type)
        if i in known and not value_is_reached(i, type, setting, theory):
            raise NoLoss(
                f"what {setting.mechanisms[i - 1].name} loses there is not known, only what bounds it"
            )
        for many, r in members if i in known else ():
            if r.kind == "oo" and setting.mechanisms[i - 1].noise is not None:
                raise NoLoss("a mechanism that is given by its noise is not known to lose without a limit")
            moving = dict(type.entries).get(i) or (r,)
            if setting.mechanisms[i - 1].noise is not None and i not in dict(type.entries):
                raise NoLoss(f"how far the entries of {setting.mechanisms[i - 1].name} move is not the same")
            moved = int(formulas.at(as_term(many), at).number or 0)
            those = _those(setting.mechanisms[i - 1], moved, before, at)
            before += moved
            parts = page.head.in_a_metric if i in between else page.head.parts
            some = _attained(page, parts, known[i], setting, theory, those, moving, at)
            found += [one for fixed, one in some if i not in type.unlimited or _loses_without_limit(fixed)]
    return page, pieces.curve(found)


def by_metrics(type: Type) -> Type:
    """The type where mechanisms in metrics lose by these alone: a δ(D, E) of its own is not used."""
    lost = tuple((i, far, tuple((key, terms.ZERO) for key, _ in more)) for i, far, more in type.lost)
    return replace(type, lost=lost)


def _is_free(mechanism: Mechanism) -> bool:
    """Whether a mechanism may be anything that its guarantee allows, and loses just that, or is its noise."""
    attained = mechanism.metric is None or mechanism.noise is not None or mechanism.metric.attained()
    return attained and (mechanism.table, mechanism.study, mechanism.sampled) == (None, None, None)


def _those(mechanism: Mechanism, many: int, before: int, at: Mapping[str, Fraction]) -> range:
    """The numbers of the members of M_i that move by one distance, after those that move further.

    Raises NoLoss where there are not so many at the point: then no neighbours are of the type.
    """
    if mechanism.count is None:
        return range(1, 2)
    there = int(formulas.at(mechanism.count, at).number or 0)
    if not many:
        return range(1, there + 1)
    if before + many > there:
        raise NoLoss(f"{mechanism.name} has {there} members at the point, and more would move")
    return range(before + 1, before + many + 1)


def _attained(
    page: Any,
    parts: Mapping[str, Mapping[str, str]],
    loss: Loss,
    setting: Setting,
    theory: Theory,
    those: range,
    distances: Sequence[Term],
    at: Mapping[str, Fraction],
) -> Iterator[tuple[Sequence[Mapping[str, Term]], Piece | None]]:
    """What members of M_i lose most, or the entries of its query's value that move by themselves; with each
    what is known of it."""
    mechanism, count = setting.mechanisms[loss.mechanism - 1], len(those)
    _check_attained(page, mechanism, theory)
    asked = _asked(page, parts, loss, setting, theory)
    alike = not any(
        terms.moves(name) for _, letters in asked for value in letters.values() for name in value.letters
    )
    if count > MOST_MEMBERS and not alike:
        raise NoLoss(f"more than {MOST_MEMBERS} members are not gone through one by one")
    for j in those[:1] if alike else those:
        there = at if alike else {**at, **_general(at, j)}
        fixed = [
            {name: formulas.extended(value, there) for name, value in letters.items()} for _, letters in asked
        ]
        for far in (formulas.extended(one, at) for one in distances):
            every = zip(asked, fixed, strict=True)
            found = pieces.at_once(pieces.piece(texts, known, far) for (texts, _), known in every)
            yield fixed, found if found is None or not alike else found.times(count)


def _general(at: Mapping[str, Fraction], j: int) -> dict[str, Fraction]:
    """The values of the members of that number, as those of the general ones."""
    named = ((naming.read(name), x) for name, x in at.items())
    return {naming.general(said.base): x for said, x in named if said.index == j}


def _loses_without_limit(some: Sequence[Mapping[str, Term]]) -> bool:
    """Whether a mechanism loses more and more where its input moves on and on: not where all is 0 in a
    guarantee."""
    if any(all(value == terms.ZERO for value in known.values()) for known in some):
        return False
    for known in some:
        if not any(value.kind == "oo" or sign(value) == 1 for value in known.values()):
            raise NoLoss("a guarantee is not seen to be above 0")
    return True


def is_attained(page: Any, mechanism: Mechanism, theory: Theory) -> bool:
    """Whether it is known what a mechanism loses most: by its guarantee, or by its noise."""
    try:
        _check_attained(page, mechanism, theory)
    except NoPage:
        return False
    stated = mechanism.metric is None or mechanism.noise is not None
    return _is_free(mechanism) and (stated or mechanism.notion in page.head.in_a_metric)


def _check_attained(page: Any, mechanism: Mechanism, theory: Theory) -> None:
    """Raises NoLoss where only a bound is known of what a mechanism's noise loses: other mechanisms with its
    guarantee may lose more, unless the page is about the noise itself."""
    if mechanism.noise is None:
        return
    law, query = theory.page(mechanism.noise.page, "noise"), mechanism.noise.query
    moves = query is None or theory.page(query.page, "query").head.attained
    if not (law.head.attained and moves) or law.head.noise not in page.head.noises:
        raise NoLoss(f"what {mechanism.name} loses at two databases is not known, only what bounds it")


def is_at_least(greater: Term, lesser: Term, at: Mapping[str, Fraction]) -> bool:
    """Whether one term is at least another at a point, for sure."""
    return sign(formulas.at(greater, at) - formulas.at(lesser, at)) in (0, 1)


def is_more(greater: Term, lesser: Term, at: Mapping[str, Fraction]) -> bool:
    """Whether one term is more than another at a point, for sure."""
    return sign(formulas.at(greater, at) - formulas.at(lesser, at)) == 1
