"""Guarantees in a metric that counts the steps of neighbours: those for these neighbours (metrics/metric-form.md)."""

from __future__ import annotations

import ast
from typing import Any

from second_checker.algebra import Algebra
from second_checker.distances import spoken
from second_checker.forms import letter
from second_checker.outcomes import NotRead, demand

WAYS = {"pure": ("epsilon", "{}"), "zcdp": ("rho", "({})**2"), "gaussian": ("mu", "{}")}


class Put(ast.NodeTransformer):
    """1 in place of a name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(1) if node.id == self.name else node


def for_neighbours(said: Any, one: Any, problem: Any, parameters: Any) -> Any:
    """A mechanism of the problem file, its guarantee for neighbours where it is a number for each of their steps."""
    given = said.get("guarantee", {})
    if "metric" not in given or "metric" in one:
        return said
    own = {key.replace("-", "_"): key for key in problem.get("granularities", {})}
    names = {"unbounded": "unbounded", "bounded": "bounded", "free_lunch": "free-lunch"} | own
    far = [x for x in spoken(given["metric"]) if x.removeprefix("d_") in names and x.startswith("d_")]
    if len(far) != 1 or given["notion"] not in WAYS or "delta" in given:
        raise NotRead("metrics", "guarantees that are no number for each step")
    (name,) = far
    once = ast.unparse(Put(name).visit(ast.parse(given["metric"], mode="eval")))
    algebra = Algebra({**parameters, name: "nonnegative"})
    straight = algebra.times(letter(name), algebra.read(once)) == algebra.read(given["metric"])
    demand(straight, "a guarantee that is no number for each step")
    key, way = WAYS[given["notion"]]
    rest = {k: x for k, x in given.items() if k != "metric"}
    return {
        **said,
        "guarantee": {**rest, key: way.format(once), "granularity": names[name.removeprefix("d_")]},
    }


__all__ = ["for_neighbours"]
