"""Many atoms that share readers: the types of sunflowers stand for those of all pairs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
import told
from kernel.covers.test_alike import KEYS, core, lost, same
from kernel.covers.test_covers import ADD_REMOVE, ANY_TWO, EITHER, REPLACE, group, multisets, reads

from dpcompose.kernel import covers
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers import sunflowers
from dpcompose.kernel.covers.types import Cover
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.terms import INFINITY, letter, number
from dpcompose.kernel.judgements import Covers, Lower
from dpcompose.kernel.theorems import NoTheorem, Prover
from dpcompose.search.refutations import exchanged


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Three atoms are many, and it is never asked whether there are fewer types."""
    monkeypatch.setattr(sunflowers, "MANY", 3)
    monkeypatch.setattr(sunflowers, "FEWER", 0)
    covers.cover.cache_clear()
    yield
    covers.cover.cache_clear()


def ring(k: int, target: Any = REPLACE, size: tuple[str, int | None] = ("any", None)) -> Setting:
    """k atoms, and k mechanisms of which each reads two that are next to each other."""
    about = (reads(sorted([i, (i + 1) % k]), REPLACE, "common") for i in range(k))
    mechanisms = (one | {"values": {"epsilon": f"e{i}"}} for i, one in enumerate(about, start=1))
    return core(multisets(*([f"a{i}"] for i in range(k)), size=size), target, *mechanisms)


def pairs(found: Cover) -> list[tuple[int, int]]:
    """The pairs of atoms that sunflowers have."""
    chosen = (choice for one in found.types for choice in one.choices)
    return [pair for choice in chosen for pair in combinations(sorted(a for a, _ in choice.of), 2)]


def test_a_ring_is_covered_by_atoms_that_share_nothing() -> None:
    """Of eight atoms two that are next to each other move three mechanisms, and so less than others do."""
    found = covers.cover(ring(8), told.THEORY)
    apart = {(a, b) for a, b in combinations(range(8), 2) if (b - a) % 8 not in (1, 7)}
    assert apart >= {*pairs(found)} and len({*pairs(found)}) >= 6
    singles = [one for one in found.types if not one.choices]
    assert all(len(one.moves) == 4 for one in found.types)
    assert len({*pairs(found)}) + len(singles) == len(apart) and not found.is_whole


def test_what_all_read_is_the_core() -> None:
    """Mechanism 9 reads all of it, and moves at each pair as often as two records do."""
    setting = core(
        multisets(*([f"a{i}"] for i in range(5))),
        REPLACE,
        *(reads([i], ADD_REMOVE, "own") | {"values": {"epsilon": f"e{i + 1}"}} for i in range(5)),
        reads(None, ADD_REMOVE) | {"values": {"epsilon": "e6"}},
    )
    (one,) = covers.cover(setting, told.THEORY).types
    ((choice,), moved) = one.choices, dict(one.moves)
    assert choice.many == 2 and choice.mechanisms == {1, 2, 3, 4, 5}
    assert formulas.to_text(moved[6][0][1]) == "2"


@pytest.mark.parametrize("target", [group(2, REPLACE), ADD_REMOVE, ANY_TWO])
def test_other_targets_have_none(target: Any) -> None:
    found = covers.cover(ring(6, target, ("at most", 2)), told.THEORY)
    assert not any(one.choices for one in found.types)


def test_nothing_is_attained_by_petals_that_are_no_witnesses() -> None:
    """At the pair itself mechanisms 1 and 3 lose; of the others nothing is asked."""
    setting = ring(8)
    prover = Prover(setting, told.THEORY)
    stated = [prover.by("given", i=i) for i in range(1, 9)]
    cover = prover.by("cover")
    assert isinstance(cover.says, Covers)
    n = next(n for n, one in enumerate(cover.says.cover.types, start=1) if one.choices)
    moved = [i for i, _ in cover.says.cover.types[n - 1].moves]
    lower = prover.by("attain", cover, *stated, notion="pure", neighbours=[n], by=moved).says
    assert isinstance(lower, Lower) and lower.at[0].type.choices == ()
    assert formulas.to_text(lower.value) == " + ".join(f"e{i}" for i in moved)


