"""Sensitivities of queries: against all databases with all values of attributes, and in symbols."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.privacy.elaboration.kinds import NoLemma
from dpcompose.privacy.settings.invalid import InvalidSetting

Value = tuple[Fraction, ...]
NORMS: dict[str, Callable[[Value], float]] = {
    "L1": lambda v: float(sum(map(abs, v))),
    "L2": lambda v: math.hypot(*v),
    "range": lambda v: float(max(v) - min(v)),
}
LOW, HIGH = -2, 3


def plain(query: str, D: tuple[tuple[str, int], ...]) -> Value:
    """The query of records that are pairs of a name and an attribute."""
    if query == "count":
        return (Fraction(len(D)),)
    if query == "sum":
        return (Fraction(sum(x for _, x in D)),)
    if query == "mean":
        return (Fraction(sum(x for _, x in D), len(D)),)
    bins = Counter(x for _, x in D)
    return tuple(Fraction(bins[one]) for one in range(3))


def furthest(query: str, norm: str, relation: str, size: int | None) -> float:
    """The largest ‖q(D) − q(E)‖ over neighbours with at most three records, or exactly so many."""
    attributes = range(3) if query == "histogram" else (LOW, HIGH)
    records = list(product("ab", attributes))
    sizes = range(4) if size is None else (size,)
    every = [D for n in sizes for D in combinations_with_replacement(records, n)]
    most = 0.0
    for D, E in product(every, repeat=2):
        removed, added = Counter(D) - Counter(E), Counter(E) - Counter(D)
        moved = (removed.total(), added.total())
        if moved in ({(1, 0), (0, 1)} if relation == "unbounded" else {(1, 1)}):
            x, y = plain(query, D), plain(query, E)
            most = max(most, NORMS[norm](tuple(a - b for a, b in zip(x, y, strict=True))))
    return most


QUERIES: dict[str, Any] = {
    "count": dpc.count,
    "sum": dpc.clipped_sum(LOW, HIGH),
    "mean": dpc.mean(LOW, HIGH),
    "histogram": dpc.histogram(3),
}


CASES = [
    (query, norm, relation)
    for query, norm, relation in product(QUERIES, NORMS, ("unbounded", "bounded"))
    if (norm != "range" or query == "histogram") and (query, relation) != ("mean", "unbounded")
]


@pytest.mark.parametrize(("query", "norm", "relation"), CASES)
def test_queries_move_as_far_as_on_all_databases(query: str, norm: str, relation: str) -> None:
    size = 2 if query == "mean" else None
    on = dpc.multisets({"a", "b"}, "any" if size is None else f"= {size}")
    found = dpc.sensitivity(QUERIES[query], on, getattr(dpc, relation), norm)
    assert float(found.value) == pytest.approx(furthest(query, norm, relation, size))
    assert (found.pair is None) == (found.value == 0)


def test_symbols_and_what_is_read() -> None:
    X = dpc.multisets()
    assert str(dpc.sensitivity(dpc.clipped_sum("-l", "u"), X, dpc.unbounded).value) == "max(l, u)"
    assert str(dpc.sensitivity(dpc.clipped_sum("-l", "u"), X, dpc.bounded).value) == "l + u"
    part = dpc.restriction(["a"])
    of_part = dpc.sensitivity(dpc.count, dpc.multisets("ab"), dpc.bounded, reads=part)
    assert of_part.value == 1 and set(of_part.pair or ()) == {("a",), ("b",)}
    assert str(dpc.sensitivity(dpc.count, X, dpc.free_lunch).value) == "oo"


def test_what_has_no_meaning_is_refused() -> None:
    X = dpc.multisets()
    with pytest.raises(ValueError, match=r"^the number of records is not compared in 'L3'; norms are: L1 \("):
        dpc.sensitivity(dpc.count, X, dpc.bounded, "L3")
    with pytest.raises(InvalidSetting, match="divides by the number of records"):
        dpc.sensitivity(dpc.mean(0, 1), dpc.tuples("ab", "<= 3"), dpc.bounded)
    with pytest.raises(TypeError, match="moves in a norm"):
        dpc.sensitivity(dpc.count, X, dpc.bounded, dpc.unbounded)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="composed"):
        dpc.sensitivity(dpc.restriction(["a"]), X, dpc.bounded, reads=dpc.restriction(["b"]))  # type: ignore[call-overload]
    with pytest.raises((NoLemma, InvalidSetting)):
        dpc.sensitivity(dpc.histogram(2), dpc.listed("ab"), dpc.pairs("p", [("a", "b")]))
