"""Any two databases of records, or cells, in letters: by hand, and held against all pairs of small classes."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import pytest
import told

from dpcompose.kernel.core.classes import Atom, Databases
from dpcompose.kernel.core.concrete import Noise, Query
from dpcompose.kernel.core.settings import Mechanism, Relation
from dpcompose.kernel.covers.blocks import by_cell, fewest_blocks
from dpcompose.kernel.covers.counts import Alternative, Counts
from dpcompose.kernel.covers.differing import COUNT as COUNTED
from dpcompose.kernel.covers.differing import Form
from dpcompose.kernel.covers.types import NoCover
from dpcompose.kernel.expressions import formulas, terms

UNBOUNDED, BOUNDED, BOTH = Relation(((0, 1), (1, 0))), Relation(((1, 1),)), Relation(((0, 1), (1, 0), (1, 1)))
ANY_TWO = Relation("any two")
COUNT = Noise(Query("count", ()), "laplace", terms.ONE)
ONE, TWO = Atom(("z",)), Atom(("x", "y"))


def multisets(*atoms: Atom, size: tuple[str, int | None] = ("any", None), **more: Any) -> Databases:
    return Databases("records", "", size=size, atoms=atoms, **more)


def cells(count: int) -> Databases:
    return Databases("cells", "", count=count)


def by(how: Relation | Noise, reads: Sequence[int] | None = None, domain: str = "own") -> Mechanism:
    noise, stated = (how, None) if isinstance(how, Noise) else (None, how)
    some = None if reads is None else tuple(reads)
    return Mechanism("M", (some,), stated, domain, "pure", (), noise=noise)


def counts(part: Databases, **inputs: Mechanism) -> Counts:
    return Counts("p", part, inputs, told.THEORY)


def written(one: Alternative) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """An alternative as formulas."""
    text = formulas.to_text
    return {name: text(far) for name, far in one.far.items()}, [(text(a), text(b)) for a, b in one.counts]


def all_written(made: Counts, *names: str) -> list[tuple[dict[str, str], list[tuple[str, str]]]]:
    return [written(one) for one in made.alternatives(names)]


# by hand


def test_a_sum_or_a_maximum_is_one_formula() -> None:
    made = counts(multisets(TWO), u=by(UNBOUNDED), b=by(BOTH), n=by(COUNT))
    ((far, told_apart),) = all_written(made, "u", "b")
    assert far == {"u": "p__added_1 + p__removed_1", "b": "max(p__added_1, p__removed_1)"}
    assert told_apart == [("p__removed_1", "p__added_1")]
    assert all(
        str(domain) == "integer >= 0" for domain in made.alternatives("u")[0].far["u"].letters.values()
    )
    assert made.pages("u") == ("unbounded-metric",) and made.pages("b") == ("edit-metric",)
    assert made.pages("n") == ("count", "laplace")
    assert all_written(made, "n")[0][0] == {"n": "abs(p__added_1 - p__removed_1)"}


def test_what_is_read_is_a_sum_over_the_classes() -> None:
    """x and y are read together by `all`, z by both: two classes, and a third one that nobody reads."""
    part = multisets(Atom(("x",)), Atom(("y",)), Atom(("z",)), Atom(("u", "v")))
    made = counts(part, some=by(UNBOUNDED, (2,)), every=by(UNBOUNDED, (0, 1, 2)))
    ((far, told_apart),) = all_written(made, "some", "every")
    assert far["some"] == "p__added_2 + p__removed_2"
    assert far["every"] == "p__added_1 + p__added_2 + p__removed_1 + p__removed_2"
    assert told_apart[2] == ("p__removed_3", "p__added_3")


def test_databases_of_other_sizes_are_infinitely_far_apart() -> None:
    made = counts(multisets(TWO), b=by(BOUNDED), u=by(UNBOUNDED))
    assert all_written(made, "b", "u") == [
        ({"b": "p__moved_1_1", "u": "2*p__moved_1_1"}, [("p__moved_1_1", "p__moved_1_1")]),
        (
            {"b": "oo", "u": "2*p__moved_1_1 + p__removed_1 + 1"},
            [("p__moved_1_1 + p__removed_1 + 1", "p__moved_1_1")],
        ),
        (
            {"b": "oo", "u": "p__added_1 + 2*p__moved_1_1 + 1"},
            [("p__moved_1_1", "p__added_1 + p__moved_1_1 + 1")],
        ),
    ]
    assert len(made.alternatives(["u"])) == 1


def test_of_one_size_as_many_records_go_as_come() -> None:
    """A record of the class {z} alone does not become itself."""
    made = counts(multisets(TWO, ONE, size=("exactly", 5)), b=by(BOUNDED), z=by(COUNT, (1,)), n=by(COUNT))
    ((far, _),) = all_written(made, "b", "z", "n")
    assert far["b"] == "p__moved_1_1 + p__moved_1_2 + p__moved_2_1"
    assert far["z"] == "abs(p__moved_1_2 - p__moved_2_1)" and far["n"] == "0"
    assert made.pages("b") == ("bounded-metric",)


def test_what_is_read_of_databases_of_one_size_has_any() -> None:
    """On the own domain other sizes are ∞ apart; on the common one something outside comes or goes."""
    part = multisets(TWO, ONE, size=("exactly", 2))
    made = counts(
        part, own=by(BOUNDED, (0,)), common=by(BOUNDED, (0,), "common"), never=by(UNBOUNDED, (0,), "common")
    )
    assert all_written(made, "common")[0][0] == {
        "common": "max(p__moved_1_1 + p__moved_1_2, p__moved_1_1 + p__moved_2_1)"
    }
    assert [far["own"] for far, _ in all_written(made, "own")] == ["p__moved_1_1", "oo", "oo"]
    assert [counted for _, counted in all_written(made, "own")][1] == [
        ("p__moved_1_1 + p__moved_1_2 + 1", "p__moved_1_1"),
        ("0", "p__moved_1_2 + 1"),
    ]
    assert {far["never"] for far, _ in all_written(made, "never")} == {"0", "oo"}
    assert made.pages("common") == ("edit-metric",) and made.pages("never") == ("no-neighbours-metric",)


def test_any_two_are_equal_or_differ_in_something() -> None:
    made = counts(multisets(TWO), z=by(ANY_TWO), u=by(UNBOUNDED))
    assert all_written(made, "z", "u") == [
        ({"z": "0", "u": "0"}, [("0", "0")]),
        ({"z": "1", "u": "p__added_1 + p__removed_1 + 1"}, [("p__removed_1", "p__added_1 + 1")]),
        ({"z": "1", "u": "p__added_1 + p__removed_1 + 1"}, [("p__removed_1 + 1", "p__added_1")]),
    ]
    assert made.pages("z") == ("free-lunch-metric",)
    assert made.equal().far == {"z": terms.ZERO, "u": terms.ZERO} and made.equal().counts == (
        (terms.ZERO, terms.ZERO),
    )


def test_what_differs_and_where_sizes_do_are_cases_together() -> None:
    made = counts(multisets(TWO), z=by(ANY_TWO), b=by(BOUNDED))
    found = {tuple(far.values()) for far, _ in all_written(made, "z", "b")}
    assert found == {("0", "0"), ("1", "p__moved_1_1 + 1"), ("1", "oo")}


def test_one_database_alone_and_nothing_that_is_read() -> None:
    for part in (multisets(TWO, size=("exactly", 0)), multisets(ONE, size=("exactly", 3))):
        made = counts(part, b=by(BOUNDED), z=by(ANY_TWO), u=by(UNBOUNDED), n=by(COUNT))
        ((far, _),) = all_written(made, "b", "z", "u", "n")
        assert far == {"b": "0", "z": "0", "u": "0", "n": "0"}
    assert all_written(counts(multisets(TWO), none=by(UNBOUNDED, ())), "none")[0][0] == {"none": "0"}
    assert all_written(counts(cells(0), none=by(ANY_TWO)), "none") == [({"none": "0"}, [])]


def test_cells_are_counted_up_to_all_of_a_class() -> None:
    single = Relation(tuple(frozenset({n}) for n in range(5)))
    made = counts(cells(5), every=by(single), some=by(single, (1, 2)), any=by(ANY_TWO, (1, 2)), n=by(COUNT))
    ((far, told_apart),) = all_written(made, "every", "some", "n")
    assert far == {"every": "p__changed_1 + p__changed_2", "some": "p__changed_2", "n": "0"}
    assert told_apart == [("p__changed_1",) * 2, ("p__changed_2",) * 2]
    (both,) = made.alternatives(["some"])
    assert [domain.greatest for one, _ in both.counts for domain in one.letters.values()] == [3, 2]
    _, differing = made.alternatives(["any", "some"])
    assert written(differing)[0] == {"any": "1", "some": "p__changed_2 + 1"}
    assert differing.far["some"].letters["p__changed_2"].greatest == 1
    assert made.pages("some") == ("covering-blocks-metric",)
    assert made.databases([(1, 1), (2, 2)]) == (("a",) * 5, ("b", "b", "b", "a", "a"))


def test_blocks_of_all_that_is_read_or_of_nothing() -> None:
    rows = Relation((frozenset({0, 1}), frozenset({2, 3})))
    made = counts(cells(5), first=by(rows, (0, 1)), last=by(rows, (4,)), two=by(rows, (1, 2)), all=by(rows))
    assert {far["first"] for far, _ in all_written(made, "first")} == {"0", "1"}
    assert {far["last"] for far, _ in all_written(made, "last")} == {"0", "oo"}
    assert {far["two"] for far, _ in all_written(made, "two")} == {"p__changed_2 + p__changed_3"}
    with pytest.raises(NoCover, match="how far apart any two databases are in all: steps of several cells"):
        made.alternatives(["all"])
    group = Relation(rows.blocks, 2)
    assert {far["g"] for far, _ in all_written(counts(cells(4), g=by(group)), "g")} == {"0", "1"}
    with pytest.raises(NoCover, match="steps of several cells"):
        counts(cells(4), g=by(rows)).alternatives(["g"])


def test_what_has_no_formula_is_said() -> None:
    with pytest.raises(NoCover, match="in g: groups of 2 steps are no formula"):
        counts(multisets(TWO), g=by(Relation(UNBOUNDED.single, 2))).alternatives(["g"])
    with pytest.raises(NoCover, match="lead out of the class"):
        counts(multisets(TWO, size=("at most", 2)), g=by(Relation(UNBOUNDED.single, 1, True))).pages("g")
    with pytest.raises(NoCover, match="asks for more than how many records"):
        histogram = Noise(Query("histogram", ()), "laplace", terms.ONE)
        counts(multisets(TWO), h=by(histogram)).pages("h")
    with pytest.raises(NoCover, match="t is no number of steps"):
        counts(multisets(TWO), t=by(Relation(BOTH.single, times=terms.letter("m"))))
    for part in (multisets(TWO, of="sequences"), Databases("listed", "", count=3)):
        with pytest.raises(NoCover, match="not told by how many records differ"):
            counts(part, u=by(UNBOUNDED))
    with pytest.raises(NoCover, match="not told by how many records differ"):
        counts(multisets(TWO, size=("exactly", 2), letter=terms.letter("n")), b=by(BOUNDED))


def test_a_distance_is_said_only_where_it_is_one_formula() -> None:
    """removed = added may hold or not: neither ∞ nor a number of steps is right for both."""
    x, y = (terms.letter(name, COUNTED) for name in "xy")
    free, even, more = ((x, y),), ((x, x),), ((x + 1, y),)
    sizes = Form((), frozenset({0}), lambda removed, added: removed, same_size=True)
    whether = Form((), frozenset({0}), lambda removed, added: terms.ONE, whether=True)
    assert (sizes.of(even), sizes.of(((x + y + 1, x),))) == (x, terms.INFINITY)
    assert whether.of(more) == terms.ONE and whether.of(((terms.ZERO, terms.ZERO),)) == terms.ZERO
    for form, case, words in (
        (sizes, free, "as many records"),
        (sizes, more, "as many records"),
        (whether, free, "whether what is read differs"),
        (whether, even, "whether what is read differs"),
    ):
        with pytest.raises(NoCover, match=words):
            form.of(case)


def test_two_databases_that_differ_so() -> None:
    made = counts(multisets(TWO, ONE, size=("exactly", 3)), b=by(BOUNDED, (1,)))
    assert made.databases([(1, 0), (0, 1)]) == (("x", "x", "x"), ("x", "x", "z"))
    assert made.databases([(0, 0), (0, 0)]) == (("x", "x", "x"),) * 2
    for pair, words in (
        ([(0, 0), (1, 1)], "one record z only"),
        ([(1, 0), (0, 0)], "no two databases"),
        ([(4, 4), (0, 0)], "no two databases"),
        ([(1, 1)], "two numbers >= 0 for each of 2 classes"),
        ([(-1, 0), (0, 0)], "two numbers >= 0"),
        ([(10**9, 10**9), (0, 0)], "more than 1,000 records"),
    ):
        with pytest.raises(NoCover, match=words):
            made.databases(pair)
    for there in (cells(2), cells(10**6)):
        with pytest.raises(NoCover, match="cells"):
            counts(there, z=by(ANY_TWO)).databases([(3, 3)])
    with pytest.raises(NoCover, match="as many cells"):
        counts(cells(2), z=by(ANY_TWO)).databases([(1, 0)])


# against enumeration

Database = tuple[str, ...]
Far = Callable[[Database, Database], int | None]


def shortest(points: Sequence[Any], near: Callable[[Any, Any], bool]) -> dict[tuple[Any, Any], int]:
    """The fewest steps between any two points; left out where there is no path."""
    following = {x: [y for y in points if near(x, y)] for x in points}
    found = {}
    for x in points:
        found[x, x], layer = 0, [x]
        while layer:
            step = [(y, found[x, one] + 1) for one in layer for y in following[one] if (x, y) not in found]
            found |= {(x, y): far for y, far in step}
            layer = list(dict.fromkeys(y for y, _ in step))
    return found


def differences(D: Database, E: Database) -> tuple[Database, Database]:
    here, there = Counter(D), Counter(E)
    return tuple((here - there).elements()), tuple((there - here).elements())


def by_steps(part: Databases, class_: Sequence[Database], mechanism: Mechanism) -> Far:
    """How far apart what a mechanism reads is, gone through."""
    names = [list(atom.records) for atom in part.atoms]
    reads = mechanism.reads[0]
    kept = {one for n, some in enumerate(names) if reads is None or n in reads for one in some}

    def read(D: Database) -> Database:
        return tuple(one for one in D if one in kept)

    if mechanism.noise is not None:
        return lambda D, E: abs(len(read(D)) - len(read(E)))
    stated = mechanism.stated
    assert stated is not None
    images = sorted({read(D) for D in class_})

    def near(D: Database, E: Database) -> bool:
        if stated.any_two:
            return D != E
        left, right = differences(D, E)
        return (len(left), len(right)) in stated.edits

    if mechanism.domain == "own":
        found = shortest(images, near)
    else:
        joined = {(read(D), read(E)) for D, E in product(class_, repeat=2) if near(D, E)}
        found = shortest(images, lambda x, y: x != y and (x, y) in joined)
    return lambda D, E: found.get((read(D), read(E)))


def values(names: Sequence[str], most: int) -> Iterator[dict[str, Fraction]]:
    """Whole numbers for letters, of at most some sum."""
    for chosen in combinations_with_replacement((None, *names), most):
        yield {name: Fraction(chosen.count(name)) for name in names}


def points(found: Sequence[Alternative], most: int) -> Iterator[tuple[Any, dict[str, int | None]]]:
    """The counts and the distances at all values of the letters."""

    def at(one: terms.Term, point: Mapping[str, Fraction]) -> int | None:
        return None if one.kind == "oo" else int(formulas.evaluate(one, point) or 0)

    for one in found:
        every = [*one.far.values(), *(some for both in one.counts for some in both)]
        domains = {name: domain for some in every for name, domain in some.letters.items()}
        for point in values(sorted(domains), most):
            if all(domains[name].contains(value) for name, value in point.items()):
                counted = tuple((at(a, point), at(b, point)) for a, b in one.counts)
                yield counted, {name: at(far, point) for name, far in one.far.items()}


def check(
    made: Counts, pairs: Mapping[Any, set[tuple[int | None, ...]]], names: Sequence[str], most: int
) -> None:
    """Each pair is in a case with its distances, and no case says anything else of counts that some pair has."""
    left = set(pairs)
    for counted, far in points(made.alternatives(names), most):
        if counted in pairs:
            assert pairs[counted] == {tuple(far[name] for name in names)}, (counted, far, pairs[counted])
            left.discard(counted)
    assert not left


def all_databases(part: Databases, most: int) -> list[Database]:
    word, n = part.size
    records = [one for atom in part.atoms for one in atom.records]
    sizes = [n] if word == "exactly" else range(part.least, (most if n is None else n) + 1)
    return [one for size in sizes for one in combinations_with_replacement(records, size or 0)]


def counted_of(part: Databases, made: Counts, D: Database, E: Database) -> tuple[tuple[int, int], ...]:
    sides = differences(D, E)
    found = []
    for some in made._kind.classes:
        names = {one for atom in some for one in part.atoms[atom].records}
        found.append(tuple(sum(one in names for one in side) for side in sides))
    return tuple(found)


SIZES = [("exactly", 1), ("exactly", 2), ("exactly", 3), ("at most", 1), ("at most", 2), ("any", None)]
ATOMS = [(TWO,), (ONE,), (TWO, ONE), (ONE, Atom(("v",))), (ONE, Atom(("v",)), Atom(("w",)))]


def held_against_all_pairs(part: Databases, chosen: Mapping[str, Mechanism]) -> bool:
    made = counts(part, **chosen)
    try:
        made.alternatives(list(chosen))
    except NoCover as error:
        assert "one set of records" in str(error)
        return False
    class_ = all_databases(part, 4)  # of any size: those of two records, and steps and fibres with more
    some = class_ if part.size[1] is not None else all_databases(part, 2)
    ways = [by_steps(part, class_, one) for one in chosen.values()]
    pairs: dict[Any, set[tuple[int | None, ...]]] = {}
    for D, E in product(some, repeat=2):
        counted = counted_of(part, made, D, E)
        pairs.setdefault(counted, set()).add(tuple(far(D, E) for far in ways))
        left, right = made.databases(counted)
        assert counted_of(part, made, left, right) == counted
        assert part.size[1] is None or {left, right} <= {tuple(sorted(one)) for one in class_}
    check(made, pairs, list(chosen), 2 * max(map(len, some)))
    if part.size[1] is not None:
        for counted in product(product(range(3), repeat=2), repeat=len(made._kind.classes)):
            if counted not in pairs:
                with pytest.raises(NoCover):
                    made.databases(counted)
    return True


def of_chance(chance: random.Random, atoms: int) -> Mechanism:
    reads = chance.choice([None, (), *([n] for n in range(atoms)), range(atoms), range(1, atoms)])
    how = chance.choice([UNBOUNDED, BOUNDED, BOUNDED, BOTH, ANY_TWO, COUNT])
    return by(how, reads, chance.choice(["own", "common"]))


@pytest.mark.parametrize("seed", range(60))
def test_all_pairs_of_small_classes(seed: int) -> None:
    chance = random.Random(seed)
    atoms = chance.choice(ATOMS)
    part = multisets(*atoms, size=chance.choice(SIZES))
    if part.size == ("at most", 2):
        part = multisets(*atoms, size=part.size, least=chance.choice([0, 1]))
    chosen = {f"d{n}": of_chance(chance, len(atoms)) for n in range(chance.choice([1, 2, 2, 3]))}
    held_against_all_pairs(part, chosen)


@pytest.mark.parametrize("seed", range(20))
def test_all_ways_in_which_cells_differ(seed: int) -> None:
    chance = random.Random(seed)
    part = cells(chance.choice([1, 2, 3, 4]))
    every = range(part.count)
    chosen: dict[str, Mechanism] = {}
    for n in range(chance.choice([1, 2, 3])):
        blocks = chance.choice(
            [[{one} for one in every], [{*every}], [{one} for one in every if one], [{0, 1}, {0}]]
        )
        stated = Relation(
            tuple(frozenset(one) & {*every} for one in blocks), chance.choice([1, 1, 2, part.count])
        )
        reads = chance.choice(
            [None, *([one] for one in every), [one for one in every if chance.random() < 0.6]]
        )
        chosen[f"d{n}"] = by(chance.choice([stated, stated, ANY_TWO, COUNT]), reads)
    made = counts(part, **chosen)
    names = [name for name in chosen if is_known(made, name)]
    pairs: dict[Any, set[tuple[int | None, ...]]] = {}
    for bits in product((0, 1), repeat=part.count):
        differing = frozenset(n for n in every if bits[n])
        counted = tuple((len(differing & {*some}),) * 2 for some in made._kind.classes)
        pairs.setdefault(counted, set()).add(tuple(by_blocks(chosen[name], differing) for name in names))
        _, E = made.databases(counted)
        assert sum(one == "b" for one in E) == len(differing)
    check(made, pairs, names, part.count)


def is_known(made: Counts, name: str) -> bool:
    try:
        return bool(made.alternatives([name]))
    except NoCover:
        return False


def by_blocks(mechanism: Mechanism, differing: frozenset[int]) -> int | None:
    reads, stated = mechanism.reads[0], mechanism.stated
    here = differing if reads is None else differing & {*reads}
    if stated is None or not here:
        return 0
    if stated.any_two:
        return 1
    least = fewest_blocks(by_cell(one for one in stated.blocks if one), here)
    return None if least is None else -(-least // stated.steps)
