"""Pieces of curves from the formulas of pages, and what curves say of claims."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

from dpcompose.kernel.deciders.curves import pieces, tradeoffs
from dpcompose.kernel.deciders.curves.curves import Curve, Part
from dpcompose.kernel.deciders.curves.keys import Appearing, Keyed, alike_ways, every_way
from dpcompose.kernel.deciders.curves.lattices import TooManyLosses
from dpcompose.kernel.deciders.curves.pieces import NoPiece
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal
from dpcompose.kernel.deciders.curves.tradeoffs import Known, Table, Together
from dpcompose.kernel.expressions.intervals import Interval
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


# pieces by hand


ONE_STEP, NORMAL, LAPLACE = Part(ONE, ZERO), Normal(number(4)), Laplace(number(2))


def test_counts_by_keys_are_of_one_person() -> None:
    asked = {"square": "s", "keys": "k", "apart": "a"}
    values = {"s": number(2), "k": number(3), "a": ONE}
    assert pieces.piece(asked, values, ONE) == Keyed(number(2), 3, ONE)
    for other, r in ((values, number(2)), (values | {"k": number(Fraction(3, 2))}, ONE), (values, number(0))):
        with pytest.raises(NoPiece, match="several persons"):
            pieces.piece(asked, other, r)
    keyed = Keyed(ONE, 2, ZERO)
    assert pieces.turned(keyed, 0) == keyed and pieces.turned(keyed, 1) == keyed.turned != keyed
    assert pieces.turned(ONE_STEP, 1) == ONE_STEP and pieces.turned(None, 1) is None
    assert pieces.piece({"range": "a"}, {"a": ONE}, ONE) == Laplace(ONE, middle=True)
    assert pieces.piece({"square": "s", "rho": "s"}, {"s": ONE}, ONE) == Normal(ONE, ONE)


def test_what_is_known_at_once() -> None:
    other = Part(ZERO, number(Fraction(1, 3)))
    assert pieces.at_once([]) is None is pieces.at_once([None]) and pieces.at_once([NORMAL]) == NORMAL
    both = ((ONE, ZERO), (ZERO, number(Fraction(1, 3))))
    assert pieces.at_once([ONE_STEP, other, ONE_STEP]) == Together(both)
    assert pieces.at_once([ONE_STEP, None, NORMAL]) == Together(((ONE, ZERO),), tail=NORMAL)
    assert pieces.at_once([LAPLACE, ONE_STEP]) == Together(((ONE, ZERO),), tail=LAPLACE)
    two = Part(ONE, ZERO, 2)
    assert pieces.at_once([two, Part(ZERO, ONE, 2)]) == Together(((ONE, ZERO), (ZERO, ONE)), 2)
    zcdp, middle, twice = Normal(ZERO, ONE), Laplace(ONE, middle=True), Laplace(ONE, 2)
    for some in (
        [ONE_STEP, two],
        [ONE_STEP, Part(ONE, ZERO, count=2)],
        [two, NORMAL],
        [NORMAL, LAPLACE, ONE_STEP],
        [NORMAL, LAPLACE],
        *([ONE_STEP, tail] for tail in (zcdp, middle, twice, Normal(ZERO), Laplace(ZERO), Normal(ONE, ONE))),
    ):
        with pytest.raises(NoPiece, match="are known together"):
            pieces.at_once(some)


def test_what_is_run_on_samples() -> None:
    half, own = number(Fraction(1, 2)), (1, 0)
    assert pieces.on_samples(ONE_STEP, None, ONE, own) == ONE_STEP
    assert pieces.on_samples(ONE_STEP, half, INFINITY, own) == ONE_STEP
    assert pieces.on_samples(Part(ONE, ZERO, 2, 3), half, ONE, own) == Together(
        ((ONE, ZERO),), 2, 3, half, own
    )
    assert pieces.on_samples(None, half, number(3), None) == Together(((ZERO, ONE),), 3, rate=half)
    for tail in (NORMAL, LAPLACE):
        assert pieces.on_samples(tail, half, ONE, own) == Together((), rate=half, own=own, tail=tail)
        assert pieces.on_samples(tail, half, number(2), own) == tail
    for other in (Normal(ZERO, ONE), Laplace(ONE, middle=True), Keyed(ONE, 2, ZERO)):
        assert pieces.on_samples(other, half, ONE, own) == other
    several = Together(((ONE, ZERO), (ZERO, half)))
    assert pieces.on_samples(several, half, ONE, own) == Together(several.pairs, rate=half, own=own)
    with pytest.raises(NoPiece, match="rate = e is no number"):
        pieces.on_samples(ONE_STEP, letter("e"), ONE, own)


# trade-off functions on samples


F = Fraction
BENT = [(F(0), F(0)), (F(1, 4), F(3, 4)), (F(1), F(1))]


def test_functions_on_samples_by_hand() -> None:
    """Half of a and half of g(a); turned round; the least that is above both; and at two records."""
    half = F(1, 2)
    mean = [(F(0), F(0)), (F(1, 4), half), (F(1), F(1))]
    assert tradeoffs._on_samples(BENT, half, 1) == mean
    assert (
        tradeoffs._on_samples(BENT, F(0), 1)[1] == (F(1, 4), F(1, 4))
        and tradeoffs._on_samples(BENT, F(1), 1) == BENT
    )
    assert tradeoffs._turned(mean) == [(F(0), F(0)), (half, F(3, 4)), (F(1), F(1))]
    flat = [(F(0), F(1, 4)), (half, F(1)), (F(1), F(1))]
    assert tradeoffs._turned(flat) == [(F(0), half), (F(3, 4), F(1)), (F(1), F(1))]
    either = [(F(0), F(0)), (F(1, 4), half), (half, F(3, 4)), (F(1), F(1))]
    assert tradeoffs._in_either(BENT, half) == either
    at_twelfth = dict(tradeoffs._on_samples(BENT, half, 2))[F(1, 12)]
    assert at_twelfth == F(1, 4) * F(1, 12) + half * F(1, 4) + F(1, 4) * F(3, 4)


def test_the_least_of_lines_by_hand() -> None:
    """Of 1, 2a, a + 1/4 and a/2 + 1/2, as of lines that do not matter."""
    lines = [(F(0), F(1)), (F(2), F(0)), (F(1), F(1, 4)), (F(1, 2), F(1, 2))]
    wanted = [(F(0), F(0)), (F(1, 4), F(1, 2)), (F(1, 2), F(3, 4)), (F(1), F(1))]
    assert tradeoffs._least(lines) == wanted == tradeoffs._least([*lines, (F(2), F(1, 9)), (F(1), F(1, 2))])
    assert tradeoffs._least([(F(0), F(1)), (F(3), F(1))]) == [(F(0), F(1)), (F(1), F(1))]
    assert [tradeoffs._at(wanted, F(x, 8)) for x in (0, 1, 2, 3, 8)] == [0, F(1, 4), F(1, 2), F(5, 8), 1]
    with pytest.raises(ValueError, match="does not lie in"):
        tradeoffs._at(wanted, F(10, 9))


def test_tables_of_losses_by_hand() -> None:
    """Outcomes of one ratio are added up; a loss of just ε counts nothing; and no more of them than so many."""
    table = Table.of([(F(2), F(1, 4)), (F(2), F(1, 4)), (F(1, 2), F(1, 4))], F(1, 4))
    assert table.masses == {F(2): F(1, 2), F(1, 2): F(1, 4)} and table.infinite == F(1, 4)
    assert [table.delta(e, 64, up) for e in (log(number(2)), log(number(4))) for up in (True, False)] == [
        F(1, 4)
    ] * 4
    assert table.delta(ZERO, 64, True) == F(1, 2) and table.delta(-log(number(4)), 64, True) == F(1, 4) + F(
        7, 16
    ) + F(1, 8)
    twice = table.and_(table)
    assert twice.infinite == F(7, 16) and twice.masses == {F(4): F(1, 4), F(1): F(1, 4), F(1, 4): F(1, 16)}
    with pytest.raises(TooManyLosses, match="more than 1 losses"):
        Table.of([(F(2), F(1, 4)), (F(1, 2), F(1, 4))], F(0), 1)
    assert Table.of([(F(2), F(1, 4)), (F(2), F(1, 4))], F(0), 1).masses == {F(2): F(1, 2)}
    third = Table({F(1): F(1, 3)}, F(1, 3))
    up, down = third.short(4, True), third.short(4, False)
    assert up.masses[F(1)] >= F(1, 3) >= down.masses[F(1)] and up.infinite >= F(1, 3) >= down.infinite
    known = Known(((F(1, 2), F(0)), (F(1, 4), F(1, 4)), (F(1, 4), F(3, 4)), (F(0), F(0))))
    assert known.table(64, True) == Table({F(1): F(1, 4), F(1, 3): F(1, 4)}, F(1, 2))
    assert known.turned.table(64, True) == Table({F(1): F(1, 4), F(3): F(3, 4)}, F(0))


@pytest.mark.parametrize("tail", [Laplace(2 * log(number(2))), Normal(ONE), Normal(number(9))])
def test_the_function_of_a_noise_lies_between_lines(tail: Laplace | Normal) -> None:
    """P of the events {loss > ε} against what the lines allow where Q is that of these, and in the other order."""
    below, above = (tradeoffs.function((), 64, up, tail) for up in (False, True))
    for n in range(13):
        q, p = tail.event(F(n, 9), 64)
        for a, y in ((q, p), (Interval.of(1) - p, Interval.of(1) - q)):
            assert tradeoffs._at(below, a.low) <= y.high and y.low <= tradeoffs._at(above, a.high)
            assert tradeoffs._at(above, a.low) - tradeoffs._at(below, a.low) < F(1, 50)
    assert below[0] == (0, 0) and above[-1] == (1, 1)


@pytest.mark.parametrize("keys", [1, 3])
def test_what_appearing_keys_tell(keys: int) -> None:
    """With p = Φ(−1) = 0.158655…: none appears with (1 − p)^keys, in which case the other is so much likelier."""
    hidden = F("0.841344746") ** keys
    for up in (True, False):
        there, back = (one.table(64, up) for one in (Appearing(ONE, keys), Appearing(ONE, keys, back=True)))
        assert abs(1 - there.infinite - hidden) < F(1, 10**8) and back.infinite == 0
        ((ratio, mass),) = there.masses.items()
        assert ratio == mass == 1 - there.infinite and back.masses == {1 / ratio: 1}
    assert Appearing(ONE, keys).table(20, True).infinite > Appearing(ONE, keys).table(20, False).infinite


def test_ways_to_have_keys() -> None:
    """Of two keys of one mechanism 0, 1 or 2 are new; of two mechanisms with one key each all pairs, as sets."""
    one, two = Keyed(ONE, 2, ZERO), Keyed(number(4), 1, ZERO, count=2)
    assert [*every_way([one], False)] == [
        (Normal(number(2)), Appearing(ZERO, 0)),
        (Normal(ONE), Appearing(ZERO, 1)),
        (Normal(ZERO), Appearing(ZERO, 2)),
    ]
    assert [*every_way([one], True)] == [(Normal(number(2)), Appearing(ZERO, 2))]
    assert len([*every_way([two], False)]) == 3 and len([*every_way([one, two], False)]) == 9
    joint = (Normal(number(8)), Appearing(ZERO, 1, count=2))
    assert [*every_way([two], True)] == [joint]
    assert [*alike_ways([two])][1] == (Normal(ZERO), Appearing(ZERO, 1, count=2)) and len(
        [*alike_ways([one, two])]
    ) == 3
