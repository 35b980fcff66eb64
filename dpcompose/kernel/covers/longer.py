"""Covers of groups of any number m of steps among at most n records, some of which are two steps apart.

Of two databases as many as min(m, n) records are one step apart, and min(n, max(0, m - n)) of these two: more
steps than records are left over for those that are further apart.  Where losses are convex, all that are one
step apart may be alike, and so may all that are two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

from dpcompose.kernel.core.settings import Setting
from dpcompose.kernel.covers.covering import Covering
from dpcompose.kernel.covers.groups import PROCEDURE, check_by_distance, of_single_steps
from dpcompose.kernel.covers.types import Cover, NoCover, Type
from dpcompose.kernel.expressions.terms import ZERO, Term, largest, least, number
from dpcompose.kernel.library.theory import Theory

MOST_TYPES = 2_000
"""Of how many pairs of types one is taken for some records, and the other for the rest."""


def cover(
    setting: Setting,
    theory: Theory,
    single: Callable[[Setting, Theory, bool], Cover],
    kind: Callable[[Setting, Theory], Covering],
    enough: Term,
) -> Cover:
    """The types of pairs of records one step and two steps apart, as often as m steps lead so far.

    Raises NoCover.  single -- covers of a number of steps; kind -- how the class is told; enough -- how many
    steps lead as far as any number.
    """
    databases, m = setting.databases, setting.target.times or number(setting.target.steps)
    n, there = databases.largest, databases.size[1]
    if n is None or there is None or enough != 2 * n or databases.from_some_size_on or databases.beside:
        raise NoCover(
            "among some number of records any number of steps is told where no record is more than two away "
            "from another one; a number of steps would do"
        )
    for mechanism in setting.mechanisms:
        check_by_distance(mechanism)
        if mechanism.stated is None or mechanism.stated.steps > 1 or mechanism.stated.any_two:
            raise NoCover(
                f"{mechanism.name} adds noise, or is stated for groups or for any two databases, and records "
                "are two steps apart; state it for single steps"
            )
    few, many = (of_single_steps(_of_size(setting, k), theory) for k in (1, max(2, there)))
    steps = [replace(few, target=replace(few.target, steps=s)) for s in (1, 2)]
    ones, twos = (single(some, theory, True) for some in steps)
    moves = {type.moves for type in ones.types}
    apart = [two for two in twos.types if two.moves not in moves]
    alike = [type for type in ones.types if type.moves in {two.moves for two in twos.types}]
    if any(r.kind == "oo" for type in (*ones.types, *apart) for _, some in type.moves for _, r in some):
        raise NoCover("a step moves what is read by more than any number of steps of its guarantee")
    if len(ones.types) * len(apart) > MOST_TYPES:
        raise NoCover("records differ in too many ways by one step and by two; fewer record sets would do")
    told = kind(many, theory)
    types = [_alike(type, least(m, n)) for type in alike]
    types += [_together(one, two, m, n, told) for one, two in product(ones.types, apart)]
    every = frozenset(range(1, len(setting.mechanisms) + 1))
    metrics = tuple((*pages, ones.page) for pages in twos.metrics)
    page = theory.procedure(PROCEDURE)
    return Cover(tuple(types), page, ones.gone_through + twos.gone_through, metrics, every)


def _of_size(setting: Setting, n: int) -> Setting:
    """The same on databases of a number of records."""
    databases = setting.databases
    return replace(setting, databases=replace(databases, size=(databases.size[0], n), letter=None), flat=None)


def _alike(type: Type, often: Term) -> Type:
    """So many records that are one step apart."""
    moves = tuple((i, tuple((many, often * r) for many, r in some)) for i, some in type.moves)
    return Type(moves, frozenset(), type.pair, often=often)


def _together(one: Type, two: Type, m: Term, n: Term, told: Covering) -> Type:
    """Some records that are one step apart, and some that are two.

    Raises NoCover where these are no further apart together than one by one: as one that goes may be one that
    comes, it matters which way round they are.
    """
    far = [{i: r for i, ((many, r),) in type.moves if many == 1} for type in (one, two)]
    if any(len(some) < len(type.moves) for some, type in zip(far, (one, two), strict=True)):
        raise NoCover("members of families are not told apart where records are two steps apart")
    each = {i: (far[0].get(i, ZERO), far[1].get(i, ZERO)) for i in sorted(far[0] | far[1])}
    apart = least(n, largest(ZERO, m - n))
    for pair in (two.pair, two.pair[::-1]):
        if dict(told.moves_of([one.pair, pair])) == {i: ((1, a + b),) for i, (a, b) in each.items()}:
            moves = tuple((i, ((1, _far(a, b, m, n)),)) for i, (a, b) in each.items())
            return Type(moves, frozenset(), one.pair, often=least(m, n) - apart, besides=((pair, apart),))
    raise NoCover(
        "records that are one step apart and others that are two may be nearer to each other; a number of "
        "steps would do"
    )


def _far(one: Term, two: Term, m: Term, n: Term) -> Term:
    """How far an input moves that moves so far for one step, and so far for two, of each of n records."""
    apart = least(n, largest(ZERO, m - n))
    return least(m, 2 * n) * one if two == 2 * one else (least(m, n) - apart) * one + apart * two
