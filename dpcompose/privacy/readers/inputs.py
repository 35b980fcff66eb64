"""What mechanisms of problem files read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dpcompose.kernel.core.contributions import is_count
from dpcompose.kernel.expressions import formulas as kernel
from dpcompose.kernel.expressions.terms import ONE, Term
from dpcompose.language import formulas
from dpcompose.privacy.format.checks import Mistakes, Place, Wrong, near, shown, under
from dpcompose.privacy.format.database_tables import DatabasesTable, plain
from dpcompose.privacy.format.input_tables import PartitionTable, ReadsTable
from dpcompose.privacy.readers.names import Names
from dpcompose.spaces.classes.databases import DatabaseClass
from dpcompose.spaces.inputs.attributed import Where, between, columns, where
from dpcompose.spaces.inputs.deals import random_part
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.inputs.parts import Part
from dpcompose.spaces.inputs.reading import EachVertex, among, vertex
from dpcompose.spaces.inputs.restrictions import positions, restriction

MOST_PARTS = 12
"""In how many overlapping parts a record may be at most."""


class Inputs:
    """What mechanisms of a problem file read of its databases.

    stated, databases -- the class, as the file has it and as it is; maps -- those of the file by name;
    partitions -- the tables of the file; parameters -- what the numbers of parts mean; mistakes -- where
    they are told.
    """

    def __init__(
        self,
        stated: DatabasesTable,
        databases: DatabaseClass,
        maps: Mapping[str, Map],
        partitions: Mapping[str, PartitionTable],
        parameters: Names,
        mistakes: Mistakes,
    ) -> None:
        self.stated, self.databases, self.maps = stated, databases, maps
        self.partitions, self.parameters, self.mistakes = partitions, parameters, mistakes

    def map(self, given: ReadsTable, path: Place, index: str | None, count: Term | None) -> Map:
        """The map to what is read.  Raises Wrong where there is none.

        index, count -- of a family: what its members are numbered by, and how many there are.
        """
        if given.part is not None:
            return self._part(given, path, index)
        if given.random_part is not None:
            return self._random_part(given, path, index)
        if given.records is not None:
            return self._records(given.records, (*path, "records"))
        if given.positions is not None:
            return self._positions(given.positions, (*path, "positions"))
        if given.window is not None:
            return self._window(given.window, (*path, "window"))
        if given.users is not None:
            return self._of_users(given.users, (*path, "users"))
        if given.where is not None:
            wanted = {name: plain(values) for name, values in given.where.items()}
            return self._fitting(where(wanted), (*path, "where"))
        if given.between is not None:
            return self._between(given.between, (*path, "between"))
        if given.attributes is not None:
            return self._columns(given.attributes, (*path, "attributes"))
        if isinstance(given.vertex, str):
            return self._each_vertex(given.vertex, (*path, "vertex"), index, count)
        if given.vertex is not None:
            return vertex(given.vertex)
        if given.vertices is not None:
            return among(*given.vertices)
        if given.map not in self.maps:
            there = near(given.map, tuple(self.maps))
            raise Wrong((*path, "map"), f"there is no map {shown(given.map)}{there}")
        return self.maps[str(given.map)]

    def _records(self, records: Sequence[str], path: Place) -> Map:
        """Some records."""
        of = self.stated
        if of.kind not in ("multisets", "sets", "sequences"):
            fitting = {"listed": "a listed class has no records; read a map of your own"}
            said = f"{of.kind} are not restricted to records; read positions"
            raise Wrong(path, fitting.get(of.kind, said))
        if of.numbers:
            raise Wrong(path, 'records are numbers here, which are read in ranges: { between = "[0, 10)" }')
        for record in records:
            if of.named is not None and record not in of.named:
                self.mistakes.wrong(
                    path, f"{shown(record)} is no record of the class{near(record, of.named)}"
                )
        return restriction(records)

    def _positions(self, given: Sequence[int], path: Place) -> Map:
        """The records at some positions."""
        if not self.databases.identified:
            raise Wrong(path, "positions are about tuples, streams and tables")
        return positions(*given)

    def _fitting(self, chosen: Where, path: Place) -> Map:
        """The records whose attributes have some values, or lie in some ranges."""
        if why := chosen.unfit(self.databases):
            raise Wrong(path, why)
        return chosen

    def _between(self, ranges: object, path: Place) -> Map:
        """The records that lie in some ranges."""
        if self.stated.numbers:
            return self._fitting(between(ranges), path)
        raise Wrong(
            path,
            'ranges are read where records are numbers, records = { integers = "all" }; of an attribute with '
            'numbers: where = { age = { between = "[18, 65)" } }',
        )

    def _columns(self, attributes: Sequence[str], path: Place) -> Map:
        """Some attributes of all records."""
        if not (self.databases.of_attributes or self.databases.twice):
            raise Wrong(path, "attributes are about tables, and multisets with attributes")
        with under(path):
            return columns(self.databases, *attributes)

    def _window(self, given: Sequence[int], path: Place) -> Map:
        """The time steps, or positions, from the first to the last."""
        databases, (first, last) = self.databases, given
        if not databases.identified:
            raise Wrong(path, "windows are about streams, tuples and tables")
        if first > last or not (last <= (databases.sizes.fewest or 0)):
            raise Wrong(path, f'a window is [first, last], inside of all databases (size = "= {max(given)}")')
        return positions(*range(first, last + 1))

    def _each_vertex(self, given: str, path: Place, index: str | None, count: Term | None) -> Map:
        """The vertex i of a family, i being its index."""
        if index is None or given != index or count is None:
            wanted = f'vertex = "{index}"' if index else 'a number, or a family: index = "i" and count'
            raise Wrong(path, f"vertex {shown(given)} is none; it needs {wanted}")
            return None
        return EachVertex(parts=formulas.to_text(count))

    def _of_users(self, users: Sequence[str], path: Place) -> Map:
        """The positions of some users."""
        owners = self.databases.owners
        for name in users:
            if name not in owners:
                raise Wrong(path, f"there is no user {shown(name)}{near(name, dict.fromkeys(owners))}")
        return positions(*(at for at, owner in enumerate(owners, start=1) if owner in users))

    def _part(self, given: ReadsTable, path: Place, index: str | None) -> Map:
        """The i-th part of a partition, i being the index of the family."""
        part = self.partition(str(given.of), (*path, "of"))
        if index is None or given.part != index:
            wanted = f'part = "{index}"' if index else 'a family: index = "i" and count'
            raise Wrong((*path, "part"), f"part {shown(given.part)} of a partition needs {wanted}")
        return part

    def partition(self, name: str, path: Place) -> Part:
        """The map to the i-th part of a partition of the file.  Raises Wrong where there is none."""
        if name not in self.partitions:
            raise Wrong(path, f"there is no partition {shown(name)}{near(name, tuple(self.partitions))}")
        stated, at = self.partitions[name], ("partitions", name)
        with under((*at, "parts")):
            parts = kernel.parse(stated.parts, self.parameters.symbols)
        kind = self.stated.kind
        if (stated.kind == "order-based") == (kind in ("multisets", "sequences")):
            raise Wrong(
                (*at, "kind"),
                "record-wise partitions and overlapping parts divide multisets and sequences, order-based "
                f"ones tuples and streams, not {kind}",
            )
        most = self._most(stated.at_most, (*at, "at-most"))
        return Part(name, formulas.to_text(parts), kind, most)

    def _random_part(self, given: ReadsTable, path: Place, index: str | None) -> Map:
        """What is dealt to the i-th of some inputs, i being the index of the family."""
        if index is None or given.random_part != index:
            wanted = f'random-part = "{index}"' if index else 'a family: index = "i" and count'
            raise Wrong((*path, "random-part"), f"a random part {shown(given.random_part)} needs {wanted}")
        return random_part(self.parameters.counted(str(given.of), (*path, "of")))

    def _most(self, text: str | None, path: Place) -> Term:
        """In how many parts a record is at most."""
        if text is None:
            return ONE
        term = self.parameters.counted(text, path)
        if not (is_count(term) and (term.number or 1) <= MOST_PARTS):
            raise Wrong(
                path, f"at-most is a whole number from 1 to {MOST_PARTS}, or a letter for one, not {text}"
            )
        return term
