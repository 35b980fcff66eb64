"""The granularities of problem files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dpcompose.privacy.format.checks import Mistakes, Place, Wrong, near, shown, under
from dpcompose.privacy.format.neighbourhoods import GranularityTable
from dpcompose.privacy.readers.names import Names
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.classes.listed import Listed
from dpcompose.spaces.inputs.parts import Part
from dpcompose.spaces.moves.built_in import BUILT_IN, unbounded
from dpcompose.spaces.moves.changes import w_event
from dpcompose.spaces.moves.contributions import contribution
from dpcompose.spaces.moves.granularities import Granularity
from dpcompose.spaces.moves.groups import group
from dpcompose.spaces.moves.larger import within_any_size
from dpcompose.spaces.moves.placed import InParts
from dpcompose.spaces.moves.policies import by_edges, policy
from dpcompose.spaces.moves.relations import pairs
from dpcompose.spaces.moves.unions import union


class Granularities:
    """The granularities of a problem file: built-in ones, its own, and those that are made of others.

    databases -- the class that they are on; given -- the tables of the file; parameters -- what counts in
    them mean; mistakes -- where they are told, and what users added; partition -- the map to the parts of a
    partition of the file, by its name.

    >>> from dpcompose.spaces.classes.multisets import multisets
    >>> mistakes = Mistakes()
    >>> known = Granularities(multisets(["a", "b"]), {}, Names({}, (), mistakes), mistakes)
    >>> known.named({"group": 2, "of": "bounded"}, ("target", "granularity"))
    group of 2 bounded neighbours
    >>> known.named("bonded", ("target", "granularity"))
    Traceback (most recent call last):
    dpcompose.privacy.format.checks.Wrong: there is no granularity 'bonded'; did you mean 'bounded'?
    """

    def __init__(
        self,
        databases: DatabaseClass,
        given: Mapping[str, GranularityTable],
        parameters: Names,
        mistakes: Mistakes,
        partition: Callable[[str, Place], Part] | None = None,
    ) -> None:
        self.parameters, self.mistakes, self.partition = parameters, mistakes, partition
        self.by_name: dict[str, Granularity] = {}
        self.by_name = self._all(databases, given)

    def _all(
        self, databases: DatabaseClass, stated: Mapping[str, GranularityTable]
    ) -> dict[str, Granularity]:
        """The built-in granularities that the class has, those of users, and those of the tables."""
        own = dict(self.mistakes.own.granularities)
        for name, given in stated.items():
            if given.made:
                continue
            path = ("granularities", name)
            if not self._is_free(name):
                pass
            elif given.neighbours is None:
                own |= self._policy(name, given, databases, path)
            elif not databases.is_listed:
                self.mistakes.wrong(
                    path,
                    "a granularity of your own that lists neighbours needs a listed class; on records it is "
                    "a policy, with replace and add-remove",
                )
            else:
                self._members(databases, given.neighbours, (*path, "neighbours"))
                own[name] = pairs(name, ((D, E) for D, E in given.neighbours))
        self.by_name = own | BUILT_IN
        if databases.is_listed:  # whose databases have no records
            self.by_name = own | {
                name: granularity
                for name, granularity in BUILT_IN.items()
                if not granularity.unfit(databases)
            }
        for name, given in stated.items():
            if given.made and self._is_free(name):
                self.by_name |= {name: unbounded}  # where it is wrong nothing more is said of it
                with self.mistakes.telling(path := ("granularities", name)):
                    self.by_name |= {name: self._made(given.made, path)}
                    if why := self.by_name[name].unfit(databases):
                        raise Wrong(path, why)
        return self.by_name

    def _is_free(self, name: str) -> bool:
        """Whether nothing else is called so, which is told where something is."""
        path = ("granularities", name)
        if name in BUILT_IN:
            self.mistakes.wrong(path, f"{name} is a built-in granularity; call yours by another name")
        elif name in self.mistakes.own.granularities:
            self.mistakes.wrong(path, f"{name} was added in Python already; call this one by another name")
        else:
            return True
        return False

    def _policy(
        self, name: str, given: GranularityTable, databases: DatabaseClass, path: Place
    ) -> dict[str, Granularity]:
        """A policy on records."""
        with self.mistakes.telling(path):
            if given.partition and self.partition is not None:
                part = self.partition(given.partition, (*path, "replace", "within"))
                told = by_edges(name, InParts(frozenset(), part), given.add_remove or ())
            else:
                told = policy(name, given.replaced or (), given.add_remove or ())
            granularity = told.on(databases)
            if why := granularity.unfit(databases):
                self.mistakes.wrong(path, why)
            return {name: granularity}
        return {name: unbounded}  # nothing more is said of what is called so

    def _members(self, databases: DatabaseClass, listed: list[list[str]], path: Place) -> None:
        """Neighbours that are listed are databases of the class."""
        elements = [str(D) for D in databases.databases()]
        for D in dict.fromkeys(D for pair in listed for D in pair):
            if D not in databases:
                self.mistakes.wrong(path, f"{shown(D)} is no database of the class{near(D, elements)}")

    def named(self, given: str | dict[str, Any], path: Place) -> Granularity:
        """The granularity that a file names, or makes of others.  Raises Wrong."""
        if isinstance(given, dict):
            return self._made(given, path)
        if given in self.by_name:
            return self.by_name[given]
        if given in BUILT_IN:
            raise Wrong(path, f"{BUILT_IN[given].unfit(Listed(('',)))}; name one of your own")
        there = near(given, dict.fromkeys((*self.by_name, *BUILT_IN)))
        raise Wrong(path, f"there is no granularity {shown(given)}{there}")

    def _made(self, given: Mapping[str, Any], path: Place) -> Granularity:
        """A window, a contribution, a group, steps of a larger class or a union."""
        inner = given.get("union", [given["of"]] if "of" in given else [])
        granularities = [self.named(name, path) for name in inner]
        with under(path):
            if "w-event" in given:
                return w_event(given["w-event"])
            if "contribution" in given:
                return self._contribution(given["contribution"], path)
            if "within" in given:
                return within_any_size(given["steps"], *granularities)
            if "union" in given:
                return union(*granularities)
            m = given["group"]
            return group(m if isinstance(m, int) else self.parameters.counted(m, path), *granularities)

    def _contribution(self, given: Mapping[str, Any], path: Place) -> Granularity:
        """What a person contributes: names that are not listed are made here."""
        parts, rows = (self.parameters.counted(str(given[key]), path) for key in ("parts", "rows"))
        return contribution(parts, rows, given.get("replaced", False))
