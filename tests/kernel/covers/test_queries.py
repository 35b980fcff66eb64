"""How far queries move and whether as far as they may, function by function, on small databases by hand."""

from __future__ import annotations

from itertools import combinations, product
from types import SimpleNamespace
from typing import Any

import pytest

from dpcompose.kernel.covers import queries
from dpcompose.kernel.covers.types import NoCover
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE, POSITIVE
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, letter, number, sqrt

of = SimpleNamespace
B, N = letter("b", POSITIVE), letter("n", NONNEGATIVE)
COMES, REPLACED = ((0, 1), (1, 0)), ((1, 1),)


class Theory:
    """Pages that a test says; `of` -- of a noise, a query."""

    def __init__(self, **pages: Any) -> None:
        self.pages = {name: of(id=name, head=head) for name, head in pages.items()}

    def page(self, name: str, _: str) -> Any:
        return self.pages[name]


def target(edits: Any = COMES, steps: int = 1, times: Any = None) -> Any:
    return of(edits=edits, steps=steps, times=times)


def query(**known: Any) -> Any:
    """A page of a query."""
    plain = {"one": False, "sized": False, "at_least": None, "only": "", "whether": False, "entries": ()}
    return of(**plain | {"moves": {"L1": "b*(removed + added)"}, "attained": True} | known)


def asks(n: Any = None, least: Any = None, **values: Any) -> Any:
    noise = of(page="noise", query=of(page="query", n=n, least=least, values=tuple(values.items())))
    return of(name="M", noise=noise, reads=(None,), table=None)


def metric(mechanism: Any = None, norm: str = "L1", **page: Any) -> Any:
    mechanism = asks(b=B) if mechanism is None else mechanism
    return queries.query_metric(mechanism, Theory(noise=of(norm=norm), query=query(**page)))


def test_how_far_a_query_moves() -> None:
    found = metric(entries=("b*removed", "b*added", "0"), whether=True)
    assert found.pages == ("query", "noise") and found.discrete
    table = {(p, q): found.at(p, q) for p, q in product(range(3), repeat=2)}
    assert table == {(p, q): terms.add([(p + q) * B]) for p, q in table}
    assert found.entries(2, 1) == (2 * B, B) and found.entries(0, 1) == (B,)
    assert metric().entries(1, 1) == (2 * B,) and metric().entries(0, 0) == ()


@pytest.mark.parametrize(
    ("page", "mechanism", "words"),
    [
        ({"moves": {"L1": "removed"}}, None, "another amount"),
        ({"moves": {"L1": "1 - removed - added"}}, None, "negative"),
        ({"moves": {"L2": "b"}}, None, "norm L1"),
        ({"only": "1 - removed - added"}, None, "says how far"),
        ({"one": True}, asks(n=2, b=B), "about one record"),
        ({"one": True}, asks(b=B), "about one record"),
        ({"sized": True}, asks(b=B), "known number"),
        ({"sized": True, "at_least": query()}, asks(b=B), "known number"),
        ({}, asks(b=INFINITY), "finite"),
        ({}, asks(b=INFINITY, c=B), "finite"),
        ({"moves": {"L1": "b*n"}}, asks(n=4, b=B), "n"),
        ({}, of(name="M", noise=None), "asks for no records"),
        ({}, of(name="M", noise=of(query=None)), "asks for no records"),
        *(({}, asks(**{"b": B, name: ONE}), "none is called") for name in ("removed", "added")),
    ],
)
def test_what_does_not_move_so_is_refused(page: Any, mechanism: Any, words: str) -> None:
    with pytest.raises(NoCover, match=words):
        metric(mechanism, **page).at(2, 0)


def test_how_far_it_moves_may_depend_on_how_many_records_there_are() -> None:
    """Of n records; of at least so many: 1 at least, whatever the letter says."""
    moves = {"moves": {"L1": "b*(removed + added)/n"}, "sized": True}
    assert metric(asks(n=4, b=B), **moves).at(1, 1) == B / 2
    least = {"at_least": query(moves={"L1": "b*(removed + added)/n"}, only="n - removed"), "sized": True}
    assert metric(asks(least=4, b=B), **least).at(2, 0) == B / 2
    with pytest.raises(NoCover, match="n - removed >= 0"):
        metric(asks(least=4, b=B), **least).at(5, 0)
    free = {"at_least": query(moves=moves["moves"]), "sized": True}
    assert metric(asks(least=B, b=ONE), **free).at(1, 0) == 1 / B
    assert metric(asks(least=N, b=ONE), **free).at(1, 0) == 1 / terms.largest(ONE, N)
    assert metric(asks(n=1, b=B), one=True).at(1, 0) == B


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("b*(removed + added)", lambda p, q: B * (p + q)),
        ("max(2*removed + added, removed + 2*added)", lambda p, q: terms.largest(2 * p + q, p + 2 * q)),
        ("max(removed, added)", terms.largest),
        ("sqrt(removed**2 + added**2)", lambda p, q: sqrt(p * p + q * q)),
        ("removed", None),
        ("removed + added + 1", None),
        ("removed*added", None),
        ("min(removed, added)", None),
        ("sqrt(removed + added)", None),
        ("max(removed + added, 1)", None),
        ("sqrt(removed**2 + added**2 + 1)", None),
    ],
)
def test_in_any_number_of_rows_distances_are_convex_and_0_at_0(text: str, there: Any) -> None:
    theory: Any = Theory(noise=of(norm="L1"), query=query(moves={"L1": text}))
    if there is None:
        with pytest.raises(NoCover):
            queries.query_in_rows(asks(b=B), theory)
    else:
        pages, at = queries.query_in_rows(asks(b=B), theory)
        assert pages == ("query", "noise") and at(number(3), N) == there(number(3), N)
    only: Any = Theory(noise=of(norm="L1"), query=query(moves={"L1": text}, only="removed"))
    with pytest.raises(NoCover, match="says nothing"):
        queries.query_in_rows(asks(b=B), only)


