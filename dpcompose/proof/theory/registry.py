"""The theory in force: theorem pages found by what they are about, for the search and for the checker.

What a page is, and what is wrong with one, says `dpcompose.kernel.library.pages`.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field
from functools import cached_property, lru_cache
from pathlib import Path
from pkgutil import iter_modules
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

from dpcompose.kernel.expressions import grammar
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.library.heads import Hypothesis
from dpcompose.kernel.library.kinds import Fact, Named
from dpcompose.kernel.library.pages import WrongPage
from dpcompose.kernel.library.releases import Noise
from dpcompose.kernel.library.theory import Theory as KernelTheory
from dpcompose.language.shipped import folder
from dpcompose.language.shown import Shown
from dpcompose.proof.theory import folders
from dpcompose.proof.theory.cited import Page
from dpcompose.proof.theory.folders import PageError, error_of, may_be
from dpcompose.spaces.additions import NOTHING, Additions, WrongAddition

if TYPE_CHECKING:
    from dpcompose.privacy.mechanisms.noises import Noise as Added

__all__ = [
    "Fact",
    "Hypothesis",
    "Named",
    "Noise",
    "Page",
    "PageError",
    "Theory",
    "WrongAddition",
    "believed",
    "folder",
    "load",
    "rests",
    "standard",
    "theorems",
]


ITEM = re.compile(
    r"(theorem|thm|corollary|cor|proposition|prop|lemma|definition|def|example|ex|remark|rem)\b\.? *", re.I
)
"""What stands before the number of an item where it is cited."""


@frozen(repr=False)
class Theory(Shown):
    """The pages that are in force, by id.

    wrong -- pages that cannot be used; asking for one of them raises PageError with all its mistakes;
    own -- what problem files may name besides, and hypotheses -- the files of one's own that pages may name.
    """

    pages: Mapping[str, Page]
    wrong: tuple[WrongPage, ...] = ()
    own: Additions = NOTHING
    hypotheses: Mapping[str, ModuleType] = field(default_factory=lambda: MappingProxyType({}))

    def __repr__(self) -> str:
        there = (
            f"; {len(self.wrong)} wrong: {', '.join(page.file for page in self.wrong)}" if self.wrong else ""
        )
        return f"{len(self.pages)} theorem pages{there}"

    @cached_property
    def in_kernel(self) -> KernelTheory:
        """The same pages as the kernel has them: one theory, so that what follows from it is found once."""
        return KernelTheory(self.pages)

    def need(self, kind: str, surely: bool = False, **keys: object) -> None:
        """Raises PageError where wrong pages may be those of a kind that are asked for, and not there.

        surely -- whether they have to say that they are of the kind; keys -- what they are about.
        """
        if pages := [page for page in self.wrong if may_be(page, kind, keys, surely)]:
            raise error_of(pages)

    def find(self, name: str) -> Page | None:
        """The page with an id, or that states an item, or where a reader finds that; None without one.

        Raises PageError where that page is wrong.
        """
        if wrong_pages := [
            page for page in self.wrong if name in (page.id, page.path.stem) and name not in self.pages
        ]:
            raise error_of(wrong_pages)
        pages = self.pages.values()
        for names in (lambda page: (page.id,), lambda page: page.items, lambda page: page.every_item):
            if page := next((page for page in pages if name in names(page)), None):
                return page
        return None

    def meant(self, name: str) -> Page | None:
        """The same, and the only page of which this is the id or item in other letters, or the end of the
        item, after what it is: IV.13 for GB:IV.13, or Corollary IV.13."""
        if (page := self.find(name)) is not None:
            return page
        wanted = ITEM.sub("", name.strip()).lower().replace("gb ", "gb:")
        pages = [
            page
            for page in self.pages.values()
            if wanted == page.id.lower()
            or any(wanted in (item.lower(), item.number.lower()) for item in page.items)
        ]
        return pages[0] if len(pages) == 1 else None

    def of_kind(self, kind: str) -> list[Page]:
        """The pages of a kind, in the order of their ids; those that are only believed come last."""
        return list(self.in_kernel.of_kind(kind))

    def _page(self, kind: str, surely: bool = True, **keys: object) -> Page | None:
        """The page of a kind with some keys, if there is one.  Raises PageError where it is wrong."""
        for page in self.of_kind(kind):
            if all(getattr(page.head, key) == value for key, value in keys.items()):
                return page
        self.need(kind, surely, **keys)
        return None

    @property
    def parameters(self) -> dict[str, tuple[str, ...]]:
        """The parameters of each notion that has a rule page."""
        return {page.head.notion: tuple(page.head.parameters) for page in self.of_kind("rule")}

    @property
    def names(self) -> dict[str, Any]:
        """What problem files may name, as `problems.read_data` takes it."""
        return {"notions": self.parameters, "own": self.own}

    def rule(self, notion: str) -> Page:
        """The rule page of a notion.  Raises KeyError with the notions there are, or PageError."""
        if (page := self._page("rule", surely=False, notion=notion)) is not None:
            return page
        known = ", ".join(self.notions)
        raise KeyError(f"the notion {notion!r} is not supported yet; there are pages for: {known}")

    @property
    def notions(self) -> list[str]:
        """The notions that have a rule page, by which losses add up."""
        return [page.head.notion for page in self.of_kind("rule") if not page.head.lines]

    def closer(self, notion: str, over: str) -> Page | None:
        """The page with smaller values than the rule's over several steps, or mechanisms, if there is one."""
        return self._page("closer", notion=notion, over=over)

    def called(self, notion: str) -> str:
        """What a guarantee is called after its values: DP, zCDP; the notion's name where no page says."""
        return next((page.head.called for page in self.of_kind("rule") if page.head.notion == notion), notion)

    def form_of(self, notion: str) -> str:
        """How a guarantee is written, by its parameters: epsilon-DP, (epsilon, delta)-DP, rho-zCDP."""
        parameters = self.rule(notion).head.parameters
        values = ", ".join(parameters)
        return f"{f'({values})' if len(parameters) > 1 else values}-{self.called(notion)}"

    def witness(self, notion: str) -> Page | None:
        """The witness page of a notion, if there is one."""
        return self._page("witness", notion=notion)

    def relied_on(self, ids: Iterable[str]) -> tuple[Page, ...]:
        """Those of some pages that need belief, in order: they are primitive, or only believed."""
        return tuple(self.pages[id] for id in sorted(set(ids)) if self.pages[id].head.status != "derived")

    def noise(self, word: str) -> Page | None:
        """The page of a kind of noise, if there is one."""
        return self._page("noise", surely=False, noise=word)

    def noise_of(self, word: str, parameter: object) -> Added:
        """Noise of a kind that has a page of one's own, with its parameter.  Raises KeyError without one."""
        from dpcompose.language import formulas
        from dpcompose.privacy.mechanisms.noises import Noise as Added

        if word not in self.own.noises:
            known = ", ".join(self.own.noises) or "none"
            raise KeyError(f"there is no page of one's own about a noise {word!r}; there are: {known}")
        return Added(word, formulas.term(parameter), self.own.noises[word])

    def computed(self, notion: str, of: Iterable[tuple[str, str]]) -> Page | None:
        """The page that computes bounds in a notion from guarantees in some notions, if there is one.

        of -- as the kernel's theory has it.
        """
        if (page := self.in_kernel.computed(notion, of)) is None:
            self.need("computed", surely=True, notion=notion)
        return page

    def processing(self, of: str) -> Page | None:
        """The page on mechanisms made from the outputs of others, if there is one."""
        return next((page for page in self.of_kind("processing") if page.head.of == of), None)

    def statement(self, states: str, notion: str | None = None) -> Page:
        """The page with a statement about metrics, for a notion where it depends on that.

        Raises KeyError with the notions there are.
        """
        if (page := self._page("metric", surely=False, states=states, notion=notion)) is not None:
            return page
        pages = [page for page in self.of_kind("metric") if page.head.states == states]
        known = ", ".join(str(page.head.notion) for page in pages)
        raise KeyError(f"no page states the {states} of {notion} privacy; there are pages for: {known}")

    def metric_form(self, notion: str) -> Page:
        """By which guarantees of a notion are guarantees in a metric, and compose: a page, or the rule."""
        own = self._page("metric", surely=False, states="metric form", notion=notion)
        return own or self.rule(notion)


