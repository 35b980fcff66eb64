"""Measurements of OpenDP as mechanisms: what their maps promise at distance 1, and for which neighbours.

OpenDP names its metric and is believed; what a measurement reads of the common database is added here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from dpcompose.front.studies.composing import compose
from dpcompose.front.studies.study import Study
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.terms import Term
from dpcompose.language.decimals import read_exactly, rounded
from dpcompose.privacy.guarantees.notions import Guarantee, approximate, pure, zcdp
from dpcompose.privacy.mechanisms.statements import mechanism
from dpcompose.spaces import given
from dpcompose.spaces.given import Inputs


class NoGuaranteeOfOpenDP(ValueError):
    """What a measurement promises is no guarantee for neighbours of records; the message says why."""


NEIGHBOURS = {
    "SymmetricDistance": "unbounded",
    "InsertDeleteDistance": "unbounded",
    "ChangeOneDistance": "bounded",
    "HammingDistance": "bounded",
}
"""Databases at distance 1 in OpenDP's metrics; where records are ordered these are neighbours without order
too.  In the first two no databases of one size are 1 apart, and 2 apart those where a record is replaced."""


DIGITS = 17
"""To how many digits a float is rounded up that shows less than it is."""


def at_most(value: float) -> Term:
    """A decimal that is at least a float, and is what it shows where that is: 1.0 is 1."""
    shown, exact = read_exactly(value), Fraction(value)
    if shown is None:
        return terms.INFINITY
    return terms.number(shown if shown >= exact else rounded(exact, DIGITS, up=True))


def _pure(found: Any, delta: float | None) -> Guarantee:
    return pure(at_most(found))


def _zcdp(found: Any, delta: float | None) -> Guarantee:
    return zcdp(at_most(found))


def _fixed(found: Any, delta: float | None) -> Guarantee:
    epsilon, reached = found
    return approximate(at_most(epsilon), at_most(reached))


def _curve(found: Any, delta: float | None) -> Guarantee:
    if delta is None:
        raise NoGuaranteeOfOpenDP("it promises a curve: say at which delta")
    return approximate(at_most(found.epsilon(float(delta))), at_most(float(delta)))


MEASURES: dict[str, Callable[[Any, float | None], Guarantee]] = {
    "MaxDivergence": _pure,
    "ZeroConcentratedDivergence": _zcdp,
    "Approximate(MaxDivergence)": _fixed,
    "FixedSmoothedMaxDivergence": _fixed,
    "SmoothedMaxDivergence": _curve,
}
"""OpenDP's measures of privacy, and what a value of the map says."""


def guarantee_of(measurement: Any, delta: float | None = None, domain: str | None = None) -> Guarantee:
    """What a measurement promises for databases at distance 1, or those of one size at distance 2.

    delta -- at which δ, where it promises a curve.  The value of its map is a float, rounded up by OpenDP; it
    is read as a decimal that is no smaller.  Raises NoGuaranteeOfOpenDP.
    """
    metric, measure = str(measurement.input_metric).removesuffix("()"), str(measurement.output_measure)
    if metric not in NEIGHBOURS:
        raise NoGuaranteeOfOpenDP(
            f"its input distance is {metric}, which counts no records; known are {', '.join(NEIGHBOURS)}"
        )
    if (said := MEASURES.get(measure.removesuffix("()"))) is None:
        raise NoGuaranteeOfOpenDP(f"its output measure is {measure}; known are {', '.join(MEASURES)}")
    unit = NEIGHBOURS[metric]
    sized = unit == "unbounded" and "size=" in str(getattr(measurement, "input_domain", ""))
    guarantee = said(measurement.map(2 if sized else 1), delta)
    about = given.neighbours("bounded" if sized else unit)
    return Guarantee(guarantee.notion, guarantee.terms, about, domain)


def from_opendp(
    measurements: Mapping[str, Any],
    *,
    on: Any,
    target: Any,
    reads: Mapping[str, Inputs] | None = None,
    domain: str | None = None,
    delta: float | None = None,
    **more: Any,
) -> Study:
    """Measurements of OpenDP, each on what it reads of one database, as a study.

    measurements -- by name: anything with `input_metric`, `output_measure` and `map`, such as what `>>` and
    `make_composition` give; on, target -- as for `compose`; reads -- by name what each reads; left out:
    everything; domain -- "own" where a measurement is given the part alone, "common" where it is given the
    whole database and reads no more than the part; delta -- at which δ a curve is read.
    Raises NoGuaranteeOfOpenDP; ValueError of wrong settings.

    >>> import dpcompose as dpc
    >>> class Counted:
    ...     input_metric, output_measure = "SymmetricDistance()", "MaxDivergence"
    ...     def map(self, d_in):
    ...         return 1.0 * d_in
    >>> a, b = dpc.restriction({"a"}), dpc.restriction({"b"})
    >>> counts, reads = {"A": Counted(), "B": Counted()}, {"A": a, "B": b}
    >>> for target in ("unbounded", "bounded"):
    ...     said = {"target": target, "reads": reads, "domain": "own"}
    ...     dpc.from_opendp(counts, on=dpc.multisets("abc"), **said).guarantee()
    unbounded 1-DP, by GB:IV.6; optimal
    bounded 2-DP, by GB:IV-C; optimal
    """
    if unknown := set(reads or {}) - set(measurements):
        raise NoGuaranteeOfOpenDP(f"there is no measurement {', '.join(sorted(unknown))}")
    made = []
    for name, measurement in measurements.items():
        read = (reads or {}).get(name)
        try:
            stated = guarantee_of(measurement, delta, None if read is None else domain)
        except NoGuaranteeOfOpenDP as error:
            raise NoGuaranteeOfOpenDP(f"{name}: {error}") from None
        made.append(mechanism(name, stated) if read is None else mechanism(name, stated, read))
    return compose(*made, on=on, target=target, **more)
