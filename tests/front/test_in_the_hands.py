"""What users of notebooks hold: sympy expressions, networkx graphs, sets and functions, in and out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import networkx
import pytest
import sympy

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.privacy.settings.stated import SymbolsTaken

e1, e2 = dpc.parameters("e1 e2")
LINE = networkx.path_graph(4)


def parts(domain: str = "own") -> Study:
    """Two mechanisms on disjoint record sets, under add/remove neighbours."""
    return dpc.compose(
        dpc.mechanism("A", dpc.pure(e1, domain=domain), reads={"x"}),
        dpc.mechanism("B", dpc.pure(e2, domain=domain), reads={"y"}),
        on=dpc.multisets(),
        target="unbounded",
    )


def test_a_graph_is_a_class_with_its_neighbours() -> None:
    study = dpc.compose(dpc.mechanism("M", dpc.pure(e1)), on=LINE)
    assert study.guarantee().epsilon == e1
    assert dpc.canonical_metric(LINE)(0, 3) == 3
    assert dpc.finite(LINE).diameter() == 3
    assert dpc.finite([0, 1, 2, 3], LINE).diameter() == 3


def test_a_graph_is_a_granularity() -> None:
    far = networkx.Graph([(0, 3)], name="far")
    M = dpc.mechanism("M", dpc.pure(e1, LINE))
    assert dpc.compose(M, on=dpc.listed(range(4)), target=far).guarantee().epsilon == 3 * e1
    assert dpc.compare(LINE, far, LINE).forth.value == 3


def test_graphs_without_names_are_told_apart() -> None:
    path, ring, more = networkx.path_graph(4), networkx.cycle_graph(4), networkx.complete_graph(4)
    one, two, three = (
        dpc.mechanism(x, dpc.pure(x, g)) for x, g in zip("abc", (path, ring, more), strict=True)
    )
    study = dpc.compose(one, two, three, on=ring)
    assert repr(study.guarantee()) == "graph (3*a + b + c)-DP, by GB:IV.1; optimal"
    assert "[granularities.graph_3]" in study.to_toml()
    assert "d_graph <= 3*d_graph_2" in repr(dpc.compare(path, ring, [0, 1, 2, 3]))


@pytest.mark.parametrize("where", ["a guarantee", "a claim", "a guarantee for neighbours"])
def test_metrics_of_two_graphs_are_not_confused(where: str) -> None:
    """2*d of a path is more than 2*d of a ring: d_graph would be the one for the other."""
    path, ring = networkx.path_graph(4), networkx.cycle_graph(4)
    x, y = dpc.databases("x y")
    of_path, of_ring = (2 * dpc.canonical_metric(one)(x, y) for one in (path, ring))
    with pytest.raises(ValueError, match=r"two different granularities are called 'graph'.*Graph\(name"):
        if where == "a guarantee":
            dpc.compose(dpc.mechanism("M", of_path), on=ring)
        elif where == "a claim":
            dpc.compose(dpc.mechanism("M", of_ring), on=ring).check(of_path)
        else:
            dpc.compose(dpc.mechanism("M", of_ring), dpc.mechanism("N", dpc.pure("e", path)), on=ring)
    path.graph["name"], ring.graph["name"] = "path", "ring"
    d = dpc.canonical_metric(path)
    study = dpc.compose(dpc.mechanism("M", 2 * d(x, y)), on=ring)
    assert study.check("6").proved and study.check("5").refuted and study.check(2 * d(x, y)).proved


def test_a_metric_is_that_of_the_class() -> None:
    x, y = dpc.databases("x y")
    small, large = (dpc.multisets({"a", "b"}, size=size) for size in ("= 2", "<= 2"))
    d = dpc.canonical_metric(small, dpc.unbounded)
    with pytest.raises(ValueError, match="d_unbounded is the canonical metric on all multisets of size 2"):
        dpc.compose(dpc.mechanism("M", d(x, y)), on=large, target="unbounded")
    same = dpc.canonical_metric(dpc.multisets(), dpc.unbounded)
    assert dpc.compose(dpc.mechanism("M", same(x, y)), on=dpc.multisets({"a"}), target="unbounded").check("1")


def test_names_and_graphs_are_granularities_inside_others() -> None:
    assert dpc.group(3, "bounded") == dpc.group(3, dpc.bounded)
    assert dpc.union("bounded", "unbounded") == dpc.union(dpc.unbounded, dpc.bounded)
    assert dpc.within_any_size(2, "unbounded") == dpc.within_any_size(2, dpc.unbounded)
    M = dpc.mechanism("M", dpc.pure(e1))
    assert dpc.compose(M, on=LINE, target=dpc.group(2, LINE)).check(e1).proved
    with pytest.raises(ValueError, match="no granularity 'bonded'; did you mean 'bounded'"):
        dpc.group(2, "bonded")
    with pytest.raises(TypeError, match=r"such as dpcompose\.bounded, or a networkx graph, not 7"):
        dpc.union("bounded", 7)  # type: ignore[arg-type]


def test_a_graph_is_a_policy() -> None:
    homes = networkx.Graph([("a1", "a2"), ("b1", "b2")])
    county = dpc.policy("county", replace=homes)
    M = [dpc.mechanism(x, dpc.pure(x, county, "common"), reads={f"{x}1", f"{x}2"}) for x in "ab"]
    study = dpc.compose(*M, on=dpc.multisets({"a1", "a2", "b1", "b2"}), target=county)
    assert str(study.guarantee().epsilon) == "max(a, b)"


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ({"a", "b"}, "D|{a, b}"),
        (frozenset({"a"}), "D|{a}"),
        (["b", "a"], "D|{a, b}"),
        ({1, 3}, "D[1, 3]"),
        (slice(2), "D[1, 2]"),
        (slice(1, 4, 2), "D[2, 4]"),
        (range(1, 3), "D[2, 3]"),
        (len, "len(D)"),
        ("everything", "D"),
    ],
    ids=lambda one: type(one).__name__ if not isinstance(one, str) else one,
)
def test_what_is_read(given: Any, written: str) -> None:
    assert dpc.mechanism("M", dpc.pure(e1), reads=given).reads.written("D") == written


def test_a_sympy_map_is_read() -> None:
    x = sympy.Symbol("x", integer=True)
    for half in (sympy.floor(x / 2), sympy.Lambda(x, sympy.floor(x / 2))):
        M = dpc.mechanism("M", dpc.pure(e1, domain="common"), reads=half)
        assert dpc.compose(M, on=networkx.path_graph(6)).theorems()["GB:IV.12"].fits
        assert [M.reads(D) for D in range(4)] == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (slice(1, None), "a slice of positions has an end"),
        (slice(-2, 2), "counts from the start"),
        ({1, "a"}, "a set of records, or of positions, and not of both"),
        ("everthing", "did you mean .everything."),
        (7, "not 7"),
        (set(), "not set()"),
    ],
    ids=lambda one: one if isinstance(one, str) else type(one).__name__,
)
def test_what_is_not_read(given: Any, message: str) -> None:
    with pytest.raises(TypeError, match=f"M: .*{message.replace('(', '.').replace(')', '.')}"):
        dpc.mechanism("M", dpc.pure(e1), reads=given)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (0.5, "1/2"),
        (1e-6, "1/1000000"),
        (Decimal("0.25"), "1/4"),
        (sympy.Float("0.1") * e1, "e1/10"),
        ("0.1", "1/10"),
    ],
    ids=str,
)
def test_decimals_are_what_they_show(given: Any, read: str) -> None:
    assert dpc.pure(given).text()["epsilon"] == read


@pytest.mark.parametrize("given", [float("inf"), sympy.oo, "oo"])
def test_infinity(given: Any) -> None:
    assert dpc.pure(given)["epsilon"] is sympy.oo


@pytest.mark.parametrize("given", [float("nan"), Decimal("nan"), True, None])
def test_what_is_no_number(given: Any) -> None:
    with pytest.raises(ValueError, match="no number"):
        dpc.pure(given)


@pytest.mark.parametrize(
    "given", ["ε₁ + 2*δ", sympy.Symbol("ε₁", positive=True) + 2 * sympy.Symbol("δ", positive=True)], ids=str
)
def test_greek_letters_have_their_names(given: Any) -> None:
    assert dpc.pure(given)["epsilon"] == sum(dpc.parameters("epsilon1 delta delta"))


@pytest.mark.parametrize("letter", ["π", "е", "Ε", "ο"], ids=ascii)
def test_letters_that_look_like_others_are_none(letter: str) -> None:
    with pytest.raises(ValueError, match="cannot stand in a formula"):
        dpc.pure(letter)


def test_symbols_that_say_nothing_are_taken_to_be_positive_and_it_is_said() -> None:
    x, y = sympy.symbols("x y")
    mechanisms = [dpc.mechanism(n, dpc.pure(z)) for n, z in (("A", x), ("B", y))]
    with pytest.warns(SymbolsTaken, match="x is taken to be positive, y is taken to be positive"):
        study = dpc.compose(*mechanisms, on=dpc.multisets(), target=dpc.unbounded)
    assert study.check(x + y) and study.check(sympy.Max(x, y)).refuted
    assert study.guarantee().at({x: 1, y: 2})["epsilon"] == 3


def test_symbols_have_what_is_stated_of_them() -> None:
    k, e = sympy.symbols("k e")
    family = dpc.mechanism("M", dpc.pure(e), count=k)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study = dpc.compose(
            family,
            on=dpc.multisets(),
            target="unbounded",
            parameters={"k": "integer >= 2", "e": "nonnegative"},
        )
    assert study.check(k * e).proved
    with pytest.warns(SymbolsTaken, match="k is taken to be integer >= 1"):
        dpc.compose(dpc.mechanism("M", dpc.pure("e"), count=k), on=dpc.multisets(), target="unbounded")


def test_a_metric_in_two_databases_is_a_guarantee_and_a_claim() -> None:
    x, y = sympy.symbols("x y")
    d = sympy.Function("d")
    study = dpc.compose(
        dpc.mechanism("A", e1 * d(x, y)),
        dpc.mechanism("B", 2 * e2 * d(y, x)),
        on=["a", "b"],
        metrics={"d": dpc.distances([("a", "b", 3)])},
    )
    assert study.check((e1 + 2 * e2) * d(x, y)).proved
    assert study.check(e1 * d(x, y)).refuted
    D, E = dpc.databases("D E")
    canonical = dpc.canonical_metric(dpc.multisets(), dpc.unbounded)
    assert dpc.in_metric(e1 * canonical(D, E)).metric == "d_unbounded*e1"


@pytest.mark.parametrize("given", [lambda d, x, y, z: d(x, z) + d(x, y), lambda d, x, y, z: x * d(x, y)])
def test_a_metric_of_other_databases_is_refused(given: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="a metric is written with two databases"):
        dpc.mechanism("M", given(sympy.Function("d"), *sympy.symbols("x y z")))


@pytest.mark.parametrize("claim", [sympy.Max(e1, e2), "max(e1, e2)", dpc.pure("max(e1, e2)")], ids=str)
def test_a_claim_is_a_formula_or_a_guarantee(claim: Any) -> None:
    answer = parts().check(claim)
    assert answer and answer.proved and not answer.refuted and not answer.undecided
    assert answer.data()["verdict"] == "proved"


def test_what_is_refuted_is_false() -> None:
    answer = parts().check(e1)
    assert not answer and answer.refuted and answer.counterexample is not None
    with pytest.raises(AssertionError):
        assert answer


def test_a_claim_with_two_parameters_needs_both() -> None:
    M = dpc.mechanism("M", dpc.approximate("e", "d"))
    study = dpc.compose(M, on=dpc.multisets(), target="unbounded", parameters={"d": "in (0,1)"})
    assert study.check(study.claim("e", "d"))
    with pytest.raises(TypeError, match=r"a claim in approximate privacy has epsilon, delta"):
        study.check("e")


def test_a_budget_is_a_number() -> None:
    assert str(parts().budget(1)) == str(parts().budget(dpc.pure(1)))


def test_a_query_of_ones_own_has_a_declared_sensitivity() -> None:
    longest = dpc.query("the longest stay", "c")
    M = dpc.mechanism("M", query=longest, noise=dpc.laplace("b"))
    assert str(dpc.compose(M, on=dpc.multisets(), target="unbounded").guarantee().epsilon) == "c/b"
    N = dpc.mechanism("N", query=dpc.query(max, 2), noise=dpc.gaussian_noise(4))
    assert dpc.compose(N, on=dpc.multisets(), target="bounded").guarantee().values["mu"] == sympy.Rational(
        1, 2
    )
    with pytest.raises(TypeError, match="here a sensitivity is declared"):
        dpc.mechanism("M", query=longest, noise=dpc.randomized_response("3/4"))


def test_noise_by_its_density() -> None:
    x, b = sympy.Symbol("x"), sympy.Symbol("b", positive=True)
    laplace = sympy.exp(-sympy.Abs(x) / b) / (2 * b)
    normal = sympy.exp(-(x**2) / (2 * b**2)) / (b * sympy.sqrt(2 * sympy.pi))
    assert dpc.noise(laplace, x) == dpc.laplace(b) and dpc.noise(normal, x) == dpc.gaussian_noise(b)
    for wrong in (
        laplace * 2,
        normal / 2,
        laplace.subs(x, x - 1),
        sympy.exp(-(x**4)),
        normal.subs(b, sympy.I),
    ):
        with pytest.raises(ValueError, match="the density of no Laplace or normal noise"):
            dpc.noise(wrong, x)


class Frame(dict[str, list[Any]]):
    """What of a data frame is read: its columns, and the values of the rows in each."""

    @property
    def columns(self) -> list[str]:
        return list(self)


def test_a_data_frame_is_a_class_of_tables() -> None:
    people = dpc.tables(Frame(age=["young", "old", "young"], ill=[0, 1, 0]), "= 2")
    assert str(people) == "all tables of 2 rows with age in {young, old}, ill in {0, 1}"
    pandas = pytest.importorskip("pandas")
    assert dpc.tables(pandas.DataFrame({"ill": [0, 1, 0]}), "= 2") == dpc.tables({"ill": ["0", "1"]}, "= 2")


# out


def test_theorems_by_item_with_their_check() -> None:
    theorem = dpc.theorems["GB:IV.13"]
    assert theorem.id == "parallel-bounded" and "GB:A.18" in theorem.items
    assert theorem.hypotheses == ("p is a record-wise partition", "k >= 2")
    assert "two largest parameters" in theorem.statement and "**Proof.**" in theorem.text
    fit = dpc.theorems["GB:IV.6"].check(parts())
    assert fit and not dpc.theorems["GB:IV.13"].check(parts())
    assert parts().theorems()["GB:IV.6"] == fit
    assert "GB:IV.13" in dpc.theorems and "GB:IV.99" not in dpc.theorems
    assert theorem in dpc.theorems.search("two largest record-wise")
    assert "Parallel composition" in theorem._repr_html_()
    with pytest.raises(KeyError, match="did you mean"):
        dpc.theorems["paralel-bounded"]
    with pytest.raises(TypeError, match="no theorem about compositions"):
        dpc.theorems["pure"].check(parts())


def test_a_derivation_is_a_sequence_and_a_graph() -> None:
    proof = parts().guarantee().proof
    assert len(proof) == len(list(proof)) and proof[0].words.startswith("A is unbounded e1-DP")
    graph = proof.graph()
    assert networkx.is_directed_acyclic_graph(graph) and set(graph) >= {step.number for step in proof}
    concluded = next(step for step in proof if "the composition is" in step.words)
    assert {"1", "2"} <= networkx.ancestors(graph, concluded.number)


@pytest.mark.parametrize(
    ("shown", "latex"),
    [
        (
            lambda: parts().guarantee(),
            r"\text{unbounded }\max\left(\varepsilon_{1}, \varepsilon_{2}\right)\text{-DP}",
        ),
        (lambda: dpc.pure("e1/2"), r"\text{pure (}\frac{\varepsilon_{1}}{2}\text{)}"),
        (lambda: parts().check("e1"), r"\text{is refuted}"),
    ],
)
def test_what_sympy_typesets(shown: Callable[[], Any], latex: str) -> None:
    assert latex in sympy.latex(shown())


def test_a_counterexample_is_computed_with() -> None:
    found = parts().check("e1").counterexample
    losing = next(one for one in found.outputs if one.name == "B")
    assert sum(losing.at_D.values()) == sum(losing.at_E.values()) == 1
    p, q = ({o: float(x) for o, x in table.items()} for table in (losing.at_D, losing.at_E))
    assert losing.loss == found.loss and max(abs(sympy.log(p[o] / q[o])) for o in p) == pytest.approx(
        float(found.loss)
    )
    drawn = losing.sample("D'", 400, seed=7)
    assert drawn == losing.sample("D'", 400, seed=7) and set(drawn) == set(losing.at_E)
    with pytest.raises(ValueError, match="outcomes are drawn at"):
        losing.sample("E")  # type: ignore[arg-type]


def test_json_and_back() -> None:
    study = parts()
    again, claims = dpc.loads(study.to_json([study.claim("e1")]))
    assert again.to_toml() == study.to_toml() and not again.check(claims[0])
    assert dpc.loads(study.to_toml())[0].to_json() == study.to_json()
    for text, message in (
        ('{"format": 1, "format": 1}', "stands twice"),
        ('{"format": NaN}', "no number"),
        ("{", "no JSON"),
    ):
        with pytest.raises(ValueError, match=message):
            dpc.loads(text)


# told


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dpc.pure(e1, "replace-one"), "no granularity 'replace-one'; did you mean 'bounded'"),
        (lambda: dpc.pure(e1, "record-level"), "did you mean 'unbounded', a record comes or goes"),
        (
            lambda: dpc.draw(dpc.multisets("ab")),
            r"a graph, or a class with its neighbours, draw\(D, dpcompose.bounded\)",
        ),
        (lambda: dpc.compose(dpc.mechanism("M", dpc.pure(e1)), on="bags", target="bounded"), "not 'bags'"),
        (
            lambda: dpc.compose(dpc.mechanism("M", dpc.pure(e1)), on=dpc.multisets()),
            "target is the neighbours",
        ),
    ],
)
def test_what_does_not_fit_is_told(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        call()


# what is no noise, no length and no trade-off function


@pytest.mark.parametrize(
    "made, said",
    [
        (lambda: dpc.laplace(0), "the scale must be positive, not 0"),
        (lambda: dpc.laplace("-1/2"), "the scale must be positive, not -1/2"),
        (lambda: dpc.laplace(0, threshold=3), "the scale must be positive, not 0"),
        (lambda: dpc.gaussian_noise(0.0), "the standard deviation must be positive, not 0"),
        (lambda: dpc.geometric(-1), "the scale must be positive, not -1"),
        (lambda: dpc.randomized_response(1), "the probability of the truth must lie between 0 and 1, not 1"),
        (lambda: dpc.laplace(float("inf")), "the scale is a finite number"),
        (lambda: dpc.pure("inf"), "infinity is the formula oo"),
        (lambda: dpc.pure("2*NaN"), "nan is no number"),
        (lambda: dpc.f_dp("nan"), "nan is no number"),
        (lambda: dpc.f_dp(float("nan")), "no number"),
        (lambda: dpc.f_dp({"outcome": []}), "by their outcomes"),
        (lambda: dpc.f_dp({1, 2}), "no formula"),
    ],
)
def test_numbers_that_nothing_has(made: Callable[[], Any], said: str) -> None:
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        made()


def test_a_trade_off_function_is_an_expression() -> None:
    alpha, d = sympy.Symbol("alpha"), sympy.Symbol("d", positive=True)
    for given in (sympy.Max(0, 1 - d - alpha), "max(0, 1 - d - alpha)"):
        M = dpc.mechanism("M", dpc.f_dp(given))
        study = dpc.compose(M, on=dpc.multisets(), target="bounded", parameters={"d": "in (0,1)"})
        assert study.check(dpc.approximate(0, "d")).proved
    assert repr(dpc.f_dp([1 - alpha, sympy.Max(0, 1 - d - alpha)])) == "f-dp (max(1 - alpha - d, 0))"


def test_weights_of_edges_are_lengths_or_refused() -> None:
    G = networkx.Graph([(0, 1, {"weight": 3}), (1, 2, {"weight": 0.5}), (3, 4)])
    with pytest.raises(ValueError, match=r"the edges of this graph have weights: dpcompose\.distances\(G\)"):
        dpc.canonical_metric(G)
    with pytest.raises(ValueError, match="have weights"):
        dpc.canonical_metric(dpc.listed(range(5)), G)
    assert dpc.canonical_metric(networkx.Graph(G.edges))(0, 2) == 2
    study = dpc.compose(dpc.mechanism("M", dpc.in_metric("e*d")), on=G, metrics={"d": dpc.distances(G)})
    assert study.check("e*d").proved
    assert "claimed 7/4, true loss 7/2" in repr(study.check("e*d/2")) or study.check("e*d/2").refuted
    assert dpc.compose(dpc.mechanism("M", dpc.pure("e")), on=G).guarantee().epsilon == dpc.parameters("e")[0]
