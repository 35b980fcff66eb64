"""Groups of policies on the common domain: by hand, against shortest paths among small databases, refused."""

from __future__ import annotations

import random
from collections import Counter, deque
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import pytest
from policies_at_random import agreeing, random_policy

from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.elaboration import Elaborated
from dpcompose.search.guarantees import NoGuarantee

F = Fraction
D = tuple[str, ...]
KEYS = {"pure": "epsilon", "zcdp": "rho"}


def problem(
    policies: dict[str, Any], target: Any, *mechanisms: tuple[list[str], Any], **more: Any
) -> dict[str, Any]:
    """Mechanisms by what they read and what they are stated for, on the common domain."""
    notion = more.pop("notion", "pure")
    return {
        "format": 1,
        "databases": {"kind": "multisets", "records": list("abxy"), "size": "any", **more},
        "granularities": policies,
        "target": {"granularity": target},
        "mechanisms": [
            {
                "name": f"M{i}",
                "reads": {"records": reads},
                "guarantee": {
                    "notion": notion,
                    KEYS[notion]: f"e{i}",
                    "granularity": stated,
                    "domain": "common",
                },
            }
            for i, (reads, stated) in enumerate(mechanisms, start=1)
        ],
    }


def guarantee(data: dict[str, Any], notion: str = "pure") -> Any:
    study = Study(problems.read_data(data).setting)
    found = study.proofs.guarantee(notion).main
    assert found.optimal
    ((_, term),) = found.says.values
    return term


PATHS = {"p": {"replace": [["a", "x"], ["y", "b"]]}, "q": {"replace": [["a", "b"]]}}


def test_there_is_room_outside_where_sizes_have_no_limit() -> None:
    """{a, y} and {x, b} are two steps apart: so {a} and {b} are one group of two apart, and one record has no room."""
    pairs = {"group": 2, "of": "p"}
    data = problem(PATHS, "q", (["a", "b"], pairs))
    assert type(Elaborated(problems.read_data(data).setting).kind).__name__ == "Policies"
    assert formulas.to_text(guarantee(data)) == "e1"
    assert formulas.to_text(guarantee(problem(PATHS, "q", (["a", "b"], pairs), size="<= 1"))) == "2*e1"
    assert formulas.to_text(guarantee(problem(PATHS, "q", (["a", "b"], pairs), size=">= 3"))) == "e1"
    assert formulas.to_text(guarantee(problem(PATHS, "q", (["a", "b"], "p")))) == "2*e1"


def steps(policy: dict[str, Any], records: str, databases: list[D]) -> dict[D, set[D]]:
    """The neighbours of each database, from the words of a policy."""
    joined: set[frozenset[str]] = set()
    replace = policy.get("replace", [])
    groups = [list(records)] if replace == "all" else replace["within"] if isinstance(replace, dict) else []
    joined |= {frozenset(one) for one in (replace if isinstance(replace, list) else [])}
    joined |= {frozenset((x, y)) for some in groups for x in some for y in some if x != y}
    single = policy.get("add-remove", [])
    single = records if single == "all" else single
    there = set(databases)
    found: dict[D, set[D]] = {one: set() for one in databases}
    for one in databases:
        for x in set(one):
            rest = Counter(one)
            rest[x] -= 1
            after = [(rest + Counter({y: 1})) for y in records if frozenset((x, y)) in joined]
            after += [rest] if x in single else []
            for other in after:
                E = tuple(sorted(other.elements()))
                if E in there:
                    found[one].add(E)
                    found[E].add(one)
    return found


def distances(start: Any, following: dict[Any, set[Any]]) -> dict[Any, int]:
    found, waiting = {start: 0}, deque([start])
    while waiting:
        at = waiting.popleft()
        for one in following[at]:
            if one not in found:
                found[one] = found[at] + 1
                waiting.append(one)
    return found


def pushed(policy: dict[str, Any], l: int, reads: list[str], databases: list[D]) -> dict[D, dict[D, int]]:
    """The distances of what is read, one step being the images of databases at most l steps apart."""
    following = steps(policy, "abxy", databases)
    image = {one: tuple(x for x in one if x in reads) for one in databases}
    joined: dict[D, set[D]] = {one: set() for one in image.values()}
    for one in databases:
        for other, r in distances(one, following).items():
            if r <= l and image[other] != image[one]:
                joined[image[one]].add(image[other])
    return {one: distances(one, joined) for one in joined}


