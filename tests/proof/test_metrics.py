"""Privacy in metrics that are not canonical: against plain evaluation, on wrong metrics, in files and in Python."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from in_metrics import claimed, stated
from proof.on_a_plane import NORMS, OWN, PLANE, composed, study
from shipped import IN_METRICS

import dpcompose as dpc
from dpcompose.front import cli
from dpcompose.front.studies.study import Study
from dpcompose.language import formulas
from dpcompose.privacy.problems import ProblemError
from dpcompose.privacy.settings.invalid import InvalidSetting


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
    made, claims = dpc.load(next(file for file in IN_METRICS if file.name.startswith("69")))
    assert str(made.metric()) == "any_south*w*x2 + count_north*e1 + count_south*e2 + place_north*x1"
    refuted = made.check(next(one for one in claims if one.expect == "refuted"))
    assert refuted.counterexample is not None
    D, E = refuted.counterexample.pair
    e1, e2, x1, x2, w = (refuted.counterexample.point[name] for name in ("e1", "e2", "x1", "x2", "w"))
    north, south = (abs(len(D[one]) - len(E[one])) for one in ("north", "south"))
    moved = math.hypot(Fraction(D["x"]) - Fraction(E["x"]), Fraction(D["y"]) - Fraction(E["y"]))
    assert moved <= w
    assert all(Fraction(one["x"]) ** 2 + Fraction(one["y"]) ** 2 <= w**2 / 4 for one in (D, E))
    places = x1 * moved + w * x2 * (D["south"] != E["south"])
    assert float(refuted.counterexample.actual) == pytest.approx(float(e1 * north + e2 * south + places))
    assert float(refuted.counterexample.claimed) == pytest.approx(float(max(e1 * north, e2 * south) + places))


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
    assert made.guarantee().optimal and not [
        one for one in made.guarantee().assumptions if "is a metric" in one
    ]


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


def test_however_much_is_lost_a_counterexample_is_shown() -> None:
    """x**2 moves by 10**4 and more where x moves by 100, and exp(-10**4) is below 10**-1000."""
    text = PLANE + NORMS + '[maps.f]\nvalues = ["x**2"]\n[metrics.m]\nnorm = "L1"\nof = "f"\n'
    made, (claim,) = study(text + composed("e*m") + claimed("100*e*L1"))
    verdict = made.check(claim)
    assert verdict.refuted and verdict.counterexample.actual > 2303
    assert "exp(-" in verdict.counterexample.rows[0].said


@pytest.mark.parametrize("notion", ["pure", "zcdp", "gaussian"])
def test_what_one_mechanism_loses_alone_is_told_in_the_metric(notion: str) -> None:
    """Of zCDP the metric is the root of rho: 5 and 3, of which 5 alone is more than 4."""
    text = "[databases]\nkind = 'listed'\nelements = ['a', 'b']\n[metrics.d]\ntable = [['a', 'b', '1']]\n"
    text += stated("5*d", notion) + stated("3*d", notion, "N") + claimed("4*d", notion=notion)
    made, (claim,) = study(text)
    assert made.check(claim).counterexample.alone.data() == {"mechanism": "M", "loss": "5", "by": "GB:VII.2"}


def test_a_bound_alone_is_believed_and_used() -> None:
    text = PLANE + NORMS + '[metrics.score]\nat-most = "3*L1"\n' + composed("e*score")
    made, claims = study(text + claimed("3*e*L1", "2*e*L1", "e*score"))
    assert [made.check(claim).verdict for claim in claims] == ["proved", "undecided", "proved"]
    axioms = "score is a metric: symmetric, 0 at equal databases, with the triangle inequality"
    assert made.guarantee().assumptions[1:] == ["score is at most 3*L1", axioms]


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
            "mechanisms.1.noise.laplace: the scale must be positive, not 0",
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
    assert cli.main(["bound", "--proof", str(file)]) == 0
    assert "5. the composition is private in the metric L1*e1 + L2*e2; at all" in capsys.readouterr().out


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


@pytest.mark.parametrize(
    ("entries", "box", "grows"),
    [
        ("x**2", None, True),
        ("x**2", [("-oo", "oo"), (0, 1)], True),
        ("x*y", None, True),
        ("t*x**3 + y", [(1, "oo"), ("-oo", 0)], True),
        ("x*y", [(0, 1), ("-oo", "oo")], True),  # (0, t) and (1/2, t)
        ("x**2", [(0, 2), ("-oo", "oo")], False),
        ("max(x, y)", None, False),
    ],
)
def test_a_ratio_that_grows_along_a_ray_has_no_bound(entries: str, box: Any, grows: bool) -> None:
    """Of x**2 at 0 and t it is t: no number bounds it (GB Rem. III.7 has such a map)."""
    found = of_map(entries, on=dpc.points("x y", box=box)).sensitivity("L1f", "L1")
    assert (str(found.value) == "oo") == grows and (not grows or found.proved)
    assert not grows or (
        repr(found).startswith("oo; the ratio at (x = ") and "grows without end" in repr(found)
    )


def test_a_sensitivity_that_is_not_proved_is_a_bound_from_below() -> None:
    found = of_map("sqrt(1 + x**2)").sensitivity("L1f", "L1")  # it is 1
    assert not found.proved and 0 < found.value <= 1 and repr(found).startswith("at least ")


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
