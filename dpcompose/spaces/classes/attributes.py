"""Attributes: what the records of a universe are made of, all combinations of values being records."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from math import prod
from typing import Any

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.kernel.library.fields import near
from dpcompose.language.said import Words, listed
from dpcompose.spaces.classes.lines import ALL, NUMBER, Line, Moves, Range, shown

LARGEST_UNIVERSE = 100_000
"""The most records that combinations of values are written out to."""
ANY = "any"
"""What files say of an attribute with any values."""
ITSELF = ""
"""The attribute of records that are numbers themselves."""
Value = str | Range
"""What is read of an attribute: a value, or a range of numbers."""
NOWHERE = Moves()


@frozen
class Attributes:
    """For each attribute the values that records can have; every combination is a record, written (v, w).

    named -- the values that have a name, by attribute, in order;
    open -- the attributes that have any number of other values besides;
    spare -- how many unnamed values of each of these stand for all: permutations of them change nothing;
    lines -- the attributes whose values are numbers; those that are named stand for all.

    >>> list(Attributes((("age", ("young", "old")), ("sick", ("no", "yes")))).by_record)
    ['(young, no)', '(young, yes)', '(old, no)', '(old, yes)']
    """

    named: tuple[tuple[str, tuple[str, ...]], ...]
    open: frozenset[str] = frozenset()
    spare: int = 2
    lines: tuple[tuple[str, Line], ...] = ()

    def __post_init__(self) -> None:
        if any(not values and name in dict(self.lines) for name, values in self.named):
            object.__setattr__(self, "named", self._with_points({}, {}))
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
        table = {}
        for name, values in self.named:
            fresh = (stem + "'" * n for n in range(len(values) + self.spare) for stem in ("x", "y"))
            more = self.spare if name in self.open else 0
            table[name] = values + tuple(islice((value for value in fresh if value not in values), more))
        return table

    @cached_property
    def by_record(self) -> Mapping[str, Mapping[str, str]]:
        """The values of each record, by attribute."""
        return {
            written(row): dict(zip(self.names, row, strict=True)) for row in product(*self.values.values())
        }

    @property
    def unlimited(self) -> bool:
        """Whether there are other values than those with a name."""
        return bool(self.open or self.lines)

    @property
    def endless(self) -> bool:
        """Whether there is any number of records."""
        return bool(self.open) or any(line.endless for _, line in self.lines)

    def naming(self, some: Iterable[tuple[str, Value | Moves]], spare: int) -> Attributes:
        """The same with some values of open attributes named, and so many others; of lines with the numbers
        that matter where these ranges are read, and numbers move so far.  Raises ValueError."""
        further: dict[str, dict[Value, None]] = {}
        moves = {name: value for name, value in some if isinstance(value, Moves)}
        for name, value in some:
            if not isinstance(value, Moves):
                further.setdefault(name, {})[value] = None
        named = tuple(
            (name, tuple(dict.fromkeys([*values, *further.get(name, ())])) if name in self.open else values)
            for name, values in self._with_points(further, moves)
        )
        return replace(self, named=named, spare=spare)

    def _with_points(
        self, read: Mapping[str, Iterable[Value]], moves: Mapping[str, Moves]
    ) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The values of each attribute, those of lines being the numbers that matter."""
        lines, columns = dict(self.lines), []
        for name, values in self.named:
            if name in lines:
                values = lines[name].points(map(as_range, read.get(name, ())), moves.get(name, NOWHERE))
            columns.append((name, values))
        return tuple(columns)

    def has(self, name: str, value: str, values: Iterable[Value]) -> bool:
        """Whether a value of an attribute is one of some, or lies in one of some ranges."""
        if name not in dict(self.lines):
            return value in set(values)
        return any(Fraction(value) in as_range(wanted) for wanted in values)

    def lacking(self, name: str, value: Value) -> str | None:
        """Why no record has a value of an attribute, or lies in a range, in words; None where some may."""
        line = dict(self.lines).get(name)
        if line is None and isinstance(value, Range):
            return f"a range of {name}, whose values are no numbers: list them"
        if line is not None and isinstance(value, str):
            fits = is_number(value) and Fraction(value) in line
            return None if fits else f"the value {value!r} of {name}, which is none of {line}"
        if isinstance(value, Range) or name in self.open or value in self.values[name]:
            return None
        return f"the value {value!r} of {name}, which it has not{near(value, self.values[name])}"

    def fewer(self, alike: Mapping[str, Mapping[str, Hashable]], most: int) -> Attributes:
        """The same with so many values at most that are alike, by what tells those of an attribute apart."""
        named = []
        for name, values in self.values.items():
            kept = dict.fromkeys(values)
            if name in alike:
                classes: dict[Hashable, list[str]] = {}
                for value in values:
                    classes.setdefault(alike[name][value], []).append(value)
                few = {value for members in classes.values() for value in members[:most]}
                kept = dict.fromkeys(value for value in values if value in few)
            named.append((name, tuple(kept)))
        return Attributes(tuple(named))

    def keeping(self, names: Iterable[str]) -> Attributes:
        """Some of the attributes only."""
        kept = set(names)
        named = tuple(attribute for attribute in self.named if attribute[0] in kept)
        lines = tuple(line for line in self.lines if line[0] in kept)
        return replace(self, named=named, open=self.open & kept, lines=lines)

    def where(self, conditions: Mapping[str, Iterable[Value]]) -> Attributes:
        """The same with those values only that are some, or lie in some ranges."""
        named = tuple(
            (name, tuple(x for x in values if self.has(name, x, conditions.get(name, (x,)))))
            for name, values in self.named
        )
        lines = (
            (name, line.within(map(as_range, conditions.get(name, (ALL,))))) for name, line in self.lines
        )
        kept = tuple((name, line) for name, line in lines if line is not None)
        return Attributes(named, self.open - conditions.keys(), self.spare, kept)

    def data(self) -> dict[str, Any]:
        """As [databases] of a problem file says it."""
        if self.names == (ITSELF,):
            return {"records": dict(self.lines)[ITSELF].data()}
        lines = {name: line.data() for name, line in self.lines}
        given = {name: ANY if name in self.open else list(values) for name, values in self.named}
        return {"attributes": {**given, **lines}}

    def __str__(self) -> str:
        lines = dict(self.lines)
        if self.names == (ITSELF,):
            return Words("over ", str(lines.get(ITSELF, "no numbers")))
        each = [
            Words(name, " ", lines[name].noun)
            if name in lines
            else f"{name} arbitrary"
            if name in self.open
            else f"{name} in {{{', '.join(values)}}}"
            for name, values in self.named
        ]
        return Words("of records with ", listed(each, None))


