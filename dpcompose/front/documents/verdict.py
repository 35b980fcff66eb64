"""Verdicts as readers see them: the word, what shows it, and what would be right instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

from dpcompose.front.documents.document import Best
from dpcompose.front.documents.sentences import decimals
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language.said import Cited, Said, formula
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.problems import Claim
from dpcompose.proof.counterexamples.refuting import Counterexample
from dpcompose.proof.theory.registry import Page

LOOSE = {True: ", loose", False: ", and no smaller {} holds", None: ""}
"""What is said after a verdict of a claim that is larger than the bound, or equals an optimal one."""

MOST_REACHED = 12
"""Of how many mechanisms it is said, one by one, that what they lose is reached."""


def believed_pages(relies_on: Sequence[Page]) -> dict[str, list[str]]:
    """The pages for which nobody vouches as JSON: nothing where there are none."""
    ids = [page.id for page in relies_on if page.is_believed]
    return {"believed": ids} if ids else {}


@frozen
class Least:
    """What is known beside a verdict: the least guarantee, and by what the claim is decided.

    guarantee -- claims that are compared with a curve: the least that is known at the claim's δ; curve -- the
    page of that curve; by -- by what the claim is decided, where that is a curve or a conversion, in words;
    right -- the least guarantee that is known.
    """

    guarantee: Guarantee | None = None
    curve: str = ""
    by: str = ""
    right: Said = ()


@frozen
class Verdict:
    """What was found about a claim.

    verdict -- "proved", "refuted" or "undecided";
    loose -- proved claims: True where it is larger than the bound for some values, False where they
    equal an optimal bound, None where neither is known;
    counterexample -- refuted claims; None where no two databases can be written out, as what is lost is
    approached by larger and larger ones; reason -- undecided claims, and refuted ones without it, in words;
    by_curve -- whether a computed curve proves;
    changes -- refuted claims: what finds changes of the setting after which the claim is proved, in words;
    bound -- the guarantee that the claim was compared with, where there is one: in the claim's notion;
    relies_on -- the pages that it rests on, and which the program does not derive;
    as_they_are -- refuted claims: the mechanisms, also those of studies, of whose outputs functions are
    published, of which nothing is known but that they may be the identity, as here;
    said -- the claim in words; written -- as it is written; find_least -- finds `least`; noun --
    what is claimed; outcome -- what shows it, for what saves it.
    """

    claim: Claim
    verdict: str
    loose: bool | None = None
    counterexample: Counterexample | None = None
    reason: str = ""
    by_curve: bool = False
    changes: Callable[[], Iterable[str]] = field(default=tuple, compare=False, repr=False)
    bound: Best | None = field(default=None, compare=False)
    relies_on: tuple[Page, ...] = field(default=(), compare=False)
    as_they_are: tuple[str, ...] = ()
    said: Said = field(default=(), compare=False)
    written: str = field(default="", compare=False)
    find_least: Callable[[], Least] = field(default=Least, compare=False, repr=False)
    noun: str = field(default="guarantee", compare=False)
    outcome: Any = field(default=None, compare=False)

    @cached_property
    def nearby(self) -> tuple[str, ...]:
        """The changes of the setting after which a refuted claim is proved, looked for when asked."""
        return tuple(self.changes())

    @cached_property
    def least(self) -> Least:
        """What is known besides, found when asked: a claim is decided without it."""
        return self.find_least()

    @property
    def guarantee(self) -> Guarantee | None:
        """Claims that are compared with a curve: the least guarantee that is known at the claim's δ."""
        return self.least.guarantee

    @property
    def proved(self) -> bool:
        """Whether the claim holds for all mechanisms that fit."""
        return self.verdict == "proved"

    @property
    def refuted(self) -> bool:
        """Whether mechanisms that fit lose more at two neighbours."""
        return self.verdict == "refuted"

    @property
    def undecided(self) -> bool:
        """Whether neither was shown; `reason` says why."""
        return self.verdict == "undecided"

    def __bool__(self) -> bool:
        """Whether it is proved, so that `assert study.check(claim)` fails where it is not."""
        return self.proved

    @property
    def as_expected(self) -> bool:
        return self.claim.expect in (None, self.verdict)

    @property
    def standing(self) -> str:
        """What is said after the verdict."""
        return LOOSE[self.loose].format(self.noun)

    @property
    def published(self) -> str:
        """What a refutation takes functions of outputs to be, of which no more is known, in words."""
        names = ", ".join(self.as_they_are)
        return f"with the outputs of {names} published as they are" if names else ""

    def data(self) -> dict[str, Any]:
        """The verdict as JSON has it, with its counterexample: numbers and formulas as exact texts."""
        data: dict[str, Any] = {"verdict": self.verdict, "claim": dict(self.claim.text)}
        if self.claim.expect is not None:
            data["expect"] = self.claim.expect
        if self.proved:
            data["loose"] = self.loose
        if self.reason:
            data["reason"] = self.reason
        if self.guarantee is not None:
            data["guarantee"] = {"notion": self.guarantee.notion} | dict(decimals(self.guarantee))
        if self.counterexample is not None:
            data["counterexample"] = self.counterexample.data()
        if self.nearby:
            data["would-hold"] = list(self.nearby)
        return data | believed_pages(self.relies_on)

    def refutation(self) -> Iterator[Said]:
        """What is said of the two databases of a refuted claim, line by line."""
        if self.counterexample is not None:
            yield from self.loses(self.counterexample)
            yield from self.besides(self.counterexample)

    def loses(self, example: Counterexample, in_a_table: bool = False) -> Iterator[Said]:
        """At which values what is claimed there, what is lost, and how.

        in_a_table -- whether outcomes with their probabilities stand in a table.
        """
        if example.point:
            yield ["with ", example.at]
        if example.through:
            yield [f"which violates what the claim implies by {', '.join(example.through)}"]
        yield [example.lost()]
        reached = [(name, row) for name, row in example.reached if not (in_a_table and row.outcomes)]
        for name, row in reached[:MOST_REACHED]:
            yield ["reached by ", name, " ", row.words()]
        if (more := len(reached) - MOST_REACHED) > 0:
            yield [f"and so by {more} more mechanism{'s' if more > 1 else ''} (the JSON has all)"]

    def besides(self, example: Counterexample) -> Iterator[Said]:
        """What a reader may ask next: who is enough, what is left out, and what would be right."""
        if self.published:
            yield [self.published]
        if (alone := example.alone) is not None:
            yield [
                "already ",
                alone.mechanism,
                " alone loses ",
                formula(alone.loss),
                " (",
                Cited(alone.by),
                ")",
            ]
        if example.without:
            yield [example.left_out, " (", Cited(example.by_parts), ")"]
        if self.least.right:
            yield ["right is: ", *self.least.right]
        for change in self.nearby:
            yield [f"it would hold {change}"]
