"""Attributes and distances beside any number of parts: by hand, and against universes that are written out."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import oracle
import pytest
import sympy
from language.letters import evaluate
from problem_data import on_parts, optimal_bound
from shares import seeds
from universes import LETTERS, Membership, Policy, Reads, Universe, losses_of, values_of

from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems
from dpcompose.search.guarantees import NoGuarantee

F = Fraction
PEOPLE = {"age": ["young", "old"], "town": ["n", "s"], "name": "any"}
GRANULARITIES = {
    "label": {"replace": {"changes": ["age"]}},
    "town": {"replace": {"keeps": ["town"]}},
    "one": {"replace": {"one-of": "all"}},
    "stay": {"replace": {"within": "P"}},
}


def parts(*given: Any, **more: Any) -> dict[str, Any]:
    """A family on k parts of people with attributes."""
    data = on_parts(GRANULARITIES, *given, **more)
    data["databases"]["attributes"] = PEOPLE
    return data


@pytest.mark.whole
@pytest.mark.parametrize(
    ("target", "stated", "domain", "most", "bound"),
    [
        # a record becomes one of another part
        ("label", "label", "common", "", "top(2, e[i], i, 1, k)"),
        ("label", "one", "common", "", "top(2, e[i], i, 1, k)"),
        ("one", "one", "common", "2", "top(4, e[i], i, 1, k)"),
        ("label", "unbounded", "own", "", "2*max(e[i], i, 1, k)"),
        # all who have the same name and town lie in one part: nothing leads out of it
        ("town", "label", "common", "", "oo"),
        ("label", "label", "own", "", "oo"),
        # age, town and name one after the other: all but the last step within the part of the first
        ("bounded", "one", "common", "", "2*max(e[i], i, 1, k) + top(2, e[i], i, 1, k)"),
        ("town", "one", "common", "", "max(e[i], i, 1, k) + top(2, e[i], i, 1, k)"),
        ("bounded", "one", "own", "", "oo"),
        # within a part all steps are
        ("stay", "one", "common", "", "3*max(e[i], i, 1, k)"),
        ("stay", "stay", "own", "", "max(e[i], i, 1, k)"),
        ("label", "stay", "common", "", "oo"),
        # groups
        ({"group": 2, "of": "label"}, "label", "common", "", "2*top(2, e[i], i, 1, k)"),
        ({"group": "m", "of": "town"}, "one", "common", "", "m*max(e[i], i, 1, k) + m*top(2, e[i], i, 1, k)"),
    ],
)
def test_attributes_by_hand(target: Any, stated: Any, domain: str, most: str, bound: str) -> None:
    assert formulas.to_text(optimal_bound(parts(target, stated, domain, most, m="integer >= 1"))) == bound


@pytest.mark.parametrize(
    ("target", "stated", "domain", "bound"),
    [
        ("2", "2", "common", "top(2, e[i], i, 1, k)"),
        ("2", "3", "common", "top(2, e[i], i, 1, k)"),
        ("2", "unbounded", "own", "2*max(e[i], i, 1, k)"),
        ("3", "2", "common", "depends on where records lie through which steps of its guarantee lead"),
    ],
)
def test_distances_by_hand(target: str, stated: str, domain: str, bound: str) -> None:
    data = parts(target, stated, domain)
    age = {"reals": [0, 50]} if target == stated else {"integers": "all"}
    data["databases"] |= {"attributes": {"age": age, "town": ["n"] if target == stated else ["n", "s"]}}
    near = {n: {"replace": {"within-distance": n, "norm": "L1", "of": ["age"]}} for n in "123"}
    data["granularities"] = near
    try:
        assert formulas.to_text(optimal_bound(data)) == bound
    except NoGuarantee as error:
        assert bound in str(error)


@pytest.mark.parametrize("age", [["young", "old"], {"integers": [0, 9]}])
def test_few_records_do_not_make_any_number_of_parts(age: Any) -> None:
    data = parts("label", "label")
    data["databases"] |= {"attributes": {"age": age}}
    data["granularities"] = {"label": GRANULARITIES["label"]}
    with pytest.raises(problems.ProblemError, match="needs any number of records"):
        problems.read_data(data)


def test_two_guarantees_of_which_either_depends_on_where_others_lie() -> None:
    """All who are one step of the first from x lie with it, or all one step of the second from y with y."""
    data = parts("bounded", "one")
    data["granularities"]["two"] = {"replace": {"changes": ["age", "town"]}}
    other = {
        "notion": "pure",
        "epsilon": "f[i]",
        "granularity": {"union": ["two", "one"]},
        "domain": "common",
    }
    data["mechanisms"].append(data["mechanisms"][0] | {"name": "N", "guarantee": other})
    with pytest.raises(NoGuarantee, match="of which there is any number"):
        Study(problems.read_data(data).setting).guarantee()


def test_what_is_not_convex_is_not_told_by_the_ends_of_a_way() -> None:
    data = parts("bounded", "one", values={"notion": "approximate", "epsilon": "e[i]", "delta": "d[i]"})
    with pytest.raises(NoGuarantee, match="no common factor"):
        Study(problems.read_data(data).setting).guarantee()


@dataclass(frozen=True)
class Blocks(Policy):
    """Records that are equal but for some attributes: of one of some sets of these."""

    blocks: tuple[frozenset[int], ...] = ()

    def joins(self, x: str, y: str, held: Mapping[str, Membership], names: Sequence[str]) -> bool:
        changed = {n for n, (a, b) in enumerate(zip(x.split("-"), y.split("-"), strict=True)) if a != b}
        return bool(changed) and any(changed <= block for block in self.blocks)


class Draw:
    """A setting at random: its file, and the same for universes of people with an age, or a town too, and one
    of four names; each part and what is not in it has two at least."""

    def __init__(self, seed: int) -> None:
        rng = self.rng = random.Random(seed)
        self.k, self.many = rng.choice([(2, 1), (2, 1), (3, 1), (2, 2)])
        names = "01234" if self.k == 2 else "012345"
        self.rows = ["-".join(row) for row in product(*["01"] * self.many, names)]
        self.words: dict[Policy, Any] = {}
        self.target = self.policy()
        stated = [self.target if rng.random() < 0.3 else self.policy() for _ in range(rng.choice([1, 1, 2]))]
        self.reads = [Reads("P", one, 1, rng.choice(["own", "common", "common"])) for one in stated]
        if rng.random() < 0.3:
            read = frozenset(row for row in self.rows if row[0] == "0")
            self.reads.append(Reads(read, self.policy(), 1, rng.choice(["own", "common"])))

    def policy(self) -> Policy:
        rng, names = self.rng, [*"ab"[: self.many], "name"]
        alone = "all" if rng.random() < 0.25 else ()
        every = range(len(names))
        some = sorted(rng.sample(every, rng.randint(1, len(names))))
        word = rng.choice(["changes", "one-of", "one-of", "both"])
        blocks = [frozenset(some)] if word == "changes" else [frozenset({n}) for n in some]
        replace: Any = {"one-of" if word == "both" else word: [names[n] for n in some]}
        if word == "both" and len(names) > 2:
            blocks, replace = [frozenset({0, 2}), frozenset({1})], None
        found = Blocks("", alone, tuple(blocks))
        self.words[found] = replace
        return found

    def data(self) -> dict[str, Any]:
        granularities: dict[str, Any] = {}
        for n, (one, replace) in enumerate(self.words.items()):
            more = {"add-remove": "all"} if one.alone else {}
            granularities[f"x{n}"] = {"replace": replace} | more
            if replace is None:
                granularities |= {f"y{n}": {"replace": {"changes": ["a", "name"]}} | more}
                granularities |= {f"z{n}": {"replace": {"changes": ["b"]}}}
                del granularities[f"x{n}"]
        named = {
            one: {"union": [f"y{n}", f"z{n}"]} if replace is None else f"x{n}"
            for n, (one, replace) in enumerate(self.words.items())
        }
        mechanisms = []
        for n, read in enumerate(self.reads):
            epsilon = f"{LETTERS[n]}[i]" if read.of == "P" else "x"
            guarantee = {"notion": "pure", "granularity": named[read.stated], "epsilon": epsilon}
            found: dict[str, Any] = {"name": f"M{n}", "guarantee": guarantee | {"domain": read.domain}}
            part = {"index": "i", "count": "k", "reads": {"part": "i", "of": "P"}}
            mechanisms.append(found | (part if read.of == "P" else {"reads": {"where": {"a": ["0"]}}}))
        attributes = {**{name: ["0", "1"] for name in "ab"[: self.many]}, "name": "any"}
        return {
            "format": 1,
            "parameters": {"k": "integer >= 2"},
            "databases": {"kind": "multisets", "attributes": attributes},
            "granularities": granularities,
            "partitions": {"P": {"kind": "record-wise", "parts": "k"}},
            "target": {"granularity": named[self.target]},
            "mechanisms": mechanisms,
        }

    def placed(self) -> Iterator[dict[str, int]]:
        """Where rows lie: two of them anywhere, most of the others in one place; or all anywhere."""
        places = range(self.k + 1)
        for _ in range(12):
            yield {row: self.rng.choice(places) for row in self.rows}
        ends = {row[:-1]: row for row in self.rows if row[-1] in "01"}
        for x, y in product([self.rows[0]], [*ends.values(), *self.rows[1:2]]):
            for at, i, j in product(places, places, places):
                found = dict.fromkeys(self.rows, at) | {x: i, y: j}
                for end in (x, y):  # those that are like an end but for the name fill the other parts
                    others = [row for row in self.rows if row[:-1] == end[:-1] and row not in (x, y)]
                    empty = [p for p in places[1:] if list(found.values()).count(p) < 2]
                    yield found | dict(
                        zip(others, [p for p in empty for _ in (1, 2)][: len(others)], strict=False)
                    )

    def universes(self) -> Iterator[Universe]:
        for places in self.placed():
            counts = [[*places.values()].count(p) for p in range(1, self.k + 1)]
            if min(counts) >= 2 <= len(self.rows) - max(counts):
                held = {row: (frozenset({p} - {0}),) for row, p in places.items()}
                yield Universe(held, ("P",), {"P": self.k}, ("any", 1))


@seeds(4, 300)
def test_bounds_are_the_worst_of_all_universes(seed: int) -> None:
    drawn = Draw(seed)
    try:
        study = Study(problems.read_data(drawn.data()).setting)
        epsilon = study.guarantee().epsilon
    except NoGuarantee as error:
        pytest.skip(str(error))
    losses = losses_of(drawn.reads, drawn.k, drawn.rng)
    point = values_of(drawn.reads, drawn.k, losses)
    bound = oracle.INFINITY if epsilon is sympy.oo else evaluate(epsilon, point)
    worst = max(one.largest(drawn.target, 1, drawn.reads, losses) for one in drawn.universes())
    assert study.bound.optimal and worst == bound, drawn.data()
