"""dpcompose against the oracle: closed forms, hypotheses and which theorems fit, on random settings."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import Any

import oracle
import pytest
import strategies
import strategies_ordered
import sympy
from against_oracle import many, ones, profile_of, value
from graph_paths import Paths, shortest_paths
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle import INFINITY
from strategies import Class, Epsilon, Part, Point, Twin

import dpcompose as dpc
from dpcompose.kernel.library.fields import table
from dpcompose.language import formulas
from dpcompose.proof.hypotheses import binding
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.theory import registry
from dpcompose.proof.theory.registry import Hypothesis
from dpcompose.spaces.canonical.graphs import neighbourhood_graph, push_forward
from dpcompose.spaces.canonical.metrics import ClosedForm, Metric
from dpcompose.spaces.moves.single_edits import RecordEdits


@pytest.mark.parametrize(
    ("size", "n"), [("any", strategies.CUT), *((size, n) for size in ("<=", "=") for n in range(3))]
)
def test_every_restriction_alone(size: oracle.Size, n: int) -> None:
    """The lifting lemma for one mechanism, gone through in full, and which theorems fit."""
    epsilon = Epsilon(Fraction(1), "e1")
    for m in (1, 2):
        where = Class(tuple("abc"[:m]), size, n)
        for part in [part for r in range(m + 1) for part in combinations(where.records, r)]:
            reading = strategies.restricted(where, part, strategies.RELATIONS)
            for stated, domain, target in product(
                strategies.RELATIONS, ("own", "common"), strategies.RELATIONS
            ):
                one = strategies.twin_on(where, target, [Part(reading, epsilon, stated, domain)])
                vectors = set(oracle.profile_of(one.at({"e1": Fraction(1)})))
                assert set(profile_of(one.study)) == vectors, one
                assert_theorems(one, {"e1": Fraction(1)})


# ---------------------------------------------------------------- closed forms of the fact pages


SMALL = [
    (records, size, n) for records in ("a", "ab", "abc") for size in ("<=", "=", "any") for n in range(4)
]


def assert_same(metric: Metric, paths: Paths, points: list[Any]) -> None:
    """Two metrics agree on all pairs of points."""
    for x in points:
        for y in points:
            assert metric(x, y) == paths(x, y), (metric, x, y)


@pytest.mark.parametrize("kinds", [{(1, 0)}, {(1, 1)}, {(1, 0), (1, 1)}], ids=["U", "B", "U or B"])
def test_closed_forms_are_shortest_paths(kinds: set[tuple[int, int]]) -> None:
    """Also those of what is read on the common domain. A class without a size limit is cut at n: shortest
    chains are no larger than their ends."""
    granularity = RecordEdits("G", frozenset({*kinds, *((s, r) for r, s in kinds)}))
    for records, size, n in SMALL:
        cut = dpc.multisets(records, f"<= {n}" if size == "any" else f"{size} {n}")
        databases = dpc.multisets(records, "any") if size == "any" else cut
        mechanism = dpc.mechanism("M", satisfies=dpc.pure(1, granularity))
        study = dpc.compose(mechanism, on=databases, target=granularity)
        inputs = Inputs(study.setting, registry.standard())
        graph = neighbourhood_graph(cut, granularity)
        for part in [part for r in range(len(records) + 1) for part in combinations(records, r)]:
            f = dpc.restriction(part)
            contracted = push_forward(graph, f)
            common = "own" if f.is_identity(databases) else "common"
            found = inputs.metric_of(f, granularity, common).metric
            assert isinstance(found, ClosedForm)
            assert_same(found, shortest_paths(contracted), list(contracted.nodes))
            own_class = f.image(cut)
            own = neighbourhood_graph(own_class, granularity)
            found = inputs.metric_of(f, granularity, "own").metric
            assert isinstance(found, ClosedForm)
            assert_same(found, shortest_paths(own), list(own_class.databases()))


def test_every_closed_form_is_one_of_those() -> None:
    pages = [page.head for page in registry.standard().of_kind("fact") if page.head.edits is not None]
    of_multisets = [head for head in pages if "multisets" in head.classes and head.edits != "any two"]
    assert {frozenset(map(tuple, head.edits)) for head in of_multisets} <= {
        frozenset(),
        frozenset({(1, 0)}),
        frozenset({(1, 1)}),
        frozenset({(1, 0), (1, 1)}),
    }


# ---------------------------------------------------------------- hypotheses


def holds(twin: Twin, **hypothesis: Any) -> bool:
    """What a predicate of dpcompose answers, with its witness looked at."""
    inputs = Inputs(twin.study.setting, twin.study.theory)
    evidence = binding.check(inputs, table(Hypothesis, hypothesis, (), []))
    assert evidence.words
    if evidence.pair is not None:
        name = hypothesis["granularity"]
        D, E = evidence.pair
        assert not evidence.holds
        assert twin.relations[twin.target if name == "G" else name](D, E)
    return evidence.holds


def input_distances(twin: Twin) -> list[oracle.Distances]:
    """The metric of each guarantee on the values of what is read, as tables."""
    tables: list[oracle.Distances] = []
    for part in twin.parts:
        if part.domain == "common":
            stated = twin.relations[part.stated]
            tables.append(oracle.contracted_distance(twin.databases, stated, part.reading.f))
        else:
            tables.append(oracle.canonical_distance(*part.reading.own(part.stated)))
    return tables


def assert_hypotheses(twin: Twin, name: str) -> None:
    """compatible, sensitivity at most, commutes for the granularity, against the oracle."""
    granularity = twin.target if name == "G" else name
    relation = twin.relations[granularity]
    maps = [part.reading.f for part in twin.parts]
    pairs = oracle.neighbouring_pairs(twin.compared, relation)
    distance = oracle.canonical_distance(twin.databases, relation)
    assert holds(twin, **{"is": "compatible", "maps": "f", "granularity": name}) == oracle.compatible(
        pairs, maps
    )
    images = [oracle.canonical_distance(*part.reading.own(granularity)) for part in twin.parts]
    commuting = oracle.commutes(twin.compared, distance, maps, images)
    assert holds(twin, **{"is": "commutes", "maps": "f", "granularity": name}) == commuting
    sensitivities = [
        oracle.sensitivity(twin.compared, distance, f, moved)
        for f, moved in zip(maps, input_distances(twin), strict=True)
    ]
    for bound in (1, 2):
        found = holds(
            twin, **{"is": "sensitivity at most", "maps": "f[i]", "granularity": name, "bound": bound}
        )
        assert found == all(one <= bound for one in sensitivities)


@many(150)
@given(strategies.listed())
def test_hypotheses_on_listed_classes(twin: Twin) -> None:
    assert_hypotheses(twin, "G")
    assert not holds(twin, **{"is": "record-wise partition", "maps": "f"})


@many(100)
@given(st.one_of(strategies.multisets(), strategies.multisets(functions=True)))
def test_hypotheses_on_multisets(twin: Twin) -> None:
    for name in ("G", "bounded", "unbounded"):
        assert_hypotheses(twin, name)


def is_partition(twin: Twin) -> bool:
    """All maps are restrictions, and no record is read twice."""
    read = [part.reading.records for part in twin.parts]
    return all(A is not None for A in read) and sum(len(A) for A in read if A is not None) == len(
        frozenset().union(*(A for A in read if A is not None))
    )


@many(100)
@given(st.one_of(strategies.multisets(), strategies.multisets(functions=True)))
def test_record_wise_partition(twin: Twin) -> None:
    """And what the fact pages say of it: unbounded commutes with it, bounded is compatible with none of two
    parts."""
    found = holds(twin, **{"is": "record-wise partition", "maps": "f"})
    assert found == is_partition(twin)
    assume(found)
    assert holds(twin, **{"is": "commutes", "maps": "f", "granularity": "unbounded"})
    non_empty = sum(1 for part in twin.parts if part.reading.records)
    if non_empty >= 2 and any(twin.compared[-1:]):
        assert not holds(twin, **{"is": "compatible", "maps": "f", "granularity": "bounded"})


# ---------------------------------------------------------------- theorems


def domains(twin: Twin) -> list[set[str]]:
    """On which domains each guarantee is: on both where everything is read."""
    return [{"own", "common"} if part.reading.everything else {part.domain or "own"} for part in twin.parts]


def expected_fits(twin: Twin) -> dict[str, bool]:
    """Of the theorems known here, which have hypotheses that hold, by the oracle."""
    relation = twin.relations[twin.target]
    pairs = oracle.neighbouring_pairs(twin.compared, relation)
    compatible = oracle.compatible(pairs, [part.reading.f for part in twin.parts])
    alike = all(part.stated == twin.target for part in twin.parts)
    own = all("own" in some for some in domains(twin))
    common = all("common" in some for some in domains(twin))
    moved = [r for vector in oracle.vectors_of(twin.at(ones(twin))) for r in vector]
    proper = len(twin.parts) == 1 and twin.parts[0].reading.records is not None
    proper = proper and not twin.parts[0].reading.everything
    partition = is_partition(twin)
    return {
        "sequential": alike and all(part.reading.everything for part in twin.parts),
        "comparison": one_granularity(twin) and all(part.reading.everything for part in twin.parts),
        "commuting-metric": one_granularity(twin) and own and commuting(twin),
        "disjoint-own-domain": alike and own and compatible and all(r <= 1 for r in moved),
        "disjoint-common-domain": alike and common and compatible,
        "parallel-bounded": alike
        and common
        and partition
        and twin.target == "bounded"
        and len(twin.parts) >= 2,
        "composition-own-domain": own,
        "composition-common-domain": common,
        "part-of-bounded": proper
        and common
        and twin.target == "unbounded"
        and twin.parts[0].stated == "bounded",
    }


def one_granularity(twin: Twin) -> bool:
    """Whether all guarantees are stated for the same neighbours H."""
    return len({part.stated for part in twin.parts}) == 1


def commuting(twin: Twin) -> bool:
    """Whether the metric of H, in which the guarantees are stated, commutes with what is read."""
    stated = twin.parts[0].stated
    distance = oracle.canonical_distance(twin.databases, twin.relations[stated])
    images = [oracle.canonical_distance(*part.reading.own(stated)) for part in twin.parts]
    return oracle.commutes(twin.compared, distance, [part.reading.f for part in twin.parts], images)


def steps_apart(twin: Twin) -> oracle.Number:
    """m, the most H-steps between two target neighbours; 1 where there is no one H."""
    if not one_granularity(twin):
        return Fraction(1)
    distance = oracle.canonical_distance(twin.databases, twin.relations[twin.parts[0].stated])
    pairs = oracle.neighbouring_pairs(twin.compared, twin.relations[twin.target])
    return max((distance[pair] for pair in pairs), default=Fraction(0))


def concluded(formula: str, epsilons: list[oracle.Number], m: oracle.Number) -> oracle.Number:
    """A page's conclusion for these numbers; ∞ where one of those it uses is."""
    if INFINITY in epsilons or (m == INFINITY and "m*" in formula):
        return INFINITY
    numbers = [sympy.Rational(Fraction(one).numerator, Fraction(one).denominator) for one in epsilons]
    letters = {"k": sympy.Integer(len(numbers)), "m": sympy.Integer(0 if m == INFINITY else int(m))}
    expression = formulas.parse(formula, letters, {"epsilon": numbers})
    return value(expression, {})