@pytest.mark.parametrize(
    "seed", [*range(30), *(pytest.param(n, marks=pytest.mark.slow) for n in range(30, 400))]
)
def test_groups_are_as_far_as_shortest_paths_say(seed: int) -> None:
    """Neighbours of up to two records, which show all types, among databases of up to six."""
    rng, notion = random.Random(seed), ["pure", "zcdp"][seed % 2]
    policies = {name: random_policy(rng, list("abxy")) for name in "pq"}
    mechanisms = [
        (rng.sample("abxy", rng.randint(1, 3)), {"group": rng.choice([2, 3]), "of": rng.choice("pq")})
        for _ in range(rng.randint(1, 2))
    ]
    of, m = rng.choice("pq"), rng.choice([1, 2])
    target = of if m == 1 else {"group": m, "of": of}
    term = guarantee(problem(policies, target, *mechanisms, notion=notion), notion)
    databases = [one for n in range(7) for one in combinations_with_replacement("abxy", n)]
    far = [pushed(policies[stated["of"]], stated["group"], reads, databases) for reads, stated in mechanisms]
    few, worst = [one for one in databases if len(one) <= m], F(0)
    values = [F(rng.randint(1, 30), 7) for _ in mechanisms]
    following, unlimited = steps(policies[of], "abxy", databases), False
    for one in few:
        for other, r in distances(one, following).items():
            if 0 < r <= m and len(other) <= m:
                lost = F(0)
                for (reads, _), found, e in zip(mechanisms, far, values, strict=True):
                    u, v = (tuple(x for x in side if x in reads) for side in (one, other))
                    if v not in found[u]:
                        unlimited = True
                    else:
                        lost += e * found[u][v] ** (1 if notion == "pure" else 2)
                worst = max(worst, lost)
    if unlimited or term.kind == "oo":
        assert unlimited and term.kind == "oo"
        return
    assert formulas.evaluate(term, {f"e{i}": e for i, e in enumerate(values, start=1)}) == worst


def test_groups_of_what_is_recoded_are_not_pushed_forward() -> None:
    """x and y become one record: a step of two leads from a to x, and another one from y to b, but none from a to b."""
    data = problem({"p": {"replace": [["a", "x"], ["y", "b"]]}, "q": {"replace": [["a", "b"]]}}, "q")
    data["maps"] = {"f": {"recode": {"x": "z", "y": "z"}}}
    said = {"notion": "pure", "epsilon": "e", "granularity": {"group": 2, "of": "p"}, "domain": "common"}
    data["mechanisms"] = [{"name": "M", "reads": {"map": "f"}, "guarantee": said}]
    for size, bound in (("<= 1", "2*e"), ("= 1", "2*e"), ("= 5", "2*e"), ("any", "2*e")):
        data["databases"]["size"] = size
        assert formulas.to_text(guarantee(data)) == bound


def test_edits_between_a_least_and_a_greatest_size() -> None:
    """From two to three records, {} and {a, a, a} are read of databases five steps apart: three are two groups of three."""
    for size, steps, of, target, bound in (
        ("2..3", 3, "unbounded", {"group": 3, "of": {"union": ["unbounded", "bounded"]}}, "2*e1"),
        ("2..3", 3, "bounded", {"group": 3, "of": "bounded"}, "e1"),
        ("2..5", 3, "unbounded", {"group": 3, "of": "unbounded"}, "e1"),
        ("2..5", 2, "unbounded", {"group": 3, "of": "unbounded"}, "2*e1"),
    ):
        data = problem({}, target, (["a"], {"group": steps, "of": of}), size=size)
        kind = type(Elaborated(problems.read_data(data).setting).kind).__name__
        assert kind == "Records"
        assert formulas.to_text(guarantee(data)) == bound
    # how many records are lost in one group of five, where sizes differ by two: three, which cost a fourth step
    many = problem({}, {"group": 9, "of": "bounded"}, (["a"], {"group": 5, "of": "unbounded"}), size="9..11")
    del many["databases"]["records"]
    assert formulas.to_text(guarantee(many)) == "3*e1"
    letters = many | {"parameters": {"n": "integer >= 11"}}
    letters["databases"] = many["databases"] | {"size": "9..n"}
    with pytest.raises(ValueError, match="numbers of records would do"):
        guarantee(letters)


