"""Covers of large finite classes: the types that the setting states, which were counted on arrays.

That these are the types of all neighbours, and that each is one of two neighbours, is nothing that the kernel
can see: it is believed, and so the page of this cover is named by whatever rests on it.
"""

from __future__ import annotations

from collections.abc import Callable

from dpcompose.kernel.core.settings import Mechanism
from dpcompose.kernel.covers.covering import Covering
from dpcompose.kernel.covers.queries import query_metric
from dpcompose.kernel.covers.types import LARGEST, Cover, NoCover
from dpcompose.kernel.expressions.terms import INFINITY, ZERO, Term, number


class Arrays(Covering):
    procedure = "arrays"

    def cover(self) -> Cover:
        mechanisms, databases = self.setting.mechanisms, self.setting.databases
        if len(databases.types) * len(mechanisms) > LARGEST:
            raise NoCover(
                f"{len(databases.types):,} types of neighbours are too many; a smaller class would do"
            )
        far, pages = zip(*map(self.distance, mechanisms), strict=True)
        types = []
        for counted in databases.types:
            distances = [at(r) for at, r in zip(far, counted.moves, strict=True)]
            moved = (((i, 0), r, (r,)) for i, r in enumerate(distances, start=1))
            types.append(self.type(moved, counted.pair))
        return self.of_types(types, databases.gone_through, pages)

    def distance(self, mechanism: Mechanism) -> tuple[Callable[[int | None], Term], tuple[str, ...]]:
        """A distance that is stated, as a term; and the pages that say more of it."""
        if mechanism.noise is None:
            return lambda r: INFINITY if r is None else number(r), ()
        metric = query_metric(mechanism, self.theory)
        if not metric.discrete:
            raise NoCover(f"what {mechanism.name} asks for is about records, and databases are numbered")

        def whether(r: int | None) -> Term:
            if r not in (0, 1):
                raise NoCover(f"what {mechanism.name} asks for differs or does not: 1 or 0 is wanted")
            return metric.at(1, 1) if r else ZERO

        return whether, metric.pages
