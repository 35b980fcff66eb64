"""Policies by attributes and by distances: hand values, enumeration, values that are not listed, and refusals."""

from __future__ import annotations

import random
from typing import Any

import pytest
from policies_at_random import agreeing, agrees, said

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.spaces.canonical.graphs import neighbourhood_graph

ATTRIBUTES = {"age": ["young", "old"], "town": ["n", "s", "w"], "sick": ["no", "yes"]}


def random_replace(rng: random.Random, names: list[str]) -> dict[str, Any]:
    """What may change: some attributes together, all but some, or one of some."""
    some = rng.sample(names, rng.randint(1, len(names)))
    word = rng.choice(["changes", "keeps", "one-of", "one-of"])
    return {word: "all" if word == "one-of" and rng.random() < 0.5 else some}


def random_reads(rng: random.Random, attributes: dict[str, list[str]]) -> Any:
    """Everything, or the records with some values."""
    if rng.random() < 0.2:
        return "everything"
    names = rng.sample(sorted(attributes), rng.randint(1, 2))
    return {
        "where": {name: rng.sample(attributes[name], rng.randint(1, len(attributes[name]))) for name in names}
    }


def random_problem(seed: int, size: tuple[str, ...] = ("<= 1", "<= 2", "= 1", "= 2")) -> dict[str, Any]:
    """Two attributes with two or three values, policies on them, and mechanisms that read by them."""
    rng = random.Random(seed)
    names = rng.sample(sorted(ATTRIBUTES), 2)
    attributes = {name: ATTRIBUTES[name] for name in names}
    policies: dict[str, Any] = {one: {"replace": random_replace(rng, names)} for one in ("p", "q")}
    if rng.random() < 0.3:
        policies["q"]["add-remove"] = "all"
    mechanisms = []
    for i in range(1, rng.randint(1, 3) + 1):
        granularity: Any = rng.choice(["p", "p", "q", "unbounded", "bounded", {"union": ["p", "q"]}])
        if rng.random() < 0.2:
            granularity = {"group": 2, "of": granularity}
        mechanisms.append(
            {
                "name": f"M{i}",
                "reads": random_reads(rng, attributes),
                "guarantee": {
                    "notion": "pure",
                    "epsilon": f"e{i}",
                    "granularity": granularity,
                    "domain": rng.choice(["own", "common"]),
                },
            }
        )
    target: Any = rng.choice(["p", "p", "q", {"union": ["p", "q"]}])
    return {
        "format": 1,
        "databases": {"kind": "multisets", "attributes": attributes, "size": rng.choice(size)},
        "granularities": policies,
        "target": {"granularity": {"group": 2, "of": target} if rng.random() < 0.3 else target},
        "mechanisms": mechanisms,
    }


