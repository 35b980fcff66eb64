"""Mechanisms with several guarantees: which imply which, and what holds with one of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice, product
from typing import Any

from dpcompose.kernel.composition import losses
from dpcompose.kernel.composition.losses import Composition
from dpcompose.kernel.core.implied import implying
from dpcompose.kernel.core.settings import Setting, Stated
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.judgements import Covers, Implies, Loose, Lower, Optimal, Refuted, Satisfies
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.mechanisms import own_pages, pages_of_processing
from dpcompose.kernel.rules.metrics import anywhere
from dpcompose.kernel.rules.parameters import at_least, entry_of, largest, narrower, smallest
from dpcompose.kernel.rules.premises import BadStep, Found, Premises, one_of, said
from dpcompose.kernel.rules.whole import check_every_type, page_of_substitution


def implies(
    setting: Setting,
    theory: Theory,
    premises: Premises,
    *,
    i: int,
    n: int,
    m: int,
    values: Mapping[str, str] | None = None,
    certificates: Any = None,
) -> Found:
    """M_i with its guarantee n has its guarantee m: for the same neighbours its parameters are as large, or
    M_i alone is shown to satisfy it for the neighbours that it is about.

    values -- in place of those of guarantee n.
    """
    other = losses.mechanism_of(setting, i).guarantee(m)
    given = None if values is None else narrower({str(i): values}, setting)[i]
    says = Implies(i, n, m, given)
    if other.curve is not None:
        raise BadStep(f"guarantee {m} is about all orders that it says, and not those of the setting alone")
    if not premises:
        own = setting.mechanisms[i - 1].with_only(n, given).guarantee(0)
        return says, _as_large(setting, theory, own, other, certificates)
    if setting.mechanisms[i - 1].sampled is not None:
        raise BadStep("what holds of all records is no guarantee on samples of them")
    guarantee = one_of(premises, Satisfies)
    stated = dict(other.values)
    if other.metric is not None:
        stated = dict(at_any_two(implying(setting, i, m, m), theory))
    if premises[0].setting != implying(setting, i, n, m, given).hash:
        raise BadStep("the theorem is not about that mechanism alone, for the neighbours of the guarantee")
    if (guarantee.notion, dict(guarantee.values)) != (other.notion, stated):
        raise BadStep("the theorem does not state the guarantee")
    return says, Grounds()


def at_any_two(setting: Setting, theory: Theory) -> Mapping[str, Term]:
    """What the only mechanism of a setting loses by its guarantee at any two databases."""
    lost = (losses.by_guarantee(1, setting, theory),)
    return Composition(lost, setting, theory).at(anywhere(setting))


def _as_large(setting: Setting, theory: Theory, stated: Stated, other: Stated, certificates: Any) -> Grounds:
    """The deciders by which a guarantee for the same neighbours has parameters that are as large."""
    if (stated.stated, stated.domain, stated.notion) != (other.stated, other.domain, other.notion):
        raise BadStep("the guarantees are about other neighbours, or in other notions")
    if stated.metric is not None or other.metric is not None:
        raise BadStep("the guarantees are formulas in distances")
    if [key for key, _ in stated.values] != [key for key, _ in other.values]:
        raise BadStep("the guarantees have other parameters")
    used = frozenset[str]()
    for (key, lesser), (_, greater) in zip(stated.values, other.values, strict=True):
        used |= at_least(setting, theory, stated.notion, key, greater, lesser, entry_of(certificates, key))
    return Grounds(deciders=used)


def choose(
    setting: Setting, theory: Theory, premises: Premises, *, which: Sequence[int], values: Any = None
) -> Found:
    """What holds of all mechanisms with one guarantee each holds of those that have others, too.

    What some of them do is known of these where all others are implied; so it is where parameters have
    other values, with which all guarantees are implied.
    """
    given = narrower(values, setting)
    if not premises or premises[0].setting != setting.choosing(which, given).hash:
        raise BadStep("the theorem is not about the guarantees that are chosen")
    says = premises[0].says
    if isinstance(says, Satisfies | Loose) and not given:
        said(premises[1:])
        return says, Grounds()
    if not isinstance(says, Lower | Refuted | Optimal) or (given and isinstance(says, Optimal)):
        raise BadStep("only what is said of the whole holds there and here")
    implied = said(premises[1:], Implies, ...) if len(premises) > 1 else []
    for i, (mechanism, n) in enumerate(zip(setting.mechanisms, which, strict=True), start=1):
        for m in range(len(mechanism.also) + 1):
            needed = m != n or i in given
            if needed and Implies(i, n, m, given.get(i)) not in implied:
                raise BadStep(f"guarantee {n} of {mechanism.name} is not seen to imply guarantee {m}")
    return says, Grounds()


def among(setting: Setting, theory: Theory, premises: Premises, *, notion: str) -> Found:
    """At neighbours of each type the least of what any guarantees of the mechanisms allow to be lost, one of
    each; the largest of these is a guarantee.  The types are those of all guarantees' inputs together."""
    covered, every = one_of(premises, Covers), setting.with_each()
    check_every_type(covered)
    if covered.cover.infinite:
        raise BadStep("the types stand for all neighbours only where what moves by oo is lost")
    if premises[0].setting != every.hash:
        raise BadStep("the types are not those of the inputs of all guarantees")
    (key, *others) = theory.rule(notion).head.parameters
    if others:
        raise BadStep(f"{notion} privacy has several parameters, of which the least need not be had together")
    compositions = [_chosen_losses(which, notion, setting, theory) for which in _choices_in(notion, setting)]
    if not 1 <= len(compositions) <= MOST_CHOICES:
        raise BadStep(f"there are no choices in {notion} privacy, or more than {MOST_CHOICES}")
    values = [
        smallest([composition.at(type.of(numbers))[key] for composition, numbers in compositions])
        for type in covered.cover.types
    ]
    pages, deciders = {theory.rule(notion).id, *page_of_substitution(theory)}, set[str]()
    for j, mechanism in enumerate(every.mechanisms, start=1):
        if mechanism.noise is None:
            pages |= own_pages(every, theory, j)
        else:
            pages |= {mechanism.noise.page, *pages_of_processing(theory, mechanism)}
            deciders.add("ranges")
    return Satisfies(
        notion, ((key, largest(values, key in theory.rule(notion).head.squared, setting.known)),)
    ), Grounds(frozenset(pages), frozenset(deciders))


