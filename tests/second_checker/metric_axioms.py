"""Which formulas in distances are seen to be metrics (metrics/metric-form.md, "Metrics made of metrics")."""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from second_checker.algebra import Algebra
from second_checker.distances import spoken
from second_checker.forms import ZERO, Form, add, letter, letters, minus, scale
from second_checker.rewriting import rewritten


@dataclass(frozen=True)
class Axioms:
    """The distances of a setting; known -- those that are shown to be metrics."""

    algebra: Algebra
    core: Any
    known: Collection[str]

    def moving(self, form: Form) -> bool:
        """Whether a distance stands in a formula."""
        return bool(letters(form) & set(self.core["distances"]))

    def is_a_metric(self, form: Form) -> bool:
        """Whether a formula is seen to be a metric: sums, maxima, minima with numbers, roots, of metrics."""
        return all(c > 0 and self.is_multiple(m) for m, c in form if not is_least(m, c)) and all(
            self.is_cut(m, c) for m, c in form if is_least(m, c)
        )

    def is_multiple(self, monomial: Any) -> bool:
        """Whether a monomial is a metric times a number ≥ 0."""
        moving = [(a, p) for a, p in monomial if self.moving(of_atom(a))]
        fixed = all(self.algebra.atom_sign(a) >= 1 for a, p in monomial if (a, p) not in moving)
        if len(moving) != 1 or not fixed:
            return False
        ((a, p),) = moving
        if a[0] == "letter" and 0 < p <= 1:
            return self.is_a_distance(a[1])
        if a[0] == "top" and p == 1:
            return all(self.is_a_metric(x) for x, _ in a[2])
        if a[0] == "sum" and 0 < p <= 1:
            halves = [(frozenset((b, q / 2) for b, q in m), c) for m, c in a[1]]
            squares = all(
                c > 0 and (self.is_multiple(m) or self.is_multiple(n))
                for (m, c), (n, _) in zip(a[1], halves, strict=True)
            )
            return self.is_a_metric(a[1]) or (p <= Fraction(1, 2) and squares)
        return False

    def is_cut(self, monomial: Any, factor: Fraction) -> bool:
        """Whether a term is the least of a metric and of numbers ≥ 0."""
        ((a, _),) = monomial
        parts = [scale(x, factor) for x, _ in a[2]]
        moving = [x for x in parts if self.moving(x)]
        return (
            len(moving) == 1
            and self.is_a_metric(moving[0])
            and all(self.algebra.sign(x) >= 1 for x in parts if x not in moving)
        )

    def is_a_distance(self, name: str) -> bool:
        """Whether a distance is seen to be a metric that is attained."""
        one = self.core["distances"][name]
        if name in self.known or "input" in one or "parts" in one:
            return True
        if "within" in one or "formula" not in one:
            return False
        if set(spoken(one["formula"])) & set(self.core["distances"]):
            return self.is_a_metric(self.algebra.read(one["formula"]))
        return self.is_norm(one["formula"])

    def is_norm(self, text: str) -> bool:
        """Whether a formula in coordinates is a norm of differences g(D) − g(E)."""
        points = [part for part in self.core["databases"]["parts"].values() if part["kind"] == "points"]
        own = [x for part in points for x in part["coordinates"]]
        algebra = Algebra({**self.core["parameters"], **{f"{x}__{w}": "real" for x in own for w in "DE"}})
        return is_norm(algebra, self.core["parameters"], text, own)


def of_atom(a: Any) -> Form:
    """An atom as a formula."""
    return frozenset([(frozenset([(a, Fraction(1))]), Fraction(1))])


def is_least(monomial: Any, factor: Fraction) -> bool:
    """Whether a term is a minimum."""
    return factor < 0 and len(monomial) == 1 and all(a[0] == "top" and a[1] == p == 1 for a, p in monomial)


def is_norm(algebra: Any, parameters: Any, text: str, own: list[str]) -> bool:
    """Whether a formula in coordinates is a sum or maximum of sizes of differences, or a root of their squares."""
    tree = ast.parse(text, mode="eval").body
    if isinstance(tree, ast.Call) and ast.unparse(tree.func) == "sqrt":
        return is_sum_of_squares(algebra, algebra.read(ast.unparse(tree.args[0])), own)
    form = algebra.read(text)
    turned = {f"{x}__D": letter(f"{x}__E") for x in own} | {f"{x}__E": letter(f"{x}__D") for x in own}

    def moves(x: Form, who: str) -> bool:
        return any(name.endswith(f"__{who}") for name in letters(x))

    def is_difference(v: Form) -> bool:
        parts = [frozenset([one]) for one in v]
        apart = all(not (moves(x, "D") and moves(x, "E")) for x in parts)
        back = rewritten(algebra, v, lambda a: turned.get(a[1]) if a[0] == "letter" else None)
        return apart and back == scale(v, -1)

    def is_size(a: Any) -> bool:
        """A maximum of ±v for differences v: of several, the largest size."""
        members = [x for x, _ in a[2]]
        return a[1] == 1 and all(scale(x, -1) in members and is_difference(x) for x in members)

    for monomial, factor in form:
        moving = [(a, p) for a, p in monomial if any("__" in name for name in letters(of_atom(a)))]
        fixed = all(algebra.atom_sign(a) >= 1 for a, p in monomial if (a, p) not in moving)
        if factor <= 0 or len(moving) != 1 or not fixed:
            return False
        ((a, p),) = moving
        if a[0] == "top" and p == 1 and is_size(a):
            continue
        return False
    return True


def is_sum_of_squares(algebra: Any, form: Form, own: list[str]) -> bool:
    """Whether a form is a sum of multiples > 0 of (x(D) − x(E))² for coordinates x."""
    wanted = ZERO
    for x in own:
        square = algebra.power(minus(letter(f"{x}__D"), letter(f"{x}__E")), Fraction(2))
        c = dict(form).get(frozenset([(("letter", f"{x}__D"), Fraction(2))]), Fraction(0))
        if c < 0:
            return False
        wanted = add(wanted, scale(square, c))
    return wanted == form


__all__ = ["Axioms"]
