"""Norms as letters, one function after another: what grows with a norm, what it is at most, and what is told apart."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpcompose.kernel.deciders.norms import norms, squares
from dpcompose.kernel.deciders.norms.norms import AS_ROOTS, AT_MOST, WITH_ALL_KNOWN, Norms
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE, REAL, Domain
from dpcompose.kernel.expressions.points import coordinate
from dpcompose.kernel.expressions.terms import (
    HALF,
    ONE,
    ZERO,
    Term,
    add,
    exp,
    largest,
    least,
    letter,
    log,
    number,
    over,
    power,
    sqrt,
)

F = Fraction
E, W, A = letter("e"), letter("w", NONNEGATIVE), letter("a", REAL)
K, M = letter("k", Domain.read("integer >= 2")), letter("n__1", Domain(F(0), integer=True))
N1, N2 = letter("norm__1", NONNEGATIVE), letter("norm__2", NONNEGATIVE)
X, Y = (coordinate(name, "D") - coordinate(name, "E") for name in "xy")
AT_D = coordinate("x", "D")
X_VECTOR, Y_VECTOR = ((X, F(1)),), ((Y, F(1)),)
BOTH = ((X, F(1)), (Y, F(1)))


def size(v: Term) -> Term:
    return largest(v, -v)


def known(level: int = WITH_ALL_KNOWN, **vectors: squares.Vector) -> Norms:
    return Norms(level, vectors=dict(vectors or {"norm__1": X_VECTOR, "norm__2": Y_VECTOR}))


@pytest.mark.parametrize(
    ("term", "growing", "falling"),
    [
        (N1, "", "1"),
        (-N1, "1", ""),
        (E * N1, "", "1"),
        (-E * N1, "1", ""),
        (A * N1, "1", "1"),
        (N1 * N2, "", "12"),
        (-N1 * N2, "12", ""),
        (3 - N1, "1", ""),
        (-3 - N1, "1", ""),
        (N1 - 3, "", "1"),
        (N1 - N2, "2", "1"),
        (N1**2, "", "1"),
        (sqrt(N1), "", "1"),
        (1 / N1, "1", "1"),
        ((N1 - 3) ** 2, "1", "1"),
        (sqrt(N1 - 3), "", "1"),
        ((N1 - 3) * (N2 - 3), "12", "12"),
        (power(E, N1), "1", "1"),
        (power(N1, E), "1", "1"),
        (exp(N1), "", "1"),
        (exp(-N1), "1", ""),
        (log(1 + N1), "", "1"),
        (largest(N1, ONE), "", "1"),
        (largest(-N1, N2), "1", "2"),
        (least(N1, E), "", "1"),
        (over(2, letter("e[i]") * N1, K), "", "1"),
        (over(2, letter("e[i]") - N1, K), "1", ""),
        (E + 3, "", ""),
    ],
)
def test_with_which_norms_a_formula_grows(term: Term, growing: str, falling: str) -> None:
    names = {"1": "norm__1", "2": "norm__2"}
    assert known()._fixed(term, 1) == {names[n] for n in growing}
    assert known()._fixed(term, -1) == {names[n] for n in falling}


@pytest.mark.parametrize(
    ("term", "never"),
    [
        (E, True),
        (A, False),
        (E - 1, False),
        (exp(E) - 1 - E, True),  # by calculus
        (X, False),
        (X**2, True),
        (size(X), True),
        (-size(X), False),
        (size(X) + X, False),
        (size(X) * size(Y) + X**2, True),
        (size(X) - size(Y), False),
        (size(X) * (exp(E) - 1 - E), True),
        (size(X) * (E - 1), False),
        (X * Y, False),
        (ZERO, True),
        (number(-1), False),
    ],
)
def test_what_is_never_below_0(term: Term, never: bool) -> None:
    assert known()._is_never_negative(term) is never
    sign = known()._sign([term])
    assert (sign == 1) is never and (sign == -1) is (not never and known()._is_never_negative(-term))


def test_what_a_norm_is_at_least_and_at_most() -> None:
    """‖(x, y)‖ lies between the larger one and the sum of |x| and |y|, and is at least that over √2."""
    n, sizes = (
        letter("norm__1", NONNEGATIVE),
        (letter("norm__2", NONNEGATIVE), letter("norm__3", NONNEGATIVE)),
    )

    def of(level: int) -> Norms:
        return known(level, norm__1=BOTH, norm__2=X_VECTOR, norm__3=Y_VECTOR)

    both = add(sizes)
    assert of(0)._exact("norm__1") == n == of(0)._at_most("norm__1")
    assert of(WITH_ALL_KNOWN)._exact("norm__1") == largest(n, *sizes, both / sqrt(number(2)))
    assert of(AT_MOST)._exact("norm__1") == largest(n, *sizes)
    assert of(WITH_ALL_KNOWN)._at_most("norm__1") == least(n, both)
    assert of(AT_MOST)._at_most("norm__1") == n
    assert (
        of(AS_ROOTS)._exact("norm__1")
        == sqrt(sizes[0] ** 2 + sizes[1] ** 2)
        == of(AS_ROOTS)._at_most("norm__1")
    )
    disc = of(AT_MOST)
    disc.discs[BOTH] = W
    assert disc._at_most("norm__1") == W
    disc.level = WITH_ALL_KNOWN
    assert disc._at_most("norm__1") == least(n, both, W)
    assert of(WITH_ALL_KNOWN)._exact("norm__2") == sizes[0] == of(WITH_ALL_KNOWN)._at_most("norm__2")


def test_columns_of_sums() -> None:
    """‖(x + 2y, 3x)‖ ≤ ‖(1, 3)‖·|x| + 2·|y|; of entries with one step each nothing is said."""
    rows = ((X + 2 * Y, F(1)), (X, F(9)))
    some = known(norm__1=rows, norm__2=X_VECTOR, norm__3=Y_VECTOR)
    two, three = letter("norm__2", NONNEGATIVE), letter("norm__3", NONNEGATIVE)
    assert some._by_columns(rows) == [sqrt(number(10)) * two + 2 * three]
    assert some._by_columns(BOTH) == [] == some._by_columns(((AT_D, F(1)), (X + Y, F(1))))


def test_sizes_of_sums() -> None:
    """|3x + 4y| ≤ 3·|x| + 4·|y|, and ≤ 5·‖(x, y)‖ where that norm is there."""
    p = X + Y * F(4, 3)
    two, three, both = (letter(f"norm__{n}", NONNEGATIVE) for n in (2, 3, 4))
    vectors: dict[str, squares.Vector] = {"norm__1": ((p, F(1)),), "norm__2": X_VECTOR, "norm__3": Y_VECTOR}
    total = two + three * F(4, 3)
    assert known(AT_MOST, **vectors)._at_most("norm__1") == total
    assert known(WITH_ALL_KNOWN, **vectors)._at_most("norm__1") == least(N1, total)
    vectors["norm__4"] = BOTH
    turned = both * F(5, 3)
    assert known(AT_MOST, **vectors)._at_most("norm__1") == turned
    assert known(WITH_ALL_KNOWN, **vectors)._at_most("norm__1") == least(N1, total, turned)
    assert known(AS_ROOTS, **vectors)._at_most("norm__1") == total
    counts: dict[str, squares.Vector] = {"norm__1": ((M - 2, F(1)),)}
    assert known(AT_MOST, **counts)._at_most("norm__1") == M + 2
    assert known(WITH_ALL_KNOWN, **counts)._at_most("norm__1") == least(N1, M + 2)


def test_counts_are_at_most_their_sum() -> None:
    other = letter("n__2", Domain(F(0), integer=True))
    assert norms._counts(3 * M - other - 2) == 3 * M + other + 2 and norms._counts(number(-4)) == number(4)
    for none in (M - E, M * other, M**2, letter("i", Domain.read("integer >= -1")), A):
        assert norms._counts(none) is None


def test_absolute_values_as_letters() -> None:
    """|−2x| is 2·|x|; |e·x| is e·|x|; |a·x| has |a| before it; what is never below 0 has no letter."""
    some = known(WITH_ALL_KNOWN, norm__1=X_VECTOR)
    assert some.size(-2 * X) == 2 * N1 and some.size(E * X) == E * N1 and some.size(-E * X) == E * N1
    assert some.size(A * X) == size(A) * N1 and some.size(E - 1) == size(E - 1) and some.size(-E) == E
    assert some.size(M) == M and some.size(-M) == M
    new = some.size(X + Y)
    assert new.kind == "letter" and some.vectors[new.of[0]] == ((X + Y, F(1)),)
    assert known(3, norm__1=X_VECTOR).size(X) == size(X)
    short = letter("t", Domain(F(0), greatest=F(1))) - letter("s", Domain(F(0), greatest=F(1)))
    named = known(WITH_ALL_KNOWN)._letter_of(((short, F(1)),))
    assert named.of[1] == Domain(F(0), greatest=F(1))
    assert known(WITH_ALL_KNOWN)._letter_of(((2 * short, F(1)),)).of[1] == NONNEGATIVE


def test_known_squares_in_a_sum() -> None:
    """x² + y² + z² holds ‖(x, y)‖² once, 4x² + 4y² four times; x² + 2y² does not."""
    z = coordinate("z", "D") - coordinate("z", "E")
    some = Norms(WITH_ALL_KNOWN, known=[BOTH])
    found = some.named(X**2 + Y**2 + z**2)
    (both,) = (name for name, vector in some.vectors.items() if vector == BOTH)
    (third,) = (name for name, vector in some.vectors.items() if vector == ((z, F(1)),))
    assert found == letter(both, NONNEGATIVE) ** 2 + letter(third, NONNEGATIVE) ** 2
    assert some.named(4 * X**2 + 4 * Y**2) == 4 * letter(both, NONNEGATIVE) ** 2
    apart = some.named(X**2 + 2 * Y**2)
    assert both not in apart.letters and len(apart.letters) == 2
    assert some.named(sqrt(4 * X**2 + 4 * Y**2)) == 2 * letter(both, NONNEGATIVE)
    assert (
        some.named(sqrt(size(X) ** 2)) == some.size(X) == some.named(size(X))
        and some.named(X**2) == some.size(X) ** 2
    )


# squares


def test_squares_by_hand() -> None:
    root_e = power(E, HALF)
    assert squares.square(4 * X**2) == (X, F(4)) and squares.square(E * X**2) == (
        squares.leading(root_e * X)[1],
        F(1),
    )
    assert squares.square(number(9)) == (ONE, F(9)) and squares.square(ZERO) == (ONE, F(0))
    assert squares.square(size(X) ** 4) == (squares.leading(X**2)[1], F(1))
    for none in (-(X**2), X, X**3, A * X**2, X * Y, 1 - E):
        assert squares.square(none) is None
    assert (
        squares.squares(X**2 + 3 * X**2 + Y**2) == {X: F(4), Y: F(1)} and squares.squares(X**2 - Y**2) is None
    )
    assert squares.root(sqrt(X**2 + Y**2)) == ({X: F(1), Y: F(1)}, F(1))
    assert squares.root(power(X**2 + Y**2, F(3, 2))) == ({X: F(1), Y: F(1)}, F(3))
    assert squares.root(power(X**2 + Y**2, F(-1, 2))) == ({X: F(1), Y: F(1)}, F(-1))
    for term in (sqrt(1 + E), X**2, power(X**2 + Y**2, F(1, 3)), sqrt(X + Y), (X**2 + Y**2) ** 2):
        assert squares.root(term) is None
    assert squares.root(sqrt(letter("e[i]") ** 2 * X**2 + Y**2)) is None
    assert squares.scaled({Y: F(8), X: F(2)}) == (F(2), ((X, F(1)), (Y, F(4))))
    assert squares.ratio({X: F(2), Y: F(2)}, BOTH) == 2 and squares.ratio({X: F(2), Y: F(3)}, BOTH) is None
    assert squares.ratio({X: F(2)}, BOTH) is None and squares.ratio({Y: F(1)}, X_VECTOR) is None
    assert squares.entries(((X, F(1)), (Y, F(4)))) == [X, 2 * Y] and squares.leading(ZERO) == (0, ZERO)
    assert [*squares.vectors(3 * sqrt(X**2 + Y**2) + sqrt(4 * X**2))] == [BOTH]


def test_sizes_are_told_from_other_maxima() -> None:
    assert squares.inside_of_size(size(X)) in (X, -X)
    for none in (largest(X, Y), largest(X, -X, Y), terms.top(2, [X, -X, Y]), X, largest(X, -2 * X)):
        assert squares.inside_of_size(none) is None


def test_factors_that_all_members_share() -> None:
    member = letter("e[i]")
    family = over(2, member * N1 * E, K)
    assert norms._outside(family) == E * N1 * over(2, member, K)
    real = terms.Term("over", (number(2), member * A, K))
    assert norms._outside(real) == real


def test_groups_by_hand() -> None:
    """e·d + f·d ≥ e + f is d ≥ 1 twice; with a, which may be below 0, it is one comparison."""
    f, d = letter("f"), letter("d__1", NONNEGATIVE)
    assert sorted(norms.groups(E * d + f * d, E + f, {"e", "f"}), key=repr) == [(E, d, ONE), (f, d, ONE)]
    assert norms.groups(A * d, A, {"a"}) == [(ONE, A * d, A)] and norms.groups(E * d, ZERO, set()) == [
        (ONE, E * d, ZERO)
    ]
    assert (
        norms.distributed((E + 1) * (d + 2)) == E * d + 2 * E + d + 2
        and norms.distributed((E + 1) ** 2) == (E + 1) ** 2
    )
