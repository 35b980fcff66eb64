"""Covers of policies and what is pushed forward along what is seen, function by function, by hand."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

from dpcompose.kernel.core.classes import Atom, Databases
from dpcompose.kernel.core.settings import NOTHING, Relation
from dpcompose.kernel.covers import policies, pushed
from dpcompose.kernel.covers.covering import Metric
from dpcompose.kernel.covers.matchings import Costs
from dpcompose.kernel.covers.policies import Moved, Policies, edits_of, has_edits, only_come_and_go
from dpcompose.kernel.covers.pushed import UNSEEN, Pushed, Shared, groups_pass, is_seen_whole, why_not_told
from dpcompose.kernel.covers.rooms import room
from dpcompose.kernel.covers.seen import Seen
from dpcompose.kernel.covers.types import LARGEST, NoCover
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, letter, number

of: Any = SimpleNamespace
TWO, K = number(2), letter("k")
PATH = [(0, 1), (1, 2)]


def made(
    *atoms: str, size: Any = ("any", None), kind: str = "policies", form: str = "multisets", **more: Any
) -> Databases:
    """Multisets of records a, b, c, or of atoms with several of them."""
    return Databases(kind, "", form, size, atoms=tuple(Atom(tuple(some)) for some in atoms or "abc"), **more)


@pytest.mark.parametrize(
    ("edges", "atoms", "longest"),
    [
        ([(0, 1)], "ab", 1),
        (PATH, "abc", 2),
        ([*PATH, (NOTHING, 2)], "abc", 3),
        ([(0, 1)], ("ab", "c"), 2),  # from a to b by c
        ([(0, 0)], ("ab",), 1),
        ([], "ab", 1),
    ],
)
def test_so_many_steps_lead_as_far_as_any(edges: Any, atoms: Any, longest: int) -> None:
    def enough(largest: Any, beside: Any = ()) -> Any:
        asked = of(
            setting=of(databases=of(largest=largest, beside=beside)),
            every=frozenset(range(len(atoms))),
            steps_among=lambda there: Costs(edges),
            room=of(atoms=[of(records=some) for some in atoms]),
        )
        return Policies.enough_steps.fget(asked)  # type: ignore[attr-defined]

    assert enough(None) is None and enough(K) == longest * K
    assert enough(K, ((),)) == 2 * len(atoms) * K  # with fewer atoms


COME, REPLACE = ((0, NOTHING),), ((0, 1),)
EVERY = [(0, 1), (1, 0), (1, 1)]


def drawn(
    databases: Any = None, target: Any = REPLACE, steps: int = 1, stated: Any = REPLACE, **known: Any
) -> None:
    asked = of(setting=of(databases=databases or made(), target=Relation(target, steps)))
    stated = None if stated is None else Relation(stated)
    Policies.check_drawn(asked, of(**{"name": "M", "sampled": None, "dealt": False} | known, stated=stated))


def test_what_is_drawn_by_chance_comes_from_multisets() -> None:
    exactly = made(size=("exactly", 2))
    drawn(sampled=1), drawn(sampled=1, stated=COME), drawn(exactly, sampled=1), drawn(exactly, stated=COME)
    drawn(dealt=True, stated=COME), drawn(target=COME, sampled=1), drawn(steps=2, sampled=1)
    refused: list[dict[str, Any]] = [
        {"databases": made(form="sets")},
        {"target": "any two"},
        {"stated": "any two"},
    ]
    refused += [{"stated": None}, {"databases": exactly, "sampled": 1, "stated": (*REPLACE, *COME)}]
    refused += [{"dealt": True, "steps": 2}, {"dealt": True, "target": (*REPLACE, *COME)}]
    for some in refused:
        with pytest.raises(NoCover):
            drawn(**some)


def test_attributes_are_another_record_of_an_atom(monkeypatch: pytest.MonkeyPatch) -> None:
    def moves(discrete: bool = False, far: Any = ONE, atoms: Any = ("ab", "cd"), codes: Any = ()) -> Moved:
        metric = Metric(
            ("query",), lambda p, q: far if p == q else number(p + 2 * q), discrete, lambda p, q: (TWO,) * p
        )
        monkeypatch.setattr(policies, "query_metric", lambda *_: metric)
        asked = of(setting=of(databases=made(*atoms)), theory=None)
        return Policies.of_noise(asked, of(name="M", codes=codes), Seen(frozenset({0})))

    assert (moves().far((0,), (0, 1)), moves().far((0, 0), (1,)), moves().entries((0, 1), ())) == (
        number(5),
        number(4),
        (TWO, TWO),
    )
    few = ("a", "bc")
    assert moves(True, atoms=few).pages == moves(far=ZERO, atoms=few).pages == ("query",)
    for some in ({"atoms": few}, {"codes": ((0, 1),)}):
        with pytest.raises(NoCover):
            moves(**some)


def test_what_moves_is_what_is_seen_of_both() -> None:
    """M_1 reads all three, M_2 only c; M_1 further where groups are pushed forward."""
    shared: list[Any] = []

    def pushing(left: Any, right: Any, some: Any) -> Any:
        shared.append((left, right, some))
        return None if NOTHING in some else 7

    def far(left: Any, right: Any) -> Any:
        return INFINITY if len(left) > 1 else number(len(left) + len(right))

    first = Moved(
        (), Seen(frozenset({0, 1, 2})), far, lambda left, right: (ONE,) * len(left), pushed=of(far=pushing)
    )
    metrics: Any = {(1, None): first, (2, (2,)): Moved((), Seen(frozenset({2})), far)}
    here = of(readers_of=[[(1, None)], [(1, None)], [(1, None), (2, (2,))]])
    here.that_see = lambda left, right: Policies.that_see(here, left, right)
    moved: Callable[..., Any] = lambda *some: Policies.moved(here, *some[:2], metrics, *some[2:])  # noqa: E731
    assert moved((0,), (2,)) == (((1, None), TWO, (ONE,)), ((2, (2,)), ONE, ()))
    assert moved((0,), (1,)) == (((1, None), TWO, (ONE,)),) and not shared
    assert moved((0,), (2,), ())[0][1] == number(7) and moved((0,), (2,), (NOTHING,))[0][1] == INFINITY
    assert moved((0, 0), (), (1,))[0][1] == INFINITY
    assert shared == [((0,), (2,), ()), ((0,), (2,), (NOTHING,))]


@pytest.mark.parametrize(
    ("inside", "kept"),
    [
        ({0}, {(0, 1), (NOTHING, 0)}),
        ({3}, {(3, 3), (2, 3)}),
        ({0, 1, 2}, {(0, 1), (1, 2), (2, 3), (3, 3), (NOTHING, 0)}),  # of most atoms all are kept
    ],
)
def test_edges_that_end_at_what_is_read(inside: set[int], kept: set[Any]) -> None:
    edges = frozenset({(0, 1), (1, 2), (2, 3), (3, 3), (NOTHING, 0)})
    here: Any = of(every=frozenset(range(4)))
    here.edges_at = Policies.edges_at.func(here)
    assert Policies.edges_ending(here, edges, frozenset(inside)) == kept


@pytest.mark.parametrize(
    ("other", "shares"),
    [
        ({}, True),
        ({"left": (0, 1)}, False),
        ({"left": (), "right": (0, 1)}, False),
        ({"left": (), "right": (1,)}, True),
        ({"steps": 2}, False),
        ({"inside": [{0}, {1}]}, True),
        ({"inside": [{0, 1}, {1}]}, False),
        ({"inside": [{0}, {0}, {0, 1}]}, False),
        ({"inside": [{0, 1}, {0, 1}]}, True),
        ({"stated": [(REPLACE, 1), (PATH, 1)]}, False),
        ({"stated": [(REPLACE, 2)] * 2}, False),
        ({"stated": [((*REPLACE, *COME), 1)] * 2}, False),
        ({"domain": ["common", "own"]}, False),
        ({"domain": ["own", "common"]}, False),
    ],
)
def test_ways_are_shared_by_steps_of_one_record(other: dict[str, Any], shares: bool) -> None:
    known: dict[str, Any] = {"left": (0,), "right": (1,), "steps": 1, "inside": [{0}, {0}]}
    known |= {"stated": [(REPLACE, 1)] * 2, "domain": ["common"] * 2} | other
    both = [
        of(stated=Relation(tuple(e), n), domain=d)
        for (e, n), d in zip(known["stated"], known["domain"], strict=True)
    ]
    readers: Any = [(1, None), (2, None), (2, (0,))][: len(known["inside"])]
    seen = {
        one: of(seen=of(inside=frozenset(some))) for one, some in zip(readers, known["inside"], strict=True)
    }
    asked = of(
        setting=of(target=of(steps=known["steps"]), mechanisms=[*both, None]),
        metrics_among=lambda _: seen,
        every=None,
    )
    assert Policies.share_a_way(asked, known["left"], known["right"], readers) is shares


def test_as_many_more_tokens_as_steps_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a limited size what is said; of any as many on nothing as 2·(3 − 1) or 5·(2 − 1) steps take."""
    asked_for: list[Any] = []

    def moved(left: Any, right: Any, metrics: Any, shared: Any = None) -> Any:
        asked_for.append(shared)
        return ((1, number(3), ()), (2, TWO, ()), (3, INFINITY, ()), (4, number(9), ()))

    class Of:
        def __init__(self, *given: Any) -> None:
            self.given = given[1:]

        def furthest(self, far: Any) -> Any:
            return [(far((7,), (5,)), (self.given, 4, 3)), ((), ())]

    monkeypatch.setattr(policies, "Shared", Of)
    monkeypatch.setattr(policies, "smallest_pair", lambda *some: some[1:])
    metrics = {
        1: of(pushed=of(steps=2)),
        2: of(pushed=of(steps=5)),
        3: of(pushed=of(steps=9)),
        4: of(pushed=None),
    }

    def sharing(size: Any, least: Any) -> Any:
        setting = of(databases=made(size=size), assumed=())
        asked = of(setting=setting, metrics_among=lambda _: metrics, every=None, moved=moved)
        asked_for.clear()
        return [*Policies.sharing(asked, (0,), (1,), least, "pair")]  # type: ignore[arg-type]

    least: Any = moved((), (), ())
    assert sharing(("any", None), least) == [(least, "pair")] and asked_for == [(), (NOTHING,) * 5]
    fewest = (None, (0,), (1,))
    assert sharing(("any", None), ()) == [(least, ((0,), (1,), (fewest, 4, 3, 3))), ((), ((0,), (1,), ()))]
    assert asked_for[2:] == [(7,), (7, *(5, NOTHING) * 5)]
    assert sharing(("at most", 6), ())[0][1][2][0][0] == 6
    assert sharing(("exactly", 6), ())[0][1][2][0][0] == 6 and asked_for == [(), (7,), (7, *(5,) * 5)]


