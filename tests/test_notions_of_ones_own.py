"""A notion of one's own, from pages in a folder: its rule, its distances and its witness."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import rechecks
from in_notions import ABC

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.kernel.check import Refused
from dpcompose.language import formulas
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.proof.theory import registry

RULE = """# A made-up notion

```toml
id = "toy"
called = "toy"
kind = "rule"
items = {{ any = "nowhere" }}
status = "primitive"
notion = "toy"
parameters = ["nu"]

[distance]
nu = "r*nu"

[composition]
nu = "{}"
```

A text.
"""
WITNESS = """# A made-up witness

```toml
id = "toy-witness"
kind = "witness"
status = "primitive"
notion = "toy"
shows = "nu"
by = "ratio"
distance = "{}"
probability = "exp(-d)/2"
```

A text.
"""


def toy(nu: object, granularity: Any = None, domain: str | None = None) -> Guarantee:
    return Guarantee("toy", (("nu", formulas.from_python(nu)),), granularity, domain)


def toy_study(where: Path, composition: str, distance: str | None = None) -> Study:
    """Three parts with guarantees in the notion of two new pages."""
    folder = where / "theorems"
    folder.mkdir()
    (folder / "toy.md").write_text(RULE.format(composition), encoding="utf-8")
    if distance is not None:
        (folder / "toy-witness.md").write_text(WITNESS.format(distance), encoding="utf-8")
    parts = zip((1, 2), (dpc.restriction({"a", "b"}), dpc.restriction({"c"})), strict=True)
    composed = dpc.compose(
        *(dpc.mechanism(f"M{i}", toy(f"n{i}", dpc.unbounded, "own"), reads=f) for i, f in parts),
        on=ABC,
        target=dpc.bounded,
    )
    return Study(composed.setting, registry.load(registry.folder(), folder))


def test_a_notion_that_adds_up(tmp_path: Path) -> None:
    study = toy_study(tmp_path, "sum(nu[i], i, 1, k)", "nu*r")
    found = study.guarantee()
    assert repr(found) == (
        "bounded (max(2*n1, n1 + n2))-toy, by sensitivity-profile; optimal; rests on the pages toy, toy-witness, "
        "which are only believed (primitive are only pages that ship with dpcompose)"
    )
    assert study.check(toy("max(n1 + n2, 2*n1)")).loose is False
    verdict = study.check(toy("n1 + n2"))
    assert verdict.verdict == "refuted" and verdict.counterexample is not None
    assert verdict.counterexample.pair == (("a",), ("b",))
    assert str(found.derivation) and found._repr_html_()
    saved = rechecks.saved(study, [study.check(toy("n1 + n2"))])
    assert rechecks.check(saved, study.theory).verdicts == ("refuted",)
    with pytest.raises(Refused, match="there is no page 'toy'"):
        rechecks.check(saved, registry.standard())
    with pytest.raises(
        InvalidSetting, match=r"^problem files have no notion 'toy', so this cannot be saved$"
    ):
        Study(study.setting).to_toml()


def test_a_notion_that_is_a_maximum(tmp_path: Path) -> None:
    study = toy_study(tmp_path, "max(nu[i], i, 1, k)")
    assert repr(study.guarantee()) == (
        "bounded (max(n1, 2*n1, n2))-toy, by sensitivity-profile; rests on the page toy, "
        "which is only believed (primitive are only pages that ship with dpcompose)"
    )
    assert study.check(toy("max(n2, 2*n1)")).verdict == "proved"
    below = study.check(toy("max(n1, n2)"))
    assert (below.verdict, below.reason) == ("undecided", "no page has witnesses of toy privacy")


@pytest.mark.parametrize(
    ("composition", "distance"), [("max(nu[i], i, 1, k)", "nu*r"), ("sum(nu[i], i, 1, k)", "nu*r/2")]
)
def test_a_witness_that_does_not_attain_the_rule_makes_nothing_optimal(
    tmp_path: Path, composition: str, distance: str
) -> None:
    assert not toy_study(tmp_path, composition, distance).bound.optimal


def test_other_folders_do_not_know_it(tmp_path: Path) -> None:
    setting = toy_study(tmp_path, "sum(nu[i], i, 1, k)").setting
    with pytest.raises(ValueError, match=r"^the notion 'toy' is not supported yet; there are pages for: "):
        Study(setting).guarantee()


HEAD = 'format = 1\n[databases]\nkind = "multisets"\n[target]\ngranularity = "bounded"\n[[mechanisms]]\nname = "M"\n'
IN_TOY = 'notion = "toy", metric = "n*d_bounded"'


@pytest.mark.parametrize(
    ("guarantee", "claim", "where"),
    [
        (IN_TOY, IN_TOY, "mechanisms.1.guarantee.notion"),
        (IN_TOY, 'notion = "pure", metric = "n*d_bounded"', "mechanisms.1.guarantee.notion"),
        ('notion = "toy", nu = "n", granularity = "bounded"', 'notion = "pure", metric = "d_bounded"', ""),
        ('notion = "pure", metric = "n*d_bounded"', IN_TOY, "claims.1.notion"),
    ],
)
def test_claims_in_metrics_are_of_the_notions_that_have_them(
    guarantee: str, claim: str, where: str, tmp_path: Path
) -> None:
    theory, file = toy_study(tmp_path, "sum(nu[i], i, 1, k)").theory, tmp_path / "problem.toml"
    claims = "[[claims]]\n" + claim.replace(", ", "\n")
    file.write_text(f"{HEAD}guarantee = {{ {guarantee} }}\n{claims}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=rf"{where}.*: privacy in a metric is not known of toy"):
        dpc.load(file, theory)
