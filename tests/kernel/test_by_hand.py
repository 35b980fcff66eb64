"""Functions of the kernel by hand that whole claims seldom turn on: each is asked by itself, at its edges."""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

from dpcompose.kernel import check, computed, saved
from dpcompose.kernel.composition import losses, samples
from dpcompose.kernel.composition.losses import Composition, NoLoss
from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.core.distances import Distance
from dpcompose.kernel.core.orders import Orders
from dpcompose.kernel.core.settings import Relation
from dpcompose.kernel.covers import longer, places, records, steps
from dpcompose.kernel.covers.contributions import Contributions
from dpcompose.kernel.covers.products import Products
from dpcompose.kernel.covers.sunflowers import Sunflowers
from dpcompose.kernel.covers.types import NoCover
from dpcompose.kernel.deciders.curves import pieces, spreading
from dpcompose.kernel.deciders.curves.curves import Curve, Part
from dpcompose.kernel.deciders.curves.tails import Laplace, Normal
from dpcompose.kernel.deciders.curves.tradeoffs import Together
from dpcompose.kernel.deciders.norms import squares
from dpcompose.kernel.deciders.tables import entries, promises
from dpcompose.kernel.deciders.tables.orders import Bound, NotDecided
from dpcompose.kernel.expressions import forms, metrics, terms
from dpcompose.kernel.expressions.domains import Domain
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, letter, number, sqrt
from dpcompose.kernel.judgements import Optimal
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules import chains, curves, refutations, whole
from dpcompose.kernel.rules.premises import BadStep

of: Any = SimpleNamespace
F, TWO, X, Y = Fraction, number(2), letter("x"), letter("y")
E_X = terms.exp(X)
REAL, M = letter("s", Domain.read("real")), letter("m", Domain.read("integer >= 1"))


# rules


def guarantee(**values: Any) -> Any:
    return of(notion="approximate", values=tuple(values.items()))


def test_a_formula_in_distances_is_not_seen_to_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """δ = 1 + d says nothing at finite distances d, and δ = 2 or ∞ nowhere; ε has no limit."""
    monkeypatch.setattr(whole, "of_other_orders", lambda *_: None)
    monkeypatch.setattr(whole, "claimed", lambda claim, *_: claim)
    monkeypatch.setattr(whole, "have_values", lambda *_: Grounds())
    monkeypatch.setattr(whole.comparison, "check_at_least", lambda *_: frozenset())
    theory: Any = of(rule=lambda _: of(id="rule", head=of(limits={"delta": 1})))
    setting: Any = of(assumed=())

    def shown(key: str = "delta", **values: Any) -> Any:
        return whole.trivial(setting, theory, (), claim=guarantee(**values), key=key)

    assert shown(delta=TWO) and shown(delta=ONE) and shown("epsilon", epsilon=INFINITY, delta=ZERO)
    for bad in ({"delta": 1 + metrics.letter("d__a")}, {"key": "epsilon", "epsilon": TWO}):
        with pytest.raises(BadStep):
            shown(**bad)


def test_a_least_epsilon_is_the_least_where_delta_says_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Any] = []
    monkeypatch.setattr(refutations, "said", lambda *_: said)
    monkeypatch.setattr(refutations, "check_always_there", lambda *_: None)
    monkeypatch.setattr(refutations, "at_least", lambda *_: frozenset())
    theory: Any = of(rule=lambda _: of(head=of(limits={"delta": 1})))

    def optimal(lost: Any, key: str = "epsilon", notion: str = "approximate", **values: Any) -> Any:
        said[:] = [guarantee(**values), of(notion=notion, key="epsilon", value=lost, where=())]
        return refutations.optimal(of(assumed=()), theory, (), key=key)[0]  # type: ignore[arg-type]

    assert optimal(ONE, epsilon=ONE, delta=ZERO).key == "epsilon"
    assert optimal(INFINITY, epsilon=INFINITY, delta=INFINITY)
    bad: list[dict[str, Any]] = [
        {"delta": ONE},
        {"delta": TWO},
        {"delta": INFINITY},
        {"notion": "pure", "delta": ZERO},
    ]
    for some in [*bad, {"epsilon": INFINITY, "delta": ZERO}, {"key": "delta", "delta": ZERO}]:
        with pytest.raises(BadStep):
            optimal(ONE, **{"epsilon": ONE} | some)
    with pytest.raises(BadStep):
        optimal(INFINITY, epsilon=ONE, delta=INFINITY)


