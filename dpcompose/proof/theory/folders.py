"""Folders of theorem pages: every page by itself, and then what the pages say of each other."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpcompose.kernel.expressions import naming
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.library.fields import Mistake, Place, near, one_of
from dpcompose.kernel.library.heads import Context, Written
from dpcompose.kernel.library.kinds import KINDS
from dpcompose.kernel.library.pages import WrongPage, read
from dpcompose.proof.theory.cited import Page

NO_PAGES = ("README.md", "certificates.md", "glossary.md")
"""Texts about pages, certificates and words, among the pages."""


class PageError(Exception):
    """Pages are wrong; the message names the file, the key and what would fit, a line a mistake.

    It is no ValueError: nothing that tries this and that may take it for an answer.
    """


@frozen
class Language:
    """What pages are written in, and other rooms know.

    hypotheses -- the names of the predicates, as files have them: `record_wise_partition`;
    letters -- the letters of a formula, e[i] for those with an index; raises ValueError where it is none;
    values -- reads the values that a parameter may take, "in (0,1)"; raises ValueError.
    """

    hypotheses: Collection[str]
    letters: Callable[[str], Iterable[str]]
    values: Callable[[str], object]


@frozen
class Folder:
    """A folder of pages; those that ship with the program may be primitive, others are at most believed."""

    path: Path
    ships: bool = False


def load(folders: Sequence[Folder], language: Language) -> tuple[dict[str, Page], tuple[WrongPage, ...]]:
    """The pages below some folders by id, and those that are wrong: of two of one id the second is."""
    pages = [page for folder in folders for page in _pages(folder)]
    good, wrong = _first_of_each([page for page in pages if not isinstance(page, WrongPage)])
    wrong += [page for page in pages if isinstance(page, WrongPage)]
    while more := _that_do_not_fit(good, wrong, language):
        good = {id: page for id, page in good.items() if id not in more}
        wrong += more.values()
    return good, tuple(sorted(wrong, key=lambda page: page.file))


def _pages(folder: Folder) -> Iterator[Page | WrongPage]:
    for path in sorted(folder.path.rglob("*.md")):
        if path.name not in NO_PAGES:
            page = read(path, folder.ships)
            yield page if isinstance(page, WrongPage) else Page.of(page)


def _first_of_each(pages: Sequence[Page]) -> tuple[dict[str, Page], list[WrongPage]]:
    """The pages by id; a second one of an id, or about the same, is wrong."""
    good: dict[str, Page] = {}
    about: dict[tuple[Any, ...], Page] = {}
    wrong: list[WrongPage] = []
    for page in pages:
        head, keys = page.head, page.head.one_by
        same = (head.kind, *(getattr(head, key) for key in keys)) if keys else None
        if page.id in good:
            words = f"the id {page.id!r} is already that of {good[page.id].path.name}"
            wrong.append(_wrong(page, [Mistake(("id",), words)]))
        elif same in about:
            values = ", ".join(repr(value) for value in same[1:] if value is not None) if same else ""
            words = f"the {head.kind} page of {values} is already {about[same].path.name}"
            wrong.append(_wrong(page, [Mistake((keys[0],), words)]))
        else:
            good[page.id] = page
            about |= {same: page} if same is not None else {}
    return good, wrong


def _wrong(page: Page, mistakes: Sequence[Mistake]) -> WrongPage:
    return WrongPage(page.path, tuple(mistakes), page.head.data())


def _that_do_not_fit(
    good: Mapping[str, Page], wrong: Sequence[WrongPage], language: Language
) -> dict[str, WrongPage]:
    """The pages that say of others, or in formulas, what is not so; by id."""
    book = _Book(good, {wrong_page.id for wrong_page in wrong}, _context(good, wrong), language)
    pages = {}
    for page in good.values():
        if mistakes := list(book.mistakes(page)):
            pages[page.id] = _wrong(page, mistakes)
    return pages


def _context(good: Mapping[str, Page], wrong: Sequence[WrongPage]) -> Context:
    """The parameters of notions and noises; also those of wrong pages, whose mistake is elsewhere."""
    heads = [page.head for page in good.values()]
    rules: dict[str, Sequence[str] | None]
    noises: dict[str, Sequence[str] | None]
    rules = {head.notion: head.parameters for head in heads if head.kind == "rule"}
    noises = {head.noise: list(head.parameters) for head in heads if head.kind == "noise"}
    for data in (page.data for page in wrong):
        kind, names, letter = (data.get(key) for key in ("kind", "parameters", "parameter"))
        if kind == "rule" and isinstance(notion := data.get("notion"), str):
            are_names = isinstance(names, list) and all(isinstance(name, str) for name in names)
            rules.setdefault(notion, names if are_names and names else None)
        elif kind == "noise" and isinstance(word := data.get("noise"), str):
            noises.setdefault(word, [letter] if isinstance(letter, str) else None)
    ordered = frozenset(head.notion for head in heads if head.kind == "rule" and head.ordered)
    return Context(rules, noises, ordered)


@frozen
class _Book:
    """Pages together: what is wrong with one of them beside the others.

    left_out -- the ids of wrong pages, which are there but cannot be used.
    """

    good: Mapping[str, Page]
    left_out: Collection[str]
    context: Context
    language: Language

    def mistakes(self, page: Page) -> Iterator[Mistake]:
        yield from self._ids(page)
        yield from self._hypotheses(page)
        unknown = list(self._notions(page))
        yield from unknown
        unread = any(self.context.parameters.get(notion, ()) is None for _, notion in page.head.notions_named)
        if not unknown and not unread:
            for formula in page.head.formulas(self.context):
                yield from self._formula(formula)
        for name, text in getattr(page.head, "free", {}).items():
            try:
                self.language.values(text)
            except ValueError as error:
                yield Mistake(("free", name), str(error))

    def _ids(self, page: Page) -> Iterator[Mistake]:
        head = page.head
        for n, id in enumerate(head.special_case_of, start=1):
            yield from self._id(("special-case-of", str(n)), id)
            if page.id in self._reached(id, "special_case_of"):
                yield Mistake(("special-case-of", str(n)), f"{id} is a special case of this page itself")
        for n, id in enumerate(head.rests_on, start=1):
            yield from self._id(("rests-on", str(n)), id, "lemma", needed=True)
            if page.id in self._reached(id, "rests_on"):
                yield Mistake(("rests-on", str(n)), f"{id} rests on this page itself")
        if (shape := getattr(head, "shape", None)) is not None:
            yield from self._id(("shape",), shape, "shape", needed=True)
        if (closer := getattr(head, "steps_by", None)) is not None:
            yield from self._id(("steps-by",), closer, "closer", needed=True)

    def _id(self, at: Place, id: str, kind: str = "", needed: bool = False) -> Iterator[Mistake]:
        """What is wrong with naming a page; needed -- whether this one is of no use without that one."""
        there = [name for name, page in self.good.items() if kind in ("", page.head.kind)]
        if id in there:
            return
        if id in self.left_out:
            if needed:
                yield Mistake(at, f"the page {id} is wrong itself")
        elif id in self.good:
            of_kind = self.good[id].head.kind
            yield Mistake(at, f"{id} is a {of_kind} page, and should be a {kind} page{near(id, there)}")
        else:
            choice = f": {one_of(sorted(there))}" if kind else ""
            words = f"there is no {kind} page" if kind else "there is no page"
            yield Mistake(at, f"{words} {id!r}{near(id, there) or choice}")

    def _reached(self, id: str, key: str) -> set[str]:
        """The pages to which ids under a key lead, one after the other."""
        reached: set[str] = set()
        following = [id]
        while following:
            name = following.pop()
            if name in self.good and name not in reached:
                reached.add(name)
                following += getattr(self.good[name].head, key)
        return reached

    def _hypotheses(self, page: Page) -> Iterator[Mistake]:
        for at, hypothesis in page.head.supposes:
            if hypothesis.file not in self.language.hypotheses:
                words = [word.replace("_", " ") for word in self.language.hypotheses]
                meant = near(hypothesis.is_, words) or f"; there are {', '.join(sorted(words))}"
                yield Mistake((*at, "is"), f"there is no hypothesis {hypothesis.is_!r}{meant}")

    def _notions(self, page: Page) -> Iterator[Mistake]:
        known = self.context.parameters
        for at, notion in page.head.notions_named:
            if notion not in known:
                words = f"there is no rule page of a notion {notion!r}{near(notion, known)}"
                yield Mistake(at, words)
        for word in getattr(page.head, "noises", {}):
            if word not in self.context.noises:
                words = f"there is no page of a noise {word!r}{near(word, self.context.noises)}"
                yield Mistake(("noises", word), words)

    def _formula(self, formula: Written) -> Iterator[Mistake]:
        """A formula that does not parse, or has a letter that it may not have."""
        try:
            letters = list(self.language.letters(formula.text))
        except ValueError as error:
            yield Mistake(formula.at, str(error).splitlines()[0] + f": {formula.text}")
            return
        known = [*formula.letters, *(naming.general(family) for family in formula.families)]
        for letter in letters:
            name = naming.read(letter)
            if letter not in known and (name.index is None or name.base not in formula.families):
                there = f"its letters are {', '.join(known)}" if known else "it has none"
                yield Mistake(
                    formula.at, f"the formula has no letter {letter!r}; {there}{near(letter, known)}"
                )


def may_be(page: WrongPage, kind: str, keys: Mapping[str, object], surely: bool) -> bool:
    """Whether a wrong page may be the page of a kind with some keys.

    surely -- whether the page has to say the kind; else one with an unknown kind may be it as well.
    """
    said = page.data.get("kind")
    if said != kind and (surely or (isinstance(said, str) and said in KINDS)):
        return False
    return all(
        page.data.get(key, value) == value or type(page.data[key]) is not type(value)
        for key, value in keys.items()
    )


def error_of(wrong: Iterable[WrongPage]) -> PageError:
    """All mistakes of some pages."""
    return PageError("\n".join(map(str, wrong)))
