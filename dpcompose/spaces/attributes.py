"""Attributes: what the records of a universe are made of, all combinations of values being records."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, product
from math import prod

LARGEST_UNIVERSE = 100_000
"""The most records that combinations of values are written out to."""
ANY = "any"
"""What files say of an attribute with any values."""


@dataclass(frozen=True)
class Attributes:
    """For each attribute the values that records can have; every combination is a record, written (v, w).

    named -- the values that have a name, by attribute, in order;
    open -- the attributes that have any number of other values besides;
    spare -- how many unnamed values of each of these stand for all: permutations of them change nothing.

    >>> list(Attributes((("age", ("young", "old")), ("sick", ("no", "yes")))).by_record)
    ['(young, no)', '(young, yes)', '(old, no)', '(old, yes)']
    """

    named: tuple[tuple[str, tuple[str, ...]], ...]
    open: frozenset[str] = frozenset()
    spare: int = 2

    def __post_init__(self) -> None:
        if not self.named:
            raise ValueError("records with attributes have at least one attribute")
        for name, values in self.named:
            if (not values and name not in self.open) or len(set(values)) < len(values):
                raise ValueError(f"the attribute {name} needs values, each listed once")
        if (many := prod(len(values) for values in self.values.values())) > LARGEST_UNIVERSE:
            raise ValueError(f"{many:,} different records are too many to list; fewer attributes would do")
        if len(self.by_record) < many:
            raise ValueError("two records of other attributes are written alike; use other words for values")

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes, in order."""
        return tuple(name for name, _ in self.named)

    @cached_property
    def values(self) -> Mapping[str, tuple[str, ...]]:
        """The values of each attribute, with those that stand for the unnamed ones."""
        found = {}
        for name, values in self.named:
            fresh = (stem + "'" * n for n in range(len(values) + self.spare) for stem in ("x", "y"))
            more = self.spare if name in self.open else 0
            found[name] = values + tuple(islice((one for one in fresh if one not in values), more))
        return found

    @cached_property
    def by_record(self) -> Mapping[str, Mapping[str, str]]:
        """The values of each record, by attribute."""
        return {
            written(row): dict(zip(self.names, row, strict=True)) for row in product(*self.values.values())
        }

    def naming(self, some: Iterable[tuple[str, str]], spare: int) -> Attributes:
        """The same with some values of open attributes named, and so many others."""
        further: dict[str, dict[str, None]] = {}
        for name, value in some:
            further.setdefault(name, {})[value] = None
        named = tuple(
            (name, tuple(dict.fromkeys([*values, *further.get(name, ())])) if name in self.open else values)
            for name, values in self.named
        )
        return replace(self, named=named, spare=spare)

    def fewer(self, alike: Mapping[str, Mapping[str, Hashable]], most: int) -> Attributes:
        """The same with so many values at most that are alike, by what tells those of an attribute apart."""
        named = []
        for name, values in self.values.items():
            kept = dict.fromkeys(values)
            if name in alike:
                classes: dict[Hashable, list[str]] = {}
                for value in values:
                    classes.setdefault(alike[name][value], []).append(value)
                few = {value for some in classes.values() for value in some[:most]}
                kept = dict.fromkeys(value for value in values if value in few)
            named.append((name, tuple(kept)))
        return Attributes(tuple(named))

    def keeping(self, names: Iterable[str]) -> Attributes:
        """Some of the attributes only."""
        kept = set(names)
        return replace(self, named=tuple(one for one in self.named if one[0] in kept), open=self.open & kept)

    def data(self) -> dict[str, str | list[str]]:
        """As [databases] of a problem file says it."""
        return {name: ANY if name in self.open else list(values) for name, values in self.named}

    def __str__(self) -> str:
        return ", ".join(
            f"{name} arbitrary" if name in self.open else f"{name} in {{{', '.join(values)}}}"
            for name, values in self.named
        )


def written(values: Iterable[str]) -> str:
    """A record with some values, as results write it.

    >>> written(["young", "yes"]), written(["old"])
    ('(young, yes)', 'old')
    """
    some = tuple(values)
    return some[0] if len(some) == 1 else f"({', '.join(some)})"


def attributes(given: Mapping[str, str | Iterable[str]]) -> Attributes:
    """Attributes by name, each with its values, or with "any".

    >>> str(attributes({"county": ["north", "south"], "name": "any"}))
    'county in {north, south}, name arbitrary'
    """
    named = tuple(
        (str(name), () if values == ANY else tuple(map(str, values))) for name, values in given.items()
    )
    return Attributes(named, frozenset(str(name) for name, values in given.items() if values == ANY))
