"""Where a bound is attained, if reads overlap: at which record that comes or goes, or at which pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from dpcompose.front.documents.captions import Captions
from dpcompose.kernel.composition.losses import Composition
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.expressions.terms import Term
from dpcompose.search.guarantees import loss_of
from dpcompose.spaces.classes.databases import Database

MOST = 12
"""At how many places a bound is said to be attained at most: it is the largest of as many values."""

MOST_COMPARED = 60
"""Of how many different values the largest are found at most."""


@frozen
class Attained:
    """One of the values of which a bound is the largest, two neighbours at which all lose so much, and who
    reads what differs."""

    values: tuple[tuple[str, str], ...]
    pair: tuple[Database, Database]
    shown: tuple[Any, Any]
    mechanisms: tuple[str, ...]

    @property
    def differing(self) -> tuple[list[str], list[str]]:
        """The records that only one of the two has."""
        D, E = (Counter(database if isinstance(database, tuple) else ()) for database in self.pair)
        return sorted(map(str, (D - E).elements())), sorted(map(str, (E - D).elements()))

    def __str__(self) -> str:
        gone, come = self.differing
        which = "the record" + ("s " if len(gone + come) > 1 else " ") + ", ".join(gone or come)
        which += f" in place of {', '.join(come)}" if gone and come else ""
        return (
            f"{', '.join(text for _, text in self.values)} at {which}, read by {', '.join(self.mechanisms)}"
        )

    def data(self) -> dict[str, Any]:
        """As JSON."""
        gone, come = self.differing
        return dict(self.values) | {
            "records": gone + come,
            "databases": list(self.shown),
            "mechanisms": list(self.mechanisms),
        }


def attained(steps: Captions) -> list[Attained]:
    """Where the bound of overlapping reads of records is attained that is optimal; nothing for others."""
    if steps.setting.families or not _overlap(steps):
        return []
    others = list(_largest(steps))
    return others if len(others) <= MOST else []


def _overlap(steps: Captions) -> bool:
    """Whether two mechanisms read record sets that have some records in common, and others not."""
    read = {mechanism.reads.inside for mechanism in steps.setting.mechanisms if mechanism.reads.restricts}
    return any(first & other for first, other in combinations(read, 2))


def _largest(steps: Captions) -> Iterator[Attained]:
    """The types of neighbours whose loss no other one is seen to be at least."""
    core = steps.guarantees.shop
    together = Composition(tuple(map(loss_of, steps.guarantees.losses)), core.setting, core.theory)
    by_value: dict[tuple[tuple[str, Term], ...], Type] = {}
    for type in steps.cover.types:
        by_value.setdefault(tuple(together.at(type).items()), type)
    if len(by_value) > MOST_COMPARED:
        return
    key = next(iter(dict(steps.guarantees.main.says.values)))
    every = [dict(values)[key] for values in by_value]
    whole = together.worst(key, every)
    for values, row in by_value.items():
        own = dict(values)[key]
        if len(every) > 1 and together.worst(key, [x for x in every if x != own] or [own]) == whole != own:
            continue
        D, E = steps.pair(row)
        show = steps.setting.databases.show
        names = tuple(steps.setting.mechanisms[i - 1].name for i, _ in row.moves)
        texts = tuple((name, formulas.to_text(value)) for name, value in values)
        yield Attained(texts, (D, E), (show(D), show(E)), names)