def assert_theorems(twin: Twin, point: Point) -> None:
    """Theorems fit where their hypotheses hold; then shape and conclusion hold; the cited one fits."""
    setting = twin.at(point)
    bound, vectors = oracle.bound(setting), oracle.vectors_of(setting)
    epsilons = [part.epsilon.at(point) for part in twin.parts]
    pages = twin.study.theory.pages
    fits = {fit.page.id: fit for fit in twin.study.theorems()}
    for name, expected in expected_fits(twin).items():
        if name in fits:
            assert fits[name].fits == expected, (name, fits[name].reason)
    for fit in fits.values():
        head = fit.page.head
        assert fit.reason
        if not fit.fits:
            assert not fit.best
            continue
        if head.shape is not None:
            shape = pages[head.shape].head
            for vector in vectors:
                assert all(r <= shape.each for r in vector), (head.title, vector)
                assert shape.sum is None or oracle.total(vector) <= shape.sum, (head.title, vector)
        if "pure" in head.conclusion and bound is not None:
            most = concluded(head.conclusion["pure"], epsilons, steps_apart(twin))
            assert bound <= most, (head.title, bound, most)
            assert not fit.best or bound == most
    best = [fit.page.id for fit in fits.values() if fit.best]
    cited = twin.study.bound.theorem
    assert best == ([cited.id] if cited.head.kind == "named" else [])


@many(200)
@given(st.data())
def test_theorems_on_listed_classes(data: st.DataObject) -> None:
    twin = data.draw(strategies.listed(most_databases=5, most_mechanisms=3))
    assert_theorems(twin, data.draw(strategies.anywhere(twin)))


@many(150)
@given(st.data())
def test_theorems_on_multisets(data: st.DataObject) -> None:
    twin = data.draw(strategies.multisets(functions=data.draw(st.booleans())))
    assert_theorems(twin, data.draw(strategies.anywhere(twin)))


# ---------------------------------------------------------------- groups, any two databases, positions


ORDERED = st.one_of(
    strategies_ordered.grouped_multisets(),
    strategies_ordered.ordered(),
    strategies_ordered.ordered(functions=True),
    strategies_ordered.grouped_listed(most_databases=5),
)


@many(120)
@given(ORDERED)
def test_hypotheses_with_groups_and_positions(twin: Twin) -> None:
    assert_hypotheses(twin, "G")


@many(120)
@given(st.data())
def test_theorems_with_groups_and_positions(data: st.DataObject) -> None:
    twin = data.draw(ORDERED)
    assert_theorems(twin, data.draw(strategies.anywhere(twin)))
