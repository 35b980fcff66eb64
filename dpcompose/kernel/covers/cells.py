"""Covers of products of cells: neighbours that differ in a largest set of cells move every input furthest.

The canonical metric is the fewest blocks that cover the cells in which two databases differ, on what is read
as well: there the blocks are those cells of theirs that are read.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpcompose.kernel.covers.blocks import fewest_blocks, largest_unions
from dpcompose.kernel.covers.types import LARGEST, Cover, Covering, NoCover, Type, query_metric
from dpcompose.kernel.settings import Mechanism
from dpcompose.kernel.terms import INFINITY, ONE, ZERO, Term, number


class Cells(Covering):
    procedure = "blocks"

    def cover(self) -> Cover:
        setting = self.setting
        every = frozenset(range(setting.databases.count))
        kept = [[every if one is None else frozenset(one) for one in m.reads] for m in setting.mechanisms]
        signature: dict[int, tuple[int, ...]] = {}
        flat = [one for some in kept for one in some]
        for cell in every:
            signature[cell] = tuple(n for n, one in enumerate(flat) if cell in one)
        target = setting.target
        if target.any_two:
            changes = [every] if every else []
        else:
            changes = largest_unions(target.blocks, target.steps, signature, LARGEST)
        if sum(map(len, changes)) > LARGEST:
            raise NoCover("neighbours change too many cells to write down; smaller databases would do")
        metrics = [self.metric_pages(one) for one in setting.mechanisms]
        types = [self.type(one, kept) for one in sorted(changes, key=lambda one: (len(one), sorted(one)))]
        return self.of_types(types, len(types), metrics)

    def metric_pages(self, mechanism: Mechanism) -> tuple[str, ...]:
        if mechanism.noise is not None:
            return query_metric(mechanism, self.theory).pages
        assert mechanism.stated is not None
        if mechanism.stated.any_two:
            return self.grouped([self.any_two()], mechanism.stated.steps)
        page = self.fact(lambda page: page.head.form == "fewest blocks that cover", "the metric by blocks")
        return self.grouped([page], mechanism.stated.steps)

    def type(self, changed: frozenset[int], kept: Sequence[Sequence[frozenset[int]]]) -> Type:
        moved, entries = [], dict[int, tuple[Term, ...]]()
        for i, mechanism in enumerate(self.setting.mechanisms, start=1):
            for one in kept[i - 1]:
                if (r := self.distance(mechanism, changed & one, one)) != ZERO:
                    moved.append((i, r))
                    if mechanism.noise is not None:
                        count = len(changed & one)
                        entries[i] = query_metric(mechanism, self.theory).entries(count, count)
        return Type(self.gathered(moved), frozenset(), tuple(sorted(changed)), tuple(entries.items()))

    def distance(self, mechanism: Mechanism, changed: frozenset[int], kept: frozenset[int]) -> Term:
        if not changed:
            return ZERO
        if mechanism.noise is not None:
            return query_metric(mechanism, self.theory).at(len(changed), len(changed))
        stated = mechanism.stated
        assert stated is not None
        if stated.any_two:
            return ONE
        inside = {one & kept for one in stated.blocks}
        steps = fewest_blocks([one for one in inside if one], changed)
        return INFINITY if steps is None else number(-(-steps // stated.steps))
