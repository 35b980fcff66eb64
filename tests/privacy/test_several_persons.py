"""Several persons, and guarantees for persons with other numbers of rows: by hand, and against all paths of bags."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import problem_data
import pytest
from problem_data import bag, reading_records
from shares import seeds

from dpcompose.kernel.expressions import formulas
from dpcompose.search.guarantees import NoGuarantee

F = Fraction
PURE = {"notion": "pure", "epsilon": "e[i]"}
LETTERS = dict.fromkeys(("k", "L", "m"), "integer >= 1")
Rows = tuple[int, ...]
"""How often each of some rows is there: two different ones of each part, one part after the other."""


def persons(number: int, parts: int, rows: int, replaced: bool) -> Any:
    one = bag(parts, rows, replaced)
    return one if number == 1 else {"group": number, "of": one}


def bound(target: Any, stated: Any) -> str:
    """The best guarantee of a family on the parts of a partition."""
    data = problem_data.family("P", {"kind": "record-wise"}, target, stated, "own", PURE, **LETTERS)
    return formulas.to_text(problem_data.optimal_bound(data))


@pytest.mark.whole
@pytest.mark.parametrize(
    ("target", "stated", "right"),
    [
        # one loses a row where the other gains one: no person of two rows does both
        ((2, 1, 1, False), bag(1, 2), "2*max(e[i], i, 1, k)"),
        # two of three are one, in the part that counts most or in another one
        ((3, 1, 1, False), bag(1, 2), "max(e[i], i, 1, k) + top(2, e[i], i, 1, k)"),
        # rows of two who take the place of two others in two parts
        ((2, 1, 1, True), bag(1, 2), "2*top(2, e[i], i, 1, k)"),
        ((2, 2, 1, True), bag(2, 2, True), "top(8, e[i], i, 1, k)"),
        # one person is several with fewer rows
        ((1, 1, 3, False), bag(1, 2), "2*max(e[i], i, 1, k)"),
        ((1, 2, 3, True), bag(2, 1, True), "3*top(4, e[i], i, 1, k)"),
    ],
)
def test_several_persons_by_hand(target: tuple[int, int, int, bool], stated: Any, right: str) -> None:
    assert bound(persons(*target), stated) == right


def test_parts_that_one_person_has_not_are_those_of_another() -> None:
    """Who reads both parts needs two persons of one part each, for one row in each of them."""
    reads: Any = [["a", "a'"], ["b", "b'"], None]
    data = reading_records(bag(2, 1), reads, [bag(1, 1)] * 3, ["own"] * 3, records=["a", "a'", "b", "b'"])
    assert formulas.to_text(problem_data.optimal_bound(data)) == "e1 + e2 + 2*e3"


def test_what_is_not_told_is_refused() -> None:
    with pytest.raises(NoGuarantee, match="promises nothing unless as many rows come as go"):
        bound(persons(2, 1, 1, True), bag(1, 2, "rows"))
    with pytest.raises(NoGuarantee, match="told for numbers of parts and rows"):
        bound({"group": 2, "of": bag("L", "m")}, bag("L", 3))


def lines(gone: Rows, parts: int, rows: int) -> bool:
    """Whether rows are a bag: of so many parts, and so many in each."""
    each = [sum(gone[n : n + 2]) for n in range(0, len(gone), 2)]
    return sum(map(bool, each)) <= parts and max(each) <= rows


def steps(relation: Callable[[Rows, Rows], bool], most: int) -> Callable[[Rows], Iterator[Rows]]:
    """Which rows are one step from some, each there so often at most."""

    @cache
    def found(x: Rows) -> list[Rows]:
        def split(y: Rows) -> tuple[Rows, Rows]:
            return tuple(max(0, a - b) for a, b in zip(x, y, strict=True)), tuple(
                max(0, b - a) for a, b in zip(x, y, strict=True)
            )

        return [y for y in product(range(most + 1), repeat=len(x)) if y != x and relation(*split(y))]

    return lambda x: iter(found(x))


def of(stated: Any, most: int) -> Callable[[Rows], Iterator[Rows]]:
    """The steps of a guarantee, or a target, by its definition."""
    if stated == "unbounded":
        return steps(lambda gone, come: sum(gone) + sum(come) == 1, most)
    said = stated["contribution"]
    parts, rows, replaced = int(said["parts"]), int(said["rows"]), said.get("replaced", False)

    def related(gone: Rows, come: Rows) -> bool:
        alone = replaced or not (any(gone) and any(come))
        return alone and lines(gone, parts, rows) and lines(come, parts, rows)

    return steps(related, most)


def away(
    step: Callable[[Rows], Iterator[Rows]], most: int | None = None
) -> Callable[[Rows], dict[Rows, int]]:
    """How many steps lead from some rows to others, up to so many."""

    @cache
    def reached(x: Rows) -> dict[Rows, int]:
        numbers, waiting = {x: 0}, deque([x])
        while waiting:
            y = waiting.popleft()
            for z in step(y) if numbers[y] != most else ():
                if z not in numbers:
                    numbers[z] = numbers[y] + 1
                    waiting.append(z)
        return numbers

    return reached


@seeds(4, 200)
def test_all_paths_of_bags_are_covered(seed: int) -> None:
    """One part or two, each read, and both together, by mechanisms with guarantees for several kinds of bags."""
    rng = random.Random(seed)
    parts, L, m, replaced = rng.choice([1, 2]), rng.choice([1, 2]), rng.choice([1, 1, 2]), rng.random() < 0.5
    number = rng.choice([1, 2, 3]) if m == 1 else 1
    most = min(3, number * m)
    names = [[f"{j}", f"{j}'"] for j in range(parts)]
    reads: list[Any] = [*names, None] if parts == 2 and rng.random() < 0.5 else [*names]
    kinds = [
        "unbounded",
        *(bag(L + n, rows, how) for n in (0, 1) for rows in (1, 2, 3) for how in (False, True)),
    ]
    stated, together = [rng.choice(kinds) for _ in reads], [rng.choice([1, 1, 1, 2]) for _ in reads]
    granularities = [
        one if n == 1 else {"group": n, "of": one} for one, n in zip(stated, together, strict=True)
    ]
    notion, power = rng.choice([("pure", 1), ("zcdp", 2)])
    records, own = [name for some in names for name in some], ["own"] * len(reads)
    data = reading_records(
        persons(number, L, m, replaced), reads, granularities, own, notion, records=records
    )
    values = [F(rng.randint(1, 30), 7) for _ in reads]

    target = away(of(bag(L, m, replaced), most), number)
    far = [away(of(one, most)) for one in stated]
    seen = [slice(2 * j, 2 * j + 2) for j in range(parts)] + [slice(0, 2 * parts)]
    worst = F(0)
    for x in product(range(most + 1), repeat=2 * parts):
        for y in target(x):
            moved = (-(-d(x[s])[y[s]] // n) for d, s, n in zip(far, seen, together, strict=False))
            worst = max(worst, sum(e * r**power for e, r in zip(values, moved, strict=True)))
    point = {f"e{j}": x for j, x in enumerate(values, start=1)}
    assert formulas.evaluate(problem_data.optimal_bound(data, notion), point) == worst, data
