"""Pieces of curves from the formulas of pages, and what curves say of claims."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from dpcompose.kernel.deciders.curves import pieces
from dpcompose.kernel.deciders.curves.curves import Curve, Part
from dpcompose.kernel.deciders.curves.pieces import NoPiece
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, exp, letter, log, number

PAGES = Path(__file__).resolve().parents[3] / "theorems" / "computed"


def formulas_of(page: str, table: str, name: str) -> dict[str, str]:
    """The formulas that stand on a page."""
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    found: dict[str, str] = tomllib.loads(text.split("```toml\n")[1].split("```")[0])[table][name]
    return found


@pytest.mark.parametrize(
    ("table", "name", "values", "r", "piece"),
    [
        ("parts", "pure", {"epsilon": "1/2"}, "3", Part(number(Fraction(1, 2)), ZERO, 3)),
        ("parts", "approximate", {"epsilon": "1", "delta": "1/9"}, "1", Part(ONE, number(Fraction(1, 9)))),
        ("parts", "zcdp", {"rho": "1/2"}, "3", Normal(ZERO, number(Fraction(9, 2)))),
        ("parts", "gaussian", {"mu": "2"}, "1/2", Normal(ONE)),
        ("noises", "gaussian", {"s": "2"}, "4", Normal(number(4))),
        ("noises", "laplace", {"b": "2"}, "1/3", Laplace(number(Fraction(1, 6)))),
        ("noises", "geometric", {"b": "2"}, "5", Part(number(Fraction(1, 2)), ZERO, 5)),
        ("noises", "randomized-response", {"p": "3/4"}, "1", Part(log(number(3)), ZERO)),
    ],
)
def test_pieces_of_pages(table: str, name: str, values: dict[str, str], r: str, piece: pieces.Piece) -> None:
    asked = formulas_of("curves-together", table, name)
    given = {letter: number(Fraction(text)) for letter, text in values.items()}
    assert pieces.piece(asked, given, number(Fraction(r))) == piece
    assert pieces.piece(asked, given, INFINITY) is None
    assert pieces.piece(asked, dict.fromkeys(given, INFINITY), ONE) is None


def test_what_is_no_piece() -> None:
    pure = {"epsilon": "epsilon", "delta": "0"}
    for asked, values, r, words in (
        (pure, {"epsilon": ONE}, number(Fraction(1, 2)), "no whole number of steps"),
        (pure, {"epsilon": ONE}, ZERO, "no whole number of steps"),
        (pure, {"epsilon": letter("e")}, ONE, "epsilon = e is no number"),
        (pure, {"epsilon": -ONE}, ONE, "not seen to be at least 0"),
        ({"square": "mu - r"}, {"mu": ONE}, number(2), "not seen to be at least 0"),
        ({"alpha": "r"}, {}, ONE, "no curve is made of alpha"),
    ):
        with pytest.raises(NoPiece, match=words):
            pieces.piece(asked, values, r)


def test_claims() -> None:
    """One (1, 1/10)-DP mechanism: its curve is 1/10 from ε = 1 on, and larger before."""
    curves = [pieces.curve([Part(ONE, number(Fraction(1, 10)))])]
    tenth = number(Fraction(1, 10))
    less, more = number(Fraction(99, 1000)), number(Fraction(101, 1000))
    assert pieces.is_proved(curves, ONE, tenth, 64) and not pieces.is_refuted(curves, ONE, tenth, 64)
    assert pieces.is_refuted(curves, ONE, less, 64) and not pieces.is_proved(curves, ONE, less, 64)
    assert pieces.is_loose(curves, ONE, more, 64) is True
    assert pieces.is_loose(curves, number(2), tenth, 64) is True  # ε = 1 would do
    assert pieces.is_loose(curves, ONE, tenth, 64) is None  # δ(ε) is 1/10 ever after
    still = [pieces.curve([Part(ZERO, tenth)])]
    assert pieces.is_loose(still, ZERO, tenth, 64) is False
    pure = [pieces.curve([Part(log(number(3)), ZERO)])]
    # an irrational δ is never seen to be equal
    assert pieces.is_loose(pure, ONE, (3 - exp(ONE)) / 4, 64) is False  # δ(1) itself
    assert pieces.is_proved([None], INFINITY, ZERO, 64) and not pieces.is_refuted([None], ONE, INFINITY, 64)
    assert pieces.is_refuted([*pure, None], ONE, number(Fraction(9, 10)), 64)
    assert pieces.curve([Part(ONE, ZERO), None]) is None and pieces.curve([]) == Curve(())


def test_limits() -> None:
    one = [pieces.curve([Part(ONE, ZERO)])]
    for bits in (0, 4_097):
        with pytest.raises(ValueError, match="4096 binary digits"):
            pieces.above(one, ONE, bits)
    with pytest.raises(ValueError, match="no curves"):
        pieces.above([], ONE, 64)
