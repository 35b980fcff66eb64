"""Graphs as SVG: nodes in straight layers, with their labels in them; what a line says shows on hover.

Nodes are told apart by signs and lines by dashes, so that nothing depends on colour.
"""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from math import cos, pi, sin

from dpcompose.kernel.expressions.keeping import frozen

MOST_NODES = 30
"""The most nodes that are drawn one by one; beyond, a layer is one node."""

SIGNS = ("", "■", "▲", "◆", "●", "▼", "★", "□", "△", "◇", "○", "▽", "☆")
"""The sign of a group before the labels of its nodes."""

HEIGHT, GAP, BETWEEN, LETTER = 26, 22, 46, 7.2
"""How high a node is, how far apart nodes and layers are, and how wide a letter is."""

MARKED, DARK = "#d55e00", ("#404040", "#000000", "#737373")
"""The colour of a line that stands out, and fills on which labels are white."""

Place = tuple[float, float]

AS_SIGNS = {"<=": "≤", ">=": "≥", "infinity": "∞"}


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
    """A line between two nodes, by their numbers: what it says, in which colour and dashes."""

    ends: tuple[int, int]
    title: str = ""
    colour: str = "#444444"
    dashes: Sequence[float] = ()
    marked: bool = False


@frozen
class Scene:
    """What is drawn; legend -- the words of groups, those of lines are their titles."""

    title: str
    nodes: Sequence[Node]
    lines: Sequence[Line]
    legend: Mapping[int, str]


def svg(scene: Scene) -> str:
    """A scene as SVG; with more than MOST_NODES nodes its layers.

    >>> two = Scene("", [Node("∅", 0), Node("a", 1)], [Line((0, 1), "one input changes")], {})
    >>> "<title>one input changes</title>" in svg(two)
    True
    """
    if len(scene.nodes) > MOST_NODES:
        scene = summary(scene)
    places, wide, high = _places(scene.nodes, scene.lines)
    head, key = scene.title.split("\n") if scene.title else [], list(_legend(scene))
    long = [LETTER * len(row) for row in head] + [60 + LETTER * len(words) for _, words in key]
    wide, top = max([wide, *long]) + 24, 18 * len(head) + 12
    tall = top + high + 22 * len(key) + 24
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {tall:.0f}"',
        f' width="{wide:.0f}" font-family="DejaVu Sans, Verdana, sans-serif" font-size="12">',
        f"<title>{signs(head[0] if head else 'neighbours')}</title>",
        '<rect width="100%" height="100%" fill="#fff"/>',
        *(f'<text x="12" y="{18 * n + 18}">{signs(row)}</text>' for n, row in enumerate(head)),
        f'<g transform="translate(12 {top})">',
        *(_line(line, scene.nodes, places) for line in scene.lines),
        *(_node(node, *place) for node, place in zip(scene.nodes, places, strict=True)),
    ]
    for n, (look, words) in enumerate(key):
        words = f'<text x="44" y="4">{signs(words)}</text>'
        rows.append(f'<g transform="translate(0 {high + 22 * n + 16:.0f})">{look}{words}</g>')
    return "\n".join([*rows, "</g></svg>"]) + "\n"


def signs(text: str) -> str:
    """A text in SVG, with signs for what is written in ASCII."""
    for plain, sign in AS_SIGNS.items():
        text = text.replace(plain, sign)
    return html.escape(text)


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
        some = [node for node in scene.nodes if node.layer == layer]
        words = f"{len(some)} databases" if len(some) > 1 else some[0].label
        joined = f", {inside[n]} pairs of neighbours" if inside[n] else ""
        nodes.append(Node(words + joined, n, title=", ".join(node.label for node in some)))
    lines = [Line(ends, f"{many} pairs of neighbours") for ends, many in between.items()]
    return Scene(f"{scene.title}\n{len(scene.nodes)} databases, layer by layer", nodes, lines, {})


