"""What was refused or misleading in the hands, row by row, and what is asked for instead, as a user types it.

The names of the first tests are the rows; each has variants of its own, of which some failed when they were written.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx
import pytest
import sympy
from sympy import stats

import dpcompose as dpc
from dpcompose.front import cli

ROOT = Path(__file__).resolve().parents[2]
LINE = networkx.path_graph(4)
e1, e2 = dpc.parameters("e1 e2")
x, y = sympy.symbols("x y")
TWO = dpc.multisets({"x", "y"})
M = dpc.mechanism("M", dpc.pure("e"))


def parts(target: Any = "bounded") -> dpc.Study:
    """Two mechanisms that read a record each, under replacement."""
    A = dpc.mechanism("A", dpc.pure(e1, domain="common"), reads={"x"})
    B = dpc.mechanism("B", dpc.pure(e2, domain="common"), reads={"y"})
    return dpc.compose(A, B, on=TWO, target=target)


def refused(call: Any) -> str:
    """What is said of something that does not fit."""
    with pytest.raises((TypeError, ValueError, KeyError, IndexError)) as told:
        call()
    return str(told.value)


# row 1: finite(G, G), pairs("p", G), canonical_metric(G); target=G, on=G


def test_graphs_of_networkx() -> None:
    assert dpc.finite(LINE, LINE).diameter() == dpc.canonical_metric(LINE)(0, 3) == 3
    for about in (LINE, dpc.pairs("p", LINE), networkx.MultiGraph(LINE), LINE.to_directed()):
        assert dpc.compose(M, on=LINE, target=about).guarantee().epsilon == dpc.parameters("e")[0]
    assert dpc.compose(M, on=networkx.grid_2d_graph(2, 2)).check("e").proved


def test_edges_that_go_one_way_are_no_neighbours() -> None:
    one_way = networkx.DiGraph([("a", "b"), ("b", "a"), ("b", "c")])
    for call in (
        lambda: dpc.compose(M, on=one_way),
        lambda: dpc.canonical_metric(one_way),
        lambda: dpc.policy(one_way),
    ):
        assert "an edge from 'b' to 'c' and none back" in refused(call)
    lengths = networkx.DiGraph([("a", "b", {"weight": 3}), ("b", "a", {"weight": 2})])
    assert "from 'a' to 'b' it is 3, and 2 back" in refused(lambda: dpc.distances(lengths))


def test_edges_that_stand_twice() -> None:
    """They were groups of three records, the third being the number of the edge; and all of length 1."""
    twice = networkx.MultiGraph([("a", "b", {"weight": 3}), ("a", "b", {"weight": 2})])
    assert dpc.policy(twice) == dpc.policy(networkx.Graph([("a", "b")]))
    assert dpc.distances(twice).table == dpc.distances([("a", "b", 2)]).table


def test_a_graph_of_records_is_a_policy() -> None:
    homes = networkx.Graph([("x", "y")])
    assert dpc.compose(M, on=TWO, target=dpc.policy(homes)).check("e").proved
    assert "'x' is a record" in refused(lambda: dpc.compose(M, on=TWO, target=homes))
    assert "dpcompose.policy(G)" in refused(lambda: dpc.canonical_metric(TWO, homes))


# row 2: a sympy metric as a guarantee; a set, function or sympy map that is read; a query with its sensitivity


def test_metrics_in_symbols_of_sympy() -> None:
    d = dpc.canonical_metric(TWO, dpc.unbounded)
    assert d(x, y) == d(*dpc.databases("x y")) and dpc.size(x) == dpc.size(dpc.databases("x")[0])
    study = dpc.compose(dpc.mechanism("M", satisfies=e1 * d(x, y)), on=TWO, target="unbounded")
    assert study.check(e1 * d(x, y)).proved and study.check(e1).proved and study.check(e1 / 2).refuted
    named = networkx.Graph([(x, y)])
    assert dpc.canonical_metric(named)(x, y) == 1, "a database that is a symbol is no other one"


@pytest.mark.parametrize(
    ("target", "claim", "verdict"),
    [
        ("unbounded", "2*e*d_bounded", "proved"),
        ("unbounded", "e*d_bounded", "refuted"),
        ("bounded", "e*d_unbounded", "refuted"),
        ("bounded", "e*d_free_lunch", "refuted"),
        ("bounded", "2*e*d_bounded", "proved"),
    ],
)
def test_a_claim_in_the_metric_of_other_neighbours(
    target: str, claim: str, verdict: str, tmp_path: Path
) -> None:
    """It was undecided, as an unknown name; of a file it was decided."""
    study = dpc.compose(M, on=dpc.multisets(), target=target)
    answer = study.check(dpc.in_metric(claim))
    assert answer.verdict == verdict
    study.save(tmp_path / "d.json", [answer, study.check("e")])
    assert dpc.recheck(tmp_path / "d.json").verdicts == (verdict, "proved")
    again, claims = dpc.loads(study.to_toml([answer.claim]))
    assert again.check(claims[0]).verdict == verdict


@pytest.mark.parametrize(
    "given",
    [
        {1, 3},
        sympy.FiniteSet(1, 2),
        slice(2),
        lambda D: D // 2,
        sympy.floor(x / 2),
        sympy.Lambda(x, x // 2),
        {n: n // 2 for n in range(4)},
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_is_read(given: Any) -> None:
    read = dpc.mechanism("M", dpc.pure("e", domain="common"), reads=given)
    if not isinstance(given, set | slice | sympy.FiniteSet):
        assert dpc.compose(read, on=LINE).theorems()["IV.12"].fits


def test_an_expression_in_a_database_is_read() -> None:
    (D,) = dpc.databases("D")
    study = dpc.compose(
        dpc.mechanism("M", dpc.pure("e", domain="common"), reads=sympy.Mod(dpc.size(D), 2)),
        on=dpc.multisets({"a", "b"}, "<= 2"),
        target="bounded",
    )
    assert study.guarantee().epsilon == 0, "a record that is replaced moves no number of records"


@pytest.mark.parametrize("query", [len, "the longest stay", 2 * x + 1], ids=str)
def test_a_query_with_its_sensitivity(query: Any) -> None:
    asked = dpc.mechanism("M", query=query, sensitivity=2, noise=dpc.laplace("b"))
    assert dpc.compose(asked, on=TWO, target="unbounded").check("2/b").proved
    assert "sensitivity=" in refused(lambda: dpc.mechanism("M", query=2 * x, noise=dpc.laplace("b")))


def test_noise_by_its_density() -> None:
    b = sympy.Symbol("b", positive=True)
    for given in (stats.Laplace("X", 0, b), stats.density(stats.Laplace("X", 0, b))):
        assert dpc.noise(given) == dpc.laplace(b)
    assert dpc.noise(stats.density(stats.Normal("X", 0, 2))(x)) == dpc.gaussian_noise(2)
    assert dpc.noise(lambda z: sympy.exp(-abs(z)) / 2) == dpc.laplace(1)
    assert "around 0" in refused(lambda: dpc.noise(stats.Normal("X", 1, 2)))
    assert "noise(density, x)" in refused(lambda: dpc.noise(sympy.exp(-abs(x) / b) / (2 * b)))
    assert "dpcompose.noise(density, x)" in refused(
        lambda: dpc.mechanism("M", query="count", noise=sympy.exp(-abs(x)) / 2)
    )


class Column(list[Any]):
    """What of a column of pandas is read: the values of the rows."""

    def tolist(self) -> list[Any]:
        return list(self)


def test_columns_of_a_data_frame() -> None:
    """Rows may have a value often; of a list such a record is a mistake."""
    ill = Column(["no", "yes", "no"])
    assert dpc.multisets(ill) == dpc.multisets({"no", "yes"}) and dpc.listed(ill).count() == 2
    assert dpc.tables({"ill": ill}, "= 2") == dpc.tables({"ill": ["no", "yes"]}, "= 2")
    assert dpc.multisets(attributes={"ill": ill}) == dpc.multisets(attributes={"ill": ["no", "yes"]})
    assert dpc.mechanism("M", dpc.pure("e", domain="own"), reads=ill).reads == dpc.restriction({"no", "yes"})
    assert dpc.compose(M, on=ill, target="free-lunch").check("e").proved
    assert "listed twice" in refused(lambda: dpc.multisets(["no", "yes", "no"]))
    pandas = pytest.importorskip("pandas")
    assert dpc.multisets(pandas.Series([20, 30, 30])) == dpc.multisets({"20", "30"})


def test_a_graph_of_people_is_one_database() -> None:
    assert "dpcompose.graphs(4)" in refused(lambda: dpc.graphs(LINE))  # type: ignore[arg-type]


def test_local_privacy_is_said_otherwise() -> None:
    assert 'size "= 1"' in refused(lambda: dpc.pure("e", "local"))


# row 3: Symbol("e"); 0.5; "ε"


def test_letters_and_numbers() -> None:
    plain = sympy.Symbol("e")
    with pytest.warns(UserWarning, match="e is taken to be positive"):
        assert dpc.compose(dpc.mechanism("M", dpc.pure(plain)), on=TWO, target="bounded").check(plain)
    assert dpc.pure(0.5) == dpc.pure("1/2") and dpc.pure("ε₁/2 + δ") == dpc.pure("epsilon1/2 + delta")
    assert parts().guarantee().at({e1: 0.1, "e2": "0.2"}) == {"epsilon": sympy.Rational(3, 10)}


# row 4: study.check(Max(e1, e2)), study.check("…"), budget(1)


@pytest.mark.parametrize("claim", [e1 + e2, "e1 + e2", dpc.pure(e1 + e2)], ids=repr)
def test_a_claim_is_what_one_has(claim: Any) -> None:
    assert parts().check(claim).proved
    assert parts().check(sympy.Max(e1, e2)).refuted and parts().check(0.5).refuted


def test_a_claim_is_the_guarantee_of_another_study() -> None:
    unbounded, bounded = parts("unbounded").guarantee(), parts().guarantee()
    assert parts().check(bounded).proved and parts().check(unbounded).refuted
    zcdp = dpc.compose(dpc.mechanism("M", dpc.zcdp("r")), on=TWO, target="bounded")
    assert zcdp.check(zcdp.guarantee()).proved
    metric = dpc.compose(dpc.mechanism("M", dpc.in_metric("e*d_unbounded")), on=TWO)
    assert metric.check(metric.guarantee()).proved


@pytest.mark.parametrize("total", [1, "1", 1.0, dpc.pure(1)], ids=repr)
def test_a_budget_is_what_one_has(total: Any) -> None:
    assert dict(parts().budget(total)) == {"e1": sympy.Rational(1, 2), "e2": sympy.Rational(1, 2)}


# row 5: assert study.check(claim) of a refuted claim


def test_an_assert_needs_a_proof() -> None:
    answer = parts().check("max(e1, e2)")
    with pytest.raises(AssertionError):
        assert answer
    assert answer.refuted and not answer.proved and not answer.undecided
    assert parts().check("e1 + e2")
    found = answer.counterexample
    assert found is not None and dpc.canonical_metric(TWO, dpc.bounded)(found.D, found.E) == 1
    assert parts().guarantee().at(found.point) == {"epsilon": found.loss} and (found.loss, found.claimed) == (
        2,
        1,
    )


def test_a_counterexample_with_noise_is_evaluated_sampled_and_plotted() -> None:
    """It had no outcomes: nothing could be computed, drawn or plotted."""

    def output(query: Any, noise: Any, claim: str, target: str = "unbounded") -> Any:
        asked = dpc.mechanism("M", query=query, noise=noise)
        answer = dpc.compose(asked, on=TWO, target=target).check(claim)
        assert answer.counterexample is not None and dpc.outcome_bars(answer).alt.endswith(
            f"M loses {answer.counterexample.outputs[0].loss}"
        )
        return answer.counterexample.outputs[0]

    here = sympy.Symbol("y", real=True)
    laplace = output(dpc.count, dpc.laplace(2), "1/4")
    assert laplace.density("D'") == sympy.exp(-sympy.Abs(here) / 2) / 4 and laplace.loss == sympy.Rational(
        1, 2
    )
    drawn = laplace.sample("D", 4000, seed=1)
    assert sum(drawn) / 4000 == pytest.approx(1, abs=0.2) and drawn == laplace.sample("D", 4000, seed=1)
    normal = output(dpc.count, dpc.gaussian_noise(2), "1/4")
    assert sympy.integrate(normal.density("D"), (here, -sympy.oo, sympy.oo)) == 1 and normal.loss is sympy.oo
    histogram = output(dpc.histogram(3), dpc.laplace(1), "1", "bounded")
    assert histogram.loss == 2 and len(histogram.sample("D'", seed=2)[0]) == 3
    whole = output(dpc.count, dpc.geometric(1), "1/2")
    assert whole.loss == 1 and all(one == int(one) for one in whole.sample("D", 20, seed=3))


@pytest.mark.parametrize(
    ("name", "meant"), [("multiset", "multisets"), ("Compose", "compose"), ("xyzzy", "")]
)
def test_names_that_are_nearly_right(name: str, meant: str) -> None:
    with pytest.raises(AttributeError) as told:
        getattr(dpc, name)
    assert str(told.value).endswith(f"did you mean {meant!r}?" if meant else f"{name!r}")


# row 6: dpc.theorems, proof[3], len(proof), iteration, the proof as a graph, sp.latex(guarantee)


@pytest.mark.parametrize("name", ["GB:IV.13", "IV.13", "Corollary IV.13", "cor. iv.13", "Theorem GB:IV.13"])
def test_theorems_as_papers_cite_them(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert dpc.theorems[name].id == "parallel-bounded" and name in dpc.theorems
    assert cli.main(["theorems", *name.split()]) == 0
    assert capsys.readouterr().out.startswith("# Parallel composition under bounded DP")


def test_a_theorem_says_whether_it_fits() -> None:
    assert dpc.theorems["IV.13"].check(parts()) and not dpc.theorems["IV.12"].check(parts())
    fit = dpc.theorems["IV.12"].check(parts())
    assert fit.pair == (("x",), ("y",)) and "p is compatible" in str(fit.reason)


def test_a_proof_is_a_sequence_and_a_graph() -> None:
    proof = parts().guarantee().proof
    assert len(proof) == 9 and [one.number for one in proof][3] == proof[3].number == "4"
    assert proof[-1] in proof and [one.number for one in proof[1:3]] == ["2", "3"]
    assert set(proof.graph()) == {one.number for one in proof} and proof.graph().has_edge("1", "3")
    assert refused(lambda: proof[99]) == "the derivation has lines at 0 to 8, and none at 99"


def test_all_that_is_handed_out_is_shown() -> None:
    study = parts()
    answer = study.check("max(e1, e2)")
    for one in (
        *(study, study.guarantee(), answer, answer.counterexample, study.guarantee().proof, dpc.theorems),
        *(dpc.theorems["IV.13"], TWO, dpc.bounded, dpc.count, dpc.laplace(2), study.budget(1)),
        *(dpc.compare("bounded", "unbounded", TWO), dpc.everything, study.setting),
    ):
        assert one._repr_html_() and "mathtt" not in sympy.latex(one), type(one)


def test_json_and_back() -> None:
    study = parts()
    claim = study.claim("max(e1, e2)")
    again, claims = dpc.loads(study.to_json([claim]))
    assert again.to_json(claims) == study.to_json([claim]) and again.check(claims[0]).refuted
    said = json.loads(json.dumps(study.check(claim).data()))
    assert said["counterexample"]["actual"] == "2" and study.guarantee().data()["optimal"] is True


# rows 7 and 8: compare; words that are nearly right


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        ("edge node --kind graphs", 3, 'a finite class would do; --size "= 4" says of which size'),
        ("edge node --kind graphs --size =4", 0, "d_edge <= 3*d_node"),
        (
            "unbounded bounded --kind tuples",
            2,
            "is about multisets and sets; there are bounded and free-lunch",
        ),
        ("user bounded --kind tuples", 2, "a file says so: --on FILE"),
        ("event w-event^3 --kind streams", 0, "d_event <= 3*d_3-event"),
        ("event w-event --kind streams", 2, "a window is written w-event^3"),
    ],
)
def test_granularities_are_compared(words: str, status: int, told: str, said: Any) -> None:
    assert said("compare", *words.split())[0] == status and told in said("compare", *words.split())[1]


WRONG = """\
format = 1
[databases]
kind = "multiset"
records = ["minor", "adult"]
[target]
granularity = "add-remove"
[[mechanisms]]
name = "M1"
reads = "everthing"
guarantee = { notion = "rdp", epsilon = "tanh(e1)", granularity = "bounded", domain = "comon" }
[[mechanisms]]
name = "M2"
query = "median"
noise = { laplce = "1/e" }
[[mechanisms]]
name = "M3"
guarantee = { notion = "zcdp", epsilon = "e1", granularity = "record-level" }
[[claims]]
notion = "pur"
epsilon = "maxx(e1, e2)"
"""
TOLD = {
    3: "did you mean 'multisets'?",
    6: "did you mean 'unbounded'?",
    9: "did you mean 'everything'?",
    10: "did you mean 'common'?",
    13: "did you mean 'mean'",
    14: "did you mean 'laplace'?",
    17: "did you mean 'unbounded', a record comes or goes, or 'bounded', one is replaced?",
    19: "did you mean 'pure'?",
    20: "did you mean 'max'?",
}
"""By line what is said of it; of the notions beside, test_every_mistake_is_told."""


def test_every_mistake_is_told(tmp_path: Path, said: Any) -> None:
    (file := tmp_path / "wrong.toml").write_text(WRONG, encoding="utf-8")
    status, told = said("verify", str(file))
    assert status == 2
    for line, words in TOLD.items():
        assert any(f"(line {line})" in one and words in one for one in told.splitlines()), (line, told)
    assert "did you mean 'renyi'?" in told and "a zcdp guarantee has no epsilon; it has rho" in told
    assert "tanh" not in told, "tanh is a function of formulas"


# rows 9 and 10: 20,000 mechanisms; --version, python -m dpcompose, init, explain TERM


def test_very_many_mechanisms(tmp_path: Path, said: Any) -> None:
    many = [dpc.mechanism(f"M{n}", dpc.pure("e")) for n in range(2_001)]
    told = refused(lambda: dpc.compose(*many, on=TWO, target="bounded"))
    assert told.startswith("2,001 mechanisms are more than 2,000") and "count=" in told
    family = dpc.mechanism("M", dpc.pure("e"), count=20_000)
    assert dpc.compose(family, on=TWO, target="bounded").check("20000*e").proved
    one = '[[mechanisms]]\nname = "M{0}"\nguarantee = {{notion = "pure", epsilon = "e{0}", granularity = "bounded"}}\n'
    head = 'format = 1\n[databases]\nkind = "multisets"\n[target]\ngranularity = "bounded"\n'
    (file := tmp_path / "many.toml").write_text(
        head + "".join(map(one.format, range(2_001))), encoding="utf-8"
    )
    status, told = said("verify", str(file))
    assert status == 2 and "at most 2000 items, not 2001; mechanisms that are alike are one family" in told


@pytest.mark.parametrize(
    "word",
    [
        "domain",
        "ε-DP",
        "(ε, δ)-DP",
        "parallel composition",
        "parallel",
        "sequential composition",
        "neighbors",
        "IV.12",
    ],
)
def test_words_are_explained(word: str, said: Any) -> None:
    assert said("explain", *word.split())[0] == 0


def test_the_schema_lets_a_claim_leave_out_its_notion(said: Any) -> None:
    schema = json.loads(said("schema")[1])
    assert "notion" not in schema["$defs"]["ClaimTable"].get("required", [])
    assert "notion" in schema["$defs"]["GuaranteeTable"]["required"]


# the design card, and what is public


def test_all_that_is_public_has_a_docstring_with_an_example_or_says_what_it_is() -> None:
    for name in dpc.__all__:
        one = getattr(dpc, name)
        told = one.__doc__ or ""
        assert len(told.split()) >= 5, name
    subjects = dpc.__doc__ or ""
    assert not [name for name in dpc.__all__ if name not in subjects]