def test_the_edits_of_a_policy_are_all_of_one_kind() -> None:
    two = made("a", "b")
    come, replaced, whole = ((NOTHING, 0), (NOTHING, 1)), ((0, 1),), made("ab", "c")

    def edits(policy: Any, databases: Databases = two) -> tuple[Any, Any]:
        return tuple(edits_of(Relation(policy), databases, all_) for all_ in (True, False))  # type: ignore[return-value]

    assert edits(come) == (((0, 1), (1, 0)),) * 2 and edits(replaced) == (((1, 1),),) * 2
    assert edits(come[:1]) == ((), ((0, 1), (1, 0))) and edits((*come, *replaced)) == ((), ())
    assert edits(replaced, whole) == ((), ((1, 1),)) and edits(((0, 0), (0, 1)), whole) == (((1, 1),),) * 2
    assert edits(()) == edits("any two") == edits(replaced, made(form="sets")) == ((), ())
    assert edits(((1, 0),), made(kind="records")) == (((1, 0),),) * 2
    has: Callable[..., bool] = lambda policy, some, base=two: has_edits(Relation(policy), base, some)  # noqa: E731
    every = (*come, *replaced)
    table = {(p, some): has(p, [some]) for p in (come, replaced, every, come[:1], ()) for some in EVERY[::2]}
    assert [key for key, there in table.items() if there] == [
        *((come, (0, 1)), (replaced, (1, 1)), (every, (0, 1)), (every, (1, 1)))
    ]
    assert not has("any two", []) and not has(replaced, [(1, 1)], made("a", "b", form="sets")) and has((), [])
    rows = made(kind="records")
    assert has(((0, 1), (1, 0)), [(1, 0)], rows) and not has(((0, 1),), [(1, 0)], rows)
    assert has(tuple(EVERY), EVERY, rows) and not has(((2, 2), (1, 1)), [(1, 1)], rows)
    only: Callable[..., bool] = lambda policy, base=two: only_come_and_go(Relation(policy), base)  # noqa: E731
    assert only(come) and only(()) and not only(replaced) and not only(every) and not only("any two")
    assert not only(come, rows) and not only(come, made(form="sets"))


