"""Checks: what the tables of files may hold, read with all mistakes at once, and told as JSON schema.

A table says its keys one by one, each with a check of its value; `Table.check` is about several keys.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Self, TypeAlias

from dpcompose.kernel.expressions.keeping import frozen
from dpcompose.language.said import in_series
from dpcompose.language.synonyms import in_words, meant
from dpcompose.spaces.additions import NOTHING, Additions

Place = tuple[str | int, ...]

LONGEST_NAME = 200


@frozen
class Mistake:
    """What is wrong, under which key, and in which line of the file where that is known.

    meant -- the word that may have been meant; unknown -- whether it is the key that is none.
    """

    path: Place
    message: str
    line: int | None = None
    meant: str | None = None
    unknown: bool = False

    def __str__(self) -> str:
        where = ".".join(str(part + 1) if isinstance(part, int) else part for part in self.path) or "file"
        return f"{where}{f' (line {self.line})' if self.line else ''}: {self.message}"


class Wrong(ValueError):
    """What is wrong under a key: raised where it is seen, and told by whoever reads what it is part of."""

    def __init__(self, path: Place, message: object) -> None:
        super().__init__(str(message))
        self.path = path


@contextmanager
def under(path: Place) -> Iterator[None]:
    """What is wrong with what is read inside stands under a key."""
    try:
        yield
    except Wrong:
        raise
    except ValueError as error:
        raise Wrong(path, error) from None


class Mistakes:
    """The mistakes that were made, the parameters of each notion that a file may name, and what users added
    that it may name.

    parts -- whether there are maps, or parts, that mechanisms may read by their names.
    """

    def __init__(self, notions: Mapping[str, Sequence[str]] | None = None, own: Additions = NOTHING) -> None:
        self.notions, self.own, self.parts = notions, own, False
        self.all: list[Mistake] = []

    def wrong(self, path: Place, message: object, meant: str | None = None, unknown: bool = False) -> None:
        self.all.append(Mistake(path, str(message), meant=meant, unknown=unknown))

    @contextmanager
    def telling(self, path: Place = ()) -> Iterator[None]:
        """Tells what is wrong with what is read inside, where nothing else says where, under a key."""
        try:
            yield
        except ValueError as error:
            self.wrong(error.path if isinstance(error, Wrong) else path, error)

    def missing(self, path: Place) -> None:
        """A key that has to be there."""
        self.wrong(path, f"this key is missing{_shows(path)}")

    def unfit(self, path: Place, message: str, value: object) -> None:
        """A value of another kind, or size."""
        self.wrong(
            path, f"{message}, not {value if isinstance(value, _Shown) else article(value)}{_shows(path)}"
        )


EXPLAINED = ("databases", "filter", "guarantee", "noise", "notion", "sampled", "table", "target", "users")
"""Keys of which the glossary shows how they are written."""


def _shows(path: Place) -> str:
    return (
        f"; `dpcompose explain {path[-1]}` shows how it is written" if path and path[-1] in EXPLAINED else ""
    )


class _Shown(str):
    """A value that is shown as it is."""


class Check:
    """What a value must be."""

    def read(self, value: Any, path: Place, mistakes: Mistakes) -> Any:
        """The value as it is used; what is wrong is told to `mistakes`."""
        raise NotImplementedError

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        """The same as JSON schema; tables are put into `defs`."""
        raise NotImplementedError


class Text(Check):
    """A text; after -- what is besides asked of it, as a function that raises ValueError."""

    def __init__(self, asked: Callable[[str], object] | None = None, longest: int | None = None) -> None:
        self.asked, self.longest = asked, longest

    def read(self, value: Any, path: Place, mistakes: Mistakes) -> Any:
        if not isinstance(value, str):
            mistakes.unfit(path, "input should be a valid string", value)
            return value
        with mistakes.telling(path):
            if self.asked is not None:
                self.asked(value)
            if self.longest is not None and len(value) > self.longest:
                mistakes.unfit(path, f"string should have at most {self.longest} characters", value)
        return value

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        return {"type": "string"} | ({} if self.longest is None else {"maxLength": self.longest})


Reading: TypeAlias = "Check | type[Table]"
"""What reads a value: a check, or a table."""


def _one_line(value: str) -> None:
    if not value.isprintable():
        raise ValueError(f"{ascii(value)[:60]} has control characters; a text is one printable line")
    if value == "":
        raise ValueError("a name has at least one character")


NAME = Text(_one_line, LONGEST_NAME)
TITLE = Text(lambda value: None if value == "" else _one_line(value))
TEXT = Text()


class _Formula(Check):
    def read(self, value: Any, path: Place, mistakes: Mistakes) -> Any:
        with mistakes.telling(path):
            return formula(value)
        return ""

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        return {"type": ["string", "number"]}


def formula(value: object) -> str:
    """A formula as text.  Raises ValueError for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError(f"a formula is a text or a number, not {article(value)}")
    return str(value)


