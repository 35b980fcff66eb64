"""What needs a decider: claims with numbers by privacy curves, and mechanisms given as tables.

A page of kind computed says of which guarantees and noises a curve is made, by formulas.  A claim (ε, δ)
holds where its δ is at least the curve at ε for every type of a cover; it is false where mechanisms that
lose most, at two neighbours of one type, are above it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from dpcompose.kernel.composition import divergences, given_tables, samples
from dpcompose.kernel.composition.losses import Loss, NoLoss, Values, at_type, in_steps
from dpcompose.kernel.core.concrete import Noise
from dpcompose.kernel.core.settings import Mechanism, Setting
from dpcompose.kernel.covers.queries import has_more_records, is_lost_there, sides_are_told, value_is_reached
from dpcompose.kernel.covers.types import Cover, Type
from dpcompose.kernel.deciders.curves import noises, pieces
from dpcompose.kernel.deciders.curves.curves import Curve, Piece
from dpcompose.kernel.deciders.curves.tradeoffs import Known
from dpcompose.kernel.expressions import formulas, naming, terms
from dpcompose.kernel.expressions.intervals import difference, enclosure, sign
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term, as_term
from dpcompose.kernel.judgements import Loses
from dpcompose.kernel.library.theory import NoPage, Theory

MOST_CURVES = 2_000
"""The most different curves of the types of one cover."""
MOST_MEMBERS = 2_000
"""The most members of a family that are gone through one by one."""
Point = Mapping[str, Fraction]
"""Values of parameters, by name."""


@frozen
class Curves:
    """What mechanisms lose as curves, for claims with numbers in one notion.

    losses -- of all mechanisms, or of those that are looked at: a part of a composition never loses more;
    by_noise -- whether noise is known by its law, and not by its guarantee alone;
    lost -- whether it is asked what mechanisms can lose, and not what bounds them.
    """

    notion: str
    losses: Sequence[Loss]
    setting: Setting
    theory: Theory
    by_noise: bool = True
    lost: bool = False

    @staticmethod
    def of_all(notion: str, stated: Sequence[Loses], setting: Setting, theory: Theory) -> Curves:
        """Those of all mechanisms.  Raises NoLoss."""
        losses = [loses.loss for loses in stated]
        if [loss.mechanism for loss in losses] != list(range(1, len(setting.mechanisms) + 1)):
            raise NoLoss("each mechanism needs one loss, in order")
        return Curves(notion, losses, setting, theory)

    @cached_property
    def page(self) -> Any:
        """The page by which claims of the notion are computed.  Raises NoPage."""
        words = ((loss, self._word(self.mechanism(loss.mechanism))) for loss in self.losses)
        given = [(notion, word) for loss, word in words for notion, _ in loss.guarantees]
        return self._page_about(given)

    def _page_about(self, given: Iterable[tuple[str, str]]) -> Any:
        if (page := self.theory.computed(self.notion, given, self.lost)) is None:
            raise NoPage(f"no page computes {self.notion} bounds here")
        return page

    def mechanism(self, i: int) -> Mechanism:
        """M_i."""
        return self.setting.mechanisms[i - 1]

    def _word(self, mechanism: Mechanism) -> str:
        """The word of its noise; "" where it has none, or is known by its guarantee alone."""
        if mechanism.noise is None or not self.by_noise:
            return ""
        return str(self.theory.page(mechanism.noise.page, "noise").head.noise)

    def members(self, i: int, many: int | Term) -> Term:
        """How many members of M_i move: all of them where that is 0."""
        return as_term(many or self.mechanism(i).count or 1)

    # at all types

    def check_proved(self, claim: Values, cover: Cover, bits: int) -> str:
        """The page by which a claim is at least the curve at every type; else ValueError."""
        if not pieces.is_proved(self.of_types(cover), *_numbers(claim), bits):
            raise NoLoss("the computed delta is not seen to be at most the claimed one")
        return str(self.page.id)

    def standing(self, claim: Values, cover: Cover, bits: int) -> tuple[str, bool]:
        """The page by which a claim that is at least the curve is loose, or else nothing smaller holds.

        Raises ValueError where neither is known: of mechanisms that are given by noise or a table, or stated
        in a metric, the curve may lie above what they lose together.
        """
        for type in cover.types:
            for i, _ in type.moves:
                samples.check_deal(i, self.mechanism(i), type)
        is_loose = pieces.is_loose(self.of_types(cover), *_numbers(claim), bits)
        every = self.setting.mechanisms
        known = all(
            (
                _is_free(mechanism, self.setting, self.theory)
                and (mechanism.noise, mechanism.metric) == (None, None)
                and (mechanism.sampled is None or all(self._is_known(i, type) for type in cover.types))
            )
            or (cover.rows_apart and all(self._by_table(i, type, {}) for type in cover.types))
            for i, mechanism in enumerate(every, start=1)
        )
        if is_loose is None or not (is_loose or known):
            raise NoLoss("it is not known whether a smaller one holds")
        return str(self.page.id), is_loose

    def of_types(self, cover: Cover) -> list[Curve | None]:
        """The different curves of the types of a cover."""
        curves: dict[Curve | None, None] = {}
        for type in cover.types:
            here = at_type(self.losses, type, self.theory)
            parts: list[Piece | None] = []
            for i, members in type.moves:
                if i in type.unlimited and self.losses[i - 1].may_be_nothing:
                    continue  # what loses 0 at every finite distance loses nothing
                far = self._entries(i, type)
                if cover.rows_apart and (known := self._by_table(i, type, {})) is not None:
                    parts.append(known)
                    continue
                parts += [
                    pieces.turned(self._piece(here[i - 1], many, term, type), n)
                    for many, r in members
                    for n, term in enumerate(far or (r,))
                ]
            curves[pieces.curve(parts, self.setting.adaptive)] = None
            if len(curves) > MOST_CURVES:
                raise NoLoss(f"the types have more than {MOST_CURVES} curves")
        return list(curves)

    def _by_table(self, i: int, type: Type, at: Point) -> Known | None:
        """What the table of M_i has at two databases, where there is one that the page is about."""
        return given_tables.piece(i, self.setting, type, at) if self.page.head.tables else None

    def _piece(self, loss: Loss, many: int | Term, r: Term, type: Type) -> Piece | None:
        """So many members of M_i whose inputs are r apart; 0: all of them."""
        mechanism = self.mechanism(loss.mechanism)
        count = self.members(loss.mechanism, many).number
        if count is None:
            raise NoLoss(f"the number of mechanisms {mechanism.name} that move is no number")
        loss, rate = self._on_samples(self.page.head.parts, loss)
        asked = self.asked(self.page.head.parts, loss)
        alone = pieces.at_once(pieces.piece(texts, letters, r) for texts, letters in asked)
        own = (
            None
            if rate is None
            else samples.own(mechanism, self.setting, self.theory, r, type.own_of(loss.mechanism))
        )
        piece = pieces.on_samples(alone, rate, r, own)
        return None if piece is None else piece.times(int(count))

    def _entries(self, i: int, type: Type) -> tuple[Term, ...]:
        """How far the entries of a value move, where each has noise of its own that the page knows."""
        noise = self.mechanism(i).noise
        if noise is None or self._word(self.mechanism(i)) not in self.page.head.noises:
            return ()
        by_sums = self.theory.page(noise.page, "noise").head.norm in ("L1", "records")
        if not sides_are_told(i, type, self.setting, self.theory):
            raise NoLoss("who comes and who goes, of those whose keys are counted, is not known")
        return dict(type.entries).get(i, ()) if by_sums else ()

    def _is_known(self, i: int, type: Type) -> bool:
        """Whether it is known what M_i loses on samples, at one step; or in a group of which it is told how
        many come and go: where steps may replace records these come only, or go only."""
        mechanism, far = self.mechanism(i), dict(type.moves).get(i, ())
        if not samples.is_told(mechanism, self.setting, self.theory):
            return all(r == terms.ONE for _, r in far)
        told, head = type.own_of(i), samples.head_of(mechanism, self.setting, self.theory)
        return not far or (told is not None and (not head.besides or 0 in told))

    def _on_samples(self, parts: Mapping[str, Mapping[str, str]], loss: Loss) -> tuple[Loss, Term | None]:
        """What M_i is known by on samples, and how likely these have what differs; what the whole is known by
        and None, where it is not run on such, or not known by (ε, δ) or as noise is."""
        mechanism = self.mechanism(loss.mechanism)
        rate = samples.rate_of(mechanism, self.setting, self.theory)
        every = (parts.get(notion, {}) for notion, _ in loss.guarantees)
        if rate is None or any(not texts.keys() & {"epsilon", "square", "ratio"} for texts in every):
            return loss, None
        besides = tuple((stated.notion, stated.values) for stated in mechanism.also)
        return replace(loss, values=mechanism.values, besides=besides), rate

    def asked(
        self, parts: Mapping[str, Mapping[str, str]], loss: Loss
    ) -> list[tuple[Mapping[str, str], dict[str, Term]]]:
        """What the page asks of a mechanism, by each of its guarantees, and the values of their letters;
        parts -- that by guarantees."""
        mechanism, head = self.mechanism(loss.mechanism), self.page.head
        if (word := self._word(mechanism)) in head.noises and mechanism.noise is not None:
            law, given = self.theory.page(mechanism.noise.page, "noise").head, mechanism.noise
            fitting = noises.fit(law, given.parameter, self.setting.assumed, given.letters)
            known = {law.parameter: fitting} | {name: given.letters[name] for name in law.letters}
            return [(head.noises[word], known)]
        asked = []
        for notion, values in loss.guarantees:
            below = divergences.below(self.theory.rule(notion), values, loss.curve)
            if notion not in parts or loss.moved or below is None:
                raise NoLoss(f"{self.page.id} does not say what {mechanism.name}, as it is stated, can lose")
            asked.append((parts[notion], below))
        return asked

    # at two databases

    def check_refuted(self, claim: Values, type: Type, at: Point, bits: int) -> str:
        """The page by which mechanisms at neighbours of a type exceed a claim at a point; else ValueError."""
        values = tuple((key, formulas.extended(value, at)) for key, value in claim)
        if (event := self.by_event(type)) is not None:
            self._page_about(())
            self._check_event(*event, *_numbers(values), at, bits)
            return str(event[0].id)
        page, curve = self.attained(type, at)
        if not pieces.is_refuted([curve], *_numbers(values), bits):
            raise NoLoss("the computed delta is not seen to be above the claimed one")
        return str(page.id)

    def by_event(self, type: Type) -> tuple[Any, Noise, Term] | None:
        """The page of a noise that is not attained, but of which an event is known; it, and how far its
        query's value moves: where this mechanism is looked at alone, and moves by a finite amount."""
        if len(self.losses) != 1:
            return None
        i = self.losses[0].mechanism
        mechanism, moves = self.mechanism(i), dict(type.moves).get(i)
        if mechanism.noise is None or moves is None or i in type.unlimited or i not in dict(type.entries):
            return None
        law, ((_, r), *others) = self.theory.page(mechanism.noise.page, "noise"), moves
        if not law.head.event or others or r.kind == "oo":
            return None
        if not value_is_reached(i, type, self.setting, self.theory):
            return None
        if not law.head.attained and not has_more_records(self.setting, self.theory):
            return None
        return law, mechanism.noise, r

    def _check_event(
        self, law: Any, noise: Noise, r: Term, epsilon: Term, delta: Term, at: Point, bits: int
    ) -> None:
        """Raises NoLoss unless an event of M_i, or of one member of a family, exceeds δ at ε."""
        if terms.INFINITY in (epsilon, delta):
            raise NoLoss("a claim of which a parameter is oo says nothing")
        interval = enclosure(self._of_event(law.head, noise, r, epsilon, at), bits)
        if interval.low <= enclosure(delta, bits).high:
            name = self.mechanism(self.losses[0].mechanism).name
            raise NoLoss(f"no event of {name} is seen to be above the claimed delta")

    def _of_event(self, head: Any, noise: Noise, r: Term, epsilon: Term, at: Point) -> Term:
        """P(S) − e^ε·Q(S) of the event that the page has for the noise and what its query reads."""
        given, assumed = noise.letters, self.setting.assumed
        if any(terms.moves(name) for term in (noise.parameter, *given.values()) for name in term.letters):
            at = {**at, **of_member(at, 1)}
        others = {name: formulas.extended(given[name], at) for name in head.letters if name in given}
        parameter = formulas.extended(noises.fit(head, noise.parameter, assumed, given), at)
        known = {**others, head.parameter: parameter, "r": formulas.extended(r, at), "epsilon": epsilon}
        query = "" if noise.query is None else noise.query.page
        return formulas.parse(head.events.get(query, head.event), known)

    def of_event(self, type: Type, epsilon: Term) -> Term | None:
        """A δ that one mechanism with numbers has at ε, by an event of its noise; None: none is known."""
        event = self.by_event(type)
        return None if event is None else self._of_event(event[0].head, *event[1:], epsilon, {})

    def check_implied(
        self, epsilon: Term, claim: tuple[str, Values], type: Type, at: Point, bits: int
    ) -> tuple[str, str]:
        """The pages by which mechanisms at neighbours of a type exceed, at ε and a point, the curve of all
        that satisfies a claim of another notion; else ValueError."""
        if sign(epsilon) not in (0, 1):
            raise NoLoss("a curve is for epsilon of at least 0")
        page, curve = self.attained(type, at)
        about = page_of_claims(self.theory, self.notion, claim[0])
        values = {key: formulas.extended(value, at) for key, value in claim[1]}
        most = pieces.curve([pieces.piece(about.head.parts[claim[0]], values, terms.ONE)])
        if pieces.below([curve], epsilon, bits) <= pieces.above([most], epsilon, bits):
            raise NoLoss("the computed delta is not seen to be above what the claim implies")
        return str(page.id), str(about.id)

    def attained(self, type: Type, at: Point) -> tuple[Any, Curve | None]:
        """The page on what mechanisms lose at neighbours of a type at a point, and their curve."""
        every = (
            None if piece is None else piece.times(len(those))
            for _, those, piece in self.free.most_lost(type, at)
        )
        return self.free.page, pieces.curve(every, self.setting.adaptive)

    @property
    def free(self) -> Curves:
        """The same of mechanisms that may be anything that their guarantees allow, or are their noise."""
        every = ((loss, self.mechanism(loss.mechanism)) for loss in self.losses)
        free = [
            loss
            for loss, mechanism in every
            if mechanism.table is not None or _is_free(mechanism, self.setting, self.theory)
        ]
        return replace(self, losses=free, lost=True)

    def most_lost(self, type: Type, at: Point) -> Iterator[tuple[int, range, Piece | None]]:
        """What each mechanism loses most that may be anything that its guarantee allows, and which of its
        members, all alike, do.  Raises NoLoss."""
        alone, type = in_steps(self.losses, by_metrics(type), self.setting, self.theory)
        between = {i for i, _, _ in type.lost}
        known = {loss.mechanism: loss for loss in at_type(alone, type, self.theory)}
        for i, members in type.moves:
            if i not in known:
                continue
            mechanism, before = self.mechanism(i), 0
            if mechanism.table is not None:
                if (rows := self._by_table(i, type, at)) is None:
                    raise NoLoss(f"the table of {mechanism.name} is not of rational numbers")
                yield i, range(1, 2), rows
                continue
            samples.check_deal(i, mechanism, type)
            if not is_lost_there(i, type, self.setting, self.theory):
                raise NoLoss(f"what {mechanism.name} loses there is not known, only what bounds it")
            for many, r in members:
                if r.kind == "oo" and mechanism.noise is not None:
                    raise NoLoss(
                        "a mechanism that is given by its noise is not known to lose without a limit"
                    )
                moving = dict(type.entries).get(i) or (r,)
                if mechanism.noise is not None and i not in dict(type.entries):
                    raise NoLoss(f"how far the entries of {mechanism.name} move is not the same")
                moved = int(formulas.at(as_term(many), at).number or 0)
                those = _those(mechanism, moved, before, at)
                before += moved
                head = self.page.head
                _check_attained(self.page, mechanism, self.setting, self.theory)
                parts = head.in_a_metric if i in between else {**head.parts, **head.lost}
                loss, rate = self._on_samples(parts, known[i])
                if mechanism.sampled is not None and (rate is None or not self._is_known(i, type)):
                    raise NoLoss(f"{mechanism.name} is run on a sample, and what it loses there is not known")
                own = None
                if rate is not None:
                    own = samples.own(mechanism, self.setting, self.theory, r, type.own_of(i), lost=True)
                asked = self.asked(parts, loss)
                for fixed, alike, piece in _of_members(asked, rate, own, those, moving, at):
                    if i not in type.unlimited or _loses_without_limit(fixed):
                        yield i, alike, piece


