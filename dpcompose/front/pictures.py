"""Neighbourhood graphs as pictures: databases in layers by size, neighbours joined.

What is drawn can be told apart without colour: by markers and by the style of lines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from math import cos, pi, sin
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from dpcompose.privacy.settings import Setting
from dpcompose.search.claims import Verdict
from dpcompose.spaces.databases import Database, Multisets, Size, TooLarge
from dpcompose.spaces.graphs import neighbourhood_graph
from dpcompose.spaces.maps import Map, Restriction

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from networkx import Graph

MOST_DRAWN = 120
"""The most databases of a picture: beyond, nothing can be read."""

DRAWN_SIZE = "<= 2"
"""What is drawn of an infinite class, unless another size is asked for."""

LAYER_GAP = 1.3
HIGHLIGHT = "#d55e00"

COLOURS = ("#ffffff", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#cc79a7", "#0072b2")
MARKERS = ("o", "s", "^", "D", "v", "P", "h", "X", "*", "<", ">", "p", "d")
LINES = (
    ("#999999", (0.0, (1.0, 2.0))),
    ("#888888", (0.0, ())),
    ("#000000", (0.0, (5.0, 2.0))),
    ("#000000", (0.0, (5.0, 2.0, 1.0, 2.0))),
)
"""Colour and dashes of the line of two neighbours, by how many inputs change; the last for more."""

By = Map | Callable[[Any], Any] | Mapping[str, Map] | Sequence[Map]


class HasSetting(Protocol):
    """A study."""

    @property
    def setting(self) -> Setting: ...


@dataclass(frozen=True)
class Picture:
    """A picture that a notebook shows; `save` writes it to a file, the ending says in which format.

    alt -- what it shows, in words.
    """

    figure: Figure = field(repr=False)
    alt: str

    def save(self, path: str | Path) -> None:
        self.figure.savefig(path, bbox_inches="tight", dpi=150)

    @cached_property
    def _png(self) -> bytes:
        out = BytesIO()
        self.figure.savefig(out, format="png", bbox_inches="tight", dpi=100, metadata={"Software": None})
        return out.getvalue()

    def _repr_png_(self) -> bytes:
        return self._png

    def __repr__(self) -> str:
        return self.alt


def draw(
    what: Graph | HasSetting,
    by: By | None = None,
    *,
    highlight: Verdict | tuple[Database, Database] | None = None,
    size: str | None = None,
) -> Picture:
    """The neighbourhood graph: databases in layers by size, neighbours joined.

    what -- a networkx graph of databases, or a study (its databases and target neighbours);
    by -- what colours and markers say: the value of a map or function, or of several restrictions
    (a list, or a mapping from names) which of them see a record; of a study what its mechanisms
    read, if nothing else is said.  The line of two neighbours says how many of the study's inputs
    change, or without a study of these values;
    highlight -- two databases, or a refuted verdict with its counterexample;
    size -- what is drawn of a study on multisets, "<= 2" or "= 3"; a class that is not finite is
    drawn for "<= 2".

    Raises TooLarge beyond 120 databases, ValueError where `highlight` is not drawn.
    """
    inputs: Mapping[str, Map] = {}
    if hasattr(what, "setting"):
        graph, about = _graph_of(what.setting, size)
        inputs = {mechanism.name: mechanism.reads for mechanism in what.setting.mechanisms}
    else:
        graph, about = what, ""
    nodes = list(graph.nodes)
    if len(nodes) > MOST_DRAWN:
        raise TooLarge(
            f"{len(nodes):,} databases make no picture that can be read; up to {MOST_DRAWN} are drawn. "
            "A smaller size or fewer records would do"
        )
    pair = _pair(highlight)
    for D in pair:
        if D not in graph:
            raise ValueError(f"{_label(D)} is to be highlighted, but it is not drawn")
    return _Drawing(graph, about, pair, _named(inputs if by is None else by), inputs).picture()


def _graph_of(setting: Setting, size: str | None) -> tuple[Graph, str]:
    """The neighbourhood graph of a setting, of an infinite class its small databases, and what it is."""
    databases = setting.databases
    if isinstance(databases, Multisets) and (size is not None or databases.count() is None):
        sizes = Size.read(size or (DRAWN_SIZE if databases.sizes.n is None else str(databases.sizes)))
        drawn = Multisets((*databases.records, *databases.spare), sizes)
        if (drawn.count() or 0) > MOST_DRAWN:
            raise TooLarge(
                f"{drawn}: {drawn.count():,} databases make no picture that can be read; "
                f"up to {MOST_DRAWN} are drawn. A smaller size would do"
            )
        databases = drawn
    return neighbourhood_graph(databases, setting.target), f"{setting.target} neighbours, {databases}"


def _pair(highlight: Verdict | tuple[Database, Database] | None) -> tuple[Database, ...]:
    if isinstance(highlight, Verdict):
        return highlight.counterexample.pair if highlight.counterexample else ()
    return tuple(highlight) if highlight is not None else ()


def _is_multiset(D: Database) -> bool:
    return isinstance(D, tuple) and all(isinstance(record, str) for record in D) and list(D) == sorted(D)


def _label(D: Any) -> str:
    """A database in a picture: aab for a multiset of one-letter records."""
    if not _is_multiset(D):
        return str(D)
    return ("" if all(len(record) == 1 for record in D) else ", ").join(D) or "∅"


def _corner(j: int, m: int, width: float) -> tuple[float, float]:
    """Where the record number j of m stands: a flat polygon, a bit skew so that databases do not meet."""
    if m <= 2:
        return (2 * width * j, 0.3 * j)
    turn = 2 * pi * (j / m - 0.4) + 0.09 * j * j * (m > 3)
    return 1.25 * width * cos(turn), (0.7 if m == 3 else 1.1) * sin(turn)


def _named(by: By | None) -> dict[str, Callable[[Any], Any]]:
    if by is None:
        return {}
    if isinstance(by, Mapping):
        return dict(by)
    if isinstance(by, Sequence):
        return {f.written("D"): f for f in by}
    return {by.written("D") if isinstance(by, Map) else "value": by}


class _Drawing:
    """One picture on its way: where everything stands, and which group it belongs to."""

    def __init__(
        self,
        graph: Graph,
        about: str,
        pair: tuple[Database, ...],
        maps: Mapping[str, Callable[[Any], Any]],
        inputs: Mapping[str, Callable[[Any], Any]],
    ) -> None:
        self.graph, self.about, self.pair, self.maps = graph, about, pair, maps
        self.inputs = inputs or maps
        self.parts = len(maps) > 1 and all(isinstance(f, Restriction) for f in maps.values())

    def picture(self) -> Picture:
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise ImportError("pictures need matplotlib: pip install 'dpcompose[notebook]'") from None

        places = self._places()
        xs, ys = zip(*places.values(), strict=True)
        wide, high = 1.2 + 1.1 * (max(xs) - min(xs)), 1.2 + 0.95 * (max(ys) - min(ys))
        figure = Figure(figsize=(min(max(wide, 5.0), 11.0), min(max(high, 3.0), 10.0)))
        axes = figure.add_subplot()
        axes.set_axis_off()
        shown = [*self._draw_edges(axes, places), *self._draw_nodes(axes, places)]
        axes.margins(0.08)
        if self.about:
            axes.set_title(self.about, fontsize=10, parse_math=False)
        if shown:
            legend = axes.legend(
                handles=shown,
                loc="center left",
                bbox_to_anchor=(1.0, 0.5),
                frameon=False,
                fontsize=9,
                labelspacing=0.8,
            )
            for text in legend.get_texts():
                text.set_parse_math(False)
        return Picture(figure, self._words())

    def _words(self) -> str:
        n, pairs = self.graph.number_of_nodes(), self.graph.number_of_edges()
        words = f"neighbourhood graph of {n} databases and {pairs} neighbouring pairs"
        if self.pair:
            words += f"; highlighted: {' and '.join(_label(D) for D in self.pair)}"
        return words

    # where everything stands

    def _places(self) -> dict[Database, tuple[float, float]]:
        """Multisets in layers by size, so that replacing a record is one step in a layer; others freely."""
        nodes = list(self.graph.nodes)
        if all(map(_is_multiset, nodes)):
            return self._lattice(nodes)
        if len(nodes) == 1:
            return {nodes[0]: (0.0, 0.0)}
        from networkx import spring_layout

        scale = 1.0 + len(nodes) ** 0.5
        found = spring_layout(self.graph, seed=1, iterations=300, scale=scale)
        return {D: (float(x), float(y)) for D, (x, y) in found.items()}

    def _lattice(self, nodes: list[Any]) -> dict[Database, tuple[float, float]]:
        """A record is a corner of a polygon, a database the sum of its records; sizes one above another."""
        records = sorted({record for D in nodes for record in D})
        width = max(1.0, max(len(_label(D)) for D in nodes) / 9)
        corners = {a: _corner(j, len(records), width) for j, a in enumerate(records)}
        inside = {D: (sum(corners[a][0] for a in D), sum(corners[a][1] for a in D)) for D in nodes}
        places: dict[Database, tuple[float, float]] = {}
        floor = 0.0
        for size in sorted({len(D) for D in nodes}):
            layer = [D for D in nodes if len(D) == size]
            lowest = min(inside[D][1] for D in layer)
            for D in layer:
                places[D] = (inside[D][0], floor + inside[D][1] - lowest)
            floor = max(places[D][1] for D in layer) + LAYER_GAP
        return places

    # what everything looks like

    def _group(self, D: Database) -> str:
        if not self.maps:
            return ""
        if self.parts:
            touched = [name for name, f in self.maps.items() if f(D)]
            return f"touches: {', '.join(touched)}" if touched else "touches nothing that is read"
        return ", ".join(f"{name} = {_label(f(D))}" for name, f in self.maps.items())

    def _draw_nodes(self, axes: Axes, places: Mapping[Database, tuple[float, float]]) -> list[Line2D]:
        from matplotlib.lines import Line2D

        groups: dict[str, list[Database]] = {}
        for D in places:
            groups.setdefault(self._group(D), []).append(D)
        if len(groups) > len(MARKERS):
            groups = {"": list(places)}
        shown = []
        for n, (group, some) in enumerate(groups.items()):
            marker, colour = MARKERS[n % len(MARKERS)], COLOURS[n % len(COLOURS)]
            axes.scatter(
                [places[D][0] for D in some],
                [places[D][1] for D in some],
                s=150,
                marker=marker,
                c=colour,
                edgecolors="black",
                linewidths=[2.6 if D in self.pair else 0.9 for D in some],
                zorder=3,
            )
            look: dict[str, Any] = {"markerfacecolor": colour, "markeredgecolor": "black"}
            shown.append(Line2D([], [], linestyle="", marker=marker, markersize=9, label=group, **look))
        for D, place in places.items():
            letter = dict(zip(self.pair, ("D = ", "D' = "), strict=False)).get(D, "")
            axes.annotate(
                letter + _label(D),
                place,
                xytext=(0, -10),
                textcoords="offset points",
                ha="center",
                va="top",
                fontsize=9,
                fontweight="bold" if letter else "normal",
                zorder=4,
                parse_math=False,
                bbox={
                    "boxstyle": "square,pad=0.08",
                    "facecolor": "white",
                    "edgecolor": "none",
                    "alpha": 0.85,
                },
            )
        return shown if len(groups) > 1 else []

    def _draw_edges(self, axes: Axes, places: Mapping[Database, tuple[float, float]]) -> list[Line2D]:
        from matplotlib.lines import Line2D

        kinds: dict[int, Line2D] = {}
        for D, E in self.graph.edges:
            changing = sum(f(D) != f(E) for f in self.inputs.values()) if self.inputs else 1
            colour, dashes = LINES[min(changing, len(LINES) - 1)]
            (x, y), (z, w) = places[D], places[E]
            axes.plot([x, z], [y, w], linestyle=dashes, color=colour, linewidth=1.4, zorder=1)
            if {D, E} == set(self.pair):
                axes.plot([x, z], [y, w], color=HIGHLIGHT, linewidth=8.0, alpha=0.5, zorder=0)
            if changing not in kinds:
                label = f"{changing or 'no'} input{'s change' if changing > 1 else ' changes'}"
                kinds[changing] = Line2D([], [], linestyle=dashes, color=colour, linewidth=1.4, label=label)
        return [kinds[n] for n in sorted(kinds)] if self.inputs else []