FORMULA = _Formula()


class Whole(Check):
    """A whole number between two ends."""

    def __init__(self, least: int = 1, greatest: int | None = None) -> None:
        self.least, self.greatest = least, greatest

    def read(self, value: Any, path: Place, mistakes: Mistakes) -> Any:
        if type(value) is not int:
            mistakes.unfit(path, "input should be a valid integer", value)
        elif value < self.least:
            mistakes.unfit(
                path, f"input should be greater than or equal to {self.least}", _Shown(shown(value))
            )
        elif self.greatest is not None and value > self.greatest:
            mistakes.unfit(
                path, f"input should be less than or equal to {self.greatest}", _Shown(shown(value))
            )
        return value

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        ends = {"minimum": self.least} | ({} if self.greatest is None else {"maximum": self.greatest})
        return {**ends, "type": "integer"}


class _TrueOrFalse(Check):
    def read(self, value: Any, path: Place, mistakes: Mistakes) -> Any:
        if type(value) is not bool:
            mistakes.unfit(path, "input should be a valid boolean", value)
        return value

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        return {"type": "boolean"}


TRUE_OR_FALSE = _TrueOrFalse()


class OneOf(Check):
    """One of some words or numbers; or_else -- what else may stand there, in words; keys -- of tables."""

    def __init__(self, *values: str | int, or_else: Sequence[str] = (), keys: Sequence[str] = ()) -> None:
        self.values, self.or_else, self.keys = values, or_else, keys

    def read(self, value: Any, path: Place, mistakes: Mistakes) -> Any:
        if not any(type(value) is type(known) and value == known for known in self.values):
            words = in_series([*map(repr, self.values), *self.or_else], "or")
            text = isinstance(value, str)
            hint = close(value, [*map(str, self.values), *self.keys])
            hint = f"; write {{ {value} = ... }}" if value in self.keys else hint
            there = f"{shown(value)}{hint}" if text else article(value)
            mistakes.unfit(path, f"input should be {words}", _Shown(there))
        return value

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        kind = {"type": "string" if isinstance(self.values[0], str) else "integer"}
        return ({"const": self.values[0]} if len(self.values) == 1 else {"enum": list(self.values)}) | kind


class Word(Check):
    """One word of some."""

    def __init__(self, noun: str, supported: Sequence[str]) -> None:
        self.noun, self.supported = noun, tuple(supported)

    def read(self, value: Any, path: Place, mistakes: Mistakes) -> Any:
        if value not in self.supported:
            there = f"there is no {self.noun} {shown(value)}{near(value, self.supported)}"
            mistakes.wrong(path, there, nearest(value, self.supported))
        return value

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.supported)}


class OrOwn(Check):
    """A word of the format, or for what users added, which the schema does not know.

    of -- makes the check from further words; own -- which these are.
    """

    def __init__(self, of: Callable[..., Check], own: Callable[[Additions], Iterable[str]]) -> None:
        self.of, self.own = of, own

    def read(self, value: Any, path: Place, mistakes: Mistakes) -> Any:
        return self.of(*self.own(mistakes.own)).read(value, path, mistakes)

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        return self.of().schema(defs)


