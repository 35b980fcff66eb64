"""Every value a user meets: one line of text, HTML in which names are only text, LaTeX that compiles."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from IPython.core.formatters import PlainTextFormatter
from tags import Tags

import dpcompose as dpc
from dpcompose.front.printers import latex

BAD = "<script>a&b</script> $q$ \\(z\\)"
A, B = f"{BAD} 1", f"{BAD} 2"
D = dpc.multisets([A, B])
first, second = dpc.record_partition(D, [A], [B])
e1, e2 = dpc.parameters("epsilon_1:3")
bad_pairs = dpc.pairs(BAD, [(A, B)])
study = dpc.compose(
    dpc.mechanism(f"M {BAD}", dpc.pure(e1, dpc.bounded, "common"), reads=first),
    dpc.mechanism(f"N {BAD}", dpc.pure(e2, dpc.bounded, "common"), reads=second),
    on=D,
    target=dpc.bounded,
    title=BAD,
)
table = dpc.probability_table({A: {BAD: "1/3", "no": "2/3"}, B: {BAD: "1/2", "no": "1/2"}})
in_metric = dpc.metric_study(
    {BAD: "epsilon_1*L1", "other": ("f", dpc.laplace("1/epsilon_2"))},
    on=dpc.points("x y"),
    maps={"f": ["min(max(x, 0), 1)"]},
    metrics={"L1": dpc.norm("L1"), "moved": dpc.norm("L1", of="f"), "known": dpc.at_most("2*L1")},
    title=BAD,
)


@cache
def refuted() -> Any:
    return study.check(dpc.pure("max(epsilon_1, epsilon_2)"))


VALUES: Mapping[str, Callable[[], Any]] = {
    "class": lambda: D,
    "large class": lambda: dpc.tuples([A, B], "<= 12"),
    "listed class": lambda: dpc.listed([A, B]),
    "granularity": lambda: dpc.unbounded,
    "own granularity": lambda: bad_pairs,
    "group": lambda: dpc.group(2, bad_pairs),
    "restriction": lambda: first,
    "function": lambda: dpc.function(BAD, len),
    "positions": lambda: dpc.positions(1, 3),
    "guarantee": lambda: dpc.approximate("1/epsilon_1", "delta", bad_pairs),
    "query": lambda: dpc.histogram(4),
    "noise": lambda: dpc.laplace("1/epsilon_1"),
    "density": lambda: dpc.density(dpc.laplace("b")),
    "mechanism": lambda: study.setting.mechanisms[0],
    "noisy mechanism": lambda: dpc.mechanism(BAD, query=dpc.count, noise=dpc.laplace("1/e")),
    "mechanism with a table": lambda: dpc.mechanism(BAD, dpc.pure("log(2)", bad_pairs), table=table),
    "table": lambda: table,
    "loss": lambda: table.loss(bad_pairs),
    "finding": lambda: table.check(dpc.pure("1/10", bad_pairs)),
    "setting": lambda: study.setting,
    "study": lambda: study,
    "result": study.guarantee,
    "derivation": lambda: study.guarantee().derivation,
    "theorems": lambda: study.theorems(),
    "theorem that does not fit": lambda: study.theorems()[0],
    "refuted": refuted,
    "proved": lambda: study.check(dpc.pure("epsilon_1 + epsilon_2")),
    "undecided": lambda: study.check(
        dpc.pure("epsilon_1*epsilon_2 + epsilon_1 + epsilon_2 + log(epsilon_1)")
    ),
    "counterexample": lambda: refuted().counterexample,
    "claim": lambda: study.claim(dpc.pure(e1 + 1)),
    "sensitivity": lambda: dpc.sensitivity(first, D, dpc.bounded, to=dpc.unbounded),
    "comparison": lambda: dpc.compare(dpc.unbounded, dpc.bounded, D),
    "budget": lambda: study.budget(dpc.pure(1)),
    "study in a metric": lambda: in_metric,
    "derivation in a metric": lambda: in_metric.derivation(),
    "refuted in a metric": lambda: in_metric.check("epsilon_1*L1"),
    "proved in a metric": lambda: in_metric.check("(epsilon_1 + epsilon_2)*L1"),
    "sensitivity in a metric": lambda: in_metric.sensitivity("moved", "L1"),
}
BY_NAME = pytest.mark.parametrize("name", VALUES)


@cache
def value(name: str) -> Any:
    return VALUES[name]()


@BY_NAME
def test_a_value_is_one_line_of_ascii(name: str) -> None:
    said = repr(value(name))
    assert said.isascii() and "\n" not in said and 0 < len(said) < 400
    assert " object at 0x" not in said


@BY_NAME
def test_a_value_is_shown_in_a_notebook_and_names_are_only_text(name: str) -> None:
    shown = value(name)._repr_html_()
    tags = Tags(shown)
    assert "script" not in tags.seen and tags.text.strip()
    names = tags.text.count("<script>a&b</script> $q$ \\(z\\)")
    assert names == shown.count("&lt;script&gt;")
    assert names or BAD not in str(value(name))
    # every dollar sign of a name stands alone, where no formula starts
    plain = re.sub(r'<span class="mathjax_ignore tex2jax_ignore">[$\\]</span>', "", shown)
    plain = re.sub(r"\$\$[^$]*\$\$", "", plain)
    assert not any("<" in formula for formula in re.findall(r"\$([^$]+)\$", plain))
    assert plain.count("$") % 2 == 0


def test_what_is_shown() -> None:
    small = dpc.multisets("ab", size="<= 1")
    assert Tags(small._repr_html_()).text == "all multisets of size <= 1 over {a, b}: {}, {a}, {b}"
    assert Tags(dpc.multisets("ab", "= 12")._repr_html_()).text.endswith(", and 3 more")
    assert Tags(dpc.multisets("ab")._repr_html_()).text.endswith("; infinitely many databases")
    assert (
        Tags(dpc.unbounded._repr_html_()).text
        == "add/remove (unbounded) neighbours: Add or remove one record: |D △ E| = 1 (GB Def. II.3). About multisets."
    )
    assert Tags(dpc.pure(e1 / 2, dpc.bounded)._repr_html_()).text == (
        r"bounded pure ($\frac{\varepsilon_{1}}{2}$)"
    )
    assert Tags(dpc.laplace("1/e")._repr_html_()).text == r"Laplace noise of scale $\frac{1}{\varepsilon}$"
    with_table = value("mechanism with a table")._repr_html_()
    assert table._repr_html_() in with_table and r"$\frac{1}{3}$" in with_table
    compared = Tags(value("comparison")._repr_html_())
    assert "unbounded → bounded" in compared.text and r"$\infty$" in compared.text


def test_what_has_lines_prints_them_in_a_notebook_without_html() -> None:
    shown = PlainTextFormatter()
    for name in ("derivation", "theorems", "comparison", "derivation in a metric"):
        assert shown(value(name)) == str(value(name)) != repr(value(name))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
def test_all_values_as_latex_compile_without_overfull_lines(tmp_path: Path) -> None:
    fragments = [one._repr_latex_() for one in map(value, VALUES)]
    assert all(fragments)
    text = "\n\n".join([latex.PREAMBLE, r"\begin{document}\sloppy", *fragments, r"\end{document}"])
    (tmp_path / "values.tex").write_text(text, encoding="utf-8")
    run = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "values.tex"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    said = [line for line in done.stdout.splitlines() if line.startswith(("!", "Overfull"))]
    assert done.returncode == 0 and said == []