def test_edges_among_some_atoms() -> None:
    edges = frozenset({(0, 1), (1, 2), (NOTHING, 0), (NOTHING, 2), (2, 2)})
    for there, left in (
        (set(), set()),
        ({0}, {(NOTHING, 0)}),
        ({0, 1}, {(0, 1), (NOTHING, 0)}),
        ({0, 1, 2}, edges),
    ):
        assert policies.among(edges, frozenset(there)) == left
    many = frozenset(product(range(4), repeat=2))
    assert policies.among(many, frozenset({1, 3})) == {*product((1, 3), repeat=2)}


# what is pushed forward


def shared(size: Any, left: Any, right: Any, fewest: Any = None, **more: Any) -> Shared:
    return Shared(made(size=size, **more), fewest, left, right)


@pytest.mark.parametrize(
    ("size", "least", "some", "kind", "whole"),
    [
        (("exactly", 4), 0, (), 2, (2, 2)),  # beside two of D, one of E
        (("exactly", 4), 0, (0,), 2, (0, 2)),
        (("exactly", 4), 0, (0, 1), 2, (0, 1)),
        (("at most", 4), 0, (NOTHING,), 2, (2,)),
        (("at most", 4), 0, (), NOTHING, ()),
        (("at most", 4), 3, (), NOTHING, None),  # E has one record only
        (("at most", 4), 2, (0,), NOTHING, (0,)),
        (("at most", 4), 3, (0,), NOTHING, None),
        (("at most", 4), 3, (0, 1), NOTHING, (0, 1)),
        (("any", None), 0, (0, NOTHING), NOTHING, (0,)),
        (("any", None), 3, (), 1, (1, 1)),
        (("any", None), 3, (0,), 1, (0, 1)),
        (("any", None), 3, (0, 1, 2), 1, (0, 1, 2)),
        (("any", None), 3, (0,), NOTHING, None),
    ],
)
def test_all_other_records_are_of_one_kind(size: Any, least: int, some: Any, kind: int, whole: Any) -> None:
    assert shared(size, (0, 0), (1,), least=least).whole(some, kind) == whole
    assert shared(size, (1,), (0, 0), least=least).whole(some, kind) == whole


