"""Formulas as they are written, read as forms."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from second_checker.forms import Form, add, letter, minus, number, rational, scale
from second_checker.outcomes import NotRead, Rejected
from second_checker.products import Products

OVER = {"max", "min", "sum", "top"}


class Algebra(Products):
    """Forms over letters with domains."""

    fixed: Mapping[str, Form] = MappingProxyType({})
    """What names mean everywhere: the one order of a setting."""

    def read(self, text: Any, names: Mapping[str, Form] | None = None) -> Form:
        """The form of a formula (or of a list of formulas, their sum)."""
        if isinstance(text, list):
            return add(*(self.read(part, names) for part in text))
        try:
            tree = ast.parse(str(text), mode="eval").body
        except SyntaxError as error:
            raise Rejected(f"{text!r} is no formula") from error
        return self.of(tree, {**self.fixed, **(names or {})})

    def of(self, tree: ast.expr, names: dict[str, Form]) -> Form:
        """The form of a syntax tree."""
        match tree:
            case ast.Constant(value=int() as value):
                return number(value)
            case ast.Constant(value=float()):
                return number(Fraction(ast.unparse(tree)))
            case ast.Name(id=name):
                return names[name] if name in names else letter(name)
            case ast.Subscript(value=ast.Name(id=name)):
                return names[f"{name}[i]"] if f"{name}[i]" in names else letter(f"{name}[i]")
            case ast.UnaryOp(op=ast.USub(), operand=x):
                return scale(self.of(x, names), -1)
            case ast.BinOp(left=left, op=op, right=right):
                return self.operation(op, self.of(left, names), self.of(right, names))
            case ast.Call(func=ast.Name(id=name), args=parts):
                return self.call(name, parts, names)
        raise Rejected(f"{ast.unparse(tree)} is no formula")

    def operation(self, op: ast.operator, x: Form, y: Form) -> Form:
        """x op y."""
        match op:
            case ast.Add():
                return add(x, y)
            case ast.Sub():
                return minus(x, y)
            case ast.Mult():
                return self.times(x, y)
            case ast.Div():
                return self.times(x, self.power(y, Fraction(-1)))
            case ast.Pow():
                exponent = rational(y)
                if exponent is None and self.sign(x) == 2:
                    return self.exp(self.times(y, self.log(x)))
                if exponent is None:
                    raise NotRead("formula", "with an exponent that is no number")
                return self.power(x, exponent)
        raise Rejected("an operation that formulas do not have")

    def call(self, name: str, parts: list[ast.expr], names: dict[str, Form]) -> Form:
        """A function of formulas."""
        leading = self.of(parts[0], names) if name == "top" else number(1)
        first = rational(leading)
        own = parts[1:] if name == "top" else parts
        index = own[1].id if len(own) == 4 and isinstance(own[1], ast.Name) else None
        if index and index not in self.domains and index not in names and name in OVER:
            return self.over(name, leading if first is None else int(first), own, names)
        values = [self.of(part, names) for part in own]
        match name:
            case "sqrt":
                return self.power(values[0], Fraction(1, 2))
            case "exp":
                return self.exp(values[0])
            case "log":
                return self.log(values[0])
            case "log2":
                return self.operation(ast.Div(), self.log(values[0]), self.log(number(2)))
            case "sinh" | "cosh" | "tanh":
                return self.hyperbolic(name, values[0])
            case "abs":
                return self.top(1, [values[0], scale(values[0], -1)])
            case "max":
                return self.top(1, values)
            case "min":
                return scale(self.top(1, [scale(x, -1) for x in values]), -1)
            case "top" if first is not None:
                return self.top(int(first), values)
        raise Rejected(f"{name} is no function of formulas")

    def hyperbolic(self, name: str, x: Form) -> Form:
        """By e^x and e^−x; tanh is 1 − 2/(e^2x + 1)."""
        if name == "tanh":
            below = add(self.exp(scale(x, 2)), number(1))
            return minus(number(1), scale(self.power(below, Fraction(-1)), 2))
        other = self.exp(scale(x, -1))
        return scale(add(self.exp(x), other if name == "cosh" else scale(other, -1)), Fraction(1, 2))

    def over(self, name: str, m: int | Form, own: list[ast.expr], names: dict[str, Form]) -> Form:
        """max(x, i, 1, k) and the like; where the ends are numbers, i may be a letter of x."""
        index = own[1].id  # type: ignore[attr-defined]
        low, high = self.of(own[2], names), self.of(own[3], names)
        first, last = rational(low), rational(high)
        plain = {n.id for n in ast.walk(own[0]) if isinstance(n, ast.Name)}
        subscripts = {
            n.slice.id
            for n in ast.walk(own[0])
            if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Name)
        }
        if index in plain and index not in subscripts and first is not None and last is not None:
            values = [self.of(own[0], {**names, index: number(j)}) for j in range(int(first), int(last) + 1)]
            if not isinstance(m, int):
                raise NotRead("formula", "that adds up a number of largest values that is a letter")
            return add(*values) if name == "sum" else self.top(m, values)
        if first != 1:
            raise NotRead("formula", "that does not begin with 1")
        member = self.of(own[0], names)
        if name == "min":
            return scale(self.family(1, scale(member, -1), high), -1)
        return self.family(None if name == "sum" else m, member, high)