def _of_members(
    asked: Sequence[tuple[Mapping[str, str], Mapping[str, Term]]],
    rate: Term | None,
    own: tuple[int, int] | None,
    those: range,
    distances: Sequence[Term],
    at: Point,
) -> Iterator[tuple[Sequence[Mapping[str, Term]], range, Piece | None]]:
    """What members of M_i lose most, or the entries of its query's value that move by themselves; with each
    what is known of it, and the members that are alike.  rate, own -- of samples on which they are run."""
    alike = not any(
        terms.moves(name) for _, letters in asked for value in letters.values() for name in value.letters
    )
    if len(those) > MOST_MEMBERS and not alike:
        raise NoLoss(f"more than {MOST_MEMBERS} members are not gone through one by one")
    for j in those[:1] if alike else those:
        there = at if alike else {**at, **of_member(at, j)}
        fixed = [
            {name: formulas.extended(value, there) for name, value in letters.items()} for _, letters in asked
        ]
        for n, far in enumerate(formulas.extended(distance, at) for distance in distances):
            every = zip(asked, fixed, strict=True)
            whole = pieces.at_once(pieces.piece(texts, known, far) for (texts, _), known in every)
            whole = pieces.turned(whole, n)
            here = None if rate is None else formulas.extended(rate, there)
            piece = pieces.on_samples(whole, here, far, own)
            yield fixed, those if alike else range(j, j + 1), piece


