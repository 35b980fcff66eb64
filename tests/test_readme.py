"""The READMEs: their Python runs and gives what its comments say, and their problem files are read."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from dpcompose.front.cli import main

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROBLEM_FILES = (ROOT / "notebooks" / "problems" / "README.md").read_text(encoding="utf-8")
SAID = {
    "study.guarantee()": "bounded (epsilon_1 + epsilon_2)-DP, by GB:IV.13; optimal",
    "study.check(dpc.pure(Max(e1, e2)))": "refuted",
    "study.guarantee().at({e1: '1/2'})": "{'epsilon': epsilon_2 + 1/2}",
    "study.budget(dpc.pure(1))": "epsilon_1 = 1/2, epsilon_2 = 1/2, for epsilon = 1",
    "dpc.at(metric, {x: ['child'], y: ['adult']})": "epsilon_1 + epsilon_2",
    "dpc.canonical_metric(D, dpc.bounded)(['child'], [])": "oo",
    "dpc.sensitivity(minors, D, dpc.bounded, to=dpc.unbounded)": "2",
    "dpc.sensitivity(dpc.clipped_sum('-l', 'u'), D, dpc.unbounded)": "max(l, u)",
    "dpc.compare(dpc.unbounded, dpc.bounded, D)": "d_unbounded <= 2*d_bounded",
    "plane.guarantee()": "private in the metric L2*e1 + e2*moved, by GB:IV.1; optimal",
    "plane.check('(e1 + (a + b)*e2)*L2')": "proved",
    "plane.sensitivity('moved', 'L1')": "max(a, b)",
    "T.loss(line)": "log(2), at D = a, D' = b and the outcome yes",
    "T.delta('log(3/2)', line)": "1/8",
    "T.check(dpc.zcdp('1/100', line))": "refuted",
    "T.check_depends(dpc.table('f', {'a': 0, 'b': 0, 'c': 1}))": "refuted",
    "shared.check_independent()": "refuted",
}
"""With what the comment behind a line begins, and the value's one-line form as well."""


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_python_gives_what_its_comments_say() -> None:
    names: dict[str, Any] = {"__name__": "readme"}
    seen = set()
    for block in blocks(README, "python"):
        for node in ast.parse(block).body:
            if not isinstance(node, ast.Expr):
                exec(compile(ast.Module([node], []), "README.md", "exec"), names)
                continue
            value = eval(compile(ast.Expression(node.value), "README.md", "eval"), names)
            comment = block.splitlines()[(node.end_lineno or 1) - 1].partition("  #")[2].strip()
            if (said := SAID.get(ast.unparse(node))) is not None:
                seen.add(ast.unparse(node))
                assert comment.startswith(said) and repr(value).startswith(said)
    assert seen == set(SAID)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(README, id="README"),
        pytest.param(PROBLEM_FILES, id="notebooks/problems/README", marks=pytest.mark.slow),
    ],
)
def test_problem_files_are_decided(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those that are whole; a mechanism or a study alone is put into the first one, where it costs more."""
    whole = [block for block in blocks(text, "toml") if block.startswith("format = 1")]
    parts = [block for block in blocks(text, "toml") if block not in whole]
    file = tmp_path / "p.toml"
    for block in whole:
        file.write_text(block, encoding="utf-8")
        assert main(["verify", str(file)]) == 0, block
    for part in parts:
        file.write_text(whole[0].replace("[[claims]]", part + "[[claims]]"), encoding="utf-8")
        assert main(["verify", str(file)]) == 1, part
    assert "Traceback" not in capsys.readouterr().err


def test_the_lines_that_are_trusted_are_counted() -> None:
    """Of each decider exactly, of folders to the next hundred."""
    kernel = ROOT / "dpcompose" / "kernel"
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    trusted = text[text.index("## What is trusted") : text.index("## Honest limits")]

    def lines(*files: Path) -> int:
        return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)

    for file in (kernel / "deciders").glob("[a-z]*.py"):
        assert f"`{file.stem}` {lines(file)}" in trusted, f"{file.stem} has {lines(file)} lines"
    folders = [[kernel / name] for name in ("expressions", "core", "covers", "composition")]
    folders += [[kernel, kernel / "rules"], [kernel / "library"]]
    counted = [lines(*(file for folder in some for file in folder.glob("*.py"))) for some in folders]
    said = [int(one.replace(",", "")) for one in re.findall(r"([0-9],[0-9]{3}) (?:lines )?for", trusted)]
    assert len(said) == len(counted)
    assert all(abs(many - one) <= 100 for many, one in zip(said, counted, strict=True)), counted
