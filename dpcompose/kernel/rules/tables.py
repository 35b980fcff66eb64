"""Claims decided by the rows of tables: all neighbours of a listed class, in both orders.

Where every mechanism whose input moves is a table, the outcomes of all of them together have distributions
that are known, the products of rows.  The claim says something of these two, and that is compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpcompose.kernel.composition import instances
from dpcompose.kernel.composition.given_tables import Together
from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.deciders.calculus import exponentials
from dpcompose.kernel.deciders.tables import promises
from dpcompose.kernel.expressions import formulas
from dpcompose.kernel.judgements import Refuted, Satisfies
from dpcompose.kernel.library.grounds import Grounds
from dpcompose.kernel.library.theory import Theory
from dpcompose.kernel.rules.mechanisms import pages_of_processing
from dpcompose.kernel.rules.premises import BadStep, Found, Premises, claimed, said
from dpcompose.kernel.rules.refutations import at_the_point, parts_page


def by_rows(setting: Setting, theory: Theory, premises: Premises, *, claim: Any) -> Found:
    """A claim holds where the rows keep it, at all neighbours and in both orders, for all letters."""
    said(premises)
    guarantee = claimed(claim, setting, theory)
    tables = Together(setting)
    for x, y in tables.neighbours:
        P, Q = tables.at(x, y)
        for one, other in ((P, Q), (Q, P)):
            breach = promises.broken(guarantee.notion, one, other, dict(guarantee.values), setting.orders)
            if breach is not None:
                raise BadStep(f"it is not so at the databases {x} and {y}: {breach.words}")
    return guarantee, _grounds(setting, theory, guarantee)


def against_rows(
    setting: Setting,
    theory: Theory,
    premises: Premises,
    *,
    claim: Any,
    point: Mapping[str, str],
    databases: Sequence[int],
    tables: Any = None,
) -> Found:
    """A claim is false where the rows of two neighbours, in this order, break it at a point; of divergences
    of many orders the point says at which.

    tables -- of mechanisms that are none such as the setting allows, a row of numbers for each database.
    """
    said(premises)
    guarantee = claimed(claim, setting, theory)
    if setting.distances and tables is None:
        raise BadStep("there are no tables")
    rows = Together(instances.of_neighbours(setting))
    if len(databases) != 2 or not rows.are_neighbours(*databases):
        raise BadStep("the databases are no neighbours")
    x, y = databases
    at, there = _at_databases(setting, theory, guarantee, point, x, y)
    if tables is not None:
        rows = Together(instances.with_tables(setting, theory, at, tables))
    P, Q = ([exponentials.value_at(p, at) for p in row] for row in rows.at(x, y, whole=False))
    values = {key: formulas.extended(value, at) for key, value in there.values}
    if promises.broken(guarantee.notion, P, Q, values, setting.orders_at(at)) is None:
        raise BadStep("the rows of the databases keep the claim in this order")
    refuted = Refuted(guarantee.notion, guarantee.values, tuple(sorted(at.items())))
    return refuted, _grounds(setting, theory, guarantee) | parts_page(theory)


def _at_databases(
    setting: Setting, theory: Theory, claim: Satisfies, point: Mapping[str, str], x: int, y: int
) -> tuple[Mapping[str, Fraction], Satisfies]:
    """An allowed point, and what a claim says of two listed databases."""
    names = sorted({name for _, value in claim.values for name in value.letters})
    type = instances.at_pairs(setting, theory, names)(x, y) if setting.distances else None
    return at_the_point(setting, theory, type, point, claim, claim)


def _grounds(setting: Setting, theory: Theory, guarantee: Satisfies) -> Grounds:
    """What a comparison by rows rests on."""
    pages = frozenset({theory.procedure("rows of tables"), theory.rule(guarantee.notion).id})
    return Grounds(pages | pages_of_processing(theory, *setting.mechanisms), frozenset({"tables"}))
