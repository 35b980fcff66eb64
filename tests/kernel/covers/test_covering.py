"""Coverings: moves of single inputs gathered into types, which are told apart, and families; by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import core_records
import pytest
import told
from core_records import ANY, B, U, moving

from dpcompose.kernel.core import reading
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers import covering
from dpcompose.kernel.covers.records import Records
from dpcompose.kernel.covers.types import Cover, NoCover, Type
from dpcompose.kernel.expressions.domains import NONNEGATIVE, Domain
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term, letter, number

ONE_STEP, TWO, THREE = ONE, number(2), number(3)
M, R = letter("m", Domain.read("integer >= 2")), letter("r", NONNEGATIVE)


# what is told apart


def cover_of(some: Sequence[Type], apart: Any = lambda type: ()) -> Cover:
    made = Records(core_records.setting(U, ([0], U), atoms=[["a"], ["b"]]), told.THEORY)
    made.told_apart = apart  # type: ignore[method-assign]
    return made.of_types(some, 7, [["p"]])


def pair(type: Type, D: str, E: str) -> Type:
    return replace(type, pair=(tuple(D), tuple(E)))


def test_of_types_that_move_alike_the_first_one_stays() -> None:
    first, second = pair(moving(ONE), "a", ""), pair(moving(ONE), "b", "")
    found = cover_of([first, second, moving(ZERO)])
    assert found.types == (first,) and found.gone_through == 7 and found.rows_apart and found.is_whole
    assert cover_of([moving(ZERO)]).types == (moving(ZERO),)
    apart = cover_of([first, second, pair(moving(TWO), "b", "")], lambda type: type.pair[0])
    assert apart.types == (first, pair(moving(TWO), "b", ""))
    nothing = cover_of([first, moving(ZERO)], lambda type: type.pair)
    assert nothing.types == (first,)


def test_so_many_are_told_apart_and_the_others_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of four with other rows two are told apart, and the first of the others stands for them."""
    monkeypatch.setattr(covering, "MOST_TOLD_APART", 1)
    some = [pair(moving(ONE), name, "") for name in "abcd"]
    found = cover_of([*some, some[0]], lambda type: type.pair)
    assert found.types == tuple(some[:3]) and not found.rows_apart
    monkeypatch.setattr(covering, "MOST_TOLD_APART", 3)
    assert cover_of(some, lambda type: type.pair).rows_apart


def test_what_lies_within_others_by_records_of_their_own() -> None:
    """One with fewer records on each side, which moves less, is left out: also the other way round."""

    def own(far: Term, a: int, b: int) -> Type:
        return moving(far, own=((1, (a, b)),))

    for some, kept in (
        ([own(ONE, 1, 0), own(TWO, 2, 0)], [1]),
        ([own(ONE, 1, 0), own(TWO, 0, 2)], [1]),
        ([own(ONE, 1, 1), own(TWO, 2, 0)], [0, 1]),
        ([own(TWO, 1, 0), own(ONE, 2, 0)], [0, 1]),
        ([own(ONE, 2, 0), own(TWO, 2, 0)], [1]),
        ([own(ONE, 2, 0), moving(TWO)], [0, 1]),
    ):
        assert [*cover_of(some).types] == [some[n] for n in kept]
    of_both = [
        moving(r, r, own=((1, (a, 0)), (2, (b, 0)))) for r, a, b in ((ONE, 1, 3), (TWO, 2, 1), (TWO, 2, 3))
    ]
    assert [*cover_of(of_both[:2]).types] == of_both[:2] and [*cover_of(of_both[::2]).types] == of_both[2:]


# which databases are shown, and in which order


def drawn(*pages: str) -> Records:
    """Mechanisms on samples by these pages."""
    made = core_records.setting(
        U, *((None, U if page == "poisson-sampling" else B) for page in pages), atoms=[["a"], ["b"]]
    )
    data = made.data()
    for one, page in zip(data["mechanisms"], pages, strict=True):
        one["sampled"] = {"page": page, "values": {"s": "1/2"}}
    return Records(reading.read(data), told.THEORY)


def test_which_of_those_that_move_alike_stands_for_all() -> None:
    """The smaller one; where a page says what is lost, one of its own neighbours first."""
    comes, replaced = (("a",), ()), (("a",), ("b",))
    plain = Records(core_records.setting(U, ([0], U), atoms=[["a"], ["b"]]), told.THEORY)
    assert plain.by_size(comes) == (False, 1, str(comes)) and plain.by_size(replaced)[:2] == (False, 2)
    poisson, other = drawn("poisson-sampling"), drawn("poisson-sampling-replaced")
    assert [poisson.by_size(one)[0] for one in (comes, replaced)] == [False, True]
    assert [other.by_size(one)[0] for one in (comes, replaced)] == [True, False]
    both = drawn("poisson-sampling", "poisson-sampling-replaced")
    assert [both.by_size(one)[0] for one in (comes, replaced)] == [True, False]
    assert plain.by_size((3, 4)) == (False, 0, "(3, 4)")


