"""What witnesses lose, function by function, by hand: of which mechanism, at which step, and when it is not known."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

from dpcompose.front.studies.study import Study
from dpcompose.kernel.composition import witnesses
from dpcompose.kernel.composition.losses import NoLoss
from dpcompose.kernel.composition.witnesses import Witnesses
from dpcompose.kernel.core.assumptions import Assumption
from dpcompose.kernel.core.orders import Curve, Orders
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, letter, number
from dpcompose.privacy import problems

of = SimpleNamespace
HALF = number(Fraction(1, 2))
Z = letter("z", NONNEGATIVE)
D, D_I, TAU, TAU_I, K = map(letter, ("d", "d[i]", "t", "t[i]", "k"))


def mechanism(**known: Any) -> Any:
    nothing = dict.fromkeys(("noise", "table", "sampled", "count", "metric", "study"))
    return of(name="M", **nothing | known)


def loss(notion: str = "own", unlimited: bool = False, curve: Any = None, **values: Any) -> Any:
    return of(notion=notion, unlimited=unlimited, curve=curve, values=tuple(values.items()))


def about(*mechanisms: Any, moves: Any = (), losses: Any = (), unlimited: Any = (), **more: Any) -> Any:
    """What a method of witnesses may ask: anything else would be an error."""
    made = of(
        **{
            "setting": of(mechanisms=mechanisms, distances=(), assumed=None),
            "type": of(unlimited=unlimited, lost=(), entries=(), choices=()),
            "_mechanism": lambda i: mechanisms[i - 1],
            "losses": losses,
            "moves": moves,
        }
        | more
    )
    made._is_stated = lambda i: Witnesses._is_stated(made, i)
    made._last_order = lambda i: Witnesses._last_order(made, i)
    return made


def head(**known: Any) -> Any:
    return of(head=of(**known), id="page")


ONCE = ((1, ONE),)
TAIL = {"page": head(notion="own", distance="1 - (1 - tau)**r", by="tail"), "_is_between": lambda i: False}


def test_of_a_family_with_heavy_tails_the_largest_counts() -> None:
    """1 − (1 − τ)^r of one of them: never of two at once; of members that are alike just that."""

    def tail(value: Any, count: Any, r: Any = ONE) -> Any:
        made = mechanism(count=count)
        losses = [loss(tau=value), loss(tau=ONE)]
        return Witnesses._tail(about(made, moves=((1, ((1, r),)),), losses=losses, **TAIL))

    assert tail(TAU, None) == tail(TAU, K) == TAU
    assert tail(TAU_I, K) == terms.over(1, TAU_I, K)
    assert tail(TAU * TAU_I, K) == terms.over(1, TAU * TAU_I, K)
    assert tail(HALF, None, number(2)) == number(Fraction(3, 4))
    assert Witnesses._tail(about()) == ZERO
    both = about(
        *(mechanism(), mechanism(count=K)),
        moves=((1, ONCE), (2, ONCE)),
        losses=[loss(tau=HALF), loss(tau=number(Fraction(1, 3)))],
        **TAIL,
    )
    assert Witnesses._tail(both) == terms.top(1, [HALF, number(Fraction(1, 3))])


def up_to(orders: str) -> Any:
    """D_α ≤ xα at some orders."""
    known = Orders.read(orders)
    return Curve(known, letter("x", NONNEGATIVE) * known.order)


@pytest.mark.parametrize(
    ("orders", "r", "tail"),
    [
        ("(1, 8]", ONE, Fraction(1, 8)),
        ("(1, 8)", ONE, Fraction(1, 8)),
        ("[2, 8]", number(2), Fraction(15, 64)),  # 1 - (7/8)^2
        ("4", number(2), Fraction(7, 16)),
        ("(1, oo)", ONE, None),
    ],
)
def test_a_guarantee_that_ends_at_an_order_allows_a_tail_beyond(orders: str, r: Any, tail: Any) -> None:
    """Of another notion by what its page says in the order at which it ends; not where there is no end."""

    def asked(made: Any, **said: Any) -> Any:
        page = head(tail="1 - (1 - 1/omega)**r", **said)
        theory = of(page=lambda name, kind: page if (name, kind) == ("p", "violation") else None)
        lost = [loss("renyi", curve=up_to(orders))]
        known = {"theory": theory, "_page": lambda i: "p"} | TAIL
        return Witnesses._tail(about(made, moves=((1, ((1, r),)),), losses=lost, **known))

    if tail is None:
        with pytest.raises(NoLoss, match="no page says at which orders"):
            asked(mechanism())
        return
    assert asked(mechanism()) == number(tail)
    for other in (mechanism(noise=1), mechanism(table=1), mechanism(sampled=1)):
        with pytest.raises(NoLoss, match="no page says at which orders"):
            asked(other)


def test_where_a_guarantee_ends_its_page_may_say_more_is_lost() -> None:
    """The page's `ended`, where orders have an end, and there is no database between two."""

    def lost(orders: str, ended: Any, between: bool = False, **known: Any) -> Any:
        page = head(loss="r*epsilon", ended=ended, in_a_metric=None)
        asked = about(
            mechanism(**known),
            losses=[loss("renyi", curve=up_to(orders))],
            page=head(notion="zcdp"),
            theory=of(page=lambda *_: page, rule=lambda _: head(ordered=False)),
            setting=of(orders=None),
            _page=lambda i: "p",
            _is_between=lambda i: between,
        )
        return Witnesses._violating(asked, 1, number(2), {"epsilon": D})

    assert lost("(1, 8]", "oo") == lost("2", "oo") == INFINITY
    assert lost("(1, oo)", "oo") == lost("2", None) == lost("2", "oo", sampled=1) == 2 * D
    with pytest.raises(NoLoss, match="stated in a metric"):
        lost("2", "oo", between=True)


