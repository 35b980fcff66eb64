"""Theories: the pages that are in force, and which of them the rules look for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen


class NoPage(ValueError):
    """No page states what a rule needs; the message says what is missing."""


@frozen(eq=False)
class Theory:
    """The pages in force by id: primitive ones are believed, the others are known as what they are.

    A theory equals itself only, so that what follows from it can be kept.
    """

    pages: Mapping[str, Any]

    def page(self, id: object, kind: str) -> Any:
        """The page of an id and a kind.  Raises NoPage."""
        page = self.pages.get(id) if isinstance(id, str) else None
        if page is None or page.head.kind != kind:
            raise NoPage(f"there is no {kind} page {id!r}")
        return page

    def of_kind(self, kind: str) -> Sequence[Any]:
        """The pages of a kind, in the order of their ids; those that are only believed come last."""
        return self._kinds.get(kind, ())

    @cached_property
    def _kinds(self) -> Mapping[str, tuple[Any, ...]]:
        """The pages by their kinds."""
        kinds: dict[str, tuple[Any, ...]] = {}
        for id in sorted(self.pages, key=lambda id: (bool(self.pages[id].is_believed), id)):
            kinds[self.pages[id].head.kind] = (*kinds.get(self.pages[id].head.kind, ()), self.pages[id])
        return kinds

    def first(self, kind: str, fits: Callable[[Any], bool], otherwise: str) -> Any:
        """The first page of a kind that fits.  Raises NoPage with the words `otherwise`."""
        for page in self.of_kind(kind):
            if fits(page):
                return page
        raise NoPage(otherwise)

    def rule(self, notion: str) -> Any:
        """The rule page of a notion."""
        page = self._rules.get(notion)
        if page is None:
            raise NoPage(f"there is no rule page of the notion {notion!r}")
        return page

    @cached_property
    def _rules(self) -> Mapping[str, Any]:
        """The first rule page of each notion."""
        return {page.head.notion: page for page in reversed(self.of_kind("rule"))}

    def procedure(self, word: str) -> str:
        """The id of the page of a procedure by which types cover everything.  Raises NoPage."""
        otherwise = f"there is no page on covers by {word}"
        return str(self.first("procedure", lambda page: page.head.procedure == word, otherwise).id)

    def computed(self, notion: str, of: Iterable[tuple[str, str]], lost: bool = False) -> Any | None:
        """The page that computes bounds in a notion from guarantees in some notions, if there is one.

        of -- the notion of each guarantee with the word of the noise that gives it, "" where there is none;
        lost -- whether it is enough that the page says what some mechanisms with the guarantees lose.
        Of several pages the one that knows most of the noises, and then the most special one.
        """
        given, fitting = set(of), []
        for page in self.of_kind("computed"):
            others = {(stated, word) for stated, word in given if word not in page.head.noises}
            parts = {*page.head.parts, *(page.head.lost if lost else ())}
            if page.head.notion == notion and {stated for stated, _ in others} <= parts:
                by_guarantee = sum(1 for _, word in others if word)
                known = len(page.head.parts) + len(page.head.noises)
                fitting.append((page.is_believed, by_guarantee, known, page.id))
        return self.pages[min(fitting)[-1]] if fitting else None

    def lemmas(self, ids: Iterable[str], notion: str) -> frozenset[str]:
        """The lemmas about a notion that some pages rest on, and that these rest on."""
        lemmas: set[str] = set()
        following = list(ids)
        while following:
            for id in self.pages[following.pop()].head.rests_on:
                if id not in lemmas and notion in (self.page(id, "lemma").head.notions or [notion]):
                    lemmas.add(id)
                    following.append(id)
        return frozenset(lemmas)