def _places(nodes: Sequence[Node], lines: Sequence[Line]) -> tuple[list[Place], float, float]:
    """The middle of every node, and how wide and high all is: layers, each sorted by those below."""
    layers: dict[int, list[int]] = defaultdict(list)
    for n, node in enumerate(nodes):
        layers[node.layer].append(n)
    joined: dict[int, list[int]] = defaultdict(list)
    for line in lines:
        for i, j in (line.ends, line.ends[::-1]):
            joined[i].append(j)
    widths = {k: sum(nodes[n].wide for n in some) + GAP * (len(some) - 1) for k, some in layers.items()}
    wide = max(widths.values())
    at = dict.fromkeys(range(len(nodes)), wide / 2)
    for key in sorted(layers):
        some = layers[key]
        below = {n: [at[m] for m in joined[n] if nodes[m].layer < nodes[n].layer] for n in some}
        some.sort(key=lambda n: sum(below[n]) / len(below[n]) if below[n] else wide / 2)
        x = (wide - widths[key]) / 2
        for n in some:
            at[n] = x + nodes[n].wide / 2
            x += nodes[n].wide + GAP
    arcs = {k: max(nodes[n].high for n in some) + _bow(widths[k]) for k, some in layers.items()}
    found, y = {}, 0.0
    for key in sorted(layers, reverse=True):
        y += arcs[key]
        found[key] = y - nodes[layers[key][0]].high / 2
        y += BETWEEN
    return [(at[n], found[node.layer]) for n, node in enumerate(nodes)], wide, y - BETWEEN + 4


def _bow(wide: float) -> float:
    """How high an arc is between two nodes of a layer."""
    return min(12 + 0.16 * abs(wide), 60)


def _stroke(line: Line) -> str:
    """How a line looks, as attributes."""
    dashes = f' stroke-dasharray="{" ".join(f"{one:g}" for one in line.dashes)}"' if line.dashes else ""
    return f'stroke="{line.colour}" stroke-width="1.5"{dashes}'


def _line(line: Line, nodes: Sequence[Node], places: Sequence[Place]) -> str:
    (x, y), (z, w) = (places[end] for end in line.ends)
    path = f"M{x:.1f} {y:.1f}L{z:.1f} {w:.1f}"
    if y == w:  # an arc above the nodes between
        top = y - nodes[line.ends[0]].high / 2
        path = f"M{x:.1f} {top:.1f}Q{(x + z) / 2:.1f} {top - 2 * _bow(x - z):.1f} {z:.1f} {top:.1f}"
    looks = [f'stroke="{MARKED}" stroke-width="7" stroke-opacity=".45"'] if line.marked else []
    looks += [_stroke(line), 'stroke="#fff" stroke-opacity="0" stroke-width="9"']  # the last is easier to hit
    paths = "".join(f'<path d="{path}" {look}/>' for look in looks)
    return f'<g fill="none">{paths}<title>{signs(line.title)}</title></g>'


def _node(node: Node, x: float, y: float) -> str:
    left, top = x - node.wide / 2, y - node.high / 2
    ink = "#fff" if node.fill in DARK else "#000"
    weight = ' font-weight="bold"' if node.marked else ""
    return (
        f'<g><rect x="{left:.1f}" y="{top:.1f}" width="{node.wide:.1f}" height="{node.high}" rx="6" '
        f'fill="{node.fill}" stroke="#000" stroke-width="{2.6 if node.marked else 1}"/>'
        + "".join(_small(node, x, y - 10))
        + f'<text x="{x:.1f}" y="{y + node.high / 2 - 9:.1f}" text-anchor="middle" fill="{ink}"{weight}>'
        + f"{signs(node.text)}</text><title>{signs(node.title or node.label)}</title></g>"
    )


def _small(node: Node, x: float, y: float) -> Iterator[str]:
    """A small graph: its vertices on a circle, its edges between them."""
    if node.graph is None:
        return
    vertices, edges = node.graph
    turn = 2 * pi / max(len(vertices), 1)
    at = {v: (x + 15 * sin(turn * n), y - 13 * cos(turn * n)) for n, v in enumerate(vertices)}
    for u, v in edges:
        (a, b), (c, d) = at[u], at[v]
        yield f'<line x1="{a:.1f}" y1="{b:.1f}" x2="{c:.1f}" y2="{d:.1f}" stroke="#000" stroke-width="1.6"/>'
    for a, b in at.values():
        yield f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.2" fill="#fff" stroke="#000"/>'


def _legend(scene: Scene) -> Iterator[tuple[str, str]]:
    """What lines and signs mean: how they look, and in words."""
    shown = {line.title: line for line in scene.lines if line.title}
    if len(shown) <= len(SIGNS):
        for title, line in sorted(shown.items()):
            dashes = (
                f' stroke-dasharray="{" ".join(f"{one:g}" for one in line.dashes)}"' if line.dashes else ""
            )
            yield f'<path d="M0 0H36" stroke="{line.colour}" stroke-width="1.5"{dashes}/>', title
    for group, words in scene.legend.items():
        yield f'<text x="14" y="4">{SIGNS[group % len(SIGNS)] or "–"}</text>', words
