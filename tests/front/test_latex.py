"""A proof as a LaTeX document: what it says, that users' names are text, and that it compiles."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import sympy
from shipped import PROBLEMS, SHIPPED, loaded

import dpcompose as dpc
from dpcompose.front import cli
from dpcompose.front.printers import latex
from dpcompose.front.printers.papers import Paper
from dpcompose.language.latex import latex as typeset
from dpcompose.language.symbols import symbol
from dpcompose.proof.theory import registry

NAMES = [
    "<script>$x$ \\frac{a}",
    "R&D #1 100% ~ ^ {x} _y_ -- ''q'' ,, `` \"ü\" 中 ∅",
    "a" * 150,
]
RECORDS = ["r&d $x$", "\\end{document}", "b" * 60]


def document(number: str) -> str:
    file = next(file for file in SHIPPED if file.name.startswith(number))
    study, claims = loaded(file)
    return study.to_latex([study.check(claim) for claim in claims])


def hostile() -> str:
    D = dpc.multisets(set(RECORDS))
    parts = dpc.record_partition(D, *({record} for record in RECORDS))
    epsilons = dpc.parameters("e_1 e__x_ epsilon")
    study = dpc.compose(
        *(
            dpc.mechanism(name, dpc.pure(e, dpc.bounded, "common"), reads=part)
            for name, part, e in zip(NAMES, parts, epsilons, strict=True)
        ),
        on=D,
        target=dpc.bounded,
        title="\\input{/etc/passwd} 50%",
    )
    return study.guarantee().to_latex([study.check(dpc.pure("max(e_1, e__x_)"))])


def many() -> str:
    mechanisms = [dpc.mechanism(f"M{i}", dpc.gaussian(f"m{i}", dpc.bounded)) for i in range(1, 31)]
    return dpc.compose(*mechanisms, on=dpc.multisets("ab"), target=dpc.bounded).guarantee().to_latex()


def every_page() -> str:
    """All theorem pages, as the results of one document."""
    pages = list(registry.standard().pages.values())
    rows = [
        latex.PREAMBLE,
        r"\begin{document}",
        *latex.results(pages, "pure", False, {page.id: page.id for page in pages}),
    ]
    return "\n".join([*rows, latex.REFERENCES, r"\end{document}", ""])


def test_what_a_document_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "proof.tex"
    assert cli.main(["verify", str(PROBLEMS[0]), "--latex", str(file)]) == 0
    text = file.read_text(encoding="utf-8")
    assert text == document("01")
    bound = r"$\max(\varepsilon_{1} + \varepsilon_{2},\allowbreak \varepsilon_{1} + \varepsilon_{3},\allowbreak \varepsilon_{2} + \varepsilon_{3})$"
    for said in (
        f"the composition is bounded {bound}-DP on all finite multisets over \\{{a, b, c\\}} (\\cite[IV.13]{{GB}}).",
        "No smaller guarantee holds for all mechanisms that satisfy the assumptions.",
        r"\item M1 is bounded $\varepsilon_{1}$-DP as a map on the whole class, and depends only on $D|_{\lbrace a\rbrace}$;",
        r"\item the mechanisms are independent.",
        r"\paragraph{Claim 1:} $\max(\varepsilon_{1},\allowbreak \varepsilon_{2},\allowbreak \varepsilon_{3})$-DP.",
        r"\textbf{Refuted} by this counterexample.",
        r"\item $D$ = \{a\} and $D'$ = \{b\} are neighbours.",
        r"\item With $\varepsilon_{1} = 1$, $\varepsilon_{2} = 1$, $\varepsilon_{3} = 1$.",
        r"\item Claimed $1$, true loss $2$.",
        r"Parallel composition under bounded DP; \cite[IV.13]{GB}",
        "arXiv:2308.14649",
    ):
        assert said in text, said
    steps = len(loaded(PROBLEMS[0])[0].bound.told.steps)
    proof = text.split(r"\begin{enumerate}", 1)[1].split(r"\end{enumerate}")[0]
    assert proof.count(r"\item[") == steps
    assert cli.main(["verify", *map(str, PROBLEMS[:2]), "--latex", str(file)]) == 2
    assert "--latex takes one problem file" in capsys.readouterr().err


def test_infinity_is_a_sign_in_whatever_sentence_it_stands() -> None:
    """Classes, domains and orders keep their mathematics; a member of a family has its number below the line."""
    study, claims = loaded(next(path for path in PROBLEMS if path.name.startswith("117")))
    for text in (study._repr_latex_(), study.guarantee().to_latex([study.check(claims[0])])):
        assert r"$[0, \infty)$" in text and "in [0, oo)" not in text
    family = dpc.mechanism("M", dpc.pure("e"), count="k")
    refuted = dpc.compose(family, on=dpc.multisets(), target=dpc.unbounded).check("e")
    assert "Reached by M$_{1}$ with outcomes 1, 0" in refuted._repr_latex_()


def test_names_are_text() -> None:
    text = hostile()
    assert r"\textbackslash{}input\{/etc/passwd\} 50\%" in text
    assert text.count(r"\end{document}") == 1 and r"\textbackslash{}end\{document\}" in text
    assert r"\textless{}script\textgreater{}\$x\$" in text and r"\texttt{[U+4E2D]}" in text
    assert not re.search(r"a{31}|b{31}", text)


def test_reasons_and_meanings_are_typeset_by_their_parts() -> None:
    """What is read, the databases of a pair, what free-lunch neighbours are: nobody looks for these in a text."""
    M = [
        dpc.mechanism(f"M{i}", dpc.pure(e, dpc.bounded, "common"), reads=dpc.restriction([x]))
        for i, (e, x) in enumerate(zip(dpc.parameters("e1:3"), "ab", strict=True), 1)
    ]
    study = dpc.compose(*M, on=dpc.multisets("abc"), target=dpc.bounded)
    said = latex.fits_latex(study.bound)
    assert "M1 reads $D|_{\\lbrace a\\rbrace}$ only" in said
    assert "$D$ = \\{a\\} and $E$ = \\{b\\} are neighbours" in said
    reads = "D and E"
    named = dpc.compose(
        dpc.mechanism(reads, dpc.pure(1, dpc.free_lunch)), on=dpc.multisets("ab"), target=dpc.free_lunch
    )
    shown = named.guarantee().to_latex()
    assert "neighbours are free-lunch (any two different databases are neighbours)." in shown
    assert f"{reads} is free-lunch" in shown, "a name is a name"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
@pytest.mark.parametrize("what", ["01", "18", "32", "34", "60", "69", "76", "hostile", "many", "every page"])
def test_documents_compile_without_overfull_lines(what: str, tmp_path: Path) -> None:
    made = {"hostile": hostile, "many": many, "every page": every_page}
    (tmp_path / "proof.tex").write_text(made[what]() if what in made else document(what), encoding="utf-8")
    run = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "proof.tex"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    said = [line for line in done.stdout.splitlines() if line.startswith(("!", "Overfull"))]
    assert done.returncode == 0 and said == []


def fragment(number: str) -> Paper:
    study, claims = loaded(next(file for file in SHIPPED if file.name.startswith(number)))
    return study.paper([study.check(claim) for claim in claims])


def test_what_goes_into_a_paper(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The assumptions are in the theorem, under their numbers; the other lines in its proof."""
    file = tmp_path / "sum.tex"
    assert cli.main(["verify", str(PROBLEMS[0]), "--latex", str(file), "--fragment"]) == 0
    theorem, proof = file.read_text(encoding="utf-8").split(r"\begin{proof}")
    for said in (
        "The databases are all finite multisets over \\{a, b, c\\}, and neighbours are bounded (change one record).",
        r"The parameters are $\varepsilon_{1}$ (positive), $\varepsilon_{2}$ (positive), $\varepsilon_{3}$ (positive).",
        r"\item[(1)] M1 is bounded $\varepsilon_{1}$-DP as a map on the whole class, and depends only on $D|_{\lbrace a\rbrace}$;",
        r"\item[--] the mechanisms are independent.",
        r"(\cite[IV.13]{GB}).",
    ):
        assert said in theorem, said
    assert proof.startswith(
        "\\emergencystretch=8em Let $D$ and $D'$ be bounded neighbours, $p_i(D)$ what the $i$-th mechanism reads, "
    )
    assert r"\item[(1)]" not in proof and r"\item[(4)]" in proof and r"\ref{result:parallel-bounded}" in proof
    assert r"\tfrac{1}{2 \mathrm{e}}" in proof and "Believed" not in proof
    results = (tmp_path / "sum-results.tex").read_text(encoding="utf-8")
    assert all(rf"\label{{{label}}}" in results for label in re.findall(r"\\ref\{(.*?)\}", proof))
    assert (tmp_path / "sum.bib").read_text(encoding="utf-8").count("@") == 1
    assert cli.main(["verify", str(PROBLEMS[0]), "--fragment"]) == 2
    assert "--fragment goes with --latex FILE" in capsys.readouterr().err