def test_the_least_for_any_number_of_steps_grows_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """n² and 1 − 1/n do; 1/n does not, nor what is the same for all."""
    monkeypatch.setattr(chains, "_check_any_number", lambda *_: None)
    setting: Any = of(target=of(times=M), assumed=())
    n = letter(chains.SINGLE, Domain.read("integer >= 1"))

    def holds(value: Any) -> Any:
        known: Any = Optimal("pure", (("epsilon", value),), "epsilon")
        return chains._of_any_number(known, guarantee(epsilon=value), M, setting)

    assert holds(n * n) and holds(2 * n)
    for value in (1 / n, ONE, -n):
        with pytest.raises(BadStep, match="fewer steps"):
            holds(value)
    setting.target.times = None
    with pytest.raises(BadStep, match="nothing is known"):
        holds(n)


def test_what_is_given_is_named_by_its_study() -> None:
    """A sum of noise and what a study was shown from; what the study is about is named within it."""
    noise, given = (of(rule=rule, arguments={"i": 1}, premises=()) for rule in ("noise", "given"))
    inner: Any = of(mechanisms=[of(name="A", study=None)])
    outer: Any = of(mechanisms=[of(name="B", study=None), of(name="S", study=inner)])
    study = of(rule="study", arguments={"i": 2}, premises=(of(rule="sum", arguments={}, premises=(given,)),))
    theorems: Any = [noise, given, study]
    assert saved.assumed(theorems, outer) == ("B", "S.A") and saved.assumed([], outer) == ()
    assert saved.assumed([study], outer, "T.") == ("T.S.A",)  # type: ignore[list-item]
    assert check.about("study", {"i": 2}, outer) is inner and check.about("study", {"i": 1}, outer) is None
    for i in (0, 3, True, "1", None):
        assert check.about("study", {"i": i}, outer) is None
    assert check.about("sum", {"i": 2}, outer) is None


def test_a_distance_is_written_by_its_norm_or_its_formula() -> None:
    assert Distance(formula=X).data() == Distance(formula=X, norm=Y).data() == {"formula": "x"}
    assert Distance(formula=X, over=("a",)).data() == {"formula": "x"}
    assert Distance(formula=X, norm=Y, over=("a",)).data() == {"formula": "y", "over": ["a"]}


# covers


@pytest.mark.parametrize(("room", "steps"), [(0, 1), (1, 2), (1, 3), (2, 3), (0, 4)])
def test_groups_of_records_of_which_sizes_differ_by_less(room: int, steps: int) -> None:
    """a records go and b come in one step where a + b are few enough, with as many more of |a − b| − room."""
    single = of(closed_form=lambda *_: of(pages=("page",)), grouped=lambda pages, most: pages)
    single.setting = of(
        databases=of(of_multisets=True, letters=(), size=("at most", 3 + room), least=3),
    )
    far = records.Records.pushed(single, "M", Relation(((0, 1), (1, 0)), steps))
    once = [
        (a, b) for a, b in product(range(steps + 1), repeat=2) if a + b + max(0, abs(a - b) - room) <= steps
    ]
    first, reached = deque([(0, 0)]), {(0, 0): 0}
    while first:
        a, b = first.popleft()
        for x, y in once:
            to = (a + x, b + y)
            if to not in reached and max(to) <= 6:
                reached[to] = reached[a, b] + 1
                first.append(to)
    for a, b in product(range(4), repeat=2):
        wanted = min((n for (x, y), n in reached.items() if x == a and y >= b), default=None)
        if wanted is not None:
            assert far.at(a, b) == number(wanted)


