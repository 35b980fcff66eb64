"""Claims in one canonical metric where the comparison of metrics says nothing: judged for its neighbours."""

from __future__ import annotations

import copy
import itertools
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy
from in_metrics import THEORY, claimed, forged, read_data, saved, stated, study, verdicts

import dpcompose as dpc
from dpcompose.front.studies import recheck
from dpcompose.front.studies.judge import Judge
from dpcompose.front.studies.metric_forms import Shown
from dpcompose.kernel.check import Refused
from dpcompose.privacy import problems
from dpcompose.search.metrics import proofs

MULTISETS = '[databases]\nkind = "multisets"\n'
ABC = MULTISETS + 'records = ["a", "b", "c"]\n'
COUNTY = ABC + '[granularities.co]\nreplace = { within = [["a", "b"]] }\nadd-remove = ["c"]\n'
BOTH = ABC + '[granularities.both]\nreplace = "all"\nadd-remove = "all"\n'
TUPLES = '[databases]\nkind = "tuples"\nrecords = ["a", "b", "c"]\n[granularities.p]\nreplace = [["a", "b"], ["b", "c"]]\n'
NAMES = (
    MULTISETS
    + 'attributes = { county = ["n", "s"], name = "any" }\n[granularities.co]\nreplace = { keeps = ["county"] }\n'
)
RECODED = (
    MULTISETS
    + 'records = ["a1", "a2", "b1", "b2"]\n[maps.r]\nrecode = { a1 = "A", a2 = "A", b1 = "B", b2 = "B" }\n'
    + '[metrics.u]\ngranularity = "unbounded"\n'
)


TWO = stated("s*d_co") + stated("t*d_unbounded", name="N")
CASES = {
    "a policy and a smaller one": (COUNTY + TWO, "(s + 2*t)*d_co", "(s + t)*d_co"),
    "any names in a county": (NAMES + TWO, "(s + 2*t)*d_co", "(s + 7/4*t)*d_co"),
    "the other way": (COUNTY + stated("s*d_co"), "oo", "100*s*d_unbounded"),
    "a path of a policy": (TUPLES + stated("s*d_p"), "2*s*d_bounded", "7/4*s*d_bounded"),
    "a part on the common domain": (
        BOTH + stated("s*d_bounded", more='reads = { records = ["a", "b"] }\n', domain="common"),
        "s*d_both",
        "3/4*s*d_both",
    ),
    "a recoding": (
        RECODED + stated("s*d_unbounded", more='reads = { map = "r" }\n', domain="own"),
        "s*u",
        "3/4*s*u",
    ),
    "zcdp": (COUNTY + stated("s*d_unbounded", "zcdp"), "2*s*d_co", "7/4*s*d_co"),
    "gaussian": (COUNTY + stated("s*d_unbounded", "gaussian"), "2*s*d_co", "7/4*s*d_co"),
    "a metric made of one": (
        COUNTY + '[metrics.w]\nformula = "2*d_co"\n' + TWO,
        "(s + 2*t)*w/2",
        "(s + t)*w/2",
    ),
    "a sum of two names": (COUNTY + TWO, "s*d_co + 2*t*d_co", "s*d_co + t*d_co"),
}


@pytest.mark.parametrize("name", CASES)
def test_claims(name: str, tmp_path: Path) -> None:
    """What holds, and one step below it; the derivation is rechecked."""
    text, right, wrong = CASES[name]
    notion = name if name in ("zcdp", "gaussian") else "pure"
    text += claimed(right, notion=notion) + claimed(wrong, notion=notion)
    assert verdicts(text) == ["proved", "refuted"]
    found = recheck.outcome(saved(text, tmp_path), THEORY)
    assert found.verdicts == ("proved", "refuted")
    assert {"zcdp": "metric-form-zcdp", "gaussian": "metric-form-gaussian"}.get(
        notion, "metric-form"
    ) in found.pages