def between(seed: int) -> dict[str, Any]:
    """Groups of edits on the common domain, where databases have a least and a greatest size."""
    rng = random.Random(seed)
    edits: list[Any] = ["unbounded", "bounded", {"union": ["unbounded", "bounded"]}]
    least, notion = rng.choice([1, 1, 2]), rng.choice(["pure", "zcdp"])
    mechanisms = [
        (rng.sample("abxy", rng.randint(1, 3)), {"group": rng.choice([2, 3, 4]), "of": rng.choice(edits)})
        for _ in range(rng.randint(1, 2))
    ]
    m, of, size = rng.choice([1, 2, 3]), rng.choice(edits), f"{least}..{least + rng.choice([1, 2])}"
    return problem({}, of if m == 1 else {"group": m, "of": of}, *mechanisms, notion=notion, size=size)


@pytest.mark.parametrize("start", range(0, 30, 15))
def test_edits_between_two_sizes_say_what_enumeration_says(
    start: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = agreeing(map(between, range(start, start + 15)), monkeypatch)
    assert found["Records"] >= 5 and not found["no setting"], found


def limited(seed: int) -> dict[str, Any]:
    """Groups of policies on the common domain, of what is read in part or recoded, where databases have few records."""
    rng = random.Random(seed)
    records = list("abxy") if rng.random() < 0.7 else list("abxyz")
    n = rng.choice([1, 2, 2, 3, 3, 4] if len(records) == 4 else [1, 2, 2, 3])
    sizes = [f"<= {n}"] * 2 + [f"= {n}"] * 2 + ([f"{rng.randint(1, n - 1)}..{n}"] if n > 1 else [])
    policies = {name: random_policy(rng, records) for name in "pq"}
    of, m, notion = rng.choice("pq"), rng.choice([1, 1, 2, 2, 3]), rng.choice(["pure", "zcdp"])
    mechanisms: list[tuple[list[str], Any]] = []
    maps: dict[str, Any] = {}
    for i in range(1, rng.choice([2, 2, 3, 3])):
        some = rng.sample(records, rng.randint(1, len(records) - 1))
        if rng.random() < 0.3:
            maps[f"f{i}"] = {"recode": {x: rng.choice("uv") for x in some}}
        stated = {"group": rng.choice([2, 2, 3]), "of": rng.choice("pq")}
        mechanisms.append((some, "bounded" if rng.random() < 0.15 else stated))
    target = of if m == 1 else {"group": m, "of": of}
    data = problem(policies, target, *mechanisms, notion=notion, size=rng.choice(sizes), records=records)
    for i in (i for i in range(1, len(mechanisms) + 1) if f"f{i}" in maps):
        data["mechanisms"][i - 1]["reads"] = {"map": f"f{i}"}
    return data | ({"maps": maps} if maps else {})


@pytest.mark.parametrize(
    "start", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(40, 2000, 40))]
)
def test_groups_where_sizes_are_limited_say_what_enumeration_says(
    start: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = agreeing(map(limited, range(start, start + 40)), monkeypatch)
    assert found["Policies"] >= 25 and not found["no setting"], found


def at(data: dict[str, Any], point: dict[str, Fraction]) -> tuple[Fraction | None, bool]:
    """A guarantee at a point, None for none, and whether it is optimal for all numbers."""
    found = Study(problems.read_data(data).setting).proofs.guarantee("pure").main
    ((_, term),) = found.says.values
    value = (
        None if term.kind == "oo" else formulas.evaluate(term, {**dict.fromkeys(term.letters, F(1)), **point})
    )
    return value, bool(found.optimal)


@pytest.mark.parametrize("start", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(25, 500, 25))])
def test_a_letter_for_the_size_says_what_numbers_say(start: int) -> None:
    """A bound for all n is no less than at any number, and where it is optimal it is that at each."""
    decided = 0
    for seed in range(start, start + 25):
        rng, data = random.Random(seed), limited(seed)
        for mechanism in data["mechanisms"]:
            guarantee = mechanism["guarantee"]
            guarantee |= {"notion": "pure", "epsilon": guarantee.pop("rho", None) or guarantee["epsilon"]}
        least, word = rng.choice([1, 2, 3]), rng.choice(["<=", "="])
        data["databases"]["size"] = f"{word} n"
        point = {f"e{i}": F(rng.randint(1, 30), 7) for i in (1, 2, 3)}
        value, optimal = at(data | {"parameters": {"n": f"integer >= {least}"}}, point)
        for n in range(least, 5):
            numbers = data | {"databases": data["databases"] | {"size": f"{word} {n}"}}
            here, _ = at(numbers, point)
            assert value is None or (here is not None and here <= value), (seed, n)
            assert here == value or not optimal, (seed, n)
        decided += optimal
    assert decided >= 8


