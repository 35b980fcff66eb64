"""Privacy in metrics that are not canonical: against plain evaluation, on wrong metrics, and forged files."""

from __future__ import annotations

import itertools
import json
import math
import random
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from in_metrics import believed_again, forged, steps
from shipped import IN_METRICS

import dpcompose as dpc
from dpcompose.front import cli
from dpcompose.front import recheck as checker
from dpcompose.front.study import Study
from dpcompose.kernel.check import Refused
from dpcompose.language import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.metrics import reading
from dpcompose.privacy.problems import Claim, ProblemError
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.proof import registry

THEORY = registry.standard()
PLANE = '[databases]\nkind = "points"\ncoordinates = ["x", "y"]\n'
NORMS = "".join(f'[metrics.{word}]\nnorm = "{word}"\n' for word in ("L1", "L2", "Linf"))


def study(text: str) -> tuple[Study, tuple[Claim, ...]]:
    text = "format = 1\n" + text
    problem = reading.read_data(problems.parsed(text), "problem", text)
    return Study(problem.setting, THEORY), problem.claims


def composed(*metrics: str) -> str:
    return "".join(
        f'[[mechanisms]]\nname = "M{n}"\nguarantee = {{ notion = "pure", metric = "{one}" }}\n'
        for n, one in enumerate(metrics, start=1)
    )


def claimed(*metrics: str) -> str:
    return "".join(f'[[claims]]\nnotion = "pure"\nmetric = "{one}"\n' for one in metrics)


def verdicts(text: str) -> list[str]:
    made, claims = study(text)
    return [made.check(claim).verdict for claim in claims]


# against plain evaluation

Vector = tuple[Fraction, Fraction]
PLAIN: dict[str, Callable[[Vector], float]] = {
    "L1": lambda v: float(abs(v[0]) + abs(v[1])),
    "L2": lambda v: math.hypot(*v),
    "Linf": lambda v: float(max(map(abs, v))),
}


def random_metric(rng: random.Random) -> tuple[str, Callable[[Vector], float]]:
    """A formula in the three norms, and the same in plain arithmetic."""
    kind = rng.choice(["norm", "sum", "max", "cut"])
    one, two = rng.choice(sorted(PLAIN)), rng.choice(sorted(PLAIN))
    a, b = rng.randint(1, 4), rng.randint(1, 4)
    f, g = PLAIN[one], PLAIN[two]
    if kind == "norm":
        return f"{a}*{one}", lambda v: a * f(v)
    if kind == "sum":
        return f"{a}*{one} + {b}*{two}/2", lambda v: a * f(v) + b * g(v) / 2
    if kind == "max":
        return f"max({a}*{one}, {b}*{two})", lambda v: max(a * f(v), b * g(v))
    return f"min({a}*{one}, {b})", lambda v: min(a * f(v), b)


