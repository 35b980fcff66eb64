"""Formulas as forms: sums of monomials and of worst cases with rational factors (certificates.md, Forms).

A form is a frozenset of (monomial, factor), a monomial a frozenset of (atom, power).  Atoms are

    ("letter", name)              ("prime", n)            ("exp", form)          ("log", form)
    ("sum", form)                 what stands below a root or a quotient
    ("top", m, members)           a worst case; members is a frozenset of (form, times)
    ("family", m, member, count)  one over a family, m None for the sum of all
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import reduce
from math import gcd, prod
from typing import Any

from second_checker import enclosures
from second_checker.enclosures import INF, Interval
from second_checker.outcomes import NotRead, Rejected

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
        case ("family", _, member, count):
            return letters(member) | letters(count)
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
    if isinstance(words, str) and words.startswith("integer >= "):
        return {"least": words.removeprefix("integer >= "), "integer": True}
    raise NotRead("domain", str(words))


OVER = {"max", "min", "sum", "top"}


def is_worst(form: Form) -> bool:
    """Whether a form is one worst case."""
    if len(form) != 1:
        return False
    ((monomial, factor),) = form
    return factor == 1 and len(monomial) == 1 and next(iter(monomial))[0][0] == "top"


class Algebra:
    """Forms over letters with domains: products and roots need the signs of letters."""

    def __init__(self, domains: Mapping[str, Any]) -> None:
        self.domains = {name: domain(words) for name, words in domains.items()}
        self._signs: dict[Form, int] = {}

    # -- signs: 2 for > 0, 1 for >= 0, -1, -2, and 0 where nothing is seen ------------------------------

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
        return 2 if low > 0 else 1 if low >= 0 else 0

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
            case ("sum", x) | ("family", _, x, _):
                return self.sign(x)
            case ("top", m, members):
                up = sorted((s for x, n in members for s in [self.sign(x)] * n), reverse=True)
                return max(0, min(up[:m]))
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

    # -- building ---------------------------------------------------------------------------------------

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
        for a in worst:
            p = powers[a]
            if p != 1 and (a[1] != 1 or p < 0 or any(self.sign(x) < 1 for x, _ in a[2])):
                raise NotRead("product", "powers of a worst case")
            if p == 1:
                result = self.into(result, a)
                continue
            inside = self.top(1, [self.power(x, p) for x, _ in a[2]])
            if is_worst(inside):
                result = self.into(result, next(iter(next(iter(inside))[0]))[0])
            else:
                result = self.times(result, inside)
        return result

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
                raise NotRead("sign", "of what stands before a worst case")
            if other and (m != 1 or any(self.sign(x) < 1 for x, _ in members)):
                raise NotRead("product", "of worst cases")
            pairs = [(one, x, n) for x, n in members]
            if other:
                pairs = [(y, x, 1) for y, _ in other[0][2] for x, _ in members]
            way = 1 if sign > 0 else -1
            inside = [p for y, x, n in pairs for p in [self.times(scale(y, way), x)] * n]
            total.append(scale(self.top(m, inside), factor * way))
        return add(*total)

    def power(self, x: Form, p: Fraction) -> Form:
        """x^p."""
        if p.denominator == 1 and p >= 0 and p <= 64:
            return reduce(self.times, [x] * p.numerator, number(1))
        if not x:
            if p > 0:
                return ZERO
            raise Rejected("a quotient by 0")
        sign = self.sign(x)
        if (p < 0 and abs(sign) != 2) or (p.denominator > 1 and sign < 1):
            raise NotRead("value", "what is below a root or a quotient has no sign that is seen")
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
        common = self.common(x)
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

    def common(self, x: Form) -> list[tuple[Any, Fraction]]:
        """The powers of letters > 0 that stand in every term."""
        first, *others = (dict(monomial) for monomial, _ in x)
        found = []
        for a, q in first.items():
            least = min([q, *(other.get(a, Fraction(0)) for other in others)])
            if a[0] == "letter" and least > 0 and self.atom_sign(a) == 2:
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
            raise NotRead("value", "what is in a logarithm is not seen to be > 0")
        if len(x) != 1:
            return atom(("log", x))
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

    def family(self, m: int | None, member: Form, count: Form) -> Form:
        """The sum of the m largest members of a family, or of all."""
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

    def fewer(self, m: int | None, count: Form) -> Form:
        """min(m, k), where it is seen which is smaller."""
        if m is None:
            return count
        if self.sign(minus(count, number(m))) > 0:
            return number(m)
        if self.sign(minus(number(m), count)) > 0:
            return count
        return scale(self.top(1, [number(-m), scale(count, -1)]), -1)

    # -- reading ----------------------------------------------------------------------------------------

    def read(self, text: Any, names: Mapping[str, Form] | None = None) -> Form:
        """The form of a formula (or of a list of formulas, their sum)."""
        if isinstance(text, list):
            return add(*(self.read(part, names) for part in text))
        try:
            tree = ast.parse(str(text), mode="eval").body
        except SyntaxError as error:
            raise Rejected(f"{text!r} is no formula") from error
        return self.of(tree, dict(names or {}))

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
                if exponent is None:
                    raise NotRead("power", "with an exponent that is no number")
                return self.power(x, exponent)
        raise Rejected("an operation that formulas do not have")

    def call(self, name: str, parts: list[ast.expr], names: dict[str, Form]) -> Form:
        """A function of formulas."""
        leading = rational(self.of(parts[0], names)) if name == "top" else None
        own = parts[1:] if name == "top" else parts
        index = own[1].id if len(own) == 4 and isinstance(own[1], ast.Name) else None
        if index and index not in self.domains and index not in names and name in OVER:
            return self.over(name, int(leading or 1), own, names)
        values = [self.of(part, names) for part in own]
        match name:
            case "sqrt":
                return self.power(values[0], Fraction(1, 2))
            case "exp":
                return self.exp(values[0])
            case "log":
                return self.log(values[0])
            case "abs":
                return self.top(1, [values[0], scale(values[0], -1)])
            case "max":
                return self.top(1, values)
            case "min":
                return scale(self.top(1, [scale(x, -1) for x in values]), -1)
            case "top" if leading is not None:
                return self.top(int(leading), values)
        raise Rejected(f"{name} is no function of formulas")

    def over(self, name: str, m: int, own: list[ast.expr], names: dict[str, Form]) -> Form:
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
            return add(*values) if name == "sum" else self.top(m, values)
        if first != 1:
            raise NotRead("family", "that does not begin with 1")
        member = self.of(own[0], names)
        if name == "min":
            return scale(self.family(1, scale(member, -1), high), -1)
        return self.family(None if name == "sum" else m, member, high)

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
            case ("sum", x):
                return self.enclose(x, point)
            case ("top", m, members):
                every = [self.enclose(x, point) for x, n in members for _ in range(n)]
                return largest(m, every)
            case ("family", m, member, count) if point is not None:
                k = self.enclose(count, point)[0]
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


__all__ = [
    "UNIT",
    "ZERO",
    "Algebra",
    "Form",
    "add",
    "letters",
    "minus",
    "number",
    "prod",
    "rational",
    "scale",
]
