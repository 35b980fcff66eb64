"""Formulas where distances are ∞, and the largest of values: each by hand."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from dpcompose.kernel import infinity, saved, written_out
from dpcompose.kernel.composition.losses import NoLoss
from dpcompose.kernel.core.assumptions import Assumption
from dpcompose.kernel.core.orders import Orders
from dpcompose.kernel.deciders.curves import outcomes
from dpcompose.kernel.deciders.curves.outcomes import Alike
from dpcompose.kernel.expressions import forms, metrics, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import NONNEGATIVE, REAL, Domain
from dpcompose.kernel.expressions.terms import (
    HALF,
    INFINITY,
    ONE,
    ZERO,
    Term,
    exp,
    largest,
    least,
    letter,
    log,
    number,
    over,
    sqrt,
)
from dpcompose.kernel.rules import parameters

D, E, F = (metrics.letter(f"d__{name}") for name in "abc")
"""Distances: two that are ∞, and one that is 3."""
FAR = {"d__a": INFINITY, "d__b": INFINITY, "d__c": number(3)}
A, B, C, X = letter("a"), letter("b"), letter("c", NONNEGATIVE), letter("x", REAL)
K, MEMBER = letter("k", Domain.read("integer >= 2")), letter("e[i]")


@pytest.mark.parametrize(
    ("term", "value"),
    [
        (D + 1, INFINITY),
        (D + E, INFINITY),
        (A * D, INFINITY),
        (C * D, INFINITY),  # also where c is 0
        (D * E, INFINITY),
        (-D * (1 - E), INFINITY),
        (F + 2, number(5)),
        (exp(-D), ZERO),
        (A * exp(-D) + F, number(3)),
        (exp(D - 1), INFINITY),
        (log(D), INFINITY),
        (log(1 + D), INFINITY),
        (sqrt(D), INFINITY),
        (D**2, INFINITY),
        (terms.power(D, A), INFINITY),
        (1 / D, ZERO),
        (A / D**2 + B, B),
        ((1 - D) ** 2, INFINITY),
        ((1 - D) ** 4 + D, INFINITY),
        (-((1 - D) ** 3), INFINITY),
        (1 / (1 - D), ZERO),
        ((1 - D) ** -2, ZERO),
        (largest(D, A), INFINITY),
        (largest(-D, A), A),
        (largest(1 - D, F), number(3)),
        (least(D, A), A),
        (least(D, E, A + F), A + 3),
        (least(D, E), INFINITY),
        (terms.top(2, [-D, A, B]), A + B),
        (terms.top(2, [D, A, B]), INFINITY),
        (over(2, MEMBER * D, K), INFINITY),
        (over(K, MEMBER * exp(-D), K) + A, A),
    ],
)
def test_a_formula_where_a_distance_is_without_end(term: Term, value: Term) -> None:
    assert infinity.at(term, FAR) == value


@pytest.mark.parametrize(
    "term",
    [
        -D,
        D - E,
        X * D,
        -A * D,
        D * exp(-E),
        X + 1 - D,
        largest(-D, -E),
        terms.top(2, [-D, -E, A]),
        terms.top(2, [D, -E, -E - 1]),
        (1 - D) ** 3,
        sqrt(1 - D),
        terms.power(D, X),
        terms.power(1 - D, A),
        terms.power(A, D),
        log(exp(-D)) if log(exp(-D)).kind == "log" else -D,
        over(2, -MEMBER * D, K),
        1 - least(D, E),
    ],
)
def test_a_formula_that_has_no_value_without_end(term: Term) -> None:
    with pytest.raises(infinity.NoValue):
        infinity.at(term, FAR)


def test_what_is_assumed_tells_which_way_a_product_goes() -> None:
    above, below = Assumption(X, ">", ONE), Assumption(X, "<", -ONE)
    assert infinity.at(X * D, FAR, (above,)) == INFINITY == infinity.at(-X * D, FAR, (below,))
    with pytest.raises(infinity.NoValue):
        infinity.at(X * D, FAR, (below,))


def test_maxima_are_compared_part_by_part() -> None:
    """By squares only where no part may be below 0; 0 is not."""

    def apart(value: Term, squared: bool) -> bool:
        return parameters._is_taken_apart(value, squared, forms.NOTHING)

    both, real = largest(A, C), largest(A, X)
    assert apart(both, True) and apart(both, False) and apart(real, False) and not apart(real, True)
    for value in (A, A + both, terms.top(2, [A, B, C]), terms.over(1, MEMBER, K)):
        assert not apart(value, False) and not apart(value, True)


def test_the_largest_and_the_least_of_values() -> None:
    assert parameters.largest([ONE, number(2), A, number(2)], False, forms.NOTHING) == largest(number(2), A)
    assert parameters.largest([largest(A, B), B], False, forms.NOTHING) == largest(A, B)
    assert parameters.largest([A], True, forms.NOTHING) == A
    assert parameters.largest([sqrt(number(2)), sqrt(number(3))], False, forms.NOTHING) == sqrt(number(3))
    assert (
        parameters.smallest([INFINITY, A, B]) == least(A, B) and parameters.smallest([INFINITY]) == INFINITY
    )
    assert parameters.smallest([A]) == A


def test_a_claim_is_read_with_its_orders_and_with_omega_as_1_over_tau() -> None:
    e = {"e": letter("e")}
    read = saved._claim({"notion": "tcdp", "rho": "e", "omega": "4"}, e)
    assert read == ("tcdp", {"rho": e["e"], "tau": number(HALF**2)}, None)
    notion, values, orders = saved._claim({"notion": "renyi", "epsilon": "alpha*e", "orders": "(1, 2]"}, e)
    assert (notion, orders) == ("renyi", "(1, 2]") and set(values["epsilon"].letters) == {"alpha", "e"}
    assert values["epsilon"].letters["alpha"] == Orders.read("(1, 2]").domain
    assert saved._claim({"notion": "pure", "epsilon": "e"}, e) == ("pure", {"epsilon": e["e"]}, None)


def test_what_shows_a_square_to_be_at_least_another_is_all_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """That the greater side is never negative, where that is not seen, and the squares."""

    def shown(greater: Term, lesser: Term, certificate: object, assumed: object) -> frozenset[str]:
        asked.append((greater, lesser))
        return frozenset({str(certificate)})

    asked: list[tuple[Term, Term]] = []
    monkeypatch.setattr(parameters.comparison, "check_at_least", shown)
    theory: Any = SimpleNamespace(rule=lambda _: SimpleNamespace(head=SimpleNamespace(squared=("mu",))))
    setting: Any = SimpleNamespace(assumed=(), known=forms.NOTHING)
    both = {"not negative": "first", "squares": "second"}

    def at_least(greater: Term, key: str = "mu", certificate: Any = both) -> frozenset[str]:
        asked.clear()
        return parameters.at_least(setting, theory, "gaussian", key, greater, A, certificate)

    assert at_least(X) == {"first", "second"} and asked == [(X, ZERO), (X**2, A**2)]
    assert at_least(B) == {"second"} and asked == [(B**2, A**2)]
    assert at_least(A + B, certificate={"squares": "s", "summands": True}) == {"s"} and asked == [
        (A**2 + B**2, A**2)
    ]
    assert at_least(X, "rho", "whole") == {"whole"} and asked == [(X, A)]
    assert at_least(X, certificate="whole") == {"whole"} and at_least(A) == frozenset() == at_least(INFINITY)
    with pytest.raises(BadCertificate, match="is oo"):
        parameters.at_least(setting, theory, "gaussian", "mu", A, INFINITY, both)


@dataclass(frozen=True)
class Known:
    """What two mechanisms that are alike are known by: their noise, or their guarantees alone."""

    by_noise: bool = True
    losses: tuple[None, ...] = (None,)

    @property
    def page(self) -> Any:
        return SimpleNamespace(id=f"by noise: {self.by_noise}", head=SimpleNamespace(parts={}))

    @property
    def setting(self) -> Any:
        return SimpleNamespace(assumed=())

    def mechanism(self, i: int) -> Any:
        return SimpleNamespace(sampled=None)

    def members(self, i: int, many: Any) -> Term:
        return number(many)

    def asked(self, parts: Any, loss: Any) -> list[Any]:
        guarantee = {"epsilon": "epsilon", "delta": "0"}
        return [({"ratio": "r/b"}, {"b": B}) if self.by_noise else (guarantee, {"epsilon": 1 / B})]


def test_several_that_are_alike_have_the_formula_of_their_guarantees() -> None:
    """One of them has that of its noise."""
    curves: Any = Known()
    for many, page in ((2, "by noise: False"), (1, "by noise: True")):
        moves = ((1, ((many, ONE),)),)
        kind = SimpleNamespace(lost=(), moves=moves, every=moves)
        found, pages = written_out.delta(curves, ZERO, SimpleNamespace(types=(kind, kind)))  # type: ignore[arg-type]
        wanted = outcomes.delta([Alike(1 / B, ZERO, number(2))], ZERO) if many == 2 else 1 - exp(-1 / (2 * B))
        assert found == wanted and pages == {page}
    lost = SimpleNamespace(lost=(1,), moves=(), every=())
    apart = SimpleNamespace(lost=(), moves=(), every=((1, ()),))
    for other in (lost, apart):
        with pytest.raises(NoLoss, match="known number of steps"):
            written_out.delta(curves, ZERO, SimpleNamespace(types=(other,)))  # type: ignore[arg-type]