def _numbers(claim: Values) -> tuple[Term, Term]:
    """ε and δ of a claim with numbers."""
    values = dict(claim)
    if set(values) != {"epsilon", "delta"} or any(value.letters for value in values.values()):
        raise NoLoss("only claims with numbers for epsilon and delta are computed")
    return values["epsilon"], values["delta"]


def page_of_claims(theory: Theory, notion: str, of: str) -> Any:
    """The page that has the curve of all that satisfies a guarantee of another notion.  Raises NoPage."""
    pages = [
        page for page in theory.of_kind("computed") if page.head.notion == notion and of in page.head.parts
    ]
    if not pages or of == notion:
        raise NoPage(f"no page computes what {of} privacy implies in {notion} privacy")
    return min(pages, key=lambda page: (page.is_believed, len(page.head.parts), page.id))


def by_metrics(type: Type) -> Type:
    """The type where mechanisms in metrics lose by these alone: a δ(D, E) of its own is not used."""
    lost = tuple((i, far, tuple((key, terms.ZERO) for key, _ in more)) for i, far, more in type.lost)
    return replace(type, lost=lost) if lost else type


def _is_free(mechanism: Mechanism, setting: Setting, theory: Theory) -> bool:
    """Whether a mechanism may be anything that its guarantee allows, and loses just that, or is its noise; on
    samples where all such mechanisms lose what they can at once."""
    if mechanism.sampled is not None:
        same = samples.is_same_way(mechanism, setting, theory)
        alone = same and samples.is_alone(mechanism, setting, theory)
        known = alone or samples.is_told(mechanism, setting, theory)
        if not known or samples.rate_of(mechanism, setting, theory) is None:
            return False
    attained = mechanism.metric is None or mechanism.noise is not None or mechanism.metric.attained()
    return attained and (mechanism.table, mechanism.study) == (None, None)


