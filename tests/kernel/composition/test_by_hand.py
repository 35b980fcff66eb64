"""What losses are known by, function by function, by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

from dpcompose.kernel import saved, written_out
from dpcompose.kernel.composition import apart, given_tables, seen
from dpcompose.kernel.composition.given import letters
from dpcompose.kernel.composition.losses import Composition, NoLoss, at_distance
from dpcompose.kernel.core.orders import Orders
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.core.settings import Mechanism, Relation, Stated
from dpcompose.kernel.covers.records import Records
from dpcompose.kernel.deciders.curves import canonical, spreads
from dpcompose.kernel.deciders.curves.curves import Curve
from dpcompose.kernel.deciders.curves.tails import Laplace
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.intervals import Interval
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, letter, number, sqrt
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.rules import orders as by_orders
from dpcompose.kernel.rules.premises import BadStep
from dpcompose.proof.theory.registry import standard

of: Any = SimpleNamespace
NOTHING: Any = None
F, R, E, E_I = Fraction, letter("r"), letter("e"), letter("e[i]")


@pytest.mark.parametrize(
    ("value", "power"),
    [
        *(
            (value, True)
            for value in (ZERO, INFINITY, R, R * R, 2 * R, E * R, E * R**2, R ** number(F(3, 2)))
        ),
        *(
            (value, False)
            for value in (sqrt(R), E * sqrt(R), 1 / R, ONE, E, 1 + R, terms.exp(R), -R, R * terms.exp(R))
        ),
        *((value, False) for value in (E**R, (E - 1) * R)),
    ],
)
def test_powers_from_1_on_are_convex(value: Any, power: bool) -> None:
    assert seen.is_power(value, R) is power


@pytest.mark.parametrize(
    ("epsilon", "delta", "r", "there"),
    [
        (ZERO, E, R, R * E),  # GB VI.3: delta*d_G for epsilon = 0, for any number of steps
        (ZERO, E_I, 2 * R, 2 * R * E_I),
        (ZERO, E, number(3), 3 * E),
        (E, ZERO, R, ZERO),
        (E, ONE, R, (terms.exp(R * E) - 1) / (terms.exp(E) - 1)),
    ],
)
def test_deltas_of_any_number_of_steps(epsilon: Any, delta: Any, r: Any, there: Any) -> None:
    rule = standard().in_kernel.rule("approximate")
    assert at_distance(rule, {"epsilon": epsilon, "delta": delta}, r) == {
        "epsilon": r * epsilon,
        "delta": there,
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("sum(e, j, 0, r - 1)", R * E),
        ("sum(e, j, 2, r)", (R - 1) * E),
        ("sum(e*j, j, 0, r)", None),
        ("max(e, j, 0, r)", None),
        ("sum(e, j, 0, r) + j", None),
    ],
)
def test_a_sum_of_what_is_alike_may_have_any_number_of_terms(text: str, value: Any) -> None:
    def read() -> Any:
        return formulas.parse(text, {"e": E, "r": R}, {"": []})

    if value is not None:
        assert read() == value
        return
    with pytest.raises(formulas.FormulaError):
        read()


def test_a_quotient_is_at_most_1() -> None:
    def over(low: int, high: int, small: Any, large: Any) -> tuple[Fraction, Fraction]:
        found = canonical._over(Interval(F(low), F(high)), Interval(F(small), F(large)))
        return found.low, found.high

    assert over(1, 1, 2, 4) == (F(1, 4), F(1, 2)) and over(2, 3, 0, 4) == (F(1, 2), 1)
    assert over(4, 6, 2, 4) == (1, 1) and over(2, 2, 2, 4) == (F(1, 2), 1) and over(0, 0, 0, 4) == (0, 0)


def test_adaptively_only_one_of_several_middles_is_what_it_is_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spreads, "together", lambda *_: of(high=F(7, 8)))
    for count, adaptive in product((1, 2, 3), (False, True)):
        curve = Curve((), laplace=(Laplace(ONE, count, middle=True),), adaptive=adaptive)
        assert (curve.above(number(F(1, 2)), 64) == F(7, 8)) is (count == 1 or not adaptive)


def test_a_problem_is_a_table() -> None:
    anything: Any = None
    for problem in (None, [], "claims", 1):
        with pytest.raises(saved.Refused, match="the problem cannot be read"):
            saved._stated(problem, [], anything, {})


def test_rows_of_neighbours_are_those_of_values_or_of_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Databases 0, 1, 2, of which values 1, 1, 0 are read; neighbours are one apart."""
    monkeypatch.setattr(given_tables, "related", lambda _, count: [(n, n + 1) for n in range(count - 1)])

    def pairs(domain: str, on: str) -> Any:
        made = of(stated=1, table=of(on=on), domain=domain)
        return [*given_tables._pairs(made, of(databases=of(count=3)), (1, 1, 0))]

    assert pairs("common", "databases") == [(0, 1), (1, 2)] and pairs("common", "values") == [(1, 0)]
    assert pairs("own", "values") == pairs("own", "databases") == [(0, 1)]


