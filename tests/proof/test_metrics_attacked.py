"""What was wrong once of privacy in metrics, each with variants: verdicts, crashes and messages."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from in_metrics import THEORY, forged, saved, steps, study, verdicts

from dpcompose.front.studies import recheck as checker
from dpcompose.kernel.check import Refused
from dpcompose.language.said import plain
from dpcompose.privacy.problems import ProblemError

MULTISETS = '[databases]\nkind = "multisets"\n[metrics.u]\ngranularity = "unbounded"\n'
TOWNS = '[databases]\nkind = "listed"\nelements = ["a", "b", "c"]\n'
ROADS = TOWNS + '[metrics.d]\ntable = [["a", "b", "1"], ["b", "c", "1"], ["a", "c", "2"]]\n'
ISLANDS = TOWNS + '[metrics.d]\ntable = [["a", "b", "1"]]\n'
MERGED = (
    '[databases]\nkind = "listed"\nelements = ["a", "b1", "b2", "c"]\n'
    '[maps.f]\ntable = { a = "x", b1 = "y", b2 = "y", c = "z" }\n'
    '[metrics.d]\ntable = [["a", "b1", "1"], ["b2", "c", "1"]]\n'
)


def toml(header: str, **keys: str | Mapping[str, str]) -> str:
    rows = [header]
    for key, value in keys.items():
        inside = (
            f'"{value}"'
            if isinstance(value, str)
            else "{ " + ", ".join(f'{k} = "{v}"' for k, v in value.items()) + " }"
        )
        rows.append(f"{key} = {inside}")
    return "\n".join(rows) + "\n"


def mechanism(name: str, notion: str = "pure", reads: Mapping[str, str] | None = None, **stated: str) -> str:
    some: dict[str, str | Mapping[str, str]] = {"name": name, "guarantee": {"notion": notion, **stated}}
    return toml("[[mechanisms]]", **some, **({} if reads is None else {"reads": reads}))


def claim(notion: str = "pure", **claimed: str) -> str:
    return toml("[[claims]]", notion=notion, **claimed)


# 0 times ∞


def test_no_loss_between_neighbours_says_nothing_of_databases_without_a_path() -> None:
    """A bounded 0-DP mechanism may print how many records there are."""
    for notion, key in (("pure", "epsilon"), ("zcdp", "rho"), ("gaussian", "mu")):
        text = MULTISETS + mechanism("M", notion, **{key: "0", "granularity": "bounded"})
        claims = "".join(claim(notion, metric=one) for one in ("0", "d_bounded", "u"))
        made, found = study(text + claims)
        assert [one.verdict for one in found] == ["refuted", "proved", "refuted"], notion
        said = [plain(step.said) for step in made.derivation().told.steps]
        assert "apart_d_bounded is oo where d_bounded is, and 0 elsewhere" in said


def test_a_claim_of_no_loss_between_neighbours_is_about_neighbours() -> None:
    """A count moves by 0 where one record is replaced."""
    text = (
        MULTISETS + '[target]\ngranularity = "bounded"\n'
        '[[mechanisms]]\nname = "M"\nquery = "count"\nnoise = { laplace = "1" }\n'
    )
    assert verdicts(text + claim(epsilon="0") + claim(metric="0")) == ["proved", "refuted"]
    text = text.replace('granularity = "bounded"', 'granularity = "unbounded"')
    assert verdicts(text + claim(epsilon="0")) == ["refuted"]


@pytest.mark.parametrize("formula", ["0*d", "w*d", "d - d", "0*d/3"])
def test_a_metric_that_cancels_is_no_formula(formula: str) -> None:
    for text in (
        mechanism("M", metric=formula) + claim(metric="0"),
        mechanism("M", metric="d") + claim(metric=f"1 + {formula}"),
    ):
        with pytest.raises(
            ProblemError, match="d cancels here, and that is right only where it is finite: 0 times oo is oo"
        ):
            study('[parameters]\nw = "0"\n' + ISLANDS + text)


@pytest.mark.parametrize(
    ("claimed", "verdict"),
    [
        ("e*d", "proved"),
        ("(e + w)*d", "proved"),  # where both are 0, too
        ("e*min(d, 3)", "refuted"),
        ("min(e*d, 3)", "refuted"),
        ("max(min(e*d, 3), 2)", "refuted"),
        ("exp(e*d) - 1", "proved"),
        ("abs(e*d - 1)", "refuted"),
        ("e*d + w/(1 + d)", "proved"),
        ("e*d + w*exp(-d)", "proved"),
        ("2*e*d**2/(1 + d)", "undecided"),  # at ∞ it is a limit
        ("e*d + w*d*exp(-d)", "undecided"),
    ],
)
def test_formulas_where_a_distance_is_infinite(claimed: str, verdict: str) -> None:
    parameters = '[parameters]\ne = "nonnegative"\nw = "nonnegative"\n'
    text = parameters + ISLANDS + mechanism("M", metric="e*d")
    assert verdicts(text + claim(metric=claimed)) == [verdict]


def test_minima_are_squared_where_a_distance_is_infinite() -> None:
    for notion in ("zcdp", "gaussian"):
        text = ISLANDS + mechanism("M", notion, metric="min(d, 3)")
        some = [claim(notion, metric=one) for one in ("min(d, 3)", "3", "min(d, 2)", "min(2*d, 4)")]
        assert verdicts(text + "".join(some)) == ["proved", "proved", "refuted", "proved"], notion


# δ


def test_a_delta_on_the_common_domain_does_not_add_up_along_fibres() -> None:
    """From x to z in two steps (1, z) becomes (2, z + e·z), and not (2, 2z): of the nearest databases it is known."""
    common = {"domain": "common", "reads": {"map": "f"}}
    for delta, two in (("d/100", "1/50"), ("1/100", "1/100"), ("z*d", "2*z")):
        text = MERGED + mechanism("M", "approximate", metric="d", delta=delta, **common)
        assert verdicts(text + claim("approximate", metric="2", delta=two)) != ["proved"], delta
    text = MERGED + mechanism("M", "approximate", metric="d", delta="0", **common)
    assert verdicts(text + claim("approximate", metric="2", delta="0")) == ["proved"]
    steps = '[granularities.g]\nneighbours = [["a", "b1"], ["b2", "c"]]\n[target]\ngranularity = "g"\n'
    text = (
        steps + MERGED + mechanism("M", "approximate", epsilon="1", delta="1/100", granularity="g", **common)
    )
    some = [claim("approximate", metric="2", delta=one) for one in ("1/50", "1/20")]
    assert verdicts(text + "".join(some)) == ["refuted", "proved"]


@pytest.mark.parametrize(
    ("delta", "expected"),
    [
        *((one, "refuted") for one in ("0", "d/10", "-1", "d - 1")),
        *((one, "proved") for one in ("2", "1", "d")),  # all roads are at least 1 long
    ],
)
def test_a_conversion_at_a_delta_outside_of_its_values_is_no_crash(delta: str, expected: str) -> None:
    """Normal noise of variance 1/2 has the delta Phi(0) - e*Phi(-sqrt(2)) = 0.286 at epsilon 1, where d is 1;
    less than 0 is the delta of nothing."""
    text = ROADS + mechanism("M", "zcdp", metric="d")
    _, (found,) = study(text + claim("approximate", metric="d", delta=delta))
    assert found.verdict == expected
    if expected == "refuted":
        example = found.counterexample
        assert (
            example is not None and example.actual is not None and example.event != (delta in ("0", "d/10"))
        )
        assert example.actual < Fraction(287, 1000)
        assert float(example.actual) == pytest.approx(0.0 if example.event else 0.2862082, abs=1e-6)
    assert verdicts(text + claim("zcdp", metric="-d")) == ["undecided"]


def test_losses_that_are_maxima_of_roots_are_ordered() -> None:
    text = ROADS + mechanism("M", metric="max(7*d, sqrt(21*d))/3") + mechanism("N", metric="d")
    assert verdicts(text + claim("approximate", metric="d/2", delta="0")) == ["refuted"]


# mechanisms that do not exist


@pytest.mark.parametrize(
    "stated", [{"metric": "d - 3"}, {"notion": "approximate", "metric": "d", "delta": "d - 1/2"}]
)
def test_a_guarantee_that_nothing_satisfies_refutes_nothing(stated: dict[str, str]) -> None:
    with pytest.raises(ProblemError, match="at equal databases; what is lost is at least 0"):
        study(ROADS + mechanism("M", metric="d") + mechanism("N", **stated))


def test_a_guarantee_that_may_be_negative_refutes_nothing() -> None:
    """Where all roads are at least 1 long d - t is not negative; but less than t it may be."""
    text = '[metrics.t]\ntable = [["a", "b", "1/2"], ["b", "c", "1/2"], ["a", "c", "1/2"]]\n'
    text = ROADS + text + mechanism("M", metric="d") + mechanism("N", metric="d - t")
    assert verdicts(text + claim(metric="d/2")) == ["refuted"]
    _, (found,) = study(
        text.replace('"b", "c", "1/2"', '"b", "c", "3"').replace('"c", "1/2"', '"c", "3"')
        + claim(metric="d/2")
    )
    assert found.verdict == "undecided" and found.reason


@pytest.mark.parametrize(
    "other",
    ["min(d, t)", "e*min(d, 2*t)", "d*t", "sqrt(min(d, t))", "max(d - t, 0)", "(d - t)**2", "d*t + d"],
)
def test_a_mechanism_beside_one_that_is_no_metric_refutes(other: str) -> None:
    """The other one may always say the same, as its guarantee is nowhere below 0."""
    text = ROADS + '[metrics.t]\ntable = [["a", "b", "1/2"], ["b", "c", "1/2"], ["a", "c", "1/2"]]\n'
    assert verdicts(
        text + mechanism("M", metric="d") + mechanism("N", metric=other) + claim(metric="d/2")
    ) == ["refuted"]


# names


def test_a_canonical_metric_that_is_named_otherwise_is_that_metric() -> None:
    """d_bounded was a parameter in files that name the bounded metric."""
    text = MULTISETS + '[metrics.b]\ngranularity = "bounded"\n' + mechanism("M", metric="e*d_bounded")
    some = [claim(metric=one) for one in ("e*b", "e*d_bounded", "e*b/2", "e*u", "e*d_unbounded")]
    assert verdicts(text + "".join(some)) == ["proved", "proved", "refuted", "refuted", "refuted"]
    common = {"domain": "common", "reads": {"map": "f"}}
    steps = '[granularities.g]\nneighbours = [["a", "b1"], ["b2", "c"]]\n[metrics.h]\ngranularity = "g"\n'
    text = MERGED + steps + mechanism("M", metric="2*d_g", **common)
    assert verdicts(text + claim(metric="4") + claim(metric="3")) == ["proved", "refuted"]


# saved files


@pytest.mark.parametrize(
    ("key", "value"), [("whole", "x"), ("whole", None), ("whole", 0), ("level", True), ("level", 1.0)]
)
def test_a_certificate_is_of_whole_numbers_and_truth_values(tmp_path: Path, key: str, value: Any) -> None:
    data = saved(ROADS + mechanism("M", metric="d") + claim(metric="2*d"), tmp_path)
    assert checker.check_in_metrics(data, THEORY).verdicts == ("proved",)
    (shown,) = steps(data, "everywhere")
    there = shown["certificates"]["epsilon"][1]
    (there if key == "whole" else there["groups"][0])[key] = value
    with pytest.raises(Refused, match="the certificate cannot be read"):
        checker.check_in_metrics(data, THEORY)


def test_a_claim_in_a_power_that_may_be_negative_is_refused_in_saved_files(tmp_path: Path) -> None:
    """Of -d the square is that of d; a loss of less than nothing is still none that is shown."""
    data = saved(ROADS + mechanism("M", "zcdp", metric="d") + claim("zcdp", metric="d"), tmp_path)
    assert checker.check_in_metrics(data, THEORY).verdicts == ("proved",)
    with pytest.raises(Refused, match="never negative"):
        checker.check_in_metrics(forged(data, ["problem", "claims", 0, "metric"], "-d"), THEORY)


def test_parameters_below_0_are_refused_in_guarantees_and_no_crash_in_claims() -> None:
    names = '[parameters]\nx = "real"\nr = "positive"\n'
    near = '[granularities.g]\nneighbours = [["a", "b"], ["b", "c"]]\n[target]\ngranularity = "g"\n'
    for value in ("-1", "x", "r - 1"):
        for notion, key in (("pure", "epsilon"), ("zcdp", "rho"), ("gaussian", "mu")):
            with pytest.raises(ProblemError, match="not known to be at least 0"):
                study(names + near + ROADS + mechanism("M", notion, **{key: value, "granularity": "g"}))
    for metric in ("-d", "-r*d", "-1"):
        with pytest.raises(ProblemError, match=r"this is .*; what is lost is at least 0"):
            study(names + ROADS + mechanism("M", "zcdp", metric=metric))
    some = "".join(claim("zcdp", rho=one) for one in ("-1", "r - 2", "x", "x**2 + 1", "1"))
    text = names + near + ROADS + mechanism("M", "zcdp", metric="d") + some
    assert verdicts(text) == ["undecided", "refuted", "refuted", "proved", "proved"]


def test_less_than_nothing_is_always_lost() -> None:
    for text in (ROADS, ISLANDS, '[databases]\nkind = "listed"\nelements = ["a"]\n[metrics.d]\ntable = []\n'):
        text += mechanism("M", metric="d") + claim(metric="-1") + claim(metric="-d - 1/9")
        assert verdicts(text) == ["refuted", "refuted"]


def test_roots_of_sums_of_squares_and_metrics_are_metrics() -> None:
    text = '[metrics.t]\ntable = [["a", "b", "9"], ["b", "c", "9"], ["a", "c", "9"]]\n' + ROADS
    for metric in (
        "sqrt(4*d**2 + (e*t)**2)",
        "sqrt(d + t**2)",
        "(d**2 + t**2)**(1/4)",
        "sqrt(min(d, 1)**2 + d)",
    ):
        made, found = study(text + mechanism("M", metric=metric) + claim(metric="d/100"))
        assert (made.guarantee().optimal, found[0].verdict) == (True, "refuted"), metric
    for metric in ("(d**2 + t**2)**(2/3)", "sqrt(d*t)", "sqrt(d**3)"):  # d, t = 1, 1: no metrics in general
        made, _ = study(text + mechanism("M", metric=metric))
        assert made.guarantee().optimal is None, metric


def test_a_pure_mechanism_that_loses_in_another_notion_is_said_to_be_randomized_response() -> None:
    """Not the one with P(1) = exp(-d)/2, whose divergence is smaller: 4.65 of 4.93 at d = 10."""
    _, (found,) = study(ROADS + mechanism("M", metric="10*d") + claim("zcdp", metric="3/2*d"))
    assert found.counterexample is not None
    said = "as randomized response, with the loss 5*tanh(5/2), by pure-in-zcdp"
    assert [row.words() for row in found.counterexample.rows] == [said]


@pytest.mark.parametrize("notion", ["pure", "zcdp", "approximate"])
@pytest.mark.parametrize("claimed", ["zcdp", "gaussian", "pure"])
def test_what_has_no_path_is_lost_without_end_in_any_notion(notion: str, claimed: str) -> None:
    delta = {"delta": "0"} if notion == "approximate" else {}
    _, (found,) = study(ISLANDS + mechanism("M", notion, metric="d", **delta) + claim(claimed, metric="1"))
    assert found.verdict == "refuted" and found.counterexample is not None
    assert found.counterexample.actual is None and len(found.counterexample.rows) == 1


@pytest.mark.parametrize("delta", ["0", "d/10"])
def test_no_delta_is_more_than_1(delta: str) -> None:
    text = ISLANDS + mechanism("M", "approximate", metric="d", delta=delta)
    _, (found,) = study(text + claim("approximate", metric="1", delta="1/2"))
    assert found.verdict == "refuted" and found.counterexample is not None
    assert found.counterexample.actual == 1
    assert verdicts(text + claim("approximate", metric="1", delta="1")) == ["proved"]  # of any mechanism


def test_what_is_never_negative_in_a_power_is_judged() -> None:
    """At d = 1 and e = w = 1 exp(-1) is less than 1, as is 1/2 + exp(-1); of min(d, e)*min(d, 1) at d = 2 it is 1."""
    text = '[parameters]\ne = "positive"\nw = "nonnegative"\n' + ROADS + mechanism("M", "zcdp", metric="d")
    some = ("exp(-d)", "exp(-d) + d", "min(d, e)*min(d, 1)", "abs(w - 1)*d", "d/2 + exp(-sqrt(d))")
    assert verdicts(text + "".join(claim("zcdp", metric=one) for one in some)) == [
        *("refuted", "proved", "refuted", "refuted", "refuted")
    ]
    for root in ("sqrt(min(d, w))", "d*sqrt(min(d, w))", "(d + 1)*sqrt(min(d/2, w))"):
        assert verdicts(text + claim("zcdp", metric=root)) == ["refuted"], root  # at w = 0


def test_a_mechanism_that_leaks_may_lose_what_a_pure_one_does() -> None:
    for delta in ("0", "d/10"):
        text = ROADS + mechanism("M", "approximate", metric="d", delta=delta)
        assert verdicts(text + claim(metric="d/9") + claim(metric="1")) == ["refuted", "refuted"]


def test_nothing_lost_or_all_of_it_at_a_delta_of_1() -> None:
    """Where distances are 0 or oo alone, at a delta of 1 nothing is claimed where something is lost."""
    text = '[databases]\nkind = "listed"\nelements = ["a", "b"]\n[granularities.g]\nneighbours = []\n'
    text += '[metrics.d]\ngranularity = "g"\n' + mechanism("M", "gaussian", metric="d")
    assert verdicts(text + claim("approximate", metric="d", delta="1")) == ["proved"]


def test_points_refute_where_two_bounded_distances_are_in_a_comparison() -> None:
    """One record y in place of x: the distance of all records is 1."""
    text = '[databases]\nkind = "multisets"\n[metrics.b]\ngranularity = "bounded"\n'
    text += '[metrics.c]\ngranularity = "bounded"\nreads = { records = ["a"] }\n'
    text += mechanism("M", metric="b") + mechanism("N", metric="c")
    assert verdicts(text + claim(metric="b/2")) == ["refuted"]
