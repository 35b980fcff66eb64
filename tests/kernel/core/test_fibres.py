"""Norms over the fibres of maps that read coordinates: against enumeration, and what is no such norm."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest
from core_metrics import on_product

from dpcompose.kernel.core import fibres, reading
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.formulas import to_text
from dpcompose.kernel.expressions.points import Points
from dpcompose.kernel.expressions.terms import ZERO, Term
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.theorems import NoTheorem, Prover
from dpcompose.proof.theory import registry

THEORY = Theory(registry.standard().pages)
U, V = "max(u__D - u__E, u__E - u__D)", "max(v__D - v__E, v__E - v__D)"
L2 = "sqrt((u__D - u__E)**2 + (v__D - v__E)**2)"
SPACE = Points(tuple("uvw"), ((None, None),) * 3)
SYMBOLS = SPACE.letters()


def term(text: str) -> Term:
    return formulas.parse(text, SYMBOLS)


NORMS: dict[str, Callable[[Sequence[Fraction]], Fraction]] = {
    "L1": lambda v: Fraction(sum(map(abs, v))),
    "L2": lambda v: Fraction(sum(x * x for x in v)),  # its square
    "Linf": lambda v: max(map(abs, v), default=Fraction(0)),
}


def written(word: str, names: str) -> str:
    some = [f"max({x}__D - {x}__E, {x}__E - {x}__D)" for x in names]
    squares = " + ".join(f"({x}__D - {x}__E)**2" for x in names)
    both = {"L1": " + ".join(some), "L2": f"sqrt({squares})", "Linf": f"max({', '.join(some)})"}
    return some[0] if len(names) == 1 else both[word]


@pytest.mark.parametrize("word", NORMS)
@pytest.mark.parametrize("names", ["uvw", "uv", "w"])
@pytest.mark.parametrize("over", ["u", "uv", "w", "uvw", ""])
def test_the_least_distance_over_fibres(word: str, names: str, over: str) -> None:
    """Of all points of a grid with the same values of what is read, by going through them."""
    grid = list(itertools.product(range(3), repeat=3))
    found = fibres.closed(term(written(word, names)), over, [SPACE])
    assert found is not None
    read, measured = (["uvw".index(x) for x in some] for some in (over, names))
    for D, E in [(grid[0], grid[-1]), (grid[5], grid[19]), (grid[7], grid[7]), (grid[3], grid[25])]:
        least = min(
            NORMS[word]([Fraction(p[j] - q[j]) for j in measured])
            for p in grid
            for q in grid
            if all(p[i] == D[i] and q[i] == E[i] for i in read)
        )
        at = {
            f"{x}__{who}": Fraction(value[i])
            for who, value in (("D", D), ("E", E))
            for i, x in enumerate("uvw")
        }
        value = formulas.evaluate(found, {name: at[name] for name in found.letters})
        squared = word == "L2"
        assert value is None or (value**2 if squared else value) == least
        exact = formulas.at(found * found if squared else found, {name: at[name] for name in found.letters})
        assert exact.number == least


@pytest.mark.parametrize(
    "text",
    [
        f"2*{U}",
        f"{U} + 2*{V}",
        "sqrt((u__D - u__E)**2 + 2*(v__D - v__E)**2)",
        "max(u__D + v__D - u__E - v__E, u__E + v__E - u__D - v__D)",
        "(u__D - u__E)**2",
        f"max({U}, {V}) + {U}",
        "u__D - u__E",
        f"min({U}, 1)",
    ],
)
def test_what_is_no_norm_of_coordinates(text: str) -> None:
    assert fibres.closed(term(text), ["u"], [SPACE]) is None


def core(**distance: Any) -> dict[str, Any]:
    points = {"kind": "points", "coordinates": ["u", "v"], "box": [[None, None], ["0", "1"]]}
    return on_product({"": points}, {"d__d": distance}, "s*d__d")


def test_a_setting_is_written_as_it_was_read() -> None:
    for over, closed in (["u"], U), (["v"], V), (["u", "v"], L2), ([], "0"):
        data = core(formula=L2, over=over)
        found = reading.read(data)
        ((_, one),) = found.distances
        assert one.formula is not None and one.formula == (ZERO if closed == "0" else term(closed))
        again = reading.read(found.data())
        assert again == found and found.data()["distances"]["d__d"]["over"] == over
        assert found.data()["distances"]["d__d"]["formula"] == to_text(term(L2))
        assert found.hash != reading.read(core(formula=closed)).hash


@pytest.mark.parametrize(
    "distance",
    [
        {"formula": L2, "over": ["u", "u"]},
        {"formula": L2, "over": ["w"]},
        {"formula": L2, "over": "u"},
        {"formula": L2, "over": [1]},
        {"formula": L2, "over": ["u"], "apart": True},
        {"formula": f"2*{L2}", "over": ["u"]},
        {"formula": "s", "over": ["u"]},
        {"over": ["u"]},
        {"parts": [""], "over": ["u"]},
        {"differences": ["u__D - u__E"], "over": ["u"]},
        {"formula": L2, "over": ["u"], "norm": L2},
    ],
)
def test_other_distances_over_fibres_are_refused(distance: dict[str, Any]) -> None:
    with pytest.raises(BadSetting):
        reading.read(core(**distance))


def test_a_cover_rests_on_the_page() -> None:
    prover = Prover(reading.read(core(formula=L2, over=["u"])), THEORY)
    assert "norms-over-fibres" in prover.by("cover").trusts.pages
    assert "norms-over-fibres" not in Prover(reading.read(core(formula=U)), THEORY).by("cover").trusts.pages
    without = Theory({id: page for id, page in THEORY.pages.items() if id != "norms-over-fibres"})
    with pytest.raises(NoTheorem, match="no page is about norms over fibres"):
        Prover(reading.read(core(formula=L2, over=["u"])), without).by("cover")