def test_of_a_letter_of_records_nothing_is_missing() -> None:
    """At least n of them, and at most 4: so many tokens stand on records."""
    here = shared(("at most", 4), (0,), (1,), least=2, lower=K)
    assert here.databases.from_some_size_on and here.databases.letters
    assert here.whole((0,), 1) == (0, 1, 1) and here.whole((0, NOTHING), 1) is None
    assert here.whole((0,), NOTHING) is here.whole((0, 1), NOTHING) is None and here.whole(
        (0, 1, 2), NOTHING
    ) == (0, 1, 2)
    long = shared(("exactly", LARGEST + 2), (0,), (1,))
    with pytest.raises(NoCover, match="too many"):
        long.whole((), 1)
    assert len(shared(("exactly", LARGEST + 1), (0,), (1,)).whole((), 1) or ()) == LARGEST


def test_who_has_room_for_what_is_shared() -> None:
    exactly, at_most = shared(("exactly", 4), (0,), (1, 1), 4), shared(("at most", 4), (0,), (1, 1), 1)
    assert (exactly.more, exactly.fewer, exactly.free, exactly.kinds) == (2, 1, 2, (0, 1, 2))
    assert (at_most.free, at_most.kinds) == (0, (NOTHING, 0, 1, 2))
    assert shared(("any", None), (), ()).free is None