@pytest.mark.parametrize("many", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_verdicts_agree_with_plain_evaluation(many: int) -> None:
    rng = random.Random(5)
    grid = [Fraction(n, 2) for n in (-6, -3, -1, 0, 1, 2, 8)]
    found = []
    for _ in range(many):
        (first, d1), (second, d2) = random_metric(rng), random_metric(rng)
        claim, d = random_metric(rng)
        made, (stated,) = study(PLANE + NORMS + composed(first, second) + claimed(f"2*({claim})"))
        assert made.guarantee().optimal
        verdict = made.check(stated)
        found.append(verdict.verdict)
        if verdict.verdict == "proved":
            for v in itertools.product(grid, repeat=2):
                assert 2 * d(v) >= d1(v) + d2(v) - 1e-9, (first, second, claim, v)
        elif verdict.verdict == "refuted":
            assert verdict.counterexample is not None
            D, E = verdict.counterexample.pair
            v = (Fraction(D["x"]) - Fraction(E["x"]), Fraction(D["y"]) - Fraction(E["y"]))
            assert 2 * d(v) < d1(v) + d2(v), (first, second, claim)
    assert {"proved", "refuted"} <= set(found) and found.count("undecided") <= many // 2


def test_equal_metrics_are_proved_and_least() -> None:
    text = PLANE + NORMS + composed("e1*L1", "e2*max(L2, 3*Linf)") + claimed("e2*max(3*Linf, L2) + e1*L1")
    made, (claim,) = study(text)
    verdict = made.check(claim)
    assert (verdict.verdict, verdict.loose) == ("proved", False)


# examples of the source


def test_tuples_that_no_other_one_is_a_neighbour_of() -> None:
    steps = '[metrics.h]\ngranularity = "bounded"\n' + composed("e*h") + claimed("0", "e")
    for only in ('size = "= 2"\nrecords = ["a"]\n', 'size = "= 0"\n'):
        assert verdicts(f'[databases]\nkind = "tuples"\n{only}{steps}') == ["proved", "proved"]


def test_parameters_at_which_a_claim_fails_are_kept_where_its_databases_are_equal() -> None:
    """e*z is more than 3*z for large e: the comparison of coordinates fails at equal ones first."""
    any_two = '[metrics.z]\ngranularity = "free-lunch"\n'
    text = PLANE + NORMS + any_two + composed("e*z", "min(2*L1, 1)")
    assert verdicts(text + claimed("3*z", "(e + 1)*z", "(e + 999/1000)*z")) == [
        "refuted",
        "proved",
        "refuted",
    ]


def test_what_a_norm_is_at_most_is_not_put_where_less_of_it_is_more() -> None:
    """|v| is at most |x - x'| + 2|y - y'| = n, and 3 - |v| is at least 3 - n: at (0, 1) and (1/10, 0) the
    metric is 11/10, and min(n, 3 - n) is 9/10."""
    v, n = "abs(a - b + 2*p - 2*q)", "abs(a - b) + 2*abs(p - q)"
    letters = 'letters = [["a", "p"], ["b", "q"]]\nformula ='
    text = (
        PLANE
        + 'box = [["0", "1"], ["0", "1"]]\n'
        + f'[metrics.s]\n{letters} "min({v}, 3 - {v})"\n[metrics.n]\n{letters} "{n}"\n'
        + composed("e*s")
        + claimed("e*min(n, 3 - n)", "e*n")
    )
    assert verdicts(text) == ["refuted", "proved"]


def test_two_districts_lose_the_sum_of_what_counts_and_locations_lose() -> None:
    made, claims = dpc.load(next(file for file in IN_METRICS if file.name.startswith("75")))
    assert str(made.metric()) == "count1*e1 + count2*e1 + e2*place1 + e2*place2"
    refuted = made.check(next(one for one in claims if one.expect == "refuted"))
    assert refuted.counterexample is not None
    D, E = refuted.counterexample.pair
    e1, e2, w = (refuted.counterexample.point[name] for name in ("e1", "e2", "w"))
    u = sum(len(D[one]) + len(E[one]) for one in ("S1", "S2"))
    moved = [
        math.hypot(Fraction(D[x]) - Fraction(E[x]), Fraction(D[y]) - Fraction(E[y]))
        for x, y in (("x1", "y1"), ("x2", "y2"))
    ]
    assert all(one <= w for one in moved)
    assert all(
        Fraction(one[x]) ** 2 + Fraction(one[y]) ** 2 <= w**2 / 4
        for one in (D, E)
        for x, y in (("x1", "y1"), ("x2", "y2"))
    )
    lost = e1 * u + e2 * sum(moved)
    assert float(refuted.counterexample.actual) == pytest.approx(float(lost))
    assert float(refuted.counterexample.claimed) == pytest.approx(float(e1 * u + e2 * max(moved)))


def test_points_of_the_rim_of_a_disc_are_looked_at() -> None:
    """Opposite points in the direction (20, 21) are 41/29 of the diameter apart, by the sum of changes."""
    disc = '[databases]\nkind = "points"\ncoordinates = ["x", "y"]\ndisc = "w"\n' + NORMS
    text = disc + composed("e*L1") + claimed("e*w*141/100", "e*w*1415/1000")
    made, claims = study('[parameters]\nw = "positive"\n' + text)
    verdicts = [made.check(claim) for claim in claims]
    assert [one.verdict for one in verdicts] == ["refuted", "undecided"]
    assert verdicts[1].reason == "neither a proof nor a point was found"


def test_only_half_of_the_diameter_is_not_enough() -> None:
    disc = '[databases]\nkind = "points"\ncoordinates = ["x", "y"]\ndisc = "w"\n' + NORMS
    assert verdicts(disc + composed("e*L2") + claimed("e*w", "e*w/2", "99*e*w/100")) == [
        "proved",
        "refuted",
        "refuted",
    ]


def test_a_clipped_value_moves_no_further_than_the_interval_and_not_less() -> None:
    text = '[databases]\nkind = "points"\ncoordinates = ["x"]\n[maps.f]\nvalues = ["min(max(x, l), l + w)"]\n'
    text += '[parameters]\nl = "real"\n[metrics.moved]\nnorm = "L1"\nof = "f"\n[metrics.d]\nnorm = "L1"\n'
    text += '[metrics.any_two]\ngranularity = "free-lunch"\n' + composed("e*moved")
    claims = claimed("e*w*any_two", "e*d", "e*min(d, w)", "e*w*any_two/2", "e*d/2")
    assert verdicts(text + claims) == ["proved", "proved", "proved", "refuted", "refuted"]


def test_points_away_from_the_origin_refute_too() -> None:
    text = '[databases]\nkind = "points"\ncoordinates = ["x"]\nbox = [["1", "2"]]\n[metrics.d]\nnorm = "L1"\n'
    text += '[metrics.square]\nletters = [["a"], ["b"]]\nformula = "abs(a**2 - b**2)"\n' + composed(
        "e*square"
    )
    assert verdicts(text + claimed("3*e", "2*e", "4*e*d", "e*d")) == [
        "proved",
        "refuted",
        "proved",
        "refuted",
    ]


def test_records_and_positions_are_counted_by_kind() -> None:
    multisets = '[databases]\nkind = "multisets"\n[metrics.all]\ngranularity = "unbounded"\n'
    for name, records in (("a", '["a"]'), ("ab", '["a", "b"]')):
        multisets += f'[metrics.{name}]\ngranularity = "unbounded"\nreads = {{ records = {records} }}\n'
    text = multisets + composed("e1*a", "e2*ab")
    assert verdicts(text + claimed("(e1 + e2)*all", "e1*all + e2*ab", "max(e1, e2)*all")) == [
        "proved",
        "proved",
        "refuted",
    ]
    tuples = '[databases]\nkind = "tuples"\nsize = "= 3"\n[metrics.all]\ngranularity = "bounded"\n'
    for name, positions in (("first", "[1]"), ("others", "[2, 3]")):
        tuples += f'[metrics.{name}]\ngranularity = "bounded"\nreads = {{ positions = {positions} }}\n'
    text = tuples + composed("e1*first", "e2*others")
    assert verdicts(text + claimed("max(e1, e2)*all", "e1 + 2*e2", "e1 + e2")) == [
        "proved",
        "proved",
        "refuted",
    ]


# what is a metric

OWN = '[metrics.d]\nletters = [["a", "b"], ["p", "q"]]\nformula = "{}"\n'


@pytest.mark.parametrize(
    "formula",
    [
        "abs(a - p) + 2*abs(b - q)",
        "sqrt((a - p)**2 + 4*(b - q)**2)",
        "abs(a**3 - p**3)",
        "min(abs(a - p), 1/2) + abs(b - q)/(1 + w)",
        "max(a - p, p - a, b - q, q - b)",
        "sqrt(abs(a - p + b - q)**2 + (b - q)**2/3)",  # irrational at rational points
        "sqrt(abs(a - p)) + abs(b - q)",
    ],
)
def test_metrics_in_coordinates_are_seen_to_be_metrics(formula: str) -> None:
    made, _ = study(PLANE + OWN.format(formula) + composed("e*d"))
    assert made.guarantee().optimal and "d is a metric" not in made.guarantee().assumptions


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("(a - p)**2", r"d\(D, E\) \+ d\(E, F\) >= d\(D, F\) fails: 5 is less than 9"),
        ("max(a - p, 0)", r"d\(D, E\) >= d\(E, D\) fails"),
        ("abs(a - p) + 1", r"d\(D, D\) = 1"),
        ("a - p", r"d\(D, E\) >= 0 fails"),
        ("min(abs(a - p), abs(b - q))", r"d\(D, E\) \+ d\(E, F\) >= d\(D, F\) fails"),
    ],
)
def test_what_is_no_metric_is_refused_with_points(formula: str, words: str) -> None:
    with pytest.raises(InvalidSetting, match=f"^d is no metric: {words}"):
        study(PLANE + OWN.format(formula) + composed("e*d"))