def test_petals_stand_for_all_pairs_only_where_losses_add_up() -> None:
    """A closer δ is no sum: a derivation that asks for it with such types is refused."""
    about = {"notion": "approximate", "values": {"epsilon": "1", "delta": "1/4"}}
    atoms = multisets(*([f"a{i}"] for i in range(6)))
    setting = core(atoms, REPLACE, *(reads([i], REPLACE, "common") | about for i in range(6)))
    prover = Prover(setting, told.THEORY)
    stated = prover.by("compose", *(prover.by("given", i=i) for i in range(1, 7)))
    few, every = prover.by("cover"), prover.by("cover", every=True)
    assert prover.by("closer", stated, every, key="delta").says != prover.by("worst", stated, few).says
    with pytest.raises(NoTheorem, match="only where losses add up"):
        prover.by("closer", stated, few, key="delta")


def test_the_counterexample_has_the_atoms_for_which_most_is_lost() -> None:
    """Atoms 3 and 6 are read by mechanisms 3 and 4, and 6 and 7."""
    setting = ring(8)
    point = {f"e{i}": Fraction(9 if i in (3, 4, 6, 7) else 1) for i in range(1, 9)}
    for one in covers.cover(setting, told.THEORY).types:
        at = exchanged.at_point(one, setting, point)
        of = [int(name[1:]) for side in at.pair if isinstance(side, tuple) for name in side]
        assert {i for i, _ in at.moves} == {i for a in of for i in (a + 1, (a - 1) % 8 + 1)}
        chosen = [a for choice in one.choices for a, _ in choice.of]
        assert not {3, 6} <= {*chosen} or {*of} == {3, 6}


def by_few(setting: Setting) -> Cover | None:
    return sunflowers.Sunflowers(setting, told.THEORY).cover_by_few()


NOISE = {"query": {"page": "count", "values": {}}, "page": "laplace", "parameter": "1"}


