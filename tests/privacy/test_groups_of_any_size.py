"""Groups of any number m of steps: by hand, against groups of numbers of steps, refused."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import shares
from policies_at_random import random_policy
from problem_data import KEYS, Reads, optimal_bound, reading_records

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.privacy import problems
from dpcompose.search.guarantees import NoGuarantee

F = Fraction


def problem(m: int | str, of: Any, reads: Reads, *stated: Any, **databases: Any) -> dict[str, Any]:
    """Mechanisms that read records, for a group of m steps."""
    return reading_records({"group": m, "of": of}, reads, *stated, **databases)


HALVES: list[list[str] | None] = [["a", "a'"], ["b", "b'"]]


@pytest.mark.parametrize(
    ("of", "stated", "domain", "notion", "bound"),
    [
        ("unbounded", "unbounded", "own", "pure", "max(e1*m, e2*m)"),
        ("bounded", "bounded", "common", "pure", "e1*m + e2*m"),
        ("bounded", "bounded", "common", "zcdp", "e1*m**2 + e2*m**2"),
        ("bounded", "bounded", "common", "gaussian", "sqrt(e1**2*m**2 + e2**2*m**2)"),
        ("bounded", "unbounded", "own", "pure", "max(2*e1*m, 2*e2*m, e1*m + e2*m)"),
        ("unbounded", "bounded", "own", "pure", "oo"),
    ],
)
def test_bounds_by_hand(of: str, stated: str, domain: str, notion: str, bound: str) -> None:
    data = problem("m", of, HALVES, [stated] * 2, [domain] * 2, notion)
    known = problems.read_data(data).setting.letters
    assert optimal_bound(data, notion) == formulas.parse(bound, known)


@pytest.mark.parametrize(
    ("size", "of", "bound"),
    [
        ("= 30", "bounded", "2*min(m, 30)*max(e1, e2)"),  # all of one part become others of it
        ("<= n", "bounded", "2*min(m, n)*max(e1, e2)"),
        ("<= 30", {"union": ["bounded", "unbounded"]}, "2*min(m, 30)*max(e1, e2)"),
        ("<= 1", "unbounded", "min(m, 2)*max(e1, e2)"),  # the second step puts another record in place of one
        ("2..3", "unbounded", "min(m, 6)*max(e1, e2)"),
    ],
)
def test_no_more_steps_are_needed_than_there_are_records(size: str, of: Any, bound: str) -> None:
    """By hand: two databases of n records are n replacements apart, and 2n steps by which records come and go."""
    data = problem("m", of, HALVES, ["unbounded"] * 2, ["own"] * 2, size=size)
    claims = [{"notion": "pure", "epsilon": text} for text in (bound, f"{bound} - e1/10", "min(m, 3)*e1/2")]
    parameters = {"m": "integer >= 1", "n": "integer >= 1"}
    read = problems.read_data({**data, "parameters": parameters, "claims": claims})
    found = [Study(read.setting).check(one) for one in read.claims]
    assert [one.verdict for one in found] == ["proved", "refuted", "refuted"]
    assert all(one.counterexample is not None for one in found[1:])


def test_families_move_as_in_one_step() -> None:
    data = problem("m", "bounded", [None], ["bounded"], ["common"])
    data["parameters"] = {"k": "integer >= 1"}
    data["partitions"] = {"P": {"kind": "record-wise", "parts": "k"}}
    data["mechanisms"][0] |= {"index": "i", "count": "k", "reads": {"part": "i", "of": "P"}}
    data["mechanisms"][0]["guarantee"]["epsilon"] = "e[i]"
    assert formulas.to_text(optimal_bound(data)) == "m*top(2, e[i], i, 1, k)"


def test_guarantees_for_as_many_steps_hold_where_everything_is_read() -> None:
    as_many = {"group": "m", "of": "unbounded"}
    assert formulas.to_text(optimal_bound(problem("m", "unbounded", [None], [as_many], ["own"]))) == "e1"
    both = problem("m", "bounded", [None, None], [as_many, "free-lunch"], ["own", "own"])
    assert formulas.to_text(optimal_bound(both)) == "2*e1 + e2"
    with pytest.raises(NoGuarantee, match="state it for single steps"):
        optimal_bound(problem("m", "unbounded", HALVES, [as_many] * 2, ["own"] * 2))
    with pytest.raises(NoGuarantee, match="state it for single steps"):
        optimal_bound(problem("m", "unbounded", HALVES, ["free-lunch"] * 2, ["own"] * 2))
    either = {"union": ["bounded", "unbounded"]}
    assert formulas.to_text(optimal_bound(problem("m", either, [None], [as_many], ["own"]))) == "2*e1"
    with pytest.raises(NoGuarantee, match="another number of steps"):
        optimal_bound(problem("m", "unbounded", [None], [{"group": "n", "of": "unbounded"}], ["own"]))
    with pytest.raises(NoGuarantee, match="a target for groups of as many"):
        optimal_bound(problem(2, "unbounded", [None], [as_many], ["own"]))


@pytest.mark.parametrize("seed", range(60))
def test_every_number_says_the_same(seed: int) -> None:
    """A parameter at 1, 2, 3 is a group of so many steps, told by its own types."""
    rng = random.Random(seed)
    records = ["a", "b", "c", "d"]
    reads: list[list[str] | None] = [
        rng.choice([None, *(rng.sample(records, n) for n in (1, 2, 3))]) for _ in range(rng.randint(1, 3))
    ]
    ways = ["unbounded", "bounded", {"union": ["bounded", "unbounded"]}]
    granularities = {}
    if rng.random() < 0.5:
        granularities = {name: random_policy(rng, records) for name in ("p", "q")}
        ways += ["p", "q"]
    size = rng.choice(["any", ">= 2", "= 2", "<= 2", "1..3"])
    ways = ways if size in ("any", ">= 2") else ways[:3]  # of policies more steps are too many to write down
    of = rng.choice(ways)
    stated, domains = [rng.choice(ways) for _ in reads], [rng.choice(["own", "common"]) for _ in reads]
    notion = rng.choice(list(KEYS))
    more = {"records": records, "size": size}
    data = problem("m", of, reads, stated, domains, notion, **more) | {"granularities": granularities}
    for_all = optimal_bound(data, notion)
    for m in (1, 2, 3) if size in ("any", ">= 2") else (1, 2, 4, 7):
        exactly = problem(m, of, reads, stated, domains, notion, **more) | {"granularities": granularities}
        one = optimal_bound(exactly, notion)
        if "oo" in (one.kind, for_all.kind):
            assert one.kind == for_all.kind, data
            continue
        point = {f"e{i}": F(rng.randint(1, 30), 7) for i in range(1, len(reads) + 1)}
        left, right = (enclosure(formulas.at(x, {**point, "m": F(m)}), 120) for x in (for_all, one))
        assert max(left.low, right.low) <= min(left.high, right.high), data


@pytest.mark.parametrize("of", ["bounded", "p"])
def test_groups_too_large_to_write_down_are_told_by_their_steps(of: str) -> None:
    reads: list[list[str] | None] = [["a", "a'"], ["b", "b'"], ["c", "c'"], ["d", "d'"]]
    of_people = {"granularities": {"p": {"replace": [["a", "b"], ["b'", "c"]]}}}
    bounds = [optimal_bound(problem(m, of, reads, [of] * 4, ["common"] * 4) | of_people) for m in (40, "m")]
    point = {"m": F(40), **{f"e{i}": F(i, 7) for i in range(1, 5)}}
    assert (
        formulas.evaluate(bounds[0], point)
        == formulas.evaluate(bounds[1], point)
        == F(40 * (7 if of == "bounded" else 5), 7)
    )
    data = problem(40, of, reads, [of] * 4, ["common"] * 4) | of_people
    read = problems.read_data({**data, "claims": [{"notion": "pure", "epsilon": "40*max(e2, e3)"}]})
    (found,) = (Study(read.setting).check(one) for one in read.claims)
    assert found.verdict == "refuted" and found.counterexample is not None
    assert len(found.counterexample.pair[0]) == 40


def test_groups_too_large_on_limited_sizes_are_refused_where_losses_are_not_convex() -> None:
    """Whoever is stated for any two databases loses the same at every distance: many of these may move at once."""
    reads: list[list[str] | None] = [["a", "a'"], ["b", "b'"], ["c", "c'"], ["d", "d'"]]
    with pytest.raises(NoGuarantee, match="too many ways to write down"):
        stated = ["free-lunch", "bounded", "bounded", "bounded"]
        optimal_bound(problem(40, "bounded", reads, stated, ["common"] * 4, size="<= 50"))


def test_claims_are_refuted_at_a_number_of_steps() -> None:
    data = problem("m", "bounded", HALVES, ["bounded"] * 2, ["common"] * 2)
    texts = ["m*(e1 + e2)", "m**2*(e1 + e2)", "e1 + e2", "m*max(e1, e2)"]
    read = problems.read_data({**data, "claims": [{"notion": "pure", "epsilon": one} for one in texts]})
    found = [Study(read.setting).check(one) for one in read.claims]
    assert [one.verdict for one in found] == ["proved", "proved", "refuted", "refuted"]
    assert [one.loose for one in found[:2]] == [False, True]
    example = found[2].counterexample
    assert example is not None and example.point["m"] == 2 and len(example.pair[0]) == 2


def test_python_says_what_files_say() -> None:
    made = problems.read_data(problem("m", "bounded", HALVES, ["bounded"] * 2, ["own"] * 2)).setting
    assert made.target == dpc.group("m", dpc.bounded) and str(made.target) == "group of m bounded"
    again = problems.read_text(Study(made).to_toml()).setting
    assert again.target == made.target and again.domains == made.domains
    numbered = problem("m", "bounded", HALVES, ["bounded"] * 2, ["own"] * 2) | {"parameters": {"m": "2"}}
    assert problems.read_data(numbered).setting.target == dpc.group(2, dpc.bounded)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"databases": {"kind": "sets", "size": "any"}}, "needs multisets, tuples of one length"),
        ({"parameters": {"m": "positive"}}, "a group counts a number of steps"),
        ({"parameters": {"m": "integer >= 0"}}, "a group counts a number of steps"),
        ({"target": {"granularity": {"group": "2*m", "of": "bounded"}}}, "a group counts a number of steps"),
        ({"target": {"granularity": {"group": "m +", "of": "bounded"}}}, "a value is missing"),
        ({"target": {"granularity": {"group": "m", "of": {"group": 2, "of": "bounded"}}}}, "single ones"),
        ({"target": {"granularity": {"group": 2, "of": {"group": "m", "of": "bounded"}}}}, "not supported"),
    ],
)
def test_what_is_no_such_group_is_refused(change: dict[str, Any], words: str) -> None:
    data = problem("m", "bounded", [None], ["bounded"], ["own"]) | change
    with pytest.raises(problems.ProblemError, match=words):
        problems.read_data(data)


@pytest.mark.parametrize(
    ("of", "query", "noise", "notion", "bound"),
    [
        ("unbounded", "count", "laplace", "pure", "m/b"),
        ("bounded", "count", "laplace", "pure", "0"),
        ("bounded", {"histogram": 3}, "laplace", "pure", "2*m/b"),
        ("bounded", {"histogram": 3}, "gaussian", "gaussian", "sqrt(2)*m/b"),
        ("unbounded", {"histogram": 3}, "gaussian", "zcdp", "m**2/(2*b**2)"),
        ("unbounded", {"sum": ["-1", "3"]}, "laplace", "pure", "3*m/b"),
        ("bounded", {"sum": ["-1", "3"]}, "laplace", "pure", "4*m/b"),
        (
            {"contribution": {"parts": "1", "rows": "2", "replaced": True}},
            "count",
            "laplace",
            "pure",
            "2*m/b",
        ),
    ],
)
@pytest.mark.parametrize("m", ["m", 2, 30])
def test_values_of_queries_move_as_many_times_as_far(
    m: int | str, of: Any, query: Any, noise: str, notion: str, bound: str
) -> None:
    reads: Reads = [["a", "a'"]] if isinstance(of, dict) else [None]
    data = problem(m, of, reads, ["bounded"], ["own"])
    del data["mechanisms"][0]["guarantee"]
    data["mechanisms"][0] |= {"query": query, "noise": {noise: "b"}}
    known = problems.read_data(data).setting.letters
    assert optimal_bound(data, notion) == formulas.parse(bound.replace("m", str(m)), known)


@pytest.mark.parametrize("query", [{"variance": [0, 1]}, {"mean": [0, 1]}])
def test_values_that_do_not_are_refused_in_words(query: Any) -> None:
    data = problem("m", "bounded", [None], ["bounded"], ["own"], size="= n")
    del data["mechanisms"][0]["guarantee"]
    data["mechanisms"][0] |= {"query": query, "noise": {"laplace": "1/e"}}
    with pytest.raises(NoGuarantee, match=r"not seen to be convex|says nothing of any number"):
        optimal_bound(data)


@pytest.mark.parametrize("m", [3, 12, "m"])
def test_records_that_are_recoded_are_as_many_times_as_far(m: int | str) -> None:
    """From a2 to b1 is a step between counties, and to another record; within a county none of the former."""
    records = ["a1", "a2", "b1", "b2"]
    data = problem(m, "move", [None, ["b1"]], ["move"] * 2, ["common"] * 2, records=records)
    data["granularities"] = {"move": {"replace": {"within": [["a1", "a2"], ["b1", "b2"], ["a2", "b1"]]}}}
    data["maps"] = {"county": {"recode": {"a1": "A", "a2": "A", "b1": "B", "b2": "B"}}}
    data["mechanisms"][0]["reads"] = {"map": "county"}
    known = problems.read_data(data).setting.letters
    assert optimal_bound(data) == formulas.parse(f"{m}*e1 + {m}*e2", known)


def test_of_several_guarantees_each_may_be_for_as_many_steps(tmp_path: Path) -> None:
    """Of what all together give the least holds; that of two types is no type's where losses are convex."""
    file = tmp_path / "p.toml"
    file.write_text(
        """format = 1
[parameters]
m = "integer >= 1"
[databases]
kind = "multisets"
[target]
granularity = { group = "m", of = "unbounded" }
[[mechanisms]]
name = "M"
satisfies = [
    { notion = "pure", epsilon = "e", granularity = "unbounded" },
    { notion = "pure", epsilon = "f", granularity = { group = "m", of = "unbounded" } },
]
[[claims]]
notion = "pure"
epsilon = "min(m*e, f)"
[[claims]]
notion = "pure"
epsilon = "min(m*e, f)/2"
""",
        encoding="utf-8",
    )
    study, claims = dpc.load(file)
    least, half = (study.check(one).verdict for one in claims)
    assert least == "proved" and half != "proved"