class Several(Check):
    """A list or a table, each entry by a check, of so many entries; instead -- what would do for more."""

    called: ClassVar[str]
    counted: ClassVar[str]

    def __init__(self, entry: Reading, least: int = 0, most: int | None = None, instead: str = "") -> None:
        self.entry, self.least, self.most, self.instead = entry, least, most, instead

    def fits(self, n: int, path: Place, mistakes: Mistakes) -> bool:
        """Whether so many entries are allowed; else that is told."""
        if n >= self.least and (self.most is None or n <= self.most):
            return True
        end, limit = ("least", self.least) if n < self.least else ("most", self.most)
        hint = f"; {self.instead}" if self.instead and end == "most" else ""
        items = f"{limit} item{'' if limit == 1 else 's'}"
        mistakes.wrong(path, f"{self.called} should have at {end} {items}, not {n}{hint}")
        return False

    @property
    def ends(self) -> dict[str, Any]:
        """How many entries are allowed, as JSON schema."""
        ends = {f"min{self.counted}": self.least} if self.least else {}
        return ends | ({} if self.most is None else {f"max{self.counted}": self.most})


class ListOf(Several):
    """A list, each entry by a check."""

    called, counted = "list", "Items"

    def read(self, value: Any, path: Place, mistakes: Mistakes) -> Any:
        if not isinstance(value, list):
            mistakes.unfit(path, "input should be a valid list", value)
        elif self.fits(len(value), path, mistakes):
            return [self.entry.read(entry, (*path, n), mistakes) for n, entry in enumerate(value)]
        return value

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        return {"items": self.entry.schema(defs), **self.ends, "type": "array"}


class TableOf(Several):
    """A table with names for keys, each value by a check."""

    called, counted = "dictionary", "Properties"

    def __init__(self, entry: Reading, least: int = 0, most: int | None = None, names: Check = NAME) -> None:
        super().__init__(entry, least, most)
        self.names = names

    def read(self, value: Any, path: Place, mistakes: Mistakes) -> Any:
        if not isinstance(value, Mapping):
            mistakes.unfit(path, "input should be a table", value)
        elif self.fits(len(value), path, mistakes):
            return {name: self._entry(name, x, (*path, str(name)), mistakes) for name, x in value.items()}
        return value

    def _entry(self, name: Any, value: Any, path: Place, mistakes: Mistakes) -> Any:
        self.names.read(name, path, mistakes)
        return self.entry.read(value, path, mistakes)

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        names = self.names.schema(defs)
        named = {"propertyNames": {"maxLength": names["maxLength"]}} if "maxLength" in names else {}
        return {"additionalProperties": self.entry.schema(defs), **self.ends, **named, "type": "object"}


class Either(Check):
    """A table or list by one check, any other value by the other."""

    def __init__(self, other: Reading, nested: Reading, kinds: type = Mapping, word: str = "anyOf"):
        self.other, self.nested, self.kinds, self.word = other, nested, kinds, word

    def read(self, value: Any, path: Place, mistakes: Mistakes) -> Any:
        return (self.nested if isinstance(value, self.kinds) else self.other).read(value, path, mistakes)

    def schema(self, defs: dict[str, Any]) -> dict[str, Any]:
        return {self.word: [self.other.schema(defs), self.nested.schema(defs)]}


class Key:
    """A key of a table: its check, whether it has to be there, what it is where it is left out, and how files
    write it."""

    def __init__(self, check: Reading, needed: bool, default: Any, written: str | None) -> None:
        self.check, self.needed, self.default, self.written = check, needed, default, written


def need(check: Reading) -> Any:
    """A key that has to be there."""
    return Key(check, True, None, None)


def key(check: Reading, default: Any = None, written: str | None = None) -> Any:
    """A key that may be left out; written -- how files have it where that is no name of Python."""
    return Key(check, False, default, written)


