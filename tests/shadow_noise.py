"""Random settings with noise on queries, and with tables of probabilities, for the shadow run.

What noise loses is enumerated with the attributes of records written out; a table's rows say it themselves.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import comb
from typing import Any

import mpmath
import oracle
from enumerated import KEYS
from shadow_settings import MIXED, Data, Drawn
from shadow_truth import Member, Truth, value

LAWS = ("laplace", "geometric", "gaussian", "randomized-response", "exponential")
SIZES: Mapping[str, int | None] = {"any": None, "<= 2": 2, "= 2": 2, "= 3": 3}
TARGETS: Sequence[Any] = (
    "unbounded",
    "bounded",
    {"union": ["unbounded", "bounded"]},
    {"group": 2, "of": "unbounded"},
    {"group": 2, "of": "bounded"},
)
MOST_CHANGES = 20_000
Point = Mapping[str, Any]


# what is drawn


def parameter(law: str, rng: random.Random, i: int, numbers: bool) -> str:
    """A parameter for a noise."""
    if law == "randomized-response":
        return rng.choice(["3/4", "2/3", "9/10", "1/3", f"exp(e{i})/(1 + exp(e{i}))"])
    if law == "exponential":
        return rng.choice(["1/2", "1"] if numbers else [f"e{i}", f"2*e{i}", "1/2"])
    return rng.choice(["1", "2", "3/2"] if numbers else [f"1/e{i}", f"b{i}", f"2/e{i}", "1", "2"])


def asked(law: str, rng: random.Random, sized: bool) -> Any:
    """A query that goes with a noise; None: a bit, which need not be said."""
    if law == "randomized-response":
        return rng.choice([None, "bit"])
    if law == "geometric":
        return rng.choice(
            ["count", {"histogram": 2}, {"histogram": 3}, {"sum": ["0", "2"]}, {"sum": ["-1", "1"]}]
        )
    if law == "exponential":
        return rng.choice(["count", {"histogram": 2}, {"histogram": 4}])
    sums = [{"sum": one} for one in (["0", "1"], ["-1", "2"], ["l", "l + w"], ["0", "w"])]
    means = [{"mean": ["0", "1"]}, {"mean": ["-1", "2"]}, {"mean": ["0", "w"]}] if sized else []
    return rng.choice(["count", {"histogram": 1}, {"histogram": 3}, *sums, *means])


def guaranteed(notion: str, i: int, stated: Sequence[str], whole: bool, rng: random.Random) -> Data:
    """A guarantee of a notion, or of any where it is "mixed"."""
    kind = notion if notion != "mixed" else rng.choice(MIXED)
    found = {"notion": kind, **dict(zip(KEYS[kind], [f"e{i}", f"d{i}"], strict=False))}
    found["granularity"] = rng.choice(stated)
    return found if whole else found | {"domain": rng.choice(["own", "common"])}


def mechanism(
    notion: str, i: int, reads: Data | None, stated: Sequence[str], sized: bool, rng: random.Random
) -> Data:
    """A mechanism with noise, or with a guarantee beside others."""
    found: Data = {"name": f"M{i}"} | ({} if reads is None else {"reads": reads})
    if rng.random() < (0.5 if notion == "approximate" else 0.2):
        return found | {"guarantee": guaranteed(notion, i, stated, reads is None, rng)}
    laws = (
        ("gaussian",) if notion in ("zcdp", "gaussian") else LAWS if notion != "pure" else LAWS[:2] + LAWS[3:]
    )
    law = rng.choice(laws)
    query = asked(law, rng, sized)
    found["noise"] = {law: parameter(law, rng, i, rng.random() < 0.4)}
    return found if query is None else found | {"query": query}


def letters(mechanisms: Sequence[Data]) -> dict[str, str]:
    """The domains of the letters of queries, where some have them."""
    text = str([one.get("query") for one in mechanisms])
    return {
        name: words
        for name, words in {"l": "nonnegative", "w": "positive"}.items()
        if f"'{name}" in text or f" {name}'" in text
    }


def on_multisets(name: str, notion: str, rng: random.Random) -> Drawn:
    """Queries of multisets over two names."""
    size = rng.choice([*SIZES])
    mechanisms = []
    for i in range(1, rng.choice([1, 1, 2, 2, 3]) + 1):
        names = rng.choice([None, None, ["a"], ["b"], ["a", "b"]])
        reads = None if names is None else {"records": names}
        sized = size.startswith("=") and names is None
        mechanisms.append(mechanism(notion, i, reads, ("unbounded", "bounded"), sized, rng))
    problem: Data = {
        "format": 1,
        "databases": {"kind": "multisets", "records": ["a", "b"], "size": size},
        "parameters": letters(mechanisms),
        "target": {"granularity": rng.choice(TARGETS)},
        "mechanisms": mechanisms,
    }
    if rng.random() < 0.2:
        problem["adaptive"] = True
    return Drawn(name, notion, problem, truth_of_multisets(problem))


def on_streams(name: str, notion: str, rng: random.Random) -> Drawn:
    """Queries of streams of one length, at some steps."""
    n = rng.randint(2, 5)
    mechanisms = []
    for i in range(1, rng.choice([1, 2, 2, 3]) + 1):
        some = sorted(rng.sample(range(1, n + 1), rng.randint(1, n)))
        reads = rng.choice([None, {"positions": some}])
        one = mechanism(notion, i, reads, ("event", "bounded"), True, rng)
        if len(some) == 1 and reads is not None and rng.random() < 0.5 and notion in ("pure", "mixed"):
            one = {"name": f"M{i}", "reads": reads, "query": {"location": rng.choice(["w", "2"])}}
            one["noise"] = {"planar-laplace": rng.choice([f"1/e{i}", "2"])}
        mechanisms.append(one)
    problem: Data = {
        "format": 1,
        "databases": {"kind": "streams", "records": ["a", "b"], "size": f"= {n}"},
        "parameters": letters(
            [one if "location" not in str(one) else {"query": str(one)} for one in mechanisms]
        ),
        "target": {"granularity": rng.choice(["event", "bounded", {"w-event": 2}, {"w-event": 3}])},
        "mechanisms": mechanisms,
    }
    if "'w'" in str(mechanisms):
        problem["parameters"]["w"] = "positive"
    return Drawn(name, notion, problem, truth_of_streams(problem, n))


# what noise loses


def kind_of(one: Data) -> tuple[str, Any]:
    """The word of a query and what it says of it."""
    query = one.get("query", "bit")
    return (query, None) if isinstance(query, str) else next(iter(query.items()))


def members_of(one: Data) -> list[Member]:
    """A member for each entry of the value of a query; the exponential mechanism is one."""
    (law, text), (word, said) = next(iter(one["noise"].items())), kind_of(one)
    entries = said if word == "histogram" and law != "exponential" else 1
    return [Member("normal" if law == "gaussian" else law, (text,))] * entries


def counts(problem: Data) -> list[tuple[int, int]]:
    """How many records neighbours may lose and gain."""
    target, n = problem["target"]["granularity"], SIZES[problem["databases"]["size"]]
    steps = target["group"] if isinstance(target, dict) and "group" in target else 1
    single = target["of"] if steps > 1 else target
    several = [(a, b) for a in range(steps + 1) for b in range(steps + 1)]
    if single == "unbounded":
        found = [one for one in several if 1 <= sum(one) <= steps]
    elif single == "bounded":
        found = [(a, a) for a in range(1, steps + 1)]
    else:
        found = [(1, 0), (0, 1), (1, 1)]
    if problem["databases"]["size"].startswith("="):
        found = [(a, b) for a, b in found if a == b and single != "unbounded"]
    return [one for one in found if n is None or max(one) <= n]


def attributes(one: Data) -> list[Any]:
    """The values of a record's attribute that matter to a query."""
    word, said = kind_of(one)
    return list(said) if word in ("sum", "mean") else list(range(said)) if word == "histogram" else [0]