MOST_CHOICES = 64
"""Of the most choices of one guarantee of each mechanism the least is taken at each type."""


def _choices_in(notion: str, setting: Setting) -> list[tuple[int, ...]]:
    """The choices of guarantees in a notion; of noise what it is."""
    numbers = [
        [
            n
            for n in range(len(mechanism.also) + 1)
            if mechanism.noise is not None or mechanism.guarantee(n).notion == notion
        ]
        for mechanism in setting.mechanisms
    ]
    return list(islice(product(*numbers), MOST_CHOICES + 1))


def _chosen_losses(
    which: Sequence[int], notion: str, setting: Setting, theory: Theory
) -> tuple[Composition, Mapping[int, int]]:
    """What is lost with a choice of guarantees; and which inputs of all guarantees are its own."""
    chosen, lost, numbers, before = setting.choosing(which), [], dict[int, int](), 0
    for i, (mechanism, n) in enumerate(zip(setting.mechanisms, which, strict=True), start=1):
        numbers[before + n + 1] = i
        before += len(mechanism.also) + 1
        if mechanism.table is not None or mechanism.study is not None:
            raise BadStep(f"{mechanism.name} is not given by guarantees or noise alone")
        stated = mechanism.noise is None
        lost.append(
            losses.by_guarantee(i, chosen, theory) if stated else losses.by_noise(i, chosen, theory, notion)
        )
    losses.check_composes(lost, chosen, theory)
    return Composition(tuple(lost), chosen, theory), numbers
