"""What is drawn of a study: a class of few databases, and as many members of families as show something."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from dpcompose.front.verdict import Verdict
from dpcompose.privacy.settings import Setting, members
from dpcompose.spaces.databases import Database, DatabaseClass, TooLarge
from dpcompose.spaces.graphs import neighbourhood_graph
from dpcompose.spaces.multisets import Multisets
from dpcompose.spaces.sequences import Sequences
from dpcompose.spaces.sizes import Size
from dpcompose.spaces.subsets import Graphs, Sets, VaryingGraphs
from dpcompose.spaces.tuples import Tuples

if TYPE_CHECKING:
    from networkx import Graph

    from dpcompose.front.study import Study


SMALL_GRAPH = 3
"""Of how many vertices graphs are drawn, where there is no number."""
MOST_DRAWN = 120
"""The most databases of a picture: beyond, nothing can be read."""


SMALL = 2
"""Up to which size databases of a large or infinite class are drawn, unless another size is asked for."""


MOST_MEMBERS = 1_000
"""The most members of a family that are drawn."""


def written_out(study: Study, highlight: object) -> Setting:
    """The setting with families written out: for a counterexample as many members as it has, else two."""
    setting = study.judge.for_neighbours("a picture").setting
    if open_ := sorted(setting.target.parameters):
        raise TooLarge(
            f"{setting.target} neighbours make no picture: say numbers for {', '.join(open_)} in a study of "
            "its own"
        )
    if not setting.families:
        return setting
    counts = {str(m.count): m.count for m in setting.mechanisms if m.count is not None}
    found = highlight.counterexample if isinstance(highlight, Verdict) else None
    point = found.point if found is not None else {}
    least = {name: int(setting.domains[name].least or 1) for name in counts if name in setting.domains}
    sizes = {name: int(point.get(name, max(2, k))) for name, k in least.items()}
    fixed = {name: int(name) for name in counts if name not in least}
    if max(fixed.values(), default=0) > MOST_MEMBERS:
        raise TooLarge(
            f"{max(fixed.values()):,} mechanisms are too many to draw; up to {MOST_MEMBERS:,} would do"
        )
    return members.written_out(setting, sizes | fixed)[0]


def graph_of(setting: Setting, size: str | None, pair: tuple[Database, ...]) -> tuple[Graph, str, str]:
    """The neighbourhood graph of a setting, what it is, and what it is a small part of, if it is that."""
    databases = drawn = setting.databases
    count = databases.count()
    if size is not None or count is None or count > MOST_DRAWN:
        drawn = _part_of(databases, size, pair)
        if (drawn.count() or 0) > MOST_DRAWN:
            raise TooLarge(
                f"{drawn}: {drawn.count():,} databases make no picture that can be read; "
                f"up to {MOST_DRAWN} are drawn. A smaller size would do"
            )
    about = f"{setting.target} neighbours, {drawn}"
    return neighbourhood_graph(drawn, setting.target), about, "" if drawn == databases else str(databases)


def _part_of(databases: DatabaseClass, size: str | None, pair: tuple[Database, ...]) -> DatabaseClass:
    """A finite class of a few databases: of an arbitrary universe the named records or vertices, and some."""
    if isinstance(databases, Graphs) and databases.arbitrary:
        named = databases.holding(*pair).vertices
        others = (v for v in range(1, len(named) + SMALL_GRAPH + 1) if v not in named)
        return Graphs((*named, *islice(others, max(0, SMALL_GRAPH - len(named)))))
    if isinstance(databases, VaryingGraphs) and databases.labels is None:
        return VaryingGraphs(max([SMALL_GRAPH, *(v for D in pair for v in databases.vertices(D))]))
    if not isinstance(databases, Multisets | Tuples | Sets | Sequences):
        return databases
    if size is not None:
        sizes = Size.read(size)
    elif databases.sizes.exactly:
        sizes = databases.sizes
    else:
        small, most = max([SMALL, *map(databases.size, pair)]), databases.sizes.n
        least = databases.sizes.least
        sizes = Size(max(least + 1, small if most is None else min(small, most)), least=least)
    spare = databases.spare
    if isinstance(databases, Tuples) and len(databases.records) > 1:
        spare = ()
    return replace(databases, records=(*databases.records, *spare), sizes=sizes, arbitrary=False)