@pytest.mark.parametrize("replaced", ["no", "bag", "rows"])
@pytest.mark.parametrize(("domain", "whole_"), list(product(("own", "common"), (True, False))))
def test_bags_go_come_or_take_the_place_of_others(replaced: str, domain: str, whole_: bool) -> None:
    def far(outside: Any = ("x", "y"), **more: Any) -> Any:
        known = {"steps": 1, "parts": TWO, "rows": number(3), "among": 1, "replaced": replaced} | more
        bag = of(parts=TWO, rows=number(3), among=1)
        asked = of(bag=bag, setting=of(databases=of(outside=outside)))
        stated = of(**known)
        return Contributions.by_bags(asked, of(name="M", stated=stated, domain=domain), stated, whole_)

    told = domain == "own" or whole_
    for a, b in product(range(3), repeat=2):
        both = number((a > 0) + (b > 0))
        wanted = both if replaced == "no" else INFINITY if replaced == "rows" and told and a != b else ONE
        assert far()(a, b) == wanted
    for other in ({"steps": 2}, {"parts": ONE}, {"rows": TWO}, {"among": 2}):
        with pytest.raises(NoCover):
            far(**other)
    if told or replaced != "rows":
        assert far(())(1, 1)
    else:
        with pytest.raises(NoCover, match="outside"):
            far(())


def test_petals_move_once_what_is_not_in_the_core() -> None:
    readers: Any = [(1, None), (2, (0,)), (3, None)]
    asked: Any = of(
        readers_of=[[], readers],
        metrics={one: of(at=lambda a, b, n=n: number(n + a + 5 * b)) for n, one in enumerate(readers)},
    )
    assert Sunflowers.petal(asked, 1, 1 << 2) == ((1, ((1, ONE),)), (3, ((1, number(3)),)))


def test_own_steps_are_so_many_groups() -> None:
    def cover(target: Any, *stated: Any) -> Any:
        made = [of(name="M", stated=None if n is None else of(steps=n, any_two=not n)) for n in stated]
        asked = of(setting=of(target=of(any_two=not target, steps=target), mechanisms=made))
        asked.gathered, asked.of_types = lambda far: tuple(far.items()), lambda *some: some
        return steps.Steps.cover(asked)

    (type_,), many, pages = cover(5, 2, 5, 1)
    assert type_.moves == tuple((i, {0: number(n)}) for i, n in ((1, 3), (2, 1), (3, 5)))
    assert (many, pages, type_.unlimited, type_.pair) == (1, [()] * 3, frozenset(), ())
    for some in ((0, 1), (3, None), (3, 1, 0)):
        with pytest.raises(NoCover):
            cover(*some)


@pytest.mark.parametrize(("m", "n"), list(product(range(1, 6), range(1, 4))))
def test_records_one_step_and_two_steps_apart(m: int, n: int) -> None:
    """m steps of n records: of each one, and of as many as are left a second one."""
    for one, two in ((1, 2), (1, 1), (3, 5), (0, 2), (2, 0)):
        seconds = min(n, max(0, m - n))
        wanted = min(m, 2 * n) * one if two == 2 * one else (min(m, n) - seconds) * one + seconds * two
        assert longer._far(number(one), number(two), number(m), number(n)) == number(wanted)


# curves, tables, formulas


def test_tables_of_normal_noise_have_all_of_both_distributions() -> None:
    """The probabilities in P add up to 1, those in Q = P/ratio to 1: from below no more, from above no less."""
    tiny = F(1, 10**6)
    for up in (False, True):
        table = spreading.of_normal(Normal(ONE), 64, up)
        p, q = sum(table.masses.values()) + table.infinite, sum(p / x for x, p in table.masses.items())
        assert (1 <= p < 1 + tiny) if up else (1 - tiny < p <= 1)
        assert abs(q - 1) < tiny
        assert all(p > 0 for p in table.masses.values())


