"""The oracle against numbers worked out by hand, and the lemma that lifts finite checks to all multisets."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import attaining
import oracle
import pytest
from oracle import INFINITY, Mechanism, Setting, bounded, identity, restriction, unbounded

F = Fraction


def common(part, epsilon, stated) -> Mechanism:
    """A mechanism that reads the records of a part, private on the whole class."""
    return Mechanism(restriction(part), epsilon, stated, "common")


def own(part, epsilon, stated, records, size, n) -> Mechanism:
    """A mechanism that reads the records of a part, private on what it reads."""
    image_class = oracle.multisets_read(records, part, size, n)
    return Mechanism(restriction(part), epsilon, stated, "own", image_class)


def subsets(records) -> list[tuple]:
    """All subsets."""
    return [part for m in range(len(records) + 1) for part in combinations(records, m)]


# ---------------------------------------------------------------- conventions


@pytest.mark.parametrize(
    ("epsilon", "distance", "same", "expected"),
    [
        (INFINITY, 0, True, 0),
        (INFINITY, INFINITY, True, 0),
        (F(1, 3), 2, False, F(2, 3)),
        (0, 5, False, 0),
        (F(1, 3), 0, False, 0),
        (0, INFINITY, False, INFINITY),
        (INFINITY, 1, False, INFINITY),
        (INFINITY, 0, False, INFINITY),
    ],
)
def test_cost_of_zero_and_infinity(epsilon, distance, same, expected):
    assert oracle.cost(epsilon, distance, same) == expected


def test_inexact_and_negative_numbers_are_refused():
    for value in (0.1, float("nan"), F(-1, 2)):
        with pytest.raises(ValueError):
            oracle.cost(value, 1, False)


def test_adding_infinity_never_turns_a_fraction_into_a_float():
    assert oracle.total([F(10) ** 1000, INFINITY]) == INFINITY
    assert oracle.total([F(1, 3), 2]) == F(7, 3)


# ---------------------------------------------------------------- classes, relations, distances


def test_small_classes_are_listed_in_full():
    assert oracle.multisets("ab", "<=", 2) == [(), ("a",), ("b",), ("a", "a"), ("a", "b"), ("b", "b")]
    assert oracle.multisets("ab", "=", 2) == [("a", "a"), ("a", "b"), ("b", "b")]
    assert oracle.multisets("", "<=", 2) == [()]


@pytest.mark.parametrize("size", ["any", "<=", "="])
def test_the_own_domain_of_a_restriction_is_its_image(size):
    databases = oracle.multisets("abc", size, 3)
    for part in subsets("abc"):
        assert set(oracle.fibres(databases, restriction(part))) == set(
            oracle.multisets_read("abc", part, size, 3)
        )


@pytest.mark.parametrize("n", [1, 2, 3])
def test_canonical_metrics_of_multisets(n):
    for size in ("<=", "="):
        databases = oracle.multisets("abc", size, n)
        steps_U = oracle.canonical_distance(databases, unbounded)
        steps_B = oracle.canonical_distance(databases, bounded)
        for D in databases:
            for E in databases:
                size_of_difference = oracle.symmetric_difference_size(D, E)
                assert steps_B[D, E] == (F(size_of_difference, 2) if len(D) == len(E) else INFINITY)
                if size == "<=":
                    assert steps_U[D, E] == size_of_difference
                else:
                    assert steps_U[D, E] == (0 if D == E else INFINITY)


def test_group_takes_at_most_m_steps():
    databases = oracle.multisets("ab", "<=", 3)
    steps = oracle.canonical_distance(databases, unbounded)
    steps_of_two = oracle.canonical_distance(databases, oracle.group(unbounded, 2, databases))
    assert all(steps_of_two[pair] == -(-steps[pair] // 2) for pair in steps)


def test_free_lunch_is_at_distance_one():
    databases = oracle.multisets("ab", "<=", 1)
    distance = oracle.canonical_distance(databases, oracle.free_lunch)
    assert all(distance[D, E] == (D != E) for D in databases for E in databases)


def test_a_relation_that_is_not_symmetric_is_refused():
    with pytest.raises(ValueError, match="not symmetric"):
        oracle.neighbouring_pairs(["a", "b"], lambda D, E: (D, E) == ("a", "b"))


def test_a_listed_database_paired_with_itself_is_ignored():
    relation = oracle.from_pairs([("a", "a"), ("a", "b")])
    assert oracle.neighbouring_pairs(["a", "b"], relation) == [("a", "b")]


# ---------------------------------------------------------------- compatibility, commuting, sensitivity


def test_unbounded_is_compatible_with_a_partition_and_bounded_is_not():
    databases = oracle.multisets("ab", "<=", 2)
    parts = [restriction("a"), restriction("b")]
    assert oracle.compatible(oracle.neighbouring_pairs(databases, unbounded), parts)
    assert not oracle.compatible(oracle.neighbouring_pairs(databases, bounded), parts)


def test_unbounded_commutes_with_a_partition_and_not_with_an_overlap():
    databases = oracle.multisets("ab", "<=", 2)
    distance = oracle.canonical_distance(databases, unbounded)
    assert oracle.commutes(databases, distance, [restriction("a"), restriction("b")], [distance] * 2)
    assert not oracle.commutes(databases, distance, [restriction("ab"), restriction("b")], [distance] * 2)


def test_sensitivity_of_restrictions_and_of_size():
    databases = oracle.multisets("ab", "<=", 2)
    steps_U = oracle.canonical_distance(databases, unbounded)
    steps_B = oracle.canonical_distance(databases, bounded)
    numbers = {(x, y): abs(x - y) for x in range(3) for y in range(3)}
    assert oracle.sensitivity(databases, steps_U, restriction("a"), steps_U) == 1
    assert oracle.sensitivity(databases, steps_B, restriction("a"), steps_B) == INFINITY
    assert oracle.sensitivity(databases, steps_B, identity, steps_U) == 2
    assert oracle.sensitivity(databases, steps_U, len, numbers) == 1
    assert oracle.sensitivity(databases, steps_B, len, numbers) == 0


def test_sensitivity_at_distance_zero_of_a_pseudometric():
    nearby = {("x", "x"): 0, ("x", "y"): 0, ("y", "x"): 0, ("y", "y"): 0}
    apart = {**nearby, ("x", "y"): 1, ("y", "x"): 1}
    assert oracle.sensitivity("xy", nearby, identity, apart) == INFINITY
    assert oracle.sensitivity("xy", nearby, identity, nearby) == 0


# ---------------------------------------------------------------- worked examples of the literature


def test_II_9_counting_on_parts_has_no_bound_under_replacement():
    """Exact counts of two parts are 0-private for B on their own domains; a replacement moves a record."""
    databases = oracle.multisets("ab", "any", 3)
    setting = Setting(
        databases, bounded, [own("a", 0, bounded, "ab", "any", 3), own("b", 0, bounded, "ab", "any", 3)]
    )
    assert oracle.profile_of(setting) == {(INFINITY, INFINITY): (("a",), ("b",))}
    assert oracle.bound(setting) == INFINITY
    assert attaining.attained_bound(setting) == INFINITY


def test_III_4_multisets_of_one_size_have_no_unbounded_neighbours():
    databases = oracle.multisets("ab", "=", 2)
    setting = Setting(databases, unbounded, [Mechanism(identity, F(1), unbounded, "common")])
    assert oracle.profile_of(setting) == {}
    assert oracle.bound(setting) is None
    assert attaining.attained_bound(setting) is None


def hospitals(k: int, at_most: int) -> tuple[list[str], list[list[str]]]:
    """Ambulances named by the hospitals they serve, and for each hospital the ambulances that serve it."""
    names = [str(i) for i in range(k)]
    ambulances = ["".join(s) for m in range(1, at_most + 1) for s in combinations(names, m)]
    return ambulances, [[a for a in ambulances if i in a] for i in names]


def test_IV_5_hospitals_with_at_most_three_an_ambulance():
    ambulances, served = hospitals(4, 3)
    databases = oracle.multisets(ambulances, "any", 2)

    def setting(epsilons) -> Setting:
        mechanisms = [
            own(part, epsilon, unbounded, ambulances, "any", 2)
            for part, epsilon in zip(served, epsilons, strict=True)
        ]
        return Setting(databases, unbounded, mechanisms)

    e = F(1, 7)
    assert oracle.bound(setting([e] * 4)) == 3 * e  # sequential composition would say 4e
    assert oracle.bound(setting([F(1), F(2), F(3), F(4)])) == 9
    three_of_four = {(0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 0, 1), (1, 1, 1, 0)}
    assert set(oracle.profile_of(setting([e] * 4))) == three_of_four


def test_VI_8_replacing_an_ambulance_touches_at_most_six_hospitals():
    ambulances, served = hospitals(7, 3)
    databases = oracle.multisets(ambulances, "=", 1)
    setting = Setting(databases, bounded, [common(part, F(1, 7), bounded) for part in served])
    assert oracle.bound(setting) == F(6, 7)


def partition_in_common(size, n, target=bounded) -> Setting:
    """Records a, b, c, a part each, under B on the common domain."""
    mechanisms = [common(part, F(epsilon), bounded) for part, epsilon in zip("abc", (2, 3, 5), strict=True)]
    return Setting(oracle.multisets("abc", size, n), target, mechanisms)


@pytest.mark.parametrize(("size", "n"), [("any", 3), ("<=", 1), ("<=", 2), ("=", 1), ("=", 2)])
def test_IV_13_a_replacement_costs_the_two_largest(size, n):
    setting = partition_in_common(size, n)
    assert oracle.bound(setting) == 3 + 5
    assert set(oracle.profile_of(setting)) == {(1, 1, 0), (1, 0, 1), (0, 1, 1)}
    assert attaining.attained_bound(setting) == 8


def test_IV_14_inside_a_district_one_epsilon_and_across_two():
    """Records a1, a2 in district a, one record in district b."""
    mechanisms = [common(["a1", "a2"], F(2), bounded), common(["b1"], F(3), bounded)]
    setting = Setting(oracle.multisets(["a1", "a2", "b1"], "=", 1), bounded, mechanisms)
    assert attaining.attained_loss(setting, ("a1",), ("a2",)) == 2
    assert attaining.attained_loss(setting, ("a1",), ("b1",)) == 5


@pytest.mark.parametrize(("size", "n"), [("any", 3), ("<=", 1), ("<=", 3), ("=", 1), ("=", 2), ("=", 3)])
def test_IV_15_dependency_on_a_part_turns_bounded_into_unbounded(size, n):
    """On D ∩ A with A ≠ X the metric is max(|D_A ∖ E_A|, |E_A ∖ D_A|). A cut at n does no harm: a chain
    that attains the metric needs no database larger than the two it joins."""
    databases = oracle.multisets("abc", size, n)
    for part in ("", "a", "ab"):
        distance = oracle.contracted_distance(databases, bounded, restriction(part))
        for x, y in distance:
            removed, added = Counter(x) - Counter(y), Counter(y) - Counter(x)
            assert distance[x, y] == max(removed.total(), added.total())
    if size != "=":
        part_only = Setting(databases, unbounded, [common("ab", F(4), bounded)])
        everything = Setting(databases, unbounded, [common("abc", F(4), bounded)])
        assert oracle.bound(part_only) == 4
        assert oracle.bound(everything) == INFINITY


def merged_fibres(domain="common", image_pairs=()) -> Setting:
    """a – b1, b2 – c, and a map that merges b1 and b2; the target is the two ends."""
    merge = oracle.from_table({"a": "x", "b1": "y", "b2": "y", "c": "z"})
    steps = oracle.from_pairs([("a", "b1"), ("b2", "c")])
    stated = steps if domain == "common" else oracle.from_pairs(image_pairs)
    mechanism = Mechanism(merge, F(1, 3), stated, domain, list("xyz"))
    return Setting(["a", "b1", "b2", "c"], oracle.from_pairs([("a", "c")]), [mechanism])


def test_merged_fibres_connect_a_disconnected_space():
    setting = merged_fibres()
    [mechanism] = setting.mechanisms
    steps = oracle.canonical_distance(setting.databases, mechanism.stated)
    least = oracle.minimum_privacy_distance(setting.databases, steps, mechanism.f)
    assert steps["a", "c"] == INFINITY
    assert least["x", "z"] == INFINITY
    assert oracle.metric_closure("xyz", least)["x", "z"] == 2
    assert oracle.profile_of(setting) == {(2,): ("a", "c")}
    assert oracle.bound(setting) == F(2, 3)
    assert attaining.attained_bound(setting) == F(2, 3)


def test_own_domain_of_a_listed_map_takes_its_neighbours_from_the_list():
    assert oracle.bound(merged_fibres("own", [("x", "z")])) == F(1, 3)
    assert oracle.bound(merged_fibres("own", [("x", "y")])) == INFINITY
    assert oracle.bound(merged_fibres("own", [("x", "y"), ("y", "z")])) == F(2, 3)


def test_mixed_granularities_on_everything():
    e1, e2 = F(1, 3), F(1, 5)
    databases = oracle.multisets("ab", "any", 2)
    mechanisms = [Mechanism(identity, e1, unbounded, "common"), Mechanism(identity, e2, bounded, "common")]
    setting = Setting(databases, bounded, mechanisms)
    assert set(oracle.profile_of(setting)) == {(2, 1)}
    assert oracle.bound(setting) == 2 * e1 + e2
    assert attaining.attained_bound(setting) == 2 * e1 + e2


def test_a_mechanism_without_guarantee_costs_only_where_its_input_moves():
    databases = oracle.multisets("ab", "<=", 2)
    setting = Setting(databases, unbounded, [common("", INFINITY, unbounded), common("a", F(1), unbounded)])
    assert oracle.bound(setting) == 1
    assert attaining.attained_bound(setting) == 1


def test_compared_restricts_the_target_pairs():
    databases = oracle.multisets("ab", "any", 3)
    setting = Setting(databases, unbounded, [], compared=oracle.multisets("ab", "any", 1))
    assert oracle.target_pairs(setting) == [((), ("a",)), ((), ("b",))]


def test_an_image_outside_the_image_class_is_refused():
    mechanism = Mechanism(identity, F(1), unbounded, "own", [()])
    with pytest.raises(ValueError, match="image class"):
        oracle.bound(Setting([(), ("a",)], unbounded, [mechanism]))


def test_profile_keeps_every_vector_and_the_maximal_ones_apart():
    setting = partition_in_common("any", 2, unbounded)
    assert set(oracle.vectors_of(setting)) == {(1, 0, 0), (0, 1, 0), (0, 0, 1)}
    assert oracle.pareto_maximal({(1, 0): ("a", "b"), (1, 2): ("a", "c"), (0, INFINITY): ("b", "c")}) == {
        (1, 2): ("a", "c"),
        (0, INFINITY): ("b", "c"),
    }


# ---------------------------------------------------------------- random spaces


def random_relation(rng: random.Random, points) -> oracle.Relation:
    """A random symmetric relation, sparse or dense."""
    density = rng.choice([0.15, 0.3, 0.6])
    return oracle.from_pairs([pair for pair in combinations(points, 2) if rng.random() < density])


def random_setting(rng: random.Random) -> Setting:
    """A random listed class, target, and one to three mechanisms of either domain."""
    points = list(range(rng.randint(2, 6)))
    epsilons: list[oracle.Number] = [F(0), F(1, 3), F(1), F(5, 2), INFINITY]
    mechanisms = []
    for _ in range(rng.randint(1, 3)):
        f = oracle.from_table({D: rng.randint(0, 3) for D in points})
        epsilon = rng.choice(epsilons)
        if rng.random() < 0.5:
            mechanisms.append(Mechanism(f, epsilon, random_relation(rng, points), "common"))
        else:
            mechanisms.append(Mechanism(f, epsilon, random_relation(rng, range(5)), "own", list(range(5))))
    return Setting(points, random_relation(rng, points), mechanisms)


@pytest.mark.parametrize("seed", range(50))
def test_closure_of_minimum_privacy_is_the_contracted_graph(seed):
    rng = random.Random(seed)
    points = list(range(rng.randint(2, 9)))
    relation = random_relation(rng, points)
    f = oracle.from_table({D: rng.randint(0, 5) for D in points})
    values = list(oracle.fibres(points, f))
    least = oracle.minimum_privacy_distance(points, oracle.canonical_distance(points, relation), f)
    contracted = oracle.contracted_distance(points, relation, f)
    assert oracle.metric_closure(values, least) == contracted
    assert all(contracted[pair] <= least[pair] for pair in least)


@pytest.mark.parametrize("seed", range(50))
def test_two_ways_to_shortest_paths_agree(seed):
    rng = random.Random(seed)
    points = list(range(rng.randint(1, 8)))
    relation = random_relation(rng, points)
    one_step = {(D, E): 0 if D == E else 1 if relation(D, E) else INFINITY for D in points for E in points}
    assert oracle.metric_closure(points, one_step) == oracle.canonical_distance(points, relation)


@pytest.mark.parametrize("seed", range(100))
def test_the_bound_is_attained_and_read_off_the_profile(seed):
    """Three ways to one number: all pairs, the Pareto-maximal vectors, and witnesses checked private."""
    setting = random_setting(random.Random(seed))
    bound = oracle.bound(setting)
    assert attaining.attained_bound(setting) == bound
    from_profile = [
        oracle.total(
            oracle.cost(M.epsilon, r_i, r_i == 0) for M, r_i in zip(setting.mechanisms, r, strict=True)
        )
        for r in oracle.profile_of(setting)
    ]
    assert max(from_profile, default=None) == bound


@pytest.mark.parametrize("seed", range(20))
def test_witnesses_are_private_and_nothing_less_is(seed):
    rng = random.Random(seed)
    points = list(range(rng.randint(2, 6)))
    distance = oracle.canonical_distance(points, random_relation(rng, points))
    for epsilon in (F(0), F(1, 3), F(2), INFINITY):
        for t in points:
            table = attaining.witness_mechanism(points, distance, epsilon, t)
            assert attaining.is_private(points, distance, epsilon, table)
            for x in points:
                assert attaining.loss_at_one(table, x, t) == oracle.cost(epsilon, distance[x, t], x == t)
                for y in points:
                    budget = oracle.cost(epsilon, distance[x, y], x == y)
                    assert attaining.outcome_zero_by_decimals(table, x, y, budget)
            far = [x for x in points if 0 < distance[x, t] < INFINITY]
            if far and 0 < epsilon < INFINITY:
                assert not attaining.is_private(points, distance, epsilon * F(9, 10), table)


def test_the_argument_for_outcome_zero_never_says_more_than_the_decimals():
    exponents = [F(0), F(1, 10), F(1), F(3)]
    tables = [(F(1, 2), -a) for a in exponents] + [(F(0), F(0))]
    for p in tables:
        for q in tables:
            for budget in [*exponents, INFINITY]:
                table = {"x": p, "y": q}
                if attaining.outcome_zero_is_private(table, "x", "y", budget):
                    assert attaining.outcome_zero_by_decimals(table, "x", "y", budget)
    assert not attaining.outcome_zero_by_decimals({"x": tables[3], "y": tables[0]}, "x", "y", F(1, 10))


# ---------------------------------------------------------------- lifting: an edit decides the infinite class


def lifted_distance(removed, added, part, records, size, domain, stated) -> oracle.Number:
    """r_i between D and D with `removed` taken out and `added` put in (None: nothing), for the restriction
    to `part`, as the lifting lemma states it: the database D itself plays no role."""
    t = (removed in part) + (added in part)
    everything = set(part) == set(records)
    if t == 0:
        return 0
    if stated is unbounded:
        if size == "=" and (domain == "common" or everything):
            return INFINITY
        return t
    if t == 2:
        return 1
    if domain == "own" or everything:
        return INFINITY
    return 1


def edits(databases, target) -> Iterator[tuple[Any, Any, Any, Any]]:
    """All (D, E, removed, added) with D, E neighbours for the target."""
    pairs: list[tuple[Any, Any]] = oracle.neighbouring_pairs(databases, target)
    for D, E in pairs:
        removed, added = list(Counter(D) - Counter(E)), list(Counter(E) - Counter(D))
        yield D, E, (removed or [None])[0], (added or [None])[0]


@pytest.mark.parametrize("records", ["a", "ab", "abc"])
@pytest.mark.parametrize(("size", "n"), [("any", 3)] + [(size, n) for size in ("<=", "=") for n in (1, 2, 3)])
def test_lifting_lemma(records, size, n):
    """Size "any" stands for all finite multisets: chains run in sizes ≤ 3, target pairs in sizes ≤ 2. The
    cut is harmless. It can only lengthen distances, since all chains left are chains of the infinite class,
    whose distances are at least the lemma's: a step of U changes D ∩ A by at most one record, a step of B
    by at most one replacement, insertion or removal; where A = X, and on the own domain, B never changes
    the size. And the chains that attain the lemma's distances run inside the cut: they are one step long
    between D ∩ A and E ∩ A, or go through D ∩ E, or need one record outside A in place of one inside,
    hence stay in sizes ≤ 2.
    """
    databases = oracle.multisets(records, size, n)
    compared = oracle.multisets(records, "any", 2) if size == "any" else databases
    for part in subsets(records):
        for stated in (unbounded, bounded):
            for mechanism in (common(part, 1, stated), own(part, 1, stated, records, size, n)):
                r = oracle.input_distance(Setting(databases, bounded, [mechanism]), mechanism)
                for target in (unbounded, bounded):
                    for D, E, removed, added in edits(compared, target):
                        expected = lifted_distance(
                            removed, added, part, records, size, mechanism.domain, stated
                        )
                        assert r(D, E) == expected, (D, E, part, stated, mechanism.domain)


def test_the_profile_of_several_restrictions_depends_on_the_edits_alone():
    """The vector of a setting is made of the distances of its mechanisms one by one, so the lemma for one
    restriction gives the profile for several. Seen once: two overlapping parts, mixed guarantees."""
    databases, compared = oracle.multisets("abc", "any", 3), oracle.multisets("abc", "any", 2)
    mechanisms = [own("ab", F(1), unbounded, "abc", "any", 3), common("bc", F(1), bounded)]
    setting = Setting(databases, bounded, mechanisms, compared)
    assert set(oracle.vectors_of(setting)) == {(2, 1), (1, 1)}
    assert set(oracle.profile_of(setting)) == {(2, 1)}
