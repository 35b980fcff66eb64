"""dpcompose against the oracle: bounds, profiles, verdicts, hypotheses and theorems on random settings."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import ceil
from typing import Any

import oracle
import pytest
import strategies
import strategies_cells
import strategies_ordered
import sympy
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from oracle import INFINITY
from strategies import Class, Epsilon, Part, Point, Twin

import dpcompose as dpc
from dpcompose.front.study import Study
from dpcompose.language import formulas
from dpcompose.privacy import problems, writing
from dpcompose.proof import registry
from dpcompose.proof.hypotheses import binding
from dpcompose.proof.hypotheses.inputs import Inputs
from dpcompose.proof.registry import Hypothesis
from dpcompose.spaces.graphs import neighbourhood_graph, push_forward
from dpcompose.spaces.metrics import ClosedForm, Metric, ShortestPaths
from dpcompose.spaces.single_edits import RecordEdits
from dpcompose.spaces.tuples import Tuples

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


TIMES = int(os.environ.get("DPCOMPOSE_EXAMPLES", "1"))
"""How many times as many examples as in a normal run: DPCOMPOSE_EXAMPLES=20 is an attack of an hour."""


def many(examples: int) -> Callable[[Any], Any]:
    """So many random examples for three normal runs, each taking the time it takes."""
    return settings(max_examples=max(8, examples // 3) * TIMES, deadline=None, suppress_health_check=SLOW)


# ---------------------------------------------------------------- reading what dpcompose says


def value(expression: sympy.Expr, point: Point) -> oracle.Number:
    """A bound's value at a point, in the oracle's numbers."""
    if expression is sympy.oo:
        return INFINITY
    number = formulas.evaluate(expression, point)
    assert number is not None, expression
    return number


def bound_of(study: Study, point: Point) -> oracle.Number | None:
    """The bound at a point; None where every guarantee holds."""
    bound = study.bound
    if bound.vacuous:
        assert dict(bound.guarantee.parameters) == {"epsilon": "0"}
        return None
    return value(study.guarantee().epsilon, point)


def profile_of(study: Study) -> dict[oracle.Vector, oracle.Pair]:
    """The profile's vectors, with the pairs that dpcompose gives for them."""
    k, databases = len(study.setting.mechanisms), study.setting.databases
    found: dict[oracle.Vector, oracle.Pair] = {}
    profile = study.bound.profile
    for vector, (D, E) in zip(profile.vectors, profile.pairs, strict=True):
        entries = {i: INFINITY if r == "oo" else int(r) for i, r in vector}
        dense = tuple(entries.get(i, 0) for i in range(1, k + 1))
        assert dense not in found
        found[dense] = (databases.parse(D), databases.parse(E))
    return found


def assert_bound_and_profile(twin: Twin, point: Point, study: Study | None = None) -> None:
    """The bound, the profile and the pairs that attain it are the oracle's."""
    study = study or twin.study
    setting = twin.at(point)
    assert bound_of(study, point) == oracle.bound(setting)
    assert study.bound.vacuous == (not oracle.target_pairs(setting))
    assert study.bound.optimal
    found = profile_of(study)
    assert set(found) == set(oracle.profile_of(setting))
    distances = [oracle.input_distance(setting, mechanism) for mechanism in setting.mechanisms]
    for vector, (D, E) in found.items():
        assert setting.target(D, E)
        assert tuple(r(D, E) for r in distances) == vector


def assert_verdicts(twin: Twin) -> None:
    """The bound is proved and tight; a little less is refuted, with the loss that the oracle attains."""
    study = twin.study
    epsilon = study.guarantee().epsilon
    verdict = study.check(dpc.pure(epsilon))
    assert verdict.verdict == "proved"
    assert verdict.loose is (None if study.bound.vacuous else False)
    if study.bound.vacuous:
        assert study.check(dpc.pure(0)).verdict == "proved"
        return
    names = sorted(study.setting.domains)
    if epsilon is sympy.oo:
        claims = ["1000", *(f"9*{name}" for name in names)]
    else:
        bound = formulas.to_text(epsilon)
        claims = [f"{bound} - 1/7*{name}" for name in names] or [f"{bound} - 1/7"]
        claims += [f"6/7*({bound})"] if value(epsilon, ones(twin)) != 0 else []
        larger = study.check(dpc.pure(f"{bound} + 1/7"))
        assert (larger.verdict, larger.loose) == ("proved", True)
    for claim in claims:
        assert_refuted(twin, claim)


