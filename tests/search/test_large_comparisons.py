"""Comparisons of large formulas, and of families with any number of members."""

from __future__ import annotations

import json
import random

import pytest
from search.compared import F, K, N, P, R, judged, kinds, read, some

from dpcompose.kernel import comparison
from dpcompose.kernel.expressions import formulas
from dpcompose.search.comparisons.comparing import Point, Proof, compare


def test_ties() -> None:
    """Equal letters, and one form in many places."""
    words = {"a": P, "b": R}
    for greater, lesser, answer in [
        ("top(3, a, a, a, a)", "3*a", "true"),
        ("3*a", "top(3, a, a, a, a)", "true"),
        ("top(2, a, b, a, b)", "a + b", "true"),
        ("2*max(a, b)", "top(2, a, b, a, b)", "true"),
        ("top(2, a, b, a, b)", "2*max(a, b)", "true"),
        ("top(2, a, a, b)", "2*max(a, b)", "false"),
    ]:
        assert judged(greater, lesser, words) == answer


E40 = [f"e{i}" for i in range(1, 41)]
MAXES = [f"max({one}, {other})" for one, other in zip(E40[::2], E40[1::2], strict=True)]


def compared(greater: str, lesser: str) -> Proof | Point | None:
    domains = kinds(dict.fromkeys(E40, P))
    return compare(read(greater, domains), read(lesser, domains))


@pytest.mark.parametrize(
    ("greater", "lesser"),
    [
        (" + ".join(E40), f"top(20, {', '.join(E40)})"),
        (f"20*max({', '.join(E40)})", f"top(20, {', '.join(E40)})"),
        (f"2*top(10, {', '.join(E40)})", f"top(20, {', '.join(E40)})"),
        (f"top(21, {', '.join(E40)})", f"top(20, {', '.join(E40)})"),
        (f"top(20, {', '.join(E40)})", " + ".join(MAXES)),
        (f"10*max({', '.join(E40)}) + top(10, {', '.join(E40)})/2", f"top(10, {', '.join(E40)})"),
        (f"top(5, {', '.join(E40)})", f"top(5, {', '.join(MAXES)})"),
        (f"5*max({', '.join(E40)})", f"top(5, {', '.join(MAXES)})"),
    ],
)
def test_rules_decide_what_falls_into_millions_of_pieces(greater: str, lesser: str) -> None:
    assert isinstance(compared(greater, lesser), Proof)


@pytest.mark.parametrize(
    ("greater", "lesser"),
    [
        (" + ".join(E40[1:]), f"top(20, {', '.join(E40)})"),
        (f"19*max({', '.join(E40)})", f"top(20, {', '.join(E40)})"),
        (f"top(19, {', '.join(E40)})", " + ".join(MAXES)),
        (" + ".join([*E40[:-2], "e39"]), " + ".join(MAXES)),
        (f"top(5, {', '.join(MAXES)})", f"top(5, {', '.join(E40)})"),
    ],
)
def test_points_refute_what_falls_into_millions_of_pieces(greater: str, lesser: str) -> None:
    assert isinstance(compared(greater, lesser), Point)


def test_many_letters() -> None:
    names = [f"e{i}" for i in range(1, 31)]
    words, everything, total = dict.fromkeys(names, P), ", ".join(names), " + ".join(names)
    for greater, lesser, answer in [
        (f"top(15, {everything})", f"({total})*1/2", "true"),
        (f"top(15, {everything})", f"({total})*51/100", "false"),
        (f"30*max({everything})", total, "true"),
        (f"29*max({everything})", total, "false"),
        (total, f"max({everything})", "true"),
        (f"max({everything})", f"top(2, {everything})", "false"),
        (f"2*max({everything})", f"top(2, {everything})", "true"),
        (total, f"30*min({everything})", "true"),
    ]:
        assert judged(greater, lesser, words) == answer


