"""The captions of the kernel's theorems are the lines that the goldens show."""

from __future__ import annotations

import json
from typing import Any

import frozen
import pytest
from golden_results import THEORY, Golden, found, goldens, setting_of
from shares import every_second

import dpcompose as dpc
from dpcompose.front.documents.bound import Bound, bound
from dpcompose.front.documents.document import every_step
from dpcompose.front.printers import latex, render
from dpcompose.front.studies import results
from dpcompose.language.said import plain
from dpcompose.privacy.settings import Setting
from dpcompose.privacy.settings.flattening import flattened


def told(setting: Setting, notion: str) -> Bound:
    """The best guarantee of a setting as readers see it; of studies also that of their mechanisms."""
    flat = None
    if setting.studies:
        one_by_one = flattened(setting).in_one_notion([notion])
        flat = bound(one_by_one, THEORY, found(one_by_one, notion))
    return bound(setting, THEORY, found(setting, notion), lambda: flat)


def told_of(golden: Golden) -> Bound:
    return told(setting_of(golden.problem.problem), golden.data["guarantee"]["notion"])


@pytest.mark.parametrize("golden", every_second(goldens()))
def test_captions_are_those_of_the_goldens(golden: Golden) -> None:
    """The lines, and what stands over them."""
    best = told_of(golden)
    shown = render.derivation(best.told).split("\n")
    assert shown == golden.derivation
    assert best.optimal == (golden.data["optimal"] is True)
    assert dict(best.guarantee.texts) | {"notion": best.guarantee.notion} == golden.data["guarantee"]
    converted = [page.cite(best.steps.notion) for page in best.conversions]
    assert [*best.items, *converted] == golden.data["theorems"]
    assert best.assumptions == golden.data["assumptions"]
    said = f"{plain(best.said)}, by {' and '.join(best.items)}{best.standing}"
    first = golden.text.split("\n")[2]
    assert said == first


def test_steps_of_a_study_stand_below_its_step() -> None:
    golden = next(one for one in goldens() if "78-a-study" in one.problem.name)
    best = told_of(golden)
    below = best.told.steps[0].below
    assert [one.number for one in below if one.is_assumed] == ["1.1", "1.2"]
    assert below[-1].data()["by"] == "pure-witness"
    assert below[-1].data()["values"] == {"notion": "pure", "epsilon": "max(e1, e2)"}
    assert best.smaller_is_known and not best.optimal


def steps_of(golden: str) -> list[dict[str, Any]]:
    """The steps that `bound --json` gave, with those of studies below; none where there is no guarantee."""
    shown = next(part for part in golden.split("=== ") if part.startswith("bound --json: "))
    steps = json.loads(shown.partition("\n")[2].partition("--- stderr")[0] or "{}").get("derivation", [])
    for step in steps:
        steps = [*steps, *step.get("steps", ())]
    return steps


def test_steps_have_the_same_keys_for_neighbours_and_in_metrics() -> None:
    for one in frozen.frozen():
        for step in steps_of(one.golden.read_text(encoding="utf-8")):
            assert step["says"] and step["by"] and all(n < step["n"] for n in step["from"]), one.name
            assert step.keys() <= {"n", "says", "by", "from", "item", "mechanisms", "values", "steps"}


@pytest.mark.parametrize("name", ["01-bounded", "37-closer", "50-mixed", "60-histogram", "78-a-study"])
def test_notebooks_and_documents_show_captions(name: str) -> None:
    golden = next(one for one in goldens() if name in one.problem.name)
    best = told_of(golden)
    proof = results.Proof(best)
    many = len(list(every_step(best.told.steps)))
    assert str(proof) == "\n".join(golden.derivation)
    document = latex.document(best)
    assert document.count(r"\item[(") == many
    assert proof._repr_html_().count("<small>[") == many
    assert len(results.Theorems(best)) == len(golden.data["fits"])
    assert "believed without check" in proof._repr_html_()


WITH_ZERO = """
format = 1
[databases]
kind = "multisets"
records = ["a", "b"]
[target]
granularity = "bounded"
[[mechanisms]]
name = "M"
guarantee = {{ notion = "approximate", epsilon = "{epsilon}", delta = "{delta}", granularity = "unbounded" }}
"""


@pytest.mark.parametrize(
    ("epsilon", "delta", "said"),
    [
        ("0", "d", "epsilon = 0, delta = d*r[1]"),
        ("0", "1/7", "epsilon = 0, delta = r[1]/7"),
        ("e", "0", "epsilon = e*r[1], delta = 0"),
    ],
)
def test_a_loss_is_written_where_its_formula_is_0_over_0(epsilon: str, delta: str, said: str) -> None:
    best = told(setting_of(WITH_ZERO.format(epsilon=epsilon, delta=delta)), "approximate")
    (loss,) = [one for one in best.told.steps if one.words.startswith("the composition has loss")]
    assert said in loss.words


LISTED = """
format = 1
[databases]
kind = "listed"
elements = ["p", "q", "r"]
[granularities.G]
neighbours = [["p", "q"], ["q", "r"]]
[maps.f]
table = {{ p = "x", q = "{q}", r = "{r}" }}
[target]
granularity = "G"
[[mechanisms]]
name = "M"
reads = {{ map = "f" }}
guarantee = {{ notion = "pure", epsilon = "e", granularity = "G", domain = "common" }}
"""
SEQUENCES = """
format = 1
[databases]
kind = "sequences"
records = ["a", "b", "c"]
size = "= 3"
[target]
granularity = "free-lunch"
[[mechanisms]]
name = "M"
guarantee = { notion = "pure", epsilon = "e", granularity = "free-lunch" }
"""


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (LISTED.format(q="y", r="z"), "shortest paths over 3 inputs"),
        (LISTED.format(q="x", r="y"), "shortest paths over 2 inputs"),
        (LISTED.format(q="x", r="x"), "one possible input"),
        (SEQUENCES, "any two of 27 inputs are neighbours"),
    ],
)
def test_distances_of_listed_inputs_are_told(problem: str, said: str) -> None:
    best = told(setting_of(problem), "pure")
    words = [one.words for one in best.told.steps]
    assert f"M: the guarantee holds in the distance of what is read ({said})" in words


def test_letters_of_maps_are_not_those_of_parameters_and_records_keep_their_names() -> None:
    """The maps are q where a parameter is p, and p among the records is no map."""
    of_p, of_r = (dpc.function(x, lambda D, x=x: tuple(y for y in D if y == x)) for x in "pr")
    M = dpc.mechanism("M", dpc.pure("p", dpc.unbounded, "own"), reads=of_p)
    N = dpc.mechanism("N", dpc.pure("k", dpc.unbounded, "own"), reads=of_r)
    found = dpc.compose(M, N, on=dpc.multisets("pr", "<= 2"), target=dpc.unbounded).guarantee()
    held = next(step for step in found.proof if "compatible" in step.words)
    assert held.words == "q is compatible with the unbounded granularity"
    assert held.source == "checked: all 6 neighbouring pairs of all multisets of size <= 2 over {p, r}"
    assert "$q$ is compatible" in found.to_latex() and r"over \{p, r\}]" in found.to_latex()
