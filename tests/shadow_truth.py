"""What a setting loses, from definitions alone: claims that are surely violated, and claims that surely hold.

A setting is here the changes of its neighbours: for each pair how far each member's input moves.  Members
are mechanisms with a guarantee, members of families, or single entries of a query's value with their noise.
Numbers are decimals of 50 digits; within 10⁻³⁰ of equality nothing is said.  Formulas are evaluated by
Python's own parser, so that neither engine decides what they mean.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import islice, product
from typing import Any

import mpmath

Point = Mapping[str, Any]
CLOSE = mpmath.mpf(10) ** -30
INFINITE = mpmath.inf
MOST_EPSILON = 40
"""Up to which ε differences of probabilities times e^ε are exact enough."""
MOST_EVENTS = 300
"""The most combinations of events that are tried at one pair."""
STARTS = (mpmath.mpf(0), mpmath.mpf(10) ** -12, mpmath.mpf(1) / 20)
"""How likely the events are at the one database: rare ones need ε, impossible ones δ."""


# formulas


class NoValue(ArithmeticError):
    """A formula has no real value at a point."""


def value(text: str, point: Point) -> Any:
    """A formula at a point: decimals, ∞ for oo.

    >>> value("top(2, e[i], i, 1, k) + max(1, x)", {"e[1]": 1, "e[2]": 2, "e[3]": 3, "k": 3, "x": 0})
    mpf('6.0')
    """
    if text.strip() == "oo":
        return INFINITE
    found = _value(ast.parse(text.strip(), mode="eval").body, dict(point))
    if isinstance(found, mpmath.mpc):
        raise NoValue(text)
    return found


def _value(node: ast.AST, point: dict[str, Any]) -> Any:
    match node:
        case ast.Constant():
            return mpmath.mpf(str(node.value))
        case ast.Name():
            return mp(point[node.id])
        case ast.Subscript():
            return mp(point[f"{ast.unparse(node.value)}[{int(_value(node.slice, point))}]"])
        case ast.UnaryOp():
            inner = _value(node.operand, point)
            return -inner if isinstance(node.op, ast.USub) else inner
        case ast.BinOp():
            return _operation(node.op, _value(node.left, point), _value(node.right, point))
        case ast.Call():
            assert isinstance(node.func, ast.Name)
            return _call(node.func.id, node.args, point)
    raise ValueError(ast.unparse(node))


def _operation(op: ast.operator, x: Any, y: Any) -> Any:
    match op:
        case ast.Add():
            return x + y
        case ast.Sub():
            return x - y
        case ast.Mult():
            return x * y
        case ast.Div():
            return x / y
        case ast.Pow():
            return x ** int(y) if y == int(y) else x**y
    raise ValueError(op)


def _call(name: str, args: Sequence[ast.expr], point: dict[str, Any]) -> Any:
    many = 1
    if name == "top":
        many, args = int(_value(args[0], point)), args[1:]
    index = args[1].id if len(args) == 4 and isinstance(args[1], ast.Name) else ""
    if index and index not in point and name in ("sum", "max", "top"):
        first, last = (int(_value(one, point)) for one in args[2:])
        some = [_value(args[0], {**point, index: n}) for n in range(first, last + 1)]
    else:
        some = [_value(one, point) for one in args]
    if name in ("sqrt", "exp", "log", "sinh", "cosh", "tanh"):
        return getattr(mpmath, name)(some[0])
    if name == "abs":
        return abs(some[0])
    if name == "sum":
        return mpmath.fsum(some)
    if name == "min":
        return min(some)
    assert name in ("max", "top"), name
    return mpmath.fsum(nlargest(many, some))


def mp(x: Any) -> Any:
    return mpmath.mpf(x.numerator) / x.denominator if hasattr(x, "numerator") else mpmath.mpf(x)


# members


@dataclass(frozen=True)
class Member:
    """A mechanism whose input, or an entry of whose value, moves.

    notion -- of its guarantee, or the word of its noise; parameters -- their formulas, of noise one.
    """

    notion: str
    parameters: tuple[str, ...]

    def at(self, point: Point) -> tuple[Any, ...]:
        return tuple(value(one, point) for one in self.parameters)


Moved = tuple[str, tuple[Any, ...], Any]
"""A member's notion with its parameters at a point, and how far it moves: > 0, perhaps ∞."""