@pytest.mark.parametrize("start", range(0, 80, 20))
def test_attributes_say_what_enumeration_says(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = agreeing(map(random_problem, range(start, start + 20)), monkeypatch)
    assert found["Policies"] >= 12


@pytest.mark.parametrize("start", range(0, 40, 20))
def test_values_that_are_not_listed_are_a_few_that_are(start: int) -> None:
    """An attribute with any values is one with those that are read and more than neighbours can have."""
    for seed in range(start, start + 20):
        problem = random_problem(seed, ("any", "<= 4", "= 3"))
        given = problem["databases"]["attributes"]
        some = sorted(given)[0]
        for one in problem["mechanisms"]:  # not all values are named
            if one["reads"] != "everything" and some in one["reads"]["where"]:
                one["reads"]["where"][some] = one["reads"]["where"][some][:1]
        if any("group" in one["guarantee"]["granularity"] for one in problem["mechanisms"]):
            continue
        listed = {**problem, "databases": {**problem["databases"]}}
        listed["databases"]["attributes"] = {**given, some: [*given[some], "z1", "z2", "z3", "z4", "z5"]}
        problem["databases"]["attributes"] = {**given, some: "any"}
        assert said(problem) == said(listed), seed


# by hand


def guarantee(databases: str, policy: str, reads: list[str], stated: str = '"common"') -> str:
    """The pure guarantee of mechanisms that read some records, stated for the policy."""
    text = f'format = 1\n[databases]\nkind = "multisets"\n{databases}\n[granularities.p]\n{policy}\n'
    text += '[target]\ngranularity = "p"\n'
    for i, one in enumerate(reads, start=1):
        text += f'[[mechanisms]]\nname = "M{i}"\nreads = {one}\n'
        text += f'guarantee = {{ notion = "pure", granularity = "p", domain = {stated}, epsilon = "e{i}" }}\n'
    found = Study(problems.read_text(text).setting).proofs.guarantee("pure").main
    return ", ".join(formulas.to_text(term) for _, term in found.says.values)


PEOPLE = 'attributes = { county = ["n", "s"], age = ["y", "o"], sick = ["no", "yes"] }'
OF_COUNTIES = ['{ where = { county = ["n"] } }', '{ where = { county = ["s"] } }']
OF_AGES = ['{ where = { age = ["y"] } }', '{ where = { age = ["o"] } }']


@pytest.mark.parametrize(
    ("policy", "reads", "stated", "bound"),
    [
        # "modify" where the attribute that partitions stays: in parallel; where it may change: both
        ('replace = { keeps = ["county"] }', OF_COUNTIES, '"common"', "max(e1, e2)"),
        ('replace = { keeps = ["age"] }', OF_COUNTIES, '"common"', "e1 + e2"),
        ('replace = { one-of = "all" }', OF_COUNTIES, '"common"', "e1 + e2"),
        ('replace = { one-of = ["age", "sick"] }', OF_COUNTIES, '"common"', "max(e1, e2)"),
        # the label alone changes
        ('replace = { changes = ["sick"] }', OF_AGES, '"common"', "max(e1, e2)"),
        ('replace = { changes = ["sick"] }', ['{ where = { sick = ["yes"] } }', '"everything"'], '"common"', "e1 + e2"),
        # a label that is not read is no edge on the own domain: from nothing no path leads there
        ('replace = { changes = ["sick"] }', ['{ where = { sick = ["yes"] } }'], '"own"', "oo"),
        ('replace = { changes = ["sick"] }', ['{ where = { age = ["y"] } }'], '"own"', "e1"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("names", ["", ', name = "any"'])
def test_attributes_by_hand(policy: str, reads: list[str], stated: str, bound: str, names: str) -> None:
    assert guarantee(PEOPLE.replace(" }", f"{names} }}"), policy, reads, stated) == bound


def test_one_attribute_at_a_time_is_the_hamming_distance() -> None:
    people = dpc.multisets(attributes=ATTRIBUTES)
    one = dpc.policy("one", replace={"one-of": "all"})
    d = dpc.canonical_metric(people, one)
    assert d(("(young, n, no)",), ("(old, s, no)",)) == 2
    assert d(("(old, n, no)", "(young, n, no)"), ("(old, s, yes)", "(young, n, no)")) == 2
    county = dpc.canonical_metric(people, dpc.policy("local", replace={"keeps": ["town"]}))
    assert county(("(young, n, no)",), ("(old, n, yes)",)) == 1
    assert county(("(young, n, no)",), ("(young, s, no)",)) == float("inf")


# distances

NUMBERS = "records = [{}]".format(", ".join(f'"{n}"' for n in range(12)))


def bins(width: int, count: int) -> list[str]:
    """Reads of neighbouring bins of whole numbers."""
    some = [[str(n) for n in range(i * width, (i + 1) * width)] for i in range(count)]
    return [f"{{ records = {one} }}".replace("'", '"') for one in some]


@pytest.mark.parametrize(
    ("threshold", "width", "bound"),
    [
        # bins i < j of w whole numbers are joined where (j − i − 1)·w + 1 ≤ θ
        (1, 4, "max(e1 + e2, e2 + e3)"),
        (4, 4, "max(e1 + e2, e2 + e3)"),
        (5, 4, "max(e1 + e2, e1 + e3, e2 + e3)"),
        ("1/2", 4, "0"),
        ("1.5", 4, "max(e1 + e2, e2 + e3)"),
    ],
)
def test_bins_of_whole_numbers(threshold: object, width: int, bound: str) -> None:
    policy = f'replace = {{ within-distance = "{threshold}", norm = "L1" }}'
    assert guarantee(NUMBERS, policy, bins(width, 3)) == bound


@pytest.mark.parametrize(("norm", "bound"), [("L1", "max(e1 + e2, e1 + e3)"), ("max", "max(e1 + e2, e1 + e3, e2 + e3)"), ("L2", "max(e1 + e2, e1 + e3)")])  # fmt: skip
def test_grids(norm: str, bound: str) -> None:
    """From (0, 0) one step leads to (0, 1) and (1, 0), and between these a king's step only."""
    reads = [f'{{ records = ["{one}"] }}' for one in ("(0, 0)", "(0, 1)", "(1, 0)")]
    policy = f'replace = {{ within-distance = 1, norm = "{norm}" }}'
    records = 'records = ["(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)"]'
    assert guarantee(records, policy, reads) == bound
    # the same as attributes
    by_attributes = [f'{{ where = {{ x = ["{x}"], y = ["{y}"] }} }}' for x, y in ((0, 0), (0, 1), (1, 0))]
    attributes = 'attributes = { x = ["0", "1"], y = ["0", "1"] }'
    assert guarantee(attributes, policy, by_attributes) == bound
    # beside an attribute that stays
    policy = policy.replace(" }", ', of = ["x", "y"] }')
    attributes = 'attributes = { x = ["0", "1"], y = ["0", "1"], name = "any" }'
    assert guarantee(attributes, policy, by_attributes) == bound


def test_a_gap_is_not_crossed() -> None:
    """On 0, 1, 4, 5 steps of at most 2 lead nowhere from 1."""
    near = dpc.policy("near", replace={"within-distance": 2, "norm": "L1"})
    d = dpc.canonical_metric(dpc.multisets(["0", "1", "4", "5"]), near)
    assert d(("0",), ("1",)) == 1 and d(("1",), ("4",)) == float("inf")
    filled = dpc.canonical_metric(dpc.multisets(["0", "1", "2.5", "4", "5"]), near)
    assert filled(("1",), ("4",)) == 2


@pytest.mark.parametrize("start", range(0, 40, 20))
def test_distances_say_what_enumeration_says(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(start, start + 20):
        rng = random.Random(seed)
        grid = rng.random() < 0.5
        points = [f"({x}, {y})" for x in range(2) for y in range(3)] if grid else [str(n) for n in range(6)]
        records = rng.sample(points, 4)
        policy = {
            "replace": {
                "within-distance": str(rng.choice([1, 2, "3/2"])),
                "norm": rng.choice(["L1", "L2", "max"]),
            }
        }
        mechanisms = [
            {
                "name": f"M{i}",
                "reads": {"records": rng.sample(records, rng.randint(1, 4))},
                "guarantee": {"notion": "pure", "epsilon": f"e{i}", "granularity": rng.choice(["p", "p", "bounded"]), "domain": rng.choice(["own", "common"])},
            }
            for i in (1, 2)
        ]  # fmt: skip
        problem = {
            "format": 1,
            "databases": {"kind": "multisets", "records": records, "size": rng.choice(["<= 2", "= 2", "<= 1"])},
            "granularities": {"p": policy},
            "target": {"granularity": {"group": 2, "of": "p"} if rng.random() < 0.3 else "p"},
            "mechanisms": mechanisms,
        }  # fmt: skip
        assert agrees(problem, monkeypatch) in ("Policies", "Records"), seed


def test_many_values_are_as_few() -> None:
    """A hundred ages and fifty counties: as many as are read, and as neighbours can have."""
    ages, counties = ([f"{word} {n}" for n in range(many)] for word, many in (("age", 100), ("county", 50)))
    people = f"attributes = {{ age = {ages}, county = {counties}, name = 'any' }}".replace("'", '"')
    reads = ['{ where = { age = ["age 1", "age 2"] } }', '{ where = { county = ["county 3"] } }']
    ages_only = ['{ where = { age = ["age 1"] } }', '{ where = { age = ["age 3"] } }']
    assert guarantee(people, 'replace = { one-of = ["county", "name"] }', ages_only) == "max(e1, e2)"
    assert guarantee(people, 'replace = { one-of = ["age", "county"] }', reads) == "e1 + e2"
    assert guarantee(people, 'replace = { keeps = ["name"] }', reads) == "e1 + e2"
    text = 'replace = { one-of = "all" }\n[maps.no]\nrecode = { a = "b" }'
    with pytest.raises(problems.ProblemError, match=r"recodes 'a'|are told by their attributes"):
        guarantee(people, text, reads)


# what it is by definition, in files and in Python


@pytest.mark.parametrize("kind", ["multisets", "tables"])
def test_neighbours_are_those_of_the_definition(kind: str) -> None:
    attributes = {"age": ["y", "o"], "sick": ["no", "yes"]}
    databases = getattr(dpc, kind)(attributes=attributes, size="= 2")
    values = {f"({a}, {s})": (a, s) for a in attributes["age"] for s in attributes["sick"]}
    label = dpc.policy("label", replace={"changes": ["sick"]})
    graph = neighbourhood_graph(databases, label)
    for D in graph:
        for E in graph:
            if kind == "tables":
                moved = [(x, y) for x, y in zip(D, E, strict=True) if x != y]
            else:
                gone = [x for x in values for _ in range(D.count(x) - E.count(x))]
                moved = list(
                    zip(gone, [x for x in values for _ in range(E.count(x) - D.count(x))], strict=True)
                )
            wanted = len(moved) == 1 and values[moved[0][0]][0] == values[moved[0][1]][0]
            assert graph.has_edge(D, E) == wanted, (D, E)


def test_python_and_files_say_the_same() -> None:
    people = dpc.multisets(attributes={"county": ["n", "s"], "name": "any"})
    local = dpc.policy("local", replace={"keeps": ["county"]}, add_remove="all")
    reads = dpc.where({"county": ["n"], "name": ["Ann", "Bob"]})
    study = dpc.compose(
        dpc.mechanism("M", dpc.pure("e", local, "common"), reads=reads), on=people, target=local
    )
    text = study.to_toml()
    again = problems.read_text(text).setting
    assert again.target == local and again.mechanisms == study.setting.mechanisms
    assert again.databases == study.setting.databases
    assert 'where = { county = ["n"], name = ["Ann", "Bob"] }' in text
    near = dpc.policy("near", replace={"within-distance": "1/2", "norm": "max", "of": ["x"]})
    assert dpc.policy("near", **{k.replace("-", "_"): v for k, v in near.table().items()}) == near


BASE = 'attributes = { county = ["n", "s"], name = "any" }'
REFUSED = [
    (BASE, 'replace = { keeps = ["countty"] }', '"everything"', "did you mean 'county'"),
    (BASE, 'replace = { kepes = ["county"] }', '"everything"', "kepes"),
    (BASE, 'replace = { keeps = ["county"], changes = ["name"] }', '"everything"', "replace is { within"),
    (BASE, 'replace = { keeps = ["county"], norm = "L1" }', '"everything"', "norm does not stand beside keeps"),
    (BASE, 'replace = { changes = [] }', '"everything"', "at least 1 item"),
    (BASE, 'replace = { keeps = ["county"] }', '{ where = { county = ["m"] } }', "reads the value 'm' of county"),
    (BASE, 'replace = { keeps = ["county"] }', '{ where = { contry = ["n"] } }', "did you mean 'county'"),
    (BASE, 'replace = { keeps = ["county"] }', '{ records = ["(n, x)"] }', "names records, and"),
    (BASE, 'replace = [["(n, x)", "(s, x)"]]', '"everything"', "names records, and"),
    (BASE, 'replace = { within-distance = 1, norm = "L1" }', '"everything"', "is no number"),
    ("", 'replace = { keeps = ["county"] }', '"everything"', "records have no attributes here"),
    ('records = ["a"]', 'replace = { keeps = ["county"] }', '"everything"', "records have no attributes here"),
    ('records = ["a"]', 'replace = "all"', '{ where = { county = ["n"] } }', "have none"),
    ('records = ["1", "2"]', 'replace = { within-distance = 0, norm = "L1" }', '"everything"', "it is above 0"),
    ('records = ["1", "2"]', 'replace = { within-distance = "far", norm = "L1" }', '"everything"', "a distance is a number"),
    ('records = ["1", "2"]', 'replace = { within-distance = 1 }', '"everything"', "a distance needs a norm"),
    ('records = ["1", "2"]', 'replace = { within-distance = 1, norm = "L3" }', '"everything"', "a distance needs a norm"),
    ('records = ["1", "b"]', 'replace = { within-distance = 1, norm = "L1" }', '"everything"', "'b' is no number"),
    ('records = ["1", "(1, 2)"]', 'replace = { within-distance = 1, norm = "L1" }', '"everything"', "numbers of coordinates that differ"),
    ("", 'replace = { within-distance = 1, norm = "L1" }', '"everything"', "distances are those of listed records"),
    (f'{BASE}\nrecords = ["a"]', 'replace = "all"', '"everything"', "leave out records, or attributes"),
]  # fmt: skip


@pytest.mark.parametrize(("databases", "policy", "reads", "words"), REFUSED)
def test_what_is_refused(databases: str, policy: str, reads: str, words: str) -> None:
    with pytest.raises((problems.ProblemError, InvalidSetting)) as caught:
        guarantee(databases, policy, [reads])
    assert words in str(caught.value)


def test_a_policy_by_attributes_says_nothing_of_others() -> None:
    """A sum is over an attribute besides those of the records, and whether it may change is not said."""
    text = (
        f'format = 1\n[databases]\nkind = "multisets"\n{BASE}\n[granularities.p]\nreplace = {{ keeps = ["county"] }}\n'
        '[target]\ngranularity = "p"\n[[mechanisms]]\nname = "S"\nquery = { sum = [-1, 1] }\nnoise = { laplace = "1/f" }\n'
    )
    with pytest.raises(problems.ProblemError, match="of which p neighbours say nothing"):
        problems.read_text(text)


def test_a_condition_is_known_of_a_class_only() -> None:
    with pytest.raises(TypeError, match="is known of a class"):
        dpc.where({"county": ["n"]})(("(n, x)",))
    people = dpc.multisets(attributes={"county": ["n", "s"], "age": ["y", "o"]})
    both = dpc.composed(dpc.where({"county": ["n"]}), dpc.where({"age": ["o"]}))
    assert both.on(people)(("(n, o)", "(n, y)", "(s, o)")) == ("(n, o)",)
