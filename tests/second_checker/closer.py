"""The least δ of several mechanisms, or of several steps, that the pages on these give (certificates.md, closer)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from second_checker.algebra import Algebra
from second_checker.forms import ZERO, Form, add, letters, minus, number, rational, scale
from second_checker.outcomes import NotRead
from second_checker.pages import Library

MOST_MEMBERS = 64
"""Of how many members powers are multiplied out."""


class Closer:
    """A setting, its pages, and what each mechanism loses at a distance."""

    core: Any
    algebra: Algebra
    library: Library
    moves: dict[int, Any]

    def at(self, promise: Any, r: Any) -> Any:
        """The parameters of a mechanism at a distance."""
        raise NotImplementedError

    def together(self, vector: Any, by: Mapping[int, Any]) -> Form | None:
        """The least over the choices of a value for each mechanism, of one minus the product."""
        moving = [(by[i], r) for i, r in enumerate(vector) if r and i in by]
        if any(self.at(promise, r) is None for promise, r in moving):
            return None
        own = self.core["mechanisms"]
        if any("partition" in own[p.mechanism] for p, _ in moving):
            raise NotRead("closer", "values of families on parts")
        many = [
            self.algebra.read(own[p.mechanism]["count"]) if "count" in own[p.mechanism] else number(1)
            for p, _ in moving
        ]
        keys = [(self.at(promise, 1), r) for promise, r in moving]
        alike = [keys.index(key) for key in keys]
        every = [self.served(promise, r) for promise, r in moving]
        found = []
        for chosen in product(*(values if alike[n] == n else [ZERO] for n, values in enumerate(every))):
            found.append(self.joined([(chosen[n], count) for n, count in zip(alike, many, strict=True)]))
        return found[0] if len(found) == 1 else self.least(found)

    def least(self, values: list[Form]) -> Form:
        """The minimum."""
        return scale(self.algebra.top(1, [scale(x, -1) for x in values]), -1)

    def joined(self, deltas: list[tuple[Form, Form]]) -> Form:
        """One minus the product of what is seen to be at most 1, after the first that is not; the rest is added.

        Each with how many members of a family have it.
        """
        one = number(1)
        high = [(x, n) for x, n in deltas if self.algebra.sign(minus(one, x)) < 1]
        low = [pair for pair in deltas if pair not in high]
        if any("[i]" in name for x, n in deltas if n != one for name in letters(x)):
            raise NotRead("closer", "values that the members of a family have for themselves")
        first = [x for x, n in high[:1] if n == one]
        order = first + [self.of_members(x, n) for x, n in low]
        total = order[0] if order else ZERO
        for delta in order[1:]:
            self.check_page()
            total = self.algebra.read("1 - (1 - a)*(1 - delta)", {"a": total, "delta": delta})
        return add(total, *(self.algebra.times(x, n) for x, n in high[len(first) :]))

    def of_members(self, delta: Form, count: Form) -> Form:
        """One minus the product over so many members."""
        if count == number(1):
            return delta
        self.check_page()
        if (many := rational(count)) is not None and many > MOST_MEMBERS:
            raise NotRead("closer", "powers that are too long to multiply out")
        return self.algebra.read("1 - (1 - delta)**n", {"delta": delta, "n": count})

    def check_page(self) -> None:
        """Refuses another formula of the page on several mechanisms."""
        formula = self.library.of("closer", notion="approximate", over="mechanisms")["together"]["delta"]
        if formula != "1 - prod(1 - delta[i], i, 1, k)":
            raise NotRead("closer", "by another formula")

    def served(self, promise: Any, r: Any) -> list[Form]:
        """The values of δ at a finite distance r that serve, of finite values."""
        values = self.at(promise, r if promise.pages else 1)
        assert values is not None
        if promise.mechanism in self.moves and r != 1:
            raise NotRead("closer", "values of a noise at a distance")
        if r == 1 or promise.pages:
            # what a conversion gives at r is not made of what it gives at 1
            return [values["delta"]]
        table = self.library.of("closer", notion="approximate", over="steps")
        if r > 64:
            raise NotRead("closer", "values at large distances")
        reached = [(values["delta"], 0)]
        for _ in range(int(r) - 1):
            following: dict[Form, int] = {}
            for a, n in reached:
                for m, text in list(enumerate(table["next"]["delta"]))[n:]:
                    form = self.algebra.read(text, {**values, "a": a})
                    following[form] = min(m, following.get(form, m))
            reached = self.smallest(list(following.items()))
        return [a for a, _ in reached]

    def smallest(self, values: list[tuple[Form, int]]) -> list[tuple[Form, int]]:
        """The values without those that another one is seen to be at most."""
        kept: list[tuple[Form, int]] = []
        for x, n in values:
            if not any(self.algebra.sign(minus(x, y)) > 0 for y, _ in kept):
                kept = [(y, m) for y, m in kept if self.algebra.sign(minus(y, x)) < 1] + [(x, n)]
        return kept


__all__ = ["Closer"]