def test_records_of_their_own_are_told_of_groups_on_samples_to_which_one_comes() -> None:
    poisson, other = drawn("poisson-sampling"), drawn("poisson-sampling-replaced")
    counts = {(1, 0): (2, 0)}
    assert poisson.own(counts) == other.own(counts) == ()  # single steps
    for target, told_of in (
        (U | {"steps": 2}, ((1, (2, 0)),)),
        (ANY | {"steps": 2}, ()),
        (U | {"times": "m"}, ()),
    ):
        data = poisson.setting.data() | {"target": target, "parameters": {"m": "integer >= 2"}}
        assert Records(reading.read(data), told.THEORY).own(counts) == told_of
    both = drawn("poisson-sampling", "poisson-sampling-replaced").setting.data() | {
        "target": U | {"steps": 2}
    }
    assert Records(reading.read(both), told.THEORY).own(counts | {(2, 0): (1, 1)}) == ((1, (2, 0)),)
    both["mechanisms"][0]["count"] = "3"
    assert Records(reading.read(both), told.THEORY).own(counts) == ()


# families and numbers


def families(*partitions: str) -> Records:
    """Families with k members on partitions, and a mechanism where there is none."""
    named: Any = ({"count": "3", "partition": one, "reads": [[0], [1]]} if one else {} for one in partitions)
    made = core_records.setting(U, *[([0], U)] * len(partitions), atoms=[["a"], ["b"]])
    data = made.data()
    data["mechanisms"] = [one | more for one, more in zip(data["mechanisms"], named, strict=True)]
    return Records(reading.read(data), told.THEORY)


def test_how_many_members_of_a_family_move_how_far() -> None:
    assert families("P").gathered({1: {0: ONE, 1: TWO}}) == ((1, ((1, TWO), (1, ONE))),)
    assert families("P", "").gathered({1: {0: ONE, 1: ONE}, 2: {0: R}}) == ((1, ((2, ONE),)), (2, ((1, R),)))
    assert families("P").gathered({1: {0: INFINITY, 1: ONE}}) == ((1, ((1, INFINITY), (1, ONE))),)
    assert families("P").gathered({1: {0: R}}) == ((1, ((1, R),)),)
    with pytest.raises(NoCover, match="members of a family that move by different amounts, such as r"):
        families("P").gathered({1: {0: R, 1: ONE}})
    alone = core_records.setting(U, ([0], U), atoms=[["a"], ["b"]])
    several = replace(alone, mechanisms=(replace(alone.mechanisms[0], count=M),))
    assert Records(several, told.THEORY).gathered({1: {0: TWO}}) == ((1, ((0, TWO),)),)


@pytest.mark.parametrize(
    "first, second, fine",
    [
        ({0: ONE, 1: TWO}, {0: ONE, 1: TWO}, True),
        ({0: ONE, 1: TWO}, {0: TWO, 1: THREE}, True),
        ({0: ONE, 1: TWO}, {0: ONE, 1: ONE}, True),
        ({0: ONE, 1: TWO}, {0: TWO, 1: ONE}, False),
        ({0: ONE}, {1: ONE}, False),
        ({0: ONE, 1: ONE}, {1: ONE}, True),
        ({0: ONE}, {1: INFINITY}, True),  # the second loses all there, whichever member it is
    ],
)
def test_members_of_families_on_one_partition_move_together(first: Any, second: Any, fine: bool) -> None:
    both = families("P", "P")
    assert families("P", "Q").gathered({1: first, 2: second})
    if fine:
        assert both.gathered({1: first, 2: second})
        return
    with pytest.raises(NoCover, match="several families on one partition of which other members move"):
        both.gathered({1: first, 2: second})


def test_families_are_told_by_their_own_partitions() -> None:
    """Beside a mechanism that is no family, and one on another partition."""
    three, apart = families("", "P", "P"), {0: ONE, 1: TWO}
    with pytest.raises(NoCover, match="other members move"):
        three.gathered({1: {0: ONE}, 2: apart, 3: {0: TWO, 1: ONE}})
    assert three.gathered({1: {0: ONE}, 2: apart, 3: apart})
    assert families("P", "", "Q").gathered({1: apart, 2: {0: ONE}, 3: {0: TWO, 1: ONE}})


def grown(made: Setting, *moved: tuple[int, Term, bool]) -> Type:
    return Records(made, told.THEORY).growing([((i, 0), r, discrete) for i, r, discrete in moved])


def test_what_moves_further_and_further() -> None:
    """All that is told by more than whether it differs."""
    made = core_records.setting(ANY, ([0], U), (None, ANY), atoms=[["a"], ["b"]])
    found = grown(made, (1, ONE, False), (2, ONE, True))
    assert found.moves == ((1, ((1, INFINITY),)), (2, ((1, ONE),))) and found.unlimited == {1}
    assert found.pair == ((), ("a", "b"))
    assert grown(made, (1, INFINITY, False)).unlimited == frozenset()
    assert grown(made, (1, M, False)).unlimited == {1}
    with pytest.raises(NoCover, match="how far what M1 asks for moves may be 0"):
        grown(made, (1, R, False))
    with pytest.raises(NoCover, match="move by different amounts"):
        grown(made, (1, ONE, True), (1, TWO, True))
    several = replace(made, mechanisms=(replace(made.mechanisms[0], count=M), made.mechanisms[1]))
    assert grown(several, (1, ONE, True)).moves == ((1, ((0, ONE),)),)


def test_the_first_way_that_leads_to_a_cover() -> None:
    cover = Cover((moving(ONE),), "p", 1, ())
    assert cover.is_whole and not replace(cover, convex=frozenset({1})).is_whole

    def refused(words: str) -> Any:
        def way() -> Cover:
            raise NoCover(words)

        return way

    assert covering.first_of([refused("no"), lambda: cover, refused("never")]) == cover
    with pytest.raises(NoCover, match=r"^no; never$"):
        covering.first_of([refused("no"), refused("never"), refused("no")])
