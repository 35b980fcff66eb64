"""Databases, maps and metrics as expressions: how they print, what they are worth, and the composed metric."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from itertools import product
from typing import Any

import oracle
import pytest
import strategies
import sympy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from language.letters import evaluate
from strategies import Twin

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.proof.privacy_metric import NoMetric
from dpcompose.spaces.canonical.distances import Cost, MetricFunction
from dpcompose.spaces.canonical.metrics import ClosedForm, Metric

MANY = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
D, E, F = dpc.databases("D, E F")
e1, e2 = dpc.parameters("e1 e2")
X = dpc.multisets({"a", "b", "c"})
A, B = dpc.restriction(["a", "b"]), dpc.restriction(["c"])
U, W = dpc.canonical_metric(X, dpc.unbounded), dpc.canonical_metric(X, dpc.bounded)
MERGE = dpc.table("merge", {"p": "x", "q": "x", "r": "y"})


# ---------------------------------------------------------------- printing


@pytest.mark.parametrize(
    ("expression", "text", "latex"),
    [
        (D, "D", "D"),
        (dpc.databases("D_1")[0], "D_1", "D_{1}"),
        (A(D), "D|{a, b}", r"D|_{\lbrace a, b\rbrace}"),
        (MERGE(D), "merge(D)", r"\text{merge}\left(D\right)"),
        (dpc.function("f", len)(D), "f(D)", r"f\left(D\right)"),
        (dpc.composed(B, MERGE)(D), "merge(D)|{c}", r"\text{merge}\left(D\right)|_{\lbrace c\rbrace}"),
        (
            dpc.mechanism("census", dpc.pure("e", dpc.bounded, "own"), reads=A)(D),
            "census(D|{a, b})",
            r"\text{census}\left(D|_{\lbrace a, b\rbrace}\right)",
        ),
        (D ^ E, "D △ E", r"D \mathbin{\triangle} E"),
        (abs(D ^ E), "|D △ E|", r"\left\lvert D \mathbin{\triangle} E\right\rvert"),
        (
            D ^ E ^ F,
            "F △ (D △ E)",
            r"F \mathbin{\triangle} \left(D \mathbin{\triangle} E\right)",
        ),
        (dpc.database(["b", "a b"]), "{a b, b}", r"\left\lbrace \text{a b}, b\right\rbrace"),
        (U(D, E), "d_unbounded(D, E)", r"d_{\text{unbounded}}\left(D, E\right)"),
        (U(E, D), "d_unbounded(D, E)", r"d_{\text{unbounded}}\left(D, E\right)"),
        (
            U(("a",), E),
            "d_unbounded(E, {a})",
            r"d_{\text{unbounded}}\left(E, \left\lbrace a\right\rbrace\right)",
        ),
        (
            Cost(e1 + e2, U, D, E) ** 2,
            "((e1 + e2)*d_unbounded(D, E))**2",
            r"\left(\left(e_{1} + e_{2}\right) d_{\text{unbounded}}\left(D, E\right)\right)^{2}",
        ),
        (U(D, E) ** 2, "d_unbounded(D, E)**2", r"d_{\text{unbounded}}\left(D, E\right)^{2}"),
    ],
)
def test_expressions_print_as_mathematics(expression: Any, text: str, latex: str) -> None:
    assert str(expression) == repr(expression) == text
    assert sympy.latex(expression) == latex
    assert expression._repr_latex_() == rf"$\displaystyle {latex}$"


def test_expressions_are_copied_and_pickled() -> None:
    for expression in (D, A(D), D ^ E, abs(A(D)), U(A(D), E), Cost(e1, W, D, ("a",))):
        for again in (copy.deepcopy(expression), pickle.loads(pickle.dumps(expression))):
            assert again == expression and hash(again) == hash(expression)


def test_the_composed_metric_prints_by_domain() -> None:
    study = dpc.compose(
        dpc.mechanism("M1", dpc.pure(e1, dpc.bounded, "common"), reads=B),
        dpc.mechanism("M2", dpc.pure(e1 + e2, dpc.unbounded)),
        on=X,
        target=dpc.bounded,
    )
    assert str(study.metric(D, E)) == "e1*d_bounded^f*(D|{c}, E|{c}) + (e1 + e2)*d_unbounded(D, E)"
    assert (
        str(study.metric(D, E, closure=False)) == "e1*d_bounded^f(D|{c}, E|{c}) + (e1 + e2)*d_unbounded(D, E)"
    )
    assert r"d_{\text{bounded}}^{f\ast}" in sympy.latex(study.metric(D, E))
    assert study.metric(D, E) == study.metric(E, D) == Study(study.setting).metric(D, E)
    assert study.metric(D, E).free_symbols == {D, E, e1, e2}
    assert study.metric(D, D) == 0
    assert study.guarantee().metric == study.metric(D, E)


# ---------------------------------------------------------------- values


def test_values_by_at_and_by_subs() -> None:
    metric = Cost(e1, U, A(D), A(E)) + Cost(e2, W, D, E)
    assert dpc.at(metric, {D: ["b", "a"], E: ["c", "a"]}) == e1 + e2
    assert dpc.at(metric, {D: ("a",), E: ("b",), "e1": "1/2", e2: 3}) == 4
    assert dpc.at(metric, {D: ("a",), E: ()}) is sympy.oo
    assert metric.subs({D: dpc.database(["a"]), E: dpc.database(["b"])}) == 2 * e1 + e2
    assert metric.subs(D, E) == 0
    assert dpc.at(dpc.at(metric, {D: ("a",)}), {E: ("b",)}) == 2 * e1 + e2
    assert dpc.at(MERGE(D), {D: "p"}) == dpc.database("x")
    assert dpc.at(abs(A(D) ^ A(E)), {D: ("a", "a", "c"), E: ("b",)}) == 3
    assert dpc.size(("a", "a")) == 2
    assert (Cost(e1, U, D, E) - Cost(e1, U, E, D)) == 0
    assert Cost(e1 * e2, U, D, E).diff(e1) == Cost(e2, U, D, E)
    assert dpc.at(D ^ D, {}) == dpc.database(())


def test_arbitrary_universes_hold_every_record() -> None:
    d = dpc.canonical_metric(dpc.multisets(), dpc.bounded)
    assert d(("z", "q"), ["q", "k"]) == 1 and d(("z",), ()) is sympy.oo


class Halves(Metric):
    """A pseudometric: numbers are as far apart as their halves; 100 is far from all."""

    def __call__(self, x: Any, y: Any) -> int:
        return -1 if 100 in (x, y) and x != y else abs(x // 2 - y // 2)


@pytest.mark.parametrize("epsilon", [0, sympy.Rational(1, 3), sympy.oo])
def test_zero_and_infinity(epsilon: Any) -> None:
    """The same input costs 0, distance oo costs oo, and without a guarantee so does distance 0."""
    d = MetricFunction("half", Halves())
    for x, y in product([0, 1, 2, 100], repeat=2):
        steps = Halves()(x, y)
        expected = oracle.cost(
            oracle.INFINITY if epsilon is sympy.oo else oracle.Fraction(str(epsilon)),
            oracle.INFINITY if steps < 0 else steps,
            x == y,
        )
        for value in (Cost(epsilon, d, x, y), dpc.at(Cost(epsilon, d, D, E), {D: x, E: y})):
            assert value == (sympy.oo if expected == oracle.INFINITY else sympy.Rational(expected))
    assert Cost(epsilon, d, D, D) == 0
    assert str(Cost(epsilon, d, D, E)) in (f"{epsilon}*d_half(D, E)", "(1/3)*d_half(D, E)")


def test_sums_with_infinity_are_infinite() -> None:
    assert Cost(e1, W, D, E) + Cost(e2, U, ("a",), ()) == e2 + Cost(e1, W, D, E)
    assert Cost(e1, W, D, E) + Cost(0, W, ("a",), ()) is sympy.oo


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: dpc.databases("1 2"), "'1' is no name for a database; use a letter, as in databases('D E')"),
        (lambda: dpc.databases(" "), "name the databases: databases('D E')"),
        (lambda: U(("z",), D), "('z',) is no database of all finite multisets over {a, b, c}"),
        (lambda: U({"a"}, D), "{'a'} is no database: multisets are tuples of records"),
        (lambda: dpc.at(U(D, E), {F: ("a",)}), "there is no F in d_unbounded(D, E); there is D, E"),
        (lambda: dpc.at(U(D, E), {D: ("z",)}), "('z',) is no database of all finite multisets"),
        (
            lambda: U(D, E).subs({D: ("a",)}),
            "sympy reads the records of a tuple as formulas: use dpcompose.at(expression, {D: ('a', 'b')})",
        ),
        (lambda: dpc.at(3, {D: ("a",)}), "3 is no expression with databases in it"),
        (lambda: dpc.symmetric_difference("p", "q"), "p is no multiset of records"),
        (lambda: dpc.size("p"), "p is no multiset of records, so it has no size"),
        (lambda: dpc.at(MERGE(D), {D: "z"}), "the map merge has no value for the database 'z'"),
        (lambda: dpc.database(D), "D is not known: give a database of a class"),
        (lambda: Cost(float("nan"), U, D, E), "nan is no number"),
    ],
)
def test_misuse_is_told_in_a_sentence(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert message in str(caught.value)


# ---------------------------------------------------------------- the composed metric against the oracle


def number(expression: sympy.Expr, point: strategies.Point) -> oracle.Number:
    """A value of the metric in the oracle's numbers."""
    if expression is sympy.oo:
        return oracle.INFINITY
    value = evaluate(expression, point)
    assert value is not None
    return value


