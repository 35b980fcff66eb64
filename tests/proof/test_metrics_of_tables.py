"""Claims that are metrics about mechanisms that are tables of probabilities: what they lose is known exactly."""

from __future__ import annotations

import itertools
import json
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from in_metrics import THEORY, believed_again, claimed, forged, saved, steps, study, verdicts

import dpcompose as dpc
from dpcompose.front.studies import recheck as checker
from dpcompose.kernel.check import Refused
from dpcompose.privacy.problems import ProblemError
from dpcompose.privacy.settings.invalid import InvalidSetting

HEAD = (
    '[databases]\nkind = "listed"\nelements = ["a", "b", "c"]\n'
    '[granularities.next]\nneighbours = [["a", "b"], ["b", "c"]]\n'
    '[maps.f]\ntable = { a = "0", b = "1", c = "1" }\n'
)
COIN = '[tables.T]\noutcomes = ["x", "y"]\nrows = { a = ["1/2", "1/2"], b = ["1/4", "3/4"], c = ["1/8", "7/8"] }\n'
M = '[[mechanisms]]\nname = "M"\ntable = "T"\n'


def test_what_a_table_loses_is_known_exactly() -> None:
    """From a to b the outcome x has 1/2 and 1/4: ln 2; from b to c as well, and from a to c ln 4."""
    text = HEAD + COIN + M + claimed("log(2)*d_next", "log(2)", "log(4)", "log(199/100)*d_next")
    made, found = study(text)
    assert [one.verdict for one in found] == ["proved", "refuted", "proved", "refuted"]
    assert found[0].loose is False and made.judge.stated.bound.optimal is True
    example = found[1].counterexample
    assert example is not None
    assert {one["database"] for one in example.pair} == {"a", "c"}
    at_D, at_E = ("1/2", "1/8") if example.pair[0]["database"] == "a" else ("1/8", "1/2")
    assert f"by its table, P(x) = {at_D} at D, {at_E} at D'" in example.rows[0].words()


@pytest.mark.parametrize("metric", ["log(2)*d_next", "2*d_next", "lost_by_N + d_next"])
def test_its_guarantee_is_checked(metric: str) -> None:
    beside = '[[mechanisms]]\nname = "N"\ntable = "T"\n' if "lost" in metric else ""
    text = HEAD + COIN + beside + M + f'guarantee = {{ notion = "pure", metric = "{metric}" }}\n'
    assert verdicts(text + claimed("log(2)*d_next"))[0] == ("refuted" if beside else "proved")


def test_a_wrong_guarantee_is_refused_with_the_databases() -> None:
    with pytest.raises(InvalidSetting, match=r"the bound on lost_by_M fails: .* D = .*database = a"):
        study(HEAD + COIN + M + 'guarantee = { notion = "pure", metric = "log(3/2)*d_next" }\n')
    neighbours = 'guarantee = { notion = "pure", epsilon = "log(2)", granularity = "next" }\n'
    assert verdicts(HEAD + COIN + M + neighbours + claimed("log(2)*d_next")) == ["proved"]
    with pytest.raises(InvalidSetting):
        study(HEAD + COIN + M + neighbours.replace("log(2)", "1/2"))


def test_parameters_of_a_table() -> None:
    """Randomized response loses just e between any two inputs."""
    response = (
        '[tables.T]\noutcomes = ["0", "1"]\nrows = { 0 = ["exp(e)/(1 + exp(e))", "1/(1 + exp(e))"], '
        '1 = ["1/(1 + exp(e))", "exp(e)/(1 + exp(e))"] }\n'
    )
    text = (
        HEAD + response + M + 'reads = { map = "f" }\n' + claimed("e*d_next", "e", "e/2*d_next", "e*d_next/2")
    )
    assert verdicts(text) == ["proved", "proved", "refuted", "refuted"]


