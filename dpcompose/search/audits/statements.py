"""What a theorem page states, so that it can be searched for a setting in which it is false."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeAlias

from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.intervals import NoEnclosure
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.library.heads import Hypothesis
from dpcompose.kernel.library.kinds import Premises
from dpcompose.proof.hypotheses import binding
from dpcompose.search.audits import searched
from dpcompose.search.audits.outcomes import Key, Outputs, Values, as_key, outputs_of, plain
from dpcompose.search.audits.searched import Counterexample, Looked
from dpcompose.search.audits.suppositions import ALL_KEPT, Kept, NoSearch, Supposition
from dpcompose.search.audits.worlds import INFINITE, World

Claim: TypeAlias = Callable[[World, tuple[Values, ...], tuple[int, int]], Values | None]
"""What is concluded of two neighbouring databases; None where that is nothing."""


@frozen(eq=False)
class Statement:
    """A page in one notion: what it supposes of settings and mechanisms, and what it concludes.

    premises, hypotheses -- as the page has them;
    suppositions -- what can be left out, one by one; kept -- what is supposed of the mechanisms;
    adaptive -- whether it is about mechanisms that read earlier outputs as well.
    """

    page: Any
    notion: str
    outputs: Outputs
    premises: Premises
    hypotheses: tuple[Any, ...]
    suppositions: tuple[Supposition, ...]
    claim: Claim
    kept: Kept = ALL_KEPT
    adaptive: bool = True

    def look(self, most: int, looked: Looked) -> Counterexample | None:
        """A setting in which all that is supposed holds, and the conclusion fails."""
        return searched.look(self, most, looked)

    def written(self, joint: bool) -> bool:
        """Whether a counterexample, of mechanisms together or not, is written as a problem file."""
        return self.outputs.written(joint)

    def without(self, supposition: Supposition) -> Statement:
        """The same without one supposition."""
        usual = Premises()
        left = {supposition.premise: getattr(usual, supposition.premise)} if supposition.premise else {}
        return replace(
            self,
            premises=replace(self.premises, **left),
            hypotheses=tuple(x for x in self.hypotheses if x is not supposition.hypothesis),
            kept=supposition.mechanisms or self.kept,
        )


def named(theory: Any, page: Any) -> list[Statement]:
    """A composition theorem in all notions for which it is stated."""
    head = page.head
    about = {*head.items, *head.conclusion, *head.notions}
    suppositions = tuple(_suppositions(theory, head))
    told, adaptive = (*head.where, *head.hypotheses), head.adaptively is not None
    statements = []
    for notion in theory.notions:
        if notion in about and (outputs := outputs_of(theory, notion)) is not None:
            claim = _concludes(theory, page, notion)
            statements.append(
                Statement(page, notion, outputs, head.premises, told, suppositions, claim, ALL_KEPT, adaptive)
            )
    return statements


PREMISES = {
    "stated": "guarantees are stated for {} neighbours",
    "domain": "guarantees are on the {} domain",
    "target": "the target is {} neighbours",
    "k": "there is {} mechanism",
}
"""The premises of a page in words."""
STATED = {"G": "the target's"}


def _suppositions(theory: Any, head: Any) -> list[Supposition]:
    """What a composition theorem supposes: its hypotheses and premises, and what mechanisms are."""
    suppositions = [
        Supposition(one.is_.replace(" ", "-"), binding.in_general(theory, one), hypothesis=one)
        for one in (*head.where, *head.hypotheses)
    ]
    for key, words in PREMISES.items():
        value = getattr(head.premises, key)
        if value not in (getattr(Premises(), key), "H"):  # what is said of H needs one H
            suppositions.append(Supposition(key, words.format(STATED.get(value, value)), premise=key))
    if head.premises.domain == "common":
        suppositions.append(DEPENDS)
    if head.premises.k != 1:
        suppositions += _of_mechanisms(head.adaptively is not None)
    return suppositions


DEPENDS = Supposition(
    "depends", "every mechanism depends only on what it reads", mechanisms=Kept(depends=False)
)
INDEPENDENT = Supposition("independent", "the mechanisms are independent", mechanisms=Kept(independent=False))
EARLIER = Supposition(
    "earlier-outputs", "guarantees hold for every earlier output", mechanisms=Kept(earlier=False)
)


def _of_mechanisms(adaptively: bool) -> list[Supposition]:
    return [INDEPENDENT, EARLIER] if adaptively else [INDEPENDENT]


def _concludes(theory: Any, page: Any, notion: str) -> Claim:
    """The page's formulas; where it has none, what the parameters of the inputs that move add up to."""
    rule = theory.rule(notion).head
    if notion in page.head.conclusion:
        given = page.head.conclusion[notion]
        texts = tuple(({rule.parameters[0]: given} if isinstance(given, str) else given).items())
        apart = page.head.premises.stated == "H"

        def concluded(world: World, given: tuple[Values, ...], pair: tuple[int, int]) -> Values | None:
            m = world.apart if apart else 1
            return None if m == INFINITE else _at(texts, tuple(map(as_key, given)), m)

        return concluded
    texts = _texts(rule)
    most = theory.pages[page.head.shape].head.each if page.head.shape is not None else None

    def added(world: World, given: tuple[Values, ...], pair: tuple[int, int]) -> Values | None:
        moved = world.moved(*pair)
        if most is not None:
            moved = dict.fromkeys(moved, most)
        if INFINITE in moved.values():
            return None
        return _added(texts, tuple(as_key(given[i]) for i in moved), tuple(moved.values()))

    return added


