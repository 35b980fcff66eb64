"""Guarantees that are formulas in distances: by hand, what is refused, and what no chain of databases helps."""

from __future__ import annotations

from typing import Any

import pytest
from core_metrics import ANY, BOUNDED, SYMBOLS, THEORY, UNBOUNDED, core, distance, mechanism, verdict

from dpcompose.kernel.core import reading
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.covers import cover
from dpcompose.kernel.covers.types import NoCover
from dpcompose.kernel.expressions import formulas, metrics, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.search import guarantees
from dpcompose.search.guarantees import NoGuarantee


def best(setting: Any, notion: str) -> tuple[str, bool]:
    found = guarantees.best(guarantees.workshop(setting, THEORY), notion).main
    values = ", ".join(formulas.to_text(value) for _, value in found.says.values)
    return values, bool(found.optimal)


@pytest.mark.parametrize(
    ("formula", "notion", "value"),
    [
        ("e*d__u", "pure", "2*e"),  # a replacement is two steps of adding and removing
        ("min(e*d__u, w)", "pure", "min(2*e, w)"),
        ("e*d__u + f*d__b + min(d__a, w)", "pure", "2*e + f + min(w, 1)"),
        ("max(e*d__b, f*d__u)", "pure", "max(e, 2*f)"),
        ("e*d__u", "zcdp", "4*e**2"),  # rho is the square of the metric
        ("sqrt((e*d__b)**2 + (f*d__u)**2)", "gaussian", "sqrt(e**2 + 4*f**2)"),
        ("sqrt(d__u)", "pure", "sqrt(2)"),
    ],
)
def test_the_formula_is_taken_at_the_distances_of_neighbours(formula: str, notion: str, value: str) -> None:
    setting = core(mechanism("M", formula, notion))
    assert reading.read(setting.data()) == setting
    assert best(setting, notion) == (value, True)


def test_distances_are_looked_at_together() -> None:
    """For add/remove neighbours d_a is 1 where an a goes, and d_unbounded too: not each at its own worst."""
    data = mechanism("M", "e*d__a + f*d__o", d__o="")
    data["metric"].pop("d__o")
    data["metric"]["distances"]["d__o"] = distance(ANY, [1])
    both = core(data, target=UNBOUNDED)
    assert best(both, "pure") == ("max(e, f)", True)
    assert best(core(data), "pure") == ("e + f", True)  # of a replacement an a becomes a b


def test_an_infinite_distance_costs_infinity_whatever_the_parameter() -> None:
    """No add/remove step keeps the size: d_bounded is oo there, and min(d_bounded, w) is w."""
    assert best(core(mechanism("M", "e*d__b"), target=UNBOUNDED), "pure")[0] == "oo"
    assert best(core(mechanism("M", "min(e*d__b, w)"), target=UNBOUNDED), "pure") == ("w", True)
    assert best(core(mechanism("M", "e*min(d__b, w)"), target=UNBOUNDED), "pure") == ("e*w", True)


def test_no_database_lies_between() -> None:
    """At distance 2 of a metric all that is known is e^2: two steps of (1, 0) would give delta 0.4621 at 1,
    and randomized response at 2 has 0.5568 (mathematics.md 6.4)."""
    metric = core(mechanism("M", "2*d__a"))
    steps = core(distance(UNBOUNDED, name="M"))
    claim = {"notion": "approximate", "epsilon": "1", "delta": "1/2"}
    assert (verdict(metric, **claim), verdict(steps, **claim)) == ("refuted", "proved")
    assert verdict(metric, **claim | {"delta": "557/1000"}) == "proved"


def test_what_is_no_metric_proves_and_refutes_nothing() -> None:
    for formula in ("d__u**2", "d__u*d__b", "min(d__u, d__b)"):
        setting = core(mechanism("M", formula))
        value, optimal = best(setting, "pure")
        assert not optimal
        assert verdict(setting, notion="pure", epsilon=value) == "proved"
        assert verdict(setting, notion="pure", epsilon="0") == "undecided"
    bounded = mechanism("M", "e*d__u") | {}
    bounded["metric"] = bounded["metric"] | {"bounded": True}
    assert best(core(bounded), "pure") == ("2*e", False)


