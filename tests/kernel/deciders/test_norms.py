"""Norms as letters: what is proved by them at some level, and that nothing false is at any."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import count

import pytest
from shares import seeds

from dpcompose.kernel.core.assumptions import NOTHING, Assumed, Assumption
from dpcompose.kernel.deciders.calculus.coordinates import MOST_ORDERED, UNIT, orders, within
from dpcompose.kernel.deciders.norms import norms, squares
from dpcompose.kernel.deciders.norms.norms import LEVELS, Norms, cases, groups
from dpcompose.kernel.expressions import formulas, substitution
from dpcompose.kernel.expressions.domains import NONNEGATIVE, REAL, Domain
from dpcompose.kernel.expressions.forms import NotAForm
from dpcompose.kernel.expressions.intervals import enclosure
from dpcompose.kernel.expressions.points import Points, coordinate
from dpcompose.kernel.expressions.terms import (
    INFINITY,
    ONE,
    ZERO,
    Term,
    add,
    largest,
    least,
    letter,
    number,
    over,
    sqrt,
)
from dpcompose.search.comparisons import comparing

e, f, w = letter("e"), letter("f"), letter("w", NONNEGATIVE)
a, b = letter("a", REAL), letter("b", REAL)
k = letter("k", Domain.read("integer >= 1"))
n, m = (letter(name, Domain(Fraction(0), integer=True)) for name in ("n__1", "n__2"))
Vector = Sequence[Term]


def moved(*names: str, databases: str = "DE") -> list[Term]:
    """How far coordinates are apart."""
    return [coordinate(name, databases[0]) - coordinate(name, databases[1]) for name in names]


def size(v: Term) -> Term:
    return largest(v, -v)


def L1(v: Vector) -> Term:
    return add(map(size, v))


def L2(v: Vector) -> Term:
    return sqrt(add(one**2 for one in v))


def Linf(v: Vector) -> Term:
    return largest(*map(size, v))


def plane(*ends: tuple[Term | None, Term | None], disc: Term | None = None) -> Points:
    names = "xyz"[: len(ends)]
    return Points(tuple(names), ends, disc)


REAL_LINE = (None, None)
PLANE, SPACE = plane(REAL_LINE, REAL_LINE), plane(REAL_LINE, REAL_LINE, REAL_LINE)
x, y, z = moved("x", "y", "z")
v, u = [x, y], [x, y, z]


def level_of_proof(
    greater: Term,
    lesser: Term,
    places: Sequence[Points] = (PLANE,),
    assumed: Assumed = NOTHING,
    most: int | None = None,
) -> int | None:
    """The first level at which all cases are proved, by so many efforts at most; None where there is none."""
    for level in LEVELS:
        try:
            some = cases(greater, lesser, places, level, assumed)
        except NotAForm:
            continue
        efforts = most if level in (norms.AS_ROOTS, norms.IN_COORDINATES[0]) else 1
        if all(is_proved(*one, assumed, efforts) for one in some):
            return level
    return None


def is_proved(greater: Term, lesser: Term, assumed: Assumed = NOTHING, efforts: int | None = 1) -> bool:
    found = comparing.compare(greater, lesser, efforts=efforts, to_prove=True, assumed=assumed)
    return isinstance(found, comparing.Proof)


def f_of(*rows: tuple[int, int]) -> list[Term]:
    """A·(x, y)."""
    return [p * x + q * y for p, q in rows]


def clipped(database: str, low: Term, high: Term) -> Term:
    return least(largest(coordinate("x", database), low), high)


CLIPPED = clipped("D", a, a + w) - clipped("E", a, a + w)


@pytest.mark.parametrize(
    ("greater", "lesser", "places"),
    [
        (e * L1(v), e * L2(v), [PLANE]),
        (e * L2(v), e * Linf(v), [PLANE]),
        (2 * Linf(v), L1(v), [PLANE]),
        (sqrt(number(2)) * e * L2(v), e * L1(v), [PLANE]),
        (sqrt(number(3)) * L2(u), L1(u), [SPACE]),
        (sqrt(number(2)) * Linf(v), L2(v), [PLANE]),
        (L2(u), L2(v), [SPACE]),
        (L2([2 * x, -2 * y]), 2 * L2([y, -x]), [PLANE]),
        (5 * L2(v), size(3 * x + 4 * y), [PLANE]),
        (sqrt(e**2 + f**2) * L2(v), e * size(x) + f * size(y), [PLANE]),
        (sqrt(e**2 + f**2) * L2(u), e * size(x) + f * size(y), [SPACE]),
        (sqrt(e**2 + f**2) * sqrt(a**2 + w**2), e * size(a) + f * w, [PLANE]),
        (largest(e, f) * L2(v), sqrt(e**2 * x**2 + f**2 * size(y) ** 2), [PLANE]),
        (largest(e, f) * L1(v), size(e * x + f * y), [PLANE]),
        ((e + f) * Linf(v), size(e * x + f * y), [PLANE]),
        (L1(v), L1(f_of((1, 2), (3, 0))) / 4, [PLANE]),
        (sqrt(number(10)) * L1(v), L2(f_of((1, 2), (3, 0))), [PLANE]),
        (3 * L2(v), Linf(f_of((1, 2), (3, 0))), [PLANE]),
        (3 * Linf(v), Linf(f_of((1, 2), (1, 0))), [PLANE]),
        (L2(v) + size(z), L2(u), [SPACE]),
        (sqrt(number(2)) * largest(L2(v), size(z)), L2(u), [SPACE]),
        (e * L2(v) + size(z), sqrt(e**2 * (x**2 + y**2) + z**2), [SPACE]),
        (e * w, e * L2(v), [plane(REAL_LINE, REAL_LINE, disc=w)]),
        (e * number(3), e * L2(v), [plane(REAL_LINE, REAL_LINE, disc=number(3))]),
        (e * w**2, e * (x**2 + y**2), [plane(REAL_LINE, REAL_LINE, disc=w)]),
        (e**2 * w**2 + size(z), e**2 * (x**2 + y**2) + size(z), [plane(REAL_LINE, REAL_LINE, disc=w)]),
        (3 - L2(v), 3 - L1(v), [PLANE]),
        (e * L1(v), e * least(L2(v), 3 - L2(v)), [PLANE]),
        (e * (w - a), e * size(x), [plane((a, w))]),
        (sqrt(e**2 + f**2), sqrt(e**2 * x**2 + f**2 * y**2), [plane((ZERO, ONE), (ONE, number(2)))]),
        (number(3), size(coordinate("x", "D") ** 2 - coordinate("x", "E") ** 2), [plane((ONE, number(2)))]),
        (4 * size(x), size(coordinate("x", "D") ** 2 - coordinate("x", "E") ** 2), [plane((ONE, number(2)))]),
        (e * w, e * size(CLIPPED), [PLANE]),
        (e * least(w, size(x)), e * size(CLIPPED), [PLANE]),
        (size(x) + L2(v), sqrt(CLIPPED**2), [PLANE]),
        (over(k, letter("e[i]"), k) * L1(v), over(k, letter("e[i]") * L2(v), k), [PLANE]),
        (L1(moved("x", databases="DE")) + L1(moved("x", databases="EF")), L1(moved("x", databases="DF")), [PLANE]),
        (3 * n + m, size(3 * n - m), []),
        (L1([y, x]) + m, L2([L1([x]), y, n - m]) - n, [PLANE]),
    ],
)  # fmt: skip
def test_what_norms_are_proved_to_be(greater: Term, lesser: Term, places: list[Points]) -> None:
    assumed = (Assumption(w, ">=", a),) if places and places[0].box[0] == (a, w) else NOTHING
    level = level_of_proof(greater, lesser, places, assumed)
    assert level is not None


def test_at_which_level_what_is_known_is_used() -> None:
    """Of letters alone it is known that equal vectors have equal norms, whatever the signs, order and scale."""
    same = [L2(v), L2([-y, x]), L2([3 * x, -3 * y]) / 3, sqrt(size(y) ** 2 + x**2)]
    assert [level_of_proof(one, L2(v)) for one in same] == [0] * 4
    assert level_of_proof(5 * L2(v), size(3 * x + 4 * y)) == 1
    assert level_of_proof(sqrt(e**2 + f**2) * L2(v), e * size(x) + f * size(y)) == norms.AS_ROOTS


# comparisons that fail


def in_letters(places: Sequence[Points], level: int, used: Mapping[str, Domain]) -> list[dict[str, Term]]:
    """What coordinates are in each case."""
    return [*orders(places, used)] if level == norms.IN_COORDINATES[1] else [within(places)]


def values(rng: random.Random, domains: Mapping[str, Domain]) -> dict[str, Fraction]:
    """Random allowed values."""
    found = {}
    for name, domain in domains.items():
        x = Fraction(rng.randint(-12, 12), 1 if domain.integer else rng.choice([1, 2, 3, 5]))
        if domain == UNIT:
            x = Fraction(rng.randint(0, 5), 5)
        found[name] = x if domain.contains(x) else domain.least + abs(x) if x else Fraction(1)  # type: ignore[operator]
    return found


def differs(one: Term, other: Term, point: Mapping[str, Fraction]) -> int:
    """The sign of one − other at a point; 0 where it is too close to tell by 100 binary digits."""
    difference = formulas.at(one, point) - formulas.at(other, point)
    if difference.number is not None:
        return (difference.number > 0) - (difference.number < 0)
    between = enclosure(difference, 100)
    return (between.low > 0) - (between.high < 0)


def check_at_true_values(
    rng: random.Random, greater: Term, lesser: Term, places: Sequence[Points], level: int
) -> None:
    """At the true values of all letters the greater side is what it was, and the lesser one no less."""
    used = {**greater.letters, **lesser.letters}
    for of in in_letters(places, level, used):
        made = Norms(level, NOTHING, frozenset(used))
        before = [substitution.substituted(one, of) for one in (greater, lesser)]
        made.know(before, norms._discs(places, of, {name for one in before for name in one.letters}))
        named = list(map(made.named, before))
        after = [made.exact(named[0]), made.enlarged(named[1])]
        assert tuple(after) in cases(greater, lesser, places, level)
        true = {name: stands_for(vector) for name, vector in made.vectors.items()}
        inside = [
            substitution.substituted(one, of) for part in places for who in "DEF" for one in part.inside(who)
        ]
        for _ in range(4):
            domains = {n: d for one in [*before, *inside, *of.values(), w] for n, d in one.letters.items()}
            point = next(
                at
                for at in (values(rng, domains) for _ in count())
                if all(differs(one, ZERO, at) >= 0 for one in inside)
            )
            equal = [substitution.substituted(one, true) for one in (*named, *after)]
            assert differs(equal[0], before[0], point) == 0 == differs(equal[1], before[1], point)
            assert differs(equal[2], before[0], point) == 0, (level, point, after[0])
            assert differs(equal[3], before[1], point) >= 0, (level, point, after[1])
            for name, one in true.items():
                domain = made._letter_of(made.vectors[name]).of[1]
                assert domain.greatest is None or differs(number(domain.greatest), one, point) >= 0


def stands_for(vector: squares.Vector) -> Term:
    return size(vector[0][0]) if len(vector) == 1 else sqrt(add(q * p**2 for p, q in vector))


def a_distance(rng: random.Random, depth: int = 2) -> Term:
    """A formula in norms of random vectors."""
    both = rng.choice(["DE"] * 4 + ["EF", "DF"])
    at = moved("x", "y", databases=both)
    kind = rng.choice(
        ["norm"] * 4 + ["sum", "max", "min", "cut", "root", "square", "product", "clip", "less"]
    )
    if kind == "norm" or depth == 0:
        rows = rng.choice([1, 2, 2, 3])
        weights = [number(rng.randint(-3, 3)) for _ in range(4)] + [e, a, e * f]
        vector = (
            [add(rng.choice(weights) * one for one in at) for _ in range(rows)] if rng.random() < 0.6 else at
        )
        return rng.choice([L1, L2, L2, Linf])(vector)
    if kind == "clip":
        return size(CLIPPED)
    first, second = a_distance(rng, depth - 1), a_distance(rng, depth - 1)
    made = {
        "sum": rng.choice([e, number(2), a]) * first + second,
        "max": largest(first, second),
        "min": least(first, second * 2),
        "cut": least(first, w),
        "root": sqrt(first**2 + rng.choice([ONE, e**2]) * second**2),
        "square": first**2,
        "product": first * second,
        "less": 3 - first,
    }
    return made[kind]


PLACES = [
    [PLANE],
    [plane((ZERO, ONE), (number(-1), None))],
    [plane((None, w), (a, a + w))],
    [plane(REAL_LINE, REAL_LINE, disc=w)],
    [plane(REAL_LINE, REAL_LINE, disc=number(3))],
]


@seeds(2, 400)
def test_sides_at_the_true_values(seed: int) -> None:
    rng = random.Random(seed)
    greater, lesser, places = a_distance(rng), a_distance(rng), rng.choice(PLACES)
    for level in LEVELS:
        check_at_true_values(rng, greater, lesser, places, level)


def a_failing_comparison(rng: random.Random) -> tuple[Term, Term, list[Points]]:
    """One side is less than the other at a random point of some places."""
    while True:
        places, greater, lesser = rng.choice(PLACES), a_distance(rng, 1), a_distance(rng, 1)
        of = within(places)
        before = [substitution.substituted(one, of) for one in (greater, lesser)]
        inside = [
            substitution.substituted(one, of) for part in places for who in "DEF" for one in part.inside(who)
        ]
        domains = {n: d for one in [*before, *inside, *of.values(), w] for n, d in one.letters.items()}
        for _ in range(20):
            point = values(rng, domains)
            if all(differs(one, ZERO, point) >= 0 for one in inside) and differs(*before, point) < 0:
                return greater, lesser, places


@seeds(8, 200)
def test_what_fails_is_proved_at_no_level(seed: int) -> None:
    greater, lesser, places = a_failing_comparison(random.Random(seed))
    assert level_of_proof(greater, lesser, places, most=1) is None


@pytest.mark.parametrize(
    ("greater", "lesser", "places"),
    [
        (e * L2(v), e * L1(v), [PLANE]),
        (Linf(v), L2(v), [PLANE]),
        (L1(v) * Fraction(70, 99), L2(v), [PLANE]),
        (sqrt(number(2)) * L2(v) * Fraction(99, 100), L1(v), [PLANE]),
        (2 * L2(v), L2([2 * x, 3 * y]), [PLANE]),
        (largest(e, f) * L2(u), e * L2(v) + f * size(z), [SPACE]),
        (least(L1(v), 3 - L1(v)), least(L2(v), 3 - L2(v)), [PLANE]),  # 3 - L2 is at least 3 - L1
        (3 - L1([x, 2 * y]), 3 - size(x + 2 * y), [PLANE]),
        ((L1([x, 2 * y]) - 3) ** 2, (size(x + 2 * y) - 3) ** 2, [PLANE]),
        (sqrt(5 - L1([x, 2 * y]) ** 2), sqrt(5 - size(x + 2 * y) ** 2), [PLANE]),
        (n - e * w * L2([x, 2 * y]), n - e * w * L2([x + y, y]), [plane(REAL_LINE, REAL_LINE, disc=w)]),
        (3 - L2(v), 3 - Linf(v), [PLANE]),
        (e * size(x), -a * size(x), [PLANE]),
        (e * w * Fraction(99, 100), e * L2(v), [plane(REAL_LINE, REAL_LINE, disc=w)]),
        (w, L2([x, 2 * y]), [plane(REAL_LINE, REAL_LINE, disc=w)]),
        (ONE, L2(v), [plane((ZERO, ONE), (ZERO, ONE))]),
        (ONE, size(x - y), [plane((ZERO, ONE), (ZERO, ONE))]),
        (ONE, size(coordinate("x", "D") + coordinate("x", "E")), [plane((ZERO, ONE))]),
        (ONE, size(coordinate("x", "D") - 3 * coordinate("x", "E")), [plane((ZERO, ONE))]),
        (ONE, size(x), [plane((ZERO, None))]),
        (n, size(n - m), []),
        (letter("i", Domain.read("integer >= -3")) + n, size(letter("i", Domain.read("integer >= -3")) + n), []),
        (over(k, L2([letter("e[i]") * x, y]), k), k * over(ONE, L2([letter("e[i]") * x, y]), k), [PLANE]),
        (over(k, size(letter("e[i]") * x + y), k), k * over(ONE, size(letter("e[i]") * x + y), k), [PLANE]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_proved_at_no_level(greater: Term, lesser: Term, places: list[Points]) -> None:
    assert level_of_proof(greater, lesser, places, most=1) is None


def test_all_points_are_among_the_cases() -> None:
    """Where in its interval each coordinate lies, and how far the larger is from the smaller, are allowed values."""
    rng = random.Random(1)
    ends = [(ZERO, ONE), (number(-1), number(2)), (number(1), None), (None, number(1)), (None, None)]
    for low, high in ends:
        place = plane((low, high))
        for _ in range(20):
            least_, most = (
                (c if end is None else end.number) for c, end in ((Fraction(-9), low), (Fraction(9), high))
            )
            some = [least_ + (most - least_) * Fraction(rng.randint(0, 8), 8) for _ in "DE"]
            assert any(reaches(of, *some) for of in orders([place], ["x__D", "x__E"]))
            assert reaches(within([place]), *some)


def reaches(of: Mapping[str, Term], D: Fraction, E: Fraction) -> bool:
    """Whether two coordinates are had for allowed values of the letters: linear in one after the other."""
    wanted = {"x__D": D, "x__E": E}
    forms = {name: of.get(name, letter(name, REAL)) for name in wanted}
    point: dict[str, Fraction] = {}
    for name in sorted(forms, key=lambda one: len(forms[one].letters)):
        left = [one for one in forms[name].letters if one not in point]
        assert len(left) <= 1
        for one in left:
            at_0, at_1 = (formulas.at(forms[name], point | {one: Fraction(at)}).number for at in (0, 1))
            assert at_0 is not None and at_1 is not None
            point[one] = (wanted[name] - at_0) / (at_1 - at_0) if at_1 != at_0 else Fraction(0)
            if not forms[name].letters[one].contains(point[one]):
                return False
    return all(formulas.at(forms[name], point).number == wanted[name] for name in wanted)


def test_what_has_no_cases() -> None:
    four = Points(("p", "q", "r", "s"), (REAL_LINE,) * 4)
    cubes = add(coordinate(x, "D") * coordinate(x, "E") ** 2 for x in "pqr")
    assert len(cases(cubes, ZERO, [four], norms.IN_COORDINATES[1])) == 2**MOST_ORDERED == 8
    with pytest.raises(NotAForm, match="more than 3 coordinates are not looked at order by order"):
        cases(L1(moved("p", "q", "r", "s")), ZERO, [four], norms.IN_COORDINATES[1])
    with pytest.raises(NotAForm, match="there is no level 7"):
        cases(ONE, ZERO, [], 7)
    with pytest.raises(NotAForm, match="oo is no number"):
        cases(INFINITY, ZERO, [], 0)
    with pytest.raises(NotAForm, match="x__gap is a letter already"):
        cases(letter("x__gap"), ZERO, [PLANE], 0)
    ((greater, _),) = cases(letter("norm__1") + L2(v), ZERO, [PLANE], 0)
    assert set(greater.letters) == {"norm__1", "norm__2"}


# comparisons by their factors


def test_groups_of_factors() -> None:
    parameters = {"e", "f", "a", "w", "e[i]", "k"}
    total = over(k, letter("e[i]"), k)
    greater = e * (L2(v) + w * n) + total * L1(v) + 3 * f - 2 * e * least(size(x), w)
    lesser = e * f * n + e * L2(u) + 1
    found = groups(greater, lesser, parameters)
    assert {factor for factor, _, _ in found} == {ONE, e, f, e * w, e * f, total}
    for at, side in enumerate((greater, lesser), start=1):
        assert norms.distributed(add(one[0] * one[at] for one in found)) == norms.distributed(side)
    assert (f, number(3), ZERO) in found and (ONE, ZERO, ONE) in found
    assert groups(a * n, a * m, parameters) == [(ONE, a * n, a * m)]
    positive = (Assumption(a, ">", ONE),)
    assert groups(a * n, a * m, parameters, positive) == [(a, n, m)]
    assert groups(ZERO, ZERO, parameters) == [(ONE, ZERO, ZERO)]


def test_letters_come_in_order_wherever_it_is_checked() -> None:
    """Of many norms with two entries each: those of their entries are numbered as the norms are."""
    pairs = [tuple(coordinate(f"{x}{i}", "D") - coordinate(f"{x}{i}", "E") for x in "xy") for i in range(8)]
    known = Norms(norms.WITH_ALL_KNOWN)
    term = add(sqrt(x**2 + y**2) for x, y in pairs)
    known.know((term,), ())
    known.exact(known.named(term))
    first = list(known.vectors.values())[:8]
    assert list(known.vectors.values())[8:] == [(entry,) for vector in first for entry in vector]
