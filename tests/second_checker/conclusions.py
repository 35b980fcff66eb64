"""What steps conclude, and what all of them look at."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from second_checker import assumptions
from second_checker.comparisons import compare
from second_checker.forms import Form
from second_checker.losses import Losses, Promise
from second_checker.orders import Orders
from second_checker.outcomes import NotRead, demand


@dataclass(frozen=True)
class Composed:
    """All mechanisms together, not yet at the worst neighbours."""

    promises: tuple[Promise, ...]


@dataclass(frozen=True)
class Cover:
    """The profile, and what is lost at it."""

    losses: Losses | None = field(default=None, kw_only=True)


@dataclass
class Bound:
    """A guarantee for the target: a value a parameter, None for ∞; squares where `squared` says so."""

    notion: str
    values: dict[str, Form | None]
    squared: frozenset[str]
    claim: Any = None


@dataclass
class Attained:
    """What witnesses lose in a notion, in a setting; at so many types."""

    losses: Losses
    notion: str
    mechanisms: list[int]
    many: int
    key: str


@dataclass
class Shown:
    """A claim with its fate: proved, refuted, loose; or a bound that is optimal."""

    what: str
    claim: Any = None
    bound: Bound | None = None
    point: Any = None


class Unread:
    """The conclusion of a step that is not read."""


class Steps:
    """The conclusions of the steps so far, in a setting."""

    def __init__(self, losses: Losses, count: int) -> None:
        self.losses, self.algebra = losses, losses.algebra
        self.count = count
        self.conclusions: list[Any] = []

    def one(self, before: list[Any], *kinds: type) -> list[Any]:
        """The steps before, which must be of these kinds."""
        demand(len(before) == len(kinds), "a step from more or fewer steps")
        fits = all(isinstance(x, kind) for x, kind in zip(before, kinds, strict=True))
        demand(fits, "a step from steps of another kind")
        if any(isinstance(x, Unread) for x in before):
            raise NotRead("step", "from one that is not read")
        return before

    def squared(self, notion: str) -> frozenset[str]:
        """The parameters of a notion that are composed by their squares."""
        return frozenset(self.losses.rule(notion).get("squared", []))

    def claimed(self, claim: Any, keys: Any, squared: frozenset[str] = frozenset()) -> dict[str, Form | None]:
        """The values of a claim, squared where its parameters are composed by squares."""
        ordered = self.losses.rule(claim["notion"]).get("ordered")
        demand(
            set(claim) == {"notion", *keys} | ({"orders"} if ordered else set()),
            "a claim has other parameters",
        )
        if ordered:
            demand(Orders.read(claim["orders"]) == self.losses.orders, "a claim about other orders")
        values: dict[str, Form | None] = {}
        for key in keys:
            value = None if claim[key] == "oo" else self.algebra.read(claim[key])
            if value is not None and key in squared:
                if self.algebra.sign(value) < 1:
                    raise NotRead("certificate", "of roots, of which one is not seen to be >= 0")
                value = self.algebra.times(value, value)
            values[key] = value
        return values

    def point(self, point: Any) -> dict[str, Fraction]:
        """A point, whose letters all have allowed values."""
        demand(all(isinstance(text, str) for text in point.values()), "a point whose values are no texts")
        values = {name: Fraction(text) for name, text in point.items()}
        most = 0
        for one in self.losses.core["mechanisms"]:
            if "count" in one and one["count"] in [str(n) for n in values]:
                most = max(most, int(values[one["count"]]))
            elif str(one.get("count", "")).isdigit():
                most = max(most, int(one["count"]))
        for name, value in values.items():
            base, _, index = name.partition("[")
            letter = f"{base}[i]" if index else name
            demand(letter in self.algebra.domains, f"{name} is no letter")
            demand(not index or 1 <= int(index.rstrip("]")) <= most, f"there is no member {name}")
            box = self.algebra.domains[letter]
            low, high = self.algebra.ends(letter)
            demand(low <= value <= high, f"{name} has a value that is not allowed")
            demand(not (value == low and box.get("open-least")), f"{name} has a value that is not allowed")
            demand(
                not (value == high and box.get("open-greatest")), f"{name} has a value that is not allowed"
            )
            demand(
                not box.get("integer") or value.denominator == 1, f"{name} has a value that is not allowed"
            )
        assumptions.demand_at(self.losses.assumed, self.algebra, values)
        return values

    def compare(self, certificate: Any, greater: Form, less: Form, squared: bool) -> None:
        """Rejects where the certificate does not compare; roots are compared by their squares."""
        if certificate is not None and squared:
            if "squares" not in certificate:
                # both are >= 0, so that the roots compare as the squares do
                half = Fraction(1, 2)
                greater, less = self.algebra.power(greater, half), self.algebra.power(less, half)
            else:
                # that the greater one is not negative has been seen when it was squared
                demand(set(certificate) <= {"squares", "not negative"}, "another certificate of squares")
                certificate = certificate["squares"]
        compare(certificate, greater, less, self.losses.parameters, self.losses.assumed)
