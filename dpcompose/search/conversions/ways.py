"""Ways from notion to notion: by which conversion pages guarantees come to be of one notion.

Each mechanism's guarantee is converted first, and then that of the whole composition.  Pages with a free
parameter, such as the δ that is spent, take its value from a claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from fractions import Fraction
from functools import lru_cache
from itertools import product, starmap
from typing import Any

from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.expressions import formulas, substitution, terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term, TermError
from dpcompose.kernel.library.theory import Theory

CHOSEN = terms.number(Fraction(1, 10**6))
"""What free parameters are together, where no claim says it: the δ that is spent on conversions."""
Path = tuple[Any, ...]
"""Conversion pages, one after the other."""


@frozen
class Way:
    """How guarantees come to be of one notion.

    each -- for notions of the mechanisms' guarantees the ids of conversion pages, one after the other;
    whole -- ids of further pages, each with the formulas of its free parameters; chosen -- by id those of
    pages that convert each guarantee by itself.
    """

    each: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    whole: tuple[tuple[str, Mapping[str, str]], ...] = ()
    chosen: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def direct(self) -> bool:
        """Whether nothing is converted."""
        return not self.each and not self.whole


def notions(theory: Theory) -> list[str]:
    """The notions that have a rule page."""
    return [page.head.notion for page in theory.of_kind("rule")]


def common_notion(theory: Theory, stated: Sequence[str], chosen: bool = False) -> str | None:
    """The notion to which all of the stated ones convert by the fewest pages, in the order of names.

    chosen -- whether by pages too of which free parameters are chosen.
    """
    steps: dict[str, int] = {}
    for to in notions(theory):
        if _is_ordered(theory, to) and to not in stated:
            continue
        lengths = [[len(path) for path in for_all(theory, notion, to, chosen)] for notion in stated]
        if all(lengths):
            steps[to] = sum(map(min, lengths))
    return min(steps, key=lambda to: (steps[to], to), default=None)


def ways(theory: Theory, stated: Sequence[str], to: str, claimed: Mapping[str, Term] | None) -> Iterator[Way]:
    """Every way by shortest paths: the stated notions to one, and this one to the wanted notion.

    claimed -- the parameters of a claim, which free parameters of the last pages take.
    """
    for between in sorted(notions(theory), key=lambda notion: (notion != to, notion)):
        if _is_ordered(theory, between) and between not in (to, *stated):
            continue
        for each in product(*(paths(theory, one, between) for one in stated)):
            converted = {
                one: tuple(page.id for page in path) for one, path in zip(stated, each, strict=True) if path
            }
            for whole in paths(theory, between, to, claimed is not None):
                if any(_returns(one, [*path, *whole]) for one, path in zip(stated, each, strict=True)):
                    continue
                yield Way(converted, tuple((page.id, _of_claim(page, claimed)) for page in whole))


def ways_aside(theory: Theory, stated: Sequence[str], to: str) -> Iterator[Way]:
    """Ways that end with a page beside the chains of the others, and choose nothing."""
    for page in theory.of_kind("conversion"):
        if page.head.aside and not page.head.free and page.head.to == to:
            for way in ways(theory, stated, page.head.from_, None):
                yield Way(way.each, (*way.whole, (page.id, {})))


def ways_apart(theory: Theory, stated: Sequence[str], to: str) -> Iterator[Way]:
    """Ways on which guarantees of a notion set a parameter apart, and the whole is converted back to it; the
    free parameters of the last pages are left to choose."""
    for page in theory.of_kind("conversion"):
        if not page.head.apart or page.head.from_ != to or to not in stated:
            continue
        for between in notions(theory):
            first = [(page, *path) for path in paths(theory, page.head.to, between)]
            some = [first if one == to else paths(theory, one, between) for one in stated]
            for each, whole in product(product(*some), paths(theory, between, to, True)):
                converted = {
                    one: tuple(page.id for page in path)
                    for one, path in zip(stated, each, strict=True)
                    if path
                }
                chains = ((one, [*path, *whole[:-1]]) for one, path in zip(stated, each, strict=True))
                if any(page.head.free for page in whole) and not any(starmap(_returns, chains)):
                    yield Way(converted, tuple((one.id, one.head.free) for one in whole))


def chosen_ways(
    theory: Theory, setting: Setting, stated: Sequence[str], to: str, claimed: Mapping[str, Term] | None
) -> Iterator[Way]:
    """Ways to convert every guarantee by itself, by pages whose free parameters are chosen, all alike.

    A claim's value is divided among the mechanisms that need it, once what the others have by themselves is
    taken off.
    """
    known = {notion: paths(theory, notion, to, True) for notion in stated}
    needing = [
        notion
        for notion, chains in known.items()
        if chains and all(any(p.head.free for p in way) for way in chains)
    ]
    if not needing or not all(known.values()):
        return
    counts = [mechanism.count or terms.ONE for mechanism in setting.mechanisms if mechanism.notion in needing]
    number = terms.add(counts).number
    for each in product(*known.values()):
        converted = {
            notion: tuple(page.id for page in way) for notion, way in zip(known, each, strict=True) if way
        }
        some_free = {page.id: page for way in each for page in way if page.head.free}
        with suppress(TermError):  # numbers that are too long to be written
            chosen = {id: _share(setting, page, number, claimed) for id, page in some_free.items()}
            yield Way(converted, (), chosen)


def _share(
    setting: Setting, page: Any, number: Fraction | None, claimed: Mapping[str, Term] | None
) -> dict[str, str]:
    """What each of so many mechanisms takes of a page's free parameters; None: not divided."""
    total = {name: _left(setting, name, claimed) for name in page.head.free}
    share = {name: value if number is None else value / number for name, value in total.items()}
    return {name: formulas.to_text(value) for name, value in share.items()}