def test_a_counterexample_is_one_for_neighbours() -> None:
    """D, D' are a replacement within the county: M loses s, and N 2t."""
    _, (proved, refuted) = study(COUNTY + TWO + claimed("(s + 2*t)*d_co") + claimed("(s + t)*d_co"))
    example = refuted.counterexample
    assert example is not None and example.pair == (("a",), ("b",)) and example.claimed == 2
    assert example.actual == 3 and not refuted.nearby
    assert proved.least.by == "for co neighbours, and so along chains of them, by GB:III.3"
    assert refuted.least.by == "for co neighbours, which are at distance 1"
    assert "refuted" in repr(refuted) and refuted._repr_html_() and refuted._repr_latex_()


def test_a_loose_claim() -> None:
    _, (loose, tight) = study(COUNTY + TWO + claimed("(s + 3*t)*d_co") + claimed("(s + 2*t)*d_co"))
    assert (loose.verdict, loose.loose) == ("proved", True)
    assert (tight.verdict, tight.loose) == ("proved", None)


def test_approximate_claims() -> None:
    """What fails for neighbours fails; that a linear δ holds along chains is not said."""
    text = COUNTY + stated("s*d_unbounded", "approximate", delta="q*d_unbounded")
    some = [("2*s*d_co", "q*d_co"), ("s*d_co", "2*q*d_co"), ("2*s*d_co", "2*q*d_co")]
    text += "".join(claimed(metric, notion="approximate", delta=delta) for metric, delta in some)
    assert verdicts(text)[:2] == ["refuted", "refuted"]


def test_formulas_in_one_canonical_metric() -> None:
    """Two steps within a county lose twice as much, and so more than √2 times; of v a bound alone is known."""
    text = COUNTY + '[metrics.v]\nat-most = "d_co"\n' + TWO
    some = ["(s + 2*t)*v", "(s + 2*t)*d_co**2", "(s + 2*t)*sqrt(d_co)", "(s + 2*t)*d_co + 1"]
    found = verdicts(text + "".join(map(claimed, some)))
    assert found == ["undecided", "proved", "refuted", "proved"]


def test_a_negative_metric_is_no_root() -> None:
    """(s − 3)² ≥ 0 is at least 4s² for no s; and −2s is none, though its square is."""
    text = COUNTY + stated("s*d_unbounded", "zcdp") + claimed("-2*s*d_co", notion="zcdp")
    assert verdicts(text) == ["undecided"]


# forged


def test_forged(tmp_path: Path) -> None:
    data = saved(COUNTY + TWO + claimed("(s + 2*t)*d_co") + claimed("(s + t)*d_co"), tmp_path)
    assert recheck.outcome(data, THEORY).verdicts == ("proved", "refuted")
    steps = data["metric forms"][0]["derivation"]["steps"]
    n = next(n for n, one in enumerate(steps) if one["rule"] == "metric_form")
    one = ["metric forms", 0]
    words = "claims in canonical metrics"
    for place, value, why in [
        ([*one, "about"], [2, 1], f"{words} are not those of the problem"),
        ([*one, "about"], [1], f"{words} are not those of the problem"),
        ([*one, "about"], [1, 3], "cannot be read"),
        ([*one, "about"], [True, 2], "cannot be read"),
        (["metric forms"], {}, "cannot be read"),
        ([*one, "stated", 0, "epsilon"], "(s + t)*d__target", f"{words} are not those of the problem"),
        ([*one, "core", "target", "steps"], 2, "claim 1 is about other neighbours"),
        ([*one, "core", "mechanisms", 0, "values", "epsilon"], "s/2", "claim 1 is about other neighbours"),
        ([*one, "claims", 1, "verdict"], "proved", "its step says something else"),
        ([*one, "claims", 0, "step"], 1, "its step says something else"),
        (
            [*one, "claims", 1, "step"],
            data["metric forms"][0]["claims"][0]["step"],
            "its step says something else",
        ),
        ([*one, "claims", 0, "claim", "epsilon"], "s*d__target", "not the one that the problem states"),
        ([*one, "derivation", "steps", n, "claim", "epsilon"], "s*d__target", "metric_form"),
        (["problem", "claims", 0, "metric"], "(s + t)*d_co", "are not"),
        (["problem", "claims", 0, "metric"], "(s + 2*t)*d_unbounded", "are not"),
        (
            ["problem", "granularities", "co", "add-remove"],
            ["a"],
            "not what the problem says|other neighbours",
        ),
        (["problem", "mechanisms", 0, "guarantee", "metric"], "2*s*d_co", "not what the problem says"),
    ]:
        with pytest.raises(Refused, match=why):
            recheck.outcome(forged(data, place, value), THEORY)
    without = copy.deepcopy(data)
    del without["metric forms"]
    assert recheck.outcome(without, THEORY).verdicts == ("undecided", "undecided")


