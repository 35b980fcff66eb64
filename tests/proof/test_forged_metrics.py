"""Saved derivations about metrics, forged: nothing that is not shown is accepted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from in_metrics import believed_again, claimed, forged, steps
from proof.on_a_plane import NORMS, OWN, PLANE, THEORY, composed, study

from dpcompose.front.studies import recheck as checker
from dpcompose.kernel.check import Refused


def saved(tmp_path: Path) -> dict[str, Any]:
    text = PLANE + NORMS + OWN.format("min(abs(a - p), 24) + max(b - q, q - b)")
    text += '[metrics.score]\nat-most = "2*L1"\n[metrics.f]\nnorm = "L1"\nat-most = "2*Linf"\n'
    made, claims = study(
        text + composed("e*L2", "e*f", "d") + claimed("4*e*Linf + 2*L1", "e*L2", "2*e*L1 + d")
    )
    made.save(tmp_path / "d.json", [made.check(claim) for claim in claims])
    data: dict[str, Any] = json.loads((tmp_path / "d.json").read_text())
    return data


def step_of(data: Any, rule: str, n: int = 0) -> list[Any]:
    """The place of the n-th step by a rule."""
    return ["derivation", "steps", data["derivation"]["steps"].index(steps(data, rule)[n])]


def test_forged_files_are_refused(tmp_path: Path) -> None:
    good = saved(tmp_path)
    assert checker.check_in_metrics(good, THEORY).verdicts == ("proved", "refuted", "proved")
    proved, refuted, other = good["claims"]
    everywhere, larger = step_of(good, "everywhere"), step_of(good, "larger")
    refute, bounded = step_of(good, "refute"), step_of(good, "bounded")
    shown = [*everywhere, "certificates", "epsilon"]
    first, second = [*shown, 0, "groups", 0], [*shown, 0, "groups", 1]
    groups = good["derivation"]["steps"][everywhere[-1]]["certificates"]["epsilon"][0]["groups"]
    cases = groups[1]["cases"][0]["proof"]["cases"]
    point = good["derivation"]["steps"][refute[-1]]["point"]
    pages = good["derivation"]["pages"]
    wrong = [
        forged(good, ["derivation", "pages"], {}),
        *(forged(good, ["derivation", "pages", name], "0" * 64) for name in pages),
        forged(good, ["derivation", "setting"], "0" * 64),
        # what is said of the guarantee
        forged(good, ["guarantee", "step"], 4),
        forged(good, ["guarantee", "step"], proved["step"]),
        forged(good, ["guarantee", "step"], True),
        forged(good, ["guarantee", "optimal"], proved["shown"]),
        forged(good, ["guarantee", "optimal"], 99),
        # verdicts
        forged(good, ["claims", 1], proved),
        forged(good, ["claims", 0, "loose"], False),
        forged(good, ["claims", 0, "shown"], good["guarantee"]["optimal"]),
        forged(good, ["claims", 0, "step"], other["step"]),
        forged(good, ["claims", 0, "step"], refuted["step"]),
        forged(good, ["claims", 0, "step"], float(proved["step"])),
        forged(good, ["claims", 0, "verdict"], "refuted"),
        forged(good, ["claims", 1, "verdict"], "proved"),
        forged(good, ["claims", 1, "step"], proved["step"]),
        forged(good, ["claims"], [proved, refuted]),
        forged(good, ["claims"], [proved, other, refuted]),
        # claims
        forged(good, ["stated", 0, "epsilon"], "2*d__L1 + 5*d__Linf*e"),
        forged(good, ["stated", 0, "notion"], "zcdp"),
        forged(good, ["stated"], good["stated"][:2]),
        forged(good, ["claims", 0, "claim", "epsilon"], "2*d__L1 + 3*d__Linf*e"),
        forged(good, ["problem", "claims", 0, "metric"], "2*e*Linf + 2*L1"),
        # proofs
        forged(good, shown, []),
        forged(good, shown, [None]),
        forged(good, [*shown, 0], {"whole": True, "groups": []}),
        forged(good, [*shown, 0, "whole"], True),
        forged(good, [*shown, 0, "groups"], groups[::-1]),
        forged(good, [*shown, 0, "groups"], groups[1:]),
        forged(good, [*first, "cases", 0], []),
        forged(good, [*first, "cases"], []),
        forged(good, [*first, "level"], 7),
        forged(good, [*first, "level"], False),
        forged(good, [*second, "level"], 0),
        forged(good, [*second, "cases", 0, "proof", "cases"], cases[:1]),
        forged(good, [*second, "cases", 0, "proof", "cases"], [[cases[0][0], cases[1][1]], cases[1]]),
        forged(good, [*everywhere, "certificates"], {}),
        forged(good, [*everywhere, "claim"], {"notion": "zcdp", "rho": "2*d__L1 + 4*d__Linf*e"}),
        forged(good, [*everywhere, "from", 1], good["derivation"]["steps"][refute[-1]]["from"][0] - 1),
        # points
        forged(good, [*larger, "point"], {"e": "1"}),
        forged(good, [*larger, "point"], dict.fromkeys(point, "1")),  # at equal points both are 0
        forged(good, [*refute, "point"], dict.fromkeys(point, "1")),
        forged(good, [*refute, "point", "x__D"], "1/0"),
        forged(good, [*refute, "point", "e"], "-1"),
        forged(good, [*refute, "point"], {}),
        forged(good, [*refute, "claim", "epsilon"], "1000*d__L2*e"),
        # what is known of distances
        forged(good, [*bounded, "certificate"], [{"whole": True, "groups": []}]),
        forged(good, [*bounded, "name"], "d__score"),
        forged(good, [*bounded, "name"], "d__d"),
        forged(good, ["problem", "metrics", "f", "at-most"], "Linf"),
    ]
    for n, one in enumerate(wrong):
        with pytest.raises(Refused):
            checker.check_in_metrics(one, THEORY)
            pytest.fail(f"forgery {n} was believed")


def test_a_core_setting_with_other_distances_is_refused(tmp_path: Path) -> None:
    """Also one of which its derivation says that it is about it: smaller distances, and bounds that none shows."""
    good = saved(tmp_path)
    half, at_most = {"formula": "abs(x__D - x__E)", "at most": "2*d__Linf"}, {"at most": "2*d__Linf"}
    for value in (half, at_most, {**half, "at most": "0"}):
        other = believed_again(forged(good, ["core", "distances", "d__f"], value))
        with pytest.raises(Refused):
            checker.check_in_metrics(other, THEORY)
    other = believed_again(forged(good, ["core", "parameters", "e"], "in (0,1)"))
    with pytest.raises(Refused):
        checker.check_in_metrics(other, THEORY)
    # the bound of the problem, too, is another one: the step that shows it does not
    other = forged(good, ["problem", "metrics", "f", "at-most"], "Linf")
    other = believed_again(forged(other, ["core", "distances", "d__f", "at most"], "d__Linf"))
    with pytest.raises(Refused, match="step 7: bounded"):
        checker.check_in_metrics(other, THEORY)


def test_a_bound_that_no_step_shows_is_believed(tmp_path: Path) -> None:
    good = saved(tmp_path)
    assert not any("at most 2*Linf" in one for one in checker.check_in_metrics(good, THEORY).believed)
    bare = forged(good, ["derivation", "steps"], good["derivation"]["steps"][: good["guarantee"]["step"]])
    bare["guarantee"] = {"step": good["guarantee"]["step"]}
    bare["claims"] = [{"claim": one, "verdict": "undecided", "reason": ""} for one in good["stated"]]
    shown = checker.check_in_metrics(bare, THEORY)
    assert shown.verdicts == ("undecided",) * 3 and "f is at most 2*Linf" in shown.believed[0]


def test_a_claim_that_is_lower_everywhere_in_a_file_is_refused(tmp_path: Path) -> None:
    good = saved(tmp_path)
    step = step_of(good, "everywhere")
    for place, value in (
        (["problem", "claims", 0, "metric"], "2*e*Linf + 2*L1"),
        (["stated", 0, "epsilon"], "2*d__L1 + 2*d__Linf*e"),
        (["claims", 0, "claim", "epsilon"], "2*d__L1 + 2*d__Linf*e"),
        ([*step, "claim", "epsilon"], "2*d__L1 + 2*d__Linf*e"),
    ):
        good = forged(good, place, value)
        with pytest.raises(Refused):
            checker.check_in_metrics(good, THEORY)


def test_points_outside_of_the_class_refute_nothing(tmp_path: Path) -> None:
    """In the unit square |x - x'| is at most 1, and no claim of 1 is false there."""
    text = PLANE + 'box = [["0", "1"], ["0", "1"]]\n' + NORMS + composed("L1") + claimed("Linf", "L2/2")
    made, claims = study(text)
    made.save(tmp_path / "d.json", [made.check(claim) for claim in claims])
    good = json.loads((tmp_path / "d.json").read_text())
    assert checker.check_in_metrics(good, THEORY).verdicts == ("refuted", "refuted")
    at = [*step_of(good, "refute"), "point"]
    ends = {f"{x}__{who}": value for x in "xy" for who, value in (("D", "0"), ("E", "1"))}
    assert checker.check_in_metrics(forged(good, at, ends), THEORY).verdicts == ("refuted", "refuted")
    for name, value in (("x__E", "2"), ("y__D", "-1"), ("x__E", "1.5")):
        with pytest.raises(Refused, match=r"step \d+: refute: "):
            checker.check_in_metrics(forged(good, at, ends | {name: value}), THEORY)


