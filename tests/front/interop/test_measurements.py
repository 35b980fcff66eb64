"""Measurements of OpenDP as mechanisms: with stand-ins, and with the package where it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.front.interop.measurements import NoGuaranteeOfOpenDP, at_most, guarantee_of

D = dpc.multisets({"a", "b", "c"})
PARTS = dict(zip("ABC", dpc.record_partition(D, {"a"}, {"b"}, {"c"}), strict=True))


@dataclass
class Stand:
    """A stand-in for a measurement."""

    input_metric: str
    output_measure: str
    map: Callable[[int], Any]
    input_domain: str = "VectorDomain(AtomDomain(bounds=[0, 10], T=i32))"


def pure(epsilon: float, metric: str = "SymmetricDistance()") -> Stand:
    return Stand(metric, "MaxDivergence", lambda d: epsilon * d)


def test_parts_are_no_sum() -> None:
    three = {"A": pure(1.0), "B": pure(2.0), "C": pure(3.0)}
    found = [
        dpc.from_opendp(three, on=D, target=target, reads=PARTS, domain="own").guarantee().epsilon
        for target in ("unbounded", "bounded")
    ]
    assert found == [3, 5]
    assert dpc.from_opendp(three, on=D, target="unbounded").guarantee().epsilon == 6


@pytest.mark.parametrize(
    ("stand", "said"),
    [
        (pure(1.0), "unbounded pure (1)"),
        (pure(0.5, "ChangeOneDistance()"), "bounded pure (1/2)"),
        (pure(0.5, "HammingDistance()"), "bounded pure (1/2)"),
        (Stand("SymmetricDistance()", "ZeroConcentratedDivergence", lambda d: 0.125), "unbounded zcdp (1/8)"),
        (
            Stand("SymmetricDistance()", "Approximate(MaxDivergence)", lambda d: (1.0, 0.25)),
            "unbounded approximate (1, 1/4)",
        ),
        (
            Stand(
                "SymmetricDistance()",
                "SmoothedMaxDivergence",
                lambda d: SimpleNamespace(epsilon=lambda delta: 2.0),
            ),
            "unbounded approximate (2, 1/4)",
        ),
    ],
)
def test_what_a_map_promises(stand: Stand, said: str) -> None:
    assert repr(guarantee_of(stand, delta=0.25)) == said


@pytest.mark.parametrize("metric", ["SymmetricDistance()", "InsertDeleteDistance()"])
def test_among_databases_of_one_size_nothing_is_promised_at_distance_one(metric: str) -> None:
    """As OpenDP has it for a sum of ten records: 0 at distance 1, at which none are, and 2 at 2 and 3."""
    of_ten = Stand(
        metric, "MaxDivergence", lambda d: 2.0 * (d // 2), "VectorDomain(AtomDomain(T=i32), size=10)"
    )
    assert repr(guarantee_of(of_ten)) == "bounded pure (2)"
    found = [dpc.from_opendp({"A": of_ten}, on=D, target=one).guarantee() for one in ("bounded", "unbounded")]
    assert [str(one.epsilon) for one in found] == ["2", "oo"]
    changed = Stand("ChangeOneDistance()", "MaxDivergence", lambda d: 2.0 * d, of_ten.input_domain)
    assert repr(guarantee_of(changed)) == "bounded pure (2)"


@pytest.mark.parametrize("value", [0.1, 0.3, 1.0, 1 / 3, 3.3333333333333335, 1e-6, 1e-300, 1e300])
def test_a_float_is_read_as_no_less_than_it_is(value: float) -> None:
    found = at_most(value).number
    assert found is not None and 0 <= found / Fraction(value) - 1 < Fraction(1, 10**16)


def test_what_is_refused() -> None:
    for stand, message in (
        (
            pure(1.0, "AbsoluteDistance(f64)"),
            r"x: its input distance is AbsoluteDistance\(f64\), which counts no records",
        ),
        (
            Stand("SymmetricDistance()", "RenyiDivergence", lambda d: None),
            "x: its output measure is RenyiDivergence; known are",
        ),
        (
            Stand("SymmetricDistance()", "SmoothedMaxDivergence", lambda d: None),
            "x: it promises a curve: say at which delta",
        ),
    ):
        with pytest.raises(NoGuaranteeOfOpenDP, match=message):
            dpc.from_opendp({"x": stand}, on=D, target="unbounded")
    with pytest.raises(NoGuaranteeOfOpenDP, match="there is no measurement B, C"):
        dpc.from_opendp({"A": pure(1.0)}, on=D, target="unbounded", reads=PARTS, domain="own")


@pytest.mark.slow
def test_with_opendp() -> None:
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib", "idealized-numerics")
    count = dp.t.make_count(dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance())
    one, two = (count >> dp.m.then_laplace(scale=scale) for scale in (1.0, 0.5))
    both = dp.c.make_composition([one, two])
    normal = count >> dp.m.then_gaussian(scale=2.0)
    assert [repr(guarantee_of(x)) for x in (one, two, both, normal)] == [
        "unbounded pure (1)",
        "unbounded pure (2)",
        "unbounded pure (3)",
        "unbounded zcdp (1/8)",
    ]
    curve = dp.c.make_zCDP_to_approxDP(normal)
    assert (
        guarantee_of(curve, 1e-6).notion
        == guarantee_of(dp.c.make_fix_delta(curve, 1e-6)).notion
        == "approximate"
    )
    ten = dp.vector_domain(dp.atom_domain(bounds=(0, 10)), size=10), dp.symmetric_distance()
    assert repr(guarantee_of(ten >> dp.t.then_sum() >> dp.m.then_laplace(5.0))) == "bounded pure (2)"
    study = dpc.from_opendp(
        {"A": one, "B": two}, on=D, target="bounded", reads={x: PARTS[x] for x in "AB"}, domain="own"
    )
    assert study.guarantee().epsilon == 3