def test_where_sunflowers_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not of two atoms, of too many, of numbers that are letters, and of what is known by more than distances."""
    assert by_few(ring(3)) and by_few(ring(8)) and not by_few(ring(2))
    one = ring(8)
    for databases in (
        replace(one.databases, of="sequences"),
        replace(one.databases, size=("at most", 9), letter=letter("m", Domain.read("integer >= 1"))),
    ):
        assert by_few(replace(one, databases=databases)) is None
    noisy = {"reads": [[0]], "noise": NOISE, "domain": "own", "notion": "pure", "values": {"epsilon": "1"}}
    atoms = multisets(*([f"a{i}"] for i in range(4)))
    assert by_few(core(atoms, REPLACE, reads([1], REPLACE, "common")))
    assert by_few(core(atoms, REPLACE, reads([1], REPLACE, "common"), noisy)) is None
    for target in (ADD_REMOVE, ANY_TWO, group(2, REPLACE), group(2, ADD_REMOVE)):
        assert by_few(ring(8, target, ("at most", 9))) is None
    monkeypatch.setattr(sunflowers, "MOST", 7)
    assert by_few(ring(7)) and by_few(ring(8)) is None


def shown(found: Cover | None) -> list[tuple[str, list[list[int]]]]:
    """How far inputs move at each type, and the atoms of its sunflower."""
    assert found is not None
    far = (" ".join(f"{i}:{r!r}" for i, ((_, r),) in one.moves) for one in found.types)
    return [
        (one, [[a for a, _ in choice.of] for choice in type.choices])
        for one, type in zip(far, found.types, strict=True)
    ]


def test_two_atoms_that_share_a_reader_are_no_petals_of_one_sunflower() -> None:
    """0 and 1 move mechanism 6 by two records, any other two by one; 0, 2, 3 and 4 share nothing."""
    atoms = multisets(*([f"a{i}"] for i in range(5)))
    own = (reads([i], REPLACE, "common") for i in range(5))
    assert shown(by_few(core(atoms, REPLACE, *own, reads([0, 1], ADD_REMOVE)))) == [
        ("1:1 3:1 6:1", [[0, 2, 3, 4]]),
        ("1:1 2:1 6:2", []),
        *((f"2:1 {i}:1 6:1", []) for i in (3, 4, 5)),
    ]


@pytest.mark.parametrize("target", [REPLACE, EITHER])
def test_records_that_come_or_go_or_change_are_exceeded_by_two_that_do(target: Any) -> None:
    """Mechanism 5 moves by oo where a record of atom 4 goes, and by 1 where it is another one."""
    atoms = multisets(*([f"a{i}", f"b{i}"][: 1 + (i == 4)] for i in range(5)))
    own = (reads([i], EITHER) for i in range(4))
    found = by_few(core(atoms, target, *own, reads([4], REPLACE), reads([4], EITHER)))
    assert shown(found) == [("1:1 5:oo 6:1", [[4, 0, 1, 2, 3]])]


def test_what_no_two_atoms_exceed_is_a_type() -> None:
    """Where one record comes another mechanism moves by oo, and where two change places it moves by 1."""
    atoms = multisets(*([f"a{i}"] for i in range(4)))
    mechanisms = [*(reads([i], EITHER) for i in range(4)), reads(None, REPLACE, "own")]
    assert shown(by_few(core(atoms, REPLACE, *mechanisms))) == [("1:1 2:1 5:1", [[0, 1, 2, 3]])]
    assert shown(by_few(core(atoms, EITHER, *mechanisms))) == [
        ("1:1 2:1 5:1", [[0, 1, 2, 3]]),
        *((f"{i}:1 5:oo", []) for i in range(1, 5)),
    ]


def test_which_changes_others_exceed() -> None:
    """Of a ring 0 and 1 move three mechanisms, of which 0 and 2 move all, and another one."""
    of = sunflowers.Sunflowers(ring(8), told.THEORY)
    assert of.is_exceeded((0,), (1,)) and of.is_exceeded((7,), (0,)) and of.is_exceeded((4,), (3,))
    assert not any(of.is_exceeded((0,), (b,)) for b in range(2, 7))
    assert of.is_exceeded((0,), ()) and of.is_exceeded((6,), (6,))
    assert {i: repr(r) for i, r in of.far((0,), (1,)).items()} == {1: "1", 2: "1", 8: "1"}
    assert [*of.with_readers(0b10)] == [0, 1] and [*of.with_readers(0b110)] == [1]
    assert [*of.with_readers(0)] == [0, 1, 2] and [*of.with_readers(0b1010)] == []
    alike = sunflowers.Sunflowers(core(multisets("a", "b", "c"), REPLACE, reads(None, REPLACE)), told.THEORY)
    assert not alike.is_exceeded((0,), (1,))  # what moves as far is not exceeded


def test_distances_that_others_exceed() -> None:
    one, two = number(1), number(2)
    for first, second in ((one, one), (two, one), (INFINITY, one), (INFINITY, INFINITY)):
        assert sunflowers.exceeds(first, second)
    assert not sunflowers.exceeds(one, two) and not sunflowers.exceeds(one, INFINITY)


EVERY_FOUR = [*combinations(range(4), 2)]


@pytest.mark.parametrize(
    "n, edges, sets, left",
    [
        (3, [(0, 1), (0, 2), (1, 2)], [], 3),  # three numbers for three pairs: nothing is won
        (4, EVERY_FOUR, [[0, 1, 2, 3]], 0),
        (5, [*EVERY_FOUR, (3, 4)], [[0, 1, 2, 3]], 1),
        (5, [*EVERY_FOUR[1:], (3, 4)], [], 6),
        (8, [*EVERY_FOUR, *((a + 4, b + 4) for a, b in EVERY_FOUR)], [[0, 1, 2, 3], [4, 5, 6, 7]], 0),
        (6, [*combinations(range(6), 2)], [[0, 1, 2, 3, 4, 5]], 0),
    ],
)
def test_sets_of_which_any_two_are_pairs(
    n: int, edges: list[tuple[int, int]], sets: list[list[int]], left: int
) -> None:
    those, others = sunflowers.gathered(n, edges)
    assert those == sets and len(others) == left and {*others} <= {*edges}


def test_each_pair_is_in_one_of_the_sets_or_left() -> None:
    rng = random.Random(3)
    for _ in range(30):
        n = rng.randint(4, 9)
        edges = [pair for pair in combinations(range(n), 2) if rng.random() < 0.8]
        those, left = sunflowers.gathered(n, edges)
        inside = [pair for some in those for pair in combinations(some, 2)]
        assert {*inside} | {*left} == {*edges} and {*inside}.isdisjoint(left)


SINGLE = [ADD_REMOVE, REPLACE, EITHER]


def drawn(
    rng: random.Random,
    of_groups: Sequence[Any] = (group(2, ADD_REMOVE), group(2, REPLACE)),
    targets: Sequence[Any] = (REPLACE, EITHER),
    sizes: Sequence[tuple[str, int | None]] = (("any", None), ("at most", 3), ("exactly", 3)),
) -> tuple[Setting, str]:
    """Mechanisms that read some of several atoms, all in one notion; some are stated for groups."""
    notion, n = rng.choice(sorted(KEYS)), rng.randint(4, 8)
    atoms = [[f"a{i}", f"b{i}"][: rng.choice([1, 1, 2])] for i in range(n)]
    likely = rng.choice([0.15, 0.3, 0.5])
    mechanisms = []
    for i in range(1, rng.randint(3, 8) + 1):
        some = [a for a in range(n) if rng.random() < likely] or [rng.randrange(n)]
        stated = rng.choice([*SINGLE, *of_groups])
        about = reads(None if rng.random() < 0.1 else some, stated, rng.choice(["own", "common", "common"]))
        mechanisms.append(about | {"notion": notion, "values": {KEYS[notion]: f"e{i}"}})
    return core(multisets(*atoms, size=rng.choice(sizes)), rng.choice(targets), *mechanisms), notion


def in_groups(rng: random.Random) -> tuple[Setting, str]:
    """Groups of any number m of steps, on databases of any size, of mechanisms stated for single ones."""
    targets = [REPLACE | {"times": "m"}, EITHER | {"times": "m"}]
    return drawn(rng, of_groups=(), targets=targets, sizes=[("any", None)])


def lose_the_same(setting: Setting, notion: str, rng: random.Random) -> None:
    few, all_of_them = lost(setting, notion, False), lost(setting, notion, True)
    assert not all_of_them[0]
    for _ in range(5):
        point = {f"e{i}": Fraction(rng.choice([0, 0, 1, 2, 5, 9]), rng.randint(1, 3)) for i in range(1, 9)}
        point["m"] = Fraction(rng.randint(1, 9))
        for one, other in zip(few[1:], all_of_them[1:], strict=True):
            assert same(one, other, point)


@pytest.mark.parametrize("seed", range(40))
def test_sunflowers_and_pairs_lose_the_same(seed: int) -> None:
    rng = random.Random(seed)
    lose_the_same(*drawn(rng), rng)


@pytest.mark.parametrize("seed", range(20))
def test_petals_of_groups_lose_what_all_pairs_do(seed: int) -> None:
    rng = random.Random(seed)
    lose_the_same(*in_groups(rng), rng)


def test_petals_of_groups_are_convex() -> None:
    """Which of them moves differs from step to step: losses must be convex in all of them, as m steps may
    move each as far as its share."""
    few, all_of_them = (
        covers.cover(ring(8, REPLACE | {"times": "m"}), told.THEORY, every) for every in (False, True)
    )
    assert any(one.choices for one in few.types) and not any(one.choices for one in all_of_them.types)
    assert few.convex == all_of_them.convex == set(range(1, 9))


def test_enough_sunflowers_are_drawn() -> None:
    assert sum(lost(*drawn(random.Random(seed)), False)[0] for seed in range(40)) > 20
    assert sum(lost(*in_groups(random.Random(seed)), False)[0] for seed in range(20)) > 5
