"""Sensitivities of maps, their products, and comparisons of granularities, against the oracle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import oracle
import pytest
import strategies
import sympy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dpcompose as dpc
from dpcompose.privacy.guarantees.notions import Guarantee
from dpcompose.proof.sensitivity import Sensitivity
from dpcompose.spaces.canonical.metrics import ClosedForm
from dpcompose.spaces.moves.granularities import Granularity

MANY = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
U, B = dpc.unbounded, dpc.bounded
X = dpc.multisets({"a", "b", "c"})


def value(of: oracle.Number) -> sympy.Expr:
    """The oracle's number as dpcompose has it."""
    return sympy.oo if of == oracle.INFINITY else sympy.Rational(Fraction(of))


# ---------------------------------------------------------------- listed classes


def random_map(data: st.DataObject, points: Sequence[Any], name: str, letter: str) -> dict[Any, str]:
    images = st.sampled_from([f"{letter}{i}" for i in range(3)])
    return {D: data.draw(images, label=f"{name}({D})") for D in points}


@MANY
@given(st.data())
def test_sensitivities_and_their_products(data: st.DataObject) -> None:
    """Δf, Δg and Δ(g∘f) are the oracle's, the last is at most the product, and the pairs attain them."""
    points = [f"d{i}" for i in range(data.draw(st.integers(1, 5)))]
    f = random_map(data, points, "f", "x")
    inner = sorted(set(f.values()))
    g = random_map(data, inner, "g", "y")
    outer = sorted(set(g.values()))
    relations = [data.draw(strategies.relations_on(some)) for some in (points, inner, outer)]
    distances = [
        oracle.canonical_distance(some, oracle.from_pairs(pairs))
        for some, pairs in zip((points, inner, outer), relations, strict=True)
    ]
    G, H, K = (dpc.pairs(name, pairs) for name, pairs in zip("GHK", relations, strict=True))
    F = dpc.table("f", f, {"H": relations[1]})
    T = dpc.table("g", g, {"K": relations[2]})
    df = dpc.sensitivity(F, dpc.listed(points), G, H)
    dg = dpc.sensitivity(T, dpc.listed(inner), H, K)
    dgf = dpc.sensitivity(dpc.composed(T, F), dpc.listed(points), G, K)
    assert df.value == value(oracle.sensitivity(points, distances[0], f.__getitem__, distances[1]))
    assert dg.value == value(oracle.sensitivity(inner, distances[1], g.__getitem__, distances[2]))
    assert dgf.value == value(oracle.sensitivity(points, distances[0], lambda D: g[f[D]], distances[2]))
    assert dgf.value <= df.then(dg)
    for one, h, d in ((df, f.__getitem__, distances[1]), (dgf, lambda D: g[f[D]], distances[2])):
        assert (one.pair is None) == (one.value == 0)
        if one.pair is not None:
            assert distances[0][one.pair] == 1
            assert value(d[h(one.pair[0]), h(one.pair[1])]) == one.value


@MANY
@given(st.data())
def test_comparisons_on_listed_classes(data: st.DataObject) -> None:
    points = [f"d{i}" for i in range(data.draw(st.integers(1, 6)))]
    first, second = (data.draw(strategies.relations_on(points)) for _ in range(2))
    d1, d2 = (oracle.canonical_distance(points, oracle.from_pairs(some)) for some in (first, second))
    found = dpc.compare(dpc.pairs("one", first), dpc.pairs("other", second), dpc.listed(points))
    for factor, d, e in ((found.forth, d1, d2), (found.back, d2, d1)):
        assert factor.value == value(max((d[pair] for pair in e if e[pair] == 1), default=Fraction(0)))
        m = oracle.INFINITY if factor.value is sympy.oo else Fraction(int(factor.value))
        for pair in combinations(points, 2):
            assert d[pair] <= oracle.cost(m, e[pair], False)


# ---------------------------------------------------------------- multisets


RELATIONS: list[tuple[Granularity, oracle.Relation]] = [
    (U, oracle.unbounded),
    (B, oracle.bounded),
    (strategies.CHANGED, strategies.changed),
]