def free(one: Moved) -> bool:
    """Whether nothing is promised: the mechanism may say what it reads."""
    notion, values, r = one
    if notion in NOISES:
        return False
    return r == INFINITE or INFINITE in values


NOISES = ("table", "laplace", "geometric", "randomized-response", "exponential", "planar-laplace", "normal")


def pure_loss(one: Moved) -> tuple[Any, Any]:
    """What it loses in pure privacy, from below and from above."""
    notion, values, r = one
    if free(one):
        return INFINITE, INFINITE
    if notion == "table":
        return r, r
    if notion in ("pure", "laplace", "geometric", "planar-laplace"):
        exact = r * (values[0] if notion == "pure" else 1 / values[0])
        return exact, exact
    if notion == "randomized-response":
        p = max(values[0], 1 - values[0])
        exact = mpmath.log(p / (1 - p)) if p < 1 else INFINITE
        return exact, exact
    if notion == "exponential":
        return mpmath.mpf(0), values[0] * r
    if notion == "approximate":
        return (values[0] * r, values[0] * r) if values[1] == 0 else (INFINITE, INFINITE)
    none = values[0] == 0 and notion != "normal"
    return (mpmath.mpf(0), mpmath.mpf(0)) if none else (INFINITE, INFINITE)


def concentrated(one: Moved) -> tuple[Any, Any]:
    """What it loses in zCDP, from below and from above."""
    notion, values, r = one
    if free(one):
        return INFINITE, INFINITE
    if notion == "zcdp":
        return (values[0] * r**2,) * 2
    if notion in ("gaussian", "normal"):
        mu = r * values[0] if notion == "gaussian" else r / values[0]
        return (mu**2 / 2,) * 2
    low, high = pure_loss(one)
    if high == INFINITE:
        return (INFINITE if low == INFINITE else mpmath.mpf(0)), INFINITE
    above = high * mpmath.tanh(high / 2)
    if notion in ("pure", "approximate"):
        most = max(values[0], high / 2)  # randomized response at whole steps
        return most * mpmath.tanh(most / 2), above
    if notion == "randomized-response":
        return above, above
    below = {"laplace": high + mpmath.exp(-high) - 1}
    return below.get(notion, mpmath.mpf(0)), above


def normal_like(one: Moved) -> tuple[Any, Any]:
    """What it loses in Gaussian privacy, from below and from above."""
    notion, values, r = one
    if free(one):
        return INFINITE, INFINITE
    if notion == "gaussian":
        return (values[0] * r,) * 2
    if notion == "normal":
        return (r / values[0],) * 2
    if notion == "zcdp":
        root = mpmath.sqrt(2 * values[0]) * r
        return root, (INFINITE if root else root)
    low, high = pure_loss(one)
    if high == INFINITE:
        return (INFINITE if low == INFINITE else mpmath.mpf(0)), INFINITE
    return mpmath.mpf(0), min(mpmath.mpf(94) / 75 * high, mpmath.sqrt(8 * high))


def events(one: Moved) -> list[tuple[Any, Any]]:
    """Probabilities (a, b) of one event at the two databases that the member, or one as it says, has."""
    notion, values, r = one
    if free(one):
        return [(mpmath.mpf(0), mpmath.mpf(1))]
    if notion in ("pure", "approximate"):
        return [(a, _risen(values[0], values[1] if values[1:] else mpmath.mpf(0), r, a)) for a in STARTS]
    if notion == "randomized-response":
        p = max(values[0], 1 - values[0])
        return [(1 - p, p)]
    if notion == "geometric":
        q = mpmath.exp(-1 / values[0])
        return [(q**r / (1 + q), 1 / (1 + q))]
    if notion == "laplace":
        return [(a, _laplace(a, r / values[0])) for a in STARTS[1:]]
    if notion in ("gaussian", "zcdp", "normal"):
        m = {"gaussian": r * values[0], "zcdp": mpmath.sqrt(2 * values[0]) * r, "normal": 0}[notion]
        m = r / values[0] if notion == "normal" else m
        return [(mpmath.ncdf(t), mpmath.ncdf(t + m)) for t in (mpmath.mpf(-7), mpmath.mpf(-2), -m / 2)]
    return [(mpmath.mpf(0), mpmath.mpf(0))]


