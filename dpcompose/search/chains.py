"""Claims proved along chains of listed databases, where what mechanisms are stated in is no metric.

For each mechanism, and two databases, the chains are looked for that no other one is below in all parameters,
at some points; and of these, for all mechanisms together, some that a claim is above.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from typing import Any

from dpcompose.kernel.composition.chains import Along, Link
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.judgements import Composed, Satisfies
from dpcompose.kernel.rules.along import claimed_at, names_of, obligations
from dpcompose.kernel.theorems import Prover, Theorem
from dpcompose.search.comparisons import parameters
from dpcompose.search.trying import tried

Point = Mapping[str, Fraction]
Far = tuple[float, ...]
"""The parameters of a guarantee at some points, one after the other."""
Chain = tuple[int, ...]

MOST_DATABASES = 40
"""The most listed databases that are gone through."""
MOST_POINTS = 4
"""At how many points of the parameters chains are compared."""
MOST_CHAINS = 6
"""The most chains of one mechanism between two databases."""
MOST_CHOICES = 2_000
"""The most choices of a chain for each mechanism."""
BITS, LARGEST = 64, 600
ALMOST = 1 / 10**9


def proved(
    prover: Prover, composed: Theorem, claim: Mapping[str, str], said: Satisfies, points: Iterable[Point]
) -> Theorem | None:
    """The claim as a theorem; None where none is found."""
    assert isinstance(composed.says, Composed)
    with suppress(ValueError):
        found = Search(
            Along(composed.says.losses, prover.setting, prover.theory, names_of(said)), said, points
        )
        chains = found.chains
        if chains is None:
            return None
        certificates = []
        squared = prover.theory.rule(said.notion).head.squared
        for greater, lesser in obligations(found.known, said, chains):
            shown: dict[str, Any] = {}
            for (key, more), (_, less) in zip(greater, lesser, strict=True):
                if more == less or more.kind == "oo":
                    continue
                shown[key] = parameters.at_least(more, less, key in squared, assumed=prover.setting.assumed)
                if shown[key] is None:
                    return None
            certificates.append(shown)
        through = [[i, *chain] for (i, _, _), some in sorted(chains.items()) for chain in some]
        return tried(prover, "along", composed, claim=dict(claim), chains=through, certificates=certificates)
    return None


class Search:
    """Chains for a claim.  Raises ValueError where the databases are not listed, or too many."""

    def __init__(self, known: Along, said: Satisfies, points: Iterable[Point]) -> None:
        self.known, self.said = known, said
        self.points = list(islice(points, MOST_POINTS))
        self.count = known.listed.databases.count
        stated = [
            i for i, one in enumerate(known.setting.mechanisms, start=1) if one.metric and not one.noise
        ]
        if self.count > MOST_DATABASES or not stated or not self.points:
            raise ValueError("no chains are looked for here")
        self.stated = stated

    @cached_property
    def chains(self) -> dict[tuple[int, int, int], list[Chain]] | None:
        """Chains along which the claim is at least what is lost, at the points."""
        found: dict[tuple[int, int, int], list[Chain]] = {}
        for x, y in self.known.pairs:
            if not self._holds(x, y, {}):
                through = next((some for some in self._choices(x, y) if self._holds(x, y, some)), None)
                if through is None:
                    return None
                found |= through
        return found

    def _choices(self, x: int, y: int) -> Iterator[dict[tuple[int, int, int], list[Chain]]]:
        """Chains of each mechanism between two databases, those of few links first; where these have one
        parameter, also all of them."""
        known = {i: list(self._between(i, y).get(x, [(x, y)])) for i in self.stated}
        for chosen in islice(product(*known.values()), MOST_CHOICES):
            yield {(i, x, y): [chain] for i, chain in zip(known, chosen, strict=True) if len(chain) > 2}
        several = {(i, x, y): some for i, some in known.items() if len(some) > 1}
        if several and len(self.said.values) == 1:
            yield several

    def _holds(self, x: int, y: int, chains: Mapping[tuple[int, int, int], Sequence[Chain]]) -> bool:
        """Whether the claim is at least what is lost, at the points."""
        claimed = self._claimed(x, y)
        lost = self.known.at(x, y, chains)
        return all(
            _at(claimed[key], point) >= _at(value, point) * (1 - ALMOST) - ALMOST * (key == "epsilon")
            for key, value in lost.items()
            for point in self.points
        )

    def _claimed(self, x: int, y: int) -> Mapping[str, Term]:
        """What the claim says of two databases."""
        return claimed_at(self.known, self.said, x, y)

    def _between(self, i: int, y: int) -> Mapping[int, Sequence[Chain]]:
        """For each database the chains to y that no other one is below."""
        if (i, y) not in self._known:
            self._known[i, y] = self._search(i, y)
        return self._known[i, y]

    @cached_property
    def _known(self) -> dict[tuple[int, int], Mapping[int, Sequence[Chain]]]:
        return {}

    def _search(self, i: int, y: int) -> Mapping[int, Sequence[Chain]]:
        every: dict[int, dict[Chain, Far]] = {y: {(y,): (0,) * (2 * len(self.points))}}
        changed = {y}
        while changed:
            before, changed = changed, set()
            for z, x in product(sorted(before), range(self.count)):
                link = self._links[i].get((x, z))
                for chain, far in [*every[z].items()] if link is not None else []:
                    if (
                        x not in chain
                        and link is not None
                        and _added(every.setdefault(x, {}), (x, *chain), _after(link, far))
                    ):
                        changed.add(x)
        return {x: sorted(some, key=len) for x, some in every.items()}

    @cached_property
    def _links(self) -> Mapping[int, Mapping[tuple[int, int], Far]]:
        """What is stated of the mechanisms at two databases, at the points; without what says nothing."""
        return {
            i: {
                (x, y): far
                for x, y in product(range(self.count), repeat=2)
                if x != y and (far := self._far(self.known.link(i, x, y))) is not None
            }
            for i in self.stated
        }

    def _far(self, link: Link) -> Far | None:
        far, more = link
        (besides,) = [value for _, value in more] or [0 * far]
        values = [_at(value, point) for point in self.points for value in (far, besides)]
        return tuple(values) if math.inf not in values else None


def _after(link: Far, rest: Far) -> Far:
    """ε and δ of a link, and then of the rest of a chain, at each point."""
    made: list[float] = []
    for n in range(0, len(link), 2):
        made += [link[n] + rest[n], link[n + 1] + math.exp(min(link[n], LARGEST)) * rest[n + 1]]
    return tuple(made)


def _added(known: dict[Chain, Far], chain: Chain, far: Far) -> bool:
    """Whether a chain was added, as no other is below it; those that it is below are taken out."""
    if any(all(a <= b * (1 + ALMOST) for a, b in zip(other, far, strict=True)) for other in known.values()):
        return False
    for other in [
        one for one, value in known.items() if all(a <= b for a, b in zip(far, value, strict=True))
    ]:
        del known[other]
    if len(known) >= MOST_CHAINS:
        return False
    known[chain] = far
    return True


def _at(value: Term, point: Point) -> float:
    """A number at a point; ∞ where it is, or has too many digits."""
    there = formulas.extended(value, point)
    return math.inf if there.kind == "oo" else float(enclosure(there, BITS).high)
