"""The front page and the manual: their Python runs and gives what its comments say, their problem files are read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dpcompose.front.cli import main

ROOT = Path(__file__).resolve().parents[1]
MANUAL = ROOT / "notebooks" / "manual"
PAGES = [
    MANUAL / one for one in re.findall(r"\]\(([a-z-]+\.md)\)", (MANUAL / "README.md").read_text("utf-8"))
]
"""The pages of the manual, in the order in which it lists them: the names of one go on in the next."""
PROBLEM_FILES = ROOT / "notebooks" / "problems" / "README.md"
SAID = {
    "README.md": {
        "study.guarantee()": "bounded (e1 + e2)-DP, by GB:IV.13; optimal",
        "study.check('max(e1, e2)')": "refuted: D = {adult}, D' = {minor}, e1 = 1, e2 = 1, claimed 1, true loss 2",
        "study.budget(1)": "e1 = 1/2, e2 = 1/2, for epsilon = 1",
    },
    "manual": {
        "study.guarantee()": "bounded (epsilon_1 + epsilon_2)-DP, by GB:IV.13; optimal",
        "study.check(dpc.pure(Max(e1, e2)))": "refuted",
        "study.guarantee().at({e1: '1/2'})": "{'epsilon': epsilon_2 + 1/2}",
        "study.budget(dpc.pure(1))": "epsilon_1 = 1/2, epsilon_2 = 1/2, for epsilon = 1",
        "dpc.at(metric, {x: ['child'], y: ['adult']})": "epsilon_1 + epsilon_2",
        "dpc.canonical_metric(D, dpc.bounded)(['child'], [])": "oo",
        "dpc.sensitivity(minors, D, dpc.bounded, to=dpc.unbounded)": "2",
        "dpc.sensitivity(dpc.clipped_sum('-l', 'u'), D, dpc.unbounded)": "max(l, u)",
        "dpc.compare(dpc.unbounded, dpc.bounded, D)": "d_unbounded <= 2*d_bounded",
        "dpc.compose(A, B, on=rooms).guarantee()": "graph (a + b)-DP",
        "plane.guarantee()": "private in the metric L2*e1 + e2*moved, by GB:IV.1; optimal",
        "plane.check('(e1 + (a + b)*e2)*L2')": "proved",
        "plane.sensitivity('moved', 'L1')": "max(a, b)",
        "T.loss(line)": "log(2), at D = a, D' = b and the outcome yes",
        "dpc.compose(dpc.mechanism('M', table=T), on=['a', 'b', 'c'], target=line).guarantee()": "next log(2)-DP",
        "T.delta('log(3/2)', line)": "1/8",
        "T.check(dpc.zcdp('1/100', line))": "refuted",
        "T.check_depends(dpc.table('f', {'a': 0, 'b': 0, 'c': 1}))": "refuted",
        "shared.check_independent()": "refuted",
    },
}
"""With what the comment behind a line begins, and the value's one-line form as well."""
LINK = re.compile(r'\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)|src="(?!https?:)([^"]+)"')
LARGEST_FRONT_PAGE = 4_700
"""How many characters a person reads before deciding to go on."""


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def said_by(pages: list[Path]) -> Iterator[tuple[str, str, Any]]:
    """The expressions in the Python of some pages, run in order, with their comments and values."""
    names: dict[str, Any] = {"__name__": "manual"}
    for page in pages:
        for block in blocks(page.read_text(encoding="utf-8"), "python"):
            for node in ast.parse(block).body:
                if not isinstance(node, ast.Expr):
                    exec(compile(ast.Module([node], []), page.name, "exec"), names)
                    continue
                value = eval(compile(ast.Expression(node.value), page.name, "eval"), names)
                comment = block.splitlines()[(node.end_lineno or 1) - 1].partition("  #")[2].strip()
                yield ast.unparse(node), comment, value