def test_how_full_databases_are() -> None:
    """County by county, a1 and b1 are read: with all a1 there is no room for another one to move to b1 from b2."""
    county = {"county": {"replace": {"within": [["a", "x"], ["b", "y"]]}}}
    for size, stated, bound in (
        ("= 100", 2, "2*e1"),  # one of a hundred a goes, and then one comes as b
        ("<= 100", 2, "2*e1"),
        ("= 1", 4, "2*e1"),
        ("any", 2, "e1"),
        (">= 100", 2, "e1"),
        ("100..102", 2, "2*e1"),
        ("= 100", 1, "2*e1"),
    ):
        of = {"group": stated, "of": "county"} if stated > 1 else "county"
        assert formulas.to_text(guarantee(problem(county, "bounded", (["a", "b"], of), size=size))) == bound
    # with a third record that is read, and may go anywhere, full databases are made empty enough
    free = {"county": {"replace": [["a", "x"], ["b", "y"]], "add-remove": ["a"]}}
    data = problem(free, "bounded", (["a", "b"], {"group": 3, "of": "county"}), size="= 100")
    assert formulas.to_text(guarantee(data)) == "2*e1"


@pytest.mark.parametrize("stated", [{"group": "m", "of": "p"}, {"group": 2, "of": "p"}], ids=str)
def test_what_records_become_is_passed_by_no_groups(stated: Any) -> None:
    """x becomes y1 and y2 becomes w, y1 and y2 are one: x and w are two groups of two apart, whatever m is from 2 on."""
    towns = {"kind": "multisets", "records": ["x", "y1", "y2", "w"]}
    policies = {"p": {"replace": [["x", "y1"], ["y2", "w"]]}, "q": {"replace": [["x", "y1"], ["y1", "w"]]}}
    said = {"notion": "pure", "epsilon": "e", "granularity": stated, "domain": "common"}
    data = {
        "format": 1,
        "databases": towns,
        "granularities": policies,
        "maps": {"f": {"recode": {"y1": "y", "y2": "y"}}},
        "target": {"granularity": {"group": 2, "of": "q"}},
        "mechanisms": [{"name": "M", "reads": {"map": "f"}, "guarantee": said}],
    }
    if stated["group"] == 2:
        assert formulas.to_text(guarantee(data)) == "2*e"
    data |= {"target": {"granularity": {"group": "m", "of": "q"}}, "parameters": {"m": "integer >= 1"}}
    with pytest.raises(NoGuarantee, match="do not pass through what it reads"):
        guarantee(data)
    # a step from each of both to either side: groups pass
    data["granularities"] = {**policies, "p": {"replace": [[x, y] for x in ("x", "w") for y in ("y1", "y2")]}}
    if stated["group"] == "m":
        assert formulas.to_text(guarantee(data)) == "e"


@pytest.mark.whole
@pytest.mark.parametrize("size", ["any", "<= 3", ">= 1", "= 2"])
def test_groups_of_steps_between_any_two_are_such_steps(size: str) -> None:
    """Beside policies as well: what is read is one step away from all that is read else."""
    any_two = {"group": 2, "of": "free-lunch"}
    data = problem({"p": {"replace": [["a", "b"], ["b", "x"]]}}, "p", (["a"], any_two), size=size)
    assert formulas.to_text(guarantee(data)) == "e1"
