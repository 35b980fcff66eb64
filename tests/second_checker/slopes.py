"""How far formulas in coordinates move, by how steep they are (metrics/preprocessing.md, "By slopes").

Along the segment between two points of a product of intervals a continuous v changes by at most the integral of its
slopes; almost everywhere these are those of one of the functions that are the largest there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from random import Random
from typing import Any

from second_checker.algebra import Algebra
from second_checker.everywhere import Everywhere, value_of
from second_checker.forms import ZERO, Form, add, letter, letters, made, minus, number, scale
from second_checker.outcomes import NotRead
from second_checker.rewriting import rewritten

MANY, POINTS = 2_000, 60
"""How many ways for functions to be the largest are gone through, and at how many points."""


@dataclass(frozen=True)
class Piece:
    """Where a formula is one smooth function: what is ≥ 0 there, its value, and how it rises with each coordinate."""

    facts: tuple[Form, ...]
    value: Form
    slopes: Mapping[str, Form]


@dataclass(frozen=True)
class Slopes:
    """A claim and a bound, in formulas of coordinates: what the claim allows, and how steep all together are."""

    algebra: Algebra
    box: list[Form]
    steep: Form
    by: frozenset[str]
    functions: list[tuple[Form, list[Piece]]]

    def every(self) -> Iterator[tuple[list[Form], str, Form]]:
        """Where all are smooth: what is ≥ 0 there, and how steep they are together in a coordinate."""
        for chosen in product(*(some for _, some in self.functions)):
            facts = [*self.box, *(fact for piece in chosen for fact in piece.facts)]
            for x in {x for piece in chosen for x in piece.slopes}:
                total = []
                for (factor, _), piece in zip(self.functions, chosen, strict=True):
                    slope = piece.slopes.get(x, ZERO)
                    size = self.algebra.top(1, [slope, scale(slope, -1)])
                    total.append(self.algebra.times(factor, size) if slope else ZERO)
                yield facts, x, add(*total)

    def allowed(self, x: str) -> Form:
        """How steep the claim allows all to be in a coordinate."""
        return self.steep if x in self.by else ZERO

    def are_covered(self) -> bool:
        """Whether no slopes together are seen to be above what is claimed."""
        return all(
            Everywhere(self.algebra, facts).is_at_least(self.allowed(x), total)
            for facts, x, total in self.every()
        )

    def are_exceeded(self) -> bool:
        """Whether at some point inside of a smooth piece slopes together are above what is claimed: then two points
        near it are too far apart."""
        return any(
            all(self.algebra.enclose(fact, point)[0] > 0 for fact in facts)
            and self.algebra.enclose(total, point)[0] > self.algebra.enclose(self.allowed(x), point)[1]
            for facts, x, total in self.every()
            for point in self.points()
        )

    def points(self) -> Iterator[dict[str, Fraction]]:
        """Some allowed points, whose coordinates are shares of parameters."""
        drawn = Random(1)
        own = {
            name
            for box in (self.box, [self.steep, *(f for f, _ in self.functions)])
            for x in box
            for name in letters(x)
        }
        own |= {
            name
            for _, some in self.functions
            for piece in some
            for x in (piece.value, *piece.facts)
            for name in letters(x)
        }
        axes = {x for _, some in self.functions for piece in some for x in piece.slopes}
        for _ in range(POINTS):
            point = {
                name: value_of(self.algebra, name, Fraction(drawn.randrange(21), drawn.choice((1, 4))))
                for name in sorted(own - axes)
            }
            for x in sorted(axes):
                share = Fraction(drawn.choice((1, 50, 90, 99)), 100)
                point[x] = share * (point[drawn.choice(sorted(own - axes))] if own - axes else 1)
            if all(self.algebra.enclose(form, point)[0] >= 0 for form, _ in self.algebra.assumed):
                yield point


def slopes_of(core: Any, claim: Form, bound: Form, algebra: Algebra) -> Slopes | None:
    """How steep the values of a bound are, in distances that are sizes of differences v(D) − v(E), where the claim is
    a multiple of the sum of the changes of coordinates."""
    told = weights(core, claim, algebra)
    if told is None or any(
        part["kind"] != "points" or "disc" in part for part in core["databases"]["parts"].values()
    ):
        return None
    own = [
        pair
        for part in core["databases"]["parts"].values()
        for pair in zip(part["coordinates"], part["box"], strict=True)
    ]
    domains = {x: "nonnegative" if ends[0] == "0" else "real" for x, ends in own}
    inside = Algebra({**core["parameters"], **domains})
    inside.assumed = algebra.assumed
    box = [minus(letter(x), inside.read(low)) for x, (low, _) in own if low is not None]
    box += [minus(inside.read(high), letter(x)) for x, (_, high) in own if high is not None]
    functions: list[tuple[Form, list[Piece]]] = []
    for name, factor in parts_of(bound, core):
        if name is None or inside.sign(factor) < 1:
            return None
        for tree in differences(core["distances"][name].get("formula", "")):
            functions.append((factor, list(pieces(inside, tree, {x for x, _ in own}))))
    if prod(len(some) for _, some in functions) > MANY:
        raise NotRead("metrics", "too many ways for functions to be the largest")
    return Slopes(inside, box, *told, functions)


def weights(core: Any, claim: Form, algebra: Algebra) -> tuple[Form, frozenset[str]] | None:
    """A claim as a multiple of the sum of the changes of some coordinates."""
    names = [name for name in letters(claim) if name in core["distances"]]
    if len(names) != 1:
        return None
    (name,) = names
    steep = rewritten(algebra, claim, lambda a: number(1) if a == ("letter", name) else None)
    if algebra.times(letter(name), steep) != claim or algebra.sign(steep) < 1:
        return None
    some = differences(core["distances"][name].get("formula", ""))
    if not all(isinstance(tree, ast.Name) for tree in some):
        return None
    return steep, frozenset(tree.id for tree in some if isinstance(tree, ast.Name))


def parts_of(bound: Form, core: Any) -> Iterator[tuple[str | None, Form]]:
    """The distances in a bound, each with what it is multiplied by; None where it is no sum of such."""
    factors: dict[str | None, Form] = {}
    for monomial, c in bound:
        own = [a[1] for a, p in monomial if a[0] == "letter" and a[1] in core["distances"] and p == 1]
        name = own[0] if len(own) == 1 else None
        rest = made([(frozenset((a, p) for a, p in monomial if a != ("letter", name)), c)])
        name = None if letters(rest) & set(core["distances"]) else name
        factors[name] = add(factors.get(name, ZERO), rest)
    yield from factors.items()


def differences(text: str) -> list[ast.expr]:
    """The formulas v of a sum of sizes of differences v(D) − v(E), in the names of coordinates."""
    found, left = [], [ast.parse(text or "0", mode="eval").body]
    while left:
        tree = left.pop()
        if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Add):
            left += [tree.left, tree.right]
            continue
        sized = isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == "abs"
        inside = tree.args[0] if sized and isinstance(tree, ast.Call) else None
        if not isinstance(inside, ast.BinOp) or not isinstance(inside.op, ast.Sub):
            raise NotRead("metrics", "a distance that is no sum of sizes of differences")
        one, other = (Plain(who).visit(x) for who, x in (("D", inside.left), ("E", inside.right)))
        if ast.dump(one) != ast.dump(other):
            raise NotRead("metrics", "a distance that is no sum of sizes of differences")
        found.append(one)
    return found


class Plain(ast.NodeTransformer):
    """Coordinates without the database that they are of; those of the other one keep it."""

    def __init__(self, who: str) -> None:
        self.who = who

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(node.id.removesuffix(f"__{self.who}"), ast.Load())


def pieces(algebra: Algebra, tree: ast.expr, own: set[str]) -> Iterator[Piece]:
    """The smooth functions that a continuous formula in coordinates is made of, each where it is the one."""
    names = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)}
    if any("__" in name for name in names):
        raise NotRead("metrics", "a distance of coordinates of both databases at once")
    if not names & own:
        yield Piece((), algebra.read(ast.unparse(tree)), {})
        return
    match tree:
        case ast.Name(id=name):
            yield Piece((), letter(name), {name: number(1)})
        case ast.UnaryOp(op=ast.USub(), operand=x):
            yield from (stretched(algebra, one, number(-1)) for one in pieces(algebra, x, own))
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as op, right=right):
            both = product(list(pieces(algebra, left, own)), list(pieces(algebra, right, own)))
            yield from (joined(algebra, op, one, other) for one, other in both)
        case ast.BinOp(left=x, op=ast.Div(), right=y) if not own & {
            n.id for n in ast.walk(y) if isinstance(n, ast.Name)
        }:
            below = algebra.power(algebra.read(ast.unparse(y)), Fraction(-1))
            yield from (stretched(algebra, one, below) for one in pieces(algebra, x, own))
        case ast.BinOp(left=x, op=ast.Pow(), right=ast.Constant(value=int() as n)) if n >= 1:
            yield from (raised(algebra, one, n) for one in pieces(algebra, x, own))
        case ast.Call(func=ast.Name(id="max" | "min" | "abs" as word), args=parts):
            yield from largest(algebra, word, [list(pieces(algebra, part, own)) for part in parts])
        case _:
            raise NotRead("metrics", "slopes of another function")


def stretched(algebra: Algebra, one: Piece, by: Form) -> Piece:
    """A piece times what has no coordinate."""
    slopes = {x: algebra.times(by, slope) for x, slope in one.slopes.items()}
    return Piece(one.facts, algebra.times(by, one.value), slopes)


def joined(algebra: Algebra, op: ast.operator, one: Piece, other: Piece) -> Piece:
    """A sum, a difference, or a product of two pieces."""
    facts, every = (*one.facts, *other.facts), {*one.slopes, *other.slopes}
    if isinstance(op, ast.Mult):
        slopes = {
            x: add(
                algebra.times(one.slopes.get(x, ZERO), other.value),
                algebra.times(one.value, other.slopes.get(x, ZERO)),
            )
            for x in every
        }
        return Piece(facts, algebra.times(one.value, other.value), slopes)
    way = 1 if isinstance(op, ast.Add) else -1
    slopes = {x: add(one.slopes.get(x, ZERO), scale(other.slopes.get(x, ZERO), way)) for x in every}
    return Piece(facts, add(one.value, scale(other.value, way)), slopes)


def raised(algebra: Algebra, one: Piece, n: int) -> Piece:
    """A piece to a whole power."""
    once = scale(algebra.power(one.value, Fraction(n - 1)), n)
    slopes = {x: algebra.times(once, slope) for x, slope in one.slopes.items()}
    return Piece(one.facts, algebra.power(one.value, Fraction(n)), slopes)


def largest(algebra: Algebra, word: str, parts: list[list[Piece]]) -> Iterator[Piece]:
    """The pieces of a maximum, a minimum or a size: where one of its members is the one."""
    if word == "abs":
        parts = [parts[0], [stretched(algebra, one, number(-1)) for one in parts[0]]]
        every = [list(pair) for pair in zip(*parts, strict=True)]
    else:
        every = [list(chosen) for chosen in product(*parts)]
    for chosen in every:
        facts = [fact for one in chosen for fact in one.facts]
        for one in chosen:
            more = [
                scale(minus(one.value, other.value), -1 if word == "min" else 1)
                for other in chosen
                if other is not one
            ]
            yield Piece((*facts, *more), one.value, one.slopes)


__all__ = ["slopes_of"]
