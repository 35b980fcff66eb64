"""What theorems suppose, decided by going through a finite setting, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.search.audits.worlds import INFINITE, Relation, World


class NoSearch(ValueError):
    """A page that no finite setting can be searched for; the message says why."""


def _relation(world: World, hypothesis: Any) -> Relation | None:
    """The neighbours that a hypothesis is about."""
    name = hypothesis.granularity or "G"
    relations = {"G": world.target, "H": world.stated}
    return (
        relations[name]
        if name in relations
        else next((relation for relation in (world.target,) if relation.name == name), None)
    )


def _compatible(world: World, hypothesis: Any) -> bool:
    """At neighbours at most one input changes."""
    relation = _relation(world, hypothesis)
    return relation is not None and all(len(world.moved(*pair)) <= 1 for pair in relation.pairs)


def _sensitivity(world: World, hypothesis: Any) -> bool:
    """At neighbours every input moves by at most so many steps."""
    relation = _relation(world, hypothesis)
    moves = (
        [r for pair in relation.pairs for r in world.moved(*pair).values()]
        if relation is not None
        else [INFINITE]
    )
    return all(0 <= r <= hypothesis.bound for r in moves)


def _commutes(world: World, hypothesis: Any) -> bool:
    """All inputs together move no further than the whole, at all databases."""
    relation = _relation(world, hypothesis)
    if relation is None:
        return False
    for x in range(len(world.names)):
        for y in range(x):
            moves, whole = world.moved(x, y).values(), relation.steps(x, y)
            if whole != INFINITE and (INFINITE in moves or sum(moves) > whole):
                return False
    return True


def _partition(world: World, hypothesis: Any) -> bool:
    """Restrictions to records, each of which is read once at most."""
    read = [reading.records for reading in world.readings]
    if not world.base.universe or None in read:
        return False
    every = [x for some in read if some is not None for x in some]
    return len(every) == len(set(every))


def _record_wise(world: World, hypothesis: Any) -> bool:
    return all(reading.everything or reading.records is not None for reading in world.readings)


def _proper(world: World, hypothesis: Any) -> bool:
    """Restrictions that leave a record out."""
    return bool(world.base.universe) and all(
        reading.records is not None and not reading.everything for reading in world.readings
    )


def _number(world: World, value: str) -> int:
    """A number of the setting."""
    if value == "k":
        return len(world.readings)
    if value == "largest size":
        return max(map(len, world.base.contents), default=0)
    return sum(len(set(reading.values)) > 1 for reading in world.readings)


HOLDS: Mapping[str, Callable[[World, Any], bool]] = {
    "compatible": _compatible,
    "sensitivity at most": _sensitivity,
    "commutes": _commutes,
    "identity": lambda world, hypothesis: all(one.everything for one in world.readings),
    "record-wise partition": _partition,
    "record-wise": _record_wise,
    "proper part": _proper,
    "policy": lambda world, hypothesis: world.target.partial,
    "at least": lambda world, hypothesis: _number(world, hypothesis.value) >= hypothesis.bound,
}
"""By the words of a page's hypothesis: whether it holds in a finite setting."""


def holds(world: World, hypothesis: Any) -> bool:
    """Whether a hypothesis of a page holds.  Raises NoSearch where it cannot be gone through."""
    if hypothesis.is_ not in HOLDS:
        raise NoSearch(f"the hypothesis {hypothesis.is_!r} is not decided by going through tables")
    return HOLDS[hypothesis.is_](world, hypothesis)


@frozen
class Kept:
    """What is supposed of the mechanisms themselves.

    independent -- that they are; else any joint table of which each mechanism's part has its guarantee;
    depends -- that each depends only on what it reads;
    earlier -- that the second keeps its guarantee for every output of the first, and not for one only;
    coin -- that the first is a coin that does not depend on the database (False: that it may);
    None: that it is a mechanism like the others.
    """

    independent: bool = True
    depends: bool = True
    earlier: bool = True
    coin: bool | None = None


ALL_KEPT = Kept()


@frozen
class Supposition:
    """One thing that a theorem supposes, which can be left out.

    key -- a short name, of files; words -- what is supposed;
    hypothesis -- where it is one of the page; premise -- the premise of the page that it is;
    mechanisms -- what is supposed of the mechanisms without it.
    """

    key: str
    words: str
    hypothesis: Any = None
    premise: str = ""
    mechanisms: Kept | None = None
