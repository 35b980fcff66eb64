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
    """Something else in place of a name."""

    def __init__(self, name: str, other: ast.expr) -> None:
        self.name, self.other = name, other

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.other if node.id == self.name else node


def renamed(text: str, name: str, other: str) -> str:
    """A formula with another name in place of one, or with a number."""
    there = ast.parse(other, mode="eval").body
    return ast.unparse(Put(name, there).visit(ast.parse(text, mode="eval")))


def granularities(problem: Any) -> dict[str, str]:
    """The granularities that metrics count the steps of, by what formulas call them."""
    own = {key.replace("-", "_"): key for key in problem.get("granularities", {})}
    return {"unbounded": "unbounded", "bounded": "bounded", "free_lunch": "free-lunch"} | own


def for_neighbours(said: Any, one: Any, problem: Any, parameters: Any) -> Any:
    """A mechanism of the problem file, its guarantee for neighbours where it is a number for each of their steps."""
    given = said.get("guarantee", {})
    if "metric" not in given or "metric" in one:
        return said
    names = granularities(problem)
    far = [x for x in spoken(given["metric"]) if x.removeprefix("d_") in names and x.startswith("d_")]
    if len(far) != 1 or given["notion"] not in WAYS or "delta" in given:
        raise NotRead("metrics", "guarantees that are no number for each step")
    (name,) = far
    once = renamed(given["metric"], name, "1")
    algebra = Algebra({**parameters, name: "nonnegative"})
    straight = algebra.times(letter(name), algebra.read(once)) == algebra.read(given["metric"])
    demand(straight, "a guarantee that is no number for each step")
    key, way = WAYS[given["notion"]]
    rest = {k: x for k, x in given.items() if k != "metric"}
    return {
        **said,
        "guarantee": {**rest, key: way.format(once), "granularity": names[name.removeprefix("d_")]},
    }


__all__ = ["WAYS", "for_neighbours", "granularities", "renamed"]
