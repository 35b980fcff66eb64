"""Proofs by steps of calculus: signs, division, slopes, halves of a box, and worst cases one by one.

A step leaves some functions, whose proofs follow in the same order, each completely before the next.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import combinations, count
from math import lcm, prod
from typing import Any

from second_checker import polynomials
from second_checker.algebra import Algebra
from second_checker.forms import UNIT, ZERO, Form, add, atom, is_worst, letters, made, minus, number, scale
from second_checker.outcomes import NotRead, Rejected, demand
from second_checker.pairs import simple
from second_checker.rewriting import rewritten
from second_checker.samples import demand_same, demand_sign, inward, without_quotients
from second_checker.signs import seen

Goal = tuple[Algebra, Form]


def prove(algebra: Algebra, form: Form, steps: list[Any]) -> None:
    """Rejects where the steps do not show form ≥ 0."""
    return follow([[(algebra, form)]], steps, count(1))


def follow(groups: list[list[Goal]], steps: list[Any], taken: Iterator[int]) -> None:
    """Rejects where the steps do not show all goals, those of the last group first.

    In which order collected functions, and members of worst cases, follow is not said: any order will do.
    """
    for n, words in enumerate(steps, 1):
        demand(bool(groups), "steps after the proof")
        if next(taken) > MOST:
            raise NotRead("certificate", "steps whose order is not found")
        if len(groups[-1]) > 1:
            return in_some_order(groups, steps[n - 1 :], taken)
        ((inner, function),) = groups.pop()
        demand(isinstance(words, list) and bool(words), "a step of calculus is a list")
        rule = RULES.get(words[0])
        if rule is None:
            raise NotRead("certificate", f"the step {words[0]}")
        found = list(rule(inner, function, *words[1:]))
        if words[0] in UNORDERED:
            groups += [found] if found else []
        else:
            groups += [[goal] for goal in reversed(found)]
    return demand(not groups, "a proof that ends too early")


def in_some_order(groups: list[list[Goal]], steps: list[Any], taken: Iterator[int]) -> None:
    """Rejects where the steps show the last group in no order."""
    reasons: list[Rejected | NotRead] = []
    *others, some = groups
    for n, goal in enumerate(some):
        if goal[1] in [form for _, form in some[:n]]:
            continue
        try:
            return follow([*others, some[:n] + some[n + 1 :], [goal]], steps, taken)
        except (Rejected, NotRead) as error:
            reasons.append(error)
    raise next((one for one in reasons if isinstance(one, NotRead)), reasons[0])


UNORDERED = ("collect", "each")
MOST = 5_000
"""How many steps are taken in all orders that are tried."""


def signs(algebra: Algebra, form: Form) -> Iterator[Goal]:
    """Each term is ≥ 0 by its signs, letters written as least + (something ≥ 0)."""
    if not algebra.lower(form) and not algebra.lower(without_quotients(algebra, form)):
        boxes: dict[str, Any] = dict(algebra.domains)
        moved: dict[str, Form] = {}
        for name in letters(form):
            low, high = algebra.ends(name)
            if isinstance(low, Fraction) and low != 0:
                boxes[name] = {**boxes[name], "least": 0}
                if isinstance(high, Fraction):
                    boxes[name]["greatest"] = high - low
                moved[name] = add(number(low), atom(("letter", name)))
        inner = Algebra(boxes)
        shifted = rewritten(inner, form, lambda a: moved.get(a[1]) if a[0] == "letter" else None)
        seen = inner.lower(shifted) > 0 or inner.lower(without_quotients(inner, shifted)) > 0
        demand(seen, "terms that are not seen to be >= 0")
    yield from ()


def ranged(algebra: Algebra, form: Form, digits: Any) -> Iterator[Goal]:
    """An interval that holds all values begins with 0 or more."""
    if algebra.range(form)[0] < 0:
        demand_sign(algebra, form, False, "an interval that is not seen to be >= 0")
    yield from ()


def divided(algebra: Algebra, form: Form, text: Any) -> Iterator[Goal]:
    """By what is never 0 and has a sign that is seen."""
    by = algebra.read(text)
    demand(len(by) == 1, "a division by a sum")
    ((monomial, factor),) = by
    sign = algebra.sign(by)
    demand(abs(sign) == 2, "a division by what may be 0")
    inverse = made([(frozenset((a, -p) for a, p in monomial), abs(1 / factor))])
    if (factor < 0) == (sign < 0):
        return (yield algebra, algebra.times(form, inverse))
    return (yield algebra, algebra.times(form, scale(inverse, -1)))


def slope(algebra: Algebra, form: Form, name: Any, end: Any) -> Iterator[Goal]:
    """At an end of a letter's range, and the derivative away from it, on all real numbers of the range."""
    box = algebra.domains.get(name, {})
    demand(end in ("least", "greatest") and end in box, f"{name} has no {end}")
    value = number(Fraction(box[end]))
    # where a form can be written at the end, it is continuous there
    yield algebra, rewritten(algebra, form, lambda a: value if a == ("letter", name) else None)
    smooth = as_real(algebra, name)
    rising = derivative(smooth, rewritten(smooth, form, lambda a: None), name)
    yield smooth, rising if end == "least" else scale(rising, -1)


