"""What is drawn of a study: a class of few databases, and as many members of families as show something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcompose.front.documents.verdict import Verdict
from dpcompose.privacy.settings import Setting, members
from dpcompose.spaces.canonical.graphs import neighbourhood_graph
from dpcompose.spaces.classes.databases import Database, DatabaseClass, TooLarge
from dpcompose.spaces.classes.sizes import Size
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    from networkx import Graph

    from dpcompose.front.studies.study import Study


MOST_DRAWN = 120
"""The most databases of a picture: beyond, nothing can be read."""


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
    counterexample = highlight.counterexample if isinstance(highlight, Verdict) else None
    point = counterexample.point if counterexample is not None else {}
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
    return neighbours_of(setting.databases, setting.target, size, pair)


def neighbours_of(
    databases: DatabaseClass, target: Granularity, size: str | None, pair: tuple[Database, ...]
) -> tuple[Graph, str, str]:
    """The same of a class and its neighbours."""
    drawn = databases
    count = databases.count()
    if size is not None or count is None or count > MOST_DRAWN:
        drawn = databases.excerpt(*pair, sizes=None if size is None else Size.read(size))
        if (drawn.count() or 0) > MOST_DRAWN:
            raise TooLarge(
                f"{drawn}: {drawn.count():,} databases make no picture that can be read; "
                f"up to {MOST_DRAWN} are drawn. A smaller size would do"
            )
    about = f"{target} neighbours, {drawn}"
    return neighbourhood_graph(drawn, target), about, "" if drawn == databases else str(databases)