def believed(relies_on: Iterable[Page]) -> list[str]:
    """The pages for which nobody vouches, as results name them; nothing where there are none."""
    pages = [page for page in relies_on if page.is_believed]
    if not pages:
        return []
    many = len(pages) > 1
    named = f"the page{'s' if many else ''} {', '.join(page.id for page in pages)}"
    said = " (primitive are only pages that ship with dpcompose)" if any(page.says for page in pages) else ""
    return [f"{named}, which {'are' if many else 'is'} only believed{said}"]


def rests(relies_on: Iterable[Page]) -> list[str]:
    """What is said of a result that rests on pages for which nobody vouches."""
    return [f"rests on {pages}" for pages in believed(relies_on)]


@lru_cache(maxsize=1)
def standard() -> Theory:
    """The theory of the pages that ship with dpcompose."""
    return load(folder())


def theorems(*more: str | Path, own: Iterable[Any] = ()) -> Theory:
    """The theory of the pages that ship with dpcompose, and of those in folders of one's own.

    own -- what pages and problem files may name besides, as values in Python: granularities, classes of
    databases, maps; a module with a list OWN of such, or with a hypothesis: `check` and `WORDS`,
    as in the files of dpcompose/proof/hypotheses.

    Pages of one's own are at most believed: each result that rests on one says so.  Wrong pages are left out,
    with a warning; what needs one of them raises PageError.

    >>> theorems()
    187 theorem pages
    """
    theory = load(folder(), *map(Path, more), own=own) if more or own else standard()
    if theory.wrong:
        warnings.warn(str(error_of(theory.wrong)), stacklevel=2)
    return theory