def test_a_few_shared_records_decide_once_all_others_bring_nothing_nearer() -> None:
    """What is read moves by 3, or by 2 if an a is shared; if b may be, always by 2 from two tokens on."""

    def moved(some: Any, kinds: Any) -> Any:
        return (((1, None), TWO if {0, 2} & {*some, *kinds} else number(3), ()),)

    found = shared(("exactly", 3), (0,), (1,), 3).furthest(moved)
    assert found == [(moved((1,), ()), (1, 1))]

    def nearer(some: Any, kinds: Any) -> Any:  # every further token brings it nearer, whatever it is
        return (((1, None), number(9 - len(some) - len(kinds)), ()),)

    found = shared(("exactly", 3), (0,), (1,), 3).furthest(nearer)
    assert {far for far, _ in found} == {nearer((0, 0), ())} and len(found) == 6
    for here in (shared(("exactly", 3), (0,), (1,), 3, letter=K), shared(("any", None), (0,), (1,))):
        with pytest.raises(NoCover, match="too many ways"):
            here.furthest(nearer)


def test_at_least_as_far_in_another_way() -> None:
    def far(*some: Any) -> Any:
        return tuple(((n, None), r, ()) for n, r in enumerate(some))

    values = (ONE, TWO, INFINITY, K)
    within = {(a, b) for a, b in product(values, repeat=2) if pushed.is_within(far(a), far(b))}
    assert within == {(ONE, ONE), (ONE, TWO), (TWO, TWO)} | {(one, INFINITY) for one in values}
    assert not pushed.is_within(far(ONE, TWO), far(TWO, ONE)) and pushed.is_within(
        far(ONE, ONE), far(TWO, ONE)
    )


def test_what_tokens_do_not_tell() -> None:
    part, whole = Seen(frozenset({0})), Seen(frozenset({0, 1, 2}))
    least = made(size=("any", None), least=2)
    assert least.from_some_size_on
    edges = [(0, 1), (NOTHING, 0)]
    assert "sets" in why_not_told(made(form="sets"), part, edges, 2, 9)
    assert "beside" in why_not_told(made(beside=((), (), ())), part, edges, 2, 9)
    for seen, steps in product((part, whole), (1, 2, 3)):
        for way in (edges, REPLACE):
            told = not why_not_told(least, seen, way, steps, 2)
            assert told is (way == REPLACE or (seen is part and steps < 3))
            assert why_not_told(made(), seen, way, steps, 2) == ""


def test_steps_of_what_is_seen() -> None:
    here, fixed = room(made()), room(made(size=("exactly", 2)))
    some, whole = Seen(frozenset({0})), Seen(frozenset({0, 1, 2}))
    for domain, codes, seen in product(("own", "common"), ((), ((0, 1),)), (some, whole)):
        asked = of(domain=domain, codes=codes)
        assert is_seen_whole(here, asked, seen) is (domain == "own" or (seen is whole and not codes))
    assert groups_pass(here, some, PATH) and not groups_pass(fixed, some, PATH)
    codes = Seen(frozenset({0, 1, 2}), [(1, 2)])  # 0-1 may be a step of b, and not of c
    assert not groups_pass(here, codes, [(0, 1)]) and groups_pass(here, codes, [(0, 1), (0, 2)])
    assert not groups_pass(here, Seen(frozenset({1, 2}), [(1, 2)]), [(0, 1), (0, 2)])


def tokens(steps: int = 2, size: Any = ("any", None), edges: Any = PATH, seen: Any = (0,)) -> Pushed:
    """Records a, b, c of which a alone is seen, or those that are said; b and another b are one atom."""
    costs = Costs(edges)
    of_seen = Seen(frozenset(seen))
    return Pushed(made("a", "bB", "c", size=size), of_seen, steps, costs, Costs(of_seen.contracted(edges)))