def test_on_samples_what_says_nothing_is_0_1() -> None:
    half = number(F(1, 2))
    known = pieces.on_samples(None, half, number(3), (0, 1))
    assert known == Together(((ZERO, ONE),), 3, rate=half, own=(0, 1))
    assert pieces.on_samples(None, half, X, None) == Together(((ZERO, ONE),), 1, rate=half)
    assert pieces.on_samples(None, None, ONE, None) is pieces.on_samples(None, half, INFINITY, None) is None
    part = Part(ONE, half, 2, 3)
    assert pieces.on_samples(part, half, ONE, None) == Together(((ONE, half),), 2, 3, rate=half)
    assert pieces.on_samples(part, None, ONE, None) is part
    for noise in (Normal(ONE), Laplace(ONE)):
        assert pieces.on_samples(noise, half, ONE, None) == Together((), tail=noise, rate=half)
        assert pieces.on_samples(noise, half, TWO, None) is noise


@pytest.mark.parametrize(
    "pieces_", [[Part(ONE, ZERO, count=50)], [Laplace(ONE, 5)], [Laplace(ONE, 5, middle=True)], [Normal(ONE)]]
)
def test_what_has_no_delta_loses_nothing_without_a_limit(pieces_: Any) -> None:
    assert Curve.of(pieces_).without_limit(64) == 0


def test_tables_with_parameters_are_not_compared_at_many_orders() -> None:
    P, Q = (
        [entries.read(p) for p in side]
        for side in ((E_X / (1 + E_X), 1 / (1 + E_X)), (1 / (1 + E_X), E_X / (1 + E_X)))
    )
    with pytest.raises(NotDecided, match="without parameters"):
        Bound.of(ONE, Orders.read("(1, oo)")).broken(P, Q)


@pytest.mark.parametrize(
    ("term", "n"),
    [(REAL**-2, -2), (REAL**-1, -1), (REAL, 0), (REAL**2, 0), (sqrt(X), 0), (1 / sqrt(X), 0), (ONE, 0)],
)
def test_whole_powers_below_0(term: Any, n: int) -> None:
    assert forms._whole_below_0(term) == n


def test_vectors_are_roots_of_two_squares_and_more() -> None:
    d, e = (metrics.letter(f"d__{name}") for name in "ab")
    assert [len(one) for one in squares.vectors(sqrt(d * d + e * e))] == [2]
    assert [*squares.vectors(d + e)] == []


def test_the_limit_of_an_event_in_gaussian_privacy() -> None:
    """Φ(Φ⁻¹(1/2) + 1) = 0.841345; of what is impossible nothing is said."""
    half, promised = entries.read(number(F(1, 2))), {"mu": ONE}
    _, limit, p = promises._measured_event(half, half, promised)  # type: ignore[misc,arg-type]
    assert abs(limit.low - F(841345, 10**6)) < F(1, 10**6) and p is not None and p.low <= F(1, 2) <= p.high


# what losses are known by


def test_losses_that_come_after_others_are_no_convex_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    def convex(then: bool, value: Any, adds: bool = True) -> None:
        r = letter(losses.MOVED) if value is None else value
        loss = of(then=then, at=lambda *_: {"epsilon": r})
        rule = of(head=of(convex=("epsilon",)))
        asked = of(
            losses=[loss],
            setting=of(mechanisms=[of(name="M")]),
            theory=None,
            rule=rule,
            adds_up=lambda _: adds,
        )
        Composition.check_convex(asked, frozenset({1}))

    convex(False, X), convex(True, None)
    for some in ((True, X), (False, X, False)):
        with pytest.raises(NoLoss, match="convex"):
            convex(*some)