@pytest.mark.parametrize(
    ("name", "pages"), [("README.md", [ROOT / "README.md"]), ("manual", PAGES)], ids=["README", "manual"]
)
def test_python_gives_what_its_comments_say(name: str, pages: list[Path]) -> None:
    seen = set()
    for written, comment, value in said_by(pages):
        if (said := SAID[name].get(written)) is not None:
            seen.add(written)
            assert comment.startswith(said) and repr(value).startswith(said)
    assert seen == set(SAID[name])


def test_the_front_page_is_short_and_shows_a_file_beside_its_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text) <= LARGEST_FRONT_PAGE
    (problem,), (shown,) = blocks(text, "toml"), blocks(text, "text")
    monkeypatch.chdir(tmp_path)
    Path("ward.toml").write_text(problem, encoding="utf-8")
    assert main(["verify", "ward.toml"]) == 1
    assert f"$ dpcompose verify ward.toml\n{capsys.readouterr().out.strip()}" == shown.strip()


@pytest.mark.parametrize("page", [ROOT / "README.md", MANUAL / "README.md", *PAGES, PROBLEM_FILES], ids=str)
def test_links_lead_somewhere(page: Path) -> None:
    for one in LINK.finditer(page.read_text(encoding="utf-8")):
        assert (page.parent / (one[1] or one[2])).exists(), one[0]


def test_every_page_of_the_manual_is_listed() -> None:
    assert {one.name for one in MANUAL.glob("*.md")} == {"README.md", *(one.name for one in PAGES)}


@pytest.mark.parametrize(
    "pages",
    [
        pytest.param(PAGES, id="manual"),
        pytest.param([PROBLEM_FILES], id="notebooks/problems/README", marks=pytest.mark.slow),
    ],
)
def test_problem_files_are_decided(
    pages: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those that are whole; a mechanism or a study alone is put into the first one, where it costs more."""
    every = [block for page in pages for block in blocks(page.read_text(encoding="utf-8"), "toml")]
    whole = [block for block in every if block.startswith("format = 1")]
    parts = [block for block in every if block not in whole]
    file = tmp_path / "p.toml"
    for block in whole:
        file.write_text(block, encoding="utf-8")
        assert main(["verify", str(file)]) == 0, block
    for part in parts:
        file.write_text(whole[0].replace("[[claims]]", part + "[[claims]]"), encoding="utf-8")
        assert main(["verify", str(file)]) == 1, part
    assert "Traceback" not in capsys.readouterr().err


def test_the_lines_that_are_trusted_are_counted() -> None:
    """Of folders, to the next hundred."""
    package = ROOT / "dpcompose"
    kernel = package / "kernel"
    trusted = " ".join((MANUAL / "trust.md").read_text(encoding="utf-8").split())

    def lines(*files: Path) -> int:
        return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)

    for file in (kernel / "deciders").rglob("[a-z]*.py"):
        assert f"`{file.stem}`" in trusted, f"{file.stem} is not told of"
    for folder in [
        *filter(Path.is_dir, (kernel / "deciders").glob("[a-z]*")),
        package / "privacy" / "elaboration",
    ]:
        told = re.search(rf"`{folder.relative_to(package)}/` \(([0-9,]+) lines\)", trusted)
        many = lines(*folder.glob("*.py"))
        assert told is not None and abs(int(told[1].replace(",", "")) - many) <= 100, (folder.name, many)
    folders = [[kernel / name] for name in ("expressions", "core", "covers", "composition")]
    folders += [[kernel, kernel / "rules"], [kernel / "library"]]
    counted = [lines(*(file for folder in some for file in folder.glob("*.py"))) for some in folders]
    said = [int(one.replace(",", "")) for one in re.findall(r"([0-9],[0-9]{3}) (?:lines )?for", trusted)]
    assert len(said) == len(counted)
    assert all(abs(many - one) <= 100 for many, one in zip(said, counted, strict=True)), counted
