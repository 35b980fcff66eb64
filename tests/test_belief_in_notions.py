"""A notion of one's own in a file: its pages are believed by name, and mistakes in them are named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from believed import page, run

import dpcompose as dpc

NOTION = {
    "toy": """
id = "toy"
kind = "rule"
notion = "toy"
called = "toy"
parameters = ["nu", "kappa"]
[distance]
nu = "r*nu"
kappa = "r*kappa"
[composition]
nu = "sum(nu[i], i, 1, k)"
kappa = "max(kappa[i], i, 1, k)"
""",
    "toy-to-pure": """
id = "toy-to-pure"
kind = "conversion"
from = "toy"
to = "pure"
[parameters]
epsilon = "nu + kappa"
""",
}
TOY = """\
format = 1
[databases]
kind = "multisets"
records = ["a", "b"]
[target]
granularity = "bounded"
[[mechanisms]]
name = "M1"
guarantee = { notion = "toy", nu = "n1", kappa = "c", granularity = "unbounded" }
[[mechanisms]]
name = "M2"
guarantee = { notion = "toy", nu = "n2", kappa = 1, granularity = "unbounded" }
[[claims]]
notion = "toy"
nu = "2*n1 + 2*n2"
kappa = "2*c + 2"
expect = "proved"
[[claims]]
notion = "pure"
epsilon = "2*(n1 + n2) + 2*c + 2"
"""


@pytest.fixture
def notion(tmp_path: Path) -> Path:
    folder = tmp_path / "notion"
    folder.mkdir()
    for name, head in NOTION.items():
        (folder / f"{name}.md").write_text(page(head), encoding="utf-8")
    return folder


def test_a_notion_of_ones_own_in_a_file(
    notion: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, saved = tmp_path / "toy.toml", tmp_path / "saved.json"
    file.write_text(TOY, encoding="utf-8")
    status, out, err = run(capsys, "verify", file, "--theorems", notion, "--save-derivation", saved)
    assert (status, err) == (0, "") and out.count("PROVED") == 2 and out.count("-toy") >= 1
    assert "rests on the page toy, which is only believed" in re.sub(r"\s+", " ", out)
    assert run(capsys, "recheck", saved, "--theorems", notion)[0] == 0
    study, claims = dpc.load(file, dpc.theorems(notion))
    assert study.to_toml(claims).count("nu = ") == 3
    again = tmp_path / "again.toml"
    again.write_text(study.to_toml(claims), encoding="utf-8")
    assert run(capsys, "verify", again, "--theorems", notion)[0] == 0
    status, _, err = run(capsys, "verify", file)
    assert status == 2 and "there is no notion 'toy'" in err


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (('kappa = "c", ', ""), "a toy guarantee needs kappa"),
        (('kappa = "c"', 'kapa = "c"'), "there is no key 'kapa' here"),
        (('kappa = "c"', 'kappa = "c", epsilon = 1'), "a toy guarantee has no epsilon"),
        (('kappa = "c"', "kappa = true"), "a formula is a text or a number, not true or false"),
        (('kappa = "c"', 'kappa = "c + "'), "a value is missing after '+'"),
        (('"toy", nu = "n1"', '"tay", nu = "n1"'), "there is no notion 'tay'; did you mean 'toy'?"),
    ],
)
def test_mistakes_in_a_notion_of_ones_own(
    notion: Path, change: tuple[str, str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "toy.toml"
    assert change[0] in TOY
    file.write_text(TOY.replace(*change, 1), encoding="utf-8")
    status, _, err = run(capsys, "verify", file, "--theorems", notion)
    assert status == 2 and words in err and "Traceback" not in err


def test_a_study_in_a_file_has_the_pages_of_the_file(notion: Path, tmp_path: Path) -> None:
    text = TOY.partition("[[mechanisms]]")
    inner = text[1] + text[2].partition("[[claims]]")[0]
    inner = inner.replace("[[mechanisms]]", "[[studies.inner.mechanisms]]")
    file = tmp_path / "nested.toml"
    file.write_text(
        text[0]
        + '[studies.inner]\n[studies.inner.target]\ngranularity = "bounded"\n'
        + inner
        + '[[mechanisms]]\nname = "N"\nstudy = "inner"\n',
        encoding="utf-8",
    )
    study, _ = dpc.load(file, dpc.theorems(notion))
    assert "-toy" in repr(study.guarantee()) and "the page toy, which is only believed" in repr(
        study.guarantee()
    )