def test_the_minimum_of_two_metrics_is_believed_and_refutes_nothing() -> None:
    text = PLANE + NORMS + composed("e*min(L2, 2*Linf)") + claimed("e*L1", "e*Linf/4")
    made, claims = study(text)
    assert made.guarantee().optimal is None
    assert [made.check(claim).verdict for claim in claims] == ["proved", "undecided"]
    assert made.check(claims[1]).reason.startswith("it is not known that e*min(L2, 2*Linf), in which M1 is")


# declared sensitivities

DECLARED = PLANE + NORMS + '[maps.f]\nvalues = ["x + 2*y", "x"]\n[metrics.m]\nnorm = "{}"\nof = "f"\n'


@pytest.mark.parametrize(
    ("norm", "bound", "holds"),
    [
        ("L1", "2*L1", True),  # the largest sum of a column
        ("L1", "19*L1/10", False),
        ("Linf", "3*Linf", True),  # the largest sum of a row
        ("Linf", "29*Linf/10", False),
        ("L1", "4*Linf", True),
        ("Linf", "2*L1", True),
        ("Linf", "19*L1/10", False),
    ],
)
def test_the_sensitivity_of_a_linear_map_is_decided(norm: str, bound: str, holds: bool) -> None:
    text = DECLARED.format(norm) + f'at-most = "{bound}"\n' + composed("e*m")
    if not holds:
        with pytest.raises(InvalidSetting, match=r"^the bound on m fails: m is \S+ at D = \(x = "):
            study(text)
    else:
        assert not any("at most" in one for one in study(text)[0].guarantee().assumptions)