def test_the_maximum_of_two_hundred_sums() -> None:
    names = [f"e{i}" for i in range(1, 21)]
    words = dict.fromkeys(names, P)
    sums = [f"{x} + {y}" for n, x in enumerate(names) for y in names[:n]]
    sums += [f"{x} + {x}/2" for x in names[:10]]
    largest = f"max({', '.join(sums)})"
    assert judged(f"2*max({', '.join(names)})", largest, words) == "true"
    assert judged(" + ".join(names), f"max({', '.join(sums[:190])})", words) == "true"
    few = f"max({', '.join(sums[:66])})"
    assert judged(few, f"top(2, {', '.join(names[:12])})", words) == "true"
    assert judged(f"top(2, {', '.join(names)})", f"max({', '.join(sums[:190])})", words) == "true"
    assert judged(f"top(2, {', '.join(names)})", largest, words) == "false"


FAMILIES: list[tuple[str, str, dict[str, str], str]] = [
    ("sum(e[i], i, 1, k)", "max(e[i], i, 1, k)", {}, "true"),
    ("max(e[i], i, 1, k)", "sum(e[i], i, 1, k)", {}, "false"),
    ("k*max(e[i], i, 1, k)", "sum(e[i], i, 1, k)", {}, "true"),
    ("2*max(e[i], i, 1, k)", "top(2, e[i], i, 1, k)", {}, "true"),
    ("3/2*max(e[i], i, 1, k)", "top(2, e[i], i, 1, k)", {"k": "integer >= 2"}, "false"),
    ("sum(e[i], i, 1, k)", "top(3, e[i], i, 1, k)", {"k": "integer >= 2"}, "true"),
    ("top(2, e[i], i, 1, k)", "2*sum(e[i], i, 1, k)/3", {"k": "integer >= 3"}, "false"),
    ("max(e[i], i, 1, k) + max(f[i], i, 1, k)", "max(e[i] + f[i], i, 1, k)", {}, "true"),
    ("max(e[i] + f[i], i, 1, k)", "max(e[i], i, 1, k) + max(f[i], i, 1, k)", {}, "false"),
    ("max(e[i], i, 1, k)**2", "max(e[i]**2, i, 1, k)", {}, "true"),
    ("sum(e[i], i, 1, 5)", "5/2*top(2, e[i], i, 1, 5)", {}, "false"),
    ("5/2*top(2, e[i], i, 1, 5)", "sum(e[i], i, 1, 5)", {}, "true"),
    ("max(sum(e[i], i, 1, k), a)", "max(a, max(e[i], i, 1, k))", {"a": P}, "true"),
    ("a*sum(e[i], i, 1, k)", "a*max(e[i], i, 1, k)", {"a": P}, "true"),
    ("sum(e[i] + 1, i, 1, k)", "k", {}, "true"),
    ("n*sum(e[i], i, 1, k)", "2*max(e[i], i, 1, k)", {"n": "integer >= 2"}, "true"),
    ("sum(e[i], i, 1, k)", "k*max(e[i], i, 1, k)", {"k": "integer >= 2"}, "false"),
    ("sqrt(sum(e[i]**2, i, 1, k))", "0", {}, "true"),
]


@pytest.mark.parametrize(
    "greater, lesser, words, answer", FAMILIES, ids=[f"{g} >= {l}" for g, l, *_ in FAMILIES]
)
def test_families(greater: str, lesser: str, words: dict[str, str], answer: str) -> None:
    all_words = {"e[i]": P, "f[i]": N, "k": K} | words
    domains = {name: one for name, one in kinds(all_words).items()}
    g, l = read(greater, domains), read(lesser, domains)
    found = compare(g, l)
    if answer == "false":
        assert isinstance(found, Point)
        comparison.check_point(g, l, dict(found.values))
        return
    assert isinstance(found, Proof)
    assert comparison.check_at_least(g, l, json.loads(json.dumps(found.certificate))) == found.used
    for k in (1, 2, 3, 5):
        rng = random.Random(k)
        for _ in range(10):
            point = {name: some(rng, domain) for name, domain in domains.items() if "[" not in name}
            point |= {f"{f}[{j}]": some(rng, domains[f"{f}[i]"]) for f in "ef" for j in range(1, 6)}
            if not domains["k"].contains(F(k)):
                continue
            more, less = (formulas.at(side, point | {"k": F(k)}) for side in (g, l))
            assert comparison.sign(more - less) in (0, 1, None)