def _those(mechanism: Mechanism, many: int, before: int, at: Point) -> range:
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


def of_member(at: Point, j: int) -> dict[str, Fraction]:
    """The values of the members of that number, as those of the general ones: of e[3] that of e[i]."""
    named = ((naming.read(name), x) for name, x in at.items())
    return {naming.general(said.base): x for said, x in named if said.index == j}


def _loses_without_limit(losses: Sequence[Mapping[str, Term]]) -> bool:
    """Whether a mechanism loses more and more where its input moves on and on: not where all is 0 in a
    guarantee."""
    if any(all(value == terms.ZERO for value in known.values()) for known in losses):
        return False
    for known in losses:
        if not any(value.kind == "oo" or sign(value) == 1 for value in known.values()):
            raise NoLoss("a guarantee is not seen to be above 0")
    return True


def is_attained(page: Any, mechanism: Mechanism, setting: Setting, theory: Theory) -> bool:
    """Whether it is known what a mechanism loses most: by its guarantee, or by its noise."""
    try:
        _check_attained(page, mechanism, setting, theory)
    except NoPage:
        return False
    if mechanism.table is not None:
        return bool(page.head.tables)
    stated = mechanism.metric is None or mechanism.noise is not None
    return _is_free(mechanism, setting, theory) and (stated or mechanism.notion in page.head.in_a_metric)


