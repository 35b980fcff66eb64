"""Signs that formulas are seen to have, and intervals that hold their values, over letters with domains."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from second_checker import enclosures
from second_checker.enclosures import INF, Interval
from second_checker.forms import ZERO, Form, add, domain, made, minus, number, of_atom, scale
from second_checker.outcomes import Rejected


class Values:
    """Letters with their domains."""

    def __init__(self, domains: Mapping[str, Any]) -> None:
        self.domains = {name: domain(words) for name, words in domains.items()}
        self._signs: dict[Form, int] = {}

    # -- signs: 2 for > 0, 1 for >= 0, -1, -2, and 0 where nothing is seen ------------------------------

    assumed: tuple[tuple[Form, bool], ...] = ()
    """What is ≥ 0, or > 0, by relations between letters."""

    def sign(self, form: Form) -> int:
        """The sign that a form is seen to have."""
        if form not in self._signs:
            up = self.lower(form)
            self._signs[form] = up or -self.lower(scale(form, -1))
        return self._signs[form]

    def lower(self, form: Form) -> int:
        """2 or 1 where a form is seen to be > 0 or >= 0, else 0."""
        groups: dict[frozenset[Any], Form] = {}
        for monomial, factor in form:
            constant = frozenset((a, p) for a, p in monomial if not of_atom(a))
            rest = monomial - constant
            groups[rest] = add(groups.get(rest, ZERO), made([(constant, factor)]))
        seen = [self.term(rest, constant) for rest, constant in groups.items()]
        if all(s > 0 for s in seen):
            return 2 if 2 in seen else 1
        low = self.range(form)[0]
        return 2 if low > 0 or (low == 0 and self.unattained(form)) else 1 if low >= 0 else 0

    def unattained(self, form: Form) -> bool:
        """Whether some term is seen never to have its least value, as a letter's range is open there."""
        return any(self.open(monomial, factor < 0) for monomial, factor in form)

    def open(self, monomial: frozenset[Any], up: bool) -> bool:
        """Whether a product of what is > 0 never has its greatest (or least) value."""
        found = False
        for a, p in monomial:
            if self.atom_sign(a) != 2:
                return False
            grows = up == (p > 0)
            if a[0] == "letter":
                found |= bool(self.domains[a[1]].get("open-greatest" if grows else "open-least"))
            elif a[0] == "exp":
                found |= self.unattained(scale(a[1], -1) if grows else a[1])
        return found

    def term(self, rest: frozenset[Any], constant: Form) -> int:
        """The sign of a monomial in letters with a constant factor."""
        low, high = self.enclose(constant, {})
        own = 2 if low > 0 else -2 if high < 0 else 1 if low == high == 0 else 0
        for a, p in rest:
            base = self.atom_sign(a)
            if p.denominator == 1 and p.numerator % 2 == 0:
                base = 2 if abs(base) == 2 else 1
            if not base or not own:
                return 0
            own = min(abs(base), abs(own)) * (1 if base * own > 0 else -1)
        return own

    def atom_sign(self, a: Any) -> int:
        """The sign of an atom."""
        match a:
            case ("letter", name):
                low, high = self.ends(name)
                box = self.domains[name]
                if low > 0 or (low == 0 and box.get("open-least")):
                    return 2
                return 1 if low >= 0 else -2 if high < 0 else -1 if high <= 0 else 0
            case ("prime", _) | ("exp", _):
                return 2
            case ("log", x):
                return self.sign(minus(x, number(1)))
            case ("sum" | "power", x) | ("family", _, x, _):
                return self.sign(x)
            case ("top", m, members):
                up = sorted((s for x, n in members for s in [self.sign(x)] * n), reverse=True)
                return up[0] if up[0] < 0 else max(0, min(up[:m]))
        return 0

    def ends(self, name: str) -> Interval:
        """The ends of a letter's domain."""
        if name not in self.domains:
            raise Rejected(f"{name} has no domain")
        box = self.domains[name]
        return (
            Fraction(box["least"]) if "least" in box else -INF,
            Fraction(box["greatest"]) if "greatest" in box else INF,
        )

    # -- values -----------------------------------------------------------------------------------------

    def range(self, form: Form) -> Interval:
        """An interval that holds the values for all allowed letters."""
        return self.enclose(form, None)

    def enclose(self, form: Form, point: Mapping[str, Fraction] | None) -> Interval:
        """An interval that holds the value at a point; without a point, all values."""
        total: Interval = (Fraction(0), Fraction(0))
        for monomial, factor in form:
            term: Interval = (factor, factor)
            for a, p in monomial:
                base = self.enclose_atom(a, point)
                if p.denominator > 1:
                    base = max(base[0], Fraction(0)), base[1]
                if p < 0 and base[0] <= 0 <= base[1]:
                    sign = self.atom_sign(a) if point is None else 0
                    if sign == 0:
                        return -INF, INF
                    base = (
                        (max(base[0], Fraction(0)), base[1])
                        if sign > 0
                        else (base[0], min(base[1], Fraction(0)))
                    )
                    if base[0] == base[1] == 0:
                        return -INF, INF
                term = enclosures.times(term, enclosures.power(base, p))
            total = enclosures.plus(total, term)
        return total

    def enclose_atom(self, a: Any, point: Mapping[str, Fraction] | None) -> Interval:
        """An interval that holds the value of an atom."""
        match a:
            case ("letter", name):
                if point is None:
                    return self.ends(name)
                if name not in point:
                    raise Rejected(f"{name} has no value at the point")
                return point[name], point[name]
            case ("prime", n):
                return Fraction(n), Fraction(n)
            case ("exp", x):
                return enclosures.exponential(self.enclose(x, point))
            case ("log", x):
                low, high = self.enclose(x, point)
                return enclosures.logarithm((max(low, Fraction(0)), high))
            case ("sum" | "power", x):
                return self.enclose(x, point)
            case ("top", m, members):
                every = [self.enclose(x, point) for x, n in members for _ in range(n)]
                return largest(m, every)
            case ("family", m, member, count) if point is not None:
                k = self.enclose(count, point)[0]
                if isinstance(m, frozenset):
                    m = int(self.enclose(m, point)[0])
                rows = [
                    {
                        **point,
                        **{f"{n.split('[')[0]}[i]": v for n, v in point.items() if n.endswith(f"[{j}]")},
                    }
                    for j in range(1, int(k) + 1)
                ]
                values = [self.enclose(member, row) for row in rows]
                return largest(len(values) if m is None else min(m, len(values)), values)
        low, high = self.enclose(a[2], None)
        return (low if low < 0 and a[1] == 1 else -INF if low < 0 else low), (high if a[1] == 1 else INF)


def largest(m: int, values: list[Interval]) -> Interval:
    """The sum of the m largest."""
    lows = sorted((low for low, _ in values), reverse=True)[:m]
    highs = sorted((high for _, high in values), reverse=True)[:m]
    return enclosures.outward(sum(lows, Fraction(0)), sum(highs, Fraction(0)))