# products of cells and listed classes, on which some number of steps leads as far as any


def on_cells(
    m: int | str, of: Any, reads: list[Any], stated: list[Any], notion: str = "pure"
) -> dict[str, Any]:
    """Mechanisms that look at positions of a stream of length 4."""
    name, given = KEYS[notion], {"notion": notion, "domain": "common"}
    return {
        "format": 1,
        "parameters": {} if isinstance(m, int) else {m: "integer >= 1"},
        "databases": {"kind": "streams", "records": ["x", "y"], "size": "= 4"},
        "target": {"granularity": {"group": m, "of": of}},
        "mechanisms": [
            {"name": f"M{i}", "reads": some, "guarantee": given | {name: f"e{i}", "granularity": one}}
            for i, (some, one) in enumerate(zip(reads, stated, strict=True), start=1)
        ],
    }


@pytest.mark.parametrize(
    ("of", "reads", "stated", "by_number"),
    [  # what is lost for m = 1, 2, 3, 4, 5 with e1 = 1, e2 = 10
        ("event", [[1], [2]], ["event", "event"], [10, 11, 11, 11, 11]),
        ("event", [[1], [2, 3]], ["event", "event"], [10, 20, 21, 21, 21]),
        ("event", [[1, 2, 3, 4], [2]], ["event", "free-lunch"], [11, 12, 13, 14, 14]),
        ({"w-event": 3}, [[1], [4]], ["event", {"w-event": 3}], [10, 11, 11, 11, 11]),
        ("event", [[1, 4], [2]], [{"group": 2, "of": "event"}, "event"], [10, 11, 11, 11, 11]),
    ],
)
def test_on_cells_by_hand(of: Any, reads: list[Any], stated: list[Any], by_number: list[int]) -> None:
    found = optimal_bound(on_cells("m", of, [{"positions": some} for some in reads], stated))
    at = [formulas.evaluate(found, {"e1": F(1), "e2": F(10), "m": F(m)}) for m in range(1, 6)]
    assert at == by_number


