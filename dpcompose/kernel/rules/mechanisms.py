"""What each mechanism loses: by what the setting says of it, or by what a conversion page makes of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dpcompose.kernel.composition import given_tables, losses
from dpcompose.kernel.composition.losses import Converted, Loss
from dpcompose.kernel.core.orders import Curve, Orders
from dpcompose.kernel.core.settings import Mechanism, Setting
from dpcompose.kernel.expressions import terms
from dpcompose.kernel.judgements import Loses, OfOrders, Satisfies
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.premises import BadStep, Found, Premises, conversion, one_of, read_values, said


def given(setting: Setting, theory: Theory, premises: Premises, *, i: int, page: str | None = None) -> Found:
    """M_i loses what the setting says of it: this is assumed.

    page -- that by which a guarantee of another notion says the same.
    """
    said(premises)
    mechanism = _with_alike(i, setting)
    tabled = mechanism.table is not None and not setting.distances  # else it is as far as its distance says
    if mechanism.noise is not None or tabled or mechanism.study is not None:
        raise BadStep(f"{mechanism.name} is not given by a guarantee alone")
    loss, sampled = losses.by_guarantee(i, setting, theory), mechanism.sampled is not None
    pages = own_pages(setting, theory, i) | {theory.rule(loss.notion).id}
    if page is not None:
        loss = _restated(loss, mechanism, theory, page)
        pages |= {page, theory.rule(loss.notion).id}
    return Loses(loss), Grounds(pages, frozenset({"ranges"} if sampled else ()))


def _restated(loss: Loss, mechanism: Mechanism, theory: Theory, id: str) -> Loss:
    """A guarantee as one of another notion that says the same of M_i, by a page that leads both ways."""
    page = conversion(theory, id, loss.notion)
    if not page.head.both_ways:
        raise BadStep(f"{id} leads one way only")
    if mechanism.sampled is not None or mechanism.metric is not None:
        raise BadStep(f"{mechanism.name} is run on a sample, or stated in a metric")
    orders = loss.orders if mechanism.curve is None else mechanism.curve.orders
    stated = replace(loss, orders=orders).before(terms.ONE, theory)
    values = losses.converted(theory, page, stated, {}, orders=orders)
    return replace(loss, notion=page.head.to, values=tuple(values.items()), curve=None)


def _with_alike(i: int, setting: Setting) -> Mechanism:
    """M_i, of which all guarantees are for the same neighbours."""
    mechanism = losses.mechanism_of(setting, i)
    if not mechanism.has_alike:
        raise BadStep(f"{mechanism.name} has several guarantees, of which one is to be chosen")
    return mechanism


def noise(
    setting: Setting, theory: Theory, premises: Premises, *, i: int, notion: str, closer: bool = False
) -> Found:
    """M_i loses what the page of its noise says for values of its query that are 1 apart; closer -- what it
    says besides, of values that are r apart."""
    said(premises)
    law = losses.mechanism_of(setting, i).noise
    loss = losses.by_noise(i, setting, theory, notion, closer)
    pages = frozenset({law.page if law else "", theory.rule(notion).id})
    kept = pages_of_processing(theory, setting.mechanisms[i - 1])
    return Loses(loss), Grounds(pages | kept, frozenset({"ranges"}))  # which sees that the parameter fits


def table(setting: Setting, theory: Theory, premises: Premises, *, i: int) -> Found:
    """M_i loses what the setting says of it, which its table is checked to have."""
    said(premises)
    _with_alike(i, setting)
    given_tables.check(i, setting)
    loss = losses.by_guarantee(i, setting, theory)
    pages = own_pages(setting, theory, i) | {theory.rule(loss.notion).id}
    return Loses(loss), Grounds(pages, frozenset({"tables"}))


def study(setting: Setting, theory: Theory, premises: Premises, *, i: int) -> Found:
    """M_i is a composition itself, on what it reads, and loses what a theorem about that says."""
    mechanism, guarantee, orders = losses.mechanism_of(setting, i), *_satisfied(setting, premises)
    if mechanism.study is None or mechanism.study.hash != premises[0].setting or mechanism.domain != "own":
        raise BadStep(f"the theorem is not about the study of {mechanism.name}")
    loss = Loss(i, guarantee.notion, guarantee.values, orders=setting.orders)
    if theory.rule(guarantee.notion).head.ordered and orders is not None and setting.orders is not None:
        ((key, value),) = guarantee.values
        curve = Curve(orders, value)
        loss = replace(loss, values=((key, curve.at(setting.orders)),), curve=curve)
    return Loses(loss), Grounds(own_pages(setting, theory, i) | {theory.rule(loss.notion).id})


def _satisfied(setting: Setting, premises: Premises) -> tuple[Satisfies, Orders | None]:
    """The guarantee that the only premise states, and of divergences for which orders."""
    if len(premises) == 1 and isinstance(premises[0].says, OfOrders):
        said = premises[0].says
        if isinstance(said.of, Satisfies):
            return said.of, Orders.read(said.orders)
    return one_of(premises, Satisfies), setting.orders


def convert(
    setting: Setting,
    theory: Theory,
    premises: Premises,
    *,
    page: str,
    chosen: Mapping[str, str] | None = None,
) -> Found:
    """M_i loses what a conversion page says in another notion."""
    loss = one_of(premises, Loses).loss
    head = conversion(theory, page, loss.ends(theory)).head
    made = replace(loss, then=(*loss.then, Converted(page, read_values(chosen or {}, setting))))
    made.at(terms.ONE, theory)
    return Loses(made), Grounds(frozenset({page, theory.rule(head.to).id}))


def own_pages(setting: Setting, theory: Theory, i: int) -> frozenset[str]:
    """The page by which a guarantee holds in the distance of what is read, and its lemmas; and the page by
    which functions of outputs keep it, or filters or samples do."""
    mechanism = losses.mechanism_of(setting, i)
    if setting.distances:
        return pages_of_processing(theory, mechanism)
    changed = any(numbers is not None for numbers in mechanism.reads) or bool(mechanism.codes)
    common = mechanism.domain == "common" and changed
    metric = "push-forward" if common else "canonical"
    page = theory.first(
        "step", lambda page: page.head.metric == metric, f"no page states guarantees in the {metric} metric"
    )
    from_ = [page.id]
    if mechanism.curve is not None:  # whose lemma says what is known some steps further
        from_.append(theory.rule(mechanism.notion).id)
    return (
        frozenset({page.id}) | theory.lemmas(from_, mechanism.notion) | pages_of_processing(theory, mechanism)
    )


def pages_of_processing(theory: Theory, *some: Mechanism) -> frozenset[str]:
    """The pages by which functions of outputs, what filters stop, and what is run on samples or on deals
    have guarantees, where some mechanisms are such."""
    made = {(of, mechanism.notion) for mechanism in some for of in mechanism.made_of}
    sampled = {
        (mechanism.sampled.page, mechanism.notion) for mechanism in some if mechanism.sampled is not None
    }
    drawn = frozenset({page for page, _ in sampled}).union(*(theory.lemmas([id], of) for id, of in sampled))
    pages = {(_about(theory, of, notion).id, notion) for of, notion in made}
    lemmas = (theory.lemmas([id], notion) for id, notion in pages)
    return drawn | frozenset(id for id, _ in pages).union(*lemmas)


def _about(theory: Theory, of: str, notion: str) -> Any:
    """The page on mechanisms that are made so in a notion.  Raises NoPage."""
    otherwise = f"no page is about {of} in {notion} privacy"
    return theory.first("processing", lambda page: page.head.is_about(of, notion), otherwise)