def test_all_by_which_a_mechanism_is_given() -> None:
    names = [letter(name) for name in "abcdefghijklm"]
    a, b, c, d, e, f, g, h, i, j, *_ = names

    def said(**values: Any) -> Any:
        return tuple(values.items())

    inner = of(
        values=said(x=j), metric=None, also=(), sampled=None, count=None, noise=None, table=None, study=None
    )
    known: dict[str, Any] = {
        "values": said(epsilon=a),
        "metric": of(formulas=said(epsilon=b * letter("d__x"))),
        "also": (of(metric=None, values=said(rho=c)),),
        "sampled": of(values=said(q=d)),
        "count": e,
        "noise": of(parameter=f, query=of(values=said(b=g)), besides=said(l=h)),
        "table": of(rows=((i,),)),
        "study": of(mechanisms=[inner]),
    }
    nothing = dict.fromkeys(known) | {"values": (), "also": ()}
    found = {key: letters(of(**nothing | {key: value})) for key, value in known.items()}
    assert found == {
        **{"values": [a], "metric": [b], "also": [c], "sampled": [d], "count": [e], "noise": [f, g, h]},
        **{"table": [i], "study": [j]},
    }
    assert letters(of(**nothing | {"noise": of(parameter=f, query=None, besides=())})) == [f]


def test_deals_are_further_and_further_apart_of_other_sizes() -> None:
    """Where one comes and none goes, for guarantees by which one may; of multisets of any size."""

    def apart(removed: int, added: int, size: Any = None, **other: Any) -> Any:
        stated = Relation(((0, 1), (1, 0))) if "stated" not in other else other["stated"]
        never = of(dealt=False, stated=None)
        made = [never, of(dealt=other.get("dealt", True), stated=stated), never]
        databases = of(size=("any", size), letter=other.get("letter"))
        asked = of(setting=of(mechanisms=made, databases=databases))
        return Records.deals_apart(asked, {(2, None): (removed, added)})

    assert (
        apart(0, 1) == apart(2, 1) == {2}
        and apart(1, 1) == apart(0, 1, 9) == apart(0, 1, letter=E) == frozenset()
    )
    assert (
        apart(0, 1, dealt=False)
        == apart(0, 1, stated=None)
        == apart(0, 1, stated=Relation(((1, 1),)))
        == frozenset()
    )


def test_what_is_written_out_is_asked_of_the_mechanism_itself() -> None:
    asked = [(("key", "text"),)]

    def curves(*found: Any) -> Any:
        return of(
            page=of(head=of(parts="parts")),
            losses="abc",
            asked=lambda parts, loss: [*found] if loss == "b" else [],
        )

    assert written_out._asked(curves((asked[0], {"e": E})), 2) == ({"key": "text"}, {"e": E})
    with pytest.raises(NoLoss, match="one guarantee each"):
        written_out._asked(curves((asked[0], {}), (asked[0], {})), 2)


