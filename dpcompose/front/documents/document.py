"""What is told of a composition, as a tree: sentences, numbered steps, mechanisms, databases side by side.

Whoever judges a composition fills it; text, HTML and LaTeX are printed from it, and do not ask what the
composition is about.  A sentence is made of texts and of formulas between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language.said import Item, Part, Said, Words, expressions_in, plain
from dpcompose.language.shown import Shown

if TYPE_CHECKING:
    import sympy

    from dpcompose.proof.theory.registry import Page


GIVEN, BELIEVED, ON_TABLE = "given", "believed", "checked on its table"
"""How a step is checked that the setting states, one of which nobody knows, and one that a table shows."""
NO_VALUES: Mapping[str, Any] = MappingProxyType({})


@frozen(repr=False)
class Step(Shown):
    """A numbered step: what it says, the page that it is by or how it was checked, the steps it is from.

    before -- the number of the step whose evidence it is in, with a point; below -- the steps that it has
    as evidence; item -- how its page is cited; about -- the mechanisms that it is about, if it is about some;
    values -- what it says as values: the formulas of a guarantee, or pairs of databases.
    """

    n: int
    said: Said
    checked: str = ""
    page: Page | None = None
    item: Item = Item("")
    uses: tuple[int, ...] = ()
    before: str = ""
    below: tuple[Step, ...] = ()
    about: tuple[int, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def data(self) -> dict[str, Any]:
        """As JSON."""
        by = self.checked if self.page is None else self.page.id
        data: dict[str, Any] = {"n": self.n, "says": self.words, "by": by, "from": list(self.uses)}
        more = {"mechanisms": list(self.about), "values": dict(self.values)}
        more |= {"item": self.item if self.item != by else "", "steps": [step.data() for step in self.below]}
        return data | {key: value for key, value in more.items() if value}

    @property
    def number(self) -> str:
        return f"{self.before}{self.n}"

    @property
    def is_assumed(self) -> bool:
        """Whether it says what the setting does, so that it is no step of a proof but an assumption."""
        return self.checked in (GIVEN, ON_TABLE, BELIEVED)

    @property
    def words(self) -> str:
        """What it says, as text."""
        return plain(self.said)

    def __repr__(self) -> str:
        return f"{self.number}. {self.words} [{self.source}]"

    def _line(self) -> Sequence[str | sympy.Expr]:
        return [f"{self.number}. ", *expressions_in(self.said), f" [{self.source}]"]

    @property
    def source(self) -> str:
        """What it is by, and from, as text."""
        if self.page is None:
            return self.checked + self.origin
        return f"by {self.item if self.item == self.page.id else f'{self.item}, {self.page.id}'}{self.origin}"

    @property
    def origin(self) -> str:
        """What steps it is from, as text."""
        return f" from {numbers(self.uses, self.before)}" if self.uses else ""


def numbers(ns: Sequence[int], before: str = "") -> str:
    """1, 2, 3, 5 as 1-3, 5."""
    runs: list[list[int]] = []
    for n in ns:
        if runs and n == runs[-1][-1] + 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    return ", ".join(
        f"{before}{r[0]}" + ("" if len(r) == 1 else f"{'-' if len(r) > 2 else ', '}{before}{r[-1]}")
        for r in runs
    )


class Telling:
    """Tells a derivation: its steps, one after the other; see `Told` and `Step`."""

    def __init__(self, numbered: tuple[str, bool], before: str = "", steps: Sequence[Step] = ()) -> None:
        self.numbered, self.before, self.steps = numbered, before, list(steps)

    def add(
        self,
        said: Said,
        by: Page | str,
        uses: Sequence[Step] = (),
        about: Sequence[int] = (),
        values: Mapping[str, Any] = NO_VALUES,
        below: tuple[Step, ...] = (),
        item: Item | None = None,
    ) -> Step:
        """The next step, by a page, or how it was checked."""
        checked, page = (by, None) if isinstance(by, str) else ("", by)
        item = item or (Item("") if page is None else page.cite(*self.numbered))
        from_, n = tuple(use.n for use in uses), len(self.steps) + 1
        self.steps.append(Step(n, said, checked, page, item, from_, self.before, below, tuple(about), values))
        return self.steps[-1]


def unchecked(steps: Sequence[Step]) -> list[str]:
    """The steps that nothing checked, by their numbers, also those that steps have as evidence."""
    alike: dict[str, list[int]] = {}
    for step in every_step(steps):
        if step.checked in (GIVEN, BELIEVED):
            alike.setdefault(step.before, []).append(step.n)
    shown = ", ".join(numbers(ns, before) for before, ns in alike.items())
    return [f"line{'s' if sum(map(len, alike.values())) > 1 else ''} {shown}"] if alike else []


def every_step(steps: Sequence[Step]) -> Iterator[Step]:
    """The steps, and those that they have as evidence."""
    for step in steps:
        yield step
        yield from every_step(step.below)


@frozen
class Told:
    """A derivation as it is told: steps, what they believe without check, the pages they rest on, in order.

    numbered -- by what pages are cited: the notion, and whether mechanisms are adaptive.
    """

    steps: tuple[Step, ...]
    believed: str
    pages: tuple[Page, ...]
    numbered: tuple[str, bool]


@frozen
class Head:
    """What stands before a proof: where it is, the parameters with their values, assumptions, the theorem.

    stated -- what is assumed, below a heading each; optimal -- what is said of an optimal guarantee; proof --
    how the proof begins; defined -- what the steps speak of; besides -- what is assumed and is no step.
    """

    about: Said
    parameters: Mapping[str, Said]
    stated: Mapping[str, Sequence[Said]]
    theorem: Said
    optimal: str
    proof: Said
    defined: Sequence[Said] = ()
    besides: Sequence[Said] = ()


@frozen
class Member:
    """A mechanism of a composition: what it reads, what it releases or satisfies, and on which domain."""

    name: str
    reads: Part
    releases: str
    satisfies: Said
    domain: str = ""


@frozen
class Composed:
    """What is composed: databases, for which neighbours, what is assumed of parameters, the mechanisms."""

    title: str
    scope: str
    target: str
    where: str
    members: tuple[Member, ...]

    @property
    def about(self) -> Words:
        """All but the mechanisms, in a sentence."""
        return Words("on ", self.scope, f", {self.target}{f', where {self.where}' if self.where else ''}")


@frozen
class Record:
    """A record of a database, whether the other one lacks it, and which mechanism reads it, from 0 on."""

    text: str
    changed: bool
    reader: int | None = None


@frozen
class Records:
    """A database as its records, between brackets."""

    brackets: tuple[str, str]
    records: tuple[Record, ...]


@frozen
class Compared:
    """A row of two databases side by side: themselves, parts of them, or what a mechanism reads of them."""

    name: str
    sides: tuple[str | Records, str | Records]
    after: str = ""
    reader: int | None = None


class Best(Protocol):
    """The best guarantee of a composition as it is printed.

    scope -- the databases; where -- what is assumed of parameters; said -- the guarantee; item -- what is
    cited for it; standing -- that it is optimal, or that a smaller one is known; stated -- its formulas by
    name; relies_on -- the pages that it rests on and nobody derives; vacuous -- whether it says nothing, as
    there are no neighbours.
    """

    @property
    def setting(self) -> Any: ...
    @property
    def notion(self) -> str: ...
    @property
    def said(self) -> Said: ...
    @property
    def item(self) -> Item: ...
    @property
    def optimal(self) -> bool | None: ...
    @property
    def stated(self) -> Mapping[str, Term]: ...
    @property
    def metric(self) -> sympy.Expr: ...
    @property
    def relies_on(self) -> tuple[Page, ...]: ...
    @property
    def told(self) -> Told: ...
    @property
    def head(self) -> Head: ...
    @property
    def assumptions(self) -> list[str]: ...
    def for_neighbours(self, what: str) -> Any: ...
    def data(self) -> dict[str, Any]: ...

    @property
    def values(self) -> Mapping[str, sympy.Expr]:
        """The parameters of the guarantee, by name."""
        from dpcompose.language import formulas

        return {key: formulas.expression(value) for key, value in self.stated.items()}

    @property
    def title(self) -> str:
        return str(self.setting.title)

    @property
    def scope(self) -> str:
        return str(self.setting.databases)

    @property
    def numbered(self) -> tuple[str, bool]:
        """By what theorems are numbered: the notion, and whether mechanisms are adaptive."""
        return self.notion, self.setting.adaptive

    @property
    def theorems(self) -> Sequence[Item]:
        """What is cited: for the guarantee, and for conversions."""
        return [*self.items, *(page.cite(*self.numbered) for page in self.conversions)]

    @property
    def standing(self) -> str:
        return "; optimal" if self.optimal else ""

    @property
    def items(self) -> Sequence[Item]:
        """What is cited for the guarantee: a theorem, and what gives a closer value."""
        return [self.item]

    # of most there is nothing

    @property
    def conversions(self) -> Sequence[Page]:
        return ()

    @property
    def fits(self) -> Sequence[Any]:
        return ()

    @property
    def attained(self) -> Sequence[Any]:
        """At which records that come, go or are replaced the guarantee is attained, where this is told."""
        return ()

    @property
    def where(self) -> str:
        return ""

    @property
    def one_by_one(self) -> str:
        return ""

    @property
    def metric_said(self) -> str:
        return ""

    @property
    def vacuous(self) -> bool:
        return False
