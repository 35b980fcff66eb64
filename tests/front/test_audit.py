"""`dpcompose audit` and `dpc.audit`: what is printed, saved, and left where one interrupts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from believed import run
from on_pages import on_page

import dpcompose as dpc
from dpcompose.front.printers import audited
from dpcompose.front.studies import library
from dpcompose.proof.theory import registry

FEW = ("--most", "3")
README = (registry.folder() / "README.md").read_text(encoding="utf-8")


def test_a_page_without_a_counterexample(capsys: pytest.CaptureFixture[str]) -> None:
    status, said, _ = run(capsys, "audit", "GB:IV.15", "--notion", "pure", *FEW)
    assert status == 0
    assert said.startswith(
        "part-of-bounded: A bounded mechanism that reads a part is private for add/remove neighbours\n"
        "pure\n"
        "  no counterexample: 14 settings of at most 10 databases and 1 mechanism, 74 families of mechanisms\n"
        '  without "every mechanism reads a proper part of the record universe": needed\n'
        "    databases none, a; neighbours none - a\n"
        "    M1 reads everything; epsilon = log(2) for neighbours of the databases: none\n"
        "    D = none, D' = a: concluded epsilon = log(2), lost oo\n"
        "    M1: P = (1/2, 1/2) at D, P = (1, 0) at D'\n"
    )
    assert "true" not in said and "proved" not in said


FALSE = """\
# Parts, and the smaller parameter

```toml
id = "parts-and-the-smaller"
kind = "named"
status = "derived"
title = "A false theorem"
statement = "the smaller parameter is enough"
hypotheses = [{ is = "compatible", maps = "f", granularity = "G" }]
[premises]
stated = "G"
domain = "common"
[conclusion]
pure = "min(epsilon[1], epsilon[k])"
```
"""


def test_a_false_page_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "false.md").write_text(FALSE, encoding="utf-8")
    saved = tmp_path / "saved"
    words = ("audit", "parts-and-the-smaller", "--theorems", str(tmp_path), "--save", str(saved), *FEW)
    status, said, _ = run(capsys, *words)
    assert status == 1
    assert "  REFUTED\n" in said and "concluded epsilon = log(2), lost log(4)" in said
    assert "hypotheses are" not in said
    file = saved / "parts-and-the-smaller.refuted.pure.toml"
    assert run(capsys, "verify", str(file))[0] == 0
    (first, *_) = [json.loads(line) for line in run(capsys, *words[:4], "--json", *FEW)[1].splitlines()]
    assert first["counterexample"]["lost"] == "log(4)" and first["without"] is None
    assert first["problem"] == file.read_text(encoding="utf-8")


def test_pages_that_there_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, said = run(capsys, "audit", "GB:IV.31")
    assert status == 2 and "there is no theorem page 'GB:IV.31'" in said
    status, _, said = run(capsys, "audit", "bounded-metric")
    assert status == 2 and "bounded-metric is a fact page" in said
    status, _, said = run(capsys, "audit", "GB:IV.13", "--notion", "pur")
    assert status == 2 and said == "dpcompose: there is no notion 'pur'; did you mean 'pure'?\n"
    status, _, said = run(capsys, "audit", "GB:IV.13", "--most", "0")
    assert status == 2 and said == "dpcompose: at least one setting of each kind has to be looked at\n"
    status, _, said = run(capsys, "audit", "attacks")
    assert status == 2
    assert said == "dpcompose: of what attacks states no tables or noise are known that lose as much\n"


def test_an_interrupt_keeps_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def told(looked: object) -> None:
        seen.append(looked)
        if len(seen) == 60:
            raise KeyboardInterrupt

    found = dpc.theorems["GB:IV.15"].audit(3, told=told)
    assert not found.complete and 0 < len(found.answers) < 28
    assert str(found).endswith("interrupted: the rest was not searched")
    assert repr(found).startswith(
        "part-of-bounded: no counterexample was found; needed: "
    ) and "\n" not in repr(found)
    assert found.answers[-1].found is None and found.answers[-1].looked is seen[-1]


def test_in_python() -> None:
    found = dpc.audit("GB:IV.6", most=1, notions=["zcdp"])
    assert found.complete and found.refuted == ()
    assert found.needed == (
        "p is compatible with the G granularity",
        "every p_i has sensitivity at most 1 for the G granularity",
        "the mechanisms are independent",
        "guarantees hold for every earlier output",
    )


QUICK = ["part-of-bounded", "mixtures", "poisson-sampling", "fixed-size-sampling", "zcdp"]
EVERY = [one.id for one in library.theorems if f"[{one.page.path.stem}](" in README.partition("## Items")[0]]


@pytest.mark.parametrize(
    "id", [pytest.param(one, marks=[] if one in QUICK else [pytest.mark.slow]) for one in EVERY]
)
def test_the_table_is_what_the_program_finds(id: str) -> None:
    """Its rows, the files, and what the page shows."""
    found = dpc.audit(id)
    for row in audited.table(found.answers)[2:]:
        assert row in README.splitlines(), row
    texts = {audited.file_name(one): audited.file_text(one) for one in found.answers}
    for name, text in texts.items():
        path = registry.folder() / audited.FOLDER / name
        assert (path.read_text(encoding="utf-8") if path.exists() else None) == text
    page = found.page.path.read_text(encoding="utf-8")
    assert "\n".join(on_page(found.answers)) in page


def test_every_named_theorem_and_rule_is_in_the_table() -> None:
    kinds = ("named", "sampling")
    assert {page.id for kind in kinds for page in registry.standard().of_kind(kind)} <= set(EVERY)
    assert {"pure", "approximate", "zcdp", "gaussian", "mixtures"} <= set(EVERY)
    known = {path.name.split(".")[0] for path in (registry.folder() / audited.FOLDER).glob("*")}
    assert known <= set(EVERY)
