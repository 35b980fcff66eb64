"""All mistakes of a file at once: what is wrong is replaced, and the file is read again.

What is wrong stands in the way of what is read after it: a notion that is none hides that a formula is none.
So it is replaced by what was meant, or by what says least, until nothing new is found.  What may follow from
a replacement is not told.

>>> rest = Rest({"claims": [{"notion": "pur", "epsilon": "2*"}], "format": 2}, {"pure": ("epsilon",)})
>>> rest.replace(Mistake(("claims", 0, "notion"), "there is no notion 'pur'", meant="pure"))
True
>>> rest.replace(Mistake(("format",), "input should be 1"))
True
>>> rest.data["claims"], rest.data["format"]
([{'notion': 'pure', 'epsilon': '2*'}], 1)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from dpcompose.kernel.expressions import naming
from dpcompose.language import formulas
from dpcompose.language.formulas import RESERVED
from dpcompose.privacy.format.checks import Mistake, Place

MOST_READINGS = 40
"""How often a file is read at most."""
KNOWN_BY = ("guarantee", "filter", "satisfies", "query", "noise", "table", "study", "sampled")
"""The keys that say what is known of a mechanism."""
NAMED = ("granularities", "maps", "partitions", "tables", "metrics", "studies")
"""What a file has by names, which stand elsewhere in it."""
ON_A_CLASS = {"reads", "granularity", "metric", "query", "noise", "table", "domain", "target", *NAMED}
"""Keys whose values fit some classes of databases only."""
NO_FORMULAS = {
    "name",
    "notion",
    "granularity",
    "domain",
    "reads",
    "kind",
    "query",
    "table",
    "study",
    "expect",
}
"""Keys whose texts are no formulas; a table below one has some."""
HAVE_FORMULAS = ("mechanisms", "studies", "tables")
"""In whose formulas parameters first stand."""
OF_ALL = ("databases", "metrics", "maps")
"""What the values of these keys depend on."""
OF_THE_WHOLE: tuple[Place, ...] = ((), ("mechanisms",))
"""Where mistakes stand that are about all mechanisms together."""
ANY_NUMBER = "integer >= 1"
"""What a parameter is of which nothing is known: most is allowed of these."""

LEFT_OUT = None
Replacement = tuple[Place, Any]
"""Where something else is put, and what."""


def every_mistake(
    first: Sequence[Mistake],
    data: Mapping[str, Any],
    again: Callable[[Mapping[str, Any]], Sequence[Mistake]],
    notions: Mapping[str, Sequence[str]],
) -> list[Mistake]:
    """The mistakes that were found first, and those of the rest.

    again -- the mistakes of other data; notions -- the parameters of each notion.
    """
    if not any(mistake.path for mistake in first):
        return list(first)
    rest, known, mistakes = Rest(data, notions), list(first), first
    for _ in range(MOST_READINGS):
        if not any([rest.replace(mistake) for mistake in mistakes]):  # each of them
            break
        mistakes = again(rest.data)
        known += [mistake for mistake in mistakes if mistake not in known and not rest.may_cause(mistake)]
    return known


class Rest:
    """The data of a file, in which what is wrong is replaced.

    notions -- the parameters of each notion; replaced -- where, and by what; unlike -- where that is not what
    was meant; names -- those of what was left out; made -- those that are no parameters.
    """

    def __init__(self, data: Mapping[str, Any], notions: Mapping[str, Sequence[str]]) -> None:
        self.data: Any = data
        self.notions, self.names = notions, set[str]()
        self.replaced, self.unlike = dict[Place, Any](), set[Place]()
        self.made = words([data.get("metrics"), data.get("databases")]) | RESERVED
        self.made |= {str(name).replace("-", "_") for name in keys(data.get("metrics"))}
        mechanisms = data.get("mechanisms")
        for mechanism in mechanisms if isinstance(mechanisms, list) else ():
            self.made |= words({"index": at(mechanism, ("index",))})

    def may_cause(self, mistake: Mistake) -> bool:
        """Whether a mistake may be there for what was replaced."""
        path = mistake.path
        if path in OF_THE_WHOLE:
            return any(place[0] != "claims" for place in self.replaced)
        if any(place[: len(path)] == path[: len(place)] for place in self.replaced):
            return True
        elsewhere = any(place[0] in OF_ALL for place in self.unlike)
        if elsewhere and not ON_A_CLASS.isdisjoint(path):
            return True
        return not self.names.isdisjoint(words(at(self.data, path[:2])))

    def replace(self, mistake: Mistake) -> bool:
        """Whether something new was replaced for a mistake: the least that there is."""
        for path, value in self._instead(self.data, mistake):
            if path not in self.replaced:
                self._put(path, value, mistake)
                return True
        return False

    def _put(self, path: Place, value: Any, mistake: Mistake) -> None:
        before = at(self.data, path)
        cut = any(value is LEFT_OUT and path[:2] == there[:2] for there, value in self.replaced.items())
        self.data = changed(self.data, path, value)
        self.replaced[path] = value
        if mistake.meant is None or value != mistake.meant:
            self.unlike.add(path)
            called = {str(name) for section, name in pairwise(path) if section in NAMED}
            self.names |= called | {f"d_{name}" for name in called}
            if path[0] in HAVE_FORMULAS and "reads" not in path:
                never_said = not isinstance(before, str) and (path == mistake.path or before is None)
                self._lost(texts({path[-1]: before}, NO_FORMULAS), never_said and not cut)

    def _lost(self, lost: Sequence[str], more: bool) -> None:
        """Takes names in formulas that are gone for parameters; where there would be more, all in claims."""
        known = keys(self.data.get("parameters"))
        if more:
            lost = [*lost, *texts(self.data.get("claims"), NO_FORMULAS)]
        taken = {}
        for name in {letter for text in lost for letter in letters(text)} - self.made - {*known}:
            if (family := naming.read(name).base) != name:
                self.names.add(family)
            elif not name.startswith("d_"):  # that is a metric
                taken[name] = self.replaced["parameters", name] = ANY_NUMBER
        if taken:
            stated = at(self.data, ("parameters",))
            every = {**(stated if isinstance(stated, Mapping) else {}), **taken}
            self.data = changed(self.data, ("parameters",), every)

    # what is put in place of what is wrong

    def _instead(self, data: Any, mistake: Mistake) -> Iterator[Replacement]:
        """What may be put instead, from little to much."""
        path = mistake.path
        if not path:
            return
        if isinstance(stated := at(data, path), dict) and "notion" in stated:
            yield from (((*path, "notion"), notion) for notion in self._having(stated))
        yield from self._of_a_key(at(data, path[:-1]), mistake)
        match path:
            case ("studies", str(name), _, *_) if isinstance(study := at(data, path[:2]), dict):
                inner = Mistake(path[2:], "", meant=mistake.meant, unknown=mistake.unknown)
                yield from (((*path[:2], *there), value) for there, value in self._instead(study, inner))
                yield ("studies", name), LEFT_OUT
            case ("mechanisms", int(i), *_):
                yield from _of_a_mechanism(data, i, path)
            case ("claims", int(), *_):
                in_metric = "metric" in keys(at(data, path[:2]))
                yield path[:2], {"notion": "pure", "metric" if in_metric else "epsilon": "oo"}
            case ("parameters", str(name), *_):
                yield path[:2], ANY_NUMBER
            case (str(section), str(), *_) if section in NAMED:
                yield path[:2], LEFT_OUT
            case ("format" | "databases" | "target" | "claims" | "mechanisms" as section, *_):
                instead = {
                    "format": 1,
                    "claims": [],
                    "databases": {"kind": "multisets"},
                    "target": {"granularity": neighbours(data)},
                }
                yield (section,), instead[section] if section in instead else [_mechanism(data, 0)]

    def _of_a_key(self, inside: Any, mistake: Mistake) -> Iterator[Replacement]:
        """What may be put instead where a single key is wrong."""
        path, key, meant = mistake.path, mistake.path[-1], mistake.meant
        if not isinstance(inside, dict):
            return
        if mistake.unknown:
            if meant is not None and meant not in inside and key in inside:
                yield (*path[:-1], meant), inside[key]
            yield path, LEFT_OUT
        elif meant is not None:
            yield path, meant
        if key in ("granularity", "domain") and len(path) > 2:
            yield path, neighbours(self.data) if key == "granularity" else "common"
        if key == "notion":
            yield from ((path, notion) for notion in self._having(inside))
        if len(path) > 2 and key in inside:
            yield path, LEFT_OUT

    def _having(self, stated: Mapping[str, Any]) -> list[str]:
        """The notions with just the parameters that are stated."""
        given = stated.keys() & {key for keys in self.notions.values() for key in keys}
        return [notion for notion, keys in self.notions.items() if set(keys) == given]


def _of_a_mechanism(data: Mapping[str, Any], i: int, path: Place) -> Iterator[Replacement]:
    """What may be put instead in a mechanism: as its name, as what is read, as what is known of it."""
    least, given = _mechanism(data, i), at(data, path[:2])
    if isinstance(given, dict):
        if path[2:3] == ("name",):
            yield path[:3], least["name"]
        if path[2:3] == ("reads",):
            yield path[:3], "everything"
        yield from ((("mechanisms", i, key), LEFT_OUT) for key in KNOWN_BY[1:] if key in given)
        yield ("mechanisms", i, "guarantee"), least["guarantee"]
    yield ("mechanisms", i), least


def _mechanism(data: Mapping[str, Any], i: int) -> dict[str, Any]:
    """A mechanism that says least."""
    stated = {"notion": "pure", "epsilon": "1", "granularity": neighbours(data), "domain": "common"}
    return {"name": f"mechanism {i + 1}", "guarantee": stated}


def neighbours(data: Mapping[str, Any]) -> Any:
    """Neighbours that fit the class: those of the target."""
    return at(data, ("target", "granularity")) or "free-lunch"


def at(data: Any, path: Place) -> Any:
    """What stands at a path; None where nothing does."""
    for part in path:
        if isinstance(data, Mapping):
            data = data.get(part)
        else:
            data = (
                data[part] if isinstance(data, list) and isinstance(part, int) and part < len(data) else None
            )
    return data


def changed(data: Any, path: Place, value: Any) -> Any:
    """The data with another value at a path, or without what stands there."""
    if not path:
        return value
    key, inside = path[0], changed(at(data, path[:1]), path[1:], value)
    if isinstance(data, list) and isinstance(key, int):
        return [*data[:key], inside, *data[key + 1 :]]
    entries = {**(data if isinstance(data, Mapping) else {}), key: inside}
    return {name: one for name, one in entries.items() if one is not LEFT_OUT}


def keys(value: Any) -> Collection[Any]:
    """The keys of a table; none where it is no table."""
    return value.keys() if isinstance(value, Mapping) else ()


def texts(value: Any, but: Collection[str] = ()) -> list[str]:
    """The texts in a value, but for those of some keys."""
    if isinstance(value, Mapping):
        some = [one for key, one in value.items() if isinstance(one, Mapping) or key not in but]
        return [text for one in some for text in texts(one, but)]
    if isinstance(value, list):
        return [text for one in value for text in texts(one, but)]
    return [value] if isinstance(value, str) else []


def words(value: Any) -> set[str]:
    """The words of the texts in a value."""
    return {word for text in texts(value) for word in re.findall(r"[A-Za-z_][\w-]*", text)}


def letters(text: str) -> Sequence[str]:
    """The names in a formula; of what is none the words in it that are called as no function."""
    try:
        return formulas.names(text)
    except formulas.FormulaError:
        return re.findall(r"[A-Za-z_]\w*\b(?!\s*\()", text)
