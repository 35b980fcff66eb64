"""What mechanisms lose together, by hand: at a distance, converted, added up, and of families the worst members."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import core_records
import pytest
import told
from core_records import U

from dpcompose.kernel.composition import closer, families, losses
from dpcompose.kernel.composition.losses import Composition, Converted, Loss, NoLoss
from dpcompose.kernel.core import reading
from dpcompose.kernel.core.assumptions import Assumption
from dpcompose.kernel.core.orders import Curve, Orders
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers.types import Choice, Type
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.domains import NONNEGATIVE, Domain
from dpcompose.kernel.expressions.terms import INFINITY, ONE, ZERO, Term, letter, number

of: Any = SimpleNamespace
E, F, D, R = (letter(name, NONNEGATIVE) for name in ("e", "f", "d", "r"))
MEMBERS, OTHERS = letter("e[i]", NONNEGATIVE), letter("f[i]", NONNEGATIVE)
K = letter("k", Domain.read("integer >= 1"))
SYMBOLS = {"e": E, "f": F, "d": D, "r": R, "k": K, "e[i]": MEMBERS}
TWO, THREE, HALF = number(2), number(3), number(Fraction(1, 2))


def parsed(text: str) -> Term:
    return formulas.parse(text, SYMBOLS, index="i")


@pytest.mark.parametrize(
    ("notion", "values", "r", "there"),
    [
        ("pure", {"epsilon": E}, THREE, {"epsilon": "3*e"}),
        ("zcdp", {"rho": E}, THREE, {"rho": "9*e"}),
        ("gaussian", {"mu": E}, HALF, {"mu": "e/2"}),
        ("approximate", {"epsilon": E, "delta": D}, ONE, {"epsilon": "e", "delta": "d"}),
        ("approximate", {"epsilon": E, "delta": D}, TWO, {"epsilon": "2*e", "delta": "d + d*exp(e)"}),
        (
            "approximate",
            {"epsilon": E, "delta": D},
            HALF,
            {"epsilon": "e/2", "delta": "d*(exp(e/2) - 1)/(exp(e) - 1)"},
        ),
        ("approximate", {"epsilon": INFINITY, "delta": D}, TWO, {"epsilon": "oo", "delta": "oo"}),
        ("approximate", {"epsilon": E, "delta": INFINITY}, TWO, {"epsilon": "oo", "delta": "oo"}),
    ],
)
def test_a_guarantee_at_a_distance(
    notion: str, values: dict[str, Term], r: Term, there: dict[str, str]
) -> None:
    rule = told.THEORY.rule(notion)
    assert losses.at_distance(rule, values, r) == {key: parsed(text) for key, text in there.items()}


def conversion(page: str, values: dict[str, Term], orders: str | None = None, **more: Any) -> Any:
    known = None if orders is None else Orders.read(orders)
    chosen = more.pop("chosen", {})
    return losses.converted(told.THEORY, told.THEORY.pages[page], values, chosen, orders=known, **more)


def test_a_guarantee_in_another_notion() -> None:
    assert conversion("zcdp-to-tcdp", {"rho": E}) == {"rho": E, "tau": ZERO}
    assert conversion("approximate-to-pure", {"epsilon": E, "delta": ZERO}) == {"epsilon": E}
    assert conversion("delta-apart", {"epsilon": E, "delta": D}, apart=("delta",)) == {"epsilon": E}
    assert conversion("gaussian-to-renyi", {"mu": E}, "2") == {"epsilon": E * E}
    alpha = Orders.read("(1, oo)").order
    assert conversion("gaussian-to-renyi", {"mu": E}, "(1, oo)") == {"epsilon": alpha * E * E * HALF}
    curve = {"epsilon": alpha * E}
    assert conversion("renyi-to-zcdp", curve, "(1, oo)") == {"rho": E}
    assert conversion("renyi-to-pure", {"epsilon": E}, "(9, oo)") == {"epsilon": E}
    chosen = {"delta": HALF}
    made = conversion("zcdp-to-approximate", {"rho": E}, chosen=chosen)
    assert made == {"epsilon": parsed("e + 2*sqrt(e*log(2))"), "delta": HALF}
    assert conversion("zcdp-to-approximate", {"rho": INFINITY}, chosen=chosen) == {
        "epsilon": INFINITY,
        "delta": INFINITY,
    }
    both = {"rho": INFINITY, "tau": D}, {"rho": E, "tau": INFINITY}
    for values in both:
        nothing = conversion("tcdp-to-approximate-inside", values, chosen=chosen, within=True)
        assert {*nothing.values()} == {INFINITY}
    inside = conversion("tcdp-to-approximate-inside", {"rho": E, "tau": D}, chosen=chosen, within=True)
    assert inside["delta"] == HALF


@pytest.mark.parametrize(
    ("page", "values", "more", "words"),
    [
        ("approximate-to-pure", {"epsilon": E, "delta": D}, {}, "needs delta = 0, not d"),
        ("approximate-to-pure", {"epsilon": E, "delta": ZERO}, {"apart": ("delta",)}, "sets  apart"),
        ("delta-apart", {"epsilon": E, "delta": D}, {}, "sets delta apart"),
        ("tcdp-to-zcdp", {"rho": E, "tau": D}, {}, "needs tau = 0"),
        ("tcdp-to-approximate-inside", {"rho": E, "tau": D}, {"chosen": {"delta": HALF}}, "with limits"),
        ("zcdp-to-approximate", {"rho": E}, {}, "needs formulas for delta, not for nothing"),
        ("zcdp-to-tcdp", {"rho": E}, {"chosen": {"delta": HALF}}, "for nothing, not for delta"),
        ("zcdp-to-approximate", {"rho": E}, {"chosen": {"delta": ONE}}, "1 is not known to be"),
        ("zcdp-to-approximate", {"rho": E}, {"chosen": {"delta": ZERO}}, "0 is not known to be"),
        ("zcdp-to-approximate", {"rho": E}, {"chosen": {"delta": D}}, "d is not known to be"),
        ("renyi-to-zcdp", {"epsilon": E}, {"orders": "(9, oo)"}, "all orders"),
        ("renyi-to-zcdp", {"epsilon": E}, {"orders": "(1, 9]"}, "all orders"),
        ("renyi-to-pure", {"epsilon": E}, {"orders": "(1, 9]"}, "all large orders"),
        ("renyi-to-zcdp", {"epsilon": E}, {"orders": "(1, oo)"}, "what does not depend on the order"),
        ("renyi-to-tcdp", {"epsilon": E}, {"orders": "(1, 8]"}, "what does not depend on the order"),
        ("renyi-to-tcdp", {"epsilon": E}, {"orders": "[2, 8]"}, "all orders up to some one"),
        ("renyi-to-tcdp", {"epsilon": E}, {"orders": "8"}, "all orders up to some one"),
        ("renyi-to-tcdp", {"epsilon": E}, {"orders": "(1, oo)"}, "all orders up to some one"),
    ],
)
def test_what_no_conversion_says(page: str, values: dict[str, Term], more: Any, words: str) -> None:
    with pytest.raises(NoLoss, match=words):
        conversion(page, values, **more)


def test_one_parameter_that_depends_on_the_order_is_enough_to_refuse() -> None:
    """Of two, the first does not: neither may."""
    head = of(from_="zcdp", to="approximate", orders="all", apart=(), at_most={}, free={}, only={})
    head.parameters = {"epsilon": "1", "delta": "rho"}
    orders = Orders.read("(1, oo)")
    with pytest.raises(NoLoss, match="does not depend on the order"):
        losses.converted(told.THEORY, of(id="page", head=head), {"rho": orders.order}, {}, orders=orders)


# what adds up


def setting(*mechanisms: tuple[Any, str]) -> Any:
    """Mechanisms by how many members they have, and their partition."""
    return of(mechanisms=tuple(of(count=count, partition=partition) for count, partition in mechanisms))


def total(moves: Any, made: Any, values: Sequence[Term] = (E, F, D), choices: Sequence[Choice] = ()) -> Term:
    return terms.add(losses.summands(moves, made, lambda i, r: r * values[i - 1], choices))


ONCE = ((1, ONE),)


def test_of_families_the_members_for_which_it_is_most() -> None:
    one, family, other = (None, ""), (K, "P"), (K, "Q")
    assert total(((1, ONCE), (2, ((1, TWO),))), setting(one, one)) == parsed("e + 2*f")
    both = (MEMBERS, OTHERS)
    every = total(((1, ((0, TWO),)),), setting((K, "")), both)
    assert every == terms.over(K, 2 * MEMBERS, K)
    shared = ((1, ((2, ONE),)), (2, ((2, ONE),)))
    assert total(shared, setting(family, family), both) == terms.over(2, MEMBERS + OTHERS, K)
    assert total(shared, setting(family, other), both) == terms.over(2, MEMBERS, K) + terms.over(2, OTHERS, K)
    with pytest.raises(NoLoss, match="different distances"):
        total(((1, ((2, ONE),)), (2, ((1, ONE),))), setting(family, family), both)


def test_what_may_move_in_place_of_others() -> None:
    """Any two of three atoms, the first of which moves two mechanisms; the fourth moves always."""
    choice = Choice(2, ((0, ((1, ONCE), (2, ONCE))), (1, ((3, ((1, TWO),)),)), (2, ())))
    moves = ((1, ONCE), (2, ONCE), (3, ((1, TWO),)), (4, ONCE))
    values = (E, F, D, R)
    found = total(moves, setting(*[(None, "")] * 4), values, (choice,))
    assert found == terms.top(2, [E + F, 2 * D, ZERO]) + R


def parts(many: Any, *families: Sequence[Term]) -> Term:
    return terms.add(losses._over_parts(many, K, families))


def test_members_that_move_further_lose_most() -> None:
    """One member loses 3x, two others 2x, and three more x: the largest count three times, and so on."""
    x = MEMBERS
    found = parts((1, 2, 3), [3 * x, 2 * x, x])
    assert found == terms.over(1, x, K) + terms.over(3, x, K) + terms.over(6, x, K)
    assert parts((1, 2), [4 * x, x]) == 3 * terms.over(1, x, K) + terms.over(3, x, K)
    assert parts((2,), [x], [OTHERS]) == terms.over(2, x + OTHERS, K)
    assert parts((1, 2), [ZERO, ZERO]) == ZERO


@pytest.mark.parametrize(
    ("families", "words"),
    [
        (([E, F],), "no common factor"),
        (([E, ZERO],), "no common factor"),  # whoever moves further loses something
        (([-2 * E, -1 * E],), "no common factor"),
        (([E, 2 * E],), "move further lose less"),
        (([2 * E, E], [2 * F, F]), "several families on one partition"),
    ],
)
def test_members_of_which_the_worst_are_not_told(families: Any, words: str) -> None:
    with pytest.raises(NoLoss, match=words):
        parts((1, 2), *families)


def test_the_largest_of_some_values() -> None:
    assert losses.largest([E, 2 * E, F], False) == terms.top(1, [2 * E, F])
    assert losses.largest([E, INFINITY], False) == INFINITY and losses.largest([], False) == ZERO
    assert losses.largest([E, E], False) == E and losses.largest([E, 2 * E], True) == 2 * E
    assert losses.largest([], True) == ZERO


# all mechanisms together


def two() -> Setting:
    return core_records.setting(U, ([0], U), ([1], U), atoms=[["a"], ["b"]])


def together(*some: Loss) -> Composition:
    return Composition(some, two(), told.THEORY)


def at(*moves: tuple[int, Term], unlimited: Any = (), **more: Any) -> Type:
    return Type(tuple((i, ((1, r),)) for i, r in moves), frozenset(unlimited), ((), ()), **more)


def pure(i: int, value: Term) -> Loss:
    return Loss(i, "pure", (("epsilon", value),))


def test_losses_of_all_at_a_type() -> None:
    both = together(pure(1, E), pure(2, F))
    assert both.at(at((1, TWO), (2, ONE))) == {"epsilon": parsed("2*e + f")}
    assert both.at(at((2, THREE))) == {"epsilon": parsed("3*f")} and both.at(at()) == {"epsilon": ZERO}
    assert both.at(at((1, INFINITY), (2, ONE))) == {"epsilon": INFINITY}
    assert both.at(at((1, INFINITY), unlimited={1})) == {"epsilon": INFINITY}
    assert together(pure(1, INFINITY), pure(2, F)).at(at((1, ONE))) == {"epsilon": INFINITY}
    assert together(pure(1, INFINITY), pure(2, F)).at(at((2, ONE))) == {"epsilon": F}
    assert both.over([at((1, TWO)), at((1, ONE), (2, ONE))]) == {"epsilon": terms.top(1, [2 * E, E + F])}
    normal = [Loss(i, "gaussian", (("mu", value),)) for i, value in ((1, E), (2, F))]
    assert together(*normal).at(at((1, TWO), (2, ONE))) == {"mu": parsed("sqrt(4*e**2 + f**2)")}


def test_who_loses_nothing_at_any_distance() -> None:
    """Where it moves without a limit, and has 0; by ∞ otherwise nothing is promised."""
    nothing = together(pure(1, ZERO), pure(2, F))
    assert nothing.loses_nothing(1, at((1, INFINITY), unlimited={1}))
    assert not nothing.loses_nothing(1, at((1, INFINITY)))
    assert not nothing.loses_nothing(2, at((2, INFINITY), unlimited={2}))
    assert nothing.at(at((1, INFINITY), (2, ONE), unlimited={1})) == {"epsilon": F}
    assert nothing.at(at((1, INFINITY), (2, ONE))) == {"epsilon": INFINITY}
    zero = Loss(1, "zcdp", (("rho", ZERO),), (Converted("zcdp-to-approximate", (("delta", HALF),)),))
    assert not together(zero, pure(2, F)).loses_nothing(1, at((1, INFINITY), unlimited={1}))
    beside = Loss(1, "approximate", (("epsilon", ZERO), ("delta", D)), (Converted("delta-apart"),))
    assert not together(beside, pure(2, F)).loses_nothing(1, at((1, INFINITY), unlimited={1}))


def test_the_largest_parameter_is_that_of_some_mechanism() -> None:
    """tau of truncated concentrated privacy: of what moves, the largest."""
    some = [Loss(i, "tcdp", (("rho", rho), ("tau", tau))) for i, rho, tau in ((1, E, D), (2, F, HALF))]
    assert together(*some).at(at((1, TWO), (2, ONE))) == {
        "rho": parsed("4*e + f"),
        "tau": parsed("max(2*d, 1/2)"),
    }
    assert together(*some).at(at()) == {"rho": ZERO, "tau": ZERO}
    choice = Choice(1, ((0, ((1, ONCE),)), (1, ((2, ONCE),))))
    with pytest.raises(NoLoss, match="tau is not looked at together"):
        together(*some).at(at((1, ONE), choices=(choice,)))


def test_losses_that_are_convex_in_the_distance() -> None:
    """Powers of it from 1 on, and delta, by its rule; not what is converted."""
    approximate = Loss(1, "approximate", (("epsilon", E), ("delta", D)))
    square = Loss(1, "zcdp", (("rho", E),))
    for loss in (pure(1, E), approximate, square):
        together(loss, pure(2, F)).check_convex(frozenset({1}))
    root = Loss(1, "zcdp", (("rho", E),), (Converted("zcdp-to-approximate", (("delta", HALF),)),))
    bent = Composition((root, Loss(2, "approximate", (("epsilon", F), ("delta", ZERO)))), two(), told.THEORY)
    bent.check_convex(frozenset({2}))
    with pytest.raises(NoLoss, match="of M1 is not seen to be convex"):
        bent.check_convex(frozenset({1, 2}))
    tau = together(*(Loss(i, "tcdp", (("rho", E), ("tau", D))) for i in (1, 2)))
    with pytest.raises(NoLoss, match="tau of M1"):
        tau.check_convex(frozenset({1}))


def test_which_losses_add_up() -> None:
    made, check = two(), losses.check_composes
    apart = (Converted("delta-apart"),)
    some = Loss(1, "approximate", (("epsilon", E), ("delta", D)), apart)
    assert check([pure(1, E), pure(2, F)], made, told.THEORY) == "pure"
    assert check([some, pure(2, F)], made, told.THEORY, apart=True) == "pure"
    for wrong, words in (
        ([some, pure(2, F)], "set apart is lost besides"),
        ([pure(1, E)], "one loss, in order"),
        ([pure(2, E), pure(1, F)], "one loss, in order"),
        ([pure(1, E), Loss(2, "zcdp", (("rho", F),))], "notions pure, zcdp do not add up"),
    ):
        with pytest.raises(NoLoss, match=words):
            check(wrong, made, told.THEORY)


def test_what_one_loss_says() -> None:
    then = (Converted("zcdp-to-tcdp"),)
    zcdp = Loss(1, "zcdp", (("rho", E),), then, besides=(("pure", (("epsilon", ZERO),)),))
    assert zcdp.ends(told.THEORY) == "tcdp" and pure(1, E).ends(told.THEORY) == "pure"
    assert zcdp.at(TWO, told.THEORY) == {"rho": 4 * E, "tau": ZERO}
    assert zcdp.may_be_nothing and not pure(1, E).may_be_nothing and pure(1, ZERO).may_be_nothing
    half = Loss(1, "approximate", (("epsilon", ZERO), ("delta", D)))
    assert not half.may_be_nothing and not half.unlimited
    assert Loss(1, "approximate", (("epsilon", E), ("delta", INFINITY))).unlimited
    moved = Loss(1, "zcdp", (("rho", E),), moved=(("rho", E * letter(losses.MOVED) ** 3),))
    assert moved.before(TWO, told.THEORY) == {"rho": 8 * E}
    assert moved.over_entries([ONE, TWO], told.THEORY) == {"rho": 9 * E}
    once = Loss(1, "approximate", (("epsilon", E), ("delta", D)), once=("delta",))
    assert once.over_entries([ONE, ONE], told.THEORY) == {"epsilon": 2 * E, "delta": D}
    assert once.over_entries([], told.THEORY) == {"epsilon": ZERO, "delta": ZERO}


def test_divergences_of_orders_at_a_distance() -> None:
    every, order = Orders.read("(1, oo)"), Orders.read("2")
    curve = Curve(every, E * every.order)
    values = (("epsilon", 2 * E),)
    assert Loss(1, "renyi", values, orders=order, curve=curve).before(TWO, told.THEORY) == {"epsilon": 8 * E}
    for more in ({"orders": order}, {"curve": curve}):
        with pytest.raises(NoLoss, match="for which orders it holds"):
            Loss(1, "renyi", values, **more).before(TWO, told.THEORY)  # type: ignore[arg-type]
    known = Curve(Orders.read("(1, 3]"), E * Orders.read("(1, 3]").order)
    with pytest.raises(NoLoss, match="nothing is known of all orders"):
        Loss(1, "renyi", values, orders=order, curve=known).before(THREE, told.THEORY)


@pytest.mark.parametrize("i", [0, 3, -1, True, "1", 1.0, None])
def test_mechanisms_are_called_by_their_numbers(i: Any) -> None:
    assert losses.mechanism_of(two(), 2).name == "M2"
    with pytest.raises(NoLoss, match="there is no mechanism"):
        losses.mechanism_of(two(), i)


def test_entries_that_move_lose_each_for_itself() -> None:
    """By 1 and 2 they lose 1 and 4 squares, and a value that moves by 3 loses 9; so do converted losses, and norms."""
    moved = ("rho", E * letter(losses.MOVED) ** 2)
    by_entries = Loss(1, "zcdp", (("rho", E),), moved=(moved,))
    at_entries = at((1, THREE), entries=((1, (ONE, TWO)),))
    other = Loss(2, "zcdp", (("rho", ZERO),))
    assert together(by_entries, other).at(at_entries) == {"rho": 5 * E}
    assert together(by_entries, other).at(at((1, THREE))) == {"rho": 9 * E}
    whole = Loss(1, "zcdp", (("rho", E),), moved=(moved,), whole=True)
    assert together(whole, other).at(at_entries) == {"rho": 9 * E}
    then = Loss(1, "zcdp", (("rho", E),), (Converted("zcdp-to-tcdp"),), (moved,))
    nothing = Loss(2, "tcdp", (("rho", ZERO), ("tau", ZERO)))
    assert together(then, nothing).at(at_entries) == {"rho": 9 * E, "tau": ZERO}
    normal = Loss(1, "gaussian", (("mu", E),), moved=(("mu", E * letter(losses.MOVED)),))
    assert together(normal, Loss(2, "gaussian", (("mu", ZERO),))).at(at_entries) == {"mu": 3 * E}
    once = Loss(1, "approximate", (("epsilon", E), ("delta", D)), once=("delta",))
    none = Loss(2, "approximate", (("epsilon", ZERO), ("delta", ZERO)))
    both = together(once, none).at(at((1, TWO), entries=((1, (ONE, ONE)),)))
    assert both == {"epsilon": 2 * E, "delta": D}
    further = together(once, none).at(at((1, TWO), entries=((1, (ONE, TWO)),)))
    assert further == {"epsilon": 2 * E, "delta": parsed("d + d*exp(e)")}


def test_the_largest_of_closer_values() -> None:
    assert closer.largest([E, F]) == terms.top(1, [E, F]) and closer.largest([E, 2 * E]) == 2 * E


@pytest.mark.parametrize(
    ("unit", "far", "steps"),
    [
        (E, 3 * E, THREE),
        (E, E, ONE),
        (2 * E, 4 * E, TWO),
        (E, HALF * E, None),
        (E, 3 * HALF * E, None),
        (E, F, None),
        (E, INFINITY, None),
        (E, ZERO, None),
        (ZERO, ZERO, None),
        (None, E, None),
    ],
)
def test_a_metric_in_whole_steps(unit: Term | None, far: Term, steps: Term | None) -> None:
    """A guarantee of so much for each step is one for so many steps; of others there is no database between."""
    made = of(mechanisms=(of(metric=of(unit=unit)), of(metric=None)))
    type = at((1, ONE), (2, TWO), lost=((1, far, ()), (2, E, ())))
    some = [pure(1, ONE), pure(2, F)]
    here, there = losses.in_steps(some, type, made, told.THEORY)
    if steps is None:
        assert (*here,) == (*some,) and there == type
        return
    assert unit is not None and here == (pure(1, unit), pure(2, F))
    assert there.moves == ((1, ((1, steps),)), (2, ((1, TWO),))) and there.lost == ((2, E, ()),)


def noisy(page: str, orders: str | None = None) -> Setting:
    """A count with noise of parameter 2."""
    data = core_records.setting(U, ([0], U), ([1], U), atoms=[["a"], ["b"]]).data()
    data["mechanisms"][0].pop("stated")
    asked = {"page": "count", "values": {}}
    data["mechanisms"][0]["noise"] = {"query": asked, "page": page, "parameter": "2"}
    return reading.read(data | ({} if orders is None else {"orders": orders}))


def test_what_is_lost_by_noise() -> None:
    """Laplace noise of scale 2 in each notion that its page knows; closer values only where it has some."""
    laplace, normal = noisy("laplace"), noisy("normal-noise")
    assert losses.by_noise(1, laplace, told.THEORY, "pure").values == (("epsilon", HALF),)
    zcdp = losses.by_noise(1, laplace, told.THEORY, "zcdp")
    assert zcdp.values == (("rho", parsed("exp(-1/2) - 1/2")),) and not zcdp.whole
    assert zcdp.before(TWO, told.THEORY) == {"rho": parsed("exp(-1)")}
    assert losses.by_noise(1, normal, told.THEORY, "gaussian").values == (("mu", HALF),)
    renyi = losses.by_noise(1, noisy("normal-noise", "3"), told.THEORY, "renyi")
    assert renyi.values == (("epsilon", number(Fraction(3, 8))),) and str(renyi.orders) == "3"
    assert renyi.before(TWO, told.THEORY) == {"epsilon": number(Fraction(3, 2))}
    for made, notion, closer_ones in (
        (laplace, "pure", True),
        (laplace, "zcdp", True),
        (laplace, "gaussian", False),
        (noisy("normal-noise", "3"), "renyi", True),
    ):
        with pytest.raises(NoLoss, match=f"states no {notion} guarantee"):
            losses.by_noise(1, made, told.THEORY, notion, closer_ones)
    with pytest.raises(NoLoss, match="mechanism 2 is not given by noise"):
        losses.by_noise(2, laplace, told.THEORY, "pure")


def test_what_is_lost_by_a_guarantee() -> None:
    besides = {"stated": U, "domain": "own", "notion": "zcdp", "values": {"rho": "3"}}
    data = two().data()
    data["mechanisms"][0]["also"] = [besides]
    found = losses.by_guarantee(1, reading.read(data), told.THEORY)
    assert found == Loss(1, "pure", (("epsilon", ONE),), besides=(("zcdp", (("rho", THREE),)),))
    for values in ({}, {"rho": "1"}, {"epsilon": "1", "delta": "0"}):
        data["mechanisms"][0]["values"] = values
        with pytest.raises(NoLoss, match="a guarantee of pure has epsilon"):
            losses.by_guarantee(1, reading.read(data), told.THEORY)
    data["mechanisms"][0] |= {"also": [], "values": {"epsilon": "alpha"}, "orders": "(1, oo)"}
    with pytest.raises(NoLoss, match="a guarantee of pure says no orders"):
        losses.by_guarantee(1, reading.read(data | {"orders": "2"}), told.THEORY)


def test_as_many_members_are_there_as_move() -> None:
    """Of the second mechanism, a family of k; where it is not known yet."""
    made = of(mechanisms=(of(count=None), of(count=K)), assumed=())
    for members, least in (
        (((1, TWO), (2, ONE)), 3),
        (((2, ONE),), 2),
        (((1, ONE),), None),
        (((0, ONE),), None),
    ):
        found = families.needed(made, ((1, ONCE), (2, members)))
        assert [str(one) for one in found] == ([] if least is None else [f"k >= {least}"])
    assert families.needed(made, ((1, ((5, ONE),)), (2, ((K, ONE),)))) == ()
    assert len(families.needed(made, ((2, ((2, ONE),)), (2, ((2, ONE),))))) == 1
    made.assumed = (Assumption(K, ">=", TWO),)
    assert families.needed(made, ((2, ((2, ONE),)),)) == () != families.needed(made, ((2, ((3, ONE),)),))


def test_of_the_members_of_a_family_the_largest_parameter() -> None:
    tau = letter("e[i]", NONNEGATIVE)
    for value, count, largest in ((tau, K, terms.over(1, 2 * tau, K)), (D, K, 2 * D), (D, None, 2 * D)):
        made = Composition(
            (Loss(1, "tcdp", (("rho", E), ("tau", value))),), setting((count, "")), told.THEORY
        )
        assert made._of_any_member(1, TWO, "tau") == largest
