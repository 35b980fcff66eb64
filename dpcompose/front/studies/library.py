"""The theorem pages in the user's hands: found by item or by words, each with its statement and its check."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpcompose.front.studies import audits
from dpcompose.front.studies.audits import Audit
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.library.fields import near
from dpcompose.language.shown import Shown
from dpcompose.proof.hypotheses import binding
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Page, Theory
from dpcompose.search.audits.audits import MOST

if TYPE_CHECKING:
    from dpcompose.front.studies.study import Study
    from dpcompose.search.audits.searched import Looked
    from dpcompose.search.citations.citations import Fit


FEW = 5
"""How many pages are found that have only some of the words that are looked for."""


@frozen(repr=False)
class Theorem(Shown):
    """A theorem page: what it states, of what, and whether it fits a composition.

    >>> found = theorems["GB:IV.13"]
    >>> found.hypotheses
    ('p is a record-wise partition', 'k >= 2')
    >>> found.conclusion["pure"]
    {'epsilon': 'top(2, epsilon[i], i, 1, k)'}
    """

    page: Page
    theory: Theory

    @property
    def id(self) -> str:
        return self.page.id

    @property
    def items(self) -> tuple[str, ...]:
        """The items of the source that it is, or that are found on it."""
        return tuple(self.page.every_item)

    @property
    def title(self) -> str:
        return self.page.title

    @property
    def statement(self) -> str:
        """What it states, in a line; of pages that have none the title."""
        return str(getattr(self.page.head, "statement", "") or self.title)

    @property
    def hypotheses(self) -> tuple[str, ...]:
        """What has to hold, in words: that which is declared on the page."""
        some = [*getattr(self.page.head, "where", ()), *getattr(self.page.head, "hypotheses", ())]
        return tuple(binding.in_general(self.theory, one) for one in some)

    @property
    def conclusion(self) -> Mapping[str, Mapping[str, str]]:
        """By notion the formulas of the parameters; nothing where it concludes the best bound itself."""
        from dpcompose.front.printers import listings

        given = getattr(self.page.head, "conclusion", {})
        found = {notion: listings.conclusion(self.theory, self.page, notion) for notion in given}
        return {notion: formulas for notion, formulas in found.items() if formulas}

    @property
    def text(self) -> str:
        """The page: definition, statement, proof, examples, in Markdown."""
        return self.page.path.read_text(encoding="utf-8")

    def check(self, study: Study) -> Fit:
        """Whether it fits a composition: true or false, with the reason, and the databases that show it.

        Raises TypeError for a page that is no composition theorem.

        >>> import dpcompose as dpc
        >>> parts = [
        ...     dpc.mechanism(x, dpc.pure(f"e{x}", "bounded", "common"), reads={x}) for x in "ab"
        ... ]
        >>> study = dpc.compose(*parts, on=dpc.multisets({"a", "b"}), target="bounded")
        >>> bool(theorems["GB:IV.13"].check(study)), bool(theorems["GB:IV.12"].check(study))
        (True, False)
        """
        for fit in study.theorems():
            if fit.page.id == self.page.id:
                return fit
        raise TypeError(f"{self.title} is no theorem about compositions that a study can fit")

    def audit(
        self,
        most: int = MOST,
        notions: Collection[str] = (),
        told: Callable[[Looked], None] | None = None,
    ) -> Audit:
        """Searches finite settings, smallest first, for one in which the theorem fails.

        All that it supposes holds there, by going through tables of databases, maps, neighbours and
        probabilities, and more is lost than it concludes.  Then each supposition is left out in turn.

        most -- how many settings of one kind are looked at, the rest being drawn by a fixed seed;
        notions -- those that are looked at, if not all; told -- is called as one goes.
        Raises NoSearch (a ValueError) where the page states nothing of finite settings.  An interrupt keeps
        what was found.

        >>> found = theorems["GB:IV.15"].audit(most=5, notions=["pure"])
        >>> found.refuted
        ()
        >>> found.needed[0]
        'every mechanism reads a proper part of the record universe'
        """
        return audits.audit(self.theory, self.page, most, notions, told)

    def __repr__(self) -> str:
        items = f" ({', '.join(self.page.items)})" if self.page.items else ""
        said = "" if self.statement == self.title else f": {self.statement}"
        return f"{self.title}{items}{said}"

    def _repr_html_(self) -> str:
        from dpcompose.front.printers import display

        return display.page_html(self.page)


@frozen(repr=False)
class Library(Shown):
    """Theorem pages by id and by item, in order; `dpcompose.theorems` are those that ship.

    theorems["GB:IV.13"] raises KeyError with what is near where there is no such page.

    >>> theorems["GB:IV.13"]
    Parallel composition under bounded DP (GB:IV.13, GB:A.18): a record-wise partition and replace-one \