def _check_attained(page: Any, mechanism: Mechanism, setting: Setting, theory: Theory) -> None:
    """Raises NoLoss where only a bound is known of what a mechanism's noise loses: other mechanisms with its
    guarantee may lose more, unless the page is about the noise itself; or this with its query comes near to
    it at databases with more and more records."""
    if mechanism.noise is None:
        return
    law, query = theory.page(mechanism.noise.page, "noise"), mechanism.noise.query
    moves = query is None or theory.page(query.page, "query").head.attained
    known = page.head.notion in law.head.in_the_limit or (query is not None and query.page in law.head.events)
    near = known and has_more_records(setting, theory)
    if not ((law.head.attained or near) and moves) or law.head.noise not in page.head.noises:
        raise NoLoss(f"what {mechanism.name} loses at two databases is not known, only what bounds it")


def is_at_least(greater: Term, lesser: Term, at: Point) -> bool:
    """Whether one term is at least another at a point, for sure."""
    return _difference(greater, lesser, at) in (0, 1)


def is_more(greater: Term, lesser: Term, at: Point) -> bool:
    """Whether one term is more than another at a point, for sure."""
    return _difference(greater, lesser, at) == 1


def _difference(x: Term, y: Term, at: Point) -> int | None:
    """The sign of x − y at a point: from intervals, or else from the constant that it is there."""
    seen = difference(x, y, at)
    return sign(formulas.at(x, at) - formulas.at(y, at)) if seen is None else seen