def test_a_list_of_a_page_keeps_its_numbers_after_other_text() -> None:
    """The proof of Laplace noise speaks of 4 and 5 by their numbers."""
    M = dpc.mechanism("M", query=dpc.count, noise=dpc.laplace("b"))
    study = dpc.compose(M, on=dpc.multisets(), target="unbounded")
    again = "\\begin{enumerate}\n\\setcounter{enumi}{3}\n\\item The Kullback"
    assert again in study.paper().results
    assert '<ol start="4"><li>The Kullback' in study.guarantee().derivation._repr_html_()


def test_e_and_epsilon_are_told_apart_where_both_are_there() -> None:
    def proof(one: str, other: str) -> str:
        mechanisms = (dpc.mechanism(f"M{n}", dpc.pure(e, dpc.bounded)) for n, e in enumerate((one, other)))
        return dpc.compose(*mechanisms, on=dpc.multisets(), target=dpc.bounded).paper().proof

    assert r"$\varepsilon_{1} + \varepsilon_{2}$" in proof("e1", "epsilon2")
    assert r"$e_{1} + \varepsilon_{1}$" in proof("e1", "epsilon1")


def test_distances_have_a_letter_that_is_no_parameter() -> None:
    """In file 34 the guarantees are called r[i]; the distances are s then."""
    proof = fragment("34").proof
    assert (
        r"$s_i$ how far apart $p_i(D)$ and $p_i(D')$ are (of the $i$-th member of the $j$-th family $s_{j,i}$)"
        in proof
    )
    assert r"$s_{2}^{2} x + (\sum_{i=1}^{k} r_{i} s_{1,\allowbreak i}^{2})$" in proof


