"""Where a problem file is set: its databases, their neighbours, and maps on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcompose.kernel.expressions.terms import Term
from dpcompose.privacy.format.checks import Mistakes, Place
from dpcompose.privacy.format.database_tables import DatabasesTable
from dpcompose.privacy.format.input_tables import MapTable, PartitionTable, ReadsTable
from dpcompose.privacy.format.neighbourhoods import GranularityTable
from dpcompose.privacy.readers.databases import databases_of
from dpcompose.privacy.readers.granularities import Granularities
from dpcompose.privacy.readers.inputs import Inputs
from dpcompose.privacy.readers.maps import maps_of
from dpcompose.privacy.readers.names import Names
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.granularities import Granularity


class Space:
    """A class of databases of a file, with its granularities and maps, and what is read of it.

    databases, given, maps, partitions -- the tables of the file: the class, granularities, and the rest;
    parameters -- what counts in them mean; mistakes -- where they are told, and what users added.
    """

    def __init__(
        self,
        databases: DatabasesTable,
        granularities: Mapping[str, GranularityTable],
        maps: Mapping[str, MapTable],
        partitions: Mapping[str, PartitionTable],
        parameters: Names,
        mistakes: Mistakes,
    ) -> None:
        self.parameters, self.mistakes = parameters, mistakes
        self.databases = databases_of(databases, mistakes, parameters)
        self._granularities: Granularities | None = None
        self._inputs: Inputs | None = None
        self.maps: Mapping[str, Map] = {}
        if self.databases is not None:
            self.maps = maps_of(self.databases, maps, granularities, mistakes)
            self._inputs = Inputs(databases, self.databases, self.maps, partitions, parameters, mistakes)
            self._granularities = Granularities(
                self.databases, granularities, parameters, mistakes, self._inputs.partition
            )

    @property
    def granularities(self) -> Mapping[str, Granularity]:
        """Those that have a name."""
        return {} if self._granularities is None else self._granularities.by_name

    def granularity(self, given: str | dict[str, Any], path: Place) -> Granularity | None:
        """The granularity that a file names."""
        if self._granularities is not None:
            with self.mistakes.telling(path):
                return self._granularities.named(given, path)
        return None

    def reads(
        self, given: ReadsTable, path: Place, index: str | None = None, count: Term | None = None
    ) -> Map | None:
        """What a mechanism reads."""
        if self._inputs is not None:
            with self.mistakes.telling(path):
                return self._inputs.map(given, path, index, count)
        return None
