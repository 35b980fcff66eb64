"""Factors of polynomials in several variables: repeated ones, and those that are linear in a variable.

What is found is multiplied out by what checks it; a polynomial may have factors that are not found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice, product
from math import gcd as whole_gcd
from math import lcm

Exponents = tuple[int, ...]
Polynomial = Mapping[Exponents, Fraction]
MOST_WORK = 20_000
"""How many products of terms the search for repeated factors may take."""
MOST_BITS = 1_000
"""How many binary digits coefficients may have on the way."""
MOST_CANDIDATES = 400
MOST_TERMS = 500
"""The most terms of a quotient."""


class _Over(Exception):
    """The work is spent."""


def factored(f: Polynomial) -> list[tuple[Polynomial, int]] | None:
    """Polynomials and their powers, of which f is a multiple by a number; None where it has no factors.

    >>> f = {(2, 0): Fraction(1), (1, 1): Fraction(-2), (0, 2): Fraction(1)}
    >>> [(sorted(map(str, g.values())), n) for g, n in factored(f)]
    [(['-1', '1'], 2)]
    """
    found: list[tuple[Polynomial, int]] = []
    rest = _primitive(f)
    try:
        for linear in _linear(rest):
            n = 0
            while (quotient := divided(rest, linear)) is not None:
                rest, n = quotient, n + 1
            if n:
                found.append((linear, n))
        for part, n in _repeated(rest, [MOST_WORK]):
            found.append((part, n))
    except _Over:
        return None
    return found if sum(n for _, n in found) > 1 else None


def _repeated(f: Polynomial, work: list[int]) -> Iterator[tuple[Polynomial, int]]:
    """Parts of different powers (Yun's algorithm), for one variable after the other."""
    for v in range(_size(f)):
        if all(not e[v] for e in f):
            continue
        shared = common(f, _derivative(f, v), work)
        if _is_number(shared):
            break
        rest, n = _sure(f, shared), 1
        while not _is_number(rest):
            more = common(rest, shared, work)
            part = _sure(rest, more)
            if not _is_number(part):
                yield _primitive(part), n
            rest, shared, n = more, _sure(shared, more), n + 1
        if not _is_number(shared):
            yield _primitive(shared), 1
        return
    if not _is_number(f):
        yield _primitive(f), 1


def _linear(f: Polynomial) -> Iterator[Polynomial]:
    """Factors x − r·t, with t a product of other variables or 1: tried where a number is a root."""
    size = _size(f)
    for v in range(size):
        at_ones: dict[int, Fraction] = {}
        for e, c in f.items():
            at_ones[e[v]] = at_ones.get(e[v], Fraction(0)) + c
        ratios = list(islice(_rational_roots(at_ones), 12))
        others = [n for n in range(size) if n != v]
        for r in ratios:
            for powers in product(range(2), repeat=len(others)):
                t = [0] * size
                for n, power in zip(others, powers, strict=True):
                    t[n] = power
                x = tuple(int(n == v) for n in range(size))
                candidate = {x: Fraction(1), tuple(t): -r}
                if divided(f, candidate) is not None:
                    yield _primitive(candidate)


def _rational_roots(f: Mapping[int, Fraction]) -> Iterator[Fraction]:
    """The rational roots other than 0 of a polynomial in one variable."""
    values = {n: c for n, c in f.items() if c}
    if len(values) < 2:
        return
    scale = lcm(*(c.denominator for c in values.values()))
    low, high = abs(int(values[min(values)] * scale)), abs(int(values[max(values)] * scale))
    tried = product(_whole_divisors(low), _whole_divisors(high), (1, -1))
    for p, q, sign in islice(tried, MOST_CANDIDATES):
        r = Fraction(sign * p, q)
        if whole_gcd(p, q) == 1 and sum(c * r**n for n, c in values.items()) == 0:
            yield r


def _whole_divisors(n: int) -> list[int]:
    return [d for d in range(1, min(n, 200) + 1) if n % d == 0]


def divided(f: Polynomial, g: Polynomial) -> Polynomial | None:
    """f/g where it is a polynomial."""
    rest = dict(f)
    quotient: dict[Exponents, Fraction] = {}
    lead = max(g)
    while rest:
        top = max(rest)
        e = tuple(a - b for a, b in zip(top, lead, strict=True))
        if min(e, default=0) < 0 or len(quotient) > MOST_TERMS:
            return None
        c = rest[top] / g[lead]
        quotient[e] = c
        for other, d in g.items():
            key = tuple(a + b for a, b in zip(e, other, strict=True))
            value = rest.get(key, Fraction(0)) - c * d
            if value:
                rest[key] = value
            else:
                rest.pop(key, None)
    return quotient


def _sure(f: Polynomial, g: Polynomial) -> Polynomial:
    quotient = divided(f, g)
    if quotient is None:
        raise _Over
    return quotient


def common(f: Polynomial, g: Polynomial, work: list[int]) -> Polynomial:
    """A greatest common divisor: in one variable after the other, by pseudo-remainders."""
    work[0] -= 1
    if work[0] < 0:
        raise _Over
    if not f or not g:
        return _primitive(f or g)
    v = next((n for n in range(_size(f)) if any(e[n] for e in (*f, *g))), None)
    if v is None:
        return {(0,) * _size(f): Fraction(1)}
    f_content, g_content = _content(f, v, work), _content(g, v, work)
    shared = common(f_content, g_content, work)
    f, g = _sure(f, f_content), _sure(g, g_content)
    if _degree(f, v) < _degree(g, v):
        f, g = g, f
    while g and _degree(g, v):
        f, g = g, _pseudo_remainder(f, g, v, work)
        g = _sure(g, _content(g, v, work)) if g else g
    return _primitive(_times(shared, f if not g else {(0,) * _size(f): Fraction(1)}))


def _content(f: Polynomial, v: int, work: list[int]) -> Polynomial:
    """The common divisor of the coefficients of a polynomial in one variable."""
    polynomial: Polynomial = {}
    for degree in {e[v] for e in f}:
        polynomial = common(polynomial, _coefficient(f, v, degree), work)
    return polynomial


def _pseudo_remainder(f: Polynomial, g: Polynomial, v: int, work: list[int]) -> Polynomial:
    n = _degree(g, v)
    lead = _coefficient(g, v, n)
    while f and (degree := _degree(f, v)) >= n:
        work[0] -= 1 + len(lead) * len(f) + len(f) * len(g)
        if work[0] < 0 or any(c.numerator.bit_length() > MOST_BITS for c in f.values()):
            raise _Over
        moved = {(*e[:v], e[v] + degree - n, *e[v + 1 :]): c for e, c in g.items()}
        f = _primitive(_minus(_times(lead, f), _times(_coefficient(f, v, degree), moved)))
    return f


def _coefficient(f: Polynomial, v: int, degree: int) -> Polynomial:
    return {(*e[:v], 0, *e[v + 1 :]): c for e, c in f.items() if e[v] == degree}


def _degree(f: Polynomial, v: int) -> int:
    return max(e[v] for e in f)


def _times(f: Polynomial, g: Polynomial) -> Polynomial:
    values: dict[Exponents, Fraction] = {}
    for e, c in f.items():
        for other, d in g.items():
            key = tuple(a + b for a, b in zip(e, other, strict=True))
            values[key] = values.get(key, Fraction(0)) + c * d
    return {e: c for e, c in values.items() if c}


def _minus(f: Polynomial, g: Polynomial) -> Polynomial:
    values = dict(f)
    for e, c in g.items():
        values[e] = values.get(e, Fraction(0)) - c
    return {e: c for e, c in values.items() if c}


def _derivative(f: Polynomial, v: int) -> Polynomial:
    return {(*e[:v], e[v] - 1, *e[v + 1 :]): c * e[v] for e, c in f.items() if e[v]}


def _size(f: Polynomial) -> int:
    return len(next(iter(f)))


def _is_number(f: Polynomial) -> bool:
    return all(not any(e) for e in f)


def _primitive(f: Polynomial) -> Polynomial:
    """f with whole coefficients that have no common divisor, the leading one positive."""
    if not f:
        return f
    scale = Fraction(lcm(*(c.denominator for c in f.values())), 1)
    scale /= whole_gcd(*(int(c * scale) for c in f.values()))
    scale = scale if f[max(f)] > 0 else -scale
    return {e: c * scale for e, c in f.items()}