def _risen(e: Any, d: Any, r: Any, a: Any) -> Any:
    """The largest probability, r steps away, of what has probability a."""
    factor = mpmath.exp(e)
    for _ in range(int(r)):
        a = min(mpmath.mpf(1), d + factor * a, 1 - (1 - d - a) / factor)
    return a


def _laplace(a: Any, m: Any) -> Any:
    """Of what lies above a threshold, which noise of scale 1 has there with probability a ≤ 1/2."""
    return a * mpmath.exp(m) if a * mpmath.exp(m) <= mpmath.mpf(1) / 2 else 1 - mpmath.exp(-m) / (4 * a)


def needed(some: Sequence[Moved], epsilon: Any) -> Any:
    """A δ that members need at ε."""
    most, factor = mpmath.mpf(0), mpmath.exp(epsilon)
    for chosen in islice(product(*map(events, some)), MOST_EVENTS):
        both = [(mpmath.mpf(1), mpmath.mpf(1))]
        for a, b in chosen[:8]:
            both = [(x * u, y * v) for x, y in both for u, v in ((a, b), (1 - a, 1 - b))]
        if epsilon > MOST_EPSILON:  # what is impossible at the one database needs δ at every ε
            most = max(most, mpmath.fsum(row[1] for row in both if row[0] == 0))
            continue
        for one, other in ((0, 1), (1, 0)):
            most = max(most, mpmath.fsum(max(0, row[one] - factor * row[other]) for row in both))
    return most


def serves(some: Sequence[Moved], epsilon: Any) -> Any:
    """A δ that serves at ε for all mechanisms as the members say: by the rules and tail bounds."""
    e = d = rho = mpmath.mpf(0)
    for one in some:
        notion, values, r = one
        if free(one):
            return INFINITE
        if notion == "approximate":
            e += r * values[0]
            d += values[1] * mpmath.fsum(mpmath.exp(j * values[0]) for j in range(int(r)))
        elif pure_loss(one)[1] < INFINITE:
            e += pure_loss(one)[1]
        else:
            rho += concentrated(one)[1]
    left = epsilon - e
    if rho == 0:
        return d if left >= 0 else INFINITE
    return d + mpmath.exp(-((left - rho) ** 2) / (4 * rho)) if left > rho else INFINITE


# settings


