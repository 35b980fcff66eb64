"""Formulas as forms: sums of monomials and of worst cases with rational factors (certificates.md, Forms).

A form is a frozenset of (monomial, factor), a monomial a frozenset of (atom, power).  Atoms are

    ("letter", name)              ("prime", n)            ("exp", form)          ("log", form)
    ("sum", form)                 what stands below a root or a quotient
    ("power", form)               a worst case to a power that is no worst case of powers
    ("top", m, members)           a worst case; members is a frozenset of (form, times)
    ("family", m, member, count)  one over a family, m None for the sum of all, else a number or a form
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from second_checker.outcomes import NotRead

Form = frozenset[tuple[frozenset[tuple[Any, Fraction]], Fraction]]
UNIT: frozenset[Any] = frozenset()
ZERO: Form = frozenset()


def made(terms: Iterable[tuple[frozenset[Any], Fraction]]) -> Form:
    """The form with these terms, like terms added up."""
    total: dict[frozenset[Any], Fraction] = {}
    for monomial, factor in terms:
        total[monomial] = total.get(monomial, Fraction(0)) + factor
    return frozenset((m, c) for m, c in total.items() if c)


def number(x: Any) -> Form:
    """A rational number."""
    return made([(UNIT, Fraction(x))])


def letter(name: str) -> Form:
    """A letter."""
    return atom(("letter", name))


def atom(a: Any, p: Any = 1) -> Form:
    """An atom, perhaps to a power."""
    return made([(frozenset([(a, Fraction(p))]), Fraction(1))])


def add(*forms: Form) -> Form:
    """The sum."""
    return made(term for form in forms for term in form)


def scale(form: Form, c: Any) -> Form:
    """c·form."""
    return made((m, f * Fraction(c)) for m, f in form)


def minus(x: Form, y: Form) -> Form:
    """x − y."""
    return add(x, scale(y, -1))


def rational(form: Form) -> Fraction | None:
    """The number that a form is, if it is one."""
    if not form:
        return Fraction(0)
    ((monomial, factor), *more) = form
    return factor if not more and not monomial else None


def letters(form: Form) -> set[str]:
    """All letters in a form, also within atoms."""
    return {name for monomial, _ in form for a, _ in monomial for name in of_atom(a)}


def of_atom(a: Any) -> set[str]:
    """All letters in an atom."""
    match a:
        case ("letter", name):
            return {name}
        case ("prime", _):
            return set()
        case ("top", _, members):
            return {name for x, _ in members for name in letters(x)}
        case ("family", m, member, count):
            return letters(member) | letters(count) | (letters(m) if isinstance(m, frozenset) else set())
    return letters(a[1])


def primes(n: int) -> Counter[int]:
    """The prime factors of n ≥ 1; a large factor that is left is one base."""
    found: Counter[int] = Counter()
    d = 2
    while d * d <= n and d < 10000:
        while n % d == 0:
            found[d] += 1
            n //= d
        d += 1
    if n > 1:
        found[n] += 1
    return found


def domain(words: Any) -> dict[str, Any]:
    """A domain as a table of its ends."""
    known: dict[str, dict[str, Any]] = {
        "positive": {"least": 0, "open-least": True},
        "nonnegative": {"least": 0},
        "real": {},
        "in (0,1)": {"least": 0, "greatest": 1, "open-least": True, "open-greatest": True},
    }
    if isinstance(words, dict):
        return words
    if words in known:
        return known[words]
    if isinstance(words, str) and (ends := re.fullmatch(r"in ([(\[])([^,]+), *([^,]+)([)\]])", words)):
        box: dict[str, Any] = {"least": ends[2]} | ({"open-least": True} if ends[1] == "(" else {})
        if ends[3] != "oo":
            box |= {"greatest": ends[3]} | ({"open-greatest": True} if ends[4] == ")" else {})
        return box
    if isinstance(words, str) and words.startswith("integer >= "):
        return {"least": words.removeprefix("integer >= "), "integer": True}
    raise NotRead("setting", str(words))


def is_worst(form: Form) -> bool:
    """Whether a form is one worst case."""
    if len(form) != 1:
        return False
    ((monomial, factor),) = form
    return factor == 1 and len(monomial) == 1 and next(iter(monomial))[0][0] == "top"