def ones(twin: Twin) -> dict[str, Fraction]:
    """Every parameter at 1."""
    return {name: Fraction(1) for name in twin.study.setting.domains}


def assert_refuted(twin: Twin, claim: str) -> None:
    """A counterexample to the claim, with the loss that mechanisms of the oracle have at its pair."""
    verdict = twin.study.check(dpc.pure(claim))
    assert verdict.verdict == "refuted", (claim, verdict)
    found = verdict.counterexample
    assert found is not None
    names = set(twin.study.setting.domains)
    assert set(found.point) == names and all(x > 0 for x in found.point.values())
    D, E = found.pair
    setting = twin.at(found.point)
    assert setting.target(D, E)
    claimed = value(formulas.parse(claim, twin.study.setting.symbols), found.point)
    actual = INFINITY if found.actual is None else found.actual
    assert found.claimed == claimed < actual
    assert actual == oracle.attained_loss(setting, D, E)


# ---------------------------------------------------------------- listed classes


@many(300)
@given(st.data())
def test_listed_bound_and_profile(data: st.DataObject) -> None:
    twin = data.draw(strategies.listed())
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))


@many(300)
@given(strategies.listed(most_databases=6))
def test_listed_verdicts(twin: Twin) -> None:
    assert_verdicts(twin)


# ---------------------------------------------------------------- cells


@many(30)
@given(st.data())
def test_cells_bound_and_profile(data: st.DataObject) -> None:
    """Graphs, windows, users, attributes and sets: by blocks, and not by going through all databases."""
    twin = data.draw(strategies_cells.cells())
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))
    assert not twin.study.bound.profile.covered.startswith("all ")


@many(8)
@given(strategies_cells.cells())
def test_cells_verdicts(twin: Twin) -> None:
    assert_verdicts(twin)


@many(30)
@given(st.data())
def test_sequences_bound_and_profile(data: st.DataObject) -> None:
    twin = data.draw(strategies_ordered.sequences())
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))


# ---------------------------------------------------------------- multisets


@many(250)
@given(st.data())
def test_multisets_bound_and_profile_by_edit_types(data: st.DataObject) -> None:
    twin = data.draw(strategies.multisets())
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))
    assert twin.study.bound.profile.covered.endswith(("edit type", "edit types"))


@many(100)
@given(strategies.multisets())
def test_multisets_verdicts(twin: Twin) -> None:
    assert_verdicts(twin)


@many(100)
@given(st.data())
def test_multisets_by_exhaustion_is_the_same(data: st.DataObject) -> None:
    twin = data.draw(strategies.multisets(finite=True))
    point = data.draw(strategies.anywhere(twin))
    study = strategies.by_predicates(twin)
    assert study.bound.profile.covered.startswith("all ")
    assert bound_of(study, point) == bound_of(twin.study, point)
    assert set(profile_of(study)) == set(profile_of(twin.study))


@many(150)
@given(st.data())
def test_multisets_with_functions(data: st.DataObject) -> None:
    """Maps that do not read record by record, beside restrictions, on finite classes."""
    twin = data.draw(strategies.multisets(functions=True, predicates=data.draw(st.booleans())))
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))


@many(60)
@given(strategies.multisets(functions=True))
def test_multisets_with_functions_verdicts(twin: Twin) -> None:
    assert_verdicts(twin)


@many(60)
@given(st.data())
def test_arbitrary_universe(data: st.DataObject) -> None:
    twin = data.draw(strategies.arbitrary())
    point = data.draw(strategies.anywhere(twin))
    setting = twin.at(point)
    assert bound_of(twin.study, point) == oracle.bound(setting)
    k = len(twin.parts)
    found = {
        tuple(dict(vector).get(i, "0") for i in range(1, k + 1))
        for vector in twin.study.bound.profile.vectors
    }
    expected = {
        tuple("oo" if r == INFINITY else str(r) for r in vector) for vector in oracle.profile_of(setting)
    }
    assert found == expected