def test_a_bound_alone_is_believed_and_used() -> None:
    text = PLANE + NORMS + '[metrics.score]\nat-most = "3*L1"\n' + composed("e*score")
    made, claims = study(text + claimed("3*e*L1", "2*e*L1", "e*score"))
    assert [made.check(claim).verdict for claim in claims] == ["proved", "undecided", "proved"]
    assert made.guarantee().assumptions[1:] == ["score is a metric", "score is at most 3*L1"]


# files


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PLANE + NORMS + composed("e*L3"), "e*L3 is not 0 where D = E"),
        (PLANE + NORMS + composed("e*x"), "mechanisms.1.guarantee.metric: x is a coordinate, and has no"),
        (
            PLANE + '[metrics.d]\nnorm = "L7"\n' + composed("d"),
            "metrics.d.norm: there is no norm 'L7'; there is L1, L2",
        ),
        (
            PLANE + '[metrics.d]\ngranularity = "bounded"\n' + composed("d"),
            "metrics.d.of: bounded neighbours diff",
        ),
        (PLANE + NORMS + composed("oo"), "mechanisms.1.guarantee.metric: oo says nothing here"),
        (PLANE + NORMS + composed("sqrt(L1 - L2)"), "guarantee.metric: L1 - L2 is not known to be >= 0"),
        (PLANE.replace('"y"', '"x"') + NORMS + composed("L1"), "coordinates: x is a coordinate already"),
        (PLANE + 'disc = "-1"\n' + NORMS + composed("L1"), "databases.disc: the diameter is not known"),
        (PLANE + NORMS + composed("L1") + claimed("e*L1"), "claims.1.metric: unknown name 'e'"),
        (
            PLANE + NORMS + composed("L1") + '[[claims]]\nnotion = "pure"\nepsilon = "2"\n',
            "epsilon counts steps of [target], which is left out",
        ),
        (
            PLANE + NORMS + '[[mechanisms]]\nname = "M"\nnoise = { randomized-response = "3/4" }\n',
            "gives no metric in which",
        ),
        (
            PLANE + NORMS + '[[mechanisms]]\nname = "M"\nnoise = { laplace = "0" }\n',
            "mechanisms.1.noise.laplace: the scale 0 must be positive for all allowed values",
        ),
    ],
)
def test_mistakes_are_named(text: str, message: str) -> None:
    with pytest.raises(ProblemError) as error:
        study(text)
    assert message in re.sub(r" \(line \d+\)", "", str(error.value))


