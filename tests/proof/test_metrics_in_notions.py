"""Guarantees at all D, E in every notion, on every kind of class: by hand, in files and in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import in_metrics
import pytest
import sympy

import dpcompose as dpc
from dpcompose.front import cli
from dpcompose.language import formulas
from dpcompose.privacy.problems import ProblemError

TOWNS = dpc.listed(["a", "b", "c"])
ROADS = dpc.distances([("a", "b", 2), ("b", "c", 1), ("a", "c", 3)])


def towns(*guarantees: tuple[str, str]) -> Any:
    """Mechanisms that are private in metrics on three towns, by notion."""
    some = [dpc.mechanism(f"M{n}", dpc.in_metric(d, notion)) for n, (notion, d) in enumerate(guarantees, 1)]
    return dpc.compose(*some, on=TOWNS, metrics={"d": ROADS})


@pytest.mark.parametrize(
    ("notion", "composed"),
    [("pure", "3*d"), ("zcdp", "sqrt(5)*d"), ("gaussian", "sqrt(5)*d")],
)
def test_metrics_add_up_in_each_notion(notion: str, composed: str) -> None:
    """d and 2d: the sum in pure privacy, the root of the sum of squares in zCDP and Gaussian privacy."""
    study = towns((notion, "d"), (notion, "2*d"))
    assert sympy.expand(study.metric() ** 2 - sympy.sympify(composed, study.symbols) ** 2) == 0
    assert study.guarantee().optimal
    exact = study.check(study.claim(composed))
    assert (exact.verdict, exact.loose) == ("proved", False)
    assert study.check(study.claim(f"({composed})*99/100")).verdict == "refuted"
    assert study.check(study.claim(f"{composed} + 1")).loose is True


def test_a_claim_holds_at_each_pair_or_is_refuted_there() -> None:
    """2.99 is less than the loss at a, c only, where the distance is 3."""
    study = towns(("pure", "d"))
    found = study.check("min(d, 2.99)")
    assert found.verdict == "refuted" and found.counterexample is not None
    assert {one["database"] for one in found.counterexample.pair} == {"a", "c"}
    assert study.check("min(d, 3)").verdict == "proved"


def test_conversions_hold_at_each_pair() -> None:
    """eps-DP is eps^2/2-zCDP, mu-GDP mu^2/2-zCDP: at each pair with its own distance."""
    study = towns(("pure", "e*d"), ("gaussian", "m*d"))
    assert study.check(study.claim("sqrt((e**2 + m**2)/2)*d", notion="zcdp")).verdict == "proved"
    assert study.check(study.claim("m*d/2", notion="zcdp")).verdict == "refuted"  # the Gaussian one alone
    assert study.check(study.claim("100*d", notion="pure")).verdict == "refuted"


def test_zcdp_becomes_approximate_with_the_delta_that_is_claimed() -> None:
    study = towns(("zcdp", "x*d"))
    claim = study.claim("x**2*d**2 + 2*x*d*sqrt(log(100))", "1/100", "approximate")
    assert study.check(claim).verdict == "proved"


def test_deltas_of_pairs_add_up() -> None:
    """(d, z1 d) and (d, z2 d): GB Thm. VI.4."""
    made = dpc.compose(
        dpc.mechanism("M1", dpc.in_metric("d", "approximate", "z1*d")),
        dpc.mechanism("M2", dpc.in_metric("d", "approximate", "z2*d")),
        on=dpc.points("x"),
        metrics={"d": dpc.norm("L1")},
    )
    assert made.check(made.claim("2*d", "(z1 + z2)*d")).verdict == "proved"
    assert made.check(made.claim("2*d", "z2*d")).verdict == "refuted"
    assert made.check(made.claim("d", "0")).verdict == "refuted"


def test_normal_noise_on_points() -> None:
    """Noise of standard deviation s moves by L2/s; the L1 norm is larger, the maximum norm is not."""
    made = dpc.metric_study(
        {"N": ("p", dpc.gaussian_noise("s"))},
        on=dpc.points("x y"),
        maps={"p": ["x", "y"]},
        metrics={word: dpc.norm(word) for word in ("L1", "L2", "Linf")},
    )
    claims = [made.check(made.claim(f"{word}/s")).verdict for word in ("L1", "L2", "Linf")]
    assert claims == ["proved", "proved", "refuted"]


# own and common domain


MERGED = dpc.table("f", {"a": "x", "b1": "y", "b2": "y", "c": "z"})
PATHS = dpc.distances([("a", "b1", 1), ("b2", "c", 1)])


def through(metric: str, domain: str) -> Any:
    one = dpc.mechanism("M", dpc.in_metric(metric, domain=domain), reads=MERGED)
    on = dpc.listed(["a", "b1", "b2", "c"])
    images = dpc.distances([("x", "y", 1), ("y", "z", 1), ("x", "z", 2)], of="f")
    return dpc.compose(one, on=on, metrics={"d": PATHS, "other": PATHS, "images": images})


def test_on_the_common_domain_a_metric_is_closed_over_fibres() -> None:
    """From a to c there is no path, but f merges b1 and b2: the closure is 2 there, and 0 between b1, b2."""
    study = through("e*d", "common")
    assert study.check("e*images").loose is False
    assert study.check("e*min(images, 3/2)").verdict == "refuted"


@pytest.mark.parametrize("metric", ["e*d + 2*d", "d*(e + 3) - d", "(e**2 - 4)*d/(e - 2)"])
def test_a_multiple_may_be_written_as_a_sum(metric: str) -> None:
    """All are (e + 2)·d, with 2·(e + 2) from a to c; the last has no value at e = 2, and is refused."""
    if "/" in metric:
        with pytest.raises(ProblemError, match="e - 2 is not known to be != 0"):
            through(metric, "common")
        return
    assert through(metric, "common").check("(e + 2)*images").verdict == "proved"


def test_on_the_own_domain_it_is_one_on_the_images() -> None:
    assert through("e*images", "own").check("e*images").loose is False
    with pytest.raises(ProblemError, match="about whole databases"):
        through("e*d", "own")


def test_a_sum_over_fibres_is_no_sum_of_closures() -> None:
    """The least of a sum over two fibres need not be the sum of the least, unless all are least at once."""
    distances = [
        ("a", "b1", 1),
        ("a", "b2", 2),
        ("b1", "b2", 1),
        ("b1", "c", 3),
        ("b2", "c", 3),
        ("a", "c", 4),
    ]
    turned = {"b1": "b2", "b2": "b1"}
    other = [(turned.get(x, x), turned.get(y, y), far) for x, y, far in distances]
    metrics = {"d": dpc.distances(distances), "other": dpc.distances(other)}
    one = dpc.mechanism("M", dpc.in_metric("e*d + other", domain="common"), reads=MERGED)
    with pytest.raises(ProblemError, match="all least at the same databases"):
        dpc.compose(one, on=dpc.listed(["a", "b1", "b2", "c"]), metrics=metrics)
    assert through("e*d + other", "common").guarantee() is not None


def test_canonical_metrics_of_what_is_read() -> None:
    """On the common domain a replacement across the boundary of {a} is one step, on the own domain none."""
    own, common = (
        dpc.compose(
            dpc.mechanism("M", dpc.in_metric("e*d_bounded", domain=domain), reads=dpc.restriction(["a"])),
            on=dpc.multisets({"a", "b"}),
            metrics={"u": dpc.steps_between(dpc.unbounded)},
        )
        for domain in ("own", "common")
    )
    assert common.check("e*u").verdict == "proved"
    assert own.check("100*e*u").verdict == "refuted"


# beside guarantees for neighbours


def test_guarantees_for_neighbours_are_those_in_their_metric() -> None:
    study = in_metrics.beside_neighbours()
    assert study.check("(2*e1 + e2)*d_bounded").verdict == "proved"
    assert study.check("(e1 + e2)*d_bounded").verdict == "refuted"
    assert study.check("(e1 + e2)*d_unbounded").verdict == "refuted"  # oo between different sizes


@pytest.mark.parametrize(
    ("databases", "granularity"),
    [
        ('kind = "graphs"\nvertices = 3', "node"),
        ('kind = "sets"\nrecords = ["a", "b", "c"]', "unbounded"),
        ('kind = "streams"\nrecords = ["a", "b"]\nsize = "= 3"', "event"),
        ('kind = "tuples"\nrecords = ["a", "b"]\nsize = "= 3"', "bounded"),
        ('kind = "multisets"\nrecords = ["a", "b"]\nsize = "= 3"', "bounded"),
        ('kind = "sequences"\nrecords = ["a", "b"]\nsize = "<= 2"', "insert-delete"),
    ],
)
def test_every_kind_of_class_has_its_canonical_metrics(
    databases: str, granularity: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """epsilon for neighbours is epsilon times their metric; half of it is not enough."""
    name = f"d_{granularity.replace('-', '_')}"
    claims = "".join(f'[[claims]]\nnotion = "zcdp"\nmetric = "{factor}*{name}"\n' for factor in ("x", "x/2"))
    text = (
        f'format = 1\n[databases]\n{databases}\n[target]\ngranularity = "{granularity}"\n'
        f'[[mechanisms]]\nname = "M"\nguarantee = {{ notion = "zcdp", metric = "x*{name}" }}\n{claims}'
        '[[claims]]\nnotion = "zcdp"\nrho = "x**2"\n'
    )
    file, saved = tmp_path / "p.toml", tmp_path / "d.json"
    file.write_text(text)
    assert cli.main(["verify", "--json", str(file), "--save-derivation", str(saved)]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [one["verdict"] for one in found["claims"]] == ["proved", "refuted", "proved"]
    assert cli.main(["recheck", str(saved)]) == 0


# what is refused


LISTED = '[databases]\nkind = "listed"\nelements = ["a", "b", "c"]\n'
MECHANISM = '[[mechanisms]]\nname = "M"\nguarantee = { notion = "pure", metric = "e*d" }\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            LISTED + '[metrics.d]\ntable = [["a", "b", "1"], ["b", "c", "1"]]\n' + MECHANISM,
            "from a to b it is 1, from b to c 1, but from a to c oo",
        ),
        (LISTED + '[metrics.d]\ntable = [["a", "x", "1"]]\n' + MECHANISM, "'x' is no database of the class"),
        (LISTED + '[metrics.d]\ntable = [["a", "a", "1"]]\n' + MECHANISM, "the distance of a to itself is 0"),
        (LISTED + '[metrics.d]\ntable = [["a", "b", "-1"]]\n' + MECHANISM, "a distance is a number >= 0"),
        (
            LISTED
            + '[metrics.d]\ntable = [["a", "b", "1"]]\n'
            + MECHANISM.replace('"pure"', '"approximate"'),
            "a approximate guarantee needs its delta",
        ),
        (
            LISTED
            + '[metrics.d]\ntable = [["a", "b", "1"]]\n'
            + MECHANISM.replace("metric", 'epsilon = "e", metric'),
            "metric stands in place of epsilon",
        ),
        (LISTED + MECHANISM.replace("e*d", "e*d_bounded"), "the granularity bounded is about records"),
        (
            LISTED + '[metrics.d]\ntable = [["a", "b", "1"]]\n' + MECHANISM.replace("e*d", "e*b"),
            "e*b is not 0 where D = E",
        ),
    ],
)
def test_what_does_not_fit_is_said(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text("format = 1\n" + text)
    with pytest.raises(ProblemError, match=words.replace("(", r"\(").replace("*", r"\*")):
        dpc.load(file)


@pytest.mark.parametrize("metric", ["min(d, w)", "e*min(e*d, w)", "sqrt(d)", "min(d, w) + d"])
def test_metrics_that_are_cut_off_at_parameters_are_0_at_equal_databases(metric: str) -> None:
    assert towns(("pure", metric)).check(metric).verdict == "proved"


@pytest.mark.parametrize(
    ("metric", "told"),
    [("min(d, 1) + d", "d + min(1, d)"), ("max(d, 2*d - 1)", "max(d, -1 + 2*d)"), ("sqrt(e)*d", "d*sqrt(e)")],
)
def test_the_root_of_a_square_is_told_without_it(metric: str, told: str) -> None:
    """In zCDP (d + min(d, 1))² is lost, and the metric that it is in is d + min(d, 1)."""
    text = LISTED + '[metrics.d]\ntable = [["a", "b", "1"]]\n' + MECHANISM.replace("pure", "zcdp")
    (made, _) = in_metrics.study(text.replace("e*d", metric))
    assert made.guarantee().metric == formulas.parse(told, made.symbols)


def test_whoever_loses_everything_is_a_counterexample_alone(tmp_path: Path) -> None:
    """Beside a mechanism of which no page tells what it loses in the claim's notion."""
    (file := tmp_path / "alone.toml").write_text(
        """
        format = 1
        [databases]
        kind = "listed"
        elements = ["x", "y"]
        [granularities.none]
        neighbours = []
        [target]
        granularity = "none"
        [metrics.t]
        table = [["x", "y", "1"]]
        [[mechanisms]]
        name = "M"
        guarantee = { notion = "pure", epsilon = "1/4", granularity = "none" }
        [[mechanisms]]
        name = "N"
        guarantee = { notion = "approximate", metric = "t", delta = "t/10" }
        [[claims]]
        notion = "zcdp"
        metric = "3/2*t"
        """,
        encoding="utf-8",
    )
    study, (claim,) = dpc.load(file)
    verdict = study.check(claim)
    assert verdict.verdict == "refuted" and verdict.counterexample is not None
    assert [row.name for row in verdict.counterexample.rows] == ["M"]