class Table:
    """A table of a file: its keys are attributes.

    given -- the keys that the file has; filled -- those that a file may leave out, and that are filled in by
    what stands around it before it is read.
    """

    keys: ClassVar[dict[str, Key]] = {}
    filled: ClassVar[tuple[str, ...]] = ()
    given: frozenset[str]

    def __init_subclass__(cls) -> None:
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Key)}
        for name in own:
            delattr(cls, name)
        cls.keys = {**cls.keys, **own}

    def __init__(self, **values: Any) -> None:
        self.given = frozenset(values)
        for name, entry in self.keys.items():
            setattr(self, name, values.get(name, entry.default))

    def with_(self, **values: Any) -> Self:
        """The same with other values of some keys."""
        return type(self)(**{name: getattr(self, name) for name in self.given} | values)

    def data(self) -> dict[str, Any]:
        """The keys that the file has, as it has them."""
        values = {self.keys[name].written or name: getattr(self, name) for name in self.given}
        return {key: value.data() if isinstance(value, Table) else value for key, value in values.items()}

    def check(self) -> None:
        """Raises ValueError where keys do not fit together."""

    @classmethod
    def names(cls, read: Mapping[str, Any], path: Place, mistakes: Mistakes) -> None:
        """Tells what in the values of its keys names two things, whatever else is wrong in it."""

    @classmethod
    def read(cls, value: Any, path: Place, mistakes: Mistakes) -> Any:
        """The table, or None where something in it is wrong."""
        if not isinstance(value, Mapping):
            mistakes.unfit(path, "input should be a table", value)
            return None
        before, read = len(mistakes.all), dict[str, Any]()
        known = {entry.written or name: (name, entry) for name, entry in cls.keys.items()}
        for word, (name, entry) in known.items():
            if word in value:
                read[name] = entry.check.read(value[word], (*path, word), mistakes)
            elif entry.needed:
                mistakes.missing((*path, word))
        for word in value:
            if word not in known:
                there = f"there is no key {shown(word)} here{near(word, sorted(known))}"
                mistakes.wrong((*path, str(word)), there, nearest(word, known), unknown=True)
        cls.names(read, path, mistakes)
        if len(mistakes.all) > before:
            return None
        with mistakes.telling(path):
            made = cls(**read)
            made.check()
            return made
        return None

    @classmethod
    def schema(cls, defs: dict[str, Any]) -> dict[str, Any]:
        """A reference to the table in `defs`."""
        name = cls.__name__
        if name not in defs:
            defs[name] = {}
            properties = {}
            for key, entry in cls.keys.items():
                plain = {} if entry.needed or entry.default is None else {"default": entry.default}
                properties[entry.written or key] = plain | entry.check.schema(defs)
            needed = [
                entry.written or key
                for key, entry in cls.keys.items()
                if entry.needed and key not in cls.filled
            ]
            defs[name] |= {"additionalProperties": False, "properties": properties}
            defs[name] |= ({"required": needed} if needed else {}) | {"title": name, "type": "object"}
        return {"$ref": f"#/$defs/{name}"}


def near(word: object, known: Iterable[str]) -> str:
    """A near match among known words, else what there is, as the end of a message."""
    words = list(map(str, known))
    listed = f"; there is {', '.join(words[:10])}{', …' if len(words) > 10 else ''}" if words else ""
    return close(word, words) or listed


def close(word: object, known: Iterable[str]) -> str:
    """A near match among known words, or one that means the same, as the end of a message; "" without one."""
    words = list(known)
    if hint := in_words(str(word)[:200], words):
        return f"; {hint}"
    nearest_word = nearest(word, words)
    return f"; did you mean {nearest_word!r}?" if nearest_word else ""


def nearest(word: object, known: Iterable[str]) -> str | None:
    """The known word that is near another one, or means the same; None without one."""
    text = str(word)[:200]
    words = [other for other in known if other != text]  # no word is meant by itself
    return meant(text, words) or next(iter(difflib.get_close_matches(text, words, n=1)), None)


def shown(value: object) -> str:
    """A value in a message."""
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= 60 else f"{text[:50]}…{text[-1]}"


def article(value: object) -> str:
    """What kind of value it is, in words."""
    kinds: dict[type, str] = {
        bool: "true or false",
        int: "a number",
        str: "a text",
        list: "a list",
        dict: "a table",
    }
    return kinds.get(type(value), f"a {type(value).__name__}")