def test_on_listed_databases_by_hand() -> None:
    """On a path of four databases two steps lead further than one, three as far as any."""
    path = {
        "format": 1,
        "parameters": {"m": "integer >= 1"},
        "databases": {"kind": "listed", "elements": ["a", "b", "c", "d"]},
        "granularities": {"G": {"neighbours": [["a", "b"], ["b", "c"], ["c", "d"]]}},
        "target": {"granularity": {"group": "m", "of": "G"}},
        "mechanisms": [{"name": "M", "guarantee": {"notion": "zcdp", "rho": "r", "granularity": "G"}}],
    }
    found = optimal_bound(path, "zcdp")
    assert [formulas.evaluate(found, {"r": F(1), "m": F(m)}) for m in (1, 2, 3, 4)] == [1, 4, 9, 9]


@shares.seeds(8, 60)
def test_on_cells_every_number_says_the_same(seed: int) -> None:
    rng = random.Random(seed)
    ways: list[Any] = ["event", {"w-event": 2}, {"w-event": 3}]
    reads = [{"positions": sorted(rng.sample(range(1, 5), rng.randint(1, 3)))} for _ in range(3)]
    of, stated, notion = (
        rng.choice(ways),
        [rng.choice(["free-lunch", *ways]) for _ in reads],
        rng.choice(list(KEYS)),
    )
    for_all = optimal_bound(on_cells("m", of, reads, stated, notion), notion)
    for m in (1, 2, 3, 4, 5):
        exactly = optimal_bound(on_cells(m, of, reads, stated, notion), notion)
        point = {f"e{i}": F(rng.randint(1, 30), 7) for i in (1, 2, 3)}
        left, right = (enclosure(formulas.at(x, {**point, "m": F(m)}), 120) for x in (for_all, exactly))
        assert max(left.low, right.low) <= min(left.high, right.high)