neighbours: the two largest parameters add up
    >>> "parallel-bounded" in [one.id for one in theorems.search("record-wise partition bounded")]
    True
    """

    of: Theory | None = None

    @cached_property
    def theory(self) -> Theory:
        return self.of or registry.standard()

    def __call__(self, *more: str | Path, own: Iterable[Any] = ()) -> Theory:
        """The theory of these pages and of those in folders of one's own, to compose by.

        own -- what pages and problem files may name besides, as values in Python: granularities, classes of
        databases, maps; a module with a list OWN of such, or with a hypothesis: `check` and `WORDS`,
        as in the files of dpcompose/proof/hypotheses.

        Pages of one's own are at most believed: each result that rests on one says so.  Wrong pages are left
        out, with a warning; what needs one of them raises PageError.

        >>> theorems() is registry.standard()
        True
        """
        return registry.theorems(*more, own=own)

    def __getitem__(self, name: str) -> Theorem:
        """The page with an id, or that states an item.  Raises KeyError with what is near."""
        if (page := self.theory.meant(name)) is None:
            number, hint = len(self.search(name)), self.near(name)
            words = f"{'' if hint else ';'} theorems.search({name!r}) finds {number}" if number else ""
            raise KeyError(f"there is no theorem page {name!r}{hint}{words}")
        return Theorem(page, self.theory)

    def near(self, name: str) -> str:
        """A hint at the id or item that was meant; "" where none is near."""
        return near(name, [x for page in self.theory.pages.values() for x in (page.id, *page.every_item)])

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.theory.meant(name) is not None

    def __iter__(self) -> Iterator[Theorem]:
        return (Theorem(page, self.theory) for page in self.theory.pages.values())

    def __len__(self) -> int:
        return len(self.theory.pages)

    def search(self, words: str) -> list[Theorem]:
        """The pages with all of some words in them, and a few more that have the rarest.

        First come those with rare words, in their title or in what they state.
        """
        wanted = words.lower().split()
        every = {theorem.id: (theorem, _texts(theorem)) for theorem in self}
        having = {word: [id for id, (_, told) in every.items() if word in told[-1]] for word in wanted}
        weight = {word: log(len(every) / len(some)) for word, some in having.items() if some}

        def rank(id: str) -> float:
            return sum(weight.get(word, 0) * sum(word in text for text in every[id][1]) for word in wanted)

        ranked = sorted((id for id in every if rank(id)), key=rank, reverse=True)
        with_all = set(every).intersection(*having.values()) if wanted else set()
        some = {*with_all, *ranked[:FEW]}
        return [every[id][0] for id in [*ranked, *(id for id in every if not rank(id))] if id in some]

    def __repr__(self) -> str:
        return repr(self.theory)


def _texts(page: Theorem) -> list[str]:
    """What a page is called; the same with what it states; and with all that it says."""
    title = f"{page.id} {page.title}".lower()
    told = f"{title} {page.statement} {' '.join(page.hypotheses)}".lower()
    return [title, told, f"{told} {page.text.lower()}"]


theorems = Library()
"""The theorem pages that ship with dpcompose."""


def audit(page: str, most: int = MOST, notions: Collection[str] = (), theory: Theory | None = None) -> Audit:
    """The audit of a theorem page by its id or its item, as `theorems[page].audit(most, notions)` has it.

    theory -- where the page is one of your own: `theorems("DIR")`.  Raises NoSearch (a ValueError) where the
    page states nothing of finite settings.

    >>> audit("GB:IV.15", most=5, notions=["gaussian"]).answers[1].found.lost
    'oo'
    """
    return Library(theory)[page].audit(most, notions)
