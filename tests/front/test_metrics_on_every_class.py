"""Metrics on classes of which no two databases are looked at: infinite ones, large ones, of symbolic sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from core_metrics import on_product
from in_metrics import THEORY, claimed, saved, stated, study, verdicts
from shares import every_third

from dpcompose.front.studies import recheck
from dpcompose.kernel.check import Refused
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.theorems import NoTheorem, Prover
from dpcompose.privacy.problems import ProblemError

CLASSES = {
    "all sets": ('kind = "sets"', "bounded"),
    "many sets": (f'kind = "sets"\nrecords = {list("abcdefghi")}', "unbounded"),
    "all sequences": ('kind = "sequences"', "insert-delete"),
    "sequences of three": ('kind = "sequences"\nrecords = ["a", "b", "c"]\nsize = "<= 6"', "insert-delete"),
    "graphs, by edges": ('kind = "graphs"\nvertices = 5', "edge"),
    "graphs, by vertices": ('kind = "graphs"\nvertices = 6', "node"),
    "graphs on any vertices": ('kind = "graphs"\nvertices = "any"', "node-removal"),
    "streams of any length": ('kind = "streams"\nsize = "= n"', "event"),
    "multisets of any size": ('kind = "multisets"\nsize = "= n"', "bounded"),
    "tuples of any length": ('kind = "tuples"\nsize = "= n"', "bounded"),
    "multisets up to any size": ('kind = "multisets"\nsize = "<= n"', "unbounded"),
}


def databases(told: str) -> str:
    return f"[databases]\n{told}\n".replace("'", '"')


@pytest.mark.parametrize(("name", "notion"), every_third(list(CLASSES), ["pure", "zcdp", "gaussian"]))
def test_claims(name: str, notion: str, tmp_path: Path) -> None:
    told, granularity = CLASSES[name]
    text = databases(told) + f'[metrics.d]\ngranularity = "{granularity}"\n'
    text += stated("s*d", notion) + stated("t*d", notion, "N")
    whole = {"pure": "(s + t)", "zcdp": "sqrt(s**2 + t**2)", "gaussian": "sqrt(s**2 + t**2)"}[notion]
    text += claimed(f"{whole}*d", notion=notion) + claimed("max(s, t)*d", notion=notion)
    assert verdicts(text) == ["proved", "refuted"]
    assert recheck.outcome(saved(text, tmp_path), THEORY).verdicts == ("proved", "refuted")


@pytest.mark.parametrize(
    ("told", "stated_in", "right", "wrong"),
    [
        ('kind = "sets"', "d_unbounded", "2*s*d_bounded", "3/2*s*d_bounded"),
        ('kind = "multisets"\nsize = "= n"', "d_bounded", "n*s*d_free_lunch", "s*d_free_lunch"),
        ('kind = "graphs"\nvertices = 5', "d_edge", "4*s*d_node", "3*s*d_node"),
        ('kind = "graphs"\nvertices = 5', "d_node", "s*d_edge", "s*d_edge/2"),
        ('kind = "streams"\nsize = "= 9"', "d_event", "9*s*d_free_lunch", "8*s*d_free_lunch"),
        (
            'kind = "sequences"\nrecords = ["a", "b"]\nsize = "<= 9"',
            "d_free_lunch",
            "s*d_insert_delete",
            "0.9*s*d_insert_delete",
        ),
    ],
)
def test_other_metrics(told: str, stated_in: str, right: str, wrong: str) -> None:
    """A vertex of five has four edges; two replaced records are two added and two removed ones."""
    text = databases(told) + stated(f"s*{stated_in}") + claimed(right) + claimed(wrong)
    assert verdicts(text) == ["proved", "refuted"]


def test_an_approximate_claim_that_is_false_for_neighbours() -> None:
    text = databases('kind = "sets"') + "".join(
        stated(f"{x}*d_unbounded", "approximate", name, delta="q*d_unbounded")
        for x, name in (("x", "M"), ("y", "N"))
    )
    text += claimed("(x + y)*d_unbounded", notion="approximate", delta="2*q*d_unbounded")
    text += claimed("max(x, y)*d_unbounded", notion="approximate", delta="2*q*d_unbounded")
    assert verdicts(text) == ["proved", "refuted"]


def test_a_canonical_metric_is_one_by_definition() -> None:
    made, _ = study(databases('kind = "sets"') + stated("s*d_unbounded") + claimed("s*d_unbounded"))
    assert made.guarantee().assumptions == ["M is private in the metric d_unbounded*s"]
    made, _ = study(databases('kind = "sets"') + '[metrics.d]\nat-most = "d_unbounded"\n' + stated("s*d"))
    assert [one for one in made.guarantee().assumptions if one.startswith("d is a metric: ")]


def test_where_there_may_be_no_databases_nothing_is_refuted() -> None:
    """There are no sets of three records or more over {a, b}: then every claim about points beside them holds."""
    text = '[parameters]\nn = "integer >= 1"\n[databases]\nkind = "product"\n'
    text += '[databases.parts.S]\nkind = "sets"\nrecords = ["a", "b"]\nsize = "= n"\n'
    text += '[databases.parts.p]\nkind = "points"\ncoordinates = ["u"]\n[metrics.L1]\nnorm = "L1"\nof = "p"\n'
    text += stated("s*L1") + claimed("s*L1") + claimed("s*L1/2")
    assert verdicts(text) == ["proved", "undecided"]
    whole = (
        '[parameters]\nn = "integer >= 1"\n[databases]\nkind = "sets"\nrecords = ["a", "b"]\nsize = "= n"\n'
    )
    whole += stated("s*d_bounded") + claimed("s*d_bounded/2")
    with pytest.raises(ProblemError, match='where not n <= 2: assume = \\["n <= 2"\\] would do'):
        study(whole)
    for one, at in ((text, "databases.parts.S"), (whole, "databases")):
        with pytest.raises(
            ProblemError, match=f"{at} .*: no set has 5 different records of the 2 in the univ"
        ):
            study(one.replace(">= 1", ">= 5"))


def test_a_class_beside_points() -> None:
    """Distances of sets are letters: what holds whatever these are is proved."""
    text = '[databases]\nkind = "product"\n[databases.parts.S]\nkind = "sets"\n'
    text += '[databases.parts.p]\nkind = "points"\ncoordinates = ["u"]\n'
    text += '[metrics.e]\ngranularity = "unbounded"\nof = "S"\n[metrics.L1]\nnorm = "L1"\nof = "p"\n'
    text += (
        stated("s*L1")
        + stated("t*e", name="N")
        + claimed("s*L1 + t*e")
        + claimed("2*s*L1 + t*e")
        + claimed("s*L1")
    )
    assert verdicts(text) == ["proved", "proved", "undecided"]


def core(distances: Any, metric: str) -> Any:
    return on_product({"": {"kind": "steps", "shown": "sets"}}, distances, metric, "sets")


def test_the_kernel_looks_at_no_databases_there() -> None:
    """d is 1 where two databases differ; that some do is not known."""
    prover = Prover(reading.read(core({"d__d": {"parts": [""]}}, "s*d__d")), Theory(THEORY.pages))
    known, cover = prover.by("given", i=1), prover.by("cover", of=["d__d"])
    assert len(cover.says.cover.types) == 2  # type: ignore[union-attr]
    for n in (1, 2):
        lower = prover.by("attain", cover, known, notion="pure", neighbours=[n], by=[1])
        with pytest.raises(NoTheorem, match="it is not known that there are some"):
            prover.by("refute", lower, claim={"notion": "pure", "epsilon": "s*d__d/2"}, point={"s": "1"})


def test_a_distance_on_them_is_read_as_no_input() -> None:
    given = {"name": "d", "reads": [None], "domain": "own", "notion": "pure", "values": {"epsilon": "1"}}
    told = {"part": "", "input": {**given, "stated": {"single": "step", "steps": 1}}}
    with pytest.raises(BadSetting, match="a part of records or listed databases"):
        reading.read(core({"d__d": told}, "s*d__d"))


def test_another_class_is_refused(tmp_path: Path) -> None:
    data = saved(databases('kind = "sets"') + stated("s*d_unbounded") + claimed("s*d_unbounded/2"), tmp_path)
    assert recheck.outcome(data, THEORY).verdicts == ("refuted",)
    data["problem"]["databases"] = {"kind": "sequences"}
    with pytest.raises(Refused):
        recheck.outcome(data, THEORY)