def test_an_outcome_that_one_database_rules_out() -> None:
    """c never says x: its distance to the others is oo, and d_next is finite there."""
    text = HEAD + COIN.replace('"1/8", "7/8"', '"0", "1"') + M
    _, (found,) = study(text + claimed("1000*d_next"))
    assert (
        found.verdict == "refuted"
        and found.counterexample is not None
        and found.counterexample.actual is None
    )


def test_a_table_loses_less_than_twice_what_each_direction_does() -> None:
    """T loses ln 3 from b to a, and T' from a to b: together ln 3 + ln(3/2) either way, and not 2·ln 3."""
    tables = (
        '[tables.T]\noutcomes = ["x", "y"]\nrows = { a = ["1/4", "3/4"], b = ["3/4", "1/4"], c = ["3/4", "1/4"] }\n'
    ).replace('"3/4", "1/4"', '"1/2", "1/2"') + (
        '[tables.U]\noutcomes = ["x", "y"]\nrows = { a = ["1/2", "1/2"], b = ["1/4", "3/4"], c = ["1/4", "3/4"] }\n'
    )
    text = HEAD + tables + M + '[[mechanisms]]\nname = "N"\ntable = "U"\n'
    made, found = study(
        text + claimed("2*log(2)*d_next", "(log(2) + log(3/2) - 1/1000)*d_next", "log(33/10)*d_next")
    )
    assert made.judge.stated.bound.optimal is None
    assert [one.verdict for one in found] == ["proved", "refuted", "proved"]


@pytest.mark.parametrize("seed", range(10))
def test_tables_against_what_is_gone_through(seed: int) -> None:
    rng = random.Random(seed)

    def row() -> list[Fraction]:
        parts = [rng.randint(1, 4) for _ in range(2 + seed % 2)]
        return [Fraction(x, sum(parts)) for x in parts]

    tables = {name: {D: row() for D in "abc"} for name in "TU"}
    width = len(tables["T"]["a"])
    text = HEAD
    for name, rows in tables.items():
        shown = ", ".join(f"{D} = {json.dumps([str(p) for p in one])}" for D, one in rows.items())
        outcomes = json.dumps([str(n) for n in range(width)])
        text += f"[tables.{name}]\noutcomes = {outcomes}\nrows = {{ {shown} }}\n"
    text += M + '[[mechanisms]]\nname = "N"\ntable = "U"\n'
    bounds = [Fraction(rng.randint(5, 40), 4) for _ in range(4)]
    _, found = study(text + claimed(*(f"log({x})*min(d_next, 1)" for x in bounds)))
    most = max(
        math.prod(tables[name][D][o] / tables[name][E][o] for name, o in zip("TU", both, strict=True))
        for D, E in itertools.permutations("abc", 2)
        for both in itertools.product(range(width), repeat=2)
    )
    for bound, one in zip(bounds, found, strict=True):
        assert one.verdict != "proved" or most <= bound
        assert one.verdict != "refuted" or most > bound
        assert one.verdict == "refuted" or most <= bound


def test_mechanisms_of_one_table_are_two() -> None:
    """Each loses ln 2 from a to b, and ln 4 from a to c."""
    text = HEAD + COIN + M + '[[mechanisms]]\nname = "N"\ntable = "T"\n'
    assert verdicts(text + claimed("2*log(2)*d_next", "log(4)", "log(16)")) == ["proved", "refuted", "proved"]