def test_bounded_neighbours_of_multisets_are_oo_between_different_sizes() -> None:
    text = '[databases]\nkind = "multisets"\n[metrics.d]\ngranularity = "bounded"\n' + composed("e*d")
    more = '[metrics.u]\ngranularity = "unbounded"\n[metrics.any]\ngranularity = "free-lunch"\n'
    assert verdicts(text + more + claimed("2*e*d", "e*d", "e*u", "e*any", "e*d/2")) == [
        *("proved", "proved", "refuted", "refuted", "refuted")
    ]
    assert verdicts(text.replace("e*d", "e*u") + more + claimed("2*e*d", "e*d", "e*u")) == [
        *("proved", "refuted", "proved")
    ]


def test_groups_are_no_formula_in_counts() -> None:
    text = '[databases]\nkind = "multisets"\n[metrics.d]\ngranularity = "free-lunch"\n' + composed("e*d")
    made, (claim,) = study(text + claimed("2*e*d"))
    assert made.check(claim).verdict == "proved"


def test_files_about_metrics_and_neighbours_are_told_apart(tmp_path: Path) -> None:
    assert isinstance(dpc.load(IN_METRICS[0])[0], Study)
    other = IN_METRICS[0].with_name("01-bounded-parallel.toml")
    for load in (dpc.load, dpc.load_metric):
        made = [load(file)[0].check(load(file)[1][0]).noun for file in (IN_METRICS[0], other)]
        assert made == ["metric", "guarantee"]


def test_the_bound_is_shown_line_by_line(capsys: pytest.CaptureFixture[str]) -> None:
    file = next(file for file in IN_METRICS if file.name.startswith("71"))
    assert cli.main(["bound", str(file)]) == 0
    assert "5. the composition is private in the metric L1*e1 + L2*e2; at all" in capsys.readouterr().out


# forged files


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
    assert shown.verdicts == ("undecided",) * 3 and "f is at most 2*Linf" in shown.believed


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
    assert shown.verdicts == ("refuted",) and "d is a metric" not in shown.believed
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
    assert (shown.verdicts, shown.optimal) == (("undecided",), None) and "d is a metric" in shown.believed


# in Python


def of_map(*entries: str, on: Any = None) -> Study:
    norms = ("L1", "L2", "Linf")
    metrics = {one: dpc.norm(one) for one in norms} | {f"{one}f": dpc.norm(one, of="f") for one in norms}
    metrics["any_two"] = dpc.steps_between(dpc.free_lunch)
    on = on or dpc.points("x y")
    return dpc.metric_study({"M": "L1"}, on=on, maps={"f": list(entries)}, metrics=metrics)


