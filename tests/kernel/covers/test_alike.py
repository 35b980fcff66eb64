"""Many mechanisms that are alike: the types of a few of them stand for those of all."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
import told
from kernel.covers.test_covers import ADD_REMOVE, EITHER, REPLACE, group, moves, multisets, reads

from dpcompose.kernel import covers
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers import alike
from dpcompose.kernel.covers.types import Cover
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.intervals import sign
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.judgements import Covers, Lower, Satisfies
from dpcompose.kernel.theorems import NoTheorem, Prover, Theorem

SINGLE = (ADD_REMOVE, REPLACE, EITHER)
KEYS = {"pure": "epsilon", "zcdp": "rho", "gaussian": "mu"}


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Three mechanisms are many."""
    monkeypatch.setattr(alike, "MANY", 3)
    covers.cover.cache_clear()
    yield
    covers.cover.cache_clear()


def core(databases: dict[str, Any], target: Any, *mechanisms: dict[str, Any]) -> Setting:
    named = [{"name": f"M{i}", **one} for i, one in enumerate(mechanisms, start=1)]
    parameters = {f"e{i}": "nonnegative" for i in range(1, 9)} | {"m": "integer >= 1"}
    return reading.read(
        {"parameters": parameters, "databases": databases, "target": target, "mechanisms": named}
    )


def part(i: int, **more: Any) -> dict[str, Any]:
    return reads([i], REPLACE, "common") | {"values": {"epsilon": f"e{i + 1}"}} | more


def of_parts(k: int, *more: dict[str, Any], target: Any = REPLACE, **first: Any) -> Setting:
    """k mechanisms of which each reads one of k atoms, the first one with what is said of it."""
    mechanisms = (part(0, **first), *map(part, range(1, k)), *more)
    return core(multisets(*([f"a{i}"] for i in range(k))), target, *mechanisms)


def others(found: Cover) -> list[list[list[int]]]:
    """For each type its choices, as the mechanisms that may move."""
    return [[sorted(choice.mechanisms) for choice in one.choices] for one in found.types]


def test_two_of_five_stand_for_all_pairs() -> None:
    setting = of_parts(5)
    found = covers.cover(setting, told.THEORY)
    assert moves(found) == {"1:1 2:1"} and others(found) == [[[1, 2, 3, 4, 5]]]
    assert found.gone_through == 1 and not found.is_whole
    assert len(covers.cover(setting, told.THEORY, every=True).types) == 10


@pytest.mark.parametrize(
    "first",
    [
        {"stated": EITHER},
        {"domain": "own"},
        {"reads": [[0, 1]]},
        {"processed": True},
    ],
)
def test_one_that_is_told_from_the_others_does_not_stand_for_them(first: dict[str, Any]) -> None:
    found = covers.cover(of_parts(5, **first), told.THEORY)
    assert not any(1 in some for one in others(found) for some in one)


def test_a_second_reader_of_one_part_tells_it_from_the_others() -> None:
    found = covers.cover(of_parts(5, part(0)), told.THEORY)
    assert not any({1, 6} & {*some} for one in others(found) for some in one)
    everybody = covers.cover(of_parts(5, reads(None, REPLACE)), told.THEORY)
    assert others(everybody) == [[[1, 2, 3, 4, 5]]]


def test_groups_of_steps_are_told_by_all() -> None:
    """Where two steps touch one part and another two parts, members move by different distances."""
    found = covers.cover(of_parts(4, target=group(2, REPLACE)), told.THEORY)
    assert not any(others(found))


def drawn(rng: random.Random) -> tuple[Setting, str]:
    """Several mechanisms that are alike beside others, and their notion."""
    k, notion = rng.randint(3, 5), rng.choice(sorted(KEYS))
    atoms = [[f"a{i}", f"b{i}"][: rng.choice([1, 2, 2])] for i in range(k + rng.randint(0, 2))]
    about = [([i], rng.choice(SINGLE), rng.choice(["own", "common"])) for i in (0,)] * k
    about = [([i], stated, domain) for i, (_, stated, domain) in enumerate(about)]
    if rng.random() < 1 / 4:
        about[0] = ([0, len(atoms) - 1], *about[0][1:])
    for _ in range(rng.randint(0, 2)):
        some = rng.choice([[*range(k)], None, sorted(rng.sample(range(len(atoms)), 2)), [0]])
        about.append((some, rng.choice(SINGLE), rng.choice(["own", "common"])))
    mechanisms = [
        reads(some, stated, domain) | {"notion": notion, "values": {KEYS[notion]: f"e{i}"}}
        for i, (some, stated, domain) in enumerate(about, start=1)
    ]
    size = rng.choice([("any", None), ("at most", 3), ("exactly", 3)])
    return core(multisets(*atoms, size=size), rng.choice(SINGLE), *mechanisms), notion


def lost(setting: Setting, notion: str, every: bool) -> tuple[bool, Term, Term | None]:
    """Whether types are left out, the guarantee, and what witnesses lose."""
    prover = Prover(setting, told.THEORY)
    stated = [prover.by("given", i=i) for i in range(1, len(setting.mechanisms) + 1)]
    cover: Theorem = prover.by("cover", every=every)
    assert isinstance(cover.says, Covers)
    worst = prover.by("worst", prover.by("compose", *stated), cover).says
    assert isinstance(worst, Satisfies)
    numbers = [n for n, one in enumerate(cover.says.cover.types, start=1) if one.moves]
    by = [*range(1, len(stated) + 1)]
    try:
        lower = prover.by("attain", cover, *stated, notion=notion, neighbours=numbers, by=by).says
    except NoTheorem:
        lower = None
    assert lower is None or isinstance(lower, Lower)
    return any(others(cover.says.cover)), worst.values[0][1], lower and lower.value


def same(one: Term | None, other: Term | None, point: dict[str, Fraction]) -> bool:
    """Whether two values are equal at a point, or too near to each other to tell."""
    if one is None or other is None or "oo" in (one.kind, other.kind):
        return one == other
    return sign(formulas.at(one, point) - formulas.at(other, point)) in (0, None)


@pytest.mark.parametrize("seed", range(60))
def test_a_few_and_all_lose_the_same(seed: int) -> None:
    rng = random.Random(seed)
    setting, notion = drawn(rng)
    few, all_of_them = lost(setting, notion, False), lost(setting, notion, True)
    assert not all_of_them[0]
    for _ in range(5):
        point = {f"e{i}": Fraction(rng.randint(0, 9), rng.randint(1, 3)) for i in range(1, 9)}
        for one, other in zip(few[1:], all_of_them[1:], strict=True):
            assert same(one, other, point)


def test_enough_of_them_are_drawn() -> None:
    assert sum(lost(*drawn(random.Random(seed)), False)[0] for seed in range(60)) > 20
