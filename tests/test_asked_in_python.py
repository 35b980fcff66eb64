"""Claims that people make, as they are typed in Python: each line a variant of what once was undecided, refused or slow."""

from __future__ import annotations

from typing import Any

import pytest

import dpcompose as dpc

U, B = dpc.unbounded, dpc.bounded
Q, D, K = "in (0,1)", "in (0,1)", "integer >= 1"


def study(*stated: Any, target: Any = U, assume: Any = (), **domains: str) -> dpc.Study:
    """Guarantees, each alone or with how many mechanisms have it; or queries with their noise."""
    some = []
    for n, one in enumerate(stated):
        what, count = one if isinstance(one, tuple) and not isinstance(one[1], dict) else (one, None)
        many = {} if count is None else {"count": count}
        if isinstance(what, tuple):
            some.append(dpc.mechanism(f"M{n}", **what[1], **many))
        else:
            some.append(dpc.mechanism(f"M{n}", what.about(U), **many))
    return dpc.compose(*some, on=dpc.multisets(), target=target, assume=list(assume), parameters=domains)


def noisy(query: Any, noise: Any) -> tuple[str, dict[str, Any]]:
    return "noise", {"query": query, "noise": noise}


SQUARES = "sum(e[i]**2, i, 1, k)"
LAPLACE = [noisy(dpc.histogram(4), dpc.laplace(b)) for b in (1, 2)]
CLAIMS = [
    # parameters in denominators, and families of such
    (study(dpc.gaussian("w/n")), dpc.gaussian("0.9*w/n"), "refuted"),
    (study(dpc.gaussian("1/sqrt(n)")), dpc.gaussian("1/sqrt(n)"), "proved"),
    (study(dpc.zcdp("1/(2*s**2)")), dpc.zcdp("0.9/(2*s**2)"), "refuted"),
    (study((dpc.gaussian("1/s[i]"), "k")), dpc.gaussian("0.9*sqrt(sum(1/s[i]**2, i, 1, k))"), "refuted"),
    # two histograms with Laplace noise: 0.40703... by 4,000,000 draws and an enclosure
    (study(*LAPLACE, target=B), dpc.approximate("1/2", "1e-6"), "refuted"),
    (study(*LAPLACE, target=B), dpc.approximate("1/2", "0.408"), "proved"),
    # values that hold for all allowed parameters
    (study(dpc.pure("1 - d"), d=D), dpc.pure(1), "proved"),
    (study(dpc.pure("max(d, 1)"), d=D), dpc.pure(1), "proved"),
    (study(dpc.pure("sqrt(log(1/d))"), d=D), dpc.pure("sqrt(log(2/d))"), "proved"),
    (
        study(noisy(dpc.count, dpc.gaussian_noise("sqrt(2*log(1.25/d))/e")), d=D, e=Q),
        dpc.approximate("e", "d"),
        "proved",
    ),
    # advanced composition in symbols
    (
        study((dpc.approximate("e", "d"), "k"), k=K, d=D, q=Q),
        dpc.approximate("e*sqrt(2*k*log(1/q)) + k*e*(exp(e) - 1)", "q"),
        "refuted",
    ),
    (
        study((dpc.pure("e[i]"), "k"), k=K, d=D),
        dpc.approximate(f"{SQUARES}/2 + sqrt(2*log(1/d)*{SQUARES})", "d"),
        "proved",
    ),
    (study(dpc.pure("log(3)")), dpc.approximate("log(3/2)", "3/8"), "proved"),
    (study((dpc.pure("e[i]"), "k")), dpc.zcdp(f"0.49*{SQUARES}"), "refuted"),
    # as many as one likes
    (study((dpc.pure("e"), 10**6)), dpc.pure("999999*e"), "refuted"),
    (study((dpc.gaussian("m"), 1000)), dpc.gaussian("sqrt(999)*m"), "refuted"),
    # relations
    (study(dpc.pure("1/k"), assume=["k >= m"], m="positive"), dpc.pure("1/m"), "proved"),
    (study(dpc.pure("e1"), assume=["e1 <= e2"], e2="positive"), dpc.zcdp("e2*tanh(e2/2)"), "proved"),
    (study((dpc.gaussian("m"), "k"), k=K, assume=["m <= 1/sqrt(k)"]), dpc.gaussian(1), "proved"),
    # large numbers
    (study(dpc.gaussian(93)), dpc.approximate(5000, "1e-5"), "proved"),
    (study((dpc.pure(3000), 2)), dpc.approximate(5990, "1e-6"), "refuted"),
    # for every k the largest loss, k*e, is the only one above (k - 1)*e
    (
        study((dpc.pure("e"), "k"), k=K),
        dpc.approximate("(k - 1)*e", "(exp(k*e) - exp((k - 1)*e))/(1 + exp(e))**k"),
        "proved",
    ),
]


@pytest.mark.parametrize(("asked", "claim", "verdict"), CLAIMS)
def test_it_is_decided(asked: dpc.Study, claim: Any, verdict: str) -> None:
    assert asked.check(claim).verdict == verdict


@pytest.mark.parametrize(
    ("claim", "sharper"), [("sqrt(3)*(sqrt(e1) + sqrt(e2))", False), ("sqrt(3)*(e1 + e2)", True)]
)
def test_roots_beside_relations_come_to_an_end(claim: str, sharper: bool) -> None:
    """Squares that have roots again are not squared again: at e1 = 1, e2 = 10 the first claim is too small."""
    parts = [dpc.mechanism(x, dpc.gaussian(e, dpc.unbounded)) for x, e in (("A", "e1"), ("B", "e2"))]
    relation = {"parameters": {"t": "positive"}, "assume": ["sqrt(e1**2 + e2**2) <= t"]}
    study = dpc.compose(*parts, on=dpc.multisets(), target=dpc.unbounded, **relation)
    assert (study.check(dpc.gaussian(claim)).verdict == "proved") is sharper
