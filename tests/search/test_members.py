"""Sums over families compared member by member: by hand, against evaluation at random members, and forged."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from search.compared import K, N, P, kinds, read

import dpcompose as dpc
from dpcompose.front.studies.study import Study
from dpcompose.kernel.comparison import check_at_least
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.language import formulas
from dpcompose.privacy import problems
from dpcompose.search.comparisons.comparing import Point, Proof, compare

WORDS = {"e[i]": P, "f[i]": P, "k": K, "s": P, "w": N}
TRUE = [
    ("sum(f[i]**2/2, i, 1, k) + 2*s**2", "2*(s + exp(-s) - 1) + sum(f[i] + exp(-f[i]) - 1, i, 1, k)"),
    ("sum(f[i], i, 1, k)**2/2", "sum(f[i] + exp(-f[i]) - 1, i, 1, k)"),
    ("sum(e[i]*(exp(e[i]) - 1), i, 1, k)", "sum(e[i]*(exp(e[i]) - 1)/(exp(e[i]) + 1), i, 1, k)"),
    ("s*sum(e[i]**2, i, 1, k)", "s*sum(2*e[i], i, 1, k) - s*k"),
    ("sum(e[i]**2, i, 1, k) + k*s**2", "s*sum(2*e[i], i, 1, k)"),
    ("sum(e[i]**2, i, 1, 10)", "sum(2*e[i], i, 1, 10) - 10"),
    ("top(2, f[i]**2, i, 1, k)/2", "top(2, f[i]*tanh(f[i]/2), i, 1, k)"),
    ("max(f[i]**2, i, 1, k)/2 + max(f[i], i, 1, k)", "max(f[i] + f[i]*tanh(f[i]/2), i, 1, k)"),
]
FALSE = [
    ("sum(f[i]**2/3, i, 1, k)", "sum(f[i] + exp(-f[i]) - 1, i, 1, k)"),
    ("sum(e[i]**2, i, 1, 10)", "sum(2*e[i], i, 1, 10) - 9"),
    ("top(2, f[i]**2, i, 1, k)/3", "top(2, f[i]*tanh(f[i]/2), i, 1, k)"),
    ("max(f[i] + 1/f[i], i, 1, k)", "max(f[i], i, 1, k) + max(1/f[i], i, 1, k)"),
]


@pytest.mark.parametrize("greater, lesser", TRUE)
def test_what_holds_for_every_member_holds_for_sums(greater: str, lesser: str) -> None:
    domains = kinds(WORDS)
    found = compare(read(greater, domains), read(lesser, domains))
    assert isinstance(found, Proof) and "members" in found.used


@pytest.mark.parametrize("greater, lesser", FALSE)
def test_what_fails_for_some_members_is_refuted(greater: str, lesser: str) -> None:
    domains = kinds(WORDS)
    assert isinstance(compare(read(greater, domains), read(lesser, domains)), Point)


REST = {"rest": "0"}


@pytest.mark.parametrize(
    "greater, lesser, proof, message",
    [
        (  # a constant is not k times itself
            "sum(e[i]**2, i, 1, k) + 1",
            "2*sum(e[i], i, 1, k)",
            {"members": "k", "each": {"steps": [["signs"]]}, "beside": "0", "proof": REST},
            "what is not multiplied by the number of members",
        ),
        (  # the largest of sums is at most the sum of the largest, not the other way round
            "max(e[i] + f[i], i, 1, k)",
            "max(e[i], i, 1, k) + max(f[i], i, 1, k)",
            {"members": "k", "largest": "1", "each": REST, "beside": "0", "proof": REST},
            "what is no sum of largest members",
        ),
        (  # no worst case is 0 times it
            "max(e[i], i, 1, k)",
            "0",
            {"members": "k", "each": REST, "beside": "0", "proof": REST},
            "a product of families",
        ),
        (
            "sum(e[i], i, 1, k)*sum(f[i], i, 1, k)",
            "0",
            {"members": "k", "each": REST, "beside": "0", "proof": REST},
            "a product of families",
        ),
        (  # the general member is negative
            "sum(e[i], i, 1, k)",
            "sum(f[i], i, 1, k)",
            {"members": "k", "each": {"rest": "e[i] - f[i]"}, "beside": "0", "proof": REST},
            "f.i. is not seen",
        ),
        (  # what is beside it is
            "sum(e[i], i, 1, k)",
            "1",
            {"members": "k", "each": {"rest": "e[i]"}, "beside": "-1", "proof": {"rest": "-1"}},
            "-1 is not seen",
        ),
    ],
)
def test_forged_proofs_are_refused(greater: str, lesser: str, proof: Any, message: str) -> None:
    domains = kinds(WORDS)
    sides = read(greater, domains), read(lesser, domains)
    names = {name for side in sides for name in side.letters}
    with pytest.raises(BadCertificate, match=message):
        check_at_least(*sides, {"letters": {name: WORDS[name] for name in names}, "proof": proof})


@pytest.mark.parametrize("power", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_member_beside_sums_is_not_summed_over(power: int) -> None:
    """k·e[i] is not at least the sum of all, nor k·e[i]² at least that of squares, for one member e[i]."""
    e, k = (terms.letter(name, Domain.read(word)) for name, word in (("e[i]", P), ("k", K)))
    for greater in (k * e**power, e * terms.over(k, e ** (power - 1), k)):
        lesser = terms.over(k, e**power, k)
        assert not isinstance(compare(greater, lesser), Proof)
        proof = {"members": "k", "each": REST, "beside": "0", "proof": REST}
        with pytest.raises(BadCertificate, match="beside a sum"):
            check_at_least(greater, lesser, {"letters": {"e[i]": P, "k": K}, "proof": proof})


UNITS = ["e[i]", "e[i]**2", "f[i]", "e[i]*f[i]", "exp(-f[i])", "f[i]**2", "1", "w*e[i]", "w**2"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_what_is_proved_holds_at_random_members(seed: int) -> None:
    rng = random.Random(seed)
    m = rng.choice([None, 1, 2, 3])

    def expression() -> str:
        return " + ".join(f"{rng.choice('123')}*{one}" for one in rng.sample(UNITS, rng.randint(1, 3)))

    def over(x: str) -> str:
        return f"sum({x}, i, 1, k)" if m is None else f"top({m}, {x}, i, 1, k)"

    less = [expression() for _ in range(rng.randint(1, 2))]
    more = [expression(), " + ".join(less)][: rng.randint(1, 2)]
    domains = kinds(WORDS)
    sides = [read(" + ".join(map(over, some)), domains) for some in (more, less)]
    if not isinstance(compare(*sides, efforts=1, to_prove=True), Proof):
        return
    for _ in range(200):
        k, w = rng.randint(1, 4), rng.choice([0, 0.3, 1, 4])
        members = [(rng.choice([0.01, 0.5, 1, 3]), rng.choice([0.001, 0.2, 1, 5])) for _ in range(k)]

        def value(some: list[str], members: Any = members, w: float = w) -> float:
            found = 0.0
            for x in some:
                x = x.replace("e[i]", "e").replace("f[i]", "f")
                each = [eval(x, {"exp": math.exp, "w": w, "e": e, "f": f}) for e, f in members]
                found += sum(sorted(each, reverse=True)[: m or len(each)])
            return found

        assert value(more) >= value(less) - 1e-9, (more, less, members)


EACH = """
format = 1
parameters = { k = "integer >= 1", d = "in (0,1)" }
databases = { kind = "multisets" }
target = { granularity = "unbounded" }
[[mechanisms]]
name = "M"
index = "i"
count = "k"
guarantee = { notion = "pure", epsilon = "e[i]", granularity = "unbounded" }
"""


def test_advanced_composition_with_budgets_of_their_own() -> None:
    """The textbook's sum of e[i]*(exp(e[i]) - 1) beside the root, for any number of mechanisms."""
    study = Study(problems.read_text(EACH).setting)
    first, root = "sum(e[i]*(exp(e[i]) - 1), i, 1, k)", "sqrt(2*log(1/d)*sum(e[i]**2, i, 1, k))"
    for factor, verdict in (("1", "proved"), ("1/3", "refuted")):
        epsilon, delta = (
            formulas.parse(one, study.setting.symbols) for one in (f"{factor}*({first} + {root})", "d")
        )
        assert study.check(dpc.approximate(epsilon, delta)).verdict == verdict
