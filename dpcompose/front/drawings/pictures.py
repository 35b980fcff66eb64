"""Pictures: neighbourhood graphs, databases in layers and neighbours joined.

What is drawn can be told apart without colour: by signs, shades and the dashes of lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpcompose.front.documents.verdict import Verdict
from dpcompose.front.drawings import vectors
from dpcompose.front.drawings.drawn import MOST_DRAWN, graph_of, neighbours_of, written_out
from dpcompose.front.drawings.frames import DotPicture, Picture
from dpcompose.front.studies.study import Study
from dpcompose.spaces.classes.databases import Database, DatabaseClass, TooLarge
from dpcompose.spaces.classes.listed import is_graph
from dpcompose.spaces.given import neighbours
from dpcompose.spaces.inputs.maps import Map
from dpcompose.spaces.moves.granularities import Granularity

if TYPE_CHECKING:
    from networkx import Graph


HIGHLIGHT = "#d55e00"

SHADES = ("#ffffff", "#d9d9d9", "#a6a6a6", "#737373", "#404040", "#000000")
"""The fill of databases by their distance: lighter is nearer; the last for all that are further."""

COLOURS = ("#ffffff", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#cc79a7", "#0072b2")
LINES: Sequence[tuple[str, Sequence[float]]] = (
    ("#999999", (1, 2)),
    ("#888888", ()),
    ("#000000", (5, 2)),
    ("#000000", (5, 2, 1, 2)),
    ("#0072b2", (8, 2, 1, 2, 1, 2)),
    ("#d55e00", (2, 1)),
)
"""Colour and dashes of lines: of two neighbours, by how many inputs change (3: three or more), or which."""

DOT_SHAPES = ("circle", "box", "triangle", "diamond", "invtriangle", "pentagon", "hexagon", "octagon")
DOT_LINES = ("dotted", "solid", "dashed", "bold")
By = Map | Callable[[Any], Any] | Mapping[str, Map] | Sequence[Map]


def draw(
    what: Graph | Study | DatabaseClass,
    by: By | Granularity | str | None = None,
    *,
    highlight: Verdict | tuple[Database, Database] | None = None,
    size: str | None = None,
    distances_from: Database | None = None,
) -> Picture:
    """The neighbourhood graph: databases in layers by size, neighbours joined, as SVG.

    What a line says shows where the mouse is on it.  Up to thirty databases are drawn one by one; of more
    each layer is one node.

    what -- a networkx graph of databases, a study (its databases and target neighbours), or a class, with
    its neighbours after it: draw(D, dpcompose.bounded);
    by -- what colours and markers say: the value of a map or function, or of several restrictions
    (a list, or a mapping from names) which of them see a record; of a study what its mechanisms
    read, if nothing else is said.  The line of two neighbours says how many of the study's inputs
    change, or which, or without a study of these values;
    highlight -- two databases, or a refuted verdict with its counterexample;
    size -- what is drawn of a study on multisets, tuples or streams, "<= 2" or "= 3"; of a class that is not
    finite a small part is drawn, and the picture says so;
    distances_from -- a database: the others are shaded by how many steps lead there.

    Raises TooLarge beyond 120 databases, ValueError where what is marked is not drawn.

    >>> import dpcompose as dpc
    >>> draw(dpc.multisets({"a", "b"}, size="<= 1"), dpc.unbounded)
    neighbourhood graph of 3 databases and 2 neighbouring pairs
    """
    return _drawing(what, by, highlight, size, distances_from).picture()


def to_dot(
    what: Graph | Study | DatabaseClass,
    by: By | Granularity | str | None = None,
    *,
    highlight: Verdict | tuple[Database, Database] | None = None,
    size: str | None = None,
    distances_from: Database | None = None,
) -> str:
    """The same graph in the DOT language, for Graphviz: shapes and line styles as in `draw`.

    what, by, highlight, size, distances_from -- as for `draw`; raises what that raises.

    >>> import dpcompose as dpc
    >>> graph = dpc.neighbourhood_graph(dpc.multisets("a", size="<= 1"), dpc.unbounded)
    >>> print(to_dot(graph), end="")
    graph {
      "∅" [shape=circle];
      "a" [shape=circle];
      "∅" -- "a" [style=solid];
    }
    """
    return _drawing(what, by, highlight, size, distances_from).dot()


def dot_picture(study: Study, **more: Any) -> DotPicture:
    """The same of a study, with what it shows in words."""
    drawing = _drawing(study, None, more["highlight"], more["size"], more["distances_from"])
    return DotPicture(drawing.dot(), drawing.words())


def _drawing(
    what: Graph | Study | DatabaseClass,
    by: By | Granularity | str | None,
    highlight: Verdict | tuple[Database, Database] | None,
    size: str | None,
    start: Database | None,
) -> _Drawing:
    pair = _pair(highlight)
    inputs: Mapping[str, Map] = {}
    if isinstance(by, str) and Path(by).suffix:
        raise TypeError(f"a picture is written by its own save: draw(...).save({by!r})")
    if isinstance(what, Study):
        setting = written_out(what, highlight)
        graph, about, part_of = graph_of(setting, size, pair)
        if setting is not what.setting:
            about += f", {len(setting.mechanisms)} mechanisms"
        inputs = {
            mechanism.name: mechanism.reads for mechanism in setting.mechanisms if not mechanism.reads.dealt
        }
    elif isinstance(what, DatabaseClass) and isinstance(by, Granularity | str):
        graph, about, part_of = neighbours_of(what, neighbours(by), size, pair)
        by = None
    elif not is_graph(what):
        raise TypeError(
            "what is drawn is a study, a graph, or a class with its neighbours, draw(D, dpcompose.bounded), "
            f"not {what!r}; what is drawn of a verdict is outcome_bars(verdict)"
        )
    else:
        graph, about, part_of = what, "", ""
    nodes = list(graph.nodes)
    if len(nodes) > MOST_DRAWN:
        raise TooLarge(
            f"{len(nodes):,} databases make no picture that can be read; up to {MOST_DRAWN} are drawn. "
            "A smaller size or fewer records would do"
        )
    start = _start_of(start, graph)
    for D in pair:
        if D not in graph:
            raise ValueError(f"{_label(D)} is to be highlighted, but it is not drawn")
    if by is None:  # of who reads everything there is no more to say than the label of the database
        by = {} if all(f.is_everything for f in inputs.values()) else inputs
    return _Drawing(graph, about, pair, _named(by), inputs, part_of, start)


def _start_of(start: Database | None, graph: Graph) -> Database | None:
    """The database that distances are from, as it is in the graph: also a list, or a multiset unsorted."""
    if start is None:
        return None
    databases: list[Database] = [start]
    if isinstance(start, list | tuple):
        databases = [tuple(start), tuple(sorted(start)), *start[:1]]
    for D in databases:
        if D in graph:
            return D
    raise ValueError(f"distances are to start at {_label(databases[0])}, but it is not drawn")


def _pair(highlight: Verdict | tuple[Database, Database] | None) -> tuple[Database, ...]:
    if isinstance(highlight, Verdict):
        return highlight.counterexample.pair if highlight.counterexample else ()
    return tuple(highlight) if highlight is not None else ()


def _label(D: Any, databases: DatabaseClass | None = None) -> str:
    """A database in a picture: aab for a multiset or tuple of one-letter records.

    databases -- a class that says of what its databases are made: 1-2, 2-3 for a graph.
    """
    shown = D if databases is None or databases.is_listed or D not in databases else databases.show(D)
    D = tuple(shown) if isinstance(shown, list) else D
    if not (isinstance(D, tuple) and all(isinstance(record, str) for record in D)):
        return str(D)
    return ("" if all(len(record) == 1 for record in D) else ", ").join(D) or "∅"


def _named(by: Any) -> dict[str, Callable[[Any], Any]]:
    if isinstance(by, Mapping):
        return dict(by)
    if isinstance(by, Sequence):
        return {f.written("D"): f for f in by}
    return {by.written("D") if isinstance(by, Map) else "value": by}


class _Drawing:
    """One picture on its way: in which layer everything stands, and which group it belongs to."""

    def __init__(
        self,
        graph: Graph,
        about: str,
        pair: tuple[Database, ...],
        maps: Mapping[str, Callable[[Any], Any]],
        inputs: Mapping[str, Callable[[Any], Any]],
        part_of: str = "",
        start: Database | None = None,
    ) -> None:
        self.graph, self.about, self.pair, self.maps = graph, about, pair, maps
        self.inputs = inputs or maps
        self.part_of = part_of
        self.parts = len(maps) > 1 and all(
            isinstance(f, Map) and (f.restricts or f.is_everything) for f in maps.values()
        )
        self.distances: dict[Database, int] | None = None
        if start is not None:
            from networkx import single_source_shortest_path_length

            self.distances = dict(single_source_shortest_path_length(graph, start))
            self.start = start

    @cached_property
    def edges(self) -> list[tuple[Database, Database]]:
        """The neighbours in the order of the databases, whatever order the graph was filled in."""
        number = {D: n for n, D in enumerate(self.graph.nodes)}
        each = (sorted(edge, key=number.__getitem__) for edge in self.graph.edges)
        return sorted(((D, E) for D, E in each), key=lambda edge: [number[D] for D in edge])

    def _label(self, D: Database) -> str:
        return _label(D, self.graph.graph.get("databases"))

    def scene(self) -> vectors.Scene:
        """What is drawn, for SVG."""
        nodes = list(self.graph.nodes)
        numbers = {D: n for n, D in enumerate(nodes)}
        groups = {D: n for n, group in enumerate(self.groups.values()) for D in group}
        layers = layers_of(self.graph)
        shown = [self._node(D, groups[D], layers[D]) for D in nodes]
        lines = [self._line(D, E, numbers) for D, E in self.edges]
        legend = dict(enumerate(self.groups)) if len(self.groups) > 1 else {}
        return vectors.Scene(self._title, shown, lines, legend)

    def _node(self, D: Database, group: int, layer: int) -> vectors.Node:
        far = "" if self.distances is None else f" ({self.distances.get(D, '∞')})"
        label = dict(zip(self.pair, ("D = ", "D' = "), strict=False)).get(D, "") + self._label(D) + far
        fill = "#ffffff" if self.distances is None else self._shade(D)
        databases = self.graph.graph.get("databases")
        graph = None if databases is None else databases.as_graph(D)
        return vectors.Node(label, layer, group, self._group(D), fill, D in self.pair, graph)

    def _line(self, D: Database, E: Database, numbers: Mapping[Database, int]) -> vectors.Line:
        words = self._change(D, E)
        colour, dashes = LINES[self.kinds[words]]
        return vectors.Line((numbers[D], numbers[E]), words, colour, dashes, {D, E} == set(self.pair))

    def picture(self) -> Picture:
        return Picture(vectors.sheet(self.scene()), self.words())

    def words(self) -> str:
        """What it shows."""
        n, pairs = self.graph.number_of_nodes(), self.graph.number_of_edges()
        words = f"neighbourhood graph of {n} databases and {pairs} neighbouring pairs"
        if self.part_of:
            words += f", a small part of {self.part_of}"
        if self.distances is not None:
            far = n - len(self.distances)
            most = max(self.distances.values())
            words += f"; shaded by the distance from {self._label(self.start)}, up to {most}"
            words += f", and oo for {far}" if far else ""
        if self.pair:
            words += f"; highlighted: {' and '.join(self._label(D) for D in self.pair)}"
        return words

    # what everything looks like

    def _group(self, D: Database) -> str:
        if not self.maps:
            return ""
        if self.parts:
            touched = [name for name, f in self.maps.items() if f(D)]
            return f"touches: {', '.join(touched)}" if touched else "touches nothing that is read"
        return ", ".join(f"{name} = {self._label(f(D))}" for name, f in self.maps.items())

    @cached_property
    def groups(self) -> dict[str, list[Database]]:
        """The databases by what is read of them; all in one group where there are too many."""
        groups: dict[str, list[Database]] = {}
        for D in self.graph.nodes:
            groups.setdefault(self._group(D), []).append(D)
        return groups if len(groups) <= len(vectors.SIGNS) else {"": list(self.graph.nodes)}

    def _shade(self, D: Database) -> str:
        assert self.distances is not None
        return SHADES[min(self.distances.get(D, len(SHADES)), len(SHADES) - 1)]

    def _change(self, D: Database, E: Database) -> str:
        """What the line of two neighbours says: how many inputs change, or which."""
        if not self.inputs:
            return ""
        names = self._moved(D, E)
        if not names:
            return "no input changes"
        if self.named_lines:
            return f"{', '.join(names)} change{'s' if len(names) == 1 else ''}"
        n = min(len(names), 3)
        more = " or more" if n == 3 and self.most_change > 3 else ""
        return f"{n}{more} input{'s change' if n > 1 else ' changes'}"

    def _moved(self, D: Database, E: Database) -> list[str]:
        """The inputs that change between two databases."""
        return [name for name, f in self.inputs.items() if f(D) != f(E)]

    @cached_property
    def most_change(self) -> int:
        """How many inputs change between neighbours, at most."""
        return max(len(self._moved(D, E)) for D, E in self.edges)

    @cached_property
    def named_lines(self) -> bool:
        """Whether lines say which inputs change: where markers do not show what is read, and few differ."""
        if len(self.inputs) < 2 or len(self.groups) > 1:
            return False
        return len({tuple(self._moved(D, E)) for D, E in self.edges}) <= len(LINES) - 1

    @cached_property
    def kinds(self) -> dict[str, int]:
        """What lines say, and which style says it: 0 where nothing changes."""
        if not self.inputs:
            return {"": 1}
        styles = {self._change(D, E): min(len(self._moved(D, E)), 3) for D, E in self.edges}
        if self.named_lines:
            styles |= {words: n for n, words in enumerate(sorted(filter(styles.get, styles)), start=1)}
        return styles

    def dot(self) -> str:
        """The graph in the DOT language."""
        rows = []
        groups = self.groups
        for n, (group, databases) in enumerate(groups.items()):
            look = f"shape={DOT_SHAPES[n % len(DOT_SHAPES)]}"
            if len(groups) > 1 and self.distances is None:
                colour = COLOURS[n % len(COLOURS)]
                look += f', style=filled, fillcolor="{colour}", tooltip={_quoted(group)}'
            for D in databases:
                marked = ", penwidth=3" if D in self.pair else ""
                if self.distances is not None:
                    far = f"{self._label(D)} ({self.distances.get(D, 'oo')})"
                    marked += f', label={_quoted(far)}, style=filled, fillcolor="{self._shade(D)}"'
                rows.append(f"  {_quoted(self._label(D))} [{look}{marked}];")
        for D, E in self.edges:
            words = self._change(D, E)
            look = f"style={DOT_LINES[self.kinds[words] % len(DOT_LINES)]}"
            look += f", tooltip={_quoted(words)}" if words else ""
            look += f', penwidth=4, color="{HIGHLIGHT}"' if {D, E} == set(self.pair) else ""
            rows.append(f"  {_quoted(self._label(D))} -- {_quoted(self._label(E))} [{look}];")
        label = _quoted("\n".join(self._title))
        title = f"  label={label};\n" if self._title else ""
        return "graph {\n" + title + "\n".join(rows) + "\n}\n"

    @property
    def _title(self) -> list[str]:
        note = f"a small part of {self.part_of}" if self.part_of else ""
        return [line for line in (self.about, note) if line]


def _quoted(text: str) -> str:
    """A text in the DOT language."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