def load(*where: Path, own: Iterable[Any] = ()) -> Theory:
    """The theory of all pages below some folders; wrong ones are left out, and `Theory.wrong` lists them.

    own -- as for `theorems`.  Only pages of the folder that ships with dpcompose are primitive.
    Raises PageError where there are none.
    """
    for path in where:
        if not path.is_dir():
            raise PageError(f"there is no folder {path}")
    shipped = folder()
    places = [folders.Folder(path, path.resolve() == shipped) for path in where]
    entries = list(own)
    hypotheses = _hypotheses([entry for entry in entries if isinstance(entry, ModuleType)])
    pages, wrong = folders.load(places, _language(hypotheses))
    if not pages and not wrong:
        raise PageError(f"there are no theorem pages in {', '.join(map(str, where))}")
    values = [entry for entry in entries if not isinstance(entry, ModuleType)]
    listed = [
        entry for module in entries if isinstance(module, ModuleType) for entry in getattr(module, "OWN", ())
    ]
    noises = {
        page.head.noise: page.head
        for page in pages.values()
        if page.head.kind == "noise" and not page.path.resolve().is_relative_to(shipped)
    }
    added = Additions.of([*values, *listed], MappingProxyType(noises))
    return Theory(MappingProxyType(pages), wrong, added, hypotheses)


def _language(hypotheses: Collection[str]) -> folders.Language:
    """What pages are written in: the names of the hypotheses, formulas, and the values of parameters."""
    return folders.Language((*predicates(), *hypotheses), grammar.names, Domain.read)


def _hypotheses(modules: Iterable[ModuleType]) -> Mapping[str, ModuleType]:
    """The modules that decide a hypothesis, by the file's name.  Raises WrongAddition.

    A hypothesis of one's own is written as those in hypotheses/: `check` and `WORDS`.  What it answers never
    makes a verdict: it says whether a theorem is cited.
    """
    hypotheses: dict[str, ModuleType] = {}
    for module in modules:
        name = module.__name__.rpartition(".")[2]
        if not hasattr(module, "check"):
            if not hasattr(module, "OWN"):
                raise WrongAddition(f"{name} has neither a list OWN nor a hypothesis: check and WORDS")
            continue
        if not isinstance(getattr(module, "WORDS", None), str):
            raise WrongAddition(f"{name} decides a hypothesis, and needs it in words: WORDS")
        if name in hypotheses or name in predicates():
            raise WrongAddition(f"there is a hypothesis {name} already; call yours by another name")
        hypotheses[name] = module
    return MappingProxyType(hypotheses)


@lru_cache(maxsize=1)
def predicates() -> tuple[str, ...]:
    """The names of the files in hypotheses/ that decide a hypothesis."""
    own = {"binding", "evidence", "inputs", "input_metrics"}
    here = Path(__file__).parents[1] / "hypotheses"
    return tuple(sorted(module.name for module in iter_modules([str(here)]) if module.name not in own))