def test_records_that_an_arbitrary_universe_is_read_by_are_its_records() -> None:
    """IV.13 for two named records of an arbitrary universe: a replacement of one by the other counts."""
    text = """
    format = 1
    [databases]
    kind = "multisets"
    [target]
    granularity = "bounded"
    [[mechanisms]]
    name = "M1"
    reads = { records = ["a"] }
    guarantee = { notion = "pure", epsilon = "e1", granularity = "bounded", domain = "common" }
    [[mechanisms]]
    name = "M2"
    reads = { records = ["b"] }
    guarantee = { notion = "pure", epsilon = "e2", granularity = "bounded", domain = "common" }
    """
    study = Study(problems.read_text(text).setting)
    assert bound_of(study, {"e1": Fraction(1), "e2": Fraction(2)}) == 3


def test_every_restriction_alone() -> None:
    """The lifting lemma for one mechanism, gone through in full, and which theorems fit."""
    epsilon = Epsilon(Fraction(1), "e1")
    sizes: list[tuple[oracle.Size, int]] = [("any", strategies.CUT)]
    sizes += [(size, n) for size in ("<=", "=") for n in range(3)]
    for size, n in sizes:
        for m in (1, 2):
            where = Class(tuple("abc"[:m]), size, n)
            for part in [part for r in range(m + 1) for part in combinations(where.records, r)]:
                reading = strategies.restricted(where, part, strategies.RELATIONS)
                for stated in strategies.RELATIONS:
                    for domain in ("own", "common"):
                        for target in strategies.RELATIONS:
                            one = strategies.twin_on(where, target, [Part(reading, epsilon, stated, domain)])
                            vectors = set(oracle.profile_of(one.at({"e1": Fraction(1)})))
                            assert set(profile_of(one.study)) == vectors, one
                            assert_theorems(one, {"e1": Fraction(1)})


# ---------------------------------------------------------------- closed forms of the fact pages

SMALL = [
    (records, size, n) for records in ("a", "ab", "abc") for size in ("<=", "=", "any") for n in range(4)
]


def assert_same(metric: Metric, paths: ShortestPaths, points: list[Any]) -> None:
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
            assert_same(found, ShortestPaths(contracted), list(contracted.nodes))
            own_class = f.image(cut)
            own = neighbourhood_graph(own_class, granularity)
            found = inputs.metric_of(f, granularity, "own").metric
            assert isinstance(found, ClosedForm)
            assert_same(found, ShortestPaths(own), list(own_class.databases()))


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
    evidence = binding.check(inputs, Hypothesis.read(hypothesis))
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


@many(200)
@given(st.data())
def test_groups_of_multisets(data: st.DataObject) -> None:
    twin = data.draw(strategies_ordered.grouped_multisets())
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))
    assert "edit type" in twin.study.bound.profile.covered


@many(60)
@given(strategies_ordered.grouped_multisets())
def test_groups_of_multisets_verdicts(twin: Twin) -> None:
    assert_verdicts(twin)


@many(80)
@given(st.data())
def test_groups_of_multisets_with_functions(data: st.DataObject) -> None:
    twin = data.draw(strategies_ordered.grouped_multisets(functions=True))
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))


@many(200)
@given(st.data())
def test_tuples_and_streams(data: st.DataObject) -> None:
    twin = data.draw(strategies_ordered.ordered())
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))
    covered = twin.study.bound.profile.covered
    assert "edit type" in covered or "largest change" in covered or twin.study.bound.vacuous


@many(60)
@given(strategies_ordered.ordered())
def test_tuples_and_streams_verdicts(twin: Twin) -> None:
    assert_verdicts(twin)


@many(80)
@given(st.data())
def test_tuples_and_streams_with_functions(data: st.DataObject) -> None:
    twin = data.draw(strategies_ordered.ordered(functions=True))
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))


@many(150)
@given(st.data())
def test_groups_of_listed_neighbours(data: st.DataObject) -> None:
    twin = data.draw(strategies_ordered.grouped_listed())
    assert_bound_and_profile(twin, data.draw(strategies.anywhere(twin)))


@many(60)
@given(strategies_ordered.grouped_listed(most_databases=6))
def test_groups_of_listed_neighbours_verdicts(twin: Twin) -> None:
    assert_verdicts(twin)