def _left(setting: Setting, name: str, claimed: Mapping[str, Term] | None) -> Term:
    """What a claim leaves of a parameter beside those of the mechanisms; else half of it, or CHOSEN."""
    if claimed is None or name not in claimed:
        return CHOSEN
    value = claimed[name]
    stated = [
        (dict(mechanism.values).get(name), mechanism.count or terms.ONE) for mechanism in setting.mechanisms
    ]
    own = [x * count for x, count in stated if x is not None and x.kind != "oo"]
    if value.kind == "oo":
        return CHOSEN
    for rest in (substitution.expanded(value - terms.add(own)), value / 2):
        if rest.number is not None and 0 < rest.number < 1:
            return rest
    return CHOSEN


def _is_ordered(theory: Theory, notion: str) -> bool:
    """Whether a notion is about divergences of all orders: chains begin or end with such."""
    return bool(theory.rule(notion).head.ordered)


def _returns(notion: str, path: Sequence[Any]) -> bool:
    """Whether a chain of pages comes back to a notion where it has been."""
    met = [notion, *(page.head.to for page in path)]
    return len(set(met)) < len(met)


def _of_claim(page: Any, claimed: Mapping[str, Term] | None) -> dict[str, str]:
    """The claim's values of a page's free parameters."""
    return {name: formulas.to_text((claimed or {})[name]) for name in page.head.free}


@lru_cache(maxsize=256)
def paths(theory: Theory, one: str, to: str, free: bool = False) -> tuple[Path, ...]:
    """The shortest chains of pages from notion to notion.

    free -- whether pages with free parameters may lead to the last one.  Pages that set parameters apart, or
    are tried aside, lead nowhere.
    """
    layer: dict[str, list[Path]] = {one: [()]}
    seen = {one}
    while layer and to not in layer:
        following: dict[str, list[Path]] = {}
        for page in theory.of_kind("conversion"):
            start, end = page.head.from_, page.head.to
            if (
                not (page.head.aside or page.head.apart)
                and start in layer
                and end not in seen
                and (start == one or not _is_ordered(theory, start))
                and (not page.head.free or (free and end == to))
            ):
                following.setdefault(end, []).extend((*path, page) for path in layer[start])
        seen |= following.keys()
        layer = following
    return tuple(layer.get(to, ()))


def for_all(theory: Theory, one: str, to: str, free: bool = False) -> list[Path]:
    """Those of `paths` that ask for no value of a parameter, as δ = 0."""
    return [path for path in paths(theory, one, to, free) if not any(page.head.only for page in path)]


def within_limits(theory: Theory, missing: Sequence[str], notion: str) -> list[str]:
    """The pages that lead from notions to another one for guarantees within limits only."""
    pages = ((page.id, page.head) for page in theory.of_kind("conversion") if page.head.at_most)
    return [id for id, head in pages if head.from_ in missing and head.to == notion]


def for_claims(theory: Theory, notion: str, claimed: Mapping[str, Term] | None) -> str:
    """A hint at pages that lead to a notion where a claim says the values of their free parameters."""
    free = [page for page in theory.of_kind("conversion") if page.head.to == notion and page.head.free]
    if claimed is not None or not free:
        return ""
    return f"; {free[0].id} is for claims, which say {' and '.join(free[0].head.free)}"
