"""Maps that recode records: bounds by edges against enumeration, hand values, files and Python, and refusals."""

from __future__ import annotations

import random
from typing import Any

import pytest
from policies_at_random import agreeing, random_policy
from privacy.test_policies_of_attributes import random_problem as by_attributes

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems
from dpcompose.privacy.settings.invalid import InvalidSetting

NOTIONS = {"pure": ["epsilon"], "zcdp": ["rho"], "approximate": ["epsilon", "delta"]}
RECORDS = list("abcd")
CODES = ["A", "B", "a", "d"]
"""What records become: also others that there are."""


def random_recoding(rng: random.Random) -> dict[str, Any]:
    """Some records become others, and the rest stay, or all become one."""
    some = rng.sample(RECORDS, rng.randint(1, 4))
    found: dict[str, Any] = {"recode": {x: rng.choice(CODES) for x in some}}
    return found | ({"others": rng.choice(["Z", "A"])} if rng.random() < 0.3 else {})


def images(recoding: dict[str, Any]) -> list[str]:
    """What records become."""
    return sorted({recoding["recode"].get(x, recoding.get("others", x)) for x in RECORDS})


def random_problem(seed: int) -> dict[str, Any]:
    """Policies on four records, and on what they become."""
    rng = random.Random(seed)
    maps = {name: random_recoding(rng) for name in ("f", "g")}
    policies = {"p": random_policy(rng, RECORDS), "q": random_policy(rng, RECORDS)}
    notion = rng.choice(["pure", "pure", *NOTIONS])
    mechanisms = []
    for i in range(1, rng.randint(1, 3) + 1):
        name, domain = rng.choice(["f", "g"]), rng.choice(["own", "common"])
        stated: list[Any] = ["p", "q", "unbounded", "bounded", {"union": ["p", "bounded"]}]
        if domain == "own":
            there = images(maps[name])
            stated = ["unbounded", "bounded"]
            if len(there) > 1:
                policies[f"of {i}"] = random_policy(rng, there)
                stated += [f"of {i}"] * 3
        granularity = rng.choice(stated)
        if rng.random() < 0.2:
            granularity = {"group": 2, "of": granularity}
        guarantee = {"notion": notion, "domain": domain, "granularity": granularity}
        reads: Any = {"map": name} if rng.random() < 0.75 else "everything"
        if reads == "everything" and domain == "own":
            guarantee["granularity"] = rng.choice(["p", "bounded"])
        guarantee |= {key: f"{key[0]}{i}" for key in NOTIONS[notion]}
        mechanisms.append({"name": f"M{i}", "reads": reads, "guarantee": guarantee})
    used = str(mechanisms)
    target: Any = rng.choice(["p", "p", {"union": ["p", "q"]}])
    if rng.random() < 0.3:
        target = {"group": 2, "of": target}
    return {
        "format": 1,
        "parameters": {f"d{i}": "in (0,1)" for i in range(1, len(mechanisms) + 1)}
        if notion == "approximate"
        else {},
        "databases": {
            "kind": "multisets",
            "records": RECORDS,
            "size": rng.choice(["<= 1", "<= 2", "= 1", "= 2", "= 3", "1..2"]),
        },
        "granularities": {name: one for name, one in policies.items() if name in "pq" or name in used},
        "maps": maps,
        "target": {"granularity": target},
        "mechanisms": mechanisms,
    }