@pytest.mark.parametrize(
    "other",
    [
        {"made": mechanism(noise=1)},
        {"made": mechanism(table=1)},
        {"lost": loss("other", tau=HALF)},
        {"r": HALF},
        {"unlimited": {1}},
        {"_is_between": lambda i: i == 1},
    ],
)
def test_tails_are_those_of_guarantees_at_whole_steps(other: dict[str, Any]) -> None:
    known = {"made": mechanism(), "lost": loss(tau=HALF), "r": ONE, "unlimited": ()} | TAIL | other
    made, lost, r = (known.pop(name) for name in ("made", "lost", "r"))
    with pytest.raises(NoLoss):
        Witnesses._tail(about(made, moves=((1, ((1, r),)),), losses=[lost], **known))


@pytest.mark.parametrize(
    ("i", "moves", "alone"),
    [
        (1, ONCE, False),  # of the page's notion
        (2, ONCE, True),  # of another one, of which it is not said how it adds up
        (3, ONCE, False),  # of one that adds up
        (4, ONCE, False),  # noise
        (5, ONCE, False),  # a table
        (6, ONCE, False),  # of which nothing is promised
    ],
)
def test_who_loses_alone(i: int, moves: Any, alone: bool) -> None:
    pages = {"alone": head(alone=True), "adds": head(alone=False)}
    made = [mechanism()] * 3 + [mechanism(noise=1), mechanism(table=1), mechanism()]
    asked = about(
        *made,
        losses=[loss(notion) for notion in ("own", "alone", "adds", "alone", "alone", "alone")],
        page=head(notion="own"),
        theory=of(page=lambda name, _: pages[name]),
        _page=lambda i: asked.losses[i - 1].notion,
        _is_free=lambda i: i == 6,
    )
    assert Witnesses._is_alone(asked, i) is alone


def test_what_one_loses_alone_does_not_add_up() -> None:
    def lost(i: int, r: Any, forth: bool) -> Any:
        assert (i, r) == (1, HALF)
        return D_I

    def of_one(*made: Any, moves: Any = ((1, ((1, HALF),)),), value: Any = lost) -> Any:
        return Witnesses._of_one(about(*made, moves=moves, _alone=value))

    assert of_one(mechanism()) == D_I and of_one(mechanism(count=K)) == terms.over(1, D_I, K)
    assert of_one(mechanism(count=K), value=lambda *_: INFINITY) == INFINITY
    with pytest.raises(NoLoss, match="add up"):
        of_one(mechanism(), mechanism(), moves=((1, ONCE), (2, ONCE)))


