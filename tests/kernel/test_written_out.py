"""The least δ as a formula, by hand: of one law, of guarantees that are alike, and of which it is not written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from dpcompose.kernel import written_out
from dpcompose.kernel.composition.losses import NoLoss
from dpcompose.kernel.deciders.curves.outcomes import Alike
from dpcompose.kernel.expressions.domains import UNIT_INTERVAL, Domain
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term, least, letter, number

of: Any = SimpleNamespace
TWO, HALF = number(2), number(Fraction(1, 2))
E, D, U, X = letter("e"), letter("d"), letter("u", UNIT_INTERVAL), letter("x", Domain.read("real"))
MEMBER = letter("e[i]")


def near(found: Term, value: float) -> bool:
    interval = enclosure(found, 64)
    return abs(float(interval.low) - value) < 1e-12 and abs(float(interval.high) - value) < 1e-12


@pytest.mark.parametrize(("wide", "epsilon"), [(4, 2), (4, 0), (4, 4), (1, Fraction(1, 2)), (2, 1)])
def test_losses_in_an_interval(wide: int, epsilon: Any) -> None:
    """(1 - e^((ε - w)/2))²/(1 - e^(-w)): all is lost at 0, nothing at w."""
    value = (1 - math.exp((epsilon - wide) / 2)) ** 2 / (1 - math.exp(-wide))
    assert near(written_out._of_interval(number(wide), number(epsilon), ()), value)


@pytest.mark.parametrize(("ratio", "epsilon"), [(2, 1), (2, 2), (2, -2), (2, 0), (1, Fraction(-1, 2))])
def test_laplace_noise(ratio: int, epsilon: Any) -> None:
    value = 1 - math.exp((epsilon - ratio) / 2)
    assert near(written_out._of_laplace(number(ratio), number(epsilon), ()), value)


def test_an_epsilon_that_lies_elsewhere() -> None:
    for wide, epsilon in ((TWO, number(3)), (TWO, number(-1)), (INFINITY, ONE), (E, TWO), (TWO, X)):
        with pytest.raises(NoLoss, match="not seen to lie between 0"):
            written_out._of_interval(wide, epsilon, ())
    for ratio, epsilon in ((TWO, number(3)), (TWO, number(-3)), (INFINITY, ONE), (TWO, E)):
        with pytest.raises(NoLoss, match="not seen to lie between the least"):
            written_out._of_laplace(ratio, epsilon, ())
    assert written_out._of_laplace(E, ZERO, ()) == 1 - written_out.terms.exp(-E / 2)


TEXTS = {"epsilon": "2*a", "delta": "b"}


@pytest.mark.parametrize(
    ("b", "delta"), [(HALF, HALF), (ONE, ONE), (ZERO, ZERO), (U, U), (D, least(ONE, D)), (TWO, ONE)]
)
def test_guarantees_that_are_alike(b: Term, delta: Term) -> None:
    """δ above 1 is read as 1."""
    assert written_out._alike(TEXTS, {"a": E, "b": b}, number(3), ONE, ()) == Alike(2 * E, delta, number(3))


@pytest.mark.parametrize(
    ("texts", "known", "r"),
    [
        ({"epsilon": "a"}, {"a": E, "b": D}, ONE),
        ({**TEXTS, "rho": "a"}, {"a": E, "b": D}, ONE),
        ({"rho": "a"}, {"a": E}, ONE),
        (TEXTS, {"a": INFINITY, "b": D}, ONE),
        (TEXTS, {"a": E, "b": INFINITY}, ONE),
        (TEXTS, {"a": E, "b": D}, TWO),
        (TEXTS, {"a": MEMBER, "b": D}, ONE),
        (TEXTS, {"a": E, "b": MEMBER}, ONE),
    ],
)
def test_guarantees_that_are_not(texts: Mapping[str, str], known: Mapping[str, Term], r: Term) -> None:
    with pytest.raises(NoLoss, match="the formula is for"):
        written_out._alike(dict(texts), dict(known), ONE, r, ())


def curves(
    *asked: tuple[dict[str, str], dict[str, Term]], page: str = "law", more: bool = False, **mechanism: Any
) -> Any:
    """Of each mechanism what its page asks for, and the values of letters there."""
    return of(
        setting=of(assumed=()),
        page=of(id=page, head=of(parts=None)),
        losses=list(asked),
        members=lambda _, many: number(many) if isinstance(many, int) else many,
        mechanism=lambda _: of(**{"sampled": None, **mechanism}),
        asked=lambda _, loss: [(tuple(loss[0].items()), loss[1])] * (2 if more else 1),
    )


RANGE = ({"range": "w*r"}, {"w": TWO})
LAPLACE = ({"ratio": "r/b"}, {"b": HALF})


def test_one_mechanism_by_its_law() -> None:
    """Two steps apart: the interval has the length 2·2, the ratio is 2/(1/2)."""
    found = [written_out._of_law(curves(one), ONE, 1, ONE, TWO) for one in (RANGE, LAPLACE)]
    assert found[0] is not None and near(found[0], (1 - math.exp(-1.5)) ** 2 / (1 - math.exp(-4)))
    assert found[1] is not None and near(found[1], 1 - math.exp(-1.5))
    second = written_out._of_law(curves(RANGE, LAPLACE), ONE, 2, ONE, TWO)
    assert second is not None and near(second, 1 - math.exp(-1.5))


def test_no_law_is_written_out() -> None:
    """Of several mechanisms, with more parameters, of members, of another law, on samples."""
    for one, count, more in (
        (RANGE, TWO, {}),
        (RANGE, letter("k"), {}),
        (({**RANGE[0], "delta": "0"}, RANGE[1]), ONE, {}),
        ((RANGE[0], {"w": MEMBER}), ONE, {}),
        ((RANGE[0], {"w": TWO, "v": MEMBER}), ONE, {}),
        (({"epsilon": "w"}, {"w": TWO}), ONE, {}),
        (RANGE, ONE, {"sampled": of()}),
    ):
        assert written_out._of_law(curves(one, **more), ONE, 1, count, ONE) is None  # type: ignore[arg-type]
    with pytest.raises(NoLoss, match="one guarantee each"):
        written_out._of_law(curves(RANGE, more=True), ONE, 1, ONE, ONE)


def type_of(*moves: tuple[int, int, Term], lost: Any = (), every: Any = None) -> Any:
    told = tuple((i, ((many, r),)) for i, many, r in moves)
    return of(moves=told, lost=lost, every=told if every is None else every)


GIVEN = ({"epsilon": "a", "delta": "b"}, {"a": letter("s"), "b": ZERO})
S = letter("s")


def test_types_by_a_law_or_by_guarantees(monkeypatch: pytest.MonkeyPatch) -> None:
    """One mechanism has its law; two, or one without a law, have the guarantees of all: here (e^s - 1)/(e^s + 1)."""
    law, guarantees = curves(RANGE, RANGE), curves(GIVEN, GIVEN, page="all")
    monkeypatch.setattr(
        written_out, "replace", lambda it, **more: guarantees if more == {"by_noise": False} else it
    )
    alone, both = type_of((1, 1, ONE)), type_of((1, 1, ONE), (2, 1, ONE))
    value, page = written_out._of_type(law, guarantees, ONE, alone)
    assert page == "law" and near(value, (1 - math.exp(-0.5)) ** 2 / (1 - math.exp(-2)))
    rest = written_out.outcomes.delta([Alike(S, ZERO, TWO)], ZERO)
    pair = written_out.outcomes.delta([Alike(S, ZERO, ONE)] * 2, ZERO)
    assert written_out._of_type(law, guarantees, ZERO, both) == (pair, "all")
    assert written_out._of_type(law, guarantees, ZERO, type_of((1, 2, ONE))) == (rest, "all")
    assert written_out._of_type(curves(GIVEN), guarantees, ZERO, alone)[1] == "all"
    largest, pages = written_out.delta(law, ZERO, of(types=[alone, both, alone]))
    first = written_out._of_interval(TWO, ZERO, ())
    assert largest == written_out.terms.top(1, [first, pair]) and pages == {"law", "all"}


@pytest.mark.parametrize(
    "type",
    [
        type_of((1, 1, ONE), lost=((1, ONE, ()),)),
        type_of((1, 1, ONE), every=((1, ()), (2, ()))),
        type_of(every=((1, ()),)),
    ],
)
def test_types_of_inputs_that_move_by_no_steps(type: Any) -> None:
    with pytest.raises(NoLoss, match="a known number of steps apart"):
        written_out._of_type(curves(RANGE, RANGE), curves(GIVEN, GIVEN), ONE, type)