@pytest.mark.parametrize(
    ("notion", "least", "claims"),
    [
        (
            "zcdp",
            1,
            {"9*e1 + 4*e2": "proved", "m**2*(e1 + e2)": "proved", "min(m, 3)**2*e1 + 4*e2": "proved"}
            | {"9*e1 + e2": "refuted", "m*(e1 + e2)": "refuted"},
        ),
        ("zcdp", 3, {"max(9*e1 + e2, 4*e1 + 4*e2)": "refuted", "9*e1 + 4*e2": "proved"}),
        (
            "gaussian",
            2,
            {"3*e1 + 2*e2": "proved", "sqrt(9*e1**2 + e2**2)": "refuted", "m*(e1 + e2)": "proved"},
        ),
    ],
)
def test_squares_of_what_is_there_from_a_number_on_are_decided(
    notion: str, least: int, claims: dict[str, str]
) -> None:
    reads = [{"positions": [1, 2, 3]}, {"positions": [3, 4]}]
    data = on_cells("m", "event", reads, ["event"] * 2, notion) | {"parameters": {"m": f"integer >= {least}"}}
    read = problems.read_data({**data, "claims": [{"notion": notion, KEYS[notion]: one} for one in claims]})
    study = Study(read.setting)
    assert {one.written.partition(" = ")[2]: study.check(one).verdict for one in read.claims} == claims


