"""Graphs: nodes in straight layers, with their labels in them; what a line says shows on hover.

Nodes are told apart by signs and lines by dashes, so that nothing depends on colour.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from math import cos, pi, sin

from dpcompose.front.drawings.marks import (
    LETTER,
    Box,
    Circle,
    Mark,
    Path,
    Place,
    Sheet,
    Titled,
    Words,
    signs,
    width_of,
)
from dpcompose.kernel.expressions.keeping import frozen

MOST_NODES = 30
"""The most nodes that are drawn one by one; beyond, a layer is one node."""

SIGNS = ("", "■", "▲", "◆", "●", "▼", "★", "□", "△", "◇", "○", "▽", "☆")
"""The sign of a group before the labels of its nodes."""

HEIGHT, GAP, BETWEEN = 26, 22, 46
"""How high a node is, and how far apart nodes and layers are."""

MARKED, DARK = "#d55e00", ("#404040", "#000000", "#737373")
"""The colour of a line that stands out, and fills on which labels are white."""


@frozen
class Node:
    """A node: its label, the layer it is in, the group it is of, what is told on hover.

    fill -- its colour; marked -- whether it stands out; graph -- the vertices and edges of a small graph that
    is drawn in it.
    """

    label: str
    layer: int
    group: int = 0
    title: str = ""
    fill: str = "#ffffff"
    marked: bool = False
    graph: tuple[Collection[object], Sequence[tuple[object, object]]] | None = None

    @property
    def text(self) -> str:
        return f"{SIGNS[self.group % len(SIGNS)]} {self.label}".strip()

    @property
    def high(self) -> int:
        return HEIGHT if self.graph is None else 62

    @property
    def wide(self) -> float:
        return max(LETTER * len(self.text) + 14, 62 if self.graph else 34)


@frozen
class Line:
    """A line between two nodes, by their numbers: what it says, in which colour and dashes.

    title -- what the legend says of its look; label -- words beside this one line.
    """

    ends: tuple[int, int]
    title: str = ""
    colour: str = "#444444"
    dashes: Sequence[float] = ()
    marked: bool = False
    label: str = ""

    def told(self, nodes: Sequence[Node]) -> str:
        """What is told of it on hover."""
        says = self.title or self.label
        return " — ".join(nodes[end].label for end in self.ends) + (f": {says}" if says else "")


@frozen
class Scene:
    """What is drawn; title -- its lines; legend -- the words of groups, those of lines are their titles."""

    title: Sequence[str]
    nodes: Sequence[Node]
    lines: Sequence[Line]
    legend: Mapping[int, str]


def sheet(scene: Scene) -> Sheet:
    """A scene as it is drawn; with more than MOST_NODES nodes its layers.

    >>> two = Scene([], [Node("∅", 0), Node("a", 1)], [Line((0, 1), "one input changes")], {})
    >>> "<title>∅ — a: one input changes</title>" in sheet(two).svg()
    True
    """
    if len(scene.nodes) > MOST_NODES:
        scene = summary(scene)
    head, key = scene.title, list(_legend(scene))
    left, top = 12, 18 * len(head) + 12
    middles, wide, high = _places(scene.nodes, scene.lines)
    places = [(x + left, y + top) for x, y in middles]
    rows: list[Mark] = [Words(signs(row), (left, 18 * n + 18)) for n, row in enumerate(head)]
    rows += [_line(line, scene.nodes, places) for line in scene.lines]
    rows += [_node(node, *place) for node, place in zip(scene.nodes, places, strict=True)]
    for n, (look, words) in enumerate(key):
        y = top + high + 22 * n + 16
        rows += [look(left, y), Words(signs(words), (left + 44, y + 4))]
    long = [width_of(row) for row in head] + [60 + width_of(words) for _, words in key]
    long += [wide / 2 + 8 + width_of(line.label) for line in scene.lines if line.label]
    title = signs(head[0] if head else "neighbours")
    return Sheet(max([wide, *long]) + 24, top + high + 22 * len(key) + 24, title, rows)


def summary(scene: Scene) -> Scene:
    """Each layer as one node, which says how many there are, and how many lines lead from it to others."""
    layers = sorted({node.layer for node in scene.nodes})
    numbers = {layer: n for n, layer in enumerate(layers)}
    inside: dict[int, int] = defaultdict(int)
    between: dict[tuple[int, int], int] = defaultdict(int)
    for line in scene.lines:
        i, j = sorted(numbers[scene.nodes[end].layer] for end in line.ends)
        if i == j:
            inside[i] += 1
        else:
            between[i, j] += 1
    nodes = []
    for n, layer in enumerate(layers):
        nodes_of_layer = [node for node in scene.nodes if node.layer == layer]
        called = f"{len(nodes_of_layer)} databases" if len(nodes_of_layer) > 1 else nodes_of_layer[0].label
        joined = f", {inside[n]} pairs of neighbours" if inside[n] else ""
        nodes.append(Node(called + joined, n, title=", ".join(node.label for node in nodes_of_layer)))
    next_to = {(i, j): many for (i, j), many in between.items() if j == i + 1}
    lines = [Line(ends, label=f"{many} pairs of neighbours") for ends, many in next_to.items()]
    words = f"{len(scene.nodes)} databases, layer by layer"
    if further := sum(between.values()) - sum(next_to.values()):
        words += f"; {further} pairs of neighbours in layers that are further apart"
    return Scene([*scene.title, words], nodes, lines, {})


def _places(nodes: Sequence[Node], lines: Sequence[Line]) -> tuple[list[Place], float, float]:
    """The middle of every node, and how wide and high all is: layers, each sorted by those below."""
    layers: dict[int, list[int]] = defaultdict(list)
    for n, node in enumerate(nodes):
        layers[node.layer].append(n)
    joined: dict[int, list[int]] = defaultdict(list)
    for line in lines:
        for i, j in (line.ends, line.ends[::-1]):
            joined[i].append(j)
    widths = {k: sum(nodes[n].wide for n in layer) + GAP * (len(layer) - 1) for k, layer in layers.items()}
    wide = max(widths.values())
    at = dict.fromkeys(range(len(nodes)), wide / 2)
    for key in sorted(layers):
        numbers = layers[key]
        below = {n: [at[m] for m in joined[n] if nodes[m].layer < nodes[n].layer] for n in numbers}
        numbers.sort(key=lambda n: sum(below[n]) / len(below[n]) if below[n] else wide / 2)
        x = (wide - widths[key]) / 2
        for n in numbers:
            at[n] = x + nodes[n].wide / 2
            x += nodes[n].wide + GAP
    bent = {nodes[i].layer for i, j in (line.ends for line in lines) if nodes[i].layer == nodes[j].layer}
    arcs = {
        k: max(nodes[n].high for n in layer) + (_bow(widths[k]) if k in bent else 0)
        for k, layer in layers.items()
    }
    heights, y = {}, 0.0
    for key in sorted(layers, reverse=True):
        y += arcs[key]
        heights[key] = y - nodes[layers[key][0]].high / 2
        y += BETWEEN
    return [(at[n], heights[node.layer]) for n, node in enumerate(nodes)], wide, y - BETWEEN + 4


def _bow(wide: float) -> float:
    """How high an arc is between two nodes of a layer."""
    return min(12 + 0.16 * abs(wide), 60)


def _line(line: Line, nodes: Sequence[Node], places: Sequence[Place]) -> Mark:
    points = [places[end] for end in line.ends]
    (x, y), (z, w) = points
    if bent := y == w:  # an arc above the nodes between
        top = y - nodes[line.ends[0]].high / 2
        points = [(x, top), ((x + z) / 2, top - 2 * _bow(x - z)), (z, top)]
    marked = [Path(points, MARKED, 7, opacity=0.45, bent=bent)] if line.marked else []
    near = Path(points, "#ffffff", 9, opacity=0, bent=bent)  # easier to hit than the line
    beside = [Words(line.label, ((x + z) / 2 + 8, (y + w) / 2 + 4))] if line.label else []
    path = Path(points, line.colour, 1.5, line.dashes, bent=bent)
    return Titled(signs(line.told(nodes)), [*marked, path, *beside, near])


def _node(node: Node, x: float, y: float) -> Mark:
    box = Box(
        x - node.wide / 2, y - node.high / 2, node.wide, node.high, node.fill, 2.6 if node.marked else 1, 6
    )
    ink = "#ffffff" if node.fill in DARK else "#000000"
    label = Words(signs(node.text), (x, y + node.high / 2 - 9), "middle", ink, node.marked)
    return Titled(signs(node.title or node.label), [box, *_small(node, x, y - 10), label])


def _small(node: Node, x: float, y: float) -> Iterator[Mark]:
    """A small graph: its vertices on a circle, its edges between them."""
    if node.graph is None:
        return
    vertices, edges = node.graph
    turn = 2 * pi / max(len(vertices), 1)
    at = {v: (x + 15 * sin(turn * n), y - 13 * cos(turn * n)) for n, v in enumerate(vertices)}
    yield from (Path([at[u], at[v]], width=1.6) for u, v in edges)
    yield from (Circle(place, 3.2) for place in at.values())


def _legend(scene: Scene) -> Iterator[tuple[Callable[[float, float], Mark], str]]:
    """What lines and signs mean: how they look at a place, and in words."""
    shown = {line.title: line for line in scene.lines if line.title}
    if len(shown) <= len(SIGNS):
        for title, line in sorted(shown.items()):
            yield partial(_sample, line), title
    for group, words in scene.legend.items():
        sign = SIGNS[group % len(SIGNS)]
        yield partial(_sign, sign), words if sign else f"no sign: {words}"


def _sample(line: Line, x: float, y: float) -> Mark:
    return Path([(x, y), (x + 36, y)], line.colour, 1.5, line.dashes)


def _sign(sign: str, x: float, y: float) -> Mark:
    return Words(sign, (x + 14, y + 4))