@pytest.mark.parametrize("size", ["any", "<= 3", "= 2", "<= 0"])
@pytest.mark.parametrize("part", ["", "a", "ab", "abc"])
def test_restrictions_by_edit_types(size: str, part: str) -> None:
    """The infinite class by edit types, and the finite ones too; the oracle goes through all pairs."""
    databases = dpc.multisets("abc", size)
    n = 3 if size == "any" else int(size.split()[1])
    every = oracle.multisets("abc", "=" if size.startswith("=") else "<=", n)
    compared = [D for D in every if size != "any" or len(D) < n]
    f = dpc.restriction([*part])
    images = every if part == "abc" else oracle.multisets(part, "<=", n)
    for (G, relation), (H, stated) in product(RELATIONS, repeat=2):
        distance = oracle.canonical_distance(images, stated)
        moves = {(D, E): distance[f(D), f(E)] for D, E in oracle.neighbouring_pairs(compared, relation)}
        found = dpc.sensitivity(f, databases, G, H)
        assert found.value == value(max(moves.values(), default=Fraction(0))), (G, H)
        if found.pair is not None:
            sizes = [len(D) + len(E) for (D, E), r in moves.items() if value(r) == found.value]
            assert sum(map(len, found.pair)) == min(sizes)


@pytest.mark.parametrize(
    ("size", "forth", "back"),
    [
        ("any", 2, sympy.oo),
        ("<= 4", 2, sympy.oo),
        ("= 4", sympy.oo, 0),
        ("<= 1", 2, sympy.oo),
        ("<= 0", 0, 0),
    ],
)
def test_unbounded_against_bounded(size: str, forth: object, back: object) -> None:
    for databases in (dpc.multisets(size=size), dpc.multisets("ab", size)):
        found = dpc.compare(U, B, databases)
        assert (found.forth.value, found.back.value) == (forth, back)
        turned = dpc.compare(B, U, databases)
        assert (turned.forth.value, turned.back.value) == (back, forth)


def test_distances_by_a_function() -> None:
    X = dpc.multisets("ab", "<= 3")
    count = dpc.function("count", len)
    mean = dpc.function("mean", lambda D: Fraction(D.count("a"), len(D) or 1))
    apart = lambda x, y: abs(x - y)  # noqa: E731
    assert dpc.sensitivity(count, X, U, apart).value == 1
    assert dpc.sensitivity(count, X, B, apart).value == 0
    assert dpc.sensitivity(mean, X, U, apart).value == 1
    found = dpc.sensitivity(mean, dpc.multisets("ab", "= 3"), B, apart)
    assert found.value == sympy.Rational(1, 3)
    assert repr(found) == (
        "1/3: D = {a, a, a} and E = {a, a, b} are bounded neighbours, and mean(D) moves by 1/3 "
        "(all 3 neighbouring pairs of all multisets of size 3 over {a, b})"
    )
    assert dpc.sensitivity(dpc.everything, X, U, ClosedForm("removed", same_size=True)).value is sympy.oo
    assert dpc.sensitivity(dpc.everything, X, B, dpc.canonical_metric(X, U)).value == 2


# ---------------------------------------------------------------- what follows


def test_preprocessing() -> None:
    (e,) = dpc.parameters("e")
    found = dpc.sensitivity(dpc.restriction([*"ab"]), X, B, U)
    assert found.value == 2
    assert found.through(dpc.pure(e, U)) == dpc.pure(2 * e, B)
    infinite = dpc.sensitivity(dpc.restriction([*"a"]), X, B, B)
    assert infinite.through(dpc.pure(0, B)) == dpc.pure(sympy.oo, B)
    nothing = dpc.sensitivity(dpc.restriction([*""]), X, B, U)
    assert nothing.through(dpc.pure(sympy.oo, U)) == dpc.pure(0, B)


@pytest.mark.parametrize("part", ["ab", "a", ""])
@pytest.mark.parametrize("to", [U, B])
@pytest.mark.parametrize("stated", [dpc.pure("e"), dpc.zcdp("r"), dpc.gaussian("m")])
def test_preprocessing_in_every_notion(part: str, to: Granularity, stated: Guarantee) -> None:
    """As the study says of a mechanism that reads the map."""
    f = dpc.restriction([*part])
    through = dpc.sensitivity(f, X, B, to).through(replace(stated, granularity=to))
    M = dpc.mechanism("M", replace(stated, granularity=to, domain="own"), reads=f)
    expected = dpc.compose(M, on=X, target=B).guarantee()
    assert (
        through.granularity == B
        and {"notion": stated.notion, **through.text()} == expected.data()["guarantee"]
    )


def test_preprocessing_by_hand_and_where_distances_have_no_formula() -> None:
    two = dpc.sensitivity(dpc.restriction([*"ab"]), X, B, U)
    assert two.through(dpc.tcdp("r", "w", U)) == dpc.tcdp("4*r", "w/2", B)
    assert two.through(dpc.zcdp("r", U)) == dpc.zcdp("4*r", B)
    assert two.through(dpc.approximate("e", "d", U)) == dpc.approximate("2*e", "d + d*exp(e)", B)
    with pytest.raises(ValueError, match=r"renyi guarantees grow .* compose\(M, ...\) with reads=f"):
        two.through(dpc.renyi("alpha*r", granularity=U))