def truth_of_multisets(problem: Data) -> Truth | None:
    """Every way in which neighbours differ, each record with an attribute for each mechanism."""
    mechanisms = problem["mechanisms"]
    if any("noise" not in one for one in mechanisms):
        return None
    universe = list(product("ab", *(range(len(attributes(one))) for one in mechanisms)))
    ways = counts(problem)
    many = sum(comb(len(universe) + a - 1, a) * comb(len(universe) + b - 1, b) for a, b in ways)
    if many > MOST_CHANGES:
        return None

    @lru_cache(1)
    def changes() -> list[tuple[Any, ...]]:
        found: dict[tuple[Any, ...], None] = {}
        for a, b in ways:
            for left, right in product(*(combinations_with_replacement(universe, m) for m in (a, b))):
                if not set(left) & set(right):
                    found[
                        tuple(_change(i, one, left, right) for i, one in enumerate(mechanisms, start=1))
                    ] = None
        return list(found)

    n = SIZES[problem["databases"]["size"]]

    def vectors(at: Point) -> list[tuple[Any, ...]]:
        return [
            tuple(x for one, change in zip(mechanisms, row, strict=True) for x in _moved(one, change, n, at))
            for row in changes()
        ]

    return Truth(lambda at: [member for one in mechanisms for member in members_of(one)], vectors)