def test_pairs_that_refute_are_as_many_steps_apart_as_the_point_says() -> None:
    data = on_cells("m", "event", [{"positions": [at]} for at in (1, 2, 3)], ["event"] * 3)
    texts = ["max(e1, e2, e3)", "e1 + e2 + e3", "min(m, 2)*max(e1, e2, e3)"]
    read = problems.read_data({**data, "claims": [{"notion": "pure", "epsilon": one} for one in texts]})
    found = [Study(read.setting).check(one) for one in read.claims]
    assert [one.verdict for one in found] == ["refuted", "proved", "refuted"]
    for one in (found[0], found[2]):
        example = one.counterexample
        assert example is not None
        D, E = example.pair
        assert sum(x != y for x, y in zip(D, E, strict=True)) <= example.point["m"]


def test_what_is_more_than_a_distance_is_refused_beside_any_number_of_steps() -> None:
    group = {"group": "m", "of": "event"}
    with pytest.raises(NoGuarantee, match="state it for single steps"):
        optimal_bound(on_cells("m", "event", [{"positions": [1]}], [group]))
    with pytest.raises(NoGuarantee, match="further for each number up to 20, which are too many"):
        long = on_cells("m", "event", [{"positions": [1]}], ["event"])
        optimal_bound(long | {"databases": {"kind": "streams", "records": ["x", "y"], "size": "= 20"}})
    for size in ("<= 4", "any"):
        with pytest.raises(problems.ProblemError, match="tuples of one length"):
            some = on_cells("m", "event", [{"positions": [1]}], ["event"])
            problems.read_data(some | {"databases": {"kind": "streams", "records": ["x", "y"], "size": size}})


