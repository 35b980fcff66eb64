"""Families of mechanisms in each notion: bounds and claims by hand, and written out member by member."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import mpmath
import pytest
import rechecks
import sympy
from in_notions import DIGITS, claim, close, number

from dpcompose.front.studies.study import Study
from dpcompose.language.worstcase import Over
from dpcompose.privacy import problems, writing

FAMILY = """
format = 1
title = "a family"
{parameters}
[databases]
kind = "multisets"
{partition}
[target]
granularity = "{target}"
[[mechanisms]]
name = "M"
{family}
reads = {reads}
guarantee = {{ notion = "{notion}", {given}, granularity = "{stated}", domain = "{domain}" }}
"""
MEMBERS = {
    "approximate": 'epsilon = "e[i]", delta = "d[i]"',
    "zcdp": 'rho = "rho[i]"',
    "gaussian": 'mu = "mu[i]"',
}
KEYS = {"approximate": ("epsilon", "delta"), "zcdp": ("rho",), "gaussian": ("mu",)}
ALL, COMPATIBLE, REPLACED, OWN = range(4)
WHERE = {
    ALL: ("unbounded", "unbounded", "common", False),
    COMPATIBLE: ("unbounded", "unbounded", "common", True),
    REPLACED: ("bounded", "bounded", "common", True),
    OWN: ("bounded", "unbounded", "own", True),
}


def written(notion: str, where: int, k: str = "k", given: str = "", members: str = "") -> str:
    """A problem file; members -- where these are no family of k."""
    target, stated, domain, parts = WHERE[where]
    return FAMILY.format(
        parameters='[parameters]\nk = "integer >= 2"' if k == "k" else "",
        partition=f'[partitions.P]\nkind = "record-wise"\nparts = "{k}"' if parts else "",
        target=target,
        family=members or f'index = "i"\ncount = "{k}"',
        reads='{ part = "i", of = "P" }' if parts else '"everything"',
        notion=notion,
        given=given or MEMBERS[notion],
        stated=stated,
        domain=domain,
    )


def family(notion: str, where: int, k: str = "k", given: str = "", members: str = "") -> Study:
    return Study(problems.read_text(written(notion, where, k, given, members), "a family").setting)


def family_verdicts(notion: str, where: int, texts: list[tuple[str, ...]]) -> list[tuple[str, Any]]:
    """The verdicts, each of which a recheck confirms."""
    claims = "".join(
        f'[[claims]]\nnotion = "{notion}"\n'
        + "".join(f'{key} = "{text}"\n' for key, text in zip(KEYS[notion], some, strict=True))
        for some in texts
    )
    problem = problems.read_text(written(notion, where) + claims, "a family")
    study = Study(problem.setting)
    verdicts = [study.check(one) for one in problem.claims]
    rechecks.rechecked(study, verdicts)
    return [(one.verdict, one.loose) for one in verdicts]


SUM, MAX, TWO = "sum({}, i, 1, k)", "max({}, i, 1, k)", "top(2, {}, i, 1, k)"
FAMILIES: list[tuple[str, int, str, dict[str, tuple[str, Any]]]] = [
    (
        "zcdp",
        ALL,
        SUM.format("rho[i]"),
        {
            SUM: ("proved", False),
            MAX: ("refuted", None),
            TWO: ("refuted", None),
            "k*" + MAX: ("proved", True),
        },
    ),
    (
        "zcdp",
        COMPATIBLE,
        MAX.format("rho[i]"),
        {SUM: ("proved", True), MAX: ("proved", False), TWO: ("proved", True)},
    ),
    (
        "zcdp",
        REPLACED,
        TWO.format("rho[i]"),
        {SUM: ("proved", True), MAX: ("refuted", None), TWO: ("proved", False)},
    ),
    (
        "zcdp",
        OWN,
        "4*" + MAX.format("rho[i]"),
        {"4*" + MAX: ("proved", False), "3*" + MAX: ("refuted", None), TWO: ("refuted", None)},
    ),
    (
        "gaussian",
        ALL,
        "sqrt(sum(mu[i]**2, i, 1, k))",
        {
            "sqrt(sum(mu[i]**2, i, 1, k))": ("proved", False),
            "sum(mu[i], i, 1, k)": ("proved", True),
            "sqrt(k)*max(mu[i], i, 1, k)": ("proved", True),
            "max(mu[i], i, 1, k)": ("refuted", None),
            "sqrt(top(2, mu[i]**2, i, 1, k))": ("refuted", None),
            "top(2, mu[i], i, 1, k)": ("refuted", None),
        },
    ),
    (
        "gaussian",
        COMPATIBLE,
        "max(mu[i], i, 1, k)",
        {
            "max(mu[i], i, 1, k)": ("proved", False),
            "sqrt(sum(mu[i]**2, i, 1, k))": ("proved", True),
            "top(2, mu[i], i, 1, k)": ("proved", True),
            "max(mu[i], i, 1, k)/2": ("refuted", None),
        },
    ),
    (
        "gaussian",
        REPLACED,
        "sqrt(top(2, mu[i]**2, i, 1, k))",
        {
            "sqrt(top(2, mu[i]**2, i, 1, k))": ("proved", False),
            "sqrt(2)*max(mu[i], i, 1, k)": ("proved", True),
            "2*max(mu[i], i, 1, k)": ("proved", True),
            "top(2, mu[i], i, 1, k)": ("proved", True),
            "sqrt(sum(mu[i]**2, i, 1, k))": ("proved", True),
            "max(mu[i], i, 1, k)": ("refuted", None),
            "sum(mu[i], i, 1, k)/2": ("refuted", None),
        },
    ),
    (
        "gaussian",
        OWN,
        "2*max(mu[i], i, 1, k)",
        {
            "2*max(mu[i], i, 1, k)": ("proved", False),
            "2*sum(mu[i], i, 1, k)": ("proved", True),
            "sqrt(2)*max(mu[i], i, 1, k)": ("refuted", None),
            "top(2, mu[i], i, 1, k)": ("refuted", None),
        },
    ),
]


@pytest.mark.parametrize(("notion", "where", "bound", "claims"), FAMILIES)
def test_families(notion: str, where: int, bound: str, claims: dict[str, tuple[str, Any]]) -> None:
    assert dict(family(notion, where).bound.guarantee.texts) == dict.fromkeys(KEYS[notion], bound)
    texts = [(one.format("rho[i]"),) for one in claims]
    assert family_verdicts(notion, where, texts) == list(claims.values())


@pytest.mark.parametrize(
    ("where", "shape", "others"),
    [
        (ALL, SUM, {MAX: "refuted", TWO: "refuted"}),
        (COMPATIBLE, MAX, {SUM: "proved", TWO: "proved"}),
        (REPLACED, TWO, {SUM: "proved", MAX: "refuted"}),
    ],
)
def test_families_of_approximate(where: int, shape: str, others: dict[str, str]) -> None:
    """Where all members move at once, the δ that is printed is the one that they have together."""
    pair = {"epsilon": shape.format("e[i]"), "delta": shape.format("d[i]")}
    closer = {"delta": "1 - prod(1 - d[i], i, 1, k)"} if shape == SUM else {}
    assert dict(family("approximate", where).bound.guarantee.texts) == pair | closer
    texts = [tuple(pair.values()), *((one.format("e[i]"), one.format("d[i]")) for one in others)]
    found = family_verdicts("approximate", where, texts)
    assert found[0] == ("proved", False if where == COMPATIBLE else None)
    assert [verdict for verdict, _ in found[1:]] == list(others.values())


def test_families_of_approximate_on_their_own_domain() -> None:
    """A replacement is two add/remove steps inside of a part; for records with identifiers it is one step."""
    given = family("approximate", OWN)
    bound = "2*max(e[i], i, 1, k)", "max(max(d[i] + d[i]*exp(e[i]), i, 1, k), top(2, d[i], i, 1, k))"
    assert tuple(dict(given.bound.guarantee.texts).values()) == bound
    largest = "max(e[i], i, 1, k)", "max(d[i], i, 1, k)"
    assert family_verdicts("approximate", OWN, [largest]) == [("refuted", None)]
    fit = next(fit for fit in given.theorems() if fit.page.id == "commuting-metric")
    assert fit.reason == "it holds here, but it is not written out for a symbolic number of mechanisms"
    order_based = writing.to_data(given.setting, [])
    order_based["databases"]["kind"] = "tuples"
    order_based["partitions"]["P"]["kind"] = "order-based"
    order_based["mechanisms"][0]["guarantee"]["granularity"] = "bounded"
    order_based["claims"] = [
        {"notion": "approximate"} | dict(zip(("epsilon", "delta"), largest, strict=True))
    ]
    problem = problems.read_data(order_based)
    study = Study(problem.setting)
    assert (study.bound.theorem.id, study.bound.optimal) == ("disjoint-own-domain", True)
    assert study.check(problem.claims[0]).loose is False


@pytest.mark.parametrize("notion", MEMBERS)
@pytest.mark.parametrize("where", [ALL, COMPATIBLE, REPLACED])
def test_families_written_out(notion: str, where: int) -> None:
    """The bound for k, at k = 3, is that of three mechanisms written out."""
    three, symbolic = family(notion, where, k="3"), family(notion, where)
    assert three.bound.theorem.id == symbolic.bound.theorem.id
    for key, value in three.guarantee().values.items():
        with mpmath.workdps(DIGITS):
            at = {f"{name}[{j}]": Fraction(j, 7) for name in ("e", "d", "rho", "mu") for j in (1, 2, 3)}
            assert close(of_three(symbolic.guarantee().values[key], at), of_three(value, at))


def of_three(expression: sympy.Expr, point: Mapping[str, Fraction]) -> Any:
    """The value where every family has three members."""
    if isinstance(expression, Over):
        m, x, _ = expression.args
        members = [
            number(
                x.subs({one: sympy.Symbol(str(one).replace("[i]", f"[{j}]")) for one in x.free_symbols}),
                point,
            )
            for j in (1, 2, 3)
        ]
        return mpmath.fsum(sorted(members, reverse=True)[: int(m) if m.is_Integer else 3])
    if not expression.has(Over):
        return number(expression, point)
    parts = [of_three(one, point) for one in expression.args]
    if expression.is_Add:
        return mpmath.fsum(parts)
    if expression.is_Mul:
        return mpmath.fprod(parts)
    if isinstance(expression, sympy.exp):
        return mpmath.exp(parts[0])
    assert expression.is_Pow
    return parts[0] ** parts[1]


@pytest.mark.parametrize(
    ("notion", "stating", "bound", "repeated"),
    [
        ("zcdp", 'rho = "r"', ["k*r"], ["50*r"]),
        ("gaussian", 'mu = "m"', ["m*sqrt(k)"], ["5*m*sqrt(2)"]),
        ("approximate", 'epsilon = "e", delta = "d"', ["e*k", "1 - (1 - d)**k"], ["50*e", "1 - (1 - d)**50"]),
    ],
)
def test_members_alike(notion: str, stating: str, bound: list[str], repeated: list[str]) -> None:
    """k·ρ, √k·μ, (k·ε, 1 − (1 − δ)^k), as for one mechanism that is repeated 50 times."""
    study = family(notion, ALL, given=stating)
    assert [value for _, value in study.bound.guarantee.texts] == bound
    assert study.check(study.claim(claim(notion, *study.guarantee().values.values()))).verdict == "proved"
    fifty = family(notion, ALL, "50", stating, "repeat = 50")
    assert [value for _, value in fifty.bound.guarantee.texts] == repeated
