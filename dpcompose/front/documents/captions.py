"""Captions: the lines that readers see of the kernel's theorems on a guarantee.

Each step of the kernel is told in the words of a lecture: what each mechanism satisfies, in which distance,
what all lose together, how far neighbours move the inputs, and the guarantee by the theorem that is cited
for it.  A caption says what a theorem says; nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from dpcompose.front.documents import lines as words
from dpcompose.front.documents.lines import Line
from dpcompose.kernel.composition import losses
from dpcompose.kernel.composition.losses import Loss
from dpcompose.kernel.covers import sizes
from dpcompose.kernel.covers.types import Cover, Type
from dpcompose.kernel.expressions import formulas, substitution, terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.grammar import FormulaError
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY, Term
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.theorems import Theorem
from dpcompose.privacy.mechanisms import Mechanism
from dpcompose.privacy.notions import Guarantee, as_written
from dpcompose.privacy.settings import Setting
from dpcompose.proof.registry import Page, Theory
from dpcompose.search.citations import Citation, Citing, Held
from dpcompose.search.guarantees import Guarantees, Known, loss_of
from dpcompose.spaces.classes.databases import Database

GIVEN, HYPOTHESIS, ALL_GUARANTEES = "given", "hypothesis", "all guarantees together"
"""What a line is by where it is by no page: the setting itself, a predicate, or the least of what several
guarantees of mechanisms give."""

Pair = tuple[Database, Database]
Pairs = Callable[[Type], Pair]
"""The two databases of a type of neighbours."""


@frozen(eq=False)
class Captions:
    """The lines of the guarantees of a setting, in order.

    setting -- as it is stated; found -- the guarantees, as theorems; citation -- what is cited for them;
    pair -- the databases of a type; inner -- of each mechanism that is a study, the captions about that;
    together -- where mechanisms have more guarantees than those of the lines, what all give, if that is less.
    """

    setting: Setting
    theory: Theory
    found: Guarantees
    citing: Citing
    citation: Citation
    pair: Pairs
    inner: Mapping[int, Captions]
    together: Known | None = None

    @property
    def notion(self) -> str:
        """The notion in which losses are added up."""
        return self.guarantee_of(self.found.before).notion

    @property
    def cover(self) -> Cover:
        return self.found.shop.types

    @property
    def inputs(self) -> Any:
        """What hypotheses of cited theorems were evaluated on."""
        return self.citing.inputs

    def within(self, line: Line) -> Captions | None:
        """The captions of the study that a line is about; None for other lines."""
        return self.inner[line.judgement.mechanism] if isinstance(line.judgement, words.Composed) else None

    @property
    def steps(self) -> Captions:
        """What tells the lines: these captions."""
        return self

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """All lines."""
        return tuple(_Told(self).lines)

    # what theorems say, as lines say it

    @staticmethod
    def guarantee_of(theorem: Theorem) -> Satisfies:
        assert isinstance(theorem.says, Satisfies)
        return theorem.says

    def private(self, theorem: Theorem) -> words.Private:
        """A guarantee of the composition."""
        said = self.guarantee_of(theorem)
        setting = self.setting
        return words.Private(said.notion, written(said.values), str(setting.target), str(setting.databases))

    @property
    def closer(self) -> Page:
        """The page on closer values: that over steps, unless several inputs move."""
        over = "mechanisms" if any(moves_several(one) for one in self.cover.types) else "steps"
        page = self.theory.closer(self.notion, over)
        assert page is not None
        return page

    def profile(self) -> words.Profile:
        """The types of neighbours: how far they move the inputs, each with a pair."""
        show, types = self.setting.databases.show, self.cover.types
        pairs = [self.pair(one) for one in types]
        return words.Profile(
            str(self.setting.target),
            str(self.setting.databases),
            tuple(vector(one, self.setting.mechanisms) for one in types),
            tuple((_frozen(show(D)), _frozen(show(E))) for D, E in pairs),
            self.covered,
        )

    @property
    def covered(self) -> str:
        """What was gone through, and for which numbers of records where these are a letter."""
        databases = self.found.shop.setting.databases
        if not databases.letters:
            return self._covered
        where = sizes.where(self.found.shop.setting) or databases.letters
        return f"{self._covered}, for every {' and '.join(where)}"

    @property
    def _covered(self) -> str:
        core, n = self.found.shop.setting, self.cover.gone_through
        procedure = self.theory.pages[self.cover.page].head.procedure
        growing = core.target.any_two and core.databases.size[1] is None
        repeated = ", repeated any number of times" if growing else ""
        if procedure == "edit types":
            return _count(n, "edit type") + repeated
        if procedure == "policies":
            return _count(n, "way") + " to differ along edges" + repeated
        if procedure == "any number of steps":
            times = core.target.data().get("times", core.target.steps)
            return f"{_count(n, 'type')} of a single step, {times} times"
        if procedure == "corners":
            return _count(n, "way") + " to change records of one kind each"
        if procedure == "contributions":
            return _count(n, "way") + " in which one person's rows lie in parts"
        if procedure == "blocks":
            return _count(n, "largest change")
        if procedure == "own steps":
            return "the furthest neighbours"
        return f"all {_count(n, 'neighbouring pair')} of {self.setting.databases}"

    def stated(self, i: int, theorem: Theorem) -> words.Given | words.Releases:
        """What the setting states of M_i, or what its table or its study shows."""
        mechanism = self.setting.mechanisms[i - 1]
        if mechanism.query is not None and mechanism.noise is not None:
            attributes = "with every value" if mechanism.query.attribute else ""
            reads, query = mechanism.reads.written("D"), mechanism.query.words
            return words.Releases(i, _called(mechanism), reads, query, mechanism.noise.words, attributes)
        stated, loss = mechanism.satisfies, loss_of(theorem)
        said = (
            *(
                i,
                _called(mechanism),
                mechanism.reads.written("D"),
                loss.notion,
                written(_stated(stated, loss)),
            ),
            *(str(stated.granularity or ""), stated.domain or "everything"),
        )
        if stated.metric is not None:
            return words.InMetric(*said[:4], stated.metric.said, *said[5:])
        if mechanism.sampled is not None:
            on, *_ = mechanism.sampled.on_samples
            told = (*said[:4], written(on.terms), str(on.granularity), said[6])
            return words.OnSamples(*told, sample=str(mechanism.sampled.by))
        if theorem.rule == "study":
            return words.Composed(*said, believed=words.assumed(self.inner[i].lines))
        return (words.Tabled if theorem.rule == "table" else words.Given)(*said)

    def metric(self, i: int) -> str:
        """In words the metric of what M_i reads, and the pages that state it."""
        mechanism, core = self.setting.mechanisms[i - 1], self.found.shop.setting.mechanisms[i - 1]
        if mechanism.query is not None and mechanism.noise is not None:
            if not mechanism.query.about_records:
                return f"0 or 1, whether {mechanism.reads.written('D')} differs"
            norm = self.theory.pages[core.noise.page].head.norm if core.noise is not None else ""
            return mechanism.query.moved(norm)
        if core.metric is not None:
            return " and ".join(self.cover.metrics[i - 1]) or "shortest paths"
        if core.reads[0] == () and not core.partition:
            return "one possible input"
        whole, pages = self.inputs.setting.databases, self.cover.metrics[i - 1]
        if pages:
            any_two = core.stated is not None and core.stated.any_two
            f = self.inputs.setting.mechanisms[self.citing.first(i) - 1].reads
            return f"{' and '.join(pages)}, on {whole if any_two else f.image(whole)}"
        if self.found.shop.setting.databases.kind == "steps":
            return f"steps of {mechanism.satisfies.granularity}, on {whole}"
        count = self.inputs_of(i)
        if count == 1:
            return "one possible input"
        if core.stated is not None and core.stated.any_two:
            return f"any two of {count} inputs are neighbours"
        return f"shortest paths over {count} inputs"

    def inputs_of(self, i: int) -> int:
        """How many values M_i may read of a finite class."""
        core = self.found.shop.setting
        values = core.mechanisms[i - 1].reads[0]
        if values is None:
            return core.databases.count
        if core.databases.kind != "arrays":
            return len(set(values))
        f = self.inputs.setting.mechanisms[self.citing.first(i) - 1].reads
        return int(f.image(self.inputs.setting.databases).count())


@dataclass(eq=False)
class _Told:
    """Tells the lines, one after the other."""

    by: Captions

    def __post_init__(self) -> None:
        self.lines: list[Line] = []
        loss, profile = self.loss_and_profile()
        guarantee = self.guarantee(loss, profile)
        for theorem in conversions(self.by.found.main.theorem):
            roles = dict(theorem.arguments["chosen"])
            guarantee = self.add(self.by.private(theorem), theorem.arguments["page"], roles, [guarantee])
        self.optimal(self.by.found.main, profile, guarantee)
        closer = self.by.found.closer
        if closer is not None:
            guarantee = self.closer(closer, loss, profile)
            self.optimal(closer, profile, guarantee)
        if (together := self.by.together) is not None:
            least = self.add(self.by.private(together.theorem), ALL_GUARANTEES, {}, [guarantee])
            self.optimal(together, profile, least)

    def add(
        self,
        said: words.Judgement,
        by: str,
        roles: Mapping[str, Any] | None = None,
        uses: Sequence[Line] = (),
    ) -> Line:
        numbers = tuple(line.n for line in uses)
        evidence: dict[str, Any] | None = None
        if isinstance(said, words.Composed):
            inner = self.by.inner[said.mechanism]
            evidence = {"lines": [line.data() for line in inner.lines], "pages": pages_of(inner)}
        line = Line(len(self.lines) + 1, said, by, roles or {}, numbers, evidence)
        self.lines.append(line)
        return line

    def holds(self, held: Held) -> Line:
        """The line on a hypothesis, told once."""
        said = (words.Declared if held.declared else words.Holds)(held.words, held.covered)
        told = (line for line in self.lines if line.judgement == said)
        return next(told, None) or self.add(said, HYPOTHESIS, held.hypothesis.data())

    def loss_and_profile(self) -> tuple[Line, Line]:
        """The lines on what each mechanism loses, what all lose together, and how far neighbours move."""
        by, found = self.by, self.by.found
        given = [
            self.add(by.stated(i, theorem), GIVEN, {"M": i}) for i, theorem in enumerate(found.shop.stated, 1)
        ]
        given = self.sampled(given)
        private = [*self.in_inputs(given), *self.in_values(given)]
        private = [*private, *self.filtered(given), *self.dealt(given), *self.processed(private)]
        converted = list(self.converted(private))
        rule, held = by.theory.rule(by.notion), list[Line]()
        if by.setting.adaptive and rule.head.adaptively is not None:
            held = [self.holds(by.citing.held(rule.head.adaptively))]
        loss = self.add(self.loss(rule), rule.id, {}, [*private, *converted, *held])
        return loss, self.add(by.profile(), by.cover.page, {}, private)

    def sampled(self, given: Sequence[Line]) -> list[Line]:
        """For each mechanism the line on its guarantee: of those that are run on samples, what these make of
        it, one line for those that are drawn alike."""
        found, about = list(given), dict[tuple[str, str], list[int]]()
        for i, one in enumerate(self.by.setting.mechanisms, start=1):
            if one.sampled is not None:
                about.setdefault((one.sampled.by.kind.page, one.satisfies.notion), []).append(i)
        for (page, notion), some in about.items():
            losses = [loss_of(self.by.found.shop.stated[i - 1]) for i in some]
            granularity = str(self.by.setting.mechanisms[some[0] - 1].satisfies.granularity)
            said = words.Sampled(
                tuple(some), granularity, notion, tuple(written(one.values) for one in losses)
            )
            line = self.add(said, page, {"M": some}, [given[i - 1] for i in some])
            for i in some:
                found[i - 1] = line
        return found

    def in_inputs(self, given: Sequence[Line]) -> Iterator[Line]:
        """Guarantees in the distance of what is read: one line for those on each domain."""
        by = self.by
        for domain in ("own", "common"):
            some = [
                i
                for i, mechanism in enumerate(by.setting.mechanisms, start=1)
                if mechanism.noise is None and by.citing.domain(i) == domain
            ]
            if some:
                said = words.PrivateInInput(tuple(some), tuple(map(by.metric, some)))
                page = by.citing.step(domain, some)
                yield self.add(said, page.id, {"M": some}, [given[i - 1] for i in some])

    def in_values(self, given: Sequence[Line]) -> Iterator[Line]:
        """Guarantees by how far the values of queries move: one line for each kind of noise."""
        by, core = self.by, self.by.found.shop.setting.mechanisms
        noises = [one.noise for one in core]
        for id in dict.fromkeys(one.page for one in noises if one is not None):
            some = [i for i, one in enumerate(noises, start=1) if one is not None and one.page == id]
            head = by.theory.pages[id].head
            letters = tuple(
                (name, {**one.letters, head.parameter: one.parameter}[name])
                for one in noises
                if one is not None and one.page == id
                for name in head.parameters
            )
            told = (head.density, head.loss, *head.bound, head.because, letters)
            said = words.PrivateInValue(tuple(some), tuple(map(by.metric, some)), *told)
            yield self.add(said, id, {"M": some}, [given[i - 1] for i in some])

    def processed(self, private: Sequence[Line]) -> Iterator[Line]:
        """Functions of outputs keep guarantees: one line for those that are said to do the same."""
        every = [one.processing for one in self.by.setting.mechanisms]
        page = self.by.theory.processing("outputs")
        for done in dict.fromkeys(filter(None, every)):
            some = tuple(i for i, one in enumerate(every, start=1) if one == done)
            uses = [line for line in private if not set(some).isdisjoint(line.roles["M"])]
            assert page is not None
            yield self.add(words.Processed(some, done), page.id, {"M": list(some)}, uses)

    def filtered(self, given: Sequence[Line]) -> Iterator[Line]:
        """What filters stop has the guarantee of its total: one line for all of them."""
        some = tuple(i for i, one in enumerate(self.by.setting.mechanisms, start=1) if one.filtered)
        page = self.by.theory.processing("interactions")
        if some and page is not None:
            yield self.add(words.Filtered(some), page.id, {"M": list(some)}, [given[i - 1] for i in some])

    def dealt(self, given: Sequence[Line]) -> Iterator[Line]:
        """What holds for each deal of the records holds of a random one: one line for all of them."""
        some = tuple(i for i, one in enumerate(self.by.setting.mechanisms, start=1) if one.reads.dealt)
        page = self.by.theory.processing("deals")
        if some and page is not None:
            yield self.add(words.Dealt(some), page.id, {"M": list(some)}, [given[i - 1] for i in some])

    def converted(self, private: Sequence[Line]) -> Iterator[Line]:
        """Guarantees of a notion in another one, page by page; yields the last lines."""
        every = [loss_of(one) for one in self.by.found.losses]
        for notion in dict.fromkeys(one.notion for one in every if one.then):
            some = [one for one in every if one.notion == notion]
            numbers = [one.mechanism for one in some]
            uses = [line for line in private if not set(numbers).isdisjoint(line.roles["M"])]
            for n, one in enumerate(some[0].then, start=1):
                parts = [replace(x, then=x.then[:n]) for x in some]
                to = parts[0].ends(self.by.found.shop.theory)
                values = tuple(written(tuple(self.moved(x).items())) for x in parts)
                said = words.Converted(tuple(numbers), to, values)
                uses = [
                    self.add(said, one.page, {"M": numbers, **dict(words.texts(written(one.chosen)))}, uses)
                ]
            yield uses[0]

    def loss(self, rule: Page) -> words.Loss:
        """What all mechanisms lose together where the input of M_i moves by r[i]."""
        every = [loss_of(one) for one in self.by.found.losses]
        core = self.by.found.shop.setting.mechanisms
        limited = [one for one in every if not one.unlimited]
        values = []
        for key in rule.head.parameters:
            squared, parts = key in rule.head.squared, []
            for one in limited:
                value, count = self.moved(one)[key], core[one.mechanism - 1].count
                if count is not None:
                    value = terms.over(
                        count, substitution.expanded(value * value) if squared else value, count
                    )
                    value = terms.sqrt(value) if squared else value
                parts.append(value)
            known = {"k": terms.number(len(parts))}
            values.append((key, formulas.parse(rule.head.composition[key], known, {key: parts})))
        unlimited = tuple(one.mechanism for one in every if one.unlimited)
        return words.Loss(rule.head.notion, written(tuple(values)), unlimited)

    def moved(self, loss: Loss) -> Mapping[str, Term]:
        """What M_i loses where its input moves by r[i]."""
        theory = self.by.found.shop.theory
        if loss.unlimited:
            return dict.fromkeys(theory.rule(loss.ends(theory)).head.parameters, INFINITY)
        r = terms.letter(f"r[{loss.mechanism}]", NONNEGATIVE)
        try:
            return loss.at(r, theory)
        except FormulaError:
            return self.in_steps(loss, r)
        except losses.NoLoss:
            if loss.curve is None or loss.orders is None:
                raise
            return {key: loss.curve.at_far(loss.orders, r) for key, _ in loss.values}

    def in_steps(self, loss: Loss, r: Term) -> Mapping[str, Term]:
        """The same where a formula for all r is 0/0: r times what one step costs, if two cost twice that."""
        one, two = (loss.at(terms.number(n), self.by.found.shop.theory) for n in (1, 2))
        if any(two[key] != 2 * value for key, value in one.items()):
            return {key: terms.ZERO if value == terms.ZERO else INFINITY for key, value in one.items()}
        return {key: r * value for key, value in one.items()}

    # guarantees

    def closer(self, closer: Known, loss: Line, profile: Line) -> Line:
        """The guarantee with closer values."""
        return self.add(self.by.private(closer.theorem), self.by.closer.id, {}, [loss, profile])

    def guarantee(self, loss: Line, profile: Line) -> Line:
        """The guarantee by the theorem that is cited for it, after its hypotheses."""
        cited = self.by.citation
        held = list(map(self.holds, cited.held))
        said = self.by.private(self.by.found.before)
        uses = sorted([loss, profile, *held], key=lambda line: line.n)
        return self.add(said, cited.theorem.id, {}, uses)

    def optimal(self, known: Known, profile: Line, guarantee: Line) -> None:
        """That no smaller guarantee holds, where that is known."""
        page = self.by.theory.witness(known.says.notion)
        if known.optimal and page is not None:
            said = words.Optimal(known.says.notion, written(known.says.values))
            self.add(said, page.id, {}, [profile, guarantee])


def conversions(theorem: Theorem) -> list[Theorem]:
    """The steps by which the guarantee of the whole was converted, in order."""
    found: list[Theorem] = []
    while theorem.rule == "change":
        found.insert(0, theorem)
        theorem = theorem.premises[0]
    return found


def rests_on(by: Captions) -> set[str]:
    """The ids of the pages that guarantees rest on, and what is known of how large they must be."""
    found = by.found
    known = [one for one in (found.main, found.closer, by.together) if one is not None]
    theorems = [theorem for one in known for theorem in (one.theorem, *one.optimal.values())]
    return {id for one in theorems for id in one.rests_on.pages if id in found.shop.theory.pages}


def pages_of(by: Captions) -> dict[str, str]:
    """The SHA-256 of every page that captions rest on, or cite."""
    cited = {line.by for line in by.lines if line.by in by.theory.pages}
    cited |= {shape for id in cited if (shape := getattr(by.theory.pages[id].head, "shape", None))}
    return {id: by.theory.pages[id].sha256 for id in sorted(rests_on(by) | cited)}


def vector(type: Type, mechanisms: Sequence[Mechanism]) -> words.Vector:
    """How far a type of neighbours moves each input that it moves."""
    entries, lost = list[tuple[int, words.Moved]](), {i: far for i, far, _ in type.lost}
    for i, members in type.moves:
        several = mechanisms[i - 1].members is not None
        moved = [
            (terms.as_term(many) if many else words.ALL, terms.as_term(lost.get(i, r))) for many, r in members
        ]
        entries.append((i, words.Moved(tuple(moved) if several else ((None, moved[0][1]),))))
    return tuple(entries)


def moves_several(type: Type) -> bool:
    """Whether a type of neighbours moves several inputs, or members."""
    return len(type.moves) > 1 or any(sum(many for many, _ in some) != 1 for _, some in type.moves)


def written(values: losses.Values) -> words.Values:
    """Parameters with their formulas, as they are written."""
    return tuple(map(as_written, values))


def _stated(guarantee: Guarantee, loss: Loss) -> losses.Values:
    """The parameters of a guarantee as it is stated: of divergences in alpha, for its own orders."""
    curve = guarantee.curve if guarantee.notion == loss.notion else None
    return loss.values if curve is None else tuple((key, curve.value) for key, _ in loss.values)


def _called(mechanism: Mechanism) -> str:
    """A mechanism's name, or that of all members of a family."""
    count = mechanism.members
    return mechanism.name if count is None else f"{mechanism.name}[i], i = 1..{count},"


def _frozen(shown: str | list[str]) -> str | tuple[str, ...]:
    return shown if isinstance(shown, str) else tuple(shown)


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