def test_sources_are_those_that_a_proof_names() -> None:
    assert re.findall(r"@\w+\{(\w+)", fragment("60").sources) == ["GB", "Mironov2017"]


PAPER = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{amsmath,amssymb,amsthm,graphicx}
\newtheorem{theorem}{Theorem}
\begin{document}
\input{a}\input{b}
\appendix
\input{a-results}\input{b-results}
\bibliographystyle{plain}\bibliography{a}
\end{document}
"""


@pytest.mark.skipif(shutil.which("bibtex") is None, reason="there is no pdflatex with bibtex")
def test_two_proofs_in_one_paper_compile_and_refer_to_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "paper.tex").write_text(PAPER, encoding="utf-8")
    for name, number in (("a", "01"), ("b", "33")):
        fragment(number).write(tmp_path / f"{name}.tex")
    said = ""
    for program in ("pdflatex", "bibtex", "pdflatex", "pdflatex"):
        options = ["-interaction=nonstopmode"] if program == "pdflatex" else []
        run = [program, *options, "paper"]
        done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, errors="replace")
        assert done.returncode == 0, done.stdout
        said = done.stdout
    assert not re.findall(r"^!.*|.*undefined.*|.*multiply.*", said, re.MULTILINE)


def test_letters_of_a_proof_are_no_parameters() -> None:
    """The maps p and their number k are called otherwise where parameters are called so."""
    parts = {"a": "p", "b": "k"}
    some = [dpc.mechanism(f"M{a}", dpc.pure(e, "bounded", "common"), reads={a}) for a, e in parts.items()]
    study = dpc.compose(*some, on=dpc.multisets("ab"), target="bounded")
    lines = str(study.guarantee().derivation)
    assert "q is a record-wise partition" in lines and "[checked: m = 2]" in lines
    assert "(k + p)-DP" in lines
    proof = study.paper().proof
    assert "$q$ all of these $q_i$" in proof.replace("$q_i.$", "$q_i$.") and "$m = 2$ their number" in proof


def test_formulas_read_as_one_writes_them() -> None:
    """What is subtracted comes last, short fractions lie in exponents, and scales and members are mathematics."""
    e, s, b = symbol("e"), symbol("s"), symbol("b")
    assert typeset(1 - (1 - s * e) ** 2) == r"1 - \left(1 - \varepsilon s\right)^{2}"
    assert typeset(sympy.exp(-1 / b)) == r"\mathrm{e}^{- 1 / b}"
    assert typeset(sympy.exp(-1 / (2 * b))) == r"\mathrm{e}^{- \frac{1}{2 b}}"
    assert r"of scale $\tfrac{1}{\varepsilon_{2}}$ to clipped" in document("72")


@pytest.mark.slow
def test_what_is_cited_and_read_of_steps_on_samples() -> None:
    training = document("178")
    assert r"(\cite[VI.5]{GB} and Result " in training and r"\emph{approximate" not in training
    assert r"step$_{1}$ with outcomes 1, 0 and $P(1)$ = $0.25$ at $D$" in training