IN_METRICS = """
format = 1
parameters = { m = "integer >= 1" }
granularities = { G = { neighbours = [["a", "b"], ["b", "c"]] } }
databases = { kind = "listed", elements = ["a", "b", "c"] }
target = { granularity = { group = "m", of = "G" } }
claims = [{ notion = "pure", epsilon = "min(e1, e2)" }, { notion = "pure", epsilon = "3*min(e1, e2)" }]
[[mechanisms]]
name = "M"
satisfies = [{ notion = "pure", epsilon = "e1", granularity = "G" }, { notion = "pure", metric = "e2*d_G" }]
"""
ON_A_STREAM = IN_METRICS.replace('granularities = { G = { neighbours = [["a", "b"], ["b", "c"]] } }\n', "")
ON_A_STREAM = ON_A_STREAM.replace(
    '"listed", elements = ["a", "b", "c"]', '"streams", records = "xy", size = "= 3"'
)
ON_A_STREAM = ON_A_STREAM.replace('"G"', '"event"').replace("d_G", "d_event").replace('"xy"', '["x", "y"]')


TWICE = IN_METRICS.replace("e2*d_G", "2*e1*d_G").replace("min(e1, e2)", "e1")


@pytest.mark.parametrize(
    "text", [TWICE, *(pytest.param(one, marks=pytest.mark.slow) for one in (IN_METRICS, ON_A_STREAM))]
)
def test_in_metrics_they_are_no_single_steps(text: str) -> None:
    """A claim that is right for single steps is wrong for two, which the letter may be; 3 steps are the most."""
    study, claims = dpc.loads(text)
    assert [study.check(one).verdict for one in claims] == ["refuted", "proved"]
    single, claims = dpc.loads(re.sub(r"\{ group = .m., of = (.\w+.) \}", r"\1", text))
    assert [single.check(one).verdict for one in claims] == ["proved", "proved"]