def as_real(algebra: Algebra, name: Any) -> Algebra:
    """The same where a letter for whole numbers may be any number between its ends: slopes are about all of these."""
    box = algebra.domains.get(name)
    demand(box is not None, f"{name} is no letter")
    assert box is not None
    smooth = {key: end for key, end in box.items() if key != "integer"}
    return Algebra({**algebra.domains, name: smooth}) if box.get("integer") else algebra


def real(algebra: Algebra, form: Form, name: Any) -> Iterator[Goal]:
    """The same for all numbers between the ends of a whole number."""
    smooth = as_real(algebra, name)
    yield smooth, rewritten(smooth, form, lambda a: None)


def only(algebra: Algebra, form: Form, name: Any) -> Iterator[Goal]:
    """The form with the one value that a letter may have."""
    low, high = algebra.ends(name)
    demand(low == high, f"{name} has several values")
    yield algebra, rewritten(algebra, form, lambda a: number(low) if a == ("letter", name) else None)


def square(algebra: Algebra, form: Form, text: Any, power: Any) -> Iterator[Goal]:
    """A·t² + B·t + C ≥ 0 for every real t where A, C and 4AC − B² are: here t is a power of a factor."""
    r, factor = Fraction(power), algebra.read(text)
    demand(r != 0 and len(factor) == 1, "no power of a factor")
    ((monomial, c),) = factor
    demand(c == 1 and len(monomial) == 1, "no power of a factor")
    ((base, p),) = monomial
    demand((p * r).denominator == 1 or algebra.atom_sign(base) > 0, "a root of what may be below 0")
    parts: dict[Fraction, Form] = {}
    for mono, d in form:
        rest = made([(frozenset((a, q) for a, q in mono if a != base), d)])
        at = dict(mono).get(base, Fraction(0)) / (p * r)
        parts[at] = add(parts.get(at, ZERO), rest)
    demand(set(parts) <= {0, 1, 2}, "no polynomial of degree 2 in a power of the factor")
    last, middle, first = (parts.get(Fraction(n), ZERO) for n in range(3))
    yield algebra, first
    yield algebra, last
    yield algebra, minus(scale(algebra.times(first, last), 4), algebra.times(middle, middle))


def derivative(algebra: Algebra, form: Form, name: str) -> Form:
    """∂form/∂name on the inside of the box."""
    total: list[Form] = []
    slopes: dict[Any, Form] = {}
    for monomial, factor in form:
        for a, p in monomial:
            if name not in letters(atom(a)):
                continue
            if a not in slopes:
                slopes[a] = of_atom(algebra, a, name)
            if (p.denominator > 1 or p < 0) and abs(algebra.atom_sign(a)) != 2:
                raise NotRead("certificate", "the slope of a root or a quotient that may be 0")
            rest = frozenset((b, q) for b, q in monomial if b != a)
            power = made([(rest | ({(a, p - 1)} if p != 1 else frozenset()), factor * p)])
            # made again by products, which join powers of one base
            plain = algebra.times(algebra.join(next(iter(power))[0], UNIT, next(iter(power))[1]), number(1))
            total.append(algebra.times(plain, slopes[a]))
    return add(*total)


def of_atom(algebra: Algebra, a: Any, name: str) -> Form:
    """The derivative of an atom."""
    match a:
        case ("letter", _):
            return number(1)
        case ("sum", x):
            return derivative(algebra, x, name)
        case ("exp", x):
            return algebra.times(atom(a), derivative(algebra, x, name))
        case ("log", x):
            return algebra.times(derivative(algebra, x, name), algebra.power(x, Fraction(-1)))
    raise NotRead("certificate", "the slope of a worst case")


