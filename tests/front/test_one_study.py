"""One study, whatever a composition is about: the same questions, the same printers, words where one has no answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import in_metrics
import pytest
from shipped import IN_METRICS, PROBLEMS

import dpcompose as dpc
from dpcompose.front import cli
from dpcompose.front.printers import render
from dpcompose.front.studies.study import Study
from dpcompose.language import formulas
from dpcompose.language.decimals import decimal
from dpcompose.privacy.settings.invalid import InvalidSetting, NotForNeighbours

TOWNS = dpc.listed(["a", "b", "c"])
ROADS = dpc.distances([("a", "b", 2), ("b", "c", 1), ("a", "c", 3)])
BESIDE = in_metrics.beside_neighbours()
NEIGHBOURS = dpc.compose(
    dpc.mechanism("M", dpc.pure("e", dpc.unbounded)), on=dpc.multisets(), target=dpc.bounded
)


def towns(*guarantees: tuple[str, ...]) -> Study:
    some = [dpc.mechanism(f"M{n}", dpc.in_metric(*one)) for n, one in enumerate(guarantees, start=1)]
    return dpc.compose(*some, on=TOWNS, metrics={"d": ROADS})


def test_claims_are_guarantees_metrics_and_formulas() -> None:
    """A replacement is two steps of d_unbounded: 2*e1 + e2 for bounded neighbours, and no less."""
    for claim in (dpc.in_metric("(2*e1 + e2)*d_bounded"), dpc.pure("2*e1 + e2"), "(2*e1 + e2)*d_bounded"):
        assert BESIDE.check(claim).verdict == "proved"
    refuted = BESIDE.check(dpc.pure("e1 + e2"))
    assert refuted.verdict == "refuted" and refuted.counterexample is not None
    assert repr(refuted.claim) == "claim of pure (e1 + e2)"
    example = refuted.counterexample
    at = {name: x for name, x in example.point.items()}
    assert (example.claimed, example.actual) == (at["e1"] + at["e2"], 2 * at["e1"] + at["e2"])


@pytest.mark.parametrize("claim", [dpc.pure("e1", dpc.unbounded), dpc.in_metric("d_bounded", domain="own")])
def test_a_claim_about_other_neighbours_is_refused(claim: Any) -> None:
    with pytest.raises(InvalidSetting, match="no granularity or domain of its own"):
        BESIDE.check(claim)


def test_claims_of_another_study_are_about_this_one_or_refused() -> None:
    claim = NEIGHBOURS.claim(dpc.pure("2*e"))
    study = dpc.compose(
        dpc.mechanism("M", dpc.in_metric("e*d_unbounded")), on=dpc.multisets(), target=dpc.bounded, metrics={}
    )
    assert NEIGHBOURS.check(claim).verdict == study.check(claim).verdict == "proved"
    assert NEIGHBOURS.check(study.claim("2*e*d_unbounded")).verdict == "proved"
    assert NEIGHBOURS.check(study.claim("e*d_unbounded/2")).verdict == "refuted"
    other = towns(("e*d",)).claim("e*d")
    assert NEIGHBOURS.check(other).verdict == "undecided"  # which is no metric here


def test_any_composition_is_private_in_a_metric(tmp_path: Path) -> None:
    """M1 loses e a replacement, M2 f a record that comes or goes: two replacements are 2*e + 4*f."""
    some = [dpc.mechanism("M1", dpc.pure("e")), dpc.mechanism("M2", filter=dpc.pure("f", dpc.unbounded))]
    study = dpc.compose(*some, on=dpc.multisets(), target=dpc.bounded)
    assert study.in_metrics.guarantee().data()["guarantee"]["metric"] == "d_bounded*e + d_unbounded*f"
    assert "[by HAR:filters, filters from 3]" in str(study.in_metrics.derivation())
    assert study.in_metrics.in_metrics is study.in_metrics and study.in_metrics.for_neighbours() is not None
    claims = [dpc.in_metric("(e + 2*f)*d_bounded"), "e + 2*f", dpc.in_metric("(e + f)*d_bounded"), "e + f"]
    found = [study.check(one) for one in claims]
    assert [one.verdict for one in found] == ["proved", "proved", "refuted", "refuted"]
    study.save(tmp_path / "saved.json", found)
    again = dpc.recheck(tmp_path / "saved.json")
    assert again.verdicts == ("proved", "proved", "refuted", "refuted")
    assert "M2 is an interaction that a filter stops at pure privacy with epsilon = f" in again.believed[0]
    D, E = dpc.databases("D E")
    far, (e, _) = dpc.canonical_metric(dpc.multisets(), dpc.bounded), dpc.parameters("e f")
    assert study.check(e * far(D, E)).verdict == "refuted"
    sampled = dpc.mechanism("M", dpc.pure("e", dpc.unbounded), sampled=dpc.poisson_sample("1/2"))
    study = dpc.compose(sampled, on=dpc.multisets(), target=dpc.unbounded)
    claims = [dpc.in_metric("e*d_unbounded"), dpc.in_metric("e*d_unbounded/2")]
    assert [study.check(one).verdict for one in claims] == ["proved", "refuted"]


@pytest.mark.parametrize("reads", [None, ["a"]], ids=["everything", "a part"])
@pytest.mark.parametrize("deep", [1, 2])
def test_a_composition_of_studies_is_private_in_a_metric(
    reads: list[str] | None, deep: int, tmp_path: Path
) -> None:
    """Of {a, b} or of {a} up to 2: a replacement takes 2*e of S, f of T and 2*g of N; of {a} alone a step loses e + g."""
    target, part = (dpc.bounded, {}) if reads is None else (dpc.unbounded, {"reads": dpc.restriction(reads)})
    some = [dpc.mechanism("S", dpc.pure("e", dpc.unbounded))]
    some += [dpc.mechanism("T", dpc.pure("f", dpc.bounded))] if reads is None else []
    for n in range(deep):
        inner = dpc.compose(*some, on=dpc.multisets(reads or "ab", size="<= 2"), target=target)
        some = [dpc.mechanism(f"M{n}", study=inner, **(part if n == deep - 1 else {}))]
    some.append(dpc.mechanism("N", dpc.pure("g", dpc.unbounded)))
    study = dpc.compose(*some, on=dpc.multisets("ab", size="<= 2"), target=target)
    right, wrong = ("2*e + f + 2*g", "2*e + 2*g") if reads is None else ("e + g", "max(e, g)")
    found = [study.check(dpc.in_metric(f"({one})*d_{target.name}")) for one in (right, wrong)]
    assert [one.verdict for one in found] == ["proved", "refuted"]
    study.in_metrics.save(tmp_path / "saved.json", found)
    assert dpc.recheck(tmp_path / "saved.json").verdicts == ("proved", "refuted")
    study.save(tmp_path / "both.json", [*found, study.check(right)])
    assert dpc.recheck(tmp_path / "both.json").verdicts == ("proved", "refuted", "proved")


def test_losses_that_are_irrational_stand_beside_decimals() -> None:
    """sqrt(2)*d in zCDP: between a and b 2*sqrt(2) = 2.828..., and 7/5*2 = 2.8 is claimed."""
    found = towns(("sqrt(2)*d", "zcdp")).check("7/5*d")
    assert found.counterexample is not None and found.counterexample.lost() == (
        "claimed 14/5, true loss 2*sqrt(2) (at least 2.828427)"
    )


def test_an_event_that_a_delta_misses_shows_a_larger_delta() -> None:
    """Two mechanisms leak with probability d/4 and d/8: at d = 1 it is 1 - 3/4*7/8 = 11/32 that one of them does,
    at d = 2 it is 1 - 1/2*3/4, at d = 3 it is 1 - 1/4*5/8; d/4 is claimed."""
    study = towns(("d/10", "approximate", "d/4"), ("d/10", "approximate", "d/8"))
    found = study.check(study.claim("d/5", "d/4"))
    example = found.counterexample
    assert example is not None and example.is_at_least and example.data()["parameter"] == "delta"
    d = {"ab": 2, "bc": 1, "ac": 3}["".join(sorted(one["database"] for one in example.pair))]
    leaked = {1: Fraction(11, 32), 2: Fraction(5, 8), 3: Fraction(27, 32)}
    assert (example.claimed, example.actual) == (Fraction(d, 4), leaked[d])
    assert (
        f"claimed delta {decimal(Fraction(d, 4))}, true delta at least {decimal(leaked[d])}"
        in render.verdict(1, found)
    )


def test_no_path_is_a_loss_without_end() -> None:
    study = dpc.compose(
        dpc.mechanism("M", dpc.in_metric("e*d")), on=TOWNS, metrics={"d": dpc.distances([("a", "b", 1)])}
    )
    found = study.check("5*e")
    assert found.counterexample is not None and found.counterexample.actual is None
    assert "true loss oo" in repr(found) and r"\infty" in found._repr_html_()


def test_the_guarantee_in_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    file = next(str(file) for file in IN_METRICS if file.name.startswith("71"))
    assert cli.main(["bound", file, "--at", "e1=1,e2=1/2"]) == 0
    assert "at e1 = 1, e2 = 1/2:\n  metric = L1 + L2/2\n" in capsys.readouterr().out
    study, _ = dpc.load(file)
    assert formulas.to_text(study.guarantee().at({"e1": 2, "e2": 3})["metric"]) == "2*L1 + 3*L2"
    assert study.metric() == study.guarantee().metric == study.guarantee().values["metric"]


ABOUT_NEIGHBOURS: dict[str, Callable[[Study], Any]] = {
    "a budget": lambda study: study.budget(1).bound.optimal,
    "a curve": lambda study: study.curve({"e1": 1, "e2": 1}).delta(3).upper,
    "which theorems fit": lambda study: len(study.theorems()),
    "a membership test": lambda study: study.guarantee().membership({"e1": 1, "e2": 1}),
    "a mechanism of another study": lambda study: str(dpc.mechanism("M", study=study)),
    "what studies are made of": lambda study: study.flat(),
    "a picture": lambda study: dpc.draw(study) is not None,
    "bars of budgets": lambda study: str(dpc.budget_bars(study, {"e1": 1, "e2": 1})),
}


@pytest.mark.parametrize("what", ABOUT_NEIGHBOURS)
def test_what_is_about_neighbours_says_so(what: str) -> None:
    """Towns have distances, and no two of them are neighbours."""
    with pytest.raises(
        NotForNeighbours, match=f"^{what} is about neighbours, and the composition is private"
    ):
        ABOUT_NEIGHBOURS[what](towns(("e1*d",), ("e2*d",)))


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("a budget", True),
        ("a curve", 0),
        ("which theorems fit", 9),
        ("a mechanism of another study", "M reads D and is bounded pure (2*e1 + e2), composed of M1 and M2"),
        ("what studies are made of", None),
        ("bars of budgets", "bars of all added up epsilon = 2; the bound epsilon = 3"),
    ],
)
def test_it_is_answered_for_the_neighbours_of_the_target(what: str, said: object) -> None:
    """A replacement is two steps of d_unbounded and one of d_bounded: 2*e1 + e2."""
    assert ABOUT_NEIGHBOURS[what](BESIDE) == said
    alone = BESIDE.for_neighbours()
    assert alone is not None and ABOUT_NEIGHBOURS[what](alone) == said


def test_what_is_about_metrics_says_so() -> None:
    assert NEIGHBOURS.sensitivity("d_unbounded", "d_bounded").value == 2  # a record goes, and one comes
    with pytest.raises(ValueError, match="unknown name 'd'; known names: d_bounded, d_unbounded, e"):
        NEIGHBOURS.sensitivity("d", "d")
    with pytest.raises(InvalidSetting, match="leave out D and E"):
        BESIDE.metric(["a"], ["b"])
    with pytest.raises(InvalidSetting, match="shown in pure privacy; of zcdp privacy a claim is checked"):
        BESIDE.guarantee("zcdp")


@pytest.mark.parametrize(
    "words",
    [["budget", "--total", "1"], ["curve"], ["draw", "-o", "p.svg"], ["bound", "--membership"]],
    ids=lambda words: words[0],
)
def test_commands_say_so(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    file = next(str(file) for file in IN_METRICS if file.name.startswith("71"))
    assert cli.main([words[0], file, *words[1:]]) == 2
    assert "is about neighbours, and the composition is private in a metric" in capsys.readouterr().err


def test_one_recheck_for_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same keys of JSON, the same rows of text."""
    said = []
    alone = next(file for file in IN_METRICS if file.name.startswith("71"))
    for file in (alone, PROBLEMS[0]):
        saved = str(tmp_path / file.stem)
        assert cli.main(["verify", str(file), "--save-derivation", saved]) in (0, 1)
        capsys.readouterr()
        assert cli.main(["recheck", saved]) == 0
        text = capsys.readouterr().out
        assert "claim 1: " in text and "believed without check: " in text and "primitive pages: " in text
        assert cli.main(["recheck", "--json", saved]) == 0
        said.append(json.loads(capsys.readouterr().out).keys())
    assert said[0] == said[1]
