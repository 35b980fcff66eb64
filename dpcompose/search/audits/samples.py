"""Mechanisms on samples of the records, gone through: what a sampling page states, on small classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any, TypeAlias

from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.privacy.finite.drawn import DRAWN, Letters
from dpcompose.search.audits.outcomes import Outputs, Row, Values, outputs_of, plain
from dpcompose.search.audits.searched import Counterexample, Looked, aimed
from dpcompose.search.audits.suppositions import Supposition
from dpcompose.search.audits.worlds import Base, Reading, Records, Relation, World, difference, of_records

Cases: TypeAlias = tuple[tuple[Mapping[str, int | str], int, int], ...]
"""The letters of a way to draw samples, and the least and the largest size of databases."""

POISSON: Cases = tuple(({"s": s}, 0, n) for n in (1, 2) for s in ("1/2", "1/4"))
WAYS: Mapping[str, Cases] = {
    "poisson": POISSON,
    "poisson-replaced": POISSON,
    "poisson-policy": POISSON,
    "fixed": tuple(({"m": m, "n": n}, n, n) for m, n in ((1, 2), (1, 3), (2, 3))),
    "any-number": tuple(({"m": m, "n": n}, n, 3) for m, n in ((1, 1), (1, 2), (2, 2))),
    "any-number-replaced": tuple(({"m": m, "n": n}, n, 3) for m, n in ((1, 1), (1, 2), (2, 3))),
    "draws": tuple(({"m": m, "n": n}, n, n) for m, n in ((1, 2), (2, 2), (2, 3))),
}
"""What is gone through, by the word of pages."""

Steps: TypeAlias = tuple[list[int], ...]
"""What neighbours are: how many records one step removes, and adds, of one or several kinds."""
COMES, IS_REPLACED = [0, 1], [1, 1]
STEPS: tuple[Steps, ...] = ((COMES,), (IS_REPLACED,))
WORDS = {0: "records come and go", 1: "records are replaced"}


@frozen(eq=False)
class Sampled:
    """A sampling page in one notion.

    on_samples, neighbours -- what one step may be: of the guarantee on samples, and of the whole;
    published -- whether the sample can be seen.
    """

    page: Any
    notion: str
    outputs: Outputs
    on_samples: tuple[Steps, ...]
    neighbours: tuple[Steps, ...]
    published: tuple[bool, ...] = (False,)
    suppositions: tuple[Supposition, ...] = ()

    def written(self, joint: bool) -> bool:
        """Whether a counterexample is written as a problem file."""
        return self.outputs.written(joint)

    def without(self, supposition: Supposition) -> Sampled:
        left: dict[str, Any] = (
            {"published": (True,)} if supposition.premise == "published" else {supposition.premise: STEPS}
        )
        return replace(self, **left)

    def look(self, most: int, looked: Looked) -> Counterexample | None:
        """A class of databases, and a mechanism on samples with its guarantee, that loses more."""
        for (letters, least, largest), universe in product(WAYS[self.page.head.how], ("a", "ab")):
            base, samples = of_records(universe, least, largest), of_records(universe, 0, largest)
            for H, G in product(self.on_samples, self.neighbours):
                looked.add(_world(base, G))
                for given, rows in self._mechanisms(samples, H, looked):
                    if (counterexample := self._in(base, G, samples, letters, given, rows)) is not None:
                        return counterexample
        return None

    def _mechanisms(
        self, samples: Base, H: Steps, looked: Looked
    ) -> Iterator[tuple[Values, tuple[Row, ...]]]:
        """Mechanisms on samples of which the guarantee was checked."""
        every = tuple(range(len(samples.names)))
        reading = Reading(every, samples.names, _near(samples, H), everything=True)
        given = self.outputs.values(1)
        for at in every:
            for rows in aimed(self.outputs, reading, tuple(given.items()), at):
                looked.mechanisms += 1
                yield given, rows

    def _in(
        self, base: Base, G: Steps, samples: Base, letters: Any, given: Values, rows: tuple[Row, ...]
    ) -> Counterexample | None:
        fractions = {key: Fraction(x) for key, x in letters.items()}
        known = {key: terms.number(x) for key, x in fractions.items()}
        texts = self.page.head.guarantee[self.notion]
        claim = {key: plain(formulas.parse(text, {**given, **known})) for key, text in texts.items()}
        world = _world(base, G)
        for published in self.published:
            table = tuple(self._row(D, samples, fractions, rows, published) for D in base.contents)
            for x, y in world.pairs:
                lost = self.outputs.joint_lost(table[x], table[y], claim)
                if lost is not None:
                    return Counterexample(self, world, (given,), (table,), True, (x, y), claim, lost)
        return None

    def _row(
        self, D: Records, samples: Base, letters: Letters, rows: tuple[Row, ...], published: bool
    ) -> Row:
        """What the mechanism on a sample says: the outcome, or where it is published the sample with it."""
        outcomes = range(len(rows[0]))
        values = {(T, o): Fraction(0) for T in (samples.contents if published else ((),)) for o in outcomes}
        for T, p in DRAWN[self.page.head.how](D, letters):
            for o in outcomes:
                values[T if published else (), o] += p * rows[samples.contents.index(T)][o]
        return tuple(values.values())


def _near(base: Base, steps: Steps) -> Relation:
    """The neighbours one step apart."""
    every = range(len(base.names))
    moved = {(x, y): difference(base.contents[x], base.contents[y]) for x in every for y in every}
    pairs = (pair for pair, changes in moved.items() if sorted(map(len, changes)) in map(sorted, steps))
    return Relation(_words(steps), frozenset(pairs))


def _words(steps: Steps) -> str:
    return ", or ".join(WORDS[one[0]] for one in steps)


def _world(base: Base, steps: Steps) -> World:
    return World(base, _near(base, steps), ())


def sampling(theory: Any, page: Any) -> list[Sampled]:
    """A sampling page in the notions whose mechanisms are tables."""
    head = page.head
    whole: Steps = (COMES, IS_REPLACED) if head.besides else (head.neighbours,)
    of: Steps = whole if head.on_samples == head.neighbours else (head.on_samples,)
    some = (
        Supposition(
            "on-samples", f"the guarantee on samples is for where {_words(of)}", premise="on_samples"
        ),
        Supposition("neighbours", f"neighbours are where {_words(whole)}", premise="neighbours"),
        Supposition("published", "the sample is not published", premise="published"),
    )
    return [
        Sampled(page, notion, outputs, (of,), (whole,), suppositions=some)
        for notion in theory.notions
        if notion in head.guarantee
        and (outputs := outputs_of(theory, notion)) is not None
        and outputs.tabular
    ]
