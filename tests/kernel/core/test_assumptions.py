"""Relations between letters: what certificates may use of them, by hand and against values at random."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from dpcompose.kernel.comparison import check_allowed, check_at_least
from dpcompose.kernel.core import assumptions
from dpcompose.kernel.core.assumptions import Assumed, Assumption
from dpcompose.kernel.deciders.calculus import values
from dpcompose.kernel.expressions import forms, formulas, terms
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import NONNEGATIVE, POSITIVE, REAL, Domain
from dpcompose.kernel.expressions.terms import Term, letter
from dpcompose.search.comparisons import satisfiable
from dpcompose.search.comparisons.comparing import Point, Proof, compare
from dpcompose.search.comparisons.satisfiable import NoValues

U, L, E = letter("u", REAL), letter("l", REAL), letter("e")
ABOVE = (Assumption(U, ">", L),)
ELIMINATED = {
    "eliminated": [[0, "u", "d"]],
    "proof": {"letters": {"d": "positive"}, "difference": "d", "proof": {"rest": "d"}},
}


def test_a_letter_is_another_and_something_more() -> None:
    """u - l = d > 0 where u = l + d, so that u >= l; without the assumption it is not so."""
    assert check_at_least(U - L, terms.ZERO, ELIMINATED, ABOVE) == frozenset()
    with pytest.raises(BadCertificate, match="there is no assumption 0"):
        check_at_least(U - L, terms.ZERO, ELIMINATED)
    with pytest.raises(BadCertificate):
        check_at_least(L - U, terms.ZERO, ELIMINATED, ABOVE)


def test_a_relation_that_is_not_strict_leaves_0() -> None:
    """u >= l: then d may be 0."""
    with pytest.raises(BadCertificate, match="other letters, or other values"):
        check_at_least(U - L, terms.ZERO, ELIMINATED, (Assumption(U, ">=", L),))


def test_multiples_of_what_is_left_are_subtracted() -> None:
    """e = l + d with l real and e > 0: that l + d > 0 is left, and shows l + 2d >= 0; minus it shows nothing."""
    left = (Assumption(E, ">", L),)
    proof = {"letters": {"d": "positive", "l": "real"}, "proof": {"assumed": [[0, "1"]], "rest": "d"}}
    certificate = {"eliminated": [[0, "e", "d"]], "proof": proof}
    assert check_at_least(2 * E - L, terms.ZERO, certificate, left) == frozenset()
    for wrong in ([[0, "-1"]], [[1, "1"]], [[0, "l"]], [["0", "1"]]):
        proof["proof"] = {"assumed": wrong, "rest": "d"}
        with pytest.raises(BadCertificate):
            check_at_least(2 * E - L, terms.ZERO, certificate, left)


def test_whole_letters_are_whole_steps_apart() -> None:
    """k > m for whole numbers: k >= m + 1."""
    k, m = (letter(name, Domain.read("integer >= 1")) for name in "km")
    assumed = (Assumption(m, "<", k),)
    assert values.surely(k - m - 1, False, assumed)
    assert not values.surely(k - m - 2, False, assumed)
    assert isinstance(compare(k, m + 1, assumed=assumed), Proof)
    assert isinstance(compare(k, m + 2, assumed=assumed), Point)
    real = (Assumption(U, ">", L),)
    assert not values.surely(U - L - 1, False, real)


def test_a_letter_that_counts_is_kept() -> None:
    """A family has k members, whatever is assumed of k."""
    k, m = (letter(name, Domain.read("integer >= 1")) for name in "km")
    total = terms.over(k, letter("e[i]"), k)
    found = assumptions.eliminated((Assumption(k, ">=", m),), [(0, "k", "d")])
    with pytest.raises(assumptions.NotAssumed, match="counts"):
        found.of(total)
    assert isinstance(compare(total * 2, total, assumed=(Assumption(k, ">=", m),)), Proof)


def test_points_satisfy_what_is_assumed() -> None:
    """A point gives each letter of the assumptions a value, an allowed one, and all hold there."""
    domains = {"u": REAL, "l": REAL}
    check_allowed({"u": Fraction(1), "l": Fraction(0)}, domains, ABOVE)
    for point in ({"u": Fraction(0), "l": Fraction(0)}, {"u": Fraction(1)}):
        with pytest.raises(BadCertificate):
            check_allowed(point, {"u": REAL}, ABOVE)
    with pytest.raises(BadCertificate):  # log(0) has no value, and says nothing
        check_allowed(
            {"e": Fraction(0)}, {"e": NONNEGATIVE}, (Assumption(terms.log(letter("e", NONNEGATIVE)), "<", E),)
        )


@pytest.mark.parametrize(
    "some",
    [
        ["a < b", "b < a"],
        ["a < b", "b <= c", "c < a"],
        ["a + b < 1", "a > 1/2", "b >= 1/2"],
        ["a*b > 4", "a < 1", "b < 1"],
        ["exp(a) < 1"],
    ],
)
def test_that_no_values_satisfy_it(some: list[str]) -> None:
    """Linear relations by a linear program, some others by calculus; a point is never found of these."""
    found = None
    try:
        found = satisfiable.point(read(some))
    except NoValues:
        return
    assert found is None and "*" in some[0]  # it is not known


def test_values_are_found() -> None:
    """Relations that simple points do not satisfy."""
    for some in (["a > 17*b", "b > 19*c"], ["a + b < 1/1000"], ["a > 41/10", "a < 42/10"], ["a**2 < 1/2"]):
        found = satisfiable.point(read(some))
        assert found is not None and assumptions.holds_at(read(some), found)


def read(some: list[str]) -> Assumed:
    from dpcompose.privacy.settings.assumptions import assumption

    return tuple(assumption(one, {name: letter(name, POSITIVE) for name in "abc"}) for one in some)


@pytest.mark.parametrize("share", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, 12))])
def test_what_is_shown_holds_at_values_at_random(share: int) -> None:
    """Random relations and comparisons: a proof is right at all points of a grid, a point is against it."""
    rng = random.Random(5 + share)
    some = [
        letter("a"),
        letter("b", NONNEGATIVE),
        letter("c", REAL),
        letter("n", Domain.read("integer >= 1")),
    ]
    proofs = points = 0
    for _ in range(30):
        assumed = tuple(
            Assumption(_linear(rng, some), rng.choice(assumptions.SIGNS), _linear(rng, some))
            for _ in range(rng.randint(1, 3))
        )
        greater, lesser = _worst(rng, some), _worst(rng, some)
        found = compare(greater, lesser, assumed=assumed)
        if isinstance(found, Point):
            points += 1
            assert assumptions.holds_at(assumed, found.values)
            assert _value(greater, found.values) < _value(lesser, found.values)
        if isinstance(found, Proof):
            proofs += 1
            check_at_least(greater, lesser, found.certificate, assumed)
            for point in _grid(rng):
                if assumptions.holds_at(assumed, point):
                    assert _value(greater, point) >= _value(lesser, point)
    assert proofs > 2 and points > 5


def _grid(rng: random.Random) -> list[dict[str, Fraction]]:
    def some(least: int) -> Fraction:
        return Fraction(rng.randint(max(least, -40), 40), rng.choice((1, 2, 7)))

    return [{"a": some(1), "b": some(0), "c": some(-40), "n": Fraction(rng.randint(1, 9))} for _ in range(60)]


def _linear(rng: random.Random, some: list[Term]) -> Term:
    return terms.add(rng.randint(-2, 2) * one for one in some) + rng.randint(-1, 1)


def _worst(rng: random.Random, some: list[Term]) -> Term:
    return terms.top(1, [_linear(rng, some) for _ in range(rng.randint(1, 2))]) * rng.randint(1, 2)


def _value(term: Term, point: dict[str, Fraction]) -> Fraction:
    found = formulas.at(term, point).number
    assert found is not None
    return found


K, MEMBER = letter("k", Domain.read("integer >= 1")), letter("e[i]")


@pytest.mark.parametrize(
    ("lesser", "verdict"),
    [(K * E**2 / 2, Proof), (K * E**2 * Fraction(2, 3), Point)],
)
def test_products_that_are_assumed_to_be_at_most_one(lesser: Term, verdict: type) -> None:
    """1/2 >= ... where k*e^2 <= 1: by a multiple of it, and no point beyond is looked at."""
    small = (Assumption(K * E**2, "<=", terms.ONE),)
    found = compare(terms.number(Fraction(1, 2)), lesser, assumed=small)
    assert isinstance(found, verdict)
    if isinstance(found, Point):
        check_allowed(found.values, {"e": POSITIVE, "k": K.of[1]}, small)


def test_a_root_of_the_square_of_a_logarithm() -> None:
    """log(2) > 0, and so it is the root of its square; log(1/2) is not."""
    two, half = (terms.log(terms.number(x)) for x in (2, Fraction(1, 2)))
    assert terms.sqrt(two**2) == two != half
    assert terms.sqrt(half**2) != half


def test_what_is_assumed_of_members_in_a_certificate() -> None:
    """k - (e[1] + ... + e[k]) >= 0 where e[i] <= 1: k times the assumption, on the rays of one and of all."""
    below = (Assumption(terms.over(1, MEMBER, K), "<=", terms.ONE),)
    found = compare(K, terms.over(K, MEMBER, K), assumed=below)
    assert isinstance(found, Proof) and "rays" in found.used
    with pytest.raises(BadCertificate):
        check_at_least(K, terms.over(K, MEMBER, K), found.certificate)
    proof = found.certificate["proof"]["proof"]["proof"]
    for wrong in ([[0, "1"]], [[1, "-1"]], [[1, "2"]], [[2, "1"]]):
        assert wrong != proof["assumed"]
        proof["assumed"] = wrong
        with pytest.raises(BadCertificate):
            check_at_least(K, terms.over(K, MEMBER, K), found.certificate, below)


@pytest.mark.parametrize("share", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, 8))])
def test_members_at_random(share: int) -> None:
    """Random bounds of members and claims about them: proofs are right at members at random."""
    rng = random.Random(77 + share)
    proofs = points = 0
    for _ in range(25):
        tops = [terms.over(m, MEMBER, K) for m in (1, 2, 3, K)]
        right = rng.choice([terms.ONE, E, 2 * E, E + letter("f")])
        relation = Assumption(rng.choice(tops) * rng.randint(1, 2), rng.choice(["<=", "<"]), right)
        greater = rng.choice([E, 2 * E, K * E, K * E / 2, K, terms.ONE + E, tops[0] + E, tops[1] + E])
        lesser = rng.choice(tops)
        found = compare(greater, lesser, assumed=(relation,))
        if isinstance(found, Point):
            points += 1
            assert assumptions.holds_at((relation,), found.values)
            assert _value(greater, found.values) < _value(lesser, found.values)
        if isinstance(found, Proof):
            proofs += 1
            for k in (1, 2, 3, 4) * 20:
                point = {"k": Fraction(k), "e": Fraction(rng.randint(1, 12), 4), "f": Fraction(1, 4)}
                point |= {f"e[{j + 1}]": Fraction(rng.randint(1, 8), rng.choice([2, 4, 8])) for j in range(k)}
                if assumptions.holds_at((relation,), point):
                    assert _value(greater, point) >= _value(lesser, point)
    assert proofs >= 4 and points >= 4


def test_one_of_two_bounds_is_not_0() -> None:
    """max(|l|, |u|) and |l| + |u| are at least (u - l)/2; max(l, u) and |l| - |u| may be 0 or less."""
    size = {name: terms.largest(x, -x) for name, x in (("l", L), ("u", U))}
    for term in (
        terms.largest(*size.values()),
        size["l"] + size["u"],
        terms.largest(-L, U),
        3 * size["l"] + U - L,
    ):
        assert values.surely(term, True, ABOVE) and not values.surely(term)
        assert not values.surely(term, True, (Assumption(U, ">=", L),))
    for term in (terms.largest(L, U), size["l"] - size["u"], size["l"], terms.least(-L, U)):
        assert not values.surely(term, True, ABOVE)
    assert values.surely(size["l"], False) and not values.surely(terms.top(2, [L, U, -L]), True, ABOVE)


@pytest.mark.parametrize(
    ("domain", "factor", "rest", "strictly", "distances"),
    [
        ("in (0,1)", 1, "-1/2", False, Domain(Fraction(0), False, Fraction(1, 2), True)),
        ("in (0,1)", 1, "-1/2", True, Domain(Fraction(0), True, Fraction(1, 2), True)),
        ("in (0,1)", 1, "1/2", False, Domain(Fraction(1, 2), True, Fraction(3, 2), True)),
        ("in (0,1)", -1, "1", False, Domain(Fraction(0), True, Fraction(1), True)),
        ("in (0,1)", -2, "1", False, Domain(Fraction(0), False, Fraction(1), True)),
        ("in (0,1)", 1, "-1", False, Domain(Fraction(0))),  # nothing lies there: no end is told
        ("positive", 1, "-1", True, Domain(Fraction(0), True)),
        ("positive", 1, "1", True, Domain(Fraction(1), True)),
        ("nonnegative", 1, "1", True, Domain(Fraction(1))),
        ("nonnegative", 1, "0", True, Domain(Fraction(0), True)),
    ],
)
def test_how_far_a_letter_is_from_a_number(
    domain: str, factor: int, rest: str, strictly: bool, distances: Domain
) -> None:
    """What c*x + r may be where that is assumed to be above 0, or at least 0."""
    form = forms.read(formulas.parse(rest, {}))
    found = assumptions._distances(Domain.read(domain), Fraction(factor), form, strictly, False)
    assert found == distances


def test_a_letter_is_a_number_over_another_one_rounded_up() -> None:
    """m/l at least, and less than one more: m + l - 1 at most, over l; a whole number."""
    m, c = (letter(name, Domain.read("integer >= 1")) for name in "mc")
    for l, more, real, seen in (
        (2, 1, False, True),
        (2, 2, False, False),
        (2, 0, False, True),
        (3, 2, False, True),
        (3, 3, False, False),
        (2, 1, True, False),
    ):
        domain = Domain.read("positive") if real else Domain.read("integer >= 1")
        some = letter("c", domain)
        known = (Assumption(l * some, ">=", m), Assumption(l * some, "<=", m + more))
        assert assumptions.rounded_up(m, l, [("c", domain)], known) == (some if seen else None)
    below = (Assumption(2 * c, ">=", m - 1), Assumption(2 * c, "<=", m + 1))
    assert assumptions.rounded_up(m, 2, [("c", Domain.read("integer >= 1"))], below) is None
