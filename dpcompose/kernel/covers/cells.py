"""Covers of products of cells: neighbours that differ in a largest set of cells move every input furthest.

The canonical metric is the fewest blocks that cover the cells in which two databases differ, on what is read
as well: there the blocks are those cells of theirs that are read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from functools import cached_property

from dpcompose.kernel.core.settings import Mechanism
from dpcompose.kernel.covers.blocks import Block, by_cell, fewest_blocks, largest_unions, maximal
from dpcompose.kernel.covers.covering import Covering, Metric, Reader
from dpcompose.kernel.covers.queries import query_metric
from dpcompose.kernel.covers.types import LARGEST, Cover, NoCover, Type
from dpcompose.kernel.expressions.terms import INFINITY, ONE, Term, number


class Cells(Covering):
    procedure = "blocks"

    def cover(self) -> Cover:
        types = [self.of_changed(numbers) for numbers in self.changes()]
        return self.of_types(types, len(types), self.pages_of(self.metrics))

    def changes(self) -> list[Block]:
        """The largest sets of cells in which neighbours differ, one of those that can be exchanged."""
        target, every = self.setting.target, frozenset(range(self.setting.databases.count))
        if target.any_two:
            changes = [every] if every else []
        else:
            changes = largest_unions(target.blocks, target.steps, lambda cell: self.roles[cell], LARGEST)
        if sum(map(len, changes)) > LARGEST:
            raise NoCover("neighbours change too many cells to write down; smaller databases would do")
        return sorted(changes, key=lambda change: (len(change), sorted(change)))

    @property
    def enough_steps(self) -> Term:
        """The fewest blocks that change all cells that any number of them can change."""
        blocks = self.setting.target.blocks
        return number(fewest_blocks(by_cell(blocks), frozenset[int]().union(*blocks)) or 0)

    @cached_property
    def kept(self) -> dict[Reader, Block]:
        """The cells that are read."""
        every = frozenset(range(self.setting.databases.count))
        return {
            reader: every if numbers is None else frozenset(numbers)
            for reader, numbers in self.readers().items()
        }

    @cached_property
    def inside(self) -> dict[Reader, list[Block]]:
        """Where a guarantee is stated for blocks, the largest of them on what is read."""
        found = {}
        for (i, part), kept in self.kept.items():
            stated = self.setting.mechanisms[i - 1].stated
            if stated is not None and not stated.any_two:
                found[i, part] = maximal(block & kept for block in stated.blocks)
        return found

    @cached_property
    def holding(self) -> dict[Reader, dict[int, list[Block]]]:
        """The same for each cell: the blocks that hold it."""
        return {reader: by_cell(blocks) for reader, blocks in self.inside.items()}

    @cached_property
    def roles(self) -> dict[int, tuple[Hashable, ...]]:
        """What there is to say of each cell: who reads it, and in which blocks it lies there with others.

        Cells of which the same is said can be exchanged, and all distances stay the same.
        """
        found: dict[int, list[Hashable]] = {cell: [] for cell in range(self.setting.databases.count)}
        for reader, kept in self.kept.items():
            holding: dict[int, list[int]] = {}
            for n, numbers in enumerate(self.inside.get(reader, ())):
                for cell in numbers:
                    holding.setdefault(cell, []).append(-1 if len(numbers) == 1 else n)
            for cell in kept:
                found[cell].append((reader, *holding.get(cell, ())))
        return {cell: tuple(some) for cell, some in found.items()}

    @cached_property
    def metrics(self) -> dict[Reader, Metric]:
        """For all that is read the pages of its metric, and how far a query's value moves."""
        return {reader: self.metric(self.setting.mechanisms[reader[0] - 1]) for reader in self.kept}

    def metric(self, mechanism: Mechanism) -> Metric:
        if mechanism.noise is not None:
            return query_metric(mechanism, self.theory)
        assert mechanism.stated is not None
        if mechanism.stated.any_two:
            return Metric((self.any_two(),), lambda removed, added: ONE, discrete=True)
        page = self.fact(lambda page: page.head.form == "fewest blocks that cover", "the metric by blocks")
        return Metric(self.grouped([page], mechanism.stated.steps), lambda removed, added: INFINITY)

    @cached_property
    def reading(self) -> dict[int, list[Reader]]:
        """Who reads a cell."""
        found: dict[int, list[Reader]] = {cell: [] for cell in range(self.setting.databases.count)}
        for reader, kept in self.kept.items():
            for cell in kept:
                found[cell].append(reader)
        return found

    def of_changed(self, changed: Block) -> Type:
        """The type of neighbours that differ in some cells."""
        read: dict[Reader, list[int]] = defaultdict(list)
        for cell in changed:
            for reader in self.reading[cell]:
                read[reader].append(cell)
        moved = []
        for reader, here in read.items():
            entries = self.metrics[reader].entries(len(here), len(here))
            moved.append((reader, self.distance(reader, frozenset(here)), entries))
        return self.type(moved, tuple(sorted(changed)))

    def distance(self, reader: Reader, changed: Block) -> Term:
        """How far an input moves where some of its cells change."""
        stated = self.setting.mechanisms[reader[0] - 1].stated
        if reader not in self.inside or stated is None:
            return self.metrics[reader].at(len(changed), len(changed))
        steps = fewest_blocks(self.holding[reader], changed)
        return INFINITY if steps is None else number(-(-steps // stated.steps))