def assert_refuted_by_size(twin: Twin, claim: str) -> None:
    """A counterexample whose one database is empty: all that the other one holds is added."""
    verdict = twin.study.check(dpc.pure(claim))
    assert verdict.verdict == "refuted", verdict.reason
    found = verdict.counterexample
    assert found is not None
    E, D = sorted(found.pair, key=len)  # type: ignore[arg-type]
    assert E == () and D != ()
    losses = []
    for part in twin.parts:
        single = part.stated.split()[-1]
        r: oracle.Number = len(part.reading.f(D))
        replaced = single == "bounded" and (part.domain == "own" or part.reading.everything)
        if single == "free-lunch":
            r = min(r, 1)
        elif r and (replaced or isinstance(twin.study.setting.databases, Tuples)):
            r = INFINITY
        else:
            r = ceil(Fraction(r) / strategies_ordered.OF_MULTISETS[part.stated].most)
        losses.append(oracle.cost(part.epsilon.at(found.point), r, r == 0))
    actual = oracle.total(losses)
    assert found.claimed == 100 < actual == (INFINITY if found.actual is None else found.actual)


@many(60)
@given(st.data())
def test_any_two_databases_of_any_size(data: st.DataObject) -> None:
    """No bound, wherever something is read whose distances have no limit, and the guarantee is not 0."""
    twin, unlimited = data.draw(strategies_ordered.any_two_of_any_size())
    point = data.draw(strategies.anywhere(twin))
    bound = twin.study.bound
    assert not bound.vacuous and bound.optimal
    if any(unlimited):
        assert bound_of(twin.study, point) == INFINITY
        assert_refuted_by_size(twin, "100")
        return
    assert bound_of(twin.study, point) == oracle.bound(twin.at(point))
    epsilon = twin.study.guarantee().epsilon
    assert twin.study.check(dpc.pure(epsilon)).verdict == "proved"


def test_no_loss_at_distances_without_a_limit() -> None:
    """0 times finite distances is 0, however large they are; 0 times an infinite one is not."""
    e, some = dpc.parameters("e")[0], dpc.parameters("x", "nonnegative")[0]
    for stated, bound in ((dpc.unbounded, 0), (dpc.group(2, dpc.unbounded), 0), (dpc.bounded, sympy.oo)):
        nothing = dpc.mechanism("M", satisfies=dpc.pure(0, stated))
        once = dpc.mechanism("N", satisfies=dpc.pure(e, dpc.free_lunch))
        for others, more in (((), 0), ((once,), e)):
            study = dpc.compose(nothing, *others, on=dpc.multisets("ab"), target=dpc.free_lunch)
            assert (study.guarantee().epsilon, study.bound.optimal) == (bound + more, True)
            assert study.check(dpc.pure(more + 1)).verdict == ("proved" if bound == 0 else "refuted")
    perhaps = dpc.mechanism("M", satisfies=dpc.pure(some, dpc.unbounded))
    study = dpc.compose(perhaps, on=dpc.multisets("ab"), target=dpc.free_lunch)
    assert (study.guarantee().epsilon, study.bound.optimal) == (sympy.oo, False)  # at x = 0 it is 0


def test_any_two_databases_of_a_listed_class() -> None:
    """What a map lists as neighbouring images holds for guarantees about any two databases as well."""
    G = dpc.pairs("G", [("p", "r")])
    values = {"p": "x", "q": "y", "r": "z"}
    for images, bound in (({}, 1), ({"": [("x", "y"), ("y", "z")]}, 2)):
        read = dpc.table("f", values, images)
        for m, steps in ((1, bound), (2, 1)):
            stated = dpc.group(m, dpc.free_lunch) if m > 1 else dpc.free_lunch
            mechanism = dpc.mechanism("M", reads=read, satisfies=dpc.pure("e", stated, domain="own"))
            study = dpc.compose(mechanism, on=dpc.listed("pqr"), target=G)
            assert bound_of(study, {"e": Fraction(1)}) == steps
            again = Study(problems.read_data(writing.to_data(writing.plain(study.setting))).setting)
            assert bound_of(again, {"e": Fraction(1)}) == steps


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