def test_infinite_is_what_nothing_is_promised_of() -> None:
    """Of four mechanisms, of which the last three are known by something else, and one whose guarantee says nothing."""
    made = [mechanism(), mechanism(noise=1), mechanism(table=1), mechanism(sampled=1), mechanism()]
    losses = [loss(unlimited=n == 4) for n in range(5)]
    for unlimited in (frozenset[int](), frozenset({1})):
        asked = about(*made, losses=losses, unlimited=unlimited)
        infinite = [[Witnesses._is_infinite(asked, i, r) for i in range(1, 6)] for r in (ONE, INFINITY)]
        assert infinite == [[False] * 4 + [True], [not unlimited, False, False, False, True]]
    moves = ((1, ((1, ONE), (1, INFINITY))), (2, ((1, INFINITY),)))
    asked = about(moves=moves, _is_infinite=lambda i, r: r == INFINITY)
    assert [Witnesses._is_free(asked, i) for i in (1, 2)] == [False, True]


def test_infinity_is_lost_where_some_distance_is_above_0() -> None:
    """By either order of the two databases; everywhere where a distance is ∞, or a table says so."""
    x, y = letter("x"), letter("y")

    def positive(forth: Any, back: Any, r: Any = ONE, distances: Any = (1,), **known: Any) -> Any:
        asked = about(
            mechanism(**known),
            mechanism(),
            setting=of(distances=distances),
            type=of(lost=((2, y, ()),)),
            moves=((1, ((1, r),)), (2, ((1, x),))),
            _alone=lambda i, r, way: (forth if way else back) if i == 1 else INFINITY,
        )
        return Witnesses.positive(asked)

    assert positive(ONE, ONE) == (y,)
    assert positive(INFINITY, ONE, x) == positive(ONE, INFINITY, x) == (x, y)
    assert positive(INFINITY, ONE, INFINITY) == positive(ONE, INFINITY, x, table=1) == ()
    assert positive(INFINITY, INFINITY, x, ()) == ()