def test_products() -> None:
    ab, a = dpc.restriction([*"ab"]), dpc.restriction([*"a"])
    f = dpc.sensitivity(ab, X, B, U)
    g = dpc.sensitivity(a, dpc.multisets("ab"), U)
    assert f.then(g) == 2
    assert dpc.sensitivity(dpc.composed(a, ab), X, B, U).value == 1
    constant = dpc.sensitivity(dpc.restriction([*""]), dpc.multisets("a"), B)
    far = dpc.sensitivity(a, X, B)
    assert (far.value, constant.value, far.then(constant)) == (sympy.oo, 0, sympy.oo)


def moving(f: Any = dpc.everything, G: Granularity = B, to: Any = U) -> Sensitivity:
    return dpc.sensitivity(f, X, G, to)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: moving(to=lambda x, y: 1),
            "all finite multisets over {a, b, c} are infinitely many, and a distance given by a function says "
            "nothing of pairs that it is not asked about; a finite class, or a granularity on the images",
        ),
        (
            lambda: moving(dpc.function("median", min)),
            "the map median(D) reads median(D), a map that must be tabulated",
        ),
        (
            lambda: dpc.sensitivity(dpc.everything, dpc.multisets("a", "<= 1"), U, lambda x, y: float("nan")),
            "nan is no number",
        ),
        (
            lambda: dpc.sensitivity(dpc.everything, dpc.multisets("a", "<= 1"), U, lambda x, y: -1),
            "a distance is a rational number from 0 on, or oo; that of ('a',) and () is -1",
        ),
        (lambda: moving().through(dpc.pure("e", B)), "the guarantee is for bounded neighbours"),
        (
            lambda: moving(dpc.restriction([*"a"])).then(moving()),
            "D|{a} is on all finite multisets over {a} for unbounded, and the database itself starts on all",
        ),
        (lambda: dpc.compare(U, B, dpc.listed(["p"])), "is about records; a listed class has none"),
        (lambda: dpc.composed("f", dpc.everything), "a map such as dpcompose.restriction([...]) is composed"),
    ],
)
def test_misuse_is_told_in_a_sentence(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert message in str(caught.value)


def test_a_mechanism_may_read_composed_maps(tmp_path: Any) -> None:
    """Like one that reads the composition as a table: bounds, and saving."""
    points = ["p", "q", "r"]
    G = dpc.pairs("G", [("p", "q"), ("q", "r")])
    f = dpc.table("f", {"p": "x", "q": "y", "r": "z"})
    g = dpc.table("g", {"x": "u", "y": "v", "z": "w"}, {"G": [("u", "w"), ("v", "w")]})
    direct = dpc.table("h", {"p": "u", "q": "v", "r": "w"}, {"G": [("u", "w"), ("v", "w")]})
    for reads in (dpc.composed(g, f), direct):
        study = dpc.compose(
            dpc.mechanism("M", dpc.pure("e", G, "own"), reads=reads), on=dpc.listed(points), target=G
        )
        assert str(study.guarantee().epsilon) == "2*e"
        study.save(tmp_path / "d.json")


def test_what_neighbours_cannot_be_is_undecided_and_harms_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """More pairs of H than are gone through: theorems about H do not fit, and the bound stays."""
    from dpcompose.kernel.covers import listed

    databases = dpc.listed([f"d{i}" for i in range(12)])
    H = dpc.relation("any two", lambda D, E: True)
    G = dpc.pairs("G", [("d0", "d1")])
    monkeypatch.setattr(listed, "LARGEST", 40)
    mechanism = dpc.mechanism(
        "M", dpc.pure("e", H, "own"), reads=dpc.function("first", lambda D: D[:1] + D[1:])
    )
    study = dpc.compose(mechanism, on=databases, target=G)
    assert str(study.guarantee()) == "G e-DP, by GB:IV.1; optimal"
    (fit,) = [fit for fit in study.theorems() if fit.page.id == "commuting-metric"]
    assert "which is undecided: 66 neighbours are too many to go through" in fit.reason


def test_what_is_no_map_has_no_sensitivity() -> None:
    with pytest.raises(TypeError, match="of a map such as"):
        dpc.sensitivity("f", dpc.multisets("ab"), dpc.bounded)  # type: ignore[arg-type]
