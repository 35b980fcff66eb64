"""Claims that are metrics: families of mechanisms, what is assumed of parameters, and what is done to outputs."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from in_metrics import THEORY, believed_again, claimed, forged, saved, steps, study, verdicts

import dpcompose as dpc
from dpcompose.front.studies import recheck as checker
from dpcompose.front.studies.metric_forms import MetricForms
from dpcompose.kernel.check import Refused
from dpcompose.privacy.problems import ProblemError
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.search.comparisons import comparing, sizes

MULTISETS = '[databases]\nkind = "multisets"\n'
K = '[parameters]\nk = "integer >= 1"\n'


def family(metric: str, name: str = "M", notion: str = "pure", more: str = "") -> str:
    many = "" if "repeat" in more else 'index = "i"\ncount = "k"\n'
    return (
        f'[[mechanisms]]\nname = "{name}"\n{many}{more}'
        f'guarantee = {{ notion = "{notion}", metric = "{metric}" }}\n'
    )


# families


def test_a_family_loses_the_sum_of_what_its_members_lose() -> None:
    """Σ e[i]·d ≤ k·max e[i]·d; two members with e = 1 lose 2 where max e[i] is 1."""
    text = K + MULTISETS + family("e[i]*d_unbounded")
    text += claimed("sum(e[i], i, 1, k)*d_unbounded", "k*max(e[i], i, 1, k)*d_unbounded")
    made, found = study(text + claimed("max(e[i], i, 1, k)*d_unbounded", "3*max(e[i], i, 1, k)*d_unbounded"))
    assert str(made.metric()) == "d_unbounded*sum(e[i], i, 1, k)"
    assert [one.verdict for one in found] == ["proved", "proved", "refuted", "refuted"]
    assert found[0].loose is False
    two = found[2].counterexample
    assert two is not None
    assert (two.point["k"], two.actual, two.claimed) == (2, 2, 1)
    assert [row.name for row in two.rows] == ["M[1]", "M[2]"]


def test_alike_members_are_counted() -> None:
    text = K + MULTISETS + family("e*d_unbounded") + claimed("k*e*d_unbounded", "(k - 1/2)*e*d_unbounded")
    _, found = study(text + claimed("100*e*d_unbounded"))
    assert [one.verdict for one in found] == ["proved", "refuted", "refuted"]
    many = found[2].counterexample
    assert many is not None and many.point["k"] > 100 and len(many.rows) == 1


def test_five_hundred_at_once() -> None:
    text = MULTISETS + family("e*d_unbounded", more="repeat = 500\n")
    made, found = study(text + claimed("500*e*d_unbounded", "499*e*d_unbounded"))
    assert str(made.metric()) == "500*d_unbounded*e"
    assert [one.verdict for one in found] == ["proved", "refuted"]
    example = found[1].counterexample
    assert example is not None and example.data()["mechanisms"] == [
        {
            "mechanism": "M[1], ..., M[500]",
            "loss": "1",
            "by": "each with outcomes 1, 0 and P(1) = exp(-1)/2 at D, 1/2 at D'",
            "times": 500,
        }
    ]


def test_squares_of_a_family_add_up() -> None:
    """ρ = Σ e[i]²·d², so the metric is √(Σ e[i]²)·d: at most Σ e[i]·d, and more than max e[i]·d."""
    text = K + MULTISETS + family("e[i]*d_unbounded", notion="zcdp")
    text += claimed(
        "sqrt(sum(e[i]**2, i, 1, k))*d_unbounded", "max(e[i], i, 1, k)*d_unbounded", notion="zcdp"
    )
    assert verdicts(text) == ["proved", "refuted"]


def test_what_holds_for_alike_members_alone_is_refuted_by_others() -> None:
    """√(Σ e²) is Σ e/√k where all are alike, and larger elsewhere."""
    text = K + MULTISETS + family("e[i]*d_unbounded", notion="gaussian")
    text += claimed("sum(e[i], i, 1, k)/sqrt(k)*d_unbounded", notion="gaussian")
    _, (found,) = study(text)
    assert found.verdict == "refuted" and found.counterexample is not None
    there = found.counterexample.point
    assert len({x for name, x in there.items() if name.startswith("e[")}) > 1


def test_families_beside_each_other_and_guarantees_for_neighbours() -> None:
    own = (
        '[[mechanisms]]\nname = "N"\nindex = "i"\ncount = "k"\n'
        'guarantee = { notion = "pure", epsilon = "f[i]", granularity = "unbounded" }\n'
    )
    text = K + MULTISETS + family("e[i]*d_bounded + d_unbounded/k") + own
    made, found = study(
        text
        + claimed(
            "sum(e[i], i, 1, k)*d_bounded + (1 + sum(f[i], i, 1, k))*d_unbounded",
            "sum(e[i], i, 1, k)*d_bounded + sum(f[i], i, 1, k)*d_unbounded",
        )
    )
    assert [one.verdict for one in found] == ["proved", "refuted"]
    assert made.judge.stated.bound.assumptions[0].endswith(", each of them")


def test_noise_of_a_family() -> None:
    text = (
        K
        + '[databases]\nkind = "points"\ncoordinates = ["x"]\n[maps.f]\nvalues = ["x"]\n[metrics.L1]\nnorm = "L1"\n'
        '[[mechanisms]]\nname = "M"\nindex = "i"\ncount = "k"\nreads = "f"\nnoise = { laplace = "1/e[i]" }\n'
    )
    assert verdicts(text + claimed("sum(e[i], i, 1, k)*L1", "k*L1*max(e[i], i, 1, k)/2")) == [
        "proved",
        "refuted",
    ]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ('index = "i"\n', "a family has an index and a count"),
        ('index = "i"\ncount = "n"\n', 'list it under [parameters], as "integer >= 2"'),
        ('index = "i"\ncount = "k"\nrepeat = 3\n', "use one of them"),
        ('index = "i"\ncount = "k/2"\n', "k/2 is not known to be a whole number"),
        ('index = "k"\ncount = "k"\n', "k has a meaning already"),
    ],
)
def test_how_many_there_are_is_said_well(more: str, told: str) -> None:
    guarantee = 'guarantee = { notion = "pure", metric = "e*d_bounded" }\n'
    with pytest.raises(ProblemError) as error:
        study(K + MULTISETS + f'[[mechanisms]]\nname = "M"\n{more}{guarantee}')
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("metric", "told"),
    [
        ("sum(e[i], i, 1, n)*d_unbounded", "e[i] has the members 1 to k, not to n"),
        ("e*d_unbounded", "e is a family of parameters, and has no value here"),
        ("e[i]*d_unbounded", "needs the index of a sum"),
    ],
)
def test_claims_are_about_the_members_that_there_are(metric: str, told: str) -> None:
    head = '[parameters]\nk = "integer >= 1"\nn = "integer >= 1"\n'
    with pytest.raises(ProblemError) as error:
        study(head + MULTISETS + family("e[i]*d_unbounded") + claimed(metric))
    assert told in str(error.value)


@pytest.mark.parametrize("seed", range(12))
def test_members_against_plain_evaluation(seed: int) -> None:
    """What is proved holds at all small values, and what is refuted fails where it is said."""
    rng = random.Random(seed)
    pieces = [
        "sum(e[i], i, 1, k)",
        "max(e[i], i, 1, k)",
        "k",
        "k*max(e[i], i, 1, k)",
        "top(2, e[i], i, 1, k)",
    ]
    chosen = rng.sample(pieces, 2)
    factors = [Fraction(rng.randint(0, 4), 2), Fraction(rng.randint(1, 4), 2)]
    claim = " + ".join(f"{c}*{one}" for c, one in zip(factors, chosen, strict=True) if c)
    _, (found,) = study(K + MULTISETS + family("e[i]*d_unbounded") + claimed(f"({claim})*d_unbounded"))

    def value(piece: str, e: tuple[Fraction, ...]) -> Fraction:
        sizes = {"sum": len(e), "max": 1, "top": 2}
        if piece.startswith("k"):
            return len(e) * (max(e) if "max" in piece else Fraction(1))
        return sum(sorted(e)[-sizes[piece[:3]] :], Fraction(0))

    def claims(e: tuple[Fraction, ...]) -> Fraction:
        return sum((c * value(one, e) for c, one in zip(factors, chosen, strict=True)), Fraction(0))

    if found.verdict == "proved":
        some = [Fraction(1, 9), Fraction(1), Fraction(7)]
        for k in (1, 2, 3, 4):
            assert all(claims(e) >= sum(e) for e in itertools.product(some, repeat=k))
    elif found.verdict == "refuted":
        assert found.counterexample is not None
        at = found.counterexample.point
        e = tuple(x for name, x in at.items() if name.startswith("e["))
        assert len(e) == at["k"] and claims(e) < sum(e)
        D, E = (Counter(one["records"]) for one in found.counterexample.pair)
        assert found.counterexample.actual == sum(e) * ((D - E) + (E - D)).total()
    else:
        pytest.fail(found.reason)


def test_saved_families_are_checked_again(tmp_path: Path) -> None:
    text = K + MULTISETS + family("e[i]*d_unbounded")
    text += claimed("k*max(e[i], i, 1, k)*d_unbounded", "max(e[i], i, 1, k)*d_unbounded")
    data = saved(text, tmp_path)
    assert checker.check_in_metrics(data, THEORY).verdicts == ("proved", "refuted")
    (refuted,) = steps(data, "refute")
    at = ["derivation", "steps", data["derivation"]["steps"].index(refuted), "point"]
    point = refuted["point"]
    assert (point["k"], point["e[1]"], point["e[2]"]) == ("2", "1", "1")
    less = {name: x for name, x in point.items() if name != "k"}
    for wrong in ({"k": "1"}, {"e[2]": "0"}, {"k": "1/2"}, {"k": "1000000"}, {"e[1]": "2", "e[2]": "-1"}):
        with pytest.raises(Refused):
            checker.check_in_metrics(forged(data, at, point | wrong), THEORY)
    with pytest.raises(Refused):
        checker.check_in_metrics(forged(data, at, less), THEORY)


# what is assumed of parameters

TWO = '[parameters]\ne1 = "positive"\ne2 = "positive"\n'
ONE = '[[mechanisms]]\nname = "M"\nguarantee = { notion = "pure", metric = "e1*d_unbounded" }\n'


def test_proofs_use_what_is_assumed_and_points_satisfy_it() -> None:
    text = 'assume = ["e1 <= e2", "e1 > 1/2"]\n' + TWO + MULTISETS + ONE
    text += claimed("e2*d_unbounded", "e2*d_unbounded/2", "2*e1**2*d_unbounded", "(e1 + 1)*d_unbounded/2")
    made, found = study(text)
    assert [one.verdict for one in found] == ["proved", "refuted", "proved", "refuted"]
    for one in (found[1].counterexample, found[3].counterexample):
        assert one is not None and Fraction(1, 2) < one.point["e1"] <= one.point["e2"]
    assert "e1 <= e2 and e1 > 1/2" in made.judge.stated.bound.assumptions
    assert made.judge.stated.composed.where == "e1 <= e2 and e1 > 1/2"


def test_an_interval_may_end_at_what_is_assumed_to_be_larger() -> None:
    """In [l, u] x moves by u − l at most."""
    text = (
        'assume = ["u > l"]\n[parameters]\nu = "real"\nl = "real"\n[databases]\nkind = "points"\n'
        'coordinates = ["x"]\nbox = [["l", "u"]]\n[metrics.L1]\nnorm = "L1"\n'
        '[[mechanisms]]\nname = "M"\nguarantee = { notion = "pure", metric = "L1" }\n'
    )
    assert verdicts(text + claimed("u - l", "(u - l)/2")) == ["proved", "refuted"]
    with pytest.raises(ProblemError, match="l is not known to be at most u"):
        study(text.replace('assume = ["u > l"]', ""))


def test_what_is_assumed_stands_in_the_check_of_what_is_saved(tmp_path: Path) -> None:
    """Without the assumption neither a proof nor a point that it allows is worth anything."""
    text = 'assume = ["e1 <= e2"]\n' + TWO + MULTISETS + ONE + claimed("e2*d_unbounded", "e2*d_unbounded/2")
    data = saved(text, tmp_path)
    checked = checker.check_in_metrics(data, THEORY)
    assert checked.verdicts == ("proved", "refuted") and "e1 <= e2" in checked.believed[0]
    for other in ([], ["e2 <= e1"]):
        wrong = forged(data, ["problem", "assume"], other)
        with pytest.raises(Refused, match="the core setting is not what the problem says"):
            checker.check_in_metrics(wrong, THEORY)
        wrong["core"]["assumed"] = [["e2", "<=", "e1"]] if other else []
        if not other:
            del wrong["core"]["assumed"]
        with pytest.raises(Refused, match=r"step \d+: everywhere: "):
            checker.check_in_metrics(believed_again(wrong), THEORY)
    (refuted,) = steps(data, "refute")
    at = ["derivation", "steps", data["derivation"]["steps"].index(refuted), "point"]
    with pytest.raises(Refused, match="e1 <= e2 is not seen to hold at the point"):
        checker.check_in_metrics(forged(data, at, refuted["point"] | {"e1": "9", "e2": "1"}), THEORY)


def test_wrong_assumptions_are_told() -> None:
    with pytest.raises(InvalidSetting, match="no values satisfy"):
        study('assume = ["e1 < e2", "e2 < e1"]\n' + TWO + MULTISETS + ONE)
    with pytest.raises(ProblemError, match=r"assume\.1 .*unknown name 'x'"):
        study('assume = ["e1 < x"]\n' + TWO + MULTISETS + ONE)


# what is done to outputs


def test_what_is_done_to_an_output_keeps_its_guarantee() -> None:
    text = (
        MULTISETS + ONE + 'post-processing = "rounded to tens"\n' + claimed("e1*d_unbounded", "d_unbounded")
    )
    made, found = study(text)
    assert [one.verdict for one in found] == ["proved", "refuted"]
    assert (
        "what is done to the output of M (rounded to tens) reads nothing else"
        in made.judge.stated.bound.assumptions
    )
    assert "then rounded to tens" in str(made.derivation())


# names that are none


@pytest.mark.parametrize(
    ("metric", "told"),
    [
        ("e*d_bouned", "there is no metric d_bouned; did you mean 'd_bounded'?"),
        ("e*distence", "there is no metric distence; did you mean 'distance'? If it is a parameter, list it"),
    ],
)
def test_a_slip_in_the_name_of_a_metric_is_no_parameter(metric: str, told: str) -> None:
    head = MULTISETS + '[metrics.distance]\ngranularity = "bounded"\n'
    for text in (ONE.replace("e1*d_unbounded", metric), ONE + claimed(metric)):
        with pytest.raises(ProblemError) as error:
            study(head + text)
        assert told in str(error.value)
    listed = metric.partition("*")[2]
    assert study(f'[parameters]\n{listed} = "positive"\n' + head + ONE)[0] is not None


def test_the_same_in_python() -> None:
    one = dpc.mechanism("M", dpc.pure("e[i]", dpc.unbounded), count="k")
    two = dpc.mechanism("N", dpc.in_metric("f*d_unbounded"))
    made = dpc.compose(
        one, two, on=dpc.multisets(), parameters={"k": "integer >= 1", "g": "positive"}, assume=["f <= g"]
    )
    assert made.check("(sum(e[i], i, 1, k) + g)*d_unbounded").verdict == "proved"
    assert made.check("(max(e[i], i, 1, k) + g)*d_unbounded").verdict == "refuted"
    assert made.judge.stated.composed.where == "f <= g"


def test_names_with_spaces_and_relations_of_counts() -> None:
    """A family of at least three members, beside a study and a table with names that are no letters."""
    head = 'assume = ["k >= 3"]\n' + K + MULTISETS + family("e[i]*d_unbounded", "the 1st")
    _, (found,) = study(head + claimed("2*max(e[i], i, 1, k)*d_unbounded"))
    assert found.verdict == "refuted" and found.counterexample.point["k"] == 3
    text = '[databases]\nkind = "listed"\nelements = ["a", "b"]\n[metrics.A]\ntable = [["a", "b", "1"]]\n'
    text += '[studies.of-a]\ntables.T = { outcomes = ["x", "y"], rows = { a = ["1/2", "1/2"], b = ["1/3", "2/3"] } }\n'
    text += '[[studies.of-a.mechanisms]]\nname = "the 1st"\ntable = "T"\n'
    text += '[[mechanisms]]\nname = "S"\nstudy = "of-a"\nrepeat = 4\n'
    assert verdicts(text + claimed("4*log(3/2)*A", "3*log(3/2)*A")) == ["proved", "refuted"]


def test_a_largest_of_a_number_that_counts_no_members() -> None:
    """The m largest of k losses: for all of them it is proved, and where m = 1 and k = 2 one of two is left out."""
    head = f'{K}m = "integer >= 1"\n' + MULTISETS + family("e[i]*d_unbounded")
    some = ("top(m, e[i], i, 1, k)", "(sum(e[i], i, 1, k) + top(m, e[i], i, 1, k))", "top(k, e[i], i, 1, k)")
    _, found = study(head + claimed(*(f"{one}*d_unbounded" for one in some)))
    assert [one.verdict for one in found] == ["refuted", "proved", "proved"]
    example = found[0].counterexample
    m, k = (example.point[name] for name in ("m", "k"))
    largest = sorted((x for name, x in example.point.items() if name.startswith("e[")), reverse=True)
    assert len(largest) == k and sum(largest[: int(m)]) == example.claimed < example.actual == sum(largest)


def test_a_parameter_that_is_a_number_stands_under_roots() -> None:
    """With b = 3 and e = 4 sqrt(e² + b²) is 5; b stands in a relation, too."""
    head = 'assume = ["f <= b"]\n[parameters]\nb = "3"\ne = "4"\nf = "positive"\n' + MULTISETS
    head += '[[mechanisms]]\nname = "M"\nguarantee = { notion = "pure", metric = "sqrt(e**2 + b**2)*d_unbounded" }\n'
    head += '[[mechanisms]]\nname = "N"\nguarantee = { notion = "pure", metric = "f*d_unbounded" }\n'
    some = claimed("8*d_unbounded", "sqrt(61 + b)*d_unbounded", "sqrt(61)*d_unbounded")
    assert verdicts(head + some) == ["proved", "proved", "refuted"]


def test_a_comparison_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without norms all levels ask the same of a family: of what stands beside no other factor, and of the whole,
    each effort is made once, and points once."""
    asked: list[tuple[Any, ...]] = []
    compare = comparing.compare

    def counted(*sides: Any, **how: Any) -> Any:
        if "to_prove" in how and any("over" in str(one) for one in sides):
            asked.append((*sides, how["efforts"], how["to_prove"]))
        return compare(*sides, **how)

    head = K + MULTISETS + family("e[i]*d_unbounded")
    monkeypatch.setattr(comparing, "compare", counted)
    monkeypatch.setattr(sizes, "MOST_NUMBERS", 2)
    monkeypatch.setattr(MetricForms, "answer", lambda *_: None)  # which compares what is lost by neighbours
    assert verdicts(head + claimed("sqrt(k*sum(e[i]**2, i, 1, k))*d_unbounded")) == ["undecided"]
    assert len(asked) == len(set(asked)) == 2