@pytest.mark.parametrize(
    ("known", "each"),
    [
        ({"moved": True}, True),
        ({"moved": True, "whole": True}, False),
        ({"moved": True, "then": True}, False),
        ({"once": True}, True),
        ({"once": True, "then": True}, False),
        ({"once": True, "entries": (ONE, TWO)}, False),
        ({"moved": True, "entries": (ONE, TWO)}, True),
        ({"moved": True, "squared": ("epsilon",)}, False),
        ({"moved": True, "entries": None}, False),
        ({}, False),
    ],
)
def test_over_entries_losses_add_up_that_are_known_of_each(known: Any, each: bool) -> None:
    known = {
        "moved": False,
        "whole": False,
        "once": False,
        "then": False,
        "entries": (ONE,),
        "squared": (),
    } | known
    loss = of(**known, over_entries=lambda *_: {"epsilon": TWO}, at=lambda *_: {"epsilon": number(3)})
    asked = of(
        adds_up=lambda _: True,
        losses=[loss],
        theory=None,
        setting=of(mechanisms=[of(count=None, partition=None)]),
        rule=of(head=of(squared=known["squared"])),
    )
    told = () if known["entries"] is None else ((1, known["entries"]),)
    moves: Any = ((1, ((1, ONE),)),)
    assert Composition._composed(asked, "epsilon", moves, of(entries=told, choices=())) == number(
        2 if each else 3
    )


def test_at_whole_steps_of_samples_as_many_go_and_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "head_of", lambda *_: of(on_samples=(0,), neighbours=()))
    anything: Any = None
    assert [samples.own(anything, anything, anything, r, None) for r in (TWO, M, ZERO, number(F(3, 2)))] == [
        (2, 2),
        *[None] * 3,
    ]


@pytest.mark.parametrize(
    ("metric", "noise", "notion", "free", "told"), list(product((0, 1), (0, 1), "pq", (0, 1), (0, 1)))
)
def test_what_is_attained(
    metric: int, noise: int, notion: str, free: int, told: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what is stated in a metric only in notions of which a page says so; of tables where pages are about them."""

    def checked(*_: Any) -> None:
        if not told:
            raise NoLoss("not known")

    monkeypatch.setattr(computed, "_check_attained", checked)
    monkeypatch.setattr(computed, "_is_free", lambda *_: bool(free))
    page: Any = of(head=of(tables=True, in_a_metric=("p",)))
    made: Any = of(table=None, metric=metric or None, noise=noise or None, notion=notion)
    anything: Any = None
    wanted = bool(told and free and (not metric or noise or notion == "p"))
    assert computed.is_attained(page, made, anything, anything) is wanted
    made.table = 1
    assert computed.is_attained(page, made, anything, anything) is bool(told)


@pytest.mark.parametrize(
    ("told", "own", "besides"), list(product((True, False), (None, (0, 2), (1, 1)), (True, False)))
)
def test_on_samples_what_is_lost_is_known_at_one_step_or_one_way(
    told: bool, own: Any, besides: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(samples, "is_told", lambda *_: told)
    monkeypatch.setattr(samples, "head_of", lambda *_: of(besides=besides))
    asked: Any = of(mechanism=lambda i: None, setting=None, theory=None)
    for far in ((), ((1, ONE),), ((1, TWO),)):
        type_: Any = of(moves=((1, far),), own_of=lambda i: own)
        known = (
            not far or (own is not None and (not besides or 0 in own))
            if told
            else all(r == ONE for _, r in far)
        )
        assert computed.Curves._is_known(asked, 1, type_) is known


@pytest.mark.parametrize("rate", [None, TWO])
@pytest.mark.parametrize(
    "texts", [{"epsilon": "e"}, {"square": "s", "rho": "r"}, {"ratio": "b"}, {"rho": "r"}, {}]
)
def test_on_samples_parts_are_known_by_epsilon_or_as_noise_is(
    rate: Any, texts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of all guarantees of a mechanism; else what is known is that of the whole."""
    monkeypatch.setattr(samples, "rate_of", lambda *_: rate)
    monkeypatch.setattr(computed, "replace", lambda loss, **known: known)
    asked: Any = of(
        mechanism=lambda i: of(values="own", also=[of(notion="q", values="more")]), setting=None, theory=None
    )
    loss: Any = of(mechanism=1, guarantees=[("p", ()), ("q", ())])
    parts = {"p": {"epsilon": "e"}, "q": texts}
    known = rate is not None and texts and texts != {"rho": "r"}
    wanted = ({"values": "own", "besides": (("q", "more"),)}, rate) if known else (loss, None)
    assert computed.Curves._on_samples(asked, parts, loss) == wanted


def test_noise_is_not_known_to_lose_without_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computed, "in_steps", lambda losses, type, *_: (losses, type))
    monkeypatch.setattr(computed, "by_metrics", lambda type: type)
    monkeypatch.setattr(computed, "at_type", lambda losses, *_: losses)
    monkeypatch.setattr(samples, "check_deal", lambda *_: None)
    lost_there = [True]
    monkeypatch.setattr(computed, "is_lost_there", lambda *_: lost_there[0])
    made = of(name="M", noise=1, table=None, sampled=None)
    asked: Any = of(losses=[of(mechanism=2)], setting=None, theory=None, mechanism=lambda i: made)

    def lost(r: Any) -> Any:
        type_ = of(moves=((1, ((1, r),)), (2, ((1, r),))), lost=(), entries=((1, (ONE,)),), unlimited=())
        return [*computed.Curves.most_lost(asked, type_, {})]  # type: ignore[arg-type]

    with pytest.raises(NoLoss, match="without a limit"):
        lost(INFINITY)
    with pytest.raises(NoLoss, match="entries of M"):
        lost(ONE)
    lost_there[0] = False
    with pytest.raises(NoLoss, match="only what bounds it"):
        lost(ONE)


