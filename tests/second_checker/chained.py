"""Curves of mechanisms with several guarantees, and of those that are run on samples, by concave functions.

Of what is run on a sample with rate s, a records leave what it reads and b enter it: both databases are compared with
what they share, by the mean over how many are in the sample (poisson-sampling.md, groups).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from math import comb
from typing import TYPE_CHECKING, Any

from second_checker import chains, enclosures, normals, profiles, sampled
from second_checker.chains import IDENTITY, ONE, ZERO, Concave
from second_checker.enclosures import INF, Interval
from second_checker.forms import Form, number
from second_checker.losses import Promise
from second_checker.outcomes import NotRead, demand

if TYPE_CHECKING:
    from second_checker.pieces import Curves

Pair = tuple[int, int]
Point = Mapping[str, Fraction]
MOST = 200_000
ONE_RECORD = {(0, 1), (1, 0)}


@dataclass(frozen=True)
class Height:
    """δ at an ε, enclosed, and whether it is seen to be larger at every smaller ε."""

    low: Fraction
    high: Fraction
    falls: bool


def is_chained(mechanism: Any) -> bool:
    """Whether a mechanism is run on a sample, or has several guarantees."""
    return "also" in mechanism or "sampled" in mechanism


def heights(
    curves: Curves, promises: list[Promise], page: Any, point: Point | None, epsilon: Form
) -> list[Height]:
    """δ at ε for each type of neighbours, in both orders."""
    factor = curves.losses.algebra.enclose(curves.losses.algebra.exp(epsilon), point or {})
    found = []
    for moving in types(curves, promises, point or {}):
        every = [
            tuple(function(curves, one, page, point or {}, up) for one in moving) for up in (False, True)
        ]
        for turned in (False, True):
            low, high = (together(functions, turned) for functions in every)
            found.append(
                Height(
                    excess(low, factor[1]),
                    excess(high, factor[0]),
                    any(p >= factor[1] * q > 0 for p, q in low),
                )
            )
    demand(bool(found), "a curve without neighbours")
    return found


def excess(outcomes: list[tuple[Fraction, Fraction]], factor: Any) -> Fraction:
    """What is more probable at the one database than a factor times at the other."""
    return sum((max(ZERO, p - Fraction(factor) * q) for p, q in outcomes), ZERO)


@lru_cache(maxsize=64)
def together(functions: tuple[tuple[Concave, int], ...], turned: bool) -> list[tuple[Fraction, Fraction]]:
    """The outcomes of independent mechanisms, those with one ratio as one."""
    total = [(ONE, ONE)]
    for one, many in functions:
        outcomes = (one.mirrored() if turned else one).outcomes
        for _ in range(many):
            if len(total) * len(outcomes) > MOST:
                raise NotRead("curve", "of too many different losses")
            merged: dict[Any, tuple[Fraction, Fraction]] = {}
            for p, q in total:
                for x, y in outcomes:
                    key = q * y / (p * x)
                    a, b = merged.get(key, (ZERO, ZERO))
                    merged[key] = a + p * x, b + q * y
            total = list(merged.values())
    return total


# -- what moves ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Moved:
    """Members of a mechanism that move by a distance, and how many records leave and enter what they read."""

    mechanism: int
    member: int | None
    many: int
    distance: Any
    records: Pair


def types(curves: Curves, promises: list[Promise], point: Point) -> Iterator[list[Moved]]:
    """The types of neighbours: one record comes or goes, or all is read and it is told how many do."""
    core, own = curves.losses.core, {one.mechanism for one in promises}
    target, base = core["target"], core["databases"]
    edits = {tuple(edit) for edit in target["single"]} if isinstance(target["single"], list) else set()
    one = base["kind"] == "records" and edits <= ONE_RECORD and target["steps"] == 1 and bool(edits)
    if one or not any("sampled" in core["mechanisms"][i] for i in own):
        for vector in curves.losses.vectors:
            yield [
                Moved(x.mechanism, x.member, x.many, x.distance, (0, 1))
                for x in curves.moving(vector, point)
                if x.mechanism in own
            ]
        return
    plain = (
        base["kind"] == "records" and base["size"] == ["any", None] and not {"least", "letter"} & set(base)
    )
    if (
        not plain
        or target["single"] == "any two"
        or any(core["mechanisms"][i]["reads"] != [None] for i in own)
    ):
        raise NotRead("sampled", "of which it is not told how many records come and go")
    for gone, come in sampled.pairs(core):
        found = []
        for i in sorted(own):
            mechanism = core["mechanisms"][i]
            if "stated" not in mechanism:
                raise NotRead("sampled", "beside noise")
            stated = {key: x for key, x in mechanism["stated"].items() if key != "within"}
            far = profiles.moved(mechanism | {"stated": stated}, None, [0] * gone, [0] * come, base)
            alike = not curves.own_letters(i)
            members = range(1, curves.count(i, point) + 1)
            some = [(None, len(members))] if alike else [(n, 1) for n in members]
            found += [Moved(i, n, many, far, (gone, come)) for n, many in some]
        yield found


# -- functions of a mechanism ----------------------------------------------------------------------------


def function(curves: Curves, one: Moved, page: Any, point: Point, up: bool) -> tuple[Concave, int]:
    """The function of members that move, from above or below, and how many these are."""
    mechanism = curves.losses.core["mechanisms"][one.mechanism]
    if "noise" in mechanism or "study" in mechanism or "table" in mechanism:
        raise NotRead("curve", "of noise, studies or tables beside several guarantees")
    every = [mechanism, *mechanism.get("also", [])]
    if one.distance == INF or any("oo" in x["values"].values() for x in every):
        return Concave(((ZERO, ONE), (ONE, ONE))), one.many
    single = step(curves, mechanism, one, page, point, up)
    if "sampled" not in mechanism:
        found = IDENTITY
        for _ in range(int(one.distance)):
            found = single.after(found).short(up)
        return found, one.many
    table = curves.losses.library.one(mechanism["sampled"]["page"])
    if "rate" not in table or table["how"] not in ("poisson", "poisson-replaced"):
        raise NotRead("sampled", "of which it is not seen what they lose")
    algebra = curves.losses.algebra
    names = {key: algebra.read(text) for key, text in mechanism["sampled"]["values"].items()}
    low, high = curves.value(algebra.read(table["rate"], names), one.member, point)
    rate = Fraction(high if up else low)
    gone, come = one.records
    return on_samples(single, rate, come).after(on_samples(single, rate, gone).mirrored()).short(up), one.many


def on_samples(single: Concave, rate: Fraction, many: int) -> Concave:
    """The mean over how many of some records are in the sample, each of them one step."""
    steps = [IDENTITY]
    for _ in range(many):
        steps.append(single.after(steps[-1]))
    return chains.mixed([comb(many, j) * rate**j * (1 - rate) ** (many - j) for j in range(many + 1)], steps)


def step(curves: Curves, mechanism: Any, one: Moved, page: Any, point: Point, up: bool) -> Concave:
    """The least function of all guarantees of a mechanism, for one step."""
    algebra, lines, noises = curves.losses.algebra, [], []
    for x in [mechanism, *mechanism.get("also", [])]:
        demand(
            {"stated": x["stated"], "domain": x["domain"]}
            == {key: mechanism[key] for key in ("stated", "domain")},
            "guarantees for other neighbours",
        )
        demand(x["notion"] in page["parts"], "a page that says nothing of a notion")
        own = {key: algebra.read(text) for key, text in x["values"].items()}
        forms = {
            key: algebra.read(text, {**own, "r": number(1)})
            for key, text in page["parts"][x["notion"]].items()
        }
        values = {key: curves.value(form, one.member, point) for key, form in forms.items()}
        demand(all(low >= 0 for low, _ in values.values()), "a piece below 0")
        if set(values) == {"epsilon", "delta"}:
            factor = curves.value(algebra.exp(forms["epsilon"]), one.member, point)
            lines += of_guarantee(factor, values["delta"], up)
        elif set(values) == {"square"}:
            noises.append(values["square"])
        else:
            raise NotRead("curve", "of guarantees that are no straight lines, beside others")
    if not noises:
        return chains.least(lines)
    if len(noises) > 1 or lines or (one.distance != 1 and "sampled" not in mechanism):
        raise NotRead("curve", "of normal noise beside others, or at a distance")
    return above_noise(noises[0]) if up else below_noise(noises[0])


def of_guarantee(factor: Interval, delta: Interval, up: bool) -> list[tuple[Fraction, Fraction]]:
    """The lines of a guarantee, in both orders: slopes, e^ε first, and values at 0; they fall with neither ε nor δ."""
    c = Fraction(factor[up])
    d = min(ONE, Fraction(delta[up]))
    return [(c, d), (1 / c, 1 - (1 - d) / c)]


GRID, FAR, DIGITS = 6, 6, 2**40
"""How many points of normal noise there are to a standard deviation, how far they reach; digits of its μ."""


@cache
def probability(t: Fraction) -> Interval:
    """Φ(t)."""
    return normals.below(t)


@cache
def above_noise(square: Interval) -> Concave:
    """Tangents of Φ(t) ↦ Φ(t + μ), with the slopes exp(−μt − μ²/2); with a larger slope the value at 0 falls."""
    mu = Fraction(-int(-enclosures.power(square, Fraction(1, 2))[1] * DIGITS // 1), DIGITS)
    lines = []
    for n in range(-FAR * GRID, FAR * GRID + 1):
        t = Fraction(n, GRID)
        low, high = enclosures.exponential((-mu * t - mu * mu / 2, -mu * t - mu * mu / 2))
        below = Fraction(probability(t + mu)[1]) - Fraction(low) * Fraction(probability(t)[0])
        lines.append((Fraction(high), below))
    return chains.least(lines).short(True)


@cache
def below_noise(square: Interval) -> Concave:
    """Corners below Φ(t) ↦ Φ(t + μ)."""
    mu = Fraction(int(enclosures.power(square, Fraction(1, 2))[0] * DIGITS // 1), DIGITS)
    every = [Fraction(n, GRID) for n in range(-FAR * GRID, FAR * GRID + 1)]
    points = [(Fraction(probability(t)[1]), Fraction(probability(t + mu)[0])) for t in every]
    return chains.hull([(ZERO, ZERO), *points]).short(False)
