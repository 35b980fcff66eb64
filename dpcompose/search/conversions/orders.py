"""Claims about divergences of other orders than a setting speaks of, and claims that follow from some order.

A guarantee of divergences is one at all of its orders: what follows from any of them holds, such as an ε at a
δ, and from all of them follows what is a number times the order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from dpcompose.kernel.composition import losses
from dpcompose.kernel.core.orders import ALPHA, Curve, Orders
from dpcompose.kernel.core.reader import BadSetting
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.expressions.terms import Term
from dpcompose.kernel.judgements import Satisfies
from dpcompose.kernel.library.heads import LAST_ORDER
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.orders import implied
from dpcompose.kernel.rules.premises import claimed
from dpcompose.kernel.theorems import NoTheorem, Prover
from dpcompose.search import guarantees
from dpcompose.search.comparisons.weakening import weakened
from dpcompose.search.guarantees import NoGuarantee, Workshop
from dpcompose.search.verdicts import Verdict, Verdicts

TRIED = (
    Fraction(3, 2),
    *map(Fraction, (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 128, 256)),
    Fraction(5, 4),
)
"""From which orders it is tried to show a claim."""


def in_other_orders(prover: Prover, verdict: Verdict, orders: Orders) -> Verdict:
    """A verdict where some orders are spoken of, as one about a setting that speaks of others."""
    if verdict.theorem is None:
        return verdict
    made = (
        None if one is None else prover.by("at_orders", one, orders=str(orders))
        for one in (verdict.theorem, verdict.shown)
    )
    theorem, shown = made
    return replace(verdict, theorem=theorem, shown=shown)


def decided(shop: Workshop, setting: Setting, claim: Mapping[str, str]) -> Verdict | None:
    """The verdict on a claim by what is known at all orders, at the first ones, or at one of them; None where
    these do not decide it.

    shop -- what proofs share about the setting, with noise stated in the notion of the claim.
    """
    verdict = by_all_orders(shop, claim) or by_first_orders(setting, shop.theory, claim)
    return verdict or by_some_order(setting, shop.theory, claim)


def by_some_order(setting: Setting, theory: Theory, claim: Mapping[str, str]) -> Verdict | None:
    """A claim in another notion that is proved from the divergences of one order."""
    known = setting.orders
    if known is None or known.only is not None or theory.rule(claim["notion"]).head.ordered:
        return None
    prover = Prover(setting, theory)
    for order in (value for value in TRIED if known.domain.contains(value)):
        at = Orders.read(str(order))
        with suppress(NoGuarantee, BadSetting, NoTheorem):
            verdict = Verdicts(guarantees.workshop(setting.at_orders(at), theory)).on(claim)
            if verdict.word == "proved":
                return replace(in_other_orders(prover, verdict, at), guarantees=None, loose=None, shown=None)
    return None


def by_all_orders(shop: Workshop, claim: Mapping[str, str]) -> Verdict | None:
    """A claim that follows from the divergences of which a setting speaks: it is read as one about these, and
    back."""
    theory, orders = shop.theory, shop.setting.orders
    if orders is None:
        return None
    with suppress(ValueError):
        said = claimed(dict(claim), shop.setting, theory)
        for ordered, page, back in _and_back(theory, said.notion, orders):
            about, values = theory.page(page, "conversion"), dict(said.values)
            values = losses.converted(theory, about, values, {}, within=True, orders=orders)
            asked = {"notion": ordered, "orders": str(orders)}
            asked |= {key: formulas.to_text(value) for key, value in values.items()}
            verdict = Verdicts(shop).on(asked)
            if (
                verdict.word != "proved"
                or verdict.theorem is None
                or not isinstance(verdict.theorem.says, Satisfies)
            ):
                continue
            with suppress(NoTheorem):
                made = shop.prover.by("change", verdict.theorem, page=back, chosen={})
                if (theorem := weakened(shop.prover, made, claim)) is not None:
                    return Verdict(claim, "proved", theorem)
    return None


def by_first_orders(setting: Setting, theory: Theory, claim: Mapping[str, str]) -> Verdict | None:
    """A claim about the first orders, up to one that it says: by the divergences of these."""
    with suppress(ValueError, NoGuarantee, NoTheorem):
        said = dict(claimed(dict(claim), setting, theory).values)
        for back in theory.of_kind("conversion"):
            if back.head.to != claim["notion"] or back.head.orders != "first":
                continue
            for last in _last(back, said):
                at = Orders.read(f"(1, {last})")
                shop = guarantees.workshop(setting.at_orders(at), theory)
                verdict = by_all_orders(shop, claim) or Verdicts(shop).on(claim)
                if verdict.word != "undecided":
                    prover = Prover(setting, theory)
                    return replace(in_other_orders(prover, verdict, at), guarantees=None)
    return None


def _last(back: Any, said: Mapping[str, Term]) -> Iterator[Fraction]:
    """The order up to which a claim is about divergences, by the page that leads to its notion."""
    for key, text in back.head.parameters.items():
        value = said[key].number
        if text == f"1/{LAST_ORDER}" and value:
            yield 1 / value


def beyond(
    claim: Mapping[str, str], prover: Prover, about: Callable[[Mapping[str, str]], Verdict]
) -> Verdict | None:
    """A claim about divergences of orders of which a guarantee says nothing, refuted by what it implies.

    about -- judges claims of other notions.
    """
    setting, theory = prover.setting, prover.theory
    with suppress(ValueError, NoTheorem):
        orders = Orders.read(claim["orders"])
        ((key, text),) = ((key, text) for key, text in claim.items() if key not in ("notion", "orders"))
        value = formulas.parse(text, {**setting.symbols, ALPHA: orders.order})
        first = (page for page in theory.of_kind("conversion") if page.head.orders == "first")
        pages = [page for page in first if page.head.from_ == claim["notion"]]
        for page, at in product(pages, _late(orders, setting.orders)):
            there, below = implied(value, orders, at)
            values = losses.converted(theory, page, {key: there}, {}, orders=below)
            texts = {name: formulas.to_text(term) for name, term in values.items()}
            verdict = about({"notion": page.head.to, **texts})
            if verdict.word == "refuted" and verdict.theorem is not None:
                asked = {"claim": dict(claim), "order": str(at), "page": page.id}
                return Verdict(claim, "refuted", prover.by("beyond", verdict.theorem, **asked))
    return None


def _late(orders: Orders, known: Orders | None) -> Sequence[Orders]:
    """A few of some orders: the last one, or some near it; where there is none, one beyond what is known."""
    low, high = orders.domain.least or Fraction(1), orders.last
    if high is None:
        return [Orders.read(str(2 * max((known and known.last) or low, max(TRIED))))]
    if orders.domain.contains(high):
        return [Orders.read(str(high))]
    return [Orders.read(str(high - (high - low) / 2**n)) for n in (2, 5)]


MOST = 10**12
"""How large the denominator is at most of the end of orders that are looked at."""


def within_reach(shop: Workshop) -> Orders | None:
    """The orders up to which something is known where inputs are several steps apart; None where nothing is
    said, or these are all of which the setting speaks."""
    known = shop.setting.orders
    ends = [] if known is None else list(_ends(shop))
    if known is None or not ends:
        return None
    end, is_open = min(ends, key=lambda one: (one[0], not one[1]))
    if end.denominator > MOST:
        return None
    domain = known.domain
    if known.only is not None:
        return Orders.read(str(end)) if 1 < end < known.only else None
    if domain.greatest is not None and end >= domain.greatest:
        return None
    orders = Orders(replace(domain, greatest=end, open_greatest=is_open))
    return orders if domain.least is not None and domain.least < end else None


def _ends(shop: Workshop) -> Iterator[tuple[Fraction, bool]]:
    """Of each guarantee of some orders the end of those of which it says something at the distances there
    are, and whether it says nothing of that."""
    for i, r in ((i, r) for type in shop.types.types for i, some in type.moves for _, r in some):
        curve: Curve | None = guarantees.loss_of(shop.stated[i - 1]).curve
        if curve is None or (high := curve.orders.domain.greatest) is None or r.number is None:
            continue
        if r.number.denominator == 1:
            yield 1 / (1 - (1 - 1 / high) ** int(r.number)), curve.orders.domain.open_greatest


def _and_back(theory: Theory, notion: str, orders: Orders) -> Iterator[tuple[str, str, str]]:
    """The notions of all orders to which a page leads from a notion, and another one back, with the pages."""
    for back in theory.of_kind("conversion"):
        if back.head.orders and back.head.to == notion and orders.are(back.head.orders):
            for page in theory.of_kind("conversion"):
                if (page.head.from_, page.head.to) == (notion, back.head.from_) and not page.head.free:
                    yield back.head.from_, page.id, back.id
