"""Means and variances of records whose number is not known: against enumeration, and wrong claims refused."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import pytest
import sympy
from shares import every_second

import dpcompose as dpc
from dpcompose.privacy.settings.invalid import InvalidSetting

U, B = dpc.unbounded, dpc.bounded
GRID = [Fraction(n, 4) for n in range(5)]
LARGEST = 5
(E,) = dpc.parameters("e")


def mean(values: tuple[Fraction, ...]) -> Fraction:
    return sum(values, Fraction(0)) / len(values) if values else Fraction(1, 2)


def variance(values: tuple[Fraction, ...]) -> Fraction:
    return mean(tuple((x - mean(values)) ** 2 for x in values)) if values else Fraction(0)


def databases(least: int, most: int) -> Iterator[tuple[Fraction, ...]]:
    for n in range(least, most + 1):
        yield from combinations_with_replacement(GRID, n)


def neighbours(x: tuple[Fraction, ...], kind: Any) -> Iterator[tuple[Fraction, ...]]:
    for one in GRID:
        if kind is U:
            yield (*x, one)
        else:
            yield from ((*x[:n], one, *x[n + 1 :]) for n in range(len(x)))


def truth(query: Any, kind: Any, least: int, most: int) -> Fraction:
    """The largest move between neighbours of sizes in least..most, attributes on a grid in [0, 1]."""
    return max(
        (
            abs(query(x) - query(y))
            for x in databases(least, most)
            for y in neighbours(x, kind)
            if least <= len(y) <= most
        ),
        default=Fraction(0),
    )


def found(query: Any, kind: Any, size: str) -> sympy.Expr:
    return dpc.sensitivity(query, dpc.multisets(size=size), kind).value


@pytest.mark.parametrize("least", [0, 2, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 3))])
@pytest.mark.parametrize("kind", [U, B])
@pytest.mark.parametrize(("name", "by_hand"), [("mean", mean), ("variance", variance)])
def test_moves_are_those_of_all_databases_on_a_grid(name: str, by_hand: Any, kind: Any, least: int) -> None:
    query = {"mean": dpc.mean(0, 1), "variance": dpc.variance(0, 1)}[name]
    size = f">= {least}" if least else "any"
    assert found(query, kind, size) == truth(by_hand, kind, least, LARGEST)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_a_variance_of_n_records(n: int) -> None:
    assert found(dpc.variance(0, 1), B, f"= {n}") == truth(variance, B, n, n) == Fraction(n - 1, n * n)


def study(query: Any, size: str, kind: Any = U, noise: Any = None, reads: Any = None) -> dpc.Study:
    asked = dpc.mechanism("M", query=query, noise=noise or dpc.laplace(1 / E), reads=reads or dpc.everything)
    return dpc.compose(asked, on=dpc.multisets("abc", size=size), target=kind)


CLAIMS = [
    (dpc.mean(0, 1), "any", U, "e/2", "proved"),
    (dpc.mean(0, 1), "any", U, "0.49*e", "refuted"),
    (dpc.mean(0, 1), ">= 3", U, "e/4", "proved"),
    (dpc.mean(0, 1), ">= 3", U, "0.24*e", "refuted"),
    (dpc.mean(0, 1), "any", B, "0.99*e", "refuted"),
    (dpc.mean(0, 1), ">= 4", B, "e/4", "proved"),
    (dpc.mean(0, 1), ">= 4", B, "e/5", "refuted"),
    (dpc.mean(-1, 3), "<= 4", U, "2*e", "proved"),
    (dpc.mean(-1, 3), "<= 4", U, "1.9*e", "refuted"),
    (dpc.mean(0, 1), "2..3", U, "e/3", "proved"),
    (dpc.mean(0, 1), "2..3", U, "0.3*e", "refuted"),
    (dpc.variance(0, 1), ">= 2", B, "e/4", "proved"),
    (dpc.variance(0, 1), ">= 2", B, "0.24*e", "refuted"),
    (dpc.variance(0, 2), ">= 3", U, "3*e/4", "proved"),
    (dpc.variance(0, 2), ">= 3", U, "0.74*e", "refuted"),
    (dpc.variance(0, 1), "<= 1", B, "0", "undecided"),
]


@pytest.mark.parametrize(("query", "size", "kind", "claim", "verdict"), CLAIMS)
def test_claims(query: Any, size: str, kind: Any, claim: str, verdict: str) -> None:
    assert study(query, size, kind).check(dpc.pure(claim)).verdict == verdict


def test_groups_move_a_mean_by_the_formula() -> None:
    """Two steps replace the one record there is, or one of four, or two come to four."""
    two = dpc.group(2, U)
    assert study(dpc.mean(0, 1), ">= 1", two).guarantee().epsilon == E
    assert study(dpc.mean(0, 1), ">= 4", two).guarantee().epsilon == E / 3
    assert study(dpc.mean(0, 1), ">= 4", two).check(dpc.pure("0.33*e")).verdict == "refuted"
    x = list(databases(1, 4))
    near = [
        (a, b)
        for a in x
        for b in x
        if (Counter(a) - Counter(b)).total() + (Counter(b) - Counter(a)).total() <= 2
    ]
    assert max(abs(mean(a) - mean(b)) for a, b in near) == 1  # one replaced, too: two steps


def test_what_others_read_is_not_filled_up() -> None:
    """Of records of a at least none is read: the least number of all is no least number of these."""
    some = study(dpc.mean(0, 1), ">= 3", B, reads=dpc.restriction(["a"]))
    assert some.guarantee().epsilon == E


def test_no_mean_of_tuples_of_any_length() -> None:
    asked = dpc.mechanism("M", query=dpc.mean(0, 1), noise=dpc.laplace("b"))
    with pytest.raises(InvalidSetting, match="no fixed number of them"):
        dpc.compose(asked, on=dpc.tuples("ab", "<= 3"), target=B)


def test_two_means_of_parts_are_reached_together() -> None:
    ms = [
        dpc.mechanism(f"M{x}", query=dpc.mean(0, 1), noise=dpc.laplace(1 / E), reads=dpc.restriction([x]))
        for x in "ab"
    ]
    both = dpc.compose(*ms, on=dpc.multisets("ab"), target=B)
    assert both.check(dpc.pure("e")).verdict == "proved"
    assert both.check(dpc.pure("0.9*e")).verdict == "refuted"


HALVES = [Fraction(n, 2) for n in range(3)]
RECORDS = [(name, x) for name in "ab" for x in HALVES]


def truth_of_a_part(query: Any, kind: Any, least: int, most: int, read: str) -> Fraction:
    """The largest move of what is asked of a part, records being in one of two, with attributes in [0, 1]."""

    def asked(x: Any) -> Fraction:
        values: Fraction = query(tuple(value for name, value in x if name in read))
        return values

    found = Fraction(0)
    for n in range(least, most + 1):
        for x in combinations_with_replacement(RECORDS, n):
            others = [(*x[:i], one, *x[i + 1 :]) for i in range(n) for one in RECORDS]
            near = others if kind is B else [(*x, one) for one in RECORDS] if n < most else []
            found = max([found, *(abs(asked(x) - asked(y)) for y in near)])
    return found


@pytest.mark.parametrize("kind", [U, B])
@pytest.mark.parametrize("read", ["a", "ab"])
@pytest.mark.parametrize(
    "size", every_second(["= 1", "= 2", "<= 2", "= 4", "any", "<= 1", ">= 2", "<= 3", "2..4", ">= 3"])
)
@pytest.mark.parametrize(("asks", "by_hand"), [(dpc.mean, mean), (dpc.variance, variance)])
def test_what_is_asked_of_all_or_a_part(asks: Any, by_hand: Any, size: str, read: str, kind: Any) -> None:
    """Proved at the largest move among databases of up to four records, and refuted below it."""
    numbers = [int(one) for one in size.replace("..", " ").split() if one.isdigit()] or [0]
    least = 0 if size.startswith("<") else numbers[0]
    most = 4 if size == "any" or size.startswith(">") else numbers[-1]
    value = truth_of_a_part(by_hand, kind, least, most, read)
    if kind is U and size.startswith("="):
        assert value == 0
    some = dpc.mechanism("M", query=asks(0, 1), noise=dpc.laplace(1 / E), reads=dpc.restriction(list(read)))
    found = dpc.compose(some, on=dpc.multisets("ab", size=size), target=kind)
    verdict = found.check(dpc.pure(sympy.Rational(str(value)) * E)).verdict
    if asks is dpc.variance and most == 1 and verdict == "undecided":
        return  # a single record has no variance; that no two are there is not used
    assert verdict == "proved"
    if value:
        claim = dpc.pure(sympy.Rational(str(value * 99 / 100)) * E)
        assert found.check(claim).verdict == "refuted"


def test_a_variance_of_any_fixed_number() -> None:
    """(u - l)^2 (n - 1)/n^2 with n a letter, 0 for one record; nothing is said of more than half of them."""
    n = dpc.mechanism("M", query=dpc.variance(0, 1), noise=dpc.laplace(1 / E))
    some = dpc.compose(n, on=dpc.multisets("ab", size="= n"), target=B, parameters={"n": "integer >= 1"})
    assert str(some.guarantee().epsilon) == "e/n - e/n**2"
    assert some.check(dpc.pure("e/4")).verdict == "proved"
    assert some.check(dpc.pure("e/5")).verdict == "refuted"
    two = dpc.compose(n, on=dpc.multisets("ab", size="= 3"), target=dpc.group(2, B))
    with pytest.raises(ValueError, match="where 2 are removed and 2 are added"):
        two.guarantee()