@pytest.mark.parametrize("wanted", [0, 1, 2])
@pytest.mark.parametrize("least", [0, 1, 2, 3])
def test_of_at_least_some_records_no_more_are_shared_than_have_to_be(wanted: int, least: int) -> None:
    """x and y are sets of a, b, c: both have `least` records at least, and 1, and share `wanted`."""
    some = [names for n in range(4) for names in combinations("abc", n)]
    databases = of(atoms=[of(records=(name,)) for name in "abcz"])
    theory: Any = Theory(query=query(sized=True, at_least=of(shared=wanted)))
    made = asks(least=least)
    setting: Any = of(mechanisms=[None, made], databases=databases)
    for x, y in product(some, repeat=2):
        shared, fewest = len({*x} & {*y}), min(len(x), len(y))
        one_alone = fewest == 0 == wanted and len(x) + len(y) == 1
        needed = max(wanted, max(1, least) - (fewest - shared))
        made.reads = ((0, 1, 2),)
        reached = queries.value_is_reached(2, of(pair=(x, y)), setting, theory)  # type: ignore[arg-type]
        assert reached is (one_alone or shared == needed)
        more = of(pair=((*x, "z"), (*y, "z")))  # what is not read does not count
        assert queries.value_is_reached(2, more, setting, theory) is reached  # type: ignore[arg-type]
        made.reads = (None,)
        if not wanted and not one_alone and fewest and reached:
            assert queries.value_is_reached(2, more, setting, theory) is False  # type: ignore[arg-type]
    made.reads = (None, None)
    assert not queries.value_is_reached(2, of(pair=(("a",), ())), setting, theory)  # type: ignore[arg-type]


def test_of_a_letter_of_records_there_are_enough() -> None:
    """The smaller one has n > 0 records; shared or not."""
    n = letter("n", POSITIVE)

    def reached(
        least: Any, wanted: int, reads: Any = (None,), pair: Any = (("a",), ("b",)), **head: Any
    ) -> bool:
        made = asks(least=least)
        made.reads = reads
        setting: Any = of(mechanisms=[made], databases=of(atoms=[of(records=("a", "b", "c"))]))
        theory: Any = Theory(query=query(**{"sized": True, "at_least": of(shared=wanted)} | head))
        return queries.value_is_reached(1, of(pair=pair), setting, theory)  # type: ignore[arg-type]

    assert reached(n, 0) and reached(n + 2, 1) and not reached(n, 1) and not reached(n + 1, 2)
    assert reached(n, 1, pair=((), ("b",))) is False and reached(n + 1, 1, pair=((), ("b",)))
    assert reached(n + 2, 1, pair=(("a", "c"), ("a", "b"))) and not reached(
        n + 1, 1, pair=(("a", "c"), ("a", "b"))
    )
    assert not reached(N, 0) and not reached(n, 0, ((0,),)) and not reached(None, 0)
    assert not reached(n, 0, pair=()) and not reached(n, 0, pair=(1, 2)) and not reached(n, 0, at_least=None)
    assert not reached(n, 0, attained=False) and reached(None, 0, sized=False)
    for noise in (None, of(query=None)):
        assert queries.value_is_reached(1, of(), of(mechanisms=[of(noise=noise)]), Theory())  # type: ignore[arg-type]


def by(page: str, lower: Any = 0, upper: Any = 1, **known: Any) -> Any:
    letters = {"l": terms.as_term(lower), "u": terms.as_term(upper)}
    return of(
        **{"noise": of(page=page, letters=letters), "reads": ((0,),), "table": None, "count": None} | known
    )


PAGES: Any = Theory(
    keys=of(norm="records"), other=of(norm="L1"), answers=of(norm="answers"), more=of(norm="answers")
)
WITHOUT = by("other", noise=None)


def moving(*which: Any, pair: Any = (("a",), ()), entries: Any = ()) -> Any:
    return of(moves=tuple((i, ((many, ONE),)) for i, many in which), entries=entries, pair=pair)


def told(ask: Any, mechanisms: Any, type: Any, edits: Any = COMES, **more: Any) -> bool:
    """Beside one without noise, which moves nothing."""
    setting = of(mechanisms=[*mechanisms, WITHOUT], target=target(edits, **more))
    return bool(ask(1, type, setting, PAGES))