def _change(i: int, one: Data, left: Sequence[Any], right: Sequence[Any]) -> tuple[Any, ...]:
    """By how much the number of records read with each attribute changes, and whether what is read does."""
    kept = one.get("reads", {}).get("records", ["a", "b"])
    gone = Counter(record[i] for record in left if record[0] in kept)
    come = Counter(record[i] for record in right if record[0] in kept)
    return tuple(come[at] - gone[at] for at in range(len(attributes(one)))), bool(gone or come)


def _moved(one: Data, change: tuple[Any, ...], n: int | None, at: Point) -> list[Any]:
    """How far the entries of a query's value move."""
    by, whether = change
    (law, _), (word, _) = next(iter(one["noise"].items())), kind_of(one)
    if word == "bit":
        return [int(whether)]
    if word == "count":
        return [abs(sum(by)) if law != "exponential" else 0]
    if word == "histogram":
        return [max(by) - min(by)] if law == "exponential" else [abs(x) for x in by]
    with mpmath.workdps(50):
        total = mpmath.fsum(x * value(text, at) for x, text in zip(by, attributes(one), strict=True))
        return [abs(total) / (n if word == "mean" and n is not None else 1)]


def truth_of_streams(problem: Data, n: int) -> Truth | None:
    """At each window of steps all records that are read move all queries as far as they can, jointly."""
    mechanisms = problem["mechanisms"]
    if any("noise" not in one for one in mechanisms):
        return None
    target = problem["target"]["granularity"]
    w = target["w-event"] if isinstance(target, dict) else 1
    windows = [range(first, min(first + w, n + 1)) for first in range(1, n + 1)]

    def moved(one: Data, window: range, at: Point) -> list[Any]:
        (law, _), (word, said) = next(iter(one["noise"].items())), kind_of(one)
        read = one.get("reads", {}).get("positions", list(range(1, n + 1)))
        m = len(set(read) & set(window))
        if word == "bit":
            return [int(m > 0)]
        if word == "histogram":
            both = [m, m, *[0] * said][:said] if said > 1 else [0]
            return [2 * m if said > 1 else 0] if law == "exponential" else both
        if word == "count":
            return [0]
        with mpmath.workdps(50):
            if word == "location":
                return [value(str(said), at) if m else 0]
            low, high = (value(text, at) for text in said)
            return [m * (high - low) / (len(read) if word == "mean" else 1)]

    def vectors(at: Point) -> list[tuple[Any, ...]]:
        return [tuple(x for one in mechanisms for x in moved(one, window, at)) for window in windows]

    return Truth(lambda at: [member for one in mechanisms for member in members_of(one)], vectors)


# tables


ROWS: Sequence[Sequence[str]] = (
    ["1/2", "1/2"],
    ["3/4", "1/4"],
    ["1/4", "3/4"],
    ["1/3", "2/3"],
    ["0", "1"],
    ["exp(e)/(1 + exp(e))", "1/(1 + exp(e))"],
    ["1/(1 + exp(e))", "exp(e)/(1 + exp(e))"],
)