def as_range(value: Value) -> Range:
    """The range of one number, or a range itself."""
    x = value if isinstance(value, Range) else Fraction(value)
    return x if isinstance(x, Range) else Range(x, x, (True, True))


def is_number(text: str) -> bool:
    """Whether a text is a number, such as 3, -1/2 or 0.5."""
    return re.fullmatch(NUMBER, text.strip()) is not None


def condition(name: str, values: tuple[Value, ...]) -> str:
    """What is asked of an attribute, in words."""
    if any(isinstance(value, Range) for value in values):
        return f"{name} in {shown(values)}" if name else shown(values)
    texts = tuple(map(str, values))
    return f"{name} = {texts[0]}" if len(texts) == 1 else f"{name} in {{{', '.join(texts)}}}"


def written(values: Iterable[str]) -> str:
    """A record with some values, as results write it.

    >>> written(["young", "yes"]), written(["old"])
    ('(young, yes)', 'old')
    """
    texts = tuple(values)
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


Given = str | Iterable[str] | Mapping[str, Any]


def values_of(given: Any) -> Any:
    """The values of a column of pandas, or of an array of numpy, each once; all else as it is.

    Of a column each row has a value, so that one may come often.
    """
    rows = given.tolist() if hasattr(given, "tolist") else None
    return list(dict.fromkeys(rows)) if isinstance(rows, list) else given


def of_columns(given: Any) -> Any:
    """For a data frame of pandas, or columns by name, the values that these have; all else as it is."""
    if hasattr(given, "columns"):
        return {str(name): tuple(dict.fromkeys(map(str, values))) for name, values in given.items()}
    if isinstance(given, Mapping):
        return {name: values_of(values) for name, values in given.items()}
    return given


def made_of(records: Any, given: Any) -> Attributes | None:
    """What records are made of, if anything: attributes, in place of records, or numbers, which these are.

    Raises ValueError where both are given.
    """
    if given is not None and records is not None:
        raise ValueError("attributes make the records: leave out the one or the other")
    if hasattr(records, "columns"):
        return attributes(records)
    if isinstance(records, Mapping):
        return attributes({ITSELF: records})
    return None if given is None else attributes(given)


def attributes(given: Mapping[str, Given]) -> Attributes:
    """Attributes by name, each with its values, with "any", or with numbers.

    >>> str(attributes({"county": ["north", "south"], "name": "any", "age": {"integers": [0, 120]}}))
    'of records with county in {north, south}, name arbitrary, age an integer in [0, 120]'
    """
    given = of_columns(given)
    lines = {str(name): Line.read(values) for name, values in given.items() if isinstance(values, Mapping)}
    named = tuple(
        (str(name), () if values == ANY or str(name) in lines else tuple(map(str, values)))
        for name, values in given.items()
    )
    open_ = frozenset(str(name) for name, values in given.items() if values == ANY)
    return Attributes(named, open_, lines=tuple(lines.items()))
