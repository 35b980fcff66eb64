"""Pictures as SVG: layers are straight, nodes do not meet, titles and signs are there, many are summed up."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections import defaultdict

import networkx
import pytest
from written_on import SVG

import dpcompose as dpc
from dpcompose.front.drawings.vectors import MOST_NODES, SIGNS, Line, Node, Scene, sheet


def drawn(D: object, granularity: object) -> ElementTree.Element:
    graph = dpc.neighbourhood_graph(D, granularity)  # type: ignore[arg-type]
    return ElementTree.fromstring(dpc.draw(graph).svg)


def boxes(picture: ElementTree.Element) -> list[tuple[float, float, float]]:
    """Left, right and top of every node."""
    found = [{key: one.get(key, "") for key in ("x", "y", "width")} for one in picture.iter(f"{SVG}rect")][1:]
    return [(float(b["x"]), float(b["x"]) + float(b["width"]), float(b["y"])) for b in found]


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("granularity", [dpc.bounded, dpc.unbounded], ids=str)
def test_layers_are_straight_and_no_two_nodes_meet(m: int, granularity: object) -> None:
    rows = defaultdict(list)
    for left, right, top in boxes(drawn(dpc.multisets("abc"[:m], size="<= 3"), granularity)):
        rows[top].append((left, right))
    assert len(rows) == 4  # sizes 0 to 3
    for row in rows.values():
        row.sort()
        assert all(row[n][1] < row[n + 1][0] for n in range(len(row) - 1))


def test_what_a_line_says_and_signs() -> None:
    study = dpc.compose(
        dpc.mechanism("M<1>", dpc.pure("e", domain="common"), reads={"a"}),
        dpc.mechanism("M2", dpc.pure("f", domain="common"), reads={"b"}),
        on=dpc.multisets("ab"),
        target=dpc.bounded,
    )
    picture = dpc.draw(study, distances_from=("a",))
    titles = [one.text for one in ElementTree.fromstring(picture.svg).iter(f"{SVG}title")]
    assert "a (0) — b (1): 2 inputs change" in titles and "touches: M<1>, M2" in titles
    assert "size ≤ 2" in picture.svg and "(∞)" in picture.svg and "&lt;=" not in picture.svg
    assert "oo" not in picture.svg


def test_who_reads_everything_has_no_sign() -> None:
    """It would only repeat the database."""
    whole, again = (
        dpc.mechanism(name, query=dpc.count, noise=dpc.laplace("1/e")) for name in ("whole", "whole again")
    )
    part = dpc.mechanism("part", dpc.pure("f", domain="common"), reads={"a"})

    def said(*mechanisms: dpc.Mechanism) -> set[str | None]:
        picture = dpc.draw(dpc.compose(*mechanisms, on=dpc.multisets("ab"), target=dpc.bounded)).svg
        words = {one.text for one in ElementTree.fromstring(picture).iter(f"{SVG}text")}
        return {one for one in words if one and ("whole" in one or "part" in one or "input" in one)}

    small = "a small part of all finite multisets over {a, b}"
    assert said(whole, again) - {small} == {"whole, whole again change"}
    assert said(whole, part) - {small} == {"touches: whole, part", "touches: whole", "2 inputs change"}


def test_graphs_are_drawn_in_their_nodes() -> None:
    picture = drawn(dpc.graphs(3), dpc.edge)
    vertices = len(list(picture.iter(f"{SVG}circle")))
    lines = [one for one in picture.iter(f"{SVG}path") if one.get("stroke-width") == "1.6"]
    assert (len(lines), vertices) == (12, 24)  # 8 graphs, each of 3 edges is in 4 of them


def test_many_databases_are_summed_up_layer_by_layer() -> None:
    """Of sizes 0 to 4 over three records there are 1, 3, 6, 10, 15; n records replaced: n(n+1)/2·3 pairs."""
    D = dpc.multisets("abc", size="<= 4")
    assert D.count() == 35 > MOST_NODES
    texts = [one.text for one in drawn(D, dpc.bounded).iter(f"{SVG}text")]
    assert "35 databases, layer by layer" in texts
    assert [one for one in texts if one and "pairs of neighbours" in one] == [
        "3 databases, 3 pairs of neighbours",
        "6 databases, 9 pairs of neighbours",
        "10 databases, 18 pairs of neighbours",
        "15 databases, 30 pairs of neighbours",
    ]


def test_how_many_are_neighbours_stands_beside_the_line_of_two_layers() -> None:
    """Of sizes 0 to 4 over a, b, c each multiset can be given 3 records: 3·1, 3·3, 3·6, 3·10 pairs."""
    D = dpc.multisets("abc", size="<= 4")

    def said(granularity: object) -> list[str | None]:
        return [one.text for one in drawn(D, granularity).iter(f"{SVG}text")]

    pairs = [f"{n} pairs of neighbours" for n in (3, 9, 18, 30)]
    assert [one for one in said(dpc.unbounded) if one and one.endswith("pairs of neighbours")] == pairs
    further = 1 * (6 + 10 + 15) + 3 * (10 + 15) + 6 * 15
    words = f"35 databases, layer by layer; {further} pairs of neighbours in layers that are further apart"
    assert words in said(dpc.free_lunch)


def test_what_stands_out_does_so_without_colour() -> None:
    scene = Scene([], [Node("a", 0, marked=True), Node("b", 0)], [Line((0, 1), marked=True)], {})
    assert re.findall(r'stroke-width="(2.6|7)"', sheet(scene).svg()) == ["7", "2.6"]
    assert len(set(SIGNS)) == len(SIGNS)


def test_what_is_painted_is_what_is_written() -> None:
    """PNG and PDF have the marks of the SVG: each text, and each box at its place."""
    picture = dpc.draw(dpc.neighbourhood_graph(dpc.graphs(3), dpc.edge), distances_from=())
    (axes,) = picture.figure.axes
    root = ElementTree.fromstring(picture.svg)
    assert [text.get_text() for text in axes.texts] == [one.text for one in root.iter(f"{SVG}text")]
    assert not any(text.get_parse_math() for text in axes.texts)
    tags = ("rect", "path", "circle")
    assert len(axes.patches) == sum(len(list(root.iter(SVG + tag))) for tag in tags) - 1  # but the sheet
    left, bottom = axes.transData.transform((0, float(root.get("viewBox", "").split()[3])))
    assert (round(left, 6), round(bottom, 6)) == (0, 0)


def test_a_picture_does_not_depend_on_the_order_in_which_a_graph_was_filled() -> None:
    edges = [(a, b) for a in range(5) for b in range(a)]
    graphs = [networkx.Graph() for _ in range(2)]
    for graph, some in zip(graphs, (edges, [(b, a) for a, b in reversed(edges)]), strict=True):
        graph.add_nodes_from(range(5))
        graph.add_edges_from(some)
    first, second = (dpc.draw(graph, {"odd": lambda n: n % 2}) for graph in graphs)
    assert first._repr_svg_() == second._repr_svg_() and dpc.to_dot(graphs[0]) == dpc.to_dot(graphs[1])
