"""Covers: finitely many types of neighbours that stand for all of them, and how far they move each input.

    records   one pair for each type of edit: which atoms lose how many records, and which gain them
    policies  the same where steps are edges: which records may become which, or come or go
    contributions  m rows in each of L parts, of one person: which parts lose them, and which gain some
    persons   m rows of each of several persons: of how many of them some lie in which part
    room_for_rows  whether databases of limited sizes have as many rows
    cells     one pair for each largest set of cells that neighbours change
    listed    the neighbours themselves
    steps     the furthest neighbours: every mechanism reads everything and is stated in the target's steps
    arrays    what the setting states: counted outside of the kernel
    apart     of one person's rows in any L of many parts that are read apart
    alike     of records that are each read by a mechanism of its own, all stated alike, the first few
    sunflowers  replacements in many atoms that share readers: pairs gathered where they share the same ones
    groups    the types of single steps, m times as far: of groups of any number m of steps
    longer    those among at most n records, some of which are two steps apart
    corners   of groups of many edits, the types at which convex losses are largest
    distances  the types of all distances together, where mechanisms are stated in formulas of such
    products  any two databases of several parts, told by letters

How far an input moves is counted in the metric in which the mechanism's guarantee is stated: canonical, in
closed form by a fact page, by the fewest blocks, or by shortest paths; of noise, how far the query's value
moves.  Distances never fall when more changes, so the types that no other one exceeds decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial

from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers import distances, groups, longer, sizes
from dpcompose.kernel.covers.alike import Alike
from dpcompose.kernel.covers.apart import Apart
from dpcompose.kernel.covers.arrays import Arrays
from dpcompose.kernel.covers.cells import Cells
from dpcompose.kernel.covers.contributions import Contributions
from dpcompose.kernel.covers.corners import Corners
from dpcompose.kernel.covers.covering import first_of
from dpcompose.kernel.covers.listed import Listed
from dpcompose.kernel.covers.persons import Persons
from dpcompose.kernel.covers.policies import Policies
from dpcompose.kernel.covers.products import Products
from dpcompose.kernel.covers.records import Records
from dpcompose.kernel.covers.steps import Steps
from dpcompose.kernel.covers.sunflowers import Sunflowers
from dpcompose.kernel.covers.types import Cover
from dpcompose.kernel.library.theory import Theory

KINDS: Mapping[str, type[Records | Policies | Contributions | Cells | Listed | Steps | Arrays]] = {
    "records": Records,
    "policies": Policies,
    "contributions": Contributions,
    "cells": Cells,
    "listed": Listed,
    "steps": Steps,
    "arrays": Arrays,
}

BY_FEW: Mapping[str, tuple[type[Alike | Sunflowers | Apart], ...]] = {
    "records": (Alike, Sunflowers),
    "contributions": (Apart,),
}
"""The covers in which few types stand for many that move other inputs alike."""

FEW = 50_000
"""How many records are written down in all types of several steps before those at corners are asked for."""


@lru_cache(maxsize=32)
def cover(
    setting: Setting,
    theory: Theory,
    every: bool = False,
    of: tuple[str, ...] = (),
    bounds: tuple[str, ...] = (),
) -> Cover:
    """The types of neighbours of a setting's target.  Raises NoPage where no lemma covers them.

    Of settings that are equal, to the last term, it is found once by a theory.

    every -- whether types may not be left out, as convex losses that add up are no larger at them, nor told
    by some of the mechanisms that are alike;
    of -- on products, distances that claims are about; bounds -- those that are shown to be at most theirs.
    """
    sizes.check(setting)
    if setting.databases.parts:
        return Products(setting, theory, of, bounds).cover()
    found = _cover(setting, theory, every)
    if (corner := sizes.corner(setting)) is not None:
        exceeding = cover(corner, theory, every)
        if any(type.choices for type in exceeding.types):
            exceeding = cover(corner, theory, True)
        sizes.check_exceeded(setting, found, exceeding)
    return found


def _cover(setting: Setting, theory: Theory, every: bool) -> Cover:
    """The types at the numbers that stand for letters."""
    setting = groups.of_any_two(setting)
    kind = KINDS[setting.databases.kind]
    single = setting.target.times is None and setting.target.steps == 1
    if any(mechanism.metric is not None for mechanism in setting.mechanisms):
        if kind.by_formulas and single:
            return kind(setting, theory).cover()
        return distances.cover(setting, theory, cover, every)
    if setting.target.times is not None:
        enough = kind(setting, theory).enough_steps
        apart = None if enough is None else partial(longer.cover, setting, theory, cover, kind, enough)
        return groups.cover(setting, theory, cover, enough, every, apart)
    if any(
        mechanism.stated is not None and mechanism.stated.times is not None
        for mechanism in setting.mechanisms
    ):
        return groups.of_fewest(setting, theory, lambda some, known: _cover(some, known, every))
    for fewer in () if every else BY_FEW.get(setting.databases.kind, ()):
        if (found := fewer(setting, theory).cover_by_few()) is not None:
            return found
    if setting.databases.of_rows and (of_persons := Persons(setting, theory)).differ:
        single_steps = [] if every else [lambda: groups.cover(setting, theory, cover)]
        first = [kind(setting, theory).cover] if setting.target.steps == 1 else single_steps
        return first_of([*first, of_persons.cover])
    if every or setting.target.steps == 1:
        return kind(setting, theory).cover()
    ways = [kind(setting, theory, FEW).cover, kind(setting, theory).cover]
    if kind is Records:
        ways.insert(-1, Corners(setting, theory).cover)
    if groups.are_scaled(setting):
        ways.insert(-1, lambda: groups.cover(setting, theory, cover))
    return first_of(ways)
