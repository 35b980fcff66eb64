"""All mistakes of a file at once, of form and of meaning; and none that only follows from another."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.front import files
from dpcompose.privacy import problems
from dpcompose.privacy.format.checks import Place
from dpcompose.privacy.problems import ProblemError
from dpcompose.privacy.rereading import at, changed

WRONG = """\
format = 1
[parameters]
d = "in (0,2"
[databases]
kind = "multiset"
records = ["a", "b"]
[target]
granularity = "boundd"
[[mechanisms]]
name = "M1"
reads = { records = ["c"] }
guarantee = { notion = "pur", epsilon = "e1", granularity = "bounded", domain = "common" }
[[mechanisms]]
name = "M2"
reads = { map = "f" }
guarantee = { notion = "pure", epsilon = "e2 +", granularity = "edit", domain = "common" }
[[mechanisms]]
name = "M2"
query = "median"
noise = { laplace = "1/e1" }
[[claims]]
notion = "pure"
epsilon = "max(e1, x)"
[[claims]]
notion = "pur"
epsilon = "max(e1, e2"
[[claims]]
notion = "pure"
epsilom = "max(e1, e2)"
"""
TOLD = """\
parameters.d (line 3): 'in (0,2' is no domain
databases.kind (line 5): there is no kind 'multiset'; did you mean 'multisets'?
target.granularity (line 8): there is no granularity 'boundd'; did you mean 'bounded'?
mechanisms.1.reads (line 11): 'c' is no record of the class; there is a, b
mechanisms.1.guarantee (line 12): there is no notion 'pur'; did you mean 'pure'?
mechanisms.2.reads (line 15): there is no map 'f'
mechanisms.2.guarantee (line 16): there is no granularity 'edit'
mechanisms.2.guarantee (line 16): a value is missing after '+'
mechanisms.3.name (line 18): two mechanisms are called 'M2'
mechanisms.3.query (line 19): input should be 'count', 'bit' or a table
claims.1.epsilon (line 23): unknown name 'x'
claims.2.notion (line 25): there is no notion 'pur'; did you mean 'pure'?
claims.2.epsilon (line 26): this ( is never closed
claims.3.epsilom (line 29): there is no key 'epsilom' here; did you mean 'epsilon'?
"""


def told(text: str) -> list[str]:
    with pytest.raises(ProblemError) as caught:
        dpc.loads(text)
    return [str(one) for one in caught.value.mistakes]


def test_fourteen_mistakes_of_all_kinds_at_once() -> None:
    some = told(WRONG)
    for line in TOLD.splitlines():
        where, _, said = line.partition(": ")
        place, _, number = where.partition(" ")
        assert any(one.startswith(place) and f"{number}: {said}" in one for one in some), line
    assert len(some) == 14


RIGHT = """\
format = 1
[databases]
kind = "multisets"
records = ["a", "b"]
[maps.f]
recode = { a = "A" }
[target]
granularity = "bounded"
[[mechanisms]]
name = "M"
reads = { map = "f" }
guarantee = { notion = "pure", epsilon = "e", granularity = "bounded", domain = "common" }
[[mechanisms]]
name = "N"
guarantee = { notion = "approximate", epsilon = "f", delta = "d", granularity = "bounded" }
[[claims]]
notion = "approximate"
epsilon = "e + f"
delta = "d"
"""


@pytest.mark.parametrize(
    "old, new, count",
    [
        ('notion = "pure", epsilon = "e"', 'epsilon = "e"', 1),
        ('epsilon = "f", delta', "delta", 1),  # and claims may say f
        ('epsilon = "e"', 'epsilon = ["e"]', 1),
        ('recode = { a = "A" }', 'recode = ["A"]', 1),  # and M reads f
        ('kind = "multisets"', 'kind = "heaps"', 1),  # and a, b, f and the neighbours may be right there
        ('[target]\ngranularity = "bounded"', "", 1),
        ('name = "M"', "name = 1", 1),
        ("[[claims]]\n", "[[claims]]\nwhy = 1\n", 1),
        ("format = 1", "format = 2", 1),
        ('notion = "approximate"\nepsilon = "e + f"', 'notion = "approx"\nepsilon = "e + g"', 2),
        ('guarantee = { notion = "pure"', 'filter = 1\nguarantee = { notion = "pure"', 1),
    ],
)
def test_nothing_follows_from_a_mistake(old: str, new: str, count: int) -> None:
    text = RIGHT.replace(old, new)
    assert text != RIGHT and len(told(text)) == count, told(text)
    beside = text + '[[claims]]\nnotion = "pure"\nepsilon = "2*("\n'
    assert len(told(beside)) == count + 1, "a formula that is none is told all the same"


def spoil(data: Mapping[str, Any], path: Place, way: str) -> Any:
    """Data with a mistake at a path."""
    value = at(data, path)
    if way == "name":
        return changed(data, path, "zzz")
    if way == "key":
        return changed(changed(data, path, None), (*path[:-1], f"{path[-1]}x"), value)
    return changed(data, path, {"typo": str(value)[:-1], "formula": f"{value} +", "kind": [1]}.get(way))


def leaves(value: Any, path: Place = ()) -> list[Place]:
    inside: Mapping[Any, Any] = value if isinstance(value, dict) else {}
    inside = dict(enumerate(value)) if isinstance(value, list) else inside
    return [leaf for key, one in inside.items() for leaf in leaves(one, (*path, key))] or [path]


def places(data: Any) -> set[Place]:
    try:
        dpc.loads(files.toml(data))
    except ProblemError as error:
        return {one.path for one in error.mistakes}
    except ValueError:
        return set()
    return set()


def two_at_random(rng: random.Random) -> tuple[int, int]:
    """How many pairs of mistakes were tried, 0 or 1, and how many told more than each by itself."""
    path = rng.choice(list(files.examples().values()))
    data: Any = problems.parsed(path.read_text(encoding="utf-8"))
    of: Callable[[Any], list[Place]] = lambda one: [leaf for leaf in leaves(one) if leaf[0] != "title"]  # noqa: E731
    ways = ["typo", "formula", "kind", "delete", "key", "name"]
    (one, way), (other, how) = ((leaf, rng.choice(ways)) for leaf in rng.sample(of(data), 2))
    if isinstance(one[-1], int) or isinstance(other[-1], int):
        return 0, 0
    apart = [places(spoil(deepcopy(data), one, way)), places(spoil(deepcopy(data), other, how))]
    if not all(apart):
        return 0, 0
    both = places(spoil(spoil(data, one, way), other, how))
    return 1, int(not both or not both <= apart[0] | apart[1])


def test_two_mistakes_tell_no_more_than_each() -> None:
    rng = random.Random(16)
    tried = [two_at_random(rng) for _ in range(40)]
    assert sum(n for n, _ in tried) >= len(tried) // 4
    assert sum(more for _, more in tried) <= 1  # which files are drawn changes with each new one


@pytest.mark.slow
def test_a_thousand_pairs_of_mistakes_tell_hardly_more() -> None:
    """What a reader itself tells as following, such as a map that is named nowhere, is told beside another."""
    rng = random.Random(7)
    tried = [two_at_random(rng) for _ in range(1_500)]
    assert sum(n for n, _ in tried) >= 500
    assert sum(more for _, more in tried) <= 5