def with_tables(name: str, notion: str, rng: random.Random) -> Drawn:
    """Mechanisms that are tables of probabilities, and others, on listed databases."""
    elements = [f"d{i}" for i in range(rng.randint(2, 4))]
    steps = [[a, b] for a, b in product(elements, repeat=2) if a < b and rng.random() < 0.7] or [elements[:2]]
    mechanisms, maps, tables = [], {}, {}
    for i in range(1, rng.randint(1, 3) + 1):
        taken = {one: rng.choice("xyz") for one in elements}
        maps[f"f{i}"] = {"table": taken}
        one: Data = {"name": f"M{i}", "reads": {"map": f"f{i}"}}
        of_e = rng.random() < 0.4
        bound = rng.choice(
            ["e", "e", "2*e", "e + 1/3"] if of_e else ["log(3)", "log(3)", "3", "log(2)", "e + log(3)"]
        )
        given = {
            "notion": "pure",
            "epsilon": bound,
            "granularity": "step",
            "domain": rng.choice(["own", "common"]),
        }
        if rng.random() < 0.7:
            on = sorted(set(taken.values())) if rng.random() < 0.6 else elements
            of_value = {
                x: rng.choice([ROWS[0], *ROWS[5:]] if of_e else ROWS[: rng.choice([4, 5])]) for x in "xyz"
            }
            rows = {x: of_value[x if on is not elements else taken[x]] for x in on}
            tables[f"t{i}"] = {"outcomes": ["no", "yes"], "rows": rows}
            one["table"] = f"t{i}"
        elif notion != "pure":
            kind = notion if notion != "mixed" else rng.choice(MIXED)
            given = given | {"notion": kind}
            given.pop("epsilon")
            given |= dict(zip(KEYS[kind], [f"e{i}", f"d{i}"], strict=False))
        mechanisms.append(one | {"guarantee": given})
    problem: Data = {
        "format": 1,
        "databases": {"kind": "listed", "elements": elements},
        "granularities": {"step": {"neighbours": steps}},
        "maps": maps,
        "tables": tables,
        "target": {"granularity": "step"},
        "mechanisms": mechanisms,
    }
    if not tables:
        problem.pop("tables")
    return Drawn(name, notion, problem, truth_of_tables(problem, elements, steps))


def truth_of_tables(problem: Data, elements: Sequence[str], steps: Sequence[Sequence[str]]) -> Truth:
    """The losses of rows, one order of a pair after the other; of the others their distances."""
    distances: list[Callable[[Any, Any, Point], Any]] = []
    members = []
    near = oracle.from_pairs([tuple(one) for one in steps])
    for one in problem["mechanisms"]:
        f = problem["maps"][one["reads"]["map"]]["table"]
        if "table" in one:
            rows = problem["tables"][one["table"]]["rows"]
            distances.append(_row_loss(rows, f))
            members.append(Member("table", ()))
        else:
            known = oracle.contracted_distance(elements, near, f.__getitem__)
            distances.append(lambda D, E, at, f=f, known=known: known[f[D], f[E]])
            given = one["guarantee"]
            members.append(Member(given["notion"], tuple(given[key] for key in KEYS[given["notion"]])))
    pairs = [pair for D, E in steps for pair in ((D, E), (E, D))]
    return Truth(lambda at: members, lambda at: [tuple(r(D, E, at) for r in distances) for D, E in pairs])


def _row_loss(rows: Mapping[str, Sequence[str]], f: Mapping[str, str]) -> Callable[[Any, Any, Point], Any]:
    def lost(D: Any, E: Any, at: Point) -> Any:
        if f[D] == f[E]:
            return 0
        with mpmath.workdps(50):
            P, Q = ([value(x, at) for x in rows[one if one in rows else f[one]]] for one in (D, E))
            some = [mpmath.inf if q == 0 else mpmath.log(p / q) for p, q in zip(P, Q, strict=True) if p > 0]
            return max(some)

    return lost
