"""What mechanisms lose along chains of listed databases, where what they are stated in is no metric.

A guarantee at D and F, and one at F and E, make one at D and E, which may be smaller than what is stated of
these.  What is stated in a metric adds up; a δ(D, E) does as the page on steps says, link after link.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from dpcompose.kernel.composition import instances, losses
from dpcompose.kernel.composition.losses import Composition, Loss, NoLoss, Values, mechanism_of
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers.listed import related
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import INFINITY, ZERO, Term
from dpcompose.kernel.library.theory import Theory

Chains = Mapping[tuple[int, int, int], Sequence[Sequence[int]]]
"""For M_i and two databases, by i and their numbers, chains from the first to the second one."""
Link = tuple[Term, Values]
"""What is stated of a mechanism at two databases: in a metric, and its parameters besides."""
PROCEDURE = "chains of databases"


@frozen(eq=False)
class Along:
    """What all mechanisms lose together at two listed databases, each along a chain.

    names -- the distances that are asked for besides those of the mechanisms.
    """

    losses: Sequence[Loss]
    setting: Setting
    theory: Theory
    names: Sequence[str] = ()

    @cached_property
    def listed(self) -> Setting:
        """The setting in which any two databases are neighbours where claims are about these."""
        return instances.of_neighbours(self.setting)

    @cached_property
    def pairs(self) -> Sequence[tuple[int, int]]:
        """All neighbours, in both orders; of any two databases also two that are equal."""
        near = related(self.listed.target, self.listed.databases.count)
        equal = [(0, 0)] if self.setting.distances else []
        return equal + [both for x, y in near for both in ((x, y), (y, x))]

    @cached_property
    def type(self) -> Callable[[int, int], Type]:
        """The type of any two databases, by their numbers."""
        return instances.at_pairs(self.setting, self.theory, self.names)

    def at(self, x: int, y: int, chains: Chains) -> dict[str, Term]:
        """The parameters of the whole at two databases.  Raises NoLoss."""
        type = self.type(x, y)
        every = ((i, chains.get((i, x, y), ((x, y),))) for i, _, _ in type.lost)
        lost = tuple((i, *self._least([self.along(i, chain) for chain in some])) for i, some in every)
        return Composition(tuple(self.losses), self.setting, self.theory).at(replace(type, lost=lost))

    def _least(self, links: Sequence[Link]) -> Link:
        """What holds where each of several guarantees does: the least, where these have one parameter."""
        if len(links) == 1:
            return links[0]
        finite = [far for far, more in links if far.kind != "oo"]
        if any(more for _, more in links):
            raise NoLoss("of guarantees with several parameters none is the least")
        return (terms.least(*finite) if finite else INFINITY), ()

    def along(self, i: int, chain: Sequence[int]) -> Link:
        """What is known of M_i at the ends of a chain."""
        links = [self.link(i, x, y) for x, y in pairwise(chain)]
        if len(links) == 1:
            return links[0]
        if any(INFINITY in (far, *(value for _, value in more)) for far, more in links):
            raise NoLoss(f"at a link of a chain nothing is stated of {mechanism_of(self.setting, i).name}")
        besides = ((key, self._besides(i, key, links)) for key, _ in links[0][1])
        return terms.add(far for far, _ in links), tuple(besides)

    def link(self, i: int, x: int, y: int) -> Link:
        """What is stated of M_i at two databases."""
        metric = mechanism_of(self.setting, i).metric
        if metric is None or mechanism_of(self.setting, i).noise is not None:
            raise NoLoss(f"{mechanism_of(self.setting, i).name} is not stated in a metric")
        none = tuple((key, ZERO) for key, _ in metric.besides)
        return next(((far, more) for j, far, more in self.type(x, y).lost if i == j), (ZERO, none))

    def _besides(self, i: int, key: str, links: Sequence[Link]) -> Term:
        """A parameter at the ends of a chain: that of the last link, and then one link after the other."""
        loss, value, text = self.losses[i - 1], ZERO, self.page_of_steps(i, key).head.next[key][0]
        for far, more in reversed(links):
            there = Type((), frozenset(), (), lost=((i, far, more),))
            letters = dict(losses.at_type([loss], there, self.theory)[0].values)
            value = formulas.parse(text, {**letters, "a": value})
        return value

    def page_of_steps(self, i: int, key: str) -> Any:
        """The page by which a parameter of M_i is known one step further on.  Raises NoPage."""
        notion = self.losses[i - 1].notion
        return self.theory.first(
            "closer",
            lambda page: (page.head.over, page.head.notion) == ("steps", notion) and key in page.head.next,
            f"no page says what {key} is along chains",
        )

    def pages(self, i: int) -> frozenset[str]:
        """The pages by which guarantees of M_i stand along chains.  Raises NoPage."""
        metric, notion = mechanism_of(self.setting, i).metric, self.losses[i - 1].notion
        keys = [] if metric is None else [key for key, _ in metric.besides]
        procedure = self.theory.page(self.theory.procedure(PROCEDURE), "procedure")
        if not keys and notion not in procedure.head.notions:
            raise NoLoss(f"{procedure.id} is not about {notion} privacy")
        return frozenset({str(procedure.id), *(str(self.page_of_steps(i, key).id) for key in keys)})