def test_a_delta_of_its_own() -> None:
    given = mechanism("M", "e*d__b", "approximate", besides={"delta": "d__u/100"})
    given["metric"]["distances"]["d__u"] = distance(UNBOUNDED)
    setting = core(given)
    assert best(setting, "approximate") == ("e, 1/50", True)  # delta is a metric: one may tell D with it
    assert verdict(setting, notion="approximate", epsilon="e", delta="1/50") == "proved"
    assert verdict(setting, notion="approximate", epsilon="e", delta="1/100") == "refuted"
    assert verdict(setting, notion="pure", epsilon="e") == "refuted"  # which is (e, 0)


def test_whole_distances_are_not_written_out_step_by_step() -> None:
    """delta grows along chains of databases, of which a metric says nothing: it is what its formula says."""
    far = core(mechanism("M", "5000*d__u", "approximate", besides={"delta": "0"}))
    assert best(far, "approximate") == ("10000, 0", True)


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("2 - d__a", "not seen to grow"),
        ("1/(1 + d__u)", "not seen to grow"),
        ("abs(d__u - d__b)", "not seen to grow"),
        ("1 + d__u", "is not 0 where all distances are"),
        ("(e - f)*d__u", "not seen to grow"),
    ],
)
def test_what_may_fall_is_refused(formula: str, words: str) -> None:
    with pytest.raises(NoCover, match=words):
        cover(core(mechanism("M", formula)), THEORY)


def test_groups_need_convex_losses() -> None:
    three = BOUNDED | {"steps": 7}
    assert best(core(mechanism("M", "e*d__u + f*d__b"), target=three), "pure")[0] == "14*e + 7*f"
    many = {"single": [[1, 1]], "steps": 1, "times": "m"}

    def of_many(formula: str, *parts: list[int]) -> str:
        """With a mechanism for each part, which counts records in it, or one for everything."""
        some = [mechanism(f"M{n}", formula) for n in range(len(parts) or 1)]
        for one, part in zip(some, parts, strict=bool(parts)):
            one["metric"]["distances"]["d__u"] = distance(UNBOUNDED, part)
        data = core(*some).data() | {"target": many}
        data["parameters"] = data["parameters"] | {"m": "integer >= 1"}
        return best(reading.read(data), "pure")[0]

    assert of_many("e*d__u + f*d__b") == "2*e*m + f*m"
    assert of_many("min(e*d__u, w)") == "min(2*e*m, w)"  # as every step moves as far
    assert of_many("e*d__u", [0], [1]) == "2*e*m"
    with pytest.raises(NoGuarantee, match="convex"):  # which parts the m records are in matters
        of_many("min(e*d__u, w)", [0], [1])


@pytest.mark.parametrize(
    ("epsilon", "delta", "convex"),
    [
        ("e*d__u", "d__u/100", True),
        ("e*d__u", "min(d__u/100, 1/50)", False),
        ("min(e*d__u, w)", "d__u/100", False),
    ],
)
def test_for_groups_each_formula_is_convex(epsilon: str, delta: str, convex: bool) -> None:
    """That of epsilon and that of delta: m records may lie in any of two parts."""
    some = [mechanism(f"M{n}", epsilon, "approximate", besides={"delta": delta}) for n in range(2)]
    for n, one in enumerate(some):
        one["metric"]["distances"] = {"d__u": distance(UNBOUNDED, [n])}
    data = core(*some).data() | {"target": {"single": [[1, 1]], "steps": 1, "times": "m"}}
    data["parameters"] = data["parameters"] | {"m": "integer >= 1"}
    setting = reading.read(data)
    if convex:
        assert best(setting, "approximate")[0] == "2*e*m, m/50"
    else:
        with pytest.raises(NoGuarantee, match="convex"):
            best(setting, "approximate")