def test_a_metric_whose_axioms_are_not_shown_is_believed_and_refutes_nothing(tmp_path: Path) -> None:
    text = PLANE + NORMS + OWN.format("max(a - p, p - a, b - q, q - b)")
    made, claims = study(text + composed("e*d") + claimed("e*L2/2"))
    made.save(tmp_path / "d.json", [made.check(claim) for claim in claims])
    good = json.loads((tmp_path / "d.json").read_text())
    shown = checker.check_in_metrics(good, THEORY)
    assert shown.verdicts == ("refuted",) and "d is a metric" not in shown.believed[0]
    known = step_of(good, "is_metric")
    for n, one in enumerate(steps(good, "attain")):
        without = [number for number in one["from"] if number != known[-1] + 1]
        with pytest.raises(Refused, match="attain: d__d, in which M1 is stated, is not known to be a metric"):
            checker.check_in_metrics(forged(good, [*step_of(good, "attain", n), "from"], without), THEORY)
    for value in ([], [None] * 4):
        with pytest.raises(Refused, match="is_metric"):
            checker.check_in_metrics(forged(good, [*known, "certificates"], value), THEORY)
    bare = forged(good, ["derivation", "steps"], good["derivation"]["steps"][: known[-1]])
    bare["guarantee"] = {"step": good["guarantee"]["step"]}
    bare["claims"] = [{"claim": good["stated"][0], "verdict": "undecided", "reason": ""}]
    shown = checker.check_in_metrics(bare, THEORY)
    assert (shown.verdicts, shown.more["optimal"]) == (
        ("undecided",),
        None,
    ) and "d is a metric" in shown.believed[0]
