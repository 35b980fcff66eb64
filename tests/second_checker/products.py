"""Products, powers and worst cases of forms: they need the signs of letters."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from fractions import Fraction
from functools import reduce
from itertools import product
from math import gcd
from typing import Any

from second_checker.forms import (
    UNIT,
    ZERO,
    Form,
    add,
    atom,
    is_worst,
    letter,
    letters,
    made,
    minus,
    number,
    of_atom,
    primes,
    rational,
    scale,
)
from second_checker.outcomes import NotRead, Rejected
from second_checker.values import Values


def one_atom(form: Form) -> Any:
    """The atom that a form is."""
    return next(iter(next(iter(form))[0]))[0]


class Products(Values):
    """Forms that are made of forms."""

    def sign(self, form: Form) -> int:
        """The same, also of multiples of what is assumed to be ≥ 0."""
        return super().sign(form) or self.by_assumption(form) or -self.by_assumption(scale(form, -1))

    def by_assumption(self, form: Form) -> int:
        """2 or 1 where a form is a multiple ≥ 0 of what is assumed, and what is left is seen to be > 0 or ≥ 0."""
        for one, strict in self.assumed if form else ():
            for (mono, c), (below, d) in product(form, one):
                factor = made([(UNIT, c / d)])
                for a, p in [*mono, *((a, -p) for a, p in below)]:
                    factor = self.times(factor, made([(frozenset([(a, p)]), Fraction(1))]))
                own = super().sign(factor)
                left = minus(form, self.times(factor, one)) if own > 0 else form
                seen = super().sign(left) if left else 1
                if own > 0 and seen > 0:
                    return 2 if seen == 2 or (strict and own == 2) else 1
        return 0

    def lower(self, form: Form) -> int:
        """The same, also with letters written as what they are above their least values."""
        found = super().lower(form)
        with suppress(NotRead):
            if not found and (moved := self.above_least(form)) != form:
                found = super().lower(moved)
        with suppress(NotRead):
            if not found and len(form) > 1:
                found = self.without_factors(form)
        return found

    def without_factors(self, form: Form) -> int:
        """The sign of a sum of quotients: over one denominator, without what stands in every term."""
        for _ in range(4):
            below = {(a, p) for monomial, _ in form for a, p in monomial if a[0] == "sum" and p < 0}
            if not below:
                break
            a, p = min(below, key=lambda one: one[1])
            if self.atom_sign(a) != 2:
                return 0
            form = self.times(form, made([(frozenset([(a, -p)]), Fraction(1))]))
        if seen := super().lower(form):
            return seen
        shared = (
            [(a, p) for a, p in next(iter(form))[0] if all((a, p) in monomial for monomial, _ in form)]
            if form
            else []
        )
        if not shared or any(a[0] == "sum" and p < 0 for monomial, _ in form for a, p in monomial):
            return 0
        own = self.term(frozenset(shared), number(1))
        rest = made((monomial - frozenset(shared), factor) for monomial, factor in form)
        sign = super().lower(rest) if own > 0 else super().lower(scale(rest, -1)) if own < 0 else 0
        return min(sign, abs(own))

    def above_least(self, form: Form) -> Form:
        """The form with least + x' for each x with a least value above 0 that it is multiplied by."""
        total = []
        for monomial, factor in form:
            term = number(factor)
            for a, p in monomial:
                base = made([(frozenset([(a, Fraction(1))]), Fraction(1))])
                box = self.domains.get(a[1], {}) if a[0] == "letter" else {}
                if Fraction(box.get("least", 0)) > 0 and p > 0 and p.denominator == 1:
                    fresh = f"{a[1]}'"
                    self.domains[fresh] = {"least": 0, "open-least": box.get("open-least", False)}
                    base = add(number(Fraction(box["least"])), letter(fresh))
                for _ in range(int(p) if p > 0 and p.denominator == 1 else 0):
                    term = self.times(term, base)
                if p < 0 or p.denominator > 1:
                    term = self.times(term, made([(frozenset([(a, p)]), Fraction(1))]))
            total.append(term)
        return add(*total)

    def times(self, x: Form, y: Form) -> Form:
        """x·y, multiplied out."""
        return add(*(self.join(m, n, c * d) for m, c in x for n, d in y))

    def join(self, m: frozenset[Any], n: frozenset[Any], factor: Fraction) -> Form:
        """factor·m·n for two monomials: powers of one base are joined."""
        powers: dict[Any, Fraction] = {}
        exponent = ZERO
        for a, p in [*m, *n]:
            if a[0] == "exp":
                exponent = add(exponent, scale(a[1], p))
            else:
                a = one_atom(a[1]) if a[0] == "power" else a
                powers[a] = powers.get(a, Fraction(0)) + p
        worst = [a for a, p in powers.items() if a[0] == "top" and p]
        result = made([(UNIT, factor)])
        plain = {}
        for a, p in powers.items():
            if a[0] == "prime":
                whole = p.numerator // p.denominator
                result = scale(result, Fraction(a[1]) ** whole)
                p -= whole
            if a[0] == "sum" and p.denominator == 1 and p > 0:
                result = self.times(result, self.power(a[1], p))
            elif a[0] == "family" and a[1] == 1 and p > 1 and self.sign(a[2]) > 0:
                result = self.times(result, self.family(1, self.power(a[2], p), a[3]))
            elif p and a not in worst:
                plain[a] = p
        monomial = frozenset(plain.items())
        if exponent:
            monomial |= {(("exp", exponent), Fraction(1))}
        if len(result) == 1 and rational(result) is not None:
            result = made([(monomial, next(iter(result))[1])])
        elif monomial:
            result = self.times(result, made([(monomial, Fraction(1))]))
        kept = [a for a in worst if self.way(a, powers[a]) is None]
        result = made((mono | {(("power", atom(a)), powers[a]) for a in kept}, c) for mono, c in result)
        if kept and any(a[0] == "top" for mono, _ in result for a, _ in mono):
            raise NotRead("formula", "of worst cases")
        for a in worst:
            p, way = powers[a], self.way(a, powers[a])
            if way is None:
                continue
            if p == 1:
                result = self.into(result, a)
                continue
            members = [scale(self.power(scale(x, way), p), way) for x, _ in a[2]]
            inside = scale(self.top(1, members), way ** (p.numerator + 1))
            result = self.into(result, one_atom(inside)) if is_worst(inside) else self.times(result, inside)
        return result

    def way(self, worst: Any, p: Fraction) -> int | None:
        """The sign of all members of a worst case, whose power is that of their powers; None where it is kept as it is."""
        seen = {min(max(self.sign(x), -1), 1) for x, _ in worst[2]}
        alike = worst[1] == 1 and len(seen) == 1 and 0 not in seen
        if p == 1 or (alike and p > 0 and (p.denominator == 1 or -1 not in seen)):
            return next(iter(seen))
        if p < 0 or p.denominator != 1:
            raise NotRead("formula", "powers of a worst case")
        return None

    def into(self, form: Form, worst: Any) -> Form:
        """form·P for a worst case P: each monomial is multiplied into it, by its sign."""
        _, m, members = worst
        total = []
        for monomial, factor in form:
            other = [a for a, _ in monomial if a[0] == "top"]
            one = made([(monomial, Fraction(1))])
            sign = self.sign(one)
            if not monomial:
                total.append(made([(frozenset([(worst, Fraction(1))]), factor)]))
                continue
            if not sign:
                raise NotRead("formula", "of what stands before a worst case")
            if other:
                alone = len(monomial) == len(other) == m == other[0][1] == next(iter(monomial))[1] == 1
                if not alone:
                    raise NotRead("formula", "of worst cases")
                total.append(scale(self.of_two([y for y, _ in other[0][2]], [x for x, _ in members]), factor))
                continue
            way = 1 if sign > 0 else -1
            inside = [p for x, n in members for p in [self.times(scale(one, way), x)] * n]
            total.append(scale(self.top(m, inside), factor * way))
        return add(*total)

    def of_two(self, some: list[Form], others: list[Form]) -> Form:
        """The product of two maxima, each of what is >= 0 or of what is <= 0."""
        ways = [{min(max(self.sign(x), -1), 1) for x in own if x} for own in (some, others)]
        if ways == [{1}, {1}]:
            return self.top(1, [self.times(x, y) for x in some for y in others])
        if ways == [{-1}, {-1}]:
            return scale(self.top(1, [scale(self.times(x, y), -1) for x in some for y in others]), -1)
        if ways == [{-1}, {1}]:
            return self.of_two(others, some)
        if ways != [{1}, {-1}]:
            raise NotRead("formula", "of worst cases")
        # the largest of the products of each member <= 0 with the other maximum, which is >= 0
        least = [self.top(1, [scale(self.times(x, y), -1) for x in some]) for y in others]
        return self.top(1, [scale(x, -1) for x in least])

    def power(self, x: Form, p: Fraction) -> Form:
        """x^p."""
        if abs(p) > 1000:
            raise Rejected("a power above 1000")
        if p.denominator == 1 and p >= 0 and p <= 64:
            return reduce(self.times, [x] * p.numerator, number(1))
        if not x:
            if p > 0:
                return ZERO
            raise Rejected("a quotient by 0")
        sign = self.sign(x)
        if (p < 0 and abs(sign) != 2) or (p.denominator > 1 and sign < 1):
            raise NotRead("formula", "what is below a root or a quotient has no sign that is seen")
        if p.denominator > 1 and (turned := self.turned(x)) is not None:
            return self.times(self.power(turned[0], p), self.power(turned[1], p))
        if len(x) == 1:
            ((monomial, factor),) = x
            if p > 0 and factor > 0 and len(monomial) == 1:
                ((a, q),) = monomial
                if a[0] == "top" and a[1] == q == 1 and all(self.sign(y) > 0 for y, _ in a[2]):
                    return self.times(self.root(factor, p), self.top(1, [self.power(y, p) for y, _ in a[2]]))
            kept = all(a[0] != "top" and (p.denominator == 1 or self.atom_sign(a) > 0) for a, _ in monomial)
            if kept and (factor > 0 or p.denominator == 1):
                raised = frozenset((a, q * p) for a, q in monomial)
                return self.times(self.root(factor, p), self.join(raised, UNIT, Fraction(1)))
        common = self.common(x, 1 if p > 0 else 2)
        if common:
            out = frozenset((a, -q) for a, q in common)
            rest = made([(frozenset(self.joined(m, out)), c) for m, c in x])
            raised = self.join(frozenset((a, q * p) for a, q in common), UNIT, Fraction(1))
            return self.times(raised, self.power(rest, p))
        way = -1 if sign < 0 else 1
        content = way * Fraction(
            gcd(*(c.numerator for _, c in x)),
            reduce(lambda a, b: a * b // gcd(a, b), (c.denominator for _, c in x)),
        )
        return self.times(self.root(content, p), atom(("sum", scale(x, 1 / content)), p))

    def turned(self, x: Form) -> tuple[Form, Form] | None:
        """Two factors >= 0 of a product with a factor below 0: that one as what is above 0, and what is left."""
        if len(x) != 1:
            return None
        ((monomial, factor),) = x
        for a, q in monomial if len(monomial) > 1 else ():
            if q == 1 and self.atom_sign(a) == -2 and a[0] != "top":
                rest = made([(monomial - {(a, q)}, -factor)])
                return (scale(atom(a), -1), rest) if self.sign(rest) > 0 else None
        return None

    def common(self, x: Form, least_sign: int) -> list[tuple[Any, Fraction]]:
        """The powers of letters > 0, or >= 0 for a power > 0, that stand in every term."""
        first, *others = (dict(monomial) for monomial, _ in x)
        found = []
        for a, q in first.items():
            least = min([q, *(other.get(a, Fraction(0)) for other in others)])
            if a[0] == "letter" and least > 0 and self.atom_sign(a) >= least_sign:
                found.append((a, least))
        return found

    def joined(self, m: frozenset[Any], n: frozenset[Any]) -> list[tuple[Any, Fraction]]:
        """The powers of two monomials of which none becomes 0 but by cancelling."""
        powers = dict(m)
        for a, q in n:
            powers[a] = powers.get(a, Fraction(0)) + q
        return [(a, q) for a, q in powers.items() if q]

    def root(self, c: Fraction, p: Fraction) -> Form:
        """c^p for a number, in primes."""
        if p.denominator == 1:
            return number(c**p.numerator)
        powers = [(("prime", n), e * p) for n, e in primes(c.numerator).items()]
        powers += [(("prime", n), -e * p) for n, e in primes(c.denominator).items()]
        return self.join(frozenset(powers), UNIT, Fraction(1))

    def exp(self, x: Form) -> Form:
        """exp(x); whole multiples of logarithms are taken out."""
        rest, result = [], number(1)
        for monomial, factor in x:
            inner = [a for a, p in monomial if a[0] == "log" and p == 1]
            if inner and len(monomial) == 1:
                result = self.times(result, self.power(inner[0][1], factor))
            else:
                rest.append((monomial, factor))
        exponent = made(rest)
        return self.times(result, atom(("exp", exponent))) if exponent else result

    def log(self, x: Form) -> Form:
        """log(x); the logarithm of a product of what is > 0 is the sum."""
        if self.sign(x) != 2:
            raise NotRead("formula", "what is in a logarithm is not seen to be > 0")
        if len(x) != 1:
            first, *others = (dict(monomial) for monomial, _ in x)
            powers = {
                a: min(q, *(other.get(a, Fraction(0)) for other in others))
                for a, q in first.items()
                if a[0] == "letter" and self.atom_sign(a) == 2 and all(a in other for other in others)
            }
            if not powers:
                return atom(("log", x))
            out = frozenset((a, -q) for a, q in powers.items())
            rest = made([(frozenset(self.joined(m, out)), c) for m, c in x])
            return add(atom(("log", rest)), *(scale(atom(("log", atom(a))), q) for a, q in powers.items()))
        ((monomial, factor),) = x
        if not all(self.atom_sign(a) == 2 and a[0] != "top" for a, _ in monomial) or factor <= 0:
            return atom(("log", x))
        parts = [scale(atom(("log", number(n))), e) for n, e in primes(factor.numerator).items()]
        parts += [scale(atom(("log", number(n))), -e) for n, e in primes(factor.denominator).items()]
        for a, p in monomial:
            if a[0] == "exp":
                parts.append(scale(a[1], p))
            else:
                parts.append(scale(atom(("log", number(a[1]) if a[0] == "prime" else atom(a))), p))
        return add(*parts)

    def top(self, m: int, members: list[Form]) -> Form:
        """The sum of the m largest."""
        if m >= len(members):
            return add(*members)
        if m == 1:
            members = list(dict.fromkeys(y for x in members for y in self.spread(x)))
            members = self.without_smaller(members)
        if len(set(members)) == 1:
            return scale(members[0], m)
        return atom(("top", m, frozenset(Counter(members).items())))

    def spread(self, x: Form) -> list[Form]:
        """The members of a maximum that is itself a member of one."""
        if len(x) == 1:
            ((monomial, factor),) = x
            if len(monomial) == 1 and factor > 0:
                ((a, _),) = monomial
                if a[0] == "top" and a[1] == 1:
                    return [scale(y, factor) for y, _ in a[2]]
        return [x]

    def without_smaller(self, members: list[Form]) -> list[Form]:
        """Of members that are numbers only the largest is kept."""
        constant = [x for x in members if not letters(x)]
        best = constant[:1]
        for x in constant[1:]:
            sign = self.sign(minus(x, best[0]))
            if not sign:
                return members
            best = [x] if sign > 0 else best
        return [x for x in members if letters(x)] + best

    def family(self, m: int | Form | None, member: Form, count: Form) -> Form:
        """The sum of the m largest members of a family, or of all; m may be a formula."""
        many = rational(count)
        if isinstance(m, frozenset) and (whole := rational(m)) is not None:
            m = int(whole)
        if isinstance(m, int) and many is not None and m >= many:
            m = None
        indexed = [name for name in letters(member) if "[" in name]
        if not indexed:
            return self.times(member, self.fewer(m, count))
        if m is None or len(member) == 1:
            total = []
            for monomial, factor in member:
                own = frozenset((a, p) for a, p in monomial if any("[" in name for name in of_atom(a)))
                outer = made([(monomial - own, Fraction(1))])
                if not own:
                    total.append(scale(self.times(outer, count), factor))
                    continue
                if m is not None and (self.sign(outer) < 1 or factor < 0):
                    return atom(("family", m, member, count))
                inner = atom(("family", m, made([(own, Fraction(1))]), count))
                total.append(scale(self.times(outer, inner), factor))
            return add(*total)
        return atom(("family", m, member, count))

    def fewer(self, m: int | Form | None, count: Form) -> Form:
        """min(m, k), where it is seen which is smaller."""
        if m is None:
            return count
        many = number(m) if isinstance(m, int) else m
        if self.sign(minus(count, many)) > 0:
            return many
        if self.sign(minus(many, count)) > 0:
            return count
        return scale(self.top(1, [scale(many, -1), scale(count, -1)]), -1)
