"""The proofs in theorems/proofs/: pages name what is there, Coq checks it, and nothing but the reals is supposed."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from dpcompose.proof.theory import registry

PROOFS = Path(__file__).resolve().parents[1] / "theorems" / "proofs"
FILES = ("Sums", "Notions", "Approximate", "Pure", "Zcdp")
"""In the order in which one is built on another."""
NAMED = {page.id: page.head.proofs for page in registry.standard().pages.values() if page.head.proofs}
STATED = re.compile(r"^ *Theorem (\w+)", re.MULTILINE)
OF_THE_REALS = {
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
"""What Coq's own theory of exp and ln on the real numbers rests on."""

with_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed")


def source(name: str) -> str:
    return (PROOFS / f"{name}.v").read_text(encoding="utf-8")


def theorems() -> set[str]:
    """The theorems of all files, as pages name them."""
    return {f"{name}.{found}" for name in FILES for found in STATED.findall(source(name))}


def compiled(folder: Path) -> Path:
    """A folder with all files, compiled."""
    for name in FILES:
        shutil.copy(PROOFS / f"{name}.v", folder)
        coq(folder, f"{name}.v")
    return folder


def coq(folder: Path, file: str) -> str:
    """What coqc says of a file; it must accept it."""
    command = ["coqc", "-q", "-Q", ".", "proofs", file]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def supposed(folder: Path, names: Iterable[str], files: Iterable[str] = FILES) -> set[str]:
    """The axioms on which any of some theorems rests."""
    every = ", ".join(f"@{name}" for name in names)
    text = (
        f"From proofs Require {' '.join(files)}.\nDefinition every := ({every}).\nPrint Assumptions every.\n"
    )
    (folder / "Asked.v").write_text(text, encoding="utf-8")
    return set(re.findall(r"^([\w.]+)\s*:", coq(folder, "Asked.v"), re.MULTILINE)) - {"Axioms"}


def test_all_files_are_here() -> None:
    assert sorted(path.stem for path in PROOFS.glob("*.v")) == sorted(FILES)


def test_nothing_is_left_out() -> None:
    for name in FILES:
        assert not re.search(r"\b(Admitted|admit|Axiom|Conjecture|Parameter|Abort)\b", source(name)), name


def test_pages_name_theorems_that_are_there() -> None:
    assert NAMED
    for page, names in NAMED.items():
        assert set(names) <= theorems(), page


def test_every_theorem_is_for_a_page_or_another_theorem() -> None:
    """Those that no page names are steps in the proof of others."""
    steps = {
        "Notions.composition",
        "Approximate.functions",
        "Approximate.two_mechanisms",
        "Zcdp.two_mechanisms",
    }
    assert theorems() - {name for names in NAMED.values() for name in names} == steps


@pytest.mark.slow
@with_coq
def test_coq_accepts_them_and_they_suppose_the_reals_only(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = compiled(tmp_path_factory.mktemp("proofs"))
    assert supposed(folder, sorted(theorems())) == OF_THE_REALS
    assert supposed(folder, ["Coq.Reals.Rpower.exp_ln"]) == OF_THE_REALS


@with_coq
def test_what_is_supposed_besides_is_seen(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A lie among the sums, by which one of the theorems is shown."""
    folder = tmp_path_factory.mktemp("planted")
    lie = "Axiom lie : False. Theorem planted : forall n : nat, n = 0. Proof. destruct lie. Qed."
    (folder / "Sums.v").write_text(lie, encoding="utf-8")
    coq(folder, "Sums.v")
    assert supposed(folder, ["Sums.planted"], ["Sums"]) == {"Sums.lie"}
