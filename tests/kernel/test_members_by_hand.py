"""What curves are made of, by hand: members one by one, what loses without a limit, and claims with numbers."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from dpcompose.kernel import comparison, computed
from dpcompose.kernel.composition.losses import Loss, NoLoss
from dpcompose.kernel.computed import Curves
from dpcompose.kernel.covers.types import Type
from dpcompose.kernel.deciders.curves.curves import Part
from dpcompose.kernel.deciders.curves.keys import Keyed
from dpcompose.kernel.deciders.curves.tails import Normal
from dpcompose.kernel.deciders.curves.tradeoffs import Together
from dpcompose.kernel.expressions.certificates import BadCertificate
from dpcompose.kernel.expressions.domains import REAL
from dpcompose.kernel.expressions.terms import HALF, INFINITY, ONE, ZERO, Term, letter, number
from dpcompose.kernel.judgements import Covers, Loses, Lower
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import NoPage
from dpcompose.kernel.rules import metrics as rules_of_metrics
from dpcompose.kernel.rules import refutations

F = Fraction
of: Any = SimpleNamespace
MEMBER = letter("e[i]")
PURE = {"epsilon": "epsilon", "delta": "0"}


def test_members_that_move_come_one_after_the_other() -> None:
    five = of(name="M", count=letter("k"))
    at = {"k": F(5)}
    assert computed._those(of(count=None), 3, 1, {}) == range(1, 2)
    assert computed._those(five, 0, 0, at) == range(1, 6)
    assert computed._those(five, 2, 0, at) == range(1, 3) and computed._those(five, 2, 3, at) == range(4, 6)
    for many, before in ((2, 4), (6, 0)):
        with pytest.raises(NoLoss, match="M has 5 members at the point"):
            computed._those(five, many, before, at)
    values = {"e[1]": F(2), "e[2]": F(3), "f[2]": F(5), "x": F(1)}
    assert computed.of_member(values, 2) == {"e[i]": 3, "f[i]": 5} and computed.of_member(values, 3) == {}


def members(known: dict[str, Term], those: range, at: dict[str, Fraction], **more: Any) -> list[Any]:
    arguments = {"rate": None, "own": None, "distances": (ONE,), **more}
    asked = [(arguments.pop("texts", PURE), known)]
    found = computed._of_members(asked, those=those, at=at, **arguments)
    return [(alike, piece) for _, alike, piece in found]


def test_members_are_gone_through_one_by_one_where_they_differ() -> None:
    at = {"e[1]": F(1), "e[2]": F(2), "e[3]": F(3)}
    assert members({"epsilon": MEMBER}, range(2, 4), at) == [
        (range(2, 3), Part(number(2), ZERO)),
        (range(3, 4), Part(number(3), ZERO)),
    ]
    assert members({"epsilon": ONE}, range(2, 4), at) == [(range(2, 4), Part(ONE, ZERO))]
    entries = members({"mu": ONE}, range(1, 2), {}, texts={"square": "(mu*r)**2"}, distances=(ONE, number(3)))
    assert entries == [(range(1, 2), Normal(ONE)), (range(1, 2), Normal(number(9)))]
    half = number(HALF)
    sampled = members({"epsilon": ONE}, range(1, 2), {}, rate=half, own=(1, 0))
    assert sampled == [(range(1, 2), Together(((ONE, ZERO),), rate=half, own=(1, 0)))]
    keys = {"square": "s", "keys": "2", "apart": "0"}
    back = members({"s": ONE}, range(1, 2), {}, texts=keys, distances=(ONE, ONE))
    assert [piece for _, piece in back] == [Keyed(ONE, 2, ZERO), Keyed(ONE, 2, ZERO, back=True)]
    many = range(1, computed.MOST_MEMBERS + 2)
    assert len(members({"epsilon": ONE}, many, {})) == 1
    with pytest.raises(NoLoss, match="not gone through one by one"):
        members({"epsilon": MEMBER}, many, {})


def test_what_loses_more_and_more() -> None:
    without = computed._loses_without_limit
    assert without([{"epsilon": ONE, "delta": ZERO}]) and without([{"epsilon": INFINITY}])
    assert not without([{"epsilon": ZERO, "delta": ZERO}]) and not without([{"epsilon": ONE}, {"rho": ZERO}])
    for known in ({"epsilon": letter("e")}, {"epsilon": number(-1)}):
        with pytest.raises(NoLoss, match="not seen to be above 0"):
            without([known])


def test_claims_with_numbers() -> None:
    assert computed._numbers((("delta", ONE), ("epsilon", ZERO))) == (ZERO, ONE)
    for claim in (
        (("epsilon", ONE),),
        (("epsilon", letter("e")), ("delta", ZERO)),
        (("epsilon", ONE), ("delta", letter("d"))),
    ):
        with pytest.raises(NoLoss, match="only claims with numbers"):
            computed._numbers(claim)


def test_each_mechanism_has_one_loss_in_order() -> None:
    setting: Any = of(mechanisms=[None, None])

    def all_of(*numbers: int) -> Curves:
        stated: Any = [of(loss=of(mechanism=i)) for i in numbers]
        return Curves.of_all("approximate", stated, setting, of())  # type: ignore[arg-type]

    assert [loss.mechanism for loss in all_of(1, 2).losses] == [1, 2]
    for numbers in ((1,), (2, 1), (1, 2, 3), (1, 1), ()):
        with pytest.raises(NoLoss, match="one loss, in order"):
            all_of(*numbers)


def test_the_page_on_what_satisfies_another_notion() -> None:
    """Of several the first that is no believed one, and asks for least."""

    def page(id: str, *parts: str, notion: str = "approximate", believed: bool = False) -> Any:
        return of(id=id, is_believed=believed, head=of(notion=notion, parts={name: {} for name in parts}))

    pages = [
        page("c", "zcdp", "pure"),
        page("b", "zcdp", believed=True),
        page("a", "zcdp", "pure", "rho"),
        page("d", "zcdp", notion="x"),
    ]
    theory: Any = of(of_kind=lambda kind: pages if kind == "computed" else [])
    assert computed.page_of_claims(theory, "approximate", "zcdp").id == "c"
    for notion, other in (("approximate", "gaussian"), ("approximate", "approximate"), ("pure", "zcdp")):
        with pytest.raises(NoPage, match="no page computes"):
            computed.page_of_claims(theory, notion, other)


@pytest.mark.parametrize(
    ("epsilon", "why"), [(number(-1), "epsilon of at least 0"), (letter("e"), "epsilon of at least 0")]
)
def test_a_curve_is_for_epsilon_from_0_on(epsilon: Term, why: str) -> None:
    with pytest.raises(NoLoss, match=why):
        Curves.check_implied(of(), epsilon, ("zcdp", ()), of(), {}, 64)


def test_metrics_have_no_delta_of_their_own_there() -> None:
    far = letter("d__a")
    kind = Type((), frozenset(), (), lost=((1, far, (("delta", ONE), ("epsilon", far))),))
    assert computed.by_metrics(kind).lost == ((1, far, (("delta", ZERO), ("epsilon", ZERO))),)
    assert computed.by_metrics(Type((), frozenset(), ())) == Type((), frozenset(), ())


@pytest.mark.parametrize("values", [[], {1: "1"}, {"e": "1", 2: "1"}, "e"])
def test_what_is_no_point(values: Any) -> None:
    with pytest.raises(BadCertificate, match="the point cannot be read"):
        comparison.read_point(values)
    assert comparison.read_point({"e": "1/2", "f": F(3)}) == {"e": HALF, "f": 3}


@pytest.mark.parametrize(
    ("query", "attained", "moves", "in_the_limit", "of_query", "grows", "known"),
    [
        (False, True, True, False, False, False, True),  # noise alone, which is attained
        (False, False, True, False, False, True, False),  # not attained, and not in the limit
        (False, False, True, True, False, True, True),  # in the limit, where records may be more
        (False, False, True, True, False, False, False),
        (True, True, True, False, False, False, True),
        (True, True, False, False, False, False, False),  # the query does not move so far
        (True, False, True, False, True, True, True),  # with an event of its query
        (True, False, True, False, False, True, False),
        (True, False, True, False, True, False, False),
        (True, False, False, True, True, True, False),
    ],
)
def test_of_which_noises_it_is_known_what_they_lose(
    query: bool,
    attained: bool,
    moves: bool,
    in_the_limit: bool,
    of_query: bool,
    grows: bool,
    known: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(computed, "has_more_records", lambda *_: grows)
    limits, events = ["approximate"] if in_the_limit else [], ["sum"] if of_query else []
    law = of(head=of(attained=attained, in_the_limit=limits, events=events, noise="laplace"))
    theory: Any = of(page=lambda _, kind: law if kind == "noise" else of(head=of(attained=moves)))
    noise = of(page="laplace", query=of(page="sum") if query else None)
    curves: Any = of(head=of(notion="approximate", noises=("laplace",)))

    def check(page: Any, mechanism: Any) -> None:
        computed._check_attained(page, mechanism, of(), theory)  # type: ignore[arg-type]

    made = of(name="M", noise=noise)
    check(curves, of(name="M", noise=None))
    for page, fine in ((curves, known), (of(head=of(notion="approximate", noises=())), False)):
        if fine:
            check(page, made)
            continue
        with pytest.raises(NoLoss, match="only what bounds it"):
            check(page, made)


def test_where_no_limit_is_seen_it_is_said_when_inputs_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """What must be above 0 is said of ∞, and of no number."""
    e = letter("e")
    page = of(id="p", head=of(shows="epsilon", by="guarantee"))
    monkeypatch.setattr(refutations.witnesses, "attained_in", lambda *_: page)
    monkeypatch.setattr(refutations.axioms, "check_witnesses", lambda *_: None)
    monkeypatch.setattr(refutations, "type_of", lambda *_: of(choices=()))
    theory: Any = of(rule=lambda _: of(head=of(squared=())), first=lambda *_: of(id="parts"))
    setting: Any = of(mechanisms=[None], known=frozenset())
    premises: Any = [of(says=Covers(of())), of(says=Loses(Loss(1, "pure", (("epsilon", e),))))]
    for value in (INFINITY, e):
        lost = of(
            value=lambda value=value: (value, Grounds()),
            positive=lambda: (e,),
            where=lambda: (),
            witnesses=((1, Grounds()),),
        )
        monkeypatch.setattr(refutations, "attaining", lambda *_, lost=lost: lost)
        says, grounds = refutations.attain(setting, theory, premises, notion="pure", neighbours=[1], by=[1])
        assert isinstance(says, Lower) and says.value == value and grounds.pages == {"p"}
        assert says.at[0].positive == ((e,) if value == INFINITY else ())
    setting.mechanisms = [None, None]
    premises.append(of(says=Loses(Loss(2, "pure", (("epsilon", e),)))))
    assert refutations.attain(setting, theory, premises, notion="pure", neighbours=[1], by=[1])[1].pages == {
        "p",
        "parts",
    }


def test_what_is_left_to_the_radius_counts_where_distances_are_never_negative(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """d² ≤ r² follows from d ≤ r where d ≥ 0: that is asked of all powers but the first."""
    d, r, c = letter("d__a"), letter("r"), letter("c")
    near: Any = of(near=[of(inside=True, far=d, radius=r)])
    setting: Any = of(symbols={"c": c, "d__a": d, "x": letter("x", REAL)}, assumed=())
    asked: list[Any] = []

    def in_case(_: Any, greater: Term, lesser: Term, shown: Any, squared: bool) -> frozenset[str]:
        asked.append((greater, lesser, shown))
        return frozenset({shown})

    monkeypatch.setattr(rules_of_metrics, "in_case", in_case)

    def shown(**more: Any) -> frozenset[str]:
        asked.clear()
        said = {"times": "c", "power": 1, "not negative": "n", "rest": "s", **more}
        return rules_of_metrics._in_near(setting, near, ONE, ZERO, ZERO, said, False)

    assert shown() == {"s"} and asked == [(ONE + c * d - c * r, ZERO, "s")]
    for power in (2, 3):
        assert shown(power=power) == {"n", "s"} and asked[0] == (d, ZERO, "n")
        assert asked[1] == (ONE + c * d**power - c * r**power, ZERO, "s")
    for more in ({"power": 0}, {"power": True}, {"power": "1"}, {"more": 1}):
        with pytest.raises(BadCertificate, match="cannot be read"):
            shown(**more)
    for times in ("-1", "x", "d__a"):
        with pytest.raises(BadCertificate, match="not seen to be at least 0"):
            shown(times=times)