def assert_composed_metric(twin: Twin, point: strategies.Point) -> None:
    """The oracle's losses at all pairs; their largest over the target is the guarantee; a metric."""
    study, setting = twin.study, twin.at(point)
    distances = [oracle.input_distance(setting, mechanism) for mechanism in setting.mechanisms]
    symbolic = study.metric(D, E)
    assert study.metric(D, D) == 0
    found: dict[oracle.Pair, oracle.Number] = {}
    for x, y in product(twin.compared, repeat=2):
        costs = [
            oracle.cost(mechanism.epsilon, r(x, y), mechanism.f(x) == mechanism.f(y))
            for mechanism, r in zip(setting.mechanisms, distances, strict=True)
        ]
        found[x, y] = number(study.metric(x, y), point)
        assert found[x, y] == oracle.total(costs)
        assert dpc.at(symbolic, {D: x, E: y}) == study.metric(x, y)
    for x, y, z in product(twin.compared, repeat=3):
        assert found[x, z] <= oracle.add(found[x, y], found[y, z])
    losses = [found[pair] for pair in oracle.target_pairs(setting)]
    if losses:
        assert max(losses) == number(study.guarantee().epsilon, point)
    else:
        assert study.bound.vacuous


@MANY
@given(st.data())
def test_composed_metric_on_listed_classes(data: st.DataObject) -> None:
    twin = data.draw(strategies.listed(most_databases=6, most_mechanisms=3))
    assert_composed_metric(twin, data.draw(strategies.anywhere(twin)))


