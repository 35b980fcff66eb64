"""Covers by hand: of records, cells, lists and steps; and where a shorter argument would be wrong."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import Any

import pytest
import told
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcompose.kernel import covers
from dpcompose.kernel.core import reading
from dpcompose.kernel.core import settings as core_settings
from dpcompose.kernel.covers.blocks import by_cell, fewest_blocks, largest_unions
from dpcompose.kernel.covers.types import Cover, NoCover

Relation = dict[str, Any]

ADD_REMOVE: Relation = {"single": [[1, 0], [0, 1]], "steps": 1}
REPLACE: Relation = {"single": [[1, 1]], "steps": 1}
EITHER: Relation = {"single": [[1, 0], [0, 1], [1, 1]], "steps": 1}
ANY_TWO: Relation = {"single": "any two", "steps": 1}
STEP: Relation = {"single": "step", "steps": 1}


def group(m: int, relation: Relation) -> Relation:
    return relation | {"steps": m}


def reads(what: Any, stated: Relation, domain: str = "own", **more: Any) -> dict[str, Any]:
    """A mechanism that reads something."""
    several = what if "partition" in more else [what]
    about = {"stated": stated, "domain": domain, "notion": "pure", "values": {"epsilon": "1"}}
    return {"reads": several, **about, **more}


def asks(what: Any, page: str, law: str = "laplace", n: int | None = None, **values: str) -> dict[str, Any]:
    """A mechanism that adds noise to a query."""
    query = {"page": page, "values": values} | ({} if n is None else {"n": n})
    noise = {"query": query, "page": law, "parameter": "1"}
    return {"reads": [what], "domain": "own", "notion": "pure", "values": {"epsilon": "1"}, "noise": noise}


def core(databases: dict[str, Any], target: Relation, *mechanisms: dict[str, Any]) -> core_settings.Setting:
    named = [{"name": f"M{i}", **one} for i, one in enumerate(mechanisms, start=1)]
    parameters = {"k": "integer >= 2", "u": "positive"}
    data = {"parameters": parameters, "databases": databases, "target": target, "mechanisms": named}
    return reading.read(data)


def cover(databases: dict[str, Any], target: Relation, *mechanisms: dict[str, Any]) -> Cover:
    return covers.cover(core(databases, target, *mechanisms), told.THEORY)


def moves(found: Cover) -> set[str]:
    """The types in words: 1:2 2:oo for M1 by 2 and M2 by ∞; of families 1:2x1 for two members by 1."""
    return {
        " ".join(
            f"{i}:" + ",".join(f"{many}x{r!r}" if many != 1 or len(some) > 1 else repr(r) for many, r in some)
            for i, some in type.moves
        )
        for type in found.types
    }


def multisets(
    *atoms: Sequence[str], size: Sequence[Any] = ("any", None), of: str = "multisets"
) -> dict[str, Any]:
    return {"kind": "records", "shown": "", "of": of, "size": list(size), "atoms": list(map(list, atoms))}


A, B, REST = ["a"], ["b"], ["x", "y"]
ONE, TWO = ["a", "a'"], ["b", "b'"]


def cells(count: int) -> dict[str, Any]:
    return {"kind": "cells", "shown": "", "count": count}


def single(*blocks: Sequence[int], steps: int = 1) -> Relation:
    return {"single": [list(one) for one in blocks], "steps": steps}


def each(count: int, steps: int = 1) -> Relation:
    return single(*([n] for n in range(count)), steps=steps)


def listed(count: int) -> dict[str, Any]:
    return {"kind": "listed", "shown": "", "count": count}


# records


def test_a_replaced_record_moves_two_parts() -> None:
    parts = multisets(A, B, REST)
    common = cover(parts, REPLACE, reads([0], REPLACE, "common"), reads([1], REPLACE, "common"))
    assert moves(common) == {"1:1 2:1"} and common.types[0].pair == (("a",), ("b",))
    own = cover(parts, REPLACE, reads([0], REPLACE), reads([1], REPLACE))
    assert moves(own) == {"1:oo 2:oo"}
    assert moves(cover(parts, ADD_REMOVE, reads([0], REPLACE, "common"), reads([1], ADD_REMOVE))) == {
        "1:1",
        "2:1",
    }
    assert common.page == "edit-types" and common.metrics == (("edit-metric",), ("edit-metric",))


@pytest.mark.parametrize(
    ("stated", "domain", "r"),
    [
        (
            ADD_REMOVE,
            "common",
            "oo",
        ),  # databases of one size have no such neighbours: nothing is pushed forward
        (ADD_REMOVE, "own", "1"),  # but what is read has any size
        (REPLACE, "common", "1"),
        (REPLACE, "own", "oo"),
        (EITHER, "common", "1"),
        (EITHER, "own", "1"),
    ],
)
def test_fixed_sizes(stated: Relation, domain: str, r: str) -> None:
    """A record of {a} becomes one outside: what is read loses a record."""
    found = cover(multisets(A, B, size=("exactly", 3)), REPLACE, reads([0], stated, domain))
    assert moves(found) == {f"1:{r}"} and found.types[0].pair == (("a", "a", "a"), ("a", "a", "b"))


@pytest.mark.parametrize("domain", ["own", "common"])
def test_all_atoms_are_everything(domain: str) -> None:
    """What reads every record reads the databases themselves: their sizes stay, and nothing comes from outside."""
    three = multisets(A, B, size=("exactly", 3))
    for what in ([0, 1], None):
        assert moves(cover(three, REPLACE, reads(what, ADD_REMOVE, domain))) == {"1:oo"}
        assert moves(cover(multisets(A, B), ADD_REMOVE, reads(what, REPLACE, domain))) == {"1:oo"}
        assert moves(cover(multisets(A, B), REPLACE, reads(what, REPLACE, domain))) == {"1:1"}


def test_one_record_cannot_be_replaced_by_itself() -> None:
    assert moves(cover(multisets(A), REPLACE, reads(None, REPLACE))) == set()
    assert moves(cover(multisets(ONE), REPLACE, reads(None, REPLACE))) == {"1:1"}
    assert cover(multisets(A, B, size=("at most", 0)), EITHER, reads(None, EITHER)).types == ()


@pytest.mark.parametrize(
    ("target", "stated", "size", "r"),
    [
        (5, 2, ("any", None), "3"),
        (5, 2, ("at most", 1), "1"),  # two databases of at most one record: two steps
        (5, 1, ("at most", 2), "4"),
        (4, 4, ("any", None), "1"),
        (1, 9, ("any", None), "1"),
    ],
)
def test_groups_of_records(target: int, stated: int, size: tuple[str, int | None], r: str) -> None:
    on = multisets(ONE, size=size)
    assert moves(cover(on, group(target, ADD_REMOVE), reads(None, group(stated, ADD_REMOVE)))) == {f"1:{r}"}


def test_any_two_databases() -> None:
    everything = [reads(None, ADD_REMOVE), reads([0], ANY_TWO), reads([], ADD_REMOVE)]
    grown = cover(multisets(A, B), ANY_TWO, *everything)
    assert moves(grown) == {"1:oo 2:1"} and grown.types[0].unlimited == {1}
    assert moves(cover(multisets(A, B, size=("at most", 2)), ANY_TWO, *everything)) == {"1:4 2:1"}
    three = multisets(A, B, size=("exactly", 3))
    assert moves(cover(three, ANY_TWO, reads(None, REPLACE), reads([0], ANY_TWO))) == {"1:3 2:1"}
    whether = cover(three, ANY_TWO, reads([0], ANY_TWO), reads([1], ANY_TWO))
    assert moves(whether) == {"1:1 2:1"} and whether.gone_through == 1


def test_sequences() -> None:
    logs = multisets(A, B, of="sequences")
    found = cover(
        logs, group(2, ADD_REMOVE), reads(None, ADD_REMOVE), reads([0], group(2, ADD_REMOVE), "common")
    )
    assert moves(found) == {"1:2 2:1"}
    with pytest.raises(NoCover, match="no room"):
        cover(
            multisets(A, of="sequences", size=("at most", 1)), group(2, ADD_REMOVE), reads(None, ADD_REMOVE)
        )
    with pytest.raises(NoCover, match="known for multisets only"):
        cover(logs, ADD_REMOVE, asks(None, "count"))


def test_noise_looks_at_what_comes_and_goes() -> None:
    on = multisets(ONE, TWO)
    assert moves(cover(on, REPLACE, asks(None, "count"), asks([0], "count"))) == {"2:1"}
    assert moves(cover(on, REPLACE, asks(None, "histogram"), asks([0], "histogram"))) == {"1:2 2:2"}
    found = cover(on, group(2, ADD_REMOVE), asks(None, "histogram"))
    entries = {tuple(map(repr, some)) for one in found.types for _, some in one.entries}
    assert moves(found) == {"1:2"} and entries == {("2",), ("1", "1")}
    assert moves(cover(on, ADD_REMOVE, asks([0], "sum", l="0", u="u"))) == {"1:u"}
    assert moves(cover(on, EITHER, asks([0], "bit", "randomized-response"))) == {"1:1"}
    assert moves(cover(on, REPLACE, asks(None, "histogram", "exponential"))) == {"1:2"}


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        (asks(None, "mean", l="0", u="1"), "needs a known number of records"),
        (asks(None, "location", "planar-laplace", w="1"), "about one record"),
        (asks(None, "sum", "exponential", l="0", u="1"), "does not say how far it moves in the norm range"),
        (asks(None, "sum", l="0", u="oo"), "are finite"),
        (asks(None, "sum", l="0", u="1", removed="0"), "none is called removed"),
        (asks(None, "sum", l="0"), "unknown name 'u'"),
        (asks(None, "sum", l="3", u="1"), "moves by a negative amount"),
        (asks(None, "laplace"), "no query page"),
        (asks(None, "count", "count"), "no noise page"),
    ],
)
def test_queries_that_say_too_little(mechanism: dict[str, Any], words: str) -> None:
    for on, target in ((multisets(ONE), EITHER), (cells(2), each(2))):
        with pytest.raises(ValueError, match=words):
            cover(on, target, mechanism)


def test_attributes_make_two_records_of_one() -> None:
    """A record that is read by its name only stands for one; its attribute may change all the same."""
    with pytest.raises(NoCover, match="without a second one"):
        cover(multisets(A, REST), REPLACE, asks([0], "sum", l="0", u="1"))
    assert moves(cover(multisets(ONE, REST), REPLACE, asks([0], "sum", l="0", u="1"))) == {"1:1"}
    assert moves(cover(multisets(A, REST), REPLACE, asks([0], "bit", "randomized-response"))) == {"1:1"}


def test_means_of_all_records() -> None:
    four = multisets(ONE, size=("exactly", 4))
    assert moves(cover(four, group(2, REPLACE), asks(None, "mean", n=4, l="0", u="1"))) == {"1:1/2"}


# families


def family(what: Any, stated: Relation, domain: str = "own", count: str = "k", partition: str = "P") -> Any:
    return reads(what, stated, domain, count=count, partition=partition)


def test_a_record_touches_two_parts() -> None:
    parts = multisets(REST, ONE, TWO)
    found = cover(parts, REPLACE, family([[1], [2]], REPLACE, "common"), reads(None, REPLACE))
    assert moves(found) == {"1:2x1 2:1"}
    own = cover(parts, REPLACE, family([[1], [2]], REPLACE))
    assert moves(own) == {"1:2xoo"}
    everything = reads(None, ADD_REMOVE, count="k")
    assert moves(cover(parts, ADD_REMOVE, everything)) == {"1:0x1"}
    both = cover(parts, group(2, ADD_REMOVE), family([[1], [2]], ADD_REMOVE))
    assert moves(both) == {"1:2x1", "1:2"}


def test_parts_have_metrics_of_their_own() -> None:
    """The second part has no records: that it never moves says nothing of the first one."""
    on = multisets(ONE, TWO)
    assert moves(cover(on, ADD_REMOVE, family([[], [0]], ADD_REMOVE))) == {"1:1"}
    assert moves(cover(on, ADD_REMOVE, family([[0], []], ADD_REMOVE))) == {"1:1"}


def test_families_on_cells() -> None:
    found = cover(cells(4), each(4, steps=2), family([[0, 1], [2, 3]], each(4)))
    assert moves(found) == {"1:2x1", "1:2"}


# cells


def test_windows_are_not_exchanged() -> None:
    """Two steps of five: side by side they lie in one window, far apart in two."""
    windows = single([0, 1], [1, 2], [2, 3], [3, 4])
    assert moves(cover(cells(5), each(5, steps=2), reads(None, windows))) == {"1:2"}
    assert moves(cover(cells(2), each(2, steps=2), reads(None, single([0, 1])))) == {"1:1"}
    both = cover(cells(5), each(5, steps=2), reads(None, windows), reads([0, 1], each(5)))
    assert moves(both) == {"1:2 2:1", "1:1 2:2"}


def test_blocks_of_cells() -> None:
    stars = single([0, 1], [0, 2], [1, 2])  # the edges 0 = ab, 1 = ac, 2 = bc at a, b and c
    found = cover(cells(3), stars, reads(None, each(3)), reads([0], stars), reads([], each(3)))
    assert moves(found) == {"1:2 2:1"}
    assert moves(cover(cells(3), ANY_TWO, reads(None, each(3, steps=2)), reads([2], ANY_TWO))) == {"1:2 2:1"}
    assert moves(cover(cells(3), each(3), reads(None, single([0])))) == {"1:oo"}
    assert cover(cells(0), ANY_TWO, reads(None, ANY_TWO)).types == ()


def test_noise_on_cells() -> None:
    found = cover(
        cells(3), each(3), asks([0, 1], "mean", n=2, l="0", u="u"), asks([2], "bit", "randomized-response")
    )
    assert moves(found) == {"1:(product 1/2 u)", "2:1"}
    assert moves(cover(cells(2), single([0, 1]), asks(None, "count"), asks([0], "histogram"))) == {"2:2"}


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(st.data())
def test_covers_of_cells_against_enumeration(data: st.DataObject) -> None:
    """All sets of cells that neighbours change, one by one, in classes of up to five cells."""
    n = data.draw(st.integers(1, 5))
    some = st.lists(st.sets(st.integers(0, n - 1), min_size=1), min_size=1, max_size=4)
    singles = st.just([{cell} for cell in range(n)])
    target, steps = data.draw(st.one_of(some, singles)), data.draw(st.integers(1, 3))
    stated = [(data.draw(st.one_of(some, singles)), data.draw(st.integers(1, 2))) for _ in range(2)]
    kept = [data.draw(st.sets(st.integers(0, n - 1))) for _ in stated]
    mechanisms = [
        reads(sorted(f), single(*map(sorted, by), steps=m)) for f, (by, m) in zip(kept, stated, strict=True)
    ]
    found = cover(cells(n), single(*map(sorted, target), steps=steps), *mechanisms)
    vectors = set()
    for changed in subsets(range(n)):
        if changed and fewest(target, changed) <= steps:
            r = (-(-fewest(by, changed & f) // m) for f, (by, m) in zip(kept, stated, strict=True))
            vectors.add(tuple(r))
    assert as_vectors(found, 2) == maximal(vectors)


def subsets(some: Any) -> Iterator[set[int]]:
    every = list(some)
    for size in range(len(every) + 1):
        yield from map(set, combinations(every, size))


FAR = 10**6


def fewest(blocks: Sequence[set[int]], wanted: set[int]) -> int:
    """The fewest blocks that cover some cells, by going through all choices."""
    if not wanted:
        return 0
    for many in range(1, len(blocks) + 1):
        if any(wanted <= set().union(*chosen) for chosen in combinations(blocks, many)):
            return many
    return FAR


def maximal(vectors: set[tuple[int, ...]]) -> set[tuple[int, ...]]:
    found = {tuple(FAR if r >= FAR // 10 else r for r in one) for one in vectors}
    return {
        one
        for one in found
        if not any(one != other and all(a <= b for a, b in zip(one, other, strict=True)) for other in found)
    }


def as_vectors(found: Cover, k: int) -> set[tuple[int, ...]]:
    vectors = set()
    for type in found.types:
        far = {i: r for i, ((_, r),) in type.moves}
        vectors.add(
            tuple(
                0 if i not in far else FAR if far[i].kind == "oo" else int(far[i].of[0])
                for i in range(1, k + 1)
            )
        )
    return vectors


def test_largest_unions_keep_one_of_those_that_can_be_exchanged() -> None:
    every = [frozenset({cell}) for cell in range(6)]
    assert largest_unions(every, 2, lambda cell: ("M",), 100) == [frozenset({0, 1})]
    assert fewest_blocks(by_cell([frozenset({1}), frozenset({2})]), frozenset({3})) is None


# lists


def test_groups_of_steps_do_not_pass_through_maps() -> None:
    """a – x and y – b, where x and y are read alike: two steps lead from a to x and from y to b, none from a
    to b, so that what is read of a and b is two groups of two steps apart; one by one it would be one."""
    steps = {"single": [[0, 1], [2, 3]], "steps": 2}
    target = {"single": [[0, 3]], "steps": 1}
    f = [0, 1, 1, 2]
    assert moves(cover(listed(4), target, reads(f, steps, "common"))) == {"1:2"}
    assert moves(cover(listed(4), target, reads(None, steps, "common"))) == {"1:oo"}
    own = {"single": [[0, 1], [1, 2]], "steps": 2}
    assert moves(cover(listed(4), target, reads(f, own))) == {"1:1"}


def test_distances_on_lists() -> None:
    line = {"single": [[0, 1], [1, 2], [2, 3]], "steps": 1}
    found = cover(listed(4), group(2, line), reads(None, line), reads([0, 0, 1, 1], line, "common"))
    assert moves(found) == {"1:2 2:1"} and found.types[0].pair == (0, 2)
    assert moves(cover(listed(4), ANY_TWO, reads(None, line), reads([0, 0, 1, 0], ANY_TWO))) == {
        "1:3",
        "1:2 2:1",
    }
    apart = {"single": [[0, 1]], "steps": 1}
    assert moves(cover(listed(4), line, reads(None, apart))) == {"1:oo"}
    assert moves(cover(listed(4), line, asks([0, 0, 1, 1], "bit", "randomized-response"))) == {"1:1"}
    with pytest.raises(NoCover, match="databases are listed"):
        cover(listed(4), line, asks(None, "count"))


@settings(max_examples=80, deadline=None, derandomize=True, database=None)
@given(st.data())
def test_covers_of_lists_against_enumeration(data: st.DataObject) -> None:
    """Distances by their definition: the relation of groups first, then its image, then the fewest steps."""
    n = data.draw(st.integers(1, 6))
    number = st.integers(0, n - 1)
    some = st.lists(st.lists(number, min_size=2, max_size=2), max_size=6)
    target, m = data.draw(some), data.draw(st.integers(1, 3))
    stated, groups = data.draw(some), data.draw(st.integers(1, 3))
    values = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    first = {x: i for i, x in enumerate(dict.fromkeys(values))}
    f = [first[x] for x in values]
    common = reads(f, {"single": stated, "steps": groups}, "common")
    identity = reads(None, {"single": stated, "steps": groups})
    found = cover(listed(n), {"single": target, "steps": m}, common, identity)
    near = distances(n, target)
    powers = {(x, y) for (x, y), r in distances(n, stated).items() if 0 < r <= groups}
    pushed = distances(n, [(f[x], f[y]) for x, y in powers])
    whole = distances(n, stated)
    vectors = {
        (pushed[f[x], f[y]], -(-whole[x, y] // groups))
        for x, y in product(range(n), repeat=2)
        if 0 < near[x, y] <= m
    }
    assert as_vectors(found, 2) == maximal(vectors)


def distances(n: int, pairs: Iterable[Sequence[int]]) -> dict[tuple[int, int], int]:
    """The fewest steps between all numbers."""
    beside: dict[int, set[int]] = {x: set() for x in range(n)}
    for x, y in pairs:
        if x != y:
            beside[x].add(y)
            beside[y].add(x)
    found = {}
    for x in range(n):
        reached, waiting = {x: 0}, deque([x])
        while waiting:
            at = waiting.popleft()
            for y in beside[at] - reached.keys():
                reached[y] = reached[at] + 1
                waiting.append(y)
        found |= {(x, y): reached.get(y, FAR) for y in range(n)}
    return found


# steps


def test_own_steps() -> None:
    anything = {"kind": "steps", "shown": ""}
    assert moves(cover(anything, group(5, STEP), reads(None, group(2, STEP)), reads(None, STEP))) == {
        "1:3 2:5"
    }
    for target, stated in ((ANY_TWO, STEP), (STEP, ANY_TWO)):
        with pytest.raises(NoCover):
            cover(anything, target, reads(None, stated))


# limits


@pytest.mark.parametrize(
    "made",
    [
        lambda: cover(
            multisets(ONE, size=("at most", 10**6)),
            group(10**6, ADD_REMOVE),
            reads(None, group(2, ADD_REMOVE)),
        ),
        lambda: cover(multisets(ONE, size=("exactly", 10**9)), REPLACE, reads(None, REPLACE)),
        lambda: cover(multisets(ONE, size=("exactly", 10**9)), ANY_TWO, reads(None, ANY_TWO)),
        lambda: cover(multisets(ONE, size=("at most", 10**9)), ANY_TWO, reads(None, REPLACE)),
        lambda: cover(listed(10_000), ANY_TWO, reads(None, ANY_TWO)),
        lambda: cover(cells(60), single(*([n, n + 1] for n in range(50)), steps=6), reads(None, ANY_TWO)),
    ],
)
def test_too_much_to_go_through_is_refused_at_once(made: Callable[[], Cover]) -> None:
    with pytest.raises(NoCover):
        made()


# pages


def test_pages_that_state_no_metric_are_missed() -> None:
    from dpcompose.kernel.library.theory import NoPage, Theory

    on = core(multisets(ONE), ADD_REMOVE, reads(None, ADD_REMOVE))
    for id in ("unbounded-metric", "edit-types"):
        without = Theory({key: page for key, page in told.THEORY.pages.items() if key != id})
        with pytest.raises(NoPage, match="no page"):
            covers.cover(on, without)