def test_in_metrics_no_guarantee_is_for_as_many_steps() -> None:
    asked = IN_METRICS.replace(
        'epsilon = "e1", granularity = "G"', 'epsilon = "e1", granularity = { group = "m", of = "G" }'
    )
    asked = re.sub(r"claims = .*", 'claims = [{ notion = "pure", metric = "e2*d_G" }]', asked)
    with pytest.raises(problems.ProblemError, match="a number of steps is a number, and no parameter"):
        dpc.loads(asked)
    with pytest.raises(ValueError, match="a number of steps would do"):
        dpc.canonical_metric(dpc.streams("xy", "= 3"), dpc.group("m", dpc.event))


def test_on_listed_databases_of_ones_own_they_are_saved_and_composed(tmp_path: Path) -> None:
    path = dpc.pairs("G", [(0, 1), (1, 2)])
    of_any = dpc.group("m", path)
    study = dpc.compose(dpc.mechanism("M", dpc.pure("e", path)), on=dpc.listed(range(3)), target=of_any)
    study.save(tmp_path / "s.json", [study.check("2*e"), study.check("e")])
    assert dpc.recheck(tmp_path / "s.json").verdicts == ("proved", "refuted")
    assert dpc.loads(study.to_toml())[0].check("min(m, 2)*e").verdict == "proved"


def test_no_number_of_positions_stands_for_all_where_any_number_of_records_changes() -> None:
    """On two positions a group of m changes two records at most; on more of them it changes more."""
    data = problem("m", "bounded", [["a", "a'"]], ["bounded"], ["common"])
    read = problems.read_data({**data, "claims": [{"notion": "pure", "epsilon": "min(m, 2)*e1"}]})
    (found,) = (Study(read.setting).check(one) for one in read.claims)
    assert found.verdict == "refuted"
    assert found.changes is not None and not any("identifiers" in str(one) for one in found.changes())


TUPLES = """format = 1
[parameters]
m = "integer >= 1"
n = "integer >= 3"
[databases]
kind = "tuples"
records = ["a", "b", "c"]
size = "= {size}"
[granularities.p]
replace = [["a", "b"]]
[target]
granularity = {{ group = "m", of = "{of}" }}
[[mechanisms]]
name = "M"
reads = {{ positions = [1, 2] }}
guarantee = {{ notion = "pure", epsilon = "e", granularity = "{of}", domain = "own" }}
[[mechanisms]]
name = "N"
reads = {{ positions = [3] }}
guarantee = {{ notion = "pure", epsilon = "f", granularity = "bounded", domain = "own" }}
"""


def test_policies_on_tuples_are_gone_through() -> None:
    """Two entries that M reads become the other one, and the entry of N, whatever else it may become."""
    study, _ = dpc.loads(TUPLES.format(size=3, of="p"))
    found = [study.check(one) for one in ("min(m, 2)*e + f", "max(e, f) + min(m - 1, 1)*e", "min(m, 2)*e")]
    assert [one.verdict for one in found] == ["proved", "refuted", "refuted"]


def test_tuples_of_a_letter_s_length_say_what_would_do() -> None:
    study, _ = dpc.loads(TUPLES.format(size="n", of="bounded"))
    assert "for all n at once; a number for n would do" in study.check(dpc.pure("2*e + f")).reason