@pytest.mark.parametrize(("scores", "sum_"), [(True, 5), (False, 3)])
def test_a_divergence_is_that_of_scores_or_of_all_entries(
    scores: bool, sum_: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Entries that move by 1 and 2; scores by 5."""
    monkeypatch.setattr(witnesses.noises, "fit", lambda *_: "fit")
    monkeypatch.setattr(
        witnesses.noises, "value", lambda law, fit, text, known: known["r"] if text == "r" else D
    )
    law = of(entries="scores" if scores else "values", letters=(), divergences={"q": "r"}, divergence="other")
    noise = of(page="law", parameter=D, letters={}, query=of(page="q"))
    asked = about(
        mechanism(noise=noise),
        type=of(entries=((1, (ONE, number(2))), (2, (D,)))),
        theory=of(page=lambda *_: of(head=law)),
    )
    assert Witnesses._divergence(asked, 1, number(5)) == number(sum_)
    noise.query = None
    assert Witnesses._divergence(asked, 1, number(5)) == (D if scores else 2 * D)


def event(
    patch: pytest.MonkeyPatch, *moves: Any, limit: Any = 1, head: Any = (None, None), **pages: Any
) -> Any:
    """What is known of events: of each mechanism i that moves i/8, r times, and all of these."""

    class Of:
        pages = frozenset({"closer"})

        def __init__(self, *_: Any) -> None:
            self.page = pages.get

        def moved(self, type: Any) -> Any:
            return [of(loss=i, steps=int(r.number), count=number(n)) for i, m in type.moves for n, r in m]

        def after_steps(self, i: int, r: int) -> Any:
            return (number(Fraction(i * r, 8)), number(2))

        def together(self, values: Any) -> Any:
            return values

    patch.setattr(witnesses, "Closer", Of)
    patch.setattr(witnesses, "Composition", lambda *_: None)
    patch.setattr(witnesses, "Type", lambda moves, *_: of(moves=moves))
    asked = about(
        moves=moves,
        page=of(head=of(shows="delta", steps=head[0], steps_by=head[1]), id="page"),
        theory=None,
        type=of(unlimited=(), pair=()),
        _limit=limit,
        _single_steps=lambda: all(r == ONE for _, m in moves for _, r in m),
        _one_event=lambda: D,
    )
    return Witnesses._event(asked)


def test_one_event_is_that_of_one_member_at_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    eighth, two, page = number(Fraction(1, 8)), number(2), of(id="by")
    both, twice, further = ((1, ONCE), (2, ONCE)), ((1, ((2, ONE),)),), ((1, ((1, two),)),)
    assert event(monkeypatch, (1, ONCE)) == (D, frozenset())
    assert event(monkeypatch, *further)[0] == [(2 * eighth, ONE)]
    assert event(monkeypatch, *both, mechanisms=page) == ([(eighth, ONE), (2 * eighth, ONE)], {"closer"})
    assert event(monkeypatch, *twice, mechanisms=page)[0] == [(eighth, two)]
    assert event(monkeypatch)[0] == ZERO
    for moves in (both, twice):
        with pytest.raises(NoLoss, match="one input"):
            event(monkeypatch, *moves)


def test_events_are_known_up_to_a_distance_and_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    far, lost = (1, ((1, number(3)),)), [(number(Fraction(3, 8)), ONE)]
    assert event(monkeypatch, far, head=(3, "by"))[0] == lost
    assert event(monkeypatch, far, head=(2, "by"), steps=of(id="by"))[0] == lost
    for pages in ({}, {"steps": of(id="other")}):
        with pytest.raises(NoLoss, match="up to distance 2"):
            event(monkeypatch, far, head=(2, "by"), **pages)
    for limit in (None, 0):
        with pytest.raises(NoLoss, match="may be above"):
            event(monkeypatch, far, limit=limit)


@pytest.mark.parametrize("by", ["noise", "ratio"])
@pytest.mark.parametrize(("own", "noisy"), list(product((True, False), repeat=2)))
def test_squares_add_up_of_what_is_the_pages_own_distance(by: str, own: bool, noisy: bool) -> None:
    asked = about(
        mechanism(),
        page=head(by=by),
        setting=of(order=K),
        _is_infinite=lambda i, r: r == INFINITY,
        _alone=lambda i, r, forth: r if forth else 2 * r,
        _is_own=lambda i: own,
        _is_ordered=noisy,
    )
    square = by == "noise" and own
    assert Witnesses.summand(asked, 1, INFINITY) == INFINITY
    assert Witnesses.summand(asked, 1, D) == (D if not square else D * D * K if noisy else D * D)
    assert Witnesses.summand(asked, 1, D, False) == (
        2 * D if not square else terms.add([4 * D * D * (K if noisy else ONE)])
    )


@pytest.mark.parametrize(
    ("noise", "notion", "by_divergence", "ordered", "own"),
    [
        (1, "other", False, False, True),
        (1, "own", True, False, False),
        (1, "own", False, True, False),
        (None, "own", True, True, True),
        (None, "other", False, False, False),
    ],
)
def test_whose_distance_is_the_pages_own(
    noise: Any, notion: str, by_divergence: bool, ordered: bool, own: bool
) -> None:
    asked = about(
        mechanism(),
        mechanism(noise=noise),
        losses=[loss("third"), loss(notion)],
        page=head(notion="own"),
        is_by_divergence=lambda i: by_divergence,
        _is_ordered=ordered,
    )
    assert Witnesses._is_own(asked, 2) is own


@pytest.mark.parametrize(
    "other", [{}, {"noise": 1}, {"table": 1}, {"free": True}, {"own": True}, {"says": True}]
)
def test_who_is_known_by_another_notion(other: dict[str, Any]) -> None:
    made = mechanism(**{key: value for key, value in other.items() if key in ("noise", "table")})
    lost = loss("own" if "own" in other else "other", unlimited="says" in other)
    asked = about(
        mechanism(),
        made,
        losses=[loss("own"), lost],
        page=head(notion="own"),
        _is_free=lambda i: "free" in other,
    )
    assert Witnesses._is_violating(asked, 2) is (not other)


def test_what_a_page_asks_to_be_above_0_is_assumed_or_refused() -> None:
    """Of members of a family only what is above 0 for all of them."""

    def asked(by: str, value: Any, violating: bool = True, distances: Any = (), **known: Any) -> Any:
        return about(
            mechanism(**known),
            losses=[loss("other", rho=value), loss("other", rho=ONE)],
            page=head(by=by, positive="rho", notion="own"),
            setting=of(distances=distances),
            theory=of(page=lambda *_: head(positive="2*rho")),
            _is_violating=lambda i: violating,
            _page=lambda i: "violation",
            _letters=lambda loss: dict(loss.values),
        )

    of_one = Witnesses._asked_above_zero
    assert of_one(asked("tail", D, False), 1) == D and of_one(asked("noise", D), 1) == 2 * D
    assert of_one(asked("tail", D), 1) == 2 * D and of_one(asked("tail", D, True, (1,)), 1) == D
    assert of_one(asked("noise", D, False), 1) is None and of_one(asked("noise", ZERO, True, (1,)), 1) is None
    assert of_one(asked("tail", ONE, False, count=K), 1) == ONE
    for some in (
        asked("tail", ZERO, False),
        asked("noise", ZERO),
        asked("tail", Z, False, count=K),
        asked("noise", Z, count=K),
    ):
        with pytest.raises(NoLoss, match="may be 0"):
            of_one(some, 1)
    where = about(
        moves=((1, ONCE), (2, ONCE), (3, ONCE), (4, ONCE)),
        page=head(by="tail"),
        _asked_above_zero=lambda i: (None, ONE, Z, Z)[i - 1],
    )
    assert Witnesses.where(where) == (Assumption(Z, ">", ZERO),)


def test_what_moves_without_a_limit_loses_without_one() -> None:
    """Where it is seen to lose anything, which 0 is not."""

    def shown(value: Any, unlimited: Any = (2,)) -> Any:
        asked = about(
            mechanism(),
            mechanism(),
            setting=of(assumed=()),
            moves=((1, ONCE), (2, ONCE)),
            unlimited=unlimited,
            _alone=lambda i, r, forth: value if (i, r) == (2, ONE) else ZERO,
        )
        return Witnesses._without_limit(asked)

    assert shown(ONE).deciders == frozenset() and shown(ZERO, ()) is None
    assert shown(terms.exp(D)).deciders <= {"ranges"}
    for value in (ZERO, Z):
        with pytest.raises(NoLoss, match="may be 0"):
            shown(value)


@pytest.mark.parametrize(
    ("query", "size", "claimed", "verdict"),
    [
        ('"count"', "any", "m*e + exp(-m*e) - 1", "proved"),
        ('"count"', "any", "e + exp(-e) - 1", "refuted"),
        # one row fits: it moves the sum by 2, which costs 2e + exp(-2e) - 1, and not 4(e + exp(-e) - 1)
        ('{ sum = ["0", "2"] }', "<= 1", "2*e", "undecided"),
    ],
)
def test_the_divergence_of_noise_is_no_square_of_the_distance(
    query: str, size: str, claimed: str, verdict: str
) -> None:
    file = problems.read_text(
        f"""
        format = 1
        [parameters]
        m = "integer >= 1"
        [databases]
        kind = "multisets"
        size = "{size}"
        [target]
        granularity = {{ contribution = {{ parts = "1", rows = "m" }} }}
        [[mechanisms]]
        name = "M"
        reads = {{ records = ["a1", "a2"] }}
        query = {query}
        noise = {{ laplace = "1/e" }}
        [[claims]]
        notion = "zcdp"
        rho = "{claimed}"
        """
    )
    assert Study(file.setting).check(file.claims[0]).verdict == verdict