@pytest.mark.parametrize("start", range(0, 120, 30))
def test_recodings_say_what_enumeration_says(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = agreeing(map(random_problem, range(start, start + 30)), monkeypatch)
    assert found["Policies"] >= 18 and not found["no setting"], found


@pytest.mark.slow
@pytest.mark.parametrize("start", range(1000, 3000, 100))
def test_more_recodings_say_what_enumeration_says(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert agreeing(map(random_problem, range(start, start + 100)), monkeypatch)


def projected(seed: int, size: tuple[str, ...] = ("<= 1", "<= 2", "= 1", "= 2")) -> dict[str, Any]:
    """Policies by attributes, where some mechanisms read an attribute of all records."""
    rng, problem = random.Random(seed), by_attributes(seed, size)
    for one in problem["mechanisms"]:
        if rng.random() < 0.6:
            one["reads"] = {"attributes": [rng.choice(sorted(problem["databases"]["attributes"]))]}
    return problem


@pytest.mark.parametrize("start", range(0, 60, 20))
def test_attributes_that_are_read_say_what_enumeration_says(
    start: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = agreeing(map(projected, range(start, start + 20)), monkeypatch)
    assert found["Policies"] >= 10 and not found["no setting"], found


# by hand

FILE = """format = 1
[databases]
kind = "multisets"
{databases}
[granularities.local]
replace = {{ within = [["a1", "a2"], ["b1", "b2"]] }}
[granularities.counties]
replace = [["A", "B"]]
[maps.county]
recode = {{ a1 = "A", a2 = "A", b1 = "B", b2 = "B" }}
{others}
[target]
granularity = {target}
[[mechanisms]]
name = "M"
reads = {{ map = "county" }}
guarantee = {{ notion = "pure", epsilon = "e", granularity = {stated}, domain = "{domain}" }}
"""


def guarantee(
    databases: str = "",
    target: str = '"bounded"',
    stated: str = '"bounded"',
    domain: str = "own",
    others: str = "",
) -> str:
    """The pure guarantee of a mechanism that reads counties."""
    text = FILE.format(databases=databases, target=target, stated=stated, domain=domain, others=others)
    found = Study(problems.read_text(text).setting).proofs.guarantee("pure").main
    return ", ".join(formulas.to_text(term) for _, term in found.says.values)


HOMES = 'records = ["a1", "a2", "b1", "b2"]'


@pytest.mark.parametrize(
    ("databases", "target", "stated", "domain", "others", "bound"),
    [
        # a move within a county is none; one between two is a step, on records and on counties
        (HOMES, '"local"', '"bounded"', "own", "", "0"),
        (HOMES, '"bounded"', '"bounded"', "own", "", "e"),
        (HOMES, '"bounded"', '"bounded"', "common", "", "e"),
        (HOMES, '"bounded"', '"counties"', "own", "", "e"),
        (HOMES, '"bounded"', '"unbounded"', "own", "", "2*e"),
        (HOMES, '"bounded"', '"local"', "common", "", "oo"),
        # of exactly n records none comes or goes, of counties either
        (f'{HOMES}\nsize = "= 3"', '"bounded"', '"unbounded"', "own", "", "oo"),
        (HOMES, '{ group = 2, of = "bounded" }', '"bounded"', "own", "", "2*e"),
        # any universe: other records stay, and may become a county; or they are all elsewhere
        ("", '"bounded"', '"bounded"', "own", "", "e"),
        ("", '"bounded"', '"counties"', "own", "", "oo"),
        ("", '"local"', '"counties"', "own", "", "0"),
        ("", '"bounded"', '"unbounded"', "common", 'others = "elsewhere"', "2*e"),
        ("", '"local"', '"unbounded"', "common", 'others = "elsewhere"', "0"),
    ],
)
def test_counties(databases: str, target: str, stated: str, domain: str, others: str, bound: str) -> None:
    if databases == HOMES and stated == '"counties"':
        databases = 'records = ["a1", "a2", "b1", "b2", "A", "B"]'
        others = 'others = "A"'
    assert guarantee(databases, target, stated, domain, others) == bound


def test_groups_do_not_pass_through_what_is_recoded() -> None:
    """Edges a–x and y–b, x and y become one: two steps lead from A to B among images, and none of a chain of two."""
    text = """format = 1
[databases]
kind = "multisets"
records = ["a", "b", "x", "y"]
size = "= 1"
[granularities.p]
replace = [["a", "x"], ["y", "b"]]
[maps.f]
recode = { x = "z", y = "z" }
[target]
granularity = "free-lunch"
[[mechanisms]]
name = "M"
reads = { map = "f" }
guarantee = { notion = "pure", epsilon = "e", granularity = { group = 2, of = "p" }, domain = "common" }
"""
    found = Study(problems.read_text(text).setting).proofs.guarantee("pure").main
    assert formulas.to_text(found.says.values[0][1]) == "2*e"
    # of records that only become others none is nothing: of any size it is the same
    for target in ('{ group = 3, of = "p" }', '"bounded"'):
        of_any_size = text.replace('"= 1"', '"any"').replace('"free-lunch"', target)
        found = Study(problems.read_text(of_any_size).setting).proofs.guarantee("pure").main
        assert formulas.to_text(found.says.values[0][1]) == "2*e"
    # where x leads to b as y does, and y to a, groups pass: A and B are one group of two apart
    every = text.replace('["y", "b"]', '["x", "b"], ["y", "a"], ["y", "b"]')
    for size, target in (
        ('"= 1"', '"free-lunch"'),
        ('"any"', '{ group = 2, of = "p" }'),
        ('">= 7"', '"bounded"'),
    ):
        of_size = every.replace('"= 1"', size).replace('"free-lunch"', target)
        found = Study(problems.read_text(of_size).setting).proofs.guarantee("pure").main
        assert formulas.to_text(found.says.values[0][1]) == "e"


def groups_of(seed: int) -> dict[str, Any]:
    """Guarantees for groups on the common domain, mostly of policies of which each step is one of whichever
    records are read so."""
    rng, problem = random.Random(seed), random_problem(seed)
    map = rng.choice(["f", "g"])
    become: dict[str, list[str]] = {}
    for x in RECORDS:
        recoding = problem["maps"][map]
        become.setdefault(recoding["recode"].get(x, recoding.get("others", x)), []).append(x)
    pairs = [(one, other) for one in become.values() for other in become.values() if one < other]
    edges = [[x, y] for some, others in pairs if rng.random() < 0.6 for x in some for y in others]
    if edges and rng.random() < 0.8:
        problem["granularities"]["p"] = {"replace": edges}
    for one in problem["mechanisms"]:
        stated = {"group": rng.choice([2, 3]), "of": rng.choice(["p", "p", "unbounded", "bounded"])}
        one["reads"] = {"map": map}
        one["guarantee"] |= {"domain": "common", "granularity": stated}
    return problem


@pytest.mark.parametrize("start", range(0, 60, 20))
def test_groups_through_recodings_say_what_enumeration_says(
    start: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = agreeing(map(groups_of, range(start, start + 20)), monkeypatch)
    assert found["Policies"] >= 8 and not found["no setting"], found


def test_python_and_files_say_the_same() -> None:
    homes = dpc.multisets({"a1", "a2", "b1", "b2"})
    f = dpc.recoding("county", {"a1": "A", "a2": "A"}, others="elsewhere")
    assert f(("a1", "a2", "b1")) == ("A", "A", "elsewhere")
    assert list(f.image(homes).records) == ["A", "elsewhere"]
    study = dpc.compose(
        dpc.mechanism("M", dpc.pure("e", dpc.bounded, "own"), reads=f), on=homes, target=dpc.bounded
    )
    again = problems.read_text(study.to_toml()).setting
    assert again.mechanisms == study.setting.mechanisms
    assert str(study.guarantee().epsilon) == "e" and study.guarantee().optimal
    people = dpc.multisets(attributes={"age": ["y", "o"], "name": "any"})
    ages = dpc.columns(people, "age")
    assert ages(("(o, x)", "(y, x)")) == ("o", "y")
    named = dpc.policy("named", replace={"changes": ["name"]})
    study = dpc.compose(
        dpc.mechanism("M", dpc.pure("e", dpc.unbounded, "common"), reads=ages), on=people, target=named
    )
    assert str(study.guarantee().epsilon) == "0"
    assert problems.read_text(study.to_toml()).setting.mechanisms == study.setting.mechanisms


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('kind = "multisets"', 'kind = "sequences"', "recodes records of multisets, sets and tuples"),
        ('recode = { a1 = "A", a2 = "A"', 'recode = { a3 = "A", a2 = "A"', "recodes 'a3', which is no record"),
        ('recode = { a1 = "A", a2 = "A", b1 = "B", b2 = "B" }', "", "a map is table ="),
        ('[target]', 'image-neighbours = [["A", "B"]]\n[target]', "of recoded records they follow"),
        ('reads = { map = "county" }', 'reads = { map = "contry" }', "did you mean 'county'"),
    ],
)  # fmt: skip
def test_what_is_refused(old: str, new: str, words: str) -> None:
    text = FILE.format(databases=HOMES, target='"bounded"', stated='"bounded"', domain="own", others="")
    text = text.replace('[granularities.counties]\nreplace = [["A", "B"]]\n', "")
    changed = text.replace(old, new)
    assert changed != text
    with pytest.raises((problems.ProblemError, InvalidSetting), match=words):
        problems.read_text(changed)


def test_what_records_become_has_no_attributes() -> None:
    """A policy by attributes is one on what is read only where that has attributes."""
    people = dpc.multisets(attributes={"age": ["y", "o"], "sick": ["no", "yes"]})
    label = dpc.policy("label", replace={"changes": ["sick"]})
    f = dpc.recoding("f", {"(y, no)": "healthy", "(o, no)": "healthy"})
    own, common = (dpc.mechanism("M", dpc.pure("e", label, domain), reads=f) for domain in ("own", "common"))
    with pytest.raises(
        InvalidSetting, match="on its own domain: the policy label: records have no attributes"
    ):
        dpc.compose(own, on=people, target=label)
    assert str(dpc.compose(common, on=people, target=label).guarantee().epsilon) == "e"
