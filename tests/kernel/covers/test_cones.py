"""Whole vectors at which forms have given signs, and pairs of databases that are oo apart in several distances."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import pytest
import told
from hypothesis import given, settings
from hypothesis import strategies as st
from in_metrics import THEORY, saved, study
from shares import seeds

from dpcompose.front.studies import recheck
from dpcompose.kernel.core.classes import Atom, Databases
from dpcompose.kernel.core.settings import Mechanism, Relation
from dpcompose.kernel.covers import cones
from dpcompose.kernel.covers.counts import Counts
from dpcompose.kernel.covers.differing import Case, Form, OfRecords
from dpcompose.kernel.covers.types import NoCover
from dpcompose.kernel.expressions import formulas, terms

Vector = tuple[int, ...]
BOUNDED, UNBOUNDED = Relation(((1, 1),)), Relation(((0, 1), (1, 0)))
ONE, TWO = Atom(("z",)), Atom(("x", "y"))


# minimal solutions


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ([(1,), (-1,)], [(1, 1)]),
        ([(3,), (-5,)], [(5, 3)]),
        ([(2,), (-4,)], [(2, 1)]),
        ([(1,), (2,)], []),
        ([], []),
        ([(0,), (1,)], [(1, 0)]),
        ([(), ()], [(1, 0), (0, 1)]),
        # x + y = z + w: either of these with either of those
        ([(1,), (1,), (-1,), (-1,)], [(1, 0, 1, 0), (1, 0, 0, 1), (0, 1, 1, 0), (0, 1, 0, 1)]),
        # 2x + y = 3z
        ([(2,), (1,), (-3,)], [(3, 0, 2), (1, 1, 1), (0, 3, 1)]),
        # the system of Contejean and Devie: y + 2z = x + 3w and 3y = x + 2z + w
        ([(-1, -1), (1, 3), (2, -2), (-3, -1)], [(4, 2, 1, 0), (0, 1, 1, 1)]),
        # the same equation twice, and its negative
        ([(1, -1, 1), (-2, 2, -2)], [(2, 1)]),
    ],
)
def test_minimal_solutions_by_hand(columns: Sequence[Vector], expected: Sequence[Vector]) -> None:
    assert cones.hilbert_basis(columns) == expected


def value(columns: Sequence[Vector], x: Sequence[int]) -> Vector:
    return tuple(sum(c * n for c, n in zip(entry, x, strict=True)) for entry in zip(*columns, strict=True))


def is_sum(target: Vector, of: Sequence[Vector]) -> bool:
    """Whether a vector is a sum of some others, each any number of times."""
    if not any(target):
        return True
    if not of:
        return False
    first, *others = of
    rest = tuple(a - b for a, b in zip(target, first, strict=True))
    return (min(rest) >= 0 and any(first) and is_sum(rest, of)) or is_sum(target, others)


def matrices(most: int, rows: int) -> st.SearchStrategy[list[Vector]]:
    """Up to four columns of whole numbers that are not large."""
    entry = st.integers(-most, most)
    return st.integers(0, rows).flatmap(
        lambda several: st.lists(st.tuples(*[entry] * several), min_size=1, max_size=4)
    )


@given(matrices(2, 2))
@settings(max_examples=60, deadline=None)
def test_minimal_solutions_are_those_in_a_box_that_no_other_one_is_below(columns: list[Vector]) -> None:
    box = [x for x in itertools.product(range(5), repeat=len(columns)) if not any(value(columns, x))]
    solutions = [x for x in box if any(x)]
    minimal = {x for x in solutions if not any(y != x and at_most(y, x) for y in solutions)}
    basis = cones.hilbert_basis(columns)
    assert {x for x in basis if max(x) < 5} == minimal
    assert all(not any(value(columns, x)) for x in basis)
    assert not any(x != y and at_most(x, y) for x in basis for y in basis)


def at_most(x: Vector, y: Vector) -> bool:
    return all(a <= b for a, b in zip(x, y, strict=True))


@given(matrices(1, 3), st.data())
@settings(max_examples=80, deadline=None)
def test_vectors_with_given_signs_are_sums_of_generators(columns: list[Vector], data: st.DataObject) -> None:
    x = tuple(data.draw(st.lists(st.integers(0, 3), min_size=len(columns), max_size=len(columns))))
    signs = signs_of(value(columns, x))
    first, second = cones.generators(columns, signs)
    rests = [tuple(a - b for a, b in zip(x, one, strict=True)) for one in first if at_most(one, x)]
    assert any(is_sum(rest, second) for rest in rests)
    for one in first:
        for several in itertools.combinations_with_replacement(second, 2):
            assert signs_of(value(columns, tuple(map(sum, zip(one, *several, strict=True))))) == signs


def signs_of(numbers: Sequence[int]) -> Vector:
    return tuple((n > 0) - (n < 0) for n in numbers)


def test_signs_that_no_vector_has_have_no_first_vector() -> None:
    first, second = cones.generators([(1, 1)], [1, -1])
    assert (first, second) == ([], [])
    assert cones.generators([], [0]) == ([()], [])
    assert cones.generators([], [1]) == ([], [])
    assert cones.generators([(), ()], []) == ([(0, 0)], [(1, 0), (0, 1)])


def test_long_work_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cones, "MOST_WORK", 1_000)
    assert len(cones.hilbert_basis([(499,), (-500,)])) == 1
    with pytest.raises(NoCover, match="comparing 1,000 vectors; fewer such distances would do"):
        cones.hilbert_basis([(999,), (-1000,)])


# cases


def multisets(*atoms: Atom, size: tuple[str, int | None] = ("any", None)) -> Databases:
    return Databases("records", "", size=size, atoms=atoms)


def by(reads: Sequence[int] | None, how: Relation = BOUNDED) -> Mechanism:
    return Mechanism("M", (None if reads is None else tuple(reads),), how, "own", "pure", ())


def counts(part: Databases, *reads: Sequence[int] | None) -> Counts:
    """Bounded distances a, b, … of what is read."""
    return Counts(
        "p", part, {name: by(one) for name, one in zip("abcdefg", reads, strict=False)}, told.THEORY
    )


def written(made: Counts, *names: str) -> list[tuple[dict[str, str], list[tuple[str, str]]]]:
    text = formulas.to_text
    return [
        ({name: text(far) for name, far in one.far.items()}, [(text(a), text(b)) for a, b in one.counts])
        for one in made.alternatives(names)
    ]


def test_two_bounded_distances_by_hand() -> None:
    """Of x and y and of all, where z is one record: as many of both, or more or fewer of one of them, or both."""
    found = written(counts(multisets(TWO, ONE), (0,), None), "a", "b")
    even, moved = "p__moved_1_1", "p__moved_1_1 + p__moved_1_2 + 1"
    assert found[:4] == [
        ({"a": even, "b": even}, [(even, even), ("0", "0")]),
        ({"a": even, "b": "oo"}, [(even, even), ("p__removed_2 + 1", "0")]),
        ({"a": even, "b": "oo"}, [(even, even), ("0", "p__added_2 + 1")]),
        ({"a": "oo", "b": moved}, [(moved, even), ("0", "p__moved_1_2 + 1")]),
    ]
    assert found[4][1] == [
        ("p__moved_1_1 + p__moved_1_2 + p__removed_1 + 1", even),
        ("p__removed_2", "p__moved_1_2"),
    ]
    assert found[5][1] == [(moved, even), ("0", "p__added_2 + p__moved_1_2 + 2")]
    assert [tuple(far.values()) for far, _ in found[6:]] == [
        ("oo", "p__moved_1_1 + p__moved_2_1 + 1"),
        ("oo", "oo"),
        ("oo", "oo"),
    ]
    assert len(found) == 9


def test_of_one_size_a_set_and_all_others_say_the_same() -> None:
    part = multisets(TWO, ONE, size=("exactly", 3))
    far = [tuple(one.values()) for one, _ in written(counts(part, (0,), (1,), None), "a", "b", "c")]
    assert far == [
        ("p__moved_1_1", "0", "p__moved_1_1"),
        ("oo", "oo", "p__moved_1_1 + p__moved_1_2 + 1"),
        ("oo", "oo", "p__moved_1_1 + p__moved_2_1 + 1"),
    ]
    assert len(written(counts(multisets(TWO, ONE), (0,), (1,)), "a", "b")) == 9


def test_records_of_three_classes_change_together() -> None:
    """One record of both sets for two, one of each: no two of the three alone leave sizes as they are."""
    part = multisets(*(Atom((name,)) for name in "wxyz"))
    same, *others = written(counts(part, (0, 1), (0, 2)), "a", "b")
    there, back = "p__removed_1__added_2_3", "p__removed_2_3__added_1"
    assert same[0] == dict.fromkeys("ab", f"{there} + {back}")
    assert same[1] == [(there, back), (back, there), (back, there), ("p__removed_4", "p__added_4")]
    assert len(others) == 18


def test_letters_have_different_names() -> None:
    kind = kind_of(counts(multisets(*(Atom((name,)) for name in "abcdefghijkl")), *([n] for n in range(7))))
    sides = [
        tuple(chosen.count(n) for n in range(12))
        for m in range(4)
        for chosen in itertools.combinations_with_replacement((0, 1, 10, 11), m)
    ]
    changes = [(one, other) for one in sides for other in sides if any(one) or any(other)]
    names = [kind.letter(one) for one in changes]
    assert len(set(names)) == len(names) and all(name.isidentifier() for name in names)
    assert kind.letter(changes[0]) == "p__added_1"
    assert kind.letter(((2, *[0] * 11), (*[0] * 10, 1, 0))) == "p__removed_1_1__added_11"


def kind_of(made: Counts) -> OfRecords:
    kind = made._kind
    assert isinstance(kind, OfRecords)
    return kind


def test_too_many_sets_and_too_many_cases_are_refused() -> None:
    atoms = [Atom((name, name * 2)) for name in "abcdefgh"]
    five = counts(multisets(*atoms[:5]), *([n] for n in range(5)))
    with pytest.raises(NoCover, match="of at most 4 sets of records in a comparison, not of 5"):
        five.alternatives("abcde")
    assert len(five.alternatives("abcd")) == 3**4
    crossed = counts(multisets(*atoms), *([n for n in range(8) if n >> k & 1] for k in range(3)))
    with pytest.raises(
        NoCover, match="two databases fall into more than 250 cases by whether they have as many"
    ):
        crossed.alternatives("abc")
    assert len(crossed.alternatives("ab")) < 250


def test_the_empty_database_alone() -> None:
    for size in (("exactly", 0), ("at most", 0)):
        ((far, told_apart),) = written(counts(multisets(TWO, ONE, size=size), (0,), None), "a", "b")
        assert far == {"a": "0", "b": "0"} and told_apart == [("0", "0")] * 2


# cases at random


@st.composite
def systems(draw: st.DrawFn) -> Counts:
    """Up to three bounded distances of what is read of a few kinds of records."""
    atoms = [Atom((name, name * 2)[: draw(st.integers(1, 2))]) for name in "uvwx"[: draw(st.integers(1, 4))]]
    size = draw(st.sampled_from([("any", None), ("exactly", 4), ("at most", 5)]))
    reads = st.one_of(st.none(), st.sets(st.integers(0, len(atoms) - 1)).map(sorted))
    return counts(multisets(*atoms, size=size), *draw(st.lists(reads, min_size=1, max_size=3)))


def at(case: Case, values: Mapping[str, int]) -> Vector:
    """How many records of each class D has more, and then E, at values of the letters; 0 for others."""
    found = []
    for side in (0, 1):
        for both in case:
            there = {name: Fraction(values.get(name, 0)) for name in both[side].letters}
            found.append(int(formulas.evaluate(both[side], there) or 0))
    return tuple(found)


def vectors_of(case: Case) -> tuple[Vector, list[Vector]]:
    """What a case has where all letters are 0, and what each letter adds."""
    names = sorted({name for both in case for one in both for name in one.letters})
    first = at(case, {})
    return first, [tuple(a - b for a, b in zip(at(case, {name: 1}), first, strict=True)) for name in names]


def form(inside: frozenset[int]) -> Form:
    return Form((), inside, lambda removed, added: removed, same_size=True)


def excess(x: Vector, inside: frozenset[int]) -> int:
    c = len(x) // 2
    return sum(x[n] - x[c + n] for n in inside)


@st.composite
def differing(draw: st.DrawFn, kind: OfRecords) -> Vector:
    """How many records of each class D has more, and then E: of a class of one record not both."""
    c = len(kind.classes)
    classes = st.integers(0, c - 1)
    gone = draw(st.lists(classes, max_size=5))
    least, most = (len(gone), len(gone)) if kind.is_fixed else (0, 5)
    come = draw(st.lists(classes, min_size=least, max_size=most))
    x = [side.count(n) for side in (gone, come) for n in range(c)]
    for n in range(c):
        if len(kind.records(n)) == 1:
            both = min(x[n], x[c + n])
            x[n], x[c + n] = x[n] - both, x[c + n] - both
    return tuple(x)


@given(systems(), st.data())
@settings(max_examples=150, deadline=None)
def test_every_pair_is_in_a_case_that_says_whether_it_has_as_many_records(
    made: Counts, data: st.DataObject
) -> None:
    kind = kind_of(made)
    sets = {kind.inside(one) for one in made._inputs.values()}
    x = data.draw(differing(kind))
    cases = kind.cases(sets)
    within = [case for case in cases if is_value(x, case)]
    assert within
    for inside in sets:
        far = {form(inside).of(case).kind == "oo" for case in within}
        assert far == {excess(x, inside) != 0}


def is_value(x: Vector, case: Case) -> bool:
    first, others = vectors_of(case)
    return at_most(first, x) and is_sum(tuple(a - b for a, b in zip(x, first, strict=True)), others)


@given(systems())
@settings(max_examples=80, deadline=None)
def test_what_a_case_says_holds_at_all_values_of_its_letters(made: Counts) -> None:
    kind = kind_of(made)
    sets = {kind.inside(one) for one in made._inputs.values()}
    for case in kind.cases(sets):
        first, others = vectors_of(case)
        for several in itertools.combinations_with_replacement(others, min(2, len(others))):
            x = tuple(map(sum, zip(first, *several, strict=True)))
            for inside in sets:
                assert (form(inside).of(case) == terms.INFINITY) == (excess(x, inside) != 0)
            assert not kind.is_fixed or excess(x, frozenset(range(len(kind.classes)))) == 0


# verdicts


MULTISETS = '[databases]\nkind = "multisets"\n'


def metric(name: str, granularity: str, reads: str | None) -> str:
    about = "" if reads is None else f"reads = {{ records = {[*reads]} }}\n".replace("'", '"')
    return f'[metrics.{name}]\ngranularity = "{granularity}"\n{about}'


def mechanism(name: str, formula: str) -> str:
    return f'[[mechanisms]]\nname = "{name}"\nguarantee = {{ notion = "pure", metric = "{formula}" }}\n'


def claim(formula: str) -> str:
    return f'[[claims]]\nnotion = "pure"\nmetric = "{formula}"\n'


def test_a_counterexample_where_two_bounded_distances_are_in_a_comparison(tmp_path: Path) -> None:
    """One record y in place of x: the distance of all records is 1; of a alone it is 0 or oo."""
    text = MULTISETS + metric("b", "bounded", None) + metric("c", "bounded", "a")
    text += mechanism("M", "b") + mechanism("N", "c")
    text += "".join(map(claim, ("b/2", "b", "b + c", "b + c/2", "b/2 + c")))
    expected = ["refuted", "refuted", "proved", "proved", "refuted"]
    assert [one.verdict for one in study(text)[1]] == expected
    assert list(recheck.check_in_metrics(saved(text, tmp_path), THEORY).verdicts) == expected


RECORDS = "abxyst"
"""Of which s and t are read by nothing but what reads all records, as are more than these."""
FORMULAS = {"bounded": lambda r, a: float(r) if r == a else math.inf, "unbounded": lambda r, a: float(r + a)}


def missing(D: tuple[str, ...], E: tuple[str, ...], inside: str | None) -> tuple[int, int]:
    first, second = (Counter(x for x in one if inside is None or x in inside) for one in (D, E))
    return (first - second).total(), (second - first).total()


def times(c: float, x: float) -> float:
    return c * x if c else (math.inf if x == math.inf else 0.0)


@seeds(3, 20)
def test_verdicts_on_several_bounded_distances_agree_with_all_pairs_of_few_records(seed: int) -> None:
    draw = random.Random(seed)
    size = draw.choice([None, None, "= 3"])
    reads = draw.sample([None, "a", "ab", "ax", "abx", "xy", "y"], 3)
    kinds = ["bounded", "bounded", draw.choice(["bounded", "unbounded"]) if size is None else "bounded"]
    letters = dict(zip("uvw", zip(kinds, reads, strict=True), strict=True))
    text = MULTISETS + ("" if size is None else f'size = "{size}"\n')
    text += "".join(metric(name, how, of) for name, (how, of) in letters.items())
    lost = {name: draw.choice([1, 1, 2]) for name in draw.sample("uvw", 2)}
    text += "".join(mechanism(f"M{name}", f"{c}*{name}") for name, c in lost.items())
    claims = [
        dict(lost),
        {name: draw.choice([1, 2, 3]) for name in draw.sample("uvw", 2)},
        {"u": 2, "v": 1, "w": 1},
    ]
    text += "".join(claim(" + ".join(f"{c}*{name}" for name, c in one.items())) for one in claims)

    def at(some: Mapping[str, int], D: tuple[str, ...], E: tuple[str, ...]) -> float:
        far = {name: FORMULAS[how](*missing(D, E, of)) for name, (how, of) in letters.items()}
        return sum(times(c, far[name]) for name, c in some.items())

    sizes = range(4) if size is None else [3]
    few = [D for n in sizes for D in itertools.combinations_with_replacement(RECORDS, n)]
    _, found = study(text)
    assert found[0].verdict == "proved"
    for claimed, verdict in zip(claims, found, strict=True):
        said = f"seed {seed}: {claimed} {verdict!r}\n{text}"
        exceeded = any(at(lost, D, E) > at(claimed, D, E) for D in few for E in few)
        if verdict.verdict == "refuted":
            D, E = (tuple(one["records"]) for one in verdict.counterexample.pair)
            assert at(lost, D, E) > at(claimed, D, E), said
        else:
            assert (verdict.verdict, exceeded) == ("proved", False), said
