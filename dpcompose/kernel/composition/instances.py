"""Mechanisms that a setting allows, as tables of numbers with a row for each listed database.

What is stated of a mechanism says how close its outputs are at any two databases.  A table that keeps that at
all of them is such a mechanism, whether or not what is stated is a metric.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

from dpcompose.kernel.composition import losses
from dpcompose.kernel.composition.losses import Composition, NoLoss, mechanism_of
from dpcompose.kernel.core.classes import Databases
from dpcompose.kernel.core.concrete import Table as Given
from dpcompose.kernel.core.settings import ANY_TWO, Mechanism, Relation, Setting
from dpcompose.kernel.covers import distances
from dpcompose.kernel.covers.listed import Listed
from dpcompose.kernel.covers.products import Products
from dpcompose.kernel.covers.types import LARGEST, Type
from dpcompose.kernel.deciders.tables import promises
from dpcompose.kernel.deciders.tables.promises import Values
from dpcompose.kernel.deciders.tables.tables import Table
from dpcompose.kernel.expressions import formulas, terms
from dpcompose.kernel.expressions.certificates import number
from dpcompose.kernel.library.theory import Theory


def at_pairs(setting: Setting, theory: Theory, names: Sequence[str] = ()) -> Callable[[int, int], Type]:
    """The types of any two listed databases, by their numbers.  Raises ValueError where there are none.

    names -- of products the distances that are asked for besides those of the mechanisms.
    """
    if setting.distances:
        return Products(setting, theory, names).at_pairs()
    if not setting.databases.listed or setting.databases.count**2 > LARGEST:
        raise NoLoss("the databases are not listed, or too many")
    return distances.of_pairs(setting, lambda inputs: Listed(inputs, theory).at_pairs())


def promised(mechanism: Mechanism, setting: Setting, theory: Theory) -> Callable[[int, int], Values]:
    """What is promised of a mechanism, of which one guarantee is known, at any two listed databases."""
    alone = replace(setting, mechanisms=(mechanism,), flat=None)
    at, lost = at_pairs(alone, theory), Composition((losses.by_guarantee(1, alone, theory),), alone, theory)
    return lambda x, y: lost.at(at(x, y))


def with_tables(setting: Setting, theory: Theory, at: Mapping[str, Fraction], tables: Any) -> Setting:
    """The setting in which some mechanisms are tables of numbers, each of which keeps at a point what is said
    of it; for any two databases as neighbours, where claims are about these.

    tables -- by the numbers of the mechanisms, as texts, the rows of all databases.  Raises ValueError.
    """
    if not isinstance(tables, Mapping) or not tables:
        raise NoLoss("there are to be tables, by the numbers of mechanisms")
    listed = of_neighbours(setting)
    made = list(listed.mechanisms)
    for key, rows in tables.items():
        i = int(key) if isinstance(key, str) and key.isdecimal() and len(key) < 6 else 0
        mechanism, table = mechanism_of(setting, i), _table(rows, listed.databases.count)
        _check_any(mechanism)
        for n in range(len(mechanism.also) + 1):
            _check_kept(mechanism.with_only(n), setting, theory, at, table)
        made[i - 1] = replace(mechanism, table=table)
    same = _table([["1"]] * listed.databases.count, listed.databases.count)
    for mechanism in setting.mechanisms:  # the others say the same always, if they may
        if mechanism.metric is not None and (mechanism.noise, mechanism.table) == (None, None):
            for n in range(len(mechanism.also) + 1):
                _check_kept(mechanism.with_only(n), setting, theory, at, same)
    return replace(listed, mechanisms=tuple(made))


def of_neighbours(setting: Setting) -> Setting:
    """The setting, in which any two databases are neighbours where claims are about any two; then tables that
    mechanisms have already are left out, of which the metric in which they are stated is told.

    Raises NoLoss of databases that are not listed, and of a number of steps that is a letter.
    """
    parts = [part for _, part in setting.databases.parts] if setting.distances else [setting.databases]
    part = parts[0]
    if len(parts) > 1 or not isinstance(part, Databases) or not part.listed:
        raise NoLoss("the databases are not listed")
    if setting.target.times is not None:
        raise NoLoss("of how many steps neighbours are apart is a letter")
    if not setting.distances:
        return replace(setting, flat=None)
    mechanisms = tuple(replace(mechanism, table=None) for mechanism in setting.mechanisms)
    target = Relation(ANY_TWO)
    return replace(setting, databases=part, target=target, mechanisms=mechanisms, distances=(), flat=None)


def _table(rows: Any, count: int) -> Given:
    """A table of numbers from its data."""
    if not isinstance(rows, list) or len(rows) != count or not all(isinstance(row, list) for row in rows):
        raise NoLoss(f"a table has a row for each of {count} databases")
    read = tuple(tuple(terms.number(number(x)) for x in row) for row in rows)
    return Given("databases", tuple(map(str, range(len(read[0]) if read else 0))), read)


def _check_any(mechanism: Mechanism) -> None:
    """Raises NoLoss where a mechanism is not any single one with its guarantees."""
    given = (mechanism.noise, mechanism.table, mechanism.study, mechanism.sampled, mechanism.count)
    if given != (None,) * 5 or mechanism.dealt or mechanism.partition:
        raise NoLoss(f"{mechanism.name} is not just any mechanism with its guarantees")
    for metric in (mechanism.metric, *(stated.metric for stated in mechanism.also)):
        if metric is not None and metric.bounded:
            raise NoLoss(f"of what {mechanism.name} is stated in a bound alone is known")


def _check_kept(
    mechanism: Mechanism, setting: Setting, theory: Theory, at: Mapping[str, Fraction], given: Given
) -> None:
    """Raises NoLoss unless a table keeps a guarantee, at any two databases and in both orders."""
    table = Table.of(dict(enumerate(given.rows)))
    if mechanism.curve is not None or mechanism.notion not in promises.CHECKED:
        raise NoLoss(f"no table is checked for what is stated of {mechanism.name}")
    between = promised(mechanism, setting, theory)
    pairs = combinations(range(len(given.rows)), 2)
    values = (
        (x, y, {key: formulas.extended(value, at) for key, value in between(x, y).items()}) for x, y in pairs
    )
    finding = table.check(mechanism.notion, values)
    if finding.verdict != "proved":
        raise NoLoss(f"the table of {mechanism.name} is not seen to be as that is said: {finding.words}")