def test_of_parts_told_by_steps_alone_no_databases_are_told() -> None:
    parts = (("a", Databases("steps", "")), ("b", Databases("records", "")))
    assert [part.only_steps for _, part in parts] == [True, False]
    setting: Any = of(databases=of(parts=parts))
    for where, words in ((of(), "nothing is told"), (None, "no product|not one of any")):
        with pytest.raises(places.NotThere, match=words):
            places.checked(setting, Theory({}), of(where=where), {})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("distance", "pages"),
    [(("M", "p"), ("page of d",)), ((None, "p"), ()), (("M", None), ()), (("M", "q"), ())],
)
def test_pages_of_distances_are_those_of_counted_parts(distance: Any, pages: Any) -> None:
    asked = of(
        distances={"d": of(input=distance[0], part=distance[1])},
        counts={"p": of(pages=lambda name: (f"page of {name}",))},
    )
    assert Products._pages(asked, "d") == pages


def test_a_claim_rests_on_what_its_values_and_its_curve_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """By formulas or by numbers."""
    known = of(check_proved=lambda *_: "by numbers")
    monkeypatch.setattr(curves, "said", lambda *_: [of(cover=None)])
    monkeypatch.setattr(curves, "claimed", lambda claim, *_: claim)
    monkeypatch.setattr(curves, "check_every_type", lambda _: None)
    monkeypatch.setattr(curves, "computed", of(Curves=of(of_all=lambda *_: known)))
    monkeypatch.setattr(
        curves, "have_values", lambda *_: Grounds(frozenset({"values"}), frozenset({"ranges"}))
    )
    monkeypatch.setattr(curves, "written_out", of(delta=lambda *_: (ZERO, frozenset({"written"}))))
    monkeypatch.setattr(curves, "at_least", lambda *_: frozenset({"steps"}))
    anything: Any = None
    claim = guarantee(epsilon=ONE, delta=ZERO)
    _, grounds = curves.curve(anything, anything, (), claim=claim)
    assert grounds == Grounds(frozenset({"values", "written"}), frozenset({"ranges", "steps", "outcomes"}))
    _, grounds = curves.curve(anything, anything, (), claim=claim, bits=64)
    assert grounds == Grounds(frozenset({"by numbers"}), frozenset({"curves"}))