@dataclass(frozen=True)
class Truth:
    """The members of a setting, and how far each moves between neighbours.

    vectors -- at a point the distances of all members, pair by pair; at -- which members there are at a
    point; unlimited -- whether some neighbours lose more than any number; numbers -- letters that are numbers;
    known -- whether it is looked at at a point: with few members only.
    """

    members: Callable[[Point], Sequence[Member]]
    vectors: Callable[[Point], Sequence[Sequence[Any]]]
    unlimited: bool = False
    numbers: Mapping[str, Any] = field(default_factory=dict)
    known: Callable[[Point], bool] = bool

    def is_known(self, point: Point) -> bool:
        """Whether anything is said at a point."""
        return self.known is bool or self.known({**self.numbers, **point})

    def moved(self, point: Point) -> list[list[Moved]]:
        """For each pair the members that move."""
        point = {**self.numbers, **point}
        with mpmath.workdps(50):
            some = [(one.notion, one.at(point)) for one in self.members(point)]
        rows = dict.fromkeys(tuple(row) for row in self.vectors(point))
        return [
            [
                (notion, values, r if r == INFINITE else mp(r))
                for (notion, values), r in zip(some, row, strict=True)
                if r
            ]
            for row in rows
        ]

    def _values(self, claim: Mapping[str, str], point: Point) -> dict[str, Any] | None:
        """What a claim says at a point; None where it has no value, or nothing is known there."""
        if not self.is_known(point):
            return None
        try:
            return {key: value(text, {**self.numbers, **point}) for key, text in claim.items()}
        except (ArithmeticError, TypeError):
            return None

    def violated(self, notion: str, claim: Mapping[str, str], point: Point) -> bool:
        """Whether mechanisms as the setting says surely violate a claim at a point."""
        with mpmath.workdps(50):
            found = self._values(claim, point)
            if found is None or INFINITE in found.values():
                return False
            if self.unlimited:
                return notion != "approximate" or found["delta"] < 1 - CLOSE
            return any(_is_above(notion, row, found) for row in self.moved(point))

    def holds(self, notion: str, claim: Mapping[str, str], point: Point) -> bool:
        """Whether a claim surely holds at a point."""
        with mpmath.workdps(50):
            found = self._values(claim, point)
            if found is None:
                return False
            if INFINITE in found.values() or found.get("delta", 0) >= 1:
                return True
            return not self.unlimited and all(_is_enough(notion, row, found) for row in self.moved(point))

    def exact(self, notion: str, point: Point) -> Any:
        """The least parameter that holds at a point; None where it is not known by this."""
        if notion == "approximate" or not self.is_known(point):
            return None
        with mpmath.workdps(50):
            if self.unlimited:
                return INFINITE
            low = max((_total(notion, row, 0) for row in self.moved(point)), default=mpmath.mpf(0))
            high = max((_total(notion, row, 1) for row in self.moved(point)), default=mpmath.mpf(0))
            return low if low == high or abs(low - high) < CLOSE else None


def _total(notion: str, row: Sequence[Moved], end: int) -> Any:
    """What members lose together in a notion: 0, from below; 1, from above."""
    if notion == "gaussian":
        return mpmath.sqrt(mpmath.fsum(normal_like(one)[end] ** 2 for one in row))
    lost = {"pure": pure_loss, "zcdp": concentrated}[notion]
    return mpmath.fsum(lost(one)[end] for one in row)


def _is_above(notion: str, row: Sequence[Moved], claim: Mapping[str, Any]) -> bool:
    if notion == "approximate":
        return bool(needed(row, claim["epsilon"]) > claim["delta"] + CLOSE)
    (least,) = claim.values()
    if notion == "gaussian":
        # a pure member may be randomized response: no test on it is better than mu allows
        for one in row:
            if one[0] == "pure" and not free(one):
                most = max(one[1][0], pure_loss(one)[0] / 2)
                a, b = 1 / (1 + mpmath.exp(most)), 1 / (1 + mpmath.exp(-most))
                if b > mpmath.ncdf(-_quantile(a) + least) + CLOSE:
                    return True
    total = _total(notion, row, 0)
    return bool(total > least + CLOSE * (1 + abs(least)))


def _quantile(a: Any) -> Any:
    """z with P(N(0, 1) > z) = a ≤ 1/2."""
    return mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * a)


def _is_enough(notion: str, row: Sequence[Moved], claim: Mapping[str, Any]) -> bool:
    if notion == "approximate":
        least = serves(row, claim["epsilon"])
        return bool(
            claim["epsilon"] >= 0 and (least + CLOSE < claim["delta"] or least == 0 == claim["delta"])
        )
    (most,) = claim.values()
    return bool(_total(notion, row, 1) < most - CLOSE * (1 + abs(most))) or (not row and most >= 0)


class Wrong(AssertionError):
    """What is said contradicts what is lost."""


def against(
    truth: Truth, verdict: str, claim: Mapping[str, str], points: Sequence[Point], at: Point | None
) -> Iterator[str]:
    """Where a verdict contradicts the truth: proved claims at points, refuted ones at their own."""
    values = {key: text for key, text in claim.items() if key != "notion"}
    if verdict == "proved":
        for point in points:
            if truth.violated(claim["notion"], values, point):
                yield f"{claim} is proved, and violated at {dict(point)}"
    if verdict == "refuted" and at is not None and truth.holds(claim["notion"], values, at):
        yield f"{claim} is refuted, and holds at {dict(at)}"