# against enumeration


def shortest(nodes: Sequence[Any], far: Callable[[Any, Any], Fraction | None]) -> dict[Any, Fraction | None]:
    """Shortest paths by Floyd and Warshall."""
    found = {(x, y): Fraction(0) if x == y else far(x, y) for x in nodes for y in nodes}
    for z, x, y in itertools.product(nodes, repeat=3):
        one, two, whole = found[x, z], found[z, y], found[x, y]
        if one is not None and two is not None and (whole is None or one + two < whole):
            found[x, y] = one + two
    return found


def drawn(draw: random.Random) -> tuple[str, Callable[[Fraction, str], bool]]:
    """A listed class with two granularities and mechanisms in these; whether c·d_G holds, by all pairs."""
    nodes = "abcde"[: draw.randint(2, 5)]
    pairs = list(itertools.combinations(nodes, 2))
    graphs = {name: [one for one in pairs if draw.random() < 0.6] or pairs[:1] for name in ("g", "h")}
    far = {
        name: shortest(
            nodes, lambda x, y, some=some: Fraction(1) if (x, y) in some or (y, x) in some else None
        )
        for name, some in graphs.items()
    }
    text = f'[databases]\nkind = "listed"\nelements = {list(nodes)}\n'
    text += "".join(
        f"[granularities.{name}]\nneighbours = {[list(one) for one in some]}\n"
        for name, some in graphs.items()
    )
    some = [
        (draw.choice("gh"), Fraction(draw.randint(1, 3), draw.randint(1, 2)))
        for _ in range(draw.randint(1, 3))
    ]
    text += "".join(stated(f"({c})*d_{name}", name=f"M{i}") for i, (name, c) in enumerate(some))

    def holds(c: Fraction, name: str) -> bool:
        for x, y in itertools.combinations(nodes, 2):
            lost = [None if far[one][x, y] is None else size * far[one][x, y] for one, size in some]
            at = far[name][x, y]
            if at is not None and (None in lost or sum(filter(None, lost)) > c * at):
                return False
        return True

    return text.replace("'", '"'), holds


@pytest.mark.parametrize("seed", range(12))
def test_against_enumeration(seed: int) -> None:
    draw = random.Random(seed)
    text, holds = drawn(draw)
    some = [(Fraction(draw.randint(1, 12), 2), draw.choice("gh")) for _ in range(4)]
    text = "format = 1\n" + text + "".join(claimed(f"({c})*d_{name}") for c, name in some)
    problem = read_data(problems.parsed(text), "problem", text)
    judge = Judge(problem.setting, THEORY)
    assert judge.at_any_two is not None
    for (c, name), claim in zip(some, problem.claims, strict=True):
        found = judge.metric_forms.answer(claim, proofs.verdict(judge.at_any_two.search, claim).verdict)
        assert found is not None and isinstance(found.outcome, Shown)
        assert found.verdict == ("proved" if holds(c, name) else "refuted"), (text, c, name)


# what is least along chains


