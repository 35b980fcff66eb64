"""Closer deltas than the rule's: values by hand, and exact tables.

With ε = ln 2 all probabilities of the mechanisms here are rational, so what they lose is found by plain
enumeration of their outcomes.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import oracle
import pytest
import rechecks
import strategies
import sympy
from against_oracle import as_many as many
from hypothesis import given
from hypothesis import strategies as st
from oracle import INFINITY

import dpcompose as dpc
from dpcompose.front.documents.limits import first_distance, warnings
from dpcompose.front.studies import as_json
from dpcompose.front.studies.study import Study
from dpcompose.language import formulas
from dpcompose.privacy import problems
from dpcompose.proof.theory.registry import standard

AB = dpc.multisets({"a", "b"})
UNIT = {f"d{i}": "in (0,1)" for i in range(1, 5)}
LOG2 = "log(2)"


def on_everything(
    *stated: tuple[object, object],
    target: Any = dpc.unbounded,
    parameters: dict[str, str] | None = None,
    adaptive: bool = False,
) -> Study:
    """Mechanisms on everything with add/remove guarantees (ε, δ)."""
    names = {name for _, d in stated for name in UNIT if name in str(d)}
    return dpc.compose(
        *(
            dpc.mechanism(f"M{i}", dpc.approximate(e, d, dpc.unbounded))
            for i, (e, d) in enumerate(stated, start=1)
        ),
        on=AB,
        target=target,
        parameters={name: UNIT[name] for name in names} if parameters is None else parameters,
        adaptive=adaptive,
    )


def verdict(study: Study, epsilon: object, delta: object) -> tuple[str, bool | None]:
    """The verdict on a claim; what is proved or refuted is accepted again from the saved derivation."""
    claim = study.claim(dpc.approximate(epsilon, delta))
    found = study.check(claim)
    rechecks.rechecked(study, [found])
    return found.verdict, found.loose


# ---------------------------------------------------------------- by hand

TWO, THREE = (("e1", "d1"), ("e2", "d2")), (("e1", "d1"), ("e2", "d2"), ("e3", "d3"))
TOGETHER = [
    (TWO, "1 - (1 - d1)*(1 - d2)", ("proved", False)),
    (TWO, "d1 + d2", ("proved", True)),
    (TWO, "d1 + d2 - d1*d2/2", ("proved", True)),
    (TWO, "max(d1 + d2 - d1*d2, d1)", ("proved", False)),
    (TWO, "d1 + d2 - 101/100*d1*d2", ("refuted", None)),
    (THREE, "1 - (1 - d1)*(1 - d2)*(1 - d3)", ("proved", False)),
    (THREE, "d1 + d2 + d3 - d1*d2", ("proved", True)),  # no term of the difference has one sign
    (THREE, "d1 + d2 + d3 - d1*d2 - d1*d3 - d2*d3 + d1*d2*d3/2", ("refuted", None)),
    ((("e1", "d1"), ("e2", "1")), "1", ("proved", False)),
    ((("e1", "1/2"), ("0", "1/3")), "2/3", ("proved", False)),
    ((("e1", "1/2"), ("0", "1/3")), "3/4", ("proved", True)),
    ((("e1", "1/2"), ("0", "1/3")), "13/20", ("refuted", None)),
    ((("e1", "d1"), ("e2", "0")), "d1", ("proved", False)),
    ((("e1", "d1"), ("e1", "d1"), ("e1", "d1")), "1 - (1 - d1)**3", ("proved", False)),
    ((("e1", "d1"), ("e1", "d1"), ("e1", "d1")), "3*d1 - 2*d1**2", ("proved", True)),
    ((("e1", "d1"), ("e1", "d1"), ("e1", "d1")), "3*d1 - 4*d1**2 + 2*d1**3", ("refuted", None)),
]


@pytest.mark.parametrize(("stated", "delta", "expected"), TOGETHER)
@pytest.mark.parametrize("adaptive", [False, True])
def test_together(stated: Any, delta: str, expected: tuple[str, bool | None], adaptive: bool) -> None:
    study = on_everything(*stated, adaptive=adaptive)
    epsilon = "+".join(e for e, _ in stated)
    found = verdict(study, epsilon, delta)
    assert found == expected or (delta == "d1" and found == ("proved", None))


def test_the_printed_guarantee_is_the_best_that_has_a_formula() -> None:
    study = on_everything(*TWO)
    said = "unbounded (e1 + e2, 1 - (1 - d1)*(1 - d2))-DP, by GB:VI.5 and approximate-together; optimal"
    assert str(study.guarantee()) == said
    assert study.bound.optimal and not study.bound.smaller_is_known
    assert as_json.problem_data("f", study, study.bound, [])["optimal"] is True
    alone = on_everything(TWO[0])
    assert str(alone.guarantee()) == "unbounded (e1, d1)-DP, by GB:VI.5; optimal"


def test_deltas_without_a_limit() -> None:
    """1 − (1 − 3)(1 − 3) = −3 is no guarantee: a product needs all δ but one to be at most 1."""
    for parameters, proved in (({}, False), ({"d1": "in (0,1)"}, True)):
        study = on_everything(*TWO, parameters=parameters)
        assert (verdict(study, "e1 + e2", "1 - (1 - d1)*(1 - d2)")[0] == "proved") is proved
        assert verdict(study, "e1 + e2", "d1 + d2")[0] == "proved"
        assert not study.bound.optimal


def test_parts_of_a_replacement() -> None:
    """Two of three parts move: the largest 1 − (1 − δ_i)(1 − δ_j)."""
    three = dpc.multisets({"a", "b", "c"})
    parts = dpc.record_partition(three, ["a"], ["b"], ["c"])
    study = dpc.compose(
        *(
            dpc.mechanism(f"M{i}", dpc.approximate(f"e{i}", f"d{i}", dpc.bounded, "common"), reads=f)
            for i, f in enumerate(parts, start=1)
        ),
        on=three,
        target=dpc.bounded,
        parameters={name: UNIT[name] for name in ("d1", "d2", "d3")},
    )
    epsilon = "top(2, e1, e2, e3)"
    pairs = "max(d1 + d2 - d1*d2, d1 + d3 - d1*d3, d2 + d3 - d2*d3)"
    assert verdict(study, epsilon, pairs) == ("proved", False)
    assert verdict(study, epsilon, "top(2, d1, d2, d3)") == ("proved", True)
    assert verdict(study, epsilon, "max(d1 + d2 - d1*d2, d1 + d3 - d1*d3)")[0] == "refuted"
    assert verdict(study, "e1 + e2", pairs)[0] == "refuted"  # with a larger e3, by the curve of M1 and M3


def test_repeated() -> None:
    text = (
        "format = 1\n[parameters]\nd = 'in (0,1)'\n[databases]\nkind = 'multisets'\n[target]\n"
        "granularity = 'unbounded'\n[[mechanisms]]\nname = 'M'\nrepeat = {}\n"
        "guarantee = {{ notion = 'approximate', epsilon = 'e', delta = 'd', granularity = 'unbounded' }}\n"
    )
    five = Study(problems.read_text(text.format(5)).setting)
    assert verdict(five, "5*e", "1 - (1 - d)**5") == ("proved", False)
    assert verdict(five, "5*e", "5*d - 9*d**2") == ("refuted", None)
    many = Study(problems.read_text(text.format(500)).setting)
    assert verdict(many, "500*e", "500*d")[0] == "proved"


STEPS = [
    (2, "e", "d1", "d1*(1 + exp(e))", ("proved", True)),
    (2, "e", "d1", "1 - exp(-e)*(1 - 2*d1)", ("proved", True)),
    (2, "e", "d1", "min(d1*(1 + exp(e)), 1 - exp(-e)*(1 - 2*d1), 1)", ("proved", False)),
    (2, "e", "d1", "1 - 2*exp(-e)*(1 - 2*d1)", ("refuted", None)),
    (2, "e", "d1", "19/10*d1", ("refuted", None)),
    (3, "e", "d1", "1 + d1 - exp(-e)*(1 - 2*d1)", ("proved", True)),
    (3, "e", "d1", "1 - exp(-2*e)*(1 - 2*d1) + d1*exp(-e)", ("proved", True)),
    (2, "1", "1/4", "8161/10000", ("proved", True)),  # 1 − 1/(2e) = 0.81606…
    (2, "1", "1/4", "8160/10000", ("refuted", None)),
    (2, LOG2, "1/4", "3/4", ("proved", False)),
    (2, LOG2, "1/4", "74/100", ("refuted", None)),
    (2, "0", "1/4", "1/2", ("proved", False)),
    (2, "0", "1/4", "49/100", ("refuted", None)),
    (4, "0", "1/3", "1", ("proved", False)),
    (2, "e", "d1", "2*d1", ("refuted", None)),
]


@pytest.mark.parametrize(("r", "epsilon", "delta", "claimed", "expected"), STEPS)
def test_steps(r: int, epsilon: str, delta: str, claimed: str, expected: tuple[str, bool | None]) -> None:
    study = on_everything((epsilon, delta), target=dpc.group(r, dpc.unbounded))
    assert verdict(study, f"{r}*({epsilon})", claimed) == expected


def test_far_apart() -> None:
    """(1, 10^-6) says nothing from 15 steps on by the rule, and something up to 27 exactly (see `limits`)."""
    exact = Fraction(0)  # an upper bound: e rounded up
    e = Fraction(271828182845904523536028747135266250, 10**35)
    for _ in range(16):
        exact = min(Fraction(1), Fraction(1, 10**6) + e * exact, 1 - (1 - Fraction(1, 10**6) - exact) / e)
    study = on_everything(("1", "1/1000000"), target=dpc.group(16, dpc.unbounded))
    above, below = exact + Fraction(1, 10**9), exact - Fraction(1, 10**3)
    assert above < 1
    assert verdict(study, 16, sympy.Rational(above)) == ("proved", True)
    assert verdict(study, 16, sympy.Rational(below))[0] == "refuted"


@pytest.mark.parametrize(
    ("epsilon", "delta", "by_rule", "exactly"),
    [
        (sympy.Integer(0), "1/3", 3, 3),  # r/3
        (sympy.Integer(0), "1/49", 49, 49),
        # 2^r - 1 sevenths; 1/7, 3/7, then 1 - (6/7 - a)/2: 11/14, 27/28, 1
        (sympy.log(2), "1/7", 3, 5),
        (sympy.Integer(1), "1/1000000", 15, 28),
        (sympy.Integer(1), "1", 1, 1),
    ],
)
def test_where_delta_says_nothing(epsilon: sympy.Expr, delta: str, by_rule: int, exactly: int) -> None:
    values = {"epsilon": formulas.term(epsilon), "delta": formulas.term(delta)}
    found = [first_distance(standard(), "approximate", values, "delta", 1, end) for end in (False, True)]
    assert found == [by_rule, exactly]


def test_the_warning_names_the_first_distance() -> None:
    said = list(warnings(on_everything(("1", "1/1000000"), target=dpc.group(28, dpc.unbounded)).bound))
    assert said == [
        "delta of the bound is at least 1, which says nothing; "
        "M1 reaches it at distance 15 by the group rule, at 28 exactly"
    ]
    assert not list(warnings(on_everything(("1", "1/1000000"), target=dpc.group(16, dpc.unbounded)).bound))


def test_the_warning_says_omega_as_it_is_written() -> None:
    """(r, 2)-tCDP at two steps has omega 1, and orders between 1 and 1 there are none."""
    M = dpc.mechanism("M", dpc.tcdp("r", 2, dpc.unbounded))
    said = dpc.compose(M, on=dpc.multisets(), target=dpc.group(2, dpc.unbounded)).warnings()
    assert said == ["omega of the bound is at most 1, which says nothing"]


@pytest.mark.parametrize(
    ("epsilon", "delta", "distance"),
    [
        ("1/1000", "1e-3", 694),  # e^(r/1000) - 1 >= 1.0005
        ("sqrt(2)", "1e-400", 653),  # ln(10^400*3.11)/sqrt(2)
        ("1e-9", "1e-10", None),  # not reached within the distances looked at
    ],
)
def test_far_first_distances(epsilon: str, delta: str, distance: int | None) -> None:
    stated = {"epsilon": formulas.term(epsilon), "delta": formulas.term(delta)}
    assert first_distance(standard(), "approximate", stated, "delta", 1) == distance


# ---------------------------------------------------------------- exact tables


def step(epsilon: int, delta: Fraction, a: Fraction) -> Fraction:
    """The least upper bound of P(S) where Q(S) = a, for an (ε·ln 2, δ)-guarantee in both orders."""
    factor = Fraction(2) ** epsilon
    return min(Fraction(1), delta + factor * a, 1 - (1 - delta - a) / factor)


def reached(epsilon: int, delta: Fraction, r: int) -> Fraction:
    a = Fraction(0)
    for _ in range(r):
        a = step(epsilon, delta, a)
    return a


def needed(p: list[Fraction], q: list[Fraction], factor: Fraction) -> Fraction:
    """The least δ at e^ε = factor for tables of outcomes."""
    return sum((max(Fraction(0), a - factor * b) for a, b in zip(p, q, strict=True)), Fraction(0))


@many(15)
@given(st.data())
def test_no_claim_below_what_mechanisms_need_is_proved(data: st.DataObject) -> None:
    """Tables with P(1) = g(…g(0)) are private, and lose just the closer value: claims beside it."""
    twin = data.draw(strategies.listed(most_databases=5, most_mechanisms=3))
    setting = twin.at({name: Fraction(1) for name in twin.study.setting.domains})
    stated = [
        (data.draw(st.integers(0, 2)), Fraction(data.draw(st.integers(0, 6)), 12)) for _ in setting.mechanisms
    ]
    mechanisms = [
        dpc.mechanism(
            one.name,
            dpc.approximate(f"{e}*{LOG2}", str(d), one.satisfies.granularity, one.satisfies.domain),
            reads=one.reads,
        )
        for one, (e, d) in zip(twin.study.setting.mechanisms, stated, strict=True)
    ]
    study = dpc.compose(*mechanisms, on=twin.study.setting.databases, target=twin.study.setting.target)
    if study.bound.vacuous or study.guarantee().values["delta"] is sympy.oo:
        return
    distances = [oracle.input_distance(setting, M) for M in setting.mechanisms]
    most, total = Fraction(0), 0
    for pair in oracle.target_pairs(setting):
        for D, E in (pair, pair[::-1]):
            rs = [
                0 if M.f(D) == M.f(E) else int(r(D, E))
                for M, r in zip(setting.mechanisms, distances, strict=True)
            ]
            total = max(total, sum(e * r for (e, _), r in zip(stated, rs, strict=True)))
            rows = []
            for (e, d), M, distance, r in zip(stated, setting.mechanisms, distances, rs, strict=True):
                at_D = reached(e, d, r)
                rows.append(([1 - at_D, at_D], [Fraction(1), Fraction(0)]))
                for x, y in product(setting.databases, repeat=2):  # what is built at E's input is private
                    apart = [0 if M.f(z) == M.f(w) else distance(z, w) for z, w in ((x, y), (x, E), (y, E))]
                    if apart[0] == 1 and INFINITY not in apart:
                        a, b = (reached(e, d, int(n)) for n in apart[1:])
                        assert needed([1 - a, a], [1 - b, b], Fraction(2) ** e) <= d
            p, q = (
                [
                    prod((row[side][o] for row, o in zip(rows, outcomes, strict=True)), start=Fraction(1))
                    for outcomes in product(range(2), repeat=len(rows))
                ]
                for side in (0, 1)
            )
            lost = sum(e * r for (e, _), r in zip(stated, rs, strict=True))
            most = max(most, needed(p, q, Fraction(2) ** lost))
    epsilon = f"{total}*{LOG2}"
    assert verdict(study, epsilon, sympy.Rational(most))[0] == "proved"
    if most > 0:
        below = most * (1 - Fraction(1, data.draw(st.sampled_from([2, 10, 1000]))))
        assert verdict(study, epsilon, sympy.Rational(below))[0] == "refuted"
