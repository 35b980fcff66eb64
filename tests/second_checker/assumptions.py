"""Relations between letters that are assumed: of the problem, at points, and where a letter is eliminated by one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from second_checker.algebra import Algebra
from second_checker.forms import Form, domain, letter, letters, minus, number, rational, scale
from second_checker.outcomes import NotRead, demand
from second_checker.rewriting import rewritten

Known = tuple[tuple[Form, bool], ...]
"""What is ≥ 0, and whether it is > 0."""


def agree(problem: Any, core: Any, algebra: Algebra) -> None:
    """Rejects relations that the problem file has not, or has besides."""
    said = [re.fullmatch(r"(.*?)(<=|>=|<|>)(.*)", text) for text in problem.get("assume", [])]
    own = core.get("assumed", [])
    demand(len(said) == len(own) and all(said), "other relations are assumed")
    for one, (left, sign, right) in zip(said, own, strict=True):
        assert one is not None
        same = algebra.read(one[1].strip()) == algebra.read(left) and one[2] == sign
        demand(same and algebra.read(one[3].strip()) == algebra.read(right), "another relation is assumed")


def known(core: Any, algebra: Algebra) -> Known:
    """What is assumed in a setting."""
    found = []
    for left, sign, right in core.get("assumed", []):
        difference = minus(algebra.read(left), algebra.read(right))
        demand(sign in (">", ">=", "<", "<="), f"{sign} is no relation")
        found.append((difference if ">" in sign else scale(difference, -1), "=" not in sign))
    return tuple(found)


def counts(form: Form, name: str) -> bool:
    """Whether a letter says how many members a family has, or how many of the largest are meant."""

    def inside(a: Any) -> bool:
        match a:
            case ("letter", _) | ("prime", _):
                return False
            case ("family", m, member, count):
                own = letters(count) | (letters(m) if isinstance(m, frozenset) else set())
                return name in own or counts(member, name)
            case ("top", _, members):
                return any(counts(x, name) for x, _ in members)
        return counts(a[1], name)

    return any(inside(a) for monomial, _ in form for a, _ in monomial)


def at_point(algebra: Algebra, form: Form, point: dict[str, Fraction]) -> Form:
    """A formula with numbers in place of letters."""
    there = {name: number(x) for name, x in point.items()}
    return rewritten(algebra, form, lambda a: there.get(a[1]) if a[0] == "letter" else None)


def demand_at(assumed: Known, algebra: Algebra, point: dict[str, Fraction]) -> None:
    """Rejects a point at which a relation does not hold."""
    for form, strict in assumed:
        low, high = algebra.enclose(form, point)
        if low < 0 <= high:  # roots may cancel
            exact = rational(at_point(algebra, form, point))
            low = low if exact is None else exact
        demand(low > 0 or (low == 0 and not strict), "a point that is not allowed by what is assumed")


def eliminated(
    entries: Any, domains: Mapping[str, Any], assumed: Known, sides: tuple[Form, Form]
) -> tuple[dict[str, Any], Known, tuple[Form, Form]]:
    """Both sides, and what is assumed besides, with what a letter is more than its bound in its place."""
    boxes, left = dict(domains), list(assumed)
    for n, name, fresh in entries:
        if not 0 <= n < len(left):
            raise NotRead("assumed", "that a letter lies in its domain")
        demand(fresh not in boxes and name in boxes, "letters that are not new, or not there")
        form, strict = left.pop(n)
        box = domain(boxes.pop(name))
        own = [(mono, c) for mono, c in form if name in letters(frozenset([(mono, c)]))]
        demand(
            len(own) == 1 and own[0][0] == frozenset([(("letter", name), Fraction(1))]), "no linear letter"
        )
        c, rest = own[0][1], frozenset(one for one in form if one != own[0])
        # of whole numbers it is shown for all numbers between, but of no number of members
        if box.get("integer") and any(counts(x, name) for x in (*sides, *(one for one, _ in left))):
            raise NotRead("assumed", "of a number of members")
        boxes[fresh] = above(box, c, rational(rest), strict)
        if box.get("integer") and is_whole(c, rest, boxes):
            own = boxes[fresh]
            least = Fraction(own["least"]) + (1 if own.pop("open-least", False) else 0)
            boxes[fresh] = {**own, "least": least, "integer": True}
        inner = Algebra(boxes)
        value = scale(minus(letter(fresh), rest), 1 / c)

        def there(x: Form, inner: Algebra = inner, name: str = name, value: Form = value) -> Form:
            return rewritten(inner, x, lambda a: value if a == ("letter", name) else None)

        sides = (there(sides[0]), there(sides[1]))
        left = [(there(one), strictly) for one, strictly in left]
        left += inside(inner, box, value)
    return boxes, tuple(left), sides


def inside(algebra: Algebra, box: dict[str, Any], value: Form) -> list[tuple[Form, bool]]:
    """That a value lies in a domain, where it is not seen by signs."""
    found = []
    for end, c in (("least", 1), ("greatest", -1)):
        if end in box:
            strict = bool(box.get(f"open-{end}"))
            more = scale(minus(value, number(Fraction(box[end]))), c)
            if algebra.sign(more) < 1 + strict:
                found.append((more, strict))
    return found


def is_whole(c: Fraction, rest: Form, boxes: Mapping[str, Any]) -> bool:
    """Whether c·x and the rest are whole for whole x, as letters and factors are."""
    every = all(
        factor.denominator == 1
        and all(
            a[0] == "letter" and p.denominator == 1 and p > 0 and domain(boxes[a[1]]).get("integer")
            for a, p in monomial
        )
        for monomial, factor in rest
    )
    return c.denominator == 1 and every


def above(box: dict[str, Any], c: Fraction, rest: Fraction | None, strict: bool) -> dict[str, Any]:
    """The domain of c·x + rest, which is ≥ 0, or > 0, where x lies in a box."""
    found: dict[str, Any] = {"least": 0} | ({"open-least": True} if strict else {})
    if rest is None:
        return found
    low, high = ("least", "greatest") if c > 0 else ("greatest", "least")
    if low in box and (end := c * Fraction(box[low]) + rest) >= 0 and (end > 0 or box.get(f"open-{low}")):
        found = {"least": end} | ({"open-least": True} if box.get(f"open-{low}") else {})
    if high in box:
        found["greatest"] = c * Fraction(box[high]) + rest
        found |= {"open-greatest": True} if box.get(f"open-{high}") else {}
    return found


def same_box(words: Any, box: Any) -> bool:
    """Whether two domains are one."""

    def ends(one: dict[str, Any]) -> tuple[Any, ...]:
        low, high = Fraction(one.get("least", -1)), Fraction(one.get("greatest", -1))
        flags = [bool(one.get(key)) for key in ("open-least", "open-greatest", "integer")]
        return ("least" in one, low, "greatest" in one, high, *flags)

    return ends(domain(words)) == ends(domain(box))
