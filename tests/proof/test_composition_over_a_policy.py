"""The theorem on composition over a policy: its formula on random settings, where it is cited, and where it is not."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import pytest
from policies_at_random import random_policy

from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import formulas
from dpcompose.privacy import problems

PAGE = "composition-over-a-policy"
PARAMETERS = {
    "pure": ("epsilon",),
    "zcdp": ("rho",),
    "gaussian": ("mu",),
    "approximate": ("epsilon", "delta"),
}
VALUES = {"epsilon": "{0}", "rho": "{0}", "mu": "{0}", "delta": "{0}/1000"}


def random_setting(seed: int, notion: str) -> tuple[dict[str, Any], list[frozenset[str]], list[int]]:
    """Overlapping record sets under a policy, with whole numbers for parameters."""
    rng = random.Random(seed)
    records = list("abcde")
    policy = random_policy(rng, records)
    reads = [frozenset(rng.sample(records, rng.randint(1, 4))) for _ in range(rng.randint(2, 4))]
    numbers = [rng.randint(1, 20) for _ in reads]
    mechanisms = [
        {
            "name": f"M{i}",
            "reads": {"records": sorted(some)},
            "guarantee": {"notion": notion, "granularity": "p", "domain": "common"}
            | {key: VALUES[key].format(n) for key in PARAMETERS[notion]},
        }
        for i, (some, n) in enumerate(zip(reads, numbers, strict=True))
    ]
    size = rng.choice(["any", "<= 2", "= 2", ">= 1"])
    problem = {
        "format": 1,
        "databases": {"kind": rng.choice(["multisets", "sets"]), "records": records, "size": size},
        "granularities": {"p": policy},
        "target": {"granularity": "p"},
        "mechanisms": mechanisms,
    }
    return problem, reads, numbers


def edges(problem: dict[str, Any]) -> list[set[str | None]]:
    """The usable edges of the policy, by its words."""
    given, records = problem["granularities"]["p"], problem["databases"]["records"]
    replace, comes = given.get("replace", []), given.get("add-remove", [])
    groups = replace["within"] if isinstance(replace, dict) else [records] if replace == "all" else replace
    found: list[set[str | None]] = [{x, y} for group in groups for x, y in combinations(group, 2)]
    if not problem["databases"]["size"].startswith("="):
        found += [{None, x} for x in (records if comes == "all" else comes)]
    return found


@pytest.mark.parametrize("notion", PARAMETERS)
@pytest.mark.parametrize("seed", range(25))
def test_the_worst_edge_is_the_bound(notion: str, seed: int) -> None:
    problem, reads, numbers = random_setting(seed, notion)
    squared = notion == "gaussian"
    sums = [
        sum(n**2 if squared else n for A, n in zip(reads, numbers, strict=True) if A & edge)
        for edge in edges(problem)
    ]
    found = Study(problems.read_data(problem).setting).proofs.guarantee(notion)
    values = dict(found.main.says.values)
    first = values[PARAMETERS[notion][0]]
    assert formulas.evaluate(first * first if squared else first, {}) == max(sums, default=0)
    if notion == "approximate":
        assert formulas.evaluate(values["delta"] * formulas.parse("1000", {}), {}) == max(sums, default=0)
    else:
        assert found.main.optimal


# where it is cited

SETTING = """format = 1
[databases]
kind = "{kind}"
{of}
[granularities.roads]
replace = [["a", "b"], ["b", "c"]]
[target]
granularity = {target}
"""
MECHANISM = """[[mechanisms]]
name = "{name}"
reads = {reads}
guarantee = {{ notion = "{notion}", {values}, granularity = "{stated}", domain = "{domain}" }}
"""


def setting(
    kind: str = "multisets",
    of: str = "",
    target: str = '"roads"',
    notion: str = "pure",
    stated: str = "roads",
    domain: str = "common",
    reads: str = '{{ records = ["{0}"] }}',
) -> str:
    """Three counties on a road."""
    text = SETTING.format(kind=kind, of=of, target=target)
    for name in "abc":
        values = ", ".join(f'{key} = "{key}_{name}"' for key in PARAMETERS[notion])
        text += MECHANISM.format(
            name=name, reads=reads.format(name), notion=notion, values=values, stated=stated, domain=domain
        )
    return text


def cited(text: str) -> str:
    """The theorem that is cited for the guarantee."""
    return str(Study(problems.read_text(text).setting).guarantee().theorem)


@pytest.mark.parametrize("notion", PARAMETERS)
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"kind": "sets"},
        {"of": 'size = "= 3"'},
        {
            "kind": "tuples",
            "of": 'records = ["a", "b", "c"]\nsize = "= 3"',
            "reads": "{{ positions = [1, 2] }}",
        },
    ],
)
def test_it_is_cited(notion: str, given: dict[str, str]) -> None:
    text = setting(notion=notion, **given)
    assert cited(text) == PAGE
    assert cited(text.replace("format = 1", "format = 1\nadaptive = true")) == PAGE


@pytest.mark.parametrize(
    "given",
    [
        {"domain": "own"},
        {"stated": "bounded"},
        {"stated": "bounded", "target": '"bounded"'},
        {"target": '{ group = 2, of = "roads" }'},
    ],
)
def test_it_is_not_cited(given: dict[str, str]) -> None:
    assert cited(setting(**given)) != PAGE


def test_parts_that_no_edge_joins_compose_in_parallel() -> None:
    """Then the theorem of the paper on disjoint inputs gives the same, and is cited; but not for less."""
    text = setting().replace('[["a", "b"], ["b", "c"]]', '[["a", "d"], ["b", "d"], ["c", "d"]]')
    assert cited(text) == "GB:IV.12"
    assert str(Study(problems.read_text(text).setting).guarantee().epsilon) == (
        "max(epsilon_a, epsilon_b, epsilon_c)"
    )
    untouched = text.replace(', ["c", "d"]', "")
    assert cited(untouched) == PAGE
    assert (
        str(Study(problems.read_text(untouched).setting).guarantee().epsilon) == "max(epsilon_a, epsilon_b)"
    )