def test_a_finite_distance_without_a_limit_is_refused() -> None:
    with pytest.raises(NoCover, match="has no limit"):
        cover(core(mechanism("M", "min(e*d__u, w)"), target=ANY), THEORY)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"distances": {}}, "a table of mechanisms by letters"),
        ({"distances": {"u": distance(UNBOUNDED)}}, "letters that begin with d__"),
        ({"distances": {"d__u": distance(UNBOUNDED, count="3")}}, "of as many members"),
        ({"distances": {"d__u": mechanism("N", "d__u")}}, "guarantees for neighbours"),
        ({"formula": "d__v"}, "unknown name"),
        ({"formula": "oo"}, "formulas without oo"),
        ({"besides": {"delta": "d__u"}}, "formulas for parameters of the guarantee"),
        ({"bounded": 0}, "true or false"),
    ],
)
def test_forged_metrics_are_refused(change: dict[str, Any], words: str) -> None:
    given = mechanism("M", "e*d__u")
    given["metric"] = given["metric"] | change
    with pytest.raises(BadSetting, match=words):
        core(given)


def test_a_metric_stands_alone_and_its_letters_are_no_parameters() -> None:
    for more in ({"stated": BOUNDED}, {"also": []}):
        with pytest.raises(BadSetting):
            core(mechanism("M", "e*d__u") | more)
    data = core(mechanism("M", "e*d__u")).data()
    with pytest.raises(BadSetting, match="no name of a parameter"):
        reading.read(data | {"parameters": data["parameters"] | {"d__u": "positive"}})


def test_lengths_are_those_of_listed_distances() -> None:
    """The way from 0 to 2 is 2 + 1/2; where 1 and 2 are read as one, 0 is 2 from both."""
    pairs = {"single": [[0, 1], [1, 2]], "steps": 1, "lengths": ["2", "1/2"]}

    def setting(**more: Any) -> Any:
        given = mechanism("M", "e*d__u")
        data = core(given).data() | {"target": {"single": [[0, 2]], "steps": 1}}
        given["metric"]["distances"] = {"d__u": distance(pairs, **more)}
        data["databases"] = {"kind": "listed", "shown": "three", "count": 3}
        return reading.read(data | {"mechanisms": [given]})

    assert best(setting(), "pure") == ("5*e/2", True)
    assert best(setting(reads=[0, 1, 1], domain="common"), "pure") == ("2*e", True)
    with pytest.raises(BadSetting, match="of distances in a metric only"):
        plain = setting().data()
        reading.read(plain | {"mechanisms": [distance(pairs)]})
    for wrong in (["2"], ["2", "-1"], ["2", "e"]):
        pairs["lengths"] = wrong
        with pytest.raises(BadSetting, match="a number >= 0"):
            setting()


def formula(text: str) -> terms.Term:
    return formulas.parse(text, SYMBOLS)


def test_formulas_of_distances() -> None:
    known = {"d__u": terms.INFINITY, "d__b": terms.number(3)}
    at = {
        "min(d__u, w) + e*d__b": "3*e + w",
        "e*d__u": "oo",
        "max(d__b, w)": "max(w, 3)",
        "sqrt(d__u**2 + 1)": "oo",
        "e*min(d__u, d__b, w)": "e*min(w, 3)",
        "top(2, d__b, w, min(d__u, 1))": "top(2, w, 1, 3)",
    }
    for text, value in at.items():
        assert metrics.at(formula(text), known) == formulas.parse(value, SYMBOLS), text
    assert not metrics.is_metric(formula("max(d__u, w)"))
    assert metrics.is_metric(formula("top(2, d__u, d__b, e*d__a)"))
    assert not metrics.is_convex(formula("min(d__u, w)"))
    assert metrics.is_convex(formula("(d__u + d__b)**2"))
    real = {**SYMBOLS, "x": terms.letter("x", Domain.read("real"))}
    assert not metrics.grows(formulas.parse("x*d__u", real))
    assert not metrics.is_metric(formulas.parse("x*d__u", real))
    assert not metrics.is_metric(formulas.parse("min(d__u, x)", real))
