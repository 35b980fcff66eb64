"""Policies beside any number of parts: by hand, and against universes that are written out, the worst of them."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import partial
from typing import Any

import oracle
import pytest
import sympy
from language.letters import evaluate
from problem_data import on_parts, optimal_bound
from shares import seeds
from universes import LETTERS, Policy, Reads, Universe, losses_of, poorest, universes, values_of

from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems
from dpcompose.search.guarantees import NoGuarantee

F = Fraction
WITHIN = {"replace": {"within": "P"}}
GRANULARITIES = {
    "stay": WITHIN,
    "come": WITHIN | {"add-remove": "all"},
    "swap": {"replace": [["a", "b"]]},
    "visitor": {"add-remove": ["a"]},
    "either": {"replace": "all", "add-remove": ["a"]},
    "path": {"replace": [["a", "b"], ["b", "c"]]},
    "skip": {"replace": [["a", "c"]]},
}
COUNTS = {"P": "k", "Q": "l"}
parts = partial(on_parts, GRANULARITIES)
"""A family on k parts; "stay" neighbours move within them."""


@pytest.mark.whole
@pytest.mark.parametrize(
    ("target", "stated", "domain", "most", "bound"),
    [
        # two records of one part: only it changes
        ("stay", "stay", "common", "", "max(e[i], i, 1, k)"),
        ("stay", "stay", "own", "", "max(e[i], i, 1, k)"),
        ("come", "come", "own", "", "max(e[i], i, 1, k)"),
        # one goes and another one comes, in one part
        ("stay", "unbounded", "own", "", "2*max(e[i], i, 1, k)"),
        # for three people these are three moves, in one part at worst
        ({"group": 3, "of": "stay"}, "stay", "common", "", "3*max(e[i], i, 1, k)"),
        # of two parts each has one in common
        ("stay", "stay", "common", "2", "top(3, e[i], i, 1, k)"),
        ("stay", "bounded", "common", "3", "top(5, e[i], i, 1, k)"),
        # nothing is promised of who moves to another part, comes or goes
        ("bounded", "stay", "common", "", "oo"),
        ("unbounded", "stay", "common", "", "oo"),
        # a and b may be in any two parts, or in as many as hold a record
        ("swap", "swap", "common", "", "top(2, e[i], i, 1, k)"),
        ("swap", "bounded", "common", "2", "top(4, e[i], i, 1, k)"),
        ("swap", "swap", "own", "", "oo"),
        # ... also in the same: then one goes and the other one comes there
        ("swap", "unbounded", "own", "2", "2*top(2, e[i], i, 1, k)"),
        ("visitor", "visitor", "own", "", "max(e[i], i, 1, k)"),
        ("either", "either", "common", "", "top(2, e[i], i, 1, k)"),
        # in a universe in which nobody is in both parts no steps within parts lead from the one to the other
        ("bounded", "stay", "common", "2", "oo"),
        # by way of a, if a is in the same part, and it may be in another one
        ("either", "either", "own", "", "oo"),
        # a may go where b is in another part, else nothing is promised
        ("visitor", "swap", "common", "", "oo"),
        # from a to c by way of b, which may be with a: two steps, of which the part of c sees the last
        ("skip", "path", "common", "", "max(e[i], i, 1, k) + top(2, e[i], i, 1, k)"),
        ("path", "path", "common", "", "top(2, e[i], i, 1, k)"),
        # groups
        ({"group": 2, "of": "swap"}, "swap", "common", "", "2*top(2, e[i], i, 1, k)"),
        ({"group": "m", "of": "path"}, "path", "common", "2", "m*top(4, e[i], i, 1, k)"),
        ({"group": "m", "of": "stay"}, "stay", "common", "2", "m*top(3, e[i], i, 1, k)"),
        ({"group": 3, "of": "stay"}, "stay", "own", "2", "oo"),
    ],
)
def test_within_parts_by_hand(target: Any, stated: Any, domain: str, most: str, bound: str) -> None:
    assert formulas.to_text(optimal_bound(parts(target, stated, domain, most, m="integer >= 1"))) == bound


def test_named_records_are_read_besides() -> None:
    """b becomes another record: who reads b sees it, and the parts of both."""
    data = parts("bounded", "bounded")
    guarantee = {"notion": "pure", "epsilon": "f", "granularity": "bounded", "domain": "common"}
    data["mechanisms"].append({"name": "N", "reads": {"records": ["b"]}, "guarantee": guarantee})
    assert formulas.to_text(optimal_bound(data)) == "f + top(2, e[i], i, 1, k)"
    data["target"] = {"granularity": "unbounded"}
    assert formulas.to_text(optimal_bound(data)) == "f + max(e[i], i, 1, k)"


def test_what_is_counted_in_a_part_does_not_change_within_it() -> None:
    """A count in each part stays; a sum of values up to u changes by u."""
    for query, bound in (("count", "0"), ({"sum": ["0", "u"]}, "max(e[i], i, 1, k)")):
        noise = {"query": query, "noise": {"laplace": "1/e[i]" if query == "count" else "u/e[i]"}}
        data = parts("stay", "stay")
        data["mechanisms"][0].pop("guarantee")
        data["mechanisms"][0] |= noise
        assert str(Study(problems.read_data(data).setting).guarantee()).count(bound)


def test_a_move_to_another_part_is_shown() -> None:
    """The hypothesis that nobody moves to another part, broken: two parts change by a step that is none."""
    data = parts("bounded", "stay") | {"claims": [{"notion": "pure", "epsilon": "sum(e[i], i, 1, k)"}]}
    read = problems.read_data(data)
    found = Study(read.setting).check(read.claims[0]).counterexample
    assert found is not None and found.actual is None
    assert (found.D, found.E) == (("P1",), ("P2",))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"within": "Q"}, "there is no partition 'Q'; there is P"),
        ({"unread": True}, "move within the parts of P, which no mechanism reads"),
        ({"size": "= 2", "kind": "sets"}, "record-wise partitions and overlapping parts divide multisets"),
        ({"most": "m"}, "a number would do"),
        ({"target": "free-lunch", "stated": "swap"}, "neighbours by steps of edits or a policy"),
    ],
)
def test_what_is_not_said_is_refused(changes: dict[str, Any], message: str) -> None:
    how = changes.get("stated", "stay"), changes.get("domain", "common"), changes.get("most", "")
    data = parts(changes.get("target", "stay"), *how, m="integer >= 1")
    if "within" in changes:
        data["granularities"] = {"stay": {"replace": {"within": changes["within"]}}}
    if "kind" in changes:
        data["databases"] = {"kind": changes["kind"], "records": ["a", "b"]}
    if "unread" in changes:
        data["mechanisms"][0].pop("reads")
        data["mechanisms"][0]["guarantee"].pop("domain")
    with pytest.raises((problems.ProblemError, NoGuarantee), match=message):
        Study(problems.read_data(data).setting).guarantee()


def test_where_others_lie_across_poorer_universes_lose_more() -> None:
    """Why the bound is oo: a record of part 1 goes to part 2, and is read in the parts of Q.

    Where part 1 has records inside and outside of the part of Q, a step leads out of it; else none does.
    """
    across, target = [Reads("Q", Policy("P"))], Policy("all")
    lost = [[F(1), F(1)]]
    kinds = [(p, q) for p in (1, 2) for q in (1, 2)]

    def universe(there: list[tuple[int, int]]) -> Universe:
        held = {f"{p}{q}{copy}": (frozenset({p}), frozenset({q})) for p, q in there for copy in "ab"}
        return Universe(held, ("P", "Q"), {"P": 2, "Q": 2}, ("<=", 1))

    assert universe(kinds).largest(target, 1, across, lost) == 2
    assert universe([(1, 1), (2, 2)]).largest(target, 1, across, lost) == oracle.INFINITY


class Draw:
    """A setting at random: its file, and the same for the universes."""

    def __init__(self, seed: int) -> None:
        rng = self.rng = random.Random(seed)
        two = rng.random() < 0.3
        self.records = () if two or rng.random() < 0.6 else ("a", "b")
        self.most = 1 if two else rng.choice([1, 1, 2])
        self.k = 2 if two or self.records else rng.choice([2, 3])
        self.names = ("P", "Q") if two else ("P",)
        self.target, self.steps = self.policy(), rng.choice([1, 1, 1, 2])
        self.size: Any = rng.choice([("any", 2), ("any", 2), ("<=", 2), ("=", 2), ("<=", 1)])
        self.reads = [self.reading("P"), *map(self.reading, self.names[1:])]
        others = [*self.names, "", *self.records[:1]]
        self.reads += [self.reading(rng.choice(others)) for _ in range(rng.randint(0, 1))]
        self.granularities: dict[str, Policy] = {}
        self.data = self.file()

    def policy(self) -> Policy:
        replace, alone = self.rng.choice([*self.names, *self.names, "all", ""]), self.rng.choice(["all", ()])
        if self.records and self.rng.random() < 0.6:
            replace, alone = (frozenset(self.records),), self.rng.choice(["all", (), ("a",)])
        return Policy(replace, alone if replace else "all")

    def reading(self, of: str) -> Reads:
        stated = self.target if self.rng.random() < 0.5 else self.policy()
        domain = self.rng.choice(["own", "common"]) if of else "own"
        return Reads(of, stated, self.rng.choice([1, 1, 1, 2]), domain)

    def named(self, policy: Policy, steps: int) -> Any:
        """A granularity as the file says it."""
        known = next((name for name, one in self.granularities.items() if one == policy), "")
        name = known or f"x{len(self.granularities)}"
        self.granularities[name] = policy
        return name if steps == 1 else {"group": steps, "of": name}

    def file(self) -> dict[str, Any]:
        kind = {"kind": "record-wise"} if self.most == 1 else {"kind": "overlapping", "at-most": "2"}
        word, n = self.size
        mechanisms = []
        for at, one in enumerate(self.reads):
            guarantee = {"notion": "pure", "granularity": self.named(one.stated, one.steps)}
            guarantee["epsilon"] = f"{LETTERS[at]}[i]" if one.of in self.names else "x"
            guarantee |= {"domain": one.domain} if one.of else {}
            found: dict[str, Any] = {"name": f"M{at}", "guarantee": guarantee}
            if one.of in self.records:
                found["reads"] = {"records": [one.of]}
            elif one.of:
                found |= {"index": "i", "count": COUNTS[one.of], "reads": {"part": "i", "of": one.of}}
            mechanisms.append(found)
        target = self.named(self.target, self.steps)
        return {
            "format": 1,
            "parameters": {"k": "integer >= 2", "l": "integer >= 2"},
            "databases": {"kind": "multisets", "size": word if word == "any" else f"{word} {n}"},
            "granularities": {name: one.data() for name, one in self.granularities.items()},
            "partitions": {name: {**kind, "parts": COUNTS[name]} for name in self.names},
            "target": {"granularity": target},
            "mechanisms": mechanisms,
        }


@seeds(12, 300)
def test_bounds_are_the_worst_of_all_universes(seed: int) -> None:
    drawn = Draw(seed)
    try:
        study = Study(problems.read_data(drawn.data).setting)
        epsilon = study.guarantee().epsilon
    except (problems.ProblemError, NoGuarantee) as error:
        pytest.skip(str(error))
    losses = losses_of(drawn.reads, drawn.k, drawn.rng)
    point = values_of(drawn.reads, drawn.k, losses)
    bound = oracle.INFINITY if epsilon is sympy.oo else evaluate(epsilon, point)
    partitions = {name: (drawn.k, drawn.most) for name in drawn.names}

    about = partitions, drawn.records, drawn.size, drawn.rng
    every = (
        *universes(*about, some=6),
        *universes(*about, some=3, poor=True),
        *poorest(*about, some=30, ends=2 if drawn.steps == 1 else 3),
    )
    worst = max(one.largest(drawn.target, drawn.steps, drawn.reads, losses) for one in every)
    assert study.bound.optimal and worst == bound, drawn.data
