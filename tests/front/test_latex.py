"""A proof as a LaTeX document: what it says, that users' names are text, and that it compiles."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from shipped import PROBLEMS, SHIPPED, loaded

import dpcompose as dpc
from dpcompose.front import cli
from dpcompose.front.printers import latex
from dpcompose.proof import registry

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
    rows = [latex.PREAMBLE, r"\begin{document}", *latex.results(pages, "pure", False)]
    return "\n".join([*rows, latex.REFERENCES, r"\end{document}", ""])


def test_what_a_document_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "proof.tex"
    assert cli.main(["verify", str(PROBLEMS[0]), "--latex", str(file)]) == 0
    text = file.read_text(encoding="utf-8")
    assert text == document("01")
    bound = r"$\max(e_{1} + e_{2},\allowbreak e_{1} + e_{3},\allowbreak e_{2} + e_{3})$"
    for said in (
        f"the composition is bounded {bound}-DP on all finite multisets over \\{{a, b, c\\}} (\\cite[IV.13]{{GB}}).",
        "No smaller guarantee holds for all mechanisms that satisfy the assumptions.",
        r"\item M1 is bounded $e_{1}$-DP as a map on the whole class, and depends only on $D|_{\{\text{a}\}}$;",
        r"\item the mechanisms are independent.",
        r"\paragraph{Claim 1:} $\max(e_{1},\allowbreak e_{2},\allowbreak e_{3})$-DP.",
        r"\textbf{Refuted} by this counterexample.",
        r"\item $D$ = \{a\} and $D'$ = \{b\} are neighbours.",
        r"\item The true loss is $2$; claimed is $1$.",
        r"Parallel composition under bounded DP; \cite[IV.13]{GB}",
        "arXiv:2308.14649",
    ):
        assert said in text, said
    steps = len(loaded(PROBLEMS[0])[0].bound.derivation.lines)
    proof = text.split(r"\begin{enumerate}", 1)[1].split(r"\end{enumerate}")[0]
    assert proof.count(r"\item") == steps
    assert cli.main(["verify", *map(str, PROBLEMS[:2]), "--latex", str(file)]) == 2
    assert "--latex takes one problem file" in capsys.readouterr().err


def test_names_are_text() -> None:
    text = hostile()
    assert r"\textbackslash{}input\{/etc/passwd\} 50\%" in text
    assert text.count(r"\end{document}") == 1 and r"\textbackslash{}end\{document\}" in text
    assert r"\textless{}script\textgreater{}\$x\$" in text and r"\texttt{[U+4E2D]}" in text
    assert not re.search(r"a{31}|b{31}", text)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
@pytest.mark.parametrize("what", ["01", "18", "32", "34", "60", "75", "76", "hostile", "many", "every page"])
def test_documents_compile_without_overfull_lines(what: str, tmp_path: Path) -> None:
    made = {"hostile": hostile, "many": many, "every page": every_page}
    (tmp_path / "proof.tex").write_text(made[what]() if what in made else document(what), encoding="utf-8")
    run = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "proof.tex"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    said = [line for line in done.stdout.splitlines() if line.startswith(("!", "Overfull"))]
    assert done.returncode == 0 and said == []