@settings(MANY, max_examples=10)
@given(st.data())
def test_composed_metric_on_multisets(data: st.DataObject) -> None:
    twin = data.draw(strategies.multisets())
    assert_composed_metric(twin, data.draw(strategies.anywhere(twin)))


@MANY
@given(st.data())
def test_without_closure_it_is_the_minimum_over_fibres(data: st.DataObject) -> None:
    points = [f"d{i}" for i in range(data.draw(st.integers(1, 6)))]
    pairs = data.draw(strategies.relations_on(points))
    values = data.draw(st.lists(st.sampled_from("xyz"), min_size=len(points), max_size=len(points)))
    f = dpc.table("f", dict(zip(points, values, strict=True)))
    G = dpc.pairs("G", pairs)
    study = dpc.compose(
        dpc.mechanism("M", dpc.pure(e1, G, "common"), reads=f), on=dpc.listed(points), target=G
    )
    distance = oracle.canonical_distance(points, oracle.from_pairs(pairs))
    least = oracle.minimum_privacy_distance(points, distance, f)
    for x, y in product(points, repeat=2):
        expected = least[f(x), f(y)]
        assert study.metric(x, y, closure=False) == (
            sympy.oo if expected == oracle.INFINITY else expected * e1
        )
        assert number(study.metric(x, y), {"e1": oracle.Fraction(1)}) <= expected