def split(algebra: Algebra, form: Form, name: Any, text: Any) -> Iterator[Goal]:
    """Below a number, then above it."""
    c, box = Fraction(text), algebra.domains[name]
    whole = bool(box.get("integer"))
    low, high = algebra.ends(name)
    demand(low <= c <= high, "a split outside of the range")
    below = {
        **box,
        "greatest": Fraction(c.numerator // c.denominator) if whole else c,
        "open-greatest": False,
    }
    above = {**box, "least": Fraction(c.numerator // c.denominator + 1) if whole else c, "open-least": False}
    yield Algebra({**algebra.domains, name: below}), form
    yield Algebra({**algebra.domains, name: above}), form


# -- worst cases -----------------------------------------------------------------------------------------


def named(algebra: Algebra, text: Any) -> tuple[Any, int, list[Form]]:
    """A worst case that is named: its atom, m, and its members in the order of the formula."""
    tree, way = ast.parse(str(text), mode="eval").body, 1
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        tree, way = tree.operand, -1
    called = tree.func.id if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) else ""
    if not isinstance(tree, ast.Call) or called not in (("max", "top", "abs") if way == 1 else ("min",)):
        raise NotRead(
            "certificate", "a worst case that is no maximum, or one of several that are written alike"
        )
    form = algebra.read(text)
    parts = tree.args[1:] if called == "top" else tree.args
    demand(len(form) == 1, f"{text} is no worst case")
    ((monomial, factor),) = form
    ((a, p),) = monomial
    demand(factor == 1 and p == 1 and a[0] == "top", f"{text} is no worst case")
    found = [scale(algebra.read(ast.unparse(part)), way) for part in parts]
    return a, a[1], [*found, *(scale(x, -1) for x in found if called == "abs")]


def times_of(algebra: Algebra, a: Any, b: Any) -> Form | None:
    """The s > 0, a number times powers of letters, with which a worst case is s times another one."""
    if a[0] != "top" or a[1] != b[1]:
        return None
    m, f = next(term for x, _ in b[2] for term in x)
    inverse = frozenset((base, -p) for base, p in m)
    for x, _ in a[2]:
        for monomial, factor in x:
            with suppress(NotRead):
                s = algebra.join(monomial, inverse, factor / f)
                if algebra.sign(s) == 2 and frozenset((algebra.times(s, y), n) for y, n in b[2]) == a[2]:
                    return s
    return None


def replaced(algebra: Algebra, form: Form, a: Any, value: Form) -> Form:
    """The form with a value in place of a worst case, wherever it stands."""

    def rewrite(b: Any) -> Form | None:
        s = times_of(algebra, b, a)
        return None if s is None else algebra.times(s, value)

    result = rewritten(algebra, form, rewrite)
    demand(result != form, "a worst case that is not there")
    return result


def collect(algebra: Algebra, form: Form, names: Any) -> Iterator[Goal]:
    """What stands before each product of powers of letters >= 0."""
    groups: dict[frozenset[Any], Form] = {}
    for monomial, factor in form:
        own = frozenset((a, p) for a, p in monomial if a[0] == "letter" and a[1] in names)
        rest = made([(monomial - own, factor)])
        if not own and letters(rest) & set(names):
            own = shared(rest, set(names))
            rest = without(algebra, rest, own)
        demand(not letters(rest) & set(names), "a letter that is not collected")
        groups[own] = add(groups.get(own, ZERO), rest)
    left = [(own, rest) for own, rest in groups.items() if rest]
    demand(
        all(algebra.sign(made([(own, Fraction(1))])) > 0 for own, _ in left), "a product that may be below 0"
    )
    for _, rest in left:
        yield algebra, rest


def shared(form: Form, names: set[str]) -> frozenset[Any]:
    """The powers of letters that stand in each term, also of the members of worst cases; none where these differ."""
    found = set()
    for monomial, _ in form:
        own = frozenset((a, p) for a, p in monomial if a[0] == "letter" and a[1] in names)
        inside = [x for a, p in monomial if a[0] == "top" and p == 1 for x, _ in a[2] if x]
        found |= {shared(x, names) for x in inside} if inside and not own else {own}
    return next(iter(found)) if len(found) == 1 else frozenset()


def without(algebra: Algebra, form: Form, own: frozenset[Any]) -> Form:
    """The form over a product of powers that stands in each term: worst cases are as often those of their members."""
    total = []
    for monomial, factor in form:
        if own <= monomial:
            total.append(made([(monomial - own, factor)]))
            continue
        demand(len(monomial) == 1, "a product that is not in each term")
        ((a, _),) = monomial
        demand(a[0] == "top", "a product that is not in each term")
        members = [without(algebra, x, own) for x, n in a[2] for _ in range(n)]
        total.append(scale(algebra.top(a[1], members), factor))
    return add(*total)


def change(algebra: Algebra, form: Form, name: Any, how: Any) -> Iterator[Goal]:
    """Another letter: e^x for −log x, or its root; where it is 0 and 1, or 0 and without an end."""
    box = algebra.domains.get(name, {})
    ends = tuple(None if end not in box else Fraction(box[end]) for end in ("least", "greatest"))
    if (
        how == "-exp"
        and ends == (Fraction(0), Fraction(1))
        and box.get("open-least")
        and not box.get("integer")
    ):
        value = algebra.exp(scale(atom(("letter", name)), -1))
        new = {"least": 0} | ({"open-least": True} if box.get("open-greatest") else {})
    elif str(how).startswith("root ") and ends == (Fraction(0), None) and not box.get("integer"):
        n = int(str(how).removeprefix("root "))
        demand(n > 1, "a root that is none")
        value, new = algebra.power(atom(("letter", name)), Fraction(n)), dict(box)
    else:
        raise NotRead("certificate", f"the change {how} of a letter")
    inner = Algebra({**algebra.domains, name: new})
    yield inner, rewritten(inner, form, lambda a: value if a == ("letter", name) else None)


def factors(algebra: Algebra, form: Form, text: Any, some: Any) -> Iterator[Goal]:
    """The factors with odd powers, by their signs, where the form is c times the product of all powers."""
    c = Fraction(text)
    read = [(algebra.read(g), int(n), 1 if sign == "+" else -1) for g, n, sign in some]
    demand(all(n > 0 for _, n, _ in read), "a factor without a power")
    odd = [(g, sign) for g, n, sign in read if n % 2]
    demand((c < 0) == (prod(sign for _, sign in odd) < 0), "signs of factors with another product")
    whole = number(c)
    for g, n, _ in read:
        for _ in range(n):
            whole = algebra.times(whole, g)
    demand_same(algebra, whole, form, "these are not its factors")
    for g, sign in odd:
        yield algebra, scale(g, sign)


def powers(algebra: Algebra, form: Form, text: Any) -> Iterator[Goal]:
    """The n-th powers of what is added and of what is subtracted, of which all terms are ≥ 0."""
    n = int(text)
    added, taken = (made((mono, s * c) for mono, c in form if s * c > 0) for s in (1, -1))
    demand(
        n >= 1 and all(algebra.sign(made([one])) > 0 for x in (added, taken) for one in x), "terms below 0"
    )
    whole = [number(1), number(1)]
    for _ in range(n):
        whole = [algebra.times(x, y) for x, y in zip(whole, (added, taken), strict=True)]
    yield algebra, minus(*whole)


def apart(algebra: Algebra, form: Form, shares: Any) -> Iterator[Goal]:
    """Sums of terms that share no letter, each with a share of the number that is left."""
    groups: list[tuple[set[str], Form]] = []
    rest = ZERO
    for mono, c in form:
        names, own = letters(made([(mono, Fraction(1))])), made([(mono, c)])
        if not names:
            rest = add(rest, own)
            continue
        for other in [group for group in groups if group[0] & names]:
            groups.remove(other)
            names, own = names | other[0], add(own, other[1])
        groups.append((names, own))
    groups.sort(key=lambda group: min(group[0]))
    demand(len(groups) == len(shares), "shares of other sums")
    for (_, own), share in zip(groups, shares, strict=True):
        yield algebra, add(own, number(Fraction(share)))
    left = minus(rest, number(sum(map(Fraction, shares))))
    if left:
        yield algebra, left


def in_one_factor(form: Form) -> tuple[Form, dict[Fraction, Fraction]]:
    """The factor of which a form is made, and the coefficients of its powers; powers of e have a common one."""
    atoms = {a for mono, _ in form for a, _ in mono}
    plain = [mono for mono, _ in form if mono]
    if len(atoms) == 1:
        (a,) = atoms
        return made([(frozenset([(a, Fraction(1))]), Fraction(1))]), {
            dict(mono).get(a, Fraction(0)): c for mono, c in form
        }
    if not atoms or any(len(mono) > 1 or next(iter(mono))[0][0] != "exp" for mono in plain):
        raise NotRead("certificate", "a polynomial in several factors, as it is read here")
    first = min((next(iter(mono))[0][1] for mono in plain), key=repr)
    exponents: dict[Fraction, Fraction] = {}
    for mono, c in form:
        times = Fraction(0)
        if mono:
            ((a, p),) = mono
            (lead, unit), *_ = first
            times = dict(a[1]).get(lead, Fraction(0)) / unit
            demand(a[1] == scale(first, times), "powers of e that have no common one")
            times *= p
        exponents[times] = exponents.get(times, Fraction(0)) + c
    unit = Fraction(1, lcm(*(p.denominator for p in exponents)))
    return atom(("exp", scale(first, unit))), {p / unit: c for p, c in exponents.items()}


def roots(algebra: Algebra, form: Form) -> Iterator[Goal]:
    """A polynomial in one factor that is nowhere below 0 between the ends of its range."""
    base, exponents = in_one_factor(form)
    demand(all(p >= 0 and p.denominator == 1 for p in exponents), "no polynomial")
    coefficients = [exponents.get(Fraction(n), Fraction(0)) for n in range(int(max(exponents)) + 1)]
    low, high = algebra.range(base)
    demand(polynomials.is_nonnegative(coefficients, low, high), "a polynomial that may be below 0")
    yield from ()


def each(algebra: Algebra, form: Form, text: Any) -> Iterator[Goal]:
    """Each sum of m members in place of a worst case."""
    a, m, members = named(algebra, text)
    for chosen in combinations(members, m):
        yield algebra, replaced(algebra, form, a, add(*chosen))


def largest(algebra: Algebra, form: Form, text: Any, x: Any) -> Iterator[Goal]:
    """The member that is seen to be the largest."""
    value = algebra.read(x)
    if not letters(algebra.read(text)):
        # a maximum of numbers is read as the largest of them
        demand(algebra.read(text) == value, "a member that is not the largest")
        return (yield algebra, form)
    a, m, members = named(algebra, text)
    demand(m == 1 and value in members, "no member of a maximum")
    demand(
        all(seen(algebra, simple(algebra, minus(value, y))) for y in members),
        "a member that is not seen to be the largest",
    )
    yield algebra, replaced_or_simpler(algebra, form, a, value)


def replaced_or_simpler(algebra: Algebra, form: Form, a: Any, value: Form) -> Form:
    """The form with its largest member in place of a maximum, which may be written with other members that are no larger."""
    with suppress(Rejected):
        return replaced(algebra, form, a, value)
    told = inward(algebra, atom(a))
    if is_worst(told):
        with suppress(Rejected):
            return replaced(algebra, inward(algebra, form), next(iter(next(iter(told))[0]))[0], value)
    plain = simple(algebra, form)
    demand(simple(algebra, atom(a)) == value and plain != form, "a worst case that is not there")
    return plain


def chosen(algebra: Algebra, form: Form, text: Any, names: Any) -> Iterator[Goal]:
    """A sum of m members in place of a worst case that is multiplied by something ≥ 0."""
    a, m, members = named(algebra, text)
    left, values = list(members), [algebra.read(x) for x in names]
    demand(len(values) == m, "not m members")
    for value in values:
        demand(value in left, "no member of the worst case")
        left.remove(value)
    total, found = [], False
    for monomial, factor in form:
        s = times_of(algebra, next(iter(monomial))[0], a) if len(monomial) == 1 else None
        if s is None:
            total.append(made([(monomial, factor)]))
            continue
        ((_, p),) = monomial
        demand(p == 1 and factor > 0, "a worst case that is multiplied by something below 0")
        found = True
        total.append(scale(algebra.times(s, add(*values)), factor))
    demand(found, "a worst case that is not there")
    yield algebra, add(*total)


RULES: dict[str, Callable[..., Iterator[Goal]]] = {
    "signs": signs,
    "range": ranged,
    "divided": divided,
    "slope": slope,
    "split": split,
    "real": real,
    "number": only,
    "square": square,
    "collect": collect,
    "factors": factors,
    "powers": powers,
    "apart": apart,
    "roots": roots,
    "each": each,
    "largest": largest,
    "chosen": chosen,
    "change": change,
}

__all__ = ["prove"]
