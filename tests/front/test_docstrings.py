"""What help says of each public name: what it means, what is given, what fails, and an example."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

import dpcompose as dpc

FAILS = ("aises", "efused", "ails", "as for `")


@pytest.mark.parametrize("name", dpc.__all__)
def test_each_public_name_teaches(name: str) -> None:
    value = getattr(dpc, name)
    said = inspect.getdoc(value) or ""
    first, *rest = said.split("\n\n")
    assert first.rstrip().endswith((".", ";")) and len(first) > 20, "it opens with what it means"
    assert rest and ">>> " in said, "it has an example"
    if inspect.isfunction(value):
        assert any(word in said for word in FAILS), "it says what fails"
        missing = [one for one in inspect.signature(value).parameters if not re.search(rf"\b{one}\b", said)]
        assert not missing, f"nothing is said of {missing}"


@pytest.mark.parametrize("name", dpc.__all__)
def test_help_lists_each_name_by_subject(name: str) -> None:
    assert re.search(rf"\b{name}\b", inspect.getdoc(dpc) or "")


M = dpc.mechanism("M", dpc.pure("e"))


def released(query: Any, noise: Any) -> dpc.Study:
    return dpc.compose(dpc.mechanism("Q", query=query, noise=noise), on=dpc.multisets(), target="bounded")


def reading(reads: Any) -> dpc.Study:
    read = dpc.mechanism("R", dpc.pure("e"), reads=reads, domain="own")
    return dpc.compose(read, on=dpc.multisets({"a", "b"}), target="bounded")


def near(target: Any, on: Any = None) -> dpc.Study:
    return dpc.compose(M, on=on or dpc.multisets({"a", "b"}), target=target)


def sampled(by: Any) -> dpc.Study:
    return dpc.compose(dpc.mechanism("S", dpc.pure("e"), sampled=by), on=dpc.multisets(), target="unbounded")


def in_metric(metric: Any) -> dpc.Study:
    return dpc.metric_study({"M": "d"}, on=dpc.points("x"), metrics={"d": metric})


CALLS: dict[str, Callable[[], Any]] = {
    "among": lambda: reading(dpc.among(1, 2)),
    "approximate": lambda: near(dpc.bounded).check(dpc.approximate("e", "+")),
    "at": lambda: dpc.at(dpc.parameters("x")[0], {"D": ["a"]}),
    "at_most": lambda: in_metric(dpc.at_most("e+")),
    "attribute": lambda: near(dpc.attribute),
    "between": lambda: dpc.between(),
    "clipped_sum": lambda: released(dpc.clipped_sum(1, 0), dpc.laplace(1)),
    "columns": lambda: dpc.columns(dpc.multisets("ab"), "age"),
    "composed": lambda: dpc.composed(1, 2),  # type: ignore[arg-type]
    "contribution": lambda: dpc.contribution(0, 1),
    "count": lambda: released(dpc.count, dpc.exponential(1)),
    "databases": lambda: dpc.databases("1"),
    "distances": lambda: in_metric(dpc.distances([("a", "b", -1)])),
    "edge": lambda: near(dpc.edge),
    "exponential": lambda: released(dpc.histogram(2), dpc.exponential(-1)),
    "fixed_sample": lambda: sampled(dpc.fixed_sample(0)),
    "function": lambda: reading(dpc.function("f", len)).guarantee(),
    "gaussian_noise": lambda: released(dpc.count, dpc.gaussian_noise(-1)),
    "graphs": lambda: dpc.graphs(0),
    "group": lambda: dpc.group(0, dpc.bounded),
    "independent": lambda: dpc.independent(),
    "keys": lambda: released(dpc.keys(0), dpc.laplace(1, 5)),
    "laplace": lambda: released(dpc.count, dpc.laplace(0)),
    "listed": lambda: dpc.listed([]),
    "location": lambda: released(dpc.location(1), dpc.planar_laplace(1)),
    "mean": lambda: released(dpc.mean(1, 0), dpc.laplace(1)),
    "mechanism": lambda: dpc.mechanism("M"),
    "norm": lambda: in_metric(dpc.norm("L3")),
    "parameters": lambda: dpc.parameters("e", "nowhere"),
    "poisson_sample": lambda: sampled(dpc.poisson_sample(2)),
    "policy": lambda: dpc.policy("p"),
    "positions": lambda: dpc.positions(0),
    "product": lambda: dpc.product(S=1),  # type: ignore[arg-type]
    "pure": lambda: near(dpc.bounded).check(dpc.pure(-1, "x")),
    "random_part": lambda: reading(dpc.random_part(2)),
    "randomized_response": lambda: released(None, dpc.randomized_response(2)),
    "recoding": lambda: reading(dpc.recoding("f", {"z": "y"})),
    "relation": lambda: near(dpc.relation("r", lambda D, E: D < E), ["a", "b"]).guarantee(),
    "restriction": lambda: reading(dpc.restriction(["z"])),
    "scores": lambda: released(dpc.scores(-1), dpc.exponential(1)),
    "size": lambda: dpc.size(3),
    "steps_between": lambda: in_metric(dpc.steps_between("bounded")),
    "tables": lambda: dpc.tables({}),
    "tuples": lambda: dpc.tuples("ab", users={"Ann": [0]}),
    "union": lambda: dpc.union(1, 2),  # type: ignore[arg-type]
    "variance": lambda: released(dpc.variance(1, 0), dpc.laplace(1)),
    "vector_sum": lambda: released(dpc.vector_sum(-1), dpc.gaussian_noise(1)),
    "vertex": lambda: reading(dpc.vertex(1)),
    "w_event": lambda: dpc.w_event(0),
    "where": lambda: dpc.where({}),
    "within_any_size": lambda: dpc.within_any_size(0, dpc.unbounded),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_is_said_to_fail_fails(name: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        CALLS[name]()
    assert caught.type.__name__ not in ("AttributeError", "KeyError") and str(caught.value)
