"""The derivation of a guarantee for neighbours as it is told, step by step.

Each step of the kernel is told in the words of a lecture: what each mechanism satisfies, in which distance,
what all lose together, how far neighbours move the inputs, and the guarantee by the theorem that is cited
for it.  Nothing is decided here, and nothing is believed because of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dpcompose.front.documents.captions import (
    Captions,
    conversions,
    rests_on,
    texts,
    written,
)
from dpcompose.front.documents.document import GIVEN, NO_VALUES, ON_TABLE, Step, Telling
from dpcompose.front.documents.sentences import (
    distance,
    in_letters_of,
    in_values_of_noise,
    letter_of_distances,
    satisfied,
    statement,
    values_said,
)
from dpcompose.front.documents.wording import all_said
from dpcompose.kernel.composition import losses
from dpcompose.kernel.composition.losses import Loss
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.expressions import formulas, substitution, terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.grammar import FormulaError
from dpcompose.kernel.expressions.terms import INFINITY, ZERO, Term
from dpcompose.language.said import Mathematics, Said, Words, formula, listed, plain
from dpcompose.proof.theory.registry import Page
from dpcompose.search.citations.citations import Supposition
from dpcompose.search.guarantees import Known, loss_of
from dpcompose.spaces.inputs.written import image

ALL_GUARANTEES = "all guarantees together"
"""What a step is by where it is by no page: a predicate, or the least of what several guarantees give."""

MOST_VECTORS = 12
"""How many vectors of distances a step shows before it counts the rest."""


def steps(by: Captions, before: str = "") -> tuple[Step, ...]:
    """The derivation of a guarantee."""
    return tuple(_Derivation(by, before).steps)


class _Derivation(Telling):
    """Tells the steps, one after the other."""

    def __init__(self, by: Captions, before: str) -> None:
        super().__init__((by.notion, by.setting.adaptive), before)
        self.by = by
        self.names = [mechanism.name for mechanism in by.setting.mechanisms]
        loss, profile = self.loss_and_profile()
        guarantee = self.guarantee(loss, profile)
        for theorem in conversions(by.guarantees.main.theorem):
            page = by.theory.pages[theorem.arguments["page"]]
            guarantee = self.private(theorem, page, [guarantee], dict(theorem.arguments["chosen"]))
        self.optimal(by.guarantees.main, profile, guarantee)
        if (closer := by.guarantees.closer) is not None:
            guarantee = self.private(closer.theorem, by.closer, [loss, profile])
            self.optimal(closer, profile, guarantee)
        if (together := by.together) is not None:
            least = self.private(together.theorem, ALL_GUARANTEES, [guarantee])
            self.optimal(together, profile, least)

    def all_of(self, some: Iterable[int]) -> str:
        return listed([self.names[i - 1] for i in some])

    def holds(self, held: Supposition) -> Step:
        """The step on a hypothesis, told once."""
        sentence = in_letters_of(self.by.setting, held.words)
        how = held.covered
        if not held.declared:
            how = Words("checked: ", *in_letters_of(self.by.setting, held.covered))
        told = (step for step in self.steps if (step.said, step.checked) == (sentence, how))
        return next(told, None) or self.add(sentence, how)

    def loss_and_profile(self) -> tuple[Step, Step]:
        """The steps on what each mechanism loses, what all lose together, and how far neighbours move."""
        by = self.by
        given = [self.given(i, theorem) for i, theorem in enumerate(by.guarantees.shop.stated, start=1)]
        given = self.sampled(given)
        private = [*self.in_inputs(given), *self.in_values(given)]
        private = [*private, *self.filtered_and_dealt(given), *self.processed(private)]
        converted = list(self.converted(private))
        rule, held = by.theory.rule(by.notion), list[Step]()
        if by.setting.adaptive and rule.head.adaptively is not None:
            held = [self.holds(by.citing.checked(rule.head.adaptively))]
        loss = self.loss(rule, [*private, *converted, *held])
        return loss, self.profile(private)

    def given(self, i: int, theorem: Any) -> Step:
        """What the setting states of M_i, or what its table or its study shows; and what says the same."""
        as_written = self.by.guarantees.shop.in_own_notions
        if as_written is not None and (id := theorem.arguments.get("page")) is not None:
            loss, before = loss_of(theorem), self.given(i, as_written.stated[i - 1])
            same = satisfied(loss.notion, written(loss.values), self.by)
            told: Said = ["which says the same of ", self.names[i - 1], " as ", *same]
            return self.add(told, self.by.theory.pages[id], [before], [i])
        how = ON_TABLE if theorem.rule == "table" else GIVEN
        loss, stated = loss_of(theorem), self.by.setting.mechanisms[i - 1].satisfies
        sentence, values = statement(i, loss, self.by), NO_VALUES
        if theorem.rule != "noise" and stated.metric is None:
            values = {"notion": loss.notion, **texts(written(loss.values))}
        if theorem.rule != "study":
            return self.add(sentence, how, about=[i], values=values)
        below = steps(self.by.inner[i], f"{self.before}{len(self.steps) + 1}.")
        return self.add(sentence, "by the lines below", about=[i], values=values, below=below)

    def sampled(self, given: Sequence[Step]) -> list[Step]:
        """For each mechanism the step on its guarantee: of those that are run on samples, what these make of
        it, one step for those that are drawn alike."""
        by, found, alike = self.by, list(given), dict[tuple[str, str], list[int]]()
        for i, mechanism in enumerate(by.setting.mechanisms, start=1):
            if mechanism.sampled is not None:
                alike.setdefault((mechanism.sampled.by.kind.page, mechanism.satisfies.notion), []).append(i)
        for (page, notion), numbers in alike.items():
            shown = []
            for i in numbers:
                values = written(loss_of(by.guarantees.shop.stated[i - 1]).values)
                granularity = by.setting.mechanisms[numbers[0] - 1].satisfies.granularity
                shown.append([f"{self.names[i - 1]} is {granularity} ", *satisfied(notion, values, by)])
            sentence = ["on samples that each draws for itself and does not publish, ", *all_said(shown)]
            step = self.add(sentence, by.theory.pages[page], [given[i - 1] for i in numbers], numbers)
            for i in numbers:
                found[i - 1] = step
        return found

    def in_inputs(self, given: Sequence[Step]) -> Iterator[Step]:
        """Guarantees in the distance of what is read: one step for those on each domain."""
        by = self.by
        for domain in ("own", "common"):
            numbers = [
                i
                for i, mechanism in enumerate(by.setting.mechanisms, start=1)
                if mechanism.noise is None and by.citing.domain(i) == domain
            ]
            if numbers:
                metrics = list(dict.fromkeys(map(by.metric, numbers)))
                many = Words(f"{len(metrics)} metrics, by ", metrics[0], ", ...")
                where = listed(metrics, None, "; ") if len(metrics) <= 4 else many
                holds = ": the guarantee holds in the distance of what is read (", where, ")"
                page = by.citing.step(domain, numbers)
                yield self.add([self.all_of(numbers), *holds], page, [given[i - 1] for i in numbers], numbers)

    def in_values(self, given: Sequence[Step]) -> Iterator[Step]:
        """Guarantees by how far the values of queries move: one step for each kind of noise."""
        by, core = self.by, self.by.guarantees.shop.setting.mechanisms
        noises = [mechanism.noise for mechanism in core]
        for id in dict.fromkeys(noise.page for noise in noises if noise is not None):
            numbers = [i for i, noise in enumerate(noises, start=1) if noise is not None and noise.page == id]
            head = by.theory.pages[id].head
            letters = []
            for noise in (noise for noise in noises if noise is not None and noise.page == id):
                values = {**noise.letters, head.parameter: noise.parameter}
                letters.append(tuple((name, values[name]) for name in head.parameters))
            names = [self.names[i - 1] for i in numbers]
            sentence = in_values_of_noise(names, head, letters, list(map(by.metric, numbers)))
            yield self.add(sentence, by.theory.pages[id], [given[i - 1] for i in numbers], numbers)

    def processed(self, private: Sequence[Step]) -> Iterator[Step]:
        """Functions of outputs keep guarantees: one step for those that are said to do the same."""
        every = [mechanism.processing for mechanism in self.by.setting.mechanisms]
        page = self.by.theory.processing("outputs")
        for done in dict.fromkeys(filter(None, every)):
            numbers = [i for i, processing in enumerate(every, start=1) if processing == done]
            assert page is not None
            sentence = f"{self.all_of(numbers)}, then {done}: a function of the output keeps the guarantee"
            yield self.add([sentence], page, _about(private, numbers), numbers)

    def filtered_and_dealt(self, given: Sequence[Step]) -> Iterator[Step]:
        """What filters stop has the guarantee of its total, and what holds for each deal of the records holds
        of a random one: one step for all of them."""
        mechanisms = self.by.setting.mechanisms
        total = "what a filter stops has the guarantee of its total, whatever is asked"
        deals = "where a record is replaced, one input has it replaced, whichever it is dealt to"
        filtered = [i for i, mechanism in enumerate(mechanisms, start=1) if mechanism.filtered]
        dealt = [i for i, mechanism in enumerate(mechanisms, start=1) if mechanism.reads.dealt]
        for of, said, numbers in (("interactions", total, filtered), ("deals", deals, dealt)):
            page = self.by.theory.processing(of)
            if numbers and page is not None:
                about = [given[i - 1] for i in numbers]
                yield self.add([f"{self.all_of(numbers)}: {said}"], page, about, numbers)

    def converted(self, private: Sequence[Step]) -> Iterator[Step]:
        """Guarantees of a notion in another one, page by page; yields the last steps."""
        by = self.by
        every, r = [loss_of(loss) for loss in by.guarantees.losses], letter_of_distances(by.setting)
        for notion in dict.fromkeys(loss.notion for loss in every if loss.then):
            some = [loss for loss in every if loss.notion == notion]
            numbers = [loss.mechanism for loss in some]
            uses = _about(private, numbers)
            for n, converted in enumerate(some[0].then, start=1):
                parts = [replace(x, then=x.then[:n]) for x in some]
                to, shown = parts[0].ends(by.guarantees.shop.theory), list[Said]()
                for x in parts:
                    kept = satisfied(to, written(tuple(self.moved(x).items())), by)
                    shown.append([f"{self.names[x.mechanism - 1]} keeps ", *kept])
                sentence = ["where the inputs move by ", Mathematics("r", r), ", ", *all_said(shown)]
                values = texts(written(converted.chosen))
                uses = [self.add(sentence, by.theory.pages[converted.page], uses, numbers, values)]
            yield uses[0]

    def loss(self, rule: Page, uses: Sequence[Step]) -> Step:
        """What all mechanisms lose together where the input of M_i moves by r[i]."""
        by = self.by
        every = [loss_of(loss) for loss in by.guarantees.losses]
        values = written(tuple((key, self.lost(rule, key, every)) for key in rule.head.parameters))
        moves = list[Said]()
        for i, mechanism in enumerate(by.setting.mechanisms, start=1):
            query = f"{mechanism.query.words} of " if mechanism.query is not None else ""
            moves.append([query, image(mechanism.reads), " moves by ", distance(by.setting, i)])
        unlimited = self.all_of(loss.mechanism for loss in every if loss.unlimited)
        none = f"; without guarantee where {unlimited} moves" if unlimited else ""
        lost = ["the composition has loss ", *values_said(values, by.setting), " where "]
        data = {"notion": rule.head.notion, **texts(values)}
        return self.add([*lost, *all_said(moves, most=4), none], rule, uses, values=data)

    def lost(self, rule: Page, key: str, every: Sequence[Loss]) -> Term:
        """A parameter of what all mechanisms lose together."""
        core, squared, parts = (
            self.by.guarantees.shop.setting.mechanisms,
            key in rule.head.squared,
            list[Term](),
        )
        for loss in every:
            if loss.unlimited:
                continue
            value, count = self.moved(loss)[key], core[loss.mechanism - 1].count
            if count is not None:
                value = terms.over(count, substitution.expanded(value * value) if squared else value, count)
                value = terms.sqrt(value) if squared else value
            parts.append(value)
        known = {"k": terms.number(len(parts))}
        return formulas.parse(rule.head.composition[key], known, {key: parts})

    def moved(self, loss: Loss) -> Mapping[str, Term]:
        """What M_i loses where its input moves by r[i]."""
        theory = self.by.guarantees.shop.theory
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
        at_one, at_two = (loss.at(terms.number(n), self.by.guarantees.shop.theory) for n in (1, 2))
        if any(at_two[key] != 2 * value for key, value in at_one.items()):
            return {key: ZERO if value == ZERO else INFINITY for key, value in at_one.items()}
        return {key: r * value for key, value in at_one.items()}

    def profile(self, private: Sequence[Step]) -> Step:
        """How far neighbours move the inputs, by their types, each with a pair."""
        by, k = self.by, len(self.names)
        setting, types, page = by.setting, by.cover.types, by.theory.pages[by.cover.page]
        if not types:
            sentence: Said = [f"no two databases are {setting.target} neighbours ({by.covered})"]
            return self.add(sentence, page, private)
        vectors, shown = [self.vector(type) for type in types], list[Said]()
        for known in vectors[:MOST_VECTORS]:
            few = [known.get(i, [formula(ZERO)]) for i in range(1, k + 1)] if k <= 8 else []
            entries = few or [[distance(setting, i), "=", *far] for i, far in known.items()]
            shown.append(["(", *all_said(entries, most=k), ")"])
        more = f" and {len(types) - MOST_VECTORS} more" if len(types) > MOST_VECTORS else ""
        moved = f"{setting.target} neighbours move the inputs by at most "
        values = {
            "vectors": [{str(i): plain(far) for i, far in known.items()} for known in vectors],
            "pairs": [list(map(setting.databases.show, by.pair(type))) for type in types],
        }
        sentence = [moved, *all_said(shown, most=MOST_VECTORS), f"{more} ({by.covered})"]
        return self.add(sentence, page, private, values=values)

    def vector(self, type: Type) -> dict[int, Said]:
        """How far a type of neighbours moves each input that it moves: by 1, or 2 by 1 of a family."""
        lost, saids = {i: far for i, far, _ in type.lost}, dict[int, Said]()
        for i, members in type.moves:
            each = [(many, formula(terms.as_term(lost.get(i, r)))) for many, r in members]
            if self.by.setting.mechanisms[i - 1].members is None:
                saids[i] = [each[0][1]]
            else:
                saids[i] = all_said([[*_many(many), " by ", far] for many, far in each])
        return saids

    # guarantees

    def private(
        self, theorem: Any, by: Page | str, uses: Sequence[Step], values: Mapping[str, Any] = NO_VALUES
    ) -> Step:
        """A guarantee of the composition."""
        guarantee = self.by.private(theorem)
        shown = satisfied(guarantee.notion, guarantee.parameters, self.by)
        about = [f"the composition is {guarantee.granularity} ", *shown, ", on ", guarantee.databases]
        return self.add(
            about, by, uses, values={"notion": guarantee.notion, **dict(guarantee.texts), **values}
        )

    def guarantee(self, loss: Step, profile: Step) -> Step:
        """The guarantee by the theorem that is cited for it, after its hypotheses."""
        cited = self.by.citation
        held = list(map(self.holds, cited.supposed))
        uses = sorted([loss, profile, *held], key=lambda step: step.n)
        return self.private(self.by.guarantees.before, cited.theorem, uses)

    def optimal(self, known: Known, profile: Step, guarantee: Step) -> None:
        """That no smaller guarantee holds, where that is known."""
        page = self.by.theory.witness(known.says.notion)
        if known.optimal and page is not None:
            values = written(known.says.values)
            shown = values_said(values, self.by.setting)
            sentence = ["no smaller guarantee holds for all such mechanisms: ", *shown, " is attained"]
            self.add(
                sentence, page, [profile, guarantee], values={"notion": known.says.notion, **texts(values)}
            )


def _many(many: Any) -> Said:
    """How many members of a family move, or all of them."""
    return [formula(terms.as_term(many)) if many else "all"]


def _about(private: Sequence[Step], some: Sequence[int]) -> list[Step]:
    """The steps that are about some of the mechanisms."""
    return [step for step in private if not set(some).isdisjoint(step.about)]


def used(by: Captions, told: Sequence[Step]) -> dict[str, None]:
    """The ids of the pages that steps are by, and rest on, in order; also of the steps that these have as
    evidence."""
    pages = dict[str, None]()
    for i, step in enumerate(told, start=1):
        pages |= {} if step.page is None else {step.page.id: None}
        pages |= used(by.inner[i], step.below) if step.below else {}
    cited = {step.page.id for step in told if step.page is not None}
    cited |= {shape for id in cited if (shape := getattr(by.theory.pages[id].head, "shape", None))}
    return pages | dict.fromkeys(sorted(rests_on(by) | cited))
