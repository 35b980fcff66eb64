"""Values in a notebook: what is shown, that it is escaped, and that pictures can be told apart."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import sympy
from shipped import PROBLEMS, loaded
from tags import Tags
from written_on import words as words_on

import dpcompose as dpc
from dpcompose.front.documents.side_by_side import beside
from dpcompose.front.drawings import pictures
from dpcompose.front.printers import display, listings, render
from dpcompose.front.studies.results import Answer
from dpcompose.front.studies.study import Study
from dpcompose.language import formulas, latex
from dpcompose.language.symbols import symbol
from dpcompose.search.citations.citations import Fit
from dpcompose.spaces.classes.databases import Database, DatabaseClass, TooLarge


def shown(value: object) -> Tags:
    return Tags(value._repr_html_())  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def first() -> tuple[Study, tuple[Answer, ...]]:
    study, claims = loaded(PROBLEMS[0])
    return study, tuple(study.check(claim) for claim in claims)


def test_a_guarantee(first: tuple[Study, tuple[Answer, ...]]) -> None:
    result = first[0].guarantee()
    formula = r"$\max\left(\varepsilon_{1} + \varepsilon_{2}, \varepsilon_{1} + \varepsilon_{3}, \varepsilon_{2} + \varepsilon_{3}\right)$"
    assert result._repr_latex_() == f"bounded {formula}-DP, by GB:IV.13; optimal"
    assert (
        shown(result).text
        == f"bounded {formula}-DP, by GB:IV.13; optimalon all finite multisets over {{a, b, c}}"
    )


def test_a_derivation_is_its_text_and_a_list(first: tuple[Study, tuple[Answer, ...]]) -> None:
    result = first[0].guarantee()
    text = render.derivation(result.bound.told)
    assert str(result.derivation) == f"{result.derivation}" == text
    assert repr(result.derivation) == "derivation in 10 lines of: bounded (max(e1 + e2, e1 + e3, e2 + e3))-DP"
    tags = shown(result.derivation)
    lines = result.bound.told.steps
    steps, tree = tags.html.split("as a tree")
    assert len(re.findall(r"<li>(?:[^<]|<(?!details))*?<(?:small|details><summary><small)>", steps)) == len(
        lines
    )
    by_pages = [line for line in lines if line.page is not None]
    assert steps.count("<summary><small>[by ") == steps.count("<summary>proof") == len(by_pages)
    assert [int(n) for n in re.findall(r"\((\d+)\) (?!again)", tree)] == [10, 6, 4, 1, 2, 3, 9, 5, 7, 8]
    assert [int(n) for n in re.findall(r"\((\d+)\) again", tree)] == [4, 6]
    assert (
        "Parallel composition under bounded DP" in tags.text
        and "dpcompose theorems parallel-bounded" in tags.text
    )
    assert (
        "the composition has loss $\\varepsilon_{1} r_{1} + \\varepsilon_{2} r_{2} + \\varepsilon_{3} r_{3}$ where"
        in tags.text
    )
    assert (
        "the composition is bounded ($\\max" in tags.text
        and "M1 is bounded $\\varepsilon_{1}$-DP as a map" in tags.text
    )
    assert "all such mechanisms: $\\max" in tags.text
    assert tags.text.endswith("believed without check: lines 1-3, that the mechanisms are independent")


def test_verdicts(first: tuple[Study, tuple[Answer, ...]]) -> None:
    _, (refuted, proved, loose) = first
    assert repr(refuted) == "refuted: D = {a}, D' = {b}, e1 = 1, e2 = 1, e3 = 1, claimed 1, true loss 2"
    assert repr(proved) == "proved, and no smaller guarantee holds"
    assert repr(loose) == "proved, loose"
    assert isinstance(refuted, Answer) and refuted.verdict == "refuted" and refuted.counterexample is not None
    html = refuted._repr_html_()
    one, two = (f'<span style="{look}">' for look in display.LOOKS[:2])
    a, b = (f"<mark><b>{record}</b></mark>" for record in "ab")
    assert f"<td>{{{one}{a}</span>}}</td><td>{{{two}{b}</span>}}</td>" in html  # as D and D'
    assert f"<th>{one}M1</span> reads</th><td>{{{a}}}</td><td>{{}}</td>" in html
    assert len({re.findall(r"3px (\w+)", look)[0] for look in display.LOOKS}) == len(display.LOOKS)
    assert r"<tr><th>M1 = 1</th><td>$\frac{1}{2 \mathrm{e}}$</td><td>$\frac{1}{2}$</td></tr>" in html
    assert r"<tr><th>M1 = 0</th><td>$1 - \frac{1}{2 \mathrm{e}}$</td><td>$\frac{1}{2}$</td></tr>" in html
    assert "with $\\varepsilon_{1} = 1$, $\\varepsilon_{2} = 1$, $\\varepsilon_{3} = 1$<" in html
    text = shown(refuted).text
    assert "true loss $2$" in text and "claimed $1$" in text and "right is: bounded $\\max" in text
    assert "a smaller guarantee holds" in shown(loose).text


def _both(databases: DatabaseClass, D: Database, E: Database) -> list[str]:
    return [display._database(one) for one in beside(databases, (D, E))]


def test_only_the_record_that_changes_is_marked() -> None:
    multisets, tuples = dpc.multisets("abc"), dpc.tuples("abc")
    assert _both(multisets, ("a", "a", "b"), ("a", "b", "c")) == [
        "{<mark><b>a</b></mark>, a, b}",
        "{a, b, <mark><b>c</b></mark>}",
    ]
    assert _both(tuples, ("a", "b"), ("a", "c", "b")) == [
        "(a, <mark><b>b</b></mark>)",
        "(a, <mark><b>c</b></mark>, <mark><b>b</b></mark>)",
    ]


@pytest.mark.parametrize(
    "more", ["1/(e1 - 1)", pytest.param("(exp(e1) - 3)**2 - 1e-300", marks=pytest.mark.slow)]
)
def test_undecided_verdicts_say_why(more: str) -> None:
    study, _ = loaded(PROBLEMS[0])
    found = study.check(dpc.pure(f"e1 + e2 + e3 + {more}"))
    assert found.verdict == "undecided"
    assert repr(found) == f"undecided: {found.reason}"
    assert f"because {found.reason}" in shown(found).text


def test_refuted_verdicts_without_a_bound_say_where() -> None:
    """At numbers at which the guarantee is above 1; where it may be below 0 there is no bound to show."""
    unknown = dpc.mechanism("M", satisfies=dpc.pure("(exp(e) - 3)**2 - 1e-300", dpc.bounded))
    bare = dpc.compose(unknown, on=dpc.multisets("ab"), target=dpc.bounded).check(dpc.pure(1))
    assert bare.verdict == "refuted" and bare.bound is None
    assert str(bare.counterexample).startswith("D = {a}, D' = {b}, e = 1/2, claimed 1, true loss ")
    text = shown(bare).text
    assert "M reads" in text and "with $\\varepsilon = \\frac{1}{2}$" in text and "right is" not in text


def test_theorems_are_a_sequence_a_text_and_a_table(first: tuple[Study, tuple[Answer, ...]]) -> None:
    study, _ = first
    theorems = study.theorems()
    assert tuple(theorems) == study.bound.fits and theorems[0] is study.bound.fits[0] and theorems[:2]
    assert all(isinstance(fit, Fit) for fit in theorems) and len(theorems) == len(study.bound.fits)
    assert str(theorems) == listings.fits(study.bound)
    assert repr(theorems) == "9 composition theorems, of which 2 fit, Corollary IV.13 is cited"
    tags = shown(theorems)
    assert re.findall("<tbody><tr><th[^>]*>(.*?) \\(", tags.html) == ["Corollary IV.13"]
    assert tags.html.count("<summary>proof") == len(theorems)
    assert "yes, cited" in tags.text and "It is not: D = {a} and E = {b} are neighbours" in tags.text


HOSTILE = "<script>alert(1)</script>"
RECORDS = ("R&D <b>", "$qzq$ \\(y\\)")


@pytest.fixture(scope="module")
def hostile() -> Study:
    D = dpc.multisets(RECORDS)
    parts = dpc.record_partition(D, [RECORDS[0]], [RECORDS[1]])
    names = (HOSTILE, "a_b $\\frac$")
    return dpc.compose(
        *(
            dpc.mechanism(name, reads=part, satisfies=dpc.pure(e, dpc.bounded, domain="common"))
            for name, part, e in zip(names, parts, dpc.parameters("e_1 e__x_"), strict=True)
        ),
        on=D,
        target=dpc.bounded,
        title="</b><i>",
    )


def test_what_users_name_is_escaped(hostile: Study) -> None:
    refuted = hostile.check(dpc.pure("max(e_1, e__x_)"))
    assert refuted.verdict == "refuted"
    result = hostile.guarantee()
    for value in (hostile, result, result.derivation, hostile.theorems(), refuted):
        html = value._repr_html_()
        assert "<script" not in html and "R&D" not in html and "<i>" not in html
        formulas = re.findall(r"\$([^$]*)\$", re.sub(r"<span[^>]*>.</span>", "", html))
        assert not [text for text in formulas if text == "qzq" or "frac$" in text]
    assert HOSTILE in shown(hostile).text and HOSTILE in shown(result.derivation).text
    for record in RECORDS:
        assert record in shown(refuted).text
    assert r"\varepsilon_{1} + \mathrm{e\_\_x\_}" in result._repr_latex_()
    assert "</b><i>" in shown(hostile).text


def test_granularities_are_escaped_in_latex() -> None:
    odd = dpc.relation(r"a_b $\x", lambda D, E: abs(D - E) == 1)
    study = dpc.compose(dpc.mechanism("M", satisfies=dpc.pure("e", odd)), on=dpc.listed(range(3)), target=odd)
    assert study.guarantee()._repr_latex_().startswith(r"a\_b \$\textbackslash{}x $\varepsilon$-DP, by ")
    assert r"a_b $\x $\varepsilon$-DP" in shown(study.guarantee()).text


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("e1 + e10", "\\varepsilon_{1} + \\varepsilon_{10}"),
        ("epsilon_1", r"\varepsilon_{1}"),
        ("epsilon_max", r"\varepsilon_{\mathrm{max}}"),
        ("budget", r"\operatorname{budget}"),
        ("_", r"\mathrm{\_}"),
        ("min(e1, e2)", r"\min\left(\varepsilon_{1}, \varepsilon_{2}\right)"),
        ("2*min(e1, e2)", r"2 \min\left(\varepsilon_{1}, \varepsilon_{2}\right)"),
        (
            "top(2, e1, e2, e3)",
            r"\operatorname{top}_{2}\left(\varepsilon_{1}, \varepsilon_{2}, \varepsilon_{3}\right)",
        ),
        ("oo", r"\infty"),
    ],
)
def test_formulas(text: str, printed: str) -> None:
    symbols = {name: symbol(name) for name in re.findall(r"[a-z_]\w*", text) if name != "oo"}
    assert display.latex(formulas.parse(text, symbols)) == printed


def test_members_of_families() -> None:
    assert [latex.name_latex(f"e{x}") for x in ("[i]", "[12]", "2[i]")] == [
        "\\varepsilon_{i}",
        "\\varepsilon_{12}",
        "\\varepsilon_{2, i}",
    ]


def test_names_that_no_formula_has_are_escaped() -> None:
    assert display.latex(symbol("$\\x_")) == r"\mathrm{\$\textbackslash{}x\_}"
    assert (
        display.latex(sympy.Max(symbol("e1"), symbol("e2")))
        == r"\max\left(\varepsilon_{1}, \varepsilon_{2}\right)"
    )


# pictures


def test_a_study_is_drawn(first: tuple[Study, tuple[Answer, ...]]) -> None:
    study, (refuted, *_) = first
    picture = dpc.draw(study, highlight=refuted)
    assert repr(picture) == (
        "neighbourhood graph of 10 databases and 12 neighbouring pairs, a small part of all finite multisets over "
        "{a, b, c}; highlighted: a and b"
    )
    assert picture._repr_svg_() == picture.svg and str(picture._repr_png_())[2:].startswith("\\x89PNG")
    words = words_on(picture.svg)
    assert words[:2] == [
        "bounded neighbours, all multisets of size ≤ 2 over {a, b, c}",
        "a small part of all finite multisets over {a, b, c}",
    ]
    assert {"2 inputs change", "no sign: touches nothing that is read", "touches: M1"} <= set(words)
    assert {"∅", "■ D = a", "▲ D' = b", "◆ c", "● ab"} <= set(words)


def test_groups_differ_without_colour(first: tuple[Study, tuple[Answer, ...]]) -> None:
    legend = legend_of(dpc.draw(first[0], size="<= 3"))
    assert len([words for words in legend if "touches" in words]) == 8


def test_lines_differ_without_colour() -> None:
    assert len({str(dashes) for _, dashes in pictures.LINES}) == len(pictures.LINES)


def legend_of(picture: pictures.Picture) -> list[str]:
    return [text for text in words_on(picture.svg) if "change" in text or "touches" in text]


@pytest.mark.parametrize("file", PROBLEMS, ids=lambda file: file.stem)
def test_shipped_problems_are_drawn(file: Path) -> None:
    study, _ = loaded(file)
    too_large = dict.fromkeys(
        ("20", "66", "67", "81", "82", "85", "193", "194", "271", "282"),
        "[0-9,]+ databases make no picture|cannot be listed",
    )
    too_large |= dict.fromkeys(
        ("59", "203", "204"), "[0-9,]+ mechanisms are too many to draw; up to 1,000 would do"
    )
    too_large |= dict.fromkeys(("102", "117", "118"), "there are infinitely many")
    too_large |= {"98": "[0-9,]+ databases make no picture"}
    too_large |= dict.fromkeys(
        ("97", "99", "119", "239", "262", "263", "292"), "say numbers for"
    ) | dict.fromkeys(("116", "179", "195", "202", "264", "291"), "a number for n would do")
    number = file.name.partition("-")[0]
    if number in too_large:
        with pytest.raises(TooLarge, match=too_large[number]):
            dpc.draw(study)
        return
    picture = dpc.draw(study)
    drawn = picture.alt.split(" databases")[0].rpartition(" ")[2]
    part = study.setting.databases.count() != int(drawn) and not study.setting.families
    assert (f"a small part of {study.setting.databases}" in picture.alt) >= part
    assert dpc.to_dot(study).count(" -- ") == int(re.findall(r"and (\d+) neigh", picture.alt)[0])


def test_tuples_stand_in_rows_and_lines_say_which_inputs_change() -> None:
    study, _ = loaded(PROBLEMS[[file.name[:2] for file in PROBLEMS].index("19")])
    picture = dpc.draw(study)
    assert legend_of(picture) == ["first half changes", "second half changes"]
    tops = [round(float(top)) for top in re.findall(r'<rect x="[^"]*" y="([^"]*)"', picture.svg)]
    rows = Counter(tops)
    assert [rows[top] for top in sorted(rows)] == [1, 4, 6, 4, 1]


def test_distances_are_shades_and_numbers(first: tuple[Study, tuple[Answer, ...]]) -> None:
    picture = dpc.draw(first[0], distances_from=["a"])
    assert "; shaded by the distance from a, up to 1, and oo for 7" in picture.alt
    words = {text.partition(" ")[2] or text for text in words_on(picture.svg)}
    assert {"a (0)", "b (1)", "ab (∞)"} <= words and "∅ (∞)" in picture.svg
    brightness = [int(shade[1:3], 16) for shade in pictures.SHADES]
    assert brightness == sorted(brightness, reverse=True) and len(set(brightness)) == len(brightness)
    with pytest.raises(ValueError, match="distances are to start at z"):
        dpc.draw(first[0], distances_from=["z"])


def test_a_graph_in_dot(first: tuple[Study, tuple[Answer, ...]], hostile: Study) -> None:
    study, (refuted, *_) = first
    dot = dpc.to_dot(study, highlight=refuted)
    assert '"a" -- "b" [style=dashed, tooltip="2 inputs change", penwidth=4, color="#d55e00"];' in dot
    assert dot.startswith(
        'graph {\n  label="bounded neighbours, all multisets of size <= 2 over {a, b, c}\\na small'
    )
    odd = dpc.neighbourhood_graph(dpc.multisets(['a"b', "c\\"], size="<= 1"), dpc.bounded)
    assert '"a\\"b" -- "c\\\\"' in dpc.to_dot(odd)


def test_budget_bars(first: tuple[Study, tuple[Answer, ...]]) -> None:
    study = first[0]
    claims = loaded(PROBLEMS[0])[1]
    picture = dpc.budget_bars(study, {"e1": "1/2", "e2": 1, "e3": "1/3"}, claims)
    assert repr(picture) == (
        "bars of all added up epsilon = 11/6; the bound epsilon = 3/2; claim 1 (refuted) epsilon = 1; "
        "claim 2 (proved) epsilon = 3/2; claim 3 (proved) epsilon = 11/6"
    )
    bars = re.findall(r'width="([0-9.]+)" height="18" fill="(#\w+)"', picture.svg)
    assert [round(float(wide)) for wide, _ in bars] == [240, 196, 131, 196, 240]  # as 11/6 to 3/2 to 1
    assert len({fill for _, fill in bars}) == 3
    with pytest.raises(ValueError, match="no value is given for e3"):
        dpc.budget_bars(study, {"e1": 1, "e2": 1})
    gaussian = loaded(PROBLEMS[[file.name[:2] for file in PROBLEMS].index("33")])[0]
    assert (
        "all added up mu = 5; the bound mu = 5"
        in dpc.budget_bars(gaussian, {"k": 2, "m[1]": 3, "m[2]": 4}).alt
    )
    none = loaded(PROBLEMS[[file.name[:2] for file in PROBLEMS].index("03")])[0]
    assert "the bound epsilon = oo" in dpc.budget_bars(none, {"e1": 1, "e2": 1}).alt


def test_names_with_dollars_are_drawn_as_they_are(hostile: Study, tmp_path: Path) -> None:
    picture = dpc.draw(hostile)
    picture.save(tmp_path / "p.svg")
    (axes,) = picture.figure.axes
    assert any(RECORDS[1] in text.get_text() for text in axes.texts)
    assert not any(text.get_parse_math() for text in axes.texts)


def test_a_graph_by_a_map_by_maps_and_by_nothing() -> None:
    near = dpc.relation("near", lambda D, E: abs(D - E) == 1)
    graph = dpc.neighbourhood_graph(dpc.listed(range(5)), near)
    half = dpc.function("half", lambda D: D // 2)
    for by, groups in ((half, 3), ([half, dpc.everything], 5), (lambda D: D % 2, 2), (None, 0)):
        signed = [text for text in words_on(dpc.draw(graph, by=by).svg) if " = " in text]  # type: ignore[arg-type]
        assert len(set(signed)) == groups


def test_a_picture_is_written_the_same_each_time(
    first: tuple[Study, tuple[Answer, ...]], tmp_path: Path
) -> None:
    for name in ("p.svg", "q.svg"):
        dpc.draw(first[0]).save(tmp_path / name)
    assert (tmp_path / "p.svg").read_bytes() == (tmp_path / "q.svg").read_bytes()
    assert "dc:date" not in (tmp_path / "p.svg").read_text(encoding="utf-8")


def test_graphs_are_drawn_by_their_edges() -> None:
    study = dpc.compose(
        dpc.mechanism("M", dpc.pure("e", dpc.edge, "common"), reads=dpc.vertex(1)),
        on=dpc.graphs(3),
        target=dpc.node,
    )
    picture = dpc.draw(study, highlight=study.check(dpc.pure("e")))
    assert picture.alt.endswith("; highlighted: 1-2, 1-3 and ∅")
    assert {"M = 1-2, 1-3", "no sign: M = ∅"} <= set(words_on(picture.svg))


def test_one_database_is_drawn() -> None:
    graph = dpc.neighbourhood_graph(dpc.listed(["only"]), dpc.relation("none", lambda D, E: False))
    assert repr(dpc.draw(graph)) == "neighbourhood graph of 1 databases and 0 neighbouring pairs"


def test_what_cannot_be_drawn_is_refused(first: tuple[Study, tuple[Answer, ...]]) -> None:
    with pytest.raises(TooLarge, match="286 databases make no picture"):
        dpc.draw(first[0], size="<= 10")
    with pytest.raises(ValueError, match="aaa is to be highlighted, but it is not drawn"):
        dpc.draw(first[0], highlight=(("a",) * 3, ("a", "a", "b")), size="<= 2")
    with pytest.raises(ValueError, match="no size"):
        dpc.draw(first[0], size="2")


def test_a_missing_matplotlib_is_said() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import dpcompose as d\n"
        "g = d.neighbourhood_graph(d.multisets('a', size='<= 1'), d.unbounded)\n"
        "assert d.draw(g).svg and d.draw(g)._repr_png_() is None\n"
        "try: d.draw(g).save('p.png')\nexcept ImportError as e: print(e)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("PNG and PDF need matplotlib, which SVG does not")


def test_matplotlib_is_loaded_only_to_draw() -> None:
    code = (
        "import sys, dpcompose as d; d.compose, d.draw; print([m for m in sys.modules if m == 'matplotlib'])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_bars_of_guarantees_of_two_notions_have_no_sum() -> None:
    """1 and (1, 1/100) do not add up by one rule; the bound and the claim are drawn."""
    study = dpc.compose(
        dpc.mechanism("M", dpc.pure("e", dpc.bounded)),
        dpc.mechanism("N", dpc.approximate(1, "1/100", dpc.bounded)),
        on=dpc.multisets("ab"),
        target=dpc.bounded,
    )
    assert dpc.budget_bars(study, {"e": 1}).alt == "bars of the bound epsilon = 2, delta = 1/100"