def test_saved_tables_are_checked_again(tmp_path: Path) -> None:
    """Between a and b, the first case, ln 2 is lost, which is the claim; the rows of c are 1/8, 7/8."""
    data = saved(HEAD + COIN + M + claimed("log(2)*d_next", "log(2)"), tmp_path)
    checked = checker.check_in_metrics(data, THEORY)
    assert checked.verdicts == ("proved", "refuted")
    assert "M has the probabilities of the table T" in checked.believed[0]
    (refuted,) = steps(data, "refute")
    cases = [n for n, one in enumerate(data["derivation"]["steps"], start=1) if one["rule"] == "attain"]
    assert [steps(data, "attain")[cases.index(n)]["neighbours"] for n in refuted["from"]] == [[3]]
    at = data["derivation"]["steps"].index(refuted)
    wrong = [
        forged(data, ["problem", "tables", "T", "rows", "c"], ["1/9", "8/9"]),
        forged(data, ["derivation", "steps", at, "from"], cases[:1]),
        forged(data, ["derivation", "steps", cases[2] - 1, "neighbours"], [1]),
        forged(data, ["derivation", "steps", at, "claim", "epsilon"], "log(3)"),
    ]
    for one in ("mechanisms", "distances"):
        there = ["core", one, 0] if one == "mechanisms" else ["core", one, "d__lost_by_M", "input"]
        wrong.append(believed_again(forged(data, [*there, "table", "rows", 2], ["1/9", "8/9"])))
    for n, one in enumerate(wrong):
        with pytest.raises(Refused):
            checker.check_in_metrics(one, THEORY)
            pytest.fail(f"forgery {n} was believed")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('table = "T"', 'table = "S"'), "there is no table 'S'"),
        (('"1/8", "7/8"', '"1/8", "3/8"'), "row c: the probabilities add up to 1/2, not 1"),
        ((', c = ["1/8", "7/8"]', ""), "there is to be a row for each database of the class: c has none"),
        (("c = [", 'd = ["1", "0"], c = ['), "a row for d, which is no database"),
        (('table = "T"\n', 'table = "T"\nrepeat = 2\n'), "that of one mechanism"),
        (
            ('table = "T"\n', 'table = "T"\nreads = { map = "f" }\n'),
            "depends on more than f(D), which is 1 for both",
        ),
        (('"1/8", "7/8"', '"1/exp(e)", "1 - 1/exp(e)"'), "is not known to be positive"),
        (
            ('table = "T"\n', 'table = "T"\nguarantee = { notion = "zcdp", metric = "d_next" }\n'),
            "pure privacy is checked here",
        ),
    ],
)
def test_wrong_tables_are_refused(change: tuple[str, str], told: str) -> None:
    with pytest.raises(ProblemError) as error:
        study('[parameters]\ne = "nonnegative"\n' + (HEAD + COIN + M).replace(*change) + claimed("d_next"))
    assert told in str(error.value)


def test_the_nodes_and_edges_of_a_graph() -> None:
    """A networkx graph as a listed class and its neighbours; steps of one's own relation without a target."""
    import networkx as nx

    for G in (nx.path_graph(["a", "b", "c"]), nx.MultiGraph([("a", "b"), ("b", "a"), ("b", "c")])):
        D, line = dpc.listed(G), dpc.pairs("line", G)
        assert dpc.canonical_metric(D, line)("a", "c") == 2
        study = dpc.metric_study({"M": "x*d"}, on=D, metrics={"d": dpc.steps_between(line)})
        assert study.check("x*d").verdict == "proved" and study.check("x*d/2").verdict == "refuted"
        with pytest.raises(TypeError, match="listed\\(G\\) with the nodes"):
            dpc.metric_study({"M": "x*d"}, on=G, metrics={"d": dpc.steps_between(line)})


@pytest.mark.parametrize(
    ("on", "metric", "d"),
    [
        (dpc.listed("abc"), "d", dpc.distances([("a", "b", 1), ("b", "c", 2), ("a", "c", 3)])),
        (dpc.listed(["x", "y"]), "d", dpc.distances([("x", "y", "1/2")])),
        (dpc.graphs(3), "d_edge", None),
    ],
)
def test_mechanisms_are_given_by_name_or_as_they_are_made(on: Any, metric: str, d: Any) -> None:
    metrics = {} if d is None else {"d": d}
    made = dpc.mechanism("M", dpc.in_metric(f"e*{metric}"))
    for given in ([{"M": f"e*{metric}"}], [made], [{}, made]):
        study = dpc.metric_study(*given, on=on, metrics=metrics)
        assert study.check(f"e*{metric}").proved and study.check(f"0.9*e*{metric}").refuted