def test_places_of_tokens() -> None:
    assert tokens().fibres == {UNSEEN: [NOTHING, 1, 2], 0: [0]}
    assert tokens(size=("exactly", 2)).fibres == {0: [0], UNSEEN: [1, 2]}
    as_one = Pushed(made("a", "bB", "c"), Seen(frozenset({1, 2}), [(1, 2)]), 2, Costs(PATH), Costs(PATH))
    assert as_one.fibres == {UNSEEN: [NOTHING, 0], 2: [1, 2]}
    both = tokens(seen=(0, 1))
    assert both.fibres == {UNSEEN: [NOTHING, 2], 0: [0], 2: [1], 3: [1]}
    between = {(x, y): both.between(x, y) for x, y in product((UNSEEN, 0, 2, 3), repeat=2)}
    far = {(0, 2): 1, (0, 3): 1, (2, 3): 2, (UNSEEN, 0): 2, (UNSEEN, 2): 1, (UNSEEN, 3): 1}
    assert between == far | {(y, x): n for (x, y), n in far.items()} | {(x, x): 0 for x in (UNSEEN, 0, 2, 3)}
    assert both.near[0] == [(0, 0), (2, 1), (3, 1), (UNSEEN, 2)]
    assert tokens(1, seen=(0, 1)).near[0] == [(0, 0), (2, 1), (3, 1)]
    assert [*both.places((0, 1, 2, NOTHING), (1,))] == [0, 3, UNSEEN, UNSEEN] and [*both.places((1,))] == [2]
    assert both.tokens((1,), 2, (0,), (1,)) == (UNSEEN, 0, 3) and both.tokens((1, 1), 1, ()) == (2, 2)
    assert {*both.moved((0, 2), 2)} == {
        (0, 2),
        (0, UNSEEN),
        (0, 0),
        (0, 3),
        (2, 2),
        (2, 0),
        (2, UNSEEN),
        (3, 2),
        (3, 0),
        (3, UNSEEN),
        (UNSEEN, 2),
    }
    assert {*both.after((0,))} == {(2,), (3,), (UNSEEN,)} and [*both.moved((), 0)] == [()]


@pytest.mark.parametrize(("steps", "alone", "beside"), [(1, 2, 2), (2, 2, 1), (3, 1, 1)])
def test_what_is_seen_is_so_many_groups_apart(steps: int, alone: int, beside: int) -> None:
    """On a path from a to d, of which the ends are seen: one record goes three steps, or, beside one that is not
    seen, each of two goes one."""
    path, seen = [(0, 1), (1, 2), (2, 3)], Seen(frozenset({0, 3}))

    def of_size(size: Any, ends: Any = ((0, NOTHING), (NOTHING, 3))) -> Pushed:
        return Pushed(made(*"abcd", size=size), seen, steps, Costs(path), Costs(ends))

    assert of_size(("exactly", 1)).far((0,), (3,)) == alone
    assert of_size(("exactly", 2)).far((0,), (3,), (1,)) == beside
    assert of_size(("exactly", 2)).least((0, 0), (6, 6)) == -(-4 // steps)
    assert of_size(("any", None), ()).far((0,), (3,)) is None


def test_steps_lead_on_from_where_one_leads() -> None:
    """By one way of two; and nowhere where more steps are needed at least."""

    def leads(least: Any, steps: int, after: Any = ((2,), (3,)), cost: Any = None) -> bool:
        asked: Any = of(least=lambda *_: least, between=lambda *_: cost, steps=2, after=lambda _: after)
        asked.leads = lambda w, v, n: (w, n) == ((3,), 2)
        return Pushed._leads(asked, (0,), (1,), steps)

    assert leads(1, 3) and leads(3, 3) and not leads(4, 3) and not leads(None, 3)
    assert not leads(1, 2) and not leads(1, 3, ((2,),)) and not leads(1, 1)
    assert leads(1, 2, (), 4) and not leads(1, 2, (), 5)
    with pytest.raises(NoCover, match="to too many"):
        [*Pushed.after(of(moved=lambda *_: [(0,)], steps=1, ways=pushed.MOST_WAYS), (0,))]  # type: ignore[arg-type]