def test_on_which_side_somebody_is_of_those_who_are_counted_by_keys() -> None:
    ask = queries.sides_are_told
    keys, other = by("keys"), by("other")
    assert told(ask, [other], moving((1, 1), pair=((), ()))) and told(ask, [WITHOUT], moving())
    both, swapped = (("a",), ("a", "b")), (("a",), ("b",))
    for pair, one_side in ((both, True), (both[::-1], True), (swapped, False)):
        assert told(ask, [keys, keys], moving((1, 1), (2, 1), pair=pair)) is one_side
        for more in ({"edits": REPLACED}, {"steps": 2}, {"times": ONE}, {"edits": (*COMES, (1, 1))}):
            assert not told(ask, [keys, keys], moving((1, 1), (2, 1), pair=pair), **more)
            assert told(ask, [keys, other], moving((1, 1), (2, 1), pair=pair), **more)
            assert told(ask, [keys, WITHOUT], moving((1, 0), (2, 1), pair=pair), **more)
            assert not told(ask, [keys], moving((1, 2), pair=pair), **more)
            assert not told(ask, [by("keys", count=N)], moving((1, 0), pair=pair), **more)
    two = ((1, (ONE, ONE)),)  # one goes and another one comes
    assert told(ask, [keys, keys], moving((1, 1), (2, 1), entries=two), edits=REPLACED)
    assert told(ask, [keys, keys], moving((1, 2), entries=two), edits=REPLACED)
    assert not told(ask, [keys, keys], moving((1, 1), (2, 1), entries=((1, (ONE,)),)), edits=REPLACED)
    assert told(ask, [keys], moving(), edits=REPLACED)


def test_who_answers_until_sums_are_large_loses_most_in_one_order() -> None:
    """From l to u; where l = −u in either order, and so does who reads everything, where records are replaced."""
    ask = queries.answers_are_told
    one, even, other = by("answers"), by("answers", -1), by("other")
    whole = by("answers", reads=(None,))
    for alone in (other, even, WITHOUT):
        assert told(ask, [alone, one, one], moving((1, 1), (2, 1), (3, 1)), edits=REPLACED)
    swapped = (("a",), ("b",))
    for pair, edits in product(((("a",), ("a", "b")), (("a",), ()), swapped), (COMES, REPLACED)):
        side, there = pair != swapped, {"edits": edits}
        together = side and edits == COMES
        assert told(ask, [one], moving((1, 1), pair=pair), **there)
        assert told(ask, [one, other, even], moving((1, 1), (2, 1), (3, 1), pair=pair), **there)
        assert told(ask, [one, by("more")], moving((1, 1), (2, 1), pair=pair), **there) is together
        assert not told(ask, [one, by("answers", 0, 2)], moving((1, 1), (2, 1), pair=pair), **there)
        assert told(ask, [one], moving((1, 2), pair=pair), **there) is together
        assert told(ask, [whole, one], moving((1, 1), (2, 1), pair=pair), **there) is (together or not side)
        assert told(ask, [one, whole], moving((1, 1), (2, 1), pair=pair), **there) is (together or not side)
        table = by("other", noise=None, table=1)
        assert not told(ask, [one, table], moving((1, 1), (2, 1), pair=pair), **there)
        assert told(ask, [one, table], moving((1, 1), pair=pair), **there)
    assert not told(ask, [one, one], moving((1, 1), (2, 1)), steps=2)
    assert not told(ask, [one, one], moving((1, 1), (2, 1), pair=(1, 2)))  # of listed databases, by numbers


def test_one_mechanism_or_one_member_is_one() -> None:
    setting: Any = of(mechanisms=[of(count=None), of(count=N)])
    said = {(i, many): queries._is_one([(i, many)], setting) for i in (1, 2) for many in (0, 1, 2)}
    assert [key for key, one in said.items() if one] == [(1, 0), (1, 1), (2, 1)]
    assert not queries._is_one([], setting) and not queries._is_one([(1, 1), (1, 1)], setting)


def test_as_many_more_records_as_one_likes() -> None:
    def more(size: Any = None, of_multisets: bool = True, *made: Any) -> bool:
        databases = of(of_multisets=of_multisets, size=("any", size))
        theory: Any = Theory(query=query(sized=True))
        return queries.has_more_records(of(databases=databases, mechanisms=made), theory)  # type: ignore[arg-type]

    assert more() and not more(3) and not more(None, False)
    assert more(None, True, asks(n=3)) and not more(None, True, asks(n=3), asks(least=3))


def test_lost_there_is_what_is_reached_and_on_a_known_side(monkeypatch: pytest.MonkeyPatch) -> None:
    anything: Any = None
    for reached, sides in product((True, False), repeat=2):
        monkeypatch.setattr(queries, "value_is_reached", lambda *_, it=reached: it)
        monkeypatch.setattr(queries, "sides_are_told", lambda *_, it=sides: it)
        assert queries.is_lost_there(1, anything, anything, anything) is (reached and sides)
    assert (
        queries.is_at_least_zero(ZERO) and queries.is_at_least_zero(N) and not queries.is_at_least_zero(N - 1)
    )