@pytest.mark.parametrize(
    ("entries", "moved", "over", "value"),
    [
        (["a*x + b*y"], "L1f", "L1", "max(a, b)"),
        (["a*x + b*y"], "L1f", "Linf", "a + b"),
        (["x + 2*y", "3*x"], "L1f", "L1", "4"),
        (["x + 2*y", "3*x"], "L2f", "L1", "sqrt(10)"),
        (["x + 2*y", "3*x"], "Linff", "L2", "3"),
        (["3*x + 4*y"], "L1f", "L2", "5"),
        (["min(max(x, 0), w)"], "L1f", "any_two", "w"),
    ],
)
def test_sensitivities_are_exact(entries: list[str], moved: str, over: str, value: str) -> None:
    found = of_map(*entries).sensitivity(moved, over)
    assert found.proved and formulas.to_text(found.value) == value


def test_sensitivities_are_attained_inside_of_the_class() -> None:
    box = dpc.points("x y", box=[(2, "oo"), ("-oo", -1)])
    found = of_map("x - y/2", on=box).sensitivity("L1f", "Linf")
    assert found.proved and found.value == Fraction(3, 2) and found.pair is not None
    assert all(Fraction(one["x"]) >= 2 and Fraction(one["y"]) <= -1 for one in found.pair)
    clipped = of_map("min(max(x, 0), 5)", on=dpc.points("x y", box=[(2, 4), (0, 1)]))
    assert str(clipped.sensitivity("L1f", "any_two").value) == "2"
    records = {"all": dpc.steps_between(dpc.unbounded, of="S"), "any_two": dpc.steps_between(dpc.free_lunch)}
    both = dpc.metric_study(
        {"M": "all"}, on=dpc.product(S=dpc.multisets(), p=dpc.points("x")), metrics=records
    )
    assert str(both.sensitivity("any_two", "all").value) == "oo"  # points move without records
    assert both.sensitivity("3*all", "all").value == 3
    forgetful = of_map("x").sensitivity("L1", "L1f")  # points that only y tells apart are at distance 0
    assert forgetful.proved and str(forgetful.value) == "oo" and forgetful.pair is not None


def test_a_sensitivity_that_is_not_proved_is_a_bound_from_below() -> None:
    found = of_map("x**2", on=dpc.points("x y", box=[(0, 2), (0, 1)])).sensitivity("L1f", "L1")
    assert not found.proved and 0 < found.value <= 4 and repr(found).startswith("at least ")


def test_a_study_in_python_is_a_file(tmp_path: Path) -> None:
    study = dpc.metric_study(
        {"M1": "e1*all", "M2": ("home", dpc.planar_laplace("1/e2")), "M3": "own"},
        on=dpc.product(S=dpc.multisets({"a", "b"}), home=dpc.points("x y", disc="w")),
        metrics={
            "all": dpc.steps_between(dpc.unbounded, of="S", records=["a"]),
            "own": dpc.in_coordinates("a b", "p q", "abs(a - p)", of="home"),
            "moved": dpc.at_most("2*own", dpc.norm("Linf", of="f")),
            "both": "all + moved",
        },
        maps={"f": ["x - 1", "2*x"]},
        adaptive=True,
        title="t",
    )
    assert str(study.guarantee()) == "private in the metric L2_home*e2 + all*e1 + own, by GB:V.2; optimal"
    (tmp_path / "p.toml").write_text(study.to_toml())
    again, _ = dpc.load(tmp_path / "p.toml")
    assert str(again.guarantee()) == str(study.guarantee())
    assert again.guarantee().assumptions == study.guarantee().assumptions
    symbols = study.symbols
    claim = symbols["e1"] * symbols["all"] + 2 * (symbols["e2"] + 1) * symbols["w"]
    assert repr(study.check(claim)) == "proved, loose"
    assert repr(study.check("e1*all + own")).startswith("refuted: D = ")