@lru_cache(maxsize=10_000)
def _at(texts: tuple[tuple[str, str], ...], given: tuple[Key, ...], m: int) -> Values | None:
    """A page's formulas for the parameters of mechanisms, and m; None where that is nothing: oo.

    Raises NoSearch for what is no real number there.
    """
    families = {key: [dict(one)[key] for one in given] for key, _ in given[0]}
    letters = {"k": terms.number(len(given)), "m": terms.number(m)}
    try:
        found = {key: formulas.parse(text, letters, families) for key, text in texts}
        return (
            None
            if any(x.kind == "oo" for x in found.values())
            else {key: plain(x) for key, x in found.items()}
        )
    except (formulas.FormulaError, NoEnclosure) as error:
        raise NoSearch(f"what is concluded has no value for some parameters: {error}") from None


Texts: TypeAlias = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]
"""A notion's formulas: of each parameter at r steps, and of several together."""


def _texts(rule: Any) -> Texts:
    steps = {**rule.distance, **rule.at_steps}
    return tuple(steps.items()), tuple(rule.composition.items())


@lru_cache(maxsize=10_000)
def _added(texts: Texts, given: tuple[Key, ...], distances: tuple[int, ...]) -> Values | None:
    """What the parameters at these distances add up to, by a notion's rule."""
    if not given:
        return {key: terms.ZERO for key, _ in texts[1]}
    moved = (_far(texts, dict(one), r) for one, r in zip(given, distances, strict=True))
    return _at(texts[1], tuple(map(as_key, moved)), 1)


def _far(texts: Texts, given: Values, r: int) -> Values:
    """A guarantee's parameters at r steps."""
    letters = {**given, "r": terms.number(r)}
    return {key: formulas.parse(text, letters, {"": []}) for key, text in texts[0]}


def rule(theory: Any, page: Any) -> list[Statement]:
    """A notion's rule: mechanisms that read everything, at neighbours, and one of them further away."""
    outputs, head = outputs_of(theory, page.head.notion), page.head
    if outputs is None:
        return []
    texts = _texts(head)

    def together(world: World, given: tuple[Values, ...], pair: tuple[int, int]) -> Values | None:
        return _at(texts[1], tuple(map(as_key, given)), 1)

    def further(world: World, given: tuple[Values, ...], pair: tuple[int, int]) -> Values | None:
        r = world.readings[0].moves(*pair)
        return None if r == INFINITE else _far(texts, given[0], r)

    suppositions = tuple(_of_mechanisms(head.adaptively is not None))
    alike, far = Premises(stated="G", domain="common"), Premises(stated="H", domain="common", k=1)
    return [
        Statement(page, head.notion, outputs, alike, (IDENTITY,), suppositions, together),
        Statement(page, head.notion, outputs, far, (IDENTITY,), (), further),
    ]


ONE_VALUE = Kept(earlier=False, coin=True)
IDENTITY = Hypothesis(is_="identity", maps="f")


def lemma(theory: Any, page: Any) -> list[Statement]:
    """A mixture: a mechanism for each value of a coin keeps the guarantee that each has."""
    if page.head.construction != "coin":
        return []

    def same(world: World, given: tuple[Values, ...], pair: tuple[int, int]) -> Values | None:
        return given[1]

    some = (
        Supposition("coin", "the coin is independent of the database", mechanisms=Kept(coin=False)),
        Supposition("every-value", "the guarantee holds for every value of the coin", mechanisms=ONE_VALUE),
    )
    wanted = Premises(stated="G", domain="common", k=2)
    return [
        Statement(page, notion, outputs, wanted, (IDENTITY,), some, same, Kept(coin=True))
        for notion in page.head.notions or theory.notions
        if (outputs := outputs_of(theory, notion)) is not None
    ]