def on(databases: str, name: str, notion: str) -> str:
    """Two mechanisms in one canonical metric, and the claim that they lose as much as both together."""
    both = {"pure": "s + t", "zcdp": "sqrt(s**2 + t**2)", "gaussian": "sqrt(s**2 + t**2)"}[notion]
    text = databases + "".join(stated(f"{x}*d_{name}", notion, f"M{x}") for x in "st")
    return text + "".join(
        f'[[claims]]\nnotion = "{notion}"\nmetric = "{one}"\n'
        for one in (f"({both})*d_{name}", f"3*(s + t)*d_{name}")
    )


@pytest.mark.parametrize("notion", ["pure", "zcdp", "gaussian"])
@pytest.mark.parametrize(
    ("databases", "name"),
    [
        ('[databases]\nkind = "sets"\n', "unbounded"),
        ('[databases]\nkind = "tuples"\n', "bounded"),
        ('[databases]\nkind = "sequences"\n', "insert_delete"),
        ('[databases]\nkind = "graphs"\nvertices = "any"\n', "node_removal"),
        (COUNTY, "co"),
        (TUPLES, "p"),
    ],
)
def test_no_smaller_metric_holds(databases: str, name: str, notion: str, tmp_path: Path) -> None:
    """Witnesses of all mechanisms lose at any two databases what these are stated to lose: one is larger."""
    text = on(databases, name, notion)
    _, (tight, loose) = study(text)
    assert (tight.verdict, tight.loose) == ("proved", False)
    assert (loose.verdict, loose.loose) == ("proved", True)
    assert recheck.check_in_metrics(saved(text, tmp_path), THEORY).verdicts == ("proved", "proved")


def test_a_witness_loses_what_is_stated_at_any_two() -> None:
    """P(1 | D) = 2^(-d(D_0, D))/2 is log(2)-private for neighbours, and loses log(2)·d(D_0, E) at D_0 and E."""
    for databases, granularity in (
        (dpc.sequences("ab", "<= 3"), dpc.insert_delete),
        (dpc.sets("abc"), dpc.bounded),
        (dpc.multisets("abc", "<= 2"), dpc.policy("p", [("a", "b"), ("b", "c")])),
    ):
        d, every = dpc.canonical_metric(databases, granularity), list(databases.databases())
        for D0, E in itertools.product(every[:4], every):
            far = [d(D0, D) for D in every]
            ones = {
                D: Fraction(1, 2 ** (r + 1)) if r != sympy.oo else Fraction(0)
                for D, r in zip(every, far, strict=True)
            }
            for D, D1 in itertools.combinations(every, 2):
                if granularity.are_neighbours(D, D1):
                    for p, q in ((ones[D], ones[D1]), (1 - ones[D], 1 - ones[D1])):
                        assert p <= 2 * q and q <= 2 * p
            if d(D0, E) != sympy.oo:
                assert ones[D0] == 2 ** d(D0, E) * ones[E]


@pytest.mark.parametrize("name", ["106-metrics", "237-three-people", "238-couples", "76-metrics"])
def test_what_a_claim_claims_is_judged_as_the_claim_is(name: str) -> None:
    """In Python a claim's guarantee is a claim as well: one in a metric is no guarantee for the neighbours."""
    (file,) = (Path(__file__).parents[2] / "notebooks" / "problems").glob(f"{name}*.toml")
    composition, claims = dpc.load(file)
    for one in claims:
        assert composition.check(one.guarantee).verdict == composition.check(one).verdict == one.expect


def test_a_guarantee_in_what_one_mechanism_reads_is_no_claim() -> None:
    text = (
        "format = 1\n"
        + ABC
        + '[target]\ngranularity = "bounded"\n[[mechanisms]]\nname = "M"\nguarantee = { notion = "pure", '
    )
    composition, _ = dpc.loads(text + 'metric = "min(e*d_bounded, 1)" }\n')
    (mechanism,) = composition.setting.mechanisms
    with pytest.raises(ValueError, match="is about what one mechanism reads, and no claim"):
        composition.check(mechanism.satisfies)