def test_chains_of_fibres() -> None:
    """a - b1, b2 - c with b1, b2 merged: d^f breaks the triangle inequality, its closure does not."""
    G = dpc.pairs("steps", [("a", "b1"), ("b2", "c")])
    f = dpc.table("merge", {"a": "x", "b1": "y", "b2": "y", "c": "z"})
    study = dpc.compose(
        dpc.mechanism("M", dpc.pure(e1, G, "common"), reads=f),
        on=dpc.listed(["a", "b1", "b2", "c"]),
        target=G,
    )
    assert study.metric("a", "c") == 2 * e1
    assert study.metric("a", "c", closure=False) is sympy.oo
    assert study.metric("b1", "b2", closure=False) == 0
    assert study.metric("a", "b2", closure=False) == study.metric("b2", "c", closure=False) == e1


def test_families_are_refused() -> None:
    (k,) = dpc.parameters("k", "integer >= 1")
    study = dpc.compose(dpc.mechanism("M", dpc.pure("e[i]", dpc.bounded), count=k), on=X, target=dpc.bounded)
    with pytest.raises(
        NoMetric, match=r"^M stands for a family of mechanisms, whose metric is not written out"
    ):
        study.metric(D, E)
    with pytest.raises(NoMetric):
        _ = study.guarantee().metric


def test_closed_forms_are_what_the_table_says() -> None:
    """|D △ E| for unbounded neighbours, half of it or oo for bounded ones."""
    for x, y in product(dpc.multisets({"a", "b", "c"}, "<= 3").databases(), repeat=2):
        apart = dpc.at(abs(D ^ E), {D: x, E: y})
        assert U(x, y) == apart
        assert W(x, y) == (apart / 2 if dpc.size(x) == dpc.size(y) else sympy.oo)
    assert isinstance(U.metric, ClosedForm)


def test_lists_of_records_keep_their_order_where_it_counts() -> None:
    study = dpc.compose(
        dpc.mechanism("M", dpc.pure("e", dpc.bounded, "own"), reads=dpc.positions(1)),
        on=dpc.tuples("ab", "= 2"),
        target=dpc.bounded,
    )
    assert str(study.metric(["b", "a"], ["a", "b"])) == str(study.metric(("b", "a"), ("a", "b"))) == "e"
    D, E = dpc.databases("D E")
    assert str(dpc.at(study.metric(D, E), {D: ["b", "a"], E: ["a", "b"]})) == "e"
    hamming = dpc.canonical_metric(dpc.tuples("ab", "= 2"), dpc.bounded)
    assert hamming(["b", "a"], ["a", "b"]) == 2
    assert dpc.canonical_metric(dpc.multisets("ab"), dpc.bounded)(["b", "a"], ["a", "b"]) == 0
    assert dpc.at(abs(D ^ E), {D: ["b", "a"], E: ["a", "b"]}) == 0