# in which layers databases stand: by their sizes, by their entries, or by steps


def _is_multiset(D: Database) -> bool:
    return isinstance(D, tuple) and all(isinstance(record, str) for record in D) and list(D) == sorted(D)


def _is_point(D: Database) -> bool:
    """Whether a database is two whole numbers, which say where it is drawn."""
    return isinstance(D, tuple) and len(D) == 2 and all(type(x) is int for x in D)


def layers_of(graph: Graph) -> dict[Database, int]:
    """In which layer each database stands: by how many records it has, else by steps from the first."""
    nodes = list(graph.nodes)
    if all(isinstance(D, tuple) for D in nodes) and len({len(D) for D in nodes}) > 1:
        return {D: len(D) for D in nodes}
    if all(map(_is_point, nodes)):
        return {D: D[1] for D in nodes}
    if all(isinstance(D, tuple) for D in nodes) and not all(map(_is_multiset, nodes)):
        first = min(record for D in nodes for record in D)
        return {D: sum(record != first for record in D) for D in nodes}
    return _steps(graph)


def _steps(graph: Graph) -> dict[Database, int]:
    """How many steps each database is from the first of those it is joined to."""
    import networkx

    numbers: dict[Database, int] = {}
    for D in graph:
        if D not in numbers:
            numbers |= networkx.single_source_shortest_path_length(graph, D)
    return numbers