@pytest.mark.parametrize(
    ("other", "there"),
    [
        ({}, True),
        ({"count": number(2)}, False),
        ({"texts": {"of": "2*r*e", "more": "r"}}, False),
        ({"known": {"e": E_I}}, False),
        ({"texts": {"other": "r"}}, False),
        ({"sampled": 1}, False),
    ],
)
def test_the_least_delta_of_one_is_by_its_law(
    other: Any, there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {"count": ONE, "texts": {"of": "2*r*e"}, "known": {"e": E}, "sampled": None} | other
    monkeypatch.setattr(written_out, "_asked", lambda *_: (known["texts"], known["known"]))
    monkeypatch.setattr(written_out, "OF_ONE", {"of": lambda value, epsilon, assumed: value + epsilon})
    curves = of(mechanism=lambda i: of(sampled=known["sampled"]), setting=of(assumed=()))
    found = written_out._of_law(curves, ONE, 1, known["count"], number(3))
    assert found == (6 * E + 1 if there else None)


def test_guarantees_are_numbered_from_0() -> None:
    known = {"stated": Relation(((1, 1),)), "domain": "own", "notion": "pure", "values": (), "curve": None}
    made = of(name="M", **known, metric=None, noise=None, also=("first", "second"))
    guarantee: Any = Mechanism.guarantee
    assert guarantee(made, 0) == Stated(*known.values(), None)
    assert [guarantee(made, n) for n in (1, 2)] == ["first", "second"]
    for n, other in (
        (3, {}),
        (-1, {}),
        (1, {"stated": None}),
        (0, {"stated": None, "metric": 1, "noise": None, "also": ()}),
    ):
        made = of(**vars(made) | other)
        if other.get("metric"):
            assert guarantee(made, n).metric == 1
        else:
            with pytest.raises(BadSetting, match=f"no guarantee {n}"):
                guarantee(made, n)


def test_a_maximum_compares_its_members() -> None:
    """The sum of the two largest is no maximum, and an absolute value stays as it is."""
    a, b = letter("a"), letter("b")
    size = terms.top(1, [a - b, b - a])
    assert {*terms._compared(terms.top(1, [a, b]))} == {a, b} and terms._compared(a) == (a,)
    two = terms.top(2, [a, b, E])
    assert terms._compared(two) == (two,) and terms._compared(size) == (size,)


def test_what_sets_nothing_apart_has_nothing_besides(monkeypatch: pytest.MonkeyPatch) -> None:
    """M_1 and M_3 set δ apart; of M_2, which has another guarantee, ρ and δ are 0 there."""
    monkeypatch.setattr(apart.losses, "check_composes", lambda *_, **more: None)
    monkeypatch.setattr(apart, "Composition", lambda some, *_: some)
    theory: Any = of(rule=lambda _: of(head=of(parameters=("rho", "delta"))))

    def loss(i: int, *keys: str, notion: str = "zcdp") -> Any:
        return of(mechanism=i, notion=notion, values=(("rho", E), ("delta", R)), apart=lambda _: keys)

    some = [loss(1, "delta"), loss(2, notion="pure"), loss(3, "delta")]
    found = apart.apart(some, NOTHING, theory)
    zeros, known = (("rho", ZERO), ("delta", ZERO)), (("rho", E), ("delta", R))
    assert [(one.mechanism, one.notion, one.values) for one in found.rest] == [  # type: ignore[attr-defined]
        (i, "zcdp", values) for i, values in ((1, known), (2, zeros), (3, known))
    ]
    assert found.key == "delta" and found.which == {1, 3}
    for bad in ([loss(1)], [loss(1, "delta"), loss(2, "rho")], [loss(1, "rho", "delta")], []):
        with pytest.raises(NoLoss, match="apart"):
            apart.apart(bad, NOTHING, theory)


def test_by_a_rule_that_does_not_add_nothing_is_lost_where_nothing_moves() -> None:
    def by(formula: str, *moves: Any, count: Any = None) -> Any:
        mechanisms = [of(count=count), of(count=None)]
        lost = [of(at=lambda r, _, n=n: {"d": n * r}) for n in (2, 3)]
        rule = of(id="rule", head=of(composition={"d": formula}))
        asked = of(rule=rule, setting=of(mechanisms=mechanisms), losses=lost, theory=None)
        asked._of_any_member = lambda i, r, key: number(i) * r
        return Composition._by_formula(asked, "d", moves)

    one, two = (1, ((1, number(5)),)), (2, ((1, ONE), (1, number(2))))
    assert by("max(d[i], i, 1, k)", one, two) == number(5) and by("max(d[i], i, 1, k)") == ZERO
    assert by("1 - prod(1 - d[i], i, 1, k)", one, two) == number(1 - (1 - 10) * (1 - 3))
    assert by("k + 1 - prod(1 - d[i], i, 1, k)") == ZERO and by("k + d[1]", two) == number(4)
    with pytest.raises(NoLoss, match="a family needs"):
        by("k", one, count=E)


def test_what_is_said_of_orders_does_not_depend_on_them_elsewhere() -> None:
    ordered = [True]
    theory: Any = of(rule=lambda _: of(head=of(ordered=ordered[0])))
    setting: Any = of(at_orders=lambda read: of(hash=("at", str(read))))
    orders = str(Orders.read("(1, oo)"))

    def says(value: Any, hash: Any = ("at", orders), kind: Any = Satisfies) -> Any:
        said = kind("pure", (("epsilon", value),)) if kind is Satisfies else kind
        return by_orders.at_orders(setting, theory, [of(setting=hash, says=said)], orders="(1, oo)")[0]  # type: ignore[list-item]

    assert says(letter("alpha")).of == Satisfies("pure", (("epsilon", letter("alpha")),))
    ordered[0] = False
    assert says(E) == Satisfies("pure", (("epsilon", E),))
    for bad in ({"value": letter("alpha")}, {"value": E, "hash": "other"}, {"value": E, "kind": "more"}):
        with pytest.raises(BadStep):
            says(**bad)
