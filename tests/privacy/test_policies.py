"""Policies: bounds by edges against enumeration of the whole class, hand values, files, and what is refused."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from policies_at_random import agreeing, random_policy
from shares import starts

import dpcompose as dpc
from dpcompose.front.studies.loading import show
from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.settings.invalid import InvalidSetting
from dpcompose.spaces.canonical.graphs import neighbourhood_graph
from dpcompose.spaces.classes.databases import TooLarge

F = Fraction
NOTIONS = {
    "pure": ["epsilon"],
    "zcdp": ["rho"],
    "gaussian": ["mu"],
    "approximate": ["epsilon", "delta"],
}


# random settings, by edges and by enumeration


def random_problem(seed: int) -> dict[str, Any]:
    rng = random.Random(seed)
    records = list("abcd")[: rng.choice([2, 3, 3, 4])]
    size = rng.choice(["<= 1", "<= 2", "= 1", "= 2", "<= 3", "= 3"])
    policies = {name: random_policy(rng, records) for name in ("p", "q")}
    notion = rng.choice(["pure", "pure", "pure", *NOTIONS])
    stated = [*policies, *policies, "unbounded", "bounded", "free-lunch", {"union": ["p", "bounded"]}]
    mechanisms = []
    for i in range(1, rng.randint(1, 3) + 1):
        reads = rng.choice(["everything", *(rng.sample(records, k) for k in range(1, len(records) + 1))])
        granularity = rng.choice(stated)
        guarantee = {"notion": notion, "granularity": granularity, "domain": rng.choice(["own", "common"])}
        if rng.random() < 0.25 and granularity != "free-lunch":
            guarantee["granularity"] = {"group": 2, "of": granularity}
        guarantee |= {key: f"{key[0]}{i}" for key in NOTIONS[notion]}
        many = reads if reads == "everything" else {"records": reads}
        mechanisms.append({"name": f"M{i}", "reads": many, "guarantee": guarantee})
    target = rng.choice(["p", "p", "p", {"union": ["p", "q"]}])
    if rng.random() < 0.3:
        target = {"group": rng.choice([2, 2, 3]), "of": target}
    return {
        "format": 1,
        "parameters": {f"d{i}": "in (0,1)" for i in range(1, len(mechanisms) + 1)}
        if notion == "approximate"
        else {},
        "databases": {"kind": "multisets", "records": records, "size": size},
        "granularities": policies,
        "target": {"granularity": target},
        "mechanisms": mechanisms,
    }


@starts(2, range(0, 200, 50))
def test_edges_say_what_enumeration_says(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = agreeing(map(random_problem, range(start, start + 50)), monkeypatch)
    assert found["Policies"] >= 25


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 3000, 100))
def test_more_edges_say_what_enumeration_says(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = agreeing(map(random_problem, range(start, start + 100)), monkeypatch)
    assert found["Policies"] >= 40


# values by hand


def guarantee(text: str) -> str:
    """The pure guarantee of a problem file."""
    problem = problems.read_text(text)
    found = Study(problem.setting).proofs.guarantee("pure").main
    return ", ".join(formulas.to_text(term) for _, term in found.says.values)


def parts(
    policy: str, reads: list[list[str]], domain: str = "common", of: str = "", target: str = '"p"'
) -> str:
    """A problem file: what the mechanisms read, stated for p."""
    text = f'format = 1\n[databases]\nkind = "multisets"\n{of}\n[granularities.p]\n{policy}\n'
    text += f"[target]\ngranularity = {target}\n"
    for i, one in enumerate(reads, start=1):
        text += f'[[mechanisms]]\nname = "M{i}"\nreads = {{ records = {one} }}\n'
        text += (
            f'guarantee = {{ notion = "pure", granularity = "p", domain = "{domain}", epsilon = "e{i}" }}\n'
        )
    return text.replace("'", '"')


GROUPS = 'replace = { within = [["a", "b"], ["c", "d"]] }'


@pytest.mark.parametrize(
    ("policy", "reads", "domain", "of", "target", "bound"),
    [
        # star at nothing: unbounded; complete on the records: bounded
        ('add-remove = "all"', [["a"], ["b"], ["c"]], "common", "", '"p"', "max(e1, e2, e3)"),
        ('replace = "all"', [["a"], ["b"], ["c"]], "common", "", '"p"', "max(e1 + e2, e1 + e3, e2 + e3)"),
        ('replace = "all"\nadd-remove = "all"', [["a"], ["b"]], "common", "", '"p"', "e1 + e2"),
        # within groups: unions of groups in parallel, parts of a group add up
        (GROUPS, [["a", "b"], ["c", "d"]], "common", "", '"p"', "max(e1, e2)"),
        (GROUPS, [["a", "c"], ["b", "d"]], "common", "", '"p"', "e1 + e2"),
        (GROUPS, [["a"], ["b"], ["c"]], "common", "", '"p"', "max(e1 + e2, e3)"),
        # on the own domain a record whose partner is not read is infinitely far from nothing
        (GROUPS, [["a", "b"], ["c"]], "own", "", '"p"', "oo"),
        (f'{GROUPS}\nadd-remove = ["c"]', [["a", "b"], ["c"]], "own", "", '"p"', "max(e1, e2)"),
        # a path: from a to c in two steps, in one part of both
        ('replace = [["a", "b"], ["b", "c"]]', [["a", "b", "c"]], "common", "", '{ group = 2, of = "p" }', "2*e1"),
        ('replace = [["a", "b"], ["b", "c"]]', [["a"], ["c"]], "common", "", '{ group = 2, of = "p" }', "max(2*e1, e1 + e2, 2*e2)"),
        ('replace = [["a", "b"], ["b", "c"]]', [["a"], ["c"]], "common", 'size = "<= 1"', '{ group = 2, of = "p" }', "e1 + e2"),
        # a fixed size: nobody comes or goes, whatever the policy says
        ('add-remove = "all"', [["a"], ["b"]], "common", 'size = "= 4"', '"p"', "0"),
        ('replace = [["a", "b"]]\nadd-remove = "all"', [["a"], ["c"]], "common", 'size = "= 4"', '"p"', "e1"),
        # overlaps: the worst edge
        ('replace = [["a", "b"], ["c", "d"]]', [["a", "c"], ["b"], ["c"], ["d"]], "common", "", '"p"', "max(e1 + e2, e1 + e3 + e4)"),
    ],
)  # fmt: skip
def test_bounds_by_hand(
    policy: str, reads: list[list[str]], domain: str, of: str, target: str, bound: str
) -> None:
    assert guarantee(parts(policy, reads, domain, of, target)) == bound


def test_groups_do_not_pass_through_maps() -> None:
    """Edges a–x and y–b, reads {a, b}, one record at most: two groups of two steps lead from a to b, not one."""
    text = parts(
        'replace = [["a", "x"], ["y", "b"]]',
        [["a", "b"]],
        "common",
        'size = "<= 1"\nrecords = ["a", "b", "x", "y"]',
    )
    grouped = text.replace('granularity = "p", domain', 'granularity = { group = 2, of = "p" }, domain')
    coarse = grouped.replace('[target]\ngranularity = "p"', '[target]\ngranularity = "free-lunch"')
    assert guarantee(coarse) == "2*e1"
    infinite = grouped.replace('\nrecords = ["a", "b", "x", "y"]', "")
    to_each_other = infinite.replace('[["a", "x"], ["y", "b"]]', '[["a", "x"], ["y", "b"], ["a", "b"]]')
    assert guarantee(infinite) == guarantee(to_each_other) == "e1"
    of_sets = infinite.replace('"multisets"', '"sets"')
    with pytest.raises(ValueError, match="groups of steps are not pushed forward"):
        guarantee(of_sets)


def test_noise_on_what_a_policy_moves() -> None:
    """A label flips: one record goes from the count, or comes; of a sum over both labels an attribute changes."""
    text = parts('replace = { within = [["no", "yes"]] }', [["no", "yes"]])
    text += '[[mechanisms]]\nname = "C"\nreads = { records = ["yes"] }\nquery = "count"\nnoise = { laplace = "1/f" }\n'
    assert guarantee(text) == "e1 + f"
    both = text.replace('"yes"] }\nquery', '"no", "yes"] }\nquery')
    assert guarantee(both) == "e1"


# what a policy is, by its definition


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", ["multisets", "sets", "tuples"])
def test_neighbours_are_those_of_the_definition(kind: str, seed: int) -> None:
    rng = random.Random(seed)
    records = list("abc")
    given = random_policy(rng, records)
    if kind == "tuples":
        given = {"replace": given.get("replace", "all")}
    within = given.get("replace", ())
    made = dpc.policy(
        "p", within["within"] if isinstance(within, dict) else within, given.get("add-remove", ())
    )
    whole = {"multisets": dpc.multisets, "sets": dpc.sets, "tuples": dpc.tuples}[kind]
    databases = whole(records, rng.choice(["<= 2", "= 2"]))
    graph = neighbourhood_graph(databases, made)
    for D in graph:
        for E in graph:
            if kind == "tuples":
                moved = [(x, y) for x, y in zip(D, E, strict=False) if x != y]
                wanted = len(D) == len(E) and len(moved) == 1 and made.joins(*moved[0])
            else:
                gone, come = (
                    [x for x in records for _ in range(A.count(x) - B.count(x))] for A, B in ((D, E), (E, D))
                )
                x, y = (some[0] if some else None for some in (gone, come))
                wanted = D != E and len(gone) <= 1 and len(come) <= 1 and made.joins(x, y)
            assert graph.has_edge(D, E) == bool(wanted), (D, E, given)


def test_a_policy_in_python_and_in_a_file_is_one() -> None:
    county = dpc.policy("county", replace=[["a1", "a2"], ["b1", "b2"]], add_remove=["c"])
    reads = dpc.restriction(["a1", "c"])
    study = dpc.compose(
        dpc.mechanism("M", dpc.pure("e", county, "common"), reads=reads), on=dpc.multisets(), target=county
    )
    again = problems.read_text(study.to_toml())
    assert again.setting.target == county
    assert "[granularities.county]" in study.to_toml()
    assert str(study.guarantee().epsilon) == "e" and study.guarantee().optimal
    assert dpc.canonical_metric(dpc.multisets(["a1", "a2", "c"]), county)(("a1",), ("a2", "c")) == 2


REFUSED = [
    ('replace = [["a", "b"]]', 'records = ["a", "c"]', "p is about 'b', which is no record of the class"),
    ('replace = { within = [["a"]] }', "", "should have at least 2 items"),
    ('replace = "some"', "", "there is no word 'some'"),
    ("", "", "is a policy on records"),
    ('neighbours = [["a", "b"]]', "", "needs a listed class; on records it is a policy"),
    ('neighbours = [["a", "b"]]\nreplace = "all"', "", "is a policy on records"),
]


@pytest.mark.parametrize(("policy", "of", "words"), REFUSED)
def test_what_is_no_policy_is_refused(policy: str, of: str, words: str) -> None:
    with pytest.raises((problems.ProblemError, InvalidSetting), match=words):
        guarantee(parts(policy, [["a"]], of=of))


def test_policies_are_about_records() -> None:
    text = parts('add-remove = "all"', [["a"]]).replace('"multisets"', '"tuples"')
    with pytest.raises(problems.ProblemError, match="lets records come or go, which those of tuples do not"):
        guarantee(text.replace('reads = { records = ["a"] }\n', ""))
    with pytest.raises(ValueError, match="there are no neighbours"):
        dpc.policy("empty")
    with pytest.raises(ValueError, match='is "all", or a list'):
        dpc.policy("one", replace="ab")


def test_groups_that_are_too_large_are_refused_before_they_are_written_down() -> None:
    text = parts('replace = "all"\nadd-remove = "all"', [["a"], ["b"]], target='{ group = 9, of = "p" }')
    assert guarantee(text) == "9*e1 + 9*e2"  # nine times a for b, on multisets of any size
    limited = 'kind = "multisets"\nsize = "<= {}"'
    assert guarantee(text.replace('kind = "multisets"', limited.format(9))) == "9*e1 + 9*e2"
    counted = guarantee(text.replace('kind = "multisets"', limited.format(8)))
    assert counted == "8*e1 + 8*e2"  # all that is there, of records that all may come and become others
    some = text.replace('replace = "all"', 'replace = { within = [["a", "b"], ["c", "d"]] }')
    with pytest.raises((ValueError, TooLarge)):  # no room for nine records
        guarantee(some.replace('kind = "multisets"', limited.format(8)))


def test_who_reads_nothing_never_sees_a_move() -> None:
    text = parts('add-remove = ["a"]', [["a"]]).replace('records = ["a"]', "records = []")
    grouped = text.replace('granularity = "p", domain', 'granularity = { group = 2, of = "p" }, domain')
    assert guarantee(grouped) == "0"


def test_a_mistake_in_a_policy_is_the_only_one() -> None:
    with pytest.raises(problems.ProblemError) as caught:
        guarantee(parts('replace = [["a", "a"]]', [["a"]]))
    assert [one.message for one in caught.value.mistakes] == [
        "p: a group of records that replace each other has two records at least"
    ]


def test_many_groups_are_told_apart_at_once() -> None:
    """Three hundred households of two."""
    homes = ", ".join(f'["{i}a", "{i}b"]' for i in range(300))
    text = parts(f"replace = {{ within = [{homes}] }}", [["0a", "0b", "1a"], ["1b"]])
    assert guarantee(text) == "e1 + e2"


@pytest.mark.parametrize("query", ["{ sum = [-1, 1] }", "{ histogram = 2 }"])
@pytest.mark.parametrize(("target", "stated"), [("p", "p"), ("bounded", "p"), ("p", "bounded")])
def test_a_policy_says_nothing_of_attributes(query: str, target: str, stated: str) -> None:
    """Whether a record may become one of its own name with another attribute is not said."""
    text = parts(
        'replace = [["a", "b"]]', [["a"]], of='records = ["a", "b"]\nsize = "= 1"', target=f'"{target}"'
    )
    text = text.replace('granularity = "p", domain', f'granularity = "{stated}", domain')
    asked = f'[[mechanisms]]\nname = "S"\nquery = {query}\nnoise = {{ laplace = "1/f" }}\n'
    with pytest.raises((problems.ProblemError, InvalidSetting), match="of which p neighbours say nothing"):
        guarantee(text + asked)


def test_a_policy_of_all_records_is_about_their_attributes_too() -> None:
    text = parts('replace = "all"', [["a"]], of='records = ["a", "b"]\nsize = "= 1"')
    asked = '[[mechanisms]]\nname = "S"\nquery = { sum = [-1, 1] }\nnoise = { laplace = "1/f" }\n'
    assert guarantee(text + asked) == "e1 + 2*f"


def test_a_policy_says_nothing_of_attributes_that_a_study_looks_at() -> None:
    text = parts('replace = [["a", "b"]]', [["a"]], of='records = ["a", "b"]\nsize = "= 1"')
    study = (
        '[studies.S]\ntarget = { granularity = "bounded" }\n[[studies.S.mechanisms]]\nname = "N"\n'
        'query = { sum = [-1, 1] }\nnoise = { laplace = "1/f" }\n'
        '[[mechanisms]]\nname = "T"\nstudy = "S"\n'
    )
    with pytest.raises((problems.ProblemError, InvalidSetting), match="of which p neighbours say nothing"):
        problems.read_text(text + study, show=show)
